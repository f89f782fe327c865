//! `check` says what the filter does: URLs, hosts and addresses of every shape are drawn, each is
//! judged by `check`, and filtered in a message: in an `href`, in running text, in a calendar, and in a
//! header field, which is reported. What the two say may differ only where
//! `tests/data/check-differences.tsv` says why (place, what the target holds, reason); a row that is not needed any
//! more fails.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

use std::collections::BTreeSet;
use std::path::Path;

use linkmilter::engine::check::{Checked, Fate, TargetPlace, check};
use linkmilter::engine::outcome::Done;
use linkmilter::engine::policy::Report;
use linkmilter::engine::tlds::Answers;
use linkmilter::engine::{
    Facts, Finding, Message, Outcome, Policy, Reason, TldTable, Verdict, inspect,
};
use linkmilter::tld;

/// Shapes that are drawn.
const DRAWN: usize = 4_500;

/// SplitMix64: the same shapes in every run.
struct Draw(u64);

impl Draw {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    fn of<'a>(&mut self, all: &[&'a str]) -> &'a str {
        all[(self.next() % all.len() as u64) as usize]
    }

    /// The empty string mostly, else one of these.
    fn rarely<'a>(&mut self, all: &[&'a str]) -> &'a str {
        if self.next().is_multiple_of(3) { self.of(all) } else { "" }
    }
}

const SCHEMES: &[&str] = &[
    "http:", "https:", "HTTPS:", "ftp:", "ws:", "mailto:", "javascript:", "data:", "file:",
    "ldap:", "zoommtg:", "zoommtg-x:", "ms-word:ofe|u|http:", "view-source:http:",
    "microsoft-edge:http:", "sip:", "foo:", "tel:", "hxxp:",
];
const SLASHES: &[&str] = &["//", "//", "//", "//", "/", "", "///", "\\\\", "/\\", "//////"];
const USERS: &[&str] = &[
    "user@", "user:secret@", "a@b@", "paypal.com@", "www.paypal.com:x@", "john.smith@", "@",
    "example.com\\@", "a%40b@",
];
const HOSTS: &[&str] = &[
    "example.com",
    "www.example.com",
    "раypal.com",
    "www.раypal.com",
    "xn--ypal-43d9g.com",
    "пример.рф",
    "münchen.de",
    "аррӏе.com",
    "paypal.com",
    "paypa1.com",
    "example.com.раypal.com",
    "спорт.com",
    "192.0.2.1",
    "0x7f.1",
    "2130706433",
    "[2001:db8::1]",
    "[192.0.2.1]",
    "раypal。com",
    "example．com",
    "xn--80ak6aa92e｡com",
    "раypal․com",
    "%70aypal.com",
    "р%61ypal.com",
    "раypal.com.",
    "localhost",
    "example.invalid-tld",
    "раypal.notld",
    "b_c.com",
    "pay\u{ad}pal.com",
    "раy\u{200b}pal.com",
    "pay\u{202e}pal.com",
    "-раypal.com",
    "раypal.com-",
    "раypal..com",
    ".раypal.com",
    "_раypal.com",
    "co.uk",
    "раypal",
    "例え.テスト",
    "example.com。谢谢",
    "サーバーexample.com",
    "👉раypal.com",
    "раypal.comです",
];
const PORTS: &[&str] = &[":80", ":8080", ":99999", ":", ":x"];
const TAILS: &[&str] = &[
    "/",
    "/a/b",
    "/a?b=c#d",
    "?q=1",
    "#top",
    "\\x",
    "\\@раypal.com",
    "\\a@раypal.com/x",
    "/@раypal.com",
    "/?u=https://раypal.com/",
    "/?u=https%3A%2F%2Fраypal.com",
    "/a\u{200b}b",
    "/a\u{ad}b?c\u{e0061}",
    "/Windows_для_чайников",
    "%20",
    "/a(b)",
    "/ä",
    "/*http://раypal.com",
    "?x=http:\\\\a@раypal.com",
];
const LOCALS: &[&str] = &[
    "user",
    "john.smith",
    "customer/department=shipping",
    "!def!xyz%abc",
    "a..b",
    ".a",
    "a.",
    "\"john doe\"",
    "Abc\\@def",
    "用户",
    "x+y",
    "раypal.com",
    "user%40example.com",
    "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
];

