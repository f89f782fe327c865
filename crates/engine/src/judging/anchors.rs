//! Compares what an anchor shows with where it leads.

use super::judged::leads_to_visible;
use super::{Judge, Judged, ShownAs};
use crate::budget::Budget;
use crate::cost::Stage;
use crate::outcome::{Reason, Verdict};
use maillinks::{AnchorAround, Occurrence, Rendering, SeenBy, View};
use uts58::{Kind, Link, Target, percent, reference};

/// Occurrences of a stretch that are judged together. None of them is in an anchor of another run.
#[derive(Clone, Copy)]
pub struct OccurrenceRun<'a> {
    /// Index of the first one among all.
    pub start: usize,
    pub occurrences: &'a [Occurrence],
}

/// Bytes of a visible URL that are compared with the target.
const COMPARED_BYTES: usize = 512;

/// Adds that markup breaks a host. Text without a link breaks long words like this as well.
fn add_break(broken: &mut Judged, is_link: bool, judge: &Judge<'_>) {
    let is_word = || broken.host.as_deref().is_some_and(|host| judge.names_nobody_known(host));
    match !is_link && is_word() {
        true => broken.add_with(Reason::HtmlObfuscated, Verdict::Notice),
        false => broken.add(Reason::HtmlObfuscated),
    }
}

/// Compares the links of a view, whose texts tell how each is written.
pub struct AnchorComparison<'a> {
    view: &'a View<'a>,
}

