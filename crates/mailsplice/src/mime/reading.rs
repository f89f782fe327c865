//! The ways in which clients may read a part: transfer encodings × charsets × kinds.

use std::borrow::Cow;
use std::collections::VecDeque;
use std::ops::Range;
use std::sync::OnceLock;

use super::charset::{self, Charset};
use super::guess::{HOST, detection_bytes, guessed};
use super::misread::Others;
use super::prefilter::{self, Candidates};
use super::structure::Way;
use super::transfer::{Transfer, base64, ends, qp, uu};
use super::wrapped::Wrapped;
use super::{Media, Message, Reading, Tree, sniff};

/// Charsets that are tried on one part: its labels, byte order mark, `<meta>`, UTF-8, a guess.
pub const CHARSETS: usize = 6;

/// Whether parts in which nothing can be a link are passed over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Filter {
    On,
    Off,
}

/// The readings of a part, the label's first. Each is decoded when its turn comes: one at a time is in
/// memory.
#[derive(Clone, Debug)]
pub struct Readings<'m> {
    raw: &'m [u8],
    media: Media,
    also: &'m [Media],
    charsets: &'m [String],
    filter: Filter,
    ways: VecDeque<&'m Way>,
    /// Whether there is one encoding.
    alone: bool,
    /// Bytes that a detector of charsets may be given.
    detection_bytes: usize,
    unwrapped: Option<Unwrapped<'m>>,
}

/// What one transfer encoding unwraps to, and the ways in which that is still to be read.
#[derive(Clone, Debug)]
struct Unwrapped<'m> {
    wrapped: Wrapped<'m>,
    /// Whether the part is read in no other encoding.
    alone: bool,
    others: Others,
    /// See [`Reading::detected`].
    detected: usize,
    bytes: Cow<'m, [u8]>,
    ways: VecDeque<(Charset, Media)>,
}

/// See [`super::readings`].
pub(super) fn all<'m>(
    message: Message<'m>,
    tree: &'m Tree,
    part: usize,
    filter: Filter,
) -> Readings<'m> {
    let raw = tree.content(message, part);
    let detection_bytes = detection_bytes(part);
    let part = tree.parts.get(part);
    let part = part.filter(|part| !matches!(part.media, Media::Opaque | Media::Inert));
    let ways = part.map_or_else(VecDeque::new, |part| {
        let site = &part.site;
        site.ways.get_or_init(|| ways(&site.transfers, raw)).iter().collect()
    });
    Readings {
        raw,
        media: part.map_or(Media::Inert, |part| part.media),
        also: part.map_or(&[], |part| part.also.as_slice()),
        charsets: part.map_or(&[], |part| part.site.charsets.as_slice()),
        filter,
        alone: ways.len() == 1,
        detection_bytes,
        ways,
        unwrapped: None,
    }
}

/// See [`super::odd_readings`].
pub(super) fn odd<'m>(message: Message<'m>, tree: &'m Tree, part: usize) -> Readings<'m> {
    let mut readings = all(message, tree, part, Filter::On);
    let usual = [Transfer::Identity, Transfer::QuotedPrintable, Transfer::Base64];
    readings.ways.retain(|way| !usual.contains(&way.transfer));
    readings
}

/// The encodings that a part may be read in. Base64 with padding inside is base64 in two ways, with padding
/// in odd places in four; quoted-printable with a soft break inside an escape in two, and uuencode with lines that
/// are not what their length byte says. The line ends of what holds NUL are read in both ways.
fn ways(labelled: &[Transfer], raw: &[u8]) -> Vec<Way> {
    let mut all = labelled.to_vec();
    if labelled.contains(&Transfer::Base64) && base64::goes_on_behind_padding(raw) {
        if base64::has_odd_padding(raw) {
            all.extend([Transfer::Base64Quanta, Transfer::Base64Skipping]);
        }
        all.push(Transfer::Base64Unpadded);
    }
    if labelled.contains(&Transfer::QuotedPrintable) && qp::breaks_escapes(raw) {
        all.push(Transfer::QuotedPrintableJoined);
    }
    if labelled.contains(&Transfer::Uuencode) && uu::has_odd_lines(raw) {
        all.push(Transfer::UuencodeWhole);
    }
    for (kept, nul, turned) in [
        (Transfer::Identity, &b"\0"[..], Transfer::IdentityTurned),
        (Transfer::QuotedPrintable, b"=00", Transfer::QuotedPrintableTurned),
    ] {
        if labelled.contains(&kept) && ends::matter(raw, nul) {
            all.push(turned);
        }
    }
    all.into_iter().map(|transfer| Way { transfer, guess: OnceLock::new() }).collect()
}

