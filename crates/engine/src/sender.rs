//! The author of the message by its header: the addresses of From, and the mailing list that it came through.

pub mod forwarders;
pub mod mailing_lists;

use std::sync::Arc;

use mail_parser::{HeaderName, Message};

use super::Dmarc;
use super::judging::{Judge, same_domain, serves_offices};
use homograph::claims::{Sender, is_government_site};
use homograph::{HostBounds, Judgement};
use mailing_lists::{is_list_host, list_address, name_after_via};
use uts58::mailto;

/// Maximum number of mailboxes of one field that are checked: honest mail has one author, seldom several.
pub(super) const MAILBOXES: usize = 8;

/// The address of a mailbox.
#[derive(Debug)]
pub(super) struct Mailbox {
    pub local: String,
    pub host: Arc<Judgement>,
}

impl Mailbox {
    /// Reads an address. `None` if it is not one.
    pub fn read(spelled: &str, judge: &mut Judge<'_>) -> Option<Mailbox> {
        if is_no_mailbox(spelled) {
            return None;
        }
        let link = mailto::address(spelled, 0..spelled.len())?;
        let local = link.user.clone().and_then(|user| spelled.get(user)).unwrap_or_default();
        let host = judge.host(&homograph::spelled_host(spelled, &link), HostBounds::Certain);
        Some(Mailbox { local: local.to_owned(), host })
    }
}

/// Whether this is no mailbox although an address is in it. Of `<a@example.org> <b@example.com>` programs show the
/// first or the last address; of `<"a@example.org">`, which has no domain, the quoted text. No server has verified
/// that address.
pub(super) fn is_no_mailbox(spelled: &str) -> bool {
    let signs = |text: &str| memchr::memchr_iter(b'@', text.as_bytes()).take(2).count();
    match spelled.strip_prefix('"') {
        Some(quoted) => {
            quoted.rsplit_once("\"@").map_or(spelled, |(_, domain)| domain).contains('@')
        }
        None => signs(spelled) > 1,
    }
}

/// The author of a message.
#[derive(Debug, Default)]
pub(super) struct Author {
    /// The mailboxes of From that have an address.
    pub mailboxes: Vec<Mailbox>,
    /// The names in From.
    names: Vec<String>,
    /// The host of the mailing list, by its header fields: one that its members do not write, or that DMARC confirms.
    list: Option<Arc<Judgement>>,
}

/// Whose mailbox a field names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// From: the author as shown to the reader. No other field excuses a wrong name.
    Author,
    /// Sender, Reply-To: a service or person that may act for the author.
    Deputy,
}

impl Author {
    pub fn of(message: &Message<'_>, judge: &mut Judge<'_>) -> Author {
        let fields = message.headers().iter().filter(|header| header.name == HeaderName::From);
        let from = fields.filter_map(|header| header.value.as_address());
        let from: Vec<_> = from.flat_map(|addresses| addresses.iter()).take(MAILBOXES).collect();
        let names = from.iter().filter_map(|mailbox| mailbox.name().map(str::to_owned)).collect();
        let mailboxes =
            from.iter().filter_map(|mailbox| Mailbox::read(mailbox.address()?, judge)).collect();
        let list = list_address(message).and_then(|address| Mailbox::read(&address, judge));
        let is_confirmed = |host: &str| judge.dmarc() == Dmarc::Pass && !judge.is_anybodys(host);
        let list =
            list.filter(|list| is_list_host(&list.host.ascii) || is_confirmed(&list.host.ascii));
        Author { mailboxes, names, list: list.map(|list| list.host) }
    }

