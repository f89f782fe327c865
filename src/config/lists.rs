//! List files: one name per line, `#` begins a comment. Read for the policy, changed by `linkmilter
//! allow` and `linkmilter block`.

use std::fs::{self, File, OpenOptions, Permissions};
use std::io::{self, ErrorKind, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use super::problem::Problem;
use super::setting::TextSetting;
use super::types::{HostName, ProtectedName};
use crate::atomic_file::{self, AtomicFile};
use crate::file;
use crate::policy::is_below;

/// Size limit of a list file in bytes: about a million names.
pub(super) const MAX_BYTES: u64 = 32 << 20;

/// The result of adding a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Added {
    /// The added name in ASCII form.
    New(String),
    /// The number of the line that already covers it.
    AlreadyListed(usize),
}

/// The result of removing a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Removed {
    /// The name, and the numbers of the removed lines.
    Lines(String, Vec<usize>),
    /// It has no line of its own, but this one covers it.
    Covered(ListEntry),
    /// The list does not have it.
    Absent(String),
}

/// A name of a list file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListEntry {
    /// Counted from 1.
    pub line: usize,
    /// In ASCII form.
    pub name: String,
}

/// Why a list could not be read or changed.
#[derive(Debug, thiserror::Error)]
pub enum ListError {
    #[error("expected a host such as example.com, found {0:?}")]
    Host(String),
    #[error("cannot {doing} {path}: {source}")]
    Io { doing: &'static str, path: PathBuf, source: io::Error },
}

/// The text of a list.
///
/// # Errors
/// When it cannot be read, is not valid UTF-8, or has more than [`MAX_BYTES`] bytes.
pub(super) fn read(path: &Path) -> io::Result<String> {
    file::read_text(path, MAX_BYTES)
}

/// The names of a list in ASCII form. Each invalid line becomes a problem, which says what is
/// `expected`. `=name` is kept: it protects only the whole name ([`crate::engine::host::Names`]).
pub(super) fn parse_names(
    path: &Path,
    text: &str,
    expected: &str,
    problems: &mut Vec<Problem>,
) -> Vec<String> {
    let mut names = Vec::new();
    for (number, word) in words(text) {
        match ProtectedName::parse(word) {
            Ok(name) => names.push(name.0),
            Err(_) => {
                let origin = format!("{}:{number}", path.display());
                problems.push(Problem::at(origin, expected, format!("{word:?}")));
            }
        }
    }
    names
}

/// The names of the list at `path`, in their order. A missing list is empty. Invalid lines are
/// skipped, because `config check` reports them.
///
/// # Errors
/// When it exists but cannot be read.
pub fn list_entries(path: &Path) -> Result<Vec<ListEntry>, ListError> {
    Ok(entries(&text_or_none(path)?))
}

/// The number of names in the list of protected names at `path`, where `=name` is one. A missing list is empty.
///
/// # Errors
/// When it exists but cannot be read.
pub fn count_protected(path: &Path) -> Result<usize, ListError> {
    let text = text_or_none(path)?;
    Ok(words(&text).filter(|(_, word)| ProtectedName::parse(word).is_ok()).count())
}

/// The text of a list; that of a missing one is empty.
fn text_or_none(path: &Path) -> Result<String, ListError> {
    match read(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(String::new()),
        read => {
            read.map_err(|source| ListError::Io { doing: "read", path: path.to_owned(), source })
        }
    }
}

/// Adds a host, in Unicode or in Punycode, to the list at `path`, which is created if it does not
/// exist. Other lines are kept, the file is replaced atomically, and concurrent additions all
/// succeed.
///
/// # Errors
/// When the host is not valid, or the file cannot be written.
pub fn add_to_list(path: &Path, host: &str) -> Result<Added, ListError> {
    let name = host_name(host).ok_or_else(|| ListError::Host(host.to_owned()))?;
    let mut added = Added::New(name.clone());
    edit_file(path, |text| {
        if let Some(entry) = entries(text).iter().find(|entry| entry.covers(&name)) {
            added = Added::AlreadyListed(entry.line);
            return None;
        }
        let end = if text.is_empty() || text.ends_with('\n') { "" } else { "\n" };
        Some(format!("{text}{end}{name}\n"))
    })?;
    Ok(added)
}

/// Removes the lines with this host from the list at `path`, in the way of [`add_to_list`].
///
/// # Errors
/// When the host is not valid, or the file cannot be read or written.
pub fn remove_from_list(path: &Path, host: &str) -> Result<Removed, ListError> {
    let name = host_name(host).ok_or_else(|| ListError::Host(host.to_owned()))?;
    let all = list_entries(path)?;
    if all.iter().all(|entry| entry.name != name) {
        let covering = all.into_iter().find(|entry| entry.covers(&name));
        return Ok(covering.map_or(Removed::Absent(name), Removed::Covered));
    }
    let mut removed = Vec::new();
    edit_file(path, |text| {
        let own = entries(text).into_iter().filter(|entry| entry.name == name);
        removed = own.map(|entry| entry.line).collect();
        let kept = |(index, line)| (!removed.contains(&(index + 1))).then_some(line);
        Some(text.split_inclusive('\n').enumerate().filter_map(kept).collect())
    })?;
    Ok(Removed::Lines(name, removed))
}

/// A host or domain in the form of lists: lower-case A-labels, an address of IPv6 in brackets.
pub fn host_name(text: &str) -> Option<String> {
    HostName::parse(text.trim()).ok().map(|host| host.0)
}

impl ListEntry {
    /// Whether the name, in ASCII form, is this one or below it.
    fn covers(&self, name: &str) -> bool {
        is_below(name, &self.name)
    }
}

fn entries(text: &str) -> Vec<ListEntry> {
    let named = |(line, word)| Some(ListEntry { line, name: host_name(word)? });
    words(text).filter_map(named).collect()
}

/// Locks the file, edits its text, and replaces it. `None` from `edit` leaves it unchanged.
pub(super) fn edit_file(
    path: &Path,
    edit: impl FnOnce(&str) -> Option<String>,
) -> Result<(), ListError> {
    let io = |doing| move |source| ListError::Io { doing, path: path.to_owned(), source };
    // If it is a symbolic link, replace the file that it points to.
    let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let locked = lock(&target).map_err(io("open"))?;
    let text = read(&target).map_err(io("read"))?;
    let Some(text) = edit(&text) else { return Ok(()) };
    let written = replace(&target, &text);
    if written.is_err() && locked.origin == Origin::Made {
        // It is empty and still ours. Whoever waits for its lock makes another.
        let _ = fs::remove_file(&target);
    }
    written.map_err(io("write"))
}

/// A list whose lock is held until this is dropped.
struct Locked {
    file: File,
    origin: Origin,
}

/// Where a locked file comes from.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Origin {
    Found,
    /// There was none.
    Made,
}

