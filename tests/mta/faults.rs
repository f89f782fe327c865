//! What breaks, and that mail goes on or is put off, never lost, never half-written.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use super::rig::daemon::Daemon;
use super::rig::letters::{self, MIXED, MIXED_DEFANGED};
use super::rig::milter::{Mta, message, packet};
use super::rig::{PATIENCE, open_dir, program, wait_for};

const UTF8: [(&str, &str); 1] = [("Content-Type", "text/plain; charset=utf-8")];

fn mixed_body() -> &'static [u8] {
    MIXED.split_once("\r\n\r\n").unwrap().1.as_bytes()
}

/// Behind each of many links: such a message has the steps to be read to its end.
const WORDS: &str = " and words of prose that nobody reads to their end, as in most mail";

/// Lying links with hosts that no compression makes small.
fn many_links() -> String {
    let mut seed = 1_u64;
    let mut line = || {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        format!("https://p\u{430}ypal-{seed:x}.com/{WORDS}\r\n")
    };
    (0..2_000).map(|_| line()).collect()
}

/// Filters one message with a lying link on a connection of its own.
fn works(daemon: &Daemon) {
    let mut mta = Mta::begin(daemon.connect()).with_patience();
    let said = mta.filter(&UTF8, mixed_body(), "Q1");
    assert_eq!(said.body.as_deref(), Some(MIXED_DEFANGED.as_bytes()));
    assert_eq!(said.ending.0, b'a');
}

#[test]
fn bad_packets_end_their_connection_with_a_log_line_and_no_other() {
    let daemon = Daemon::start("");
    let mut good = Mta::begin(daemon.connect()).with_patience();
    for (bytes, logged) in [
        (packet(b'R', b"<x>\0"), "found RCPT"),
        (packet(b'L', b"no nul"), "HEADER packet of 6 bytes"),
        (packet(b'z', b""), "found byte 0x7a"),
        (vec![0, 0, 0, 0], "found a length of 0"),
        (b"GET / HTTP/1.0\r\n\r\n".to_vec(), "found a length of 1195725856"),
        (vec![0xff; 4], "found a length of 4294967295"),
    ] {
        let mut bad = Mta::begin(daemon.connect()).with_patience();
        bad.send(&bytes);
        assert_eq!(bad.read(), None, "{logged}");
        daemon.wait_for_log(logged);
    }
    assert_eq!(daemon.metric("linkmilter_connection_faults_total"), 6);
    assert_eq!(good.filter(&UTF8, mixed_body(), "Q1").ending.0, b'a');
}

/// Field failure 2 (OpenDKIM #149, #116): descriptors run out and accept dies.
#[test]
fn field_failure_02_descriptors_run_out_and_come_back() {
    let mut daemon = Daemon::wrapped("", "ulimit -n 64");
    let mut crowd: Vec<TcpStream> = (0..100).map(|_| daemon.connect()).collect();
    daemon.wait_for_log("connection not accepted");
    // The longest idle connections make room, so mail goes on while the crowd is still there.
    works(&daemon);
    crowd.clear();
    works(&daemon);
    assert!(daemon.is_running());
}

#[test]
fn a_thousand_idle_connections_starve_nobody() {
    let daemon = Daemon::start("server.max_connections = 200");
    // In four processes: one may have no more than 1,024 descriptors.
    let mut crowds: Vec<Crowd> = (0..4).map(|_| Crowd::of(250, &daemon)).collect();
    for crowd in &mut crowds {
        crowd.wait();
    }
    works(&daemon);
    wait_for("the crowd to be seen", || {
        (daemon.metric("linkmilter_connections_total") >= 1_000).then_some(())
    });
    // Those that made room are about to close.
    wait_for("room", || (daemon.metric("linkmilter_connections_open") <= 200).then_some(()));
    works(&daemon);
}

/// A process that holds connections and says nothing; ended when dropped.
struct Crowd(Child);

impl Crowd {
    fn of(count: usize, daemon: &Daemon) -> Crowd {
        let place = daemon.places[0].trim_start_matches("inet:").replace(':', "/");
        let script = format!(
            "for i in $(seq {count}); do exec {{c}}<>/dev/tcp/{place} || exit 1; done; echo all; read"
        );
        let mut bash = Command::new(program("bash", "bash"));
        Crowd(
            bash.args(["-c", &script])
                .stdin(Stdio::piped())
                .stdout(Stdio::piped())
                .spawn()
                .unwrap(),
        )
    }