    /// The name that a display name in front of this mailbox impersonates. Without an address of its own those of From
    /// count.
    pub fn impersonated(
        &self,
        name: &str,
        own: Option<&Mailbox>,
        role: Role,
        judge: &mut Judge<'_>,
    ) -> Option<String> {
        let Some(own) = own else {
            return match self.mailboxes.as_slice() {
                [] => judge.impersonated(name, Sender { local: "", host: "" }),
                mailboxes => {
                    mailboxes.iter().find_map(|from| self.impersonated_at(name, from, judge))
                }
            };
        };
        let target = self.impersonated_at(name, own, judge)?;
        if role == Role::Author {
            return Some(target);
        }
        // From may be forged, and whoever answers writes to that mailbox.
        if judge.dmarc() != Dmarc::Pass && judge.is_anybodys(&own.host.ascii) {
            return Some(target);
        }
        // A service that sends for an author has his name in front of its own address.
        let from = self.mailboxes.iter();
        let is_honest = from
            .filter(|from| from.host.ascii != own.host.ascii)
            .any(|from| self.impersonated_at(name, from, judge).is_none());
        (!is_honest).then_some(target)
    }

    fn is_list(&self, host: &str) -> bool {
        self.list.as_ref().is_some_and(|list| same_domain(&list.ascii, host))
    }

    /// Whether the message came through a list at this host, or one of the recipients' own of which DMARC confirms it:
    /// not all say where to post.
    pub fn writes_through(&self, host: &Judgement, judge: &Judge<'_>) -> bool {
        self.is_list(&host.ascii)
            || judge.dmarc() == Dmarc::Pass && judge.is_recipients(&host.ascii)
    }

    /// Whether a host is of the domain of all mailboxes of From, not everybody can have an address there, and From itself
    /// does not pose.
    pub fn is_honest_at(&self, host: &Judgement, judge: &mut Judge<'_>) -> bool {
        let is_own = |from: &Mailbox| same_domain(&from.host.ascii, &host.ascii);
        judge.dmarc() != Dmarc::Fail
            && self.mailboxes.iter().all(is_own)
            && !judge.is_anybodys(&host.ascii)
            && self.mailboxes.first().is_some_and(|from| {
                let mut names = self.names.iter();
                !names.any(|name| self.impersonated_at(name, from, judge).is_some())
            })
    }

    fn impersonated_at(
        &self,
        name: &str,
        mailbox: &Mailbox,
        judge: &mut Judge<'_>,
    ) -> Option<String> {
        let host = mailbox.host.ascii.as_str();
        if judge.is_recipients(host) {
            return None;
        }
        let name = if self.is_list(host) { name_after_via(name) } else { name };
        let host = if judge.dmarc() == Dmarc::Fail { "" } else { host };
        let target = judge.impersonated(name, Sender { local: &mailbox.local, host })?;
        if judge.is_namesake(host, &target) {
            return None;
        }
        (!serves_offices(host) || !is_government_site(&target)).then_some(target)
    }
}

#[cfg(test)]
mod tests {
    use crate::outcome::Edit;
    use crate::policy::HeaderFields;
    use crate::{Answers, Dmarc, Facts, Message, Policy, Reason, TldTable, Verdict, inspect};

    /// The names that the header impersonates, by its findings.
    fn impersonated(head: &str, facts: &Facts) -> Vec<String> {
        let policy = Policy { header_fields: HeaderFields::Omit, ..Policy::default() };
        let message = Message { head: head.as_bytes(), body: b"" };
        let tlds = TldTable::new(["com", "org", "net"], "");
        let outcome = inspect(message, facts, &policy, &tlds).resolve(&Answers::new());
        assert_eq!((outcome.edits, outcome.head_edits), (vec![], vec![]));
        let findings = outcome.findings.into_iter();
        let posing = findings.filter(|finding| finding.reasons.contains(Reason::DisplayNamePoses));
        posing
            .inspect(|finding| assert_eq!(finding.edit, Edit::Reported))
            .map(|finding| format!("{} {}", finding.place, finding.target.unwrap_or_default()))
            .collect()
    }

    fn of(head: &str) -> Vec<String> {
        impersonated(head, &Facts::default())
    }

