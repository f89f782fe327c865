//! What stands before the `@` of a link: a host that poses is edited, a web address beside a mail address and a login
//! are not.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

mod common;

use linkmilter_engine::Verdict;

/// Whether the filter edits the body.
fn is_edited(kind: &str, body: &str) -> bool {
    common::is_edited(&format!("{kind}; charset=utf-8"), body.as_bytes())
}

#[test]
fn a_mail_address_beside_a_web_address_makes_no_userinfo_of_it() {
    for text in [
        "Bäcker Huber;https://www.baeckerei-huber.de;huber@gmail.com",
        "Maier;http://elektro-maier.at;maier@aon.at;Graz",
        "VALUES (1,'https://www.huber.de','huber@gmail.com');",
        "https://www.huber.de|huber@t-online.de",
        "https://www.huber.fr,e-mail:huber@orange.fr",
        "https://www.huber.fr, https://www.meier.fr;E-Mail:;meier@orange.fr",
        "www.huber.com.br:huber@gmail.com",
        "[Huber](https://www.huber.de)huber@gmail.com",
        "\\href{https://www.huber.de}{huber@gmail.com}",
        "https://www.cafe.de,@cafe.berlin",
        "http://facebook.com;press@fb.com",
        "[Google](https://www.google.com),[mail](mailto:ann@huber.de)",
        "[{'u':'https://www.google.com'},{'m':'ann@huber.de'}]",
        "'www.google.com','huber@t-online.de'",
        "INSERT INTO t VALUES ('https://www.google.com','huber@gmx.at');",
        "官网https://www.google.com邮箱huber@yahoo.co.jp",
        "เว็บไซต์https://www.google.comอีเมลhuber@msn.com",
    ] {
        assert!(!is_edited("text/plain", &format!("{text}\r\n")), "{text}");
    }
    assert!(!is_edited("text/html", "<p>https://www.huber.de;huber@gmail.com</p>\r\n"));
    for text in [
        "https://paypal.com;a@evil.com",
        "https://www.google.com,x@evil.com",
        "'https://www.google.com','x@evil.com'",
        "'www.google.com','x@evil.com'",
        "'www.google.com','x@mail.t-online.de.evil.com'",
        "'www.google.com','x@evil.sharepoint.com'",
        "官网https://www.google.com邮箱x@evil.com",
        "เว็บไซต์https://www.google.comอีเมลx@evil.com",
        "(https://www.google.com),x@evil.com",
        "(https://www.google.com}x@evil.com",
        "https://www.google.com]x@evil.com",
        "(https://www.google.com)[x@evil.com",
        "https://www.google.com),[mail](mailto:x@evil.com)",
        "(https://www.google.com),[mail]x@evil.com",
        "('https://www.google.com'),('x@evil.com')",
        "https://www.google.com[a]x@evil.com",
        "https://www.google.com]x@evil.com/login",
        "http://facebook.com;press@evil.com",
        "https://mybank.com;x@evil.com",
        "https://a.com;www.paypal.com;x@evil.com",
        "https://p\u{430}ypal.com;x@evil.com",
        "https://www.huber.de;x@evil.com/login",
        "https://www.huber.de;x@evil.com:8080",
        "https://www.huber.de;x@evil.com?a",
        "https://www.huber.de:x@evil.com",
        "https://www.huber.de@evil.com",
        "https://www·paypal·com@evil.com",
        "https://www•paypal•com@evil.com",
        "www.huber.de:x@evil.com",
        "https://www.huber.de;%78@evil.com",
    ] {
        assert!(is_edited("text/plain", &format!("{text}\r\n")), "{text}");
    }
    assert!(is_edited("text/html", "<a href=\"https://www.huber.de;x@evil.com\">here</a>\r\n"));
}

