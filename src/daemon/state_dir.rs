//! The state directory: made at the start, and tried from time to time.

use std::fs::{self, DirBuilder};
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::Path;

use super::health::{Health, Trouble};
use crate::file;

/// Bytes that there must be room for. The largest event has a quarter of them.
const PROBE_BYTES: usize = 64 << 10;

/// Whether the daemon has a directory for its state.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum StateDir {
    Present,
    /// Logged once. Mail is filtered all the same.
    Missing,
}

impl StateDir {
    /// Makes the directory if it does not exist.
    pub fn make(directory: &Path, health: &Health) -> StateDir {
        let Err(error) = create(directory) else { return StateDir::Present };
        let text = format!(
            "{}: expected a directory for the state: {error}: nothing is stored, neither undo recipes \
             nor the journal for `why` and the digest; name a directory of your own with \
             server.state_dir (LINKMILTER_SERVER__STATE_DIR)",
            directory.display()
        );
        tracing::warn!("{text}");
        health.set_trouble(Trouble::State, Some(text));
        StateDir::Missing
    }
}

/// Makes the directory if it does not exist, with the mode that the package gives it: anybody may pass through.
/// Private files in it have narrow modes of their own.
///
/// # Errors
/// It cannot be made.
pub fn create(directory: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o711).create(directory)
}

/// Tries whether the directory can be written to: a full disk, a quota, one that is mounted read-only. Nobody else may
/// work with it: `in_use` says who does.
pub fn probe(directory: &Path, in_use: Option<String>, health: &Health) {
    let written = || {
        write_probe(directory).err().map(|error| {
            format!(
                "{}: the state cannot be written: {error}: events are not recorded, and undo recipes that \
                 do not fit into the header are lost",
                directory.display()
            )
        })
    };
    let text = in_use.or_else(written);
    if health.set_trouble(Trouble::State, text.clone()) {
        match text {
            Some(text) => tracing::error!("{text}"),
            None => tracing::info!("the state can be written again"),
        }
    }
}

fn write_probe(directory: &Path) -> io::Result<()> {
    // One name: what a daemon left that was killed is written anew.
    let path = directory.join(".probe");
    let written = fs::write(&path, [0; PROBE_BYTES]);
    written.and(file::remove(&path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_directory_that_cannot_be_written_to_is_a_trouble_until_it_can() {
        let root = tempfile::tempdir().unwrap();
        let state = root.path().join("state");
        let health = Health::default();
        health.set_canary(Ok(()));
        probe(&state, None, &health);
        let said = health.report().unwrap();
        assert!(said.contains("state: the state cannot be written: No such file"), "{said}");
        fs::create_dir(&state).unwrap();
        probe(&state, None, &health);
        assert_eq!(health.report(), Ok("ok".to_owned()));
        assert_eq!(fs::read_dir(&state).unwrap().count(), 0);
    }
}
