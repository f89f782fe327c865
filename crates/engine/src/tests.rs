use super::outcome::{Done, Place};
use super::policy::{Defang, HeaderFields, Linkify, Mode, Notice, Report};
use super::*;

mod actions;
mod archives;
mod attachments;
mod cards;
mod clicked;
mod drawn;
mod extras;
mod labels;
mod maps;
mod markdown;
mod noscript;
mod page_actions;
mod scripts;

fn tlds() -> TldTable {
    TldTable::new(["com", "org", "net", "de", "xn--p1ai", "co", "uk"], "")
}

fn policy() -> Policy {
    Policy { header_fields: HeaderFields::Omit, ..Policy::default() }
}

fn outcome(kind: &str, body: &str, policy: &Policy) -> Outcome {
    let head =
        format!("Content-Type: {kind}; charset=utf-8\r\nContent-Transfer-Encoding: 8bit\r\n");
    let message = Message { head: head.as_bytes(), body: body.as_bytes() };
    inspect(message, &Facts::default(), policy, &tlds()).resolve(&Answers::new())
}

/// What is found in mail to people of harbour.com.
pub fn to_harbour(from: &str, kind: &str, body: &str, dmarc: Dmarc) -> Outcome {
    let head = format!("From: {from}\r\nContent-Type: {kind}; charset=utf-8\r\n");
    let message = Message { head: head.as_bytes(), body: body.as_bytes() };
    let recipient_domains = vec!["harbour.com".to_owned()];
    let facts = Facts { recipient_domains, dmarc, ..Facts::default() };
    let tlds = TldTable::new(["com", "de", "fr", "gov", "info", "top", "tr"], "");
    inspect(message, &facts, &Policy::default(), &tlds).resolve(&Answers::new())
}

/// How a text is judged that somebody unknown wrote, and whether it is edited.
pub fn from_a_stranger(body: &str) -> (Verdict, bool) {
    let tlds = ["br", "ch", "com", "cz", "is", "it", "no", "org", "ro", "ru", "si", "tr"];
    let tlds = TldTable::new(tlds, "");
    let message = Message { head: b"From: a@example.com\n", body: body.as_bytes() };
    let (facts, policy) = (Facts::default(), Policy::default());
    let outcome = inspect(message, &facts, &policy, &tlds).resolve(&Answers::new());
    (outcome.verdict, !outcome.edits.is_empty())
}

/// The edited body.
fn edited(kind: &str, body: &str, policy: &Policy) -> String {
    let outcome = outcome(kind, body, policy);
    let bytes = splice::apply(body.as_bytes(), &outcome.edits).to_vec();
    let text = String::from_utf8(bytes).unwrap();
    let again = self::outcome(kind, &text, policy);
    assert_eq!(again.edits, [], "a second rewrite of {text:?}");
    text
}

fn html(body: &str) -> String {
    edited("text/html", body, &policy())
}

fn plain(body: &str) -> String {
    edited("text/plain", body, &policy())
}

/// Cyrillic а in a Latin word, and its Punycode.
const BAD: &str = "p\u{430}ypal.com";
const CODE: &str = "xn--pypal-4ve";

#[test]
fn plain_text_is_defanged_so_that_no_piece_is_live() {
    assert_eq!(
        plain(&format!("see http://{BAD}/x now\r\n")),
        format!("see hxxp://{CODE}[.]com/x now\r\n")
    );
    assert_eq!(plain(&format!("see www.{BAD}.\r\n")), format!("see www[.]{CODE}[.]com.\r\n"));
    assert_eq!(plain(&format!("mail bob@{BAD}\r\n")), format!("mail bob[@]{CODE}[.]com\r\n"));
    assert_eq!(
        plain(&format!("HTTPS://{BAD}/?u=http://example.com/a.html&m=x@example.org#y\r\n")),
        format!("hxxps://{CODE}[.]com/?u=hxxp://example[.]com/a.html&m=x[@]example[.]org#y\r\n")
    );
    assert_eq!(
        plain("https://example.com/ and bob@example.org\r\n"),
        "https://example.com/ and bob@example.org\r\n"
    );
}

