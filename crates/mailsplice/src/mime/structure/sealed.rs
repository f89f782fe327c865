//! Unwraps data that is not encrypted, but cannot be edited in place: PKCS#7 signed and compressed data, OpenPGP
//! messages that are signed or compressed, pictures in gzip (SVG Tiny 1.2 appendix H, `.svgz`). It is read and
//! reported.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use super::super::Why;
use super::super::armor;
use super::super::charset::Charset;
use super::super::content_type::ContentType;
use super::super::der::{self, Content};
use super::super::entity::Entity;
use super::super::header;
use super::super::inflate::{DeflateFormat, InflateBudget};
use super::super::openpgp::{self, Rest};
use super::super::transfer::Transfer;
use super::super::walk::{Views, Walk};
use super::{Pass, Splitter, UnwrappedLayer};
use crate::edit::{Bypass, Limit};
use crate::span::{Map, PieceKind};

/// The wrapped content of a part.
enum Wrapped {
    Pkcs7(Content),
    /// Deflated data from this offset.
    Gzip(usize),
    /// The content of a message.
    OpenPgp(Vec<u8>),
}

/// What the OpenPGP messages of a part leave unread.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Encryption {
    /// There are none.
    None,
    /// Nothing.
    Opened,
    /// One at least, which is encrypted.
    Secret,
}

impl Splitter<'_> {
    /// Whether the bytes of a layer cannot be edited.
    pub fn is_sealed(&self, layer: usize) -> bool {
        let above = layer.checked_sub(1).and_then(|index| self.tree.layers.get(index));
        above.is_some_and(|layer| layer.sealed)
    }

    /// Queues a walk over the wrapped content of a part, if it has readable content.
    pub fn unseal(&mut self, walk: &Walk<'_>, entity: &Entity, range: &Range<usize>) -> Encryption {
        let raw = walk.bytes.get().get(range.clone()).unwrap_or_default();
        let charsets = entity.labels.charsets();
        let mut seal = Encryption::None;
        for transfer in &entity.labels.transfers {
            let kind = match entity {
                _ if is_pkcs7(entity) || is_openpgp(entity) => "message/rfc822",
                _ if armor::is_armored(raw, *transfer, &charsets) => "message/rfc822",
                _ if may_be_packed_picture(entity) => "image/svg+xml",
                _ => continue,
            };
            if entity.depth >= self.limits.depth {
                self.bypass(&entity.leaf_path(), Bypass::Limit(Limit::Depth));
                return seal;
            }
            seal = seal.max(self.unseal_as(walk, entity, range, (*transfer, kind)));
        }
        seal
    }

    /// The same in one transfer encoding; `kind` is the type of what is neither a text nor says its own.
    fn unseal_as(
        &mut self,
        walk: &Walk<'_>,
        entity: &Entity,
        range: &Range<usize>,
        (transfer, kind): (Transfer, &str),
    ) -> Encryption {
        let Some(raw) = walk.bytes.get().get(range.clone()) else { return Encryption::None };
        let mut budget = InflateBudget::of(self.max_layer_bytes().saturating_sub(self.unwrapped));
        budget.inflater = self.inflater.take();
        let unwrapped = transfer.bytes(raw);
        self.tree.steps += unwrapped.len() as u64;
        let (contents, seal) = wrapped(&unwrapped, &entity.labels.charsets(), &mut budget);
        if !contents.is_empty() {
            match self.layer(walk, range, transfer) {
                None => budget.is_over = true,
                Some(below) => {
                    for content in contents {
                        self.read_wrapped(entity, (below, kind), content, &mut budget);
                    }
                }
            }
        }
        self.unwrapped += budget.taken;
        self.inflater = budget.inflater.take();
        if budget.is_over {
            self.bypass(&entity.leaf_path(), Bypass::Limit(Limit::Unwrapped));
        }
        seal
    }

    /// Unwraps content into a layer on top of that of its transfer encoding, and queues the walk over it.
    fn read_wrapped(
        &mut self,
        entity: &Entity,
        (below, kind): (usize, &str),
        content: Wrapped,
        budget: &mut InflateBudget,
    ) {
        let is_text =
            |text: &[u8]| !text.split(|byte| *byte == b'\n').next().is_some_and(header::is_label);
        let kind = match &content {
            Wrapped::OpenPgp(text) if is_text(text) => "text/plain",
            _ => kind,
        };
        let bytes = self.bytes(below);
        let Some((unwrapped, map)) = unwrapped(bytes.get(), content, budget) else { return };
        let end = unwrapped.len();
        self.tree.layers.push(UnwrappedLayer {
            bytes: Arc::new(unwrapped),
            below,
            range: 0..bytes.get().len(),
            transfer: Transfer::Identity,
            map: Some(map),
            sealed: true,
        });
        self.read_unsealed(entity, kind, end);
    }

    /// Queues the walk over the last layer, of `end` bytes, as a part of this type.
    fn read_unsealed(&mut self, entity: &Entity, kind: &str, end: usize) {
        let mut entity = entity.clone();
        entity.path = entity.leaf_path();
        entity.labels.types = ContentType::parse(kind.as_bytes());
        entity.labels.transfers = vec![Transfer::Identity];
        entity.labels.names = Vec::new();
        entity.ragged = None;
        entity.depth += 1;
        entity.context.encrypted = false;
        let layer = self.tree.layers.len();
        self.queue.push_back(Pass {
            layer,
            range: 0..end,
            entity,
            views: Views::Again(1, Why::Wrapped),
        });
    }
}

