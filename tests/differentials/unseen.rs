//! Classes of what a reader does not see inside a name, and of what clients turn into another name than stands there.

use super::joins::uuencoded;
use super::*;

const PLAIN: &str =
    "Content-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: 8bit\r\n";
const PAGE: &str = "Content-Type: text/html; charset=utf-8\r\nContent-Transfer-Encoding: 8bit\r\n";

/// Bidi controls, tag characters and controls end a host by the letter, and to a reader they are not there.
#[test]
fn characters_that_nobody_sees() {
    for unseen in
        ['\u{200e}', '\u{200f}', '\u{61c}', '\u{2066}', '\u{202c}', '\u{e0061}', '\u{1}', '\u{7f}']
    {
        let host = format!("раyp{unseen}al.com");
        for text in [
            format!("see https://{host}/x now\r\n"),
            format!("write to help@{host} now\r\n"),
            format!("see {unseen}{host} now\r\n"),
        ] {
            class("unseen", Fate::Caught, everywhere(PLAIN, &text));
            class("unseen", Fate::Caught, everywhere(PAGE, format!("<p>{text}</p>")));
        }
        let number = format!("<p>https://раyp&#{};al.com/</p>", u32::from(unseen));
        class("unseen", Fate::Caught, everywhere(PAGE, number));
    }
    // They stand between words of two directions, and beside hosts.
    for fine in [
        "בקרו באתר\u{200e}example.com\u{200e} או www.example.co.il\u{200f}.\r\n",
        "\u{202a}https://example.com/a\u{202c} \u{200e}me@example.org\u{200e}\r\n",
        "see \u{200e}пример.рф\u{200e} и https://\u{200e}президент.рф/\u{200e}\r\n",
    ] {
        for message in everywhere(PLAIN, fine) {
            let outcome = judge(&message);
            assert!(outcome.edits.is_empty() && outcome.verdict <= Verdict::Notice, "{fine:?}");
        }
    }
}

/// A page can show nothing of any element inside a name, by a rule of any kind.
#[test]
fn elements_that_may_not_be_shown() {
    for page in [
        "<style>u{display:none}</style>https://ра<u>junk</u>ypal.com/login",
        "<style>#x{display:none}</style>https://ра<b id=x>no such</b>ypal.com/login",
        "https://ра<svg><title>junk</title></svg>ypal.com/login",
        "https://ра<datalist><option>junk</datalist>ypal.com/login",
        "https://ра<ruby><rp>(</rp></ruby>yp<ruby><rp>)</rp></ruby>al.com/login",
        "https://ра<video>junk</video>ypal.com/login",
        "https://ра<math><annotation>junk</annotation></math>ypal.com/login",
        "https://ра<p style='DISPLAY:var(--x)'>junk</p>ypal.com/login",
        "write to help@ра<i>ju<b>n</b>k</i>ypal.com",
        "<style>p>u{position:absolute}</style>https://xn<u>junk</u>--ypal-43d9g.com/login",
    ] {
        class("elements", Fate::Caught, everywhere(PAGE, format!("<p>See {page} now.</p>")));
    }
    for fine in [
        "пример<b>.рф</b> <i>при</i>мер.рф",
        "<td>Привет</td><td>example.com</td>",
        "п<sub>1</sub>.example.com",
        "https://xn<u>junk</u>--ypal-43d9g.com/login",
    ] {
        for message in everywhere(PAGE, format!("<p>{fine}</p>")) {
            assert!(judge(&message).edits.is_empty(), "{fine:?}");
        }
    }
    let markup = ["text/richtext", "text/enriched"]
        .map(|kind| format!("Content-Type: {kind}; charset=utf-8\r\n"));
    for fields in markup {
        for text in [
            "see https://xn<comment>zz</comment>--ypal-43d9g.com/login now\r\n",
            "see https://xn<color><param>red</param>--ypal-43d9g.com/login</color> now\r\n",
            "see ра<comment>z </comment>ypal.com now\r\n",
        ] {
            class("enriched", Fate::Caught, everywhere(&fields, text));
        }
    }
}

