//! Recognizes files that no mail program shows as text: a PDF, a picture, an archive, an office file, a signed
//! container. One more byte in such a file breaks its offsets and its checksums.

use memchr::memmem;

use super::content_type::ContentType;
use super::data;
use super::sniff::{self, SNIFFED};
use super::transfer::Transfer;
use crate::byte_search;

/// Whether bytes are the start of a PDF: programs look for its signature in the first KiB.
pub fn is_pdf(opening: &[u8]) -> bool {
    pdf_mark(opening).is_some()
}

/// Whether bytes may unwrap to the start of a PDF: a cheap test, so that not every text must be unwrapped. In
/// quoted-printable the `%` of the signature is literal or escaped, and a letter or a soft break follows it.
pub fn may_be_pdf(wrapped: &[u8], transfer: Transfer) -> bool {
    match transfer {
        Transfer::QuotedPrintable => {
            let after = |at: usize| matches!(wrapped.get(at + 1), Some(b'P' | b'='));
            memchr::memchr_iter(b'%', wrapped).any(after) || memmem::find(wrapped, b"=25").is_some()
        }
        _ => true,
    }
}

fn pdf_mark(opening: &[u8]) -> Option<usize> {
    byte_search::find(opening.get(..SNIFFED).unwrap_or(opening), b"%PDF-", 2)
}

/// Whether a leaf is such a file by its label, by all of its names and by its first bytes. What some
/// program shows as a text or a page is not, whatever its first bytes are.
pub(super) fn is_document(
    label: &ContentType,
    names: &[String],
    opening: impl FnOnce() -> Vec<u8>,
) -> bool {
    match label.kind.as_str() {
        "application" if !sniff::is_shown(&label.subtype) => {}
        // A file labelled as text: its name and its first bytes decide.
        "text" if label.subtype == "plain" && names.iter().any(|name| !name.trim().is_empty()) => {
            return is_named_binary(names, opening, data::is_data);
        }
        "" | "application" | "text" | "multipart" | "message" => return false,
        kind if sniff::is_no_text(kind) => {
            return is_named_binary(names, opening, |opening| !sniff::is_readable(opening));
        }
        // RFC 2045 §5.2: an unreadable type is text/plain.
        _ => return is_named_binary(names, opening, data::is_data),
    }
    let labelled = matches!(label.subtype.as_str(), "pdf" | "x-pdf" | "acrobat")
        || sniff::is_generic(&label.subtype);
    is_named_document(names, labelled, opening)
}

/// Like [`is_document`], for a label that does not decide. PDFs do not count: some programs show them as text.
fn is_named_binary(
    names: &[String],
    opening: impl FnOnce() -> Vec<u8>,
    is_no_text: fn(&[u8]) -> bool,
) -> bool {
    if names.iter().any(|name| sniff::names_text(name)) {
        return false;
    }
    let opening = opening();
    opens_binary(&opening) && is_no_text(&opening)
}

/// Like [`is_document`], for a file that has names but no label; `pdf`: whether it may be a PDF with another
/// extension.
pub(super) fn is_named_document(
    names: &[String],
    pdf: bool,
    opening: impl FnOnce() -> Vec<u8>,
) -> bool {
    if names.iter().any(|name| sniff::names_text(name)) {
        return false;
    }
    let opening = opening();
    let pdf = pdf || names.iter().any(|name| sniff::extension(name).as_deref() == Some("pdf"));
    pdf && opens_pdf(&opening) || is_binary(&opening)
}

/// Whether bytes are not text: a tape archive, DER, a program. Bytes that begin with markup do not count:
/// programs that sniff show them as a page.
fn is_binary(opening: &[u8]) -> bool {
    // UTF-16 has a byte order mark at the start, and NULs between its letters.
    let blank = |byte: &u8| byte.is_ascii_whitespace() || matches!(byte, 0 | 0xFE | 0xFF);
    let text = opening.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(opening);
    let first = text.iter().find(|byte| !blank(byte));
    first.is_some_and(|first| *first != b'<') && !sniff::is_readable(opening)
}

/// Whether bytes are the start of a PDF, with no HTML before its signature.
fn opens_pdf(opening: &[u8]) -> bool {
    let before = pdf_mark(opening).and_then(|at| opening.get(..at));
    before.is_some_and(|before| !sniff::looks_like_html(before))
}

