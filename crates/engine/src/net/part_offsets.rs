//! Finds the part at an offset of the body.

use std::cell::Cell;
use std::collections::BTreeSet;

use mailsplice::mime::{ClientView, Part, Tree};

/// The innermost part at every offset, as most clients split the body. Parts of other readings may overlap them.
pub struct PartOffsets {
    /// Where another part begins, in order: the offset, the part's index.
    starts: Vec<(usize, Option<usize>)>,
    /// The part that was last asked for, and whether no label says what is no UTF-8 in it: hosts of one part are asked in
    /// a row.
    last_open: Cell<Option<(usize, bool)>>,
}

impl PartOffsets {
    pub fn of(tree: &Tree) -> PartOffsets {
        let mut ends = Vec::new();
        for (index, part) in tree.parts.iter().enumerate() {
            if let Some(range) = part.raw_range().filter(|range| !range.is_empty()) {
                let rank = (part.view != ClientView::Usual, range.len(), index);
                ends.push((range.start, true, rank));
                ends.push((range.end, false, rank));
            }
        }
        ends.sort_unstable();
        let mut here = BTreeSet::new();
        let mut starts: Vec<(usize, Option<usize>)> = Vec::new();
        for (at, begins, rank) in ends {
            if begins {
                here.insert(rank);
            } else {
                here.remove(&rank);
            }
            let first = here.first().map(|(_, _, index)| *index);
            match starts.last_mut().filter(|(last, _)| *last == at) {
                Some((_, index)) => *index = first,
                None => starts.push((at, first)),
            }
        }
        PartOffsets { starts, last_open: Cell::new(None) }
    }

    /// The index of the part at an offset.
    pub fn part(&self, at: usize) -> Option<usize> {
        let after = self.starts.partition_point(|(start, _)| *start <= at);
        let (_, index) = self.starts.get(after.checked_sub(1)?)?;
        *index
    }

    /// Whether no label names the charset of what is no UTF-8 in the part at an offset.
    pub fn leaves_charset_open(&self, at: usize, tree: &Tree) -> bool {
        let Some(index) = self.part(at) else { return false };
        match self.last_open.get() {
            Some((last, is_open)) if last == index => is_open,
            _ => {
                let is_open = tree.parts.get(index).is_some_and(Part::leaves_charset_open);
                self.last_open.set(Some((index, is_open)));
                is_open
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mailsplice::limits::SplitLimits;
    use mailsplice::mime::{Message, parse};

    /// The definition: of all parts around an offset the shortest that most clients see.
    fn looked_for(tree: &Tree, at: usize) -> Option<&Part> {
        let here = |part: &&Part| part.raw_range().is_some_and(|range| range.contains(&at));
        let length = |part: &&Part| part.raw_range().map_or(usize::MAX, |range| range.len());
        let parts = tree.parts.iter().filter(here);
        parts.min_by_key(|part| (part.view != ClientView::Usual, length(part)))
    }

    #[test]
    fn the_innermost_part_at_every_offset() {
        let head = b"Content-Type: multipart/mixed; boundary=b\r\n";
        let bodies = [
            &b""[..],
            b"no part",
            b"--b\r\n\r\none\r\n--b\r\n\r\n\r\n--b\r\n\r\n--b--\r\nbehind",
            b"--b\r\nContent-Type: text/plain\r\nContent-Type: text/html\r\n\r\na\r\n--c\r\nContent-Type: text/html\r\n\r\nb\r\n--b--\r\n",
            b"--b\r\nContent-Type: multipart/mixed; boundary=c\r\n\r\n--c\r\n\r\nx\r\n--b\r\n\r\ny\r\n--bc\r\n\r\nz",
        ];
        for body in bodies {
            let tree = parse(Message { head, body }, &SplitLimits::default());
            let offsets = PartOffsets::of(&tree);
            for at in 0..=body.len() {
                let name = |part: &Part| (part.path.clone(), part.view, part.raw_range());
                let found = offsets.part(at).and_then(|part| tree.parts.get(part)).map(name);
                assert_eq!(found, looked_for(&tree, at).map(name), "{at} of {body:?}");
            }
        }
    }
}
