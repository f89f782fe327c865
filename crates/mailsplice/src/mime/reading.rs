//! The ways in which clients may read a part: transfer encodings × charsets × media.

use std::borrow::Cow;
use std::ops::{ControlFlow, Range};
use std::sync::OnceLock;

use super::charset::{self, Charset};
use super::guess::{HOST, detection_bytes, guessed};
use super::misread::OtherCharsets;
use super::prefilter::{self, Candidates};
use super::structure::Decoding;
use super::transfer::{Transfer, base64, ends, qp, uu};
use super::wrapped::Wrapped;
use super::{Media, Message, Reading, Tree, metas, sniff};
use crate::byte_search::each;
use crate::span::Text;

/// Charsets that are tried for one part: its labels, byte order mark, `<meta>`, UTF-8, a guess.
pub const CHARSETS: usize = 6;

/// Whether parts that cannot contain a link are skipped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Skipping {
    On,
    Off,
}

/// The readings of a part, the one by its label first. Each is decoded only when it is next, so one at a time
/// is in memory.
#[derive(Clone, Debug)]
pub struct Readings<'m> {
    raw: &'m [u8],
    media: Media,
    also: &'m [Media],
    charsets: &'m [String],
    filter: Skipping,
    decodings: &'m [Decoding],
    /// Which of the decodings are read.
    wanted: Wanted,
    /// Whether the part is read in one transfer encoding only.
    single_transfer: bool,
    /// Bytes that the charset detector may be given.
    detection_bytes: usize,
    unwrapped: Option<Unwrapped<'m>>,
}

/// The transfer encodings in which a part is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Wanted {
    All,
    /// Those that map neither byte for byte nor unit for unit.
    Rare,
}

/// The bytes after undoing one transfer encoding, and the charsets and media in which they are still to be read.
#[derive(Clone, Debug)]
struct Unwrapped<'m> {
    wrapped: Wrapped<'m>,
    /// Whether the part is read in no other transfer encoding.
    single_transfer: bool,
    others: OtherCharsets,
    /// See [`Reading::detected`].
    detected: usize,
    bytes: Cow<'m, [u8]>,
    /// The bytes as UTF-8, if they are that and are those of the message.
    utf8: Option<&'m str>,
    /// Whether they are ASCII.
    ascii: bool,
    charsets: Vec<Charset>,
    kinds: Kinds<'m>,
    /// Index of the next reading: each charset in turn, in each of the kinds.
    next: usize,
    /// The text in a charset in which a further kind is still to be read.
    decoded: Option<(Charset, Text<'m>)>,
}

/// The kinds of content in which one text is read.
#[derive(Clone, Copy, Debug)]
struct Kinds<'m> {
    first: Media,
    also: &'m [Media],
    /// What a text is read as because it looks like markup; then this comes last.
    markup: Option<Media>,
}

impl Kinds<'_> {
    fn all(self) -> impl Iterator<Item = Media> {
        let also = self.also.iter().filter(move |other| self.markup != Some(**other));
        std::iter::once(self.first).chain(also.copied()).chain(self.markup)
    }
}

/// The byte order mark.
const BOM: char = '\u{FEFF}';

/// Bytes of a text that is kept for the next reading; longer ones are decoded again.
const KEPT: usize = 1 << 16;

/// See [`super::readings`].
pub(super) fn all<'m>(
    message: Message<'m>,
    tree: &'m Tree,
    part: usize,
    filter: Skipping,
) -> Readings<'m> {
    let raw = tree.content(message, part);
    let detection_bytes = detection_bytes(part);
    let part = tree.parts.get(part);
    let part = part.filter(|part| !matches!(part.media, Media::Opaque | Media::Inert));
    let decodings = part.map_or(&[][..], |part| {
        let site = &part.site;
        site.decodings.get_or_init(|| decodings_of(&site.transfers, raw)).as_slice()
    });
    Readings {
        raw,
        media: part.map_or(Media::Inert, |part| part.media),
        also: part.map_or(&[], |part| part.also.as_slice()),
        charsets: part.map_or(&[], |part| part.site.charsets.as_slice()),
        filter,
        single_transfer: decodings.len() == 1,
        detection_bytes,
        decodings,
        wanted: Wanted::All,
        unwrapped: None,
    }
}

