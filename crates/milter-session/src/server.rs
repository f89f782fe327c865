//! The milter server: accepts connections, with deadlines, limits and drain.
//!
//! A connection passes packets to its [`Session`] and a complete message to the [`Handler`], and writes the
//! answer in one flush. An error ends only its own connection.

use std::fmt;
use std::future::Future;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use arc_swap::ArcSwap;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream, UnixListener, UnixStream};
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep, timeout, timeout_at};

use super::answer::{Answer, Ending};
use super::endpoint::{Listener, SocketFile};
use super::session::{Bounds, Completeness, Mail, Session, Step, Violation};
use super::wire;

mod connections;

use connections::{Connections, Slot};

/// Decides about messages. Called once per message, at its end.
pub trait Handler: Send + Sync + 'static {
    /// Decides about one message. The MTA waits for the answer until its own timeout.
    fn message(&self, mail: Arc<Mail>) -> impl Future<Output = Answer> + Send;

    /// Receives events, for logs and counters.
    fn event(&self, _event: Event<'_>) {}
}

/// An event of the server, for logs and counters.
#[derive(Debug)]
pub enum Event<'a> {
    /// A connection was accepted.
    Opened,
    /// A connection was closed.
    Closed {
        /// Bytes that the MTA sent.
        received: u64,
        /// Bytes that the MTA received.
        sent: u64,
    },
    /// A connection was closed because of a protocol violation.
    Violation(&'a Violation),
    /// A connection was closed because a deadline passed.
    Deadline(Waiting),
    /// A connection had an I/O error.
    Broken(&'a io::Error),
    /// A connection could not be accepted: no descriptors or memory.
    NotAccepted(&'a io::Error),
    /// The longest idle connection was closed to make space for a new one.
    Evicted,
    /// A message was deferred because too many bytes are in memory.
    OutOfMemory {
        /// Bytes of all messages in memory at that time.
        held: usize,
    },
    /// The drain deadline passed; this number of busy connections was closed.
    DrainCut(usize),
}

/// What a connection was waiting for when its deadline passed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Waiting {
    /// The next command, between messages or in an envelope.
    Command,
    /// The rest of the content of a message.
    Content,
    /// The MTA to read the answer.
    Reply,
}

impl fmt::Display for Waiting {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Waiting::Command => "command",
            Waiting::Content => "content",
            Waiting::Reply => "reply",
        })
    }
}

/// Limits of the server.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Open connections. At the limit the longest idle one is closed for a new one. Postfix opens one
    /// per smtpd, 100 by default.
    pub connections: usize,
    /// Bytes of all messages in memory, including incomplete ones. Above, messages are deferred (451): load
    /// is temporary, and a sender who fills the memory must not get mail through unread.
    pub memory_bytes: usize,
    /// Time between commands while no content is received. An MTA keeps a connection as long as its
    /// client's session; libmilter waits 7,210 s.
    pub idle: Duration,
    /// Time from the first header field to the end of the message. MTAs send content from their spool,
    /// so only a stuck one is slow.
    pub message: Duration,
    /// Time for the MTA to read an answer. Postfix's content timeout is 300 s.
    pub reply: Duration,
    /// Time for busy connections to end after SIGTERM. systemd kills after 90 s.
    pub drain: Duration,
    /// Limits of one connection.
    pub session: Bounds,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            connections: 900,
            memory_bytes: 2 << 30,
            idle: Duration::from_secs(7_210),
            message: MESSAGE_TIMEOUT,
            reply: Duration::from_secs(300),
            drain: Duration::from_secs(30),
            session: Bounds::default(),
        }
    }
}

/// The server, with the state that its connections share.
#[derive(Debug)]
pub struct Server<H> {
    shared: Arc<Shared<H>>,
}

#[derive(Debug)]
struct Shared<H> {
    handler: Arc<H>,
    limits: ArcSwap<Limits>,
    connections: Connections,
    /// Bytes of messages in memory, of all connections.
    held: AtomicUsize,
}

impl<H: Handler> Server<H> {
    /// A server that passes every message to this handler. It does not listen before [`Server::run`].
    pub fn new(handler: Arc<H>, limits: Limits) -> Server<H> {
        let connections = Connections::new(limits.connections);
        let limits = ArcSwap::from_pointee(limits);
        Server {
            shared: Arc::new(Shared { handler, limits, connections, held: AtomicUsize::new(0) }),
        }
    }

