//! The daemon under a service manager: notification, watchdog, inherited sockets, hardening.
//! No systemd runs here: its side of the protocols is played by the test.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

#[path = "common/daemon.rs"]
#[allow(dead_code)]
mod daemon;

use std::net::{TcpListener, TcpStream};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use daemon::{Manager, Site, binary, clean, connect, deliver, negotiate, start, wait_for};

const HEADER: &[(&str, &str)] = &[("Subject", " hello"), ("Content-Type", " text/plain")];

#[test]
fn ready_reloading_stopping() {
    let site = Site::new("");
    let manager = Manager::new(site.root.path());
    let mut command = site.serve_at_socket();
    command.env("NOTIFY_SOCKET", &manager.path);
    let mut daemon = start(command);

    let notified = manager.notified();
    assert_eq!(notified[0], "READY=1");
    assert!(notified[1].starts_with("STATUS="), "{notified:?}");
    // READY means that the socket is there, at the first try.
    let mut session = std::os::unix::net::UnixStream::connect(site.socket()).unwrap();
    session.set_read_timeout(Some(daemon::PATIENCE)).unwrap();
    negotiate(&mut session);

    site.configure("log.level = \"debug\"\nserver.max_connections = 7");
    daemon.signal("HUP");
    let notified = manager.notified();
    assert_eq!(notified[0], "RELOADING=1");
    let micros = notified[1].strip_prefix("MONOTONIC_USEC=").expect("the time in the same message");
    assert!(micros.parse::<u64>().unwrap() > 0);
    let notified = manager.notified();
    assert_eq!(notified[0], "READY=1");
    assert!(notified[1].contains('2'), "the second configuration: {notified:?}");
    wait_for("the key that needs a restart", || {
        site.logged().contains("server.max_connections").then_some(())
    });
    // The session that was open all the time still answers.
    assert_accepted(&deliver(&mut session, "4AAAA", HEADER, b"hello\r\n"));

    site.configure("log.levle = \"debug\"\nserver.drain = 30");
    let notified = daemon.reload(&manager);
    assert_eq!(notified[0], "READY=1");
    assert!(notified[1].contains("failed"), "{notified:?}");
    // A thread of its own writes the log. All errors at once.
    wait_for("both errors of the configuration", || {
        let logged = site.logged();
        let notified = ["log.levle", "log.level", "server.drain"];
        notified.iter().all(|word| logged.contains(word)).then_some(())
    });
    assert_accepted(&deliver(&mut session, "4AAAB", HEADER, b"hello\r\n"));

    daemon.signal("TERM");
    let notified = manager.notified();
    assert_eq!(notified[0], "STOPPING=1");
    assert!(notified[1].starts_with("STATUS="), "{notified:?}");
    assert!(daemon.wait().success());
    assert!(!site.socket().exists(), "the daemon's own socket file goes with it");
}

#[test]
fn the_watchdog_is_fed_in_its_rhythm() {
    let site = Site::new("");
    let manager = Manager::new(site.root.path());
    let mut command = site.serve_at_socket();
    command.env("NOTIFY_SOCKET", &manager.path).env("WATCHDOG_USEC", "200000");
    let _daemon = start(command);
    assert_eq!(manager.notified()[0], "READY=1");
    for _ in 0..3 {
        assert_eq!(manager.next(), ["WATCHDOG=1"]);
    }
}

#[test]
fn a_watchdog_of_another_process_is_none_of_ours() {
    let site = Site::new("");
    let manager = Manager::new(site.root.path());
    let mut command = site.serve_at_socket();
    command.env("NOTIFY_SOCKET", &manager.path).env("WATCHDOG_USEC", "20000");
    command.env("WATCHDOG_PID", "1");
    let _daemon = start(command);
    assert_eq!(manager.notified()[0], "READY=1");
    let notified = manager.within(Duration::from_millis(300));
    // One canary is sent at the start for /healthz and may report; a rhythm of 10 ms would show.
    assert!(notified.len() <= 1, "{notified:?}");
}

