//! Content-Type and Content-Disposition fields: the type, and its parameters in every way in which programs read them.
//!
//! | clause | item |
//! | --- | --- |
//! | RFC 2045 §5.1, Content-Type | [`ContentType::parse`] |
//! | RFC 2231 §3, §4, parameters in pieces and percent-encoded | [`Parameters`] |

use std::borrow::Cow;

use crate::hex;

/// One way to read a Content-Type or Content-Disposition field.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct ContentType {
    /// In lower case; empty if it is missing.
    pub kind: String,
    pub subtype: String,
    parameters: Vec<(Bytes, Bytes)>,
}

type Bytes = Vec<u8>;

impl ContentType {
    /// The readings of a field. In the first one, plain parameters override those in RFC 2231 form, then the
    /// reverse, then the last of a name overrides the first. At most three, all different.
    pub fn parse(value: &[u8]) -> Vec<ContentType> {
        let mut scanner = Scanner { rest: value };
        let (kind, subtype) = scanner.media_type();
        let mut parameters = Parameters::default();
        while let Some((name, value)) = scanner.parameter() {
            parameters.add(name, value);
        }
        parameters.finish();
        if !parameters.differ() {
            let mut parameters = parameters.plain;
            parameters.sort_by(|(a, _), (b, _)| a.cmp(b));
            return vec![ContentType { kind, subtype, parameters }];
        }
        let mut readings: Vec<ContentType> = Vec::new();
        for preference in [Preference::Plain, Preference::Extended, Preference::Last] {
            let reading = ContentType {
                kind: kind.clone(),
                subtype: subtype.clone(),
                parameters: parameters.resolve(preference),
            };
            if !readings.contains(&reading) {
                readings.push(reading);
            }
        }
        readings
    }

    /// A content type without parameters.
    pub fn bare(kind: &str, subtype: &str) -> ContentType {
        let [kind, subtype] = [kind, subtype].map(str::to_owned);
        ContentType { kind, subtype, parameters: Vec::new() }
    }

    /// The same type with this boundary.
    pub fn with_boundary(&self, boundary: &[u8]) -> ContentType {
        let others = self.parameters.iter().filter(|(name, _)| name != b"boundary").cloned();
        let parameters = others.chain([(b"boundary".to_vec(), boundary.to_vec())]).collect();
        ContentType { kind: self.kind.clone(), subtype: self.subtype.clone(), parameters }
    }

    /// The value of a parameter as text.
    pub fn parameter(&self, name: &str) -> Option<Cow<'_, str>> {
        self.parameter_bytes(name).map(text)
    }

    /// The bytes of a parameter's value: delimiter lines are compared byte by byte.
    pub fn parameter_bytes(&self, name: &str) -> Option<&[u8]> {
        let found = self.parameters.iter().find(|(key, _)| key == name.as_bytes());
        found.map(|(_, value)| value.as_slice())
    }
}

/// Which of several parameters with the same name is used.
#[derive(Clone, Copy)]
enum Preference {
    /// The first plain one, else that of RFC 2231.
    Plain,
    /// That of RFC 2231, else the first plain one.
    Extended,
    /// The last plain one.
    Last,
}

/// Parameters in their order, and RFC 2231 pieces with their numbers.
#[derive(Default)]
struct Parameters {
    plain: Vec<(Bytes, Bytes)>,
    pieces: Vec<ParameterPiece>,
    /// Values of those parameters that decide how a part is read, behind [`PARAMETERS`] others. Empty if there are no
    /// such.
    late: Vec<Late>,
}

/// The parameters that decide how a part is read. A program finds them behind any number of others.
const DECISIVE: [&[u8]; 9] = [
    b"boundary", b"charset", b"name", b"filename", b"format", b"delsp", b"access-type", b"url",
    b"site",
];

/// What is kept of one name behind the bound.
#[derive(Default)]
struct Late {
    first: Option<Bytes>,
    last: Option<Bytes>,
    pieces: usize,
}

impl Late {
    /// Keeps the first and the last value: no [`Preference`] uses another one.
    fn add(&mut self, value: Bytes) {
        match self.first {
            None => self.first = Some(value),
            Some(_) => self.last = Some(value),
        }
    }
}

