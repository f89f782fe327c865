//! Files that are replaced atomically: written to a temporary file in the same directory, synced,
//! renamed. A reader sees the old file or the new one, and a crash loses neither.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io::{self, ErrorKind, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt, fchown};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

use rustix::fs::OFlags;

/// Age after which a temporary file is removed: its writer must have crashed.
const STALE_AGE: Duration = Duration::from_secs(6 * 60 * 60);

/// Names that are tried for a temporary file.
const ATTEMPTS: u32 = 1_000;

/// Mode of a file that everybody on this host may read.
pub const PUBLIC: u32 = 0o644;
/// Mode of a file that only its owner may read.
pub const PRIVATE: u32 = 0o600;
/// Mode of a file that somebody names on a command line, which the umask narrows.
const BY_UMASK: u32 = 0o666;

/// A temporary file. It is removed unless it is committed, or made to be continued.
#[derive(Debug)]
pub struct AtomicFile {
    path: PathBuf,
    target: PathBuf,
    unfinished: Unfinished,
    pub file: File,
}

/// What becomes of a temporary file that is not committed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Unfinished {
    Removed,
    Kept,
}

impl Drop for AtomicFile {
    fn drop(&mut self) {
        // A file that cannot be removed is left. After a commit the path is empty.
        if self.unfinished == Unfinished::Removed {
            let _ = fs::remove_file(&self.path);
        }
    }
}

impl AtomicFile {
    /// Creates an empty temporary file for `name` in this directory. The directory is created if it
    /// does not exist. Both are readable by everybody on this host, whatever the umask is.
    ///
    /// # Errors
    /// When the directory or the file cannot be created.
    pub fn new(directory: &Path, name: &str) -> io::Result<AtomicFile> {
        fs::create_dir_all(directory)?;
        fs::set_permissions(directory, fs::Permissions::from_mode(0o755))?;
        AtomicFile::of(&directory.join(name), PUBLIC)
    }

    /// Creates an empty temporary file for `target` in its directory, which exists, with this mode
    /// whatever the umask is.
    ///
    /// # Errors
    /// When the file cannot be created.
    pub fn of(target: &Path, mode: u32) -> io::Result<AtomicFile> {
        let temp_file = AtomicFile::create(target, mode)?;
        temp_file.file.set_permissions(fs::Permissions::from_mode(mode))?;
        Ok(temp_file)
    }

    /// Creates an empty temporary file for `target` in its directory, with the mode and, if that is
    /// allowed, the owner of the file that it will replace. Without one, the umask says the mode.
    ///
    /// # Errors
    /// When the file cannot be created.
    pub fn in_place_of(target: &Path) -> io::Result<AtomicFile> {
        let temp_file = AtomicFile::create(target, BY_UMASK)?;
        temp_file.take_after_target()?;
        Ok(temp_file)
    }

    /// Opens the temporary file for `target` that an earlier process left ([`continued_path`]), or
    /// creates it. It stays if it is not committed, to be continued.
    ///
    /// # Errors
    /// When the file cannot be opened or created, or is no regular file.
    pub fn continued(target: &Path) -> io::Result<AtomicFile> {
        let path = continued_path(target);
        let mut options = File::options();
        options.read(true).write(true).create(true).truncate(false).mode(BY_UMASK);
        // Neither a link that leads elsewhere, nor a pipe that waits for its reader.
        options.custom_flags((OFlags::NOFOLLOW | OFlags::NONBLOCK).bits().cast_signed());
        let file = options.open(&path)?;
        if !file.metadata()?.is_file() {
            let found = format!("expected a file at {}", path.display());
            return Err(io::Error::new(ErrorKind::InvalidInput, found));
        }
        let target = target.to_owned();
        let temp_file = AtomicFile { path, target, unfinished: Unfinished::Kept, file };
        temp_file.take_after_target()?;
        Ok(temp_file)
    }

    /// Sets the mode and the owner of the file that will be replaced, if there is one.
    fn take_after_target(&self) -> io::Result<()> {
        let old = match fs::metadata(&self.target) {
            Ok(old) => old,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
            Err(error) => return Err(error),
        };
        // Only root may change the owner. For other users the file stays theirs.
        let _ = fchown(&self.file, Some(old.uid()), Some(old.gid()));
        self.file.set_permissions(old.permissions())
    }

    /// The path of the temporary file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Removes the temporary file, also one that was to be continued.
    pub fn discard(mut self) {
        self.unfinished = Unfinished::Removed;
    }

    fn create(target: &Path, mode: u32) -> io::Result<AtomicFile> {
        let name = target.file_name().unwrap_or_default();
        remove_stale(directory(target), &name.to_string_lossy());
        let mut options = File::options();
        // Never what is there already: another thread's file, or a link that leads elsewhere.
        options.read(true).write(true).create_new(true).mode(mode);
        let mut attempts = 0..ATTEMPTS;
        let (file, path) = loop {
            let path = target.with_file_name(temp_name(name));
            match options.open(&path) {
                // A process of this number crashed before.
                Err(error)
                    if error.kind() == ErrorKind::AlreadyExists && attempts.next().is_some() => {}
                file => break (file?, path),
            }
        };
        let target = target.to_owned();
        Ok(AtomicFile { path, target, unfinished: Unfinished::Removed, file })
    }

    /// Syncs the file and renames it to its final name.
    ///
    /// # Errors
    /// When that fails. A previous file of this name is still there.
    pub fn commit(mut self) -> io::Result<()> {
        self.file.sync_all()?;
        fs::rename(&self.path, &self.target)?;
        // From now on the file of this name is the next writer's.
        self.path.clear();
        // The file is in its place. Where its directory cannot be synced, a power cut may bring the old one back.
        let _ = File::open(directory(&self.target)).and_then(|directory| directory.sync_all());
        Ok(())
    }
}

