//! Splits a message into parts: one pass over the lines of each layer, with a stack of open multiparts and
//! no recursion.
//!
//! | clause | item |
//! | --- | --- |
//! | RFC 2046 §5.1.1, delimiter lines | [`super::walk`] |
//! | RFC 2046 §5.2.1, message/rfc822, also when encoded | [`Splitter::enter`], [`UnwrappedLayer`] |
//!
//! Like clients: a part without a closing delimiter ends with the outer part; a multipart whose
//! delimiter never occurs is a leaf; parts after a closing delimiter are parts as well.

mod again;
mod blocks;
mod leaf;
mod sealed;

use std::cell::Cell;
use std::collections::VecDeque;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use super::content_type::ContentType;
use super::entity::{Context, Entity, EntityLevel, Head, join};
use super::guess::Guess;
use super::header;
use super::labels::{BodyLabels, DefaultType};
use super::transfer::Transfer;
use super::walk::{Boundaries, LayerBytes, OpenLeaf, OpenMessage, OpenMultipart, Views, Walk};
use super::{Clarity, ClientView, Media, Message, Part, Tree};
use crate::edit::{Bypass, Limit};
use crate::limits::SplitLimits;
use crate::signatures::Signature;
use crate::span::Map;
use again::Visited;

/// The unwrapped bytes of an encoded part, in which there are further parts.
#[derive(Clone, Debug)]
pub(super) struct UnwrappedLayer {
    pub bytes: Arc<Vec<u8>>,
    /// The layer, byte range and encoding from which it was unwrapped.
    pub below: usize,
    pub range: Range<usize>,
    pub transfer: Transfer,
    /// Map to the bytes from which it was unwrapped; `None` if they are the same.
    pub map: Option<Map>,
    /// Whether the bytes from which it was unwrapped cannot be edited.
    pub sealed: bool,
}

impl UnwrappedLayer {
    /// The range in the layer below for this range.
    pub fn source(&self, range: Range<usize>) -> Range<usize> {
        match &self.map {
            None => range,
            Some(map) => map.source(range),
        }
    }
}

/// Total bytes of all layers that are always allowed; the limit is this or [`UNWRAPPED`] times the body, whichever is larger.
pub const UNWRAPPED_BASE: usize = 1 << 20;

/// Limit on the total bytes of all layers, as a multiple of the body.
pub const UNWRAPPED: usize = 2;

/// Limit on the bytes that are walked again for second readings, as a multiple of the body.
pub const REREAD: usize = 4;

/// Parts without a header, and with less content than any link, that are kept. Real mail has a few; more of
/// them are padding by an attacker and are skipped.
pub const FILLERS: usize = 100;

/// Number of skipped parts that count as one part of the limit: only the delimiter of each is stored.
pub const FILLERS_A_PART: usize = 100;

/// Longest body in bytes: maps store offsets in 32 bits, and a byte can become three bytes of text.
pub const LARGEST: u64 = u32::MAX as u64 / 3;

/// Bases of relative URLs that one part has: honest mail has one.
const BASES: usize = 8;

/// Where the header of an inner message is.
#[derive(Clone, Debug)]
pub(super) struct InnerHead {
    pub path: String,
    /// See [`PartSite::layer`].
    pub layer: usize,
    pub range: Range<usize>,
}

/// Headers of inner messages that are kept, at most.
const INNER_HEADS: usize = 64;

/// Where a part is, and its labels.
#[derive(Clone, Debug)]
pub(super) struct PartSite {
    /// 0 is the body; else an index of [`Tree::layers`], plus one.
    pub layer: usize,
    pub head: Head,
    /// Byte range of the content in the layer, without the line end before the delimiter.
    pub body: Range<usize>,
    /// Bytes of the path of the innermost multipart/alternative.
    pub alternative_path: usize,
    /// The declared encoding, then others that a client might use.
    pub transfers: Vec<Transfer>,
    /// The declared charsets, that of the first reading first.
    pub charsets: Vec<String>,
    /// The transfer encodings in which it is read, computed on demand.
    pub decodings: OnceLock<Vec<Decoding>>,
}

/// A transfer encoding in which a part is read.
#[derive(Clone, Debug)]
pub(super) struct Decoding {
    pub transfer: Transfer,
    /// The charset guess for the unwrapped bytes, computed on demand. Detection costs a hundred times as much as
    /// reading, and a part is read several times: to be judged, to be edited, by the engine's `net`.
    pub guess: OnceLock<Guess>,
}

