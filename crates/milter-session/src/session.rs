//! One milter connection as a state machine: packets in, replies and messages out.
//!
//! It has no socket and no clock. One connection carries many messages and, after `QUIT_NC`, many
//! SMTP sessions; nothing of one leaks into the next.

use std::net::IpAddr;

use super::wire::{
    Actions, Command, Malformed, Packet, Peer, Protocol, Reply, Stage, VERSION, command_name,
};

/// What we would do to messages.
const ACTIONS: Actions = Actions::ADD_HEADERS
    .with(Actions::CHANGE_BODY)
    .with(Actions::CHANGE_HEADERS)
    .with(Actions::QUARANTINE)
    .with(Actions::SET_MACROS);

/// What we can do without: commands nobody here reads, and every reply before the last. That is
/// where the speed is: an MTA that waits for no replies sends a message in one go.
const PROTOCOL: Protocol = Protocol::NO_HELO
    .with(Protocol::NO_EOH)
    .with(Protocol::NO_UNKNOWN)
    .with(Protocol::NO_DATA)
    .with(Protocol::NR_CONNECT)
    .with(Protocol::NR_HELO)
    .with(Protocol::NR_MAIL)
    .with(Protocol::NR_RCPT)
    .with(Protocol::NR_DATA)
    .with(Protocol::NR_UNKNOWN)
    .with(Protocol::NR_HEADER)
    .with(Protocol::NR_EOH)
    .with(Protocol::NR_BODY)
    .with(Protocol::LEADING_SPACE);

/// The macros that are read: host name, authentication, queue id. Postfix knows the queue id at
/// RCPT or later on the smtpd path, at MAIL on the other.
const MACROS: &[(Stage, &str)] = &[
    (Stage::Connect, "j"),
    (Stage::Mail, "i {auth_authen} {auth_type}"),
    (Stage::Rcpt, "i"),
    (Stage::EndOfMessage, "i"),
];

/// Macros kept of one stage; an MTA that is asked for four sends four.
const MACROS_KEPT: usize = 64;

/// Recipients of one message kept for the policy: ten times what Postfix takes in a transaction.
const RECIPIENTS: usize = 10_000;

/// Bounds on what one connection may hold.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// Bytes of head and body of one message. What comes after is dropped and
    /// [`Mail::completeness`] says so.
    pub message_bytes: usize,
    /// Recipients of one message that are kept for the policy.
    pub recipients: usize,
}

impl Default for Bounds {
    fn default() -> Self {
        Bounds { message_bytes: 128 << 20, recipients: RECIPIENTS }
    }
}

/// Which way a message came into the MTA.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Origin {
    /// By SMTP: a rejection reaches the client.
    #[default]
    Smtp,
    /// By the `sendmail` command (`non_smtpd_milters`): addresses come without `<>`. A rejection
    /// would bounce to the sender, so there is none.
    Local,
}

/// Whether all of a message has been kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Completeness {
    /// All of it is here.
    #[default]
    Whole,
    /// It went over [`Bounds::message_bytes`]; head and body are only a beginning.
    Cut,
    /// There was no room for it ([`Session::let_go`]): nothing of it is here.
    Dropped,
}

/// A message with its envelope, as the MTA told of it.
#[derive(Clone, Debug, Default)]
pub struct Mail {
    /// The client's name as the MTA knows it.
    pub client_name: Vec<u8>,
    /// Address of the client, as the MTA saw it.
    pub client: Peer,
    /// By SMTP, or from a program on the same machine.
    pub origin: Origin,
    /// Reverse path without `<>`; empty for bounces.
    pub sender: Vec<u8>,
    /// ESMTP parameters of MAIL: `SIZE=…`, `BODY=8BITMIME`, `SMTPUTF8`.
    pub parameters: Vec<Vec<u8>>,
    /// Forward paths without `<>`.
    pub recipients: Vec<Vec<u8>>,
    /// The MTA's name of itself (macro `j`).
    pub host_name: Vec<u8>,
    /// Queue id (macro `i`); empty when the MTA sent none.
    pub queue_id: Vec<u8>,
    /// The authenticated user (macro `{auth_authen}`), empty when there is none.
    pub authenticated: Vec<u8>,
    /// Header fields in their order, lines ended by CRLF, without the empty line.
    pub head: Vec<u8>,
    /// Behind the empty line, as it came over the wire.
    pub body: Vec<u8>,
    /// Bytes of the message, dropped ones included.
    pub size: usize,
    /// Whether [`Mail::head`] and [`Mail::body`] are the whole message.
    pub completeness: Completeness,
    /// What the MTA lets us do.
    pub actions: Actions,
    /// How values of header fields are passed.
    pub protocol: Protocol,
}

