//! What the packages for other languages say of a text, in values that any language has: offsets in the
//! units of its strings, and words.

#[cfg(feature = "judge")]
mod judged;
mod tld_table;

use std::sync::LazyLock;

use uts58::front_coded;
use uts58::tlds::TldTable;
use uts58::{Kind, Link, Linkifier, Links, html};

#[cfg(feature = "judge")]
pub use judged::{BUILTIN, Judged, Names, check, judged_linkify, judged_links, with_known};

/// The top-level domains of the day that the package `tld` was made.
static TLDS: LazyLock<TldTable> = LazyLock::new(|| TldTable::new(names(), tld_table::VERSION));

#[cfg(not(feature = "judge"))]
fn names() -> impl Iterator<Item = String> {
    front_coded::words(tld_table::NAMES)
}

/// Whoever judges has the list of public suffixes, whose last labels are the same but for a few.
#[cfg(feature = "judge")]
fn names() -> Vec<String> {
    let suffixes = uts58::suffixes::BUILTIN.last_labels();
    let mut names: Vec<String> =
        suffixes.filter(|name| name.is_ascii()).map(str::to_owned).collect();
    for one in front_coded::words(tld_table::IN_ONE_LIST) {
        match names.iter().position(|name| *name == one) {
            Some(at) => {
                names.swap_remove(at);
            }
            None => names.push(one),
        }
    }
    names
}

/// What the strings of a language count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// UTF-16 code units: JavaScript.
    Utf16,
    /// Code points: Python.
    CodePoint,
}

/// A link of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// Where it begins, in units of the language.
    pub start: usize,
    /// Where it ends.
    pub end: usize,
    /// `scheme`, `www`, `bare` or `email`.
    pub kind: &'static str,
    /// The scheme as spelled, with its colon; empty where none is spelled, but `mailto:` for addresses.
    pub schema: String,
    /// The host as spelled.
    pub host: String,
    /// The host in A-label form; `None` if it has none.
    pub ascii: Option<String>,
    /// The host in U-label form; `None` if it has none.
    pub unicode: Option<String>,
    /// The URL, ASCII only, whether an anchor is made or not; `None` if the host has no ASCII form.
    pub href: Option<String>,
    /// Whether `linkify` makes an anchor of it.
    pub linked: bool,
}

/// Which links of a text are asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Take {
    /// All of them.
    All,
    /// The first, of a text that begins with a link. Whoever goes through a text asks for it at each scheme, with
    /// all that follows: of which no more is read than the link.
    AtStart,
}

/// Steps in which the link is found that a text begins with: a scheme and the local part of an address
/// (RFC 5321 §4.5.3.1.1) are shorter.
const START_STEPS: u64 = 1024;

impl Take {
    fn steps(self) -> u64 {
        match self {
            Take::All => u64::MAX,
            Take::AtStart => START_STEPS,
        }
    }
}

/// The links of a text, in order, as a reader sees them: linear in the text.
pub fn links(text: &str, unit: Unit, take: Take) -> Vec<Found> {
    let mut counter = Counter::new(text, unit);
    let mut links = search(text, take);
    let found = |link: Link| counter.found(&link, link.anchor(text, &*TLDS).is_some());
    match take {
        Take::All => links.map(found).collect(),
        Take::AtStart => links.next().into_iter().map(found).collect(),
    }
}

fn search(text: &str, take: Take) -> Links<'_> {
    Linkifier::new(&*TLDS).at_most(take.steps()).links(text)
}

/// The text as HTML with anchors, nothing judged.
pub fn linkify(text: &str) -> String {
    html::linkify(text, &*TLDS)
}

/// Whether the text may hold a link at all: no, if it has no character that all of them have one of.
pub fn pretest(text: &str) -> bool {
    text.contains(|c| matches!(c, ':' | '@') || uts58::unicode::DOTS.contains(&c))
}

/// Whether [`links`] finds one of which `linkify` makes an anchor.
pub fn test(text: &str) -> bool {
    Linkifier::new(&*TLDS).links(text).any(|link| link.anchor(text, &*TLDS).is_some())
}

/// Counts the units before each link: in order, so that the text is walked once.
struct Counter<'t> {
    text: &'t str,
    unit: Unit,
    /// Bytes counted, and the units that they are.
    at: (usize, usize),
}

impl<'t> Counter<'t> {
    fn new(text: &'t str, unit: Unit) -> Counter<'t> {
        Counter { text, unit, at: (0, 0) }
    }

    /// The units before a byte, which lies behind all those asked for before.
    fn units(&mut self, byte: usize) -> usize {
        let piece = self.text.get(self.at.0..byte).unwrap_or_default();
        let more = match self.unit {
            Unit::Utf16 => piece.encode_utf16().count(),
            Unit::CodePoint => piece.chars().count(),
        };
        self.at = (byte, self.at.1 + more);
        self.at.1
    }

    fn found(&mut self, link: &Link, linked: bool) -> Found {
        let text = self.text;
        let spelled = text.get(link.inner..link.span.end).unwrap_or_default();
        let schema = match link.kind {
            Kind::Scheme => spelled.find(':').and_then(|colon| spelled.get(..=colon)),
            Kind::Email => Some("mailto:"),
            Kind::Www | Kind::Bare => None,
        };
        Found {
            start: self.units(link.inner),
            end: self.units(link.span.end),
            kind: kind(link.kind),
            schema: schema.unwrap_or_default().to_owned(),
            host: text
                .get(link.inner.max(link.host.start)..link.host.end)
                .unwrap_or_default()
                .to_owned(),
            ascii: link.ascii_host(text),
            unicode: link.unicode_host(text),
            href: link.href(text),
            linked,
        }
    }
}

fn kind(kind: Kind) -> &'static str {
    match kind {
        Kind::Scheme => "scheme",
        Kind::Www => "www",
        Kind::Bare => "bare",
        Kind::Email => "email",
    }
}

