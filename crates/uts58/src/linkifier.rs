//! The layer above the conforming detector: what a person would take for the link (UTS #58 §8).
//!
//! | clause | here |
//! | --- | --- |
//! | S3: a dangling `?` or `#` | [`trim_dangling`] |
//! | S5: userinfo is reported | [`Linkifier::links`] |
//! | S8: wrapping quotes | [`trim_wrappers`] |
//! | S10: a bare host needs an existing top-level domain | [`Links::next`] |
//! | S12, S27: hosts in prose | `prose` |
//! | UTS #58 §8: `helpers.py` | [`is_file_like`] |
//! | UTS #58 §8: `/docs（中文说明）了解更多` | `termination` |
//! | RFC 6068: header fields of `mailto:` | [`add_mailto_fields`] |

use super::candidate::{Candidates, ReadingMode};
use super::termination::tail_end;
use super::{Confidence, Kind, Link};
use crate::tlds::TldSet;
use crate::unicode::DOTS;

/// Where links begin and end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Boundaries {
    /// Strictly by UTS #58, as [`super::detect`] has them.
    Letter,
    /// As a reader sees them: prose joined to a host is separated (S12, S27), a dangling `?` or `#`
    /// (S3) and a wrapping quote (S8) stay outside, `mailto:` includes its header fields, file-like
    /// names have [`Confidence::Low`], defanged links are found as well.
    #[default]
    Adjusted,
    /// As careless clients may read (S27, S29): every host that one of them could find, with the
    /// widest bounds. For judging, not for linking: what no careful reader would link has
    /// [`Confidence::Low`].
    Wide,
}

/// Finds links with knowledge of the top-level domains that exist.
///
/// ```
/// use uts58::tlds::TldTable;
/// use uts58::Linkifier;
///
/// let tlds = TldTable::new(["com", "org"], "");
/// let text = "サーバーexample.comです。end.However, 'bob@example.org'?";
/// let links: Vec<&str> = Linkifier::new(&tlds).links(text).map(|link| &text[link.shown()]).collect();
/// assert_eq!(links, ["example.com", "bob@example.org"]);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Linkifier<'a> {
    tlds: &'a dyn TldSet,
    boundaries: Boundaries,
    most: u64,
}

impl<'a> Linkifier<'a> {
    /// A linkifier that knows these top-level domains, with [`Boundaries::Adjusted`].
    pub fn new(tlds: &'a dyn TldSet) -> Linkifier<'a> {
        Linkifier { tlds, boundaries: Boundaries::default(), most: u64::MAX }
    }

    /// The same linkifier with other bounds for links.
    #[must_use]
    pub fn boundaries(self, boundaries: Boundaries) -> Linkifier<'a> {
        Linkifier { boundaries, ..self }
    }

    /// The same linkifier with searches that end once they took more than so many [`Links::steps`]: behind the run of
    /// characters in which they did.
    #[must_use]
    pub fn at_most(self, steps: u64) -> Linkifier<'a> {
        Linkifier { most: steps, ..self }
    }

    /// The links of a text, in order and disjoint; linear in the text (S18).
    ///
    /// Bare hosts without an existing top-level domain are left out. Links with a scheme, `www.` or
    /// an `@` are not: the caller may ask the DNS. URLs with userinfo, which are no links strictly
    /// by the standard (S5), are returned with [`Link::user`] set, because a client may link them.
    pub fn links<'t>(&self, text: &'t str) -> Links<'t>
    where
        'a: 't,
    {
        let reading = match self.boundaries {
            Boundaries::Letter => ReadingMode::Letter,
            Boundaries::Adjusted => ReadingMode::Prose(self.tlds),
            Boundaries::Wide => ReadingMode::Wide(self.tlds),
        };
        Links { text, linkifier: *self, candidates: Candidates::new(text, reading, self.most) }
    }
}

/// The links of a text: see [`Linkifier::links`].
#[derive(Clone, Debug)]
pub struct Links<'t> {
    text: &'t str,
    linkifier: Linkifier<'t>,
    candidates: Candidates<'t>,
}

impl Links<'_> {
    /// Bytes examined so far, each as often as it was read: a measure of work without a clock.
    pub fn steps(&self) -> u64 {
        self.candidates.steps()
    }

    fn exists(&self, link: &Link) -> bool {
        let host = self.text.get(link.host.clone()).unwrap_or_default();
        let last = host.rsplit(DOTS).next();
        last.is_some_and(|last| self.linkifier.tlds.exists_as(last))
    }
}

