//! Logging: to journald if it is there, else to stderr as text or JSON.
//!
//! There is one line for each message ([`message`]) and one for each error, in the same form everywhere ([`line`]).
//! A thread of its own writes them ([`sink`]), so that mail never waits for a reader of the log. No line holds
//! text of a body; hosts are written as A-labels, defanged.

mod line;
mod sink;

use std::io;
use std::os::unix::fs::MetadataExt;
use std::time::{Duration, SystemTime};

use prometheus_client::metrics::counter::Counter;
use tracing_subscriber::filter::LevelFilter;
use tracing_subscriber::layer::{Context, SubscriberExt};
use tracing_subscriber::reload;
use tracing_subscriber::util::{SubscriberInitExt, TryInitError};
use tracing_subscriber::{Layer, Registry};

use crate::config::{self, LogFormat, LogLevel, LogTarget};
use crate::engine::outcome::Verdict;
use crate::record::event::{Event, HostEntry};
use crate::record::printable;
use crate::record::time::Timestamp;
use line::{LineForm, LogLine, MESSAGE_TARGET};
use sink::Sink;

/// Pause of a writing thread after each batch of lines or events. Under load it then wakes once for many of them,
/// and a message does not pay for waking it.
pub const BATCH_DELAY: Duration = Duration::from_millis(2);

/// Why logging did not start.
#[derive(Debug, thiserror::Error)]
pub enum LogError {
    #[error("log target journald: expected its socket at /run/systemd/journal/socket: {0}")]
    Journald(#[source] io::Error),
    #[error("log target stderr: {0}")]
    Stderr(#[source] io::Error),
    #[error("logging was started twice in one process: {0}")]
    Twice(#[from] TryInitError),
}

/// Changes the level of the running log, and flushes it.
#[derive(Clone)]
pub struct LogHandle {
    level: reload::Handle<LevelFilter, Registry>,
    sink: Sink,
}

impl LogHandle {
    /// Takes effect from the next line on.
    pub fn set_level(&self, level: LogLevel) {
        // Fails only if the log has ended, and then no line is written at any level.
        let _ = self.level.reload(level_filter(level));
    }

    /// Waits a moment for the lines in the queue.
    pub fn flush(&self) {
        self.sink.flush();
    }
}

/// Starts the log of this process. `dropped` counts lines that are not written because their reader is too slow.
///
/// # Errors
/// The settings ask for journald and it is not there, or the log is started twice.
pub fn init(settings: &config::Log, dropped: Counter) -> Result<LogHandle, LogError> {
    let (level, handle) = reload::Layer::new(level_filter(settings.level));
    let journald = match settings.target {
        LogTarget::Journald => Some(sink::journald().map_err(LogError::Journald)?),
        LogTarget::Auto if stderr_is_journal() => sink::journald().ok(),
        LogTarget::Auto | LogTarget::Stderr => None,
    };
    let (form, output) = match (journald, settings.format) {
        (Some(output), _) => (LineForm::Journald, output),
        (None, LogFormat::Text) => (LineForm::Text, sink::stderr().map_err(LogError::Stderr)?),
        (None, LogFormat::Json) => (LineForm::Json, sink::stderr().map_err(LogError::Stderr)?),
    };
    let sink = Sink::start(form, output, dropped).map_err(LogError::Stderr)?;
    let lines = LogLines { sink: sink.clone() };
    tracing_subscriber::registry().with(level.and_then(lines)).try_init()?;
    Ok(LogHandle { level: handle, sink })
}

/// Hands every event to the sink as a line.
struct LogLines {
    sink: Sink,
}

impl<S: tracing::Subscriber> Layer<S> for LogLines {
    fn on_event(&self, event: &tracing::Event<'_>, _: Context<'_, S>) {
        // The resolver logs whole questions. They hold domains of links in mail, and the keys of block lists.
        if event.metadata().target().starts_with("hickory") {
            return;
        }
        self.sink.send(&LogLine::of(event, Timestamp::of(SystemTime::now()), self.sink.form));
    }
}

fn level_filter(level: LogLevel) -> LevelFilter {
    match level {
        LogLevel::Error => LevelFilter::ERROR,
        LogLevel::Warn => LevelFilter::WARN,
        LogLevel::Info => LevelFilter::INFO,
        LogLevel::Debug => LevelFilter::DEBUG,
        LogLevel::Trace => LevelFilter::TRACE,
    }
}

/// systemd writes the device and inode of the journal's stream into `JOURNAL_STREAM`. If stderr was redirected
/// since, it is another file (systemd.exec(5)).
fn stderr_is_journal() -> bool {
    let Some(stream) = std::env::var("JOURNAL_STREAM").ok() else {
        return false;
    };
    std::fs::metadata("/dev/stderr")
        .is_ok_and(|stderr| stream == format!("{}:{}", stderr.dev(), stderr.ino()))
}

/// Logs one message. In journald it is found by `LINKMILTER_QUEUE_ID=…` and the other fields.
pub fn message(event: &Event) {
    let reasons = event.reasons.keys().map(String::as_str).collect::<Vec<_>>().join(",");
    let hosts = worst_hosts(event);
    let broken = event.broken.join(",");
    let bypasses = event.bypasses.keys().map(String::as_str).collect::<Vec<_>>().join(",");
    tracing::info!(
        target: MESSAGE_TARGET,
        queue_id = event.queue_id,
        verdict = event.verdict.as_str(),
        action = event.action.as_str(),
        reasons,
        links = event.links,
        edited = event.edited,
        broken,
        hosts,
        bypasses,
        sender = printable::defanged(&event.sender),
        rule = event.rule,
        exempt = event.exempt.as_deref().unwrap_or_default(),
        restore = event.restore.as_deref().unwrap_or_default(),
        undo = event.undo.as_deref().unwrap_or_default(),
        bytes = event.bytes,
        engine_us = event.engine_us,
        dns_us = event.dns_us,
        generation = event.generation,
        "{}",
        crate::record::line::line(event)
    );
}

/// Hosts of `suspect` and worse that fit a log line: at most four, defanged.
fn worst_hosts(event: &Event) -> String {
    const MAX_HOSTS: usize = 4;
    let suspect = |entry: &&HostEntry| entry.verdict >= Verdict::Suspect && !entry.host.is_empty();
    let shown: Vec<String> = event
        .hosts
        .iter()
        .filter(suspect)
        .take(MAX_HOSTS)
        .map(|entry| printable::defanged(&entry.host))
        .collect();
    shown.join(",")
}
