//! What only looks dangerous: content that a message carries in a URL, and scripts that do nothing.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

mod common;

use linkmilter_engine::Verdict;

/// Whether the filter edits the body.
fn is_edited(kind: &str, body: &str) -> bool {
    common::is_edited(&format!("{kind}; charset=utf-8"), body.as_bytes())
}

#[test]
fn pictures_and_documents_of_cards_and_calendars_are_content() {
    for line in [
        "PHOTO:data:image/jpeg;base64,/9j/4AAQSkZJRgABAQAAAQABAAD/2w==",
        "PHOTO:DATA:IMAGE/PNG;base64,iVBO",
        "LOGO;PREF=1:data:image/gif;base64,R0lG",
        "SOUND:data:audio/ogg;base64,T2dn",
        "KEY:data:application/pgp-keys;base64,mQEN",
        "KEY;MEDIATYPE=application/pkix-cert:data:application/pkix-cert;base64,MIIB",
        "IMAGE;VALUE=URI;DISPLAY=BADGE;FMTTYPE=image/png:data:image/png;base64,iVBO",
        "ATTACH:data:application/pdf;base64,JVBE",
    ] {
        for (kind, object) in [("text/vcard", "VCARD"), ("text/calendar", "VCALENDAR")] {
            let body = format!("BEGIN:{object}\r\n{line}\r\nEND:{object}\r\n");
            assert!(!is_edited(kind, &body), "{kind} {line}");
        }
    }
    for line in [
        "PHOTO:data:text/html;base64,PHNjcmlwdD4=",
        "PHOTO:data:image/svg+xml,<svg/>",
        "PHOTO:data: text/html ,<script>",
        "URL:data:application/xhtml+xml,<html/>",
        "ATTACH:data:application/javascript,alert(1)",
        "ATTACH:data:application/octet-stream;base64,TVqQ",
        "SOUND:javascript:alert(1)",
    ] {
        let body = format!("BEGIN:VCARD\r\n{line}\r\nEND:VCARD\r\n");
        assert!(is_edited("text/vcard", &body), "{line}");
    }
}

#[test]
fn tables_and_documents_of_a_page_are_content() {
    for html in [
        "<a download=\"x.csv\" href=\"data:text/csv;charset=utf-8,a;b\">CSV</a>",
        "<a href=\"data:text/plain,hello\">x</a>",
        "<a download href=\"data:application/json,[]\">x</a>",
        "<a download href=\"data:text/json;charset=utf-8,[]\">x</a>",
        "<a download=\"a.csv\" href=\"data:application/csv;charset=utf-8,a\">x</a>",
        "<a download href=\"data:text/comma-separated-values,a\">x</a>",
        "<object data=\"data:application/pdf;base64,JVBE\"></object>",
        "<embed src=\"data:application/pdf;base64,JVBE\">",
    ] {
        assert!(!is_edited("text/html", &format!("{html}\r\n")), "{html}");
    }
    for html in [
        "<a href=\"data:text/html,<b>x</b>\">x</a>",
        "<a href=\" data:\ttext/html,a\">x</a>",
        "<a href=\"data:image/svg+xml,a\">x</a>",
        "<a href=\"data:text/xml,a\">x</a>",
        "<a href=\"data:application/pdf;base64,JVBE\">x</a>",
        "<a download href=\"data:text/calendar,BEGIN:VCALENDAR\">x</a>",
        "<a download href=\"data:application/vnd.ms-excel,a\">x</a>",
        "<a download=\"a.exe\" href=\"data:application/octet-stream;base64,TVqQ\">x</a>",
        "<script src=\"data:text/javascript,alert(1)\"></script>",
        "<script src=\"data:text/plain,alert(1)\"></script>",
        "<object data=\"data:text/html,a\"></object>",
        "<iframe src=\"data:text/html;x=text/csv,a\"></iframe>",
    ] {
        assert!(is_edited("text/html", &format!("{html}\r\n")), "{html}");
    }
}

