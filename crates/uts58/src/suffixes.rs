//! The Public Suffix List: below which names a registry or a hoster gives names to others.
//!
//! A list is a tree of labels, read from the right, in flat arrays: a look-up takes one binary
//! search for each label and no allocation. The built-in list is packed (`packed`) and unpacked
//! once, its last labels before the others.

mod packed;

use alloc::borrow::ToOwned;
use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;
use std::sync::LazyLock;

use super::encoded::LABEL;
use packed::Levels;

/// Who runs a suffix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Section {
    /// Suffixes that registries run.
    Icann,
    /// Suffixes of hosters as well: `blogspot.com`, `github.io`.
    Private,
}

/// What the list has for the end of a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Suffix {
    /// Labels of the public suffix, at least one.
    pub labels: usize,
    /// `None` if no rule matches: then the last label counts (the list's rule `*`).
    pub section: Option<Section>,
}

/// A list; [`BUILTIN`] is part of this crate.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SuffixList {
    /// The labels of all nodes, concatenated.
    labels: String,
    /// Where the label of a node ends, relative to its block of [`BLOCK`] nodes.
    ends: Vec<u16>,
    /// Where the labels of a block begin.
    blocks: Vec<u32>,
    /// The [`head`] of each label, which distinguishes most of them.
    heads: Vec<u64>,
    /// The first child of each node, and at the end the number of nodes. Children are in the order
    /// of their parents, sorted by label. Node 0 is the root.
    children: Vec<u16>,
    /// [`RULE`] and the other flags.
    rules: Vec<u8>,
}

/// Nodes whose label ends have the same origin: 1,024 labels of 63 bytes fit in 16 bits.
const BLOCK: usize = 1_024;

/// The name is a suffix.
const RULE: u8 = 1;
/// [`RULE`] is from the private section.
const RULE_PRIVATE: u8 = 2;
/// Every name directly below it is a suffix: `*.ck`.
const WILD: u8 = 4;
const WILD_PRIVATE: u8 = 8;
/// The name is no suffix despite the wildcard: `!www.ck`.
const EXCEPTION: u8 = 16;

/// Nodes of a list at most, since they have 16 bits; the list has about 11,000.
const NODES: usize = 60_000;

/// The list as of this crate's release. Its last labels are unpacked on first use, all others when a
/// name asks for them that has more than one label of a rule: most names have not.
pub static BUILTIN: LazyLock<SuffixList> = LazyLock::new(|| unpacked(Levels::Last));

/// All of it. A node has the same number in both.
static WHOLE: LazyLock<SuffixList> = LazyLock::new(|| unpacked(Levels::All));

fn unpacked(levels: Levels) -> SuffixList {
    // A test compares the table with the list.
    packed::BUILTIN.unpack(levels).unwrap_or_default()
}

