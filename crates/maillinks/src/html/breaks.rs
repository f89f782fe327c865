//! What separates the words of the visible text.

use super::concealed::Gap;
use super::elements::Element;
use super::open::Ends;
use super::{HtmlReader, style};

/// Boxes that stand side by side, with blocks or tables in them: no text came since one ended. In bytes of visible text.
#[derive(Debug, Default)]
pub(super) struct Boxes {
    /// Where one ended, and nothing else that breaks the line began or ended.
    ended: Option<usize>,
    /// Where another began beside it: what breaks the line inside does not part them.
    crossed: Option<usize>,
}

impl HtmlReader<'_, '_, '_> {
    /// Separates texts by a line break.
    pub(super) fn separate(&mut self, at: usize) {
        if self.is_concealed() {
            self.concealed.separate(Gap::Line);
        } else {
            let here = self.visible.len();
            let is_crossed = self.boxes.crossed == Some(here);
            // Every program sees a break here; a reader sees none between boxes.
            let seam = self.take_seam().filter(|_| is_crossed);
            // A box of one letter may begin there as well.
            let is_gap = self.visible.ends_with_break() && !is_crossed;
            self.joints.pop_if(|joint| is_gap && *joint + 1 == here);
            self.joints.extend(seam);
        }
        self.add_separator(at);
    }

    /// The same by an element: some leave what they separate side by side.
    pub(super) fn separate_by(&mut self, element: Element, at: usize) {
        let beside = element.stands_beside() || self.lining_up.is_some();
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

    /// Notes where an element begins that breaks the line by its name, or is a box beside the one before.
    pub(super) fn begin_block(
        &mut self,
        element: Element,
        is_element: bool,
        traits: &style::TextStyle,
    ) {
        let floats = matches!(traits.flow, style::Flow::Inline | style::Flow::Beside);
        let is_element = is_element || element == Element::Table;
        if is_element && floats {
            self.elements.set_beside(element);
        }
        if self.is_concealed() {
            return;
        }
        let here = self.visible.len();
        let is_box = is_element && (floats || element.stands_beside());
        match is_box && self.boxes.ended == Some(here) {
            true if self.visible.ends_with_break() => self.cross(here),
            _ if is_box => {}
            _ if self.boxes.crossed != Some(here)
                || matches!(element, Element::Br | Element::Hr) =>
            {
                self.boxes = Boxes::default();
            }
            _ => {}
        }
    }

    /// Makes the break before this end of the text one between words that a reader takes for one.
    fn cross(&mut self, here: usize) {
        self.boxes.crossed = Some(here);
        let joint = here.checked_sub(1);
        // A seam joins them as well, whatever they are read for.
        if self.seams.last().copied() != joint && self.joints.last().copied() < joint {
            self.joints.extend(joint);
        }
    }

    /// Breaks the line at an end tag, or parts boxes there.
    pub(super) fn end_block(&mut self, element: Element, ends: Ends, at: usize) {
        let is_row = element.is_of_rows();
        if ends == Ends::Line && (is_row || self.boxes.crossed != Some(self.visible.len())) {
            self.boxes = Boxes::default();
        }
        match ends {
            Ends::Line => self.separate_by(element, at),
            Ends::Beside if is_row => self.separate_beside(at),
            Ends::Beside => self.separate_anchor(at),
            Ends::Nothing => return,
        }
        self.end_box(element, ends);
    }

    /// Notes the end of a box that others may stand beside.
    pub(super) fn end_box(&mut self, element: Element, ends: Ends) {
        if ends == Ends::Beside || ends == Ends::Line && element.stands_beside() {
            self.boxes.ended = Some(self.visible.len());
        }
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

    /// Whether an element breaks the line here: `<text>` does so in a drawing, and is no element elsewhere.
    pub(super) fn breaks_line(&self, element: Element) -> bool {
        element.breaks_line() && (self.foreign || element != Element::Text)
    }

    fn add_separator(&mut self, at: usize) {
        let seen = if self.is_concealed() { &mut self.hidden } else { &mut self.visible };
        seen.separate(at);
        self.flush_long();
    }
}

/// Whether an element separates the texts before and after its tag.
pub(super) fn breaks(by_itself: bool, traits: &style::TextStyle) -> bool {
    match traits.flow {
        style::Flow::Natural | style::Flow::Beside => by_itself,
        style::Flow::Inline => false,
        style::Flow::Block => true,
    }
}
