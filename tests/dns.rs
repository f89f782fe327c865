//! Asking the DNS: a real server (nsd) for the plain cases, a scripted one for the ugly ones.
//! The clock of the cache is handed in; no test waits for a TTL.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

use std::net::{Ipv4Addr, SocketAddr, UdpSocket};
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use linkmilter::daemon::resolver::{
    Clock, Hickory, InTable, Resolver, ResolverOptions, TldDns, Validation,
};
use linkmilter::engine::{self, Answer, Answers, Facts, Message, Policy};
use linkmilter::tld::{self, cache::CacheBounds, faults::Fault};

#[path = "common/nsd.rs"]
mod nsd;

use nsd::{Nsd, Zones};

// ---- a real server ------------------------------------------------------------------------

#[test]
fn a_real_server_says_what_exists() {
    let zones = Zones::new(&["com", "xn--p1ai"], &["museum"]);
    let nsd = Nsd::start(&zones);
    let rig = Rig::new(nsd.address);
    let answers = rig.ask(&["com", "xn--p1ai", "museum", "nosuchtld", "com"]);
    assert_eq!(
        answers,
        Answers::from([
            ("com".to_owned(), Answer::Exists),
            // Delegated, and the server knows no more of it.
            ("museum".to_owned(), Answer::Exists),
            ("nosuchtld".to_owned(), Answer::Missing),
            ("xn--p1ai".to_owned(), Answer::Exists),
        ])
    );
    assert_eq!(rig.resolver.counts().queries, 4, "one query a name");
}

#[test]
fn answers_are_kept_for_their_ttl_and_no_longer() {
    let nsd = Nsd::start(&Zones::new(&["com"], &[]));
    let rig = Rig::new(nsd.address);
    // The zones say 3600 s for what exists, and 1800 s for what does not.
    for (name, answer, seconds) in [("com", Answer::Exists, 3600), ("nope", Answer::Missing, 1800)]
    {
        let before = rig.resolver.counts().queries;
        assert_eq!(rig.ask_one(name), answer);
        rig.pass(seconds - 1);
        assert_eq!(rig.ask_one(name), answer);
        assert_eq!(rig.resolver.counts().queries, before + 1, "{name}: from the cache");
        rig.pass(1);
        assert_eq!(rig.ask_one(name), answer);
        assert_eq!(rig.resolver.counts().queries, before + 2, "{name}: asked anew");
    }
}

#[test]
fn a_tld_that_appears_is_found_when_the_negative_answer_ends() {
    let nsd = Nsd::start(&Zones::new(&["com"], &[]));
    let rig = Rig::new(nsd.address);
    assert_eq!(rig.ask_one("new"), Answer::Missing);
    let _nsd = nsd.again(&Zones::new(&["com", "new"], &[]));
    assert_eq!(rig.ask_one("new"), Answer::Missing);
    rig.pass(1800);
    assert_eq!(rig.ask_one("new"), Answer::Exists);
}

#[test]
fn a_server_that_goes_and_comes_back_costs_no_answer_that_is_known() {
    let zones = Zones::new(&["com", "net"], &[]);
    let nsd = Nsd::start(&zones);
    let rig = Rig::new(nsd.address);
    assert_eq!(rig.ask_one("com"), Answer::Exists);
    let gone = nsd.stop();
    assert_eq!(rig.ask_one("com"), Answer::Exists, "known");
    assert_eq!(rig.ask_one("net"), Answer::Unverified, "nobody is there");
    let _nsd = gone.again(&zones);
    rig.pass(30);
    assert_eq!(rig.ask_one("net"), Answer::Exists);
}

// ---- a scripted server --------------------------------------------------------------------

#[test]
fn a_server_that_fails_leaves_the_table_to_decide() {
    for rcode in [SERVFAIL, REFUSED, NOTIMP, FORMERR] {
        let server = Scripted::start(move |_| Reaction::Rcode(rcode));
        let rig = Rig::new(server.address);
        assert_eq!(rig.ask_one("com"), Answer::Unverified, "rcode {rcode}");
        let asked = server.asked("com");
        assert!(asked > 0);
        assert_eq!(rig.ask_one("com"), Answer::Unverified);
        assert_eq!(server.asked("com"), asked, "rcode {rcode}: not asked again at once");
        rig.pass(30);
        rig.ask_one("com");
        assert!(server.asked("com") > asked, "rcode {rcode}: asked again later");
    }
}

