//! Undo recipes that do not fit into a header field. Each is a file in the state directory, named by its digest.
//!
//! A recipe holds text of somebody's mail. So only the daemon may read it, and it is kept no longer than the
//! journal keeps the event. Messages with the same recipe share its file.

use std::fs::{self, DirBuilder, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use super::metrics::{Metrics, RecipeFault, StatePart};
use super::state_dir;
use crate::config::Config;
use crate::engine::outcome::StoredRecipe;
use crate::file;

/// How often old recipes are removed. Between two sweeps [`Recipes::store`] limits their bytes.
const SWEEP_INTERVAL: Duration = Duration::from_secs(60);

/// A full directory evicts at least this part (one sixteenth) of its bytes at once.
const EVICT_DIVISOR: u64 = 16;

/// Suffix of a file that is being written. It is renamed when it is complete.
const TEMPORARY_SUFFIX: &str = ".new";

/// Where recipes are stored, for how long, and how many bytes of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecipeBounds {
    pub directory: PathBuf,
    pub max_age: Duration,
    pub max_bytes: u64,
}

/// Name of the directory in the state directory.
pub const FOLDER: &str = "undo";

/// Bytes of the longest recipe that is read.
const MAX_RECIPE_BYTES: u64 = 1 << 30;

pub fn directory(config: &Config) -> PathBuf {
    config.in_state(FOLDER)
}

/// The recipe of this digest.
///
/// # Errors
/// It does not exist, cannot be read, is no file, or has more than [`MAX_RECIPE_BYTES`].
pub fn read(directory: &Path, digest: &str) -> io::Result<Vec<u8>> {
    file::read(&directory.join(digest), MAX_RECIPE_BYTES)
}

/// As long as the journal keeps events; a month if there is no journal.
pub fn bounds(config: &Config) -> RecipeBounds {
    const DAYS_WITHOUT_JOURNAL: u64 = 30;
    let days = match config.journal.days {
        0 => DAYS_WITHOUT_JOURNAL,
        days => days,
    };
    let max_age = Duration::from_secs(days.saturating_mul(86_400));
    RecipeBounds {
        directory: directory(config),
        max_age,
        max_bytes: config.journal.max_undo_size.0,
    }
}

/// Why a recipe is not stored.
#[derive(Debug, thiserror::Error)]
#[error("recipe {}: {source}", path.display())]
pub struct RecipeError {
    pub path: PathBuf,
    #[source]
    pub source: io::Error,
}

#[derive(Debug, Default)]
pub struct Recipes {
    /// Bytes stored, as counted at the last sweep and with what was added since.
    stored_bytes: Mutex<u64>,
    /// Makes the names of temporary files unique in this process.
    writers: AtomicU64,
}

impl Recipes {
    /// Stores a recipe. If it is stored already, its age is reset.
    ///
    /// # Errors
    /// The directory cannot be made, the disk is full, or the recipe alone has more bytes than all of them may
    /// have. No part of the file is left.
    pub fn store(&self, bounds: &RecipeBounds, recipe: &StoredRecipe) -> Result<(), RecipeError> {
        let path = bounds.directory.join(&recipe.digest);
        self.write(bounds, &path, recipe).map_err(|source| RecipeError { path, source })
    }

    fn write(&self, bounds: &RecipeBounds, path: &Path, recipe: &StoredRecipe) -> io::Result<()> {
        let length = recipe.recipe.len() as u64;
        if length > bounds.max_bytes {
            let error = format!(
                "expected at most {} bytes (journal.max_undo_size), found {length}",
                bounds.max_bytes
            );
            return Err(io::Error::new(io::ErrorKind::StorageFull, error));
        }
        if refresh_stored(path, length)? {
            return Ok(());
        }
        if let Some(state) = bounds.directory.parent() {
            // It may have been removed a moment ago, and is not for the daemon alone.
            state_dir::create(state)?;
        }
        DirBuilder::new().recursive(true).mode(0o700).create(&bounds.directory)?;
        self.reserve(bounds, length)?;
        // Several threads may store one recipe at once: so no `AtomicFile`, which is named by process.
        let number = self.writers.fetch_add(1, Ordering::Relaxed);
        let temporary =
            path.with_extension(format!("{}-{number}{TEMPORARY_SUFFIX}", std::process::id()));
        let written = (|| {
            let mut options = OpenOptions::new();
            let mut file = options.write(true).create_new(true).mode(0o600).open(&temporary)?;
            file.write_all(&recipe.recipe)?;
            file.sync_all()?;
            fs::rename(&temporary, path)
        })();
        if written.is_err() {
            // If the incomplete file cannot be removed either, nothing more can be done.
            let _ = fs::remove_file(&temporary);
            self.with_count(|bytes| *bytes = bytes.saturating_sub(length));
        }
        written
    }

