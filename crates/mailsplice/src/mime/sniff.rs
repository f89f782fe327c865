//! Determines the media of a part by its labels, its name and its first bytes, like clients do.

use std::cell::LazyCell;

use super::Media;
use super::content_type::ContentType;
use super::data;
use super::header;
use super::transfer::Transfer;

/// Bytes at the start in which clients look for markup.
pub const SNIFFED: usize = 1024;

/// Whether a part is a message with a header and a body of its own.
pub(super) fn is_message(label: &ContentType) -> bool {
    label.kind == "message" && matches!(label.subtype.as_str(), "rfc822" | "global" | "news")
}

/// Whether some programs open a part as a message although its label says otherwise: other types of
/// `message/`, web archives, names of mail files.
pub(super) fn may_be_message(label: &ContentType, names: &[String]) -> bool {
    if is_message(label) || is_report(label) {
        return false;
    }
    let by_label = matches!(
        (label.kind.as_str(), label.subtype.as_str()),
        ("message", _)
            | ("application" | "multipart" | "text", "x-mimearchive" | "mbox" | "x-eml" | "eml")
            | ("application" | "text", "rfc822" | "x-rfc822" | "rfc822-headers")
    );
    by_label || names.iter().any(|name| names_message(name))
}

/// Whether some programs open a file of this name as a message.
pub(super) fn names_message(name: &str) -> bool {
    matches!(extension(name).as_deref(), Some("eml" | "mht" | "mhtml" | "nws" | "mim"))
}

/// Whether a part is a report, which has fields but no body.
pub(super) fn is_report(label: &ContentType) -> bool {
    label.kind == "message"
        && matches!(
            label.subtype.as_str(),
            "delivery-status"
                | "disposition-notification"
                | "feedback-report"
                | "global-delivery-status"
                | "global-disposition-notification"
                | "tracking-status"
        )
}

/// Whether there is a label in the first lines; no report has one.
pub(super) fn holds_labels(raw: &[u8], transfer: Transfer) -> bool {
    let opening = opening(raw, transfer);
    opening.split(|byte| *byte == b'\n').any(header::is_label)
}

/// The media of a leaf: first for most clients, then for others. `opening` returns its first decoded
/// bytes and is called only if they are needed.
pub(super) fn of(
    label: &ContentType,
    names: &[String],
    opening: impl FnOnce() -> Vec<u8>,
) -> Vec<Media> {
    let opening = LazyCell::new(opening);
    let mut all = by_label(label, names, || opening.clone());
    if !is_page(label) && names.iter().any(|name| extension(name).as_deref() == Some("xml")) {
        // It is a file of XML whatever its type.
        if all == [Media::Plain] {
            all.push(Media::Xml);
        }
        if let Some(markup) = all.iter_mut().find(|media| media.is_markup()) {
            *markup = xml(&opening);
        }
    }
    all
}

/// Whether a label says that a leaf is a page.
fn is_page(label: &ContentType) -> bool {
    matches!(
        (label.kind.as_str(), label.subtype.as_str()),
        ("text", "html" | "x-html" | "xhtml" | "x-amp-html" | "xhtml+xml" | "htm")
            | ("application", "xhtml+xml" | "xhtml" | "html" | "x-html")
            | ("image", "svg+xml" | "svg")
    )
}

/// Whether a leaf is the source of pages that a server makes, by its label and by its names: programs of readers show
/// it as text or hand it to an editor.
fn is_source(label: &ContentType, names: &[String]) -> bool {
    let by_label = matches!(label.kind.as_str(), "text" | "application")
        && matches!(
            label.subtype.as_str(),
            "php" | "x-php" | "x-httpd-php" | "x-httpd-php-source" | "asp" | "x-asp" | "x-jsp"
        );
    let of_server = |name: &String| {
        let extension = extension(name);
        matches!(extension.as_deref(), None | Some("php" | "phtml" | "asp" | "aspx" | "jsp"))
    };
    by_label && names.iter().all(of_server)
}