impl Iterator for Links<'_> {
    type Item = Link;

    fn next(&mut self) -> Option<Link> {
        loop {
            let mut found = self.candidates.next();
            let Some(link) = &mut found else { return found };
            match self.linkifier.boundaries {
                Boundaries::Letter if link.kind == Kind::Bare && !self.exists(link) => continue,
                Boundaries::Letter => {}
                Boundaries::Adjusted | Boundaries::Wide => {
                    let used = adjust(self.text, link);
                    self.candidates.used(used);
                }
            }
            return found;
        }
    }
}

/// Changes a candidate into what a reader takes for the link; returns the end of the text that it
/// uses up.
fn adjust(text: &str, link: &mut Link) -> usize {
    if needs_no_adjustment(text, link) {
        return link.span.end;
    }
    add_mailto_fields(text, link);
    let end = link.span.end;
    let closing = trim_wrappers(text, link);
    let used = end.max(link.span.end + closing);
    trim_dangling(text, link);
    if is_file_like(text, link) {
        link.confidence = Confidence::Low;
    }
    used
}

/// Whether it has a scheme or `www.`, no wrapping mark before it and nothing dangling at its end:
/// most links are like this and need no adjustment.
fn needs_no_adjustment(text: &str, link: &Link) -> bool {
    let byte = |at: usize| at.checked_sub(1).and_then(|at| text.as_bytes().get(at)).copied();
    link.kind.is_announced()
        && byte(link.span.start).and_then(closing).is_none()
        && !matches!(byte(link.span.end), Some(b'?' | b'#'))
}

/// An address after `mailto:` includes a query: the header fields of RFC 6068 §2.
fn add_mailto_fields(text: &str, link: &mut Link) {
    let has_mailto = || link.user.as_ref().is_some_and(|local| local.start == link.span.start + 7);
    if link.kind == Kind::Email
        && has_mailto()
        && text.get(link.span.end..).is_some_and(|rest| rest.starts_with('?'))
    {
        let end = tail_end(text, link.span.end);
        link.tail = link.span.end..end;
        link.span.end = end;
    }
}

/// S3: an initiator at the end with nothing after it.
fn trim_dangling(text: &str, link: &mut Link) {
    let last = link.tail.end.checked_sub(1).and_then(|last| text.as_bytes().get(last));
    if link.tail.is_empty() || !matches!(last, Some(b'?' | b'#')) {
        return;
    }
    let tail = text.get(link.tail.clone()).unwrap_or_default();
    set_tail_end(link, link.tail.start + tail.trim_end_matches(['?', '#']).len());
}

/// S8: a mark of quotation or emphasis before and after the link. Returns the number of closing
/// marks after the link, which belong to no other link.
fn trim_wrappers(text: &str, link: &mut Link) -> usize {
    /// Emphasis is doubled (`**`) or tripled, not more.
    const DEEPEST: usize = 3;
    let end = link.span.end;
    let trimmed = (0..DEEPEST).take_while(|depth| trim_wrapper(text, link, *depth)).count();
    if link.span.end == end { trimmed } else { end - link.span.end }
}

/// Trims one more mark; `depth` marks around the link were trimmed already.
fn trim_wrapper(text: &str, link: &mut Link, depth: usize) -> bool {
    let bytes = text.as_bytes();
    let after = bytes.get(link.span.end + depth).copied();
    match &mut link.user {
        // Inside the local part: '…'@ is Link_Email.
        Some(local) if link.kind == Kind::Email && link.span.start == local.start => {
            let first = bytes.get(local.start).copied();
            let closes = first.and_then(closing);
            if closes.is_some() && closes == after && local.len() > 1 {
                local.start += 1;
                link.inner = link.inner.max(local.start);
                link.span.start = local.start;
                return true;
            }
            false
        }
        // At the end of a path: `*http://example.com/a*`.
        _ => {
            let outside = link.span.start.checked_sub(1 + depth);
            let before = outside.and_then(|at| bytes.get(at)).copied();
            let last = link.span.end.checked_sub(1).and_then(|at| bytes.get(at)).copied();
            let wrapped = before.is_some() && before.and_then(closing) == last;
            let doubled = wrapped && link.tail.len() > 1;
            if doubled {
                set_tail_end(link, link.span.end - 1);
            }
            doubled
        }
    }
}

/// The closing counterpart of a mark that wraps links and may be part of one.
fn closing(open: u8) -> Option<u8> {
    match open {
        b'\'' | b'*' | b'_' | b'`' | b'~' | b'|' => Some(open),
        b'{' => Some(b'}'),
        _ => None,
    }
}

