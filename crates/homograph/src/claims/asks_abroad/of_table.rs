//! The label of an organisation of the table, no protected name, with a word that surely asks glued to it
//! (`telkomsellogin.com`), or in front of a domain that is nothing but words of which one surely asks
//! (`telkomsel.login.top`), with the marks of other letters or without.

use super::{HostReader, joined};
use crate::characters::lookalike::LookHash;
use crate::claims::organisation_inside::may_ask;
use crate::english::is_any_word;
use crate::hosts::host_words::{ASKING, is_filler, without_asking};
use crate::protected::organisations::Counts;

/// Letters of the shortest such name: those of fewer are in the middle of other words.
const LEAST: usize = 7;

/// Letters of one that is none by which its owner is called.
const CERTAIN: usize = 10;

/// Labels of the table that are words, surnames and towns as well, where nothing else there says so. By hand.
const OF_OTHERS: [&str; 9] = [
    "beeline", "booking", "celsius", "guichet", "huntington", "southwest", "stretto", "tangerine",
    "treasury",
];

impl<'n> HostReader<'n, '_> {
    /// The domain of whom a label names that one of the words is glued to, and nothing else.
    pub(super) fn table_glued(&self, label: &str) -> Option<&'n str> {
        rests(label).find_map(|name| self.of_table(name))
    }

    /// The domain of whom a label is the name, and of nobody else: no name of his is a word, nor is it that of something else
    /// of his.
    pub(super) fn of_table(&self, name: &str) -> Option<&'n str> {
        // What most fail on.
        if name.is_ascii() && name.len() < LEAST {
            return None;
        }
        let name = joined(name);
        if name.len() < LEAST || is_any_word(&name) || is_filler(&name, Some(self.table)) {
            return None;
        }
        let domain = self.table.labelled(&name, true)?;
        let mut claimed =
            self.table.by_look(LookHash::of(name.as_bytes()).value(), false).peekable();
        let is_certain = || name.len() >= CERTAIN || self.table.represents(domain);
        let is_claimed = match claimed.peek() {
            Some(_) => claimed.all(|(_, _, counts)| counts == Counts::Anywhere),
            None => is_certain(),
        };
        (is_claimed && !OF_OTHERS.contains(&&*name)).then_some(domain)
    }
}

/// Whether a label may be one that a word is glued to, or be such a word: most labels are neither.
pub(super) fn may_be_asked(label: &str) -> bool {
    may_ask(label) && (ASKING.contains(&label) || rests(label).next().is_some())
}

/// A label without each of the words that surely ask, in front or at its end.
fn rests(label: &str) -> impl Iterator<Item = &str> {
    without_asking(label).filter(|name| name.len() >= LEAST)
}

#[cfg(test)]
mod tests {
    use crate::Names;
    use crate::claims::asks_abroad::asked_in;

    #[test]
    fn organisations_of_the_table_beside_words_that_surely_ask() {
        let names = Names::builtin();
        let asked = |host: &str| asked_in(host, &names, &["com", "top", "am", "de", "co"]);
        for (host, name) in [
            ("telkomsellogin.com", "telkomsel.com"),
            ("www.logintelkomsel.com", "telkomsel.com"),
            ("verifyexpedia.top", "expedia.com"),
            ("expediaaccount.com", "expedia.com"),
            ("telkomsel.login.top", "telkomsel.com"),
            ("www.telkomsel.secure-login.top", "telkomsel.com"),
            ("telkọmsel.login.top", "telkomsel.com"),
            ("telkọmsel.verify-account.am", "telkomsel.com"),
            ("telkọmsel.secure.am", "telkomsel.com"),
            ("lufthansa-group.login.top", "lufthansagroup.com"),
            // Owners, customers, what asks of nobody, short names and words, other domains.
            ("login.telkomsel.com", ""),
            ("telkomsellogin.example.com", ""),
            ("telkomsel.login.example.com", ""),
            ("telkomsel.example.com", ""),
            ("telkomsel.security.top", ""),
            ("telkọmsel.example.am", ""),
            ("telkomsel.login-fans.top", ""),
            ("telkomsellogins.com", ""),
            ("telkomselfans.com", ""),
            ("truistlogin.com", ""),
            ("harbourlogin.com", ""),
            ("internologin.com", ""),
            ("telecomlogin.com", ""),
            ("bookinglogin.com", ""),
            ("tangerine.login.top", ""),
            ("stellarlogin.com", ""),
            ("verifyvanguard.com", ""),
            ("harbour.login.top", ""),
            ("accountlogin.com", ""),
            ("loginlogin.com", ""),
            ("weblogin.com", ""),
            ("verification.login.top", ""),
        ] {
            assert_eq!(asked(host), name, "{host}");
        }
    }
}
