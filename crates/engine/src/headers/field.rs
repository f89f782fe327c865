//! Reads one header field: its links and addresses, and names that impersonate others.

mod addresses;

use std::borrow::Cow;
use std::collections::HashSet;
use std::ops::Range;
use std::sync::Arc;

use mail_parser::{Addr, Address, Group, HeaderValue, MessageParser};

use super::SUBJECT;
use super::words::{decoded, holds};
use crate::Dmarc;
use crate::budget::Budget;
use crate::cost::Stage;
use crate::finding::{Candidate, Findings, finding_of};
use crate::flags;
use crate::judging::{Judge, Judged, Title, serves_offices, without_links};
use crate::outcome::{Place, Reason, Verdict};
use crate::policy::{Policy, Report};
use crate::sender::forwarders;
use crate::sender::mailing_lists::before_via;
use crate::sender::{Author, MAILBOXES, Mailbox, Role, is_no_mailbox};
use homograph::claims::{Disguise, Sender, is_government_site};
use homograph::{HostBounds, Judgement};
use maillinks::{SeenBy, bidi};
use mailsplice::mime::Charset;
use uts58::unicode::hosts::is_bidi_control;
use uts58::unicode::is_dot_to_somebody;
use uts58::{Boundaries, Kind, Link, Linkifier, mailto, scheme};

/// The fields that name the sender.
const SENDERS: [&str; 3] = ["From", "Sender", REPLY_TO];

const REPLY_TO: &str = "Reply-To";

/// Whether a link with a scheme may be in a text: base64 has many slashes, and no colon.
fn may_hold_scheme(text: &str) -> bool {
    memchr::memchr(b':', text.as_bytes()).is_some() && holds(text.as_bytes(), b"//")
}

/// Whether the name of a field is that of a scheme that clients link.
fn is_scheme(name: &str) -> bool {
    scheme::linked_at_end(name).is_some_and(|scheme| scheme.name.len() == name.len())
}

/// The names of groups and of mailboxes, each with the address behind it.
fn mailboxes<'a>(
    addresses: &'a Address<'_>,
) -> impl Iterator<Item = (Option<&'a str>, Option<&'a str>)> {
    fn of<'a>(address: &'a Addr<'_>) -> (Option<&'a str>, Option<&'a str>) {
        (address.name.as_deref(), address.address.as_deref())
    }
    let (list, groups) = match addresses {
        Address::List(list) => (list.as_slice(), [].as_slice()),
        Address::Group(groups) => ([].as_slice(), groups.as_slice()),
    };
    let in_groups = groups.iter().flat_map(|group| {
        let first = group.addresses.first().and_then(|first| first.address.as_deref());
        let group_name = group.name.as_deref().map(|name| (Some(name), first));
        group_name.into_iter().chain(group.addresses.iter().map(of))
    });
    list.iter().map(of).chain(in_groups)
}

/// A display name as it is shown: words that are encoded inside others are decoded, and what is turned or reads as a
/// dot is what it reads as.
fn shown_name(name: &str) -> Cow<'_, str> {
    let name = decoded(name);
    if name.is_ascii() {
        return name;
    }
    let dot = |c| if homograph::claims::reads_as_dot(c) { '.' } else { c };
    Cow::Owned(flags::as_letters(&bidi::shown(&name)).chars().map(dot).collect())
}

/// Whether a name gives a mail address for a host, as forms and mailing lists name who wrote: `ann at example.org`.
fn is_of_person(name: &str, link: &Link) -> bool {
    let local = |c: char| matches!(c, 'a'..='z' | '0'..='9' | '.' | '_' | '+' | '-');
    let before = name.get(..link.span.start).and_then(|name| name.strip_suffix(" at "));
    link.kind == Kind::Email
        || before.is_some_and(|name| !name.is_empty() && name.chars().all(local))
}

