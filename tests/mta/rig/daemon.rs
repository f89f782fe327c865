//! The filter as a process.

use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use super::{open_dir, wait_for};

/// A running `linkmilter serve`; killed when dropped.
pub struct Daemon {
    child: Child,
    /// As Postfix spells the addresses.
    pub places: Vec<String>,
    pub dir: tempfile::TempDir,
    listen: Vec<String>,
    /// Shell commands that run first, in a mount name space of their own.
    wrapper: String,
}

impl Daemon {
    /// On a free port, with these settings (TOML) on top of what tests need.
    pub fn start(settings: &str) -> Daemon {
        Daemon::listen(settings, &["inet:0@127.0.0.1"])
    }

    /// At these addresses; `unix:socket` is put into the daemon's own directory.
    pub fn listen(settings: &str, listen: &[&str]) -> Daemon {
        Daemon::with(settings, listen, "")
    }

    /// Behind shell commands, which run in the daemon's directory, with mounts of their own.
    pub fn wrapped(settings: &str, wrapper: &str) -> Daemon {
        Daemon::with(settings, &["inet:0@127.0.0.1"], wrapper)
    }

    fn with(settings: &str, listen: &[&str], wrapper: &str) -> Daemon {
        let dir = open_dir();
        fs::create_dir(dir.path().join("state")).unwrap();
        let listen = listen
            .iter()
            .map(|place| match place.strip_prefix("unix:") {
                Some(file) => format!("unix:{}", dir.path().join(file).display()),
                None => (*place).to_owned(),
            })
            .collect::<Vec<_>>();
        let config = dir.path().join("linkmilter.toml");
        fs::write(&config, configuration(dir.path(), settings)).unwrap();
        let (child, places) = spawn(dir.path(), &listen, wrapper).unwrap();
        Daemon { child, places, dir, listen, wrapper: wrapper.to_owned() }
    }

    pub fn config(&self) -> PathBuf {
        self.dir.path().join("linkmilter.toml")
    }

    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Writes other settings, whole at once; SIGHUP puts them in force.
    pub fn configure(&self, settings: &str) {
        let new = self.dir.path().join("new.toml");
        fs::write(&new, configuration(self.dir.path(), settings)).unwrap();
        fs::rename(new, self.config()).unwrap();
    }

    pub fn signal(&self, name: &str) {
        assert!(super::kill(name, &self.pid().to_string()), "no such process");
    }

    /// Ends it at once, as a crash does.
    pub fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// Starts it again at the addresses it had.
    pub fn restart(&mut self) {
        let listen: Vec<String> = self
            .places
            .iter()
            .zip(&self.listen)
            .map(|(place, given)| match place.strip_prefix("inet:127.0.0.1:") {
                Some(port) => format!("inet:{port}@127.0.0.1"),
                None => given.clone(),
            })
            .collect();
        // An outgoing connection may have its port for a moment.
        (self.child, self.places) = wait_for("the daemon to start again", || {
            spawn(self.dir.path(), &listen, &self.wrapper).ok()
        });
    }

    /// Waits for the end; its exit code.
    pub fn wait(&mut self) -> Option<i32> {
        wait_for("the daemon's end", || self.child.try_wait().unwrap()).code()
    }

    pub fn is_running(&mut self) -> bool {
        self.child.try_wait().unwrap().is_none()
    }

    /// Everything logged so far.
    pub fn log(&self) -> String {
        fs::read_to_string(self.dir.path().join("log")).unwrap()
    }

    /// The log lines of messages.
    pub fn messages(&self) -> Vec<String> {
        let of_messages = |line: &&str| line.contains("\"message\":\"message\"");
        self.log().lines().filter(of_messages).map(str::to_owned).collect()
    }

    /// Waits until the log holds this.
    pub fn wait_for_log(&self, text: &str) {
        wait_for(&format!("{text:?} in the log"), || self.log().contains(text).then_some(()));
    }

    /// The sum of all samples of a metric.
    pub fn metric(&self, name: &str) -> u64 {
        let text = self.metrics();
        let samples = text.lines().filter(|line| {
            line.strip_prefix(name).is_some_and(|rest| rest.starts_with(['{', ' ']))
        });
        samples.map(|line| line.rsplit(' ').next().unwrap().parse::<f64>().unwrap() as u64).sum()
    }

    /// The text of the metrics endpoint, as HTTP gives it.
    pub fn metrics(&self) -> String {
        self.get("/metrics")
    }

    /// What the endpoint of the metrics says at a path.
    pub fn get(&self, path: &str) -> String {
        let socket = self.dir.path().join("metrics");
        let mut stream = std::os::unix::net::UnixStream::connect(socket).unwrap();
        stream.write_all(format!("GET {path} HTTP/1.0\r\n\r\n").as_bytes()).unwrap();
        let mut text = String::new();
        stream.read_to_string(&mut text).unwrap();
        text
    }

    /// A connection to the first inet address.
    pub fn connect(&self) -> TcpStream {
        let place = self.places.iter().find_map(|place| place.strip_prefix("inet:"));
        let stream = TcpStream::connect(place.expect("an inet address")).unwrap();
        stream.set_nodelay(true).unwrap();
        stream
    }

    /// Resident memory in bytes.
    pub fn resident(&self) -> u64 {
        let status = fs::read_to_string(format!("/proc/{}/status", self.pid())).unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
        line.trim().trim_end_matches(" kB").parse::<u64>().unwrap() * 1024
    }
}

impl Drop for Daemon {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        if std::thread::panicking() {
            eprintln!("-- log of the daemon\n{}", tail(&self.log(), 40));
        }
    }
}

pub fn tail(text: &str, lines: usize) -> String {
    let all: Vec<&str> = text.lines().collect();
    all[all.len().saturating_sub(lines)..].join("\n")
}

/// What every test wants, then the test's own settings. TOML tables may come once only, so the
/// common ones are dotted keys.
fn configuration(dir: &Path, settings: &str) -> String {
    format!(
        "server.state_dir = \"{state}\"\nserver.host_name = \"mx.example.org\"\n\
         log.target = \"stderr\"\nlog.format = \"json\"\nmetrics.listen = \"unix:{metrics}\"\n\
         tld.refresh = \"0s\"\n{settings}\n",
        state = dir.join("state").display(),
        metrics = dir.join("metrics").display(),
    )
}

/// The process and the places where it says that it listens; or why it did not start.
fn spawn(dir: &Path, listen: &[String], wrapper: &str) -> Result<(Child, Vec<String>), String> {
    let log = File::options().append(true).create(true).open(dir.join("log")).unwrap();
    let binary = env!("CARGO_BIN_EXE_linkmilter");
    let mut command = match wrapper {
        "" => Command::new(binary),
        wrapper => {
            let mut command = Command::new(super::program("unshare", "util-linux"));
            command.args(["-m", "sh", "-c", &format!("{wrapper}; exec {binary} \"$@\""), "sh"]);
            command
        }
    };
    command.current_dir(dir).arg("serve").arg("--config").arg(dir.join("linkmilter.toml"));
    for place in listen {
        command.arg("--listen").arg(place);
    }
    let mut child =
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(log).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let places = line
        .trim()
        .strip_prefix("linkmilter listens at ")
        .and_then(|rest| rest.strip_suffix(". Add to Postfix's main.cf:"));
    let Some(places) = places else {
        child.kill().unwrap();
        child.wait().unwrap();
        return Err(format!(
            "no start: {line:?}\n{}",
            fs::read_to_string(dir.join("log")).unwrap()
        ));
    };
    Ok((child, places.split(", ").map(str::to_owned).collect()))
}
