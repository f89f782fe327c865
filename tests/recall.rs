//! `linkmilter recall` as a command, on Maildirs.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

use std::fs;
use std::path::{Path, PathBuf};

use assert_cmd::Command;
use linkmilter::engine::outcome::Verdict;
use linkmilter::record::event::{Action, Event, message_id};
use linkmilter::record::journal::{EventJournal, JournalBounds};
use linkmilter::record::time::Timestamp;

const BAD: &str =
    "From: ann@example.org\nSubject: one\n\nsee https://login.bad.example.com/a now\n";
const FINE: &str = "From: ann@example.org\nSubject: two\n\nsee https://fine.example.org/ now\n";

struct Mailbox {
    dir: tempfile::TempDir,
}

impl Mailbox {
    fn new() -> Mailbox {
        let dir = tempfile::tempdir().unwrap();
        for folder in ["", ".Sent"] {
            for place in ["cur", "new", "tmp"] {
                fs::create_dir_all(dir.path().join(folder).join(place)).unwrap();
            }
        }
        let mailbox = Mailbox { dir };
        mailbox.put("new/1.a.host,S=80,W=84", BAD);
        mailbox.put("cur/2.b.host:2,FS", FINE);
        mailbox.put(".Sent/cur/3.c.host:2,S", BAD);
        mailbox
    }

    fn put(&self, path: &str, text: &str) {
        fs::write(self.dir.path().join(path), text).unwrap();
    }

    fn files(&self) -> Vec<(String, String)> {
        fn walk(root: &Path, at: &Path, found: &mut Vec<(String, String)>) {
            for entry in fs::read_dir(at).unwrap() {
                let path: PathBuf = entry.unwrap().path();
                match path.is_dir() {
                    true => walk(root, &path, found),
                    false => found.push((
                        path.strip_prefix(root).unwrap().to_str().unwrap().to_owned(),
                        fs::read_to_string(&path).unwrap(),
                    )),
                }
            }
        }
        let mut found = Vec::new();
        walk(self.dir.path(), self.dir.path(), &mut found);
        found.sort();
        found
    }

    fn copy(&self) -> Mailbox {
        let copy = Mailbox::new();
        for (name, _) in copy.files() {
            fs::remove_file(copy.dir.path().join(name)).unwrap();
        }
        for (name, text) in self.files() {
            copy.put(&name, &text);
        }
        copy
    }

    fn recall(&self, arguments: &[&str]) -> (Option<i32>, String, String) {
        let config = self.dir.path().join("linkmilter.toml");
        let state = tempfile::tempdir().unwrap();
        fs::write(&config, format!("server.state_dir = {:?}\n", state.path())).unwrap();
        let mut command = Command::new(env!("CARGO_BIN_EXE_linkmilter"));
        command.arg("recall").args(arguments).arg("--config").arg(&config);
        command.arg("--maildir").arg(self.dir.path()).arg("--rate").arg("1000");
        let output = command.output().unwrap();
        fs::remove_file(config).unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        (output.status.code(), text(output.stdout), text(output.stderr))
    }
}

#[test]
fn links_are_defanged_in_all_folders_and_restored() {
    let mailbox = Mailbox::new();
    let before = mailbox.files();
    let (code, out, _) = mailbox.recall(&["hxxps://bad[.]example[.]com/x"]);
    assert_eq!(code, Some(0));
    assert_eq!(out, "3 messages read, 2 changed, 2 links defanged\n");
    let after = mailbox.files();
    let names: Vec<&str> = after.iter().map(|(name, _)| name.as_str()).collect();
    let size = after[2].1.len();
    let wire = size + after[2].1.lines().count();
    let renamed = format!("new/1.a.host_lm1,S={size},W={wire}");
    assert_eq!(names, [".Sent/cur/3.c.host_lm1:2,S", "cur/2.b.host:2,FS", renamed.as_str()]);
    assert!(
        after[2].1.ends_with("see hxxps://login[.]bad[.]example[.]com/a now\n"),
        "{}",
        after[2].1
    );
    assert_eq!(after[1].1, FINE);

    let (_, out, _) = mailbox.recall(&["bad.example.com"]);
    assert_eq!(out, "3 messages read, 0 changed, 0 links defanged\n", "once is enough");
    let (_, out, _) = mailbox.recall(&["bad.example.com", "--give-back"]);
    assert_eq!(out, "3 messages read, 2 restored\n");
    let texts = |files: &[(String, String)]| -> Vec<String> {
        files.iter().map(|(_, text)| text.clone()).collect()
    };
    assert_eq!(texts(&mailbox.files()), texts(&before));
}