#[test]
fn a_row_of_data_makes_no_userinfo_of_a_known_site() {
    for text in [
        "||Web||Mail||\r\n|www.paypal.com|ann@huber.de|",
        "|https://www.google.com|ann@huber.de|x|",
        "https://www.paypal.com,info@huber.de,+49 30 1234",
        "https://www.google.com;info@huber.de;+49 30 1235",
        "Tel:+49 30 1234;Web:https://www.google.com;Mail:ann@huber.de",
        "name,url,mail\r\nHuber,https://www.google.com,ann@huber.de",
        "name,url,mail\nHuber,https://www.google.com,ann@huber.de\n",
        "Huber;https://www.google.com;ann@huber.de\r\nMaier;www.maier.at;m@maier.at",
        "Firma|Web|Mail\nMeta|www.facebook.com|ann@huber.de",
    ] {
        assert!(!is_edited("text/plain", &format!("{text}\r\n")), "{text}");
    }
    for text in [
        "|https://www.paypal.com@evil.com|",
        "|www.paypal.com|ann@evil.com",
        "Go to |www.paypal.com|ann@evil.com, now",
        "https://www.paypal.com,info@evil.com,now",
        "see https://www.paypal.com,info@evil.com,+49 30 1234",
        "https://www.paypal.com,info@evil.com/,+49 30 1234",
        "https://www.paypal.com;1234,info@evil.com,+49 30 1234",
        "1234,https://www.paypal.com@evil.com",
        "Huber,https://www.paypal.com,ann@evil.com",
        "https://www.paypal.com,ann@evil.com\r\nhttps://www.huber.de,x@huber.de",
        "Dear Ann, please, read\r\nNow,https://www.paypal.com,x@evil.com",
        "a,b,c\r\nNow, please,https://www.paypal.com,x@evil.com",
        "a,b,c\r\nsee,now https://www.paypal.com,x@evil.com",
        "a,b,c\r\nHuber,https://www.paypal.com,x@evil.com/login",
        "a,b,c\r\nHuber,https://www.paypal.com@evil.com",
        "a;b;c\r\nHuber,https://www.paypal.com,x@evil.com",
        "Web:https://www.paypal.com;Mail:ann@evil.com",
        "https://p\u{430}ypal.com,info@evil.com,+49 30 1234",
    ] {
        assert!(is_edited("text/plain", &format!("{text}\r\n")), "{text}");
    }
}

#[test]
fn what_somebody_is_called_on_a_service_makes_no_userinfo_of_a_site() {
    for text in [
        "www.google.com\u{2003}@cafe.huber.de",
        "www.google.com\u{200a}@cafe.huber.de",
        "www.google.com\u{2003}@ann@huber.de",
        "https://www.meier.de\u{2003}@cafe.huber.de",
        "www.google.com\u{2022}@cafe.huber.de",
        "www.google.com·@cafe.huber.de",
        "www.google.com|@cafe.huber.de",
    ] {
        let body = format!("{text}\r\n");
        let outcome = common::outcome("Content-Type: text/plain; charset=utf-8", body.as_bytes());
        assert!(outcome.verdict <= Verdict::Notice && outcome.edits.is_empty(), "{text}");
        assert!(!is_edited("text/html", &format!("<p>{text}</p>\r\n")), "{text}");
    }
    for text in [
        "https://www.google.com@evil.com",
        "https://www.google.com\u{200b}@evil.com",
        // Behind a scheme most programs open all of it.
        "https://www.google.com\u{2003}@evil.com",
        "https://www.google.com·@evil.com",
        "https://www.google.com|@evil.com/login",
        "https://www.google.com|x@evil.com",
        "https://www.google.com\u{2022}@p\u{430}ypal.com",
        "https://www.google.com-@evil.com",
    ] {
        assert!(is_edited("text/plain", &format!("{text}\r\n")), "{text}");
    }
}

/// Two links side by side that each lead where their own text says.
#[test]
fn contacts_in_links_of_their_own_are_no_url() {
    let site = "<a href=\"https://www.google.com/\">https://www.google.com</a>";
    for contact in [
        "<a href=\"mailto:info@huber.de\">info@huber.de</a>",
        "<a href=\"mailto:x.com@huber.de\">x.com@Huber.de</a>",
        "<a href=\"https://www.instagram.com/cafe.huber.de\">@cafe.huber.de</a>",
        "<a href=\"https://www.instagram.com/cafe.huber.de/?x=1\">@Cafe.Huber.de</a>",
        "<a href=\"https://huber.de/@ann\">@ann@huber.de</a>",
    ] {
        let page = format!("<p>{site}{contact}</p>\r\n");
        assert!(!is_edited("text/html", &page), "{contact}");
        let page = format!("<p>{site}<b>{contact}</b></p>\r\n");
        assert!(!is_edited("text/html", &page), "{contact}");
    }
    let lie = "<a href=\"https://evil.com/\">https://www.google.com</a>";
    let pages = [
        ("<span>https://www.google.com</span>", "<span>@evil.com</span>"),
        (site, "@evil.com"),
        (site, "<a href=\"https://evil.com/\">@evil.com</a>"),
        (site, "<a href=\"https://evil.com/evil.com\">@evil.com</a>"),
        (site, "<a href=\"https://huber.de/login\">@evil.com</a>"),
        (site, "<a href=\"mailto:x.com@huber.de\">x.com@evil.com</a>"),
        (lie, "<a href=\"https://www.instagram.com/evil.com\">@evil.com</a>"),
        ("https://www.google.com", "<a href=\"https://www.instagram.com/evil.com\">@evil.com</a>"),
    ];
    for (first, second) in pages {
        let page = format!("<p>{first}{second}</p>\r\n");
        assert!(is_edited("text/html", &page), "{page}");
    }
}

