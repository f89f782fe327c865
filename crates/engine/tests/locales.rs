//! Hosts in bytes of a charset that no label names: programs take the charset of the reader's system.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

mod common;

use common::{edited, filtered, outcome, untouched};
use encoding_rs::{
    EUC_JP, EUC_KR, Encoding, GBK, IBM866, ISO_8859_2, ISO_8859_4, ISO_8859_5, ISO_8859_7,
    ISO_8859_10, KOI8_R, KOI8_U, MACINTOSH, SHIFT_JIS, WINDOWS_1250, WINDOWS_1251, WINDOWS_1252,
    WINDOWS_1253, WINDOWS_1254, WINDOWS_1257, X_MAC_CYRILLIC,
};
use linkmilter_engine::Verdict;

/// The types without a charset, and those of the commonest wrong label.
const UNLABELLED: [&str; 8] = [
    "text/plain",
    "text/html",
    "text/plain; charset=us-ascii",
    "text/html; charset=us-ascii",
    "text/html; charset=x-unknown",
    "text/plain; charset=unknown-8bit",
    "text/plain; charset=utf-8",
    "text/html; charset=\"UTF-8\"",
];

const SYSTEMS: [&Encoding; 9] =
    [WINDOWS_1251, KOI8_R, ISO_8859_5, X_MAC_CYRILLIC, IBM866, GBK, EUC_JP, EUC_KR, SHIFT_JIS];

fn bytes(charset: &'static Encoding, text: &str) -> Option<Vec<u8>> {
    let (bytes, _, unmappable) = charset.encode(text);
    (!unmappable).then(|| bytes.into_owned())
}

#[test]
fn a_twin_in_the_charset_of_some_system_is_edited() {
    for charset in SYSTEMS {
        for host in ["раypal.com", "сhase.com", "miсrosoft.com", "аmazon.com", "www.nеtflix.com"]
        {
            for text in [
                "https://HOST/x",
                "<a href=\"https://HOST/x\">x</a>",
                "Please see https://HOST/x now.\r\nRegards, Ann",
                "see http://www.HOST",
            ] {
                let text = text.replace("HOST", host);
                let body = bytes(charset, &text).unwrap();
                UNLABELLED.iter().for_each(|kind| edited(kind, &body));
            }
        }
    }
}

/// The types without a charset, where no label says what the bytes are.
fn open() -> impl Iterator<Item = &'static str> {
    UNLABELLED.into_iter().filter(|kind| !kind.to_ascii_lowercase().contains("utf-8"))
}

#[test]
fn a_bare_twin_is_edited_where_no_charset_is_named() {
    for (charset, host) in [
        (WINDOWS_1251, "раypal.com"),
        (KOI8_R, "раypal.com"),
        (ISO_8859_5, "my.сhase.com"),
        (X_MAC_CYRILLIC, "miсrosoft.com"),
        (WINDOWS_1251, "раypal-login.com"),
        (WINDOWS_1253, "gοοgle.com"),
    ] {
        for text in
            ["see HOST now", "HOST", "<p>Visit <b>HOST</b>/x</p>", "(HOST/login)", "to ann@HOST"]
        {
            let text = text.replace("HOST", host);
            let body = bytes(charset, &text).unwrap();
            open().for_each(|kind| edited(kind, &body));
            untouched("text/plain; charset=iso-8859-1", &body);
        }
    }
    for (transfer, body) in [
        ("quoted-printable", "see =F0=E0ypal.com now\r\n"),
        ("base64", "c2VlIPDgeXBhbC5jb20gbm93DQo="),
    ] {
        for kind in open() {
            let head =
                format!("Content-Type: {kind}\r\nContent-Transfer-Encoding: {transfer}\r\nX: y");
            let after = filtered(&head, body.as_bytes());
            assert!(after != body.as_bytes(), "{transfer} {kind}");
        }
    }
}

