//! Words that are written without a blank before a host.

use crate::judging::Judge;
use homograph::HostBounds;

/// Whether a harmless host is behind words and emoji. Readers see where it begins.
pub fn behind_emoji(judge: &mut Judge<'_>, host: &str) -> bool {
    let alone = host_behind_emoji(host);
    alone.is_some_and(|alone| judge.host(alone, HostBounds::Certain).is_harmless())
}

/// The host behind words and emoji, if all that is not ASCII belongs to these: `Infosℹ️www.example.com`,
/// `YouTube1️⃣youtube.com`.
fn host_behind_emoji(host: &str) -> Option<&str> {
    let (end, last) = host.char_indices().rev().find(|(_, c)| !c.is_ascii())?;
    let (before, behind) = host.split_at(end + last.len_utf8());
    let is_host = behind.contains('.') && behind.starts_with(|c: char| c.is_ascii_alphanumeric());
    (is_host && matches!(last, EMOJI_STYLE | KEYCAP) && are_words_and_emoji(before))
        .then_some(behind)
}

/// UTS #51 §1.4.3: the character before it is shown as a picture.
const EMOJI_STYLE: char = '\u{FE0F}';

/// The digit before it is shown as a key.
const KEYCAP: char = '\u{20E3}';

/// Whether each character beyond ASCII is in a picture: a symbol with [`EMOJI_STYLE`], or a key.
fn are_words_and_emoji(text: &str) -> bool {
    let mut before = '\0';
    let mut open = false;
    for c in text.chars() {
        open = match c {
            EMOJI_STYLE if open || matches!(before, '0'..='9' | '#' | '*') => false,
            KEYCAP if matches!(before, '0'..='9' | '#' | '*' | EMOJI_STYLE) => false,
            // Symbols of the blocks that have emoji (UTS #51, emoji-data.txt).
            '\u{A9}' | '\u{AE}' | '\u{2100}'..='\u{2BFF}' | '\u{1F000}'..='\u{1FAFF}' if !open => {
                true
            }
            c if c.is_ascii() && !open => false,
            _ => return false,
        };
        before = c;
    }
    !open
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::to_harbour;
    use crate::{Dmarc, Verdict};

    #[test]
    fn emoji_before_a_host() {
        for (host, behind) in [
            ("Infosℹ\u{FE0F}www.example.com", Some("www.example.com")),
            ("YouTube1\u{FE0F}\u{20E3}youtube.com", Some("youtube.com")),
            ("Ⓜ\u{FE0F}example.com", Some("example.com")),
            ("a☎\u{FE0F}b✉\u{FE0F}example.com", Some("example.com")),
            ("ℹwww.example.com", None),
            ("paypal\u{FE0F}.com", None),
            ("paypal\u{FE0F}x.com", None),
            ("раypalℹ\u{FE0F}x.com", None),
            ("ℹ\u{FE0F}раypal.com", None),
            ("ℹ\u{FE0F}com", None),
            ("ℹ\u{FE0F}.example.com", None),
            ("example.com", None),
        ] {
            assert_eq!(host_behind_emoji(host), behind, "{host:?}");
        }
    }

    #[test]
    fn what_deceives_by_itself_does_behind_emoji() {
        let judged = |text: &str| {
            let outcome = to_harbour("a@fine.com", "text/plain", text, Dmarc::Unknown);
            (outcome.verdict, !outcome.edits.is_empty())
        };
        for emoji in ["1\u{FE0F}\u{20E3}", "❤\u{FE0F}", "Infosℹ\u{FE0F}", "1\u{FE0F}"] {
            for fine in ["www.example.com", "paypal.com/x"] {
                let (verdict, edited) = judged(&format!("{emoji}{fine}"));
                assert!(verdict <= Verdict::Notice && !edited, "{emoji}{fine}");
            }
            for lie in ["xn--ypal-43d9g.com", "xn--80ak6aa92e.com/x"] {
                assert_eq!(
                    judged(&format!("{emoji}{lie}")),
                    (Verdict::Unsafe, true),
                    "{emoji}{lie}"
                );
            }
        }
    }
}
