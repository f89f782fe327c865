//! Mail that a mailbox server sends on: Postfix with the filter, Dovecot's LMTP with a Sieve script, and
//! out again through Postfix (Debian: dovecot-lmtpd, dovecot-sieve).

use std::fs;

use super::outbound::{LOCAL_DOMAINS, World, ours, signed};
use super::rig::daemon::Daemon;
use super::rig::dovecot::Dovecot;
use super::rig::free_port;
use super::rig::letters::{MIXED, MIXED_DEFANGED};
use super::rig::mailbox::{Mailbox, crlf};
use super::rig::opendkim::Keys;
use super::rig::smtp::Letter;

/// A mailbox server behind the organisation's own, whose mailboxes do what the script says; what it sends goes to the
/// organisation's MTA over SMTP.
fn behind(world: &World, script: &str) -> Dovecot {
    let (lmtp, out) = (free_port(), world.site.port);
    let dovecot = Dovecot::with("maildir", |root| {
        fs::write(format!("{root}/all.sieve"), script).unwrap();
        format!(
            "protocols = imap lmtp\nsubmission_host = 127.0.0.1:{out}\n\
             postmaster_address = postmaster@example.org\n\
             service lmtp {{\n inet_listener lmtp {{\n  port = {lmtp}\n }}\n}}\n\
             protocol lmtp {{\n mail_plugins = sieve\n}}\n\
             plugin {{\n sieve = file:{root}/all.sieve\n}}\n"
        )
    });
    world.site.add("lmtp unix - - n - - lmtp\n");
    world.site.set(&format!("virtual_transport = lmtp:inet:127.0.0.1:{lmtp}"));
    dovecot
}

fn mailbox(dovecot: &Dovecot, user: &str) -> Mailbox {
    Mailbox { path: dovecot.path("mail").join(user) }
}

fn send(world: &World, message: &[u8]) {
    let letter = Letter { parameters: "BODY=8BITMIME", ..Letter::new(message) };
    let reply = world.site.send(&letter);
    assert_eq!(reply.0, 250, "{}", reply.1);
}

/// The case for which operators refuse filters that edit.
#[test]
fn what_a_sieve_script_redirects_verifies_at_the_far_end_and_the_copy_stays_edited() {
    let keys = Keys::new();
    let message = signed(&keys);
    let verifier = keys.serve("v");
    let world = World::new(Daemon::start(LOCAL_DOMAINS), &verifier.place);
    let script = "require [\"copy\"];\nredirect :copy \"ann@far.example\";\n";
    let dovecot = behind(&world, script);
    send(&world, &message);
    let arrived = world.far.mailbox().only();
    assert!(MIXED.as_bytes().ends_with(&arrived.body()) && !ours(&arrived), "{}", arrived.head());
    assert!(keys.pass(&arrived), "{}", arrived.head());
    let kept = mailbox(&dovecot, Letter::new(b"").to[0]).only();
    assert_eq!(String::from_utf8(kept.body()).unwrap(), MIXED_DEFANGED);
    assert!(!keys.verifies(&crlf(&kept.raw)), "what is kept is edited");
    assert_eq!(world.restores("original"), 1);
}

/// What goes back to the sender holds the message as a part: nothing asks for its original.
#[test]
fn what_a_sieve_script_rejects_goes_back_edited() {
    let world = World::new(Daemon::start(LOCAL_DOMAINS), "");
    let _dovecot = behind(&world, "require [\"reject\"];\nreject \"not today\";\n");
    send(&world, MIXED.as_bytes());
    let arrived = world.far.mailbox().only();
    let text = String::from_utf8_lossy(&arrived.raw).into_owned();
    assert!(text.contains("not today") && !text.contains("https://www.p"), "{text}");
    assert_eq!(world.restores("original"), 0);
}
