//! The headers of an archive: those in front of files, those of its directory, the end of it.

use std::ops::Range;

use super::{ZIP_ENTRIES, ZIP_NAME_BYTES, ZipFile};
use memchr::memmem;

/// How each header begins.
pub const LOCAL: &[u8] = b"PK\x03\x04";
const CENTRAL: &[u8] = b"PK\x01\x02";
const END: &[u8] = b"PK\x05\x06";

/// Bytes of each before the name or the comment.
const LOCAL_BYTES: usize = 30;
const CENTRAL_BYTES: usize = 46;

/// The bit of the flags that says that a file is encrypted.
const ENCRYPTED: u16 = 1;

/// The headers of an archive, in the order of their bytes.
pub struct Marks<'a> {
    pub locals: Vec<Local<'a>>,
    pub centrals: Vec<Central<'a>>,
    /// The last end.
    pub end: Option<End>,
    /// Whether there are more than are kept, or one that is cut off.
    pub cut: bool,
}

/// The header in front of a file.
pub struct Local<'a> {
    pub at: usize,
    said: Said<'a>,
    /// Where the file begins.
    start: usize,
    /// Where the next header is.
    next: usize,
}

/// The header of a file in a directory.
pub struct Central<'a> {
    pub at: usize,
    said: Said<'a>,
    /// Where the header in front of the file is, from where the archive begins.
    pub offset: usize,
}

/// What both say.
struct Said<'a> {
    flags: u16,
    method: u16,
    /// The length of the packed file; 0 or too long if it is said elsewhere.
    packed: usize,
    name: &'a [u8],
}

/// The end of an archive.
pub struct End {
    /// Where the directory is in front of it, by its length.
    pub directory: Range<usize>,
    /// How many bytes are in front of the archive.
    pub shift: usize,
}

/// Finds all headers.
pub fn find(bytes: &[u8]) -> Marks<'_> {
    let mut marks = Marks { locals: Vec::new(), centrals: Vec::new(), end: None, cut: false };
    for at in memmem::find_iter(bytes, b"PK") {
        let Some(rest) = bytes.get(at..) else { break };
        let is_local = rest.starts_with(LOCAL);
        if !is_local && !rest.starts_with(CENTRAL) && !rest.starts_with(END) {
            continue;
        }
        if let Some(last) = marks.locals.last_mut()
            && last.next == bytes.len()
            && at >= last.start
        {
            last.next = at;
        }
        if is_local {
            match Local::read(rest, at, bytes.len()) {
                Some(local) if marks.locals.len() < ZIP_ENTRIES => marks.locals.push(local),
                _ => marks.cut = true,
            }
        } else if rest.starts_with(CENTRAL) {
            match Central::read(rest, at) {
                Some(central) if marks.centrals.len() < ZIP_ENTRIES => marks.centrals.push(central),
                _ => marks.cut = true,
            }
        } else if let Some(end) = End::read(rest, at) {
            marks.end = Some(end);
        }
    }
    marks
}

impl<'a> Local<'a> {
    /// Bytes of its name.
    pub fn name_bytes(&self) -> usize {
        self.said.name.len()
    }

    fn read(rest: &'a [u8], at: usize, end: usize) -> Option<Local<'a>> {
        let length = usize::from(u16_at(rest, 26)?);
        let said = Said {
            flags: u16_at(rest, 6)?,
            method: u16_at(rest, 8)?,
            packed: u32_at(rest, 18)?,
            name: name(rest, LOCAL_BYTES, length)?,
        };
        let start = at + LOCAL_BYTES + length + usize::from(u16_at(rest, 28)?);
        (start <= end).then_some(Local { at, said, start, next: end })
    }

    /// The file, of which this is in the directory.
    pub fn file(&self, bytes: &'a [u8], central: Option<&Central<'a>>) -> ZipFile<'a> {
        let central = central.map(|central| &central.said);
        let said = [Some(&self.said), central];
        let ends = said.into_iter().rev().flatten().map(|said| self.start.checked_add(said.packed));
        let mut ends = ends.flatten().filter(|end| *end > self.start && *end <= bytes.len());
        let end = ends.next();
        let slice = |end: usize| bytes.get(self.start..end).unwrap_or_default();
        let other = central.map(|central| central.name).filter(|name| *name != self.said.name);
        ZipFile {
            names: [Some(self.said.name), other],
            methods: [self.said.method, central.unwrap_or(&self.said).method],
            encrypted: said.iter().flatten().any(|said| said.flags & ENCRYPTED != 0),
            packed: slice(end.unwrap_or(self.next).max(self.next)),
            stored: slice(end.unwrap_or(self.next)),
        }
    }

    /// Where the file is, if both headers say the same of it.
    pub fn extent(&self, central: &Central<'_>) -> Option<Range<usize>> {
        let (own, other) = (&self.said, &central.said);
        // A length of 0 stands behind the file.
        let is_same = own.method == other.method && (own.packed == 0 || own.packed == other.packed);
        let end = self.start.checked_add(other.packed)?;
        (is_same && end <= central.at).then_some(self.start..end)
    }
}

impl<'a> Central<'a> {
    /// Bytes of its name.
    pub fn name_bytes(&self) -> usize {
        self.said.name.len()
    }

    fn read(rest: &'a [u8], at: usize) -> Option<Central<'a>> {
        let length = usize::from(u16_at(rest, 28)?);
        let said = Said {
            flags: u16_at(rest, 8)?,
            method: u16_at(rest, 10)?,
            packed: u32_at(rest, 20)?,
            name: name(rest, CENTRAL_BYTES, length)?,
        };
        Some(Central { at, said, offset: u32_at(rest, 42)? })
    }
}

impl End {
    fn read(rest: &[u8], at: usize) -> Option<End> {
        let start = at.checked_sub(u32_at(rest, 12)?)?;
        let shift = start.saturating_sub(u32_at(rest, 16)?);
        Some(End { directory: start..at, shift })
    }
}

/// The name behind a header; one that is too long is cut.
fn name(rest: &[u8], at: usize, length: usize) -> Option<&[u8]> {
    let name = rest.get(at..at.checked_add(length)?)?;
    // Its end says what it is.
    name.get(name.len().saturating_sub(ZIP_NAME_BYTES)..)
}

fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_le_bytes(*bytes.get(at..)?.first_chunk()?))
}

fn u32_at(bytes: &[u8], at: usize) -> Option<usize> {
    usize::try_from(u32::from_le_bytes(*bytes.get(at..)?.first_chunk()?)).ok()
}
