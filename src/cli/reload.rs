//! Having the daemon read its configuration anew, and waiting for what it says of it.

use std::time::{Duration, Instant};

use anyhow::{Context, bail};

use crate::config::Config;
use crate::daemon::pid::running;
use crate::daemon::reload_report::{ReloadReport, ReloadResult};

/// How long the daemon is waited for: three lists of the biggest size take some seconds.
const PATIENCE: Duration = Duration::from_secs(30);

/// How often it is looked for its answer.
const LOOK: Duration = Duration::from_millis(20);

/// What became of the request.
pub enum Said {
    /// No daemon runs; how that was seen.
    Nobody(String),
    InForce {
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
/// When it cannot be told, or says nothing in time.
pub fn ask(config: &Config) -> anyhow::Result<Said> {
    let file = config.pid_file();
    let Some(pid) = running(&file) else {
        return Ok(Said::Nobody(format!("no daemon runs by {}", file.display())));
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
                ReloadResult::InForce { generation } => Said::InForce { process, generation },
                ReloadResult::Kept { error, .. } => Said::Refused { process, error },
            });
        }
        if begun.elapsed() > PATIENCE || running(&file) != Some(pid) {
            bail!(
                "SIGHUP was sent to process {process}, which did not say within {} s what it made \
                 of it: see its log",
                PATIENCE.as_secs()
            );
        }
        std::thread::sleep(LOOK);
    }
}
