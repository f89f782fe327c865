//! Finds parts that cannot contain a link by their raw bytes, before they are decoded.
//!
//! A link has a dot inside a host, a colon after a scheme, or an `@`; dots also as U+3002, U+FF0E and
//! U+FF61. The bytes are tested in blocks of 64, without a branch inside a block. Whenever they
//! could mean something else (an escape, a charset in which other bytes are a dot, markup) the answer
//! is [`Candidates::Maybe`], so no link is ever missed.

use super::Media;
use super::charset::Charset;
use super::transfer::Transfer;

/// Whether a part must be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Candidates {
    /// No client sees a link in it.
    None,
    Maybe,
}

const BLOCK: usize = 64;

/// Bytes in which clients look for markup (2 KiB), times 1.5 in case they are encoded.
const OPENING: usize = 3 * 1024;

/// Tests the raw bytes of a part. Other transfer encodings than quoted-printable must be decoded first.
pub(super) fn raw(raw: &[u8], transfer: Transfer, media: Media, labels: &[String]) -> Candidates {
    let quoted = match transfer {
        Transfer::Identity => false,
        Transfer::QuotedPrintable => true,
        _ => return Candidates::Maybe,
    };
    match unwrapped(raw, media, labels) {
        Candidates::None if quoted && escapes(raw) => Candidates::Maybe,
        answer => answer,
    }
}

/// Tests transfer-decoded bytes.
pub(super) fn unwrapped(bytes: &[u8], media: Media, labels: &[String]) -> Candidates {
    // Markup has entities; flowed text and calendars join lines.
    if media != Media::Plain || !plain_charsets(labels) {
        return Candidates::Maybe;
    }
    if memchr::memchr(b'<', bytes.get(..OPENING).unwrap_or(bytes)).is_some() {
        return Candidates::Maybe;
    }
    match any(bytes) {
        true => Candidates::Maybe,
        false => Candidates::None,
    }
}

/// Whether every label is UTF-8 or windows-1252, or unknown.
fn plain_charsets(labels: &[String]) -> bool {
    let plain = |charset| charset == Charset::Utf8 || charset == Charset::WINDOWS_1252;
    labels.iter().all(|label| Charset::from_label(label).is_none_or(plain))
}

/// Whether some byte, with the next one, could belong to a link.
fn any(bytes: &[u8]) -> bool {
    let next = bytes.get(1..).unwrap_or_default();
    let (blocks, rest) = next.as_chunks::<BLOCK>();
    let (first, _) = bytes.as_chunks::<BLOCK>();
    for (block, next) in first.iter().zip(blocks) {
        let pairs = block.iter().zip(next);
        if pairs.fold(false, |hit, (byte, next)| hit | candidate(*byte, *next)) {
            return true;
        }
    }
    let tail = bytes.get(blocks.len() * BLOCK..).unwrap_or_default();
    tail.iter().zip(rest.iter().chain([&b'\n'])).any(|(byte, next)| candidate(*byte, *next))
}

/// Whether a byte and the next one could belong to a link.
///
/// No short circuits, so that a whole block is tested in vector registers.
fn candidate(byte: u8, next: u8) -> bool {
    let lower = next | 0x20;
    let label = (lower.wrapping_sub(b'a') < 26)
        | (next.wrapping_sub(b'0') < 10)
        | (next >= 0x80)
        | (next == b'-')
        | (next == b'_')
        | (next == b'%')
        | (next == b'=')
        | (next == b'\\');
    // In UTF-8, U+2000 to U+3FFF and U+F000 and above: all characters that look like a dot, a colon, an `@`
    // or a slash; and all byte order marks.
    let wide = (byte == 0xE2) | (byte == 0xE3) | (byte >= 0xEF);
    // A defanged dot: `example[.]com`.
    let bracketed = ((byte == b'[') | (byte == b'(') | (byte == b'{')) & (next == b'.');
    bracketed | ((byte == b'.') & label) | ((byte == b':') & (next > b' ')) | (byte == b'@') | wide
}

/// Whether a quoted-printable part has escapes of anything that [`candidate`] looks for. An escape after a dot
/// is a candidate already.
fn escapes(raw: &[u8]) -> bool {
    raw.windows(3).any(|window| match window {
        [b'=', high, low] => match (high, low | 0x20) {
            // `.`, `:`, `<`, `@`, and control characters that no sender escapes without reason.
            (b'2', b'e') | (b'3', b'a' | b'c') | (b'4', b'0') | (b'1', _) => true,
            (b'E' | b'e', b'2' | b'3' | b'f') | (b'F' | b'f', _) => true,
            (b'0', low) => !matches!(low, b'9' | b'a' | b'd'),
            _ => false,
        },
        _ => false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn maybe(raw_bytes: &[u8], transfer: Transfer) -> bool {
        raw(raw_bytes, transfer, Media::Plain, &[]) == Candidates::Maybe
    }

    #[test]
    fn prose_is_clean() {
        let prose = "One sentence. Another one... (\"Quoted.\") A list: first, second; 3 . 5\r\n"
            .repeat(50);
        assert!(!maybe(prose.as_bytes(), Transfer::Identity));
        assert!(!maybe(prose.as_bytes(), Transfer::QuotedPrintable));
        assert!(!maybe("Привет, мир. Ещё раз: да.\r\n".repeat(20).as_bytes(), Transfer::Identity));
        assert!(!maybe(b"soft break=\r\n here =E9=20\r\n", Transfer::QuotedPrintable));
    }

    #[test]
    fn one_candidate_anywhere_is_seen() {
        for hit in [
            "a.b", "a.\u{43f}", "x://", "a@b", "a\u{3002}b", "a\u{ff0e}b", "a\u{ff61}b", "\u{ff20}",
        ] {
            for at in [0, 1, 62, 63, 64, 65, 127, 128, 200] {
                let text = format!("{}{hit}{}", "x".repeat(at), " y".repeat(100));
                assert!(maybe(text.as_bytes(), Transfer::Identity), "{hit} at {at}");
                let end = format!("{}{hit}", " ".repeat(at));
                assert!(maybe(end.as_bytes(), Transfer::Identity), "{hit} at the end, {at}");
            }
        }
    }

    #[test]
    fn encoded_candidates_are_seen() {
        for hit in [
            "a=2Eb", "a=2eb", "http=3A//x", "a=40b", "a=E3=80=82b", "a=ef=bc=8eb", "a.=\r\nb",
            "a.=62", "=3Ca>",
        ] {
            assert!(maybe(hit.as_bytes(), Transfer::QuotedPrintable), "{hit}");
        }
        assert!(maybe(b"YS5i", Transfer::Base64));
    }

    #[test]
    fn other_charsets_and_kinds_are_read() {
        let labels = ["utf-7".to_owned()];
        assert_eq!(raw(b"x", Transfer::Identity, Media::Plain, &labels), Candidates::Maybe);
        assert_eq!(raw(b"x", Transfer::Identity, Media::Html, &[]), Candidates::Maybe);
        assert_eq!(
            raw(b"x", Transfer::Identity, Media::Flowed { delsp: true }, &[]),
            Candidates::Maybe
        );
    }
}
