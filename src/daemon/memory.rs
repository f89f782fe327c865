//! Judgements remembered from one message to the next, and the names of whom they go to.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use arc_swap::ArcSwapOption;
use prometheus_client::metrics::counter::Counter;

use super::metrics::{Cache, Lookup, Metrics};
use crate::engine::TldTable;
use crate::engine::host::{CacheKey, Judgement, Memo, Names};

/// How many sets of recipients' domains are cached, and how many domains such a set may have.
const HOUSES: usize = 64;
const DOMAINS: usize = 4;

/// The memory in force. A message keeps the one that it began with.
#[derive(Debug)]
pub struct Memories {
    current: ArcSwapOption<Memory>,
    metrics: Arc<Metrics>,
}

/// Judgements of one configuration generation and one TLD table, shared by all workers. They are
/// looked up and put down under a lock; judging is done outside of it.
#[derive(Debug)]
pub struct Memory {
    generation: u64,
    tlds: Arc<TldTable>,
    memo: Mutex<Memo>,
    houses: Mutex<HashMap<Box<[String]>, Arc<Names>>>,
    hits: Counter,
    misses: Counter,
}

impl Memories {
    pub fn new(metrics: Arc<Metrics>) -> Memories {
        Memories { current: ArcSwapOption::empty(), metrics }
    }

    /// The memory for this generation and table; an empty one when either has changed.
    pub fn of(&self, generation: u64, tlds: &Arc<TldTable>) -> Arc<Memory> {
        let current = self.current.load_full();
        let fits =
            |memory: &Memory| memory.generation == generation && Arc::ptr_eq(&memory.tlds, tlds);
        if let Some(memory) = current.filter(|memory| fits(memory)) {
            return memory;
        }
        let memory = Arc::new(Memory {
            generation,
            tlds: Arc::clone(tlds),
            memo: Mutex::default(),
            houses: Mutex::default(),
            hits: self.metrics.lookups(Cache::Host, Lookup::Hit),
            misses: self.metrics.lookups(Cache::Host, Lookup::Miss),
        });
        self.current.store(Some(Arc::clone(&memory)));
        memory
    }
}

impl Memory {
    fn lock(&self) -> MutexGuard<'_, Memo> {
        self.memo.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl crate::engine::Memory for Memory {
    fn recall(&self, spelling: &str, under: CacheKey) -> Option<Arc<Judgement>> {
        let known = self.lock().recall(spelling, under);
        if known.is_some() { &self.hits } else { &self.misses }.inc();
        known
    }

    fn keep(&self, spelling: &str, under: CacheKey, judgement: &Arc<Judgement>) {
        self.lock().keep(spelling, under, judgement);
    }

    fn names(&self, names: &[String]) -> Arc<Names> {
        let houses = || self.houses.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = houses().get(names) {
            return Arc::clone(known);
        }
        let made = Arc::new(Names::new(names));
        if names.len() <= DOMAINS {
            let mut houses = houses();
            // A full cache is emptied: most installations see few sets, and those soon come again.
            if houses.len() >= HOUSES {
                houses.clear();
            }
            houses.insert(names.into(), Arc::clone(&made));
        }
        made
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::Memory as _;
    use crate::engine::{Answers, Case, Facts, Message, Policy, inspect_case};

    #[test]
    fn a_new_generation_or_table_forgets_and_a_remembered_message_says_the_same() {
        let metrics = Arc::new(Metrics::new());
        let memories = Memories::new(Arc::clone(&metrics));
        let (one, other) = (Arc::new(crate::tld::builtin()), Arc::new(crate::tld::builtin()));
        let (facts, policy) = (Facts::default(), Policy::default());
        let body = "https://www.p\u{430}ypal.com/ and https://www.example.com/\r\n".as_bytes();
        let judge = |generation, tlds| {
            let memory = memories.of(generation, tlds);
            let message = Message { head: b"", body };
            let case = Case::new(message, &facts, &policy, &**tlds);
            inspect_case(Case { memory: Some(memory.as_ref()), ..case }).resolve(&Answers::new())
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
        // What is edited is surveyed again, and remembers.
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
        let memories = Memories::new(Arc::new(Metrics::new()));
        let memory = memories.of(1, &Arc::new(crate::tld::builtin()));
        let of = |number: usize| vec![format!("house{number}.example")];
        let first = memory.names(&of(0));
        assert!(first.covers("www.house0.example") && Arc::ptr_eq(&first, &memory.names(&of(0))));
        let many: Vec<String> = (0..=DOMAINS).flat_map(of).collect();
        assert!(!Arc::ptr_eq(&memory.names(&many), &memory.names(&many)));
        for number in 1..=HOUSES {
            assert_eq!(memory.names(&of(number)).len(), 1);
        }
        assert!(!Arc::ptr_eq(&first, &memory.names(&of(0))), "it began anew");
    }
}
