//! The short explanation beside a dead link, in every language, charset and encoding that can carry
//! it, and in ASCII where none can.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

use base64::prelude::{BASE64_STANDARD, Engine as _};
use linkmilter::engine::outcome::{Bypass, Limit};
use linkmilter::engine::policy::{HeaderFields, Linkify, Mode, Notice};
use linkmilter::engine::{Answers, Facts, Message, Policy, inspect, splice};
use linkmilter::tld;

const ENGLISH: &str = "misleading link, disabled";

/// Tag and wording as a reader should see it.
const WORDS: &[(&str, &str)] = &[
    ("ar", "رابط مضلل، تم تعطيله"),
    ("de", "irreführender Link, deaktiviert"),
    ("en", ENGLISH),
    ("es", "enlace engañoso, desactivado"),
    ("fr", "lien trompeur, bloqué"),
    ("ja", "誤解を招くリンクのため無効にしました"),
    ("ru", "обманчивая ссылка, отключена"),
    ("zh", "误导性链接，已停用"),
    ("zh-TW", "誤導性連結，已停用"),
];

/// A link that is unsafe in pure ASCII, so that any charset holds it: Punycode of `раураl`.
const LINK: &str = "https://xn--80ak6aa92e.com/";

/// The body that goes on.
fn rewritten(fields: &str, body: &[u8], facts: &Facts) -> Vec<u8> {
    let policy =
        Policy { notice: Notice::Inline, header_fields: HeaderFields::Omit, ..Policy::default() };
    let message = Message { head: fields.as_bytes(), body };
    let outcome = inspect(message, facts, &policy, &tld::builtin()).resolve(&Answers::new());
    assert!(!outcome.edits.is_empty(), "{fields}");
    let new = splice::apply(body, &outcome.edits).to_vec();
    let again = Message { head: fields.as_bytes(), body: &new };
    let again = inspect(again, facts, &policy, &tld::builtin()).resolve(&Answers::new());
    assert_eq!(again.edits, [], "a second run changes nothing");
    new
}

/// The text that goes on, as mail-parser, our second parser, reads it.
fn read(fields: &str, body: &[u8], facts: &Facts) -> String {
    let new = rewritten(fields, body, facts);
    let mut whole = fields.as_bytes().to_vec();
    whole.extend_from_slice(b"\r\n");
    whole.extend_from_slice(&new);
    let parsed = mail_parser::MessageParser::new().parse(&whole).unwrap();
    match parsed.html_body.is_empty() || fields.contains("text/plain") {
        true => parsed.body_text(0).unwrap().into_owned(),
        false => parsed.body_html(0).unwrap().into_owned(),
    }
}

fn reader(language: &str) -> Facts {
    Facts { language: Some(language.to_owned()), ..Facts::default() }
}

fn fields(kind: &str, charset: &str, encoding: &str) -> String {
    format!(
        "MIME-Version: 1.0\r\nContent-Type: text/{kind}; charset={charset}\r\n\
         Content-Transfer-Encoding: {encoding}\r\n"
    )
}

#[test]
fn plain_text_in_utf_8_carries_every_language() {
    for (tag, words) in WORDS {
        let said = format!("[{words}]");
        let body = format!("see {LINK} \u{e9}\r\n");
        let read =
            |encoding, body: &[u8]| read(&fields("plain", "utf-8", encoding), body, &reader(tag));
        assert!(read("8bit", body.as_bytes()).contains(&said), "{tag} 8bit");
        let escaped = format!("see {LINK} =C3=A9\r\n");
        assert!(read("quoted-printable", escaped.as_bytes()).contains(&said), "{tag} qp");
        let ascii = format!("see {LINK}\r\n");
        assert!(read("quoted-printable", ascii.as_bytes()).contains(&said), "{tag} qp, ASCII");
        assert!(read("base64", &base64(body.as_bytes())).contains(&said), "{tag} base64");
    }
}

