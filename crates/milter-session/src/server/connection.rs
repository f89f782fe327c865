//! One connection: passes packets to its [`Session`] and a complete message to the [`Handler`], and writes the answer
//! in one flush.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::sync::watch;
use tokio::time::{Instant, timeout, timeout_at};

use super::super::answer::{Answer, Ending};
use super::super::session::{Completeness, Mail, Session, Step, Violation};
use super::super::wire;
use super::slots::Slot;
use super::{Event, Handler, Shared, Waiting};

/// Why a connection ended without QUIT.
pub(super) enum ConnectionError {
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

/// Time after SIGTERM in which an idle connection may still begin a message: its SMTP session has
/// begun, and closing it would defer the session's next message.
const DRAIN_GRACE: Duration = Duration::from_secs(3);

/// Buffer for reading from a new connection.
const INPUT_BYTES: usize = 4 << 10;
/// Most bytes that the buffer grows by while content is received: a whole chunk.
const INPUT_BYTES_CONTENT: usize = 128 << 10;
/// Bytes of each buffer that a connection keeps from one message to the next. Most messages fit, so they need
/// no allocation.
const MAX_KEPT_BYTES: usize = 64 << 10;
/// An answer up to this size is sent in one write, a larger one in writes of this size.
const OUTPUT_BYTES: usize = 256 << 10;

/// One connection: reads packets, passes messages to the handler, writes answers.
pub(super) struct Connection<'s, S, H: Handler> {
    stream: S,
    session: Session,
    /// What the handler wants to keep of the beginning of the message that has begun.
    begun: Option<H::Begun>,
    input: Vec<u8>,
    output: Vec<u8>,
    held: HeldBytes<'s>,
    /// Bytes of all messages with this one, when it was the one too many.
    refused: usize,
    shared: &'s Shared<H>,
    slot: Slot,
    drain: watch::Receiver<bool>,
    /// When to close the connection for the drain, if there is no message then.
    close_at: Option<Instant>,
    /// Bytes read.
    pub received: u64,
    /// Bytes written.
    pub sent: u64,
}

impl<'s, S, H> Connection<'s, S, H>
where
    S: AsyncRead + AsyncWrite + Unpin,
    H: Handler,
{
    pub fn new(
        stream: S,
        shared: &'s Shared<H>,
        slot: Slot,
        drain: watch::Receiver<bool>,
    ) -> Connection<'s, S, H> {
        Connection {
            stream,
            session: Session::new(shared.limits.load().session),
            begun: None,
            input: Vec::new(),
            output: Vec::new(),
            held: HeldBytes { all: &shared.held, bytes: 0 },
            refused: 0,
            shared,
            slot,
            drain,
            close_at: None,
            received: 0,
            sent: 0,
        }
    }

    /// Serves the connection until it is closed.
    pub async fn run(&mut self) -> Result<(), ConnectionError> {
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

    /// What is waited for in the current state.
    fn waiting(&self) -> Waiting {
        match (self.session.in_content(), self.session.in_message()) {
            (true, _) => Waiting::Content,
            (false, true) => Waiting::Envelope,
            (false, false) => Waiting::Command,
        }
    }

    /// How long to wait for it.
    fn time_limit(&self) -> Duration {
        let limits = self.shared.limits.load();
        match self.waiting() {
            Waiting::Content => limits.message,
            Waiting::Envelope => limits.envelope.max(limits.idle),
            Waiting::Command | Waiting::Reply => limits.idle,
        }
    }

    /// The queue id of the message that has begun.
    pub fn queue_id(&self) -> String {
        self.session.queue_id()
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
                Step::ReadOn => self.note_beginning(),
                Step::Message(mail) => self.message(mail).await?,
                Step::Close => return Ok(None),
            }
        }
        self.input.drain(..at);
        let held = self.session.held();
        if self.session.in_message() && !self.hold(held) {
            self.session.drop_content();
            self.held.set(self.session.held());
        } else {
            self.held.set(held);
        }
        Ok(Some(taken))
    }

    /// Asks the handler what to keep when a message begins, and forgets it when a message is given up.
    fn note_beginning(&mut self) {
        if !self.session.in_message() {
            self.begun = None;
        } else if self.begun.is_none() {
            self.session.set_bounds(self.shared.limits.load().session);
            self.begun = Some(self.shared.handler.begin());
        }
    }

    /// Whether this connection may hold so many bytes beside those of all others.
    fn hold(&mut self, bytes: usize) -> bool {
        let limit = self.shared.limits.load().memory_for(bytes);
        let held = self.held.hold(bytes, limit);
        if let Err(all) = held {
            self.refused = all;
        }
        held.is_ok()
    }

    async fn message(&mut self, mail: Box<Mail>) -> Result<(), ConnectionError> {
        self.slot.set_busy();
        let fits = self.hold(mail.held());
        let mail = Arc::new(*mail);
        let handler = &self.shared.handler;
        let begun = self.begun.take().unwrap_or_else(|| handler.begin());
        let dropped = mail.completeness == Completeness::Dropped;
        let answer = if dropped || !fits {
            handler.event(Event::OutOfMemory {
                held: self.refused,
                limit: self.shared.limits.load().memory_bytes,
            });
            handler.put_off(&mail, begun);
            let line = "451 4.3.2 Too much mail at once, try again later".to_owned();
            Answer { ending: Ending::Tempfail(line), ..Answer::default() }
        } else {
            handler.message(Arc::clone(&mail), begun).await
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
            Err(_) => Err(ConnectionError::Deadline(self.waiting())),
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

    /// Holds so many bytes, if all together are within the limit then; else none, and says how many there would have
    /// been. Both in one step: of two messages that do not fit together the first one makes way, and the other one
    /// goes on.
    fn hold(&mut self, bytes: usize, limit: usize) -> Result<(), usize> {
        let others = |all: usize| all.saturating_sub(self.bytes);
        let step = |all| {
            let wanted = others(all).saturating_add(bytes);
            Some(if wanted > limit { others(all) } else { wanted })
        };
        let (Ok(before) | Err(before)) =
            self.all.fetch_update(Ordering::Relaxed, Ordering::Relaxed, step);
        let wanted = others(before).saturating_add(bytes);
        self.bytes = if wanted > limit { 0 } else { bytes };
        if wanted > limit { Err(wanted) } else { Ok(()) }
    }
}

impl Drop for HeldBytes<'_> {
    fn drop(&mut self) {
        self.set(0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_two_that_do_not_fit_together_one_makes_way_at_once() {
        let all = AtomicUsize::new(0);
        let mut one = HeldBytes { all: &all, bytes: 0 };
        let mut other = HeldBytes { all: &all, bytes: 0 };
        assert_eq!(one.hold(50, 100), Ok(()));
        assert_eq!(other.hold(50, 100), Ok(()));
        assert_eq!(one.hold(51, 100), Err(101));
        assert_eq!(all.load(Ordering::Relaxed), 50);
        assert_eq!(other.hold(100, 100), Ok(()));
        assert_eq!(one.hold(0, 100), Ok(()));
        drop(other);
        assert_eq!(one.hold(usize::MAX, 100), Err(usize::MAX));
        assert_eq!(all.load(Ordering::Relaxed), 0);
    }
}
