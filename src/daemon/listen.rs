//! The daemon's sockets: those of the configuration, and those that it inherits from systemd.

use std::fs;
use std::io;
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context, anyhow};
use listenfd::ListenFd;

use crate::config::{Config, Errors, Problem};
use crate::file;
use crate::milter::Endpoint;
use crate::milter::endpoint::{Access, Listener, SocketPlace, not_a_socket};

/// Binds every configured address. An address that cannot be bound ends the start, unless there are `inherited`
/// sockets: MTAs know those, so they are served and the error is only logged. With inherited sockets the
/// built-in default addresses are not bound.
///
/// # Errors
/// The first setting because of which a socket cannot be bound.
pub fn bind(
    config: &Config,
    source: ListenSource,
    inherited: Vec<Listener>,
) -> Result<Vec<Listener>, Errors> {
    let mut listeners = inherited;
    let activated = !listeners.is_empty();
    if activated && source == ListenSource::Default {
        return Ok(listeners);
    }
    for endpoint in &config.server.listen {
        match bind_one(config, endpoint) {
            Ok(listener) => listeners.push(listener),
            Err(error) if activated => {
                let error = error.to_string();
                tracing::error!(
                    error,
                    "a configured address cannot be bound; the sockets of the service manager are served"
                );
            }
            Err(problem) => return Err(Errors(vec![*problem])),
        }
    }
    Ok(listeners)
}

/// Binds one address.
fn bind_one(config: &Config, endpoint: &Endpoint) -> Result<Listener, Box<Problem>> {
    let server = &config.server;
    let group = server.socket_group.as_deref().map(group_id).transpose().map_err(|error| {
        let found = format!("{error:#}");
        Box::new(Problem { found, ..config.problem("server.socket_group", EXPECTED_GROUP) })
    })?;
    let access = Access { mode: server.socket_mode.0, group };
    Listener::bind(endpoint, access).map_err(|error| {
        let why = match endpoint {
            Endpoint::Unix(path) => no_place(path),
            Endpoint::Inet { .. } => None,
        };
        let why = why.unwrap_or_else(|| file::reason(&error));
        let said = format!("cannot listen at {endpoint}: {why}");
        Box::new(Problem::plain(config, "server.listen", said))
    })
}

/// Longest path of a socket, in bytes: the system has room for 108, and a NUL ends them.
const SOCKET_PATH_BYTES: usize = 107;

/// Why there can be no socket at this path, if that can be seen.
fn no_place(path: &Path) -> Option<String> {
    let bytes = path.as_os_str().len();
    if bytes > SOCKET_PATH_BYTES {
        return Some(format!(
            "its path has {bytes} bytes, and that of a socket can have {SOCKET_PATH_BYTES}"
        ));
    }
    let directory = path.parent().filter(|directory| !directory.exists())?;
    Some(format!("no directory {}", directory.display()))
}

/// Those of these sockets that are not at their paths any more, as what is to be done about each.
pub fn missing(sockets: &[SocketPlace]) -> Vec<String> {
    let missing = sockets.iter().filter(|socket| !socket.is_kept());
    let text = |socket: &SocketPlace| {
        format!(
            "{}: the socket was removed or replaced while the filter ran: MTAs do not reach it there; restart \
             the filter",
            socket.path().display()
        )
    };
    missing.map(text).collect()
}

const EXPECTED_GROUP: &str = "a group of this host (/etc/group)";

/// What will prevent the sockets from being bound, as far as it is known without binding them: errors for a group
/// that does not exist and for another file in the place of a socket, and warnings for a directory, which a service
/// manager may make later.
pub fn check(config: &Config) -> (Vec<Problem>, Vec<Problem>) {
    let group = config.server.socket_group.as_deref();
    let wrong = group.filter(|name| group_id(name).is_err());
    let wrong = wrong.map(|_| config.problem("server.socket_group", EXPECTED_GROUP));
    let taken = config.server.listen.iter().filter_map(|endpoint| match endpoint {
        Endpoint::Inet { .. } => None,
        Endpoint::Unix(path) => {
            let too_long = || no_place(path).filter(|_| path.as_os_str().len() > SOCKET_PATH_BYTES);
            not_a_socket(path).map(str::to_owned).or_else(too_long).map(|what| (endpoint, what))
        }
    });
    let taken = taken.map(|(endpoint, what)| {
        Problem::plain(config, "server.listen", format!("cannot listen at {endpoint}: {what}"))
    });
    let missing = config.server.listen.iter().filter_map(|endpoint| match endpoint {
        Endpoint::Inet { .. } => None,
        Endpoint::Unix(path) => path
            .parent()
            .filter(|directory| !directory.as_os_str().is_empty() && !directory.is_dir()),
    });
    let missing = missing.map(|directory| {
        let expected = "a socket in a directory that is there (make it, or have RuntimeDirectory= \
                        of the unit make it)";
        let found = format!("no directory {}", directory.display());
        Problem { found, ..config.problem("server.listen", expected) }
    });
    (wrong.into_iter().chain(taken).collect(), missing.collect())
}

/// Where the addresses to listen at come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ListenSource {
    /// They are the built-in ones.
    Default,
    Configured,
}