/// Whether a part may be a picture in gzip, by its label and its names. Its first bytes decide later.
fn may_be_packed_picture(entity: &Entity) -> bool {
    let svg = |label: &ContentType| label.kind == "image" && label.subtype.starts_with("svg");
    let by_name = |name: &String| name.trim().to_ascii_lowercase().ends_with(".svgz");
    entity.labels.types.first().is_some_and(svg) || entity.labels.names.iter().any(by_name)
}

/// Whether a part may be an OpenPGP message by its label or its names.
fn is_openpgp(entity: &Entity) -> bool {
    let label = entity.labels.types.first();
    let by_label =
        label.is_some_and(|label| label.kind == "application" && label.subtype.contains("pgp"));
    let by_name = |name: &String| {
        let name = name.to_ascii_lowercase();
        [".pgp", ".gpg", ".asc"].iter().any(|extension| name.trim().ends_with(extension))
    };
    by_label || entity.labels.names.iter().any(by_name)
}

/// What is wrapped in these bytes, and what OpenPGP leaves.
fn wrapped(
    bytes: &[u8],
    charsets: &[Charset],
    budget: &mut InflateBudget,
) -> (Vec<Wrapped>, Encryption) {
    let pkcs7 = || der::content(bytes).map(Wrapped::Pkcs7);
    let gzip = || deflated(bytes).map(Wrapped::Gzip);
    if let Some(content) = pkcs7().or_else(gzip) {
        return (vec![content], Encryption::None);
    }
    let mut found = openpgp::messages(bytes, budget);
    for text in armor::in_ascii(bytes, charsets) {
        if found.are_none() && armor::armors(&text).next().is_some() {
            found = openpgp::messages(&text, budget);
        }
    }
    let seal = match found.rest {
        Rest::Secret => Encryption::Secret,
        Rest::None if found.contents.is_empty() => Encryption::None,
        Rest::None => Encryption::Opened,
    };
    (found.contents.into_iter().map(Wrapped::OpenPgp).collect(), seal)
}

/// The bytes of wrapped content, with a map to the bytes `below`, if `budget` suffices.
fn unwrapped(below: &[u8], content: Wrapped, budget: &mut InflateBudget) -> Option<(Vec<u8>, Map)> {
    let (bytes, map) = match content {
        Wrapped::Pkcs7(Content::Signed(octets)) => {
            Some(joined(below, &octets)).filter(|(bytes, _)| budget.take(bytes.len()))?
        }
        Wrapped::Pkcs7(Content::Compressed(octets)) => {
            whole(budget.inflated(&joined(below, &octets).0, DeflateFormat::Zlib)?, below.len())
        }
        Wrapped::OpenPgp(text) => whole(text, below.len()),
        Wrapped::Gzip(at) => {
            let packed = below.get(at..).unwrap_or_default();
            whole(budget.inflated(packed, DeflateFormat::Deflate)?, below.len())
        }
    };
    Some((bytes.into_owned(), map))
}

