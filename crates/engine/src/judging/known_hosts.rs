//! What a host is by its letters and by the names that the policy protects: from memory, or judged anew. Mail names the
//! same hosts again and again, and of a message this depends on nothing but the recipients' own names.

use std::sync::Arc;

use super::logins::has_only;
use super::mail_hosts::names_domain;
use super::shops::is_shop;
use super::{Judge, Judged};
use crate::outcome::{Reason, Verdict};
use homograph::claims::{Correspondent, exchanges_l_and_i, is_in_short_domain};
use homograph::{CacheKey, Edit, HostBounds, Judgement, Label, Names, Section, registrable};
use uts58::Link;
use uts58::unicode::Class;

impl Judge<'_> {
    /// The judgement of a host, with the organisation that it names or looks like, if the policy does not allow it, and
    /// with the recipients' own name in it.
    pub(super) fn named_host(&mut self, spelling: &str, bounds: HostBounds) -> Arc<Judgement> {
        let seen = without_ignored(spelling);
        let spelling = seen.as_deref().unwrap_or(spelling);
        let key = CacheKey::of(&self.context(bounds)).with_organisations();
        let policy = self.policy;
        // What is judged to be nothing is the same where the policy allows it.
        let holds =
            |known: &Arc<Judgement>| known.verdict == Verdict::Ok || !policy.allows(&known.ascii);
        let known = self.memory.and_then(|memory| memory.recall(spelling, key));
        if let Some(known) = known.filter(holds) {
            return self.with_own_name(known);
        }
        let judged = Arc::new(homograph::judge(spelling, &self.context(bounds)));
        let judged = self.reread(judged);
        let allowed = policy.allows(&judged.ascii);
        if allowed && self.memory.is_none() {
            return judged;
        }
        let named = self.with_organisation(&judged);
        if let Some(memory) = self.memory {
            memory.keep(spelling, key, &named);
        }
        if allowed { judged } else { self.with_own_name(named) }
    }

    /// The judgement of a host by its letters alone.
    pub(super) fn host_alone(&self, spelling: &str, bounds: HostBounds) -> Arc<Judgement> {
        let seen = without_ignored(spelling);
        let spelling = seen.as_deref().unwrap_or(spelling);
        let context = self.context(bounds);
        let key = CacheKey::of(&context);
        let known = self.memory.and_then(|memory| memory.recall(spelling, key));
        known.unwrap_or_else(|| {
            let judgement = Arc::new(homograph::judge(spelling, &context));
            if let Some(memory) = self.memory {
                memory.keep(spelling, key, &judgement);
            }
            judgement
        })
    }

    /// Adds the organisation that a host of another owner names or looks like, if it is none of the protected names.
    fn with_organisation(&self, judgement: &Arc<Judgement>) -> Arc<Judgement> {
        let other = match judgement.verdict {
            Verdict::Notice if exchanges_l_and_i(judgement) => Some(Verdict::Suspect),
            Verdict::Suspect if is_in_short_domain(judgement) => Some(Verdict::Notice),
            _ => None,
        };
        if let Some(verdict) = other {
            return Arc::new(Judgement { verdict, ..Judgement::clone(judgement) });
        }
        let protected = &self.policy.protected;
        if judgement.reasons.contains(Reason::StatusRestricted)
            && judgement.target.is_none()
            && let Some(name) = homograph::claims::in_signs(judgement, protected)
        {
            return posing_as(judgement, name.to_owned());
        }
        if !judgement.is_harmless() {
            return Arc::clone(judgement);
        }
        match homograph::claims::named_by_host(judgement, protected) {
            Some((name, reason)) => naming(judgement, name, (reason, Verdict::Suspect)),
            None => match homograph::claims::at_hoster(judgement, protected) {
                Some((name, verdict)) => {
                    naming(judgement, name.to_owned(), (Reason::NameInHost, verdict))
                }
                None => Arc::clone(judgement),
            },
        }
    }

    /// Adds the recipients' own name in a host beside words that only they use. What they call hosts below their own
    /// domain is theirs: `google-login.harbour.example`.
    fn with_own_name(&self, judgement: Arc<Judgement>) -> Arc<Judgement> {
        if judgement.verdict == Verdict::Suspect
            && has_only(judgement.reasons, Reason::NameInHost)
            && self.is_recipients(&judgement.ascii)
        {
            return Arc::new(Judgement {
                verdict: Verdict::Notice,
                ..Judgement::clone(&judgement)
            });
        }
        if !judgement.is_harmless() {
            return judgement;
        }
        let names: (&Names, &Names) = (&self.policy.protected, &self.own_names);
        let writer =
            if self.is_own_mail() { Correspondent::Colleague } else { Correspondent::Anybody };
        match homograph::claims::own_inside(&judgement, names, writer) {
            Some(name)
                if !self.policy.allows(&judgement.ascii)
                    && !self.has_known_owner(&judgement.ascii) =>
            {
                naming(&judgement, name, (Reason::NameInHost, Verdict::Suspect))
            }
            _ => judgement,
        }
    }

    /// Raises the verdict of a page that asks at a host which is called after a known name: `paypal.web.app/signin`.
    pub(super) fn raise_asking(&self, text: &str, link: &Link, judged: &mut Judged) {
        if judged.verdict != Verdict::Notice || !judged.reasons.contains(Reason::NameInHost) {
            return;
        }
        let Some(host) = judged.host.as_deref().filter(|host| host.verdict == Verdict::Notice)
        else {
            return;
        };
        let tail = text.get(link.tail.clone()).unwrap_or_default();
        if homograph::claims::asks_in_path(tail)
            && homograph::claims::at_hoster(host, &self.policy.protected).is_some()
            && !self.policy.allows(&host.ascii)
        {
            judged.verdict = Verdict::Suspect;
        }
    }
}

