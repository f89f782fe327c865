//! Classes in which a library decodes what is no charset, or a program puts together what stands apart.

use super::*;

/// A body below a label, base64 and as it stands.
fn labelled(kind: &str, charset: &str, body: &str) -> Vec<Vec<u8>> {
    let fields = format!("Content-Type: text/{kind}; charset={charset}\r\n");
    let mut messages = everywhere(&fields, body);
    let fields = format!("{fields}Content-Transfer-Encoding: base64\r\n");
    messages.extend(everywhere(&fields, base64(body)));
    messages
}

#[test]
fn codecs_that_are_no_charsets() {
    let twice = base64("see https://раypal.com/ now\r\n");
    for (charset, body) in [
        ("unicode_escape", "see \\150\\164tps:\\57\\57\\u0440\\u0430ypal\\56com/ now\r\n"),
        ("raw_unicode_escape", "see https://\\u0440\\U00000430ypal.com/ now\r\n"),
        ("MIME-Header", "see https://=?utf-8?b?0YDQsA==?=ypal.com/ now\r\n"),
        ("MIME-Q", "see =?utf-8?Q?https://=D1=80=D0=B0ypal.com/?= now\r\n"),
        ("MIME-B", "see =?koi8-r?Q?https://=D2=C1ypal.?= =?us-ascii?b?Y29t?=/ now\r\n"),
        ("HTML-ENTITIES", "see https://&#1088;&#1072;ypal.com/ now\r\n"),
        ("BASE64", &twice),
        ("QPrint", "see https://=D1=80=D0=B0ypal.com/ now\r\n"),
        ("utf7-imap", "see https://&BEAEMA-ypal.com/ now\r\n"),
        ("utf-7-imap", "see &AGgAdAB0AHAAcwA6AC8ALwRABDAAeQBwAGEAbAAuAGMAbwBt-/ now\r\n"),
    ] {
        class("codecs", Fate::Caught, labelled("plain", charset, body));
        if charset != "BASE64" {
            let page = format!("<html><body><p>{body}</p></body></html>");
            class("codecs in pages", Fate::Caught, labelled("html", charset, &page));
        }
    }
}

/// Programs take the first label or the last.
#[test]
fn several_labels_of_codecs() {
    let twice = base64("see https://раypal.com/ now\r\n");
    let quoted = "see https://=D1=80=D0=B0ypal.com/ now\r\n";
    let references = "see https://&#1088;&#1072;ypal.com/ now\r\n";
    for (charset, body) in [
        ("punycode; charset=BASE64", twice.as_str()),
        ("QPrint; charset=base64", &twice),
        ("HTML-ENTITIES; charset=QPrint", quoted),
        ("hex; charset=HTML-ENTITIES", references),
    ] {
        class("several codecs", Fate::Caught, labelled("plain", charset, body));
    }
}

/// The base stands in a header, which is left as it is; what leads to it is in the page.
#[test]
fn relative_addresses_on_a_base_that_deceives() {
    for host in HOSTS {
        for field in ["Content-Base", "Content-Location"] {
            let fields =
                format!("Content-Type: text/html; charset=utf-8\r\n{field}: https://{host}/\r\n");
            for link in [
                "<a href=\"/login\">x</a>",
                "<a href=login>x</a>",
                "<a href=''>x</a>",
                "<a href='#top'>x</a>",
                "<a href='https:login'>x</a>",
                "<form action=\"?x\"><button>x</button></form>",
                "<area href=&#47;login>",
                "<iframe srcdoc=\"<a href=/login>x</a>\"></iframe>",
                "<meta http-equiv=refresh content='0;url=/login'>",
            ] {
                class("bases", Fate::Caught, everywhere(&fields, link));
            }
        }
    }
    let fields = "Content-Type: text/html\r\nContent-Base: https://example.com/\r\n";
    for message in everywhere(fields, "<a href=\"/login\">x</a>") {
        let outcome = judge(&message);
        assert!(outcome.edits.is_empty() && outcome.verdict == Verdict::Ok);
    }
}

