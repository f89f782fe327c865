//! Text to HTML with anchors: one function for text from any source (UASG 000 2.3).
//!
//! | clause | here |
//! | --- | --- |
//! | UASG 000 1.1–1.3, UASG 001 rec. 1–5 | [`Linkifier`], [`Link::href`] |
//! | UASG 000 1.4a, UASG 001 rec. 9, principle 4 (S20, S21) | `Writer::punycode` |
//! | UASG 000 1.4b (S22) | `Writer::tail` |
//! | UASG 000 2.2, UASG 001 rec. 8 | [`Switch`], [`Options::exceptions`] |
//! | UASG 001 table: Punycode is shown in Unicode (S24) | `Writer::host` |
//! | S27: prose joined to a host stays outside | [`decide`] |
//!
//! The filter adds no links by default (S23): this is the command `linkify`, a library, and in the
//! filter only on request.

use std::ops::{ControlFlow, Range};
use uts58::unicode::a_label;

use crate::{Context, HostBounds, Judgement, LinkJudgement, Reason, Verdict, judge_link};
use uts58::html::{anchor, escape};
use uts58::tlds::TldSet;
use uts58::{Boundaries, Kind, Link, Linkifier, format, percent_encoded};

/// Whether links are made at all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Switch {
    /// Links become anchors.
    #[default]
    On,
    /// The text is only escaped.
    Off,
}

/// What the user chooses (UASG 000 2.2).
#[derive(Clone, Copy, Debug, Default)]
pub struct Options<'a> {
    /// Whether links are made at all.
    pub switch: Switch,
    /// Strings that do not become links: the link as spelled, or its host.
    pub exceptions: &'a [String],
}

/// A link of a text with its judgement.
#[derive(Clone, Debug)]
pub struct Decision {
    /// The link, with careful bounds.
    pub link: Link,
    /// Its judgement.
    pub judgement: LinkJudgement,
    /// The worst verdict in any bounds that a client may give it (S29).
    pub worst: Verdict,
    /// The target of the anchor; `None` if none is made.
    pub href: Option<String>,
}

/// Whether a link whose top-level domain exists may become an anchor: its verdict is at most a
/// notice, it was not defanged, and it is meant as a link (UTS #58 §8). The filter uses the same
/// rule (UASG 000 2.3).
pub fn may_be_linked(text: &str, link: &Link, verdict: Verdict) -> bool {
    verdict <= Verdict::Notice && link.is_meant(text)
}

/// Whether the careful bounds are those that were judged (S27): the judgement left out no prose
/// that the bounds keep, as in `Приветexample.com`, where it is unknown what a reader takes for the
/// host.
pub fn is_as_judged(link: &Link, judgement: Option<&Judgement>) -> bool {
    let judged = judgement.map_or(0, |host| link.host.start + host.span.start);
    link.kind == Kind::Email || judged <= link.inner.max(link.host.start)
}

/// Passes on every link that careful bounds make in the text, in order and disjoint, with its
/// judgement and whether [`linkify`] makes an anchor of it, until `emit` breaks off. `exceptions` as
/// in [`Options`]; after so many `steps` without a link the search ends ([`Linkifier::at_most`]).
///
/// An anchor is made if the host exists by the table and nothing about the link is suspect, in any
/// bounds that a client may use. Linear in the text, apart from the judging of hosts: in what of it
/// is read, for whoever breaks off.
pub fn decide(
    text: &str,
    exceptions: &[String],
    context: &Context<'_>,
    steps: u64,
    emit: &mut dyn FnMut(Decision) -> ControlFlow<()>,
) {
    let judge: &dyn Fn(&Link) -> LinkJudgement = &|link| {
        let context = Context { bounds: HostBounds::in_text(link.kind), ..*context };
        judge_link(text, link, &context)
    };
    let wide = Linkifier::new(context.tlds).boundaries(Boundaries::Wide).links(text);
    let found = &mut wide.map(|wide| match wide.defanged {
        true => (wide.span, Verdict::Ok),
        false => (wide.span.clone(), judge(&wide).verdict),
    });
    decide_among(text, exceptions, context.tlds, steps, found, &mut { judge }, emit);
}

