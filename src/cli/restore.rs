//! `linkmilter restore`: restores the original of a filtered message.

use std::cell::Cell;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};

use super::shared::{ConfigFile, PERMISSION_HINT};
use super::{ExitStatus, warn};
use crate::daemon::recipes::{self, FOLDER};
use crate::engine::splice::{
    Believe, RestoreError, SealedBy, is_undo_lost, is_unedited, restore_as, without_ours,
};
use crate::engine::whole::Whole;
use crate::file;

/// Undo the edits of a filtered message
///
/// Writes the original message, without the header fields of the filter. A message that the filter passed and did not
/// edit is written without them. If the body does not get the SHA-256 that it had before the filter, or the filter has
/// not passed the message at all, nothing is written and the exit code is 1. So DKIM signatures verify again. Messages
/// stored with bare line feeds (Maildir) are restored with bare line feeds.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The message [default: standard input, also for `-`]
    file: Option<PathBuf>,
    /// Where the filter stores recipes that are too large for a header field [default: as configured]
    #[arg(long, value_name = "DIR")]
    state_dir: Option<PathBuf>,
    /// File with a key of the seal; may be repeated if the key was changed. Without it a seal is
    /// not checked
    #[arg(long, value_name = "FILE")]
    seal_key: Vec<PathBuf>,
    #[command(flatten)]
    config: ConfigFile,
}

pub fn run(args: Args) -> anyhow::Result<ExitStatus> {
    // The recipes lie where the filter on this machine has put them.
    let config = args.config.in_force()?;
    let state_dir = args.state_dir.unwrap_or(config.server.state_dir);
    let file = args.file.as_deref().filter(|file| *file != Path::new("-"));
    let bytes = super::input::message(file)?;
    let Whole { envelope, message, separator } = Whole::split(&bytes);
    let keys: Vec<Vec<u8>> =
        args.seal_key.iter().map(|file| read_key(file)).collect::<anyhow::Result<_>>()?;
    let known: Vec<&[u8]> = keys.iter().map(Vec::as_slice).collect();
    let recipes = state_dir.join(FOLDER);
    let denied = Cell::new(false);
    let stored = |digest: &str| {
        let read = recipes::read(&recipes, digest);
        denied.set(read.as_ref().is_err_and(|error| error.kind() == ErrorKind::PermissionDenied));
        read.ok()
    };
    let restored = match restore_as(message.head, message.body, &known, Believe::All, stored) {
        Ok(restored) => restored,
        Err(RestoreError::NoRecipe) if is_unedited(message.head) => {
            warn(&"the filter edited nothing: only its header fields are removed");
            let head = without_ours(message.head);
            return super::deliver(&[envelope, &head, separator, message.body]);
        }
        Err(error) if denied.get() => bail!("{error} ({}): {PERMISSION_HINT}", recipes.display()),
        Err(error) => {
            warn(&format_args!("{error}{}", hint(&error, message.head, &recipes)));
            return Ok(ExitStatus::Negative);
        }
    };
    let seal = match (restored.seal, !keys.is_empty()) {
        (SealedBy::Ours, _) => "the seal is of this key",
        (SealedBy::Foreign, _) => "the seal is NOT of this key: another filter wrote the recipe",
        (SealedBy::Unknown, true) => "no seal",
        (SealedBy::Unknown, false) => "the seal was not checked (--seal-key)",
    };
    warn(&format_args!("body as it was before the filter; {seal}"));
    for name in &restored.overwritten {
        warn(&format_args!("{name} as it was before the filter: it was changed since"));
    }
    super::deliver(&[envelope, &restored.head, separator, &restored.body])
}

fn hint(error: &RestoreError, head: &[u8], recipes: &Path) -> String {
    match error {
        RestoreError::NoRecipe if is_undo_lost(head) => {
            " (undo=lost: the filter could not store the recipe)".to_owned()
        }
        RestoreError::NotHere(_) => format!(" ({}; see --state-dir)", recipes.display()),
        _ => String::new(),
    }
}

fn read_key(path: &Path) -> anyhow::Result<Vec<u8>> {
    file::read(path, file::MAX_BYTES)
        .with_context(|| format!("cannot read the key {}", path.display()))
}
