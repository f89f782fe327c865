//! What goes wrong around the mail path, and that mail flows all the same: a configuration that
//! does not hold, a socket that is not there, a port that is taken, a reader that is stuck, a disk
//! that is full. Each is a daemon of its own.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

#[path = "common/daemon.rs"]
#[allow(dead_code)]
mod daemon;

use std::fs;
use std::io::{Read, Write};
use std::net::TcpListener;
use std::os::fd::OwnedFd;
use std::os::unix::net::{UnixListener, UnixStream};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use daemon::{
    DECEPTIVE, Daemon, HEADER, Manager, Site, binary, clean, connect, deliver, negotiate, ready,
    serve, start, wait_for,
};

/// Runs until READY and stops; what it said of itself.
fn once(site: &Site) -> String {
    let (mut daemon, manager) = serve(site);
    let notified = manager.notified();
    assert_eq!(notified[0], "READY=1", "{}", site.logged());
    daemon.end();
    fs::remove_file(&manager.path).unwrap();
    notified[1].clone()
}

/// Whether the daemon edits a deceptive link now.
fn edits(site: &Site, id: &str) -> bool {
    let mut session = connect(&site.socket());
    negotiate(&mut session);
    let replies = deliver(&mut session, id, HEADER, DECEPTIVE.as_bytes());
    assert!(matches!(replies.last(), Some(b'a' | b'c')), "{replies:?}");
    replies.contains(&b'b')
}

