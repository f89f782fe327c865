//! What is true of every command: nothing panics, hangs, or prints where it should not.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

use std::ffi::OsStr;
use std::fs;
use std::io::Write;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use clap::CommandFactory;
use linkmilter::cli::Cli;

/// Timeout of every wait. It allows for a loaded machine and is no measurement.
const TIMEOUT: Duration = Duration::from_secs(60);

const MESSAGE: &str = "From: a@example.org\nSubject: x\nContent-Type: text/plain; charset=utf-8\n\n\
    https://www.p\u{430}ypal.com/ and http://3232235777/\n";

/// A directory with a configuration, a message, and something that is not a file.
fn test_directory() -> tempfile::TempDir {
    let test_directory = tempfile::tempdir().unwrap();
    let path = |name: &str| test_directory.path().join(name);
    let config = format!("server.state_dir = {:?}\ndns.mode = \"never\"\n", path("state"));
    fs::write(path("linkmilter.toml"), config).unwrap();
    fs::write(path("message.eml"), MESSAGE).unwrap();
    fs::create_dir_all(path("state/journal")).unwrap();
    fs::create_dir(path("folder")).unwrap();
    test_directory
}

/// Every command in a form that ends by itself and writes to standard output or error. `FILE`
/// stands for a file to read, `CONFIG` for the configuration.
const COMMANDS: &[&str] = &[
    "--help",
    "--version",
    "rewrite --config CONFIG FILE",
    "restore FILE",
    "check --config CONFIG pаypal.com example.com",
    "check --json --config CONFIG pаypal.com",
    "links --config CONFIG FILE",
    "links --json --config CONFIG FILE",
    "links --mark --config CONFIG FILE",
    "format --config CONFIG https://pаypal.com/ä",
    "linkify --config CONFIG FILE",
    "scan FILE",
    "scan --format csv FILE",
    "scan --format summary FILE",
    "scan --format html FILE",
    "scan --format stix FILE",
    "scan --diff FILE",
    "scan /nonexistent",
    "scan --ranges 1 FILE",
    "tld --config CONFIG",
    "tld list --config CONFIG",
    "tld check --config CONFIG com nonesuchtld",
    "config check --config CONFIG",
    "config check --config FILE",
    "config print --config CONFIG",
    "explain --config CONFIG FILE",
    "why --config CONFIG 4XyzAB",
    "find --config CONFIG example.com",
    "why --config CONFIG <1@example.com>",
    "allow add --config CONFIG example.com",
    "allow list --config CONFIG",
    "allow remove --config CONFIG nonesuch.example",
    "block add --config CONFIG evil[.]example",
    "block list --json --config CONFIG",
    "allow add --config CONFIG nonsense..",
    "digest --config CONFIG",
    "generate man",
    "generate completions bash",
    "serve --config FILE",
    "serve --inherited --config CONFIG",
    "health --address unix:/nonexistent",
    "recall --maildir /nonexistent example.com",
    "config migrate --config CONFIG",
    "nonesuch",
];

fn command(test_directory: &Path, line: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_linkmilter"));
    for word in line.split(' ') {
        match word {
            "FILE" => command.arg(test_directory.join("message.eml")),
            "CONFIG" => command.arg(test_directory.join("linkmilter.toml")),
            word => command.arg(word),
        };
    }
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("LINKMILTER_") {
            command.env_remove(name);
        }
    }
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// Waits for the end of a child process. A timeout fails the test.
fn end(child: Child, what: &str) -> Output {
    let pid = child.id().to_string();
    let (ended, output) = mpsc::channel();
    // What it writes is read meanwhile: a pipe holds 64 KiB.
    std::thread::spawn(move || ended.send(child.wait_with_output()));
    match output.recv_timeout(TIMEOUT) {
        Ok(output) => output.unwrap(),
        Err(_) => {
            let _ = Command::new("kill").args(["-9", &pid]).status();
            panic!("{what} does not end");
        }
    }
}

fn run(mut command: Command, what: &str) -> Output {
    end(command.spawn().unwrap(), what)
}

