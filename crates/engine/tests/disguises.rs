//! Twins of known names in spellings that clients link and browsers map.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

mod common;

use common::{edited, untouched};
use linkmilter_engine::{Reason, Verdict};

#[test]
fn twins_of_known_names() {
    for host in [
        "www.раypal－login.com",
        "https://xn－－ypal-43d9g.com/x",
        "https://APPLΕ.COM",
        "CНASE.COM",
        "https://CНASE.com/",
        "https://www.DНL.de/",
        "GМAIL.com",
        "https://www.ЕВАУ.com/signin",
        "WWW.УАНОО.COM",
        "https://НЅВС.com/",
        "https://www.НЕRМЕЅ.com/",
        "https://ВМW.de/",
        "https://paypál.evil-example.org/",
    ] {
        for kind in ["text/plain", "text/html"] {
            let body = format!("Please log in at {host} now.\r\n");
            edited(&format!("{kind}; charset=utf-8"), body.as_bytes());
        }
    }
    for host in [
        "www.example.com－example.org",
        "https://example.com－example.org/",
        "https://www.МТСonline.ru/",
        "https://МОСКВА.РФ/",
        "https://ВОСТОК.com/",
        "https://démo.firma-example.fr/",
        "https://café.example-hotel.de/",
    ] {
        let body = format!("see {host} now\r\n");
        untouched("text/plain; charset=utf-8", body.as_bytes());
    }
}

/// UTS #46 maps invisible characters to nothing, however many there are.
#[test]
fn invisible_characters_do_not_count() {
    for c in ["\u{ad}", "\u{200b}", "\u{fe0f}"] {
        let link = |before: &str, behind: &str| {
            let many = c.repeat(3_000);
            format!("<a href=\"https://{before}{many}{behind}/x\">here</a>\r\n")
        };
        edited("text/html; charset=utf-8", link("рау", "pal.com").as_bytes());
        untouched("text/html; charset=utf-8", link("exam", "ple.com").as_bytes());
    }
}

/// Letters and signs that read as a question mark, a hash, a slash, a dot or a hyphen.
#[test]
fn signs_behind_known_names() {
    for host in [
        "www.paypal.comʔlogin.example.com",
        "paypal.comɂx.example.com",
        "www.paypal.com♯login.example.com",
        "paypal.com⌗login.example.com",
        "www.paypal.com÷login.example.com",
        "paypal‧com.login.example.com",
        "paypal.com∙login.example.com",
        "paypal.comᐧlogin.example.com",
        "paypal.comꞏlogin.example.com",
        "www.paypal·login.com",
        "www.paypalꟷlogin.com",
    ] {
        let body = format!("<a href=\"https://{host}/\">here</a>\r\n");
        edited("text/html; charset=utf-8", body.as_bytes());
    }
    for host in ["www.col·legi.cat", "paral·lel.com", "skʔu.example.com", "www.musicʔs.com"] {
        let body = format!("<a href=\"https://{host}/\">here</a>\r\n");
        untouched("text/html; charset=utf-8", body.as_bytes());
    }
}

/// Bodies that are edited, and neighbours of them that are not, as plain text and as text of a page.
fn in_text(lures: &[&str], honest: &[&str]) {
    for kind in ["text/plain; charset=utf-8", "text/html; charset=utf-8"] {
        for lure in lures {
            edited(kind, format!("Please log in at {lure} now.\r\n").as_bytes());
            edited(kind, format!("{lure}\r\n").as_bytes());
            edited(kind, format!("Log in (at “{lure}”), or not.\r\n").as_bytes());
        }
        for text in honest {
            untouched(kind, format!("see {text} now.\r\n").as_bytes());
            untouched(kind, format!("({text}), or “{text}”;\r\n").as_bytes());
        }
    }
}

