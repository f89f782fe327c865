//! Judges the links that `content` found. Each distinct host is judged once per message.

mod accents;
mod address_as_link;
pub mod anchors;
mod beside_host;
mod bounces;
mod candidates;
mod code;
mod consoles;
mod correspondents;
pub mod deceptive;
mod defused;
mod encoded_urls;
mod escapes;
mod file_names;
mod glued;
mod in_place;
mod inflected;
pub mod judged;
mod known_hosts;
mod languages;
mod listed;
mod logins;
mod mail_hosts;
mod marks;
mod mismatch;
mod named_after;
mod number_signs;
mod opened;
mod own_letters;
mod own_mail;
mod own_words;
mod plain_reading;
pub mod prices;
mod prose;
mod queries;
mod rereading;
mod scholarly;
pub mod seen_hosts;
mod shops;
mod sign_roles;
mod signs;
mod titles;
mod turkish;
pub mod userinfo;
mod vocabulary;
mod words;

use std::cell::OnceCell;
use std::collections::hash_map::Entry;
use std::hash::BuildHasher as _;
use std::ops::Range;
use std::sync::Arc;
use uts58::unicode::a_label;

use super::keyed_hash::{ByHash, HashKey};
use super::outcome::{Edit, Reason, Reasons, Verdict};
use super::policy::AskDomains;
use super::{Case, Dmarc, Facts, Policy, TldSet};
pub use correspondents::Nearness;
use homograph::claims::{Disguise, Sender};
use homograph::{
    self, Context, HostBounds, Judgement, LinkJudgement, Memory, Names, Section, registrable,
};
use judged::is_deceptive;
pub use judged::{Judged, TldStatus};
use maillinks::{Occurrence, Rendering, SeenBy};
use mailsplice::byte_search::{equal, first, splat};
pub use mismatch::{ShownAs, serves_offices};
use prices::{
    KNOWN_HOST_STEPS, carried_steps, claim_steps, edited_label_steps, host_steps, named_steps,
    sender_steps,
};
pub use queries::Queries;
use seen_hosts::SeenHosts;
pub use titles::{Title, without_links};
use uts58::{Boundaries, Kind, Link, Linkifier, LocalForm, Target};

/// Distinct hosts kept in the memo. A further one clears it: occurrences next to each other still share a judgement.
pub(super) const MEMO: usize = 8_192;

/// Judges the hosts and links of one message, and remembers the judgements.
pub struct Judge<'a> {
    policy: &'a Policy,
    tlds: &'a dyn TldSet,
    own_names: Arc<Names>,
    /// The host of the author's address, if a trusted server has confirmed it by DMARC.
    author: Option<Arc<Judgement>>,
    /// The hosts of all addresses in From.
    named_authors: correspondents::NamedAuthors,
    facts: &'a Facts,
    message: crate::Message<'a>,
    header: OnceCell<bounces::HeaderSays>,
    /// Judgements by keyed hash of the spelling. A host next to other letters in prose and one with certain bounds are
    /// judged separately.
    memo: ByHash<CachedJudgements>,
    keys: HashKey,
    /// Judgements from other messages.
    memory: Option<&'a dyn Memory>,
    /// Names to look up.
    pub queries: Queries,
    /// Steps of judging since [`Judge::take_steps`] was last called.
    steps: u64,
    /// Hosts that readings have found; the net reports only others.
    seen: SeenHosts,
    /// The last host that was asked for, and whether it is a link rewriter.
    last_host: (String, bool),
}

/// The judgements of one spelling. Most are found with one kind of bounds only.
struct CachedJudgements {
    first: (HostBounds, Arc<Judgement>),
    others: Vec<(HostBounds, Arc<Judgement>)>,
}

impl CachedJudgements {
    fn within(&self, bounds: HostBounds) -> Option<&Arc<Judgement>> {
        let mut all = std::iter::once(&self.first).chain(&self.others);
        all.find(|(known, _)| *known == bounds).map(|(_, judgement)| judgement)
    }
}