/// The words beside the address where a name is neither quoted nor before angle brackets, and the address:
/// `PayPal Service x@example.org`.
fn beside_address(spelled: &str) -> Option<(String, &str)> {
    let words = || spelled.split_whitespace();
    let mut addresses = words().filter(|word| word.contains('@'));
    let address = addresses.next().filter(|_| !spelled.starts_with('"'))?;
    let name: Vec<_> = words().filter(|word| *word != address).collect();
    (addresses.next().is_none() && !name.is_empty()).then(|| (name.join(" "), address))
}

/// A value without its folds.
pub(super) fn on_one_line(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    for word in text.split_whitespace() {
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    line
}

/// A field of a header.
#[derive(Clone)]
pub(super) struct Field<'h> {
    /// Path of the part whose header it is in; `0` is the message's own.
    pub part: &'h str,
    pub name: &'h str,
    /// The value's bytes in the head.
    pub span: Range<usize>,
    pub interest: Interest,
}

/// Which links of a field become findings.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Interest {
    Any,
    /// Unsafe URLs only: most programs do not show the field.
    UnsafeUrls,
    /// Any, of a message inside the message: a notice at most.
    Inner,
    /// What reads as a known name: the charset is guessed.
    KnownNames,
}

/// Reads and reports one field.
pub(super) struct FieldReader<'h, 'j, 'p, 'b> {
    pub field: Field<'h>,
    pub author: &'h Author,
    pub judge: &'j mut Judge<'p>,
    pub budget: &'j mut Budget<'b>,
    pub policy: &'j Policy,
    pub found: &'j mut Findings,
}

impl FieldReader<'_, '_, '_, '_> {
    /// Takes the steps of judging, and of reading so many bytes. If the budget has too few, the next caller of `spend`
    /// reports it.
    pub(super) fn has_steps(&mut self, bytes: usize) -> bool {
        self.budget.spend_link(bytes, self.judge.take_steps())
    }

    pub fn value(&mut self, value: &HeaderValue<'_>) {
        match value {
            HeaderValue::Address(Address::List(list)) => self.addresses(list),
            HeaderValue::Address(Address::Group(groups)) => {
                for group in groups {
                    self.group_name(group);
                    self.addresses(&group.addresses);
                }
            }
            // A line that is a URL is a field with the name of a scheme.
            HeaderValue::Text(text) if text.starts_with("//") && is_scheme(self.field.name) => {
                self.text(&format!("{}:{text}", self.field.name));
            }
            HeaderValue::Text(text) => self.text(text),
            HeaderValue::TextList(list) => list.iter().for_each(|text| self.text(text)),
            _ => {}
        }
    }

