//! Keys that had another name in an earlier version. They still work everywhere, so that an upgrade
//! does not stop on them. `config check` reports them, and `linkmilter config migrate` writes the
//! new names.

use std::collections::HashMap;
use std::fmt;
use std::path::Path;

use ::config::{Value, ValueKind};
use toml::de::{DeTable, DeValue};

use super::lists::{self, ListError};
use super::problem::Problem;

/// The section, the earlier name of a key, and its present name.
const RENAMED: [(&str, &str, &str); 2] =
    [("lists", "allow", "allowed"), ("lists", "allow_file", "allowed_file")];

/// A key that is used under its earlier name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Renamed {
    /// As in a [`Problem`].
    pub origin: String,
    /// Paths of the key, such as `lists.allow` and `lists.allowed`.
    pub old: String,
    pub new: String,
}

impl fmt::Display for Renamed {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}: {} is called {} now", self.origin, self.old, self.new)
    }
}

/// Renames the values of one layer. Files have tables, the environment has paths.
pub(super) fn rename(
    layer: &mut HashMap<String, Value>,
    found: &mut Vec<Renamed>,
    problems: &mut Vec<Problem>,
) {
    for (section, old, new) in RENAMED {
        let renamed_key = |origin: Option<&str>| Renamed {
            origin: origin.unwrap_or_default().to_owned(),
            old: format!("{section}.{old}"),
            new: format!("{section}.{new}"),
        };
        let mut both = Vec::new();
        let mut rename_value = |values: &mut HashMap<String, Value>, old: &str, new: &str| {
            let Some(value) = values.remove(old) else { return };
            let entry = renamed_key(value.origin());
            match values.contains_key(new) {
                true => both.push(entry),
                false => {
                    values.insert(new.to_owned(), value);
                    found.push(entry);
                }
            }
        };
        rename_value(layer, &format!("{section}.{old}"), &format!("{section}.{new}"));
        if let Some(ValueKind::Table(values)) = layer.get_mut(section).map(|value| &mut value.kind)
        {
            rename_value(values, old, new);
        }
        problems.extend(both.into_iter().map(|Renamed { origin, old, new }| {
            let expected = format!("{new} alone, its present name");
            let found = format!("both {old} and {new}");
            Problem { key: old, ..Problem::at(origin, &*expected, found) }
        }));
    }
}

/// Writes present names into a configuration file, and changes nothing else.
///
/// # Errors
/// When the file cannot be read or written.
pub fn rename_in_file(path: &Path) -> Result<(), ListError> {
    lists::edit_file(path, |text| Some(renamed(text)).filter(|new| new != text))
}

/// The text with present names. Invalid TOML is returned unchanged.
fn renamed(text: &str) -> String {
    let (root, errors) = DeTable::parse_recoverable(text);
    let mut edits = Vec::new();
    for (section, old, new) in RENAMED {
        let table = root.get_ref().iter().find(|(key, _)| key.get_ref() == section);
        let Some(DeValue::Table(keys)) = table.map(|(_, value)| value.get_ref()) else { continue };
        let own = keys.iter().filter(|(key, _)| key.get_ref() == old);
        edits.extend(own.map(|(key, _)| (key.span(), new)));
    }
    let mut out = text.to_owned();
    if errors.is_empty() {
        // Edit from the end, so that the spans before stay valid.
        edits.sort_by_key(|(span, _)| std::cmp::Reverse(span.start));
        for (span, new) in edits {
            out.replace_range(span, new);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_written_however_the_key_is_spelled() {
        for (text, expected) in [
            ("[lists]\nallow = [] # ours\n", "[lists]\nallowed = [] # ours\n"),
            ("lists.allow = [\"allow\"]", "lists.allowed = [\"allow\"]"),
            ("lists = { allow_file = \"a\" }", "lists = { allowed_file = \"a\" }"),
            (
                "[lists]\n\"allow\" = []\n'allow_file' = 'x'\n",
                "[lists]\nallowed = []\nallowed_file = 'x'\n",
            ),
            (
                "[dns]\nallow = []\n# [lists]\n# allow = []\n",
                "[dns]\nallow = []\n# [lists]\n# allow = []\n",
            ),
            ("[lists]\nallowed = []\n", "[lists]\nallowed = []\n"),
            ("[lists\nallow = []\n", "[lists\nallow = []\n"),
            ("", ""),
        ] {
            assert_eq!(renamed(text), expected, "{text}");
        }
    }

    /// Earlier names are unknown keys, present names are known keys.
    #[test]
    fn the_table_leads_from_unknown_keys_to_known_ones() {
        let known = crate::config::known_keys();
        for (section, old, new) in RENAMED {
            assert!(!known.contains(&format!("{section}.{old}")), "{old}");
            assert!(known.contains(&format!("{section}.{new}")), "{new}");
        }
    }
}
