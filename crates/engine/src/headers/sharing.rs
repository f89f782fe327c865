//! Fields by which a calendar or a folder is shared (MS-OXSHARE, `x-sharing-config-url` and its like): a program that
//! opens the invitation opens what they name.

use super::field::{Field, FieldReader, Interest, on_one_line};
use super::words::decoded;
use crate::budget::Budget;
use crate::finding::Findings;
use crate::judging::Judge;
use crate::policy::Policy;
use crate::sender::Author;
use maillinks::document_paths::reaching;
use mailsplice::splice::{self, fields::HeaderField};
use uts58::{Target, reference};

/// How the names of such fields begin.
const PREFIX: &[u8] = b"x-sharing-";

/// Judges what such fields reach.
pub(super) fn shared(
    (head, agreed_fields): (&[u8], Option<&[HeaderField]>),
    judge: &mut Judge<'_>,
    budget: &mut Budget<'_>,
    policy: &Policy,
    found: &mut Findings,
) {
    let is_shared = |field: &HeaderField| {
        let name = field.name(head);
        // What nearly all fail on.
        matches!(name, [b'x' | b'X', b'-', b's' | b'S', ..])
            && name.get(..PREFIX.len()).is_some_and(|front| front.eq_ignore_ascii_case(PREFIX))
    };
    let fields: Vec<HeaderField> = match agreed_fields {
        Some(fields) => fields.iter().filter(|field| is_shared(field)).cloned().collect(),
        None => splice::fields::header_fields(head).filter(is_shared).collect(),
    };
    let author = Author::default();
    for field in fields {
        let value = String::from_utf8_lossy(head.get(field.value.clone()).unwrap_or_default());
        let name = String::from_utf8_lossy(field.name(head));
        let Some(url) = reaching(&decoded(&on_one_line(&value))) else { continue };
        let (span, interest) = (field.value, Interest::Any);
        let field = Field { part: "0", name: &name, span, interest };
        let mut reader = FieldReader { field, author: &author, judge, budget, policy, found };
        let server = reference::parse(&url, 0..url.len()).find_map(|target| match target {
            Target::Dangerous { host, .. } => Some(host),
            Target::Link(_) => None,
        });
        if let Some(judged) = server.and_then(|host| reader.judge.followed(&url, host)) {
            reader.push_as(&url, &judged, None);
        }
        if !reader.has_steps(url.len()) {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::tests::to_harbour;
    use crate::{Dmarc, Verdict};

    #[test]
    fn what_an_invitation_opens() {
        let verdict = |field: &str| {
            let head = format!("ann@a.com\r\nContent-Class: Sharing\r\n{field}");
            to_harbour(&head, "text/plain", "hi", Dmarc::Unknown).verdict
        };
        for (field, unsafe_) in [
            (r"x-sharing-config-url: \\evil.top\s\x.ics", true),
            (r"X-Sharing-Remote-Path:\\evil.top@80\s", true),
            ("X-SHARING-BROWSE-URL: file://evil.top/x", true),
            ("x-sharing-config-url:\r\n //evil.top/s/x", true),
            ("x-sharing-config-url: =?utf-8?q?=5C=5Cevil.top=5Cs?=", true),
            ("x-sharing-config-url: https://evil.top/x.ics", false),
            (r"x-sharing-config-url: \\fs01\s\x.ics", false),
            (r"x-sharing-config-url: \\files.harbour.com\s", false),
            ("x-sharing-flavor: 310", false),
            (r"x-path: \\evil.top\s", false),
        ] {
            assert_eq!(verdict(field) == Verdict::Unsafe, unsafe_, "{field}");
        }
    }
}