/// The organization's own names: the recipients' domains and the protected names of the lists.
fn own_names(domains: &[String], policy: &Policy, memory: Option<&dyn Memory>) -> Arc<Names> {
    let own = match memory {
        Some(memory) if !domains.is_empty() => memory.names(domains),
        _ => Arc::new(Names::new(domains)),
    };
    let known: Vec<_> =
        policy.lists.listings.iter().filter_map(|listing| listing.known.clone()).collect();
    if policy.lists.protected.is_empty() && known.is_empty() {
        return own;
    }
    let mut own = Arc::unwrap_or_clone(own);
    policy.lists.protected.iter().for_each(|names| own.extend(names));
    Arc::new(own.with_known(known))
}

impl<'a> Judge<'a> {
    pub fn new(case: Case<'a>) -> Judge<'a> {
        let Case { message, facts, policy, tlds, memory, .. } = case;
        Judge {
            policy,
            tlds,
            own_names: own_names(&facts.recipient_domains, policy, memory),
            author: None,
            named_authors: Default::default(),
            facts,
            message,
            header: OnceCell::new(),
            memo: ByHash::default(),
            keys: HashKey::default(),
            memory,
            queries: Queries::default(),
            steps: 0,
            seen: SeenHosts::for_message_of(message.head.len() + message.body.len()),
            last_host: Default::default(),
        }
    }

    /// The steps of judging since the last call.
    pub fn take_steps(&mut self) -> u64 {
        std::mem::take(&mut self.steps)
    }

    /// Judges an occurrence in its text. `None` if it is no link.
    pub fn occurrence(&mut self, text: &str, occurrence: &Occurrence) -> Option<Judged> {
        if !self.may_be_deceptive(text, occurrence) {
            return None;
        }
        let mut judged = match &occurrence.target {
            Target::Link(link) => self.link_in_place(text, link, occurrence)?,
            Target::Dangerous { .. } if occurrence.seen_by == SeenBy::Called => {
                Judged::without_host()
            }
            Target::Dangerous { host, span, .. } => {
                let judged = self.dangerous(text, host.clone());
                self.dangerous_in_place(
                    judged,
                    text.get(span.clone()).unwrap_or_default(),
                    occurrence,
                )
            }
        };
        match occurrence.shown {
            Rendering::Obfuscated => judged.add(Reason::HtmlObfuscated),
            Rendering::Overridden => judged.mark_direction_override(&occurrence.target),
            Rendering::Divided => judged.add_with(Reason::BidiControl, Verdict::Suspect),
            Rendering::AsWritten | Rendering::Broken => {}
        }
        self.steps += edited_label_steps(&judged);
        Some(judged)
    }

    /// Judges a link in a text. `None` if it is no link.
    pub fn link(&mut self, text: &str, link: &Link, bounds: HostBounds) -> Option<Judged> {
        let mut judged = self.spelled_link(text, link, bounds)?;
        let host = judged.host.clone()?;
        // Such a URL opens a program, or its host cannot exist. A host that it carries may be its target.
        let has_no_host = link.is_for_program() || host.reasons.contains(Reason::TldSyntax);
        judged.tld_status = match judged.first_deceptive_inner() {
            None if has_no_host && judged.carries_userinfo() => {
                judged.reasons.remove(Reason::TldSyntax);
                TldStatus::Link
            }
            Some(inner) => {
                if has_no_host || host.question.is_some() {
                    judged.destination = Some(inner);
                    judged.reasons.remove(Reason::TldSyntax);
                    judged.reasons.remove(Reason::TldUnknown);
                }
                TldStatus::Link
            }
            None if link.is_for_program() => return None,
            None => self.tld_status(&host, link.kind)?,
        };
        if self.policy.ask_domains == AskDomains::OfLinks && self.policy.exempt.is_none() {
            self.ask_domains(link, &judged);
        }
        Some(judged)
    }

    /// Judges a link whether or not its top-level domain exists. Nothing is added to the queries.
    pub fn spelled_link(&mut self, text: &str, link: &Link, bounds: HostBounds) -> Option<Judged> {
        if link.defanged {
            return None;
        }
        let spelling = &*homograph::spelled_host(text, link);
        // A partly defanged host: judge it as a reader would restore it.
        let whole = holds_bracket(link.host_str(text)).then(|| link.refanged_host(text)).flatten();
        let (spelling, bounds) =
            whole.as_deref().map_or((spelling, bounds), |whole| (whole, HostBounds::Certain));
        let before = self.steps;
        let host = self.host(spelling, bounds);
        let mut judged = Judged::of(Arc::clone(&host), TldStatus::Link);
        let name = spelling.get(host.span.clone());
        // Most bare hosts are no more than a notice, and edited as words whatever they are.
        let matters = judged.verdict > Verdict::Notice || judged.edit >= Edit::Anywhere;
        if link.kind == Kind::Bare {
            let word = matters && name.is_some_and(homograph::is_word);
            if word {
                // `m².It` is a missing space: a notice, so that the message is not listed among the bad ones.
                judged.verdict = judged.verdict.min(Verdict::Notice);
            }
            if word || judged.edit < Edit::Anywhere {
                judged.edit = judged.edit.min(Edit::Word);
            }
        }
        self.downgrade_vocabulary(spelling, link.kind, &mut judged);
        self.downgrade_plain_word(spelling, link.kind, &mut judged);
        judged.reject_signs(spelling, link.kind);
        self.downgrade_turkish_capitals((text, link), spelling, &mut judged);
        self.add_carried((text, link), spelling, (&host, bounds), &mut judged);
        if link.kind != Kind::Email {
            self.add_listed_url(text, link, &mut judged);
        }
        if let (Kind::Email, Some(local)) = (link.kind, &link.user)
            && let Some(local) = text.get(local.clone()).filter(|local| !local.is_ascii())
        {
            self.local_part(local, &mut judged);
        }
        self.raise_asking(text, link, &mut judged);
        self.downgrade_login(text, link, &mut judged);
        self.downgrade_number(text, link, &mut judged);
        self.downgrade_escaped_line(text, link, &mut judged);
        // A new host, or one inside the link, pays for the link as well, and a link that deceives for its report.
        if self.steps == before && judged.verdict <= Verdict::Notice {
            self.steps += KNOWN_HOST_STEPS;
        }
        Some(judged)
    }

    /// Adds what a link contains beside its host, where that may be something.
    fn add_carried(
        &mut self,
        (text, link): (&str, &Link),
        spelling: &str,
        (host, bounds): (&Judgement, HostBounds),
        judged: &mut Judged,
    ) {
        let tail = text.get(link.tail.clone()).unwrap_or_default();
        if !has_unusual_user(text, link)
            && !may_carry_host(tail)
            && (tail.len() <= 1 && !homograph::claims::name_end_in_host(spelling)
                || !self.is_rewriter(spelling))
            && !encoded_urls::may_hold(tail)
        {
            return;
        }
        let edit = judged.edit;
        let carried = self.carried(text, link, host, bounds);
        self.steps += carried_steps(beside_host(text, link), &carried);
        let carried = self.with_words_inside(tail, carried);
        let carried = self.with_lists_inside(carried);
        for host in &carried.inner {
            self.seen.add(&host.ascii);
        }
        judged.join(carried);
        if link.kind == Kind::Bare {
            // A bare word is not edited for itself, but it is for hosts in its query.
            judged.edit = judged.inner.iter().map(|host| host.edit).fold(edit, Edit::max);
            if judged.reasons.contains(Reason::Userinfo) && judged.verdict >= Verdict::Unsafe {
                judged.edit = judged.edit.max(Edit::Link);
            }
        }
    }

    /// Whether a host is a link rewriter, whose query may hide the target in any form. Links next to each other often
    /// lead to one host.
    fn is_rewriter(&mut self, host: &str) -> bool {
        let (last, rewrites) = &mut self.last_host;
        if *last != host {
            host.clone_into(last);
            *rewrites = homograph::rewrites(host);
        }
        *rewrites
    }

    /// S29: a client may link `example.com` of `example.com~x@example.org` as a host.
    fn local_part(&mut self, local: &str, judged: &mut Judged) {
        let links = Linkifier::new(self.tlds).boundaries(Boundaries::Wide).links(local);
        for link in links.filter(|link| link.kind != Kind::Email) {
            let Some(spelling) = local.get(link.host) else { continue };
            let host = self.host(spelling, HostBounds::Prose);
            if host.question.is_none()
                && host.verdict >= Verdict::Unsafe
                && !self.is_words(spelling, link.kind, &host)
            {
                judged.verdict = judged.verdict.max(host.verdict);
                judged.reasons = judged.reasons.union(host.reasons);
                judged.edit = judged.edit.max(host.edit);
            }
        }
    }

    /// The table of top-level domains.
    pub fn tlds(&self) -> &'a dyn TldSet {
        self.tlds
    }

