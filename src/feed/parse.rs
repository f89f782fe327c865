//! Parsing a list as a whole: its limits, and whether it is plausible.

use std::io::{self, BufRead};
use std::sync::Arc;

use crate::engine::host::{BadName, Known};
use crate::engine::lists::{EntryHashes, TableBuilder};
use crate::plural::counted;

use super::line::{EntryKind, ListLayout, ListLine, ListReader};
use crate::file::{self, NextLine};
use crate::magic::MagicFormat;

/// Size limit of a line in bytes. The longest URL of a real list has about 2,000.
const MAX_LINE_BYTES: usize = 8 << 10;

/// A parsed list.
#[derive(Clone, Debug)]
pub struct Parsed {
    pub table: EntryHashes,
    /// The names of a list of names that readers know. Its table is empty.
    pub known_names: Option<Arc<Known>>,
    /// Number of invalid lines, and the number of the first one, counted from 1.
    pub invalid_lines: usize,
    pub first_invalid_line: Option<usize>,
}

/// Why a file is not accepted as a list.
#[derive(Debug, thiserror::Error)]
pub enum ParseError {
    #[error("expected at most {0} entries, found more")]
    TooMany(usize),
    #[error(
        "expected a list with at most half of its lines invalid, found {} and {}, line {first} the first",
        counted(*.invalid_lines, "invalid line"), counted(*.entries, "entry")
    )]
    TooManyInvalid { invalid_lines: usize, entries: usize, first: usize },
    #[error("expected a list in text, found {0}")]
    NotText(&'static str),
    #[error("expected one name per line, found others, and accepted none: {}", join(.0))]
    Names(Vec<BadName>),
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// The invalid lines, as one text.
fn join(bad: &[BadName]) -> String {
    let lines: Vec<String> = bad.iter().map(BadName::to_string).collect();
    lines.join("; ")
}

/// Parses a list of at most `max_entries` entries, line by line.
///
/// # Errors
/// Too many entries, a text that is not such a list, or an I/O error of `bytes`.
pub fn parse(
    mut bytes: impl BufRead,
    layout: &ListLayout,
    max_entries: usize,
) -> Result<Parsed, ParseError> {
    if let Some(what) = what_else(bytes.fill_buf()?) {
        return Err(ParseError::NotText(what));
    }
    if layout.entry_kind == EntryKind::Names {
        return parse_names(bytes, max_entries);
    }
    let mut table = TableBuilder::default();
    let mut reader = ListReader::new(layout);
    let (mut entries, mut invalid_lines, mut first_invalid_line) = (0_usize, 0, None);
    let mut line = Vec::new();
    for number in 1.. {
        let next = file::next_line(&mut bytes, MAX_LINE_BYTES as u64, &mut line)?;
        let result = match next {
            NextLine::Line => reader.line(&String::from_utf8_lossy(&line), |entry| {
                table.push(entry);
                entries += 1;
            }),
            NextLine::TooLong => ListLine::Invalid,
            NextLine::End => reader.end(),
        };
        if result == ListLine::Invalid {
            invalid_lines += 1;
            first_invalid_line = first_invalid_line.or(Some(number));
        }
        // Duplicates count once. They are not removed at every line, because that would take
        // quadratic time.
        let end = next == NextLine::End;
        if table.len() > if end { max_entries } else { max_entries.saturating_mul(2) } {
            table.dedup();
            if table.len() > max_entries {
                return Err(ParseError::TooMany(max_entries));
            }
        }
        if end {
            break;
        }
    }
    if let Some(first) = first_invalid_line.filter(|_| invalid_lines > entries) {
        return Err(ParseError::TooManyInvalid { invalid_lines, entries, first });
    }
    Ok(Parsed { table: table.finish(), known_names: None, invalid_lines, first_invalid_line })
}

/// What a file that is no text of ASCII or UTF-8 is, by its first bytes.
fn what_else(first: &[u8]) -> Option<&'static str> {
    match first {
        [0xFF, 0xFE, ..] | [0xFE, 0xFF, ..] => Some("UTF-16"),
        [high, low, ..] if (*high == 0) != (*low == 0) => Some("UTF-16"),
        _ => MagicFormat::of(first).map(MagicFormat::words),
    }
}

