//! Replies of the filter and how they are encoded.

use super::{Actions, Protocol, Stage};

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
    /// A chunk of the new body, at most [`CHUNK_BYTES`](super::CHUNK_BYTES) (`SMFIR_REPLBODY`).
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

/// Begins a `SMFIR_REPLBODY` packet; the caller appends at most [`CHUNK_BYTES`](super::CHUNK_BYTES) and calls [`OpenPacket::close`].
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
