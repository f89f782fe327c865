//! Sites of the owner of the confirmed author's domain, other than that domain: `www.amazon.com` in mail of `amazon.co.uk`,
//! over the host of who counts clicks for him.

use super::{Judge, is_given_away, shared};

impl Judge<'_> {
    /// Whether a host is of the owner of the author's domain, or its site in another country, and nobody else publishes at
    /// the author's.
    pub(super) fn is_of_authors_owner(&self, seen: &str) -> bool {
        let Some(author) = self.author.as_ref().map(|author| author.ascii.as_str()) else {
            return false;
        };
        !shared::is_shared(author)
            && !is_given_away(author)
            && (self.are_of_one_owner(author, seen)
                || self.is_national_site(author, seen)
                || self.is_national_site(seen, author)
                || self.named_alike(author, seen))
    }

    /// Whether two hosts are national sites of one name.
    fn named_alike(&self, one: &str, other: &str) -> bool {
        let name = |host: &str| self.policy.protected.national(host);
        name(one).is_some_and(|known| name(other) == Some(known))
    }
}

#[cfg(test)]
mod tests {
    use crate::tests::to_harbour;
    use crate::{Dmarc, Reason, Verdict};

    /// The verdict of what a link shows that leads to who counts clicks.
    fn shown(from: &str, seen: &str, dmarc: Dmarc) -> Option<Verdict> {
        let page = format!("<a href=\"https://click.countermail.com/x\">{seen}</a>");
        let outcome = to_harbour(from, "text/html", &page, dmarc);
        let mut findings = outcome.findings.iter();
        let differs = findings.find(|one| one.reasons.contains(Reason::TextHrefMismatch));
        differs.map(|finding| finding.verdict)
    }

    #[test]
    fn an_owner_shows_his_further_sites() {
        for (from, seen) in [
            ("service@mail.paypal.de", "www.paypal.com"),
            ("service@paypal.com", "www.paypal.de"),
            ("x@paypal.fr", "www.paypal.de"),
            ("x@dhl.com", "www.dhl.de"),
            ("x@microsoftemail.com", "www.microsoft.com"),
        ] {
            assert_eq!(shown(from, seen, Dmarc::Pass), Some(Verdict::Notice), "{from} {seen}");
            for dmarc in [Dmarc::Unknown, Dmarc::Fail] {
                assert_eq!(shown(from, seen, dmarc), Some(Verdict::Suspect), "{from} {seen}");
            }
        }
    }

    #[test]
    fn others_show_what_is_not_theirs() {
        for (from, seen) in [
            ("x@fine.com", "www.paypal.com"),
            ("x@dhl.com", "www.paypal.com"),
            ("x@hotmail.com", "www.microsoft.com"),
            ("x@gmail.com", "www.google.com"),
            ("x@evil.onmicrosoft.com", "www.microsoft.com"),
            ("x@evil.sharepoint.com", "www.office.com"),
            ("x@evil.cloudapp.azure.com", "www.microsoft.com"),
            ("x@paypal.top", "www.paypal.com"),
            ("x@paypal.tk", "www.paypal.de"),
            ("x@paypal.login.com", "www.paypal.com"),
        ] {
            assert_eq!(shown(from, seen, Dmarc::Pass), Some(Verdict::Suspect), "{from} {seen}");
        }
    }
}