/// `name*1*=value`.
struct ParameterPiece {
    name: Bytes,
    number: u32,
    encoded: bool,
    value: Bytes,
}

/// Parameters of one field that are read: real fields have fewer than ten.
pub const PARAMETERS: usize = 200;

/// Pieces of one decisive parameter that are read behind [`PARAMETERS`]: a boundary has 70 characters.
const LATE_PIECES: usize = 100;

impl Parameters {
    fn add(&mut self, name: Bytes, value: Bytes) {
        let star = memchr::memchr(b'*', &name);
        if self.plain.len() + self.pieces.len() < PARAMETERS {
            match star {
                None => self.plain.push((name, value)),
                Some(star) => self.add_piece(&name, star, value),
            }
            return;
        }
        let base = name.get(..star.unwrap_or(name.len())).unwrap_or_default();
        let index = DECISIVE.iter().position(|decisive| *decisive == base);
        if self.late.is_empty() {
            self.late.resize_with(DECISIVE.len(), Late::default);
        }
        let Some(late) = index.and_then(|index| self.late.get_mut(index)) else { return };
        match star {
            None => late.add(value),
            Some(star) if late.pieces < LATE_PIECES => {
                late.pieces += 1;
                self.add_piece(&name, star, value);
            }
            Some(_) => {}
        }
    }

    /// Puts the late parameters behind the others.
    fn finish(&mut self) {
        for (name, late) in DECISIVE.iter().zip(std::mem::take(&mut self.late)) {
            let values = late.first.into_iter().chain(late.last);
            self.plain.extend(values.map(|value| (name.to_vec(), value)));
        }
    }

    /// A parameter with a star in its name.
    fn add_piece(&mut self, name: &[u8], star: usize, value: Bytes) {
        let (base, tail) = name.split_at(star);
        let tail = tail.get(1..).unwrap_or_default();
        let encoded = tail.is_empty() || tail.ends_with(b"*");
        let number = text(tail);
        let number = number.trim_end_matches('*');
        let number = if number.is_empty() { Some(0) } else { number.parse().ok() };
        if let Some(number) = number {
            self.pieces.push(ParameterPiece { name: base.to_vec(), number, encoded, value });
        }
    }

    /// Whether the choice of a [`Preference`] may matter. In most fields each name occurs once.
    fn differ(&self) -> bool {
        let names = || self.plain.iter().map(|(name, _)| name);
        !self.pieces.is_empty()
            || names().enumerate().any(|(at, name)| names().skip(at + 1).any(|other| other == name))
    }

    fn resolve(&self, preference: Preference) -> Vec<(Bytes, Bytes)> {
        let extended = self.extended();
        let plain = self.plain.iter().cloned();
        let mut all: Vec<(Bytes, Bytes)> = match preference {
            Preference::Plain => plain.chain(extended).collect(),
            Preference::Extended => extended.into_iter().chain(plain).collect(),
            Preference::Last => plain.rev().chain(extended).collect(),
        };
        all.sort_by(|(a, _), (b, _)| a.cmp(b));
        all.dedup_by(|(a, _), (b, _)| a == b);
        all
    }

    /// RFC 2231 §3: joins the pieces of a name in order; §4: decodes percent escapes.
    fn extended(&self) -> Vec<(Bytes, Bytes)> {
        let mut pieces: Vec<&ParameterPiece> = self.pieces.iter().collect();
        pieces.sort_by(|a, b| (&a.name, a.number).cmp(&(&b.name, b.number)));
        let mut joined: Vec<(Bytes, Bytes)> = Vec::new();
        for piece in pieces {
            let first = joined.last().is_none_or(|(name, _)| *name != piece.name);
            let value = match (piece.encoded, first) {
                (true, true) => percent_decode(after_charset(&piece.value)),
                (true, false) => percent_decode(&piece.value),
                (false, _) => piece.value.clone(),
            };
            match joined.last_mut() {
                Some((_, joined)) if !first => joined.extend(value),
                _ => joined.push((piece.name.clone(), value)),
            }
        }
        joined
    }
}

