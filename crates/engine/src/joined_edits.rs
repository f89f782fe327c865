//! Joins edits of links without a finding that stand close together. The text between two of them is shorter than what
//! a second edit takes in memory, so it is written again and they become one edit.

use std::borrow::Cow;

use super::budget::Budget;
use super::policy::{Banner, Policy};
use mailsplice::mime::{Charset, Reading, Transfer};
use mailsplice::span::TextEdit;

/// Maximum bytes between two edits that are written again to join them.
pub const JOINED_GAP: usize = 64;

/// An edit that writes more bytes than this is not extended: its replacement would have long lines that no line end
/// may break.
pub const JOINED_BYTES: usize = 512;

/// Joins edits of one reading of a part.
#[derive(Clone, Copy, Debug)]
pub struct EditJoiner<'a> {
    text: &'a str,
    /// Whether the charset can encode every character of the text.
    encodes_all: bool,
    /// Whether a line end of the text is also one in the raw bytes, or is encoded and in none of their lines.
    line_ends: bool,
    /// Whether a banner may be inserted.
    has_banner: bool,
    expansion: Expansion,
}

/// How many raw bytes text takes that is written into a reading, in thirds.
#[derive(Clone, Copy, Debug)]
pub struct Expansion {
    /// Thirds of a raw byte for each byte of ASCII text.
    thirds: usize,
    /// Bytes of UTF-8 of a character that may be one raw byte.
    narrow: usize,
    /// Whether the text is the raw bytes.
    is_plain: bool,
}

impl Expansion {
    pub fn of(reading: &Reading<'_>) -> Expansion {
        let unit = reading.charset.ascii_bytes();
        let thirds = match reading.transfer.is_base64() {
            true => 4,
            // All of the text becomes base64 with the edit: this pays for what stands beside it as well.
            false if unit > 1 => 5,
            false => 3,
        };
        let is_utf8 = reading.charset == Charset::Utf8;
        Expansion {
            thirds: unit * thirds,
            narrow: if is_utf8 { 1 } else { 2 },
            is_plain: is_utf8 && reading.transfer == Transfer::Identity,
        }
    }

    fn raw(self, text: usize) -> usize {
        text * self.thirds / 3
    }

    /// Bytes of memory that so many bytes of text take while they become raw bytes.
    pub fn memory(self, text: usize) -> usize {
        text + if self.is_plain { 0 } else { self.raw(text) }
    }

    /// The same of each of these edits.
    pub fn memory_of(self, edits: &[TextEdit]) -> impl Iterator<Item = usize> {
        edits.iter().map(move |edit| self.memory(edit.replacement.len()))
    }

    /// By how many bytes an edit makes the raw bytes longer, at most.
    pub fn growth(self, edit: &TextEdit) -> usize {
        self.raw(edit.replacement.len()).saturating_sub(edit.range.len() / self.narrow)
    }
}

/// Whether edits of a text come in the order of their positions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// They do, each once.
    Ascending,
    /// The text between two of them may be edited later, if it can hold a link.
    Unknown,
}

impl<'a> EditJoiner<'a> {
    /// For one reading. `is_alone` says that no other part shares its bytes.
    pub fn new(reading: &'a Reading<'_>, is_alone: bool, policy: &Policy) -> EditJoiner<'a> {
        let plain = reading.transfer == Transfer::Identity || reading.transfer.is_base64();
        EditJoiner {
            text: reading.text.as_str(),
            encodes_all: reading.charset == Charset::Utf8,
            line_ends: plain && is_alone,
            has_banner: policy.banner != Banner::default(),
            expansion: Expansion::of(reading),
        }
    }

    /// Joins the edits of one link that are in one line.
    pub fn join(self, edits: &mut Vec<TextEdit>) {
        edits.sort_by_key(|edit| (edit.range.start, edit.range.end));
        edits.dedup_by(|next, last| {
            let of_line = |gap: &&str| !gap.contains(['\r', '\n']);
            let gap = self.gap(last, next).filter(of_line);
            gap.map(|gap| append(last, gap, next)).is_some()
        });
    }

    /// Adds an edit to those of links without a finding, joined to the last one if `near` says their order. False if
    /// there is no space for it.
    pub fn add(
        self,
        edits: &mut Vec<TextEdit>,
        edit: TextEdit,
        near: Option<Order>,
        budget: &mut Budget<'_>,
    ) -> bool {
        if !budget.reserve_growth(self.expansion.growth(&edit)) {
            return false;
        }
        let last = edits.last_mut().filter(|last| last.replacement.len() < JOINED_BYTES);
        if let (Some(last), Some(order)) = (last, near)
            && let Some(gap) = self.gap(last, &edit).filter(|gap| self.may_rewrite(gap, order))
        {
            let written = self.expansion.memory(gap.len() + edit.replacement.len());
            let fits = budget.reserve_edit_bytes(written);
            if fits {
                append(last, gap, &edit);
            }
            return fits;
        }
        let fits = budget.reserve_edit(self.expansion.memory(edit.replacement.len()));
        if fits {
            if let Some(Cow::Owned(text)) = edits.last_mut().map(|last| &mut last.replacement) {
                text.shrink_to_fit();
            }
            edits.push(edit);
        }
        fits
    }

    /// The text between two edits, if it is short and can be encoded.
    fn gap(self, last: &TextEdit, next: &TextEdit) -> Option<&'a str> {
        let gap = self.text.get(last.range.end..next.range.start)?;
        (gap.len() <= JOINED_GAP && (self.encodes_all || gap.is_ascii())).then_some(gap)
    }

    /// Whether no other edit can fall into this text: it holds no line end that the encoding must handle, and no sign
    /// that every link has.
    fn may_rewrite(self, gap: &str, order: Order) -> bool {
        let sign =
            |c: char| !c.is_ascii() || ".:@&%=\\".contains(c) || (self.has_banner && c == '<');
        (self.line_ends || !gap.contains(['\r', '\n']))
            && (order == Order::Ascending || !gap.contains(sign))
    }
}