/// See [`super::rare_readings`].
pub(super) fn rare<'m>(message: Message<'m>, tree: &'m Tree, part: usize) -> Readings<'m> {
    Readings { wanted: Wanted::Rare, ..all(message, tree, part, Skipping::On) }
}

impl Wanted {
    fn takes(self, decoding: &Decoding) -> bool {
        let usual = [Transfer::Identity, Transfer::QuotedPrintable, Transfer::Base64];
        self == Wanted::All || !usual.contains(&decoding.transfer)
    }
}

/// The transfer encodings in which a part may be read. Base64 with padding inside is decoded in two ways, with
/// padding in odd places in four. Quoted-printable with a soft break inside an escape has two, and so have that with
/// one at a lone CR, and uuencode with lines that do not match their length byte. Text with NUL is read with both kinds
/// of line ends.
fn decodings_of(labelled: &[Transfer], raw: &[u8]) -> Vec<Decoding> {
    let mut all = labelled.to_vec();
    if labelled.contains(&Transfer::Base64) && base64::goes_on_behind_padding(raw) {
        if base64::has_odd_padding(raw) {
            all.extend([Transfer::Base64Quanta, Transfer::Base64Skipping]);
        }
        all.push(Transfer::Base64Unpadded);
    }
    if labelled.contains(&Transfer::QuotedPrintable) {
        let odd = qp::odd_breaks(raw);
        all.extend(odd.in_escape.then_some(Transfer::QuotedPrintableJoined));
        all.extend(odd.at_carriage.then_some(Transfer::QuotedPrintableCut));
    }
    if labelled.contains(&Transfer::Uuencode) && uu::has_odd_lines(raw) {
        all.push(Transfer::UuencodeWhole);
    }
    for (kept, nul, swapped) in [
        (Transfer::Identity, &b"\0"[..], Transfer::IdentitySwapped),
        (Transfer::QuotedPrintable, b"=00", Transfer::QuotedPrintableSwapped),
    ] {
        if labelled.contains(&kept) && ends::matter(raw, nul) {
            all.push(swapped);
        }
    }
    all.into_iter().map(|transfer| Decoding { transfer, guess: OnceLock::new() }).collect()
}

impl<'m> Iterator for Readings<'m> {
    type Item = Reading<'m>;

    fn next(&mut self) -> Option<Reading<'m>> {
        loop {
            if let Some(reading) = self.unwrapped.as_mut().and_then(Unwrapped::next) {
                return Some(reading);
            }
            let decoding = self.next_decoding()?;
            self.unwrapped = self.unwrap(decoding);
        }
    }
}

