//! The readings S1–S19 of the standards that concern links, each a test that names it, and properties
//! of every text. (S1 at every code point and S19 row by row are in crates/uts58/tests.)
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

mod common;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use common::transcription::link_end;
use common::world::World;
use linkmilter::engine::link::{
    Address, HostForm, Link, Linkifier, LocalForm, Url, detect, format, mailto_addresses,
};
use linkmilter::engine::unicode::{LinkTerm, UNICODE_VERSION, link_bracket, link_email, link_term};
use linkmilter::engine::{TldTable, Verdict};
use linkmilter::tld;
use proptest::prelude::*;

fn tlds() -> &'static TldTable {
    static TLDS: std::sync::LazyLock<TldTable> = std::sync::LazyLock::new(tld::builtin);
    &TLDS
}

/// The text with its links in brackets ⸠…⸡, by the conforming detector.
fn marked(text: &str) -> String {
    mark(text, detect(text))
}

/// The same by the layer above it.
fn marked_in_prose(text: &str) -> String {
    mark(text, Linkifier::new(tlds()).links(text))
}

fn mark(text: &str, links: impl Iterator<Item = Link>) -> String {
    let mut out = String::new();
    let mut at = 0;
    for link in links {
        out += &text[at..link.inner];
        out += &format!("⸠{}⸡", &text[link.inner..link.span.end]);
        at = link.span.end;
    }
    out + &text[at..]
}

#[track_caller]
fn letter(expected: &str) {
    assert_eq!(marked(&expected.replace(['⸠', '⸡'], "")), expected);
}

#[track_caller]
fn prose(expected: &str) {
    assert_eq!(marked_in_prose(&expected.replace(['⸠', '⸡'], "")), expected);
}

#[test]
fn s1_the_tables_are_of_unicode_18() {
    assert_eq!(UNICODE_VERSION, "18.0.0");
    // Hard wins over brackets, `<` and `>` pair, and a local part may hold a full stop.
    assert_eq!(link_term('\u{2329}'), LinkTerm::Hard);
    assert_eq!((link_term('<'), link_bracket('>')), (LinkTerm::Open, Some('<')));
    assert!(link_email('.') && !link_email(','));
}

#[test]
fn s2_a_bare_host_is_no_empty_link() {
    letter("⸠example.com⸡");
    letter("⸠example.com⸡ ⸠https://example.com⸡ ⸠example.com:80⸡");
}

#[test]
fn s3_the_letter_keeps_a_dangling_initiator() {
    letter("see ⸠example.com/page?⸡ and ⸠example.com/page#⸡ or ⸠example.com?⸡");
    prose("see ⸠example.com/page⸡? and ⸠example.com/page⸡# or ⸠example.com⸡?");
}

#[test]
fn s4_a_root_dot_is_inside_before_more() {
    letter(
        "⸠foo.example.com⸡. ⸠foo.example.com./x⸡ ⸠http://foo.example.com.?q⸡ ⸠example.com.:80/x⸡",
    );
    letter("⸠example.com⸡... ⸠http://example.com⸡..");
}

#[test]
fn s5_userinfo_makes_no_link() {
    letter("http://john.smith@example.com/foo.bar/x.org?y=z.org");
    letter("https://www.paypal.com@example.com ftp://a:b@example.com:21/ http://a.b@c@example.com");
    let text = "https://www.paypal.com@evil.example/x";
    let link = Linkifier::new(tlds()).links(text).next().unwrap();
    assert_eq!(&text[link.host.clone()], "evil.example");
    assert_eq!(&text[link.user.unwrap()], "www.paypal.com");
}

#[test]
fn s6_an_earlier_url_beats_an_address() {
    letter("⸠www.x.org/ruby-talk@x.org/⸡ ⸠example.com/a@b.org⸡ ⸠example.com./a@b.org⸡");
    letter("⸠john.doe@example.com⸡/foo.org ⸠john.doe+tag@example.com⸡ ⸠a.bc_d=e@example.com⸡");
}

