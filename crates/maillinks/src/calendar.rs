//! text/calendar (RFC 5545) and text/vcard (RFC 6350): property values, unfolded and unescaped.
//!
//! | clause | here |
//! | --- | --- |
//! | §3.1 content lines, folding | `unfold` |
//! | §3.2 parameters (`ALTREP`, `CN`, `DIR`, `SENT-BY`) | `parameters`, `followed`, `common_name` |
//! | §3.3.11 TEXT escapes | `unescape` |
//! | §3.3.3 CAL-ADDRESS, §3.3.13 URI | [`Language::Url`] |
//! | `X-ALT-DESC;FMTTYPE=text/html`; markup in any text | [`Language::Html`] |
//! | vCard 2.1 §2.1.3, `ENCODING=QUOTED-PRINTABLE`, `BASE64` | [`encoded`] |

use std::iter;
use std::ops::Range;
use std::sync::Arc;

use memchr::memchr_iter;

use super::cards::Card;
use super::mapped::{Builder, MappedText};
use super::property::{
    Escapes, may_hold_link, parameters, piece, shown_parameters, unescape, unquoted,
};
use super::{Edits, Language, Layer, STRETCH, encoded, labels, named};
use mailsplice::span::TextEdit;
use uts58::reference;
use uts58::scheme::{self, Does};

/// Maximum octets of a line without its line end (§3.1).
const LINE: usize = 75;

/// Properties whose value is one URL or one `mailto:`.
const URLS: &[&str] = &[
    "ATTACH",
    "ATTENDEE",
    "CALADDRESS",
    "CONFERENCE",
    "IMAGE",
    "ORGANIZER",
    "LOGO",
    "PHOTO",
    "SOUND",
    "SOURCE",
    "TZURL",
    "URL",
    "X-GOOGLE-CONFERENCE",
    "X-MICROSOFT-ONLINEMEETINGCONFLINK",
    "X-MICROSOFT-ONLINEMEETINGEXTERNALLINK",
    "X-MICROSOFT-SKYPETEAMSMEETINGURL",
    "X-ZOOM-URL",
];

/// Properties whose values are not shown.
const NOT_SHOWN: &[&str] = &[
    "BEGIN", "CREATED", "DTEND", "DTSTAMP", "DTSTART", "DUE", "DURATION", "END", "EXDATE",
    "LAST-MODIFIED", "PRIORITY", "PRODID", "RDATE", "RRULE", "SEQUENCE", "STATUS", "TRANSP", "UID",
    "VERSION",
];

/// The properties that are shown as the title of an event, as its place, as the name of a calendar (RFC 7986 §5.1), and
/// as the text of an alarm.
pub const TITLES: [&str; 5] = ["SUMMARY", "LOCATION", "NAME", "X-WR-CALNAME", ALARM];

/// How the `DESCRIPTION` of an alarm (RFC 5545 §3.6.6) is named: one of an event is a text.
const ALARM: &str = "VALARM-DESCRIPTION";

/// Whether a line is in an alarm.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Alarm {
    #[default]
    None,
    Open,
}

impl Alarm {
    fn line(&mut self, line: &str) {
        const BEGIN: &str = "BEGIN:VALARM";
        const END: &str = "END:VALARM";
        let line = line.trim_ascii_end();
        match line.len() {
            // What most fail on.
            12 if line.eq_ignore_ascii_case(BEGIN) => *self = Alarm::Open,
            10 if line.eq_ignore_ascii_case(END) => *self = Alarm::None,
            _ => {}
        }
    }
}

/// A layer for each property that can hold a link, and for each title.
pub fn layers(text: &str) -> impl Iterator<Item = Layer<'_>> {
    let mut at = 0;
    let mut card = Card::default();
    let mut alarm = Alarm::default();
    let stretches = iter::from_fn(move || {
        let rest = text.get(at..).filter(|rest| !rest.is_empty())?;
        let (unfolded, length) = unfold(rest, at);
        at += length;
        let mut found = Vec::new();
        let mut start = 0;
        for line in unfolded.as_str().split_inclusive('\n') {
            let range = start..start + line.trim_end_matches('\n').len();
            found.extend(card.line(&unfolded, range.clone()).into_iter().map(LineContent::from));
            alarm.line(line);
            property(&unfolded, (range, alarm), &mut found);
            start += line.len();
        }
        if at >= text.len() {
            found.extend(card.end().into_iter().map(LineContent::from));
        }
        Some(properties(unfolded, found))
    });
    stretches.flatten()
}

