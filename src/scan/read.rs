//! Splits a source into messages, through compression, archives and mboxes.

use std::borrow::Cow;
use std::cell::Cell;
use std::io::{self, Cursor, Read};
use std::ops::ControlFlow;

use crate::file::reason;
use crate::record::names::bounded;

use super::budget::Gate;
use super::decode::{self, Meter};
use super::line_feeds::LineFeeds;
use super::mbox::{MboxItem, Splitter};
use super::message::{Quoting, RawMessage};
use super::sniff::{self, PREFIX_BYTES, SourceKind};

/// Maximum nesting of compression and archives. `mails.tar.gz` has two layers.
const MAX_LAYERS: usize = 4;
/// Size limit in bytes of a tar header with its name, which is everything between two entries.
/// Paths have 4,096 bytes, attributes some kilobytes.
const MAX_TAR_HEADER_BYTES: u64 = 1 << 20;

/// Receives the content of a source, in order.
pub trait Sink {
    /// Waits until this many bytes may be buffered for a message.
    fn wait_for_memory(&mut self, bytes: usize);
    fn message(&mut self, source: &str, raw: RawMessage<'_>) -> ControlFlow<()>;
    /// Something that could not be read, from an offset on.
    fn unread(&mut self, source: &str, offset: u64, why: &str) -> ControlFlow<()>;
    /// A file that is not a message by the rules of its folder or archive.
    fn skipped(&mut self) -> ControlFlow<()>;
}

/// Reads a stream, whatever it contains. `max_message` is the size limit of a message in bytes.
pub fn stream(
    source: &str,
    reader: Box<dyn Read + '_>,
    meter: &Meter<'_>,
    max_message: usize,
    sink: &mut dyn Sink,
) -> ControlFlow<()> {
    MessageReader { meter, max_message, sink }.layer(source, reader, 0)
}

/// Reads a file that is completely in memory.
pub fn slice(
    source: &str,
    bytes: &[u8],
    gate: Gate<'_>,
    max_message: usize,
    sink: &mut dyn Sink,
) -> ControlFlow<()> {
    match sniff::kind(bytes.get(..PREFIX_BYTES).unwrap_or(bytes)) {
        SourceKind::Message => single(source, Cow::Borrowed(bytes), sink),
        _ => {
            let meter = Meter::new(gate);
            stream(source, Box::new(meter.count(bytes)), &meter, max_message, sink)
        }
    }
}

/// Reads the messages of an mbox.
pub fn mbox<R: Read>(
    source: &str,
    mut splitter: Splitter<R>,
    sink: &mut dyn Sink,
) -> ControlFlow<()> {
    let max_message = splitter.max_message();
    loop {
        match splitter.next(&mut |bytes| sink.wait_for_memory(bytes)) {
            Ok(None) => return ControlFlow::Continue(()),
            Ok(Some(MboxItem::Message(raw))) => sink.message(source, raw)?,
            Ok(Some(MboxItem::TooLarge { offset })) => {
                sink.unread(source, offset, &too_large(max_message))?;
            }
            Err(error) => {
                return sink.unread(source, splitter.offset(), &reason(&error));
            }
        }
    }
}

struct MessageReader<'r, 'w> {
    meter: &'r Meter<'w>,
    max_message: usize,
    sink: &'r mut dyn Sink,
}

impl MessageReader<'_, '_> {
    fn layer(
        &mut self,
        source: &str,
        mut reader: Box<dyn Read + '_>,
        depth: usize,
    ) -> ControlFlow<()> {
        let mut prefix = Vec::with_capacity(PREFIX_BYTES);
        if let Err(error) = reader.by_ref().take(PREFIX_BYTES as u64).read_to_end(&mut prefix) {
            if prefix.is_empty() {
                return self.sink.unread(source, 0, &reason(&error));
            }
            // What was read before the error may be a complete message.
            reader = Box::new(FailingReader { kind: error.kind(), why: reason(&error) });
        }
        let kind = sniff::kind(&prefix);
        let reader = Cursor::new(prefix).chain(reader);
        match kind {
            SourceKind::Empty => ControlFlow::Continue(()),
            SourceKind::NotMail(what) => {
                self.sink.unread(source, 0, &format!("expected mail, found {what}"))
            }
            SourceKind::Message => self.single(source, reader),
            SourceKind::Mbox => mbox(source, Splitter::new(reader, 0, self.max_message), self.sink),
            SourceKind::MacMbox => {
                let reader = LineFeeds::new(reader);
                mbox(source, Splitter::new(reader, 0, self.max_message), self.sink)
            }
            SourceKind::Tar | SourceKind::Compressed(_) if depth >= MAX_LAYERS => {
                let why = format!("more than {MAX_LAYERS} layers of archives and compression");
                self.sink.unread(source, 0, &why)
            }
            SourceKind::Tar => self.tar(source, reader, depth),
            SourceKind::Compressed(coding) => {
                match decode::decoder(coding, Box::new(reader), self.meter) {
                    Ok(plain) => self.layer(source, plain, depth + 1),
                    Err(error) => self.sink.unread(source, 0, &reason(&error)),
                }
            }
        }
    }

