//! Recipes that take edits back and do not fit into a header field: a file each in the state
//! directory, named by its digest.
//!
//! A recipe holds what stood in somebody's mail, so only the daemon may read it, and it is kept
//! no longer than the journal keeps the event. Messages with the same recipe share its file.

use std::fs::{self, DirBuilder, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use super::metrics::{Kept, Metrics, RecipeFault};
use crate::config::Config;
use crate::engine::outcome::StoredRecipe;
use crate::file;

/// How often recipes are looked at for their age and their bytes. What a flood of the highest load
/// adds meanwhile is bounded by [`Recipes::keep`].
const SWEEP: Duration = Duration::from_secs(60);

/// Part of the bytes that a full folder makes room for, as a divisor.
const SLACK: u64 = 16;

/// Half a file is never seen under its name: every writer writes one of its own first.
const BESIDE: &str = ".new";

/// Where recipes are kept, for how long and how many bytes of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bounds {
    pub directory: PathBuf,
    pub age: Duration,
    pub bytes: u64,
}

/// The folder of the state directory that holds them.
pub const FOLDER: &str = "undo";

/// Bytes of a recipe that is read at most.
const RECIPE_BYTES: u64 = 1 << 30;

/// The folder of the state directory.
pub fn directory(config: &Config) -> PathBuf {
    config.in_state(FOLDER)
}

/// The recipe of this digest.
///
/// # Errors
/// When it is not there or cannot be read, is no file, or has more than [`RECIPE_BYTES`].
pub fn stored(directory: &Path, digest: &str) -> io::Result<Vec<u8>> {
    file::read(&directory.join(digest), RECIPE_BYTES)
}

/// As long as the journal tells of the message; a month when there is no journal.
pub fn bounds(config: &Config) -> Bounds {
    const WITHOUT_JOURNAL: u64 = 30;
    let days = match config.journal.days {
        0 => WITHOUT_JOURNAL,
        days => days,
    };
    let age = Duration::from_secs(days.saturating_mul(86_400));
    Bounds { directory: directory(config), age, bytes: config.journal.max_undo_size.0 }
}

/// Why a recipe is not kept.
#[derive(Debug, thiserror::Error)]
#[error("recipe {}: {source}", path.display())]
pub struct RecipeError {
    pub path: PathBuf,
    #[source]
    pub source: io::Error,
}

/// The recipes of one daemon.
#[derive(Debug, Default)]
pub struct Recipes {
    /// Bytes kept, as of the last sweep and what came since.
    bytes: Mutex<u64>,
    /// Tells files of one process apart while they are written.
    writers: AtomicU64,
}

impl Recipes {
    /// Keeps a recipe. One that is there already only becomes younger.
    ///
    /// # Errors
    /// When the directory cannot be made, the disk takes no more, or the recipe alone is bigger than
    /// all of them may be; nothing is left behind.
    pub fn keep(&self, bounds: &Bounds, recipe: &StoredRecipe) -> Result<(), RecipeError> {
        let path = bounds.directory.join(&recipe.digest);
        self.write(bounds, &path, recipe).map_err(|source| RecipeError { path, source })
    }

    fn write(&self, bounds: &Bounds, path: &Path, recipe: &StoredRecipe) -> io::Result<()> {
        let length = recipe.recipe.len() as u64;
        if length > bounds.bytes {
            let said = format!(
                "expected at most {} bytes (journal.max_undo_size), found {length}",
                bounds.bytes
            );
            return Err(io::Error::new(io::ErrorKind::StorageFull, said));
        }
        if is_kept(path, length)? {
            return Ok(());
        }
        DirBuilder::new().recursive(true).mode(0o700).create(&bounds.directory)?;
        self.make_room(bounds, length)?;
        let number = self.writers.fetch_add(1, Ordering::Relaxed);
        let beside = path.with_extension(format!("{}-{number}{BESIDE}", std::process::id()));
        let written = (|| {
            let mut options = OpenOptions::new();
            let mut file = options.write(true).create_new(true).mode(0o600).open(&beside)?;
            file.write_all(&recipe.recipe)?;
            file.sync_all()?;
            fs::rename(&beside, path)
        })();
        if written.is_err() {
            // Nothing more can be done about half a file.
            let _ = fs::remove_file(&beside);
            self.count(|bytes| *bytes = bytes.saturating_sub(length));
        }
        written
    }

    /// Counts a recipe of this length in, after the oldest have made room for it. They make room for many
    /// at once: not every recipe of a full folder then looks at every file.
    fn make_room(&self, bounds: &Bounds, length: u64) -> io::Result<()> {
        self.count(|bytes| {
            if bytes.saturating_add(length) > bounds.bytes {
                let room = bounds.bytes - length.max(bounds.bytes / SLACK);
                *bytes = sweep(bounds, SystemTime::now(), room)?;
            }
            *bytes += length;
            Ok(())
        })
    }

    fn sweep(&self, bounds: &Bounds, now: SystemTime) -> io::Result<u64> {
        self.count(|bytes| {
            *bytes = sweep(bounds, now, bounds.bytes)?;
            Ok(*bytes)
        })
    }

