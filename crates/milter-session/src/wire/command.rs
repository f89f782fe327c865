//! Commands of the MTA and how they are parsed.

use nom::combinator::rest;
use nom::number::complete::{be_u8, be_u16, be_u32};
use nom::{IResult, Parser};

use super::{Actions, Malformed, Packet, Peer, Protocol};

/// A command of the MTA (`SMFIC_*`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command<'b> {
    /// The offer of the MTA, the first command of every connection (`SMFIC_OPTNEG`).
    Negotiate {
        /// Its highest protocol version.
        version: u32,
        /// Actions that it allows.
        actions: Actions,
        /// Commands that it can omit, or to which it needs no reply.
        protocol: Protocol,
    },
    /// Macros of a stage (`SMFIC_MACRO`); names are without braces.
    Macros {
        /// Command byte of the stage.
        stage: u8,
        /// Names and values, in order.
        pairs: Vec<(&'b [u8], &'b [u8])>,
    },
    /// A client has connected to the MTA (`SMFIC_CONNECT`).
    Connect {
        /// Host name of the client, according to the MTA.
        name: &'b [u8],
        /// Address of the client.
        peer: Peer,
    },
    /// The name that the client gave itself (`SMFIC_HELO`).
    Helo(&'b [u8]),
    /// The sender and the ESMTP parameters (`SMFIC_MAIL`).
    Mail {
        /// The reverse path in `<>`; without them from the `sendmail` command.
        address: &'b [u8],
        /// ESMTP parameters, each as spelled: `SIZE=1000`.
        parameters: Vec<&'b [u8]>,
    },
    /// A recipient (`SMFIC_RCPT`).
    Rcpt {
        /// The forward path in `<>`; without them from the `sendmail` command.
        address: &'b [u8],
        /// ESMTP parameters, each as spelled: `NOTIFY=NEVER`.
        parameters: Vec<&'b [u8]>,
    },
    /// The envelope is complete (`SMFIC_DATA`).
    Data,
    /// A header field (`SMFIC_HEADER`), in the order of the message.
    Header {
        /// Name of the field, without its colon.
        name: &'b [u8],
        /// The text after the colon, including folds; with its space if [`Protocol::LEADING_SPACE`] was negotiated.
        value: &'b [u8],
    },
    /// The header is complete (`SMFIC_EOH`).
    EndOfHeaders,
    /// A chunk of the body (`SMFIC_BODY`), normally at most [`CHUNK_BYTES`](super::CHUNK_BYTES).
    Body(&'b [u8]),
    /// The end of the message, perhaps with the last chunk of the body (`SMFIC_BODYEOB`).
    EndOfMessage(&'b [u8]),
    /// The message is aborted; the connection stays open (`SMFIC_ABORT`).
    Abort,
    /// The connection ends (`SMFIC_QUIT`).
    Quit,
    /// Another client's connection follows on the same socket (`SMFIC_QUIT_NC`).
    QuitNewConnection,
    /// An SMTP command that the MTA does not know, as spelled (`SMFIC_UNKNOWN`).
    Unknown(&'b [u8]),
}

impl Command<'_> {
    /// The command byte.
    pub const fn code(&self) -> u8 {
        match self {
            Command::Negotiate { .. } => b'O',
            Command::Macros { .. } => b'D',
            Command::Connect { .. } => b'C',
            Command::Helo(_) => b'H',
            Command::Mail { .. } => b'M',
            Command::Rcpt { .. } => b'R',
            Command::Data => b'T',
            Command::Header { .. } => b'L',
            Command::EndOfHeaders => b'N',
            Command::Body(_) => b'B',
            Command::EndOfMessage(_) => b'E',
            Command::Abort => b'A',
            Command::Quit => b'Q',
            Command::QuitNewConnection => b'K',
            Command::Unknown(_) => b'U',
        }
    }
}

impl<'b> Packet<'b> {
    /// The command in the packet.
    pub fn command(self) -> Result<Command<'b>, Malformed> {
        let data = self.data;
        let malformed =
            |expected| Malformed::Data { code: self.code, length: data.len(), expected };
        let empty = |command| match data {
            [] => Ok(command),
            _ => Err(malformed("no data")),
        };
        match self.code {
            b'O' => negotiate(data).map_err(|_| malformed("three 32-bit numbers")),
            b'D' => Ok(macros(data)),
            b'C' => connect(data).map_err(|_| malformed("a name, a family, a port, an address")),
            b'H' => match string.parse(data) {
                Ok((_, name)) => Ok(Command::Helo(name)),
                Err(_) => Err(malformed("a string")),
            },
            b'M' => path(data)
                .map(|(address, parameters)| Command::Mail { address, parameters })
                .ok_or_else(|| malformed("an address and parameters, each with its NUL")),
            b'R' => path(data)
                .map(|(address, parameters)| Command::Rcpt { address, parameters })
                .ok_or_else(|| malformed("an address and parameters, each with its NUL")),
            b'L' => header(data).map_err(|_| malformed("a name and a value, each with its NUL")),
            b'B' => Ok(Command::Body(data)),
            b'E' => Ok(Command::EndOfMessage(data)),
            b'U' => Ok(Command::Unknown(data)),
            b'T' => empty(Command::Data),
            b'N' => empty(Command::EndOfHeaders),
            b'A' => empty(Command::Abort),
            b'Q' => empty(Command::Quit),
            b'K' => empty(Command::QuitNewConnection),
            code => Err(Malformed::Code(code)),
        }
    }
}

type Failed<'b> = nom::Err<nom::error::Error<&'b [u8]>>;

fn string(input: &[u8]) -> IResult<&[u8], &[u8]> {
    let end = memchr::memchr(0, input);
    let both = end.and_then(|end| Some((input.get(end + 1..)?, input.get(..end)?)));
    both.ok_or_else(|| nom::Err::Error(nom::error::Error::new(input, nom::error::ErrorKind::Tag)))
}

fn negotiate(data: &[u8]) -> Result<Command<'_>, Failed<'_>> {
    let (_, (version, actions, protocol)) = (be_u32, be_u32, be_u32).parse(data)?;
    Ok(Command::Negotiate { version, actions: Actions(actions), protocol: Protocol(protocol) })
}

/// Parses a list of macros. Never fails, since MTAs send lists of odd size, empty ones, without the last NUL, and
/// for unknown commands (rspamd #2005).
fn macros(data: &[u8]) -> Command<'_> {
    let Some((&stage, list)) = data.split_first() else {
        return Command::Macros { stage: 0, pairs: Vec::new() };
    };
    let list = list.strip_suffix(b"\0").unwrap_or(list);
    let mut strings = list.split(|&byte| byte == 0);
    let mut pairs = Vec::new();
    while let (Some(name), Some(value)) = (strings.next(), strings.next()) {
        pairs.push((without_braces(name), value));
    }
    Command::Macros { stage, pairs }
}