    /// Sets new limits. [`Limits::session`] applies to new connections, [`Limits::connections`] stays as it was
    /// at the start, the others apply immediately.
    pub fn set_limits(&self, limits: Limits) {
        self.shared.limits.store(Arc::new(limits));
    }

    /// Accepts connections until `drain` becomes true, then waits for messages that have begun.
    pub async fn run(
        &self,
        listeners: Vec<Listener>,
        drain: watch::Receiver<bool>,
    ) -> io::Result<()> {
        let mut tasks = JoinSet::new();
        for listener in listeners {
            let shared = Arc::clone(&self.shared);
            let drain = drain.clone();
            match listener {
                Listener::Inet(socket) => {
                    tasks.spawn(shared.accept(TcpListener::from_std(socket)?, drain));
                }
                Listener::Unix(socket, file) => {
                    let socket = (UnixListener::from_std(socket)?, file);
                    tasks.spawn(shared.accept(socket, drain));
                }
            }
        }
        while tasks.join_next().await.is_some() {}
        Ok(())
    }
}

/// A listening socket.
trait Accept: Send + Sync + 'static {
    type Stream: AsyncRead + AsyncWrite + Unpin + Send + 'static;

    fn accept(&self) -> impl Future<Output = io::Result<Self::Stream>> + Send;
}

impl Accept for TcpListener {
    type Stream = TcpStream;

    /// Sets `TCP_NODELAY`: without it an answer waits 40 ms for the MTA's acknowledgement.
    async fn accept(&self) -> io::Result<TcpStream> {
        let (stream, _) = TcpListener::accept(self).await?;
        stream.set_nodelay(true)?;
        Ok(stream)
    }
}

impl Accept for (UnixListener, Option<SocketFile>) {
    type Stream = UnixStream;

    async fn accept(&self) -> io::Result<UnixStream> {
        Ok(self.0.accept().await?.0)
    }
}

/// Default of [`Limits::message`].
const MESSAGE_TIMEOUT: Duration = Duration::from_secs(300);

/// Time after SIGTERM in which an idle connection may still begin a message: its SMTP session has
/// begun, and closing it would defer the session's next message.
const DRAIN_GRACE: Duration = Duration::from_secs(3);

/// The first pause after a failed accept; each failure doubles the pause.
const BACK_OFF: Duration = Duration::from_millis(50);
/// The longest pause after a failed accept.
const MAX_BACK_OFF: Duration = Duration::from_secs(1);

impl<H: Handler> Shared<H> {
    async fn accept(self: Arc<Self>, socket: impl Accept, mut drain: watch::Receiver<bool>) {
        let mut tasks = JoinSet::new();
        let mut back_off = BACK_OFF;
        while !*drain.borrow() {
            while tasks.try_join_next().is_some() {}
            let accepted = tokio::select! {
                accepted = socket.accept() => accepted,
                _ = drain.changed() => break,
            };
            match accepted {
                Ok(stream) => {
                    back_off = BACK_OFF;
                    let slot = tokio::select! {
                        slot = self.connections.take(|| self.handler.event(Event::Evicted)) => slot,
                        _ = drain.changed() => break,
                    };
                    let shared = Arc::clone(&self);
                    tasks.spawn(shared.serve(stream, slot, drain.clone()));
                }
                // Descriptors become free when connections end, so the longest idle one is closed.
                Err(error) => {
                    self.handler.event(Event::NotAccepted(&error));
                    if self.connections.evict() {
                        self.handler.event(Event::Evicted);
                    }
                    sleep(back_off).await;
                    back_off = (back_off * 2).min(MAX_BACK_OFF);
                }
            }
        }
        drop(socket);
        let all = async { while tasks.join_next().await.is_some() {} };
        if timeout(self.limits.load().drain, all).await.is_err() {
            self.handler.event(Event::DrainCut(tasks.len()));
            tasks.shutdown().await;
        }
    }