/// Whether bytes are the start of a ZIP (also OpenDocument, OOXML, EPUB, JAR), 7z, RAR, gzip, bzip2, xz, Zstandard,
/// OLE, ELF, PNG, JPEG or GIF file.
fn opens_binary(opening: &[u8]) -> bool {
    const MARKS: [&[u8]; 12] = [
        b"BZh",
        b"\xFD7zXZ\0",
        b"\x28\xB5\x2F\xFD",
        b"\x7FELF",
        b"PK\x03\x04",
        b"7z\xBC\xAF\x27\x1C",
        b"Rar!\x1A\x07",
        b"\x1F\x8B\x08",
        b"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1",
        b"\x89PNG\r\n\x1A\n",
        b"\xFF\xD8\xFF",
        b"GIF8",
    ];
    MARKS.iter().any(|mark| opening.starts_with(mark))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mark_may_be_escaped_or_broken() {
        for (wrapped, may) in [
            ("%PDF-1.4", true),
            ("=25PDF-1.4", true),
            ("%=50DF-1.4", true),
            ("%=\r\nPDF-1.4", true),
            ("width:100%; =3D", false),
        ] {
            assert_eq!(may_be_pdf(wrapped.as_bytes(), Transfer::QuotedPrintable), may, "{wrapped}");
            let opening = Transfer::QuotedPrintable.bytes(wrapped.as_bytes());
            assert_eq!(is_pdf(&opening), may, "{wrapped}");
        }
        assert!(may_be_pdf(b"JVBERi0xLjQ=", Transfer::Base64));
    }

    #[test]
    fn what_a_program_shows_is_no_document() {
        let document = |label: &str, name: &str, opening: &[u8]| {
            let labels = ContentType::parse(label.as_bytes());
            let names: Vec<String> =
                (!name.is_empty()).then(|| name.to_owned()).into_iter().collect();
            labels.iter().all(|label| is_document(label, &names, || opening.to_vec()))
        };
        let pdf = b"%PDF-1.4\n<html><a href=x>";
        for (label, name) in [
            ("application/pdf", ""),
            ("application/pdf", "a.pdf"),
            ("application/octet-stream", ""),
            ("application/x-anything", "a.PDF"),
        ] {
            assert!(document(label, name, pdf), "{label} {name}");
            assert!(document(label, name, b"\xEF\xBB\xBF\r\n%PDF-1.4\n"), "{label} {name}");
            assert!(!document(label, name, b"<html> %PDF-1.4\n"), "{label} {name}");
            assert!(!document(label, name, b"<html>"), "{label} {name}");
        }
        for (label, name) in [
            ("text/plain", "a.pdf"),
            ("text/html", ""),
            ("application/xhtml+xml", "a.pdf"),
            ("application/json", "a.pdf"),
            ("application/pdf", "a.html"),
            ("application/octet-stream", "a.txt"),
            ("application/x-anything", ""),
            ("", "a.pdf"),
        ] {
            assert!(!document(label, name, pdf), "{label} {name}");
        }
        let packed = |mark: &[u8]| [mark, &data::tests::packed()].concat();
        let zip = &packed(b"PK\x03\x04\x14\0\0\0\x08\0");
        assert!(document("application/vnd.ms-excel", "a.xlsx", zip));
        assert!(document("text/plain", "a.xlsx", zip) && document("unknown/unknown", "", zip));
        assert!(document("text/plain", "a.bz2", &packed(b"BZh91AY&SY")));
        assert!(!document("text/plain", "", zip) && !document("text/html", "a.xlsx", zip));
        assert!(!document("text/plain", " ", zip));
        assert!(
            !document("text/plain", "a.txt", zip) && !document("text/plain", "a.bz2", b"BZh9 hi")
        );
        let ole = [&b"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1\0\0"[..], &[0xFF; 400], &[0; 600]].concat();
        assert!(document("text/plain", "a.doc", &ole) && document("text-plain", "a.doc", &ole));
        assert!(!document("application/zip", "a.html", zip));
        let tar = b"page.html\0\0\0\x00000644\0<html><a href='javascript:history.back()'>";
        let signed = b"\x30\x82\x01\x00\x06\x09*\x86H\x86\xF7\r\x01\x07\x02 <html>";
        for binary in [&tar[..], signed, b"MZ\x90\0\x03<a href=x>", b"x\x9F>\"\x01\0<html>"] {
            for label in ["application/x-anything", "application/octet-stream"] {
                assert!(document(label, "", binary) && document(label, "a.bin", binary));
                assert!(!document(label, "a.html", binary));
            }
            assert!(!document("text/html", "", binary) && !document("text/plain", "", binary));
        }
        for page in [&b"\xFF\xFE<\0h\0t\0m\0l\0>\0"[..], b" <html>\x01", b"", b"hello\r\n"] {
            assert!(!document("application/octet-stream", "a.bin", page), "{page:?}");
        }
        assert!(!document("application/octet-stream", "", b"GIF89a=1;<a href=x>"));
    }
}
