//! Cuts sources into pieces for many machines: files, and ranges of large mboxes that begin and
//! end between messages, as entries of `--files0-from`.

use std::fs::File;
use std::io::{self, Read, Seek, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use super::mbox::{Piece, Splitter};
use super::sniff::{self, Kind, PREFIX};
use super::walk::{Entry, Walk};

/// Writes the entries of a path, each ended by NUL. An mbox of more than `size` bytes is cut into
/// ranges of about that size; all else is one entry. What cannot be read is an entry as well, so
/// that the scan names it.
pub fn write(out: &mut dyn Write, path: PathBuf, size: u64, largest: usize) -> io::Result<()> {
    for entry in Walk::new(path) {
        match entry {
            Entry::PassedOver => {}
            Entry::Stream { path } | Entry::Unread { path, .. } => write_path(out, &path)?,
            Entry::File { path, size: bytes } => {
                let starts = if bytes > size { cut(&path, size, largest) } else { None };
                match starts {
                    Some(starts) => write_ranges(out, &path, &starts)?,
                    None => write_path(out, &path)?,
                }
            }
        }
    }
    Ok(())
}

/// Where ranges of an mbox begin, and its end; `None` when the file is no mbox or cannot be read.
fn cut(path: &Path, size: u64, largest: usize) -> Option<Vec<u64>> {
    let mut file = File::open(path).ok()?;
    let mut prefix = Vec::new();
    (&file).take(PREFIX as u64).read_to_end(&mut prefix).ok()?;
    if sniff::kind(&prefix) != Kind::Mbox {
        return None;
    }
    file.rewind().ok()?;
    starts(&file, size, largest).ok()
}

fn write_ranges(out: &mut dyn Write, path: &Path, starts: &[u64]) -> io::Result<()> {
    for (start, end) in starts.iter().zip(starts.iter().skip(1)) {
        write!(out, "mbox:{start}-{end}:")?;
        out.write_all(path.as_os_str().as_bytes())?;
        out.write_all(b"\0")?;
    }
    Ok(())
}

/// Offsets of messages at least `size` bytes apart, and the end of the file.
fn starts(file: &File, size: u64, largest: usize) -> io::Result<Vec<u64>> {
    let end = file.metadata()?.len();
    let mut splitter = Splitter::new(file, 0, largest);
    let mut starts = vec![0];
    while let Some(piece) = splitter.next(&mut |_| ())? {
        let (Piece::TooLarge { offset } | Piece::Message(super::message::Raw { offset, .. })) =
            piece;
        let far = starts.last().is_none_or(|last| offset >= last + size);
        if far && follows_empty_line(file, offset)? {
            starts.push(offset);
        }
    }
    starts.push(end);
    Ok(starts)
}

/// Whether whoever reads from here on sees a separator: in mboxcl2 there may be no empty line.
fn follows_empty_line(file: &File, offset: u64) -> io::Result<bool> {
    let mut before = [0; 3];
    file.read_exact_at(&mut before, offset.saturating_sub(3))?;
    Ok(before.ends_with(b"\n\n") || before == *b"\n\r\n")
}

/// A path that begins like a range is written so that it is none.
fn write_path(out: &mut dyn Write, path: &Path) -> io::Result<()> {
    let bytes = path.as_os_str().as_bytes();
    if bytes.starts_with(b"mbox:") {
        out.write_all(b"./")?;
    }
    out.write_all(bytes)?;
    out.write_all(b"\0")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entries(path: PathBuf, size: u64) -> Vec<String> {
        let mut out = Vec::new();
        write(&mut out, path, size, 1 << 20).unwrap();
        let text = String::from_utf8(out).unwrap();
        text.split_terminator('\0').map(str::to_owned).collect()
    }

    #[test]
    fn ranges_begin_at_messages_and_cover_the_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.mbox");
        let message = "From b Thu Aug 22 12:36:23 2002\nSubject: a\n\ntext\n\n";
        std::fs::write(&path, message.repeat(100)).unwrap();
        let found = entries(path.clone(), 1_000);
        let mut at = 0;
        for entry in &found {
            let range = entry.strip_prefix("mbox:").unwrap().split(':').next().unwrap();
            let (start, end) = range.split_once('-').unwrap();
            assert_eq!(start.parse::<usize>().unwrap(), at);
            at = end.parse().unwrap();
            assert_eq!(at % message.len(), 0);
        }
        assert_eq!(at, message.len() * 100);
        assert_eq!(found.len(), 5);
        assert_eq!(entries(path, 1 << 20).len(), 1);
    }

    #[test]
    fn all_else_stays_whole() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("a.eml"), "A: b\n\n".repeat(100)).unwrap();
        std::fs::write(folder.path().join("b.gz"), [0x1F, 0x8B, 8].repeat(1000)).unwrap();
        let found = entries(folder.path().to_owned(), 10);
        assert_eq!(found.len(), 2);
        assert!(found[0].ends_with("a.eml") && found[1].ends_with("b.gz"));
        assert_eq!(entries(folder.path().join("missing"), 10).len(), 1);
    }
}
