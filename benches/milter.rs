//! The daemon under direct milter load, beside libmilter doing nothing.
//!
//! 16 connections over a unix socket send mail of four kinds: a 20 KB multipart message with twelve links, three of
//! them internationalised, two edited, its body replaced; one as long with 236 hosts, no two the same; and, where
//! the test data are (`LINKMILTER_TESTDATA`, default `../shared`), real phish and ordinary text, 200 messages of each
//! in turn. Reported are messages a second, latency from MAIL to the verdict, CPU time a message and peak memory of
//! the filter's process. `BENCH_MESSAGES` sets the number of messages (default 40,000). Needs a C compiler and
//! libmilter-dev.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

use std::fs;
use std::io::{Read, Write};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

#[path = "common/written.rs"]
mod written;

const CONNECTIONS: usize = 16;

fn main() {
    // `cargo test --benches` only wants to know that it builds.
    if std::env::args().any(|argument| argument == "--test") {
        return;
    }
    let messages = std::env::var("BENCH_MESSAGES").map_or(40_000, |n| n.parse().unwrap());
    let dir = tempfile::tempdir().unwrap();
    let c = compile(dir.path());
    let socket = dir.path().join("socket");
    let place = format!("unix:{}", socket.display());
    let libmilter = |replies: &str| {
        let mut command = Command::new(&c);
        command.arg(&place).arg(replies);
        command
    };
    let config = dir.path().join("linkmilter.toml");
    let state = dir.path().display();
    fs::write(&config, format!("server.state_dir = \"{state}\"\nlog.target = \"stderr\"\njournal.days = 0\ntld.refresh = \"0s\"\ndns.mode = \"never\"\n")).unwrap();
    for (kind, mail) in kinds() {
        println!("\n{kind}\n\n| filter | msg/s | p50/p99 ms | CPU µs/msg | peak RSS MB |");
        println!("| --- | --- | --- | --- | --- |");
        let load = Load { mail, messages, socket: &socket };
        load.run("C libmilter, nothing done", libmilter("replies"), Filters::Nothing);
        load.run("C libmilter, no-reply bits", libmilter("none"), Filters::Nothing);
        let mut command = Command::new(env!("CARGO_BIN_EXE_linkmilter"));
        command.arg("serve").arg("--config").arg(&config).arg("--listen").arg(&place);
        load.run("linkmilter, the whole job", command, Filters::Links);
    }
}

/// What a filter does with mail.
#[derive(Clone, Copy, PartialEq)]
enum Filters {
    /// Every body is returned as it was.
    Nothing,
    /// Links that deceive are defanged.
    Links,
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

/// Mail of one kind, sent again and again.
struct Load<'a> {
    mail: Vec<Message>,
    messages: usize,
    socket: &'a Path,
}

impl Load<'_> {
    fn run(&self, name: &str, mut command: Command, does: Filters) {
        let _ = fs::remove_file(self.socket);
        let filter = Filter(command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap());
        while UnixStream::connect(self.socket).is_err() {
            std::thread::sleep(Duration::from_millis(10));
        }
        self.send(self.messages / 10, does);
        let before = filter.cpu();
        let start = Instant::now();
        let mut latencies = self.send(self.messages, does);
        let seconds = start.elapsed().as_secs_f64();
        let cpu = (filter.cpu() - before).as_secs_f64() * 1e6 / self.messages as f64;
        latencies.sort_unstable();
        let at = |share: usize| latencies[latencies.len() * share / 100].as_secs_f64() * 1e3;
        println!(
            "| {name} | {:.0} | {:.1}/{:.1} | {cpu:.0} | {:.1} |",
            self.messages as f64 / seconds,
            at(50),
            at(99),
            filter.peak_kilobytes() as f64 / 1024.0
        );
    }

    /// Sends that many messages over all connections; the latency of each.
    fn send(&self, messages: usize, does: Filters) -> Vec<Duration> {
        let next = AtomicUsize::new(0);
        std::thread::scope(|scope| {
            let workers: Vec<_> = (0..CONNECTIONS)
                .map(|_| {
                    scope.spawn(|| {
                        let mut mta = Mta::connect(self.socket);
                        let mut latencies = Vec::new();
                        loop {
                            let turn = next.fetch_add(1, Ordering::Relaxed);
                            if turn >= messages {
                                return latencies;
                            }
                            let start = Instant::now();
                            mta.filter(&self.mail[turn % self.mail.len()], does);
                            latencies.push(start.elapsed());
                        }
                    })
                })
                .collect();
            workers.into_iter().flat_map(|worker| worker.join().unwrap()).collect()
        })
    }
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