impl<'m> Readings<'m> {
    fn next_decoding(&mut self) -> Option<&'m Decoding> {
        let at = self.decodings.iter().position(|decoding| self.wanted.takes(decoding))?;
        let (decoding, after) = self.decodings.get(at..)?.split_first()?;
        self.decodings = after;
        Some(decoding)
    }

    /// Leaves out the next reading: its text is not decoded. False if there is none.
    pub fn skip_one(&mut self) -> bool {
        loop {
            if self.unwrapped.as_mut().and_then(Unwrapped::take).is_some() {
                return true;
            }
            let Some(decoding) = self.next_decoding() else { return false };
            self.unwrapped = self.unwrap(decoding);
        }
    }

    /// Whether there are no more readings.
    pub fn is_empty(&self) -> bool {
        let unwrapped = self.unwrapped.as_ref();
        !self.decodings.iter().any(|decoding| self.wanted.takes(decoding))
            && unwrapped.is_none_or(|unwrapped| unwrapped.peek().is_none())
    }

    fn unwrap(&self, decoding: &Decoding) -> Option<Unwrapped<'m>> {
        let transfer = decoding.transfer;
        let filtered = self.filter == Skipping::On;
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
        let is_text = matches!(media, Media::Plain | Media::Flowed { .. });
        let markup = (is_text && !self.also.contains(&Media::Xml))
            .then(|| sniff::markup(bytes.get(..2048).unwrap_or(&bytes)))
            .flatten();
        let shown = markup.unwrap_or(media);
        let mut detected = 0;
        let ascii = bytes.is_ascii();
        let utf8 = match &bytes {
            Cow::Borrowed(bytes) => std::str::from_utf8(bytes).ok(),
            Cow::Owned(_) => None,
        };
        let is_utf8 = match &bytes {
            Cow::Borrowed(_) => utf8.is_some(),
            Cow::Owned(bytes) => ascii || std::str::from_utf8(bytes).is_ok(),
        };
        let charsets = charsets(&bytes, (ascii, is_utf8), (shown, labels), || {
            let guess = decoding.guess.get_or_init(|| guessed(&bytes, self.detection_bytes));
            detected = guess.detected;
            guess.charsets.clone()
        });
        let others = OtherCharsets::among(&charsets, labels);
        Some(Unwrapped {
            wrapped,
            single_transfer: self.single_transfer,
            others,
            detected,
            bytes,
            utf8,
            ascii,
            charsets,
            kinds: Kinds { first: media, also: self.also, markup },
            next: 0,
            decoded: None,
        })
    }
}

impl<'m> Unwrapped<'m> {
    /// The next charset and kind of content.
    fn peek(&self) -> Option<(Charset, Media)> {
        let kinds = self.kinds.all().count();
        let charset = self.charsets.get(self.next / kinds)?;
        Some((*charset, self.kinds.all().nth(self.next % kinds)?))
    }

    /// The same, and it counts as read.
    fn take(&mut self) -> Option<(Charset, Media)> {
        let next = self.peek()?;
        self.next += 1;
        Some(next)
    }

    fn next(&mut self) -> Option<Reading<'m>> {
        let (charset, media) = self.take()?;
        let following = self.peek().map(|(charset, _)| charset);
        // Readings in this charset may have been skipped.
        let decoded = self.decoded.take().filter(|(of, _)| *of == charset);
        let is_plain = self.ascii && charset.keeps_ascii();
        let is_known = |text: &&str| is_plain || charset == Charset::Utf8 && !text.starts_with(BOM);
        let known = self.utf8.filter(is_known);
        let known = || known.map(Text::plain);
        let text = decoded.map(|(_, text)| text).or_else(known).unwrap_or_else(|| {
            let bytes = match following {
                None => std::mem::take(&mut self.bytes),
                Some(_) => self.bytes.clone(),
            };
            if is_plain { charset::utf8(bytes) } else { charset.decode(bytes) }
        });
        let again = following == Some(charset);
        self.decoded = (again && text.as_str().len() <= KEPT).then(|| (charset, text.clone()));
        Some(Reading {
            text,
            media,
            charset,
            transfer: self.wrapped.transfer(),
            single_transfer: self.single_transfer,
            others: self.others,
            detected: std::mem::take(&mut self.detected),
            wrapped: self.wrapped.clone(),
        })
    }
}