#[test]
fn scripts_that_do_nothing_are_reported() {
    for script in [
        ";", "", "//", "void 0", "false;", "{}", "history.back()", "history.go(-1)",
        "history.back(-1)", "window.print()", "void(window.print());", "%20void(0)",
    ] {
        let body = format!("<a href=\"javascript:{script}\">x</a>\r\n");
        assert!(!is_edited("text/html", &body), "{script}");
    }
    for script in
        ["alert(1)", ";alert(1)", "//%0aalert(1)", "window.print(alert(1))", "void(alert(1))"]
    {
        let body = format!("<a href=\"javascript:{script}\">x</a>\r\n");
        assert!(is_edited("text/html", &body), "{script}");
    }
}

#[test]
fn the_dot_of_a_turkish_capital_is_not_edited() {
    for text in [
        "www.firma.com.tr → www.fi\u{307}rma.com.tr",
        "bi\u{307}lgi\u{307}@i\u{307}tü.edu.tr",
        "WWW.FI\u{307}RMA.COM.TR  I\u{307}NFO@FI\u{307}RMA.COM.TR  WWW.TÜRKI\u{307}YE.GOV.TR",
        "WWW.TU\u{308}RKI\u{307}YE.GOV.TR",
        "www.i\u{307}stanbul-otel.com https://I\u{307}STANBUL-OTEL.COM/",
        "E-POSTA: ALİ.VELİ@GMAİL.COM, AYSE@HOTMAI\u{307}L.COM",
    ] {
        for kind in ["text/plain", "text/html"] {
            assert!(!is_edited(kind, &format!("{text}\r\n")), "{kind} {text}");
        }
    }
    for text in [
        "https://NETFLİX.COM/",
        "https://NETFLI\u{307}X.COM/",
        "https://netflİx.com/",
        "https://NetflI\u{307}x.com/",
        "https://www.netfli\u{307}x.com/",
        "ali@gmai\u{307}l.com",
        "ali@gmaİl.com",
        "https://www.i\u{307}\u{307}stanbul-otel.com/",
        "https://www.i\u{307}stanbu\u{307}l-otel.com/",
        "https://www.i\u{307}st\u{430}nbul-otel.com/",
    ] {
        assert!(is_edited("text/plain", &format!("{text}\r\n")), "{text}");
    }
}

#[test]
fn links_to_local_files_are_not_edited() {
    for url in ["file:///C:/Users/a/Plan.docx#_Toc1", "file:///S:\\daten\\a.xlsx", "file:///tmp/a"]
    {
        for body in [
            format!("<a href=\"{url}\">x</a>"),
            format!("<base href=\"{url}\"><a href=\"#a\">x</a>"),
            format!("<img src=\"{url}\">"),
        ] {
            assert!(!is_edited("text/html", &body), "{body}");
        }
    }
    // Another machine gets a hash of the reader's password.
    let body = "<a href=\"file://evil.com/share/a.docx\">x</a>";
    assert!(is_edited("text/html", body));
}

/// Apple Mail, Word and Gmail put white space and words into elements, which no style hides.
#[test]
fn words_on_both_sides_of_an_element() {
    for body in [
        "<p>Договор: ООО<b> «Ромашка», </b>romashka.ru</p>",
        "<p>с<span class=\"Apple-converted-space\">&nbsp;</span>example.com</p>",
        "<p><span lang=RU>о</span><span lang=EN-US> </span><span lang=EN-US>example.com</span></p>",
        "<style>p.MsoNormal{margin:0cm} a{text-decoration:none}</style><p>ο<b> </b>example.com</p>",
        "<style>.preheader{display:none}</style><p>с<b> нами </b>example.com</p>",
        "<p>https://firma.de<span class=\"Apple-converted-space\">&nbsp;</span>или\
         <span class=\"Apple-converted-space\">&nbsp;</span>firma@example.com</p>",
    ] {
        assert!(!is_edited("text/html", body), "{body}");
    }
    for body in [
        "<style>.x{display:none}</style>https://ра<b class=x>junk </b>ypal.com",
        "https://ра<b style='position:absolute;left:-9999px'>junk </b>ypal.com",
        "https://ра<title>junk</title>ypal.com",
    ] {
        assert!(is_edited("text/html", body), "{body}");
    }
}