fn properties<'t>(
    unfolded: MappedText<'static>,
    found: Vec<LineContent>,
) -> impl Iterator<Item = Layer<'t>> {
    found.into_iter().map(move |found| match found {
        LineContent::Layer(layer) => *layer,
        LineContent::Value(range, property) => {
            let seen = piece(&unfolded, range, Escapes::None);
            Layer { property: Some(property), ..Layer::of(seen, Language::Url) }
        }
    })
}

/// What a content line holds.
enum LineContent {
    Layer(Box<Layer<'static>>),
    /// The value of a parameter, which becomes a layer when it is read: a property may have very many.
    Value(Range<usize>, Arc<str>),
}

impl From<Layer<'static>> for LineContent {
    fn from(layer: Layer<'static>) -> LineContent {
        LineContent::Layer(layer.into())
    }
}

/// The fold of a text: its line end and a space.
pub fn folding(text: &str) -> &'static str {
    if text.contains("\r\n") { "\r\n " } else { "\n " }
}

/// Folds lines that edits make longer than [`LINE`], before and after the edit.
pub fn fold(text: &str, newline: &str, edits: &mut [TextEdit]) {
    let bytes = text.as_bytes();
    for edit in edits.iter_mut().filter(|edit| edit.replacement.len() > edit.range.len()) {
        // A look of a line's length either way is enough.
        let start = edit.range.start;
        let before = bytes.get(start.saturating_sub(LINE)..start).unwrap_or_default();
        let column =
            memchr::memrchr(b'\n', before).map_or(before.len(), |end| before.len() - end - 1);
        let behind = bytes.get(edit.range.end..).unwrap_or_default();
        let behind = behind.get(..LINE).unwrap_or(behind);
        let rest = memchr::memchr2(b'\r', b'\n', behind).unwrap_or(behind.len());
        if column > 1 && column + edit.replacement.len() + rest > LINE {
            let goes_on = 1 + newline.len() + edit.replacement.len() + rest > LINE && rest > 0;
            let after = if goes_on { newline } else { "" };
            edit.replacement = [newline, &edit.replacement, after].concat().into();
        }
    }
}

/// Undoes folding: a line end before a space or tab is dropped with it (§3.1). Returns the content lines at the start
/// of the text, which begins at this byte of the part, and their length there.
fn unfold(text: &str, start: usize) -> (MappedText<'static>, usize) {
    let mut seen = Builder::with_capacity(text.len().min(STRETCH));
    let mut at = start;
    let mut softly = false;
    for line in text.split_inclusive('\n') {
        let body = line.trim_end_matches('\n').trim_end_matches('\r');
        let folded = body.starts_with([' ', '\t']);
        let joins = folded || softly;
        // After a soft line break a blank is text, not a fold (vCard 2.1 §2.1.3).
        let blank = usize::from(folded && !softly);
        if !joins && seen.len() >= STRETCH {
            break;
        }
        if !joins && at > start {
            seen.unit("\n", at..at);
        }
        softly = body.ends_with('=') && (softly || encoded::is_quoted(body));
        let body = body.strip_suffix('=').filter(|_| softly).unwrap_or(body);
        seen.linear(body.get(blank..).unwrap_or_default(), at + blank);
        at += line.len();
    }
    (seen.finish(), at - start)
}

/// The layers of a content line: its parameters, its value.
fn property(
    unfolded: &MappedText<'_>,
    (line, alarm): (Range<usize>, Alarm),
    found: &mut Vec<LineContent>,
) {
    let Some(text) = unfolded.as_str().get(line.clone()) else { return };
    // A second colon: `URL:javascript:…`, `URL:http://2130706433/`.
    let plain = !may_hold_link(text) && memchr_iter(b':', text.as_bytes()).nth(1).is_none();
    if plain && !encoded::is_encoded(text) {
        return;
    }
    let colon =
        encoded::value_colon(text).filter(|colon| is_named(text.get(..*colon).unwrap_or_default()));
    let Some((head, written)) = colon.and_then(|colon| text.split_at_checked(colon)) else {
        // Not a content line, but a client may show it.
        let seen = piece(unfolded, line, Escapes::None);
        found.push(LineContent::Layer(Layer::of(seen, Language::Text).into()));
        return;
    };
    let name = head.split(';').next().unwrap_or_default();
    let name = named(name).to_ascii_uppercase();
    // `item1.URL` (RFC 6350 §3.3).
    let name = name.rsplit('.').next().unwrap_or_default();
    let is_alarm = alarm == Alarm::Open && name == "DESCRIPTION";
    let property = if is_alarm { ALARM } else { name }.into();
    let content = ContentLine { unfolded, line, head, written, name, property };
    content.parameters(found);
    if !NOT_SHOWN.contains(&name) {
        content.value(found);
    }
}