/// Offset of the data of a gzip member (RFC 1952 §2.3).
fn deflated(bytes: &[u8]) -> Option<usize> {
    let [0x1F, 0x8B, 8, flags, ..] = bytes else { return None };
    let mut at = 10;
    if flags & 4 != 0 {
        let [low, high] = *bytes.get(at..)?.first_chunk()?;
        at += 2 + usize::from(u16::from_le_bytes([low, high]));
    }
    for flag in [8, 16] {
        if flags & flag != 0 {
            at += memchr::memchr(0, bytes.get(at..)?)? + 1;
        }
    }
    Some(at + usize::from(flags & 2))
}

/// Unpacked bytes, with a map from each of them to the whole layer below.
pub(super) fn whole(bytes: Vec<u8>, below: usize) -> (Cow<'static, [u8]>, Map) {
    let mut map = Map::new();
    map.push(0, 0, PieceKind::Atomic);
    map.push(bytes.len(), below, PieceKind::Atomic);
    map.close(bytes.len(), below);
    (Cow::Owned(bytes), map)
}

fn is_pkcs7(entity: &Entity) -> bool {
    let label = entity.labels.types.first();
    let by_label = label.is_some_and(|label| {
        label.kind == "application"
            && matches!(
                label.subtype.as_str(),
                "pkcs7-mime" | "x-pkcs7-mime" | "pkcs7" | "cms" | "x-pkcs7"
            )
    });
    let by_name = |name: &String| {
        let name = name.to_ascii_lowercase();
        [".p7m", ".p7z", ".p7s"].iter().any(|extension| name.trim().ends_with(extension))
    };
    by_label || entity.labels.names.iter().any(by_name)
}

/// Concatenated ranges, with their map.
fn joined<'b>(bytes: &'b [u8], ranges: &[Range<usize>]) -> (Cow<'b, [u8]>, Map) {
    let mut out = Vec::new();
    let mut map = Map::new();
    for range in ranges.iter().filter(|range| !range.is_empty()) {
        map.push(out.len(), range.start, PieceKind::Linear);
        out.extend_from_slice(bytes.get(range.clone()).unwrap_or_default());
    }
    map.close(out.len(), bytes.len());
    (Cow::Owned(out), map)
}

#[cfg(test)]
mod tests {
    use super::super::{UNWRAPPED_BASE, split};
    use super::*;
    use crate::limits::SplitLimits;
    use crate::mime::Message;

    /// Nested compressed packets that inflate to half a megabyte.
    const PACKETS: &str = "yP8AAAAgATvxn4GBiY/x7cFGBiA4vOBn8P0HLKGMDKNgpIIaZgA=";

    #[test]
    fn what_is_inflated_counts_wherever_it_ends() {
        let part = format!(
            "--b\r\nContent-Type: application/pgp\r\nContent-Transfer-Encoding: base64\r\n\r\n{PACKETS}\r\n"
        );
        let steps = |parts: usize| {
            let body = part.repeat(parts);
            let head = b"Content-Type: multipart/mixed; boundary=b\r\n";
            let tree =
                split(Message { head, body: body.as_bytes() }, &SplitLimits::default(), None);
            let over = ("2".to_owned(), Bypass::Limit(Limit::Unwrapped));
            assert_eq!(tree.bypasses.contains(&over), parts > 1);
            tree.steps
        };
        assert!(steps(1) > UNWRAPPED_BASE as u64 / 2);
        let more = steps(1_000) - steps(100);
        assert!(more < 900 * 8 * part.len() as u64, "nothing more is unpacked: {more}");
    }
}
