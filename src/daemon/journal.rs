//! The thread that keeps events. Mail never waits for a disk: a full queue drops the event and
//! counts it.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, TrySendError, sync_channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant, SystemTime};

use super::log::GATHERING;
use super::metrics::{JournalFault, Kept, Metrics};
use super::throttle::Throttle;
use crate::config::Config;
use crate::record::event::Event;
use crate::record::journal::{Bounds, Journal, JournalError};
use crate::record::time::Timestamp;

/// Events that wait for the disk: at some hundred bytes each below 10 MB, and two seconds of the
/// highest load measured through Postfix.
const QUEUE: usize = 2_048;

/// How long an event may stay in the page cache only.
const SYNC: Duration = Duration::from_secs(5);

/// How often segments are looked at for their age.
const EXPIRE: Duration = Duration::from_secs(3_600);

/// Where the configuration wants the journal.
pub fn directory(config: &Config) -> PathBuf {
    config.in_state("journal")
}

/// How much of it the configuration wants; `None` keeps nothing.
pub fn bounds(config: &Config) -> Option<Bounds> {
    let journal = &config.journal;
    let age = Duration::from_secs(journal.days.saturating_mul(86_400));
    (journal.days > 0).then_some(Bounds { bytes: journal.max_size.0, age })
}

/// Takes events to the journal's thread.
#[derive(Debug)]
pub struct Recorder {
    queue: Option<SyncSender<Event>>,
    thread: Option<JoinHandle<()>>,
    metrics: Arc<Metrics>,
}

impl Recorder {
    /// Opens the journal in this directory and starts its thread.
    ///
    /// # Errors
    /// When the directory cannot be made or read, or no thread can be started.
    pub fn start(
        directory: &Path,
        bounds: Bounds,
        metrics: Arc<Metrics>,
    ) -> Result<Recorder, JournalError> {
        let journal = Journal::open(directory, bounds)?;
        let (queue, events) = sync_channel(QUEUE);
        let writer =
            Writer { journal, metrics: Arc::clone(&metrics), throttle: Throttle::default() };
        let thread = std::thread::Builder::new()
            .name("journal".to_owned())
            .spawn(move || writer.run(&events))
            .map_err(|source| JournalError {
                path: directory.to_owned(),
                doing: "start its thread",
                source,
            })?;
        Ok(Recorder { queue: Some(queue), thread: Some(thread), metrics })
    }

    /// A recorder that keeps nothing, for a daemon without a state directory.
    pub fn off(metrics: Arc<Metrics>) -> Recorder {
        Recorder { queue: None, thread: None, metrics }
    }

    /// Hands an event over; never blocks.
    pub fn record(&self, event: Event) {
        let Some(queue) = &self.queue else {
            return;
        };
        match queue.try_send(event) {
            Ok(()) => {}
            Err(TrySendError::Full(_)) => self.metrics.journal_fault(JournalFault::QueueFull),
            Err(TrySendError::Disconnected(_)) => self.metrics.journal_fault(JournalFault::Write),
        }
    }
}

impl Drop for Recorder {
    /// Writes what waits, and brings it to the disk.
    fn drop(&mut self) {
        drop(self.queue.take());
        if let Some(thread) = self.thread.take() {
            // The thread catches no panic and has no result: nothing to do about either here.
            let _ = thread.join();
        }
    }
}

struct Writer {
    journal: Journal,
    metrics: Arc<Metrics>,
    throttle: Throttle,
}

impl Writer {
    fn run(mut self, events: &Receiver<Event>) {
        let begun = Instant::now();
        let mut synced = begun;
        let mut expired: Option<Instant> = None;
        let mut dirty = false;
        loop {
            if expired.is_none_or(|expired| expired.elapsed() >= EXPIRE) {
                let now = Timestamp::of(SystemTime::now());
                let result = self.journal.expire(now, begun.elapsed());
                self.note(result, JournalFault::Expire);
                self.measure();
                expired = Some(Instant::now());
            }
            if dirty && synced.elapsed() >= SYNC {
                let result = self.journal.sync();
                self.note(result, JournalFault::Sync);
                self.measure();
                (dirty, synced) = (false, Instant::now());
            }
            match events.recv_timeout(SYNC) {
                Ok(event) => {
                    for event in std::iter::once(event).chain(events.try_iter().take(QUEUE)) {
                        let result = self.journal.record(&event);
                        self.note(result, JournalFault::Write);
                    }
                    dirty = true;
                    std::thread::sleep(GATHERING);
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => break,
            }
        }
        let result = self.journal.sync();
        self.note(result, JournalFault::Sync);
    }

    fn measure(&mut self) {
        match self.journal.size() {
            Ok(bytes) => self.metrics.state_bytes(Kept::Journal, bytes),
            Err(error) => self.note(Err(error), JournalFault::Expire),
        }
    }

    fn note(&mut self, result: Result<(), JournalError>, fault: JournalFault) {
        let Err(error) = result else {
            return;
        };
        self.metrics.journal_fault(fault);
        if let Some(more) = self.throttle.passes(Instant::now()) {
            tracing::error!(%error, more, "events are not kept; mail is not affected");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::journal::{Query, read};

    #[test]
    fn what_waits_is_written_at_the_end() {
        let root = tempfile::tempdir().unwrap();
        let metrics = Arc::new(Metrics::new());
        let recorder =
            Recorder::start(root.path(), Bounds::default(), Arc::clone(&metrics)).unwrap();
        for number in 0..100 {
            recorder.record(Event { v: 1, links: number, ..Event::default() });
        }
        drop(recorder);
        let mut links = Vec::new();
        read(root.path(), Query::default(), |event| links.push(event.links)).unwrap();
        assert_eq!(links, (0..100).collect::<Vec<u64>>());
    }

    #[test]
    fn a_full_queue_drops_events_and_counts_them() {
        let metrics = Arc::new(Metrics::new());
        let (queue, events) = sync_channel(QUEUE);
        let recorder = Recorder { queue: Some(queue), thread: None, metrics: Arc::clone(&metrics) };
        for _ in 0..QUEUE + 3 {
            recorder.record(Event::default());
        }
        let text = metrics.text(SystemTime::now());
        let series = "linkmilter_journal_faults_total{cause=\"queue-full\"} 3\n";
        assert!(text.contains(series), "{text}");
        drop(recorder);
        assert_eq!(events.iter().count(), QUEUE);
    }

    #[test]
    fn a_directory_that_cannot_be_is_an_error_with_its_path() {
        let root = tempfile::tempdir().unwrap();
        let file = root.path().join("file");
        std::fs::write(&file, "").unwrap();
        let error =
            Recorder::start(&file, Bounds::default(), Arc::new(Metrics::new())).unwrap_err();
        assert!(error.to_string().contains("file"), "{error}");
    }
}
