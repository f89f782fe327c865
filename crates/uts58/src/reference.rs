//! A URL in an attribute, read as browsers read it (S28, WHATWG URL §4.4).
//!
//! | WHATWG state | here |
//! | --- | --- |
//! | scheme start, scheme | [`scheme()`], the table of `scheme` |
//! | special authority slashes, special authority ignore slashes | [`parse`] |
//! | relative, relative slash | [`parse`]: `//host`, `\\host` |
//! | authority, host, port | [`authority`] |
//!
//! The host stays as spelled, because its spelling is judged; the tests compare with `url`. A value
//! without a scheme that begins like a host is taken as one, as Outlook does. With a base URL of
//! the same scheme, `https:x` is a path to a browser; it still counts as a host, because webmail
//! strips `<base>`.

use core::ops::Range;

use super::authority::begins_with_www;
use super::scheme::{self, Does};
use super::{Confidence, Kind, Link, ipv4, mailto, percent};
use crate::unicode::is_dot_to_somebody;

/// What a reference leads to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// A host or a mail address.
    Link(Link),
    /// A scheme that runs code or leaves the web.
    Dangerous {
        /// Bytes of the value from the scheme to the end.
        span: Range<usize>,
        /// Bytes of the scheme, without its colon.
        scheme: Range<usize>,
        /// The host of a UNC path or `file:` URL, if there is one.
        host: Option<Range<usize>>,
    },
}

/// Whether browsers remove the character before parsing: tabs and line ends anywhere; NUL in older
/// ones. [`parse`] expects a value without them.
pub fn is_stripped(c: char) -> bool {
    matches!(c, '\t' | '\n' | '\r' | '\0')
}

/// What the value leads to: several targets for a `mailto:` with several addresses, none for a
/// relative URL.
pub fn parse(value: &str, range: Range<usize>) -> impl Iterator<Item = Target> {
    let range = trimmed(value, range);
    let text = value.get(range.clone()).unwrap_or_default();
    let scheme = scheme(text).map(|len| (len, text.get(..len).and_then(scheme::does)));
    let (one, addresses) = match scheme {
        None => (relative(value, range), None),
        Some((len, Some(Does::Address))) => {
            let inside = Some(text).filter(|text| has_url_in_fields(text));
            let inside = inside.and_then(|text| program_with_url(text, range.clone(), len));
            let addresses = mailto::links(value, range.start + len + 1..range.end);
            (inside.map(Target::Link), Some(addresses))
        }
        Some(scheme) => (absolute(value, range, scheme), None),
    };
    one.into_iter().chain(addresses.into_iter().flatten().map(Target::Link))
}

/// A URL with a scheme of `len` bytes, and what that does.
fn absolute(
    value: &str,
    range: Range<usize>,
    (len, does): (usize, Option<Does>),
) -> Option<Target> {
    let text = value.get(range.clone())?;
    let after = range.start + len + 1;
    let after_slashes = after + slashes(value, after..range.end);
    let with_authority = || authority(value, after_slashes..range.end, range.clone(), Kind::Scheme);
    let direct = match does {
        Some(Does::Message) => return None,
        Some(Does::Dangerous) => return Some(dangerous(range, len, None)),
        Some(Does::Share) => return Some(dangerous(range.clone(), len, with_authority())),
        Some(Does::Web | Does::Socket) => with_authority(),
        _ if after_slashes >= after + 2
            && begins_with_url(value.get(after_slashes..range.end)?) =>
        {
            return Some(Target::Link(program(range, len)));
        }
        _ if after_slashes >= after + 2 => with_authority().filter(|link| !is_command(value, link)),
        _ => None,
    };
    let link = direct.or_else(|| {
        // `microsoft-edge:https://…`, `x-app://?url=https://…`: the program opens the inner URL.
        let inner = text.get(after_slashes - range.start..)?.find("://")?;
        authority(value, after_slashes + inner + 3..range.end, range.clone(), Kind::Scheme)
    });
    link.or_else(|| program_with_url(text, range, len)).map(Target::Link)
}

