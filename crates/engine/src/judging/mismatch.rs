//! Whether what an anchor shows and where it leads belong to one owner.

use super::{Judge, Judged, TldStatus, same_domain};
use crate::outcome::{Reason, Verdict};
use crate::programs::is_below;
use homograph::Judgement;
use uts58::unicode::hosts::is_joiner;

/// Hosts of well-known owners below which, or at which, anybody publishes pages, that the public suffix list does not
/// name or names only in part: a link to one is not the owner's.
const SHARED: [&str; 15] = [
    "amazonaws.com",
    "azureedge.net",
    "cloudapp.azure.com",
    "core.windows.net",
    "docs.google.com",
    "drive.google.com",
    "forms.office.com",
    "on.aws",
    "onedrive.live.com",
    "onmicrosoft.com",
    "script.google.com",
    "sharepoint.com",
    "sites.google.com",
    "storage.googleapis.com",
    "wordpress.com",
];

impl Judge<'_> {
    /// Compares the visible host of an anchor with its target: they should have one registrable domain (S9) or one
    /// owner. Of a known name, also by the suffix of a country, this is suspect.
    pub fn compare(&self, visible: &Judged, target: &mut Judged) {
        let (Some(seen), Some(led)) = (visible.destination(), target.destination()) else { return };
        let is_asked = matches!(visible.tld_status, TldStatus::Asked(_));
        // Between ASCII letters a reader sees no joiner, and the word without it is another occurrence.
        let mut others = seen.unicode.chars().filter(|c| !c.is_ascii()).peekable();
        let is_read_joined = others.peek().is_some() && others.all(is_joiner);
        if is_asked
            || is_read_joined
            || self.is_authors(&seen.ascii)
            || self.is_related(&seen.ascii, &led.ascii)
        {
            return;
        }
        let protected = self.is_protected(&seen.ascii) || self.is_known(seen, led);
        target.add(Reason::TextHrefMismatch);
        if protected {
            target.verdict = target.verdict.max(Verdict::Suspect);
        }
    }

    fn is_related(&self, seen: &str, led: &str) -> bool {
        let protected = &self.policy.protected;
        if is_below(led, &SHARED) && !is_below(seen, &SHARED) {
            return false;
        }
        let seen_as = protected.national(seen).unwrap_or(seen);
        same_domain(seen, led) || self.are_of_one_owner(seen_as, led)
    }

    /// Whether the owner of the visible host is known although the host is no protected name, and the target is not
    /// its site in another country.
    fn is_known(&self, seen: &Judgement, led: &Judgement) -> bool {
        let protected = &self.policy.protected;
        let name = protected.national(&seen.ascii);
        match name {
            Some(_) => protected.national(&led.ascii) != name,
            None => homograph::has_owner(&seen.ascii, protected),
        }
    }

    /// Whether a link leads to a site that is known or the author's own, and nobody else publishes there.
    pub fn leads_to_known_site(&self, target: &Judged) -> bool {
        let is_known = |led: &Judgement| {
            self.is_authors(&led.ascii)
                || self.is_protected(&led.ascii)
                || homograph::has_owner(&led.ascii, &self.policy.protected)
        };
        let Some(led) = target.destination().filter(|_| target.inner.is_empty()) else {
            return false;
        };
        is_known(led) && !is_below(&led.ascii, &SHARED)
    }
}

#[cfg(test)]
mod tests {
    use crate::outcome::{Reason, Verdict};
    use crate::{Answers, Facts, Message, Policy, TldTable};

    /// The verdict of a link to `led` that is shown as `seen`, if they do not belong together.
    fn mismatch(seen: &str, led: &str) -> Option<Verdict> {
        let (policy, tlds) =
            (Policy::default(), TldTable::new(["com", "top", "jp", "de", "fr"], ""));
        let head = b"From: a@example.com\nContent-Type: text/html; charset=utf-8\n";
        let body = format!("<a href=\"https://{led}/x\">{seen}</a>");
        let message = Message { head, body: body.as_bytes() };
        let outcome =
            crate::inspect(message, &Facts::default(), &policy, &tlds).resolve(&Answers::new());
        let mut findings = outcome.findings.iter();
        let differs = findings.find(|one| one.reasons.contains(Reason::TextHrefMismatch));
        differs.map(|finding| finding.verdict)
    }

    #[test]
    fn sites_of_known_owners_are_known_in_every_country() {
        for seen in ["https://www.paypal.com", "www.amazon.co.jp", "amazon.de", "fb.com"] {
            assert_eq!(mismatch(seen, "verify.top"), Some(Verdict::Suspect), "{seen}");
        }
        for (seen, led) in [
            ("www.amazon.co.jp", "amazon.com"),
            ("amazon.de", "www.amazon.de"),
            ("fb.com", "www.facebook.com"),
        ] {
            assert_eq!(mismatch(seen, led), None, "{seen} {led}");
        }
        for (seen, led) in [("amazon.de", "amazon.fr"), ("www.fine.com", "verify.top")] {
            assert_eq!(mismatch(seen, led), Some(Verdict::Notice), "{seen} {led}");
        }
    }

    #[test]
    fn where_anybody_publishes_nothing_is_the_owners() {
        for (seen, led) in [
            ("login.microsoftonline.com", "evil.sharepoint.com"),
            ("www.amazon.com", "s3.amazonaws.com"),
            ("www.amazon.com", "ec2-1-2-3-4.compute-1.amazonaws.com"),
            ("accounts.google.com", "storage.googleapis.com"),
            ("www.google.com", "sites.google.com"),
        ] {
            assert_eq!(mismatch(seen, led), Some(Verdict::Suspect), "{seen} {led}");
        }
        for (seen, led) in [
            ("drive.google.com", "docs.google.com"),
            ("a.sharepoint.com", "a.sharepoint.com"),
            ("www.google.com", "maps.google.com"),
        ] {
            assert_eq!(mismatch(seen, led), None, "{seen} {led}");
        }
    }

    #[test]
    fn a_host_with_invisible_characters_is_what_a_reader_sees() {
        for seen in [
            "https://www.p&zwnj;aypal.com",
            "https://www.paypal.&zwnj;com",
            "https://www.p&zwnj;a&zwnj;y&zwnj;p&zwnj;a&zwnj;l&zwnj;.&zwnj;c&zwnj;o&zwnj;m",
            "pay&lrm;pal.com",
            "p&rlm;a&rlm;ypal.com",
            "https://www.paypal.&#x202d;com",
            "pay&#xE0061;pal.com",
            "paypal&#xFFF9;.com",
        ] {
            assert_eq!(mismatch(seen, "verify.top"), Some(Verdict::Suspect), "{seen}");
            // Programs that end words at them link `pal.com`.
            let fine = mismatch(seen, "www.paypal.com");
            assert!(fine.is_none_or(|verdict| verdict == Verdict::Notice), "{seen} {fine:?}");
        }
    }
}
