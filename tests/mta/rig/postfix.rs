//! A real Postfix of its own.

use std::fs;
use std::io::Write;
use std::net::TcpStream;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use super::mailbox::Mailbox;
use super::smtp::{Letter, Smtp};
use super::{free_port, kill, open_dir, open_up, program, wait_for};

/// A running Postfix; stopped when dropped.
pub struct Postfix {
    pub dir: tempfile::TempDir,
    pub port: u16,
}

/// A Postfix that has its directories only.
pub struct Prepared {
    pub dir: tempfile::TempDir,
    port: u16,
}

impl Prepared {
    /// Starts it; `chroot` is `y` or `n`, for smtpd.
    pub fn run_with(self, milters: &str, more: &str, chroot: &str) -> Postfix {
        let Prepared { dir, port } = self;
        let root = dir.path();
        fs::write(root.join("conf/main.cf"), main_cf(root, milters, more)).unwrap();
        let master = format!("127.0.0.1:{port} inet n - {chroot} - - smtpd\n{SERVICES}");
        fs::write(root.join("conf/master.cf"), master).unwrap();
        // SO_REUSEPORT would let two masters share a port.
        assert!(TcpStream::connect(("127.0.0.1", port)).is_err(), "port {port} is taken");
        let postfix = Postfix { dir, port };
        let start = postfix.run("start");
        assert!(
            start.status.success(),
            "postfix start: {}",
            String::from_utf8_lossy(&start.stderr)
        );
        wait_for("Postfix", || TcpStream::connect(("127.0.0.1", port)).ok());
        postfix
    }
}

/// Services of master.cf that take part.
const SERVICES: &str = "\
pickup unix n - n 1 1 pickup
cleanup unix n - n - 0 cleanup
qmgr unix n - n 1 1 qmgr
rewrite unix - - n - - trivial-rewrite
bounce unix - - n - 0 bounce
defer unix - - n - 0 bounce
trace unix - - n - 0 bounce
verify unix - - n - 1 verify
flush unix n - n 1000? 0 flush
proxymap unix - - n - - proxymap
smtp unix - - n - - smtp
showq unix n - n - - showq
error unix - - n - - error
retry unix - - n - - error
discard unix - - n - - discard
local unix - n n - - local
virtual unix - n n - - virtual
anvil unix - - n - 1 anvil
scache unix - - n - 1 scache
postlog unix-dgram n - n - 1 postlogd
";

impl Postfix {
    /// With these `smtpd_milters`, and more lines of main.cf.
    pub fn start(milters: &str, more: &str) -> Postfix {
        Postfix::prepare().run_with(milters, more, "n")
    }

    /// Its directories, with nothing running yet: a socket can be put into its queue directory.
    pub fn prepare() -> Prepared {
        let dir = open_dir();
        let port = free_port();
        let root = dir.path();
        for sub in ["conf", "queue", "data", "mail"] {
            fs::create_dir(root.join(sub)).unwrap();
            open_up(&root.join(sub));
        }
        own(&root.join("data"), "postfix");
        own(&root.join("mail"), "nobody");
        Prepared { dir, port }
    }

    fn run(&self, command: &str) -> Output {
        let mut postfix = Command::new(program("postfix", "postfix"));
        postfix.arg("-c").arg(self.dir.path().join("conf")).arg(command);
        postfix.stdin(Stdio::null()).output().unwrap()
    }

    /// The mailbox that takes everything.
    pub fn mailbox(&self) -> Mailbox {
        Mailbox { path: self.dir.path().join("mail/box") }
    }

    pub fn connect(&self) -> Smtp {
        Smtp::connect(self.port)
    }

    /// Sends one letter in a session of its own.
    pub fn send(&self, letter: &Letter<'_>) -> (u16, String) {
        self.connect().send(letter)
    }

