//! The configuration as text: the effective settings with their origins, and the commented example
//! file `conf/linkmilter.toml`.

use std::fmt::Write as _;

use super::problem::BUILTIN;
use super::schema::Key;
use super::{Config, sections};

/// Every effective setting as `KEY = VALUE  # ORIGIN`, in the order of the schema; behind those of a list of others what
/// holds where it says nothing.
pub fn effective(config: &Config) -> String {
    let mut out = String::new();
    let mut settings = config.effective.iter().peekable();
    while let Some(setting) = settings.next() {
        // Writing to a String cannot fail.
        let _ = writeln!(out, "{} = {}  # {}", setting.key, setting.value, setting.origin);
        let list = list_of(&setting.key);
        let is_last = settings.peek().is_none_or(|next| list_of(&next.key) != list);
        if let Some((section, name)) = list.filter(|_| is_last) {
            for (key, value) in config.implied(section, name) {
                let key = format!("{section}.{name}.{key}");
                if config.effective.iter().all(|setting| setting.key != key) {
                    let _ = writeln!(out, "{key} = {value}  # {BUILTIN}");
                }
            }
        }
    }
    out
}

/// The section and the name of the list of others that has this key.
fn list_of(key: &str) -> Option<(&str, &str)> {
    let (list, _) = key.rsplit_once('.')?;
    list.split_once('.').filter(|(section, _)| matches!(*section, "feeds" | "blocklists"))
}

/// A section of the configuration, for the manual and the example file.
#[derive(Clone, Debug)]
pub struct Chapter {
    /// `dns`, or `rules.NAME`.
    pub name: String,
    /// One line each.
    pub about: &'static [&'static str],
    pub keys: &'static [Key],
}

/// Every section and key with its documentation.
pub fn reference() -> Vec<Chapter> {
    let chapter = |(name, about, keys): (&str, &'static [&'static str], &'static [Key])| Chapter {
        name: name.replace('*', "NAME"),
        about,
        keys,
    };
    sections().into_iter().map(chapter).collect()
}
