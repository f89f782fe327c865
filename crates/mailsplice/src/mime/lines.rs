//! Keeps lines within the limit for mail (RFC 5322 §2.1.1): an edit must not make a longer one.
//!
//! Postfix would break such a line at an arbitrary place. In HTML a line end may be added where an edit borders
//! on white space. Everywhere else the part is re-encoded in a transfer encoding, which keeps its content.

use std::ops::Range;

use super::entity::Head;
use super::header;
use super::structure::PartSite;
use super::transfer::{LineEnd, Transfer, base64, column, line_end_after, qp};
use super::{Media, Message};
use crate::edit::{HeadEdit, RawEdit, apply};
use crate::header_fields::{HeaderField, header_fields};

/// Most bytes of a line, without its line end.
const LINE_BYTES: usize = 998;

/// Whether edits keep every line that they touch within the limit.
pub(super) enum Fit {
    Fits(Vec<RawEdit>),
    /// They do not, even with line breaks. The unchanged edits.
    TooLong(Vec<RawEdit>),
}

/// Fits edits of unencoded bytes, adding line ends beside white space if the media allows that.
pub(super) fn fit(raw: &[u8], edits: Vec<RawEdit>, media: Media, line_end: LineEnd) -> Fit {
    if !any_too_long(raw, &edits) {
        return Fit::Fits(edits);
    }
    // In wide characters (UTF-16, UTF-32) a byte of LF is not a line end.
    if !media.is_markup() || memchr::memchr(0, raw).is_some() {
        return Fit::TooLong(edits);
    }
    let broken = with_breaks(raw, &edits, line_end);
    match broken.filter(|broken| !any_too_long(raw, broken)) {
        Some(broken) => Fit::Fits(broken),
        None => Fit::TooLong(edits),
    }
}

/// Whether the edits make a line too long that was not as long before.
fn any_too_long(raw: &[u8], edits: &[RawEdit]) -> bool {
    let mut rest = edits;
    while let Some(first) = rest.first() {
        let start = first.range.start - column(raw, first.range.start);
        let mut line = NewLine { column: 0, longest: 0 };
        let mut at = start;
        let mut end = line_end_after(raw, first.range.start);
        let mut old = end - start;
        while let Some((edit, after)) = rest.split_first()
            && edit.range.start <= end
        {
            line.add(raw.get(at..edit.range.start).unwrap_or_default());
            line.add(&edit.replacement);
            at = edit.range.end;
            if at > end {
                end = line_end_after(raw, at);
                old = old.max(end - (at - column(raw, at)));
            }
            rest = after;
        }
        line.add(raw.get(at..end).unwrap_or_default());
        if line.longest.max(line.column) > LINE_BYTES.max(old) {
            return true;
        }
    }
    false
}

/// Measures the lines of text that is added piece by piece.
struct NewLine {
    column: usize,
    longest: usize,
}

impl NewLine {
    fn add(&mut self, bytes: &[u8]) {
        let mut start = 0;
        for feed in memchr::memchr_iter(b'\n', bytes) {
            self.longest = self.longest.max(self.column + feed - start);
            self.column = 0;
            start = feed + 1;
        }
        self.column += bytes.len() - start;
    }
}

/// Adds a line end to each side of an edit that borders on white space; `None` if none does.
fn with_breaks(raw: &[u8], edits: &[RawEdit], line_end: LineEnd) -> Option<Vec<RawEdit>> {
    let space = |at: Option<usize>| {
        at.and_then(|at| raw.get(at)).is_some_and(|byte| matches!(byte, b' ' | b'\t'))
    };
    let sides =
        |edit: &RawEdit| [space(edit.range.start.checked_sub(1)), space(Some(edit.range.end))];
    if !edits.iter().any(|edit| sides(edit).contains(&true)) {
        return None;
    }
    let broken = edits.iter().map(|edit| {
        let [before, after] = sides(edit);
        if !before && !after {
            return edit.clone();
        }
        let line_end = |wanted: bool| if wanted { line_end.as_bytes() } else { b"" };
        let replacement = [line_end(before), &edit.replacement, line_end(after)].concat().into();
        RawEdit { range: edit.range.clone(), replacement }
    });
    Some(broken.collect())
}

/// Edits that change a part to another transfer encoding.
pub(super) struct Recoded {
    pub transfer: Transfer,
    pub edits: Vec<RawEdit>,
}