#[test]
fn s7_two_dots_fail_the_match() {
    letter("john..doe@example.com .john@example.com john.@example.com ⸠j@example.com⸡");
}

#[test]
fn s8_the_letter_keeps_a_wrapping_quote() {
    letter("⸠'bob@example.com⸡' ⸠*bob@example.com⸡*");
    prose("'⸠bob@example.com⸡' *⸠bob@example.com⸡*");
}

#[test]
fn s9_registrable_by_the_icann_section() {
    letter("⸠blogspot.com⸡ co.uk http://co.uk/ x@co.uk ⸠bbc.co.uk⸡ ⸠me@bbc.co.uk⸡ ⸠github.io⸡");
}

#[test]
fn s10_the_gate_is_syntactic() {
    letter("⸠example.invalid⸡ example.a example.c0m example.co-m ⸠example.рф⸡ ⸠example.xn--p1ai⸡");
    letter("example.xn--a 1.2.3.4 v1.2 ⸠end.However⸡");
    prose("example.invalid end.However ⸠example.xn--p1ai⸡ ⸠example.XN--P1AI⸡");
}

#[test]
fn s11_nothing_directly_behind_a_scheme() {
    letter("http:example.com http:example.com/x.org?y.org mailto:example.com HTTPS:example.com");
    letter("https://2001:4860:4860::8888 ⸠https://[2001:4860:4860::8888]/⸡ https://[2001:zz]/");
    letter("note:⸠example.com⸡ url:⸠http://example.com⸡");
    // A scheme does introduce a link behind another one.
    letter("http://⸠https://example.com/a⸡ hxxp://⸠http://example.com⸡ x://⸠ftp://example.com⸡");
    prose("http://⸠https://example.com/a⸡ hxxp://⸠http://example.com⸡ x://⸠ftp://example.com⸡");
}

#[test]
fn s12_three_more_dots() {
    letter("⸠http://田中。com⸡ ⸠田中．com⸡ ⸠田中｡com⸡ ⸠a@田中。com⸡");
    prose("⸠example.com⸡。谢谢 ⸠http://田中。com⸡。谢谢 ⸠a@田中。com⸡。谢谢");
    let text = "http://田中。com/x";
    let link = detect(text).next().unwrap();
    assert_eq!(link.href(text).unwrap(), "http://xn--fiqx46g.com/x");
}

#[test]
fn s13_deviation_characters_and_case_of_schemes() {
    letter("⸠straße.de⸡ ⸠βόλος.com⸡ ⸠نامه‌ای.com⸡ ⸠HtTpS://EXAMPLE.com⸡ ⸠MailTo:a@example.com⸡");
}

#[test]
fn s14_limits() {
    let label = |n: usize| "a".repeat(n);
    letter(&format!("⸠{}.com⸡ {}.com", label(63), label(64)));
    let name = format!("{0}.{0}.{0}.{1}.com", label(63), label(57));
    assert_eq!(name.len(), 253);
    letter(&format!("⸠{name}⸡ a{name}"));
    letter(&format!("⸠{}@example.com⸡ {}@example.com", label(64), label(65)));
    letter(&format!("⸠{}@example.com⸡ {}@example.com", "я".repeat(32), "я".repeat(33)));
    letter("⸠http://example.com:65535/⸡ http://example.com:65536/ ⸠example.com⸡:65536/");
    // 63 octets in ASCII form, not as written: 57 letters of one kind still fit, 58 do not.
    letter(&format!("⸠{}.com⸡ {}.com", "я".repeat(57), "я".repeat(58)));
}

#[test]
fn s15_invisible_characters_are_detected_and_escaped() {
    letter("⸠http://exa\u{AD}mple.com/a\u{202E}b⸡ ⸠example.com⸡\u{200B} \u{FEFF}⸠example.com⸡");
    let text = "http://exa\u{AD}mple.com/a\u{202E}b";
    let link = detect(text).next().unwrap();
    assert_eq!(link.href(text).unwrap(), "http://example.com/a%E2%80%AEb");
    assert_eq!(format("http://example.com/a\u{202E}b"), "http://example.com/a%E2%80%AEb");
}

