//! Where hosts begin and end in a run, as careless clients read it (S27, S29).
//!
//! | clause | here |
//! | --- | --- |
//! | S12, S27: every end that a top-level domain makes | [`known_end`], [`hosts`] |
//!
//! A run may contain several hosts with prose between them. Where a client may begin inside one is
//! decided when it is judged (`crate::unicode::prose`).

use alloc::vec::Vec;
use core::ops::Range;

use super::authority::{self, begins_with_www};
use super::encoded::NAME;
use super::prose::{self, Stop};
use crate::tlds::TldSet;
use crate::unicode::prose::{self as bounds, Places};
use crate::unicode::{Class, a_label, is_dot_to_somebody, is_letter};

/// Steps of a run of other letters, whether hosts are found in it or not: its beginning and end are looked for in several ways.
const OTHER_RUN_STEPS: u64 = 256;

/// Labels beyond ASCII of which few hosts have more, and steps of looking for an end at each further one, as many as for
/// so many bytes of running text.
const USUAL_LABELS: usize = 5;
const FURTHER_LABEL_STEPS: u64 = 160;

/// Steps of looking for the hosts of a run, beside its bytes.
pub(super) fn run_steps(run: &str) -> u64 {
    if run.is_ascii() {
        return 0;
    }
    let labels = run.chars().filter(|c| is_dot_to_somebody(*c)).count() + 1;
    OTHER_RUN_STEPS + FURTHER_LABEL_STEPS * labels.saturating_sub(USUAL_LABELS) as u64
}

/// The first place from which a host can be linked at all; `is_domain` tells it of a part of `name`.
pub(super) fn begins(
    name: &str,
    host: Range<usize>,
    mut is_domain: impl FnMut(Range<usize>) -> bool,
) -> Option<usize> {
    let text = name.get(host.clone())?;
    let trimmed = text.trim_start_matches(is_edge);
    let base = host.end - trimmed.len();
    let whole = base..host.end;
    if is_domain(whole.clone())
        || begins_with_www(trimmed) && authority::is_domain_to_browsers(name, whole)
    {
        return Some(base);
    }
    let mut can_be_linked = |start: &usize| is_domain(base + *start..host.end);
    let places = Places::of(trimmed);
    let start = places.starts().find(&mut can_be_linked);
    Some(base + start.or_else(|| places.inside().find(can_be_linked))?)
}

/// Finds the hosts in a run, each from the end of the previous one to its last top-level domain.
pub(super) fn hosts(run: &str, tlds: &dyn TldSet, found: &mut Vec<Range<usize>>) {
    found.clear();
    let mut start = 0;
    let mut end: Option<usize> = None;
    let mut before: Option<char> = None;
    let mut at = 0;
    for piece in run.split_inclusive(is_dot_to_somebody) {
        let dot = piece.chars().next_back().filter(|c| is_dot_to_somebody(*c));
        let label = piece.get(..piece.len() - dot.map_or(0, char::len_utf8)).unwrap_or_default();
        let whole = end == Some(at - before.map_or(0, char::len_utf8));
        let mut close = |from: usize, end: &mut Option<usize>| {
            if let Some(end) = end.take() {
                found.push(start..end);
            }
            start = from;
        };
        match before {
            _ if label.is_empty() => close(at + piece.len(), &mut end),
            None => {}
            Some(stop) => match tld_length(label, Stop::of(stop), tlds) {
                Some(length) => {
                    end = Some(at + length);
                    let rest = label.get(length..).unwrap_or_default();
                    let rest = rest.trim_start_matches(['-', '_']);
                    if rest.starts_with(|c| bounds::is_unspaced(c) || bounds::is_sign(c)) {
                        close(at + length, &mut end);
                    }
                }
                // S12: after the full stop of a sentence the next one follows.
                None if whole && Stop::of(stop) == Stop::Ideographic => close(at, &mut end),
                None => {}
            },
        }
        before = dot;
        at += piece.len();
    }
    if let Some(end) = end {
        found.push(start..end);
    }
}

/// The end of the longest prefix of a run that some client takes for a host if a scheme or an `@`
/// marks one: then digits end a top-level domain as well (`com1`).
pub fn known_end(run: &str, tlds: &dyn TldSet) -> Option<usize> {
    label_end(run, tlds).or_else(|| cut_end(run, tlds))
}