    #[test]
    fn a_display_name_before_the_address_of_another_is_impersonation() {
        for (head, found) in [
            ("From: PayPal Service <x@example.org>\n", "header:From paypal.com"),
            (
                "From: =?utf-8?Q?=D1=80=D0=B0=D1=83=D1=80=D0=B0l?= <x@example.org>\n",
                "header:From paypal.com",
            ),
            (
                "From: =?utf-8?Q?=D0?=\n =?utf-8?Q?=A0ayPal?= <x@example.org>\n",
                "header:From paypal.com",
            ),
            ("From: =?iso-2022-kr?Q?PayPal?= <x@example.org>\n", "header:From paypal.com"),
            ("From: =?hz-gb-2312?Q?PayPal?= <x@example.org>\n", "header:From paypal.com"),
            // Without a byte order, of which programs take either.
            ("From: =?utf-16?B?AFAAYQB5AFAAYQBs?= <x@example.org>\n", "header:From paypal.com"),
            ("From: =?utf-16?B?UABhAHkAUABhAGwA?= <x@example.org>\n", "header:From paypal.com"),
            (
                "From: Ann <a@example.org>\nReply-To: Netflix <x@example.net>\n",
                "header:Reply-To netflix.com",
            ),
            ("From: Netflix <>\n", "header:From netflix.com"),
            ("From: \"Netflix\", <x@example.org>\n", "header:From netflix.com"),
            ("From: Ann <a@example.org>, Netflix <x@example.org>\n", "header:From netflix.com"),
            ("From: Netflix <x@example.org>, <info@netflix.com>\n", "header:From netflix.com"),
            ("From: Netflix <x@example.org> <info@netflix.com>\n", "header:From netflix.com"),
            ("From: Netflix <info@netflix.com> <x@example.org>\n", "header:From netflix.com"),
            // The name of a group stands where that of a mailbox does.
            ("From: Netflix: x@example.org;\n", "header:From netflix.com"),
            ("From: Netflix: x@example.org, Ann <a@example.org>;\n", "header:From netflix.com"),
            ("From: Netflix:;\n", "header:From netflix.com"),
            // A name neither quoted nor before angle brackets.
            ("From: Netflix Billing x@example.org\n", "header:From netflix.com"),
            ("From: x@example.org Netflix\n", "header:From netflix.com"),
            // Decoders pass over what is no base64.
            ("From: =?utf-8?B?TmV0!Zmx!peA==?= <x@example.org>\n", "header:From netflix.com"),
            ("From: Pay=?utf-8?Q?Pal?= Service <x@example.org>\n", "header:From paypal.com"),
            (
                "From: \u{2067}\u{2066} Service\u{2069}\u{2066}Pal\u{2069}\u{2066}Pay\u{2069}\u{2069} <x@example.org>\n",
                "header:From paypal.com",
            ),
        ] {
            assert_eq!(of(head), [found], "{head}");
        }
    }

    /// Programs show the first author alone.
    #[test]
    fn the_first_of_several_authors_is_not_to_be_a_known_organisation() {
        let pass = Facts { dmarc: Dmarc::Pass, ..Facts::default() };
        for head in [
            "From: PayPal <service@paypal.com>, Ann <x@example.org>\nSender: x@example.org\n",
            "From: service@paypal.com, info@paypal.com, x@example.org\n",
            "From: Authors: service@paypal.com, x@example.org;\n",
            "From: PayPal <service@paypal.com>\nFrom: Ann <x@example.org>\n",
        ] {
            assert_eq!(of(head), ["header:From paypal.com"], "{head}");
            assert_eq!(impersonated(head, &pass), [""; 0], "{head}");
        }
        for head in [
            "From: service@paypal.com, x@paypal.co.uk, info@mail.paypal.com\n",
            "From: x@example.org, service@paypal.com\n",
            "From: ann@gmail.com, x@example.org\n",
            "From: ann@example.net, x@example.org\n",
            "From: service@paypal.com\nSender: x@example.org\n",
        ] {
            assert_eq!(of(head), [""; 0], "{head}");
        }
    }

    fn verdict_of(head: &str) -> Verdict {
        let message = Message { head: head.as_bytes(), body: b"" };
        let tlds = TldTable::new(["com", "org", "net", "fr", "gov"], "");
        let (facts, policy) = (Facts::default(), Policy::default());
        inspect(message, &facts, &policy, &tlds).resolve(&Answers::new()).verdict
    }

