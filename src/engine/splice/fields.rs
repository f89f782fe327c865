//! Header fields of ours: what was found, and how to take the edits back.
//!
//! | field | says |
//! | --- | --- |
//! | `X-Linkmilter` | `v=1; by=HOST; verdict=unsafe; links=12; edited=2; reasons=…; …` |
//! | `X-Linkmilter-Link` | a host that is suspect or worse, in A-labels and defanged; at most ten |
//! | `X-Linkmilter-Undo` | `v=1; z=RECIPE` in base64, or `v=1; file=DIGEST`; then `seal=…` |
//!
//! All ASCII, in lines of at most 78 characters (RFC 5322 §2.1.1), together at most [`TOGETHER`] bytes.

use std::collections::HashMap;
use std::ops::Range;

use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

use super::Describe;
use super::packing;
use super::undo::{self, Seal};
use crate::engine::outcome::{Bypass, Done, Field, Finding, HeadEdit, Outcome, Verdict};

pub const SUMMARY: &str = "X-Linkmilter";
pub const LINK: &str = "X-Linkmilter-Link";
pub const UNDO: &str = "X-Linkmilter-Undo";

/// Bytes of all our fields: Sendmail refuses a message with over 32 KiB of headers in all.
pub const TOGETHER: usize = 8 << 10;

/// Link fields a message: enough to tell what it was about.
pub const LINKS: usize = 10;

/// Characters a line.
const LINE: usize = 78;

/// Whether a field name is one of ours, or looks like one.
pub fn is_ours(name: &[u8]) -> bool {
    let prefix = name.get(..SUMMARY.len()).unwrap_or_default();
    prefix.eq_ignore_ascii_case(SUMMARY.as_bytes())
        && matches!(name.get(SUMMARY.len()), None | Some(b'-'))
}

/// The edits that remove our fields from a header that came from outside, except recipes that carry
/// the seal of our key.
pub fn incoming(head: &[u8], key: Option<&[u8]>) -> Vec<HeadEdit> {
    let mut seen: HashMap<Vec<u8>, usize> = HashMap::new();
    let mut edits = Vec::new();
    for field in header_fields(head) {
        if !is_ours(field.name(head)) {
            continue;
        }
        let name = field.name(head).to_ascii_lowercase();
        let sealed = name.eq_ignore_ascii_case(UNDO.as_bytes())
            && check_seal(&field.text(head), key) == Seal::Ours;
        let index = seen.entry(name).or_default();
        *index += 1;
        if !sealed {
            edits.push(HeadEdit {
                name: String::from_utf8_lossy(field.name(head)).into_owned(),
                index: *index,
                range: field.value,
                value: Vec::new(),
            });
        }
    }
    edits
}

/// A header without our fields.
pub fn without_ours(head: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(head.len());
    let mut at = 0;
    for field in header_fields(head) {
        if is_ours(field.name(head)) {
            out.extend_from_slice(head.get(at..field.line.start).unwrap_or_default());
            at = field.line.end;
        }
    }
    out.extend_from_slice(head.get(at..).unwrap_or_default());
    out
}

/// The fields that describe an outcome. `undo` is the field that takes its edits back.
pub fn describe(outcome: &Outcome, with: Describe<'_>, undo: Option<Field>) -> Vec<Field> {
    let summary = Field { name: SUMMARY, value: fold(SUMMARY, &summary(outcome, with)) };
    let mut left = TOGETHER.saturating_sub(size(&summary) + undo.as_ref().map_or(0, size));
    let mut fields = vec![summary];
    let worth = outcome.findings.iter().filter(|finding| finding.verdict >= Verdict::Suspect);
    let mut said: Vec<String> = Vec::new();
    for finding in worth {
        let text = link(finding);
        if said.len() == LINKS || said.contains(&text) {
            continue;
        }
        let field = Field { name: LINK, value: fold(LINK, &text) };
        if size(&field) > left {
            break;
        }
        left -= size(&field);
        said.push(text);
        fields.push(field);
    }
    fields.extend(undo);
    fields
}

/// Bytes of a field in a message, with CRLF.
fn size(field: &Field) -> usize {
    let folds = field.value.bytes().filter(|b| *b == b'\n').count();
    field.name.len() + 2 + field.value.len() + folds + 2
}

