//! Text to HTML with anchors, where the filter has nothing against a link: the command `linkify`.
//!
//! The text is read and judged by the same functions as the text of a mail, so that the answer is that of the filter.

use std::collections::HashMap;
use std::ops::Range;

use super::judging::{Judge, Judged};
use super::outcome::{Reason, Verdict};
use super::policy::Policy;
use super::{Case, Facts, Message, TldSet};
use homograph::linkify::{Options, linkify_among};
use homograph::{HostBounds, LinkJudgement, Rejected};
use maillinks::{Occurrence, SeenBy};
use mailsplice::media::Media;
use uts58::Target;

/// The text as HTML: markup characters escaped, links as anchors if some client would open them and the policy has
/// nothing against them, or against anything that is joined to them. A suspect host is shown in Punycode. The DNS is not
/// asked.
pub fn linkify(text: &str, options: &Options<'_>, policy: &Policy, tlds: &dyn TldSet) -> String {
    let (facts, message) = (Facts::default(), Message { head: b"", body: b"" });
    let mut judge = Judge::new(Case::new(message, &facts, policy, tlds));
    let Read { known, doubtful } = Read::of(text, &mut judge, tlds);
    linkify_among(text, options, tlds, &mut doubtful.into_iter(), &mut |link| {
        let read = known.get(&(link.host.start, link.host.end)).cloned();
        let mut judged = || judge.link(text, link, HostBounds::in_text(link.kind));
        read.or_else(|| judged().map(judgement)).unwrap_or_default()
    })
}

/// What the filter finds in a text.
#[derive(Default)]
struct Read {
    /// Its judgements, by the bytes of the host.
    known: HashMap<(usize, usize), LinkJudgement>,
    /// The stretches in which no link is made, in order, with the verdict of each.
    doubtful: Vec<(Range<usize>, Verdict)>,
}

impl Read {
    fn of(text: &str, judge: &mut Judge<'_>, tlds: &dyn TldSet) -> Read {
        let mut read = Read::default();
        for layer in maillinks::layers(text, Media::Plain) {
            let view = maillinks::read(&layer, tlds, usize::MAX);
            for occurrence in &view.occurrences {
                let Some(seen) = view.seen.get(occurrence.seen) else { continue };
                let Some(judged) = judge.occurrence(seen.as_str(), occurrence) else { continue };
                if occurrence.seen_by != SeenBy::Standard
                    && !judge.is_deceptive(seen.as_str(), occurrence, &judged)
                {
                    continue;
                }
                let source = |range| layer.seen.source(seen.source(range));
                read.add(text, occurrence, judged, source);
            }
        }
        // Nobody knows what stood there: of a host a piece would be left, and an address with it leads nowhere.
        let unknown = text.match_indices(char::REPLACEMENT_CHARACTER);
        read.doubtful.extend(
            unknown.map(|(at, unknown)| (joined(text, at..at + unknown.len()), Verdict::Suspect)),
        );
        read.doubtful.sort_by_key(|(stretch, _)| stretch.start);
        read
    }

    fn add(
        &mut self,
        text: &str,
        occurrence: &Occurrence,
        judged: Judged,
        source: impl Fn(Range<usize>) -> Range<usize>,
    ) {
        let (span, host) = match &occurrence.target {
            Target::Link(link) => (&link.span, Some(&link.host)),
            Target::Dangerous { span, .. } => (span, None),
        };
        let verdict = verdict(&judged);
        if verdict > Verdict::Notice {
            self.doubtful.push((joined(text, source(span.clone())), verdict));
        }
        if let Some(host) = host.filter(|_| occurrence.seen_by == SeenBy::Standard) {
            let host = source(host.clone());
            self.known.entry((host.start, host.end)).or_insert_with(|| judgement(judged));
        }
    }
}

/// A stretch with what is joined to it: signs and letters of ASCII without a blank. What is found behind an address or a URL
/// may be part of it to some client.
fn joined(text: &str, stretch: Range<usize>) -> Range<usize> {
    let is_joined = |byte: &&u8| byte.is_ascii_graphic();
    let (before, after) = (text.get(..stretch.start), text.get(stretch.end..));
    let before = before.map_or(0, |text| text.bytes().rev().take_while(|b| is_joined(&b)).count());
    let after = after.map_or(0, |text| text.bytes().take_while(|b| is_joined(&b)).count());
    stretch.start - before..stretch.end + after
}

