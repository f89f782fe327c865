//! The configuration as text: the effective settings with their origins, and the commented example
//! file `conf/linkmilter.toml`.

use std::fmt::Write as _;

use super::problem::BUILTIN;
use super::schema::{Key, joined};
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

/// The example file: every section and key with its documentation. Every value is commented out, so
/// that an unchanged file follows the built-in values of later versions.
pub fn example() -> String {
    let mut out = String::from(EXAMPLE_HEAD);
    for (name, about, keys) in sections() {
        out.push('\n');
        comment(&mut out, about);
        let title = match name.strip_suffix(".*") {
            Some(named) => format!("# [{named}.NAME]"),
            None => format!("[{name}]"),
        };
        out.push_str(&title);
        out.push('\n');
        for key in keys {
            out.push('\n');
            example_key(&mut out, key);
        }
    }
    out
}

/// A section of the configuration, for the manual.
#[derive(Clone, Debug)]
pub struct Chapter {
    /// `dns`, or `rules.NAME`.
    pub name: String,
    pub about: String,
    pub keys: &'static [Key],
}

/// Every section and key with its documentation, for the manual.
pub fn reference() -> Vec<Chapter> {
    let chapter = |(name, about, keys): (&str, &[&str], &'static [Key])| Chapter {
        name: name.replace('*', "NAME"),
        about: joined(about),
        keys,
    };
    sections().into_iter().map(chapter).collect()
}

const EXAMPLE_HEAD: &str = "\
# linkmilter: configuration.
#
# Every value here is the built-in one: remove the `#` in front of a line to change it.
# Layers, later ones win: built-in, this file, conf.d/*.toml in the same directory, the environment
# (LINKMILTER_DNS__MODE is dns.mode), command-line options. Tables are merged key by key, lists
# are replaced. `linkmilter config check` reports everything that is wrong, `linkmilter config print`
# shows the settings in force and their origins. SIGHUP reloads; a file with an error changes nothing.
# Units of time: ms s m h d. Units of size: B kB KiB MB MiB GB GiB, or a number of bytes.
";

fn example_key(out: &mut String, key: &Key) {
    comment(out, key.doc);
    comment(out, &[&format!(" {}", key.takes())]);
    let default = if key.default.is_empty() { "…" } else { key.default };
    let _ = writeln!(out, "#{} = {default}", key.name);
}

/// Comment lines of at most 100 characters.
fn comment(out: &mut String, lines: &[&str]) {
    const WIDTH: usize = 100;
    for line in lines {
        let mut width = 1;
        out.push('#');
        for word in line.split_whitespace() {
            if width + 1 + word.chars().count() > WIDTH {
                out.push_str("\n#  ");
                width = 3;
            }
            out.push(' ');
            out.push_str(word);
            width += 1 + word.chars().count();
        }
        out.push('\n');
    }
}
