//! Labels that calendars and cards show in place of a URL: parameters of it (RFC 7986 §6.6 `LABEL`, RFC 8607 §4.2
//! `FILENAME`), a text with another representation (RFC 5545 §3.2.1 `ALTREP`). They are read as the text of a link.

use std::sync::Arc;

use super::mapped::{Builder, MappedText};
use super::property::{Escapes, may_hold_link, parameters, piece, unquoted};
use super::{Edits, InFront, Language, Layer};
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
    Some(Layer {
        edits: Edits::Impossible,
        in_front: InFront::Link,
        ..Layer::of(page.finish(), Language::Html)
    })
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

/// Whether a text is one word.
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

#[cfg(test)]
mod tests {
    use crate::Dmarc;
    use crate::outcome::{Reason, Verdict};
    use crate::tests::to_harbour;

    /// The verdict of a line of an event whose label differs from where it leads, and the property.
    fn differs(line: &str) -> Option<(Verdict, String)> {
        let body = format!("BEGIN:VEVENT\r\n{line}\r\nEND:VEVENT\r\n");
        let outcome = to_harbour("Ann <ann@evil.top>", "text/calendar", &body, Dmarc::Unknown);
        assert_eq!(outcome.edits.len(), usize::from(line.contains('\u{430}')));
        let mut findings = outcome.findings.iter();
        let found = findings.find(|one| one.reasons.contains(Reason::TextHrefMismatch));
        found.map(|one| (one.verdict, one.place.to_string()))
    }

    #[test]
    fn a_label_is_compared_with_the_url_below_it() {
        for (line, property) in [
            ("CONFERENCE;VALUE=URI;LABEL=www.paypal.com:https://evil.top/x", "CONFERENCE"),
            ("CONFERENCE;LABEL=\"https://www.paypal.com/\":https://evil.top/x", "CONFERENCE"),
            ("conference;label=Join at www.paypal.com:https://evil.top/x", "CONFERENCE"),
            ("CONFERENCE;LABEL=A;LABEL=www.pay\r\n pal.com:https://evil.top/x", "CONFERENCE"),
            ("CONFERENCE;LABEL=www.paypal\u{b7}com:https://evil.top/x", "CONFERENCE"),
            ("CONFERENCE;LABEL=www.paypal\u{2024}com:https://evil.top/?\"x", "CONFERENCE"),
            ("ATTACH;FILENAME=www.paypal.com:https://evil.top/x", "ATTACH"),
            ("ATTACH;FMTTYPE=text/html;X-FILENAME=paypal.com:https://evil.top/x", "ATTACH"),
            ("ATTACH;X-TITLE=www.paypal.com:https://evil.top/x", "ATTACH"),
            ("LINK;LINKREL=SOURCE;LABEL=www.paypal.com;VALUE=URI:https://evil.top/x", "LINK"),
            ("URL;LABEL=service@paypal.com:mailto:x@evil.top", "URL"),
            ("DESCRIPTION;ALTREP=\"https://evil.top/x\":www.paypal.com", "DESCRIPTION"),
            ("LOCATION;ALTREP=\"https://evil.top/x\":https\\://www.paypal.com/", "LOCATION"),
        ] {
            let found = Some((Verdict::Suspect, format!("calendar:{property}")));
            assert_eq!(differs(line), found, "{line}");
        }
    }

    #[test]
    fn labels_that_name_what_they_lead_to_or_nothing_known() {
        for line in [
            "CONFERENCE;VALUE=URI;LABEL=Join the meeting:https://evil.top/x",
            "CONFERENCE;VALUE=URI;LABEL=www.paypal.com:https://www.paypal.com/x",
            "CONFERENCE;LABEL=meet.google.com/abc:https://meet.google.com/abc",
            "CONFERENCE;LABEL=conf.fine.com:https://evil.top/x",
            "ATTACH;FILENAME=minutes.pdf:https://drive.google.com/file/d/1",
            "ATTACH;FILENAME=report.zip:https://drive.google.com/file/d/1",
            "ATTACH;FILENAME=\"Booking.com confirmation.pdf\":https://drive.google.com/file/d/1",
            "ATTACH;FILENAME=Amazon.com invoice 12.pdf:https://mail.google.com/mail?x",
            "ATTACH;FILENAME=www.paypal.com:CID:part@evil.top",
            "ATTACH;ENCODING=BASE64;FILENAME=paypal.com:aHR0cHM6Ly9ldmlsLnRvcC8=",
            "X-APPLE-STRUCTURED-LOCATION;X-TITLE=\"Apple.com Store\":geo:1,2",
            "DESCRIPTION;ALTREP=\"https://evil.top/x\":Read www.paypal.com before we meet",
            "DESCRIPTION;ALTREP=\"CID:part@evil.top\":www.paypal.com",
            "DESCRIPTION;ALTREP=\"https://evil.top/x\":Minutes",
            "ATTENDEE;CN=Ann;DIR=\"https://evil.top/\":mailto:ann@fine.com",
        ] {
            assert_eq!(differs(line), None, "{line}");
        }
    }
}
