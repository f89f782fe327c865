//! Firms that are called by their domain, as headlines name them: `Booking.com cuts 10% of jobs`. A reader takes the name
//! for no address, as he would not without `.com`, unless the words ask something of him. That is known of few languages,
//! and only a publisher who is confirmed is believed: his own site is where such a link leads.

use super::{Judge, ShownAs};
use crate::judging::prices::sender_steps;
use homograph::claims::BesideWord;

/// Words beside the name at least.
const LEAST_WORDS: usize = 3;

/// Words of offices that headlines have as well, or that say nothing.
#[rustfmt::skip]
const OF_NEWS: [&str; 61] = [
    "a", "america", "and", "au", "award", "bank", "banking", "banks", "bei", "business", "by", "canada", "case", "corporation",
    "das", "data", "de", "der", "des", "di", "die", "e", "el", "en", "europe", "fees", "finance", "financial", "fines",
    "for", "foundation", "from", "global", "group", "il", "in", "inc", "international", "it", "la", "le", "les", "llc",
    "ltd", "nacional", "national", "network", "news", "nl", "no", "of", "opinion", "system", "technology", "the", "to",
    "uk", "und", "us", "usa", "with",
];

/// Further words of those who ask something of a reader, or say what happened to what is his.
#[rustfmt::skip]
const ASKING: [&str; 171] = [
    // What to do.
    "access", "activate", "book", "browse", "buy", "call", "change", "check", "click", "complete", "download", "enter",
    "follow", "get", "go", "install", "join", "keep", "log", "logging", "manage", "open", "pay", "please", "read",
    "redeem", "register", "reply", "renew", "reset", "resolve", "respond", "restore", "review", "save", "see", "sell",
    "shop", "sign", "signing", "start", "submit", "subscribe", "tap", "track", "try", "validate", "view", "visit",
    "besuchen", "bestellen", "bezahlen", "buchen", "gehen", "jetzt", "kaufen", "klick", "klicken", "klicke", "lesen",
    "offnen", "ansehen", "bitte", "acheter", "allez", "cliquez", "consultez", "ouvrir", "reserver", "visitez", "voir",
    "abre", "compra", "comprar", "entra", "haz", "pulsa", "reserva", "ver", "visita", "visite", "acquista", "apri",
    "clicca", "prenota", "vai", "vedi", "acesse", "clique", "veja", "bekijk", "bestel", "bezoek", "klik", "kliknij",
    "kup", "odwiedz", "zobacz", "klicka", "besok", "перейти", "посетите", "нажмите", "купить", "откройте",
    // Who is spoken to, and by whom.
    "dear", "hello", "hi", "me", "mine", "our", "ours", "we", "du", "dich", "dir", "euch", "sie", "ihnen", "uns", "unser",
    "unsere", "wir", "nous", "nos", "notre", "vos", "vous", "nosotros", "nuestro", "tu", "tus", "usted", "noi", "voi",
    "nosso", "voce", "seu", "jij", "jouw", "je", "wij", "ons", "вы", "вас", "вам", "ваш", "ваша", "ваше", "ваши", "мы",
    // What is his.
    "arrived", "arriving", "booking", "charged", "debited", "declined", "expiring", "expired", "failed", "frozen",
    "gift", "guest", "inbox", "locked", "parcel", "reservation", "shipped", "waiting", "withdrawn", "paid",
];

/// Words behind which a name is where something is: one goes there.
#[rustfmt::skip]
const OF_PLACES: [&str; 40] = [
    "a", "at", "auf", "bei", "chez", "da", "do", "em", "en", "from", "hos", "in", "into", "na", "naar", "nach", "no",
    "on", "op", "over", "par", "por", "pa", "su", "sul", "sur", "till", "til", "to", "uber", "unter", "vers", "via",
    "visit", "von", "zu", "zum", "в", "на", "через",
];

/// Digits of a number that is one of an order, at least.
const ORDER: usize = 5;

