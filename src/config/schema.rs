//! The schema: sections and keys, their documentation, defaults and bounds, written once.
//!
//! [`settings!`] makes of one declaration the struct, its reader, and the [`Key`]s from which
//! `conf/linkmilter.toml`, `config print` and the built-in layer come.

use std::collections::{BTreeMap, HashMap};

use ::config::{Value, ValueKind};

use super::problem::{BUILTIN, KNOWN_KEY, Problem, nearest};
use super::setting::{At, Bounds, Setting, shown};

/// When a changed setting takes effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// With the next message after a reload.
    Reload,
    /// When the daemon is started anew.
    Restart,
}

/// A key of a section.
#[derive(Clone, Copy, Debug)]
pub struct Key {
    pub name: &'static str,
    /// The built-in value in TOML; empty when there is none.
    pub default: &'static str,
    pub effect: Effect,
    pub bounds: Option<Bounds>,
    /// What it does, its unit, why its default is what it is; a line each.
    pub doc: &'static [&'static str],
    /// What may stand there.
    pub expected: fn(Option<Bounds>) -> String,
}

/// A table of the configuration.
pub trait Section: Sized {
    /// What the section is about; a line each.
    const ABOUT: &'static [&'static str];
    const KEYS: &'static [Key];

    /// Reads every key; `None` when one of them is wrong.
    fn read(table: &mut Table<'_>) -> Option<Self>;
}

/// An effective setting.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Effective {
    /// Path of the key.
    pub key: String,
    /// The value in TOML.
    pub value: String,
    pub origin: String,
    pub effect: Effect,
}

/// What reading the tree yields beside the values.
#[derive(Debug, Default)]
pub struct Reading {
    pub problems: Vec<Problem>,
    pub effective: Vec<Effective>,
}

/// One table of the merged tree, being read.
#[derive(Debug)]
pub struct Table<'a> {
    path: String,
    values: Option<&'a HashMap<String, Value>>,
    keys: &'static [Key],
    reading: &'a mut Reading,
}

impl<'a> Table<'a> {
    /// The table of a section at `path`; `value` is what stands there, if anything.
    pub fn new(
        path: String,
        value: Option<&'a Value>,
        keys: &'static [Key],
        reading: &'a mut Reading,
    ) -> Table<'a> {
        let values = match value.map(|value| (value, &value.kind)) {
            None => None,
            Some((_, ValueKind::Table(values))) => Some(values),
            Some((value, _)) => {
                let at = At { key: &path, value, bounds: None };
                reading.problems.push(at.problem(format!("a table [{path}]")));
                None
            }
        };
        Table { path, values, keys, reading }
    }

    /// Reads the value of a key of the section. In the place of a wrong value stands the built-in one,
    /// so that the rest can be looked at as well: the problem is told all the same.
    pub fn take<T: Setting>(&mut self, name: &str) -> Option<T> {
        let key = self.keys.iter().find(|key| key.name == name)?;
        let path = format!("{}.{name}", self.path);
        let (typed, default);
        let value = match self.values.and_then(|values| values.get(name)) {
            Some(value) if is_untyped(value) => {
                typed = T::typed(value);
                &typed
            }
            Some(value) => value,
            None if key.default.is_empty() => return T::absent(),
            None => {
                default = builtin_value(key.default)?;
                &default
            }
        };
        let at = At { key: &path, value, bounds: key.bounds };
        self.reading.effective.extend(effective(at, key.effect));
        if let Some(value) = T::read(at, &mut self.reading.problems) {
            return Some(value);
        }
        if key.default.is_empty() {
            return T::absent();
        }
        let default = builtin_value(key.default)?;
        T::read(At { value: &default, ..at }, &mut Vec::new())
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
            self.reading.problems.push(unknown_key(&path, value));
        }
    }
}

/// The setting as it holds; of a table each entry, since layers merge them one by one.
fn effective(at: At<'_>, effect: Effect) -> Vec<Effective> {
    let setting = |key: String, value: &Value| Effective {
        key,
        value: shown(value),
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

/// Whether the value was written where everything is text.
fn is_untyped(value: &Value) -> bool {
    let origin = value.origin().unwrap_or_default();
    origin.starts_with("environment ") || origin.starts_with("flag ")
}

/// The problem of a key that nobody knows. Keys of named tables are compared among themselves.
pub(super) fn unknown_key(path: &str, value: &Value) -> Problem {
    let at = At { key: path, value, bounds: None };
    let mut problem = at.problem_with(KNOWN_KEY.to_owned(), format!("the key {path}"));
    let known = super::known_keys();
    let named = super::NAMED.into_iter().find_map(|section| {
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
            // A section that is not known has no key that is: then the section is meant.
            nearest(path, full).or_else(|| {
                let section = path.split('.').next().unwrap_or_default();
                let sections = || super::sections().into_iter().map(|(known, _, _)| known);
                sections().all(|known| known != section).then(|| nearest(section, sections()))?
            })
        }
    };
    problem
}

/// A built-in value from its TOML.
fn builtin_value(toml: &str) -> Option<Value> {
    let file = ::config::File::from_str(&format!("value = {toml}"), ::config::FileFormat::Toml);
    let mut table = ::config::Source::collect(&file).ok()?;
    table.remove("value")
}

/// Declares a section: struct, reader and keys in one.
///
/// A field is `/// doc`, `name: type = "default in TOML", Reload|Restart, least..=most;`.
macro_rules! settings {
    (
        $(#[doc = $about:literal])*
        pub struct $name:ident {
            $(
                $(#[doc = $doc:literal])*
                $field:ident: $type:ty = $default:literal, $effect:ident
                    $(, $least:literal..=$most:literal)?;
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
                    bounds: $crate::config::schema::settings!(@bounds $($least, $most)?),
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
    (@bounds) => { None };
    (@bounds $least:literal, $most:literal) => {
        Some($crate::config::setting::Bounds { least: $least, most: $most })
    };
}
pub(super) use settings;
