//! Reads one string of a JSON object (RFC 8259).
//!
//! A web page loads this code only for a string in a link: a crate for all of JSON would add 8 kB
//! to it, most of it for numbers.

/// Nesting depth of brackets, the limit of most readers.
const DEPTH: u32 = 127;

/// The string with this key in an object; if the key is repeated, the last one counts. `None` if
/// the text is not JSON.
pub(super) fn string_of(json: &str, key: &str) -> Option<String> {
    let mut rest = Input(json);
    let mut open = OpenBrackets::default();
    let mut found = None;
    loop {
        let name = if open.is_object() { Some(rest.name()?) } else { None };
        let is_asked = open.depth == 1 && name.is_some_and(|name| name == key);
        if let Some(is_object) = rest.opened() {
            found = found.filter(|_| !is_asked);
            open.push(is_object)?;
            if !rest.skip_if(open.end()) {
                continue;
            }
            open.pop();
        } else if rest.token().starts_with('"') {
            let value = rest.string()?;
            found = if is_asked { Some(value) } else { found };
        } else {
            rest.scalar()?;
            found = found.filter(|_| !is_asked);
        }
        while open.depth > 0 && !rest.skip_if(',') {
            rest.skip_if(open.end()).then(|| open.pop())?;
        }
        if open.depth == 0 {
            return found.filter(|_| rest.token().is_empty());
        }
    }
}

/// The open brackets.
#[derive(Default)]
struct OpenBrackets {
    depth: u32,
    /// Whether each belongs to an object: the innermost is the lowest bit.
    objects: u128,
}

impl OpenBrackets {
    fn is_object(&self) -> bool {
        self.objects & 1 == 1
    }

    /// What closes the innermost bracket.
    fn end(&self) -> char {
        if self.is_object() { '}' } else { ']' }
    }

    fn push(&mut self, is_object: bool) -> Option<()> {
        self.depth += 1;
        self.objects = self.objects << 1 | u128::from(is_object);
        (self.depth <= DEPTH).then_some(())
    }

    fn pop(&mut self) {
        self.depth -= 1;
        self.objects >>= 1;
    }
}

/// The text still to be read.
struct Input<'t>(&'t str);

impl<'t> Input<'t> {
    /// The text from the next token on.
    fn token(&mut self) -> &'t str {
        self.0 = self.0.trim_start_matches([' ', '\t', '\n', '\r']);
        self.0
    }

    /// Skips the next token if it is this one; returns whether it did.
    fn skip_if(&mut self, token: char) -> bool {
        let behind = self.token().strip_prefix(token);
        self.0 = behind.unwrap_or(self.0);
        behind.is_some()
    }

    /// Opens a bracket; returns whether it is that of an object, `None` if there is none.
    fn opened(&mut self) -> Option<bool> {
        let is_object = self.skip_if('{');
        (is_object || self.skip_if('[')).then_some(is_object)
    }

    /// A key and the colon after it.
    fn name(&mut self) -> Option<String> {
        let name = self.string()?;
        self.skip_if(':').then_some(name)
    }

    /// A string with its escapes decoded.
    fn string(&mut self) -> Option<String> {
        let mut out = String::new();
        self.skip_if('"').then_some(())?;
        loop {
            let end = self.0.find(|c| c < ' ' || c == '"' || c == '\\')?;
            let (plain, behind) = self.0.split_at_checked(end)?;
            out.push_str(plain);
            self.0 = behind;
            match self.char()? {
                '"' => return Some(out),
                '\\' => out.push(self.escape()?),
                _ => return None,
            }
        }
    }

    /// The character after a backslash.
    fn escape(&mut self) -> Option<char> {
        Some(match self.char()? {
            c @ ('"' | '\\' | '/') => c,
            'b' => '\u{8}',
            'f' => '\u{c}',
            'n' => '\n',
            'r' => '\r',
            't' => '\t',
            'u' => {
                let first = self.unit()?;
                if !(0xd800..0xdc00).contains(&first) {
                    return char::from_u32(first.into());
                }
                self.0 = self.0.strip_prefix("\\u")?;
                char::decode_utf16([first, self.unit()?]).next()?.ok()?
            }
            _ => return None,
        })
    }

    /// Four hexadecimal digits.
    fn unit(&mut self) -> Option<u16> {
        (0..4).try_fold(0, |unit, _| {
            let digit = self.char()?.to_digit(16)?;
            Some(unit << 4 | u16::try_from(digit).ok()?)
        })
    }

    fn char(&mut self) -> Option<char> {
        let mut chars = self.0.chars();
        let c = chars.next()?;
        self.0 = chars.as_str();
        Some(c)
    }

    /// Skips a number or a word.
    fn scalar(&mut self) -> Option<()> {
        let text = self.token();
        let end = text.find(|c: char| !(c.is_ascii_alphanumeric() || "+-.".contains(c)));
        let (scalar, behind) = text.split_at_checked(end.unwrap_or(text.len()))?;
        self.0 = behind;
        (["true", "false", "null"].contains(&scalar) || is_number(scalar)).then_some(())
    }
}

