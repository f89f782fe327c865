//! Headers of messages inside the message, which programs show above their text: who they say they are from, and their
//! subjects.
//!
//! What poses there is a notice: whoever reports a lure to those who fight it forwards it like this.

use std::collections::HashSet;

use mail_parser::{HeaderName, HeaderValue};

use super::field::{Field, FieldReader, Interest};
use super::{SelectedFields, spend};
use crate::budget::Budget;
use crate::cost::Stage;
use crate::finding::Findings;
use crate::judging::Judge;
use crate::sender::Author;
use crate::{Case, Dmarc, Facts};
use mailsplice::mime::Tree;

/// Reports senders and subjects of inner messages that pose. No server has verified those senders.
pub fn inner(case: Case<'_>, tree: &Tree, budget: &mut Budget<'_>, found: &mut Findings) {
    let mut heads = tree.inner_heads(case.message).peekable();
    if heads.peek().is_none() {
        return;
    }
    let facts = Facts { dmarc: Dmarc::Unknown, ..case.facts.clone() };
    let mut judge = Judge::new(Case { facts: &facts, ..case });
    for (path, head) in heads {
        if !spend(Stage::Header, head.len() as u64, budget, found) {
            return;
        }
        let is_wanted = |name: &[u8], _: &[u8]| {
            [&b"From"[..], b"Subject"].iter().any(|known| name.eq_ignore_ascii_case(known))
        };
        let selected = SelectedFields::select(head, None, is_wanted);
        let message = selected.parsed(true);
        let author = Author::of(&message, &mut judge);
        let mut subjects = HashSet::new();
        for header in message.headers() {
            let interest = Interest::Inner;
            let field = Field { part: path, name: header.name.as_str(), span: 0..0, interest };
            let judge = &mut judge;
            let policy = case.policy;
            let mut reader = FieldReader { field, author: &author, judge, budget, policy, found };
            if header.name == HeaderName::From {
                reader.report_impersonation(&header.value);
            }
            if let HeaderValue::Text(text) = &header.value {
                reader.subject(text, &mut subjects);
            }
        }
        if !spend(Stage::Judging, judge.take_steps(), budget, found) {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::{Answers, Dmarc, Facts, Message, Outcome, Policy, Reason, TldTable, Verdict};

    fn outcome(kind: &str, body: &str, dmarc: Dmarc) -> Outcome {
        let head = format!("From: Ann <ann@example.org>\r\nContent-Type: {kind}\r\n");
        let tlds = TldTable::new(["com", "org", "ru"], "");
        let (facts, policy) = (Facts { dmarc, ..Facts::default() }, Policy::default());
        let message = Message { head: head.as_bytes(), body: body.as_bytes() };
        crate::inspect(message, &facts, &policy, &tlds).resolve(&Answers::new())
    }

    /// The forms in which a message is inside another, with what the form says of its type.
    fn forms(inner: &str) -> Vec<(&'static str, String)> {
        let part = |head: &str| format!("--b\r\n{head}\r\n\r\n{inner}\r\n--b--\r\n");
        vec![
            ("message/rfc822", inner.to_owned()),
            ("message/global", inner.to_owned()),
            ("multipart/mixed; boundary=b", part("Content-Type: message/rfc822")),
            (
                "multipart/mixed; boundary=b",
                part("Content-Type: message/rfc822\r\nContent-Disposition: attachment"),
            ),
            ("multipart/digest; boundary=b", format!("--b\r\n\r\n{inner}\r\n--b--\r\n")),
            (
                "multipart/mixed; boundary=b",
                part("Content-Type: application/octet-stream; name=a.eml"),
            ),
        ]
    }

    #[test]
    fn what_poses_in_an_inner_message_is_noticed() {
        for (head, reason) in [
            ("From: PayPal Support <x@verify.ru>\r\nSubject: x\r\n", Reason::DisplayNamePoses),
            ("From: Bob <bob@example.org>\r\nSubject: РауРаl account\r\n", Reason::TextLookalike),
        ] {
            for (kind, body) in forms(&format!("{head}\r\nhello\r\n")) {
                for dmarc in [Dmarc::Pass, Dmarc::Unknown, Dmarc::Fail] {
                    let outcome = outcome(kind, &body, dmarc);
                    assert_eq!(outcome.verdict, Verdict::Notice, "{body}");
                    let mut found = outcome.findings.iter();
                    assert!(found.any(|one| one.reasons.contains(reason)), "{body}");
                    assert!(outcome.edits.is_empty(), "{body}");
                }
            }
        }
    }

    /// Whoever forwards it may fail a check of his own domain.
    #[test]
    fn honest_inner_messages_are_left() {
        for head in [
            "From: PayPal <service@paypal.com>\r\nSubject: Your receipt\r\n",
            "From: \"service@paypal.com\" <service@paypal.com>\r\nSubject: PayPal\r\n",
            "From: Ann <ann@example.org>\r\nSubject: Отчёт\r\n",
            "From: Mail Delivery System <MAILER-DAEMON@example.org>\r\nSubject: Undelivered\r\n",
            "Subject: nobody\r\n",
        ] {
            for (kind, body) in forms(&format!("{head}\r\nhello\r\n")) {
                for dmarc in [Dmarc::Pass, Dmarc::Unknown, Dmarc::Fail] {
                    let found = outcome(kind, &body, dmarc).findings;
                    assert!(found.is_empty(), "{found:?} {body}");
                }
            }
        }
    }

    #[test]
    fn many_inner_messages_are_bounded() {
        let one = "--b\r\n\r\nFrom: PayPal Support <x@verify.ru>\r\n\r\nhello\r\n";
        let outcome = outcome("multipart/digest; boundary=b", &one.repeat(500), Dmarc::Unknown);
        assert_eq!(outcome.findings.len(), 64);
    }
}