/// Neither a panic (101) nor an abort, and no panic message. Only `serve` has a fourth exit code.
fn assert_no_panic(output: &Output, what: &str) {
    let said = String::from_utf8_lossy(&output.stderr);
    let worst = if what.starts_with("serve") { 3 } else { 2 };
    let code = output.status.code();
    assert!(code.is_some_and(|code| (0..=worst).contains(&code)), "{what}: {code:?}: {said}");
    assert!(!said.contains("panicked"), "{what}: {said}");
}

/// The writing end of a pipe whose reader is closed.
fn closed_pipe() -> Stdio {
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    writer.into()
}

#[test]
fn every_command_is_tried() {
    let program = Cli::command();
    for command in program.get_subcommands() {
        let name = command.get_name();
        assert!(COMMANDS.iter().any(|line| line.split(' ').next() == Some(name)), "{name}");
    }
}

#[test]
fn a_closed_pipe_is_no_failure_and_no_panic() {
    let test_directory = test_directory();
    for line in COMMANDS {
        let usual = run(command(test_directory.path(), line), line);
        assert_no_panic(&usual, line);
        let mut both = command(test_directory.path(), line);
        both.stdout(closed_pipe()).stderr(closed_pipe());
        assert_no_panic(&run(both, line), line);

        let mut quiet = command(test_directory.path(), line);
        quiet.stdout(closed_pipe());
        let output = run(quiet, line);
        assert_no_panic(&output, line);
        let said = String::from_utf8_lossy(&output.stderr);
        if line.starts_with("rewrite") {
            // Whoever runs it delivers what came out.
            assert_eq!(output.status.code(), Some(2), "{said}");
            assert!(said.contains("cannot write to standard output"), "{said}");
            continue;
        }
        assert!(!said.contains("roken pipe"), "{line}: {said}");
        if usual.status.code() != Some(2) {
            assert_ne!(output.status.code(), Some(2), "{line}: {said}");
        }

        let mut deaf = command(test_directory.path(), line);
        deaf.stderr(closed_pipe());
        let output = run(deaf, line);
        assert_eq!(
            output.status.code(),
            run(command(test_directory.path(), line), line).status.code()
        );
    }
}

#[test]
fn a_full_disk_of_the_output_is_reported() {
    let test_directory = test_directory();
    let full = || fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    for line in COMMANDS {
        let usual = run(command(test_directory.path(), line), line);
        let mut onto_full = command(test_directory.path(), line);
        onto_full.stdout(full());
        let output = run(onto_full, line);
        assert_no_panic(&output, line);
        // clap itself writes help and version, and ignores a failure.
        if !usual.stdout.is_empty() && !line.starts_with("--") {
            let said = String::from_utf8_lossy(&output.stderr);
            assert_eq!(output.status.code(), Some(2), "{line}");
            assert!(said.contains("No space left"), "{line}: {said}");
        }
        let mut silent = command(test_directory.path(), line);
        silent.stderr(full());
        assert_eq!(run(silent, line).status.code(), usual.status.code(), "{line}");
    }
}

#[test]
fn closed_descriptors_are_no_panic() {
    let test_directory = test_directory();
    for line in COMMANDS {
        let direct = command(test_directory.path(), line);
        let mut shell = Command::new("sh");
        shell.args(["-c", "exec \"$0\" \"$@\" <&- >&- 2>&-"]);
        shell.arg(direct.get_program()).args(direct.get_args());
        shell.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        assert_no_panic(&run(shell, line), line);
    }
}

#[test]
fn a_journal_that_does_not_exist_is_no_quiet_day() {
    let test_directory = test_directory();
    let line = |command: &str| format!("{command} --config CONFIG --journal /nonexistent/journal");
    for line in [line("digest"), line("find example.com"), line("find --since 1d")] {
        let output = run(command(test_directory.path(), &line), &line);
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{line}: {said}");
        assert!(said.contains("/nonexistent/journal does not exist"), "{line}: {said}");
    }
    // Nor is a directory of something else.
    let other = |command: &str| format!("{command} --config CONFIG --journal /");
    for line in
        [other("digest"), other("find x.example"), other("why 4X"), other("recall x.example")]
    {
        let output = run(command(test_directory.path(), &line), &line);
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{line}: {said}");
        assert!(said.contains("expected a journal in /, found no file of one"), "{line}: {said}");
    }
    let line = "why 4X --config CONFIG --recalls /nonexistent/recalls";
    let output = run(command(test_directory.path(), line), line);
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.contains("/nonexistent/recalls does not exist"), "{said}");
    // One of the configuration that has nothing yet knows of nobody.
    let line = "recall x.example --config CONFIG";
    assert_eq!(run(command(test_directory.path(), line), line).status.code(), Some(1));
}

