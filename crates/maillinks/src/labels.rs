//! Labels that calendars and cards show in place of a URL: parameters of it (RFC 7986 §6.6 `LABEL`, RFC 8607 §4.2
//! `FILENAME`), a text with another representation (RFC 5545 §3.2.1 `ALTREP`). They are read as the text of a link.

use std::sync::Arc;

use super::mapped::{Builder, MappedText};
use super::property::{Escapes, may_hold_link, parameters, piece, unquoted};
use super::{InFront, Layer};
use uts58::{reference, scheme};

/// Parameters that are shown in place of a URL.
const LABELS: &[&str] = &["LABEL", "TITLE", "X-LABEL", "X-TITLE"];

/// The same, with the name of a file: among other words in it that of a firm is what the file is about.
const FILE_NAMES: &[&str] = &["FILENAME", "X-APPLE-FILENAME", "X-FILENAME"];

/// Bytes of a URL that are compared, and of a label: its host stands in front, and no program shows more of a label.
const URL_BYTES: usize = 2_048;
const LABEL_BYTES: usize = 512;

/// Labels of one URL that are read, and other representations of one text: programs show one.
const MOST: usize = 4;

/// What is shown in place of the value of a property, or of another representation of it. `start` is where the head of
/// the content line begins.
pub fn of_property(
    unfolded: &MappedText<'_>,
    (head, start): (&str, usize),
    value: &MappedText<'_>,
    property: &Arc<str>,
) -> Vec<Layer<'static>> {
    let named = |names: &'static [&'static str]| {
        let is_one = move |name: &str| names.iter().any(|one| name.eq_ignore_ascii_case(one));
        let ranges = parameters(head).filter(move |(name, _)| is_one(name));
        ranges.map(|(_, range)| {
            let range = unquoted(head, range.clone()).unwrap_or(range);
            piece(unfolded, start + range.start..start + range.end, Escapes::None)
        })
    };
    let mut found = Vec::new();
    if leads(value.as_str()) {
        let files = named(FILE_NAMES).filter(|name| is_word(name.as_str()));
        let labels = named(LABELS).chain(files).filter(|one| may_hold_link(one.as_str()));
        let labels: Vec<_> = labels.take(MOST).collect();
        found.extend(link(("", value), &labels));
    }
    if is_word(value.as_str()) && may_hold_link(value.as_str()) {
        let others = named(&["ALTREP"]).filter(|url| leads(url.as_str())).take(MOST);
        found.extend(others.filter_map(|url| link(("", &url), std::slice::from_ref(value))));
    }
    let of = |layer| Layer { property: Some(Arc::clone(property)), ..layer };
    found.into_iter().map(of).collect()
}

/// A link with these labels, each in a line of its own; `None` without one. `scheme` is what its URL leaves out.
pub fn link(
    (scheme, url): (&str, &MappedText<'_>),
    labels: &[MappedText<'_>],
) -> Option<Layer<'static>> {
    let (first, rest) = labels.split_first()?;
    let mut page = Builder::default();
    let start = url.source(0..0).start;
    page.unit("<a href=\"", start..start);
    page.unit(scheme, start..start);
    escaped(url, URL_BYTES, &mut page);
    page.unit("\">", start..start);
    escaped(first, LABEL_BYTES, &mut page);
    for label in rest {
        page.unit("<br>", start..start);
        escaped(label, LABEL_BYTES, &mut page);
    }
    page.unit("</a>", start..start);
    Some(Layer::behind(InFront::Link, page.finish()))
}

/// A link to the first URL among these pieces of a text, labelled by a name that is one word: a shortcut is shown by the
/// name of its file.
pub fn named_link<'t>(
    text: &str,
    mut pieces: impl Iterator<Item = &'t str>,
    name: &str,
) -> Option<Layer<'static>> {
    site_of_name(name)?;
    let url = pieces.find(|piece| leads(piece))?;
    below_name(url, text.find(url)?, name)
}

/// A link to a URL that begins here, labelled by a name.
pub fn below_name(url: &str, start: usize, name: &str) -> Option<Layer<'static>> {
    let mut label = Builder::default();
    label.unit(name, start..start);
    link(("", &MappedText::slice(url, start)), &[label.finish()])
}

/// The site that a name may be, without `www.`.
pub fn site_of_name(name: &str) -> Option<&str> {
    let name = Some(name.trim()).filter(|name| is_word(name) && may_hold_link(name))?;
    let rest = name.split_at_checked(4).filter(|(www, _)| www.eq_ignore_ascii_case("www."));
    Some(rest.map_or(name, |(_, rest)| rest))
}

/// Whether a value is the URL of a site or of a mail address.
pub fn leads(value: &str) -> bool {
    let value = value.trim_start();
    let name = reference::scheme(value).and_then(|colon| value.get(..colon));
    name.is_some_and(|name| scheme::is_web(name) || name.eq_ignore_ascii_case("mailto"))
}

fn is_word(text: &str) -> bool {
    let text = text.trim();
    !text.is_empty() && !text.contains(char::is_whitespace)
}

/// Adds the beginning of a text, without the blanks around it, as markup writes it.
fn escaped(text: &MappedText<'_>, most: usize, page: &mut Builder) {
    let shown = text.as_str();
    let shown = shown.get(..shown.floor_char_boundary(most)).unwrap_or(shown).trim_end();
    let blanks = shown.len() - shown.trim_start().len();
    let mut utf8 = [0; 4];
    for (at, c) in shown.char_indices().skip_while(|(at, _)| *at < blanks) {
        let written = match c {
            '&' => "&amp;",
            '<' => "&lt;",
            '"' => "&quot;",
            c => c.encode_utf8(&mut utf8),
        };
        page.unit(written, text.source(at..at + c.len_utf8()));
    }
}
