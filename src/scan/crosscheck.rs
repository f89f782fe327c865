//! The second witness: mail-parser reads the message as well, and every host that it shows in
//! plain text must be among ours.
//!
//! mail-parser recurses into nested messages and searches every absent boundary to the end, so
//! it only sees what is small and shallow by a count that errs on the safe side.

use std::collections::BTreeSet;

use mail_parser::{MessageParser, MimeHeaders};
use memchr::memmem;

use crate::engine::link;
use crate::engine::{Outcome, TldSet};

/// Bytes of a message that the witness reads at most.
const BYTES: usize = 1 << 20;
/// Nested messages and boundaries that it may meet: it needs about 60 bytes of stack for each
/// thousandth of the 33,000 that end it.
const NESTED: usize = 100;

/// What the witness says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Word {
    Agrees,
    Differs,
    /// Says nothing: too large or too deep for it, or it broke off.
    Silent,
}

/// Compares the plain-text links that mail-parser's reading shows with what was found. The
/// outcome must hold every link (`policy.report` = all).
pub fn compare(raw: &[u8], outcome: &Outcome, tlds: &dyn TldSet) -> Word {
    if raw.len() > BYTES || nested(raw) > NESTED {
        return Word::Silent;
    }
    // Its assertions are of no concern to the scan.
    let parsed = std::panic::catch_unwind(|| MessageParser::default().parse(raw));
    let Ok(parsed) = parsed else { return Word::Silent };
    let Some(message) = parsed else { return Word::Agrees };
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
                return Word::Differs;
            }
        }
    }
    Word::Agrees
}

fn nested(raw: &[u8]) -> usize {
    let lower = raw.to_ascii_lowercase();
    memmem::find_iter(&lower, b"boundary").count() + memmem::find_iter(&lower, b"message/").count()
}
