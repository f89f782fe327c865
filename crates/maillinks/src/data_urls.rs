//! `data:` URLs (RFC 2397) that are content: a picture, a recording, a table. A page and a script are none, nor is what
//! a program opens.

use crate::{Occurrence, Site};

/// Whether a `data:` URL, given after its colon, does nothing where it stands: it has no media type, and so is text, or
/// it is content of a card or calendar (RFC 6350 §6.2.4, RFC 7986 §5.10) or of a page.
pub fn is_content(url: &str, occurrence: &Occurrence) -> bool {
    let Some((head, _)) = url.split_once(',') else { return true };
    let media = head.split(';').next().unwrap_or_default().trim();
    let (kind, subtype) = media.split_once('/').unwrap_or_default();
    if kind.trim().is_empty() || subtype.trim().is_empty() {
        return true;
    }
    let is = |known: &&str| media.eq_ignore_ascii_case(known);
    let seen_or_heard =
        ["image", "audio", "video"].iter().any(|known| kind.eq_ignore_ascii_case(known))
            && subtype.bytes().all(|c| c.is_ascii_alphanumeric() || matches!(c, b'.' | b'-'))
            && !subtype.get(..3).is_some_and(|svg| svg.eq_ignore_ascii_case("svg"));
    match &occurrence.site {
        Site::Value => seen_or_heard || TABLES.iter().any(is) || ATTACHED.iter().any(is),
        // A document inside the page.
        Site::Attribute { element, attribute: "data" | "src", .. }
            if matches!(element.as_ref(), "object" | "embed") =>
        {
            seen_or_heard || media.eq_ignore_ascii_case("application/pdf")
        }
        // A browser runs what a script is, whatever its type says.
        Site::Attribute { element, .. } => {
            element != "script" && (seen_or_heard || TABLES.iter().any(is))
        }
        _ => false,
    }
}

/// Text that a program shows as it is written.
const TABLES: [&str; 7] = [
    "application/csv",
    "application/json",
    "text/comma-separated-values",
    "text/csv",
    "text/json",
    "text/plain",
    "text/tab-separated-values",
];

/// What cards and calendars have beside pictures: documents and keys.
const ATTACHED: [&str; 5] = [
    "application/pdf",
    "application/pgp-keys",
    "application/pkix-cert",
    "application/pkcs7-mime",
    "application/x-x509-user-cert",
];