#[test]
fn blanks_and_signs_in_a_host_between_angles_hide_nothing() {
    for lie in ["<https:// p\u{430}ypal+login.a.com/>", "<https://p\u{430}y pal~a.com/>"] {
        assert_ne!(plain(&format!("see {lie} now\r\n")), format!("see {lie} now\r\n"), "{lie}");
    }
    let honest = "see <https:// host + port.com/> and <https://a $b.m\u{fc}ller.com/>\r\n";
    assert_eq!(plain(honest), honest);
}

#[test]
fn an_unsafe_host_inside_makes_the_link_unsafe() {
    let text = plain(&format!("http://example.com/?u=http://{BAD}/\r\n"));
    assert_eq!(text, format!("hxxp://example[.]com/?u=hxxp://{CODE}[.]com/\r\n"));
}

#[test]
fn an_href_is_made_inert_under_every_name_it_has() {
    assert_eq!(
        html(&format!("<a HREF=\"http://{BAD}\" class=c href='http://example.com'>x</a>")),
        format!(
            "<a data-unsafe-href=\"hxxp://{CODE}[.]com\" class=c data-unsafe-href='http://example.com'>x</a>"
        )
    );
    assert_eq!(html("<a href=javascript:x>y</a>"), "<a data-unsafe-href=javascript:x>y</a>");
}

/// What a sheet loads is asked of a file server with a password hash, as in the attribute.
#[test]
fn file_servers_in_style_sheets_are_made_invalid() {
    for server in
        ["file://evil.com/s/x", r"\\\\evil.com\\s\\x", "smb://evil.com/x", "FILE:////evil.com/x"]
    {
        for (front, behind) in [
            ("@import url('", "');"),
            ("@import '", "';"),
            ("p{background:url(\"", "\")}"),
            ("@font-face{src:url( ", " )}"),
            ("@page a{mso-header-data:url('", "')}"),
        ] {
            let sheet = |url: &str| format!("<style>{front}{url}{behind}</style><p>hi");
            assert_eq!(html(&sheet(server)), sheet("about:invalid"));
        }
    }
    for fine in [
        "@page a{mso-footnote-separator:url('file:///C:/Users/a/AppData/x_files/header.htm') fs}",
        "p{background:url(file:///tmp/x.png);src:url(file://fs01/x.png)}",
        "p{background:url(data:image/png;base64,AAAA);x:url(#default#VML)}",
        "p{content:'\\\\a x';quotes:'\\201C' '\\\\'}",
    ] {
        let page = format!("<style>{fine}</style><p>hi");
        let found = outcome("text/html", &page, &policy());
        assert!(found.findings.is_empty(), "{fine} {:?}", found.findings);
    }
}

#[test]
fn values_that_cannot_be_left_out_become_invalid() {
    assert_eq!(
        html(&format!(
            "<form action='http://{BAD}/'><img srcset='http://{BAD}/a 1x, http://example.com/b 2x'>"
        )),
        "<form action='about:invalid'><img srcset='about:invalid 1x, http://example.com/b 2x'>"
    );
    assert_eq!(
        html(&format!(
            "<p style=\"x:url('http://{BAD}/')\"><meta http-equiv=refresh content='0;url=http://{BAD}'>"
        )),
        "<p style=\"x:url('about:invalid')\"><meta http-equiv=refresh content='0;url=about:invalid'>"
    );
}

#[test]
fn visible_text_is_edited_across_tags() {
    assert_eq!(
        html("x p<b>\u{430}yp</b>al<i>&#46;co</i>m y"),
        format!("x {CODE}<b></b><i>[.]co</i>m y")
    );
    assert_eq!(html("p&#x430;ypal.com"), format!("{CODE}[.]com"));
}

#[test]
fn text_against_href_is_reported() {
    let body = "<a href=http://example.com>www.example.org</a> <a href=http://a.example.com>example.com</a>";
    let outcome = outcome("text/html", body, &policy());
    assert_eq!(outcome.edits, []);
    let found: Vec<_> = outcome
        .findings
        .iter()
        .map(|f| (f.ascii.as_str(), f.verdict, f.place.to_string()))
        .collect();
    assert_eq!(found, [("example.com", Verdict::Notice, "a[href]".to_owned())]);
}

