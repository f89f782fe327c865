//! Honest hosts in a charset that no label, or a wrong one, names: no reading in another charset edits them. What
//! deceives in any reading is edited nonetheless.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

mod common;

use common::{edited, filtered, untouched};
use encoding_rs::{EUC_JP, EUC_KR, GB18030, GBK, IBM866, WINDOWS_1250, WINDOWS_1252};
use linkmilter_engine::{Reason, Verdict};

fn bytes(charset: &'static encoding_rs::Encoding, text: &str) -> Vec<u8> {
    let (bytes, _, unmappable) = charset.encode(text);
    assert!(!unmappable, "{text}");
    bytes.into_owned()
}

/// UTF-16 without a byte order mark.
fn utf16(text: &str) -> Vec<u8> {
    text.encode_utf16().flat_map(u16::to_le_bytes).collect()
}

#[test]
fn utf_16_that_nobody_labelled_is_not_edited_byte_by_byte() {
    for text in [
        "see https://喵云.com/ now\r\n",
        "see https://łódź.pl/ now\r\n",
        "<p>see <a href=\"https://ελλάδα.com/\">this</a></p>\r\n",
        "see https://example.com/?u=https%3A%2F%2F新四方.com%2Fx now\r\n",
    ] {
        for kind in ["text/plain", "text/html", "text/html; charset=iso-8859-1"] {
            untouched(kind, &utf16(text));
        }
        edited("text/html", &utf16(&text.replace("see", "see https://раypal.com/")));
    }
}

/// Its mark begins with that of UTF-16, and says the byte order in which an edit is written, whatever the label does.
#[test]
fn utf_32_is_edited_in_the_order_of_its_mark() {
    let text = "\u{feff}Gruß https://www.раypal.com/x Ende\r\n";
    let little: Vec<u8> = text.chars().flat_map(|c| u32::from(c).to_le_bytes()).collect();
    let big: Vec<u8> = text.chars().flat_map(|c| u32::from(c).to_be_bytes()).collect();
    for charset in ["utf-32", "utf-32le", "utf-32be"] {
        for (body, read) in [
            (&little, u32::from_le_bytes as fn([u8; 4]) -> u32),
            (&big, u32::from_be_bytes as fn([u8; 4]) -> u32),
        ] {
            let edited = filtered(&format!("Content-Type: text/plain; charset={charset}"), body);
            let (units, rest) = edited.as_chunks::<4>();
            let shown: String =
                units.iter().map(|unit| char::from_u32(read(*unit)).unwrap()).collect();
            assert_eq!(rest, b"", "{charset}");
            assert!(
                shown.starts_with("\u{feff}Gruß hxxps://www[.]xn--ypal-43d9g[.]com"),
                "{shown}"
            );
            assert!(shown.ends_with("/x Ende\r\n"), "{shown}");
        }
    }
}

#[test]
fn short_texts_in_multi_byte_charsets_are_not_edited_in_others() {
    for (charset, text) in [
        (GB18030, "see https://www.攻略wiki.com/ now\r\n"),
        (GBK, "https://低价机场.com\r\n"),
        (EUC_JP, "name,url\r\nsee,https://古法成像.com/\r\n"),
        (EUC_JP, "https://example.com/r?u=https://ツムツム.jp/\r\n"),
        (EUC_KR, "https://한국.com/ 방문\r\n"),
        (GB18030, "https://example.com/r?u=https://café.fr/\r\n"),
    ] {
        for kind in ["text/plain", "text/html", "text/plain; charset=us-ascii"] {
            untouched(kind, &bytes(charset, text));
        }
    }
}

#[test]
fn chinese_under_a_western_label_is_not_edited() {
    for text in
        ["https://例子.com/", "https://新四方.com/ 查看", "https://a.org/?u=https://例子.com/"]
    {
        for label in ["iso-8859-1", "windows-1252"] {
            untouched(&format!("text/plain; charset={label}"), &bytes(GBK, text));
        }
    }
    // Signs alone between letters of ASCII deceive.
    for host in ["paypal·com.example", "paypal.com·½login.example", "www.mybank.com·½login.example"]
    {
        edited(
            "text/plain; charset=windows-1252",
            &bytes(WINDOWS_1252, &format!("https://{host}/")),
        );
    }
}