#[cfg(test)]
#[allow(clippy::disallowed_methods)] // the table is a file
mod tests {
    use std::collections::BTreeSet;
    use std::path::Path;

    use super::*;

    /// The table is the list of the package `tld`, packed: what that one compiles in is three times the size.
    #[test]
    fn tlds_are_those_of_the_package() {
        let lock = include_str!("../../Cargo.lock");
        let (_, behind) = lock.split_once("name = \"tld\"\nversion = \"").unwrap();
        let (version, _) = behind.split_once('"').unwrap();
        let names: BTreeSet<&str> = tld::TLD.iter().copied().collect();
        let suffixes = uts58::suffixes::BUILTIN.last_labels();
        let suffixes: BTreeSet<&str> = suffixes.filter(|name| name.is_ascii()).collect();
        let fresh = format!(
            "{HEAD}\npub(super) static VERSION: &str = \"tld {version}\";\n\n\
             /// The names.\n#[cfg(not(feature = \"judge\"))]\npub(super) static NAMES: &str = {:?};\n\n\
             /// What only one has of this list and the last labels of the public suffixes.\n\
             #[cfg(feature = \"judge\")]\npub(super) static IN_ONE_LIST: &str = {:?};\n",
            front_coded::pack(names.iter().copied()),
            front_coded::pack(names.symmetric_difference(&suffixes).copied()),
        );
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/tld_table.rs");
        if std::env::var_os("UPDATE").is_some() {
            std::fs::write(&path, fresh).unwrap();
            return;
        }
        let old = std::fs::read_to_string(&path).unwrap();
        assert!(old == fresh, "stale: UPDATE=1 cargo test -p bindings-core tlds_are_those");
        assert!(TLDS.sorted().into_iter().eq(names));
    }

    const HEAD: &str = "\
// Generated by `UPDATE=1 cargo test -p bindings-core tlds_are_those` from the package `tld` (IANA's list); not
// for editing.
";

    fn spans(text: &str, unit: Unit) -> Vec<(usize, usize)> {
        links(text, unit, Take::All).iter().map(|link| (link.start, link.end)).collect()
    }

    #[test]
    fn offsets_are_in_units_of_the_language() {
        let text = "👉👉example.com 日本語 ftp://例え.com/𠀋";
        assert_eq!(spans(text, Unit::Utf16), [(4, 15), (20, 35)]);
        assert_eq!(spans(text, Unit::CodePoint), [(2, 13), (18, 32)]);
    }

    #[test]
    fn whatever_has_a_link_passes_the_pretest() {
        for text in ["a。com", "a．com", "a｡com", "me@example.com", "http://[::1]/", "example.com"]
        {
            assert!(pretest(text), "{text}");
        }
        assert!(!pretest("no link at all / here") && !pretest(""));
    }

    #[test]
    fn the_link_at_the_start_is_the_first_of_all() {
        let local = "a.".repeat(31) + "b";
        for text in [
            "http://example.com/(x http://example.org",
            "http://example.com,http://example.org",
            &format!("mailto:{local}@example.com"),
            "x://y http://example.com",
            &format!("x://y {:2000} http://example.com", ""),
            "",
        ] {
            let all = links(text, Unit::Utf16, Take::All);
            let at_start = links(text, Unit::Utf16, Take::AtStart);
            let first = |found: &[Found]| found.first().filter(|link| link.start == 0).cloned();
            assert_eq!(first(&at_start), first(&all), "{text}");
            assert!(at_start.len() < 2, "{text}");
        }
    }

    #[test]
    fn no_more_is_read_than_the_link_at_the_start() {
        for piece in
            ["http://example.com/ ", "http://example.com,", "(http://example.com/)", "x://y "]
        {
            let read = |count: usize| {
                let text = piece.repeat(count);
                let mut links = search(&text, Take::AtStart);
                _ = links.next();
                links.steps()
            };
            assert_eq!(read(1_000), read(20_000), "{piece}");
        }
    }

    #[test]
    fn what_a_schema_is() {
        let found = links(
            "HTTP://example.com www.example.com me@example.com mailto:me@example.com",
            Unit::Utf16,
            Take::All,
        );
        let schemas: Vec<&str> = found.iter().map(|link| link.schema.as_str()).collect();
        assert_eq!(schemas, ["HTTP:", "", "mailto:", "mailto:"]);
    }

    #[test]
    fn what_is_tested_is_what_is_linked() {
        for text in
            ["helpers.py", "http://example.invalid", "see example.com", "hxxp://example[.]com"]
        {
            let linked = links(text, Unit::Utf16, Take::All).iter().any(|link| link.linked);
            assert_eq!((test(text), linkify(text).contains("<a ")), (linked, linked), "{text}");
        }
    }
}
