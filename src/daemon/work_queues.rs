//! Queues for messages that would hold up an async worker: another thread judges them. The number of such
//! messages at a time is limited, and so is the memory that they may need together.

use std::sync::Arc;

use arc_swap::ArcSwap;
use rayon::{ThreadPool, ThreadPoolBuilder};
use tokio::sync::oneshot::{self, error::RecvError};
use tokio::sync::{AcquireError, OwnedSemaphorePermit, Semaphore};
use tokio::task::spawn_blocking;

use crate::config::Config;

/// One expensive message at a time for this many processors. Half of the machine is left to the async
/// workers.
const PROCESSORS_PER_EXPENSIVE: usize = 2;

/// Messages of more bytes are large: as many at a time as there are processors.
const MAX_MEDIUM_BYTES: usize = 128 << 10;

/// Medium messages that are judged at a time, for each processor.
const MEDIUM_PER_PROCESSOR: usize = 4;

/// The queue in which a message waits for a thread.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Queue {
    /// Small messages that take many steps.
    Expensive,
    /// Other messages, up to `MAX_MEDIUM_BYTES`, that would hold up a worker.
    Medium,
    /// Messages above `MAX_MEDIUM_BYTES`. Memory limits how many there may be.
    Large,
}

impl Queue {
    /// The queue for a message that has too many bytes for a worker.
    pub fn for_bytes(bytes: usize) -> Queue {
        if bytes > MAX_MEDIUM_BYTES { Queue::Large } else { Queue::Medium }
    }
}

/// How many messages are judged off the workers at a time, and in how much memory together.
pub struct WorkQueues {
    expensive: Arc<Semaphore>,
    medium: Arc<Semaphore>,
    large: Arc<Semaphore>,
    /// Large messages always run on the same threads. An allocator keeps freed memory for the thread that
    /// freed it, so the next message uses what the last one took. `None` if the system could start no
    /// threads: then tokio's blocking threads do the work.
    large_threads: Option<ThreadPool>,
    /// Memory that the engine may use besides the messages themselves.
    engine_memory: ArcSwap<EngineMemory>,
}

impl WorkQueues {
    /// Queues for the processors of this machine and the memory that the configuration gives.
    pub fn new(config: &Config) -> WorkQueues {
        let processors = std::thread::available_parallelism().map_or(1, usize::from);
        let large_threads = ThreadPoolBuilder::new()
            .num_threads(processors)
            .thread_name(|number| format!("large-{number}"))
            // The panic hook has logged it, and whoever waits gets a `RecvError`.
            .panic_handler(|_| {})
            .build();
        WorkQueues {
            expensive: Arc::new(Semaphore::new((processors / PROCESSORS_PER_EXPENSIVE).max(1))),
            medium: Arc::new(Semaphore::new(MEDIUM_PER_PROCESSOR * processors)),
            large: Arc::new(Semaphore::new(processors)),
            large_threads: large_threads.ok(),
            engine_memory: ArcSwap::from_pointee(EngineMemory::of(config)),
        }
    }

    /// Gives the engine as much memory as this configuration says. Messages that have started keep their
    /// share of the old memory.
    pub fn set_memory(&self, config: &Config) {
        let engine_memory = EngineMemory::of(config);
        if self.engine_memory.load().size_kib != engine_memory.size_kib {
            self.engine_memory.store(Arc::new(engine_memory));
        }
    }

    /// Does the work as soon as the queue lets it through and there is memory for a message of this many
    /// bytes. The queue comes before the memory: whoever waits in a queue holds no memory that others
    /// need, and whoever has memory waits for nobody.
    ///
    /// # Errors
    ///
    /// The work panicked.
    pub async fn run<T: Send + 'static>(
        &self,
        queue: Queue,
        bytes: usize,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, RecvError> {
        let semaphore = match queue {
            Queue::Expensive => &self.expensive,
            Queue::Medium => &self.medium,
            Queue::Large => &self.large,
        };
        let permit = Arc::clone(semaphore).acquire_owned().await;
        let memory = self.engine_memory.load_full().acquire(bytes).await;
        let (sender, receiver) = oneshot::channel();
        let work = move || {
            let result = work();
            drop((permit, memory));
            // Fails if the result came too late and nobody waits any more.
            let _ = sender.send(result);
        };
        match &self.large_threads {
            Some(threads) if queue == Queue::Large => threads.spawn(work),
            _ => drop(spawn_blocking(work)),
        }
        receiver.await
    }
}

/// Peak memory of the engine besides a message of this many bytes, in KiB (`tests/cost`): six times the
/// message and 16 MiB. For a small message 60 times its size is added instead of 16 MiB, which it cannot reach.
fn peak_kib(bytes: usize) -> u32 {
    let peak = bytes.saturating_mul(6).saturating_add(bytes.saturating_mul(60).min(16 << 20));
    u32::try_from(peak >> 10).unwrap_or(u32::MAX)
}

struct EngineMemory {
    size_kib: u32,
    /// One permit for each free KiB.
    free: Arc<Semaphore>,
}

impl EngineMemory {
    /// Half as much as the messages may take.
    fn of(config: &Config) -> EngineMemory {
        let size = config.server.max_memory.0 >> 11;
        let size_kib = u32::try_from(size).unwrap_or(u32::MAX).clamp(1, u32::MAX >> 4);
        EngineMemory { size_kib, free: Arc::new(Semaphore::new(size_kib as usize)) }
    }

    /// What a message of this many bytes needs, or all there is if it needs more.
    async fn acquire(&self, bytes: usize) -> Result<OwnedSemaphorePermit, AcquireError> {
        Arc::clone(&self.free).acquire_many_owned(peak_kib(bytes).min(self.size_kib)).await
    }
}
