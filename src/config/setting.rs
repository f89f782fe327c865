//! How one value is read: types, units, ranges. Nothing is taken for what it is not: `"yes"` is
//! no boolean, `30` no duration.

use std::path::PathBuf;
use std::time::Duration;

use ::config::{Value, ValueKind};

use super::problem::{BUILTIN, Problem};

/// The least and the most a number may be, in its base unit (milliseconds, bytes, pieces).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    pub least: u64,
    pub most: u64,
}

/// A value that stands somewhere.
#[derive(Clone, Copy, Debug)]
pub struct At<'a> {
    /// Path of the key.
    pub key: &'a str,
    pub value: &'a Value,
    pub bounds: Option<Bounds>,
}

/// A type that a value of the configuration can have.
pub trait Setting: Sized {
    /// What must stand there, for error messages and documentation.
    fn expected(bounds: Option<Bounds>) -> String;

    /// Reads the value; whatever is wrong becomes a problem.
    fn read(at: At<'_>, problems: &mut Vec<Problem>) -> Option<Self>;

    /// The value with the type that it would have in a file, for the environment and the command
    /// line, where everything is text. What fits no type stays as it is.
    fn typed(value: &Value) -> Value {
        value.clone()
    }

    /// The value when no layer has the key and the key has no built-in value.
    fn absent() -> Option<Self> {
        None
    }
}

/// A setting that is written as text.
pub trait Text: Sized {
    fn expected() -> String;
    /// The value, or what is wrong with the text when that says more than [`Text::expected`].
    fn parse(text: &str) -> Result<Self, Option<String>>;
}

/// A count of bytes, written as an integer or with a unit (`64MiB`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Size(pub u64);

impl At<'_> {
    pub fn origin(&self) -> &str {
        self.value.origin().unwrap_or(BUILTIN)
    }

    /// The problem that something else was expected here.
    pub fn problem(&self, expected: String) -> Problem {
        self.problem_with(expected, shown(self.value))
    }

    pub fn problem_with(&self, expected: String, found: String) -> Problem {
        Problem {
            key: self.key.to_owned(),
            origin: self.origin().to_owned(),
            expected,
            found,
            nearest: None,
        }
    }
}

impl Bounds {
    fn hold(bounds: Option<Bounds>, number: u64) -> bool {
        bounds.is_none_or(|bounds| (bounds.least..=bounds.most).contains(&number))
    }
}

/// A value as it would be written in TOML.
pub(super) fn shown(value: &Value) -> String {
    match &value.kind {
        ValueKind::Nil => "nothing".to_owned(),
        ValueKind::String(text) => format!("{text:?}"),
        ValueKind::Array(values) => {
            format!("[{}]", values.iter().map(shown).collect::<Vec<_>>().join(", "))
        }
        ValueKind::Table(table) => {
            let mut fields: Vec<String> =
                table.iter().map(|(key, value)| format!("{key} = {}", shown(value))).collect();
            fields.sort();
            if fields.is_empty() { "{}".to_owned() } else { format!("{{ {} }}", fields.join(", ")) }
        }
        other => other.to_string(),
    }
}

impl<T: Text> Setting for T {
    fn expected(_: Option<Bounds>) -> String {
        <T as Text>::expected()
    }

    fn read(at: At<'_>, problems: &mut Vec<Problem>) -> Option<T> {
        let ValueKind::String(text) = &at.value.kind else {
            problems.push(at.problem(<T as Text>::expected()));
            return None;
        };
        match T::parse(text) {
            Ok(value) => Some(value),
            Err(why) => {
                let expected = why.unwrap_or_else(<T as Text>::expected);
                problems.push(at.problem(expected));
                None
            }
        }
    }
}

impl Setting for bool {
    fn expected(_: Option<Bounds>) -> String {
        "true or false".to_owned()
    }

    fn typed(value: &Value) -> Value {
        retyped(value, |text| text.parse::<bool>().ok().map(ValueKind::Boolean))
    }

    fn read(at: At<'_>, problems: &mut Vec<Problem>) -> Option<bool> {
        match &at.value.kind {
            ValueKind::Boolean(value) => Some(*value),
            _ => {
                problems.push(at.problem(<bool as Setting>::expected(None)));
                None
            }
        }
    }
}

impl Setting for u64 {
    fn expected(bounds: Option<Bounds>) -> String {
        match bounds {
            Some(Bounds { least, most }) => format!("an integer from {least} to {most}"),
            None => "an integer of at least 0".to_owned(),
        }
    }

    fn typed(value: &Value) -> Value {
        retyped(value, |text| text.parse::<i64>().ok().map(ValueKind::I64))
    }

    fn read(at: At<'_>, problems: &mut Vec<Problem>) -> Option<u64> {
        let number = match &at.value.kind {
            ValueKind::I64(number) => u64::try_from(*number).ok(),
            ValueKind::U64(number) => Some(*number),
            _ => None,
        };
        let number = number.filter(|number| Bounds::hold(at.bounds, *number));
        if number.is_none() {
            problems.push(at.problem(<u64 as Setting>::expected(at.bounds)));
        }
        number
    }
}

impl Setting for usize {
    fn expected(bounds: Option<Bounds>) -> String {
        <u64 as Setting>::expected(bounds)
    }

    fn typed(value: &Value) -> Value {
        <u64 as Setting>::typed(value)
    }

