//! The built-in list in packed form: each label without what it shares with the previous one, and
//! for a U-label beside its A-label only the U-label.

use alloc::string::String;
use alloc::vec::Vec;

use super::SuffixList;
use crate::unicode::punycode::a_label;

/// A list in 80 KB that compress well: one label and one byte for each node, in the order of the
/// arrays.
#[derive(Clone, Copy, Debug)]
pub(super) struct Packed<'t> {
    /// The labels, each after a character that describes its form; see [`LabelReader`].
    pub(super) labels: &'t str,
    /// The nodes with children: the distance of each from the previous one, and the number of
    /// children. Numbers have one or two bytes, big-endian; if two, the top bit of the first is
    /// set.
    pub(super) families: &'t [u8],
    /// The flags of the names, one byte for each node.
    pub(super) rules: &'t [u8],
}

/// How much of a list is unpacked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Levels {
    /// The last labels, with the number of labels before each.
    Last,
    /// All of it.
    All,
}

/// The list that is built in, from `data/public_suffix_list.txt` (MPL 2.0).
pub(super) static BUILTIN: Packed<'static> = Packed {
    labels: include_str!("../../data/suffix_labels.txt"),
    families: include_bytes!("../../data/suffix_families.bin"),
    rules: include_bytes!("../../data/suffix_rules.bin"),
};

impl Packed<'_> {
    /// The list; `None` if the table is invalid.
    pub(super) fn unpack(&self, levels: Levels) -> Option<SuffixList> {
        let mut list = SuffixList::default();
        let mut families = self.families.iter().copied();
        let mut next_family = number(&mut families);
        let (mut labels, mut children) = (LabelReader::of(self.labels), 1);
        let mut end = usize::MAX;
        for (at, rule) in self.rules.iter().enumerate() {
            if at == end {
                break;
            }
            list.push(labels.next()?, children, *rule)?;
            if next_family == Some(at) {
                children += number(&mut families)?;
                next_family = number(&mut families).map(|step| at + step);
            }
            if at == 0 && levels == Levels::Last {
                end = children;
            }
        }
        list.children.push(u16::try_from(children).ok()?);
        Some(list)
    }
}

/// Precedes a U-label that is present as an A-label as well: at the place of the one that sorts
/// first.
const PAIR: char = '!';
/// The one of a pair that sorts later, at its place.
const LATER: char = '%';

/// Reads labels. A capital means how many bytes are shared with the label before, `A` none, `B`
/// one; the other bytes follow it: labels have no capitals.
struct LabelReader<'t> {
    rest: &'t str,
    spelled: String,
    label: String,
    /// The later labels of pairs, the last one first: labels with one parent, which are sorted.
    later: Vec<String>,
}

impl<'t> LabelReader<'t> {
    fn of(rest: &'t str) -> LabelReader<'t> {
        LabelReader { rest, spelled: String::new(), label: String::new(), later: Vec::new() }
    }

    /// The next label; `None` at the end or if the text is invalid.
    fn next(&mut self) -> Option<&str> {
        if let Some(rest) = self.rest.strip_prefix(LATER) {
            self.rest = rest;
            self.label = self.later.pop()?;
            return Some(&self.label);
        }
        let pair = self.rest.strip_prefix(PAIR);
        self.spell(pair.unwrap_or(self.rest))?;
        if pair.is_none() {
            return Some(&self.spelled);
        }
        let (ascii, unicode) = (a_label(&self.spelled)?, self.spelled.clone());
        let (first, later) = if ascii < unicode { (ascii, unicode) } else { (unicode, ascii) };
        let at = self.later.partition_point(|other| *other > later);
        self.later.insert(at, later);
        self.label = first;
        Some(&self.label)
    }

    fn spell(&mut self, text: &'t str) -> Option<()> {
        let (capital, after) = text.split_at_checked(1)?;
        let begins =
            |byte: u8| byte.is_ascii_uppercase() || matches!(char::from(byte), PAIR | LATER);
        let end = after.bytes().position(begins).unwrap_or(after.len());
        let (letters, rest) = after.split_at_checked(end)?;
        self.rest = rest;
        let shared = capital.bytes().next()?.saturating_sub(b'A');
        self.spelled.truncate(self.spelled.floor_char_boundary(shared.into()));
        self.spelled.push_str(letters);
        Some(())
    }
}

fn number(bytes: &mut impl Iterator<Item = u8>) -> Option<usize> {
    let first = usize::from(bytes.next()?);
    Some(if first < 0x80 { first } else { (first & 0x7f) << 8 | usize::from(bytes.next()?) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::front_coded::LAST;
    use crate::generated::checked_in;

    const LIST: &str = include_str!("../../data/public_suffix_list.txt");

    #[test]
    fn suffixes_are_those_of_the_list() {
        let list = SuffixList::parse(LIST).unwrap();
        let (labels, families, rules) = packed(&list);
        checked_in("data/suffix_labels.txt", labels.as_bytes());
        checked_in("data/suffix_families.bin", &families);
        checked_in("data/suffix_rules.bin", &rules);
        assert!(BUILTIN.unpack(Levels::All) == Some(list));
    }

    /// The fields of [`Packed`] in their order.
    fn packed(list: &SuffixList) -> (String, Vec<u8>, Vec<u8>) {
        let (mut labels, mut families) = (String::from("A"), Vec::new());
        let (mut before, mut last) = (String::new(), 0);
        for at in 0..list.rules.len() {
            let children = list.first_child(at)..list.first_child(at + 1);
            if !children.is_empty() {
                push(at - last, &mut families);
                push(children.len(), &mut families);
                last = at;
            }
            let label = |at| String::from_utf8_lossy(list.label(at)).into_owned();
            let siblings: Vec<String> = children.map(label).collect();
            family(&siblings, &mut before, &mut labels);
        }
        (labels, families, list.rules.clone())
    }

    fn family(siblings: &[String], before: &mut String, out: &mut String) {
        let mut later = Vec::new();
        for name in siblings {
            if later.contains(name) {
                out.push(LATER);
                continue;
            }
            let is_of =
                |unicode: &&String| !unicode.is_ascii() && a_label(unicode).as_ref() == Some(name);
            let unicode = siblings.iter().find(is_of).unwrap_or(name);
            let ascii = a_label(unicode).filter(|ascii| siblings.contains(ascii));
            if !unicode.is_ascii()
                && let Some(ascii) = ascii
            {
                out.push(PAIR);
                later.extend([unicode.clone(), ascii]);
            }
            let pairs = before.char_indices().zip(unicode.chars());
            let ends = pairs.map(|((at, one), other)| (at + one.len_utf8(), one == other));
            let same = ends.take_while(|(end, same)| *same && *end <= LAST);
            let shared = same.map(|(end, _)| end).last().unwrap_or_default();
            out.extend(('A'..='Z').nth(shared));
            out.push_str(&unicode[shared..]);
            before.clone_from(unicode);
        }
    }

    fn push(number: usize, out: &mut Vec<u8>) {
        let [high, low] = u16::try_from(number).unwrap_or(u16::MAX).to_be_bytes();
        if number < 0x80 {
            out.push(low);
        } else {
            out.extend([high | 0x80, low]);
        }
    }
}
