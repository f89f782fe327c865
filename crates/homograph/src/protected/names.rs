//! Sets of names: protected, blocked, allowed.

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasherDefault, DefaultHasher, Hash, Hasher};
use std::sync::Arc;
#[cfg(feature = "senders")]
use std::sync::OnceLock;

#[cfg(feature = "senders")]
use super::beyond_ascii::BeyondAscii;
#[cfg(feature = "senders")]
use super::consonants;
use super::listed::Known;
use super::name::{BadName, MIN_BRAND, Name, Reach};
use super::near::NearIndex;
use super::organisations::Organisations;
use crate::characters::bidi::{bidi_skeleton, is_bidi};
use crate::characters::lookalike::{Look, LookHash, LookHasher, name_endings, name_look};
use crate::characters::reading::LabelChars;
use crate::rows::rows;
use crate::spelling::domain::{Section, and_above, is_hosted, registrable, registry_suffix};
use crate::spelling::form::{HostForms, Literal};
use crate::verdict::Verdict;
use uts58::tlds::Fnv;

/// The names impersonated most, listed by us: see the head of the file.
const BUILTIN: &str = rows!("names.txt");

/// Estimated letters of a registrable label, slightly above the average.
const LETTERS: usize = 8;

/// Names for which capacity is reserved: a long list may turn out to need less.
const SHORT: usize = 1_024;

type Looks = BuildHasherDefault<LookHasher>;

/// Domain names, indexed by look and by suffix.
#[derive(Clone, Debug, Default)]
pub struct Names {
    names: Vec<Name>,
    exact: HashSet<Box<str>, BuildHasherDefault<Fnv>>,
    /// Names by the look of the registrable label.
    by_look: HashMap<u64, Vec<usize>, Looks>,
    /// The same for labels with hyphens, by the look without them: people write such names so.
    #[cfg(feature = "senders")]
    by_joined: HashMap<u64, Vec<usize>, Looks>,
    /// Names by what is left of the registrable label without its vowels.
    #[cfg(feature = "senders")]
    by_consonants: HashMap<u64, usize, Looks>,
    /// The looks of all prefixes of registrable labels.
    beginnings: HashSet<u64, Looks>,
    /// The looks of all their endings, computed backwards.
    endings: HashSet<u64, Looks>,
    /// The looks of the whole labels, computed backwards.
    backwards: HashSet<u64, Looks>,
    /// Right-to-left names by bidi skeleton (UTS #39 §4).
    by_bidi: HashMap<String, usize>,
    /// Brands, to find those one letter away.
    near: NearIndex,
    /// Brands with letters beyond ASCII.
    #[cfg(feature = "senders")]
    beyond_ascii: BeyondAscii,
    /// Lists of names that are not protected but often visited.
    known: Vec<Arc<Known>>,
    /// How many of the names are built in: the first ones.
    #[cfg(feature = "senders")]
    built_in: usize,
    /// Which domains have one owner.
    organisations: Option<Arc<Organisations>>,
    /// Number of labels from the registrable one on, for the name with the fewest.
    shortest_end: Option<usize>,
    /// Sum over the names, to compare sets cheaply.
    fingerprint: u64,
}

impl Names {
    /// The names impersonated most: about 500 banks, shops, mail, parcel, crypto and government
    /// names of all continents. Takes some milliseconds: build it once and share it.
    pub fn builtin() -> Names {
        let names = Names::parse(BUILTIN).0;
        Names {
            known: vec![Arc::new(Known::builtin())],
            organisations: Some(Arc::new(Organisations::builtin())),
            #[cfg(feature = "senders")]
            built_in: names.len(),
            ..names
        }
    }

    /// No names, but all that [`Names::builtin`] knows about hosts and words: which domains have
    /// one owner, where anybody can have an address, which words do not identify a sender. The base
    /// for a set that protects only names of its own.
    pub fn nobody() -> Names {
        Names { organisations: Some(Arc::new(Organisations::without_names())), ..Names::default() }
    }

    /// The organisations that are known by name and by their domains.
    pub(crate) fn organisations(&self) -> Option<&Organisations> {
        self.organisations.as_deref()
    }

    /// The lists of names that are often visited.
    pub(crate) fn known(&self) -> impl Iterator<Item = &Known> {
        self.known.iter().map(Arc::as_ref)
    }

