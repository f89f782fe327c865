//! A page as programs read it that parse XML (XHTML, SVG; XML 1.0, Namespaces in XML 1.0), written as HTML: the page is
//! read again so.
//!
//! | in XML | in HTML it would be |
//! | --- | --- |
//! | `<![CDATA[x]]>` is text everywhere (§2.7) | a comment, outside of SVG |
//! | `<h:a>` is `<a>` if the prefix is that of XHTML or SVG | an unknown element |
//! | `<title/>` is empty (§3.1) | open: what follows is its text |
//! | `<!ATTLIST a href CDATA "…">` gives each `<a>` that `href` (§3.3.2) | nothing |

use std::ops::Range;

use memchr::{memchr, memchr2, memmem};

use super::elements::Element;
use super::token::is_space;
use crate::mapped::{Builder, MappedText};

/// Bytes from the start within which XML declares itself: its declaration, or the namespaces of its root.
const DECLARED_WITHIN: usize = 512;

/// Bytes within which a prefix is bound: each place where one may be is looked at.
const BOUND_WITHIN: usize = 1024;

/// Maximum number of prefixes, and of attributes by default, that are known.
const DECLARED: usize = 16;

/// The namespaces of the elements that lead somewhere or hide what follows, by their ends.
const NAMESPACES: [&str; 2] = ["//www.w3.org/1999/xhtml", "//www.w3.org/2000/svg"];

/// Bytes that a change takes beside what it writes, and that all of a page may take beside the length of the page.
const CHANGE_BYTES: usize = 16;
const CHANGES_BASE: usize = 16 << 10;

/// How a section begins and ends that is text as it stands (XML 1.0 §2.7).
pub(super) const CDATA: &str = "<![CDATA[";
pub(super) const CDATA_END: &str = "]]>";

const BINDING: &str = "xmlns:";
const ATTRIBUTES: &str = "<!ATTLIST";

/// The page as HTML that reads like the XML. `None` if it reads so as it is, or is no XML.
pub fn rewritten(text: &str) -> Option<MappedText<'static>> {
    let opening = text.get(..text.floor_char_boundary(DECLARED_WITHIN)).unwrap_or(text);
    let begins = opening.trim_start_matches('\u{feff}').trim_ascii_start().starts_with("<?xml");
    if !begins && !opening.contains("xmlns") {
        return None;
    }
    let prefixes = prefixes(text);
    let defaults = defaults(text);
    let has = |sought: &str| memmem::find(text.as_bytes(), sought.as_bytes()).is_some();
    let is_other = has(CDATA) || !prefixes.is_empty() || !defaults.is_empty() || has_empty(text);
    is_other.then(|| {
        let written = Builder::with_capacity(text.len());
        let left = text.len().saturating_add(CHANGES_BASE);
        XmlWriter { text, prefixes, defaults, written, done: 0, left, changed: false }.finish()
    })?
}

/// The prefixes that are bound to a namespace of the table.
fn prefixes(text: &str) -> Vec<&str> {
    let bindings = memmem::find_iter(text.as_bytes(), BINDING);
    let bound = bindings.filter_map(|at| {
        let rest = text.get(at + BINDING.len()..)?;
        let near = rest.get(..rest.floor_char_boundary(BOUND_WITHIN))?;
        let (prefix, value) = near.split_once('=')?;
        let value = value.trim_ascii_start().get(1..)?;
        let url = value.get(..memchr2(b'"', b'\'', value.as_bytes())?)?;
        NAMESPACES.iter().any(|known| url.ends_with(known)).then(|| prefix.trim_ascii())
    });
    bound.take(DECLARED).collect()
}

/// An attribute that elements have by declaration.
struct Default<'t> {
    element: &'t str,
    attribute: &'t str,
    value: Range<usize>,
}

fn defaults(text: &str) -> Vec<Default<'_>> {
    let declared = memmem::find_iter(text.as_bytes(), ATTRIBUTES).take(DECLARED);
    let declared = declared.filter_map(|at| {
        let rest = text.get(at + ATTRIBUTES.len()..)?;
        let rest = rest.get(..memchr(b'>', rest.as_bytes())?)?;
        let mut words = rest.split_ascii_whitespace();
        let (element, attribute) = (words.next()?, words.next()?);
        let open = memchr2(b'"', b'\'', rest.as_bytes())?;
        let quote = *rest.as_bytes().get(open)?;
        let length = memchr(quote, rest.as_bytes().get(open + 1..)?)?;
        let start = at + ATTRIBUTES.len() + open + 1;
        Some(Default { element, attribute, value: start..start + length })
    });
    declared.collect()
}

