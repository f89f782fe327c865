//! Named character references (HTML §13.5), from `named.txt`: each line has a name without `&`, a tab and its code
//! points, sorted by name. `UPDATE=1 cargo test named_references` writes it.

use std::cmp::Ordering;

/// The table.
pub(super) static TEXT: &str = include_str!("named.txt");

/// Entries of the table.
const ENTRIES: usize = 2231;

/// Where each entry begins, in bytes.
static STARTS: [u16; ENTRIES] = starts();

/// The first entry for each pair of first letters, in order, and the end: most of what looks like a name is none, and
/// has a rare first pair.
static FRONTS: [u16; LETTERS * LETTERS + 1] = fronts();

/// Letters of both cases.
const LETTERS: usize = 52;

/// The code points of `name`, in hexadecimal, separated by blanks.
pub(super) fn points(name: &str) -> Option<&'static str> {
    let [first, second, ..] = name.as_bytes() else { return None };
    let front = place(*first)? * LETTERS + place(*second)?;
    let entries = usize::from(*FRONTS.get(front)?)..usize::from(*FRONTS.get(front + 1)?);
    let starts = STARTS.get(entries)?;
    let index = starts.binary_search_by(|start| compared(*start, name.as_bytes())).ok()?;
    let rest = TEXT.get(usize::from(*starts.get(index)?) + name.len() + 1..)?;
    rest.split('\n').next()
}

/// The index of a letter among those of both cases, in byte order.
const fn place(letter: u8) -> Option<usize> {
    match letter {
        b'A'..=b'Z' => Some((letter - b'A') as usize),
        b'a'..=b'z' => Some((letter - b'a') as usize + LETTERS / 2),
        _ => None,
    }
}

/// Compares the name of the entry at `start` with this one. The tab after it sorts before every character of a name.
fn compared(start: u16, name: &[u8]) -> Ordering {
    let rest = TEXT.as_bytes().get(usize::from(start)..).unwrap_or_default();
    let front = rest.get(..name.len()).unwrap_or(rest);
    front.cmp(name).then_with(|| match rest.get(name.len()) {
        Some(b'\t') => Ordering::Equal,
        _ => Ordering::Greater,
    })
}

const fn starts() -> [u16; ENTRIES] {
    let bytes = TEXT.as_bytes();
    let mut starts = [0; ENTRIES];
    let mut line = 1;
    let mut at = 0;
    while line < ENTRIES {
        #[expect(clippy::indexing_slicing, reason = "evaluated by the compiler")]
        if bytes[at] == b'\n' {
            starts[line] = (at + 1) as u16;
            line += 1;
        }
        at += 1;
    }
    starts
}

#[expect(clippy::indexing_slicing, reason = "evaluated by the compiler")]
const fn fronts() -> [u16; LETTERS * LETTERS + 1] {
    let bytes = TEXT.as_bytes();
    let mut fronts = [0; LETTERS * LETTERS + 1];
    let mut entry = 0;
    while entry < ENTRIES {
        let start = STARTS[entry] as usize;
        if let (Some(first), Some(second)) = (place(bytes[start]), place(bytes[start + 1])) {
            fronts[first * LETTERS + second + 1] = entry as u16 + 1;
        }
        entry += 1;
    }
    let mut front = 1;
    while front < fronts.len() {
        if fronts[front] == 0 {
            fronts[front] = fronts[front - 1];
        }
        front += 1;
    }
    fronts
}
