//! Words of the filter in a message: on top of it, and in dead buttons. In every charset and encoding,
//! once, and gone with the edits.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

use std::sync::Arc;

use base64::prelude::{BASE64_STANDARD, Engine as _};
use linkmilter::engine::outcome::Bypass;
use linkmilter::engine::policy::{Banner, Defang, Notice, Wording};
use linkmilter::engine::words::{Own, Words};
use linkmilter::engine::{Answers, Contact, Facts, Message, Policy, Side, inspect, splice};
use linkmilter::tld;

/// Punycode of `аррӏе`: a lie in ASCII.
const LIE: &str = "https://xn--80ak6aa92e.com/";
const MARK: &str = "[This message comes from outside the organization.]\r\n\r\n";
const DISABLED: &str = "[Misleading links in this message were disabled.]\r\n\r\n";

fn policy() -> Policy {
    let banner = Banner {
        links: Some(Wording::BuiltIn),
        external: Some(Wording::BuiltIn),
        first_contact: Some(Wording::BuiltIn),
    };
    Policy { banner, ..Policy::default() }
}

fn outside(language: &str) -> Facts {
    let language = Some(language.to_owned());
    Facts { side: Side::Outside, language, ..Facts::default() }
}

/// The body that goes on. A second run changes nothing, and the recipe restores the original.
fn rewritten(head: &str, body: &[u8], policy: &Policy, facts: &Facts) -> Vec<u8> {
    let tlds = tld::builtin();
    let message = Message { head: head.as_bytes(), body };
    let outcome = inspect(message, facts, policy, &tlds).resolve(&Answers::new());
    let whole = |why: &Bypass| *why == Bypass::Opaque;
    assert!(outcome.bypasses.iter().all(|(_, why)| whole(why)), "{head}");
    let whole = outcome.apply(&[head.as_bytes(), b"\r\n", body].concat());
    let new = Message::split(&whole);
    let again = inspect(new, facts, policy, &tlds).resolve(&Answers::new());
    assert_eq!(
        again.edits,
        [],
        "a second run changes nothing: {}",
        String::from_utf8_lossy(new.body)
    );
    if !outcome.edits.is_empty() {
        let restored = splice::restore(new.head, new.body, None, |_| None).unwrap();
        assert_eq!((restored.head, restored.body), (head.as_bytes().to_vec(), body.to_vec()));
    }
    new.body.to_vec()
}

fn marked(head: &str, body: &str) -> String {
    String::from_utf8(rewritten(head, body.as_bytes(), &policy(), &outside("en"))).unwrap()
}

const PLAIN: &str = "MIME-Version: 1.0\r\nContent-Type: text/plain; charset=utf-8\r\n";
const HTML: &str = "MIME-Version: 1.0\r\nContent-Type: text/html; charset=utf-8\r\n";

#[test]
fn text_is_marked_on_top() {
    assert_eq!(marked(PLAIN, "hello\r\n"), format!("{MARK}hello\r\n"));
    let lie = format!("{LIE} is what it says\r\n");
    let dead = "hxxps://xn--80ak6aa92e[.]com/ is what it says\r\n";
    assert_eq!(marked(PLAIN, &lie), format!("{MARK}{DISABLED}{dead}"));
}

#[test]
fn pages_are_marked_behind_their_body_tag() {
    let html = "<p dir=\"auto\"><strong>This message comes from outside the organization.</strong></p><hr>";
    for (before, behind) in [
        (
            "<html><head><title>x</title></head><body bgcolor=white>",
            "<p>hello</p></body></html>\r\n",
        ),
        ("<style>p{color:red}</style>\r\n", "<p>hello</p>\r\n"),
        ("", "hello <b>you</b>\r\n"),
    ] {
        let found = marked(HTML, &format!("{before}{behind}"));
        assert_eq!(found, format!("{before}\r\n{html}\r\n{behind}"));
    }
}

