//! Which mail is local, and which mail leaves this installation.

use super::{Address, Envelope, Network, Pattern};

/// Which domains are local, and which clients send our own mail out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LocalMail {
    /// Local domains, with their subdomains. If there are none, no mail is known to leave.
    pub domains: Vec<Pattern>,
    /// Clients that send our own mail out without authenticating, such as mailbox servers and list servers. The
    /// networks in [`Exemptions::networks`](super::Exemptions::networks) count as well.
    pub networks: Vec<Network>,
}

/// Whether a message leaves this installation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Leaving {
    /// It goes to local recipients, or it is not known to be ours.
    #[default]
    No,
    /// It is ours, and no recipient is local.
    Wholly,
    /// It is ours, and some recipients are local. A milter has one answer for all of them.
    Partly,
}

impl LocalMail {
    /// Whether local domains are configured, so that leaving mail can be known.
    pub fn has_domains(&self) -> bool {
        !self.domains.is_empty()
    }

    pub(super) fn has_address(&self, address: &Address) -> bool {
        self.domains.iter().any(|local| local.matches(address))
    }

    /// Whether the client is one that sends our own mail out.
    pub(super) fn is_own_client(&self, envelope: &Envelope) -> bool {
        envelope
            .client
            .is_some_and(|client| self.networks.iter().any(|network| network.contains(client)))
    }

    /// Whether one of our own messages leaves. An address without a domain belongs to this host.
    pub(super) fn leaving(&self, envelope: &Envelope) -> Leaving {
        let is_local = |recipient: &String| {
            !recipient.contains('@') || self.has_address(&Address::of(recipient))
        };
        let local = envelope.recipients.iter().filter(|recipient| is_local(recipient)).count();
        match local {
            _ if !self.has_domains() => Leaving::No,
            0 if envelope.recipients.is_empty() => Leaving::No,
            0 => Leaving::Wholly,
            local if local == envelope.recipients.len() => Leaving::No,
            _ => Leaving::Partly,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Exemptions, Path, Policies, Profile};
    use super::*;
    use crate::engine;

    fn leaving(domains: &[&str], envelope: Envelope) -> Leaving {
        let local_mail = LocalMail {
            domains: domains.iter().map(|domain| domain.parse().unwrap()).collect(),
            networks: vec!["127.0.0.0/8".parse().unwrap()],
        };
        let exemptions =
            Exemptions { networks: vec!["192.0.2.0/24".parse().unwrap()], ..Exemptions::default() };
        let base = engine::Policy::default();
        Policies::new(base, Profile::Enforce, Vec::new(), exemptions)
            .with_local_mail(local_mail)
            .leaving(&envelope)
    }

    fn to(recipients: &[&str]) -> Envelope {
        let recipients = recipients.iter().map(|&recipient| recipient.to_owned()).collect();
        Envelope { recipients, path: Path::NonSmtpd, ..Envelope::default() }
    }

    #[test]
    fn mail_leaves_when_no_recipient_is_local() {
        for (recipients, expected) in [
            (&["ann@example.net"][..], Leaving::Wholly),
            (&["ann@example.net", "bob@example.com"], Leaving::Wholly),
            (&["ann@example.org"], Leaving::No),
            (&["ann@Lists.EXAMPLE.org"], Leaving::No),
            (&["ann@example.net", "bob@example.org"], Leaving::Partly),
            (&["root"], Leaving::No),
            (&["root", "ann@example.net"], Leaving::Partly),
            (&["ann@notexample.org"], Leaving::Wholly),
            (&[], Leaving::No),
        ] {
            assert_eq!(leaving(&["example.org"], to(recipients)), expected, "{recipients:?}");
            assert_eq!(leaving(&[], to(recipients)), Leaving::No, "no local domains");
        }
    }

    #[test]
    fn mail_leaves_when_it_is_our_own() {
        let smtp = |client: Option<&str>, user: Option<&str>| Envelope {
            path: Path::Smtpd,
            client: client.map(|client| client.parse().unwrap()),
            authenticated: user.map(str::to_owned),
            ..to(&["ann@example.net"])
        };
        for (client, user, expected) in [
            (Some("127.0.0.1"), None, Leaving::Wholly),
            (Some("192.0.2.7"), None, Leaving::Wholly),
            (Some("198.51.100.7"), None, Leaving::No),
            (Some("198.51.100.7"), Some("ann"), Leaving::Wholly),
            (None, None, Leaving::No),
        ] {
            assert_eq!(
                leaving(&["example.org"], smtp(client, user)),
                expected,
                "{client:?} {user:?}"
            );
        }
    }
}
