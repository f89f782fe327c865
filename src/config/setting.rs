//! Reading one value: types, units, ranges. Values are not converted to another type: `"yes"` is
//! not a boolean, and `30` is not a duration.

use std::path::PathBuf;
use std::time::Duration;

use ::config::{Value, ValueKind};

use super::problem::{BUILTIN, Problem};

/// The range of a number, in its base unit (milliseconds, bytes, pieces).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NumberRange {
    pub min: u64,
    pub max: u64,
}

/// A value with its key and its range, before it is parsed.
#[derive(Clone, Copy, Debug)]
pub struct RawValue<'a> {
    /// Path of the key.
    pub key: &'a str,
    pub value: &'a Value,
    pub range: Option<NumberRange>,
}

/// A type of a setting.
pub trait Setting: Sized {
    /// What is expected, for error messages and documentation.
    fn expected(range: Option<NumberRange>) -> String;

    /// Parses the value. Whatever is wrong becomes a problem.
    fn read(at: RawValue<'_>, problems: &mut Vec<Problem>) -> Option<Self>;

    /// Converts text from the environment or the command line, where everything is text, to the
    /// type that the value would have in a file. Text that does not fit is returned unchanged.
    fn from_text(value: &Value) -> Value {
        value.clone()
    }

    /// The value when no layer has the key and it has no default.
    fn absent() -> Option<Self> {
        None
    }
}

/// A setting that is written as text.
pub trait TextSetting: Sized {
    /// What is expected, if it is always the same.
    const EXPECTED: &'static str = "";
    fn expected() -> String {
        Self::EXPECTED.to_owned()
    }
    /// Parses the text. An error may say what was expected, if it knows better than
    /// [`TextSetting::expected`].
    fn parse(text: &str) -> Result<Self, Option<String>>;
}

/// A count of bytes, written as an integer or with a unit (`64MiB`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Size(pub u64);

impl RawValue<'_> {
    pub fn origin(&self) -> &str {
        self.value.origin().unwrap_or(BUILTIN)
    }

    /// The problem that something else was expected.
    pub fn problem(&self, expected: String) -> Problem {
        self.problem_with(expected, to_toml(self.value))
    }

    /// Reports that a value of this type was expected.
    pub fn refuse<T: Setting>(&self, problems: &mut Vec<Problem>) -> Option<T> {
        problems.push(self.problem(T::expected(self.range)));
        None
    }

    pub fn problem_with(&self, expected: String, found: String) -> Problem {
        Problem { key: self.key.to_owned(), ..Problem::at(self.origin(), &*expected, found) }
    }
}

impl NumberRange {
    fn admit(range: Option<NumberRange>, number: Option<u64>) -> Option<u64> {
        number.filter(|number| range.is_none_or(|range| (range.min..=range.max).contains(number)))
    }

    /// ` from 1s to 10m`; nothing without a range.
    fn words(range: Option<NumberRange>, units: &[(&str, u64)]) -> String {
        range.map_or_else(String::new, |NumberRange { min, max }| {
            format!(" from {} to {}", with_unit(min, units), with_unit(max, units))
        })
    }
}

pub(super) fn to_toml(value: &Value) -> String {
    match &value.kind {
        ValueKind::Nil => "nothing".to_owned(),
        ValueKind::String(text) => format!("{text:?}"),
        ValueKind::Array(values) => {
            format!("[{}]", values.iter().map(to_toml).collect::<Vec<_>>().join(", "))
        }
        ValueKind::Table(table) => {
            let mut fields: Vec<String> =
                table.iter().map(|(key, value)| format!("{key} = {}", to_toml(value))).collect();
            fields.sort();
            if fields.is_empty() { "{}".to_owned() } else { format!("{{ {} }}", fields.join(", ")) }
        }
        other => other.to_string(),
    }
}

impl<T: TextSetting> Setting for T {
    fn expected(_: Option<NumberRange>) -> String {
        <T as TextSetting>::expected()
    }

    fn read(at: RawValue<'_>, problems: &mut Vec<Problem>) -> Option<T> {
        let ValueKind::String(text) = &at.value.kind else {
            return at.refuse(problems);
        };
        match T::parse(text) {
            Ok(value) => Some(value),
            Err(why) => {
                let expected = why.unwrap_or_else(<T as TextSetting>::expected);
                problems.push(at.problem(expected));
                None
            }
        }
    }
}

