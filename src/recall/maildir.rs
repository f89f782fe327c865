//! Messages of a Maildir, replaced one at a time.
//!
//! | step | after an interruption at this point |
//! | --- | --- |
//! | the new copy is written into `tmp` with owner, mode and dates of the original, and synced to disk | the original is there; `--resume` cleans `tmp`, and so does the mail server |
//! | it is linked into `cur` or `new` under a new name, and removed from `tmp` | both are there; a later run removes the original |
//! | the original is removed | done |
//!
//! The new name is derived from the old one, so that a later run knows which copy belongs to which
//! message. The name must change: mail programs cache messages by name and would keep showing the
//! old content.
//!
//! Two runs at once wait for each other at each folder. On a file system without locks, no step
//! overwrites an existing name, and none removes a copy that another run may have made. Then one of
//! the two runs fails, and the message is there.

mod name;

use std::ffi::{OsStr, OsString};
use std::fs::{self, File, FileTimes, OpenOptions};
use std::io::{self, ErrorKind, Read, Write};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::SystemTime;

use rustix::fs::{Mode, OFlags};

pub use name::{CopyState, MaildirMessage, copy_states};

/// How often a message is looked for under other flags: a mail program may change them meanwhile.
const MAX_RENAME_TRIES: usize = 5;

/// Makes the names of temporary files unique within this process.
static TEMP_FILES: AtomicU64 = AtomicU64::new(0);

/// A folder with `cur`, `new` and `tmp`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MaildirFolder {
    path: PathBuf,
}

/// The outcome of a replacement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReplacedInMaildir {
    /// The copy replaced the message.
    Done,
    /// Somebody removed the message meanwhile, so the copy was removed as well.
    Gone,
}

/// Who made the copy of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum MadeBy {
    /// This call. Nobody else relies on the copy.
    ThisCall,
    /// An earlier run, or a concurrent one that may have removed the original itself.
    AnotherRun,
}

/// A lock on a folder: no other run changes it until this is dropped.
#[derive(Debug)]
pub struct FolderLock {
    held: Option<File>,
}

/// The folders of a mailbox, and those that could not be read.
#[derive(Debug)]
pub struct Folders {
    pub found: Vec<MaildirFolder>,
    pub unreadable: Vec<(PathBuf, io::Error)>,
}

/// Whether a directory with these entries is a Maildir.
pub fn is_maildir(has: impl Fn(&str) -> bool) -> bool {
    has("cur") && has("new")
}

/// The folders below a Maildir, itself included: `.Sent`, `.Lists.a`, and in the nested layout
/// `Sent`, `Lists/a`.
///
/// # Errors
/// When it is not a Maildir, or belongs to another user: then a copy would belong to the caller.
pub fn folders(root: &Path) -> io::Result<Folders> {
    let own = MaildirFolder::new_if_folder(root.to_owned()).ok_or_else(not_a_maildir)?;
    check_owner(&fs::symlink_metadata(root)?)?;
    let mut all = Folders { found: vec![own], unreadable: Vec::new() };
    let mut open = vec![root.to_owned()];
    while let Some(path) = open.pop() {
        match subfolders(&path) {
            Ok(subfolders) => {
                for path in &subfolders {
                    match MaildirFolder::new_if_folder(path.clone()) {
                        Some(folder) => all.found.push(folder),
                        None if is_maildir(|name| path.join(name).exists()) => {
                            all.unreadable.push((path.clone(), not_a_maildir()));
                        }
                        None => {}
                    }
                }
                open.extend(subfolders);
            }
            Err(error) => all.unreadable.push((path, error)),
        }
    }
    all.found.sort_by(|one, other| one.path.cmp(&other.path));
    Ok(all)
}

fn not_a_maildir() -> io::Error {
    io::Error::new(ErrorKind::InvalidInput, "expected a Maildir with cur, new and tmp")
}

/// Subdirectories, except `cur`, `new` and `tmp`. Symbolic links are not followed: they may lead
/// out of the mailbox.
fn subfolders(path: &Path) -> io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(path)? {
        let entry = entry?;
        let own = ["cur", "new", "tmp"].iter().any(|name| entry.file_name() == *name);
        if entry.file_type()?.is_dir() && !own {
            found.push(entry.path());
        }
    }
    Ok(found)
}

