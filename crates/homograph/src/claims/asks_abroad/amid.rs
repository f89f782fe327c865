//! A known name that is no word, amid what is no office, in a label of which a word surely asks: `paypal-login-now.com`,
//! `coinbasewallet-login.com`, `paypallogin-x9k2.com`; or cut in two: `wells-fargologin.com`, `pay.pal-login.com`.
//!
//! Firms have names that are words, and surnames, beside any other word, so those count only where nothing else is said
//! (`Word::Piece`).

use std::borrow::Cow;

use smallvec::SmallVec;
use uts58::suffixes::BUILTIN;

use super::{GLUED, HostReader, LABEL_WORDS, LabelStanding, Word, joined};
use crate::characters::lookalike::LookHash;
use crate::claims::organisation_inside::may_ask;
use crate::english::is_any_word;
use crate::hosts::host_words::{ASKING, SEPARATORS, is_filler, spelled, without_asking};
use crate::protected::name::{MIN_BRAND, Name, without_number};
use crate::protected::organisations::Counts;
use crate::spelling::domain::Section;

/// Words of a label that a name is cut into at most, with what is glued to it.
const CUT: usize = 3;

/// Letters of the shortest word that has a number behind it and is none at random.
const NUMBERED: usize = 4;

/// Countries in English, beside those that are words of offices and those as their own people call them.
#[rustfmt::skip]
const COUNTRIES: [&str; 24] = [
    "brazil", "china", "colombia", "denmark", "egypt", "france", "germany", "greece", "india", "indonesia", "ireland",
    "italy", "japan", "kenya", "korea", "malaysia", "norway", "poland", "spain", "sweden", "thailand", "turkey",
    "ukraine", "vietnam",
];

/// What names of products end with, beside words of offices.
#[rustfmt::skip]
const PRODUCTS: [&str; 11] =
    ["ads", "cloud", "eu", "go", "hub", "now", "one", "photos", "seller", "suite", "trade"];

/// Words that people who write programs put beside the name of a service, in names of files and of hosts.
#[rustfmt::skip]
pub(super) const OF_PROGRAMS: [&str; 18] = [
    "api", "callback", "clone", "demo", "docs", "example", "integration", "module", "oauth", "plugin", "sample", "sdk",
    "test", "testing", "tests", "tutorial", "webhook", "webhooks",
];

/// Names that are in no table of senders, and words, surnames, towns or kinds of firms. Sorted, by hand.
#[rustfmt::skip]
const OF_MANY: [&str; 17] = [
    "allegro", "argenta", "crypto", "desjardins", "discountbank", "easybank", "eurobank", "inpost", "interac",
    "interbank", "macquarie", "metrobank", "moneta", "pingan", "posten", "sofort", "standardbank",
];