#[test]
fn every_alternative_is_marked_and_nothing_else() {
    let head = "MIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=m\r\n";
    let body = "--m\r\nContent-Type: multipart/alternative; boundary=a\r\n\r\n--a\r\n\
        Content-Type: text/plain\r\n\r\none\r\n--a\r\nContent-Type: text/html\r\n\r\n<p>two</p>\r\n--a--\r\n\
        --m\r\nContent-Type: text/plain\r\n\r\nthree\r\n--m\r\nContent-Type: text/plain\r\n\
        Content-Disposition: attachment\r\n\r\nfour\r\n--m--\r\n";
    let found = marked(head, body);
    assert_eq!(found.matches("comes from outside").count(), 2, "{found}");
    assert!(found.contains(&format!("{MARK}one")) && found.contains("\r\n\r\nthree"), "{found}");
}

#[test]
fn what_is_signed_or_encrypted_is_not_marked() {
    let head = "MIME-Version: 1.0\r\nContent-Type: multipart/signed; boundary=s; \
        protocol=\"application/pgp-signature\"\r\n";
    let body = "--s\r\nContent-Type: text/plain\r\n\r\nsigned\r\n--s\r\n\
        Content-Type: application/pgp-signature\r\n\r\nx\r\n--s--\r\n";
    assert_eq!(marked(head, body), body);
    let head = "MIME-Version: 1.0\r\nContent-Type: multipart/encrypted; boundary=s; \
        protocol=\"application/pgp-encrypted\"\r\n";
    let body = "--s\r\nContent-Type: application/pgp-encrypted\r\n\r\nVersion: 1\r\n--s\r\n\
        Content-Type: application/octet-stream\r\n\r\nx\r\n--s--\r\n";
    assert_eq!(marked(head, body), body);
}

#[test]
fn words_are_in_the_charset_and_the_encoding_of_their_part() {
    let base64 = |bytes: &[u8]| -> String {
        use std::process::{Command, Stdio};
        let mut child =
            Command::new("base64").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        std::io::Write::write_all(&mut child.stdin.take().unwrap(), bytes).unwrap();
        let text = String::from_utf8(child.wait_with_output().unwrap().stdout).unwrap();
        text.replace('\n', "\r\n")
    };
    let wide = |text: &str| -> Vec<u8> { text.encode_utf16().flat_map(u16::to_le_bytes).collect() };
    let russian = "Это письмо пришло из-за пределов организации.";
    for (charset, encoding, body) in [
        ("utf-8", "8bit", "привет\r\n".as_bytes().to_vec()),
        ("utf-8", "quoted-printable", b"=D0=BF\r\n".to_vec()),
        ("utf-8", "base64", base64("привет\r\n".as_bytes()).into_bytes()),
        ("koi8-r", "quoted-printable", b"=D0\r\n".to_vec()),
        ("utf-16le", "base64", base64(&wide("\u{feff}hello\r\n")).into_bytes()),
    ] {
        let head = format!(
            "MIME-Version: 1.0\r\nContent-Type: text/plain; charset={charset}\r\n\
             Content-Transfer-Encoding: {encoding}\r\n"
        );
        let new = rewritten(&head, &body, &policy(), &outside("ru"));
        let whole = [head.as_bytes(), b"\r\n", &new].concat();
        let parsed = mail_parser::MessageParser::new().parse(&whole).unwrap();
        let text = parsed.body_text(0).unwrap();
        assert!(
            text.trim_start_matches('\u{feff}').starts_with(&format!("[{russian}]")),
            "{charset} {encoding}: {text}"
        );
    }
    let ascii = "MIME-Version: 1.0\r\nContent-Type: text/plain; charset=us-ascii\r\n";
    let new = rewritten(ascii, b"hello\r\n", &policy(), &outside("ru"));
    assert_eq!(new, format!("{MARK}hello\r\n").into_bytes());
}

