use std::io::Write;

use super::*;

/// A file to be packed.
struct Entry {
    name: &'static str,
    data: Vec<u8>,
    method: u16,
}

fn deflated(name: &'static str, data: impl Into<Vec<u8>>) -> Entry {
    Entry { name, data: data.into(), method: DEFLATED }
}

fn stored(name: &'static str, data: impl Into<Vec<u8>>) -> Entry {
    Entry { name, data: data.into(), method: STORED }
}

fn number(value: usize) -> [u8; 4] {
    u32::try_from(value).unwrap().to_le_bytes()
}

fn short(value: usize) -> [u8; 2] {
    u16::try_from(value).unwrap().to_le_bytes()
}

fn packed(entry: &Entry) -> Vec<u8> {
    if entry.method == STORED {
        return entry.data.clone();
    }
    let mut encoder = flate2::write::DeflateEncoder::new(Vec::new(), flate2::Compression::best());
    encoder.write_all(&entry.data).unwrap();
    encoder.finish().unwrap()
}

/// An archive, with its directory.
fn zip(entries: &[Entry]) -> Vec<u8> {
    let (mut out, mut directory) = (Vec::new(), Vec::new());
    for entry in entries {
        let data = packed(entry);
        let what = [
            &[20, 0, 0, 0][..],
            &entry.method.to_le_bytes(),
            &[0; 8],
            &number(data.len()),
            &number(entry.data.len()),
            &short(entry.name.len()),
            &[0, 0],
        ]
        .concat();
        let offset = number(out.len());
        let name = entry.name.as_bytes();
        directory.push([b"PK\x01\x02\x14\0", what.as_slice(), &[0; 10], &offset, name].concat());
        out.extend([headers::LOCAL, &what, name, &data].concat());
    }
    let directory = directory.concat();
    let (count, start) = (short(entries.len()), out.len());
    out.extend(&directory);
    out.extend([&b"PK\x05\x06\0\0\0\0"[..], &count, &count].concat());
    out.extend([&number(directory.len())[..], &number(start), &[0, 0]].concat());
    out
}

/// Names and contents of an archive, and whether something is unread.
fn read(bytes: &[u8]) -> (Vec<(String, String)>, bool) {
    let zip = files(bytes, |_| true).unwrap();
    let mut unpacker = Unpacker::of(bytes.len());
    let mut unread = zip.unread;
    let mut out = Vec::new();
    for file in &zip.files {
        let unpacked = unpacker.unpack(file, u64::MAX, usize::MAX);
        unread |= !unpacked.whole;
        let text = String::from_utf8_lossy(&unpacked.bytes).into_owned();
        out.extend(file.names().map(|name| (name, text.clone())));
    }
    (out, unread)
}

fn sample() -> Vec<u8> {
    zip(&[deflated("a.txt", "first first first first"), stored("b/c.txt", "second")])
}

fn expected() -> Vec<(String, String)> {
    let file = |name: &str, text: &str| (name.to_owned(), text.to_owned());
    vec![file("a.txt", "first first first first"), file("b/c.txt", "second")]
}

/// The bytes behind each such mark replaced.
fn patched(bytes: &[u8], mark: &[u8], at: usize, with: &[u8]) -> Vec<u8> {
    let mut out = bytes.to_vec();
    for found in memchr::memmem::find_iter(bytes, mark) {
        out[found + at..found + at + with.len()].copy_from_slice(with);
    }
    out
}

const CENTRAL: &[u8] = b"PK\x01\x02";
const END: &[u8] = b"PK\x05\x06";

#[test]
fn files_are_found_in_the_archive() {
    assert!(begins(&sample()) && is(&sample()));
    assert_eq!(read(&sample()), (expected(), false));
    assert_eq!(read(&[b"MZ in front".as_slice(), &sample()].concat()), (expected(), false));
    assert_eq!(read(b"no archive"), (Vec::new(), true));
}

#[test]
fn damaged_archives_are_read() {
    let archive = sample();
    let both = |local: usize, central: usize, with: &[u8]| {
        patched(&patched(&archive, headers::LOCAL, local, with), CENTRAL, central, with)
    };
    // Checksums, lengths and offsets that are wrong; headers that say nothing.
    for (damaged, unread) in [
        (both(14, 16, b"abcd"), false),
        (patched(&archive, headers::LOCAL, 18, &[0; 8]), false),
        (patched(&archive, headers::LOCAL, 18, &[0xFF; 8]), false),
        (patched(&archive, headers::LOCAL, 8, &[99, 0]), false),
        (patched(&archive, CENTRAL, 42, &[0xFF; 4]), true),
        (patched(&archive, END, 8, &[0xFF; 4]), false),
        (patched(&archive, END, 12, &[0xFF; 8]), true),
        (archive[..archive.len() - 30].to_vec(), true),
        ([sample(), zip(&[])].concat(), false),
    ] {
        assert_eq!(read(&damaged), (expected(), unread));
    }
    // What is deflated is that, whatever its headers say.
    let first = |bytes: &[u8]| read(bytes).0.into_iter().next();
    let known = expected().into_iter().next();
    for damaged in [
        both(8, 10, &[99, 0]),
        both(6, 8, &[1, 0]),
        both(18, 20, &[1, 0, 0, 0]),
        patched(&archive, CENTRAL, 10, &[0, 0]),
        archive[..60].to_vec(),
    ] {
        assert_eq!(first(&damaged), known);
    }
}

