//! The milter server: accepts connections, with deadlines, limits and drain.
//!
//! An error ends only its own connection.
//!
//! ```no_run
//! use std::sync::Arc;
//!
//! use milter_session::endpoint::{Access, Listener};
//! use milter_session::server::ServerLimits;
//! use milter_session::{Answer, Handler, HeaderChange, Mail, Server};
//! use tokio::sync::watch;
//!
//! /// Says in the header how long the body is.
//! struct Filter;
//!
//! impl Handler for Filter {
//!     type Begun = ();
//!
//!     fn begin(&self) {}
//!
//!     async fn message(&self, mail: Arc<Mail>, (): ()) -> Answer {
//!         let (name, value) = ("X-Body-Bytes".to_owned(), mail.body.len().to_string());
//!         Answer { header: vec![HeaderChange::Insert { name, value }], ..Answer::accept() }
//!     }
//! }
//!
//! #[tokio::main]
//! async fn main() -> Result<(), Box<dyn std::error::Error>> {
//!     let listener = Listener::bind(&"inet:8895@127.0.0.1".parse()?, Access::default())?;
//!     let server = Server::new(Arc::new(Filter), ServerLimits::default());
//!     // Send `true` to let connections end and `run` return.
//!     let (_stop, drain) = watch::channel(false);
//!     server.run(vec![listener], drain).await?;
//!     Ok(())
//! }
//! ```

use std::fmt;
use std::future::Future;
use std::io;
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
use std::time::Duration;

use arc_swap::ArcSwap;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream, UnixListener, UnixStream};
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep, timeout};

use super::answer::Answer;
use super::endpoint::{Listener, SocketFile};
use super::session::{Bounds, Mail, Violation};

mod connection;
mod slots;

use connection::{Connection, ConnectionError};
use slots::{Slot, Slots};

/// Decides about messages: called when one begins, and at its end.
pub trait Handler: Send + Sync + 'static {
    /// What a message keeps from its beginning to its end, such as the settings in force then.
    type Begun: Send + Sync + 'static;

    /// A message begins (MAIL). What is returned comes back with the message; it is dropped if the message does not
    /// come to its end.
    fn begin(&self) -> Self::Begun;

    /// Decides about one message. The MTA waits for the answer until its own timeout.
    fn message(&self, mail: Arc<Mail>, begun: Self::Begun) -> impl Future<Output = Answer> + Send;

    /// A message was deferred because too many bytes are in memory; perhaps it has lost its content.
    fn put_off(&self, _mail: &Arc<Mail>, _begun: Self::Begun) {}

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
    Violation(&'a Violation, &'a Connected),
    /// A connection was closed because a deadline passed.
    Deadline(Waiting, &'a Connected),
    /// A connection had an I/O error.
    Broken(&'a io::Error, &'a Connected),
    /// A connection could not be accepted: no descriptors or memory.
    NotAccepted(&'a io::Error),
    /// The longest idle connection was closed to make space for a new one.
    Evicted,
    /// A new connection waits: all are open, and each is in the middle of a message.
    Full {
        /// Open connections.
        connections: usize,
    },
    /// A new connection waits no longer.
    FullNoMore,
    /// A message was deferred because too many bytes are in memory.
    OutOfMemory {
        /// Bytes of all messages in memory at that time.
        held: usize,
        /// [`ServerLimits::memory_bytes`].
        limit: usize,
    },
    /// The drain deadline passed; this number of busy connections was closed.
    DrainCut(usize),
}

/// The connection that an event is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Connected {
    /// The address of the MTA; `unix` for a socket file.
    pub peer: String,
    /// The queue id of the message that had begun; `-` without one.
    pub queue_id: String,
    /// How long it was open.
    pub open: Duration,
}

/// What a connection was waiting for when its deadline passed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Waiting {
    /// The next command, between messages.
    Command,
    /// The next recipient or the first header field of a message.
    Envelope,
    /// The rest of the content of a message.
    Content,
    /// The MTA to read the answer.
    Reply,
}

impl fmt::Display for Waiting {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Waiting::Command => "command",
            Waiting::Envelope => "rest of the envelope, or content",
            Waiting::Content => "content",
            Waiting::Reply => "reply",
        })
    }
}