#[test]
fn a_message_has_a_recipient_and_a_size() {
    let test_directory = test_directory();
    for (line, expected) in [
        ("explain --config CONFIG --as a@example.org, FILE", "expected --as SENDER,RECIPIENT"),
        ("scan --max-message 0 FILE", "expected a number of MiB from 1"),
    ] {
        let output = run(command(test_directory.path(), line), line);
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{line}: {said}");
        assert!(said.contains(expected), "{line}: {said}");
    }
}

/// It would be called harmless, whatever is in it.
#[test]
fn an_archive_is_no_message() {
    let test_directory = test_directory();
    let archive = test_directory.path().join("archive");
    for (bytes, found) in [
        (b"\x1F\x8B\x08\0\0\0\0\0\0\x03".as_slice(), "compressed data"),
        (b"\x28\xB5\x2F\xFD\0", "compressed data"),
        (&[[0; 257].as_slice(), b"ustar\0"].concat(), "a tar archive"),
        (b"PK\x03\x04\x14\0\0\0", "a zip archive"),
        (b"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1", "an OLE document (Outlook .msg)"),
        (b"!BDN", "an Outlook .pst archive"),
        (b"2 M1e C1\n\x01\x02N 0\nA: b\n", "mail stored by Dovecot as dbox"),
    ] {
        std::fs::write(&archive, bytes).unwrap();
        for name in ["rewrite", "restore", "explain"] {
            let mut given = command(test_directory.path(), name);
            given.arg(&archive);
            let output = run(given, name);
            let said = String::from_utf8_lossy(&output.stderr);
            let expected = format!("expected one message, found {found}");
            assert!(said.contains(&expected), "{name}: {said}");
            assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0), "{name}");
        }
    }
}

/// What is no archive may be mail, whatever its first bytes: it is passed on.
#[test]
fn a_message_may_begin_with_anything() {
    let test_directory = test_directory();
    for bytes in [b"\0From: a@example.org\n\nx\n".as_slice(), b"\0", b"", b"From \n\nlove\n"] {
        let odd = test_directory.path().join("odd.eml");
        fs::write(&odd, bytes).unwrap();
        let mut given = command(test_directory.path(), "rewrite --no-header");
        given.arg(&odd);
        let output = run(given, "rewrite");
        assert_eq!((output.status.code(), output.stdout.as_slice()), (Some(0), bytes));
    }
}

/// What is written of a text that is no UTF-8 may name another host than the text.
#[test]
fn whoever_reads_a_text_is_told_of_its_charset() {
    let test_directory = test_directory();
    let text = test_directory.path().join("text");
    fs::write(&text, b"\nhttp://b\xFCcher.de/\n").unwrap();
    for line in
        ["links -", "links --prose -", "linkify -", "check -", "format -", "check", "format"]
    {
        let mut given = command(test_directory.path(), line);
        given.stdin(fs::File::open(&text).unwrap());
        let output = run(given, line);
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(
            said.contains("expected text in UTF-8, found other bytes in line 2"),
            "{line}: {said}"
        );
        assert!(!output.stdout.is_empty(), "{line}");
    }
}

