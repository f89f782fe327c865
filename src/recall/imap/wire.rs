//! IMAP commands and responses over any stream. The crate `imap-codec` parses and formats them.

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

/// Bytes read from the stream at a time.
const READ_BUFFER_BYTES: usize = 16 * 1024;

/// Bytes that one response may have in addition to the message in it.
const MAX_RESPONSE_OVERHEAD_BYTES: u32 = 1024 * 1024;

/// Bytes that a server may send in response to one command, in addition to a message. A folder of
/// two million messages has a line for each.
const MAX_COMMAND_BYTES: u64 = 256 * 1024 * 1024;

/// How long a server may take for one command.
const COMMAND_TIMEOUT: Duration = Duration::from_secs(60 * 60);

/// Why a command failed.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error(transparent)]
    Io(#[from] io::Error),
    #[error("the server closed the connection{}", with_colon(.0))]
    Closed(String),
    #[error("{command}: expected OK from the server, found {text:?}")]
    Refused { command: &'static str, text: String },
    #[error("expected a response as in RFC 3501, found {0:?}")]
    InvalidResponse(String),
    #[error("expected a response of at most {0} bytes, found a longer one")]
    ResponseTooLong(u32),
    #[error("expected at most {0} bytes in response to one command, found more")]
    TooManyBytes(u64),
    #[error("expected the response to one command within {0:?}, found none")]
    Timeout(Duration),
    #[error("expected {expected}, found {found}")]
    Unexpected { expected: &'static str, found: String },
}

fn with_colon(text: &str) -> String {
    if text.is_empty() { String::new() } else { format!(": {text:?}") }
}

impl Error {
    pub(super) fn unexpected(expected: &'static str, found: impl ToString) -> Error {
        Error::Unexpected { expected, found: found.to_string() }
    }

    /// Whether the server refused one command only, so that the connection can be used further.
    pub fn is_refusal(&self) -> bool {
        matches!(self, Error::Refused { .. } | Error::Unexpected { .. })
    }
}

/// An untagged response that arrives while a command is running.
#[derive(Debug)]
pub enum Untagged<'a> {
    Data(Data<'a>),
    Code(Code<'a>),
}

/// A connection on which one command runs at a time.
#[derive(Debug)]
pub struct Connection<S> {
    stream: S,
    fragments: Fragmentizer,
    max_response_bytes: u32,
    /// Commands sent so far; the tag is made of it.
    commands: u64,
    /// Bytes that the server may still send in response to this command.
    remaining_bytes: u64,
    /// When the response to this command must be complete.
    deadline: Instant,
    limits: CommandLimits,
}

/// Limits of the response to one command.
#[derive(Clone, Copy, Debug)]
struct CommandLimits {
    /// In addition to one response of the maximum size.
    bytes: u64,
    timeout: Duration,
}

impl<S: Read + Write> Connection<S> {
    /// `max_message` is the size limit of a message, in bytes.
    pub fn new(stream: S, max_message: u64) -> Connection<S> {
        let max_message = u32::try_from(max_message).unwrap_or(u32::MAX);
        let max_response_bytes = max_message.saturating_add(MAX_RESPONSE_OVERHEAD_BYTES);
        let limits = CommandLimits { bytes: MAX_COMMAND_BYTES, timeout: COMMAND_TIMEOUT };
        Connection::with_limits(stream, max_response_bytes, limits)
    }

    fn with_limits(stream: S, max_response_bytes: u32, limits: CommandLimits) -> Connection<S> {
        let mut connection = Connection {
            stream,
            fragments: Fragmentizer::new(max_response_bytes),
            max_response_bytes,
            commands: 0,
            remaining_bytes: 0,
            deadline: Instant::now(),
            limits,
        };
        connection.start_command();
        connection
    }

    /// Resets what is counted for each command: bytes and time.
    fn start_command(&mut self) {
        self.remaining_bytes = self.limits.bytes.saturating_add(self.max_response_bytes.into());
        self.deadline = Instant::now() + self.limits.timeout;
    }

    /// The stream. Bytes that were received but not yet used are dropped: before a TLS handshake an
    /// attacker on the path may have injected them (CVE-2011-0411 and its like).
    pub fn into_inner(self) -> S {
        self.stream
    }

    /// Reads the greeting, the first response of a server.
    ///
    /// # Errors
    /// When it is not an IMAP server, or it refuses the connection (`BYE`).
    pub fn greeting(&mut self) -> Result<GreetingKind, Error> {
        self.read_response()?;
        let greeting = decode(&self.fragments, &GreetingCodec::default(), self.max_response_bytes)?;
        match greeting.kind {
            GreetingKind::Bye => Err(Error::Closed(greeting.text.to_string())),
            kind => Ok(kind),
        }
    }

    /// Runs a command and returns the response code of its completion, if there is one.
    /// `on_untagged` gets each untagged response.
    ///
    /// # Errors
    /// When the server refuses the command, sends an invalid response, or closes the connection.
    pub fn run(
        &mut self,
        body: CommandBody<'_>,
        mut on_untagged: impl FnMut(Untagged<'_>),
    ) -> Result<Option<Code<'static>>, Error> {
        self.commands += 1;
        self.start_command();
        let command_name = body.name();
        let tag = format!("a{}", self.commands);
        let command =
            Command::new(tag.as_str(), body).map_err(|error| Error::unexpected("a tag", error))?;
        for fragment in CommandCodec::default().encode(&command) {
            match fragment {
                Fragment::Line { data } => self.stream.write_all(&data)?,
                Fragment::Literal { data, .. } => {
                    self.stream.flush()?;
                    // The server may refuse here already. Then it does not wait for the literal.
                    match self.receive(command_name, &tag, &mut on_untagged)? {
                        Received::Continuation => self.stream.write_all(&data)?,
                        Received::Completed(_) => {
                            return Err(Error::InvalidResponse("OK instead of +".to_owned()));
                        }
                    }
                }
            }
        }
        self.stream.flush()?;
        match self.receive(command_name, &tag, &mut on_untagged)? {
            Received::Completed(code) => Ok(code),
            Received::Continuation => Err(Error::InvalidResponse("+".to_owned())),
        }
    }

    /// Logs out. A failure does not matter: nothing follows.
    pub fn log_out(&mut self) {
        let _ = self.run(CommandBody::Logout, |_| {});
    }

    /// Reads responses until the command is completed, or until the server asks for a literal.
    fn receive(
        &mut self,
        command_name: &'static str,
        tag: &str,
        on_untagged: &mut impl FnMut(Untagged<'_>),
    ) -> Result<Received, Error> {
        loop {
            self.read_response()?;
            match decode(&self.fragments, &ResponseCodec::default(), self.max_response_bytes)? {
                Response::Data(data) => on_untagged(Untagged::Data(data)),
                Response::Status(Status::Bye(Bye { text, .. })) if command_name != "LOGOUT" => {
                    return Err(Error::Closed(text.to_string()));
                }
                Response::Status(Status::Tagged(end)) if end.tag.as_ref() == tag => {
                    let StatusBody { kind, code, text } = end.body;
                    return match kind {
                        StatusKind::Ok => {
                            Ok(Received::Completed(code.map(IntoStatic::into_static)))
                        }
                        _ => Err(Error::Refused { command: command_name, text: text.to_string() }),
                    };
                }
                Response::Status(Status::Tagged(end)) => {
                    return Err(Error::InvalidResponse(end.tag.as_ref().to_owned()));
                }
                Response::Status(Status::Untagged(StatusBody { code: Some(code), .. })) => {
                    on_untagged(Untagged::Code(code));
                }
                Response::Status(_) => {}
                Response::CommandContinuationRequest(_) => return Ok(Received::Continuation),
            }
        }
    }

    /// Reads one complete response.
    fn read_response(&mut self) -> Result<(), Error> {
        let mut block = vec![0; READ_BUFFER_BYTES];
        loop {
            match self.fragments.progress() {
                Some(_) if self.fragments.is_message_complete() => return Ok(()),
                Some(_) => {}
                // Do not read on when it is too long: it may have no end.
                None if self.fragments.is_max_message_size_exceeded() => {
                    return Err(Error::ResponseTooLong(self.max_response_bytes));
                }
                None => {
                    let read = self.read_some(&mut block)?;
                    self.fragments.enqueue_bytes(block.get(..read).unwrap_or_default());
                }
            }
        }
    }

    /// Reads some more bytes of the response to this command.
    fn read_some(&mut self, block: &mut [u8]) -> Result<usize, Error> {
        loop {
            if Instant::now() > self.deadline {
                return Err(Error::Timeout(self.limits.timeout));
            }
            match self.stream.read(block) {
                Ok(0) => return Err(Error::Closed(String::new())),
                Ok(read) => {
                    let remaining = self.remaining_bytes.checked_sub(read as u64);
                    self.remaining_bytes =
                        remaining.ok_or(Error::TooManyBytes(self.limits.bytes))?;
                    return Ok(read);
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error.into()),
            }
        }
    }
}

/// What ended [`Connection::receive`].
#[derive(Clone, Debug, PartialEq, Eq)]
enum Received {
    /// A continuation request: the server waits for a literal.
    Continuation,
    /// The command was completed with OK.
    Completed(Option<Code<'static>>),
}

fn decode<'a, C: Decoder>(
    fragments: &'a Fragmentizer,
    codec: &C,
    max_response_bytes: u32,
) -> Result<C::Message<'a>, Error> {
    fragments.decode_message(codec).map_err(|error| match error {
        DecodeMessageError::MessageTooLong { .. } => Error::ResponseTooLong(max_response_bytes),
        _ => {
            // Show the beginning only: the rest may be somebody's mail.
            let line = fragments.message_bytes().split(|byte| *byte == b'\n').next();
            let begin: Vec<u8> =
                line.unwrap_or_default().iter().copied().take(EXCERPT_BYTES).collect();
            Error::InvalidResponse(String::from_utf8_lossy(&begin).trim_end().to_owned())
        }
    })
}

/// Bytes of an invalid response that an error shows.
const EXCERPT_BYTES: usize = 60;

#[cfg(test)]
mod tests {
    use super::*;

    /// A server that sends `begin`, then repeats `ever`. It does not read what it is sent.
    struct EndlessServer {
        begin: io::Cursor<&'static [u8]>,
        ever: &'static [u8],
        pause: Duration,
    }

    impl EndlessServer {
        fn new(begin: &'static str, ever: &'static str) -> EndlessServer {
            let begin = io::Cursor::new(begin.as_bytes());
            EndlessServer { begin, ever: ever.as_bytes(), pause: Duration::ZERO }
        }
    }

    impl Read for EndlessServer {
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

    impl Write for EndlessServer {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    const HOUR: Duration = Duration::from_secs(3600);

    fn ended(server: EndlessServer, limits: CommandLimits) -> String {
        let mut connection = Connection::with_limits(server, 1 << 20, limits);
        let error = connection.run(CommandBody::Noop, |_| {}).unwrap_err();
        assert!(!error.is_refusal(), "nobody knows what the server would say next");
        error.to_string()
    }

    #[test]
    fn a_response_without_end_is_not_read_on() {
        let long = "expected a response of at most 1048576 bytes, found a longer one";
        let endless = "expected at most 100000 bytes in response to one command, found more";
        for (begin, ever, said) in [
            ("", "* OK still here\r\n", endless),
            ("", "* 7 FETCH (UID 7 FLAGS (\\Seen))\r\n", endless),
            ("", "* LIST () \"/\" a\r\n", endless),
            // A line, a literal, and many literals in one response.
            ("* OK ", "a", long),
            ("* 1 FETCH (UID 1 BODY[] {4294967295}\r\n", "a", long),
            ("* 1 FETCH (", "X {3}\r\nabc ", long),
            // A size that does not fit into an integer is no literal, and what follows is no
            // response.
            (
                "* 1 FETCH (BODY[] {99999999999999999999}\r\n",
                "a",
                "expected a response as in RFC 3501",
            ),
        ] {
            let limits = CommandLimits { bytes: 100_000, timeout: HOUR };
            let error = ended(EndlessServer::new(begin, ever), limits);
            assert!(error.contains(said), "{begin}{ever}: {error}");
        }
    }

    #[test]
    fn a_server_that_sends_a_byte_now_and_then_times_out() {
        let pause = Duration::from_millis(5);
        let server = EndlessServer { pause, ..EndlessServer::new("", "* OK still here\r\n") };
        let error = ended(
            server,
            CommandLimits { bytes: MAX_COMMAND_BYTES, timeout: Duration::from_millis(20) },
        );
        assert_eq!(error, "expected the response to one command within 20ms, found none");
    }
}
