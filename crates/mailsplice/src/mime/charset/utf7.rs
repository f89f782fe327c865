//! Text with runs in a shifted form. Phishing uses it because clients decode it and filters do not.
//!
//! | form | runs | programs that decode it as a charset |
//! | --- | --- | --- |
//! | [`Utf7Variant::Utf7`] (RFC 2152) | `+BEA-` | mail programs |
//! | [`Utf7Variant::Mailbox`] (RFC 3501 §5.1.3) | `&BEA-` | mbstring, iconv-lite, Perl |
//! | [`Utf7Variant::Words`] (RFC 2047) | `=?utf-8?q?=D1=80?=` | Perl's Encode, as `MIME-Header` |

use std::borrow::Cow;
use std::iter::Peekable;
use std::ops::Range;

use super::super::transfer::base64;
use super::Charset;
use super::builder::Builder;
use crate::edit::{RawEdit, apply};
use crate::span::Text;
use crate::span::TextEdit;
use words::{in_words, words};

mod words;

/// How runs are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Utf7Variant {
    Utf7,
    /// Mailbox names: `&` instead of `+`, `,` instead of `/`.
    Mailbox,
    /// Encoded words.
    Words,
}

/// Decodes. A shifted run is one unit of the map.
pub(super) fn decode(bytes: &[u8], form: Utf7Variant) -> Text<'static> {
    let mut out = Builder::new(bytes.len());
    for run in runs(bytes, form) {
        match run.shifted {
            None => out.utf8(bytes.get(run.source.clone()).unwrap_or_default(), run.source.start),
            Some(text) => out.unit(&text, run.source),
        }
    }
    out.close(bytes.len())
}

/// Lowers edits of the text to edits of the bytes. If an edit cuts a shifted run, the rest of the run is encoded
/// again.
pub(super) fn lower(
    bytes: &[u8],
    text: &Text<'_>,
    edits: &[TextEdit],
    form: Utf7Variant,
) -> Vec<RawEdit> {
    let mut runs = Runs::new(bytes, form);
    let mut lowered: Vec<RawEdit> = Vec::with_capacity(edits.len());
    let mut rest = edits;
    while let Some((first, following)) = rest.split_first() {
        rest = following;
        let (start, before) = runs.cut_at(text, first.range.start, Side::Before);
        let mut replacement = form.encode_direct(first.replacement.clone());
        if !before.is_empty() {
            replacement = (form.encode_run(&before) + &replacement).into();
        }
        let mut last = first;
        // Two edits in one run: the second continues after the first.
        while let Some((next, following)) = rest.split_first()
            && let Some(between) = runs.between(last.range.end..next.range.start)
        {
            let whole = replacement.to_mut();
            whole.push_str(&form.encode_run(&between));
            whole.push_str(&form.encode_direct(next.replacement.clone()));
            (last, rest) = (next, following);
        }
        let (end, after) = runs.cut_at(text, last.range.end, Side::After);
        if !after.is_empty() {
            replacement.to_mut().push_str(&form.encode_run(&after));
        }
        if form == Utf7Variant::Words {
            replacement = in_words(&replacement).into();
        }
        let replacement = match replacement {
            Cow::Borrowed(constant) => Cow::Borrowed(constant.as_bytes()),
            Cow::Owned(mut text) => {
                text.shrink_to_fit();
                text.into_bytes().into()
            }
        };
        // Between the runs that an insertion stands between may be some without text.
        let range = start..end.max(start);
        lowered.push(RawEdit { range, replacement });
    }
    if form == Utf7Variant::Words {
        let new = edited_text(text.as_str(), edits);
        if !is_read_as(bytes, &lowered, &new) {
            return vec![RawEdit {
                range: 0..bytes.len(),
                replacement: in_words(&new).into_bytes().into(),
            }];
        }
    }
    lowered
}