/// Replaces a file, whose directory exists, by one with these bytes and this mode.
///
/// # Errors
/// When it cannot be written. The old file is still there.
pub fn replace(target: &Path, bytes: &[u8], mode: u32) -> io::Result<()> {
    let mut temp_file = AtomicFile::of(target, mode)?;
    temp_file.file.write_all(bytes)?;
    temp_file.commit()
}

/// The temporary file that is kept for `target` until it is continued. It has one name, by which the
/// next process finds it.
pub fn continued_path(target: &Path) -> PathBuf {
    let mut path = target.to_owned().into_os_string();
    path.push(".part");
    path.into()
}

/// A name that no other temporary file of this process has.
fn temp_name(name: &OsStr) -> OsString {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let mut temp_name = OsString::from(".");
    temp_name.push(name);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    temp_name.push(format!(".{}-{count}", std::process::id()));
    temp_name
}

fn directory(file: &Path) -> &Path {
    let parent = file.parent().filter(|parent| !parent.as_os_str().is_empty());
    parent.unwrap_or(Path::new("."))
}

/// Removes temporary files of this name that crashed processes left.
fn remove_stale(directory: &Path, name: &str) {
    let is_one = |file: &str| {
        let number =
            file.strip_prefix('.').and_then(|file| file.strip_prefix(name)?.strip_prefix('.'));
        number.is_some_and(|number| number.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'-')))
    };
    let old = |entry: &fs::DirEntry| {
        let changed = entry.metadata().and_then(|data| data.modified()).ok();
        let age = changed.and_then(|changed| SystemTime::now().duration_since(changed).ok());
        age.is_some_and(|age| age >= STALE_AGE)
    };
    for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
        if entry.file_name().to_str().is_some_and(is_one) && old(&entry) {
            // A failure does not matter: the next write tries again.
            let _ = fs::remove_file(entry.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn temporary_files_of_a_crash_are_removed_later() {
        let dir = tempfile::tempdir().unwrap();
        let file = |name: &str, age: Duration| {
            let file = File::create(dir.path().join(name)).unwrap();
            file.set_modified(SystemTime::now() - age).unwrap();
        };
        let minute = Duration::from_secs(60);
        file(".bad.list.1", STALE_AGE + minute);
        file(".bad.list.1-5", STALE_AGE + minute);
        file(".bad.list.2", STALE_AGE - minute);
        file(".worse.list.1", STALE_AGE + minute);
        file(".bad.list.x", STALE_AGE + minute);
        let mut temp_file = AtomicFile::new(dir.path(), "bad.list").unwrap();
        temp_file.file.write_all(b"x").unwrap();
        temp_file.commit().unwrap();
        drop(AtomicFile::new(dir.path(), "bad.list").unwrap());
        let names = fs::read_dir(dir.path()).unwrap();
        let mut names: Vec<_> = names.map(|entry| entry.unwrap().file_name()).collect();
        names.sort();
        assert_eq!(names, [".bad.list.2", ".bad.list.x", ".worse.list.1", "bad.list"]);
        assert_eq!(fs::read(dir.path().join("bad.list")).unwrap(), b"x");
    }

    #[test]
    fn a_file_that_is_continued_stays_until_it_is_whole() {
        let dir = tempfile::tempdir().unwrap();
        let target = dir.path().join("out");
        fs::write(&target, "old").unwrap();
        fs::set_permissions(&target, fs::Permissions::from_mode(0o640)).unwrap();
        let mut first = AtomicFile::continued(&target).unwrap();
        first.file.write_all(b"new").unwrap();
        drop(first);
        assert_eq!(fs::read(&target).unwrap(), b"old");
        assert_eq!(fs::read(continued_path(&target)).unwrap(), b"new");
        AtomicFile::continued(&target).unwrap().commit().unwrap();
        assert_eq!(fs::read(&target).unwrap(), b"new");
        assert_eq!(fs::metadata(&target).unwrap().mode() & 0o777, 0o640);
        AtomicFile::continued(&target).unwrap().discard();
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
        std::os::unix::fs::symlink(&target, continued_path(&target)).unwrap();
        assert!(AtomicFile::continued(&target).is_err());
        assert_eq!(fs::read(&target).unwrap(), b"new");
    }

    #[test]
    fn a_temporary_file_is_nobody_elses() {
        let dir = tempfile::tempdir().unwrap();
        let (target, elsewhere) = (dir.path().join("list"), dir.path().join("elsewhere"));
        fs::write(&elsewhere, "kept").unwrap();
        let mut first = AtomicFile::of(&target, PUBLIC).unwrap();
        let mut second = AtomicFile::of(&target, PRIVATE).unwrap();
        first.file.write_all(b"first").unwrap();
        second.file.write_all(b"second").unwrap();
        // Other tests take numbers of this process as well.
        let pid = std::process::id();
        for count in 0..200 {
            let path = dir.path().join(format!(".list.{pid}-{count}"));
            let _ = std::os::unix::fs::symlink(&elsewhere, path);
        }
        replace(&target, b"third", PUBLIC).unwrap();
        assert_eq!(fs::read(&target).unwrap(), b"third");
        first.commit().unwrap();
        assert_eq!(fs::read(&target).unwrap(), b"first");
        second.commit().unwrap();
        assert_eq!(fs::read(&target).unwrap(), b"second");
        assert_eq!(fs::read(&elsewhere).unwrap(), b"kept");
    }
}