#[test]
fn both_names_of_a_file_count() {
    let renamed = patched(&sample(), headers::LOCAL, 30, b"z");
    let names: Vec<String> = read(&renamed).0.into_iter().map(|(name, _)| name).collect();
    assert_eq!(names, ["z.txt", "a.txt", "z/c.txt", "b/c.txt"]);
}

#[test]
fn an_archive_in_an_archive_is_one_file() {
    // What is packed once is left as it is by packing it again.
    for inner in [stored("inner.zip", sample()), deflated("inner.zip", sample())] {
        let outer = zip(&[inner, deflated("d.txt", "third")]);
        let names: Vec<String> = read(&outer).0.into_iter().map(|(name, _)| name).collect();
        assert_eq!(names, ["inner.zip", "d.txt"]);
        assert!(!read(&outer).1);
    }
}

#[test]
fn encrypted_and_unknown_files_are_unread() {
    for (at, central, with) in [(6, 8, [1, 0]), (8, 10, [12, 0])] {
        let archive = zip(&[stored("a.txt", "\u{FF}secret")]);
        let archive = patched(&archive, headers::LOCAL, at, &with);
        let archive = patched(&archive, CENTRAL, central, &with);
        assert_eq!(read(&archive), (vec![("a.txt".to_owned(), String::new())], true));
    }
}

#[test]
fn entries_and_their_names_are_bounded() {
    let many: Vec<Entry> = (0..=ZIP_ENTRIES).map(|_| stored("a", "b")).collect();
    let archive = zip(&many);
    let zip_of = files(&archive, |_| true).unwrap();
    assert_eq!((zip_of.files.len(), zip_of.unread), (ZIP_ENTRIES, true));
    let fits = zip(&many[1..]);
    assert!(!files(&fits, |_| true).unwrap().unread);
    let long: &'static str = Box::leak(format!("{}.html", "x".repeat(2 * ZIP_NAME_BYTES)).into());
    let name = read(&zip(&[stored(long, "b")])).0.remove(0).0;
    assert!(name.len() == ZIP_NAME_BYTES && name.ends_with(".html"));
}

#[test]
fn what_files_unpack_to_is_bounded() {
    let bombs: Vec<Entry> = (0..4).map(|_| deflated("a.txt", vec![b'a'; 4 << 20])).collect();
    let archive = zip(&bombs);
    let zip_of = files(&archive, |_| true).unwrap();
    let mut unpacker = Unpacker::of(archive.len());
    let mut all = 0;
    for file in &zip_of.files {
        let Unpacked { bytes, whole, steps } = unpacker.unpack(file, u64::MAX, usize::MAX);
        assert!(!whole && steps as usize >= bytes.len() / BYTES_IN_STEP);
        all += bytes.len();
    }
    assert!(all <= ZIP_UNPACKED_BASE + ZIP_UNPACKED * archive.len());
    assert!(Unpacker::of(usize::MAX).left == ZIP_UNPACKED_BYTES);
}

/// Files that share one stream, and files that claim all that is behind them.
#[test]
fn files_that_overlap_are_not_unpacked_again_and_again() {
    let mut many: Vec<Entry> = (0..200).map(|_| deflated("a", "")).collect();
    // Blocks without content.
    many.push(deflated("b", "x"));
    let archive = zip(&many);
    let claimed = patched(&archive, headers::LOCAL, 18, &number(archive.len() - 12_000));
    let zip_of = files(&claimed, |_| true).unwrap();
    let mut unpacker = Unpacker::of(claimed.len());
    let steps: u64 =
        zip_of.files.iter().map(|file| unpacker.unpack(file, u64::MAX, usize::MAX).steps).sum();
    let most = TIMES_PACKED * claimed.len() / BYTES_IN_STEP + 201 * (FILE_STEPS as usize + 2);
    assert!(steps as usize <= most, "{steps}");
}

#[test]
fn a_file_takes_no_more_steps_than_there_are() {
    let mut noise = vec![0_u8; 40_000];
    let mut state = 1_u32;
    for byte in &mut noise {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        *byte = state.to_be_bytes()[0];
    }
    let archive = zip(&[deflated("a.txt", noise)]);
    let zip_of = files(&archive, |_| true).unwrap();
    let unpacked = Unpacker::of(archive.len()).unpack(&zip_of.files[0], 1_000, usize::MAX);
    assert_eq!((unpacked.bytes.len(), unpacked.whole, unpacked.steps), (0, false, 0));
    assert!(files(&archive, |_| false).is_none());
}
