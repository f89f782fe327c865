//! A Dovecot of its own (2.3, as Debian 12 has it).

use std::fs;
use std::net::TcpStream;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use super::{free_port, wait_for};

pub const PASSWORD: &str = "s3cret-word";

pub struct Dovecot {
    pub dir: tempfile::TempDir,
    pub port: u16,
    pub tls_port: u16,
    master: Child,
}

impl Dovecot {
    /// `store` is how mail is kept: `maildir`, `mdbox`, `sdbox`.
    pub fn start(store: &str) -> Dovecot {
        Dovecot::with(store, |_| String::new())
    }

    /// With more lines of its configuration, made for the folder that it is in.
    pub fn with(store: &str, more: impl Fn(&str) -> String) -> Dovecot {
        let dir = tempfile::Builder::new().prefix("dovecot").tempdir().unwrap();
        fs::set_permissions(dir.path(), fs::Permissions::from_mode(0o755)).unwrap();
        let (port, tls_port) = (free_port(), free_port());
        let root = dir.path().to_str().unwrap();
        let made = rcgen::generate_simple_self_signed(vec!["localhost".to_owned()]).unwrap();
        fs::write(dir.path().join("cert.pem"), made.cert.pem()).unwrap();
        fs::write(dir.path().join("key.pem"), made.signing_key.serialize_pem()).unwrap();
        fs::create_dir(dir.path().join("mail")).unwrap();
        // Mail is never read as root; somebody who is not root keeps it himself.
        let am_root = named("-u") == "0";
        let owner = if am_root { "nobody".to_owned() } else { named("-un") };
        let group = if am_root { "nogroup".to_owned() } else { named("-gn") };
        if am_root {
            let status = Command::new("chown")
                .args([&format!("{owner}:{group}"), &format!("{root}/mail")])
                .status();
            assert!(status.unwrap().success());
        }
        let config = format!(
            "base_dir = {root}/run\nstate_dir = {root}/state\nlog_path = {root}/log\n\
             protocols = imap\nlisten = 127.0.0.1\nfirst_valid_uid = 1\n\
             mail_location = {store}:{root}/mail/%u\nmail_fsync = never\n\
             mail_uid = {owner}\nmail_gid = {group}\n{users}\
             disable_plaintext_auth = no\nssl = yes\n\
             ssl_cert = <{root}/cert.pem\nssl_key = <{root}/key.pem\n\
             passdb {{\n driver = static\n args = \"password={PASSWORD}\"\n}}\n\
             userdb {{\n driver = static\n args = uid={owner} gid={group} home={root}/mail/%u\n}}\n\
             service imap-login {{\n chroot =\n inet_listener imap {{\n  port = {port}\n }}\n\
              inet_listener imaps {{\n  port = {tls_port}\n  ssl = yes\n }}\n}}\n\
             service anvil {{\n chroot =\n}}\n{more}",
            more = more(root),
            users = match am_root {
                true => String::new(),
                false => format!("default_internal_user = {owner}\ndefault_login_user = {owner}\n"),
            },
        );
        let path = dir.path().join("dovecot.conf");
        fs::write(&path, config).unwrap();
        let master = Command::new("dovecot")
            .arg("-F")
            .arg("-c")
            .arg(&path)
            .stdout(Stdio::null())
            .stderr(fs::File::create(dir.path().join("stderr")).unwrap())
            .spawn()
            .expect("Dovecot (Debian: dovecot-imapd)");
        let dovecot = Dovecot { dir, port, tls_port, master };
        wait_for("Dovecot", || TcpStream::connect(("127.0.0.1", port)).ok());
        dovecot
    }

    pub fn log(&self) -> String {
        let read = |name: &str| fs::read_to_string(self.dir.path().join(name)).unwrap_or_default();
        read("stderr") + &read("log")
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }
}

impl Drop for Dovecot {
    fn drop(&mut self) {
        let _ = Command::new("kill").arg(self.master.id().to_string()).status();
        let _ = self.master.wait();
        if std::thread::panicking() {
            eprintln!("{}", self.log());
        }
    }
}

fn named(option: &str) -> String {
    let output = Command::new("id").arg(option).output().unwrap();
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}