/// A host with a space instead of a dot would match nearly all links of a mailbox.
#[test]
fn a_public_suffix_is_recalled_only_with_the_option_suffix() {
    let mailbox = Mailbox::new();
    let before = mailbox.files();
    for hosts in [&["com"][..], &["bad.example", "com"], &["evil", "com"], &["hxxps://co[.]uk/"]] {
        let (code, out, said) = mailbox.recall(hosts);
        assert_eq!((code, out.as_str()), (Some(2), ""), "{hosts:?}");
        assert!(said.contains("--suffix if you mean all of them"), "{said}");
    }
    assert_eq!(mailbox.files(), before);
    let (code, out, said) = mailbox.recall(&["com", "--suffix"]);
    assert_eq!(code, Some(0), "{said}");
    assert_eq!(out, "3 messages read, 2 changed, 2 links defanged\n");
    let (code, out, said) = mailbox.recall(&["com", "--give-back"]);
    assert_eq!(code, Some(0), "{said}");
    assert_eq!(out, "3 messages read, 2 restored\n");
}

#[test]
fn a_dry_run_and_other_hosts_touch_nothing() {
    let mailbox = Mailbox::new();
    let before = mailbox.files();
    let (code, out, _) = mailbox.recall(&["bad.example.com", "--dry-run"]);
    assert_eq!(code, Some(0));
    let lines: Vec<&str> = out.lines().collect();
    let [first, second, sum] = lines.as_slice() else { panic!("{out}") };
    for line in [first, second] {
        assert!(line.ends_with(": 1 link would be defanged"), "{line}");
    }
    assert_eq!(*sum, "3 messages read, 2 would be changed, 2 links would be defanged");
    assert_eq!(mailbox.files(), before);
    mailbox.recall(&["other.example.com"]);
    mailbox.recall(&["bad.example.com", "--give-back"]);
    assert_eq!(mailbox.files(), before);
}

/// Killed after the copy was made and before the original was removed.
#[test]
fn an_interrupted_run_is_reported_and_finished() {
    let mailbox = Mailbox::new();
    mailbox.recall(&["bad.example.com"]);
    let after = mailbox.files();
    mailbox.put("new/1.a.host,S=80,W=84", BAD);
    let (code, _, said) = mailbox.recall(&["bad.example.com"]);
    assert_eq!(code, Some(2));
    assert!(said.contains("--resume"), "{said}");
    let both = mailbox.files();
    for arguments in
        [&["fine.example.org"][..], &["example.com"], &["bad.example.com", "--give-back"]]
    {
        let mailbox = mailbox.copy();
        mailbox.recall(arguments);
        let of_pair = |files: &[(String, String)]| -> Vec<(String, String)> {
            files.iter().filter(|(name, _)| name.contains("1.a.host")).cloned().collect()
        };
        assert_eq!(of_pair(&mailbox.files()), of_pair(&both), "{arguments:?}");
    }
    let (code, out, _) = mailbox.recall(&["bad.example.com", "--resume"]);
    assert_eq!(code, Some(0));
    assert!(out.ends_with(", 1 of an interrupted run finished\n"), "{out}");
    assert_eq!(mailbox.files(), after);
}

#[test]
fn a_recall_of_several_hosts_is_not_undone_for_one() {
    let mailbox = Mailbox::new();
    mailbox.recall(&["bad.example.com", "else.example.net"]);
    let after = mailbox.files();
    let (code, _, said) = mailbox.recall(&["bad.example.com", "--give-back"]);
    assert_eq!(code, Some(2));
    assert!(
        said.contains(
            "expected only hosts that were named in its recall, found else[.]example[.]net as well"
        ),
        "{said}"
    );
    assert_eq!(mailbox.files(), after);
    let (code, out, _) = mailbox.recall(&["bad.example.com", "else.example.net", "--give-back"]);
    assert_eq!((code, out.as_str()), (Some(0), "3 messages read, 2 restored\n"));
}