#[test]
fn flowed_text_is_joined_before_detection() {
    let body = "see http://p\u{430}y \r\npal.com/ now\r\n";
    assert_eq!(
        edited("text/plain; format=flowed; delsp=yes", body, &policy()),
        format!("see hxxp://{CODE} \r\n[.]com/ now\r\n")
    );
}

#[test]
fn calendar_values_are_unfolded_and_stay_folded() {
    let body = "BEGIN:VEVENT\r\nURL:http://p\u{430}y\r\n pal.com/x\r\nDESCRIPTION:a\\nhttp://p\u{430}ypal.com\\, b\r\nEND:VEVENT\r\n";
    assert_eq!(
        edited("text/calendar", body, &policy()),
        format!(
            "BEGIN:VEVENT\r\nURL:hxxp://{CODE}\r\n [.]com/x\r\nDESCRIPTION:a\\nhxxp://{CODE}[.]com\\, b\r\nEND:VEVENT\r\n"
        )
    );
}

#[test]
fn the_policy_decides() {
    let body = format!("http://{BAD}/ http://example.com\r\n");
    let with = |policy: Policy| edited("text/plain", &body, &policy);
    assert_eq!(with(Policy { mode: Mode::ReportOnly, ..policy() }), body);
    assert_eq!(with(Policy { exempt: Some("listed".to_owned()), ..policy() }), body);
    let allowed = std::sync::Arc::new(host::Names::new([BAD]));
    assert_eq!(with(Policy { allowed, ..policy() }), body);
    assert_eq!(
        with(Policy { defang: Defang::All, ..policy() }),
        format!("hxxp://{CODE}[.]com/ hxxp://example[.]com\r\n")
    );
    assert_eq!(
        with(Policy { notice: Notice::Inline, ..policy() }),
        format!("hxxp://{CODE}[.]com/ [misleading link, disabled] http://example.com\r\n")
    );
    let all = outcome("text/plain", &body, &Policy { report: Report::AllLinks, ..policy() });
    assert_eq!((all.links, all.findings.len()), (2, 2));
    assert_eq!(all.findings[0].done, Done::Edited);
    assert_eq!(all.findings[0].place, Place::Text);
    assert_eq!(&body[all.findings[0].span.clone()], format!("http://{BAD}/"));
}

#[test]
fn hosts_of_harmless_links_are_kept_up_to_a_bound() {
    let passed = |body: &str| {
        let outcome = outcome("text/plain", body, &policy());
        (outcome.passed, outcome.passed_more)
    };
    let body = format!("http://{BAD}/ http://example.org http://a.example.com a.example.com\r\n");
    assert_eq!(passed(&body), (vec!["a.example.com".to_owned(), "example.org".to_owned()], false));
    let many = |count: usize| -> String {
        (0..count).map(|number| format!("http://h{number}.example.com/\r\n")).collect()
    };
    assert_eq!(passed(&many(finding::PASSED)).0.len(), finding::PASSED);
    assert!(!passed(&many(finding::PASSED)).1);
    let (hosts, more) = passed(&many(finding::PASSED + 1));
    assert_eq!((hosts.len(), more), (finding::PASSED, true));
}

/// `find HOST` asks for links. The addresses of the header are none; a link in a Subject is one, and so is an address in
/// the body.
#[test]
fn addresses_of_the_header_are_no_harmless_links() {
    let head = b"From: \"a@name.example.org\" <a@from.example.org>\r\nTo: b@to.example.org\r\n\
        Subject: ask c@subject.example.org, https://www.example.org/\r\n";
    let message = Message { head, body: b"or d@body.example.org\r\n" };
    let outcome = inspect(message, &Facts::default(), &policy(), &tlds()).resolve(&Answers::new());
    assert_eq!(outcome.passed, ["body.example.org", "www.example.org"]);
}