fn label_end(run: &str, tlds: &dyn TldSet) -> Option<usize> {
    ends(run, tlds).next().map(|(_, end)| end)
}

/// The ends that labels of a run make, from the last one on, and the dot in front of each.
fn ends(run: &str, tlds: &dyn TldSet) -> impl Iterator<Item = (usize, usize)> {
    let dots = run.char_indices().rev().filter(|(_, c)| is_dot_to_somebody(*c));
    let mut label_end = run.len();
    dots.filter_map(move |(dot, c)| {
        let after = dot + c.len_utf8();
        let label = run.get(after..core::mem::replace(&mut label_end, dot))?;
        let length = tld_length(label, Stop::of(c), tlds)
            .or_else(|| tld_of_bytes(label, u8::is_ascii_alphabetic, tlds))?;
        Some((dot, after + length))
    })
}

/// The ends of runs of one text, each of which begins behind the one before and may overlap it: a label is looked at
/// once, and once more while it is the last one of a run.
#[derive(Clone, Debug, Default)]
pub struct KnownEnds {
    /// Where the last run began, and its last dot.
    run: usize,
    last: usize,
    /// The dot and the end of the last top-level domain in front of that.
    before: Option<(usize, usize)>,
}

impl KnownEnds {
    /// The end of the longest prefix of a run of the text that a label ends, as in [`known_end`].
    pub fn of_run(&mut self, text: &str, run: Range<usize>, tlds: &dyn TldSet) -> Option<usize> {
        let name = text.get(run.clone())?;
        let last = run.start + name.rfind(is_dot_to_somebody)?;
        if run.start < self.run || last < self.last {
            *self = KnownEnds::default();
        }
        self.run = run.start;
        let from = self.last.max(run.start);
        if let Some(between) = text.get(from..last) {
            let found = ends(between, tlds).next();
            let found = found.map(|(dot, end)| (from + dot, from + end));
            self.before = found.or(self.before);
        }
        self.before = self.before.filter(|(dot, _)| *dot >= run.start);
        self.last = last;
        let at_last = ends(text.get(last..run.end)?, tlds).next().map(|(_, end)| last + end);
        at_last.or(self.before.map(|(_, end)| end))
    }
}

/// The end for a client that cuts a host after the letters of any top-level domain
/// (`xn--a.comcom`). Such clients know only ASCII, so only an A-label can mislead there.
fn cut_end(name: &str, tlds: &dyn TldSet) -> Option<usize> {
    let ascii = name.bytes().take_while(u8::is_ascii).count();
    let name = name.get(..ascii.min(NAME))?;
    let start = a_label::places(name.as_bytes()).next()?;
    let dots = name.match_indices('.').map(|(dot, _)| dot + 1).filter(|after| *after > start);
    let mut ends = dots.filter_map(|after| {
        let label = name.get(after..)?.split('.').next()?;
        let letters = label.bytes().take_while(u8::is_ascii_alphabetic).count();
        let exists = |length: &usize| tlds.exists_as(label.get(..*length).unwrap_or_default());
        (2..=letters).rev().find(exists).map(|length| after + length)
    });
    ends.next_back()
}

/// The length of the top-level domain that a label begins with: as in prose, or as far as a client
/// reads that knows only ASCII letters and digits (`com_x`, `com-x`, `comé`, `xn--p1aié`), or only
/// letters (`рф_x`, `рф™`).
fn tld_length(label: &str, stop: Stop, tlds: &dyn TldSet) -> Option<usize> {
    prose::tld_prefix(label, stop, tlds)
        .or_else(|| tld_of_bytes(label, u8::is_ascii_alphanumeric, tlds))
        .or_else(|| tld_of_bytes(label, |c| c.is_ascii_alphanumeric() || *c == b'-', tlds))
        .or_else(|| tld_before_non_letter(label, tlds))
}

/// The length of a non-ASCII top-level domain that is followed by something other than a letter.
fn tld_before_non_letter(label: &str, tlds: &dyn TldSet) -> Option<usize> {
    if label.is_ascii() || !label.starts_with(|first| tlds.may_begin(first)) {
        return None;
    }
    let follows = |end: usize| label.get(end..).is_some_and(|rest| !rest.starts_with(is_letter));
    tlds.unicode_prefix(label, &follows)
}

