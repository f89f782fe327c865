//! Progress on standard error when it is a terminal: messages, MB/s, findings, time left.

use std::io::{self, IsTerminal, Write};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};

use indicatif::{ProgressBar, ProgressStyle};

use crate::plural::counted;
use crate::record::defang::visible;
use crate::record::tally::Tally;

use super::walk::{FolderWalk, WalkEntry};

/// Counts messages and findings. Drawn only on a terminal.
#[derive(Debug)]
pub struct Progress {
    bar: ProgressBar,
    messages: AtomicU64,
    findings: AtomicU64,
}

impl Progress {
    /// Draws to standard error if that is a terminal.
    pub fn new() -> Progress {
        let bar = ProgressBar::new_spinner();
        let style = "{spinner} {bytes} {bytes_per_sec} {msg}";
        if let Ok(style) = ProgressStyle::with_template(style) {
            bar.set_style(style);
        }
        Progress { bar, messages: AtomicU64::new(0), findings: AtomicU64::new(0) }
    }

    /// Draws nothing.
    pub fn hidden() -> Progress {
        let bar = ProgressBar::hidden();
        Progress { bar, messages: AtomicU64::new(0), findings: AtomicU64::new(0) }
    }

    /// Sums up the file sizes in the background, so that the remaining time can be shown.
    pub fn size_up(&self, paths: Vec<PathBuf>) {
        if !io::stderr().is_terminal() {
            return;
        }
        let bar = self.bar.clone();
        std::thread::spawn(move || {
            let sum = paths.into_iter().flat_map(FolderWalk::new).map(|entry| match entry {
                WalkEntry::File { size, .. } => size,
                WalkEntry::Stream { .. } | WalkEntry::Skipped | WalkEntry::Unread { .. } => 0,
            });
            let sum = sum.sum();
            let style = "{bar:20} {bytes}/{total_bytes} {bytes_per_sec} {msg}, {eta} left";
            if let Ok(style) = ProgressStyle::with_template(style) {
                bar.set_style(style);
            }
            bar.set_length(sum);
        });
    }

    /// Counts bytes of a source that were read.
    pub(super) fn read(&self, bytes: u64) {
        self.bar.inc(bytes);
    }

    /// Counts bytes that an earlier run has read.
    pub(super) fn skip(&self, bytes: u64) {
        self.bar.inc(bytes);
    }

    /// Counts a batch that was judged.
    pub(super) fn judged(&self, tally: &Tally, bytes: u64) {
        let messages = self.messages.fetch_add(tally.messages, Ordering::Relaxed) + tally.messages;
        let more = tally.total_findings();
        let findings = self.findings.fetch_add(more, Ordering::Relaxed) + more;
        if !self.bar.is_hidden() {
            let (messages, findings) = (counted(messages, "message"), counted(findings, "finding"));
            self.bar.set_message(format!("{messages}, {findings}"));
        }
        self.bar.inc(bytes);
    }

    /// Prints which sources could not be read, above the progress bar.
    pub(super) fn unread(&self, tally: &Tally) {
        for unread in &tally.unread_sources {
            let at = match unread.offset {
                0 => String::new(),
                offset => format!(" at byte {offset}"),
            };
            let line =
                format!("linkmilter: {}{at}: {}\n", visible(&unread.source), visible(&unread.why));
            // Ignore errors: standard error may be closed.
            self.bar.suspend(|| drop(io::stderr().write_all(line.as_bytes())));
        }
    }

    /// Removes the progress bar.
    pub fn finish(&self) {
        self.bar.finish_and_clear();
    }
}

impl Default for Progress {
    fn default() -> Progress {
        Progress::new()
    }
}
