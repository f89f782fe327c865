//! Judgements already made, bounded. One for every worker and configuration generation: names,
//! TLDs and the restriction level must not change under it.

use std::collections::HashMap;
use std::sync::Arc;

use super::{Context, Glue, Judgement, judge};

/// Remembers judgements by spelling. Two halves: when the young one is full, the old one is
/// forgotten, so that what is asked for often stays.
#[derive(Debug)]
pub struct Memo {
    half: usize,
    young: HashMap<Key, Arc<Judgement>>,
    old: HashMap<Key, Arc<Judgement>>,
}

/// Spelling, place, and the names protected for this message only.
type Key = (Box<str>, Glue, u64);

/// Spellings longer than this are not remembered: they are attacks, no habit. Bytes.
const REMEMBERED_BYTES: usize = 256;

impl Memo {
    /// A memo of at most so many judgements.
    pub fn new(capacity: usize) -> Memo {
        Memo { half: (capacity / 2).max(1), young: HashMap::new(), old: HashMap::new() }
    }

    /// The judgement of the spelling, made now or remembered.
    pub fn judge(&mut self, spelling: &str, context: &Context<'_>) -> Arc<Judgement> {
        if spelling.len() > REMEMBERED_BYTES {
            return Arc::new(judge(spelling, context));
        }
        let key = (spelling.into(), context.glue, context.own.fingerprint());
        if let Some(known) = self.young.get(&key) {
            return Arc::clone(known);
        }
        let judgement = match self.old.remove(&key) {
            Some(known) => known,
            None => Arc::new(judge(spelling, context)),
        };
        if self.young.len() >= self.half {
            self.old = std::mem::take(&mut self.young);
        }
        self.young.insert(key, Arc::clone(&judgement));
        judgement
    }

    pub fn len(&self) -> usize {
        self.young.len() + self.old.len()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::host::Names;
    use crate::engine::policy::RestrictionLevel;
    use crate::engine::tlds::TldTable;

    #[test]
    fn it_is_bounded_and_says_the_same() {
        let (names, tlds) = (Names::default(), TldTable::new(["com"], ""));
        let context = Context {
            level: RestrictionLevel::default(),
            protected: &names,
            own: &names,
            blocked: &names,
            tlds: &tlds,
            glue: Glue::None,
        };
        let mut memo = Memo::new(10);
        for round in 0..3 {
            for number in 0..100 {
                let spelling = format!("b\u{fc}cher{number}.com");
                assert_eq!(*memo.judge(&spelling, &context), judge(&spelling, &context), "{round}");
            }
        }
        assert!(memo.len() <= 10);
    }
}