/// Browsers take a backslash for a slash.
#[test]
fn redirectors_behind_a_backslash() {
    for url in [
        "https://www.google.com\\url?q=https%3A%2F%2Fxn--ypal-43d9g.com%2F",
        "https:\\\\www.google.com\\url?q=https%3A%2F%2Fxn--ypal-43d9g.com%2F",
        "https://example.com\\r?u=https%3A%2F%2F%D1%80%D0%B0ypal.com",
    ] {
        class("backslash", Fate::Caught, everywhere(PLAIN, format!("see {url} now\r\n")));
        class("backslash", Fate::Caught, everywhere(PAGE, format!("<a href=\"{url}\">x</a>")));
    }
}

/// Programs that make plain text of a page drop the blanks of an address.
#[test]
fn hosts_with_blanks() {
    for host in ["раypal. com", "ра ypal.com", "www. xn--ypal-43d9g .com"] {
        class(
            "blanks",
            Fate::Caught,
            everywhere(PAGE, format!("<a href=\"https://{host}/x\">x</a>")),
        );
    }
    let fine = "<a href='https://exa mple.com/'>x</a> <a href='//the end'>x</a>";
    everywhere(PAGE, fine).iter().for_each(|message| assert!(judge(message).edits.is_empty()));
}

/// Clients link `www.` and what comes behind it, and browsers decode it.
#[test]
fn names_that_go_on_escaped() {
    for host in ["www.%D1%80%D0%B0ypal.com", "www.p%D0%B0ypal.com", "WWW.shop.%D1%80aypal.com"] {
        class("escaped", Fate::Caught, everywhere(PLAIN, format!("see {host}/x now\r\n")));
        class("escaped", Fate::Caught, everywhere(PAGE, format!("<p>see {host} now</p>")));
    }
}

/// What an address is written with: a URL for the reader of the mail, an `@` that is escaped.
#[test]
fn addresses_that_carry() {
    for url in [
        "mailto:a@shop.example?body=see%20https%3A%2F%2Fxn--ypal-43d9g.com%2F",
        "mailto:?subject=x&body=https%3a%2f%2f%D1%80%D0%B0ypal.com",
    ] {
        class("mailto", Fate::Caught, everywhere(PAGE, format!("<a href=\"{url}\">x</a>")));
    }
    for text in [
        "see mailto:x%40%D1%80%D0%B0ypal.com now\r\n",
        "see <mailto:x%40xn--ypal-43d9g.com?subject=x>\r\n",
    ] {
        class("mailto", Fate::Caught, everywhere(PLAIN, text));
    }
}

/// Programs in C drop NUL: to them these are delimiters and fields.
#[test]
fn lines_that_begin_with_nul() {
    for host in HOSTS {
        let part = format!(
            "--b1\r\n\r\nhello\r\n\0--b1\r\n\0Content-Type: text/html; charset=utf-8\r\n\0Content-Transfer-Encoding: base64\r\n\0\r\n\0{}\r\n\0--b1--\r\n",
            base64(html(host))
        );
        let messages = everywhere("Content-Type: multipart/mixed; boundary=b1\r\n", part);
        class("lines behind NUL", Fate::Reported, messages);
    }
}

/// Perl's Email::MIME knows quoted-printable by a short name as well.
#[test]
fn short_names_of_encodings() {
    for label in ["QP", "qp", "QuotedPrint"] {
        let fields = format!(
            "Content-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: {label}\r\n"
        );
        class("short names", Fate::Caught, everywhere(fields, "see =D1=80=D0=B0ypal.com now\r\n"));
    }
}

