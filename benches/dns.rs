//! What the DNS costs mail: one message through the engine and the resolver, by what its top-level
//! domains are. A server on a loopback port counts what really arrives. `cargo bench --bench dns`.
//!
//! The first row is the claim: a message whose top-level domains are in the table causes no query.
//! A run in which one arrives ends with a panic.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

use std::hint::black_box;
use std::net::{Ipv4Addr, SocketAddr, UdpSocket};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use criterion::{Criterion, criterion_group, criterion_main};
use linkmilter::daemon::resolver::{Resolver, ResolverOptions, TldDns, Validation};
use linkmilter::engine::{Facts, Message, Outcome, Policy, TldTable, inspect};
use linkmilter::tld::{self, cache::CacheBounds};

const HEAD: &[u8] = b"From: a@example.org\r\nContent-Type: text/plain; charset=utf-8\r\n";

/// Hosts, addresses and dotted words, as mail has them.
const KNOWN: &str = "See https://www.example.com/a?b=c and https://пример.рф/, write to \
    ann@example.co.uk or www.example.info. It ended.However, readme.txt stays.\r\n";

const UNKNOWN: &str = "See https://www.example.zzone/ and www.example.zztwo or ann@b.zzthree.\r\n";

/// Counts the datagrams that arrive and says to each that there is no such name.
struct Server {
    address: SocketAddr,
    arrived: Arc<AtomicU64>,
}

impl Server {
    fn start() -> Server {
        let socket = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let address = socket.local_addr().unwrap();
        let arrived = Arc::new(AtomicU64::new(0));
        let count = Arc::clone(&arrived);
        std::thread::spawn(move || {
            let mut packet = [0; 1500];
            while let Ok((length, peer)) = socket.recv_from(&mut packet) {
                count.fetch_add(1, Ordering::SeqCst);
                // Header and question, as they came; without the OPT record behind them.
                let name = packet[12..length].iter().position(|byte| *byte == 0).unwrap();
                let reply = &mut packet[..12 + name + 5];
                reply[2] = 0x81;
                reply[3] = 0x83;
                reply[4..12].copy_from_slice(&[0, 1, 0, 0, 0, 0, 0, 0]);
                socket.send_to(reply, peer).unwrap();
            }
        });
        Server { address, arrived }
    }

    fn arrived(&self) -> u64 {
        self.arrived.load(Ordering::SeqCst)
    }
}

/// The way of one message: the engine, the questions it has, the answers.
fn filter(
    body: &str,
    policy: &Policy,
    tlds: &TldTable,
    runtime: &tokio::runtime::Runtime,
    resolver: &Resolver<TldDns>,
) -> Outcome {
    let message = Message { head: HEAD, body: body.as_bytes() };
    let facts = Facts::default();
    let inspection = inspect(message, &facts, policy, tlds);
    let answers = runtime.block_on(resolver.answers(&inspection.questions));
    inspection.resolve(&answers)
}

fn benchmark(criterion: &mut Criterion) {
    let (policy, tlds) = (Policy::default(), tld::builtin());
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    let mut group = criterion.benchmark_group("dns");
    for (name, body, expected) in
        [("all in the table", KNOWN, 0), ("three that are not, asked once", UNKNOWN, 3)]
    {
        let server = Server::start();
        let options = ResolverOptions {
            servers: vec![server.address],
            deadline: Duration::from_secs(5),
            validation: Validation::Trust,
            cache: CacheBounds::default(),
            max_questions: 8,
        };
        let resolver = {
            let _inside = runtime.enter();
            let table = tlds.clone();
            Resolver::of_tlds(&options, Arc::new(move |tld| table.contains(tld))).unwrap()
        };
        let mut messages = 0_u64;
        group.bench_function(name, |bencher| {
            bencher.iter(|| {
                messages += 1;
                black_box(filter(black_box(body), &policy, &tlds, &runtime, &resolver))
            });
        });
        let arrived = server.arrived();
        println!("{name}: {messages} messages, {arrived} queries at the server");
        assert!(messages == 0 || arrived == expected, "{arrived} queries, not {expected}");
    }
    group.finish();
}

criterion_group!(benches, benchmark);
criterion_main!(benches);
