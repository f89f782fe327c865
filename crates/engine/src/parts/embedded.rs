//! Parts of the message that a page shows in place of their URLs (RFC 2392, RFC 2557), and what stands in URLs itself: what
//! they say in a link is compared with where it leads.

use std::collections::HashMap;
use std::sync::Arc;

use super::OpenReading;
use crate::budget::Budget;
use crate::cost::Stage;
use crate::finding::Findings;
use crate::judging::Judge;
use maillinks::{Embedded, Use};
use mailsplice::media::Media;
use mailsplice::mime::{self, Part};
use mailsplice::splice::fields::header_fields;
use uts58::percent;

/// Maximum number of names of parts that are kept: of drawings and texts a message has a few.
const NAMES: usize = 32;

/// Steps of each byte of a page: its tags are read, and it is copied.
const PAGE_STEPS_PER_BYTE: u64 = 2;

/// The type of a part that a page may show in place of a URL.
fn kind_of(part: &Part) -> Option<&str> {
    let kind = if part.drawing { "image/svg+xml" } else { part.label.as_str() };
    let is_page = || part.is_read_as(Media::Html);
    let is_known = Embedded::of(kind, String::new()).is_some();
    is_known.then_some(kind).or_else(|| is_page().then_some("text/html"))
}

impl OpenReading<'_> {
    /// Reads the page once more with what its URLs of the message show. False if the budget ended.
    pub(super) fn embedded(
        &self,
        judge: &mut Judge<'_>,
        budget: &mut Budget<'_>,
        found: &mut Findings,
    ) -> bool {
        let embeds = std::mem::take(&mut found.rereads.embeds);
        let names = Arc::clone(found.named_parts.get_or_insert_with(|| self.named_parts()));
        if !embeds && names.is_empty() {
            return true;
        }
        let text = self.reading.text.as_str();
        if !budget.spend(Stage::Reading, PAGE_STEPS_PER_BYTE * text.len() as u64) {
            return false;
        }
        let mut shown = HashMap::new();
        let page = maillinks::with_embedded(text, &mut |url, how| {
            let part = self.part_of(url, &names)?;
            shown.entry((part, how)).or_insert_with(|| self.in_place(part, how, budget)).clone()
        });
        let Some(page) = page else { return true };
        self.other(&page, judge, budget, found)
    }

    /// The parts that a page may show, by their names: Content-ID, and Content-Location.
    fn named_parts(&self) -> Arc<[(String, usize)]> {
        let tree = self.context.tree;
        let parts = tree.parts.iter().enumerate();
        let shown = parts.filter(|(_, part)| tree.parts.len() > 1 && kind_of(part).is_some());
        let names = shown.flat_map(|(index, _)| {
            let head = tree.header_of(self.context.message, index);
            header_fields(head).filter_map(move |field| {
                let is = |known: &[u8]| field.name(head).eq_ignore_ascii_case(known);
                if !is(b"Content-ID") && !is(b"Content-Location") {
                    return None;
                }
                let value = String::from_utf8_lossy(head.get(field.value.clone())?);
                let is_of_name = |c: &char| *c > ' ' && !"\"<>".contains(*c);
                Some((value.chars().filter(is_of_name).collect(), index))
            })
        });
        names.take(NAMES).collect()
    }

    /// The part that a URL names: by `cid:`, or by its location.
    fn part_of(&self, url: &str, names: &[(String, usize)]) -> Option<usize> {
        let (scheme, id) = url.split_at_checked(4).unwrap_or_default();
        let id = scheme.eq_ignore_ascii_case("cid:").then(|| percent::decode_text(id));
        let name = id.as_deref().unwrap_or(url);
        let own = names.iter().filter(|(_, part)| *part != self.part);
        own.clone().find(|(own, _)| own == name).map(|(_, part)| *part)
    }

    /// What a page has in place of a part.
    fn in_place(&self, part: usize, how: Use, budget: &mut Budget<'_>) -> Option<String> {
        let context = &self.context;
        let kind = kind_of(context.tree.parts.get(part)?)?;
        let raw = context.tree.content(context.message, part);
        if !budget.spend(Stage::Decoding, raw.len() as u64) {
            return None;
        }
        let reading = mime::all_readings(context.message, context.tree, part).next()?;
        let text = reading.text.as_str().to_owned();
        let is_read = budget.spend(Stage::Reading, text.len() as u64);
        Embedded::of(kind, text).filter(|_| is_read).map(|embedded| embedded.in_place(how))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::outcome::{Reason, Verdict};
    use crate::{Answers, Facts, Message, Policy, TldTable};

    const LURE: &str = "https://www.paypal.com/signin";

    fn svg(text: &str) -> String {
        format!("<svg xmlns='http://www.w3.org/2000/svg'><text y='20'>{text}</text></svg>")
    }

    /// The verdict of what differs from what is shown, and how often it is found.
    fn differs(page: &str, (head, part): (&str, &str)) -> (Option<Verdict>, usize) {
        let body = format!(
            "--b\r\nContent-Type: text/html\r\n\r\n{page}\r\n--b\r\n{head}\r\n\r\n{part}\r\n--b--\r\n"
        );
        let head = b"From: a@b.org\r\nContent-Type: multipart/related; boundary=b\r\n";
        let message = Message { head, body: body.as_bytes() };
        let tlds = TldTable::new(["com", "org", "top"], "");
        let (facts, policy) = (Facts::default(), Policy::default());
        let outcome = crate::inspect(message, &facts, &policy, &tlds).resolve(&Answers::new());
        assert_eq!(outcome.edits, []);
        let findings = outcome.findings.iter();
        let differs = findings.filter(|one| one.reasons.contains(Reason::TextHrefMismatch));
        let verdicts: Vec<Verdict> = differs.map(|one| one.verdict).collect();
        (verdicts.iter().max().copied(), verdicts.len())
    }

    #[test]
    fn parts_in_links_are_read_as_what_stands_there() {
        const SVG: &str = "Content-Type: image/svg+xml\r\n";
        let drawing = svg(LURE);
        let split = svg("https://www.<tspan>paypal</tspan>.com/signin");
        let css = ".h::before{content:\"www.paypal.com\"}";
        for (shown, name, part) in [
            ("<img src=cid:p1>", format!("{SVG}Content-ID: <p1>"), &*drawing),
            ("<img src=CID:p%31>", format!("{SVG}Content-ID: <p1>"), &drawing),
            ("<img src=cid:p1>", format!("{SVG}Content-ID: <p1>"), &split),
            (
                "<img src='https://a.com/x.svg'>",
                format!("{SVG}Content-Location: https://a.com/x.svg"),
                &drawing,
            ),
            ("<object data='c&#105;d:p1'></object>", format!("{SVG}content-id:<p1>"), &drawing),
            ("<b style='background:url(cid:p1)'>.</b>", format!("{SVG}Content-ID: <p1>"), &drawing),
            (
                "<iframe src=cid:p1></iframe>",
                "Content-Type: text/html\r\nContent-ID: <p1>".into(),
                LURE,
            ),
            ("<embed src=cid:p1>", "Content-Type: text/plain\r\nContent-ID: <p1>".into(), LURE),
            (
                "<link rel=stylesheet href=cid:p1><i class=h></i>",
                "Content-Type: text/css\r\nContent-ID: <p1>".into(),
                css,
            ),
        ] {
            let page = |url: &str| format!("<a href=\"{url}\">{shown}</a>");
            let suspect = (Some(Verdict::Suspect), 1);
            assert_eq!(differs(&page("https://evil.top/x"), (&name, part)), suspect, "{shown}");
            let own = differs(&page("https://www.paypal.com/x"), (&name, part));
            assert_eq!(own, (None, 0), "{shown}");
            // What is shown elsewhere in the page is no text of the link.
            let beside = format!("<a href=\"https://evil.top/x\">Open</a><p>{shown}");
            assert_eq!(differs(&beside, (&name, part)), (None, 0), "{shown}");
            assert_eq!(
                differs(&page("https://evil.top/x"), (&name, "Hello")),
                (None, 0),
                "{shown}"
            );
            let other = name.replace("p1", "p2").replace("a.com", "b.com");
            assert_eq!(differs(&page("https://evil.top/x"), (&other, part)), (None, 0), "{shown}");
        }
    }

    #[test]
    fn parts_that_a_click_opens_lead_where_their_page_does() {
        let page = "<a href=\"cid:p1\">https://www.paypal.com/signin</a>";
        let html = "Content-Type: text/html; name=page.html\r\nContent-ID: <p1>";
        let svg = "Content-Type: image/svg+xml\r\nContent-ID: <p1>";
        for (head, part) in [
            (html, "<form action='https://{L}/x'><input type=password></form>"),
            (html, "<meta http-equiv=refresh content='0;url=https://{L}/x'>"),
            (svg, "<svg><a href='https://{L}/x'><text>Open</text></a></svg>"),
        ] {
            let to = |led: &str| differs(page, (head, &part.replace("{L}", led)));
            assert_eq!(to("evil.top"), (Some(Verdict::Suspect), 1), "{part}");
            assert_eq!(to("www.paypal.com"), (None, 0), "{part}");
            let beside = page.replace("cid:p1\">", "cid:p1\">Invoice</a>");
            let part = part.replace("{L}", "evil.top");
            assert_eq!(differs(&beside, (head, &part)), (None, 0), "{part}");
        }
        assert_eq!(differs(page, (html, "<p>Your invoice</p>")), (None, 0));
    }

    #[test]
    fn drawings_in_urls_are_read_as_what_stands_there() {
        let plain = ("Content-Type: text/plain", "x");
        let encoded = svg(LURE).replace('<', "%3C").replace('>', "%3E").replace('#', "%23");
        let base64 = "PHN2Zz48dGV4dD5odHRwczovL3d3dy5wYXlwYWwuY29tL3NpZ25pbjwvdGV4dD48L3N2Zz4=";
        for url in [
            format!("data:image/svg+xml,{encoded}"),
            format!("data:image/svg+xml;charset=utf-8,{encoded}"),
            format!("DATA:image/SVG+xml;base64,{base64}"),
        ] {
            let page = |href: &str| format!("<a href=\"{href}\"><img src=\"{url}\"></a>");
            let suspect = (Some(Verdict::Suspect), 1);
            assert_eq!(differs(&page("https://evil.top/x"), plain), suspect, "{url}");
            assert_eq!(differs(&page("https://www.paypal.com/x"), plain), (None, 0), "{url}");
        }
        let logo = svg("PayPal").replace('<', "%3C").replace('>', "%3E");
        let page =
            format!("<a href=https://evil.top/x><img src=\"data:image/svg+xml,{logo}\"></a>");
        assert_eq!(differs(&page, plain), (None, 0));
        // What was found without them is found once.
        let page = format!("{page}<a href=https://evil.top/x>www.paypal.com</a>");
        assert_eq!(differs(&page, plain), (Some(Verdict::Suspect), 1));
    }

    #[test]
    fn what_is_shown_is_bounded() {
        let part = format!("Content-Type: image/svg+xml\r\nContent-ID: <p{}>", NAMES - 1);
        let many: String = (0..NAMES + 8)
            .map(|id| {
                format!("Content-Type: text/plain\r\nContent-ID: <q{id}>\r\n\r\nx\r\n--b\r\n")
            })
            .collect();
        let page = "<a href=https://evil.top/x><img src=cid:p31></a>";
        let lure = svg(LURE);
        assert_eq!(differs(page, (&part, &lure)).1, 1);
        assert_eq!(
            differs(page, (&format!("{many}{part}"), &lure)).1,
            0,
            "more names than are kept"
        );
        let long = svg(&format!("{} {LURE}", "x".repeat(10_000)));
        assert_eq!(differs(page, (&part, &long)).1, 0, "behind more text than is read");
    }
}