/// The same with what somebody else found against the text: stretches in order, with the verdict of each;
/// where that is worse than a notice, no anchor is made (S27). They are asked for as far as the links go.
/// `judge` judges a link.
pub fn decide_among(
    text: &str,
    exceptions: &[String],
    tlds: &dyn TldSet,
    steps: u64,
    found: &mut dyn Iterator<Item = (Range<usize>, Verdict)>,
    judge: &mut dyn FnMut(&Link) -> LinkJudgement,
    emit: &mut dyn FnMut(Decision) -> ControlFlow<()>,
) {
    let mut reader = LinkReader { text, exceptions, tlds, judge };
    let mut found = found.peekable();
    for link in Linkifier::new(tlds).at_most(steps).links(text) {
        let is_done = |(stretch, worst): &(Range<usize>, Verdict)| {
            stretch.start < link.span.end
                && (*worst <= Verdict::Notice || stretch.end <= link.span.start)
        };
        while found.next_if(is_done).is_some() {}
        let inside = found.peek().filter(|(stretch, _)| stretch.start < link.span.end);
        let worst = inside.map_or(Verdict::Ok, |(_, worst)| *worst);
        if emit(reader.decide(link, worst)).is_break() {
            return;
        }
    }
}

/// The text as HTML: markup characters escaped, links as anchors by the rules of [`decide`].
///
/// A host that is suspect is shown in Punycode instead. Every `href` is ASCII; the visible text is
/// minimally escaped (UTS #58 §4). Linear in the text, apart from the judging of hosts.
pub fn linkify(text: &str, options: &Options<'_>, context: &Context<'_>) -> String {
    let mut writer = HtmlWriter::new(text);
    if options.switch == Switch::On {
        decide(text, options.exceptions, context, u64::MAX, &mut |decision| writer.link(decision));
    }
    writer.finish()
}

/// The same by the rules of [`decide_among`].
pub fn linkify_among(
    text: &str,
    options: &Options<'_>,
    tlds: &dyn TldSet,
    found: &mut dyn Iterator<Item = (Range<usize>, Verdict)>,
    judge: &mut dyn FnMut(&Link) -> LinkJudgement,
) -> String {
    let mut writer = HtmlWriter::new(text);
    if options.switch == Switch::On {
        let emit = &mut |decision| writer.link(decision);
        decide_among(text, options.exceptions, tlds, u64::MAX, found, judge, emit);
    }
    writer.finish()
}

struct LinkReader<'a> {
    text: &'a str,
    exceptions: &'a [String],
    tlds: &'a dyn TldSet,
    judge: &'a mut dyn FnMut(&Link) -> LinkJudgement,
}

impl LinkReader<'_> {
    /// Decides about a link; `wider` is the verdict with wider bounds.
    fn decide(&mut self, link: Link, wider: Verdict) -> Decision {
        let judgement = (self.judge)(&link);
        let worst = wider.max(judgement.verdict);
        let wanted = may_be_linked(self.text, &link, worst)
            && is_as_judged(&link, judgement.host.as_deref())
            // What the href will contain: a judgement may have left out prose at the right end.
            && link.exists(self.text, self.tlds)
            && !self.is_excepted(&link);
        let href = link.href(self.text).filter(|_| wanted);
        Decision { link, judgement, worst, href }
    }

    fn is_excepted(&self, link: &Link) -> bool {
        let spelled = self.text.get(link.inner..link.span.end).unwrap_or_default();
        let ascii = link.ascii_host(self.text).unwrap_or_default();
        self.exceptions.iter().any(|exception| {
            exception == spelled
                || exception.eq_ignore_ascii_case(link.host_str(self.text))
                || exception.eq_ignore_ascii_case(&ascii)
        })
    }
}

struct HtmlWriter<'a> {
    text: &'a str,
    out: String,
    /// As far as the text is written.
    at: usize,
}

