//! Makes the daemon reload its configuration, and waits for its answer.

use std::time::{Duration, Instant};

use anyhow::{Context, bail};

use crate::config::Config;
use crate::daemon::pid::{is_in_use, running};
use crate::daemon::reload_report::{ReloadReport, ReloadResult};

/// Time to wait for the daemon. Three lists of the maximum size take some seconds.
const RELOAD_TIMEOUT: Duration = Duration::from_secs(30);

/// Time between two checks for its answer.
const POLL_INTERVAL: Duration = Duration::from_millis(20);

/// The result of the request.
pub enum ReloadOutcome {
    /// No daemon is running. Says how this is known.
    NotRunning(String),
    Applied {
        process: i32,
        generation: u64,
    },
    Refused {
        process: i32,
        error: String,
    },
}

/// Sends SIGHUP to the daemon of this configuration and waits for its answer.
///
/// # Errors
/// When the signal cannot be sent, or there is no answer in time.
pub fn request(config: &Config) -> anyhow::Result<ReloadOutcome> {
    let file = config.pid_file();
    let Some(pid) = running(&file) else {
        if is_in_use(&file) {
            bail!(
                "a daemon works with {}, but {} names no process here that could be told: it keeps its old \
                 settings until it gets SIGHUP",
                config.server.state_dir.display(),
                file.display()
            );
        }
        return Ok(ReloadOutcome::NotRunning(format!(
            "no daemon is running according to {}",
            file.display()
        )));
    };
    let process = pid.as_raw_nonzero().get();
    let before = ReloadReport::read(config).filter(|reloads| reloads.process == process);
    let before = before.map_or(0, |reloads| reloads.number);
    rustix::process::kill_process(pid, rustix::process::Signal::HUP)
        .with_context(|| format!("cannot send SIGHUP to process {process}"))?;
    let begun = Instant::now();
    loop {
        let now = ReloadReport::read(config).filter(|reloads| reloads.process == process);
        if let Some(reloads) = now.filter(|reloads| reloads.number > before) {
            return Ok(match reloads.result {
                ReloadResult::InForce { generation } => {
                    ReloadOutcome::Applied { process, generation }
                }
                ReloadResult::Kept { error, .. } => ReloadOutcome::Refused { process, error },
            });
        }
        if begun.elapsed() > RELOAD_TIMEOUT || running(&file) != Some(pid) {
            bail!(
                "SIGHUP was sent to process {process}, which did not report a result within {} s: \
                 the change is made and may be in force; its log says so (\"reloaded\")",
                RELOAD_TIMEOUT.as_secs()
            );
        }
        std::thread::sleep(POLL_INTERVAL);
    }
}
