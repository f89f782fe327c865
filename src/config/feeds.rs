//! Lists of bad hosts and URLs that others publish: their settings.

use std::path::PathBuf;
use std::time::Duration;

use crate::engine::outcome::Verdict;
use crate::feed::blocklist::AnswerFormat;
use crate::feed::refresh::{Checksum, Feed, Source};
use crate::feed::{EntryKind, ListFormat, ListLayout};
use crate::fetch::Fetch;

use super::problem::{NEITHER, Problem, invalid_names};
use super::schema::settings;
use super::setting::{Size, TextSetting, choice};
use super::{Config, HttpsUrl};

settings! {
    /// A list of bad names that somebody else publishes, fetched by HTTPS or read from a file.
    /// `NAME` is your choice; it appears in the log and the metrics. The last good list is kept in
    /// the state directory. Names that are protected, allowed or your own (`outbound.local_domains`)
    /// are ignored in a list.
    pub struct FeedSection {
        /// The `https:` URL of the list. Either this or `file`.
        url: Option<HttpsUrl> = "", Reload;
        /// The path of the list. Relative paths begin at the directory of the configuration file.
        file: Option<PathBuf> = "", Reload;
        /// `plain` (one entry per line), `hosts` (hosts(5)), `csv`, `jsonl` (one JSON object per
        /// line), `rpz` (a response policy zone as a zone file). Default: `plain`.
        format: Option<ListFormat> = "", Reload;
        /// What the entries are: `domains` (each with all hosts below it), `hosts` (single hosts),
        /// `urls`, or `names` that readers know: they are not bad, but a host that looks like one
        /// of them is suspect; a list with one invalid name is refused. Default: `hosts` for the
        /// format `hosts`, else `domains`; a zone file says it itself.
        holds: Option<EntryKind> = "", Reload;
        /// The column of CSV, from 1. Default: 1.
        column: Option<usize> = "", Reload, 1..=1000;
        /// The key in the JSON objects. Default: `domain`.
        member: Option<String> = "", Reload;
        /// Verdict on its entries: `suspect` or `unsafe`. Default: `suspect`, which is reported and
        /// edited by the profile `strict` alone, until you know the list.
        verdict: Option<ListVerdict> = "", Reload;
        /// Time between two checks for a newer list; `0` checks only at a reload. Default: 1 hour.
        refresh: Option<Duration> = "", Reload, 0..=2592000000;
        /// Timeout of a check. Default: 60 seconds.
        timeout: Option<Duration> = "", Reload, 100..=3600000;
        /// Certificates (PEM) to trust instead of the built-in roots.
        ca_file: Option<PathBuf> = "", Reload;
        /// SHA-256 of the list: 64 hexadecimal digits, or the `https:` URL of a file whose first
        /// such word is the SHA-256.
        sha256: Option<Sum> = "", Reload;
        /// Size limit of the list, in bytes. Default: 64 MiB.
        max_size: Option<Size> = "", Reload, 1024..=4294967296;
        /// Limit of entries; a list with more is refused. An entry takes 8 bytes of memory, a name
        /// that readers know about 300. Default: two million, of such names 100,000.
        max_entries: Option<usize> = "", Reload, 1..=100000000;
        /// Age of the last successful check at which a warning is logged, once a day. Default: 3
        /// days.
        warn_age: Option<Duration> = "", Reload, 60000..=31536000000;
    }
}

/// The verdict on the entries of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ListVerdict(pub Verdict);

impl Default for ListVerdict {
    fn default() -> Self {
        ListVerdict(Verdict::Suspect)
    }
}

/// A SHA-256, or the URL of a file with it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Sum {
    Digits(String),
    Url(HttpsUrl),
}

choice!(ListFormat, EntryKind);
choice!(ListVerdict {
    "suspect" = ListVerdict(Verdict::Suspect),
    "unsafe" = ListVerdict(Verdict::Unsafe),
});

impl TextSetting for Sum {
    const EXPECTED: &'static str = "64 hexadecimal digits or an https: URL";

    fn parse(text: &str) -> Result<Sum, Option<String>> {
        if text.len() == 64 && text.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return Ok(Sum::Digits(text.to_ascii_lowercase()));
        }
        HttpsUrl::parse(text).map(Sum::Url).map_err(|_| None)
    }
}

const HOUR: Duration = Duration::from_secs(60 * 60);

impl Config {
    /// Where the lists are stored, readable by everybody on this host.
    pub fn feed_directory(&self) -> PathBuf {
        self.in_state("feeds")
    }

    /// The lists, by name.
    pub fn feeds(&self) -> Vec<Feed> {
        self.feeds.iter().filter_map(|(name, section)| self.feed(name, section)).collect()
    }

