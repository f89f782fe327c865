//! Addresses in reports of mail that did not arrive (RFC 3464): the mistake for which it did not.

use super::Judge;
use crate::judged::Judged;
use crate::outcome::{Reason, Verdict};
use homograph::is_anybodys;
use mailsplice::splice::fields::header_fields;

/// The parameter of the type of such a report (RFC 3464 §2), in lower case.
const REPORT: &str = "delivery-status";

/// Charsets of Turkish, in lower case.
const CHARSETS: [&str; 2] = ["iso-8859-9", "windows-1254"];

/// What the header says of the whole message.
#[derive(Default)]
pub(super) struct HeaderSays {
    is_report: bool,
    is_turkish: bool,
}

impl Judge<'_> {
    /// Lowers the verdict of an address of such a report if it is a slip of one where everybody can have a mailbox, which
    /// says nothing about whose it is.
    pub(super) fn downgrade_bounced(&self, judged: &mut Judged) {
        let of_slip = |reason: Reason| {
            reason.verdict() <= Verdict::Notice || reason == Reason::TargetLookalike
        };
        let is_slip = judged.verdict == Verdict::Suspect
            && judged.inner.is_empty()
            && judged.reasons.iter().all(of_slip)
            && judged.target().is_some_and(|name| is_anybodys(name, &self.policy.protected));
        if is_slip && self.is_in_report() {
            judged.downgrade();
        }
    }

    /// Whether the message is such a report.
    pub(super) fn is_in_report(&self) -> bool {
        self.header().is_report
    }

    /// Whether the header says that the text is Turkish or Azerbaijani, by a language or the charset of Turkish.
    pub(super) fn says_turkish(&self) -> bool {
        self.header().is_turkish
    }

    /// The header is read once.
    fn header(&self) -> &HeaderSays {
        self.header.get_or_init(|| {
            let mut says = HeaderSays::default();
            for field in header_fields(self.head) {
                let text = || field.text(self.head).to_ascii_lowercase();
                if field.is_named(self.head, b"content-type") {
                    let text = text();
                    says.is_report |= text.contains(REPORT);
                    says.is_turkish |= CHARSETS.iter().any(|charset| text.contains(charset));
                } else if field.is_named(self.head, b"content-language") {
                    says.is_turkish |=
                        text().split([',', '-', ' ']).any(|tag| tag == "tr" || tag == "az");
                }
            }
            says
        })
    }
}

#[cfg(test)]
mod tests {
    use crate::{Answers, Facts, Message, Policy, TldTable, Verdict, inspect};

    /// The verdict of a message of this type with a text.
    fn verdict(kind: &str, text: &str) -> Verdict {
        let head = format!("From: <postmaster@fine.com>\r\nContent-Type: {kind}\r\n");
        let body = format!("--b\r\n\r\n{text}\r\n--b--\r\n");
        let message = Message { head: head.as_bytes(), body: body.as_bytes() };
        let tlds = TldTable::new(["com"], "");
        inspect(message, &Facts::default(), &Policy::default(), &tlds)
            .resolve(&Answers::new())
            .verdict
    }

    #[test]
    fn the_misspelt_address_of_a_report_is_a_notice() {
        let report = "multipart/report; report-type=Delivery-Status; boundary=b";
        let text = "Final-Recipient: rfc822; ann@hotmial.com";
        assert_eq!(verdict(report, text), Verdict::Notice);
        assert_eq!(verdict("multipart/mixed; boundary=b", text), Verdict::Suspect);
        let named = "multipart/mixed; boundary=b\r\nX-Type: delivery-status";
        assert_eq!(verdict(named, text), Verdict::Suspect);
        for lie in ["https://hotmial.com/", "ann@paypa1.com", "ann@hotmai\u{13a}.com"] {
            assert!(verdict(report, lie) >= Verdict::Suspect, "{lie}");
        }
    }
}
