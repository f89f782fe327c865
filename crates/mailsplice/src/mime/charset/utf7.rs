//! UTF-7 (RFC 2152): phishing uses it where a filter does not read it and a client does.

use std::ops::Range;

use super::Builder;
use crate::edit::RawEdit;
use crate::span::Text;
use crate::span::TextEdit;

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Decodes. A shifted run is one unit of the map.
pub(super) fn decode(bytes: &[u8]) -> Text<'static> {
    let mut out = Builder::new(bytes.len());
    for run in runs(bytes) {
        match run.shifted {
            None => out.utf8(bytes.get(run.source.clone()).unwrap_or_default(), run.source.start),
            Some(text) => out.unit(&text, run.source),
        }
    }
    out.close(bytes.len())
}

/// Edits of the bytes for edits of the text; what a cut shifted run keeps is encoded anew.
pub(super) fn lower(bytes: &[u8], text: &Text<'_>, edits: &[TextEdit]) -> Vec<RawEdit> {
    let mut runs = Runs { bytes, placed: placed_runs(bytes), decoded: None };
    let mut lowered: Vec<RawEdit> = Vec::with_capacity(edits.len());
    let mut rest = edits;
    while let Some((first, behind)) = rest.split_first() {
        rest = behind;
        let (start, before) = runs.cut(text, first.range.start, Side::Before);
        let mut replacement = encode(&before);
        let mut last = first;
        replacement.push_str(&first.replacement.replace('+', "+-"));
        // Two edits in one run: the second goes on where the first stopped.
        while let Some((next, behind)) = rest.split_first()
            && let Some(between) = runs.between(last.range.end..next.range.start)
        {
            replacement.push_str(&encode(&between));
            replacement.push_str(&next.replacement.replace('+', "+-"));
            (last, rest) = (next, behind);
        }
        let (end, after) = runs.cut(text, last.range.end, Side::After);
        replacement.push_str(&encode(&after));
        lowered.push(RawEdit { range: start..end, replacement: replacement.into_bytes() });
    }
    lowered
}

/// Which side of a cut is kept.
enum Side {
    Before,
    After,
}

/// The runs of a text, with the bytes that they are read from.
struct Runs<'b> {
    bytes: &'b [u8],
    placed: Vec<Placed>,
    /// The run that was asked for last, by number: one may hold many edits.
    decoded: Option<(usize, String)>,
}

/// A shifted run or a direct one, in text and in bytes: there may be one for every third byte of a message.
struct Placed {
    text: Range<u32>,
    bytes: Range<u32>,
    shifted: bool,
}

impl Placed {
    fn text(&self) -> Range<usize> {
        self.text.start as usize..self.text.end as usize
    }

    fn bytes(&self) -> Range<usize> {
        self.bytes.start as usize..self.bytes.end as usize
    }
}

fn placed_runs(bytes: &[u8]) -> Vec<Placed> {
    // Offsets past 4 GiB do not occur: the splitter refuses such messages.
    let narrow = |offset: usize| u32::try_from(offset).unwrap_or(u32::MAX);
    let mut at = 0;
    runs(bytes)
        .map(|run| {
            let length = match &run.shifted {
                Some(text) => text.len(),
                None => {
                    let mut out = Builder::new(0);
                    out.utf8(bytes.get(run.source.clone()).unwrap_or_default(), run.source.start);
                    out.text.len()
                }
            };
            at += length;
            Placed {
                text: narrow(at - length)..narrow(at),
                bytes: narrow(run.source.start)..narrow(run.source.end),
                shifted: run.shifted.is_some(),
            }
        })
        .collect()
}

impl Runs<'_> {
    /// What of a run stands in this range of the text; nothing where the bytes stand for themselves.
    fn slice(&mut self, index: usize, range: Range<usize>) -> String {
        let Some(run) = self.placed.get(index).filter(|run| run.shifted) else {
            return String::new();
        };
        if self.decoded.as_ref().is_none_or(|(known, _)| *known != index) {
            let (_, text) = shifted(self.bytes.get(run.bytes()).unwrap_or_default());
            self.decoded = Some((index, text));
        }
        let start = run.text().start;
        let range = range.start.saturating_sub(start)..range.end.saturating_sub(start);
        let text = self.decoded.as_ref().and_then(|(_, text)| text.get(range));
        text.unwrap_or_default().to_owned()
    }

    /// The text between two edits of one shifted run.
    fn between(&mut self, range: Range<usize>) -> Option<String> {
        let index = self.placed.partition_point(|run| run.text().end < range.start);
        let run = self.placed.get(index)?;
        // An edit that ends with its run leaves nothing of it to be encoded.
        let shared = run.text().start < range.start && range.end < run.text().end;
        (shared && run.shifted).then(|| self.slice(index, range))
    }

    /// Where the bytes are cut for a cut in the text, and the text of a shifted run that stays.
    fn cut(&mut self, text: &Text<'_>, offset: usize, side: Side) -> (usize, String) {
        let index = match side {
            Side::Before => self.placed.partition_point(|run| run.text().end <= offset),
            Side::After => self.placed.partition_point(|run| run.text().end < offset),
        };
        let Some(run) = self.placed.get(index) else {
            return (self.placed.last().map_or(0, |run| run.bytes().end), String::new());
        };
        let (bytes, whole) = (run.bytes(), run.text());
        match (run.shifted, side) {
            (false, _) => (text.source(offset..offset).start, String::new()),
            (true, Side::Before) => (bytes.start, self.slice(index, whole.start..offset)),
            (true, Side::After) => (bytes.end, self.slice(index, offset..whole.end)),
        }
    }
}

