//! Feeds of news: their elements hold pages, escaped or in CDATA, which a reader of feeds decodes once and shows.
//!
//! | standard | here |
//! | --- | --- |
//! | RSS 2.0, `<description>`: entity-encoded HTML; RSS 1.0 and `content:encoded` as it | [`pages`] |
//! | RFC 4287 §3.1.1.2, `type="html"` | the same |

use memchr::{memchr, memmem};

use super::as_xml::{CDATA, CDATA_END};
use super::entity::{self, Within};
use crate::mapped::{Builder, MappedText};

/// Bytes from the start within which the root stands: behind the declaration, style sheets and a comment.
const ROOT_WITHIN: usize = 1_024;

/// The roots of feeds, without their attributes.
const ROOTS: [&str; 3] = ["<rss", "<feed", "<rdf:RDF"];

/// How a comment begins and ends (XML 1.0 §2.5).
const COMMENT: (&str, &str) = ("<!--", "-->");

/// The pages in the elements of a feed, at most so many. Linear.
pub fn pages(text: &str, most: usize) -> Vec<MappedText<'static>> {
    let opening = text.get(..text.floor_char_boundary(ROOT_WITHIN)).unwrap_or(text);
    if !ROOTS.iter().any(|root| opening.contains(root)) {
        return Vec::new();
    }
    let (mut found, mut field) = (Vec::new(), Builder::default());
    let mut at = 0;
    while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty() && found.len() < most) {
        let end = at + memchr(b'<', rest.as_bytes()).unwrap_or(rest.len());
        entity::decode_into(&mut field, text, at..end, Within::Text);
        let rest = text.get(end..).unwrap_or_default();
        at = if let Some(inside) = rest.strip_prefix(CDATA) {
            let content = before(inside, CDATA_END);
            let start = end + CDATA.len();
            field.linear(content, start);
            start + content.len() + CDATA_END.len()
        } else if rest.starts_with(COMMENT.0) {
            end + before(rest, COMMENT.1).len() + COMMENT.1.len()
        } else {
            found.extend(page(&mut field));
            end + before(rest, ">").len() + 1
        };
    }
    found.extend(page(&mut field).filter(|_| found.len() < most));
    found
}

/// What an element holds, if that is markup; the next begins anew.
fn page(field: &mut Builder) -> Option<MappedText<'static>> {
    let is_page = field.as_str().contains('<');
    field.take(is_page)
}

/// What stands before the first such end, else everything.
fn before<'t>(text: &'t str, end: &str) -> &'t str {
    let at = memmem::find(text.as_bytes(), end.as_bytes());
    at.and_then(|at| text.get(..at)).unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(text: &str) -> Vec<String> {
        pages(text, 2).iter().map(|page| page.as_str().to_owned()).collect()
    }

    #[test]
    fn each_element_with_markup_is_a_page() {
        let items = "<title>a &amp; b</title><description>&lt;b&gt;x &amp;#1088;&lt;/b&gt;<!-- a>b \
            --></description><x>c <![CDATA[<i>&#1088;</i>]]>&#60;d></x>";
        for root in ["<rss version=\"2.0\">", "<?xml version='1.0'?><feed>", "<rdf:RDF>"] {
            let expected = ["<b>x &#1088;</b>", "c <i>&#1088;</i><d>"];
            assert_eq!(texts(&format!("{root}{items}</a>")), expected, "{root}");
        }
        assert!(texts(&format!("<a>{items}</a>")).is_empty(), "no feed");
        assert_eq!(pages(&format!("<rss>{items}</a>"), 1).len(), 1);
        let open = ["<rss>&lt;", "<rss><![CDATA[<", "<rss><!-- &lt;", "<rss", "<rss>&lt;<a"];
        assert_eq!(open.map(|text| texts(text).len()), [1, 1, 0, 0, 1]);
    }

    #[test]
    fn places_are_those_of_the_feed() {
        let text = "<rss>&lt;a href=&quot;https://&amp;#1088;.example/&quot;&gt;</rss>";
        let page = pages(text, 1).pop().unwrap();
        let at = page.as_str().find(".example").unwrap();
        let source = text.find(".example").unwrap();
        assert_eq!(page.source(at..at + 8), source..source + 8);
    }
}
