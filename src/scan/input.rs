//! What to scan: paths, standard input, ranges of an mbox, lists of these.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::ops::Range;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};

use crate::file;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Input {
    /// A file or a folder.
    Path(PathBuf),
    Stdin,
    /// The messages of an uncompressed mbox that begin in this range of bytes.
    Range {
        path: PathBuf,
        range: Range<u64>,
    },
    /// An invalid entry of a list, or a list that could not be read to its end.
    Unreadable {
        name: String,
        why: String,
    },
}

impl Input {
    /// A command-line argument. `-` is standard input.
    pub fn argument(path: PathBuf) -> Input {
        if path == Path::new("-") { Input::Stdin } else { Input::Path(path) }
    }

    /// An entry of a list: a path, or `mbox:START-END:PATH`.
    fn entry(bytes: Vec<u8>) -> Input {
        if !bytes.starts_with(b"mbox:") {
            return Input::Path(OsString::from_vec(bytes).into());
        }
        match parse_range(&bytes) {
            Some((range, path)) => {
                Input::Range { path: OsString::from_vec(path.to_vec()).into(), range }
            }
            None => Input::Unreadable {
                name: String::from_utf8_lossy(&bytes).into_owned(),
                why: "expected mbox:START-END:PATH with offsets in bytes".to_owned(),
            },
        }
    }
}

fn parse_range(entry: &[u8]) -> Option<(Range<u64>, &[u8])> {
    let rest = entry.strip_prefix(b"mbox:")?;
    let colon = memchr::memchr(b':', rest)?;
    let (range, path) = rest.split_at_checked(colon)?;
    let (start, end) = std::str::from_utf8(range).ok()?.split_once('-')?;
    let range = start.parse().ok()?..end.parse().ok()?;
    (range.start <= range.end).then_some((range, path.get(1..)?))
}

/// Reads a list of NUL-terminated entries, one at a time.
pub fn read_list(path: &Path) -> io::Result<impl Iterator<Item = Input>> {
    let reader: Box<dyn BufRead> = if path == Path::new("-") {
        Box::new(io::stdin().lock())
    } else {
        Box::new(BufReader::new(File::open(path)?))
    };
    Ok(entries(reader, path.display().to_string()))
}

fn entries(mut reader: impl BufRead, name: String) -> impl Iterator<Item = Input> {
    let mut failed = false;
    let mut number = 0_u64;
    std::iter::from_fn(move || {
        if failed {
            return None;
        }
        number += 1;
        match file::read_entry(&mut reader, 0) {
            Ok(entry) if entry.is_empty() => None,
            Ok(mut entry) => {
                entry.pop_if(|last| *last == 0);
                if entry.is_empty() {
                    let why = "invalid zero-length file name".to_owned();
                    return Some(Input::Unreadable { name: format!("{name}:{number}"), why });
                }
                Some(Input::entry(entry))
            }
            Err(error) => {
                failed = true;
                let (name, why) = (name.clone(), file::reason(&error));
                Some(Input::Unreadable { name, why })
            }
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list() {
        let bytes = b"a b\n.eml\0\0mbox:10-20:x:y\0mbox:20-10:z\0mbox:zz\0last";
        let found: Vec<Input> = entries(&bytes[..], "list".to_owned()).collect();
        assert_eq!(found[0], Input::Path("a b\n.eml".into()));
        let why = "invalid zero-length file name".to_owned();
        assert_eq!(found[1], Input::Unreadable { name: "list:2".to_owned(), why });
        assert_eq!(found[2], Input::Range { path: "x:y".into(), range: 10..20 });
        assert!(matches!(found[3], Input::Unreadable { .. }));
        assert!(matches!(found[4], Input::Unreadable { .. }));
        assert_eq!(found[5], Input::Path("last".into()));
        assert_eq!(found.len(), 6);
    }

    #[test]
    fn a_list_with_an_endless_entry_is_an_error() {
        let bytes = ["a\0", &"b".repeat(1 << 20), "\0c\0"].concat();
        let found: Vec<Input> = entries(bytes.as_bytes(), "list".to_owned()).collect();
        assert_eq!(found[0], Input::Path("a".into()));
        assert!(matches!(&found[1], Input::Unreadable { why, .. } if why.contains("128 KiB")));
        assert_eq!(found.len(), 2);
    }
}
