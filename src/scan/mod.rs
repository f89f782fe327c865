//! Corpora: the same judgement over archives of any size.
//!
//! [`Input`]s are walked ([`walk`]), told apart by their first bytes ([`sniff`]), freed of
//! compression and archives ([`read`], [`decode`]), split ([`mbox`]) and judged on all cores
//! ([`pipeline`]). The output is the same whatever the number of cores, and after an
//! interruption ([`journal`]).

mod batch;
pub mod budget;
pub mod crosscheck;
pub mod decode;
mod from_line;
pub mod headers;
pub mod input;
pub mod journal;
pub mod judge;
pub mod mbox;
pub mod message;
pub mod pipeline;
mod produce;
pub mod progress;
pub mod ranges;
pub mod read;
pub mod sniff;
pub mod walk;

use std::io;
use std::path::PathBuf;

use crate::record::tally::Tally;

pub use input::Input;
pub use journal::Journal;
pub use judge::{Account, Dns, Settings, Stream, Witness};
pub use pipeline::Scan;
pub use produce::Completion;
pub use progress::Progress;

/// What a scan has counted, and whether it came to its end.
#[derive(Debug)]
pub struct Report {
    pub tally: Tally,
    pub completion: Completion,
}

/// Why a scan could not go on.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("could not write the output: {0}")]
    Output(#[source] io::Error),
    #[error("journal {}: {why}", path.display())]
    Journal { path: PathBuf, why: String },
    #[error("the sources changed since the journal was written: remove it and begin anew")]
    Changed,
    #[error("could not run the threads: {0}")]
    Threads(String),
}
