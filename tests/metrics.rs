//! Seen from outside: `/metrics` and `/healthz` of a running daemon, the dashboard and the alerts.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

#[path = "common/daemon.rs"]
#[allow(dead_code)]
mod daemon;

use std::collections::BTreeSet;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::{Command, Stdio};

use daemon::{Site, binary, body_after, connect, deliver, free_port, negotiate, start, wait_for};
use linkmilter::daemon::contacts::store::{ContactKey, ContactSets};
use linkmilter::daemon::metrics::{ConfiguredList, TaskResult};

const DECEPTIVE: &str = "Confirm at https://www.p\u{430}ypal.com/secret?user=alice today.\r\n";

/// Status and body of one request.
fn request(mut stream: impl Read + Write, request: &str) -> (u16, String) {
    let head = format!("{request} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
    stream.write_all(head.as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    let (head, body) = answer.split_once("\r\n\r\n").unwrap_or_else(|| panic!("{answer}"));
    (head.split(' ').nth(1).unwrap().parse().unwrap(), body.to_owned())
}

fn value(text: &str, series: &str) -> f64 {
    let line = text.lines().find_map(|line| line.strip_prefix(series)?.strip_prefix(' '));
    line.unwrap_or_else(|| panic!("no {series} in\n{text}")).parse().unwrap()
}

#[test]
fn a_message_is_seen_from_outside() {
    let site = Site::new("");
    let metrics = site.path("metrics.sock");
    site.configure(&format!("metrics.listen = \"unix:{}\"", metrics.display()));
    let command = site.serve_at_socket();
    let daemon = start(command);
    let mut session = connect(&site.socket());
    negotiate(&mut session);
    let header = [("Content-Type", " text/plain; charset=utf-8"), ("Subject", " x")];
    let replies = deliver(&mut session, "4METR1", &header, DECEPTIVE.as_bytes());
    assert!(replies.contains(&b'b'), "the body is replaced: {replies:?}");
    deliver(&mut session, "4METR2", &header, b"nothing here\r\n");

    let ask = |path: &str| request(UnixStream::connect(&metrics).unwrap(), path);
    let (status, text) = ask("GET /metrics");
    assert_eq!(status, 200);
    let unsafe_edited = r#"linkmilter_messages_total{verdict="unsafe",action="edited"}"#;
    assert_eq!(value(&text, unsafe_edited), 1.0);
    assert_eq!(value(&text, r#"linkmilter_messages_total{verdict="ok",action="passed"}"#), 1.0);
    assert_eq!(value(&text, r#"linkmilter_findings_total{reason="mixed-script"}"#), 1.0);
    assert_eq!(value(&text, "linkmilter_engine_seconds_count"), 2.0);
    assert_eq!(value(&text, "linkmilter_connections_open"), 1.0);
    assert_eq!(value(&text, "linkmilter_config_generation"), 1.0);
    assert!(value(&text, "linkmilter_tld_table_age_seconds") >= 0.0);
    assert!(value(&text, "linkmilter_resident_memory_bytes") > 0.0);
    assert!(text.ends_with("# EOF\n"));
    for private in ["paypal", "xn--", "alice", "secret", "sender.example", "4METR"] {
        assert!(!text.contains(private), "{private} in\n{text}");
    }

    wait_for("the first canary", || {
        (ask("GET /healthz") == (200, "ok\n".to_owned())).then_some(())
    });
    assert_eq!(ask("GET /other").0, 404);
    assert_eq!(ask("POST /metrics").0, 405);
    daemon.signal("HUP");
    wait_for("the second configuration", || {
        let (_, text) = ask("GET /metrics");
        (value(&text, "linkmilter_config_generation") == 2.0).then_some(())
    });

    // The log and the journal hold the same message, without its secrets.
    let logged = site.logged();
    let line = logged.lines().find(|line| line.contains("4METR1")).expect("one line a message");
    assert!(line.contains("unsafe") && line.contains("[.]com"), "{line}");
    assert!(!logged.contains("secret") && !logged.contains("alice"), "{logged}");
    let why = || {
        let mut why = Command::new(binary());
        why.args(["why", "4METR1", "--config"]).arg(site.path("linkmilter.toml"));
        daemon::clean(&mut why);
        why.output().unwrap()
    };
    let found = wait_for("the journal", || Some(why()).filter(|why| why.status.success()));
    let said = String::from_utf8(found.stdout).unwrap();
    assert!(said.contains("links were edited") && said.contains("mixed-script"), "{said}");
    assert!(!said.contains("secret") && !said.contains("alice"), "{said}");
}

/// A site of which these are the recipients, which has a memory of two months.
fn acquainted() -> (Site, std::path::PathBuf) {
    let site = Site::new("");
    let metrics = site.path("metrics.sock");
    site.configure(&format!(
        "metrics.listen = \"unix:{}\"\nbanner.external = true\nbanner.first_contact = true\n\
         outbound.local_domains = [\"recipient.example\"]",
        metrics.display()
    ));
    let secret = [7; 32];
    std::fs::write(site.path("state/seal.key"), secret).unwrap();
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_secs();
    let memory = ContactSets::new(now - 60 * 86_400).write(&ContactKey::new(&secret));
    std::fs::write(site.path("state/contacts"), memory).unwrap();
    (site, metrics)
}

fn serve(site: &Site) -> (daemon::Daemon, UnixStream) {
    let command = site.serve_at_socket();
    let daemon = start(command);
    let mut session = connect(&site.socket());
    negotiate(&mut session);
    (daemon, session)
}

/// What the filter puts on top of a message of this author.
fn top(session: &mut UnixStream, from: &str, id: &str) -> String {
    let fields = [
        ("From", format!(" {from}")),
        ("Message-ID", format!(" {id}")),
        ("Content-Type", " text/plain; charset=utf-8".to_owned()),
    ];
    let fields: Vec<(&str, &str)> =
        fields.iter().map(|(name, value)| (*name, value.as_str())).collect();
    let body = body_after(session, &fields, b"hello\r\n");
    let (top, rest) = body.rsplit_once("]\r\n\r\n").unwrap_or_else(|| panic!("{body}"));
    assert_eq!(rest, "hello\r\n");
    top.to_owned()
}

const OUTSIDE: &str = "[This message comes from outside the organization.";
const NEW: &str = "[This message comes from outside the organization.]\r\n\r\n\
    [No earlier message from this address is known here.";

#[test]
fn known_contacts_are_saved_and_a_damaged_store_marks_nothing() {
    let (site, metrics) = acquainted();
    let ask = || request(UnixStream::connect(&metrics).unwrap(), "GET /metrics").1;
    let (mut daemon, mut session) = serve(&site);
    assert_eq!(top(&mut session, "Ann <ann@example.com>", "<1@example.com>"), NEW);
    assert_eq!(top(&mut session, "Ann <ann@example.com>", "<1@example.com>"), NEW, "it came again");
    assert_eq!(top(&mut session, "Ann <Ann+x@Example.COM>", "<2@example.com>"), OUTSIDE);
    assert_eq!(top(&mut session, "Eve <eve@example.com>", "<3@example.com>"), NEW);
    let text = ask();
    assert_eq!(value(&text, r#"linkmilter_contacts_total{answer="first"}"#), 3.0);
    assert_eq!(value(&text, r#"linkmilter_contacts_total{answer="known"}"#), 1.0);
    assert_eq!(value(&text, r#"linkmilter_contact_faults_total{cause="read"}"#), 0.0);
    drop(session);
    daemon.signal("TERM");
    daemon.wait();
    // No address stands there, and nobody else reads it.
    let file = site.path("state/contacts");
    let kept = std::fs::read(&file).unwrap();
    assert!(!kept.windows(3).any(|three| three.eq_ignore_ascii_case(b"ann")));
    let mode = std::os::unix::fs::MetadataExt::mode(&std::fs::metadata(&file).unwrap());
    assert_eq!(mode & 0o777, 0o600);
    // The next daemon knows them, and so does whoever asks.
    let (mut daemon, mut session) = serve(&site);
    assert_eq!(top(&mut session, "ann@example.com", "<4@example.com>"), OUTSIDE);
    assert_eq!(top(&mut session, "bob@example.com", "<5@example.com>"), NEW);
    drop(session);
    daemon.signal("TERM");
    daemon.wait();
    let explained = |from: &str| {
        let mut explain = Command::new(binary());
        explain.args(["explain", "--as", "x@example.com,bob@recipient.example", "--config"]);
        explain.arg(site.path("linkmilter.toml")).stdin(Stdio::piped()).stdout(Stdio::piped());
        daemon::clean(&mut explain);
        let mut child = explain.spawn().unwrap();
        let message = format!("From: {from}\r\nMessage-ID: <6@example.com>\r\n\r\nhello\r\n");
        child.stdin.take().unwrap().write_all(message.as_bytes()).unwrap();
        String::from_utf8(child.wait_with_output().unwrap().stdout).unwrap()
    };
    assert!(explained("ann@example.com").contains("\ncontact: known\n"));
    assert!(
        explained("new@example.com").contains("\ncontact: first, as far as is remembered since 20")
    );
    // Damaged: everybody is forgotten, nobody is called new, and it is said.
    let mut damaged = std::fs::read(&file).unwrap();
    let middle = damaged.len() / 2;
    damaged[middle] ^= 1;
    std::fs::write(&file, damaged).unwrap();
    assert!(explained("ann@example.com").contains("it is damaged"));
    let (_daemon, mut session) = serve(&site);
    assert_eq!(top(&mut session, "carl@example.com", "<7@example.com>"), OUTSIDE);
    let text = ask();
    assert_eq!(value(&text, r#"linkmilter_contact_faults_total{cause="read"}"#), 1.0);
    assert_eq!(value(&text, r#"linkmilter_contacts_total{answer="young"}"#), 1.0);
    let logged = site.logged();
    assert!(logged.contains("all known contacts are forgotten"), "{logged}");
    assert!(logged.contains("no message is marked before 20"), "{logged}");
    assert!(!logged.contains("ann@"), "{logged}");
}

#[test]
fn over_tcp_on_loopback() {
    let site = Site::new("");
    let port = free_port();
    site.configure(&format!("metrics.listen = \"inet:{port}@127.0.0.1\""));
    let command = site.serve_at_socket();
    let _daemon = start(command);
    let stream = wait_for("the endpoint", || TcpStream::connect(("127.0.0.1", port)).ok());
    assert_eq!(request(stream, "GET /metrics").0, 200);
}

/// As `printf 'GET /healthz HTTP/1.0\r\n\r\n' | nc -N` does: the answer was lost now and then.
#[test]
fn whoever_has_no_more_to_ask_gets_an_answer() {
    let site = Site::new("");
    let metrics = site.path("metrics.sock");
    site.configure(&format!("metrics.listen = \"unix:{}\"", metrics.display()));
    let command = site.serve_at_socket();
    let _daemon = start(command);
    wait_for("the endpoint", || UnixStream::connect(&metrics).ok());
    for number in 0..300 {
        let mut stream = UnixStream::connect(&metrics).unwrap();
        stream.write_all(b"GET /healthz HTTP/1.0\r\n\r\n").unwrap();
        stream.shutdown(std::net::Shutdown::Write).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        assert!(answer.starts_with("HTTP/1.0 "), "{number}: {answer:?}");
    }
}

#[test]
fn silent_scrapers_are_let_go_and_others_get_their_turn() {
    let site = Site::new("");
    let metrics = site.path("metrics.sock");
    site.configure(&format!("metrics.listen = \"unix:{}\"", metrics.display()));
    let command = site.serve_at_socket();
    let _daemon = start(command);
    wait_for("the endpoint", || UnixStream::connect(&metrics).ok());
    // All places are taken by clients that say nothing; the next one is served after them.
    let silent: Vec<UnixStream> = (0..16).map(|_| UnixStream::connect(&metrics).unwrap()).collect();
    assert_eq!(request(UnixStream::connect(&metrics).unwrap(), "GET /metrics").0, 200);
    for mut stream in silent {
        let mut rest = Vec::new();
        assert!(stream.read_to_end(&mut rest).is_ok() && rest.is_empty(), "{rest:?}");
    }
}

#[test]
fn nobody_outside_is_offered_metrics() {
    let site = Site::new("metrics.listen = \"inet:9895@0.0.0.0\"");
    let mut command = site.serve_at_socket();
    let output = command.stderr(Stdio::piped()).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("metrics.listen"), "{said}");
}

#[test]
fn dashboard_and_alerts_name_metrics_that_are_there() {
    let metrics = linkmilter::daemon::metrics::Metrics::new();
    // A family without a series is not shown; those of lists have none until there is one.
    let list = ConfiguredList { name: "x", entries: Some(1), checked: Some(std::time::UNIX_EPOCH) };
    metrics.lists.set_lists(std::iter::once(list));
    metrics.lists.refresh("x", TaskResult::Succeeded);
    metrics.lists.set_blocklists(std::iter::once("x"));
    let exposed = metrics.text(std::time::SystemTime::now());
    // HELP lines have no suffixes.
    let families: BTreeSet<&str> = exposed
        .lines()
        .filter_map(|line| line.strip_prefix("# HELP ")?.split(' ').next())
        .collect();
    for file in ["conf/grafana-dashboard.json", "conf/prometheus-alerts.yml"] {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(file);
        let text = std::fs::read_to_string(path).unwrap();
        let mut named = 0;
        for (start, _) in text.match_indices("linkmilter_") {
            let name: String = text[start..]
                .chars()
                .take_while(|char| char.is_ascii_alphanumeric() || *char == '_')
                .collect();
            let family = name.trim_end_matches("_total").trim_end_matches("_bucket");
            assert!(families.contains(family), "{file} names {name}; there are {families:#?}");
            named += 1;
        }
        assert!(named > 10, "{file}");
    }
    // And none is missing: what is counted can be seen, and the guide says what it means.
    let dashboard = include_str!("../conf/grafana-dashboard.json");
    let guide = include_str!("../docs/operators-guide.md");
    for family in &families {
        assert!(dashboard.contains(family), "the dashboard shows no {family}");
        assert!(guide.contains(&format!("`{family}")), "the guide does not explain {family}");
    }
    let dashboard = Path::new(env!("CARGO_MANIFEST_DIR")).join("conf/grafana-dashboard.json");
    let json: serde_json::Value =
        serde_json::from_str(&std::fs::read_to_string(dashboard).unwrap()).unwrap();
    assert!(json["panels"].as_array().unwrap().len() > 10);
}
