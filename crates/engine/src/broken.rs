//! Which signatures of a message no longer verify once it is edited. Whether they verified before is not asked here.
//!
//! | clause | item |
//! | --- | --- |
//! | RFC 6376 §3.5, tags of a signature; RFC 8617 §4.1.2, the same of a receiver | [`SignedBytes`] |
//! | RFC 6376 §3.4.3, §3.4.4, canonical bodies | [`canonical_bytes`] |
//! | RFC 1847 §2.1, multipart/signed; RFC 9580 §7, signed text | [`mailsplice::mime::Tree::signed`] |

use std::borrow::Cow;
use std::cell::OnceCell;

use super::outcome::{HeadEdit, RawEdit, Signature, Signatures};
use mailsplice::mime::{Message, Tree};
use mailsplice::splice::fields::header_fields;

/// The signatures that stood in the message and cover something that was edited. The edits of the body are in order and
/// disjoint.
pub(super) fn signatures(
    message: Message<'_>,
    tree: &Tree,
    edits: &[RawEdit],
    head: &[HeadEdit],
) -> Signatures {
    let mut broken = of_message(message, edits, head);
    if edits.is_empty() {
        return broken;
    }
    for (signature, range) in tree.signed(message) {
        let first = edits.partition_point(|edit| edit.range.end <= range.start);
        if edits.get(first).is_some_and(|edit| edit.range.start < range.end) {
            broken.insert(signature);
        }
    }
    broken
}

/// Those in the header, over header and body.
fn of_message(message: Message<'_>, edits: &[RawEdit], head: &[HeadEdit]) -> Signatures {
    let mut broken = Signatures::default();
    let Some(edited) = Edited::of(message.body, edits, head) else { return broken };
    for field in header_fields(message.head) {
        let kind = match field.name(message.head) {
            name if name.eq_ignore_ascii_case(b"DKIM-Signature") => Signature::Dkim,
            name if name.eq_ignore_ascii_case(b"ARC-Message-Signature") => Signature::Arc,
            _ => continue,
        };
        if !broken.contains(kind) && edited.breaks(&SignedBytes::of(&field.text(message.head))) {
            broken.insert(kind);
        }
    }
    broken
}

/// What was edited, as signatures over the whole message see it.
struct Edited<'e> {
    body: &'e [u8],
    /// Offset of the first edit of the body.
    first: Option<usize>,
    head: &'e [HeadEdit],
    /// Canonical bytes in front of it, simple and relaxed.
    before: [OnceCell<u64>; 2],
}

impl<'e> Edited<'e> {
    fn of(body: &'e [u8], edits: &[RawEdit], head: &'e [HeadEdit]) -> Option<Edited<'e>> {
        let first = edits.first().map(|edit| edit.range.start);
        let edited = first.is_some() || !head.is_empty();
        edited.then(|| Edited { body, first, head, before: Default::default() })
    }

    fn breaks(&self, signed: &SignedBytes) -> bool {
        let is_signed = |edit: &HeadEdit| {
            signed.fields.iter().any(|name| name.eq_ignore_ascii_case(edit.name.trim()))
        };
        self.head.iter().any(is_signed) || self.first.is_some_and(|at| self.is_covered(at, signed))
    }

    /// Whether a signature covers the byte of the body at `at`, or what is inserted there.
    fn is_covered(&self, at: usize, signed: &SignedBytes) -> bool {
        let Some(length) = signed.length else { return true };
        let [simple, relaxed] = &self.before;
        let known = if signed.canon == Canon::Relaxed { relaxed } else { simple };
        let before = self.body.get(..at).unwrap_or_default();
        *known.get_or_init(|| canonical_bytes(before, signed.canon)) < length
    }
}

/// How a body is made canonical before it is hashed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Canon {
    Simple,
    Relaxed,
}

/// What a signature covers.
struct SignedBytes {
    /// Names of header fields (`h=`).
    fields: Vec<String>,
    /// Canonical bytes of the body (`l=`); all of them without it.
    length: Option<u64>,
    canon: Canon,
}

