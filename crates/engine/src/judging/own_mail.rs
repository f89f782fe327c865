//! Mail of the recipients' own domain, and what an author whom DMARC confirmed says of his own.

use std::sync::Arc;

use super::correspondents::NamedAuthors;
use super::{Judge, same_domain};
use crate::Dmarc;
use homograph::Judgement;

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
    use crate::Dmarc;
    use crate::outcome::{Reason, Verdict};
    use crate::tests::to_harbour;

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
}
