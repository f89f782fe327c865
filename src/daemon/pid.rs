//! The pid file: it says which process to send SIGHUP to. One daemon at a time has it, because it locks the
//! state directory: a file that a daemon left when it was killed means nothing.

use std::ffi::CStr;
use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::{Duration, Instant};

use rustix::process::Pid;

use super::state_dir;
use crate::file;

/// The pid file and the lock on its directory. Dropping it removes the file, if it still holds our process id,
/// then releases the lock.
#[derive(Debug)]
pub struct PidFile {
    path: PathBuf,
    /// The directory. `None` on a file system without locks.
    locked: Option<File>,
}

/// Another daemon works with the state directory.
#[derive(Debug, thiserror::Error)]
#[error(
    "{}: {process} works with this state directory: stop it first, or give each daemon a server.state_dir of \
     its own", directory.display()
)]
pub struct StateInUse {
    directory: PathBuf,
    /// Which one, according to the pid file.
    process: String,
}

/// Which directory is at the path of the state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Directory {
    /// The one that was locked.
    Same,
    /// Another one, made or put there since. It is locked now.
    Another,
}

/// How long a lock is waited for: of a daemon that is about to end, of a command that looks for one.
const LOCK_TIMEOUT: Duration = Duration::from_secs(1);

impl PidFile {
    /// Locks the directory of a pid file. It is not written yet.
    ///
    /// # Errors
    /// Another daemon has locked it, and lives.
    pub fn lock(path: PathBuf) -> Result<PidFile, StateInUse> {
        let begun = Instant::now();
        loop {
            match lock_directory(&path) {
                Ok(locked) => return Ok(PidFile { path, locked }),
                Err(in_use) if begun.elapsed() > LOCK_TIMEOUT => return Err(in_use),
                Err(_) => sleep(LOCK_TIMEOUT / 20),
            }
        }
    }

    /// Locks the directory that is at its path now, if that is not the one which was locked: somebody has removed it
    /// while we ran, or put another in its place.
    ///
    /// # Errors
    /// Another daemon has locked that one.
    pub fn lock_again(&mut self) -> Result<Directory, StateInUse> {
        let known = self.locked.as_ref().and_then(|locked| locked.metadata().ok());
        let Some(known) = known else { return Ok(Directory::Same) };
        let now = fs::metadata(directory(&self.path));
        if now.is_ok_and(|now| file::is_same(&now, &known)) {
            return Ok(Directory::Same);
        }
        // An error is that of whoever writes there next.
        let _ = state_dir::create(directory(&self.path));
        let Some(locked) = lock_directory(&self.path)? else { return Ok(Directory::Same) };
        self.locked = Some(locked);
        Ok(Directory::Another)
    }

    /// Writes our process id, unless the file holds it.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn write(&self) -> io::Result<()> {
        let own = std::process::id();
        match number(&self.path) {
            Some(pid) if pid.unsigned_abs() == own => Ok(()),
            _ => fs::write(&self.path, format!("{own}\n")),
        }
    }
}

impl Drop for PidFile {
    fn drop(&mut self) {
        if number(&self.path).is_some_and(|pid| pid.unsigned_abs() == std::process::id()) {
            // Fails if somebody has removed it before.
            let _ = fs::remove_file(&self.path);
        }
    }
}

fn directory(path: &Path) -> &Path {
    path.parent().unwrap_or(Path::new("/"))
}

/// Locks the directory of a pid file. `None` on a file system without locks.
fn lock_directory(path: &Path) -> Result<Option<File>, StateInUse> {
    let directory = directory(path);
    let opened = File::open(directory);
    match opened.as_ref().map(File::try_lock) {
        Ok(Err(TryLockError::WouldBlock)) => Err(StateInUse {
            directory: directory.to_owned(),
            process: number(path)
                .map_or_else(|| "another daemon".to_owned(), |pid| format!("process {pid}")),
        }),
        Ok(Ok(())) => Ok(opened.ok()),
        Ok(Err(TryLockError::Error(_))) | Err(_) => Ok(None),
    }
}

/// Whether a daemon works with the directory of this pid file, even if the file does not name it.
pub fn is_in_use(path: &Path) -> bool {
    lock_directory(path).is_err()
}

fn number(file: &Path) -> Option<i32> {
    fs::read_to_string(file).ok()?.trim().parse().ok()
}

/// The name of the daemon's process.
pub const PROCESS_NAME: &CStr = c"linkmilter";

/// The process in the file, if it runs and is a linkmilter: the system may have given its id to another program.
pub fn running(file: &Path) -> Option<Pid> {
    let number = number(file)?;
    let name = fs::read(format!("/proc/{number}/comm")).ok()?;
    Pid::from_raw(number).filter(|_| name.trim_ascii_end() == PROCESS_NAME.to_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_directory_that_was_removed_is_made_and_locked_again() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("state/linkmilter.pid");
        state_dir::create(&dir.path().join("state")).unwrap();
        let mut ours = PidFile::lock(path.clone()).unwrap();
        ours.write().unwrap();
        assert_eq!(ours.lock_again().unwrap(), Directory::Same);
        fs::remove_dir_all(dir.path().join("state")).unwrap();
        assert!(!is_in_use(&path));
        assert_eq!(ours.lock_again().unwrap(), Directory::Another);
        assert_eq!(ours.lock_again().unwrap(), Directory::Same);
        ours.write().unwrap();
        assert!(is_in_use(&path) && path.exists());
        // Another daemon was faster.
        fs::rename(dir.path().join("state"), dir.path().join("old")).unwrap();
        state_dir::create(&dir.path().join("state")).unwrap();
        let theirs = PidFile::lock(path.clone()).unwrap();
        let error = ours.lock_again().unwrap_err().to_string();
        assert!(error.contains("works with this state directory"), "{error}");
        drop(theirs);
        ours.lock_again().unwrap();
    }

    #[test]
    fn one_at_a_time_has_the_file_and_a_file_that_was_left_means_nothing() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("linkmilter.pid");
        let ours = PidFile::lock(path.clone()).unwrap();
        let other = PidFile::lock(path.clone()).unwrap_err().to_string();
        assert!(other.contains(": another daemon works with this state directory"), "{other}");
        // Somebody writes into it, or a daemon was killed.
        fs::write(&path, "1\n").unwrap();
        let other = PidFile::lock(path.clone()).unwrap_err().to_string();
        assert!(other.contains(": process 1 works with this state directory"), "{other}");
        drop(ours);
        assert_eq!(number(&path), Some(1));
        let ours = PidFile::lock(path.clone()).unwrap();
        ours.write().unwrap();
        assert_eq!(number(&path).unwrap().unsigned_abs(), std::process::id());
        drop(ours);
        assert!(!path.exists());
    }
}