/// Joiners keep programs from linking, and word processors put signs into hosts: such a host is dead, or what it reads as.
#[test]
fn signs_that_no_registry_takes() {
    for host in [
        "booking\u{200c}.com",
        "exam\u{200c}ple.com",
        "\u{200c}www.example.com",
        "https://www.coca\u{2011}cola.com/",
        "info@my\u{2010}shop.de",
        "http://“www.example.com/",
    ] {
        assert!(!is_edited("text/plain", &format!("see {host} now")), "{host}");
        assert!(!is_edited("text/html", &format!("<a href=\"{host}\">x</a>")), "{host}");
    }
    for host in ["https://ра\u{200c}ypal.com", "https://www.paypal.com\u{2011}login.com/"] {
        assert!(is_edited("text/html", &format!("<a href=\"{host}\">x</a>")), "{host}");
    }
}

/// In scripts without blanks an address follows a URL directly. A host that readers know is no trap.
#[test]
fn an_address_of_a_known_host_behind_a_url() {
    for text in [
        "官网：http://www.firma.com.cn邮箱:firma@163.com",
        "홈페이지:http://www.firma.co.kr이메일:firma@naver.com",
        "https://firma.de·firma@gmail.com",
        "name=Firma&url=https://firma.de&email=firma@gmail.com",
    ] {
        assert!(!is_edited("text/plain", text), "{text}");
    }
    for text in [
        "官网：http://www.paypal.com邮箱:firma@evil.example",
        "https://раypal.com邮箱:firma@gmail.com",
        "http://www.firma.com.cn登录@evil.example",
        "https://www.paypal.com邮箱:firma@evil.blogspot.com",
    ] {
        assert!(is_edited("text/plain", text), "{text}");
    }
}

/// A calendar with an alternative page of its description, percent-encoded.
fn alternative(page: &str) -> String {
    let mut encoded = String::new();
    for byte in page.bytes() {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.') {
            encoded.push(char::from(byte));
        } else {
            encoded.push_str(&format!("%{byte:02X}"));
        }
    }
    format!(
        "BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nDESCRIPTION;ALTREP=\"data:text/html,{encoded}\":Agenda\r\n\
        END:VEVENT\r\nEND:VCALENDAR\r\n"
    )
}

#[test]
fn the_alternative_page_of_a_description_is_read_as_a_page() {
    for page in [
        "<body>Agenda</body>",
        "<body><a href=\"https://www.example.com/\">Agenda</a> info@example.org</body>",
        "<p>Grüße; 100 %</p>",
    ] {
        assert!(!is_edited("text/calendar", &alternative(page)), "{page}");
    }
    for page in [
        "<a href=\"https://p\u{430}ypal.com/\">Agenda</a>",
        "<a href=\"javascript:alert(1)\">Agenda</a>",
        "<p>https://p\u{430}ypal.com/</p>",
        "<p>p\u{430}y<b>pal.com</b></p>",
    ] {
        let body = alternative(page);
        let after = common::filtered("Content-Type: text/calendar; charset=utf-8", body.as_bytes());
        let after = String::from_utf8(after).unwrap();
        assert_ne!(after, body, "{page}");
        let quotes = |text: &str| text.matches('"').count();
        assert_eq!(quotes(&after), 2, "{after}");
        assert!(after.contains(":Agenda\r\nEND:VEVENT"), "{after}");
    }
    for value in
        ["data:text/html;base64,PGI+", "data:image/svg+xml,<svg/>", "javascript:alert(1.0)"]
    {
        let body =
            format!("BEGIN:VCALENDAR\r\nSUMMARY;ALTREP=\"{value}\":x.y\r\nEND:VCALENDAR\r\n");
        assert!(is_edited("text/calendar", &body), "{value}");
    }
    let body = "BEGIN:VCALENDAR\r\nATTENDEE;DIR=\"data:text/html,x.com\":mailto:a@b.com\r\nEND:VCALENDAR\r\n";
    assert!(is_edited("text/calendar", body));
}