    /// A set of these names, in any spelling. Names that are no hosts are left out.
    pub fn new<S: AsRef<str>>(names: impl IntoIterator<Item = S>) -> Names {
        let mut set = Names::default();
        for name in names {
            set.insert(name.as_ref());
        }
        set
    }

    /// A set of hosts, in lower-case ASCII form, that is only asked what it covers: to block them or to allow them.
    /// [`Names::iter`] passes over them, and nothing resembles them. A host takes some fifty bytes, a name a
    /// thousand.
    #[cfg(feature = "senders")]
    pub fn of_hosts<S: AsRef<str>>(hosts: impl IntoIterator<Item = S>) -> Names {
        let mut set = Names::default();
        for host in hosts {
            let host: Box<str> = host.as_ref().into();
            let mut hasher = DefaultHasher::new();
            (&host, false).hash(&mut hasher);
            if set.exact.insert(host) {
                set.fingerprint = set.fingerprint.wrapping_add(hasher.finish());
            }
        }
        set
    }

    /// Reads a list: one name a line, `#` begins a comment, `=name` protects only the whole name
    /// and not its label alone. Lines that are no names are returned.
    pub fn parse(text: &str) -> (Names, Vec<BadName>) {
        let mut set = Names::default();
        let mut bad = Vec::new();
        set.reserve(text.bytes().filter(|byte| *byte == b'\n').count());
        for (index, line) in text.lines().enumerate() {
            let name = line.split('#').next().unwrap_or_default().trim();
            if !name.is_empty() && !set.insert(name) {
                bad.push(BadName { line: index + 1, found: name.to_owned() });
            }
        }
        (set, bad)
    }

    /// Reserves capacity for so many names of usual length, at most for those of a short list.
    fn reserve(&mut self, names: usize) {
        let names = names.min(SHORT);
        self.names.reserve(names);
        self.exact.reserve(names);
        self.by_look.reserve(names);
        self.beginnings.reserve(names.saturating_mul(LETTERS));
        self.endings.reserve(names.saturating_mul(LETTERS));
        self.near.reserve(names.saturating_mul(LETTERS));
    }

    /// Adds the names of another set.
    pub fn extend(&mut self, other: &Names) {
        for name in &other.names {
            self.add(name.clone());
        }
        for list in &other.known {
            if self.known.iter().all(|own| own.fingerprint() != list.fingerprint()) {
                self.known.push(Arc::clone(list));
            }
        }
        if self.organisations.is_none() {
            self.organisations.clone_from(&other.organisations);
        }
    }

    /// The set extended by these names.
    #[must_use]
    pub fn extended<S: AsRef<str>>(mut self, names: impl IntoIterator<Item = S>) -> Names {
        for name in names {
            self.insert(name.as_ref());
        }
        self
    }

    /// The set extended by these lists of names, which are not protected but known to readers: a
    /// host that resembles one of them is suspect.
    #[must_use]
    pub fn with_known(mut self, lists: impl IntoIterator<Item = Arc<Known>>) -> Names {
        self.known.extend(lists);
        self
    }

    /// Whether the host (lower-case ASCII form) is one of the names or below one.
    pub fn covers(&self, ascii: &str) -> bool {
        self.covering(ascii).is_some()
    }