/// Two operators, or two hosts with one mailbox.
#[test]
fn two_runs_at_once_lose_nothing() {
    let mailbox = Mailbox::new();
    for number in 10..60 {
        mailbox.put(&format!("cur/{number}.d.host:2,S"), BAD);
    }
    let config = tempfile::NamedTempFile::new().unwrap();
    let state = tempfile::tempdir().unwrap();
    fs::write(&config, format!("server.state_dir = {:?}\n", state.path())).unwrap();
    let start = |host: &str| {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_linkmilter"));
        command.args(["recall", host, "--rate", "1000"]).arg("--config").arg(config.path());
        command.arg("--maildir").arg(mailbox.dir.path());
        command.stdout(std::process::Stdio::piped()).spawn().unwrap()
    };
    let runs: Vec<_> = ["bad.example.com", "example.com", "login.bad.example.com"]
        .into_iter()
        .map(start)
        .collect();
    for run in runs {
        assert!(run.wait_with_output().unwrap().status.success());
    }
    let files = mailbox.files();
    assert_eq!(files.len(), 53);
    for (name, text) in files {
        assert_eq!(name.contains("_lm1"), text != FINE, "{name}");
        assert!(text == FINE || text.contains("hxxps://login[.]bad[.]example[.]com/a"), "{text}");
    }
}

/// Some mail servers compress or encrypt what they store. Nothing is found there, but it does not
/// count as clean.
#[test]
fn files_that_are_not_messages_are_reported() {
    let mailbox = Mailbox::new();
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    std::io::Write::write_all(&mut gzip, BAD.as_bytes()).unwrap();
    let encrypted = b"CRYPTED\x03\x07\x02\0\0\0\0".to_vec();
    let kept = [("cur/4.z.host:2,SZ", gzip.finish().unwrap()), ("cur/5.c.host:2,S", encrypted)];
    for (name, bytes) in &kept {
        fs::write(mailbox.dir.path().join(name), bytes).unwrap();
    }
    let (code, out, said) = mailbox.recall(&["bad.example.com"]);
    assert_eq!(code, Some(2));
    assert_eq!(out, "5 messages read, 2 changed, 2 links defanged, 2 failed\n");
    assert!(said.contains("4.z.host:2,SZ: expected a message, found compressed data"), "{said}");
    assert!(
        said.contains("5.c.host:2,S: expected a message, found mail encrypted by Dovecot"),
        "{said}"
    );
    for (name, bytes) in kept {
        assert_eq!(fs::read(mailbox.dir.path().join(name)).unwrap(), bytes);
    }
}

#[test]
fn older_mail_is_left_with_since() {
    let mailbox = Mailbox::new();
    let old = mailbox.dir.path().join("new/1.a.host,S=80,W=84");
    let then = std::time::SystemTime::now() - std::time::Duration::from_secs(8 * 86_400);
    fs::File::options().write(true).open(old).unwrap().set_modified(then).unwrap();
    let (_, out, _) = mailbox.recall(&["bad.example.com", "--since", "7d"]);
    assert_eq!(out, "3 messages read, 1 changed, 1 link defanged\n");
}

#[test]
fn a_wrong_maildir_or_host_is_reported() {
    let mailbox = Mailbox::new();
    fs::remove_dir(mailbox.dir.path().join("tmp")).unwrap();
    let (code, _, said) = mailbox.recall(&["bad.example.com"]);
    assert_eq!(code, Some(2));
    assert!(said.contains("expected a Maildir"), "{said}");
    let (code, _, said) = mailbox.recall(&["not a host"]);
    assert_eq!(code, Some(2));
    assert!(said.contains("expected a host"), "{said}");
}