/// A link leads where its bytes say: U+FFFD is in no address that somebody wrote.
#[test]
fn bytes_of_a_link_that_are_no_utf8_are_percent_encoded() {
    let test_directory = test_directory();
    let text = test_directory.path().join("text");
    let written = |line: &str, bytes: &[u8]| {
        fs::write(&text, bytes).unwrap();
        let mut given = command(test_directory.path(), line);
        given.stdin(fs::File::open(&text).unwrap());
        String::from_utf8(run(given, line).stdout).unwrap()
    };
    let anchor = |url: &str| format!("<a href=\"{url}\">{url}</a>");
    for (bytes, expected) in [
        (&b"caf\xE9 http://example.com/a\xE9b, \xE9"[..], {
            format!("caf\u{FFFD} {}, \u{FFFD}", anchor("http://example.com/a%E9b"))
        }),
        (b"http://example.com/\xFF?\xC3x=\xF0\x9F\x98#\xE9 x", {
            anchor("http://example.com/%FF?%C3x=%F0%9F%98#%E9") + " x"
        }),
        (b"mailto:a@example.com?subject=\xE9", anchor("mailto:a@example.com?subject=%E9")),
        // Hosts and login names are not guessed.
        (b"http://b\xFCcher.de/ a\xE9@example.com", {
            "http://b\u{FFFD}cher.de/ a\u{FFFD}@example.com".to_owned()
        }),
    ] {
        assert_eq!(written("linkify -", bytes), expected);
    }
    assert_eq!(written("format -", b"http://example.com/a\xE9b\n"), "http://example.com/a%E9b\n");
}

#[test]
fn invalid_arguments_and_files_are_errors() {
    let test_directory = test_directory();
    let odd = OsStr::from_bytes(b"\xff\xfe.eml");
    for name in [
        "rewrite", "restore", "links", "linkify", "explain", "scan", "check", "format", "why",
        "find",
    ] {
        for argument in [odd, test_directory.path().join("folder").as_os_str(), OsStr::new("")] {
            let mut given = command(test_directory.path(), name);
            given.arg(argument);
            let output = run(given, name);
            assert_no_panic(&output, name);
        }
    }
    for line in [
        "scan --jobs 99999 FILE",
        "scan --jobs 0 FILE",
        "scan --jobs -1 FILE",
        "scan --jobs 99999999999999999999999 FILE",
        "scan --max-message 0 FILE",
        "scan --max-message 99999999999999999999 FILE",
        "scan --ranges -1 FILE",
        "digest --since -1h",
        "digest --since 99999999999999999999w",
    ] {
        let output = run(command(test_directory.path(), line), line);
        assert_no_panic(&output, line);
        assert_eq!(output.status.code(), Some(2), "{line}");
        assert!(!output.stderr.is_empty(), "{line}");
    }
    for line in [
        "scan --max-message 18446744073709551615 FILE",
        "scan --ranges 18446744073709551615 FILE",
        "scan --ranges 0 FILE",
        "digest --config CONFIG --since 18446744073709551615s",
    ] {
        assert_no_panic(&run(command(test_directory.path(), line), line), line);
    }
}

#[test]
fn input_that_never_ends_is_refused() {
    let test_directory = test_directory();
    // Without the limit the command would end at its memory limit, with another message.
    let limited = |line: &str, input: Stdio| {
        let direct = command(test_directory.path(), line);
        let mut shell = Command::new("sh");
        shell.args(["-c", "ulimit -v 6000000; exec \"$0\" \"$@\""]);
        shell.arg(direct.get_program()).args(direct.get_args());
        shell.stdin(input).stdout(Stdio::piped()).stderr(Stdio::piped());
        run(shell, line)
    };
    for line in [
        "rewrite /dev/zero", "restore /dev/zero", "explain /dev/zero", "linkify /dev/zero", "links",
    ] {
        let output = limited(line, fs::File::open("/dev/zero").unwrap().into());
        assert_no_panic(&output, line);
        assert_eq!(output.status.code(), Some(2), "{line}");
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(said.contains("larger than 1 GiB"), "{line}: {said}");
    }
    let output = limited("check", fs::File::open("/dev/zero").unwrap().into());
    assert_no_panic(&output, "check");
    assert_eq!(output.status.code(), Some(2));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("line 1: larger than 128 KiB"), "{said}");
    let line = "restore --seal-key /dev/zero FILE";
    let output = limited(line, Stdio::null());
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("a device, not a regular file"));
}

