//! Fields with deceptive links.

use crate::policy::HeaderFields;
use crate::{Answers, Facts, Message, Policy, TldTable, inspect};

/// They are parsed by themselves, one after another.
#[test]
fn deceptive_fields_are_reported_with_their_place() {
    let fields = "Subject: hi\r\nX-A: http://р\u{430}ypal.com x\r\nX-B: y\r\nX-C: http://p\u{430}ypal.org z\r\n";
    let policy = Policy { header_fields: HeaderFields::Omit, ..Policy::default() };
    let tlds = TldTable::new(["com", "org"], "");
    // After a line that is no field it is not known what other programs see.
    let others = fields.strip_prefix("Subject: hi\r\n").unwrap_or_default();
    for head in [fields.to_owned(), format!("{fields}no field\r\nX-D: z\r\n"), others.to_owned()] {
        let message = Message { head: head.as_bytes(), body: b"" };
        let facts = Facts::default();
        let outcome = inspect(message, &facts, &policy, &tlds).resolve(&Answers::new());
        let found = outcome.findings.iter().filter(|finding| finding.place.to_string() != "text");
        let values: Vec<&str> = found.map(|finding| head[finding.span.clone()].trim()).collect();
        assert_eq!(values, ["http://р\u{430}ypal.com x", "http://p\u{430}ypal.org z"]);
    }
}

/// As in the body, a sign ends no host where it goes on to browsers.
#[test]
fn hosts_with_signs_are_reported() {
    let targets = |head: &str| {
        let policy = Policy { header_fields: HeaderFields::Omit, ..Policy::default() };
        let tlds = TldTable::new(["com", "org"], "");
        let message = Message { head: head.as_bytes(), body: b"" };
        let outcome = inspect(message, &Facts::default(), &policy, &tlds).resolve(&Answers::new());
        assert!(outcome.edits.is_empty() && outcome.head_edits.is_empty());
        let found = outcome.findings.iter().filter(|it| it.verdict == crate::Verdict::Unsafe);
        found.map(|it| format!("{} {}", it.place, it.spelling)).collect::<Vec<_>>()
    };
    for (head, found) in [
        (
            "List-Unsubscribe: <https://р\u{430}ypal+x.a.org/>\r\n",
            "header:List-Unsubscribe https://р\u{430}ypal+x.a.org",
        ),
        ("Subject: https://app\u{964}e.com/ now\r\n", "header:Subject https://app\u{964}e.com"),
        ("X-A: https://app\u{964}e.com/\r\n", "header:X-A https://app\u{964}e.com"),
    ] {
        assert_eq!(targets(head), [found], "{head}");
    }
    for head in [
        "Subject: https://www.example.com+https://a.example.org\r\n",
        "List-Unsubscribe: <https://a.org/?x=a+b.com>, <mailto:a+b@c.org>\r\n",
        "Subject: www.example.com–www.example.org\r\n",
    ] {
        assert!(targets(head).is_empty(), "{head}");
    }
}

/// What a program opens as the body of an attachment is judged as a link is.
#[test]
fn attachments_that_are_elsewhere_are_reported() {
    let found = |field: &str| {
        let body = format!(
            "--b\r\nContent-Type: application/pdf; name=a.pdf\r\n{field}\r\n\r\nx\r\n--b--\r\n"
        );
        let head = b"Content-Type: multipart/mixed; boundary=b\r\n";
        let message = Message { head, body: body.as_bytes() };
        let tlds = TldTable::new(["com", "top"], "");
        let outcome =
            inspect(message, &Facts::default(), &Policy::default(), &tlds).resolve(&Answers::new());
        let found = outcome.findings.iter().filter(|it| it.verdict >= crate::Verdict::Suspect);
        found.map(|it| it.place.to_string()).collect::<Vec<_>>()
    };
    for (url, is_reported) in [
        ("https://www.p\u{430}ypal.com/x", true),
        ("https://www.paypal.com.verify.top/x", true),
        ("file://evil.top/share/x.exe", true),
        ("javascript:alert(document.cookie)", true),
        ("https://files.fine.com/a.pdf", false),
        ("file:///C:/Users/ann/a.pdf", false),
    ] {
        for (name, field) in [
            ("X-Mozilla-External-Attachment-URL", url.to_owned()),
            ("X-Mozilla-Cloud-Part", format!("cloudFile; url=\"{url}\"")),
        ] {
            let places = found(&format!("{name}: {field}"));
            assert_eq!(places.contains(&format!("header:{name}")), is_reported, "{url} {places:?}");
        }
    }
}

