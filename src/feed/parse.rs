//! A list as a whole: its bounds, and whether to believe it.

use std::io::{self, BufRead};
use std::sync::Arc;

use crate::engine::host::{BadName, Known};
use crate::engine::lists::{Table, TableBuilder};

use super::line::{Form, Holds, Line, Reader};

/// Bytes of a line that is read: the longest URL of a list is about 2,000.
const LINE_BYTES: usize = 8 << 10;

/// A list that was read.
#[derive(Clone, Debug)]
pub struct Parsed {
    pub table: Table,
    /// Names that readers know, of a list of such: its table is empty.
    pub known: Option<Arc<Known>>,
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
    #[error("expected a name a line, found others, and took none: {}", told(.0))]
    Names(Vec<BadName>),
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// The first lines that are no names.
fn told(bad: &[BadName]) -> String {
    let lines: Vec<String> = bad.iter().map(BadName::to_string).collect();
    lines.join("; ")
}

/// Reads a list of at most `most` entries, a line at a time.
///
/// # Errors
/// Too many entries, a text that is no such list, a failure of `bytes`.
pub fn parse(mut bytes: impl BufRead, form: &Form, most: usize) -> Result<Parsed, ParseError> {
    if form.holds == Holds::Names {
        return names(bytes, most);
    }
    let mut table = TableBuilder::default();
    let mut reader = Reader::new(form);
    let (mut entries, mut odd, mut first_odd) = (0_usize, 0, None);
    let mut line = Vec::new();
    for number in 1.. {
        let next = next_line(&mut bytes, &mut line)?;
        let said = match next {
            Next::Line => reader.line(&String::from_utf8_lossy(&line), |entry| {
                table.push(entry);
                entries += 1;
            }),
            Next::TooLong => Line::Odd,
            Next::End => reader.end(),
        };
        if said == Line::Odd {
            odd += 1;
            first_odd = first_odd.or(Some(number));
        }
        // Entries that stand there twice count once. Not at every line: that would take a square.
        let end = next == Next::End;
        if table.len() > if end { most } else { most.saturating_mul(2) } {
            table.dedup();
            if table.len() > most {
                return Err(ParseError::TooMany(most));
            }
        }
        if end {
            break;
        }
    }
    if let Some(first) = first_odd.filter(|_| odd > entries) {
        return Err(ParseError::Odd { odd, entries, first });
    }
    Ok(Parsed { table: table.finish(), known: None, odd, first_odd })
}

/// Reads a list of names that readers know, all of it or nothing.
fn names(mut bytes: impl BufRead, most: usize) -> Result<Parsed, ParseError> {
    let mut text = Vec::new();
    bytes.read_to_end(&mut text)?;
    let text = String::from_utf8_lossy(&text);
    // A name that is known takes some hundred bytes: counted before any is made.
    let is_name = |line: &&str| !line.split('#').next().unwrap_or_default().trim().is_empty();
    if text.lines().filter(is_name).nth(most).is_some() {
        return Err(ParseError::TooMany(most));
    }
    let known = Known::parse(&text).map_err(ParseError::Names)?;
    let table = TableBuilder::default().finish();
    Ok(Parsed { table, known: Some(Arc::new(known)), odd: 0, first_odd: None })
}

/// What comes next.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Next {
    Line,
    /// A line of more than [`LINE_BYTES`]: what was cut off might change what it names.
    TooLong,
    End,
}

/// Reads the next line.
fn next_line(bytes: &mut impl BufRead, line: &mut Vec<u8>) -> io::Result<Next> {
    line.clear();
    let mut next = Next::End;
    loop {
        let here = match bytes.fill_buf() {
            Ok(here) => here,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        if here.is_empty() {
            return Ok(next);
        }
        let feed = memchr::memchr(b'\n', here);
        let taken = feed.map_or(here.len(), |feed| feed + 1);
        let text = here.get(..feed.unwrap_or(here.len())).unwrap_or_default();
        if next == Next::End {
            next = Next::Line;
        }
        if line.len().saturating_add(text.len()) > LINE_BYTES {
            next = Next::TooLong;
        } else {
            line.extend_from_slice(text);
        }
        bytes.consume(taken);
        if feed.is_some() {
            return Ok(next);
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

    /// Unlike bad names, of which some odd lines do no harm: what is no name here is a page, or another list.
    #[test]
    fn a_list_of_names_is_taken_whole_or_not() {
        let form = Form { holds: Holds::Names, ..Form::default() };
        let list = parse(&b"# known\nexample.com\nmuseum.example\n"[..], &form, 10).unwrap();
        assert_eq!((list.known.unwrap().len(), list.table.len(), list.odd), (2, 0, 0));
        let error = parse(&b"example.com\n<p>\n\na b\n"[..], &form, 10).unwrap_err();
        assert_eq!(
            error.to_string(),
            "expected a name a line, found others, and took none: \
             line 2: expected a host name, found \"<p>\"; line 4: expected a host name, found \"a b\""
        );
        let error = parse(&b"a.example\nb.example\n"[..], &form, 1).unwrap_err();
        assert!(matches!(error, ParseError::TooMany(1)), "{error}");
    }

    #[test]
    fn entries_that_stand_there_twice_count_once() {
        let twice = "a.example\nb.example\n".repeat(9);
        assert_eq!(read(&twice, 2).unwrap().table.len(), 2);
        assert!(matches!(read(&twice, 1), Err(ParseError::TooMany(1))));
    }

    #[test]
    fn a_line_that_is_too_long_is_none_of_its_beginnings() {
        let name = "example.com.evil.test";
        for space in [LINE_BYTES - 11, LINE_BYTES] {
            let text = format!("bad.example\n{}{name}\nworse.example\n", " ".repeat(space));
            let list = read(&text, 10).unwrap();
            assert_eq!((list.table.len(), list.odd, list.first_odd), (2, 1, Some(2)));
            assert!(!list.table.covers("example.com") && list.table.covers("worse.example"));
        }
        let long = format!("{}{name}", " ".repeat(LINE_BYTES - name.len()));
        assert!(read(&long, 10).unwrap().table.covers(name));
    }

    #[test]
    fn a_line_without_an_end_is_cut() {
        let long = "x".repeat(1 << 20);
        let list = read(&format!("evil.example\n{long}\nbad.example\n"), 10).unwrap();
        assert_eq!((list.table.len(), list.odd), (2, 1));
    }
}