/// A number has no dot to be put in brackets: it is defanged all the same.
#[test]
fn numbers_for_hosts_are_signed_once() {
    for host in ["3627734734", "0xd83acd0e", "www.paypal.com@3627734734"] {
        let policy = Policy { notice: Notice::Inline, mode: Mode::Strict, ..Policy::default() };
        let mut body = format!("see http://{host}/x now\r\n").into_bytes();
        for signs in [0, 1, 1] {
            let text = String::from_utf8(body.clone()).unwrap();
            assert_eq!(text.matches(ENGLISH).count(), signs, "{text}");
            let fields = fields("plain", "utf-8", "8bit");
            let message = Message { head: fields.as_bytes(), body: &body };
            let outcome = inspect(message, &Facts::default(), &policy, &tld::builtin())
                .resolve(&Answers::new());
            body = splice::apply(&body, &outcome.edits).to_vec();
        }
    }
}

#[test]
fn legacy_charsets_carry_what_they_hold() {
    let held = [
        ("windows-1256", "ar"),
        ("iso-8859-1", "de"),
        ("iso-8859-1", "es"),
        ("windows-1252", "fr"),
        ("shift_jis", "ja"),
        ("euc-jp", "ja"),
        ("iso-2022-jp", "ja"),
        ("koi8-r", "ru"),
        ("windows-1251", "ru"),
        ("gb2312", "zh"),
        ("gb18030", "zh"),
    ];
    for (charset, tag) in held {
        let words = WORDS.iter().find(|(known, _)| *known == tag).unwrap().1;
        let body = format!("see {LINK}\r\n");
        let fields = fields("plain", charset, "quoted-printable");
        let new = unescaped(&rewritten(&fields, body.as_bytes(), &reader(tag)));
        let encoding = encoding_rs::Encoding::for_label(charset.as_bytes()).unwrap();
        let text = encoding.decode_without_bom_handling(&new).0;
        assert!(text.contains(&format!("[{words}]")), "{charset} {tag}: {text}");
    }
    let wide = |text: &str| -> Vec<u8> { text.encode_utf16().flat_map(u16::to_le_bytes).collect() };
    let body = base64(&wide(&format!("\u{feff}see {LINK}\r\n")));
    let text = read(&fields("plain", "utf-16le", "base64"), &body, &reader("ja"));
    assert!(text.contains("[誤解を招くリンクのため無効にしました]"), "{text}");
}

#[test]
fn what_cannot_carry_it_gets_ascii() {
    for (charset, encoding, tag) in [
        ("us-ascii", "7bit", "ru"),
        ("us-ascii", "quoted-printable", "ru"),
        // Declared, but not one byte above 127 yet: the way may be a 7-bit one.
        ("utf-8", "7bit", "ar"),
        ("iso-8859-1", "quoted-printable", "zh"),
        ("koi8-r", "base64", "ja"),
        ("nonesuch", "quoted-printable", "ru"),
    ] {
        let body = format!("see {LINK}\r\n");
        let body = if encoding == "base64" { base64(body.as_bytes()) } else { body.into_bytes() };
        let text = read(&fields("plain", charset, encoding), &body, &reader(tag));
        assert!(text.is_ascii() && text.contains(ENGLISH), "{charset} {encoding} {tag}: {text}");
    }
    let body = format!("see {LINK}\r\n");
    let text = read(&fields("plain", "us-ascii", "7bit"), body.as_bytes(), &reader("de"));
    assert!(text.contains("[irrefuehrender Link, deaktiviert]"), "{text}");
}

#[test]
fn html_carries_every_language_in_any_charset() {
    for (tag, words) in WORDS {
        let body = format!("<p>see {LINK}</p>\r\n");
        let text = read(&fields("html", "us-ascii", "7bit"), body.as_bytes(), &reader(tag));
        let references: String = words
            .chars()
            .map(|c| match c.is_ascii() {
                true => c.to_string(),
                false => format!("&#x{:X};", u32::from(c)),
            })
            .collect();
        assert!(text.contains(&format!("[{references}]")), "{tag}: {text}");
    }
}

