//! `linkmilter restore` as a command: what it writes, what it says, how it exits.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

use assert_cmd::Command;
use linkmilter::engine::policy::Defang;
use linkmilter::engine::splice::{apply, apply_head};
use linkmilter::engine::{Answers, Facts, Message, Policy, inspect};
use linkmilter::tld;

const HEAD: &str = "From: a@example.org\r\nSubject: hi\r\nContent-Type: text/plain\r\n";
const BODY: &str = "see http://www.example.com/one\r\nand http://www.example.com/two\r\n";

/// A filtered message, and the recipe that its header has no room for.
fn filtered(key: Option<&[u8]>, cap: Option<usize>) -> (String, Option<(String, Vec<u8>)>) {
    let policy = Policy {
        defang: Defang::All,
        seal_key: key.map(Into::into),
        undo_header_bytes: cap,
        ..Policy::default()
    };
    let message = Message { head: HEAD.as_bytes(), body: BODY.as_bytes() };
    let outcome =
        inspect(message, &Facts::default(), &policy, &tld::builtin()).resolve(&Answers::new());
    assert!(!outcome.edits.is_empty());
    let mut head = apply_head(message.head, &outcome.head_edits);
    for field in &outcome.fields {
        let value = field.value.replace('\n', "\r\n");
        head.extend_from_slice(format!("{}: {value}\r\n", field.name).as_bytes());
    }
    let body = apply(message.body, &outcome.edits).to_vec();
    let whole = [head.as_slice(), b"\r\n", &body].concat();
    let stored = outcome.stored.map(|stored| (stored.digest, stored.recipe));
    (String::from_utf8(whole).unwrap(), stored)
}

fn original() -> String {
    format!("{HEAD}\r\n{BODY}")
}

fn restore() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_linkmilter"));
    command.arg("restore");
    command
}

#[test]
fn restores_the_original() {
    let (message, _) = filtered(None, None);
    assert!(message.contains("X-Linkmilter-Undo"));
    assert!(!message.contains("http://www.example.com"));
    restore().write_stdin(message).assert().success().stdout(original());
}

#[test]
fn a_maildir_copy_comes_back_with_line_feeds() {
    let (message, _) = filtered(None, None);
    let stored = message.replace("\r\n", "\n");
    restore().write_stdin(stored).assert().success().stdout(original().replace("\r\n", "\n"));
}

/// Filtered and restored by the commands, byte for byte.
#[test]
fn odd_messages_come_back_as_they_were() {
    let fields = "From: a@example.org\r\nSubject: x\r\n\
                  Content-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: quoted-printable\r\n";
    for message in [
        // The only line end of the body is bare, and goes.
        format!("{fields}\r\ng=D0=BE=D0=BEgl=\ne.com"),
        format!("{fields}\r\ng=D0=BE=D0=BEgl=\ne.com\r\n"),
        // The first line is a fold of whatever stands before it.
        format!(" {fields}\r\nsee https://xn--ypal-43d9g.com/\r\n"),
        format!("\t{fields}\r\nsee https://xn--ypal-43d9g.com/\r\n").replace("\r\n", "\n"),
        // The same, and the last line of the header has no end.
        " folded\r\nSubject: https://xn--ypal-43d9g.com/".to_owned(),
        // Nothing but what looks like the first line of an mbox.
        "From x@example.org Mon Nov 30 10:00".to_owned(),
    ] {
        let mut rewrite = Command::new(env!("CARGO_BIN_EXE_linkmilter"));
        let output = rewrite.arg("rewrite").write_stdin(message.clone()).output().unwrap();
        assert_ne!(output.stdout, message.as_bytes());
        restore().write_stdin(output.stdout).assert().success().stdout(message);
    }
}

/// A field at either end of these would be folded with what stands beside it, and be lost with it.
#[test]
fn a_message_in_which_no_field_can_stand_is_as_it_was() {
    for message in [
        " Dear all,\rsee https://xn--ypal-43d9g.com/x today.\rBye\r",
        " \rxn--80ak6aa92e.com",
        " one\r\n https://xn--ypal-43d9g.com/",
    ] {
        let mut rewrite = Command::new(env!("CARGO_BIN_EXE_linkmilter"));
        let assert = rewrite.arg("rewrite").write_stdin(message).assert().success();
        let output = assert.stdout(message).get_output().clone();
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(said.contains("in which a field can stand"), "{said}");
    }
}

