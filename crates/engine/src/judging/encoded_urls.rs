//! URLs in base64 inside a link, as redirectors that nobody knows write where they lead. Honest ones do so, too: such
//! a URL counts only if it is deceptive.

use memchr::memchr_iter;

use super::{HostBounds, Judge, Judgement, Kind, Link, LinkJudgement, Verdict, carried_steps};
use uts58::{Confidence, base64, percent};

/// Maximum number of such URLs that are read: redirectors write one.
const URLS: usize = 4;

/// Whether there may be one.
pub(super) fn may_hold(tail: &str) -> bool {
    starts(tail).next().is_some()
}

/// Where values begin that are `http` in base64, perhaps with a capital.
fn starts(tail: &str) -> impl Iterator<Item = usize> {
    let bytes = tail.as_bytes();
    // What most tails fail on.
    memchr_iter(b'H', bytes).filter_map(|at| {
        let start = at.checked_sub(1)?;
        let before = start.checked_sub(1).and_then(|before| bytes.get(before));
        let begins = matches!(bytes.get(start..start + 5), Some(b"aHR0c" | b"SHR0c"));
        (begins && !before.is_some_and(u8::is_ascii_alphanumeric)).then_some(start)
    })
}

/// The URLs, as values of a query.
fn decoded(tail: &str) -> String {
    let mut query = String::new();
    for start in starts(tail).take(URLS) {
        let value = tail.get(start..).unwrap_or_default();
        let ends =
            |c: char| !c.is_ascii_alphanumeric() && !matches!(c, '+' | '/' | '-' | '_' | '%');
        let value = value.get(..value.find(ends).unwrap_or(value.len())).unwrap_or_default();
        let bytes = base64::decode(percent::decode_text(value).as_bytes());
        let url = String::from_utf8_lossy(&bytes);
        if url.contains("://") {
            query.push_str(if query.is_empty() { "?" } else { "&" });
            query.push_str("u=");
            query.push_str(&url);
        }
    }
    query
}

impl Judge<'_> {
    /// What such URLs say against a link to this host, if they are deceptive.
    pub(super) fn encoded_urls(&mut self, tail: &str, host: &Judgement) -> Option<LinkJudgement> {
        let query = decoded(tail);
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
            assert_eq!(decoded(tail), query, "{tail}");
        }
        let many = "=aHR0cDovL2EuY29t".repeat(1_000);
        assert_eq!(decoded(&many).matches("u=").count(), URLS);
    }

    #[test]
    fn only_deceptive_urls_count() {
        let reasons = |url: &str| {
            let value = BASE64_URL_SAFE_NO_PAD.encode(url);
            let body = format!("<a href='https://click.example.com/c?u={value}'>x</a>");
            let message = Message { head: b"Content-Type: text/html\n", body: body.as_bytes() };
            let tlds = TldTable::new(["com", "top"], "");
            let outcome = crate::inspect(message, &Facts::default(), &Policy::default(), &tlds)
                .resolve(&Answers::new());
            let edited = !outcome.edits.is_empty();
            let deceptive = outcome.findings.iter().any(|one| one.verdict == Verdict::Unsafe);
            assert_eq!(edited, deceptive, "{url}");
            outcome.findings.iter().any(|one| one.reasons.contains(Reason::EmbeddedUrl))
        };
        assert!(reasons("https://www.paypal.com@evil.top/login"));
        assert!(reasons("https://www.p\u{430}ypal.com/login"));
        for fine in ["https://www.paypal.com/", "https://evil.top/", "https://ann@fine.com/"] {
            assert!(!reasons(fine), "{fine}");
        }
    }
}
