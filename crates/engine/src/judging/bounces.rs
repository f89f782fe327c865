//! Addresses in reports of mail that did not arrive (RFC 3464): the mistake for which it did not.

use super::Judge;
use super::judged::Judged;
use crate::outcome::{Reason, Verdict};
use homograph::{Judgement, is_anybodys};
use mailsplice::splice::fields::header_fields;
use uts58::{Kind, Link, mailto};

/// The parameter of the type of such a report (RFC 3464 §2), in lower case.
const REPORT: &str = "delivery-status";

/// Recipients of a report, and of a field, that are read at most.
const FAILED: usize = 64;

/// Charsets of Turkish, in lower case.
const CHARSETS: [&str; 2] = ["iso-8859-9", "windows-1254"];

/// What the header says of the whole message.
#[derive(Default)]
pub(super) struct HeaderSays {
    is_report: bool,
    is_turkish: bool,
    /// The hosts of addresses to which mail did not arrive, in lower case: of Final-Recipient (RFC 3464 §2.3.2) and
    /// X-Failed-Recipients.
    failed: Vec<String>,
}

impl Judge<'_> {
    /// Lowers the verdict of an address of such a report if it is a slip of one where everybody can have a mailbox, which
    /// says nothing about whose it is, and of one to which mail did not arrive, as well as that of its bare host: nobody is
    /// led there.
    pub(super) fn downgrade_bounced(&self, link: &Link, judged: &mut Judged) {
        let is_bare = link.kind == Kind::Bare && link.tail.is_empty();
        if link.kind != Kind::Email && !is_bare {
            return;
        }
        let of_slip = |reason: Reason| {
            reason.verdict() <= Verdict::Notice || reason == Reason::TargetLookalike
        };
        let is_slip = judged.verdict == Verdict::Suspect
            && judged.inner.is_empty()
            && judged.reasons.iter().all(of_slip);
        if !is_slip {
            return;
        }
        let is_of_mailboxes =
            || judged.target().is_some_and(|name| is_anybodys(name, &self.policy.protected));
        let has_failed = |host: &Judgement| self.header().failed.contains(&host.ascii);
        if !is_bare && self.is_in_report() && is_of_mailboxes()
            || judged.host.as_deref().is_some_and(has_failed)
        {
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
            let head = self.message.head;
            for field in header_fields(head) {
                let text = || field.text(head).to_ascii_lowercase();
                if field.is_named(head, b"content-type") {
                    let text = text();
                    says.is_report |= text.contains(REPORT);
                    says.is_turkish |= CHARSETS.iter().any(|charset| text.contains(charset));
                } else if field.is_named(head, b"x-failed-recipients") {
                    says.failed.extend(text().split(',').take(FAILED).filter_map(host_of));
                } else if field.is_named(head, b"content-language") {
                    says.is_turkish |=
                        text().split([',', '-', ' ']).any(|tag| tag == "tr" || tag == "az");
                }
            }
            if says.is_report {
                says.failed.extend(failed_recipients(self.message.body));
            }
            says
        })
    }
}

/// The hosts of the recipients that a report names, in lower case.
fn failed_recipients(body: &[u8]) -> impl Iterator<Item = String> {
    // `Final-Recipient` or `final-recipient`.
    let ends = memchr::memmem::find_iter(body, b"ecipient:").take(FAILED);
    ends.filter_map(|at| {
        let value = body.get(at..)?.split(|byte| *byte == b'\n').next()?;
        let value = String::from_utf8_lossy(value).to_ascii_lowercase();
        host_of(value.split_once(';')?.1)
    })
}

fn host_of(address: &str) -> Option<String> {
    let address = address.trim();
    let host = mailto::address(address, 0..address.len())?.host;
    Some(address.get(host)?.to_owned())
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
        assert!(
            verdict(report, "Your mail to ann@hotmial.com and hotmial.com") >= Verdict::Suspect
        );
        let about = |address: &str| format!("{report}\r\nX-Failed-Recipients: {address}");
        let bare = "Your mail to ann@paypall.com: name=paypall.com type=A: Host not found";
        assert_eq!(verdict(&about("x@example.com, ann@paypall.com"), bare), Verdict::Notice);
        assert_eq!(verdict(&about("x@example.com"), bare), Verdict::Suspect);
        let named = format!("{bare}\r\n\r\nFinal-Recipient: RFC822; <Ann@PayPall.com>\r\n");
        assert_eq!(verdict(report, &named), Verdict::Notice);
        let small = format!("{bare}\r\n\r\noriginal-recipient: rfc822; ann@paypall.com\r\n");
        assert_eq!(verdict(report, &small), Verdict::Notice);
        assert_eq!(verdict("text/plain", &named), Verdict::Suspect);
        let led = format!("{named}https://paypall.com/login\r\n");
        assert_eq!(verdict(report, &led), Verdict::Suspect);
        for lie in ["https://hotmial.com/", "ann@paypa1.com", "ann@hotmai\u{13a}.com"] {
            assert!(verdict(report, lie) >= Verdict::Suspect, "{lie}");
        }
    }
}