#[test]
fn a_cause_is_printed_once() {
    let test_directory = test_directory();
    for line in [
        "why --journal FILE 4XyzAB",
        "digest --journal FILE",
        "find --journal FILE example.com",
        "rewrite /nonexistent",
        "allow add --config /dev/zero example.com",
        "tld update --config CONFIG",
    ] {
        let mut given = command(test_directory.path(), line);
        given.env("LINKMILTER_TLD__URL", "https://localhost:1/");
        let output = run(given, line);
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{line}: {said}");
        let causes: Vec<&str> = said.trim_end().split(": ").collect();
        for (at, cause) in causes.iter().enumerate() {
            assert!(!causes[..at].contains(cause), "{cause:?} is named twice: {said}");
        }
    }
}

#[test]
fn an_invalid_number_of_threads_is_reported() {
    let test_directory = test_directory();
    let output = run(command(test_directory.path(), "scan --jobs 99999 FILE"), "scan");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("from 1 to 512") && said.contains("99999"), "{said}");
    let output = run(command(test_directory.path(), "scan --jobs 512 FILE"), "scan");
    assert_eq!(output.status.code(), Some(1));
}

/// Runs the command as an unprivileged user.
fn by_plain_user(plain: Command, privileged: bool) -> Command {
    if !privileged {
        return plain;
    }
    let mut given = Command::new("setpriv");
    given.args(["--reuid=65534", "--regid=65534", "--clear-groups"]);
    given.args(["--bounding-set=-all", "--inh-caps=-all"]);
    given.arg(plain.get_program()).args(plain.get_args());
    given.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    given
}

/// A question that only the daemon's files answer: an unprivileged user gets a hint.
#[test]
fn users_without_permission_get_a_hint() {
    let test_directory = test_directory();
    fs::set_permissions(test_directory.path(), fs::Permissions::from_mode(0o755)).unwrap();
    let state = test_directory.path().join("state");
    fs::create_dir(state.join("undo")).unwrap();
    let edited = format!("X-Linkmilter-Undo: v=1; file={}\r\n\r\nx\r\n", "0".repeat(64));
    fs::write(test_directory.path().join("edited"), edited).unwrap();
    let private = [state.join("journal"), state.join("undo")];
    let modes = |mode| {
        for path in &private {
            fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
        }
    };
    modes(0o000);
    let privileged = fs::read_dir(&private[0]).is_ok();
    let restore = format!(
        "restore --state-dir {} {}/edited",
        state.display(),
        test_directory.path().display()
    );
    for line in [
        "why --config CONFIG 4XyzAB",
        "find --config CONFIG example.com",
        "digest --config CONFIG",
        &restore,
    ] {
        let output = run(by_plain_user(command(test_directory.path(), line), privileged), line);
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{line}: {said}");
        assert!(said.contains("sudo") && said.contains("state/"), "{line}: {said}");
        assert!(output.stdout.is_empty(), "{line}");
    }
    modes(0o700);
}

/// Files that only the daemon may read cause no warning and no error for an unprivileged user.
#[test]
fn plain_users_get_no_warnings_about_files_that_are_not_theirs() {
    let test_directory = test_directory();
    let state = test_directory.path().join("state");
    fs::create_dir_all(state.join("tld")).unwrap();
    fs::write(state.join("tld/tlds-alpha-by-domain.txt"), "nonsense").unwrap();
    fs::write(test_directory.path().join("key"), [7; 32]).unwrap();
    let config = format!("server.state_dir = {state:?}\npolicy.seal_key_file = \"key\"\n");
    fs::write(test_directory.path().join("linkmilter.toml"), config).unwrap();
    let modes = |mode| {
        for path in [state.clone(), test_directory.path().join("key")] {
            fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
        }
    };
    let lines = [
        "rewrite --config CONFIG FILE",
        "explain --config CONFIG FILE",
        "links --config CONFIG FILE",
        "format --config CONFIG https://example.com/",
        "scan --config CONFIG FILE",
        "check --config CONFIG https://example.com/",
        "linkify --config CONFIG FILE",
        "config print --config CONFIG",
    ];
    modes(0o700);
    let warned = run(command(test_directory.path(), lines[0]), lines[0]);
    assert!(!warned.stderr.is_empty(), "whoever may read the table is warned that it is none");
    modes(0o000);
    fs::set_permissions(test_directory.path(), fs::Permissions::from_mode(0o755)).unwrap();
    let privileged = fs::read_dir(&state).is_ok();
    for line in lines {
        let mut given = by_plain_user(command(test_directory.path(), line), privileged);
        given.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let output = run(given, line);
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(matches!(output.status.code(), Some(0 | 1)) && said.is_empty(), "{line}: {said}");
    }
    modes(0o700);
}