#[test]
fn an_address_of_the_same_owner_is_no_other_place() {
    for text in [
        "詳しくはhttps://www.paypal.comです。support@paypal.com までご連絡ください。",
        "자세한 내용은 https://www.paypal.com입니다.support@paypal.com 으로",
        "https://www.paypal.com;support@mail.paypal.com",
    ] {
        assert!(!is_edited("text/plain", &format!("{text}\r\n")), "{text}");
    }
    for text in [
        "詳しくはhttps://www.paypal.comです。support@evil.com まで",
        "자세한 내용은 https://www.paypal.com입니다.support@evil.com 으로",
    ] {
        assert!(is_edited("text/plain", &format!("{text}\r\n")), "{text}");
    }
}

#[test]
fn a_login_that_nobody_takes_for_a_host_they_know_is_reported() {
    for text in [
        "git clone https://james.kim@bitbucket.org/team/repo.git",
        "https://anna.lu@dav.example.org/",
        "http://anna.li@firma.de",
        "https://jira.user%40corp.com@bitbucket.org/team/repo.git",
        "https://ann%40gmail.com@git.example.org/firma/app.git",
        "https://ann.smith%40hotmail.fr:token@git.example.org/firma/app.git",
        "sftp://ann%40gmail.com:pw@backup.example.org/home",
        "https://bot@corp.com:token@corp.example.net/rest/api/3/issue",
        "ftp://www.firma.de:Geheim1@home.hosting.com/",
        "ftp://user%40firma.de:pw@server.hosting.com",
        "ftp://anonymous:me@example.com@ftp.gnu.org/gnu/",
        "https://{user.name}:{password}@example.com",
    ] {
        assert!(!is_edited("text/plain", &format!("{text}\r\n")), "{text}");
        let html = format!("<a href=\"{text}\">here</a>\r\n");
        assert!(text.starts_with("git") || !is_edited("text/html", &html), "{text}");
    }
    for text in [
        "https://www.example.com@evil.org/login",
        "https://sparkasse-huber.de@evil.org/login",
        "https://paypal.li@evil.org/login",
        "https://p%61ypal.li@evil.org/login",
        "https://www.li@evil.org/login",
        "https://www.huber.li@evil.org/login",
        "https://paypal.com@evil.org/login",
        "https://mybank.com@evil.org/login",
        "https://service@paypal.com@evil.org/login",
        "https://service%40mybank.com@evil.org/login",
        "https://paypal.com%40huber.de@evil.org/login",
        "https://www.huber.de%40huber.de@evil.org/login",
        "https://james.kim:www.paypal.com@evil.org/login",
        "https://james.kim%2Flogin@evil.org/",
        "https://p\u{430}ypal.kim@evil.org/",
        "ftp://www.paypal.com@evil.org/",
        "https://gmail.com@evil.org/login",
        "https://ann@gmail.com@evil.org/login",
        "https://paypal%40gmail.com@evil.org/login",
        "https://paypal.service%40gmail.com@evil.org/login",
        "https://paypal.com%40gmail.com@evil.org/login",
        "https://ann%40gmail.com.evil.org@evil.org:x@paypal.com",
        "https://ann%40gmail.com:www.paypal.com@evil.org/login",
        "https://james.kim@bitbucket.org/?u=https://www.paypal.com@evil.org/",
    ] {
        assert!(is_edited("text/plain", &format!("{text}\r\n")), "{text}");
        assert!(is_edited("text/html", &format!("<a href=\"{text}\">here</a>\r\n")), "{text}");
    }
}