/// A content line (RFC 5545 §3.1).
struct ContentLine<'u, 't> {
    unfolded: &'u MappedText<'t>,
    /// Its bytes in the unfolded text.
    line: Range<usize>,
    /// Its name and parameters.
    head: &'u str,
    /// Its value, with the colon in front.
    written: &'u str,
    name: &'u str,
    /// The property as findings name it.
    property: Arc<str>,
}

impl<'u> ContentLine<'u, '_> {
    fn layer<'l>(&self, seen: MappedText<'l>, language: Language) -> Layer<'l> {
        Layer { property: Some(Arc::clone(&self.property)), ..Layer::of(seen, language) }
    }

    /// Adds what parameters lead to and show.
    fn parameters(&self, found: &mut Vec<LineContent>) {
        let ContentLine { unfolded, head, .. } = *self;
        let start = self.line.start;
        if !may_hold_link(head) && !head.contains(':') {
            return;
        }
        for range in followed_values(head) {
            if let Some(page) = alternative_page(head, &range) {
                let at = start + page.start;
                let seen = encoded::percent_decoded(head.get(page).unwrap_or_default());
                let page = self.layer(seen.shifted(at).over(unfolded), Language::Html);
                found.push(LineContent::Layer(page.into()));
                continue;
            }
            let range = start + range.start..start + range.end;
            found.push(LineContent::Value(range, Arc::clone(&self.property)));
        }
        // `CN=…` is shown, quoted or not.
        let shown = shown_parameters(head, start).over(unfolded);
        found.push(LineContent::Layer(self.layer(shown, Language::Text).into()));
    }

    /// Adds the value, in each way in which clients read it.
    fn value(&self, found: &mut Vec<LineContent>) {
        let ContentLine { unfolded, head, name, .. } = *self;
        let value = self.line.start + head.len() + 1..self.line.end;
        let plain = if URLS.contains(&name) { Language::Url } else { Language::Text };
        let encoded = encoded::value(head, self.written.get(1..).unwrap_or_default(), plain);
        let leads = name == "ORGANIZER" || name == "ATTENDEE" && is_chair(head);
        let organizer = (encoded.is_none() && leads).then(|| common_name(head).unwrap_or_default());
        let in_line = (head, self.line.start);
        if organizer.is_some() && head.contains('@') {
            let address = (unfolded, value.clone());
            let shown = addressed(address, in_line, organizer.as_deref(), &self.property);
            found.extend(shown.into_iter().map(LineContent::from));
        }
        let (seen, language, edits) = match encoded {
            Some((seen, edits)) => (seen.shifted(value.start).over(unfolded), plain, edits),
            None => {
                let (escapes, language) = format(head, plain);
                (piece(unfolded, value, escapes), language, Edits::Possible)
            }
        };
        // Some clients show the markup of a description whatever its format parameter; an encoded page is opened as one.
        let is_shown = language == Language::Text || edits == Edits::Impossible;
        let markup = (is_shown && is_markup(seen.as_str()))
            .then(|| Layer { edits, ..self.layer(seen.clone(), Language::Html) });
        // Some clients undo the escapes of text in a URL: `https\://`.
        let escaped = language == Language::Url && reference::scheme(seen.as_str()).is_none();
        let unescaped = escaped.then(|| unescaped(&seen)).flatten();
        let unescaped = unescaped.map(|seen| Layer { edits, ..self.layer(seen, Language::Url) });
        if edits == Edits::Possible && head.contains('=') {
            let labelled = labels::of_property(unfolded, in_line, &seen, &self.property);
            found.extend(labelled.into_iter().map(LineContent::from));
        }
        let value = Layer { organizer, edits, ..self.layer(seen, language) };
        let layers = iter::once(value).chain(unescaped).chain(markup);
        found.extend(layers.map(|layer| LineContent::Layer(layer.into())));
    }
}

/// How a value that is not encoded is written: with which escapes, and whether it is `FMTTYPE=text/html`.
fn format(head: &str, plain: Language) -> (Escapes, Language) {
    let is_html = head.contains(';') && {
        let head = head.to_ascii_lowercase();
        head.contains("fmttype=\"text/html\"") || head.contains("fmttype=text/html")
    };
    match plain {
        _ if is_html => (Escapes::Text, Language::Html),
        Language::Url => (Escapes::None, Language::Url),
        _ => (Escapes::Text, Language::Text),
    }
}

/// Whether a value holds tags.
fn is_markup(value: &str) -> bool {
    let bytes = value.as_bytes();
    memchr_iter(b'<', bytes).any(|at| bytes.get(at + 1).is_some_and(u8::is_ascii_alphabetic))
}

