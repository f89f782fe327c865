//! Reading files that the operator wrote, with a size limit, and errors of the system in words. Reading a named pipe
//! would wait for a writer, at a reload for as long as mail flows. A device may never end.

use std::fmt::Display;
use std::fs::{File, FileType, Metadata};
use std::io::{self, BufRead, ErrorKind, Read};
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::Path;

use rustix::fs::{Mode, OFlags};

/// Size limit of a configuration file, a key, a token or a certificate, in bytes.
pub const MAX_BYTES: u64 = 4 << 20;

/// Size limit of a line or an entry in the input of a command, with its terminator, in bytes. Linux
/// has the same limit for an argument.
pub const MAX_ENTRY_BYTES: u64 = 128 << 10;

/// Reads a file.
///
/// # Errors
/// When it cannot be read, is not a regular file (`/dev/null` is accepted as an empty one), or has
/// more than `max_bytes` bytes.
pub fn read(path: &Path, max_bytes: u64) -> io::Result<Vec<u8>> {
    read_open(&open(path)?, max_bytes)
}

/// The same with a file that [`open`] has opened.
///
/// # Errors
/// When it cannot be read, or has more than `max_bytes` bytes.
pub fn read_open(file: &File, max_bytes: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    file.take(max_bytes.saturating_add(1)).read_to_end(&mut bytes).map_err(in_words)?;
    if bytes.len() as u64 > max_bytes {
        return Err(too_large(max_bytes));
    }
    Ok(bytes)
}

/// Whether two are of one file, whatever its names are.
pub fn is_same(one: &Metadata, other: &Metadata) -> bool {
    (one.dev(), one.ino()) == (other.dev(), other.ino())
}

/// The error for input of more than this.
pub fn too_large(max_bytes: u64) -> io::Error {
    io::Error::new(ErrorKind::FileTooLarge, format!("larger than {}", size(max_bytes)))
}

/// A size in words, in the largest unit that it is a multiple of.
fn size(bytes: u64) -> String {
    match bytes {
        0 => "0 bytes".to_owned(),
        bytes if bytes % (1 << 30) == 0 => format!("{} GiB", bytes >> 30),
        bytes if bytes % (1 << 20) == 0 => format!("{} MiB", bytes >> 20),
        bytes if bytes % (1 << 10) == 0 => format!("{} KiB", bytes >> 10),
        bytes => format!("{bytes} bytes"),
    }
}

/// That something cannot be read, and why: `list.txt cannot be read: no such file`.
pub fn cannot_read(what: impl Display, error: &io::Error) -> String {
    format!("{what} cannot be read: {}", reason(error))
}

/// An error of the system in a few words, without its number.
pub fn reason(error: &io::Error) -> String {
    match error.kind() {
        ErrorKind::NotFound => "no such file".to_owned(),
        ErrorKind::PermissionDenied => "permission denied".to_owned(),
        ErrorKind::IsADirectory => "it is a directory".to_owned(),
        ErrorKind::ConnectionRefused => "connection refused".to_owned(),
        ErrorKind::AddrInUse if error.raw_os_error().is_some() => {
            "address already in use".to_owned()
        }
        _ => {
            let text = error.to_string();
            let words = text.rsplit_once(" (os error ").filter(|_| error.raw_os_error().is_some());
            words.map_or_else(|| text.clone(), |(words, _)| words.to_owned())
        }
    }
}

/// The same error, in these words.
pub fn in_words(error: io::Error) -> io::Error {
    io::Error::new(error.kind(), reason(&error))
}

/// Reads the next line or entry with its terminator, which may be missing at the end. Empty at the
/// end of input.
///
/// # Errors
/// When it cannot be read, or has more than [`MAX_ENTRY_BYTES`].
pub fn read_entry(from: &mut impl BufRead, terminator: u8) -> io::Result<Vec<u8>> {
    let mut entry = Vec::new();
    from.take(MAX_ENTRY_BYTES + 1).read_until(terminator, &mut entry).map_err(in_words)?;
    if entry.len() as u64 > MAX_ENTRY_BYTES {
        return Err(too_large(MAX_ENTRY_BYTES));
    }
    Ok(entry)
}

/// What [`next_line`] found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NextLine {
    Line,
    /// A longer line than asked for. It is skipped, because its rest could change its meaning.
    TooLong,
    End,
}

/// Reads the next line of at most `max_bytes` into `line`, without its line end. A last line may lack
/// one.
///
/// # Errors
/// When it cannot be read.
pub fn next_line(
    from: &mut impl BufRead,
    max_bytes: u64,
    line: &mut Vec<u8>,
) -> io::Result<NextLine> {
    line.clear();
    if from.by_ref().take(max_bytes + 1).read_until(b'\n', line)? == 0 {
        return Ok(NextLine::End);
    }
    if line.pop_if(|last| *last == b'\n').is_none() && line.len() as u64 > max_bytes {
        from.skip_until(b'\n')?;
        return Ok(NextLine::TooLong);
    }
    Ok(NextLine::Line)
}

