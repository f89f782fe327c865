//! Elements that a script makes links: `<div onclick="location='https://example.com'">`. Mail programs leave the script
//! out; a browser runs it in an attached page, and what the element shows is where its reader expects to be led.

use super::elements::{is_void, key_of};
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
            && !is_void(self.slice(&tag.name))
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
            let name = self.slice(&tag.name);
            self.close_anchor(key_of(name.as_bytes()), tag.range.start);
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::outcome::{Reason, Verdict};
    use crate::{Answers, Facts, Message, Policy, TldTable};

    /// The verdict of a page whose text is not where a click leads.
    fn differs(page: &str) -> Option<Verdict> {
        let head = b"From: a@example.com\nContent-Type: text/html; charset=utf-8\n";
        let message = Message { head, body: page.as_bytes() };
        let tlds = TldTable::new(["com", "top"], "");
        let found = crate::inspect(message, &Facts::default(), &Policy::default(), &tlds)
            .resolve(&Answers::new())
            .findings;
        let mut found = found.into_iter();
        found
            .find(|finding| finding.reasons.contains(Reason::TextHrefMismatch))
            .map(|finding| finding.verdict)
    }

    #[test]
    fn what_a_clicked_element_shows_is_compared() {
        for page in [
            "<div onclick=\"location='{X}'\">{T}</div>",
            "<div onclick=\"location.href='{X}'\"><div>Sign in</div> {T}</div>",
            "<table><tr onclick=\"window.open('{X}')\"><td>a<td>{T}</tr></table>",
            "<button onclick=\"location='{X}'\">{T}</button>",
            "<span onmousedown=\"document.location='{X}'\">{T}</span>",
            "<svg><g onclick=\"location='{X}'\"><text>{T}</text></g></svg>",
            "<div onclick=\"location='{X}'\"><a href=https://fine.com/>x</a> {T}</div>",
            "<div onclick=\"location='{X}'\">{T}",
        ] {
            let page = page.replace("{T}", "https://www.paypal.com/signin");
            let to = |host: &str| differs(&page.replace("{X}", &format!("https://{host}/x")));
            assert_eq!(to("verify.top"), Some(Verdict::Suspect), "{page}");
            assert_eq!(to("www.paypal.com"), None, "{page}");
        }
        for fine in [
            "<div onclick=\"location='{X}'\">Sign in</div> {T}",
            "<div onclick=\"location='{X}'\"><div></div>Sign in</div> {T}",
            "<div onclick=\"count('{X}')\">{T}</div>",
            "<div onclick=\"location='{X}'\"><a href='{T}'>{T}</a></div>",
            "<a href='{T}' onclick=\"count('{X}')\">{T}</a>",
            "<img onclick=\"location='{X}'\"> {T}",
            "<div onclick=\"location='{X}'\">Our partner accepts paypal and other cards</div>",
        ] {
            let page = fine.replace("{T}", "https://www.paypal.com/signin");
            let page = page.replace("{X}", "https://verify.top/x");
            assert_eq!(differs(&page), None, "{page}");
        }
    }
}
