//! Elements that change how their text is shown.

use super::elements::Element;
use super::token::ElementName;
use super::{HtmlReader, Tag, style};

/// An element that changes how its text is shown, until its own end tag.
#[derive(Clone, Debug)]
pub(super) struct StyledElement {
    name: ElementName,
    /// Open elements of that name, itself included.
    depth: usize,
    /// Bytes of visible text when it began.
    pub from: usize,
}

impl StyledElement {
    /// Counts an element of the same name, or begins one. Returns whether it began.
    pub fn enter(
        slot: &mut Option<StyledElement>,
        text: &str,
        tag: &Tag,
        from: Option<usize>,
    ) -> bool {
        match (slot.as_mut(), from) {
            (Some(open), _) => {
                open.depth += usize::from(open.name.is(&tag.name, text));
                false
            }
            (None, Some(from)) => {
                *slot = Some(StyledElement { name: tag.name.clone(), depth: 1, from });
                true
            }
            (None, None) => false,
        }
    }

    /// Counts an end tag. Returns the element if it is the last.
    pub fn leave(slot: &mut Option<StyledElement>, text: &str, tag: &Tag) -> Option<StyledElement> {
        let open = slot.as_mut().filter(|open| open.name.is(&tag.name, text))?;
        open.depth -= 1;
        if open.depth == 0 { slot.take() } else { None }
    }
}

impl HtmlReader<'_, '_, '_> {
    /// Begins or counts elements that reverse or separate their text.
    pub(super) fn enter(&mut self, tag: &Tag, traits: &style::TextStyle) {
        let element = tag.element();
        let slots = [&self.leftward, &self.reversing, &self.breaking, &self.lining_up];
        let within = slots.iter().any(|slot| slot.is_some());
        // Most elements do none of this, and are in no such element.
        if !within && traits.is_plain() || element.is_void() {
            return;
        }
        if self.begins_box(element, traits) && self.joints.last() != Some(&self.visible.len()) {
            self.joints.push(self.visible.len());
        }
        let from = self.visible.len();
        let traits = &style::TextStyle { direction: self.direction(element, traits), ..*traits };
        self.enter_direction(tag, traits);
        if self.reversing.is_some() {
            let isolated = traits.isolated || element == Element::Bdi;
            let isolated = isolated && traits.direction != style::Direction::Reversed;
            StyledElement::enter(&mut self.isolating, self.text, tag, isolated.then_some(from));
        }
        let reverses = traits.direction == style::Direction::Reversed;
        StyledElement::enter(&mut self.reversing, self.text, tag, reverses.then_some(from));
        let breaks = traits.flow == style::Flow::Block;
        StyledElement::enter(&mut self.breaking, self.text, tag, breaks.then_some(from));
        let lines_up = traits.lines_up.then_some(from);
        StyledElement::enter(&mut self.lining_up, self.text, tag, lines_up);
    }

    /// Whether an element of the text of a link is a box of a line whose boxes may stand in another order: it floats, it
    /// is laid out with others, or the line runs from right to left.
    fn begins_box(&self, element: Element, traits: &style::TextStyle) -> bool {
        let is_isolated = || traits.isolated || traits.sets_display || element == Element::Bdi;
        self.open_anchor.is_some()
            && !self.is_concealed()
            && (traits.flow == style::Flow::Beside
                || self.lining_up.is_some()
                || self.leftward.is_some() && is_isolated())
    }

    /// Handles an end tag of elements that lay out or direct their text. Whether it ends one that breaks the line.
    pub(super) fn leave_line(&mut self, tag: &Tag) -> bool {
        self.write_behind(tag);
        for slot in [&mut self.leftward, &mut self.rightward, &mut self.lining_up] {
            StyledElement::leave(slot, self.text, tag);
        }
        StyledElement::leave(&mut self.breaking, self.text, tag).is_some()
    }

    /// Ends all elements that lay out or direct their text.
    pub(super) fn leave_all(&mut self) {
        for slot in
            [&mut self.leftward, &mut self.rightward, &mut self.breaking, &mut self.lining_up]
        {
            *slot = None;
        }
    }

    /// The direction of an element, with what it has from its name and from those around it: whether text runs from
    /// right to left is inherited, whether that of any script does is not (CSS Writing Modes §2).
    fn direction(&self, element: Element, traits: &style::TextStyle) -> style::Direction {
        let around = self.leftward.is_some() && self.rightward.is_none() && !traits.sets_direction;
        let own = match traits.direction {
            style::Direction::Natural if around => style::Direction::RightToLeft,
            style::Direction::Overridden if around => style::Direction::Reversed,
            own => own,
        };
        match own == style::Direction::RightToLeft && element == Element::Bdo {
            true => style::Direction::Reversed,
            false if around && own == style::Direction::RightToLeft => traits.direction,
            false => own,
        }
    }

    /// Begins or counts the outermost element from right to left, and one in it from left to right.
    fn enter_direction(&mut self, tag: &Tag, traits: &style::TextStyle) {
        let sets = traits.sets_direction.then_some(0);
        let is_leftward =
            matches!(traits.direction, style::Direction::RightToLeft | style::Direction::Reversed);
        if self.leftward.is_some() {
            let inner = sets.filter(|_| !is_leftward);
            StyledElement::enter(&mut self.rightward, self.text, tag, inner);
        }
        let outer = sets.filter(|_| is_leftward);
        StyledElement::enter(&mut self.leftward, self.text, tag, outer);
    }
}
