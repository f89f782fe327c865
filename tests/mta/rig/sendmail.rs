//! A real Sendmail, unpacked aside, in a mount and host name space of its own.

use std::fs;
use std::io::Write;
use std::net::TcpStream;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use super::mailbox::Mailbox;
use super::smtp::{Letter, Smtp};
use super::{free_port, open_dir, open_up, program, wait_for};

/// A running Sendmail; killed when dropped.
pub struct Sendmail {
    child: Child,
    dir: tempfile::TempDir,
    port: u16,
}

/// Where `tests/mta/unpack-sendmail` puts it.
fn unpacked() -> PathBuf {
    let root = Path::new(env!("CARGO_TARGET_TMPDIR")).join("sendmail");
    assert!(root.join("ready").exists(), "Sendmail is missing: run tests/mta/unpack-sendmail");
    root
}

impl Sendmail {
    /// With the filter at this address, as sendmail spells it.
    pub fn start(milter: &str) -> Sendmail {
        let (dir, port, root) = (open_dir(), free_port(), unpacked());
        let home = dir.path();
        for sub in ["queue", "mail", "mail/new", "mail/tmp"] {
            fs::create_dir(home.join(sub)).unwrap();
            open_up(&home.join(sub));
        }
        // Delivery runs as the recipient or as mailnull.
        for sub in ["mail/new", "mail/tmp"] {
            fs::set_permissions(home.join(sub), fs::Permissions::from_mode(0o777)).unwrap();
        }
        let deliver = home.join("deliver");
        fs::write(&deliver, deliver_script(&home.join("mail"))).unwrap();
        fs::set_permissions(&deliver, fs::Permissions::from_mode(0o755)).unwrap();
        fs::write(home.join("hosts"), "127.0.0.1 localhost mx.example.org mx\n").unwrap();
        let names =
            "passwd: files\ngroup: files\nhosts: files\nservices: files\nprotocols: files\n";
        fs::write(home.join("nsswitch.conf"), names).unwrap();
        fs::write(home.join("sendmail.cf"), configuration(&root, home, port, milter)).unwrap();
        let script = format!(
            "hostname mx.example.org && mount --bind {home}/hosts /etc/hosts && \
             mount --bind {home}/nsswitch.conf /etc/nsswitch.conf && \
             LD_LIBRARY_PATH=$(echo {root}/usr/lib/*-linux-gnu*) \
             exec {root}/usr/libexec/sendmail/sendmail -C {home}/sendmail.cf -bD -X {home}/traffic",
            home = home.display(),
            root = root.display(),
        );
        let out = fs::File::create(home.join("out")).unwrap();
        let child = Command::new(program("unshare", "util-linux"))
            .args(["-m", "-u", "sh", "-c", &script])
            .stdin(Stdio::null())
            .stdout(out.try_clone().unwrap())
            .stderr(out)
            .spawn()
            .unwrap();
        let sendmail = Sendmail { child, dir, port };
        wait_for("Sendmail", || TcpStream::connect(("127.0.0.1", port)).ok());
        sendmail
    }

    pub fn send(&self, letter: &Letter<'_>) -> (u16, String) {
        Smtp::connect(self.port).send(letter)
    }

    pub fn connect(&self) -> Smtp {
        Smtp::connect(self.port)
    }

    pub fn mailbox(&self) -> Mailbox {
        Mailbox { path: self.dir.path().join("mail") }
    }

    /// Files of messages that are held or wait.
    pub fn queued(&self) -> Vec<String> {
        let entries = fs::read_dir(self.dir.path().join("queue")).unwrap();
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
    }
}

impl Drop for Sendmail {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        if std::thread::panicking() {
            for file in ["out", "traffic"] {
                let bytes = fs::read(self.dir.path().join(file)).unwrap_or_default();
                let text = String::from_utf8_lossy(&bytes);
                eprintln!("-- {file} of Sendmail\n{}", super::daemon::tail(&text, 40));
            }
        }
    }
}

/// Delivers as Maildir does: a file appears when it is whole.
fn deliver_script(mailbox: &Path) -> String {
    let mailbox = mailbox.display();
    format!("#!/bin/sh\ncat > {mailbox}/tmp/$$ && mv {mailbox}/tmp/$$ {mailbox}/new/$$\n")
}

fn configuration(root: &Path, home: &Path, port: u16, milter: &str) -> String {
    let (cf, home) = (root.join("usr/share/sendmail/cf"), home.display());
    let source = format!(
        "define(`_CF_DIR_', `{cf}/')dnl
include(`{cf}/m4/cf.m4')dnl
OSTYPE(`linux')dnl
define(`QUEUE_DIR', `{home}/queue')dnl
define(`confPID_FILE', `{home}/pid')dnl
define(`STATUS_FILE', `{home}/statistics')dnl
define(`confDONT_BLAME_SENDMAIL', `GroupWritableDirPathSafe')dnl
define(`confDONT_PROBE_INTERFACES', `True')dnl
define(`confDOMAIN_NAME', `mx.example.org')dnl
define(`confDELIVERY_MODE', `interactive')dnl
define(`confQUEUE_LA', `100000')dnl
define(`confREFUSE_LA', `100000')dnl
define(`confTO_IDENT', `0')dnl
define(`confCW_FILE', `')dnl
define(`LOCAL_MAILER_PATH', `{home}/deliver')dnl
define(`LOCAL_MAILER_ARGS', `deliver $u')dnl
define(`LOCAL_MAILER_FLAGS', `S9')dnl
FEATURE(`accept_unresolvable_domains')dnl
FEATURE(`accept_unqualified_senders')dnl
FEATURE(`nocanonify')dnl
FEATURE(`no_default_msa')dnl
LOCAL_DOMAIN(`example.org')dnl
DAEMON_OPTIONS(`Port={port}, Addr=127.0.0.1, Name=MTA')dnl
INPUT_MAIL_FILTER(`linkmilter', `S={milter}, F=T, T=S:30s;R:30s;E:5m')dnl
MAILER(`local')dnl
MAILER(`smtp')dnl
",
        cf = cf.display(),
    );
    let mut m4 = Command::new(root.join("usr/bin/m4"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    m4.stdin.take().unwrap().write_all(source.as_bytes()).unwrap();
    let text = String::from_utf8(m4.wait_with_output().unwrap().stdout).unwrap();
    // Recipients are neither aliases nor users of this host, and no file or program.
    let flags = "F=lsDFMAw5:/|@q";
    assert!(text.contains(flags), "{text}");
    text.replace(flags, "F=lsDFMq")
}
