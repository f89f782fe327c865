//! Versioned records: JSON forms, event journal, aggregates, digest, reports.
//!
//! | what | where | schema |
//! | --- | --- | --- |
//! | one filtered message | [`event::Event`] | `docs/json.md`, "event" |
//! | the file that keeps events | [`journal::EventJournal`] | one event a line |
//! | sums over events | [`aggregate::Aggregate`] | – |
//! | the daily report | [`digest`] | text |
//! | one target judged | [`judgement::JudgementRecord`] | `check --json`, one a line |
//! | one message in words | [`narrative`], in one line [`line`](mod@line) | text |
//! | a finding of an archive | [`finding::FindingLine`], [`csv`], [`diff`] | `docs/scan.md` |
//! | any of these as a line of JSON for a terminal | [`json::write_line`] | – |
//! | counts over an archive | [`tally::Tally`], [`summary`], `html`, [`stix`] | – |

pub mod aggregate;
pub mod csv;
pub mod defang;
pub mod diff;
pub mod digest;
pub mod event;
pub mod finding;
#[cfg(feature = "app")]
pub mod html;
pub mod journal;
pub mod json;
pub mod judgement;
pub mod line;
pub mod names;
pub mod narrative;
pub mod printable;
pub mod query;
pub mod stix;
pub mod summary;
pub mod tally;
pub mod time;

/// Version of every JSON form of this module; a field that changes its meaning raises it.
pub const SCHEMA_VERSION: u32 = 1;