#[test]
fn frames_of_dos_are_no_letters_that_somebody_wrote() {
    untouched(
        "text/vcard",
        &bytes(WINDOWS_1250, "BEGIN:VCARD\r\nURL:https://łódź.pl/\r\nEND:VCARD\r\n"),
    );
    edited("text/plain", &bytes(IBM866, "see https://раypal.com/ now\r\n"));
}

#[test]
fn what_cannot_be_decoded_in_a_card_is_not_edited() {
    for property in ["URL:https://müller.de/", "URL;CHARSET=UTF-8:https://müller.de/"] {
        let card = format!("BEGIN:VCARD\r\nVERSION:2.1\r\n{property}\r\nEND:VCARD\r\n");
        for kind in ["text/vcard", "text/vcard; charset=utf-8", "text/vcard; charset=iso-8859-1"] {
            untouched(kind, &bytes(WINDOWS_1252, &card));
        }
    }
    // Inside a link, in text.
    for kind in ["text/plain; charset=utf-8", "text/html; charset=utf-8"] {
        untouched(
            kind,
            &bytes(WINDOWS_1252, "see https://example.com/r?u=https://café.fr/ now\r\n"),
        );
    }
    // A fold in the middle of a character leaves both of its halves undecodable, for some clients only.
    edited(
        "text/vcard; charset=utf-8",
        b"BEGIN:VCARD\r\nURL:https://\xD1\r\n \x80aypal.com/\r\nEND:VCARD\r\n",
    );
}

#[test]
fn utf_8_inside_a_link_may_be_read_twice() {
    untouched(
        "text/plain; charset=us-ascii",
        "https://example.com/r?u=https://陈凯歌.com/\r\n".as_bytes(),
    );
    untouched(
        "text/html; charset=us-ascii",
        "<p>https://example.com/r?u=https://møntsamling.de/</p>\r\n".as_bytes(),
    );
    edited(
        "text/plain; charset=us-ascii",
        "https://example.com/r?u=https://раypal.com/\r\n".as_bytes(),
    );
}

#[test]
fn the_digits_of_an_escape_are_no_letters_of_the_host_behind_it() {
    for host in ["пример.рф", "հայերեն.com", "х.рф"] {
        untouched(
            "text/plain; charset=utf-8",
            format!("https://example.com/?u=https%3A%2F%2F{host}%2F").as_bytes(),
        );
    }
    for tail in ["u=https%3A%2F%2Fраypal.com%2F", "%2Fраypal.com", "%252Fраypal.com"] {
        edited("text/plain; charset=utf-8", format!("https://example.com/?{tail}").as_bytes());
    }
}

#[test]
fn letters_escaped_in_json_belong_to_the_host_around_them() {
    for host in ["\\u043c\\u0430\\u0448\\u0430.\\u0440\\u0444", "\\u0e14\\u0e39\\u0e2a\\u0e14.com"]
    {
        for text in ["\"https://HOST/\"", "\"https:\\/\\/HOST\\/\"", "\"u@HOST\"", "\"x:HOST\""] {
            for kind in ["application/json", "text/plain", "text/html"] {
                untouched(kind, text.replace("HOST", host).as_bytes());
            }
        }
    }
    for text in ["\"https://\\u0440\\u0430ypal.com\"", "\"https:\\/\\/\\u0440\\u0430ypal.com\\/\""]
    {
        edited("application/json", text.as_bytes());
    }
}

/// Quotation marks and bullets of windows-1252 are Cyrillic letters in IBM866.
#[test]
fn punctuation_beside_a_host_is_no_letter() {
    for text in [
        "Tel. 030•www.firma.de•info@firma.de\r\n",
        "“firma.de” – „www.firma.de“, „example.de“…\r\n",
        "see www.firma.de™ or firma.de’s\r\n",
    ] {
        for kind in ["text/plain", "text/plain; charset=us-ascii", "text/html"] {
            untouched(kind, &bytes(WINDOWS_1252, text));
        }
    }
    edited("text/plain", &bytes(IBM866, "see https://РАYPAL.com/ now\r\n"));
}