impl<'a> HtmlWriter<'a> {
    fn new(text: &'a str) -> HtmlWriter<'a> {
        HtmlWriter { text, out: String::with_capacity(text.len() * 2), at: 0 }
    }

    /// Writes a link, and the text in front of it.
    fn link(&mut self, Decision { link, judgement, href, .. }: Decision) -> ControlFlow<()> {
        self.escape_range(self.at..link.span.start);
        match href {
            Some(href) => self.anchor(&link, &href, &judgement),
            None if judgement.verdict >= Verdict::Suspect => self.punycode(&link, &judgement),
            None => self.escape_range(link.span.clone()),
        }
        self.at = link.span.end;
        ControlFlow::Continue(())
    }

    fn finish(mut self) -> String {
        self.escape_range(self.at..self.text.len());
        self.out
    }

    fn anchor(&mut self, link: &Link, href: &str, judgement: &LinkJudgement) {
        self.escape_range(link.span.start..link.inner);
        let host = self.host(link, judgement);
        let tail = self.tail(link, judgement);
        let before = self.str(link.inner..link.host.start.max(link.inner));
        let between = self.str(link.host.end..link.tail.start);
        anchor(href, &[before, &host, between, &tail].concat(), &mut self.out);
    }

    /// The visible host: as spelled, Punycode in Unicode (S24).
    fn host(&self, link: &Link, judgement: &LinkJudgement) -> String {
        let spelled = self.str(link.inner.max(link.host.start)..link.host.end);
        let punycode = a_label::has_a_label(spelled.as_bytes());
        match link.unicode_host(self.text) {
            Some(unicode) if punycode && judgement.verdict <= Verdict::Notice => unicode,
            _ => spelled.to_owned(),
        }
    }

    /// The visible path, query and fragment: minimally escaped; percent-encoded if they mix
    /// scripts.
    fn tail(&self, link: &Link, judgement: &LinkJudgement) -> String {
        let tail = format(self.str(link.tail.clone()));
        match judgement.reasons.contains(Reason::ScriptPath) {
            true => percent_encoded(&tail),
            false => tail,
        }
    }

    /// A suspect link: no anchor, the suspect labels in Punycode, or all labels beyond ASCII if the
    /// host is suspect as a whole.
    fn punycode(&mut self, link: &Link, judgement: &LinkJudgement) {
        self.escape_range(link.span.start..link.host.start);
        let host = judgement.host.as_ref();
        let labels = host.map(|host| host.labels.as_slice()).unwrap_or_default();
        let single_out = labels.iter().any(|label| label.verdict >= Verdict::Suspect);
        // A host that is fine itself stays as it is, whatever else the link contains.
        let whole = !single_out && host.is_some_and(|host| host.verdict >= Verdict::Suspect);
        let mut rest = link.host_str(self.text);
        for label in labels {
            let shown = label.verdict >= Verdict::Suspect || whole;
            if shown
                && !label.ascii.is_empty()
                && !label.spelling.is_ascii()
                && let Some((before, behind)) = rest.split_once(&label.spelling)
            {
                escape(before, &mut self.out);
                escape(&label.ascii, &mut self.out);
                rest = behind;
            }
        }
        escape(rest, &mut self.out);
        let tail = percent_encoded(self.str(link.tail.clone()));
        self.escape_range(link.host.end..link.tail.start);
        escape(&tail, &mut self.out);
        self.escape_range(link.tail.end..link.span.end);
    }

    fn str(&self, range: Range<usize>) -> &'a str {
        self.text.get(range).unwrap_or_default()
    }