    fn count<T>(&self, with: impl FnOnce(&mut u64) -> T) -> T {
        with(&mut self.bytes.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Removes old recipes for as long as it is polled.
    pub async fn expire(self: Arc<Self>, bounds: impl Fn() -> Bounds, metrics: Arc<Metrics>) {
        loop {
            let (bounds, recipes) = (bounds(), Arc::clone(&self));
            let swept =
                tokio::task::spawn_blocking(move || recipes.sweep(&bounds, SystemTime::now()));
            match swept.await {
                Ok(Ok(bytes)) => metrics.state_bytes(Kept::Recipes, bytes),
                Ok(Err(error)) if error.kind() != io::ErrorKind::NotFound => {
                    metrics.recipe_fault(RecipeFault::Expire);
                    tracing::warn!(%error, "old recipes stay");
                }
                _ => {}
            }
            tokio::time::sleep(SWEEP).await;
        }
    }
}

/// Removes the recipes that are older than the bound, then the oldest ones until the rest fits into
/// `bytes`. Returns the bytes that are left. A clock that went back makes no recipe too old.
fn sweep(bounds: &Bounds, now: SystemTime, bytes: u64) -> io::Result<u64> {
    let mut kept = Vec::new();
    for entry in fs::read_dir(&bounds.directory)? {
        let entry = entry?;
        // Another thread may have removed it.
        let Ok(metadata) = entry.metadata() else { continue };
        let modified = metadata.modified()?;
        if now.duration_since(modified).is_ok_and(|age| age > bounds.age) {
            remove(&entry.path())?;
        } else {
            kept.push((modified, metadata.len(), entry.path()));
        }
    }
    kept.sort();
    let mut total: u64 = kept.iter().map(|(_, length, _)| length).sum();
    for (_, length, path) in kept {
        if total <= bytes {
            break;
        }
        remove(&path)?;
        total -= length;
    }
    Ok(total)
}

/// Whether the whole recipe is there; then it is as old as its newest message.
fn is_kept(path: &Path, length: u64) -> io::Result<bool> {
    let file = match OpenOptions::new().append(true).open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
        Err(error) => return Err(error),
    };
    if file.metadata()?.len() != length {
        return Ok(false);
    }
    file.set_modified(SystemTime::now())?;
    // The oldest may have been swept away just now.
    Ok(path.exists())
}

fn remove(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    fn recipe() -> StoredRecipe {
        StoredRecipe { digest: "ab12".to_owned(), recipe: b"recipe".to_vec() }
    }

    fn bounds(directory: &Path) -> Bounds {
        let age = Duration::from_secs(30 * 86_400);
        Bounds { directory: directory.to_owned(), age, bytes: 1 << 20 }
    }

    #[test]
    fn a_recipe_is_kept_for_the_daemon_alone() {
        let dir = tempfile::tempdir().unwrap();
        let undo = dir.path().join("undo");
        let recipes = Recipes::default();
        recipes.keep(&bounds(&undo), &recipe()).unwrap();
        recipes.keep(&bounds(&undo), &recipe()).unwrap();
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
        assert_eq!(stored(dir.path(), "ab12").unwrap_err().kind(), io::ErrorKind::InvalidInput);
        fs::write(dir.path().join("cd34"), "recipe").unwrap();
        assert_eq!(stored(dir.path(), "cd34").unwrap(), b"recipe");
    }

    #[test]
    fn the_same_message_on_many_connections_shares_its_recipe() {
        let dir = tempfile::tempdir().unwrap();
        let (recipes, bounds) = (Recipes::default(), bounds(dir.path()));
        std::thread::scope(|scope| {
            for _ in 0..16 {
                scope.spawn(|| {
                    for _ in 0..50 {
                        recipes.keep(&bounds, &recipe()).unwrap();
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
        let bounds = Bounds { bytes: 10_000, ..bounds(dir.path()) };
        let recipes = Recipes::default();
        let day = Duration::from_secs(86_400);
        for number in 0..50_u32 {
            let digest = format!("{number:04}");
            let recipe = StoredRecipe { digest, recipe: vec![7; 1_000] };
            recipes.keep(&bounds, &recipe).unwrap();
            let file =
                OpenOptions::new().append(true).open(dir.path().join(recipe.digest)).unwrap();
            file.set_modified(SystemTime::now() - day + Duration::from_secs(number.into()))
                .unwrap();
            let total: u64 = fs::read_dir(dir.path())
                .unwrap()
                .map(|entry| entry.unwrap().metadata().unwrap().len())
                .sum();
            assert!(total <= bounds.bytes, "{total}");
        }
        assert!(dir.path().join("0049").exists() && !dir.path().join("0000").exists());
        let big = StoredRecipe { digest: "big".to_owned(), recipe: vec![7; 10_001] };
        let error = recipes.keep(&bounds, &big).unwrap_err().to_string();
        assert!(error.contains("journal.max_undo_size"), "{error}");
    }

    #[test]
    fn recipes_go_with_their_age_and_a_clock_that_jumped_back_removes_none() {
        let dir = tempfile::tempdir().unwrap();
        let (recipes, bounds) = (Recipes::default(), bounds(dir.path()));
        recipes.keep(&bounds, &recipe()).unwrap();
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
    fn a_place_that_takes_nothing_is_an_error_that_names_the_file() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("undo");
        fs::write(&file, "in the way").unwrap();
        let error = Recipes::default().keep(&bounds(&file), &recipe()).unwrap_err();
        assert!(error.to_string().contains("undo/ab12"), "{error}");
    }
}