/// Removes a file, which may be gone already.
///
/// # Errors
/// When it is still there.
pub fn remove(path: &Path) -> io::Result<()> {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// Opens a regular file for reading, without waiting.
///
/// # Errors
/// When it cannot be opened, or is not a regular file.
pub fn open(path: &Path) -> io::Result<File> {
    // Check before opening: a socket cannot be opened. Check after it too: the file may have been
    // replaced meanwhile.
    check_kind(path, std::fs::metadata(path).map_err(in_words)?.file_type())?;
    // NONBLOCK opens a pipe without a writer at once. It does not affect regular files.
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let opened = rustix::fs::open(path, flags, Mode::empty());
    let file = File::from(opened.map_err(|error| in_words(error.into()))?);
    check_kind(path, file.metadata().map_err(in_words)?.file_type())?;
    Ok(file)
}

fn check_kind(path: &Path, kind: FileType) -> io::Result<()> {
    let what = if kind.is_fifo() {
        "a named pipe"
    } else if kind.is_socket() {
        "a socket"
    } else if (kind.is_char_device() || kind.is_block_device()) && path != Path::new("/dev/null") {
        "a device"
    } else {
        return Ok(());
    };
    Err(io::Error::new(ErrorKind::InvalidInput, format!("{what}, not a regular file")))
}

/// Reads a file as UTF-8.
///
/// # Errors
/// As for [`read`], and when it is not valid UTF-8.
pub fn read_text(path: &Path, max_bytes: u64) -> io::Result<String> {
    into_text(read(path, max_bytes)?)
}

/// Converts bytes to text.
///
/// # Errors
/// When they are not valid UTF-8. The error gives the line.
pub fn into_text(bytes: Vec<u8>) -> io::Result<String> {
    String::from_utf8(bytes).map_err(|error| {
        let line = line_of_bad_utf8(error.as_bytes()).unwrap_or_default();
        io::Error::new(ErrorKind::InvalidData, format!("invalid UTF-8 in line {line}"))
    })
}

/// The line, counted from 1, of the first byte that is not of UTF-8.
pub fn line_of_bad_utf8(bytes: &[u8]) -> Option<usize> {
    let valid = std::str::from_utf8(bytes).err()?.valid_up_to();
    Some(1 + bytes.iter().take(valid).filter(|byte| **byte == b'\n').count())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_endless_entry_is_refused() {
        let max_bytes = usize::try_from(MAX_ENTRY_BYTES).unwrap();
        let text = ["a\n\n", &"b".repeat(max_bytes - 1), "\n", &"c".repeat(max_bytes + 1)].concat();
        let mut from = text.as_bytes();
        let lengths: Vec<usize> =
            (0..3).map(|_| read_entry(&mut from, b'\n').unwrap().len()).collect();
        assert_eq!(lengths, [2, 1, max_bytes]);
        assert_eq!(read_entry(&mut from, b'\n').unwrap_err().kind(), ErrorKind::FileTooLarge);
        assert_eq!(read_entry(&mut &b"last"[..], 0).unwrap(), b"last");
        assert_eq!(read_entry(&mut &b""[..], 0).unwrap(), b"");
    }

    #[test]
    fn only_regular_files_are_read() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("file");
        std::fs::write(&path, "text").unwrap();
        assert_eq!(read_text(&path, 4).unwrap(), "text");
        assert_eq!(read(&path, 3).unwrap_err().kind(), ErrorKind::FileTooLarge);
        assert_eq!(read(Path::new("/dev/null"), 0).unwrap(), b"");
        std::fs::write(&path, b"a\nb\xe9\n").unwrap();
        let error = read_text(&path, 5).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidData);
        assert_eq!(error.to_string(), "invalid UTF-8 in line 2");
        let error = |path: &Path| read(path, 4).unwrap_err().to_string();
        assert_eq!(error(Path::new("/dev/zero")), "a device, not a regular file");
        let _socket = std::os::unix::net::UnixListener::bind(dir.path().join("socket")).unwrap();
        assert_eq!(error(&dir.path().join("socket")), "a socket, not a regular file");
        let pipe = dir.path().join("pipe");
        let made = std::process::Command::new("mkfifo").arg(&pipe).status().unwrap();
        assert!(made.success());
        assert_eq!(error(&pipe), "a named pipe, not a regular file");
        assert_eq!(error(dir.path()), "it is a directory");
        assert_eq!(error(&dir.path().join("none")), "no such file");
    }
}
