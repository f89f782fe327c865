//! Packets of the milter protocol: parsed with nom, encoded by hand.
//!
//! A packet is a length (four bytes, big endian, counting the command byte), a command byte and
//! data. Strings end in a NUL. The names are those of libmilter's `mfdef.h`.
//!
//! | `mfdef.h` | here |
//! | --- | --- |
//! | `SMFIC_*` | [`Command`] |
//! | `SMFIR_*` | [`Reply`] |
//! | `SMFIF_*` | [`Actions`] |
//! | `SMFIP_*` | [`Protocol`] |
//! | `SMFIA_*` | [`Peer`] |
//! | `SMFIM_*` | [`Stage`] |
//! | `MILTER_CHUNK_SIZE` | [`CHUNK_BYTES`] |

use std::fmt;
use std::net::IpAddr;

use nom::bytes::complete::take;
use nom::combinator::rest;
use nom::number::complete::{be_u8, be_u16, be_u32};
use nom::{IResult, Parser};

/// The highest protocol version.
pub const VERSION: u32 = 6;

/// Most bytes of a body in one packet (`MILTER_CHUNK_SIZE`).
pub const CHUNK_BYTES: usize = 65_535;

/// Most bytes of a packet that is read: the largest size that an MTA can negotiate
/// (`SMFIP_MDS_1M`) and the command byte. We ask only for the default of 64 KiB, but Sendmail's
/// macros and long header fields may exceed it.
pub const PACKET_BYTES: usize = (1 << 20) + 1;

macro_rules! flags {
    ($(#[$doc:meta])* $name:ident { $($(#[$fdoc:meta])* $flag:ident = $bits:literal;)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        pub struct $name(pub u32);

        impl $name {
            $($(#[$fdoc])* pub const $flag: $name = $name($bits);)*

            /// Whether every bit of `other` is set.
            pub const fn has(self, other: $name) -> bool {
                self.0 & other.0 == other.0
            }

            /// The bits that are set in either.
            #[must_use]
            pub const fn with(self, other: $name) -> $name {
                $name(self.0 | other.0)
            }

            /// The bits that are set in both.
            #[must_use]
            pub const fn common(self, other: $name) -> $name {
                $name(self.0 & other.0)
            }
        }
    };
}

flags! {
    /// Actions that a filter may perform (`SMFIF_*`).
    Actions {
        /// Header fields may be added.
        ADD_HEADERS = 0x001;
        /// The body may be replaced.
        CHANGE_BODY = 0x002;
        /// Header fields may be changed and deleted.
        CHANGE_HEADERS = 0x010;
        /// The message may be quarantined.
        QUARANTINE = 0x020;
        /// The filter may ask for macros.
        SET_MACROS = 0x100;
    }
}

flags! {
    /// Commands that the MTA omits, and those to which it expects no reply (`SMFIP_*`).
    Protocol {
        /// CONNECT is omitted.
        NO_CONNECT = 0x0000_0001;
        /// HELO is omitted.
        NO_HELO = 0x0000_0002;
        /// MAIL is omitted.
        NO_MAIL = 0x0000_0004;
        /// RCPT is omitted.
        NO_RCPT = 0x0000_0008;
        /// BODY is omitted.
        NO_BODY = 0x0000_0010;
        /// HEADER is omitted.
        NO_HEADERS = 0x0000_0020;
        /// EOH is omitted.
        NO_EOH = 0x0000_0040;
        /// HEADER needs no reply.
        NR_HEADER = 0x0000_0080;
        /// UNKNOWN is omitted.
        NO_UNKNOWN = 0x0000_0100;
        /// DATA is omitted.
        NO_DATA = 0x0000_0200;
        /// The filter may skip the rest of the body.
        SKIP = 0x0000_0400;
        /// Recipients that the MTA refused are sent as well.
        RCPT_REJECTED = 0x0000_0800;
        /// CONNECT needs no reply.
        NR_CONNECT = 0x0000_1000;
        /// HELO needs no reply.
        NR_HELO = 0x0000_2000;
        /// MAIL needs no reply.
        NR_MAIL = 0x0000_4000;
        /// RCPT needs no reply.
        NR_RCPT = 0x0000_8000;
        /// DATA needs no reply.
        NR_DATA = 0x0001_0000;
        /// UNKNOWN needs no reply.
        NR_UNKNOWN = 0x0002_0000;
        /// EOH needs no reply.
        NR_EOH = 0x0004_0000;
        /// BODY needs no reply.
        NR_BODY = 0x0008_0000;
        /// The space after a header field's colon is passed unchanged, in both directions.
        LEADING_SPACE = 0x0010_0000;
    }
}

/// A stage for which macros can be asked (`SMFIM_*`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Stage {
    /// The client has connected (`SMFIM_CONNECT`).
    Connect = 0,
    /// HELO or EHLO (`SMFIM_HELO`).
    Helo = 1,
    /// MAIL FROM (`SMFIM_ENVFROM`).
    Mail = 2,
    /// RCPT TO (`SMFIM_ENVRCPT`).
    Rcpt = 3,
    /// DATA (`SMFIM_DATA`).
    Data = 4,
    /// The body has ended (`SMFIM_EOM`).
    EndOfMessage = 5,
    /// The header has ended (`SMFIM_EOH`).
    EndOfHeaders = 6,
}

/// The client of the MTA (`SMFIA_*`).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Peer {
    /// Not known (`SMFIA_UNKNOWN`).
    #[default]
    Unknown,
    /// Path of a Unix socket (`SMFIA_UNIX`).
    Unix(Vec<u8>),
    /// TCP over IPv4 or IPv6 (`SMFIA_INET`, `SMFIA_INET6`).
    Inet {
        /// Address of the client.
        address: IpAddr,
        /// Its TCP port; 0 if the MTA does not know it.
        port: u16,
    },
    /// An address that cannot be parsed, as the MTA spells it.
    Other(Vec<u8>),
}

/// A packet: its command byte and its data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Packet<'b> {
    /// Command byte (`SMFIC_*`).
    pub code: u8,
    /// The bytes after the command byte; their form depends on the command.
    pub data: &'b [u8],
}

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
    /// A chunk of the body (`SMFIC_BODY`), normally at most [`CHUNK_BYTES`].
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

