//! Hyperlinks of files that are text and no pages: tables in CSV with formulas, XML of Excel and Word 2003, flat
//! OpenDocument, Markdown. What a cell or a stretch of text shows stands beside where it leads, so they are read as the
//! anchors of a page.

mod markdown;

use crate::tnef::rtf::{Reached, Shown};
use crate::{FlatItem, flat_items};
use mailsplice::media::Media;
use mailsplice::mime::Part;
use memchr::memmem;
use uts58::html::escape;

/// Which files they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextFormat {
    /// Cells with separators between them.
    Table,
    /// XML.
    Markup,
    /// Markdown (RFC 7763).
    Markdown,
}

/// Labels and endings of names of tables.
const LABELS: [&str; 4] =
    ["text/csv", "text/tab-separated-values", "text/comma-separated-values", "application/csv"];
const EXTENSIONS: [&str; 2] = ["csv", "tsv"];

/// The same of Markdown.
const MARKDOWN: [&str; 3] = ["text/markdown", "text/x-markdown", "text/x-web-markdown"];
const MARKDOWN_EXTENSIONS: [&str; 2] = ["markdown", "md"];

/// What stands near the beginning of such XML: its namespaces.
const NAMESPACES: [&[u8]; 3] = [
    b"urn:schemas-microsoft-com:office:spreadsheet",
    b"http://schemas.microsoft.com/office/word/2003/wordml",
    b"urn:oasis:names:tc:opendocument:xmlns:office:1.0",
];

/// Bytes of a string in a formula at most: Excel takes 255 characters, by its specification.
const STRING_BYTES: usize = 4 * 255;

/// The format of a part that has such hyperlinks, by its label, its names and its first bytes.
pub fn format(part: &Part, opening: &[u8]) -> Option<TextFormat> {
    if NAMESPACES.iter().any(|namespace| memmem::find(opening, namespace).is_some()) {
        return Some(TextFormat::Markup);
    }
    if is_markdown(part) {
        return Some(TextFormat::Markdown);
    }
    is_table(part).then_some(TextFormat::Table)
}

/// Whether a part that is read as markup may be such XML: it is no page by its label.
pub fn may_be_markup(part: &Part) -> bool {
    let is_read = [Media::Html, Media::Xml].into_iter().any(|media| part.is_read_as(media));
    is_read && part.label != "text/html"
}

/// Whether a part is a table, by its label or one of its names.
pub fn is_table(part: &Part) -> bool {
    LABELS.contains(&&*part.label) || part.has_extension(&EXTENSIONS)
}

/// Whether a part is Markdown, by its label or one of its names.
pub fn is_markdown(part: &Part) -> bool {
    MARKDOWN.contains(&&*part.label) || part.has_extension(&MARKDOWN_EXTENSIONS)
}

/// A page with the anchors of a file; empty if it has none.
pub fn anchors(bytes: &[u8], format: TextFormat) -> String {
    let text = String::from_utf8_lossy(bytes);
    let mut page = String::new();
    match format {
        TextFormat::Table => formulas(&text, &mut page),
        // Markup in what it shows is that of a page.
        TextFormat::Markdown => markdown::links(&text, &mut |url, shown| {
            push(&mut page, url, |page| page.push_str(shown));
        }),
        TextFormat::Markup => flat_items(&text, |item| match item {
            FlatItem::Link { url, shown } => push(&mut page, &url, |page| escape(&shown, page)),
            FlatItem::Formula(formula) => formulas(&formula, &mut page),
            FlatItem::Field { instruction, shown } => {
                let mut reached = Reached::default();
                reached.add(&instruction, Shown::whole(&shown));
                page.push_str(&reached.anchors);
            }
            // What relates them is in another file.
            FlatItem::Related { .. } => {}
        }),
    }
    page
}

fn push(page: &mut String, url: &str, write_shown: impl FnOnce(&mut String)) {
    page.push_str("<a href=\"");
    escape(url, page);
    page.push_str("\">");
    write_shown(page);
    page.push_str("</a>\n");
}

/// The links of formulas in a text: `=HYPERLINK("http://a.example";"Text")`, its quotes perhaps doubled as in CSV.
pub(super) fn formulas(text: &str, page: &mut String) {
    let mut rest = text;
    while let Some(at) = find_call(rest.as_bytes()) {
        rest = rest.get(at..).unwrap_or_default();
        let Some((url, after)) = string(rest) else { continue };
        let shown = after.trim_start().strip_prefix([',', ';']).and_then(string);
        let (shown, after) = shown.unwrap_or((url, after));
        rest = after;
        push(page, url, |page| escape(shown, page));
    }
}

