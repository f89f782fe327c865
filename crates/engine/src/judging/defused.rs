//! Links that lead nowhere by what is known, and that a program opens all the same: they count where every link is
//! defanged.

use super::{Judge, Judged, TldStatus};
use crate::outcome::Verdict;
use crate::policy::Defang;
use maillinks::{Occurrence, Visibility};
use uts58::{Kind, Link};

impl Judge<'_> {
    /// Whether a link is one that is defanged whatever is known of it: a program follows it, and nobody reads it.
    pub fn defuses(&self, occurrence: &Occurrence) -> bool {
        self.policy.defang == Defang::All
            && self.policy.edits()
            && occurrence.visibility() == Visibility::Followed
    }

    /// Judges a link at its place: in one that a program follows its host is one whether or not the top-level domain is
    /// known.
    pub(super) fn link_at(
        &mut self,
        text: &str,
        link: &Link,
        occurrence: &Occurrence,
    ) -> Option<Judged> {
        let judged = self.link(text, link, occurrence.bounds);
        // A bare word is a page beside this one.
        if !self.defuses(occurrence) || link.kind == Kind::Bare {
            return judged;
        }
        let mut judged = match judged {
            Some(judged) => judged,
            None => {
                let judged = self.spelled_link(text, link, occurrence.bounds)?;
                // That its name is of nothing known is not against it: it may be a word to a program.
                let is_bad = judged.verdict > Verdict::Notice;
                if is_bad { judged } else { Judged { host: judged.host, ..Judged::without_host() } }
            }
        };
        judged.tld_status = TldStatus::Link;
        Some(judged)
    }
}

#[cfg(test)]
mod tests {
    use crate::policy::Defang;
    use crate::{Answers, Facts, Message, Policy, TldTable, Verdict};
    use mailsplice::splice;

    /// A page after every link in it was defanged, or only those that are judged so.
    fn after(page: &str, defang: Defang) -> String {
        let policy = Policy { defang, ..Policy::default() };
        let head = b"Content-Type: text/html; charset=utf-8\n";
        let message = Message { head, body: page.as_bytes() };
        let tlds = TldTable::new(["com", "top"], "");
        let outcome =
            crate::inspect(message, &Facts::default(), &policy, &tlds).resolve(&Answers::new());
        assert!(outcome.verdict <= Verdict::Notice, "{page}");
        let edited = splice::apply(page.as_bytes(), &outcome.edits).to_vec();
        String::from_utf8(edited).unwrap()
    }

    #[test]
    fn whatever_a_click_opens_is_defanged() {
        for url in [
            "tel:+1900123",
            " SMS:+1900123?body=x",
            "t&#101;l:1",
            "callto:x",
            "whatsapp://send?phone=1900",
            "tg://resolve?domain=evil",
            "market://details?id=x",
            "intent://x#Intent;package=x;end",
            "metamask://dapp/evil.top",
            "wc:abc@2?relay-protocol=irn",
            "bitcoin:1abc",
            "sip:1900",
            "nobody-knows:x",
            "http://shop.example.bit/x",
            "http://evilhost/x",
            "//evilhost:8080",
        ] {
            for page in ["<a href=\"{U}\">x</a>", "<map><area href=\"{U}\"></map>"] {
                let page = page.replace("{U}", url);
                let edited = after(&page, Defang::All);
                assert!(edited.contains(" data-unsafe-href"), "{url} {edited}");
                assert_eq!(after(&edited, Defang::All), edited, "{url}");
                assert_eq!(after(&page, Defang::Judged), page, "{url}");
            }
            let form = format!("<form action=\"{url}\">");
            assert!(after(&form, Defang::All).contains("about:invalid\">"), "{url}");
        }
        for page in [
            "<a href=\"#top\">x</a>",
            "<a href=\"login.html\">x</a>",
            "<a href=\"cid:1\">x</a>",
            "<a href=\"about:blank\">x</a>",
            "<a href=\"mailto:?subject=x\">x</a>",
            "<img src=\"unknown:x\">",
            "<p>tel:+1900123 http://evilhost/x",
        ] {
            assert_eq!(after(page, Defang::All), page);
        }
    }
}
