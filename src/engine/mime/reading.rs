//! The ways in which clients may read a part: transfer encodings × charsets × kinds.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use super::charset::{self, Charset};
use super::prefilter::{self, Candidates};
use super::transfer::Transfer;
use super::{Media, Message, Reading, Tree, sniff};
use crate::engine::span::Map;

/// Charsets that are tried on one part: its label, byte order mark, `<meta>`, UTF-8, a second label.
pub const CHARSETS: usize = 5;

/// Whether parts in which nothing can be a link are passed over.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Filter {
    On,
    Off,
}

/// See [`super::readings`].
pub(super) fn all<'m>(
    message: Message<'m>,
    tree: &'m Tree,
    part: usize,
    filter: Filter,
) -> Vec<Reading<'m>> {
    let mut readings = Vec::new();
    let raw = tree.content(message, part);
    let Some(part) = tree.parts.get(part) else { return readings };
    if matches!(part.media, Media::Opaque | Media::Inert) {
        return readings;
    }
    let labels = part.site.charsets.as_slice();
    for transfer in part.site.transfers.iter().copied() {
        if filter == Filter::Off
            || prefilter::raw(raw, transfer, part.media, labels) == Candidates::Maybe
        {
            decoded(raw, transfer, part.media, labels, filter, &mut readings);
        }
    }
    readings
}

/// The readings of what one transfer encoding unwraps to.
fn decoded<'m>(
    raw: &'m [u8],
    transfer: Transfer,
    media: Media,
    labels: &[String],
    filter: Filter,
    readings: &mut Vec<Reading<'m>>,
) {
    let unwrapped = transfer.decode(raw);
    let bytes = unwrapped.bytes;
    if filter == Filter::On
        && transfer != Transfer::Identity
        && prefilter::unwrapped(&bytes, media, labels) == Candidates::None
    {
        return;
    }
    let map = unwrapped.map.map(Arc::new);
    let markup = matches!(media, Media::Plain | Media::Flowed { .. })
        && sniff::looks_like_html(bytes.get(..2048).unwrap_or(&bytes));
    let charsets = charsets(&bytes, media == Media::Html || markup, labels);
    let mut bytes = Some(bytes);
    for (index, charset) in charsets.iter().enumerate() {
        let source = if index + 1 == charsets.len() { bytes.take() } else { bytes.clone() };
        let text = charset.decode(source.unwrap_or(Cow::Borrowed(b"")));
        let reading =
            Reading { text, media, charset: *charset, transfer, transfer_map: map.clone() };
        if markup {
            readings.push(reading.clone());
            readings.push(Reading { media: Media::Html, ..reading });
        } else {
            readings.push(reading);
        }
    }
}

/// The charsets that a client might choose, the label's first. Never empty.
fn charsets(bytes: &[u8], html: bool, labels: &[String]) -> Vec<Charset> {
    let ascii = bytes.is_ascii();
    let utf8 = ascii || std::str::from_utf8(bytes).is_ok();
    let known = labels.iter().filter_map(|label| Charset::from_label(label));
    let mut found: Vec<Charset> = known.collect();
    found.extend(charset::byte_order_mark(bytes));
    if html {
        found.extend(meta_charset(bytes));
    }
    if utf8 {
        found.push(Charset::Utf8);
    } else if found.is_empty() {
        found.push(Charset::WINDOWS_1252);
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

/// The charset of a `<meta charset>` or `<meta http-equiv>` in the first KiB (WHATWG HTML §13.2.3.2).
fn meta_charset(bytes: &[u8]) -> Option<Charset> {
    let opening = bytes.get(..1024).unwrap_or(bytes).to_ascii_lowercase();
    let at = memchr::memmem::find(&opening, b"<meta")?;
    let rest = opening.get(at..)?;
    let at = memchr::memmem::find(rest, b"charset")?;
    let value = rest.get(at + b"charset".len()..)?.trim_ascii_start().strip_prefix(b"=")?;
    let value = value.trim_ascii_start();
    let value = value.strip_prefix(b"\"").or(value.strip_prefix(b"'")).unwrap_or(value);
    let length =
        value.iter().take_while(|b| b.is_ascii_alphanumeric() || b"-_.:".contains(b)).count();
    let label = std::str::from_utf8(value.get(..length)?).ok()?;
    match Charset::from_label(label)? {
        // Text in which a <meta> can be read at all is not UTF-16.
        Charset::Utf16(_) => Some(Charset::Utf8),
        charset => Some(charset),
    }
}

impl Reading<'_> {
    /// Whether the text can be written into the part: its charset has the characters, and its
    /// transfer encoding may carry their bytes (unwrapped 7-bit parts stay 7-bit).
    pub fn holds(&self, text: &str) -> bool {
        let Some(bytes) = self.charset.encode(text) else { return false };
        bytes.is_ascii()
            || self.transfer != Transfer::Identity
            || (self.charset.keeps_ascii() && !self.text.as_str().is_ascii())
            || matches!(self.charset, Charset::Utf16(_))
    }

    /// The raw bytes of this range of the text, relative to the part's content in its layer.
    pub(super) fn raw(&self, range: Range<usize>) -> Range<usize> {
        let decoded = self.text.source(range);
        match self.transfer_map.as_deref() {
            None => decoded,
            Some(map) => Map::source(map, decoded),
        }
    }
}
