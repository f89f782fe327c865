//! Commands and answers over any stream. What stands where is the business of `imap-codec`.

use std::io::{self, Read, Write};
use std::time::{Duration, Instant};

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

/// Bytes that a server may say to one command beside a message: a folder of two million has a line for each.
const TALK: u64 = 256 * 1024 * 1024;

/// How long a server may take for one command.
const WHOLE: Duration = Duration::from_secs(60 * 60);

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
    #[error("expected at most {0} bytes in answer to one command, found more")]
    Endless(u64),
    #[error("expected the end of an answer within {0:?}")]
    Slow(Duration),
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
    /// Bytes that the server may still say to this command.
    left: u64,
    /// Until when it may go on.
    until: Instant,
    bounds: (u64, Duration),
}

impl<S: Read + Write> Connection<S> {
    /// `most` is what a message may have, in bytes.
    pub fn new(stream: S, most: u64) -> Connection<S> {
        let most = u32::try_from(most).unwrap_or(u32::MAX).saturating_add(ANSWER);
        Connection::bounded(stream, most, (TALK, WHOLE))
    }

    fn bounded(stream: S, most: u32, bounds: (u64, Duration)) -> Connection<S> {
        let (left, until) = (0, Instant::now());
        let fragments = Fragmentizer::new(most);
        let mut connection =
            Connection { stream, fragments, most, commands: 0, left, until, bounds };
        connection.begin();
        connection
    }

    /// Another command: what the server may say and how long it may take is counted anew.
    fn begin(&mut self) {
        let (talk, whole) = self.bounds;
        self.left = talk.saturating_add(u64::from(self.most));
        self.until = Instant::now() + whole;
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
        self.begin();
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
                // What is too long is not heard out: it may have no end.
                None if self.fragments.is_max_message_size_exceeded() => {
                    return Err(Error::Long(self.most));
                }
                None => {
                    let read = self.read(&mut block)?;
                    self.fragments.enqueue_bytes(block.get(..read).unwrap_or_default());
                }
            }
        }
    }

    /// Some more of what the server says to this command.
    fn read(&mut self, block: &mut [u8]) -> Result<usize, Error> {
        loop {
            if Instant::now() > self.until {
                return Err(Error::Slow(self.bounds.1));
            }
            match self.stream.read(block) {
                Ok(0) => return Err(Error::Closed(String::new())),
                Ok(read) => {
                    let left = self.left.checked_sub(read as u64);
                    self.left = left.ok_or(Error::Endless(self.bounds.0))?;
                    return Ok(read);
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error.into()),
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

#[cfg(test)]
mod tests {
    use super::*;

    /// A server that begins with these bytes and says the others for ever; nobody is heard.
    struct Talker {
        begin: io::Cursor<&'static [u8]>,
        ever: &'static [u8],
        pause: Duration,
    }

    impl Talker {
        fn new(begin: &'static str, ever: &'static str) -> Talker {
            let begin = io::Cursor::new(begin.as_bytes());
            Talker { begin, ever: ever.as_bytes(), pause: Duration::ZERO }
        }
    }

    impl Read for Talker {
        fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
            std::thread::sleep(self.pause);
            let begun = self.begin.read(bytes)?;
            if begun > 0 {
                return Ok(begun);
            }
            let whole = bytes.len() / self.ever.len() * self.ever.len();
            for (to, from) in bytes[..whole].iter_mut().zip(self.ever.iter().cycle()) {
                *to = *from;
            }
            Ok(whole)
        }
    }

    impl Write for Talker {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    const HOUR: Duration = Duration::from_secs(3600);

    fn ended(talker: Talker, bounds: (u64, Duration)) -> String {
        let mut connection = Connection::bounded(talker, 1 << 20, bounds);
        let error = connection.run(CommandBody::Noop, |_| {}).unwrap_err();
        assert!(!error.is_refusal(), "nobody knows what the server would say next");
        error.to_string()
    }

    #[test]
    fn what_has_no_end_is_not_heard_out() {
        let long = "expected an answer of at most 1048576 bytes, found a longer one";
        let endless = "expected at most 100000 bytes in answer to one command, found more";
        for (begin, ever, said) in [
            ("", "* OK still here\r\n", endless),
            ("", "* 7 FETCH (UID 7 FLAGS (\\Seen))\r\n", endless),
            ("", "* LIST () \"/\" a\r\n", endless),
            // A line, a literal and many literals in one answer.
            ("* OK ", "a", long),
            ("* 1 FETCH (UID 1 BODY[] {4294967295}\r\n", "a", long),
            ("* 1 FETCH (", "X {3}\r\nabc ", long),
            // More than a number holds: no literal, and what follows is no answer.
            (
                "* 1 FETCH (BODY[] {99999999999999999999}\r\n",
                "a",
                "expected an answer as of RFC 3501",
            ),
        ] {
            let error = ended(Talker::new(begin, ever), (100_000, HOUR));
            assert!(error.contains(said), "{begin}{ever}: {error}");
        }
    }

    #[test]
    fn whoever_says_a_byte_now_and_then_is_not_waited_for() {
        let pause = Duration::from_millis(5);
        let talker = Talker { pause, ..Talker::new("", "* OK still here\r\n") };
        let error = ended(talker, (TALK, Duration::from_millis(20)));
        assert_eq!(error, "expected the end of an answer within 20ms");
    }
}
