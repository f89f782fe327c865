//! The daemon as a child process with a directory of its own.

use std::fs;
use std::io::{Read, Write};
use std::net::TcpListener;
use std::os::unix::net::{UnixDatagram, UnixStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// Longest wait for anything: a loaded machine, not a measure.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// A message of text, and one that is edited.
#[allow(dead_code)]
pub const HEADER: &[(&str, &str)] =
    &[("Subject", " hello"), ("Content-Type", " text/plain; charset=utf-8")];
#[allow(dead_code)]
pub const DECEPTIVE: &str = "Confirm at https://www.p\u{430}ypal.com/signin today.\r\n";

/// A daemon with a service manager, at its socket.
#[allow(dead_code)]
pub fn serve(site: &Site) -> (Daemon, Manager) {
    let manager = Manager::new(site.root.path());
    let mut command = site.serve_at_socket();
    command.env("NOTIFY_SOCKET", &manager.path);
    (start(command), manager)
}

/// The same, once it is ready.
#[allow(dead_code)]
pub fn ready(site: &Site) -> (Daemon, Manager) {
    let (daemon, manager) = serve(site);
    assert_eq!(manager.notified()[0], "READY=1", "{}", site.logged());
    (daemon, manager)
}

pub fn binary() -> &'static str {
    env!("CARGO_BIN_EXE_linkmilter")
}

/// A running daemon, killed at the end of the test.
pub struct Daemon {
    pub child: Child,
}

impl Drop for Daemon {
    fn drop(&mut self) {
        // Fails when it has ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Daemon {
    pub fn signal(&self, name: &str) {
        let id = self.child.id().to_string();
        let status = Command::new("kill").args([&format!("-{name}"), &id]).status().unwrap();
        assert!(status.success(), "kill -{name}");
    }

    /// Lets it read its configuration again; what it says to its manager then.
    #[allow(dead_code)]
    pub fn reload(&self, manager: &Manager) -> Vec<String> {
        self.signal("HUP");
        assert_eq!(manager.notified()[0], "RELOADING=1");
        manager.notified()
    }

    /// Tells it to end, and waits until it has.
    #[allow(dead_code)]
    pub fn end(&mut self) {
        self.signal("TERM");
        assert!(self.wait().success());
    }

    pub fn wait(&mut self) -> ExitStatus {
        wait_for("the end of the daemon", || self.child.try_wait().unwrap())
    }
}

/// A directory with a configuration file; the state directory is in it.
pub struct Site {
    pub root: tempfile::TempDir,
}

impl Site {
    pub fn new(settings: &str) -> Site {
        let site = Site { root: tempfile::tempdir().unwrap() };
        site.configure(settings);
        site
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.root.path().join(name)
    }

    pub fn socket(&self) -> PathBuf {
        self.path("milter.sock")
    }

    /// Writes the configuration: settings of the test on top of a state directory of the site.
    pub fn configure(&self, settings: &str) {
        let text = format!(
            "server.state_dir = {:?}\ntld.refresh = \"0s\"\ndns.mode = \"never\"\n{settings}\n",
            self.path("state")
        );
        fs::write(self.path("linkmilter.toml"), text).unwrap();
        fs::create_dir_all(self.path("state")).unwrap();
    }

    /// The command that serves, with nothing of systemd in its environment.
    pub fn serve(&self) -> Command {
        let mut command = Command::new(binary());
        command.args(["serve", "--config"]).arg(self.path("linkmilter.toml"));
        clean(&mut command);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(self.log());
        command
    }

    /// The same command, listening at the socket of the site.
    pub fn serve_at_socket(&self) -> Command {
        let mut command = self.serve();
        command.arg("--listen").arg(format!("unix:{}", self.socket().display()));
        command
    }

    /// Log lines go to a file of the site.
    pub fn log(&self) -> fs::File {
        fs::OpenOptions::new().create(true).append(true).open(self.path("log")).unwrap()
    }

    pub fn logged(&self) -> String {
        // What is said is gathered for some milliseconds.
        std::thread::sleep(GATHERED);
        fs::read_to_string(self.path("log")).unwrap_or_default()
    }
}

/// Takes everything away that a service manager or a configuration could have left.
pub fn clean(command: &mut Command) {
    for name in ["NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID", "LISTEN_FDS", "LISTEN_PID"] {
        command.env_remove(name);
    }
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("LINKMILTER_") {
            command.env_remove(name);
        }
    }
}

pub fn start(mut command: Command) -> Daemon {
    Daemon { child: command.spawn().unwrap() }
}

/// More than the log gathers before it writes.
const GATHERED: Duration = Duration::from_millis(50);

