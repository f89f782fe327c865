//! Blocks of yEnc 1.3, in the body as it is and in texts that are encoded once more.

use mailsplice::mime::{self, Message};

use super::{BytesOrigin, Net, Stage};

impl Net<'_, '_, '_> {
    /// Reads the windows in blocks of yEnc.
    pub fn search_yenc(&mut self, message: Message<'_>) {
        for (at, bytes) in blocks(message.body) {
            self.search_windows(&bytes, BytesOrigin::Decoded(at));
        }
        let tree = self.tree;
        let encoded = tree.parts.iter().enumerate().filter(|(_, part)| part.holds_yenc);
        for (index, part) in encoded {
            let text = mime::unwrapped(message, tree, index);
            if !self.budget.spend(Stage::Net, text.len() as u64) {
                return;
            }
            let at = part.raw_range().map_or(0, |range| range.start);
            for (_, bytes) in blocks(&text) {
                self.search_windows(&bytes, BytesOrigin::Decoded(at));
            }
        }
    }
}

/// Blocks of yEnc: the offset of each, and its decoded lines (yEnc 1.3).
fn blocks(body: &[u8]) -> Vec<(usize, Vec<u8>)> {
    let mut found = Vec::new();
    let mut end = 0;
    for at in memchr::memmem::find_iter(body, b"=ybegin ") {
        if at < end {
            continue;
        }
        let rest = body.get(at..).unwrap_or_default();
        let length = memchr::memmem::find(rest, b"=yend").unwrap_or(rest.len());
        end = at + length;
        let lines = rest.get(..length).unwrap_or_default();
        let data = lines.split(|byte| *byte == b'\n').skip(1);
        let data = data.filter(|line| !line.starts_with(b"=ypart"));
        found.push((at, data.flat_map(decoded_line).collect()));
    }
    found
}

fn decoded_line(line: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(line.len());
    let mut bytes = line.strip_suffix(b"\r").unwrap_or(line).iter();
    while let Some(byte) = bytes.next() {
        let escaped = match byte {
            b'=' => bytes.next().map_or(0, |byte| byte.wrapping_sub(64)),
            byte => *byte,
        };
        out.push(escaped.wrapping_sub(42));
    }
    out
}

#[cfg(test)]
mod tests {
    use ::base64::prelude::Engine as _;

    use super::*;
    use crate::{Answers, Facts, Policy, TldTable, Verdict};

    #[test]
    fn yenc_is_decoded() {
        let body = b"hi\r\n=ybegin line=128 size=3 name=a\r\nkl=}\r\n=yend size=3\r\n";
        assert_eq!(blocks(body), [(4, b"AB\x13".to_vec())]);
        assert!(blocks(b"=ybegin ").iter().all(|(_, bytes)| bytes.is_empty()));
    }

    /// Programs that look for attachments in the lines of a text look in those of a page as well.
    #[test]
    fn yenc_in_a_page_that_is_encoded_once_more() {
        let lie = "https://www.p\u{430}ypal.com/login";
        let block = |text: &str| {
            let data = text.bytes().flat_map(|byte| match byte.wrapping_add(42) {
                critical @ (b'\0' | b'\n' | b'\r' | b'=') => vec![b'=', critical.wrapping_add(64)],
                plain => vec![plain],
            });
            let front = b"<p>see\r\n=ybegin line=128 size=30 name=a.htm\r\n".to_vec();
            [front, data.collect(), b"\r\n=yend size=30\r\n".to_vec()].concat()
        };
        let quoted = |bytes: &[u8]| {
            let one = |byte: &u8| match byte {
                b'\r' | b'\n' | b'!'..=b'<' | b'>'..=b'~' => char::from(*byte).to_string(),
                _ => format!("={byte:02X}"),
            };
            bytes.iter().map(one).collect::<String>()
        };
        for (text, verdict) in [(lie, Verdict::Suspect), ("https://www.example.com/x", Verdict::Ok)]
        {
            let bytes = block(text);
            for kind in ["html", "plain"] {
                for (encoding, body) in [
                    ("base64", ::base64::prelude::BASE64_STANDARD.encode(&bytes)),
                    ("quoted-printable", quoted(&bytes)),
                ] {
                    let head = format!(
                        "Content-Type: text/{kind}; charset=utf-8\r\n\
                         Content-Transfer-Encoding: {encoding}\r\n"
                    );
                    let message = Message { head: head.as_bytes(), body: body.as_bytes() };
                    let tlds = TldTable::new(["com"], "");
                    let (facts, policy) = (Facts::default(), Policy::default());
                    let outcome =
                        crate::inspect(message, &facts, &policy, &tlds).resolve(&Answers::new());
                    assert_eq!(outcome.verdict, verdict, "{kind} {encoding} {text}");
                }
            }
        }
    }
}
