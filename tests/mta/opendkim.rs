//! DKIM before and behind the filter: what an edit breaks, `restore` mends.

use super::rig::daemon::Daemon;
use super::rig::letters::{CLEAN, MIXED};
use super::rig::mailbox::{Delivered, crlf};
use super::rig::opendkim::{Keys, as_sent};
use super::rig::postfix::Postfix;
use super::rig::smtp::Letter;
use super::rig::{restored, restored_message};

/// A message signed by example.com, as it arrives.
fn signed(keys: &Keys, data: &str) -> Vec<u8> {
    let signer = keys.serve("s");
    let outbound = Postfix::start(&signer.place, "");
    let letter = Letter { parameters: "BODY=8BITMIME", ..Letter::new(data.as_bytes()) };
    assert_eq!(outbound.send(&letter).0, 250);
    as_sent(&outbound.mailbox().only())
}

/// Through a Postfix with opendkim verifying first, then the filter.
fn received(keys: &Keys, message: &[u8]) -> Delivered {
    let verifier = keys.serve("v");
    let daemon = Daemon::start("");
    let inbound = Postfix::start(&format!("{}, {}", verifier.place, daemon.places[0]), "");
    let letter = Letter { parameters: "BODY=8BITMIME", ..Letter::new(message) };
    let reply = inbound.send(&letter);
    assert_eq!(reply.0, 250, "{}", reply.1);
    let delivered = inbound.mailbox().only();
    let results = delivered.fields("Authentication-Results");
    assert!(results.iter().any(|result| result.contains("dkim=pass")), "{results:?}");
    delivered
}

#[test]
fn an_edited_message_fails_and_its_restored_form_verifies() {
    let keys = Keys::new();
    let sent = signed(&keys, MIXED);
    assert!(keys.verifies(&sent));
    let delivered = received(&keys, &sent);
    assert!(delivered.verdict().contains("edited=1"));
    assert!(!keys.verifies(&crlf(&delivered.raw)), "an edit breaks the body hash");
    assert!(MIXED.as_bytes().ends_with(&restored(&delivered)));
    assert!(keys.verifies(&crlf(&restored_message(&delivered))), "restored, it verifies again");
}

/// Field failure 10 (Hermes-SEG #232): the wrong order round body changes breaks DKIM.
#[test]
fn field_failure_10_an_unedited_message_still_verifies_behind_the_filter() {
    let keys = Keys::new();
    let delivered = received(&keys, &signed(&keys, CLEAN));
    assert!(delivered.verdict().contains("edited=0"));
    assert!(keys.verifies(&crlf(&delivered.raw)));
}
