//! Words that are written without a blank before a host.

/// Whether all that is not ASCII in this host belongs to emoji before it: `Infosℹ️www.example.com`,
/// `YouTube1️⃣youtube.com`. Readers see where the host begins.
pub fn follows_emoji(host: &str) -> bool {
    let Some((end, last)) = host.char_indices().rev().find(|(_, c)| !c.is_ascii()) else {
        return false;
    };
    let (before, behind) = host.split_at(end + last.len_utf8());
    let is_host = behind.contains('.') && behind.starts_with(|c: char| c.is_ascii_alphanumeric());
    is_host && matches!(last, EMOJI_STYLE | KEYCAP) && are_words_and_emoji(before)
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

    #[test]
    fn emoji_before_a_host() {
        for (host, follows) in [
            ("Infosℹ\u{FE0F}www.example.com", true),
            ("YouTube1\u{FE0F}\u{20E3}youtube.com", true),
            ("Ⓜ\u{FE0F}example.com", true),
            ("a☎\u{FE0F}b✉\u{FE0F}example.com", true),
            ("ℹwww.example.com", false),
            ("paypal\u{FE0F}.com", false),
            ("paypal\u{FE0F}x.com", false),
            ("раypalℹ\u{FE0F}x.com", false),
            ("ℹ\u{FE0F}раypal.com", false),
            ("ℹ\u{FE0F}com", false),
            ("ℹ\u{FE0F}.example.com", false),
            ("example.com", false),
        ] {
            assert_eq!(follows_emoji(host), follows, "{host:?}");
        }
    }
}