#[test]
fn inherited_sockets_are_served_and_left_in_place() {
    let site = Site::new("");
    let unix = UnixListener::bind(site.socket()).unwrap();
    let tcp = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = tcp.local_addr().unwrap().port();
    // A client may connect before the filter runs: that is what socket activation is for.
    let mut early = connect(&site.socket());
    let mut shell = Command::new("sh");
    let script = "exec 3<&0 4<&1 </dev/null >/dev/null
        export LISTEN_PID=$$ LISTEN_FDS=2; exec \"$0\" serve --config \"$1\"";
    shell.args(["-c", script, binary()]).arg(site.path("linkmilter.toml"));
    clean(&mut shell);
    shell.stdin(Stdio::from(OwnedFd::from(unix))).stdout(Stdio::from(OwnedFd::from(tcp)));
    shell.stderr(site.log());
    let mut daemon = start(shell);

    negotiate(&mut early);
    assert_accepted(&deliver(&mut early, "4AAAC", HEADER, b"hello\r\n"));
    let mut other = TcpStream::connect(("127.0.0.1", port)).unwrap();
    other.set_read_timeout(Some(daemon::PATIENCE)).unwrap();
    negotiate(&mut other);

    drop((early, other));
    daemon.signal("TERM");
    assert!(daemon.wait().success(), "{}", site.logged());
    assert!(site.socket().exists(), "systemd's socket file is systemd's");
}

#[test]
fn sockets_of_another_process_are_not_taken() {
    let site = Site::new("");
    let socket = UnixListener::bind(site.path("other.sock")).unwrap();
    let mut command = site.serve_at_socket();
    command.env("LISTEN_PID", "1").env("LISTEN_FDS", "1");
    let _daemon = start(command);
    negotiate(&mut connect(&site.socket()));
    socket.set_nonblocking(true).unwrap();
    assert!(socket.accept().is_err());
}

#[test]
fn a_wrong_configuration_ends_the_start_with_2_and_every_error() {
    let site = Site::new("log.levle = \"debug\"\nserver.drain = 30");
    let output = site.serve().stderr(Stdio::piped()).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("log.levle") && said.contains("server.drain"), "{said}");
}

#[test]
fn a_way_out_that_the_unit_closes_is_named_at_start() {
    let digest = "[digest]\nat = \"06:30\"\nto = [\"a@example.org\"]\ntransport = ";
    let started = |transport: &str| {
        let site = Site::new(&format!("{digest}\"{transport}\""));
        let manager = Manager::new(site.root.path());
        let serve = site.serve();
        let mut command = Command::new("setpriv");
        command.arg("--no-new-privs").arg(serve.get_program()).args(serve.get_args());
        command.arg("--listen").arg(format!("unix:{}", site.socket().display()));
        clean(&mut command);
        command.env("NOTIFY_SOCKET", &manager.path);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(site.log());
        let mut daemon = start(command);
        assert_eq!(manager.notified()[0], "READY=1");
        // Its last lines are written when it has ended.
        daemon.end();
        site.logged()
    };
    let logged = started("sendmail");
    assert!(logged.contains("digest.transport: expected smtp or file under NoNew"), "{logged}");
    let logged = started("smtp");
    assert!(!logged.contains("digest.transport"), "{logged}");
}

#[test]
fn exposure_is_at_most_1_0() {
    for unit in ["linkmilter.service", "linkmilter-tld.service"] {
        let found = exposure(&[], unit);
        assert!(found <= 1.0, "{unit}: {found}");
    }
}

#[test]
fn exposure_without_network_is_at_most_0_2() {
    assert!(exposure(&["no-network.conf"], "linkmilter.service") <= 0.2);
}