#[test]
fn explain_shows_a_recall_and_its_recipe() {
    let mailbox = Mailbox::new();
    let explained = |text: &str| {
        let config = mailbox.dir.path().join("explain.toml");
        fs::write(&config, format!("server.state_dir = {:?}\n", mailbox.dir.path())).unwrap();
        let mut command = Command::new(env!("CARGO_BIN_EXE_linkmilter"));
        command.arg("explain").arg("--config").arg(&config).write_stdin(text);
        let output = command.output().unwrap();
        fs::remove_file(config).unwrap();
        String::from_utf8(output.stdout).unwrap()
    };
    assert!(!explained(BAD).contains("recipe:"));
    mailbox.recall(&["bad.example.com"]);
    let files = mailbox.files();
    let text = &files.iter().find(|(name, _)| name.starts_with("new/")).unwrap().1;
    let page = explained(text);
    assert!(page.contains("recalled: links to bad[.]example[.]com\n"), "{page}");
    assert!(page.contains("recipe: restores the original, and no key can be read"), "{page}");
    let page = explained(&text.replace(" now", " then"));
    assert!(page.contains("recipe: restores nothing: "), "{page}");
}

/// The journal shows what was done at delivery and since, with times, by queue id and by
/// Message-ID.
#[test]
fn why_shows_recalls_and_their_undoing() {
    let mailbox = Mailbox::new();
    let state = tempfile::tempdir().unwrap();
    let journal = state.path().join("journal");
    let id = "<17@mail.example.org>";
    let event = |second: u64, queue_id: &str, action| Event {
        v: 1,
        time: Timestamp(second * 1_000),
        queue_id: queue_id.to_owned(),
        message_id: message_id(id.as_bytes()),
        verdict: Verdict::Notice,
        action,
        ..Event::default()
    };
    let mut daemon = EventJournal::open(&journal, JournalBounds::default()).unwrap();
    daemon.record(&event(1, "4XyzAB", Action::Reported)).unwrap();
    daemon.record(&event(2, "4XyzCD", Action::Restored)).unwrap();
    mailbox.put("cur/9.z.host:2,S", &format!("Message-ID: {id}\n{BAD}"));
    let config = state.path().join("linkmilter.toml");
    fs::write(&config, format!("server.state_dir = {:?}\n", state.path())).unwrap();
    let run = |arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_linkmilter"));
        let output = command.args(arguments).arg("--config").arg(&config).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    };
    let path = mailbox.dir.path().to_str().unwrap();
    let recall = ["recall", "bad.example.com", "--maildir", path];
    run(&[&recall[..], &["--dry-run"]].concat());
    assert!(!run(&["why", id]).contains("recalled"), "nothing was done");
    run(&recall);
    run(&[&recall[..], &["--give-back"]].concat());
    for asked in [id, "4XyzAB"] {
        let printed = run(&["why", asked]);
        let lines: Vec<&str> =
            printed.lines().filter(|line| !line.starts_with("  ")).map(str::trim).collect();
        assert_eq!(lines.len(), 4, "{printed}");
        assert!(lines[0].starts_with("4XyzAB at 1970-01-01T00:00:01"), "{printed}");
        assert!(
            lines[1].starts_with("4XyzCD at ") && lines[1].contains("restored to its original"),
            "{printed}"
        );
        assert!(lines[2].starts_with("recalled at 20"), "{printed}");
        assert!(
            lines[2].ends_with(": 1 link to bad[.]example[.]com defanged in a Maildir"),
            "{printed}"
        );
        assert!(lines[3].starts_with("restored at 20"), "{printed}");
    }
    let json = run(&["why", id, "--json"]);
    let last: serde_json::Value = serde_json::from_str(json.lines().last().unwrap()).unwrap();
    assert_eq!((&last["action"], &last["mailbox"]), (&"given-back".into(), &"maildir".into()));
    assert_eq!(last["hosts"], serde_json::json!(["bad.example.com"]));
    // The messages without a Message-ID were changed too, but are not shown as this message.
    let file = fs::read_dir(&journal).unwrap().find_map(|entry| {
        let entry = entry.unwrap();
        entry.file_name().to_str().unwrap().starts_with("recalls-").then(|| entry.path())
    });
    assert_eq!(fs::read_to_string(file.unwrap()).unwrap().lines().count(), 6);
}

