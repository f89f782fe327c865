//! The milter on its sockets: accepting, deadlines, limits, drain.
//!
//! A connection reads packets into its [`Session`], hands a complete message to the [`Handler`]
//! and writes the answer in one flush. An error ends its own connection and no other.

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

mod roster;

use roster::{Roster, Seat};

/// Decides about messages. Called once a message, at its end.
pub trait Handler: Send + Sync + 'static {
    /// Decides about one message. The MTA waits for the answer, as long as its own timeout lets it.
    fn message(&self, mail: Arc<Mail>) -> impl Future<Output = Answer> + Send;

    /// Something happened that is no message.
    fn event(&self, _event: Event<'_>) {}
}

/// What happens on sockets, for logs and counters.
#[derive(Debug)]
pub enum Event<'a> {
    /// A connection was accepted.
    Opened,
    /// With the bytes that went over it.
    Closed {
        /// Bytes that the MTA sent.
        received: u64,
        /// Bytes that the MTA was sent.
        sent: u64,
    },
    /// The connection has been ended for what it sent.
    Violation(&'a Violation),
    /// The connection has been ended for its silence.
    Deadline(Waiting),
    /// The connection broke.
    Broken(&'a io::Error),
    /// A connection could not be accepted: descriptors, memory.
    NotAccepted(&'a io::Error),
    /// The longest idle connection has made room for a new one.
    Evicted,
    /// A message has been put off since too many bytes are in memory.
    OutOfMemory {
        /// Bytes of all messages in memory at that time.
        held: usize,
    },
    /// The drain deadline has cut connections that were still busy.
    DrainCut(usize),
}

/// What a connection waited for when its deadline passed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Waiting {
    /// The next command, between messages or in an envelope.
    Command,
    /// The rest of a message.
    Content,
    /// The MTA to take the answer.
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

/// Bounds of the server.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Connections at a time. At the limit the longest idle one makes room. Postfix opens one for
    /// each smtpd, 100 by default.
    pub connections: usize,
    /// Bytes of all messages in memory, those that are coming in as well. Over it, messages are put off
    /// (451): load passes, and whoever fills the memory must not get mail through unread.
    pub memory_bytes: usize,
    /// Between commands while no content is coming. An MTA keeps a connection as long as its
    /// client's session; libmilter waits 7,210 s.
    pub idle: Duration,
    /// From the first header field to the end of the message. MTAs send content from their spool,
    /// so only a stuck one takes long.
    pub message: Duration,
    /// For the MTA to take an answer. Postfix's content timeout is 300 s.
    pub reply: Duration,
    /// For busy connections to end after SIGTERM. systemd kills after 90 s.
    pub drain: Duration,
    /// What one connection may send.
    pub session: Bounds,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            connections: 900,
            memory_bytes: 2 << 30,
            idle: Duration::from_secs(7_210),
            message: MESSAGE,
            reply: Duration::from_secs(300),
            drain: Duration::from_secs(30),
            session: Bounds::default(),
        }
    }
}

/// The server: listeners to accept from, and what its connections share.
#[derive(Debug)]
pub struct Server<H> {
    shared: Arc<Shared<H>>,
}

#[derive(Debug)]
struct Shared<H> {
    handler: Arc<H>,
    limits: ArcSwap<Limits>,
    roster: Roster,
    /// Bytes of messages held by all connections.
    held: AtomicUsize,
}

impl<H: Handler> Server<H> {
    /// A server that asks this handler about every message; it listens nowhere yet.
    pub fn new(handler: Arc<H>, limits: Limits) -> Server<H> {
        let roster = Roster::new(limits.connections);
        let limits = ArcSwap::from_pointee(limits);
        Server { shared: Arc::new(Shared { handler, limits, roster, held: AtomicUsize::new(0) }) }
    }

    /// Sets other limits. [`Limits::session`] holds for connections that come from now on,
    /// [`Limits::connections`] as it was at the start, the rest at once.
    pub fn set_limits(&self, limits: Limits) {
        self.shared.limits.store(Arc::new(limits));
    }

    /// Accepts until `drain` turns true, then lets messages that have begun end.
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

/// A socket that connections come from.
trait Accept: Send + Sync + 'static {
    type Stream: AsyncRead + AsyncWrite + Unpin + Send + 'static;

