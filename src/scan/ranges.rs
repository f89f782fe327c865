//! Splits sources for several machines: writes files, and ranges of large mboxes that begin and end
//! between messages, as entries of `--files0-from`.

use std::fs::File;
use std::io::{self, Read, Seek, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use super::mbox::{MboxItem, Splitter};
use super::sniff::{self, PREFIX_BYTES, SourceKind};
use super::walk::{FolderWalk, WalkEntry};

/// Writes the entries of a path, NUL-terminated. An mbox of more than `size` bytes is split into
/// ranges of about that size. Everything else is one entry. So is what cannot be read: the scan
/// will report it.
pub fn write(out: &mut dyn Write, path: PathBuf, size: u64, max_message: usize) -> io::Result<()> {
    for entry in FolderWalk::new(path) {
        match entry {
            WalkEntry::Skipped => {}
            WalkEntry::Stream { path } | WalkEntry::Unread { path, .. } => write_path(out, &path)?,
            WalkEntry::File { path, size: bytes, .. } => {
                let message_starts =
                    if bytes > size { range_starts(&path, size, max_message) } else { None };
                match message_starts {
                    Some(message_starts) => write_ranges(out, &path, &message_starts)?,
                    None => write_path(out, &path)?,
                }
            }
        }
    }
    Ok(())
}

/// The starts of the ranges of an mbox, and its end. `None` when the file is not an mbox or cannot
/// be read.
fn range_starts(path: &Path, size: u64, max_message: usize) -> Option<Vec<u64>> {
    let mut file = File::open(path).ok()?;
    let mut prefix = Vec::new();
    (&file).take(PREFIX_BYTES as u64).read_to_end(&mut prefix).ok()?;
    if sniff::kind(&prefix) != SourceKind::Mbox {
        return None;
    }
    file.rewind().ok()?;
    message_starts(&file, size, max_message).ok()
}

fn write_ranges(out: &mut dyn Write, path: &Path, message_starts: &[u64]) -> io::Result<()> {
    for (start, end) in message_starts.iter().zip(message_starts.iter().skip(1)) {
        write!(out, "mbox:{start}-{end}:")?;
        out.write_all(path.as_os_str().as_bytes())?;
        out.write_all(b"\0")?;
    }
    Ok(())
}

/// Offsets of messages at least `size` bytes apart, and the end of the file.
fn message_starts(file: &File, size: u64, max_message: usize) -> io::Result<Vec<u64>> {
    let end = file.metadata()?.len();
    let mut splitter = Splitter::new(file, 0, max_message);
    let mut message_starts = vec![0];
    while let Some(piece) = splitter.next(&mut |_| ())? {
        let (MboxItem::TooLarge { offset }
        | MboxItem::Message(super::message::RawMessage { offset, .. })) = piece;
        let far = message_starts.last().is_none_or(|last| offset >= last + size);
        if far && follows_empty_line(file, offset)? {
            message_starts.push(offset);
        }
    }
    message_starts.push(end);
    Ok(message_starts)
}

/// Whether a reader that starts here recognizes the separator. In mboxcl2 there may be no empty
/// line before it.
fn follows_empty_line(file: &File, offset: u64) -> io::Result<bool> {
    let mut before = [0; 3];
    file.read_exact_at(&mut before, offset.saturating_sub(3))?;
    Ok(before.ends_with(b"\n\n") || before == *b"\n\r\n")
}

/// Writes a path. If it looks like a range, `./` is put in front.
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
    fn other_sources_are_not_split() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("a.eml"), "A: b\n\n".repeat(100)).unwrap();
        std::fs::write(folder.path().join("b.gz"), [0x1F, 0x8B, 8].repeat(1000)).unwrap();
        let found = entries(folder.path().to_owned(), 10);
        assert_eq!(found.len(), 2);
        assert!(found[0].ends_with("a.eml") && found[1].ends_with("b.gz"));
        assert_eq!(entries(folder.path().join("missing"), 10).len(), 1);
    }
}
