//! Sites of governments as the text of links. Nobody else can have a host below their suffixes, and many cite them: who
//! counts the clicks of a newsletter does so for what it cites as well.

use super::super::Judge;
use super::ShownAs;
use super::rewritten::{COUNTERS, SHORTENERS};
use homograph::claims::is_government_site;
use maillinks::programs::is_below;

/// Services by which offices send mail and count clicks, or say what they are about.
const SERVICES: [&str; 5] =
    ["govdelivery.com", "granicus.com", "lnks.gd", "links.gd", "govnotify.com"];

/// Whether a host is of a service that offices have their mail sent by.
pub fn serves_offices(host: &str) -> bool {
    is_below(host, &SERVICES)
}

/// Whether a host is one of a government that such a service leads to.
pub(super) fn leads_by_service(seen: &str, led: &str) -> bool {
    is_government_site(seen) && serves_offices(led)
}

impl Judge<'_> {
    /// Whether a link shows a site of a government as an address, and leads to neither one of those, nor a service that
    /// leads there, nor where the confirmed author counts clicks: newsletters cite such sites.
    pub(super) fn shows_office(&self, shown: ShownAs<'_>, seen: &str, led: &str) -> bool {
        let is_address = matches!(shown, ShownAs::Address | ShownAs::Page { .. });
        is_address
            && is_government_site(seen)
            && !is_government_site(led)
            && !is_below(led, &COUNTERS)
            && !is_below(led, &SHORTENERS)
            && !self.is_authors(led)
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::mismatch;
    use crate::Dmarc;
    use crate::outcome::Verdict;
    use crate::tests::to_harbour;

    #[test]
    fn sites_of_governments_are_known() {
        for seen in [
            "https://www.dmv.ny.gov/pay",
            "www.mass.gov",
            "https://www.justice.govt.nz/fines",
            "https://sede.dgt.gob.es/multa",
            "https://www.nta.go.jp",
        ] {
            assert_eq!(mismatch(seen, "verify.top"), Some(Verdict::Suspect), "{seen}");
            for fine in ["lnks.gd", "links.govdelivery.com"] {
                assert_ne!(mismatch(seen, fine), Some(Verdict::Suspect), "{seen} {fine}");
            }
        }
        for led in ["shop.us1.list-manage.com", "bit.ly", "www.nasa.gov"] {
            let cited = mismatch("https://www.dmv.ny.gov/pay", led);
            assert_eq!(cited, Some(Verdict::Notice), "{led}");
        }
        for (seen, led) in [
            ("https://www.dmv.ny.gov/pay", "transact.ny.gov"),
            ("www.gov.uk", "www.tax.service.gov.uk"),
        ] {
            assert_eq!(mismatch(seen, led), None, "{seen} {led}");
        }
        for seen in
            ["More at Healthcare.gov about this", "www.gotown.com", "https://www.ny-gov.com/"]
        {
            assert_ne!(mismatch(seen, "verify.top"), Some(Verdict::Suspect), "{seen}");
        }
    }

    /// Who counts clicks at his own site is known to have sent the mail.
    #[test]
    fn confirmed_authors_count_clicks_at_their_own_site() {
        let body = "<a href=\"https://click.quayside.com/x\">https://www.cdc.gov/flu</a>";
        let outcome = |dmarc| to_harbour("News <a@quayside.com>", "text/html", body, dmarc).verdict;
        assert!(outcome(Dmarc::Pass) < Verdict::Suspect);
        assert_eq!(outcome(Dmarc::Unknown), Verdict::Suspect);
    }
}
