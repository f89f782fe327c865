//! Mail of the recipients' own domain, and what an author whom DMARC confirmed says of his own.

use std::sync::Arc;

use super::correspondents::NamedAuthors;
use super::{Judge, same_domain};
use crate::Dmarc;
use homograph::{Judgement, is_or_below};

impl Judge<'_> {
    /// Remembers the hosts of From; that of the only author too, if DMARC confirmed his domain and not everybody can have
    /// an address there.
    pub fn set_authors(&mut self, hosts: Vec<Arc<Judgement>>) {
        let is_confirmed = |host: &Arc<Judgement>| {
            self.facts.dmarc == Dmarc::Pass
                && !homograph::is_anybodys(&host.ascii, &self.policy.protected)
        };
        self.author = match hosts.as_slice() {
            [host] => Some(host).filter(|host| is_confirmed(host)).cloned(),
            _ => None,
        };
        self.named_authors = NamedAuthors::of(hosts);
    }

    /// The host of the only author, if DMARC confirmed it.
    pub fn author(&self) -> Option<Arc<Judgement>> {
        self.author.clone()
    }

    /// Whether a word is the label of a protected name, or of a recipient's.
    pub fn is_name(&self, word: &str) -> bool {
        self.policy.protected.has_label(word) || self.own_names.has_label(word)
    }

    /// Whether a host is a name of the recipients or the operator in letters of ASCII (`www.muellerbank.de`), which may be
    /// theirs as well, and the other is below that name no more than below this one.
    pub fn writes_out_own(&self, ascii: &str, other: &str) -> bool {
        let name = homograph::claims::writes_out(ascii, [&self.own_names, &self.policy.protected]);
        name.is_some_and(|name| !is_or_below(other, name) && !same_domain(ascii, other))
    }

    /// Whether a host is protected, or of an organisation that is known.
    pub fn has_known_owner(&self, ascii: &str) -> bool {
        self.is_protected(ascii) || homograph::has_owner(ascii, &self.policy.protected)
    }

    /// Whether the host is of the author's own domain: he may use a click counter of another domain.
    pub fn is_authors(&self, ascii: &str) -> bool {
        self.author.as_ref().is_some_and(|author| same_domain(&author.ascii, ascii))
    }

    /// Whether the host is of a recipient's domain, and not everybody can have an address there.
    pub fn is_recipients(&self, ascii: &str) -> bool {
        let domains = &self.facts.recipient_domains;
        self.facts.dmarc != Dmarc::Fail
            && !self.is_anybodys(ascii)
            && domains.iter().any(|domain| same_domain(domain, ascii))
    }

    /// Whether the host is of a domain in From, and not everybody can have an address there. Nobody gains by a forged
    /// From what leads to the domain that is forged.
    pub fn is_senders(&self, ascii: &str) -> bool {
        self.facts.dmarc != Dmarc::Fail && !self.is_anybodys(ascii) && self.is_of_from(ascii)
    }

    /// Whether a sender whom DMARC confirms is called as a recipient by chance, as his domain says: `American Express` to
    /// `american.example`.
    pub fn is_namesake(&self, sender: &str, own: &str) -> bool {
        self.facts.dmarc == Dmarc::Pass
            && self.own_names.covers(own)
            && !self.is_anybodys(sender)
            && homograph::claims::is_namesake(sender, own, &self.policy.protected)
    }

    /// Whether everybody can have an address at a host.
    pub fn is_anybodys(&self, ascii: &str) -> bool {
        homograph::is_anybodys(ascii, &self.policy.protected)
    }

    /// Whether somebody of the recipients' own domain writes, as DMARC confirmed.
    pub fn is_own_mail(&self) -> bool {
        self.author.as_ref().is_some_and(|author| self.is_recipients(&author.ascii))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use crate::outcome::{Reason, Verdict};
    use crate::tests::to_harbour;
    use crate::{Answers, Dmarc, Facts, Message, Policy, TldTable};
    use homograph::Names;

    /// Colleagues know further domains of their house; nobody names one of them after its VPN.
    #[test]
    fn a_house_may_have_further_domains() {
        let verdict = |from: &str, dmarc: Dmarc, to: &str| {
            to_harbour(from, "text/plain", &format!("https://{to}/"), dmarc).verdict
        };
        let (own, other) = ("ann@harbour.com", "ann@evil.top");
        for to in ["harbouronline.com", "harbourmail.top"] {
            assert_eq!(verdict(own, Dmarc::Pass, to), Verdict::Ok, "{to}");
            assert_eq!(verdict(own, Dmarc::Unknown, to), Verdict::Suspect);
            assert_eq!(verdict(other, Dmarc::Pass, to), Verdict::Suspect);
        }
        assert_eq!(verdict(own, Dmarc::Pass, "harbour-vpn.com"), Verdict::Suspect);
    }

    #[test]
    fn hosts_below_ones_own_domain_may_be_called_after_others() {
        let verdict = |to: &str| {
            let url = format!("https://{to}/");
            to_harbour("it@harbour.com", "text/plain", &url, Dmarc::Pass).verdict
        };
        assert_eq!(verdict("google-login.harbour.com"), Verdict::Notice);
        for to in ["google-login.harbour.top", "google-login.com", "goog\u{4cf}e.harbour.com"] {
            assert!(verdict(to) >= Verdict::Suspect, "{to}");
        }
    }

    #[test]
    fn a_sender_may_be_called_as_a_recipient_is() {
        let verdict = |name: &str, from: &str, to: &str, dmarc: Dmarc| {
            let head = format!("From: {name} <{from}>\nContent-Type: text/plain\n");
            let message = Message { head: head.as_bytes(), body: b"Hello" };
            let facts = Facts { recipient_domains: vec![to.to_owned()], dmarc, ..Facts::default() };
            let tlds = TldTable::new(["com", "org", "top"], "");
            crate::inspect(message, &facts, &Policy::default(), &tlds)
                .resolve(&Answers::new())
                .verdict
        };
        let express = ("American Express", "a@welcome.americanexpress.com", "american.com");
        let bank = ("Planet Bank", "a@planetbank.com", "planet.org");
        for (name, from, to) in [express, bank, ("Planet Bank Support", bank.1, bank.2)] {
            assert_eq!(verdict(name, from, to, Dmarc::Pass), Verdict::Ok, "{name}");
            assert_eq!(verdict(name, from, to, Dmarc::Fail), Verdict::Suspect, "{name}");
        }
        for (name, from, to) in [
            ("Planet Payroll", "a@planetpayroll.com", "planet.org"),
            ("Planet Support", "a@planetsupport.top", "planet.org"),
            ("Planet Mail", "a@planetmail.com", "planet.org"),
            ("Kestrelbay Bank", "a@kestrelbaybank.com", "kestrelbay.org"),
            ("Planet Bank", "a@verify.top", "planet.org"),
            ("Planet HR", "a@gmail.com", "planet.org"),
        ] {
            assert_eq!(verdict(name, from, to, Dmarc::Pass), Verdict::Suspect, "{name}");
        }
    }

    #[test]
    fn a_link_to_ones_own_site_may_name_a_site_that_it_watches() {
        let verdict = |from: &str, dmarc: Dmarc, to: &str| {
            let body = format!("<a href=\"https://{to}/1\">https://api.paypal.com/v1 is down</a>");
            let outcome = to_harbour(from, "text/html", &body, dmarc);
            let mut found = outcome.findings.into_iter();
            found
                .find(|finding| finding.reasons.contains(Reason::TextHrefMismatch))
                .map(|finding| finding.verdict)
        };
        let (own, other) = ("sentry@harbour.com", "sentry@evil.top");
        let notice = Some(Verdict::Notice);
        assert_eq!(verdict(own, Dmarc::Pass, "sentry.harbour.com"), notice);
        assert_eq!(verdict(own, Dmarc::Unknown, "sentry.harbour.com"), Some(Verdict::Suspect));
        assert_eq!(verdict(own, Dmarc::Pass, "evil.top"), Some(Verdict::Suspect));
        assert_eq!(verdict(other, Dmarc::Pass, "www.evil.top"), Some(Verdict::Suspect));
    }

    #[test]
    fn a_name_written_out_is_the_name_in_texts_and_names_of_senders() {
        let verdict = |from: &str, body: &str| {
            let policy = Policy {
                protected: Arc::new(Names::builtin().extended(["müllerbank.de"])),
                ..Policy::default()
            };
            let head = format!("From: {from}\nContent-Type: text/html; charset=utf-8\n");
            let message = Message { head: head.as_bytes(), body: body.as_bytes() };
            let tlds = TldTable::new(["de", "top", "com"], "");
            let facts = Facts::default();
            crate::inspect(message, &facts, &policy, &tlds).resolve(&Answers::new()).verdict
        };
        let link = |text: &str, to: &str| {
            verdict("a@example.com", &format!("<a href=\"https://{to}/x\">{text}</a>"))
        };
        for text in ["https://www.muellerbank.de/", "muellerbank.de", "www.müllerbank.de"] {
            assert_eq!(link(text, "evil.top"), Verdict::Suspect, "{text}");
            assert!(link(text, "xn--mllerbank-q9a.de") < Verdict::Suspect, "{text}");
        }
        for text in ["muellerbank.com", "muellers.de", "muellerbank.top"] {
            assert!(link(text, "evil.top") < Verdict::Suspect, "{text}");
        }
        assert_eq!(verdict("\"muellerbank.de\" <x@evil.top>", ""), Verdict::Suspect);
        assert!(verdict("\"muellerbank.de\" <x@muellerbank.de>", "") < Verdict::Suspect);
    }
}