impl SignedBytes {
    fn of(value: &str) -> SignedBytes {
        let mut signed = SignedBytes { fields: Vec::new(), length: None, canon: Canon::Simple };
        for tag in value.split(';') {
            let Some((name, value)) = tag.split_once('=') else { continue };
            match name.trim() {
                "h" => signed.fields = value.split(':').map(|name| name.trim().into()).collect(),
                "l" => signed.length = value.trim().parse().ok(),
                "c" => {
                    let body = value.trim().split_once('/').map_or("", |(_, body)| body);
                    let relaxed = body.eq_ignore_ascii_case("relaxed");
                    signed.canon = if relaxed { Canon::Relaxed } else { Canon::Simple };
                }
                _ => {}
            }
        }
        signed
    }
}

/// Bytes of the beginning of a body in canonical form.
fn canonical_bytes(body: &[u8], canon: Canon) -> u64 {
    let blank = |byte: &u8| matches!(byte, b' ' | b'\t');
    let lines = body.split_inclusive(|byte| *byte == b'\n').map(|line| {
        let content = line.strip_suffix(b"\n").unwrap_or(line);
        let ended = content.len() < line.len();
        let content = content.strip_suffix(b"\r").filter(|_| ended).unwrap_or(content);
        let content: Cow<'_, [u8]> = match canon {
            Canon::Simple => content.into(),
            Canon::Relaxed => {
                let content = if ended { content.trim_ascii_end() } else { content };
                let mut dense = content.to_vec();
                dense.dedup_by(|next, last| blank(next) && blank(last));
                dense.into()
            }
        };
        content.len() as u64 + if ended { 2 } else { 0 }
    });
    lines.sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::{Actions, MessageAction};
    use crate::{Answers, Facts, Outcome, Policy, TldTable, Verdict, inspect};

    fn outcome(head: &str, body: &str, policy: &Policy) -> Outcome {
        let tlds = TldTable::new(["com", "org"], "");
        let message = Message { head: head.as_bytes(), body: body.as_bytes() };
        inspect(message, &Facts::default(), policy, &tlds).resolve(&Answers::new())
    }

    /// What the summary says of signatures; the outcome says the same.
    fn told(head: &str, body: &str, policy: &Policy) -> String {
        let outcome = outcome(head, body, policy);
        let summary = outcome.fields.first().map_or("", |field| field.value.as_str());
        let summary: String = summary.split_ascii_whitespace().collect();
        let told = summary.split(';').find_map(|part| part.strip_prefix("broken="));
        let words: Vec<&str> = outcome.broken.iter().map(Signature::as_str).collect();
        assert_eq!(told.unwrap_or_default(), words.join(","), "{summary}");
        told.unwrap_or_default().to_owned()
    }

    /// Cyrillic а.
    const BAD: &str = "see http://p\u{430}ypal.com/ now\r\n";
    const LABEL: &str =
        "Content-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: 8bit\r\n";

    #[test]
    fn signatures_over_the_message() {
        let policy = Policy::default();
        for (signature, text, expected) in [
            ("DKIM-Signature: v=1; d=a.example; h=from:subject; bh=x; b=y", BAD, "dkim"),
            ("dkim-signature : v=1; h=From :\r\n Subject; bh=x; b=y", BAD, "dkim"),
            ("ARC-Message-Signature: i=1; h=from; bh=x; b=y", BAD, "arc"),
            ("DKIM-Signature: h=from; b=y\r\nARC-Message-Signature: h=from; b=y", BAD, "dkim,arc"),
            ("ARC-Seal: i=1; cv=none; b=y", BAD, ""),
            ("X-DKIM-Signature: v=1; h=from", BAD, ""),
            ("DKIM-Signature: h=from; b=y", "see http://example.com/ now\r\n", ""),
            // Bytes behind `l=` are not signed.
            ("DKIM-Signature: c=simple/simple; l=4; h=from; b=y", BAD, ""),
            ("DKIM-Signature: l=100; h=from; b=y", BAD, "dkim"),
            ("DKIM-Signature: l=4; h=from; b=y\r\nDKIM-Signature: h=to; b=y", BAD, "dkim"),
            ("DKIM-Signature: l=; h=from; b=y", BAD, "dkim"),
        ] {
            let head = format!("From: a@a.example\r\nSubject: x\r\n{signature}\r\n{LABEL}");
            assert_eq!(told(&head, text, &policy), expected, "{signature}");
            let reported = Policy { mode: crate::policy::Mode::ReportOnly, ..Policy::default() };
            assert_eq!(told(&head, text, &reported), "", "{signature}");
        }
    }

    #[test]
    fn a_tag_in_the_subject_breaks_what_signs_the_subject() {
        let policy = Policy {
            message_actions: Actions {
                by_verdict: [(Verdict::Unsafe, MessageAction::SubjectTag)].into(),
                ..Actions::default()
            },
            ..Policy::default()
        };
        let signed =
            |fields: &str| format!("Subject: x\r\nDKIM-Signature: l=0; h={fields}; b=y\r\n{LABEL}");
        assert_eq!(told(&signed("from:subject"), BAD, &policy), "dkim");
        assert_eq!(told(&signed("from:to"), BAD, &policy), "");
    }

    #[test]
    fn bodies_are_counted_in_canonical_form() {
        for (body, simple, relaxed) in [
            ("", 0, 0),
            ("ab", 2, 2),
            ("a \t b", 5, 3),
            ("a \r\nb", 5, 4),
            ("a\nb\n", 6, 6),
            ("\r\n \r\n", 5, 4),
        ] {
            let count = |canon| canonical_bytes(body.as_bytes(), canon);
            assert_eq!(
                [count(Canon::Simple), count(Canon::Relaxed)],
                [simple, relaxed],
                "{body:?}"
            );
        }
    }

    fn multipart(protocol: &str, parts: &[&str]) -> (String, String) {
        let head = format!("Content-Type: multipart/signed; {protocol}boundary=s\r\n");
        let parts: String = parts.iter().map(|part| format!("--s\r\n{part}\r\n")).collect();
        (head, format!("{parts}--s--\r\n"))
    }

    #[test]
    fn signatures_in_the_body() {
        let part = format!("{LABEL}\r\n{BAD}");
        let fine = "\r\nsee http://example.com/\r\n";
        let block = |text: &str| {
            format!(
                "-----BEGIN PGP SIGNED MESSAGE-----\r\nHash: SHA256\r\n\r\n{text}-----BEGIN PGP \
                 SIGNATURE-----\r\n\r\nAAAA\r\n-----END PGP SIGNATURE-----\r\n"
            )
        };
        let policy = Policy::default();
        for (protocol, expected) in [
            ("protocol=\"application/pkcs7-signature\"; ", "smime"),
            ("protocol=\"Application/X-PKCS7-Signature\"; ", "smime"),
            ("protocol=application/pgp-signature; micalg=pgp-sha256; ", "pgp-mime"),
            ("protocol=application/x-other; ", "multipart"),
            ("", "multipart"),
        ] {
            let (head, body) = multipart(protocol, &[&part, fine]);
            assert_eq!(told(&head, &body, &policy), expected, "{protocol}");
            let (head, body) = multipart(protocol, &[fine, fine]);
            assert_eq!(told(&head, &body, &policy), "", "{protocol}");
        }
        for (text, expected) in [
            (block(BAD), "pgp-inline"),
            (format!("Hello,\r\n{}", block(BAD)), "pgp-inline"),
            (format!("{}{BAD}", block("fine\r\n")), ""),
            (format!("{BAD}{}", block("fine\r\n")), ""),
        ] {
            assert_eq!(told(LABEL, &text, &policy), expected, "{text}");
            let quoted = LABEL.replace("8bit", "quoted-printable");
            let text = text.replace('\u{430}', "=D0=B0");
            assert_eq!(told(&quoted, &text, &policy), expected, "{text}");
        }
    }

    #[test]
    fn what_stands_beside_a_signed_part_is_not_signed_by_it() {
        let inner = |signed: &str, beside: &str| {
            let (head, body) = multipart("protocol=application/pgp-signature; ", &[signed]);
            (
                "Content-Type: multipart/mixed; boundary=m\r\n",
                format!("--m\r\n{head}\r\n{body}--m\r\n{beside}\r\n--m--\r\n"),
            )
        };
        let (part, fine) = (format!("{LABEL}\r\n{BAD}"), "\r\nfine\r\n");
        for ((head, body), expected) in [
            (inner(&part, fine), "pgp-mime"),
            (inner(fine, &part), ""),
            (inner(&part, &part), "pgp-mime"),
        ] {
            assert_eq!(told(head, &body, &Policy::default()), expected, "{body}");
            let signed = format!("DKIM-Signature: h=from; b=y\r\n{head}");
            let all = format!("dkim{}{expected}", if expected.is_empty() { "" } else { "," });
            assert_eq!(told(&signed, &body, &Policy::default()), all, "{body}");
        }
    }
}