#[test]
fn charsets_of_marks_and_cards() {
    let utf32 = |text: &str| -> Vec<u8> {
        let units = text.chars().flat_map(|c| u32::from(c).to_le_bytes());
        [0xFF, 0xFE, 0, 0].into_iter().chain(units).collect()
    };
    for (kind, shown) in [("html", html("раypal.com")), ("plain", text("раypal.com"))] {
        for label in ["", "; charset=us-ascii", "; charset=utf-16"] {
            let fields = format!(
                "Content-Type: text/{kind}{label}\r\nContent-Transfer-Encoding: base64\r\n"
            );
            class("UTF-32 by its mark", Fate::Caught, everywhere(fields, base64(utf32(&shown))));
        }
    }
    for card in [
        "NOTE;CHARSET=KOI8-R;ENCODING=QUOTED-PRINTABLE:see https://=D2=C1ypal.com/ now\r\n",
        "URL;ENCODING=QUOTED-PRINTABLE;CHARSET=\"windows-1251\":https://=F0=E0ypal.com/\r\n",
    ] {
        for fields in ["Content-Type: text/vcard\r\n", "Content-Type: text/calendar\r\n"] {
            class("charsets of properties", Fate::Caught, everywhere(fields, card));
        }
    }
    let fields =
        "Content-Type: text/x-vcard; charset=us-ascii\r\nContent-Transfer-Encoding: 8bit\r\n";
    let card = b"BEGIN:VCARD\r\nURL;CHARSET=KOI8-R:https://\xD2\xC1ypal.com/\r\nEND:VCARD\r\n";
    class("charsets of properties", Fate::Caught, everywhere(fields, card));
}

/// The page of DOS: two bytes of it would be signs in the charsets of the West.
#[test]
fn letters_of_dos_that_nobody_labelled() {
    for label in ["text/plain", "text/plain; charset=unknown-8bit"] {
        let fields = format!("Content-Type: {label}\r\nContent-Transfer-Encoding: 8bit\r\n");
        let text = b"Hello,\r\n\r\nplease confirm at https://\xE0\xA0ypal.com/login today.\r\n";
        class("letters of DOS", Fate::Caught, everywhere(fields, text));
    }
    let west = b"see http://m\xFCnchen.example/caf\xE9 now\r\n";
    for message in everywhere("Content-Type: text/plain\r\n", west) {
        assert!(judge(&message).edits.is_empty());
    }
}

#[test]
fn bodies_that_are_elsewhere() {
    for host in HOSTS {
        let (first, rest) = host.split_once('.').unwrap();
        for parameters in [
            format!("access-type=URL; URL=\"https://{host}/a\""),
            format!("access-type=URL; URL*0=\"https://{first}\"; URL*1=\".{rest}/a\""),
            format!("access-type=URL; URL=\"https://{first}\r\n .{rest}/a\""),
            format!("access-type=anon-ftp; site=\"{host}\"; name=a"),
        ] {
            let fields = format!("Content-Type: message/external-body; {parameters}\r\n");
            let body = "Content-Type: text/html\r\n\r\n";
            class("external bodies", Fate::Reported, everywhere(fields, body));
        }
    }
}

/// Thunderbird opens the address of an attachment that was detached, or uploaded.
#[test]
fn attachments_that_are_elsewhere() {
    for host in HOSTS {
        let (first, rest) = host.split_at(host.find('.').unwrap());
        for field in [
            format!("X-Mozilla-External-Attachment-URL: https://{host}/a"),
            format!("X-Mozilla-External-Attachment-URL: https://{first}\r\n\t{rest}/a"),
            format!("x-mozilla-external-attachment-url:https://{first}\t{rest}/a"),
            format!("X-Mozilla-Cloud-Part: cloudFile; url=\"https://{host}/a\"; provider=x"),
        ] {
            let fields = format!("Content-Type: application/pdf; name=a.pdf\r\n{field}\r\n");
            class("attachments elsewhere", Fate::Reported, everywhere(fields, "x\r\n"));
        }
    }
}

#[test]
fn words_of_a_subject_that_belong_together() {
    for subject in [
        "=?utf-8?q?https://=D1?= =?utf-8?q?=80=D0=B0ypal.com?=",
        "see https://=?utf-8?b?0Q==?=\r\n =?UTF-8?b?gNCw?=ypal.com",
    ] {
        let message = format!("From: a@b.example\r\nSubject: {subject}\r\n\r\nhi\r\n");
        class("words of a subject", Fate::Reported, vec![message.into_bytes()]);
    }
}