/// Whether an element is empty that cannot be in HTML.
fn has_empty(text: &str) -> bool {
    memmem::find_iter(text.as_bytes(), "/>").any(|end| {
        let before = text.as_bytes().get(..end).unwrap_or_default();
        // Void elements, which most of them are, have names and attributes: the start of the tag is near.
        let near = before.get(before.len().saturating_sub(LONGEST)..).unwrap_or_default();
        let start = memchr::memrchr(b'<', near).map_or(near.len(), |at| at + 1);
        let tag = near.get(start..).unwrap_or_default();
        let name = tag.iter().position(|byte| is_space(*byte)).unwrap_or(tag.len());
        Element::of(tag.get(..name).unwrap_or_default()).raw().is_some()
    })
}

/// Bytes of an empty tag that is looked at for its name.
const LONGEST: usize = 64;

struct XmlWriter<'t> {
    text: &'t str,
    prefixes: Vec<&'t str>,
    defaults: Vec<Default<'t>>,
    written: Builder,
    /// How much of the text was written, or left out.
    done: usize,
    /// Bytes of memory that changes may still take; what comes after them is left as it is.
    left: usize,
    changed: bool,
}

impl XmlWriter<'_> {
    fn finish(mut self) -> Option<MappedText<'static>> {
        let bytes = self.text.as_bytes();
        let mut at = 0;
        while let Some(found) = bytes.get(at..).and_then(|rest| memchr(b'<', rest)) {
            at = self.markup(at + found);
        }
        self.up_to(self.text.len());
        self.changed.then(|| self.written.finish())
    }

    /// Writes the text that comes before an offset, as it is.
    fn up_to(&mut self, at: usize) {
        self.written.linear(self.text.get(self.done..at).unwrap_or_default(), self.done);
        self.done = self.done.max(at);
    }

    /// Takes the memory of a change that writes so many bytes. False if too little is left.
    fn take(&mut self, bytes: usize) -> bool {
        let left = self.left.checked_sub(CHANGE_BYTES + bytes);
        self.left = left.unwrap_or(0);
        left.is_some()
    }

    /// Writes what replaces a range.
    fn replace(&mut self, range: Range<usize>, by: &str) {
        if !self.take(by.len()) {
            return;
        }
        self.up_to(range.start);
        self.written.unit(by, range.clone());
        self.done = range.end;
        self.changed = true;
    }

    /// Reads the markup that begins at a `<`, and returns where it ends.
    fn markup(&mut self, at: usize) -> usize {
        let rest = self.text.get(at..).unwrap_or_default();
        let behind = |end: &str, length: usize| {
            rest.find(end).map_or(self.text.len(), |found| at + found + length)
        };
        if let Some(data) = rest.strip_prefix(CDATA) {
            let start = at + CDATA.len();
            let length = data.find(CDATA_END).unwrap_or(data.len());
            self.replace(at..start, "");
            self.data(start..start + length);
            let end = (start + length + CDATA_END.len()).min(self.text.len());
            self.replace(start + length..end, "");
            return end;
        }
        match rest.as_bytes() {
            [_, b'!', b'-', b'-', ..] => behind("-->", "-->".len()),
            [_, b'!' | b'?', ..] => behind(">", 1),
            [_, b'/', ..] => {
                self.without_prefix(at + 2);
                at + 2
            }
            [_, first, ..] if first.is_ascii_alphabetic() => self.tag(at + 1),
            _ => at + 1,
        }
    }

    /// Writes characters of which none is markup.
    fn data(&mut self, range: Range<usize>) {
        let data = self.text.as_bytes().get(range.clone()).unwrap_or_default();
        for sign in memchr::memchr2_iter(b'<', b'&', data) {
            let at = range.start + sign;
            let by = if data.get(sign) == Some(&b'<') { "&lt;" } else { "&amp;" };
            self.replace(at..at + 1, by);
        }
        self.up_to(range.end);
    }

    /// The name at this offset, in HTML: without a prefix that is bound.
    fn without_prefix(&mut self, at: usize) -> Range<usize> {
        let rest = self.text.get(at..).unwrap_or_default();
        let ends = |byte: u8| is_space(byte) || matches!(byte, b'/' | b'>' | b'<');
        let length = rest.bytes().position(ends).unwrap_or(rest.len());
        let name = rest.get(..length).unwrap_or_default();
        let prefix = name.split_once(':').filter(|(prefix, _)| self.prefixes.contains(prefix));
        let local = prefix.map_or(0, |(prefix, _)| prefix.len() + 1);
        if local > 0 {
            self.replace(at..at + local, "");
        }
        at + local..at + length
    }

    /// Writes a start tag whose name begins here, and returns where it ends.
    fn tag(&mut self, at: usize) -> usize {
        let name = self.without_prefix(at);
        let bytes = self.text.as_bytes();
        let mut end = name.end;
        // Quoted values hold any sign.
        while let Some(sign) =
            bytes.get(end..).and_then(|rest| memchr::memchr3(b'>', b'"', b'\'', rest))
        {
            end += sign;
            match bytes.get(end) {
                Some(b'>') | None => break,
                Some(quote) => {
                    let value = bytes.get(end + 1..).unwrap_or_default();
                    end += 2 + memchr(*quote, value).unwrap_or(value.len());
                }
            }
        }
        if bytes.get(end) != Some(&b'>') {
            return self.text.len();
        }
        let is_empty = bytes.get(..end).is_some_and(|tag| tag.ends_with(b"/"));
        self.add_defaults(&name, end - usize::from(is_empty));
        let name = self.text.get(name).unwrap_or_default();
        if is_empty && Element::of(name.as_bytes()).raw().is_some() {
            self.up_to(end + 1);
            self.replace(end + 1..end + 1, &["</", name, ">"].concat());
        }
        end + 1
    }

    /// Writes the attributes that an element has by declaration, at the end of its tag.
    fn add_defaults(&mut self, name: &Range<usize>, end: usize) {
        let element = self.text.get(name.clone()).unwrap_or_default();
        let written = self.text.get(name.end..end).unwrap_or_default();
        let local = |name: &'_ str| name.rsplit(':').next().unwrap_or_default().len();
        for at in 0..self.defaults.len() {
            let Some(Default { element: of, attribute, value }) = self.defaults.get(at) else {
                break;
            };
            let is_of = of.get(of.len() - local(of)..) == Some(element);
            if !is_of || written.contains(attribute) {
                continue;
            }
            let (attribute, value) = (*attribute, value.clone());
            if !self.take(attribute.len() + value.len()) {
                return;
            }
            let of_value = self.text.get(value.clone()).unwrap_or_default();
            let added = [" ", attribute, "=\"", &of_value.replace('"', "&quot;"), "\""].concat();
            self.up_to(end);
            self.written.unit(&added, value);
            self.changed = true;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Option<String> {
        rewritten(text).map(|seen| seen.as_str().to_owned())
    }

    #[test]
    fn markup_of_xml_is_written_as_html() {
        let declared = "<?xml version=\"1.0\"?>";
        for (xml, html) in [
            ("<a><![CDATA[x<b & c]]></a>", "<a>x&lt;b &amp; c</a>"),
            ("<a><![CDATA[x", "<a>x"),
            ("<title/><a>x</a>", "<title/></title><a>x</a>"),
            ("<script src='>' />x", "<script src='>' /></script>x"),
            (
                "<h:a xmlns:h = 'http://www.w3.org/1999/xhtml' href='x'>y</h:a><o:p>",
                "<a xmlns:h = 'http://www.w3.org/1999/xhtml' href='x'>y</a><o:p>",
            ),
            (
                "<!DOCTYPE svg [<!ATTLIST a href CDATA \"x\">]><a>y</a><a href='z'/><a/>",
                "<!DOCTYPE svg [<!ATTLIST a href CDATA \"x\">]><a href=\"x\">y</a><a href='z'/><a href=\"x\"/>",
            ),
        ] {
            assert_eq!(read(&[declared, xml].concat()), Some([declared, html].concat()), "{xml}");
            assert_eq!(read(&["<!doctype html>", xml].concat()).is_some(), xml.contains("xmlns"));
        }
    }

    #[test]
    fn what_reads_alike_is_left() {
        let declared = "<html xmlns=\"http://www.w3.org/1999/xhtml\">";
        for page in [
            "<title>x</title><br/><img src='x'/>",
            "<o:p xmlns:o='urn:schemas-microsoft-com:office:office'>x</o:p>",
            "<!-- <![CDATA[ -->",
            "<script src='x'></script>",
        ] {
            assert_eq!(read(&[declared, page].concat()), None, "{page}");
        }
    }

    /// A declared value is written once for each element, and a sign of five bytes for each of one.
    #[test]
    fn what_is_written_is_not_much_longer() {
        let value = format!("<!ATTLIST a href CDATA \"{}\">", "x".repeat(10_000));
        let pages =
            [[&*value, &*"<a>".repeat(10_000)].concat(), [CDATA, &*"<".repeat(100_000)].concat()];
        for page in pages {
            let page = ["<?xml?>", &page].concat();
            assert!(read(&page).is_some_and(|html| html.len() <= 2 * page.len() + CHANGES_BASE));
        }
    }

    #[test]
    fn what_is_written_keeps_its_place() {
        let text = "<?xml?><title/><a><![CDATA[&paypal.com]]></a>";
        let seen = rewritten(text).unwrap();
        let at = seen.as_str().find("paypal").unwrap();
        assert_eq!(&text[seen.source(at..at + 10)], "paypal.com");
    }
}
