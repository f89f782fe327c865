//! Mail that leaves the organisation: edited on the way in, as it was on the way out.

use std::fs;
use std::net::TcpStream;

use super::rig::daemon::Daemon;
use super::rig::letters::{CLEAN, MIXED, MIXED_DEFANGED};
use super::rig::mailbox::{Delivered, Mailbox, crlf};
use super::rig::opendkim::{Keys, as_sent};
use super::rig::postfix::Postfix;
use super::rig::smtp::Letter;
use super::rig::{free_port, wait_for};

pub const LOCAL_DOMAINS: &str = "outbound.local_domains = [\"example.org\"]";

/// An organisation's MTA with a filter, and the host that everything else goes to.
pub struct World {
    pub daemon: Daemon,
    pub site: Postfix,
    pub far: Postfix,
}

impl World {
    /// `far_milters`: what the far host asks.
    pub fn new(daemon: Daemon, far_milters: &str) -> World {
        let far = Postfix::start(far_milters, "");
        let place = &daemon.places[0];
        let more = format!(
            "non_smtpd_milters = {place}\nvirtual_mailbox_domains = example.org\n\
             virtual_alias_maps = inline:{{ alias@example.org=ann@far.example }}\n\
             relayhost = [127.0.0.1]:{}",
            far.port
        );
        let site = Postfix::start(place, &more);
        World { daemon, site, far }
    }

    /// Delivers a message locally; the copy that is kept there.
    pub fn receive(&self, message: &[u8]) -> Delivered {
        let letter = Letter { parameters: "BODY=8BITMIME", ..Letter::new(message) };
        let reply = self.site.send(&letter);
        assert_eq!(reply.0, 250, "{}", reply.1);
        self.site.mailbox().only()
    }

    /// Hands a stored message to the sendmail command, as a mailbox server does that redirects it.
    pub fn redirect(&self, stored: &[u8], to: &[&str]) {
        let arguments: Vec<&str> =
            ["-i", "-f", "ann@example.com", "--"].into_iter().chain(to.iter().copied()).collect();
        let out = self.site.sendmail(stored, &arguments);
        assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    }

    /// What leaves goes through the filter a second time.
    pub fn pass_again(&self) {
        let again = free_port();
        let place = &self.daemon.places[0];
        self.site.add(&format!(
            "127.0.0.1:{again} inet n - n - - smtpd\n  -o smtpd_milters={place}\n  \
             -o content_filter=smtp:[127.0.0.1]:{}\n  -o myhostname=out.example.org\n  \
             -o receive_override_options=no_address_mappings\n",
            self.far.port
        ));
        self.site.set(&format!("default_transport = smtp:[127.0.0.1]:{again}"));
        wait_for("the second entrance", || TcpStream::connect(("127.0.0.1", again)).ok());
    }

    pub fn restores(&self, result: &str) -> u64 {
        let wanted = format!("linkmilter_restores_total{{result=\"{result}\"}} ");
        let text = self.daemon.metrics();
        let line = text.lines().find_map(|line| line.strip_prefix(&wanted));
        line.expect("a series").parse().unwrap()
    }
}

pub fn ours(delivered: &Delivered) -> bool {
    delivered.head().to_ascii_lowercase().contains("\nx-linkmilter")
}

/// A message signed by example.com, as it arrives.
pub fn signed(keys: &Keys) -> Vec<u8> {
    let signer = keys.serve("s");
    let outbound = Postfix::start(&signer.place, "");
    let letter = Letter { parameters: "BODY=8BITMIME", ..Letter::new(MIXED.as_bytes()) };
    assert_eq!(outbound.send(&letter).0, 250);
    as_sent(&outbound.mailbox().only())
}

/// Postfix with the filter, a redirect out of a mailbox, and opendkim at the far end.
#[test]
fn a_redirected_message_verifies_at_the_far_end_and_the_local_copy_stays_edited() {
    let keys = Keys::new();
    let message = signed(&keys);
    let verifier = keys.serve("v");
    let world = World::new(Daemon::start(LOCAL_DOMAINS), &verifier.place);
    let stored = world.receive(&message);
    assert_eq!(String::from_utf8(stored.body()).unwrap(), MIXED_DEFANGED);
    assert!(!keys.verifies(&crlf(&stored.raw)), "what is kept is edited");

    world.redirect(&stored.raw, &["far@far.example"]);
    let arrived = world.far.mailbox().only();
    assert!(MIXED.as_bytes().ends_with(&arrived.body()));
    assert!(!ours(&arrived), "{}", arrived.head());
    assert!(keys.pass(&arrived), "{}", arrived.head());
    assert_eq!(world.restores("original"), 1);
    let line = &world.daemon.messages()[1];
    assert!(
        line.contains("\"action\":\"restored\"") && line.contains("\"verdict\":\"unsafe\""),
        "{line}"
    );
    assert_eq!(String::from_utf8(stored.body()).unwrap(), MIXED_DEFANGED, "the local copy stays");
}

