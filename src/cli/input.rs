//! What a command reads.

use std::fs;
use std::io::{self, Read};
use std::path::Path;

use anyhow::Context;

/// The bytes of a file, or of standard input; `-` is standard input, too.
pub fn read(file: Option<&Path>) -> anyhow::Result<Vec<u8>> {
    match file {
        Some(path) if path != Path::new("-") => {
            fs::read(path).with_context(|| format!("expected a file to read: {}", path.display()))
        }
        _ => {
            let mut bytes = Vec::new();
            io::stdin()
                .lock()
                .read_to_end(&mut bytes)
                .context("expected text on standard input")?;
            Ok(bytes)
        }
    }
}