/// Programs show the addresses of a list as links, that of the message in its archive among them.
#[test]
fn addresses_of_a_list_are_judged() {
    let found = |field: &str| {
        let head = format!("From: ann@example.org\r\n{field}\r\nSubject: x\r\n");
        let message = Message { head: head.as_bytes(), body: b"" };
        let tlds = TldTable::new(["com", "org", "top"], "");
        let outcome =
            inspect(message, &Facts::default(), &Policy::default(), &tlds).resolve(&Answers::new());
        let mut found = outcome.findings.iter();
        let found = found.find(|it| it.verdict >= crate::Verdict::Suspect);
        found.map(|it| it.place.to_string())
    };
    for name in ["Archived-At", "List-Archive", "List-Unsubscribe"] {
        for lure in [
            "<https://www.paypal.com.verify.top/x>",
            "<https://paypal-login.top/x>",
            "<https://www.paypal\r\n .com.verify.top/x>",
            "<https://www.p\u{430}ypal.com/x>",
        ] {
            let place = found(&format!("{name}: {lure}"));
            assert_eq!(place, Some(format!("header:{name}")), "{lure}");
        }
        for fine in [
            "<https://lists.example.org/archives/list/dev@example.org/message/ABC/>",
            "<https://www.example.org/mid/ABC@paypal.com>",
            "<https://lists.example.org/arc/dev/2026-01/msg1.html>;\r\n x=\"y\"",
            "<https://www.paypal.com/x>",
        ] {
            assert_eq!(found(&format!("{name}: {fine}")), None, "{fine}");
        }
    }
    // A line that is no field: what other programs see is not known.
    let place = found("no field\r\nArchived-At: <https://www.paypal.com.verify.top/x>");
    assert_eq!(place.as_deref(), Some("header:Archived-At"));
}

/// A header may begin with `From :`, which mailboxes begin with as well.
#[test]
fn a_sender_with_a_blank_before_the_colon_is_read() {
    let found = |head: &str| {
        let message = Message { head: head.as_bytes(), body: b"" };
        let tlds = TldTable::new(["com", "org"], "");
        let policy = Policy { header_fields: HeaderFields::Omit, ..Policy::default() };
        let outcome = inspect(message, &Facts::default(), &policy, &tlds).resolve(&Answers::new());
        let found = outcome.findings.into_iter();
        let mut found = found.filter(|it| it.reasons.contains(crate::Reason::DisplayNamePoses));
        found.next().map(|it| head[it.span].trim().to_owned())
    };
    let lie = "PayPal Support <x@evil.org>";
    for name in ["From :", "From  \t:", "From\t:", "from :", "Subject: a\r\nFrom :"] {
        let shown = found(&format!("{name} {lie}\r\nTo: b@example.org\r\n"));
        assert_eq!(shown.as_deref(), Some(lie), "{name}");
    }
    let first = found(&format!("From : {lie}\r\nFrom: Ann <ann@example.org>\r\n"));
    assert_eq!(first.as_deref(), Some(lie));
    assert_eq!(found("From : PayPal <service@paypal.com>\r\n"), None);
    let envelope = format!("From x@evil.org Mon Nov 30 2026\r\nFrom: {lie}\r\n");
    assert_eq!(found(&envelope).as_deref(), Some(lie));
}