    /// The nearest of the names that the host is, or is below.
    pub(crate) fn covering<'h>(&self, ascii: &'h str) -> Option<&'h str> {
        if self.exact.is_empty() {
            return None;
        }
        and_above(ascii).find(|name| self.exact.contains(*name))
    }

    /// The names that are not built in: of an operator or a recipient.
    #[cfg(feature = "senders")]
    pub(crate) fn chosen(&self) -> &[Name] {
        self.names.get(self.built_in..).unwrap_or_default()
    }

    /// The chosen names with this registrable label.
    #[cfg(feature = "senders")]
    pub(crate) fn chosen_as(&self, label: &str) -> impl Iterator<Item = &Name> {
        let found = self.by_look.get(&name_look(label, |_| {})).map(Vec::as_slice);
        let chosen = found.unwrap_or_default().iter().filter(|at| **at >= self.built_in);
        let names = chosen.filter_map(|at| self.names.get(*at));
        names.filter(move |name| name.reach == Reach::Brand && name.label() == label)
    }

    /// The names beyond ASCII of which this label is the spelling in ASCII.
    #[cfg(feature = "senders")]
    pub(crate) fn written_as(&self, label: &str) -> impl Iterator<Item = &Name> {
        self.beyond_ascii.written_as(label).iter().filter_map(|at| self.names.get(*at))
    }

    /// Whether there is a name beyond ASCII.
    #[cfg(feature = "senders")]
    pub(crate) fn has_beyond_ascii(&self) -> bool {
        !self.beyond_ascii.is_empty()
    }

    /// Whether a label may begin with a name beyond ASCII, and whether it may end with one.
    #[cfg(feature = "senders")]
    pub(crate) fn edges_beyond_ascii(&self, label: &str) -> [bool; 2] {
        self.beyond_ascii.edges(label)
    }

    /// Whether there is a name that has a spelling in ASCII beside its own.
    #[cfg(feature = "senders")]
    pub(crate) fn has_written_out(&self) -> bool {
        self.beyond_ascii.has_written_out()
    }

    /// The names of which this label has the look, by characters of East Asia.
    #[cfg(feature = "senders")]
    pub(crate) fn twins(&self, label: &str) -> impl Iterator<Item = &Name> {
        self.beyond_ascii.twins(label).iter().filter_map(|at| self.names.get(*at))
    }

    /// The names beyond ASCII that this label may be one letter away from.
    #[cfg(feature = "senders")]
    pub(crate) fn near_beyond_ascii(&self, label: &str) -> impl Iterator<Item = &Name> {
        self.beyond_ascii.near(label).filter_map(|at| self.names.get(at))
    }

    /// Number of names.
    pub fn len(&self) -> usize {
        // Hosts have no other place.
        if cfg!(feature = "senders") { self.exact.len() } else { self.names.len() }
    }

    /// Whether there is no name.
    pub fn is_empty(&self) -> bool {
        if cfg!(feature = "senders") { self.exact.is_empty() } else { self.names.is_empty() }
    }

    /// The names in lower-case ASCII form, in the order in which they were added.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        self.names.iter().map(|name| name.ascii.as_ref())
    }

    /// Equal for sets of the same names; differs for others with a probability of 1 - 2⁻⁶⁴.
    pub fn fingerprint(&self) -> u64 {
        let known = self.known().fold(0, |sum: u64, known| sum.wrapping_add(known.fingerprint()));
        let tables = 2 * u64::from(self.organisations.is_some());
        self.fingerprint.wrapping_add(tables).wrapping_add(known)
    }

    /// The names whose registrable label has this look.
    #[inline]
    pub(crate) fn by_look(&self, look: u64) -> impl Iterator<Item = &Name> {
        let found = self.by_look.get(&look).map(Vec::as_slice).unwrap_or_default();
        found.iter().filter_map(|at| self.names.get(*at))
    }

    /// The names whose registrable label has hyphens, and this look without them.
    #[cfg(feature = "senders")]
    pub(crate) fn by_joined(&self, look: u64) -> impl Iterator<Item = &Name> {
        let found = self.by_joined.get(&look).map(Vec::as_slice).unwrap_or_default();
        found.iter().filter_map(|at| self.names.get(*at))
    }

    /// The name that a word is without its vowels.
    #[cfg(feature = "senders")]
    pub(crate) fn without_vowels(&self, word: &str) -> Option<&Name> {
        let look = || LookHash::of(word.as_bytes()).value();
        let at =
            consonants::lacks_vowels(word).then(|| self.by_consonants.get(&look())).flatten()?;
        let name = self.names.get(*at)?;
        (consonants::without_vowels(name.label()).as_deref() == Some(word)).then_some(name)
    }

    /// A brand that is one letter away from what the label reads as.
    pub(crate) fn near(&self, label: &LabelChars) -> Option<&Name> {
        self.near.find(label, &self.names)
    }

    /// A brand that an ASCII label is a slip of.
    pub(crate) fn slip(&self, label: &[u8]) -> Option<&Name> {
        self.near.slip(label, &self.names)
    }

    /// Whether an ASCII label may be a slip: fast, may return `true` wrongly.
    pub(crate) fn may_be_near(&self, label: &[u8]) -> bool {
        self.near.may_hold(label)
            && !self.has_label(&String::from_utf8_lossy(label).to_ascii_lowercase())
    }

    /// Whether some name of the set begins or ends like the label: fast, may return `true` wrongly.
    pub(crate) fn may_share_edge(&self, label: &[u8]) -> bool {
        self.near.may_share_edge(label)
    }

    /// Whether the label is the registrable one of a name of the set.
    pub fn has_label(&self, label: &str) -> bool {
        let mut named = self.by_look(LookHash::of(label.as_bytes()).value());
        named.any(|name| name.label() == label)
    }

    /// Whether the label is the registrable one of a name that counts by it and is no word of any other meaning.
    #[cfg(feature = "senders")]
    pub fn has_distinctive(&self, label: &str) -> bool {
        let mut named = self.by_look(name_look(label, |_| {}));
        named.any(|name| name.reach == Reach::Brand && name.label() == label && name.is_no_word())
    }

    /// The name that the host is a national site of: the same label, which is no common word, below the suffix of a
    /// country.
    pub fn national(&self, ascii: &str) -> Option<&str> {
        // Most hosts are of no country.
        let is_country = ascii.rsplit('.').next().is_some_and(|tld| tld.len() == 2);
        if !is_country {
            return None;
        }
        let (label, _) = registrable(ascii, Section::Icann)?.split_once('.')?;
        if label.len() < MIN_BRAND {
            return None;
        }
        let named = self.by_look(LookHash::of(label.as_bytes()).value());
        let mut named = named.filter(|name| name.reach == Reach::Brand);
        let name = named.find(|name| name.label() == label).filter(|_| !is_hosted(ascii))?;
        Some(&name.ascii)
    }

    /// Whether the registrable label of some name begins with this look.
    #[inline]
    pub(crate) fn begins(&self, look: LookHash) -> bool {
        self.beginnings.contains(&look.value())
    }

    /// Whether the registrable label of some name ends with this look, computed backwards.
    #[inline]
    pub(crate) fn ends(&self, look: LookHash) -> bool {
        self.endings.contains(&look.value())
    }

    /// Whether the registrable label of some name has this look.
    #[inline]
    pub(crate) fn is_look(&self, look: u64) -> bool {
        self.by_look.contains_key(&look)
    }

    /// Whether the registrable label of some name has this look, computed backwards.
    #[inline]
    pub(crate) fn is_backwards(&self, look: LookHash) -> bool {
        self.backwards.contains(&look.value())
    }

    /// Whether [`Names::by_bidi`] may find a name for a host with this label: `true` wrongly for most.
    pub(crate) fn may_be_displayed_as(&self, label: &str) -> bool {
        !self.by_bidi.is_empty() && is_bidi(label)
    }

    /// The name that is displayed like this host, if it runs from right to left.
    pub(crate) fn by_bidi(&self, unicode: &str) -> Option<&Name> {
        if self.by_bidi.is_empty() || !is_bidi(unicode) {
            return None;
        }
        let at = self.by_bidi.get(&bidi_skeleton(unicode))?;
        self.names.get(*at)
    }

    /// Number of labels from the registrable one on, for the name with the fewest.
    pub(crate) fn shortest_end(&self) -> Option<usize> {
        self.shortest_end
    }

    fn insert(&mut self, spelled: &str) -> bool {
        let (spelled, reach) = match spelled.strip_prefix('=') {
            Some(rest) => (rest.trim(), Reach::Whole),
            None => (spelled.trim().trim_start_matches("*."), Reach::Brand),
        };
        let form = HostForms::read(spelled);
        let broken = form
            .problems
            .iter()
            .chain(form.parts.iter().flat_map(|part| &part.problems))
            .any(|(_, verdict)| *verdict >= Verdict::Suspect);
        if form.ascii.is_empty() || broken {
            return false;
        }
        let labels: Vec<(Box<str>, Look)> = form
            .parts
            .iter()
            .map(|part| (part.unicode.as_str().into(), Look::new(&part.unicode)))
            .collect();
        let (suffix, listed) = registry_suffix(&form.ascii);
        // Addresses and suffixes of registries (`gov.uk`) have no brand.
        let without_names = form.literal == Literal::Address || listed;
        let brand = labels.len().saturating_sub(suffix + 1);
        self.add(Name {
            ascii: form.ascii.into(),
            brand,
            after_brand: labels.get(brand + 1).map(|(label, _)| name_look(label, |_| ())),
            labels,
            reach: if without_names { Reach::Whole } else { reach },
            #[cfg(feature = "senders")]
            no_word: OnceLock::new(),
        });
        true
    }

    fn add(&mut self, name: Name) {
        if !self.exact.insert(name.ascii.clone()) {
            return;
        }
        let at = self.names.len();
        let end = name.labels.len() - name.brand.min(name.labels.len());
        self.shortest_end = Some(self.shortest_end.map_or(end, |shortest| shortest.min(end)));
        let mut hasher = DefaultHasher::new();
        (&name.ascii, name.reach == Reach::Brand).hash(&mut hasher);
        self.fingerprint = self.fingerprint.wrapping_add(hasher.finish());
        #[cfg(feature = "senders")]
        if !name.label().is_ascii() {
            let is_new = self.chosen_as(name.label()).next().is_none();
            self.beyond_ascii.add(at, &name, is_new);
        }
        if let Some((label, _)) = name.labels.get(name.brand) {
            let beginnings = &mut self.beginnings;
            let look = name_look(label, |beginning| {
                beginnings.insert(beginning.value());
            });
            self.by_look.entry(look).or_default().push(at);
            #[cfg(feature = "senders")]
            if let Some(left) =
                consonants::without_vowels(label).filter(|_| name.reach == Reach::Brand)
            {
                self.by_consonants.entry(LookHash::of(left.as_bytes()).value()).or_insert(at);
            }
            #[cfg(feature = "senders")]
            if label.contains('-') {
                let joined = name_look(&label.replace('-', ""), |beginning| {
                    beginnings.insert(beginning.value());
                });
                self.by_joined.entry(joined).or_default().push(at);
            }
            let mut whole = None;
            name_endings(label, |ending| {
                self.endings.insert(ending.value());
                whole = Some(ending.value());
            });
            self.backwards.extend(whole);
        }
        let unicode: Vec<&str> = name.labels.iter().map(|(label, _)| label.as_ref()).collect();
        let unicode = unicode.join(".");
        if is_bidi(&unicode) {
            self.by_bidi.entry(bidi_skeleton(&unicode)).or_insert(at);
        }
        self.near.add(at, &name);
        self.names.push(name);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_have_comments_and_say_what_is_wrong() {
        let (names, bad) =
            Names::parse("# ours\nexample.com # shop\n\n=modern.example\nfoo..bar\nПример.рф\n");
        assert_eq!(
            names.iter().collect::<Vec<_>>(),
            ["example.com", "modern.example", "xn--e1afmkfd.xn--p1ai"]
        );
        assert_eq!(bad, [BadName { line: 5, found: "foo..bar".to_owned() }]);
        assert!(names.covers("a.b.example.com") && names.covers("example.com"));
        assert!(!names.covers("notexample.com") && !names.covers("com"));
    }

    #[cfg(feature = "senders")]
    #[test]
    fn hosts_cover_as_names_do() {
        let hosts = ["example.com", "192.0.2.7", "[2001:db8::1]", "example.com"];
        let (hosts, names) = (Names::of_hosts(hosts), Names::new(hosts));
        assert_eq!((hosts.len(), hosts.is_empty()), (3, false));
        assert!(Names::of_hosts([""; 0]).is_empty());
        for (host, covered) in [
            ("example.com", true),
            ("a.b.example.com", true),
            ("badexample.com", false),
            ("com", false),
            ("192.0.2.7", true),
            ("192.0.2.70", false),
            ("[2001:db8::1]", true),
            ("[2001:db8::10]", false),
        ] {
            assert_eq!(hosts.covers(host), covered, "{host}");
            assert_eq!(names.covers(host), covered, "{host}");
        }
        assert_ne!(hosts.fingerprint(), Names::of_hosts(["example.com"]).fingerprint());
    }

    #[test]
    fn the_builtin_list_is_sound() {
        let (names, bad) = Names::parse(BUILTIN);
        assert_eq!(bad, []);
        assert!((430..=560).contains(&names.len()), "{}", names.len());
        let mut sorted: Vec<_> = names.iter().collect();
        sorted.sort_unstable();
        sorted.dedup();
        assert_eq!(sorted.len(), BUILTIN.lines().count());
    }
}
