//! `<a>` without an address. It is no link, and yet parsers end it where another `<a>` begins (HTML §13.2.6.4.7), and one
//! in a cell of it is a link inside a link: no anchor is written in its text.

use std::ops::Range;

use super::HtmlReader;
use super::open::OpenElements;

/// The visible text in which such an element is open.
#[derive(Debug, Default)]
pub(super) struct Targetless {
    open: Option<OpenAnchor>,
    /// In order and disjoint.
    stretches: Vec<Range<usize>>,
}

/// The open element.
#[derive(Clone, Copy, Debug)]
struct OpenAnchor {
    /// Where its text begins.
    from: usize,
    /// The innermost open element around it that limits the scope of end tags, and that at which parsers forget links.
    scope: usize,
    marker: usize,
}

impl Targetless {
    fn is_of(&self, marker: usize) -> bool {
        self.open.is_some_and(|open| open.marker == marker)
    }

    fn end(&mut self, at: usize) {
        if let Some(open) = self.open.take() {
            self.add(open.from..at);
        }
    }

    fn add(&mut self, stretch: Range<usize>) {
        match self.stretches.last_mut() {
            _ if stretch.is_empty() => {}
            Some(last) if last.end == stretch.start => last.end = stretch.end,
            _ => self.stretches.push(stretch),
        }
    }

    /// The stretches of a text of this length, after which another text begins.
    pub fn take(&mut self, length: usize) -> Vec<Range<usize>> {
        if let Some(open) = self.open {
            self.add(open.from..length);
            self.open = Some(OpenAnchor { from: 0, ..open });
        }
        std::mem::take(&mut self.stretches)
    }

    /// Ends the element of a cell or an object that ended.
    pub fn forget(&mut self, elements: &OpenElements, at: usize) {
        if self.open.is_some_and(|open| !elements.is_marker_open(open.marker)) {
            self.end(at);
        }
    }
}

impl HtmlReader<'_, '_, '_> {
    /// Handles the start tag of an `<a>`. Of two in one cell the second ends the first; of two in cells inside one another
    /// the outer one lasts.
    pub(super) fn begin_a(&mut self, is_link: bool) {
        let (at, scope) = (self.visible.len(), self.elements.scope());
        let marker = self.elements.marker();
        if self.targetless.is_of(marker) {
            self.targetless.end(at);
        }
        if !is_link && self.targetless.open.is_none() {
            self.targetless.open = Some(OpenAnchor { from: at, scope, marker });
        }
    }

    /// Handles the end tag of an `<a>`.
    pub(super) fn end_a(&mut self) {
        let scope = self.elements.scope();
        if self.targetless.open.is_some_and(|open| scope <= open.scope) {
            self.targetless.end(self.visible.len());
        }
    }

    /// Handles the end of the markup in which it stands.
    pub(super) fn end_targetless(&mut self) {
        self.targetless.end(self.visible.len());
    }
}

/// Whether part of this range of the text is in one of the stretches.
pub(super) fn overlaps(stretches: &[Range<usize>], range: &Range<usize>) -> bool {
    let first = stretches.partition_point(|stretch| stretch.end <= range.start);
    stretches.get(first).is_some_and(|stretch| stretch.start < range.end)
}
