//! Cross-check with a second parser: mail-parser parses the message as well, and every host that it
//! shows in plain text must be among those that were found.
//!
//! mail-parser recurses into nested messages and searches for a missing boundary to the end of the
//! message. So it gets only messages that are small and shallow, by a count that is never too low.

use std::collections::BTreeSet;

use mail_parser::{MessageParser, MimeHeaders};
use memchr::memmem;

use crate::engine::link;
use crate::engine::{Outcome, TldSet};

/// Bytes of a message up to which it is cross-checked.
const MAX_BYTES: usize = 1 << 20;
/// Nested messages and boundaries up to which a message is cross-checked. A stack overflow needs
/// about 33,000.
const MAX_NESTED: usize = 100;

/// The result of a cross-check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comparison {
    Agrees,
    Differs,
    /// Not compared: the message is too large or nested too deeply, or the parser panicked.
    Skipped,
}

/// Compares the plain-text links that mail-parser shows with what was found. The outcome must
/// contain every link (`policy.report` = all).
pub fn compare(raw: &[u8], outcome: &Outcome, tlds: &dyn TldSet) -> Comparison {
    if raw.len() > MAX_BYTES || count_nested(raw) > MAX_NESTED {
        return Comparison::Skipped;
    }
    // A panic in mail-parser must not end the scan.
    let parsed = std::panic::catch_unwind(|| MessageParser::default().parse(raw));
    let Ok(parsed) = parsed else { return Comparison::Skipped };
    let Some(message) = parsed else { return Comparison::Agrees };
    let ours: BTreeSet<String> =
        outcome.findings.iter().map(|finding| finding.spelling.to_lowercase()).collect();
    for part in message.text_bodies() {
        let plain = part.content_type().is_none_or(|kind| {
            kind.ctype() == "text" && kind.subtype().is_none_or(|subtype| subtype == "plain")
        });
        let Some(text) = part.text_contents().filter(|_| plain) else { continue };
        for found in link::detect(text) {
            let host = text.get(found.host.clone()).unwrap_or_default().to_lowercase();
            let tld = host.rsplit('.').next().unwrap_or_default();
            if tlds.exists(tld) && !ours.iter().any(|spelling| spelling.contains(&host)) {
                return Comparison::Differs;
            }
        }
    }
    Comparison::Agrees
}

fn count_nested(raw: &[u8]) -> usize {
    let lower = raw.to_ascii_lowercase();
    memmem::find_iter(&lower, b"boundary").count() + memmem::find_iter(&lower, b"message/").count()
}
