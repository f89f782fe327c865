//! A link with its judgement: its own host, the hosts inside it, and the one that it leads to.

use std::sync::Arc;

use super::same_domain;
use crate::Policy;
use crate::outcome::{Edit, Reason, Reasons, Verdict};
use homograph::{Judgement, LinkJudgement};
use mailsplice::mime;
use uts58::unicode::is_letter;
use uts58::{Kind, Target};

/// The judgement of one occurrence of a link.
#[derive(Clone, Debug)]
pub struct Judged {
    pub verdict: Verdict,
    pub reasons: Reasons,
    /// Whether a client would open the link in its place, and a reader mistake it.
    pub edit: Edit,
    /// The judgement of its own host. `None` for a scheme without one.
    pub host: Option<Arc<Judgement>>,
    /// Hosts in its userinfo, path and query.
    pub inner: Vec<Judgement>,
    /// Index into `inner` of the host that it leads to, if its own host is a rewriter or no host.
    pub destination: Option<usize>,
    /// Whether it is a link, by its top-level domain.
    pub tld_status: TldStatus,
    /// Third-party lists that name the URL, and not its host.
    pub lists: Vec<String>,
}

/// Whether a candidate is a link, by the table of top-level domains.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TldStatus {
    Link,
    /// A link if this TLD exists in the DNS.
    Asked(String),
    /// A link by the table, unless this TLD does not exist in the DNS ([`AskTlds::Every`](crate::policy::AskTlds)).
    Confirmed(String),
}

impl Judged {
    /// The judgement of a link that is nothing but a host.
    pub fn of(host: Arc<Judgement>, tld_status: TldStatus) -> Judged {
        Judged {
            verdict: host.verdict,
            reasons: host.reasons,
            edit: host.edit,
            host: Some(host),
            inner: Vec::new(),
            destination: None,
            tld_status,
            lists: Vec::new(),
        }
    }

    /// The judgement of words at a host, such as a display name: no link.
    pub fn of_text(host: Arc<Judgement>) -> Judged {
        Judged {
            verdict: Verdict::Ok,
            reasons: Reasons::EMPTY,
            edit: Edit::Reported,
            host: Some(host),
            inner: Vec::new(),
            destination: None,
            tld_status: TldStatus::Link,
            lists: Vec::new(),
        }
    }

    /// The judgement of a URL without a host: nothing is against it.
    pub fn without_host() -> Judged {
        Judged { host: None, ..Judged::of_text(Arc::default()) }
    }

    /// Adds the judgement of the rest of the link.
    pub fn join(&mut self, link: LinkJudgement) {
        self.verdict = self.verdict.max(link.verdict);
        self.reasons = self.reasons.union(link.reasons);
        self.edit = self.edit.max(link.edit);
        self.destination = link.leads.map(|index| self.inner.len() + index);
        self.inner.extend(link.inner);
    }

    /// Lowers the verdict to a notice, without an edit, where bytes of one charset may have been read in another: if
    /// all that is against the link are signs of Latin-1 for which other charsets have letters (`wroc³aw` is `wrocław`
    /// in ISO 8859-2), and it does not look like a protected name. An edit would show a name that the sender did not
    /// write.
    pub fn downgrade_misread_signs(&mut self) {
        const SIGNS: [char; 9] = ['ª', '²', '³', '¹', 'º', '¼', '½', '¾', 'µ'];
        let is_about_signs = |reason: Reason| {
            use Reason::{CompatForm, SeparatorLookalike, StatusRestricted};
            reason.verdict() <= Verdict::Notice
                || matches!(reason, CompatForm | SeparatorLookalike | StatusRestricted)
        };
        let misread = |c: char| c.is_ascii() || is_letter(c) || SIGNS.contains(&c);
        let hosts = || self.host.as_deref().into_iter().chain(&self.inner);
        let labels = || hosts().flat_map(|host| &host.labels);
        let holds_sign = |spelling: &str| !spelling.is_ascii() && spelling.contains(SIGNS);
        // The reasons fail most hosts, and faster than their letters.
        if self.reasons.iter().all(is_about_signs)
            && labels().any(|label| holds_sign(&label.spelling))
            && labels().all(|label| label.spelling.chars().all(misread))
        {
            self.downgrade();
        }
    }