#[test]
fn s16_quoted_local_parts_and_literals() {
    letter("\"john doe\"@example.com Abc\\@⸠def@example.com⸡");
    letter("user@[192.0.2.1]");
    for (text, form) in [
        (r#""john doe"@example.com"#, LocalForm::Quoted),
        (r"Abc\@def@example.com", LocalForm::Legacy),
        ("user@[192.0.2.1]", LocalForm::Dotted),
        ("user@[IPv6:2001:db8::1]", LocalForm::Dotted),
    ] {
        let address = Address::parse(text).unwrap();
        assert_eq!(address.form, form, "{text}");
        let back = mailto_addresses(&address.to_mailto());
        assert_eq!(back, [text], "{}", address.to_mailto());
    }
    let literal = Address::parse("user@[192.0.2.1]").unwrap();
    assert_eq!(literal.host, HostForm::Literal("192.0.2.1".parse().unwrap()));
}

#[test]
fn s17_mailto_is_escaped() {
    let every = Address::parse("\"%:<>#{}|^~`/?&=+\"@example.com").unwrap().to_mailto();
    assert_eq!(every, "mailto:%22%25%3A%3C%3E%23%7B%7D%7C%5E%7E%60%2F%3F%26%3D%2B%22@example.com");
}

#[test]
fn s18a_an_implied_scheme_is_http() {
    for (text, href) in [
        ("example.com/a", "http://example.com/a"),
        ("www.example.com", "http://www.example.com"),
        ("https://example.com", "https://example.com"),
    ] {
        assert_eq!(detect(text).next().unwrap().href(text).unwrap(), href);
    }
    // Network paths are no links in text, nor is their tail.
    letter(r"//example.com/a \\example.com\share file://example.com/a");
}

#[test]
fn s19_a_final_soft_character_is_escaped() {
    assert_eq!(format("https://example.com/a."), "https://example.com/a%2E");
    assert_eq!(format("https://example.com/a?q="), "https://example.com/a?q=");
    assert_eq!(format("https://example.com/a,#b!"), "https://example.com/a,#b%21");
}

#[test]
fn s27_prose_boundaries() {
    prose(
        "👉⸠example.com⸡ →⸠example.com⸡ サーバー⸠example.com⸡です เว็บไซต์⸠example.com⸡ ⸠בexample.com⸡",
    );
    // Both readings are reported: what a client links, and the longer one.
    for (text, host, inner) in [
        ("👉example.com", "👉example.com", "example.com"),
        ("サーバーexample.com", "サーバーexample.com", "example.com"),
        ("раypal.comです", "раypal.com", "раypal.com"),
    ] {
        let link = Linkifier::new(tlds()).links(text).next().unwrap();
        assert_eq!(&text[link.host.clone()], host);
        assert_eq!(&text[link.inner..link.host.end], inner);
    }
    // The conforming detector takes all of it.
    letter("⸠👉example.com⸡ ⸠サーバーexample.com⸡ ⸠раypal.comです⸡");
}

/// Texts that made other detectors quadratic (S18).
const UNITS: [&str; 35] = [
    "a.a~",
    "a@",
    "((((",
    "x@y.",
    ".com/",
    "a.",
    ".",
    "@",
    ":",
    "://",
    "http://",
    "http://a",
    "http://a.",
    "a.com~",
    "a.bc@",
    "-a.b",
    "a..",
    "。",
    "あ。",
    "あa.com",
    "http://a@",
    "x://y.",
    "[.]",
    "a[.]com",
    "http:a.b",
    "xn--a.",
    "\u{300}",
    "👉a.com",
    "mailto:a@b.",
    "http://example.com/((((",
    "[[[[",
    "例え。",
    "好。好.com",
    "%61",
    "http://%61.",
];

#[test]
fn s18_linear_in_the_text() {
    /// Each byte is read a few times at most, whoever asks.
    const READS: u64 = 24;
    for unit in UNITS {
        for suffix in ["", "@example.com", ".com/"] {
            let text = unit.repeat(40_000 / unit.len()) + suffix;
            let mut strict = detect(&text);
            strict.by_ref().for_each(drop);
            let mut lenient = Linkifier::new(tlds()).links(&text);
            lenient.by_ref().for_each(drop);
            for steps in [strict.steps(), lenient.steps()] {
                assert!(steps <= READS * text.len() as u64, "{unit:?}: {steps} of {}", text.len());
            }
        }
    }
}

#[test]
fn hosts_keep_their_spelling_and_both_forms() {
    let text = "http://BÜCHER.xn--bcher-kva.example:80/";
    let link = detect(text).next().unwrap();
    assert_eq!(link.host_str(text), "BÜCHER.xn--bcher-kva.example");
    assert_eq!(link.ascii_host(text).unwrap(), "xn--bcher-kva.xn--bcher-kva.example");
    assert_eq!(link.unicode_host(text).unwrap(), "bücher.bücher.example");
    assert_eq!(&text[link.port.unwrap()], "80");
}

#[test]
fn numeric_hosts_need_a_scheme() {
    letter(
        "192.168.10.15 ⸠http://192.168.10.15⸡ ⸠http://0x7f.1/⸡ http://256.1.1.1/ http://1.2.3.4.5/",
    );
}

/// Pieces that links are made of, so that random texts come near them.
fn text() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        4 => proptest::sample::select(vec![
            "example", "com", ".", "。", "｡", "/", "?", "#", ":~:", "@", ":", "http", "://", "mailto:",
            "www.", "(", ")", "[", "]", "[.]", "<", ">", "\"", "'", "%", "%41", "%ff", "=", "&", ",", "+",
            " ", "\n", "-", "_", "!", "xn--", "です", "例子", "中国", "рф", "а", "é", "e\u{301}", "👉", "~",
            "\u{200B}", "\u{202E}", "\u{AD}", "8080", "1", "«", "»", "「", "」", "py", "hxxp", "*", "{", "}",
            "|", "\u{E000}", "\\", "ß", "\u{200D}", "０", "ｃｏｍ",
        ]).prop_map(str::to_owned),
        1 => any::<char>().prop_map(String::from),
    ];
    proptest::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

