//! Text to HTML with anchors: one function for whatever way the text came in (UASG 000 2.3).
//!
//! | clause | here |
//! | --- | --- |
//! | UASG 000 1.1–1.3, UASG 001 rec. 1–5 | [`Linkifier`], [`Link::href`] |
//! | UASG 000 1.4a, UASG 001 rec. 9, principle 4 (S20, S21) | [`Writer::punycode`] |
//! | UASG 000 1.4b (S22) | [`Writer::tail`] |
//! | UASG 000 2.2, UASG 001 rec. 8 | [`Switch`], [`Options::exceptions`] |
//! | UASG 001 table: Punycode is shown in Unicode (S24) | [`Writer::host`] |
//! | S27: prose glued to a host stays outside | [`Writer::link`] |
//!
//! The filter never adds links of its own accord (S23): this runs as the command `linkify`, as a
//! library, and in the filter only on request.

use std::ops::Range;

use crate::outcome::{Reason, Verdict};
use homograph::{Context, Judgement, LinkJudgement, judge_link};
use uts58::{Boundaries, Confidence, Kind, Link, Linkifier, format, percent_encoded};

/// Whether links are made at all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Switch {
    #[default]
    On,
    /// The text comes out escaped, without anchors.
    Off,
}

/// What the user decides (UASG 000 2.2).
#[derive(Clone, Copy, Debug, Default)]
pub struct Options<'a> {
    pub switch: Switch,
    /// Strings that are not to become links: as the link is spelled, or its host.
    pub exceptions: &'a [String],
}

/// Whether an anchor may be made of a link that was judged so, its top-level domain being known to
/// exist: nothing about it is suspect, nobody took it apart, and it is meant as a link (UTS #58 §8).
/// The filter asks the same (UASG 000 2.3).
pub fn may_be_linked(text: &str, link: &Link, verdict: Verdict) -> bool {
    verdict <= Verdict::Notice
        && link.confidence == Confidence::Sure
        && link.refanged_host(text).is_none()
}

/// Whether the link that careful bounds make is the one that was judged (S27): no judgement left out prose
/// that the bounds keep, as in `Приветexample.com`, of which nobody knows what a reader takes for the
/// host.
pub fn is_as_judged(link: &Link, judgement: Option<&Judgement>) -> bool {
    let judged = judgement.map_or(0, |host| link.host.start + host.span.start);
    link.kind == Kind::Email || judged <= link.inner.max(link.host.start)
}

/// The text as HTML: markup characters escaped, links in anchors.
///
/// A link is made when its host exists by the table, and nothing about it is suspect. An unsafe host is
/// shown in Punycode instead. Every `href` is ASCII; the visible text is minimally escaped (UTS #58
/// §4). Linear in the text, apart from what a judgement of a host costs.
pub fn linkify(text: &str, options: &Options<'_>, context: &Context<'_>) -> String {
    let mut writer = Writer { text, options, context, out: String::with_capacity(text.len() * 2) };
    if options.switch == Switch::Off {
        writer.escape(text);
        return writer.out;
    }
    let linkifier = Linkifier::new(context.tlds);
    let mut careful = linkifier.links(text).peekable();
    let mut at = 0;
    for wide in linkifier.boundaries(Boundaries::Wide).links(text) {
        while let Some(link) = careful.next_if(|link| link.span.end <= wide.span.start) {
            at = writer.put(at, &link, |writer, link| writer.link(link));
        }
        let judgement = writer.judge(&wide);
        if judgement.verdict <= Verdict::Notice || wide.defanged {
            continue;
        }
        // S27: no anchor in a run of which any reading is doubtful.
        while let Some(link) = careful.next_if(|link| link.span.start < wide.span.end) {
            at = writer.put(at, &link, |writer, link| writer.dead(link));
        }
    }
    for link in careful {
        at = writer.put(at, &link, |writer, link| writer.link(link));
    }
    writer.escape_range(at..text.len());
    writer.out
}

struct Writer<'a> {
    text: &'a str,
    options: &'a Options<'a>,
    context: &'a Context<'a>,
    out: String,
}

impl<'a> Writer<'a> {
    /// The text from `at` to the link, then the link, unless it is written already; where it ends.
    fn put(&mut self, at: usize, link: &Link, write: impl FnOnce(&mut Self, &Link)) -> usize {
        if link.span.start < at {
            return at;
        }
        self.escape_range(at..link.span.start);
        write(self, link);
        link.span.end
    }

    /// No anchor: an unsafe host in Punycode, all else as it stands.
    fn dead(&mut self, link: &Link) {
        let judgement = self.judge(link);
        match judgement.verdict {
            Verdict::Unsafe | Verdict::Invalid => self.punycode(link, &judgement),
            _ => self.escape_range(link.span.clone()),
        }
    }

    fn link(&mut self, link: &Link) {
        let judgement = self.judge(link);
        if judgement.verdict >= Verdict::Unsafe {
            return self.punycode(link, &judgement);
        }
        let wanted =
            is_as_judged(link, judgement.host.as_deref()) && self.is_wanted(link, &judgement);
        match link.href(self.text).filter(|_| wanted) {
            Some(href) => self.anchor(link, &href, &judgement),
            None => self.escape_range(link.span.clone()),
        }
    }