    fn read(at: At<'_>, problems: &mut Vec<Problem>) -> Option<usize> {
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
    fn expected(bounds: Option<Bounds>) -> String {
        let range = bounds.map_or_else(String::new, |bounds| {
            let (least, most) =
                (with_unit(bounds.least, TIME_UNITS), with_unit(bounds.most, TIME_UNITS));
            format!(" from {least} to {most}")
        });
        format!("a duration{range}, such as \"500ms\", \"30s\", \"15m\", \"24h\", \"7d\"")
    }

    fn read(at: At<'_>, problems: &mut Vec<Problem>) -> Option<Duration> {
        let number = match &at.value.kind {
            ValueKind::String(text) => number_with_unit(text, TIME_UNITS),
            _ => None,
        };
        let number = number.filter(|number| Bounds::hold(at.bounds, *number));
        if number.is_none() {
            problems.push(at.problem(<Duration as Setting>::expected(at.bounds)));
        }
        number.map(Duration::from_millis)
    }
}

impl Setting for Size {
    fn expected(bounds: Option<Bounds>) -> String {
        let range = bounds.map_or_else(String::new, |bounds| {
            let (least, most) =
                (with_unit(bounds.least, SIZE_UNITS), with_unit(bounds.most, SIZE_UNITS));
            format!(" from {least} to {most}")
        });
        format!("a size{range}, such as 6000 (bytes), \"64KiB\", \"25MB\"")
    }

    fn typed(value: &Value) -> Value {
        <u64 as Setting>::typed(value)
    }

    fn read(at: At<'_>, problems: &mut Vec<Problem>) -> Option<Size> {
        let number = match &at.value.kind {
            ValueKind::String(text) => number_with_unit(text, SIZE_UNITS),
            ValueKind::I64(number) => u64::try_from(*number).ok(),
            _ => None,
        };
        let number = number.filter(|number| Bounds::hold(at.bounds, *number));
        if number.is_none() {
            problems.push(at.problem(<Size as Setting>::expected(at.bounds)));
        }
        number.map(Size)
    }
}

/// A text with the kind that it stands for, if it does.
fn retyped(value: &Value, kind: impl FnOnce(&str) -> Option<ValueKind>) -> Value {
    let found = match &value.kind {
        ValueKind::String(text) => kind(text),
        _ => None,
    };
    found.map_or_else(
        || value.clone(),
        |kind| Value::new(value.origin().map(str::to_owned).as_ref(), kind),
    )
}

/// `15m` in the base unit; the unit may be left out of `0` only.
fn number_with_unit(text: &str, units: &[(&str, u64)]) -> Option<u64> {
    if text == "0" {
        return Some(0);
    }
    let digits = text.find(|char: char| !char.is_ascii_digit())?;
    let (number, unit) = text.split_at_checked(digits)?;
    let (_, factor) = units.iter().find(|(name, _)| *name == unit.trim_start())?;
    number.parse::<u64>().ok()?.checked_mul(*factor)
}

/// The number in the biggest unit that divides it.
fn with_unit(number: u64, units: &[(&str, u64)]) -> String {
    let unit = units.iter().rev().find(|(_, factor)| number.is_multiple_of(*factor) && number > 0);
    unit.map_or_else(|| number.to_string(), |(name, factor)| format!("{}{name}", number / factor))
}

impl<T: Setting> Setting for Vec<T> {
    fn expected(bounds: Option<Bounds>) -> String {
        format!("a list, each {}", T::expected(bounds))
    }

    /// Separated by commas.
    fn typed(value: &Value) -> Value {
        let origin = value.origin().map(str::to_owned);
        retyped(value, |text| {
            let words = text.split(',').map(str::trim).filter(|word| !word.is_empty());
            let element = |word| T::typed(&Value::new(origin.as_ref(), word));
            Some(ValueKind::Array(words.map(element).collect()))
        })
    }

    fn read(at: At<'_>, problems: &mut Vec<Problem>) -> Option<Vec<T>> {
        let values = match &at.value.kind {
            ValueKind::Array(values) => values,
            _ => {
                problems.push(at.problem(<Vec<T> as Setting>::expected(at.bounds)));
                return None;
            }
        };
        let mut read = Some(Vec::with_capacity(values.len()));
        for value in values {
            let element = T::read(At { value, ..at }, problems);
            read = read.zip(element).map(|(mut read, element)| {
                read.push(element);
                read
            });
        }
        read
    }

    fn absent() -> Option<Vec<T>> {
        Some(Vec::new())
    }
}

/// Empty text is no value.
impl<T: Setting> Setting for Option<T> {
    fn expected(bounds: Option<Bounds>) -> String {
        format!("{}, or \"\" for none", T::expected(bounds))
    }

    fn typed(value: &Value) -> Value {
        T::typed(value)
    }

    fn read(at: At<'_>, problems: &mut Vec<Problem>) -> Option<Option<T>> {
        match &at.value.kind {
            ValueKind::String(text) if text.is_empty() => Some(None),
            _ => T::read(at, problems).map(Some),
        }
    }

    fn absent() -> Option<Option<T>> {
        Some(None)
    }
}

impl Text for String {
    fn expected() -> String {
        "text without control characters".to_owned()
    }

    fn parse(text: &str) -> Result<String, Option<String>> {
        if text.chars().any(char::is_control) { Err(None) } else { Ok(text.to_owned()) }
    }
}

impl Text for PathBuf {
    fn expected() -> String {
        "a path".to_owned()
    }

    fn parse(text: &str) -> Result<PathBuf, Option<String>> {
        if text.is_empty() || text.contains('\0') { Err(None) } else { Ok(PathBuf::from(text)) }
    }
}

/// Words of the configuration for the variants of an enum.
macro_rules! choice {
    ($type:ty { $($word:literal = $variant:expr),* $(,)? }) => {
        impl $crate::config::setting::Text for $type {
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
