//! What a command reads.

use std::fs::File;
use std::io::{self, ErrorKind, Read};
use std::path::Path;

use anyhow::Context;

/// Bytes of what is read at most. A device, or whatever stands in front of a pipe, may never end.
const INPUT_BYTES: u64 = 1 << 30;

/// The bytes of a file, or of standard input; `-` is standard input, too.
pub fn read(file: Option<&Path>) -> anyhow::Result<Vec<u8>> {
    match file {
        Some(path) if path != Path::new("-") => File::open(path)
            .and_then(until_the_end)
            .with_context(|| format!("expected a file to read: {}", path.display())),
        _ => until_the_end(io::stdin().lock()).context("expected text on standard input"),
    }
}

fn until_the_end(from: impl Read) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    from.take(INPUT_BYTES + 1).read_to_end(&mut bytes)?;
    match bytes.len() as u64 > INPUT_BYTES {
        true => Err(io::Error::new(
            ErrorKind::FileTooLarge,
            format!("more than {INPUT_BYTES} bytes (1 GiB)"),
        )),
        false => Ok(bytes),
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
