//! Classes beyond the labels: letters that nobody labelled, headers that end early for some, references in
//! what most programs hand on, soft breaks.

use super::*;

/// Two letters are enough for a program that guesses.
#[test]
fn few_letters_that_nobody_labelled() {
    let bytes = |text: &str| -> Vec<u8> {
        let byte = |c: char| match c {
            'р' => 0xD2,
            'а' => 0xC1,
            c => c as u8,
        };
        text.chars().map(byte).collect()
    };
    let page = bytes(
        "<html><body><p>Please confirm <a href=\"https://раypal.com/login\">your account</a> today.</p></body></html>\r\n",
    );
    let text =
        bytes("Hello,\r\n\r\nplease confirm your account at https://раypal.com/login today.\r\n");
    for label in ["text/plain", "text/plain; charset:koi8-r"] {
        let fields = format!("Content-Type: {label}\r\nContent-Transfer-Encoding: base64\r\n");
        class("few unlabelled letters", Fate::Caught, everywhere(&fields, base64(&text)));
        let fields = fields.replace("plain", "html");
        class("few unlabelled letters", Fate::Caught, everywhere(&fields, base64(&page)));
    }
    // Beside no host a guess says nothing, and a word of the West stays one.
    let word = b"Gr\xFC\xDFe.com aus K\xF6ln, caf\xE9.net\r\n".to_vec();
    for message in everywhere("Content-Type: text/plain\r\n", word) {
        assert!(judge(&message).edits.is_empty());
    }
}

/// A line that is no field: to some programs the body begins there.
#[test]
fn headers_that_end_early_for_some() {
    for host in HOSTS {
        for line in ["\x0C", " ", "no field", "=", ": x"] {
            let fields = format!(
                "Content-Type: text/html; charset=utf-8\r\nContent-Transfer-Encoding: base64\r\n{line}\r\n{}",
                base64(html(host))
            );
            class("headers that end early", Fate::Reported, everywhere(&fields, ""));
        }
    }
}

/// Types that most programs hand on, with letters as numbers: read as markup, and by the net inside base64
/// as well.
#[test]
fn references_in_what_is_handed_on() {
    let body = "<x><link href=\"https://&#1088;&#x430;ypal.com/\"/></x>";
    for (label, floor) in [
        ("application/atom+xml; name=a.atom", Fate::Caught),
        ("application/octet-stream; name=a.webloc", Fate::Caught),
        ("text/xml", Fate::Caught),
        ("application/octet-stream; name=a.kml", Fate::Caught),
        ("application/octet-stream; name=a.dat", Fate::Caught),
    ] {
        let fields = format!("Content-Type: {label}\r\n");
        class("references", floor, everywhere(&fields, body));
        let fields = format!("{fields}Content-Transfer-Encoding: base64\r\n");
        class("references", floor, everywhere(&fields, base64(body)));
    }
    let body = format!("<?xml version=\"1.0\"?>{body}");
    class("references", Fate::Caught, everywhere("Content-Type: application/x-odd\r\n", body));
}

/// A piece that is defanged makes nothing dead that stands behind it, nor before it with a live scheme.
#[test]
fn live_links_beside_what_was_defanged() {
    let live = "https://www.paypal.com@evil.example/x";
    for text in [
        format!("x[.]{live}"),
        format!("x(.){live}"),
        format!("a[.]b[.]{live}"),
        format!("evil[.]com{live}"),
        format!("evil[.]com/{live}"),
        format!("hxxp://evil[.]com/?u={live}"),
        format!("https://evil[.]com/?u={live}"),
        format!("https://a.com[.]{live}"),
        format!("https://a.com{live}"),
        format!("www.a.com{live}"),
        format!("user@evil[.]{live}"),
        "https://www.paypal.com@evil.example[.]".to_owned(),
        "https://www.paypal.com@evil(.)example/x".to_owned(),
        "https://www.paypal.com@evil[.]example[.]com".to_owned(),
    ] {
        for message in everywhere("Content-Type: text/plain\r\n", format!("see {text} now\r\n")) {
            assert_eq!(fate(&message), Fate::Caught, "{text}");
            let body = edited(&message);
            assert!(body.contains("hxxps://www[.]paypal[.]com[@]evil"), "{body}");
        }
    }
    for dead in
        ["hxxps://evil[.]com/x", "https://evil[.]com/", "evil[.]com/x", "https://u@evil[.]com"]
    {
        for message in everywhere("Content-Type: text/plain\r\n", format!("see {dead} now\r\n")) {
            assert_eq!(fate(&message), Fate::Through, "{dead}");
            assert!(edited(&message).contains(dead), "{dead}");
        }
    }
}