/// Whether the edited bytes decode to this text. With encoded words they may not: a sign before an edit may begin a
/// word that only the edit closes, and white space between two words is dropped.
fn is_read_as(bytes: &[u8], edits: &[RawEdit], text: &str) -> bool {
    decode(&apply(bytes, edits).to_vec(), Utf7Variant::Words).as_str() == text
}

fn edited_text(text: &str, edits: &[TextEdit]) -> String {
    let mut new = String::with_capacity(text.len());
    let mut at = 0;
    for edit in edits {
        new.push_str(text.get(at..edit.range.start).unwrap_or_default());
        new.push_str(&edit.replacement);
        at = edit.range.end;
    }
    new.push_str(text.get(at..).unwrap_or_default());
    new
}

/// The side of a cut that is kept.
enum Side {
    Before,
    After,
}

/// The runs of a text, read once along its edits: a text may have a run for every third byte.
struct Runs<'b> {
    bytes: &'b [u8],
    form: Utf7Variant,
    /// The first run that does not end before the offset that was asked for last.
    current: Option<Placed>,
    rest: Peekable<Box<dyn Iterator<Item = Placed> + 'b>>,
    /// Start and text of the run that was decoded last: one run may have many edits.
    decoded: Option<(usize, String)>,
}

/// The ranges of a shifted or direct run in text and in bytes.
#[derive(Clone)]
struct Placed {
    text: Range<usize>,
    bytes: Range<usize>,
    shifted: bool,
}

/// The runs that have text.
fn placed_runs(bytes: &[u8], form: Utf7Variant) -> impl Iterator<Item = Placed> {
    let mut at = 0;
    let placed = runs(bytes, form).map(move |Utf7Run { source, shifted }| {
        let start = at;
        at += match &shifted {
            Some(text) => text.len(),
            None => lossy_length(bytes.get(source.clone()).unwrap_or_default()),
        };
        Placed { text: start..at, bytes: source, shifted: shifted.is_some() }
    });
    placed.filter(|run| !run.text.is_empty())
}

/// Bytes of UTF-8 with U+FFFD for invalid sequences.
fn lossy_length(bytes: &[u8]) -> usize {
    let length = |chunk: std::str::Utf8Chunk<'_>| match chunk.invalid() {
        [] => chunk.valid().len(),
        _ => chunk.valid().len() + char::REPLACEMENT_CHARACTER.len_utf8(),
    };
    if bytes.is_ascii() { bytes.len() } else { bytes.utf8_chunks().map(length).sum() }
}