#[test]
fn an_account_of_a_command_may_be_a_domain() {
    for text in [
        "git clone https://huber.de@bitbucket.org/team/repo.git",
        "Terminal: ssh www.huber.de@ssh.strato.de",
        "sftp www.huber.de@ssh.strato.de",
    ] {
        assert!(!is_edited("text/plain", &format!("{text}\r\n")), "{text}");
    }
    for text in [
        "git clone https://paypal.com@evil.org/team/repo.git",
        "git clone https://huber.de@evil.org/team/",
        "git clone https://huber.de:x@evil.org/repo.git",
        "clone https://huber.de@evil.org/repo.git",
        "ssh www.paypal.com@evil.org",
        "ssh www.mybank.com@evil.org",
        "ssh www.huber.de@evil.org/login",
        "sssh www.huber.de@evil.org",
        "www.huber.de@evil.org",
    ] {
        assert!(is_edited("text/plain", &format!("{text}\r\n")), "{text}");
    }
}

#[test]
fn a_login_at_a_host_of_repositories_is_a_notice() {
    let worst = |text: &str| {
        let kind = "Content-Type: text/plain; charset=utf-8\r\n";
        let outcome = common::outcome(kind, text.as_bytes());
        let worst = outcome.findings.iter().map(|finding| finding.verdict).max();
        (worst, outcome.edits.is_empty())
    };
    for text in [
        "git clone https://klaus.weber@dev.azure.com/huber/Site/_git/Site",
        "Clone it from https://klaus.weber@dev.azure.com/huber/Site/_git/Site please",
        "https://ann.miller@dev.azure.com/huber/Site/_git/Site",
        "https://li.wang@huber.visualstudio.com/DefaultCollection/_git/Site",
        "git clone https://klaus.weber@github.com/huber/site.git",
        "https://svc.build:a1b2c3@gitlab.com/huber/site.git",
        "https://klaus.weber@bitbucket.org/huber/site/src/main/",
    ] {
        assert_eq!(worst(text), (Some(Verdict::Notice), true), "{text}");
    }
    for text in [
        "https://paypal.com@github.com/evil/login",
        "git clone https://paypal.com@github.com/evil/login.git",
        "https://paypal.support@github.com/evil/login",
        "https://microsoft.login@dev.azure.com/evil/Site/_git/Site",
        "https://www.huber.de@github.com/evil/login",
        "https://login.huber.de@github.com/evil/login",
        "https://sparkasse.de@gitlab.com/evil/login",
        "https://paypa1.com@github.com/evil/login",
        "https://klaus.weber@github.com/",
        "https://klaus.weber@github.com.evil.com/huber/site.git",
        "https://klaus.weber@evil.com/huber/site",
        "https://paypal.support@evil.com/huber/site.git",
        "https://klaus.weber:www.paypal.com@github.com/huber/site.git",
        "https://klaus.weber@github.com/huber/site?u=https://www.paypal.com@evil.com/",
    ] {
        assert!(worst(text).0 >= Some(Verdict::Suspect), "{text}");
    }
}

#[test]
fn an_escaped_address_where_everybody_can_have_one_is_a_notice() {
    let worst = |text: &str| {
        let outcome = common::outcome("Content-Type: text/plain", text.as_bytes());
        outcome.findings.iter().map(|finding| finding.verdict).max()
    };
    for text in [
        "https://ann%40gmail.com@git.example.org/app.git",
        "https://ann.smith%40outlook.com:token@git.example.org/app.git",
        "sftp://ann%40gmail.com:pw@backup.example.org/home",
    ] {
        assert_eq!(worst(text), Some(Verdict::Notice), "{text}");
    }
    for text in
        ["https://ann%40corp.com@git.example.org/app.git", "https://ann%40gmail.com@paypa1.com/"]
    {
        assert!(worst(text) >= Some(Verdict::Suspect), "{text}");
    }
}