impl Judge<'_> {
    /// Whether a known name in the text of a link is that of a firm in a sentence, and not where one is led to.
    pub(super) fn names_firm(&mut self, shown: ShownAs<'_>, led: &str) -> bool {
        let ShownAs::Word { before, behind } = shown else { return false };
        // The lists of words that ask are of languages that are written with few other letters.
        let is_foreign = |text: &str| text.contains(|c: char| c.is_alphabetic() && !c.is_ascii());
        if !self.is_authors(led)
            || !stands_alone(before, behind)
            || [before, behind].into_iter().any(|text| is_foreign(text) || is_of_business(text))
        {
            return false;
        }
        self.steps += [before, behind].map(sender_steps).iter().sum::<u64>();
        let [front, after] =
            [before, behind].map(|text| homograph::claims::words(text, &self.policy.protected));
        let is_of_place = front.last().is_some_and(|word| OF_PLACES.contains(&word.text.as_str()));
        let mut words = front.iter().chain(&after);
        front.len() + after.len() >= LEAST_WORDS && !is_of_place && !words.any(asks)
    }
}

/// Whether a word asks something of a reader.
fn asks(word: &BesideWord) -> bool {
    let is = |list: &[&str]| list.contains(&word.text.as_str());
    is(&ASKING) || word.is_office && !is(&OF_NEWS)
}

/// Whether a name is a word by itself, and none in front of what it says: `Booking.com: your stay`.
fn stands_alone(before: &str, behind: &str) -> bool {
    let opens = |c: char| c.is_whitespace() || "\"'([“‘„«".contains(c);
    let ends = |c: char| c.is_whitespace() || "\"',;:.!?)]-”’»".contains(c);
    let is_first = before.trim().is_empty();
    // `Amazon.de-Chef` is one word.
    let rest = behind.strip_prefix('-').unwrap_or(behind).trim_start();
    before.chars().next_back().is_none_or(opens)
        && behind.chars().next().is_none_or(ends)
        && !(is_first && rest.starts_with([':', '-', '–', '—', '|']))
}

/// Whether a text has signs of buttons, or numbers of orders and sums to the cent.
fn is_of_business(text: &str) -> bool {
    let is_sum = |number: &str| {
        let (_, cents) = number.rsplit_once(['.', ',']).unwrap_or_default();
        cents.len() == 2
    };
    let mut numbers = text.split(|c: char| !c.is_ascii_digit() && !matches!(c, '.' | ','));
    let digits = |number: &str| number.split(['.', ',']).any(|part| part.len() >= ORDER);
    text.contains(['#', '>', '»', '›', '→', '➔', '▶', '/', '@'])
        || numbers.any(|number| digits(number) || is_sum(number.trim_end_matches(['.', ','])))
}

#[cfg(test)]
mod tests {
    use super::super::tests::{in_page, mismatch};
    use super::*;
    use crate::Dmarc;
    use crate::outcome::{Reason, Verdict};
    use crate::tests::to_harbour;

    #[test]
    fn lists_hold_no_word_twice() {
        for list in [&OF_NEWS[..], &ASKING, &OF_PLACES] {
            let mut words = list.to_vec();
            words.sort_unstable();
            words.dedup();
            assert_eq!(words.len(), list.len());
        }
    }

    /// The verdict of a link with this text to this site, in mail of `daily.com`.
    fn verdict(text: &str, to: &str, dmarc: Dmarc) -> Option<Verdict> {
        let body = format!("<a href=\"https://{to}/1\">{text}</a>");
        let outcome = to_harbour("news@daily.com", "text/html", &body, dmarc);
        let mut found = outcome.findings.into_iter();
        found
            .find(|finding| finding.reasons.contains(Reason::TextHrefMismatch))
            .map(|finding| finding.verdict)
    }

    const OWN: &str = "news.daily.com";

    #[test]
    fn a_firm_in_a_headline_is_no_address() {
        for fine in [
            "Booking.com cuts 10% of jobs",
            "Booking.com Cuts 10% of Jobs as Travel Slows",
            "EU fines Booking.com €413m over rules",
            "Hotels sue Booking.com, seek damages",
            "Why investors doubt “Amazon.com” will grow",
            "Musk wins first round of X.com case",
            "\nWhy Amazon.com\nbeats all estimates\n",
            "Streit mit Booking.com: Hotels klagen",
            "Amazon.com-Chef Weber tritt nach Kritik ab",
            "<h2>Booking.com cuts 10% of jobs</h2>",
            "<p>Travel</p><h2>Booking.com cuts 10% of jobs</h2><p>by A. Example</p>",
        ] {
            assert_eq!(verdict(fine, OWN, Dmarc::Pass), Some(Verdict::Notice), "{fine}");
            assert_eq!(verdict(fine, OWN, Dmarc::Unknown), Some(Verdict::Suspect), "{fine}");
            for other in ["verify.top", "u1.hubspotlinks.com", "www.microsoft.com"] {
                assert_eq!(verdict(fine, other, Dmarc::Pass), Some(Verdict::Suspect), "{fine}");
            }
        }
    }

