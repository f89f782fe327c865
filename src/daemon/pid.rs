//! The pid file: it says which process to send SIGHUP to.

use std::fs;
use std::path::{Path, PathBuf};

use rustix::process::Pid;

/// The pid file. Dropping it removes the file.
pub struct PidFile(PathBuf);

impl PidFile {
    /// Writes our process id. If another daemon runs with the same state directory its pid file stays, so SIGHUP
    /// reaches that one alone, and both write one journal: that is logged.
    pub fn write(path: PathBuf) -> Option<PidFile> {
        let own = std::process::id();
        if let Some(other) =
            running(&path).filter(|pid| pid.as_raw_nonzero().get().unsigned_abs() != own)
        {
            tracing::warn!(
                "process {} runs with this state directory as well: give each daemon a \
                 server.state_dir of its own; SIGHUP reaches the other one alone",
                other.as_raw_nonzero()
            );
            return None;
        }
        match fs::write(&path, format!("{own}\n")) {
            Ok(()) => Some(PidFile(path)),
            Err(error) => {
                tracing::warn!(path = %path.display(), %error, "no pid file");
                None
            }
        }
    }
}

impl Drop for PidFile {
    fn drop(&mut self) {
        // Fails if somebody has removed it before.
        let _ = fs::remove_file(&self.0);
    }
}

/// The process in the file, if it runs and is a linkmilter: the system may have given its id to another program.
pub fn running(file: &Path) -> Option<Pid> {
    let number: i32 = fs::read_to_string(file).ok()?.trim().parse().ok()?;
    let name = fs::read_to_string(format!("/proc/{number}/comm")).ok()?;
    // The kernel keeps 15 bytes of the name.
    if !"linkmilter".starts_with(name.trim_end()) || name.trim_end().is_empty() {
        return None;
    }
    Pid::from_raw(number)
}
