//! The thread that writes events to the journal. Mail never waits for a disk: if the queue is full the event is
//! dropped and counted.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, TrySendError, sync_channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant, SystemTime};

use super::log::BATCH_DELAY;
use super::metrics::{JournalFault, Metrics, StatePart};
use super::throttle::Throttle;
use crate::config::Config;
use crate::record::event::Event;
use crate::record::journal::{EventJournal, JournalBounds, JournalError};
use crate::record::time::Timestamp;

/// Events in the queue. With some hundred bytes each they take less than 10 MB, and last for two seconds of the
/// highest load measured through Postfix.
const MAX_QUEUED_EVENTS: usize = 2_048;

/// How long an event may stay in the page cache only.
const SYNC_INTERVAL: Duration = Duration::from_secs(5);

/// How often old segments are removed.
const EXPIRE_INTERVAL: Duration = Duration::from_secs(3_600);

pub fn directory(config: &Config) -> PathBuf {
    config.in_state("journal")
}

/// How much the journal may hold; `None` if nothing is recorded.
pub fn bounds(config: &Config) -> Option<JournalBounds> {
    let journal = &config.journal;
    let age = Duration::from_secs(journal.days.saturating_mul(86_400));
    (journal.days > 0).then_some(JournalBounds { bytes: journal.max_size.0, age })
}

/// Hands events to the thread of the journal.
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
    /// The directory cannot be made or read, or no thread can be started.
    pub fn start(
        directory: &Path,
        bounds: JournalBounds,
        metrics: Arc<Metrics>,
    ) -> Result<Recorder, JournalError> {
        let journal = EventJournal::open(directory, bounds)?;
        let (queue, events) = sync_channel(MAX_QUEUED_EVENTS);
        let writer =
            JournalWriter { journal, metrics: Arc::clone(&metrics), throttle: Throttle::default() };
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

    /// A recorder that drops every event, for a daemon without a state directory.
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
    /// Writes the events in the queue, and flushes them to disk.
    fn drop(&mut self) {
        drop(self.queue.take());
        if let Some(thread) = self.thread.take() {
            // An error means that the thread panicked; there is nothing more to do.
            let _ = thread.join();
        }
    }
}

struct JournalWriter {
    journal: EventJournal,
    metrics: Arc<Metrics>,
    throttle: Throttle,
}

impl JournalWriter {
    fn run(mut self, events: &Receiver<Event>) {
        let started = Instant::now();
        let mut synced = started;
        let mut expired: Option<Instant> = None;
        let mut dirty = false;
        loop {
            if expired.is_none_or(|expired| expired.elapsed() >= EXPIRE_INTERVAL) {
                let now = Timestamp::of(SystemTime::now());
                let result = self.journal.expire(now, started.elapsed());
                self.report(result, JournalFault::Expire);
                self.measure();
                expired = Some(Instant::now());
            }
            if dirty && synced.elapsed() >= SYNC_INTERVAL {
                let result = self.journal.sync();
                self.report(result, JournalFault::Sync);
                self.measure();
                (dirty, synced) = (false, Instant::now());
            }
            match events.recv_timeout(SYNC_INTERVAL) {
                Ok(event) => {
                    let result = self.journal.look();
                    self.report(result, JournalFault::Removed);
                    for event in
                        std::iter::once(event).chain(events.try_iter().take(MAX_QUEUED_EVENTS))
                    {
                        let result = self.journal.record(&event);
                        self.report(result, JournalFault::Write);
                    }
                    dirty = true;
                    std::thread::sleep(BATCH_DELAY);
                }
                Err(RecvTimeoutError::Timeout) => {
                    let result = self.journal.look();
                    self.report(result, JournalFault::Removed);
                }
                Err(RecvTimeoutError::Disconnected) => break,
            }
        }
        let result = self.journal.sync();
        self.report(result, JournalFault::Sync);
    }

    fn measure(&mut self) {
        match self.journal.size() {
            Ok(bytes) => self.metrics.state_bytes(StatePart::Journal, bytes),
            Err(error) => self.report(Err(error), JournalFault::Expire),
        }
    }

    fn report(&mut self, result: Result<(), JournalError>, fault: JournalFault) {
        let Err(error) = result else {
            return;
        };
        self.metrics.journal_fault(fault);
        if let Some(more) = self.throttle.admit() {
            tracing::error!(%error, more, "events are not recorded; mail is not affected");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::journal::{Query, read};

    #[test]
    fn queued_events_are_written_at_the_end() {
        let root = tempfile::tempdir().unwrap();
        let metrics = Arc::new(Metrics::new());
        let recorder =
            Recorder::start(root.path(), JournalBounds::default(), Arc::clone(&metrics)).unwrap();
        for number in 0..100 {
            recorder.record(Event { v: 1, links: number, ..Event::default() });
        }
        drop(recorder);
        let mut links = Vec::new();
        read(root.path(), Query::default(), |event| links.push(event.links)).unwrap();
        assert_eq!(links, (0..100).collect::<Vec<u64>>());
    }

    #[test]
    fn a_journal_that_is_removed_is_begun_again_and_that_is_counted() {
        let root = tempfile::tempdir().unwrap();
        let directory = root.path().join("state/journal");
        let metrics = Arc::new(Metrics::new());
        let recorder =
            Recorder::start(&directory, JournalBounds::default(), Arc::clone(&metrics)).unwrap();
        let read = || {
            let mut links = Vec::new();
            read(&directory, Query::default(), |event| links.push(event.links)).unwrap();
            links
        };
        let until = |wanted: &[u64]| {
            let begun = Instant::now();
            while read() != wanted {
                assert!(begun.elapsed() < Duration::from_secs(60), "{:?}", read());
                std::thread::sleep(Duration::from_millis(10));
            }
        };
        let record = |links| recorder.record(Event { v: 1, links, ..Event::default() });
        record(1);
        until(&[1]);
        std::fs::remove_dir_all(root.path().join("state")).unwrap();
        record(2);
        until(&[2]);
        std::fs::rename(&directory, root.path().join("moved")).unwrap();
        record(3);
        until(&[3]);
        let text = metrics.text(SystemTime::now());
        let series = "linkmilter_journal_faults_total{cause=\"removed\"} 2\n";
        assert!(text.contains(series), "{text}");
    }

    #[test]
    fn a_full_queue_drops_events_and_counts_them() {
        let metrics = Arc::new(Metrics::new());
        let (queue, events) = sync_channel(MAX_QUEUED_EVENTS);
        let recorder = Recorder { queue: Some(queue), thread: None, metrics: Arc::clone(&metrics) };
        for _ in 0..MAX_QUEUED_EVENTS + 3 {
            recorder.record(Event::default());
        }
        let text = metrics.text(SystemTime::now());
        let series = "linkmilter_journal_faults_total{cause=\"queue-full\"} 3\n";
        assert!(text.contains(series), "{text}");
        drop(recorder);
        assert_eq!(events.iter().count(), MAX_QUEUED_EVENTS);
    }

    #[test]
    fn a_directory_that_cannot_be_is_an_error_with_its_path() {
        let root = tempfile::tempdir().unwrap();
        let file = root.path().join("file");
        std::fs::write(&file, "").unwrap();
        let error =
            Recorder::start(&file, JournalBounds::default(), Arc::new(Metrics::new())).unwrap_err();
        assert!(error.to_string().contains("file"), "{error}");
    }
}
