//! Block lists that are queried over DNS: their settings.

use std::path::PathBuf;

use crate::feed::blocklist::{AnswerFormat, Blocklist, Meaning};

use super::Config;
use super::feeds::ListVerdict;
use super::problem::{Errors, NONE, Problem, invalid_names};
use super::schema::settings;
use super::setting::{TextSetting, choice};

/// The placeholder for the key in a zone.
const KEY_PLACEHOLDER: &str = "{key}";

/// Characters of a zone without its key. With a domain in front it must be a valid DNS name (253).
const MAX_ZONE_CHARS: usize = 120;

/// Characters of a key, which is one or more labels of a name.
const MAX_KEY_CHARS: usize = 100;

/// Number of block lists: each is queried for every domain.
const MAX_BLOCKLISTS: usize = 16;

settings! {
    /// A DNS block list of bad domains. It is queried for the domains that links of a message lead
    /// to: see docs/privacy.md for what it learns. Only lists that you name here are queried.
    /// `NAME` is your choice; it appears in the log and the metrics. Never queried are names that
    /// are protected, allowed, or your own. Only the filter queries, with the servers and the
    /// `deadline` of `dns`, whatever its `mode`.
    pub struct BlocklistSection {
        /// The zone to query: `multi.surbl.org`. `{key}` in it is replaced by the key in
        /// `key_file`: `{key}.dbl.dq.spamhaus.net`.
        zone: Option<Zone> = "", Reload;
        /// File whose first line is your key. Relative paths begin at the directory of the
        /// configuration file.
        key_file: Option<PathBuf> = "", Reload;
        /// What its answers mean: `dbl` (Spamhaus), `surbl`, `uribl` (black and red), or `any`:
        /// every address of 127.0.0.0/8 but 127.0.0.1 is a listing, except refusals. Default: `any`.
        form: Option<AnswerFormat> = "", Reload;
        /// Verdict on a listed domain: `suspect` or `unsafe`. Default: `suspect`, which is reported
        /// and edited by the profile `strict` alone, until you know the list.
        verdict: Option<ListVerdict> = "", Reload;
        /// Answers with another meaning than `form` gives them; the first match counts:
        /// `127.0.1.4-127.0.1.6 = unsafe`, `bits 24 = unsafe`, `127.0.1.2` (a listing, with
        /// `verdict`).
        codes: Vec<Meaning> = "", Reload;
    }
}

/// A zone, in lower case without the trailing dot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Zone(pub String);

choice!(AnswerFormat);

impl TextSetting for Zone {
    fn expected() -> String {
        format!(
            "a name of at most {MAX_ZONE_CHARS} letters, digits, - . and _, with {KEY_PLACEHOLDER} once at most"
        )
    }

    fn parse(text: &str) -> Result<Zone, Option<String>> {
        let zone = text.trim_matches('.').to_ascii_lowercase();
        let plain = zone.replacen(KEY_PLACEHOLDER, "key", 1);
        let fits = zone.len() <= MAX_ZONE_CHARS && plain.contains('.') && is_name(&plain);
        if fits { Ok(Zone(zone)) } else { Err(None) }
    }
}

impl TextSetting for Meaning {
    const EXPECTED: &'static str = "codes of 127.0.0.0/8, such as 127.0.1.4, 127.0.1.4-127.0.1.6 or bits 24, with = suspect or \
         = unsafe behind them or without";

    fn parse(text: &str) -> Result<Meaning, Option<String>> {
        text.parse().map_err(|()| None)
    }
}

/// Whether the labels are valid in a query.
fn is_name(text: &str) -> bool {
    text.split('.').all(|label| {
        (1..=63).contains(&label.len())
            && label.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte))
    })
}

