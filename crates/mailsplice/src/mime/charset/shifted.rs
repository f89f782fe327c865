//! Seven-bit charsets with a state: ISO-2022-JP, ISO-2022-KR and -CN, HZ.

use encoding_rs::Encoding;

use super::builder::Builder;
use crate::edit::RawEdit;
use crate::span::Text;

/// Decodes ISO-2022-JP (RFC 1468) that has only ASCII and JIS X 0208; `None` if the full WHATWG decoder is needed.
pub(super) fn decode_iso2022_jp(bytes: &[u8]) -> Option<Text<'static>> {
    let mut out = Builder::new(bytes.len());
    let mut wide = false;
    let mut at = 0;
    let mut switched = false;
    while let Some(rest) = bytes.get(at..).filter(|rest| !rest.is_empty()) {
        let length = memchr::memchr(0x1B, rest).unwrap_or(rest.len());
        let run = rest.get(..length)?;
        // Two consecutive escapes are an error in WHATWG.
        if run.is_empty() && switched {
            return None;
        }
        if wide {
            let euc: Vec<u8> = run.iter().map(|byte| byte | 0x80).collect();
            if run.iter().any(|byte| !(0x21..=0x7E).contains(byte)) {
                return None;
            }
            let text =
                encoding_rs::EUC_JP.decode_without_bom_handling_and_without_replacement(&euc)?;
            for (index, character) in text.chars().enumerate() {
                out.character(character, at + 2 * index..at + 2 * index + 2);
            }
            if 2 * text.chars().count() != length {
                return None;
            }
        } else {
            let plain = run.iter().all(|byte| byte.is_ascii() && !matches!(byte, 0x0E | 0x0F));
            out.linear(std::str::from_utf8(run).ok().filter(|_| plain)?, at);
        }
        at += length;
        if at < bytes.len() {
            wide = match bytes.get(at..at + 3)? {
                b"\x1B(B" => false,
                b"\x1B$B" | b"\x1B$@" => true,
                _ => return None,
            };
            at += 3;
            switched = true;
        }
    }
    Some(out.close(bytes.len()))
}

/// Decodes ISO-2022-KR (RFC 1557) and the GB 2312 set of ISO-2022-CN (RFC 1922).
pub(super) fn decode_iso2022(bytes: &[u8]) -> Text<'static> {
    let mut out = Builder::new(bytes.len());
    let mut set = encoding_rs::EUC_KR;
    let mut shifted = false;
    let mut at = 0;
    while let Some(rest) = bytes.get(at..)
        && let Some(byte) = rest.first()
    {
        match rest {
            [0x1B, b'$', b')', final_byte, ..] => {
                set = if *final_byte == b'A' { encoding_rs::GBK } else { encoding_rs::EUC_KR };
                at += 4;
            }
            [0x0E, ..] => {
                shifted = true;
                at += 1;
            }
            [0x0F, ..] => {
                shifted = false;
                at += 1;
            }
            [0x21..=0x7E, 0x21..=0x7E, ..] if shifted => at += pairs(&mut out, rest, 0x7E, set, at),
            [0x20..=0x7E, ..] if !shifted => {
                at += plain(&mut out, rest, |byte| matches!(byte, 0x20..=0x7E), at);
            }
            _ => {
                // Each line begins in ASCII.
                shifted &= *byte != b'\n';
                single(&mut out, *byte, at);
                at += 1;
            }
        }
    }
    out.close(bytes.len())
}

/// Decodes HZ (RFC 1843).
pub(super) fn decode_hz(bytes: &[u8]) -> Text<'static> {
    let mut out = Builder::new(bytes.len());
    let mut shifted = false;
    let mut at = 0;
    while let Some(rest) = bytes.get(at..)
        && let Some(byte) = rest.first()
    {
        match rest {
            [b'~', b'{', ..] if !shifted => {
                shifted = true;
                at += 2;
            }
            [b'~', b'}', ..] if shifted => {
                shifted = false;
                at += 2;
            }
            [b'~', b'~', ..] if !shifted => {
                out.character('~', at..at + 2);
                at += 2;
            }
            [b'~', b'\n', ..] if !shifted => at += 2,
            [0x21..=0x7D, 0x21..=0x7E, ..] if shifted => {
                at += pairs(&mut out, rest, 0x7D, encoding_rs::GBK, at);
            }
            [b'~', ..] => {
                single(&mut out, b'~', at);
                at += 1;
            }
            _ if !shifted && byte.is_ascii() => {
                at += plain(&mut out, rest, |byte| byte.is_ascii() && byte != b'~', at);
            }
            _ => {
                shifted &= *byte != b'\n';
                single(&mut out, *byte, at);
                at += 1;
            }
        }
    }
    out.close(bytes.len())
}

/// Bytes of a run of characters that are decoded at once.
const RUN: usize = 64;