impl Mail {
    /// The client's address, when it has one.
    pub fn client_address(&self) -> Option<IpAddr> {
        match self.client {
            Peer::Inet { address, .. } => Some(address),
            _ => None,
        }
    }

    /// The queue id for logs: `-` when there is none.
    pub fn queue_id(&self) -> String {
        if self.queue_id.is_empty() {
            return "-".to_owned();
        }
        self.queue_id.iter().map(|&byte| printable(byte)).collect()
    }
}

fn printable(byte: u8) -> char {
    if byte.is_ascii_graphic() { char::from(byte) } else { '?' }
}

/// What follows from a packet.
#[derive(Debug)]
pub enum Step {
    /// Read on. Replies may have been appended.
    ReadOn,
    /// A message is complete. The MTA waits for its answer.
    Message(Box<Mail>),
    /// The MTA said good-bye.
    Close,
}

/// A packet that ends the connection.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Violation {
    /// Bytes that the protocol has no reading for.
    #[error(transparent)]
    Malformed(#[from] Malformed),
    /// A command at a time when the protocol does not have it.
    #[error("expected {expected}, found {}", command_name(*.found))]
    Order {
        /// What would have been in order, in words.
        expected: &'static str,
        /// Command byte that came.
        found: u8,
    },
    /// The MTA's version of the protocol, which is too old.
    #[error("expected protocol version 2 or higher, found {0}")]
    Version(u32),
}

/// Where a connection stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// Before OPTNEG.
    New,
    /// Negotiated; no message begun.
    Idle,
    /// After MAIL: recipients, DATA, header fields.
    Envelope,
    /// Header fields have begun.
    Head,
    /// Header fields have ended.
    Body,
}

/// Macros by name, of one command's stage.
type Macros = Vec<(Vec<u8>, Vec<u8>)>;

/// The state machine.
#[derive(Debug)]
pub struct Session {
    state: State,
    bounds: Bounds,
    actions: Actions,
    protocol: Protocol,
    client_name: Vec<u8>,
    client: Peer,
    /// Macros of CONNECT and HELO.
    connection_macros: Macros,
    /// Macros of the message.
    message_macros: Macros,
    mail: Box<Mail>,
}

impl Session {
    /// A session before its first packet.
    pub fn new(bounds: Bounds) -> Session {
        Session {
            state: State::New,
            bounds,
            actions: Actions::default(),
            protocol: Protocol::default(),
            client_name: Vec::new(),
            client: Peer::default(),
            connection_macros: Macros::new(),
            message_macros: Macros::new(),
            mail: Box::default(),
        }
    }

