//! Where `linkmilter scan` writes: standard output, a device or a pipe, or a file that replaces an older
//! one when the scan ends. No source of the scan is ever written to.

use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};

use crate::atomic_file::{AtomicFile, continued_path};
use crate::file;
use crate::scan::ScanJournal;
use crate::scan::sniff::{self, SourceKind};

/// Where the output goes, before anything is opened.
#[derive(Debug)]
pub struct Destination {
    given: Option<PathBuf>,
    to: To,
}

#[derive(Debug)]
enum To {
    Stdout,
    /// A device or a pipe. It is written to from where it stands.
    Stream,
    /// A file by its canonical path, and what is there now.
    File(PathBuf, Option<Metadata>),
}

/// The open destination.
#[derive(Debug)]
pub enum Output {
    Stream(File),
    Stdout(io::Stdout),
    File(AtomicFile),
}

impl Destination {
    /// # Errors
    /// When the file exists and its metadata cannot be read.
    pub fn new(given: Option<&Path>) -> anyhow::Result<Destination> {
        let Some(path) = given else { return Ok(Destination { given: None, to: To::Stdout }) };
        let to = match fs::metadata(path) {
            Ok(data) if !data.is_file() => To::Stream,
            // `/dev/stdout`. What it is redirected to must not be replaced behind its back.
            Ok(data) if same(&data, io::stdout().as_fd()) => To::Stdout,
            Ok(_) if is_descriptor(path) => To::Stream,
            Ok(data) => To::File(path.canonicalize()?, Some(data)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                To::File(absent(path).unwrap_or_else(|| path.to_owned()), None)
            }
            Err(error) => return Err(error).with_context(|| path.display().to_string()),
        };
        Ok(Destination { given: Some(path.to_owned()), to })
    }

    /// Whether the output would replace this source, or mail in this folder. The output of an earlier
    /// scan is no mail.
    pub fn is_source(&self, source: &Path) -> bool {
        let To::File(path, Some(data)) = &self.to else { return false };
        if source == Path::new("-") {
            return same(data, io::stdin().as_fd());
        }
        let Ok(found) = fs::metadata(source) else { return false };
        if found.is_dir() {
            let inside = source.canonicalize().is_ok_and(|folder| path.starts_with(folder));
            return inside && is_mail(path);
        }
        file::is_same(&found, data)
    }

    /// Whether the output of an earlier run, which had scanned everything, is no more to be continued:
    /// that run was ended between putting it in its place and removing its journal.
    pub fn is_in_place(&self) -> bool {
        matches!(&self.to, To::File(path, _) if !continued_path(path).exists())
    }

    /// The error of an output that is a source.
    pub fn is_a_source(&self) -> String {
        let given = self.given.as_deref().unwrap_or(Path::new("-"));
        format!("expected --out to be a file that is not scanned, found {}", given.display())
    }

    /// Opens it. The output of the earlier run is kept up to where the journal says; the rest is cut off.
    ///
    /// # Errors
    /// When it cannot be opened, or is shorter than the journal says.
    pub fn open(&self, journal: Option<&ScanJournal>) -> anyhow::Result<Output> {
        let given = self.given.as_deref().unwrap_or(Path::new("-"));
        let name = || given.display().to_string();
        Ok(match (&self.to, journal) {
            (To::Stdout, _) => Output::Stdout(io::stdout()),
            (To::Stream, _) => {
                Output::Stream(OpenOptions::new().write(true).open(given).with_context(name)?)
            }
            (To::File(path, _), None) => {
                Output::File(AtomicFile::in_place_of(path).with_context(name)?)
            }
            (To::File(path, _), Some(journal)) => {
                let mut out = AtomicFile::continued(path).with_context(name)?;
                cut_back(&mut out, journal.written())?;
                Output::File(out)
            }
        })
    }
}