/// A notice in plain text is in the reader's language if charset and transfer encoding allow it.
#[test]
fn a_notice_is_in_the_language_that_the_part_can_hold() {
    const ENGLISH: &str = "misleading link, disabled";
    const RUSSIAN: &str = "обманчивая ссылка, отключена";
    const JAPANESE: &str = "誤解を招くリンクのため無効にしました";
    let policy = Policy { notice: Notice::Inline, ..policy() };
    let after = |language: &str, kind: &str, transfer: &str, body: &[u8]| {
        let head = format!(
            "Content-Type: text/plain; charset={kind}\r\nContent-Transfer-Encoding: {transfer}\r\n"
        );
        let message = Message { head: head.as_bytes(), body };
        let facts = Facts { language: Some(language.to_owned()), ..Facts::default() };
        let outcome = inspect(message, &facts, &policy, &tlds()).resolve(&Answers::new());
        splice::apply(body, &outcome.edits).to_vec()
    };
    let escaped = format!("http://{BAD}/\r\n").replace('\u{430}', "=D0=B0").into_bytes();
    let quoted = String::from_utf8(after("ru", "utf-8", "quoted-printable", &escaped)).unwrap();
    assert!(quoted.is_ascii() && quoted.contains("=D0=BE=D0=B1"), "{quoted}");
    let koi8 = encoding_rs::KOI8_R.encode("http://p\u{430}ypal.com/ письмо\r\n").0.into_owned();
    let new = after("ru", "koi8-r", "8bit", &koi8);
    assert!(encoding_rs::KOI8_R.decode(&new).0.contains(RUSSIAN), "{new:?}");
    let new = after("ja", "koi8-r", "8bit", &koi8);
    assert!(encoding_rs::KOI8_R.decode(&new).0.contains(ENGLISH), "{new:?}");
    let utf8 = format!("http://{BAD}/\r\n");
    assert!(
        String::from_utf8(after("ru", "utf-8", "8bit", utf8.as_bytes())).unwrap().contains(RUSSIAN)
    );
    // A part that clients may read in either charset gets ASCII.
    assert!(
        after("fr", "iso-8859-1", "8bit", utf8.as_bytes())
            .ends_with(b" [lien trompeur, rendu inactif]\r\n")
    );
    let japanese =
        encoding_rs::ISO_2022_JP.encode("http://p\u{430}ypal.com/ 日本\r\n").0.into_owned();
    let new = after("ja", "iso-2022-jp", "7bit", &japanese);
    assert!(
        new.is_ascii() && encoding_rs::ISO_2022_JP.decode(&new).0.contains(JAPANESE),
        "{new:?}"
    );
}

#[test]
fn linkify_adds_anchors_only_when_asked() {
    let policy = Policy { linkify: Linkify::Html, ..policy() };
    assert_eq!(
        edited(
            "text/html",
            "see www.example.com/\u{e9} <a href='http://example.com'>example.com</a>",
            &policy
        ),
        "see <a href=\"http://www.example.com/%C3%A9\">www.example.com/\u{e9}</a> <a href='http://example.com'>example.com</a>"
    );
}

#[test]
fn linkify_never_restores_what_was_defanged() {
    let policy = Policy { linkify: Linkify::Html, ..policy() };
    for text in [
        "see example[.]com",
        "see hxxp://example[.]com/x",
        "www.example[.]com",
        "the helpers.py file",
    ] {
        assert_eq!(edited("text/html", text, &policy), text);
    }
}

#[test]
fn an_unknown_tld_is_looked_up_and_decides() {
    let head = b"Content-Type: text/plain; charset=utf-8\r\n";
    let body = "http://p\u{430}ypal.newtld/ end.However www.x.newtld\r\n";
    let message = Message { head, body: body.as_bytes() };
    let (facts, policy, tlds) = (Facts::default(), policy(), tlds());
    let inspect = || inspect(message, &facts, &policy, &tlds);
    assert_eq!(inspect().questions, ["newtld"]);
    let answers = |answer| Answers::from([("newtld".to_owned(), answer)]);
    assert_eq!(inspect().resolve(&answers(Answer::Missing)).findings, []);
    let unverified = inspect().resolve(&Answers::new());
    assert_eq!((unverified.verdict, unverified.edits.len()), (Verdict::Notice, 0));
    assert!(!inspect().resolve(&answers(Answer::Exists)).edits.is_empty());
}

