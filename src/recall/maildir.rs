//! Messages of a Maildir, replaced one at a time.
//!
//! | step | after an interruption behind it |
//! | --- | --- |
//! | the new copy is written into `tmp`, with owner, mode and dates of the old one, and brought to the disk | the old message is there; `tmp` is swept by the mail server |
//! | it is linked into `cur` or `new` under a name of its own, and leaves `tmp` | both are there, and a later run takes the old one away |
//! | the old one is removed | done |
//!
//! The new name is made of the old one, so that a later run knows what belongs together. A message
//! under the old name with other content would be the same to mail programs that keep copies.
//!
//! Two runs at once wait for each other, folder by folder. Where the file system knows no locks, no
//! step overwrites a name and none removes a copy that another run may have made: then one of the two
//! fails, and the message is there.

use std::collections::{HashMap, HashSet};
use std::ffi::{OsStr, OsString};
use std::fs::{self, File, FileTimes, OpenOptions};
use std::io::{self, ErrorKind, Read, Write};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::SystemTime;

use rustix::fs::{Mode, OFlags};

/// Marks the name of a copy of ours: `_lm1` behind the first part of the name.
const MARK: &[u8] = b"_lm";

/// Times that a message is looked for under other flags: a mail program may change them meanwhile.
const TRIES: usize = 5;

/// Tells files of one process apart while they are written.
static WRITERS: AtomicU64 = AtomicU64::new(0);

/// A folder with `cur`, `new` and `tmp`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Folder {
    path: PathBuf,
}

/// A message in a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredMessage {
    /// `cur` or `new`.
    place: &'static str,
    name: OsString,
}

/// What became of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Replaced {
    /// The new copy stands in its place.
    Done,
    /// Somebody removed the message meanwhile: so the new copy went as well.
    Gone,
}

/// How a message stands to the others of its folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CopyState<'l> {
    Alone,
    /// An interrupted run made this copy of it and left both.
    Replaced(&'l StoredMessage),
    /// It is such a copy: until the message beside it went it is not the one to be changed.
    Copy,
}

/// How each of these messages stands to the others, in their order.
pub fn copy_states(all: &[StoredMessage]) -> Vec<CopyState<'_>> {
    let named: HashMap<&[u8], &StoredMessage> =
        all.iter().map(|letter| (first(letter.base()), letter)).collect();
    let copies: Vec<Option<&StoredMessage>> =
        all.iter().map(|letter| named.get(letter.successor().as_slice()).copied()).collect();
    let made: HashSet<&[u8]> = copies.iter().flatten().map(|copy| first(copy.base())).collect();
    let all = all.iter().zip(copies);
    all.map(|(letter, copy)| match copy {
        Some(copy) => CopyState::Replaced(copy),
        None if made.contains(first(letter.base())) => CopyState::Copy,
        None => CopyState::Alone,
    })
    .collect()
}

/// Who made the copy that stands beside a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Maker {
    /// This very call: nobody else counts on it.
    This,
    /// An earlier run, or one at the same time that may have removed the message itself.
    Another,
}

/// A folder of which no other run changes anything, until this is dropped.
#[derive(Debug)]
pub struct Held {
    _lock: Option<File>,
}

/// The folders of a mailbox, and what could not be looked into.
#[derive(Debug)]
pub struct Folders {
    pub found: Vec<Folder>,
    pub unread: Vec<(PathBuf, io::Error)>,
}

/// Whether a folder with these names keeps messages as a Maildir does.
pub fn is_maildir(has: impl Fn(&str) -> bool) -> bool {
    has("cur") && has("new")
}

