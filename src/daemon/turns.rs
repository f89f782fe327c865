//! Turns: a message that would hold up an async worker is judged on another thread. The number of such
//! messages at a time is bounded, and so is the memory that they may need together.

use std::fmt;
use std::sync::Arc;

use arc_swap::ArcSwap;
use rayon::{ThreadPool, ThreadPoolBuilder};
use tokio::sync::oneshot::{self, error::RecvError};
use tokio::sync::{AcquireError, OwnedSemaphorePermit, Semaphore};
use tokio::task::spawn_blocking;

use crate::config::Config;

/// Processors for each dear message that is judged at a time. Half of the machine is left to the workers.
const DEAR: usize = 2;

/// Messages above this size are large: as many at a time as there are processors.
const LARGE_BYTES: usize = 128 << 10;

/// Messages of up to `LARGE_BYTES` that are judged off the async workers at a time, for each processor.
const MIDDLING: usize = 4;

/// The queue in which a message waits for its turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lane {
    /// Small messages that take many steps.
    Dear,
    /// Other messages, up to `LARGE_BYTES`, that would hold up a worker.
    Middling,
    /// Messages above `LARGE_BYTES`: memory limits how many there may be.
    Large,
}

impl Lane {
    /// The lane of a message that has too many bytes for a worker.
    pub fn of(bytes: usize) -> Lane {
        if bytes > LARGE_BYTES { Lane::Large } else { Lane::Middling }
    }
}

/// How many are judged apart at a time, and in how much memory together.
pub struct Turns {
    dear: Arc<Semaphore>,
    middling: Arc<Semaphore>,
    large: Arc<Semaphore>,
    /// Large messages have threads of their own, and always the same: an allocator keeps what a thread
    /// gave back for that thread, so what one message took the next one takes. `None` where the system
    /// has no threads left: then any thread does.
    threads: Option<ThreadPool>,
    /// What the engine may take beside the messages.
    engine_memory: ArcSwap<EngineMemory>,
}

impl Turns {
    /// Turns for this machine, in the memory that the configuration gives.
    pub fn new(config: &Config) -> Turns {
        let processors = std::thread::available_parallelism().map_or(1, usize::from);
        let threads = ThreadPoolBuilder::new()
            .num_threads(processors)
            .thread_name(|number| format!("large-{number}"))
            // Whoever waits for the work hears that it does not come; the hook has told why.
            .panic_handler(|_| {})
            .build();
        Turns {
            dear: Arc::new(Semaphore::new((processors / DEAR).max(1))),
            middling: Arc::new(Semaphore::new(MIDDLING * processors)),
            large: Arc::new(Semaphore::new(processors)),
            threads: threads.ok(),
            engine_memory: ArcSwap::from_pointee(EngineMemory::of(config)),
        }
    }

    /// Gives the engine as much memory as this configuration says. Messages that have begun keep what
    /// they have of the old.
    pub fn use_memory(&self, config: &Config) {
        let engine_memory = EngineMemory::of(config);
        if self.engine_memory.load().size != engine_memory.size {
            self.engine_memory.store(Arc::new(engine_memory));
        }
    }

    /// Does the work when it has its turn, and the memory for a message of this many bytes. The turn
    /// comes before the memory: whoever waits for a turn holds nothing that others could go on with, and
    /// whoever has memory waits for nobody.
    ///
    /// # Errors
    ///
    /// The work has panicked.
    pub async fn run<T: Send + 'static>(
        &self,
        lane: Lane,
        bytes: usize,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, RecvError> {
        let turns = match lane {
            Lane::Dear => &self.dear,
            Lane::Middling => &self.middling,
            Lane::Large => &self.large,
        };
        let turn = Arc::clone(turns).acquire_owned().await;
        let memory = self.engine_memory.load_full().take(bytes).await;
        let (tell, told) = oneshot::channel();
        let work = move || {
            let done = work();
            drop((turn, memory));
            // Nobody waits any more for what came too late.
            let _ = tell.send(done);
        };
        match &self.threads {
            Some(threads) if lane == Lane::Large => threads.spawn(work),
            _ => drop(spawn_blocking(work)),
        }
        told.await
    }
}

impl fmt::Debug for Turns {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Turns").finish_non_exhaustive()
    }
}

/// What the engine takes at its peak beside a message of this many bytes, in KiB (`tests/cost`): six
/// times the message and 16 MiB, which a small one cannot reach.
fn need(bytes: usize) -> u32 {
    let peak = bytes.saturating_mul(6).saturating_add(bytes.saturating_mul(60).min(16 << 20));
    u32::try_from(peak >> 10).unwrap_or(u32::MAX)
}

/// Memory of the engine.
struct EngineMemory {
    /// In KiB.
    size: u32,
    free: Arc<Semaphore>,
}

impl EngineMemory {
    /// Half of the memory of the messages is the engine's.
    fn of(config: &Config) -> EngineMemory {
        let size = config.server.max_memory.0 >> 11;
        let size = u32::try_from(size).unwrap_or(u32::MAX).clamp(1, u32::MAX >> 4);
        EngineMemory { size, free: Arc::new(Semaphore::new(size as usize)) }
    }

    /// What a message of this many bytes needs, or all that there is.
    async fn take(&self, bytes: usize) -> Result<OwnedSemaphorePermit, AcquireError> {
        Arc::clone(&self.free).acquire_many_owned(need(bytes).min(self.size)).await
    }
}
