//! The daemon's sockets: those of the configuration and those that systemd has opened.

use std::fs;
use std::io;
use std::time::{Duration, Instant};

use anyhow::{Context, anyhow};
use listenfd::ListenFd;

use crate::config::{Address, Config, Errors, Problem};
use crate::milter::Endpoint;
use crate::milter::endpoint::{Access, Listener};

/// Binds every address before anything else: one that cannot be had ends the start with its
/// reason, but never takes away `inherited` sockets, which MTAs know: with those it is logged.
/// With those, nothing is bound by default either.
///
/// # Errors
/// The first setting by which a socket cannot be had.
pub fn bind(
    config: &Config,
    asked: Asked,
    inherited: Vec<Listener>,
) -> Result<Vec<Listener>, Errors> {
    let mut listeners = inherited;
    let activated = !listeners.is_empty();
    if activated && asked == Asked::Default {
        return Ok(listeners);
    }
    for address in &config.server.listen {
        match bound(config, address) {
            Ok(listener) => listeners.push(listener),
            Err(error) if activated => {
                let error = error.to_string();
                tracing::error!(
                    error,
                    "one address less than configured; the sockets of the service manager serve"
                );
            }
            Err(problem) => return Err(Errors(vec![*problem])),
        }
    }
    Ok(listeners)
}

/// The socket of one address.
fn bound(config: &Config, address: &Address) -> Result<Listener, Box<Problem>> {
    let server = &config.server;
    let group = server.socket_group.as_deref().map(group_id).transpose().map_err(|error| {
        let found = format!("{error:#}");
        Box::new(Problem { found, ..config.problem("server.socket_group", GROUP) })
    })?;
    let endpoint = endpoint(address);
    let access = Access { mode: server.socket_mode.0, group };
    Listener::bind(&endpoint, access).map_err(|error| {
        let found = format!("that it cannot listen at {endpoint}: {error}");
        let expected = "addresses of this host that nobody else listens at";
        Box::new(Problem { found, ..config.problem("server.listen", expected) })
    })
}

const GROUP: &str = "a group of this host (/etc/group)";

/// What keeps the sockets from being had and can be known without having them: a group that is not there,
/// and a directory, which a service manager may yet make.
pub fn foreseen(config: &Config) -> (Vec<Problem>, Vec<Problem>) {
    let group = config.server.socket_group.as_deref();
    let wrong = group.filter(|name| group_id(name).is_err());
    let wrong = wrong.map(|_| config.problem("server.socket_group", GROUP));
    let missing = config.server.listen.iter().filter_map(|address| match address {
        Address::Inet { .. } => None,
        Address::Unix(path) => path
            .parent()
            .filter(|directory| !directory.as_os_str().is_empty() && !directory.is_dir()),
    });
    let missing = missing.map(|directory| {
        let expected = "a socket in a directory that is there (make it, or have RuntimeDirectory= \
                        of the unit make it)";
        let found = format!("no directory {}", directory.display());
        Problem { found, ..config.problem("server.listen", expected) }
    });
    (wrong.into_iter().collect(), missing.collect())
}

/// Whether somebody asked for the addresses to listen at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asked {
    /// They are the built-in ones.
    Default,
    Explicitly,
}

/// An address of the configuration as the milter has it.
pub fn endpoint(address: &Address) -> Endpoint {
    match address {
        Address::Inet { host, port } => Endpoint::Inet { host: host.clone(), port: *port },
        Address::Unix(path) => Endpoint::Unix(path.clone()),
    }
}

/// What to add to Postfix's main.cf.
pub fn introduction(listeners: &[Listener]) -> io::Result<String> {
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

/// Where Postfix keeps its queues on Debian and nearly everywhere, and chroots its smtpd to.
const QUEUE_DIRECTORY: &str = "unix:/var/spool/postfix/";

/// The line for an smtpd in a chroot, which sees the queue directory and TCP, and nothing else.
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

/// Whether the service manager has promised sockets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Promised {
    #[default]
    Nothing,
    /// Without them no MTA would find the filter, whatever else it listens at.
    Sockets,
}

/// There are none. Not a fault of the configuration: the next start may find them.
#[derive(Clone, Copy, Debug, thiserror::Error)]
#[error(
    "--inherited: expected sockets of the service manager (LISTEN_FDS), found none; \
     is linkmilter.socket started?"
)]
pub struct NoSockets;

/// The sockets that systemd has opened.
///
/// # Errors
/// [`NoSockets`] when they were promised; or when one is none that a milter can serve.
pub fn inherited(promised: Promised) -> anyhow::Result<Vec<Listener>> {
    let listeners = taken_over().context("sockets inherited from systemd")?;
    if listeners.is_empty() && promised == Promised::Sockets {
        return Err(NoSockets.into());
    }
    Ok(listeners)
}

fn taken_over() -> io::Result<Vec<Listener>> {
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

/// How long a daemon that cannot start turns MTAs away: as long as one try to start may take
/// from a processor, since systemd starts it again at the next connection.
const TURN_AWAY: Duration = Duration::from_secs(1);

/// Closes the connections that wait in inherited sockets, for a daemon that cannot start: the MTA
/// puts the message off at once (451) instead of waiting, and the socket is not found readable in a
/// circle.
pub fn turn_away(listeners: &[Listener]) {
    let end = Instant::now() + TURN_AWAY;
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
