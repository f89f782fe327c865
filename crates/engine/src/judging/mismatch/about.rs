//! Pages that are about a site, and say its name in links to them: tests of servers, registers, encyclopaedias, lists of
//! what was said.

use super::Judged;
use crate::outcome::Verdict;
use maillinks::programs::is_below;

/// Sites that have a page about every other: nobody but their owner writes links there, and none leads on by itself.
const SITES: [&str; 32] = [
    "builtwith.com",
    "censys.io",
    "crt.sh",
    "developer.mozilla.org",
    "dnschecker.org",
    "dnsviz.net",
    "domaintools.com",
    "downdetector.com",
    "eur-lex.europa.eu",
    "finance.yahoo.com",
    "gtmetrix.com",
    "hstspreload.org",
    "internet.nl",
    "mxtoolbox.com",
    "news.ycombinator.com",
    "observatory.mozilla.org",
    "opencorporates.com",
    "pagespeed.web.dev",
    "sec.gov",
    "securityheaders.com",
    "securitytrails.com",
    "shodan.io",
    "similarweb.com",
    "ssllabs.com",
    "trustpilot.com",
    "urlscan.io",
    "validator.w3.org",
    "virustotal.com",
    "webpagetest.org",
    "who.is",
    "whois.com",
    "wikipedia.org",
];

/// Whether a link leads to one of them, and nothing else is against it.
pub(super) fn is_page_about(target: &Judged) -> bool {
    let led = target.destination().filter(|_| target.verdict <= Verdict::Notice);
    led.is_some_and(|led| is_below(&led.ascii, &SITES))
}

#[cfg(test)]
mod tests {
    use super::super::tests::in_page;
    use super::SITES;
    use crate::outcome::Verdict;

    #[test]
    fn the_list_is_sorted() {
        assert!(SITES.is_sorted());
    }

    #[test]
    fn a_page_about_a_site_may_be_called_by_it() {
        let over = |url: &str| in_page(&format!("<a href=\"https://{url}\">www.amazon.de</a>"));
        for url in [
            "www.ssllabs.com/ssltest/analyze.html?d=www.amazon.de",
            "en.wikipedia.org/wiki/Amazon.com",
            "news.ycombinator.com/from?site=amazon.de",
        ] {
            assert_eq!(over(url), Some(Verdict::Notice), "{url}");
        }
        for url in [
            "www.ssllabs.com.verify.top/?d=www.amazon.de",
            "ssllabs.top/?d=www.amazon.de",
            "p\u{430}ypal.com@www.ssllabs.com/",
            "www.microsoft.com/?d=www.amazon.de",
        ] {
            assert!(over(url) >= Some(Verdict::Suspect), "{url}");
        }
    }
}