fn by_label(label: &ContentType, names: &[String], opening: impl Fn() -> Vec<u8>) -> Vec<Media> {
    let mut by_names = names.iter().filter_map(|name| by_extension(name));
    let by_name = by_names.clone().find(|media| *media == Media::Html).or_else(|| by_names.next());
    let html = by_name.filter(|media| *media == Media::Html);
    let text = |plain: Media| match by_name {
        Some(media @ (Media::Html | Media::Calendar)) => vec![media, plain],
        _ => vec![plain],
    };
    match (label.kind.as_str(), label.subtype.as_str()) {
        _ if is_page(label) => vec![Media::Html],
        _ if is_source(label, names) => vec![Media::Plain],
        ("text", "calendar") | ("application", "ics") => vec![Media::Calendar],
        ("text", "vcard" | "x-vcard" | "directory") | ("application", "vcard") => {
            vec![Media::Calendar, Media::Plain]
        }
        // Programs that do not know RTF show its source.
        ("text", "rtf" | "richtext-ms") => match html.unwrap_or_else(|| sniff_text(&opening())) {
            Media::Opaque => vec![Media::Plain, Media::Opaque],
            media => vec![media],
        },
        // RFC 1896: angle brackets are markup; programs that do not know the format show its source.
        ("text", "enriched" | "richtext") => vec![Media::Html, Media::Plain],
        ("text", "plain") => text(plain(label)),
        ("text", subtype @ ("xml" | "vnd.wap.wml")) => match text(Media::Plain).as_slice() {
            [Media::Plain] if subtype == "xml" => vec![Media::Plain, xml(&opening())],
            [Media::Plain] => vec![Media::Plain, Media::Html],
            named => named.to_vec(),
        },
        ("text" | "message", _) => text(Media::Plain),
        (kind, _) if is_no_text(kind) => match html {
            Some(html) => vec![html],
            None => of_no_text(&opening()),
        },
        // A file with the extension of a page is opened as one.
        ("application", "pgp-signature" | "pkcs7-signature" | "x-pkcs7-signature") => {
            vec![html.unwrap_or(Media::Inert)]
        }
        ("application", subtype) if is_generic(subtype) => {
            vec![by_name.unwrap_or_else(|| sniff_file(&opening()))]
        }
        ("", _) => of_no_type(by_name, &opening()),
        ("application", subtype) if is_text(subtype) => {
            of_text_application(subtype, html, &opening())
        }
        ("application", _) => vec![of_a_program(by_name, &opening())],
        // RFC 2045 §5.2: an unreadable type is text/plain.
        _ => match by_name {
            Some(media @ (Media::Opaque | Media::Inert)) if data::is_data(&opening()) => {
                vec![media]
            }
            _ => text(Media::Plain),
        },
    }
}

/// The media of a leaf with an empty type, which some programs treat as unknown, others as text/plain (RFC 2045 §5.2).
fn of_no_type(by_name: Option<Media>, opening: &[u8]) -> Vec<Media> {
    match by_name.unwrap_or_else(|| sniff(opening)) {
        Media::Plain | Media::Opaque => vec![Media::Plain],
        Media::Inert if !data::is_data(opening) => vec![Media::Plain],
        media => vec![media, Media::Plain],
    }
}

/// The media of `application/…` whose subtype is one of text; `html` if its name is one of a page.
fn of_text_application(subtype: &str, html: Option<Media>, opening: &[u8]) -> Vec<Media> {
    match html.unwrap_or_else(|| sniff_text(opening)) {
        // Letters may be character references.
        Media::Plain if subtype.ends_with("xml") => vec![Media::Plain, xml(opening)],
        Media::Html if html.is_none() && subtype.ends_with("xml") => vec![xml(opening)],
        media => vec![media],
    }
}

/// Whether a type is that of pictures, sounds and the like.
pub(super) fn is_no_text(kind: &str) -> bool {
    matches!(kind, "image" | "audio" | "video" | "font" | "model" | "chemical")
}

