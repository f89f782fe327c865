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
pub enum MagicFormat {
    Compressed(Compression),
    /// Anything else, in words.
    Other(&'static str),
}

impl MagicFormat {
    /// The format that begins so, if it is a known one.
    pub fn of(prefix: &[u8]) -> Option<MagicFormat> {
        let known = MAGIC_NUMBERS.iter().find(|(magic, _)| prefix.starts_with(magic));
        match prefix {
            // A zstd stream may begin with a frame that is skipped: pzstd writes one.
            [0x50..=0x5F, 0x2A, 0x4D, 0x18, ..] => Some(MagicFormat::Compressed(Compression::Zstd)),
            [b'B', b'Z', b'h', b'1'..=b'9', ..] => Some(MagicFormat::Other("bzip2 data")),
            _ => known.map(|(_, format)| *format),
        }
    }

    /// What it is, for an error.
    pub fn words(self) -> &'static str {
        match self {
            MagicFormat::Compressed(Compression::Gzip) => "compressed data (gzip)",
            MagicFormat::Compressed(Compression::Zstd) => "compressed data (zstd)",
            MagicFormat::Compressed(Compression::Xz) => "compressed data (xz)",
            MagicFormat::Other(words) => words,
        }
    }
}

const MAGIC_NUMBERS: &[(&[u8], MagicFormat)] = &[
    (b"\x1F\x8B\x08", MagicFormat::Compressed(Compression::Gzip)),
    (b"\x28\xB5\x2F\xFD", MagicFormat::Compressed(Compression::Zstd)),
    (b"\xFD7zXZ\0", MagicFormat::Compressed(Compression::Xz)),
    (b"PK\x03\x04", MagicFormat::Other("a zip archive")),
    (b"7z\xBC\xAF\x27\x1C", MagicFormat::Other("a 7z archive")),
    (b"Rar!\x1A\x07", MagicFormat::Other("a RAR archive")),
    (b"%PDF-", MagicFormat::Other("a PDF document")),
    (b"\x89PNG\r\n", MagicFormat::Other("a PNG picture")),
    (b"GIF8", MagicFormat::Other("a GIF picture")),
    (b"\xFF\xD8\xFF", MagicFormat::Other("a JPEG picture")),
    (b"\x7FELF", MagicFormat::Other("a program")),
    (b"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1", MagicFormat::Other("an OLE document (Outlook .msg)")),
    (b"!BDN", MagicFormat::Other("an Outlook .pst archive")),
    (b"SQLite format 3\0", MagicFormat::Other("an SQLite database")),
    (b"\x01\x01\x01\x01\n", MagicFormat::Other("an MMDF mailbox")),
    (b"\x01\x01\x01\x01\r\n", MagicFormat::Other("an MMDF mailbox")),
    (b"BABYL OPTIONS:", MagicFormat::Other("a Babyl mailbox (Rmail)")),
    (b"\xCF\xAD\x12\xFE", MagicFormat::Other("an Outlook Express .dbx folder")),
    (b"CRYPTED\x03\x07", MagicFormat::Other("mail encrypted by Dovecot")),
    (b"Dovecot-LZ4", MagicFormat::Other("LZ4 data")),
    (b"\x04\x22\x4D\x18", MagicFormat::Other("LZ4 data")),
    (b"LZIP\x01", MagicFormat::Other("lzip data")),
    (b"\x1F\x9D", MagicFormat::Other("data of compress (.Z)")),
];