/// Browsers take these signs for parts of a host, and Mozilla links it; others end it there, without a top-level
/// domain.
#[test]
fn twins_before_a_sign_of_urls() {
    for sign in ["!", "$", "&amp;", "'", "(", "*", "+", ",", ";", "=", "~", "%2B", "%2C"] {
        let url = format!("https://раypal{sign}login.evil.com/");
        edited("text/html; charset=utf-8", format!("<p>Log in: {url}</p>\r\n").as_bytes());
        let sign = sign.replace("&amp;", "&");
        let url = format!("https://раypal{sign}login.evil.com/");
        for text in [url.clone(), format!("<{url}>"), format!("[x]({url})"), format!("‹{url}›")]
        {
            edited("text/plain; charset=utf-8", format!("Log in: {text}\r\n").as_bytes());
        }
        let calendar = format!("BEGIN:VCALENDAR\r\nDESCRIPTION:at {url} now\r\nEND:VCALENDAR\r\n");
        if ![",", ";"].contains(&sign.as_str()) {
            edited("text/calendar; charset=utf-8", calendar.as_bytes());
        }
    }
    in_text(
        &[
            "https://аррӏе~support.evil.com/",
            "https://u@раypal+login.evil.com/",
            "ftp://раypal+login.evil.com/",
            "www.раypal+login.evil.com",
            "https://a.раypal+login.evil.com:8080/x",
            "https://login+раypal.evil.com/",
            "x@раypal+login.evil.com",
        ],
        &[
            "https://example+login.example.org/",
            "https://пример+вход.рф/",
            "https://www.google.com,www.apple.com/",
            "https://www.google.com;x.example.org/",
            "https://пример.рф,www.google.com/",
            "https://www.example.com+пример.рф",
            "www.example.com,www.пример.рф,bob@example.com,ann@пример.рф",
            "https://paypal+login.example.com/",
            "https://пример.рф/?a=b.com+x~y.org",
            "bob+x@gmail.com,ann@gmail.com",
        ],
    );
}

/// The same for signs beyond ASCII, which read as a letter, a hyphen or nothing in a protected name.
#[test]
fn protected_names_with_a_sign_inside() {
    in_text(
        &[
            "https://app।e.com/login",
            "https://paypa।.com.evil.com/",
            "https://apple–id.evil.com/",
            "https://sparkasse–login.evil.com/",
            "https://www.apple—id.evil.com/",
            "www.apple‒id.evil.com",
            "https://id.apple―x.evil.com/",
            "https://apple%E2%80%93id.evil.com/",
            "https://www.deutsche–bank.de.evil.com/",
            "www.deutsche‒bank.de.evil.com",
            "support@app।e.com",
            "mailto:support@app।e.com",
        ],
        &[
            "https://example–id.example.com/",
            "https://www.example–kontakt.de/",
            "https://www.deutsche–bank.de/",
            "https://www.example–bank.de.example.com/",
            "https://foo–bar.google.com/",
            "https://www.facebook.com–www.example.org/",
            "https://www.google.com、www.apple.com/",
            "https://www.example.de—apple.com",
            "https://www.paypal.com–login.com/",
            "https://www.google.com।पता",
            "https://example।com/",
            "bob@gmail.com–ann@gmail.com",
            "bob@firma–kontakt.de",
            "office@apple.com–www.example.org",
        ],
    );
}

/// Browsers open labels with hyphens at their edges, and programs that end a URL at a blank link all of it.
#[test]
fn a_name_in_front_of_a_label_with_a_hyphen_at_its_edge() {
    let found = |url: &str| {
        let text = format!("Sign in: {url} today.\r\n");
        let outcome = common::outcome("Content-Type: text/plain", text.as_bytes());
        assert_eq!(outcome.edits, [], "{url}");
        let mut named = outcome.findings.iter();
        named.find(|one| one.reasons.contains(Reason::NameInHost)).map(|one| one.verdict)
    };
    for url in [
        "https://www.paypal.com-.evil.net/signin",
        "https://www.paypal.com.x-.evil.net/",
        "https://www.paypal.com.-x.evil.net/",
        "www.paypal.com-.evil.net/signin",
    ] {
        assert_eq!(found(url), Some(Verdict::Suspect), "{url}");
    }
    for url in
        ["https://www.fine.com-.example.net/", "https://paypal.com-", "https://www.paypal.com. -x"]
    {
        assert_eq!(found(url), None, "{url}");
    }
}

/// No name holds as many, and programs that map them to nothing see the rest.
#[test]
fn joiners_in_rows() {
    for joiner in ["\u{200d}", "\u{200c}", "\u{200d}\u{200b}"] {
        let many = joiner.repeat(80);
        in_text(
            &[&format!("https://ра{many}ypal.com/")],
            &[&format!("https://exam{many}ple.com/"), &format!("صفحه{joiner}های www.example.com")],
        );
    }
}