    /// Lowers the verdict if its hosts are misread: each of those that count, by this function. What else is against the
    /// link stays.
    pub fn downgrade_misread_hosts(&mut self, is_misread: impl Fn(&Judgement) -> bool) {
        let hosts = self.host.as_deref().into_iter().chain(&self.inner);
        let mut bad = hosts.filter(|host| host.verdict > Verdict::Notice).peekable();
        if bad.peek().is_some() && bad.all(is_misread) && self.has_only_host_reasons() {
            self.downgrade();
        }
    }

    /// Lowers the verdict where the non-ASCII letters may be those of a word before the host.
    pub fn downgrade_attached_word(&mut self) {
        if self.inner.is_empty() {
            self.downgrade();
        }
    }

    /// Lowers the verdict of a host that is random data, unless it looks like a protected name.
    pub fn downgrade_random_data(&mut self) {
        if self.target().is_none() {
            self.downgrade();
        }
    }

    /// Lowers the verdict of a placeholder (`https://[host]/`): no client opens it, and a reader sees what it is.
    pub fn downgrade_placeholder(&mut self) {
        let is_about_form =
            |reason: Reason| reason == Reason::IdnaInvalid || reason.verdict() <= Verdict::Notice;
        if self.edit == Edit::Inert && self.reasons.iter().all(is_about_form) {
            self.verdict = self.verdict.min(Verdict::Notice);
        }
    }

    /// Lowers the verdict of a host with undecodable bytes: a program that reads it so opens nothing (WHATWG URL
    /// §3.5), and one that reads it in another charset is covered by its own reading.
    pub fn downgrade_undecoded(&mut self) {
        if self.target().is_none() && !self.reasons.contains(Reason::BidiControl) {
            self.edit = Edit::Inert;
            self.verdict = self.verdict.min(Verdict::Notice);
        }
    }

    /// Takes the judgement of its host without undecodable bytes, which some programs drop.
    pub fn add_decodable(&mut self, host: Arc<Judgement>) {
        self.verdict = self.verdict.max(host.verdict);
        self.reasons = self.reasons.union(host.reasons);
        self.edit = self.edit.max(host.edit).max(Edit::Link);
        self.host = Some(host);
    }

    /// Makes a mail address invalid whose host has signs: browsers open such hosts (`a'b.example`), mail has none.
    pub fn reject_signs(&mut self, host: &str, kind: Kind) {
        let sign = |c: char| c.is_ascii_punctuation() && !matches!(c, '-' | '_' | '.');
        if kind == Kind::Email
            && self.reasons.contains(Reason::IdnaInvalid)
            && host.is_ascii()
            && host.contains(sign)
        {
            self.verdict = self.verdict.max(Verdict::Invalid);
            self.edit = Edit::Inert;
        }
    }

    pub fn downgrade(&mut self) {
        self.edit = self.edit.min(Edit::Reported);
        self.verdict = self.verdict.min(Verdict::Notice);
    }

    /// The first host inside it that is deceptive.
    pub fn first_deceptive_inner(&self) -> Option<usize> {
        let is_deceptive =
            |host: &Judgement| host.verdict >= Verdict::Unsafe && host.edit >= Edit::Link;
        self.inner.iter().position(is_deceptive)
    }

    /// Whether a URL inside it has deceptive userinfo: `?url=https://www.paypal.com@…`. It is not known which of the
    /// hosts comes last, so that none of them counts as the destination.
    pub fn carries_userinfo(&self) -> bool {
        let both = [Reason::EmbeddedUrl, Reason::Userinfo];
        self.verdict >= Verdict::Unsafe && both.iter().all(|reason| self.reasons.contains(*reason))
    }

    /// The host that the link leads to: its own, or the one that a rewriter forwards to. Defanged is its own, which is
    /// the one that is spelled.
    pub fn destination(&self) -> Option<&Judgement> {
        self.destination.and_then(|index| self.inner.get(index)).or(self.host.as_deref())
    }

    /// The protected name that one of its hosts looks like, that of the destination first.
    pub fn target(&self) -> Option<&String> {
        let hosts = self.destination().into_iter().chain(self.host.as_deref()).chain(&self.inner);
        hosts.filter_map(|host| host.target.as_ref()).next()
    }

