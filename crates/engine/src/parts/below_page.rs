//! Pages of several parts that programs show one below the other as one page (Mozilla, Apple Mail): a page is read once more
//! below what governs it of those above it.

use super::OpenReading;
use crate::budget::Budget;
use crate::cost::Stage;
use crate::finding::Findings;
use crate::judging::Judge;
use mailsplice::media::Media;
use mailsplice::mime::{ClientView, Part, Tree};

/// Steps of each byte of a page that is written below another, of what governs it, which is mostly style sheets, and of
/// one that is read for what goes on behind it: its end tags are compared with the elements that are open.
const BELOW_STEPS_PER_BYTE: u64 = 1;
const GOVERNING_STEPS_PER_BYTE: u64 = 6;
const ABOVE_STEPS_PER_BYTE: u64 = 4;

impl OpenReading<'_> {
    /// Reads the page below those that are shown above it, and keeps what of them governs the next. Once for a part. False
    /// if the budget ended.
    pub(super) fn below_pages(
        &self,
        judge: &mut Judge<'_>,
        budget: &mut Budget<'_>,
        found: &mut Findings,
    ) -> bool {
        let (tree, part) = (self.context.tree, self.part);
        let is_read = found.above.as_ref().is_some_and(|(last, _)| *last == part);
        if tree.parts.len() < 2 || is_read || !is_shown_page(self.entry) {
            return true;
        }
        let above = found.above.take().filter(|(last, _)| are_of_one_page(tree, *last, part));
        let above = above.map_or(String::new(), |(_, above)| above);
        let text = self.reading.text.as_str();
        let written = BELOW_STEPS_PER_BYTE * text.len() as u64
            + GOVERNING_STEPS_PER_BYTE * above.len() as u64;
        if !above.is_empty() && !budget.spend(Stage::Reading, written) {
            return false;
        }
        let page = (!above.is_empty()).then(|| maillinks::below(text, &above));
        if page.as_ref().is_some_and(|page| !self.other(page, judge, budget, found)) {
            return false;
        }
        // Most are the last.
        let mut rest = (part + 1..tree.parts.len()).zip(tree.parts.iter().skip(part + 1));
        let next = rest.find(|(_, next)| is_shown_page(next));
        let governs = next.is_some_and(|(next, _)| are_of_one_page(tree, part, next));
        if governs && !budget.spend(Stage::Reading, ABOVE_STEPS_PER_BYTE * text.len() as u64) {
            return false;
        }
        let whole = page.as_ref().map_or(text, |page| page.seen.as_str());
        let next = if governs { maillinks::governing(whole) } else { String::new() };
        found.above = Some((part, next));
        true
    }
}

/// Whether programs show the part as a page in the message.
fn is_shown_page(part: &Part) -> bool {
    part.is_read_as(Media::Html) && part.view == ClientView::Usual && !part.surroundings.attachment
}

/// Whether programs show both parts in one page.
fn are_of_one_page(tree: &Tree, one: usize, other: usize) -> bool {
    let (Some(one), Some(other)) = (tree.parts.get(one), tree.parts.get(other)) else {
        return false;
    };
    let are_pages = is_shown_page(one) && is_shown_page(other);
    are_pages && one.path != other.path && !one.is_version_beside(other)
}

#[cfg(test)]
mod tests {
    use crate::outcome::{Reason, Verdict};
    use crate::{Answers, Facts, Message, Policy, TldTable};

    /// The verdict of what differs in a message of these parts, each with a field of its own.
    fn differs(kind: &str, parts: &[(&str, &str)]) -> Option<Verdict> {
        let mut body = String::new();
        for (field, page) in parts {
            body += &format!("--b\r\nContent-Type: text/html\r\n{field}\r\n{page}\r\n");
        }
        body += "--b--\r\n";
        verdict(&format!("Content-Type: multipart/{kind}; boundary=b\r\n"), &body)
    }

    fn verdict(head: &str, body: &str) -> Option<Verdict> {
        let message = Message { head: head.as_bytes(), body: body.as_bytes() };
        let tlds = TldTable::new(["com", "org", "top"], "");
        let (facts, policy) = (Facts::default(), Policy::default());
        let outcome = crate::inspect(message, &facts, &policy, &tlds).resolve(&Answers::new());
        assert_eq!(outcome.edits, []);
        let findings = outcome.findings.iter();
        let differs = findings.filter(|one| one.reasons.contains(Reason::TextHrefMismatch));
        differs.map(|one| one.verdict).max()
    }