impl MaildirFolder {
    /// `None` when it is not a folder. Symbolic links do not count: they may lead out of the
    /// mailbox.
    fn new_if_folder(path: PathBuf) -> Option<MaildirFolder> {
        let is_folder = |path: &Path| fs::symlink_metadata(path).is_ok_and(|file| file.is_dir());
        let complete = ["cur", "new", "tmp"].iter().all(|name| is_folder(&path.join(name)));
        (is_folder(&path) && complete).then_some(MaildirFolder { path })
    }

    /// Waits until no other run works on this folder, then locks it. A file system without locks on
    /// directories (NFS) does not lock.
    ///
    /// # Errors
    /// When the folder cannot be opened.
    pub fn lock(&self) -> io::Result<FolderLock> {
        let folder = File::open(&self.path)?;
        let locked = folder.lock();
        Ok(FolderLock { held: locked.is_ok().then_some(folder) })
    }

    /// The messages of the folder, sorted by name, and symbolic links, which [`MaildirFolder::read`] refuses. A message that is moved from `new` to `cur`
    /// meanwhile may be listed twice.
    ///
    /// # Errors
    /// When the folder cannot be read.
    pub fn messages(&self) -> io::Result<Vec<MaildirMessage>> {
        let mut found = Vec::new();
        for subdirectory in ["new", "cur"] {
            for entry in fs::read_dir(self.path.join(subdirectory))? {
                let entry = entry?;
                let listed =
                    entry.file_type().is_ok_and(|kind| kind.is_file() || kind.is_symlink());
                if listed && !entry.file_name().as_bytes().starts_with(b".") {
                    found.push(MaildirMessage { subdirectory, name: entry.file_name() });
                }
            }
        }
        found.sort_by(|one, other| one.name.cmp(&other.name));
        Ok(found)
    }

    pub fn path(&self, message: &MaildirMessage) -> PathBuf {
        self.path.join(message.subdirectory).join(&message.name)
    }

    /// The bytes of a message and the time of its delivery.
    ///
    /// # Errors
    /// When it cannot be read, is not a regular file, belongs to another user, or has more than
    /// `max_bytes` bytes.
    pub fn read(
        &self,
        message: &MaildirMessage,
        max_bytes: u64,
    ) -> io::Result<(Vec<u8>, SystemTime)> {
        // Since the folder was listed, the file may have been replaced by a symbolic link or by a
        // pipe without a writer.
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let file = match rustix::fs::open(self.path(message), flags, Mode::empty()) {
            Err(rustix::io::Errno::LOOP) => {
                let text = "expected a plain file, found a symbolic link: it is left as it is";
                return Err(io::Error::new(ErrorKind::InvalidInput, text));
            }
            opened => File::from(opened?),
        };
        let about = file.metadata()?;
        if !about.is_file() {
            return Err(io::Error::new(ErrorKind::InvalidInput, "expected a plain file"));
        }
        check_owner(&about)?;
        if about.len() > max_bytes {
            let text = format!("expected at most {max_bytes} bytes, found {}", about.len());
            return Err(io::Error::new(ErrorKind::FileTooLarge, text));
        }
        let mut bytes = Vec::new();
        file.take(max_bytes).read_to_end(&mut bytes)?;
        Ok((bytes, about.modified()?))
    }

    /// Replaces a message by these bytes. Flags and dates are kept, sizes in the name are updated.
    ///
    /// # Errors
    /// When the copy cannot be made. Then the message is there as before.
    pub fn replace(&self, message: &MaildirMessage, bytes: &[u8]) -> io::Result<ReplacedInMaildir> {
        let old = fs::symlink_metadata(self.path(message))?;
        let new =
            MaildirMessage { subdirectory: message.subdirectory, name: message.copy_name(bytes) };
        let number = TEMP_FILES.fetch_add(1, Ordering::Relaxed);
        let name = name::temporary(new.base(), std::process::id(), number);
        let temp_path = self.path.join("tmp").join(OsStr::from_bytes(&name));
        let written = self
            .write(&temp_path, bytes, &old)
            .and_then(|()| move_to(&temp_path, &self.path(&new)))
            .and_then(|()| self.sync(new.subdirectory));
        if let Err(error) = written {
            // An incomplete copy that cannot be removed either stays in `tmp`.
            let _ = fs::remove_file(&temp_path);
            return Err(error);
        }
        self.remove_original(message, new, MadeBy::ThisCall)
    }

