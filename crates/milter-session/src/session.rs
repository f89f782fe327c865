//! One milter connection as a state machine: packets in, replies and messages out.
//!
//! It has no socket and no clock. One connection transports many messages and, after `QUIT_NC`, many
//! SMTP sessions; no data of one leaks into the next.

use std::net::IpAddr;

use super::wire::{
    Actions, Command, Malformed, Packet, Peer, Protocol, Reply, Stage, VERSION, command_name,
};

/// The actions that we may perform.
const ACTIONS: Actions = Actions::ADD_HEADERS
    .with(Actions::CHANGE_BODY)
    .with(Actions::CHANGE_HEADERS)
    .with(Actions::QUARANTINE)
    .with(Actions::SET_MACROS);

/// The protocol flags that we ask for: no commands that are not read here, and no replies before the last. This
/// is essential for speed: an MTA that waits for no replies sends a message at once.
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

/// The macros that we ask for: host name, authentication, queue id. For mail from smtpd, Postfix knows the queue
/// id at RCPT or later; for other mail, at MAIL.
const MACROS: &[(Stage, &str)] = &[
    (Stage::Connect, "j"),
    (Stage::Mail, "i {auth_authen} {auth_type}"),
    (Stage::Rcpt, "i"),
    (Stage::EndOfMessage, "i"),
];

/// The macros that are kept. An MTA may send many more, with values of any length.
const KEPT_MACROS: [&[u8]; 3] = [HOST_NAME, QUEUE_ID, AUTHENTICATED];

const HOST_NAME: &[u8] = b"j";
const QUEUE_ID: &[u8] = b"i";
const AUTHENTICATED: &[u8] = b"auth_authen";

/// Recipients of one message that are kept for the policy: ten times what Postfix accepts in a transaction.
const MAX_RECIPIENTS: usize = 10_000;

/// Limits on the memory of one connection.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// Bytes of head and body of one message. The rest is dropped, and
    /// [`Mail::completeness`] becomes [`Completeness::Cut`].
    pub message_bytes: usize,
    /// Recipients of one message that are kept for the policy. [`Mail::recipients_omitted`] counts the rest.
    pub recipients: usize,
}

impl Default for Bounds {
    fn default() -> Self {
        Bounds { message_bytes: 128 << 20, recipients: MAX_RECIPIENTS }
    }
}

/// How a message came into the MTA.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Origin {
    /// By SMTP: a rejection is sent to the client.
    #[default]
    Smtp,
    /// By the `sendmail` command (`non_smtpd_milters`): addresses are without `<>`. The filter does not reject such
    /// messages, since that would cause a bounce to the sender.
    Local,
}

/// Whether a message was kept completely.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Completeness {
    /// Completely.
    #[default]
    Whole,
    /// It exceeded [`Bounds::message_bytes`]; head and body are truncated.
    Cut,
    /// There was not enough memory ([`Session::drop_content`]): head and body are empty.
    Dropped,
}

/// A message with its envelope, as received from the MTA.
#[derive(Clone, Debug, Default)]
pub struct Mail {
    /// The client's name as the MTA knows it.
    pub client_name: Vec<u8>,
    /// Address of the client, as the MTA saw it.
    pub client: Peer,
    /// By SMTP, or by the `sendmail` command.
    pub origin: Origin,
    /// Reverse path without `<>`; empty for bounces.
    pub sender: Vec<u8>,
    /// ESMTP parameters of MAIL: `SIZE=…`, `BODY=8BITMIME`, `SMTPUTF8`.
    pub parameters: Vec<Vec<u8>>,
    /// Forward paths without `<>`, at most [`Bounds::recipients`].
    pub recipients: Vec<Vec<u8>>,
    /// Number of recipients that are not among them.
    pub recipients_omitted: usize,
    /// Host name of the MTA (macro `j`).
    pub host_name: Vec<u8>,
    /// Queue id (macro `i`); empty if the MTA sent none.
    pub queue_id: Vec<u8>,
    /// The authenticated user (macro `{auth_authen}`); empty if there is none.
    pub authenticated: Vec<u8>,
    /// Header fields in order, lines ended by CRLF, without the empty line.
    pub head: Vec<u8>,
    /// The bytes after the empty line, as received.
    pub body: Vec<u8>,
    /// Bytes of the message, including dropped ones.
    pub size: usize,
    /// Whether [`Mail::head`] and [`Mail::body`] are the whole message.
    pub completeness: Completeness,
    /// The actions that the MTA allows.
    pub actions: Actions,
    /// The negotiated protocol flags.
    pub protocol: Protocol,
}

