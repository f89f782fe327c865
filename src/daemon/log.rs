//! Logging: journald when it is there, else stderr, as text or JSON.
//!
//! One structured line a message ([`message`]). Never a body; hosts only as A-labels, defanged.

use std::io::{self, IsTerminal};
use std::os::unix::fs::MetadataExt;

use tracing_subscriber::filter::LevelFilter;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::reload;
use tracing_subscriber::util::{SubscriberInitExt, TryInitError};
use tracing_subscriber::{Layer, Registry, fmt};

use crate::config::{self, LogFormat, LogLevel, LogTarget};
use crate::engine::outcome::Verdict;
use crate::record::event::{Event, HostEntry};
use crate::record::printable;

/// Why logging did not start.
#[derive(Debug, thiserror::Error)]
pub enum LogError {
    #[error("log target journald: expected its socket at /run/systemd/journal/socket: {0}")]
    Journald(#[source] io::Error),
    #[error("logging was started twice in one process: {0}")]
    Twice(#[from] TryInitError),
}

/// Changes the level of the running log.
#[derive(Clone, Debug)]
pub struct LogHandle {
    level: reload::Handle<LevelFilter, Registry>,
}

impl LogHandle {
    /// Takes effect from the next line on.
    pub fn set_level(&self, level: LogLevel) {
        // The only error is a log that ended, and then no line is written at any level.
        let _ = self.level.reload(filter(level));
    }
}

/// Starts the log of this process.
///
/// # Errors
/// When journald was asked for by name and is not there, or on a second start.
pub fn init(settings: &config::Log) -> Result<LogHandle, LogError> {
    let (level, handle) = reload::Layer::new(filter(settings.level));
    let output = match settings.target {
        LogTarget::Journald => Some(journald().map_err(LogError::Journald)?),
        LogTarget::Auto if stderr_is_journal() => journald().ok(),
        LogTarget::Auto | LogTarget::Stderr => None,
    };
    let output = output.unwrap_or_else(|| on_stderr(settings.format));
    tracing_subscriber::registry().with(level.and_then(output)).try_init()?;
    Ok(LogHandle { level: handle })
}

fn filter(level: LogLevel) -> LevelFilter {
    match level {
        LogLevel::Error => LevelFilter::ERROR,
        LogLevel::Warn => LevelFilter::WARN,
        LogLevel::Info => LevelFilter::INFO,
        LogLevel::Debug => LevelFilter::DEBUG,
        LogLevel::Trace => LevelFilter::TRACE,
    }
}

type Output = Box<dyn Layer<Registry> + Send + Sync>;

/// Fields become `LINKMILTER_…`, so that `journalctl LINKMILTER_QUEUE_ID=…` finds a message.
fn journald() -> io::Result<Output> {
    let layer = tracing_journald::layer()?
        .with_field_prefix(Some("LINKMILTER".to_owned()))
        .with_syslog_identifier("linkmilter".to_owned());
    Ok(layer.boxed())
}

fn on_stderr(format: LogFormat) -> Output {
    let layer = fmt::layer().with_writer(io::stderr);
    match format {
        LogFormat::Text => layer.with_ansi(io::stderr().is_terminal()).with_target(false).boxed(),
        LogFormat::Json => layer.json().flatten_event(true).with_target(false).boxed(),
    }
}

/// systemd names the device and inode of the journal's stream in `JOURNAL_STREAM`; a process
/// whose stderr was redirected since finds another file there (systemd.exec(5)).
fn stderr_is_journal() -> bool {
    let Some(stream) = std::env::var("JOURNAL_STREAM").ok() else {
        return false;
    };
    std::fs::metadata("/dev/stderr")
        .is_ok_and(|stderr| stream == format!("{}:{}", stderr.dev(), stderr.ino()))
}

/// The line of one message.
pub fn message(event: &Event) {
    let reasons = event.reasons.keys().map(String::as_str).collect::<Vec<_>>().join(",");
    let hosts = worst_hosts(event);
    let bypasses = event.bypasses.keys().map(String::as_str).collect::<Vec<_>>().join(",");
    tracing::info!(
        queue_id = event.queue_id,
        verdict = event.verdict.as_str(),
        action = event.action.as_str(),
        reasons,
        links = event.links,
        edited = event.edited,
        hosts,
        bypasses,
        sender = printable::defanged(&event.sender),
        rule = event.rule,
        exempt = event.exempt.as_deref().unwrap_or_default(),
        bytes = event.bytes,
        engine_us = event.engine_us,
        dns_us = event.dns_us,
        generation = event.generation,
        "message"
    );
}

/// Hosts of `suspect` and worse that fit a log line: at most four, defanged.
fn worst_hosts(event: &Event) -> String {
    const SHOWN: usize = 4;
    let suspect = |entry: &&HostEntry| entry.verdict >= Verdict::Suspect && !entry.host.is_empty();
    let shown: Vec<String> = event
        .hosts
        .iter()
        .filter(suspect)
        .take(SHOWN)
        .map(|entry| printable::defanged(&entry.host))
        .collect();
    shown.join(",")
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use super::*;

    #[derive(Clone, Default)]
    struct Lines(Arc<Mutex<Vec<u8>>>);

    impl io::Write for Lines {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn one_line_a_message_that_no_input_can_split() {
        let lines = Lines::default();
        let writer = lines.clone();
        let log = tracing_subscriber::registry()
            .with(fmt::layer().with_ansi(false).with_writer(move || writer.clone()));
        let event = Event {
            queue_id: printable::queue_id("4X\nforged"),
            verdict: Verdict::Unsafe,
            sender: printable::domain("<a@evil.example\n<2>forged>"),
            hosts: vec![HostEntry {
                host: "xn--ypal-43d9g.com".into(),
                verdict: Verdict::Unsafe,
                ..HostEntry::default()
            }],
            ..Event::default()
        };
        tracing::subscriber::with_default(log, || message(&event));
        let text = String::from_utf8(lines.0.lock().unwrap().clone()).unwrap();
        assert_eq!(text.lines().count(), 1, "{text}");
        assert!(text.contains(r#"hosts="xn--ypal-43d9g[.]com""#), "{text}");
        assert!(text.contains(r#"queue_id="4X?forged""#) && text.contains(r#"verdict="unsafe""#));
    }
}