fn url(draw: &mut Draw) -> String {
    [
        draw.of(SCHEMES),
        draw.of(SLASHES),
        draw.rarely(USERS),
        draw.of(HOSTS),
        draw.rarely(PORTS),
        draw.rarely(TAILS),
    ]
    .concat()
}

fn host(draw: &mut Draw) -> String {
    [draw.rarely(&["//", "\\\\"]), draw.of(HOSTS), draw.rarely(PORTS), draw.rarely(TAILS)].concat()
}

fn address(draw: &mut Draw) -> String {
    [draw.rarely(&["mailto:"]), draw.of(LOCALS), "@", draw.of(HOSTS)].concat()
}

fn shapes() -> BTreeSet<String> {
    let mut draw = Draw(11);
    let mut shapes = BTreeSet::new();
    while shapes.len() < DRAWN {
        shapes.insert(match draw.next() % 4 {
            0 => host(&mut draw),
            1 => address(&mut draw),
            _ => url(&mut draw),
        });
    }
    shapes
}

/// The target in a message, among other things, as a client would read it there.
fn filtered(target: &str, place: Option<TargetPlace>, tlds: &TldTable) -> Outcome {
    let (media, body) = match place {
        Some(TargetPlace::Attribute) => {
            let value = target.replace('&', "&amp;").replace('"', "&#34;").replace('<', "&lt;");
            ("html", format!("<html><body><p>Go <a class=b href=\"{value}\">there</a>.</p>\r\n"))
        }
        Some(TargetPlace::Text) => ("plain", format!("We met\r\n{target}\r\nin the end.\r\n")),
        Some(TargetPlace::Calendar) => (
            "calendar",
            format!(
                "BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nSUMMARY:x\r\nURL;VALUE=URI:{target}\r\n\
                 END:VEVENT\r\nEND:VCALENDAR\r\n"
            ),
        ),
        None => ("plain", "Nothing.\r\n".to_owned()),
    };
    let subject = if place.is_none() { target } else { "x" };
    let head = format!(
        "Subject: {subject}\r\nMIME-Version: 1.0\r\nContent-Type: text/{media}; charset=utf-8\r\n\
         Content-Transfer-Encoding: 8bit\r\n"
    );
    let message = Message { head: head.as_bytes(), body: body.as_bytes() };
    let policy = Policy { report: Report::AllLinks, ..Policy::default() };
    let facts = Facts::default();
    let mut outcome = inspect(message, &facts, &policy, tlds).resolve(&Answers::new());
    // The net under a message looks at its bytes as a whole, and says of a link what it defangs.
    // A name in other letters in a Subject is no link.
    outcome.findings.retain(|finding| !finding.reasons.contains(Reason::TextLookalike));
    outcome.findings.retain(|finding| {
        finding.done == Done::Edited || !finding.reasons.contains(Reason::HiddenHost)
    });
    outcome
}

fn worst(findings: &[Finding]) -> Verdict {
    findings.iter().map(|finding| finding.verdict).max().unwrap_or_default()
}

/// What is wrong with the word of `check` on this place; nothing when filter and check agree.
fn disagree(
    target: &str,
    checked: &Checked,
    words: &str,
    tlds: &TldTable,
) -> Vec<(&'static str, String)> {
    let mut wrong = Vec::new();
    let mut edited_somewhere = false;
    for (place, fate) in &checked.fates {
        let outcome = filtered(target, Some(*place), tlds);
        let edited = !outcome.edits.is_empty();
        edited_somewhere |= edited;
        let said = matches!(fate, Fate::Edited(_));
        if edited != said {
            wrong.push((
                place.as_str(),
                format!("filter edits: {edited}; check: {}", fate.as_str()),
            ));
        }
        let found = !outcome.findings.is_empty();
        let linked = *fate != Fate::NoLink;
        if found != linked {
            wrong
                .push((place.as_str(), format!("filter finds: {found}; check: {}", fate.as_str())));
        }
        // A link that waits for the DNS says nothing until that answers.
        if !matches!(fate, Fate::Asked(_)) && worst(&outcome.findings) > checked.link.verdict {
            let filter = worst(&outcome.findings);
            wrong.push((
                place.as_str(),
                format!("{filter} in mail, {} to check", checked.link.verdict),
            ));
        }
    }
    if words.contains(": defanged") != edited_somewhere && !words.contains("with profile strict") {
        wrong.push(("words", format!("edited: {edited_somewhere}; {words:?}")));
    }
    let header = worst(&filtered(target, None, tlds).findings);
    if header > checked.link.verdict {
        wrong.push(("header", format!("{header} in a header, {} to check", checked.link.verdict)));
    }
    wrong
}

