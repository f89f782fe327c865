//! Punctuation in UTF-8 as the code pages of consoles show it in front of a host: Windows does not decode what programs
//! print, and people paste it: `cannot stat ΓÇÿsetup.pyΓÇÖ`, `тАУ example.com` without the space.

use super::judged::Judged;
use super::{HostBounds, Judge, same_domain};
use crate::outcome::{Reason, Verdict};
use uts58::{Kind, Link};

/// The byte `E2`, and what follows it in characters of punctuation, arrows, boxes, blocks and symbols: in code pages 437
/// and 850, 852, 866.
const LEADS: [(char, [char; 7]); 4] = [
    ('Γ', ['Ç', 'å', 'ö', 'û', 'ù', 'ÿ', '£']),
    ('Ô', ['Ç', 'å', 'ö', 'û', 'ù', 'ÿ', '£']),
    ('Ô', ['Ç', 'ć', 'ö', 'ľ', 'Ś', 'ś', 'ť']),
    ('т', ['А', 'Ж', 'Ф', 'Ц', 'Ч', 'Ш', 'Ь']),
];

/// The same in windows-1252, of which programs leave it to the editor: `â€ž`, `â€™`. No registry takes its euro sign.
const WESTERN: &str = "â€";

/// Misread characters before a host at most: an arrow and a quotation mark.
const RESIDUES: usize = 3;

impl Judge<'_> {
    /// Lowers the verdict of a bare host behind misread punctuation, if nothing is against the host alone.
    pub(super) fn downgrade_behind_residue(
        &mut self,
        text: &str,
        link: &Link,
        judged: &mut Judged,
    ) {
        if judged.verdict <= Verdict::Notice || link.kind != Kind::Bare || !judged.inner.is_empty()
        {
            return;
        }
        let host = link.host_str(text);
        let Some(alone) = behind_residue(host).filter(|alone| alone.is_ascii()) else { return };
        // Behind a sign that no name has, the name is the one that is meant.
        let is_name = host.starts_with(WESTERN)
            && judged.target().is_some_and(|name| same_domain(name, &alone.to_ascii_lowercase()));
        if (judged.target().is_none() || is_name) && self.is_plain(alone) {
            self.let_alone(host, link.kind, judged);
        }
    }
}

/// The signs that code page 437 has for the letters of Latin 1 that German writes: `fⁿr`, `m÷glich`, `gro▀`, `Σndern`.
const UMLAUTS: [char; 7] = ['ⁿ', '÷', '▀', 'Σ', '─', '╓', '▄'];

impl Judge<'_> {
    /// Lowers the verdict of a host with umlauts that a console misreads, where other words of the text have them as
    /// well: `fⁿr www.mⁿller.de`. What reads as a known name stays.
    pub(super) fn downgrade_misread_umlauts(
        &mut self,
        text: &str,
        link: &Link,
        judged: &mut Judged,
    ) {
        let host = link.host_str(text);
        let of_signs = |reason: Reason| {
            reason.verdict() <= Verdict::Notice
                || matches!(reason, Reason::CompatForm | Reason::StatusRestricted)
        };
        if judged.verdict > Verdict::Notice
            && judged.target().is_none()
            && judged.inner.is_empty()
            && judged.reasons.iter().all(of_signs)
            && host.chars().all(|c| c.is_ascii() || UMLAUTS.contains(&c))
        {
            self.steps += SEARCH_STEPS;
            if !has_misread_word(text, host) {
                return;
            }
            // What a reader may take it for.
            let read = host.replace('ⁿ', "n").replace(UMLAUTS, "");
            let read = self.host(&read, HostBounds::Certain);
            if self.names_nobody_known(&read) {
                self.let_alone(host, link.kind, judged);
            }
        }
    }
}

/// Bytes of a text that are searched for a misread word, and the steps of that.
const SEARCHED: usize = 1_024;
const SEARCH_STEPS: u64 = 128;

/// Whether a word of the text that is no such host has one of these signs between letters, or before one.
fn has_misread_word(text: &str, host: &str) -> bool {
    let text = text.get(..text.floor_char_boundary(SEARCHED)).unwrap_or_default();
    text.split_whitespace().any(|word| {
        word.contains(UMLAUTS)
            && !word.contains(host)
            && !word.contains(['.', '@', '/'])
            && word.starts_with(|c: char| c.is_ascii_alphabetic())
            && word.chars().filter(char::is_ascii_lowercase).count() > 1
    })
}

/// What is behind misread punctuation.
fn behind_residue(host: &str) -> Option<&str> {
    let mut rest = host;
    for _ in 0..RESIDUES {
        let mut chars = rest.chars();
        let (Some(lead), Some(second), Some(third)) = (chars.next(), chars.next(), chars.next())
        else {
            break;
        };
        let is_lead = rest.starts_with(WESTERN)
            || LEADS.iter().any(|(first, seconds)| *first == lead && seconds.contains(&second));
        if !is_lead || third.is_ascii() {
            break;
        }
        rest = chars.as_str();
    }
    (rest.len() < host.len()).then_some(rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn punctuation_is_three_characters() {
        for (host, alone) in [
            ("ΓÇÿsetup.py", Some("setup.py")),
            ("ΓåÆΓÇ£example.com", Some("example.com")),
            ("тАУexample.com", Some("example.com")),
            ("â€žexample.com", Some("example.com")),
            ("âžexample.com", None),
            ("Γÿsetup.py", None),
            ("ΓÇsetup.py", None),
            ("Γ", None),
            ("example.com", None),
        ] {
            assert_eq!(behind_residue(host), alone, "{host}");
        }
    }
}