/// OpenPGP that is packed but not encrypted: whoever has no key reads it.
#[test]
fn messages_that_only_look_encrypted() {
    let said = |text: &str| {
        let length = u32::try_from(text.len() + 6).unwrap().to_be_bytes();
        [&[0xCB, 0xFF][..], &length, b"b\0\0\0\0\0", text.as_bytes()].concat()
    };
    let packed = |text: &str| {
        let inside = said(text);
        let length = u32::try_from(inside.len() + 1).unwrap().to_be_bytes();
        [&[0xC8, 0xFF][..], &length, &[0], &inside].concat()
    };
    let armor = |bytes: Vec<u8>| {
        format!(
            "-----BEGIN PGP MESSAGE-----\r\n\r\n{}\r\n=abcd\r\n-----END PGP MESSAGE-----\r\n",
            base64(bytes)
        )
    };
    for host in HOSTS {
        let page = format!("Content-Type: text/html; charset=utf-8\r\n\r\n{}\r\n", html(host));
        for bytes in [said(&page), packed(&page)] {
            let parts = format!(
                "--p\r\nContent-Type: application/pgp-encrypted\r\n\r\nVersion: 1\r\n\r\n--p\r\n\
                 Content-Type: application/octet-stream; name=encrypted.asc\r\n\r\n{}\r\n--p--\r\n",
                armor(bytes.clone())
            );
            let around = "Content-Type: multipart/encrypted; boundary=p; protocol=\"application/pgp-encrypted\"\r\n";
            class("OpenPGP", Fate::Reported, everywhere(around, parts));
            let fields = "Content-Type: application/octet-stream; name=a.gpg\r\nContent-Transfer-Encoding: base64\r\n";
            class("OpenPGP", Fate::Reported, everywhere(fields, base64(&bytes)));
        }
        let inline = armor(packed(&text(host)));
        class("OpenPGP", Fate::Reported, everywhere("Content-Type: text/plain\r\n", &inline));
        for (fields, body) in encodings_of(&format!("Hello\r\n\r\n{inline}")) {
            for kind in ["text/plain", "text/html"] {
                let fields = format!("Content-Type: {kind}{fields}");
                class("OpenPGP", Fate::Reported, everywhere(fields, &body));
            }
        }
    }
}

/// A text in each way in which a part may encode it: what follows its type, and the body.
fn encodings_of(text: &str) -> Vec<(String, Vec<u8>)> {
    let wide: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let escaped = |bytes: &[u8]| -> String {
        let escape = |byte: &u8| match byte {
            b'\n' => "=0A=\r\n".to_owned(),
            byte => format!("={byte:02X}"),
        };
        bytes.iter().map(escape).collect()
    };
    let fields = |charset: &str, how: &str| {
        format!("; charset={charset}\r\nContent-Transfer-Encoding: {how}\r\n")
    };
    vec![
        (fields("utf-8", "7bit"), text.into()),
        (fields("utf-8", "base64"), base64(text).into()),
        (fields("utf-8", "base 64"), base64(text).into()),
        (fields("utf-8", "x-uuencode"), uuencoded(text).into()),
        (fields("utf-8", "quoted-printable"), escaped(text.as_bytes()).into()),
        (fields("utf-16le", "base64"), base64(&wide).into()),
        (fields("utf-16le", "quoted-printable"), escaped(&wide).into()),
        (fields("utf-7", "7bit"), text.replace('-', "+AC0-").into()),
    ]
}

