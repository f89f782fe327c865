//! Registrable domains (Public Suffix List). S9: hosts are compared with the private section as
//! well; judged only with the ICANN section, which registries run.

#[cfg(feature = "senders")]
use std::cell::OnceCell;

use uts58::suffixes::{BUILTIN, Suffix};

pub use uts58::suffixes::Section;

/// A label that is in no suffix list.
const UNLISTED: &str = "0";

/// The registrable domain of a host in lower-case ASCII form: the public suffix and one label.
/// `None` for addresses and for public suffixes themselves.
pub fn registrable(ascii: &str, section: Section) -> Option<&str> {
    if is_address(ascii) {
        return None;
    }
    below_suffix(ascii, suffix_labels(ascii, section))
}

fn is_address(ascii: &str) -> bool {
    matches!(ascii.as_bytes().last(), Some(b']' | b'0'..=b'9'))
}

/// The last labels of a name: a suffix of so many, and the one in front.
fn below_suffix(ascii: &str, labels: usize) -> Option<&str> {
    // Labels are short: a loop is faster than a search.
    let mut dots = ascii.bytes().enumerate().rev().filter(|(_, byte)| *byte == b'.');
    let _ = dots.nth(labels - 1)?;
    let first = dots.next().map_or(0, |(at, _)| at + 1);
    ascii.get(first..).filter(|name| !name.starts_with('.'))
}

/// What of a host was registered, which is asked for again and again.
#[cfg(feature = "senders")]
#[derive(Debug)]
pub(crate) struct Registered<'h> {
    /// The host in lower-case ASCII form.
    pub ascii: &'h str,
    /// The domain by each section of the list, that of ICANN first.
    domains: OnceCell<[Option<&'h str>; 2]>,
}

#[cfg(feature = "senders")]
impl<'h> Registered<'h> {
    pub(crate) fn of(ascii: &'h str) -> Registered<'h> {
        Registered { ascii, domains: OnceCell::new() }
    }

    /// The domain that was registered, as [`registrable`] says.
    pub(crate) fn domain(&self, section: Section) -> Option<&'h str> {
        let [icann, private] = *self.domains.get_or_init(|| self.domains());
        match section {
            Section::Icann => icann,
            Section::Private => private,
        }
    }

    fn domains(&self) -> [Option<&'h str>; 2] {
        if is_address(self.ascii) {
            return [None; 2];
        }
        let suffix = BUILTIN.of_name(self.ascii);
        let private = below_suffix(self.ascii, suffix.labels);
        match suffix.section {
            // Most hosts are below no other.
            Some(Section::Private) => [registrable(self.ascii, Section::Icann), private],
            _ => [private; 2],
        }
    }
}

/// Whether two names of several labels have the last one in common, as names of one domain do.
#[cfg(feature = "senders")]
pub fn end_alike(one: &str, other: &str) -> bool {
    let mut ends =
        one.bytes().rev().zip(other.bytes().rev()).take_while(|(one, other)| one == other);
    ends.any(|(byte, _)| byte == b'.')
}

/// The name itself and the names above it, nearest first: `a.b.c`, `b.c`, `c`.
pub fn and_above(name: &str) -> impl Iterator<Item = &str> {
    // Labels are short: a loop is faster than a search.
    std::iter::successors(Some(name), |name| {
        let dot = name.bytes().position(|byte| byte == b'.')?;
        name.get(dot + 1..)
    })
}

/// The labels of a name, the last one first.
#[cfg(feature = "senders")]
pub(crate) fn from_end(name: &str) -> impl Iterator<Item = &str> {
    let mut rest = Some(name);
    std::iter::from_fn(move || {
        let name = rest.take()?;
        // Labels are short: a loop is faster than a search.
        let Some(dot) = name.bytes().rposition(|byte| byte == b'.') else { return Some(name) };
        rest = name.get(..dot);
        name.get(dot + 1..)
    })
}

/// Number of labels of the host's public suffix, at least one.
pub(crate) fn suffix_labels(ascii: &str, section: Section) -> usize {
    let mut name = ascii;
    loop {
        let suffix = BUILTIN.of_name(name);
        if section == Section::Private || suffix.section != Some(Section::Private) {
            return suffix.labels;
        }
        // A private suffix is below an ICANN one: look again without its first label.
        let below = suffix.labels.checked_sub(2).and_then(|at| name.rmatch_indices('.').nth(at));
        let Some((dot, _)) = below else { return suffix.labels };
        name = name.get(dot + 1..).unwrap_or_default();
    }
}

/// Hosters that put customers' names before a zone (`example.z13.web.core.windows.net`) and are not
/// in the suffix list.
const ZONE_HOSTERS: [&str; 2] = ["cloudapp.azure.com", "web.core.windows.net"];

/// Whether the host is one that a hoster gave to a customer.
pub(crate) fn is_hosted(ascii: &str) -> bool {
    let SuffixLengths { icann, hosted, .. } = SuffixLengths::of(ascii);
    ascii.split('.').count() > hosted && hosted > icann
}