/// A tag in the Subject and a transfer encoding go back with the body.
#[test]
fn header_fields_that_were_changed_go_back() {
    let settings = format!(
        "{LOCAL_DOMAINS}\npolicy.message_actions = {{ unsafe = \"subject-tag\" }}\npolicy.undo_bytes = 0"
    );
    let keys = Keys::new();
    let message = signed(&keys);
    let verifier = keys.serve("v");
    let world = World::new(Daemon::start(&settings), &verifier.place);
    let stored = world.receive(&message);
    assert!(stored.head().contains("Subject: [deceptive link] mixed"), "{}", stored.head());
    world.redirect(&stored.raw, &["far@far.example"]);
    let arrived = world.far.mailbox().only();
    assert_eq!(arrived.fields("Subject"), ["mixed"]);
    assert!(keys.pass(&arrived), "from the state directory");
}

/// A mark on mail from outside breaks every signature, so it is taken off on the way out.
#[test]
fn an_external_mark_is_taken_off_on_the_way_out() {
    let settings = format!("{LOCAL_DOMAINS}\noutbound.networks = []\nbanner.external = true");
    let keys = Keys::new();
    let message = signed(&keys);
    let verifier = keys.serve("v");
    let world = World::new(Daemon::start(&settings), &verifier.place);
    let stored = world.receive(&message);
    let mark = "[This message comes from outside the organization.]\r\n\r\n";
    assert_eq!(String::from_utf8(stored.body()).unwrap(), format!("{mark}{MIXED_DEFANGED}"));
    world.redirect(&stored.raw, &["far@far.example"]);
    let arrived = world.far.mailbox().only();
    assert!(MIXED.as_bytes().ends_with(&arrived.body()) && !ours(&arrived));
    assert!(keys.pass(&arrived));
    // What the organisation writes to itself is not marked.
    world.redirect(CLEAN.as_bytes(), &["bob@example.org"]);
    let kept = world.site.mailbox().wait(2);
    assert!(kept.iter().any(|one| CLEAN.as_bytes().ends_with(&one.body())));
}

/// Over SMTP from this host, as a mailbox server with a submission host does.
#[test]
fn over_smtp_from_this_host_it_leaves_as_it_was() {
    let world = World::new(Daemon::start(LOCAL_DOMAINS), "");
    let stored = world.receive(MIXED.as_bytes());
    let data = crlf(&stored.raw);
    let letter =
        Letter { to: &["far@far.example"], parameters: "BODY=8BITMIME", ..Letter::new(&data) };
    assert_eq!(world.site.send(&letter).0, 250);
    let arrived = world.far.mailbox().only();
    assert!(MIXED.as_bytes().ends_with(&arrived.body()) && !ours(&arrived));
}

/// Aliases and `.forward` are expanded behind the filter: what leaves passes it a second time.
#[test]
fn what_an_alias_forwards_leaves_as_it_was_when_it_passes_the_filter_again() {
    let keys = Keys::new();
    let message = signed(&keys);
    let verifier = keys.serve("v");
    let world = World::new(Daemon::start(LOCAL_DOMAINS), &verifier.place);
    world.pass_again();
    let to = ["alias@example.org"];
    let letter = Letter { to: &to, parameters: "BODY=8BITMIME", ..Letter::new(&message) };
    assert_eq!(world.site.send(&letter).0, 250);
    let arrived = world.far.mailbox().only();
    assert!(MIXED.as_bytes().ends_with(&arrived.body()) && !ours(&arrived), "{}", arrived.head());
    assert!(keys.pass(&arrived));
    assert!(world.daemon.messages()[0].contains("\"action\":\"edited\""));
}

/// Without the setting nothing is sealed, restored or said.
#[test]
fn without_local_domains_nothing_leaves_otherwise() {
    let world = World::new(Daemon::start(""), "");
    let stored = world.receive(MIXED.as_bytes());
    assert!(!stored.fields("X-Linkmilter-Undo")[0].contains("seal="));
    world.redirect(&stored.raw, &["far@far.example"]);
    let arrived = world.far.mailbox().only();
    assert_eq!(String::from_utf8(arrived.body()).unwrap(), MIXED_DEFANGED);
    assert!(!arrived.verdict().contains("restore="));
}

