//! Text to HTML with anchors, without judging: every existing host is linked, whatever it reads as.
//!
//! | clause | here |
//! | --- | --- |
//! | UASG 000 1.2c, S10, S25: a top-level domain that exists | [`Link::anchor`] |
//! | UTS #58 §4: the visible text is minimally escaped | [`linkify`] |
//! | UTS #58 §8: what a person means as a link | [`Link::is_meant`] |

use alloc::string::String;

use super::{Confidence, Kind, Link, Linkifier, defanged, format};
use crate::tlds::TldSet;

impl Link {
    /// Whether it is meant as a link (UTS #58 §8): not defanged, nor a piece of what is, not a file
    /// name or the end of a sentence.
    pub fn is_meant(&self, text: &str) -> bool {
        let before = text.get(..self.span.start).unwrap_or_default();
        let behind = text.as_bytes().get(self.span.end..).unwrap_or_default();
        self.confidence == Confidence::Sure
            && self.refanged_host(text).is_none()
            && !defanged::ends_with_dot(before)
            && defanged::dot_at(behind) == 0
    }

    /// Whether its host has an ASCII form that is an IP address or ends in an existing top-level
    /// domain (UASG 000 1.2c). Special-use names (S25) are in no table.
    pub fn exists(&self, text: &str, tlds: &dyn TldSet) -> bool {
        let Some(ascii) = self.ascii_host(text) else { return false };
        let top = ascii.rsplit('.').next().unwrap_or_default();
        let numeric = ascii.starts_with('[') || top.bytes().all(|byte| byte.is_ascii_digit());
        numeric || tlds.exists(top)
    }

    /// The `href` of the anchor that [`linkify`] makes; `None` if the link is not meant, does not
    /// exist, or has userinfo (S5).
    pub fn anchor(&self, text: &str, tlds: &dyn TldSet) -> Option<String> {
        let plain = self.kind == Kind::Email || self.user.is_none();
        let wanted = plain && self.is_meant(text) && self.exists(text, tlds);
        self.href(text).filter(|_| wanted)
    }
}

/// The text as HTML: markup characters escaped, links as anchors. Every `href` is ASCII. Linear in
/// the text.
///
/// A host that imitates another one is linked as well: the crate `homograph` has a `linkify` that
/// judges first.
///
/// ```
/// use uts58::{html, tlds::TldTable};
///
/// let tlds = TldTable::new(["com"], "");
/// let shown = html::linkify("見て<例え.com>です", &tlds);
/// assert_eq!(shown, "見て&lt;<a href=\"http://xn--r8jz45g.com\">例え.com</a>&gt;です");
/// ```
pub fn linkify(text: &str, tlds: &dyn TldSet) -> String {
    let mut out = String::with_capacity(text.len() * 2);
    let mut at = 0;
    for link in Linkifier::new(tlds).links(text) {
        let Some(href) = link.anchor(text, tlds) else { continue };
        let piece = |range| text.get(range).unwrap_or_default();
        escape(piece(at..link.inner), &mut out);
        let shown =
            [piece(link.inner..link.tail.start), &format(piece(link.tail.clone()))].concat();
        anchor(&href, &shown, &mut out);
        at = link.span.end;
    }
    escape(text.get(at..).unwrap_or_default(), &mut out);
    out
}

/// Appends an anchor.
pub fn anchor(href: &str, shown: &str, out: &mut String) {
    out.push_str("<a href=\"");
    escape(href, out);
    out.push_str("\">");
    escape(shown, out);
    out.push_str("</a>");
}

/// Appends the text with character references for HTML markup, valid in text and in a quoted
/// attribute.
pub fn escape(text: &str, out: &mut String) {
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c => out.push(c),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tlds::TldTable;

    fn html(text: &str) -> String {
        linkify(text, &TldTable::new(["com", "org", "xn--p1ai"], ""))
    }

    #[test]
    fn links_and_addresses_become_anchors() {
        assert_eq!(
            html("see example.com, bücher.example.org/ä?b=1&c#d"),
            "see <a href=\"http://example.com\">example.com</a>, \
             <a href=\"http://xn--bcher-kva.example.org/%C3%A4?b=1&amp;c#d\">\
             bücher.example.org/ä?b=1&amp;c#d</a>"
        );
        assert_eq!(
            html("<user+box@example.com>"),
            "&lt;<a href=\"mailto:user%2Bbox@example.com\">user+box@example.com</a>&gt;"
        );
        assert_eq!(
            html("http://192.0.2.1/ http://[2001:db8::1]/"),
            "<a href=\"http://192.0.2.1/\">http://192.0.2.1/</a> \
             <a href=\"http://[2001:db8::1]/\">http://[2001:db8::1]/</a>"
        );
    }

    #[test]
    fn what_is_no_link_to_a_person_stays_text() {
        for text in [
            "http://example.invalid/",
            "helpers.py",
            "end.In",
            "hxxp://example[.]com",
            "me@example.zz",
            "http://user@example.com/",
            "http://xn--0.com/",
        ] {
            assert_eq!(html(text), text);
        }
    }

    #[test]
    fn markup_characters_cannot_escape() {
        let html = html("http://example.com/\"onmouseover='x'<script>&amp;'");
        assert!(
            !html.contains("<script") && !html.contains("\"on") && !html.contains('\''),
            "{html}"
        );
    }
}