/// Spans in order, disjoint, on character boundaries, every part inside the whole.
fn well_formed(text: &str, links: &[Link]) {
    let mut at = 0;
    for link in links {
        assert!(at <= link.span.start && link.span.start < link.span.end, "{link:?}");
        assert!(link.span.start <= link.inner && link.inner < link.span.end, "{link:?}");
        let parts = [
            Some(link.host.clone()),
            link.user.clone(),
            link.port.clone(),
            Some(link.tail.clone()),
        ];
        for part in
            parts.into_iter().flatten().chain([link.span.clone(), link.inner..link.span.end])
        {
            assert!(link.span.start <= part.start && part.end <= link.span.end, "{link:?}");
            assert!(text.get(part).is_some(), "{link:?}");
        }
        at = link.span.end;
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 4096, ..ProptestConfig::default() })]

    #[test]
    fn spans_are_well_formed(text in text()) {
        well_formed(&text, &detect(&text).collect::<Vec<_>>());
        well_formed(&text, &Linkifier::new(tlds()).links(&text).collect::<Vec<_>>());
    }

    #[test]
    fn links_end_where_the_transcription_says(tail in text()) {
        let text = format!("http://example.com{tail}");
        let link = detect(&text).next();
        // Whatever continues the host, makes a port or a userinfo is for other tests.
        if let Some(link) = link
            && &text[link.host.clone()] == "example.com"
            && link.port.is_none()
            && link.user.is_none()
            && link.tail.start == "http://example.com".len()
        {
            prop_assert_eq!(link.span.end, link_end(&text, link.tail.start));
        }
    }

    #[test]
    fn formatting_is_idempotent_and_keeps_the_parts(tail in text()) {
        let url = format!("http://example.com/{tail}");
        let once = format(&url);
        prop_assert_eq!(&format(&once), &once);
        prop_assert_eq!(Url::parse(&once).pieces(), Url::parse(&url).pieces());
    }

    #[test]
    fn what_is_formatted_is_found_whole(tail in text()) {
        let url = format(&format!("http://example.com/{tail}"));
        prop_assert_eq!(marked(&format!(" {url} ")), format!(" ⸠{url}⸡ "));
    }

    #[test]
    fn a_prefix_never_panics(text in text(), at in 0usize..200) {
        if let Some(prefix) = text.get(..at) {
            well_formed(prefix, &detect(prefix).collect::<Vec<_>>());
        }
    }

    #[test]
    fn hrefs_are_ascii(text in text()) {
        for link in Linkifier::new(tlds()).links(&text) {
            if let Some(href) = link.href(&text) {
                prop_assert!(href.bytes().all(|byte| byte.is_ascii_graphic()), "{}", href);
            }
        }
    }
}