fn ask(site: &Site, path: &str) -> String {
    let mut stream = wait_for("the endpoint", || UnixStream::connect(site.path("m.sock")).ok());
    let head = format!("GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
    stream.write_all(head.as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

fn with_metrics(site: &Site, settings: &str) -> String {
    format!("metrics.listen = \"unix:{}\"\n{settings}", site.path("m.sock").display())
}

#[test]
fn a_typing_error_starts_the_last_good_configuration_loudly() {
    let site = Site::new("");
    site.configure(&with_metrics(&site, "policy.profile = \"report-only\""));
    assert!(once(&site).contains("filtering"));
    // A key that nobody knows, and text that is no TOML at all.
    for wrong in ["policy.profil = \"strict\"", "policy.profile = \"strict"] {
        site.configure(&with_metrics(&site, wrong));
        let (mut daemon, manager) = serve(&site);
        let notified = manager.notified();
        assert_eq!(notified[0], "READY=1");
        assert!(
            notified[1].contains("last good") && notified[1].contains("linkmilter.toml:"),
            "{notified:?}"
        );
        assert!(!edits(&site, "4GOOD1"), "report-only stays in force");
        wait_for("the reason in the log", || {
            let logged = site.logged();
            (logged.contains("the configuration is invalid") && logged.contains("linkmilter.toml:"))
                .then_some(())
        });
        assert!(ask(&site, "/metrics").contains("linkmilter_config_stale 1\n"));
        let health = wait_for("the canary", || {
            Some(ask(&site, "/healthz")).filter(|health| health.contains("\r\n\r\nok"))
        });
        assert!(
            health.contains("200 OK") && health.contains("the last good one of 20"),
            "{health}"
        );
        // Mended: one signal, and all is as it was.
        site.configure(&with_metrics(&site, "policy.profile = \"enforce\""));
        let notified = daemon.reload(&manager);
        assert!(!notified[1].contains("last good"), "{notified:?}");
        assert!(edits(&site, "4GOOD2"));
        assert!(ask(&site, "/metrics").contains("linkmilter_config_stale 0\n"));
        daemon.end();
        fs::remove_file(&manager.path).unwrap();
        site.configure(&with_metrics(&site, "policy.profile = \"report-only\""));
        once(&site);
    }
}

/// A group, a directory or an address that is not there, without sockets of a service manager.
#[test]
fn sockets_that_cannot_be_had_start_those_of_the_last_good_configuration() {
    let site = Site::new("");
    let socket = format!("unix:{}", site.socket().display());
    let listen = |more: &str| format!("server.listen = [\"{socket}\"{more}]");
    let good = format!("{}\npolicy.profile = \"report-only\"", listen(""));
    let run = || {
        let manager = Manager::new(site.root.path());
        let mut command = site.serve();
        command.env("NOTIFY_SOCKET", &manager.path);
        (start(command), manager)
    };
    let wrong = [
        format!("{}\nserver.socket_group = \"nogroupxx\"", listen("")),
        listen(", \"inet:8895@192.0.2.1\""),
        listen(", \"unix:/nonexistent/linkmilter.sock\""),
        listen(&format!(", \"{socket}\"")),
    ];
    for wrong in &wrong {
        site.configure(wrong);
        let ended = site.serve().stderr(Stdio::piped()).output().unwrap();
        let said = String::from_utf8_lossy(&ended.stderr).into_owned();
        assert_eq!(ended.status.code(), Some(2), "{wrong}: {said}");
        assert!(said.contains("linkmilter.toml:"), "{wrong}: {said}");
    }
    site.configure(&good);
    let (mut daemon, manager) = run();
    assert_eq!(manager.notified()[0], "READY=1");
    daemon.end();
    fs::remove_file(&manager.path).unwrap();
    for wrong in &wrong {
        site.configure(wrong);
        let (mut daemon, manager) = run();
        let notified = manager.notified();
        assert_eq!(notified[0], "READY=1", "{wrong}: {}", site.logged());
        assert!(
            notified[1].contains("last good") && notified[1].contains("linkmilter.toml:"),
            "{notified:?}"
        );
        assert!(!edits(&site, "4SOCK1"), "report-only stays in force");
        daemon.end();
        fs::remove_file(&manager.path).unwrap();
    }
}

#[test]
fn a_list_that_cannot_be_read_and_an_unknown_variable_start_the_last_good_configuration() {
    let site = Site::new("lists.blocked_file = \"blocked.txt\"");
    fs::write(site.path("blocked.txt"), "bad.example\n").unwrap();
    once(&site);
    // A directory in its place cannot be read, not even by root.
    fs::remove_file(site.path("blocked.txt")).unwrap();
    fs::create_dir(site.path("blocked.txt")).unwrap();
    let said = once(&site);
    assert!(said.contains("last good") && said.contains("blocked.txt"), "{said}");
    let manager = Manager::new(site.root.path());
    let mut command = site.serve_at_socket();
    command.env("NOTIFY_SOCKET", &manager.path).env("LINKMILTER_DNS__MOED", "never");
    let _daemon = start(command);
    let notified = manager.notified();
    assert_eq!(notified[0], "READY=1");
    let mut session = connect(&site.socket());
    negotiate(&mut session);
    let replies = deliver(&mut session, "4BLOCK", HEADER, b"see https://bad.example/ for more\r\n");
    assert!(replies.contains(&b'b'), "the list that was kept holds: {replies:?}");
}

#[test]
fn a_configuration_that_is_gone_changes_nothing() {
    let site = Site::new("policy.profile = \"report-only\"");
    let (mut daemon, manager) = ready(&site);
    fs::remove_file(site.path("linkmilter.toml")).unwrap();
    let notified = daemon.reload(&manager);
    assert!(notified[1].contains("reload failed"), "{notified:?}");
    assert!(!edits(&site, "4GONE1"));
    daemon.end();
    fs::remove_file(&manager.path).unwrap();

    // Only the service manager knows now where the state directory is.
    let manager = Manager::new(site.root.path());
    let mut command = site.serve_at_socket();
    command.env("NOTIFY_SOCKET", &manager.path).env("STATE_DIRECTORY", site.path("state"));
    let _daemon = start(command);
    let notified = manager.notified();
    assert!(notified[0] == "READY=1" && notified[1].contains("last good"), "{notified:?}");
    assert!(!edits(&site, "4GONE2"));
}

/// A pipe that nobody writes to, and a device without an end, hold neither a reload nor a start.
#[test]
fn a_configuration_that_never_ends_is_refused_at_once() {
    let site = Site::new("policy.profile = \"report-only\"");
    fs::create_dir(site.path("conf.d")).unwrap();
    let pipe = site.path("conf.d/pipe.toml");
    let (mut daemon, manager) = ready(&site);
    let make = |place: &std::path::Path| {
        assert!(Command::new("mkfifo").arg(place).status().unwrap().success());
    };
    make(&pipe);
    let notified = daemon.reload(&manager);
    assert!(
        notified[1].contains("reload failed") && notified[1].contains("a named pipe"),
        "{notified:?}"
    );
    fs::remove_file(&pipe).unwrap();
    std::os::unix::fs::symlink("/dev/zero", &pipe).unwrap();
    assert!(daemon.reload(&manager)[1].contains("a device"));
    assert!(!edits(&site, "4PIPE1"), "the old settings stay in force");
    daemon.end();
    fs::remove_file(&manager.path).unwrap();
    fs::remove_file(&pipe).unwrap();
    make(&site.path("allow.txt"));
    assert!(once(&site).contains("last good"));
}

/// The second of two that share a state directory does not start while the first one lives, whatever
/// the pid file says. What a killed one left is no obstacle.
#[test]
fn one_daemon_works_with_a_state_directory() {
    let site = Site::new("");
    let (mut first, _manager) = ready(&site);
    let pid = site.path("state").join("linkmilter.pid");
    let before = fs::read_to_string(&pid).unwrap();
    let second = || {
        let mut command = site.serve();
        command.arg("--listen").arg(format!("unix:{}", site.path("second.sock").display()));
        command
    };
    let refused = second().stderr(Stdio::piped()).output().unwrap();
    let said = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert_eq!(refused.status.code(), Some(3), "it may start later: {said}");
    let expected = format!("process {} works with this state directory", before.trim());
    assert!(said.contains(&expected), "{said}");
    assert_eq!(fs::read_to_string(&pid).unwrap(), before);
    fs::remove_file(&pid).unwrap();
    let refused = second().stderr(Stdio::piped()).output().unwrap();
    assert_eq!(refused.status.code(), Some(3), "without a pid file as well");
    wait_for("the file", || (fs::read_to_string(&pid).ok()? == before).then_some(()));
    first.child.kill().unwrap();
    first.wait();
    // The number now is that of another daemon.
    let other = Site::new("");
    let (living, _manager) = ready(&other);
    fs::write(&pid, format!("{}\n", living.child.id())).unwrap();
    let mut second = start(second());
    wait_for("the second", || UnixStream::connect(site.path("second.sock")).ok());
    let own = format!("{}\n", second.child.id());
    wait_for("its file", || (fs::read_to_string(&pid).ok()? == own).then_some(()));
    second.end();
    assert!(!pid.exists());
}

/// A daemon that ends leaves the pid file to the one that has begun meanwhile.
#[test]
fn a_successor_keeps_its_pid_file() {
    let site = Site::new("");
    let pid = site.path("state").join("linkmilter.pid");
    let pid_of = |daemon: &Daemon| format!("{}\n", daemon.child.id());
    let (mut first, _manager) = serve(&site);
    // A message that has begun holds the first one up.
    let mut session = wait_for("the first", || UnixStream::connect(site.socket()).ok());
    negotiate(&mut session);
    session.write_all(b"\0\0\0\x11M<ann@example.com>\0").unwrap();
    wait_for("its pid file", || (fs::read_to_string(&pid).ok()? == pid_of(&first)).then_some(()));
    first.signal("TERM");
    wait_for("the end of its reloads", || (!pid.exists()).then_some(()));
    let mut command = site.serve();
    command.arg("--listen").arg(format!("unix:{}", site.path("second.sock").display()));
    let mut second = start(command);
    wait_for("the second", || UnixStream::connect(site.path("second.sock")).ok());
    // It listens a moment before it writes the file.
    wait_for("its file", || (fs::read_to_string(&pid).ok()? == pid_of(&second)).then_some(()));
    drop(session);
    assert!(first.wait().success());
    assert_eq!(fs::read_to_string(&pid).unwrap(), pid_of(&second));
    // Somebody removes it: it is written again.
    fs::remove_file(&pid).unwrap();
    wait_for("the file", || (fs::read_to_string(&pid).ok()? == pid_of(&second)).then_some(()));
    second.end();
    assert!(!pid.exists());
}

/// What needs a restart is told from what runs, and the state stays where it is.
#[test]
fn a_reload_is_compared_with_what_runs() {
    let site = Site::new("");
    let (mut daemon, _manager) = ready(&site);
    let other = site.path("other");
    fs::create_dir(&other).unwrap();
    let elsewhere =
        format!("server.state_dir = {other:?}\ntld.refresh = \"0s\"\ndns.mode = \"never\"\n");
    let reloaded = |text: &str, generation: u64| {
        fs::write(site.path("linkmilter.toml"), text).unwrap();
        daemon.signal("HUP");
        wait_for("the reload", || {
            let logged = site.logged();
            let said = format!("reloaded (generation={generation}");
            logged.lines().find(|line| line.contains(&said)).map(str::to_owned)
        })
    };
    let before = fs::read_to_string(site.path("linkmilter.toml")).unwrap();
    for generation in 2..4 {
        let line = reloaded(&elsewhere, generation);
        assert!(line.contains("needs_restart=server.state_dir"), "{line}");
    }
    assert!(fs::read_to_string(site.path("state/reload.json")).unwrap().contains("\"number\":"));
    assert_eq!(fs::read_dir(&other).unwrap().count(), 0, "the state stays where it is");
    let line = reloaded(&before, 4);
    assert!(!line.contains("needs_restart=s"), "{line}");
    daemon.end();
}

#[test]
fn what_another_program_kept_loads_without_the_keys_that_nobody_knows() {
    let site = Site::new("policy.profile = \"report-only\"");
    once(&site);
    // A newer program, and then this one again.
    let kept = site.path("state").join("last-good.json");
    let text = fs::read_to_string(&kept).unwrap();
    let newer = text.replace("policy.profile", "policy.from_the_future = 7\\npolicy.profile");
    assert_ne!(text, newer);
    fs::write(&kept, newer).unwrap();
    site.configure("policy.profile = \"report-only\"\npolicy.from_the_future = 7");
    let (_daemon, manager) = serve(&site);
    let notified = manager.notified();
    assert!(notified[0] == "READY=1" && notified[1].contains("last good"), "{notified:?}");
    assert!(!edits(&site, "4OLDER"));
}

#[test]
fn what_is_kept_is_for_the_daemon_alone() {
    use std::os::unix::fs::PermissionsExt;
    let site = Site::new("");
    once(&site);
    let kept = site.path("state").join("last-good.json");
    assert_eq!(fs::metadata(kept).unwrap().permissions().mode() & 0o777, 0o600);
}

#[test]
fn without_the_sockets_that_were_promised_it_does_not_start() {
    let site = Site::new("");
    let output = site.serve().arg("--inherited").stderr(Stdio::piped()).output().unwrap();
    assert_eq!(output.status.code(), Some(3), "not 2, so that it is started again");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("LISTEN_FDS") && said.contains("linkmilter.socket"), "{said}");
}

/// `serve` with this socket handed over as systemd does.
fn activated(site: &Site, socket: UnixListener) -> Command {
    let mut shell = Command::new("sh");
    let script = "exec 3<&0 </dev/null; export LISTEN_PID=$$ LISTEN_FDS=1; \
        exec \"$0\" serve --inherited --config \"$1\"";
    shell.args(["-c", script, binary()]).arg(site.path("linkmilter.toml"));
    clean(&mut shell);
    shell.stdin(Stdio::from(OwnedFd::from(socket))).stdout(Stdio::null()).stderr(site.log());
    shell
}

#[test]
fn without_any_configuration_that_held_mtas_are_turned_away_at_once() {
    let site = Site::new("policy.profil = 1");
    let socket = UnixListener::bind(site.socket()).unwrap();
    let mut waiting = connect(&site.socket());
    let mut daemon = start(activated(&site, socket.try_clone().unwrap()));
    assert_eq!(waiting.read(&mut [0; 16]).unwrap(), 0, "closed, not kept waiting");
    assert_eq!(daemon.wait().code(), Some(2));
    assert!(site.logged().contains("policy.profil"), "{}", site.logged());
}

#[test]
fn an_address_that_is_taken_does_not_take_the_inherited_sockets_away() {
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port();
    let site = Site::new(&format!("server.listen = [\"inet:{port}@127.0.0.1\"]"));
    let _daemon = start(activated(&site, UnixListener::bind(site.socket()).unwrap()));
    assert!(edits(&site, "4TAKEN"));
    let place = format!("inet:{port}@127.0.0.1");
    wait_for("the reason in the log", || site.logged().contains(&place).then_some(()));
}

#[test]
fn a_metrics_port_that_is_taken_does_not_stop_mail() {
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port();
    let site = Site::new(&format!("metrics.listen = \"inet:{port}@127.0.0.1\""));
    let (_daemon, _manager) = ready(&site);
    assert!(edits(&site, "4PORT1"));
    wait_for("the reason", || site.logged().contains("metrics: cannot listen at").then_some(()));
}

/// Whoever stops afterwards leaves alone what stands there now.
#[test]
fn a_socket_that_somebody_removed_is_a_trouble() {
    let site = Site::new("");
    site.configure(&with_metrics(&site, ""));
    let (mut daemon, _manager) = serve(&site);
    assert!(edits(&site, "4GONE1"));
    fs::remove_file(site.socket()).unwrap();
    let said = format!("{}: the socket was removed or replaced", site.socket().display());
    wait_for("the trouble", || ask(&site, "/healthz").contains(&said).then_some(()));
    wait_for("the reason", || site.logged().contains(&said).then_some(()));
    let _another = UnixListener::bind(site.socket()).unwrap();
    daemon.end();
    assert!(site.socket().exists());
}

fn health(site: &Site, arguments: &[&str]) -> (Option<i32>, String) {
    let mut command = Command::new(binary());
    command.args(["health", "--config"]).arg(site.path("linkmilter.toml")).args(arguments);
    clean(&mut command);
    let output = command.stdin(Stdio::null()).output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    (output.status.code(), said + &String::from_utf8_lossy(&output.stderr))
}

#[test]
fn health_says_whether_mail_is_taken() {
    let site = Site::new("");
    let socket = site.socket().display().to_string();
    site.configure(&with_metrics(&site, &format!("server.listen = [\"unix:{socket}\"]")));
    let (code, said) = health(&site, &[]);
    assert_eq!(code, Some(1), "{said}");
    assert!(
        said.starts_with(&format!("unix:{socket}: there is no such socket: does the filter run?")),
        "{said}"
    );

    let (mut daemon, _manager) = ready(&site);
    wait_for("the canary", || ask(&site, "/healthz").contains("200 OK").then_some(()));
    let well = format!("unix:{socket}: takes mail\nunix:{}: ok\n", site.path("m.sock").display());
    assert_eq!(health(&site, &[]), (Some(0), well));
    // What is to be mended is reported, and mail is taken all the same.
    site.configure("policy.profil = 1");
    daemon.signal("HUP");
    wait_for("the refusal", || site.logged().contains("reload failed").then_some(()));
    let (code, said) = health(&site, &["--address", &format!("unix:{socket}")]);
    assert_eq!((code, said), (Some(0), format!("unix:{socket}: takes mail\n")));
    // Whoever replaces what is not well must leave a filter alone that runs on the last good one.
    let (code, said) = health(&site, &[]);
    assert_eq!(code, Some(0), "{said}");
    for expected in [
        "milter.sock: takes mail\n",
        "m.sock: ok; ",
        "policy.profil",
        "the last good configuration of 20",
    ] {
        assert!(said.contains(expected), "{expected}: {said}");
    }
    daemon.end();
    assert_eq!(health(&site, &[]).0, Some(1));
    // With none that is kept the question stays open.
    fs::remove_file(site.path("state/last-good.json")).unwrap();
    assert_eq!(health(&site, &[]).0, Some(2));
}

#[test]
fn health_waits_for_nobody_and_is_not_fooled() {
    let site = Site::new("");
    // One that takes connections and says nothing, one that is no milter, one that is not there.
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let silent = format!("inet:{}@127.0.0.1", silent.local_addr().unwrap().port());
    let odd = UnixListener::bind(site.path("odd")).unwrap();
    let odd_place = format!("unix:{}", site.path("odd").display());
    std::thread::spawn(move || {
        for stream in odd.incoming() {
            let mut stream = stream.unwrap();
            let _ = stream.write_all(b"220 house.example ESMTP\r\n");
            let _ = stream.read(&mut [0; 64]);
        }
    });
    for (address, expected) in [
        (silent.as_str(), "no answer within 1 s"),
        (odd_place.as_str(), "expected a milter"),
        ("unix:/nonexistent", "there is no such socket"),
    ] {
        let (code, said) = health(&site, &["--timeout", "1", "--address", address]);
        assert_eq!(code, Some(1), "{said}");
        assert!(said.starts_with(&format!("{address}: ")) && said.contains(expected), "{said}");
    }
    assert_eq!(health(&site, &["--address", "nonsense"]).0, Some(2));
}

#[test]
fn the_log_has_a_message_in_words_and_a_refused_reload_with_its_reasons() {
    for (format, level) in [("text", " INFO "), ("json", "\"level\":\"INFO\"")] {
        let site = Site::new(&format!("log.format = \"{format}\""));
        let (mut daemon, manager) = ready(&site);
        assert!(edits(&site, "4WORDS"));
        site.configure("policy.profil = 1\nserver.drain = 30");
        assert_eq!(daemon.reload(&manager)[0], "READY=1");
        daemon.end();
        let logged = site.logged();
        let lines: Vec<&str> = logged.lines().filter(|line| line.contains("4WORDS")).collect();
        assert_eq!(lines.len(), 1, "{logged}");
        for said in [
            level,
            "4WORDS: unsafe, edited 1 of ",
            "www[.]xn--pypal-4ve[.]com edited: its letters do not belong together (mixed-script)",
            "from sender[.]example to recipient[.]example",
            " us",
        ] {
            assert!(lines[0].contains(said), "{said} in {}", lines[0]);
        }
        for said in ["policy.profil: ", "server.drain: expected "] {
            assert!(
                logged.lines().any(|line| line.contains("ERROR") && line.contains(said)),
                "{said} in {logged}"
            );
        }
    }
}

#[test]
fn a_stuck_reader_of_the_log_holds_no_mail_and_no_health_check() {
    let site = Site::new("");
    site.configure(&with_metrics(&site, "log.level = \"info\""));
    let mut command = site.serve_at_socket();
    // Nobody reads it: 64 KiB and it is full.
    command.stderr(Stdio::piped());
    let mut daemon = start(command);
    let mut session = connect(&site.socket());
    negotiate(&mut session);
    for number in 0..6_000 {
        let replies =
            deliver(&mut session, &format!("4STUCK{number}"), HEADER, b"https://example.com/\r\n");
        assert!(matches!(replies.last(), Some(b'a' | b'c')), "{replies:?}");
    }
    let text = ask(&site, "/metrics");
    let dropped =
        text.lines().find_map(|line| line.strip_prefix("linkmilter_log_lines_dropped_total "));
    assert!(dropped.unwrap().parse::<u64>().unwrap() > 0, "{text}");
    wait_for("the canary", || ask(&site, "/healthz").contains("200 OK").then_some(()));
    drop(session);
    daemon.end();
}

#[test]
fn a_recipe_that_cannot_be_kept_is_said_to_be_lost_and_signed_mail_may_be_left_alone() {
    let signed = [
        ("Subject", " hello"),
        ("Content-Type", " text/plain; charset=utf-8"),
        ("DKIM-Signature", " v=1; d=sender.example; s=a; h=from; bh=AA==; b=AA=="),
    ];
    for (setting, edited) in [("edit", true), ("report-signed", false)] {
        let site = Site::new(&format!("policy.undo_bytes = 0\npolicy.undo_lost = \"{setting}\""));
        // A file in the place of the directory: nobody can write there, not even root.
        fs::write(site.path("state").join("undo"), "").unwrap();
        let (_daemon, _manager) = ready(&site);
        assert!(edits(&site, "4LOST1"), "what is not signed is edited either way");
        let mut session = connect(&site.socket());
        negotiate(&mut session);
        let replies = deliver(&mut session, "4LOST2", &signed, DECEPTIVE.as_bytes());
        assert_eq!(replies.contains(&b'b'), edited, "{setting}: {replies:?}");
        let done =
            if edited { "its edits cannot be undone" } else { "what is signed is not edited" };
        let reason = format!("4LOST2: a recipe is lost: {done}");
        wait_for("the reason", || site.logged().contains(&reason).then_some(()));
    }
}

#[test]
fn metrics_beyond_loopback_ask_for_the_token() {
    let site = Site::new("");
    let port = daemon::free_port();
    fs::write(site.path("token"), "s3cret\n").unwrap();
    site.configure(&format!(
        "metrics.listen = \"inet:{port}@0.0.0.0\"\nmetrics.beyond_loopback = true\n\
         metrics.token_file = \"token\""
    ));
    let (_daemon, _manager) = ready(&site);
    let ask = |fields: &str| {
        let mut stream =
            wait_for("the endpoint", || std::net::TcpStream::connect(("127.0.0.1", port)).ok());
        let head = format!(
            "GET /metrics HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n{fields}\r\n"
        );
        stream.write_all(head.as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    };
    for wrong in ["", "Authorization: Bearer s3cre\r\n", "Authorization: Basic s3cret\r\n"] {
        let answer = ask(wrong);
        assert!(answer.starts_with("HTTP/1.1 401 ") && !answer.contains("linkmilter_"), "{answer}");
    }
    assert!(ask("Authorization: Bearer s3cret\r\n").contains("# EOF"));
    let older = ask("Authorization: Bearer s3cret\r\nAccept: text/plain\r\n");
    assert!(older.contains("text/plain; version=0.0.4") && !older.contains("# EOF"), "{older}");
    assert!(older.contains("# TYPE linkmilter_reloads_total counter"), "{older}");
}

/// A log rotation that sends SIGUSR1 by habit, a stray kill: none of them stops mail.
#[test]
fn signals_without_a_meaning_are_ignored_and_logged_once() {
    let site = Site::new("");
    let (mut daemon, _manager) = ready(&site);
    let stray = ["USR1", "USR2", "ALRM", "VTALRM", "PROF", "IO", "PWR", "STKFLT", "XFSZ", "PIPE"];
    for name in stray.into_iter().chain(["34", "64", "USR1", "USR1"]) {
        daemon.signal(name);
    }
    assert!(edits(&site, "4STRAY"));
    let logged = |name: &str| site.logged().matches(&format!("signal {name} is ignored")).count();
    for name in ["SIGUSR1", "SIGUSR2", "SIGALRM", "SIGPROF"] {
        wait_for(name, || (logged(name) == 1).then_some(()));
    }
    daemon.end();
    assert_eq!(logged("SIGUSR1"), 1, "{}", site.logged());
}

/// The first start by hand: what the daemon keeps gets its place, and where it can have none that is
/// said once, with what to do.
#[test]
fn a_state_directory_is_made_and_its_absence_is_said_once() {
    let site = Site::new("");
    let begin = |state: &str| {
        let text = format!(
            "server.state_dir = {:?}\ntld.refresh = \"0s\"\ndns.mode = \"never\"\n\
             outbound.local_domains = [\"example.com\"]\n",
            site.path(state)
        );
        fs::write(site.path("linkmilter.toml"), text).unwrap();
        let (mut daemon, manager) = ready(&site);
        assert!(edits(&site, "4STATE"));
        daemon.end();
        fs::remove_file(&manager.path).unwrap();
    };
    begin("not/yet");
    assert!(!site.logged().contains("WARN"), "{}", site.logged());
    assert!(site.path("not/yet/last-good.json").exists());
    assert!(site.path("not/yet/journal").exists());
    assert!(site.path("not/yet/seal.key").exists());
    // Below a file there is no directory, whoever asks.
    begin("linkmilter.toml/state");
    let logged = site.logged();
    assert_eq!(logged.matches("LINKMILTER_SERVER__STATE_DIR").count(), 1, "{logged}");
    for consequence in ["no pid file", "is not saved", "no journal"] {
        assert!(!logged.contains(consequence), "{logged}");
    }
}

/// Whoever connects to the endpoint and asks nothing keeps nobody else from it.
#[test]
fn clients_that_never_ask_do_not_keep_others_from_the_endpoint() {
    let site = Site::new("");
    let settings = with_metrics(&site, "");
    fs::write(site.path("linkmilter.toml"), settings).unwrap();
    let (_daemon, _manager) = ready(&site);
    assert!(ask(&site, "/metrics").contains("200 OK"));
    let begun = |_| {
        let mut stream = UnixStream::connect(site.path("m.sock")).unwrap();
        stream.write_all(b"GET /me").unwrap();
        stream
    };
    let mut silent: Vec<UnixStream> = (0..40).map(begun).collect();
    assert!(ask(&site, "/metrics").contains("200 OK"));
    // The oldest were let go for the others.
    let first = silent.first_mut().unwrap();
    first.set_read_timeout(Some(std::time::Duration::from_secs(5))).unwrap();
    assert!(matches!(first.read(&mut [0; 16]), Ok(0) | Err(_)));
}

/// What `/healthz` says once it says this, or says it no more.
fn healthz(site: &Site, what: &str, said: bool) -> String {
    wait_for(what, || Some(ask(site, "/healthz")).filter(|text| text.contains(what) == said))
}

#[test]
fn a_state_directory_that_cannot_be_written_to_is_a_trouble_until_it_can() {
    let site = Site::new("");
    site.configure(&with_metrics(&site, ""));
    let (_daemon, _manager) = ready(&site);
    wait_for("the canary", || ask(&site, "/healthz").contains("200 OK").then_some(()));
    // Not even root writes below a file.
    fs::rename(site.path("state"), site.path("away")).unwrap();
    fs::write(site.path("state"), "").unwrap();
    let said = healthz(&site, "state cannot be written: Not a directory", true);
    assert!(said.contains("200 OK"), "mail is filtered all the same: {said}");
    assert!(edits(&site, "4FULL1"));
    fs::remove_file(site.path("state")).unwrap();
    fs::rename(site.path("away"), site.path("state")).unwrap();
    healthz(&site, "cannot be written", false);
    let logged = site.logged();
    assert_eq!(logged.matches("state cannot be written").count(), 1, "{logged}");
    assert!(logged.contains("the state can be written again"), "{logged}");
}

#[test]
fn a_dns_without_its_keys_is_a_trouble_until_they_are_there() {
    let site = Site::new("");
    let dns = "servers = [\"127.0.0.1:9\"]\ndnssec = true\ntrust_anchor = \"root.key\"";
    let text = format!(
        "{}server.state_dir = {:?}\ntld.refresh = \"0s\"\n[dns]\n{dns}\n",
        with_metrics(&site, ""),
        site.path("state"),
    );
    fs::write(site.path("linkmilter.toml"), text).unwrap();
    let (_daemon, _manager) = ready(&site);
    let said = healthz(&site, "not queried about top-level domains", true);
    assert!(said.contains("root.key: expected DNSKEY records of the root"), "{said}");
    assert!(edits(&site, "4KEYS1"));
    let key = ". 3600 IN DNSKEY 257 3 8 AwEAAaz/tAm8yTn4Mfeh5eyI96WSVexTBAvkMgJzkKTOiW1vkIbzxeF3\
        +/4RgWOq7HrxRixHlFlExOLAJr5emLvN7SWXgnLh4+B5xQlNVz8Og8kvArMtNROxVQuCaSnIDdD5LKyWbRd2n9\
        WGe2R8PzgCmr3EgVLrjyBxWezF0jLHwVN8efS3rCj/EWgvIWgb9tarpVUDK/b58Da+sqqls3eNbuv7pr+eoZG+\
        SrDK6nWeL3c6H5Apxz7LjVc1uTIdsIXxuOLYA4/ilBmSVIzuDWfdRUfhHdY6+cn8HFRm+2hM8AnXGXws9555Kr\
        UB5qihylGa8subX2Nn6UwNR1AkUTV74bU=\n";
    fs::write(site.path("root.key"), key).unwrap();
    healthz(&site, "not queried", false);
}

#[test]
fn limits_of_the_system_that_are_too_low_are_raised_or_said() {
    let begin = |limits: &str| {
        let site = Site::new("");
        let mut shell = Command::new("sh");
        let script = format!("{limits}; exec \"$0\" \"$@\"");
        shell.args(["-c", &script]);
        let serve = site.serve_at_socket();
        shell.arg(serve.get_program()).args(serve.get_args());
        clean(&mut shell);
        let manager = Manager::new(site.root.path());
        shell.stdin(Stdio::null()).stdout(Stdio::null()).stderr(site.log());
        let mut daemon = start({
            shell.env("NOTIFY_SOCKET", &manager.path);
            shell
        });
        assert_eq!(manager.notified()[0], "READY=1");
        let limits = fs::read_to_string(format!("/proc/{}/limits", daemon.child.id())).unwrap();
        let open = limits.lines().find(|line| line.starts_with("Max open files")).unwrap();
        let soft = open.split_whitespace().nth(3).unwrap().to_owned();
        daemon.end();
        (soft, site.logged())
    };
    let (soft, logged) = begin("ulimit -Sn 256");
    assert_eq!(soft, "1320");
    assert!(!logged.contains("open files") && !logged.contains("address space"), "{logged}");
    let (soft, logged) = begin("ulimit -n 512");
    assert_eq!(soft, "512");
    assert!(logged.contains("expected a limit of 1320 open files"), "{logged}");
    let (_, logged) = begin("ulimit -v 1200000");
    assert!(logged.contains("expected a limit of 1536 MiB of address space"), "{logged}");
}

/// What large messages took is given back to the system: see `src/daemon/allocator.rs`.
#[cfg(target_env = "gnu")]
#[test]
fn the_daemon_sets_from_which_size_on_memory_is_given_back_unless_somebody_did() {
    for (set, expected) in [
        (None, "MALLOC_MMAP_THRESHOLD_=1048576"),
        (Some(("MALLOC_MMAP_THRESHOLD_", "65536")), "MALLOC_MMAP_THRESHOLD_=65536"),
    ] {
        let site = Site::new("");
        let manager = Manager::new(site.root.path());
        let mut command = site.serve_at_socket();
        command.env("NOTIFY_SOCKET", &manager.path).env_remove("GLIBC_TUNABLES");
        command.env_remove("MALLOC_MMAP_THRESHOLD_").envs(set);
        let daemon = start(command);
        assert_eq!(manager.notified()[0], "READY=1", "{}", site.logged());
        // It is the process that was started, however often the program began.
        let environment = fs::read(format!("/proc/{}/environ", daemon.child.id())).unwrap();
        let variables = environment.split(|byte| *byte == 0).map(String::from_utf8_lossy);
        let found: Vec<_> = variables.filter(|name| name.starts_with("MALLOC_MMAP_")).collect();
        assert_eq!(found, [expected]);
        let comm = fs::read_to_string(format!("/proc/{}/comm", daemon.child.id())).unwrap();
        assert_eq!(comm, "linkmilter\n");
        assert!(edits(&site, "4ALLOC1"));
    }
}

/// A server for names that takes questions, and what it answers: nothing, or that no name exists.
fn nameserver(denies: bool) -> u16 {
    let socket = std::net::UdpSocket::bind("127.0.0.1:0").unwrap();
    let port = socket.local_addr().unwrap().port();
    std::thread::spawn(move || {
        let mut query = [0; 1500];
        while let Ok((length, peer)) = socket.recv_from(&mut query) {
            let end = 12 + query[12..length].iter().position(|byte| *byte == 0).unwrap() + 5;
            let mut reply = query[..end].to_vec();
            reply[2..12].copy_from_slice(&[0x81, 0x83, 0, 1, 0, 0, 0, 0, 0, 0]);
            if denies {
                socket.send_to(&reply, peer).unwrap();
            }
        }
    });
    port
}

/// A message whose links take more steps than a worker gives it is judged twice.
#[test]
fn a_message_that_is_judged_again_does_not_wait_for_the_dns_again() {
    let site = Site::new("");
    let text = format!(
        "server.state_dir = {:?}\ntld.refresh = \"0s\"\n[dns]\nservers = [\"127.0.0.1:{}\"]\n\
         deadline = \"4s\"\n",
        site.path("state"),
        nameserver(false),
    );
    fs::write(site.path("linkmilter.toml"), text).unwrap();
    let (_daemon, _manager) = ready(&site);
    let mut session = connect(&site.socket());
    negotiate(&mut session);
    let start = Instant::now();
    deliver(&mut session, "4TWICE1", HEADER, "http://g\u{43e}\u{43e}gle.zzone/ x\r\n".as_bytes());
    let waited = start.elapsed();
    let deadline = Duration::from_secs(4);
    assert!(deadline <= waited && waited < deadline * 7 / 4, "{waited:?}");
    let line = wait_for("its line", || {
        site.logged().lines().find(|line| line.contains("4TWICE1")).map(str::to_owned)
    });
    let micros = line.split_once(" us, ").unwrap().1.split_once(" us for the DNS").unwrap().0;
    assert!(micros.parse::<u64>().unwrap() >= 4_000_000, "{line}");
}

#[test]
fn a_dns_that_denies_what_exists_or_is_silent_is_a_trouble_and_links_are_judged() {
    for (denies, trouble) in [
        (true, "the top-level domain \"com\" does not exist, which IANA's table has"),
        (false, "no question about a top-level domain is answered"),
    ] {
        let site = Site::new("");
        let text = format!(
            "{}server.state_dir = {:?}\ntld.refresh = \"0s\"\n[dns]\nmode = \"always\"\n\
             servers = [\"127.0.0.1:{}\"]\ndeadline = \"100ms\"\n",
            with_metrics(&site, ""),
            site.path("state"),
            nameserver(denies),
        );
        fs::write(site.path("linkmilter.toml"), text).unwrap();
        let (_daemon, _manager) = ready(&site);
        assert!(edits(&site, "4DENY1"), "the table decides");
        let mut session = connect(&site.socket());
        negotiate(&mut session);
        let names = b"http://a.zzone/ http://a.zztwo/ http://a.zzthree/\r\n";
        deliver(&mut session, "4DENY2", HEADER, names);
        healthz(&site, trouble, true);
        assert!(site.logged().contains(trouble.split('"').next().unwrap()), "{}", site.logged());
    }
}
