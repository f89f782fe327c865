//! What the sender's addresses say by themselves: one that reads like another of the header, and a site in the local part.

use std::sync::Arc;

use mail_parser::HeaderValue;

use super::super::has_other_address;
use super::{FieldReader, REPLY_TO, SENDERS, mailboxes};
use crate::Dmarc;
use crate::judging::{Judged, Nearness};
use crate::outcome::{Reason, Verdict};
use crate::sender::{MAILBOXES, Mailbox};
use homograph::{Judgement, Section, registrable};

/// The fields that name those who were written to.
const RECIPIENTS: [&str; 3] = ["To", "Cc", "Bcc"];

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
                    let Some((author, least)) = self.near_author(&own) else { continue };
                    judged.add_with(Reason::TargetLookalike, least);
                    author
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

    /// The host of From that this one of another field is made to be taken for, and the verdict on it. Few firms have a
    /// second domain one letter away, and DMARC says that the first one is the author's: that is no more than a notice,
    /// unless the same person seems to have both addresses.
    fn near_author(&mut self, own: &Mailbox) -> Option<(String, Verdict)> {
        if self.field.name.eq_ignore_ascii_case(SENDERS[0]) {
            return None;
        }
        let mailboxes = &self.author.mailboxes;
        let near = mailboxes.iter().filter_map(|from| {
            let nearness = self.judge.nearness(&own.host, &from.host)?;
            let is_same_person = from.local.eq_ignore_ascii_case(&own.local);
            let misleads = is_same_person && self.judge.dmarc() != Dmarc::Pass;
            let least = match nearness {
                Nearness::Posing => Verdict::Suspect,
                Nearness::Slip if misleads => Verdict::Suspect,
                Nearness::Slip | Nearness::Country => Verdict::Notice,
            };
            Some((from.host.ascii.clone(), least))
        });
        near.max_by_key(|(_, least)| *least)
    }

    /// Adds to an address of a recipient that it is made to be taken for that of the author: who answers to all writes
    /// there as well.
    pub(super) fn check_recipient(&mut self, judged: &mut Judged) -> Option<String> {
        let is_recipients =
            RECIPIENTS.iter().any(|known| self.field.name.eq_ignore_ascii_case(known));
        let host = judged.host.clone().filter(|_| is_recipients)?;
        let (author, nearness) = self.judge.near_author(&host)?;
        judged.add_with(Reason::TargetLookalike, nearness.verdict());
        Some(author)
    }

    /// The protected site that a local part ends with, alone or behind a hyphen, an underscore or a dot:
    /// `service.paypal.com@`. What writes the address of another into its own has an equals sign.
    fn site_in_local_part(&self, own: &Mailbox) -> Option<String> {
        let local = own.local.to_ascii_lowercase();
        let site = local.rsplit(['-', '_', '+']).next().filter(|_| !local.contains('='))?;
        let site = registrable(site, Section::Icann)?;
        let is_own = self.judge.are_of_one_owner(site, &own.host.ascii);
        let is_known =
            || self.judge.is_protected(site) || self.judge.writes_out_own(site, &own.host.ascii);
        (!is_own && is_known()).then(|| site.to_owned())
    }
}

#[cfg(test)]
mod tests {
    use crate::inspect;
    use crate::outcome::Place;
    use crate::{Answers, Dmarc, Facts, Message, Outcome, Policy, Reason, TldTable, Verdict};

    fn outcome(head: &str, facts: &Facts) -> Outcome {
        let message = Message { head: head.as_bytes(), body: b"" };
        let tlds = TldTable::new(["cam", "cm", "co", "com", "net", "org", "ru", "uk"], "");
        inspect(message, facts, &Policy::default(), &tlds).resolve(&Answers::new())
    }

