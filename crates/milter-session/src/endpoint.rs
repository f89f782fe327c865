//! Listen addresses of the milter: `inet:PORT@HOST` and `unix:PATH`, as Sendmail spells them.

use std::fmt;
use std::fs;
use std::io;
use std::net::{TcpListener, ToSocketAddrs};
use std::os::unix::fs::{FileTypeExt, MetadataExt, PermissionsExt, chown};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::SystemTime;

/// A listen address.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Endpoint {
    /// `inet:PORT@HOST`; the host is a name or an address, IPv6 with or without brackets.
    Inet {
        /// A name or an address, without brackets.
        host: String,
        /// TCP port; 0 lets the system choose one.
        port: u16,
    },
    /// `unix:PATH`.
    Unix(PathBuf),
}

impl Default for Endpoint {
    fn default() -> Self {
        Endpoint::Inet { host: "127.0.0.1".to_owned(), port: 8895 }
    }
}

impl fmt::Display for Endpoint {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Endpoint::Inet { host, port } => write!(out, "inet:{port}@{host}"),
            Endpoint::Unix(path) => write!(out, "unix:{}", path.display()),
        }
    }
}

impl Endpoint {
    /// The same address as Postfix spells it in `smtpd_milters`: `inet:HOST:PORT`.
    pub fn postfix(&self) -> String {
        match self {
            Endpoint::Inet { host, port } if host.contains(':') => format!("inet:[{host}]:{port}"),
            Endpoint::Inet { host, port } => format!("inet:{host}:{port}"),
            Endpoint::Unix(path) => format!("unix:{}", path.display()),
        }
    }
}

/// A listen address that cannot be parsed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected inet:PORT@HOST or unix:PATH, found {0:?}")]
pub struct BadEndpoint(String);

impl FromStr for Endpoint {
    type Err = BadEndpoint;

    fn from_str(text: &str) -> Result<Endpoint, BadEndpoint> {
        let bad = || BadEndpoint(text.to_owned());
        match text.split_once(':') {
            Some(("inet" | "inet6", place)) => {
                let (port, host) = place.split_once('@').ok_or_else(bad)?;
                let port = port.parse().map_err(|_| bad())?;
                let host = host.trim_start_matches('[').trim_end_matches(']');
                if host.is_empty() {
                    return Err(bad());
                }
                Ok(Endpoint::Inet { host: host.to_owned(), port })
            }
            Some(("unix" | "local", path)) if !path.is_empty() => {
                Ok(Endpoint::Unix(PathBuf::from(path)))
            }
            _ => Err(bad()),
        }
    }
}

/// Who may connect to a socket file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Access {
    /// Mode of the socket file. 0660 with group `postfix` suits Postfix, whose smtpd is not root.
    pub mode: u32,
    /// Group id of the socket file; `None` keeps the group of the process.
    pub group: Option<u32>,
}

impl Default for Access {
    fn default() -> Self {
        Access { mode: 0o660, group: None }
    }
}

/// A bound socket.
#[derive(Debug)]
pub enum Listener {
    /// A TCP socket.
    Inet(TcpListener),
    /// A Unix socket. Its file is removed at the end if this process created it.
    Unix(UnixListener, Option<SocketFile>),
}

impl Listener {
    /// Binds the address. A socket file without a listener is replaced.
    pub fn bind(endpoint: &Endpoint, access: Access) -> io::Result<Listener> {
        match endpoint {
            Endpoint::Inet { host, port } => {
                let addresses: Vec<_> = (host.as_str(), *port).to_socket_addrs()?.collect();
                let listener = TcpListener::bind(addresses.as_slice())?;
                listener.set_nonblocking(true)?;
                Ok(Listener::Inet(listener))
            }
            Endpoint::Unix(path) => {
                clear_stale(path)?;
                let listener = UnixListener::bind(path)?;
                let file = SocketFile(SocketPlace::of(path.clone())?);
                fs::set_permissions(path, fs::Permissions::from_mode(access.mode))?;
                // Called only if necessary: a hardened systemd unit does not allow this system call.
                if access.group.is_some() {
                    chown(path, None, access.group)?;
                }
                listener.set_nonblocking(true)?;
                Ok(Listener::Unix(listener, Some(file)))
            }
        }
    }

    /// The path of a Unix socket. `None` if it has none that can be looked at.
    pub fn place(&self) -> Option<SocketPlace> {
        match (self, self.endpoint()) {
            (Listener::Unix(_, Some(SocketFile(place))), _) => Some(place.clone()),
            (Listener::Unix(_, None), Ok(Endpoint::Unix(path))) => SocketPlace::of(path).ok(),
            _ => None,
        }
    }

