//! URLs in base64 inside a link, alone or in JSON (also that of a signed token, RFC 7519), as redirectors that nobody
//! knows write where they lead. Honest ones do so, too: such a URL counts only if it is deceptive.

use memchr::memchr2_iter;

use super::{HostBounds, Judge, Judgement, Kind, Link, LinkJudgement, Verdict, carried_steps};
use crate::content::{MappedText, script};
use uts58::{Confidence, base64, percent};

/// Maximum number of such values that are read, and of URLs of one: redirectors write one URL, behind the header of a
/// token at the most.
const URLS: usize = 4;

/// How often JSON stands in a string of JSON (Mandrill), itself included.
const NESTED: usize = 2;

/// Steps of each byte of JSON: it is decoded, and its escapes are, as often.
const JSON_STEPS_PER_BYTE: usize = 1 + NESTED;

/// Whether there may be one.
pub(super) fn may_hold(tail: &str) -> bool {
    starts(tail).next().is_some()
}

/// Where values begin that are `http` in base64, perhaps with a capital, or `{"`.
fn starts(tail: &str) -> impl Iterator<Item = usize> {
    let bytes = tail.as_bytes();
    // What most tails fail on.
    memchr2_iter(b'H', b'J', bytes).filter_map(|at| {
        let start =
            if bytes.get(at) == Some(&b'H') { at.checked_sub(1) } else { at.checked_sub(2) }?;
        let before = start.checked_sub(1).and_then(|before| bytes.get(before));
        let begins = match bytes.get(start..start + 5)? {
            b"aHR0c" | b"SHR0c" => true,
            value => value.starts_with(JSON),
        };
        (begins && !before.is_some_and(u8::is_ascii_alphanumeric)).then_some(start)
    })
}

/// The beginning of an object of JSON in base64.
const JSON: &[u8] = b"eyJ";

/// The URLs, as values of a query, and the bytes of JSON that were read for them.
fn decoded(tail: &str) -> (String, usize) {
    let (mut query, mut json_bytes) = (String::new(), 0);
    for start in starts(tail).take(URLS) {
        let value = tail.get(start..).unwrap_or_default();
        let ends =
            |c: char| !c.is_ascii_alphanumeric() && !matches!(c, '+' | '/' | '-' | '_' | '%');
        let value = value.get(..value.find(ends).unwrap_or(value.len())).unwrap_or_default();
        let bytes = base64::decode(percent::decode_text(value).as_bytes());
        let text = String::from_utf8_lossy(&bytes);
        if value.as_bytes().starts_with(JSON) {
            json_bytes += value.len();
            let json = MappedText::slice(&text, 0);
            let json = (0..NESTED).fold(json, |json, _| script::unescaped(json));
            let strings = json.as_str().split('"').filter(is_url);
            strings.take(URLS).for_each(|url| push_value(url, &mut query));
        } else if is_url(&&*text) {
            push_value(&text, &mut query);
        }
    }
    (query, json_bytes)
}

fn is_url(text: &&str) -> bool {
    text.contains("://")
}

fn push_value(url: &str, query: &mut String) {
    query.push_str(if query.is_empty() { "?u=" } else { "&u=" });
    query.push_str(url);
}

impl Judge<'_> {
    /// What such URLs say against a link to this host, if they are deceptive.
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
        (carried.verdict >= Verdict::Unsafe).then_some(carried)
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
            ("?a=xaHR0cDovL2EuY29t", ""),
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
    fn only_deceptive_urls_count() {
        let json = |url: &str| format!(r#"{{"id":1,"href":"{}"}}"#, url.replace('/', r"\/"));
        let reasons = |url: &str| {
            let [plain, in_json] = [String::from(url), json(url)].map(|value| {
                let value = BASE64_URL_SAFE_NO_PAD.encode(value);
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
            assert_eq!(plain, in_json, "{url}");
            plain
        };
        assert!(reasons("https://www.paypal.com@evil.top/login"));
        assert!(reasons("https://www.p\u{430}ypal.com/login"));
        for fine in ["https://www.paypal.com/", "https://evil.top/", "https://ann@fine.com/"] {
            assert!(!reasons(fine), "{fine}");
        }
    }
}