/// Folders below a Maildir, itself included: `.Sent`, `.Lists.a`, and in the layout of nested folders
/// `Sent`, `Lists/a`.
///
/// # Errors
/// When it is no Maildir, or is of somebody else: a copy would be of the caller then.
pub fn folders(root: &Path) -> io::Result<Folders> {
    let own = Folder::at(root.to_owned()).ok_or_else(no_maildir)?;
    is_of_caller(&fs::symlink_metadata(root)?)?;
    let mut all = Folders { found: vec![own], unread: Vec::new() };
    let mut open = vec![root.to_owned()];
    while let Some(path) = open.pop() {
        match below(&path) {
            Ok(below) => {
                for path in &below {
                    match Folder::at(path.clone()) {
                        Some(folder) => all.found.push(folder),
                        None if is_maildir(|name| path.join(name).exists()) => {
                            all.unread.push((path.clone(), no_maildir()));
                        }
                        None => {}
                    }
                }
                open.extend(below);
            }
            Err(error) => all.unread.push((path, error)),
        }
    }
    all.found.sort_by(|one, other| one.path.cmp(&other.path));
    Ok(all)
}

fn no_maildir() -> io::Error {
    io::Error::new(ErrorKind::InvalidInput, "expected a Maildir with cur, new and tmp")
}

