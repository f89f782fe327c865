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
    worst(head, &format!("<p>x <a href=\"https://groups.google.com/g/x/u/1\">{seen}</a></p>\r\n"))
}

#[test]
fn anchors_show_the_addresses_of_persons() {
    for seen in ["ann.smith@gmail.com", "bob@outlook.com", "Ann &lt;ann@hotmail.fr&gt;"] {
        assert!(of_link(seen) <= Verdict::Notice, "{seen}");
    }
    for seen in [
        "outlook.com", "https://hotmail.fr/", "www.yahoo.com", "service@paypal.com",
        "ann@mybank.com",
    ] {
        assert_eq!(of_link(seen), Verdict::Suspect, "{seen}");
    }
}

/// Phish shows the address of its reader over a site that nobody knows.
#[test]
fn over_a_site_of_nobody_known_an_address_is_suspect() {
    let head = "Content-Type: text/html; charset=utf-8";
    for led in [
        "https://offers.example.com/t/1",
        "https://docs.google.com/x",
        "https://evil.com/?u=https://www.google.com",
    ] {
        let html = format!("<a href=\"{led}\">ann@gmail.com</a>\r\n");
        assert_eq!(worst(head, &html), Verdict::Suspect, "{led}");
    }
}

/// Who writes to the one writes to the other.
#[test]
fn an_address_leads_to_no_other_address() {
    let head = "Content-Type: text/html; charset=utf-8";
    let html = "<a href=\"mailto:ann@evil.com\">ann@gmail.com</a>\r\n";
    assert_eq!(worst(head, html), Verdict::Suspect);
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

#[test]
fn papers_and_offices_of_travel_are_no_brands() {
    let of_name =
        |name: &str| worst(&format!("From: {name} <x@firma.de>\r\nContent-Type: text/plain"), "x");
    for name in [
        "e-Visa",
        "eVisa",
        "Visa Compliance Team",
        "9to5Google",
        "Office 365 for IT Pros",
        "Microsoft Alumni Network",
        "Amazon Watchblog",
    ] {
        assert!(of_name(name) <= Verdict::Notice, "{name}");
    }
    for name in ["Visa Support", "Google Support", "Office 365 Support", "Amazon Support"] {
        assert_eq!(of_name(name), Verdict::Suspect, "{name}");
    }
}
