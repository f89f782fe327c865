//! Header fields of ours: what was found, and how to revert the edits.
//!
//! | field | says |
//! | --- | --- |
//! | `X-Linkmilter` | `v=1; by=HOST; verdict=unsafe; links=12; edited=2; reasons=…; …` |
//! | `X-Linkmilter-Link` | a host that is suspect or worse, in A-labels and defanged; at most ten |
//! | `X-Linkmilter-Undo` | `v=1; z=RECIPE` in base64, or `v=1; file=DIGEST`; then `seal=…` |
//!
//! All ASCII, in lines of at most 78 characters (RFC 5322 §2.1.1), together at most [`TOGETHER`] bytes.

use std::borrow::Cow;

use mailsplice::edit::HeadEdit;
use mailsplice::splice::fields::{MARKED, SUMMARY, Undo};
use mailsplice::splice::{fields, is_ours, undo};

use crate::outcome::{Bypass, Done, Field, Finding, Outcome, Reasons, StoredRecipe, Verdict};

/// The field for one link: its host, part and reasons.
pub const LINK: &str = "X-Linkmilter-Link";

/// Maximum bytes of all our fields, unless the operator allows longer recipes: Sendmail refuses a message with over
/// 32 KiB of headers in all.
pub const TOGETHER: usize = 8 << 10;

/// Maximum number of link fields of a message: enough to show what it was about.
pub const LINKS: usize = 10;

/// What our header fields need besides the outcome.
#[derive(Clone, Copy, Debug)]
pub struct Describe<'a> {
    /// Raw header, before the edits.
    pub head: &'a [u8],
    /// Raw body, before the edits.
    pub body: &'a [u8],
    /// Name of the filtering host.
    pub by: &'a str,
    /// Names of the settings, if the header is to show them; else empty.
    pub rules: &'a str,
    /// Paths of parts whose transfer encoding was changed.
    pub recoded: &'a [String],
    /// Largest value of an `X-Linkmilter-Undo` field in bytes.
    pub undo_header_bytes: Option<usize>,
    /// Key of the seal.
    pub seal_key: Option<&'a [u8]>,
}

/// Writes our header fields for an outcome, with the recipe that reverts its edits.
pub fn describe(outcome: &mut Outcome, with: Describe<'_>) {
    let is_theirs = |edit: &&HeadEdit| !is_ours(edit.name.as_bytes());
    let changed =
        !outcome.edits.is_empty() || outcome.head_edits.iter().any(|edit| is_theirs(&edit));
    let mut field = None;
    outcome.stored = None;
    if changed {
        let recipe = undo::recipe(with.head, with.body, &outcome.edits, &outcome.head_edits);
        let (undo_field, place) = fields::undo(&recipe, with.undo_header_bytes, with.seal_key);
        if let Undo::Stored(digest) = place {
            outcome.stored = Some(StoredRecipe { digest, recipe });
        }
        field = Some(undo_field);
    }
    outcome.fields = all(outcome, with, field);
}

/// The fields that describe an outcome. `undo` is the field that reverts its edits.
fn all(outcome: &Outcome, with: Describe<'_>, undo: Option<Field>) -> Vec<Field> {
    let summary = Field::folded(SUMMARY, &summary(outcome, with, undo.is_some()));
    let mut left =
        TOGETHER.saturating_sub(summary.wire_len() + undo.as_ref().map_or(0, Field::wire_len));
    let mut fields = vec![summary];
    let bad = outcome.findings.iter().filter(|finding| finding.verdict >= Verdict::Suspect);
    let mut described: Vec<(&Finding, String)> = Vec::new();
    for finding in bad {
        if described.len() == LINKS {
            break;
        }
        // Many findings are the same host in the same place: they are skipped before their text is written.
        if described.iter().any(|(known, _)| has_same_text(known, finding)) {
            continue;
        }
        let text = link(finding);
        if described.iter().any(|(_, known)| *known == text) {
            continue;
        }
        let field = Field::folded(LINK, &text);
        if field.wire_len() > left {
            break;
        }
        left -= field.wire_len();
        described.push((finding, text));
        fields.push(field);
    }
    fields.extend(undo);
    fields
}