/// As in a split or captive network, or without the root.
#[test]
fn what_the_table_has_is_not_denied_by_a_server_that_denies_everything() {
    let server = Scripted::start(|_| Reaction::Rcode(NXDOMAIN));
    let table = tld::builtin();
    let rig = Rig::beside(Arc::new(move |tld| table.contains(tld)), server.address, |_| {});
    let answers = rig.ask(&["com", "xn--p1ai", "zznone"]);
    for (tld, expected) in [
        ("com", Answer::Unverified),
        ("xn--p1ai", Answer::Unverified),
        // As before: the table does not know it.
        ("zznone", Answer::Missing),
    ] {
        assert_eq!(answers[tld], expected, "{tld}");
    }
    assert!(matches!(rig.resolver.fault(), Some(Fault::Contradicted(_))));
    // Nothing of that is kept for longer than a failure, 30 s.
    server.behave(|_| Reaction::Exists);
    rig.pass(30);
    let answers = rig.ask(&["com", "xn--p1ai"]);
    assert!(answers.values().all(|answer| *answer == Answer::Exists), "{answers:?}");
    assert_eq!(rig.resolver.fault(), None);
}

#[test]
fn a_slow_answer_is_too_late_for_this_message_and_there_for_the_next() {
    let server = Scripted::start(|name| match name {
        "slow" => Reaction::After(Duration::from_millis(700)),
        _ => Reaction::Exists,
    });
    let rig = Rig::with(server.address, |options| options.deadline = Duration::from_millis(500));
    let answers = rig.ask(&["slow", "fast"]);
    assert_eq!(answers.get("slow"), Some(&Answer::Unverified));
    assert_eq!(answers.get("fast"), Some(&Answer::Exists), "one slow name hinders no other");
    rig.until(|rig| rig.resolver.counts().entries == 2);
    let queries = rig.resolver.counts().queries;
    assert_eq!(rig.ask_one("slow"), Answer::Exists);
    assert_eq!(rig.resolver.counts().queries, queries);
}

#[test]
fn a_silent_server_is_left_alone_after_a_few_tries() {
    let server = Scripted::start(|_| Reaction::Silence);
    let rig = Rig::with(server.address, |options| options.deadline = Duration::from_millis(100));
    let answers = rig.ask(&["na", "nb", "nc"]);
    assert!(answers.values().all(|answer| *answer == Answer::Unverified));
    rig.until(|rig| rig.resolver.counts().entries == 3);
    let queries = rig.resolver.counts().queries;
    for number in 3..50 {
        assert_eq!(rig.ask_one(&format!("n{}", letters(number))), Answer::Unverified);
    }
    assert_eq!(rig.resolver.counts().queries, queries, "nobody asked during the pause");
    assert_eq!(rig.resolver.fault(), Some(Fault::Unanswered));
    server.behave(|_| Reaction::Exists);
    rig.pass(30);
    assert_eq!(rig.ask_one("com"), Answer::Exists, "the probe after the pause");
    assert_eq!(rig.ask_one("net"), Answer::Exists);
}

#[test]
fn many_messages_at_once_make_one_query_a_name() {
    let server = Scripted::start(|_| Reaction::After(Duration::from_millis(100)));
    let rig = Rig::new(server.address);
    let answers = rig.runtime.block_on(async {
        let mut tasks = tokio::task::JoinSet::new();
        for _ in 0..100 {
            let resolver = Arc::clone(&rig.resolver);
            tasks.spawn(async move { resolver.answers(&["com".to_owned()]).await });
        }
        tasks.join_all().await
    });
    assert!(answers.iter().all(|answers| answers.get("com") == Some(&Answer::Exists)));
    assert_eq!(server.asked("com"), 1);
}