#[test]
fn an_escaped_line_end_separates_a_site_from_an_address() {
    for text in [
        "{\"t\":\"Huber\\nwww.huber.de\\nann@example.org\"}",
        "{\"t\":\"https://www.huber.de\\nann@example.org\"}",
        "{\"t\":\"https://www.huber.de\\ninfo@huber.de\",\"id\":1}",
        "{\"t\":\"https://www.huber.de\\r\\ninfo@huber.de\",\"u\":\"ann@example.org\"}",
        "[\"www.huber.de\\n---\\ninfo@huber.de\",\"https://example.org/\"]",
        "{\"t\":\"https://www.dhl.de\\nkundenservice@dhl.com\",\"id\":1}",
        "https://www.dhl.de\\nkundenservice@dhl.com",
        "info@huber.de\u{b7}www.huber.de",
        "info@huber.de\u{b7}\u{b7}\u{b7}\u{b7}www.huber.de",
        "+ git clone https://oauth2:glpat-a1b2c3@gitlab.com/a/b.git",
        "git push https://x-access-token:${GITHUB_TOKEN}@github.com/huber/app",
        "git push https://$TOKEN@github.com/huber/app",
        "fatal: unable to access 'https://gitlab-ci-token:[MASKED]@gitlab.com/huber/app.git/'",
        "pip install git+https://ann.miller@bitbucket.org/huber/app.git@v1.2#egg=app",
        "DSN=https://public:secret@sentry.io/1",
        "https://ann:secret@nexus.example.org/repo",
    ] {
        let found = common::outcome("Content-Type: text/plain; charset=utf-8\r\n", text.as_bytes());
        let worst = found.findings.iter().map(|finding| finding.verdict).max();
        assert!(worst <= Some(Verdict::Notice) && found.edits.is_empty(), "{text} {worst:?}");
    }
    for text in [
        "https://www.paypal.com\\nann@example.org",
        "{\"t\":\"https://www.paypal.com\\nann@example.org\",\"id\":1}",
        "{\"t\":\"https://www.huber.de\\nann@paypa1.com\",\"id\":1}",
        "{\"t\":\"https://www.huber.de\\nann@example.org\",\"u\":\"ann@paypa1.com\"}",
        "{\"t\":\"https://www.huber.de\\nann@example.org\",\"u\":\"https://paypa1.com/\"}",
        "https://www.huber.de\\nann@paypa1.com",
        "info@apple.com\u{b7}www.huber.de",
        "https://paypal:secret@example.org/",
        "https://ann:paypal@example.org/",
        "https://chase:secret@example.org/",
        "https://ann:www.huber.de@example.org/",
        "https://${PAYPAL}@example.org/",
        "https://[name_10]@example.org/#a",
        "https://$paypal:secret@example.org/",
        "git clone https://service.paypal@example.org/app.git",
        "https://ann.miller@bitbucket.org/huber/",
    ] {
        let found = common::outcome("Content-Type: text/plain; charset=utf-8\r\n", text.as_bytes());
        let worst = found.findings.iter().map(|finding| finding.verdict).max();
        assert!(worst >= Some(Verdict::Suspect), "{text} {worst:?}");
    }
}

#[test]
fn what_is_left_of_an_encoding_separates_a_site_from_an_address() {
    let outcome = |text: &str| {
        common::outcome("Content-Type: text/plain; charset=utf-8\r\n", text.as_bytes())
    };
    for (behind, most) in [("huber.de", Verdict::Notice), ("facebook.com", Verdict::Suspect)] {
        for between in [
            "=0A", "=0D=0A", "=20", "&nbsp;", "&lt;br&gt;", "\u{200B}", "\u{FEFF}",
            ".......E-Mail:", "_____",
        ] {
            let text = format!("Web: https://www.{behind}{between}ann@example.org");
            let found = outcome(&text);
            let worst = found.findings.iter().map(|finding| finding.verdict).max();
            let is_seen = between.is_ascii() || most == Verdict::Notice;
            assert_eq!(found.edits.is_empty(), is_seen, "{text}");
            assert!(worst <= Some(most) || !is_seen, "{text} {worst:?}");
        }
    }
    for text in [
        "https://www.facebook.com=0A@example.org",
        "https://www.facebook.com=0Aann@example.org/login",
        "https://www.facebook.com=0Aann@example.org:8080",
        "https://www.facebook.com=0A%61@example.org",
        "https://ann=0Awww.facebook.com@example.org",
        "https://huber.de=0Awww.facebook.com@example.org",
        "https://www.facebook.com=0Awww.paypal.com@example.org",
        "https://www.facebook.com=0Aann@p\u{430}ypal.com",
        "https://www.facebook.com--ann@example.org",
    ] {
        assert!(is_edited("text/plain", &format!("{text}\r\n")), "{text}");
    }
    let link = "<a href=\"https://www.facebook.com=0Aann@example.org\">here</a>\r\n";
    assert!(is_edited("text/html", link));
}

