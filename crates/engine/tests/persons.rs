//! Mail addresses where everybody can have one, in place of a site: they claim to be a person.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

mod common;

use linkmilter_engine::Verdict;

/// The worst verdict of a message.
fn worst(head: &str, body: &str) -> Verdict {
    let outcome = common::outcome(head, body.as_bytes());
    outcome.findings.iter().map(|finding| finding.verdict).max().unwrap_or(Verdict::Ok)
}

/// The worst verdict of a link that shows this text.
fn of_link(seen: &str) -> Verdict {
    let head = "From: shop@firma.de\r\nContent-Type: text/html; charset=utf-8";
    worst(head, &format!("<p>x <a href=\"https://crm.firma.de/contact/1\">{seen}</a></p>\r\n"))
}

#[test]
fn anchors_show_the_addresses_of_persons() {
    for seen in ["ann.smith@gmail.com", "bob@outlook.com", "Ann &lt;ann@hotmail.fr&gt;"] {
        assert!(of_link(seen) <= Verdict::Notice, "{seen}");
    }
    for seen in
        ["gmail.com", "https://gmail.com/", "www.gmail.com", "service@paypal.com", "ann@mybank.com"]
    {
        assert_eq!(of_link(seen), Verdict::Suspect, "{seen}");
    }
}

#[test]
fn names_of_senders_give_the_addresses_of_persons() {
    let of_name = |name: &str| {
        worst(&format!("From: {name} <x@lists.firma.de>\r\nContent-Type: text/plain"), "x")
    };
    for name in ["\"ann@gmail.com via Contact form\"", "\"ann at gmail.com\"", "\"ann@hotmail.fr\""]
    {
        assert!(of_name(name) <= Verdict::Notice, "{name}");
    }
    for name in [
        "\"gmail.com\"",
        "\"www.gmail.com\"",
        "\"Login at gmail.com\"",
        "\"at gmail.com\"",
        "\"ann@paypal.com\"",
        "\"ann at mybank.com\"",
        "\"Proton Mail Alert notification@proton.me\"",
        "\"paypal.service@gmail.com\"",
    ] {
        assert_eq!(of_name(name), Verdict::Suspect, "{name}");
    }
}