/// Everything that is left as it is, and says why.
#[test]
fn what_is_no_sealed_unchanged_copy_of_ours_is_left_and_says_why() {
    let world = World::new(Daemon::start(LOCAL_DOMAINS), "");
    let stored = String::from_utf8(world.receive(MIXED.as_bytes()).raw).unwrap();
    let far = Mailbox { path: world.far.mailbox().path };
    let (head, body) = stored.split_once("\n\n").unwrap();
    let undo = head.find("X-Linkmilter-Undo").unwrap();
    let seal = undo + head[undo..].find("seal=").unwrap() + 5;
    let (before, after) = head.split_at(seal);
    let other = if after.starts_with('A') { "B" } else { "A" };
    let forged = format!("{before}{other}{}\n\n{body}", &after[1..]);
    let footer = format!("{stored}_______________\nlist@example.com\n");
    let reply = stored.replace("Pay at", "> Pay at");
    let mut seen = 0;
    for (word, message) in [("foreign", &forged), ("changed", &footer), ("changed", &reply)] {
        let before = world.restores(word);
        world.redirect(message.as_bytes(), &["far@far.example"]);
        seen += 1;
        let arrived = far.wait(seen);
        assert_eq!(world.restores(word), before + 1);
        let said = arrived.iter().filter(|one| one.verdict().contains(&format!("restore={word}")));
        assert!(said.count() as u64 > before, "{word}");
        assert!(
            arrived.iter().all(|one| String::from_utf8_lossy(&one.body()).contains("hxxps://"))
        );
    }
    // A forwarded message is a part of a new one: nothing asks for its original.
    let forwarded = format!(
        "From: bob@example.org\nTo: far@far.example\nSubject: Fwd\nMIME-Version: 1.0\n\
         Content-Type: message/rfc822\nContent-Transfer-Encoding: 8bit\n\n{stored}"
    );
    world.redirect(forwarded.as_bytes(), &["far@far.example"]);
    let dead = |all: &[Delivered]| {
        all.iter().all(|one| String::from_utf8_lossy(&one.body()).contains("hxxps://"))
    };
    assert!(dead(&far.wait(seen + 1)));
    assert_eq!(world.restores("original"), 0);
    // To the organisation and to others: one answer serves both.
    world.redirect(stored.as_bytes(), &["far@far.example", "bob@example.org"]);
    let arrived = far.wait(seen + 2);
    assert!(dead(&arrived));
    let said = |one: &Delivered| one.verdict().contains("restore=divided");
    assert_eq!(arrived.iter().filter(|one| said(one)).count(), 1);
    assert_eq!(world.restores("divided"), 1);
    let kept = world.site.mailbox().wait(2);
    assert!(dead(&kept) && kept.iter().any(said));
}

/// A big recipe that this host does not have any more.
#[test]
fn a_recipe_that_is_gone_leaves_the_message_as_it_is() {
    let world = World::new(Daemon::start(&format!("{LOCAL_DOMAINS}\npolicy.undo_bytes = 0")), "");
    let stored = world.receive(MIXED.as_bytes());
    fs::remove_dir_all(world.daemon.dir.path().join("state/undo")).unwrap();
    world.redirect(&stored.raw, &["far@far.example"]);
    let arrived = world.far.mailbox().only();
    assert!(arrived.verdict().contains("restore=missing"), "{}", arrived.verdict());
    assert_eq!(String::from_utf8(arrived.body()).unwrap(), MIXED_DEFANGED);
}

/// Two hosts with one key restore each other's originals, and a key that was changed still counts.
#[test]
fn hosts_share_a_key_and_keys_are_rotated() {
    let one = Daemon::start(LOCAL_DOMAINS);
    wait_for("a key", || one.dir.path().join("state/seal.key").exists().then_some(()));
    let key = one.dir.path().join("state/seal.key");
    let inbound = World::new(one, "");
    let stored = inbound.receive(MIXED.as_bytes());
    let same = format!("{LOCAL_DOMAINS}\npolicy.seal_key_file = {key:?}");
    let folder = tempfile::tempdir().unwrap();
    let new = folder.path().join("new.key");
    fs::write(&new, [7; 32]).unwrap();
    let rotated = format!(
        "{LOCAL_DOMAINS}\npolicy.seal_key_file = {new:?}\npolicy.seal_old_key_files = [{key:?}]"
    );
    let replaced = format!("{LOCAL_DOMAINS}\npolicy.seal_key_file = {new:?}");
    for (settings, word) in [(same, "original"), (rotated, "original"), (replaced, "foreign")] {
        let outbound = World::new(Daemon::start(&settings), "");
        outbound.redirect(&stored.raw, &["far@far.example"]);
        outbound.far.mailbox().only();
        assert_eq!(outbound.restores(word), 1, "{settings}");
    }
}
