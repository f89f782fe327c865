//! Base64 in lines, as mail has it.

use base64::prelude::{BASE64_STANDARD, Engine as _};

/// Base64 whose lines have so many digits. A line that is full is ended, the last one too.
pub fn base64_lines(bytes: impl AsRef<[u8]>, digits: usize) -> String {
    let all = BASE64_STANDARD.encode(bytes);
    let mut out = String::new();
    for line in all.as_bytes().chunks(digits) {
        out += std::str::from_utf8(line).unwrap();
        if line.len() == digits {
            out += "\r\n";
        }
    }
    out
}
