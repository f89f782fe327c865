//! One finding of an archive as a line: the `jsonl` form, schema [`SCHEMA`].
//!
//! `docs/scan.md` documents every field. A minor version may add fields. A field that is removed or changes its meaning
//! raises [`SCHEMA`].

use std::io::{self, Write};
use std::ops::Range;

use serde::Serialize;

use crate::engine::Finding;
use crate::engine::outcome::Done;

use super::defang::defang;
use super::json::write_line;

/// Version of the format.
pub const SCHEMA: u32 = 1;

/// The message of a finding.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FindingOrigin {
    /// Path of the file as given or found; `archive.tar!entry`; `-` for standard input. Names from an archive are
    /// limited in length, as are Message-ID and domain: see [`super::names`].
    pub source: String,
    /// Offset in bytes of the message in its source, after decompression; in an mbox, of its
    /// `From ` line.
    pub offset: u64,
    /// Message-ID without angle brackets.
    pub message_id: Option<String>,
    /// Date, RFC 3339, in UTC.
    pub date: Option<String>,
    /// Domain of the first From address, lower case.
    pub from_domain: Option<String>,
}

/// One line: a finding and its place.
#[derive(Debug, Serialize)]
pub struct FindingLine<'a> {
    pub schema: u32,
    /// `finding` (verdict `notice` or worse) or `link` (verdict `ok`, with `--all-links`).
    pub record: &'static str,
    pub source: &'a str,
    pub offset: u64,
    pub message_id: Option<&'a str>,
    pub date: Option<&'a str>,
    pub from_domain: Option<&'a str>,
    pub part: &'a str,
    pub place: String,
    /// First byte and end of the bytes that carry the link, counted from `offset`.
    pub span: [u64; 2],
    /// As spelled, defanged.
    pub spelling: String,
    pub ascii: &'a str,
    pub unicode: &'a str,
    pub verdict: &'static str,
    pub reasons: Vec<&'static str>,
    pub target: Option<&'a str>,
    /// What the filter would do: `edit`, `report`, `exempt`.
    pub action: &'static str,
    /// What the finding is worth in its place, whatever the policy: `inert`, `word`, `told`, `link`, `anywhere`.
    pub edit: &'static str,
}

impl<'a> FindingLine<'a> {
    /// The line of a finding with these bytes, counted from the offset of the origin.
    pub fn new(
        origin: &'a FindingOrigin,
        finding: &'a Finding,
        span: &Range<usize>,
    ) -> FindingLine<'a> {
        FindingLine {
            schema: SCHEMA,
            record: if finding.verdict == Default::default() { "link" } else { "finding" },
            source: &origin.source,
            offset: origin.offset,
            message_id: origin.message_id.as_deref(),
            date: origin.date.as_deref(),
            from_domain: origin.from_domain.as_deref(),
            part: &finding.part,
            place: finding.place.to_string(),
            span: [span.start as u64, span.end as u64],
            spelling: defang(&finding.spelling),
            ascii: &finding.ascii,
            unicode: &finding.unicode,
            verdict: finding.verdict.as_str(),
            reasons: finding.reasons.iter().map(|reason| reason.code()).collect(),
            target: finding.target.as_deref(),
            action: action(finding.done),
            edit: finding.edit.as_str(),
        }
    }

    pub fn write_json(&self, out: &mut dyn Write) -> io::Result<()> {
        write_line(out, self)
    }
}

/// What the filter would do, as one word.
pub fn action(done: Done) -> &'static str {
    match done {
        Done::Edited => "edit",
        Done::Reported => "report",
        Done::Exempt => "exempt",
    }
}

/// A part or a source that was not read: a line of `--account`.
#[derive(Debug, Serialize)]
pub struct UnreadLine<'a> {
    pub schema: u32,
    /// `bypass` (a part) or `unread` (a source, or the rest of one).
    pub record: &'static str,
    pub source: &'a str,
    pub offset: u64,
    /// Path of the part, empty for a source.
    pub part: &'a str,
    pub why: &'a str,
}

impl UnreadLine<'_> {
    pub fn write_json(&self, out: &mut dyn Write) -> io::Result<()> {
        write_line(out, self)
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::engine::outcome::{Edit, Place, Reason, Reasons, Verdict};

    /// A finding of an HTML phish.
    pub(crate) fn finding() -> Finding {
        Finding {
            part: "1.2".to_owned(),
            place: Place::Attribute { element: "a".into(), attribute: "href".into() },
            span: 120..150,
            spelling: "http://раypal.com/login".to_owned(),
            ascii: "xn--ypal-43d9g.com".to_owned(),
            unicode: "раypal.com".to_owned(),
            verdict: Verdict::Unsafe,
            reasons: Reasons::from_iter([Reason::MixedScript, Reason::TargetLookalike]),
            edit: Edit::Anywhere,
            target: Some("paypal.com".to_owned()),
            lists: Vec::new(),
            done: Done::Edited,
        }
    }

    pub(crate) fn origin() -> FindingOrigin {
        FindingOrigin {
            source: "Maildir/cur/1".to_owned(),
            offset: 0,
            message_id: Some("1@mail.example".to_owned()),
            date: Some("2024-05-06T07:08:09Z".to_owned()),
            from_domain: Some("mail.example".to_owned()),
        }
    }

    #[test]
    fn every_field_is_in_the_line() {
        let mut out = Vec::new();
        FindingLine::new(&origin(), &finding(), &(220..250)).write_json(&mut out).unwrap();
        assert_eq!(
            String::from_utf8(out).unwrap(),
            concat!(
                r#"{"schema":1,"record":"finding","source":"Maildir/cur/1","offset":0,"#,
                r#""message_id":"1@mail.example","date":"2024-05-06T07:08:09Z","#,
                r#""from_domain":"mail.example","part":"1.2","place":"a[href]","#,
                r#""span":[220,250],"spelling":"hxxp://раypal[.]com/login","#,
                r#""ascii":"xn--ypal-43d9g.com","unicode":"раypal.com","verdict":"unsafe","#,
                r#""reasons":["mixed-script","target-lookalike"],"target":"paypal.com","#,
                r#""action":"edit","edit":"anywhere"}"#,
                "\n"
            )
        );
    }
}