#[test]
fn a_message_asks_at_most_its_share() {
    let server = Scripted::start(|_| Reaction::Exists);
    let rig = Rig::new(server.address);
    let names: Vec<String> = (0..100).map(|number| format!("n{}", letters(number))).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let answers = rig.ask(&names);
    assert_eq!(answers.len(), 8, "the rest counts as unverified");
    assert!(answers.values().all(|answer| *answer == Answer::Exists));
    assert_eq!(rig.resolver.counts().queries, 8);
}

#[test]
fn the_question_is_the_soa_of_the_bare_name() {
    let server = Scripted::start(|_| Reaction::Exists);
    let rig = Rig::new(server.address);
    rig.ask_one("com");
    let questions = server.questions.lock().unwrap().clone();
    assert_eq!(questions, [("com".to_owned(), SOA)], "no search list, no other type");
}

#[test]
fn lies_and_rubbish_are_no_answers() {
    for (what, reaction) in [
        ("another id", Reaction::WrongId),
        ("half a header", Reaction::Rubbish(vec![0; 5])),
        ("nothing but zeros", Reaction::Rubbish(vec![0; 200])),
    ] {
        let reaction = Arc::new(reaction);
        let server = Scripted::start(move |_| reaction.as_ref().clone());
        let rig =
            Rig::with(server.address, |options| options.deadline = Duration::from_millis(100));
        assert_eq!(rig.ask_one("com"), Answer::Unverified, "{what}");
    }
}

#[test]
fn unsigned_answers_do_not_pass_validation() {
    let nsd = Nsd::start(&Zones::new(&["com"], &[]));
    let rig = Rig::with(nsd.address, |options| options.validation = Validation::Validate);
    let answers = rig.ask(&["com", "nosuchtld"]);
    assert!(answers.values().all(|answer| *answer == Answer::Unverified), "{answers:?}");
}

/// A root of our own, signed, whose key is the anchor.
#[test]
fn signed_answers_pass_validation() {
    let zones = Zones::new(&["com", "net"], &[]);
    let directory = tempfile::tempdir().unwrap();
    let signed = Signer(directory.path()).sign(&zones, &["com"]);
    let nsd = Nsd::start(&signed);
    let anchor = directory.path().join("anchor");
    let rig = |nsd: &Nsd| {
        let by = Validation::ValidateBy(anchor.clone());
        Rig::with(nsd.address, |options| options.validation = by)
    };
    assert_eq!(
        rig(&nsd).ask(&["com", "net", "nosuchtld"]),
        Answers::from([
            ("com".to_owned(), Answer::Exists),
            // The root says, signed, that this zone is not.
            ("net".to_owned(), Answer::Exists),
            ("nosuchtld".to_owned(), Answer::Missing),
        ])
    );
    // The same zones, changed after they were signed.
    let forged = Zones(
        signed
            .0
            .iter()
            .map(|(name, text)| (name.clone(), text.replace(" 86400 ", " 86401 ")))
            .collect(),
    );
    assert_ne!(forged.0, signed.0);
    let nsd = nsd.again(&forged);
    assert_eq!(rig(&nsd).ask_one("com"), Answer::Unverified);
    // And by a key that signed nothing of it.
    let nsd = nsd.again(&signed);
    Signer(directory.path()).anchor();
    assert_eq!(rig(&nsd).ask_one("com"), Answer::Unverified);
}

#[test]
fn a_file_without_keys_is_named() {
    let file = tempfile::NamedTempFile::new().unwrap();
    let options = ResolverOptions {
        servers: vec![(Ipv4Addr::LOCALHOST, 53).into()],
        deadline: Duration::from_secs(1),
        validation: Validation::ValidateBy(file.path().to_owned()),
        cache: CacheBounds::default(),
        max_questions: 8,
    };
    let error = Hickory::new(&options).unwrap_err().to_string();
    assert!(error.contains(file.path().to_str().unwrap()) && error.contains("DNSKEY"), "{error}");
}

// ---- a message ----------------------------------------------------------------------------

