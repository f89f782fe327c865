//! Lists files, folders, Maildirs and MH folders in an order that never changes.

use std::ffi::OsStr;
use std::fs::{self, FileType, Metadata};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use crate::file::reason;
use crate::recall::maildir::is_maildir;

/// An entry of the listing.
#[derive(Debug)]
pub enum WalkEntry {
    File {
        path: PathBuf,
        /// In bytes.
        size: u64,
        /// When it was last written: seconds and nanoseconds.
        modified: (i64, i64),
    },
    /// A pipe or a device that was given as an argument. It is read to its end, like standard
    /// input.
    Stream {
        path: PathBuf,
    },
    /// Not a message by the rules of its folder: an index, a hidden file, a pipe, a symbolic link
    /// to a folder.
    Skipped,
    Unread {
        path: PathBuf,
        why: String,
    },
}

impl WalkEntry {
    fn file(path: PathBuf, data: &Metadata) -> WalkEntry {
        WalkEntry::File { path, size: data.len(), modified: (data.mtime(), data.mtime_nsec()) }
    }
}

/// Lists one given path, depth first, sorted by the bytes of the names.
///
/// Keeps the names of the folders above the current one in memory: about 80 bytes per name.
#[derive(Debug)]
pub struct FolderWalk {
    stack: Vec<WalkedFolder>,
    /// The given path itself, until it was examined.
    root: Option<PathBuf>,
}

#[derive(Debug)]
struct WalkedFolder {
    path: PathBuf,
    /// In reverse order.
    names: Vec<(Box<OsStr>, FileType)>,
    layout: Layout,
}

/// How a folder stores messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Layout {
    /// Every file may be a message.
    Plain,
    /// `cur` and `new` of a Maildir: every file is a message.
    MaildirLeaf,
    /// A Maildir itself: only its folders count.
    Maildir,
    /// MH: messages are files whose name is a number.
    Mh,
}

impl FolderWalk {
    pub fn new(path: PathBuf) -> FolderWalk {
        FolderWalk { stack: Vec::new(), root: Some(path) }
    }

    /// Examines the given path. Symbolic links are followed here.
    fn examine_root(&mut self, path: PathBuf) -> Option<WalkEntry> {
        match fs::metadata(&path) {
            Err(error) => Some(WalkEntry::Unread { path, why: reason(&error) }),
            Ok(data) if data.is_dir() => self.enter_folder(path),
            Ok(data) if !data.is_file() => Some(WalkEntry::Stream { path }),
            Ok(data) => Some(WalkEntry::file(path, &data)),
        }
    }

    fn enter_folder(&mut self, path: PathBuf) -> Option<WalkEntry> {
        match list(&path) {
            Err(error) => Some(WalkEntry::Unread { path, why: reason(&error) }),
            Ok(names) => {
                let layout = layout(&path, &names);
                self.stack.push(WalkedFolder { path, names, layout });
                None
            }
        }
    }

    /// Examines an entry of a folder. `None` when it is a folder that was entered.
    fn examine(
        &mut self,
        folder: &Path,
        layout: Layout,
        name: &OsStr,
        kind: FileType,
    ) -> Option<WalkEntry> {
        let path = folder.join(name);
        if kind.is_dir() {
            let wanted = match layout {
                Layout::Plain | Layout::Mh => true,
                Layout::Maildir => name != "tmp",
                Layout::MaildirLeaf => false,
            };
            return if wanted { self.enter_folder(path) } else { Some(WalkEntry::Skipped) };
        }
        if !is_message_name(layout, name.as_bytes()) {
            return Some(WalkEntry::Skipped);
        }
        match fs::metadata(&path) {
            Err(error) => Some(WalkEntry::Unread { path, why: reason(&error) }),
            Ok(data) if data.is_file() => Some(WalkEntry::file(path, &data)),
            // A symbolic link to a folder may lead back up. Pipes and devices have no end.
            Ok(_) => Some(WalkEntry::Skipped),
        }
    }
}

impl Iterator for FolderWalk {
    type Item = WalkEntry;