    #[test]
    fn a_host_as_a_name_may_be_of_the_same_owner() {
        for from in
            ["\"Impots.gouv.fr\" <x@dgfip.finances.gouv.fr>", "\"facebook.com\" <x@meta.com>"]
        {
            assert!(verdict_of(&format!("From: {from}\n")) < Verdict::Suspect, "{from}");
        }
        let other = "From: \"Impots.gouv.fr\" <x@finances-gouv.com>\n";
        assert_eq!(verdict_of(other), Verdict::Suspect);
    }

    #[test]
    fn the_site_of_a_government_is_no_name_of_others() {
        for from in ["\"www.healthcare.gov\" <x@example.org>", "DMV.ny.gov <x@example.org>"] {
            assert_eq!(verdict_of(&format!("From: {from}\n")), Verdict::Suspect, "{from}");
        }
        for from in [
            "\"www.healthcare.gov\" <x@hhs.gov>",
            "\"www.healthcare.gov\" <x@public.govdelivery.com>",
            "\"www.healthcare.example\" <x@example.org>",
        ] {
            assert!(verdict_of(&format!("From: {from}\n")) < Verdict::Suspect, "{from}");
        }
    }

    #[test]
    fn invalid_addresses_are_reported() {
        for from in [
            "<service@paypal.com> <x@example.org>",
            "Ann <a@b.com> <x@example.org>",
            "Ann <\"a@b.com\">",
            "<\"a@b.com\"@b.com@example.org>",
            "Ann <x@<a@b.com>",
        ] {
            assert_eq!(verdict_of(&format!("From: {from}\n")), Verdict::Suspect, "{from}");
        }
        for from in ["<a@b.com>, <x@example.org>", "\"a@b\"@example.org", "\"a@b.com\" <a@b.com>"] {
            assert!(verdict_of(&format!("From: {from}\n")) < Verdict::Suspect, "{from}");
        }
        assert!(verdict_of("From: a@b.com\nTo: <a@b.com> <x@example.org>\n") < Verdict::Suspect);
    }

    /// Programs show an address in the name as that of the sender.
    #[test]
    fn an_address_in_a_name_without_one_is_reported() {
        for from in [
            "=?utf-8?Q?PayPal_Service_=3Cservice=40paypal.com=3E?=",
            "=?utf-8?Q?service=40paypal.com?=",
            "\"PayPal Service <service@paypal.com>\"",
            "\"service@paypal.com\"",
        ] {
            assert_eq!(suspect(&format!("From: {from}\n")).len(), 1, "{from}");
        }
        for head in [
            "From: Ann\n",
            "From: \"Ann @ Home\"\n",
            "From: ann@example.org\n",
            "From: a@example.org\nTo: \"service@paypal.com\"\n",
        ] {
            assert_eq!(suspect(head), [""; 0], "{head}");
        }
    }

    /// The sender can write the fields of a list as well as the name.
    #[test]
    fn a_list_address_does_not_excuse_a_protected_name() {
        let post = "List-Post: <mailto:x@example.org>\n";
        for name in ["Olivia PayPal", "Ann via PayPal", "PayPal", "Via PayPal"] {
            let head = format!("From: {name} <x@example.org>\n{post}");
            assert_eq!(of(&head), ["header:From paypal.com"], "{name}");
        }
    }

    #[test]
    fn a_project_may_have_its_name_where_the_author_is_answered() {
        for head in [
            "From: Ann <notifications@example.org>\nReply-To: facebook/react <reply+1@reply.example.org>\n",
            "From: Ann <gitlab@mg.example.org>\nReply-To: Harbour / PayPal App <a@incoming.example.org>\n",
            "From: Ann <ann@example.org>\nReply-To: Amazon-Team <team@example.org>\n",
            "From: Ann <ann@example.org>\nReply-To: harbour/paypal.com <reply@example.org>\n",
        ] {
            assert_eq!(suspect(head), [""; 0], "{head}");
            let fail = Facts { dmarc: Dmarc::Fail, ..Facts::default() };
            assert!(head.contains("paypal.com") || !impersonated(head, &fail).is_empty(), "{head}");
        }
        for head in [
            "From: Netflix <a@example.org>\nReply-To: Ann <x@example.org>\n",
            "From: Ann <a@example.org>\nReply-To: Netflix <x@example.net>\n",
            "From: Ann <a@example.org>\nReply-To: netflix.com <x@example.net>\n",
            "From: Ann <a@example.org>, b@example.net\nReply-To: Netflix <x@example.net>\n",
            "From: Ann <a@example.org>\nSender: Netflix <x@example.org>\n",
            "From: Ann <ann@gmail.com>\nReply-To: Netflix <netflix1@gmail.com>\n",
            "From: Ann <ann@one.github.io>\nReply-To: Netflix <x@other.github.io>\n",
            "Reply-To: Netflix <x@example.org>\n",
        ] {
            assert!(!suspect(head).is_empty(), "{head}");
        }
        let both = "From: Netflix <a@example.org>\nReply-To: Netflix Team <x@example.org>\n";
        assert_eq!(suspect(both).len(), 2);
    }