    fn single(&mut self, source: &str, reader: impl Read) -> ControlFlow<()> {
        const STEP: u64 = 1 << 20;
        let mut bytes = Vec::new();
        let mut reader = reader.take(self.max_message as u64 + 1);
        loop {
            self.sink.wait_for_memory(bytes.len() + STEP as usize);
            match reader.by_ref().take(STEP).read_to_end(&mut bytes) {
                Ok(0) => break,
                Ok(_) if bytes.len() > self.max_message => {
                    return self.sink.unread(source, 0, &too_large(self.max_message));
                }
                Ok(_) => {}
                Err(error) => {
                    let offset = bytes.len() as u64;
                    single(source, Cow::Owned(bytes), self.sink)?;
                    return self.sink.unread(source, offset, &reason(&error));
                }
            }
        }
        single(source, Cow::Owned(bytes), self.sink)
    }

    fn tar(&mut self, source: &str, reader: impl Read, depth: usize) -> ControlFlow<()> {
        let limit = Cell::new(MAX_TAR_HEADER_BYTES);
        let mut archive = tar::Archive::new(HeaderLimitedReader { reader, at: 0, limit: &limit });
        // One archive behind another, as on tapes.
        archive.set_ignore_zeros(true);
        let entries = match archive.entries() {
            Ok(entries) => entries,
            Err(error) => return self.sink.unread(source, 0, &reason(&error)),
        };
        for entry in entries {
            // After an invalid header nothing can be trusted.
            let named = entry.and_then(|entry| Ok((entry_end(&entry)?, entry)));
            let (entry_end, entry) = match named {
                Ok(named) => named,
                Err(error) => return self.sink.unread(source, 0, &reason(&error)),
            };
            limit.set(u64::MAX);
            self.entry(source, entry, depth)?;
            limit.set(entry_end.saturating_add(MAX_TAR_HEADER_BYTES));
        }
        ControlFlow::Continue(())
    }

    fn entry<R: Read>(
        &mut self,
        source: &str,
        mut entry: tar::Entry<'_, R>,
        depth: usize,
    ) -> ControlFlow<()> {
        let name = String::from_utf8_lossy(&entry.path_bytes()).into_owned();
        let name = format!("{source}!{}", bounded(&name));
        match entry.header().entry_type() {
            tar::EntryType::Regular | tar::EntryType::Continuous => {
                if is_sparse_by_posix(&mut entry) {
                    let why = "a sparse file in the format of POSIX (tar --format=gnu)";
                    return self.sink.unread(&name, 0, why);
                }
                self.layer(&name, Box::new(entry), depth + 1)
            }
            tar::EntryType::GNUSparse => {
                let meter = self.meter.clone();
                self.layer(&name, Box::new(decode::sparse(entry, &meter)), depth + 1)
            }
            tar::EntryType::Directory | tar::EntryType::XHeader | tar::EntryType::XGlobalHeader => {
                ControlFlow::Continue(())
            }
            other if other.as_byte() == CONTINUED => {
                self.sink.unread(&name, 0, "its beginning is in another volume of the archive")
            }
            _ => self.sink.skipped(),
        }
    }
}

/// The type of an entry whose beginning stands in another volume.
const CONTINUED: u8 = b'M';

/// Whether the content of an entry is a map of holes and what lies between them: an extension, since an entry of that
/// kind is a regular file to whoever does not know it.
fn is_sparse_by_posix<R: Read>(entry: &mut tar::Entry<'_, R>) -> bool {
    let extensions = entry.pax_extensions().ok().flatten();
    let mut known = extensions.into_iter().flatten().flatten();
    known.any(|extension| extension.key_bytes().starts_with(b"GNU.sparse."))
}

/// Offset in the archive of the end of an entry. A sparse entry is stored in fewer bytes than its
/// size.
fn entry_end<R: Read>(entry: &tar::Entry<'_, R>) -> io::Result<u64> {
    let size = match entry.header().entry_type() {
        tar::EntryType::GNUSparse => entry.header().entry_size()?,
        _ => entry.size(),
    };
    Ok(entry.raw_file_position().saturating_add(size))
}

/// Reads an archive up to a limit, which moves with its entries. The tar parser holds a complete
/// header in memory, with a name of whatever length the archive says.
struct HeaderLimitedReader<'l, R> {
    reader: R,
    at: u64,
    limit: &'l Cell<u64>,
}