    /// Takes a packet; replies are appended to `out`. After an error the connection is to be
    /// closed.
    pub fn packet(&mut self, packet: Packet<'_>, out: &mut Vec<u8>) -> Result<Step, Violation> {
        let command = packet.command()?;
        if self.state == State::New {
            return self.begin(&command, out);
        }
        match command {
            Command::Negotiate { .. } => return Err(self.order(&command)),
            Command::Macros { stage, pairs } => {
                // Sendmail sends no ABORT for a message all of whose recipients it has refused
                // itself: the macros of the next MAIL come instead.
                if stage == b'M' && self.state == State::Envelope {
                    self.reset();
                }
                self.keep_macros(stage, &pairs);
            }
            Command::Connect { name, peer } => {
                self.expect(State::Idle, b'C')?;
                name.clone_into(&mut self.client_name);
                self.client = peer;
                self.go_on(Protocol::NR_CONNECT, out);
            }
            Command::Helo(_) => self.go_on(Protocol::NR_HELO, out),
            Command::Mail { address, parameters } => {
                self.expect(State::Idle, b'M')?;
                self.begin_mail(address, &parameters);
                self.go_on(Protocol::NR_MAIL, out);
            }
            Command::Rcpt { address, .. } => {
                self.expect(State::Envelope, b'R')?;
                if self.mail.recipients.len() < self.bounds.recipients {
                    self.mail.recipients.push(strip_angles(address).to_vec());
                }
                self.go_on(Protocol::NR_RCPT, out);
            }
            Command::Data => {
                self.expect(State::Envelope, b'T')?;
                self.go_on(Protocol::NR_DATA, out);
            }
            Command::Header { name, value } => {
                if !matches!(self.state, State::Envelope | State::Head) {
                    return Err(self.order(&command));
                }
                self.state = State::Head;
                self.keep_field(name, value);
                self.go_on(Protocol::NR_HEADER, out);
            }
            Command::EndOfHeaders => {
                if !matches!(self.state, State::Envelope | State::Head) {
                    return Err(self.order(&command));
                }
                self.state = State::Body;
                self.go_on(Protocol::NR_EOH, out);
            }
            Command::Body(chunk) => {
                self.keep_body(chunk, b'B')?;
                self.go_on(Protocol::NR_BODY, out);
            }
            Command::EndOfMessage(chunk) => {
                self.keep_body(chunk, b'E')?;
                return Ok(Step::Message(self.finish()));
            }
            Command::Abort => self.reset(),
            Command::Unknown(_) => self.go_on(Protocol::NR_UNKNOWN, out),
            Command::QuitNewConnection => self.reset_connection(),
            Command::Quit => return Ok(Step::Close),
        }
        Ok(Step::ReadOn)
    }

    /// Whether a message's content is coming in: from its first header field to its end.
    pub fn in_content(&self) -> bool {
        matches!(self.state, State::Head | State::Body)
    }

    /// Whether a message has begun, by its MAIL.
    pub fn in_message(&self) -> bool {
        !matches!(self.state, State::New | State::Idle)
    }

    /// Bytes held of the message that is coming in.
    pub fn held(&self) -> usize {
        self.mail.head.len() + self.mail.body.len()
    }

    /// Gives up the message that is coming in: what came of it goes, what still comes is not kept.
    pub fn let_go(&mut self) {
        self.mail.completeness = Completeness::Dropped;
        self.mail.head = Vec::new();
        self.mail.body = Vec::new();
    }

    /// Gives the buffers of an answered message back, to be used for the next one.
    pub fn recycle(&mut self, mut mail: Mail) {
        /// Larger buffers go back to the system: most messages are far smaller.
        const KEPT_BYTES: usize = 64 << 10;
        if self.held() == 0 && mail.body.capacity() + mail.head.capacity() <= KEPT_BYTES {
            mail.head.clear();
            mail.body.clear();
            self.mail.head = mail.head;
            self.mail.body = mail.body;
        }
    }

    fn begin(&mut self, command: &Command<'_>, out: &mut Vec<u8>) -> Result<Step, Violation> {
        match *command {
            Command::Negotiate { version, actions, protocol } => {
                if version < 2 {
                    return Err(Violation::Version(version));
                }
                self.actions = ACTIONS.common(actions);
                self.protocol = PROTOCOL.common(protocol);
                let asked = self.actions.has(Actions::SET_MACROS);
                let macros = if asked { MACROS } else { &[] };
                Reply::Negotiate {
                    version: version.min(VERSION),
                    actions: self.actions,
                    protocol: self.protocol,
                    macros,
                }
                .encode(out);
                self.state = State::Idle;
                Ok(Step::ReadOn)
            }
            Command::Quit => Ok(Step::Close),
            _ => Err(self.order(command)),
        }
    }

    fn go_on(&self, no_reply: Protocol, out: &mut Vec<u8>) {
        if !self.protocol.has(no_reply) {
            Reply::Continue.encode(out);
        }
    }

    fn expect(&self, state: State, found: u8) -> Result<(), Violation> {
        if self.state == state {
            return Ok(());
        }
        Err(Violation::Order { expected: self.expected(), found })
    }

    fn order(&self, command: &Command<'_>) -> Violation {
        Violation::Order { expected: self.expected(), found: command.code() }
    }

