//! IANA's `tlds-alpha-by-domain.txt`: parsing and plausibility checks.
//!
//! ```text
//! # Version 2026112000, Last Updated Fri Nov 20 07:07:01 2026 UTC
//! AAA
//! AARP
//! …
//! XN--ZFR164B
//! ```

use crate::engine::unicode::a_label::is_a_label;
use jiff::civil::Date;

use crate::engine::TldTable;

/// Bytes of a list at most. The real one has about 10,000.
pub const MAX_BYTES: usize = 256 * 1024;

/// Names that a plausible list has at least; the root has had over 1,400 since 2017.
const MIN_NAMES: usize = 1_000;

/// Names that a plausible list has at most.
const MAX_NAMES: usize = 20_000;

/// Percent of the names that may go at once. In no year have there been more than 3.
const MAX_REMOVED_PERCENT: usize = 5;

/// Names that every list must have.
const REQUIRED_NAMES: [&str; 3] = ["com", "net", "org"];

/// Why a text is not accepted as the list of top-level domains.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ListError {
    #[error("expected at most {MAX_BYTES} bytes, found more")]
    TooLong,
    #[error("expected a first line `# Version YYYYMMDDNN, ...`, found {0:?}")]
    Header(String),
    #[error("line {line}: expected a top-level domain in ASCII, found {found:?}")]
    Name { line: usize, found: String },
    #[error("expected {MIN_NAMES} to {MAX_NAMES} names, found {0}")]
    Size(usize),
    #[error("expected .{0} among the names, did not find it")]
    Missing(&'static str),
    #[error(
        "expected at most {MAX_REMOVED_PERCENT} % of the {before} names before to be gone, found {gone} gone"
    )]
    Removed { before: usize, gone: usize },
    #[error("expected a version not older than {before:?}, found {found:?}")]
    Older { before: String, found: String },
}

/// Parses a list. The table's version is the header's `YYYYMMDDNN`.
///
/// Every line must be a TLD by the syntax of S10 (docs/readings.md), in lower or upper case. Blank
/// lines and comments are skipped.
///
/// # Errors
/// The first invalid line.
pub fn parse(text: &str) -> Result<TldTable, ListError> {
    if text.len() > MAX_BYTES {
        return Err(ListError::TooLong);
    }
    let mut lines = text.trim_start_matches('\u{FEFF}').lines().enumerate();
    let first = lines.next().map(|(_, line)| line).unwrap_or_default();
    let version = parse_version(first).ok_or_else(|| ListError::Header(excerpt(first)))?;
    let mut names = Vec::new();
    for (index, line) in lines {
        let name = line.trim();
        if name.is_empty() || name.starts_with('#') {
            continue;
        }
        if !is_tld_syntax(name) {
            return Err(ListError::Name { line: index + 1, found: excerpt(name) });
        }
        names.push(name);
    }
    Ok(TldTable::new(names, version))
}

/// Checks that a table can be the list of top-level domains at all.
///
/// # Errors
/// When the number of names is out of range, or `com`, `net` or `org` is missing.
pub fn check(table: &TldTable) -> Result<(), ListError> {
    if !(MIN_NAMES..=MAX_NAMES).contains(&table.len()) {
        return Err(ListError::Size(table.len()));
    }
    match REQUIRED_NAMES.into_iter().find(|name| !table.contains(name)) {
        Some(name) => Err(ListError::Missing(name)),
        None => Ok(()),
    }
}

/// Checks that a new table may replace the last good one.
///
/// # Errors
/// When it is implausible by itself, too many names are gone, or its version is older: a replayed
/// old list would bring back names that are gone.
pub fn check_replacement(new: &TldTable, before: &TldTable) -> Result<(), ListError> {
    check(new)?;
    let names = before.sorted();
    let gone = names.iter().filter(|name| !new.contains(name)).count();
    if gone * 100 > names.len() * MAX_REMOVED_PERCENT {
        return Err(ListError::Removed { before: names.len(), gone });
    }
    match (day_of_version(&new.version), day_of_version(&before.version)) {
        (Some(_), Some(_)) if new.version < before.version => {
            Err(ListError::Older { before: before.version.clone(), found: new.version.clone() })
        }
        _ => Ok(()),
    }
}

/// Days from 1970-01-01 to the day in IANA's version `YYYYMMDDNN`.
pub fn day_of_version(version: &str) -> Option<u64> {
    if version.len() != 10 || !version.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let number = |range: std::ops::Range<usize>| version.get(range)?.parse::<u64>().ok();
    days_from_civil(number(0..4)?, number(4..6)?, number(6..8)?)
}

/// Days from 1970-01-01 to a date of the Gregorian calendar. `None` for earlier dates and invalid
/// ones.
pub fn days_from_civil(year: u64, month: u64, day: u64) -> Option<u64> {
    const FIRST: Date = Date::constant(1970, 1, 1);
    let (year, month, day) = (year.try_into().ok()?, month.try_into().ok()?, day.try_into().ok()?);
    let day = Date::new(year, month, day).ok()?;
    u64::try_from(day.duration_since(FIRST).as_hours() / 24).ok()
}