/// The charsets that a client might choose for bytes, of which is known whether they are ASCII and UTF-8; the label's
/// first. Never empty. `guessed` returns the guess of the charset detector.
fn charsets(
    bytes: &[u8],
    (ascii, utf8): (bool, bool),
    (media, labels): (Media, &[String]),
    guessed: impl FnOnce() -> Vec<Charset>,
) -> Vec<Charset> {
    let mut found: Vec<Charset> = Vec::with_capacity(CHARSETS);
    let mut labelled = false;
    for label in labels {
        // A label that names no charset is ignored.
        let Some(charset) = Charset::from_label(label) else { continue };
        match charset.marked(bytes) {
            Some(marked) => found.push(marked),
            None => {
                found.push(charset);
                found.extend(charset.swapped());
            }
        }
        found.extend(charset.lenient(bytes));
        labelled |= !label.eq_ignore_ascii_case("us-ascii");
    }
    found.extend(charset::byte_order_marks(bytes));
    match media {
        Media::Html => found.extend(metas::charsets(bytes, !labelled && !ascii)),
        Media::Calendar => found.extend(card_charsets(bytes)),
        _ => {}
    }
    found.extend(metas::declared(bytes));
    match utf8 {
        true => found.push(Charset::Utf8),
        false => add_of_other_bytes(&mut found, bytes, labelled, guessed),
    }
    let seven_bit = !labelled && ascii;
    // Some clients ignore labels that they do not know, and some the label of a text with escapes.
    if seven_bit || ascii && found.iter().all(|charset| charset.keeps_ascii()) {
        found.extend(designated_charsets(bytes).into_iter().flatten());
    }
    found.extend(charset::by_nuls(bytes));
    let shifts = |at: usize| bytes.get(at + 1) == Some(&b'{');
    if seven_bit && memchr::memchr_iter(b'~', bytes).any(shifts) {
        found.push(Charset::Hz);
    }
    // mbstring takes a plus sign in a host for UTF-7.
    if seven_bit && has_shifted_host(bytes) {
        found.push(Charset::Utf7);
    }
    keep_first(&mut found, ascii);
    found
}

/// Adds the charsets that a client might choose for bytes that are not UTF-8, to those that are declared.
fn add_of_other_bytes(
    found: &mut Vec<Charset>,
    bytes: &[u8],
    labelled: bool,
    guessed: impl FnOnce() -> Vec<Charset>,
) {
    let west = found.iter().all(|charset| *charset == Charset::WINDOWS_1252);
    if !labelled || found.is_empty() {
        // No usable label: some clients take windows-1252, others guess.
        found.push(Charset::WINDOWS_1252);
        found.extend(guessed());
    }
    // Nothing that the label says: some clients take the bytes for what they are.
    if labelled && is_mostly_ascii(bytes) && !found.iter().any(|one| one.keeps_ascii()) {
        found.push(Charset::WINDOWS_1252);
    }
    // If nothing better than windows-1252 is declared, some clients guess UTF-8 even if a stray byte is invalid in it.
    if west && holds_utf8(bytes) {
        found.push(Charset::Utf8);
    }
}

/// The charsets of seven-bit text with escapes: for detectors one of them is enough.
fn designated_charsets(bytes: &[u8]) -> [Option<Charset>; 3] {
    if !holds_designation(bytes) {
        return [None; 3];
    }
    // Korean and Chinese text designates its set, then shifts to it.
    let shifts = memchr::memmem::find(bytes, b"\x1B$)").is_some();
    [
        Some(Charset::Iso2022Jp2),
        Some(Charset::Known(encoding_rs::ISO_2022_JP)),
        shifts.then_some(Charset::Iso2022Shift),
    ]
}

/// Keeps the first of those charsets that read a text the same, and [`CHARSETS`] at most.
fn keep_first(found: &mut Vec<Charset>, ascii: bool) {
    let mut kept = 0;
    for at in 0..found.len() {
        let Some((charset, known)) = found.get(at).copied().zip(found.get(..kept)) else { break };
        // Pure ASCII reads the same in all supersets of ASCII.
        let same = |other: &Charset| {
            *other == charset || (ascii && other.keeps_ascii() && charset.keeps_ascii())
        };
        if kept < CHARSETS && !known.iter().any(same) {
            found.swap(kept, at);
            kept += 1;
        }
    }
    found.truncate(kept);
}

