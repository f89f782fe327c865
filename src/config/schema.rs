//! The schema: sections and keys with their documentation, defaults and ranges, declared once.
//!
//! From one declaration, [`settings!`] makes the struct, its reader, and the [`Key`]s. From these
//! come `conf/linkmilter.toml`, `config print` and the built-in layer.

use std::collections::{BTreeMap, HashMap};

use ::config::{Value, ValueKind};

use super::problem::{BUILTIN, KNOWN_KEY, Problem, nearest};
use super::setting::{NumberRange, RawValue, Setting, to_toml};

/// When a changed setting takes effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// With the next message after a reload.
    Reload,
    /// After a restart of the daemon.
    Restart,
}

/// A key of a section.
#[derive(Clone, Copy, Debug)]
pub struct Key {
    pub name: &'static str,
    /// The built-in value in TOML. Empty if there is none.
    pub default: &'static str,
    pub effect: Effect,
    pub range: Option<NumberRange>,
    /// What it does, its unit, the reason for its default. One line each.
    pub doc: &'static [&'static str],
    /// What values it accepts.
    pub expected: fn(Option<NumberRange>) -> String,
}

impl Key {
    /// A sentence about the values that it accepts, in the words of the error message, and when a change takes effect.
    pub fn takes(&self) -> String {
        let effect = match self.effect {
            Effect::Reload => "",
            Effect::Restart => " Needs a restart.",
        };
        format!("Takes {}.{effect}", (self.expected)(self.range))
    }
}

/// Lines as one paragraph.
pub fn joined(lines: &[&str]) -> String {
    let words: Vec<&str> = lines.iter().flat_map(|line| line.split_whitespace()).collect();
    words.join(" ")
}

/// A table of the configuration.
pub trait Section: Sized {
    /// What the section is about. One line each.
    const ABOUT: &'static [&'static str];
    const KEYS: &'static [Key];

    /// Reads every key. `None` when one of them is invalid.
    fn read(table: &mut Table<'_>) -> Option<Self>;
}

/// A setting in force.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Effective {
    /// Path of the key.
    pub key: String,
    /// The value in TOML.
    pub value: String,
    pub origin: String,
    pub effect: Effect,
}

/// Collects problems and effective settings while the tree is read.
#[derive(Debug, Default)]
pub struct Collector {
    pub problems: Vec<Problem>,
    pub effective: Vec<Effective>,
}

/// A table of the merged tree while it is read.
#[derive(Debug)]
pub struct Table<'a> {
    path: String,
    values: Option<&'a HashMap<String, Value>>,
    keys: &'static [Key],
    collector: &'a mut Collector,
}

impl<'a> Table<'a> {
    /// The table of a section at `path`. `value` is its content, if there is any.
    pub fn new(
        path: String,
        value: Option<&'a Value>,
        keys: &'static [Key],
        collector: &'a mut Collector,
    ) -> Table<'a> {
        let values = match value.map(|value| (value, &value.kind)) {
            None => None,
            Some((_, ValueKind::Table(values))) => Some(values),
            Some((value, _)) => {
                let at = RawValue { key: &path, value, range: None };
                collector.problems.push(at.problem(format!("a table [{path}]")));
                None
            }
        };
        Table { path, values, keys, collector }
    }

    /// Reads the value of a key. An invalid value is reported and replaced by the built-in one, so
    /// that the rest can be checked as well.
    pub fn take<T: Setting>(&mut self, name: &str) -> Option<T> {
        let key = self.keys.iter().find(|key| key.name == name)?;
        let path = format!("{}.{name}", self.path);
        let (from_text, default);
        let value = match self.values.and_then(|values| values.get(name)) {
            Some(value) if is_untyped(value) => {
                from_text = T::from_text(value);
                &from_text
            }
            Some(value) => value,
            None if key.default.is_empty() => return T::absent(),
            None => {
                default = builtin_value(key.default)?;
                &default
            }
        };
        let at = RawValue { key: &path, value, range: key.range };
        self.collector.effective.extend(effective(at, key.effect));
        if let Some(value) = T::read(at, &mut self.collector.problems) {
            return Some(value);
        }
        if key.default.is_empty() {
            return T::absent();
        }
        let default = builtin_value(key.default)?;
        T::read(RawValue { value: &default, ..at }, &mut Vec::new())
    }

    /// Reports keys that the section does not have.
    pub fn refuse_unknown(self) {
        let Some(values) = self.values else { return };
        let mut unknown: Vec<(&String, &Value)> = values
            .iter()
            .filter(|(name, _)| self.keys.iter().all(|key| key.name != *name))
            .collect();
        unknown.sort_by_key(|(name, _)| *name);
        for (name, value) in unknown {
            let path = format!("{}.{name}", self.path);
            self.collector.problems.push(unknown_key(&path, value));
        }
    }
}

