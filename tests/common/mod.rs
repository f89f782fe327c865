//! What the test binaries share.
#![allow(dead_code)] // every test binary uses some of it

pub mod mail;
pub mod transcription;
pub mod world;

use std::path::PathBuf;

/// A path below the test data, or `None` after one line that says what is not run.
pub fn testdata(path: &str, what: &str) -> Option<PathBuf> {
    let root = std::env::var_os("LINKMILTER_TESTDATA")
        .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../shared"), PathBuf::from);
    let full = root.join(path);
    if full.exists() {
        return Some(full);
    }
    eprintln!("not run: {what}: no {path} in the test data (LINKMILTER_TESTDATA)");
    None
}