/// The questions of a plain text.
fn questions(body: &str, policy: &Policy) -> Vec<String> {
    let head = b"Content-Type: text/plain; charset=utf-8\r\n";
    let message = Message { head, body: body.as_bytes() };
    engine::inspect(message, &Facts::default(), policy, &tld::builtin()).questions
}

#[test]
fn a_message_whose_tlds_are_in_the_table_causes_no_query() {
    let policy = Policy::default();
    for body in [
        "https://www.example.com/ ann@example.org http://пример.рф/ www.example.co.uk\r\n",
        // Dotted words of prose leak nothing to the DNS.
        "It ended.However, see readme.txt, config.toml or 1.2.3.4 and node.js.\r\n",
        // Names that are never in the DNS (S25).
        "http://x.onion/ http://printer.local/ http://localhost/ ann@host.invalid http://a.test/ \
         http://b.internal/ http://c.alt/\r\n",
    ] {
        assert_eq!(questions(body, &policy), [""; 0], "{body}");
    }
    // The same shapes with TLDs that are not in the table do ask.
    let asked = questions("http://a.zzone/ www.b.zztwo ann@c.zzthree bare.zzfour\r\n", &policy);
    assert_eq!(asked, ["zzone", "zztwo", "zzthree"]);
}

#[test]
fn a_message_full_of_invented_tlds_asks_its_share_once_each() {
    let body: String = (0..500)
        .map(|number| format!("http://a.zz{0}/ http://b.zz{0}/\r\n", letters(number)))
        .collect();
    assert_eq!(questions(&body, &Policy::default()).len(), 8);
}

// ---- commands -----------------------------------------------------------------------------

#[test]
fn commands_ask_only_on_request() {
    let server = Scripted::start(|name| match name {
        "zznew" => Reaction::Exists,
        _ => Reaction::Rcode(3),
    });
    let dir = tempfile::tempdir().unwrap();
    let config = dir.path().join("linkmilter.toml");
    let state = dir.path().display();
    let text =
        format!("[dns]\nservers = [\"{}\"]\n[server]\nstate_dir = \"{state}\"\n", server.address);
    std::fs::write(&config, text).unwrap();
    let message = "From: a@example.org\r\nContent-Type: text/plain; charset=utf-8\r\n\r\n\
        see http://p\u{430}ypal.zznew/ and http://p\u{430}ypal.zznone/\r\n";
    let mail = dir.path().join("mail.eml");
    std::fs::write(&mail, message).unwrap();
    let run = |args: &[&str], last: &str| {
        let mut command = assert_cmd::Command::cargo_bin("linkmilter").unwrap();
        command.args(args).arg("--config").arg(&config).args([last]);
        String::from_utf8(command.output().unwrap().stdout).unwrap()
    };
    let mail = mail.to_str().unwrap();
    assert_eq!(run(&["rewrite", "--no-header"], mail), message);
    let silent = run(&["scan"], mail);
    assert!(silent.contains("tld-unverified"), "{silent}");
    assert_eq!(run(&["tld", "check"], "zznew"), "zznew: not in the table\n");
    assert_eq!(server.questions.lock().unwrap().len(), 0, "nobody was asked");

    let edited = run(&["rewrite", "--no-header", "--dns"], mail);
    assert!(edited.contains("hxxp://xn--pypal-4ve[.]zznew/"), "{edited}");
    assert!(edited.contains("http://p\u{430}ypal.zznone/"), "no such TLD, no link: {edited}");
    let scanned = run(&["scan", "--dns"], mail);
    assert!(scanned.contains("zznew") && !scanned.contains("zznone"), "{scanned}");
    assert_eq!(
        run(&["tld", "check", "--dns"], "zznew"),
        "zznew: not in the table, but in the DNS\n"
    );
    assert_eq!(
        run(&["tld", "check", "--dns"], "zznone"),
        "zznone: neither in the table nor in the DNS\n"
    );
}

// ---- the rig ------------------------------------------------------------------------------

struct Rig {
    runtime: tokio::runtime::Runtime,
    resolver: Arc<Resolver<TldDns>>,
    /// Seconds of the clock that the cache sees.
    clock: Arc<AtomicU64>,
}