/// Encodes the edited part in quoted-printable, which leaves most lines of a text as they are; or in base64
/// if that is shorter, as for most non-Latin scripts, or if the part is UTF-16, in which LF is half a
/// character.
pub(super) fn recoded(raw: &[u8], edits: &[RawEdit], line_end: LineEnd) -> Recoded {
    if memchr::memchr(0, raw).is_none() {
        let quoted = in_quoted_printable(raw, edits, line_end);
        let in_base64 = base64::encoded_len(apply(raw, edits).byte_len(), line_end);
        if apply(raw, &quoted).byte_len() <= in_base64 {
            return Recoded { transfer: Transfer::QuotedPrintable, edits: quoted };
        }
    }
    Recoded { transfer: Transfer::Base64, edits: vec![in_base64(raw, edits, line_end)] }
}

/// The edited part in base64, as one edit.
fn in_base64(raw: &[u8], edits: &[RawEdit], line_end: LineEnd) -> RawEdit {
    let bytes = apply(raw, edits).to_vec();
    RawEdit { range: 0..raw.len(), replacement: base64::encode(&bytes, line_end).into() }
}

/// The edited part in quoted-printable, as edits of the lines that change.
fn in_quoted_printable(raw: &[u8], edits: &[RawEdit], line_end: LineEnd) -> Vec<RawEdit> {
    let mut out = Vec::new();
    // A line may be the whole part: its buffer must not be reallocated step by step.
    let grown = |edit: &RawEdit| edit.replacement.len().saturating_sub(edit.range.len());
    let grown: usize = edits.iter().map(grown).sum();
    let mut edits = edits.iter().peekable();
    let mut start = 0;
    while start < raw.len() || edits.peek().is_some() {
        let mut end = header::line_after(raw, start);
        let mut line = Vec::with_capacity(end - start + grown.min(end - start));
        let mut at = start;
        while let Some(edit) = edits.next_if(|edit| edit.range.start < end || end == raw.len()) {
            line.extend_from_slice(raw.get(at..edit.range.start).unwrap_or_default());
            line.extend_from_slice(&edit.replacement);
            at = edit.range.end;
            if at > end {
                end = header::line_after(raw, at);
            }
        }
        line.extend_from_slice(raw.get(at..end).unwrap_or_default());
        let encoded = qp::encode(&line, line_end);
        if Some(encoded.as_slice()) != raw.get(start..end) {
            out.push(RawEdit { range: start..end, replacement: encoded.into() });
        }
        start = end;
    }
    out
}

const FIELD: &str = "Content-Transfer-Encoding";

/// Where the label of the new encoding is written.
pub(super) enum LabelPlace {
    /// In the message's own header.
    Head(HeadEdit),
    /// In the layer of the part.
    Layer(RawEdit),
}

/// The edit that labels a part with this transfer encoding.
pub(super) fn label(
    message: Message<'_>,
    layer: &[u8],
    site: &PartSite,
    transfer: Transfer,
    line_end: LineEnd,
) -> LabelPlace {
    let value = format!(" {}", transfer.as_str()).into_bytes();
    match &site.head {
        Head::Message => {
            let found = encoding_field(message.head);
            let (name, range) = match found {
                Some(field) => (
                    String::from_utf8_lossy(message.head.get(field.name).unwrap_or_default())
                        .into_owned(),
                    field.value,
                ),
                None => (FIELD.to_owned(), message.head.len()..message.head.len()),
            };
            LabelPlace::Head(HeadEdit { name, index: 1, range, value })
        }
        Head::Block(block) => {
            let bytes = layer.get(block.clone()).unwrap_or_default();
            let range: Range<usize>;
            let mut replacement = Vec::new();
            match encoding_field(bytes) {
                Some(field) => {
                    range = field.value.start + block.start..field.value.end + block.start;
                    replacement.extend_from_slice(&value);
                }
                None => {
                    range = block.end..block.end;
                    replacement.extend_from_slice(FIELD.as_bytes());
                    replacement.push(b':');
                    replacement.extend_from_slice(&value);
                    replacement.extend_from_slice(line_end.as_bytes());
                    // The header had no empty line of its own; now it needs one.
                    if site.body.start == block.end {
                        replacement.extend_from_slice(line_end.as_bytes());
                    }
                }
            }
            LabelPlace::Layer(RawEdit { range, replacement: replacement.into() })
        }
    }
}

fn encoding_field(block: &[u8]) -> Option<HeaderField> {
    encoding_fields(block).next()
}

fn encoding_fields(block: &[u8]) -> impl Iterator<Item = HeaderField> {
    header_fields(block).filter(|field| field.is_named(block, FIELD.as_bytes()))
}