#[test]
fn says_whose_the_seal_is() {
    let folder = tempfile::tempdir().unwrap();
    let (ours, other) = (folder.path().join("ours"), folder.path().join("other"));
    std::fs::write(&ours, [7; 32]).unwrap();
    std::fs::write(&other, [8; 32]).unwrap();
    let (message, _) = filtered(Some(&[7; 32]), None);
    let said = |key: Option<&std::path::Path>| {
        let mut command = restore();
        if let Some(key) = key {
            command.arg("--seal-key").arg(key);
        }
        let output = command.write_stdin(message.clone()).output().unwrap();
        assert_eq!(output.stdout, original().as_bytes());
        String::from_utf8(output.stderr).unwrap()
    };
    assert!(said(Some(&ours)).contains("the seal is of this key"));
    assert!(said(Some(&other)).contains("NOT of this key"));
    assert!(said(None).contains("not checked"));
}

#[test]
fn a_changed_body_is_refused_and_nothing_is_written() {
    let (message, _) = filtered(None, None);
    for changed in [message.replace("and ", "AND "), format!("{message}more\r\n"), original()] {
        let output = restore().write_stdin(changed).output().unwrap();
        assert_eq!(output.status.code(), Some(1));
        assert!(output.stdout.is_empty());
        assert!(String::from_utf8_lossy(&output.stderr).contains("expected"));
    }
}

#[test]
fn a_big_recipe_is_in_the_state_directory() {
    let folder = tempfile::tempdir().unwrap();
    let (message, stored) = filtered(None, Some(80));
    let (digest, recipe) = stored.unwrap();
    let mut missing = restore();
    missing.arg("--state-dir").arg(folder.path()).write_stdin(message.clone());
    let output = missing.output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stderr).contains(&digest));
    std::fs::create_dir(folder.path().join("undo")).unwrap();
    std::fs::write(folder.path().join("undo").join(digest), recipe).unwrap();
    let mut found = restore();
    found.arg("--state-dir").arg(folder.path()).write_stdin(message);
    found.assert().success().stdout(original());
}

/// As every other command does; an option beats what is set.
#[test]
fn the_state_directory_is_that_of_the_settings() {
    let folder = tempfile::tempdir().unwrap();
    let (message, stored) = filtered(None, Some(80));
    let (digest, recipe) = stored.unwrap();
    std::fs::create_dir(folder.path().join("undo")).unwrap();
    std::fs::write(folder.path().join("undo").join(digest), recipe).unwrap();
    let config = folder.path().join("c.toml");
    std::fs::write(&config, format!("server.state_dir = {:?}\n", folder.path())).unwrap();
    let empty = tempfile::tempdir().unwrap();
    let by = |set: &std::path::Path| {
        let mut command = restore();
        command.env("LINKMILTER_SERVER__STATE_DIR", set).write_stdin(message.clone());
        command
    };
    by(folder.path()).assert().success().stdout(original());
    by(empty.path()).assert().code(1);
    by(empty.path()).arg("--state-dir").arg(folder.path()).assert().success();
    let mut configured = restore();
    configured.arg("--config").arg(&config).write_stdin(message.clone());
    configured.assert().success().stdout(original());
    let output = restore().env("LINKMILTER_FOO__BAR", "1").write_stdin(message).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("LINKMILTER_FOO__BAR"));
}

#[test]
fn a_file_that_is_not_there_is_an_error() {
    let output = restore().arg("/nonexistent/message").output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("/nonexistent/message"));
}

