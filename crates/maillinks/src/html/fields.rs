//! Fields of Word, which Outlook shows HTML by: `HYPERLINK "https://example.com"` between marks, or in the style of an
//! element, is where the text behind it leads.

use std::ops::Range;

use super::token::{Attribute, attribute_named};
use super::{HtmlReader, MappedText, Site, entity};
use crate::css;
use uts58::Kind;

/// Maximum number of open fields: one in another is rare.
const OPEN: usize = 16;

/// The property of the marks, and that of a style with a field.
const MARK: &str = "mso-element";
const CODE: &str = "mso-field-code";

/// The first word of a field that is a link.
const LINK: &str = "hyperlink";

/// The text of a link that Outlook has.
#[derive(Debug, PartialEq, Eq)]
pub struct OutlookLink {
    /// Where in the source its target is: the `<` of its tag, or the code of a field.
    pub target: Range<usize>,
    pub text: Range<usize>,
}

impl OutlookLink {
    pub fn until(mut self, end: usize) -> OutlookLink {
        self.text.end = end;
        self
    }
}

/// What an element is to a field.
pub enum Mark {
    Begin,
    Separator,
    End,
    /// The code of a link, whose text is that of the element.
    Code(Range<usize>),
}

/// Whether a property of a style is one of a field.
pub fn is_of_field(property: &str) -> bool {
    [MARK, CODE].iter().any(|known| property.eq_ignore_ascii_case(known))
}

/// What an element with these attributes is to a field.
pub fn mark(source: &str, attributes: &[Attribute]) -> Option<Mark> {
    let style = attribute_named(source, attributes, "style")?.value();
    let mut mark = None;
    css::declarations(entity::attribute(source, style.clone()).as_str(), |declaration| {
        let Some((property, value)) = declaration.split_once(':') else { return };
        let (property, value) = (property.trim_ascii(), value.trim_ascii());
        let says = |word: &str| value.eq_ignore_ascii_case(word);
        if property.eq_ignore_ascii_case(CODE) && is_link(value.trim_start_matches(['"', '\''])) {
            mark = Some(Mark::Code(style.clone()));
        } else if property.eq_ignore_ascii_case(MARK) {
            mark = match value {
                _ if says("field-begin") => Some(Mark::Begin),
                _ if says("field-separator") => Some(Mark::Separator),
                _ if says("field-end") => Some(Mark::End),
                _ => mark.take(),
            };
        }
    });
    mark
}

/// Whether the code of a field is a link.
fn is_link(code: &str) -> bool {
    let word = code.trim_start().get(..LINK.len());
    word.is_some_and(|word| word.eq_ignore_ascii_case(LINK))
}

/// The fields that are open.
#[derive(Default)]
pub struct OpenFields {
    fields: Vec<FormField>,
    /// Elements that are open whose style may have a field.
    spans: usize,
}

struct FormField {
    /// Where its code is in the source, and where it begins in the text.
    code: Range<usize>,
    from: usize,
    /// Where what it shows begins, if it is a link.
    shown: Option<usize>,
    is_separated: bool,
    /// The open elements around that whose style has it.
    element: Option<usize>,
}

impl OpenFields {
    /// Begins the code of a field here in the source, and in the text.
    pub fn begin(&mut self, at: usize, from: usize) {
        let (shown, element) = (None, None);
        self.push(FormField { code: at..at, from, shown, is_separated: false, element });
    }

    /// Begins the text of a field whose code is here in the source.
    pub fn begin_element(&mut self, code: Range<usize>, from: usize) {
        let (shown, element) = (Some(from), Some(self.spans));
        self.push(FormField { code, from, shown, is_separated: true, element });
    }

    fn push(&mut self, field: FormField) {
        if self.fields.len() < OPEN {
            self.fields.push(field);
        }
    }

    /// Ends the code of the last field, and begins its text.
    pub fn separate<'s>(&mut self, at: usize, code: impl Fn(usize) -> &'s str, from: usize) {
        if let Some(field) = self.fields.last_mut().filter(|field| !field.is_separated) {
            field.is_separated = true;
            field.code.end = at;
            field.shown = is_link(code(field.from)).then_some(from);
        }
    }

    /// Ends the last field: the link that it is.
    pub fn end(&mut self) -> Option<OutlookLink> {
        let field = self.fields.pop()?;
        field.shown.map(|from| OutlookLink { target: field.code, text: from..from })
    }

    pub fn enter_element(&mut self) {
        self.spans += 1;
    }

    pub fn leave_element(&mut self) -> Option<OutlookLink> {
        self.spans = self.spans.saturating_sub(1);
        let last = self.fields.last()?.element?;
        (last == self.spans).then(|| self.end())?
    }

    pub fn is_empty(&self) -> bool {
        self.fields.is_empty()
    }
}

impl<'t> HtmlReader<'t, '_, '_> {
    /// Notes a style that is of a field, and reads the link of one that is in it.
    pub(super) fn field(&mut self, style: &MappedText<'t>, site: &Site) {
        // What a field leads to is found again at the end.
        (self.outlook, self.in_turn) = (true, false);
        let code = css::decoded(style.as_str()).over(style);
        self.running_text(code, site, |link| link.kind == Kind::Scheme);
    }
}

#[cfg(test)]
mod tests {
    use super::super::outlook::{Shown, shown};
    use super::OutlookLink;

    #[test]
    fn fields_that_are_links() {
        let span = |mark: &str| format!("<span style='mso-element:{mark}'></span>");
        let [begin, separator, end] = ["field-begin", "field-separator", "Field-End"].map(span);
        let field = |code: &str, text: &str| format!("{begin}{code}{separator}{text}{end}");
        let only = |inner: &str| format!("<!--[if supportFields]>{inner}<![endif]-->");
        let inner = field(" INCLUDEPICTURE x ", "i");
        let code = "mso-field-code:\" HYPERLINK \\0022x\\0022 \"";
        for (page, expected) in [
            (field(" HYPERLINK \"x\" ", "a b"), vec![("HYPERLINK \"x\"", "a b")]),
            (
                [&only(&format!("{begin}hyperlink x{separator}")), "a", &only(&end), "c"].concat(),
                vec![("hyperlink x", "a")],
            ),
            (
                field("HYPERLINK x", &format!("a{inner}b")),
                vec![("HYPERLINK x", "a INCLUDEPICTURE x \ni\nb")],
            ),
            (format!("{begin}HYPERLINK x{separator}a"), vec![("HYPERLINK x", "a")]),
            (field(" PAGE ", "1"), vec![]),
            (format!("{separator}a{end}"), vec![]),
            (format!("<span style='{code}'><span>a</span>b</span>c"), vec![(code, "ab")]),
        ] {
            let Shown { text, fields, .. } = shown(&page);
            let of = |one: &OutlookLink| {
                let code = page[one.target.clone()].trim_start_matches("</span>").trim();
                (code.to_owned(), text.as_str()[one.text.clone()].trim().to_owned())
            };
            let found: Vec<(String, String)> = fields.iter().map(of).collect();
            let expected: Vec<(String, String)> =
                expected.into_iter().map(|(code, text)| (code.into(), text.into())).collect();
            assert_eq!(found, expected, "{page}");
        }
    }
}
