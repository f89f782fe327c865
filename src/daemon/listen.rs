//! The daemon's sockets: those of the configuration and those that systemd has opened.

use std::fs;
use std::io;
use std::time::{Duration, Instant};

use anyhow::{Context, anyhow};
use listenfd::ListenFd;

use crate::config::{Address, Server};
use crate::milter::Endpoint;
use crate::milter::endpoint::{Access, Listener};

/// Binds every address before anything else: one that cannot be had ends the start with its
/// reason, but never takes away `inherited` sockets, which MTAs know: with those it is logged.
/// With those, nothing is bound by default either.
pub fn bind(
    server: &Server,
    asked: Asked,
    inherited: Vec<Listener>,
) -> anyhow::Result<Vec<Listener>> {
    let mut listeners = inherited;
    let activated = !listeners.is_empty();
    if activated && asked == Asked::Default {
        return Ok(listeners);
    }
    let group = server.socket_group.as_deref().map(group_id).transpose();
    for address in &server.listen {
        let endpoint = endpoint(address);
        let bound = match &group {
            Ok(group) => {
                let access = Access { mode: server.socket_mode.0, group: *group };
                Listener::bind(&endpoint, access)
                    .with_context(|| format!("cannot listen at {endpoint}"))
            }
            Err(error) => Err(anyhow!("{error:#}")),
        };
        match bound {
            Ok(listener) => listeners.push(listener),
            Err(error) if activated => {
                let error = format!("{error:#}");
                tracing::error!(
                    error,
                    "one address less than configured; the sockets of the service manager serve"
                );
            }
            Err(error) => return Err(error),
        }
    }
    Ok(listeners)
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
        .ok_or_else(|| {
            anyhow!("server.socket_group: expected a group of this host, found {name:?}")
        })
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