/// Clients link what begins with `www.`, though it reads as a mailbox.
#[test]
fn hosts_with_www_before_an_at_sign() {
    for (text, edit) in [
        ("www.paypal.com@evil.example/x", "www[.]paypal[.]com[@]evil[.]example/x"),
        ("www.paypal.com@evil.example", "www[.]paypal[.]com[@]evil[.]example"),
        ("www.paypal.com@evil.example:80?x", "www[.]paypal[.]com[@]evil[.]example:80?x"),
        ("www.paypal.com:x@evil.example/x", "www[.]paypal[.]com:x[@]evil[.]example/x"),
        ("\"www.paypal.com@evil.example\"", "www[.]paypal[.]com[@]evil[.]example"),
        ("https:// www.paypal.com@evil.example/x", "www[.]paypal[.]com[@]evil[.]example/x"),
    ] {
        for media in ["plain", "html"] {
            let fields = format!("Content-Type: text/{media}\r\n");
            for message in everywhere(&fields, format!("<p>see {text} now\r\n")) {
                assert_eq!(fate(&message), Fate::Caught, "{text}");
                assert!(edited(&message).contains(edit), "{}", edited(&message));
            }
        }
        let subject = format!("From: a@b.example\r\nSubject: see {text}\r\n\r\nhi\r\n");
        assert_eq!(fate(subject.as_bytes()), Fate::Reported, "{text}");
    }
    for mailbox in
        ["www.chrisjones@gmail.com", "shop+www.ebay.com@gmail.com", "www.ebay.com@ebay.com"]
    {
        for message in everywhere("Content-Type: text/plain\r\n", format!("see {mailbox}\r\n")) {
            assert_eq!(fate(&message), Fate::Through, "{mailbox}");
        }
    }
}

/// A program opens the URL that it is called with: userinfo in that deceives as in any other.
#[test]
fn urls_with_userinfo_that_programs_open() {
    let url = "https://www.paypal.com@evil.example/x";
    let encoded = "https%3A%2F%2Fwww.paypal.com%40evil.example%2Fx";
    for url in [url, encoded] {
        for (before, behind) in [
            ("googlechrome://navigate?url=", ""),
            ("firefox://open-url?url=", ""),
            ("firefox://x@open-url?a=https://example.com/&url=", ""),
            ("intent://x#Intent;scheme=https;S.browser_fallback_url=", ";end"),
            ("tg://msg_url?url=", ""),
            ("whatsapp://send?text=", ""),
            ("x-app:open?url=", ""),
            ("mttbrowser://url=", ""),
            ("x-app://u@open&url=", "&x"),
            ("x-app://", ""),
        ] {
            let page = format!("<p><a href=\"{before}{url}{behind}\">Open</a></p>\r\n");
            for message in everywhere("Content-Type: text/html\r\n", page) {
                assert_eq!(fate(&message), Fate::Caught, "{before}{url}{behind}");
                assert!(edited(&message).contains("data-unsafe-href"), "{}", edited(&message));
            }
        }
    }
    for (before, seen) in [
        ("firefox://open-url?url=", "www.paypal.com"),
        ("steam://openurl/", "www.paypal.com"),
        ("microsoft-edge://open?x=1&Link=", "https://www.paypal.com/x"),
    ] {
        let page = format!("<p><a href=\"{before}https://evil.example/x\">{seen}</a></p>\r\n");
        class("programs", Fate::Reported, everywhere("Content-Type: text/html\r\n", page));
    }
    for fine in [
        "tg://msg_url?url=https://www.paypal.com/x",
        "whatsapp://send?text=https://bob@example.org/",
        "mttbrowser://url=https://www.paypal.com/x",
        "x-app://https://example.org/x",
        "mttbrowser://url=https%3A%2F%2Fbob%40example.org",
        "intent://x#Intent;scheme=https;S.browser_fallback_url=https%3A%2F%2Fexample.org;end",
    ] {
        let page = format!("<p><a href=\"{fine}\">Open</a></p>\r\n");
        for message in everywhere("Content-Type: text/html\r\n", page) {
            assert_eq!(fate(&message), Fate::Through, "{fine}");
        }
    }
}