/// Whether a property name is at the start: letters, digits and hyphens (§3.1 `iana-token`).
fn is_named(head: &str) -> bool {
    let name = head.split(';').next().unwrap_or_default();
    let scheme = matches!(scheme::does(name), Some(Does::Web | Does::Address));
    let belongs = |c: u8| c.is_ascii_alphanumeric() || matches!(c, b'-' | b'.' | b'_');
    !scheme && !name.is_empty() && name.bytes().all(belongs)
}

/// Quoted parameter values that a client follows: `ALTREP="http://…"`, `SENT-BY="mailto:…"`.
fn followed_values(head: &str) -> Vec<Range<usize>> {
    const FOLLOWED: [&str; 6] =
        ["ALTREP", "DELEGATED-FROM", "DELEGATED-TO", "DIR", "MEMBER", "SENT-BY"];
    let is_followed = |name: &str| FOLLOWED.iter().any(|known| name.eq_ignore_ascii_case(known));
    let followed_values = parameters(head).filter(|(name, _)| is_followed(name));
    followed_values.filter_map(|(_, value)| unquoted(head, value)).collect()
}

/// The page that a calendar shows instead of a text, if the value of `ALTREP` (§3.2.1) holds it, as Thunderbird writes it.
fn alternative_page(head: &str, value: &Range<usize>) -> Option<Range<usize>> {
    let name = head.get(..value.start)?.trim_end_matches('"').strip_suffix('=')?;
    let url = head.get(value.clone())?;
    let (media, page) = url.split_once(',')?;
    let is_page = ["data:text/html", "data:text/html;charset=utf-8"]
        .iter()
        .any(|known| media.eq_ignore_ascii_case(known));
    (is_page && scheme::ends_with(name, ";ALTREP")).then(|| value.end - page.len()..value.end)
}

/// The name that a calendar shows instead of an address.
fn common_name(head: &str) -> Option<String> {
    parameter(head, "CN").and_then(|value| head.get(value)).map(str::to_owned)
}

/// The value of a parameter, without its quotes.
fn parameter(head: &str, wanted: &str) -> Option<Range<usize>> {
    let (_, value) = parameters(head).find(|(name, _)| name.eq_ignore_ascii_case(wanted))?;
    Some(unquoted(head, value.clone()).unwrap_or(value))
}

/// The address of an organizer that a calendar shows in place of that of the value (`EMAIL`, RFC 7986 §6.2): over the
/// latter, where that is another one, else with his name.
fn addressed(
    (unfolded, value): (&MappedText<'_>, Range<usize>),
    (head, start): (&str, usize),
    name: Option<&str>,
    property: &Arc<str>,
) -> Option<Layer<'static>> {
    let email = parameter(head, "EMAIL")?;
    let shown = head.get(email.clone())?;
    let address = unfolded.as_str().get(value.clone())?;
    let scheme = reference::scheme(address).and_then(|length| address.split_at_checked(length));
    let mailto = scheme.filter(|(scheme, _)| scheme::does(scheme) == Some(Does::Address));
    let (seen, organizer) = match mailto {
        Some((_, address)) if !is_replaced(address, shown) => return None,
        Some(_) => (piece(unfolded, value, Escapes::None), shown),
        None => {
            let email = start + email.start..start + email.end;
            (piece(unfolded, email, Escapes::None), name?)
        }
    };
    let (organizer, property) = (Some(organizer.to_owned()), Some(Arc::clone(property)));
    Some(Layer { organizer, property, ..Layer::of(seen, Language::Url) })
}

/// Whether another address is shown for this one than by the server that organizes events for its users (iCloud).
fn is_replaced(address: &str, shown: &str) -> bool {
    const OF_SERVER: &str = "@imip.me.com";
    let address = address.trim_start_matches(':').trim();
    let is_of_server = scheme::ends_with(address, OF_SERVER);
    !is_of_server && !address.eq_ignore_ascii_case(shown.trim())
}

/// Whether an attendee is the one who leads the event (§3.2.16).
fn is_chair(head: &str) -> bool {
    parameters(head).any(|(name, value)| {
        let role = unquoted(head, value.clone()).unwrap_or(value);
        name.eq_ignore_ascii_case("ROLE")
            && head.get(role).is_some_and(|role| role.eq_ignore_ascii_case("CHAIR"))
    })
}