/// A user without access to the journal records his own recalls, and `why` gets the directory.
#[test]
fn why_shows_recalls_by_users_who_may_not_write_to_the_journal() {
    use std::os::unix::fs::{PermissionsExt, chown};
    use std::os::unix::process::CommandExt;
    /// As the user `nobody`: root may write everywhere, so the test drops its rights.
    const NOBODY: u32 = 65_534;
    let mailbox = Mailbox::new();
    let id = "<18@mail.example.org>";
    mailbox.put("cur/9.z.host:2,S", &format!("Message-ID: {id}\n{BAD}"));
    let state = tempfile::tempdir().unwrap();
    let home = tempfile::tempdir().unwrap();
    let journal = state.path().join("journal");
    drop(EventJournal::open(&journal, JournalBounds::default()).unwrap());
    let config = state.path().join("linkmilter.toml");
    fs::write(&config, format!("server.state_dir = {:?}\n", state.path())).unwrap();
    fs::set_permissions(state.path(), fs::Permissions::from_mode(0o711)).unwrap();
    let is_root =
        fs::metadata("/proc/self").is_ok_and(|own| std::os::unix::fs::MetadataExt::uid(&own) == 0);
    let mode = if is_root { 0o700 } else { 0o000 };
    fs::set_permissions(&journal, fs::Permissions::from_mode(mode)).unwrap();
    if is_root {
        let all = walk(mailbox.dir.path()).into_iter().chain([home.path().to_owned()]);
        all.for_each(|path| chown(path, Some(NOBODY), Some(NOBODY)).unwrap());
    }
    let run = |arguments: &[&str]| {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_linkmilter"));
        command.args(arguments).arg("--config").arg(&config);
        command.env("HOME", home.path()).env_remove("XDG_STATE_HOME").current_dir("/");
        if is_root {
            command.uid(NOBODY).gid(NOBODY);
        }
        let output = command.output().unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        (output.status.code(), text(output.stdout), text(output.stderr))
    };
    let path = mailbox.dir.path().to_str().unwrap();
    let (code, printed, said) = run(&["recall", "bad.example.com", "--maildir", path]);
    let own = home.path().join(".local/state/linkmilter");
    assert_eq!(code, Some(0), "{printed}{said}");
    assert!(said.contains(&format!("noted in {}", own.display())), "{said}");
    assert_eq!(fs::metadata(&own).unwrap().permissions().mode() & 0o777, 0o700);
    // He sees his own recalls, and a hint about the journal.
    let (code, printed, said) = run(&["why", id]);
    assert_eq!(code, Some(0), "{printed}{said}");
    assert!(printed.starts_with("recalled at 20") && printed.contains("(noted in "), "{printed}");
    assert!(said.contains("try again with sudo"), "{said}");
    // For a message without recalls of his own, he gets the permission error.
    let (code, _, said) = run(&["why", "<19@mail.example.org>"]);
    assert_eq!(code, Some(2), "{said}");
    let named = home.path().join("named");
    let named = named.to_str().unwrap();
    let give_back =
        ["recall", "bad.example.com", "--maildir", path, "--give-back", "--recalls", named];
    let (code, _, said) = run(&give_back);
    assert_eq!(code, Some(0), "{said}");
    // The operator reads the given directory in addition to the journal.
    fs::set_permissions(&journal, fs::Permissions::from_mode(0o750)).unwrap();
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_linkmilter"));
    command.args(["why", id, "--recalls", own.to_str().unwrap(), "--recalls", named]);
    let output = command.arg("--config").arg(&config).env_remove("HOME").output().unwrap();
    let printed = String::from_utf8(output.stdout).unwrap();
    let lines: Vec<&str> = printed.lines().collect();
    assert!(lines.len() == 2 && lines[0].starts_with("recalled at "), "{printed}");
    assert!(lines[1].starts_with("restored at ") && lines[1].contains("/named)"), "{printed}");
    // A named pipe in the directory does not block.
    let pipe = std::path::Path::new(named).join("recalls-000000000001.jsonl");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_linkmilter"));
    let output =
        command.args(["why", id, "--recalls", named]).arg("--config").arg(&config).output();
    let said = String::from_utf8(output.unwrap().stderr).unwrap();
    assert!(said.contains("a named pipe"), "{said}");
}

