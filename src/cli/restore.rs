//! `linkmilter restore`: a filtered message in, the original out.

use std::cell::Cell;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};

use super::shared::PRIVATE;
use super::{Answer, complain, done};
use crate::daemon::recipes::{self, FOLDER};
use crate::engine::splice::{Believe, RestoreError, Seal, restore_as};
use crate::engine::whole::Whole;
use crate::file;

/// Undo the edits of a filtered message
///
/// Writes the original message, without the header fields of the filter. Nothing is written, and the
/// exit code is 1, unless the body has the SHA-256 that it had before the filter: a DKIM signature
/// then verifies again. Messages kept with bare line feeds (Maildir) come back with bare line feeds.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The message; `-` or nothing: standard input
    file: Option<PathBuf>,
    /// Where the filter keeps recipes that are too big for a header field
    #[arg(long, value_name = "DIR", default_value = "/var/lib/linkmilter")]
    state_dir: PathBuf,
    /// File with a key of the seal, several if it was changed; without one a seal is not checked
    #[arg(long, value_name = "FILE")]
    seal_key: Vec<PathBuf>,
}

pub fn run(args: Args) -> anyhow::Result<Answer> {
    let file = args.file.as_deref().filter(|file| *file != Path::new("-"));
    let bytes = super::input::read(file)?;
    let Whole { envelope, message, separator } = Whole::split(&bytes);
    let keys: Vec<Vec<u8>> =
        args.seal_key.iter().map(|file| read_key(file)).collect::<anyhow::Result<_>>()?;
    let known: Vec<&[u8]> = keys.iter().map(Vec::as_slice).collect();
    let recipes = args.state_dir.join(FOLDER);
    let denied = Cell::new(false);
    let stored = |digest: &str| {
        let read = recipes::read(&recipes, digest);
        denied.set(read.as_ref().is_err_and(|error| error.kind() == ErrorKind::PermissionDenied));
        read.ok()
    };
    let restored = match restore_as(message.head, message.body, &known, Believe::All, stored) {
        Ok(restored) => restored,
        Err(error) if denied.get() => bail!("{error} ({}): {PRIVATE}", recipes.display()),
        Err(error) => {
            complain(&format_args!("{error}{}", hint(&error, &recipes)));
            return Ok(Answer::No);
        }
    };
    let seal = match (restored.seal, !keys.is_empty()) {
        (Seal::Ours, _) => "the seal is of this key",
        (Seal::Foreign, _) => "the seal is NOT of this key: another filter wrote the recipe",
        (Seal::Unknown, true) => "no seal",
        (Seal::Unknown, false) => "the seal was not checked (--seal-key)",
    };
    complain(&format_args!("body as it was before the filter; {seal}"));
    for name in &restored.overwritten {
        complain(&format_args!("{name} as it was before the filter: it was changed since"));
    }
    let mut out = std::io::stdout().lock();
    let mut pieces = [envelope, &restored.head, separator, &restored.body].into_iter();
    done(pieces.try_for_each(|bytes| out.write_all(bytes)).and_then(|()| out.flush()))
}

fn hint(error: &RestoreError, recipes: &Path) -> String {
    match error {
        RestoreError::NotHere(_) => format!(" ({}; see --state-dir)", recipes.display()),
        _ => String::new(),
    }
}

fn read_key(path: &Path) -> anyhow::Result<Vec<u8>> {
    file::read(path, file::MAX_BYTES)
        .with_context(|| format!("cannot read the key {}", path.display()))
}
