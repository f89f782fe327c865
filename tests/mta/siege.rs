//! What a daemon does under more than it can do: ordinary mail goes on, and memory stays bounded.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use super::families::{Letter, families};
use super::rig::daemon::Daemon;
use super::rig::letters;
use super::rig::milter::{Mta, message, packet};

/// Resident beside what `server.max_memory` bounds: the program, its tables, the buffers of all
/// connections, threads, and what the allocator keeps between messages.
const BESIDE: u64 = 160 << 20;

/// Families that cost most by the byte, of every kind, and how large: such that go to the workers...
const SMALL: [(&str, usize); 8] = [
    ("five charsets, lying", 30 << 10),
    ("UTF-16", 30 << 10),
    ("hosts of alternating scripts", 30 << 10),
    ("tokens of a label", 30 << 10),
    ("lying parts", 30 << 10),
    ("lying hrefs, base64", 30 << 10),
    ("lying links", 30 << 10),
    ("lying bare hosts", 30 << 10),
];

/// ... and larger ones.
const LARGE: [(&str, usize); 6] = [
    ("five charsets, lying", 200 << 10),
    ("one lying run of UTF-7", 200 << 10),
    ("alternatives", 250 << 10),
    ("five charsets, lying", 1 << 20),
    ("lying text in pieces", 1 << 20),
    ("our own names", 2 << 20),
];

/// A message in packets, its header fields one by one.
fn packets(letter: &Letter) -> Vec<u8> {
    let head = String::from_utf8_lossy(&letter.head).into_owned();
    let fields: Vec<(&str, &str)> = head.lines().filter_map(|line| line.split_once(": ")).collect();
    message(&fields, &letter.body, 65_535, "Q1")
}

/// Messages a second that pass on eight connections, over so long.
fn rate(daemon: &Daemon, time: Duration) -> f64 {
    let body = format!("{}https://www.example.com/\r\n", letters::filler(4 << 10));
    let packets = message(&[("Subject", "x")], body.as_bytes(), 65_535, "Q2");
    let passed = AtomicU64::new(0);
    let end = Instant::now() + time;
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                let mut mta = Mta::begin(daemon.connect()).with_patience();
                while Instant::now() < end {
                    mta.send(&packets);
                    assert_eq!(mta.answer().ending.0, b'a');
                    passed.fetch_add(1, Ordering::Relaxed);
                }
            });
        }
    });
    passed.load(Ordering::Relaxed) as f64 / time.as_secs_f64()
}

/// What the process takes at most while something is done.
fn peak<T>(daemon: &Daemon, done: impl FnOnce() -> T) -> (T, u64) {
    let over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let watch = scope.spawn(|| {
            let mut most = 0;
            while !over.load(Ordering::Relaxed) {
                most = most.max(daemon.resident());
                std::thread::sleep(Duration::from_millis(20));
            }
            most
        });
        let result = done();
        over.store(true, Ordering::Relaxed);
        (result, watch.join().unwrap())
    })
}

#[test]
fn ordinary_mail_goes_on_beside_64_connections_of_the_worst_small_messages() {
    besieged(&SMALL);
}

#[test]
fn ordinary_mail_goes_on_beside_64_connections_of_the_worst_large_messages() {
    besieged(&LARGE);
}

