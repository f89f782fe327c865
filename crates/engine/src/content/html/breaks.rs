//! What separates the words of the visible text.

use super::concealed::Gap;
use super::{Reader, elements, style};

impl Reader<'_, '_, '_> {
    /// Separates texts by a line break.
    pub(super) fn separate(&mut self, at: usize) {
        if self.is_concealed() {
            self.concealed.separate(Gap::Line);
        } else {
            // Every program sees a break here.
            self.take_seam();
            let here = self.visible.len();
            // A box of one letter may begin there as well.
            let is_gap = self.visible.ends_with_break();
            self.joints.pop_if(|joint| is_gap && *joint + 1 == here);
        }
        self.add_separator(at);
    }

    /// The same by an element: some leave what they separate side by side.
    pub(super) fn separate_by(&mut self, element: &str, at: usize) {
        let beside = elements::stands_beside(element) || self.lining_up.is_some();
        match beside && !self.tags_separate {
            true => self.separate_beside(at),
            false => self.separate(at),
        }
    }

    /// Separates texts that stand side by side, so that a reader may take them for one word.
    pub(super) fn separate_beside(&mut self, at: usize) {
        if self.is_concealed() {
            self.concealed.separate(Gap::Beside);
        } else {
            let fresh = (!self.visible.ends_with_space()).then_some(self.visible.len());
            let joint = self.take_seam().or(fresh);
            self.joints.extend(joint);
        }
        self.add_separator(at);
    }

    /// Separates the text of an anchor from the text next to it.
    pub(super) fn separate_anchor(&mut self, at: usize) {
        if self.is_concealed() {
            self.concealed.separate(Gap::Anchor);
        } else if !self.visible.ends_with_space() {
            self.seams.push(self.visible.len());
        }
        self.add_separator(at);
    }

    /// Takes the seam at the end of the visible text.
    fn take_seam(&mut self) -> Option<usize> {
        let here = self.visible.len();
        self.seams.pop_if(|seam| *seam + 1 == here)
    }

    /// The name of an element that breaks the line: `<text>` does so in a drawing, and is no element elsewhere.
    #[inline]
    pub(super) fn breaking(&self, name: &str) -> Option<&'static str> {
        elements::breaking(name).filter(|name| self.foreign || *name != "text")
    }

    fn add_separator(&mut self, at: usize) {
        let seen = if self.is_concealed() { &mut self.hidden } else { &mut self.visible };
        seen.separate(at);
        self.flush_long();
    }
}

/// Whether an element separates the texts before and after its tag.
pub(super) fn breaks(breaking: Option<&str>, traits: &style::Traits) -> bool {
    match traits.flow {
        style::Flow::Natural | style::Flow::Beside => breaking.is_some(),
        style::Flow::Inline => false,
        style::Flow::Block => true,
    }
}
