//! Who meets whom in a message: somebody outside, and people of the house.

use super::pattern::Address;
use super::{Author, Envelope, Policies, Way};

/// Which way a message goes between the two.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Toward {
    /// From outside to people of the house.
    Us,
    /// From somebody of the house to people outside.
    Others,
}

/// One meeting, by mailboxes as they compare: in lower case, without what follows a `+`, the domain as
/// A-labels.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Meeting {
    pub outside: String,
    pub inside: String,
}

/// The meetings of one message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Meetings {
    pub toward: Toward,
    pub all: Vec<Meeting>,
}

impl Policies {
    /// Who meets whom in this message. `None` where nobody of the house meets anybody outside, or nobody
    /// knows who wrote it: a reader goes by the address in From, and the author of two is none.
    pub fn meetings(&self, envelope: &Envelope) -> Option<Meetings> {
        let Author::One(author) = &envelope.author else { return None };
        let author = Address::of(author);
        let toward = match self.way(envelope) {
            _ if self.is_from_outside(envelope) => Toward::Us,
            Way::Leaves | Way::Divided if self.local_mail.has_address(&author) => Toward::Others,
            _ => return None,
        };
        let author = author.mailbox()?;
        let meeting = |recipient: &String| {
            let recipient = Address::of(recipient);
            let ours = self.local_mail.has_address(&recipient);
            let (author, recipient) = (author.clone(), recipient.mailbox()?);
            match toward {
                Toward::Us if ours => Some(Meeting { outside: author, inside: recipient }),
                Toward::Others if !ours => Some(Meeting { outside: recipient, inside: author }),
                _ => None,
            }
        };
        let all: Vec<Meeting> = envelope.recipients.iter().filter_map(meeting).collect();
        (!all.is_empty()).then_some(Meetings { toward, all })
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Exemptions, LocalMail, Path, Profile};
    use super::*;
    use crate::engine;

    fn meetings(envelope: Envelope) -> Option<Meetings> {
        let local_mail =
            LocalMail { domains: vec!["example.org".parse().unwrap()], networks: Vec::new() };
        let base = engine::Policy::default();
        Policies::new(base, Profile::Enforce, Vec::new(), Exemptions::default())
            .with_local_mail(local_mail)
            .meetings(&envelope)
    }

    fn mail(author: &str, recipients: &[&str], path: Path) -> Envelope {
        let recipients = recipients.iter().map(|&recipient| recipient.to_owned()).collect();
        Envelope { author: Author::One(author.to_owned()), recipients, path, ..Envelope::default() }
    }

    fn met(toward: Toward, all: &[(&str, &str)]) -> Option<Meetings> {
        let all = all.iter().map(|&(outside, inside)| Meeting {
            outside: outside.to_owned(),
            inside: inside.to_owned(),
        });
        Some(Meetings { toward, all: all.collect() })
    }

    #[test]
    fn mail_from_outside_meets_each_of_its_recipients() {
        let to = ["Bob+list@Example.ORG", "carl@sub.example.org", "root"];
        assert_eq!(
            meetings(mail("Ann+x@B\u{fc}cher.example", &to, Path::Smtpd)),
            met(
                Toward::Us,
                &[
                    ("ann@xn--bcher-kva.example", "bob@example.org"),
                    ("ann@xn--bcher-kva.example", "carl@sub.example.org"),
                ],
            )
        );
    }

    #[test]
    fn whom_the_house_writes_to_it_knows() {
        let to = ["ann@example.com", "carl@example.org"];
        assert_eq!(
            meetings(mail("bob@example.org", &to, Path::NonSmtpd)),
            met(Toward::Others, &[("ann@example.com", "bob@example.org")])
        );
        // What somebody outside wrote and the house sends on is no letter of the house.
        assert_eq!(meetings(mail("mallory@example.net", &to[..1], Path::NonSmtpd)), None);
    }

    #[test]
    fn nobody_meets_anybody_where_it_is_not_known() {
        let ours = ["bob@example.org"];
        for envelope in [
            mail("carl@example.org", &ours, Path::NonSmtpd),
            mail("root", &ours, Path::Smtpd),
            mail("ann@example.com", &[], Path::Smtpd),
            Envelope { author: Author::Unclear, ..mail("", &ours, Path::Smtpd) },
            Envelope { author: Author::Absent, ..mail("", &ours, Path::Smtpd) },
        ] {
            assert_eq!(meetings(envelope.clone()), None, "{envelope:?}");
        }
    }
}