    /// The address of From may be forged, and answers go elsewhere.
    #[test]
    fn an_organisation_is_not_answered_where_anybody_has_a_mailbox() {
        let from = "From: PayPal <service@paypal.com>\n";
        let head = format!("{from}Reply-To: PayPal Support <paypal.service@gmail.com>\n");
        assert_eq!(of(&head), ["header:Reply-To paypal.com"]);
        let pass = Facts { dmarc: Dmarc::Pass, ..Facts::default() };
        assert_eq!(impersonated(&head, &pass), [""; 0]);
        let seller = format!("{from}Reply-To: Ann Miller <ann.miller@gmail.com>\n");
        assert_eq!(of(&seller), [""; 0]);
    }

    #[test]
    fn the_address_of_a_list_is_read_as_a_url() {
        for post in [
            "<mailto:dev@example.org>",
            "<MAILTO:dev@lists.example.org?subject=a@b.example>",
            "<https://example.net/@x>, <mailto:dev@example.org> (say @x first)",
            "<mailto:dev%40example.org>",
        ] {
            let head = format!("From: PayPal via dev <dev@example.org>\nList-Post: {post}\n");
            let pass = Facts { dmarc: Dmarc::Pass, ..Facts::default() };
            assert_eq!(impersonated(&head, &pass), [""; 0], "{post}");
            assert_eq!(of(&head), ["header:From paypal.com"], "anybody writes that: {post}");
        }
        let head = "From: PayPal via dev <dev@example.org>\nList-Post: NO (@example.org)\n";
        assert_eq!(of(head), ["header:From paypal.com"]);
    }

    #[test]
    fn owners_services_and_lists_do_not_impersonate() {
        for head in [
            "From: PayPal <service@paypal.com>\n",
            "From: PayPal <service@mail.paypal.co.uk>\n",
            "From: Ann <ann@example.org>\nTo: PayPal <x@example.org>\n",
            "From: PayPal <service@paypal.com>\nSender: PayPal <b@mailer.example.net>\n",
            "From: PayPal <service@paypal.com>\nReply-To: PayPal <b@mailer.example.net>\n",
            "From: GitHub via dev <dev@googlegroups.com>\nList-Post: <mailto:dev@googlegroups.com>\n",
            "From: Ann Schwab <ann@example.org>\n",
            "From: Netflix: info@netflix.com;\n",
            "From: Netflix Billing info@netflix.com\n",
            "From: =?utf-8?B?TmV0!Zmx!peA==?= <info@netflix.com>\n",
            "From: dhl@example.org\n",
        ] {
            assert_eq!(of(head), Vec::<String>::new(), "{head}");
        }
    }

    #[test]
    fn the_recipients_own_name_counts_and_its_own_addresses_do_not() {
        let domains = vec!["harbour.org".to_owned()];
        let facts = Facts { recipient_domains: domains, ..Facts::default() };
        let found = impersonated("From: Harbour Helpdesk <x@example.net>\n", &facts);
        assert_eq!(found, ["header:From harbour.org"]);
        let own = "From: Harbour Helpdesk <x@harbour.org>\n";
        assert_eq!(impersonated(own, &facts), Vec::<String>::new());
        let forwarded = "From: PayPal via Billing <billing@harbour.org>\n";
        assert_eq!(impersonated(forwarded, &facts), Vec::<String>::new());
        let two_mailboxes = "From: PayPal <x@example.net>, <bob@harbour.org>\n";
        assert_eq!(impersonated(two_mailboxes, &facts), ["header:From paypal.com"]);
        for free in ["gmail.com", "hotmail.fr", "yahoo.co.uk"] {
            let facts = Facts { recipient_domains: vec![free.to_owned()], ..Facts::default() };
            let found = impersonated(&format!("From: PayPal <x@{free}>\n"), &facts);
            assert_eq!(found, ["header:From paypal.com"], "{free}");
        }
    }

