//! URLs inside a URL: unwrapped from a rewriter's link, or spelled out in it, at whatever level of
//! percent-encoding.

use std::collections::VecDeque;

use memchr::memchr_iter;

use super::{Context, Glue, Judgement, judge, wrappers};
use crate::engine::link::{Kind, Target, percent, reference, scheme};
use crate::engine::outcome::Reason;

/// URLs inside a URL that are followed at most, and how deep they may nest: rewriters wrap
/// rewriters, and nobody more than three.
pub const EMBEDDED: usize = 16;
pub const NESTING: u8 = 6;

/// Bytes of a URL that are searched for URLs; a longer tail is data.
pub const SEARCHED_BYTES: usize = 16_384;

/// Authorities inside a URL that are judged, real hosts or not; and times the length of the URL that
/// the links of rewriters inside it may come to, which overlap.
pub const TRIED: usize = 64;
pub const REWRITTEN: usize = 4;

/// Hosts of the URLs in the tail of a link to this host. What a URL inside carries stands in the text
/// around it as well, so each text is searched once for each level of encoding; only a rewriter's URL
/// makes a new text.
pub(super) fn hosts(host: &str, tail: &str, context: &Context<'_>) -> Vec<Judgement> {
    if tail.len() > SEARCHED_BYTES {
        return Vec::new();
    }
    let context = Context { glue: Glue::None, ..*context };
    let mut search = Search {
        context,
        found: Vec::new(),
        tried: Vec::new(),
        texts: VecDeque::new(),
        left: REWRITTEN * tail.len(),
    };
    search.texts.push_back((host.to_owned(), tail.to_owned(), 0));
    while let Some((host, tail, depth)) = search.texts.pop_front() {
        match wrappers::unwrap(&host, &tail) {
            Some(inner) => search.unwrapped(&inner, depth),
            None => search.spelled_out(tail, depth),
        }
    }
    search.found
}

/// The search for URLs inside one URL.
struct Search<'a> {
    context: Context<'a>,
    found: Vec<Judgement>,
    /// Authorities that were judged, as spelled.
    tried: Vec<String>,
    /// Host and tail of what is still to be searched, and how deep it is nested.
    texts: VecDeque<(String, String, u8)>,
    /// Bytes of further texts that may be searched.
    left: usize,
}