/// Shortens the tail. If nothing is left of it, a root dot before it is removed as well, and a port
/// after that dot: they were included only because of the tail (S4).
fn set_tail_end(link: &mut Link, end: usize) {
    if end == link.span.end {
        return;
    }
    link.tail.end = end;
    link.span.end = end;
    if end > link.tail.start {
        return;
    }
    link.port.take_if(|port| port.start != link.host.end + 1);
    link.span.end = link.port.as_ref().map_or(link.host.end, |port| port.end);
    link.tail = link.span.end..link.span.end;
}

/// UTS #58 §8: a bare name that reads as a file (`helpers.py`), a degree (`M.Sc`) or two sentences
/// without a space (`end.In`). A path or query marks a URL.
fn is_file_like(text: &str, link: &Link) -> bool {
    /// Top-level domains that are better known as file extensions.
    const FILES: [&str; 9] = ["py", "rs", "sh", "md", "so", "ps", "cc", "zip", "mov"];
    /// Those that are capitalised in running text (`Amazon.Com`).
    const CAPITALIZED: [&str; 5] = ["Com", "Net", "Org", "Edu", "Gov"];
    if link.kind != Kind::Bare {
        return false;
    }
    let tail = text.get(link.tail.clone()).unwrap_or_default();
    if tail.starts_with(['/', '?']) {
        return false;
    }
    let host = text.get(link.inner.max(link.host.start)..link.host.end).unwrap_or_default();
    // Labels are short: a loop is faster than a search.
    let last_dot = |name: &str| name.bytes().rposition(|byte| byte == b'.');
    let Some((name, tld)) = last_dot(host).and_then(|dot| host.split_at_checked(dot)) else {
        return false;
    };
    let tld = tld.strip_prefix('.').unwrap_or(tld);
    // `gob.com.py`: a name below a registry's own label is a host.
    let below_registry = || last_dot(name).is_some_and(|dot| name.len() - dot <= 4);
    let file = FILES.iter().any(|file| file.eq_ignore_ascii_case(tld)) && !below_registry();
    let mut letters = tld.bytes();
    let sentence = letters.next().is_some_and(|first| first.is_ascii_uppercase())
        && letters.next().is_some_and(|second| second.is_ascii_lowercase())
        && !CAPITALIZED.contains(&tld);
    file || sentence
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tlds::TldTable;

    /// Marks the links of a text: low confidence with `?`, userinfo with `@`, defanged with `!`.
    fn marked(text: &str) -> String {
        let tlds = TldTable::new(
            ["com", "org", "de", "jp", "py", "in", "sc", "xn--fiqs8s", "xn--rhqv96g", "xn--p1ai"],
            "",
        );
        let mut out = String::new();
        let mut at = 0;
        for link in Linkifier::new(&tlds).links(text) {
            out += &text[at..link.inner];
            out += "⸠";
            out += &text[link.inner..link.span.end];
            out += match (link.confidence, link.defanged, link.user.is_some()) {
                (_, true, _) => "!",
                (Confidence::Low, ..) => "?",
                (_, _, true) if link.kind == Kind::Scheme => "@",
                _ => "",
            };
            out += "⸡";
            at = link.span.end;
        }
        out + &text[at..]
    }

    #[track_caller]
    fn check(expected: &str) {
        let text: String = expected
            .replace("?⸡", "⸡")
            .replace("@⸡", "⸡")
            .replace("!⸡", "⸡")
            .replace(['⸠', '⸡'], "");
        assert_eq!(marked(&text), expected);
    }

    #[test]
    fn s3_a_dangling_initiator_stays_outside() {
        check("er, ⸠http://mozilla.com⸡?");
        check("⸠example.com/page⸡? and ⸠example.com/a⸡?# and ⸠example.com/?q⸡.");
        check("root dot: ⸠example.com⸡.? ⸠example.com⸡.:80? port: ⸠example.com:80⸡?");
    }

    #[test]
    fn s5_userinfo_is_reported() {
        check("see ⸠https://www.paypal.com@example.org/x@⸡ now");
        check("⸠http://user:pw@example.org:80/@⸡");
    }

    #[test]
    fn s8_wrapping_quotes_stay_outside() {
        check("'⸠bob@example.com⸡' *⸠bob@example.com⸡* `⸠bob@example.com⸡`");
        check("**⸠bob@example.com⸡** {⸠bob@example.com⸡} ⸠o'brien@example.com⸡'s");
        check("*⸠http://example.com/a⸡* _⸠http://example.com/a_b⸡_ ⸠http://example.com/a*⸡");
        check("“⸠example.com⸡” ‘⸠example.org⸡’ «⸠example.de⸡» ⸠example.com⸡’s, ⸠example.com⸡—but");
    }

    #[test]
    fn s10_a_bare_host_needs_an_existing_tld() {
        check(
            "end.However and example.invalid, but ⸠http://example.invalid⸡ ⸠www.example.invalid⸡",
        );
        check("⸠me@example.invalid⸡ (the DNS is asked)");
    }

    #[test]
    fn s12_ideographic_stops() {
        check("⸠example.com⸡。谢谢");
        check("⸠例子。中国⸡ ⸠http://田中。com⸡ ⸠田中｡com⸡");
        check("これはペンです。それは本です。⸠example.com⸡です。");
        check("中国是一个大国。世界和平。公司很大。");
        check("⸠http://例子.中国⸡。谢谢");
        check("访问⸠example.com⸡的网站，⸠例子.中国⸡的网站");
    }

    #[test]
    fn s27_prose_boundaries() {
        check(
            "👉⸠example.com⸡ →⸠example.com⸡ เว็บไซต์⸠example.com⸡ サーバー⸠example.com⸡ ⸠בexample.com⸡",
        );
        check("⸠http://раypal.com⸡です ⸠ра.com⸡");
        check("例えば⸠example.com⸡や⸠example.org⸡など。");
        check("連絡先は⸠info@example.com⸡まで");
        check("⸠münchen.de⸡ ⸠日本語.example.com⸡ ⸠paral·lel.com⸡ ⸠最高のSONY製品.com⸡");
        check("👉⸠пример.рф⸡ ⸠example.com⸡👈 Look...⸠example.com⸡");
    }

    #[test]
    fn sentences_of_chinese_and_japanese_end_a_link() {
        check("⸠https://example.com/docs⸡（中文说明）了解更多 ⸠https://example.com/477⸡，涵盖了");
        check(
            "⸠https://example.com/foo⸡。次の文 ⸠https://example.com/a⸡…… ⸠https://example.com/a⸡〞",
        );
        check("⸠https://ja.example.org/wiki/日本語⸡、⸠https://example.com/?q=a⸡！");
        check(
            "⸠https://example.com/日本⸡「引用」 ⸠https://example.com/⸡。次 ⸠https://example.com/a⸡.，x",
        );
    }

    #[test]
    fn s27_both_readings_are_reported() {
        let tlds = TldTable::new(["com"], "");
        let text = "見てpaypal.comです";
        let link = Linkifier::new(&tlds).links(text).next().unwrap();
        assert_eq!((&text[link.host], &text[link.inner..]), ("見てpaypal.com", "paypal.comです"));
    }

    #[test]
    fn file_like_names_are_of_low_confidence() {
        check("⸠helpers.py?⸡ and ⸠M.Sc?⸡ and the ⸠end.In?⸡ it");
        check("⸠helpers.py/x⸡ ⸠http://helpers.py⸡ ⸠www.helpers.py⸡ ⸠gob.com.py⸡ ⸠Amazon.Com⸡");
    }

    #[test]
    fn defanged_links_are_recognised() {
        check(
            "⸠hxxp://example[.]com/a!⸡ ⸠example[.]com!⸡ ⸠www(.)example(.)org!⸡ ⸠bob[@]example[.]com!⸡",
        );
        check(
            "⸠hxxps[:]//example[.]com!⸡ half of it: ⸠www.example[.]com⸡ ⸠hxxp://www.example.com?⸡",
        );
    }

    #[test]
    fn mailto_takes_its_header_fields_along() {
        check("⸠mailto:bob@example.com?subject=Hi⸡, ⸠bob@example.com⸡?subject=Hi");
    }

    #[test]
    fn a_search_ends_once_it_took_its_steps() {
        let tlds = TldTable::new(["com"], "");
        let linkifier = Linkifier::new(&tlds);
        for unit in ["a.com ", "https://a.com/ ", "\u{431}.\u{431} "] {
            let text = unit.repeat(1_000);
            for boundaries in [Boundaries::Letter, Boundaries::Adjusted, Boundaries::Wide] {
                let linkifier = linkifier.boundaries(boundaries);
                let all: Vec<Link> = linkifier.links(&text).collect();
                let mut links = linkifier.at_most(300).links(&text);
                let some: Vec<Link> = links.by_ref().collect();
                assert!(all.starts_with(&some) && links.next().is_none(), "{unit}");
                assert!(links.steps() < 1_200, "{unit} {boundaries:?} {}", links.steps());
            }
        }
    }
}
