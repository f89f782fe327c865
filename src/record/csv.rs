//! Findings as CSV (RFC 4180) for SIEM imports, safe to open in a spreadsheet and on a terminal.

use std::io::{self, Write};

use super::defang::visible;
use super::finding::FindingLine;

/// The columns, in order: the fields of the JSON line; `span` as two columns, `reasons` joined by
/// spaces.
pub const COLUMNS: [&str; 19] = [
    "schema", "record", "source", "offset", "message_id", "date", "from_domain", "part", "place",
    "span_start", "span_end", "spelling", "ascii", "unicode", "verdict", "reasons", "target",
    "action", "edit",
];

/// Writes the header row.
pub fn write_header(out: &mut dyn Write) -> io::Result<()> {
    write_row(out, COLUMNS.iter().copied())
}

/// Writes the row of a finding.
pub fn write_line(out: &mut dyn Write, line: &FindingLine<'_>) -> io::Result<()> {
    let [span_start, span_end] = line.span.map(|offset| offset.to_string());
    let (schema, offset) = (line.schema.to_string(), line.offset.to_string());
    let reasons = line.reasons.join(" ");
    let cells: [&str; COLUMNS.len()] = [
        &schema,
        line.record,
        line.source,
        &offset,
        line.message_id.unwrap_or_default(),
        line.date.unwrap_or_default(),
        line.from_domain.unwrap_or_default(),
        line.part,
        &line.place,
        &span_start,
        &span_end,
        &line.spelling,
        line.ascii,
        line.unicode,
        line.verdict,
        &reasons,
        line.target.unwrap_or_default(),
        line.action,
        line.edit,
    ];
    write_row(out, cells.into_iter())
}

fn write_row<'a>(out: &mut dyn Write, cells: impl Iterator<Item = &'a str>) -> io::Result<()> {
    for (index, cell) in cells.enumerate() {
        if index > 0 {
            out.write_all(b",")?;
        }
        write_cell(out, cell)?;
    }
    out.write_all(b"\r\n")
}

/// A cell that starts like a formula gets an apostrophe in front (OWASP, CSV injection). A cell with a separator or a
/// quote is quoted. Characters that act on a terminal or break a line are written as `\u{…}`, so that a row is one
/// line.
fn write_cell(out: &mut dyn Write, cell: &str) -> io::Result<()> {
    let cell = visible(cell);
    let guard = if starts_like_formula(&cell) { "'" } else { "" };
    if cell.contains(['"', ',', ';']) {
        write!(out, "\"{guard}{}\"", cell.replace('"', "\"\""))
    } else {
        write!(out, "{guard}{cell}")
    }
}

/// Spreadsheets skip leading white space, and accept the full-width signs as well.
fn starts_like_formula(cell: &str) -> bool {
    cell.trim_start()
        .starts_with(['=', '+', '-', '@', '\u{FF1D}', '\u{FF0B}', '\u{FF0D}', '\u{FF20}'])
}

#[cfg(test)]
mod tests {
    use super::super::finding::tests::{finding, origin};
    use super::*;

    fn cell(text: &str) -> String {
        let mut out = Vec::new();
        write_cell(&mut out, text).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn formulas_are_text() {
        assert_eq!(cell("=cmd|'/c calc'!A1"), "'=cmd|'/c calc'!A1");
        assert_eq!(cell("@SUM(1,2)"), "\"'@SUM(1,2)\"");
        assert_eq!(cell(" +1"), "' +1");
        assert_eq!(cell("＝1"), "'＝1");
        assert_eq!(cell("-"), "'-");
        assert_eq!(cell("plain"), "plain");
    }

    #[test]
    fn separators_are_quoted() {
        assert_eq!(cell("a,b"), "\"a,b\"");
        assert_eq!(cell("a\"b"), "\"a\"\"b\"");
        assert_eq!(cell("a;b"), "\"a;b\"");
    }

    #[test]
    fn a_row_is_a_line() {
        assert_eq!(cell("a\r\nb\u{1B}[2J"), "a\\u{d}\\u{a}b\\u{1b}[2J");
        assert_eq!(cell("\t=1"), "\\u{9}=1");
    }

    #[test]
    fn a_row_has_the_header_s_columns() {
        let mut out = Vec::new();
        write_header(&mut out).unwrap();
        write_line(&mut out, &FindingLine::new(&origin(), &finding(), &(220..250))).unwrap();
        let text = String::from_utf8(out).unwrap();
        let rows: Vec<&str> = text.split_terminator("\r\n").collect();
        assert_eq!(rows.len(), 2);
        assert_eq!(rows[0].split(',').count(), rows[1].split(',').count());
        assert!(rows[1].contains(",220,250,hxxp://раypal[.]com/login,"));
        assert!(
            rows[1].ends_with(",unsafe,mixed-script target-lookalike,paypal.com,edit,anywhere")
        );
    }
}