fn summary(outcome: &Outcome, with: Describe<'_>) -> String {
    let edited = outcome.findings.iter().filter(|finding| finding.done == Done::Edited).count();
    let mut parts = vec![
        "v=1".to_owned(),
        format!("by={}", word(with.by)),
        format!("verdict={}", outcome.verdict),
        format!("links={}", outcome.links),
        format!("edited={edited}"),
    ];
    let reasons = outcome
        .findings
        .iter()
        .fold(Default::default(), |all: crate::engine::outcome::Reasons, finding| {
            all.union(finding.reasons)
        });
    list(&mut parts, "reasons", reasons.iter().map(|reason| reason.code().to_owned()));
    let opaque = outcome.bypasses.iter().filter(|(_, why)| *why == Bypass::Opaque).count();
    if opaque > 0 {
        parts.push(format!("opaque={opaque}"));
    }
    let unread = outcome.bypasses.iter().filter(|(_, why)| *why != Bypass::Opaque);
    list(&mut parts, "incomplete", unread.map(|(_, why)| word(&why.to_string())));
    if with.rules.contains('+') {
        parts.push(format!("rules={}", word(with.rules)));
    }
    list(&mut parts, "recoded", with.recoded.iter().map(|path| word(path)));
    parts.join("; ")
}

/// `name=a,b,c`, without repetitions, at most eight; nothing when empty.
fn list(parts: &mut Vec<String>, name: &str, values: impl Iterator<Item = String>) {
    let mut kept: Vec<String> = Vec::new();
    for value in values {
        if !kept.contains(&value) && kept.len() < 8 {
            kept.push(value);
        }
    }
    if !kept.is_empty() {
        parts.push(format!("{name}={}", kept.join(",")));
    }
}

fn link(finding: &Finding) -> String {
    let host = if finding.ascii.is_empty() { "-" } else { finding.ascii.as_str() };
    let mut parts = vec![
        word(host).replace('.', "[.]"),
        format!("verdict={}", finding.verdict),
        format!("part={}", word(&finding.part)),
        format!("at={}", word(&finding.place.to_string())),
    ];
    list(&mut parts, "reasons", finding.reasons.iter().map(|reason| reason.code().to_owned()));
    if let Some(target) = &finding.target {
        parts.push(format!("like={}", word(target).replace('.', "[.]")));
    }
    let done = match finding.done {
        Done::Reported => "reported",
        Done::Edited => "edited",
        Done::Exempt => "exempt",
    };
    parts.push(format!("done={done}"));
    parts.join("; ")
}

/// Printable ASCII without what has a meaning in our fields; at most 255 characters.
fn word(text: &str) -> String {
    let kept = text.chars().take(255).map(|c| match c {
        ';' | ',' | '=' | '"' | '\\' | '(' | ')' | '<' | '>' => '_',
        c if c.is_ascii_graphic() => c,
        _ => '?',
    });
    let word: String = kept.collect();
    if word.is_empty() { "-".to_owned() } else { word }
}

/// Folds at white space, and inside words that are too long for a line.
fn fold(name: &str, text: &str) -> String {
    let mut out = String::with_capacity(text.len() + text.len() / 16);
    let mut column = name.len() + 2;
    for (index, word) in text.split(' ').enumerate() {
        if index > 0 {
            if column + 1 + word.len() > LINE {
                out.push_str("\n ");
                column = 1;
            } else {
                out.push(' ');
                column += 1;
            }
        }
        let mut rest = word;
        while column + rest.len() > LINE {
            let (line, after) = rest.split_at_checked(LINE - column).unwrap_or((rest, ""));
            out.push_str(line);
            if after.is_empty() {
                rest = after;
                column = LINE;
                break;
            }
            out.push_str("\n ");
            column = 1;
            rest = after;
        }
        out.push_str(rest);
        column += rest.len();
    }
    out
}

/// A recipe, in the message or beside it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Undo {
    Inline(Vec<u8>),
    /// In the state directory, under this digest.
    Stored(String),
}

/// The field for a recipe: with the recipe in it, or with its digest when it takes over `cap` bytes.
pub fn undo(recipe: &[u8], cap: Option<usize>, key: Option<&[u8]>) -> (Field, Undo) {
    let inline = format!("v=1; z={}", packing::to_base64(recipe));
    let fits = |text: &str| cap.is_none_or(|cap| fold(UNDO, text).len() + SEAL_ROOM <= cap);
    let digest = undo::digest(recipe);
    let (text, undo) = match fits(&inline) {
        true => (inline, Undo::Inline(recipe.to_vec())),
        false => (format!("v=1; file={digest}"), Undo::Stored(digest)),
    };
    let text = match key {
        Some(key) => format!("{text}; seal={}", seal(&text, key)),
        None => text,
    };
    (Field { name: UNDO, value: fold(UNDO, &text) }, undo)
}

