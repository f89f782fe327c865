//! Judgements of hosts that threads share: workers of the daemon, and those of a scan.

use std::hash::{BuildHasher as _, RandomState};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::engine::Memory;
use crate::engine::host::{CacheKey, Judgement, Memo, REMEMBERED};

/// Locks, each with a share of [`REMEMBERED`]: so many that threads seldom wait for one another.
const SHARDS: usize = 16;

/// Judgements under one configuration and one table of top-level domains, those of a spelling behind one of several locks.
/// A lock is held for a look-up or an insert, never while a host is judged.
#[derive(Debug)]
pub struct Judgements {
    shards: [Mutex<Memo>; SHARDS],
    /// Secret, so that nobody makes spellings that meet in one shard.
    hasher: RandomState,
}

impl Default for Judgements {
    fn default() -> Judgements {
        let shard = |_| Mutex::new(Memo::with_room(REMEMBERED / SHARDS));
        Judgements { shards: std::array::from_fn(shard), hasher: RandomState::default() }
    }
}

impl Judgements {
    fn shard(&self, spelling: &str) -> MutexGuard<'_, Memo> {
        let at =
            usize::try_from(self.hasher.hash_one(spelling) % SHARDS as u64).unwrap_or_default();
        let [first, ..] = &self.shards;
        let shard = self.shards.get(at).unwrap_or(first);
        shard.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Memory for Judgements {
    fn recall(&self, spelling: &str, under: CacheKey) -> Option<Arc<Judgement>> {
        self.shard(spelling).recall(spelling, under)
    }

    fn keep(&self, spelling: &str, under: CacheKey, judgement: &Arc<Judgement>) {
        self.shard(spelling).keep(spelling, under, judgement);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::host::{Context, HostBounds, Names, RestrictionLevel, judge};

    #[test]
    fn threads_share_judgements_within_their_bound() {
        let (names, tlds) = (Names::default(), crate::tld::builtin());
        let context = Context {
            level: RestrictionLevel::default(),
            protected: &names,
            own: &names,
            blocked: &names,
            tlds: &tlds,
            bounds: HostBounds::Certain,
        };
        let under = CacheKey::of(&context);
        let (shared, judgement) = (Judgements::default(), Arc::new(judge("a.com", &context)));
        for number in 0..3 * REMEMBERED {
            let spelling = format!("host{number}.com");
            assert_eq!(shared.recall(&spelling, under), None);
            shared.keep(&spelling, under, &judgement);
            assert_eq!(shared.recall(&spelling, under).as_ref(), Some(&judgement));
        }
        let kept: Vec<usize> =
            shared.shards.iter().map(|shard| shard.lock().unwrap().len()).collect();
        assert!(kept.iter().sum::<usize>() <= REMEMBERED);
        // Spellings that differ little are not all in one.
        assert!(kept.iter().all(|judgements| *judgements > REMEMBERED / SHARDS / 4), "{kept:?}");
    }
}