#[test]
fn a_backslash_behind_a_name_without_a_scheme_is_that_of_a_path_or_a_login() {
    let worst = |text: &str| {
        let found = common::outcome("Content-Type: text/plain; charset=utf-8\r\n", text.as_bytes());
        found.findings.iter().map(|finding| finding.verdict).max()
    };
    for text in [
        "The password is v.Cy.de\\@[cX",
        "The archive is in \\\\fs01.huber.de\\pst\\ann@huber.de.pst",
        "Login: corp.example.com\\jdoe@server1",
        "Login: corp.example.com\\jdoe@example.org",
        "jdbc:sqlserver://db1.example.com\\SQL2019;user=ann@example.com",
        "C:\\inetpub\\www.huber.de\\mail\\ann@huber.de",
    ] {
        assert!(worst(text) <= Some(Verdict::Notice), "{text} {:?}", worst(text));
    }
    for text in [
        "https://www.paypal.com\\ann@evil.com",
        "\\\\www.paypal.com\\@evil.com",
        "www.paypal.com\\x@evil.com",
        "paypal.com\\ann@p\u{430}ypal.com",
        "C:\\www.paypal.com\\ann@p\u{430}ypal.com",
    ] {
        assert!(worst(text) >= Some(Verdict::Suspect), "{text} {:?}", worst(text));
    }
    for href in ["//paypal.com\\@evil.com", "\\\\paypal.com\\@evil.com"] {
        let page = format!("<a href=\"{href}\">x</a>");
        let found = common::outcome("Content-Type: text/html; charset=utf-8\r\n", page.as_bytes());
        let worst = found.findings.iter().map(|finding| finding.verdict).max();
        assert!(worst >= Some(Verdict::Suspect), "{href} {worst:?}");
    }
}

#[test]
fn an_account_may_be_called_by_a_site_of_its_own_host() {
    let worst = |text: &str| {
        let found = common::outcome("Content-Type: text/plain; charset=utf-8\r\n", text.as_bytes());
        found.findings.iter().map(|finding| finding.verdict).max()
    };
    for text in [
        "ftp://www.huber.de:pw@ftp.huber.de/",
        "https://shop.huber.com:pw@webdav.huber.com/",
        "http://192.168.001.050/",
        "http://10.000.000.001:8080/x",
        "http://172.016.000.001/",
        "outbind://66/",
        "rdar://12345678",
        "sms://4711",
    ] {
        assert!(worst(text) <= Some(Verdict::Notice), "{text} {:?}", worst(text));
    }
    for text in [
        "https://www.google.com:pw@sites.google.com/x",
        "https://www.huber.de:www.paypal.com@ftp.huber.de/",
        "https://www.paypal.com:pw@webdav.huber.com/",
        "https://www.huber.com:pw@evil.com/",
        "http://0300.0250.0.1/",
        "http://012.0.0.1/",
        "http://172.016.0.1/",
        "ftp://3627734062/",
    ] {
        assert!(worst(text) >= Some(Verdict::Suspect), "{text} {:?}", worst(text));
    }
}