/// The lines to add to Postfix's main.cf.
pub fn postfix_hint(listeners: &[Listener]) -> io::Result<String> {
    let mut places = Vec::new();
    for listener in listeners {
        places.push(listener.endpoint()?.postfix());
    }
    Ok(format!(
        "linkmilter listens at {}. Add to Postfix's main.cf:\n{}non_smtpd_milters = $smtpd_milters\n",
        places.join(", "),
        for_smtpd(&places)
    ))
}

/// The queue directory of Postfix, on Debian and nearly everywhere. A chrooted smtpd sees nothing outside of it.
const QUEUE_DIRECTORY: &str = "unix:/var/spool/postfix/";

/// The line for an smtpd in a chroot, which reaches only the queue directory and TCP.
fn for_smtpd(places: &[String]) -> String {
    let below = places.iter().find_map(|place| place.strip_prefix(QUEUE_DIRECTORY));
    let tcp = || places.iter().find(|place| place.starts_with("inet"));
    match (below, places.first()) {
        (Some(below), _) => format!("smtpd_milters = unix:{below}\n"),
        (None, Some(first)) => match tcp() {
            Some(tcp) => format!("smtpd_milters = {tcp}\n"),
            None => format!(
                "smtpd_milters = {first}\n\
                 # only where smtpd is not chrooted (the fifth column of master.cf): it sees nothing \
                 outside of\n# the queue directory. Else: --listen {QUEUE_DIRECTORY}linkmilter.sock\n"
            ),
        },
        (None, None) => String::new(),
    }
}

/// Whether sockets from the service manager are required.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Inherited {
    #[default]
    Optional,
    /// Without them no MTA would find the filter, whatever else it listens at.
    Required,
}

/// There are no inherited sockets. The configuration is not wrong: the next start may find them.
#[derive(Clone, Copy, Debug, thiserror::Error)]
#[error(
    "--inherited: expected sockets of the service manager (LISTEN_FDS), found none; \
     is linkmilter.socket started?"
)]
pub struct NoSockets;

/// The sockets that systemd has opened.
///
/// # Errors
/// [`NoSockets`] if they are required and there are none; or one of them is no stream socket.
pub fn inherited(required: Inherited) -> anyhow::Result<Vec<Listener>> {
    let listeners = from_systemd().context("sockets inherited from systemd")?;
    if listeners.is_empty() && required == Inherited::Required {
        return Err(NoSockets.into());
    }
    Ok(listeners)
}

fn from_systemd() -> io::Result<Vec<Listener>> {
    let mut given = ListenFd::from_env();
    let mut listeners = Vec::new();
    for index in 0..given.len() {
        if let Ok(Some(listener)) = given.take_unix_listener(index) {
            listener.set_nonblocking(true)?;
            listeners.push(Listener::Unix(listener, None));
        } else if let Some(listener) = given.take_tcp_listener(index)? {
            listener.set_nonblocking(true)?;
            listeners.push(Listener::Inet(listener));
        }
    }
    Ok(listeners)
}

/// How long a daemon that cannot start closes waiting connections. It may take this much processor time at each
/// attempt, since systemd starts it again at the next connection.
const REJECT_TIME: Duration = Duration::from_secs(1);

/// Closes the connections that wait in inherited sockets, if the daemon cannot start. The MTA then defers the
/// message at once (451) instead of waiting, and systemd does not find the socket readable again and again.
pub fn reject_waiting(listeners: &[Listener]) {
    let end = Instant::now() + REJECT_TIME;
    while !listeners.is_empty() && Instant::now() < end {
        for listener in listeners {
            let _closed = match listener {
                Listener::Inet(listener) => listener.accept().map(drop),
                Listener::Unix(listener, _) => listener.accept().map(drop),
            };
        }
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// The id of a group, from /etc/group.
fn group_id(name: &str) -> anyhow::Result<u32> {
    let groups = fs::read_to_string("/etc/group").context("/etc/group")?;
    groups
        .lines()
        .find_map(|line| {
            let mut fields = line.split(':');
            (fields.next() == Some(name)).then(|| fields.nth(1)?.parse().ok())?
        })
        .ok_or_else(|| anyhow!("{name:?}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hint_names_a_socket_that_a_chrooted_smtpd_sees() {
        for (places, expected) in [
            (
                &["unix:/run/linkmilter.sock", "unix:/var/spool/postfix/linkmilter.sock"][..],
                "unix:linkmilter.sock",
            ),
            (&["unix:/run/linkmilter.sock", "inet:127.0.0.1:8895"], "inet:127.0.0.1:8895"),
            (&["inet:127.0.0.1:8895"], "inet:127.0.0.1:8895"),
        ] {
            let places: Vec<String> = places.iter().map(|place| (*place).to_owned()).collect();
            assert_eq!(for_smtpd(&places), format!("smtpd_milters = {expected}\n"));
        }
        let alone = for_smtpd(&["unix:/run/linkmilter.sock".to_owned()]);
        assert!(alone.starts_with("smtpd_milters = unix:/run/linkmilter.sock\n"), "{alone}");
        assert!(
            alone.contains("chrooted") && alone.contains("unix:/var/spool/postfix/linkmilter.sock")
        );
    }
}