#[test]
fn programs_that_open_what_they_say() {
    for url in [
        "zoommtg://zoom.us/join?confno=123&pwd=abc",
        "ms-word:ofe|u|https://contoso.sharepoint.com/sites/a/b.docx",
        "ms-excel:ofv|u|https://files.mybank.com/b.xlsx",
        "onenote:https://contoso-my.sharepoint.com/personal/ann/Documents/a%20b",
        "ms-teams:/l/chat/0/0?users=ann@example.com",
        "smb://server/share/plan.pdf",
        "\\\\server\\share\\plan.pdf",
        "file://server/share/plan.pdf",
        "afp://192.168.0.2/share",
        "file:///\\\\mybank.com\\dfs\\plan%202026.xlsx",
        "file://fs01.corp.mybank.com/x",
        "\\\\MYBANK.com\\dfs",
        "file://nas.fritz.box/x",
        "smb://fs01.firma.intern/x",
        "javascript:window.location.reload()",
    ] {
        assert!(!is_edited("text/html", &format!("<a href=\"{url}\">x</a>\r\n")), "{url}");
    }
    for url in [
        "zoommtg://zoom.us.evil.com/join",
        "zoommtg://p\u{430}ypal.com/join",
        "ms-word:ofe|u|https://evil.com/b.docm",
        "ms-word:ofe|u|https://sharepoint.com@evil.com/b.docm",
        "ms-word:ofe|u|https://evil-sharepoint.com/b.docm",
        "ms-msdt:/id",
        "search-ms:query=x&crumb=location:\\\\evil.com",
        "smb://evil.com/share",
        "\\\\evil.com\\share",
        "file://evil.com/share",
        "smb://16909060/share",
        "file://mybank.com.evil.com/x",
        "file://evil-mybank.com/x",
        "file://mybank.com@evil.com/x",
        "\\\\mybank.com@80\\x",
        "ms-word:ofe|u|file://mybank.com/x",
        "javascript:window.location='https://evil.com'",
    ] {
        assert!(is_edited("text/html", &format!("<a href=\"{url}\">x</a>\r\n")), "{url}");
    }
}

/// In a style sheet a backslash begins an escape, and who writes a path of Windows there means none.
#[test]
fn paths_of_windows_in_style_sheets_are_read_as_they_are_written() {
    for path in [
        r"file:///\\\\fs01\\daten\\x.gif",
        r"file:///\\fs01\vorlagen\image001.gif",
        r"file:///\\fs01\daten\x.gif",
        r"file:///\\192.168.1.5\daten\x.jpg",
        r"\\fs01\vorlagen\image001.gif",
    ] {
        for page in [
            format!("<style>p{{background:url(\"{path}\")}}</style>"),
            format!("<p style=\"background:url('{path}')\">x</p>"),
        ] {
            assert!(!is_edited("text/html", &page), "{page}");
        }
    }
    for path in [
        r"file:///\\fs01\2e evil.com/x.gif",
        r"file:///\\fs01.evil.com",
        r"file:///\\fs01\x.evil.com",
        r"file:///\\\\evil.com\\daten\\x.gif",
        r"file:///\\fs01\@evil.com\x",
        r"file:///\\evil.com\vorlagen\x.gif",
        r"file:///\\31 .31 .31 .31 ",
    ] {
        let page = format!("<style>p{{background:url(\"{path}\")}}</style>");
        assert!(is_edited("text/html", &page), "{page}");
    }
}

/// Word processors write a dash for a hyphen, also in a host.
#[test]
fn a_dash_in_a_host_of_nobody_known() {
    for text in ["https://www.m\u{fc}nchen\u{2013}k\u{f6}ln.com/", "//www.\u{e9}a\u{2013}b.org"] {
        assert!(!is_edited("text/plain", &format!("see {text}\r\n")), "{text}");
    }
    for text in [
        "https://www.p\u{430}ypal\u{2013}k\u{f6}ln.com/",
        "https://apple\u{2013}\u{ef}d.example.com/",
        "https://www.paypal\u{2013}l\u{f6}gin.com/",
    ] {
        assert!(is_edited("text/plain", &format!("see {text}\r\n")), "{text}");
    }
}