/// Fields of whatever name, the encoded word alone, glued to what it stands in, and cut in two.
#[test]
fn encoded_words_in_any_field() {
    let fields = [
        "Archived-At", "Comments", "Content-Description", "Content-Language", "Content-Location",
        "Keywords", "List-Id", "Organization", "Subject", "Thread-Topic", "User-Agent",
        "X-Anything",
    ];
    let values = [
        "=?utf-8?B?c2VlIGh0dHBzOi8v0YDQsHlwYWwuY29tL3g=?=",
        "see =?utf-8?q?https://=D1=80=D0=B0ypal.com/x?=",
        "<https://=?utf-8?q?=D1=80=D0=B0ypal?=.com/x>",
        "see https://=?utf-8?b?0Q==?=\r\n =?UTF-8?b?gNCw?=ypal.com",
        "=?koi8-r?q?https://=D2=C1ypal.com/?=",
    ];
    for behind in ["", "no field\r\n"] {
        let messages = fields.iter().flat_map(|name| {
            values.map(|value| format!("{HEAD}{name}: {value}\r\n{behind}\r\nhi\r\n").into_bytes())
        });
        class("encoded words in fields", Fate::Reported, messages.collect());
    }
    let long = format!(
        "=?utf-8?b?{}?=",
        base64(format!("{}{}", "word ".repeat(300), "https://раypal.com/")).replace("\r\n", "")
    );
    class(
        "long words",
        Fate::Reported,
        vec![format!("{HEAD}X-Anything: {long}\r\n\r\nhi\r\n").into_bytes()],
    );
    let reported = |value: &str| {
        let raw = format!("{HEAD}X-Anything: {value}\r\n\r\nhi\r\n");
        judge(raw.as_bytes()).findings.len()
    };
    assert_eq!(reported(values[0]), 1, "reported once");
    assert_eq!(reported("=?utf-8?q?see_https://www.example.org/?="), 0, "honest");
    assert_eq!(reported("=?utf-8?q?=D1=80=D0=B0ypal.com?="), 0, "no URL");
}

#[test]
fn attributes_that_are_computed() {
    for host in HOSTS {
        for tag in [
            format!("<a [href]=\"'https://{host}/'\">x</a>"),
            format!("<a data-amp-bind-href=\"'https://{host}/'\">x</a>"),
        ] {
            let fields = "Content-Type: text/x-amp-html; charset=utf-8\r\n";
            class("computed attributes", Fate::Reported, everywhere(fields, tag));
        }
    }
}

/// Signs in front of a delimiter, shortcuts under whatever type, and quotes inside a value.
#[test]
fn what_some_see_behind_signs() {
    for host in HOSTS {
        for before in [">", "- ", "\u{FEFF}", "|"] {
            let message = format!(
                "{HEAD}Content-Type: multipart/mixed; boundary=abc\r\n\r\n{before}--abc\r\nContent-Type: text/html\r\n\
                 Content-Transfer-Encoding: base64\r\n\r\n{}\r\n--abc--\r\n",
                base64(html(host))
            );
            class("signs before delimiters", Fate::Caught, vec![message.into_bytes()]);
        }
        let fields = "Content-Type: application/x-mswinurl; name=a.url\r\nContent-Transfer-Encoding: base64\r\n";
        let shortcut = base64(format!("[InternetShortcut]\r\nURL=https://{host}/\r\n"));
        class("shortcuts", Fate::Caught, everywhere(fields, shortcut));
        for value in ["&lt;https://{}/&gt;", "<https://{}/>", "'https://{}/'"] {
            let page = format!("<a href=\"{}\">x</a>", value.replace("{}", host));
            let fields = "Content-Type: text/html; charset=utf-8\r\n";
            class("quotes in values", Fate::Caught, everywhere(fields, page));
        }
    }
}

/// Charsets that glibc, Python and Java know and WHATWG does not, by the bytes of two letters.
#[test]
fn charsets_of_other_libraries() {
    for (label, er, a) in [
        ("big5", &b"\xC7\xD9"[..], &b"\xC7\xC8"[..]),
        ("cp950", b"\xC7\xD9", b"\xC7\xC8"),
        ("johab", b"\xDE\xE2", b"\xDE\xD1"),
        ("iso-ir-111", b"\xD2", b"\xC1"),
        ("ms-mac-cyrillic", b"\xF0", b"\xE0"),
    ] {
        class(label, Fate::Caught, in_charset(label, letters(er, a)));
    }
    class("UTF-7 unlabelled", Fate::Caught, in_charset("", letters(b"+BEA-", b"+BDA-")));
}