    fn context(&self, bounds: HostBounds) -> Context<'_> {
        Context {
            level: self.policy.level,
            protected: &self.policy.protected,
            own: &self.own_names,
            blocked: &self.policy.blocked,
            tlds: self.tlds,
            bounds,
        }
    }

    /// Judges a host, or returns its earlier judgement.
    pub fn host(&mut self, spelling: &str, bounds: HostBounds) -> Arc<Judgement> {
        if let Some(host) = self.host_behind_words(spelling, bounds) {
            return host;
        }
        let key = self.keys.hash_one(spelling);
        if let Some(known) = self.memo.get(&key).and_then(|known| known.within(bounds)) {
            return Arc::clone(known);
        }
        let judgement = self.named_host(spelling, bounds);
        let judgement = self.with_lists(spelling, judgement);
        self.steps += host_steps(spelling, bounds, &judgement) + named_steps(spelling, &judgement);
        if !spelling.is_ascii() || a_label::has_a_label(judgement.ascii.as_bytes()) {
            let is_kept = self.seen.add(&judgement.ascii);
            if is_kept && bounds == HostBounds::Certain {
                self.seen.add_spelling(spelling, is_deceptive(spelling, &judgement));
            }
        }
        if self.memo.len() >= MEMO {
            self.memo.clear();
        }
        let new = (bounds, Arc::clone(&judgement));
        match self.memo.entry(key) {
            Entry::Vacant(entry) => {
                _ = entry.insert(CachedJudgements { first: new, others: Vec::new() })
            }
            Entry::Occupied(entry) => entry.into_mut().others.push(new),
        }
        judgement
    }

    /// The judgement of a host without undecodable bytes, which some programs drop, if it looks like a known name then.
    pub fn named_without_undecoded(
        &mut self,
        host: &str,
        bounds: HostBounds,
    ) -> Option<Arc<Judgement>> {
        let without = host.replace(is_undecoded, "");
        let judgement = self.host(&without, bounds);
        let is_named = judgement.target.is_some() && is_deceptive(&without, &judgement);
        is_named.then_some(judgement)
    }

    /// Takes the hosts seen so far. Those of later readings are not added to them.
    pub fn take_seen(&mut self) -> SeenHosts {
        std::mem::take(&mut self.seen)
    }

    /// The name that the text claims for the sender, if the sender's address is of another.
    pub fn impersonated(&mut self, text: &str, sender: Sender<'_>) -> Option<String> {
        self.steps += claim_steps(text);
        homograph::claims::poses(text, sender, &self.context(HostBounds::Certain))
    }

    /// Finds letters of the text that are look-alikes. `host` is that of the sender's address; it counts only if the
    /// DMARC result is a pass.
    pub fn disguised(&mut self, text: &str, host: Option<&Judgement>) -> Option<Disguise> {
        if text.is_ascii() {
            return None;
        }
        self.steps += sender_steps(text);
        let host = host.filter(|_| self.facts.dmarc == Dmarc::Pass);
        let host = host.map_or("", |host| host.ascii.as_str());
        homograph::claims::disguised(text, host, &self.context(HostBounds::Certain))
    }

    /// The DMARC result of the author's domain, by a trusted server.
    pub fn dmarc(&self) -> Dmarc {
        self.facts.dmarc
    }

    /// Whether a host is protected: on the list, or of a recipient.
    pub fn is_protected(&self, ascii: &str) -> bool {
        homograph::is_protected(ascii, &self.policy.protected, &self.own_names)
    }

    /// Whether it is the label of a protected name below any suffix: from five letters on, or of the recipients' own.
    pub fn is_label_of_name(&self, label: &str) -> bool {
        label.len() >= 5 && self.policy.protected.has_label(label)
            || self.own_names.has_label(label)
    }

    /// Judges a URL whose scheme does something that no reader expects.
    pub fn dangerous(&mut self, text: &str, host: Option<Range<usize>>) -> Judged {
        let host =
            host.and_then(|host| text.get(host)).map(|host| self.host(host, HostBounds::Certain));
        let mut judged = match host {
            Some(host) => Judged::of(host, TldStatus::Link),
            None => Judged::without_host(),
        };
        judged.edit = Edit::Link;
        judged.add(Reason::DangerousScheme);
        judged
    }

    /// Whether both hosts are of one registrable domain, or of one owner.
    pub fn are_of_one_owner(&self, one: &str, other: &str) -> bool {
        same_domain(one, other) || homograph::is_one_owner(one, other, &self.policy.protected)
    }
}