impl Mail {
    /// The client's IP address, if it has one.
    pub fn client_address(&self) -> Option<IpAddr> {
        match self.client {
            Peer::Inet { address, .. } => Some(address),
            _ => None,
        }
    }

    /// The queue id for logs; `-` if there is none.
    pub fn queue_id(&self) -> String {
        shown_id(&self.queue_id)
    }

    /// Bytes in memory of header and body.
    fn content_bytes(&self) -> usize {
        self.head.len() + self.body.len()
    }

    /// Bytes in memory of content and envelope.
    #[cfg(feature = "server")]
    pub(crate) fn held(&self) -> usize {
        let envelope = self.recipients.iter().chain(&self.parameters).chain([&self.sender]);
        self.content_bytes() + envelope.map(|text| memory(text)).sum::<usize>()
    }
}

fn shown_id(id: &[u8]) -> String {
    if id.is_empty() {
        return "-".to_owned();
    }
    id.iter().map(|&byte| printable(byte)).collect()
}

fn printable(byte: u8) -> char {
    if byte.is_ascii_graphic() { char::from(byte) } else { '?' }
}

/// What to do after a packet.
#[derive(Debug)]
pub enum Step {
    /// Read the next packet. Replies may have been appended.
    ReadOn,
    /// Answer this message, which is complete. The MTA waits.
    Message(Box<Mail>),
    /// Close the connection: the MTA sent QUIT.
    Close,
}

/// A packet that ends the connection.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Violation {
    /// Bytes that cannot be parsed.
    #[error(transparent)]
    Malformed(#[from] Malformed),
    /// A command that is not allowed in this state.
    #[error("expected {expected}, found {}", command_name(*.found))]
    Order {
        /// The allowed commands, in words.
        expected: &'static str,
        /// The command byte that was received.
        found: u8,
    },
    /// The MTA's protocol version, which is too old.
    #[error("expected protocol version 2 or higher, found {0}")]
    Version(u32),
}

/// The state of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SessionState {
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

/// Names and values of macros.
type Macros = Vec<(Vec<u8>, Vec<u8>)>;

/// The state machine.
#[derive(Debug)]
pub struct Session {
    state: SessionState,
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
    /// Bytes in memory of the envelope in `mail`.
    envelope_bytes: usize,
}

impl Session {
    /// A new session, before its first packet.
    pub fn new(bounds: Bounds) -> Session {
        Session {
            state: SessionState::New,
            bounds,
            actions: Actions::default(),
            protocol: Protocol::default(),
            client_name: Vec::new(),
            client: Peer::default(),
            connection_macros: Macros::new(),
            message_macros: Macros::new(),
            mail: Box::default(),
            envelope_bytes: 0,
        }
    }

    /// Processes a packet; replies are appended to `out`. After an error the connection must be
    /// closed.
    pub fn packet(&mut self, packet: Packet<'_>, out: &mut Vec<u8>) -> Result<Step, Violation> {
        let command = packet.command()?;
        if self.state == SessionState::New {
            return self.negotiate(&command, out);
        }
        match command {
            Command::Negotiate { .. } => self.expect(&[SessionState::New], b'O')?,
            Command::Macros { stage, pairs } => self.keep_macros(stage, &pairs),
            Command::Connect { name, peer } => {
                self.expect(&[SessionState::Idle], b'C')?;
                name.clone_into(&mut self.client_name);
                self.client = peer;
                self.reply_continue(Protocol::NR_CONNECT, out);
            }
            Command::Helo(_) => self.reply_continue(Protocol::NR_HELO, out),
            Command::Mail { address, parameters } => {
                self.expect(&[SessionState::Idle], b'M')?;
                self.begin_mail(address, &parameters);
                self.reply_continue(Protocol::NR_MAIL, out);
            }
            Command::Rcpt { address, .. } => {
                self.expect(&[SessionState::Envelope], b'R')?;
                self.keep_recipient(address);
                self.reply_continue(Protocol::NR_RCPT, out);
            }
            Command::Data => {
                self.expect(&[SessionState::Envelope], b'T')?;
                self.reply_continue(Protocol::NR_DATA, out);
            }
            Command::Header { name, value } => {
                self.expect(&[SessionState::Envelope, SessionState::Head], b'L')?;
                self.state = SessionState::Head;
                self.keep_field(name, value);
                self.reply_continue(Protocol::NR_HEADER, out);
            }
            Command::EndOfHeaders => {
                self.expect(&[SessionState::Envelope, SessionState::Head], b'N')?;
                self.state = SessionState::Body;
                self.reply_continue(Protocol::NR_EOH, out);
            }
            Command::Body(chunk) => {
                self.keep_body(chunk, b'B')?;
                self.reply_continue(Protocol::NR_BODY, out);
            }
            Command::EndOfMessage(chunk) => {
                self.keep_body(chunk, b'E')?;
                return Ok(Step::Message(self.finish()));
            }
            Command::Abort => self.reset(),
            Command::Unknown(_) => self.reply_continue(Protocol::NR_UNKNOWN, out),
            Command::QuitNewConnection => self.reset_connection(),
            Command::Quit => return Ok(Step::Close),
        }
        Ok(Step::ReadOn)
    }

