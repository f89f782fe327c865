//! Files inside a text, which many clients show as attachments: blocks of uuencode, and of yEnc, which is noted.

use std::ops::Range;
use std::sync::Arc;

use super::super::entity::{Context, join};
use super::super::labels::DefaultType;
use super::super::transfer::{Transfer, uu};
use super::super::walk::Walk;
use super::super::{Media, Part, Why, armor, document, sniff};
use super::{Splitter, UnwrappedLayer, sealed};
use crate::edit::{Bypass, Limit};

/// How a block of yEnc begins.
const YENC: &[u8] = b"=ybegin ";

/// The part of it that quoted-printable leaves as it is.
const YENC_LETTERS: &[u8] = b"ybegin";

/// Bytes at the start of a text in which a NUL says that its characters are wide.
const WIDE: usize = 64;

/// Context and depth of the text around a block.
type Above = (Context, usize);

struct BlockText<'t> {
    bytes: &'t [u8],
    blocks: Vec<uu::Block<'t>>,
    /// Where it begins in its layer.
    start: usize,
}

impl Splitter<'_> {
    /// Adds a text part, and a part for each uuencoded block in it, like clients.
    pub fn add_with_blocks(&mut self, walk: &Walk<'_>, mut part: Part, raw: &[u8], above: Above) {
        let transfer = part.transfer();
        let plain = matches!(part.media, Media::Plain | Media::Flowed { .. });
        let shown = !part.document && !matches!(part.media, Media::Inert | Media::Opaque);
        let is_encoded_page = !plain && transfer != Transfer::Identity;
        let may_hold = match is_encoded_page && !transfer.is_base64() {
            // No program has a reason to escape these.
            true => memchr::memmem::find(raw, YENC_LETTERS).is_some(),
            false => uu::may_hold_blocks(raw, transfer),
        };
        if !shown || !may_hold {
            return self.tree.parts.push(part);
        }
        let text = transfer.bytes(raw);
        // In the body as it is they are found without its structure.
        part.holds_yenc = (transfer != Transfer::Identity || walk.layer > 0)
            && memchr::memmem::find(&text, YENC).is_some();
        // In pages, programs look for blocks of uuencode only in lines that are not encoded.
        if is_encoded_page {
            return self.tree.parts.push(part);
        }
        let blocks = uu::blocks(&text);
        if blocks.is_empty() {
            return self.add_with_wide_blocks(walk, part, &text, above);
        }
        let mut start = part.site.body.start;
        if transfer != Transfer::Identity {
            // Text and blocks share the encoded bytes, so they need a common layer for edits.
            let Some(layer) = self.layer(walk, &part.site.body, transfer) else {
                self.bypass(&part.path, Bypass::Limit(Limit::Unwrapped));
                return self.tree.parts.push(part);
            };
            part.site.layer = layer;
            part.site.body = 0..text.len();
            part.site.transfers = vec![Transfer::Identity];
            start = 0;
        }
        let template = template(&part);
        self.tree.parts.push(part);
        self.add_blocks(walk, &template, &BlockText { bytes: &text, blocks, start }, above);
    }

    /// The same for a text in UTF-16 or UTF-32. What is in its blocks is not edited.
    fn add_with_wide_blocks(&mut self, walk: &Walk<'_>, part: Part, text: &[u8], above: Above) {
        let front = text.get(..WIDE).unwrap_or(text);
        if memchr::memchr(0, front).is_none() {
            return self.tree.parts.push(part);
        }
        let narrow: Vec<u8> = text.iter().copied().filter(|byte| *byte != 0).collect();
        let blocks = uu::blocks(&narrow);
        let mut template = template(&part);
        let transfer = part.transfer();
        self.tree.parts.push(part);
        if blocks.is_empty() {
            return;
        }
        let Some(below) = self.layer(walk, &template.site.body, transfer) else {
            return self.bypass(&template.path, Bypass::Limit(Limit::Unwrapped));
        };
        let (bytes, map) = sealed::whole(narrow.clone(), text.len());
        self.unwrapped += bytes.len();
        self.tree.layers.push(UnwrappedLayer {
            bytes: Arc::new(bytes.into_owned()),
            below,
            range: 0..text.len(),
            transfer: Transfer::Identity,
            map: Some(map),
            sealed: true,
        });
        template.site.layer = self.tree.layers.len();
        template.surroundings.sealed = true;
        self.add_blocks(walk, &template, &BlockText { bytes: &narrow, blocks, start: 0 }, above);
    }

    fn add_blocks(&mut self, walk: &Walk<'_>, template: &Part, text: &BlockText<'_>, above: Above) {
        for (index, block) in text.blocks.iter().enumerate() {
            if self.tree.parts.len() >= self.limits.parts {
                self.bypass("", Bypass::Limit(Limit::Parts));
                return;
            }
            let content = text.bytes.get(block.range.clone()).unwrap_or_default();
            let range = block.range.start + text.start..block.range.end + text.start;
            let mut part = template.clone();
            part.path = join(&template.path, index + 1);
            self.add_block(walk, (part, range), (block.name, content), above);
        }
    }

    fn add_block(
        &mut self,
        walk: &Walk<'_>,
        (mut part, range): (Part, Range<usize>),
        (name, content): (&[u8], &[u8]),
        above: Above,
    ) {
        let opening = || sniff::opening(content, Transfer::Uuencode);
        part.media = sniff::by_name(name, opening);
        part.site.body = range;
        part.site.transfers = vec![Transfer::Uuencode];
        let name = String::from_utf8_lossy(name).into_owned();
        if sniff::names_message(&name) {
            self.block_again(walk, &part, above, (DefaultType::Message, Why::Message));
        }
        if armor::is_armored(content, Transfer::Uuencode, &[]) {
            self.block_again(walk, &part, above, (DefaultType::Text, Why::Wrapped));
        }
        part.drawing = sniff::names_drawing(&name);
        part.document = document::is_named_document(&[name], false, opening);
        part.surroundings.attachment = true;
        self.tree.parts.push(part);
    }
}

/// What the blocks of a text have in common. The addresses of the text do not apply to them.
fn template(part: &Part) -> Part {
    let mut template = part.clone();
    (template.bases, template.externals, template.names) = (Vec::new(), Vec::new(), Vec::new());
    template.also = Vec::new();
    template.site.charsets = Vec::new();
    template.holds_yenc = false;
    template
}
