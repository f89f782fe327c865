//! Caches that live longer than one message: judgements of hosts, and the names of recipients' domains.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use arc_swap::ArcSwapOption;
use prometheus_client::metrics::counter::Counter;

use super::metrics::{Cache, Lookup, Metrics};
use crate::engine::Memory;
use crate::engine::TldTable;
use crate::engine::host::{CacheKey, Judgement, Names};
use crate::judgements::Judgements;

/// Sets of recipients' domains that are cached, and domains in such a set.
const MAX_DOMAIN_SETS: usize = 64;
const MAX_SET_DOMAINS: usize = 4;

/// Holds the cache in force. A message keeps the one that it started with.
#[derive(Debug)]
pub struct CurrentCache {
    current: ArcSwapOption<JudgementCache>,
    metrics: Arc<Metrics>,
}

/// Judgements under one configuration generation and one TLD table, shared by all workers.
#[derive(Debug)]
pub struct JudgementCache {
    generation: u64,
    tlds: Arc<TldTable>,
    judgements: Judgements,
    domain_sets: Mutex<HashMap<Box<[String]>, Arc<Names>>>,
    hits: Counter,
    misses: Counter,
}

impl CurrentCache {
    pub fn new(metrics: Arc<Metrics>) -> CurrentCache {
        CurrentCache { current: ArcSwapOption::empty(), metrics }
    }

    /// The cache for this generation and table. It is empty after either has changed.
    pub fn of(&self, generation: u64, tlds: &Arc<TldTable>) -> Arc<JudgementCache> {
        let current = self.current.load_full();
        let is_valid = |cache: &JudgementCache| {
            cache.generation == generation && Arc::ptr_eq(&cache.tlds, tlds)
        };
        if let Some(cache) = current.filter(|cache| is_valid(cache)) {
            return cache;
        }
        let cache = Arc::new(JudgementCache {
            generation,
            tlds: Arc::clone(tlds),
            judgements: Judgements::default(),
            domain_sets: Mutex::default(),
            hits: self.metrics.mail.lookups(Cache::Host, Lookup::Hit),
            misses: self.metrics.mail.lookups(Cache::Host, Lookup::Miss),
        });
        self.current.store(Some(Arc::clone(&cache)));
        cache
    }
}

impl Memory for JudgementCache {
    fn recall(&self, spelling: &str, key: CacheKey) -> Option<Arc<Judgement>> {
        let cached = self.judgements.recall(spelling, key);
        if cached.is_some() { &self.hits } else { &self.misses }.inc();
        cached
    }

    fn keep(&self, spelling: &str, key: CacheKey, judgement: &Arc<Judgement>) {
        self.judgements.keep(spelling, key, judgement);
    }

    fn names(&self, domains: &[String]) -> Arc<Names> {
        let domain_sets = || self.domain_sets.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(cached) = domain_sets().get(domains) {
            return Arc::clone(cached);
        }
        let names = Arc::new(Names::new(domains));
        if domains.len() <= MAX_SET_DOMAINS {
            let mut domain_sets = domain_sets();
            // A full cache is emptied. Most installations see few sets, and those soon come again.
            if domain_sets.len() >= MAX_DOMAIN_SETS {
                domain_sets.clear();
            }
            domain_sets.insert(domains.into(), Arc::clone(&names));
        }
        names
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::{Answers, Case, Facts, Message, Policy, inspect_case};

    #[test]
    fn a_new_generation_or_table_empties_the_cache_and_cached_judgements_are_the_same() {
        let metrics = Arc::new(Metrics::new());
        let caches = CurrentCache::new(Arc::clone(&metrics));
        let (one, other) = (Arc::new(crate::tld::builtin()), Arc::new(crate::tld::builtin()));
        let (facts, policy) = (Facts::default(), Policy::default());
        let body = "https://www.p\u{430}ypal.com/ and https://www.example.com/\r\n".as_bytes();
        let judge = |generation, tlds| {
            let cache = caches.of(generation, tlds);
            let message = Message { head: b"", body };
            let case = Case::new(message, &facts, &policy, &**tlds);
            inspect_case(Case { memory: Some(cache.as_ref()), ..case }).resolve(&Answers::new())
        };
        let lookups = || {
            let text = metrics.text(std::time::SystemTime::now());
            let value = |result: &str| -> u64 {
                let series = format!(
                    "linkmilter_cache_lookups_total{{cache=\"host\",result=\"{result}\"}} "
                );
                text.lines().find_map(|line| line.strip_prefix(&series)).unwrap().parse().unwrap()
            };
            (value("hit"), value("miss"))
        };
        let fresh = judge(1, &one);
        // A message that is edited is surveyed again: that second survey hits the cache.
        let (again, misses) = lookups();
        assert!(misses >= 2);
        assert_eq!(judge(1, &one), fresh);
        assert_eq!(lookups(), (2 * again + misses, misses));
        for (generation, tlds) in [(2, &one), (2, &other)] {
            let before = lookups();
            assert_eq!(judge(generation, tlds), fresh);
            assert_eq!(lookups(), (before.0 + again, before.1 + misses));
        }
    }

    #[test]
    fn names_of_recipients_are_made_once() {
        let caches = CurrentCache::new(Arc::new(Metrics::new()));
        let cache = caches.of(1, &Arc::new(crate::tld::builtin()));
        let of = |number: usize| vec![format!("org{number}.example")];
        let first = cache.names(&of(0));
        assert!(first.covers("www.org0.example") && Arc::ptr_eq(&first, &cache.names(&of(0))));
        let many: Vec<String> = (0..=MAX_SET_DOMAINS).flat_map(of).collect();
        assert!(!Arc::ptr_eq(&cache.names(&many), &cache.names(&many)));
        for number in 1..=MAX_DOMAIN_SETS {
            assert_eq!(cache.names(&of(number)).len(), 1);
        }
        assert!(!Arc::ptr_eq(&first, &cache.names(&of(0))), "a full cache is emptied");
    }
}
