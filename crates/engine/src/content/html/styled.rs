//! Elements that change how their text is shown.

use std::ops::Range;

use super::Tag;

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

fn same(text: &str, one: &Range<usize>, other: &Range<usize>) -> bool {
    match (text.get(one.clone()), text.get(other.clone())) {
        (Some(one), Some(other)) => one.eq_ignore_ascii_case(other),
        _ => false,
    }
}
