//! A batch: what one worker judges at a time, and its output.

use std::fs::File;
use std::io::Read;
use std::ops::{ControlFlow, Range};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::file::reason;

use super::budget::{Budget, Gate};
use super::decode::Meter;
use super::journal::HashChain;
use super::judge::{BatchResult, ScanJudge, ScanSettings};
use super::message::{Quoting, RawMessage};
use super::read::{self, Sink};

/// Size limit in bytes of files that the worker reads that judges them. Larger files are split into
/// messages by the producer, so that one mbox keeps all workers busy.
pub(super) const SMALL_FILE_BYTES: u64 = 1 << 20;

/// Entries that one worker judges at a time.
#[derive(Default)]
pub(super) struct Batch {
    /// Bytes of the messages.
    pub data: Vec<u8>,
    pub items: Vec<Item>,
    /// Bytes of the sources that it covers, for the progress bar.
    pub source_bytes: u64,
}

pub(super) enum Item {
    File {
        path: PathBuf,
        source: Arc<str>,
        /// See [`WalkEntry::File`](super::walk::WalkEntry::File).
        modified: (i64, i64),
    },
    Message {
        source: Arc<str>,
        offset: u64,
        range: Range<usize>,
        from_line_len: usize,
        quoting: Quoting,
    },
    Unread {
        source: Arc<str>,
        offset: u64,
        why: String,
    },
    Skipped,
}

impl Item {
    pub fn source(&self) -> Option<&Arc<str>> {
        match self {
            Item::File { source, .. }
            | Item::Message { source, .. }
            | Item::Unread { source, .. } => Some(source),
            Item::Skipped => None,
        }
    }
}

/// Output of a batch, in order. `reserved`: bytes that it has reserved in the budget for output.
pub(super) enum BatchOutput {
    /// Lines, before all of them are there.
    Text { text: Vec<u8>, reserved: usize },
    /// The last lines, and the hash chain up to here.
    Batch { judged: Box<BatchResult>, chain: HashChain, reserved: usize },
}

/// Judges a batch on the current thread.
pub(super) fn judge(
    settings: &ScanSettings,
    (budget, number): (&Budget, u64),
    batch: Batch,
    emit: &dyn Fn(BatchOutput),
) -> BatchResult {
    let mut lines = |text: Vec<u8>| {
        let reserved = budget.reserve_output(number, text.len());
        emit(BatchOutput::Text { text, reserved });
    };
    let mut judge = ScanJudge::new(settings, &mut lines);
    let mut buffer = Vec::new();
    for item in batch.items {
        // The judge never asks to stop.
        let _ = match item {
            Item::Skipped => judge.skipped(),
            Item::Unread { source, offset, why } => judge.unread(&source, offset, &why),
            Item::Message { source, offset, range, from_line_len, quoting } => {
                let bytes = batch.data.get(range).unwrap_or_default().into();
                judge.message(&source, RawMessage { offset, bytes, from_line_len, quoting })
            }
            Item::File { path, source, .. } => {
                file(&path, &source, &mut buffer, Gate::Worker(budget, number), &mut judge)
            }
        };
    }
    judge.finish()
}

/// Reads a file that was small when it was listed. If it has grown, it is read as a stream.
fn file(
    path: &Path,
    source: &str,
    buffer: &mut Vec<u8>,
    gate: Gate<'_>,
    judge: &mut ScanJudge<'_>,
) -> ControlFlow<()> {
    buffer.clear();
    let max_message = judge.max_message();
    let read = File::open(path).and_then(|file| {
        (&file).take(SMALL_FILE_BYTES + 1).read_to_end(buffer)?;
        Ok(file)
    });
    match read {
        Err(error) => judge.unread(source, 0, &reason(&error)),
        Ok(_) if buffer.len() as u64 <= SMALL_FILE_BYTES => {
            read::slice(source, buffer, gate, max_message, judge)
        }
        Ok(rest) => {
            let meter = Meter::new(gate);
            let reader = meter.count(buffer.as_slice().chain(rest));
            read::stream(source, Box::new(reader), &meter, max_message, judge)
        }
    }
}
