//! Firms with a word for their name that is a known name as well, beside what they are: `office-shop.de`,
//! `sofort-lieferung.de`.

use crate::outcome::Reason;
use homograph::{Judgement, Section, registrable};

/// Known names that are words which firms have in their names. By hand: of what lures ask for (wallets, mailboxes, taxes)
/// there is none.
const WORDS: [&str; 6] = ["allegro", "crypto", "emirates", "fidelity", "office", "sofort"];

/// What firms are and do, none of which asks anything of a reader. By hand.
const TRADES: [&str; 20] = [
    "box", "center", "centre", "club", "company", "express", "gmbh", "group", "gruppe", "hilfe",
    "lieferung", "partner", "partners", "service", "services", "servizi", "shop", "store", "team",
    "zentrum",
];

/// Whether a host is below a domain of such a firm: the word and its trade, under another suffix than the known name's.
pub(super) fn is_shop(judgement: &Judgement) -> bool {
    let parts = |host| registrable(host, Section::Icann)?.split_once('.');
    let named =
        judgement.target.as_deref().filter(|_| judgement.reasons.contains(Reason::NameInHost));
    // Most names are no words.
    let named = named.and_then(parts).filter(|(name, _)| WORDS.contains(name));
    let Some((name, theirs)) = named else { return false };
    let Some(domain) = registrable(&judgement.ascii, Section::Icann) else { return false };
    let Some((own, suffix)) = domain.split_once('.') else { return false };
    let front = judgement.ascii.strip_suffix(domain).unwrap_or_default();
    let is_of_firm = |word| word == name || TRADES.contains(&word);
    suffix != theirs
        && !front.contains(name)
        && own.split('-').any(|word| word == name)
        && own.split('-').all(is_of_firm)
}

#[cfg(test)]
mod tests {
    use crate::{Answers, Facts, Message, Policy, TldTable, Verdict, inspect};

    fn verdict(host: &str) -> Verdict {
        let body = format!("https://{host}/\n");
        let message = Message { head: b"From: x@example.org\n", body: body.as_bytes() };
        let tlds = TldTable::new(["com", "de", "it", "org", "pl", "top"], "");
        let (facts, policy) = (Facts::default(), Policy::default());
        inspect(message, &facts, &policy, &tlds).resolve(&Answers::new()).verdict
    }

    #[test]
    fn a_word_beside_a_trade_is_a_firm() {
        for host in [
            "sofort-lieferung.de",
            "sofort-hilfe-service.de",
            "office-shop.de",
            "www.office-team.de",
            "box-office-center.de",
            "fidelity-club.it",
            "allegro-shop.com",
        ] {
            assert_eq!(verdict(host), Verdict::Ok, "{host}");
        }
        for host in [
            "office-shop.com",
            "office-login.de",
            "office-service-verify.de",
            "sofort-konto-service.top",
            "allegro-service.pl",
            "office.shop-service.top.office-login.de",
            "paypal-shop.de",
            "ledger-shop.de",
        ] {
            assert_eq!(verdict(host), Verdict::Suspect, "{host}");
        }
    }
}
