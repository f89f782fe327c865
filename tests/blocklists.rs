//! Block lists that are queried over DNS: a real server (nsd) with test zones.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use linkmilter::daemon::dns_client::ListDns;
use linkmilter::daemon::resolver::{Clock, Hickory, Resolver, ResolverOptions, Validation};
use linkmilter::engine::outcome::Verdict;
use linkmilter::feed::blocklist::{AnswerFormat, Blocklist, BlocklistAnswer};
use linkmilter::tld::cache::CacheBounds;
use linkmilter::tld::faults::Fault;

#[path = "common/daemon.rs"]
#[allow(dead_code)]
mod daemon;
#[path = "common/nsd.rs"]
#[allow(dead_code)]
mod nsd;

use nsd::{Nsd, Zones};

/// A zone of a block list: names with the last two octets of their addresses in 127.0.0.0/16.
fn list(zone: &str, listed: &[(&str, &str)]) -> (String, String) {
    let soa = "@ 300 IN SOA ns.invalid. h.invalid. 1 7200 3600 86400 60\n@ 300 IN NS ns.invalid.\n";
    let names = listed.iter().map(|(name, address)| format!("{name} 300 IN A {address}\n"));
    (zone.to_owned(), format!("$ORIGIN {zone}.\n{soa}{}", names.collect::<String>()))
}

fn zones(lists: Vec<(String, String)>) -> Zones {
    let Zones(mut zones) = Zones::new(&["com"], &[]);
    zones.extend(lists);
    Zones(zones)
}

struct Rig {
    runtime: tokio::runtime::Runtime,
    resolver: Resolver<ListDns>,
    clock: Arc<AtomicU64>,
}

impl Rig {
    fn new(server: SocketAddr, zone: &str, format: AnswerFormat) -> Rig {
        let options = ResolverOptions {
            servers: vec![server],
            deadline: Duration::from_secs(5),
            validation: Validation::Trust,
            cache: CacheBounds::default(),
            max_questions: 20,
        };
        let list = Blocklist {
            name: "x".to_owned(),
            zone: zone.to_owned(),
            format,
            verdict: Verdict::Suspect,
            meanings: vec!["127.0.1.4 = unsafe".parse().unwrap()],
        };
        let clock = Arc::new(AtomicU64::new(0));
        let seconds = Arc::clone(&clock);
        let handed_in: Clock =
            Arc::new(move || Duration::from_secs(seconds.load(Ordering::SeqCst)));
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()
            .unwrap();
        let resolver = runtime.block_on(async {
            let server = ListDns::new(Hickory::new(&options).unwrap(), Arc::new(list));
            Resolver::new(server, &options, handed_in)
        });
        Rig { runtime, resolver, clock }
    }

    fn ask(&self, domains: &[&str]) -> Vec<BlocklistAnswer> {
        let domains: Vec<String> = domains.iter().map(|domain| (*domain).to_owned()).collect();
        let answers: BTreeMap<_, _> = self.runtime.block_on(self.resolver.answers(&domains));
        domains.iter().map(|domain| answers[domain]).collect()
    }
}

#[test]
fn a_real_list_says_what_it_has() {
    let dbl = list(
        "mykey.dbl.example",
        &[
            ("spam.com", "127.0.1.2"),
            ("phish.com", "127.0.1.4"),
            ("both.com", "127.0.1.2\nboth.com 300 IN A 127.0.1.4"),
            ("strange.com", "192.0.2.1"),
            ("text.com", "127.0.1.2\ntext.com 300 IN TXT \"why\""),
        ],
    );
    let nsd = Nsd::start(&zones(vec![dbl]));
    let rig = Rig::new(nsd.address, "mykey.dbl.example", AnswerFormat::Dbl);
    let asked = ["spam.com", "phish.com", "both.com", "strange.com", "text.com", "fine.com"];
    let said = [
        BlocklistAnswer::Listed(Verdict::Suspect),
        BlocklistAnswer::Listed(Verdict::Unsafe),
        BlocklistAnswer::Listed(Verdict::Unsafe),
        BlocklistAnswer::Unexpected,
        BlocklistAnswer::Listed(Verdict::Suspect),
        BlocklistAnswer::Clean,
    ];
    assert_eq!(rig.ask(&asked), said);
    let queries = rig.resolver.counts().queries;
    assert_eq!(rig.ask(&asked), said, "from the cache");
    assert_eq!(rig.resolver.counts().queries, queries);
    // With a wrong key there is no such zone.
    let wrong = Rig::new(nsd.address, "other.list.invalid", AnswerFormat::Dbl);
    assert_eq!(wrong.ask(&["spam.com"]), [BlocklistAnswer::Clean]);
}