/// Whether the host is really a command of a program that opens the URL after it:
/// `app://open?url=https://…`, `app://openurl/https://…`. Text to send (`?text=https://…`) is not
/// opened.
fn is_command(value: &str, link: &Link) -> bool {
    if !may_be_command(link.host_str(value)) {
        return false;
    }
    let tail = value.get(link.tail.clone()).unwrap_or_default();
    let Some(before) = tail.find("://").and_then(|colon| tail.get(..colon)) else { return false };
    let before = before.trim_end_matches(|c: char| c.is_ascii_alphanumeric());
    let named = |name: &str| ["url", "uri", "link"].iter().any(|end| scheme::ends_with(name, end));
    before.ends_with('/') || before.strip_suffix('=').is_some_and(named)
}

/// Whether the text in the place of a host may be a command of a program, since no server has such a name: `send`.
pub fn may_be_command(host: &str) -> bool {
    host.is_ascii() && !host.contains(['.', '[', '%']) && !ipv4::is_number(host)
}

/// `mailto:a@example.com?body=https%3A%2F%2F…`: whether text for the reader contains a URL.
fn has_url_in_fields(text: &str) -> bool {
    text.split_once('?').is_some_and(|(_, fields)| {
        fields.contains('%') && percent::decode_text(fields).contains("://")
    })
}

/// `app:?url=https%3A%2F%2F…`: the program may open the inner URL. Its scheme is the host
/// ([`Link::is_for_program`]), and everything after the colon is the tail.
fn program_with_url(text: &str, span: Range<usize>, scheme: usize) -> Option<Link> {
    // A colon, encoded once or repeatedly: `%3A`, `%253a`, `%25253a`.
    let colon = |at: usize| text.get(at..at + 2).is_some_and(|hex| hex.eq_ignore_ascii_case("3a"));
    let inside =
        text.get(scheme..)?.match_indices(['%', '5']).any(|(at, _)| colon(scheme + at + 1));
    inside.then(|| program(span, scheme))
}

/// Whether the text in the place of an authority is, or contains, the scheme of a URL, encoded or
/// not: `app://url=https://…`.
fn begins_with_url(text: &str) -> bool {
    let end = text.find(['/', '\\', '?', '#']).unwrap_or(text.len());
    let (authority, rest) = text.split_at(end);
    let name = authority.strip_suffix(':').filter(|_| rest.starts_with(['/', '\\']));
    let is_scheme = |name: &str| scheme::linked_at_end(name).is_some();
    let decoded = || percent::decode_text(authority);
    let holds =
        |text: &str| text.match_indices("://").any(|(at, _)| text.get(..at).is_some_and(is_scheme));
    name.is_some_and(is_scheme) || authority.contains('%') && holds(&decoded())
}

/// A link that calls a program.
fn program(span: Range<usize>, scheme: usize) -> Link {
    Link {
        inner: span.start,
        kind: Kind::Scheme,
        host: span.start..span.start + scheme,
        user: None,
        port: None,
        tail: span.start + scheme + 1..span.end,
        span,
        defanged: false,
        confidence: Confidence::Sure,
    }
}

/// A URL with a dangerous scheme of `scheme` bytes.
fn dangerous(span: Range<usize>, scheme: usize, server: Option<Link>) -> Target {
    let scheme = span.start..span.start + scheme;
    Target::Dangerous { span, scheme, host: server.map(|link| link.host) }
}

/// Bytes in which the colon of a scheme is searched for.
const LONGEST_SCHEME: usize = 64;

/// The length of the scheme, if the text begins with one.
pub fn scheme(text: &str) -> Option<usize> {
    let belongs = |c: &u8| c.is_ascii_alphanumeric() || matches!(c, b'+' | b'-' | b'.');
    let len = text.bytes().take(LONGEST_SCHEME).take_while(belongs).count();
    let (name, rest) = text.as_bytes().split_at_checked(len)?;
    let valid = name.first()?.is_ascii_alphabetic() && len < LONGEST_SCHEME;
    // `example.com:8080/x` is a host with a port for all clients, though not strictly by the
    // standard.
    let port = || name.contains(&b'.') && rest.get(1).is_some_and(u8::is_ascii_digit);
    (valid && rest.first() == Some(&b':') && !port()).then_some(len)
}

/// Skips C0 controls and spaces at both ends, and quotes, which only some clients skip.
fn trimmed(value: &str, range: Range<usize>) -> Range<usize> {
    let blank =
        |c: char| c <= ' ' || matches!(c, '`' | '\u{2018}' | '\u{2019}' | '\u{201C}' | '\u{201D}');
    let text = value.get(range.clone()).unwrap_or_default();
    let start = range.start + text.len() - text.trim_start_matches(blank).len();
    start..start + text.trim_matches(blank).len()
}