/// Whether the name has the syntax of a TLD in ASCII form (S10): only letters, or an A-label.
pub fn is_tld_syntax(name: &str) -> bool {
    let letters = |bytes: &str| bytes.bytes().all(|byte| byte.is_ascii_alphabetic());
    if is_a_label(name) {
        return name.len() <= 63
            && idna::domain_to_unicode(name).1.is_ok()
            && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
    }
    (2..=63).contains(&name.len()) && letters(name)
}

fn parse_version(header: &str) -> Option<&str> {
    let rest = header.strip_prefix("# Version ")?;
    let version = rest.split([',', ' ']).next()?;
    day_of_version(version).map(|_| version)
}

fn excerpt(line: &str) -> String {
    line.chars().take(60).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(names: impl IntoIterator<Item = String>) -> String {
        let mut text =
            "# Version 2026112000, Last Updated Fri Nov 20 07:07:01 2026 UTC\n".to_owned();
        for name in names {
            text.push_str(&name.to_uppercase());
            text.push('\n');
        }
        text
    }

    fn real_names() -> Vec<String> {
        crate::tld::builtin().sorted().into_iter().map(str::to_owned).collect()
    }

    #[test]
    fn a_list_in_ianas_form_is_read() {
        let table = parse(&list(real_names())).unwrap();
        assert_eq!(table.version, "2026112000");
        assert_eq!(table.sorted(), crate::tld::builtin().sorted());
        assert_eq!(check_replacement(&table, &crate::tld::builtin()), Ok(()));
    }

    #[test]
    fn line_ends_blank_lines_and_a_byte_order_mark_do_not_matter() {
        let text = list(real_names()).replace('\n', "\r\n") + "\r\n# end\r\n";
        assert_eq!(parse(&format!("\u{FEFF}{text}")).unwrap().len(), real_names().len());
    }

    #[test]
    fn an_invalid_list_is_refused_with_line_and_reason() {
        for (text, why) in [
            (
                "<html>captive portal</html>",
                "expected a first line `# Version YYYYMMDDNN, ...`, found \"<html>captive portal</html>\"",
            ),
            ("", "expected a first line `# Version YYYYMMDDNN, ...`, found \"\""),
            (
                "# Version 2026133200, x\nCOM\n",
                "expected a first line `# Version YYYYMMDDNN, ...`, found \"# Version 2026133200, x\"",
            ),
            (
                "# Version 2026112000\nCOM\nA B\n",
                "line 3: expected a top-level domain in ASCII, found \"A B\"",
            ),
            (
                "# Version 2026112000\nco.uk\n",
                "line 2: expected a top-level domain in ASCII, found \"co.uk\"",
            ),
            (
                "# Version 2026112000\nXN--999999999\n",
                "line 2: expected a top-level domain in ASCII, found \"XN--999999999\"",
            ),
        ] {
            assert_eq!(parse(text).unwrap_err().to_string(), why);
        }
        assert!(matches!(parse(&"#".repeat(MAX_BYTES + 1)), Err(ListError::TooLong)));
    }

    #[test]
    fn an_implausible_list_is_refused() {
        let before = crate::tld::builtin();
        let without = |gone: &str| {
            let names = real_names().into_iter().filter(|name| name != gone);
            parse(&list(names)).unwrap()
        };
        assert_eq!(check_replacement(&without("org"), &before), Err(ListError::Missing("org")));
        assert_eq!(check_replacement(&without("museum"), &before), Ok(()));
        let few = parse(&list(["com", "net", "org"].map(str::to_owned))).unwrap();
        assert_eq!(check_replacement(&few, &before), Err(ListError::Size(3)));
        let many = before.len();
        let keeping = |count: usize| {
            let names = real_names().into_iter();
            let kept = names.enumerate().filter(|(index, name)| {
                *index >= many - count || REQUIRED_NAMES.contains(&name.as_str())
            });
            parse(&list(kept.map(|(_, name)| name))).unwrap()
        };
        let limit = many * MAX_REMOVED_PERCENT / 100;
        assert_eq!(check_replacement(&keeping(many - limit), &before), Ok(()));
        assert_eq!(
            check_replacement(&keeping(many - limit - 1), &before),
            Err(ListError::Removed { before: many, gone: limit + 1 })
        );
    }

    #[test]
    fn an_older_list_is_refused() {
        let new = parse(&list(real_names())).unwrap();
        let old = parse(&list(real_names()).replace("2026112000", "2026111900")).unwrap();
        assert_eq!(check_replacement(&new, &old), Ok(()));
        assert_eq!(check_replacement(&new, &new), Ok(()));
        assert!(matches!(check_replacement(&old, &new), Err(ListError::Older { .. })));
    }

    #[test]
    fn days_count_from_the_epoch() {
        for (date, days) in [
            ((1970, 1, 1), Some(0)),
            ((2000, 2, 29), Some(11_016)),
            ((2026, 11, 1), Some(20_758)),
            ((1969, 12, 31), None),
            ((2026, 13, 1), None),
            ((2026, 2, 31), None),
            ((9999, 12, 31), Some(2_932_896)),
            ((99_999, 1, 1), None),
        ] {
            let (year, month, day) = date;
            assert_eq!(days_from_civil(year, month, day), days, "{date:?}");
        }
    }
}