/// Whether there is an escape that designates a set, even ASCII (ISO 2022 §13.2): each is enough for a detector.
fn holds_designation(bytes: &[u8]) -> bool {
    let designates = |at: usize| matches!(bytes.get(at + 1), Some(b'$' | b'('));
    memchr::memchr_iter(0x1B, bytes).any(designates)
}

/// Whether there is a plus sign in a host.
fn has_shifted_host(bytes: &[u8]) -> bool {
    if memchr::memchr(b'+', bytes).is_none() {
        return false;
    }
    let in_host = |byte: &&u8| !byte.is_ascii_whitespace() && !b"/?#\"'<>".contains(byte);
    memchr::memmem::find_iter(bytes, b"//").any(|at| {
        let rest = bytes.get(at + 2..).unwrap_or_default();
        let rest = rest.get(..HOST).unwrap_or(rest);
        rest.iter().take_while(in_host).any(|byte| *byte == b'+')
    })
}

/// Whether a text opens in ASCII, but for a few bytes: in UTF-16 half of it would be NUL, in EBCDIC nearly all others.
fn is_mostly_ascii(bytes: &[u8]) -> bool {
    let opening = bytes.get(..OPENING).unwrap_or(bytes);
    let plain = opening.iter().filter(|byte| matches!(byte, b'\t' | b'\n' | b'\r' | b' '..=b'~'));
    4 * plain.count() >= 3 * opening.len()
}

/// Bytes of a text by which it is known.
const OPENING: usize = 256;

/// Whether there is at least one valid multi-byte character of UTF-8.
fn holds_utf8(bytes: &[u8]) -> bool {
    let may_begin = |lead: u8, next: u8| (lead >= 0xC2) & (next & 0xC0 == 0x80);
    if each(bytes, may_begin, |_| ControlFlow::Break(())).is_continue() {
        return false;
    }
    let mut rest = bytes;
    loop {
        let Err(error) = std::str::from_utf8(rest) else { return !rest.is_ascii() };
        let (valid, after) = rest.split_at_checked(error.valid_up_to()).unwrap_or_default();
        if !valid.is_ascii() {
            return true;
        }
        let Some(broken) = error.error_len() else { return false };
        rest = after.get(broken..).unwrap_or_default();
    }
}

/// The charsets that properties of a card or a calendar declare (vCard 2.1 §2.1.5, vCalendar 1.0 §2.1.5):
/// `NOTE;CHARSET=KOI8-R:…`.
fn card_charsets(bytes: &[u8]) -> Vec<Charset> {
    let mut found = Vec::new();
    for at in memchr::memmem::find_iter(bytes, b"=").take(MAX_PARAMETERS) {
        let name = at.checked_sub(7).and_then(|start| bytes.get(start..at));
        if name.is_some_and(|name| name.eq_ignore_ascii_case(b"charset")) {
            let charset =
                bytes.get(at..).and_then(metas::named).filter(|charset| !found.contains(charset));
            found.extend(charset);
        }
        if found.len() == metas::MAX_METAS {
            break;
        }
    }
    found
}

/// Parameters of a card that are searched for a charset.
const MAX_PARAMETERS: usize = 1_000;

impl Reading<'_> {
    /// Whether the text can be written into the part: its charset has the characters, and its
    /// transfer encoding allows their bytes (unencoded 7-bit parts stay 7-bit).
    pub fn holds(&self, text: &str) -> bool {
        let Some(bytes) = self.charset.encode(text) else { return false };
        bytes.is_ascii()
            || self.transfer != Transfer::Identity
            || (self.charset.keeps_ascii() && !self.text.as_str().is_ascii())
            || matches!(self.charset, Charset::Utf16(_) | Charset::Utf32(_))
    }

    /// The unwrapped byte range of this range of the text. Only if the part is read in one transfer encoding:
    /// then these offsets identify a place as well as the raw ones, and cost less.
    pub fn unwrapped(&self, range: Range<usize>) -> Option<Range<usize>> {
        self.single_transfer.then(|| self.text.source(range))
    }

    /// The raw bytes of this range of the unwrapped bytes, relative to the part's content in its layer.
    pub(super) fn raw(&self, range: Range<usize>) -> Range<usize> {
        self.wrapped.source(range)
    }
}

