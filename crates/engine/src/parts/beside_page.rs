//! What is read beside a page. Below the base that a header names (RFC 2557 §5): what relative links show is compared with
//! it, as it is with a `<base>`. Its actions, which are links with their name as text. And the page as it is where scripts
//! run.

mod login_page;

use std::collections::VecDeque;

use super::layer_reader::LayerReader;
use super::{OpenReading, Repeats};
use crate::budget::Budget;
use crate::cost::Stage;
use crate::finding::Findings;
use crate::judging::prices;
use crate::judging::{Judge, Judged};
use crate::outcome::{Reason, Verdict};
use maillinks::{InFront, Layer, Occurrence};
use mailsplice::media::Media;

/// Steps of each byte of a page that is searched for what scripts replace: its tags are read, and it is copied.
const SCRIPTED_STEPS_PER_BYTE: u64 = 2;

impl OpenReading<'_> {
    /// Reads what a page shows beside it: the links that are actions of it, and the page as other programs read it. False
    /// if the budget ended.
    pub(super) fn beside_page(
        &self,
        judge: &mut Judge<'_>,
        budget: &mut Budget<'_>,
        found: &mut Findings,
    ) -> bool {
        self.reading.media != Media::Html
            || self.actions(judge, budget, found)
                && self.under_bases(judge, budget, found)
                && self.embedded(judge, budget, found)
                && self.scripted(judge, budget, found)
                && self.login_page(judge, budget, found)
                && self.below_pages(judge, budget, found)
    }

    /// Reads the page as it is where scripts run, if it has `<noscript>`. False if the budget ended.
    fn scripted(
        &self,
        judge: &mut Judge<'_>,
        budget: &mut Budget<'_>,
        found: &mut Findings,
    ) -> bool {
        if !std::mem::take(&mut found.rereads.scripts) {
            return true;
        }
        let text = self.reading.text.as_str();
        budget.spend(Stage::Reading, SCRIPTED_STEPS_PER_BYTE * text.len() as u64)
            && maillinks::scripted(text).is_none_or(|page| self.other(&page, judge, budget, found))
    }

    /// Reads another page that this one is to some programs: what is found there again is found once. False if the budget
    /// ended.
    pub(super) fn other(
        &self,
        page: &Layer<'_>,
        judge: &mut Judge<'_>,
        budget: &mut Budget<'_>,
        found: &mut Findings,
    ) -> bool {
        let before = found.candidates.len();
        let goes_on = self.further(page, judge, budget, found);
        found.drop_repeated(before);
        goes_on
    }

    /// Reads the links that actions of a page are. False if the budget ended.
    fn actions(
        &self,
        judge: &mut Judge<'_>,
        budget: &mut Budget<'_>,
        found: &mut Findings,
    ) -> bool {
        let text = self.reading.text.as_str();
        if !maillinks::may_have_actions(text) {
            return true;
        }
        // Once by tags, and data once more.
        if !budget.spend(Stage::Reading, 2 * text.len() as u64) {
            return false;
        }
        maillinks::actions(text).iter().all(|layer| self.further(layer, judge, budget, found))
    }

    /// Reads a layer of which one link is new. False if the budget ended.
    pub(super) fn further(
        &self,
        layer: &Layer<'_>,
        judge: &mut Judge<'_>,
        budget: &mut Budget<'_>,
        found: &mut Findings,
    ) -> bool {
        if !budget.spend(Stage::Reading, prices::LAYER_STEPS) {
            return false;
        }
        let mut documents = VecDeque::new();
        self.layer((layer, Repeats::Never), &mut documents, judge, budget, found);
        budget.limit_reached().is_none()
    }

    /// Reads the page once more below each base that headers name. False if the budget ended.
    fn under_bases(
        &self,
        judge: &mut Judge<'_>,
        budget: &mut Budget<'_>,
        found: &mut Findings,
    ) -> bool {
        let text = self.reading.text.as_str();
        for base in &self.entry.bases {
            // The page is searched for relative addresses, and copied if it has one.
            if !budget.spend(Stage::Reading, 2 * text.len() as u64) {
                return false;
            }
            let Some(layer) = Layer::under_base(text, base) else { continue };
            if !self.further(&layer, judge, budget, found) {
                return false;
            }
        }
        true
    }
}

impl LayerReader<'_> {
    /// Whether a link was found without the tag that stands in front of the page: of such a page only that is new, if
    /// another host is shown for it. A label may be the name of a file, so that only a known host counts.
    pub(super) fn is_read_already(&self, occurrence: &Occurrence, judged: &Judged) -> bool {
        let least = match self.layer.in_front {
            InFront::Nothing => return false,
            InFront::Base => Verdict::Notice,
            InFront::Link | InFront::Action | InFront::Other => Verdict::Suspect,
        };
        let is_new = self.layer.in_front == InFront::Other || occurrence.is_in_front(self.layer);
        let differs = judged.reasons.contains(Reason::TextHrefMismatch);
        !(is_new && differs && judged.verdict >= least)
    }
}

