//! What a filter decides about a message, and the packets that say so.
//!
//! The order is fixed: changes of header fields, then the body in chunks with nothing between
//! them (Postfix answers 451 to anything else there), then the verdict.

use std::ops::Range;

use super::session::Mail;
use super::wire::{Actions, CHUNK_BYTES, Protocol, Reply, body_chunk};

/// A stretch of the new body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Piece {
    /// Bytes of the body as it came.
    Kept(Range<usize>),
    /// Bytes that take the place of what is not kept.
    New(Vec<u8>),
}

/// A change of the header.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HeaderChange {
    /// In front of all fields. The value is without the leading space, lines joined by LF and an
    /// indentation.
    Insert {
        /// Name of the field, without its colon.
        name: String,
        /// What is to stand behind the colon and its space.
        value: String,
    },
    /// The field of that name with this index, from 1. The value begins with its space.
    Change {
        /// Name of the field, without its colon.
        name: String,
        /// Which of the fields of that name, from 1, counted from the top.
        index: usize,
        /// What is to stand behind the colon.
        value: Vec<u8>,
    },
    /// Deletes the field of that name with this index, from 1. Higher indices go first.
    Delete {
        /// Name of the field, without its colon.
        name: String,
        /// Which of the fields of that name, from 1, counted from the top.
        index: usize,
    },
}

/// What becomes of the message.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Ending {
    /// Delivered, with the changes.
    #[default]
    Accept,
    /// Held in the MTA's quarantine for this reason.
    Quarantine(String),
    /// An SMTP reply of class 4: code, enhanced code, text.
    Tempfail(String),
    /// An SMTP reply of class 5: code, enhanced code, text.
    Reject(String),
    /// Taken from the sender and thrown away; nobody is told.
    Discard,
}

/// The answer to a message.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Answer {
    /// In the order in which they are sent to the MTA.
    pub header: Vec<HeaderChange>,
    /// The new body; `None` leaves it alone.
    pub body: Option<Vec<Piece>>,
    /// Delivered or not, and what the sender is told.
    pub ending: Ending,
}

impl Answer {
    /// The answer that touches nothing.
    pub fn accept() -> Answer {
        Answer::default()
    }

    /// The packets, one after the other, each appended to the buffer that is handed in.
    pub fn packets<'a>(&'a self, mail: &'a Mail) -> Packets<'a> {
        Packets { answer: self, mail, next: Next::Header(0) }
    }
}

/// Packets of an answer, made one at a time: a large body is never copied as a whole.
#[derive(Debug)]
pub struct Packets<'a> {
    answer: &'a Answer,
    mail: &'a Mail,
    next: Next,
}

#[derive(Debug)]
enum Next {
    Header(usize),
    /// The piece and the bytes of it that are out already.
    Body(usize, usize),
    Ending,
    Nothing,
}

impl Packets<'_> {
    /// Appends the next packet; false when there is none.
    pub fn append(&mut self, out: &mut Vec<u8>) -> bool {
        loop {
            match self.next {
                Next::Header(index) => match self.answer.header.get(index) {
                    Some(change) if self.changes_go_on() => {
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
                    self.next = Next::Nothing;
                    return true;
                }
                Next::Nothing => return false,
            }
        }
    }

    /// A message that is not delivered needs no changes.
    fn changes_go_on(&self) -> bool {
        matches!(self.answer.ending, Ending::Accept | Ending::Quarantine(_))
    }

    /// False when the MTA has not granted this kind of change.
    fn header(&self, change: &HeaderChange, out: &mut Vec<u8>) -> bool {
        let granted = self.mail.actions;
        match change {
            HeaderChange::Insert { name, value } => {
                if !granted.has(Actions::ADD_HEADERS) {
                    return false;
                }
                let value = self.spaced(format!(" {value}").as_bytes());
                Reply::InsertHeader { position: 0, name: name.as_bytes(), value: &value }
                    .encode(out);
            }
            HeaderChange::Change { name, index, value } => {
                if !granted.has(Actions::CHANGE_HEADERS) {
                    return false;
                }
                let value = self.spaced(value);
                let index = u32::try_from(*index).unwrap_or(u32::MAX);
                Reply::ChangeHeader { index, name: name.as_bytes(), value: &value }.encode(out);
            }
            HeaderChange::Delete { name, index } => {
                if !granted.has(Actions::CHANGE_HEADERS) {
                    return false;
                }
                let index = u32::try_from(*index).unwrap_or(u32::MAX);
                Reply::ChangeHeader { index, name: name.as_bytes(), value: b"" }.encode(out);
            }
        }
        true
    }

    /// A value as the MTA takes it: LF only, and the first space only if it was negotiated.
    fn spaced(&self, value: &[u8]) -> Vec<u8> {
        let value = match value.strip_prefix(b" ") {
            Some(rest) if !self.mail.protocol.has(Protocol::LEADING_SPACE) => rest,
            _ => value,
        };
        value.iter().copied().filter(|&byte| byte != b'\r').collect()
    }

    /// Appends one chunk of the new body that begins in a piece; `None` when the body is out.
    fn chunk(&self, mut piece: usize, mut done: usize, out: &mut Vec<u8>) -> Option<Next> {
        let pieces = self
            .answer
            .body
            .as_deref()
            .filter(|_| self.changes_go_on() && self.mail.actions.has(Actions::CHANGE_BODY))?;
        let mut room = CHUNK_BYTES;
        let chunk = body_chunk(out);
        while room > 0
            && let Some(bytes) = pieces.get(piece).map(|piece| self.bytes(piece))
        {
            let rest = bytes.get(done..).unwrap_or_default();
            let taken = rest.get(..room).unwrap_or(rest);
            out.extend_from_slice(taken);
            room -= taken.len();
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