impl Rig {
    fn new(server: SocketAddr) -> Rig {
        Rig::with(server, |_| {})
    }

    fn with(server: SocketAddr, change: impl FnOnce(&mut ResolverOptions)) -> Rig {
        Rig::beside(Arc::new(|_| false), server, change)
    }

    /// Beside a table of top-level domains.
    fn beside(
        table: InTable,
        server: SocketAddr,
        change: impl FnOnce(&mut ResolverOptions),
    ) -> Rig {
        let mut options = ResolverOptions {
            servers: vec![server],
            deadline: Duration::from_secs(5),
            validation: Validation::Trust,
            cache: CacheBounds::default(),
            max_questions: 8,
        };
        change(&mut options);
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()
            .unwrap();
        let clock = Arc::new(AtomicU64::new(1_000));
        let seconds = Arc::clone(&clock);
        let handed_in: Clock =
            Arc::new(move || Duration::from_secs(seconds.load(Ordering::SeqCst)));
        let resolver = runtime.block_on(async {
            let dns = Hickory::new(&options).unwrap();
            Arc::new(Resolver::new(TldDns { dns, table }, &options, handed_in))
        });
        Rig { runtime, resolver, clock }
    }

    fn ask(&self, names: &[&str]) -> Answers {
        let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
        self.runtime.block_on(self.resolver.answers(&names))
    }

    fn ask_one(&self, name: &str) -> Answer {
        self.ask(&[name])[name]
    }

    fn pass(&self, seconds: u64) {
        self.clock.fetch_add(seconds, Ordering::SeqCst);
    }

    fn until(&self, holds: impl Fn(&Rig) -> bool) {
        for _ in 0..2_000 {
            if holds(self) {
                return;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        panic!("did not come true within 20 s");
    }
}

/// A name of letters for a number.
fn letters(number: usize) -> String {
    let letter = |digit: usize| char::from(b'a' + u8::try_from(digit % 26).unwrap());
    [letter(number / 26), letter(number)].iter().collect()
}

// ---- signed zones -------------------------------------------------------------------------

/// Signs zones with ldns, in a directory of its own.
struct Signer<'a>(&'a Path);

impl Signer<'_> {
    /// The zones, the root signed and those that are named; the root's key goes into `anchor`.
    fn sign(&self, zones: &Zones, signed: &[&str]) -> Zones {
        let mut delegations = String::new();
        let mut out = Vec::new();
        for (name, text) in zones.0.iter().rev() {
            let root = name == ".";
            if !root && !signed.contains(&name.as_str()) {
                out.push((name.clone(), text.clone()));
                continue;
            }
            let key = if root { self.anchor() } else { self.key(name) };
            let more = if root { delegations.as_str() } else { "" };
            std::fs::write(self.0.join("zone"), format!("{text}{more}")).unwrap();
            self.run("ldns-signzone", &["-o", name, "-f", "signed", "zone", &key]);
            out.push((name.clone(), std::fs::read_to_string(self.0.join("signed")).unwrap()));
            delegations += &std::fs::read_to_string(self.0.join(format!("{key}.ds"))).unwrap();
        }
        out.reverse();
        Zones(out)
    }

    /// A new key for the root, which is put into `anchor`.
    fn anchor(&self) -> String {
        let key = self.key(".");
        std::fs::copy(self.0.join(format!("{key}.key")), self.0.join("anchor")).unwrap();
        key
    }

    /// A new key for a zone; its files begin with this name.
    fn key(&self, zone: &str) -> String {
        self.run("ldns-keygen", &["-a", "ECDSAP256SHA256", "-k", zone]).trim().to_owned()
    }

    fn run(&self, program: &str, args: &[&str]) -> String {
        let output =
            Command::new(program).args(args).current_dir(self.0).output().unwrap_or_else(|error| {
                panic!("{program}: {error}: install the Debian package ldnsutils")
            });
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    }
}

// ---- the scripted server ------------------------------------------------------------------

const FORMERR: u8 = 1;
const SERVFAIL: u8 = 2;
const NXDOMAIN: u8 = 3;
const NOTIMP: u8 = 4;
const REFUSED: u8 = 5;
const SOA: u16 = 6;