/// Splits. See [`super::parse`].
pub(super) fn split(message: Message<'_>, limits: &SplitLimits, stop: Option<&AtomicBool>) -> Tree {
    let mut splitter = Splitter {
        message,
        limits,
        stop,
        // Most messages have one part.
        tree: Tree { parts: Vec::with_capacity(1), ..Tree::default() },
        queue: VecDeque::with_capacity(1),
        unwrapped: 0,
        inflater: None,
        visited: Visited::default(),
        alternatives: 0,
        bases: Vec::new(),
    };
    if too_large(message.body.len()) {
        splitter.bypass("", Bypass::Limit(Limit::Size));
        return splitter.tree;
    }
    let block = splitter.capped(message.head, "0");
    let agreed = header::agreed(block);
    let labels = BodyLabels::among(block, agreed.as_deref(), DefaultType::Text);
    splitter.tree.head = agreed.filter(|_| block.len() == message.head.len());
    splitter.note("1", &labels);
    splitter.queue.push_back(Pass {
        layer: 0,
        range: 0..message.body.len(),
        entity: Entity {
            path: String::new(),
            place: EntityLevel::Top,
            head: Head::Message,
            labels,
            context: Context::default(),
            depth: 0,
            ragged: None,
        },
        views: Views::Usual,
    });
    splitter.tree.steps = message.head.len() as u64;
    while let Some(pass) = splitter.next() {
        splitter.tree.steps += pass.range.len() as u64;
        splitter.run(pass);
        if let Some(limit) = splitter.ended() {
            splitter.bypass("", Bypass::Limit(limit));
            break;
        }
    }
    splitter.tree.steps += splitter.unwrapped as u64;
    // Parts that most clients see come first: of two edits of the same bytes the first is kept.
    let key = |part: &Part| (part.view != ClientView::Usual, path_key(&part.path));
    splitter.tree.parts.sort_by_cached_key(key);
    splitter.tree
}

/// Steps for the start of a part, kept or not: reading its header, looking for second readings.
const CHILD_STEPS: u64 = 64;

/// Steps of each byte of the header of a part. Where the labels in it are none by the standard, each is read in several ways.
const LABEL_STEPS: u64 = 8;

/// Steps of a further reading of the type of a part: its charset is looked up, and another walk prepared.
const FURTHER_TYPE_STEPS: u64 = 400;

fn too_large(length: usize) -> bool {
    length as u64 > LARGEST
}

/// Sort key of a path.
fn path_key(path: &str) -> Vec<u32> {
    path.split('.').map(|number| number.parse().unwrap_or(u32::MAX)).collect()
}

/// One walk over a range of a layer: the body of an entity.
pub(super) struct Pass {
    pub layer: usize,
    pub range: Range<usize>,
    pub entity: Entity,
    pub views: Views,
}

pub(super) struct Splitter<'m> {
    pub message: Message<'m>,
    pub limits: &'m SplitLimits,
    /// Set when there is no more time.
    stop: Option<&'m AtomicBool>,
    pub tree: Tree,
    pub queue: VecDeque<Pass>,
    /// Total bytes of all layers so far.
    pub unwrapped: usize,
    /// State of second readings.
    visited: Visited,
    pub alternatives: usize,
    /// Bases of relative URLs that multiparts name, each with the next one around it that does.
    bases: Vec<(Vec<Arc<str>>, Option<usize>)>,
    /// The inflater, reused for all compressed parts.
    inflater: Option<flate2::Decompress>,
}

impl<'m> Splitter<'m> {
    fn run(&mut self, pass: Pass) {
        let Pass { layer, range, entity, views } = pass;
        let mut walk = Walk {
            layer,
            bytes: self.bytes(layer),
            end: range.end,
            views,
            frames: Vec::new(),
            boundaries: Boundaries::default(),
            messages: Vec::new(),
            open: None,
            lone_cr: Cell::new(false),
        };
        let mut at = self.enter(&mut walk, entity, range.start);
        while let Some(delimiter) = walk.next_delimiter(at) {
            // After a closing one a part may begin for some clients, so it is not recorded.
            if !delimiter.closing {
                self.visited.delimiters.insert((layer, delimiter.line.start));
            }
            if self.ended().is_some() {
                break;
            }
            let content_end = walk.before_line_end(delimiter.line.start);
            self.close(&mut walk, delimiter.frame + 1, content_end);
            at = delimiter.line.end;
            if delimiter.closing {
                continue;
            }
            let fillers = self.visited.fillers / FILLERS_A_PART;
            if self.tree.parts.len() + fillers >= self.limits.parts {
                self.bypass("", Bypass::Limit(Limit::Parts));
                self.rest(&walk, at..walk.end);
                return;
            }
            self.tree.steps += CHILD_STEPS;
            at = self.child(&mut walk, delimiter.frame, at);
        }
        let end = walk.end;
        self.close(&mut walk, 0, end);
    }