/// The media of what is labelled as a picture, a sound or the like: some programs show a text all the same.
fn of_no_text(opening: &[u8]) -> Vec<Media> {
    match is_readable(opening) {
        true => vec![sniff_text(opening), Media::Plain],
        false => vec![Media::Inert],
    }
}

/// The media of a file that belongs to some program. Office programs write pages with their own types, and browsers
/// open what looks like a page. `a.url` is opened as a link whatever the type. Binary data stays opaque.
fn of_a_program(by_name: Option<Media>, opening: &[u8]) -> Media {
    let wide = opening.starts_with(b"\xFF\xFE") || opening.starts_with(b"\xFE\xFF");
    let text = wide || !opening.iter().any(|byte| *byte < b'\t') && !opening.starts_with(b"%PDF");
    let named = by_name.filter(|media| match media {
        Media::Html => true,
        Media::Plain | Media::Calendar => text,
        _ => false,
    });
    named.unwrap_or_else(|| sniff_file(opening))
}

/// Whether a leaf is an SVG file both by its label and by its name, so that no program shows it as a page or a
/// text inside the message.
pub(super) fn is_drawing(label: &ContentType, names: &[String]) -> bool {
    let mut pages = names.iter().filter(|name| by_extension(name) == Some(Media::Html)).peekable();
    let named = pages.peek().is_some();
    let no_other_page = pages.all(|name| names_drawing(name));
    let by_label = match (label.kind.as_str(), label.subtype.as_str()) {
        ("image", "svg+xml" | "svg") => true,
        (kind, _) if is_no_text(kind) => named,
        ("application", subtype) => named && !is_shown(subtype),
        _ => false,
    };
    by_label && no_other_page
}

/// Whether a subtype of `application` tells nothing about the content of a file.
pub(super) fn is_generic(subtype: &str) -> bool {
    matches!(
        subtype,
        "octet-stream" | "x-unknown" | "unknown" | "binary" | "force-download" | "x-download"
    )
}

/// Whether some programs show a subtype of `application` as a text or a page.
pub(super) fn is_shown(subtype: &str) -> bool {
    is_text(subtype) || matches!(subtype, "xhtml" | "html" | "x-html" | "ics" | "vcard")
}

/// Whether a file with this name is shown as a text, a page or a calendar.
pub(super) fn names_text(name: &str) -> bool {
    by_extension(name).is_some_and(|media| !matches!(media, Media::Opaque | Media::Inert))
}

/// Whether a file with this name is an SVG.
pub(super) fn names_drawing(name: &str) -> bool {
    matches!(extension(name).as_deref(), Some("svg" | "svgz"))
}

/// The media of a part that has a name but no label.
pub(super) fn by_name(name: &[u8], opening: impl FnOnce() -> Vec<u8>) -> Media {
    by_extension(&String::from_utf8_lossy(name)).unwrap_or_else(|| {
        let opening = opening();
        match sniff(&opening) {
            // Programs show it below the text that contains it.
            Media::Opaque if is_readable(&opening) => Media::Plain,
            media => media,
        }
    })
}

/// The media of text/plain, by its `format` and `delsp` parameters (RFC 3676 §4).
fn plain(label: &ContentType) -> Media {
    let is = |name, value: &str| {
        label
            .parameter_bytes(name)
            .is_some_and(|found| found.eq_ignore_ascii_case(value.as_bytes()))
    };
    match is("format", "flowed") {
        true => Media::Flowed { delsp: is("delsp", "yes") },
        false => Media::Plain,
    }
}

