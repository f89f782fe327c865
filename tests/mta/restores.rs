//! Mail that comes back or goes on by the hand of an MTA: bounces, `.forward`, a mailing list.

use std::fs;

use super::outbound::{LOCAL_DOMAINS, World, ours, signed};
use super::rig::daemon::Daemon;
use super::rig::letters::{MIXED, MIXED_DEFANGED};
use super::rig::mailbox::{Delivered, crlf};
use super::rig::opendkim::Keys;
use super::rig::smtp::Letter;
use super::rig::{open_dir, open_up};

/// What bounces: a message that came in, was edited, and is refused by the host that an alias sends it to.
/// The filter sees the bounce, as all that the organisation itself writes.
fn bounced(parameters: &str) -> (World, Delivered) {
    let world = World::new(Daemon::start(LOCAL_DOMAINS), "");
    world.site.set("internal_mail_filter_classes = bounce");
    world.far.set(
        "smtpd_recipient_restrictions = check_recipient_access inline:{ ann@far.example=REJECT }, \
         permit_mynetworks, reject",
    );
    let to = ["alias@example.org"];
    let letter = Letter { to: &to, parameters, ..Letter::new(MIXED.as_bytes()) };
    let reply = world.site.send(&letter);
    assert_eq!(reply.0, 250, "{}", reply.1);
    let bounce = world.far.mailbox().only();
    assert!(bounce.head().contains("multipart/report"), "{}", bounce.head());
    (world, bounce)
}

/// A recipe counts in the header of the message itself: none is tried, nothing is restored, and what
/// stands in the bounce is what stood in the mailbox.
fn is_left(world: &World, bounce: &Delivered) {
    let body = String::from_utf8(bounce.body()).unwrap();
    assert!(body.contains("X-Linkmilter-Undo:"), "the message is ours: {body}");
    assert!(!bounce.head().contains("X-Linkmilter-Undo"), "{}", bounce.head());
    assert!(!bounce.verdict().contains("restore="), "{}", bounce.verdict());
    assert!(bounce.verdict().contains("edited=0"), "{}", bounce.verdict());
    for word in ["original", "changed", "foreign", "broken"] {
        assert_eq!(world.restores(word), 0, "{word}");
    }
}

#[test]
fn a_bounce_with_an_edited_message_leaves_as_it_is() {
    let (world, bounce) = bounced("BODY=8BITMIME RET=FULL");
    let body = String::from_utf8(bounce.body()).unwrap();
    assert!(body.contains("\r\nContent-Type: message/rfc822\r\n"), "{body}");
    assert!(body.contains(MIXED_DEFANGED), "{body}");
    is_left(&world, &bounce);
}

#[test]
fn a_bounce_with_the_header_alone_leaves_as_it_is() {
    let (world, bounce) = bounced("BODY=8BITMIME RET=HDRS");
    let body = String::from_utf8(bounce.body()).unwrap();
    assert!(body.contains("\r\nContent-Type: text/rfc822-headers\r\n"), "{body}");
    assert!(!body.contains("Pay at"), "{body}");
    is_left(&world, &bounce);
}

/// A real `.forward`, whose mail passes the filter again on its way out.
#[test]
fn what_a_forward_file_sends_on_leaves_as_it_was_when_it_passes_the_filter_again() {
    let keys = Keys::new();
    let message = signed(&keys);
    let verifier = keys.serve("v");
    let world = World::new(Daemon::start(LOCAL_DOMAINS), &verifier.place);
    let homes = open_dir();
    let file = homes.path().join("daemon");
    fs::write(&file, "ann@far.example\n").unwrap();
    open_up(&file);
    world.site.set("virtual_mailbox_domains =");
    world.site.set("mydestination = example.org");
    world.site.set("mailbox_size_limit = 0");
    world.site.set(&format!("forward_path = {}/$user", homes.path().display()));
    world.pass_again();
    let to = ["daemon@example.org"];
    let letter = Letter { to: &to, parameters: "BODY=8BITMIME", ..Letter::new(&message) };
    assert_eq!(world.site.send(&letter).0, 250);
    let arrived = world.far.mailbox().only();
    assert!(arrived.head().contains("Delivered-To: daemon@example.org"), "{}", arrived.head());
    assert!(MIXED.as_bytes().ends_with(&arrived.body()) && !ours(&arrived), "{}", arrived.head());
    assert!(keys.pass(&arrived), "{}", arrived.head());
    assert_eq!(world.restores("original"), 1);
}

/// A list adds its footer and signs anew: the link stays dead, and the list's signature holds.
#[test]
fn what_a_list_adds_its_footer_to_leaves_edited_under_the_lists_signature() {
    let keys = Keys::new();
    let message = signed(&keys);
    let verifier = keys.serve("v");
    let world = World::new(Daemon::start(LOCAL_DOMAINS), &verifier.place);
    let stored = String::from_utf8(world.receive(&message).raw).unwrap();
    let signer = keys.serve("s");
    let filter = &world.daemon.places[0];
    world.site.set(&format!("non_smtpd_milters = {filter}, {}", signer.place));
    // The list takes off a signature that its footer breaks.
    let start = stored.find("\nDKIM-Signature:").unwrap() + 1;
    let (before, field) = stored.split_at(start);
    let end = field
        .match_indices('\n')
        .find(|(at, _)| !matches!(field.as_bytes().get(at + 1), Some(b' ' | b'\t')));
    let rest = &field[end.unwrap().0 + 1..];
    let footer = "_______________\nlist@example.org, to leave: list-leave@example.org\n";
    let posted = format!("List-Id: <list.example.org>\n{before}{rest}{footer}");
    world.redirect(posted.as_bytes(), &["far@far.example"]);
    let arrived = world.far.mailbox().only();
    assert!(arrived.verdict().contains("restore=changed"), "{}", arrived.verdict());
    let body = crlf(format!("{}{footer}", MIXED_DEFANGED.replace("\r\n", "\n")).as_bytes());
    assert_eq!(String::from_utf8(arrived.body()).unwrap(), String::from_utf8(body).unwrap());
    assert!(keys.pass(&arrived), "{}", arrived.head());
    assert_eq!((world.restores("changed"), world.restores("original")), (1, 0));
}