/// The folders in one that are not where it keeps its messages. Links lead out of the mailbox.
fn below(path: &Path) -> io::Result<Vec<PathBuf>> {
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

impl Folder {
    /// Folders that are links lead out of the mailbox: they are none.
    fn at(path: PathBuf) -> Option<Folder> {
        let is_folder = |path: &Path| fs::symlink_metadata(path).is_ok_and(|file| file.is_dir());
        let whole = ["cur", "new", "tmp"].iter().all(|name| is_folder(&path.join(name)));
        (is_folder(&path) && whole).then_some(Folder { path })
    }

    /// Waits until no other run works on this folder, and keeps others out. A file system that knows
    /// no locks on folders (NFS) keeps nobody out.
    ///
    /// # Errors
    /// When the folder cannot be opened.
    pub fn hold(&self) -> io::Result<Held> {
        let folder = File::open(&self.path)?;
        let locked = folder.lock();
        Ok(Held { _lock: locked.is_ok().then_some(folder) })
    }

    /// Its messages, in the order of their names. One that is moved meanwhile from `new` to `cur` may stand
    /// there twice.
    ///
    /// # Errors
    /// When the folder cannot be read.
    pub fn letters(&self) -> io::Result<Vec<StoredMessage>> {
        let mut found = Vec::new();
        for place in ["new", "cur"] {
            for entry in fs::read_dir(self.path.join(place))? {
                let entry = entry?;
                let plain = entry.file_type().is_ok_and(|kind| kind.is_file());
                if plain && !entry.file_name().as_bytes().starts_with(b".") {
                    found.push(StoredMessage { place, name: entry.file_name() });
                }
            }
        }
        found.sort_by(|one, other| one.name.cmp(&other.name));
        Ok(found)
    }

    pub fn path(&self, letter: &StoredMessage) -> PathBuf {
        self.path.join(letter.place).join(&letter.name)
    }

    /// The bytes of a message and when it was delivered.
    ///
    /// # Errors
    /// When it cannot be read, is no plain file, is of somebody else, or is bigger than `most` bytes.
    pub fn read(&self, letter: &StoredMessage, most: u64) -> io::Result<(Vec<u8>, SystemTime)> {
        // Since the folder was listed it may have become a link, or a pipe that nobody writes into.
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let file = File::from(rustix::fs::open(self.path(letter), flags, Mode::empty())?);
        let about = file.metadata()?;
        if !about.is_file() {
            return Err(io::Error::new(ErrorKind::InvalidInput, "expected a plain file"));
        }
        is_of_caller(&about)?;
        if about.len() > most {
            let said = format!("expected at most {most} bytes, found {}", about.len());
            return Err(io::Error::new(ErrorKind::FileTooLarge, said));
        }
        let mut bytes = Vec::new();
        file.take(most).read_to_end(&mut bytes)?;
        Ok((bytes, about.modified()?))
    }

    /// Puts these bytes in the place of a message. Flags and dates stay, sizes in the name follow.
    ///
    /// # Errors
    /// When the new copy cannot be made; then the old message is there as before.
    pub fn replace(&self, letter: &StoredMessage, bytes: &[u8]) -> io::Result<Replaced> {
        let old = fs::symlink_metadata(self.path(letter))?;
        let new = StoredMessage { place: letter.place, name: letter.renamed(bytes) };
        let number = WRITERS.fetch_add(1, Ordering::Relaxed);
        let mut name = new.base().to_vec();
        name.extend(format!(".{}-{number}", std::process::id()).bytes());
        let beside = self.path.join("tmp").join(OsStr::from_bytes(&name));
        let written = self
            .write(&beside, bytes, &old)
            .and_then(|()| place(&beside, &self.path(&new)))
            .and_then(|()| self.sync(new.place));
        if let Err(error) = written {
            // Nothing more can be done about half a copy.
            let _ = fs::remove_file(&beside);
            return Err(error);
        }
        self.retire(letter, new, Maker::This)
    }

    /// Removes a message whose new copy an earlier run left beside it. When it is gone by itself the
    /// copy stays: whoever removed it may count on that.
    ///
    /// # Errors
    /// When it cannot be removed; then both are there.
    pub fn finish(&self, letter: &StoredMessage, copy: StoredMessage) -> io::Result<Replaced> {
        self.retire(letter, copy, Maker::Another)
    }

    /// Removes a message whose new copy stands beside it, under whichever flags it has by now.
    fn retire(
        &self,
        letter: &StoredMessage,
        mut new: StoredMessage,
        maker: Maker,
    ) -> io::Result<Replaced> {
        let mut old = letter.clone();
        for _ in 0..TRIES {
            match fs::remove_file(self.path(&old)) {
                Ok(()) => {
                    self.sync(old.place)?;
                    return Ok(Replaced::Done);
                }
                Err(error) if error.kind() == ErrorKind::NotFound => {}
                Err(error) => return Err(error),
            }
            let Some(now) = self.again(letter)? else {
                if maker == Maker::This {
                    fs::remove_file(self.path(&new))?;
                }
                return Ok(Replaced::Gone);
            };
            let name = [new.base(), now.info()].concat();
            let moved = StoredMessage { place: now.place, name: OsString::from_vec(name) };
            place(&self.path(&new), &self.path(&moved))?;
            (old, new) = (now, moved);
        }
        Err(io::Error::new(ErrorKind::ResourceBusy, "its flags change all the time"))
    }

    /// A message under the flags that it has by now. One that is renamed while its folder is listed may be
    /// met under neither name: it is gone when two lists do not have it.
    fn again(&self, letter: &StoredMessage) -> io::Result<Option<StoredMessage>> {
        let listed = || -> io::Result<Option<StoredMessage>> {
            Ok(self.letters()?.into_iter().find(|other| other.base() == letter.base()))
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
            let said = format!(
                "expected to run as the mailbox's owner ({}:{}), found {}:{}",
                old.uid(),
                old.gid(),
                own.uid(),
                own.gid()
            );
            return Err(io::Error::new(ErrorKind::PermissionDenied, said));
        }
        file.write_all(bytes)?;
        file.set_permissions(old.permissions())?;
        file.set_times(
            FileTimes::new().set_modified(old.modified()?).set_accessed(old.accessed()?),
        )?;
        file.sync_all()
    }

    fn sync(&self, place: &str) -> io::Result<()> {
        File::open(self.path.join(place))?.sync_all()
    }
}

impl StoredMessage {
    /// The name without flags.
    fn base(&self) -> &[u8] {
        let name = self.name.as_bytes();
        name.get(..name.len() - self.info().len()).unwrap_or_default()
    }

    /// `:2,S`, or nothing.
    fn info(&self) -> &[u8] {
        let name = self.name.as_bytes();
        let at = memchr::memchr(b':', name).unwrap_or(name.len());
        name.get(at..).unwrap_or_default()
    }

    /// The first part of the name of a copy.
    fn successor(&self) -> Vec<u8> {
        let first = first(self.base());
        let mark = memchr::memmem::rfind(first, MARK).and_then(|at| {
            let digits = std::str::from_utf8(first.get(at + MARK.len()..)?).ok()?;
            Some((first.get(..at)?, digits.parse::<u32>().ok()?))
        });
        let (stem, count) = mark.unwrap_or((first, 0));
        let mark = String::from_utf8_lossy(MARK);
        [stem, format!("{mark}{}", count.saturating_add(1)).as_bytes()].concat()
    }

    /// The name of a copy with these bytes: sizes (`S=` as stored, `W=` with CRLF) follow.
    fn renamed(&self, bytes: &[u8]) -> OsString {
        let mut name = self.successor();
        for part in self.base().split(|c| *c == b',').skip(1) {
            name.push(b',');
            match part.get(..2) {
                Some(b"S=") => name.extend(format!("S={}", bytes.len()).bytes()),
                Some(b"W=") => name.extend(format!("W={}", wire_len(bytes)).bytes()),
                _ => name.extend_from_slice(part),
            }
        }
        name.extend_from_slice(self.info());
        OsString::from_vec(name)
    }
}

/// Gives a file another name, which nobody has. `rename` would overwrite what is there.
fn place(from: &Path, to: &Path) -> io::Result<()> {
    if from == to {
        return Ok(());
    }
    fs::hard_link(from, to)?;
    fs::remove_file(from)
}

fn is_of_caller(about: &fs::Metadata) -> io::Result<()> {
    let (owner, caller) = (about.uid(), rustix::process::geteuid().as_raw());
    if owner == caller {
        return Ok(());
    }
    let said = format!("expected to run as the mailbox's owner ({owner}), found {caller}");
    Err(io::Error::new(ErrorKind::PermissionDenied, said))
}

/// The name up to its first comma.
fn first(base: &[u8]) -> &[u8] {
    base.split(|c| *c == b',').next().unwrap_or_default()
}

/// Bytes with CRLF at the end of each line.
fn wire_len(bytes: &[u8]) -> usize {
    let bare = |at: &usize| at.checked_sub(1).and_then(|before| bytes.get(before)) != Some(&b'\r');
    bytes.len() + memchr::memchr_iter(b'\n', bytes).filter(bare).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    const NAME: &str = "1700000000.M1P2.host,S=8,W=10:2,FS";

    fn maildir(files: &[(&str, &str)]) -> tempfile::TempDir {
        let dir = tempfile::tempdir().unwrap();
        for place in ["cur", "new", "tmp"] {
            fs::create_dir(dir.path().join(place)).unwrap();
        }
        for (path, text) in files {
            fs::write(dir.path().join(path), text).unwrap();
        }
        dir
    }

    fn names(dir: &Path) -> Vec<String> {
        let mut found = Vec::new();
        for place in ["cur", "new", "tmp"] {
            for entry in fs::read_dir(dir.join(place)).unwrap() {
                found.push(format!("{place}/{}", entry.unwrap().file_name().to_string_lossy()));
            }
        }
        found.sort();
        found
    }

    #[test]
    fn flags_dates_and_sizes_are_kept() {
        let dir = maildir(&[(&format!("cur/{NAME}"), "A: b\n\nc\n")]);
        let then = SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(1_000_000_000);
        let file = File::options().write(true).open(dir.path().join("cur").join(NAME)).unwrap();
        file.set_modified(then).unwrap();
        let folder = &folders(dir.path()).unwrap().found[0];
        let letter = folder.letters().unwrap().remove(0);
        assert_eq!(folder.replace(&letter, b"A: b\n\nnew text\n").unwrap(), Replaced::Done);
        assert_eq!(names(dir.path()), ["cur/1700000000.M1P2.host_lm1,S=15,W=18:2,FS"]);
        let letter = folder.letters().unwrap().remove(0);
        assert_eq!(folder.read(&letter, 100).unwrap(), (b"A: b\n\nnew text\n".to_vec(), then));
        folder.replace(&letter, b"x").unwrap();
        assert_eq!(names(dir.path()), ["cur/1700000000.M1P2.host_lm2,S=1,W=1:2,FS"]);
    }

    #[test]
    fn whoever_changes_flags_meanwhile_keeps_them() {
        let dir = maildir(&[("new/1.a.host", "old")]);
        let folder = &folders(dir.path()).unwrap().found[0];
        let letter = folder.letters().unwrap().remove(0);
        fs::write(dir.path().join("new/1.a.host_lm1"), "new").unwrap();
        fs::rename(dir.path().join("new/1.a.host"), dir.path().join("cur/1.a.host:2,RS")).unwrap();
        let new = StoredMessage { place: "new", name: "1.a.host_lm1".into() };
        assert_eq!(folder.retire(&letter, new, Maker::This).unwrap(), Replaced::Done);
        assert_eq!(names(dir.path()), ["cur/1.a.host_lm1:2,RS"]);
        assert_eq!(fs::read(dir.path().join("cur/1.a.host_lm1:2,RS")).unwrap(), b"new");
    }

    #[test]
    fn what_somebody_removed_meanwhile_stays_removed() {
        let dir = maildir(&[("cur/1.a.host:2,", "old"), ("cur/2.b.host:2,", "other")]);
        let folder = &folders(dir.path()).unwrap().found[0];
        let letter = folder.letters().unwrap().remove(0);
        fs::write(dir.path().join("cur/1.a.host_lm1:2,"), "new").unwrap();
        fs::remove_file(dir.path().join("cur/1.a.host:2,")).unwrap();
        let new = StoredMessage { place: "cur", name: "1.a.host_lm1:2,".into() };
        assert_eq!(folder.retire(&letter, new, Maker::This).unwrap(), Replaced::Gone);
        assert_eq!(names(dir.path()), ["cur/2.b.host:2,"]);
    }

    /// Two runs that both read the message before either replaced it, in every order of their steps.
    #[test]
    fn of_two_runs_at_once_one_replaces_and_the_copy_stays() {
        let dir = maildir(&[("cur/1.a.host:2,", "old")]);
        let folder = &folders(dir.path()).unwrap().found[0];
        let letter = folder.letters().unwrap().remove(0);
        fs::write(dir.path().join("cur/1.a.host_lm1:2,"), "theirs").unwrap();
        let error = folder.replace(&letter, b"ours").unwrap_err();
        assert_eq!(error.kind(), ErrorKind::AlreadyExists);
        assert_eq!(names(dir.path()), ["cur/1.a.host:2,", "cur/1.a.host_lm1:2,"]);
        assert_eq!(fs::read(dir.path().join("cur/1.a.host_lm1:2,")).unwrap(), b"theirs");

        fs::remove_file(dir.path().join("cur/1.a.host:2,")).unwrap();
        assert!(folder.replace(&letter, b"ours").is_err());
        assert_eq!(names(dir.path()), ["cur/1.a.host_lm1:2,"]);
    }

    #[test]
    fn what_another_run_finished_meanwhile_is_not_taken_back() {
        let dir = maildir(&[("cur/1.a.host:2,", "old"), ("cur/1.a.host_lm1:2,", "new")]);
        let folder = &folders(dir.path()).unwrap().found[0];
        let mut all = folder.letters().unwrap();
        let (copy, letter) = (all.remove(1), all.remove(0));
        fs::remove_file(dir.path().join("cur/1.a.host:2,")).unwrap();
        assert_eq!(folder.finish(&letter, copy).unwrap(), Replaced::Gone);
        assert_eq!(names(dir.path()), ["cur/1.a.host_lm1:2,"]);
    }

    #[test]
    fn a_folder_is_held_by_one_run() {
        let dir = maildir(&[]);
        let folder = &folders(dir.path()).unwrap().found[0];
        let held = folder.hold().unwrap();
        let other = File::open(dir.path()).unwrap();
        assert!(other.try_lock().is_err());
        drop(held);
        other.try_lock().unwrap();
    }

    #[test]
    fn an_interrupted_run_is_seen() {
        let dir = maildir(&[("cur/1.a.host,S=3:2,", "old"), ("cur/1.a.host_lm1,S=3:2,", "new")]);
        let folder = &folders(dir.path()).unwrap().found[0];
        let all = folder.letters().unwrap();
        assert_eq!(copy_states(&all), [CopyState::Replaced(&all[1]), CopyState::Copy]);
        let dir = maildir(&[("cur/1.a.host_lm1:2,", "a copy"), ("cur/1.b.host:2,", "another")]);
        let all = folders(dir.path()).unwrap().found[0].letters().unwrap();
        assert_eq!(copy_states(&all), [CopyState::Alone, CopyState::Alone]);
    }

    #[test]
    fn a_disk_that_takes_nothing_leaves_the_message() {
        let dir = maildir(&[("cur/1.a.host:2,", "old")]);
        let folder = folders(dir.path()).unwrap().found.remove(0);
        let letter = folder.letters().unwrap().remove(0);
        fs::remove_dir(dir.path().join("tmp")).unwrap();
        assert!(folder.replace(&letter, b"new").is_err());
        assert_eq!(fs::read(dir.path().join("cur/1.a.host:2,")).unwrap(), b"old");
        assert!(folders(dir.path()).is_err(), "no Maildir any more");
    }

    /// Put into the place of a message between the listing and the reading.
    #[test]
    fn what_became_a_link_a_pipe_or_a_folder_is_not_read() {
        let other = maildir(&[("cur/1.a.host:2,", "theirs")]);
        let link = |path: &Path| {
            std::os::unix::fs::symlink(other.path().join("cur/1.a.host:2,"), path).unwrap();
        };
        let pipe = |path: &Path| {
            rustix::fs::mkfifoat(rustix::fs::CWD, path, Mode::RUSR | Mode::WUSR).unwrap();
        };
        let folder = |path: &Path| fs::create_dir(path).unwrap();
        for put in [&link as &dyn Fn(&Path), &pipe, &folder] {
            let dir = maildir(&[("cur/1.a.host:2,", "ours")]);
            let path = dir.path().join("cur/1.a.host:2,");
            let own = &folders(dir.path()).unwrap().found[0];
            let letter = own.letters().unwrap().remove(0);
            fs::remove_file(&path).unwrap();
            put(&path);
            let error = own.read(&letter, 100).unwrap_err();
            assert_ne!(error.kind(), ErrorKind::NotFound, "{error}");
        }
    }

    /// Root may read and write it, and leaves files behind that the owner cannot.
    #[test]
    fn what_is_of_somebody_else_is_refused_before_it_is_read() {
        let dir = maildir(&[("cur/1.a.host:2,", "theirs")]);
        let path = dir.path().join("cur/1.a.host:2,");
        if std::os::unix::fs::chown(&path, Some(12_345), None).is_err() {
            return; // Not for who is not root.
        }
        let own = &folders(dir.path()).unwrap().found[0];
        let letter = own.letters().unwrap().remove(0);
        let error = own.read(&letter, 100).unwrap_err();
        assert!(error.to_string().contains("owner (12345)"), "{error}");
        std::os::unix::fs::chown(dir.path(), Some(12_345), None).unwrap();
        let error = folders(dir.path()).unwrap_err();
        assert!(error.to_string().contains("owner (12345)"), "{error}");
    }

    #[test]
    fn folders_of_every_layout_are_met_and_what_is_half_one_is_told() {
        let dir = maildir(&[]);
        for path in [".Sent", "Sent", "Lists/a", "Lists/a/b", "new.old"] {
            for place in ["cur", "new", "tmp"] {
                fs::create_dir_all(dir.path().join(path).join(place)).unwrap();
            }
        }
        fs::create_dir(dir.path().join("sieve")).unwrap();
        fs::remove_dir(dir.path().join("Lists/a/tmp")).unwrap();
        let all = folders(dir.path()).unwrap();
        let below = |path: &Path| path.strip_prefix(dir.path()).unwrap().display().to_string();
        let found: Vec<String> = all.found.iter().map(|folder| below(&folder.path)).collect();
        assert_eq!(found, ["", ".Sent", "Lists/a/b", "Sent", "new.old"]);
        let unread: Vec<String> = all.unread.iter().map(|(path, _)| below(path)).collect();
        assert_eq!(unread, ["Lists/a"]);
    }

    #[test]
    fn links_out_of_the_mailbox_are_not_followed() {
        let dir = maildir(&[]);
        let other = maildir(&[("cur/1.a.host:2,", "theirs")]);
        std::os::unix::fs::symlink(other.path(), dir.path().join(".Out")).unwrap();
        std::os::unix::fs::symlink(other.path().join("cur/1.a.host:2,"), dir.path().join("cur/x"))
            .unwrap();
        let found = folders(dir.path()).unwrap().found;
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].letters().unwrap(), []);
    }
}