impl<'b> Runs<'b> {
    fn new(bytes: &'b [u8], form: Utf7Variant) -> Runs<'b> {
        let runs: Box<dyn Iterator<Item = Placed> + 'b> = Box::new(placed_runs(bytes, form));
        let mut rest = runs.peekable();
        Runs { bytes, form, current: rest.next(), rest, decoded: None }
    }

    /// The first run that does not end before this offset. Offsets do not become smaller from call to call.
    fn reaching(&mut self, offset: usize) -> Option<Placed> {
        while self.current.as_ref().is_some_and(|run| run.text.end < offset) {
            self.current = self.rest.next();
        }
        self.current.clone()
    }

    /// This range of the text of a shifted run; empty for a direct run.
    fn slice(&mut self, run: &Placed, range: Range<usize>) -> String {
        if !run.shifted {
            return String::new();
        }
        let key = run.bytes.start;
        if self.decoded.as_ref().is_none_or(|(known, _)| *known != key) {
            let (_, text) =
                self.form.shifted(self.bytes.get(run.bytes.clone()).unwrap_or_default());
            self.decoded = Some((key, text));
        }
        let start = run.text.start;
        let range = range.start.saturating_sub(start)..range.end.saturating_sub(start);
        let text = self.decoded.as_ref().and_then(|(_, text)| text.get(range));
        text.unwrap_or_default().to_owned()
    }

    /// The text between two edits in the same shifted run.
    fn between(&mut self, range: Range<usize>) -> Option<String> {
        let run = self.reaching(range.start)?;
        // An edit that ends with its run leaves nothing to encode.
        let shared = run.text.start < range.start && range.end < run.text.end;
        (shared && run.shifted).then(|| self.slice(&run, range))
    }

    /// The offset in the bytes for a cut in the text, and the text of a cut shifted run that is kept.
    fn cut_at(&mut self, text: &Text<'_>, offset: usize, side: Side) -> (usize, String) {
        let run = match (self.reaching(offset), &side) {
            (Some(run), Side::Before) if run.text.end <= offset => self.rest.peek().cloned(),
            (run, _) => run,
        };
        let Some(run) = run else { return (self.bytes.len(), String::new()) };
        match (run.shifted, side) {
            // Each byte is as it was written.
            (false, _) if run.bytes.len() == run.text.len() => {
                (run.bytes.start + offset.saturating_sub(run.text.start), String::new())
            }
            (false, _) => (text.source(offset..offset).start, String::new()),
            (true, Side::Before) => (run.bytes.start, self.slice(&run, run.text.start..offset)),
            (true, Side::After) => (run.bytes.end, self.slice(&run, offset..run.text.end)),
        }
    }
}

struct Utf7Run {
    source: Range<usize>,
    /// The text of a shifted run; `None` for a direct run.
    shifted: Option<String>,
}

fn runs(bytes: &[u8], form: Utf7Variant) -> impl Iterator<Item = Utf7Run> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let rest = bytes.get(at..).filter(|rest| !rest.is_empty())?;
        let start = at;
        let shifted = match form.find(rest) {
            Some(0) => {
                let (length, text) = form.shifted(rest);
                at += length;
                Some(text)
            }
            sign => {
                at += sign.unwrap_or(rest.len());
                None
            }
        };
        Some(Utf7Run { source: start..at, shifted })
    })
}

impl Utf7Variant {
    /// The first sign of a shifted run.
    fn sign(self) -> u8 {
        match self {
            Utf7Variant::Utf7 => b'+',
            Utf7Variant::Mailbox => b'&',
            Utf7Variant::Words => b'=',
        }
    }

    /// Offset of the next shifted run.
    fn find(self, bytes: &[u8]) -> Option<usize> {
        match self {
            Utf7Variant::Words => memchr::memchr_iter(b'=', bytes)
                .find(|at| bytes.get(*at..).is_some_and(words::may_begin)),
            _ => memchr::memchr(self.sign(), bytes),
        }
    }

    /// The value of a digit, if it is one.
    fn digit(self, byte: u8) -> Option<u32> {
        let byte = match (self, byte) {
            (Utf7Variant::Mailbox, b',') => b'/',
            (Utf7Variant::Mailbox, b'/') => return None,
            (_, byte) => byte,
        };
        Some(base64::value(byte)).filter(|value| *value < 64).map(u32::from)
    }

    /// The first shifted run: its length and its text.
    fn shifted(self, bytes: &[u8]) -> (usize, String) {
        if self == Utf7Variant::Words {
            return words(bytes).unwrap_or((1, "=".to_owned()));
        }
        let body = bytes.get(1..).unwrap_or_default();
        let digits = body.iter().map_while(|byte| self.digit(*byte));
        let length = digits.clone().count();
        let closed = body.get(length) == Some(&b'-');
        if length == 0 {
            return (if closed { 2 } else { 1 }, char::from(self.sign()).to_string());
        }
        let (mut bits, mut count) = (0_u32, 0);
        let units = digits.filter_map(|value| {
            bits = bits << 6 | value;
            count += 6;
            if count < 16 {
                return None;
            }
            count -= 16;
            let unit = (bits >> count) as u16;
            bits &= (1 << count) - 1;
            Some(unit)
        });
        // Eight digits are three units, of three bytes at most.
        let mut text = String::with_capacity(length / 8 * 9 + 9);
        for c in char::decode_utf16(units) {
            text.push(c.unwrap_or(char::REPLACEMENT_CHARACTER));
        }
        (1 + length + usize::from(closed), text)
    }

