//! What a part holds, by its labels, its name and its first bytes, as clients decide it.

use super::Media;
use super::header::ContentType;
use super::transfer::Transfer;

/// Bytes in which clients look for markup.
pub const SNIFFED: usize = 1024;

/// Whether a part is a message with a header and a body of its own.
pub(super) fn is_message(label: &ContentType) -> bool {
    label.kind == "message" && matches!(label.subtype.as_str(), "rfc822" | "global" | "news")
}

/// The media of a leaf. `opening` gives its first decoded bytes, when they are needed.
pub(super) fn of(
    label: &ContentType,
    disposition: &ContentType,
    opening: impl FnOnce() -> Vec<u8>,
) -> Media {
    let name = disposition.parameter("filename").or_else(|| label.parameter("name"));
    let by_name = name.and_then(|name| by_extension(&name));
    match (label.kind.as_str(), label.subtype.as_str()) {
        ("text", "html" | "x-html" | "xhtml" | "x-amp-html" | "xhtml+xml" | "htm")
        | ("application", "xhtml+xml" | "xhtml")
        | ("image", "svg+xml" | "svg") => Media::Html,
        ("text", "calendar") | ("application", "ics") => Media::Calendar,
        ("text", "rtf" | "richtext-ms") => Media::Opaque,
        ("text", "plain") => match by_name {
            Some(Media::Html) => Media::Html,
            _ => plain(label),
        },
        ("text" | "message", _) => {
            by_name.filter(|media| *media == Media::Html).unwrap_or(Media::Plain)
        }
        ("image" | "audio" | "video" | "font" | "model" | "chemical", _) => {
            by_name.filter(|media| *media == Media::Html).unwrap_or(Media::Inert)
        }
        ("application", "pgp-signature" | "pkcs7-signature" | "x-pkcs7-signature") => Media::Inert,
        (
            "application",
            "octet-stream" | "x-unknown" | "unknown" | "binary" | "force-download" | "x-download",
        )
        | ("", _) => by_name.unwrap_or_else(|| sniff(&opening())),
        ("application", _) => {
            by_name.filter(|media| *media == Media::Html).unwrap_or(Media::Opaque)
        }
        // RFC 2045 §5.2: a type that cannot be read is text/plain.
        _ => by_name.unwrap_or(Media::Plain),
    }
}

/// The media of a part that has a name and no label.
pub(super) fn by_name(name: &[u8], opening: impl FnOnce() -> Vec<u8>) -> Media {
    by_extension(&String::from_utf8_lossy(name)).unwrap_or_else(|| sniff(&opening()))
}

/// RFC 3676 §4.
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
    let (_, extension) = name.trim().trim_end_matches('.').rsplit_once('.')?;
    match extension.to_ascii_lowercase().as_str() {
        "html" | "htm" | "xhtml" | "xht" | "shtml" | "mht" | "mhtml" | "hta" | "svg" => {
            Some(Media::Html)
        }
        "ics" | "ical" | "ifb" => Some(Media::Calendar),
        "txt" | "text" | "md" | "csv" | "log" | "eml" | "url" | "vcf" => Some(Media::Plain),
        "png" | "gif" | "jpg" | "jpeg" | "webp" | "bmp" | "mp3" | "mp4" | "wav" | "asc" | "sig"
        | "p7s" => Some(Media::Inert),
        _ => None,
    }
}

/// Unlabelled bytes: markup, or nothing that can be read.
fn sniff(opening: &[u8]) -> Media {
    match looks_like_html(opening) {
        true => Media::Html,
        false => Media::Opaque,
    }
}

/// The first decoded bytes of a part.
pub(super) fn opening(raw: &[u8], transfer: Transfer) -> Vec<u8> {
    let raw = raw.get(..2 * SNIFFED).unwrap_or(raw);
    transfer.decode(raw).bytes.into_owned()
}

/// Whether the first KiB holds markup that clients take for HTML (as the WHATWG MIME Sniffing table,
/// anywhere in the first KiB; NULs are skipped, so UTF-16 is seen as well).
pub(super) fn looks_like_html(opening: &[u8]) -> bool {
    const MARKS: [&str; 19] = [
        "!doctype", "html", "head", "body", "script", "iframe", "table", "style", "title", "div",
        "font", "center", "a", "meta", "img", "br", "p", "h1", "span",
    ];
    let text: Vec<u8> = opening
        .iter()
        .take(2 * SNIFFED)
        .filter(|b| **b != 0)
        .take(SNIFFED)
        .map(u8::to_ascii_lowercase)
        .collect();
    memchr::memchr_iter(b'<', &text).any(|at| {
        let rest = text.get(at + 1..).unwrap_or_default();
        MARKS.iter().any(|mark| {
            rest.strip_prefix(mark.as_bytes()).is_some_and(|after| {
                matches!(after.first(), Some(b' ' | b'\t' | b'\r' | b'\n' | b'>' | b'/'))
            })
        })
    })
}