/// Libraries that translate programs enclose what they insert.
#[test]
fn isolates_around_a_whole_host_are_not_edited() {
    for (open, close) in
        [("\u{2068}", "\u{2069}"), ("\u{2066}", "\u{2069}"), ("\u{2067}", "\u{2069}")]
    {
        for host in ["booking.com", "www.paypal.com", "huber.de"] {
            for text in [
                format!("https://{open}{host}{close}/ now"),
                format!("{open}{host}{close} now"),
                format!("{open}ann@{host}{close} now"),
                format!("https://{open}{host}{close}/a now"),
            ] {
                common::untouched("text/plain; charset=utf-8", text.as_bytes());
            }
        }
    }
    for text in [
        "https://\u{2068}booking.com/ now",
        "https://book\u{2068}ing\u{2069}.com/ now",
        "https://\u{2068}p\u{430}ypal.com\u{2069}/ now",
        "https://\u{2068}www.paypal.com\u{2069}@example.org/ now",
        "https://\u{202E}booking.com\u{202C}/ now",
    ] {
        common::edited("text/plain; charset=utf-8", text.as_bytes());
    }
}

#[test]
fn soft_breaks_in_a_host_of_text_are_a_notice() {
    let worst = |html: &str| {
        let outcome = common::outcome("Content-Type: text/html; charset=utf-8", html.as_bytes());
        outcome.findings.iter().map(|finding| finding.verdict).max()
    };
    let honest = "<p>db-prod-<wbr>01.huber.<wbr>de, https://www.huber-<wbr>meier.de/</p>";
    assert!(worst(honest) <= Some(linkmilter_engine::Verdict::Notice));
    for html in ["<p>p\u{430}y<wbr>pal.com</p>", "<p>www.p\u{430}y<wbr>pal.com</p>"] {
        common::edited("text/html; charset=utf-8", html.as_bytes());
    }
    assert!(
        worst("<p>www.pay<wbr>pal.com</p>") >= Some(linkmilter_engine::Verdict::Suspect),
        "a known name is cut for filters"
    );
    for shown in ["huber-<wbr>meier.de", "www.huber-<wbr>meier.de"] {
        let own = format!("<a href=\"https://www.huber-meier.de/\">{shown}</a>");
        assert!(worst(&own) <= Some(linkmilter_engine::Verdict::Notice), "{own}");
    }
    let linked = "<a href=\"https://example.org/\">www.huber-<wbr>meier.de</a>";
    assert!(worst(linked) >= Some(linkmilter_engine::Verdict::Suspect));
}

#[test]
fn markup_that_a_text_quotes_is_reported() {
    for quoted in [
        "<a href=\"javascript:alert(1)\">x</a>",
        "+    link = '<a href=\"file://%s\">%s</a>' % (quote(name), name)",
        "<iframe src=\"javascript:alert(1)\"></iframe>",
        "<a href=\"data:text/html,<script>alert(1)</script>\">x</a>",
        "> <a href=\"ms-msdt:/id x\">x</a>",
    ] {
        let text = format!("The search page has\r\n\r\n{quoted}\r\n\r\nin it.\r\n");
        for kind in ["text/plain", "text/plain; format=flowed", "text/x-diff"] {
            assert!(!is_edited(kind, &text), "{kind}: {quoted}");
        }
        assert!(is_edited("text/html", &text), "{quoted}");
        // What is a page from its start is one, whatever its label.
        for start in ["<html>", "\u{FEFF}\r\n <p>", "<!-- x -->", "<!DOCTYPE html>"] {
            let page = format!("{start}\r\n{text}");
            assert!(is_edited("text/plain", &page), "{start}: {quoted}");
        }
    }
    let lie = "See\r\n<a href=\"http://p&#1072;ypal.com/\">x</a>\r\n";
    assert!(is_edited("text/plain", lie));
}

