//! Adds a leaf: its media by label, name and first bytes, and its charsets.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::OnceLock;

use super::super::armor;
use super::super::charset::{Charset, Codec};
use super::super::content_type::ContentType;
use super::super::entity::{Entity, Head};
use super::super::labels::{BodyLabels, Forms};
use super::super::transfer::{Transfer, base64};
use super::super::walk::Walk;
use super::super::{ClientView, Media, Part, Surroundings, Why};
use super::super::{document, sniff};
use super::sealed::Encryption;
use super::{FILLERS, PartSite, Splitter};
use crate::edit::{Bypass, Limit};
use crate::signatures::Signature;

/// Bytes of the shortest link, `a.co`.
const SHORTEST_LINK: usize = 4;

impl Splitter<'_> {
    pub fn leaf(&mut self, walk: &Walk<'_>, entity: Entity, range: Range<usize>) {
        let bare = matches!(&entity.head, Head::Block(block) if block.is_empty());
        if bare && range.len() < SHORTEST_LINK && self.tree.parts.len() >= FILLERS {
            self.visited.fillers += 1;
            return;
        }
        let multipart = entity.labels.types.first().is_some_and(|label| label.kind == "multipart");
        if multipart && entity.depth < self.limits.depth {
            return self.without_delimiter(walk, entity, range);
        }
        let transfer = entity.labels.transfer();
        if entity.labels.is_message()
            && transfer != Transfer::Identity
            && entity.depth < self.limits.depth
            && self.unwrap(walk, &entity, &range, transfer)
        {
            return;
        }
        let raw = walk.bytes.get().get(range.clone()).unwrap_or_default();
        self.as_message(walk, &entity, &range);
        let seal = self.unseal(walk, &entity, &range);
        let (context, depth) = (entity.context, entity.depth);
        let Some((part, codecs)) = self.part(walk, entity, (range, raw), seal) else { return };
        for codec in codecs {
            if let Codec::Transfer(inner) = codec {
                self.add_decoded_again(walk, &part, inner);
            }
        }
        self.add_with_blocks(walk, part, raw, (context, depth));
    }

    /// The media that programs take a leaf with the bytes `raw` for: of most, and of others. Notes it if nobody can say.
    fn media(
        &mut self,
        entity: &Entity,
        raw: &[u8],
        seal: Encryption,
    ) -> Option<(Media, Vec<Media>)> {
        let BodyLabels { types, names, .. } = &entity.labels;
        let label = types.first()?;
        let seen = sniff::of(label, names, || sniff::opening(raw, entity.labels.transfer()));
        let (media, mut also) = match entity.context.encrypted {
            true => encrypted(label, seen, raw),
            false => by_order(seen),
        };
        if is_opaque(seal, media, &also) {
            self.bypass(&entity.leaf_path(), Bypass::Opaque);
        }
        also.retain(|other| *other != media && *other != Media::Opaque);
        Some((media, also))
    }

    /// A leaf with the bytes `raw` as a part, and the codecs that its labels name as charsets.
    fn part(
        &mut self,
        walk: &Walk<'_>,
        entity: Entity,
        (range, raw): (Range<usize>, &[u8]),
        seal: Encryption,
    ) -> Option<(Part, Vec<Codec>)> {
        let (media, mut also) = self.media(&entity, raw, seal)?;
        let (path, transfer) = (entity.leaf_path(), entity.labels.transfer());
        let BodyLabels { types, transfers, disposition, names, bases, externals, forms, .. } =
            entity.labels;
        let label = types.first()?;
        let charsets = charsets(&types);
        let is_text = !matches!(media, Media::Opaque | Media::Inert);
        let codecs = if is_text { codecs(&charsets) } else { Vec::new() };
        if !codecs.is_empty()
            || has_odd_padding(&transfers, raw)
            || is_text && is_read_apart(charsets.first(), &transfers, forms, raw)
        {
            self.tree.ambiguous.insert(path.clone());
        }
        self.tree.codec |= !codecs.is_empty();
        let is_page = media == Media::Html || also.contains(&Media::Html);
        also.extend((codecs.contains(&Codec::References) && !is_page).then_some(Media::Html));
        let mut signed = entity.context.signed;
        if is_text && armor::is_clear_signed(raw, transfer) {
            signed.insert(Signature::PgpInline);
        }
        let attachment = disposition.kind == "attachment";
        let surroundings = Surroundings { signed, attachment, sealed: self.is_sealed(walk.layer) };
        let document = is_document(&types, &names, &transfers, raw);
        let site = PartSite {
            layer: walk.layer,
            head: entity.head,
            body: range,
            alternative_path: entity.context.alternative_path,
            transfers,
            charsets,
            decodings: OnceLock::new(),
        };
        let part = Part {
            path,
            document,
            drawing: types.iter().all(|label| sniff::is_drawing(label, &names)),
            media,
            also,
            surroundings,
            alternative: entity.context.alternative,
            label: media_type(label),
            holds_yenc: false,
            view: walk.views.view(),
            bases: self.bases(bases, entity.context.bases),
            externals,
            names,
            site,
        };
        Some((part, codecs))
    }

    /// Adds a part as seen by programs that take a transfer encoding for a charset: unwrapped once more.
    fn add_decoded_again(&mut self, walk: &Walk<'_>, part: &Part, inner: Transfer) {
        if self.tree.parts.len() >= self.limits.parts {
            return self.bypass("", Bypass::Limit(Limit::Parts));
        }
        let outer = part.site.transfers.first().copied().unwrap_or_default();
        let Some(layer) = self.layer(walk, &part.site.body, outer) else {
            return self.bypass(&part.path, Bypass::Limit(Limit::Unwrapped));
        };
        let mut again = part.clone();
        again.view = ClientView::Other(Why::Label);
        again.site.body = 0..self.bytes(layer).get().len();
        again.site.layer = layer;
        again.site.transfers = vec![inner];
        again.site.charsets = Vec::new();
        self.tree.parts.push(again);
    }
}