    /// The listen address, with the port that the system chose for port 0.
    pub fn endpoint(&self) -> io::Result<Endpoint> {
        match self {
            Listener::Inet(listener) => {
                let address = listener.local_addr()?;
                Ok(Endpoint::Inet { host: address.ip().to_string(), port: address.port() })
            }
            Listener::Unix(listener, _) => {
                let address = listener.local_addr()?;
                Ok(Endpoint::Unix(address.as_pathname().unwrap_or(Path::new("")).to_owned()))
            }
        }
    }
}

/// A path at which there is a socket, and which socket that is.
#[derive(Clone, Debug)]
pub struct SocketPlace {
    path: PathBuf,
    socket: FileIdentity,
}

/// Device, number and birth of a file. The number of a file that was removed is soon given to another one; not every
/// file system knows when one was born.
type FileIdentity = (u64, u64, Option<SystemTime>);

fn identity(path: &Path) -> io::Result<FileIdentity> {
    let file = fs::symlink_metadata(path)?;
    Ok((file.dev(), file.ino(), file.created().ok()))
}

impl SocketPlace {
    fn of(path: PathBuf) -> io::Result<SocketPlace> {
        Ok(SocketPlace { socket: identity(&path)?, path })
    }

    /// Where it is, or was.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether the socket can still be found at its path: nobody has removed it, or put another file there.
    pub fn is_kept(&self) -> bool {
        match identity(&self.path) {
            Ok(found) => found == self.socket,
            Err(error) => error.kind() != io::ErrorKind::NotFound,
        }
    }
}

/// A socket file that we created; removed when dropped, unless another process has put its own in its place.
#[derive(Debug)]
pub struct SocketFile(SocketPlace);

impl Drop for SocketFile {
    fn drop(&mut self) {
        if self.0.is_kept() {
            let _ = fs::remove_file(self.0.path());
        }
    }
}

/// What stands in the place of a socket, if it is none, in words.
pub fn not_a_socket(path: &Path) -> Option<&'static str> {
    let kind = fs::symlink_metadata(path).ok()?.file_type();
    if kind.is_socket() {
        None
    } else if kind.is_dir() {
        Some("it is a directory")
    } else if kind.is_symlink() {
        Some("it is a symbolic link")
    } else {
        Some("it is a file")
    }
}

/// Removes a socket that refuses connections; anything else in its place is an error.
fn clear_stale(path: &Path) -> io::Result<()> {
    if let Some(what) = not_a_socket(path) {
        return Err(io::Error::new(io::ErrorKind::AlreadyExists, what));
    }
    match fs::symlink_metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(error),
        Ok(_) => match UnixStream::connect(path) {
            Ok(_) => Err(io::Error::new(
                io::ErrorKind::AddrInUse,
                format!("another process already listens at {}", path.display()),
            )),
            Err(_) => fs::remove_file(path),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_read_as_sendmail_spells_them() {
        let inet = |host: &str, port| Endpoint::Inet { host: host.to_owned(), port };
        assert_eq!("inet:8895@127.0.0.1".parse(), Ok(inet("127.0.0.1", 8895)));
        assert_eq!("inet6:8895@[::1]".parse(), Ok(inet("::1", 8895)));
        assert_eq!("unix:/run/l.sock".parse(), Ok(Endpoint::Unix("/run/l.sock".into())));
        assert_eq!(inet("::1", 25).postfix(), "inet:[::1]:25");
        for bad in ["", "8895", "inet:127.0.0.1:8895", "inet:70000@x", "unix:", "inet:1@"] {
            assert!(bad.parse::<Endpoint>().is_err(), "{bad}");
        }
    }

    #[test]
    fn a_stale_socket_is_replaced_and_a_live_one_is_not() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("s");
        let endpoint = Endpoint::Unix(path.clone());
        drop(UnixListener::bind(&path).unwrap());
        let live = Listener::bind(&endpoint, Access::default()).unwrap();
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o660);
        let second = Listener::bind(&endpoint, Access::default()).unwrap_err();
        assert_eq!(second.kind(), io::ErrorKind::AddrInUse);
        drop(live);
        assert!(!path.exists());
        fs::write(&path, "data").unwrap();
        assert!(Listener::bind(&endpoint, Access::default()).is_err());
        assert_eq!(fs::read(&path).unwrap(), b"data");
    }

    #[test]
    fn a_socket_that_another_process_put_in_its_place_is_left_there() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("m.sock");
        let bind = || Listener::bind(&Endpoint::Unix(path.clone()), Access::default()).unwrap();
        let first = bind();
        let place = first.place().unwrap();
        assert!(place.is_kept() && place.path() == path);
        fs::rename(&path, folder.path().join("moved")).unwrap();
        assert!(!place.is_kept());
        let second = bind();
        assert!(!place.is_kept() && second.place().unwrap().is_kept());
        drop(first);
        assert!(path.exists());
        drop(second);
        assert!(!path.exists());
    }
}
