//! Blocks of yEnc 1.3, in the body as it is and in texts that are encoded once more.

use mailsplice::mime::{self, Message};

use super::{Net, Origin, Stage};

impl Net<'_, '_, '_> {
    /// Reads the windows in blocks of yEnc.
    pub fn search_yenc(&mut self, message: Message<'_>) {
        for (at, bytes) in blocks(message.body) {
            self.search_windows(&bytes, Origin::Decoded(at));
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
                self.search_windows(&bytes, Origin::Decoded(at));
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
    use super::*;

    #[test]
    fn yenc_is_decoded() {
        let body = b"hi\r\n=ybegin line=128 size=3 name=a\r\nkl=}\r\n=yend size=3\r\n";
        assert_eq!(blocks(body), [(4, b"AB\x13".to_vec())]);
        assert!(blocks(b"=ybegin ").iter().all(|(_, bytes)| bytes.is_empty()));
    }
}
