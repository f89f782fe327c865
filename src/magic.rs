//! What a file is by its first bytes, whoever reads it.

/// A compressed stream that can be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compression {
    Gzip,
    Zstd,
    Xz,
}

/// What a file is that is no text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    Compressed(Compression),
    /// Anything else, in words.
    Other(&'static str),
}

impl Format {
    /// The format that begins so, if it is a known one.
    pub fn of(prefix: &[u8]) -> Option<Format> {
        let known = MAGIC_NUMBERS.iter().find(|(magic, _)| prefix.starts_with(magic));
        match prefix {
            // A zstd stream may begin with a frame that is skipped: pzstd writes one.
            [0x50..=0x5F, 0x2A, 0x4D, 0x18, ..] => Some(Format::Compressed(Compression::Zstd)),
            [b'B', b'Z', b'h', b'1'..=b'9', ..] => Some(Format::Other("bzip2 data")),
            _ => known.map(|(_, format)| *format),
        }
    }

    /// What it is, for an error.
    pub fn words(self) -> &'static str {
        match self {
            Format::Compressed(Compression::Gzip) => "compressed data (gzip)",
            Format::Compressed(Compression::Zstd) => "compressed data (zstd)",
            Format::Compressed(Compression::Xz) => "compressed data (xz)",
            Format::Other(words) => words,
        }
    }
}

const MAGIC_NUMBERS: &[(&[u8], Format)] = &[
    (b"\x1F\x8B\x08", Format::Compressed(Compression::Gzip)),
    (b"\x28\xB5\x2F\xFD", Format::Compressed(Compression::Zstd)),
    (b"\xFD7zXZ\0", Format::Compressed(Compression::Xz)),
    (b"PK\x03\x04", Format::Other("a zip archive")),
    (b"7z\xBC\xAF\x27\x1C", Format::Other("a 7z archive")),
    (b"Rar!\x1A\x07", Format::Other("a RAR archive")),
    (b"%PDF-", Format::Other("a PDF document")),
    (b"\x89PNG\r\n", Format::Other("a PNG picture")),
    (b"GIF8", Format::Other("a GIF picture")),
    (b"\xFF\xD8\xFF", Format::Other("a JPEG picture")),
    (b"\x7FELF", Format::Other("a program")),
    (b"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1", Format::Other("an OLE document (Outlook .msg)")),
    (b"!BDN", Format::Other("an Outlook .pst archive")),
    (b"SQLite format 3\0", Format::Other("an SQLite database")),
    (b"\x01\x01\x01\x01\n", Format::Other("an MMDF mailbox")),
    (b"\x01\x01\x01\x01\r\n", Format::Other("an MMDF mailbox")),
    (b"BABYL OPTIONS:", Format::Other("a Babyl mailbox (Rmail)")),
    (b"\xCF\xAD\x12\xFE", Format::Other("an Outlook Express .dbx folder")),
    (b"CRYPTED\x03\x07", Format::Other("mail encrypted by Dovecot")),
    (b"Dovecot-LZ4", Format::Other("LZ4 data")),
    (b"\x04\x22\x4D\x18", Format::Other("LZ4 data")),
    (b"LZIP\x01", Format::Other("lzip data")),
    (b"\x1F\x9D", Format::Other("data of compress (.Z)")),
];