    /// Until all are connected.
    fn wait(&mut self) {
        let mut line = String::new();
        BufReader::new(self.0.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
        assert_eq!(line, "all\n");
    }
}

impl Drop for Crowd {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn a_slow_mta_holds_up_nobody_and_is_let_go() {
    let daemon = Daemon::start("server.idle_timeout = \"5s\"");
    let mut slow = daemon.connect();
    let start = Instant::now();
    let mut fast = 0;
    // A byte of a packet at a time is no progress.
    let dripped = packet(b'O', &[0; 12]);
    let mut drops = dripped.iter().cycle();
    loop {
        if slow.write_all(&[*drops.next().unwrap()]).is_err() {
            break;
        }
        if fast < 20 {
            works(&daemon);
            fast += 1;
        }
        std::thread::sleep(Duration::from_millis(50));
        assert!(start.elapsed() < PATIENCE, "never let go");
    }
    daemon.wait_for_log("connection closed");
}

/// An MTA says nothing between the recipients and the end of the content, which takes a slow client long.
#[test]
fn a_client_that_sends_its_content_slowly_is_waited_for() {
    let daemon = Daemon::start("server.idle_timeout = \"1s\"");
    let mut mta = Mta::begin(daemon.connect()).with_patience();
    let all = message(&UTF8, mixed_body(), 65_535, "SLOW1");
    let content = all.windows(5).position(|window| window[4] == b'L' && window[0] == 0).unwrap();
    let (envelope, content) = all.split_at(content);
    mta.send(envelope);
    std::thread::sleep(Duration::from_secs(3));
    mta.send(content);
    let said = mta.answer();
    assert_eq!(said.body.as_deref(), Some(MIXED_DEFANGED.as_bytes()));
    // Between messages it is not.
    std::thread::sleep(Duration::from_secs(3));
    assert_eq!(mta.read(), None);
    daemon.wait_for_log("connection closed: timeout");
}

#[test]
fn connections_that_are_all_busy_are_said() {
    let daemon = Daemon::start("server.max_connections = 2");
    // Without the flags of the protocol that save replies, so that it is known what the daemon has read.
    let begun = || {
        let mut mta = Mta { stream: daemon.connect() }.with_patience();
        mta.send(&packet(b'O', &[0, 0, 0, 6, 0, 0, 1, 0xff, 0, 0, 0, 0]));
        assert_eq!(mta.read().unwrap().0, b'O');
        for (code, data) in [
            (b'C', b"client.example.com\x004\0\x19192.0.2.1\0".as_slice()),
            (b'M', b"<ann@example.com>\0"),
            (b'R', b"<bob@example.org>\0"),
            (b'L', b"Subject\0 hello\0"),
        ] {
            mta.send(&packet(code, data));
            assert_eq!(mta.read().unwrap().0, b'c');
        }
        mta
    };
    let (mut first, second) = (begun(), begun());
    let mut third = daemon.connect();
    third.write_all(&packet(b'O', &[0, 0, 0, 6, 0, 0, 1, 0xff, 0, 0x1f, 0xff, 0xff])).unwrap();
    daemon.wait_for_log("all 2 connections of server.max_connections are in the middle");
    assert!(daemon.get("/healthz").contains("new ones wait"), "{}", daemon.get("/healthz"));
    assert_eq!(daemon.metric("linkmilter_connection_faults_total"), 1);
    first.send(&packet(b'E', b""));
    assert_eq!(first.answer().ending.0, b'a');
    drop(first);
    wait_for("a free connection", || {
        (!daemon.get("/healthz").contains("new ones wait")).then_some(())
    });
    drop(second);
}

#[test]
fn sigterm_in_the_middle_of_a_reply_leaves_no_half_reply() {
    let mut daemon = Daemon::start("");
    let mut mta = Mta::begin(daemon.connect()).with_patience();
    // More than the sockets' buffers hold: the reply waits in the middle.
    let filler = letters::filler(24 << 20);
    let body = format!("{filler}\r\nhttps://www.p\u{430}ypal.com/login\r\n");
    mta.send(&message(&UTF8, body.as_bytes(), 65_535, "Q1"));
    let mut first = [0; 1];
    mta.stream.read_exact(&mut first).unwrap();
    daemon.signal("TERM");
    daemon.wait_for_log("draining");
    // The rest of the first packet, then the others.
    let mut rest = [0; 3];
    mta.stream.read_exact(&mut rest).unwrap();
    let length = u32::from_be_bytes([first[0], rest[0], rest[1], rest[2]]);
    mta.stream.read_exact(&mut vec![0; length as usize]).unwrap();
    let said = mta.answer();
    let new = said.body.unwrap();
    assert_eq!(said.ending.0, b'a');
    assert!(new.starts_with(filler.as_bytes()));
    assert!(new.ends_with(b"hxxps://www[.]xn--pypal-4ve[.]com/login\r\n"));
    assert_eq!(daemon.wait(), Some(0));
}

#[test]
fn with_the_dns_gone_the_table_decides() {
    // Nobody answers at the discard port.
    let daemon = Daemon::start("dns.servers = [\"127.0.0.1:9\"]\ndns.deadline = \"200ms\"");
    let mut mta = Mta::begin(daemon.connect()).with_patience();
    let body = "www.example.notatld and https://www.p\u{430}ypal.com/login\r\n";
    let said = mta.filter(&UTF8, body.as_bytes(), "Q1");
    assert_eq!(
        String::from_utf8(said.body.unwrap()).unwrap(),
        "www.example.notatld and hxxps://www[.]xn--pypal-4ve[.]com/login\r\n"
    );
}

#[test]
fn with_the_disk_full_mail_goes_on() {
    let mut daemon = Daemon::wrapped(
        "limits.steps_per_byte = 100",
        "mount -t tmpfs -o size=64k none state && dd if=/dev/zero of=state/full bs=1k 2>/dev/null",
    );
    works(&daemon);
    // A recipe that does not fit into a header field has no place: the edits are made all the same.
    let mut mta = Mta::begin(daemon.connect()).with_patience();
    let said = mta.filter(&UTF8, many_links().as_bytes(), "Q2");
    assert_eq!(said.ending.0, b'a');
    let body = String::from_utf8(said.body.unwrap()).unwrap();
    assert_eq!(body.lines().count(), 2_000);
    for line in body.lines() {
        assert!(
            line.starts_with("hxxps://xn--") && line.ends_with(&format!("[.]com/{WORDS}")),
            "{line}"
        );
    }
    daemon.wait_for_log("a recipe is lost");
    works(&daemon);
    assert!(daemon.is_running());
}

/// Commands that write files leave nothing empty or half-written behind.
#[test]
fn commands_leave_nothing_half_written_on_a_full_disk() {
    let script = "mount -t tmpfs -o size=64k none . && cd . && mkdir etc pages inbox inbox/cur \
        inbox/new inbox/tmp recalls && printf 'Subject: x\\n\\nhttp://bad.example.com/ http://xn--pypal-4ve.com/\\n' > inbox/cur/1:2,S
        printf 'server.state_dir = \"/nowhere\"\\n' > etc/linkmilter.toml
        cat /dev/zero > full 2>/dev/null; find . | sort > /dev/shm/\"$2\"
        for line in 'allow add example.com' 'block add bad.example.com' \
            'recall bad.example.com --maildir inbox --recalls recalls'
        do \"$1\" $line --config etc/linkmilter.toml && echo done: $line; done
        \"$1\" generate man --out pages && echo done: man
        for option in --out --resume
        do \"$1\" scan --all-links $option written inbox && echo done: $option; done
        find . | sort | diff /dev/shm/\"$2\" -; rm /dev/shm/\"$2\"";
    let (dir, before) = (open_dir(), format!("linkmilter-full-{}", std::process::id()));
    let mut command = Command::new(program("unshare", "util-linux"));
    command.current_dir(dir.path()).args(["-m", "sh", "-c", script, "sh"]);
    let output = command.args([env!("CARGO_BIN_EXE_linkmilter"), &before]).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    let done = "1 message read, 0 changed, 0 links defanged, 1 failed\n";
    assert_eq!(String::from_utf8_lossy(&output.stdout), done, "{said}");
    assert_eq!(said.matches("No space left on device").count(), 6, "{said}");
}

#[test]
fn too_much_mail_at_once_is_put_off_and_taken_later() {
    let daemon = Daemon::start("server.max_memory = \"1MiB\"\nserver.max_message = \"1MiB\"");
    // One message that does not come to its end, and another beside it.
    let mut stuck = Mta::begin(daemon.connect()).with_patience();
    let packets = message(&UTF8, &vec![b'x'; 900 << 10], 65_535, "Q1");
    let mut mta = Mta::begin(daemon.connect()).with_patience();
    let mut large = || mta.filter(&UTF8, &vec![b'x'; 900 << 10], "Q2").ending;
    let (code, line) = wait_for("the first to fill the memory", || {
        // Whoever goes over it is let go: the first shall be there before the other.
        stuck.send(&packet(b'A', b""));
        stuck.send(&packets[..packets.len() - 5]);
        std::thread::sleep(Duration::from_millis(200));
        Some(large()).filter(|ending| ending.0 == b'y')
    });
    assert!(line.starts_with(b"451 4.3.2 "), "{code} {line:?}");
    daemon.wait_for_log("too many bytes of mail in memory");
    // Each has a line and an event of its own.
    daemon.wait_for_log(
        "Q2: ok, deferred (451), 0 links; not read in full: a limit was reached (limit:max_memory)",
    );
    stuck.send(&packet(b'A', b""));
    wait_for("room", || (large().0 == b'a').then_some(()));
}

/// With the least memory that the configuration takes, what stands below is filtered and what stands above goes on
/// unread: put off, it would be put off each time.
#[test]
fn the_largest_message_fits_into_the_least_memory() {
    let daemon = Daemon::start(
        "server.max_memory = \"1MiB\"\nserver.max_message = \"1MiB\"\ndns.mode = \"never\"",
    );
    // What a message takes is free before the next one of its connection is read.
    let mut mta = Mta::begin(daemon.connect()).with_patience();
    for (kib, incomplete) in
        [(900, false), (990, false), (1_023, false), (1_100, true), (5_000, true)]
    {
        let said = mta.filter(&[("Subject", "x")], &vec![b'x'; kib << 10], "Q1");
        assert_eq!(said.ending.0, b'a', "{kib} KiB: {:?}", String::from_utf8_lossy(&said.ending.1));
        let unread = said.inserted.iter().any(|(_, value)| value.contains("limit:max_message"));
        assert_eq!(unread, incomplete, "{kib} KiB");
    }
}

#[test]
fn a_message_over_the_limit_goes_on_unread_and_says_so() {
    let daemon = Daemon::start("server.max_message = \"64KiB\"");
    let mut mta = Mta::begin(daemon.connect()).with_patience();
    let body = [mixed_body(), &vec![b'x'; 1 << 20]].concat();
    let said = mta.filter(&UTF8, &body, "Q1");
    assert_eq!((said.body, said.ending.0), (None, b'a'));
    let (name, value) = &said.inserted[0];
    assert_eq!(name, "X-Linkmilter");
    assert!(value.contains("limit:max_message"), "{value}");
    assert_eq!(daemon.metric("linkmilter_bypasses_total"), 1);
    works(&daemon);
}

/// Field failure 5 (OpenDMARC #322): SIGHUP kills instead of reloading.
#[test]
fn field_failure_05_sighup_reloads_and_a_broken_file_changes_nothing() {
    let mut daemon = Daemon::start("");
    daemon.signal("HUP");
    daemon.wait_for_log("\"message\":\"reloaded\"");
    daemon.configure("policy.profile = \"report-only\"\n");
    daemon.signal("HUP");
    daemon.wait_for_log("\"generation\":3");
    let mut mta = Mta::begin(daemon.connect()).with_patience();
    assert_eq!(mta.filter(&UTF8, mixed_body(), "Q1").body, None, "report-only");
    daemon.configure("policy.profile = \"enforced\"\n");
    daemon.signal("HUP");
    daemon.wait_for_log("reload failed");
    assert_eq!(mta.filter(&UTF8, mixed_body(), "Q2").body, None, "still report-only");
    assert!(daemon.is_running());
    assert_eq!(daemon.metric("linkmilter_config_generation"), 3);
}

/// Field failure 3 (rmilter #39, #63): socket permissions, and sockets that stay behind.
#[test]
fn field_failure_03_a_socket_is_open_to_its_group_and_a_stale_one_is_replaced() {
    use std::os::unix::fs::{MetadataExt, PermissionsExt};
    let mut daemon =
        Daemon::listen("server.socket_group = \"postfix\"", &["unix:socket", "inet:0@127.0.0.1"]);
    let path = daemon.dir.path().join("socket");
    let of_socket = |what: &str| {
        let data = std::fs::metadata(&path).unwrap_or_else(|error| panic!("{what}: {error}"));
        (data.permissions().mode() & 0o777, data.gid())
    };
    let groups = std::fs::read_to_string("/etc/group").unwrap();
    let line = groups.lines().find(|line| line.starts_with("postfix:")).expect("package postfix");
    let group: u32 = line.split(':').nth(2).unwrap().parse().unwrap();
    assert_eq!(of_socket("at the start"), (0o660, group));
    daemon.kill();
    assert!(path.exists(), "a crash leaves the socket behind");
    daemon.restart();
    assert_eq!(of_socket("after a crash"), (0o660, group));
    works(&daemon);
    daemon.signal("TERM");
    assert_eq!(daemon.wait(), Some(0));
    assert!(!path.exists(), "a regular end removes it");
}

/// Field failure 4 (rmilter #87, rspamd #424): a backend down gave 4.7.1 for all mail. There is
/// none here but the DNS, and [`with_the_dns_gone_the_table_decides`].
#[test]
fn field_failure_04_no_backend_is_needed() {
    let daemon = Daemon::wrapped("", "mount --bind /dev/null /etc/resolv.conf");
    works(&daemon);
}

#[test]
fn memory_comes_back_after_a_burst_of_large_messages() {
    let daemon = Daemon::start("");
    for _ in 0..20 {
        works(&daemon);
    }
    let idle = daemon.resident();
    let body = format!("{}\r\nhttps://www.p\u{430}ypal.com/login\r\n", letters::filler(25 << 20));
    let packets = message(&UTF8, body.as_bytes(), 65_535, "Q1");
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..2 {
                    let mut mta = Mta::begin(daemon.connect()).with_patience();
                    mta.send(&packets);
                    assert_eq!(mta.answer().ending.0, b'a');
                }
            });
        }
    });
    let most = idle + idle / 2;
    let end = Instant::now() + Duration::from_secs(60);
    while daemon.resident() > most {
        assert!(Instant::now() < end, "idle {idle}, 60 s after the burst {}", daemon.resident());
        std::thread::sleep(Duration::from_millis(200));
    }
    eprintln!("resident: idle {idle}, after the burst {}", daemon.resident());
}

