//! Problems of a configuration: what was expected, what was found, and where.

use std::fmt;

use super::Config;

/// The origin of built-in values.
pub(super) const BUILTIN: &str = "built-in";

/// What is expected instead of an unknown key.
pub(super) const KNOWN_KEY: &str = "a known key";

/// What is found when a table lacks something.
pub(super) const NONE: &str = "none";
pub(super) const NEITHER: &str = "neither";

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Path of the key, `dns.deadline`. Empty when a whole file could not be read.
    pub key: String,
    /// Origin of the value: `FILE:LINE`, `environment NAME`, `flag --listen`, `built-in`.
    pub origin: String,
    /// `None` if `found` says it all.
    pub expected: Option<String>,
    pub found: String,
    /// The known key that was probably intended.
    pub nearest: Option<String>,
}

impl Problem {
    /// A problem of what stands in one place.
    pub(super) fn at<'e>(
        origin: impl ToString,
        expected: impl Into<Option<&'e str>>,
        found: String,
    ) -> Problem {
        let expected = expected.into().map(str::to_owned);
        Problem { key: String::new(), origin: origin.to_string(), expected, found, nearest: None }
    }

    pub(super) fn of_table<'e>(
        config: &Config,
        key: &str,
        expected: impl Into<Option<&'e str>>,
        found: &str,
    ) -> Problem {
        let origin = origin_below(config, &format!("{key}."));
        Problem { key: key.to_owned(), ..Problem::at(origin, expected, found.to_owned()) }
    }

    pub(crate) fn of_setting<'e>(
        config: &Config,
        key: &str,
        expected: impl Into<Option<&'e str>>,
    ) -> Problem {
        let setting = config.effective.iter().find(|setting| setting.key == key);
        let text = |text: Option<&String>| text.cloned().unwrap_or_default();
        let origin = text(setting.map(|setting| &setting.origin));
        let found = text(setting.map(|setting| &setting.value));
        Problem { key: key.to_owned(), ..Problem::at(origin, expected, found) }
    }

    /// A problem of a setting, as a sentence.
    pub(crate) fn plain(config: &Config, key: &str, said: String) -> Problem {
        Problem { found: said, ..Problem::of_setting(config, key, None) }
    }

    pub fn is_unknown_key(&self) -> bool {
        self.expected.as_deref() == Some(KNOWN_KEY)
    }

    /// Whether a table lacks something.
    pub(super) fn is_absence(&self) -> bool {
        self.found == NONE || self.found == NEITHER
    }
}

/// Problems of tables in a section whose names are not valid.
pub(super) fn invalid_names<'n>(
    config: &Config,
    section: &str,
    names: impl Iterator<Item = &'n String>,
) -> Vec<Problem> {
    let expected = "a name of 1 to 40 letters, digits, - and _, other than default";
    let wrong = names.filter(|name| !is_table_name(name));
    wrong
        .map(|name| {
            Problem::of_table(config, &format!("{section}.{name}"), expected, &format!("{name:?}"))
        })
        .collect()
}

/// The origin of the first setting below a table.
pub(super) fn origin_below(config: &Config, prefix: &str) -> String {
    let first = config
        .effective
        .iter()
        .find(|setting| setting.key.starts_with(prefix) && setting.origin != BUILTIN);
    first.map_or_else(|| BUILTIN.to_owned(), |setting| setting.origin.clone())
}

fn is_table_name(name: &str) -> bool {
    (1..=40).contains(&name.len())
        && name != "default"
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte))
}

impl fmt::Display for Problem {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}: ", self.origin)?;
        if !self.key.is_empty() {
            write!(out, "{}: ", self.key)?;
        }
        match &self.expected {
            None => out.write_str(&self.found)?,
            Some(expected) => write!(out, "expected {expected}, found {}", self.found)?,
        }
        if let Some(nearest) = &self.nearest {
            write!(out, "; did you mean {nearest}?")?;
        }
        Ok(())
    }
}

/// All problems of a configuration. Never empty.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct Errors(pub Vec<Problem>);

impl Errors {
    /// Sorts problems by file and line.
    pub(super) fn sorted(mut problems: Vec<Problem>) -> Errors {
        problems.sort_by_key(|problem| {
            let (file, line) = problem.origin.rsplit_once(':').unwrap_or((&problem.origin, ""));
            (file.to_owned(), line.parse::<usize>().unwrap_or(0))
        });
        Errors(problems)
    }
}

impl fmt::Display for Errors {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, problem) in self.0.iter().enumerate() {
            if index > 0 {
                writeln!(out)?;
            }
            write!(out, "{problem}")?;
        }
        Ok(())
    }
}

/// The known key that is most similar to an unknown one, if it is similar enough.
pub(super) fn nearest<'a>(key: &str, known: impl IntoIterator<Item = &'a str>) -> Option<String> {
    let last = |path: &str| path.rsplit('.').next().unwrap_or_default().to_owned();
    let third = |name: &str| name.chars().count() / 3;
    let own = last(key);
    known
        .into_iter()
        .filter_map(|candidate| {
            let whole = is_slip(key, candidate).then(|| distance(key, candidate));
            // A key in the wrong section is compared by its last part.
            let moved = distance(&own, &last(candidate));
            let moved = (moved <= third(&own)).then_some(1 + moved);
            Some((whole.into_iter().chain(moved).min()?, candidate))
        })
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate.to_owned())
}

/// Whether a word may be meant by another: a third of its letters at most differ.
pub fn is_slip(wrong: &str, meant: &str) -> bool {
    distance(wrong, meant) <= (wrong.chars().count() / 3).max(1)
}

/// Number of edits and transpositions from one to the other. The cost is quadratic, so long keys
/// are cut. No key of ours has more than 40 characters.
fn distance(one: &str, other: &str) -> usize {
    const MAX_COMPARED_CHARS: usize = 64;
    let shorten = |key: &str| key.chars().take(MAX_COMPARED_CHARS).collect::<String>();
    strsim::osa_distance(&shorten(one), &shorten(other))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_count_edits() {
        for (one, other, expected) in [
            ("", "", 0),
            ("", "abc", 3),
            ("abc", "", 3),
            ("mode", "mdoe", 1),
            ("mode", "mode", 0),
            ("deadline", "dead_line", 1),
            ("kitten", "sitting", 3),
        ] {
            assert_eq!(distance(one, other), expected, "{one} {other}");
        }
    }

    #[test]
    fn the_nearest_key_is_named_only_when_near() {
        let known = ["dns.mode", "dns.deadline", "policy.profile", "server.listen"];
        for (key, expected) in [
            ("dns.mdoe", Some("dns.mode")),
            ("policy.mode", Some("dns.mode")),
            ("policy.profil", Some("policy.profile")),
            ("dns_mode", Some("dns.mode")),
            ("server.colour", None),
            ("x", None),
            ("nonsense.a", None),
            ("nonsense.listne", Some("server.listen")),
        ] {
            assert_eq!(nearest(key, known).as_deref(), expected, "{key}");
        }
    }
}