/// Whether nobody can say what a leaf holds.
fn is_opaque(seal: Encryption, media: Media, also: &[Media]) -> bool {
    match seal {
        Encryption::None => media == Media::Opaque || also.contains(&Media::Opaque),
        Encryption::Opened => false,
        Encryption::Secret => true,
    }
}

fn has_odd_padding(transfers: &[Transfer], raw: &[u8]) -> bool {
    transfers.contains(&Transfer::Base64) && base64::has_odd_padding(raw)
}

/// Whether programs read other characters in a text: of a charset that some do not know, behind the padding of base64,
/// where some end, or by a label that is none to some.
fn is_read_apart(
    charset: Option<&String>,
    transfers: &[Transfer],
    forms: Forms,
    raw: &[u8],
) -> bool {
    charset.is_some_and(|charset| is_read_as_others(charset, transfers, raw))
        || transfers.contains(&Transfer::Base64) && base64::has_text_behind_padding(raw)
        || forms.read_apart(transfers, raw)
}

/// Whether a leaf of multipart/encrypted only says of which version the other is (RFC 3156 §4).
fn is_control(label: &ContentType, raw: &[u8]) -> bool {
    label.subtype == "pgp-encrypted" && raw.trim_ascii().eq_ignore_ascii_case(b"version: 1")
}

/// Most bytes of the name of a media type or subtype (RFC 6838 §4.2).
const MEDIA_NAME: usize = 127;

/// The media type that a label names, each half truncated to the allowed length.
fn media_type(label: &ContentType) -> String {
    let [kind, subtype] = [&label.kind, &label.subtype]
        .map(|name| name.get(..name.floor_char_boundary(MEDIA_NAME)).unwrap_or_default());
    [kind, "/", subtype].concat()
}

/// The media that programs take a leaf for: of most, and of others.
fn by_order(mut all: Vec<Media>) -> (Media, Vec<Media>) {
    let first = if all.is_empty() { Media::Opaque } else { all.remove(0) };
    (first, all)
}

