//! `linkmilter health`.

use std::io::{self, ErrorKind, Read, Write};
use std::net::{TcpStream, ToSocketAddrs};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::sync::mpsc;
use std::time::Duration;

use super::ExitStatus;
use super::shared::{ConfigFile, number};
use crate::config::Config;
use crate::file;
use crate::milter::Endpoint;
use crate::milter::wire::VERSION;

/// The socket of linkmilter.socket. It is used when `server.listen` is not set.
const UNIT_SOCKET: &str = "/run/linkmilter.sock";

/// What an MTA offers that supports everything: all of `SMFIF_*` and of `SMFIP_*`.
const ALL_ACTIONS: u32 = 0x1ff;
const ALL_STEPS: u32 = 0x1f_ffff;

/// Size limit in bytes of an answer of /healthz, which has a line for each problem.
const MAX_ANSWER_BYTES: u64 = 64 << 10;

/// Check whether the filter on this machine accepts mail
///
/// Connects to the first address of server.listen like an MTA (without one, to the socket of
/// linkmilter.socket), and requests /healthz if metrics.listen is set. Exit code 1 when it does not
/// filter. If the configuration is not valid, the addresses are those of the last good one, as for
/// the filter itself: a typing error is no reason to restart a filter that works. For health checks
/// of containers and monitoring.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Check only this address: inet:PORT@HOST or unix:PATH
    #[arg(long, value_name = "ADDRESS")]
    address: Option<Endpoint>,
    /// Timeout in seconds
    #[arg(long, value_name = "SECONDS", allow_hyphen_values = true, default_value = "5", value_parser = |text: &str| number(text, 1..=3600_u64))]
    timeout: u64,
    #[command(flatten)]
    config: ConfigFile,
}

pub fn run(args: Args) -> anyhow::Result<ExitStatus> {
    let mut checks = Vec::new();
    match args.address {
        Some(address) => checks.push((HealthCheck::Milter, address)),
        None => {
            let config = args.config.in_force()?;
            checks.extend(milter(&config).map(|at| (HealthCheck::Milter, at)));
            let metrics = config.metrics.listen.clone();
            checks.extend(metrics.map(|at| (HealthCheck::Metrics, at)));
        }
    }
    let mut answer = ExitStatus::Done;
    let mut out = String::new();
    for (check, at) in checks {
        let at = connect_address(at);
        let place = at.to_string();
        // There is no other timeout for resolving a name and for connecting to a socket.
        let (sender, answered) = mpsc::channel();
        std::thread::spawn(move || sender.send(check.run_check(&at)));
        let result = match answered.recv_timeout(Duration::from_secs(args.timeout)) {
            Ok(Ok(text)) => text,
            Ok(Err(error)) => {
                answer = ExitStatus::Negative;
                why_not(&error)
            }
            Err(_) => {
                answer = ExitStatus::Negative;
                format!("no answer within {} s", args.timeout)
            }
        };
        out.push_str(&format!("{place}: {}\n", result.trim_end().replace('\n', "; ")));
    }
    super::print(&out)?;
    Ok(answer)
}

/// Why nothing was answered, and what to look at.
fn why_not(error: &io::Error) -> String {
    match error.kind() {
        ErrorKind::ConnectionRefused => "nobody listens there: does the filter run?".to_owned(),
        ErrorKind::NotFound => "there is no such socket: does the filter run?".to_owned(),
        ErrorKind::PermissionDenied => "this user may not connect: try again with sudo".to_owned(),
        _ => file::reason(error),
    }
}

/// The milter address of this configuration.
fn milter(config: &Config) -> Option<Endpoint> {
    match !config.is_set("server.listen") && Path::new(UNIT_SOCKET).exists() {
        true => Some(Endpoint::Unix(UNIT_SOCKET.into())),
        false => config.server.listen.first().cloned(),
    }
}

/// A server that listens on all addresses is reached by the loopback address.
fn connect_address(at: Endpoint) -> Endpoint {
    match at {
        Endpoint::Inet { host, port } if host == "0.0.0.0" => {
            Endpoint::Inet { host: "127.0.0.1".to_owned(), port }
        }
        Endpoint::Inet { host, port } if host == "::" => {
            Endpoint::Inet { host: "::1".to_owned(), port }
        }
        at => at,
    }
}

#[derive(Clone, Copy, Debug)]
enum HealthCheck {
    /// Of the milter: does it accept a connection from an MTA?
    Milter,
    /// Of the metrics endpoint: what does it report?
    Metrics,
}

trait MilterStream: Read + Write {}
impl<S: Read + Write> MilterStream for S {}

impl HealthCheck {
    /// Connects and asks. The error says why mail is not filtered.
    fn run_check(self, at: &Endpoint) -> io::Result<String> {
        let mut stream: Box<dyn MilterStream> = match at {
            Endpoint::Unix(path) => Box::new(UnixStream::connect(path)?),
            Endpoint::Inet { host, port } => {
                let places: Vec<_> = (host.as_str(), *port).to_socket_addrs()?.collect();
                Box::new(TcpStream::connect(places.as_slice())?)
            }
        };
        match self {
            HealthCheck::Milter => negotiate(&mut stream),
            HealthCheck::Metrics => get_healthz(&mut stream),
        }
    }
}

/// Negotiates like an MTA, then quits.
fn negotiate(stream: &mut impl MilterStream) -> io::Result<String> {
    let offer = [VERSION, ALL_ACTIONS, ALL_STEPS];
    let mut hello = vec![0, 0, 0, 13, b'O'];
    hello.extend(offer.iter().flat_map(|word| word.to_be_bytes()));
    let mut head = [0; 5];
    // A milter that refuses the connection closes it at once, before or after our packet.
    stream.write_all(&hello).and_then(|()| stream.read_exact(&mut head)).map_err(|error| {
        match error.kind() {
            ErrorKind::UnexpectedEof | ErrorKind::BrokenPipe | ErrorKind::ConnectionReset => {
                io::Error::other("connection refused by the filter: see its log")
            }
            _ => error,
        }
    })?;
    let [.., kind] = head;
    if kind != b'O' {
        return Err(io::Error::other("expected a milter, found something else that listens"));
    }
    // Ignore errors: the milter has already answered.
    let _ = stream.write_all(&[0, 0, 0, 1, b'Q']);
    Ok("takes mail".to_owned())
}

fn get_healthz(stream: &mut impl MilterStream) -> io::Result<String> {
    stream.write_all(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")?;
    let mut answer = String::new();
    stream.take(MAX_ANSWER_BYTES).read_to_string(&mut answer)?;
    let (head, body) = answer.split_once("\r\n\r\n").unwrap_or_default();
    match head.split(' ').nth(1) {
        Some("200") => Ok(body.to_owned()),
        Some("503") => Err(io::Error::other(body.to_owned())),
        _ => Err(io::Error::other("expected /healthz of linkmilter, found another answer")),
    }
}
