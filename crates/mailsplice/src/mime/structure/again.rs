//! Second readings of structure: walks the same bytes again, as other programs split them.
//!
//! They are limited: their bytes by [`REREAD`], their nesting by [`LEVELS`](super::super::walk::LEVELS), and no
//! reading is done twice.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::ops::Range;
use std::sync::Arc;

use super::super::content_type::ContentType;
use super::super::entity::{Context, Entity, EntityLevel, Head, join};
use super::super::header;
use super::super::labels::{BodyLabels, DefaultType, label_key};
use super::super::transfer::Transfer;
use super::super::walk::{Views, Walk};
use super::super::{Part, Why, sniff};
use super::{Pass, REREAD, Splitter};
use crate::edit::{Bypass, Limit};

/// Number of lines before a header that are not fields and are skipped.
const SKIPPED_LINES: usize = 4;

/// Steps of another reading, beside its bytes and those of its part.
const REREAD_STEPS: u64 = 512;

/// Layer, byte range, labels and transfer encoding of a walk.
type WalkKey = (usize, Range<usize>, [Vec<u8>; 4], Transfer);

fn walk_key(
    layer: usize,
    range: &Range<usize>,
    label: &ContentType,
    transfer: Transfer,
) -> WalkKey {
    (layer, range.clone(), label_key(label), transfer)
}

/// State of second readings: what was walked so far.
#[derive(Default)]
pub(super) struct Visited {
    /// Bytes walked a second time.
    bytes: usize,
    walked: HashSet<WalkKey>,
    /// Layers and offsets of delimiter lines.
    pub delimiters: BTreeSet<(usize, usize)>,
    /// Number of empty parts that were skipped.
    pub fillers: usize,
    /// Limits that were reached.
    pub limits: BTreeSet<Limit>,
    /// Number of layers that were checked for stray parts.
    layers: usize,
    /// Layers in which lone CRs were replaced by LF, by the original layer and byte range.
    lone_cr_layers: BTreeMap<(usize, usize, usize), usize>,
}

