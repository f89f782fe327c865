//! Which signals mean what. A reload and the end are asked for by signals; no other one that
//! somebody may send for a purpose of his own, such as a log rotation, ends the filter.

use std::collections::BTreeSet;
use std::io;

use rustix::process::Signal as Named;
use signal_hook::iterator::Signals as Others;
use signal_hook::low_level::signal_name;
use tokio::signal::unix::{Signal, SignalKind, signal};

/// Signals that would end a process and ask this one for nothing. Not among them: SIGQUIT and
/// SIGABRT, whose senders want an end at once, and SIGXCPU, a limit that somebody set. With
/// SIGXFSZ ignored a file that is as long as it may be is an error of that write.
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

/// The real-time signals of Linux; the C library keeps the first few for itself.
const REAL_TIME: std::ops::RangeInclusive<i32> = 34..=64;

/// Keeps signals that mean nothing from ending the process; each is said once in the log.
///
/// # Errors
/// When no pipe or thread can be had for it.
pub fn ignore_others() -> io::Result<()> {
    let mut others = Others::new([0; 0])?;
    for number in IGNORED.map(Named::as_raw).into_iter().chain(REAL_TIME) {
        // Fails for those that the C library keeps, which nobody can send.
        let _ = others.add_signal(number);
    }
    let listen = move || {
        let mut said = BTreeSet::new();
        for number in others.forever() {
            if said.insert(number) {
                let name = signal_name(number).map_or_else(|| number.to_string(), str::to_owned);
                tracing::warn!(
                    "signal {name} means nothing here and is ignored: SIGHUP reloads, SIGTERM ends"
                );
            }
        }
    };
    std::thread::Builder::new().name("signals".to_owned()).spawn(listen)?;
    Ok(())
}

/// The signals that the daemon answers.
pub struct Signals {
    pub terminate: Signal,
    pub interrupt: Signal,
    pub hang_up: Signal,
}

impl Signals {
    /// # Errors
    /// When a handler cannot be installed.
    pub fn new() -> io::Result<Signals> {
        Ok(Signals {
            terminate: signal(SignalKind::terminate())?,
            interrupt: signal(SignalKind::interrupt())?,
            hang_up: signal(SignalKind::hangup())?,
        })
    }
}
