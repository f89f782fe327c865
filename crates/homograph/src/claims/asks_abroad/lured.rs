//! A protected name that means nobody else with nothing beside it but words of lures and offices: `paypalvalidation.com`,
//! `metamask-care.com`, and where domains are bought in bulk also glued to it, `metamaskwalletapp.top`.
//!
//! Elsewhere owners glue what they offer to their names (`citibankonline.com`, `samsungcard.com`).

use smallvec::SmallVec;

use super::{HostReader, LABEL_WORDS, Word};
use crate::hosts::host_words::{MIN_BRAND_IN_LABEL, SEPARATORS, is_filler};
use crate::lists::by_letter::WordsByLetter;
use crate::protected::name::{Name, without_number};

/// Letters of the shortest such name.
const LEAST: usize = MIN_BRAND_IN_LABEL + 1;

/// Bytes of what is glued to a name and is read as two words at most, and of the shorter of them at least.
const TWO: usize = 18;
const SHORTER: usize = 3;

/// Words of those who want something of the reader, which no owner glues to his name. By hand.
#[rustfmt::skip]
const SURE: [&str; 25] = [
    "alert", "alerts", "confirm", "confirmation", "confirmed", "help", "helpline", "invoice", "invoices", "locked",
    "notice", "password", "recover", "renewal", "restore", "restricted", "secured", "suspended", "unblock", "unlocked",
    "validate", "validation", "verified", "withdraw", "withdrawal",
];

/// Words that lures have beside a name and that are of no office. By hand.
#[rustfmt::skip]
const OF_LURES: [&str; 44] = [
    "airdrops", "assist", "backup", "bind", "blocked", "bridge", "care", "claiming", "connection", "coupon", "coupons",
    "courier", "crypto", "dapp", "dapps", "defi", "deposit", "emergency", "exchange", "extensions", "funds", "homepage",
    "install", "invest", "join", "keys", "limit", "livechat", "loan", "merchant", "migrate", "migration", "nft",
    "register", "registration", "seed", "signup", "stake", "staking", "suspend", "trading", "usdt", "vip", "wallets",
];

static LURES: WordsByLetter<{ OF_LURES.len() }> = WordsByLetter::of(&[&OF_LURES]);

/// How words may be joined to a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Joining {
    /// With hyphens, and one word at least is of lures.
    Hyphens,
    /// Also without, where domains are bought in bulk.
    Any,
}

impl<'n> HostReader<'n, '_> {
    /// The domain of whom a label names beside nothing but such words.
    pub(super) fn lured(&self, label: &str, joining: Joining) -> Option<&'n str> {
        // What most labels of several words are too short for, and those of other alphabets have no letters for.
        if label.len() <= LEAST + SHORTER || !label.bytes().any(|byte| byte.is_ascii_alphabetic()) {
            return None;
        }
        let words = label.split(SEPARATORS).filter(|word| !word.is_empty());
        let words: SmallVec<[&str; LABEL_WORDS + 1]> = words.take(LABEL_WORDS + 1).collect();
        // Most labels have none.
        let has_lure = || words.iter().any(|word| is_of_lures(word));
        if words.len() > LABEL_WORDS || joining == Joining::Hyphens && !has_lure() {
            return None;
        }
        let may_be_glued = |glued: &str| match joining {
            Joining::Hyphens => glued.is_empty(),
            Joining::Any => self.says_nothing(glued),
        };
        words.iter().enumerate().find_map(|(at, word)| {
            let mut named = self.begun_by(word).chain(self.ended_by(word));
            let (name, _) = named.find(|(name, glued)| self.is_one(name) && may_be_glued(glued))?;
            let others = || words.iter().enumerate().filter(|(other, _)| *other != at);
            let is_lure = joining == Joining::Any || others().any(|(_, word)| is_of_lures(word));
            (is_lure && others().all(|(_, word)| self.says_nothing(word))).then_some(&*name.ascii)
        })
    }

    /// Whether a word glued to a name is one that its owner has no use for.
    pub(super) fn is_lured(&self, name: &Name, word: &str) -> bool {
        SURE.contains(&word) && self.is_one(name)
    }

    fn is_one(&self, name: &Name) -> bool {
        name.brand_len() >= LEAST && name.is_no_word() && self.means_one(name)
    }

    /// Whether one or two words are of lures and offices alone.
    fn says_nothing(&self, word: &str) -> bool {
        let is_listed = |word: &str| {
            is_of_lures(word) || is_filler(word, None) || self.table.is_office_word(word)
        };
        let is_of_two = || {
            let mut ends = SHORTER..=word.len().saturating_sub(SHORTER);
            ends.any(|end| {
                word.split_at_checked(end)
                    .is_some_and(|(one, two)| is_listed(one) && is_listed(two))
            })
        };
        // What more is asked of one word comes last.
        word.is_empty()
            || is_of_lures(word)
            || word.len() <= TWO && is_of_two()
            || self.glued_as(word, false) > Word::Other
    }
}

fn is_of_lures(word: &str) -> bool {
    LURES.hold(without_number(word))
}

#[cfg(test)]
mod tests {
    use crate::Names;
    use crate::claims::asks_abroad::asked_in;

    #[test]
    fn words_of_lures_beside_names() {
        let names = Names::builtin();
        let asked =
            |host: &str| asked_in(host, &names, &["com", "top", "xyz", "help", "online", "ru"]);
        for (host, name) in [
            ("paypalvalidation.com", "paypal.com"),
            ("www.helpnetflix.com", "netflix.com"),
            ("metamaskrestore.ru", "metamask.io"),
            ("paypalonline.top", "paypal.com"),
            ("metamaskapp.xyz", "metamask.io"),
            ("metamaskwalletextension.top", "metamask.io"),
            ("netflix-coupon.top", "netflix.com"),
            ("netflixcoupon2.xyz", "netflix.com"),
            ("app-metamaskdefi.top", "metamask.io"),
            ("www.paypal.help", "paypal.com"),
            ("netflix-care.help", "netflix.com"),
            ("care-metamask.com", "metamask.io"),
            ("www.netflix-coupon-code.com", "netflix.com"),
            // Owners, their services, below the domain of others, words, fans.
            ("paypalonline.com", ""),
            ("citibankonline.com", ""),
            ("netflixhouse.com", ""),
            ("netflixcoupon.com", ""),
            ("metamaskapp.online", ""),
            ("metamask-care.example.com", ""),
            ("metamask-care-fans.com", ""),
            ("apple-care.com", ""),
            ("harbour-care.com", ""),
            ("paypalvalidation.example.com", ""),
            ("applevalidation.com", ""),
            ("targethelp.com", ""),
            ("chase.help", ""),
            ("bbva.help", ""),
            ("harbour.help", ""),
            ("harbouronline.top", ""),
            ("netflixfans.top", ""),
            ("netflix-movies.xyz", ""),
            ("paypal-fans-app.top", ""),
            ("papaonline.top", ""),
        ] {
            assert_eq!(asked(host), name, "{host}");
        }
    }

    #[test]
    fn words_are_listed_once_and_sorted() {
        assert!(super::SURE.is_sorted() && super::OF_LURES.is_sorted());
    }
}
