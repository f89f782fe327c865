//! The addresses of a URL whose path is one: `mailto:` (RFC 6068), `sip:`, `xmpp:` and similar
//! schemes.
//!
//! | clause | here |
//! | --- | --- |
//! | RFC 6068 §2: addresses in the path, and in `to`, `cc`, `bcc` | `links` |
//! | RFC 3261 §19.1, RFC 5122 §2: parameters, resources | [`address`] |
//! | RFC 3696 §3: an IP address in brackets | [`literal`] |

use alloc::borrow::ToOwned;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::ops::Range;

use super::{Confidence, Kind, Link, percent};
use crate::unicode::is_dot_to_somebody;

/// The addresses of a `mailto:` URL, decoded; empty for other URLs. Header fields are ignored.
pub fn mailto_addresses(url: &str) -> Vec<String> {
    let (scheme, rest) = url.split_at_checked(7).unwrap_or_default();
    if !scheme.eq_ignore_ascii_case("mailto:") {
        return Vec::new();
    }
    let list = rest.split(['?', '#']).next().unwrap_or_default();
    let addresses = list.split(',').filter(|address| !address.is_empty());
    addresses.map(percent::decode_text).collect()
}

/// The addresses after `mailto:`, in order. A single host counts if there is no address: text
/// clients link it (S29).
pub(super) fn links(value: &str, rest: Range<usize>) -> impl Iterator<Item = Link> {
    let text = value.get(rest.clone()).unwrap_or_default();
    let mut at = rest.start;
    let fields = text.split(['?', '&', '#']).enumerate().filter_map(move |(index, field)| {
        let start = at;
        at += field.len() + 1;
        let skip = match (index, field.split_once('=')) {
            (0, _) => 0,
            (_, Some((name, _))) if is_recipient(name) => name.len() + 1,
            _ => return None,
        };
        Some(start + skip..start + field.len())
    });
    let addresses = fields.flat_map(|field| pieces(value, field));
    let mut found = addresses.filter_map(|piece| address(value, piece)).peekable();
    let path = text.find(['?', '#', '/', ';', ' ']).unwrap_or(text.len());
    let alone = found.peek().is_none().then(|| rest.start..rest.start + path);
    found.chain(alone.and_then(|path| bare_host(value, path)))
}

fn is_recipient(name: &str) -> bool {
    ["to", "cc", "bcc"].iter().any(|field| name.eq_ignore_ascii_case(field))
}

/// Splits at commas, and at semicolons, with which Outlook separates addresses. Escaped ones
/// separate as well after the client has decoded them.
fn pieces(value: &str, range: Range<usize>) -> impl Iterator<Item = Range<usize>> {
    let bytes = value.as_bytes();
    let mut next = Some(range.start);
    core::iter::from_fn(move || {
        let start = next.take()?;
        let mut at = start;
        while at < range.end {
            let rest = bytes.get(at..range.end).unwrap_or_default();
            let length = match (rest.first(), percent::escape_at(rest)) {
                (Some(b',' | b';'), _) => 1,
                (_, Some(b',' | b';')) => 3,
                _ => 0,
            };
            if length > 0 {
                next = Some(at + length);
                return Some(start..at);
            }
            at += 1;
        }
        Some(start..range.end)
    })
}

/// The address in this range of a URL; `None` without `@` and host.
pub fn address(value: &str, range: Range<usize>) -> Option<Link> {
    let spelled = value.get(range.clone())?;
    let (split, mark) = match spelled.rfind('@') {
        Some(at) => (at, 1),
        None => (spelled.rfind("%40")?, 3),
    };
    let (before, after) = (spelled.get(..split)?, spelled.get(split + mark..)?);
    let len = host_length(after);
    // `anne[@]example[.]com` leads nowhere: it is defanged.
    let bracketed = before.ends_with('[') && after.starts_with(']');
    if len == 0 || bracketed && !after.get(..len)?.replace("[.]", "").contains('.') {
        return None;
    }
    let host = range.start + split + mark..range.start + split + mark + len;
    // Programs take the address in angle brackets, and what is in front of it for a name. Most have none.
    let opens = if before.contains(['<', '%']) { &["<", "%3C", "%3c"][..] } else { &[] };
    let named = opens.iter().filter_map(|open| Some(before.rfind(open)? + open.len()));
    let blank = before.len() - before.trim_start().len();
    let start = range.start + named.max().unwrap_or(blank);
    let end = host.end;
    Some(Link {
        span: start..end,
        inner: start,
        kind: Kind::Email,
        host,
        user: Some(start..range.start + split),
        port: None,
        tail: end..end,
        defanged: false,
        confidence: Confidence::Sure,
    })
}