impl Splitter<'_> {
    /// The next pass. If the queue is empty, looks for parts without a declared delimiter.
    pub fn next(&mut self) -> Option<Pass> {
        loop {
            if let Some(pass) = self.queue.pop_front() {
                return Some(pass);
            }
            if self.visited.layers > self.tree.layers.len() {
                return None;
            }
            self.visited.layers += 1;
            self.queue_strays(self.visited.layers - 1);
        }
    }

    /// Queues a reading as text if the delimiter is not declared: not every client guesses one.
    pub fn as_text(&mut self, walk: &Walk<'_>, mut entity: Entity, range: Range<usize>) {
        let label = entity.labels.types.first();
        let declared = label.is_some_and(|label| label.parameter_bytes("boundary").is_some());
        if walk.views == Views::Usual && !declared {
            entity.labels.types = ContentType::parse(b"text/plain");
            self.reread(walk, Why::Text, entity, range);
        }
    }

    /// Queues a walk with the delimiter found in the text instead of the declared one: clients differ
    /// on escapes, charsets and comments in a boundary, and on lines that only begin with it.
    pub fn guess(&mut self, walk: &Walk<'_>, entity: &Entity, range: &Range<usize>) {
        let Some(label) = entity.labels.types.first() else { return };
        let guessed = walk.guessed_boundary(range.clone());
        if label.kind != "multipart" || guessed.is_empty() {
            return;
        }
        let mut other = entity.clone();
        other.labels.types = vec![label.with_boundary(guessed)];
        self.reread(walk, Why::Boundary, other, range.clone());
    }

    /// Queues walks for the other ways in which clients read the labels of this entity. `end`: where its content ends,
    /// before the range if the header took the line end of the delimiter.
    pub fn second_readings(
        &mut self,
        walk: &Walk<'_>,
        entity: &Entity,
        range: &Range<usize>,
        end: usize,
    ) {
        let mut others = Vec::new();
        for label in entity.labels.types.iter().skip(1) {
            let key = walk_key(walk.layer, range, label, entity.labels.transfer());
            if !self.visited.walked.contains(&key) {
                others.push((Why::Label, entity.of_type(label), range.clone()));
            }
        }
        if let (true, Some(label)) = (entity.labels.is_container(), entity.labels.types.first()) {
            for transfer in entity.labels.transfers.iter().skip(1) {
                let mut other = entity.of_type(label);
                other.labels.transfers = vec![*transfer];
                others.push((Why::Label, other, range.clone()));
            }
        }
        if let (Some(ragged), Head::Block(head)) = (entity.ragged, &entity.head) {
            let block = walk.bytes.get().get(head.start..ragged).unwrap_or_default();
            let labels = self.labels(block, entity.context.default_type);
            let other = entity.with(labels, Head::Block(head.start..ragged));
            others.push((Why::Header, other, ragged..end.max(ragged)));
        }
        others.extend(self.after_blanks(walk, entity, range));
        self.header_by_lone_crs(walk, entity, range);
        for (why, entity, range) in others {
            if !self.reread(walk, why, entity, range) {
                return;
            }
        }
    }

    /// The reading of programs that skip blank lines before a header (Ruby's mail), or lines that are not fields.
    /// Exists if the usual header is empty, and labels follow such lines.
    fn after_blanks(
        &mut self,
        walk: &Walk<'_>,
        entity: &Entity,
        range: &Range<usize>,
    ) -> Option<(Why, Entity, Range<usize>)> {
        let empty = matches!(&entity.head, Head::Block(block) if block.is_empty());
        let bytes = walk.bytes.get().get(..range.end).filter(|_| empty)?;
        let mut rest = bytes.get(range.start..)?.trim_ascii_start();
        for _ in 0..SKIPPED_LINES {
            let next = header::line_after(rest, 0);
            // Programs do not skip more lines after a blank one.
            let blank = rest.get(..next).is_none_or(|line| line.trim_ascii().is_empty());
            if blank || header::colon(rest).is_some() {
                break;
            }
            rest = rest.get(next..).unwrap_or_default();
        }
        header::colon(rest)?;
        let (head, body) = head_of(bytes, range.end - rest.len());
        let block = self.capped(bytes.get(head.clone()).unwrap_or_default(), &entity.path);
        let lines = memchr::memchr_iter(b'\n', block).map(|feed| feed + 1);
        let is_label = |at: usize| block.get(at..).is_some_and(header::is_label);
        if !std::iter::once(0).chain(lines).any(is_label) {
            return None;
        }
        let labels = self.labels(block, entity.context.default_type);
        Some((Why::Header, entity.with(labels, Head::Block(head)), body..range.end))
    }

    /// Queues the reading of programs for which a lone CR ends a line, if it makes the header end earlier.
    fn header_by_lone_crs(&mut self, walk: &Walk<'_>, entity: &Entity, range: &Range<usize>) {
        let Head::Block(head) = &entity.head else { return };
        let bytes = walk.bytes.get();
        let block = bytes.get(head.clone()).unwrap_or_default();
        // The header of unwrapped bytes is in another layer.
        if head.end > range.start || !block.array_windows().any(is_blank_by_lone_cr) {
            return;
        }
        let Some(layer) = self.lone_cr_layer(walk, head.start..range.end.max(head.end)) else {
            return;
        };
        let bytes = self.bytes(layer);
        let (head, body) = head_of(bytes.get(), 0);
        let block = self.capped(bytes.get().get(head.clone()).unwrap_or_default(), &entity.path);
        let labels = self.labels(block, entity.context.default_type);
        let entity = entity.with(labels, Head::Block(head));
        if let Some(views) = walk.views.deeper(Why::Header) {
            self.queue_again(layer, views, entity, body..bytes.get().len());
        }
    }

    /// Like [`Splitter::header_by_lone_crs`], for a multipart whose delimiter follows a lone CR, or ends with one.
    pub fn delimited_by_lone_crs(
        &mut self,
        walk: &Walk<'_>,
        entity: &Entity,
        range: &Range<usize>,
    ) {
        let bytes = walk.bytes.get().get(range.clone()).unwrap_or_default();
        if !walk.lone_cr.get() && memchr::memmem::find(bytes, b"\r--").is_none() {
            return;
        }
        let Some(layer) = self.lone_cr_layer(walk, range.clone()) else { return };
        if let Some(views) = walk.views.deeper(Why::Boundary) {
            let end = self.bytes(layer).get().len();
            self.queue_again(layer, views, entity.clone(), 0..end);
        }
    }

    /// A layer of these bytes in which lone CRs are replaced by LF.
    fn lone_cr_layer(&mut self, walk: &Walk<'_>, range: Range<usize>) -> Option<usize> {
        let key = (walk.layer, range.start, range.end);
        if let Some(known) = self.visited.lone_cr_layers.get(&key) {
            return Some(*known);
        }
        let layer = self.layer(walk, &range, Transfer::Identity);
        let Some(layer) = layer else {
            self.bypass("", Bypass::Limit(Limit::Unwrapped));
            return None;
        };
        let last = self.tree.layers.last_mut()?;
        let bytes = Arc::get_mut(&mut last.bytes)?;
        let mut next = None;
        for byte in bytes.iter_mut().rev() {
            let after = next.replace(*byte);
            if *byte == b'\r' && after != Some(b'\n') {
                *byte = b'\n';
            }
        }
        self.visited.lone_cr_layers.insert(key, layer);
        Some(layer)
    }

    /// Queues a reading as a message for a part that only some programs open as one.
    pub fn as_message(&mut self, walk: &Walk<'_>, entity: &Entity, range: &Range<usize>) {
        let Some(label) = entity.labels.types.first() else { return };
        let raw = walk.bytes.get().get(range.clone()).unwrap_or_default();
        let fields = || header::colon(raw).is_some();
        let encoded = sniff::is_message(label) && entity.labels.transfer() != Transfer::Identity;
        let report =
            || sniff::is_report(label) && sniff::holds_labels(raw, entity.labels.transfer());
        if encoded && fields() || sniff::may_be_message(label, &entity.labels.names) || report() {
            let mut other = entity.clone();
            other.labels.types = ContentType::parse(b"message/rfc822");
            if fields() {
                // RFC 2046 §5.2.1 allows no encoding, so some programs ignore it.
                other.labels.transfers = vec![Transfer::Identity];
            }
            self.reread(walk, Why::Message, other, range.clone());
        }
    }

    /// Queues another reading of a block inside a text, as a part of this type.
    pub fn block_again(
        &mut self,
        walk: &Walk<'_>,
        part: &Part,
        (context, depth): (Context, usize),
        (kind, why): (DefaultType, Why),
    ) {
        let Some(views) = walk.views.deeper(why) else { return };
        let mut labels = BodyLabels::of(b"", kind);
        labels.transfers.clone_from(&part.site.transfers);
        let range = part.site.body.clone();
        let entity = Entity {
            path: part.path.clone(),
            place: EntityLevel::Child,
            head: Head::Block(range.start..range.start),
            labels,
            context,
            depth,
            ragged: None,
        };
        self.queue_again(part.site.layer, views, entity, range);
    }

    /// Queues a walk over bytes that were walked before; returns whether more walks are allowed.
    fn reread(&mut self, walk: &Walk<'_>, why: Why, entity: Entity, range: Range<usize>) -> bool {
        match walk.views.deeper(why) {
            Some(views) => self.queue_again(walk.layer, views, entity, range),
            None => false,
        }
    }

    fn queue_again(
        &mut self,
        layer: usize,
        views: Views,
        entity: Entity,
        range: Range<usize>,
    ) -> bool {
        let Some(label) = entity.labels.types.first() else { return true };
        let key = walk_key(layer, &range, label, entity.labels.transfer());
        if !self.visited.walked.insert(key) {
            return true;
        }
        let parts = self.tree.parts.len() + self.queue.len();
        if !self.count_rewalked(range.len()) || parts >= self.limits.parts {
            self.bypass(&entity.leaf_path(), Bypass::Limit(Limit::Readings));
            return false;
        }
        self.tree.steps += REREAD_STEPS;
        let entity = Entity { ragged: None, ..entity };
        self.queue.push_back(Pass { layer, range, entity, views });
        true
    }

    /// Queues stray parts: those after a line `--…` that is not a delimiter for us, but is followed by a
    /// `Content-…:` field. Whatever a program takes for the boundary, the part begins there.
    fn queue_strays(&mut self, layer: usize) {
        let bytes = self.bytes(layer);
        let bytes = bytes.get();
        let lines = dash_lines(bytes);
        if lines.iter().all(|line| !line.has_field || self.is_delimiter(layer, line.start)) {
            return;
        }
        let part_starts = self.part_starts(layer);
        let ends: Vec<usize> = lines
            .iter()
            .filter(|line| line.has_field || line.closes || self.is_delimiter(layer, line.start))
            .map(|line| line.start)
            .collect();
        let strays = lines.iter().filter(|line| line.has_field).map(|line| (line.start, line.next));
        let unknown: Vec<_> =
            strays.filter(|(start, _)| !self.is_delimiter(layer, *start)).collect();
        for (start, next) in unknown {
            let (head, body) = head_of(bytes, next);
            // If the lines `--…` are fields as well, many of these headers overlap.
            self.tree.steps = self.tree.steps.saturating_add(head.len() as u64);
            if !self.count_rewalked(head.len()) {
                return self.bypass("", Bypass::Limit(Limit::Readings));
            }
            if let Some(limit) = self.ended() {
                return self.bypass("", Bypass::Limit(limit));
            }
            let end = ends.get(ends.partition_point(|end| *end < body));
            let end = end.map_or(bytes.len(), |end| {
                header::without_line_end(bytes.get(..*end).unwrap_or_default()).len()
            });
            let block = self.capped(bytes.get(head.clone()).unwrap_or_default(), "1");
            let labels = self.labels(block, DefaultType::Text);
            let above = part_starts.partition_point(|(at, _)| *at <= start);
            let path = above.checked_sub(1).and_then(|at| part_starts.get(at));
            let entity = Entity {
                path: path.map_or_else(|| join("", 1), |(_, path)| path.clone()),
                place: EntityLevel::Child,
                head: Head::Block(head),
                labels,
                context: Context::default(),
                depth: 1,
                ragged: None,
            };
            if !self.queue_again(layer, Views::Again(1, Why::Stray), entity, body..end.max(body)) {
                return;
            }
        }
    }

    /// Counts bytes that are walked again; returns whether the limit allows them.
    fn count_rewalked(&mut self, bytes: usize) -> bool {
        self.visited.bytes = self.visited.bytes.saturating_add(bytes);
        self.visited.bytes <= self.message.body.len().saturating_mul(REREAD)
    }

    fn is_delimiter(&self, layer: usize, start: usize) -> bool {
        self.visited.delimiters.contains(&(layer, start))
    }

    /// Start offsets and paths of the parts of a layer, sorted.
    fn part_starts(&self, layer: usize) -> Vec<(usize, String)> {
        let parts = self.tree.parts.iter().filter(|part| part.site.layer == layer);
        let mut part_starts: Vec<_> =
            parts.map(|part| (part.site.body.start, part.path.clone())).collect();
        part_starts.sort();
        part_starts
    }
}