/// The length of a top-level domain of such bytes that is followed by other bytes.
fn tld_of_bytes(label: &str, belongs: fn(&u8) -> bool, tlds: &dyn TldSet) -> Option<usize> {
    let length = label.bytes().take_while(belongs).count();
    let name = label.get(..length).filter(|name| !name.is_empty() && length < label.len())?;
    tlds.exists_as(name).then_some(length)
}

/// What no host without a scheme begins or ends with; a sign may precede one.
fn is_edge(c: char) -> bool {
    matches!(c, '-' | '_') || is_dot_to_somebody(c) || Class::of(c).is_ignored()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use crate::tlds::TldTable;
    use crate::{Boundaries, Kind, Linkifier};

    fn tlds() -> TldTable {
        TldTable::new(["com", "org", "de", "xn--fiqs8s", "xn--p1ai"], "")
    }

    /// The hosts that are judged, between marks.
    fn marked(text: &str) -> String {
        let tlds = tlds();
        let mut out = String::new();
        let mut at = 0;
        for link in Linkifier::new(&tlds).boundaries(Boundaries::Wide).links(text) {
            out += &text[at..link.host.start];
            out += "⸠";
            out += &text[link.host.clone()];
            out += "⸡";
            at = link.host.end;
        }
        out + &text[at..]
    }

    #[track_caller]
    fn check(expected: &str) {
        assert_eq!(marked(&expected.replace(['⸠', '⸡'], "")), expected);
    }

    #[test]
    fn s29_a_host_behind_an_at_sign_that_no_domain_follows() {
        for dot in ['.', '。', '．', '｡', '\u{2024}'] {
            check(&format!("go u@{dot}⸠раypal.com⸡"));
            check(&format!("u@{dot}⸠xn--80ak6aa92e.com⸡"));
        }
        check("u@-⸠раypal.com⸡");
    }

    #[test]
    fn s29_hosts_that_go_on_escaped() {
        check("see ⸠www.x.com⸡ ⸠www.%D1%80%D0%B0ypal.com⸡/x ⸠www.p%D0%B0ypal.com⸡ now");
        check("50% www.%41 www.50% p%D0%B0ypal");
    }

    #[test]
    fn s29_an_address_whose_at_sign_is_escaped() {
        check("see mailto:x%40⸠раypal.com⸡ mailto:x%40⸠%D1%80%D0%B0ypal.com⸡?subject=x");
        check("mailto:x%40y mailto:50%40 ⸠раypal.com⸡ mailto:x%40y%40⸠раypal.com⸡");
    }

    #[test]
    fn s29_a_local_part_that_is_too_long_is_none() {
        let long = "привет.".repeat(6);
        check(&format!("⸠{long}раypal.com⸡@⸠a.com⸡"));
        check("bob.smith@⸠example.com⸡");
    }

    #[test]
    fn s29_a_scheme_wherever_it_begins() {
        check("seehttp://⸠раypal.com⸡ 见https://⸠раypal.com⸡");
        check("http:⸠раypal.com⸡ HTTPS:/⸠раypal.com⸡ http:///⸠раypal.com⸡ https:\\\\⸠раypal.com⸡");
        check("http:\\/⸠раypal.com⸡/x ftp://⸠раypal.com⸡ http://http://⸠раypal.com⸡");
        check(
            "//⸠раypal.com⸡ \\\\⸠раypal.com⸡ /⸠раypal.com⸡ foo://⸠раypal.com⸡ mailto:⸠раypal.com⸡",
        );
    }

    #[test]
    fn s29_what_no_host_begins_or_ends_with() {
        check(".⸠раypal.com⸡ _⸠раypal.com⸡ ..⸠раypal.com⸡ http://.⸠раypal.com⸡");
        check("http://⸠раypal.com⸡@ http://⸠раypal.com⸡:99999 http://⸠раypal.com⸡%20");
        check("http://⸠раypal.com⸡[.] http://⸠раypal.com⸡%2e ⸠раypal.com⸡_x ⸠раypal.com⸡-x");
        check("⸠раypal.com⸡です http://⸠раypal.com⸡。次の文 ⸠раypal.com⸡é http://⸠раypal.com⸡:80:");
        check(
            "https://⸠www.a.com-.evil.org⸡/x https://⸠a.com.-x.evil.org⸡ https://⸠a.com.--evil.org⸡",
        );
        check("u:⸠www.a.com-.evil.org⸡/x a.com.x-.⸠evil.org⸡");
        check("http://⸠раypal.com⸡\u{200b} ⸠раypal.com⸡. ⸠раypal.com⸡... ⸠раypal.com⸡|x");
    }

    #[test]
    fn s29_addresses_in_digits_that_browsers_map() {
        check("http://⸠①②⑦.⓪.⓪.①⸡/ http://⸠８.８.８.８⸡/x https://⸠𝟖.𝟖.𝟖.𝟖⸡:80 http://⸠③⑤⑥①⑥⑤⑦⑧⸡/");
        check(
            "⑧.⑧.⑧.⑧ ８.８.８.８/login http://⸠example.com⸡① http://⸠example.com⸡¹/x http://x.y①",
        );
    }

    #[test]
    fn s29_userinfo_up_to_the_last_at_sign() {
        check("http://a@b@⸠раypal.com⸡ http://a、b|c@⸠раypal.com⸡ https://(x)@⸠раypal.com⸡/");
        check("http://⸠example.com⸡、メールはbob@⸠example.org⸡へ");
        check("user@⸠раypal.com⸡@x a..b@⸠раypal.com⸡ @⸠раypal.com⸡");
    }

    #[test]
    fn runs_of_many_labels_pay_for_each() {
        let steps = |labels: usize| {
            let (tlds, run) = (tlds(), "\u{430}b.".repeat(labels));
            let linkifier = Linkifier::new(&tlds).boundaries(Boundaries::Wide);
            let text = format!("http://{run}x");
            let mut links = linkifier.links(&text);
            links.by_ref().for_each(drop);
            links.steps()
        };
        let further = super::FURTHER_LABEL_STEPS;
        assert!(steps(30) - steps(20) >= 10 * further, "{} {}", steps(20), steps(30));
        assert_eq!(super::run_steps("a.b.c.d.e.f.g.com"), 0);
        assert_eq!(super::run_steps("\u{430}.b.c.d.com"), super::OTHER_RUN_STEPS);
    }

    #[test]
    fn runs_of_other_letters_pay_where_no_host_is_found() {
        let steps = |text: &str| {
            let tlds = tlds();
            let linkifier = Linkifier::new(&tlds).boundaries(Boundaries::Wide);
            let mut links = linkifier.links(text);
            assert_eq!(links.by_ref().count(), 0, "{text}");
            links.steps()
        };
        assert!(steps("щ.щ ") >= steps("xx.xx ") + super::OTHER_RUN_STEPS);
    }

    #[test]
    fn signs_that_stand_for_words_pay_for_their_letters() {
        let steps = |sign: &str| {
            let tlds = tlds();
            let text = format!("{}.com ", sign.repeat(12));
            let mut links = Linkifier::new(&tlds).boundaries(Boundaries::Wide).links(&text);
            links.by_ref().for_each(drop);
            links.steps()
        };
        assert!(steps("\u{3300}") >= steps("\u{3400}") + 20 * 40);
        assert!(steps("\u{FDF2}") >= steps("\u{3400}") + 20 * 40);
    }

    #[test]
    fn s29_top_level_domains_that_are_cut_off() {
        check("u@⸠xn--a-b.xn--p1ai⸡ａ");
        let end = |run: &str| super::known_end(run, &tlds());
        for after in ["com", "http", "www.", "org.xyz"] {
            assert_eq!(end(&format!("xn--ypal-43d9g.com{after}")), Some(18), "{after}");
        }
        assert_eq!(end("xn--a.example.comcom"), Some(17));
        assert_eq!(end("example.comcom"), None);
        let german = TldTable::new(["xn--vermgensberatung-pwb"], "");
        assert_eq!(super::known_end("a.vermögensberatung_x", &german), Some(20));
    }

    proptest! {
        #[test]
        fn ends_of_runs_that_overlap_are_those_of_each(
            text in "([a-c.。]|com|рф|co|\\.com|www\\.|–){0,40}",
            length in 1..12_usize,
        ) {
            let tlds = tlds();
            let mut ends = super::KnownEnds::default();
            for start in (0..text.len()).filter(|at| text.is_char_boundary(*at)) {
                let end = text.floor_char_boundary((start + length).min(text.len())).max(start);
                let found = ends.of_run(&text, start..end, &tlds);
                let alone = super::label_end(&text[start..end], &tlds).map(|end| start + end);
                assert_eq!(found, alone, "{text} {start}..{end}");
            }
        }
    }

    #[test]
    fn s29_what_is_defanged_hides_no_scheme_behind_it() {
        for scheme in ["https://", "HTTP://", "ftp:/", "http:\\\\"] {
            for before in ["x[.]", "x(.)", "1{.}", "a[.]b[.]", "example[.]com", "[.]"] {
                let dead =
                    if before.ends_with('m') { format!("⸠{before}⸡") } else { before.into() };
                check(&format!("see {dead}{scheme}⸠раypal.com⸡/x"));
                check(&format!("see {dead}{scheme}a.com@⸠раypal.org⸡/x"));
            }
            check(&format!(
                "http://⸠a.org⸡[.]{scheme}⸠раypal.com⸡ ⸠www.a.zz⸡[.]{scheme}⸠раypal.com⸡"
            ));
        }
        check("http://⸠a.org⸡http://⸠b.com⸡ http://⸠a.zz⸡http://⸠b.com⸡ ⸠www.a.zz⸡http://⸠b.com⸡");
        check("u@⸠a.org⸡http://⸠b.com⸡ ⸠a.org⸡http://⸠b.com⸡ u[@]⸠a[.]org⸡http://⸠b.com⸡");
        check(
            "⸠evil[.]com⸡/http://⸠a.com⸡ http://⸠evil[.]com⸡/?u=http://⸠a.com⸡ ⸠a[.]com⸡/c[.]de/x",
        );
        check("⸠evil[.]com⸡/index.de?x=y.org&⸠www.a.com⸡ ⸠y.org⸡");
        check("hxxp[:]//⸠evil[.]com⸡/bob@⸠a.com⸡ hxxps://⸠evil[.]com⸡:80/x ⸠evil[.]com⸡/x");
    }

    #[test]
    fn s29_a_bracketed_dot_ends_a_host() {
        check(
            "http://⸠a.zz⸡[.] http://x.com@⸠a.zz⸡(.) ⸠www.a.zz⸡[.] http://⸠a.zz[.]com⸡ http://a[.]",
        );
        let tlds = tlds();
        for (text, dead) in [
            ("http://a[.]com", true),
            ("http://u@a[.]com/x", true),
            ("hxxp://a.com@b[.]com", true),
            ("http://a[.]com@b[.]com", true),
            ("http://a.com@b[.]com/x", false),
            ("http://a%2Ecom@b(.)com", false),
            ("http://a.b[.]com", false),
            ("hxxp://3627734734/x", true),
            ("hxxp://0x7f000001", true),
            ("hxxp://a.com@3627734734/x", false),
            ("http://3627734734/x", false),
            ("a.b[.]com", true),
        ] {
            let link = Linkifier::new(&tlds).boundaries(Boundaries::Wide).links(text).next();
            assert_eq!(link.unwrap().defanged, dead, "{text}");
        }
    }

    #[test]
    fn s29_userinfo_with_blanks_that_end_no_url() {
        check(
            "http://a.com\u{2003}@⸠раypal.com⸡ http://a.com\u{1}x@⸠раypal.com⸡ http://a․com@⸠раypal.com⸡",
        );
        check("http://⸠a.com⸡\u{2028}bob@⸠раypal.com⸡ http://⸠a.com⸡\u{3000}@⸠раypal.com⸡");
        check("http://⸠a.com⸡\u{b}bob@⸠раypal.com⸡ http://⸠a.com⸡\u{a0}@⸠раypal.com⸡");
    }

    #[test]
    fn s29_a_host_with_www_before_an_at_sign() {
        let tlds = tlds();
        let users = |text: &str| -> Vec<String> {
            let links = Linkifier::new(&tlds).boundaries(Boundaries::Wide).links(text);
            let urls = links.filter(|link| link.kind == Kind::Www && link.user.is_some());
            urls.map(|link| {
                format!("{} {}", &text[link.user.unwrap()], &text[link.host.start..link.span.end])
            })
            .collect()
        };
        for (text, expected) in [
            ("www.a.com@b.zz/x", "www.a.com b.zz/x"),
            ("'www.a.com@b.zz', x", "www.a.com b.zz"),
            ("\"WWW.a.com@b.zz:80/x\"", "WWW.a.com b.zz:80/x"),
            ("https:// www.a.com@b.zz?x", "www.a.com b.zz?x"),
            ("(www.a.com:x@b.zz#x)", "www.a.com:x b.zz#x"),
            ("見てwww.a.com@x@b.org", "www.a.com@x b.org"),
            ("www.аpple.com@b.zz", "www.аpple.com b.zz"),
            ("www.a.com.@b.zz", "www.a.com. b.zz"),
            ("www.a.com%20@b.zz", "www.a.com%20 b.zz"),
            ("www.a.com+x@b.zz", "www.a.com+x b.zz"),
            ("www.a.com,@b.zz", "www.a.com, b.zz"),
            ("www.a.com’@b.zz", "www.a.com’ b.zz"),
            ("www.a.com。@b.zz", "www.a.com。 b.zz"),
            ("www.a․com@b.zz", "www.a․com b.zz"),
            ("//www.a.com@b.zz/", "www.a.com b.zz/"),
            ("(//www.a.com@b.zz)", "www.a.com b.zz"),
        ] {
            assert_eq!(users(text), [expected], "{text}");
        }
        for address in [
            "www.chris@a.com",
            "www.chris.jones@a.com",
            "bob+www.a.com@b.org",
            "list-bob=www.a.com@b.org",
            "mailto:www.a.com@b.org",
            "www.a.com@a.com",
            "www.a.com@mail.a.com",
            "awww.a.com@b.org",
            "www.a.com/b@c.org www.a.com,b@c.org www.a.com、b@c.org www.a.com|b@c.org www.a.com;b@c.org",
            "x//www.a.com@b.org",
        ] {
            assert_eq!(users(address), [""; 0], "{address}");
        }
    }

    #[test]
    fn s29_dots() {
        check("⸠a․раypal․com⸡ http://⸠раypal．com⸡ http://⸠раypal․com⸡/x user@⸠раypal。com⸡");
    }

    #[test]
    fn s29_ends_that_clients_see() {
        check("⸠раypal.рф⸡_x ⸠раypal.рф⸡™ http://⸠раypal.рф⸡‑x ⸠раypal.рф⸡\u{20e3} ⸠раypal.рф⸡①");
        check("foo-.⸠раypal.com⸡ ⸠①.раypal.com⸡");
    }

    #[test]
    fn a_host_in_a_tail_is_not_cut_at_its_dots() {
        let tlds = tlds();
        let tail = |text: &str| {
            let link = Linkifier::new(&tlds).boundaries(Boundaries::Wide).links(text).next();
            text[link.unwrap().tail].to_owned()
        };
        for whole in ["?u=http://раypal。com", "/www．раypal．com/x", "#bob@раypal｡中国"]
        {
            assert_eq!(tail(&format!("x.com{whole} y")), whole);
            assert_eq!(tail(&format!("http://x.com{whole}")), whole);
        }
        assert_eq!(tail("http://x.com/a。次の文"), "/a");
        assert_eq!(tail("http://x.com\\url?q=a b"), "\\url?q=a");
        assert_eq!(tail("http://x.com\\, and"), "\\");
    }

    #[test]
    fn hosts_among_prose() {
        check("⸠例えばexample.com⸡⸠やexample.org⸡など。");
        check("⸠👉раypal.com⸡ ⸠www.аcmecorp.com⸡ ⸠Приветexample.com⸡");
    }

    proptest! {
        /// Links are in order, disjoint and inside the text.
        #[test]
        fn in_order(text in "(http:|//|@|\\.|com|раyp|です|[a-z ]|\\PC){0,24}") {
            let tlds = tlds();
            let mut end = 0;
            for link in Linkifier::new(&tlds).boundaries(Boundaries::Wide).links(&text) {
                prop_assert!(text.get(link.span.clone()).is_some(), "{link:?}");
                prop_assert!(link.span.start >= end && link.span.end > link.span.start, "{link:?}");
                prop_assert!(link.span.start <= link.host.start && link.host.end <= link.span.end);
                end = link.span.end;
            }
        }
    }
}