/// The name of a command byte, for errors and logs.
pub const fn command_name(code: u8) -> &'static str {
    match code {
        b'O' => "OPTNEG",
        b'D' => "MACRO",
        b'C' => "CONNECT",
        b'H' => "HELO",
        b'M' => "MAIL",
        b'R' => "RCPT",
        b'T' => "DATA",
        b'L' => "HEADER",
        b'N' => "EOH",
        b'B' => "BODY",
        b'E' => "BODYEOB",
        b'A' => "ABORT",
        b'Q' => "QUIT",
        b'K' => "QUIT_NC",
        b'U' => "UNKNOWN",
        _ => "no command",
    }
}

/// Why bytes are not a packet, or a packet is not a command.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Malformed {
    /// The length of a packet, which is out of bounds.
    #[error("expected a packet of 1 to {PACKET_BYTES} bytes, found a length of {0}")]
    Length(u32),
    /// A command byte that the protocol does not have.
    #[error("expected a command of the protocol, found byte {0:#04x}")]
    Code(u8),
    /// A known command whose data cannot be parsed.
    #[error("{} packet of {length} bytes: expected {expected}", command_name(*.code))]
    Data {
        /// Its command byte.
        code: u8,
        /// Number of bytes after the command byte.
        length: usize,
        /// The expected data, in words.
        expected: &'static str,
    },
}

/// The first packet in the buffer and its length with prefix, or `None` if it is incomplete.
pub fn packet(buffer: &[u8]) -> Result<Option<(Packet<'_>, usize)>, Malformed> {
    let Ok((after, length)) = be_u32::<_, nom::error::Error<&[u8]>>(buffer) else {
        return Ok(None);
    };
    let size = length as usize;
    if size == 0 || size > PACKET_BYTES {
        return Err(Malformed::Length(length));
    }
    let whole: IResult<&[u8], (u8, &[u8])> = (be_u8, take(size - 1)).parse(after);
    Ok(whole.ok().map(|(_, (code, data))| (Packet { code, data }, size + 4)))
}