/// The recipe could not be kept: no field names one that is not there, and the summary says so.
pub fn undo_lost(fields: &mut Vec<Field>) {
    fields.retain(|field| field.name != UNDO);
    for summary in fields.iter_mut().filter(|field| field.name == SUMMARY) {
        summary.value.push_str(";\n undo=lost");
    }
}

/// Bytes that a seal adds.
const SEAL_ROOM: usize = 56;

/// HMAC-SHA-256 over the value without its white space, in base64.
fn seal(text: &str, key: &[u8]) -> String {
    mac(text, key).map_or_else(String::new, |mac| packing::to_base64(&mac.finalize().into_bytes()))
}

fn mac(text: &str, key: &[u8]) -> Option<Hmac<Sha256>> {
    // HMAC takes keys of every length (RFC 2104 §3), so this is always there.
    let mut mac = Hmac::<Sha256>::new_from_slice(key).ok()?;
    mac.update(b"linkmilter undo 1\n");
    let dense: String = text.split_ascii_whitespace().collect();
    mac.update(dense.as_bytes());
    Some(mac)
}

/// Whose the seal of an undo value is.
pub(super) fn check_seal(value: &str, key: Option<&[u8]>) -> Seal {
    let (Some(key), Some((text, sealed))) = (key, value.rsplit_once("; seal=")) else {
        return Seal::Unknown;
    };
    let dense: String = sealed.split_ascii_whitespace().collect();
    let found = packing::from_base64(&dense);
    let ours =
        found.zip(mac(text, key)).is_some_and(|(found, mac)| mac.verify_slice(&found).is_ok());
    if ours { Seal::Ours } else { Seal::Foreign }
}

/// The values of our undo fields, in order, unfolded to single spaces.
pub(super) fn undo_values(head: &[u8]) -> Vec<String> {
    header_fields(head)
        .filter(|field| field.is_named(head, UNDO.as_bytes()))
        .map(|field| field.text(head))
        .collect()
}

/// The recipe of an undo value.
pub(super) fn undo_content(value: &str) -> Option<Undo> {
    let mut version = None;
    let mut content = None;
    for part in value.split(';') {
        let (name, value) = part.split_once('=')?;
        match name.trim() {
            "v" => version = Some(value.trim() == "1"),
            "z" => content = Some(Undo::Inline(packing::from_base64(value)?)),
            "file" => {
                let digest: String = value.split_ascii_whitespace().collect();
                let plain = digest.len() == 64 && digest.bytes().all(|b| b.is_ascii_hexdigit());
                content = plain.then(|| Undo::Stored(digest.to_ascii_lowercase()));
            }
            _ => {}
        }
    }
    content.filter(|_| version == Some(true))
}

/// A field in a header block.
pub struct HeaderField {
    /// With its line end.
    pub line: Range<usize>,
    pub value: Range<usize>,
    name: Range<usize>,
}

impl HeaderField {
    pub fn name<'h>(&self, head: &'h [u8]) -> &'h [u8] {
        head.get(self.name.clone()).unwrap_or_default()
    }

    pub fn is_named(&self, head: &[u8], name: &[u8]) -> bool {
        self.name(head).eq_ignore_ascii_case(name)
    }

    /// The value with runs of white space as one space each.
    fn text(&self, head: &[u8]) -> String {
        let value = String::from_utf8_lossy(head.get(self.value.clone()).unwrap_or_default());
        value.split_ascii_whitespace().collect::<Vec<_>>().join(" ")
    }
}

