//! Signals. SIGHUP reloads, SIGTERM and SIGINT end the filter. No other signal that somebody may send, for example
//! to rotate logs, ends it.

use std::collections::BTreeSet;
use std::io;

use rustix::process::Signal as Named;
use signal_hook::iterator::Signals as IgnoredSignals;
use signal_hook::low_level::signal_name;
use tokio::signal::unix::{Signal, SignalKind, signal};

/// Signals that end a process by default and have no meaning here. Not among them: SIGQUIT and SIGABRT, whose
/// senders want an end at once, and SIGXCPU, a limit that somebody set. With SIGXFSZ ignored, a write beyond the
/// file size limit is an error of that write.
const IGNORED: [Named; 9] = [
    Named::USR1,
    Named::USR2,
    Named::ALARM,
    Named::VTALARM,
    Named::PROF,
    Named::IO,
    Named::POWER,
    Named::STKFLT,
    Named::XFSZ,
];

/// The real-time signals of Linux; the C library reserves the first few.
const REAL_TIME: std::ops::RangeInclusive<i32> = 34..=64;

/// Ignores the signals that have no meaning here. Each one is logged once.
///
/// # Errors
/// No pipe or thread can be made for it.
pub fn ignore_others() -> io::Result<()> {
    let mut ignored = IgnoredSignals::new([0; 0])?;
    for number in IGNORED.map(Named::as_raw).into_iter().chain(REAL_TIME) {
        // Fails for those that the C library reserves, which nobody can send.
        let _ = ignored.add_signal(number);
    }
    let listen = move || {
        let mut logged = BTreeSet::new();
        for number in ignored.forever() {
            if logged.insert(number) {
                let name = signal_name(number).map_or_else(|| number.to_string(), str::to_owned);
                tracing::warn!("signal {name} is ignored: SIGHUP reloads, SIGTERM ends");
            }
        }
    };
    std::thread::Builder::new().name("signals".to_owned()).spawn(listen)?;
    Ok(())
}

/// The signals that the daemon acts on.
pub struct Signals {
    pub terminate: Signal,
    pub interrupt: Signal,
    pub hang_up: Signal,
}

impl Signals {
    /// # Errors
    /// A handler cannot be installed.
    pub fn new() -> io::Result<Signals> {
        Ok(Signals {
            terminate: signal(SignalKind::terminate())?,
            interrupt: signal(SignalKind::interrupt())?,
            hang_up: signal(SignalKind::hangup())?,
        })
    }
}