/// Joined with the next line it is the link of no existing name, which hides none from programs that join
/// no lines.
#[test]
fn soft_breaks_that_hide_a_link() {
    let fields = "Content-Type: text/plain; charset=utf-8; format=flowed; delsp=yes\r\n";
    for text in [
        "see http://xn--ypal-43d9g.com \r\ncom today.\r\n",
        "mail b@раypal.shop \r\nhttp today.\r\n",
    ] {
        class("soft breaks", Fate::Caught, everywhere(fields, text));
    }
}

/// What is inside a tag to a browser is a tag of its own to whoever closes quotes or comments elsewhere; that the
/// same host stands where all read it does not make it less of a link.
#[test]
fn tags_inside_a_tag_are_defanged_beside_the_same_host() {
    let fields = "Content-Type: text/html; charset=utf-8\r\nContent-Transfer-Encoding: 8bit\r\n";
    let link = "<a href=\"https://раypal.com/\">here</a>";
    for inside in ["<!-- ", "<!--> ", "<? ", "<![CDATA[ ", "<!DOCTYPE x ", ""] {
        let page = format!("<p style=\"{inside}<a href=\"https://раypal.com\">--> {link}</p>");
        for message in everywhere(fields, page) {
            let body = edited(&message);
            assert!(!body.contains("https://раypal.com"), "{body}");
        }
    }
}

/// A place in which nobody reads a link is defanged although the same host stands in one, or in the Subject.
#[test]
fn places_of_a_host_that_stands_in_a_link_are_defanged() {
    let place = "https://раypal.com/";
    for around in [
        "<p x=\"<!-- <i y='<!-- <a href={}>' -->\">",
        "<p x=y\"<!-- <i y='<!-- <a href=\"{}\"> ' -->\">",
        "<!-- <!-- <p data-x=\"<a href='{}'>\"> -->",
        "<p data-a=\"&lt;p data-b='{}'&gt;\">",
        "<p data-x={}>",
        "<meta name=x content={}>",
        "<p \"{}\">",
        "<!DOCTYPE x \"{}\">",
        "<?xml a=\"{}\"?>",
        "</p {}>",
    ] {
        let around = around.replace("{}", place);
        let page = format!("<a href=\"{place}\">here</a>{around} {around}");
        let subject = "Subject: =?utf-8?q?https=3A//=D1=80=D0=B0ypal.com/?=\r\n";
        let fields =
            "Content-Type: text/html; charset=utf-8\r\nContent-Transfer-Encoding: 8bit\r\n";
        let said = everywhere(format!("{subject}{fields}"), around.clone());
        for message in everywhere(fields, page).into_iter().chain(said) {
            let body = edited(&message);
            assert!(!body.contains("//раypal.com"), "{body}");
        }
    }
    // What is left as it is in a link stays where it is in none.
    let list = "<a href=\"https://пример.рф/\">x</a><p data-x=https://пример.рф/>";
    for message in everywhere("Content-Type: text/html; charset=utf-8\r\n", list) {
        assert!(judge(&message).edits.is_empty());
    }
}

/// The body with what was edited.
fn edited(message: &[u8]) -> String {
    let outcome = judge(message);
    let end = message.windows(4).position(|four| four == b"\r\n\r\n").unwrap();
    let body = linkmilter::engine::splice::apply(&message[end + 4..], &outcome.edits).to_vec();
    String::from_utf8_lossy(&body).into_owned()
}