impl Setting for bool {
    fn expected(_: Option<NumberRange>) -> String {
        "true or false".to_owned()
    }

    fn from_text(value: &Value) -> Value {
        convert_text(value, |text| text.parse::<bool>().ok().map(ValueKind::Boolean))
    }

    fn read(at: RawValue<'_>, problems: &mut Vec<Problem>) -> Option<bool> {
        match &at.value.kind {
            ValueKind::Boolean(value) => Some(*value),
            _ => at.refuse(problems),
        }
    }
}

impl Setting for u64 {
    fn expected(range: Option<NumberRange>) -> String {
        match range {
            Some(NumberRange { min, max }) => format!("an integer from {min} to {max}"),
            None => "an integer of at least 0".to_owned(),
        }
    }

    fn from_text(value: &Value) -> Value {
        convert_text(value, |text| text.parse::<i64>().ok().map(ValueKind::I64))
    }

    fn read(at: RawValue<'_>, problems: &mut Vec<Problem>) -> Option<u64> {
        let number = match &at.value.kind {
            ValueKind::I64(number) => u64::try_from(*number).ok(),
            ValueKind::U64(number) => Some(*number),
            _ => None,
        };
        NumberRange::admit(at.range, number).or_else(|| at.refuse(problems))
    }
}

impl Setting for usize {
    fn expected(range: Option<NumberRange>) -> String {
        <u64 as Setting>::expected(range)
    }

    fn from_text(value: &Value) -> Value {
        <u64 as Setting>::from_text(value)
    }

    fn read(at: RawValue<'_>, problems: &mut Vec<Problem>) -> Option<usize> {
        let number = <u64 as Setting>::read(at, problems)?;
        let fits = usize::try_from(number).ok();
        if fits.is_none() {
            problems.push(at.problem("a number that fits this machine's word".to_owned()));
        }
        fits
    }
}

const TIME_UNITS: &[(&str, u64)] =
    &[("ms", 1), ("s", 1_000), ("m", 60_000), ("h", 3_600_000), ("d", 86_400_000)];

const SIZE_UNITS: &[(&str, u64)] = &[
    ("B", 1),
    ("kB", 1_000),
    ("KiB", 1 << 10),
    ("MB", 1_000_000),
    ("MiB", 1 << 20),
    ("GB", 1_000_000_000),
    ("GiB", 1 << 30),
];

impl Setting for Duration {
    fn expected(range: Option<NumberRange>) -> String {
        let range = NumberRange::words(range, TIME_UNITS);
        format!("a duration{range}, such as \"500ms\", \"30s\", \"15m\", \"24h\", \"7d\"")
    }

    fn read(at: RawValue<'_>, problems: &mut Vec<Problem>) -> Option<Duration> {
        let number = match &at.value.kind {
            ValueKind::String(text) => number_with_unit(text, TIME_UNITS),
            _ => None,
        };
        let number = NumberRange::admit(at.range, number);
        number.map(Duration::from_millis).or_else(|| at.refuse(problems))
    }
}

impl Setting for Size {
    fn expected(range: Option<NumberRange>) -> String {
        let range = NumberRange::words(range, SIZE_UNITS);
        format!("a size{range}, such as 6000 (bytes), \"64KiB\", \"25MB\"")
    }

    fn from_text(value: &Value) -> Value {
        <u64 as Setting>::from_text(value)
    }

    fn read(at: RawValue<'_>, problems: &mut Vec<Problem>) -> Option<Size> {
        let number = match &at.value.kind {
            ValueKind::String(text) => number_with_unit(text, SIZE_UNITS),
            ValueKind::I64(number) => u64::try_from(*number).ok(),
            _ => None,
        };
        NumberRange::admit(at.range, number).map(Size).or_else(|| at.refuse(problems))
    }
}

fn convert_text(value: &Value, kind: impl FnOnce(&str) -> Option<ValueKind>) -> Value {
    let found = match &value.kind {
        ValueKind::String(text) => kind(text),
        _ => None,
    };
    found.map_or_else(
        || value.clone(),
        |kind| Value::new(value.origin().map(str::to_owned).as_ref(), kind),
    )
}