#[test]
fn a_list_that_refuses_lists_nothing_and_is_paused() {
    let nsd = Nsd::start(&zones(vec![list("dbl.example", &[("*", "127.255.255.254")])]));
    let rig = Rig::new(nsd.address, "dbl.example", AnswerFormat::Dbl);
    assert_eq!(rig.ask(&["a.com"]), [BlocklistAnswer::Refused]);
    let queries = rig.resolver.counts().queries;
    assert_eq!(rig.ask(&["b.com", "c.com"]), [BlocklistAnswer::Refused; 2]);
    assert_eq!(rig.resolver.counts().queries, queries, "nobody asked");
    assert_eq!(rig.resolver.fault(), Some(Fault::Denied));
    let _nsd = nsd.again(&zones(vec![list("dbl.example", &[("b.com", "127.0.1.2")])]));
    rig.clock.fetch_add(600, Ordering::SeqCst);
    assert_eq!(rig.ask(&["b.com"]), [BlocklistAnswer::Listed(Verdict::Suspect)], "the probe");
    assert_eq!(rig.ask(&["c.com"]), [BlocklistAnswer::Clean]);
    assert_eq!(rig.resolver.fault(), None);
}

/// A server that is not for the zone, or not for us, says so by its response code.
#[test]
fn a_server_that_refuses_is_said_to_refuse() {
    const REFUSED: u8 = 5;
    let socket = std::net::UdpSocket::bind("127.0.0.1:0").unwrap();
    let address = socket.local_addr().unwrap();
    std::thread::spawn(move || {
        let mut packet = [0; 512];
        while let Ok((length, client)) = socket.recv_from(&mut packet) {
            packet[2] |= 0x80;
            packet[3] = packet[3] & 0xf0 | REFUSED;
            socket.send_to(&packet[..length], client).unwrap();
        }
    });
    let rig = Rig::new(address, "dbl.example", AnswerFormat::Dbl);
    assert_eq!(rig.ask(&["a.com"]), [BlocklistAnswer::Refused]);
    assert_eq!(rig.resolver.fault(), Some(Fault::Denied));
}

fn config(text: &str) -> Result<linkmilter::config::Config, String> {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("linkmilter.toml");
    std::fs::write(&file, text).unwrap();
    for (name, key) in [("good.key", "abc.123\n"), ("bad.key", "a b\n")] {
        std::fs::write(directory.path().join(name), key).unwrap();
    }
    std::fs::write(directory.path().join("long.key"), "a.".repeat(60) + "a").unwrap();
    let config = linkmilter::config::load(&linkmilter::config::Sources::new(Some(file)));
    let config = config.map_err(|errors| errors.to_string())?;
    config.settings().map_err(|errors| errors.to_string())?;
    Ok(config)
}

#[test]
fn lists_with_invalid_settings_are_refused() {
    let many: String =
        (0..17).map(|n| format!("[blocklists.l{n}]\nzone = \"l{n}.example\"\n")).collect();
    let long = format!("zone = \"{}.example\"", "a.".repeat(60));
    for (section, said) in [
        ("form = \"dbl\"", "blocklists.x: expected a zone, found none"),
        ("zone = \"a b\"", "linkmilter.toml:2: blocklists.x.zone: expected a name of at most 120"),
        (long.as_str(), "blocklists.x.zone: expected a name of at most 120"),
        ("zone = \"{key}.x.example\"", "blocklists.x: expected key_file, since zone has {key}"),
        ("zone = \"x.example\"\nkey_file = \"good.key\"", "blocklists.x: expected {key} in zone"),
        (
            "zone = \"{key}.x.example\"\nkey_file = \"none.key\"",
            "blocklists.x.key_file: expected a file",
        ),
        (
            "zone = \"{key}.x.example\"\nkey_file = \"bad.key\"",
            "found 3 characters, some of them not allowed in a name",
        ),
        ("zone = \"{key}.x.example\"\nkey_file = \"long.key\"", "found 121 characters"),
        ("zone = \"x.example\"\ncodes = [\"192.0.2.1\"]", "blocklists.x.codes: expected"),
        (
            "zone = \"x.example\"\nform = \"rbl\"",
            "blocklists.x.form: expected one of dbl, surbl, uribl, any",
        ),
    ] {
        let error = config(&format!("[blocklists.x]\n{section}\n")).unwrap_err();
        assert!(error.contains(said), "{section}: {error}");
    }
    assert!(config(&many).unwrap_err().contains("expected at most 16 lists"));
    let good = "[blocklists.x]\nzone = \"{key}.X.example.\"\nkey_file = \"good.key\"\n\
                codes = [\"bits 8 = unsafe\"]\n";
    assert!(config(good).is_ok());
}

#[test]
fn answers_of_lists_are_kept_for_minutes() {
    let config = config("[dns]\ndnssec = true\n[limits]\ndomains = 7\n").unwrap();
    let options = linkmilter::daemon::dns_client::list_options(&config);
    let (least, most) = (Duration::from_secs(60), Duration::from_secs(3600));
    assert_eq!((options.cache.positive, options.cache.negative), ((least, most), (least, most)));
    assert_eq!((options.max_questions, options.validation), (7, Validation::Trust));
}

