//! Files of the reader's own disk, as word processors write them into pages; twins of known names behind `www.`.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

use linkmilter_engine::policy::HeaderFields;
use linkmilter_engine::splice::apply;
use linkmilter_engine::{Answers, Facts, Message, Policy, TldTable, inspect};

fn filtered(kind: &str, body: &str) -> String {
    let policy = Policy { header_fields: HeaderFields::Omit, ..Policy::default() };
    let tlds = TldTable::new(["com", "org"], "");
    let head = format!("Content-Type: {kind}; charset=utf-8\r\n");
    let message = Message { head: head.as_bytes(), body: body.as_bytes() };
    let outcome = inspect(message, &Facts::default(), &policy, &tlds).resolve(&Answers::new());
    String::from_utf8(apply(body.as_bytes(), &outcome.edits).to_vec()).unwrap()
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
            assert_eq!(filtered("text/html", &body), body);
        }
    }
    // Another machine gets a hash of the reader's password.
    let body = "<a href=\"file://evil.com/share/a.docx\">x</a>";
    assert_ne!(filtered("text/html", body), body);
}

#[test]
fn twins_of_known_names_behind_www() {
    for host in [
        "www.раypal－login.com",
        "https://xn－－ypal-43d9g.com/x",
        "https://APPLΕ.COM",
        "CНASE.COM",
    ] {
        for kind in ["text/plain", "text/html"] {
            let body = format!("Please log in at {host} now.\r\n");
            assert_ne!(filtered(kind, &body), body, "{kind}");
        }
    }
    for host in ["www.example.com－example.org", "https://example.com－example.org/"] {
        let body = format!("see {host} now\r\n");
        assert_eq!(filtered("text/plain", &body), body);
    }
}
