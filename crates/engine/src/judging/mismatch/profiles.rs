//! Profiles at social networks that a newsletter shows over a link that is counted: `facebook.com/example` over the
//! author's own domain, or the service that sends for him. Nobody logs in at somebody's profile.

use super::rewritten::COUNTERS;
use super::{Judge, Judged, ShownAs};
use crate::judging::prices::sender_steps;
use maillinks::programs::is_below;

/// Networks at which firms and people have a page of their own.
const NETWORKS: [&str; 24] = [
    "bsky.app", "facebook.com", "fb.com", "flickr.com", "instagram.com", "linkedin.com",
    "mastodon.social", "ok.ru", "pinterest.com", "pinterest.de", "reddit.com", "snapchat.com",
    "soundcloud.com", "t.me", "threads.com", "threads.net", "tiktok.com", "tumblr.com",
    "twitch.tv", "twitter.com", "vimeo.com", "vk.com", "x.com", "xing.com",
];

/// One that sells as well, and has its profiles behind these.
const VIDEOS: &str = "youtube.com";

/// What stands in front of a name in the path.
const KINDS: [&str; 14] = [
    "@", "add", "c", "channel", "company", "companies", "groups", "in", "pages", "profile", "r",
    "school", "showcase", "user",
];

/// Words of pages at which a network asks who somebody is.
const LOGINS: [&str; 30] = [
    "account", "accounts", "appeal", "appeals", "auth", "challenge", "checkpoint", "confirm",
    "copyright", "hacked", "help", "helpcenter", "identify", "login", "logout", "meta", "oauth",
    "password", "privacy", "recover", "recovery", "reset", "secure", "security", "session",
    "settings", "signin", "support", "verification", "verify",
];

impl Judge<'_> {
    /// Whether a link shows a profile at a network, and leads to the author's own site or to who counts clicks for him.
    pub(super) fn shows_profile(
        &mut self,
        shown: ShownAs<'_>,
        seen: &str,
        target: &Judged,
    ) -> bool {
        let (ShownAs::Page { tail } | ShownAs::AtAGlance { tail }) = shown else { return false };
        let is_counted = target.inner.is_empty()
            && target
                .destination()
                .is_some_and(|led| self.is_authors(&led.ascii) || is_below(&led.ascii, &COUNTERS));
        let name = profile(seen, tail).filter(|_| is_counted);
        name.is_some_and(|name| self.is_of_somebody(name))
    }

    /// Whether a name in a path has a word that is none of offices, and none of where one logs in. A number says nothing.
    fn is_of_somebody(&mut self, name: &str) -> bool {
        self.steps += sender_steps(name);
        let words = homograph::claims::words(name, &self.policy.protected);
        let is_name = |word: &str| word.len() > 1 && word.contains(char::is_alphabetic);
        words.iter().any(|word| !word.is_office && is_name(&word.text))
            && !words.iter().any(|word| LOGINS.contains(&word.text.as_str()))
    }
}

/// Bytes of a name at most.
const NAME: usize = 64;

/// The name in a path of one segment, or of two of which the first one says what it is of.
fn profile<'t>(host: &str, tail: &'t str) -> Option<&'t str> {
    let path = tail.strip_prefix('/')?;
    let path = path.strip_suffix('/').unwrap_or(path);
    let (kind, name) = path.split_once('/').unwrap_or(("", path));
    let is_name = |c: u8| c.is_ascii_alphanumeric() || matches!(c, b'.' | b'_' | b'-' | b'@');
    let is_there = is_below(host, &NETWORKS) || is_below(host, &[VIDEOS]);
    let is_of_kind = kind.is_empty() || KINDS.contains(&kind);
    (is_there && is_of_kind && name.len() <= NAME && name.bytes().all(is_name)).then_some(name)
}

#[cfg(test)]
mod tests {
    use crate::Dmarc;
    use crate::outcome::{Reason, Verdict};
    use crate::tests::to_harbour;

    /// The verdict of a link of a newsletter of `daily.com`.
    fn over(dmarc: Dmarc, to: &str, seen: &str) -> Option<Verdict> {
        let body = format!("<a href=\"https://{to}/c/1\">{seen}</a>");
        let outcome = to_harbour("news@daily.com", "text/html", &body, dmarc);
        let mut found = outcome.findings.into_iter();
        found
            .find(|finding| finding.reasons.contains(Reason::TextHrefMismatch))
            .map(|finding| finding.verdict)
    }

    #[test]
    fn a_profile_over_the_link_of_a_newsletter_is_a_notice() {
        for seen in [
            "facebook.com/daily",
            "www.instagram.com/the.daily_official/",
            "https://www.linkedin.com/company/daily",
            "https://x.com/daily",
            "youtube.com/@daily",
            "tiktok.com/@the.daily",
            "<img alt='facebook.com/daily' src=cid:x>",
        ] {
            assert_eq!(over(Dmarc::Pass, "click.daily.com", seen), Some(Verdict::Notice), "{seen}");
            for counter in ["daily.us3.list-manage.com", "d2v.na1.hubspotlinks.com"] {
                let verdict = over(Dmarc::Unknown, counter, seen);
                assert_eq!(verdict, Some(Verdict::Notice), "{seen} {counter}");
            }
            for other in ["click.daily.com", "verify.top"] {
                assert_eq!(over(Dmarc::Unknown, other, seen), Some(Verdict::Suspect), "{seen}");
            }
            assert_eq!(over(Dmarc::Pass, "verify.top", seen), Some(Verdict::Suspect), "{seen}");
        }
    }

    #[test]
    fn what_one_logs_in_at_is_no_profile() {
        for seen in [
            "https://www.paypal.com/signin",
            "www.paypal.com",
            "paypal.com/daily",
            "www.facebook.com",
            "https://www.facebook.com/",
            "facebook.com/login",
            "facebook.com/login.php",
            "facebook.com/daily/posts/1",
            "facebook.com/daily?next=1",
            "facebook.com/help",
            "facebook.com/103958472",
            "facebook.com/pages/103958472",
            "facebook.com/account-recovery",
            "facebook.com/accountrecovery",
            "facebook.com/metasupport",
            "facebook.com/checkpoint/1501092823525282",
            "instagram.com/copyright_appeal",
            "www.linkedin.com/login/daily",
            "x.com/settings",
            "amazon.com/daily",
        ] {
            for (dmarc, to) in [
                (Dmarc::Pass, "click.daily.com"),
                (Dmarc::Pass, "daily.us3.list-manage.com"),
                (Dmarc::Unknown, "d2v.na1.hubspotlinks.com"),
            ] {
                assert_eq!(over(dmarc, to, seen), Some(Verdict::Suspect), "{seen} {to}");
            }
        }
    }
}
