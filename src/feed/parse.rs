//! A list as a whole: its bounds, and whether to believe it.

use std::io::{self, BufRead};

use crate::engine::lists::{Table, TableBuilder};

use super::line::{Form, Line, Reader};

/// Bytes of a line that are looked at: the longest URL of a list is about 2,000.
const LINE_BYTES: usize = 8 << 10;

/// A list that was read.
#[derive(Clone, Debug)]
pub struct Parsed {
    pub table: Table,
    /// Lines that hold something else than entries, and the first of them, counted from 1.
    pub odd: usize,
    pub first_odd: Option<usize>,
}

/// Why bytes are not taken for a list.
#[derive(Debug, thiserror::Error)]
pub enum ParseError {
    #[error("expected at most {0} entries, found more")]
    TooMany(usize),
    #[error(
        "expected a list in which at most half of the lines are none of its entries, found {odd} \
         such lines beside {entries} entries, line {first} the first"
    )]
    Odd { odd: usize, entries: usize, first: usize },
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// Reads a list of at most `most` entries, a line at a time.
///
/// # Errors
/// Too many entries, a text that is no such list, a failure of `bytes`.
pub fn parse(mut bytes: impl BufRead, form: &Form, most: usize) -> Result<Parsed, ParseError> {
    let mut table = TableBuilder::default();
    let mut reader = Reader::new(form);
    let (mut odd, mut first_odd) = (0, None);
    let mut line = Vec::new();
    for number in 1.. {
        if !next_line(&mut bytes, &mut line)? {
            break;
        }
        let said = reader.line(&String::from_utf8_lossy(&line), |entry| table.push(entry));
        if said == Line::Odd {
            odd += 1;
            first_odd = first_odd.or(Some(number));
        }
        if table.len() > most {
            return Err(ParseError::TooMany(most));
        }
    }
    let entries = table.len();
    if let Some(first) = first_odd.filter(|_| odd > entries) {
        return Err(ParseError::Odd { odd, entries, first });
    }
    Ok(Parsed { table: table.finish(), odd, first_odd })
}

/// The next line, cut after [`LINE_BYTES`]; false at the end.
fn next_line(bytes: &mut impl BufRead, line: &mut Vec<u8>) -> io::Result<bool> {
    line.clear();
    let mut any = false;
    loop {
        let here = match bytes.fill_buf() {
            Ok(here) => here,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        if here.is_empty() {
            return Ok(any);
        }
        any = true;
        let feed = memchr::memchr(b'\n', here);
        let taken = feed.map_or(here.len(), |feed| feed + 1);
        let room = LINE_BYTES.saturating_sub(line.len());
        let text = here.get(..feed.unwrap_or(here.len())).unwrap_or_default();
        line.extend_from_slice(text.get(..room).unwrap_or(text));
        bytes.consume(taken);
        if feed.is_some() {
            return Ok(true);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str, most: usize) -> Result<Parsed, ParseError> {
        parse(text.as_bytes(), &Form::default(), most)
    }

    #[test]
    fn a_list_has_its_entries_and_few_odd_lines() {
        let list =
            read("evil.example\nbad.example\r\nx y..z\nevil.example\n\nlast.example", 10).unwrap();
        assert_eq!((list.table.len(), list.odd, list.first_odd), (3, 1, Some(3)));
        assert!(list.table.covers("a.last.example"));
        assert_eq!(read("", 10).unwrap().table.len(), 0);
    }

    #[test]
    fn what_is_no_list_is_refused() {
        let page = "<html>\n<p>Please log in</p>\n</html>\nexample.com\n";
        let error = read(page, 10).unwrap_err();
        assert!(matches!(error, ParseError::Odd { odd: 3, entries: 1, first: 1 }), "{error}");
        assert!(matches!(read("a.example\nb.example\n", 1), Err(ParseError::TooMany(1))));
    }

    #[test]
    fn a_line_without_an_end_is_cut() {
        let long = "x".repeat(1 << 20);
        let list = read(&format!("evil.example\n{long}\nbad.example\n"), 10).unwrap();
        assert_eq!((list.table.len(), list.odd), (2, 1));
    }
}