impl SuffixList {
    /// The public suffix of a name, given as lower-case labels from the right. U-labels and
    /// A-labels are both known.
    pub fn suffix<'a>(&self, from_right: impl IntoIterator<Item = &'a str>) -> Suffix {
        self.of_labels(from_right.into_iter().map(str::as_bytes))
    }

    /// The same for a name with full stops.
    pub fn of_name(&self, name: &str) -> Suffix {
        self.of_labels(name.as_bytes().rsplit(|byte| *byte == b'.'))
    }

    fn of_labels<'a>(&self, from_right: impl Iterator<Item = &'a [u8]>) -> Suffix {
        let mut best = Suffix { labels: 1, section: None };
        let (mut list, mut node) = (self, 0);
        let mut above = list.rule(node);
        for (depth, label) in (1..).zip(from_right) {
            let child = list.child(node, label);
            let rule = child.map_or(0, |child| list.rule(child));
            if rule & EXCEPTION != 0 {
                return Suffix { labels: depth - 1, section: Some(section(above & WILD_PRIVATE)) };
            }
            if above & WILD != 0 {
                best = Suffix { labels: depth, section: Some(section(above & WILD_PRIVATE)) };
            }
            if rule & RULE != 0 {
                best = Suffix { labels: depth, section: Some(section(rule & RULE_PRIVATE)) };
            }
            match child {
                // Most rules have none below them.
                Some(child) if list.is_leaf(child) => break,
                Some(child) => (list, node) = (list.whole(), child),
                None => break,
            }
            above = rule;
        }
        best
    }

    /// The last labels of all rules, each once, sorted: the top-level domains, and whatever else
    /// the list has as an end of names. U-labels and A-labels are both included.
    pub fn last_labels(&self) -> impl Iterator<Item = &str> {
        let nodes = self.first_child(0)..self.first_child(1);
        nodes.filter_map(|node| core::str::from_utf8(self.label(node)).ok())
    }

    /// Whether some rule ends with this label, in lower case, or with any label.
    pub(crate) fn has_last_label(&self, label: &str) -> bool {
        self.rule(0) & WILD != 0 || self.child(0, label.as_bytes()).is_some()
    }

    /// Whether no rule has another label before this last one.
    pub(crate) fn is_last_alone(&self, label: &str) -> bool {
        self.child(0, label.as_bytes()).is_some_and(|node| self.is_leaf(node))
    }

    /// The list with all nodes.
    fn whole(&self) -> &SuffixList {
        let nodes = self.children.last().map_or(0, |nodes| usize::from(*nodes));
        if nodes > self.rules.len() { &WHOLE } else { self }
    }

    fn rule(&self, node: usize) -> u8 {
        self.rules.get(node).copied().unwrap_or_default()
    }

    fn child(&self, node: usize, label: &[u8]) -> Option<usize> {
        let first = self.first_child(node);
        let heads = self.heads.get(first..self.first_child(node + 1))?;
        let head = head(label);
        let from = heads.partition_point(|other| *other < head);
        if heads.get(from) != Some(&head) {
            return None;
        }
        // No other label has the head of a shorter one.
        if label.len() < size_of_val(&head) {
            return Some(first + from);
        }
        let same = heads.get(from..)?.iter().take_while(|other| **other == head);
        let mut same = (first + from..).zip(same).map(|(child, _)| child);
        same.find(|child| self.label(*child) == label)
    }

    /// Whether no rule continues with another label.
    fn is_leaf(&self, node: usize) -> bool {
        self.first_child(node) >= self.first_child(node + 1) && self.rule(node) & WILD == 0
    }

    fn first_child(&self, node: usize) -> usize {
        self.children.get(node).map_or(0, |child| usize::from(*child))
    }

    fn label(&self, node: usize) -> &[u8] {
        let begins = self.blocks.get(node / BLOCK).map_or(0, |at| *at as usize);
        let end = |node: usize| self.ends.get(node).map_or(0, |end| usize::from(*end));
        let from = if node.is_multiple_of(BLOCK) { 0 } else { end(node - 1) };
        self.labels.as_bytes().get(begins + from..begins + end(node)).unwrap_or_default()
    }

    /// Adds a node with its label and the index of its first child; `None` if there are too many.
    fn push(&mut self, label: &str, first_child: usize, rule: u8) -> Option<()> {
        if self.rules.len().is_multiple_of(BLOCK) {
            self.blocks.push(u32::try_from(self.labels.len()).ok()?);
        }
        self.heads.push(head(label.as_bytes()));
        self.labels.push_str(label);
        let begins = self.blocks.last().map_or(0, |at| *at as usize);
        self.ends.push(u16::try_from(self.labels.len() - begins).ok()?);
        self.children.push(u16::try_from(first_child).ok()?);
        self.rules.push(rule);
        Some(())
    }

    /// Reads a list in the format of publicsuffix.org: one rule a line, `//` comments, and a
    /// comment that begins each section.
    ///
    /// # Errors
    ///
    /// A line that is no rule, with its number; a list without rules or with too many.
    pub fn parse(text: &str) -> Result<SuffixList, BadList> {
        let mut root = Tree::default();
        let mut section = Section::Icann;
        let mut rules = 0;
        for (line, rule) in (1..).zip(text.lines()) {
            if rule.starts_with("// ===BEGIN PRIVATE DOMAINS===") {
                section = Section::Private;
            } else if rule.starts_with("// ===BEGIN ICANN DOMAINS===") {
                section = Section::Icann;
            }
            let rule = rule.split_whitespace().next().unwrap_or_default();
            if rule.is_empty() || rule.starts_with("//") {
                continue;
            }
            root.add(rule, section).ok_or_else(|| BadList::Rule(line, rule.to_owned()))?;
            rules += 1;
        }
        if rules == 0 {
            return Err(BadList::Empty);
        }
        root.flat().ok_or(BadList::TooLong(rules))
    }
}

/// The first letters of a label as a number that sorts in the same order. A-labels differ after
/// their prefix.
fn head(label: &[u8]) -> u64 {
    match label.first_chunk() {
        Some(bytes) => u64::from_be_bytes(*bytes),
        // An empty one has no bits to shift.
        None => {
            let letters = label.iter().fold(0, |head, letter| head << 8 | u64::from(*letter));
            letters.checked_shl(64 - 8 * label.len() as u32).unwrap_or(0)
        }
    }
}

fn section(private: u8) -> Section {
    if private == 0 { Section::Icann } else { Section::Private }
}

/// Why a text is no list.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BadList {
    /// Number of the line, counted from 1, and its text.
    #[error("line {0}: expected a rule such as `co.uk`, `*.ck` or `!www.ck`, found {1:?}")]
    Rule(usize, String),
    /// No line of the text is a rule.
    #[error("expected a list of public suffixes, found no rule")]
    Empty,
    /// Number of rules in the list.
    #[error("expected a list of at most {NODES} labels, found {0} rules with more")]
    TooLong(usize),
}