/// A text that holds ASCII alone has one language with the notices, where that can be written so.
#[test]
fn words_are_ascii_where_the_part_holds_no_others() {
    let ascii = "Content-Type: text/plain; charset=us-ascii\r\n";
    for (language, said) in [
        ("de", "Diese Nachricht kommt von ausserhalb der Organisation."),
        ("fr-CA", "Ce message ne vient pas de l'organisation."),
        ("es", "Este mensaje viene del exterior."),
        ("zh-TW", "This message comes from outside the organization."),
    ] {
        let mark = format!("[{said}]\r\n\r\n");
        let new = rewritten(ascii, b"hello\r\n", &policy(), &outside(language));
        assert_eq!(String::from_utf8(new).unwrap(), format!("{mark}hello\r\n"), "{language}");
        let marked = format!("{mark}hello\r\n");
        assert_eq!(
            rewritten(ascii, marked.as_bytes(), &policy(), &outside(language)),
            marked.as_bytes(),
            "said once, {language}"
        );
    }
    let eight = "Content-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: 8bit\r\n";
    let new = rewritten(eight, "您好\r\n".as_bytes(), &policy(), &outside("zh-Hant-HK"));
    let new = String::from_utf8(new).unwrap();
    assert!(new.starts_with("[此郵件來自組織外部。]\r\n"), "{new}");
}

#[test]
fn an_operator_has_words_of_his_own() {
    let own = "{host}: {reason}. Ask <help@example.org> & co.";
    let banner = Banner { links: Some(Wording::Own(own.to_owned())), ..Banner::default() };
    let policy = Policy { banner, ..Policy::default() };
    let body = format!("<body><a href=\"{LIE}\">here</a></body>\r\n");
    let new = rewritten(HTML, body.as_bytes(), &policy, &Facts::default());
    let new = String::from_utf8(new).unwrap();
    assert!(new.starts_with("<body>\r\n<p dir=\"auto\"><strong>xn--80ak6aa92e[.]com: "), "{new}");
    assert!(
        new.contains("Ask &lt;help@example.org&gt; &amp; co.</strong></p><hr>\r\n<a data-unsafe"),
        "{new}"
    );
}

/// A rule defangs good links as well, and those without a host.
#[test]
fn a_link_that_a_rule_defangs_does_not_mislead() {
    let own = "{host} ({reason})";
    let banner = |links| Banner { links: Some(links), ..Banner::default() };
    let policy = |links| Policy {
        defang: Defang::All,
        notice: Notice::Inline,
        banner: banner(links),
        ..Policy::default()
    };
    let said = |body: &str, links| {
        let new = rewritten(PLAIN, body.as_bytes(), &policy(links), &outside("en"));
        String::from_utf8(new).unwrap()
    };
    let good = "https://a.example.com/\r\n";
    assert_eq!(
        said(good, Wording::BuiltIn),
        "[Links in this message were disabled.]\r\n\r\nhxxps://a[.]example[.]com/ [link disabled]\r\n"
    );
    let both = said(&format!("{good}{LIE}\r\n"), Wording::BuiltIn);
    assert!(both.starts_with(DISABLED), "{both}");
    assert!(both.contains("[link disabled]") && both.contains("[misleading link, disabled]"));
    let own = || Wording::Own(own.to_owned());
    let many: String = (0..5).map(|at| format!("https://h{at}.example.com/\r\n")).collect();
    for (body, expected) in [
        (good, "[a[.]example[.]com (a rule of this mail server)]"),
        (
            &many,
            "[h0[.]example[.]com, h1[.]example[.]com, h2[.]example[.]com, 2 more \
             (a rule of this mail server)]",
        ),
    ] {
        let new = said(body, own());
        assert!(new.starts_with(expected), "{new}");
    }
    let page = "<body><a href=\"javascript:evil()\">here</a></body>\r\n";
    let new = rewritten(HTML, page.as_bytes(), &policy(own()), &Facts::default());
    let new = String::from_utf8(new).unwrap();
    assert!(new.contains("<strong>a link (its scheme runs code"), "{new}");
}

