//! Input of commands.

use std::borrow::Cow;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use anyhow::{anyhow, bail};

use crate::engine::link::Linkifier;
use crate::engine::tlds::TldSet;
use crate::file::{cannot_read, line_of_bad_utf8, too_large};
use crate::scan::sniff::{self, SourceKind};

/// Size limit of the input, in bytes. A device, or the writer of a pipe, may never end.
const MAX_INPUT_BYTES: u64 = 1 << 30;

/// Reads a file, or standard input without one or for `-`.
pub fn read(file: Option<&Path>) -> anyhow::Result<Vec<u8>> {
    match file {
        Some(path) if path != Path::new("-") => File::open(path)
            .and_then(read_all)
            .map_err(|error| anyhow!(cannot_read(path.display(), &error))),
        _ => read_all(io::stdin().lock())
            .map_err(|error| anyhow!(cannot_read("standard input", &error))),
    }
}

/// Reads one message, as [`read`] does. An archive is none, nor another file whose kind is known by how it begins:
/// it would be called harmless, whatever is in it.
pub fn message(file: Option<&Path>) -> anyhow::Result<Vec<u8>> {
    let bytes = read(file)?;
    let archive = match sniff::kind(bytes.get(..sniff::PREFIX_BYTES).unwrap_or(&bytes)) {
        SourceKind::Compressed(_) => "compressed data",
        SourceKind::Tar => "a tar archive",
        SourceKind::NotMail(what) if what != sniff::BINARY => {
            bail!("expected one message, found {what}")
        }
        _ => return Ok(bytes),
    };
    bail!("expected one message, found {archive}: `linkmilter scan` reads archives")
}

fn read_all(from: impl Read) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    from.take(MAX_INPUT_BYTES + 1).read_to_end(&mut bytes)?;
    match bytes.len() as u64 > MAX_INPUT_BYTES {
        true => Err(too_large(MAX_INPUT_BYTES)),
        false => Ok(bytes),
    }
}

/// Warns of bytes that are not UTF-8: what is found around them may be a piece of a host.
pub fn warn_of_charset(bytes: &[u8]) {
    line_of_bad_utf8(bytes).into_iter().for_each(warn_of_charset_in);
}

/// The same, for bytes that were found in this line.
pub fn warn_of_charset_in(line: usize) {
    super::warn(&format_args!(
        "expected text in UTF-8, found other bytes in line {line}: hosts with them are read wrongly \
         (iconv -f CHARSET -t UTF-8 converts a text)"
    ));
}

/// Whether the lines of standard input are meant: without arguments, or with `-` alone.
pub fn is_standard(arguments: &[String]) -> bool {
    arguments.is_empty() || arguments == ["-"]
}

/// A text with what is not UTF-8 replaced: by percent-escapes in a link, behind its host, so that the link leads
/// where its bytes say; elsewhere by U+FFFD.
pub fn text<'t>(bytes: &'t [u8], tlds: &dyn TldSet) -> Cow<'t, str> {
    let text = match String::from_utf8_lossy(bytes) {
        Cow::Borrowed(text) => return text.into(),
        Cow::Owned(text) => text,
    };
    let mut tails = Linkifier::new(tlds).links(&text).map(|link| link.tail).peekable();
    let mut escaped = String::with_capacity(text.len());
    let mut at = 0;
    for chunk in bytes.utf8_chunks() {
        escaped.push_str(chunk.valid());
        at += chunk.valid().len();
        if chunk.invalid().is_empty() {
            continue;
        }
        while tails.next_if(|tail| tail.end <= at).is_some() {}
        match tails.peek().is_some_and(|tail| tail.contains(&at)) {
            true => {
                chunk.invalid().iter().for_each(|byte| escaped.push_str(&format!("%{byte:02X}")))
            }
            false => escaped.push(char::REPLACEMENT_CHARACTER),
        }
        at += char::REPLACEMENT_CHARACTER.len_utf8();
    }
    escaped.into()
}

/// The arguments, or the lines of standard input. Invalid UTF-8 is replaced as in [`text`], with a warning.
pub fn lines(arguments: Vec<String>, tlds: &dyn TldSet) -> anyhow::Result<Vec<String>> {
    if !is_standard(&arguments) {
        return Ok(arguments);
    }
    let input = read(None)?;
    warn_of_charset(&input);
    Ok(text(&input, tlds).lines().map(str::to_owned).collect())
}