/// Whether a blank line begins here only if a lone CR ends a line.
fn is_blank_by_lone_cr([end, blank, next]: &[u8; 3]) -> bool {
    matches!(end, b'\r' | b'\n') && *blank == b'\r' && *next != b'\n'
}

/// A line that begins with `--`.
struct DashLine {
    start: usize,
    /// Where the next line begins.
    next: usize,
    /// Whether a `Content-…` field follows.
    has_field: bool,
    /// Whether it ends with `--` as well.
    closes: bool,
}

/// Most bytes of a delimiter line; RFC 2046 §5.1.1 allows 74.
pub const DELIMITER: usize = 1_000;

/// Blanks before a delimiter that some programs skip.
const INDENT: usize = 8;

/// Lines that begin with `--`, perhaps after signs or control characters, and could delimit parts.
fn dash_lines(bytes: &[u8]) -> Vec<DashLine> {
    let mut found = Vec::new();
    let mut line_end = 0;
    // The end of the last row of dashes that was looked at: further pairs in it say no more than the first.
    let mut row_end = 0;
    for start in dash_pairs(bytes) {
        if start < row_end {
            continue;
        }
        let before = bytes.get(start.saturating_sub(INDENT)..start).unwrap_or_default();
        let before = before.iter().rev().find(|byte| !matches!(byte, b' ' | b'\t'));
        // Some programs find it even after signs: `>--a`, `- --a`, a byte order mark.
        if before.is_some_and(u8::is_ascii_alphanumeric) {
            continue;
        }
        if line_end <= start {
            let rest = bytes.get(start..).unwrap_or_default();
            let rest = rest.get(..DELIMITER).unwrap_or(rest);
            line_end = memchr::memchr2(b'\r', b'\n', rest).map_or(0, |end| start + end);
        }
        if line_end <= start {
            continue;
        }
        let line = bytes.get(start..line_end).unwrap_or_default().trim_ascii_end();
        row_end = start + line.iter().take_while(|byte| **byte == b'-').count();
        let next = after_line_end(bytes, line_end);
        // Only the first two of consecutive dashes are used, and only the first possible delimiter of a line.
        if found.last().is_some_and(|last: &DashLine| last.next == next) {
            continue;
        }
        let field = bytes.get(next..next + 8).unwrap_or_default();
        let has_field = field.eq_ignore_ascii_case(b"content-");
        let closes = line.len() > 4 && line.ends_with(b"--") && line.iter().any(|b| *b != b'-');
        if has_field || closes {
            found.push(DashLine { start, next, has_field, closes });
        }
    }
    found
}