    /// Adds the length of a new recipe to the count. If there are too many bytes the oldest recipes are evicted,
    /// and more than necessary: else each new recipe in a full directory would look at every file.
    fn reserve(&self, bounds: &RecipeBounds, length: u64) -> io::Result<()> {
        self.with_count(|bytes| {
            if bytes.saturating_add(length) > bounds.max_bytes {
                let rest = bounds.max_bytes - length.max(bounds.max_bytes / EVICT_DIVISOR);
                *bytes = sweep(bounds, SystemTime::now(), rest)?;
            }
            *bytes += length;
            Ok(())
        })
    }

    fn sweep(&self, bounds: &RecipeBounds, now: SystemTime) -> io::Result<u64> {
        self.with_count(|bytes| {
            *bytes = sweep(bounds, now, bounds.max_bytes)?;
            Ok(*bytes)
        })
    }

    fn with_count<T>(&self, change: impl FnOnce(&mut u64) -> T) -> T {
        change(&mut self.stored_bytes.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Removes old recipes for as long as it is polled.
    pub async fn expire(self: Arc<Self>, bounds: impl Fn() -> RecipeBounds, metrics: Arc<Metrics>) {
        loop {
            let (bounds, recipes) = (bounds(), Arc::clone(&self));
            let directory = bounds.directory.clone();
            let swept =
                tokio::task::spawn_blocking(move || recipes.sweep(&bounds, SystemTime::now()));
            match swept.await {
                Ok(Ok(bytes)) => metrics.state_bytes(StatePart::Recipes, bytes),
                Ok(Err(error)) if error.kind() != io::ErrorKind::NotFound => {
                    metrics.recipe_fault(RecipeFault::Expire);
                    let directory = directory.display();
                    tracing::warn!("{directory}: old recipes cannot be removed: {error}");
                }
                _ => {}
            }
            tokio::time::sleep(SWEEP_INTERVAL).await;
        }
    }
}

/// Removes the recipes that are too old, then the oldest ones until the rest fits into `bytes`. Returns the bytes
/// that are left. A clock that was set back makes no recipe too old.
fn sweep(bounds: &RecipeBounds, now: SystemTime, bytes: u64) -> io::Result<u64> {
    let mut files = Vec::new();
    for entry in fs::read_dir(&bounds.directory)? {
        let entry = entry?;
        // Another thread may have removed it.
        let Ok(metadata) = entry.metadata() else { continue };
        let modified = metadata.modified()?;
        if now.duration_since(modified).is_ok_and(|age| age > bounds.max_age) {
            file::remove(&entry.path())?;
        } else {
            files.push((modified, metadata.len(), entry.path()));
        }
    }
    files.sort();
    let mut total: u64 = files.iter().map(|(_, length, _)| length).sum();
    for (_, length, path) in files {
        if total <= bytes {
            break;
        }
        file::remove(&path)?;
        total -= length;
    }
    Ok(total)
}

/// Whether the whole recipe is stored already. If so its age is reset: the newest message counts.
fn refresh_stored(path: &Path, length: u64) -> io::Result<bool> {
    let file = match OpenOptions::new().append(true).open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
        Err(error) => return Err(error),
    };
    if file.metadata()?.len() != length {
        return Ok(false);
    }
    file.set_modified(SystemTime::now())?;
    // Another thread may have evicted it just now.
    Ok(path.exists())
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    fn recipe() -> StoredRecipe {
        StoredRecipe { digest: "ab12".to_owned(), recipe: b"recipe".to_vec() }
    }

    fn bounds(directory: &Path) -> RecipeBounds {
        let max_age = Duration::from_secs(30 * 86_400);
        RecipeBounds { directory: directory.to_owned(), max_age, max_bytes: 1 << 20 }
    }

    #[test]
    fn a_recipe_can_be_read_by_the_daemon_alone() {
        let dir = tempfile::tempdir().unwrap();
        let undo = dir.path().join("undo");
        let recipes = Recipes::default();
        recipes.store(&bounds(&undo), &recipe()).unwrap();
        recipes.store(&bounds(&undo), &recipe()).unwrap();
        let file = undo.join("ab12");
        assert_eq!(fs::read(&file).unwrap(), b"recipe");
        assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
        assert_eq!(fs::metadata(&undo).unwrap().permissions().mode() & 0o077, 0);
        assert_eq!(fs::read_dir(&undo).unwrap().count(), 1);
    }

    #[test]
    fn a_recipe_that_never_ends_is_not_read() {
        let dir = tempfile::tempdir().unwrap();
        std::os::unix::fs::symlink("/dev/zero", dir.path().join("ab12")).unwrap();
        assert_eq!(read(dir.path(), "ab12").unwrap_err().kind(), io::ErrorKind::InvalidInput);
        fs::write(dir.path().join("cd34"), "recipe").unwrap();
        assert_eq!(read(dir.path(), "cd34").unwrap(), b"recipe");
    }

    #[test]
    fn the_same_message_on_many_connections_shares_its_recipe() {
        let dir = tempfile::tempdir().unwrap();
        let (recipes, bounds) = (Recipes::default(), bounds(dir.path()));
        std::thread::scope(|scope| {
            for _ in 0..16 {
                scope.spawn(|| {
                    for _ in 0..50 {
                        recipes.store(&bounds, &recipe()).unwrap();
                    }
                });
            }
        });
        assert_eq!(fs::read(dir.path().join("ab12")).unwrap(), b"recipe");
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
    }

    #[test]
    fn recipes_are_bounded_in_bytes_at_every_moment_and_the_oldest_go() {
        let dir = tempfile::tempdir().unwrap();
        let bounds = RecipeBounds { max_bytes: 10_000, ..bounds(dir.path()) };
        let recipes = Recipes::default();
        let day = Duration::from_secs(86_400);
        for number in 0..50_u32 {
            let digest = format!("{number:04}");
            let recipe = StoredRecipe { digest, recipe: vec![7; 1_000] };
            recipes.store(&bounds, &recipe).unwrap();
            let file =
                OpenOptions::new().append(true).open(dir.path().join(recipe.digest)).unwrap();
            file.set_modified(SystemTime::now() - day + Duration::from_secs(number.into()))
                .unwrap();
            let total: u64 = fs::read_dir(dir.path())
                .unwrap()
                .map(|entry| entry.unwrap().metadata().unwrap().len())
                .sum();
            assert!(total <= bounds.max_bytes, "{total}");
        }
        assert!(dir.path().join("0049").exists() && !dir.path().join("0000").exists());
        let big = StoredRecipe { digest: "big".to_owned(), recipe: vec![7; 10_001] };
        let error = recipes.store(&bounds, &big).unwrap_err().to_string();
        assert!(error.contains("journal.max_undo_size"), "{error}");
    }

    #[test]
    fn old_recipes_are_removed_and_a_clock_set_back_removes_none() {
        let dir = tempfile::tempdir().unwrap();
        let (recipes, bounds) = (Recipes::default(), bounds(dir.path()));
        recipes.store(&bounds, &recipe()).unwrap();
        let day = Duration::from_secs(86_400);
        let now = SystemTime::now();
        for (clock, left) in
            [(now, 1), (now - day * 365, 1), (now + day * 29, 1), (now + day * 31, 0)]
        {
            recipes.sweep(&bounds, clock).unwrap();
            assert_eq!(fs::read_dir(dir.path()).unwrap().count(), left);
        }
    }

    #[test]
    fn a_directory_that_cannot_be_made_is_an_error_that_names_the_file() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("undo");
        fs::write(&file, "in the way").unwrap();
        let error = Recipes::default().store(&bounds(&file), &recipe()).unwrap_err();
        assert!(error.to_string().contains("undo/ab12"), "{error}");
    }
}
