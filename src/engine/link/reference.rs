//! A URL in an attribute, read as browsers read it (S28, WHATWG URL §4.4).
//!
//! | WHATWG state | here |
//! | --- | --- |
//! | scheme start, scheme | `scheme` |
//! | special authority slashes, special authority ignore slashes | `authority_start` |
//! | relative, relative slash | [`parse`]: `//host`, `\\host` |
//! | authority, host, port | `authority` |
//!
//! The host stays as spelled, since its spelling is what is judged; `url` is the second witness in
//! the tests. A value without scheme that begins like a host is taken as one, as Outlook does. Below
//! a base of the same scheme `https:x` is a path to a browser; it counts as a host all the same, since
//! webmail strips `<base>`.

use std::ops::Range;

use super::{Confidence, Kind, Link};

/// What a reference leads to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// A host or a mail address.
    Link(Link),
    /// A scheme that runs code or leaves the web.
    Dangerous {
        span: Range<usize>,
        scheme: Range<usize>,
        /// The host of a UNC path or `file:` URL, when there is one.
        host: Option<Range<usize>>,
    },
}

/// Schemes that run code, read files, or hand the click to another program. Names that end in
/// `-` stand for all that begin so.
const DANGEROUS: &[&str] = &[
    "afp",
    "data",
    "file",
    "hcp",
    "help",
    "jar",
    "javascript",
    "livescript",
    "mhtml",
    "mk",
    "mocha",
    "ms-",
    "nfs",
    "onenote",
    "res",
    "search",
    "search-ms",
    "shell",
    "smb",
    "vbscript",
    "vbs",
    "view-source",
    "x-apple-",
    "zoommtg-",
];

/// Special schemes (WHATWG URL §3.1) but `file`.
const SPECIAL: &[&str] = &["ftp", "http", "https", "ws", "wss"];

/// Schemes whose path is an address (RFC 6068, RFC 3261 §19.1, RFC 5122 and their like).
const ADDRESSES: &[&str] = &["facetime", "im", "mailto", "pres", "sip", "sips", "xmpp"];

/// Whether browsers remove the character before they parse: tabs and line ends anywhere; NUL as older
/// ones. [`parse`] takes a value without them.
pub fn is_stripped(c: char) -> bool {
    matches!(c, '\t' | '\n' | '\r' | '\0')
}

/// Where the value leads; several for a `mailto:` with several addresses, none for a relative one.
pub fn parse(value: &str, range: Range<usize>) -> Vec<Target> {
    let range = trimmed(value, range);
    let text = value.get(range.clone()).unwrap_or_default();
    let Some(len) = scheme(text) else { return relative(value, range).into_iter().collect() };
    let name = text.get(..len).unwrap_or_default();
    let after = range.start + len + 1;
    if ADDRESSES.iter().any(|entry| name.eq_ignore_ascii_case(entry)) {
        return addresses(value, after..range.end).map(Target::Link).collect();
    }
    if is_dangerous(name) {
        let host = name.eq_ignore_ascii_case("file").then(|| {
            let start = after + slashes(value, after..range.end);
            let link = authority(value, start..range.end, range.clone(), Kind::Scheme);
            link.map(|link| link.host)
        });
        let scheme = range.start..range.start + len;
        return vec![Target::Dangerous { span: range, scheme, host: host.flatten() }];
    }
    let direct = authority_start(value, name, after..range.end)
        .and_then(|start| authority(value, start..range.end, range.clone(), Kind::Scheme));
    let link = direct.or_else(|| {
        // `microsoft-edge:https://…`, `x-app://?url=https://…`: the program opens what is inside.
        let inner = text.get(len + 1..)?.find("://")?;
        authority(value, after + inner + 3..range.end, range.clone(), Kind::Scheme)
    });
    link.map(Target::Link).into_iter().collect()
}

/// The scheme's length, when one stands in front.
pub fn scheme(text: &str) -> Option<usize> {
    let len = text.bytes().take(64).position(|c| c == b':')?;
    let name = text.as_bytes().get(..len)?;
    let valid = name.first()?.is_ascii_alphabetic()
        && name.iter().all(|c| c.is_ascii_alphanumeric() || matches!(c, b'+' | b'-' | b'.'));
    // `example.com:8080/x` is a host with a port to everybody but the letter of the standard.
    let port = name.contains(&b'.') && text.as_bytes().get(len + 1).is_some_and(u8::is_ascii_digit);
    (valid && !port).then_some(len)
}

fn is_dangerous(name: &str) -> bool {
    DANGEROUS.iter().any(|entry| match entry.strip_suffix('-') {
        Some(_) => name.get(..entry.len()).is_some_and(|head| head.eq_ignore_ascii_case(entry)),
        None => name.eq_ignore_ascii_case(entry),
    })
}