impl<'a> AnchorComparison<'a> {
    /// Of the links of one view.
    pub fn of(view: &'a View<'a>) -> AnchorComparison<'a> {
        AnchorComparison { view }
    }

    /// Compares visible text with the `href` around it. A host that a line break cuts is not deceptive if a click on
    /// it leads to that host.
    pub fn compare(
        &self,
        run: OccurrenceRun<'_>,
        (judge, budget): (&mut Judge<'_>, &mut Budget<'_>),
        judged: &mut [Option<Judged>],
    ) {
        // The anchor whose further recipients were compared: with one address that it shows, so that the work is linear.
        let mut compared = None;
        for (index, occurrence) in run.occurrences.iter().enumerate() {
            let anchor = occurrence.anchor.target();
            let anchor = anchor.and_then(|anchor| anchor.checked_sub(run.start));
            if occurrence.shown == Rendering::Broken
                && !leads_to_visible(judged, index, anchor)
                && let Some(Some(broken)) = judged.get_mut(index)
            {
                add_break(broken, anchor.is_some(), judge);
            }
            if occurrence.anchor == AnchorAround::Calls {
                let shown = judged.get_mut(index).and_then(Option::as_mut);
                shown.into_iter().for_each(|shown| judge.compare_with_call(shown, occurrence));
            }
            let Some(anchor) = anchor else { continue };
            let Some(visible) = judged.get(index).cloned().flatten() else { continue };
            if is_address(occurrence)
                && !names_person(occurrence, &visible, judge)
                && compared.replace(anchor) != Some(anchor)
            {
                let targets = judged.get_mut(anchor + 1..).unwrap_or_default();
                further_recipients(run.occurrences, anchor)
                    .zip(targets)
                    .filter_map(|(_, target)| target.as_mut())
                    .for_each(|target| judge.compare_recipient(&visible, target));
            }
            let Some(href) = run.occurrences.get(anchor) else { continue };
            if let Some(Some(target)) = judged.get_mut(anchor)
                && !self.shows(occurrence, href)
                && !self.names(occurrence, target)
            {
                self.compare_target((occurrence, &visible), (href, target), judge);
                if let Some(next) = run.occurrences.get(anchor + 1)
                    && self.is_of_program(next, href)
                    && let Some(Some(target)) = judged.get_mut(anchor + 1)
                {
                    self.compare_target((occurrence, &visible), (next, target), judge);
                }
                if !budget.spend(Stage::Judging, judge.take_steps()) {
                    return;
                }
            }
        }
    }

    /// Whether a program may open this page as well as the one that its URL gives for browsers, which was found first:
    /// `intent://a.example#Intent;S.browser_fallback_url=https%3A%2F%2Fb.example;end`.
    fn is_of_program(&self, next: &Occurrence, first: &Occurrence) -> bool {
        let url = self.view.seen.get(next.seen).map_or("", |seen| seen.as_str()).trim_ascii_start();
        let scheme = || reference::scheme(url).and_then(|colon| url.get(..colon));
        next.seen != first.seen
            && next.site == first.site
            && next.seen_by == SeenBy::Standard
            && scheme().is_some_and(|scheme| scheme.eq_ignore_ascii_case("intent"))
    }

    /// Compares what is visible with the target of the anchor around it. A person's address may lead to his page.
    fn compare_target(
        &self,
        (occurrence, visible): (&Occurrence, &Judged),
        (href, target): (&Occurrence, &mut Judged),
        judge: &mut Judge<'_>,
    ) {
        let before = target.verdict;
        judge.compare(visible, target, self.shown_as(occurrence));
        let is_person = || {
            !is_address(href)
                && names_person(occurrence, visible, judge)
                && judge.leads_to_known_site(target)
        };
        if self.is_escaped(occurrence) || is_person() {
            target.verdict = target.verdict.min(before.max(Verdict::Notice));
        }
    }

    /// Whether the text up to the end of what is visible is the beginning of the `href`: `a.example/b，c.example` is
    /// two links to a program that ends one at the comma, and both show the target.
    fn shows(&self, visible: &Occurrence, href: &Occurrence) -> bool {
        let seen = self.view.seen.get(href.seen).map_or("", |seen| seen.as_str());
        let target = seen.get(href.span()).unwrap_or_default();
        let span = visible.span();
        if let (Target::Link(link), Some(seen)) =
            (&visible.target, self.view.seen.get(visible.seen))
            && is_shortened((seen.as_str(), link), target)
        {
            return true;
        }
        let text = self.word_before(visible, span.end);
        text.is_some_and(|text| text.len() > span.len() && target.starts_with(text))
    }

    /// How a link shows a host.
    fn shown_as(&self, visible: &Occurrence) -> ShownAs<'_> {
        let seen = self.view.seen.get(visible.seen).map_or("", |seen| seen.as_str());
        let Target::Link(link) = &visible.target else { return ShownAs::Address };
        let tail = seen.get(link.tail.clone()).unwrap_or_default();
        match visible.anchor {
            _ if visible.seen_by == SeenBy::Glance => ShownAs::AtAGlance { tail },
            AnchorAround::AroundWords { before, behind, .. } => {
                let from = link.span.start.saturating_sub(before.into());
                let to = link.span.end + usize::from(behind);
                ShownAs::Word {
                    before: seen.get(from..link.span.start).unwrap_or_default(),
                    behind: seen.get(link.span.end..to).unwrap_or_default(),
                }
            }
            _ if !tail.is_empty() => ShownAs::Page { tail },
            _ => ShownAs::Address,
        }
    }

    /// Whether the text ends with the host of the target, although some programs begin the host later: `школа115.рф`,
    /// `窗花88.com`, `il·lustracions.com`.
    fn names(&self, visible: &Occurrence, target: &Judged) -> bool {
        let (Target::Link(link), Some(led)) = (&visible.target, target.destination()) else {
            return false;
        };
        if led.unicode.is_ascii() {
            return false;
        }
        let host = led.unicode.strip_prefix("www.").unwrap_or(&led.unicode);
        let text = self.word_before(visible, link.host.end).map(str::to_lowercase);
        text.is_some_and(|text| text.ends_with(host))
    }

    /// Whether a host stands behind an escape, as in a query (`clone?url=https%3A%2F%2Fexample.com`): it is not what the
    /// link is said to lead to.
    fn is_escaped(&self, visible: &Occurrence) -> bool {
        let Target::Link(link) = &visible.target else { return false };
        let seen = self.view.seen.get(visible.seen).map_or("", |seen| seen.as_str());
        let before = seen.as_bytes().get(..link.span.start).unwrap_or_default();
        before.last_chunk::<3>().is_some_and(|escape| percent::escape_at(escape).is_some())
    }

    /// The word of the visible text that ends at this offset.
    fn word_before(&self, visible: &Occurrence, end: usize) -> Option<&str> {
        let before = self.view.seen.get(visible.seen)?.as_str().get(..end)?;
        let start = before.floor_char_boundary(before.len().saturating_sub(COMPARED_BYTES));
        before.get(start..)?.rsplit(char::is_whitespace).next()
    }
}

