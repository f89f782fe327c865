//! What stands before the `@` of a link and is no host that poses: whether readers know it decides.

use super::logins::has_only;
use super::userinfo;
use super::{
    HostBounds, Judge, Judgement, Kind, Link, LinkJudgement, Reason, Section, Sender, Verdict,
    beside_host, carried_steps, registrable, same_domain,
};

impl Judge<'_> {
    /// The link without its userinfo, if that is a web address with a mail address beside it, and the verdict on that. Only
    /// for running text: in an attribute nothing separates the two.
    pub(super) fn address_beside(&mut self, text: &str, link: &Link) -> Option<(Link, Verdict)> {
        let verdict = match self.is_address_beside(text, link) {
            true => Verdict::Notice,
            false => self.handle_beside(text, link).or_else(|| self.behind_leftover(text, link))?,
        };
        Some((Link { user: None, ..link.clone() }, verdict))
    }

    /// The verdict on what somebody is called on a service, beside a web address, if nothing is against either. Programs
    /// that open all of it do so most of all behind a scheme: there it is a URL beside a site that readers know.
    fn handle_beside(&mut self, text: &str, link: &Link) -> Option<Verdict> {
        let shown = userinfo::handle_beside(text, link).and_then(|shown| text.get(shown))?;
        let [shown, own] =
            [shown, link.host_str(text)].map(|host| self.host(host, HostBounds::Certain));
        let is_beside = link.kind == Kind::Www || self.is_unknown(&shown);
        (is_beside && shown.is_harmless() && own.is_harmless()).then_some(Verdict::Notice)
    }

    /// The verdict on a mail address behind what is left of an encoding or a form. Programs may link all of it, so that
    /// it is suspect beside a site that readers know.
    fn behind_leftover(&mut self, text: &str, link: &Link) -> Option<Verdict> {
        let (shown, word) = userinfo::before_leftover(text, link)?;
        let is_seen = text.get(shown.end..).is_some_and(|rest| !userinfo::begins_unseen(rest));
        // A word that is a host may be the one that is to be seen.
        if word.rsplit_once('.').is_some_and(|(_, last)| self.tlds.exists_as(last)) {
            return None;
        }
        let [shown, own] = [text.get(shown)?, link.host_str(text)]
            .map(|host| self.host(host, HostBounds::Certain));
        // Nobody sees that the site ends before what is invisible.
        let verdict = match self.is_unknown(&shown) {
            true => Verdict::Notice,
            false if is_seen => Verdict::Suspect,
            false => return None,
        };
        (shown.is_harmless() && own.is_harmless()).then_some(verdict)
    }

    /// Whether the web address beside a mail address is none that readers know, or the mail address harmless.
    fn is_address_beside(&mut self, text: &str, link: &Link) -> bool {
        let ends_in_address = userinfo::ends_in_address(text, link);
        let shown = userinfo::address_beside(text, link);
        if !ends_in_address && shown.is_none() {
            return false;
        }
        let own = self.host(link.host_str(text), HostBounds::Certain);
        if let Some(site) = shown.clone().and_then(|shown| text.get(shown)) {
            // It leads to whom it names, whatever words stand between.
            let site = self.host(site, HostBounds::Certain);
            if site.is_harmless()
                && own.is_harmless()
                && self.are_of_one_owner(&site.ascii, &own.ascii)
            {
                return true;
            }
        }
        let is_known = || {
            let protected = &self.policy.protected;
            registrable(&own.ascii, Section::Icann) == Some(&own.ascii)
                && (self.is_protected(&own.ascii) || homograph::has_owner(&own.ascii, protected))
        };
        if ends_in_address && is_known() {
            // The domain of a known organisation, which has addresses for everybody perhaps, is no trap, and nothing of a
            // URL follows.
            let inner = self.named_in_userinfo(text, link, &own);
            return inner.iter().all(Judgement::is_harmless);
        }
        let Some(shown) = shown else { return false };
        // A browser reads a password behind a colon. It does no harm where the host is one that readers know.
        let colon = text.get(shown.end..).is_some_and(|rest| rest.starts_with(':'));
        if colon && !self.is_protected(&own.ascii) {
            return false;
        }
        let inner = self.named_in_userinfo(text, link, &own);
        let is_cell = userinfo::is_cell(text, link, &shown)
            || own.verdict <= Verdict::Notice && userinfo::is_in_row(text, link, &shown);
        let harmless = |host: &Judgement| {
            self.is_unknown(host)
                || is_cell && host.is_harmless()
                || self.are_of_one_owner(&host.ascii, &own.ascii)
        };
        inner.iter().all(harmless)
    }

    fn named_in_userinfo(&mut self, text: &str, link: &Link, own: &Judgement) -> Vec<Judgement> {
        let carried = homograph::carried(text, link, own, &self.context(HostBounds::Certain));
        self.steps += carried_steps(beside_host(text, link), &carried);
        carried.inner
    }

    /// Judges what a link contains beside its host. A login that reads as a host which nobody knows is only suspect.
    pub(super) fn carried(
        &mut self,
        text: &str,
        link: &Link,
        host: &Judgement,
        bounds: HostBounds,
    ) -> LinkJudgement {
        let tail = text.get(link.tail.clone()).unwrap_or_default();
        let is_email = link.kind == Kind::Email;
        let encoded = if is_email { None } else { self.encoded_urls(tail, host) };
        match encoded {
            // Deceptive already: the rest adds nothing.
            Some(encoded) if encoded.verdict >= Verdict::Unsafe => encoded,
            encoded => {
                let carried = self.carried_in_full(text, link, host, bounds);
                encoded.filter(|encoded| encoded.verdict > carried.verdict).unwrap_or(carried)
            }
        }
    }

    /// The same, but for URLs that are encoded.
    fn carried_in_full(
        &mut self,
        text: &str,
        link: &Link,
        host: &Judgement,
        bounds: HostBounds,
    ) -> LinkJudgement {
        let context = self.context(bounds);
        let carried = homograph::carried(text, link, host, &context);
        if !carried.reasons.contains(Reason::Userinfo) {
            return carried;
        }
        if self.is_address_as_link(text, link, host) {
            return as_of_person(self.without_user(text, link, host, bounds));
        }
        match userinfo::is_login(text, link) {
            true => self.login((text, link), host, bounds, carried),
            false => carried,
        }
    }

    /// What a link contains beside its host and its userinfo.
    fn without_user(
        &mut self,
        text: &str,
        link: &Link,
        host: &Judgement,
        bounds: HostBounds,
    ) -> LinkJudgement {
        let without_user = Link { user: None, ..link.clone() };
        homograph::carried(text, &without_user, host, &self.context(bounds))
    }

    /// What a link contains whose userinfo is a login. Where that is somebody's, it counts for nothing.
    fn login(
        &mut self,
        (text, link): (&str, &Link),
        host: &Judgement,
        bounds: HostBounds,
        carried: LinkJudgement,
    ) -> LinkJudgement {
        let user = link.user.clone().and_then(|user| text.get(user)).unwrap_or_default();
        let mailbox = userinfo::mailbox(user);
        // A mailbox of the host's own domain, or somebody of the family that has it; nobody but the owner of these hosts
        // has pages there.
        let is_own = mailbox.as_ref().is_some_and(|(_, domain)| same_domain(domain, &host.ascii))
            || registrable(&host.ascii, Section::Private)
                .is_some_and(|domain| userinfo::is_of_family(user, domain))
            || userinfo::is_at_folders(text, link);
        if carried.verdict < Verdict::Unsafe {
            let is_harmless = is_own && has_only(carried.reasons, Reason::Userinfo);
            let verdict = if is_harmless { Verdict::Notice } else { carried.verdict };
            return LinkJudgement { verdict, ..carried };
        }
        let end = link.host.end;
        let alone = Link { tail: end..end, ..link.clone() };
        let login = homograph::carried(text, &alone, host, &self.context(bounds));
        let local = mailbox.map(|(local, _)| local);
        // An address where everybody can have one is a person's.
        let is_persons = |host: &Judgement| local.is_some() && self.is_mailbox_host(host);
        // A hoster tells its customers what their routers call.
        let is_update = userinfo::is_address_update(text, link);
        let is_own_update =
            is_update && login.inner.iter().all(|host| self.is_recipients(&host.ascii));
        let is_plain = |host: &Judgement| self.is_unknown(host) || is_persons(host);
        if !is_own_update
            && (self.login_poses(user, local.as_deref(), bounds)
                || !login.inner.iter().all(is_plain))
        {
            return carried;
        }
        let is_nobodys = |host: &Judgement| {
            !self.has_known_owner(&host.ascii) && !self.is_recipients(&host.ascii)
        };
        let has_accounts = is_update || userinfo::has_accounts(text, link);
        let is_account = has_accounts && login.inner.iter().all(is_nobodys);
        let is_of_person =
            is_own || is_own_update || is_account || login.inner.iter().all(is_persons);
        self.steps += carried_steps(beside_host(text, link), &login);
        let mut rest = self.without_user(text, link, host, bounds);
        if is_of_person {
            return as_of_person(rest);
        }
        rest.add(Reason::Userinfo);
        rest.inner.extend(login.inner);
        rest
    }

    /// Whether the name in a login is that of an organisation.
    fn login_poses(&self, user: &str, local: Option<&str>, bounds: HostBounds) -> bool {
        let context = self.context(bounds);
        let nobody = Sender { local: "", host: "" };
        let poses = |name: &str| homograph::claims::poses(name, nobody, &context).is_some();
        poses(&userinfo::given_name(local.unwrap_or(user))) || local.is_some_and(poses)
    }

    /// Whether everybody can have an address at a host, and nothing is against it.
    pub fn is_mailbox_host(&self, host: &Judgement) -> bool {
        host.verdict <= Verdict::Notice
            && homograph::is_anybodys(&host.ascii, &self.policy.protected)
    }

    /// Whether a host is none that readers know, nor named like one: a line break in it hides no name from filters.
    pub fn names_nobody_known(&self, host: &Judgement) -> bool {
        self.is_unknown(host) && !host.ascii.split('.').any(|label| self.is_label_of_name(label))
    }

    /// Whether nothing is against a host, and readers do not know it.
    pub(super) fn is_unknown(&self, host: &Judgement) -> bool {
        host.is_harmless() && !self.is_protected(&host.ascii)
    }
}

/// What a link contains beside its userinfo, which is somebody's and poses as nothing.
fn as_of_person(mut rest: LinkJudgement) -> LinkJudgement {
    rest.reasons.insert(Reason::Userinfo);
    rest.verdict = rest.verdict.max(Verdict::Notice);
    rest
}
