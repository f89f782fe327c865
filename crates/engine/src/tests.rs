use super::outcome::{Done, Place};
use super::policy::{Defang, HeaderFields, Linkify, Mode, Notice, Report};
use super::*;

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

/// The body as it goes on.
fn edited(kind: &str, body: &str, policy: &Policy) -> String {
    let outcome = outcome(kind, body, policy);
    let bytes = splice::apply::apply(body.as_bytes(), &outcome.edits).to_vec();
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
fn plain_text_is_taken_apart_so_that_no_piece_is_live() {
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

#[test]
fn values_that_cannot_go_lead_nowhere() {
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
fn hosts_of_fine_links_are_remembered_up_to_a_bound() {
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

/// A notice in plain text: the language is the reader's where charset and transfer encoding allow it.
#[test]
fn a_notice_is_in_the_language_that_the_part_can_hold() {
    const ENGLISH: &str = "misleading link, disabled";
    const RUSSIAN: &str = "обманчивая ссылка, отключена";
    const JAPANESE: &str = "紛らわしいリンクのため無効にしました";
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
    // What a client may read as either charset gets ASCII.
    assert!(
        after("fr", "iso-8859-1", "8bit", utf8.as_bytes())
            .ends_with(b" [lien trompeur, mis hors service]\r\n")
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
fn linkify_never_puts_together_what_was_taken_apart() {
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
fn an_unknown_tld_is_asked_for_and_decides() {
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
fn every_tld_is_asked_for_on_request_and_the_table_decides_without_an_answer() {
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
fn what_is_harmless_in_one_charset_may_lie_in_another() {
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
fn a_slip_of_the_space_bar_is_a_notice() {
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
fn things_that_nobody_sees_part_no_text() {
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
