//! Edits of links of which nothing else is kept. In a text that is dense with such links what stands between two
//! of them is less than what it takes to remember where an edit stands: it is written once more, and they are one.

use super::budget::Budget;
use super::policy::{Banner, Policy};
use mailsplice::mime::{Charset, Reading, Transfer};
use mailsplice::span::TextEdit;

/// Bytes between two edits that are written once more, so that they are one.
pub const BETWEEN: usize = 64;

/// Bytes that one edit writes and more are added to: what is longer has lines that no line end may break.
pub const TOGETHER: usize = 512;

/// What may stand between two edits that become one.
#[derive(Clone, Copy, Debug)]
pub struct Between<'a> {
    text: &'a str,
    /// Whether the charset takes back whatever the text has.
    any_letter: bool,
    /// Whether a line end is one in the raw bytes, or stands in none of their lines.
    line_ends: bool,
    /// Whether something may be written on top of what a page shows.
    top: bool,
}

/// Whether edits of a text come in the order of their places.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// They do, each once.
    Sure,
    /// What stands between two of them may be edited later, if it can hold a link.
    Open,
}

impl<'a> Between<'a> {
    /// Of one reading; `alone`: no other part has its bytes.
    pub fn of(reading: &'a Reading<'_>, alone: bool, policy: &Policy) -> Between<'a> {
        let plain = matches!(
            reading.transfer,
            Transfer::Identity
                | Transfer::Base64
                | Transfer::Base64Quanta
                | Transfer::Base64Skipping
                | Transfer::Base64Unpadded
        );
        Between {
            text: reading.text.as_str(),
            any_letter: reading.charset == Charset::Utf8,
            line_ends: plain && alone,
            top: policy.banner != Banner::default(),
        }
    }

    /// The edits of one link as one, with what stands between them in its line.
    pub fn joined(self, mut edits: Vec<TextEdit>) -> Vec<TextEdit> {
        edits.sort_by_key(|edit| (edit.range.start, edit.range.end));
        let mut all: Vec<TextEdit> = Vec::with_capacity(1);
        for edit in edits {
            let of_line = |gap: &&str| !gap.contains(['\r', '\n']);
            let gap = all.last().and_then(|last| self.gap(last, &edit)).filter(of_line);
            match (all.last_mut(), gap) {
                (Some(last), Some(gap)) => write(last, gap, &edit),
                _ => all.push(edit),
            }
        }
        all
    }

    /// Adds an edit to those of further links, as one with the last where `near`; whether there was room.
    pub fn add(
        self,
        edits: &mut Vec<TextEdit>,
        edit: TextEdit,
        near: Option<Order>,
        budget: &mut Budget<'_>,
    ) -> bool {
        let last = edits.last_mut().filter(|last| last.replacement.len() < TOGETHER);
        if let (Some(last), Some(order)) = (last, near)
            && let Some(gap) = self.gap(last, &edit).filter(|gap| self.may_go(gap, order))
        {
            let fits = budget.reserve_edit_bytes(gap.len() + edit.replacement.len());
            if fits {
                write(last, gap, &edit);
            }
            return fits;
        }
        let fits = budget.reserve_edit(edit.replacement.len());
        if fits {
            if let Some(last) = edits.last_mut() {
                last.replacement.shrink_to_fit();
            }
            edits.push(edit);
        }
        fits
    }

    /// What stands between an edit and the one behind it, when that is little and can be written.
    fn gap(self, last: &TextEdit, next: &TextEdit) -> Option<&'a str> {
        let gap = self.text.get(last.range.end..next.range.start)?;
        (gap.len() <= BETWEEN && (self.any_letter || gap.is_ascii())).then_some(gap)
    }

    /// Whether nobody has another edit there: it holds no line end that the encoding around sees to, and no sign
    /// without which there is no link.
    fn may_go(self, gap: &str, order: Order) -> bool {
        let sign = |c: char| !c.is_ascii() || ".:@&%=\\".contains(c) || (self.top && c == '<');
        (self.line_ends || !gap.contains(['\r', '\n']))
            && (order == Order::Sure || !gap.contains(sign))
    }
}

fn write(last: &mut TextEdit, gap: &str, edit: &TextEdit) {
    last.replacement.push_str(gap);
    last.replacement.push_str(&edit.replacement);
    last.range.end = edit.range.end;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::Policy;

    const TEXT: &str =
        "http://a.com/ http://b.com/\r\nand\r\nhttp://c.com/ http://d.com/ http://e.com/";

    fn between(line_ends: bool) -> Between<'static> {
        Between { text: TEXT, any_letter: false, line_ends, top: false }
    }

    /// Edits of the hosts with these letters.
    fn hosts(between: Between<'_>, letters: &str, near: Option<Order>) -> Vec<(usize, String)> {
        let mut budget = Budget::new(&Policy::default(), TEXT.len(), None);
        let mut edits = Vec::new();
        for letter in letters.chars() {
            let at = TEXT.find(&format!("{letter}.com")).unwrap();
            let replacement = letter.to_uppercase().to_string();
            let edit = TextEdit { range: at..at + 1, replacement };
            assert!(between.add(&mut edits, edit, near, &mut budget));
        }
        edits.into_iter().map(|edit| (edit.range.start, edit.replacement)).collect()
    }

    #[test]
    fn edits_that_are_near_are_one() {
        let sure = Some(Order::Sure);
        let all = [(7, "A.com/ http://B.com/\r\nand\r\nhttp://C".to_owned())];
        assert_eq!(hosts(between(true), "abc", sure), all);
        assert_eq!(hosts(between(false), "abc", sure).len(), 2, "a line of an encoding ends");
        assert_eq!(hosts(between(true), "abc", None).len(), 3);
        assert_eq!(hosts(between(true), "abc", Some(Order::Open)).len(), 3, "a link may be there");
        assert_eq!(hosts(between(true), "bca", sure).len(), 2, "not in order");
    }

    #[test]
    fn edits_are_one_up_to_a_length() {
        let budget = &mut Budget::new(&Policy::default(), 0, None);
        let text = "ab".repeat(TOGETHER);
        let between = Between { text: &text, ..between(true) };
        let mut edits = Vec::new();
        for at in (0..text.len()).step_by(2) {
            let edit = TextEdit { range: at..at + 1, replacement: "A".to_owned() };
            assert!(between.add(&mut edits, edit, Some(Order::Open), budget));
        }
        assert_eq!(edits.len(), 2);
        assert!(edits.iter().all(|edit| edit.replacement.len() <= TOGETHER + 1));
    }

    #[test]
    fn what_has_no_room_is_left_out() {
        let budget = &mut Budget::new(&Policy::default(), 0, None);
        let mut edits = Vec::new();
        let mut count = 0;
        let mut add = |near| {
            let edit = TextEdit { range: 0..0, replacement: "x".repeat(1 << 20) };
            count += 1;
            between(true).add(&mut edits, edit, near, budget)
        };
        while add(None) {}
        assert_eq!((count, edits.len()), (5, 4));
    }
}
