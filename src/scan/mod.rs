//! Scanning archives of any size.
//!
//! [`Input`]s are listed ([`walk`]), identified by their first bytes ([`sniff`]), decompressed and
//! unpacked ([`read`], [`decode`]), split into messages ([`mbox`]) and judged on all cores
//! ([`pipeline`]). The output is the same for any number of cores, and after an interruption
//! ([`journal`]).

mod batch;
pub mod budget;
pub mod crosscheck;
pub mod decode;
pub mod headers;
pub mod input;
pub mod journal;
pub mod judge;
mod line_feeds;
pub mod mbox;
pub mod message;
pub mod pipeline;
mod produce;
pub mod progress;
pub mod ranges;
pub mod read;
mod separator;
pub mod sniff;
pub mod walk;

use std::io;
use std::path::PathBuf;

use crate::record::tally::Tally;

pub use input::Input;
pub use journal::{Completion, ScanJournal};
pub use judge::{CrossCheck, GapLines, OutputFormat, ReadResults, Resolve, ScanSettings};
pub use pipeline::Scan;
pub use progress::Progress;

/// The counts of a scan, and whether it is complete.
#[derive(Debug)]
pub struct ScanReport {
    pub tally: Tally,
    pub completion: Completion,
    /// The journal. It is there until the output of a complete scan is in its place.
    pub journal: Option<ScanJournal>,
}

/// Why a scan failed.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("could not write the output: {}", crate::file::reason(.0))]
    Output(#[source] io::Error),
    #[error("journal {}: {why}", path.display())]
    Journal { path: PathBuf, why: String },
    /// Where.
    #[error("the sources changed since they were scanned: {0}; remove the journal and start again")]
    Changed(String),
    #[error("could not run the threads: {0}")]
    Threads(String),
}