#[test]
fn every_tld_is_looked_up_on_request_and_the_table_decides_without_an_answer() {
    let body = "http://p\u{430}ypal.com/ http://ok.org/ bare.net ok@example.org\r\n";
    let head = b"Content-Type: text/plain; charset=utf-8\r\n";
    let message = Message { head, body: body.as_bytes() };
    let policy = Policy { ask_tlds: super::policy::AskTlds::Every, ..policy() };
    let tlds = TldTable::new(["com", "net", "org"], "test");
    let facts = Facts::default();
    let inspect = || inspect(message, &facts, &policy, &tlds);
    assert_eq!(inspect().questions, ["com", "org"]);
    let answers =
        |answer| Answers::from([("com".to_owned(), answer), ("org".to_owned(), Answer::Exists)]);
    for table_decides in [answers(Answer::Unverified), answers(Answer::Exists), Answers::new()] {
        let outcome = inspect().resolve(&table_decides);
        assert_eq!((outcome.links, outcome.verdict), (4, Verdict::Unsafe));
        assert!(!outcome.edits.is_empty());
    }
    let denied = inspect().resolve(&answers(Answer::Missing));
    assert_eq!((denied.links, denied.findings, denied.edits), (3, vec![], vec![]));
}

/// Reasons of the links of an HTML text.
fn reasons(from: &str, dmarc: Dmarc, html: &str) -> Reasons {
    let head = format!("From: {from}\r\nContent-Type: text/html; charset=utf-8\r\n");
    let message = Message { head: head.as_bytes(), body: html.as_bytes() };
    let facts = Facts { dmarc, ..Facts::default() };
    let outcome = inspect(message, &facts, &policy(), &tlds()).resolve(&Answers::new());
    outcome.findings.iter().fold(Reasons::EMPTY, |all, finding| all.union(finding.reasons))
}

#[test]
fn a_confirmed_author_may_show_his_own_name() {
    let html = "<a href=\"https://click.mailer.net/x\">www.shop.com</a>";
    for (from, dmarc, reported) in [
        ("a@shop.com", Dmarc::Pass, false),
        ("a@news.shop.com", Dmarc::Pass, false),
        ("a@shop.com", Dmarc::Unknown, true),
        ("a@shop.com", Dmarc::Fail, true),
        ("a@other.com", Dmarc::Pass, true),
        ("a@shop.com, b@other.com", Dmarc::Pass, true),
    ] {
        let found = reasons(from, dmarc, html).contains(Reason::TextHrefMismatch);
        assert_eq!(found, reported, "{from} {dmarc:?}");
    }
    // A provider's domain, where everybody can have an address, is not the author's own name.
    let html = "<a href=\"https://evil.net/x\">www.gmail.com</a>";
    assert!(reasons("a@gmail.com", Dmarc::Pass, html).contains(Reason::TextHrefMismatch));
}

#[test]
fn a_rewriters_link_is_reported_and_compared_by_its_destination() {
    let wrapped = |host: &str| {
        format!(
            "https://eur01.safelinks.protection.outlook.com/?url=https%3A%2F%2F{host}%2Fx&data=1"
        )
    };
    let link = |seen: &str, led: &str| format!("<a href=\"{}\">{seen}</a>", wrapped(led));
    let mismatch =
        |html: &str| reasons("a@b.org", Dmarc::Unknown, html).contains(Reason::TextHrefMismatch);
    assert!(!mismatch(&link("www.shop.com", "shop.com")));
    assert!(mismatch(&link("www.shop.com", "other.com")));
    let html = link("here", "xn--ypal-43d9g.com");
    let found = outcome("text/html", &html, &policy());
    let [finding] = found.findings.as_slice() else { panic!("{:?}", found.findings) };
    assert_eq!(finding.ascii, "xn--ypal-43d9g.com");
    assert_eq!(finding.target.as_deref(), Some("paypal.com"));
    assert_eq!((finding.done, found.edits.is_empty()), (Done::Edited, false));
    // It is allowed by the name in its finding, and by the rewriter's.
    for allowed in ["xn--ypal-43d9g.com", "safelinks.protection.outlook.com"] {
        let policy =
            Policy { allowed: std::sync::Arc::new(homograph::Names::new([allowed])), ..policy() };
        let found = outcome("text/html", &html, &policy);
        assert_eq!((found.edits.len(), found.findings[0].done), (0, Done::Exempt), "{allowed}");
    }
    let html = link("here", "fine.com").replace("data=1", "u=https://xn--ypal-43d9g.com");
    let policy =
        Policy { allowed: std::sync::Arc::new(homograph::Names::new(["fine.com"])), ..policy() };
    assert!(!outcome("text/html", &html, &policy).edits.is_empty(), "another one is not");
}

