//! Named character references (HTML §13.5), from `named.txt`: in each line a name without `&`, a tab and
//! the code points it stands for; sorted by name. `UPDATE=1 cargo test named_references` writes it.

use std::cmp::Ordering;

/// The table.
pub(super) static TEXT: &str = include_str!("named.txt");

/// Entries of the table.
const ENTRIES: usize = 2231;

/// Where each entry begins, in bytes.
static STARTS: [u16; ENTRIES] = starts();

/// What `name` stands for, in hexadecimal code points with blanks between.
pub(super) fn points(name: &str) -> Option<&'static str> {
    let index = STARTS.binary_search_by(|start| compared(*start, name.as_bytes())).ok()?;
    let rest = TEXT.get(usize::from(*STARTS.get(index)?) + name.len() + 1..)?;
    rest.split('\n').next()
}

/// How the name of the entry at `start` stands to this one. The tab behind it comes before whatever a name may hold.
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
