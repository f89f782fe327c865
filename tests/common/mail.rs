//! The real mail of the test data.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// Every message, in order: the files in the folders below the root.
pub fn files(root: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut folders = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.parent() != Some(root) {
                files.push(path);
            }
        }
    }
    files.sort();
    files
}

/// Header and body, cut at the first empty line; an mbox line in front is left out.
pub fn split(message: &[u8]) -> (&[u8], &[u8]) {
    let mut at = 0;
    let mut start = 0;
    for line in message.split_inclusive(|c| *c == b'\n') {
        if at == 0 && line.starts_with(b"From ") {
            start = line.len();
        } else if line == b"\n" || line == b"\r\n" {
            return (&message[start..at], &message[at + line.len()..]);
        }
        at += line.len();
    }
    (&message[start..], b"")
}

/// The known exceptions of a figure: message and reason.
pub fn exceptions(figure: &str) -> BTreeMap<String, String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/mail-exceptions.tsv");
    let text = fs::read_to_string(path).unwrap();
    let rows = text.lines().filter(|line| !line.starts_with('#') && !line.is_empty());
    rows.map(|line| line.splitn(3, '\t').map(str::to_owned).collect::<Vec<_>>())
        .filter(|cells| cells[0] == figure)
        .map(|cells| (cells[1].clone(), cells[2].clone()))
        .collect()
}