/// Ordinary mail passes at a tenth of its usual rate or better beside these, in bounded memory.
fn besieged(worst: &[(&str, usize)]) {
    const MEMORY: u64 = 64 << 20;
    let daemon = Daemon::start(&format!(
        "server.max_memory = \"{MEMORY}B\"\nserver.max_message = \"8MiB\"\ndns.mode = \"never\""
    ));
    rate(&daemon, Duration::from_millis(500));
    let usual = rate(&daemon, Duration::from_secs(4));
    let families = families();
    let family = |name: &str| families.iter().find(|family| family.name == name).unwrap();
    let packed = |(name, bytes): &(&str, usize)| packets(&family(name).plan.letter(*bytes));
    let worst: Vec<_> = worst.iter().map(packed).collect();
    let (over, answered) = (AtomicBool::new(false), AtomicU64::new(0));
    let attack = |first: usize| {
        let mut mta = Mta::begin(daemon.connect()).with_patience();
        for packets in worst.iter().cycle().skip(first) {
            if over.load(Ordering::Relaxed) {
                break;
            }
            mta.send(packets);
            mta.answer();
            answered.fetch_add(1, Ordering::Relaxed);
        }
    };
    let (beside, most) = std::thread::scope(|scope| {
        for first in 0..64 {
            let attack = &attack;
            scope.spawn(move || attack(first));
        }
        std::thread::sleep(Duration::from_secs(2));
        let found = peak(&daemon, || rate(&daemon, Duration::from_secs(8)));
        over.store(true, Ordering::Relaxed);
        found
    });
    eprintln!(
        "ordinary mail: {usual:.0}/s alone, {beside:.0}/s beside 64 connections that had {} answers; \
         resident at most {most}",
        answered.load(Ordering::Relaxed)
    );
    assert!(most <= MEMORY + BESIDE, "{most} bytes resident");
    assert!(beside * 10.0 >= usual, "{beside:.0}/s of {usual:.0}/s");
}

#[test]
fn messages_that_are_coming_in_are_bounded_and_small_ones_go_on() {
    const MEMORY: u64 = 32 << 20;
    let daemon = Daemon::start(&format!(
        "server.max_memory = \"{MEMORY}B\"\nserver.max_message = \"16MiB\"\ndns.mode = \"never\""
    ));
    let packets = message(&[("Subject", "x")], &vec![b'x'; 15 << 20], 65_535, "Q1");
    let (most_of_it, end) = packets.split_at(packets.len() - packet(b'E', b"").len());
    let (mut stuck, most) = peak(&daemon, || -> Vec<_> {
        let send = |_| {
            let mut mta = Mta::begin(daemon.connect()).with_patience();
            mta.send(most_of_it);
            mta
        };
        (0..16).map(send).collect()
    });
    let small = message(&[("Subject", "x")], &vec![b'x'; 32 << 10], 65_535, "Q2");
    let mut mta = Mta::begin(daemon.connect()).with_patience();
    mta.send(&small);
    assert_eq!(mta.answer().ending.0, b'a');
    assert!(most <= MEMORY + BESIDE, "{most} bytes resident");
    let endings = stuck.iter_mut().map(|mta| {
        mta.send(end);
        mta.answer().ending.0
    });
    let endings: Vec<u8> = endings.collect();
    let put_off = endings.iter().filter(|ending| **ending == b'y').count();
    let taken = endings.iter().filter(|ending| **ending == b'a').count();
    assert!(taken >= 1 && taken + put_off == 16, "{taken} taken, {put_off} put off");
}

#[test]
fn eight_messages_of_25_megabytes_at_once_take_300_and_give_them_back() {
    let daemon = Daemon::start("");
    rate(&daemon, Duration::from_millis(500));
    let idle = daemon.resident();
    let body = format!("{}\r\nhttps://www.p\u{430}ypal.com/login\r\n", letters::filler(25 << 20));
    let utf8 = [("Content-Type", "text/plain; charset=utf-8")];
    let packets = message(&utf8, body.as_bytes(), 65_535, "Q1");
    // All are there before the first is judged.
    let (most_of_it, end) = packets.split_at(packets.len() - packet(b'E', b"").len());
    let barrier = std::sync::Barrier::new(8);
    let ((), most) = peak(&daemon, || {
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    let mut mta = Mta::begin(daemon.connect()).with_patience();
                    mta.send(most_of_it);
                    barrier.wait();
                    mta.send(end);
                    assert_eq!(mta.answer().ending.0, b'a');
                });
            }
        });
    });
    let wait = Instant::now() + Duration::from_secs(60);
    while daemon.resident() > idle + idle / 2 && Instant::now() < wait {
        std::thread::sleep(Duration::from_millis(200));
    }
    let after = daemon.resident();
    eprintln!("resident: idle {idle}, at most {most}, afterwards {after}");
    assert!(most <= 300 << 20, "{most} bytes resident");
    assert!(after <= idle + idle / 2, "idle {idle}, afterwards {after}");
}
