//! A mail server's filter, for one message on its standard input:
//! `cargo run -p linkmilter-engine --example mail_server < message.eml`

use std::io::{self, Read, Write};

use linkmilter_engine::{Answers, Facts, Message, Policy, TldTable, inspect};

/// The message to deliver.
fn filtered(raw: &[u8]) -> Vec<u8> {
    // A real server builds these once, and reads the list of IANA:
    // data.iana.org/TLD/tlds-alpha-by-domain.txt.
    let (policy, tlds) = (Policy::default(), TldTable::new(["com", "org"], ""));
    let facts = Facts { recipient_domains: vec!["example.org".to_owned()], ..Facts::default() };
    let inspection = inspect(Message::split(raw), &facts, &policy, &tlds);
    // Top-level domains that the table lacks could be looked up in the DNS: `inspection.questions`.
    inspection.resolve(&Answers::new()).apply(raw)
}

fn main() -> io::Result<()> {
    let mut raw = Vec::new();
    io::stdin().read_to_end(&mut raw)?;
    io::stdout().write_all(&filtered(&raw))
}

#[test]
fn a_deceptive_link_is_defanged_and_the_rest_is_unchanged() {
    let raw = "Subject: Hi\r\n\r\nLog in at https://раypal.com/ or https://example.com/.\r\n";
    let out = String::from_utf8(filtered(raw.as_bytes())).unwrap();
    let body = "\r\n\r\nLog in at hxxps://xn--ypal-43d9g[.]com/ or https://example.com/.\r\n";
    assert!(out.ends_with(body), "{out}");
}
