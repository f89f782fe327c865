//! Names that are often visited, thousands of them; hosts that resemble one are suspect. One
//! look-up finds the candidates.
//!
//! The list (`lists/listed.txt`) has what readers know, not what deserves protection: a host whose
//! letters look like those of a listed name but are others is reported. Only letters beyond ASCII
//! count, and letters of the country of the top-level domain do not.

use std::borrow::Cow;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::OnceLock;

use super::name::BadName;
use crate::characters::cjk::is_cjk;
use crate::characters::lookalike::{Look, LookHash, likeness, name_look};
use crate::characters::looks::looks;
use crate::characters::reading::{LabelChar, Likeness};
use crate::lists::{LISTED as NAMES, lower_bound};
use crate::spelling::compared::{ComparedHost, Hit, HostLabels, tokens};
use crate::spelling::domain::{Section, suffix_labels};
use crate::spelling::form::{HostForms, Literal};
use crate::verdict::{Reason, Verdict};

/// Shortest label that is recognised under another suffix, and under the suffix of the name.
const OTHER_SUFFIX: usize = 4;
const OWN_SUFFIX: usize = 2;

/// Shortest label that may consist of twins only, and shortest piece between hyphens.
const ALL_TWINS: usize = 5;
pub(crate) const MIN_TOKEN: usize = 5;

/// Letters of a label that no word of another script resembles by chance, and of one that is
/// followed by the suffix of the name.
const LONG_LABEL: usize = 6;
const LONG_NAME: usize = 4;

/// Bad lines of a refused list that are returned at most.
const MAX_BAD_LINES: usize = 20;

/// Names that are often visited: the built-in ones, or those of an operator.
///
/// The built-in ones are read when the first host beyond ASCII is judged: reading them takes longer
/// than the rest of the start, and most messages do not need them.
#[derive(Debug)]
pub struct Known {
    looks: OnceLock<Looks>,
    len: usize,
    fingerprint: u64,
}

/// A name in ASCII form, and its registrable label in Unicode form.
#[derive(Debug)]
struct ListedName {
    name: Cow<'static, str>,
    brand: Cow<'static, str>,
}

impl Known {
    pub(super) fn builtin() -> Known {
        Known { looks: OnceLock::new(), len: 0, fingerprint: 1 }
    }

    /// Reads a list: one host name a line in any spelling, `#` begins a comment. Only the
    /// registrable domain of a host is used.
    ///
    /// # Errors
    /// The first lines that are no host below a public suffix; the whole list is refused.
    pub fn parse(text: &str) -> Result<Known, Vec<BadName>> {
        let mut names = Vec::new();
        let mut bad = Vec::new();
        let mut hasher = DefaultHasher::new();
        for (index, line) in text.lines().enumerate() {
            let spelled = line.split('#').next().unwrap_or_default().trim();
            match ListedName::read(spelled) {
                _ if spelled.is_empty() => {}
                Some(entry) => {
                    entry.name.hash(&mut hasher);
                    names.push(entry);
                }
                None if bad.len() < MAX_BAD_LINES => {
                    bad.push(BadName { line: index + 1, found: excerpt(spelled) });
                }
                None => {}
            }
        }
        if !bad.is_empty() {
            return Err(bad);
        }
        let len = names.len();
        Ok(Known { looks: OnceLock::from(Looks::new(names)), len, fingerprint: hasher.finish() })
    }

    /// Number of names of an operator's list.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether the list has no name.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Equal for lists of the same names; differs for others with a probability of 1 - 2⁻⁶⁴.
    pub(super) fn fingerprint(&self) -> u64 {
        self.fingerprint
    }

    fn looks(&self) -> &Looks {
        self.looks.get_or_init(|| {
            let entries = NAMES
                .lines()
                .map(|name| ListedName { name: name.into(), brand: brand(name).into() });
            Looks::new(entries.collect())
        })
    }

    /// Whether a label in lower-case ASCII is that of a name, under any suffix.
    pub(crate) fn has_label(&self, label: &str) -> bool {
        match self.looks.get() {
            Some(looks) => {
                looks.with(LookHash::of(label.as_bytes()).value()).any(|entry| entry.brand == label)
            }
            None => has_builtin(label),
        }
    }