struct Run {
    source: Range<usize>,
    /// The text of a shifted run; `None`: the bytes themselves.
    shifted: Option<String>,
}

fn runs(bytes: &[u8]) -> impl Iterator<Item = Run> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let rest = bytes.get(at..).filter(|rest| !rest.is_empty())?;
        let start = at;
        let shifted = match memchr::memchr(b'+', rest) {
            Some(0) => {
                let (length, text) = shifted(rest);
                at += length;
                Some(text)
            }
            plus => {
                at += plus.unwrap_or(rest.len());
                None
            }
        };
        Some(Run { source: start..at, shifted })
    })
}

/// The shifted run that begins with the `+` at the front: its bytes and its text.
fn shifted(bytes: &[u8]) -> (usize, String) {
    let body = bytes.get(1..).unwrap_or_default();
    let length = body.iter().take_while(|b| ALPHABET.contains(b)).count();
    let closed = body.get(length) == Some(&b'-');
    if length == 0 {
        return (if closed { 2 } else { 1 }, "+".to_owned());
    }
    let mut units = Vec::with_capacity(length);
    let (mut bits, mut count) = (0_u32, 0);
    for byte in body.iter().take(length) {
        let value = ALPHABET.iter().position(|letter| letter == byte).unwrap_or(0);
        bits = bits << 6 | value as u32;
        count += 6;
        if count >= 16 {
            count -= 16;
            units.push((bits >> count) as u16);
            bits &= (1 << count) - 1;
        }
    }
    (1 + length + usize::from(closed), String::from_utf16_lossy(&units))
}

/// A shifted run for this text; nothing for no text.
fn encode(text: &str) -> String {
    if text.is_empty() {
        return String::new();
    }
    let mut out = String::from("+");
    let (mut bits, mut count) = (0_u32, 0);
    let mut digit = |value: u32| {
        out.push(ALPHABET.get((value & 63) as usize).map_or('A', |byte| char::from(*byte)));
    };
    for unit in text.encode_utf16() {
        bits = bits << 16 | u32::from(unit);
        count += 16;
        while count >= 6 {
            count -= 6;
            digit(bits >> count);
            bits &= (1 << count) - 1;
        }
    }
    if count > 0 {
        digit(bits << (6 - count));
    }
    out.push('-');
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn apply(bytes: &str, edits: &[TextEdit]) -> String {
        let mut out = bytes.as_bytes().to_vec();
        for edit in lower(bytes.as_bytes(), &decode(bytes.as_bytes()), edits).iter().rev() {
            out.splice(edit.range.clone(), edit.replacement.iter().copied());
        }
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn rfc_2152_examples() {
        assert_eq!(decode(b"A+ImIDkQ.").text, "A\u{2262}\u{0391}.");
        assert_eq!(decode(b"Hi Mom +Jjo-!").text, "Hi Mom \u{263A}!");
        assert_eq!(decode(b"Item 3 is +AKM-1.").text, "Item 3 is £1.");
        assert_eq!(decode(b"1 +- 1").text, "1 + 1");
    }

    #[test]
    fn a_cut_run_keeps_its_rest() {
        let bytes = format!("see {} now", encode("a http://b.example c"));
        let text = decode(bytes.as_bytes());
        let start = text.text.find("http").unwrap();
        let edits = [
            TextEdit { range: start..start + 4, replacement: "hxxp".to_owned() },
            TextEdit { range: start + 8..start + 9, replacement: "[.]+".to_owned() },
        ];
        let new = apply(&bytes, &edits);
        assert_eq!(decode(new.as_bytes()).text, "see a hxxp://b[.]+example c now");
    }

    #[test]
    fn direct_characters_are_replaced_in_place() {
        let edits = [TextEdit { range: 1..2, replacement: "+".to_owned() }];
        assert_eq!(apply("abc", &edits), "a+-c");
    }
}
