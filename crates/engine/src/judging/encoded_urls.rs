//! URLs inside a link in base64 or in hexadecimal digits, alone or in JSON (also that of a signed token, RFC 7519), or in
//! the escapes of JSON, as redirectors that nobody knows write where they lead. Honest ones do so, too: such a URL counts
//! only if it is deceptive.

use memchr::{memchr2, memchr2_iter, memchr3_iter, memmem};

use super::{HostBounds, Judge, Judgement, Kind, Link, LinkJudgement, Verdict, carried_steps};
use maillinks::{MappedText, script};
use uts58::{Confidence, base64, percent};

/// Maximum number of such values that are read, and of URLs of one: redirectors write one URL, behind the header of a
/// token at the most.
const URLS: usize = 4;

/// How often JSON stands in a string of JSON (Mandrill), itself included.
const NESTED: usize = 2;

/// Steps of each byte of JSON: it is decoded, and its escapes are, as often.
const JSON_STEPS_PER_BYTE: usize = 1 + NESTED;

/// Maximum number of letters and digits that are joined to the front of a value: `?baHR0c…`, `u=a1aHR0c…` (Bing), and
/// the digits of an escape, `%3DaHR0c…`.
const JOINED: usize = 3;

/// Bytes of the shortest URL with a host, `http://a.co`, in base64.
const SHORTEST: usize = "aHR0cDovL2EuY28".len();

/// Whether there may be one.
pub(super) fn may_hold(tail: &str) -> bool {
    tail.len() >= SHORTEST && starts(tail).next().is_some() || escaped_strings(tail).is_some()
}

/// How a value is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ValueForm {
    Base64,
    /// JSON in base64.
    Json,
    Hexadecimal,
}

impl ValueForm {
    /// The form of a value that begins with these bytes as `http` does, perhaps with a capital, or as an object of JSON.
    fn of(value: &[u8]) -> Option<ValueForm> {
        let begins = |heads: &[&[u8]]| heads.iter().any(|head| value.starts_with(head));
        match value.first()? {
            b'a' | b'S' if begins(&[b"aHR0c", b"SHR0c", b"SFRUU"]) => Some(ValueForm::Base64),
            b'e' if begins(&[b"eyJ"]) => Some(ValueForm::Json),
            b'4' | b'6' if begins(&[b"68747470", b"48747470", b"48545450"]) => {
                Some(ValueForm::Hexadecimal)
            }
            _ => None,
        }
    }
}

/// Where values begin, and their forms.
fn starts(tail: &str) -> impl Iterator<Item = (usize, ValueForm)> {
    let bytes = tail.as_bytes();
    // What most tails fail on: the second or third character of each in base64.
    let in_base64 = memchr3_iter(b'F', b'H', b'J', bytes)
        .filter_map(|at| at.checked_sub(if bytes.get(at) == Some(&b'J') { 2 } else { 1 }));
    let digits = || {
        // Those of `ttp`, and of `HTTP`.
        let small = memmem::find_iter(bytes, b"747470").filter_map(|at| at.checked_sub(2));
        small.chain(memmem::find_iter(bytes, b"48545450"))
    };
    let in_hexadecimal = may_hold_digits(bytes).then(digits).into_iter().flatten();
    in_base64.chain(in_hexadecimal).filter_map(move |start| {
        let form = ValueForm::of(bytes.get(start..)?)?;
        let before = bytes.get(..start).unwrap_or_default();
        let joined = before.iter().rev().take_while(|byte| byte.is_ascii_alphanumeric());
        (joined.take(JOINED + 1).count() <= JOINED).then_some((start, form))
    })
}

/// Every so many bytes one is looked at: wherever the digits of a URL begin, at least [`DIGITS`] of them, one behind the
/// other. The shortest is `http://a.co`.
const STRIDE: usize = 7;
const DIGITS: usize = 2 * "http://a.co".len() / STRIDE;

/// Whether a row of hexadecimal digits may be as long as those of a URL.
fn may_hold_digits(bytes: &[u8]) -> bool {
    let mut row = 0;
    bytes.iter().step_by(STRIDE).any(|byte| {
        row = if byte.is_ascii_hexdigit() { row + 1 } else { 0 };
        row >= DIGITS
    })
}

