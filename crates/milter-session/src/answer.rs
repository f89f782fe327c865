//! The decision of a filter about a message, and its packets.
//!
//! The order is fixed: changes of header fields, then the body in consecutive chunks (Postfix answers 451 to
//! anything between them), then the ending.

use std::ops::Range;

use super::session::Mail;
use super::wire::{Actions, CHUNK_BYTES, Protocol, Reply, body_chunk};

/// A piece of the new body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Piece {
    /// A byte range of the received body.
    Kept(Range<usize>),
    /// New bytes.
    New(Vec<u8>),
}

/// A change of a header field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HeaderChange {
    /// Inserts a field before all others. The value is without the leading space, its lines joined by LF and an
    /// indentation.
    Insert {
        /// Name of the field, without its colon.
        name: String,
        /// The text after the colon and its space.
        value: String,
    },
    /// Changes the field with this name and index. The value begins with its space.
    Change {
        /// Name of the field, without its colon.
        name: String,
        /// Which of the fields of that name, from 1, counted from the top.
        index: usize,
        /// The bytes after the colon.
        value: Vec<u8>,
    },
    /// Deletes the field with this name and index. Delete higher indices first.
    Delete {
        /// Name of the field, without its colon.
        name: String,
        /// Which of the fields of that name, from 1, counted from the top.
        index: usize,
    },
}

/// What happens to the message.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Ending {
    /// It is delivered, with the changes.
    #[default]
    Accept,
    /// It is held in the MTA's quarantine for this reason.
    Quarantine(String),
    /// It is deferred with an SMTP reply of class 4: code, enhanced code, text.
    Tempfail(String),
    /// It is rejected with an SMTP reply of class 5: code, enhanced code, text.
    Reject(String),
    /// It is accepted from the sender and silently discarded.
    Discard,
}

/// The answer to a message.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Answer {
    /// Changes of the header, in the order in which they are sent to the MTA.
    pub header: Vec<HeaderChange>,
    /// The new body; `None` if it is not changed.
    pub body: Option<Vec<Piece>>,
    /// What happens to the message.
    pub ending: Ending,
}

impl Answer {
    /// Delivers the message without changes.
    pub fn accept() -> Answer {
        Answer::default()
    }

    /// The packets of the answer.
    pub fn packets<'a>(&'a self, mail: &'a Mail) -> Packets<'a> {
        Packets { answer: self, mail, next: Next::Header(0) }
    }
}

/// Encodes the packets of an answer one at a time, so that a large body is never copied as a whole.
#[derive(Debug)]
pub struct Packets<'a> {
    answer: &'a Answer,
    mail: &'a Mail,
    next: Next,
}

#[derive(Debug)]
enum Next {
    Header(usize),
    /// Index of the piece, and bytes of it that were sent already.
    Body(usize, usize),
    Ending,
    Done,
}

impl Packets<'_> {
    /// Appends the next packet; returns false if there is none.
    pub fn append(&mut self, out: &mut Vec<u8>) -> bool {
        loop {
            match self.next {
                Next::Header(index) => match self.answer.header.get(index) {
                    Some(change) if self.sends_changes() => {
                        self.next = Next::Header(index + 1);
                        if self.header(change, out) {
                            return true;
                        }
                    }
                    _ => self.next = Next::Body(0, 0),
                },
                Next::Body(piece, done) => match self.chunk(piece, done, out) {
                    Some(next) => {
                        self.next = next;
                        return true;
                    }
                    None => self.next = Next::Ending,
                },
                Next::Ending => {
                    self.ending(out);
                    self.next = Next::Done;
                    return true;
                }
                Next::Done => return false,
            }
        }
    }

    /// Whether the message is delivered or quarantined; else its changes are not sent.
    fn sends_changes(&self) -> bool {
        matches!(self.answer.ending, Ending::Accept | Ending::Quarantine(_))
    }

    /// Appends a change of the header; returns false if the MTA does not allow it.
    fn header(&self, change: &HeaderChange, out: &mut Vec<u8>) -> bool {
        match change {
            HeaderChange::Insert { name, value } => {
                let allowed = self.mail.actions.has(Actions::ADD_HEADERS);
                if allowed {
                    let value = self.wire_value(format!(" {value}").as_bytes());
                    Reply::InsertHeader { position: 0, name: name.as_bytes(), value: &value }
                        .encode(out);
                }
                allowed
            }
            HeaderChange::Change { name, index, value } => {
                self.change_field(name, *index, &self.wire_value(value), out)
            }
            HeaderChange::Delete { name, index } => self.change_field(name, *index, b"", out),
        }
    }

    fn change_field(&self, name: &str, index: usize, value: &[u8], out: &mut Vec<u8>) -> bool {
        let allowed = self.mail.actions.has(Actions::CHANGE_HEADERS);
        if allowed {
            let index = u32::try_from(index).unwrap_or(u32::MAX);
            Reply::ChangeHeader { index, name: name.as_bytes(), value }.encode(out);
        }
        allowed
    }

    /// A value in the form for the MTA: LF only, and the first space only if it was negotiated.
    fn wire_value(&self, value: &[u8]) -> Vec<u8> {
        let value = match value.strip_prefix(b" ") {
            Some(rest) if !self.mail.protocol.has(Protocol::LEADING_SPACE) => rest,
            _ => value,
        };
        value.iter().copied().filter(|&byte| byte != b'\r').collect()
    }

    /// Appends one chunk of the new body, starting at byte `done` of a piece; `None` if the body is complete.
    fn chunk(&self, mut piece: usize, mut done: usize, out: &mut Vec<u8>) -> Option<Next> {
        let pieces = self
            .answer
            .body
            .as_deref()
            .filter(|_| self.sends_changes() && self.mail.actions.has(Actions::CHANGE_BODY))?;
        let mut left = CHUNK_BYTES;
        let chunk = body_chunk(out);
        while left > 0
            && let Some(bytes) = pieces.get(piece).map(|piece| self.bytes(piece))
        {
            let rest = bytes.get(done..).unwrap_or_default();
            let taken = rest.get(..left).unwrap_or(rest);
            out.extend_from_slice(taken);
            left -= taken.len();
            done += taken.len();
            if done == bytes.len() {
                piece += 1;
                done = 0;
            }
        }
        chunk.close(out).then_some(Next::Body(piece, done))
    }

    fn bytes<'s>(&'s self, piece: &'s Piece) -> &'s [u8] {
        match piece {
            Piece::Kept(range) => self.mail.body.get(range.clone()).unwrap_or_default(),
            Piece::New(bytes) => bytes,
        }
    }

    fn ending(&self, out: &mut Vec<u8>) {
        match &self.answer.ending {
            Ending::Accept => Reply::Accept.encode(out),
            Ending::Quarantine(reason) => {
                if self.mail.actions.has(Actions::QUARANTINE) {
                    Reply::Quarantine(reason).encode(out);
                }
                Reply::Accept.encode(out);
            }
            Ending::Tempfail(line) | Ending::Reject(line) => Reply::ReplyCode(line).encode(out),
            Ending::Discard => Reply::Discard.encode(out),
        }
    }
}
