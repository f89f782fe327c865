//! A bounded queue of log lines and the thread that writes them. Mail never waits for a reader of the log: if the
//! queue is full the line is dropped and counted.

use std::fs::File;
use std::io::{self, Write};
use std::os::fd::AsFd;
use std::os::unix::net::UnixDatagram;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::time::{Duration, SystemTime};

use prometheus_client::metrics::counter::Counter;
use tracing::Level;

use super::BATCH_DELAY;
use super::line::{LineForm, LogLine};
use crate::plural::{counted, verb};
use crate::record::time::Timestamp;

/// Lines in the queue. With some hundred bytes each they take less than 2 MB, and last for a second of the highest
/// load measured through Postfix.
const MAX_QUEUED_LINES: usize = 4_096;

/// How long the end of the process waits for lines to be written.
const FLUSH_TIMEOUT: Duration = Duration::from_secs(1);

const JOURNALD_SOCKET: &str = "/run/systemd/journal/socket";

/// Takes the bytes of a line.
pub trait Output: Send {
    /// Writes one line; may block.
    fn put(&mut self, line: &[u8]) -> io::Result<()>;
}

impl<W: Write + Send> Output for W {
    fn put(&mut self, line: &[u8]) -> io::Result<()> {
        self.write_all(line)
    }
}

/// One datagram for each line. Each one is sent to the path of the socket, since journald may have restarted.
struct Journald(UnixDatagram);

impl Output for Journald {
    fn put(&mut self, line: &[u8]) -> io::Result<()> {
        self.0.send_to(line, JOURNALD_SOCKET).map(drop)
    }
}

/// Standard error as a file of its own, so that its lock is not held while a reader is stuck.
pub fn stderr() -> io::Result<Box<dyn Output>> {
    Ok(Box::new(File::from(io::stderr().as_fd().try_clone_to_owned()?)))
}

/// # Errors
/// journald is not there.
pub fn journald() -> io::Result<Box<dyn Output>> {
    let socket = UnixDatagram::unbound()?;
    // An empty datagram makes no entry, but fails if nobody listens.
    socket.send_to(&[], JOURNALD_SOCKET)?;
    Ok(Box::new(Journald(socket)))
}

enum LogCommand {
    Line(Vec<u8>),
    /// Answered when everything before it is written.
    Flush(SyncSender<()>),
}

/// Puts lines into the queue.
#[derive(Clone)]
pub struct Sink {
    pub form: LineForm,
    queue: SyncSender<LogCommand>,
    dropped: Counter,
}

impl Sink {
    /// Starts the writing thread. `dropped` counts lines that were not written.
    ///
    /// # Errors
    /// No thread can be started.
    pub fn start(form: LineForm, output: Box<dyn Output>, dropped: Counter) -> io::Result<Sink> {
        let (queue, commands) = sync_channel(MAX_QUEUED_LINES);
        let writer = LogWriter { form, output, dropped: dropped.clone(), reported: 0 };
        std::thread::Builder::new().name("log".to_owned()).spawn(move || writer.run(&commands))?;
        Ok(Sink { form, queue, dropped })
    }

    /// Puts a line into the queue; never blocks.
    pub fn send(&self, line: &LogLine) {
        if self.queue.try_send(LogCommand::Line(line.bytes(self.form))).is_err() {
            self.dropped.inc();
        }
    }

    /// Waits until the lines in the queue are written, but not for ever if a reader is stuck.
    pub fn flush(&self) {
        let (done, written) = sync_channel(1);
        if self.queue.try_send(LogCommand::Flush(done)).is_ok() {
            // After a timeout the process ends without the last lines.
            let _ = written.recv_timeout(FLUSH_TIMEOUT);
        }
    }
}

struct LogWriter {
    form: LineForm,
    output: Box<dyn Output>,
    dropped: Counter,
    /// Dropped lines that the log has reported.
    reported: u64,
}

impl LogWriter {
    fn run(mut self, commands: &Receiver<LogCommand>) {
        while let Ok(command) = commands.recv() {
            for command in std::iter::once(command).chain(commands.try_iter()) {
                match command {
                    LogCommand::Line(line) => self.put(&line),
                    // Fails if nobody waits any more.
                    LogCommand::Flush(done) => drop(done.send(())),
                }
                self.report_dropped();
            }
            std::thread::sleep(BATCH_DELAY);
        }
    }

    fn put(&mut self, line: &[u8]) {
        if self.output.put(line).is_err() {
            self.dropped.inc();
            self.reported += 1;
        }
    }

    /// Logs how many lines were dropped, at the place where they are missing.
    fn report_dropped(&mut self) {
        let gap = self.dropped.get().saturating_sub(self.reported);
        if gap > 0 {
            self.reported += gap;
            let (lines, were) = (counted(gap, "line"), verb(gap, "was", "were"));
            let text = format!("{lines} of the log {were} dropped: its reader was too slow");
            let line = LogLine::new(Timestamp::of(SystemTime::now()), Level::WARN, &text);
            self.put(&line.bytes(self.form));
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use super::*;

    fn line(number: usize) -> LogLine {
        LogLine::new(Timestamp(0), Level::INFO, &format!("line {number}"))
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
    fn a_stuck_reader_drops_lines_which_are_counted_and_reported() {
        let written = Arc::new(Mutex::new(Vec::new()));
        let dropped = Counter::default();
        let output = Box::new(Slow(Arc::clone(&written)));
        let sink = Sink::start(LineForm::Text, output, dropped.clone()).unwrap();
        let stuck = written.lock().unwrap();
        for number in 0..MAX_QUEUED_LINES + 100 {
            sink.send(&line(number));
        }
        // One line may have been taken out of the queue by the thread that now waits.
        let lost = dropped.get();
        assert!((99..=100).contains(&lost), "{lost}");
        drop(stuck);
        while written.lock().unwrap().len() < MAX_QUEUED_LINES {
            std::thread::yield_now();
        }
        sink.send(&line(usize::MAX));
        sink.flush();
        let lines = written.lock().unwrap();
        let reports = lines.iter().filter(|line| line.contains("were dropped")).count();
        assert_eq!(reports, 1, "{lines:?}");
        assert!(lines.last().unwrap().contains(&usize::MAX.to_string()));
    }
}