fn by_extension(name: &str) -> Option<Media> {
    match extension(name)?.as_str() {
        "html" | "htm" | "xhtml" | "xhtm" | "xht" | "shtml" | "shtm" | "stm" | "dhtml"
        | "jhtml" | "phtml" | "php" | "asp" | "aspx" | "jsp" | "cfm" | "htc" | "mht" | "mhtml"
        | "hta" | "svg" | "xsl" | "xslt" | "webarchive" | "webloc" | "atom" | "rss" | "wml" => {
            Some(Media::Html)
        }
        "ics" | "ical" | "ifb" | "icalendar" | "vcs" | "vcf" | "vcard" => Some(Media::Calendar),
        "txt" | "text" | "md" | "csv" | "log" | "eml" | "url" | "website" | "desktop" | "rdp" => {
            Some(Media::Plain)
        }
        // `x.search-ms`, `x.library-ms`, `x.searchConnector-ms`
        "search" | "library" | "searchconnector" | "scf" | "theme" => Some(Media::Plain),
        // Lists of what is played, queries of Excel: a URL a line.
        "m3u" | "m3u8" | "pls" | "iqy" | "oqy" | "rqy" => Some(Media::Plain),
        "png" | "gif" | "jpg" | "jpeg" | "webp" | "bmp" | "mp3" | "mp4" | "wav" | "asc" | "sig"
        | "p7s" => Some(Media::Inert),
        _ => None,
    }
}

/// The extension of a file name in lower case.
pub(super) fn extension(name: &str) -> Option<String> {
    stem_and_extension(name).map(|(_, extension)| extension)
}

/// A file name without its extension, and that in lower case. The name ends at the first control character, and trailing
/// dots and blanks are dropped, as file systems do.
pub(super) fn stem_and_extension(name: &str) -> Option<(&str, String)> {
    let name = name.trim_start().split(char::is_control).next().unwrap_or_default();
    let name = name.trim_end_matches(|c: char| c == '.' || c.is_whitespace());
    let (stem, extension) = name.rsplit_once('.')?;
    // `a.html;1`
    let extension = extension.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
    Some((stem, extension.to_ascii_lowercase()))
}

/// The media of unlabelled bytes: HTML or opaque.
fn sniff(opening: &[u8]) -> Media {
    match looks_like_html(opening) {
        true => Media::Html,
        false => Media::Opaque,
    }
}

/// The media of a file that belongs to some program, by its bytes: markup of any kind is read as that of pages. Feeds, maps
/// and flat documents need no declaration of XML.
fn sniff_file(opening: &[u8]) -> Media {
    match begins_as_element(opening) {
        true => Media::Html,
        false => sniff(opening),
    }
}

/// Whether a text begins with an element, of which another one or the end follows: `<kml><Document>`.
fn begins_as_element(opening: &[u8]) -> bool {
    let text = opening.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(opening).trim_ascii_start();
    let Some(name) = text.strip_prefix(b"<").filter(|name| is_readable(name)) else { return false };
    let is_of_name = |byte: &u8| byte.is_ascii_alphanumeric() || b":_-.".contains(byte);
    let length = name.iter().take_while(|byte| is_of_name(byte)).count();
    let after = name.get(length..).unwrap_or_default();
    name.first().is_some_and(u8::is_ascii_alphabetic)
        && after.first().is_some_and(|byte| byte.is_ascii_whitespace() || b">/".contains(byte))
        && memchr::memchr(b'>', after)
            .and_then(|end| after.get(end + 1..))
            .is_some_and(|inside| inside.trim_ascii_start().starts_with(b"<"))
}

/// Whether a subtype of `application` is a text that some programs show.
fn is_text(subtype: &str) -> bool {
    let known = ["xml", "json", "javascript", "x-javascript", "ecmascript", "yaml", "x-yaml"];
    known.contains(&subtype) || subtype.ends_with("+xml") || subtype.ends_with("+json")
}

/// The media of bytes with an unknown text type: markup in any namespace, RTF (an office format), or plain text.
fn sniff_text(opening: &[u8]) -> Media {
    match sniff(opening) {
        Media::Html => Media::Html,
        _ if names_page(opening) => Media::Html,
        _ if opening.trim_ascii_start().starts_with(b"{\\rtf") => Media::Opaque,
        _ => Media::Plain,
    }
}