/// Adds the two-byte characters at the start of `rest`, whose first bytes reach to `last`; returns the number of bytes.
pub(super) fn pairs(
    out: &mut Builder,
    rest: &[u8],
    last: u8,
    set: &'static Encoding,
    at: usize,
) -> usize {
    let mut bytes = [0; RUN];
    let mut length = 0;
    for (two, [high, low]) in bytes.as_chunks_mut().0.iter_mut().zip(rest.as_chunks().0) {
        if !matches!(high, 0x21..=0x7E) || *high > last || !matches!(low, 0x21..=0x7E) {
            break;
        }
        *two = [high | 0x80, low | 0x80];
        length += two.len();
    }
    let bytes = bytes.get(..length).unwrap_or_default();
    let (text, _) = set.decode_without_bom_handling(bytes);
    if 2 * text.chars().count() == length {
        for (index, character) in text.chars().enumerate() {
            out.character(character, at + 2 * index..at + 2 * index + 2);
        }
    } else {
        for (index, two) in bytes.chunks_exact(2).enumerate() {
            let (text, _) = set.decode_without_bom_handling(two);
            out.unit(&text, at + 2 * index..at + 2 * index + 2);
        }
    }
    length
}

/// Adds the bytes of ASCII at the start of `rest` that are plain; returns their number.
pub(super) fn plain(
    out: &mut Builder,
    rest: &[u8],
    is_plain: impl Fn(u8) -> bool,
    at: usize,
) -> usize {
    let length = rest.iter().position(|byte| !is_plain(*byte)).unwrap_or(rest.len());
    let run = rest.get(..length).unwrap_or_default();
    out.linear(std::str::from_utf8(run).unwrap_or_default(), at);
    length
}

pub(super) fn single(out: &mut Builder, byte: u8, at: usize) {
    match byte.is_ascii() {
        true => out.linear(char::from(byte).encode_utf8(&mut [0; 4]), at),
        false => out.character(char::REPLACEMENT_CHARACTER, at..at + 1),
    }
}

/// Adds SI before a replacement and SO after it, if it is inside shifted bytes.
pub(super) fn lower_iso2022(bytes: &[u8], edits: Vec<RawEdit>) -> Vec<RawEdit> {
    let step = |state: bool, rest: &[u8]| match rest {
        [0x1B, b'$', b')', _, ..] => ShiftStep::Text(state, 4),
        [0x0E, ..] => ShiftStep::Switch(true, 1),
        [0x0F, ..] => ShiftStep::Switch(false, 1),
        [b'\n', ..] => ShiftStep::Text(false, 1),
        _ => ShiftStep::Text(state, 1),
    };
    with_switches(bytes, edits, false, step, |state| if state { &b"\x0E"[..] } else { b"\x0F" })
}

/// Adds `~}` before a replacement and `~{` after it, and doubles each `~` in it.
pub(super) fn lower_hz(bytes: &[u8], mut edits: Vec<RawEdit>) -> Vec<RawEdit> {
    let has_sign = |edit: &&mut RawEdit| edit.replacement.contains(&b'~');
    for edit in edits.iter_mut().filter(has_sign) {
        let doubled = edit.replacement.iter().flat_map(|byte| match byte {
            b'~' => &b"~~"[..],
            byte => std::slice::from_ref(byte),
        });
        edit.replacement = doubled.copied().collect::<Vec<u8>>().into();
    }
    let step = |state: bool, rest: &[u8]| match rest {
        [b'~', b'{', ..] if !state => ShiftStep::Switch(true, 2),
        [b'~', b'}', ..] if state => ShiftStep::Switch(false, 2),
        [b'~', _, ..] if !state => ShiftStep::Text(false, 2),
        [b'\n', ..] => ShiftStep::Text(false, 1),
        [_, _, ..] if state => ShiftStep::Text(true, 2),
        _ => ShiftStep::Text(state, 1),
    };
    with_switches(bytes, edits, false, step, |state| if state { &b"~{"[..] } else { b"~}" })
}

/// Adds an escape to ASCII before a replacement, and one back to the set after it.
pub(super) fn lower_iso2022_jp(bytes: &[u8], edits: Vec<RawEdit>) -> Vec<RawEdit> {
    let step = |state: [u8; 2], rest: &[u8]| match rest {
        [0x1B, a @ (b'(' | b'$'), b, ..] => ShiftStep::Switch([*a, *b], 3),
        _ => ShiftStep::Text(state, 1),
    };
    with_switches(bytes, edits, *b"(B", step, |state| match &state {
        b"(J" => b"\x1B(J",
        b"(I" => b"\x1B(I",
        b"$@" => b"\x1B$@",
        b"$B" => b"\x1B$B",
        _ => b"\x1B(B",
    })
}

/// The next bytes: the state after them and their number.
pub(super) enum ShiftStep<S> {
    Text(S, usize),
    /// Only a switch to this state.
    Switch(S, usize),
}