impl<'m> Iterator for Readings<'m> {
    type Item = Reading<'m>;

    fn next(&mut self) -> Option<Reading<'m>> {
        loop {
            if let Some(reading) = self.unwrapped.as_mut().and_then(Unwrapped::next) {
                return Some(reading);
            }
            let way = self.ways.pop_front()?;
            self.unwrapped = self.unwrap(way);
        }
    }
}

impl<'m> Readings<'m> {
    /// Whether no reading comes any more.
    pub fn is_empty(&self) -> bool {
        let unwrapped = self.unwrapped.as_ref();
        self.ways.is_empty() && unwrapped.is_none_or(|unwrapped| unwrapped.ways.is_empty())
    }

    fn unwrap(&self, way: &Way) -> Option<Unwrapped<'m>> {
        let transfer = way.transfer;
        let filtered = self.filter == Filter::On;
        let (raw, media, labels) = (self.raw, self.media, self.charsets);
        if filtered && prefilter::raw(raw, transfer, media, labels) == Candidates::None {
            return None;
        }
        let (bytes, wrapped) = Wrapped::of(raw, transfer);
        if filtered
            && transfer != Transfer::Identity
            && prefilter::unwrapped(&bytes, media, labels) == Candidates::None
        {
            return None;
        }
        let markup = matches!(media, Media::Plain | Media::Flowed { .. })
            && sniff::looks_like_html(bytes.get(..2048).unwrap_or(&bytes));
        let mut ways = VecDeque::new();
        let shown = if markup { Media::Html } else { media };
        let mut detected = 0;
        let charsets = charsets(&bytes, shown, labels, || {
            let guess = way.guess.get_or_init(|| guessed(&bytes, self.detection_bytes));
            detected = guess.detected;
            guess.charsets.clone()
        });
        let others = Others::among(&charsets, labels);
        for charset in charsets {
            ways.push_back((charset, media));
            let also = self.also.iter().filter(|other| !markup || **other != Media::Html);
            ways.extend(also.map(|other| (charset, *other)));
            if markup {
                ways.push_back((charset, Media::Html));
            }
        }
        Some(Unwrapped { wrapped, alone: self.alone, others, detected, bytes, ways })
    }
}

impl<'m> Unwrapped<'m> {
    fn next(&mut self) -> Option<Reading<'m>> {
        let (charset, media) = self.ways.pop_front()?;
        let bytes = match self.ways.is_empty() {
            true => std::mem::take(&mut self.bytes),
            false => self.bytes.clone(),
        };
        let text = charset.decode(bytes);
        Some(Reading {
            text,
            media,
            charset,
            transfer: self.wrapped.transfer(),
            alone: self.alone,
            others: self.others,
            detected: std::mem::take(&mut self.detected),
            wrapped: self.wrapped.clone(),
        })
    }
}