/// The text of a tail in which strings stand with the escapes of JSON (`%5Cu0430`, `\x61`), after as many rounds of
/// decoding as show them.
fn escaped_strings(tail: &str) -> Option<String> {
    // What most tails fail on.
    memchr2(b'%', b'\\', tail.as_bytes())?;
    let is_escape = |text: &str| {
        let bytes = text.as_bytes();
        memchr2_iter(b'u', b'x', bytes).any(|at| {
            let before = bytes.get(..at).unwrap_or_default();
            let sign = [&b"\\"[..], b"%5C", b"%5c", b"%255C", b"%255c"];
            sign.iter().any(|sign| before.ends_with(sign))
        })
    };
    if !is_escape(tail) {
        return None;
    }
    let mut text = tail.to_owned();
    for _ in 0..=NESTED {
        if text.contains("\\u") || text.contains("\\x") {
            return Some(text);
        }
        text = percent::decode_text(&text);
    }
    None
}

/// The URLs, as values of a query, and the bytes of JSON that were read for them.
fn decoded(tail: &str) -> (String, usize) {
    let (mut query, mut json_bytes) = (String::new(), 0);
    for (start, form) in starts(tail).take(URLS) {
        let value = tail.get(start..).unwrap_or_default();
        if form == ValueForm::Hexadecimal {
            let url = in_hexadecimal(value);
            if is_url(&url) {
                push_value(&url, &mut query);
            }
            continue;
        }
        let ends =
            |c: char| !c.is_ascii_alphanumeric() && !matches!(c, '+' | '/' | '-' | '_' | '%');
        let value = value.get(..value.find(ends).unwrap_or(value.len())).unwrap_or_default();
        let bytes = base64::decode(percent::decode_text(value).as_bytes());
        let text = String::from_utf8_lossy(&bytes);
        if form == ValueForm::Json {
            json_bytes += value.len();
            push_strings(&text, &mut query);
        } else if is_url(&text) {
            push_value(&text, &mut query);
        }
    }
    if let Some(strings) = escaped_strings(tail) {
        json_bytes += strings.len();
        push_strings(&strings, &mut query);
    }
    (query, json_bytes)
}

/// The text of the hexadecimal digits at the front.
fn in_hexadecimal(value: &str) -> String {
    let (pairs, _) = value.as_bytes().as_chunks::<2>();
    let bytes = pairs.iter().map_while(|[high, low]| percent::byte_of(*high, *low));
    String::from_utf8_lossy(&bytes.collect::<Vec<u8>>()).into_owned()
}

/// Adds the URLs in strings of JSON.
fn push_strings(json: &str, query: &mut String) {
    let json = MappedText::slice(json, 0);
    let json = (0..NESTED).fold(json, |json, _| script::unescaped(json));
    let strings = json.as_str().split('"').filter(is_url);
    strings.take(URLS).for_each(|url| push_value(url, query));
}

fn is_url(text: &impl AsRef<str>) -> bool {
    text.as_ref().contains("://")
}

fn push_value(url: &str, query: &mut String) {
    query.push_str(if query.is_empty() { "?u=" } else { "&u=" });
    query.push_str(url);
}

impl Judge<'_> {
    /// What such URLs say against a link to this host, if they are deceptive or suspect.
    pub(super) fn encoded_urls(&mut self, tail: &str, host: &Judgement) -> Option<LinkJudgement> {
        let (query, json_bytes) = decoded(tail);
        self.steps += (JSON_STEPS_PER_BYTE * json_bytes) as u64;
        if query.is_empty() {
            return None;
        }
        let link = Link {
            span: 0..query.len(),
            inner: 0,
            kind: Kind::Scheme,
            user: None,
            host: 0..0,
            port: None,
            tail: 0..query.len(),
            defanged: false,
            confidence: Confidence::Sure,
        };
        let context = self.context(HostBounds::Certain);
        let carried = homograph::carried(&query, &link, host, &context);
        self.steps += carried_steps(["", &query], &carried);
        (carried.verdict >= Verdict::Suspect).then_some(carried)
    }
}

#[cfg(test)]
mod tests {
    use ::base64::prelude::{BASE64_URL_SAFE_NO_PAD, Engine as _};

    use super::*;
    use crate::{Answers, Facts, Message, Policy, Reason, TldTable};

