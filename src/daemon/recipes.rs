//! Recipes that take edits back and do not fit into a header field: a file each in the state
//! directory, named by its digest.
//!
//! A recipe holds what stood in somebody's mail, so only the daemon may read it, and it is kept
//! no longer than the journal keeps the event.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use super::metrics::{Metrics, RecipeFault};
use crate::config::Config;
use crate::engine::outcome::StoredRecipe;

/// How often recipes are looked at for their age.
const EXPIRE: Duration = Duration::from_secs(3_600);

/// Where recipes are kept and for how long.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bounds {
    pub directory: PathBuf,
    pub age: Duration,
}

/// The folder of the state directory.
pub fn directory(config: &Config) -> PathBuf {
    config.in_state("undo")
}

/// As long as the journal tells of the message; a month when there is no journal.
pub fn bounds(config: &Config) -> Bounds {
    const WITHOUT_JOURNAL: u64 = 30;
    let days = match config.journal.days {
        0 => WITHOUT_JOURNAL,
        days => days,
    };
    let age = Duration::from_secs(days.saturating_mul(86_400));
    Bounds { directory: directory(config), age }
}

/// Why a recipe is not kept.
#[derive(Debug, thiserror::Error)]
#[error("recipe {}: {source}", path.display())]
pub struct RecipeError {
    pub path: PathBuf,
    #[source]
    pub source: io::Error,
}

/// Writes a recipe; half of one is never seen under its name.
///
/// # Errors
/// When the directory cannot be made or the disk takes no more; nothing is left behind.
pub fn keep(directory: &Path, recipe: &StoredRecipe) -> Result<(), RecipeError> {
    let path = directory.join(&recipe.digest);
    let beside = directory.join(format!("{}.new", recipe.digest));
    let written = fs::create_dir_all(directory)
        .and_then(|()| write(&beside, &recipe.recipe))
        .and_then(|()| fs::rename(&beside, &path));
    written.map_err(|source| {
        // Nothing more can be done about half a file.
        let _ = fs::remove_file(&beside);
        RecipeError { path, source }
    })
}

fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file: File =
        OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(path)?;
    file.write_all(bytes)?;
    file.sync_all()
}

/// Removes old recipes for as long as it is polled.
pub async fn expire(bounds: impl Fn() -> Bounds, metrics: Arc<Metrics>) {
    loop {
        let bounds = bounds();
        let swept = tokio::task::spawn_blocking(move || sweep(&bounds, SystemTime::now())).await;
        if let Ok(Err(error)) = swept
            && error.kind() != io::ErrorKind::NotFound
        {
            metrics.recipe_fault(RecipeFault::Expire);
            tracing::warn!(%error, "old recipes stay");
        }
        tokio::time::sleep(EXPIRE).await;
    }
}

/// Removes what is older than the bound. A clock that went back removes nothing.
fn sweep(bounds: &Bounds, now: SystemTime) -> io::Result<()> {
    for entry in fs::read_dir(&bounds.directory)? {
        let entry = entry?;
        let modified = entry.metadata()?.modified()?;
        if now.duration_since(modified).is_ok_and(|age| age > bounds.age) {
            fs::remove_file(entry.path())?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    fn recipe() -> StoredRecipe {
        StoredRecipe { digest: "ab12".to_owned(), recipe: b"recipe".to_vec() }
    }

    #[test]
    fn a_recipe_is_kept_for_the_daemon_alone() {
        let dir = tempfile::tempdir().unwrap();
        let undo = dir.path().join("undo");
        keep(&undo, &recipe()).unwrap();
        keep(&undo, &recipe()).unwrap();
        let file = undo.join("ab12");
        assert_eq!(fs::read(&file).unwrap(), b"recipe");
        assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
        assert_eq!(fs::read_dir(&undo).unwrap().count(), 1);
    }

    #[test]
    fn recipes_go_with_their_age_and_a_clock_that_jumped_back_removes_none() {
        let dir = tempfile::tempdir().unwrap();
        keep(dir.path(), &recipe()).unwrap();
        let day = Duration::from_secs(86_400);
        let bounds = Bounds { directory: dir.path().to_owned(), age: day * 30 };
        let now = SystemTime::now();
        for (clock, left) in
            [(now, 1), (now - day * 365, 1), (now + day * 29, 1), (now + day * 31, 0)]
        {
            sweep(&bounds, clock).unwrap();
            assert_eq!(fs::read_dir(dir.path()).unwrap().count(), left);
        }
    }

    #[test]
    fn a_place_that_takes_nothing_is_an_error_that_names_the_file() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("undo");
        fs::write(&file, "in the way").unwrap();
        let error = keep(&file, &recipe()).unwrap_err();
        assert!(error.to_string().contains("undo/ab12"), "{error}");
    }
}