#[test]
fn the_language_follows_the_message() {
    let said = |more: &str, text: &str| {
        let fields = format!("{more}{}", fields("plain", "utf-8", "8bit"));
        read(&fields, format!("{text} {LINK} \u{e9}\r\n").as_bytes(), &Facts::default())
    };
    assert!(said("", "please confirm").contains(ENGLISH));
    assert!(said("Content-Language: fr\r\n", "x").contains("[lien trompeur, bloqué]"));
    assert!(said("Accept-Language: de-DE, en\r\n", "x").contains("irreführender"));
    let russian = "Пожалуйста, подтвердите адрес вашей электронной почты сегодня";
    assert!(said("", russian).contains("[обманчивая ссылка, отключена]"));
    assert!(said("Content-Language: fr\r\n", russian).contains("lien trompeur"));
}

/// Quoted-printable without its soft breaks and escapes.
fn unescaped(bytes: &[u8]) -> Vec<u8> {
    let text = std::str::from_utf8(bytes).unwrap().replace("=\r\n", "");
    let mut pieces = text.split('=');
    let mut out = pieces.next().unwrap().as_bytes().to_vec();
    for piece in pieces {
        out.push(u8::from_str_radix(&piece[..2], 16).unwrap());
        out.extend_from_slice(&piece.as_bytes()[2..]);
    }
    out
}

fn base64(bytes: &[u8]) -> Vec<u8> {
    (BASE64_STANDARD.encode(bytes) + "\r\n").into_bytes()
}

/// A message that is dense with short links gets edits for all of them, and notices up to a bound.
#[test]
fn notices_and_anchors_are_bounded() {
    let kind = "Content-Type: text/html; charset=utf-8\r\n";
    let plain = Policy { header_fields: HeaderFields::Omit, ..Policy::default() };
    let notice = Policy { notice: Notice::Inline, ..plain.clone() };
    let anchors = Policy { linkify: Linkify::Html, ..plain };
    for (policy, piece) in [(notice, "p\u{430}ypal.com "), (anchors, "a.co ")] {
        let written = |count: usize| {
            let body = piece.repeat(count);
            let message = Message { head: kind.as_bytes(), body: body.as_bytes() };
            let outcome = inspect(message, &Facts::default(), &policy, &tld::builtin())
                .resolve(&Answers::new());
            let said = outcome.bypasses.iter().any(|(_, why)| *why == Bypass::Limit(Limit::Extras));
            let new = splice::apply(body.as_bytes(), &outcome.edits).to_vec();
            (String::from_utf8(new).unwrap(), said, body.len())
        };
        let (few, said, _) = written(10);
        assert!(!said && (few.matches(" [mis").count() == 10 || few.matches("<a ").count() == 10));
        let (many, said, length) = written(1_500);
        assert!(said && many.len() <= 3 * length + (8 << 10), "{} of {length}", many.len());
        assert!(!many.contains('\u{430}'), "every link is defanged");
    }
}

/// Where markup would be shown, no anchor is written, however often the filter runs.
#[test]
fn no_anchor_where_markup_is_text() {
    let kind = "Content-Type: text/html; charset=utf-8\r\n";
    let policy =
        Policy { linkify: Linkify::Html, header_fields: HeaderFields::Omit, ..Policy::default() };
    let long = format!("<textarea>{} example.com</textarea>", "word ".repeat(20_000));
    for (body, anchors) in [
        ("<textarea>example.com</textarea>", 0),
        ("<title>example.com</title>", 0),
        ("<xmp>example.com</xmp>", 0),
        ("<noscript>example.com</noscript>", 1),
        ("<style>example.com</style><script>'example.com'</script>", 0),
        ("<svg><![CDATA[example.com]]></svg>", 0),
        ("<p style='display:none'>example.com</p>", 0),
        ("<a href='http://example.com/'>example.com</a>", 0),
        ("<textarea>example.org</textarea> example.com <title>example.net</title>", 1),
        (long.as_str(), 0),
    ] {
        let message = Message { head: kind.as_bytes(), body: body.as_bytes() };
        let outcome =
            inspect(message, &Facts::default(), &policy, &tld::builtin()).resolve(&Answers::new());
        let edits = outcome.edits;
        let found = edits.iter().filter(|edit| edit.replacement.starts_with(b"<a ")).count();
        assert_eq!(found, anchors, "{}", &body[..body.len().min(80)]);
    }
}

