//! The daemon under direct milter load, beside libmilter doing nothing.
//!
//! A 20 KB multipart message with twelve links, three of them internationalised, two edited;
//! 16 connections over a unix socket, the body replaced. Reported are messages a second, latency
//! from MAIL to the verdict, CPU time a message and peak memory of the filter's process.
//! `BENCH_MESSAGES` sets the number of messages (default 40,000). Needs a C compiler and
//! libmilter-dev.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

use std::fs;
use std::io::{Read, Write};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

const CONNECTIONS: usize = 16;

fn main() {
    // `cargo test --benches` only wants to know that it builds.
    if std::env::args().any(|argument| argument == "--test") {
        return;
    }
    let messages = std::env::var("BENCH_MESSAGES").map_or(40_000, |n| n.parse().unwrap());
    let dir = tempfile::tempdir().unwrap();
    let c = compile(dir.path());
    println!("| filter | msg/s | p50/p99 ms | CPU µs/msg | peak RSS MB |");
    println!("| --- | --- | --- | --- | --- |");
    let socket = dir.path().join("socket");
    let place = format!("unix:{}", socket.display());
    for (name, replies) in
        [("C libmilter, nothing done", "replies"), ("C libmilter, no-reply bits", "none")]
    {
        let mut command = Command::new(&c);
        command.arg(&place).arg(replies);
        run(name, command, &socket, messages, Edits::Whatever);
    }
    let config = dir.path().join("linkmilter.toml");
    let state = dir.path().display();
    fs::write(&config, format!("server.state_dir = \"{state}\"\nlog.target = \"stderr\"\njournal.days = 0\ntld.refresh = \"0s\"\ndns.mode = \"never\"\n")).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_linkmilter"));
    command.arg("serve").arg("--config").arg(&config).arg("--listen").arg(&place);
    run("linkmilter, the whole job", command, &socket, messages, Edits::Expected);
}

/// Whether the filter is expected to take links apart.
#[derive(Clone, Copy, PartialEq)]
enum Edits {
    Expected,
    Whatever,
}

fn compile(dir: &Path) -> PathBuf {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/noop.c");
    let program = dir.join("noop");
    let done = Command::new("cc")
        .arg("-O2")
        .arg("-o")
        .arg(&program)
        .arg(source)
        .args(["-lmilter", "-lpthread"])
        .status();
    assert!(done.is_ok_and(|status| status.success()), "needs cc and the package libmilter-dev");
    program
}

fn run(name: &str, mut command: Command, socket: &Path, messages: usize, edits: Edits) {
    let _ = fs::remove_file(socket);
    let filter = Filter(command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap());
    while UnixStream::connect(socket).is_err() {
        std::thread::sleep(Duration::from_millis(10));
    }
    load(socket, messages / 10, edits);
    let before = filter.cpu();
    let start = Instant::now();
    let mut latencies = load(socket, messages, edits);
    let seconds = start.elapsed().as_secs_f64();
    let cpu = (filter.cpu() - before).as_secs_f64() * 1e6 / messages as f64;
    latencies.sort_unstable();
    let at = |share: usize| latencies[latencies.len() * share / 100].as_secs_f64() * 1e3;
    println!(
        "| {name} | {:.0} | {:.1}/{:.1} | {cpu:.0} | {:.1} |",
        messages as f64 / seconds,
        at(50),
        at(99),
        filter.peak_kilobytes() as f64 / 1024.0
    );
}

struct Filter(Child);

impl Filter {
    fn proc(&self, file: &str) -> String {
        fs::read_to_string(format!("/proc/{}/{file}", self.0.id())).unwrap()
    }

    /// User and system time; the kernel counts in hundredths of a second.
    fn cpu(&self) -> Duration {
        let stat = self.proc("stat");
        let fields: Vec<&str> = stat.rsplit(')').next().unwrap().split_whitespace().collect();
        let ticks: u64 =
            [11, 12].iter().map(|&at: &usize| fields[at].parse::<u64>().unwrap()).sum();
        Duration::from_millis(ticks * 10)
    }

    fn peak_kilobytes(&self) -> u64 {
        let status = self.proc("status");
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
        line.trim().trim_end_matches(" kB").parse().unwrap()
    }
}

impl Drop for Filter {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Sends that many messages over all connections; the latency of each.
fn load(socket: &Path, messages: usize, edits: Edits) -> Vec<Duration> {
    let next = AtomicUsize::new(0);
    let message = message();
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..CONNECTIONS)
            .map(|_| {
                scope.spawn(|| {
                    let mut mta = Mta::connect(socket);
                    let mut latencies = Vec::new();
                    while next.fetch_add(1, Ordering::Relaxed) < messages {
                        let start = Instant::now();
                        mta.filter(&message, edits);
                        latencies.push(start.elapsed());
                    }
                    latencies
                })
            })
            .collect();
        workers.into_iter().flat_map(|worker| worker.join().unwrap()).collect()
    })
}

/// The packets of a message, each with whether it wants a reply unless that was agreed away.
struct Message {
    packets: Vec<(Vec<u8>, u32)>,
}

const NR_CONNECT: u32 = 0x1000;
const NR_MAIL: u32 = 0x4000;
const NR_RCPT: u32 = 0x8000;
const NR_HEADER: u32 = 0x80;
const NR_EOH: u32 = 0x4_0000;
const NR_BODY: u32 = 0x8_0000;
const NO_EOH: u32 = 0x40;
const NEVER: u32 = u32::MAX;