fn without_braces(name: &[u8]) -> &[u8] {
    name.strip_prefix(b"{").and_then(|name| name.strip_suffix(b"}")).unwrap_or(name)
}

fn connect(data: &[u8]) -> Result<Command<'_>, Failed<'_>> {
    let (after, (name, family)) = (string, be_u8).parse(data)?;
    let peer = match family {
        b'L' => Peer::Unix(address(after)?.1.to_vec()),
        b'4' | b'6' => {
            let (port, text) = address(after)?;
            inet(text, port)
        }
        _ => Peer::Unknown,
    };
    Ok(Command::Connect { name, peer })
}

fn address(data: &[u8]) -> Result<(u16, &[u8]), Failed<'_>> {
    let (_, address) = (be_u16, string).parse(data)?;
    Ok(address)
}

/// Parses an address; it may have the prefix `IPv6:`.
fn inet(text: &[u8], port: u16) -> Peer {
    let bare = text.strip_prefix(b"IPv6:").unwrap_or(text);
    match std::str::from_utf8(bare).ok().and_then(|text| text.parse().ok()) {
        Some(address) => Peer::Inet { address, port },
        None => Peer::Other(text.to_vec()),
    }
}

fn path(data: &[u8]) -> Option<(&[u8], Vec<&[u8]>)> {
    let mut strings = data.strip_suffix(b"\0")?.split(|&byte| byte == 0);
    Some((strings.next()?, strings.collect()))
}

/// Parses a header field. The value may contain a NUL; only the last one ends it.
fn header(data: &[u8]) -> Result<Command<'_>, Failed<'_>> {
    let (_, (name, value)) = (string, rest).parse(data)?;
    let Some(value) = value.strip_suffix(b"\0") else {
        return Err(nom::Err::Error(nom::error::Error::new(value, nom::error::ErrorKind::Tag)));
    };
    Ok(Command::Header { name, value })
}