    /// The names that the letters may read as, with the look of each.
    #[cfg(feature = "senders")]
    pub(crate) fn named<'k>(
        &'k self,
        letters: &crate::characters::reading::LabelChars,
    ) -> impl Iterator<Item = (&'k str, Look)> {
        let found =
            self.looks().of(letters.all()).map(|entry| (&*entry.name, Look::new(&entry.brand)));
        found.collect::<Vec<_>>().into_iter()
    }

    /// Whether the host is one of the names beyond ASCII, or below one.
    pub(crate) fn holds(&self, compared: &ComparedHost<'_>) -> bool {
        let host = HostLabels::of(compared);
        let at = host.registrable;
        let (Some(part), Some(chars)) = (compared.parts.get(at), compared.chars.get(at)) else {
            return false;
        };
        let is = |entry: &ListedName| {
            entry.name.split('.').next() == Some(&part.ascii) && host.ends_as(at, &entry.name)
        };
        !part.unicode.is_ascii() && self.looks().of(chars.all()).any(is)
    }

    /// Whether some name begins with this look; may return `true` wrongly.
    pub(crate) fn begins(&self, look: LookHash) -> bool {
        self.looks().beginnings.holds(look)
    }

    /// Whether some name has this look.
    pub(crate) fn is_look(&self, look: u64) -> bool {
        self.looks().with(look).next().is_some()
    }

    /// The name that a label of the host resembles most.
    pub(crate) fn find(&self, compared: &ComparedHost<'_>) -> Option<Hit> {
        let host = HostLabels::of(compared);
        let labels = compared.parts.iter().zip(compared.chars).enumerate();
        labels
            .take_while(|(at, _)| *at <= host.registrable)
            .filter(|(_, (part, _))| !part.unicode.is_ascii() || !part.spelling.is_ascii())
            .filter_map(|(at, (part, chars))| {
                let looks = self.looks();
                let tokens = tokens(&part.unicode, chars, MIN_TOKEN).into_iter();
                let pieces = tokens.filter_map(|token| {
                    let hit = looks.label(&host, at, token.chars);
                    // Two letters may be drawn as one (`górne` beside `gome`).
                    hit.filter(|hit| brand(&hit.target).len() >= MIN_TOKEN && !token.is_in_phrase())
                });
                let whole = looks.label(&host, at, chars.all());
                whole.into_iter().chain(pieces).max_by_key(|hit| hit.verdict)
            })
            .max_by_key(|hit| hit.verdict)
    }
}

impl ListedName {
    fn read(spelled: &str) -> Option<ListedName> {
        let form = HostForms::read(spelled);
        let mut findings =
            form.problems.iter().chain(form.parts.iter().flat_map(|part| &part.problems));
        if form.literal != Literal::Name
            || findings.any(|(_, verdict)| *verdict >= Verdict::Suspect)
        {
            return None;
        }
        let suffix = suffix_labels(&form.ascii, Section::Icann);
        let at = form.parts.len().checked_sub(suffix + 1)?;
        let labels: Vec<&str> = form.parts.get(at..)?.iter().map(|p| p.ascii.as_str()).collect();
        let brand = form.parts.get(at)?.unicode.clone();
        (labels.len() > 1)
            .then(|| ListedName { name: labels.join(".").into(), brand: brand.into() })
    }
}

/// Whether a name of the built-in list, which is sorted, has this label.
fn has_builtin(label: &str) -> bool {
    // Names whose label goes on, also with a hyphen, sort before or after those with a full stop.
    brand(lower_bound(&NAMES, &format!("{label}."))) == label
}

/// The beginning of a line, short enough for a message.
fn excerpt(line: &str) -> String {
    line.chars().take(80).collect()
}

/// The names, indexed by look.
#[derive(Debug)]
struct Looks {
    names: Vec<ListedName>,
    /// The look and index of each name, sorted.
    by_look: Vec<(u64, u32)>,
    beginnings: Beginnings,
}

/// The looks of all prefixes of names, as a set of bits that may answer `true` wrongly.
#[derive(Debug)]
struct Beginnings(Vec<u64>);

/// Bits of the set for each letter of a name.
const BITS: usize = 8;

impl Beginnings {
    /// A set for this many letters.
    fn new(letters: usize) -> Beginnings {
        let words = (letters.saturating_mul(BITS) / 64).next_power_of_two();
        Beginnings(vec![0; words])
    }

    fn place(&self, look: LookHash) -> (usize, u64) {
        let hash = look.value();
        let bit = hash ^ hash >> 32;
        let word = usize::try_from(bit / 64).unwrap_or_default() % self.0.len().max(1);
        (word, 1 << (bit % 64))
    }

    fn add(&mut self, look: LookHash) {
        let (word, bit) = self.place(look);
        if let Some(word) = self.0.get_mut(word) {
            *word |= bit;
        }
    }