/// The part after `charset'language'`.
fn after_charset(value: &[u8]) -> &[u8] {
    let mut parts = value.splitn(3, |b| *b == b'\'');
    match (parts.next(), parts.next(), parts.next()) {
        (Some(_), Some(_), Some(rest)) => rest,
        _ => value,
    }
}

fn percent_decode(value: &[u8]) -> Bytes {
    let mut out = Vec::with_capacity(value.len());
    let mut rest = value;
    while let [byte, tail @ ..] = rest {
        if let [b'%', high, low, after @ ..] = rest
            && let Some(byte) = hex::pair(*high, *low)
        {
            out.push(byte);
            rest = after;
        } else {
            out.push(*byte);
            rest = tail;
        }
    }
    out
}

/// Scans a structured field value.
struct Scanner<'a> {
    rest: &'a [u8],
}

impl<'a> Scanner<'a> {
    fn media_type(&mut self) -> (String, String) {
        self.blanks();
        let kind = lower(self.word(|byte| matches!(byte, b'/' | b';' | b',' | b'(')));
        self.blanks();
        let Some(rest) = self.rest.strip_prefix(b"/") else {
            return (kind, String::new());
        };
        self.rest = rest;
        self.blanks();
        (kind, lower(self.word(|byte| matches!(byte, b';' | b',' | b'('))))
    }

    fn parameter(&mut self) -> Option<(Bytes, Bytes)> {
        loop {
            self.skip(|byte| matches!(byte, b';' | b','));
            if self.rest.is_empty() {
                return None;
            }
            let name = self.word(|byte| matches!(byte, b'=' | b';')).to_ascii_lowercase();
            self.blanks();
            let Some(rest) = self.rest.strip_prefix(b"=") else {
                if name.is_empty() {
                    self.rest = self.rest.get(1..).unwrap_or_default();
                }
                continue;
            };
            self.rest = rest;
            self.blanks();
            return Some((name, self.value()));
        }
    }

    fn value(&mut self) -> Bytes {
        let Some(quoted) = self.rest.strip_prefix(b"\"") else {
            return self.word(|byte| byte == b';').to_vec();
        };
        let mut value = Vec::new();
        let mut rest = quoted;
        loop {
            let stop = memchr::memchr2(b'"', b'\\', rest).unwrap_or(rest.len());
            let (plain, after) = rest.split_at(stop);
            value.extend_from_slice(plain);
            let [b'\\', escaped, after @ ..] = after else {
                self.rest = after.get(1..).unwrap_or_default();
                return value;
            };
            value.push(*escaped);
            rest = after;
        }
    }

    /// Reads up to white space or to a byte that ends a word.
    fn word(&mut self, ends: impl Fn(u8) -> bool) -> &'a [u8] {
        let stop = self.rest.iter().position(|b| b.is_ascii_whitespace() || ends(*b));
        let (word, rest) = self.rest.split_at(stop.unwrap_or(self.rest.len()));
        self.rest = rest;
        word
    }

    fn blanks(&mut self) {
        self.skip(|_| false);
    }

    /// Skips white space, comments and separators.
    fn skip(&mut self, separates: impl Fn(u8) -> bool) {
        loop {
            let space = |b: &&u8| b.is_ascii_whitespace() || separates(**b);
            let skipped = self.rest.iter().take_while(space).count();
            self.rest = self.rest.get(skipped..).unwrap_or_default();
            if !self.rest.starts_with(b"(") {
                return;
            }
            let mut depth = 0_usize;
            let end = self.rest.iter().position(|b| {
                match b {
                    b'(' => depth += 1,
                    b')' => depth -= 1,
                    _ => {}
                }
                depth == 0
            });
            self.rest = end.and_then(|end| self.rest.get(end + 1..)).unwrap_or_default();
        }
    }
}

/// Bytes of a header as text: UTF-8 (RFC 6532), else one character per byte.
fn text(bytes: &[u8]) -> Cow<'_, str> {
    match std::str::from_utf8(bytes) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => Cow::Owned(bytes.iter().map(|b| char::from(*b)).collect()),
    }
}