/// Whether a part says its transfer encoding more than once: programs take the first or the last.
pub(super) fn is_labelled_twice(message: Message<'_>, layer: &[u8], site: &PartSite) -> bool {
    let block = match &site.head {
        Head::Message => message.head,
        Head::Block(block) => layer.get(block.clone()).unwrap_or_default(),
    };
    encoding_fields(block).nth(1).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edited(raw: &[u8], edits: &[RawEdit]) -> String {
        String::from_utf8(apply(raw, edits).to_vec()).unwrap()
    }

    fn long_line() -> (Vec<u8>, Vec<RawEdit>) {
        let raw = format!("first=1\r\n{} x http://a.example y\r\nlast\r\n", "w".repeat(975));
        let at = raw.find("http").unwrap();
        let edit = RawEdit {
            range: at..at + 16,
            replacement: b"hxxp://xn--a-very-long[.]example".as_slice().into(),
        };
        (raw.into_bytes(), vec![edit])
    }

    #[test]
    fn a_line_that_was_too_long_may_not_grow() {
        let (raw, edits) = long_line();
        let longer =
            String::from_utf8(raw).unwrap().replace(" y\r\n", " yyyyyyyyyyyyyyyyyyyyy\r\n");
        let is_fit = |edits: Vec<RawEdit>| {
            matches!(fit(longer.as_bytes(), edits, Media::Plain, LineEnd::Crlf), Fit::Fits(_))
        };
        assert!(!is_fit(edits.clone()));
        let shorter = |edit: RawEdit| RawEdit { replacement: b"x".as_slice().into(), ..edit };
        assert!(is_fit(edits.into_iter().map(shorter).collect()));
    }

    #[test]
    fn html_breaks_at_the_white_space_beside() {
        let (raw, edits) = long_line();
        let Fit::Fits(edits) = fit(&raw, edits, Media::Html, LineEnd::Crlf) else { panic!() };
        assert!(edited(&raw, &edits).contains(" x \r\nhxxp://xn--a-very-long[.]example\r\n y\r\n"));
    }

    #[test]
    fn text_is_switched_to_quoted_printable() {
        let (raw, edits) = long_line();
        assert!(matches!(fit(&raw, edits.clone(), Media::Plain, LineEnd::Crlf), Fit::TooLong(_)));
        let new = edited(&raw, &in_quoted_printable(&raw, &edits, LineEnd::Crlf));
        assert!(new.lines().all(|line| line.len() <= 76));
        let decoded = qp::decode(new.as_bytes(), qp::Breaks::InPlace);
        assert_eq!(decoded.bytes, edited(&raw, &edits).as_bytes());
        assert!(new.starts_with("first=3D1\r\n") && new.ends_with("\r\nlast\r\n"));
    }

    #[test]
    fn what_holds_nul_is_switched_to_base64() {
        let raw: Vec<u8> = "see http".bytes().flat_map(|byte| [byte, 0]).collect();
        let edit = RawEdit { range: 8..10, replacement: b"H\0".as_slice().into() };
        let recoded = recoded(&raw, &[edit], LineEnd::Crlf);
        assert_eq!(recoded.transfer, Transfer::Base64);
        let new = edited(&raw, &recoded.edits);
        assert_eq!(Transfer::Base64.bytes(new.as_bytes()).as_ref(), b"s\0e\0e\0 \0H\0t\0t\0p\0");
    }

    #[test]
    fn lines_of_wide_characters_are_not_broken() {
        let wide = |text: &str| text.bytes().flat_map(|byte| [0, byte]).collect::<Vec<u8>>();
        let raw = wide(&format!("{} <a href=x>", "w".repeat(485)));
        let at = raw.len() - 14;
        let edit = RawEdit { range: at..at, replacement: wide("data-unsafe-").into() };
        assert!(matches!(fit(&raw, vec![edit], Media::Html, LineEnd::Crlf), Fit::TooLong(_)));
    }

    #[test]
    fn what_is_shorter_in_base64_is_switched_to_it() {
        let raw = format!("see http\r\n{}\r\n", "пример ".repeat(200)).into_bytes();
        let edit = RawEdit { range: 4..8, replacement: b"hxxp".as_slice().into() };
        let recoded = recoded(&raw, &[edit], LineEnd::Crlf);
        assert_eq!(recoded.transfer, Transfer::Base64);
        let new = edited(&raw, &recoded.edits);
        assert!(new.len() < 3 * raw.len() / 2 && new.lines().all(|line| line.len() <= 76));
        let decoded = Transfer::Base64.bytes(new.as_bytes()).into_owned();
        assert_eq!(String::from_utf8(decoded).unwrap().replace("hxxp", "http").as_bytes(), raw);
    }

    #[test]
    fn a_line_that_was_too_long_may_stay_so() {
        let raw = vec![b'x'; 2000];
        let edits = vec![RawEdit { range: 10..20, replacement: b"abc".as_slice().into() }];
        assert!(matches!(fit(&raw, edits, Media::Plain, LineEnd::Lf), Fit::Fits(_)));
    }
}