/// The fields of a header block, in order; other lines are left out.
pub fn header_fields(head: &[u8]) -> impl Iterator<Item = HeaderField> + '_ {
    let line_after = |at: usize| {
        let rest = head.get(at..).unwrap_or_default();
        memchr::memchr(b'\n', rest).map_or(head.len(), |feed| at + feed + 1)
    };
    let mut at = 0;
    std::iter::from_fn(move || {
        while at < head.len() {
            let start = at;
            at = line_after(at);
            while matches!(head.get(at), Some(b' ' | b'\t')) {
                at = line_after(at);
            }
            let line = head.get(start..at).unwrap_or_default();
            let Some(colon) = memchr::memchr(b':', line) else { continue };
            let name = line.get(..colon).unwrap_or_default().trim_ascii_end();
            if name.is_empty() || name.iter().any(|b| !b.is_ascii_graphic()) {
                continue;
            }
            let content = line.strip_suffix(b"\n").unwrap_or(line);
            let content = content.strip_suffix(b"\r").unwrap_or(content);
            return Some(HeaderField {
                line: start..at,
                value: start + colon + 1..start + content.len().max(colon + 1),
                name: start..start + name.len(),
            });
        }
        None
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::outcome::{Place, Reason, Reasons};

    fn finding(host: &str) -> Finding {
        Finding {
            edit: crate::engine::outcome::Edit::Link,
            part: "1.2".to_owned(),
            place: Place::Attribute { element: "a".to_owned(), attribute: "href".to_owned() },
            span: 0..0,
            spelling: String::new(),
            ascii: host.to_owned(),
            unicode: String::new(),
            verdict: Verdict::Unsafe,
            reasons: Reasons::from_iter([Reason::MixedScript, Reason::TargetLookalike]),
            target: Some("paypal.com".to_owned()),
            done: Done::Edited,
        }
    }

    fn lines(fields: &[Field]) -> Vec<String> {
        let text: Vec<String> = fields.iter().map(|f| format!("{}: {}", f.name, f.value)).collect();
        text.join("\n").lines().map(str::to_owned).collect()
    }

    fn with<'a>(by: &'a str, rules: &'a str) -> Describe<'a> {
        let (head, body, recoded) = (&[], &[], &[]);
        Describe { head, body, by, rules, recoded, undo_header_bytes: None, seal_key: None }
    }

    #[test]
    fn fields_are_ascii_folded_and_bounded() {
        let long = vec!["x".repeat(60); 4].join(".");
        let hosts = (0..30).map(|n| finding(&format!("xn--{n}.{long}")));
        let outcome = Outcome {
            verdict: Verdict::Unsafe,
            links: 40,
            findings: hosts.collect(),
            bypasses: vec![("1.9".to_owned(), Bypass::Limit("depth"))],
            ..Outcome::default()
        };
        let undo = undo(&[7; 4000], Some(6_000), Some(b"key")).0;
        let fields = describe(&outcome, with("mx.example", "careful+default"), Some(undo));
        assert!(fields.iter().filter(|field| field.name == LINK).count() <= LINKS);
        assert!(fields.iter().map(size).sum::<usize>() <= TOGETHER);
        for line in lines(&fields) {
            assert!(line.is_ascii() && line.len() <= LINE, "{line}");
        }
        assert_eq!(
            lines(&fields)[..3],
            [
                "X-Linkmilter: v=1; by=mx.example; verdict=unsafe; links=40; edited=30;",
                " reasons=mixed-script,target-lookalike; incomplete=limit:depth;",
                " rules=careful+default",
            ]
        );
    }

    #[test]
    fn a_link_field_cannot_be_clicked() {
        let fields = describe(
            &Outcome { findings: vec![finding("xn--e1aybc.example")], ..Outcome::default() },
            with("mx", "default"),
            None,
        );
        assert_eq!(
            fields[1].value,
            "xn--e1aybc[.]example; verdict=unsafe; part=1.2; at=a[href];\n \
             reasons=mixed-script,target-lookalike; like=paypal[.]com; done=edited"
        );
    }

    #[test]
    fn fields_from_outside_go_and_sealed_recipes_stay() {
        let (sealed, _) = undo(b"recipe", None, Some(b"key"));
        let sealed = sealed.value.replace('\n', "\r\n");
        let head = format!(
            "Subject: x\r\nX-Linkmilter: v=1; verdict=ok\r\nx-linkmilter-undo: v=1; z=AAAA\r\n\
             X-Linkmilter-Undo: {sealed}\r\nX-Linkmilterish: stays\r\n"
        );
        let found: Vec<(String, usize)> = incoming(head.as_bytes(), Some(b"key"))
            .into_iter()
            .map(|edit| (edit.name, edit.index))
            .collect();
        let want = [("X-Linkmilter".to_owned(), 1), ("x-linkmilter-undo".to_owned(), 1)];
        assert_eq!(found, want);
        assert_eq!(incoming(head.as_bytes(), Some(b"other")).len(), 3);
        assert_eq!(incoming(head.as_bytes(), None).len(), 3);
        assert_eq!(without_ours(head.as_bytes()), b"Subject: x\r\nX-Linkmilterish: stays\r\n");
    }
}