    const LURE: &str = "https://www.paypal.com/signin";

    #[test]
    fn what_a_page_leaves_open_governs_the_next() {
        let link = format!("<a href={{X}}>{LURE}</a>");
        for (above, page) in [
            ("<base href={X}>", "<a href=signin>{L}</a>"),
            ("<p>Hi</p><form action={X}>", "<button>{L}</button></form>"),
            ("<style>.a::before{content:\"{L}\"}</style>", "<a class=a href={X}></a>"),
            ("<style>.a{display:none}</style>", "<a href={X}>www.<b class=a>x-</b>paypal.com</a>"),
            ("<div><bdo dir=rtl>", "<a href={X}>ningis/moc.lapyap.www//:sptth</a>"),
            ("<p>Hi <a href={X}></p></body></html>", "{L}</a>"),
            ("<p>Hi</p><style>", "<p title=\"</style>{A}\">"),
        ] {
            let fill = |markup: &str, host: &str| {
                let url = format!("https://{host}/x");
                markup.replace("{A}", &link).replace("{L}", LURE).replace("{X}", &url)
            };
            for kind in ["mixed", "related"] {
                let to = |host: &str| {
                    differs(kind, &[("", &fill(above, host)), ("", &fill(page, host))])
                };
                assert_eq!(to("verify.top"), Some(Verdict::Suspect), "{kind} {above}");
                assert_ne!(to("www.paypal.com"), Some(Verdict::Suspect), "{kind} {above}");
            }
            let [above, page] = [above, page].map(|markup| fill(markup, "verify.top"));
            let three = [("", &*above), ("", "<p>Hello</p>"), ("", &*page)];
            assert_eq!(differs("mixed", &three), Some(Verdict::Suspect), "{above}");
            let inside = format!(
                "--b\r\nContent-Type: text/plain\r\n\r\nx\r\n--b\r\n\
                 Content-Type: multipart/mixed; boundary=c\r\n\r\n\
                 --c\r\nContent-Type: text/html\r\n\r\n{above}\r\n\
                 --c\r\nContent-Type: text/html\r\n\r\n{page}\r\n--c--\r\n--b--\r\n"
            );
            let head = "Content-Type: multipart/alternative; boundary=b\r\n";
            assert_eq!(verdict(head, &inside), Some(Verdict::Suspect), "{above}");
            // Programs show one of two versions, and open what is attached by itself.
            assert_ne!(
                differs("alternative", &[("", &above), ("", &page)]),
                Some(Verdict::Suspect),
                "{above}"
            );
            let attached = "Content-Disposition: attachment\r\n";
            for parts in [
                [(attached, &*above), ("", &*page)],
                [("", &*above), (attached, &*page)],
                [("", &*page), ("", &*above)],
            ] {
                assert_ne!(differs("mixed", &parts), Some(Verdict::Suspect), "{above}");
            }
        }
    }

    #[test]
    fn letters_of_several_pages_are_as_they_were() {
        let letter = "<html><head><style>.x{display:none}.y:after{content:'»'}</style></head>\
                      <body style='margin:0'><table><tr><td class=y>\
                      <a href=https://shop.org/1>PayPal</a><p>Pay with PayPal";
        let list = "<hr><p>List: <a href=https://lists.org/dev>https://lists.org/dev</a>";
        let forwarded = "<div class=x>Hi</div><a href=https://www.paypal.com/>www.paypal.com</a>\
                         <a href=https://t.shop.org/2>www.shop.org</a>";
        for parts in [
            [("", letter), ("", list)],
            [("", letter), ("", forwarded)],
            [("", "<a name=top>Hi<p dir=ltr><font size=2>"), ("", forwarded)],
            [("", "<form action=https://shop.org/s><input></form>"), ("", list)],
            [("", "<base href=https://www.news.org/><a href=a>a</a>"), ("", forwarded)],
        ] {
            assert_eq!(differs("mixed", &parts), None, "{parts:?}");
        }
    }
}