    fn escape_range(&mut self, range: Range<usize>) {
        escape(self.str(range), &mut self.out);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Names;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use uts58::tlds::TldTable;

    fn html(text: &str) -> String {
        with(text, &Options::default())
    }

    fn with(text: &str, options: &Options<'_>) -> String {
        let tlds = TldTable::new(["com", "org", "xn--p1ai", "xn--fiqs8s"], "");
        let (protected, none) = (Names::builtin(), Names::default());
        let context = crate::tests::context(&protected, &none, &tlds);
        linkify(text, options, &context)
    }

    /// Counts how often it is asked.
    #[derive(Debug)]
    struct CountingTlds(TldTable, AtomicUsize);

    impl TldSet for CountingTlds {
        fn exists(&self, ascii: &str) -> bool {
            self.1.fetch_add(1, Ordering::Relaxed);
            self.0.exists(ascii)
        }

        fn unicode_prefix(&self, text: &str, ends: &dyn Fn(usize) -> bool) -> Option<usize> {
            self.1.fetch_add(1, Ordering::Relaxed);
            self.0.unicode_prefix(text, ends)
        }
    }

    /// Programs ask for the link at each scheme of a text, with all that follows.
    #[test]
    fn who_breaks_off_pays_for_no_more_than_he_takes() {
        let (protected, none) = (Names::builtin(), Names::default());
        for piece in [
            "http://example.com/ ",
            "http://example.com,",
            "(http://example.com/)",
            "x://y ",
            "http://p\u{430}ypal.com/ ",
        ] {
            let asked = |count: usize| {
                let tlds = CountingTlds(TldTable::new(["com"], ""), AtomicUsize::new(0));
                let context = crate::tests::context(&protected, &none, &tlds);
                let take = &mut |_| ControlFlow::Break(());
                decide(&piece.repeat(count), &[], &context, 1_024, take);
                tlds.1.into_inner()
            };
            assert_eq!(asked(1_000), asked(20_000), "{piece}");
        }
    }

    #[test]
    fn links_and_addresses_become_anchors() {
        assert_eq!(
            html("see example.com, bücher.example.org/ä?b=1&c#d"),
            "see <a href=\"http://example.com\">example.com</a>, \
             <a href=\"http://xn--bcher-kva.example.org/%C3%A4?b=1&amp;c#d\">\
             bücher.example.org/ä?b=1&amp;c#d</a>"
        );
        assert_eq!(
            html("<user+box@example.com>"),
            "&lt;<a href=\"mailto:user%2Bbox@example.com\">user+box@example.com</a>&gt;"
        );
    }

    #[test]
    fn uasg_000_1_4a_unsafe_hosts_are_shown_in_punycode_without_a_link() {
        assert_eq!(html("at http://раypal.com/x now"), "at http://xn--ypal-43d9g.com/x now");
        assert_eq!(html("раypal.comです"), "xn--ypal-43d9g.comです");
        let carried = html("http://bücher.org/?u=http://раypal.com/");
        assert!(carried.starts_with("http://bücher.org/") && !carried.contains("<a"), "{carried}");
    }

    #[test]
    fn uasg_000_1_4b_mixed_paths_stay_links_percent_encoded() {
        assert_eq!(
            html("http://example.com/раypal"),
            "<a href=\"http://example.com/%D1%80%D0%B0ypal\">http://example.com/%D1%80%D0%B0ypal</a>"
        );
        // What is seen is what is followed, also a sign that ends no link where nothing follows.
        assert_eq!(
            html("example.com/рx:?"),
            "<a href=\"http://example.com/%D1%80x:\">example.com/%D1%80x%3A</a>?"
        );
    }

    #[test]
    fn uasg_000_2_2_switch_and_exceptions() {
        let off = Options { switch: Switch::Off, ..Options::default() };
        assert_eq!(with("<b>example.com</b>", &off), "&lt;b&gt;example.com&lt;/b&gt;");
        let exceptions = ["example.com/a".to_owned(), "EXAMPLE.org".to_owned()];
        let options = Options { exceptions: &exceptions, ..Options::default() };
        assert_eq!(
            with("example.com/a example.com www.example.org example.org/x", &options),
            "example.com/a <a href=\"http://example.com\">example.com</a> \
             <a href=\"http://www.example.org\">www.example.org</a> example.org/x"
        );
    }

    #[test]
    fn s24_punycode_is_shown_in_unicode() {
        assert_eq!(
            html("http://xn--fsqu00a.xn--fiqs8s/"),
            "<a href=\"http://xn--fsqu00a.xn--fiqs8s/\">http://例子.中国/</a>"
        );
    }

    #[test]
    fn s27_prose_stays_outside_the_anchor() {
        assert_eq!(
            html("👉example.comです"),
            "👉<a href=\"http://example.com\">example.com</a>です"
        );
    }

    #[test]
    fn what_is_doubtful_is_left_as_text() {
        for text in [
            "http://example.invalid/",
            "helpers.py",
            "end.In",
            "hxxp://example[.]com",
            "me@example.zz",
        ] {
            assert_eq!(html(text), text);
        }
        assert!(!html("http://user@example.com/").contains("<a"));
    }

    #[test]
    fn markup_characters_cannot_escape() {
        let text = "http://example.com/\"onmouseover='x'<script>&amp;";
        let html = html(text);
        assert!(!html.contains("<script") && !html.contains("\"on"), "{html}");
    }
}