/// What nobody reads here without a key is said, however it is encoded.
#[test]
fn encrypted_texts_are_opaque() {
    let message =
        "-----BEGIN PGP MESSAGE-----\r\n\r\nwQED0gEB\r\n=abcd\r\n-----END PGP MESSAGE-----\r\n";
    let opaque = |message: &[u8]| {
        let outcome = judge(message);
        let is_opaque = |why: &Bypass| *why == Bypass::Opaque;
        outcome.bypasses.iter().filter(|(_, why)| is_opaque(why)).count()
    };
    let whole = |fields: &str, body: &[u8]| {
        [HEAD.as_bytes(), b"Content-Type: ", fields.as_bytes(), b"\r\n", body].concat()
    };
    for text in [message.to_owned(), format!("Hello\r\n\r\n{message}")] {
        for (fields, body) in encodings_of(&text) {
            for kind in [
                "text/plain",
                "text/html",
                "application/pgp",
                "application/octet-stream; name=a.asc",
            ] {
                assert_eq!(opaque(&whole(&format!("{kind}{fields}"), &body)), 1, "{kind}{fields}");
            }
        }
    }
    let parts = format!(
        "--p\r\nContent-Type: application/pgp-encrypted\r\n\r\nVersion: 1\r\n\r\n--p\r\n\
         Content-Type: application/octet-stream; name=encrypted.asc\r\n\r\n{message}\r\n--p--\r\n"
    );
    assert_eq!(opaque(&whole("multipart/encrypted; boundary=p\r\n", parts.as_bytes())), 1);
    let prose = "A message begins with\r\n-----BEGIN PGP MESSAGE-----\r\n\r\nand then come the letters.\r\n";
    let signed = message.replace("wQED0gEB", "ywdiAAAAAABh");
    let signature =
        "-----BEGIN PGP SIGNATURE-----\r\n\r\nwQED0gEB\r\n-----END PGP SIGNATURE-----\r\n";
    for text in [prose, &signed, signature, "-----BEGIN PGP PUBLIC KEY BLOCK-----\r\n\r\nwQED\r\n"]
    {
        for (fields, body) in encodings_of(text) {
            assert_eq!(opaque(&whole(&format!("text/plain{fields}"), &body)), 0, "{text}{fields}");
        }
    }
}

/// Any number of characters that are ignored in a host, in text and in an attribute, in each label.
#[test]
fn characters_that_nobody_sees_without_end() {
    let mut messages = Vec::new();
    for ignored in ["\u{AD}", "\u{200B}", "\u{2060}", "\u{FE0F}"] {
        for count in [400, 1_100] {
            let ignored = ignored.repeat(count);
            let fields = "Content-Type: text/plain; charset=utf-8\r\n";
            messages.extend(everywhere(fields, text(&format!("раypal.c{ignored}om"))));
            for host in [format!("р{ignored}аypal.com"), format!("раypal.com{ignored}")] {
                messages.extend(everywhere(fields, text(&host)));
                let bare = format!("Please visit {host}/login today.\r\n");
                messages.extend(everywhere(fields, bare));
            }
        }
    }
    class("ignored characters without end", Fate::Caught, messages);
    let honest = format!("https://ex{}ample.com/\r\n", "\u{AD}".repeat(2_000));
    for message in everywhere("Content-Type: text/plain; charset=utf-8\r\n", honest) {
        assert!(judge(&message).verdict < Verdict::Unsafe);
    }
}

/// A host without a scheme in an attribute, with escapes.
#[test]
fn escaped_hosts_without_a_scheme() {
    let page = |href: &str| {
        let fields = "Content-Type: text/html; charset=utf-8\r\n";
        everywhere(fields, format!("<p><a href=\"{href}\">log in</a></p>\r\n"))
    };
    for href in [
        "%D1%80%D0%B0ypal.com/login",
        "www.%D1%80%D0%B0ypal.com/login",
        "раypal%2Ecom/login",
        "раypal%2ecom",
        "xn%2D%2Dypal-43d9g.com",
        "%78n--ypal-43d9g.com/",
    ] {
        class("escaped hosts without a scheme", Fate::Caught, page(href));
    }
    for href in [
        "my%20file.pdf",
        "r%C3%A9sum%C3%A9.pdf",
        "%D0%BE%D1%82%D1%87%D1%91%D1%82.pdf",
        "images%2Flogo.png",
        "page%2Ehtml",
        "example.com%20x",
        "%E4%BE%8B%E3%81%88.jp/",
    ] {
        for message in page(href) {
            assert!(judge(&message).edits.is_empty(), "{href}");
        }
    }
}

/// A Cherokee letter among capitals of Latin reads as I; names in Cherokee are left as they are.
#[test]
fn a_cherokee_letter_among_capitals() {
    class("Cherokee among capitals", Fate::Caught, everywhere(PLAIN, text("MᏆCROSOFT.COM")));
    for honest in ["https://ᏆᏣᎳᎩ.com/\r\n", "https://wikipedia.org/wiki/ᏆᏣᎳᎩ\r\n"] {
        for message in everywhere(PLAIN, honest) {
            assert!(judge(&message).edits.is_empty(), "{honest}");
        }
    }
}
