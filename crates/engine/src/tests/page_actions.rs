use crate::Dmarc;
use crate::outcome::{Reason, Verdict};
use crate::tests::to_harbour;

fn in_attributes(action: &str) -> String {
    let of = |kind: &str| format!("itemscope itemtype=\"http://schema.org/{kind}\"");
    let (message, action_of) = (of("EmailMessage"), of("ViewAction"));
    let head = "<div itemprop=potentialAction";
    format!("<div {message}>{head} {action_of}>{action}</div></div><p>Hi")
}

fn in_json(action: &str) -> String {
    let context = "\"@context\":\"http://schema.org\",\"@type\":\"EmailMessage\"";
    format!(
        "<script type=\"application/ld+json\">{{{context},\"potentialAction\":{action}}}</script><p>Hi"
    )
}

/// The verdict of a page with an action whose name differs from where it leads.
fn differs(page: &str) -> Option<Verdict> {
    let outcome = to_harbour("Ann <ann@fine.com>", "text/html", page, Dmarc::Unknown);
    assert_eq!(outcome.edits, []);
    let mut findings = outcome.findings.iter();
    let found = findings.find(|one| one.reasons.contains(Reason::TextHrefMismatch));
    found.map(|one| {
        assert_eq!(one.place.to_string(), "action[url]");
        one.verdict
    })
}

#[test]
fn the_name_of_an_action_is_compared_with_where_it_leads() {
    let lure = |url: &str| {
        in_json(&format!("{{\"@type\":\"ViewAction\",{url},\"name\":\"www.paypal.com\"}}"))
    };
    for page in [
        lure("\"url\":\"https://evil.top/x\""),
        lure("\"target\" : \"https:\\/\\/evil.top\\/x\""),
        lure("\"target\":[\"https://evil.top/x\"]"),
        lure("\"target\":{\"@type\":\"EntryPoint\",\"urlTemplate\":\"https://evil.top/x\"}"),
        lure("\"handler\":{\"@type\":\"HttpActionHandler\",\"url\":\"https://evil.top/x\"}"),
        lure("\"x\":\"\\\\\",\"url\":\"https://www.paypal.com\",\"target\":\"https://evil.top\""),
        in_json(
            "[{\"@type\":\"SaveAction\",\"name\":\"Save\"},{\"name\":\"Open\\u0020paypal.com\",\
             \"url\":\"https://evil.top/\",\"@type\":\"http://schema.org/ViewAction\"}]",
        ),
        in_attributes(
            "<link itemprop=target href=\"https://evil.top/x\"><meta itemprop=name \
             content=\"www.paypal.com\">",
        ),
        in_attributes(
            "<a itemprop=\"url\" href=\"https://evil.top/x\"><b itemprop=name>www.paypal&#46;com\
             </b></a>",
        )
        .replace("<a ", "<link ")
        .replace("</a>", ""),
    ] {
        assert_eq!(differs(&page), Some(Verdict::Suspect), "{page}");
    }
}

#[test]
fn honest_actions_and_other_data() {
    for page in [
        in_json(
            "{\"@type\":\"ViewAction\",\"url\":\"https://fine.com/1\",\"name\":\"View order\"}",
        ),
        in_json(
            "{\"@type\":\"ViewAction\",\"url\":\"https://www.paypal.com/1\",\"name\":\"paypal.com\"}",
        ),
        in_json("{\"@type\":\"ViewAction\",\"url\":\"https://evil.top/1\",\"name\":\"fine.com\"}"),
        in_json("{\"@type\":\"Offer\",\"url\":\"https://evil.top/1\",\"name\":\"www.paypal.com\"}"),
        in_json(
            "{\"@type\":\"ViewAction\",\"url\":\"https://www.paypal.com/1\",\"name\":\"paypal.com\",\
             \"object\":{\"@type\":\"Offer\",\"name\":\"x\",\"url\":\"https://fine.com\"}}",
        ),
        in_json("{\"@type\":\"ViewAction\",\"url\":\"https://evil.top\",\"name\":\"paypal.com"),
        in_attributes(
            "<link itemprop=url href=\"https://fine.com/\"><meta itemprop=name content=Open>",
        ),
        in_attributes(
            "<div itemscope itemtype=\"http://schema.org/Offer\"><meta itemprop=name \
             content=\"paypal.com\"><link itemprop=url href=\"https://fine.com/\"></div>",
        ),
    ] {
        assert_eq!(differs(&page), None, "{page}");
    }
    for deep in ["{", "{\"a\":", "[{\"url\":\"", "\"\\", "{\"name\":\"paypal.com\",\"url\":{"] {
        assert_eq!(differs(&in_json(&deep.repeat(5_000))), None);
    }
}