    fn expected(&self) -> &'static str {
        match self.state {
            State::New => "OPTNEG",
            State::Idle => "CONNECT, HELO, MAIL or QUIT",
            State::Envelope => "RCPT, DATA, HEADER, EOH or BODY",
            State::Head => "HEADER, EOH, BODY or BODYEOB",
            State::Body => "BODY or BODYEOB",
        }
    }

    fn keep_macros(&mut self, stage: u8, pairs: &[(&[u8], &[u8])]) {
        let kept = match stage {
            b'C' | b'H' => &mut self.connection_macros,
            _ => &mut self.message_macros,
        };
        for &(name, value) in pairs {
            if let Some((_, old)) = kept.iter_mut().find(|(known, _)| known == name) {
                *old = value.to_vec();
            } else if kept.len() < MACROS_KEPT {
                kept.push((name.to_vec(), value.to_vec()));
            }
        }
    }

    fn macro_value(&self, name: &[u8]) -> Vec<u8> {
        let all = self.message_macros.iter().chain(&self.connection_macros);
        all.into_iter().find(|(known, _)| known == name).map(|(_, v)| v.clone()).unwrap_or_default()
    }

    fn begin_mail(&mut self, address: &[u8], parameters: &[&[u8]]) {
        self.state = State::Envelope;
        let mail = &mut self.mail;
        mail.origin = if address.starts_with(b"<") { Origin::Smtp } else { Origin::Local };
        mail.sender = strip_angles(address).to_vec();
        mail.parameters = parameters.iter().map(|parameter| parameter.to_vec()).collect();
    }

    /// Adds a field to the head as it stood in the message: folds come as LF.
    fn keep_field(&mut self, name: &[u8], value: &[u8]) {
        self.count(name.len() + value.len() + 3);
        if self.mail.completeness != Completeness::Whole {
            return;
        }
        let head = &mut self.mail.head;
        head.extend_from_slice(name);
        head.push(b':');
        // Without LEADING_SPACE the MTA has eaten one space, but not a tab.
        if !self.protocol.has(Protocol::LEADING_SPACE) && !value.starts_with(b"\t") {
            head.push(b' ');
        }
        let mut begun = 0;
        for end in memchr::memchr_iter(b'\n', value) {
            let line = value.get(begun..end).unwrap_or_default();
            head.extend_from_slice(line);
            head.extend_from_slice(if line.ends_with(b"\r") { b"\n" } else { b"\r\n" });
            begun = end + 1;
        }
        head.extend_from_slice(value.get(begun..).unwrap_or_default());
        head.extend_from_slice(b"\r\n");
    }

    fn keep_body(&mut self, chunk: &[u8], code: u8) -> Result<(), Violation> {
        if !self.in_message() {
            return Err(Violation::Order { expected: self.expected(), found: code });
        }
        self.state = State::Body;
        self.count(chunk.len());
        if self.mail.completeness == Completeness::Whole {
            self.mail.body.extend_from_slice(chunk);
        }
        Ok(())
    }

    fn count(&mut self, bytes: usize) {
        self.mail.size = self.mail.size.saturating_add(bytes);
        let whole = self.mail.completeness == Completeness::Whole;
        if whole && self.mail.size > self.bounds.message_bytes {
            self.mail.completeness = Completeness::Cut;
        }
    }

    fn finish(&mut self) -> Box<Mail> {
        let mut mail = std::mem::take(&mut self.mail);
        mail.client_name.clone_from(&self.client_name);
        mail.client.clone_from(&self.client);
        mail.host_name = self.macro_value(b"j");
        mail.queue_id = self.macro_value(b"i");
        mail.authenticated = self.macro_value(b"auth_authen");
        mail.actions = self.actions;
        mail.protocol = self.protocol;
        self.reset();
        mail
    }

    /// Forgets the message; ABORT may come at any time, after the end of a message as well.
    fn reset(&mut self) {
        self.state = State::Idle;
        self.message_macros.clear();
        let (mut head, mut body) =
            (std::mem::take(&mut self.mail.head), std::mem::take(&mut self.mail.body));
        head.clear();
        body.clear();
        *self.mail = Mail::default();
        self.recycle(Mail { head, body, ..Mail::default() });
    }

    fn reset_connection(&mut self) {
        self.reset();
        self.connection_macros.clear();
        self.client_name.clear();
        self.client = Peer::Unknown;
    }
}

fn strip_angles(address: &[u8]) -> &[u8] {
    address
        .strip_prefix(b"<")
        .map_or(address, |address| address.strip_suffix(b">").unwrap_or(address))
}