#[test]
fn an_allowed_host_in_the_path_or_the_query_of_a_harmless_one_is_left_alone() {
    let allowing = |names: &[&str]| {
        let allowed = std::sync::Arc::new(homograph::Names::new(names.iter().copied()));
        Policy { allowed, ..policy() }
    };
    for (text, is_left) in [
        (format!("http://good.com/?u=http://{BAD}/"), true),
        (format!("http://good.com/http://{BAD}/"), true),
        (format!("http://good.com/?u=http://{BAD}/&v=http://xn--80ak6aa92e.com/"), false),
        (format!("http://xn--80ak6aa92e.com/?u=http://{BAD}/"), false),
        (format!("http://good.com@x.com/?u=http://{BAD}/"), false),
    ] {
        let found = outcome("text/plain", &text, &allowing(&[BAD]));
        assert_eq!(found.edits.is_empty(), is_left, "{text}");
    }
}

#[test]
fn a_url_for_a_program_is_reported_by_the_host_that_it_opens() {
    let html = "<a href=\"app://open-url?url=https%3A%2F%2Fxn--ypal-43d9g.com\">x</a>";
    let found = outcome("text/html", html, &policy());
    let [finding] = found.findings.as_slice() else { panic!("{:?}", found.findings) };
    assert_eq!(finding.ascii, "xn--ypal-43d9g.com");
    assert!(!finding.reasons.contains(Reason::TldSyntax), "{:?}", finding.reasons);
    assert!(!found.edits.is_empty());
}

/// The domains of a plain text that are looked up in lists.
fn domains(body: &str, policy: &Policy) -> Vec<String> {
    let head = b"Content-Type: text/plain; charset=utf-8\r\n";
    let message = Message { head, body: body.as_bytes() };
    let facts = Facts { recipient_domains: vec!["ours.org".to_owned()], ..Facts::default() };
    inspect(message, &facts, policy, &tlds()).domains
}

#[test]
fn only_domains_of_links_are_looked_up() {
    let table = super::policy::lists::EntryHashes::of_names(["known.com"]);
    let listing = super::policy::lists::Listing {
        name: "x".to_owned(),
        verdict: Verdict::Suspect,
        table: std::sync::Arc::new(table),
        known: None,
    };
    let mut policy = Policy { ask_domains: super::policy::AskDomains::OfLinks, ..policy() };
    policy.allowed = std::sync::Arc::new(homograph::Names::new(["fine.com"]));
    policy.lists.listings = std::sync::Arc::new(vec![std::sync::Arc::new(listing)]);
    for (text, asked) in [
        ("http://a.b.bad.com/x?y=z www.bad.com", &["bad.com"] as &[&str]),
        ("https://B\u{fc}cher.com/", &["xn--bcher-kva.com"]),
        // The link in a rewriter's URL, and the rewriter.
        ("http://r.com/?u=https%3A%2F%2Fx.bad.org%2F", &["r.com", "bad.org"]),
        ("other.com/path", &["other.com"]),
        // Words, mail addresses, numbers, suffixes, unknown TLDs.
        ("so.org and end.However ann@bad.com mailto:ann@bad.com", &[]),
        ("http://192.0.2.1/ http://[2001:db8::1]/ http://com/ http://x.zznone/", &[]),
        // Protected, the recipients' own, allowed, listed already.
        ("http://www.paypal.com/ http://x.ours.org/ http://fine.com/ http://known.com/", &[]),
    ] {
        assert_eq!(domains(text, &policy), asked, "{text}");
    }
    policy.ask_domains = super::policy::AskDomains::No;
    assert_eq!(domains("http://bad.com/", &policy), [""; 0]);
}

#[test]
fn domains_beyond_the_limit() {
    let policy = Policy { ask_domains: super::policy::AskDomains::OfLinks, ..policy() };
    let many: String =
        (0..100).map(|n| format!("http://d{n}.com/ http://d{n}.com/x\r\n")).collect();
    assert_eq!(domains(&many, &policy).len(), policy.limits.domains);
}