#[test]
fn systemd_knows_every_directive() {
    let units = [
        "linkmilter.service", "linkmilter.socket", "linkmilter-tld.service", "linkmilter-tld.timer",
    ];
    let root = unit_root(&["no-network.conf", "internet.conf"], "linkmilter.service");
    let socket = root.path().join("etc/systemd/system/linkmilter.socket.d");
    std::fs::create_dir_all(&socket).unwrap();
    std::fs::copy(systemd("drop-in/sendmail.conf"), socket.join("sendmail.conf")).unwrap();
    let paths = units.map(|unit| root.path().join("etc/systemd/system").join(unit));
    let output = analyze().arg("verify").arg("--man=no").args(paths).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    let wrong: Vec<&str> = said
        .lines()
        .filter(|line| line.contains("linkmilter"))
        // The binary is not installed where the tests run.
        .filter(|line| !line.contains("is not executable"))
        .collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn the_units_hold_what_the_guide_promises() {
    let service = std::fs::read_to_string(systemd("linkmilter.service")).unwrap();
    for line in [
        "Type=notify",
        "Documentation=man:linkmilter(8) man:linkmilter.toml(5)",
        "WatchdogSec=60",
        // A reload that is refused fails, with its reasons.
        "ExecReload=/usr/bin/linkmilter config check --quiet",
        "ExecReload=/bin/kill -HUP $MAINPID",
        "User=linkmilter",
        // Never without the sockets that MTAs know.
        "ExecStart=/usr/bin/linkmilter serve --inherited",
        "Requires=linkmilter.socket",
        "After=linkmilter.socket",
        // enable --now does not start what stands in Also= only.
        "Wants=linkmilter-tld.timer",
        "StartLimitIntervalSec=0",
    ] {
        assert!(service.lines().any(|found| found == line), "{line}");
    }
    assert!(!service.contains("RuntimeDirectory=\n") && !service.contains("RuntimeDirectory=l"));
    let socket = std::fs::read_to_string(systemd("linkmilter.socket")).unwrap();
    // A socket unit that ended by itself would take the files away from MTAs.
    assert!(!socket.contains("RemoveOnStop=yes"));
    for line in [
        "SocketGroup=postfix",
        "SocketMode=0660",
        "ListenStream=/run/linkmilter.sock",
        "ListenStream=/var/spool/postfix/linkmilter.sock",
        // Any number of messages may start the filter.
        "TriggerLimitIntervalSec=0",
        "StartLimitIntervalSec=0",
    ] {
        assert!(socket.lines().any(|found| found == line), "{line}");
    }
}

/// The last reply lets the message go on.
fn assert_accepted(replies: &[u8]) {
    assert!(matches!(replies.last(), Some(b'a' | b'c')), "{replies:?}");
}

fn systemd(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("systemd").join(name)
}

fn analyze() -> Command {
    let found = Command::new("systemd-analyze").arg("--version").output();
    assert!(
        found.is_ok(),
        "systemd-analyze is missing: apt-get install --no-install-recommends systemd"
    );
    Command::new("systemd-analyze")
}

/// The units in a root of their own, with these drop-ins for one of them.
fn unit_root(drop_ins: &[&str], unit: &str) -> tempfile::TempDir {
    let root = tempfile::tempdir().unwrap();
    let units = root.path().join("etc/systemd/system");
    std::fs::create_dir_all(units.join(format!("{unit}.d"))).unwrap();
    for entry in std::fs::read_dir(systemd("")).unwrap() {
        let entry = entry.unwrap();
        if entry.file_type().unwrap().is_file() {
            std::fs::copy(entry.path(), units.join(entry.file_name())).unwrap();
        }
    }
    for drop_in in drop_ins {
        let from = systemd("drop-in").join(drop_in);
        std::fs::copy(from, units.join(format!("{unit}.d")).join(drop_in)).unwrap();
    }
    root
}

/// What `systemd-analyze security` makes of a unit, offline: 0 is closed, 10 is open.
fn exposure(drop_ins: &[&str], unit: &str) -> f64 {
    let root = unit_root(drop_ins, unit);
    let output = analyze()
        .args(["security", "--offline=true", "--no-pager"])
        .arg(root.path().join("etc/systemd/system").join(unit))
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    let level = said.lines().find_map(|line| line.split("exposure level for").nth(1));
    let level = level.unwrap_or_else(|| panic!("no exposure level in {said}"));
    let number = level.split(": ").nth(1).and_then(|rest| rest.split(' ').next()).unwrap();
    number.parse().unwrap()
}