#[cfg(test)]
mod tests {
    use super::super::guess::Guess;
    use super::*;
    use crate::limits::SplitLimits;

    /// A list appends its footer to base64, and its bytes are no UTF-8.
    #[test]
    fn ascii_that_a_label_denies_is_read_with_what_follows_it() {
        let body = b"PGEgaHJlZj0iaHR0cDovL2EuY29tIj54PC9hPg==\r\n\r\n_____\r\nList footer\r\n";
        for label in ["utf-16", "utf-32", "cp037", "ucs-2"] {
            let head = format!(
                "Content-Type: text/html; charset={label}\r\nContent-Transfer-Encoding: base64\r\n"
            );
            let message = Message { head: head.as_bytes(), body };
            let tree = super::super::parse(message, &SplitLimits::default());
            let mut readings = all(message, &tree, 0, Skipping::On);
            let is_read =
                |one: Reading<'_>| one.text.as_str().contains("<a href=\"http://a.com\">");
            assert!(readings.any(is_read), "{label}");
        }
        let wide: Vec<u8> =
            "<a href='http://a.com'>\u{e9}".encode_utf16().flat_map(u16::to_le_bytes).collect();
        assert!(!is_mostly_ascii(&wide));
    }

    #[test]
    fn a_part_is_guessed_at_once() {
        let (body, _, _) = encoding_rs::KOI8_R.encode("Пожалуйста, подтвердите ваш адрес.");
        let message = Message { head: b"", body: &body };
        let tree = super::super::parse(message, &SplitLimits::default());
        let detected = || -> Vec<usize> {
            all(message, &tree, 0, Skipping::Off).map(|reading| reading.detected).collect()
        };
        let first = detected();
        assert_eq!(first, [body.len(), 0], "as windows-1252, as it was guessed");
        assert_eq!(detected(), first);
        // The stored guess is used.
        let mut tree = tree;
        let decodings = tree.parts[0].site.decodings.get_mut().unwrap();
        decodings[0].guess = OnceLock::from(Guess::default());
        assert_eq!(all(message, &tree, 0, Skipping::Off).count(), 1);
    }

    #[test]
    fn readings_behind_skipped_ones_are_the_same() {
        let (body, _, _) =
            encoding_rs::KOI8_R.encode("<html> Пожалуйста, подтвердите ваш адрес: http://a.co/");
        let head = b"Content-Type: text/plain; charset=koi8-r\r\nContent-Type: text/html; charset=windows-1251\r\n";
        let message = Message { head, body: &body };
        let tree = super::super::parse(message, &SplitLimits::default());
        let shown = |reading: Reading<'_>| {
            (reading.charset, reading.media, reading.text.as_str().to_owned())
        };
        let each: Vec<_> = all(message, &tree, 0, Skipping::Off).map(shown).collect();
        let kinds = each.iter().filter(|(charset, ..)| *charset == each[0].0).count();
        assert!(kinds > 1 && kinds < each.len(), "{each:?}");
        for mask in 0..1_u32 << each.len() {
            let mut readings = all(message, &tree, 0, Skipping::Off);
            for (at, expected) in each.iter().enumerate() {
                match mask >> at & 1 {
                    1 => assert!(readings.skip_one()),
                    _ => {
                        assert_eq!(readings.next().map(shown).as_ref(), Some(expected), "{mask:b}")
                    }
                }
            }
            assert!(!readings.skip_one());
        }
    }
}