    /// Sets other limits, for what is received from now on.
    pub fn set_bounds(&mut self, bounds: Bounds) {
        self.bounds = bounds;
    }

    /// Whether the content of a message is being received: from its first header field to its end.
    pub fn in_content(&self) -> bool {
        matches!(self.state, SessionState::Head | SessionState::Body)
    }

    /// Whether a message has begun (by MAIL) and not ended.
    pub fn in_message(&self) -> bool {
        !matches!(self.state, SessionState::New | SessionState::Idle)
    }

    /// The queue id of the message that has begun, for logs; `-` if there is none.
    pub fn queue_id(&self) -> String {
        if self.in_message() { shown_id(&self.macro_value(QUEUE_ID)) } else { shown_id(&[]) }
    }

    /// Bytes in memory of the message that is being received: its content, its envelope, and the macros for it.
    pub fn held(&self) -> usize {
        let macros = self.message_macros.iter().chain(&self.connection_macros);
        let macros: usize = macros.map(|(name, value)| name.len() + value.len()).sum();
        self.mail.content_bytes() + self.envelope_bytes + macros
    }

    /// Drops the content of the message that is being received, and of the rest of it, further recipients too.
    pub fn drop_content(&mut self) {
        self.mail.completeness = Completeness::Dropped;
        self.mail.head = Vec::new();
        self.mail.body = Vec::new();
    }

    /// Returns the buffers of an answered message, so that the next one can use them.
    pub fn recycle(&mut self, mut mail: Mail) {
        /// Larger buffers are freed: most messages are far smaller.
        const MAX_KEPT_BYTES: usize = 64 << 10;
        if self.mail.content_bytes() == 0
            && mail.body.capacity() + mail.head.capacity() <= MAX_KEPT_BYTES
        {
            mail.head.clear();
            mail.body.clear();
            self.mail.head = mail.head;
            self.mail.body = mail.body;
        }
    }

