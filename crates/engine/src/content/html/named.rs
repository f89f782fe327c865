//! Named character references (HTML §13.5), from `named.txt`: in each line a name without `&`, a tab and
//! the code points it stands for; sorted by name. `UPDATE=1 cargo test named_references` writes it.

/// The table.
pub(super) static TEXT: &str = include_str!("named.txt");

/// Entries of the table.
const ENTRIES: usize = 2231;

/// Where each entry begins, in bytes.
static STARTS: [u16; ENTRIES] = starts();

/// What `name` stands for, in hexadecimal code points with blanks between.
pub(super) fn points(name: &str) -> Option<&'static str> {
    let index = STARTS.binary_search_by(|start| entry(*start).0.cmp(name)).ok()?;
    STARTS.get(index).map(|start| entry(*start).1)
}

/// The name and the code points of the entry at `start`.
fn entry(start: u16) -> (&'static str, &'static str) {
    let rest = TEXT.get(usize::from(start)..).unwrap_or_default();
    let line = rest.split_once('\n').map_or(rest, |(line, _)| line);
    line.split_once('\t').unwrap_or((line, ""))
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
