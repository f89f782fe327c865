//! Identifies a file by its first bytes. Names and extensions do not count.

use memchr::memchr;

use super::decode::Compression;
use super::separator::is_from_line;

/// Number of bytes that are needed.
pub const PREFIX_BYTES: usize = 512;

/// The content of a source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Empty,
    /// One message.
    Message,
    /// Messages with `From ` lines.
    Mbox,
    /// A tar archive.
    Tar,
    Compressed(Compression),
    /// Not mail, with what it is instead.
    NotMail(&'static str),
}

/// Identifies content by its first [`PREFIX_BYTES`] bytes.
pub fn kind(prefix: &[u8]) -> Kind {
    if prefix.is_empty() {
        return Kind::Empty;
    }
    for (magic, kind) in MAGIC_NUMBERS {
        if prefix.starts_with(magic) {
            return *kind;
        }
    }
    // POSIX ustar and GNU tar (ustar header, offset 257).
    if prefix.get(257..262) == Some(b"ustar") {
        return Kind::Tar;
    }
    let line = prefix.get(..memchr(b'\n', prefix).unwrap_or(prefix.len())).unwrap_or(prefix);
    if is_from_line(line) {
        return Kind::Mbox;
    }
    // No header has a NUL this early.
    if prefix.iter().take(32).any(|byte| *byte == 0) {
        return Kind::NotMail("binary data");
    }
    Kind::Message
}

const MAGIC_NUMBERS: &[(&[u8], Kind)] = &[
    (b"\x1F\x8B\x08", Kind::Compressed(Compression::Gzip)),
    (b"\x28\xB5\x2F\xFD", Kind::Compressed(Compression::Zstd)),
    (b"\xFD7zXZ\0", Kind::Compressed(Compression::Xz)),
    (b"PK\x03\x04", Kind::NotMail("a zip archive")),
    (b"BZh", Kind::NotMail("bzip2 data")),
    (b"7z\xBC\xAF\x27\x1C", Kind::NotMail("a 7z archive")),
    (b"Rar!\x1A\x07", Kind::NotMail("a RAR archive")),
    (b"%PDF-", Kind::NotMail("a PDF document")),
    (b"\x89PNG\r\n", Kind::NotMail("a PNG picture")),
    (b"GIF8", Kind::NotMail("a GIF picture")),
    (b"\xFF\xD8\xFF", Kind::NotMail("a JPEG picture")),
    (b"\x7FELF", Kind::NotMail("a program")),
    (b"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1", Kind::NotMail("an OLE document (Outlook .msg)")),
    (b"!BDN", Kind::NotMail("an Outlook .pst archive")),
    (b"SQLite format 3\0", Kind::NotMail("an SQLite database")),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds() {
        let mut tar = vec![b'a'; 300];
        tar[257..262].copy_from_slice(b"ustar");
        for (bytes, expected) in [
            (&b""[..], Kind::Empty),
            (b"From: bob\n\n", Kind::Message),
            (b"From here to there\n\n", Kind::Message),
            (b"From bob Thu Aug 22 12:36:23 2002\nA: b\n", Kind::Mbox),
            (b"\xEF\xBB\xBFFrom -\nA: b\n", Kind::Mbox),
            (b"\x1F\x8B\x08\0", Kind::Compressed(Compression::Gzip)),
            (b"\x28\xB5\x2F\xFD\0", Kind::Compressed(Compression::Zstd)),
            (b"\xFD7zXZ\0\0", Kind::Compressed(Compression::Xz)),
            (&tar, Kind::Tar),
            (b"PK\x03\x04\0", Kind::NotMail("a zip archive")),
            (b"\x01\0\0\0\x02", Kind::NotMail("binary data")),
            (b"just text", Kind::Message),
        ] {
            assert_eq!(kind(bytes), expected, "{bytes:?}");
        }
    }
}
