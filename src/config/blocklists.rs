//! Lists that are asked by DNS: their settings.

use std::path::PathBuf;

use crate::engine::outcome::Verdict;
use crate::feed::blocklist::{AnswerFormat, Blocklist, Meaning};

use super::Config;
use super::feeds::ListVerdict;
use super::problem::{Errors, NONE, Problem, wrong_names};
use super::schema::settings;
use super::setting::{Text, choice};

/// What stands in a zone for the key.
const KEY: &str = "{key}";

/// Characters of a zone, its key apart: with a domain in front it must be a name of the DNS (253).
const ZONE_CHARS: usize = 120;

/// Characters of a key: it is one or more labels of a name.
const KEY_CHARS: usize = 100;

/// Lists at most: each is asked about every domain.
const LISTS: usize = 16;

settings! {
    /// A list of bad domains that is asked by DNS whether it has the domains that links of a message lead
    /// to: see docs/privacy.md for what it learns. None is asked that you do not name here. `NAME` is yours;
    /// it stands in the log and the metrics. Never asked for are names that are protected, allowed, or your
    /// own. The filter alone asks, by the servers and the `deadline` of `dns`, whatever its `mode`.
    pub struct BlocklistSection {
        /// The zone that is asked: `multi.surbl.org`. `{key}` in it is what `key_file` holds:
        /// `{key}.dbl.dq.spamhaus.net`.
        zone: Option<Zone> = "", Reload;
        /// File whose first line is your key. Relative paths begin at the directory of the configuration file.
        key_file: Option<PathBuf> = "", Reload;
        /// What its answers mean: `dbl` (Spamhaus), `surbl`, `uribl` (black and red), or `any`: every
        /// address of 127.0.0.0/8 is a listing, but for refusals. Default: `any`.
        form: Option<AnswerFormat> = "", Reload;
        /// What a listed domain is: `suspect` or `unsafe`. Default: `suspect`, which is reported and edited
        /// by the profile `strict` alone, until you know the list.
        verdict: Option<ListVerdict> = "", Reload;
        /// Answers that mean something else than the form says, the first that fits counts:
        /// `127.0.1.4-127.0.1.6 = unsafe`, `bits 24 = unsafe`, `127.0.1.2` (a listing, with `verdict`).
        codes: Vec<Meaning> = "", Reload;
    }
}

/// A zone, in lower case without root dot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Zone(pub String);

choice!(AnswerFormat {
    "dbl" = AnswerFormat::Dbl,
    "surbl" = AnswerFormat::Surbl,
    "uribl" = AnswerFormat::Uribl,
    "any" = AnswerFormat::Any,
});

impl Text for Zone {
    fn expected() -> String {
        format!(
            "a name of at most {ZONE_CHARS} letters, digits, - . and _, with {KEY} once at most"
        )
    }

    fn parse(text: &str) -> Result<Zone, Option<String>> {
        let zone = text.trim_matches('.').to_ascii_lowercase();
        let plain = zone.replacen(KEY, "key", 1);
        let fits = zone.len() <= ZONE_CHARS && plain.contains('.') && is_name(&plain);
        if fits { Ok(Zone(zone)) } else { Err(None) }
    }
}

impl Text for Meaning {
    fn expected() -> String {
        "codes of 127.0.0.0/8, such as 127.0.1.4, 127.0.1.4-127.0.1.6 or bits 24, with = suspect or \
         = unsafe behind them or without"
            .to_owned()
    }

    fn parse(text: &str) -> Result<Meaning, Option<String>> {
        text.parse().map_err(|()| None)
    }
}

/// Whether the labels can stand in a query.
fn is_name(text: &str) -> bool {
    text.split('.').all(|label| {
        (1..=63).contains(&label.len())
            && label.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte))
    })
}

impl Config {
    /// The lists to ask, their keys read.
    ///
    /// # Errors
    /// Every key that cannot be had.
    pub fn blocklists(&self) -> Result<Vec<Blocklist>, Errors> {
        let mut problems = Vec::new();
        let mut lists = Vec::new();
        for (name, section) in &self.blocklists {
            let Some(Zone(zone)) = &section.zone else { continue };
            let key = match &section.key_file {
                None => Ok(String::new()),
                Some(file) => self.key_of(name, file),
            };
            let key = key.unwrap_or_else(|problem| {
                problems.push(*problem);
                String::new()
            });
            lists.push(Blocklist {
                name: name.clone(),
                zone: zone.replacen(KEY, &key, 1),
                format: section.form.unwrap_or_default(),
                verdict: match section.verdict {
                    None | Some(ListVerdict::Suspect) => Verdict::Suspect,
                    Some(ListVerdict::Unsafe) => Verdict::Unsafe,
                },
                meanings: section.codes.clone(),
            });
        }
        if problems.is_empty() { Ok(lists) } else { Err(Errors(problems)) }
    }

    /// The key in a file. What stands in it is not repeated: it is a secret.
    fn key_of(&self, name: &str, file: &std::path::Path) -> Result<String, Box<Problem>> {
        let path = self.resolve(file);
        let problem = |found: String| {
            Box::new(Problem {
                key: format!("blocklists.{name}.key_file"),
                origin: path.display().to_string(),
                expected: format!(
                    "a file whose first line is a key: labels of a name, {KEY_CHARS} characters at most"
                ),
                found,
                nearest: None,
            })
        };
        let bytes = self.files.read(&path).map_err(|error| problem(error.to_string()))?;
        let text = String::from_utf8_lossy(&bytes);
        let key = text.lines().next().unwrap_or_default().trim();
        match wrong_with(key) {
            None => Ok(key.to_owned()),
            Some(wrong) => Err(problem(wrong)),
        }
    }
}

/// What is wrong with a key, none of which is repeated.
fn wrong_with(key: &str) -> Option<String> {
    let count = key.chars().count();
    let label = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
    if key.is_empty() {
        Some("an empty first line".to_owned())
    } else if !key.bytes().all(label) {
        Some(format!("{count} characters, some of which no name has"))
    } else if count > KEY_CHARS {
        Some(format!("{count} characters"))
    } else if !is_name(key) {
        Some("a label that is empty or has more than 63 characters".to_owned())
    } else {
        None
    }
}

/// Lists that cannot be asked.
pub(super) fn impossible(config: &Config) -> Vec<Problem> {
    let mut found = wrong_names(config, "blocklists", config.blocklists.keys());
    if config.blocklists.len() > LISTS {
        let count = config.blocklists.len().to_string();
        let expected = format!("at most {LISTS} lists");
        found.push(Problem::of_table(config, "blocklists", &expected, &count));
    }
    for (name, list) in &config.blocklists {
        let below = |expected, found| {
            Problem::of_table(config, &format!("blocklists.{name}"), expected, found)
        };
        let Some(Zone(zone)) = &list.zone else {
            found.push(below("a zone", NONE));
            continue;
        };
        match (zone.contains(KEY), &list.key_file) {
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
    fn a_key_is_told_wrong_without_being_told() {
        for (key, wrong) in [
            ("abc123", None),
            ("abc.def-2_x", None),
            ("", Some("an empty first line")),
            ("se cret", Some("7 characters, some of which no name has")),
            ("s\u{e9}cret", Some("6 characters, some of which no name has")),
            (&"a".repeat(101), Some("101 characters")),
            (&"a".repeat(64), Some("a label that is empty or has more than 63 characters")),
            ("a..b", Some("a label that is empty or has more than 63 characters")),
        ] {
            assert_eq!(wrong_with(key).as_deref(), wrong, "{key}");
        }
    }
}