fn slashes(value: &str, range: Range<usize>) -> usize {
    let rest = value.as_bytes().get(range).unwrap_or_default();
    rest.iter().take_while(|c| matches!(c, b'/' | b'\\')).count()
}

/// No scheme: `//host`, `\\\\host`, or a host or address that only a mail client accepts.
fn relative(value: &str, range: Range<usize>) -> Option<Target> {
    let text = value.get(range.clone())?;
    let count = slashes(value, range.clone());
    if count >= 2 {
        let start = range.start + count;
        let link = authority(value, start..range.end, range.clone(), Kind::Scheme)?;
        return Some(match text.starts_with("\\\\") {
            true => dangerous(range, count, Some(link)),
            false => Target::Link(link),
        });
    }
    if count == 1 || text.starts_with(['#', '?']) {
        return None;
    }
    bare_address(value, range.clone()).or_else(|| bare_host(value, range)).map(Target::Link)
}

/// An address, if it is all of the value.
fn bare_address(value: &str, range: Range<usize>) -> Option<Link> {
    let link = mailto::address(value, range.clone())?;
    let host = value.get(link.host.clone())?;
    let local = value.get(link.user.clone()?)?;
    let whole =
        link.span == range && !local.contains([':', '\\']) && host.contains(is_dot_to_somebody);
    whole.then_some(link)
}

/// A host as Outlook accepts it: `example.com`, `.example.com`, `example.com {x}`.
fn bare_host(value: &str, range: Range<usize>) -> Option<Link> {
    let text = value.get(range.clone())?;
    let name = text.trim_start_matches('.');
    if name.len() < text.len() && !name.starts_with(|c: char| c.is_alphanumeric() || c == '_') {
        return None;
    }
    let start = range.start + text.len() - name.len();
    let kind = if begins_with_www(name) { Kind::Www } else { Kind::Bare };
    let mut link = authority(value, start..range.end, range, kind)?;
    let host = value.get(link.host.clone())?;
    // `example.com%20x` ends there, `%65xample.com` goes on.
    let ends = |at: &usize| match host.as_bytes().get(*at..) {
        Some([b' ' | b'{' | b'[', ..]) => true,
        Some(rest @ [b'%', ..]) => !percent::escape_at(rest).is_some_and(|byte| {
            !byte.is_ascii() || byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.')
        }),
        _ => false,
    };
    let plain = (0..host.len()).find(ends).and_then(|end| host.get(..end)).unwrap_or(host);
    link.host.end = link.host.start + plain.len();
    let name = percent::decode_text(plain);
    name.trim_matches(is_dot_to_somebody).contains(is_dot_to_somebody).then_some(link)
}

/// The host after an `@` in a path segment that begins with a backslash (`\\x@host`): clients that
/// take the backslash for userinfo go there.
pub fn after_backslash(tail: &str) -> Option<&str> {
    let segment = tail.split(['/', '?', '#']).next()?;
    let at = segment.rfind('@').filter(|_| segment.starts_with('\\'))?;
    let rest = at + 1..segment.len();
    let link = authority(segment, rest.clone(), rest, Kind::Scheme)?;
    segment.get(link.host)
}

/// The positions of the signs in an authority.
struct Signs {
    /// The last `@`.
    at: Option<usize>,
    /// The first colon after that, and after the last bracket of an address.
    colon: Option<usize>,
    /// Where a path, query or fragment begins.
    end: usize,
}

impl Signs {
    /// The signs of the authority at the start of a text, in one pass.
    fn of(text: &[u8]) -> Signs {
        let mut signs = Signs { at: None, colon: None, end: text.len() };
        for (place, byte) in text.iter().enumerate() {
            match byte {
                b'/' | b'\\' | b'?' | b'#' => {
                    signs.end = place;
                    break;
                }
                b'@' => (signs.at, signs.colon) = (Some(place), None),
                b']' => signs.colon = None,
                b':' => signs.colon = signs.colon.or(Some(place)),
                _ => {}
            }
        }
        signs
    }
}

