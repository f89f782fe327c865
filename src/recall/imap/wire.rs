//! Commands and answers over any stream. What stands where is the business of `imap-codec`.

use std::io::{self, Read, Write};

use imap_codec::decode::Decoder;
use imap_codec::encode::{Encoder, Fragment};
use imap_codec::fragmentizer::{DecodeMessageError, Fragmentizer};
use imap_codec::imap_types::IntoStatic;
use imap_codec::imap_types::command::{Command, CommandBody};
use imap_codec::imap_types::response::{
    Bye, Code, Data, GreetingKind, Response, Status, StatusBody, StatusKind,
};
use imap_codec::{CommandCodec, GreetingCodec, ResponseCodec};

/// Bytes read at a time.
const BLOCK: usize = 16 * 1024;

/// Bytes that one answer may have beside the message in it.
const ANSWER: u32 = 1024 * 1024;

/// Why a command was not carried out.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error(transparent)]
    Io(#[from] io::Error),
    #[error("the server closed the connection{}", behind(.0))]
    Closed(String),
    #[error("{asked}: expected OK of the server, found {said:?}")]
    Refused { asked: &'static str, said: String },
    #[error("expected an answer as of RFC 3501, found {0:?}")]
    NoAnswer(String),
    #[error("expected an answer of at most {0} bytes, found a longer one")]
    Long(u32),
    #[error("expected {expected}, found {found}")]
    Unexpected { expected: &'static str, found: String },
}

fn behind(said: &str) -> String {
    if said.is_empty() { String::new() } else { format!(": {said:?}") }
}

impl Error {
    pub(super) fn unexpected(expected: &'static str, found: impl ToString) -> Error {
        Error::Unexpected { expected, found: found.to_string() }
    }

    /// Whether the server said no to one command, and goes on with others.
    pub fn is_refusal(&self) -> bool {
        matches!(self, Error::Refused { .. } | Error::Unexpected { .. })
    }
}

/// What the server says while a command is under way.
#[derive(Debug)]
pub enum Said<'a> {
    Data(Data<'a>),
    Code(Code<'a>),
}

/// A connection on which one command is under way at a time.
#[derive(Debug)]
pub struct Connection<S> {
    stream: S,
    fragments: Fragmentizer,
    most: u32,
    commands: u64,
}

impl<S: Read + Write> Connection<S> {
    /// `most` is what a message may have, in bytes.
    pub fn new(stream: S, most: u64) -> Connection<S> {
        let most = u32::try_from(most).unwrap_or(u32::MAX).saturating_add(ANSWER);
        Connection { stream, fragments: Fragmentizer::new(most), most, commands: 0 }
    }

    /// The stream, without what was read of it and not asked for: whoever stands in between may have put
    /// it in front of the handshake (CVE-2011-0411 and its like).
    pub fn into_inner(self) -> S {
        self.stream
    }

    /// What the server says first.
    ///
    /// # Errors
    /// When it is no IMAP server, or wants nobody.
    pub fn greeting(&mut self) -> Result<GreetingKind, Error> {
        self.fill()?;
        let greeting = decoded(&self.fragments, &GreetingCodec::default(), self.most)?;
        match greeting.kind {
            GreetingKind::Bye => Err(Error::Closed(greeting.text.to_string())),
            kind => Ok(kind),
        }
    }

    /// Carries a command out; `each` is told what the server says meanwhile. What it says at the end may
    /// have a code.
    ///
    /// # Errors
    /// When the server refuses, says what nobody understands, or is gone.
    pub fn run(
        &mut self,
        body: CommandBody<'_>,
        mut each: impl FnMut(Said<'_>),
    ) -> Result<Option<Code<'static>>, Error> {
        self.commands += 1;
        let asked = body.name();
        let tag = format!("a{}", self.commands);
        let command =
            Command::new(tag.as_str(), body).map_err(|error| Error::unexpected("a tag", error))?;
        for fragment in CommandCodec::default().encode(&command) {
            match fragment {
                Fragment::Line { data } => self.stream.write_all(&data)?,
                Fragment::Literal { data, .. } => {
                    self.stream.flush()?;
                    // The server may say no already here; then it waits for no literal.
                    match self.hear(asked, &tag, &mut each)? {
                        Heard::Invited => self.stream.write_all(&data)?,
                        Heard::Done(_) => return Err(Error::NoAnswer("OK for +".to_owned())),
                    }
                }
            }
        }
        self.stream.flush()?;
        match self.hear(asked, &tag, &mut each)? {
            Heard::Done(code) => Ok(code),
            Heard::Invited => Err(Error::NoAnswer("+".to_owned())),
        }
    }

    /// Takes leave. Whether the server hears it changes nothing.
    pub fn log_out(&mut self) {
        let _ = self.run(CommandBody::Logout, |_| {});
    }

    /// Hears the server out: to its last word, or until it invites a literal.
    fn hear(
        &mut self,
        asked: &'static str,
        tag: &str,
        each: &mut impl FnMut(Said<'_>),
    ) -> Result<Heard, Error> {
        loop {
            self.fill()?;
            match decoded(&self.fragments, &ResponseCodec::default(), self.most)? {
                Response::Data(data) => each(Said::Data(data)),
                Response::Status(Status::Bye(Bye { text, .. })) if asked != "LOGOUT" => {
                    return Err(Error::Closed(text.to_string()));
                }
                Response::Status(Status::Tagged(end)) if end.tag.as_ref() == tag => {
                    let StatusBody { kind, code, text } = end.body;
                    return match kind {
                        StatusKind::Ok => Ok(Heard::Done(code.map(IntoStatic::into_static))),
                        _ => Err(Error::Refused { asked, said: text.to_string() }),
                    };
                }
                Response::Status(Status::Tagged(end)) => {
                    return Err(Error::NoAnswer(end.tag.as_ref().to_owned()));
                }
                Response::Status(Status::Untagged(StatusBody { code: Some(code), .. })) => {
                    each(Said::Code(code));
                }
                Response::Status(_) => {}
                Response::CommandContinuationRequest(_) => return Ok(Heard::Invited),
            }
        }
    }

    /// Reads one answer, whole.
    fn fill(&mut self) -> Result<(), Error> {
        let mut block = vec![0; BLOCK];
        loop {
            match self.fragments.progress() {
                Some(_) if self.fragments.is_message_complete() => return Ok(()),
                Some(_) => {}
                None => match self.stream.read(&mut block) {
                    Ok(0) => return Err(Error::Closed(String::new())),
                    Ok(read) => self.fragments.enqueue_bytes(block.get(..read).unwrap_or_default()),
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                    Err(error) => return Err(error.into()),
                },
            }
        }
    }
}

/// How far a server was heard.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Heard {
    /// It waits for a literal.
    Invited,
    /// The command is carried out.
    Done(Option<Code<'static>>),
}

fn decoded<'a, C: Decoder>(
    fragments: &'a Fragmentizer,
    codec: &C,
    most: u32,
) -> Result<C::Message<'a>, Error> {
    fragments.decode_message(codec).map_err(|error| match error {
        DecodeMessageError::MessageTooLong { .. } => Error::Long(most),
        _ => {
            // Its beginning says what it is; the rest may be somebody's mail.
            let line = fragments.message_bytes().split(|byte| *byte == b'\n').next();
            let begin: Vec<u8> = line.unwrap_or_default().iter().copied().take(SHOWN).collect();
            Error::NoAnswer(String::from_utf8_lossy(&begin).trim_end().to_owned())
        }
    })
}

/// Bytes of an answer that nobody understands that are shown.
const SHOWN: usize = 60;