    fn holds(&self, look: LookHash) -> bool {
        let (word, bit) = self.place(look);
        self.0.get(word).is_some_and(|word| word & bit != 0)
    }
}

/// The registrable label of a name of the built-in list.
fn brand(name: &str) -> &str {
    name.split_once('.').map_or(name, |(label, _)| label)
}

impl Looks {
    fn new(names: Vec<ListedName>) -> Looks {
        let letters = names.iter().map(|entry| entry.brand.len() + 1).sum();
        let mut beginnings = Beginnings::new(letters);
        let looks = (0..).zip(&names).map(|(at, entry)| {
            (name_look(&entry.brand, |beginning| beginnings.add(beginning)), at)
        });
        let mut by_look: Vec<(u64, u32)> = looks.collect();
        by_look.sort_unstable();
        Looks { names, by_look, beginnings }
    }

    /// The names with this look.
    fn with(&self, look: u64) -> impl Iterator<Item = &ListedName> {
        let first = self.by_look.partition_point(|(other, _)| *other < look);
        let found = self.by_look.get(first..).unwrap_or_default().iter().take(MAX_SAME_LOOK);
        let found = found.take_while(move |(other, _)| *other == look);
        found.filter_map(|(_, at)| self.names.get(usize::try_from(*at).ok()?))
    }

    /// The names that a label may read as.
    fn of(&self, chars: &[LabelChar]) -> impl Iterator<Item = &ListedName> {
        let found = looks(chars, |beginning| self.beginnings.holds(beginning));
        found.flat_map(|look| self.with(look))
    }

    fn label(&self, host: &HostLabels<'_>, at: usize, chars: &[LabelChar]) -> Option<Hit> {
        // Many names have the same label under different suffixes.
        let mut before: Option<(&str, Look, Option<Likeness>)> = None;
        let mut worst: Option<(&ListedName, Verdict)> = None;
        for entry in self.of(chars) {
            let known = before.take().filter(|(brand, ..)| *brand == entry.brand);
            let (_, look, how) = before.insert(known.unwrap_or_else(|| {
                let look = Look::new(&entry.brand);
                let how = likeness(chars, &look);
                (&entry.brand, look, how)
            }));
            let verdict = how.and_then(|how| judge(host, at, chars, &entry.name, look, how));
            let counts = |verdict: &Verdict| worst.is_none_or(|(_, worst)| *verdict >= worst);
            if let Some(verdict) = verdict.filter(counts) {
                worst = Some((entry, verdict));
            }
        }
        let (ListedName { name, .. }, verdict) = worst?;
        let target = name.to_string();
        Some(Hit { target, label: at, verdict, reason: Reason::TargetLookalike })
    }
}

/// Names with one look that are compared: all of the built-in list. A list with one name under
/// every suffix takes no more time.
const MAX_SAME_LOOK: usize = 256;