/// The packets of a message, each with whether it wants a reply unless that was agreed away.
struct Message {
    packets: Vec<(Vec<u8>, u32)>,
    /// Bytes of its body.
    body: usize,
    /// Whether a link in it lies.
    lies: bool,
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

/// Mail of each kind that there is.
fn kinds() -> Vec<(&'static str, Vec<Message>)> {
    let (head, body) = multipart();
    let lying = Message::of(&head, body.as_bytes(), true);
    let (head, body) = written::many_hosts();
    let mut kinds = vec![
        ("20 KB, twelve links", vec![lying]),
        ("20 KB, 236 hosts", vec![Message::of(&head, body.as_bytes(), false)]),
    ];
    let data = std::env::var_os("LINKMILTER_TESTDATA")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared"), PathBuf::from);
    for (kind, folder) in
        [("real phish", "phishing_pot"), ("ordinary text", "spamassassin/easy-ham-1")]
    {
        match real(&data.join("mail").join(folder)) {
            mail if mail.is_empty() => eprintln!("not run: {kind}: no {folder} in the test data"),
            mail => kinds.push((kind, mail)),
        }
    }
    kinds
}

/// Real messages of a folder, the same ones every time.
const REAL: usize = 200;

fn real(folder: &Path) -> Vec<Message> {
    let Ok(files) = fs::read_dir(folder) else { return Vec::new() };
    let mut files: Vec<PathBuf> = files.map(|file| file.unwrap().path()).collect();
    files.sort();
    let step = files.len().div_ceil(REAL).max(1);
    let bytes = files.iter().step_by(step).map(|file| fs::read(file).unwrap());
    bytes.map(|bytes| Message::read(&bytes)).collect()
}

impl Message {
    fn of(head: &[(&str, String)], body: &[u8], lies: bool) -> Message {
        let mut packets = vec![
            (packet(b'D', b"Mi\0BENCH\0"), NEVER),
            (packet(b'M', b"<ann@example.com>\0"), NR_MAIL),
            (packet(b'R', b"<bob@example.org>\0"), NR_RCPT),
        ];
        for (name, value) in head {
            packets.push((packet(b'L', format!("{name}\0{value}\0").as_bytes()), NR_HEADER));
        }
        packets.push((packet(b'N', b""), NR_EOH));
        // As much as an MTA sends at once.
        packets.extend(body.chunks(65_535).map(|chunk| (packet(b'B', chunk), NR_BODY)));
        packets.push((packet(b'E', b""), 0));
        Message { packets, body: body.len(), lies }
    }

    /// A message of a file, as an MTA hands it on: lines end in CR LF, those of header fields in LF.
    fn read(bytes: &[u8]) -> Message {
        let text = String::from_utf8_lossy(bytes).replace("\r\n", "\n");
        let (head, body) = text.split_once("\n\n").unwrap_or((&text, ""));
        let mut fields: Vec<(&str, String)> = Vec::new();
        for line in head.lines() {
            match (line.starts_with([' ', '\t']), line.split_once(':')) {
                (false, Some((name, value))) => fields.push((name, value.to_owned())),
                (_, _) => {
                    let value = fields.last_mut().map(|(_, value)| value);
                    value.into_iter().for_each(|value| *value += &format!("\n{line}"));
                }
            }
        }
        Message::of(&fields, body.replace('\n', "\r\n").as_bytes(), false)
    }
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
    (written::head(), written::alternative(&text, &html))
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
    fn filter(&mut self, message: &Message, does: Filters) {
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
        match does {
            Filters::Nothing => assert_eq!(replaced, message.body, "the body is returned"),
            Filters::Links if message.lies => {
                assert!(replaced > 15_000 && inserted > 0, "links are defanged");
            }
            Filters::Links => {}
        }
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