/// `changed`: something stands in header or body that was not there.
fn summary(outcome: &Outcome, with: Describe<'_>, changed: bool) -> String {
    let mut text = format!(
        "v=1; by={}; verdict={}; links={}; edited={}",
        word(with.by),
        outcome.verdict,
        outcome.links,
        outcome.edited(),
    );
    if changed && outcome.edited() == 0 {
        text += "; ";
        text += MARKED;
    }
    let reasons = outcome
        .findings
        .iter()
        .fold(Default::default(), |all: Reasons, finding| all.union(finding.reasons));
    list(&mut text, "reasons", reasons.iter().map(|reason| reason.code().into()));
    let opaque = outcome.bypasses.iter().filter(|(_, why)| *why == Bypass::Opaque).count();
    if opaque > 0 {
        text += &format!("; opaque={opaque}");
    }
    let unread = outcome.bypasses.iter().filter(|(_, why)| *why != Bypass::Opaque);
    let unread = unread.map(|(_, why)| word(&why.to_string()).into_owned().into());
    list(&mut text, "incomplete", unread);
    list(&mut text, "broken", outcome.broken.iter().map(|kind| kind.as_str().into()));
    if !with.rules.is_empty() {
        text += &format!("; rules={}", word(with.rules));
    }
    list(&mut text, "recoded", with.recoded.iter().map(|path| word(path)));
    text
}

/// Adds `name=a,b,c`, without repetitions, at most eight; nothing if there is no value.
fn list<'v>(text: &mut String, name: &str, values: impl Iterator<Item = Cow<'v, str>>) {
    let mut kept: Vec<Cow<'_, str>> = Vec::new();
    for value in values {
        if !kept.contains(&value) && kept.len() < 8 {
            kept.push(value);
        }
    }
    if !kept.is_empty() {
        *text += &format!("; {name}={}", kept.join(","));
    }
}

/// Whether [`link`] writes the same for both.
fn has_same_text(one: &Finding, other: &Finding) -> bool {
    one.ascii == other.ascii
        && one.verdict == other.verdict
        && one.part == other.part
        && one.place == other.place
        && one.reasons == other.reasons
        && one.target == other.target
        && one.done == other.done
}

fn link(finding: &Finding) -> String {
    let host = if finding.ascii.is_empty() { "-" } else { finding.ascii.as_str() };
    let mut text = format!(
        "{}; verdict={}; part={}; at={}",
        defanged(&word(host)),
        finding.verdict,
        word(&finding.part),
        word(&finding.place.to_string()),
    );
    list(&mut text, "reasons", finding.reasons.iter().map(|reason| reason.code().into()));
    if let Some(target) = &finding.target {
        text += &format!("; like={}", defanged(&word(target)));
    }
    let done = match finding.done {
        Done::Reported => "reported",
        Done::Edited => "edited",
        Done::Exempt => "exempt",
    };
    text += "; done=";
    text += done;
    text
}

/// A defanged host, which no client links: every dot, and every colon of an IPv6 address, is in brackets.
pub fn defanged(host: &str) -> String {
    host.replace(['[', ']'], "").replace('.', "[.]").replace(':', "[:]")
}

/// Printable ASCII without the delimiters of our fields; at most 255 characters.
fn word(text: &str) -> Cow<'_, str> {
    const LENGTH: usize = 255;
    let is_kept = |c: char| c.is_ascii_graphic() && !";,=\"\\()<>".contains(c);
    match text {
        "" => "-".into(),
        text if text.len() <= LENGTH && text.chars().all(is_kept) => text.into(),
        _ => text
            .chars()
            .take(LENGTH)
            .map(|c| match c {
                c if is_kept(c) => c,
                c if c.is_ascii_graphic() => '_',
                _ => '?',
            })
            .collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::outcome::{Limit, Place, Reason, Reasons};
    use mailsplice::edit::LINE;

    #[test]
    fn hosts_in_fields_are_no_links() {
        for (host, expected) in [
            ("www.example.com", "www[.]example[.]com"),
            ("[2001:db8::1]", "2001[:]db8[:][:]1"),
            ("192.0.2.1", "192[.]0[.]2[.]1"),
            ("-", "-"),
        ] {
            assert_eq!(defanged(host), expected);
        }
    }

    fn finding(host: &str) -> Finding {
        Finding {
            edit: crate::outcome::Edit::Link,
            part: "1.2".to_owned(),
            place: Place::Attribute { element: "a".into(), attribute: "href".into() },
            span: 0..0,
            spelling: String::new(),
            ascii: host.to_owned(),
            unicode: String::new(),
            verdict: Verdict::Unsafe,
            reasons: Reasons::from_iter([Reason::MixedScript, Reason::TargetLookalike]),
            target: Some("paypal.com".to_owned()),
            lists: Vec::new(),
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
            bypasses: vec![("1.9".to_owned(), Bypass::Limit(Limit::Depth))],
            ..Outcome::default()
        };
        let undo = fields::undo(&[7; 4000], Some(6_000), Some(b"key")).0;
        let fields = all(&outcome, with("mx.example", "careful+default"), Some(undo));
        assert!(fields.iter().filter(|field| field.name == LINK).count() <= LINKS);
        assert!(fields.iter().map(Field::wire_len).sum::<usize>() <= TOGETHER);
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
        let fields = all(
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
}