    #[test]
    fn a_name_that_one_is_led_to_stays_an_address() {
        for lure in [
            "amazon.com",
            "Amazon.com",
            "PayPal.com Support",
            "Go to paypal.com",
            "Log in at Booking.com",
            "Sign in to Booking.com to read the guest's letter",
            "Verify your account on amazon.com",
            "Your Amazon.com order",
            "Your Amazon.com order has been delayed again",
            "Amazon.com: the parcel comes later today",
            "Amazon.com Order #123 is on its way",
            "Amazon.com – the parcel comes later today",
            "www.paypal.com cuts 10% of jobs",
            "https://www.paypal.com cuts 10% of jobs",
            "paypal.com/jobs cuts 10% of jobs",
            "PayPal.com account needs some attention from John",
            "PayPal.com charged $499.99 for one more phone",
            "PayPal.com case 482910 remains still not closed",
            "We could not reach John about PayPal.com",
            "Jetzt auf Amazon.de bestellen und viel sparen",
            "Zahlung bei Amazon.de von Müller nicht möglich",
            "Voir toutes les nouvelles photos sur Amazon.fr",
            "Continue without a card at PayPal.com",
            "Booking.com partners love this hotel in Rome »",
            "Continue with all these things on paypal.com",
            "PayPal.com<br>cuts 10% of jobs",
            "<p>PayPal.com</p><p>cuts 10% of jobs</p>",
            "<h1>PayPal.com</h1> cuts 10% of jobs",
            "PayPal.com <i style='font-size:1px'>cuts 10% of jobs</i>",
            "PayPal.com <span style='color:white'>cuts 10% of jobs</span>",
            "<style>b{font-size:0}</style>PayPal.com <b>cuts 10% of jobs</b>",
            "paypal․com cuts 10% of jobs",
            "Hesabınızı doğrulamak için PayPal.com adresine gidin",
            "Kirjaudu sisään nyt PayPal.com tilillesi tästä",
            "Συνδεθείτε τώρα στο PayPal.com για να συνεχίσετε",
        ] {
            assert_eq!(mismatch(lure, "verify.top"), Some(Verdict::Suspect), "{lure}");
            assert_ne!(verdict(lure, OWN, Dmarc::Pass), Some(Verdict::Notice), "{lure}");
        }
        // Who reads as the firm is no newspaper.
        let twin = mismatch("Booking.com cuts 10% of jobs", "booking.com.verify.top");
        assert_eq!(twin, Some(Verdict::Suspect));
        let part = in_page("PayPal.com<a href=https://verify.top/x>/jobs cuts 10% of jobs</a>");
        assert_ne!(part, None);
    }

    /// Job alerts, digests and lists of passwords name sites by their domain, and lead to their own pages.
    #[test]
    fn a_known_author_may_name_others_over_his_own_site() {
        let verdict = |from: &str, to: &str, dmarc: Dmarc| {
            let body = format!("<a href=\"https://{to}/x\">Engineer at www.amazon.com</a>");
            let outcome = to_harbour(from, "text/html", &body, dmarc);
            let mut found = outcome.findings.into_iter();
            found
                .find(|finding| finding.reasons.contains(Reason::TextHrefMismatch))
                .map(|finding| finding.verdict)
        };
        let (known, small) = ("jobs@linkedin.com", "jobs@daily.com");
        let notice = Some(Verdict::Notice);
        assert_eq!(verdict(known, "www.linkedin.com", Dmarc::Pass), notice);
        assert_eq!(verdict("x@redditmail.com", "www.reddit.com", Dmarc::Pass), notice);
        for (from, to, dmarc) in [
            (known, "www.linkedin.com", Dmarc::Unknown),
            (known, "www.linkedin.com/redir?url=https://verify.top", Dmarc::Pass),
            (known, "verify.top", Dmarc::Pass),
            ("x@google.com", "sites.google.com", Dmarc::Pass),
            ("x@gmail.com", "gmail.com", Dmarc::Pass),
            (small, "www.daily.com", Dmarc::Pass),
            (small, "www.linkedin.com", Dmarc::Pass),
        ] {
            assert_eq!(verdict(from, to, dmarc), Some(Verdict::Suspect), "{from} {to}");
        }
    }
}