impl<R: Read> Read for HeaderLimitedReader<'_, R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let left = self.limit.get().saturating_sub(self.at);
        if left == 0 {
            return Err(io::Error::other(format!(
                "a header of more than {} KiB",
                MAX_TAR_HEADER_BYTES >> 10
            )));
        }
        let limit_here = usize::try_from(left).unwrap_or(usize::MAX).min(out.len());
        let n = self.reader.read(out.get_mut(..limit_here).unwrap_or_default())?;
        self.at += n as u64;
        Ok(n)
    }
}

/// Returns the error of a stream that could not be read further.
struct FailingReader {
    kind: io::ErrorKind,
    why: String,
}

impl Read for FailingReader {
    fn read(&mut self, _out: &mut [u8]) -> io::Result<usize> {
        Err(io::Error::new(self.kind, self.why.clone()))
    }
}

fn single(source: &str, bytes: Cow<'_, [u8]>, sink: &mut dyn Sink) -> ControlFlow<()> {
    if bytes.is_empty() {
        return ControlFlow::Continue(());
    }
    sink.message(source, RawMessage { offset: 0, bytes, from_line_len: 0, quoting: Quoting::None })
}

pub(super) fn too_large(max_message: usize) -> String {
    format!("a message of more than {} MiB", max_message >> 20)
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::super::decode::tests::gzip;
    use super::*;
    use crate::record::names::MAX_NAME_BYTES;

    #[derive(Default)]
    struct Log {
        messages: Vec<(String, u64, usize)>,
        unread: Vec<(String, String)>,
        passed: usize,
    }

    impl Sink for Log {
        fn wait_for_memory(&mut self, _bytes: usize) {}
        fn message(&mut self, source: &str, raw: RawMessage<'_>) -> ControlFlow<()> {
            self.messages.push((
                source.to_owned(),
                raw.offset,
                raw.bytes.len() - raw.from_line_len,
            ));
            ControlFlow::Continue(())
        }
        fn unread(&mut self, source: &str, _offset: u64, why: &str) -> ControlFlow<()> {
            self.unread.push((source.to_owned(), why.to_owned()));
            ControlFlow::Continue(())
        }
        fn skipped(&mut self) -> ControlFlow<()> {
            self.passed += 1;
            ControlFlow::Continue(())
        }
    }

    fn log(bytes: &[u8]) -> Log {
        let mut log = Log::default();
        assert!(slice("s", bytes, Gate::Open, 1 << 20, &mut log).is_continue());
        log
    }

    const EML: &[u8] = b"Subject: a\n\ntext\n";
    const MBOX: &[u8] = b"From b Thu Aug 22 12:36:23 2002\nSubject: a\n\ntext\n\n\
        From b Thu Aug 22 12:36:23 2002\nSubject: b\n\ntwo\n";

    fn tar(files: &[(&str, &[u8])]) -> Vec<u8> {
        let mut builder = tar::Builder::new(Vec::new());
        for (name, bytes) in files {
            let mut header = tar::Header::new_gnu();
            header.set_size(bytes.len() as u64);
            header.set_cksum();
            builder.append_data(&mut header, name, *bytes).unwrap();
        }
        let mut link = tar::Header::new_gnu();
        link.set_entry_type(tar::EntryType::Symlink);
        link.set_size(0);
        builder.append_link(&mut link, "link", "/etc/passwd").unwrap();
        builder.into_inner().unwrap()
    }

    /// An entry that holds these bytes and behind them a hole, up to this size.
    fn tar_of_hole(bytes: &[u8], size: u64) -> Vec<u8> {
        let mut header = tar::Header::new_gnu();
        header.set_entry_type(tar::EntryType::GNUSparse);
        header.set_path("sparse").unwrap();
        header.set_size(bytes.len() as u64);
        let gnu = header.as_gnu_mut().unwrap();
        gnu.set_real_size(size);
        gnu.sparse[0].set_offset(0);
        gnu.sparse[0].set_length(bytes.len() as u64);
        gnu.sparse[1].set_offset(size);
        gnu.sparse[1].set_length(0);
        header.set_cksum();
        let mut builder = tar::Builder::new(Vec::new());
        builder.append(&header, bytes).unwrap();
        let mut header = tar::Header::new_gnu();
        header.set_size(EML.len() as u64);
        builder.append_data(&mut header, "next", EML).unwrap();
        builder.into_inner().unwrap()
    }

    #[test]
    fn files_with_holes_are_read_and_bounded() {
        let next = ("s!next".to_owned(), 0, EML.len());
        let block = [EML, &[b' '; 512]].concat();
        let read = log(&tar_of_hole(&block[..512], 600));
        assert_eq!(read.messages, [("s!sparse".to_owned(), 0, 600), next.clone()]);
        assert_eq!((read.unread.len(), read.passed), (0, 0));
        // A tebibyte of nothing, in which the next message of an mbox might come.
        let block = [MBOX, &[b' '; 512]].concat();
        let read = log(&tar_of_hole(&block[..512], 1 << 40));
        assert!(read.messages.contains(&next), "{:?}", read.messages);
        assert!(
            read.unread.iter().any(|(_, why)| why.contains("expands more than")),
            "{:?}",
            read.unread
        );
    }

    #[test]
    fn entries_that_are_not_read_as_they_stand_are_named() {
        let mut builder = tar::Builder::new(Vec::new());
        builder.append_pax_extensions([("GNU.sparse.major", &b"1"[..])]).unwrap();
        let mut header = tar::Header::new_gnu();
        header.set_size(EML.len() as u64);
        builder.append_data(&mut header, "sparse", EML).unwrap();
        header.set_entry_type(tar::EntryType::new(CONTINUED));
        builder.append_data(&mut header, "second", EML).unwrap();
        let read = log(&builder.into_inner().unwrap());
        let named: Vec<_> = read.unread.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!((named, read.messages.len()), (vec!["s!sparse", "s!second"], 0));
    }

    /// Two entries, the second with a name of this length, in the GNU or the POSIX format.
    fn tar_of_long_name(name: usize, pax: bool) -> Vec<u8> {
        let mut builder = tar::Builder::new(Vec::new());
        let mut header = tar::Header::new_ustar();
        header.set_size(2 * MAX_TAR_HEADER_BYTES);
        header.set_cksum();
        builder
            .append_data(&mut header, "long.bin", io::repeat(0).take(2 * MAX_TAR_HEADER_BYTES))
            .unwrap();
        let path = "a/".repeat(name / 2) + "z";
        let mut header = tar::Header::new_gnu();
        if pax {
            header = tar::Header::new_ustar();
            builder.append_pax_extensions([("path", path.as_bytes())]).unwrap();
        } else {
            let mut long = tar::Header::new_gnu();
            long.set_entry_type(tar::EntryType::GNULongName);
            long.set_size(path.len() as u64);
            long.set_cksum();
            builder.append(&long, path.as_bytes()).unwrap();
        }
        header.set_size(EML.len() as u64);
        header.set_cksum();
        builder.append(&header, EML).unwrap();
        builder.into_inner().unwrap()
    }

    #[test]
    fn a_name_in_an_archive_is_bounded_and_a_header_ends() {
        for pax in [false, true] {
            let found = log(&tar_of_long_name(100_000, pax));
            let [(name, ..)] = found.messages.as_slice() else { panic!("{:?}", found.messages) };
            assert!(name.len() <= MAX_NAME_BYTES + 2, "{}", name.len());
            assert!(name.starts_with("s!a/a/") && name.ends_with("/a/z"), "{name}");
            let found = log(&tar_of_long_name(2 << 20, pax));
            assert!(found.messages.is_empty());
            let unread: Vec<&str> = found.unread.iter().map(|(_, why)| why.as_str()).collect();
            assert_eq!(unread.last(), Some(&"a header of more than 1024 KiB"), "{unread:?}");
        }
    }

    #[test]
    fn layers_of_compression_and_archives_are_unpacked() {
        let xz = {
            let mut encoder = liblzma::write::XzEncoder::new(Vec::new(), 1);
            encoder.write_all(MBOX).unwrap();
            encoder.finish().unwrap()
        };
        assert_eq!(log(EML).messages, [("s".to_owned(), 0, 17)]);
        assert_eq!(log(MBOX).messages.len(), 2);
        let of_mac: Vec<u8> = MBOX.iter().map(|c| if *c == b'\n' { b'\r' } else { *c }).collect();
        assert_eq!(log(&of_mac).messages, log(MBOX).messages);
        assert_eq!(log(&gzip(&of_mac)).messages, log(MBOX).messages);
        assert_eq!(log(&gzip(EML)).messages, [("s".to_owned(), 0, 17)]);
        assert_eq!(log(&xz).messages, log(MBOX).messages);
        assert_eq!(log(&zstd::encode_all(MBOX, 1).unwrap()).messages, log(MBOX).messages);
        let archive = tar(&[("a.eml", EML), ("dir/old.mbox.gz", &gzip(MBOX))]);
        let found = log(&gzip(&archive));
        assert_eq!(found.messages.len(), 3);
        assert_eq!(found.messages[0].0, "s!a.eml");
        assert_eq!(found.messages[2], ("s!dir/old.mbox.gz".to_owned(), 50, 16));
        assert_eq!((found.passed, found.unread.len()), (1, 0));
    }

    #[test]
    fn a_stream_cut_short_gives_what_it_has_and_says_so() {
        let whole = gzip(&MBOX.repeat(1000));
        let found = log(&whole[..whole.len() / 2]);
        assert!(found.messages.len() > 100);
        assert_eq!(found.unread.len(), 1);
    }

    /// Also with a message that is shorter than the bytes which identify a file.
    #[test]
    fn a_message_is_judged_even_if_its_stream_fails_later() {
        for (bytes, read, unread) in [
            ([gzip(EML), b"garbage".to_vec()].concat(), 1, 1),
            ([gzip(EML), vec![0x1f, 0x8b, 8]].concat(), 1, 1),
            ([gzip(MBOX), b"garbage".to_vec()].concat(), 2, 1),
            // Another archive may follow one of tar.
            ([gzip(&tar(&[("a.eml", EML)])), b"garbage".to_vec()].concat(), 1, 1),
        ] {
            let found = log(&bytes);
            assert_eq!(found.messages.len(), read, "{:?}", found.unread);
            assert_eq!(found.unread.len(), unread, "{:?}", found.messages);
        }
    }

    #[test]
    fn endless_layers_end() {
        let mut bytes = EML.to_vec();
        for _ in 0..10 {
            bytes = gzip(&bytes);
        }
        let found = log(&bytes);
        assert!(found.messages.is_empty());
        assert!(found.unread[0].1.starts_with("more than 4 layers"));
    }

    #[test]
    fn other_file_types_are_reported() {
        assert_eq!(log(b"PK\x03\x04rest").unread[0].1, "expected mail, found a zip archive");
        assert!(log(b"").unread.is_empty());
        let big = gzip(&[b"A: b\n\n".to_vec(), vec![b'x'; 2 << 20]].concat());
        assert_eq!(log(&big).unread[0].1, "a message of more than 1 MiB");
    }
}
