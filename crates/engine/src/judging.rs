//! Judges what the content room sighted: each distinct host once a message.

use std::collections::hash_map::{Entry, RandomState};
use std::hash::BuildHasher;
use std::ops::Range;
use std::sync::Arc;
use uts58::unicode::a_label;

use super::content::{Occurrence, Rendering, Site, script};
use super::judged::deceives;
pub use super::judged::{Judged, TldStatus};
use super::met::{ByHash, Met};
use super::outcome::{Edit, Reason, Reasons, Verdict};
use super::policy::{AskDomains, AskTlds};
use super::prices::{carried_steps, host_steps, sender_steps};
use super::servers::{asks_a_server, fetches_nothing};
use super::{Case, Dmarc, Facts, Policy, TldSet};
use homograph::{
    self, CacheKey, Context, Disguise, HostBounds, Judgement, LinkJudgement, Memory, Names,
    Section, Sender, registrable,
};
use uts58::{Boundaries, Kind, Link, Linkifier, LocalForm, Target};

/// Distinct hosts kept in the memo; with one more it begins anew: what stands together is still judged once.
pub(super) const MEMO: usize = 4_096;

/// What others are to be asked for, each once, in the order of their first occurrence.
#[derive(Clone, Debug, Default)]
pub struct Asked {
    /// Top-level domains, of the DNS.
    pub tlds: Vec<String>,
    /// Registrable domains, of block lists.
    pub domains: Vec<String>,
}

/// The judge of one message.
pub struct Judge<'a> {
    policy: &'a Policy,
    tlds: &'a dyn TldSet,
    own: Arc<Names>,
    /// The host of the author's address, where somebody whose word counts says that he is who he says.
    author: Option<Arc<Judgement>>,
    facts: &'a Facts,
    /// By spelling, of which the keyed hash stands for it; hosts glued to prose are judged apart from those whose
    /// bounds are certain.
    memo: ByHash<Known>,
    keys: RandomState,
    /// What is known from other messages.
    memory: Option<&'a dyn Memory>,
    /// What is to be asked for.
    pub asked: Asked,
    /// Steps that judging took since somebody asked.
    steps: u64,
    /// What the net is to know of.
    met: Met,
}

/// The judgements of one spelling: few are met in more than one way.
struct Known {
    first: (HostBounds, Arc<Judgement>),
    others: Vec<(HostBounds, Arc<Judgement>)>,
}

impl Known {
    fn within(&self, bounds: HostBounds) -> Option<&Arc<Judgement>> {
        let mut all = std::iter::once(&self.first).chain(&self.others);
        all.find(|(known, _)| *known == bounds).map(|(_, judgement)| judgement)
    }
}

