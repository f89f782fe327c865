//! Every action in every place: what stays alive is only what the policy asked to leave.

use super::*;
use crate::outcome::RawEdit;
use crate::policy::{Actions, LinkAction};

/// A kind of text, with `{}` where the link stands.
const PLACES: &[(&str, &str)] = &[
    ("text/plain", "see {} now\r\n"),
    ("text/plain; format=flowed", "> see {} now\r\n"),
    ("text/html", "<p>see {} now</p>"),
    ("text/html", "<a href=\"{}\">x</a>"),
    ("text/html", "<area href=\"{}\">"),
    ("text/html", "<img src=\"{}\" alt=x>"),
    ("text/html", "<img srcset=\"{} 2x\" alt=x>"),
    ("text/html", "<form action=\"{}\"><button>x</button></form>"),
    ("text/html", "<button formaction=\"{}\">x</button>"),
    ("text/html", "<base href=\"{}\"><a href=\"/x\">x</a>"),
    ("text/html", "<meta http-equiv=refresh content=\"0; url={}\">"),
    ("text/html", "<p style=\"background: url({})\">x</p>"),
    ("text/html", "<style>p { background: url({}) }</style>"),
    ("text/html", "<img alt=\"see {} now\" src=x>"),
    ("text/html", "<input value=\"{}\">"),
    ("text/html", "<p onclick=\"location.href='{}'\">x</p>"),
    ("text/html", "<script>location.href = '{}'</script>"),
    ("text/html", "<iframe srcdoc=\"&lt;a href='{}'&gt;x&lt;/a&gt;\"></iframe>"),
    ("text/html", "<!--[if mso]><a href=\"{}\">x</a><![endif]-->"),
    ("text/html", "<svg><a xlink:href=\"{}\"><text>x</text></a></svg>"),
    ("text/html", "<a href=\"{}\">x</a><p data-x=\"{}\">y</p>"),
    ("text/xml", "<r><link>{}</link></r>"),
    ("text/calendar", "BEGIN:VEVENT\r\nURL:{}\r\nEND:VEVENT\r\n"),
    ("text/calendar", "BEGIN:VEVENT\r\nDESCRIPTION:see {} now\r\nEND:VEVENT\r\n"),
    ("text/vcard", "BEGIN:VCARD\r\nURL:{}\r\nEND:VCARD\r\n"),
];

/// Links that deceive: by their own host, by a host before an at sign, by a host in the query.
fn lies() -> [String; 4] {
    [
        format!("http://{BAD}/x"),
        format!("http://{BAD}/\u{442}x"),
        format!("https://www.paypal.com@{BAD}/x"),
        format!("http://example.com/?u=http://{BAD}/"),
    ]
}

fn acting(action: LinkAction) -> Policy {
    let verdicts = [Verdict::Unsafe, Verdict::Invalid];
    let by_verdict = verdicts.map(|verdict| (verdict, action)).into();
    Policy { link_actions: Actions { by_verdict, ..Actions::default() }, ..policy() }
}

#[test]
fn no_action_leaves_a_lie_alive_but_to_leave_it() {
    for (kind, text) in PLACES {
        for lie in lies() {
            let body = text.replace("{}", &lie);
            assert!(!outcome(kind, &body, &policy()).edits.is_empty(), "{body}");
            assert_eq!(edited(kind, &body, &acting(LinkAction::Leave)), body);
            for action in [LinkAction::PercentEncode, LinkAction::Unlink, LinkAction::Defang] {
                let dead = edited(kind, &body, &acting(action));
                // A dead host may still be spelled in its letters.
                let respells = |edit: &RawEdit| {
                    edit.replacement.starts_with(b"xn--") && action == LinkAction::Unlink
                };
                let left = outcome(kind, &dead, &policy()).edits;
                assert!(left.iter().all(respells), "{action:?}: {body} became {dead}");
            }
            let shown = edited(kind, &body, &acting(LinkAction::Punycode));
            // Behind a login in an attribute that no client follows the host is shown in Punycode where it is linked.
            let is_apart = body.contains("data-x") && body.contains('@');
            assert!(is_apart || !shown.contains(BAD), "{body} became {shown}");
        }
    }
}

#[test]
fn the_action_says_how_a_link_is_edited() {
    let text =
        |action, link: &str| edited("text/plain", &format!("see {link} now\r\n"), &acting(action));
    let (lie, user) = (format!("http://{BAD}/x"), format!("https://www.paypal.com@{BAD}/x"));
    let query = format!("http://example.com/?u=http://{BAD}/");
    for (action, link, expected) in [
        (LinkAction::Unlink, &lie, "hxxp://p\u{430}ypal[.]com/x".to_owned()),
        (LinkAction::Punycode, &lie, format!("http://{CODE}.com/x")),
        (LinkAction::PercentEncode, &lie, format!("hxxp://{CODE}[.]com/x")),
        (LinkAction::Defang, &lie, format!("hxxp://{CODE}[.]com/x")),
        (LinkAction::Punycode, &user, format!("hxxps://www[.]paypal[.]com[@]{CODE}[.]com/x")),
        (LinkAction::Punycode, &query, format!("hxxp://example[.]com/?u=hxxp://{CODE}[.]com/")),
    ] {
        assert_eq!(text(action, link), format!("see {expected} now\r\n"), "{action:?} {link}");
    }
    // What is shown in Punycode already is as the policy asks.
    let shown = format!("http://{CODE}.com/x");
    assert_eq!(text(LinkAction::Punycode, &shown), format!("see {shown} now\r\n"));
}