/// A place for the records that is none is an error before anything is changed; one that takes no
/// more is an error at the end.
#[test]
fn recalls_that_cannot_be_recorded_where_they_should_be_are_an_error() {
    let mailbox = Mailbox::new();
    mailbox.put("cur/9.z.host:2,S", BAD);
    let before = mailbox.files();
    let state = tempfile::tempdir().unwrap();
    let config = state.path().join("linkmilter.toml");
    fs::write(&config, format!("server.state_dir = {:?}\n", state.path())).unwrap();
    let recall = || {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_linkmilter"));
        command.args(["recall", "bad.example.com", "--maildir"]).arg(mailbox.dir.path());
        command.arg("--recalls").arg(state.path().join("named")).arg("--config").arg(&config);
        let output = command.output().unwrap();
        (output.status.code(), String::from_utf8(output.stderr).unwrap())
    };
    fs::write(state.path().join("named"), "").unwrap();
    let (code, said) = recall();
    assert_eq!(code, Some(2), "{said}");
    assert!(said.contains("--recalls: nothing is changed: ") && said.contains("/named"), "{said}");
    assert_eq!(mailbox.files(), before);
    // A directory, but what should be written to is a link to another file.
    fs::remove_file(state.path().join("named")).unwrap();
    fs::create_dir(state.path().join("named")).unwrap();
    fs::write(state.path().join("other"), "").unwrap();
    let segment = state.path().join("named/recalls-099999999999.jsonl");
    std::os::unix::fs::symlink(state.path().join("other"), segment).unwrap();
    let (code, said) = recall();
    assert_eq!(code, Some(2), "{said}");
    assert!(said.contains("--recalls: 3 changes not recorded"), "{said}");
    assert_ne!(mailbox.files(), before);
}

/// A host of mailboxes on which no filter has run: the journal is made, and `why` knows of the recall. Where it cannot
/// be made nothing is changed.
#[test]
fn a_recall_without_a_journal_is_recorded_or_not_done() {
    let id = "<20@mail.example.org>";
    let mailbox = Mailbox::new();
    mailbox.put("cur/9.z.host:2,S", &format!("Message-ID: {id}\n{BAD}"));
    let before = mailbox.files();
    let root = tempfile::tempdir().unwrap();
    let run = |state: &Path, arguments: &[&str]| {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_linkmilter"));
        command.args(arguments).env("LINKMILTER_SERVER__STATE_DIR", state);
        let output = command.output().unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        (output.status.code(), text(output.stdout), text(output.stderr))
    };
    let recall = ["recall", "bad.example.com", "--maildir", mailbox.dir.path().to_str().unwrap()];
    let file = root.path().join("file");
    fs::write(&file, "").unwrap();
    let (code, _, said) = run(&file.join("state"), &[&recall[..], &["--dry-run"]].concat());
    assert_eq!(code, Some(0), "a dry run records nothing: {said}");
    let (code, printed, said) = run(&file.join("state"), &recall);
    assert_eq!(code, Some(2), "{printed}{said}");
    assert!(said.contains("nothing is changed") && said.contains("file/state"), "{said}");
    assert_eq!(mailbox.files(), before);
    let state = root.path().join("state");
    let (code, printed, said) = run(&state, &recall);
    assert_eq!(code, Some(0), "{printed}{said}");
    assert_ne!(mailbox.files(), before);
    let (code, printed, said) = run(&state, &["why", id]);
    assert_eq!(code, Some(0), "{said}");
    assert!(printed.starts_with("recalled at "), "{printed}");
}

/// A directory and everything in it.
fn walk(path: &std::path::Path) -> Vec<std::path::PathBuf> {
    let mut all = vec![path.to_owned()];
    let mut next = 0;
    while let Some(path) = all.get(next).cloned() {
        next += 1;
        let inside = fs::read_dir(&path).into_iter().flatten().flatten();
        all.extend(inside.map(|entry| entry.path()));
    }
    all
}