impl Search<'_> {
    /// The URL that a rewriter's link leads to.
    fn unwrapped(&mut self, url: &str, depth: u8) {
        let url = url.replace(reference::is_stripped, "");
        for target in reference::parse(&url, 0..url.len()) {
            if let Target::Link(link) = target {
                let tail = url.get(link.tail.clone()).unwrap_or_default();
                self.url(link.host_str(&url), || tail, depth);
            }
        }
    }

    /// URLs with a web scheme in the text, decoded until nothing more decodes (as often at most as
    /// redirectors nest).
    fn spelled_out(&mut self, mut text: String, depth: u8) {
        for _ in 0..=NESTING {
            self.literal(&text, depth);
            let decoded = match text.contains('%') {
                true => percent::decode_text(&text),
                false => return,
            };
            if decoded == text {
                return;
            }
            text = decoded;
        }
    }

    fn literal(&mut self, text: &str, depth: u8) {
        let outer = |c: char| matches!(c, '&' | '"' | '<' | '>') || c.is_whitespace();
        for at in memchr_iter(b':', text.as_bytes()) {
            let (Some(head), Some(rest)) = (text.get(..at), text.get(at + 1..)) else { continue };
            // One slash will do: proxies and sloppy templates lose the other.
            let slashes = rest.len() - rest.trim_start_matches(['/', '\\']).len();
            if slashes == 0 || scheme::web_at_end(head).is_none() {
                continue;
            }
            let start = at + 1 + slashes;
            let rest = text.get(start..).unwrap_or_default();
            let end = rest.find(|c| outer(c) || matches!(c, '/' | '\\' | '?' | '#'));
            let end = start + end.unwrap_or(rest.len());
            if let Some(link) = reference::authority(text, start..end, start..end, Kind::Scheme) {
                let tail = || text.get(end..).and_then(|tail| tail.split(outer).next());
                self.url(link.host_str(text), || tail().unwrap_or_default(), depth);
            }
        }
    }

    /// Judges a URL inside; one of a rewriter is looked into later.
    fn url<'t>(&mut self, host: &str, tail: impl FnOnce() -> &'t str, depth: u8) {
        if wrappers::rewrites(host) && depth < NESTING {
            let tail = tail();
            let known = |(name, known, _): &(String, String, u8)| name == host && known == tail;
            if let Some(left) = self.left.checked_sub(host.len() + tail.len())
                && !self.texts.iter().any(known)
            {
                self.left = left;
                self.texts.push_back((host.to_ascii_lowercase(), tail.to_owned(), depth + 1));
            }
        }
        if self.tried.len() < TRIED && !self.tried.iter().any(|tried| tried == host) {
            self.tried.push(host.to_owned());
            self.judge(host);
        }
    }

    fn judge(&mut self, host: &str) {
        let judgement = judge(host, &self.context);
        // `…/*http://a.example*http://b.example`: what is no host leads nowhere.
        let nothing = [Reason::IdnaInvalid, Reason::TldSyntax, Reason::TldUnknown];
        let leads_nowhere = host.is_ascii()
            && judgement.reasons.contains(Reason::IdnaInvalid)
            && judgement.reasons.iter().all(|reason| nothing.contains(&reason));
        let is_host = judgement.ascii.contains('.') || judgement.ascii.starts_with('[');
        if is_host
            && !leads_nowhere
            && self.found.len() < EMBEDDED
            && self.found.iter().all(|seen| seen.ascii != judgement.ascii)
        {
            self.found.push(judgement);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::host::carried::tests::url;
    use crate::engine::outcome::Verdict;

    /// A link is as bad as the worst host inside it, however wrapped.
    #[test]
    fn urls_inside_urls_are_judged() {
        for text in [
            "https://example.com/?u=https%3A%2F%2Fраypal.com%2F",
            "https://example.com/?u=https%253A%252F%252Fxn--ypal-43d9g.com",
            "https://example.com/#HTTPS://раypal.com",
            "https://example.com/seehttp:\\\\a@раypal.com:99999?x",
            "https://eur.safelinks.protection.outlook.com/?url=https%3A%2F%2Fxn--ypal-43d9g.com%2F&d=1",
            "https://urldefense.proofpoint.com/v2/url?u=https-3A__xn-2D-2Dypal-2D43d9g.com_x&d=1",
            "https://urldefense.com/v3/__https://xn--ypal-43d9g.com/__;!!a$",
            "https://protect-us.mimecast.com/s/x?domain=xn--ypal-43d9g.com",
            "https://eur.safelinks.protection.outlook.com/?url=https%3A%2F%2Furldefense.com%2Fv3%2F__https%3A%2F%2Fxn--ypal-43d9g.com%2F__%3B!!a%24",
        ] {
            let link = url(text);
            assert_eq!(link.verdict, Verdict::Unsafe, "{text}");
            assert_eq!(link.target(), Some("paypal.com"), "{text}");
        }
    }

    #[test]
    fn embedded_urls_are_bounded() {
        let many = "https://x.org/?".to_owned() + &"u=https://a.b.example/&".repeat(10_000);
        assert!(url(&many).inner.len() <= EMBEDDED);
        let deep = "https://x.org/?u=".repeat(1000);
        assert!(url(&deep).inner.len() <= EMBEDDED);
    }

    /// Each URL stands in the tail of every one before it: what is searched is counted, or the paths
    /// through them are as many as their subsets.
    #[test]
    fn urls_inside_urls_inside_urls_are_searched_once() {
        for unit in [
            "http://a.co/",
            "http://a.co/?u=",
            "http://a.co/%2525",
            "https://urldefense.com/v3/__",
            "https://x.safelinks.protection.outlook.com/?url=",
            "https%3A%2F%2Fx.safelinks.protection.outlook.com%2F%3Furl%3D",
        ] {
            let link = url(&format!("http://x.co/{}", unit.repeat(200)));
            assert!(!link.inner.is_empty() && link.inner.len() <= EMBEDDED, "{unit}");
        }
    }

    /// Neither many URLs to one host nor one that is spelled out hides another.
    #[test]
    fn a_url_behind_others_is_found() {
        let many = "http://a.co/".repeat(100);
        for text in [
            format!("http://x.co/{many}http://xn--ypal-43d9g.com/"),
            format!("http://x.co/?u={many}&v=http%3A%2F%2Fxn--ypal-43d9g.com"),
            format!("http://x.co/?u={many}&v=http%253A%252F%252Fxn--ypal-43d9g.com"),
            format!(
                "http://x.co/?u={many}&v=https://urldefense.com/v3/__https:/xn--ypal-43d9g.com/__;!!"
            ),
        ] {
            assert_eq!(url(&text).verdict, Verdict::Unsafe, "{text}");
        }
    }
}