/// A source that sends nothing delays the end of a scan by at most the shutdown timeout.
#[test]
fn a_scan_of_a_silent_pipe_answers_signals() {
    for signal in [2, 15] {
        for times in [1, 2] {
            let test_directory = test_directory();
            let mut scan = command(test_directory.path(), "scan -");
            scan.stdin(Stdio::piped());
            let mut child = scan.spawn().unwrap();
            let mut input = child.stdin.take().unwrap();
            input.write_all(b"From: a@example.org\n\n").unwrap();
            // Wait until its signal handlers are installed: the thread that waits for signals has a
            // name.
            let tasks = format!("/proc/{}/task", child.id());
            let begun = Instant::now();
            let named = |entry: fs::DirEntry| {
                fs::read_to_string(entry.path().join("comm")).is_ok_and(|name| name == "signals\n")
            };
            while !fs::read_dir(&tasks).unwrap().any(|entry| named(entry.unwrap())) {
                assert!(begun.elapsed() < TIMEOUT, "no handler");
                std::thread::sleep(Duration::from_millis(5));
            }
            for _ in 0..times {
                let id = child.id().to_string();
                let sent = Command::new("kill").args([&format!("-{signal}"), &id]).status();
                assert!(sent.unwrap().success());
                std::thread::sleep(Duration::from_millis(200));
            }
            let output = end(child, "the scan");
            assert_eq!(output.status.signal(), Some(signal), "{:?}", output.status);
            drop(input);
        }
    }
}

/// If `apt-get` leaves a package unfinished, our own policy file is removed anyway.
#[test]
fn packages_that_cannot_be_installed_leave_no_policy_behind() {
    let test_directory = test_directory();
    let tools = test_directory.path().join("tools");
    fs::create_dir(&tools).unwrap();
    let tool = |name: &str, text: &str| {
        fs::write(tools.join(name), format!("#!/bin/sh\n{text}\n")).unwrap();
        fs::set_permissions(tools.join(name), fs::Permissions::from_mode(0o755)).unwrap();
    };
    tool("id", "echo 0");
    let policy = test_directory.path().join("policy-rc.d");
    for (apt, expected) in [
        ("test -x \"$POLICY_RC_D\" && exit 100", Some(100)),
        ("test -x \"$POLICY_RC_D\" && kill -TERM $PPID; sleep 1", Some(143)),
        ("exit 0", Some(0)),
    ] {
        tool("apt-get", apt);
        let mut shell = Command::new("bash");
        shell.args([
            "-c",
            "set -euo pipefail; . tests/install; install_packages nonesuch-tool:nonesuch",
        ]);
        shell.current_dir(env!("CARGO_MANIFEST_DIR"));
        shell.env("PATH", format!("{}:/usr/bin:/bin", tools.display()));
        shell.env("POLICY_RC_D", &policy);
        shell.stdout(Stdio::piped()).stderr(Stdio::piped());
        let output = run(shell, apt);
        assert_eq!(output.status.code(), expected, "{apt}: {output:?}");
        assert!(!policy.exists(), "{apt}");
    }
    // An existing file belongs to somebody else and is kept.
    fs::write(&policy, "theirs").unwrap();
    let mut shell = Command::new("bash");
    shell.args(["-c", ". tests/install; install_packages nonesuch-tool:nonesuch"]);
    shell.current_dir(env!("CARGO_MANIFEST_DIR"));
    shell.env("PATH", format!("{}:/usr/bin:/bin", tools.display())).env("POLICY_RC_D", &policy);
    assert!(run(shell, "theirs").status.success());
    assert_eq!(fs::read_to_string(&policy).unwrap(), "theirs");
}