/// A list while it is read.
#[derive(Default)]
struct Tree {
    rule: u8,
    below: BTreeMap<String, Tree>,
}

impl Tree {
    /// Adds a rule, and its form in A-labels; `None` if it is no rule.
    fn add(&mut self, rule: &str, section: Section) -> Option<()> {
        let private = section == Section::Private;
        let (name, flag, mark) = match (rule.strip_prefix("*."), rule.strip_prefix('!')) {
            (Some(name), _) => (name, WILD, WILD_PRIVATE),
            (_, Some(name)) => (name, EXCEPTION, 0),
            _ => (rule, RULE, RULE_PRIVATE),
        };
        let flags = flag | if private { mark } else { 0 };
        let ascii = match name.is_ascii() {
            true => None,
            false => {
                Some(idna::domain_to_ascii_cow(name.as_bytes(), idna::AsciiDenyList::URL).ok()?)
            }
        };
        for name in core::iter::once(name).chain(ascii.as_deref()) {
            let fits = |label: &str| (1..=LABEL).contains(&label.len()) && !label.contains('*');
            if !name.split('.').all(fits) {
                return None;
            }
            let node = name.rsplit('.').fold(&mut *self, |node, label| {
                node.below.entry(label.to_lowercase()).or_default()
            });
            node.rule |= flags;
        }
        Some(())
    }

    /// The tree in arrays, level by level.
    fn flat(&self) -> Option<SuffixList> {
        let mut nodes = vec![("", self)];
        let mut list = SuffixList::default();
        let mut at = 0;
        while let Some((label, tree)) = nodes.get(at).copied() {
            list.push(label, nodes.len(), tree.rule)?;
            nodes.extend(tree.below.iter().map(|(label, tree)| (label.as_str(), tree)));
            at += 1;
            if nodes.len() > NODES {
                return None;
            }
        }
        list.children.push(u16::try_from(nodes.len()).ok()?);
        Some(list)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn suffix(list: &SuffixList, name: &str) -> (usize, Option<Section>) {
        let Suffix { labels, section } = list.of_name(name);
        (labels, section)
    }

    #[test]
    fn rules_wildcards_and_exceptions() {
        let list = SuffixList::parse(
            "// ===BEGIN ICANN DOMAINS===\ncom\nck\n*.ck\n!www.ck\nуа.рф\n// ===BEGIN PRIVATE DOMAINS===\nblogspot.com\n*.x.example\n",
        )
        .unwrap();
        for (name, labels, section) in [
            ("com", 1, Some(Section::Icann)),
            ("a.b.com", 1, Some(Section::Icann)),
            ("a.blogspot.com", 2, Some(Section::Private)),
            ("a.b.ck", 2, Some(Section::Icann)),
            ("www.ck", 1, Some(Section::Icann)),
            ("a.www.ck", 1, Some(Section::Icann)),
            ("a.уа.рф", 2, Some(Section::Icann)),
            ("a.xn--80a1b.xn--p1ai", 2, Some(Section::Icann)),
            ("a.b.x.example", 3, Some(Section::Private)),
            ("x.example", 1, None),
            ("a.unknown", 1, None),
            ("", 1, None),
        ] {
            assert_eq!(suffix(&list, name), (labels, section), "{name}");
        }
        assert!(list.last_labels().eq(["ck", "com", "example", "xn--p1ai", "рф"]));
    }

    /// For every rule, as it is and with labels before it.
    #[test]
    fn a_list_that_is_unpacked_when_asked_answers_as_the_list() {
        let text = include_str!("../data/public_suffix_list.txt");
        let list = SuffixList::parse(text).unwrap();
        let rules = text.lines().filter(|line| !line.is_empty() && !line.starts_with("//"));
        for rule in rules {
            let name = rule.trim_start_matches(['*', '.', '!']).to_lowercase();
            for name in [&name, &["a.", &name].concat(), &["a.b.", &name].concat()] {
                assert_eq!(BUILTIN.of_name(name), list.of_name(name), "{name}");
            }
        }
        assert!(BUILTIN.last_labels().eq(list.last_labels()));
        assert!(BUILTIN.rules.len() < list.rules.len());
    }

    #[test]
    fn what_is_no_list_is_an_error_with_its_line() {
        assert_eq!(
            SuffixList::parse("com\n\na..b\n").unwrap_err(),
            BadList::Rule(3, "a..b".into())
        );
        assert_eq!(SuffixList::parse("a.*.b").unwrap_err(), BadList::Rule(1, "a.*.b".into()));
        assert_eq!(SuffixList::parse("// nothing\n").unwrap_err(), BadList::Empty);
        let many: String = (0..NODES).map(|n| format!("x{n}.com\n")).collect();
        assert_eq!(SuffixList::parse(&many).unwrap_err(), BadList::TooLong(NODES));
    }
}
