//! The text that a reader sees, stretch by stretch: its links, joined with the anchors around them.

use std::collections::HashSet;
use std::ops::Range;

use super::{Reader, Shown, Sighting, Spot, View, outlook};
use crate::engine::content::STRETCH;

impl<'t> Reader<'t, '_> {
    /// Where a stretch of characters may end: behind the first white space from here on.
    pub(super) fn next_space(&self, from: usize, end: usize) -> usize {
        let rest = self.text.as_bytes().get(from.min(end)..end).unwrap_or_default();
        let space = rest.iter().position(u8::is_ascii_whitespace);
        space.map_or(end, |space| from + space + 1)
    }

    /// Looks for the links of what was gathered, once it is long and nothing runs on behind it.
    pub(super) fn flush_long(&mut self) {
        let ends = self.visible.ends_with_space();
        let runs_on = self.open_anchor.is_some() || self.turning.is_some() || !ends;
        if self.visible.len() >= STRETCH && !runs_on {
            self.flush();
        }
        if self.hidden.len() >= STRETCH && self.hidden.ends_with_space() {
            self.flush_hidden();
        }
    }

    /// Finds the links of the text and joins them with the anchors around them.
    fn flush(&mut self) {
        let anchors = std::mem::take(&mut self.anchors);
        let marks = std::mem::take(&mut self.marks);
        let text = self.visible.as_str();
        let index = self.view.seen.len();
        let before = self.view.sightings.len();
        let mut around = anchors.iter().peekable();
        let mut links = self.linkifier.links(text);
        let room = self.room();
        for link in links.by_ref().take(room) {
            let span = link.span.clone();
            while around.next_if(|anchor| anchor.text.end <= span.start).is_some() {}
            let anchor = around.peek().filter(|anchor| anchor.text.start < span.end);
            let obfuscated = is_marked(&marks, &link.host, text);
            let mut sighting = Sighting::in_text(index, link, Spot::HtmlText);
            sighting.anchor = anchor.map(|anchor| anchor.sighting);
            if obfuscated {
                sighting.shown = Shown::Obfuscated;
            }
            self.view.sightings.push(sighting);
        }
        self.view.steps += text.len() as u64 + links.steps();
        drop(links);
        let found = self.view.sightings.len() > before;
        self.view.seen.extend(self.visible.take(found));
    }

    /// The same for text that only a client sees.
    fn flush_hidden(&mut self) {
        let index = self.view.seen.len();
        let before = self.view.sightings.len();
        let room = self.room();
        let mut links = self.linkifier.links(self.hidden.as_str());
        let found = links.by_ref().take(room);
        let found = found.map(|link| Sighting::in_text(index, link, Spot::HtmlText));
        self.view.sightings.extend(found);
        self.view.steps += self.hidden.len() as u64 + links.steps();
        drop(links);
        let found = self.view.sightings.len() > before;
        self.view.seen.extend(self.hidden.take(found));
    }

    /// The links of what is left, and of what only Outlook shows.
    pub(super) fn finish(mut self) -> View<'t> {
        self.flush();
        self.flush_hidden();
        if self.outlook {
            self.as_outlook();
        }
        self.view
    }

    /// Adds the links that only Outlook shows: those whose bytes are not those of one found already.
    fn as_outlook(&mut self) {
        let text = outlook::text(self.text);
        let index = self.view.seen.len();
        let shown = self.view.sightings.iter().filter(|shown| shown.spot == Spot::HtmlText);
        let known: HashSet<Range<usize>> = shown
            .filter_map(|shown| Some(self.view.seen.get(shown.seen)?.source(shown.span())))
            .collect();
        let mut links = self.linkifier.links(text.as_str());
        let new = links.by_ref().filter(|link| !known.contains(&text.source(link.span.clone())));
        let new = new.take(self.room()).map(|link| Sighting::in_text(index, link, Spot::HtmlText));
        let new: Vec<Sighting> = new.collect();
        self.view.sightings.extend(new);
        self.view.steps += (self.text.len() + text.as_str().len()) as u64 + links.steps();
        drop(links);
        self.view.seen.push(text);
    }
}

/// Whether a mark lies in the host; a break beside a dot does not count, since mail programs put
/// `<wbr>` there themselves.
fn is_marked(marks: &[Range<usize>], host: &Range<usize>, text: &str) -> bool {
    let first = marks.partition_point(|mark| mark.end <= host.start);
    let near = |at: usize| text.as_bytes().get(at) == Some(&b'.');
    marks.iter().skip(first).take_while(|mark| mark.start < host.end).any(|mark| {
        !mark.is_empty() || !(near(mark.start) || mark.start.checked_sub(1).is_some_and(near))
    })
}