#[test]
fn header_fields_are_judged_and_reported() {
    let head = "From: \"www.example.org\" <x@p\u{430}ypal.com>\r\nSubject: =?utf-8?q?see_p=D0=B0ypal.com?=\r\n";
    let message = Message { head: head.as_bytes(), body: b"" };
    let outcome = inspect(message, &Facts::default(), &policy(), &tlds()).resolve(&Answers::new());
    let found: Vec<_> = outcome
        .findings
        .iter()
        .map(|f| {
            format!(
                "{} {} {}",
                f.place,
                f.ascii,
                f.reasons.iter().map(|r| r.code()).collect::<Vec<_>>().join(",")
            )
        })
        .collect();
    assert_eq!(found.len(), 3, "{found:?}");
    assert!(
        found.iter().any(|line| line.starts_with("header:From www.example.org display-name-host")),
        "{found:?}"
    );
    assert!(
        found.iter().any(|line| line.starts_with("header:Subject xn--pypal-4ve.com")),
        "{found:?}"
    );
}

#[test]
fn a_harmless_host_may_be_deceptive_in_another_charset() {
    let head =
        "Content-Type: text/plain; charset=iso-8859-1\r\nContent-Transfer-Encoding: 8bit\r\n";
    let body = format!("see http://example.com/?u=http://{BAD}/ now\r\n");
    let message = Message { head: head.as_bytes(), body: body.as_bytes() };
    let outcome = inspect(message, &Facts::default(), &policy(), &tlds()).resolve(&Answers::new());
    assert_eq!(outcome.verdict, Verdict::Unsafe, "{:?}", outcome.findings);
    assert!(!outcome.edits.is_empty());
}

#[test]
fn a_tail_that_holds_an_a_label_is_searched() {
    for text in [
        "http://a.com/\"xn--80ak6aa92e.com",
        "a.com#xn--80ak6aa92e.com",
        "http://a.com/@XN--80ak6aa92e.com",
    ] {
        assert!(!plain(text).contains("92e.com"), "{text}");
    }
}

#[test]
fn a_missing_space_is_a_notice() {
    for text in ["Alan 50 m\u{b2}.It is", "x\u{b2}.At the end"] {
        let outcome = outcome("text/plain", text, &policy());
        assert!(outcome.verdict <= Verdict::Notice && outcome.edits.is_empty(), "{text}");
    }
}

#[test]
fn enriched_text_is_read_without_its_markup() {
    let read = edited("text/enriched", "https://p\u{430}y<bold>pal.com</bold>", &policy());
    assert!(!read.contains("pal.com"), "{read}");
}

#[test]
fn hidden_boxes_do_not_separate_text() {
    for thing in ["<input type=\"hidden\">", "<img src=cid:x width=0>"] {
        let read = html(&format!("<p>https://p\u{430}y{thing}pal.com</p>"));
        assert!(!read.contains("pal.com"), "{read}");
    }
}

#[test]
fn space_inside_the_angles_of_a_list_field_is_ignored() {
    let head = "List-Unsubscribe: <https://xn--80ak6\r\n aa92e.com/>,\r\n <mailto:u@a.com>\r\n";
    let message = Message { head: head.as_bytes(), body: b"" };
    let outcome = inspect(message, &Facts::default(), &policy(), &tlds()).resolve(&Answers::new());
    assert_eq!(outcome.verdict, Verdict::Unsafe);
    let open = "List-Unsubscribe: <https://a.com/ x\r\n";
    let message = Message { head: open.as_bytes(), body: b"" };
    let outcome = inspect(message, &Facts::default(), &policy(), &tlds()).resolve(&Answers::new());
    assert_eq!(outcome.verdict, Verdict::Ok);
}

#[test]
fn encoded_words_are_decoded_in_every_charset() {
    let (text, _, _) = encoding_rs::GB18030.encode("https://p\u{430}ypal.com/x");
    let octets: String = text.iter().map(|octet| format!("={octet:02X}")).collect();
    let head = format!("Subject: =?gb18030?Q?{octets}?=\r\nContent-Type: text/plain\r\n");
    let message = Message { head: head.as_bytes(), body: b"" };
    let outcome = inspect(message, &Facts::default(), &policy(), &tlds()).resolve(&Answers::new());
    assert_eq!(outcome.verdict, Verdict::Unsafe);
}