    fn found(head: &str) -> Vec<String> {
        let findings = outcome(head, &Facts::default()).findings.into_iter();
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

    /// The verdict on a message of `ann@harbourmarine.com` with such a field.
    fn verdict(field: &str, facts: &Facts) -> Verdict {
        outcome(&format!("From: Ann <ann@harbourmarine.com>\n{field}\n"), facts).verdict
    }

    #[test]
    fn what_comes_near_the_domain_of_the_author() {
        for (host, answers, copies) in [
            ("harbourrnarine.com", Verdict::Suspect, Verdict::Suspect),
            ("harb0urmarine.com", Verdict::Suspect, Verdict::Suspect),
            ("harbọurmarine.com", Verdict::Suspect, Verdict::Suspect),
            ("harbourmarine.com.evilhost.ru", Verdict::Suspect, Verdict::Suspect),
            ("www.harbourmarine.com.evilhost.ru", Verdict::Suspect, Verdict::Suspect),
            ("harbourmarine-login.com", Verdict::Suspect, Verdict::Suspect),
            ("harbourrmarine.com", Verdict::Suspect, Verdict::Notice),
            ("habrourmarine.com", Verdict::Suspect, Verdict::Notice),
            ("mail.harbormarine.com", Verdict::Suspect, Verdict::Notice),
            ("harbourmarine.cam", Verdict::Suspect, Verdict::Notice),
            ("harbourmarine-com.evilhost.ru", Verdict::Suspect, Verdict::Notice),
            ("harbourmarine.cm", Verdict::Notice, Verdict::Notice),
            ("mail.harbourmarine.com", Verdict::Ok, Verdict::Ok),
            ("harbour-marine.com", Verdict::Ok, Verdict::Ok),
            ("harbourmarines.com", Verdict::Ok, Verdict::Ok),
            ("harbourmarine.co", Verdict::Ok, Verdict::Ok),
            ("harbourmarine.co.uk", Verdict::Ok, Verdict::Ok),
            ("harbourmarine.org", Verdict::Ok, Verdict::Ok),
            ("harbourmarine-group.com", Verdict::Ok, Verdict::Ok),
            ("harbourmarine.com.edgekey.net", Verdict::Ok, Verdict::Ok),
        ] {
            let at =
                |field: &str| verdict(&format!("{field}: Ann <ann@{host}>"), &Facts::default());
            assert_eq!(at("Reply-To"), answers, "{host}");
            assert_eq!(at("Cc"), copies, "{host}");
            assert_eq!(at("To"), copies, "{host}");
            // Another person, and an author whom DMARC confirms, may have an address at a second domain.
            let other = format!("Reply-To: bob@{host}");
            assert_eq!(verdict(&other, &Facts::default()), copies, "{host}");
            let pass = Facts { dmarc: Dmarc::Pass, ..Facts::default() };
            assert_eq!(verdict(&format!("Reply-To: ann@{host}"), &pass), copies, "{host}");
        }
    }

    #[test]
    fn readers_are_at_their_own_domain_whatever_it_reads_like() {
        let is_found = |domains: &[&str]| {
            let recipient_domains = domains.iter().map(|domain| (*domain).to_owned()).collect();
            let facts = Facts { recipient_domains, ..Facts::default() };
            let head = "From: ann@harbourmarine.com\nTo: bob@harb0urmarine.com\n";
            let to = Place::Header("To".to_owned());
            outcome(head, &facts).findings.iter().any(|one| one.place == to)
        };
        assert!(!is_found(&["harb0urmarine.com"]));
        assert!(is_found(&[]));
    }

    #[test]
    fn an_address_that_has_the_one_of_its_name_in_front_is_suspect() {
        for (host, least) in [
            ("harbourmarine.com.evilhost.ru", Verdict::Suspect),
            ("harbourmarine-login.com", Verdict::Suspect),
            ("harbourrnarine.com", Verdict::Suspect),
            ("harbour-marine.com", Verdict::Notice),
            ("mail.harbourmarine.com", Verdict::Ok),
        ] {
            let head = format!("From: \"ann@harbourmarine.com\" <ann@{host}>\n");
            assert_eq!(outcome(&head, &Facts::default()).verdict, least, "{host}");
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
            "paypal.com", "service.paypal.com", "www.PayPal.com", "noreply-paypal.com",
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