/// A configuration that defangs more than an earlier one did: one recipe undoes the edits of both.
#[test]
fn what_was_filtered_twice_comes_back() {
    let original = "From: a@example.org\r\nSubject: hi\r\nContent-Type: text/plain; charset=utf-8\r\n\r\n\
        see https://www.\u{430}\u{440}\u{440}\u{4cf}\u{435}.com/\r\nand https://www.p\u{430}ypal.com/\r\n";
    let folder = tempfile::tempdir().unwrap();
    let config = folder.path().join("c.toml");
    std::fs::write(&config, "[lists]\nallowed = [\"xn--80ak6aa92e.com\"]\n").unwrap();
    let rewrite = |options: &[&str], message: Vec<u8>| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_linkmilter"));
        command.arg("rewrite").args(options).write_stdin(message);
        command.assert().success().get_output().stdout.clone()
    };
    let once = rewrite(&["--config", config.to_str().unwrap()], original.as_bytes().to_vec());
    let twice = rewrite(&[], once);
    assert!(!String::from_utf8_lossy(&twice).contains('\u{4cf}'));
    assert_eq!(rewrite(&[], twice.clone()), twice, "nothing is left to do");
    let fields = String::from_utf8_lossy(&twice);
    assert!(fields.contains("edited=2") && fields.matches("-Undo:").count() == 1, "{fields}");
    restore().write_stdin(twice).assert().success().stdout(original);
}

/// A sender can edit a message of his own, and say of it what he likes.
#[test]
fn what_fields_with_a_recipe_say_is_not_believed() {
    let original = "From: \"paypal.com\" <a@example.org>\r\nSubject: hi\r\n\r\nsee http://www.example.com/\r\n";
    let rewrite = |options: &[&str], message: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_linkmilter"));
        let output = command.arg("rewrite").args(options).write_stdin(message).output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    };
    let defanged = rewrite(&["--defang-all"], original);
    let forged = defanged
        .replace("verdict=suspect", "verdict=ok")
        .replace("by=localhost", "by=mx.example.com")
        .replace("X-Linkmilter-Undo", "X-Linkmilter-Trust: yes\r\nX-Linkmilter-Undo");
    assert_ne!(forged, defanged);
    let filtered = rewrite(&[], &forged);
    assert!(filtered.contains("by=localhost; verdict=suspect"), "{filtered}");
    assert!(!filtered.contains("mx.example.com") && !filtered.contains("Trust"), "{filtered}");
    assert_eq!(filtered.matches("X-Linkmilter: ").count(), 1, "{filtered}");
    assert!(filtered.contains("hxxp://www[.]example[.]com/"), "what is dead stays so: {filtered}");
    assert_eq!(rewrite(&[], &filtered), filtered, "nothing is left to do");
    restore().write_stdin(filtered).assert().success().stdout(original);
}

/// Somebody shares a message in which nothing can be clicked; the configuration there tags its Subject.
#[test]
fn where_no_link_was_left_another_configuration_brings_none_back() {
    let folder = tempfile::tempdir().unwrap();
    let config = folder.path().join("c.toml");
    std::fs::write(&config, "policy.message_actions.unsafe = \"subject-tag\"\n").unwrap();
    let original = "From: a@\u{440}\u{430}ypal.com\r\nSubject: hi\r\nContent-Type: text/plain; charset=utf-8\r\n\r\n\
                    see https://paypal.com/ and http://www.example.com/\r\n";
    let rewrite = |options: &[&str], message: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_linkmilter"));
        let output = command.arg("rewrite").args(options).write_stdin(message).output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    };
    let options = ["--config", config.to_str().unwrap()];
    let shared = rewrite(&["--defang-all"], original);
    let tagged = rewrite(&options, &shared);
    assert!(tagged.contains("Subject: [deceptive link] hi"), "{tagged}");
    assert!(
        tagged.ends_with("see hxxps://paypal[.]com/ and hxxp://www[.]example[.]com/\r\n"),
        "{tagged}"
    );
    let again = rewrite(&options, &tagged);
    let message = |text: &str| text.split_once("\r\nFrom:").unwrap().1.to_owned();
    assert_eq!(message(&again), message(&tagged), "nothing is left to do");
    restore().write_stdin(again).assert().success().stdout(original);
    // What has live links is judged by the configuration alone.
    let live = rewrite(&options, original);
    assert!(live.ends_with("see https://paypal.com/ and http://www.example.com/\r\n"), "{live}");
}