/// Base64 in tokens has plus signs and slashes, which some programs take for UTF-7.
#[test]
fn a_token_is_not_utf_7() {
    let token = b"s=vH+G24L.sE; t=qqXWC+l9Fg7bJJllqTxbGkmjA8atMEq.dk //x+y\r\n";
    let url =
        b"https://a.example/o?Signature=ot1tQc+KM+g7CZFojRplEYoxjzIPsCAvyjM0E/dIC6E=&k=UV\r\n";
    for kind in ["text/plain", "text/plain; charset=us-ascii", "text/html"] {
        untouched(kind, &[&token[..], &url[..]].concat());
        edited(kind, b"see https://+BEAEMA-ypal.com/ now\r\n");
    }
}

/// Roundcube drops bytes that it cannot decode.
#[test]
fn a_known_name_with_an_undecodable_byte_in_it() {
    for (kind, body) in [
        (
            "text/html; charset=utf-8",
            &b"<a href=\"https://\xD1\x80\xD0\xB0yp\xFFal.com/\">x</a>"[..],
        ),
        ("text/html; charset=utf-8", b"<a href=\"https://xn--\xFFypal-43d9g.com/\">x</a>"),
        ("text/html; charset=windows-1251", b"<a href=\"https://\xF0\xE0yp\x98al.com/\">x</a>"),
        ("text/plain; charset=utf-8", b"see https://\xD1\x80\xD0\xB0yp\xFFal.com/ now"),
    ] {
        edited(kind, body);
    }
    untouched("text/html; charset=utf-8", b"<a href=\"https://caf\xE9.fr/\">x</a>");
    untouched(
        "text/plain; charset=utf-8",
        b"see https://caf\xE9.fr/ and https://m\xFCller.de/ now",
    );
}

#[test]
fn an_emoji_beside_a_host_is_no_letter_of_it() {
    untouched(
        "text/plain; charset=utf-8",
        "Infosℹ\u{FE0F}www.firma.de, YouTube1\u{FE0F}\u{20E3}youtube.com/a\r\n".as_bytes(),
    );
    edited("text/plain; charset=utf-8", "see ℹ\u{FE0F}раypal.com now\r\n".as_bytes());
}

/// A Mac or a console read UTF-8 before the mail was written.
#[test]
fn hosts_that_a_mac_or_a_console_misread_are_not_edited() {
    for text in
        ["www.m√ºller.de", "ann@┼╝├│┼éw.pl", "https://www.m├╝ller.de/", "see www.m├ñdchen.de"]
    {
        untouched("text/plain; charset=utf-8", text.as_bytes());
    }
    for text in ["https://www.p\u{430}ypal√º.com/", "https://р\u{430}ypal.m√ºller.de/"] {
        edited("text/plain; charset=utf-8", text.as_bytes());
    }
}

/// The last byte of `「` in Shift_JIS is `u`, that of an escape is `B`.
#[test]
fn the_rest_of_a_character_is_no_letter_of_the_host_behind_it() {
    let text = |host: &str| {
        format!(
            "それにお客様のご注文は、「{host}」の通知メールで確認できます。よろしくお願いいたします。\r\n"
        )
    };
    let found = |kind: &str, body: &[u8]| {
        let outcome = common::outcome(&format!("Content-Type: {kind}"), body);
        outcome.findings.into_iter().filter(|one| one.verdict >= Verdict::Notice).count()
    };
    for host in ["rakuten.co.jp", "amazon.co.jp"] {
        let body = bytes(encoding_rs::SHIFT_JIS, &text(host));
        assert_eq!(found("text/plain", &body), 0, "{host}");
    }
    let written = bytes(encoding_rs::ISO_2022_JP, &text("amazon.co.jp"));
    for label in ["utf-8", "iso-8859-1", "us-ascii"] {
        assert_eq!(found(&format!("text/plain; charset={label}"), &written), 0, "{label}");
    }
    for host in ["rnicrosoft.com", "paypa1.com"] {
        let body = bytes(encoding_rs::SHIFT_JIS, &text(host));
        assert_ne!(found("text/plain", &body), 0, "{host}");
        let written = bytes(encoding_rs::ISO_2022_JP, &text(host));
        assert_ne!(found("text/plain; charset=utf-8", &written), 0, "{host}");
    }
    assert_ne!(found("text/plain", b"See \x81ppaypal.com now\r\n"), 0, "no Japanese");
}