    fn addresses(&mut self, list: &[Addr<'_>]) {
        for address in list {
            if !self.has_steps(0) {
                return;
            }
            self.address(address);
        }
    }

    /// Judges the name of a group before its first address (RFC 5322 §3.4): programs show it in the same place.
    fn group_name(&mut self, group: &Group<'_>) {
        let Some(name) = group.name.as_deref().filter(|_| self.has_steps(0)) else { return };
        let first = group.addresses.first().and_then(|first| first.address.as_deref());
        match first.and_then(|first| self.judged_address(first)) {
            Some(judged) => self.name_before(&shown_name(name), &judged),
            None => self.text(&shown_name(name)),
        }
    }

    fn judged_address(&mut self, spelled: &str) -> Option<Judged> {
        let link = mailto::address(spelled, 0..spelled.len())?;
        self.judge.spelled_link(spelled, &link, HostBounds::Certain)
    }

    fn address(&mut self, address: &Addr<'_>) {
        let spelled = address.address.as_deref().unwrap_or_default();
        let name = &*shown_name(address.name.as_deref().unwrap_or_default());
        let judged = self.judged_address(spelled);
        // Text in place of an address is shown as well.
        let signs = if judged.is_some() { "://" } else { "//" };
        if holds(spelled.as_bytes(), b"//") && spelled.contains(signs) {
            self.text(spelled);
        }
        let Some(mut judged) = judged else { return self.without_address(name) };
        if self.is_of_sender() && is_no_mailbox(spelled) {
            judged.add_with(Reason::AddressInvalid, Verdict::Suspect);
        }
        self.name_before(name, &judged);
        match self.check_recipient(&mut judged) {
            Some(author) => self.push_as(spelled, &judged, Some(author)),
            None => self.push_link(spelled, &judged, Kind::Email),
        }
    }

    /// Judges a name without an address. An address in that of the sender is shown as his, and no server has verified it.
    fn without_address(&mut self, name: &str) {
        let is_address = |link: &Link| link.kind == Kind::Email;
        if !self.is_of_sender() || !name.contains('@') {
            return self.text(name);
        }
        let links = self.links(name);
        if !links.iter().any(is_address) {
            return self.text(name);
        }
        for link in links {
            if !self.has_steps(0) {
                return;
            }
            let bounds = HostBounds::in_text(link.kind);
            let Some(mut judged) = self.judge.spelled_link(name, &link, bounds) else { continue };
            if is_address(&link) {
                judged.add_with(Reason::AddressInvalid, Verdict::Suspect);
            }
            self.push_link(name.get(link.span.clone()).unwrap_or_default(), &judged, link.kind);
        }
    }

    /// Judges the hosts in the display name before an address.
    fn name_before(&mut self, name: &str, address: &Judged) {
        let member = before_via(name).unwrap_or_default();
        for link in self.links(name) {
            if !self.has_steps(0) {
                return;
            }
            self.display_name((name, member), &link, address);
        }
    }

    /// Judges a host in the display name before the address, which names a member of a list first.
    fn display_name(&mut self, (name, member): (&str, &str), link: &Link, address: &Judged) {
        let Some(mut judged) = self.judge.spelled_link(name, link, HostBounds::in_text(link.kind))
        else {
            return;
        };
        let Some(shown) = judged.host.clone() else { return };
        if shown.question.is_some() || shown.reasons.contains(Reason::TldSyntax) {
            return;
        }
        let owns = |host: &Judgement| self.judge.are_of_one_owner(&host.ascii, &shown.ascii);
        let ours = address.host.as_deref().is_some_and(owns);
        if !ours {
            judged.add(Reason::DisplayNameHost);
            let own = address.host.as_deref();
            let written_out =
                || own.is_some_and(|own| self.judge.writes_out_own(&shown.ascii, &own.ascii));
            let is_office = || {
                let is_theirs = |own: &str| is_government_site(own) || serves_offices(own);
                is_government_site(&shown.ascii) && !own.is_some_and(|own| is_theirs(&own.ascii))
            };
            let is_known = (self.judge.is_protected(&shown.ascii) || written_out() || is_office())
                && !own.is_some_and(|own| self.is_answer_to_author(own));
            let poses = is_known || own.is_some_and(|own| self.judge.poses_beside(own, &shown));
            if self.is_of_sender()
                && poses
                && !self.claims_person(name, link, &shown)
                && !self.is_forwarded(name, address, &shown)
                && !(link.span.end <= member.len() && self.comes_through_list(address))
            {
                judged.verdict = judged.verdict.max(Verdict::Suspect);
            }
        }
        self.push_link(name.get(link.span.clone()).unwrap_or_default(), &judged, link.kind);
    }

    /// Whether a name gives the address of a person: where everybody can have one, and its other words claim nothing.
    fn claims_person(&mut self, name: &str, link: &Link, host: &Judgement) -> bool {
        if !self.judge.is_mailbox_host(host)
            || !is_of_person(name, link)
            || !self.has_steps(name.len())
        {
            return false;
        }
        let words = [name.get(..link.host.start), name.get(link.host.end..)];
        let words = words.map(Option::unwrap_or_default).join(" ").replace('@', " ");
        self.judge.impersonated(&words, Sender { local: "", host: "" }).is_none()
    }

    /// Whether a forwarder names the sender by this host.
    fn is_forwarded(&mut self, name: &str, address: &Judged, shown: &Judgement) -> bool {
        let Some(own) = address.host.as_deref().map(|own| &*own.ascii) else { return false };
        forwarders::is_written_in_name(own)
            && self.has_steps(name.len())
            && forwarders::names_sender(name, own, &shown.ascii, self.judge)
    }

    /// Whether a mailing list wrote the name in front of this address.
    fn comes_through_list(&self, address: &Judged) -> bool {
        let own = address.host.as_deref();
        own.is_some_and(|own| self.author.writes_through(own, self.judge))
    }

    pub(super) fn is_subject(&self) -> bool {
        self.field.name.eq_ignore_ascii_case(SUBJECT)
    }

    /// Whether a text with encoded words may have something to report.
    pub fn may_be_reported(&self, text: &str) -> bool {
        may_hold_scheme(text) || self.is_subject()
    }

    pub(super) fn is_of_sender(&self) -> bool {
        SENDERS.iter().any(|known| self.field.name.eq_ignore_ascii_case(known))
    }

    /// Reports display names before the sender's addresses that impersonate others.
    pub fn report_impersonation(&mut self, value: &HeaderValue<'_>) {
        let HeaderValue::Address(addresses) = value else { return };
        if !self.is_of_sender() {
            return;
        }
        let author = self.author;
        let role = match self.field.name.eq_ignore_ascii_case(SENDERS[0]) {
            true => Role::Author,
            false => Role::Deputy,
        };
        for (named, address) in mailboxes(addresses).take(MAILBOXES) {
            let Some((name, own)) = self.name_and_mailbox(named, address.unwrap_or_default())
            else {
                continue;
            };
            if own.is_none() && role != Role::Author {
                continue;
            }
            let mut impersonated = author.impersonated(&name, own.as_ref(), role, self.judge);
            if impersonated.is_none() && name.contains(is_bidi_control) {
                let turned = homograph::displayed(&name);
                impersonated = author.impersonated(&turned, own.as_ref(), role, self.judge);
            }
            let mailbox = own.as_ref().or(author.mailboxes.first());
            let disguise = self.disguised(&name, mailbox.map(|mailbox| &*mailbox.host));
            let (spelled, disguised) = match (&impersonated, disguise) {
                (None, None) => continue,
                (Some(_), disguise) => (name, disguise),
                (None, Some(disguise)) => (disguise.spelled.clone(), Some(disguise)),
            };
            let host = mailbox.map_or_else(Arc::default, |mailbox| Arc::clone(&mailbox.host));
            let mut judged = Judged::of_text(host);
            if let Some(target) = &impersonated {
                let is_honest =
                    own.as_ref().is_some_and(|own| self.may_be_called(&spelled, target, own));
                let verdict =
                    if is_honest { Verdict::Notice } else { Reason::DisplayNamePoses.verdict() };
                judged.add_with(Reason::DisplayNamePoses, verdict);
            }
            let verdict = disguised.as_ref().map(|disguise| disguise.verdict);
            verdict.into_iter().for_each(|verdict| judged.add_with(Reason::TextLookalike, verdict));
            let target = impersonated.or_else(|| disguised.and_then(|disguise| disguise.name));
            self.push_as(&spelled, &judged, target);
        }
    }

    /// The name that programs show for a mailbox, and its address. Text in place of an address is read as a name, and an
    /// address in it as the address. `None` if there is no name.
    fn name_and_mailbox(
        &mut self,
        named: Option<&str>,
        spelled: &str,
    ) -> Option<(String, Option<Mailbox>)> {
        let mut own = Mailbox::read(spelled, self.judge);
        let mut name = match (named, &own) {
            (Some(name), _) => shown_name(name).into_owned(),
            (None, None) => spelled.to_owned(),
            (None, Some(_)) => {
                let (name, address) = beside_address(spelled)?;
                own = Mailbox::read(address, self.judge);
                name
            }
        };
        let inside = self.links(&name).into_iter().find(|link| link.kind == Kind::Email);
        if let Some(link) = inside.filter(|_| own.is_none()) {
            own = Mailbox::read(name.get(link.span.clone()).unwrap_or_default(), self.judge);
            name.replace_range(link.span, " ");
        }
        Some((name, own))
    }

    /// Whether an honest sender is shown with the name of `target`.
    fn may_be_called(&mut self, name: &str, target: &str, own: &Mailbox) -> bool {
        let sender = Sender { local: &own.local, host: &own.host.ascii };
        forwarders::speaks_for(name, target, own, self.judge)
            || self.judge.is_named_after(name, sender)
            || self.is_answer_to_author(&own.host)
    }

    /// Reports the first of several authors if he is of a known organisation and another is not: programs show the first
    /// alone, and servers verify one of them.
    pub fn report_first_author(&mut self) {
        let [first, others @ ..] = self.author.mailboxes.as_slice() else { return };
        if others.is_empty() || self.judge.dmarc() == Dmarc::Pass {
            return;
        }
        let (host, protected) = (&first.host.ascii, &self.policy.protected);
        let is_known = self.judge.has_known_owner(host);
        if !is_known || homograph::is_anybodys(host, protected) {
            return;
        }
        let site = |mailbox: &Mailbox| {
            let host = &mailbox.host.ascii;
            protected.national(host).unwrap_or(host).to_owned()
        };
        let own = site(first);
        let is_other = |other: &&Mailbox| !self.judge.are_of_one_owner(&site(other), &own);
        if let Some(other) = others.iter().find(is_other) {
            let mut judged = Judged::of_text(Arc::clone(&other.host));
            judged.add(Reason::DisplayNamePoses);
            let spelled = [&first.local, "@", &first.host.unicode].concat();
            self.push_as(&spelled, &judged, Some(host.clone()));
        }
    }

    /// The same for names with encoded words that the parser could not read, or reads in one byte order of two, as
    /// programs do that join the bytes of words, know more charsets, or take the other order.
    pub fn report_joined_names(&mut self, value: &HeaderValue<'_>, source: &[u8]) {
        let HeaderValue::Address(addresses) = value else { return };
        let unread = |name: &str| name.contains(char::REPLACEMENT_CHARACTER);
        let names = || mailboxes(addresses).filter_map(|(name, _)| name);
        if !self.is_of_sender()
            || !names().any(unread) && !Charset::words_lack_order(source)
            || !self.has_steps(source.len())
        {
            return;
        }
        let field = format!("From:{}\r\n", Charset::Words.decode(source.into()).as_str());
        if let Some(read) = MessageParser::new().parse_headers(field.as_bytes())
            && let Some(header) = read.headers().first()
            && header.value != *value
        {
            self.report_impersonation(&header.value);
        }
    }

    /// Finds look-alike letters in a text, without its links, which are judged as such.
    fn disguised(&mut self, text: &str, host: Option<&Judgement>) -> Option<Disguise> {
        if text.is_ascii() {
            return None;
        }
        let words = without_links(text, self.links(text).into_iter().map(|link| link.span));
        let is_any = self.field.interest != Interest::KnownNames;
        self.judge.disguised(&words, host).filter(|disguise| is_any || disguise.name.is_some())
    }

    /// Reports words of the Subject in look-alike letters; each reading of it once.
    pub fn subject(&mut self, text: &str, known: &mut HashSet<String>) {
        if !self.is_subject() || text.is_ascii() || known.len() >= MAILBOXES {
            return;
        }
        if !known.insert(on_one_line(text)) {
            return;
        }
        let host = self.author.mailboxes.first().map(|mailbox| &*mailbox.host);
        let text = flags::as_letters(text);
        let shown = bidi::shown(&text);
        let disguise = self.disguised(&shown, host);
        if let Some(Title { judged, spelled, name }) = Title::judged(&text, &shown, disguise) {
            self.push_as(&spelled, &judged, name);
        }
    }

    pub fn text(&mut self, text: &str) {
        let unsafe_only = self.field.interest == Interest::UnsafeUrls;
        if unsafe_only && !may_hold_scheme(text) {
            return;
        }
        let links = self.links(text);
        let ends: Vec<usize> = links.iter().map(|link| link.host.end).collect();
        for link in links {
            // A judged host no longer counts as hidden in the net, so that a link that would not be reported is not
            // judged.
            if unsafe_only && link.kind != Kind::Scheme {
                continue;
            }
            if !self.has_steps(0) {
                return;
            }
            let bounds = HostBounds::in_text(link.kind);
            let Some(judged) = self.judge.spelled_link(text, &link, bounds) else { continue };
            if unsafe_only && judged.verdict < Verdict::Unsafe {
                continue;
            }
            let known = judged.host.as_ref().is_none_or(|host| host.question.is_none());
            if known || link.kind != Kind::Bare {
                self.push_link(text.get(link.span.clone()).unwrap_or_default(), &judged, link.kind);
            }
        }
        self.hosts_with_signs(text, &ends);
    }

    /// Judges hosts that go on behind signs, or end in a disguise, as in the body. `ends` are those of the hosts that are
    /// known, in order.
    fn hosts_with_signs(&mut self, text: &str, ends: &[usize]) {
        if !text.contains(is_dot_to_somebody) {
            return;
        }
        let max = self.budget.findings;
        let view = maillinks::hosts_with_signs(text, self.judge.tlds(), max);
        if !self.budget.spend(Stage::Judging, view.steps) {
            return;
        }
        for occurrence in &view.occurrences {
            if !self.has_steps(0) {
                return;
            }
            let is_across = matches!(occurrence.seen_by, SeenBy::AcrossSigns(_));
            if !is_across && ends.binary_search(&occurrence.span().end).is_ok() {
                continue;
            }
            let Some(judged) = self.judge.occurrence(text, occurrence) else { continue };
            let counts = is_across && self.field.interest == Interest::Any;
            if counts || judged.verdict >= Verdict::Unsafe {
                self.push(text.get(occurrence.span()).unwrap_or_default(), &judged);
            }
        }
    }

    /// Finds the links of a field, as in the body.
    pub fn links(&mut self, text: &str) -> Vec<Link> {
        if !self.has_steps(text.len()) {
            return Vec::new();
        }
        let linkifier = Linkifier::new(self.judge.tlds()).boundaries(Boundaries::Wide);
        let mut links = linkifier.links(text);
        let found = links.by_ref().collect();
        // If the steps are used up, the next caller reports it.
        let _ = self.budget.spend(Stage::Judging, links.steps());
        found
    }

    /// A harmless address is no link: whoever asks who got a link to a host must not be shown all mail of its people.
    fn push_link(&mut self, spelled: &str, judged: &Judged, kind: Kind) {
        if kind != Kind::Email || !self.is_unreported(judged) {
            self.push(spelled, judged);
        }
    }

    fn is_unreported(&self, judged: &Judged) -> bool {
        judged.verdict == Verdict::Ok && self.policy.report == Report::Findings
    }

    fn push(&mut self, spelled: &str, judged: &Judged) {
        let Some(host) = &judged.host else { return };
        if !host.reasons.contains(Reason::TldSyntax) {
            self.push_as(spelled, judged, judged.target().cloned());
        }
    }

    pub(super) fn push_as(&mut self, spelled: &str, judged: &Judged, target: Option<String>) {
        if self.found.links() >= self.budget.findings {
            return;
        }
        if self.is_unreported(judged) {
            self.found.remember_harmless(judged);
            return;
        }
        let place = Place::Header(maillinks::named(self.field.name).to_owned());
        let mut finding = finding_of(
            (self.policy, judged),
            self.field.part,
            place,
            self.field.span.clone(),
            spelled,
        );
        finding.target = target;
        if self.field.interest == Interest::Inner {
            finding.verdict = finding.verdict.min(Verdict::Notice);
        }
        self.found.push(self.policy, Candidate::report_only(finding));
    }
}