/// A language that nobody thought of, by the operator's file; what it does not say stays as it is.
#[test]
fn an_operator_has_languages_of_his_own() {
    let text = |text: &str| Some(text.to_owned());
    let dutch = Own {
        notice: text("misleidende link, uitgeschakeld"),
        links: text("Links naar {host} zijn uitgeschakeld."),
        external: text("Dit bericht komt van buiten."),
        ..Own::default()
    };
    let greek = Own {
        notice: text("σύνδεσμος"), external: text("απ' έξω"), ..Own::default()
    };
    let words = Words::new([("nl".to_owned(), dutch), ("el".to_owned(), greek)].into());
    let policy = Policy { notice: Notice::Inline, words: Arc::new(words), ..policy() };
    let body = format!("{LIE} h\u{e9}llo\r\n");
    for (language, expected) in [
        (
            "nl-BE",
            "[Dit bericht komt van buiten.]\r\n\r\n[Links naar xn--80ak6aa92e[.]com zijn uitgeschakeld.]\r\n\r\n\
             hxxps://xn--80ak6aa92e[.]com/ [misleidende link, uitgeschakeld] h\u{e9}llo\r\n",
        ),
        (
            "el",
            "[απ' έξω]\r\n\r\n[Misleading links in this message were disabled.]\r\n\r\n\
             hxxps://xn--80ak6aa92e[.]com/ [σύνδεσμος] h\u{e9}llo\r\n",
        ),
        (
            "de",
            "[Diese Nachricht kommt von außerhalb der Organisation.]\r\n\r\n\
             [In dieser Nachricht wurden irreführende Links deaktiviert.]\r\n\r\n\
             hxxps://xn--80ak6aa92e[.]com/ [irreführender Link, deaktiviert] h\u{e9}llo\r\n",
        ),
    ] {
        let eight = format!("{PLAIN}Content-Transfer-Encoding: 8bit\r\n");
        let new = rewritten(&eight, body.as_bytes(), &policy, &outside(language));
        assert_eq!(String::from_utf8(new).unwrap(), expected);
        // The message says so itself.
        let head = format!("{eight}Content-Language: {language}\r\n");
        let facts = Facts { side: Side::Outside, ..Facts::default() };
        let new = rewritten(&head, body.as_bytes(), &policy, &facts);
        assert_eq!(String::from_utf8(new).unwrap(), expected);
    }
    // Where a part holds ASCII alone: what the operator did not say in ASCII is English.
    let ascii = "MIME-Version: 1.0\r\nContent-Type: text/plain; charset=us-ascii\r\n";
    let new = rewritten(ascii, format!("{LIE}\r\n").as_bytes(), &policy, &outside("el"));
    let new = String::from_utf8(new).unwrap();
    assert!(new.starts_with(MARK) && new.contains("[misleading link, disabled]"), "{new}");
}

/// Somebody outside who begins with a mark that this host would not write does not get around it.
#[test]
fn words_of_a_stranger_count_when_they_are_what_would_be_written() {
    let own = |words: &str| {
        let banner = Banner { external: Some(Wording::Own(words.to_owned())), ..Banner::default() };
        Policy { banner, ..Policy::default() }
    };
    let japanese = "[このメッセージは組織の外部から届きました。]";
    let english = MARK.trim();
    for (begin, policy, language, marked) in [
        (english, policy(), "en", false),
        (japanese, policy(), "en", true),
        (english, policy(), "ja", false),
        (japanese, policy(), "ja", false),
        (english, own("from outside"), "en", true),
        ("[from outside]", own("from outside"), "en", false),
        ("[from outside]", own("From outside"), "en", true),
    ] {
        let body = format!("{begin}\r\n\r\nhello\r\n");
        let new = rewritten(PLAIN, body.as_bytes(), &policy, &outside(language));
        assert_eq!(new.len() > body.len(), marked, "{begin} {language}");
    }
}

