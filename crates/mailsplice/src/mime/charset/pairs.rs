//! Tables of two columns in files beside the code, read while compiling.

/// The rows of a file beside the caller: what stands before a tab, and what stands behind it. Lines with `#` are comments.
macro_rules! pairs {
    ($file:literal) => {{
        const FILE: &str = include_str!($file);
        const ROWS: [(&str, &str); $crate::mime::charset::pairs::count(FILE)] =
            $crate::mime::charset::pairs::of(FILE);
        &ROWS
    }};
}

pub(super) use pairs;

/// Rows of a file.
pub(super) const fn count(file: &str) -> usize {
    let (mut rest, mut rows) = (file, 0);
    while !rest.is_empty() {
        let (line, after) = cut(rest, b'\n');
        rows += if is_row(line) { 1 } else { 0 };
        rest = after;
    }
    rows
}

/// The rows of a file, of which there are `N`.
pub(super) const fn of<const N: usize>(file: &'static str) -> [(&'static str, &'static str); N] {
    let mut rows = [("", ""); N];
    let (mut rest, mut free) = (file, rows.as_mut_slice());
    while !rest.is_empty() {
        let (line, after) = cut(rest, b'\n');
        if is_row(line) {
            let [place, others @ ..] = free else { break };
            *place = cut(line, b'\t');
            free = others;
        }
        rest = after;
    }
    rows
}

const fn is_row(line: &str) -> bool {
    !matches!(line.as_bytes(), [] | [b'#', ..])
}

/// What stands before the first such byte of ASCII, and behind it.
const fn cut(text: &str, end: u8) -> (&str, &str) {
    let mut rest = text.as_bytes();
    while let [byte, after @ ..] = rest {
        if *byte == end {
            let (before, _) = text.split_at(text.len() - rest.len());
            return (before, text.split_at(text.len() - after.len()).1);
        }
        rest = after;
    }
    (text, "")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_of_two_columns() {
        const FILE: &str = "# é\tä\n\na\té b\n#\nü\tc";
        assert_eq!(of::<{ count(FILE) }>(FILE), [("a", "é b"), ("ü", "c")]);
    }
}