/// Whether visible text is the beginning of the `href`, which is a link of a redirector: it goes as far as the URL that
/// this leads to, or it shows the host of a service that does nothing else. Programs shorten what they show.
fn is_shortened((text, link): (&str, &Link), target: &str) -> bool {
    let shown = text.get(link.span.clone()).unwrap_or_default().trim_end_matches(['.', '…']);
    let tail = text.get(link.tail.clone()).unwrap_or_default();
    let host = link.host_str(text);
    link.kind == Kind::Scheme
        && homograph::rewrites(host)
        && target.starts_with(shown)
        && (tail.contains("http") || tail.len() > 1 && homograph::only_rewrites(host))
}

/// Whether visible text is a mail address where everybody can have one: it claims to be a person, and no site.
fn names_person(visible: &Occurrence, judged: &Judged, judge: &Judge<'_>) -> bool {
    is_address(visible) && judged.host.as_ref().is_some_and(|host| judge.is_mailbox_host(host))
}

/// The addresses that stand behind this one in a URL (RFC 6068 §2: `?cc=`).
fn further_recipients(all: &[Occurrence], first: usize) -> impl Iterator<Item = &Occurrence> {
    let url = all.get(first);
    let rest = all.get(first + 1..).unwrap_or_default().iter();
    rest.take_while(move |next| {
        is_address(next) && url.is_some_and(|url| is_address(url) && next.seen == url.seen)
    })
}

fn is_address(occurrence: &Occurrence) -> bool {
    matches!(&occurrence.target, Target::Link(link) if link.kind == Kind::Email)
}

#[cfg(test)]
mod tests {
    use crate::outcome::{Reason, Reasons};
    use crate::{Facts, Message, Policy, TldTable};

    /// The reasons found in the message, and its edited body.
    fn read(from: &str, kind: &str, body: &str) -> (Reasons, String) {
        let (policy, tlds) = (Policy::default(), TldTable::new(["com", "top"], ""));
        let head = format!("From: {from}\r\nContent-Type: text/{kind}; charset=utf-8\r\n");
        let message = Message { head: head.as_bytes(), body: body.as_bytes() };
        let outcome = crate::inspect(message, &Facts::default(), &policy, &tlds)
            .resolve(&crate::Answers::new());
        let reasons = outcome.findings.iter().map(|finding| finding.reasons);
        let edited = mailsplice::splice::apply(body.as_bytes(), &outcome.edits).to_vec();
        (reasons.fold(Reasons::EMPTY, Reasons::union), String::from_utf8(edited).unwrap())
    }

    /// Some programs begin the host of the text later: `115.рф`.
    #[test]
    fn a_text_that_is_the_host_of_its_target_is_no_mismatch() {
        let is_mismatch = |seen: &str, led: &str| {
            let html = format!("<a href=\"https://{led}/\">{seen}</a>");
            read("a@b.com", "html", &html).0.contains(Reason::TextHrefMismatch)
        };
        for host in
            ["школа115.com", "窗花88.com", "욜로vip.com", "il·lustracions.com", "北京paypal.com"]
        {
            assert!(!is_mismatch(host, host), "{host}");
            assert!(!is_mismatch(host, &format!("www.{host}")), "{host}");
            assert!(is_mismatch(host, "other.com"), "{host}");
        }
        assert!(!is_mismatch("школа115.com", "xn--115-5cd3cgu2f.com"), "its A-label");
    }