    async fn serve<S>(self: Arc<Self>, stream: S, slot: Slot, drain: watch::Receiver<bool>)
    where
        S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    {
        self.handler.event(Event::Opened);
        let mut connection = Connection {
            stream,
            session: Session::new(self.limits.load().session),
            input: Vec::new(),
            output: Vec::new(),
            held: HeldBytes { all: &self.held, bytes: 0 },
            shared: &self,
            slot,
            drain,
            close_at: None,
            received: 0,
            sent: 0,
        };
        match connection.run().await {
            Ok(()) => {}
            Err(ConnectionError::Violation(violation)) => {
                self.handler.event(Event::Violation(&violation));
            }
            Err(ConnectionError::Deadline(waiting)) => self.handler.event(Event::Deadline(waiting)),
            Err(ConnectionError::Broken(error)) => self.handler.event(Event::Broken(&error)),
        }
        let (received, sent) = (connection.received, connection.sent);
        drop(connection);
        self.handler.event(Event::Closed { received, sent });
    }
}

/// Why a connection ended without QUIT.
enum ConnectionError {
    Violation(Violation),
    Deadline(Waiting),
    Broken(io::Error),
}

impl From<Violation> for ConnectionError {
    fn from(violation: Violation) -> ConnectionError {
        ConnectionError::Violation(violation)
    }
}

impl From<io::Error> for ConnectionError {
    fn from(error: io::Error) -> ConnectionError {
        ConnectionError::Broken(error)
    }
}

/// Buffer for reading from a new connection.
const INPUT_BYTES: usize = 4 << 10;
/// Most bytes that the buffer grows by while content is received: a whole chunk.
const INPUT_BYTES_CONTENT: usize = 128 << 10;
/// Bytes of each buffer that a connection keeps from one message to the next. Most messages fit, so they need
/// no allocation.
const MAX_KEPT_BYTES: usize = 64 << 10;
/// An answer up to this size is sent in one write, a larger one in writes of this size.
const OUTPUT_BYTES: usize = 256 << 10;
/// This part (one sixteenth) of [`Limits::memory_bytes`] is reserved for messages up to [`SMALL_BYTES`], so that
/// large messages that never end do not block small ones.
const SMALL_RESERVE_DIVISOR: usize = 16;
const SMALL_BYTES: usize = 64 << 10;

struct Connection<'s, S, H> {
    stream: S,
    session: Session,
    input: Vec<u8>,
    output: Vec<u8>,
    held: HeldBytes<'s>,
    shared: &'s Shared<H>,
    slot: Slot,
    drain: watch::Receiver<bool>,
    /// When to close the connection for the drain, if there is no message then.
    close_at: Option<Instant>,
    received: u64,
    sent: u64,
}