/// Offsets of `--`, without overlaps.
fn dash_pairs(bytes: &[u8]) -> impl Iterator<Item = usize> {
    const PAIR: &[u8; 2] = b"--";
    let finder = memchr::memmem::Finder::new(PAIR);
    let mut at = 0;
    std::iter::from_fn(move || {
        let rest = bytes.get(at..)?;
        let start = at + if rest.starts_with(PAIR) { 0 } else { finder.find(rest)? };
        at = start + PAIR.len();
        Some(start)
    })
}

/// Offset after the line end at `at`: CR, LF or CRLF.
fn after_line_end(bytes: &[u8], at: usize) -> usize {
    match bytes.get(at..) {
        Some([b'\r', b'\n', ..]) => at + 2,
        Some([_, ..]) => at + 1,
        _ => at,
    }
}

/// The header block at `start`, whose lines end at CR, LF or CRLF, and the offset of the body.
fn head_of(bytes: &[u8], start: usize) -> (Range<usize>, usize) {
    let mut at = start;
    while let Some(rest) = bytes.get(at..).filter(|rest| !rest.is_empty()) {
        let length = memchr::memchr2(b'\r', b'\n', rest).unwrap_or(rest.len());
        let line = rest.get(..length).unwrap_or_default();
        let next = after_line_end(bytes, at + length);
        if line.iter().all(|byte| *byte == 0) {
            return (start..at, next);
        }
        let folded = at > start && matches!(line.first(), Some(b' ' | b'\t'));
        if header::colon(rest).is_none() && !folded {
            return (start..at, at);
        }
        at = next;
    }
    (start..bytes.len(), bytes.len())
}