/// Mozilla drops the blanks in an address between angles.
#[test]
fn blanks_in_an_address_between_angles() {
    let kind = "text/plain; charset=utf-8";
    for lure in ["<support@ра ypal.com>", "<support@раypal .com>", "< x <a@app।e. com >"] {
        edited(kind, format!("Write to {lure} now\r\n").as_bytes());
    }
    for text in [
        "<support@pay pal.com>",
        "<info@firma.de für alle Fragen>",
        "<bob@example.com oder ann@пример.рф>",
        "<Bob bob@пример.рф>",
        "<bob@при мер.рф>",
    ] {
        untouched(kind, format!("Write to {text} now\r\n").as_bytes());
    }
}

/// Some calendars undo the escapes of text in a URL.
#[test]
fn escapes_in_the_urls_of_calendars() {
    let calendar = |line: &str| format!("BEGIN:VCALENDAR\r\n{line}\r\nEND:VCALENDAR\r\n");
    for name in ["URL", "ATTACH", "CONFERENCE;VALUE=URI"] {
        for url in ["https\\://раypal.com/x", "https\\:\\/\\/раypal.com", "HTTPS\\://раypal\\.com/"]
        {
            let body = calendar(&format!("{name}:{url}"));
            edited("text/calendar; charset=utf-8", body.as_bytes());
        }
        let body = calendar(&format!("{name}:https\\://www.example.com/a\\,b\\;c"));
        untouched("text/calendar; charset=utf-8", body.as_bytes());
    }
}

/// Elements that a page shows beside one another, and pictures of one pixel.
#[test]
fn names_in_elements_beside_one_another() {
    let kind = "text/html; charset=utf-8";
    let beside = |style: &str, one: &str, next: &str| {
        format!(
            "<p>See</p><div style=\"{style}\">{one}</div><div style=\"{style}\">{next}</div>\r\n"
        )
    };
    for style in ["display:inline", "display:inline-block", "float:left", "FLOAT : left"] {
        edited(kind, beside(style, "https://ра", "ypal.com/").as_bytes());
        for (one, next) in [
            ("https://www.example.com", "Привет"),
            ("www.example.de", "Öffnungszeiten.de"),
            ("bob@example.com", "www.пример.рф"),
            ("https://exam", "ple.com/"),
        ] {
            untouched(kind, beside(style, one, next).as_bytes());
        }
    }
    untouched(kind, beside("float:none", "https://ра", "ypal.com/").as_bytes());
    let picture = |size: &str, one: &str, next: &str| format!("<p>{one}<img {size}>{next}</p>\r\n");
    for size in ["width=1 height=1 alt=\"\"", "height=\"1px\" width='0'"] {
        edited(kind, picture(size, "https://ра", "ypal.com/").as_bytes());
        untouched(kind, picture(size, "https://www.example.com/", "Привет.рф").as_bytes());
    }
    for size in ["width=10 height=1", "width=1", ""] {
        untouched(kind, picture(size, "https://ра", "ypal.com/").as_bytes());
    }
}

/// A top-level domain in disguise, with something behind it, and `www.` behind a sign or a letter.
#[test]
fn disguised_ends_of_hosts() {
    // The search for bytes finds nothing there.
    let wide = |text: &str| text.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<u8>>();
    for host in [
        "https://аррӏе.c\u{200b}om..org/",
        "https://аррӏе.ｃｏｍ·x",
        "https://аррӏе.cºm。谢谢",
        "https://аррӏе%2ecom。x",
        "service@аррӏе.c\u{200b}om..x",
        "→www.xn%2d%2d80ak6aa92e.com",
        "。www.аррӏе.c\u{200b}om/login",
        "👉www.%D0%B0%D1%80%D1%80%D3%8F%D0%B5.com",
        "éwww.раypal%2ecom",
    ] {
        for kind in ["text/plain", "text/html"] {
            let body = format!("see {host} now\r\n");
            edited(&format!("{kind}; charset=utf-8"), body.as_bytes());
            edited(&format!("{kind}; charset=utf-16le"), &wide(&body));
        }
    }
    for host in [
        "https://example.c\u{200b}om..org/",
        "https://пример.ｃｏｍ·x",
        "→www.example%2ecom",
        "ann@ｅｘａｍｐｌｅ．ｃｏｍ、bob@example.org",
        "https://www.example.co.jp／ｐａｔｈ",
        "見て。www.例え.c\u{200b}om",
    ] {
        untouched("text/plain; charset=utf-8", format!("see {host} now\r\n").as_bytes());
    }
}