    #[test]
    fn an_address_that_failed_dmarc_does_not_count() {
        let head = "From: PayPal <service@paypal.com>\n";
        for (dmarc, found) in [
            (Dmarc::Unknown, vec![]),
            (Dmarc::Pass, vec![]),
            (Dmarc::Fail, vec!["header:From paypal.com"]),
        ] {
            assert_eq!(
                impersonated(head, &Facts { dmarc, ..Facts::default() }),
                found,
                "{dmarc:?}"
            );
        }
    }

    /// The look-alike letters found in the header.
    fn disguised(head: &str, dmarc: Dmarc) -> Vec<String> {
        let policy = Policy { header_fields: HeaderFields::Omit, ..Policy::default() };
        let message = Message { head: head.as_bytes(), body: b"" };
        let tlds = TldTable::new(["com", "org", "net"], "");
        let facts = Facts { dmarc, ..Facts::default() };
        let outcome = inspect(message, &facts, &policy, &tlds).resolve(&Answers::new());
        assert_eq!((outcome.edits, outcome.head_edits), (vec![], vec![]));
        let findings = outcome.findings.into_iter();
        let disguised = findings.filter(|finding| finding.reasons.contains(Reason::TextLookalike));
        disguised
            .map(|finding| {
                let name = finding.target.unwrap_or_default();
                format!("{} {} {} {name}", finding.place, finding.verdict, finding.spelling)
            })
            .collect()
    }

    #[test]
    fn words_in_lookalike_letters_are_reported_in_shown_fields() {
        for (head, found) in [
            ("Subject: РауРаl: your account\n", "header:Subject suspect РауРаl paypal.com"),
            ("Subject: 𝗣𝗮𝘆𝗣𝗮𝗹\n", "header:Subject suspect 𝗣𝗮𝘆𝗣𝗮𝗹 paypal.com"),
            ("Subject: Wikipediа news\n", "header:Subject suspect Wikipediа wikipedia.com"),
            ("Subject: Your аccount\n", "header:Subject suspect аccount "),
            ("Subject: Анализ на СOVID-19 готов\n", "header:Subject notice СOVID "),
            ("Subject: СOVID-19 справка\n", "header:Subject notice СOVID "),
            ("Subject: Ваш РayРal готов сегодня\n", "header:Subject suspect РayРal paypal.com"),
            ("Subject: Ваш аccount\n", "header:Subject suspect аccount "),
            (
                "Subject: =?utf-8?B?0KDQsNGD0KDQsGw=?= order\n",
                "header:Subject suspect РауРаl paypal.com",
            ),
            (
                "From: =?utf-8?Q?=D1=80=D0=B0=D1=83=D1=80=D0=B0l?= <x@example.org>\n",
                "header:From suspect раураl paypal.com",
            ),
            ("From: Аccounts <x@example.org>\n", "header:From suspect Аccounts "),
            (
                "Subject: =?ucs-2?B?BDAAYwBjAG8AdQBuAHQ=?=\n",
                "header:Subject suspect \u{430}ccount ",
            ),
            (
                "Reply-To: Wikipediа <x@example.org>\n",
                "header:Reply-To suspect Wikipediа wikipedia.com",
            ),
        ] {
            assert_eq!(disguised(head, Dmarc::Unknown), [found], "{head}");
        }
        let split = "Subject: =?utf-8?B?0KDQsNGD0A==?= =?utf-8?B?oNCwbA==?=\n";
        let found = disguised(split, Dmarc::Unknown);
        assert_eq!(found, ["header:Subject suspect РауРаl paypal.com"], "half a letter a word");
        for head in [
            "Subject: PayPal: your account\n",
            "Subject: Привет, мир\n",
            "To: РауРаl <x@example.org>\n",
            "X-Subject: РауРаl\n",
        ] {
            assert_eq!(disguised(head, Dmarc::Unknown), Vec::<String>::new(), "{head}");
        }
        let own = "From: service@paypal.com\nSubject: 𝗣𝗮𝘆𝗣𝗮𝗹\n";
        let word = ["header:Subject notice 𝗣𝗮𝘆𝗣𝗮𝗹 "];
        assert_eq!(disguised(own, Dmarc::Pass), word);
        let name = ["header:Subject suspect 𝗣𝗮𝘆𝗣𝗮𝗹 paypal.com"];
        assert_eq!(disguised(own, Dmarc::Unknown), name, "anybody writes that");
    }

