//! Files in a ZIP archive (APPNOTE 6.3.10), as far as one may be read: archives, and the documents of offices that are
//! archives.
//!
//! The marks of all headers are looked for from front to back, and what the central directory says is joined with what
//! stands in front of each file. So archives are read that programs repair (bytes in front, a cut end, a wrong checksum,
//! length or method), and files that some programs find and others do not. Checksums are not computed. Deflated files
//! end by themselves, wherever headers say that they end.

mod headers;

use std::collections::BTreeMap;

use headers::{Central, Local, Marks};
use mailsplice::mime::{Ending, Inflater};

/// Maximum number of headers of an archive that are looked at, in front of files and in directories, of each kind.
pub const ZIP_ENTRIES: usize = 4_096;

/// Maximum bytes of a name in an archive.
pub const ZIP_NAME_BYTES: usize = 1_024;

/// What all files of an archive may unpack to, as a multiple of the archive.
pub const ZIP_UNPACKED: usize = 20;

/// Maximum bytes that they may unpack to, however long the archive is.
pub const ZIP_UNPACKED_BYTES: usize = 32 << 20;

/// Bytes that they may unpack to, however short the archive is: a sheet of little content is mostly repeated markup.
pub const ZIP_UNPACKED_BASE: usize = 1 << 20;

/// How often the bytes of an archive may be unpacked. No files overlap in an honest one; an archive inside it that is
/// stored may be read with it.
const TIMES_PACKED: usize = 3;

/// Packed or unpacked bytes in one step: searching and unpacking take few instructions.
const BYTES_IN_STEP: usize = 4;

/// Steps of a header: it is read, compared with its other copy, and its name is looked up.
const ENTRY_STEPS: u64 = 64;

/// Steps of unpacking a file, whatever its length: tables are made anew.
const FILE_STEPS: u64 = 800;

/// Extensions of files that programs open as archives, whatever is in front.
#[rustfmt::skip]
pub const EXTENSIONS: [&str; 29] = [
    "docm", "docx", "dotm", "dotx", "epub", "odg", "odp", "ods", "odt", "otg", "otp", "ots", "ott", "oxps", "potm",
    "potx", "ppam", "ppsm", "ppsx", "pptm", "pptx", "xlam", "xlsb", "xlsm", "xlsx", "xltm", "xltx", "xps", "zip",
];

/// Whether bytes may unwrap to such a beginning.
pub fn may_be(wrapped: &[u8]) -> bool {
    let has = |mark: &[u8]| memchr::memmem::find(wrapped, mark).is_some();
    has(b"PK") || has(b"=50")
}

/// Whether a file begins as an archive.
pub fn begins(opening: &[u8]) -> bool {
    opening.starts_with(headers::LOCAL)
}

/// Whether an archive begins somewhere in these bytes: programs look for its directory at its end, and pass over what is
/// in front.
pub fn is(opening: &[u8]) -> bool {
    memchr::memmem::find(opening, headers::LOCAL).is_some()
}

/// The files of an archive, in the order of their bytes.
#[derive(Debug, Default)]
pub struct Zip<'a> {
    /// The files.
    pub files: Vec<ZipFile<'a>>,
    /// Whether there may be more: the archive is cut off, or names some that are not there, or has too many.
    pub unread: bool,
}

/// A file in an archive.
#[derive(Debug)]
pub struct ZipFile<'a> {
    /// Its names in front of it and in the directory, if they differ.
    names: [Option<&'a [u8]>; 2],
    /// What both say of how it is packed.
    methods: [u16; 2],
    encrypted: bool,
    packed: &'a [u8],
    /// Where it ends if it is not packed.
    stored: &'a [u8],
}

/// What a file holds.
#[derive(Debug, Default)]
pub struct Unpacked {
    /// Its bytes, or the first ones of them.
    pub bytes: Vec<u8>,
    /// Whether that is all.
    pub whole: bool,
    /// The steps that it took.
    pub steps: u64,
}

/// The method of a file that is not packed.
const STORED: u16 = 0;
/// The method of one that is deflated.
const DEFLATED: u16 = 8;

