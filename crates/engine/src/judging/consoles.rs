//! Punctuation in UTF-8 as the code pages of consoles show it in front of a host: Windows does not decode what programs
//! print, and people paste it: `cannot stat ΓÇÿsetup.pyΓÇÖ`, `тАУ example.com` without the space.

use super::Judge;
use crate::judged::Judged;
use crate::outcome::Verdict;
use uts58::{Kind, Link};

/// The byte `E2`, and what follows it in characters of punctuation, arrows, boxes, blocks and symbols: in code pages 437
/// and 850, 852, 866.
const LEADS: [(char, [char; 7]); 4] = [
    ('Γ', ['Ç', 'å', 'ö', 'û', 'ù', 'ÿ', '£']),
    ('Ô', ['Ç', 'å', 'ö', 'û', 'ù', 'ÿ', '£']),
    ('Ô', ['Ç', 'ć', 'ö', 'ľ', 'Ś', 'ś', 'ť']),
    ('т', ['А', 'Ж', 'Ф', 'Ц', 'Ч', 'Ш', 'Ь']),
];

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
        if judged.target().is_none() && self.is_plain(alone) {
            self.let_alone(host, link.kind, judged);
        }
    }
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
        let is_lead =
            LEADS.iter().any(|(first, seconds)| *first == lead && seconds.contains(&second));
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
            ("Γÿsetup.py", None),
            ("ΓÇsetup.py", None),
            ("Γ", None),
            ("example.com", None),
        ] {
            assert_eq!(behind_residue(host), alone, "{host}");
        }
    }
}