fn is_number(text: &str) -> bool {
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let (text, power) = split(text.strip_prefix('-').unwrap_or(text), &['e', 'E']);
    let (whole, fraction) = split(text, &['.']);
    digits(whole)
        && (whole == "0" || !whole.starts_with('0'))
        && fraction.is_none_or(digits)
        && power.is_none_or(|power| digits(power.strip_prefix(['+', '-']).unwrap_or(power)))
}

fn split<'t>(text: &'t str, at: &[char]) -> (&'t str, Option<&'t str>) {
    text.split_once(at).map_or((text, None), |(before, behind)| (before, Some(behind)))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::Value;

    use super::*;

    fn by_crate(json: &str) -> Option<String> {
        match serde_json::from_str::<Value>(json).ok()?.get_mut("url")?.take() {
            Value::String(value) => Some(value),
            _ => None,
        }
    }

    #[test]
    fn strings_are_those_that_a_crate_reads() {
        let deep = |depth: usize| {
            format!(r#"{{"url":"x","a":{}{}}}"#, "[".repeat(depth), "]".repeat(depth))
        };
        for json in [
            r#"{"url":"http:\/\/\u0440aypal.com"}"#,
            r#"{"a":"url","url" : "x\ud83d\ude00"}"#,
            r#" {"a":{"url":"no"},"b":[{"url":"no"},{}],"url":"yes", "c":[]} "#,
            r#"{"url":"x","url":{}}"#,
            r#"{"url":"x","url":-0.5e+1}"#,
            r#"["url","x"]"#,
            r#"{"url":"x"]"#,
            r#"{"url":"\ud83d\u0041"}"#,
            r#"{"url":"\u+123"}"#,
            "{\"url\":\"\t\"}",
            &deep(126),
            &deep(127),
        ] {
            assert_eq!(string_of(json, "url"), by_crate(json), "{json}");
        }
    }

    proptest! {
        /// Pieces of JSON in any order, which mostly make no JSON.
        #[test]
        fn what_is_no_json_is_none_to_a_crate(
            pieces in prop::collection::vec(
                prop::sample::select(vec![
                    "{", "}", "[", "]", ",", ":", " ", "\"url\"", "\"url\":", "\"x\"", "\"\\u00e9\"", "\"\\ud800\"",
                    "0", "-1.5e3", "01", "1.", "true", "nul", "\"\\q\"", "\"", "{}", "[1]", "\n", "{\"url\":\"x\",",
                ]),
                0..12,
            ),
        ) {
            let json = pieces.concat();
            prop_assert_eq!(string_of(&json, "url"), by_crate(&json));
            let json = format!(r#"{{"url":"x",{json}}}"#);
            prop_assert_eq!(string_of(&json, "url"), by_crate(&json));
        }
    }
}
