//! The file with the number of the daemon's process: whom to send SIGHUP.

use std::fs;
use std::path::{Path, PathBuf};

use rustix::process::Pid;

/// The file while the daemon runs; removed at its end.
pub struct PidFile(PathBuf);

impl PidFile {
    /// Writes our number. Another daemon that runs with the same state directory keeps its own: it
    /// is the one that reloads, and both of them write one journal, so that is said.
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
        // Somebody may have cleaned up before.
        let _ = fs::remove_file(&self.0);
    }
}

/// The process in the file, if it is alive and one of ours: a number may have been given anew.
pub fn running(file: &Path) -> Option<Pid> {
    let number: i32 = fs::read_to_string(file).ok()?.trim().parse().ok()?;
    let name = fs::read_to_string(format!("/proc/{number}/comm")).ok()?;
    // The kernel keeps 15 bytes of the name.
    if !"linkmilter".starts_with(name.trim_end()) || name.trim_end().is_empty() {
        return None;
    }
    Pid::from_raw(number)
}