/// The effective setting. A table gives one for each entry, because layers merge tables entry by
/// entry.
fn effective(at: RawValue<'_>, effect: Effect) -> Vec<Effective> {
    let setting = |key: String, value: &Value| Effective {
        key,
        value: to_toml(value),
        origin: value.origin().unwrap_or(BUILTIN).to_owned(),
        effect,
    };
    match &at.value.kind {
        ValueKind::Table(entries) if !entries.is_empty() => {
            let sorted: BTreeMap<&String, &Value> = entries.iter().collect();
            let entry = |(name, value)| setting(format!("{}.{name}", at.key), value);
            sorted.into_iter().map(entry).collect()
        }
        _ => vec![setting(at.key.to_owned(), at.value)],
    }
}

/// Whether the value is from a place where everything is text.
fn is_untyped(value: &Value) -> bool {
    let origin = value.origin().unwrap_or_default();
    origin.starts_with("environment ") || origin.starts_with("flag ")
}

/// The problem of an unknown key. Keys of named tables are compared only with keys of such tables.
pub(super) fn unknown_key(path: &str, value: &Value) -> Problem {
    let at = RawValue { key: path, value, range: None };
    let mut problem = at.problem_with(KNOWN_KEY.to_owned(), format!("the key {path}"));
    if let Some(table) = nearest_table(path, value) {
        problem.nearest = Some(table);
        return problem;
    }
    let known = super::known_keys();
    let named = super::NAMED_SECTIONS.into_iter().find_map(|section| {
        let rest = path.strip_prefix(section)?.strip_prefix('.')?;
        rest.split_once('.').map(|(name, key)| (section, name, key))
    });
    problem.nearest = match named {
        Some((section, name, key)) => {
            let prefix = format!("{section}.*.");
            let known = known.iter().filter_map(|known| known.strip_prefix(&prefix));
            nearest(key, known).map(|key| format!("{section}.{name}.{key}"))
        }
        None if !path.contains('.') => {
            let sections = super::sections().map(|(section, _, _)| section);
            nearest(path, sections.into_iter().chain(known.iter().map(String::as_str)))
        }
        None => {
            let full = known.iter().map(String::as_str).filter(|key| !key.contains('*'));
            // In an unknown section no key is known. Then the section is probably misspelled.
            nearest(path, full).or_else(|| {
                let section = path.split('.').next().unwrap_or_default();
                let sections = || super::sections().into_iter().map(|(known, _, _)| known);
                sections().all(|known| known != section).then(|| nearest(section, sections()))?
            })
        }
    };
    problem
}

/// The table of any name that is probably meant: `rules.board` for `rule.board`.
fn nearest_table(path: &str, value: &Value) -> Option<String> {
    let (section, name) = path.split_once('.')?;
    let is_table = matches!(value.kind, ValueKind::Table(_));
    let is_known = super::sections().into_iter().any(|(known, _, _)| known == section);
    let section = nearest(section, super::NAMED_SECTIONS).filter(|_| is_table && !is_known)?;
    Some(format!("{section}.{name}"))
}

/// Parses a built-in value.
fn builtin_value(toml: &str) -> Option<Value> {
    let file = ::config::File::from_str(&format!("value = {toml}"), ::config::FileFormat::Toml);
    let mut table = ::config::Source::collect(&file).ok()?;
    table.remove("value")
}

/// Declares a section: struct, reader and keys.
///
/// A field is `/// doc`, `name: type = "default in TOML", Reload|Restart, min..=max;`.
macro_rules! settings {
    (
        $(#[doc = $about:literal])*
        pub struct $name:ident {
            $(
                $(#[doc = $doc:literal])*
                $field:ident: $type:ty = $default:literal, $effect:ident
                    $(, $min:literal..=$max:literal)?;
            )*
        }
    ) => {
        $(#[doc = $about])*
        #[derive(Clone, Debug, PartialEq)]
        pub struct $name {
            $($(#[doc = $doc])* pub $field: $type,)*
        }

        impl $crate::config::schema::Section for $name {
            const ABOUT: &'static [&'static str] = &[$($about),*];
            const KEYS: &'static [$crate::config::schema::Key] = &[$(
                $crate::config::schema::Key {
                    name: stringify!($field),
                    default: $default,
                    effect: $crate::config::schema::Effect::$effect,
                    range: $crate::config::schema::settings!(@range $($min, $max)?),
                    doc: &[$($doc),*],
                    expected: <$type as $crate::config::setting::Setting>::expected,
                },
            )*];

            fn read(table: &mut $crate::config::schema::Table<'_>) -> Option<Self> {
                $(let $field = table.take::<$type>(stringify!($field));)*
                Some($name { $($field: $field?,)* })
            }
        }
    };
    (@range) => { None };
    (@range $min:literal, $max:literal) => {
        Some($crate::config::setting::NumberRange { min: $min, max: $max })
    };
}
pub(super) use settings;