/// Bytes that are missing for the first packet in the buffer, as far as known.
pub fn missing(buffer: &[u8]) -> usize {
    match be_u32::<_, nom::error::Error<&[u8]>>(buffer) {
        Ok((after, length)) => (length as usize).min(PACKET_BYTES).saturating_sub(after.len()),
        Err(_) => 4 - buffer.len().min(4),
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

/// A reply of the filter (`SMFIR_*`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reply<'r> {
    /// The part of the MTA's offer that the filter accepts (`SMFIC_OPTNEG`).
    Negotiate {
        /// The protocol version to use.
        version: u32,
        /// Actions that the filter may perform.
        actions: Actions,
        /// Commands that the MTA must omit, and those to which it gets no reply.
        protocol: Protocol,
        /// Requested macros by stage; names are separated by spaces.
        macros: &'r [(Stage, &'r str)],
    },
    /// Continue with the message (`SMFIR_CONTINUE`).
    Continue,
    /// Deliver the message, send no more commands for it (`SMFIR_ACCEPT`).
    Accept,
    /// Accept the message and discard it (`SMFIR_DISCARD`).
    Discard,
    /// Reject it, 5xx (`SMFIR_REJECT`).
    Reject,
    /// Defer it, 4xx (`SMFIR_TEMPFAIL`).
    Tempfail,
    /// An SMTP reply: code, enhanced code, text (`SMFIR_REPLYCODE`).
    ReplyCode(&'r str),
    /// Quarantine it for this reason, which has no NUL (`SMFIR_QUARANTINE`).
    Quarantine(&'r str),
    /// Add a field below all others (`SMFIR_ADDHEADER`).
    AddHeader {
        /// Name of the field, without its colon.
        name: &'r [u8],
        /// Behind the colon, lines joined by LF and an indentation.
        value: &'r [u8],
    },
    /// Insert a field before the one at this position, from 0 (`SMFIR_INSHEADER`).
    InsertHeader {
        /// Number of fields above it.
        position: u32,
        /// Name of the field, without its colon.
        name: &'r [u8],
        /// Behind the colon, lines joined by LF and an indentation.
        value: &'r [u8],
    },
    /// Change the field with this name and index; an empty value deletes it (`SMFIR_CHGHEADER`).
    ChangeHeader {
        /// Which of the fields of that name, from 1, counted from the top.
        index: u32,
        /// Name of the field, without its colon.
        name: &'r [u8],
        /// Behind the colon, lines joined by LF and an indentation.
        value: &'r [u8],
    },
    /// A chunk of the new body, at most [`CHUNK_BYTES`] (`SMFIR_REPLBODY`).
    ReplaceBody(&'r [u8]),
}

impl Reply<'_> {
    /// Appends the packet.
    pub fn encode(&self, out: &mut Vec<u8>) {
        match self {
            Reply::Negotiate { version, actions, protocol, macros } => frame(out, b'O', |out| {
                for number in [*version, actions.0, protocol.0] {
                    out.extend_from_slice(&number.to_be_bytes());
                }
                for (stage, names) in *macros {
                    out.extend_from_slice(&(*stage as u32).to_be_bytes());
                    text(out, names.as_bytes());
                }
            }),
            Reply::Continue => frame(out, b'c', |_| ()),
            Reply::Accept => frame(out, b'a', |_| ()),
            Reply::Discard => frame(out, b'd', |_| ()),
            Reply::Reject => frame(out, b'r', |_| ()),
            Reply::Tempfail => frame(out, b't', |_| ()),
            Reply::ReplyCode(line) => frame(out, b'y', |out| text(out, line.as_bytes())),
            Reply::Quarantine(reason) => frame(out, b'q', |out| text(out, reason.as_bytes())),
            Reply::AddHeader { name, value } => frame(out, b'h', |out| field(out, name, value)),
            Reply::InsertHeader { position, name, value } => frame(out, b'i', |out| {
                out.extend_from_slice(&position.to_be_bytes());
                field(out, name, value);
            }),
            Reply::ChangeHeader { index, name, value } => frame(out, b'm', |out| {
                out.extend_from_slice(&index.to_be_bytes());
                field(out, name, value);
            }),
            Reply::ReplaceBody(chunk) => frame(out, b'b', |out| out.extend_from_slice(chunk)),
        }
    }
}

/// Appends a packet; `fill` appends its data.
fn frame(out: &mut Vec<u8>, code: u8, fill: impl FnOnce(&mut Vec<u8>)) {
    let open = OpenPacket::new(out, code);
    fill(out);
    open.set_length(out);
}

/// A packet whose data is still being appended.
#[derive(Debug)]
pub struct OpenPacket {
    start: usize,
}

/// Begins a `SMFIR_REPLBODY` packet; the caller appends at most [`CHUNK_BYTES`] and calls [`OpenPacket::close`].
pub fn body_chunk(out: &mut Vec<u8>) -> OpenPacket {
    OpenPacket::new(out, b'b')
}

impl OpenPacket {
    fn new(out: &mut Vec<u8>, code: u8) -> OpenPacket {
        let start = out.len();
        out.extend_from_slice(&[0, 0, 0, 0, code]);
        OpenPacket { start }
    }

    /// Sets the length of the packet. If it has no data, removes it and returns false.
    pub fn close(self, out: &mut Vec<u8>) -> bool {
        if out.len() == self.start + 5 {
            out.truncate(self.start);
            return false;
        }
        self.set_length(out);
        true
    }

    fn set_length(&self, out: &mut [u8]) {
        let length = u32::try_from(out.len() - self.start - 4).unwrap_or(u32::MAX);
        if let Some(place) = out.get_mut(self.start..self.start + 4) {
            place.copy_from_slice(&length.to_be_bytes());
        }
    }
}

fn field(out: &mut Vec<u8>, name: &[u8], value: &[u8]) {
    text(out, name);
    text(out, value);
}

/// Appends a string and its NUL; a NUL inside would end it early and is omitted.
fn text(out: &mut Vec<u8>, bytes: &[u8]) {
    out.extend(bytes.iter().copied().filter(|&byte| byte != 0));
    out.push(0);
}

impl fmt::Display for Peer {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Peer::Unknown => out.write_str("unknown"),
            Peer::Unix(_) => out.write_str("unix"),
            Peer::Inet { address, .. } => address.fmt(out),
            Peer::Other(text) => out.write_str(&text.escape_ascii().to_string()),
        }
    }
}