    fn negotiate(&mut self, command: &Command<'_>, out: &mut Vec<u8>) -> Result<Step, Violation> {
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
                self.state = SessionState::Idle;
                Ok(Step::ReadOn)
            }
            Command::Quit => Ok(Step::Close),
            _ => Err(Violation::Order { expected: self.expected(), found: command.code() }),
        }
    }

    fn reply_continue(&self, no_reply: Protocol, out: &mut Vec<u8>) {
        if !self.protocol.has(no_reply) {
            Reply::Continue.encode(out);
        }
    }

    /// Checks that a command is allowed only in these states.
    fn expect(&self, states: &[SessionState], found: u8) -> Result<(), Violation> {
        match states.contains(&self.state) {
            true => Ok(()),
            false => Err(Violation::Order { expected: self.expected(), found }),
        }
    }

    fn expected(&self) -> &'static str {
        match self.state {
            SessionState::New => "OPTNEG",
            SessionState::Idle => "CONNECT, HELO, MAIL or QUIT",
            SessionState::Envelope => "RCPT, DATA, HEADER, EOH or BODY",
            SessionState::Head => "HEADER, EOH, BODY or BODYEOB",
            SessionState::Body => "BODY or BODYEOB",
        }
    }

    fn keep_macros(&mut self, stage: u8, pairs: &[(&[u8], &[u8])]) {
        // If Sendmail itself refuses all recipients of a message, it sends no ABORT, but the macros of the next MAIL.
        if stage == b'M' && self.state == SessionState::Envelope {
            self.reset();
        }
        let kept = match stage {
            b'C' | b'H' => &mut self.connection_macros,
            _ => &mut self.message_macros,
        };
        for &(name, value) in pairs {
            if let Some((_, old)) = kept.iter_mut().find(|(known, _)| known == name) {
                *old = value.to_vec();
            } else if KEPT_MACROS.contains(&name) {
                kept.push((name.to_vec(), value.to_vec()));
            }
        }
    }

    fn macro_value(&self, name: &[u8]) -> Vec<u8> {
        let all = self.message_macros.iter().chain(&self.connection_macros);
        all.into_iter().find(|(known, _)| known == name).map(|(_, v)| v.clone()).unwrap_or_default()
    }

    fn keep_recipient(&mut self, address: &[u8]) {
        let dropped = self.mail.completeness == Completeness::Dropped;
        if dropped || self.mail.recipients.len() >= self.bounds.recipients {
            self.mail.recipients_omitted += 1;
            return;
        }
        let recipient = strip_angles(address).to_vec();
        self.envelope_bytes += memory(&recipient);
        self.mail.recipients.push(recipient);
    }

    fn begin_mail(&mut self, address: &[u8], parameters: &[&[u8]]) {
        self.state = SessionState::Envelope;
        let mail = &mut self.mail;
        mail.origin = if address.starts_with(b"<") { Origin::Smtp } else { Origin::Local };
        mail.sender = strip_angles(address).to_vec();
        mail.parameters = parameters.iter().map(|parameter| parameter.to_vec()).collect();
        self.envelope_bytes =
            mail.parameters.iter().chain([&mail.sender]).map(|text| memory(text)).sum();
    }

    /// Adds a field to the head as it was in the message. The MTA sends folds as LF.
    fn keep_field(&mut self, name: &[u8], value: &[u8]) {
        self.count(name.len() + value.len() + 3);
        if self.mail.completeness != Completeness::Whole {
            return;
        }
        let head = &mut self.mail.head;
        head.extend_from_slice(name);
        head.push(b':');
        // Without LEADING_SPACE the MTA has removed one space, but not a tab.
        if !self.protocol.has(Protocol::LEADING_SPACE) && !value.starts_with(b"\t") {
            head.push(b' ');
        }
        let mut start = 0;
        for end in memchr::memchr_iter(b'\n', value) {
            let line = value.get(start..end).unwrap_or_default();
            head.extend_from_slice(line);
            head.extend_from_slice(if line.ends_with(b"\r") { b"\n" } else { b"\r\n" });
            start = end + 1;
        }
        head.extend_from_slice(value.get(start..).unwrap_or_default());
        head.extend_from_slice(b"\r\n");
    }

    fn keep_body(&mut self, chunk: &[u8], code: u8) -> Result<(), Violation> {
        self.expect(&[SessionState::Envelope, SessionState::Head, SessionState::Body], code)?;
        self.state = SessionState::Body;
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
        mail.host_name = self.macro_value(HOST_NAME);
        mail.queue_id = self.macro_value(QUEUE_ID);
        mail.authenticated = self.macro_value(AUTHENTICATED);
        mail.actions = self.actions;
        mail.protocol = self.protocol;
        self.reset();
        mail
    }

    /// Clears the message. ABORT may come at any time, even after the end of a message.
    fn reset(&mut self) {
        self.state = SessionState::Idle;
        self.message_macros.clear();
        let (mut head, mut body) =
            (std::mem::take(&mut self.mail.head), std::mem::take(&mut self.mail.body));
        head.clear();
        body.clear();
        *self.mail = Mail::default();
        self.envelope_bytes = 0;
        self.recycle(Mail { head, body, ..Mail::default() });
    }

    fn reset_connection(&mut self) {
        self.reset();
        self.connection_macros.clear();
        self.client_name.clear();
        self.client = Peer::Unknown;
    }
}

/// Bytes that a text of the envelope takes in memory.
fn memory(text: &[u8]) -> usize {
    size_of::<Vec<u8>>() + text.len()
}

fn strip_angles(address: &[u8]) -> &[u8] {
    address
        .strip_prefix(b"<")
        .map_or(address, |address| address.strip_suffix(b">").unwrap_or(address))
}
