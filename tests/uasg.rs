//! UASG 001 (good practice for linkification) and UASG 000 (guidelines): every row and clause a
//! named test, through the detector and through `linkify`.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

mod common;

use std::sync::LazyLock;

use common::world::World;
use libtest_mimic::{Arguments, Failed, Trial};
use linkmilter::engine::host::linkify::{Options, Switch, linkify};
use linkmilter::engine::link::{Address, detect, domain_to_ascii};

/// What is to become of a string.
#[derive(Clone, Copy)]
enum Expect {
    /// Found whole, and linked to this URL with this visible text.
    Linked(&'static str, &'static str),
    /// Neither found nor linked.
    Nothing,
    /// Found by the letter, but not linked: the HTML.
    Shown(&'static str),
}
use Expect::{Linked, Nothing, Shown};

/// Name, text, expectation.
const ROWS: &[(&str, &str, Expect)] = &[
    ("table: implied scheme", "example.com", Linked("http://example.com", "example.com")),
    (
        "table: implied scheme, Devanagari",
        "मेल.डाटामेल.भारत",
        Linked("http://xn--r2bi6d.xn--c2bd4bq1db8d.xn--h2brj9c", "मेल.डाटामेल.भारत"),
    ),
    (
        "table: new TLD",
        "http://example.technology",
        Linked("http://example.technology", "http://example.technology"),
    ),
    (
        "table: https",
        "https://example.build",
        Linked("https://example.build", "https://example.build"),
    ),
    (
        "table: Punycode is shown in Unicode (S24)",
        "http://xn--r2bi6d.xn--c2bdw5c1bb.xn--h2brj9c/",
        Linked("http://xn--r2bi6d.xn--c2bdw5c1bb.xn--h2brj9c/", "http://मेल.डाटावन.भारत/"),
    ),
    ("table: missing slashes", "http:example.com", Nothing),
    ("table: TLD of one letter", "http://example.a", Nothing),
    ("table: consecutive dots", "http://example..abc", Nothing),
    (
        "table: Chinese with a hyphen",
        "http://普遍接受-测试.世界",
        Linked("http://xn----f38am99bqvcd5liy1cxsg.xn--rhqv96g", "http://普遍接受-测试.世界"),
    ),
    ("table: IPv4", "http://192.168.10.15", Linked("http://192.168.10.15", "http://192.168.10.15")),
    ("table, inverted (S11): bare IPv6 is malformed", "https://2001:4860:4860::8888", Nothing),
    (
        "table (S11): IPv6 in brackets",
        "https://[2001:4860:4860::8888]/",
        Linked("https://[2001:4860:4860::8888]/", "https://[2001:4860:4860::8888]/"),
    ),
    (
        "table: address",
        "mailbox@example.berlin",
        Linked("mailto:mailbox@example.berlin", "mailbox@example.berlin"),
    ),
    (
        "table: ftp, Punycode",
        "ftp://xn--11b1b9b0ah0f.xn--h2brj9c/",
        Linked("ftp://xn--11b1b9b0ah0f.xn--h2brj9c/", "ftp://निक्सी.भारत/"),
    ),
    (
        "table: ftp, Devanagari",
        "ftp://निकसी.भारत",
        Linked("ftp://xn--11b1b9b0ah.xn--h2brj9c", "ftp://निकसी.भारत"),
    ),
    ("1.1 http", "http://example.com/", Linked("http://example.com/", "http://example.com/")),
    (
        "1.1 https in capitals",
        "HTTPS://example.com",
        Linked("https://example.com", "HTTPS://example.com"),
    ),
    ("1.1 ftp", "ftp://example.com/a", Linked("ftp://example.com/a", "ftp://example.com/a")),
    ("1.1 mailto", "mailto:a@example.com", Linked("mailto:a@example.com", "mailto:a@example.com")),
    ("1.2a one label", "http://example/", Nothing),
    (
        "1.2b label too long",
        "http://aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa.com",
        Nothing,
    ),
    ("1.2c no such TLD, scheme", "http://example.nosuchtld", Shown("http://example.nosuchtld")),
    ("1.2c no such TLD, bare", "example.nosuchtld", Shown("example.nosuchtld")),
    ("1.3a wrong domain", "a@example", Nothing),
    ("1.3b no at-sign", "a%example", Nothing),
    (
        "1.3c local part of 65",
        "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa@example.com",
        Nothing,
    ),
    (
        "1.3d characters of local parts",
        "a.b_c-d+e@example.com",
        Linked("mailto:a.b_c-d%2Be@example.com", "a.b_c-d+e@example.com"),
    ),
    (
        "1.3d Thai local part",
        "ผู้ใช้@example.com",
        Linked(
            "mailto:%E0%B8%9C%E0%B8%B9%E0%B9%89%E0%B9%83%E0%B8%8A%E0%B9%89@example.com",
            "ผู้ใช้@example.com",
        ),
    ),
    (
        "1.4a mixed label, no link, Punycode",
        "http://exаmple.com/",
        Shown("http://xn--exmple-4nf.com/"),
    ),
    (
        "1.4a only the mixed label",
        "http://bücher.exаmple.com/",
        Shown("http://bücher.xn--exmple-4nf.com/"),
    ),
    (
        "1.4b mixed path, link, percent-encoded",
        "http://example.com/exаmple",
        Linked("http://example.com/ex%D0%B0mple", "http://example.com/ex%D0%B0mple"),
    ),
    (
        "1.4b one script in the path is no mixing",
        "http://example.com/привет",
        Linked(
            "http://example.com/%D0%BF%D1%80%D0%B8%D0%B2%D0%B5%D1%82",
            "http://example.com/привет",
        ),
    ),
    ("rec. 1 scheme, but malformed", "http://-example.com", Nothing),
    ("rec. 2 www", "www.example.com", Linked("http://www.example.com", "www.example.com")),
    ("rec. 2 www, but malformed", "www..example.com", Nothing),
    (
        "rec. 3 ideographic full stop",
        "http://田中。com",
        Linked("http://xn--fiqx46g.com", "http://田中。com"),
    ),
    ("rec. 4 the TLD is validated", "www.example.nosuchtld", Shown("www.example.nosuchtld")),
    ("rec. 9 and principle 4 (S20)", "www.аmazon.com", Shown("www.xn--mazon-3ve.com")),
    (
        "principle 2 every script alike",
        "උදාහරණ.ලංකා",
        Linked("http://xn--ozc8dl2c3bxd.xn--fzc2c9e2c", "උදාහරණ.ලංකා"),
    ),
];

static WORLD: LazyLock<World> = LazyLock::new(World::builtin);

fn html(text: &str, options: &Options<'_>) -> String {
    linkify(text, options, &WORLD.context())
}

fn main() {
    let mut trials: Vec<Trial> = Vec::new();
    for (name, text, expect) in ROWS {
        trials.push(Trial::test(format!("UASG {name}: {text}"), move || row(text, *expect)));
    }
    trials.push(Trial::test("UASG 000 1.2 a name by itself", names));
    trials.push(Trial::test("UASG 000 1.3 an address by itself", addresses));
    trials.push(Trial::test("UASG 000 2.1, 2.3 the same whatever surrounds it", surroundings));
    trials.push(Trial::test("UASG 000 2.2, UASG 001 rec. 8 off, and off for one string", switched));
    trials.push(Trial::test("UASG 001 rec. 5 implied intent", intent));
    libtest_mimic::run(&Arguments::from_args(), trials).exit();
}

fn row(text: &str, expect: Expect) -> Result<(), Failed> {
    let found: Vec<&str> = detect(text).map(|link| &text[link.span]).collect();
    let html = html(text, &Options::default());
    match expect {
        Linked(href, visible) => {
            same(&format!("{found:?}"), &format!("{:?}", [text]))?;
            same(&html, &format!("<a href=\"{href}\">{visible}</a>"))
        }
        Nothing => {
            same(&format!("{found:?}"), "[]")?;
            same(&html, text)
        }
        Shown(shown) => {
            same(&format!("{found:?}"), &format!("{:?}", [text]))?;
            same(&html, shown)
        }
    }
}

fn names() -> Result<(), Failed> {
    for good in ["example.com", "例子.中国", "a.b.example.museum", "xn--e1afmkfd.xn--p1ai"] {
        domain_to_ascii(good)?;
    }
    for bad in [
        "example", "example..com", "-a.com", "a-.com", "a b.com", "a_b.com", "example.1",
        "example.a",
    ] {
        if let Ok(ascii) = domain_to_ascii(bad) {
            return Err(format!("{bad} passes as {ascii}").into());
        }
    }
    Ok(())
}

fn addresses() -> Result<(), Failed> {
    for good in ["a@example.com", "ваня@пример.рф", "a+b_c-d.e@example.com"] {
        Address::parse(good)?;
    }
    for bad in [
        "a", "@example.com", "a@", "a@example", ".a@example.com", "a..b@example.com",
        "a b@example.com",
    ] {
        if Address::parse(bad).is_ok() {
            return Err(format!("{bad} passes").into());
        }
    }
    Ok(())
}

fn surroundings() -> Result<(), Failed> {
    let anchor = html("example.com/ä", &Options::default());
    for (before, after) in
        [("", "\n"), (" ", " "), ("(", ")"), ("\t", "\r\n"), ("“", "”"), ("a, ", "; b")]
    {
        let html = html(&format!("{before}example.com/ä{after}"), &Options::default());
        same(&html, &format!("{before}{anchor}{after}"))?;
    }
    Ok(())
}

fn switched() -> Result<(), Failed> {
    let off = Options { switch: Switch::Off, ..Options::default() };
    same(&html("see example.com & a@example.com", &off), "see example.com &amp; a@example.com")?;
    let exceptions = ["example.com".to_owned()];
    let options = Options { exceptions: &exceptions, ..Options::default() };
    same(
        &html("example.com www.example.org", &options),
        "example.com <a href=\"http://www.example.org\">www.example.org</a>",
    )
}

fn intent() -> Result<(), Failed> {
    for text in ["helpers.py", "an M.Sc.", "the end.In the", "setup.sh", "1.2.3.4", "v1.2"] {
        same(&html(text, &Options::default()), text)?;
    }
    Ok(())
}

fn same(found: &str, expected: &str) -> Result<(), Failed> {
    if found == expected {
        return Ok(());
    }
    Err(format!("expected: {expected}\n   found: {found}").into())
}