/// Letters of Central Europe and Japan that nobody labelled, or that were labelled as Latin 1: what other signs
/// they would be in the charset of the West poses as nobody. It is reported, and their own name is not taken from them.
#[test]
fn honest_names_in_a_charset_that_nobody_named() {
    for label in ["", "; charset=us-ascii", "; charset=iso-8859-1", "; charset=x-unknown"] {
        for bytes in [
            &b"Zapraszamy: https://www.wroc\xB3aw.pl/ oraz info@wroc\xB3aw.pl\r\n"[..],
            b"Viz https://www.\xBEi\xBEkov.cz/\r\n",
            b"Site: https://www.ia\xBAi.ro/\r\n",
            b"\xBE\xDC\xBA\xD9: https://www.\xC1\xED\xCC\xB3\xBE\xCA.jp/\r\n",
        ] {
            let fields =
                format!("Content-Type: text/plain{label}\r\nContent-Transfer-Encoding: 8bit\r\n");
            for message in everywhere(&fields, bytes) {
                let edits = judge(&message).edits;
                assert!(edits.is_empty(), "{label}: {}: {edits:?}", bytes.escape_ascii());
            }
        }
    }
    // Nobody labelled them at all, and detectors find what they are.
    for (text, charset) in [
        ("ดูรายละเอียดที่เว็บไซต์ของเรา https://ข่าว.com/ ขอบคุณครับ", encoding_rs::WINDOWS_874),
        ("请访问我们的网站了解更多信息 https://百度.com/ 谢谢您的支持", encoding_rs::GBK),
        ("請訪問我們的網站了解更多資訊 https://百度.com/ 謝謝您的支持", encoding_rs::BIG5),
        ("자세한 내용은 홈페이지를 참고하세요 https://한국어.com/ 감사합니다", encoding_rs::EUC_KR),
        ("Подробности на нашем сайте https://тайван.com/ спасибо за внимание", encoding_rs::KOI8_R),
    ] {
        let (bytes, ..) = charset.encode(text);
        for fields in
            ["", "Content-Type: text/plain\r\n", "Content-Type: text/plain; charset=us-ascii\r\n"]
        {
            let fields = format!("{fields}Content-Transfer-Encoding: 8bit\r\n");
            for message in everywhere(&fields, [&*bytes, b"\r\n"].concat()) {
                let edits = judge(&message).edits;
                assert!(edits.is_empty(), "{text}: {edits:?}");
            }
        }
    }
    // What poses as somebody is defanged in any charset, and in one that says itself what it is.
    for (charset, body) in [
        ("iso-8859-1", &b"https://www.paypa\xB9.com/\r\n"[..]),
        ("us-ascii", b"https://www.payp\xAA1.com/\r\n"),
        ("iso-8859-1", b"https://www.paypal.com@www.wroc\xB3aw.pl/\r\n"),
        ("us-ascii", b"https://www.wroc\xB3aw.pl/?u=https://www.paypal.com@evil.example/\r\n"),
        ("utf-8", "https://www.wroc\u{aa}w.pl/\r\n".as_bytes()),
    ] {
        let fields = format!("Content-Type: text/plain; charset={charset}\r\n");
        class("signs of Latin 1", Fate::Caught, everywhere(&fields, body));
    }
}

/// UTF-8 that a label calls something else, or that was read in another charset and written once more: nobody means
/// these letters, and what is written in UTF-8 stays whole.
#[test]
fn honest_names_in_utf8_that_is_taken_for_another_charset() {
    let names = [
        "Яндекс.ru Mail.ru",
        "https://évêché.fr",
        "info@müller.de",
        "<a href=\"https://www.bücher.de/\">x</a>",
        "http://küche.at/ https://três.br/ www.småland.se https://tűzoltó.hu/ https://żubrówka.pl/",
        "https://пример.рф/ https://παράδειγμα.gr/ https://例子.中国/ https://דוגמה.co.il/",
    ];
    for name in names {
        let twice: String = name.bytes().map(char::from).collect();
        let bodies = [name.as_bytes(), twice.as_bytes()];
        for label in ["", "; charset=us-ascii", "; charset=iso-8859-1", "; charset=windows-1251"] {
            let fields = format!("Content-Type: text/plain{label}\r\n");
            honest(&everywhere(&fields, [bodies[0], b"\r\n"].concat()));
        }
        let fields = "Content-Type: text/html; charset=utf-8\r\n";
        honest(&everywhere(fields, [bodies[1], b"\r\n"].concat()));
    }
    // What it poses as is worth more than that nobody writes so, and what it carries is no letter.
    for lie in ["https://www.раypal.com/", "https://evil.example/bÃ¼/?u=https://www.раypal.com/"]
    {
        let fields = "Content-Type: text/plain; charset=us-ascii\r\n";
        class("letters of UTF-8", Fate::Caught, everywhere(fields, format!("{lie}\r\n")));
    }
}