#[cfg(test)]
mod tests {
    use super::super::super::{Message, parse, readings};
    use super::*;
    use crate::limits::SplitLimits;

    /// Programs for which a lone CR ends a line see a field behind such a delimiter.
    #[test]
    fn delimiters_that_a_lone_cr_ends() {
        let cut =
            "--a\rContent-Transfer-Encoding: base64\nContent-Type: text/html\n\nPGEgaHJlZj14Pg==\n";
        let usual = "--a\nContent-Type: text/plain\n\nhello\n";
        let head = b"Content-Type: multipart/mixed; boundary=a\n";
        for parts in [[cut, ""], [usual, cut], [cut, usual]] {
            let body = [parts.concat().as_str(), "--a--\n"].concat();
            let message = Message { head, body: body.as_bytes() };
            let tree = parse(message, &SplitLimits::default());
            let mut texts = (0..tree.parts.len()).flat_map(|part| readings(message, &tree, part));
            assert!(texts.any(|one| one.text.as_str().starts_with("<a href=x>")), "{body:?}");
        }
        let body = [usual, usual, "--a--\n"].concat().replace('\n', "\r\n");
        let message = Message { head, body: body.as_bytes() };
        assert!(parse(message, &SplitLimits::default()).layers.is_empty());
    }

    /// The contents of the parts of a multipart that has the delimiter `--a`.
    fn contents(body: &str) -> Vec<String> {
        let head = b"Content-Type: multipart/mixed; boundary=a\n";
        let message = Message { head, body: body.as_bytes() };
        let tree = parse(message, &SplitLimits::default());
        let content = |part| String::from_utf8_lossy(tree.content(message, part)).into_owned();
        (0..tree.parts.len()).map(content).collect()
    }

