//! Which outside addresses exchange mail with which local addresses.

use super::pattern::Address;
use super::{Author, Envelope, Leaving, Policies};

/// Who wrote the message: the outside address or the local one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flow {
    /// Written outside, to local recipients.
    Received,
    /// Written by a local author, to recipients outside.
    Sent,
}

/// An outside and a local address that exchange mail. Both are normalized: in lower case, without a `+` tag,
/// the domain as A-labels.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AddressPair {
    pub outside: String,
    pub local: String,
}

/// The address pairs of one message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AddressPairs {
    pub flow: Flow,
    pub pairs: Vec<AddressPair>,
}

impl Policies {
    /// The address pairs of this message. `None` if no local address exchanges mail with one outside, or if From
    /// does not hold exactly one address: readers go by From, so there must be one author.
    pub fn address_pairs(&self, envelope: &Envelope) -> Option<AddressPairs> {
        let Author::One(author) = &envelope.author else { return None };
        let author = Address::of(author);
        let flow = match self.leaving(envelope) {
            _ if self.is_from_outside(envelope) => Flow::Received,
            Leaving::Wholly | Leaving::Partly if self.local_mail.has_address(&author) => Flow::Sent,
            _ => return None,
        };
        let author = author.mailbox()?;
        let pair = |recipient: &String| {
            let recipient = Address::of(recipient);
            let is_local = self.local_mail.has_address(&recipient);
            let (author, recipient) = (author.clone(), recipient.mailbox()?);
            match flow {
                Flow::Received if is_local => {
                    Some(AddressPair { outside: author, local: recipient })
                }
                Flow::Sent if !is_local => Some(AddressPair { outside: recipient, local: author }),
                _ => None,
            }
        };
        let pairs: Vec<AddressPair> = envelope.recipients.iter().filter_map(pair).collect();
        (!pairs.is_empty()).then_some(AddressPairs { flow, pairs })
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Exemptions, LocalMail, Path, Profile};
    use super::*;
    use crate::engine;

    fn address_pairs(envelope: Envelope) -> Option<AddressPairs> {
        let local_mail =
            LocalMail { domains: vec!["example.org".parse().unwrap()], networks: Vec::new() };
        let base = engine::Policy::default();
        Policies::new(base, Profile::Enforce, Vec::new(), Exemptions::default())
            .with_local_mail(local_mail)
            .address_pairs(&envelope)
    }

    fn mail(author: &str, recipients: &[&str], path: Path) -> Envelope {
        let recipients = recipients.iter().map(|&recipient| recipient.to_owned()).collect();
        Envelope { author: Author::One(author.to_owned()), recipients, path, ..Envelope::default() }
    }

    fn pairs(flow: Flow, pairs: &[(&str, &str)]) -> Option<AddressPairs> {
        let pairs = pairs.iter().map(|&(outside, local)| AddressPair {
            outside: outside.to_owned(),
            local: local.to_owned(),
        });
        Some(AddressPairs { flow, pairs: pairs.collect() })
    }

    #[test]
    fn received_mail_pairs_its_author_with_each_local_recipient() {
        let to = ["Bob+list@Example.ORG", "carl@sub.example.org", "root"];
        assert_eq!(
            address_pairs(mail("Ann+x@B\u{fc}cher.example", &to, Path::Smtpd)),
            pairs(
                Flow::Received,
                &[
                    ("ann@xn--bcher-kva.example", "bob@example.org"),
                    ("ann@xn--bcher-kva.example", "carl@sub.example.org"),
                ],
            )
        );
    }

    #[test]
    fn sent_mail_pairs_each_outside_recipient_with_its_author() {
        let to = ["ann@example.com", "carl@example.org"];
        assert_eq!(
            address_pairs(mail("bob@example.org", &to, Path::NonSmtpd)),
            pairs(Flow::Sent, &[("ann@example.com", "bob@example.org")])
        );
        // Mail that was written outside and is only forwarded here is not sent by a local author.
        assert_eq!(address_pairs(mail("mallory@example.net", &to[..1], Path::NonSmtpd)), None);
    }

    #[test]
    fn without_an_outside_and_a_local_address_there_are_no_pairs() {
        let local = ["bob@example.org"];
        for envelope in [
            mail("carl@example.org", &local, Path::NonSmtpd),
            mail("root", &local, Path::Smtpd),
            mail("ann@example.com", &[], Path::Smtpd),
            Envelope { author: Author::Unclear, ..mail("", &local, Path::Smtpd) },
            Envelope { author: Author::Absent, ..mail("", &local, Path::Smtpd) },
        ] {
            assert_eq!(address_pairs(envelope.clone()), None, "{envelope:?}");
        }
    }
}