/// The body with a notice, decoded from base64.
fn noted(kind: &str, body: &[u8], policy: &Policy) -> Vec<u8> {
    let message = Message { head: kind.as_bytes(), body };
    let outcome =
        inspect(message, &Facts::default(), policy, &tld::builtin()).resolve(&Answers::new());
    splice::apply(body, &outcome.edits).to_vec()
}

#[test]
fn what_is_read_in_several_ways_has_one_notice_outside_its_markup() {
    let policy =
        Policy { notice: Notice::Inline, header_fields: HeaderFields::Omit, ..Policy::default() };
    let page = "<p>https://p\u{430}ypal.com/x&nbsp;y</p>\r\n";
    let [html, text] = ["Content-Type: text/html", "Content-Type: text/plain"];
    let mixed = "Content-Type: multipart/mixed; boundary=B\r\n".to_owned();
    for (head, body, notices) in [
        (format!("{html}; charset=utf-8\r\n{text}; charset=utf-8\r\n"), page.to_owned(), 1),
        (format!("{text}; charset=utf-8\r\n{html}; charset=utf-8\r\n"), page.to_owned(), 0),
        (mixed.clone(), format!("--B x\r\n{html}; charset=utf-8\r\n\r\n{page}--B--\r\n"), 0),
        (mixed, format!("--B\r\n\r\n{page}--B--\r\n"), 0),
        (String::new(), page.to_owned(), 0),
    ] {
        let new = noted(&head, body.as_bytes(), &policy);
        let new = String::from_utf8_lossy(&new).into_owned();
        assert!(new.contains("y</p>") && new.contains("&nbsp;"), "{head} {new}");
        assert!(!new.contains('\u{430}'), "{head} {new}");
        assert_eq!(new.matches(" [mis").count(), notices, "{head} {new}");
    }
}

#[test]
fn in_wide_charsets_what_is_written_beside_a_link_is_wide() {
    let plain = Policy { header_fields: HeaderFields::Omit, ..Policy::default() };
    let notice = Policy { notice: Notice::Inline, ..plain.clone() };
    let anchor = Policy { linkify: Linkify::Html, ..plain };
    for (policy, link) in
        [(notice, "https://www.paypal.com@evil.com/x"), (anchor, "https://www.example.org/x")]
    {
        let page = format!("<p>Hello {link}<br>bye</p>");
        for (label, wide) in [
            ("utf-16le", page.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<u8>>()),
            ("utf-16be", page.encode_utf16().flat_map(u16::to_be_bytes).collect()),
        ] {
            let kind = format!("Content-Type: text/html; charset={label}\r\n");
            let new = noted(&kind, &wide, &policy);
            let units = new.as_chunks::<2>().0.iter().map(|unit| match label {
                "utf-16le" => u16::from_le_bytes(*unit),
                _ => u16::from_be_bytes(*unit),
            });
            let new: String = char::decode_utf16(units).map(|c| c.unwrap_or('\u{fffd}')).collect();
            assert!(new.starts_with("<p>Hello ") && new.ends_with("<br>bye</p>"), "{label} {new}");
            assert_eq!(new.matches("<a ").count() + new.matches(" [mis").count(), 1, "{new}");
        }
    }
}