/// The judgement of a host that everybody reads as another.
fn posing_as(judgement: &Judgement, name: String) -> Arc<Judgement> {
    let mut posing = Judgement::clone(judgement);
    posing.reasons.insert(Reason::TargetLookalike);
    posing.verdict = posing.verdict.max(Verdict::Unsafe);
    posing.edit = posing.edit.max(Edit::Link);
    posing.target = Some(name);
    Arc::new(posing)
}

/// The judgement of a host that names another, unless it does as hosts of mail servers and of shops do.
fn naming(
    judgement: &Arc<Judgement>,
    name: String,
    (reason, verdict): (Reason, Verdict),
) -> Arc<Judgement> {
    if names_domain(&judgement.ascii) {
        return Arc::clone(judgement);
    }
    let mut naming = Judgement::clone(judgement);
    naming.reasons.insert(reason);
    naming.verdict = naming.verdict.max(verdict);
    naming.target = Some(name);
    // The name is drawn in the label that was registered: its letters say how.
    if reason == Reason::TargetLookalike
        && let Some(label) = registered(&mut naming)
    {
        label.reasons.insert(reason);
        label.verdict = label.verdict.max(Verdict::Suspect);
    }
    if is_shop(&naming) { Arc::clone(judgement) } else { Arc::new(naming) }
}

/// The label that was registered: the first one of the registrable domain.
fn registered(host: &mut Judgement) -> Option<&mut Label> {
    let own = registrable(&host.ascii, Section::Private)?;
    let at = host.labels.len().checked_sub(own.split('.').count())?;
    host.labels.get_mut(at)
}

/// A spelling that is too long to be judged, without the characters that browsers map to nothing (UTS #46 §4).
fn without_ignored(spelling: &str) -> Option<String> {
    let long = spelling.len() > homograph::SPELLING_BYTES;
    long.then(|| spelling.chars().filter(|c| !Class::of(*c).is_ignored()).collect())
}

#[cfg(test)]
mod tests {
    use crate::{Answers, Facts, Message, Policy, TldTable, Verdict, inspect};

    fn verdict(link: &str) -> Verdict {
        let body = format!("{link}\n");
        let message = Message { head: b"From: x@example.org\n", body: body.as_bytes() };
        let tlds = TldTable::new(["com", "app", "dev", "io", "org"], "");
        let (facts, policy) = (Facts::default(), Policy::default());
        inspect(message, &facts, &policy, &tlds).resolve(&Answers::new()).verdict
    }

    #[test]
    fn names_in_white_letters_are_unsafe() {
        for link in ["https://🅿🅰🆈🅿🅰🅻.com/", "www.🅿aypal.com", "https://🅟aypal-login.com/x"]
        {
            assert_eq!(verdict(link), Verdict::Unsafe, "{link}");
        }
        assert_eq!(verdict("https://🅿arking.com/"), Verdict::Suspect);
    }

    #[test]
    fn names_at_hosters_are_reported_where_the_page_asks() {
        for link in [
            "https://paypal.web.app/signin",
            "https://www.netflix.pages.dev/en/login.html",
            "https://coinbase.gitbook.io/us/account-verify",
            "paypal.web.app/Sign-In",
            "https://metamaskextension.webflow.io/",
        ] {
            assert_eq!(verdict(link), Verdict::Suspect, "{link}");
        }
        for link in [
            "https://paypal.web.app/",
            "https://paypal.web.app/__/auth/action?mode=verifyEmail&login=1",
            "https://coinbase.gitbook.io/docs",
        ] {
            assert_eq!(verdict(link), Verdict::Notice, "{link}");
        }
        for link in [
            "https://paypal.github.io/login",
            "https://netflix-clone.vercel.app/login",
            "https://harbour.web.app/login",
        ] {
            assert_eq!(verdict(link), Verdict::Ok, "{link}");
        }
    }
}