/// Whether there is such a formula.
pub(super) fn has_call(text: &[u8]) -> bool {
    find_call(text).is_some()
}

/// Where the arguments of the next call begin.
fn find_call(text: &[u8]) -> Option<usize> {
    const NAME: &[u8] = b"HYPERLINK(";
    let mut brackets = memchr::memchr_iter(b'(', text);
    brackets.find_map(|at| {
        let front = text.get(..=at)?;
        front.last_chunk::<{ NAME.len() }>()?.eq_ignore_ascii_case(NAME).then_some(at + 1)
    })
}

/// The string that a text begins with, and what is behind it.
fn string(text: &str) -> Option<(&str, &str)> {
    let text = text.trim_start();
    let quote = if text.starts_with("\"\"") { "\"\"" } else { "\"" };
    let inside = text.strip_prefix(quote)?;
    let near = inside.get(..inside.floor_char_boundary(STRING_BYTES))?;
    let (string, _) = near.split_once(quote)?;
    Some((string, inside.get(string.len() + quote.len()..)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(url: &str, shown: &str) -> String {
        format!("<a href=\"{url}\">{shown}</a>\n")
    }

    #[test]
    fn formulas_of_tables_are_anchors() {
        for (table, url, shown) in [
            (
                "a,\"=HYPERLINK(\"\"https://b.example/\"\",\"\"www.c.com\"\")\"",
                "https://b.example/",
                "www.c.com",
            ),
            (
                "=HYPERLINK(\"https://b.example/?a&b\";\"Pay <now>\")",
                "https://b.example/?a&amp;b",
                "Pay &lt;now&gt;",
            ),
            (
                "x\t=hyperlink( \"https://b.example/\" , \"www.c.com\" )",
                "https://b.example/",
                "www.c.com",
            ),
            ("=HYPERLINK(\"https://b.example/\")", "https://b.example/", "https://b.example/"),
            (
                "=HYPERLINK(A1)\n=HYPERLINK(\"https://b.example/\",B2)",
                "https://b.example/",
                "https://b.example/",
            ),
        ] {
            assert_eq!(anchors(table.as_bytes(), TextFormat::Table), page(url, shown), "{table}");
        }
        let long = format!("=HYPERLINK(\"{}\",\"x\")", "é".repeat(STRING_BYTES));
        for table in
            ["a,b", "HYPERLINK", "=HYPERLINK(\"https://b.example", "=LINK(\"a\",\"b\")", &long]
        {
            assert_eq!(anchors(table.as_bytes(), TextFormat::Table), "", "{table}");
        }
    }

    #[test]
    fn links_of_markup_are_anchors() {
        for (xml, url, shown) in [
            (
                "<Row><Cell ss:StyleID='x' ss:HRef=\"https://b.example/?a&amp;b>\"><Data>www.<b>c</b>.com</Data></Cell>d</Row>",
                "https://b.example/?a&amp;b&gt;",
                "www.c.com",
            ),
            (
                "<w:hlink w:dest='https://b.example'><w:t>www.c.com</w:t></w:hlink>",
                "https://b.example",
                "www.c.com",
            ),
            (
                "<text:a xlink:href=\"https://b.example\">www.c.com</text:a>",
                "https://b.example",
                "www.c.com",
            ),
            (
                "<!-- <hlink dest='x'>y</hlink> --><w:hlink w:dest = 'https://b.example/?a\"b'>c &lt;d&#62;</w:hlink>",
                "https://b.example/?a&quot;b",
                "c &lt;d&gt;",
            ),
            (
                "<Cell ss:Formula=\"=HYPERLINK(&quot;https://b.example&quot;,&quot;www.c.com&quot;)\"/>",
                "https://b.example",
                "www.c.com",
            ),
        ] {
            assert_eq!(anchors(xml.as_bytes(), TextFormat::Markup), page(url, shown), "{xml}");
        }
        for xml in
            ["", "<", "<a>", "<Cell ss:HRef=\"x\"/>", "<Cell ss:HRef=\"x", "<Cell ss:HRef=\"x\">y"]
        {
            assert_eq!(anchors(xml.as_bytes(), TextFormat::Markup), "", "{xml}");
        }
    }
}