/// Another host of the organisation, of another language, edited it and sealed its recipe.
#[test]
fn a_mark_of_the_organisation_counts_in_every_language() {
    let seal = |key: &str| Policy { seal_key: Some(key.as_bytes().into()), ..policy() };
    let tlds = tld::builtin();
    let marked_by = |policy: &Policy, language: &str, whole: &[u8]| {
        let facts = outside(language);
        let outcome = inspect(Message::split(whole), &facts, policy, &tlds);
        outcome.resolve(&Answers::new()).apply(whole).to_vec()
    };
    let body = format!("{LIE} hello\r\n");
    let whole = [PLAIN.as_bytes(), b"\r\n", body.as_bytes()].concat();
    let first = marked_by(&seal("ours"), "ja", &whole);
    let body = |whole: &[u8]| Message::split(whole).body.to_vec();
    assert_eq!(body(&marked_by(&seal("ours"), "en", &first)), body(&first));
    let theirs = marked_by(&seal("theirs"), "en", &first);
    assert!(body(&theirs).starts_with(MARK.as_bytes()));
}

/// What a second host finds to defang is said by the words of the first.
#[test]
fn links_are_said_to_be_disabled_once() {
    for mark in [MARK, ""] {
        let body = format!("{mark}{DISABLED}and {LIE}\r\n");
        let expected = body.replace("https", "hxxps").replace(".com", "[.]com");
        let facts = if mark.is_empty() { Facts::default() } else { outside("en") };
        let new = rewritten(PLAIN, body.as_bytes(), &policy(), &facts);
        assert_eq!(String::from_utf8(new).unwrap(), expected);
    }
}

/// A message without a body has no place for a word, and an empty part nobody reads.
#[test]
fn what_says_nothing_is_not_marked() {
    for (head, body) in [(PLAIN, ""), (PLAIN, "\r\n"), (HTML, " \r\n")] {
        assert_eq!(marked(head, body), body);
    }
}

#[test]
fn nobody_is_marked_unasked() {
    for (policy, facts) in [
        (Policy::default(), outside("en")),
        (policy(), Facts::default()),
        (Policy { exempt: Some("x".to_owned()), ..policy() }, outside("en")),
    ] {
        assert_eq!(rewritten(PLAIN, b"hello\r\n", &policy, &facts), b"hello\r\n");
    }
}

/// A button and a picture say nothing by themselves: the notice stands in them, and in a title.
#[test]
fn dead_buttons_and_pictures_say_so() {
    let policy = Policy { notice: Notice::Inline, ..Policy::default() };
    let sign = "[irref&#xFC;hrender Link, deaktiviert] ";
    let title = "<a title=\"irref&#xFC;hrender Link, deaktiviert\" ";
    for (body, expected) in [
        (format!("<p><a href=\"{LIE}\">Pay now</a></p>\r\n"), format!("{sign}Pay now</a>")),
        (format!("<a class=b href='{LIE}' title=x><img src=cid:1></a>\r\n"), format!("{sign}<img")),
        (format!("<a href={LIE} href={LIE}b>Pay</a>\r\n"), format!("{sign}Pay")),
        (format!("<a href={LIE}><a href={LIE}b>Pay</a>\r\n"), format!("{sign}{title}")),
    ] {
        let new = rewritten(HTML, body.as_bytes(), &policy, &outside("de"));
        let new = String::from_utf8(new).unwrap();
        assert!(new.contains(&expected) && new.contains(title), "{new}");
    }
    // An element without a text of its own has the title alone.
    let body = format!("<map><area href=\"{LIE}\"></map>\r\n");
    let new = String::from_utf8(rewritten(HTML, body.as_bytes(), &policy, &outside("de"))).unwrap();
    let area = "<area title=\"irref&#xFC;hrender Link, deaktiviert\" ";
    assert!(new.contains(area) && new.matches("deaktiviert").count() == 1, "{new}");
    // A visible link that is dead says so itself, once.
    let body = format!("<a href=\"{LIE}\">{LIE}</a>\r\n");
    let new = String::from_utf8(rewritten(HTML, body.as_bytes(), &policy, &outside("de"))).unwrap();
    assert_eq!(new.matches("deaktiviert").count(), 1, "{new}");
    // Where markup would be shown, and where nobody sees it, there is none.
    for body in [
        format!("<textarea><a href=\"{LIE}\">x</a></textarea>\r\n"),
        format!("<div style=\"display:none\"><a href=\"{LIE}\">x</a></div>\r\n"),
    ] {
        let new =
            String::from_utf8(rewritten(HTML, body.as_bytes(), &policy, &outside("de"))).unwrap();
        assert!(!new.contains("title=") && !new.contains("] x"), "{new}");
    }
}