impl<'n> HostReader<'n, '_> {
    /// Whether a word of a label says nothing of whose it is: letters and digits, a country, a known name.
    pub(super) fn is_piece(&self, word: &str) -> bool {
        let bare = without_number(word);
        let has = |is: fn(&u8) -> bool| bare.as_bytes().iter().any(is);
        let is_at_random = || {
            has(u8::is_ascii_digit)
                || bare.len() < word.len() && (1..NUMBERED).contains(&bare.len())
        };
        let is_suffix = || BUILTIN.of_name(word).section == Some(Section::Icann);
        word.is_ascii()
            && (word.len() == 1
                || word.len() == 2 && is_suffix()
                || is_at_random()
                || COUNTRIES.contains(&word)
                || self.table.is_country(word)
                || spelled(word, self.protected).is_some_and(|name| name.brand_len() >= MIN_BRAND))
    }

    /// The name that is no word in a label of these words, of which one surely asks, apart or glued to the name.
    pub(super) fn amid(
        &self,
        words: &[&str],
        kinds: &[Word],
        place: LabelStanding,
    ) -> Option<&'n str> {
        let asking = |word: &str| ASKING.iter().any(|asking| word.contains(asking));
        let may_ask = |word: &str| may_ask(word) && asking(word);
        let asks = |word: &&str| may_ask(word) && self.glued_as(word, true) == Word::Asks;
        let asked = kinds.contains(&Word::Asks) || words.iter().any(asks);
        // What most labels fail on.
        if !asked && !words.iter().any(|word| may_ask(word)) {
            return None;
        }
        let is_program =
            place == LabelStanding::Below || words.iter().any(|word| OF_PROGRAMS.contains(word));
        let starts = 0..words.len();
        let ends = |start: usize| start + 1..=words.len().min(start + CUT);
        let mut runs = starts.flat_map(|start| ends(start).map(move |end| start..end));
        runs.find_map(|run| {
            let (before, after) = (kinds.get(..run.start)?, kinds.get(run.end..)?);
            let is_free = before.iter().chain(after).any(|kind| *kind == Word::Other);
            let parts = words.get(run)?;
            // A cut is inside of the name.
            let [first, last] = [parts.first()?, parts.last()?].map(|part| part.len());
            // Names have hyphens of their own.
            let signs: &[&str] = if parts.len() > 1 { &["", "-"] } else { &[""] };
            signs.iter().find_map(|sign| {
                let joined = match parts {
                    [word] => Cow::Borrowed(*word),
                    _ => Cow::Owned(parts.join(sign)),
                };
                let is_cut = parts.len() > 1 && sign.is_empty();
                let in_front = self.begun_by(&joined).filter(|(_, glued)| glued.len() < last);
                let behind = self.ended_by(&joined).filter(|(_, glued)| glued.len() < first);
                let mut named = in_front.chain(behind).filter(|(name, _)| name.is_no_word());
                let (name, _) = named.find(|(name, glued)| {
                    let may_be_free = !is_program && !is_cut && self.means_one(name);
                    let said = self.glued_as(glued, may_be_free);
                    said > Word::Other && (asked || said == Word::Asks) && (!is_free || may_be_free)
                })?;
                Some(&*name.ascii)
            })
        })
    }

    /// The name that is the last label in front of a domain and the first word of that together, in front of words that
    /// surely ask.
    pub(super) fn over_dot(&self, front: &str, chosen: &str) -> Option<&'n str> {
        let words: SmallVec<[&str; LABEL_WORDS + 1]> =
            chosen.split(SEPARATORS).take(LABEL_WORDS + 1).collect();
        let (first, rest) = words.split_first().filter(|_| words.len() <= LABEL_WORDS)?;
        // What most fail on.
        if !self.protected.begins(LookHash::of(front.as_bytes())) {
            return None;
        }
        let joined = [front, first].concat();
        let (name, glued) = self.begun_by(&joined).last()?;
        let said = self.glued_as(glued, false);
        let is_over = glued.len() < first.len() && said > Word::Other;
        if !is_over || !name.is_no_word() || !self.is_cut(&[front, first]) {
            return None;
        }
        let kinds = self.kinds(rest);
        let asked = said == Word::Asks || kinds.contains(&Word::Asks);
        (asked && !kinds.contains(&Word::Other)).then_some(&*name.ascii)
    }

    /// The name that is no word in a label that was cut, or has the name of a product glued to it: `wells-fargo`,
    /// `coinbasewallet`.
    pub(super) fn of_more(&self, label: &str) -> Option<&'n Name> {
        let joined = joined(label);
        let mut named = self.begun_by(&joined).chain(self.ended_by(&joined));
        let counts = |name: &Name, glued: &str| {
            let is_whole = glued.is_empty() || !label.contains(SEPARATORS);
            is_whole
                && name.is_no_word()
                && self.glued_as(glued, self.means_one(name)) > Word::Other
        };
        named.find(|(name, glued)| counts(name, glued)).map(|(name, _)| name)
    }

    /// What is glued to a name: nothing, words of offices, or any word (`is_free`). One that surely asks may have another
    /// beside it.
    pub(super) fn glued_as(&self, glued: &str, is_free: bool) -> Word {
        let kind = |word: &str| match self.kind(word) {
            Word::Other if is_free && is_any_word(word) => Word::Piece,
            _ if PRODUCTS.contains(&word) => Word::Piece,
            // A letter or two end words of every language: `telegramme`.
            Word::Piece
                if word.len() <= 2 && word.bytes().all(|byte| byte.is_ascii_lowercase()) =>
            {
                Word::Other
            }
            kind => kind,
        };
        let bare = without_number(glued);
        match without_asking(bare).any(|rest| kind(rest) > Word::Other) {
            true => Word::Asks,
            // Short ones end other words.
            false if glued.len() < GLUED => kind(glued).min(Word::Office),
            false => kind(glued),
        }
    }

    /// Whether a name is built in and means its owner alone, whatever stands beside it.
    pub(super) fn means_one(&self, name: &Name) -> bool {
        let label = name.label();
        let mut claimed = self.table.by_look(LookHash::of(label.as_bytes()).value(), false);
        let is_claimed = claimed.next().is_none_or(|(_, _, counts)| counts == Counts::Anywhere)
            || claimed.any(|(_, _, counts)| counts == Counts::Anywhere);
        is_claimed
            && OF_MANY.binary_search(&label).is_err()
            && self.protected.chosen_as(label).next().is_none()
    }

    /// Whether words are pieces of a name that was cut: one of them is no word.
    fn is_cut(&self, parts: &[&str]) -> bool {
        parts.iter().any(|part| !is_any_word(part) && !is_filler(part, Some(self.table)))
    }
}

#[cfg(test)]
mod tests {
    use crate::Names;
    use crate::claims::asks_abroad::asked_in;

    /// The name that a host asks in, with two names of an operator's.
    fn asked(host: &str) -> String {
        let names = Names::builtin().extended(["harbourline.example", "hoffmann.example"]);
        asked_in(host, &names, &["com", "de", "top", "app", "fr", "example"])
    }

