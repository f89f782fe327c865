//! Reading what the operator wrote: files that end, of a bounded size. Whoever reads a named pipe
//! waits for somebody to write it, at a reload as long as mail flows; a device may never end.

use std::fs::{File, FileType};
use std::io::{self, BufRead, ErrorKind, Read};
use std::os::unix::fs::FileTypeExt;
use std::path::Path;

use rustix::fs::{Mode, OFlags};

/// Bytes of a configuration file, a key, a token or a certificate at most.
pub const MAX_BYTES: u64 = 4 << 20;

/// Bytes of a line or an entry that a command is fed, with its end: as many as Linux gives an argument.
pub const ENTRY_BYTES: u64 = 128 << 10;

/// The bytes of a file.
///
/// # Errors
/// When it cannot be read, is none (`/dev/null` is an empty one), or has more than `most` bytes.
pub fn read(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let file = open(path)?;
    let mut bytes = Vec::new();
    file.take(most.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most {
        return Err(too_large(most));
    }
    Ok(bytes)
}

fn too_large(most: u64) -> io::Error {
    io::Error::new(ErrorKind::FileTooLarge, format!("more than {most} bytes"))
}

/// The next line or entry with its end, which the last may lack; nothing at the end of all.
///
/// # Errors
/// When it cannot be read, or has more than [`ENTRY_BYTES`].
pub fn entry(from: &mut impl BufRead, end: u8) -> io::Result<Vec<u8>> {
    let mut entry = Vec::new();
    from.take(ENTRY_BYTES + 1).read_until(end, &mut entry)?;
    if entry.len() as u64 > ENTRY_BYTES {
        return Err(too_large(ENTRY_BYTES));
    }
    Ok(entry)
}

/// A file to be read, without waiting for anybody.
///
/// # Errors
/// When it cannot be opened, or is none.
pub fn open(path: &Path) -> io::Result<File> {
    // A socket cannot be opened; what is behind the name may be another by then, so both are looked at.
    refuse(path, std::fs::metadata(path)?.file_type())?;
    // A pipe that nobody writes opens at once this way; a file is read as ever.
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let file = File::from(rustix::fs::open(path, flags, Mode::empty())?);
    refuse(path, file.metadata()?.file_type())?;
    Ok(file)
}

fn refuse(path: &Path, kind: FileType) -> io::Result<()> {
    let what = if kind.is_fifo() {
        "a named pipe"
    } else if kind.is_socket() {
        "a socket"
    } else if (kind.is_char_device() || kind.is_block_device()) && path != Path::new("/dev/null") {
        "a device"
    } else {
        return Ok(());
    };
    Err(io::Error::new(ErrorKind::InvalidInput, format!("{what}, which is no file")))
}

/// The same as text.
///
/// # Errors
/// As of [`read`], and when it is no UTF-8.
pub fn read_text(path: &Path, most: u64) -> io::Result<String> {
    text(read(path, most)?)
}

/// Bytes as text.
///
/// # Errors
/// When they are no UTF-8; says in which line.
pub fn text(bytes: Vec<u8>) -> io::Result<String> {
    String::from_utf8(bytes).map_err(|error| {
        let valid = error.utf8_error().valid_up_to();
        let line = 1 + error.as_bytes().iter().take(valid).filter(|byte| **byte == b'\n').count();
        io::Error::new(ErrorKind::InvalidData, format!("what is no UTF-8 in line {line}"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_that_never_ends_is_not_read() {
        let most = usize::try_from(ENTRY_BYTES).unwrap();
        let text = ["a\n\n", &"b".repeat(most - 1), "\n", &"c".repeat(most + 1)].concat();
        let mut from = text.as_bytes();
        let lengths: Vec<usize> = (0..3).map(|_| entry(&mut from, b'\n').unwrap().len()).collect();
        assert_eq!(lengths, [2, 1, most]);
        assert_eq!(entry(&mut from, b'\n').unwrap_err().kind(), ErrorKind::FileTooLarge);
        assert_eq!(entry(&mut &b"last"[..], 0).unwrap(), b"last");
        assert_eq!(entry(&mut &b""[..], 0).unwrap(), b"");
    }

    #[test]
    fn what_may_never_end_is_not_read() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("file");
        std::fs::write(&path, "text").unwrap();
        assert_eq!(read_text(&path, 4).unwrap(), "text");
        assert_eq!(read(&path, 3).unwrap_err().kind(), ErrorKind::FileTooLarge);
        assert_eq!(read(Path::new("/dev/null"), 0).unwrap(), b"");
        std::fs::write(&path, b"a\nb\xe9\n").unwrap();
        let error = read_text(&path, 5).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidData);
        assert_eq!(error.to_string(), "what is no UTF-8 in line 2");
        let said = |path: &Path| read(path, 4).unwrap_err().to_string();
        assert_eq!(said(Path::new("/dev/zero")), "a device, which is no file");
        let _socket = std::os::unix::net::UnixListener::bind(dir.path().join("socket")).unwrap();
        assert_eq!(said(&dir.path().join("socket")), "a socket, which is no file");
        let pipe = dir.path().join("pipe");
        let made = std::process::Command::new("mkfifo").arg(&pipe).status().unwrap();
        assert!(made.success());
        assert_eq!(said(&pipe), "a named pipe, which is no file");
        assert!(read(dir.path(), 4).is_err());
    }
}