    fn next(&mut self) -> Option<WalkEntry> {
        if let Some(path) = self.root.take()
            && let Some(entry) = self.examine_root(path)
        {
            return Some(entry);
        }
        loop {
            let folder = self.stack.last_mut()?;
            let Some((name, kind)) = folder.names.pop() else {
                self.stack.pop();
                continue;
            };
            let (path, layout) = (folder.path.clone(), folder.layout);
            if let Some(entry) = self.examine(&path, layout, &name, kind) {
                return Some(entry);
            }
        }
    }
}

/// The names in a folder, in reverse order.
fn list(path: &Path) -> io::Result<Vec<(Box<OsStr>, FileType)>> {
    let mut names = Vec::new();
    for entry in fs::read_dir(path)? {
        let entry = entry?;
        names.push((entry.file_name().into_boxed_os_str(), entry.file_type()?));
    }
    names.sort_unstable_by(|(name, _), (other, _)| other.as_bytes().cmp(name.as_bytes()));
    Ok(names)
}

fn layout(path: &Path, names: &[(Box<OsStr>, FileType)]) -> Layout {
    let has = |wanted: &str| names.iter().any(|(name, _)| &**name == wanted);
    if is_maildir(has) {
        return Layout::Maildir;
    }
    if has(".mh_sequences") {
        return Layout::Mh;
    }
    let leaf = path.file_name().is_some_and(|name| name == "cur" || name == "new");
    let has_sibling = |name| path.parent().is_some_and(|above| above.join(name).is_dir());
    if leaf && has_sibling("cur") && has_sibling("new") {
        Layout::MaildirLeaf
    } else {
        Layout::Plain
    }
}

fn is_message_name(layout: Layout, name: &[u8]) -> bool {
    match layout {
        Layout::Plain | Layout::MaildirLeaf => !name.starts_with(b"."),
        Layout::Maildir => false,
        Layout::Mh => name.iter().all(u8::is_ascii_digit),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn walked(root: &Path) -> (Vec<String>, usize) {
        let mut passed = 0;
        let mut files = Vec::new();
        for entry in FolderWalk::new(root.to_owned()) {
            match entry {
                WalkEntry::File { path, .. } => {
                    files.push(path.strip_prefix(root).unwrap().to_str().unwrap().to_owned());
                }
                WalkEntry::Skipped => passed += 1,
                WalkEntry::Stream { path } => files.push(format!("stream {}", path.display())),
                WalkEntry::Unread { path, why } => files.push(format!("{}: {why}", path.display())),
            }
        }
        (files, passed)
    }

    fn touch(root: &Path, names: &[&str]) {
        for name in names {
            let path = root.join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "A: b\n\n").unwrap();
        }
    }

    #[test]
    fn a_maildir() {
        let root = tempfile::tempdir().unwrap();
        touch(
            root.path(),
            &[
                "cur/2:2,S", "cur/1:2,", "new/3", "tmp/4", "dovecot.index", "subscriptions",
                ".Sent/cur/5:2,S", ".Sent/new/.keep", ".Sent/tmp/6", ".Sent/maildirfolder",
            ],
        );
        let (files, passed) = walked(root.path());
        assert_eq!(files, [".Sent/cur/5:2,S", "cur/1:2,", "cur/2:2,S", "new/3"]);
        assert_eq!(passed, 6);
    }

    #[test]
    fn an_mh_folder() {
        let root = tempfile::tempdir().unwrap();
        touch(root.path(), &["inbox/1", "inbox/10", "inbox/2", "inbox/,3", "inbox/.mh_sequences"]);
        let (files, passed) = walked(root.path());
        assert_eq!(files, ["inbox/1", "inbox/10", "inbox/2"]);
        assert_eq!(passed, 2);
    }

    #[test]
    fn links_to_folders_are_not_followed() {
        let root = tempfile::tempdir().unwrap();
        touch(root.path(), &["a/1.eml"]);
        std::os::unix::fs::symlink(root.path(), root.path().join("a/up")).unwrap();
        std::os::unix::fs::symlink("1.eml", root.path().join("a/2.eml")).unwrap();
        assert_eq!(walked(root.path()), (vec!["a/1.eml".to_owned(), "a/2.eml".to_owned()], 1));
    }

    #[test]
    fn what_is_not_there_is_named() {
        let mut walk = FolderWalk::new(PathBuf::from("/nonexistent/mail"));
        assert!(matches!(walk.next(), Some(WalkEntry::Unread { .. })));
        assert!(walk.next().is_none());
    }
}
