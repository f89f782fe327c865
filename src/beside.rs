//! Files that take the place of others: written beside them, brought to the disk, renamed. A reader sees
//! the old file or the new one, and a crash loses neither.

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// Age of a file that nobody finished: whoever began it is not there any more.
const LEFT_OVER: Duration = Duration::from_secs(6 * 60 * 60);

/// A file on its way. It goes again unless it takes its place.
#[derive(Debug)]
pub struct Beside {
    path: PathBuf,
    place: PathBuf,
    pub file: File,
}

impl Drop for Beside {
    fn drop(&mut self) {
        // It is gone when it has taken its place.
        let _ = fs::remove_file(&self.path);
    }
}

impl Beside {
    /// An empty file for `name` in this directory, which is made where it is absent. Both are for
    /// everybody on this host to read, whatever the umask says.
    ///
    /// # Errors
    /// When the directory takes none.
    pub fn new(directory: &Path, name: &str) -> io::Result<Beside> {
        fs::create_dir_all(directory)?;
        fs::set_permissions(directory, fs::Permissions::from_mode(0o755))?;
        Beside::with_mode(directory, name, 0o644)
    }

    /// An empty file for `name` in this directory, which is there, for its owner alone.
    ///
    /// # Errors
    /// When the directory takes none.
    pub fn private(directory: &Path, name: &str) -> io::Result<Beside> {
        Beside::with_mode(directory, name, 0o600)
    }

    fn with_mode(directory: &Path, name: &str, mode: u32) -> io::Result<Beside> {
        remove_left_over(directory, name);
        let path = directory.join(format!(".{name}.{}", std::process::id()));
        let mut options = File::options();
        options.read(true).write(true).create(true).truncate(true).mode(mode);
        let beside = Beside { file: options.open(&path)?, path, place: directory.join(name) };
        beside.file.set_permissions(fs::Permissions::from_mode(mode))?;
        Ok(beside)
    }

    /// Puts it in its place.
    ///
    /// # Errors
    /// When that fails; what was there is still there.
    pub fn take_place(self) -> io::Result<()> {
        self.file.sync_all()?;
        fs::rename(&self.path, &self.place)?;
        let directory = self.place.parent().unwrap_or(Path::new("."));
        File::open(directory)?.sync_all()
    }
}

/// Removes what processes that ended in the middle left of this name.
fn remove_left_over(directory: &Path, name: &str) {
    let is_one = |file: &str| {
        let number =
            file.strip_prefix('.').and_then(|file| file.strip_prefix(name)?.strip_prefix('.'));
        number.is_some_and(|number| number.bytes().all(|byte| byte.is_ascii_digit()))
    };
    let old = |entry: &fs::DirEntry| {
        let changed = entry.metadata().and_then(|data| data.modified()).ok();
        let age = changed.and_then(|changed| SystemTime::now().duration_since(changed).ok());
        age.is_some_and(|age| age >= LEFT_OVER)
    };
    for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
        if entry.file_name().to_str().is_some_and(is_one) && old(&entry) {
            // The next file that is written comes to it again.
            let _ = fs::remove_file(entry.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    #[test]
    fn what_a_crash_left_goes_with_the_next_file() {
        let dir = tempfile::tempdir().unwrap();
        let file = |name: &str, age: Duration| {
            let file = File::create(dir.path().join(name)).unwrap();
            file.set_modified(SystemTime::now() - age).unwrap();
        };
        let minute = Duration::from_secs(60);
        file(".bad.list.1", LEFT_OVER + minute);
        file(".bad.list.2", LEFT_OVER - minute);
        file(".worse.list.1", LEFT_OVER + minute);
        file(".bad.list.x", LEFT_OVER + minute);
        let mut beside = Beside::new(dir.path(), "bad.list").unwrap();
        beside.file.write_all(b"x").unwrap();
        beside.take_place().unwrap();
        drop(Beside::new(dir.path(), "bad.list").unwrap());
        let names = fs::read_dir(dir.path()).unwrap();
        let mut names: Vec<_> = names.map(|entry| entry.unwrap().file_name()).collect();
        names.sort();
        assert_eq!(names, [".bad.list.2", ".bad.list.x", ".worse.list.1", "bad.list"]);
        assert_eq!(fs::read(dir.path().join("bad.list")).unwrap(), b"x");
    }
}
