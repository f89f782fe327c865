//! Work that may block for long, on the network above all.

use std::io;
use std::thread;

use tokio::sync::oneshot;

/// Does this work on a thread of its own. The end of the daemon does not wait for it, as it would for tokio's blocking
/// threads: what the work has written by then is as after a crash, and files are replaced atomically.
///
/// # Errors
/// No thread could be started, or the work panicked.
pub async fn detached<T: Send + 'static>(
    name: &str,
    work: impl FnOnce() -> T + Send + 'static,
) -> io::Result<T> {
    let (sender, receiver) = oneshot::channel();
    let run = move || {
        // Fails if nobody waits any more.
        let _ = sender.send(work());
    };
    thread::Builder::new().name(name.to_owned()).spawn(run)?;
    receiver.await.map_err(|_| io::Error::other("the work was aborted"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::{Duration, Instant};

    #[test]
    fn the_end_of_the_runtime_waits_for_no_detached_work() {
        let runtime = tokio::runtime::Runtime::new().unwrap();
        let start = Instant::now();
        runtime.block_on(async {
            assert_eq!(detached("done", || 7).await.unwrap(), 7);
            assert!(detached("lost", || panic!("on purpose")).await.is_err());
            let hangs = detached("hangs", || thread::sleep(Duration::from_secs(20)));
            assert!(tokio::time::timeout(Duration::from_millis(50), hangs).await.is_err());
        });
        drop(runtime);
        assert!(start.elapsed() < Duration::from_secs(10), "{:?}", start.elapsed());
    }
}
