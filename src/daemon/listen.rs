//! The daemon's sockets: those of the configuration and those that systemd has opened.

use std::fs;
use std::io;

use anyhow::{Context, anyhow};
use listenfd::ListenFd;

use crate::config::{Address, Server};
use crate::milter::Endpoint;
use crate::milter::endpoint::{Access, Listener};

/// Binds every address before anything else: one that cannot be had ends the start with its
/// reason. Sockets inherited from systemd come on top; with those, nothing is bound by default.
pub fn bind(server: &Server, asked: Asked) -> anyhow::Result<Vec<Listener>> {
    let mut listeners = inherited().context("sockets inherited from systemd")?;
    if !listeners.is_empty() && asked == Asked::Default {
        return Ok(listeners);
    }
    let group = server.socket_group.as_deref().map(group_id).transpose()?;
    let access = Access { mode: server.socket_mode.0, group };
    for address in &server.listen {
        let endpoint = endpoint(address);
        let listener = Listener::bind(&endpoint, access)
            .with_context(|| format!("cannot listen at {endpoint}"))?;
        listeners.push(listener);
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
    let first = places.first().map(String::as_str).unwrap_or_default();
    Ok(format!(
        "linkmilter listens at {}. Add to Postfix's main.cf:\n\
         smtpd_milters = {first}\n\
         non_smtpd_milters = $smtpd_milters\n",
        places.join(", ")
    ))
}

fn inherited() -> io::Result<Vec<Listener>> {
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
