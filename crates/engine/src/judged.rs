//! A link with its judgement: its own host, the hosts that it carries, and which of them it leads to.

use std::sync::Arc;

use super::Policy;
use super::outcome::{Edit, Reason, Reasons, Verdict};
use homograph::{Judgement, LinkJudgement};
use mailsplice::mime;
use uts58::Target;
use uts58::unicode::is_letter;

/// An occurrence with its judgement.
#[derive(Clone, Debug)]
pub struct Judged {
    pub verdict: Verdict,
    pub reasons: Reasons,
    /// Whether a client would open it and a reader mistake it, where it stands.
    pub edit: Edit,
    /// Of the host; `None` for a scheme without one.
    pub host: Option<Arc<Judgement>>,
    /// Hosts that it carries beside: in its userinfo, its path, its query.
    pub inner: Vec<Judgement>,
    /// Which of those it leads to, where its own host is that of a rewriter or of nobody.
    pub leads: Option<usize>,
    /// Whether it is a link at all.
    pub tld_status: TldStatus,
}

/// What the TLD table says of a candidate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TldStatus {
    Link,
    /// A link if the DNS knows this TLD.
    Asked(String),
    /// A link by the table, unless the DNS denies this TLD ([`AskTlds::Every`](super::policy::AskTlds)).
    Confirmed(String),
}

impl Judged {
    /// The judgement of a host, of which nothing else is known.
    pub fn of(host: Arc<Judgement>, tld_status: TldStatus) -> Judged {
        Judged {
            verdict: host.verdict,
            reasons: host.reasons,
            edit: host.edit,
            host: Some(host),
            inner: Vec::new(),
            leads: None,
            tld_status,
        }
    }

    /// What words say, in front of an address at this host or by themselves: no link at all.
    pub(super) fn of_text(host: Arc<Judgement>) -> Judged {
        Judged {
            verdict: Verdict::Ok,
            reasons: Reasons::EMPTY,
            edit: Edit::Told,
            host: Some(host),
            inner: Vec::new(),
            leads: None,
            tld_status: TldStatus::Link,
        }
    }

    /// Joins what was found of the rest of the link.
    pub(super) fn join(&mut self, link: LinkJudgement) {
        self.verdict = self.verdict.max(link.verdict);
        self.reasons = self.reasons.union(link.reasons);
        self.edit = self.edit.max(link.edit);
        self.leads = link.leads.map(|leads| self.inner.len() + leads);
        self.inner.extend(link.inner);
    }

    /// Where bytes of one charset were read in another: little is told of it, without an edit, if all that speaks
    /// against it are signs of Latin-1 for which other charsets have letters (`wroc³aw` is `wrocław` in ISO 8859-2),
    /// and it is made to be taken for nobody. The edit would spell a name that the sender did not write.
    pub(super) fn forgive_signs(&mut self) {
        const SIGNS: [char; 9] = ['ª', '²', '³', '¹', 'º', '¼', '½', '¾', 'µ'];
        let of_signs = |reason: Reason| {
            use Reason::{CompatForm, SeparatorLookalike, StatusRestricted};
            reason.verdict() <= Verdict::Notice
                || matches!(reason, CompatForm | SeparatorLookalike | StatusRestricted)
        };
        let misread = |c: char| c.is_ascii() || is_letter(c) || SIGNS.contains(&c);
        let hosts = || self.host.as_deref().into_iter().chain(&self.inner);
        let labels = || hosts().flat_map(|host| &host.labels);
        let signs = labels().any(|label| label.spelling.contains(SIGNS));
        if signs
            && self.reasons.iter().all(of_signs)
            && labels().all(|label| label.spelling.chars().all(misread))
        {
            self.forgive();
        }
    }

    /// The same where all letters of its host beyond ASCII are known to be others than these.
    pub(super) fn forgive_letters(&mut self) {
        if self.speaks_of_letters() {
            self.forgive();
        }
    }

    /// Whether nothing speaks against it but what the letters of its host are.
    pub(super) fn speaks_of_letters(&self) -> bool {
        self.inner.is_empty() && speaks_of_letters(self.reasons)
    }

    /// The same where it is not known to have any of its letters beyond ASCII: those of a word before it.
    pub(super) fn forgive_glued(&mut self) {
        if self.inner.is_empty() {
            self.forgive();
        }
    }

    /// The same where detectors read other letters, unless all of the host is made to be taken for somebody's.
    pub(super) fn forgive_guess(&mut self) {
        let poses = |host: &Arc<Judgement>| host.target.is_some() && host.span.start == 0;
        let foreign = |host: &Arc<Judgement>| !host.unicode.is_ascii() && !poses(host);
        if self.inner.is_empty() && self.host.as_ref().is_some_and(foreign) {
            self.forgive();
        }
    }

    /// The same of a host that is chance, unless it is made to be taken for somebody's.
    pub(super) fn forgive_chance(&mut self) {
        if self.target().is_none() {
            self.forgive();
        }
    }

    /// Little is told of a host that stands for another (`https://[host]/`): no client opens it, and it says so.
    pub(super) fn forgive_placeholder(&mut self) {
        let of_form =
            |reason: Reason| reason == Reason::IdnaInvalid || reason.verdict() <= Verdict::Notice;
        if self.edit == Edit::Inert && self.reasons.iter().all(of_form) {
            self.verdict = self.verdict.min(Verdict::Notice);
        }
    }

    /// The same of one whose bytes are no characters: whoever reads them so opens nothing (WHATWG URL §3.5), and
    /// whoever reads others is asked about by himself.
    pub(super) fn forgive_undecoded(&mut self) {
        if self.target().is_none() && !self.reasons.contains(Reason::BidiControl) {
            self.edit = Edit::Inert;
            self.verdict = self.verdict.min(Verdict::Notice);
        }
    }

