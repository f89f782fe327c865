//! Lines of JSON that no text in them makes act on a terminal.

use std::io::{self, Write};

use serde::Serialize;
use serde_json::ser::{Formatter, Serializer};

use super::defang::is_hidden;

/// Writes a value as one line of JSON that can be shown on a terminal.
pub fn write_line(out: &mut dyn Write, value: &impl Serialize) -> io::Result<()> {
    value.serialize(&mut Serializer::with_formatter(&mut *out, TerminalSafe))?;
    out.write_all(b"\n")
}

/// Writes characters that act on a terminal, or are invisible, as `\uXXXX`. The JSON means the same and can be shown on
/// a terminal.
struct TerminalSafe;

impl Formatter for TerminalSafe {
    fn write_string_fragment<W: ?Sized + Write>(
        &mut self,
        out: &mut W,
        fragment: &str,
    ) -> io::Result<()> {
        if fragment.is_ascii() && !fragment.contains('\u{7F}') {
            return out.write_all(fragment.as_bytes());
        }
        for character in fragment.chars() {
            let mut units = [0; 2];
            if is_hidden(character) {
                for unit in character.encode_utf16(&mut units) {
                    write!(out, "\\u{unit:04x}")?;
                }
            } else {
                write!(out, "{character}")?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terminal_controls_are_escaped() {
        let hostile = "a\u{1B}[2J\n\u{7F}\u{9B}1m\u{202E}\u{2028}\u{E0041}é\"";
        let mut out = Vec::new();
        write_line(&mut out, &serde_json::json!({"source": hostile})).unwrap();
        let line = String::from_utf8(out).unwrap();
        let escaped = r#"{"source":"a\u001b[2J\n\u007f\u009b1m\u202e\u2028\udb40\udc41é\""}"#;
        assert_eq!(line, format!("{escaped}\n"));
        let back: serde_json::Value = serde_json::from_str(&line).unwrap();
        assert_eq!(back["source"], hostile);
    }
}
