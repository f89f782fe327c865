//! Lists that are built in, as they are read while compiling: comments stay in the files, and no web page loads them.

/// The rows of a file beside the caller: its lines but for comments (`#`) and empty ones.
macro_rules! rows {
    ($file:literal) => {{
        const FILE: &[u8] = include_bytes!($file);
        const ROWS: [u8; $crate::rows::length(FILE)] = $crate::rows::of(FILE);
        match core::str::from_utf8(&ROWS) {
            Ok(rows) => rows,
            Err(_) => "",
        }
    }};
}

pub(super) use rows;

/// Bytes of the rows.
pub(super) const fn length(file: &[u8]) -> usize {
    let (mut rest, mut before, mut is_row, mut length) = (file, b'\n', true, 0);
    while let [byte, after @ ..] = rest {
        is_row = if before == b'\n' { begins_row(*byte) } else { is_row };
        length += if is_row { 1 } else { 0 };
        (rest, before) = (after, *byte);
    }
    length
}

/// The rows, which take `N` bytes.
pub(super) const fn of<const N: usize>(file: &[u8]) -> [u8; N] {
    let mut rows = [b'\n'; N];
    let mut free = rows.as_mut_slice();
    let (mut rest, mut before, mut is_row) = (file, b'\n', true);
    while let [byte, after @ ..] = rest {
        is_row = if before == b'\n' { begins_row(*byte) } else { is_row };
        if is_row {
            let [place, others @ ..] = free else { break };
            *place = *byte;
            free = others;
        }
        (rest, before) = (after, *byte);
    }
    rows
}

const fn begins_row(first: u8) -> bool {
    !matches!(first, b'#' | b'\n')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_empty_lines_are_left_out() {
        const FILE: &[u8] = "# é\n\na # b\n#\nü\n".as_bytes();
        assert_eq!(of::<{ length(FILE) }>(FILE), *"a # b\nü\n".as_bytes());
        assert_eq!(of::<{ length(b"a\nb") }>(b"a\nb"), *b"a\nb");
        assert_eq!(length(b"# a"), 0);
        assert!(
            rows!("protected/neighbours.txt")
                .lines()
                .all(|row| !row.is_empty() && !row.starts_with('#'))
        );
    }
}
