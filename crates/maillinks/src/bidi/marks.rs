//! Words of a text whose pieces marks of direction put in reverse order (UAX #9 §3.3.2): `com`, U+200F, `.example` between
//! U+2067 and U+2069.

use super::{RIGHT_TO_LEFT_MARK, from_right, mark};
use uts58::unicode::Traits;
use uts58::unicode::hosts::is_bidi_control;

/// Bytes of a text that are read so: no title and no name has more.
const BYTES: usize = 4_096;

/// Characters among which the first letter of an isolate is looked for.
const FIRST: usize = 32;

/// Controls that are open inside each other; more have no effect (UAX #9 BD2).
const DEPTH: usize = 125;

/// The text as a reader sees it, if pieces of its words are in another order. Words with letters that are written from
/// right to left stay as they are: people write them so.
pub fn shown(text: &str) -> Option<String> {
    let start = text.find(is_bidi_control)?;
    let end = text.floor_char_boundary(BYTES);
    let mut words = MarkedWords {
        open: Vec::new(),
        word: String::new(),
        shown: String::new(),
        is_other: false,
    };
    words.shown.push_str(text.get(..start)?);
    for (at, c) in text.get(start..end)?.char_indices() {
        let rest = || text.get(start + at + c.len_utf8()..).unwrap_or_default();
        words.read(c, rest);
    }
    words.end_word();
    words.shown.push_str(text.get(end.max(start)..).unwrap_or_default());
    words.is_other.then_some(words.shown)
}

struct MarkedWords {
    /// Whether each open control makes text run from right to left.
    open: Vec<bool>,
    /// The word that is read, with its marks.
    word: String,
    shown: String,
    is_other: bool,
}

impl MarkedWords {
    fn read<'t>(&mut self, c: char, rest: impl FnOnce() -> &'t str) {
        match c {
            '\u{2067}' | '\u{202b}' => self.opens(true),
            '\u{2068}' => self.opens(begins_leftward(rest())),
            '\u{2066}' | '\u{202a}' | '\u{202d}' => self.opens(false),
            '\u{2069}' | '\u{202c}' => {
                self.word.push(RIGHT_TO_LEFT_MARK);
                if self.open.len() == 1 {
                    self.end_word();
                }
                self.open.pop();
            }
            _ if is_bidi_control(c) => self.word.push(mark(c)),
            _ if ends_word(c) => {
                self.end_word();
                self.shown.push(c);
            }
            _ => self.word.push(c),
        }
    }

    fn opens(&mut self, is_leftward: bool) {
        // What stands in front of text from right to left is no part of it.
        if is_leftward && self.open.is_empty() {
            self.end_word();
        }
        if self.open.len() < DEPTH {
            self.word.push(RIGHT_TO_LEFT_MARK);
            self.open.push(is_leftward);
        }
    }

    fn end_word(&mut self) {
        let plain: String = self.word.chars().filter(|c| !is_bidi_control(*c)).collect();
        let is_leftward = self.open.contains(&true) && plain.len() < self.word.len();
        let turned = is_leftward && !plain.chars().any(is_written_leftward);
        let shown = if turned { from_right(&self.word) } else { plain.clone() };
        self.is_other |= shown != plain;
        self.shown.push_str(&shown);
        self.word.clear();
    }
}

/// Whether a text runs from right to left by its first letter or mark (UAX #9 P2).
fn begins_leftward(text: &str) -> bool {
    let is_mark = |c: char| matches!(c, '\u{200f}' | '\u{61c}');
    let first = text.chars().take(FIRST).find(|c| c.is_alphabetic() || is_mark(*c));
    first.is_some_and(|c| is_mark(c) || is_written_leftward(c))
}

/// Whether this is a letter that is written from right to left.
pub(super) fn is_written_leftward(c: char) -> bool {
    !c.is_ascii() && !is_bidi_control(c) && Traits::of(c).is_right_to_left()
}

/// What ends a word, or stands between words that are not read as one: a list runs from right to left as well.
fn ends_word(c: char) -> bool {
    c.is_whitespace() || matches!(c, '/' | ',' | ';' | '|' | '&' | '+' | '(' | ')' | ':')
}

#[cfg(test)]
mod tests {
    use super::shown;

    #[test]
    fn pieces_stand_in_reverse_order() {
        for (text, read) in [
            ("\u{2067}Pal\u{200f}Pay\u{2069}", "PayPal"),
            ("\u{202b}Pal\u{200f}Pay\u{202c} Support", "PayPal Support"),
            ("Re:\u{2067}Pal\u{200f}Pay\u{2069}", "Re:PayPal"),
            ("Your \u{2067}Pal\u{61c}Pay\u{2069}", "Your PayPal"),
            ("\u{2068}\u{200f}Pal\u{200f}Pay\u{2069}", "PayPal"),
            ("\u{2067}\u{2066}Pal\u{2069}\u{2066}Pay\u{2069}\u{2069}", "PayPal"),
            ("\u{2067}pdf\u{200f}.\u{200f}invoice\u{200f}.html\u{2069}", "html.invoice.pdf"),
            ("\u{2067}pdf\u{200f}.invoice\u{200f}.html\u{2069}", "html.invoice.pdf"),
        ] {
            assert_eq!(shown(text).as_deref(), Some(read), "{text:?}");
        }
    }

    #[test]
    fn honest_text_is_what_it_is() {
        for text in [
            "",
            "PayPal",
            "Pal\u{200f}Pay",
            "\u{200f}invoice\u{200f}.pdf",
            "\u{2068}Ann Miller\u{2069} has shared \u{2068}report.pdf\u{2069}",
            "\u{2066}Ann\u{2069}\u{2066}Miller\u{2069}",
            "\u{202b}שלום Example\u{202c} News",
            "\u{2067}קובץ\u{200f}.pdf\u{2069}",
            "\u{2067}iPhone\u{200f}/\u{200f}iPad ב\u{2069}",
            "\u{202b}Google\u{200f}, Facebook\u{200f} ו-Apple\u{202c}",
            "\u{2067}\u{200f}report.pdf\u{200f}\u{2069}",
        ] {
            assert_eq!(shown(text), None, "{text:?}");
        }
    }

    #[test]
    fn long_texts_are_linear() {
        let text = "\u{2067}a\u{200f}b\u{2069}\u{2068}".repeat(100_000);
        assert!(shown(&text).is_some_and(|shown| shown.len() > text.len() / 2));
    }
}