/// How many labels at the end of a host somebody other than its owner chose.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SuffixLengths {
    /// Labels of the ICANN suffix, at least one.
    pub icann: usize,
    /// Labels after the one that the customer of a registry or a hoster chose.
    pub hosted: usize,
    /// Labels of a suffix that the list names; 0 if it does not know the top-level domain. Labels
    /// that only match a wildcard (`*.mm`) are not counted.
    pub registry: usize,
}

impl SuffixLengths {
    /// Of a host in lower-case ASCII form.
    pub(crate) fn of(ascii: &str) -> SuffixLengths {
        let Suffix { labels, section } = BUILTIN.of_name(ascii);
        let private = section == Some(Section::Private);
        let is_zone = |zone: &&&str| is_or_below(ascii, zone);
        let zoned = || ZONE_HOSTERS.iter().find(is_zone);
        let of_zone = |zone: &&str| zone.split('.').count() + 1;
        SuffixLengths {
            icann: if private { suffix_labels(ascii, Section::Icann) } else { labels },
            hosted: zoned().map_or(labels, of_zone),
            registry: section.map_or(0, |_| labels - usize::from(is_by_wildcard(ascii, labels))),
        }
    }
}

/// Whether the name is this one or below it, both in lower case.
pub fn is_or_below(name: &str, above: &str) -> bool {
    name.strip_suffix(above).is_some_and(|front| front.is_empty() || front.ends_with('.'))
}

/// Whether the suffix of so many labels comes from a wildcard: any other first label would be a
/// suffix as well.
fn is_by_wildcard(ascii: &str, labels: usize) -> bool {
    let Some(below) = labels.checked_sub(1).filter(|below| *below > 0) else { return false };
    let other = ascii.rsplit('.').take(below).chain([UNLISTED]);
    BUILTIN.suffix(other).labels == labels
}

/// Number of labels of the ICANN suffix, at least one, and whether the host, in lower-case ASCII
/// form, is nothing but a suffix of the list.
pub(crate) fn registry_suffix(ascii: &str) -> (usize, bool) {
    let Suffix { labels, section } = BUILTIN.of_name(ascii);
    let listed = section.is_some() && labels == ascii.split('.').count();
    let private = section == Some(Section::Private);
    (if private { suffix_labels(ascii, Section::Icann) } else { labels }, listed)
}

/// Whether the top-level domain is never in the DNS (S25; RFC 6761 and its registry).
pub fn is_special_use(tld: &str) -> bool {
    matches!(
        tld,
        "alt"
            | "arpa"
            | "example"
            | "internal"
            | "invalid"
            | "local"
            | "localhost"
            | "onion"
            | "test"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_stands_above_a_name() {
        assert_eq!(and_above("a.b.c").collect::<Vec<_>>(), ["a.b.c", "b.c", "c"]);
        assert_eq!(and_above("").collect::<Vec<_>>(), [""]);
    }

    #[cfg(feature = "senders")]
    #[test]
    fn names_of_one_domain_end_alike() {
        for (one, other, do_so) in [
            ("a.example.com", "example.com", true),
            ("a.com", "b.com", true),
            ("a.com", "a.xcom", false),
            ("com", "com", false),
            ("a.com", "", false),
        ] {
            assert_eq!(end_alike(one, other), do_so, "{one} {other}");
        }
    }

    #[test]
    fn sections_differ() {
        assert_eq!(registrable("a.b.blogspot.com", Section::Private), Some("b.blogspot.com"));
        assert_eq!(registrable("a.b.blogspot.com", Section::Icann), Some("blogspot.com"));
        assert_eq!(registrable("www.amazon.co.uk", Section::Icann), Some("amazon.co.uk"));
        assert_eq!(registrable("co.uk", Section::Icann), None);
        assert_eq!(registrable("com", Section::Icann), None);
        assert_eq!(registrable("192.0.2.1", Section::Icann), None);
        assert_eq!(registrable("x.xn--55qx5d.cn", Section::Icann), Some("x.xn--55qx5d.cn"));
    }

    #[test]
    fn hosts_of_hosters() {
        for (host, is) in [
            ("x.github.io", true),
            ("github.io", false),
            ("x.z13.web.core.windows.net", true),
            ("x.blob.core.windows.net", true),
            ("x.westeurope.cloudapp.azure.com", true),
            ("login.windows.net", false),
            ("www.example.co.uk", false),
        ] {
            assert_eq!(is_hosted(host), is, "{host}");
        }
    }

    #[test]
    fn registries_own_names() {
        assert_eq!(SuffixLengths::of("x.co.uk").registry, 2);
        assert_eq!(SuffixLengths::of("x.xn--55qx5d.cn").registry, 2);
        assert_eq!(SuffixLengths::of("xn--x.mm").registry, 1);
        assert_eq!(SuffixLengths::of("a.xn--x.mm").registry, 1);
        assert_eq!(SuffixLengths::of("a.x.unknown").registry, 0);
        for (name, labels, listed) in [
            ("xn--55qx5d.cn", 2, true),
            ("github.io", 1, true),
            ("example.com", 1, false),
            ("unknown", 1, false),
        ] {
            assert_eq!(registry_suffix(name), (labels, listed), "{name}");
        }
    }
}