/// The charsets that a client might choose, the label's first. Never empty. `guessed` says what a detector takes
/// the bytes for.
fn charsets(
    bytes: &[u8],
    media: Media,
    labels: &[String],
    guessed: impl FnOnce() -> Vec<Charset>,
) -> Vec<Charset> {
    let ascii = bytes.is_ascii();
    let utf8 = ascii || std::str::from_utf8(bytes).is_ok();
    let mut found: Vec<Charset> = Vec::new();
    let mut labelled = false;
    for label in labels {
        // What names no charset is no label.
        let Some(charset) = Charset::from_label(label) else { continue };
        found.push(charset);
        found.extend(charset.swapped());
        found.extend(charset.lenient(bytes));
        labelled |= !label.eq_ignore_ascii_case("us-ascii");
    }
    found.extend(charset::byte_order_marks(bytes));
    match media {
        Media::Html => found.extend(meta_charsets(bytes)),
        Media::Calendar => found.extend(card_charsets(bytes)),
        _ => {}
    }
    if utf8 {
        found.push(Charset::Utf8);
    } else {
        let west = found.iter().all(|charset| *charset == Charset::WINDOWS_1252);
        if !labelled || found.is_empty() {
            // Nobody says what it is: some take it for the charset of the West, others look at the letters.
            found.push(Charset::WINDOWS_1252);
            found.extend(guessed());
        }
        // Where nothing better than windows-1252 is declared some clients guess, and a stray byte
        // does not keep them from it.
        if west && holds_utf8(bytes) {
            found.push(Charset::Utf8);
        }
    }
    // Seven bits with escapes or shifts: detectors take one for a label.
    if !labelled && ascii && holds_designation(bytes) {
        found.push(Charset::Iso2022Jp2);
        found.push(Charset::Known(encoding_rs::ISO_2022_JP));
        // Korean and Chinese designate their set, and shift to it.
        if memchr::memmem::find(bytes, b"\x1B$)").is_some() {
            found.push(Charset::Iso2022Shift);
        }
    }
    // To some a label of another spelling is none.
    found.extend(charset::by_nuls(bytes));
    if !labelled && ascii && memchr::memmem::find(bytes, b"~{").is_some() {
        found.push(Charset::Hz);
    }
    // And a plus sign in a host for UTF-7, as mbstring does.
    if !labelled && ascii && has_shifted_host(bytes) {
        found.push(Charset::Utf7);
    }
    let mut distinct: Vec<Charset> = Vec::new();
    for charset in found {
        // On ASCII alone, all supersets of ASCII agree.
        let same = |other: &Charset| {
            *other == charset || (ascii && other.keeps_ascii() && charset.keeps_ascii())
        };
        if !distinct.iter().any(same) && distinct.len() < CHARSETS {
            distinct.push(charset);
        }
    }
    distinct
}

/// Whether there is an escape that calls a set, be it that of ASCII (ISO 2022 §13.2): each is enough for a
/// detector.
fn holds_designation(bytes: &[u8]) -> bool {
    let calls = |at: usize| matches!(bytes.get(at + 1), Some(b'$' | b'('));
    memchr::memchr_iter(0x1B, bytes).any(calls)
}

/// Whether a plus sign stands where a host does.
fn has_shifted_host(bytes: &[u8]) -> bool {
    let of_host = |byte: &&u8| !byte.is_ascii_whitespace() && !b"/?#\"'<>".contains(byte);
    memchr::memmem::find_iter(bytes, b"//").any(|at| {
        let rest = bytes.get(at + 2..).unwrap_or_default();
        let rest = rest.get(..HOST).unwrap_or(rest);
        rest.iter().take_while(of_host).any(|byte| *byte == b'+')
    })
}

/// Whether characters of several bytes stand in it as UTF-8 has them.
fn holds_utf8(bytes: &[u8]) -> bool {
    let mut rest = bytes;
    loop {
        let Err(error) = std::str::from_utf8(rest) else { return !rest.is_ascii() };
        let (valid, behind) = rest.split_at_checked(error.valid_up_to()).unwrap_or_default();
        if !valid.is_ascii() {
            return true;
        }
        let Some(broken) = error.error_len() else { return false };
        rest = behind.get(broken..).unwrap_or_default();
    }
}

/// `<meta>` that are looked at: a decoy or two may stand in front of the one that counts.
const METAS: usize = 4;

/// The charsets of `<meta charset>` and `<meta http-equiv>` in the first KiB (WHATWG HTML §13.2.3.2).
fn meta_charsets(bytes: &[u8]) -> Vec<Charset> {
    let opening = bytes.get(..1024).unwrap_or(bytes).to_ascii_lowercase();
    let metas = memchr::memmem::find_iter(&opening, b"<meta").take(METAS);
    metas.filter_map(|at| meta_charset(opening.get(at..)?)).collect()
}