    /// New ASCII, written outside shifted runs. Encoded words are made from the whole replacement ([`in_words`]).
    fn encode_direct(self, text: Cow<'static, str>) -> Cow<'static, str> {
        match self {
            Utf7Variant::Utf7 if text.contains('+') => text.replace('+', "+-").into(),
            Utf7Variant::Mailbox if text.contains('&') => text.replace('&', "&-").into(),
            _ => text,
        }
    }

    /// The kept text of a cut shifted run as a run; empty for no text.
    fn encode_run(self, text: &str) -> String {
        match self {
            Utf7Variant::Words => text.to_owned(),
            _ if text.is_empty() => String::new(),
            _ => self.digits(text),
        }
    }

    fn digits(self, text: &str) -> String {
        let mut out = String::from(char::from(self.sign()));
        let (mut bits, mut count) = (0_u32, 0);
        let mut digit = |value: u32| {
            let digit =
                base64::ALPHABET.get((value & 63) as usize).map_or('A', |byte| char::from(*byte));
            out.push(if self == Utf7Variant::Mailbox && digit == '/' { ',' } else { digit });
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
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decode(bytes: &[u8]) -> Text<'static> {
        super::decode(bytes, Utf7Variant::Utf7)
    }

    fn apply(bytes: &str, edits: &[TextEdit]) -> String {
        apply_in(bytes, edits, Utf7Variant::Utf7)
    }

    fn apply_in(bytes: &str, edits: &[TextEdit], form: Utf7Variant) -> String {
        let mut out = bytes.as_bytes().to_vec();
        let text = super::decode(bytes.as_bytes(), form);
        for edit in lower(bytes.as_bytes(), &text, edits, form).iter().rev() {
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
        let bytes = format!("see {} now", Utf7Variant::Utf7.encode_run("a http://b.example c"));
        let text = decode(bytes.as_bytes());
        let start = text.text.find("http").unwrap();
        let edits = [
            TextEdit { range: start..start + 4, replacement: "hxxp".into() },
            TextEdit { range: start + 8..start + 9, replacement: "[.]+".into() },
        ];
        let new = apply(&bytes, &edits);
        assert_eq!(decode(new.as_bytes()).text, "see a hxxp://b[.]+example c now");
    }

    #[test]
    fn direct_characters_are_replaced_in_place() {
        let edits = [TextEdit { range: 1..2, replacement: "+".into() }];
        assert_eq!(apply("abc", &edits), "a+-c");
    }

    #[test]
    fn names_of_mailboxes_and_encoded_words() {
        for (bytes, form, text) in [
            ("see &BEAEMA-ypal.com &- x", Utf7Variant::Mailbox, "see раypal.com & x"),
            ("+BEA- &BEA,-", Utf7Variant::Mailbox, "+BEA- р"),
            ("x =?utf-8?b?0YDQsA==?=ypal.com", Utf7Variant::Words, "x раypal.com"),
            ("=?utf-8*en?Q?=D1=80_a?= \r\n =?koi8-r?q?=C1?= b", Utf7Variant::Words, "р aа b"),
            ("=?utf-8?q?=D1?= =?UTF-8?b?gA==?=.x", Utf7Variant::Words, "р.x"),
            (
                "=? =?x?= =?utf-8?x?a?= =?no-such?q?a?=",
                Utf7Variant::Words,
                "=? =?x?= =?utf-8?x?a?= =?no-such?q?a?=",
            ),
        ] {
            assert_eq!(super::decode(bytes.as_bytes(), form).as_str(), text);
        }
        let bytes = "see =?utf-8?q?https://=D1=80=D0=B0ypal.com?= now";
        let edits = [(4, 9, "hxxps"), (12, 20, "xn--x"), (20, 21, "[.]")];
        let edits =
            edits.map(|(start, end, new)| TextEdit { range: start..end, replacement: new.into() });
        assert_eq!(apply_in(bytes, &edits, Utf7Variant::Words), "see hxxps://xn--x[.]com now");
        let bytes = format!("a {} b", Utf7Variant::Mailbox.encode_run("рw.xа"));
        let edits = [TextEdit { range: 5..6, replacement: "[.]&".into() }];
        let new = apply_in(&bytes, &edits, Utf7Variant::Mailbox);
        assert_eq!(super::decode(new.as_bytes(), Utf7Variant::Mailbox).as_str(), "a рw[.]&xа b");
    }

    #[test]
    fn white_space_between_words_is_none_and_before_anything_else_it_stays() {
        for (bytes, text) in [
            ("=?utf-8?q?a?= =?", "a =?"),
            ("=?utf-8?q?a?= =?x", "a =?x"),
            ("=?utf-8?q?a?= =?no-such?q?b?=", "a =?no-such?q?b?="),
            ("=?utf-8?q?a?= =?latin1?q?b?=", "ab"),
            ("=?utf-8?q?a?= \t=?utf-8?q?b?= c", "ab c"),
        ] {
            assert_eq!(
                super::decode(bytes.as_bytes(), Utf7Variant::Words).as_str(),
                text,
                "{bytes}"
            );
        }
    }

    #[test]
    fn written_words_are_short() {
        let bytes = format!("=?utf-8?b?{}?=", "0YDQsA==".repeat(60));
        let text = super::decode(bytes.as_bytes(), Utf7Variant::Words);
        let edits = [TextEdit { range: 2..4, replacement: "x".into() }];
        let new = apply_in(&bytes, &edits, Utf7Variant::Words);
        let longest = new.split("?=").map(|word| word.trim().len()).max();
        assert!(longest <= Some(73), "{new}");
        let want = text.as_str().replacen("\u{430}", "x", 1);
        assert_eq!(super::decode(new.as_bytes(), Utf7Variant::Words).as_str(), want);
    }

    mod round_trip {
        use proptest::prelude::*;

        use super::*;

        const PIECES: [&str; 17] = [
            "=?utf-8?q?",
            "=?koi8-r?b?",
            "?=",
            "=?",
            "=",
            "?",
            " ",
            "\r\n ",
            "a.b",
            "=D1=80",
            "0YDQsA==",
            "+BEA-",
            "&BEA-",
            "=?utf-8?q?=3D=3Futf-8=3Fq=3Fx=3F=3D_?=",
            "&-",
            "+-",
            "+A-",
        ];

        proptest! {
            #[test]
            fn what_is_edited_reads_as_the_edited_text(
                pieces in prop::collection::vec(0..PIECES.len(), 0..14),
                cuts in prop::collection::vec((any::<prop::sample::Index>(), 0..3_usize), 0..4),
                form in prop::sample::select(vec![Utf7Variant::Utf7, Utf7Variant::Mailbox, Utf7Variant::Words]),
            ) {
                let bytes: String = pieces.iter().filter_map(|at| PIECES.get(*at)).copied().collect();
                let text = super::super::decode(bytes.as_bytes(), form).as_str().to_owned();
                let places: Vec<usize> =
                    text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
                let mut at: Vec<usize> = cuts.iter().map(|(cut, _)| *cut.get(&places)).collect();
                at.sort_unstable();
                let mut edits: Vec<TextEdit> = at
                    .chunks_exact(2)
                    .zip(["hxxps", "x=?", "[.]"])
                    .filter_map(|(cut, new)| {
                        Some(TextEdit { range: *cut.first()?..*cut.last()?, replacement: new.into() })
                    })
                    .collect();
                // The engine joins edits that begin together.
                edits.dedup_by_key(|edit| edit.range.start);
                let mut want = text.clone();
                for edit in edits.iter().rev() {
                    want.replace_range(edit.range.clone(), &edit.replacement);
                }
                let new = apply_in(&bytes, &edits, form);
                let again = super::super::decode(new.as_bytes(), form).as_str().to_owned();
                prop_assert_eq!(again, want, "{:?} {}", bytes, new);
            }
        }
    }
}