    fn judge(&self, link: &Link) -> LinkJudgement {
        let context = Context { bounds: super::bounds_in_text(link.kind), ..*self.context };
        judge_link(self.text, link, &context)
    }

    fn is_wanted(&self, link: &Link, judgement: &LinkJudgement) -> bool {
        let spelled = self.str(link.inner..link.span.end);
        // What the href will hold: a judgement may have left prose out at the right end.
        let Some(ascii) = link.ascii_host(self.text) else { return false };
        let top = ascii.rsplit('.').next().unwrap_or_default();
        let numeric = ascii.starts_with('[') || top.bytes().all(|byte| byte.is_ascii_digit());
        let excepted = self.options.exceptions.iter().any(|exception| {
            exception == spelled
                || exception.eq_ignore_ascii_case(link.host_str(self.text))
                || exception.eq_ignore_ascii_case(&ascii)
        });
        // UASG 000 1.2c; names of special use (S25) are in no table.
        (numeric || self.context.tlds.contains(top))
            && !excepted
            && may_be_linked(self.text, link, judgement.verdict)
    }

    fn anchor(&mut self, link: &Link, href: &str, judgement: &LinkJudgement) {
        self.escape_range(link.span.start..link.inner);
        self.out.push_str("<a href=\"");
        self.escape(href);
        self.out.push_str("\">");
        let host = self.host(link, judgement);
        let tail = self.tail(link, judgement);
        let before = self.str(link.inner..link.host.start.max(link.inner));
        let between = self.str(link.host.end..link.tail.start);
        for piece in [before, &host, between, &tail] {
            self.escape(piece);
        }
        self.out.push_str("</a>");
    }

    /// The visible host: as spelled, Punycode in Unicode (S24).
    fn host(&self, link: &Link, judgement: &LinkJudgement) -> String {
        let spelled = self.str(link.inner.max(link.host.start)..link.host.end);
        let punycode = spelled.to_ascii_lowercase().contains("xn--");
        match link.unicode_host(self.text) {
            Some(unicode) if punycode && judgement.verdict <= Verdict::Notice => unicode,
            _ => spelled.to_owned(),
        }
    }

    /// The visible path, query and fragment: minimally escaped; percent-encoded when they mix scripts.
    fn tail(&self, link: &Link, judgement: &LinkJudgement) -> String {
        let tail = self.str(link.tail.clone());
        if judgement.reasons.contains(Reason::ScriptPath) {
            percent_encoded(tail)
        } else {
            format(tail)
        }
    }

    /// An unsafe link: no anchor, the offending labels in Punycode (all that are not ASCII, when the
    /// host offends as a whole).
    fn punycode(&mut self, link: &Link, judgement: &LinkJudgement) {
        self.escape_range(link.span.start..link.host.start);
        let host = judgement.host.as_ref();
        let span = host.map_or(0..0, |host| host.span.clone());
        let spelled = link.host_str(self.text);
        let labels = host.map(|host| host.labels.as_slice()).unwrap_or_default();
        let single_out = labels.iter().any(|label| label.verdict >= Verdict::Unsafe);
        let shown: Vec<String> = labels
            .iter()
            .map(|label| match label.verdict >= Verdict::Unsafe || !single_out {
                true if !label.ascii.is_empty() => label.ascii.clone(),
                _ => label.spelling.clone(),
            })
            .collect();
        if shown.is_empty() {
            self.escape(spelled);
        } else {
            self.escape(spelled.get(..span.start).unwrap_or_default());
            self.escape(&shown.join("."));
            self.escape(spelled.get(span.end..).unwrap_or_default());
        }
        let tail = percent_encoded(self.str(link.tail.clone()));
        self.escape_range(link.host.end..link.tail.start);
        self.escape(&tail);
        self.escape_range(link.tail.end..link.span.end);
    }

    fn str(&self, range: Range<usize>) -> &'a str {
        self.text.get(range).unwrap_or_default()
    }

    fn escape_range(&mut self, range: Range<usize>) {
        self.escape(self.str(range));
    }

    /// HTML character references for what is markup in text or in a quoted attribute.
    fn escape(&mut self, text: &str) {
        for c in text.chars() {
            match c {
                '&' => self.out.push_str("&amp;"),
                '<' => self.out.push_str("&lt;"),
                '>' => self.out.push_str("&gt;"),
                '"' => self.out.push_str("&quot;"),
                '\'' => self.out.push_str("&#39;"),
                c => self.out.push(c),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::RestrictionLevel;
    use homograph::{HostBounds, Names};
    use uts58::tlds::TldTable;

    fn html(text: &str) -> String {
        with(text, &Options::default())
    }

    fn with(text: &str, options: &Options<'_>) -> String {
        let tlds = TldTable::new(["com", "org", "xn--p1ai", "xn--fiqs8s"], "");
        let (protected, none) = (Names::builtin(), Names::default());
        let context = Context {
            level: RestrictionLevel::default(),
            protected: &protected,
            own: &none,
            blocked: &none,
            tlds: &tlds,
            bounds: HostBounds::Certain,
        };
        linkify(text, options, &context)
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
    }

    #[test]
    fn uasg_000_1_4b_mixed_paths_stay_links_percent_encoded() {
        assert_eq!(
            html("http://example.com/раypal"),
            "<a href=\"http://example.com/%D1%80%D0%B0ypal\">http://example.com/%D1%80%D0%B0ypal</a>"
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
