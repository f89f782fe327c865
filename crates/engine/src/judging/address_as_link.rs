//! Mail addresses that somebody wrote as web addresses: `http://hall.berlin@example.de`, `www.ann.schmidt@example.net`.

use super::{Judge, Judgement, Sender};
use homograph::is_in_local_part;
use uts58::{Kind, Link};

/// Top-level domains of sites that readers expect behind a name, beside those of countries. Others are also towns,
/// surnames and words.
const OF_SITES: [&str; 9] = ["biz", "com", "edu", "gov", "info", "int", "mil", "net", "org"];

impl Judge<'_> {
    /// Whether a link is a mail address behind a scheme or `www.`, as programs write one into a field for links: nothing
    /// follows the host, which is that of From, of a recipient or of a mailbox provider, and what stands before the `@`
    /// is no site. Whoever reads it sees the host that opens.
    pub(super) fn is_address_as_link(&mut self, text: &str, link: &Link, host: &Judgement) -> bool {
        let user = link.user.clone().and_then(|user| text.get(user)).unwrap_or_default();
        let tail = text.get(link.tail.clone()).unwrap_or_default();
        if link.kind == Kind::Email || !matches!(tail, "" | "/") || !host.is_harmless() {
            return false;
        }
        let local = without(without(user, "mailto:"), "www.");
        let is_theirs = || {
            self.is_mailbox_host(host)
                || self.is_recipients(&host.ascii)
                || self.is_of_from(&host.ascii)
        };
        local.chars().all(is_in_local_part)
            && !local.rsplit_once('.').is_some_and(|(_, last)| is_of_sites(last))
            && is_theirs()
            && local.split('.').chain([local]).all(|word| self.is_of_nobody_known(word))
    }

    fn is_of_nobody_known(&mut self, word: &str) -> bool {
        let nobody = Sender { local: "", host: "" };
        !word.is_empty()
            && !self.is_label_of_name(&word.to_ascii_lowercase())
            && self.impersonated(word, nobody).is_none()
    }
}

fn without<'t>(text: &'t str, prefix: &str) -> &'t str {
    match text.split_at_checked(prefix.len()) {
        Some((before, rest)) if before.eq_ignore_ascii_case(prefix) => rest,
        _ => text,
    }
}

fn is_of_sites(label: &str) -> bool {
    label.len() <= 2 || OF_SITES.iter().any(|known| label.eq_ignore_ascii_case(known))
}

#[cfg(test)]
mod tests {
    use crate::Dmarc;
    use crate::outcome::Verdict;
    use crate::tests::to_harbour;

    const FROM: &str = "Ann Weber <ann@weber.com>";

    fn verdict(kind: &str, body: &str) -> Verdict {
        to_harbour(FROM, kind, body, Dmarc::Unknown).verdict
    }

    fn of_link(url: &str) -> Verdict {
        verdict("text/html", &format!("<p>Write to <a href=\"{url}\">us</a></p>"))
    }

    #[test]
    fn an_address_at_the_authors_or_at_a_provider_is_no_site_before_another() {
        for url in [
            "http://hall.top@weber.com",
            "https://hall.top@weber.com/",
            "http://www.info@weber.com",
            "http://mailto:ann.top@weber.com",
            "http://www.ann.top@gmail.com",
            "http://ann.top@harbour.com",
        ] {
            assert!(of_link(url) <= Verdict::Notice, "{url}");
        }
        for text in ["www.hall.top@weber.com", "http://ann.top@weber.com", "www.ann.top@gmail.com"]
        {
            assert!(verdict("text/plain", &format!("Write to {text} soon.")) <= Verdict::Notice);
        }
    }

    #[test]
    fn a_site_in_front_of_it_still_lies() {
        for url in [
            "http://hall.com@weber.com",
            "http://office.top@weber.com",
            "http://paypal.top@weber.com",
            "http://www.paypal@weber.com",
            "http://www.paypal.top@gmail.com",
            "http://paypal-login.top@weber.com",
            "http://hall.top@evil.com",
            "http://hall.top@weber.com/login",
            "http://hall.top@weber.com?a",
            "http://harbour.top@weber.com",
            "http://p\u{430}ypal.top@weber.com",
        ] {
            assert!(of_link(url) >= Verdict::Suspect, "{url}");
        }
    }
}
