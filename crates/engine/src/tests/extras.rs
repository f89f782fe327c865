//! What is written next to links: anchors and notices.

use super::*;

#[test]
fn no_anchor_is_written_in_another() {
    let policy = Policy { linkify: Linkify::Html, ..policy() };
    let linked = "<a href=\"http://www.example.com\">www.example.com</a>";
    for (text, with) in [
        ("<a name=top>see {} now</a> then {}.", "<a name=top>see www.example.com now</a> then {}."),
        ("<a name=top></a>see {}", "<a name=top></a>see {}"),
        // Parsers open it again in each paragraph.
        ("<p><a name=top>x</p><p>{}</p>", "<p><a name=top>x</p><p>www.example.com</p>"),
        ("<a id=x>y<a name=z>w</a> {}", "<a id=x>y<a name=z>w</a> {}"),
        ("<a id=x>{}<a name=z>{}</a>", "<a id=x>www.example.com<a name=z>www.example.com</a>"),
        ("<a id=x>y<a href=/>w</a> {}", "<a id=x>y<a href=/>w</a> {}"),
        // A cell ends it, and one in a cell does not end that around the table.
        (
            "<table><tr><td><a name=x>{}</td><td>{}</td></tr></table>{}",
            "<table><tr><td><a name=x>www.example.com</td><td>{}</td></tr></table>{}",
        ),
        (
            "<a id=x><table><tr><td><a name=y></a>{}</td></tr></table>{}</a> {}",
            "<a id=x><table><tr><td><a name=y></a>www.example.com</td></tr></table>www.example.com</a> {}",
        ),
        // `</button>` ends no `<a>`.
        ("<a href=/>x</button> {} </a> {}", "<a href=/>x</button> www.example.com </a> {}"),
    ] {
        let plain = text.replace("{}", "www.example.com");
        assert_eq!(edited("text/html", &plain, &policy), with.replace("{}", linked), "{text}");
    }
}

#[test]
fn the_title_of_a_dead_button_says_so() {
    let policy = Policy { notice: Notice::Inline, ..policy() };
    for (tag, rest) in [
        ("area", " shape=rect coords=0,0,9,9 href=http://{}/ alt=x>"),
        ("button", " formaction=http://{}/ title=Go>Go</button>"),
        ("input", " type=submit formaction=http://{}/>"),
        ("form", " action=http://{}/><button>Go</button></form>"),
        ("img", " src=http://{}/x.png alt=x>"),
    ] {
        let text = edited("text/html", &format!("<{tag}{}", rest.replace("{}", BAD)), &policy);
        let title = format!("<{tag} title=\"misleading link, disabled\" ");
        assert!(text.starts_with(&title) && !text.contains("[misleading"), "{text}");
        let honest = format!("<{tag}{}", rest.replace("{}", "example.com"));
        assert_eq!(edited("text/html", &honest, &policy), honest);
    }
    // What nobody sees has none.
    for hidden in ["<base href=http://{}/>", "<link href=http://{}/ rel=stylesheet>"] {
        let text = edited("text/html", &hidden.replace("{}", BAD), &policy);
        assert!(!text.contains("misleading"), "{text}");
    }
}

#[test]
fn a_dead_call_says_so() {
    let policy = Policy { notice: Notice::Inline, defang: Defang::All, ..policy() };
    for call in ["tel:+123", "sms:+1?body=hello"] {
        assert_eq!(
            edited("text/html", &format!("<a href=\"{call}\">call</a>"), &policy),
            format!(
                "<a title=\"link disabled\" data-unsafe-href=\"{call}\">[link disabled] call</a>"
            )
        );
    }
}

#[test]
fn escapes_of_a_host_are_decoded_before_it_is_spelled_in_ascii() {
    for (host, dead) in [
        ("\u{440}\u{430}ypal%2Ecom", "xn--ypal-43d9g[.]com"),
        ("\u{440}%D0%B0ypal.com", "xn--ypal-43d9g[.]com"),
        ("%D1%80%D0%B0ypal.com", "xn--ypal-43d9g[.]com"),
        ("www.\u{440}%D0%B0ypal%2ecom", "www[.]xn--ypal-43d9g[.]com"),
    ] {
        assert_eq!(plain(&format!("http://{host}/x\r\n")), format!("hxxp://{dead}/x\r\n"));
        assert_eq!(
            html(&format!("<a href=\"http://{host}/x\">y</a>")),
            format!("<a data-unsafe-href=\"hxxp://{dead}/x\">y</a>")
        );
        let body = format!("http://{host}/x\r\n");
        let finding = &outcome("text/plain", &body, &policy()).findings[0];
        assert_eq!(finding.ascii, dead.replace("[.]", "."));
    }
}

#[test]
fn controls_of_direction_divide_no_host() {
    let divides = |kind: &str, text: &str| {
        let outcome = outcome(kind, text, &policy());
        outcome
            .findings
            .iter()
            .any(|one| one.reasons.contains(Reason::BidiControl) && one.verdict >= Verdict::Suspect)
    };
    let controls = ["\u{61c}\u{200e}\u{200f}", "\u{202a}\u{202b}\u{202c}\u{202d}"].concat()
        + "\u{2066}\u{2067}\u{2068}\u{2069}";
    for control in controls.chars() {
        let with = |text: &str| format!("see {} now", text.replace('|', &control.to_string()));
        for kind in ["text/plain", "text/html"] {
            for lure in
                ["http://exam|ple.com/x", "exam|ple.com", "www.example.co|m", "a@exam||ple.org"]
            {
                assert!(divides(kind, &with(lure)), "{control:?} {kind} {lure}");
            }
            for fine in [
                "|example.com|",
                "|http://example.com/x|, |a@example.org|",
                "\u{5d0}\u{5d1}|example.com|\u{5d2}",
                "http://example.com/x|y",
                "(|example.com|)",
            ] {
                assert!(!divides(kind, &with(fine)), "{control:?} {kind} {fine}");
            }
        }
    }
}

/// A host of a proxy names the site behind it whether a path follows or not.
#[test]
fn a_host_that_names_another_needs_no_path() {
    for tail in ["", "/", "/x", "?x=1"] {
        let found = |host: &str, shown: &str| {
            let body = format!("<a href=\"https://{host}.translate.goog{tail}\">{shown}</a>");
            let head = b"Content-Type: text/html\r\n";
            let message = Message { head, body: body.as_bytes() };
            let tlds = TldTable::new(["com", "goog", "top"], "");
            inspect(message, &Facts::default(), &policy(), &tlds).resolve(&Answers::new())
        };
        let of = |host: &str| found(host, "x").findings.first().map(|one| one.ascii.clone());
        assert_eq!(of("www-paypal-com").as_deref(), Some("www.paypal.com"), "{tail}");
        assert_eq!(found("www-paypal-com", "www.paypal.com").verdict, Verdict::Notice, "{tail}");
        assert_eq!(found("evil-top", "www.paypal.com").verdict, Verdict::Suspect, "{tail}");
        assert_eq!(found("xn----ypal--43d9g-com", "x").verdict, Verdict::Unsafe, "{tail}");
    }
}