    #[test]
    fn the_beginning_of_a_redirectors_link_is_no_mismatch() {
        let is_mismatch = |seen: &str, url: &str| {
            let html = format!("<a href=\"https://{url}\">https://{seen}</a>");
            read("a@b.com", "html", &html).0.contains(Reason::TextHrefMismatch)
        };
        let google = "www.google.com/url?q=https://firm-shop.com/x&amp;sa=D";
        let cisco = "secure-web.cisco.com/1AbC/https%3A%2F%2Ffirm-shop.com%2F";
        for (seen, url) in [
            ("www.google.com/url?q=https://fir...", google),
            ("www.google.com/url?q=https://fir…", google),
            ("secure-web.cisco.com/1AbC/...", cisco),
        ] {
            assert!(!is_mismatch(seen, url), "{seen}");
        }
        for (seen, url) in [
            ("www.google.com/", google),
            ("www.google.com/url", google),
            ("accounts.google.com/url?q=https://fir...", google),
            ("www.google.com/url?q=https://paypal.com", google),
            ("secure-web.cisco.com", cisco),
            ("www.cisco.com/1AbC/...", cisco),
        ] {
            assert!(is_mismatch(seen, url), "{seen}");
        }
    }

    /// What is shown of `evil.top` is `paypal.com`.
    #[test]
    fn a_link_that_a_control_reverses_is_deceptive() {
        for (kind, body) in [
            ("plain", "\u{202e}https://evil.top/nigis/moc.lapyap.www//:sptth"),
            ("plain", "see \u{202e}xx https://evil.top/moc.lapyap\u{202c} now"),
            ("plain", "\u{202e}<https://evil.top/moc.lapyap>"),
            ("plain", "\u{202e}www.evil.top/moc.lapyap"),
            ("html", "<p>&#8238;https://evil.top/moc.lapyap</p>"),
        ] {
            let (reasons, edited) = read("a@b.com", kind, body);
            assert!(reasons.contains(Reason::BidiControl), "{body}");
            assert!(edited.contains("evil[.]top"), "{edited}");
        }
        for fine in ["\u{202e}abc\u{202c} https://fine.top/", "\u{202e}abc\r\nhttps://fine.top/"] {
            assert_eq!(read("a@b.com", "plain", fine), (Reasons::EMPTY, fine.to_owned()));
        }
        for body in [
            "<a href='https://evil.top/'>&#8238;moc.lapyap.www</a>",
            "<a href='https://evil.top/'>www.&#8238;lapyap&#8236;.com</a>",
            "<p>\u{202e}<a href='https://evil.top/'>moc.lapyap.www</a></p>",
        ] {
            assert!(read("a@b.com", "html", body).0.contains(Reason::TextHrefMismatch), "{body}");
        }
        for from in ["\u{202e}laPyaP <x@evil.top>", "\"\u{202e}moc.lapyap\" <x@evil.top>"] {
            let reasons = read(from, "plain", "x").0;
            let name = [Reason::DisplayNamePoses, Reason::DisplayNameHost];
            assert!(name.into_iter().any(|name| reasons.contains(name)), "{from:?} {reasons:?}");
        }
    }

    #[test]
    fn a_host_that_continues_after_a_sign_is_reported() {
        for (text, reported) in [
            ("https://www.paypal.com–signin.evil.top/x", true),
            ("see www.paypal.com~signin.evil.top now", true),
            ("http://www.paypal.com(login.evil.top/", true),
            ("http://www.paypal.com(login.evil.top/)", false),
            ("https://www.fine.com–signin.evil.top/x", false),
            ("https://www.paypal.com–evil.top/x", false),
            ("https://www.paypal.com,www.ebay.com", false),
        ] {
            for kind in ["plain", "html"] {
                let (reasons, body) = read("a@b.com", kind, text);
                assert_eq!(reasons.contains(Reason::NameInHost), reported, "{kind} {text}");
                assert_eq!(body, text);
            }
            let anchor = format!("<a href=https://other.com/>{text}</a>");
            let reasons = read("a@b.com", "html", &anchor).0;
            assert!(!reasons.contains(Reason::NameInHost), "{anchor}");
        }
    }
}