    #[test]
    fn values_of_redirectors() {
        for (tail, query) in [
            ("/c?u=aHR0cHM6Ly9hLmNvbS9i", "?u=https://a.com/b"),
            ("/c/SHR0cDovL2EuY29t?x", "?u=Http://a.com"),
            ("?a=aHR0cDovL2EuY29t&b=aHR0cDovL2IuY29t", "?u=http://a.com&u=http://b.com"),
            ("?baHR0cDovL2EuY29t", "?u=http://a.com"),
            ("?u=a1aHR0cDovL2EuY29t&x", "?u=http://a.com"),
            ("?u%3DaHR0cDovL2EuY29t", "?u=http://a.com"),
            ("?SFRUUDovL2EuY29t", "?u=HTTP://a.com"),
            ("?a=xaaaaHR0cDovL2EuY29t", ""),
            ("?u=687474703a2f2f612e636f6d&v=1", "?u=http://a.com"),
            ("/c/68747470733A2F2F612E636F6D2F/x", "?u=https://a.com/"),
            ("/0x485454503a2f2f612e636f6d2", "?u=HTTP://a.com"),
            ("?u=68747470733a2f", ""),
            ("?id=0a1b2c687474703a2f2f612e636f6d", ""),
            ("?id=1747470a747470&x=48545450", ""),
            (r"?u=https:\/\/p\u0430y.com\/x", "?u=?u=https://p\u{430}y.com/x"),
            (
                "?d=%7B%22u%22%3A%22https%3A%5C%2F%5C%2Fp%5Cu0430y.com%2F%22%7D",
                "?u=https://p\u{430}y.com/",
            ),
            ("?u=https%253A%255Cu002F%255Cx2Fa.com", "?u=?u=https://a.com"),
            ("?d=%7B%22u%22%3A%22https%3A%2F%2Fa.com%22%7D", ""),
            (r"?q=\user\x%20y", ""),
            ("?a=aHR0cA", ""),
            ("/HTTP/aH", ""),
        ] {
            assert_eq!(decoded(tail).0, query, "{tail}");
        }
        for (json, query) in [
            (r#"{"u":"https:\/\/p\u0430y.com\/x","v":1}"#, "?u=https://p\u{430}y.com/x"),
            (r#"{"p":"{\"url\":\"http:\\\/\\\/a.com\"}"}"#, "?u=http://a.com"),
            (r#"{"a":"https://a.com","b":["ftp://b.com"]}"#, "?u=https://a.com&u=ftp://b.com"),
            (r#"{"alg":"HS256","u":"\uD83D\u12"}"#, ""),
        ] {
            let value = BASE64_URL_SAFE_NO_PAD.encode(json);
            for tail in [format!("/c/{value}/sig"), format!("?t=eyJhbGciOiJIUzI1NiJ9.{value}.x")] {
                assert_eq!(decoded(&tail).0, query, "{json}");
            }
        }
        let many = "=aHR0cDovL2EuY29t".repeat(1_000);
        assert_eq!(decoded(&many).0.matches("u=").count(), URLS);
    }

    #[test]
    fn the_shortest_digits_are_seen_wherever_they_begin() {
        let digits: String = "http://a.co".bytes().map(|byte| format!("{byte:02x}")).collect();
        for before in 0..2 * STRIDE {
            assert!(may_hold_digits(format!("{}{digits}", "?".repeat(before)).as_bytes()));
        }
        assert!(!may_hold_digits(b"/track/v1-ab12cd/xyz?utm=summer"));
    }

    #[test]
    fn only_deceptive_urls_count() {
        let json = |url: &str| format!(r#"{{"id":1,"href":"{}"}}"#, url.replace('/', r"\/"));
        let reasons = |url: &str| {
            let in_base64 = |value: &str| BASE64_URL_SAFE_NO_PAD.encode(value);
            let in_hexadecimal: String = url.bytes().map(|byte| format!("{byte:02x}")).collect();
            let escaped: Vec<String> =
                url.encode_utf16().map(|unit| format!("%5Cu{unit:04x}")).collect();
            let values = [
                in_base64(url),
                in_base64(&json(url)),
                in_hexadecimal,
                format!("%22{}%22", escaped.concat()),
            ];
            let [plain, others @ ..] = values.map(|value| {
                let body = format!("<a href='https://click.example.com/e/{value}/x'>x</a>");
                let message = Message { head: b"Content-Type: text/html\n", body: body.as_bytes() };
                let tlds = TldTable::new(["com", "top"], "");
                let outcome = crate::inspect(message, &Facts::default(), &Policy::default(), &tlds)
                    .resolve(&Answers::new());
                let edited = !outcome.edits.is_empty();
                let deceptive = outcome.findings.iter().any(|one| one.verdict == Verdict::Unsafe);
                assert_eq!(edited, deceptive, "{url}");
                outcome.findings.iter().any(|one| one.reasons.contains(Reason::EmbeddedUrl))
            });
            assert_eq!(others, [plain; 3], "{url}");
            plain
        };
        assert!(reasons("https://www.paypal.com@evil.top/login"));
        assert!(reasons("https://www.p\u{430}ypal.com/login"));
        // Reported, as where it stands in full.
        assert!(reasons("https://paypal-login.top/x"));
        for fine in ["https://www.paypal.com/", "https://evil.top/", "https://ann@fine.com/"] {
            assert!(!reasons(fine), "{fine}");
        }
    }
}