/// Whether a character stands for a byte that its charset does not have: browsers decode some as controls.
pub fn is_undecoded(c: char) -> bool {
    matches!(c, char::REPLACEMENT_CHARACTER | '\u{80}'..='\u{9F}')
}

/// Whether the text before the host needs a look. A plain local part, as most addresses have, does not.
fn has_unusual_user(text: &str, link: &Link) -> bool {
    let Some(user) = link.user.clone().and_then(|user| text.get(user)) else { return false };
    if link.kind == Kind::Email && is_plain_local(user) {
        return false;
    }
    let plain = || user.is_ascii() && !user.contains('%');
    link.kind != Kind::Email || !plain() || LocalForm::read(user) != Ok(LocalForm::Dotted)
}

/// Bytes of a local part that is read by [`is_plain_local`]: few have more.
const SHORT_LOCAL: usize = 32;

/// Whether a short local part is letters, digits, hyphens and underscores with dots between them, as most are.
fn is_plain_local(local: &str) -> bool {
    let mut before = b'.';
    local.len() <= SHORT_LOCAL
        && local.bytes().all(|byte| {
            let dotted = std::mem::replace(&mut before, byte) == b'.';
            byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_') || byte == b'.' && !dotted
        })
        && before != b'.'
}

/// Whether a host may have a dot in brackets. Most have none.
fn holds_bracket(host: &str) -> bool {
    // Two signs differ by this bit.
    let is_bracket = |word: u64| equal(word | splat(0x20), b'{') | equal(word, b'(');
    first(host.as_bytes(), is_bracket).is_some()
}