/// Whether these bytes name what makes browsers show XML as a page: a namespace or a style sheet.
fn names_page(opening: &[u8]) -> bool {
    const PAGES: [&[u8]; 3] =
        [b"www.w3.org/1999/xhtml", b"www.w3.org/2000/svg", b"<?xml-stylesheet"];
    PAGES.into_iter().any(|mark| memchr::memmem::find(opening, mark).is_some())
}

/// The media of what is labelled as XML: a page for some program, or data.
fn xml(opening: &[u8]) -> Media {
    // Of UTF-16 every second byte.
    let text: Vec<u8> = opening.iter().copied().filter(|byte| *byte != 0).collect();
    let text = text.to_ascii_lowercase();
    let tags: [&[u8]; 3] = [b"<html", b"<body", b"<!doctype html"];
    match names_page(&text)
        || tags.into_iter().any(|tag| memchr::memmem::find(&text, tag).is_some())
    {
        true => Media::Html,
        false => Media::Xml,
    }
}

/// Whether bytes are text in ASCII or a superset of it: no picture begins so.
pub(super) fn is_readable(opening: &[u8]) -> bool {
    let control = |byte: &u8| matches!(byte, 0..=8 | 14..=26 | 28..=31 | 127);
    !opening.trim_ascii().is_empty() && !opening.iter().any(control)
}

/// The first decoded bytes of a part.
pub(super) fn opening(raw: &[u8], transfer: Transfer) -> Vec<u8> {
    let raw = raw.get(..2 * SNIFFED).unwrap_or(raw);
    transfer.bytes(raw).into_owned()
}

/// What a text is to programs that look for markup: a page, or XML that says so at its start and is data.
pub(super) fn markup(opening: &[u8]) -> Option<Media> {
    let text = opening.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(opening).trim_ascii_start();
    let declared = text.get(..6).is_some_and(|mark| mark.eq_ignore_ascii_case(b"<?xml "));
    looks_like_html(opening).then(|| if declared { xml(opening) } else { Media::Html })
}

/// Whether a text is a page from its start, as programs of today ask it of a text (WHATWG MIME Sniffing §7.1): a tag or
/// a comment is the first thing in it. Elsewhere markup is what the text is about.
pub fn begins_as_page(text: &str) -> bool {
    let text =
        text.trim_start_matches(|c: char| c.is_whitespace() || matches!(c, '\u{FEFF}' | '\0'));
    let after = text.strip_prefix('<').unwrap_or_default().as_bytes();
    after.starts_with(b"!--") || is_mark(after)
}

/// Whether the first KiB contains markup that clients take for HTML or XML: tags of the WHATWG MIME Sniffing
/// table, but anywhere in the first KiB. NULs are skipped, so that UTF-16 is recognized.
pub(super) fn looks_like_html(opening: &[u8]) -> bool {
    let opening = opening.get(..2 * SNIFFED).unwrap_or(opening);
    let without_nul: Vec<u8>;
    let text = match memchr::memchr(0, opening) {
        None => opening,
        Some(_) => {
            without_nul = opening.iter().filter(|byte| **byte != 0).copied().collect();
            &without_nul
        }
    };
    let text = text.get(..SNIFFED).unwrap_or(text);
    memchr::memchr_iter(b'<', text).any(|at| is_mark(text.get(at + 1..).unwrap_or_default()))
}

/// Whether a tag of those begins here, behind its `<`.
fn is_mark(rest: &[u8]) -> bool {
    const MARKS: [&str; 20] = [
        "!doctype", "?xml", "html", "head", "body", "script", "iframe", "table", "style", "title",
        "div", "font", "center", "a", "meta", "img", "br", "p", "h1", "span",
    ];
    MARKS.iter().any(|mark| {
        rest.split_at_checked(mark.len()).is_some_and(|(word, after)| {
            word.eq_ignore_ascii_case(mark.as_bytes())
                && matches!(after.first(), Some(b' ' | b'\t' | b'\r' | b'\n' | b'>' | b'/'))
        })
    })
}