    /// Whether the policy allows its hosts, so that it is not edited. Its own host is allowed; or the destination is
    /// (without one: an inner host is, and all reasons are about the hosts), and so is every other host that is not
    /// harmless.
    pub fn is_allowed(&self, policy: &Policy) -> bool {
        let allowed = |host: &Judgement| policy.allows(&host.ascii);
        let own = self.host.as_deref();
        if own.is_some_and(allowed) {
            return true;
        }
        let by = match self.destination {
            Some(_) => self.destination().is_some_and(allowed),
            None => self.has_only_host_reasons() && self.inner.iter().any(allowed),
        };
        let mut rest = self.inner.iter().chain(own.filter(|_| !self.is_program_word()));
        by && rest.all(|host| host.verdict <= Verdict::Notice || allowed(host))
    }

    /// Whether all its reasons are reasons of its hosts.
    fn has_only_host_reasons(&self) -> bool {
        let hosts = self.host.as_deref().into_iter().chain(&self.inner);
        let of_hosts = hosts.fold(Reasons::EMPTY, |all, host| all.union(host.reasons));
        let carried = |reason| reason == Reason::EmbeddedUrl || of_hosts.contains(reason);
        self.reasons.iter().all(|reason| carried(reason) || reason.verdict() <= Verdict::Notice)
    }

    /// Whether its own host is none, but a word for a program.
    fn is_program_word(&self) -> bool {
        self.host.as_deref().is_some_and(|host| host.reasons.contains(Reason::TldSyntax))
    }

    pub fn add(&mut self, reason: Reason) {
        self.add_with(reason, reason.verdict());
    }

    /// Marks a host that is longer for some clients than for readers and other clients. Honest text separates names in
    /// the same way, so that it is only reported.
    pub fn mark_continued_host(&mut self) {
        self.add(Reason::NameInHost);
        self.verdict = Verdict::Suspect;
        self.edit = self.edit.min(Edit::Reported);
    }

    /// Marks a link to a file server, which gets a hash of the reader's password on a click. Its name is not
    /// deceptive, and organizations send such links to their own people, so that it is a notice.
    pub fn mark_file_server(&mut self) {
        self.add_with(Reason::DangerousScheme, Verdict::Notice);
    }

    /// Marks a link in text whose direction is overridden: a reader sees another link than a client opens.
    pub fn mark_direction_override(&mut self, target: &Target) {
        let linked = match target {
            Target::Link(link) => link.kind.is_announced(),
            Target::Dangerous { .. } => true,
        };
        self.add_with(Reason::BidiControl, if linked { Verdict::Unsafe } else { Verdict::Suspect });
        if linked {
            self.edit = self.edit.max(Edit::Link);
        }
    }

    pub fn add_with(&mut self, reason: Reason, verdict: Verdict) {
        self.reasons.insert(reason);
        self.verdict = self.verdict.max(verdict);
    }
}

/// Whether the anchor around a visible host leads to that host, or below its domain: `www.` is often left out.
pub fn leads_to_visible(judged: &[Option<Judged>], visible: usize, anchor: Option<usize>) -> bool {
    let host = |index: usize| judged.get(index)?.as_ref()?.host.as_ref().map(|host| &*host.ascii);
    let anchor = anchor.and_then(host);
    anchor.zip(host(visible)).is_some_and(|(anchor, visible)| same_domain(anchor, visible))
}

/// Whether a host is deceptive: it is unsafe, and not only for letters that may be misread.
pub fn is_deceptive(spelling: &str, host: &Judgement) -> bool {
    host.verdict == Verdict::Unsafe
        && !(are_about_letters(host.reasons) && mime::is_utf8_misread(spelling))
}

/// Whether all reasons are about the letters of a name.
pub fn are_about_letters(reasons: Reasons) -> bool {
    use Reason::{
        CompatForm, DigitLookalike, IdnaInvalid, MarkAbuse, MixedScript, NumberMix,
        SeparatorLookalike, StatusRestricted, TldLetter,
    };
    reasons.iter().all(|reason| {
        reason.verdict() <= Verdict::Notice
            || matches!(reason, CompatForm | DigitLookalike | IdnaInvalid | MarkAbuse)
            || matches!(reason, MixedScript | NumberMix | SeparatorLookalike)
            || matches!(reason, StatusRestricted | TldLetter)
    })
}