/// Whether path, query or fragment may hold something deceptive: another URL, letters of another script.
fn may_carry_host(tail: &str) -> bool {
    // Most links end with their host or a slash.
    !matches!(tail, "" | "/")
        && (tail.bytes().fold(false, |any, c| any | matches!(c, b'%' | b':' | b'@' | 0x80..))
            || a_label::has_a_label(tail.as_bytes()))
}

/// The texts of a link before and after its host.
fn beside_host<'t>(text: &'t str, link: &Link) -> [&'t str; 2] {
    [link.span.start..link.host.start, link.host.end..link.span.end]
        .map(|range| text.get(range).unwrap_or_default())
}

/// Whether two hosts have the same registrable domain, by the suffix list with its private part (S9).
pub fn same_domain(one: &str, other: &str) -> bool {
    let domain = |host| registrable(host, Section::Private);
    one == other
        || homograph::claims::end_alike(one, other)
            && domain(one).is_some_and(|own| domain(other) == Some(own))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::TldTable;
    use crate::{Facts, Message};

    #[test]
    fn a_plain_local_part_is_one_that_needs_no_look() {
        let pieces =
            ["", "a", "B7", ".", "-", "_", "+", "\"", "\\", "%", "é", " ", "abcdefghijklmnop"];
        for first in pieces {
            for (second, third) in pieces.iter().flat_map(|one| pieces.map(|other| (one, other))) {
                let local = [first, second, third].concat();
                let needs_look = !local.is_ascii()
                    || local.contains('%')
                    || LocalForm::read(&local) != Ok(LocalForm::Dotted);
                assert!(!(is_plain_local(&local) && needs_look), "{local}");
            }
        }
    }

    #[test]
    fn the_memo_is_bounded() {
        let (facts, policy) = (Facts::default(), Policy::default());
        let tlds = TldTable::new(["com"], "");
        let message = Message { head: b"", body: b"" };
        let case = Case::new(message, &facts, &policy, &tlds);
        let mut judge = Judge::new(case);
        for n in 0..MEMO + 10 {
            let judged = judge.host(&format!("host{n}.example.com"), HostBounds::Certain);
            assert_eq!(judged.verdict, Verdict::Ok);
        }
        assert_eq!(judge.memo.len(), 10);
    }

    #[test]
    fn the_name_of_a_program_is_no_host() {
        let (policy, tlds) = (Policy::default(), TldTable::new(["com", "app"], ""));
        for (url, links) in [
            ("app:open?url=https%3A%2F%2Fwww.example.com", 1),
            ("app:open?url=https%3A%2F%2Fxn--ypal-43d9g.com", 1),
            ("app://open", 0),
            ("app://open?url=https://www.example.com", 1),
        ] {
            let body = format!("<a href=\"{url}\">x</a>");
            let message = Message { head: b"Content-Type: text/html\r\n", body: body.as_bytes() };
            let outcome = crate::inspect(message, &Facts::default(), &policy, &tlds)
                .resolve(&crate::Answers::new());
            assert_eq!(outcome.links, links, "{url}");
        }
    }

    #[test]
    fn a_customers_host_is_not_the_hosters() {
        let (policy, tlds) = (Policy::default(), TldTable::new(["com", "net", "io"], ""));
        for (seen, led, reported) in [
            ("www.microsoft.com", "x.z13.web.core.windows.net", true),
            ("github.com", "x.github.io", true),
            ("x.github.io", "y.github.io", true),
            ("www.microsoft.com", "login.windows.net", false),
            ("www.paypal.com", "www.paypalobjects.com", false),
        ] {
            let body = format!("<a href=\"https://{led}/\">https://{seen}/</a>");
            let head = b"Content-Type: text/html; charset=utf-8\r\n";
            let message = Message { head, body: body.as_bytes() };
            let outcome = crate::inspect(message, &Facts::default(), &policy, &tlds)
                .resolve(&crate::Answers::new());
            let mismatch =
                |finding: &crate::Finding| finding.reasons.contains(Reason::TextHrefMismatch);
            assert_eq!(outcome.findings.iter().any(mismatch), reported, "{seen} {led}");
        }
    }
}