    /// The findings of suspect or worse.
    fn suspect(head: &str) -> Vec<String> {
        let policy = Policy { header_fields: HeaderFields::Omit, ..Policy::default() };
        let message = Message { head: head.as_bytes(), body: b"" };
        let tlds = TldTable::new(["com", "org", "net", "fr", "gov"], "");
        let outcome = inspect(message, &Facts::default(), &policy, &tlds).resolve(&Answers::new());
        assert_eq!((outcome.edits, outcome.head_edits), (vec![], vec![]));
        let findings = outcome.findings.into_iter();
        let suspect = findings.filter(|finding| finding.verdict >= Verdict::Suspect);
        suspect
            .map(|finding| {
                let codes: Vec<_> = finding.reasons.iter().map(Reason::code).collect();
                format!("{} {} {}", finding.place, codes.join(" "), finding.spelling)
            })
            .collect()
    }

    #[test]
    fn a_subject_that_is_turned_or_divided_is_reported() {
        for (head, found) in [
            (
                "Subject: \u{202e}tnuocca lapyaP ruoY\n",
                "header:Subject bidi-control Your Paypal account",
            ),
            (
                "Subject: Your \u{2067}Pal\u{200f}Pay\u{2069} account\n",
                "header:Subject bidi-control Your PayPal account",
            ),
            ("Subject: your ac\u{200b}count\n", "header:Subject text-lookalike account"),
            ("Subject: Your Pay\u{ad}Pal\n", "header:Subject text-lookalike PayPal"),
        ] {
            assert_eq!(suspect(head), [found], "{head:?}");
        }
        for head in [
            "Subject: \u{202e}םולש\n",
            "Subject: \u{202b}שלום Example\u{202c} News\n",
            "Subject: \u{2067}עדכון iPhone\u{200f}, iPad\u{2069}\n",
            "Subject: \u{2068}Ann\u{2069} shared \u{2068}a.pdf\u{2069}\n",
            "Subject: \u{202a}Example\u{202c}\n",
            "Subject: in\u{ad}for\u{ad}ma\u{ad}tion\n",
        ] {
            assert_eq!(suspect(head), [""; 0], "{head:?}");
        }
    }

    #[test]
    fn dots_of_other_scripts_end_labels_of_a_host_in_a_name() {
        for dot in [
            "\u{a4f8}", "\u{701}", "\u{702}", "\u{a60e}", "\u{10a50}", "\u{1d16d}", "\u{fe52}",
            "\u{2e33}",
        ] {
            let found = suspect(&format!("From: service@paypal{dot}com <x@example.org>\n"));
            assert!(found.iter().any(|it| it.contains("display-name-host")), "{dot:?} {found:?}");
        }
    }

    #[test]
    fn the_host_of_an_owner_may_stand_before_another_of_his() {
        let head = "From: Impots.gouv.fr <x@dgfip.finances.gouv.fr>\n";
        assert_eq!(suspect(head), [""; 0]);
        assert!(!suspect("From: Impots.gouv.fr <x@example.org>\n").is_empty());
    }

    #[test]
    fn mailboxes_are_bounded() {
        let many = "Netflix <x@example.org>, ".repeat(1_000);
        assert_eq!(of(&format!("From: {many}\n")).len(), super::MAILBOXES);
    }
}
