//! URLs for programs that open a host without a scheme of its own: `microsoft-edge:example.com`,
//! `conf:sip:ann@example.com`, `intent:example.com#Intent;scheme=https;end`.

use std::ops::Range;

use uts58::scheme::Does;
use uts58::{Target, reference, scheme};

/// Schemes that lead nowhere, or to a mail program that shows what it is to send.
const CALL_NOBODY: [&str; 2] = ["about", "mailto"];

/// The URL in this range of a value, if its scheme calls a program, and no host is known to which it leads: `tel:`,
/// `whatsapp:` and any that nobody knows.
pub fn called(value: &str, range: Range<usize>) -> Option<Target> {
    let text = value.get(range.clone())?;
    let start = range.start + (text.len() - text.trim_ascii_start().len());
    let span = start..start + text.trim_ascii().len();
    let length = reference::scheme(value.get(span.clone())?)?;
    let scheme = span.start..span.start + length;
    let name = value.get(scheme.clone())?;
    let calls = match scheme::does(name) {
        Some(Does::Web | Does::Socket | Does::Message) => false,
        _ => !CALL_NOBODY.iter().any(|known| name.eq_ignore_ascii_case(known)),
    };
    calls.then_some(Target::Dangerous { span, scheme, host: None })
}

/// What such a URL opens, if it may be deceptive: names of people and numbers to call stand there as well.
pub fn opened(url: &str) -> Option<Range<usize>> {
    let (at, rest) = argument(url)?;
    let inside = match rest.trim_start_matches('/').strip_prefix('?') {
        Some(query) => value(url.len() - query.len(), query.split(['&', '#']), &["url"], |_| true)?,
        None => at..at + rest.find(['#', '?']).unwrap_or(rest.len()),
    };
    let opened = url.get(inside.clone())?;
    let ace = || opened.to_ascii_lowercase().contains("xn--");
    (!opened.is_ascii() || opened.contains('%') || ace()).then_some(inside)
}

/// The host of a URL for a browser that has no scheme of its own and is a page to it: `microsoft-edge:example.com`.
pub fn browsed(url: &str) -> Option<Range<usize>> {
    let (at, rest) = argument(url)?;
    let name = url.get(..at - 1)?.trim_ascii();
    if !BROWSERS.iter().any(|known| name.eq_ignore_ascii_case(known)) {
        return None;
    }
    let end = rest.find(['#', '?']).unwrap_or(rest.len());
    let page = rest.get(..end)?;
    let host = page.split(['/', '\\', ':']).next()?;
    (host.contains('.') && !page.contains("://")).then_some(at..at + end)
}

/// Schemes of browsers, in front of the address of a page.
const BROWSERS: [&str; 3] = ["microsoft-edge", "firefox", "googlechrome"];

/// The percent-encoded URL that a program opens, which anybody can read: `firefox://open-url?url=https%3A%2F%2F…`,
/// `intent:…;S.browser_fallback_url=https%3A%2F%2F…;end`.
pub fn encoded_url(url: &str) -> Option<Range<usize>> {
    // What most fail on.
    if !url.contains('%') {
        return None;
    }
    let (at, rest) = argument(url)?;
    let is_encoded = |value: &str| {
        let web = value.split_once('%').map(|(web, rest)| (web, rest.get(..2)));
        web.is_some_and(|(web, colon)| scheme::is_web(web) && matches!(colon, Some("3A" | "3a")))
    };
    let names = ["url", "S.browser_fallback_url"];
    value(at, rest.split(['?', '&', '#', ';']), &names, is_encoded)
}

/// Where the argument of a URL for a program begins, and the argument. What a known program does with it is known as
/// well.
fn argument(url: &str) -> Option<(usize, &str)> {
    // What most begin with.
    if ["http:", "https:"].into_iter().any(|web| url.starts_with(web)) {
        return None;
    }
    let text = url.trim_start_matches(|c| c <= ' ');
    let (name, rest) = text.split_at_checked(reference::scheme(text)?)?;
    let rest = rest.strip_prefix(':').filter(|_| scheme::does(name).is_none())?;
    Some((url.len() - rest.len(), rest))
}

/// The first value that `is` one, of fields with these names. They begin at this offset, one byte apart.
fn value<'q>(
    mut at: usize,
    fields: impl Iterator<Item = &'q str>,
    names: &[&str],
    is: impl Fn(&str) -> bool,
) -> Option<Range<usize>> {
    for field in fields {
        let end = at + field.len();
        if let Some((name, value)) = field.split_once('=')
            && names.iter().any(|known| name.eq_ignore_ascii_case(known))
            && is(value)
        {
            return Some(end - value.len()..end);
        }
        at = end + 1;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_in_a_url() {
        let encoded = "https%3A%2F%2Fexample.com%2F";
        for url in [
            "microsoft-edge:?url={}",
            "firefox://open-url?url={}",
            "fb://webview/?x=y&url={}&z",
            "intent://x/#Intent;scheme=x;S.browser_fallback_url={};end",
        ] {
            let url = url.replace("{}", encoded);
            assert_eq!(
                encoded_url(&url).and_then(|inside| url.get(inside)),
                Some(encoded),
                "{url}"
            );
        }
        for url in ["https://x.example/?url={}", "mailto:x?url={}", "x:?u={}", "x:?url=a%3Ab"] {
            assert_eq!(encoded_url(&url.replace("{}", encoded)), None, "{url}");
        }
    }

    #[test]
    fn what_a_program_opens() {
        for (url, opens) in [
            ("microsoft-edge:р.com/x", "р.com/x"),
            (" Microsoft-Edge:?x=y&url=р.com&z=1", "р.com"),
            ("microsoft-edge://?url=xn--x.com#y", "xn--x.com"),
            ("conf:sip:x@р.com", "sip:x@р.com"),
            ("callto:x@%D1%80.com", "x@%D1%80.com"),
            ("skype:x@р.com?call", "x@р.com"),
            ("feed:р.com/rss", "р.com/rss"),
            ("intent:р.com#Intent;scheme=https;end", "р.com"),
        ] {
            assert_eq!(opened(url).and_then(|inside| url.get(inside)), Some(opens), "{url}");
        }
        for url in [
            "callto:ann.example", "callto:+49123", "microsoft-edge:?x=р", "р:р.com", "р",
            "https:р.com",
        ] {
            assert_eq!(opened(url), None, "{url}");
        }
    }
}