    /// Removes the copies in `tmp` that interrupted runs had not moved to their place, and returns their number.
    /// Without the lock nothing is removed: a run elsewhere may be writing one.
    ///
    /// # Errors
    /// When `tmp` cannot be read, or a copy cannot be removed.
    pub fn clean(&self, lock: &FolderLock) -> io::Result<usize> {
        let mut removed = 0;
        if lock.held.is_none() {
            return Ok(removed);
        }
        for entry in fs::read_dir(self.path.join("tmp"))? {
            let entry = entry?;
            let plain = entry.file_type().is_ok_and(|kind| kind.is_file());
            if plain && name::is_temporary(entry.file_name().as_bytes()) {
                fs::remove_file(entry.path())?;
                removed += 1;
            }
        }
        Ok(removed)
    }

    /// Removes a message whose copy an earlier run left beside it. When somebody else has removed
    /// it, the copy stays: that may have been another run, which relies on the copy.
    ///
    /// # Errors
    /// When it cannot be removed. Then both are there.
    pub fn finish(
        &self,
        message: &MaildirMessage,
        copy: MaildirMessage,
    ) -> io::Result<ReplacedInMaildir> {
        self.remove_original(message, copy, MadeBy::AnotherRun)
    }

    /// Removes a message that has a copy, whatever flags its name has by now.
    fn remove_original(
        &self,
        message: &MaildirMessage,
        mut new: MaildirMessage,
        made_by: MadeBy,
    ) -> io::Result<ReplacedInMaildir> {
        let mut old = message.clone();
        for _ in 0..MAX_RENAME_TRIES {
            match fs::remove_file(self.path(&old)) {
                Ok(()) => {
                    self.sync(old.subdirectory)?;
                    return Ok(ReplacedInMaildir::Done);
                }
                Err(error) if error.kind() == ErrorKind::NotFound => {}
                Err(error) => return Err(error),
            }
            let Some(now) = self.find_renamed(message)? else {
                if made_by == MadeBy::ThisCall {
                    fs::remove_file(self.path(&new))?;
                }
                return Ok(ReplacedInMaildir::Gone);
            };
            let name = [new.base(), now.flags()].concat();
            let moved =
                MaildirMessage { subdirectory: now.subdirectory, name: OsString::from_vec(name) };
            move_to(&self.path(&new), &self.path(&moved))?;
            (old, new) = (now, moved);
        }
        Err(io::Error::new(ErrorKind::ResourceBusy, "its flags keep changing"))
    }

    /// Finds a message again whose flags have changed. A message that is renamed during the listing
    /// may be missed under both names, so it is gone only when two listings do not have it.
    fn find_renamed(&self, message: &MaildirMessage) -> io::Result<Option<MaildirMessage>> {
        let listed = || -> io::Result<Option<MaildirMessage>> {
            Ok(self.messages()?.into_iter().find(|other| other.base() == message.base()))
        };
        Ok(match listed()? {
            Some(found) => Some(found),
            None => listed()?,
        })
    }

    fn write(&self, path: &Path, bytes: &[u8], old: &fs::Metadata) -> io::Result<()> {
        let mut options = OpenOptions::new();
        let mut file = options.write(true).create_new(true).mode(0o600).open(path)?;
        let own = file.metadata()?;
        if (own.uid(), own.gid()) != (old.uid(), old.gid()) {
            let text = format!(
                "expected to run as the mailbox's owner ({}:{}), found {}:{}",
                old.uid(),
                old.gid(),
                own.uid(),
                own.gid()
            );
            return Err(io::Error::new(ErrorKind::PermissionDenied, text));
        }
        file.write_all(bytes)?;
        file.set_permissions(old.permissions())?;
        file.set_times(
            FileTimes::new().set_modified(old.modified()?).set_accessed(old.accessed()?),
        )?;
        file.sync_all()
    }

    fn sync(&self, subdirectory: &str) -> io::Result<()> {
        File::open(self.path.join(subdirectory))?.sync_all()
    }
}

/// Renames a file without overwriting: `rename` would replace an existing file.
fn move_to(from: &Path, to: &Path) -> io::Result<()> {
    if from == to {
        return Ok(());
    }
    fs::hard_link(from, to)?;
    fs::remove_file(from)
}

fn check_owner(about: &fs::Metadata) -> io::Result<()> {
    let (owner, caller) = (about.uid(), rustix::process::geteuid().as_raw());
    if owner == caller {
        return Ok(());
    }
    let text = format!("expected to run as the mailbox's owner ({owner}), found {caller}");
    Err(io::Error::new(ErrorKind::PermissionDenied, text))
}

#[cfg(test)]
mod tests;