/// C0 controls and spaces at both ends do not count, nor quotes that are none to the standard but to
/// some clients.
fn trimmed(value: &str, range: Range<usize>) -> Range<usize> {
    let blank =
        |c: char| c <= ' ' || matches!(c, '`' | '\u{2018}' | '\u{2019}' | '\u{201C}' | '\u{201D}');
    let text = value.get(range.clone()).unwrap_or_default();
    let start = range.start + text.len() - text.trim_start_matches(blank).len();
    start..start + text.trim_matches(blank).len()
}

/// Where the authority begins behind `scheme:`, when there is one.
fn authority_start(value: &str, name: &str, rest: Range<usize>) -> Option<usize> {
    match SPECIAL.iter().any(|entry| name.eq_ignore_ascii_case(entry)) {
        true => Some(rest.start + slashes(value, rest)),
        false if value.get(rest.clone())?.starts_with("//") => Some(rest.start + 2),
        false => None,
    }
}

fn slashes(value: &str, range: Range<usize>) -> usize {
    let rest = value.as_bytes().get(range).unwrap_or_default();
    rest.iter().take_while(|c| matches!(c, b'/' | b'\\')).count()
}

/// No scheme: `//host`, `\\host`, or a host that only a mail client takes for one.
fn relative(value: &str, range: Range<usize>) -> Option<Target> {
    let text = value.get(range.clone())?;
    if text.starts_with("\\\\") {
        let start = range.start + slashes(value, range.clone());
        let host = authority(value, start..range.end, range.clone(), Kind::Scheme)?.host;
        return Some(Target::Dangerous {
            scheme: range.start..start,
            span: range,
            host: Some(host),
        });
    }
    let count = slashes(value, range.clone());
    if count >= 2 {
        let start = range.start + count;
        return authority(value, start..range.end, range, Kind::Scheme).map(Target::Link);
    }
    if count == 1 || text.starts_with(['#', '?', '.']) {
        return None;
    }
    let kind = match text.get(..4) {
        Some(www) if www.eq_ignore_ascii_case("www.") => Kind::Www,
        _ => Kind::Bare,
    };
    let link = authority(value, range.clone(), range, kind)?;
    let host = value.get(link.host.clone())?;
    let plausible = host.contains('.') && !host.contains([' ', '%', '{', '[']);
    plausible.then_some(Target::Link(link))
}

/// Userinfo, host and port from the start of `rest`, which is all that the link may reach; `None` for an
/// empty host. The root dot is none of the host.
pub fn authority(value: &str, rest: Range<usize>, span: Range<usize>, kind: Kind) -> Option<Link> {
    let text = value.get(rest.clone())?;
    let end = text.find(['/', '\\', '?', '#']).unwrap_or(text.len());
    let authority = text.get(..end)?;
    let at = authority.rfind('@');
    let host_start = at.map_or(0, |at| at + 1);
    let host = authority.get(host_start..)?;
    let colon = match host.rfind(']') {
        Some(bracket) => host.get(bracket..)?.find(':').map(|colon| bracket + colon),
        None => host.find(':'),
    };
    let host_len = colon.unwrap_or(host.len());
    let shift = |range: Range<usize>| rest.start + range.start..rest.start + range.end;
    let whole = shift(host_start..host_start + host_len);
    let spelled = value.get(whole.clone())?;
    let dots = spelled.len() - spelled.trim_end_matches('.').len();
    let host = whole.start..whole.end - usize::from(dots == 1);
    if host.is_empty() {
        return None;
    }
    Some(Link {
        inner: span.start,
        span,
        kind,
        host,
        user: at.map(|at| shift(0..at)),
        port: colon.map(|colon| shift(host_start + colon + 1..end)).filter(|port| !port.is_empty()),
        tail: rest.start + end..rest.end,
        defanged: false,
        confidence: Confidence::Sure,
    })
}

/// The addresses of a `mailto:` URL (RFC 6068 §2): before `?`, and in `to`, `cc` and `bcc`.
fn addresses(value: &str, rest: Range<usize>) -> impl Iterator<Item = Link> {
    let text = value.get(rest.clone()).unwrap_or_default();
    let mut found = Vec::new();
    let mut at = rest.start;
    for (index, field) in text.split(['?', '&']).enumerate() {
        let head = field.split_once('=').map_or(0, |(name, _)| {
            let recipient =
                ["to", "cc", "bcc"].iter().any(|field| name.eq_ignore_ascii_case(field));
            if recipient { name.len() + 1 } else { field.len() }
        });
        let skip = if index == 0 { 0 } else { head };
        let mut start = at + skip;
        for address in field.get(skip..).unwrap_or_default().split(',') {
            if index == 0 || head > 0 {
                found.extend(address_link(address, start));
            }
            start += address.len() + 1;
        }
        at += field.len() + 1;
    }
    found.into_iter()
}