/// A host behind an escape that calls ASCII back does not begin with its last byte, nor one behind two bytes of a
/// character with what Latin-1 takes the second for.
#[test]
fn hosts_glued_to_words_in_several_bytes() {
    for host in ["amazon.co.jp", "paypal.com", "info@paypal.com", "www.apple.com"] {
        for back in ["B", "J"] {
            let body = format!("\x1B$B$4CmJ8$O\x1B({back}{host}\x1B$B$G!\"\x1B({back}{host}\r\n");
            for label in ["; charset=iso-2022-jp", "; charset=us-ascii", ""] {
                let fields = format!("Content-Type: text/plain{label}\r\n");
                honest(&everywhere(&fields, &body));
            }
        }
        for word in [&b"\x82\xB2\x92\x8D\x95\xB6\x82\xCD"[..], b"\xC1\xD6\xB9\xAE\xC0\xBA"] {
            let body = [word, host.as_bytes(), b" ", word, host.as_bytes(), b"\r\n"].concat();
            for label in ["; charset=us-ascii", ""] {
                let fields = format!("Content-Type: text/plain{label}\r\n");
                honest(&everywhere(&fields, &body));
            }
        }
    }
    let lie = "\x1B(Bhttps://www.xn--pypal-4ve.com/ \x1B(Bwww.xn--pypal-4ve.com\r\n";
    for label in ["iso-2022-jp", "us-ascii", "iso-8859-1"] {
        let fields = format!("Content-Type: text/plain; charset={label}\r\n");
        class("hosts behind escapes", Fate::Caught, everywhere(&fields, lie));
    }
}

/// Turkish in capitals, vowels of Thai, digits that are raised, hosts that are placeholders.
#[test]
fn honest_names_that_are_written_as_they_are() {
    for text in [
        "WWW.TÜRKİYE.GOV.TR, İSTANBUL.COM.TR: KİRALIK.COM ÜYELİĞİ",
        "ดู น้ำ.com นะ www.น้ำ.com https://www.น้ำตาล.com/ น้ำ.mwa.co.th",
        "https://www.co₂online.de/ und https://m²shop.de/",
        "<a href=\"https://*.example.com/\">*.example.com</a>",
        "<a href='https://{tenant}.example.com/'>x</a> <a href='http://[unsubscribe]'>x</a>",
        "<a href='http://[email protected]/'>x</a> <a href='https://[host]/'>x</a>",
        "<a href='http://example.com/a，www.paypal.com，b'>http://example.com/a，www.paypal.com，b</a>",
    ] {
        for media in ["plain", "html"] {
            let fields = format!("Content-Type: text/{media}; charset=utf-8\r\n");
            honest(&everywhere(&fields, format!("{text}\r\n")));
        }
    }
    for message in
        everywhere("Content-Type: text/plain; charset=utf-8\r\n", "NETFLİX.COM ÜYELİĞİ\r\n")
    {
        assert!(judge(&message).edits.is_empty());
    }
    for lie in ["https://NETFLİX.COM/", "https://www.paypa¹.com/"] {
        let fields = "Content-Type: text/plain; charset=utf-8\r\n";
        class("names as they are", Fate::Caught, everywhere(fields, format!("{lie}\r\n")));
    }
    let lie = "<a href=\"https://www.paypal.com⁄a'b.evil.com/\">x</a>\r\n";
    let fields = "Content-Type: text/html; charset=utf-8\r\n";
    class("signs in hosts", Fate::Caught, everywhere(fields, lie));
}

/// No edit, and nothing worse than a notice.
fn honest(messages: &[Vec<u8>]) {
    for message in messages {
        let outcome = judge(message);
        let text = String::from_utf8_lossy(message);
        assert!(outcome.edits.is_empty(), "{text}\n{:?}", outcome.findings);
        assert!(outcome.verdict <= Verdict::Notice, "{text}\n{:?}", outcome.findings);
    }
}

