//! Elements that change how their text is shown.

use std::ops::Range;

use super::{Reader, Tag, elements, style};

/// An element that changes how its text is shown, until its own end tag.
#[derive(Clone, Debug)]
pub(super) struct StyledElement {
    pub name: Range<usize>,
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
                open.depth += usize::from(same(text, &open.name, &tag.name));
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
        let open = slot.as_mut().filter(|open| same(text, &open.name, &tag.name))?;
        open.depth -= 1;
        if open.depth == 0 { slot.take() } else { None }
    }
}

impl Reader<'_, '_, '_> {
    /// Begins or counts elements that hide, reverse or separate their text.
    pub(super) fn enter(&mut self, tag: &Tag, name: &str, traits: &style::Traits) {
        let within = [&self.hiding, &self.reversing, &self.breaking, &self.lining_up]
            .iter()
            .any(|slot| slot.is_some());
        // Most elements do none of this, and are in no such element.
        if !within && *traits == style::Traits::default() || elements::is_void(name) {
            return;
        }
        let from = self.visible.len();
        let hides = traits.shown == style::Display::Hidden;
        if StyledElement::enter(&mut self.hiding, self.text, tag, hides.then_some(from)) {
            self.marks.push(from..from);
            self.hidden.separate(tag.range.start);
        }
        if self.reversing.is_some() {
            let isolated = traits.isolated || name.eq_ignore_ascii_case("bdi");
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
}

fn same(text: &str, one: &Range<usize>, other: &Range<usize>) -> bool {
    match (text.get(one.clone()), text.get(other.clone())) {
        (Some(one), Some(other)) => one.eq_ignore_ascii_case(other),
        _ => false,
    }
}