/// Browsers take any number of slashes and leave out tabs, and calendars fold lines.
#[test]
fn a_twin_behind_what_only_a_reading_takes_for_a_scheme_is_edited() {
    let page = |href: &str| format!("<p>Dear Ann</p><a href=\"{href}\">Open</a>");
    for charset in SYSTEMS {
        for host in ["раypal.com", "miсrosoft.com", "www.nеtflix.com", "my.сhase.com"] {
            for href in [
                "//HOST/x",
                "/\\HOST/x",
                "https:/HOST/x",
                "https:HOST",
                "ht\ttps://HOST/",
                "https&#58;//HOST/x",
                "https&colon;&sol;&sol;HOST",
                "https://&#8203;HOST/x",
                "https://&#xAD;HOST",
            ] {
                let body = bytes(charset, &page(&href.replace("HOST", host))).unwrap();
                edited("text/html", &body);
                edited("text/html; charset=us-ascii", &body);
            }
            let (front, rest) = host.split_at(host.len() - "al.com".len());
            let event = format!(
                "BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nURL:https://{front}\r\n {rest}/x\r\n\
                 END:VEVENT\r\nEND:VCALENDAR\r\n"
            );
            edited("text/calendar", &bytes(charset, &event).unwrap());
        }
    }
    for (transfer, body) in [
        // `www.раypal.com` and `//раypal.com` in windows-1251.
        ("base64", "c2VlIHd3dy7w4HlwYWwuY29tIG5vdw0K"),
        ("base64", "PGEgaHJlZj0iLy/w4HlwYWwuY29tIj54PC9hPg0K"),
        (
            "x-uuencode",
            "begin 644 x\r\n<<V5E(&AT='!S.B\\O\\.!Y<&%L+F-O;2!N;W<-\"@  \r\n`\r\nend\r\n",
        ),
    ] {
        let head =
            format!("Content-Type: text/html\r\nContent-Transfer-Encoding: {transfer}\r\nX: y");
        let after = filtered(&head, body.as_bytes());
        assert!(after != body.as_bytes(), "{transfer} {body}");
    }
}

#[test]
fn both_tables_of_big5_are_read() {
    // `с` in the table of WHATWG and in that of Python.
    for c in [b"\xC8\x67", b"\xC7\xDA"] {
        let body = [b"see https://", &c[..], b"hase.com/ now"].concat();
        edited("text/plain", &body);
        edited("text/html", &[b"<a href=https://", &c[..], b"hase.com/>x</a>"].concat());
    }
}

#[test]
fn greek_is_read_as_well() {
    let body = bytes(WINDOWS_1253, "see https://gοοgle.com/x now").unwrap();
    UNLABELLED.iter().for_each(|kind| edited(kind, &body));
}

#[test]
fn letters_of_latin_in_charsets_of_other_regions_are_read_as_well() {
    for (charset, hosts) in [
        (WINDOWS_1250, &["pąypal.com", "amaźon.com", "netfłix.com"][..]),
        (ISO_8859_2, &["pąypal.com", "micrősoft.com"]),
        (ISO_8859_4, &["pąypal.com", "nėtflix.com"]),
        (ISO_8859_10, &["pąypal.com"]),
        (WINDOWS_1254, &["ınstagram.com", "mıcrosoft.com", "ğoogle.com"]),
        (WINDOWS_1257, &["pąypal.com", "nėtflix.com"]),
        (MACINTOSH, &["pàypal.com", "mıcrosoft.com"]),
        (KOI8_U, &["nеtflіx.com", "mіcrosoft.com"]),
        (ISO_8859_7, &["gοοgle.com"]),
        (GBK, &["ɡoogle.com", "pāypal.com"]),
    ] {
        for host in hosts {
            let body = bytes(charset, &format!("see https://www.{host}/x now")).unwrap();
            UNLABELLED.iter().for_each(|kind| edited(kind, &body));
        }
    }
    // Code pages of DOS, which the standard of the web lacks: ą of 852, ı of 857, і of 1125, о of 737.
    for body in [
        &b"see https://p\xA5ypal.com/x"[..],
        b"see https://m\x8Dcrosoft.com/x",
        b"see https://m\xF7crosoft.com/x",
        b"see https://micr\xA6soft.com/x",
    ] {
        UNLABELLED.iter().for_each(|kind| edited(kind, body));
    }
}