/// Userinfo, host and port at the start of `rest`, which is all that the link may span; `None` for
/// an empty host. The root dot is not part of the host.
pub fn authority(value: &str, rest: Range<usize>, span: Range<usize>, kind: Kind) -> Option<Link> {
    let signs = Signs::of(value.get(rest.clone())?.as_bytes());
    let end = signs.end;
    let host_start = signs.at.map_or(0, |at| at + 1);
    let host_end = signs.colon.unwrap_or(end);
    let shift = |range: Range<usize>| rest.start + range.start..rest.start + range.end;
    let whole = shift(host_start..host_end);
    let spelled = value.get(whole.clone())?;
    let root = spelled.strip_suffix(is_dot_to_somebody);
    let named = root.filter(|name| !name.ends_with(is_dot_to_somebody)).unwrap_or(spelled);
    let host = whole.start..whole.start + named.len();
    if host.is_empty() {
        return None;
    }
    Some(Link {
        inner: span.start,
        span,
        kind,
        host,
        user: signs.at.map(|at| shift(0..at)),
        port: signs.colon.map(|colon| shift(colon + 1..end)).filter(|port| !port.is_empty()),
        tail: rest.start + end..rest.end,
        defanged: false,
        confidence: Confidence::Sure,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn host(value: &str) -> String {
        let value = value.replace(is_stripped, "");
        match parse(&value, 0..value.len()).next() {
            Some(Target::Link(link)) => value[link.host].to_owned(),
            Some(Target::Dangerous { scheme, .. }) => format!("!{}", &value[scheme]),
            None => "-".to_owned(),
        }
    }

    #[test]
    fn a_reference_has_the_href_that_a_browser_goes_to() {
        for (value, expected) in [
            ("//example.com/ü", Some("http://example.com/%C3%BC")),
            ("\\\\u:p@例え.com", None),
            ("//u:p@例え.com:80", Some("http://xn--r8jz45g.com:80")),
            ("//example.com:٨٠", None),
            ("HTTPS:example.com", Some("https://example.com")),
            ("www.example.com", Some("http://www.example.com")),
            ("mailto:info@example.com", Some("mailto:info@example.com")),
            ("app:?url=https%3A%2F%2Fexample.com", None),
        ] {
            let link = parse(value, 0..value.len()).find_map(|target| match target {
                Target::Link(link) => Some(link),
                Target::Dangerous { .. } => None,
            });
            let href = link.and_then(|link| link.href(value));
            assert_eq!(href.as_deref(), expected, "{value}");
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
            ("www.%D1%80%D0%B0ypal.com/x", "www.%D1%80%D0%B0ypal.com"),
            ("xn%2D%2Dypal-43d9g.com", "xn%2D%2Dypal-43d9g.com"),
            ("example%2Ecom/x", "example%2Ecom"),
            ("example.com%20x", "example.com"),
            ("my%20file.pdf", "-"),
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
            ("x-app:?url=https%3A%2F%2Fexample.com", "x-app"),
            ("x-app:open/https%253a%252F%252Fexample.com", "x-app"),
            ("x-app://url=https://example.com/x", "x-app"),
            ("x-app://https://example.com", "x-app"),
            ("x-app://url=https%3A%2F%2Fexample.com", "x-app"),
            ("x-app://example.com://", "example.com"),
            ("x-app://open-url?url=https://example.com/x", "example.com"),
            ("x-app://openurl/https://example.com/x", "example.com"),
            ("x-app://open?url=https%3A%2F%2Fexample.com", "open"),
            ("x-app://send?text=https://example.com", "send"),
            ("x-app://open", "open"),
            ("x-app://2130706433?url=https://example.com", "2130706433"),
            ("intent://example.com#Intent;S.url=https://example.org;end", "example.com"),
            ("tel:%2B123", "-"),
            ("`http://example.com/`", "example.com"),
            ("\u{201D}http://example.com\u{201D}", "example.com"),
            ("http:///", "-"),
            ("user@example.com", "example.com"),
            ("a/b=c@example.com", "example.com"),
            ("/a@example.com", "-"),
            (".example.com", "example.com"),
            ("./example.com", "-"),
            ("../a.b", "-"),
            ("zoommtg://example.com/join", "!zoommtg"),
            ("ldap://example.com/", "!ldap"),
            ("http://example。com。/", "example。com"),
            ("https://example.com\\@example.org", "example.com"),
        ] {
            assert_eq!(host(value), expected, "{value:?}");
        }
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