/// Limits of the server.
#[derive(Clone, Copy, Debug)]
pub struct ServerLimits {
    /// Open connections. At the limit the longest idle one is closed for a new one. Postfix opens one
    /// per smtpd, 100 by default.
    pub connections: usize,
    /// Bytes of all messages in memory with their envelopes, including incomplete ones. Above, messages are deferred (451): load
    /// is temporary, and a sender who fills the memory must not get mail through unread.
    pub memory_bytes: usize,
    /// Time between messages. An MTA keeps a connection as long as its client's session; libmilter waits
    /// 7,210 s.
    pub idle: Duration,
    /// Time between commands of an envelope, and from its end to the first header field. MTAs send nothing while
    /// they receive the content, which takes a slow client hours.
    pub envelope: Duration,
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

impl Default for ServerLimits {
    fn default() -> Self {
        ServerLimits {
            connections: 900,
            memory_bytes: 2 << 30,
            idle: LIBMILTER_TIMEOUT,
            envelope: LIBMILTER_TIMEOUT,
            message: MESSAGE_TIMEOUT,
            reply: Duration::from_secs(300),
            drain: Duration::from_secs(30),
            session: Bounds::default(),
        }
    }
}

impl ServerLimits {
    /// Most bytes that all messages together may take when one of them takes so many. A message as large as a session
    /// may bring fits beside what is reserved for small ones: else it would be deferred until its sender gives up.
    fn memory_for(&self, bytes: usize) -> usize {
        let largest = self.session.message_bytes.saturating_add(SMALL_BYTES);
        let least = largest.saturating_add(largest / (SMALL_RESERVE_DIVISOR - 1)).saturating_add(1);
        let all = self.memory_bytes.max(least);
        if bytes > SMALL_BYTES { all - all / SMALL_RESERVE_DIVISOR } else { all }
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
    limits: ArcSwap<ServerLimits>,
    slots: Slots,
    /// Bytes of messages in memory, of all connections.
    held: AtomicUsize,
}

impl<H: Handler> Server<H> {
    /// A server that passes every message to this handler. It does not listen before [`Server::run`].
    pub fn new(handler: Arc<H>, limits: ServerLimits) -> Server<H> {
        let slots = Slots::new(limits.connections);
        let limits = ArcSwap::from_pointee(limits);
        Server { shared: Arc::new(Shared { handler, limits, slots, held: AtomicUsize::new(0) }) }
    }

    /// Sets new limits. [`ServerLimits::session`] applies to messages that begin from now on, [`ServerLimits::connections`] stays
    /// as it was at the start, the others apply immediately.
    pub fn set_limits(&self, limits: ServerLimits) {
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

    /// The next connection, and the address of who made it.
    fn accept(&self) -> impl Future<Output = io::Result<(Self::Stream, String)>> + Send;
}

impl Accept for TcpListener {
    type Stream = TcpStream;

    /// Sets `TCP_NODELAY`: without it an answer waits 40 ms for the MTA's acknowledgement.
    async fn accept(&self) -> io::Result<(TcpStream, String)> {
        let (stream, peer) = TcpListener::accept(self).await?;
        stream.set_nodelay(true)?;
        Ok((stream, peer.to_string()))
    }
}

impl Accept for (UnixListener, Option<SocketFile>) {
    type Stream = UnixStream;

    async fn accept(&self) -> io::Result<(UnixStream, String)> {
        Ok((self.0.accept().await?.0, "unix".to_owned()))
    }
}

/// This part (one sixteenth) of [`ServerLimits::memory_bytes`] is reserved for messages up to [`SMALL_BYTES`], so that large
/// messages that never end do not block small ones.
const SMALL_RESERVE_DIVISOR: usize = 16;
const SMALL_BYTES: usize = 64 << 10;

/// What libmilter waits for a command.
const LIBMILTER_TIMEOUT: Duration = Duration::from_secs(7_210);

/// Default of [`ServerLimits::message`].
const MESSAGE_TIMEOUT: Duration = Duration::from_secs(300);

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
                Ok((stream, peer)) => {
                    back_off = BACK_OFF;
                    let slot = tokio::select! {
                        slot = self.slots.take(|event| self.handler.event(event)) => slot,
                        _ = drain.changed() => break,
                    };
                    let shared = Arc::clone(&self);
                    tasks.spawn(shared.serve((stream, peer), slot, drain.clone()));
                }
                // Descriptors become free when connections end, so the longest idle one is closed.
                Err(error) => {
                    self.handler.event(Event::NotAccepted(&error));
                    if self.slots.evict() {
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

    async fn serve<S>(
        self: Arc<Self>,
        (stream, peer): (S, String),
        slot: Slot,
        drain: watch::Receiver<bool>,
    ) where
        S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    {
        self.handler.event(Event::Opened);
        let opened = Instant::now();
        let mut connection = Connection::new(stream, &self, slot, drain);
        if let Err(error) = connection.run().await {
            let queue_id = connection.queue_id();
            let connected = Connected { peer, queue_id, open: opened.elapsed() };
            self.handler.event(match &error {
                ConnectionError::Violation(violation) => Event::Violation(violation, &connected),
                ConnectionError::Deadline(waiting) => Event::Deadline(*waiting, &connected),
                ConnectionError::Broken(error) => Event::Broken(error, &connected),
            });
        }
        let (received, sent) = (connection.received, connection.sent);
        drop(connection);
        self.handler.event(Event::Closed { received, sent });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_message_fits_beside_what_is_reserved_for_small_ones() {
        for (memory_bytes, message_bytes) in
            [(1 << 20, 1 << 20), (64 << 20, 64 << 20), (512 << 20, 128 << 20)]
        {
            let session = Bounds { message_bytes, ..Bounds::default() };
            let limits = ServerLimits { memory_bytes, session, ..ServerLimits::default() };
            let (large, small) = (limits.memory_for(message_bytes), limits.memory_for(0));
            assert!(large >= message_bytes + SMALL_BYTES, "{large} of {memory_bytes}");
            assert!(
                small >= memory_bytes && small - large >= memory_bytes / 16,
                "{small}, {large}"
            );
        }
        assert_eq!(ServerLimits::default().memory_for(0), ServerLimits::default().memory_bytes);
        let endless = Bounds { message_bytes: usize::MAX, ..Bounds::default() };
        let _ = ServerLimits { session: endless, ..ServerLimits::default() }.memory_for(usize::MAX);
    }
}