/// Finds the files of an archive. `spend` takes the steps of what was read; `None` when it has none left.
pub fn files<'a>(bytes: &'a [u8], mut spend: impl FnMut(u64) -> bool) -> Option<Zip<'a>> {
    if !spend(bytes.len().div_ceil(BYTES_IN_STEP) as u64) {
        return None;
    }
    let Marks { mut locals, mut centrals, end, cut } = headers::find(bytes);
    // Each byte of a name is read several times.
    let names = locals.iter().map(Local::name_bytes).sum::<usize>()
        + centrals.iter().map(Central::name_bytes).sum::<usize>();
    if !spend(ENTRY_STEPS * (locals.len() + centrals.len()) as u64 + names as u64) {
        return None;
    }
    let shift = end.as_ref().map_or(0, |end| end.shift);
    let known = |locals: &[Local<'_>], central: &Central<'_>| {
        [0, shift].into_iter().find_map(|shift| {
            let at = central.offset.checked_add(shift)?;
            locals.binary_search_by_key(&at, |local| local.at).ok()
        })
    };
    if let Some(end) = &end {
        // An archive in this one has headers of its own, which packing may leave as they are.
        let own = centrals.iter().filter(|central| end.directory.contains(&central.at));
        let extents =
            own.filter_map(|central| locals.get(known(&locals, central)?)?.extent(central));
        let extents: BTreeMap<usize, usize> = extents.map(|one| (one.start, one.end)).collect();
        let is_inside =
            |at: usize| extents.range(..=at).next_back().is_some_and(|(_, end)| at < *end);
        locals.retain(|local| !is_inside(local.at));
        centrals.retain(|central| !is_inside(central.at));
    }
    let mut directory: BTreeMap<usize, &Central<'_>> = BTreeMap::new();
    let mut unread = cut || end.is_none();
    for central in &centrals {
        match known(&locals, central) {
            Some(at) => drop(directory.insert(at, central)),
            None => unread = true,
        }
    }
    let file = |(at, local): (usize, &Local<'a>)| local.file(bytes, directory.get(&at).copied());
    Some(Zip { files: locals.iter().enumerate().map(file).collect(), unread })
}

impl ZipFile<'_> {
    /// Packed bytes.
    pub fn len(&self) -> usize {
        self.packed.len()
    }

    /// Whether it has none.
    pub fn is_empty(&self) -> bool {
        self.packed.is_empty()
    }

    /// Its names, with slashes. Letters that are no UTF-8 are in a charset that nothing says: they become `_`.
    pub fn names(&self) -> impl Iterator<Item = String> {
        let ascii = |byte: &u8| if byte.is_ascii() { char::from(*byte) } else { '_' };
        self.names.iter().flatten().map(move |name| {
            let text = std::str::from_utf8(name).map(str::to_owned);
            text.unwrap_or_else(|_| name.iter().map(ascii).collect()).replace('\\', "/")
        })
    }
}

/// Unpacks the files of an archive.
#[derive(Debug)]
pub struct Unpacker {
    inflater: Inflater,
    /// Bytes that they may still unpack to.
    left: usize,
    /// Packed bytes that may still be read.
    packed: usize,
}

impl Unpacker {
    /// For an archive of so many bytes.
    pub fn of(archive: usize) -> Unpacker {
        let left = archive.saturating_mul(ZIP_UNPACKED).saturating_add(ZIP_UNPACKED_BASE);
        Unpacker {
            inflater: Inflater::default(),
            left: left.min(ZIP_UNPACKED_BYTES),
            packed: archive.saturating_mul(TIMES_PACKED),
        }
    }

    /// The first bytes of a file, at most so many: of what may still be unpacked it may take a half, so that one that
    /// never ends leaves something to others. Nothing if reading what is packed takes more steps than these.
    pub fn unpack(&mut self, file: &ZipFile<'_>, steps: u64, most: usize) -> Unpacked {
        if (file.packed.len().div_ceil(BYTES_IN_STEP) as u64) > steps {
            return Unpacked::default();
        }
        self.first(file, most.min(self.left.div_ceil(2)))
    }

    /// The first bytes of a file, at most so many.
    pub fn first(&mut self, file: &ZipFile<'_>, most: usize) -> Unpacked {
        let most = most.min(self.left);
        let mut unpacked = Unpacked { steps: FILE_STEPS, ..Unpacked::default() };
        let [one, other] = file.methods;
        let is_stored = one == STORED || other == STORED;
        let is_deflated = one == DEFLATED || other == DEFLATED;
        if !is_stored || one != other {
            let Some(packed) = self.packed.checked_sub(file.packed.len()) else { return unpacked };
            self.packed = packed;
            let (bytes, ending) = self.inflater.first(file.packed, most);
            self.left -= bytes.len();
            unpacked.steps += (file.packed.len() + bytes.len()).div_ceil(BYTES_IN_STEP) as u64;
            // Flags and methods may lie to those who check files, and programs may not ask them.
            let is_it = ending == Ending::Whole && !bytes.is_empty();
            if is_it || is_deflated && !is_stored && !file.encrypted {
                return Unpacked { bytes, whole: ending == Ending::Whole, ..unpacked };
            }
        }
        if is_stored && !file.encrypted {
            let most = most.min(self.left);
            let bytes = file.stored.get(..most).unwrap_or(file.stored).to_vec();
            self.left -= bytes.len();
            unpacked.steps += bytes.len().div_ceil(BYTES_IN_STEP) as u64;
            unpacked.whole = bytes.len() == file.stored.len();
            unpacked.bytes = bytes;
        }
        unpacked
    }
}

#[cfg(test)]
mod tests;