    /// `None` without a source, which is reported elsewhere.
    fn feed(&self, name: &str, section: &FeedSection) -> Option<Feed> {
        let fetch = |url: &HttpsUrl| Fetch {
            url: url.0.clone(),
            timeout: section.timeout.unwrap_or(Duration::from_secs(60)),
            ca_file: section.ca_file.as_ref().map(|path| self.resolve(path)),
        };
        let source = match (&section.url, &section.file) {
            (Some(url), _) => Source::Url(fetch(url)),
            (None, Some(file)) => Source::File(self.resolve(file)),
            (None, None) => return None,
        };
        let format = section.format.unwrap_or_default();
        let default_kind =
            if format == ListFormat::Hosts { EntryKind::Hosts } else { EntryKind::Domains };
        Some(Feed {
            name: name.to_owned(),
            source,
            layout: ListLayout {
                format,
                entry_kind: section.holds.unwrap_or(default_kind),
                column: section.column.unwrap_or(1),
                member: section.member.clone().unwrap_or_else(|| "domain".to_owned()),
            },
            verdict: section.verdict.unwrap_or_default().0,
            refresh: section.refresh.unwrap_or(HOUR),
            warn_age: section.warn_age.unwrap_or(72 * HOUR),
            max_bytes: section.max_size.map_or(64 << 20, |size| size.0),
            max_entries: section.max_entries.unwrap_or(match section.holds {
                Some(EntryKind::Names) => 100_000,
                _ => 2_000_000,
            }),
            checksum: section.sha256.as_ref().map(|sum| match sum {
                Sum::Digits(digits) => Checksum::Digits(digits.clone()),
                Sum::Url(url) => Checksum::Fetched(fetch(url)),
            }),
        })
    }

    /// What holds for a list of `feeds` or `blocklists` where it says nothing, as keys with their values in TOML.
    pub(super) fn implied(&self, section: &str, name: &str) -> Vec<(&'static str, String)> {
        let text = |word: &str| format!("{word:?}");
        if section == "blocklists" {
            let form = AnswerFormat::default().as_str();
            return vec![("form", text(form)), ("verdict", text(Verdict::Suspect.as_str()))];
        }
        let section = self.feeds.get(name);
        let Some(feed) = section.and_then(|section| self.feed(name, section)) else {
            return Vec::new();
        };
        let Feed { layout, verdict, refresh, warn_age, max_bytes, max_entries, .. } = feed;
        let seconds = |time: Duration| text(&format!("{}s", time.as_secs()));
        let mut implied = vec![
            ("format", text(layout.format.as_str())),
            ("refresh", seconds(refresh)),
            ("max_size", max_bytes.to_string()),
            ("max_entries", max_entries.to_string()),
            ("warn_age", seconds(warn_age)),
        ];
        if layout.format != ListFormat::Rpz {
            implied.insert(1, ("holds", text(layout.entry_kind.as_str())));
        }
        if layout.entry_kind != EntryKind::Names {
            implied.push(("verdict", text(verdict.as_str())));
        }
        if let Source::Url(fetch) = feed.source {
            implied.push(("timeout", seconds(fetch.timeout)));
        }
        implied
    }
}

/// Lists without a source, and settings of a list that have no effect.
pub(super) fn invalid_combinations(config: &Config) -> Vec<Problem> {
    let mut found = invalid_names(config, "feeds", config.feeds.keys());
    for (name, feed) in &config.feeds {
        if feed.url.is_some() == feed.file.is_some() {
            found.push(Problem::of_table(
                config,
                &format!("feeds.{name}"),
                "either url or file",
                if feed.url.is_some() { "both" } else { NEITHER },
            ));
        }
        let format = feed.format.unwrap_or_default();
        let fetched = feed.url.is_some() || matches!(feed.sha256, Some(Sum::Url(_)));
        for (key, without_effect, expected) in [
            (
                "column",
                feed.column.is_some() && format != ListFormat::Csv,
                "format = \"csv\" with it",
            ),
            (
                "member",
                feed.member.is_some() && format != ListFormat::JsonLines,
                "format = \"jsonl\" with it",
            ),
            (
                "holds",
                feed.holds.is_some() && format == ListFormat::Rpz,
                "no holds beside format = \"rpz\": a zone says it itself",
            ),
            (
                "holds",
                feed.holds == Some(EntryKind::Names)
                    && !matches!(format, ListFormat::Plain | ListFormat::Rpz),
                "format = \"plain\" beside holds = \"names\"",
            ),
            (
                "verdict",
                feed.holds == Some(EntryKind::Names) && feed.verdict.is_some(),
                "no verdict beside holds = \"names\": what reads as one is suspect",
            ),
            (
                "timeout",
                feed.timeout.is_some() && !fetched,
                "a URL with it, of the list or its sum",
            ),
            (
                "ca_file",
                feed.ca_file.is_some() && !fetched,
                "a URL with it, of the list or its sum",
            ),
        ] {
            if without_effect {
                found.push(Problem::of_setting(config, &format!("feeds.{name}.{key}"), expected));
            }
        }
    }
    found
}