    fn accept(&self) -> impl Future<Output = io::Result<Self::Stream>> + Send;
}

impl Accept for TcpListener {
    type Stream = TcpStream;

    /// Without `TCP_NODELAY` an answer waits 40 ms for the MTA's acknowledgement.
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

/// From the first header field to the end of a message: MTAs send content from their spool.
const MESSAGE: Duration = Duration::from_secs(300);

/// How long after SIGTERM a connection without a message may still begin one: its SMTP session has
/// begun, and closing it would put the session's next message off.
const GRACE: Duration = Duration::from_secs(3);

/// The first pause after a failed accept; each failure doubles it.
const BACK_OFF: Duration = Duration::from_millis(50);
/// The longest pause after a failed accept.
const BACK_OFF_MOST: Duration = Duration::from_secs(1);

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
                    let seat = tokio::select! {
                        seat = self.roster.take(|| self.handler.event(Event::Evicted)) => seat,
                        _ = drain.changed() => break,
                    };
                    let shared = Arc::clone(&self);
                    tasks.spawn(shared.serve(stream, seat, drain.clone()));
                }
                // Descriptors come back when connections end; the longest idle one may as well.
                Err(error) => {
                    self.handler.event(Event::NotAccepted(&error));
                    if self.roster.evict() {
                        self.handler.event(Event::Evicted);
                    }
                    sleep(back_off).await;
                    back_off = (back_off * 2).min(BACK_OFF_MOST);
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

    async fn serve<S>(self: Arc<Self>, stream: S, seat: Seat, drain: watch::Receiver<bool>)
    where
        S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    {
        self.handler.event(Event::Opened);
        let mut connection = Connection {
            stream,
            session: Session::new(self.limits.load().session),
            input: Vec::new(),
            output: Vec::new(),
            held: Held { all: &self.held, bytes: 0 },
            shared: &self,
            seat,
            drain,
            leave_at: None,
            received: 0,
            sent: 0,
        };
        match connection.run().await {
            Ok(()) => {}
            Err(End::Violation(violation)) => {
                self.handler.event(Event::Violation(&violation));
            }
            Err(End::Deadline(waiting)) => self.handler.event(Event::Deadline(waiting)),
            Err(End::Broken(error)) => self.handler.event(Event::Broken(&error)),
        }
        let (received, sent) = (connection.received, connection.sent);
        drop(connection);
        self.handler.event(Event::Closed { received, sent });
    }
}

/// Why a connection ended before its good-bye.
enum End {
    Violation(Violation),
    Deadline(Waiting),
    Broken(io::Error),
}

impl From<Violation> for End {
    fn from(violation: Violation) -> End {
        End::Violation(violation)
    }
}

impl From<io::Error> for End {
    fn from(error: io::Error) -> End {
        End::Broken(error)
    }
}

/// Bytes read ahead of a new connection.
const INPUT_BYTES: usize = 4 << 10;
/// Bytes read ahead at most while content comes in: a whole chunk.
const INPUT_BYTES_CONTENT: usize = 128 << 10;
/// What a connection keeps of its buffers from one message to the next: most messages fit in, so that
/// nothing is asked of the allocator for them.
const KEPT_BYTES: usize = 64 << 10;
/// An answer up to this size leaves in one write; a larger one in writes of this size.
const OUTPUT_BYTES: usize = 256 << 10;
/// Of the bytes that messages may take in memory, one part of so many is kept for those up to
/// [`SMALL_BYTES`]: large ones that do not come to their end keep nobody else out.
const KEPT_FOR_SMALL: usize = 16;
const SMALL_BYTES: usize = 64 << 10;

struct Connection<'s, S, H> {
    stream: S,
    session: Session,
    input: Vec<u8>,
    output: Vec<u8>,
    held: Held<'s>,
    shared: &'s Shared<H>,
    seat: Seat,
    drain: watch::Receiver<bool>,
    /// When to leave for the drain, if no message is under way then.
    leave_at: Option<Instant>,
    received: u64,
    sent: u64,
}

