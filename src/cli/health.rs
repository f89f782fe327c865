//! `linkmilter health`.

use std::io::{self, ErrorKind, Read, Write};
use std::net::{TcpStream, ToSocketAddrs};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::sync::mpsc;
use std::time::Duration;

use super::Answer;
use super::shared::ConfigFile;
use crate::config::Config;
use crate::daemon::endpoint_of;
use crate::milter::Endpoint;
use crate::milter::wire::VERSION;

/// The socket that linkmilter.socket makes, where nobody configured another.
const UNIT_SOCKET: &str = "/run/linkmilter.sock";

/// What an MTA offers that can do everything: all of `SMFIF_*` and of `SMFIP_*`.
const EVERY_ACTION: u32 = 0x1ff;
const EVERY_STEP: u32 = 0x1f_ffff;

/// Bytes of an answer at most: a line for each thing that is to be mended.
const ANSWER_BYTES: u64 = 64 << 10;

/// Ask the filter that runs here whether it takes mail
///
/// Speaks to the first address of server.listen as an MTA would (where none is configured, to the
/// socket of linkmilter.socket), and asks /healthz where metrics.listen is set. Exit code 1 when it
/// does not filter. While the configuration does not hold, the last good one says where, as for the
/// filter itself: a typing error is no reason to replace a filter that takes mail. For health checks
/// of containers and monitors.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Ask at this address alone: inet:PORT@HOST or unix:PATH
    #[arg(long, value_name = "ADDRESS")]
    address: Option<Endpoint>,
    /// Longest wait for an answer, in seconds
    #[arg(long, value_name = "SECONDS", default_value = "5", value_parser = clap::value_parser!(u64).range(1..=3600))]
    timeout: u64,
    #[command(flatten)]
    config: ConfigFile,
}

pub fn run(args: Args) -> anyhow::Result<Answer> {
    let mut questions = Vec::new();
    match args.address {
        Some(address) => questions.push((Question::Mail, address)),
        None => {
            let config = args.config.in_force()?;
            questions.extend(milter(&config).map(|at| (Question::Mail, at)));
            let metrics = config.metrics.listen.as_ref().map(endpoint_of);
            questions.extend(metrics.map(|at| (Question::Report, at)));
        }
    }
    let mut answer = Answer::Done;
    let mut out = String::new();
    for (question, at) in questions {
        let at = reachable(at);
        let place = at.to_string();
        // Resolving a name and connecting to a socket cannot be bounded otherwise.
        let (sender, answered) = mpsc::channel();
        std::thread::spawn(move || sender.send(question.ask(&at)));
        let said = match answered.recv_timeout(Duration::from_secs(args.timeout)) {
            Ok(Ok(said)) => said,
            Ok(Err(error)) => {
                answer = Answer::No;
                error.to_string()
            }
            Err(_) => {
                answer = Answer::No;
                format!("no answer within {} s", args.timeout)
            }
        };
        out.push_str(&format!("{place}: {}\n", said.trim_end().replace('\n', "; ")));
    }
    super::print(&out)?;
    Ok(answer)
}

/// Where this configuration takes mail.
fn milter(config: &Config) -> Option<Endpoint> {
    match !config.is_set("server.listen") && Path::new(UNIT_SOCKET).exists() {
        true => Some(Endpoint::Unix(UNIT_SOCKET.into())),
        false => config.server.listen.first().map(endpoint_of),
    }
}

/// Who listens at all addresses is reached at the nearest.
fn reachable(at: Endpoint) -> Endpoint {
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
enum Question {
    /// Of the milter: does it take a connection as an MTA makes it?
    Mail,
    /// Of the endpoint of metrics: what does it say of itself?
    Report,
}

trait Stream: Read + Write {}
impl<S: Read + Write> Stream for S {}

impl Question {
    /// What is said in answer; an error says why mail is not filtered.
    fn ask(self, at: &Endpoint) -> io::Result<String> {
        let mut stream: Box<dyn Stream> = match at {
            Endpoint::Unix(path) => Box::new(UnixStream::connect(path)?),
            Endpoint::Inet { host, port } => {
                let places: Vec<_> = (host.as_str(), *port).to_socket_addrs()?.collect();
                Box::new(TcpStream::connect(places.as_slice())?)
            }
        };
        match self {
            Question::Mail => negotiate(&mut stream),
            Question::Report => report(&mut stream),
        }
    }
}

/// The first words of every milter connection, then the last ones.
fn negotiate(stream: &mut impl Stream) -> io::Result<String> {
    let offer = [VERSION, EVERY_ACTION, EVERY_STEP];
    let mut hello = vec![0, 0, 0, 13, b'O'];
    hello.extend(offer.iter().flat_map(|word| word.to_be_bytes()));
    let mut head = [0; 5];
    // Who turns everybody away closes at once, before our words or behind them.
    stream.write_all(&hello).and_then(|()| stream.read_exact(&mut head)).map_err(|error| {
        match error.kind() {
            ErrorKind::UnexpectedEof | ErrorKind::BrokenPipe | ErrorKind::ConnectionReset => {
                io::Error::other("turned away: see the log of the filter")
            }
            _ => error,
        }
    })?;
    let [.., kind] = head;
    if kind != b'O' {
        return Err(io::Error::other("expected a milter, found something else that listens"));
    }
    // It may have gone already; it has answered.
    let _ = stream.write_all(&[0, 0, 0, 1, b'Q']);
    Ok("takes mail".to_owned())
}

fn report(stream: &mut impl Stream) -> io::Result<String> {
    stream.write_all(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")?;
    let mut answer = String::new();
    stream.take(ANSWER_BYTES).read_to_string(&mut answer)?;
    let (head, body) = answer.split_once("\r\n\r\n").unwrap_or_default();
    match head.split(' ').nth(1) {
        Some("200") => Ok(body.to_owned()),
        Some("503") => Err(io::Error::other(body.to_owned())),
        _ => Err(io::Error::other("expected /healthz of linkmilter, found another answer")),
    }
}
