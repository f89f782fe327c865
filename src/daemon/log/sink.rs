//! Where lines go: a bounded queue and a thread that writes. Mail never waits for a reader of the
//! log; a line that finds the queue full is dropped and counted.

use std::fmt;
use std::fs::File;
use std::io::{self, Write};
use std::os::fd::AsFd;
use std::os::unix::net::UnixDatagram;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::time::{Duration, SystemTime};

use prometheus_client::metrics::counter::Counter;
use tracing::Level;

use super::GATHERING;
use super::line::{Form, Line};
use crate::record::time::Timestamp;

/// Lines that wait: at some hundred bytes each below 2 MB, and a second of the highest load
/// measured through Postfix.
const QUEUE: usize = 4_096;

/// How long the end of the process waits for lines to be written.
const LAST_LINES: Duration = Duration::from_secs(1);

/// Where journald listens.
const JOURNALD: &str = "/run/systemd/journal/socket";

/// What takes the bytes of a line.
pub trait Output: Send {
    /// Writes one line; may block.
    fn put(&mut self, line: &[u8]) -> io::Result<()>;
}

impl<W: Write + Send> Output for W {
    fn put(&mut self, line: &[u8]) -> io::Result<()> {
        self.write_all(line)
    }
}

/// A datagram a line. Connected for each line: journald may have been started anew.
struct Journald(UnixDatagram);

impl Output for Journald {
    fn put(&mut self, line: &[u8]) -> io::Result<()> {
        self.0.send_to(line, JOURNALD).map(drop)
    }
}

/// Standard error as a file of its own: its lock is not held while a reader is stuck.
pub fn stderr() -> io::Result<Box<dyn Output>> {
    Ok(Box::new(File::from(io::stderr().as_fd().try_clone_to_owned()?)))
}

/// # Errors
/// When journald is not there.
pub fn journald() -> io::Result<Box<dyn Output>> {
    let socket = UnixDatagram::unbound()?;
    // An empty datagram is no entry, but tells whether somebody listens.
    socket.send_to(&[], JOURNALD)?;
    Ok(Box::new(Journald(socket)))
}

enum Job {
    Line(Vec<u8>),
    /// Answered when everything before it is written.
    Flush(SyncSender<()>),
}

/// The writing end.
#[derive(Clone)]
pub struct Sink {
    pub form: Form,
    queue: SyncSender<Job>,
    dropped: Counter,
}

impl fmt::Debug for Sink {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Sink").field("form", &self.form).finish_non_exhaustive()
    }
}

impl Sink {
    /// Starts the thread that writes. `dropped` counts lines that were not written.
    ///
    /// # Errors
    /// When no thread can be started.
    pub fn start(form: Form, output: Box<dyn Output>, dropped: Counter) -> io::Result<Sink> {
        let (queue, jobs) = sync_channel(QUEUE);
        let writer = Writer { form, output, dropped: dropped.clone(), told: 0 };
        std::thread::Builder::new().name("log".to_owned()).spawn(move || writer.run(&jobs))?;
        Ok(Sink { form, queue, dropped })
    }

    /// Hands a line over; never blocks.
    pub fn send(&self, line: &Line) {
        if self.queue.try_send(Job::Line(line.bytes(self.form))).is_err() {
            self.dropped.inc();
        }
    }

    /// Waits until what was sent is written, but not for a reader that is stuck.
    pub fn flush(&self) {
        let (done, written) = sync_channel(1);
        if self.queue.try_send(Job::Flush(done)).is_ok() {
            // Late is as good as never here: the process ends.
            let _ = written.recv_timeout(LAST_LINES);
        }
    }
}

struct Writer {
    form: Form,
    output: Box<dyn Output>,
    dropped: Counter,
    /// How many dropped lines the log knows of.
    told: u64,
}

impl Writer {
    fn run(mut self, jobs: &Receiver<Job>) {
        while let Ok(job) = jobs.recv() {
            for job in std::iter::once(job).chain(jobs.try_iter()) {
                match job {
                    Job::Line(line) => self.put(&line),
                    // Nobody waits any more when it cannot be answered.
                    Job::Flush(done) => drop(done.send(())),
                }
                self.tell_of_dropped();
            }
            std::thread::sleep(GATHERING);
        }
    }

    fn put(&mut self, line: &[u8]) {
        if self.output.put(line).is_err() {
            self.dropped.inc();
            self.told += 1;
        }
    }

    /// There is room again: the gap is marked where it is.
    fn tell_of_dropped(&mut self) {
        let gap = self.dropped.get().saturating_sub(self.told);
        if gap > 0 {
            self.told += gap;
            let said = format!("{gap} lines of the log were dropped: its reader was too slow");
            let line = Line::new(Timestamp::of(SystemTime::now()), Level::WARN, &said);
            self.put(&line.bytes(self.form));
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use super::*;

    fn line(number: usize) -> Line {
        Line::new(Timestamp(0), Level::INFO, &format!("line {number}"))
    }

    /// Writes only while nobody holds the lock.
    struct Slow(Arc<Mutex<Vec<String>>>);

    impl Output for Slow {
        fn put(&mut self, line: &[u8]) -> io::Result<()> {
            self.0.lock().unwrap().push(String::from_utf8_lossy(line).into_owned());
            Ok(())
        }
    }

    #[test]
    fn a_stuck_reader_drops_lines_counts_them_and_the_gap_is_told() {
        let written = Arc::new(Mutex::new(Vec::new()));
        let dropped = Counter::default();
        let output = Box::new(Slow(Arc::clone(&written)));
        let sink = Sink::start(Form::Text, output, dropped.clone()).unwrap();
        let stuck = written.lock().unwrap();
        for number in 0..QUEUE + 100 {
            sink.send(&line(number));
        }
        // One line may have been taken out of the queue by the thread that now waits.
        let lost = dropped.get();
        assert!((99..=100).contains(&lost), "{lost}");
        drop(stuck);
        while written.lock().unwrap().len() < QUEUE {
            std::thread::yield_now();
        }
        sink.send(&line(usize::MAX));
        sink.flush();
        let lines = written.lock().unwrap();
        let told = lines.iter().filter(|line| line.contains("were dropped")).count();
        assert_eq!(told, 1, "{lines:?}");
        assert!(lines.last().unwrap().contains(&usize::MAX.to_string()));
    }
}