    /// Hands a message to the `sendmail` command; lines end in LF.
    pub fn sendmail(&self, message: &[u8], arguments: &[&str]) -> Output {
        let mut sendmail = Command::new(program("sendmail", "postfix"));
        sendmail.arg("-C").arg(self.dir.path().join("conf")).args(arguments);
        let mut child = sendmail
            .stdin(Stdio::piped())
            .stderr(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        child.stdin.take().unwrap().write_all(message).unwrap();
        child.wait_with_output().unwrap()
    }

    /// Adds services to master.cf.
    pub fn add(&self, services: &str) {
        let path = self.dir.path().join("conf/master.cf");
        let text = fs::read_to_string(&path).unwrap() + services;
        fs::write(path, text).unwrap();
        assert!(self.run("reload").status.success());
    }

    /// Sets a parameter of main.cf.
    pub fn set(&self, line: &str) {
        let path = self.dir.path().join("conf/main.cf");
        let name = |line: &str| line.split('=').next().unwrap_or_default().trim().to_owned();
        let text = fs::read_to_string(&path).unwrap();
        let others = text.lines().filter(|other| name(other) != name(line));
        let text: String = others.chain([line]).flat_map(|line| [line, "\n"]).collect();
        fs::write(path, text).unwrap();
        assert!(self.run("reload").status.success());
    }

    /// Tries everything in the queue again.
    pub fn flush(&self) {
        self.run("flush");
    }

    /// Messages in the queue.
    pub fn queued(&self) -> usize {
        let mut postqueue = Command::new(program("postqueue", "postfix"));
        let out = postqueue.arg("-c").arg(self.dir.path().join("conf")).arg("-j").output().unwrap();
        out.stdout.iter().filter(|&&byte| byte == b'\n').count()
    }

    pub fn log(&self) -> String {
        fs::read_to_string(self.dir.path().join("maillog")).unwrap_or_default()
    }
}

impl Drop for Postfix {
    fn drop(&mut self) {
        // `postfix abort` may itself wait for a log that nobody reads.
        let pid = fs::read_to_string(self.dir.path().join("queue/pid/master.pid"));
        if let Some(pid) = pid.ok().and_then(|text| text.trim().parse::<u32>().ok()) {
            // The master takes its children with it; whoever does not go is made to.
            kill("TERM", &pid.to_string());
            for _ in 0..250 {
                if !Path::new(&format!("/proc/{pid}")).exists() {
                    break;
                }
                std::thread::sleep(std::time::Duration::from_millis(20));
            }
            kill("KILL", &format!("-{pid}"));
        }
        if std::thread::panicking() {
            eprintln!("-- log of Postfix\n{}", super::daemon::tail(&self.log(), 40));
        }
    }
}

/// The configuration, in which `more` comes last and stands instead of a line of the same name:
/// of a parameter that is there twice every process warns, postlogd too, which then waits for
/// itself to read the warning.
fn main_cf(root: &Path, milters: &str, more: &str) -> String {
    let name = |line: &str| line.split('=').next().unwrap_or_default().trim().to_owned();
    let set: Vec<String> = more.lines().map(name).collect();
    let common = common(root, milters);
    let common = common.lines().filter(|line| !set.contains(&name(line)));
    common.chain(more.lines()).flat_map(|line| [line, "\n"]).collect()
}

fn common(root: &Path, milters: &str) -> String {
    let root = root.display();
    format!(
        "compatibility_level = 3.6
enable_long_queue_ids = yes
queue_directory = {root}/queue
data_directory = {root}/data
maillog_file = {root}/maillog
maillog_file_prefixes = {root}
command_directory = /usr/sbin
daemon_directory = /usr/lib/postfix/sbin
mail_owner = postfix
setgid_group = postdrop
inet_interfaces = loopback-only
inet_protocols = ipv4
myhostname = mx.example.org
mydestination =
mynetworks = 127.0.0.0/8
local_recipient_maps =
alias_maps =
virtual_mailbox_domains = static:all
virtual_mailbox_base = {root}/mail
virtual_mailbox_maps = static:box/
virtual_mailbox_limit = 0
virtual_minimum_uid = 100
virtual_uid_maps = static:65534
virtual_gid_maps = static:65534
message_size_limit = 60000000
smtputf8_enable = yes
smtpd_recipient_restrictions = permit_mynetworks,reject
smtpd_client_connection_count_limit = 0
smtpd_milters = {milters}
milter_default_action = tempfail
minimal_backoff_time = 1s
maximal_backoff_time = 2s
queue_run_delay = 1s
"
    )
}

fn own(path: &Path, user: &str) {
    let done = Command::new("chown").arg(user).arg(path).status().unwrap();
    assert!(done.success(), "tests of real MTAs run as root");
}
