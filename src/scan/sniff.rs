//! Identifies a file by its first bytes. Names and extensions do not count.

use memchr::{memchr, memchr2};

use super::separator::begins_mbox;
use crate::magic::{Compression, MagicFormat};

/// Number of bytes that are needed.
pub const PREFIX_BYTES: usize = 512;

/// What no format explains that begins with a NUL, or nearly.
pub const BINARY: &str = "binary data";

/// The content of a source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SourceKind {
    Empty,
    Message,
    /// Messages with `From ` lines.
    Mbox,
    /// The same with a bare CR at the end of each line.
    MacMbox,
    /// A tar archive.
    Tar,
    Compressed(Compression),
    /// Not mail, with what it is instead.
    NotMail(&'static str),
}

/// Identifies content by its first [`PREFIX_BYTES`] bytes.
pub fn kind(prefix: &[u8]) -> SourceKind {
    if prefix.is_empty() {
        return SourceKind::Empty;
    }
    match MagicFormat::of(prefix) {
        Some(MagicFormat::Compressed(compression)) => return SourceKind::Compressed(compression),
        Some(MagicFormat::Other(what)) => return SourceKind::NotMail(what),
        None => {}
    }
    // POSIX ustar and GNU tar (ustar header, offset 257).
    if prefix.get(257..262) == Some(b"ustar") {
        return SourceKind::Tar;
    }
    if begins_mac_mbox(prefix) {
        return SourceKind::MacMbox;
    }
    if begins_mbox(prefix) {
        return SourceKind::Mbox;
    }
    if is_dbox(prefix) {
        return SourceKind::NotMail("mail stored by Dovecot as dbox");
    }
    // No header has a NUL this early.
    if prefix.iter().take(32).any(|byte| *byte == 0) {
        return SourceKind::NotMail(BINARY);
    }
    SourceKind::Message
}

/// Whether the first line ends with a bare CR, and is that of an mbox.
fn begins_mac_mbox(prefix: &[u8]) -> bool {
    let end = memchr2(b'\r', b'\n', prefix).and_then(|end| prefix.get(end..));
    let is_bare = matches!(end, Some([b'\r', next, ..]) if *next != b'\n');
    is_bare && {
        let line_feed = |byte: &u8| if *byte == b'\r' { b'\n' } else { *byte };
        begins_mbox(&prefix.iter().map(line_feed).collect::<Vec<u8>>())
    }
}

/// Whether this is how Dovecot begins a file of an sdbox or mdbox: `2 M1e C65a1b2c3`, then the first
/// message with two bytes of its own.
fn is_dbox(prefix: &[u8]) -> bool {
    let Some((line, next)) = memchr(b'\n', prefix).and_then(|end| prefix.split_at_checked(end + 1))
    else {
        return false;
    };
    next.starts_with(b"\x01\x02") && matches!(line, [b'1'..=b'9', b' ', b'A'..=b'Z', ..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds() {
        let mut tar = vec![b'a'; 300];
        tar[257..262].copy_from_slice(b"ustar");
        for (bytes, expected) in [
            (&b""[..], SourceKind::Empty),
            (b"From: bob\n\n", SourceKind::Message),
            (b"From here to there\n\n", SourceKind::Message),
            (b"From bob Thu Aug 22 12:36:23 2002\nA: b\n", SourceKind::Mbox),
            (b"\xEF\xBB\xBFFrom -\nA: b\n", SourceKind::Mbox),
            (b"From bob Thu Aug 22 12:36:23 2002\rA: b\r\rtext", SourceKind::MacMbox),
            (b"From \rA: b\r\rtext", SourceKind::MacMbox),
            (b"From here to there\r\rtext", SourceKind::Message),
            (b"From bob\rThu Aug 22 12:36:23 2002\nA: b\n", SourceKind::Mbox),
            (b"A: b\r\rtext", SourceKind::Message),
            (b"\x1F\x8B\x08\0", SourceKind::Compressed(Compression::Gzip)),
            (b"\x28\xB5\x2F\xFD\0", SourceKind::Compressed(Compression::Zstd)),
            (b"\x50\x2A\x4D\x18\x04\0", SourceKind::Compressed(Compression::Zstd)),
            (b"\xFD7zXZ\0\0", SourceKind::Compressed(Compression::Xz)),
            (&tar, SourceKind::Tar),
            (b"From \r\nX-Mozilla-Status: 0001\r\n", SourceKind::Mbox),
            (b"From \n\nlove\n", SourceKind::Message),
            (b"PK\x03\x04\0", SourceKind::NotMail("a zip archive")),
            (b"\x01\x01\x01\x01\nA: b\n", SourceKind::NotMail("an MMDF mailbox")),
            (
                b"2 M1e C1\n\x01\x02N 0\nA: b\n",
                SourceKind::NotMail("mail stored by Dovecot as dbox"),
            ),
            (b"2 M1e C1\nA: b\n", SourceKind::Message),
            (b"BABYL OPTIONS: -*- rmail -*-\n", SourceKind::NotMail("a Babyl mailbox (Rmail)")),
            (b"\x01\0\0\0\x02", SourceKind::NotMail("binary data")),
            (b"just text", SourceKind::Message),
        ] {
            assert_eq!(kind(bytes), expected, "{bytes:?}");
        }
    }
}