#[test]
fn it_is_unsafe_and_edited_once() {
    let body = bytes(WINDOWS_1251, "<a href=\"https://раypal.com/x\">x</a>").unwrap();
    let outcome = outcome("Content-Type: text/html", &body);
    assert_eq!(outcome.verdict, Verdict::Unsafe);
    let after = filtered("Content-Type: text/html", &body);
    let dots = after.windows(3).filter(|three| three == b"[.]").count();
    assert_eq!(dots, 1, "{}", after.escape_ascii());
    let again = filtered("Content-Type: text/html", &after);
    assert!(again == after, "{}", again.escape_ascii());
}

/// Only one of two parts has a label.
#[test]
fn a_host_that_another_part_shows_is_edited_here_as_well() {
    let host = "https://раypal.com/x\r\n";
    let (utf8, local) = (host.as_bytes(), bytes(KOI8_R, host).unwrap());
    let part = |kind: &str| format!("--b\r\nContent-Type: {kind}\r\n\r\n").into_bytes();
    let body = [
        part("text/plain; charset=utf-8"),
        utf8.into(),
        part("text/html"),
        local.clone(),
        b"--b--\r\n".to_vec(),
    ];
    let after = filtered("Content-Type: multipart/alternative; boundary=b", &body.concat());
    let is_left = after.windows(local.len()).any(|bytes| bytes == local);
    assert!(!is_left, "{}", after.escape_ascii());
}

#[test]
fn encoded_bytes_are_read_as_well() {
    for (transfer, body) in [
        ("quoted-printable", "see https://=F0=E0ypal.com/x now\r\n"),
        ("base64", "c2VlIGh0dHBzOi8v8OB5cGFsLmNvbS94IG5vdw0K"),
        ("quoted-printable", "see https://m=FDcrosoft.com/x now\r\n"),
    ] {
        for kind in UNLABELLED {
            let head =
                format!("Content-Type: {kind}\r\nContent-Transfer-Encoding: {transfer}\r\nX: y");
            let after = filtered(&head, body.as_bytes());
            assert!(after != body.as_bytes(), "{transfer} {kind}");
        }
    }
}

#[test]
fn honest_hosts_that_a_system_misreads_are_left() {
    for (charset, hosts) in [
        (
            WINDOWS_1252,
            &[
                "müller.de", "café.fr", "españa.example", "bånk.no", "søk.no", "citroën.fr",
                "pâtisserie.fr", "naïve.com", "ångström.example", "l'été.fr", "têlé.fr",
                "señor.com", "são.br", "übung.de", "öko.at", "niño.example", "garçon.fr",
            ][..],
        ),
        (WINDOWS_1251, &["президент.рф", "почта.рф", "пример.рф"]),
        (KOI8_R, &["президент.рф", "почта.рф", "пример.рф"]),
        (IBM866, &["президент.рф", "почта.рф"]),
        (ISO_8859_5, &["президент.рф", "почта.рф"]),
        (
            WINDOWS_1250,
            &["škoda.com", "żywność.pl", "kávé.com", "łódź.pl", "zelená-úsporám.com", "žilina.sk"],
        ),
        (ISO_8859_2, &["žilina.sk", "łódź.pl", "święto.pl", "győr.com", "škoda.com"]),
        (WINDOWS_1254, &["sağlık.com.tr", "türkçe.com.tr", "çağrı.com", "işbankası.com.tr"]),
        (WINDOWS_1257, &["rīga.com", "šiauliai.com", "žemaitija.com"]),
        (GBK, &["中国移动.com", "例子.cn", "新四方.com"]),
        (EUC_JP, &["日本語.jp", "例え.jp"]),
        (EUC_KR, &["한국.com", "삼성.kr"]),
    ] {
        for host in hosts {
            for text in [
                "https://HOST/x",
                "<a href=\"https://www.HOST/x\">x</a>",
                "see HOST now",
                "<a href=\"//HOST/x\">x</a> <a href=https:/HOST>x</a>",
            ] {
                let text = text.replace("HOST", host);
                let body = bytes(charset, &text).unwrap();
                untouched("text/plain", &body);
                untouched("text/html; charset=us-ascii", &body);
                untouched("text/plain; charset=utf-8", &body);
            }
        }
    }
    // A label says what the bytes are.
    let body = bytes(WINDOWS_1251, "https://раypal.com/x").unwrap();
    assert!(outcome("Content-Type: text/plain; charset=windows-1254", &body).edits.is_empty());
}