/// The media of encrypted data. They do not look like a page, and have no file name of one.
fn encrypted(label: &ContentType, seen: Vec<Media>, raw: &[u8]) -> (Media, Vec<Media>) {
    match by_order(seen) {
        (page, others) if page.is_markup() => (page, others),
        _ if is_control(label, raw) => (Media::Inert, Vec::new()),
        _ => (Media::Opaque, Vec::new()),
    }
}

/// Whether programs that do not know a charset read other characters than those that do.
fn is_read_as_others(charset: &str, transfers: &[Transfer], raw: &[u8]) -> bool {
    let is_plain = || transfers.iter().all(|how| is_plain(&how.bytes(raw)));
    is_unknown(charset) && !(is_of_ascii(charset) && is_plain())
}

/// Whether no program shows a leaf as text, whichever of its labels and transfer encodings it uses.
fn is_document(
    types: &[ContentType],
    names: &[String],
    transfers: &[Transfer],
    raw: &[u8],
) -> bool {
    let first = transfers.first().copied().unwrap_or_default();
    let others = transfers.iter().skip(1).copied();
    std::iter::once(first).chain(others).all(|transfer| {
        let opening = || sniff::opening(raw, transfer);
        types.iter().all(|label| document::is_document(label, names, opening))
    })
}

/// The charsets that labels name.
fn charsets(types: &[ContentType]) -> Vec<String> {
    types.iter().filter_map(|label| label.parameter("charset")).map(Cow::into_owned).collect()
}

/// The codecs among charset labels, each once. Programs use one label or another, so all are tried.
fn codecs(charsets: &[String]) -> Vec<Codec> {
    let mut codecs = Vec::new();
    for codec in charsets.iter().filter_map(|label| Codec::from_label(label)) {
        // There are few codecs.
        if !codecs.contains(&codec) {
            codecs.push(codec);
        }
    }
    codecs
}

/// Whether a label names a charset that is not known here.
fn is_unknown(label: &str) -> bool {
    // What nearly all fail on comes first.
    Charset::from_label(label).is_none()
        && !label.is_empty()
        && !means_unknown(label)
        && !means_utf8(label)
}

/// Whether a name of a program or a locale means UTF-8: `utf-8-sig`, `UTF-8-BOM`, `de_DE.utf8`.
fn means_utf8(label: &str) -> bool {
    let name = label.rsplit('.').next().unwrap_or_default();
    let letters = name.chars().filter(char::is_ascii_alphanumeric);
    let name: String = letters.map(|c| c.to_ascii_lowercase()).collect();
    matches!(name.as_str(), "utf8" | "utf8sig" | "utf8bom" | "utf8mb4")
}

/// What is in the names of charsets that have more than ASCII in bytes of ASCII, or other letters in them.
const NOT_OF_ASCII: [&str; 13] = [
    "7", "16", "32", "2022", "hz", "ucs", "unicode", "ebcdic", "scsu", "bocu", "puny", "escape",
    "imap",
];

/// Whether whoever knows a charset that is not known here reads ASCII in it as everybody does.
fn is_of_ascii(label: &str) -> bool {
    let label = label.to_ascii_lowercase();
    !NOT_OF_ASCII.iter().any(|piece| label.contains(piece))
}

/// Whether a text is ASCII that shifts to no other characters.
fn is_plain(bytes: &[u8]) -> bool {
    bytes.is_ascii() && memchr::memchr3(0x0E, 0x0F, 0x1B, bytes).is_none()
}

/// Whether a charset name means that the charset is unknown (RFC 1428 §3). Includes the answers `y` and `yes`, which
/// people give when `git send-email` asks for the charset to declare: it takes the answer for a name. `ansi` is whichever
/// a machine has, `null` what a program did not set.
fn means_unknown(label: &str) -> bool {
    let label = label.trim().to_ascii_lowercase();
    if matches!(label.as_str(), "y" | "yes" | "ansi" | "null") {
        return true;
    }
    let label = label.strip_prefix("x-").unwrap_or(&label);
    ["unknown", "default", "user-defined", "none", "binary"].iter().any(|no| label.starts_with(no))
}