    /// Browsers open hosts with signs (`a'b.example`), mail knows none.
    pub(super) fn refuse_signs(&mut self, host: &str) {
        let sign = |c: char| c.is_ascii_punctuation() && !matches!(c, '-' | '_' | '.');
        if self.reasons.contains(Reason::IdnaInvalid) && host.is_ascii() && host.contains(sign) {
            self.verdict = self.verdict.max(Verdict::Invalid);
            self.edit = Edit::Inert;
        }
    }

    fn forgive(&mut self) {
        self.edit = self.edit.min(Edit::Told);
        self.verdict = self.verdict.min(Verdict::Notice);
    }

    /// The first host that it carries and that deceives.
    pub(super) fn deception(&self) -> Option<usize> {
        let deceives =
            |host: &Judgement| host.verdict >= Verdict::Unsafe && host.edit >= Edit::Link;
        self.inner.iter().position(deceives)
    }

    /// Whether a URL that it carries has userinfo that deceives: `?url=https://www.paypal.com@…`. Which of the
    /// hosts stands behind it is not known, so that none of them is where the link leads.
    pub(super) fn carries_userinfo(&self) -> bool {
        let said = [Reason::EmbeddedUrl, Reason::Userinfo];
        self.verdict >= Verdict::Unsafe && said.iter().all(|reason| self.reasons.contains(*reason))
    }

    /// The host that it leads to: its own, or what a rewriter put behind it. What is taken apart is what
    /// is spelled, its own.
    pub fn led(&self) -> Option<&Judgement> {
        self.leads.and_then(|leads| self.inner.get(leads)).or(self.host.as_deref())
    }

    /// The protected name that one of its hosts reads as, the one that it leads to first.
    pub fn target(&self) -> Option<&String> {
        let hosts = self.led().into_iter().chain(self.host.as_deref()).chain(&self.inner);
        hosts.filter_map(|host| host.target.as_ref()).next()
    }

    /// Whether the policy leaves it alone on account of its hosts: its own is allowed, or the one that it
    /// leads to and every other that is not fine, or all of whom something is said where it says nothing
    /// of them but that they are carried along.
    pub fn is_allowed(&self, policy: &Policy) -> bool {
        let allowed = |host: &Judgement| policy.allows(&host.ascii);
        let own = self.host.as_deref();
        if own.is_some_and(allowed) {
            return true;
        }
        let by = match self.leads {
            Some(_) => self.led().is_some_and(allowed),
            None => self.says_no_more_than_its_hosts() && self.inner.iter().any(allowed),
        };
        let mut rest = self.inner.iter().chain(own.filter(|_| !self.is_of_nobody()));
        by && rest.all(|host| host.verdict <= Verdict::Notice || allowed(host))
    }

    /// Whether all that is said of it is said of its hosts.
    fn says_no_more_than_its_hosts(&self) -> bool {
        let hosts = self.host.as_deref().into_iter().chain(&self.inner);
        let of_hosts = hosts.fold(Reasons::EMPTY, |all, host| all.union(host.reasons));
        let carried = |reason| reason == Reason::EmbeddedUrl || of_hosts.contains(reason);
        self.reasons.iter().all(|reason| carried(reason) || reason.verdict() <= Verdict::Notice)
    }

    /// Whether its own host is none: a word of a program.
    fn is_of_nobody(&self) -> bool {
        self.host.as_deref().is_some_and(|host| host.reasons.contains(Reason::TldSyntax))
    }

    pub fn add(&mut self, reason: Reason) {
        self.add_at(reason, reason.verdict());
    }

    /// Some clients find a longer host than a reader and others. People part names so as well, so that it is told
    /// alone.
    pub(super) fn goes_on_behind_a_sign(&mut self) {
        self.add(Reason::NameInHost);
        self.verdict = Verdict::Suspect;
        self.edit = self.edit.min(Edit::Told);
    }

    /// A click asks a file server, which gets a hash of the reader's password. Its name is what it seems, and houses
    /// write so to their own, so that little is told.
    pub(super) fn asks_a_server(&mut self) {
        self.add_at(Reason::DangerousScheme, Verdict::Notice);
    }

    /// A control turns the text round: a reader sees another link than a client makes of it.
    pub(super) fn override_direction(&mut self, target: &Target) {
        let linked = match target {
            Target::Link(link) => link.kind.is_announced(),
            Target::Dangerous { .. } => true,
        };
        self.add_at(Reason::BidiControl, if linked { Verdict::Unsafe } else { Verdict::Suspect });
        if linked {
            self.edit = self.edit.max(Edit::Link);
        }
    }

    pub(super) fn add_at(&mut self, reason: Reason, verdict: Verdict) {
        self.reasons.insert(reason);
        self.verdict = self.verdict.max(verdict);
    }
}

/// Whether the link around a visible host leads to that host.
pub fn leads_there(judged: &[Option<Judged>], visible: usize, anchor: Option<usize>) -> bool {
    let host = |index: usize| judged.get(index)?.as_ref()?.host.as_ref().map(|host| &host.ascii);
    anchor.is_some_and(|anchor| host(anchor).is_some() && host(anchor) == host(visible))
}

/// Whether a host deceives: it is unsafe, and not for letters alone that its sender did not mean.
pub fn deceives(spelling: &str, host: &Judgement) -> bool {
    host.verdict == Verdict::Unsafe
        && !(speaks_of_letters(host.reasons) && mime::is_utf8_misread(spelling))
}

/// Whether nothing speaks against a name but what its letters are.
fn speaks_of_letters(reasons: Reasons) -> bool {
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
