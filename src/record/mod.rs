//! Versioned records: JSON forms, event journal, aggregates, digest, reports.
//!
//! | what | where | schema |
//! | --- | --- | --- |
//! | one filtered message | [`event::Event`] | `docs/json.md`, "event" |
//! | the file that keeps events | [`journal::Journal`] | one event a line |
//! | sums over events | [`aggregate::Aggregate`] | – |
//! | the daily report | [`digest`] | text |
//! | one target judged | [`judgement::JudgementRecord`] | `docs/json.md`, "judgement" |
//! | one message in words | [`story`] | text |

pub mod aggregate;
pub mod digest;
pub mod event;
pub mod journal;
pub mod judgement;
pub mod printable;
pub mod story;
pub mod time;

/// Version of every JSON form of this module; a field that changes its meaning raises it.
pub const SCHEMA_VERSION: u32 = 1;