fn lower(word: &[u8]) -> String {
    text(word).to_ascii_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn only(value: &str) -> ContentType {
        let mut readings = ContentType::parse(value.as_bytes());
        assert_eq!(readings.len(), 1, "{readings:?}");
        readings.remove(0)
    }

    #[test]
    fn content_types_as_mailers_write_them() {
        let found = only("Multipart/Mixed; (a comment) Boundary=\"a\\\"b c\" ; x=y");
        assert_eq!((found.kind.as_str(), found.subtype.as_str()), ("multipart", "mixed"));
        assert_eq!(found.parameter("boundary").as_deref(), Some("a\"b c"));
        let found = only("text/html charset=utf-8");
        assert_eq!(found.parameter("charset").as_deref(), Some("utf-8"), "a lost semicolon");
        let found = only("multipart/mixed; boundary=----=_Part_1.2?x");
        assert_eq!(found.parameter("boundary").as_deref(), Some("----=_Part_1.2?x"));
        assert_eq!(only("text").kind, "text");
        assert_eq!(only(";;;==\"").kind, "");
    }

    #[test]
    fn rfc_2231_is_a_second_reading() {
        let found = only("x/y; boundary*0=ab; boundary*1=cd; name*=utf-8''%e2%82%ac.html");
        assert_eq!(found.parameter("boundary").as_deref(), Some("abcd"));
        assert_eq!(found.parameter("name").as_deref(), Some("€.html"));
        let both = ContentType::parse(b"x/y; boundary=one; boundary*0=two");
        let boundaries: Vec<_> = both.iter().map(|c| c.parameter_bytes("boundary")).collect();
        assert_eq!(boundaries, [Some(&b"one"[..]), Some(b"two")]);
        let twice = ContentType::parse(b"x/y; boundary=one; boundary=two");
        let boundaries: Vec<_> = twice.iter().map(|c| c.parameter_bytes("boundary")).collect();
        assert_eq!(boundaries, [Some(&b"one"[..]), Some(b"two")]);
    }

    #[test]
    fn what_decides_is_found_behind_any_number_of_others() {
        let others: String = (0..1_000).map(|n| format!("; a{n}=b")).collect();
        let pieces: String = (0..70).map(|n| format!("; boundary*{n}=x")).collect();
        let late = "; charset=one; charset=two; charset=three; Format=flowed; later=b";
        let value = format!("text/plain{others}{late}{pieces}{others}; name*=utf-8''%61.html");
        let readings = ContentType::parse(value.as_bytes());
        let charsets: Vec<_> =
            readings.iter().map(|reading| reading.parameter("charset").unwrap()).collect();
        assert_eq!(charsets, ["one", "three"]);
        for reading in &readings {
            assert_eq!(reading.parameter("boundary").unwrap().len(), 70);
            assert_eq!(reading.parameter("name").as_deref(), Some("a.html"));
            assert_eq!(reading.parameter("format").as_deref(), Some("flowed"));
            assert_eq!(reading.parameter("later"), None, "no memory for what nobody reads");
        }
        for name in DECISIVE.map(|name| str::from_utf8(name).unwrap()) {
            let flood =
                format!("; {name}=b").repeat(1_000) + &format!("; {name}*1=b").repeat(1_000);
            let mut parameters = Parameters::default();
            let value = format!("{others}{flood}");
            let mut scanner = Scanner { rest: value.as_bytes() };
            while let Some((name, value)) = scanner.parameter() {
                parameters.add(name, value);
            }
            parameters.finish();
            assert_eq!(parameters.plain.len(), PARAMETERS + 2);
            assert_eq!(parameters.pieces.len(), LATE_PIECES);
        }
    }

    #[test]
    fn values_are_bytes() {
        let value = b"multipart/mixed; boundary=\"caf\xE9\"; name=caf\xE9";
        let found = ContentType::parse(value).remove(0);
        assert_eq!(found.parameter_bytes("boundary"), Some(&b"caf\xE9"[..]));
        assert_eq!(found.parameter("name").as_deref(), Some("caf\u{e9}"));
        let found = ContentType::parse(b"x/y; boundary*0*=iso-8859-1''caf%E9; boundary*1=\"\xE8\"");
        assert_eq!(found[0].parameter_bytes("boundary"), Some(&b"caf\xE9\xE8"[..]));
    }
}
