//! Lists besides the global ones: those of the rules for a message, and third-party lists of bad names.
//!
//! They are long and many: an [`EntryHashes`] keeps eight bytes of a name and finds it by binary search.

use core::net::Ipv6Addr;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use homograph::{Known, Names, and_above};

use crate::outcome::Verdict;

/// An entry of a list. Hosts are in lower-case ASCII form.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Entry<'a> {
    /// This host and all below it.
    Below(&'a str),
    /// This host alone.
    Host(&'a str),
    /// A URL, spelled by [`url`].
    Url(&'a str),
    /// An exception from the same list: this host and all below it.
    ExceptBelow(&'a str),
    /// An exception for this host alone.
    ExceptHost(&'a str),
}

/// A URL in the form of lists: `host/path?query`, without scheme, default port and fragment. The host is in lower-case
/// ASCII form, an IPv6 address with or without its brackets. `tail` begins with `/`, `\`, `?` or `#`, or is empty.
pub fn url(host: &str, port: &str, tail: &str) -> String {
    let bare = host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host);
    let mut url = match bare.parse::<Ipv6Addr>() {
        Ok(address) => format!("[{address}]"),
        Err(_) => host.to_owned(),
    };
    let digits = port.trim_start_matches('0');
    if !matches!(digits, "" | "80" | "443") {
        url.push(':');
        url.push_str(digits);
    }
    let tail = tail.split('#').next().unwrap_or_default();
    let path = tail.split('?').next().unwrap_or_default();
    if !path.starts_with(['/', '\\']) {
        url.push('/');
    }
    // Browsers take `\` for `/`.
    url.extend(path.chars().map(|char| if char == '\\' { '/' } else { char }));
    url.push_str(tail.get(path.len()..).unwrap_or_default());
    url
}

/// Entries by their hashes. A lookup in a table of a million is wrong with a probability of 2⁻⁴⁴.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EntryHashes {
    /// Sorted.
    hashes: Box<[u64]>,
    urls: bool,
    exceptions: bool,
}

/// Builds an [`EntryHashes`].
#[derive(Clone, Debug, Default)]
pub struct TableBuilder {
    hashes: Vec<u64>,
    urls: bool,
    exceptions: bool,
}

/// A third-party list.
#[derive(Clone, Debug)]
pub struct Listing {
    /// Its key in the configuration: `feeds.NAME`, `blocklists.NAME`.
    pub name: String,
    /// The verdict on its entries.
    pub verdict: Verdict,
    /// Its entries, as hashes.
    pub table: Arc<EntryHashes>,
    /// For a list of well-known names, those names: its entries are not bad, and its table is empty.
    pub known: Option<Arc<Known>>,
}

impl Listing {
    /// The number of entries.
    pub fn len(&self) -> usize {
        self.known.as_ref().map_or(self.table.len(), |known| known.len())
    }

    /// Whether the list has no entry.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// Lists for one message besides the global names.
#[derive(Clone, Debug, Default)]
pub struct Lists {
    /// Names protected in addition.
    pub protected: Vec<Arc<Names>>,
    /// Hosts that are unsafe because one of these tables has them.
    pub blocked: Vec<Arc<EntryHashes>>,
    /// Hosts that are never edited because all of these tables have them; none without a table.
    pub allowed: Vec<Arc<EntryHashes>>,
    /// The operator's own domains, to which third-party lists of hosts do not apply.
    pub own: Arc<EntryHashes>,
    /// Third-party lists. What they have of hosts does not apply to those that are protected, allowed or the operator's
    /// own ([`Policy::is_above_listings`](super::Policy::is_above_listings)).
    pub listings: Arc<Vec<Arc<Listing>>>,
}

fn hash(entry: Entry<'_>) -> u64 {
    let mut hasher = DefaultHasher::new();
    entry.hash(&mut hasher);
    hasher.finish()
}

impl TableBuilder {
    /// Adds an entry. Adding it twice changes nothing.
    pub fn push(&mut self, entry: Entry<'_>) {
        self.urls |= matches!(entry, Entry::Url(_));
        self.exceptions |= matches!(entry, Entry::ExceptBelow(_) | Entry::ExceptHost(_));
        self.hashes.push(hash(entry));
    }

    /// Entries so far; one that was added twice counts twice.
    pub fn len(&self) -> usize {
        self.hashes.len()
    }

    /// Whether nothing has been added yet.
    pub fn is_empty(&self) -> bool {
        self.hashes.is_empty()
    }

    /// Removes duplicates.
    pub fn dedup(&mut self) {
        self.hashes.sort_unstable();
        self.hashes.dedup();
    }

    /// The table of what was added, each entry once.
    pub fn finish(mut self) -> EntryHashes {
        self.dedup();
        let TableBuilder { hashes, urls, exceptions } = self;
        EntryHashes { hashes: hashes.into_boxed_slice(), urls, exceptions }
    }
}

impl EntryHashes {
    /// Names, each with all below it.
    pub fn of_names<S: AsRef<str>>(names: impl IntoIterator<Item = S>) -> EntryHashes {
        let mut table = TableBuilder::default();
        for name in names {
            table.push(Entry::Below(name.as_ref()));
        }
        table.finish()
    }

    /// Different entries in the table.
    pub fn len(&self) -> usize {
        self.hashes.len()
    }

    /// Whether the table has no entry: then it covers no host.
    pub fn is_empty(&self) -> bool {
        self.hashes.is_empty()
    }

    /// Whether the host (lower-case ASCII form) or a name above it is listed. The entry of the longer name counts, and
    /// of entries of the same name the exception.
    pub fn covers(&self, ascii: &str) -> bool {
        if self.is_empty() || ascii.is_empty() {
            return false;
        }
        if let Some(listed) = self.is_listed(Entry::ExceptHost(ascii), Entry::Host(ascii)) {
            return listed;
        }
        let of_name = |name| self.is_listed(Entry::ExceptBelow(name), Entry::Below(name));
        and_above(ascii).find_map(of_name).unwrap_or(false)
    }

    fn is_listed(&self, exception: Entry<'_>, entry: Entry<'_>) -> Option<bool> {
        if self.exceptions && self.has(exception) {
            return Some(false);
        }
        self.has(entry).then_some(true)
    }

    /// Whether the URL is listed; its pieces as for [`url`].
    pub fn has_url(&self, host: &str, port: &str, tail: &str) -> bool {
        self.urls && self.has(Entry::Url(&url(host, port, tail)))
    }

    fn has(&self, entry: Entry<'_>) -> bool {
        self.hashes.binary_search(&hash(entry)).is_ok()
    }
}

impl Lists {
    /// Whether rules allow the host.
    pub fn allow(&self, ascii: &str) -> bool {
        !self.allowed.is_empty() && self.allowed.iter().all(|table| table.covers(ascii))
    }

    /// Whether rules block the host.
    pub fn block(&self, ascii: &str) -> bool {
        self.blocked.iter().any(|table| table.covers(ascii))
    }

    /// The third-party lists that name the host.
    pub fn of_host(&self, ascii: &str) -> impl Iterator<Item = &Listing> {
        self.listings.iter().map(Arc::as_ref).filter(move |listing| listing.table.covers(ascii))
    }

    /// The third-party lists that name the URL, without entries for its host.
    pub fn of_url(&self, host: &str, port: &str, tail: &str) -> impl Iterator<Item = &Listing> {
        let has = move |listing: &&Listing| listing.table.has_url(host, port, tail);
        self.listings.iter().map(Arc::as_ref).filter(has)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_cover_the_hosts_that_they_say() {
        let mut table = TableBuilder::default();
        table.push(Entry::Below("example.com"));
        table.push(Entry::Host("www.example.org"));
        table.push(Entry::Url("example.net/a?b=c"));
        table.push(Entry::Url("example.net:8080/"));
        let table = table.finish();
        for (host, listed) in [
            ("example.com", true),
            ("a.b.example.com", true),
            ("badexample.com", false),
            ("com", false),
            ("www.example.org", true),
            ("a.www.example.org", false),
            ("example.org", false),
            ("example.net", false),
            ("", false),
        ] {
            assert_eq!(table.covers(host), listed, "{host}");
        }
        for (host, port, tail, listed) in [
            ("example.net", "", "/a?b=c", true),
            ("example.net", "443", "/a?b=c#d", true),
            ("example.net", "0080", "\\a?b=c", true),
            ("example.net", "", "/a", false),
            ("example.net", "8080", "", true),
            ("example.net", "8080", "#x", true),
            ("example.net", "", "", false),
        ] {
            assert_eq!(table.has_url(host, port, tail), listed, "{host}:{port}{tail}");
        }
    }

    #[test]
    fn exceptions_cover_the_hosts_that_they_say() {
        let mut table = TableBuilder::default();
        table.push(Entry::Below("example.com"));
        table.push(Entry::ExceptHost("fine.example.com"));
        table.push(Entry::ExceptBelow("good.example.com"));
        table.push(Entry::Host("bad.good.example.com"));
        let table = table.finish();
        for (host, listed) in [
            ("a.example.com", true),
            ("fine.example.com", false),
            ("a.fine.example.com", true),
            ("good.example.com", false),
            ("a.good.example.com", false),
            ("bad.good.example.com", true),
        ] {
            assert_eq!(table.covers(host), listed, "{host}");
        }
    }

    #[test]
    fn a_url_has_one_spelling() {
        for (host, port, tail, expected) in [
            ("example.com", "", "", "example.com/"),
            ("example.com", "0443", "?a\\b#c", "example.com/?a\\b"),
            ("example.com", "08080", "\\a\\b?c", "example.com:8080/a/b?c"),
            ("[2001:DB8:0::1]", "80", "/x", "[2001:db8::1]/x"),
            ("2001:db8::1", "81", "/x", "[2001:db8::1]:81/x"),
        ] {
            assert_eq!(url(host, port, tail), expected);
        }
    }

    #[test]
    fn a_host_is_allowed_if_all_tables_allow_it() {
        let table = |names: &[&str]| Arc::new(EntryHashes::of_names(names));
        let lists = |allowed| Lists { allowed, ..Lists::default() };
        let (one, other) = (table(&["a.example", "b.example"]), table(&["b.example"]));
        assert!(!lists(Vec::new()).allow("b.example"));
        assert!(lists(vec![Arc::clone(&one)]).allow("a.example"));
        let both = lists(vec![one, other]);
        assert!(both.allow("x.b.example") && !both.allow("a.example"));
    }

    #[test]
    fn a_million_names_take_eight_megabytes() {
        let table = EntryHashes::of_names((0..1_000_000).map(|n| format!("name{n}.example")));
        assert_eq!(table.len(), 1_000_000, "no two have the same hash");
        assert_eq!(std::mem::size_of_val(&*table.hashes), 8_000_000);
        assert!(table.covers("x.name999999.example") && !table.covers("name1000000.example"));
    }
}
