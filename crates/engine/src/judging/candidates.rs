//! Hosts that are judged for less than others: those that are judged already in another spelling, and those that only
//! count if they are lures.

use std::hash::BuildHasher as _;
use std::sync::Arc;

use super::sign_roles::{is_pointer, separates_names};
use super::{HostBounds, Judge, Judgement, Section, host_steps, registrable, same_domain};
use uts58::begins_with_www;
use uts58::unicode::prose::is_unspaced;

impl Judge<'_> {
    /// The judgement of a host that begins at `www.` for every reader, behind words of a script without blanks or signs
    /// that separate names: `และwww.example.org`, `→www.example.org`, `example.org・www.example.org`. Who takes them
    /// into a label opens a host below the same domain.
    pub(super) fn host_behind_words(
        &mut self,
        spelling: &str,
        bounds: HostBounds,
    ) -> Option<Arc<Judgement>> {
        let (front, at) = words_before_www(spelling)?;
        let mut host = match front {
            "" if bounds != HostBounds::Prose => return None,
            "" => Judgement::clone(&*self.host(spelling.get(at..)?, bounds)),
            front => {
                registrable(front, Section::Icann)?;
                let front = self.host(front, HostBounds::Certain);
                let host = self.host(spelling.get(at..)?, bounds);
                let is_one = same_domain(&front.ascii, &host.ascii);
                (is_one && front.is_harmless() && host.is_harmless())
                    .then(|| Judgement::clone(&*host))?
            }
        };
        let start = if front.is_empty() { host.span.start + at } else { 0 };
        host.span = start..host.span.end + at;
        Some(Arc::new(host))
    }

    /// The judgement of a host that was judged in these bounds, perhaps in prose that might have gone on.
    pub fn known_host(&self, spelling: &str) -> Option<Arc<Judgement>> {
        let known = self.memo.get(&self.keys.hash_one(spelling))?;
        let in_prose = || {
            let is_whole =
                |host: &&Arc<Judgement>| host.more_bounds == 0 && host.span == (0..spelling.len());
            known.within(HostBounds::Prose).filter(is_whole)
        };
        known.within(HostBounds::Certain).or_else(in_prose).map(Arc::clone)
    }

    /// Judges a host that counts only if it is a lure: as long as it does not, no reading has found it.
    pub fn host_in_question(&mut self, spelling: &str) -> Arc<Judgement> {
        if let Some(known) = self.known_host(spelling) {
            return known;
        }
        let judgement = self.host_alone(spelling, HostBounds::Certain);
        self.steps += host_steps(spelling, HostBounds::Certain, &judgement);
        judgement
    }
}

/// What is before such words and signs, and where `www.` begins behind them.
fn words_before_www(spelling: &str) -> Option<(&str, usize)> {
    // As most are.
    if spelling.is_ascii() {
        return None;
    }
    let from = spelling.bytes().position(|byte| !byte.is_ascii())?;
    let (front, rest) = spelling.split_at_checked(from)?;
    let words = rest.bytes().position(|byte| byte.is_ascii())?;
    let (words, host) = rest.split_at_checked(words)?;
    let of_words = |c: char| is_unspaced(c) || is_pointer(c) || separates_names(c);
    (begins_with_www(host) && host.is_ascii() && words.chars().all(of_words))
        .then_some((front, from + words.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_without_blanks_end_before_www() {
        for (host, at) in [
            ("และwww.example.org", Some(("", 9))),
            ("→www.example.org", Some(("", 3))),
            ("・WWW.example.org", Some(("", 3))),
            ("詳細www.example.org", Some(("", 6))),
            ("example.org・www.example.org", Some(("example.org", 14))),
            ("www.example.org", None),
            ("наwww.example.org", None),
            ("詳細example.org", None),
            ("詳細-www.example.org", None),
            ("詳細www.example.org・x", None),
            ("ⓟwww.example.org", None),
            ("\u{202e}www.example.org", None),
        ] {
            assert_eq!(words_before_www(host), at, "{host}");
        }
    }
}