impl<S, H> Connection<'_, S, H>
where
    S: AsyncRead + AsyncWrite + Unpin,
    H: Handler,
{
    async fn run(&mut self) -> Result<(), End> {
        let mut deadline = Instant::now() + self.patience();
        let mut in_content = false;
        loop {
            let taken = self.packets().await?;
            let Some(taken) = taken else { return Ok(()) };
            self.flush().await?;
            if self.session.in_content() != in_content {
                in_content = !in_content;
                deadline = Instant::now() + self.patience();
            } else if taken > 0 && !in_content {
                deadline = Instant::now() + self.patience();
            }
            if !self.read(deadline).await? {
                return Ok(());
            }
        }
    }

    fn patience(&self) -> Duration {
        let limits = self.shared.limits.load();
        if self.session.in_content() { limits.message } else { limits.idle }
    }

    /// Takes every whole packet of the input; how many, or `None` after a good-bye.
    async fn packets(&mut self) -> Result<Option<usize>, End> {
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
        if self.session.in_content() && !self.has_room() {
            self.session.let_go();
            self.held.set(0);
        }
        Ok(Some(taken))
    }

    /// Whether there is room for what this connection holds beside what all others hold.
    fn has_room(&self) -> bool {
        let most = self.shared.limits.load().memory_bytes;
        let kept = if self.held.bytes > SMALL_BYTES { most / KEPT_FOR_SMALL } else { 0 };
        self.held.total() <= most - kept
    }

    async fn message(&mut self, mail: Box<Mail>) -> Result<(), End> {
        self.seat.busy();
        self.held.set(mail.head.len() + mail.body.len());
        let mail = Arc::new(*mail);
        let dropped = mail.completeness == Completeness::Dropped;
        let answer = if dropped || !self.has_room() {
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

    async fn flush(&mut self) -> Result<(), End> {
        if self.output.is_empty() {
            return Ok(());
        }
        let patience = self.shared.limits.load().reply;
        self.sent += self.output.len() as u64;
        match timeout(patience, self.stream.write_all(&self.output)).await {
            Ok(written) => written?,
            Err(_) => return Err(End::Deadline(Waiting::Reply)),
        }
        self.output.clear();
        self.output.shrink_to(KEPT_BYTES);
        Ok(())
    }

    /// Waits for more input; false at the end of the stream, and when the connection is to give
    /// its place away.
    async fn read(&mut self, deadline: Instant) -> Result<bool, End> {
        let in_message = self.session.in_message();
        self.reserve();
        if !in_message {
            self.seat.idle();
        }
        if self.leave_at.is_none() && *self.drain.borrow() {
            let grace = GRACE.min(self.shared.limits.load().drain);
            self.leave_at = Some(Instant::now() + grace);
        }
        let leave_at = self.leave_at.filter(|_| !in_message);
        let read = tokio::select! {
            biased;
            read = timeout_at(deadline, self.stream.read_buf(&mut self.input)) => read,
            () = until(leave_at), if leave_at.is_some() => return Ok(false),
            // Looks again, with a time to leave.
            _ = self.drain.changed(), if self.leave_at.is_none() => return Ok(true),
            () = self.seat.evicted(), if !in_message => return Ok(false),
        };
        self.seat.busy();
        match read {
            Ok(Ok(bytes)) => {
                self.received += bytes as u64;
                Ok(bytes > 0)
            }
            Ok(Err(error)) => Err(End::Broken(error)),
            Err(_) if self.session.in_content() => Err(End::Deadline(Waiting::Content)),
            Err(_) => Err(End::Deadline(Waiting::Command)),
        }
    }

    /// Room for the rest of the packet that has begun. What a large message needed goes back after it.
    fn reserve(&mut self) {
        let wanted = wire::missing(&self.input).clamp(INPUT_BYTES, INPUT_BYTES_CONTENT);
        if !self.session.in_message() {
            self.input.shrink_to(KEPT_BYTES);
        }
        if self.input.capacity() - self.input.len() < wanted {
            self.input.reserve(wanted);
        }
    }
}

/// Sleeps until then; for ever without a time.
async fn until(time: Option<Instant>) {
    match time {
        Some(time) => tokio::time::sleep_until(time).await,
        None => std::future::pending().await,
    }
}

/// This connection's share of the bytes in memory, given back when dropped.
#[derive(Debug)]
struct Held<'s> {
    all: &'s AtomicUsize,
    bytes: usize,
}

impl Held<'_> {
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

impl Drop for Held<'_> {
    fn drop(&mut self) {
        self.set(0);
    }
}