fn packet(code: u8, data: &[u8]) -> Vec<u8> {
    let mut packet = u32::try_from(data.len() + 1).unwrap().to_be_bytes().to_vec();
    packet.push(code);
    packet.extend_from_slice(data);
    packet
}

fn message() -> Message {
    let (head, body) = multipart();
    let mut packets = vec![
        (packet(b'D', b"Mi\0BENCH\0"), NEVER),
        (packet(b'M', b"<ann@example.com>\0"), NR_MAIL),
        (packet(b'R', b"<bob@example.org>\0"), NR_RCPT),
    ];
    for (name, value) in head {
        packets.push((packet(b'L', format!("{name}\0{value}\0").as_bytes()), NR_HEADER));
    }
    packets.push((packet(b'N', b""), NR_EOH));
    packets.push((packet(b'B', body.as_bytes()), NR_BODY));
    packets.push((packet(b'E', b""), 0));
    Message { packets }
}

/// Twenty kilobytes: text and HTML, six links each, three IDN, two that lie.
fn multipart() -> (Vec<(&'static str, String)>, String) {
    let links = [
        "https://www.example.com/news?id=1",
        "https://shop.example.org/basket/42",
        "https://b\u{fc}cher.example.net/regal/7",
        "https://ja.wikipedia.org/wiki/\u{65e5}\u{672c}\u{8a9e}",
        "https://docs.example.com/a/b/c.html#top",
    ];
    let lying = "https://www.p\u{430}ypal.com/login";
    let prose = "The quick brown fox jumps over the lazy dog and goes on to the next farm.\r\n";
    let mut text = String::new();
    let mut html = String::from("<html><body>\r\n");
    for link in links.iter().copied().chain([lying]) {
        text.push_str(&prose.repeat(20));
        text.push_str(&format!("See {link} for more.\r\n"));
        html.push_str(&format!("<p>{}</p>\r\n", prose.repeat(20)));
        html.push_str(&format!("<p><a href=\"{link}\">more</a></p>\r\n"));
    }
    html.push_str("</body></html>\r\n");
    let part = |kind: &str, text: &str| {
        format!(
            "--b\r\nContent-Type: text/{kind}; charset=utf-8\r\nContent-Transfer-Encoding: 8bit\r\n\r\n{text}"
        )
    };
    let body = format!("{}{}--b--\r\n", part("plain", &text), part("html", &html));
    let head = [
        ("From", " Ann <ann@example.com>"),
        ("To", " Bob <bob@example.org>"),
        ("Subject", " news of the week"),
        ("Date", " Fri, 20 Nov 2026 09:00:00 +0000"),
        ("Message-ID", " <bench@example.com>"),
        ("MIME-Version", " 1.0"),
        ("Content-Type", " multipart/alternative; boundary=b"),
    ];
    (head.map(|(name, value)| (name, value.to_owned())).to_vec(), body)
}

struct Mta {
    stream: UnixStream,
    protocol: u32,
    input: Vec<u8>,
}

impl Mta {
    fn connect(socket: &Path) -> Mta {
        let mut mta =
            Mta { stream: UnixStream::connect(socket).unwrap(), protocol: 0, input: Vec::new() };
        let offer = packet(b'O', &[0, 0, 0, 6, 0, 0, 1, 0xff, 0, 0x1f, 0xff, 0xff]);
        mta.stream.write_all(&offer).unwrap();
        let (code, data) = mta.read();
        assert_eq!(code, b'O');
        mta.protocol = u32::from_be_bytes(data[8..12].try_into().unwrap());
        mta.say(&packet(b'C', b"client.example.com\x004\0\x19192.0.2.1\0"), NR_CONNECT);
        mta
    }

    /// Sends a packet at once and waits for its reply, if there is to be one.
    fn say(&mut self, packet: &[u8], no_reply: u32) {
        self.stream.write_all(packet).unwrap();
        if no_reply != NEVER && self.protocol & no_reply == 0 {
            assert_eq!(self.read().0, b'c');
        }
    }

    /// As an MTA does: packets without a reply are gathered and sent together.
    fn filter(&mut self, message: &Message, edits: Edits) {
        let mut gathered = Vec::new();
        for (packet, no_reply) in &message.packets {
            if *no_reply == NR_EOH && self.protocol & NO_EOH != 0 {
                continue;
            }
            gathered.extend_from_slice(packet);
            if *no_reply != NEVER && *no_reply != 0 && self.protocol & no_reply == 0 {
                self.stream.write_all(&gathered).unwrap();
                gathered.clear();
                assert_eq!(self.read().0, b'c');
            }
        }
        self.stream.write_all(&gathered).unwrap();
        let mut replaced = 0;
        let mut inserted = 0;
        loop {
            let (code, data) = self.read();
            match code {
                b'b' => replaced += data.len(),
                b'i' => inserted += 1,
                b'a' | b'c' => break,
                _ => panic!("{}", char::from(code)),
            }
        }
        assert!(replaced > 15_000, "the body is replaced");
        assert!(edits == Edits::Whatever || inserted > 0, "links are taken apart");
    }

    fn read(&mut self) -> (u8, Vec<u8>) {
        loop {
            if let Some(length) = self.input.first_chunk::<4>() {
                let end = 4 + u32::from_be_bytes(*length) as usize;
                if self.input.len() >= end {
                    let rest = self.input.split_off(end);
                    let packet = std::mem::replace(&mut self.input, rest);
                    return (packet[4], packet[5..].to_vec());
                }
            }
            let mut buffer = [0; 65_536];
            let read = self.stream.read(&mut buffer).unwrap();
            assert!(read > 0, "the filter went away");
            self.input.extend_from_slice(&buffer[..read]);
        }
    }
}
