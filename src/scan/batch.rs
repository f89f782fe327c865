//! What one core judges at a go, and what comes of it.

use std::fs::File;
use std::io::Read;
use std::ops::{ControlFlow, Range};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::budget::{Budget, Gate};
use super::decode::Meter;
use super::journal::Chain;
use super::judge::{Judge, Judged, Settings};
use super::message::{Quoting, Raw};
use super::read::{self, Sink};

/// Files up to this many bytes are read by the core that judges them; larger ones are taken
/// apart while they are read, so that one mbox keeps all cores busy.
pub(super) const SMALL: u64 = 1 << 20;

/// Entries that one core judges at a go.
#[derive(Default)]
pub(super) struct Batch {
    /// Bytes of the letters.
    pub data: Vec<u8>,
    pub items: Vec<Item>,
    /// Bytes of the sources that it covers, for the progress.
    pub weight: u64,
}

pub(super) enum Item {
    File { path: PathBuf, source: Arc<str> },
    Message { source: Arc<str>, offset: u64, range: Range<usize>, lead: usize, quoting: Quoting },
    Unread { source: Arc<str>, offset: u64, why: String },
    PassedOver,
}

/// What comes of a batch, in its order, with the room for text that it has taken.
pub(super) enum Made {
    /// Lines, before all are there.
    Text { text: Vec<u8>, room: usize },
    /// The rest of them, and the chain up to here.
    Batch { judged: Box<Judged>, chain: Chain, room: usize },
}

/// Judges a batch on the core it runs on.
pub(super) fn judge(
    settings: &Settings,
    (budget, number): (&Budget, u64),
    batch: Batch,
    hand_on: &dyn Fn(Made),
) -> Judged {
    let mut lines = |text: Vec<u8>| {
        let room = budget.take_text(number, text.len());
        hand_on(Made::Text { text, room });
    };
    let mut judge = Judge::new(settings, &mut lines);
    let mut buffer = Vec::new();
    for item in batch.items {
        // The judge never asks to stop.
        let _ = match item {
            Item::PassedOver => judge.passed_over(),
            Item::Unread { source, offset, why } => judge.unread(&source, offset, &why),
            Item::Message { source, offset, range, lead, quoting } => {
                let bytes = batch.data.get(range).unwrap_or_default().into();
                judge.message(&source, Raw { offset, bytes, lead, quoting })
            }
            Item::File { path, source } => {
                file(&path, &source, &mut buffer, Gate::Core(budget, number), &mut judge)
            }
        };
    }
    judge.finish()
}

/// Reads a file that was small when it was met; one that has grown is read as it comes.
fn file(
    path: &Path,
    source: &str,
    buffer: &mut Vec<u8>,
    gate: Gate<'_>,
    judge: &mut Judge<'_>,
) -> ControlFlow<()> {
    buffer.clear();
    let largest = judge.largest();
    let read = File::open(path).and_then(|file| {
        (&file).take(SMALL + 1).read_to_end(buffer)?;
        Ok(file)
    });
    match read {
        Err(error) => judge.unread(source, 0, &error.to_string()),
        Ok(_) if buffer.len() as u64 <= SMALL => read::slice(source, buffer, gate, largest, judge),
        Ok(rest) => {
            let meter = Meter::new(gate);
            let reader = meter.count(buffer.as_slice().chain(rest));
            read::stream(source, Box::new(reader), &meter, largest, judge)
        }
    }
}