    /// Adds the bytes after the last allowed part as one text and as one page, so that visible deceptive links in
    /// them are still defanged.
    fn rest(&mut self, walk: &Walk<'_>, range: Range<usize>) {
        if !matches!(walk.views, Views::Usual) {
            return;
        }
        let entity = Entity {
            path: join("", self.limits.parts + 1),
            place: EntityLevel::Child,
            head: Head::Block(range.start..range.start),
            labels: BodyLabels::of(b"", DefaultType::Text),
            context: Context::default(),
            depth: self.limits.depth,
            ragged: None,
        };
        self.leaf(walk, entity, range);
        if let Some(part) = self.tree.parts.last_mut()
            && part.media != Media::Html
            && !part.also.contains(&Media::Html)
        {
            part.also.push(Media::Html);
        }
    }

    pub fn bytes(&self, layer: usize) -> LayerBytes<'m> {
        let above = layer.checked_sub(1).and_then(|index| self.tree.layers.get(index));
        above.map_or(LayerBytes::Body(self.message.body), |layer| {
            LayerBytes::Layer(Arc::clone(&layer.bytes))
        })
    }

    /// The limit that ends the splitting, if one does.
    fn ended(&self) -> Option<Limit> {
        match self.stop.is_some_and(|stop| stop.load(Ordering::Relaxed)) {
            true => Some(Limit::MessageTimeout),
            false => (self.tree.steps > self.limits.steps).then_some(Limit::Steps),
        }
    }

    /// The labels of a header block, and the steps for them.
    fn labels(&mut self, block: &[u8], default_type: DefaultType) -> BodyLabels {
        let labels = BodyLabels::of(block, default_type);
        self.tree.steps += LABEL_STEPS * block.len() as u64
            + FURTHER_TYPE_STEPS * labels.types.len().saturating_sub(1) as u64;
        labels
    }

    pub fn bypass(&mut self, path: &str, why: Bypass) {
        // Second readings reach the same limits again.
        if let Bypass::Limit(limit) = why
            && !self.visited.limits.insert(limit)
        {
            return;
        }
        self.tree.bypasses.push((path.to_owned(), why));
    }

    /// Records that programs do not agree on the labels.
    fn note(&mut self, path: &str, labels: &BodyLabels) {
        if labels.clarity == Clarity::Ambiguous || labels.may_be_container_by_form() {
            self.tree.ambiguous.insert(path.to_owned());
        }
    }

    /// A header block, truncated to the limit.
    pub fn capped<'b>(&mut self, block: &'b [u8], path: &str) -> &'b [u8] {
        if block.len() > self.limits.header_bytes {
            self.bypass(path, Bypass::Limit(Limit::Header));
        }
        block.get(..self.limits.header_bytes).unwrap_or(block)
    }

    /// Enters the body of an entity: opens a multipart, an inner message, or a leaf. Returns where to
    /// look for the next delimiter.
    fn enter(&mut self, walk: &mut Walk<'_>, mut entity: Entity, mut start: usize) -> usize {
        loop {
            let Some(label) = entity.labels.types.first() else { return start };
            let deep = entity.depth >= self.limits.depth;
            let container = label.kind == "multipart" || entity.labels.is_message();
            if container && deep {
                self.bypass(&entity.leaf_path(), Bypass::Limit(Limit::Depth));
            } else if label.kind == "multipart" {
                let boundary = walk.boundary_of(label, start);
                if !boundary.is_empty() {
                    let context = self.context_below(&entity);
                    walk.boundaries.add(&boundary, walk.frames.len());
                    walk.frames.push(OpenMultipart {
                        entity,
                        boundary,
                        start,
                        children: 0,
                        context,
                    });
                    return start;
                }
            } else if entity.labels.is_message() && entity.labels.transfer() == Transfer::Identity {
                if entity.labels.types.len() > 1 || entity.labels.transfers.len() > 1 {
                    walk.messages.push(OpenMessage {
                        entity: entity.clone(),
                        start,
                        frames: walk.frames.len(),
                    });
                }
                let path = entity.leaf_path();
                let context =
                    Context { default_type: DefaultType::Text, bases: None, ..entity.context };
                let depth = entity.depth + 1;
                (entity, start) = self.header(walk, start, path, EntityLevel::Top, context, depth);
                self.keep_head(walk, &entity);
                continue;
            }
            walk.open = Some(OpenLeaf { entity, start });
            return start;
        }
    }

    /// Keeps where the header of an inner message is.
    fn keep_head(&mut self, walk: &Walk<'_>, entity: &Entity) {
        let Head::Block(range) = &entity.head else { return };
        let range = range.start..range.end.min(range.start + self.limits.header_bytes);
        let head = InnerHead { path: entity.path.clone(), layer: walk.layer, range };
        let is_known = |other: &InnerHead| (other.layer, &other.range) == (head.layer, &head.range);
        if !head.range.is_empty()
            && self.tree.inner_heads.len() < INNER_HEADS
            && !self.tree.inner_heads.iter().any(is_known)
        {
            self.tree.inner_heads.push(head);
        }
    }

    /// The context of a multipart's children.
    fn context_below(&mut self, entity: &Entity) -> Context {
        let mut context = Context { default_type: DefaultType::Text, ..entity.context };
        let label = entity.labels.types.first();
        match label.map_or("", |label| label.subtype.as_str()) {
            "signed" => {
                let protocol = label.and_then(|label| label.parameter("protocol"));
                context.signed.insert(Signature::of_protocol(protocol.as_deref()));
            }
            "encrypted" => context.encrypted = true,
            "digest" => context.default_type = DefaultType::Message,
            "alternative" => {
                context.alternative = Some(self.alternatives);
                context.alternative_path = entity.path.len();
                self.alternatives += 1;
            }
            _ => {}
        }
        if !entity.labels.bases.is_empty() {
            self.bases.push((entity.labels.bases.clone(), context.bases));
            context.bases = self.bases.len().checked_sub(1);
        }
        context
    }

    /// The bases of a part: its own, then those of the multiparts around it (RFC 2557 §5).
    fn bases(&self, mut own: Vec<Arc<str>>, mut around: Option<usize>) -> Vec<Arc<str>> {
        while let Some((outer, next)) = around.and_then(|at| self.bases.get(at)) {
            own.extend_from_slice(outer);
            around = next.filter(|_| own.len() < BASES);
        }
        own.truncate(BASES);
        own
    }

    /// Reads the header of a multipart's child and enters its body.
    fn child(&mut self, walk: &mut Walk<'_>, frame: usize, start: usize) -> usize {
        let Some(parent) = walk.frames.get_mut(frame) else { return start };
        parent.children += 1;
        let path = join(&parent.entity.path, parent.children);
        let (context, depth) = (parent.context, parent.entity.depth + 1);
        let (mut entity, body) = self.header(walk, start, path, EntityLevel::Child, context, depth);
        if entity.context.encrypted && !entity.labels.is_application() {
            // RFC 1847 §2.2: there is a control part and an encrypted part, both `application`.
            entity.context.encrypted = false;
            self.tree.ambiguous.insert(entity.path.clone());
        }
        self.enter(walk, entity, body)
    }

    /// Reads the header block at `start`.
    fn header(
        &mut self,
        walk: &Walk<'_>,
        start: usize,
        path: String,
        place: EntityLevel,
        context: Context,
        depth: usize,
    ) -> (Entity, usize) {
        let block = walk.header_block(start);
        let bytes =
            self.capped(walk.bytes.get().get(block.head.clone()).unwrap_or_default(), &path);
        let labels = self.labels(bytes, context.default_type);
        self.note(&path, &labels);
        let head = Head::Block(block.head);
        let entity = Entity { path, place, head, labels, context, depth, ragged: block.ragged };
        (entity, block.body)
    }

    /// Closes the open leaf and all multiparts from the index `from`.
    fn close(&mut self, walk: &mut Walk<'_>, from: usize, end: usize) {
        if let Some(open) = walk.open.take() {
            let range = open.start..end.max(open.start);
            self.second_readings(walk, &open.entity, &range, end);
            self.leaf(walk, open.entity, range);
        }
        while let Some(message) = walk.messages.pop_if(|message| message.frames >= from) {
            let range = message.start..end.max(message.start);
            self.second_readings(walk, &message.entity, &range, end);
        }
        while walk.frames.len() > from
            && let Some(frame) = walk.frames.pop()
        {
            walk.boundaries.remove(&frame.boundary);
            let range = frame.start..end.max(frame.start);
            self.second_readings(walk, &frame.entity, &range, end);
            if frame.children == 0 {
                self.without_delimiter(walk, frame.entity, range);
            } else {
                if walk.lone_cr.get() {
                    self.delimited_by_lone_crs(walk, &frame.entity, &range);
                }
                self.as_text(walk, frame.entity, range);
            }
        }
    }

    /// Handles a multipart whose delimiter never occurred: it is encoded against the rules, or else a leaf.
    fn without_delimiter(&mut self, walk: &Walk<'_>, mut entity: Entity, range: Range<usize>) {
        let transfer = entity.labels.transfer();
        if transfer != Transfer::Identity && self.unwrap(walk, &entity, &range, transfer) {
            return;
        }
        self.delimited_by_lone_crs(walk, &entity, &range);
        self.guess(walk, &entity, &range);
        entity.labels.types = ContentType::parse(b"text/plain");
        self.leaf(walk, entity, range);
    }

    /// Unwraps an encoded entity into a layer of its own and queues the walk over it.
    fn unwrap(
        &mut self,
        walk: &Walk<'_>,
        entity: &Entity,
        range: &Range<usize>,
        transfer: Transfer,
    ) -> bool {
        let Some(layer) = self.layer(walk, range, transfer) else {
            self.bypass(&entity.leaf_path(), Bypass::Limit(Limit::Unwrapped));
            return false;
        };
        let mut entity = entity.clone();
        entity.labels.transfers = vec![Transfer::Identity];
        entity.depth += 1;
        let end = self.bytes(layer).get().len();
        self.queue.push_back(Pass { layer, range: 0..end, entity, views: walk.views });
        true
    }

    /// Limit on the total bytes of all layers.
    pub fn max_layer_bytes(&self) -> usize {
        self.message.body.len().saturating_mul(UNWRAPPED).max(UNWRAPPED_BASE)
    }

    /// Adds a layer with the unwrapped bytes; `None` if all layers together would be too large.
    pub fn layer(
        &mut self,
        walk: &Walk<'_>,
        range: &Range<usize>,
        transfer: Transfer,
    ) -> Option<usize> {
        let raw = walk.bytes.get().get(range.clone())?;
        if self.unwrapped + raw.len() > self.max_layer_bytes() {
            return None;
        }
        let decoded = transfer.decode(raw);
        self.unwrapped += decoded.bytes.len();
        self.tree.layers.push(UnwrappedLayer {
            map: decoded.map,
            bytes: Arc::new(decoded.bytes.into_owned()),
            below: walk.layer,
            range: range.clone(),
            transfer,
            sealed: self.is_sealed(walk.layer),
        });
        Some(self.tree.layers.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Parts of a few bytes each, whose labels are read in many ways.
    fn odd_parts(count: usize) -> String {
        let part = "--b\r\nContent-Type: text/'plain; charset=a@b.gbk\rtent-Type: text/html; =x\r\n\r\nhi\r\n";
        part.repeat(count)
    }

    fn tree(body: &str, limits: &SplitLimits) -> Tree {
        let head = b"Content-Type: multipart/mixed; boundary=b\r\n";
        split(Message { head, body: body.as_bytes() }, limits, None)
    }

    #[test]
    fn labels_that_are_read_in_many_ways_pay_for_each() {
        let limits = SplitLimits::default();
        let odd = odd_parts(100);
        let plain = "--b\r\nContent-Type: text/plain; charset=utf-8\r\n\r\nhi\r\n".repeat(100);
        let steps = |body: &str| tree(body, &limits).steps / body.len() as u64;
        assert!(steps(&odd) > steps(&plain) + LABEL_STEPS, "{} {}", steps(&odd), steps(&plain));
    }

    #[test]
    fn splitting_ends_with_its_steps() {
        let body = odd_parts(1_000);
        let whole = tree(&body, &SplitLimits::default());
        let cut = tree(&body, &SplitLimits { steps: whole.steps / 10, ..SplitLimits::default() });
        let limit = |limit| (String::new(), Bypass::Limit(limit));
        assert!(
            cut.bypasses.contains(&limit(Limit::Steps))
                && !whole.bypasses.contains(&limit(Limit::Steps))
        );
        assert!(cut.parts.len() < whole.parts.len() / 5 && !cut.parts.is_empty());
        assert!(cut.steps < whole.steps / 9, "{} {}", cut.steps, whole.steps);
    }

    #[test]
    fn bodies_whose_offsets_need_more_than_32_bits() {
        let largest = usize::try_from(LARGEST).unwrap();
        assert!(!too_large(largest));
        assert!(largest.checked_add(1).is_none_or(too_large));
    }
}