fn cut_back(out: &mut AtomicFile, kept: u64) -> anyhow::Result<()> {
    let name = out.path().display().to_string();
    let found = out.file.metadata().with_context(|| name.clone())?.len();
    if found < kept {
        bail!(
            "{name}: expected at least the {kept} bytes that the journal has recorded, found {found}: remove the journal to start again"
        );
    }
    out.file.set_len(kept).and_then(|()| out.file.seek(SeekFrom::End(0))).context(name)?;
    Ok(())
}

impl Output {
    /// Puts a file in its place.
    ///
    /// # Errors
    /// When that fails. An older file is still there.
    pub fn commit(self) -> anyhow::Result<()> {
        match self {
            Output::File(file) => file.commit().context("could not write the output"),
            Output::Stream(_) | Output::Stdout(_) => Ok(()),
        }
    }

    /// Leaves an older file as it is.
    pub fn discard(self) {
        if let Output::File(file) = self {
            file.discard();
        }
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Output::Stream(file) => file.write(bytes),
            Output::Stdout(out) => out.write(bytes),
            Output::File(out) => out.file.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Output::Stream(file) => file.flush(),
            Output::Stdout(out) => out.flush(),
            Output::File(out) => out.file.flush(),
        }
    }
}

/// The files that the scan itself writes, as canonical paths. They may be in a folder that is scanned.
pub fn own_files(out: &Output, to: &Destination, journal: Option<&Path>) -> Vec<PathBuf> {
    let mut own_files: Vec<PathBuf> = Vec::new();
    match (out, &to.to) {
        (Output::File(file), To::File(path, _)) => {
            own_files.extend([path.clone(), continued_path(path), file.path().to_owned()]);
        }
        // Standard output may be no file, or a file with a path.
        _ => {
            let path = Path::new("/dev/stdout").canonicalize().ok();
            own_files.extend(path.filter(|path| path.is_file()));
        }
    }
    if let Some(journal) = journal.and_then(absent) {
        own_files.push(ScanJournal::temp_path(&journal));
        own_files.push(journal);
    }
    own_files
}

/// The canonical path of a file that need not exist.
fn absent(path: &Path) -> Option<PathBuf> {
    let folder = path.parent().filter(|parent| !parent.as_os_str().is_empty());
    Some(folder.unwrap_or(Path::new(".")).canonicalize().ok()?.join(path.file_name()?))
}

/// Whether this is the file behind an open descriptor of ours.
fn same(data: &Metadata, descriptor: BorrowedFd<'_>) -> bool {
    rustix::fs::fstat(descriptor)
        .is_ok_and(|stat| (stat.st_dev, stat.st_ino) == (data.dev(), data.ino()))
}

/// Whether a path leads to a descriptor that some process has open: `/dev/fd/3`.
fn is_descriptor(path: &Path) -> bool {
    absent(path).is_some_and(|path| path.starts_with("/proc"))
}

/// Whether a file begins like mail, or like an archive that may hold some.
fn is_mail(path: &Path) -> bool {
    let mut prefix = Vec::new();
    let read = file::open(path)
        .and_then(|file| file.take(sniff::PREFIX_BYTES as u64).read_to_end(&mut prefix));
    match sniff::kind(&prefix) {
        // When in doubt, nothing is replaced.
        _ if read.is_err() => true,
        SourceKind::Mbox | SourceKind::MacMbox | SourceKind::Tar | SourceKind::Compressed(_) => {
            true
        }
        SourceKind::Message => begins_with_field(&prefix),
        SourceKind::Empty | SourceKind::NotMail(_) => false,
    }
}

/// Whether the first line is a header field: a name without spaces, and a colon. JSON and a list of
/// ranges are none.
fn begins_with_field(prefix: &[u8]) -> bool {
    let name = prefix.iter().take_while(|byte| byte.is_ascii_graphic() && **byte != b':').count();
    name > 0 && prefix.get(name) == Some(&b':') && !prefix.starts_with(b"{") && !prefix.contains(&0)
}