fn append(last: &mut TextEdit, gap: &str, edit: &TextEdit) {
    let text = last.replacement.to_mut();
    text.push_str(gap);
    text.push_str(&edit.replacement);
    last.range.end = edit.range.end;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::Policy;

    const TEXT: &str =
        "http://a.com/ http://b.com/\r\nand\r\nhttp://c.com/ http://d.com/ http://e.com/";

    fn joiner(line_ends: bool) -> EditJoiner<'static> {
        let expansion = Expansion { thirds: 3, narrow: 1, is_plain: true };
        EditJoiner { text: TEXT, encodes_all: false, line_ends, has_banner: false, expansion }
    }

    /// Edits of the hosts with these letters.
    fn hosts(joiner: EditJoiner<'_>, letters: &str, near: Option<Order>) -> Vec<(usize, String)> {
        let mut budget = Budget::new(&Policy::default(), TEXT.len(), None);
        let mut edits = Vec::new();
        for letter in letters.chars() {
            let at = TEXT.find(&format!("{letter}.com")).unwrap();
            let replacement = letter.to_uppercase().to_string().into();
            let edit = TextEdit { range: at..at + 1, replacement };
            assert!(joiner.add(&mut edits, edit, near, &mut budget));
        }
        edits.into_iter().map(|edit| (edit.range.start, edit.replacement.into_owned())).collect()
    }

    #[test]
    fn near_edits_are_joined() {
        let sure = Some(Order::Ascending);
        let all = [(7, "A.com/ http://B.com/\r\nand\r\nhttp://C".to_owned())];
        assert_eq!(hosts(joiner(true), "abc", sure), all);
        assert_eq!(hosts(joiner(false), "abc", sure).len(), 2, "a line of an encoding ends");
        assert_eq!(hosts(joiner(true), "abc", None).len(), 3);
        assert_eq!(
            hosts(joiner(true), "abc", Some(Order::Unknown)).len(),
            3,
            "a link may be there"
        );
        assert_eq!(hosts(joiner(true), "bca", sure).len(), 2, "not in order");
    }

    #[test]
    fn edits_are_joined_up_to_a_length() {
        let budget = &mut Budget::new(&Policy::default(), 0, None);
        let text = "ab".repeat(JOINED_BYTES);
        let joiner = EditJoiner { text: &text, ..joiner(true) };
        let mut edits = Vec::new();
        for at in (0..text.len()).step_by(2) {
            let edit = TextEdit { range: at..at + 1, replacement: "A".into() };
            assert!(joiner.add(&mut edits, edit, Some(Order::Unknown), budget));
        }
        assert_eq!(edits.len(), 2);
        assert!(edits.iter().all(|edit| edit.replacement.len() <= JOINED_BYTES + 1));
    }

    #[test]
    fn edits_without_space_are_left_out() {
        let budget = &mut Budget::new(&Policy::default(), 0, None);
        let mut edits = Vec::new();
        let mut count = 0;
        let mut add = |near| {
            // No growth: only its memory counts.
            let edit = TextEdit { range: 0..1 << 20, replacement: "x".repeat(1 << 20).into() };
            count += 1;
            joiner(true).add(&mut edits, edit, near, budget)
        };
        while add(None) {}
        assert_eq!((count, edits.len()), (5, 4));
    }
}