/// Mozilla drops form feeds before it looks for links.
#[test]
fn form_feeds_inside_a_host() {
    let lies = [
        "https://www.pay\x0Cpal.com@evil.example/x",
        "https://р\u{430}yp\x0Cal.com/x",
        "https://xn--80ak\x0C6aa92e.com/x",
        "www.xn--80ak\x0C6aa92e.com",
        "https://www.pay\x0C\0pal.com@evil.example/x",
    ];
    for format in ["", "; format=flowed", "; format=flowed; delsp=yes"] {
        let fields = format!("Content-Type: text/plain; charset=utf-8{format}\r\n");
        for lie in lies {
            class("form feeds", Fate::Caught, everywhere(&fields, format!("see {lie} now\r\n")));
        }
    }
    // Those that part pages join nothing.
    let pages = "[Page 1]\r\n\x0CRFC 1 http://good.example/a\r\n\x0C\r\n";
    for message in everywhere("Content-Type: text/plain; charset=utf-8\r\n", pages) {
        assert!(judge(&message).edits.is_empty());
    }
}

/// Every escape that calls a set is a label to a detector, be it that of ASCII.
#[test]
fn escapes_that_nobody_labelled() {
    for escape in ["\x1B(B", "\x1B(J", "\x1B$B\x1B(B"] {
        let lie = format!("htt{escape}ps://www.paypal.com@evil.example/x");
        for (media, body) in
            [("plain", format!("see {lie} x")), ("html", format!("<a href=\"{lie}\">x</a>"))]
        {
            let fields =
                format!("Content-Type: text/{media}\r\nContent-Transfer-Encoding: base64\r\n");
            class("escapes", Fate::Caught, everywhere(&fields, base64(body.as_bytes())));
        }
    }
}

/// The buttons that Outlook draws, and those of forms, say where they lead as anchors do.
#[test]
fn buttons_that_are_no_anchors() {
    for button in [
        "<v:roundrect href=\"https://evil.example/\" fillcolor=red><center>www.paypal.com</center></v:roundrect>",
        "<!--[if mso]><v:rect href='https://evil.example/'><w:anchorlock/><center>www.paypal.com</center></v:rect><![endif]-->",
        "<form><button formaction=\"https://evil.example/\">www.paypal.com</button></form>",
        "<form action=\"https://evil.example/\"><p><button>www.paypal.com</button></form>",
        "<form action=https://evil.example/><Button type=submit>www.paypal.com</Button></form>",
        "<form action='https://evil.example/'><input name=x><input type=submit value=www.paypal.com></form>",
        "<form action='https://evil.example/'><input type=image src=cid:x alt=www.paypal.com></form>",
        "<form method=post action-xhr='https://evil.example/'><button>www.paypal.com</button></form>",
        "<svg><a xlink:href=\"https://evil.example/\"><text>www.paypal.com</text></a></svg>",
        "<base href=\"https://evil.example/\"><a href=x>www.paypal.com</a>",
        "<a href=x/y>www.paypal.com</a> <p>x</p> <base href=\"https://evil.example/\">",
        "<a href=#x>www.paypal.com</a> <p>x</p> <base href=\"https://evil.example/\">",
        "<base href=\"https://evil.example/\"><a href=''>www.paypal.com</a>",
    ] {
        let fields = "Content-Type: text/html; charset=utf-8\r\n";
        class("buttons", Fate::Reported, everywhere(fields, format!("<p>Hi</p>{button}\r\n")));
    }
    for button in [
        "<v:roundrect href=\"https://www.paypal.com/x\"><center>www.paypal.com</center></v:roundrect>",
        "<form><button>www.paypal.com</button></form>",
        "<form action='https://www.paypal.com/x'><button>www.paypal.com</button></form>",
        "<form action='https://evil.example/'></form><button>www.paypal.com</button>",
        "<form action='https://evil.example/'><input type=url placeholder='https://www.paypal.com/x'></form>",
        "<form action='https://evil.example/'>www.paypal.com <button>go</button></form>",
        "<form action='https://evil.example/'><button type=button>www.paypal.com</button></form>",
        "<svg><a xlink:href=\"https://www.paypal.com/\"><text>www.paypal.com</text></a></svg>",
        "<a href=x>www.paypal.com</a> <base href='https://www.paypal.com/'><base href='https://evil.example/'>",
    ] {
        let fields = "Content-Type: text/html; charset=utf-8\r\n";
        for message in everywhere(fields, format!("<p>Hi</p>{button}\r\n")) {
            assert!(judge(&message).verdict < Verdict::Suspect, "{button}");
        }
    }
}
