//! A real server of the DNS (nsd) with zones of ours, on loopback.

use std::net::{Ipv4Addr, SocketAddr, UdpSocket};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// Zone files of a small root.
pub struct Zones(pub Vec<(String, String)>);

impl Zones {
    /// `served` have an SOA of their own, `delegated` stand in the root zone only.
    pub fn new(served: &[&str], delegated: &[&str]) -> Zones {
        let soa = |ttl: u32| {
            format!(
                "@ {ttl} IN SOA ns.invalid. h.invalid. 1 7200 3600 86400 1800\n@ {ttl} IN NS ns.invalid.\n"
            )
        };
        let mut root = format!("$ORIGIN .\n{}", soa(1800));
        for name in served.iter().chain(delegated) {
            root.push_str(&format!("{name}. 172800 IN NS ns.{name}.\n"));
        }
        let mut zones = vec![(".".to_owned(), root)];
        for name in served {
            zones.push(((*name).to_owned(), format!("$ORIGIN {name}.\n{}", soa(3600))));
        }
        Zones(zones)
    }

    fn write(&self, directory: &Path, port: u16) {
        let shown = directory.display();
        let mut config = format!(
            "server:\n  ip-address: 127.0.0.1@{port}\n  username: \"\"\n  chroot: \"\"\n  zonesdir: \"{shown}\"\n  \
             database: \"\"\n  pidfile: \"{shown}/pid\"\n  xfrdfile: \"{shown}/xfrd\"\n  \
             zonelistfile: \"{shown}/zones\"\n  xfrdir: \"{shown}\"\n  server-count: 1\n  \
             rrl-ratelimit: 0\nremote-control:\n  control-enable: no\n"
        );
        for (index, (name, text)) in self.0.iter().enumerate() {
            std::fs::write(directory.join(format!("zone{index}")), text).unwrap();
            config.push_str(&format!("zone:\n  name: \"{name}\"\n  zonefile: \"zone{index}\"\n"));
        }
        std::fs::write(directory.join("nsd.conf"), config).unwrap();
    }
}

pub struct Nsd {
    pub address: SocketAddr,
    directory: tempfile::TempDir,
    child: Child,
}

/// An nsd that was stopped, to be started anew at the same place.
pub struct Stopped {
    address: SocketAddr,
    directory: tempfile::TempDir,
}

impl Nsd {
    pub fn start(zones: &Zones) -> Nsd {
        // A port that was free a moment ago; somebody may take it in between.
        for _ in 0..5 {
            let socket = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
            let address = socket.local_addr().unwrap();
            drop(socket);
            let directory = tempfile::tempdir().unwrap();
            if let Some(nsd) = (Stopped { address, directory }).try_again(zones) {
                return nsd;
            }
        }
        panic!("nsd did not start on five ports");
    }

    pub fn stop(mut self) -> Stopped {
        self.end();
        let directory = std::mem::replace(&mut self.directory, tempfile::tempdir().unwrap());
        Stopped { address: self.address, directory }
    }

    pub fn again(self, zones: &Zones) -> Nsd {
        self.stop().again(zones)
    }

    /// SIGTERM to the child, so that its own children end with it.
    fn end(&mut self) {
        let pid = rustix::process::Pid::from_child(&self.child);
        let _ = rustix::process::kill_process(pid, rustix::process::Signal::TERM);
        let _ = self.child.wait();
    }
}

impl Drop for Nsd {
    fn drop(&mut self) {
        self.end();
    }
}

impl Stopped {
    pub fn again(self, zones: &Zones) -> Nsd {
        self.try_again(zones).expect("nsd starts where it ran before")
    }

    fn try_again(self, zones: &Zones) -> Option<Nsd> {
        zones.write(self.directory.path(), self.address.port());
        let log = std::fs::File::create(self.directory.path().join("log")).unwrap();
        let path = ["/usr/sbin/nsd", "/usr/local/sbin/nsd", "/usr/bin/nsd"]
            .into_iter()
            .find(|path| Path::new(path).exists())
            .expect("no nsd here: install the Debian package nsd");
        let child = Command::new(path)
            .arg("-d")
            .arg("-c")
            .arg(self.directory.path().join("nsd.conf"))
            .stdout(Stdio::null())
            .stderr(log)
            .spawn()
            .unwrap();
        let mut nsd = Nsd { address: self.address, directory: self.directory, child };
        for _ in 0..500 {
            if nsd.child.try_wait().unwrap().is_some() {
                let log = std::fs::read_to_string(nsd.directory.path().join("log")).unwrap();
                assert!(log.contains("Address already in use"), "nsd ended:\n{log}");
                return None;
            }
            if answers_root(nsd.address) {
                return Some(nsd);
            }
        }
        panic!("nsd does not answer");
    }
}

/// Whether somebody answers for the root there.
fn answers_root(address: SocketAddr) -> bool {
    let socket = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    socket.set_read_timeout(Some(Duration::from_millis(20))).unwrap();
    let query = [0x12, 0x34, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 6, 0, 1];
    let mut answer = [0; 512];
    // The server is still starting when nothing comes, or the port is closed.
    socket.send_to(&query, address).is_ok()
        && matches!(socket.recv(&mut answer), Ok(length) if length > 12 && answer[3] & 0x0F == 0)
}
