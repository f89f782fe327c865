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

/// The arguments, or the lines of standard input when there are none; what is not UTF-8 is replaced.
pub fn lines(arguments: Vec<String>) -> anyhow::Result<Vec<String>> {
    if !arguments.is_empty() {
        return Ok(arguments);
    }
    let input = read(None)?;
    Ok(String::from_utf8_lossy(&input).lines().map(str::to_owned).collect())
}
