//! What is wrapped but not encrypted, and cannot be edited in place: PKCS#7 signed and compressed data.
//! It is read and reported.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use flate2::{Decompress, FlushDecompress, Status};

use super::again::Views;
use super::der::{self, Content};
use super::header::ContentType;
use super::structure::{Entity, Layer, Pass, Splitter};
use super::transfer::Transfer;
use super::walk::Walk;
use crate::engine::outcome::Bypass;
use crate::engine::span::{Map, PieceKind};

impl Splitter<'_> {
    /// Whether the bytes of a layer cannot be edited.
    pub fn is_sealed(&self, layer: usize) -> bool {
        let above = layer.checked_sub(1).and_then(|index| self.tree.layers.get(index));
        above.is_some_and(|layer| layer.sealed)
    }

    /// Queues a walk over the content of a PKCS#7 part, where it has any to read.
    pub fn unseal(&mut self, walk: &Walk<'_>, entity: &Entity, range: &Range<usize>) {
        if !is_pkcs7(entity) || entity.depth >= self.limits.depth {
            return;
        }
        let raw = walk.bytes.get().get(range.clone()).unwrap_or_default();
        let transfer = entity.labels.transfer();
        let Some(content) = der::content(&transfer.decode(raw).bytes) else { return };
        let Some(below) = self.layer(walk, range, transfer) else {
            self.bypass(&entity.leaf_path(), Bypass::Limit("unwrapped"));
            return;
        };
        let der = self.bytes(below);
        let der = der.get();
        let (bytes, map) = match content {
            Content::Signed(octets) => joined(der, &octets),
            Content::Compressed(octets) => {
                let most = self.room().saturating_sub(self.unwrapped);
                let (packed, _) = joined(der, &octets);
                let Some(bytes) = inflated(&packed, most) else {
                    self.bypass(&entity.leaf_path(), Bypass::Limit("unwrapped"));
                    return;
                };
                let mut map = Map::new();
                map.push(0, 0, PieceKind::Atomic);
                map.push(bytes.len(), der.len(), PieceKind::Atomic);
                map.close(bytes.len(), der.len());
                (Cow::Owned(bytes), map)
            }
        };
        if self.unwrapped + bytes.len() > self.room() {
            self.bypass(&entity.leaf_path(), Bypass::Limit("unwrapped"));
            return;
        }
        self.unwrapped += bytes.len();
        let end = bytes.len();
        self.tree.layers.push(Layer {
            bytes: Arc::new(bytes.into_owned()),
            below,
            range: 0..der.len(),
            transfer: Transfer::Identity,
            map: Some(map),
            sealed: true,
        });
        let mut entity = entity.clone();
        entity.path = entity.leaf_path();
        entity.labels.types = ContentType::parse(b"message/rfc822");
        entity.labels.transfers = vec![Transfer::Identity];
        entity.labels.names = Vec::new();
        entity.ragged = None;
        entity.depth += 1;
        let layer = self.tree.layers.len();
        self.queue.push_back(Pass { layer, range: 0..end, entity, views: Views::Again(1) });
    }
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

/// Ranges in a row, with the way back.
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

/// What zlib unpacks to; `None` when that is more than `most` bytes. Damaged, as far as it goes.
fn inflated(packed: &[u8], most: usize) -> Option<Vec<u8>> {
    let mut engine = Decompress::new(true);
    let mut out = Vec::with_capacity(packed.len().saturating_mul(2).min(most));
    while out.len() <= most {
        let taken = usize::try_from(engine.total_in()).unwrap_or(packed.len());
        let rest = packed.get(taken..).unwrap_or_default();
        let before = out.len();
        let status = engine.decompress_vec(rest, &mut out, FlushDecompress::None);
        match status {
            Ok(Status::StreamEnd) | Err(_) => return (out.len() <= most).then_some(out),
            Ok(_) if out.len() < out.capacity() && out.len() == before => return Some(out),
            Ok(_) => out.reserve(out.capacity().clamp(64, most + 1)),
        }
    }
    None
}