impl<S, H> Connection<'_, S, H>
where
    S: AsyncRead + AsyncWrite + Unpin,
    H: Handler,
{
    async fn run(&mut self) -> Result<(), ConnectionError> {
        let mut deadline = Instant::now() + self.time_limit();
        let mut in_content = false;
        loop {
            let taken = self.packets().await?;
            let Some(taken) = taken else { return Ok(()) };
            self.flush().await?;
            if self.session.in_content() != in_content {
                in_content = !in_content;
                deadline = Instant::now() + self.time_limit();
            } else if taken > 0 && !in_content {
                deadline = Instant::now() + self.time_limit();
            }
            if !self.read(deadline).await? {
                return Ok(());
            }
        }
    }

    /// How long to wait for input in the current state.
    fn time_limit(&self) -> Duration {
        let limits = self.shared.limits.load();
        if self.session.in_content() { limits.message } else { limits.idle }
    }

    /// Processes all complete packets of the input; returns their number, or `None` after QUIT.
    async fn packets(&mut self) -> Result<Option<usize>, ConnectionError> {
        let mut taken = 0;
        let mut at = 0;
        while let Some((packet, size)) =
            wire::packet(self.input.get(at..).unwrap_or_default()).map_err(Violation::from)?
        {
            let step = self.session.packet(packet, &mut self.output)?;
            at += size;
            taken += 1;
            match step {
                Step::ReadOn => {}
                Step::Message(mail) => self.message(mail).await?,
                Step::Close => return Ok(None),
            }
        }
        self.input.drain(..at);
        self.held.set(self.session.held());
        if self.session.in_content() && !self.fits_in_memory() {
            self.session.drop_content();
            self.held.set(0);
        }
        Ok(Some(taken))
    }

    /// Whether the bytes of this connection and of all others together are within the limit.
    fn fits_in_memory(&self) -> bool {
        let max_bytes = self.shared.limits.load().memory_bytes;
        let reserve =
            if self.held.bytes > SMALL_BYTES { max_bytes / SMALL_RESERVE_DIVISOR } else { 0 };
        self.held.total() <= max_bytes - reserve
    }

    async fn message(&mut self, mail: Box<Mail>) -> Result<(), ConnectionError> {
        self.slot.set_busy();
        self.held.set(mail.head.len() + mail.body.len());
        let mail = Arc::new(*mail);
        let dropped = mail.completeness == Completeness::Dropped;
        let answer = if dropped || !self.fits_in_memory() {
            self.shared.handler.event(Event::OutOfMemory { held: self.held.total() });
            let line = "451 4.3.2 Too much mail at once, try again later".to_owned();
            Answer { ending: Ending::Tempfail(line), ..Answer::default() }
        } else {
            self.shared.handler.message(Arc::clone(&mail)).await
        };
        let mut packets = answer.packets(&mail);
        while packets.append(&mut self.output) {
            if self.output.len() >= OUTPUT_BYTES {
                self.flush().await?;
            }
        }
        self.flush().await?;
        if let Ok(mail) = Arc::try_unwrap(mail) {
            self.session.recycle(mail);
        }
        self.held.set(0);
        Ok(())
    }

    async fn flush(&mut self) -> Result<(), ConnectionError> {
        if self.output.is_empty() {
            return Ok(());
        }
        let reply_limit = self.shared.limits.load().reply;
        self.sent += self.output.len() as u64;
        match timeout(reply_limit, self.stream.write_all(&self.output)).await {
            Ok(written) => written?,
            Err(_) => return Err(ConnectionError::Deadline(Waiting::Reply)),
        }
        self.output.clear();
        self.output.shrink_to(MAX_KEPT_BYTES);
        Ok(())
    }

    /// Waits for more input; returns false at the end of the stream, and if the connection must be closed.
    async fn read(&mut self, deadline: Instant) -> Result<bool, ConnectionError> {
        let in_message = self.session.in_message();
        self.reserve();
        if !in_message {
            self.slot.set_idle();
        }
        if self.close_at.is_none() && *self.drain.borrow() {
            let grace = DRAIN_GRACE.min(self.shared.limits.load().drain);
            self.close_at = Some(Instant::now() + grace);
        }
        let close_at = self.close_at.filter(|_| !in_message);
        let read = tokio::select! {
            biased;
            read = timeout_at(deadline, self.stream.read_buf(&mut self.input)) => read,
            () = until(close_at), if close_at.is_some() => return Ok(false),
            // Called again, which sets `close_at`.
            _ = self.drain.changed(), if self.close_at.is_none() => return Ok(true),
            () = self.slot.evicted(), if !in_message => return Ok(false),
        };
        self.slot.set_busy();
        match read {
            Ok(Ok(bytes)) => {
                self.received += bytes as u64;
                Ok(bytes > 0)
            }
            Ok(Err(error)) => Err(ConnectionError::Broken(error)),
            Err(_) if self.session.in_content() => Err(ConnectionError::Deadline(Waiting::Content)),
            Err(_) => Err(ConnectionError::Deadline(Waiting::Command)),
        }
    }

    /// Reserves space for the rest of the current packet. After a large message its memory is freed.
    fn reserve(&mut self) {
        let wanted = wire::missing(&self.input).clamp(INPUT_BYTES, INPUT_BYTES_CONTENT);
        if !self.session.in_message() {
            self.input.shrink_to(MAX_KEPT_BYTES);
        }
        if self.input.capacity() - self.input.len() < wanted {
            self.input.reserve(wanted);
        }
    }
}

/// Sleeps until a time; forever without one.
async fn until(time: Option<Instant>) {
    match time {
        Some(time) => tokio::time::sleep_until(time).await,
        None => std::future::pending().await,
    }
}

/// This connection's share of the bytes in memory, released when dropped.
#[derive(Debug)]
struct HeldBytes<'s> {
    all: &'s AtomicUsize,
    bytes: usize,
}

impl HeldBytes<'_> {
    fn set(&mut self, bytes: usize) {
        if bytes >= self.bytes {
            self.all.fetch_add(bytes - self.bytes, Ordering::Relaxed);
        } else {
            self.all.fetch_sub(self.bytes - bytes, Ordering::Relaxed);
        }
        self.bytes = bytes;
    }

    fn total(&self) -> usize {
        self.all.load(Ordering::Relaxed)
    }
}

impl Drop for HeldBytes<'_> {
    fn drop(&mut self) {
        self.set(0);
    }
}