/// The verdict that counts where an anchor would be made: a login is no site that readers are sent to.
pub(super) fn verdict(judged: &Judged) -> Verdict {
    match judged.reasons.contains(Reason::Userinfo) {
        true => judged.verdict.max(Verdict::Suspect),
        false => judged.verdict,
    }
}

fn judgement(judged: Judged) -> LinkJudgement {
    LinkJudgement {
        verdict: verdict(&judged),
        reasons: judged.reasons,
        edit: judged.edit,
        host: judged.host,
        inner: judged.inner,
        leads: judged.destination,
        rejected: Rejected::default(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use uts58::tlds::TldTable;

    fn html(text: &str) -> String {
        let tlds = TldTable::new(["bg", "com", "de", "gr", "jp", "org", "xn--p1ai"], "");
        linkify(text, &Options::default(), &Policy::default(), &tlds)
    }

    #[test]
    fn what_the_filter_finds_suspect_is_no_link_and_stands_in_punycode() {
        for (text, shown) in [
            // Labels of several scripts.
            ("http://หวย24hd.com/x", "http://xn--24hd-uio3a1a.com/x"),
            ("http://διcafe.gr/", "http://xn--cafe-fmd4a.gr/"),
            ("http://кафеcafe.bg", "http://xn--cafe-43d4a7a0f.bg"),
            ("at http://раypal.com/x now", "at http://xn--ypal-43d9g.com/x now"),
            // Names that only senders are held against, as a whole.
            (
                "http://rìpple.com http://gstatíc.com",
                "http://xn--rpple-tsa.com http://xn--gstatc-7va.com",
            ),
            ("http://Instagramç.com", "http://xn--instagram-y3a.com"),
            ("paypal-sécurité.com", "xn--paypal-scurit-ihbf.com"),
            // Defanged, and by half.
            ("раypal[.]com", "раypal[.]com"),
            ("https://www.раypal(.)com/x", "https://www.xn--ypal-43d9g(.)com/x"),
            // Hosts of ASCII stay as they are spelled.
            ("http://PayPal-Login.com/", "http://PayPal-Login.com/"),
        ] {
            assert_eq!(html(text), shown);
        }
    }

    #[test]
    fn no_link_is_made_in_a_run_of_which_some_reading_is_suspect() {
        for text in [
            "a@example.com/раypal.com",
            "mailto:a@example.com#@раypal.com",
            "https://example.com/a,https://раypal.com/",
            "https://user@example.com/",
            "example.com[.]evil.org",
            "https://example.com(.)evil.org/x",
        ] {
            let html = html(text);
            assert!(!html.contains("<a "), "{html}");
        }
    }

    #[test]
    fn what_is_harmless_is_a_link() {
        for (text, href) in [
            ("see example.com, please", "http://example.com"),
            ("bücher.de", "http://xn--bcher-kva.de"),
            ("почта.рф и яндекс.рф", "http://xn--80a1acny.xn--p1ai"),
            ("раypal.com example.com", "http://example.com"),
            ("раypal.comと、example.comです", "http://example.com"),
            ("write to anna@bücher.de", "mailto:anna@xn--bcher-kva.de"),
        ] {
            let html = html(text);
            assert!(html.contains(&format!("<a href=\"{href}\"")), "{html}");
        }
    }

    #[test]
    fn no_link_is_made_of_what_stands_beside_an_unknown_character() {
        for text in [
            "http://b\u{FFFD}cher.de/ http://müll\u{FFFD}.de",
            "http://example.com/\u{FFFD}",
            "\u{FFFD}bücher.de",
        ] {
            assert_eq!(html(text), text);
        }
        assert!(html("\u{FFFD} example.com").contains("<a "));
    }

    #[test]
    fn lists_of_the_policy_count() {
        let tlds = TldTable::new(["com"], "");
        let blocked = std::sync::Arc::new(homograph::Names::new(["evil.com"]));
        let policy = Policy { blocked, ..Policy::default() };
        let html = linkify("evil.com", &Options::default(), &policy, &tlds);
        assert_eq!(html, "evil.com");
    }
}