/// Parses a list of names that readers know. One invalid line makes the list invalid.
fn parse_names(mut bytes: impl BufRead, max_entries: usize) -> Result<Parsed, ParseError> {
    let mut text = Vec::new();
    bytes.read_to_end(&mut text)?;
    let text = String::from_utf8_lossy(&text);
    // Count before parsing: a known name takes some hundred bytes of memory.
    let is_name = |line: &&str| !line.split('#').next().unwrap_or_default().trim().is_empty();
    if text.lines().filter(is_name).nth(max_entries).is_some() {
        return Err(ParseError::TooMany(max_entries));
    }
    let known_names = Known::parse(&text).map_err(ParseError::Names)?;
    let table = TableBuilder::default().finish();
    Ok(Parsed {
        table,
        known_names: Some(Arc::new(known_names)),
        invalid_lines: 0,
        first_invalid_line: None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str, max_entries: usize) -> Result<Parsed, ParseError> {
        parse(text.as_bytes(), &ListLayout::default(), max_entries)
    }

    #[test]
    fn a_list_may_have_few_invalid_lines() {
        let list =
            read("evil.example\nbad.example\r\nx y..z\nevil.example\n\nlast.example", 10).unwrap();
        assert_eq!(
            (list.table.len(), list.invalid_lines, list.first_invalid_line),
            (3, 1, Some(3))
        );
        assert!(list.table.covers("a.last.example"));
        assert_eq!(read("", 10).unwrap().table.len(), 0);
    }

    #[test]
    fn what_is_no_list_is_refused() {
        let page = "<html>\n<p>Please log in</p>\n</html>\nexample.com\n";
        let error = read(page, 10).unwrap_err();
        assert!(
            matches!(error, ParseError::TooManyInvalid { invalid_lines: 3, entries: 1, first: 1 }),
            "{error}"
        );
        assert!(matches!(read("a.example\nb.example\n", 1), Err(ParseError::TooMany(1))));
    }

    #[test]
    fn what_is_no_text_is_named() {
        let utf_16 = |mark: &str| -> Vec<u8> {
            format!("{mark}evil.example\n").encode_utf16().flat_map(u16::to_le_bytes).collect()
        };
        for (bytes, expected) in [
            (b"\x1F\x8B\x08\0rest".to_vec(), "compressed data (gzip)"),
            (zstd::encode_all(&b"evil.example\n"[..], 1).unwrap(), "compressed data (zstd)"),
            (b"PK\x03\x04rest".to_vec(), "a zip archive"),
            (utf_16("\u{FEFF}"), "UTF-16"),
            (utf_16(""), "UTF-16"),
        ] {
            for entry_kind in [EntryKind::Domains, EntryKind::Names] {
                let layout = ListLayout { entry_kind, ..ListLayout::default() };
                let error = parse(bytes.as_slice(), &layout, 10).unwrap_err().to_string();
                assert_eq!(error, format!("expected a list in text, found {expected}"));
            }
        }
        for text in ["BZh.example\n", "PK.example\n", "\u{FEFF}evil.example\n"] {
            assert_eq!(read(text, 10).unwrap().table.len(), 1, "{text}");
        }
    }

    /// A list of bad names may have a few invalid lines. Here an invalid name means that the file
    /// is a web page or another list.
    #[test]
    fn a_list_of_names_is_accepted_completely_or_not_at_all() {
        let layout = ListLayout { entry_kind: EntryKind::Names, ..ListLayout::default() };
        let list = parse(&b"# known\nexample.com\nmuseum.example\n"[..], &layout, 10).unwrap();
        assert_eq!(
            (list.known_names.unwrap().len(), list.table.len(), list.invalid_lines),
            (2, 0, 0)
        );
        let error = parse(&b"example.com\n<p>\n\na b\n"[..], &layout, 10).unwrap_err();
        assert_eq!(
            error.to_string(),
            "expected one name per line, found others, and accepted none: \
             line 2: expected a host name, found \"<p>\"; line 4: expected a host name, found \"a b\""
        );
        let error = parse(&b"a.example\nb.example\n"[..], &layout, 1).unwrap_err();
        assert!(matches!(error, ParseError::TooMany(1)), "{error}");
    }

    #[test]
    fn duplicate_entries_count_once() {
        let twice = "a.example\nb.example\n".repeat(9);
        assert_eq!(read(&twice, 2).unwrap().table.len(), 2);
        assert!(matches!(read(&twice, 1), Err(ParseError::TooMany(1))));
    }

    #[test]
    fn a_line_that_is_too_long_is_invalid() {
        let name = "example.com.evil.test";
        for space in [MAX_LINE_BYTES - 11, MAX_LINE_BYTES] {
            let text = format!("bad.example\n{}{name}\nworse.example\n", " ".repeat(space));
            let list = read(&text, 10).unwrap();
            assert_eq!(
                (list.table.len(), list.invalid_lines, list.first_invalid_line),
                (2, 1, Some(2))
            );
            assert!(!list.table.covers("example.com") && list.table.covers("worse.example"));
        }
        let long = format!("{}{name}", " ".repeat(MAX_LINE_BYTES - name.len()));
        assert!(read(&long, 10).unwrap().table.covers(name));
    }

    #[test]
    fn a_line_without_an_end_is_cut() {
        let long = "x".repeat(1 << 20);
        let list = read(&format!("evil.example\n{long}\nbad.example\n"), 10).unwrap();
        assert_eq!((list.table.len(), list.invalid_lines), (2, 1));
    }
}