#[test]
fn joiners_and_middle_dots_have_their_places() {
    let world = World::builtin();
    let verdict = |host: &str| world.judge(host).verdict;
    for home in ["می\u{200c}خواهم.ایران", "ශ්\u{200d}රී.ලංකා", "col·legi.cat", "col·legi.org"]
    {
        assert_eq!(verdict(home), Verdict::Ok, "{home}");
    }
    assert_eq!(verdict("می\u{200c}خواهم.com"), Verdict::Notice);
    assert!(verdict("pay\u{200d}pal.com") >= Verdict::Unsafe);
    assert_eq!(verdict("a·b.com"), Verdict::Suspect);
}

/// The rows of `docs/readings.md`: number, and the tests that stand in it.
fn rows_of_the_page() -> BTreeMap<String, Vec<String>> {
    let page = std::fs::read_to_string(project("docs/readings.md")).unwrap();
    let rows = page.lines().filter(|line| line.starts_with("| S"));
    rows.map(|row| {
        let cells: Vec<&str> = row.split(" | ").collect();
        let tests = cells.last().unwrap().split('`').skip(1).step_by(2).map(str::to_owned);
        (cells[0].trim_start_matches("| ").to_owned(), tests.collect())
    })
    .collect()
}

/// Every text of the project in which a reading may be cited, with its path.
fn texts() -> Vec<(PathBuf, String)> {
    let mut found = Vec::new();
    let mut folders: Vec<PathBuf> =
        ["src", "crates", "tests", "docs", "benches"].map(project).to_vec();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let ending = path.extension().and_then(|ending| ending.to_str()).map(str::to_owned);
            if path.is_dir() && !path.ends_with("node_modules") {
                folders.push(path);
            } else if matches!(ending.as_deref(), Some("rs" | "md" | "tsv")) {
                found.push((path.clone(), std::fs::read_to_string(&path).unwrap()));
            }
        }
    }
    found
}

/// `S27` in running text: no part of a longer word.
fn cited(text: &str) -> BTreeSet<String> {
    let words = text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_' || c == '-'));
    let number = |word: &&str| {
        let digits = word.strip_prefix('S').unwrap_or_default();
        (1..=2).contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_digit())
    };
    words.filter(number).map(str::to_owned).collect()
}

#[test]
fn every_reading_that_is_cited_stands_on_its_page_with_tests_that_exist() {
    let rows = rows_of_the_page();
    assert_eq!(rows.len(), 31);
    let texts = texts();
    for (path, text) in &texts {
        let missing: Vec<String> =
            cited(text).into_iter().filter(|number| !rows.contains_key(number)).collect();
        assert!(missing.is_empty(), "{}: {missing:?}", path.display());
    }
    for (number, tests) in &rows {
        assert!(!tests.is_empty(), "{number} names no test");
        for test in tests {
            let named = format!("fn {test}(");
            let there = texts.iter().any(|(_, text)| text.contains(&named));
            assert!(there, "{number}: no test named {test}");
        }
    }
}

fn project(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}