/// Parses a number with a unit, such as `15m`, to the base unit. Only `0` needs no unit.
fn number_with_unit(text: &str, units: &[(&str, u64)]) -> Option<u64> {
    if text == "0" {
        return Some(0);
    }
    let digits = text.find(|char: char| !char.is_ascii_digit())?;
    let (number, unit) = text.split_at_checked(digits)?;
    let (_, factor) = units.iter().find(|(name, _)| *name == unit.trim_start())?;
    number.parse::<u64>().ok()?.checked_mul(*factor)
}

/// A number in the largest unit that divides it.
fn with_unit(number: u64, units: &[(&str, u64)]) -> String {
    let unit = units.iter().rev().find(|(_, factor)| number.is_multiple_of(*factor) && number > 0);
    unit.map_or_else(|| number.to_string(), |(name, factor)| format!("{}{name}", number / factor))
}

impl<T: Setting> Setting for Vec<T> {
    fn expected(range: Option<NumberRange>) -> String {
        format!("a list, each {}", T::expected(range))
    }

    /// Text is split at commas.
    fn from_text(value: &Value) -> Value {
        let origin = value.origin().map(str::to_owned);
        convert_text(value, |text| {
            let words = text.split(',').map(str::trim).filter(|word| !word.is_empty());
            let element = |word| T::from_text(&Value::new(origin.as_ref(), word));
            Some(ValueKind::Array(words.map(element).collect()))
        })
    }

    fn read(at: RawValue<'_>, problems: &mut Vec<Problem>) -> Option<Vec<T>> {
        let ValueKind::Array(values) = &at.value.kind else { return at.refuse(problems) };
        // Every element is read, so that all problems are reported.
        let read: Vec<Option<T>> =
            values.iter().map(|value| T::read(RawValue { value, ..at }, problems)).collect();
        read.into_iter().collect()
    }

    fn absent() -> Option<Vec<T>> {
        Some(Vec::new())
    }
}

/// An empty text means no value.
impl<T: Setting> Setting for Option<T> {
    fn expected(range: Option<NumberRange>) -> String {
        format!("{}, or \"\" for none", T::expected(range))
    }

    fn from_text(value: &Value) -> Value {
        T::from_text(value)
    }

    fn read(at: RawValue<'_>, problems: &mut Vec<Problem>) -> Option<Option<T>> {
        match &at.value.kind {
            ValueKind::String(text) if text.is_empty() => Some(None),
            _ => T::read(at, problems).map(Some),
        }
    }

    fn absent() -> Option<Option<T>> {
        Some(None)
    }
}

impl TextSetting for String {
    const EXPECTED: &'static str = "text without control characters";

    fn parse(text: &str) -> Result<String, Option<String>> {
        if text.chars().any(char::is_control) { Err(None) } else { Ok(text.to_owned()) }
    }
}

impl TextSetting for PathBuf {
    const EXPECTED: &'static str = "a path";

    fn parse(text: &str) -> Result<PathBuf, Option<String>> {
        // A line break would end the line that names the file.
        let wrong = text.is_empty() || text.contains(['\0', '\n', '\r']);
        if wrong { Err(None) } else { Ok(PathBuf::from(text)) }
    }
}

/// Implements [`TextSetting`] for enums: those with words of their own, or one with the words given here.
macro_rules! choice {
    ($($type:ty),+) => { $(
        impl $crate::config::setting::TextSetting for $type {
            fn expected() -> String {
                let words: Vec<&str> = <$type>::ALL.iter().map(|value| value.as_str()).collect();
                format!("one of {}", words.join(", "))
            }

            fn parse(text: &str) -> Result<Self, Option<String>> {
                <$type>::ALL.iter().copied().find(|value| value.as_str() == text).ok_or(None)
            }
        }
    )+ };
    ($type:ty { $($word:literal = $variant:expr),* $(,)? }) => {
        impl $crate::config::setting::TextSetting for $type {
            fn expected() -> String {
                let words: &[&str] = &[$($word),*];
                format!("one of {}", words.join(", "))
            }

            fn parse(text: &str) -> Result<Self, Option<String>> {
                match text {
                    $($word => Ok($variant),)*
                    _ => Err(None),
                }
            }
        }
    };
}
pub(super) use choice;
