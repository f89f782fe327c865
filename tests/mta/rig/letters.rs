//! Messages for tests, and the encodings that they come in.

use base64::prelude::{BASE64_STANDARD, Engine as _};

use crate::families::lines::base64_lines;

pub const UTF8: &str = "text/plain; charset=utf-8\r\nContent-Transfer-Encoding: 8bit";
pub const BASE64: &str = "text/plain; charset=utf-8\r\nContent-Transfer-Encoding: base64";

/// Nothing to find fault with.
pub const CLEAN: &str = "From: ann@example.com\r\nTo: bob@example.org\r\nSubject: clean\r\n\r\n\
    See https://www.example.com/ and write to bob@example.org.\r\n";

/// A mixed-script host in plain text.
pub const MIXED: &str = "From: ann@example.com\r\nTo: bob@example.org\r\nSubject: mixed\r\n\
    MIME-Version: 1.0\r\nContent-Type: text/plain; charset=utf-8\r\n\
    Content-Transfer-Encoding: 8bit\r\n\r\nPay at https://www.p\u{430}ypal.com/login now.\r\n";

/// The body of [`MIXED`] when it has passed.
pub const MIXED_DEFANGED: &str = "Pay at hxxps://www[.]xn--pypal-4ve[.]com/login now.\r\n";

/// A header block with this Content-Type, and the empty line.
pub fn head(content_type: &str) -> String {
    format!(
        "From: Ann <ann@example.com>\r\nTo: bob@example.org\r\nSubject: test\r\n\
         MIME-Version: 1.0\r\nContent-Type: {content_type}\r\n\r\n"
    )
}

/// That many bytes of lines that hold no link; a space ends them.
pub fn filler(bytes: usize) -> String {
    let line = "All work and no play makes Jack a dull boy, and so does all play\r\n";
    let mut text = line.repeat(bytes / line.len());
    let rest = bytes - text.len();
    text.push_str(&"x".repeat(rest.saturating_sub(1)));
    text.push_str(if rest > 0 { " " } else { "" });
    text
}

/// Quoted-printable of one line, soft breaks included.
pub fn quoted_printable(line: &[u8]) -> String {
    let (line, end) = line.split_at(line.len() - 2);
    assert_eq!(end, b"\r\n");
    let mut out = String::new();
    let mut width = 0;
    for &byte in line {
        let code = match byte {
            b' '..=b'~' if byte != b'=' => char::from(byte).to_string(),
            _ => format!("={byte:02X}"),
        };
        if width + code.len() > 75 {
            out.push_str("=\r\n");
            width = 0;
        }
        out.push_str(&code);
        width += code.len();
    }
    out + "\r\n"
}

pub fn unquoted(text: &[u8]) -> String {
    let mut out = Vec::new();
    let mut rest = text;
    while let [first, after @ ..] = rest {
        rest = after;
        match (first, after) {
            (b'=', [b'\r', b'\n', after @ ..]) => rest = after,
            (b'=', [high, low, after @ ..]) => {
                let digits = [*high, *low];
                out.push(u8::from_str_radix(std::str::from_utf8(&digits).unwrap(), 16).unwrap());
                rest = after;
            }
            (byte, _) => out.push(*byte),
        }
    }
    String::from_utf8(out).unwrap()
}

/// Base64 in lines of 76.
pub fn base64(bytes: &[u8]) -> String {
    base64_lines(bytes, 76).trim_end().to_owned() + "\r\n"
}

pub fn unbase64(text: &str) -> Vec<u8> {
    BASE64_STANDARD.decode(text.split_whitespace().collect::<String>()).unwrap()
}

/// The text of a key in a line of JSON.
pub fn json_text(line: &str, key: &str) -> String {
    let value: serde_json::Value = serde_json::from_str(line).unwrap();
    value[key].as_str().unwrap().to_owned()
}