struct Listed {
    place: String,
    /// Pieces of the target, in order, with anything between.
    pieces: Vec<String>,
    reason: String,
}

impl Listed {
    fn holds(&self, place: &str, target: &str) -> bool {
        let mut rest = Some(target);
        for piece in &self.pieces {
            rest = rest.and_then(|rest| rest.split_once(piece.as_str())).map(|(_, rest)| rest);
        }
        self.place == place && rest.is_some()
    }
}

fn listed() -> Vec<Listed> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/check-differences.tsv");
    let text = std::fs::read_to_string(path).unwrap();
    let rows = text.lines().filter(|line| !line.starts_with('#') && !line.is_empty());
    rows.map(|row| {
        let mut cells = row.splitn(3, '\t').map(str::to_owned);
        let (place, pattern) = (cells.next().unwrap(), cells.next().unwrap());
        let reason = cells.next().expect("a reason");
        Listed { place, pieces: pattern.split('*').map(str::to_owned).collect(), reason }
    })
    .collect()
}

#[test]
fn check_says_what_the_filter_does() {
    let tlds = tld::builtin();
    let policy = Policy::default();
    let listed = listed();
    let mut needed = vec![0_usize; listed.len()];
    let mut wrong = Vec::new();
    let mut edited = 0;
    for target in shapes() {
        let checked = check(&target, &policy, &tlds);
        edited +=
            usize::from(checked.fates.iter().any(|(_, fate)| matches!(fate, Fate::Edited(_))));
        let words = checked.words(&policy).unwrap_or_default();
        for (place, what) in disagree(&target, &checked, &words, &tlds) {
            let known = listed.iter().position(|row| row.holds(place, &target));
            match known {
                Some(row) => needed[row] += 1,
                None => wrong.push(format!("{place}: {target:?}: {what}")),
            }
        }
    }
    println!("{DRAWN} shapes, {edited} edited somewhere, {} differ", wrong.len());
    for (row, count) in listed.iter().zip(&needed) {
        println!("{count:>5} listed: {} {}: {}", row.place, row.pieces.join("*"), row.reason);
    }
    let shown: Vec<&str> = wrong.iter().map(String::as_str).take(60).collect();
    assert!(wrong.is_empty(), "{} differ:\n{}", wrong.len(), shown.join("\n"));
    assert!(needed.iter().all(|count| *count > 0), "a row is not needed any more");
    assert!(edited > DRAWN / 5, "{edited} of {DRAWN} edited");
}

/// The same in the words of the command, for what the two used to say differently.
#[test]
fn words_of_the_command() {
    let (tlds, policy) = (tld::builtin(), Policy::default());
    for (target, apart) in [
        ("https://example.com\\@раypal.com", true),
        ("ldap://example.com/", true),
        ("zoommtg://example.com/join", true),
        ("http://раypal.com:99999/", true),
        ("http:///раypal.com", true),
        ("https://xn--80ak6aa92e。com/", true),
        ("customer/department=shipping@раypal.com", true),
        ("user@[192.0.2.1]", false),
        ("a..b@example.com", false),
        ("https://example.com/", false),
        ("tel:+49123", false),
    ] {
        let checked = check(target, &policy, &tlds);
        let words = checked.words(&policy).unwrap_or_default();
        assert_eq!(words.contains(": defanged"), apart, "{target}: {words} {checked:?}");
    }
}
