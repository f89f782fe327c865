//! Unwraps data that is not encrypted, but cannot be edited in place: PKCS#7 signed and compressed data, OpenPGP
//! messages that are signed or compressed, pictures in gzip (SVG Tiny 1.2 appendix H, `.svgz`). It is read and
//! reported.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use super::super::Why;
use super::super::content_type::ContentType;
use super::super::der::{self, Content};
use super::super::entity::Entity;
use super::super::header;
use super::super::inflate::{Format, InflateBudget};
use super::super::openpgp;
use super::super::transfer::Transfer;
use super::super::walk::{Views, Walk};
use super::{Layer, Pass, Splitter};
use crate::edit::{Bypass, Limit};
use crate::span::{Map, PieceKind};

/// The wrapped content of a part.
enum Wrapped {
    Pkcs7(Content),
    /// Deflated data from this offset.
    Gzip(usize),
    /// The content of the message.
    OpenPgp(Vec<u8>),
}

/// The unwrapped content of a part.
struct Unsealed {
    layer: Layer,
    /// Whether it is a text without a header; OpenPGP data may be a text or a message.
    is_text: bool,
}

impl Splitter<'_> {
    /// Whether the bytes of a layer cannot be edited.
    pub fn is_sealed(&self, layer: usize) -> bool {
        let above = layer.checked_sub(1).and_then(|index| self.tree.layers.get(index));
        above.is_some_and(|layer| layer.sealed)
    }

    /// Queues a walk over the wrapped content of a part, if it has readable content.
    pub fn unseal(&mut self, walk: &Walk<'_>, entity: &Entity, range: &Range<usize>) {
        let raw = walk.bytes.get().get(range.clone()).unwrap_or_default();
        let kind = match entity {
            _ if entity.depth >= self.limits.depth => return,
            _ if is_pkcs7(entity) || may_be_openpgp(entity, raw) => "message/rfc822",
            _ if may_be_packed_picture(entity) => "image/svg+xml",
            _ => return,
        };
        let mut budget = InflateBudget::of(self.max_layer_bytes().saturating_sub(self.unwrapped));
        budget.inflater = self.inflater.take();
        let found = self.unsealed(walk, entity, range, &mut budget);
        self.unwrapped += budget.taken;
        self.inflater = budget.inflater.take();
        match found {
            Some(Unsealed { layer, is_text }) => {
                let end = layer.bytes.len();
                self.tree.layers.push(layer);
                self.read_unsealed(entity, if is_text { "text/plain" } else { kind }, end);
            }
            None if budget.is_over => {
                self.bypass(&entity.leaf_path(), Bypass::Limit(Limit::Unwrapped));
            }
            None => {}
        }
    }

    /// Unwraps a part into a layer on top of that of its transfer encoding.
    fn unsealed(
        &mut self,
        walk: &Walk<'_>,
        entity: &Entity,
        range: &Range<usize>,
        budget: &mut InflateBudget,
    ) -> Option<Unsealed> {
        let transfer = entity.labels.transfer();
        let unwrapped = transfer.bytes(walk.bytes.get().get(range.clone())?);
        let pkcs7 = || der::content(&unwrapped).map(Wrapped::Pkcs7);
        let gzip = || deflated(&unwrapped).map(Wrapped::Gzip);
        let openpgp = || openpgp::content(&unwrapped, budget).map(Wrapped::OpenPgp);
        let content = pkcs7().or_else(gzip).or_else(openpgp)?;
        let is_text =
            |text: &[u8]| !text.split(|byte| *byte == b'\n').next().is_some_and(header::is_label);
        let is_text = matches!(&content, Wrapped::OpenPgp(text) if is_text(text));
        let Some(below) = self.layer(walk, range, transfer) else {
            budget.is_over = true;
            return None;
        };
        let der = self.bytes(below);
        let der = der.get();
        let (bytes, map) = match content {
            Wrapped::Pkcs7(Content::Signed(octets)) => {
                Some(joined(der, &octets)).filter(|(bytes, _)| budget.take(bytes.len()))?
            }
            Wrapped::Pkcs7(Content::Compressed(octets)) => {
                whole(budget.inflated(&joined(der, &octets).0, Format::Zlib)?, der.len())
            }
            Wrapped::OpenPgp(text) => whole(text, der.len()),
            Wrapped::Gzip(at) => {
                let packed = der.get(at..).unwrap_or_default();
                whole(budget.inflated(packed, Format::Deflate)?, der.len())
            }
        };
        let layer = Layer {
            bytes: Arc::new(bytes.into_owned()),
            below,
            range: 0..der.len(),
            transfer: Transfer::Identity,
            map: Some(map),
            sealed: true,
        };
        Some(Unsealed { layer, is_text })
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

/// Whether a part may be an OpenPGP message: by its label, its names or its first bytes.
fn may_be_openpgp(entity: &Entity, raw: &[u8]) -> bool {
    let label = entity.labels.types.first();
    let by_label =
        label.is_some_and(|label| label.kind == "application" && label.subtype.contains("pgp"));
    let by_name = |name: &String| {
        let name = name.to_ascii_lowercase();
        [".pgp", ".gpg", ".asc"].iter().any(|extension| name.trim().ends_with(extension))
    };
    by_label || entity.labels.names.iter().any(by_name) || openpgp::is_armored(raw)
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
fn whole(bytes: Vec<u8>, below: usize) -> (Cow<'static, [u8]>, Map) {
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
    use crate::limits::Limits;
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
            let tree = split(Message { head, body: body.as_bytes() }, &Limits::default(), None);
            let over = ("2".to_owned(), Bypass::Limit(Limit::Unwrapped));
            assert_eq!(tree.bypasses.contains(&over), parts > 1);
            tree.steps
        };
        assert!(steps(1) > UNWRAPPED_BASE as u64 / 2);
        let more = steps(1_000) - steps(100);
        assert!(more < 900 * 4 * part.len() as u64, "nothing more is unpacked: {more}");
    }
}
