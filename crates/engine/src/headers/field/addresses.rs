//! What the sender's addresses say by themselves: one that reads like another of the header, and a site in the local part.

use std::sync::Arc;

use mail_parser::HeaderValue;

use super::super::has_other_address;
use super::{FieldReader, REPLY_TO, SENDERS, mailboxes};
use crate::judging::Judged;
use crate::outcome::{Reason, Verdict};
use crate::sender::{MAILBOXES, Mailbox};
use homograph::{Judgement, Section, registrable};

impl FieldReader<'_, '_, '_, '_> {
    /// Reports addresses whose host is made to be taken for that of From, and those that programs show without a name
    /// and that begin with a known site.
    pub fn report_addresses(&mut self, value: &HeaderValue<'_>) {
        let HeaderValue::Address(addresses) = value else { return };
        if !self.is_of_sender() && !has_other_address(self.field.name.as_bytes()) {
            return;
        }
        for (name, address) in mailboxes(addresses).take(MAILBOXES) {
            let spelled = address.unwrap_or_default();
            let Some(own) = Mailbox::read(spelled, self.judge) else { continue };
            let mut judged = Judged::of_text(Arc::clone(&own.host));
            let is_bare = name.is_none_or(|name| name.trim().is_empty());
            let target = match is_bare.then(|| self.site_in_local_part(&own)).flatten() {
                Some(site) => {
                    judged.add(Reason::DisplayNamePoses);
                    site
                }
                None => {
                    let Some(twin) = self.twin_of(&own) else { continue };
                    judged.add_with(Reason::TargetLookalike, Verdict::Suspect);
                    twin
                }
            };
            self.push_as(spelled, &judged, Some(target));
        }
    }

    /// Whether it is a Reply-To at the author's own domain. Programs show the name of it to nobody before he answers,
    /// and the answer goes where it would go without: trackers of issues have the name of a project there.
    pub(super) fn is_answer_to_author(&mut self, own: &Judgement) -> bool {
        self.field.name.eq_ignore_ascii_case(REPLY_TO) && self.author.is_honest_at(own, self.judge)
    }

    /// The host of From that this one of another field reads like.
    fn twin_of(&self, own: &Mailbox) -> Option<String> {
        if self.field.name.eq_ignore_ascii_case(SENDERS[0]) {
            return None;
        }
        let mut hosts = self.author.mailboxes.iter().map(|from| &from.host);
        let twin = hosts.find(|from| self.judge.are_twins(from, &own.host));
        twin.map(|from| from.ascii.clone())
    }

    /// The protected site that a local part ends with, alone or behind a hyphen, an underscore or a dot:
    /// `service.paypal.com@`. What writes the address of another into its own has an equals sign.
    fn site_in_local_part(&self, own: &Mailbox) -> Option<String> {
        let local = own.local.to_ascii_lowercase();
        let site = local.rsplit(['-', '_', '+']).next().filter(|_| !local.contains('='))?;
        let site = registrable(site, Section::Icann)?;
        let is_own = self.judge.are_of_one_owner(site, &own.host.ascii);
        (!is_own && self.judge.is_protected(site)).then(|| site.to_owned())
    }
}

#[cfg(test)]
mod tests {
    use crate::{Answers, Facts, Message, Policy, Reason, TldTable, Verdict, inspect};

    fn found(head: &str) -> Vec<String> {
        let message = Message { head: head.as_bytes(), body: b"" };
        let tlds = TldTable::new(["com", "org", "net", "co"], "");
        let (facts, policy) = (Facts::default(), Policy::default());
        let outcome = inspect(message, &facts, &policy, &tlds).resolve(&Answers::new());
        let findings = outcome.findings.into_iter();
        let suspect = findings.filter(|finding| finding.verdict >= Verdict::Suspect);
        let said = suspect.map(|finding| {
            let codes: Vec<_> = finding.reasons.iter().map(Reason::code).collect();
            format!("{} {} {}", finding.place, codes.join(" "), finding.target.unwrap_or_default())
        });
        said.collect()
    }

    #[test]
    fn addresses_that_read_like_that_of_the_author() {
        for (field, other) in [
            ("Reply-To", "ann@meridian-suppIies.com"),
            ("Reply-To", "ann@rneridian-supplies.com"),
            ("Sender", "ann@m\u{435}ridian-supplies.com"),
        ] {
            let head = format!("From: Ann <ann@meridian-supplies.com>\n{field}: Ann <{other}>\n");
            let expected = format!("header:{field} target-lookalike meridian-supplies.com");
            assert!(found(&head).contains(&expected), "{head} {:?}", found(&head));
        }
        let name = "From: \"ann@meridian-supplies.com\" <ann@meridian-suppIies.com>\n";
        assert_eq!(found(name), ["header:From display-name-host "]);
        for other in
            ["meridiansupplies.com", "meridian-supply.com", "meridian-supplies.org", "example.net"]
        {
            let head = format!("From: Ann <ann@meridian-supplies.com>\nReply-To: ann@{other}\n");
            assert_eq!(found(&head), [""; 0], "{head}");
        }
    }

    #[test]
    fn fields_that_programs_write_to_are_read_as_reply_to_is() {
        for field in [
            "Author",
            "Disposition-Notification-To",
            "mail-followup-to",
            "Mail-Reply-To",
            "Resent-Reply-To",
            "RETURN-RECEIPT-TO",
            "X-Original-From",
        ] {
            for list in ["", "List-Post: <mailto:dev@example.org>\n"] {
                let head = |address: &str| {
                    format!("From: Ann <ann@meridian-supplies.com>\n{list}{field}: {address}\n")
                };
                let disguised = found(&head("Ann <service@xn--80ak6aa92e.com>"));
                let [found_one] = disguised.as_slice() else { panic!("{field}: {disguised:?}") };
                assert!(found_one.ends_with("apple.com"), "{found_one}");
                let twin = found(&head("<ann@meridian-suppIies.com>"));
                let [found_one] = twin.as_slice() else { panic!("{field}: {twin:?}") };
                assert!(found_one.ends_with("target-lookalike meridian-supplies.com"), "{twin:?}");
                for fine in ["PayPal <ann@example.org>", "ann@example.org, <b@example.net>", "Ann"]
                {
                    assert_eq!(found(&head(fine)), [""; 0], "{field} {fine}");
                }
            }
        }
    }

    #[test]
    fn a_site_in_the_local_part_poses() {
        for local in [
            "paypal.com",
            "service.paypal.com",
            "www.PayPal.com",
            "noreply-paypal.com",
            "service_paypal.com",
        ] {
            let head = format!("From: {local}@example.net\n");
            assert_eq!(found(&head), ["header:From display-name-poses paypal.com"], "{head}");
        }
        for from in [
            "service=paypal.com@example.net",
            "paypal@example.net",
            "ann.example.org@gmail.com",
            "service.paypal.com@mail.paypal.com",
            "service_at_paypal.com_ann@duck.com",
            "paypal.community@example.net",
            "Ann <paypal.com@example.net>",
        ] {
            assert_eq!(found(&format!("From: {from}\n")), [""; 0], "{from}");
        }
    }
}