/// The names of the house: of those that get the message, and of its lists.
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
            own: own_names(&facts.recipient_domains, policy, memory),
            author: None,
            facts,
            memo: ByHash::default(),
            keys: RandomState::new(),
            memory,
            asked: Asked::default(),
            steps: 0,
            met: Met::of(message.head.len() + message.body.len()),
        }
    }

    /// The steps that judging took since the last call.
    pub fn spent(&mut self) -> u64 {
        std::mem::take(&mut self.steps)
    }

    /// The judgement of an occurrence in its text; `None` when it is no link.
    pub fn occurrence(&mut self, text: &str, occurrence: &Occurrence) -> Option<Judged> {
        let mut judged = match &occurrence.target {
            Target::Link(link) => {
                let mut judged = self.link(text, link, occurrence.bounds)?;
                let host = link.host_str(text);
                if asks_a_server(text, link) {
                    judged.asks_a_server();
                }
                if host.is_ascii() {
                    judged.forgive_placeholder();
                } else if host.contains(char::REPLACEMENT_CHARACTER)
                    // A calendar folds its values within characters as well.
                    && occurrence.site != Site::Value
                {
                    judged.forgive_undecoded();
                }
                judged
            }
            Target::Dangerous { host, span, .. } => {
                let mut judged = self.dangerous(text, host.clone());
                let url = text.get(span.clone()).unwrap_or_default();
                if fetches_nothing(url, occurrence) {
                    judged.edit = Edit::Inert;
                    judged.verdict = judged.verdict.min(Verdict::Notice);
                } else if script::calls_the_page(url) {
                    judged.edit = Edit::Inert;
                    judged.verdict = Verdict::Notice;
                }
                judged
            }
        };
        match occurrence.shown {
            Rendering::Obfuscated => judged.add(Reason::HtmlObfuscated),
            Rendering::Overridden => judged.override_direction(&occurrence.target),
            Rendering::AsWritten | Rendering::Broken => {}
        }
        Some(judged)
    }

    /// The judgement of a link in a text; `None` when it is no link.
    pub fn link(&mut self, text: &str, link: &Link, bounds: HostBounds) -> Option<Judged> {
        let mut judged = self.spelled(text, link, bounds)?;
        let host = judged.host.clone()?;
        // A host that nobody knows, or a program: what it opens is what it carries.
        let of_nobody = link.is_for_program() || host.reasons.contains(Reason::TldSyntax);
        judged.tld_status = match judged.deception() {
            None if of_nobody && judged.carries_userinfo() => {
                judged.reasons.remove(Reason::TldSyntax);
                TldStatus::Link
            }
            Some(inner) => {
                if of_nobody || host.question.is_some() {
                    judged.leads = Some(inner);
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

    /// The same, whether or not the table knows the top-level domain; nothing is asked.
    pub fn spelled(&mut self, text: &str, link: &Link, bounds: HostBounds) -> Option<Judged> {
        if link.defanged {
            return None;
        }
        let spelling = &*homograph::spelled_host(text, link);
        // Half taken apart by somebody: what a reader puts together again.
        let whole = link.refanged_host(text);
        let (spelling, bounds) =
            whole.as_deref().map_or((spelling, bounds), |whole| (whole, HostBounds::Certain));
        let host = self.host(spelling, bounds);
        let mut judged = Judged::of(host, TldStatus::Link);
        let name = judged.host.as_ref().and_then(|host| spelling.get(host.span.clone()));
        if link.kind == Kind::Bare {
            let word = name.is_some_and(homograph::is_word);
            if word {
                // `m².It` is a slip of the space bar: nobody is to find the message among the bad ones for it.
                judged.verdict = judged.verdict.min(Verdict::Notice);
            }
            if word || judged.edit < Edit::Anywhere {
                judged.edit = judged.edit.min(Edit::Word);
            }
        }
        if link.kind == Kind::Email {
            judged.refuse_signs(spelling);
        }
        let edit = judged.edit;
        let tail = text.get(link.tail.clone()).unwrap_or_default();
        if is_odd_in_front(text, link) || carries(tail) || rewritten(spelling, tail) {
            let carried = match &judged.host {
                Some(host) => homograph::carried(text, link, host, &self.context(bounds)),
                None => LinkJudgement::default(),
            };
            self.steps += carried_steps(beside_host(text, link), &carried);
            let carried = self.listed_inside(carried);
            for host in &carried.inner {
                self.met.note(&host.ascii);
            }
            judged.join(carried);
            if link.kind == Kind::Bare {
                // A word stays one; what its query holds may be none.
                judged.edit = judged.inner.iter().map(|host| host.edit).fold(edit, Edit::max);
                if judged.reasons.contains(Reason::Userinfo) && judged.verdict >= Verdict::Unsafe {
                    judged.edit = judged.edit.max(Edit::Link);
                }
            }
        }
        if link.kind != Kind::Email {
            self.listed_url(text, link, &mut judged);
        }
        if let (Kind::Email, Some(local)) = (link.kind, &link.user)
            && let Some(local) = text.get(local.clone()).filter(|local| !local.is_ascii())
        {
            self.local_part(local, &mut judged);
        }
        Some(judged)
    }

    /// S29: a client may take `example.com` of `example.com~x@example.org` for a host.
    fn local_part(&mut self, local: &str, judged: &mut Judged) {
        let links = Linkifier::new(self.tlds).boundaries(Boundaries::Wide).links(local);
        for link in links.filter(|link| link.kind != Kind::Email) {
            let Some(spelling) = local.get(link.host) else { continue };
            let host = self.host(spelling, HostBounds::Prose);
            if host.question.is_none() && host.verdict >= Verdict::Unsafe {
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
            own: &self.own,
            blocked: &self.policy.blocked,
            tlds: self.tlds,
            bounds,
        }
    }

    /// Judges a host, or remembers it.
    pub fn host(&mut self, spelling: &str, bounds: HostBounds) -> Arc<Judgement> {
        let key = self.keys.hash_one(spelling);
        if let Some(known) = self.memo.get(&key).and_then(|known| known.within(bounds)) {
            return Arc::clone(known);
        }
        let judgement = self.listed(self.recall(spelling, bounds));
        self.steps += host_steps(spelling, &judgement);
        if !spelling.is_ascii() || a_label::has_a_label(judgement.ascii.as_bytes()) {
            let known = self.met.note(&judgement.ascii);
            if known && bounds == HostBounds::Certain {
                self.met.note_spelling(spelling, deceives(spelling, &judgement));
            }
        }
        if self.memo.len() >= MEMO {
            self.memo.clear();
        }
        let new = (bounds, Arc::clone(&judgement));
        match self.memo.entry(key) {
            Entry::Vacant(entry) => _ = entry.insert(Known { first: new, others: Vec::new() }),
            Entry::Occupied(entry) => entry.into_mut().others.push(new),
        }
        judgement
    }

    /// Adds what the lists of rules and of others say, which change while judgements are remembered.
    fn listed(&self, judgement: Arc<Judgement>) -> Arc<Judgement> {
        let Some(verdict) = self.said_of_host(&judgement.ascii) else { return judgement };
        let mut listed = Judgement::clone(&judgement);
        listed.reasons.insert(Reason::Listed);
        listed.verdict = listed.verdict.max(verdict);
        if verdict >= Verdict::Unsafe {
            listed.edit = Edit::Anywhere;
        }
        Arc::new(listed)
    }

    fn said_of_host(&self, ascii: &str) -> Option<Verdict> {
        let lists = &self.policy.lists;
        if lists.block(ascii) {
            return Some(Verdict::Unsafe);
        }
        let said = lists.host(ascii)?;
        let spared = self.is_protected(ascii) || self.policy.allows(ascii);
        (!spared).then_some(said)
    }

    /// The same for the hosts that a link carries.
    fn listed_inside(&self, mut carried: LinkJudgement) -> LinkJudgement {
        for host in &mut carried.inner {
            let Some(verdict) = self.said_of_host(&host.ascii) else { continue };
            host.reasons.insert(Reason::Listed);
            host.verdict = host.verdict.max(verdict);
            carried.reasons.insert(Reason::Listed);
            carried.verdict = carried.verdict.max(verdict);
            if verdict >= Verdict::Unsafe {
                host.edit = Edit::Anywhere;
                carried.edit = carried.edit.max(Edit::Link);
            }
        }
        carried
    }

    /// Adds what the lists of others say of the URL.
    fn listed_url(&self, text: &str, link: &Link, judged: &mut Judged) {
        let Some(host) = judged.host.as_ref().filter(|_| !self.policy.lists.listings.is_empty())
        else {
            return;
        };
        let piece = |range: Range<usize>| text.get(range).unwrap_or_default();
        let port = link.port.clone().map(piece).unwrap_or_default();
        let tail = piece(link.tail.clone());
        if let Some(verdict) = self.policy.lists.url(&host.ascii, port, tail) {
            judged.reasons.insert(Reason::Listed);
            judged.verdict = judged.verdict.max(verdict);
            if verdict >= Verdict::Unsafe {
                judged.edit = judged.edit.max(Edit::Anywhere);
            }
        }
    }

    /// Judges a host, unless another message had it.
    fn recall(&self, spelling: &str, bounds: HostBounds) -> Arc<Judgement> {
        let context = self.context(bounds);
        let Some(memory) = self.memory else {
            return Arc::new(homograph::judge(spelling, &context));
        };
        let under = CacheKey::of(&context);
        memory.recall(spelling, under).unwrap_or_else(|| {
            let judgement = Arc::new(homograph::judge(spelling, &context));
            memory.keep(spelling, under, &judgement);
            judgement
        })
    }

    /// The hosts met so far; those to come are no longer noted with them.
    pub fn take_met(&mut self) -> Met {
        std::mem::take(&mut self.met)
    }

    /// Whom the text says that the sender is, who it is not.
    pub fn poses(&mut self, text: &str, sender: Sender<'_>) -> Option<String> {
        self.steps += sender_steps(text);
        homograph::poses(text, sender, &self.context(HostBounds::Certain))
    }

    /// Letters of the text that are not what they read as; `host` is that of the sender's address, which counts
    /// where a server whose word counts says that it is his.
    pub fn disguised(&mut self, text: &str, host: Option<&Judgement>) -> Option<Disguise> {
        if text.is_ascii() {
            return None;
        }
        self.steps += sender_steps(text);
        let host = host.filter(|_| self.facts.dmarc == Dmarc::Pass);
        let host = host.map_or("", |host| host.ascii.as_str());
        homograph::disguised(text, host, &self.context(HostBounds::Certain))
    }

    /// What a server whose word counts says of the author's domain.
    pub fn dmarc(&self) -> Dmarc {
        self.facts.dmarc
    }

    /// Takes note of the only author, if a server whose word counts says that he is who he says.
    pub fn take_author(&mut self, host: &Arc<Judgement>) {
        let known = self.facts.dmarc == Dmarc::Pass
            && !homograph::is_anybodys(&host.ascii, &self.policy.protected);
        self.author = known.then(|| Arc::clone(host));
    }

    /// Whether the author shows his own name: whoever counts clicks for him stands behind it.
    fn is_authors(&self, ascii: &str) -> bool {
        self.author.as_ref().is_some_and(|author| same_domain(&author.ascii, ascii))
    }

    /// Whether a host is of a recipient's domain, where not anybody has an address.
    pub fn is_recipients(&self, ascii: &str) -> bool {
        let domains = &self.facts.recipient_domains;
        self.facts.dmarc != Dmarc::Fail
            && !homograph::is_anybodys(ascii, &self.policy.protected)
            && domains.iter().any(|domain| same_domain(domain, ascii))
    }

    /// Whether a host is protected: on the list, or a recipient's own.
    pub fn is_protected(&self, ascii: &str) -> bool {
        homograph::is_protected(ascii, &self.policy.protected, &self.own)
    }

    fn tld_status(&mut self, host: &Judgement, kind: Kind) -> Option<TldStatus> {
        if host.reasons.contains(Reason::TldSyntax) {
            return None;
        }
        let Some(tld) = &host.question else { return Some(self.in_table(host, kind)) };
        let asked = kind != Kind::Bare && self.ask(tld);
        asked.then(|| TldStatus::Asked(tld.clone()))
    }

    /// A TLD that needs no question is asked for only when every one is (S26).
    fn in_table(&mut self, host: &Judgement, kind: Kind) -> TldStatus {
        if self.policy.ask_tlds == AskTlds::Unknown || kind == Kind::Bare {
            return TldStatus::Link;
        }
        match host.ascii.rsplit('.').next().filter(|tld| self.tlds.exists(tld)) {
            Some(tld) if self.ask(tld) => TldStatus::Confirmed(tld.to_owned()),
            _ => TldStatus::Link,
        }
    }

    /// Puts the domains that a link leads to among those to ask for. An address leads nowhere, a dotted word
    /// of prose is nobody's business, and a TLD that nobody knows has no list.
    fn ask_domains(&mut self, link: &Link, judged: &Judged) {
        let unknown = matches!(judged.tld_status, TldStatus::Asked(_));
        let word = link.kind == Kind::Bare && link.tail.is_empty();
        if unknown || word || link.kind == Kind::Email {
            return;
        }
        for host in judged.host.as_deref().into_iter().chain(&judged.inner) {
            if host.question.is_some()
                || host.reasons.contains(Reason::Listed)
                || self.policy.allows(&host.ascii)
                || self.is_protected(&host.ascii)
            {
                continue;
            }
            if let Some(domain) = registrable(&host.ascii, Section::Private) {
                put(&mut self.asked.domains, domain, self.policy.limits.domains);
            }
        }
    }

    /// Puts a TLD among the questions, if it is there or there is room.
    fn ask(&mut self, tld: &str) -> bool {
        put(&mut self.asked.tlds, tld, self.policy.limits.questions)
    }

    /// A URL whose scheme does something that no reader expects.
    pub fn dangerous(&mut self, text: &str, host: Option<Range<usize>>) -> Judged {
        let host =
            host.and_then(|host| text.get(host)).map(|host| self.host(host, HostBounds::Certain));
        let mut judged = Judged {
            verdict: host.as_ref().map_or(Verdict::Ok, |host| host.verdict),
            reasons: host.as_ref().map_or(Reasons::EMPTY, |host| host.reasons),
            edit: Edit::Link,
            host,
            inner: Vec::new(),
            leads: None,
            tld_status: TldStatus::Link,
        };
        judged.add(Reason::DangerousScheme);
        judged
    }

    /// The visible text is a host of another registrable domain than the target (S9).
    pub fn compare(&self, visible: &Judged, target: &mut Judged) {
        let (Some(seen), Some(led)) = (visible.led(), target.led()) else { return };
        let related = same_domain(&seen.ascii, &led.ascii)
            || self.is_authors(&seen.ascii)
            || homograph::is_one_owner(&seen.ascii, &led.ascii, &self.policy.protected);
        if matches!(visible.tld_status, TldStatus::Asked(_)) || related {
            return;
        }
        let protected = self.is_protected(&seen.ascii);
        target.add(Reason::TextHrefMismatch);
        if protected {
            target.verdict = target.verdict.max(Verdict::Suspect);
        }
    }
}

/// Puts a name among the others, if it is there or there is room.
fn put(names: &mut Vec<String>, name: &str, most: usize) -> bool {
    if names.iter().any(|known| known == name) {
        return true;
    }
    let room = names.len() < most;
    if room {
        names.push(name.to_owned());
    }
    room
}

/// Whether something may be said of what stands before the host: nothing of the local parts that most addresses have.
fn is_odd_in_front(text: &str, link: &Link) -> bool {
    let Some(user) = link.user.clone().and_then(|user| text.get(user)) else { return false };
    let plain = || user.is_ascii() && !user.contains('%');
    link.kind != Kind::Email || !plain() || LocalForm::read(user) != Ok(LocalForm::Dotted)
}

/// Whether path, query or fragment can hold what deceives: another URL, another script.
fn carries(tail: &str) -> bool {
    tail.bytes().fold(false, |any, c| any | matches!(c, b'%' | b':' | b'@' | 0x80..))
        || a_label::has_a_label(tail.as_bytes())
}

/// Whether the target may be hidden in a query without a sign of it.
fn rewritten(host: &str, tail: &str) -> bool {
    tail.len() > 1 && homograph::rewrites(host)
}

/// What stands before the host of a link, and behind it.
fn beside_host<'t>(text: &'t str, link: &Link) -> [&'t str; 2] {
    [link.span.start..link.host.start, link.host.end..link.span.end]
        .map(|range| text.get(range).unwrap_or_default())
}

/// Whether two hosts belong to one registrable domain, private suffixes counted (S9).
pub fn same_domain(one: &str, other: &str) -> bool {
    one == other
        || match (registrable(one, Section::Private), registrable(other, Section::Private)) {
            (Some(one), Some(other)) => one == other,
            _ => false,
        }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::TldTable;
    use crate::{Facts, Message};

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
            ("app:open?url=https%3A%2F%2Fwww.example.com", 0),
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
    fn a_host_that_a_hoster_gave_away_is_not_the_hosters() {
        let (policy, tlds) = (Policy::default(), TldTable::new(["com", "net", "io"], ""));
        for (seen, led, told) in [
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
            assert_eq!(outcome.findings.iter().any(mismatch), told, "{seen} {led}");
        }
    }
}
