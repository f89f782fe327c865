//! The counts of an archive as tables for a terminal.

use std::io::{self, Write};

use crate::engine::outcome::Verdict;
use crate::plural::{noun, verb};

use super::defang::{defang, visible};
use super::tally::{ByVerdict, Tally};

/// Rows of a table of names.
const TABLE_ROWS: usize = 20;

/// Writes the tables.
pub fn write(out: &mut dyn Write, tally: &Tally) -> io::Result<()> {
    overview(out, tally)?;
    verdicts(out, tally)?;
    let mut reasons: Vec<(&String, &u64)> = tally.reasons.iter().collect();
    reasons.sort_by_key(|(code, count)| (std::cmp::Reverse(**count), *code));
    counts(out, "Reasons", reasons.into_iter().map(|(code, count)| (code.clone(), *count)))?;
    hosts(out, tally)?;
    senders(out, tally)?;
    years(out, tally)?;
    let bypasses = tally.bypasses.iter().map(|(why, count)| (why.clone(), *count));
    counts(out, "Parts not read", bypasses)?;
    unread(out, tally)
}

fn overview(out: &mut dyn Write, tally: &Tally) -> io::Result<()> {
    let mut rows = vec![
        (noun(tally.messages, "message"), tally.messages),
        (noun(tally.bytes, "byte"), tally.bytes),
        ("links and addresses".to_owned(), tally.links),
        (noun(tally.total_findings(), "finding"), tally.total_findings()),
        (noun(tally.edited, "message") + " the filter would edit", tally.edited),
    ];
    for (what, more, count) in [
        ("message", " without a header", tally.headless),
        ("part", " not read", tally.bypasses.values().sum()),
        ("file", is_none(tally.skipped_files), tally.skipped_files),
        ("source", " not read", tally.unread),
        ("finding", " of names beyond those listed", tally.unnamed),
        ("message", " read by the second parser", tally.crosschecked),
        ("message", " in which it differs", tally.crosscheck_differs),
    ] {
        if count > 0 {
            rows.push((noun(count, what) + more, count));
        }
    }
    for (name, count) in rows {
        writeln!(out, "{:>16}  {name}", grouped(count))?;
    }
    Ok(())
}

/// What is said of so many files that are not read.
fn is_none(files: u64) -> &'static str {
    verb(files, " that is no message", " that are no messages")
}

fn verdicts(out: &mut dyn Write, tally: &Tally) -> io::Result<()> {
    writeln!(out, "\n{:<12}{:>16}{:>16}", "Verdict", "messages", "findings")?;
    let columns = tally.by_verdict.iter().zip(&tally.findings);
    for (verdict, (messages, findings)) in Verdict::ALL.into_iter().zip(columns) {
        let findings = if verdict == Verdict::Ok { "–".to_owned() } else { grouped(*findings) };
        writeln!(out, "{:<12}{:>16}{findings:>16}", verdict.as_str(), grouped(*messages))?;
    }
    Ok(())
}

fn counts(
    out: &mut dyn Write,
    title: &str,
    rows: impl Iterator<Item = (String, u64)>,
) -> io::Result<()> {
    let mut rows = rows.peekable();
    if rows.peek().is_none() {
        return Ok(());
    }
    writeln!(out, "\n{title}")?;
    for (name, count) in rows {
        writeln!(out, "{:>16}  {name}", grouped(count))?;
    }
    Ok(())
}

fn hosts(out: &mut dyn Write, tally: &Tally) -> io::Result<()> {
    let ranked = tally.ranked_hosts();
    if ranked.is_empty() {
        return Ok(());
    }
    writeln!(
        out,
        "\n{:<8} {:>9}  {:<10}  {:<10}  Host ({} of {})",
        "Verdict",
        "messages",
        "first",
        "last",
        ranked.len().min(TABLE_ROWS),
        ranked.len()
    )?;
    for (name, host) in ranked.into_iter().take(TABLE_ROWS) {
        let unicode = if host.unicode == name {
            String::new()
        } else {
            format!("  {}", defang(&host.unicode))
        };
        let target =
            host.target.as_deref().map_or(String::new(), |t| format!("  as {}", defang(t)));
        writeln!(
            out,
            "{:<8} {:>9}  {:<10}  {:<10}  {}{unicode}{target}  ({})",
            host.verdict,
            grouped(host.messages),
            day(&host.first),
            day(&host.last),
            defang(name),
            host.reasons.join(", ")
        )?;
    }
    Ok(())
}

fn senders(out: &mut dyn Write, tally: &Tally) -> io::Result<()> {
    let ranked = tally.ranked_senders();
    if ranked.is_empty() {
        return Ok(());
    }
    let shown = ranked.len().min(TABLE_ROWS);
    header(out, &format!("Sender ({shown} of {})", ranked.len()))?;
    for (name, counts) in ranked.into_iter().take(TABLE_ROWS) {
        row(out, &defang(name), counts)?;
    }
    Ok(())
}

fn years(out: &mut dyn Write, tally: &Tally) -> io::Result<()> {
    let years = tally.years();
    if years.is_empty() {
        return Ok(());
    }
    header(out, "Year")?;
    for (year, counts) in years {
        row(out, year, &counts)?;
    }
    Ok(())
}

fn header(out: &mut dyn Write, title: &str) -> io::Result<()> {
    writeln!(out)?;
    for verdict in Verdict::ALL {
        write!(out, "{:>11}", verdict.as_str())?;
    }
    writeln!(out, "  {title}")
}

fn row(out: &mut dyn Write, name: &str, counts: &ByVerdict) -> io::Result<()> {
    for count in counts {
        write!(out, "{:>11}", grouped(*count))?;
    }
    writeln!(out, "  {name}")
}

fn unread(out: &mut dyn Write, tally: &Tally) -> io::Result<()> {
    if tally.unread == 0 {
        return Ok(());
    }
    writeln!(
        out,
        "\nNot read ({} of {})",
        tally.unread_sources.len().min(TABLE_ROWS),
        tally.unread
    )?;
    for unread in tally.unread_sources.iter().take(TABLE_ROWS) {
        let (source, why) = (visible(&unread.source), visible(&unread.why));
        writeln!(out, "  {source} at byte {}: {why}", unread.offset)?;
    }
    Ok(())
}

fn day(date: &Option<String>) -> &str {
    date.as_deref().and_then(|date| date.get(..10)).unwrap_or("–")
}

/// `1234567` as `1,234,567`.
pub(super) fn grouped(count: u64) -> String {
    let digits = count.to_string();
    let mut out = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::super::tally::tests::tally;
    use super::*;

    #[test]
    fn digits_are_grouped() {
        for (count, text) in [(0, "0"), (999, "999"), (1000, "1,000"), (1234567, "1,234,567")] {
            assert_eq!(grouped(count), text);
        }
    }

    #[test]
    fn the_tables() {
        let mut out = Vec::new();
        let mut tally = tally();
        tally.unread("a\u{1b}[31m.gz", 7, "cut short");
        write(&mut out, &tally).unwrap();
        insta::assert_snapshot!(String::from_utf8(out).unwrap());
    }
}