/// Lines with a word, with their numbers from 1.
fn words(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.lines().enumerate().filter_map(|(index, line)| {
        let word = line.split('#').next().unwrap_or_default().trim();
        (!word.is_empty()).then_some((index + 1, word))
    })
}

/// Opens and locks the file. Tries again if it was replaced meanwhile.
fn lock(path: &Path) -> io::Result<Locked> {
    loop {
        let locked = open_or_make(path)?;
        locked.file.lock()?;
        let (ours, there) = (locked.file.metadata()?, fs::metadata(path));
        if there.is_ok_and(|there| file::is_same(&there, &ours)) {
            return Ok(locked);
        }
    }
}

fn open_or_make(path: &Path) -> io::Result<Locked> {
    match OpenOptions::new().read(true).append(true).create_new(true).open(path) {
        Ok(file) => {
            // Whatever the umask is: the daemon runs as another user.
            file.set_permissions(Permissions::from_mode(atomic_file::PUBLIC))?;
            Ok(Locked { file, origin: Origin::Made })
        }
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {
            let file = OpenOptions::new().read(true).append(true).open(path)?;
            Ok(Locked { file, origin: Origin::Found })
        }
        Err(error) => Err(error),
    }
}

/// Replaces the file by one with the owner and the mode of the old one.
fn replace(path: &Path, text: &str) -> io::Result<()> {
    let mut new = AtomicFile::in_place_of(path)?;
    new.file.write_all(text.as_bytes())?;
    new.commit()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_file_is_bounded() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("allow.txt");
        // A sparse file reads as zeros.
        File::create(&path).unwrap().set_len(MAX_BYTES).unwrap();
        assert_eq!(read(&path).unwrap().len() as u64, MAX_BYTES);
        File::create(&path).unwrap().set_len(MAX_BYTES + 1).unwrap();
        assert_eq!(read(&path).unwrap_err().kind(), ErrorKind::FileTooLarge);
    }

    #[test]
    fn a_list_that_could_not_be_written_is_not_left_empty() {
        let dir = tempfile::tempdir().unwrap();
        // The name of the file that is to replace it is longer than file systems permit.
        let path = dir.path().join("x".repeat(250));
        assert!(matches!(
            add_to_list(&path, "example.org"),
            Err(ListError::Io { doing: "write", .. })
        ));
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0);
        // One that was there stays, an empty one as well.
        fs::write(&path, "").unwrap();
        assert!(add_to_list(&path, "example.org").is_err());
        assert_eq!(fs::read(&path).unwrap(), b"");
    }

    #[test]
    fn a_link_to_a_list_stays_a_link() {
        let dir = tempfile::tempdir().unwrap();
        let (path, target) = (dir.path().join("allow.txt"), dir.path().join("elsewhere/list"));
        fs::create_dir(dir.path().join("elsewhere")).unwrap();
        fs::write(&target, "example.com\n").unwrap();
        std::os::unix::fs::symlink("elsewhere/list", &path).unwrap();
        add_to_list(&path, "example.org").unwrap();
        assert!(path.symlink_metadata().unwrap().is_symlink());
        assert_eq!(fs::read_to_string(&target).unwrap(), "example.com\nexample.org\n");
        remove_from_list(&path, "example.com").unwrap();
        assert_eq!(fs::read_to_string(&target).unwrap(), "example.org\n");
        // A symbolic link without a target is an error, and is kept.
        fs::remove_file(&target).unwrap();
        fs::remove_dir(dir.path().join("elsewhere")).unwrap();
        assert!(add_to_list(&path, "example.org").is_err());
        assert!(path.symlink_metadata().unwrap().is_symlink());
    }

    #[test]
    fn adding_keeps_other_lines() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("allow.txt");
        fs::write(&path, "# ours\nexample.com # the shop\nbücher.example").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
        for (host, expected) in [
            ("example.org", Added::New("example.org".to_owned())),
            ("xn--e1awd7f.example", Added::New("xn--e1awd7f.example".to_owned())),
            ("www.example.com", Added::AlreadyListed(2)),
            ("XN--BCHER-KVA.example.", Added::AlreadyListed(3)),
            ("example.org", Added::AlreadyListed(4)),
            ("[2001:DB8:0::1]", Added::New("[2001:db8::1]".to_owned())),
            ("2001:db8::1", Added::AlreadyListed(6)),
        ] {
            assert_eq!(add_to_list(&path, host).unwrap(), expected, "{host}");
        }
        assert_eq!(
            fs::read_to_string(&path).unwrap(),
            "# ours\nexample.com # the shop\nbücher.example\nexample.org\nxn--e1awd7f.example\n\
             [2001:db8::1]\n"
        );
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o640);
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_list_that_is_not_there_is_made() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("allow.txt");
        assert_eq!(add_to_list(&path, "a.example").unwrap(), Added::New("a.example".to_owned()));
        assert_eq!(fs::read_to_string(&path).unwrap(), "a.example\n");
        let nowhere = add_to_list(&dir.path().join("no/allow.txt"), "a.example");
        assert!(nowhere.unwrap_err().to_string().starts_with("cannot open "));
    }

    #[test]
    fn an_invalid_host_is_refused_and_nothing_is_written() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("allow.txt");
        for host in
            ["", "https://example.com/", "ann@example.com", "a b", "example.com\nevil.example"]
        {
            assert!(matches!(add_to_list(&path, host), Err(ListError::Host(_))), "{host}");
        }
        assert!(!path.exists());
    }

    #[test]
    fn removing_takes_whole_lines_and_nothing_else() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("allow.txt");
        let text =
            "# ours\r\nexample.com # the shop\nbücher.example\nwww.example.org\nEXAMPLE.com.";
        fs::write(&path, text).unwrap();
        fs::set_permissions(&path, Permissions::from_mode(0o640)).unwrap();
        let remove = |host: &str| remove_from_list(&path, host).unwrap();
        assert_eq!(remove("example.org"), Removed::Absent("example.org".to_owned()));
        let covering = ListEntry { line: 2, name: "example.com".to_owned() };
        assert_eq!(remove("a.example.com"), Removed::Covered(covering));
        assert_eq!(fs::read_to_string(&path).unwrap(), text);
        let removed = Removed::Lines("example.com".to_owned(), vec![2, 5]);
        assert_eq!(remove("example.com"), removed);
        let left = "# ours\r\nbücher.example\nwww.example.org\n";
        assert_eq!(fs::read_to_string(&path).unwrap(), left);
        assert_eq!(
            remove("xn--bcher-kva.example"),
            Removed::Lines("xn--bcher-kva.example".to_owned(), vec![2])
        );
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o640);
        let names: Vec<String> =
            list_entries(&path).unwrap().into_iter().map(|entry| entry.name).collect();
        assert_eq!(names, ["www.example.org"]);
        let nothing = dir.path().join("none.txt");
        assert_eq!(list_entries(&nothing).unwrap(), []);
        assert_eq!(
            remove_from_list(&nothing, "a.example").unwrap(),
            Removed::Absent("a.example".to_owned())
        );
        assert!(!nothing.exists());
    }

    #[test]
    fn many_at_the_same_time_all_succeed() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("allow.txt");
        std::thread::scope(|scope| {
            for number in 0..16 {
                let path = &path;
                scope.spawn(move || add_to_list(path, &format!("n{number}.example")).unwrap());
            }
        });
        assert_eq!(fs::read_to_string(&path).unwrap().lines().count(), 16);
    }
}