/// No link of these was edited, and they are not what they were: without the recipe nobody can say what was.
#[test]
fn a_message_with_a_tag_or_anchors_is_not_called_unedited() {
    let folder = tempfile::tempdir().unwrap();
    let config = folder.path().join("c.toml");
    let tag = "[policy]\nactions = { unsafe = \"leave\" }\nmessage_actions = { unsafe = \"subject-tag\" }\n";
    for (settings, kind, link) in [
        (tag, "plain", "https://www.p\u{430}ypal.com/"),
        ("policy.linkify = \"html\"", "html", "https://www.example.com/"),
    ] {
        std::fs::write(&config, settings).unwrap();
        let original = format!(
            "From: a@example.org\r\nSubject: hi\r\nContent-Type: text/{kind}; charset=utf-8\r\n\r\nsee {link}\r\n"
        );
        let mut rewrite = Command::new(env!("CARGO_BIN_EXE_linkmilter"));
        rewrite.arg("rewrite").arg("--config").arg(&config).write_stdin(original.clone());
        let filtered = String::from_utf8(rewrite.output().unwrap().stdout).unwrap();
        assert!(filtered.contains(" edited=0;") && filtered.contains(" marked=yes"), "{filtered}");
        restore().write_stdin(filtered.clone()).assert().success().stdout(original);
        // A relay that drops fields it does not know, and a filter whose disk was full.
        let (before, undo) = filtered.split_once("X-Linkmilter-Undo:").unwrap();
        let dropped = format!("{before}{}", &undo[undo.find("From:").unwrap()..]);
        let lost = dropped.replacen("marked=yes", "marked=yes;\r\n undo=lost", 1);
        for (message, why) in [(dropped, "found none\n"), (lost, "found none (undo=lost: ")] {
            let output = restore().write_stdin(message).output().unwrap();
            assert_eq!((output.status.code(), output.stdout.len()), (Some(1), 0));
            let said = String::from_utf8(output.stderr).unwrap();
            assert!(said.contains(why), "{said}");
        }
    }
}

/// Fields of the filter on a message that it did not edit: they are taken away.
#[test]
fn a_message_that_was_not_edited_is_no_error() {
    let original = "From: a@example.org\r\nSubject: hi\r\n\r\nsee https://example.com/\r\n";
    let mut rewrite = Command::new(env!("CARGO_BIN_EXE_linkmilter"));
    let output = rewrite.arg("rewrite").write_stdin(original).output().unwrap();
    assert_ne!(output.stdout, original.as_bytes());
    let output = restore().write_stdin(output.stdout).output().unwrap();
    assert_eq!((output.status.code(), output.stdout.as_slice()), (Some(0), original.as_bytes()));
    assert!(String::from_utf8_lossy(&output.stderr).contains("edited nothing"));
    let output = restore().write_stdin(original).output().unwrap();
    assert_eq!(output.status.code(), Some(1), "no filter has seen it");
}

/// The last line end of the body is gone, and the white space of the recipe.
#[test]
fn what_programs_take_away_does_no_harm() {
    let folder = tempfile::tempdir().unwrap();
    let key = folder.path().join("key");
    std::fs::write(&key, [7; 32]).unwrap();
    let (message, _) = filtered(Some(&[7; 32]), None);
    let shorter = message.strip_suffix("\r\n").unwrap();
    restore().write_stdin(shorter).assert().success().stdout(original());
    let (head, body) = message.split_once("\r\n\r\n").unwrap();
    let head = head.replace("\r\n ", "").replace("; z=", ";z=").replace("; seal=", ";seal=");
    let dense = format!("{head}\r\n\r\n{body}");
    assert_ne!(dense, message);
    let output = restore().arg("--seal-key").arg(&key).write_stdin(dense).output().unwrap();
    assert_eq!(output.stdout, original().as_bytes());
    assert!(String::from_utf8_lossy(&output.stderr).contains("the seal is of this key"));
}
