//! Elements that a script makes links: `<div onclick="location='https://example.com'">`. Mail programs leave the script
//! out; a browser runs it in an attached page, and what the element shows is where its reader expects to be led.

use super::urls::HANDLER;
use super::{HtmlReader, Site, StyledElement, Tag, token};

impl HtmlReader<'_, '_, '_> {
    /// Handles a start tag that is none of a link; `first` is the first occurrence of its attributes. Inside such an
    /// element another is a part of it.
    pub(super) fn enter_clicked(
        &mut self,
        tag: &Tag,
        attributes: &[token::Attribute],
        first: usize,
    ) {
        if self.clicked.is_some() {
            StyledElement::enter(&mut self.clicked, self.text, tag, None);
            return;
        }
        let found = self.view.occurrences.get(first..).unwrap_or_default();
        let in_handler =
            found.iter().any(|one| matches!(one.site, Site::Attribute { attribute: HANDLER, .. }));
        if in_handler
            && self.open_anchor.is_none()
            && !tag.element().is_void()
            && self.navigates(attributes)
        {
            self.begin_anchor(tag, attributes, first, None);
            StyledElement::enter(&mut self.clicked, self.text, tag, Some(self.visible.len()));
        }
    }

    /// Handles an end tag.
    #[inline]
    pub(super) fn leave_clicked(&mut self, tag: &Tag) {
        if StyledElement::leave(&mut self.clicked, self.text, tag).is_some() {
            self.close_anchor(&tag.name, tag.range.start);
        }
    }
}