#[test]
fn bytes_of_a_labelled_charset_are_no_host_that_utf_8_leaves() {
    let worst = |charset: &str, body: &[u8]| {
        let outcome =
            common::outcome(&format!("Content-Type: text/plain; charset={charset}"), body);
        outcome.findings.iter().map(|finding| finding.verdict).max()
    };
    let text = "邮箱kf@taobao.com，网址taobao.com。\r\n";
    for (charset, encoding) in [("gb2312", GBK), ("gbk", GBK), ("gb18030", GB18030)] {
        assert!(worst(charset, &bytes(encoding, text)) <= Some(Verdict::Notice), "{charset}");
    }
    assert!(worst("utf-8", text.as_bytes()) <= Some(Verdict::Notice));
    // The same bytes are other characters in charsets that are built alike.
    for charset in ["big5", "euc-kr", "euc-jp"] {
        let kind = format!("Content-Type: text/plain; charset={charset}");
        let findings = common::outcome(&kind, &bytes(GBK, text)).findings;
        let hidden = findings.iter().find(|one| one.reasons.contains(Reason::HiddenHost));
        assert!(hidden.is_none(), "{charset} {hidden:?}");
    }
    // What is UTF-8 throughout deceives whoever ignores the label.
    for host in ["раypal.com", "paypal.com\u{5B7}paypal.com"] {
        let found = worst("gb2312", format!("see https://{host}/ now\r\n").as_bytes());
        assert!(found >= Some(Verdict::Suspect), "{host}");
    }
    assert!(
        worst("utf-8", b"see kf@taobao.com\xFF\xD6\xB7taobao.com now\r\n")
            >= Some(Verdict::Suspect)
    );
}

/// A program read the host in another charset before it wrote the message in UTF-8.
#[test]
fn hosts_that_were_misread_before_they_were_written() {
    let plain = "text/plain; charset=utf-8";
    for host in [
        // UTF-8 as the charsets of Greek, Hebrew, Arabic, Turkish, as ISO 8859-2 and -1, KOI8-R, those of consoles and Macs.
        "antiquitΓ¤ten-web.com",
        "wΓ³zkipaletowe.pl",
        "prֳ©fontaine.name",
        "è½©ه¥ˆ.net",
        "Ğ³Ğ¾Ğ½ĞºĞ¾Ğ½Ğ³.com",
        "é\u{95}ˇé\u{87}\u{8e}.jp",
        "æ³¢å¥\u{87}.net",
        "leaе▀gaviika.no",
        "snåsa.no",
        "ŸÉŸäÿ¥.net",
        // ISO 8859-2, KOI8-R, TIS-620, GBK, Big5, EUC-KR and EUC-JP as ISO 8859-1.
        "³ód¼.pl",
        "¾ivot.com",
        "kárá¹johka.no",
        "Á×ÔÏ-ÕÞÅÔ.com",
        "¼ÅºÍÅÇÑ¹¹Õé.com",
        "ÖÐ¹úÑøÉúÍø.net",
        "Íø½j.hk",
        "¾í¤l91.com",
        "¥ø¥ñ¥á.gr",
        "¥Ý¥±¥â¥ó.com",
    ] {
        for text in [format!("http://{host}/x"), format!("www.{host}"), format!("ann@{host}")] {
            untouched(plain, format!("see {text} now\r\n").as_bytes());
        }
    }
    // Letters alone that read as a word, a known name, one sign in a word, the end of a host.
    for host in [
        "Ѕtаtе.com",
        "pаypal.com",
        "compan¥.com",
        "e×press.com",
        "bªnk-huber.com",
        "g∞gle.com",
        "paypal¹.com",
        "www.paypal.com½.example.org",
        "example.com⁄Ø.example.org",
    ] {
        edited(plain, format!("see http://{host}/x now\r\n").as_bytes());
    }
}
