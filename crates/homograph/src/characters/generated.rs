//! Files that tests generate.

#![allow(clippy::disallowed_methods)] // they are files

use std::path::Path;

/// Compares a generated file with what is checked in, or writes it (`UPDATE=1`).
pub(crate) fn checked_in(path: &str, fresh: &[u8]) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(&path, fresh).unwrap();
        return;
    }
    let old = std::fs::read(&path).unwrap();
    assert!(old == fresh, "{} is stale: UPDATE=1 cargo test -p homograph", path.display());
}
