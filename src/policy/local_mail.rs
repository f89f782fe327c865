//! Which mail leaves the house.

use super::{Address, Envelope, Network, Pattern};

/// Whose mail ends here, and which clients hand out mail of ours.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LocalMail {
    /// Domains whose mail ends here, with all below them; without any nothing is known to leave.
    pub domains: Vec<Pattern>,
    /// Clients that hand out mail of the house without authenticating, beside
    /// [`Exemptions::networks`](super::Exemptions::networks): mailbox servers, list servers.
    pub networks: Vec<Network>,
}

/// Where a message goes, seen from the house.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Way {
    /// To us, or nobody knows.
    #[default]
    Stays,
    /// From us, to nobody of ours.
    Leaves,
    /// From us, to some of ours and to others: one answer serves them all.
    Divided,
}

impl LocalMail {
    /// Whether anything is known to leave.
    pub fn is_known(&self) -> bool {
        !self.domains.is_empty()
    }

    pub(super) fn has(&self, domain: &str) -> bool {
        self.has_address(&Address::of(&format!("@{domain}")))
    }

    pub(super) fn has_address(&self, address: &Address) -> bool {
        self.domains.iter().any(|own| own.matches(address))
    }

    pub(super) fn hands_out(&self, envelope: &Envelope) -> bool {
        envelope
            .client
            .is_some_and(|client| self.networks.iter().any(|network| network.contains(client)))
    }

    /// The way of a message of ours. An address without a domain is of this host.
    pub(super) fn way_out(&self, envelope: &Envelope) -> Way {
        let ours = |recipient: &String| {
            !recipient.contains('@') || { self.has_address(&Address::of(recipient)) }
        };
        let local = envelope.recipients.iter().filter(|recipient| ours(recipient)).count();
        match local {
            _ if !self.is_known() => Way::Stays,
            0 if envelope.recipients.is_empty() => Way::Stays,
            0 => Way::Leaves,
            local if local == envelope.recipients.len() => Way::Stays,
            _ => Way::Divided,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Exemptions, Path, Policies, Profile};
    use super::*;
    use crate::engine;

    fn way(domains: &[&str], envelope: Envelope) -> Way {
        let local_mail = LocalMail {
            domains: domains.iter().map(|domain| domain.parse().unwrap()).collect(),
            networks: vec!["127.0.0.0/8".parse().unwrap()],
        };
        let exemptions =
            Exemptions { networks: vec!["192.0.2.0/24".parse().unwrap()], ..Exemptions::default() };
        let base = engine::Policy::default();
        Policies::new(base, Profile::Enforce, Vec::new(), exemptions)
            .with_local_mail(local_mail)
            .way(&envelope)
    }

    fn to(recipients: &[&str]) -> Envelope {
        let recipients = recipients.iter().map(|&recipient| recipient.to_owned()).collect();
        Envelope { recipients, path: Path::NonSmtpd, ..Envelope::default() }
    }

    #[test]
    fn mail_leaves_when_no_recipient_is_ours() {
        for (recipients, expected) in [
            (&["ann@example.net"][..], Way::Leaves),
            (&["ann@example.net", "bob@example.com"], Way::Leaves),
            (&["ann@example.org"], Way::Stays),
            (&["ann@Lists.EXAMPLE.org"], Way::Stays),
            (&["ann@example.net", "bob@example.org"], Way::Divided),
            (&["root"], Way::Stays),
            (&["root", "ann@example.net"], Way::Divided),
            (&["ann@notexample.org"], Way::Leaves),
            (&[], Way::Stays),
        ] {
            assert_eq!(way(&["example.org"], to(recipients)), expected, "{recipients:?}");
            assert_eq!(way(&[], to(recipients)), Way::Stays, "nothing is known");
        }
    }

    #[test]
    fn mail_leaves_when_it_comes_from_the_house() {
        let smtp = |client: Option<&str>, user: Option<&str>| Envelope {
            path: Path::Smtpd,
            client: client.map(|client| client.parse().unwrap()),
            authenticated: user.map(str::to_owned),
            ..to(&["ann@example.net"])
        };
        for (client, user, expected) in [
            (Some("127.0.0.1"), None, Way::Leaves),
            (Some("192.0.2.7"), None, Way::Leaves),
            (Some("198.51.100.7"), None, Way::Stays),
            (Some("198.51.100.7"), Some("ann"), Way::Leaves),
            (None, None, Way::Stays),
        ] {
            assert_eq!(way(&["example.org"], smtp(client, user)), expected, "{client:?} {user:?}");
        }
    }
}