#[cfg(test)]
mod tests {
    use crate::outcome::{Reason, Verdict};
    use crate::{Answers, Facts, Message, Policy, TldTable};

    /// The verdict of what differs from what is shown, and where it is.
    fn differs(head: &str, body: &str) -> Option<(Verdict, String)> {
        let message = Message { head: head.as_bytes(), body: body.as_bytes() };
        let tlds = TldTable::new(["com", "org", "top"], "");
        let (facts, policy) = (Facts::default(), Policy::default());
        let outcome = crate::inspect(message, &facts, &policy, &tlds).resolve(&Answers::new());
        assert_eq!(outcome.edits, []);
        let mut findings = outcome.findings.iter();
        let found = findings.find(|one| one.reasons.contains(Reason::TextHrefMismatch));
        found.map(|one| (one.verdict, one.place.to_string()))
    }

    /// The same of a page with this field, of a part of it, and of a part inside a multipart with it.
    fn everywhere(field: &str, page: &str) -> [Option<(Verdict, String)>; 3] {
        let html = "Content-Type: text/html\r\n";
        let related = "Content-Type: multipart/related; boundary=b\r\n";
        let parts = |first: &str| format!("--b\r\n{html}{first}\r\n{page}\r\n--b--\r\n");
        [
            differs(&format!("{html}{field}"), page),
            differs(related, &parts(field)),
            differs(&format!("{field}{related}"), &parts("")),
        ]
    }

    #[test]
    fn relative_links_lead_to_the_base_of_the_header() {
        let suspect = || Some((Verdict::Suspect, "header:Content-Location".to_owned()));
        let lure = "<a href=\"signin\">https://www.paypal.com/signin</a>";
        for field in [
            "Content-Base: https://evil.top/\r\n",
            "Content-Location: https://evil.top/x.html\r\n",
            "Content-Location: \"https://evil.top/\"\r\n",
            "Content-Location: https://www.paypal.com/\r\nContent-Base: https://evil.top/\r\n",
            "Content-Base: https://evil.top/\r\nContent-Location: cid:1@a.com\r\n",
        ] {
            assert_eq!(everywhere(field, lure), [suspect(), suspect(), suspect()], "{field}");
        }
        let field = "Content-Base: https://evil.top/\r\n";
        for page in [
            "<a href=\"\">www.paypal.com</a>",
            "<a href=\"/x\">www.paypal.com</a>",
            "<a href=\"?x\">www.paypal.com</a>",
            "<a href=\"#x\">www.paypal.com</a>",
            "<a href=\"https:x\">www.paypal.com</a>",
            "<form action=\"x\"><button>www.paypal.com</button></form>",
            // Where a client writes the base of the header in front of the page, it wins.
            "<base href=\"https://www.paypal.com/\"><a href=\"x\">www.paypal.com</a>",
        ] {
            assert_eq!(everywhere(field, page), [suspect(), suspect(), suspect()], "{page}");
        }
        let own = "<base href=\"https://evil.top/\"><a href=\"x\">www.paypal.com</a>";
        for found in everywhere("Content-Base: https://www.paypal.com/\r\n", own) {
            assert_eq!(found, Some((Verdict::Suspect, "base[href]".to_owned())));
        }
    }

    #[test]
    fn a_page_at_its_own_address_is_as_it_was() {
        let lure = "<a href=\"signin\">https://www.paypal.com/signin</a>";
        for field in [
            "",
            "Content-Location: signin.html\r\n",
            "Content-Location: cid:1@evil.top\r\n",
            "Content-Location: file:///evil.top/x.html\r\n",
            "Content-Base: https://www.paypal.com/de/\r\n",
        ] {
            assert_eq!(everywhere(field, lure), [None, None, None], "{field}");
        }
        let saved = "<img src=\"logo.png\"><a href=\"/\">News</a> <a href=\"x\">www.news.org</a> \
                     <a href=\"https://www.paypal.com/\">www.paypal.com</a>";
        let field = "Content-Location: https://www.news.org/2026/x.html\r\n";
        assert_eq!(everywhere(field, saved), [None, None, None]);
        let message =
            "Content-Type: multipart/mixed; boundary=b\r\nContent-Base: https://evil.top/\r\n";
        let inner = "--b\r\nContent-Type: message/rfc822\r\n\r\nContent-Type: text/html\r\n\r\n";
        let body = format!("{inner}{lure}\r\n--b--\r\n");
        assert_eq!(differs(message, &body), None, "another message");
    }
}