    #[test]
    fn a_name_that_is_no_word_stands_amid_anything() {
        for (host, name) in [
            ("paypal-login-x9k2.com", "paypal.com"),
            ("x9k2-paypal-login.com", "paypal.com"),
            ("paypal-x9k2-login.com", "paypal.com"),
            ("microsoft-login-now.com", "microsoft.com"),
            ("verify-your-paypal-today.com", "paypal.com"),
            ("www-paypal-com-login-x9k2.com", "paypal.com"),
            ("netflix-verify-k3v9qa.vercel.app", "netflix.com"),
            ("paypal-login-xkqz.com", "paypal.com"),
            ("paypal-fans-connexion.com", "paypal.com"),
            ("paypal-loginpage.com", "paypal.com"),
            ("paypallogin7.com", "paypal.com"),
            ("paypallogin-x9k2.com", "paypal.com"),
            ("paypa1login7.com", "paypal.com"),
            ("paypal-x9k2-login.evilhost.top", "paypal.com"),
            ("paypal.login-x9.top", "paypal.com"),
            // Fans, firms of a trade, what customers serve, nothing that asks.
            ("paypal-fans-x9k2.com", ""),
            ("microsoft-security-blog.com", ""),
            ("amazon-webhook-verify.com", ""),
            ("netflix-clone-login.vercel.app", ""),
            ("microsoft-login-now.example.com", ""),
            ("paypal.login-now.top", ""),
            ("paypal-x9k2.com", ""),
            ("paypal-blogindex.com", ""),
            ("papal-login-x9k2.com", ""),
        ] {
            assert_eq!(asked(host), name, "{host}");
        }
    }

    #[test]
    fn names_that_are_words_stand_beside_what_says_nothing() {
        for (host, name) in [
            ("apple-login-x9k2.com", "apple.com"),
            ("apple-eu-login.com", "apple.com"),
            ("dhl-usps-login.com", "dhl.com"),
            ("dhl-login-x9k2.com", "dhl.com"),
            ("paypal-eu-login.com", "paypal.com"),
            ("apple-polska-login.com", "apple.com"),
            ("apple-india-login.com", "apple.com"),
            ("dhl-x-login.com", "dhl.com"),
            ("paypal-amazon-login.com", "paypal.com"),
            ("paypalamazon-login.com", "paypal.com"),
            ("harbourline-x7-login.com", "harbourline.example"),
            ("harbourline-example-com-br-login.com", ""),
            ("hoffmann-br-login.com", "hoffmann.example"),
            ("apple-pie-login.com", ""),
            ("apple-iphone15-unlock.com", ""),
            ("norton-anwalt-login.de", ""),
            ("schwab-steuer-login.de", ""),
            ("hoffmann-steuer-login.de", ""),
            ("emirates-flight-login.com", ""),
            ("apple-eu-service.com", ""),
            ("paypal-eu.com", ""),
        ] {
            assert_eq!(asked(host), name, "{host}");
        }
    }

    #[test]
    fn products_are_glued_to_names() {
        for (host, name) in [
            ("coinbasewallet-login.com", "coinbase.com"),
            ("whatsappweb-login.com", "whatsapp.com"),
            ("paypalusa-login.com", "paypal.com"),
            ("thepaypal-login.com", "paypal.com"),
            ("paypaleu-login.com", "paypal.com"),
            ("verify-microsoftcloud.com", "microsoft.com"),
            ("amazonia-login.com", ""),
            ("amazonucet.com", ""),
            ("amazonucet-info.com", ""),
            ("paypa1group-login.com", "paypal.com"),
            ("coinbasewallet.login-verify.top", "coinbase.com"),
            ("coinbasewallet.wiki.top", ""),
            ("telegramme.login.top", ""),
            ("coinbasewalletlogin.com", "coinbase.com"),
            ("harbourlinegroup-login.com", "harbourline.example"),
            ("deutsche-bankgroup-login.com", "deutsche-bank.de"),
            ("deutsche-bank-fans-login.com", "deutsche-bank.de"),
            ("coinbasewallet.com", ""),
            ("coinbasewallet-fans.com", ""),
            ("telegramme-login.fr", ""),
            ("hoffmanns-login.com", ""),
            ("hoffmanngarden-login.com", ""),
        ] {
            assert_eq!(asked(host), name, "{host}");
        }
    }

    #[test]
    fn names_are_cut_in_two() {
        for (host, name) in [
            ("wells-fargologin.com", "wellsfargo.com"),
            ("wells-fargo.login.top", "wellsfargo.com"),
            ("american-express.verify-account.top", "americanexpress.com"),
            ("pay.pal-login.com", "paypal.com"),
            ("insta.gramlogin-now.com", ""),
            ("pay_pal-login.evilhost.top", "paypal.com"),
            ("pay-pal-x9k2-login.com", "paypal.com"),
            // Words.
            ("pay-pal-fans-login.com", ""),
            ("best-buy-unlock-codes.com", ""),
            ("drop.box-login.com", ""),
            ("pay.pal-fans.com", ""),
            ("wells-fargo.fans.top", ""),
        ] {
            assert_eq!(asked(host), name, "{host}");
        }
    }

    #[test]
    fn the_list_is_sorted_and_in_use() {
        assert!(super::OF_MANY.is_sorted());
        let names = Names::builtin();
        assert!(super::OF_MANY.iter().all(|label| names.has_distinctive(label)));
    }
}