/// What the server does with a query.
#[derive(Clone, Debug)]
enum Reaction {
    /// An SOA with a TTL of an hour.
    Exists,
    /// The same, after a while.
    After(Duration),
    Rcode(u8),
    Silence,
    /// An answer to some other query.
    WrongId,
    Rubbish(Vec<u8>),
}

type Script = Box<dyn Fn(&str) -> Reaction + Send>;

struct Scripted {
    address: SocketAddr,
    script: Arc<Mutex<Script>>,
    /// Names in lower case without root dot, and types.
    questions: Arc<Mutex<Vec<(String, u16)>>>,
    ended: Arc<AtomicBool>,
}

impl Scripted {
    fn start(script: impl Fn(&str) -> Reaction + Send + 'static) -> Scripted {
        let socket = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let server = Scripted {
            address: socket.local_addr().unwrap(),
            script: Arc::new(Mutex::new(Box::new(script))),
            questions: Arc::default(),
            ended: Arc::default(),
        };
        let (script, questions) = (Arc::clone(&server.script), Arc::clone(&server.questions));
        let ended = Arc::clone(&server.ended);
        socket.set_read_timeout(Some(Duration::from_millis(50))).unwrap();
        std::thread::spawn(move || {
            let mut query = [0; 1500];
            while !ended.load(Ordering::SeqCst) {
                let Ok((length, peer)) = socket.recv_from(&mut query) else { continue };
                let (name, kind, end) = question(&query[..length]);
                questions.lock().unwrap().push((name.clone(), kind));
                let reaction = script.lock().unwrap()(&name);
                react(&socket, peer, &query[..end], reaction);
            }
        });
        server
    }

    fn behave(&self, script: impl Fn(&str) -> Reaction + Send + 'static) {
        *self.script.lock().unwrap() = Box::new(script);
    }

    fn asked(&self, name: &str) -> usize {
        self.questions.lock().unwrap().iter().filter(|(asked, _)| asked == name).count()
    }
}

impl Drop for Scripted {
    fn drop(&mut self) {
        self.ended.store(true, Ordering::SeqCst);
    }
}

/// Name in lower case, type, and where the question ends.
fn question(query: &[u8]) -> (String, u16, usize) {
    let mut labels = Vec::new();
    let mut at = 12;
    while query[at] != 0 {
        let length = usize::from(query[at]);
        labels.push(String::from_utf8_lossy(&query[at + 1..at + 1 + length]).to_lowercase());
        at += 1 + length;
    }
    (labels.join("."), u16::from_be_bytes([query[at + 1], query[at + 2]]), at + 5)
}

fn react(socket: &UdpSocket, peer: SocketAddr, query: &[u8], reaction: Reaction) {
    let reply = |rcode: u8, answers: u8| {
        let mut reply = query.to_vec();
        reply[2] = 0x81;
        reply[3] = 0x80 | rcode;
        reply[4..12].copy_from_slice(&[0, 1, 0, answers, 0, 0, 0, 0]);
        reply
    };
    let exists = || {
        let mut reply = reply(0, 1);
        // Name by pointer, SOA, IN, 3600 s; root names for server and mailbox; five numbers.
        reply.extend([0xC0, 12, 0, 6, 0, 1, 0, 0, 0x0E, 0x10, 0, 22, 0, 0]);
        reply.extend([0, 0, 0, 1].repeat(5));
        reply
    };
    let bytes = match reaction {
        Reaction::Exists => exists(),
        Reaction::Rcode(rcode) => reply(rcode, 0),
        Reaction::Silence => return,
        Reaction::WrongId => {
            let mut reply = exists();
            reply[0] ^= 0xFF;
            reply
        }
        Reaction::Rubbish(bytes) => bytes,
        Reaction::After(delay) => {
            let (socket, bytes) = (socket.try_clone().unwrap(), exists());
            std::thread::spawn(move || {
                std::thread::sleep(delay);
                let _ = socket.send_to(&bytes, peer);
            });
            return;
        }
    };
    socket.send_to(&bytes, peer).unwrap();
}