fn address_link(address: &str, start: usize) -> Option<Link> {
    let (split, mark) = match (address.rfind('@'), address.rfind("%40")) {
        (Some(at), _) => (at, 1),
        (None, Some(at)) => (at, 3),
        (None, None) => return None,
    };
    // `sip:a@host;transport=tcp`, `xmpp:a@host/resource`.
    let behind = address.get(split + mark..)?;
    let len = behind.find([';', '/', ':']).unwrap_or(behind.trim_end().len());
    // `anne[@]example[.]com` leads nowhere: taken apart already.
    let bracketed = address.get(..split)?.ends_with('[') && behind.starts_with(']');
    if bracketed && !behind.get(..len)?.replace("[.]", "").contains('.') {
        return None;
    }
    let host = start + split + mark..start + split + mark + len;
    let end = host.end;
    (!host.is_empty()).then(|| Link {
        span: start..end,
        inner: start,
        kind: Kind::Email,
        host,
        user: Some(start..start + split),
        port: None,
        tail: end..end,
        defanged: false,
        confidence: Confidence::Sure,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn host(value: &str) -> String {
        let value = value.replace(is_stripped, "");
        match parse(&value, 0..value.len()).into_iter().next() {
            Some(Target::Link(link)) => value[link.host].to_owned(),
            Some(Target::Dangerous { scheme, .. }) => format!("!{}", &value[scheme]),
            None => "-".to_owned(),
        }
    }

    #[test]
    fn as_browsers_read_it() {
        for (value, expected) in [
            ("http://example.com/a", "example.com"),
            (" \u{1}https://example.com\n", "example.com"),
            ("http:example.com", "example.com"),
            ("https:\\\\example.com\\x", "example.com"),
            ("ht\ntp://exa\tmple.com", "example.com"),
            ("//example.com/x", "example.com"),
            ("/\\example.com", "example.com"),
            ("http://a@b@example.com:80/", "example.com"),
            ("http://user:p@[2001:db8::1]:8080", "[2001:db8::1]"),
            ("www.example.com/x", "www.example.com"),
            ("example.com:8080/x", "example.com"),
            ("http://example.com./", "example.com"),
            ("mailto:info@example.com?subject=x", "example.com"),
            ("mailto:?to=info%40example.com", "example.com"),
            ("JaVaScript:alert(1)", "!JaVaScript"),
            ("ms-excel:ofe|u|http://x", "!ms-excel"),
            ("\\\\server\\share", "!\\\\"),
            ("#top", "-"),
            ("/path", "-"),
            ("page.html?x", "page.html"),
            ("cid:part1@example.com", "-"),
            ("tel:+123", "-"),
            ("sip:info@example.com;transport=tcp", "example.com"),
            ("microsoft-edge:https://example.com/x", "example.com"),
            ("x-app://?url=https://example.com/x", "example.com"),
            ("`http://example.com/`", "example.com"),
            ("\u{201D}http://example.com\u{201D}", "example.com"),
            ("http:///", "-"),
        ] {
            assert_eq!(host(value), expected, "{value:?}");
        }
    }

    #[test]
    fn every_recipient_of_a_mailto() {
        let value = "mailto:a@x.example,b@y.example?cc=c@z.example&body=d@no.example";
        let hosts: Vec<&str> = parse(value, 0..value.len())
            .into_iter()
            .map(|target| match target {
                Target::Link(link) => &value[link.host],
                Target::Dangerous { .. } => "!",
            })
            .collect();
        assert_eq!(hosts, ["x.example", "y.example", "z.example"]);
    }

    #[test]
    fn the_url_crate_agrees_on_the_host() {
        for value in [
            "http://example.com",
            "https:/example.com",
            "http:\\/example.com/x@y",
            "http://a:b@c.example:1/",
            "ftp://x.example?y",
            "ws:z.example#",
            "http://[::1]/",
            "https://a%2ecom/",
            "http://a@/b",
        ] {
            let theirs =
                url::Url::parse(value).ok().and_then(|url| url.host_str().map(str::to_owned));
            let ours = Some(host(value)).filter(|host| host != "-");
            let ours = ours.map(|host| host.replace("%2e", "."));
            assert_eq!(ours, theirs, "{value}");
        }
    }
}
