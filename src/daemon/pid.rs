//! The pid file: it says which process to send SIGHUP to.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use rustix::process::Pid;

/// The pid file. Dropping it removes the file, if it still holds our process id.
#[derive(Debug)]
pub struct PidFile(PathBuf);

/// Why the pid file does not hold our process id.
#[derive(Debug, thiserror::Error)]
pub enum PidError {
    #[error(
        "process {0} runs with this state directory as well: give each daemon a server.state_dir of its own; \
         SIGHUP reaches the other one alone"
    )]
    Other(i32),
    #[error("no pid file {}: {source}", path.display())]
    Io { path: PathBuf, source: io::Error },
}

impl PidFile {
    pub const fn new(path: PathBuf) -> PidFile {
        PidFile(path)
    }

    /// Writes our process id, unless the file holds it. If another daemon runs with the same state directory its
    /// pid file stays until that one ends.
    ///
    /// # Errors
    /// Another daemon runs, or the file cannot be written.
    pub fn claim(&self) -> Result<(), PidError> {
        let own = std::process::id();
        let running = running(&self.0).map(|pid| pid.as_raw_nonzero().get());
        match running {
            Some(pid) if pid.unsigned_abs() == own => Ok(()),
            Some(other) => Err(PidError::Other(other)),
            None => fs::write(&self.0, format!("{own}\n"))
                .map_err(|source| PidError::Io { path: self.0.clone(), source }),
        }
    }
}

impl Drop for PidFile {
    fn drop(&mut self) {
        if number(&self.0).is_some_and(|pid| pid.unsigned_abs() == std::process::id()) {
            // Fails if somebody has removed it before.
            let _ = fs::remove_file(&self.0);
        }
    }
}

/// The number in the file.
fn number(file: &Path) -> Option<i32> {
    fs::read_to_string(file).ok()?.trim().parse().ok()
}

/// The process in the file, if it runs and is a linkmilter: the system may have given its id to another program.
pub fn running(file: &Path) -> Option<Pid> {
    let number = number(file)?;
    let name = fs::read_to_string(format!("/proc/{number}/comm")).ok()?;
    // The kernel keeps 15 bytes of the name.
    if !"linkmilter".starts_with(name.trim_end()) || name.trim_end().is_empty() {
        return None;
    }
    Pid::from_raw(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_of_a_successor_stays() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("linkmilter.pid");
        let ours = PidFile::new(path.clone());
        ours.claim().unwrap();
        assert_eq!(number(&path).unwrap().unsigned_abs(), std::process::id());
        fs::write(&path, "1\n").unwrap();
        drop(ours);
        assert_eq!(number(&path), Some(1));
        let ours = PidFile::new(path.clone());
        // Process 1 is no linkmilter.
        ours.claim().unwrap();
        drop(ours);
        assert!(!path.exists());
    }
}