/// Adds a switch to the neutral state before each edit, and one to the following state after it.
///
/// Adjacent switches become part of the edit, since two consecutive ones are an error
/// (WHATWG Encoding §12.2.1).
pub(super) fn with_switches<S: Copy + PartialEq>(
    bytes: &[u8],
    edits: Vec<RawEdit>,
    neutral: S,
    step: impl Fn(S, &[u8]) -> ShiftStep<S>,
    switch: impl Fn(S) -> &'static [u8],
) -> Vec<RawEdit> {
    let mut walk = StateWalk { at: 0, state: neutral, before: neutral, switches: 0 };
    edits
        .into_iter()
        .map(|edit| {
            while walk.at < edit.range.start && walk.advance(bytes, &step) {}
            let start = edit.range.start - walk.switches.min(edit.range.start);
            let before = if start < edit.range.start { walk.before } else { walk.state };
            while walk.at < edit.range.end && walk.advance(bytes, &step) {}
            let mut end = edit.range.end;
            while let Some(ShiftStep::Switch(state, length)) =
                bytes.get(end..).map(|rest| step(walk.state, rest))
                && walk.at == end
            {
                (walk.state, end) = (state, end + length);
                walk.at = end;
            }
            walk.switches = 0;
            let mut replacement = Vec::with_capacity(edit.replacement.len() + 8);
            let empty = edit.replacement.is_empty();
            if before != neutral && !empty {
                replacement.extend_from_slice(switch(neutral));
            }
            replacement.extend_from_slice(&edit.replacement);
            let reached = if empty { before } else { neutral };
            if walk.state != reached {
                replacement.extend_from_slice(switch(walk.state));
            }
            RawEdit { range: start..end, replacement: replacement.into() }
        })
        .collect()
}

/// Reads the bytes and tracks the state.
struct StateWalk<S> {
    at: usize,
    state: S,
    /// The state before the switches that end at `at`, and their length.
    before: S,
    switches: usize,
}

impl<S: Copy> StateWalk<S> {
    /// Reads one step; returns false at the end.
    fn advance(&mut self, bytes: &[u8], step: &impl Fn(S, &[u8]) -> ShiftStep<S>) -> bool {
        let Some(rest) = bytes.get(self.at..).filter(|rest| !rest.is_empty()) else {
            return false;
        };
        match step(self.state, rest) {
            ShiftStep::Text(state, length) => {
                self.state = state;
                self.at += length;
                self.switches = 0;
            }
            ShiftStep::Switch(state, length) => {
                if self.switches == 0 {
                    self.before = self.state;
                }
                self.state = state;
                self.at += length;
                self.switches += length;
            }
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use crate::mime::charset::Charset;

    fn replace(charset: Charset, bytes: &[u8], from: &str, to: &str) -> (Vec<u8>, String) {
        let text = charset.decode(bytes.into());
        let at = text.text.find(from).unwrap();
        let edit =
            crate::mime::TextEdit { range: at..at + from.len(), replacement: to.to_owned().into() };
        let mut out = bytes.to_vec();
        for edit in charset.lower(|| bytes.into(), &text, vec![edit]).iter().rev() {
            out.splice(edit.range.clone(), edit.replacement.iter().copied());
        }
        let text = charset.decode(out.clone().into()).into_owned().text.into_owned();
        (out, text)
    }

    #[test]
    fn iso_2022_jp_returns_to_its_set() {
        let charset = Charset::from_label("iso-2022-jp").unwrap();
        let bytes = b"see \x1B$B4A;z4A;z\x1B(B now";
        assert_eq!(charset.decode(bytes[..].into()).text, "see 漢字漢字 now");
        let (out, text) = replace(charset, bytes, "字漢", "x.y");
        assert_eq!(text, "see 漢x.y字 now");
        assert_eq!(out, b"see \x1B$B4A\x1B(Bx.y\x1B$B;z\x1B(B now");
        let (out, text) = replace(charset, bytes, "now", "then");
        assert_eq!(text, "see 漢字漢字 then");
        assert_eq!(out, b"see \x1B$B4A;z4A;z\x1B(B then");
        assert_eq!(replace(charset, bytes, "漢字漢字 n", "N").1, "see Now");
    }

    #[test]
    fn iso_2022_kr_and_hz_are_decoded_all_the_same() {
        let korean = Charset::from_label("iso-2022-kr").unwrap();
        let bytes = b"\x1B$)C\n\x0EGQ1[\x0F x";
        assert_eq!(korean.decode(bytes[..].into()).text, "\n한글 x");
        assert_eq!(replace(korean, bytes, "한", "a.b").1, "\na.b글 x");
        let hz = Charset::from_label("hz-gb-2312").unwrap();
        let bytes = b"a~{VPND~}b~~c";
        assert_eq!(hz.decode(bytes[..].into()).text, "a中文b~c");
        let (out, text) = replace(hz, bytes, "文", "~.");
        assert_eq!(text, "a中~.b~c");
        assert_eq!(out, b"a~{VP~}~~.b~~c");
    }
}