fn by_reason(action: [(Reason, LinkAction); 1]) -> Actions<LinkAction> {
    Actions { by_reason: action.into(), ..Actions::default() }
}

#[test]
fn a_path_that_mixes_scripts_does_not_save_a_lie() {
    let asked = [(Reason::ScriptPath, LinkAction::PercentEncode)];
    let policy = Policy { link_actions: by_reason(asked), ..policy() };
    let fine = edited("text/plain", "see http://example.com/iPhone_\u{e23} now\r\n", &policy);
    assert_eq!(fine, "see http://example.com/iPhone_%E0%B8%A3 now\r\n");
    let lie = edited("text/plain", &format!("see http://{BAD}/iPhone_\u{e23} now\r\n"), &policy);
    assert_eq!(lie, format!("see hxxp://{CODE}[.]com/iPhone_\u{e23} now\r\n"));
}

/// Whoever deceives could add what a policy leaves alone.
#[test]
fn what_is_left_for_one_reason_excuses_no_other() {
    let leaving = |reason| Policy {
        link_actions: by_reason([(reason, LinkAction::Leave)]),
        blocked: std::sync::Arc::new(homograph::Names::new(["blocked.example.com"])),
        ..policy()
    };
    for (reason, lie) in [
        (Reason::EmbeddedUrl, "https://blocked.example.com/?u=https://example.org/".to_owned()),
        (Reason::Userinfo, format!("https://x@{BAD}/")),
        (Reason::DotVariant, format!("https://www\u{3002}{BAD}/")),
        (Reason::ScriptPath, format!("https://{BAD}/iPhone_\u{e23}")),
        (Reason::HyphenPrefix, format!("https://ab--cd.{BAD}/")),
        (Reason::MixedScript, format!("https://{BAD}/")),
    ] {
        let found = outcome("text/plain", &format!("see {lie} now\r\n"), &leaving(reason));
        assert_ne!(found.edits, [], "{reason}: {lie}");
    }
    for (reason, left) in [
        (Reason::Userinfo, "https://www.paypal.com@example.com/"),
        (Reason::MixedScript, "https://h\u{430}rbourb\u{430}nk.com/"),
    ] {
        let body = format!("see {left} now\r\n");
        assert_ne!(outcome("text/plain", &body, &policy()).edits, [], "{left}");
        assert_eq!(outcome("text/plain", &body, &leaving(reason)).edits, [], "{left}");
    }
}

#[test]
fn a_host_in_a_query_begins_behind_an_escaped_slash() {
    for (escaped, expected) in [
        (
            "http://example.com/?u=https%3A%2F%2F{}%2Fx",
            "hxxp://example[.]com/?u=https%3A%2F%2F{}%2Fx",
        ),
        (
            "http://example.com/?u=https%253a%252f%252f{}/",
            "hxxp://example[.]com/?u=https%253a%252f%252f{}/",
        ),
        ("go?u=https%3A%2F%2F{}/", "go?u=https%3A%2F%2F{}/"),
        ("http%3A%2F%2F{}", "http%3A%2F%2F{}"),
    ] {
        let body = format!("see {} now\r\n", escaped.replace("{}", BAD));
        let found = outcome("text/plain", &body, &policy());
        let hosts: Vec<&str> = found.findings.iter().map(|found| found.ascii.as_str()).collect();
        assert!(!hosts.iter().any(|host| host.contains("2f")), "{body}: {hosts:?}");
        let dead = expected.replace("{}", &format!("{CODE}[.]com"));
        assert_eq!(plain(&body), format!("see {dead} now\r\n"));
    }
    // An A-label behind the escape is read as one.
    let found =
        outcome("text/plain", &format!("see u=https%3A%2F%2F{CODE}.com/ now\r\n"), &policy());
    assert_eq!(found.verdict, Verdict::Unsafe);
    // Honest hosts stay.
    for honest in ["u=https%3A%2F%2Fwww.paypal.com/", "a%20example.com", "50%25.example.com"] {
        let found = outcome("text/plain", &format!("see {honest} now\r\n"), &policy());
        assert_eq!((found.verdict, found.edits.len()), (Verdict::Ok, 0), "{honest}");
    }
    // Nor is such a host what the link around it is said to lead to.
    let escaped = "vscode://git/clone?url=https%3A%2F%2Fgithub.com%2Fa";
    for html in [
        format!("<a href=\"https://www.example.com/\" title=\"{escaped}\">Page</a>"),
        format!("<a href=\"https://www.example.com/\">{escaped}</a>"),
    ] {
        assert!(outcome("text/html", &html, &policy()).verdict < Verdict::Suspect, "{html}");
    }
}