impl Config {
    /// The lists to query, with their keys.
    ///
    /// # Errors
    /// For every key that cannot be read.
    pub fn blocklists(&self) -> Result<Vec<Blocklist>, Errors> {
        let mut problems = Vec::new();
        let mut lists = Vec::new();
        for (name, section) in &self.blocklists {
            let Some(Zone(zone)) = &section.zone else { continue };
            let key = match &section.key_file {
                None => Ok(String::new()),
                Some(file) => self.read_key(name, file),
            };
            let key = key.unwrap_or_else(|problem| {
                problems.push(*problem);
                String::new()
            });
            lists.push(Blocklist {
                name: name.clone(),
                zone: zone.replacen(KEY_PLACEHOLDER, &key, 1),
                format: section.form.unwrap_or_default(),
                verdict: section.verdict.unwrap_or_default().0,
                meanings: section.codes.clone(),
            });
        }
        if problems.is_empty() { Ok(lists) } else { Err(Errors(problems)) }
    }

    /// Reads the key in a file. Errors do not show its content: it is a secret.
    fn read_key(&self, name: &str, file: &std::path::Path) -> Result<String, Box<Problem>> {
        let path = self.resolve(file);
        let problem = |found: String| {
            let expected = format!(
                "a file whose first line is a key: labels of a name, {MAX_KEY_CHARS} characters at most"
            );
            let key = format!("blocklists.{name}.key_file");
            Box::new(Problem { key, ..Problem::at(path.display(), &*expected, found) })
        };
        let bytes = self.files.read(&path).map_err(|error| problem(error.to_string()))?;
        let text = String::from_utf8_lossy(&bytes);
        let key = text.lines().next().unwrap_or_default().trim();
        match key_error(key) {
            None => Ok(key.to_owned()),
            Some(wrong) => Err(problem(wrong)),
        }
    }
}

/// What is wrong with a key. The key itself is not shown: it is a secret.
fn key_error(key: &str) -> Option<String> {
    let count = key.chars().count();
    let label = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
    if key.is_empty() {
        Some("an empty first line".to_owned())
    } else if !key.bytes().all(label) {
        Some(format!("{count} characters, some of them not allowed in a name"))
    } else if count > MAX_KEY_CHARS {
        Some(format!("{count} characters"))
    } else if !is_name(key) {
        Some("a label that is empty or has more than 63 characters".to_owned())
    } else {
        None
    }
}

/// Lists with invalid settings.
pub(super) fn invalid_combinations(config: &Config) -> Vec<Problem> {
    let mut found = invalid_names(config, "blocklists", config.blocklists.keys());
    if config.blocklists.len() > MAX_BLOCKLISTS {
        let count = config.blocklists.len().to_string();
        let expected = format!("at most {MAX_BLOCKLISTS} lists");
        found.push(Problem::of_table(config, "blocklists", &*expected, &count));
    }
    for (name, list) in &config.blocklists {
        let below = |expected, found| {
            Problem::of_table(config, &format!("blocklists.{name}"), expected, found)
        };
        let Some(Zone(zone)) = &list.zone else {
            found.push(below("a zone", NONE));
            continue;
        };
        match (zone.contains(KEY_PLACEHOLDER), &list.key_file) {
            (true, None) => found.push(below("key_file, since zone has {key}", NONE)),
            (false, Some(_)) => found.push(below("{key} in zone, since key_file is set", NONE)),
            _ => {}
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_do_not_show_the_key() {
        for (key, wrong) in [
            ("abc123", None),
            ("abc.def-2_x", None),
            ("", Some("an empty first line")),
            ("se cret", Some("7 characters, some of them not allowed in a name")),
            ("s\u{e9}cret", Some("6 characters, some of them not allowed in a name")),
            (&"a".repeat(101), Some("101 characters")),
            (&"a".repeat(64), Some("a label that is empty or has more than 63 characters")),
            ("a..b", Some("a label that is empty or has more than 63 characters")),
        ] {
            assert_eq!(key_error(key).as_deref(), wrong, "{key}");
        }
    }
}
