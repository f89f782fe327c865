//! Anchors that show a known site or address and lead to no page: a call, a message to somebody else as well. And pages
//! that say whose they are, and lead to somebody else.

use super::super::{Judge, Judged, Kind, Occurrence, Target};
use super::{ShownAs, shared};
use crate::outcome::{Reason, Verdict};
use homograph::HostBounds;
use homograph::claims::Sender;
use uts58::reference;

impl Judge<'_> {
    /// The domain of the organisation that a text claims to be of, if a URL leads to somebody else who is not known.
    pub fn claimed_elsewhere(&mut self, text: &str, url: &str) -> Option<String> {
        let mut targets = reference::parse(url, 0..url.len());
        let Some(Target::Link(link)) = targets.next() else { return None };
        let led = self.spelled_link(url, &link, HostBounds::Certain)?;
        let host = led.destination()?.ascii.clone();
        if self.has_known_owner(&host) && !shared::is_shared(&host) {
            return None;
        }
        self.impersonated(text, Sender { local: "", host: &host })
    }

    /// Compares the visible host of an anchor that calls somebody: no known site is shown for that.
    pub fn compare_with_call(&mut self, visible: &mut Judged, occurrence: &Occurrence) {
        let Target::Link(link) = &occurrence.target else { return };
        let Some(seen) = visible.destination().filter(|_| link.kind != Kind::Email) else { return };
        if self.is_site_of_known(seen) && !self.is_authors(&seen.ascii) {
            // A bare name is that of the firm, which may be called.
            let verdict = if link.kind.is_announced() { Verdict::Suspect } else { Verdict::Notice };
            visible.add_with(Reason::TextHrefMismatch, verdict);
        }
    }

    /// Compares the visible address of an anchor with a further recipient of its message, who gets what the first one
    /// gets: nothing is said of those whom the author or a reader knows.
    pub fn compare_recipient(&mut self, visible: &Judged, further: &mut Judged) {
        let led = further.destination().map(|led| led.ascii.clone());
        if led.is_some_and(|led| !self.is_authors(&led) && !self.is_recipients(&led)) {
            self.compare(visible, further, ShownAs::AtAGlance { tail: "" });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::in_page;
    use crate::outcome::Verdict;

    /// The worst verdict of a link with this text.
    fn over(url: &str, seen: &str) -> Option<Verdict> {
        in_page(&format!("<a href=\"{url}\">{seen}</a>"))
    }

    #[test]
    fn a_known_site_is_no_text_of_a_call() {
        for url in [
            "whatsapp://send?phone=491701234567",
            "tel:+19001234567",
            "&#116;el:+19001234567",
            "SMS:+19001234567",
            "tg://resolve?domain=x",
            "skype:x?chat",
            "bitcoin:1abc",
            "market://details?id=x",
        ] {
            for seen in ["www.paypal.com", "https://paypal.com/login"] {
                assert_eq!(over(url, seen), Some(Verdict::Suspect), "{url} {seen}");
            }
            assert_eq!(over(url, "PayPal.com"), Some(Verdict::Notice), "{url}");
            for seen in ["www.fine.com", "Call us", "service@paypal.com"] {
                assert_eq!(over(url, seen), None, "{url} {seen}");
            }
        }
    }

    #[test]
    fn both_pages_that_a_program_may_open_are_compared() {
        let intent = |own: &str, fallback: &str| {
            let url = format!(
                "intent://{own}/a#Intent;scheme=https;S.browser_fallback_url=https%3A%2F%2F{fallback};end"
            );
            over(&url, "www.paypal.com")
        };
        assert_eq!(intent("verify.top", "www.paypal.com"), Some(Verdict::Suspect));
        assert_eq!(intent("www.paypal.com", "verify.top"), Some(Verdict::Suspect));
        assert_eq!(intent("www.paypal.com", "www.paypal.com"), None);
    }

    #[test]
    fn a_redirector_with_two_ends_is_compared_with_both() {
        for (url, verdict) in [
            (
                "https://www.google.com/url?q=https://www.paypal.com/&amp;url=https://verify.top",
                Some(Verdict::Suspect),
            ),
            (
                "https://www.google.com/url?q=https://www.paypal.com/&amp;url=https://paypal.com/x",
                None,
            ),
            ("https://www.google.com/url?sa=t&amp;url=https://www.paypal.com/&amp;q=pay", None),
            (
                "https://urldefense.proofpoint.com/v2/url?u=https-3A__www.paypal.com&amp;d=x&amp;u=https-3A__verify.top",
                Some(Verdict::Suspect),
            ),
        ] {
            assert_eq!(over(url, "www.paypal.com"), verdict, "{url}");
        }
    }

    #[test]
    fn a_further_recipient_is_compared() {
        for url in [
            "mailto:service@paypal.com?cc=x@verify.top",
            "mailto:service@paypal.com?subject=x&amp;bcc=x@verify.top",
            "mailto:?to=service@paypal.com&amp;to=x@verify.top",
            "mailto:service@paypal.com,x@verify.top",
        ] {
            assert_eq!(over(url, "service@paypal.com"), Some(Verdict::Suspect), "{url}");
        }
        for (url, seen) in [
            ("mailto:service@paypal.com?cc=x@paypal.com", "service@paypal.com"),
            ("mailto:a@fine.com?cc=x@verify.top", "a@fine.com"),
            ("mailto:ann@gmail.com?cc=x@verify.top", "ann@gmail.com"),
            ("mailto:service@paypal.com?body=x@verify.top", "service@paypal.com"),
        ] {
            assert_eq!(over(url, seen), None, "{url}");
        }
    }

    /// Dashes and low lines are hyphens to a reader.
    #[test]
    fn a_name_with_a_hyphen_is_compared_by_how_it_looks() {
        for dash in
            "\u{2010}\u{2011}\u{2012}\u{2013}\u{2014}\u{2015}\u{2212}\u{2043}\u{fe63}\u{ff0d}_"
                .chars()
        {
            for seen in ["www.deutsche-bank.de", "https://deutsche-bank.de/a_b"] {
                let seen = seen.replace('-', &dash.to_string());
                assert_eq!(over("https://verify.top/x", &seen), Some(Verdict::Suspect), "{seen}");
                let own = over("https://www.deutsche-bank.de/", &seen);
                assert_ne!(own, Some(Verdict::Suspect), "{seen}");
            }
            let seen = format!("service@deutsche{dash}bank.de");
            if !dash.is_ascii() {
                assert_eq!(over("mailto:x@verify.top", &seen), Some(Verdict::Suspect), "{seen}");
            }
        }
        for fine in ["fine\u{2011}name.de", "Deutsche Bank\u{2013}fine.de", "fine_name.de/x-y_z"] {
            assert_ne!(over("https://verify.top/x", fine), Some(Verdict::Suspect), "{fine}");
        }
    }
}