    #[test]
    fn the_line_end_before_a_delimiter_is_no_content_of_a_body_inside_the_header() {
        for blank in ["", "\n"] {
            let below = format!("no field\nContent-Type: text/plain{blank}");
            let body = format!("--a\nX-Y: z\n{below}\n--a--\n");
            assert!(contents(&body).contains(&below), "{body:?}");
        }
        // Without a delimiter it is content.
        let all = contents("--a\nX-Y: z\nno field\nContent-Type: text/plain\n");
        assert!(all.contains(&"no field\nContent-Type: text/plain\n".to_owned()), "{all:?}");
    }

    #[test]
    fn a_field_name_with_nul_is_none_to_some() {
        for name in ["\0X-Y", "X\0Y", "\0Content-Type"] {
            let all = contents(&format!("--a\n{name}: z\n\nhello\n--a--\n"));
            let both = ["hello".to_owned(), format!("{name}: z\n\nhello")];
            assert!(both.iter().all(|one| all.contains(one)), "{all:?}");
        }
    }

    #[test]
    fn lines_that_could_delimit_parts() {
        let text =
            b"--a\r\nContent-Type: x/y\r\n\r\nhi -- no\n-- \n\0--b\rcontent-type: z\r\r--b--\r";
        let found: Vec<_> =
            dash_lines(text).iter().map(|line| (line.start, line.has_field, line.closes)).collect();
        assert_eq!(found, [(0, true, false), (40, true, false), (61, false, true)]);
        let rows = b"------=_Part\r\nContent-Type: x/y\r\n\r\n------=_Part--\r\n";
        let found: Vec<_> = dash_lines(rows).iter().map(|line| line.start).collect();
        assert_eq!(found, [0, 35], "a row of dashes is one delimiter");
        assert_eq!(head_of(text, 44), (44..60, 61));
        assert_eq!(head_of(text, 5), (5..24, 26));
    }
}