/// A further line, behind the one of mail from outside and before the one of links.
#[test]
fn an_author_that_nobody_knows_is_said_to_be_unknown() {
    let first = |side: Side, language: &str| Facts {
        side,
        contact: Contact::First,
        language: Some(language.to_owned()),
        ..Facts::default()
    };
    let said = |facts: &Facts, policy: &Policy| {
        String::from_utf8(rewritten(PLAIN, format!("{LIE}\r\n").as_bytes(), policy, facts)).unwrap()
    };
    let unknown = "[No earlier message from this address is known here.]\r\n\r\n";
    let new = said(&first(Side::Outside, "en"), &policy());
    assert!(new.starts_with(&format!("{MARK}{unknown}{DISABLED}hxxps://")), "{new}");
    let german = "[Diese Nachricht kommt von außerhalb der Organisation.]\r\n\r\n\
        [Von dieser Adresse ist hier keine frühere Nachricht bekannt.]\r\n\r\n[In dieser";
    let eight = format!("{PLAIN}Content-Transfer-Encoding: 8bit\r\n");
    let body = format!("{LIE} h\u{e9}\r\n");
    let new = rewritten(&eight, body.as_bytes(), &policy(), &first(Side::Outside, "de"));
    assert!(String::from_utf8(new).unwrap().starts_with(german));
    // Neither of mail of the organisation, nor where nobody asked for it.
    assert!(!said(&first(Side::Unknown, "en"), &policy()).contains(unknown.trim()));
    let banner = Banner { first_contact: None, ..policy().banner };
    assert!(
        !said(&first(Side::Outside, "en"), &Policy { banner, ..policy() }).contains(unknown.trim())
    );
    let banner = Banner {
        first_contact: Some(Wording::Own("New to us: {host}".to_owned())),
        ..policy().banner
    };
    let new = said(&first(Side::Outside, "en"), &Policy { banner, ..policy() });
    assert!(new.starts_with(&format!("{MARK}[New to us: {{host}}]\r\n\r\n{DISABLED}")), "{new}");
    // A page has it in a paragraph of its own.
    let new = rewritten(HTML, b"<body>hello\r\n", &policy(), &first(Side::Outside, "en"));
    let new = String::from_utf8(new).unwrap();
    let paragraph =
        "<p dir=\"auto\"><strong>No earlier message from this address is known here.</strong></p>";
    assert!(new.contains(paragraph), "{new}");
}

/// A part of one line has no line end of its own.
#[test]
fn lines_of_a_banner_end_as_those_of_the_message() {
    let html = format!("<p>{LIE}x</p>");
    let base64 = BASE64_STANDARD.encode(&html);
    for (encoding, content) in [("7bit", html.as_str()), ("base64", base64.as_str())] {
        let head = "MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=B\n";
        let part = format!(
            "--B\nContent-Type: text/html\nContent-Transfer-Encoding: {encoding}\n\n{content}\n--B--\n"
        );
        let new = marked(head, &part);
        let said = match encoding {
            "base64" => {
                let (_, body) = new.split_once("\n\n").unwrap();
                let data: String = body.lines().take_while(|line| *line != "--B--").collect();
                String::from_utf8(BASE64_STANDARD.decode(data).unwrap()).unwrap()
            }
            _ => new.clone(),
        };
        assert!(said.contains("<hr>") && !said.contains('\r') && !new.contains('\r'), "{said}");
    }
}
