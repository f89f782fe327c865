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
use nom::number::complete::{be_u8, be_u32};
use nom::{IResult, Parser};

mod command;
mod reply;

pub use command::Command;
pub use reply::{OpenPacket, Reply, body_chunk};

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
