//! The body of a message after the filter. Each file of tests uses a part of this.
#![allow(dead_code)]

pub mod prose;

use linkmilter_engine::policy::HeaderFields;
use linkmilter_engine::splice::apply;
use linkmilter_engine::{Answers, Facts, Message, Outcome, Policy, TldTable, inspect};

const TLDS: [&str; 40] = [
    "com", "org", "net", "example", "de", "fr", "pl", "jp", "hk", "at", "br", "tr", "berlin",
    "kim", "lu", "li", "name", "рф", "xn--p1ai", "cn", "ru", "no", "to", "la", "ma", "si", "sk",
    "rest", "site", "co", "dk", "fi", "gov", "gr", "gy", "io", "kr", "na", "ni", "se",
];

/// The body after the filter, of a message with these header fields, for a recipient at `mybank.com`.
pub fn filtered(head: &str, body: &[u8]) -> Vec<u8> {
    apply(body, &outcome(head, body).edits).to_vec()
}

/// The outcome of such a message.
pub fn outcome(head: &str, body: &[u8]) -> Outcome {
    let policy = Policy { header_fields: HeaderFields::Omit, ..Policy::default() };
    let facts = Facts { recipient_domains: vec!["mybank.com".into()], ..Facts::default() };
    let tlds = TldTable::new(TLDS, "");
    let head = format!("{head}\r\nContent-Transfer-Encoding: 8bit\r\n");
    let message = Message { head: head.as_bytes(), body };
    inspect(message, &facts, &policy, &tlds).resolve(&Answers::new())
}

/// Whether the filter edits a body of this type.
pub fn is_edited(kind: &str, body: &[u8]) -> bool {
    filtered(&format!("Content-Type: {kind}"), body) != body
}

#[track_caller]
pub fn untouched(kind: &str, body: &[u8]) {
    let after = filtered(&format!("Content-Type: {kind}"), body);
    assert!(after == body, "{kind}: {}", String::from_utf8_lossy(&after));
}

#[track_caller]
pub fn edited(kind: &str, body: &[u8]) {
    assert!(is_edited(kind, body), "{kind}: {}", String::from_utf8_lossy(body));
}