/// The charsets that properties of a card or a calendar name (vCard 2.1 §2.1.5, vCalendar 1.0 §2.1.5):
/// `NOTE;CHARSET=KOI8-R:…`.
fn card_charsets(bytes: &[u8]) -> Vec<Charset> {
    let mut found = Vec::new();
    for at in memchr::memmem::find_iter(bytes, b"=").take(PARAMETERS) {
        let name = at.checked_sub(7).and_then(|start| bytes.get(start..at));
        if name.is_some_and(|name| name.eq_ignore_ascii_case(b"charset")) {
            let charset =
                bytes.get(at..).and_then(named).filter(|charset| !found.contains(charset));
            found.extend(charset);
        }
        if found.len() == METAS {
            break;
        }
    }
    found
}

/// Parameters of a card that are looked at for a charset.
const PARAMETERS: usize = 1_000;

/// The charset of the `<meta>` at the front.
fn meta_charset(rest: &[u8]) -> Option<Charset> {
    let at = memchr::memmem::find(rest, b"charset")?;
    match named(rest.get(at + b"charset".len()..)?)? {
        // Text in which a <meta> can be read at all is not UTF-16.
        Charset::Utf16(_) => Some(Charset::Utf8),
        charset => Some(charset),
    }
}

/// The charset behind a sign of equality.
fn named(rest: &[u8]) -> Option<Charset> {
    let value = rest.trim_ascii_start().strip_prefix(b"=")?.trim_ascii_start();
    let value = value.strip_prefix(b"\"").or(value.strip_prefix(b"'")).unwrap_or(value);
    let length =
        value.iter().take_while(|b| b.is_ascii_alphanumeric() || b"-_.:".contains(b)).count();
    Charset::from_label(std::str::from_utf8(value.get(..length)?).ok()?)
}

impl Reading<'_> {
    /// Whether the text can be written into the part: its charset has the characters, and its
    /// transfer encoding may carry their bytes (unwrapped 7-bit parts stay 7-bit).
    pub fn holds(&self, text: &str) -> bool {
        let Some(bytes) = self.charset.encode(text) else { return false };
        bytes.is_ascii()
            || self.transfer != Transfer::Identity
            || (self.charset.keeps_ascii() && !self.text.as_str().is_ascii())
            || matches!(self.charset, Charset::Utf16(_) | Charset::Utf32(_))
    }

    /// The unwrapped bytes of this range of the text, where the part is read in one transfer encoding alone:
    /// there they tell the places in it apart as well as the raw ones, and are had for less.
    pub fn unwrapped(&self, range: Range<usize>) -> Option<Range<usize>> {
        self.alone.then(|| self.text.source(range))
    }

    /// The raw bytes of this range of the text, relative to the part's content in its layer.
    pub(super) fn raw(&self, range: Range<usize>) -> Range<usize> {
        self.wrapped.source(self.text.source(range))
    }
}

#[cfg(test)]
mod tests {
    use super::super::guess::Guess;
    use super::*;
    use crate::limits::Limits;

    #[test]
    fn a_part_is_guessed_at_once() {
        let (body, _, _) = encoding_rs::KOI8_R.encode("Пожалуйста, подтвердите ваш адрес.");
        let message = Message { head: b"", body: &body };
        let tree = super::super::parse(message, &Limits::default());
        let detected = || -> Vec<usize> {
            all(message, &tree, 0, Filter::Off).map(|reading| reading.detected).collect()
        };
        let first = detected();
        assert_eq!(first, [body.len(), 0], "as windows-1252, as it was guessed");
        assert_eq!(detected(), first);
        // What was kept is what counts.
        let mut tree = tree;
        let ways = tree.parts[0].site.ways.get_mut().unwrap();
        ways[0].guess = OnceLock::from(Guess::default());
        assert_eq!(all(message, &tree, 0, Filter::Off).count(), 1);
    }
}