/// Field failure 6 (pymilter #35): memory grows over 200,000 mails. The extra `soak` sends as many.
#[test]
fn field_failure_06_memory_does_not_grow_with_the_mails() {
    grows_not(10_000);
}

#[test]
#[ignore = "the extra `soak`: some minutes"]
fn soak() {
    grows_not(200_000);
}

/// Sends that many messages, good and bad, over eight connections; memory must be flat from the
/// first tenth on.
fn grows_not(messages: usize) {
    let daemon = Daemon::start("");
    let clean = letters::filler(8 << 10);
    let bodies = [clean.as_bytes(), mixed_body(), b"x", b""];
    let round = |count: usize| {
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    let mut mta = Mta::begin(daemon.connect()).with_patience();
                    for number in 0..count / 8 {
                        let said = mta.filter(&UTF8, bodies[number % 4], "Q1");
                        assert_eq!(said.ending.0, b'a');
                    }
                });
            }
        });
        daemon.resident()
    };
    let first = round(messages / 10);
    let figures: Vec<u64> = (0..9).map(|_| round(messages / 10)).collect();
    eprintln!("resident after each tenth of {messages}: {first} {figures:?}");
    let last = figures[8];
    assert!(last <= first + first / 4 + (2 << 20), "grew from {first} to {last}");
    assert_eq!(daemon.metric("linkmilter_messages_total"), (messages / 80 * 80) as u64);
}