// ---- the daemon ----------------------------------------------------------------------------------

struct Running {
    site: daemon::Site,
    metrics: std::path::PathBuf,
    _daemon: daemon::Daemon,
}

impl Running {
    fn start(server: SocketAddr, more: &str) -> Running {
        let site = daemon::Site::new("");
        let metrics = site.path("metrics.sock");
        std::fs::write(site.path("dbl.key"), "abc123\n").unwrap();
        site.configure(&format!(
            "metrics.listen = \"unix:{}\"\ndns.servers = [\"{server}\"]\n\
             lists.allowed = [\"allowed.com\"]\noutbound.local_domains = [\"ours.com\"]\n\
             outbound.restore = false\n{more}",
            metrics.display()
        ));
        let command = site.serve_at_socket();
        let running = Running { _daemon: daemon::start(command), metrics, site };
        running.metric("linkmilter_config_generation 1");
        running
    }

    /// Whether the body was changed.
    fn edits(&self, id: &str, text: &str) -> bool {
        let mut session = daemon::connect(&self.site.socket());
        daemon::negotiate(&mut session);
        let header = [("Content-Type", " text/plain; charset=utf-8"), ("Subject", " x")];
        let body = format!("{text}\r\n");
        daemon::deliver(&mut session, id, &header, body.as_bytes()).contains(&b'b')
    }

    /// Waits for a line of the metrics.
    fn metric(&self, line: &str) {
        self.get_when("/metrics", line, |text| text.lines().any(|found| found == line));
    }

    /// What stands at a path, as soon as it says this.
    fn get_when(&self, path: &str, what: &str, holds: impl Fn(&str) -> bool) -> String {
        use std::io::{Read, Write};
        daemon::wait_for(what, || {
            let mut stream = std::os::unix::net::UnixStream::connect(&self.metrics).ok()?;
            write!(stream, "GET {path} HTTP/1.0\r\n\r\n").ok()?;
            let mut text = String::new();
            stream.read_to_string(&mut text).ok()?;
            holds(&text).then_some(text)
        })
    }
}

const LIST: &str = "[blocklists.dbl]\nzone = \"{key}.dbl.example\"\nkey_file = \"dbl.key\"\nform = \"dbl\"\n\
                    verdict = \"unsafe\"\n";

#[test]
fn listed_domains_are_defanged_and_our_own_are_not_queried() {
    let dbl = list(
        "abc123.dbl.example",
        &[("evil.com", "127.0.1.4"), ("allowed.com", "127.0.1.2"), ("ours.com", "127.0.1.2")],
    );
    let nsd = Nsd::start(&zones(vec![dbl]));
    let running = Running::start(nsd.address, LIST);
    assert!(running.edits("4DNSBL1", "see https://www.evil.com/x"));
    daemon::wait_for("the list in the log", || {
        running.site.logged().contains("names it (listed: blocklists.dbl)").then_some(())
    });
    assert!(!running.edits("4DNSBL2", "see https://fine.com/x"));
    for (id, text) in [
        ("4DNSBL3", "https://allowed.com/ and https://x.ours.com/"),
        ("4DNSBL4", "https://www.paypal.com/ and ann@evil.com and evil.com"),
    ] {
        assert!(!running.edits(id, text), "{text}");
    }
    // One domain of each of the first two messages, and none of the others.
    running.metric("linkmilter_blocklist_answers_total{list=\"dbl\",answer=\"listed\"} 1");
    running.metric("linkmilter_blocklist_answers_total{list=\"dbl\",answer=\"clean\"} 1");
}

#[test]
fn a_refusal_is_counted_and_no_listing() {
    let nsd = Nsd::start(&zones(vec![list("abc123.dbl.example", &[("*", "127.255.255.255")])]));
    let running = Running::start(nsd.address, LIST);
    assert!(!running.edits("4DNSBL5", "https://anything.com/"));
    running.metric("linkmilter_blocklist_answers_total{list=\"dbl\",answer=\"refused\"} 1");
    // Nor is it asked again, which is no silence.
    assert!(!running.edits("4DNSBL6", "https://another.com/"));
    running.metric("linkmilter_blocklist_answers_total{list=\"dbl\",answer=\"refused\"} 2");
    running.metric("linkmilter_blocklist_answers_total{list=\"dbl\",answer=\"unanswered\"} 0");
    assert_eq!(running.site.logged().matches("the block list refuses to answer").count(), 1);
    let healthz =
        running.get_when("/healthz", "the refusal", |text| text.contains("blocklists.dbl"));
    assert!(healthz.contains(" 200 ") && healthz.contains("\nok\n"), "{healthz}");
    assert!(healthz.contains("blocklists.dbl: the list refuses to answer (a public"), "{healthz}");
}