/// The verdict if a label of the host, or a piece of it between hyphens, resembles a name that many
/// know and that is no brand of one owner.
pub(crate) fn judge(
    host: &HostLabels<'_>,
    at: usize,
    chars: &[LabelChar],
    name: &str,
    look: &Look,
    how: Likeness,
) -> Option<Verdict> {
    // Words of Catalan are those of other languages but for the dot (`il·lusions`).
    if how < Likeness::Marks || chars.iter().any(|letter| letter.c == '·') {
        return None;
    }
    let whole = host.ends_as(at, name);
    if look.len() < if whole { OWN_SUFFIX } else { OTHER_SUFFIX } || host.has_native_letters(at) {
        return None;
    }
    let latin = chars.iter().any(|letter| letter.c.is_ascii_alphabetic());
    match how {
        // UTS #39 §4.1: every letter is a twin.
        Likeness::Foreign if !latin && look.len() >= ALL_TWINS => Some(Verdict::Unsafe),
        // The full name, every letter in its shape.
        Likeness::Alike if !latin && whole => Some(Verdict::Suspect),
        Likeness::Alike | Likeness::Rough if !latin => {
            let long = if whole { LONG_NAME } else { LONG_LABEL };
            Some(if look.len() < long { Verdict::Notice } else { Verdict::Suspect })
        }
        // A letter beside an ideograph that comes near another (`a月`).
        Likeness::Rough
            if look.len() < OTHER_SUFFIX && chars.iter().any(|letter| is_cjk(letter.c)) =>
        {
            None
        }
        _ => Some(Verdict::Suspect),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::Names;

    #[cfg(feature = "listed-names")]
    #[test]
    fn the_list_is_sound() {
        let names: Vec<&str> = NAMES.lines().collect();
        assert!((9_000..=10_000).contains(&names.len()), "{}", names.len());
        assert!(names.is_sorted());
        for name in names {
            let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
            assert!(name.bytes().all(|b| plain(b) || matches!(b, b'.' | b'-' | b'_')), "{name}");
            assert!(name.contains('.'), "{name}");
        }
    }

    /// The text is searched like the looks.
    #[cfg(feature = "listed-names")]
    #[test]
    fn labels_are_found_before_the_list_is_read() {
        let known = Known::builtin();
        let read = Known::builtin();
        read.looks();
        let names = NAMES.lines();
        for label in names.map(brand).chain(["", "-", "a", "zzzzzz", "googl", "paypa1"]) {
            let longer = format!("{label}x");
            for label in [label, &longer] {
                assert_eq!(known.has_label(label), read.has_label(label), "{label}");
            }
        }
        assert!(known.looks.get().is_none());
    }

    #[test]
    fn beginnings_are_seldom_mistaken() {
        let known = Known::builtin();
        let bits = &known.looks().beginnings.0;
        let set: u32 = bits.iter().map(|word| word.count_ones()).sum();
        let all = u32::try_from(bits.len() * 64).unwrap();
        assert!(set < all / 4, "{set} of {all} bits");
        let looks = &known.looks().by_look;
        assert!(
            looks
                .chunk_by(|(one, _), (other, _)| one == other)
                .all(|same| same.len() < MAX_SAME_LOOK)
        );
    }

    fn marked(names: &Names, host: &str) -> Option<String> {
        let none = Names::default();
        let tlds = uts58::tlds::TldTable::new(["com", "org", "de"], "");
        let context = crate::tests::context(names, &none, &tlds);
        let judgement = crate::judge(host, &context);
        judgement.target.filter(|_| judgement.verdict == Verdict::Suspect)
    }

    #[test]
    fn lists_of_an_operator_are_known() {
        let known =
            Known::parse("# ours\nwww.Gardening.example.com # shop\nmüllerei.de\n\n").unwrap();
        assert_eq!(known.len(), 2);
        let names = Names::nobody().with_known([Arc::new(known)]);
        assert_ne!(names.fingerprint(), Names::nobody().fingerprint());
        for (host, name) in [
            ("éxample.com", Some("example.com")),
            ("éxample.org", Some("example.com")),
            ("müllereì.com", Some("xn--mllerei-n2a.de")),
            ("müllerei.de", None),
            ("müllerei.org", None),
            ("example.com", None),
            ("élsewhere.com", None),
        ] {
            assert_eq!(marked(&names, host).as_deref(), name, "{host}");
        }
    }

    /// Two owners have names that differ in a mark: neither is reported, on one list or on two.
    #[test]
    fn a_name_of_the_list_is_no_mimic_of_its_neighbour() {
        let list = |text: &str| Arc::new(Known::parse(text).unwrap());
        let together = Names::nobody().with_known([list("çelebrate.com\ncelebrate.com\n")]);
        let apart = Names::nobody().with_known([list("celebrate.com\n"), list("çelebrate.com\n")]);
        for names in [&together, &apart] {
            assert_eq!(marked(names, "çelebrate.com"), None);
            assert_eq!(marked(names, "www.çelebrate.com"), None);
            assert!(marked(names, "çelebrate.org").is_some());
            assert!(marked(names, "celebrâte.com").is_some());
        }
        let mut joined = Names::nobody().with_known([list("celebrate.com\n")]);
        joined.extend(&apart);
        assert_eq!(marked(&joined, "çelebrate.com"), None, "lists of both sets count");
    }

    #[test]
    fn nonsense_is_refused_as_a_whole() {
        assert!(Known::parse("# nothing\n").unwrap().looks().by_look.is_empty());
        let bad = Known::parse("good.example\n<html>\n\nco.uk\n192.0.2.1\nfoo..bar\n").unwrap_err();
        let lines: Vec<usize> = bad.iter().map(|bad| bad.line).collect();
        assert_eq!(lines, [2, 4, 5, 6]);
        assert_eq!(
            bad.first().unwrap().to_string(),
            "line 2: expected a host name, found \"<html>\""
        );
        let many = "<\n".repeat(100);
        assert_eq!(Known::parse(&many).unwrap_err().len(), MAX_BAD_LINES);
    }
}