#[test]
fn the_source_of_a_page_that_a_server_makes_is_no_page() {
    let source = "<?php foreach ($items as $i): ?>\r\n<a href=\"javascript:alert(document.cookie)\">x</a>\r\n";
    for kind in ["text/x-php; name=menu.php", "application/x-httpd-php; name=a.php", "text/x-php"] {
        assert!(!is_edited(kind, source), "{kind}");
    }
    for kind in ["text/html; name=menu.php", "text/x-php; name=menu.html"] {
        assert!(is_edited(kind, source), "{kind}");
    }
}

/// The worst verdict of a page.
fn worst(html: &str) -> Verdict {
    worst_of("text/html", html)
}

fn worst_of(kind: &str, body: &str) -> Verdict {
    let head = format!("Content-Type: {kind}; charset=utf-8");
    let outcome = common::outcome(&head, body.as_bytes());
    outcome.findings.iter().map(|finding| finding.verdict).max().unwrap_or(Verdict::Ok)
}

#[test]
fn a_name_may_have_its_first_letter_in_an_element_of_its_own() {
    for name in [
        "<a href=\"https://www.amazon.de/x\"><span style=\"color:#f90\">a</span>mazon.de</a>",
        "<b>P</b>aypal.com",
        "<font size=5>S</font>parkasse.de",
    ] {
        assert!(worst(&format!("<p>See {name} now</p>\r\n")) <= Verdict::Notice, "{name}");
    }
    for lie in [
        "mazon.de",
        "<b>x</b> mazon.de",
        "<b>x</b>mazon.de",
        "<b>m</b>amazon.de",
        "<b>paypal.com.</b>aypal.com",
    ] {
        assert_eq!(worst(&format!("<p>See {lie} now</p>\r\n")), Verdict::Suspect, "{lie}");
    }
}

#[test]
fn what_programs_write_is_no_lure() {
    for code in [
        "Target: HTTP:80/ping",
        "web   http:80,https:443",
        "await github.rest.issues.createComment({",
        "metadata.twitter.site = \"@acme\"",
        "twitter.site.client_id = \"abc\"",
        "Looking in indexes: https://****@pypi.example.com/simple, https://****:****@pypi.example.com/simple",
        "dsn https://[REDACTED]@sentry.example.com/1 https://user:[REDACTED]@example.com/x",
        "url = 'https://%s:%s@example.com/%s'",
        "Open http://admin:admin@192.168.1.1/ and change the password.",
        "ftp://ftp%40huber.de:Secret1@ftp.huber.de/",
        "https://ann%40huber.de:pw@cloud.huber.de/remote.php/dav",
    ] {
        assert!(worst_of("text/plain", &format!("{code}\r\n")) <= Verdict::Notice, "{code}");
    }
    for lie in [
        "github.rest",
        "twitter.site (official)",
        "http:3232235777",
        "http://admin:admin@203.0.113.42/",
        "http://80",
        "https://paypal%40huber.de:pw@cloud.example.com/x",
        "https://ann%40huber.de:pw@cloud.example.com/x",
    ] {
        assert!(worst_of("text/plain", &format!("{lie}\r\n")) >= Verdict::Suspect, "{lie}");
    }
}

#[test]
fn what_a_console_or_an_editor_misread_is_no_lure() {
    for text in [
        "Ping wird ausgefⁿhrt fⁿr www.mⁿller.de [192.0.2.1]\r\nhttps://www.mⁿller.de/",
        "Besuchen Sie uns auf â€žGoogle.comâ€œ oder â€žgoogle.com/acmeâ€œ.",
    ] {
        assert!(worst_of("text/plain", &format!("{text}\r\n")) <= Verdict::Notice, "{text}");
    }
    for lie in ["see www.mⁿller.de", "fⁿr www.amazoⁿ.de", "â€žр\u{430}ypal.comâ€œ"] {
        assert!(worst_of("text/plain", &format!("{lie}\r\n")) >= Verdict::Suspect, "{lie}");
    }
}