/// A value without the escapes of text, if it has a scheme then.
fn unescaped(seen: &MappedText<'_>) -> Option<MappedText<'static>> {
    let text = seen.as_str();
    let url = text.contains('\\').then(|| unescape(text))?;
    reference::scheme(url.as_str()).map(|_| url.over(seen))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_organizers() {
        for (head, name) in [
            ("ORGANIZER;CN=Ann", Some("Ann")),
            ("organizer;ROLE=CHAIR;cn=\"A:B; C\"", Some("A:B; C")),
            ("ORGANIZER;CN=Ann;SENT-BY=\"mailto:b@c.com\"", Some("Ann")),
            ("ORGANIZER;X=\";CN=Bob\";CN=Ann", Some("Ann")),
            ("ORGANIZER;CN=\"Ann", Some("Ann")),
            ("ORGANIZER", None),
        ] {
            assert_eq!(common_name(head).as_deref(), name, "{head}");
        }
    }

    #[test]
    fn a_line_that_grows_is_folded_around_the_edit() {
        let text =
            format!("URL:http://{}.example.com/{}\r\nEND:X\r\n", "a".repeat(30), "b".repeat(20));
        let mut edits = vec![TextEdit { range: 41..42, replacement: "[.]".into() }];
        fold(&text, folding(&text), &mut edits);
        assert_eq!(edits[0].replacement, "\r\n [.]");
    }

    const EVENT: &str = "BEGIN:VEVENT\r\nUID:1@example.com\r\nSUMMARY:See example.com\\, or\\n not\r\n\
        URL;VALUE=URI:http://exa\r\n mple.com/x\r\nORGANIZER;SENT-BY=\"mailto:a@example.com\";CN=\"A:B\":mailto:b@example.com\r\n\
        X-ALT-DESC;FMTTYPE=text/html:<a href=\"http://exam\r\n ple.com\">x\\;</a>\r\nEND:VEVENT\r\n";

    #[test]
    fn each_property_is_unfolded_and_unescaped() {
        let layers: Vec<_> = layers(EVENT).collect();
        let shown: Vec<_> = layers
            .iter()
            .map(|layer| (layer.property.as_deref().unwrap(), layer.language, layer.seen.as_str()))
            .collect();
        assert_eq!(
            shown,
            [
                ("SUMMARY", Language::Text, "See example.com, or\n not"),
                ("URL", Language::Url, "http://example.com/x"),
                ("ORGANIZER", Language::Url, "mailto:a@example.com"),
                (
                    "ORGANIZER",
                    Language::Text,
                    "ORGANIZER;SENT-BY=\"mailto:a@example.com\";CN=\"A:B\""
                ),
                ("ORGANIZER", Language::Url, "mailto:b@example.com"),
                ("X-ALT-DESC", Language::Html, "<a href=\"http://example.com\">x;</a>"),
            ]
        );
    }

    #[test]
    fn a_property_is_named_up_to_a_length() {
        let text = format!("{}:http://example.com\n", "X".repeat(10_000));
        let layers: Vec<_> = layers(&text).collect();
        assert_eq!(layers[0].property.as_deref(), Some("X".repeat(crate::NAME_BYTES).as_str()));
        assert_eq!(layers[0].seen.as_str(), "http://example.com");
    }

    #[test]
    fn what_is_no_content_line_is_text() {
        let layers: Vec<_> =
            layers("http://example.com\nATTENDEE;CN=x@example.com:mailto:y@example.org\n")
                .collect();
        let shown: Vec<_> =
            layers.iter().map(|layer| (layer.language, layer.seen.as_str())).collect();
        assert_eq!(
            shown,
            [
                (Language::Text, "http://example.com"),
                (Language::Text, "ATTENDEE;CN x@example.com"),
                (Language::Url, "mailto:y@example.org"),
            ]
        );
    }

    #[test]
    fn a_folded_host_maps_across_the_fold() {
        let layers: Vec<_> = layers(EVENT).collect();
        let source = layers[1].seen.source(7..18);
        assert_eq!(&EVENT[source], "exa\r\n mple.com");
    }

    #[test]
    fn a_blank_after_a_soft_break_is_text() {
        for (card, shown) in [
            ("NOTE;ENCODING=QUOTED-PRINTABLE:go to=\r\n example.com\r\n", "go to example.com"),
            ("NOTE;ENCODING=QUOTED-PRINTABLE:exam=\r\nple.com=\n\tx\n", "example.com\tx"),
            ("NOTE;ENCODING=QUOTED-PRINTABLE:exam\r\n ple.com\r\n", "example.com"),
            ("NOTE:x=\r\n example.com\r\n", "x=example.com"),
        ] {
            let layers: Vec<_> = layers(card).collect();
            assert_eq!(layers[0].seen.as_str(), shown);
        }
    }
}