#[test]
fn logins_of_packages_folders_and_dynamic_addresses_are_a_notice() {
    let worst = |text: &str| {
        let found = common::outcome("Content-Type: text/plain; charset=utf-8\r\n", text.as_bytes());
        found.findings.iter().map(|finding| finding.verdict).max()
    };
    for text in [
        "https://huber.de:key1@dyndns.strato.com/nic/update?hostname=huber.de&myip=192.0.2.1",
        "http://huber.de:key1@dyndns.strato.com/nic/update?hostname=nas.huber.de",
        "https://nas.huber.de:key1@dyn.dns.he.net/nic/update?hostname=nas.huber.de",
        "https://huber.de:key1@update.dedyn.io/?myipv4=192.0.2.1",
        "https://mybank.com:key1@dyndns.strato.com/nic/update?hostname=mybank.com",
        "pip install --index-url https://ann.miller:key1@nexus.huber.de/repository/pypi/simple app",
        "pip install --index-url https://ann.kim:key1@nexus.huber.de/repository/pypi/simple app",
        "extra-index-url = https://ann.miller:key1@nexus.huber.de/simple",
        "PIP_INDEX_URL=https://ann.miller:key1@nexus.huber.de/simple",
        "https://ann.miller@cloud.huber.de/remote.php/dav/files/ann.miller/",
        "https://ann.kim@cloud.huber.de/remote.php/dav/files/ann.kim/",
        "https://huber.de@webdav.hidrive.strato.com/users/huber",
        "https://ann%40huber.de@caldav.icloud.com/",
        "https://ann@huber.de@caldav.fastmail.com/dav/",
        "sftp://huber.de@ssh.strato.de/ ftp://huber.de:pw@ftp.strato.de/",
        "https://ann.weber@cloud.weber.de/ http://ann.weber:pw@proxy.weber.de:8080/",
        "http://admin@nas.local:5000/ http://admin:admin@fritz.box/",
    ] {
        assert!(worst(text) <= Some(Verdict::Notice), "{text} {:?}", worst(text));
    }
    for host in ["members.dyndns.org", "update.spdyn.de", "update6.dedyn.io"] {
        let text = format!("https://huber.de:key1@{host}/nic/update?hostname=huber.de");
        assert!(worst(&text) <= Some(Verdict::Notice), "{text}");
    }
    for text in [
        "https://huber.de:key1@evil.com/nic/update?hostname=huber.de",
        "https://mybank.com:key1@evil.com/nic/update?hostname=mybank.com",
        "https://huber.de:key1@dyndns.strato.com.evil.com/nic/update?hostname=huber.de",
        "https://huber.de:key1@dyndns.strato.com/nic/update?hostname=meier.de",
        "https://huber.de@dyndns.strato.com/nic/update?hostname=huber.de",
        "https://www.paypal.com:key1@dyndns.strato.com/nic/update?hostname=www.paypal.com",
        "https://p\u{430}ypal.com:key1@dyndns.strato.com/nic/update?hostname=p\u{430}ypal.com",
        "pip install --index-url https://www.paypal.com:key1@evil.com/simple app",
        "pip install --index-url https://service.paypal:key1@evil.com/simple app",
        "pip install --index-url https://paypal.kim:key1@evil.com/simple app",
        "pip install --index-url https://huber.de:key1@evil.com/simple app",
        "https://service.paypal@evil.com/remote.php/dav/",
        "https://huber.de@evil.com/remote.php/dav/",
        "https://paypal.kim@evil.com/remote.php/dav/",
        "https://huber.de@caldav.icloud.com.evil.com/",
        "https://ann%40huber.de@caldav.evil.com/",
        "ftp://www.paypal.com:pw@evil.com/",
        "https://ann.weber@evil.com/",
        "https://service.paypal@nas.paypal.evil.com/",
        "http://admin@nas.local.evil.com/",
        "http://paypal.com@nas.local/",
    ] {
        assert!(worst(text) >= Some(Verdict::Suspect), "{text} {:?}", worst(text));
    }
}

/// No browser opens what a program logs in to.
#[test]
fn links_to_log_in_with_a_program_are_a_notice() {
    let worst = |href: &str| {
        let page = format!("<a href=\"{href}\">your web space</a>");
        let found = common::outcome("Content-Type: text/html; charset=utf-8\r\n", page.as_bytes());
        assert!(found.edits.is_empty() || href.contains("paypal"), "{href}");
        found.findings.iter().map(|finding| finding.verdict).max()
    };
    for href in [
        "sftp://huber.de@ssh.strato.de",
        "ssh://huber.de@ssh.strato.de",
        "ssh://ann.weber@gerrit.huber.de:29418/shop",
    ] {
        assert!(worst(href) <= Some(Verdict::Notice), "{href} {:?}", worst(href));
    }
    assert!(worst("ssh://www.paypal.com@evil.com") >= Some(Verdict::Suspect));
}

/// Whoever the site is of: what stands behind seems to be a path or a port.
#[test]
fn what_reads_as_a_slash_or_a_colon_separates_no_address() {
    for sign in ["\u{2044}", "\u{2215}", "\u{29F8}", "\u{2236}", "\u{A789}"] {
        for user in ["www.huber.de{}443", "huber.de{}login.php", "kontakt.huber.com{}a.b"] {
            let text = format!("https://{}@x.meier.org", user.replace("{}", sign));
            let page = format!("see {text} now\r\n");
            let found = common::outcome("Content-Type: text/plain; charset=utf-8", page.as_bytes());
            assert!(!found.edits.is_empty(), "{text}");
        }
    }
    for text in
        ["https://www.huber.de\u{30FB}info@meier.org", "https://www.huber.de\u{2022}ann@gmail.com"]
    {
        let found = common::outcome("Content-Type: text/plain; charset=utf-8", text.as_bytes());
        assert!(found.edits.is_empty(), "{text}");
    }
}