/// Polls until something is there.
pub fn wait_for<T>(what: &str, mut ask: impl FnMut() -> Option<T>) -> T {
    let begun = Instant::now();
    loop {
        if let Some(found) = ask() {
            return found;
        }
        assert!(begun.elapsed() < PATIENCE, "waited in vain for {what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// A service manager that writes down what it is notified.
pub struct Manager {
    pub path: PathBuf,
    socket: UnixDatagram,
}

impl Manager {
    pub fn new(directory: &Path) -> Manager {
        let path = directory.join("notify");
        let socket = UnixDatagram::bind(&path).unwrap();
        socket.set_read_timeout(Some(PATIENCE)).unwrap();
        Manager { path, socket }
    }

    /// The next message, line by line; watchdog messages are passed over.
    pub fn notified(&self) -> Vec<String> {
        loop {
            let lines = self.next();
            if lines != ["WATCHDOG=1"] {
                return lines;
            }
        }
    }

    /// The next message of any kind.
    pub fn next(&self) -> Vec<String> {
        let mut buffer = [0; 4_096];
        let length = self.socket.recv(&mut buffer).expect("a message from the daemon");
        String::from_utf8_lossy(&buffer[..length]).lines().map(str::to_owned).collect()
    }

    /// Messages that come within a time.
    pub fn within(&self, span: Duration) -> Vec<Vec<String>> {
        let end = Instant::now() + span;
        let mut notified = Vec::new();
        self.socket.set_nonblocking(true).unwrap();
        while Instant::now() < end {
            let mut buffer = [0; 4_096];
            match self.socket.recv(&mut buffer) {
                Ok(length) => notified.push(
                    String::from_utf8_lossy(&buffer[..length]).lines().map(str::to_owned).collect(),
                ),
                Err(_) => std::thread::sleep(Duration::from_millis(10)),
            }
        }
        self.socket.set_nonblocking(false).unwrap();
        notified
    }
}

/// One packet of the milter protocol: length, command, data.
pub fn packet(command: u8, data: &[u8]) -> Vec<u8> {
    let length = u32::try_from(data.len() + 1).unwrap().to_be_bytes();
    [&length[..], &[command], data].concat()
}

/// The next packet from the filter: command and data.
pub fn answer(stream: &mut impl Read) -> (u8, Vec<u8>) {
    let mut length = [0; 4];
    stream.read_exact(&mut length).expect("a packet from the filter");
    let mut packet = vec![0; u32::from_be_bytes(length) as usize];
    stream.read_exact(&mut packet).expect("a whole packet");
    (packet[0], packet[1..].to_vec())
}

/// Opens a session as Postfix does: version 6, everything offered.
pub fn negotiate(stream: &mut (impl Read + Write)) {
    let offer: Vec<u8> =
        [6_u32, 0x1ff, 0x1f_ffff].iter().flat_map(|word| word.to_be_bytes()).collect();
    stream.write_all(&packet(b'O', &offer)).unwrap();
    assert_eq!(answer(stream).0, b'O');
}

/// Sends one message through the filter; the commands of all replies to it.
pub fn deliver(
    stream: &mut (impl Read + Write),
    queue_id: &str,
    header: &[(&str, &str)],
    body: &[u8],
) -> Vec<u8> {
    replies(stream, queue_id, header, body).into_iter().map(|(command, _)| command).collect()
}

/// The body that goes on when this message is sent through the filter.
#[allow(dead_code)]
pub fn body_after(
    stream: &mut (impl Read + Write),
    header: &[(&str, &str)],
    body: &[u8],
) -> String {
    let replies = replies(stream, "4BODY", header, body);
    let new: Vec<&[u8]> = replies
        .iter()
        .filter(|(command, _)| *command == b'b')
        .map(|(_, data)| data.as_slice())
        .collect();
    let body = if new.is_empty() { body.to_vec() } else { new.concat() };
    String::from_utf8(body).unwrap()
}

/// Sends one message through the filter; all replies to it.
pub fn replies(
    stream: &mut (impl Read + Write),
    queue_id: &str,
    header: &[(&str, &str)],
    body: &[u8],
) -> Vec<(u8, Vec<u8>)> {
    let mut out = Vec::new();
    out.extend(packet(b'D', format!("Mi\0{queue_id}\0").as_bytes()));
    out.extend(packet(b'M', b"<ann@sender.example>\0"));
    out.extend(packet(b'D', format!("Ri\0{queue_id}\0").as_bytes()));
    out.extend(packet(b'R', b"<bob@recipient.example>\0"));
    for (name, value) in header {
        out.extend(packet(b'L', format!("{name}\0{value}\0").as_bytes()));
    }
    out.extend(packet(b'N', b""));
    out.extend(packet(b'B', body));
    out.extend(packet(b'D', format!("Ei\0{queue_id}\0").as_bytes()));
    out.extend(packet(b'E', b""));
    stream.write_all(&out).unwrap();
    let mut replies = Vec::new();
    loop {
        let (command, data) = answer(stream);
        replies.push((command, data));
        if matches!(command, b'a' | b'c' | b'd' | b'r' | b't' | b'y') {
            return replies;
        }
    }
}

pub fn connect(path: &Path) -> UnixStream {
    let stream = wait_for("the milter socket", || UnixStream::connect(path).ok());
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    stream
}

/// A TCP port of the loopback that nobody listens at.
pub fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}