/// The length of the host that begins here: `sip:a@host;transport=tcp`, `xmpp:a@host/resource`,
/// `<a@host>`.
fn host_length(after: &str) -> usize {
    if after.starts_with('[')
        && let Some(end) = after.find(']')
    {
        return end + 1;
    }
    let ends = |(at, c): (usize, char)| {
        let escaped = after.as_bytes().get(at..).and_then(percent::escape_at);
        let c = escaped.filter(u8::is_ascii).map_or(c, char::from);
        matches!(c, ';' | '/' | ':' | '<' | '>' | '"' | '(') || c.is_whitespace()
    };
    after.char_indices().find(|place| ends(*place)).map_or(after.len(), |(end, _)| end)
}

fn bare_host(value: &str, range: Range<usize>) -> Option<Link> {
    let text = value.get(range.clone())?;
    let host = range.start..range.start + host_length(text);
    let name = value.get(host.clone())?;
    name.trim_matches(is_dot_to_somebody)
        .contains(is_dot_to_somebody)
        .then(|| Link::of_host(Kind::Bare, host))
}

/// The host inside the brackets of an address literal, as a URL spells it: `192.0.2.1` for
/// `[192.0.2.1]`, `[2001:db8::1]` for `[IPv6:2001:db8::1]`; `None` for a name.
pub fn literal(host: &str) -> Option<String> {
    let inner = host.strip_prefix('[')?.strip_suffix(']')?;
    match inner.split_at_checked(5) {
        Some((tag, address)) if tag.eq_ignore_ascii_case("IPv6:") => Some(format!("[{address}]")),
        _ if inner.contains(':') => None,
        _ => Some(inner.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hosts(value: &str) -> Vec<&str> {
        links(value, 0..value.len()).map(|link| &value[link.host]).collect()
    }

    #[test]
    fn every_recipient() {
        for (value, expected) in [
            (
                "a@x.example,b@y.example?cc=c@z.example&body=d@no.example",
                vec!["x.example", "y.example", "z.example"],
            ),
            ("a@x.example;b@y.example", vec!["x.example", "y.example"]),
            ("a@x.example%2Cb@y.example", vec!["x.example", "y.example"]),
            ("a@host.example;transport=tcp", vec!["host.example"]),
            ("a@host.example/resource", vec!["host.example"]),
            ("?to=info%40example.com", vec!["example.com"]),
            ("a@example.com%20", vec!["example.com"]),
            ("<a@example.com>", vec!["example.com"]),
            ("b@x.example%20%3Ca@example.com%3e", vec!["example.com"]),
            ("?cc=b@x.example%20%3ca@example.com%3E", vec!["example.com"]),
            ("%3Ca@ex%C3%A0mple.com%3E", vec!["ex%C3%A0mple.com"]),
            ("a@example.com%20(at%20home)", vec!["example.com"]),
            ("\"a@b\"@example.com", vec!["example.com"]),
            ("bob@[192.0.2.1]", vec!["[192.0.2.1]"]),
            ("bob@[IPv6:2001:db8::1]?subject=x", vec!["[IPv6:2001:db8::1]"]),
            ("example.com", vec!["example.com"]),
            ("nobody", vec![]),
            ("", vec![]),
        ] {
            assert_eq!(hosts(value), expected, "{value}");
        }
    }

    #[test]
    fn literals() {
        assert_eq!(literal("[192.0.2.1]").as_deref(), Some("192.0.2.1"));
        assert_eq!(literal("[IPv6:::1]").as_deref(), Some("[::1]"));
        assert_eq!(literal("[::1]"), None);
        assert_eq!(literal("example.com"), None);
    }
}
