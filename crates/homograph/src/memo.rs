//! A bounded cache of judgements.
//!
//! The engine keeps nothing between messages. A caller that judges many passes a [`Memory`], one
//! for each configuration generation and TLD table: neither may change while it is in use.

use std::collections::HashMap;
use std::fmt::Debug;
use std::sync::Arc;

use crate::{Context, HostBounds, Judgement, Names};

/// Remembers judgements from one message to the next. Called once for each distinct host of a
/// message.
pub trait Memory: Debug + Sync {
    /// The judgement of this spelling with this key, if it is still cached.
    fn recall(&self, spelling: &str, under: CacheKey) -> Option<Arc<Judgement>>;

    /// Keeps a judgement as long as there is room.
    fn keep(&self, spelling: &str, under: CacheKey, judgement: &Arc<Judgement>);

    /// The set of these names, equal to that of [`Names::new`]: mail to one organisation has the
    /// same ones every time.
    fn names(&self, names: &[String]) -> Arc<Names> {
        Arc::new(Names::new(names))
    }
}

/// What a judgement depends on, apart from the spelling and the table of top-level domains.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CacheKey {
    bounds: HostBounds,
    /// Hash of names and level; differs for others with a probability of 1 - 2⁻⁶⁴.
    names: u64,
    says: Says,
}

/// What a judgement is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Says {
    /// The letters of a host alone.
    Letters,
    /// The organisations of the table as well.
    Organisations,
}

impl CacheKey {
    /// The key for the judgement of any host in this context.
    pub fn of(context: &Context<'_>) -> CacheKey {
        let sets = [context.own, context.protected, context.blocked];
        let names = sets.iter().fold(context.level as u64, |sum, names| {
            sum.rotate_left(21).wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ names.fingerprint()
        });
        CacheKey { bounds: context.bounds, names, says: Says::Letters }
    }

    /// The key for a judgement that says as well which organisation of the table the host names.
    pub fn with_organisations(self) -> CacheKey {
        CacheKey { says: Says::Organisations, ..self }
    }
}

/// Judgements by spelling, in two halves: when the young one is full, it replaces the old one, so
/// that entries in frequent use stay.
#[derive(Debug)]
pub struct Memo {
    young: Half,
    old: Half,
    /// Judgements of both halves at most.
    room: usize,
}

impl Default for Memo {
    fn default() -> Memo {
        Memo { young: Half::default(), old: Half::default(), room: REMEMBERED }
    }
}

#[derive(Debug, Default)]
struct Half {
    by_spelling: HashMap<Box<str>, Vec<(CacheKey, Arc<Judgement>)>>,
    judgements: usize,
}

/// Judgements of a [`Memo`]: about 4 MB, and more hosts than a mail server sees in an hour of
/// ordinary mail.
pub const REMEMBERED: usize = 8_192;

/// Bytes of a spelling that is remembered: longer ones are attacks and do not repeat.
pub const REMEMBERED_BYTES: usize = 256;

impl Memo {
    /// A memo of at most so many judgements.
    pub fn with_room(room: usize) -> Memo {
        Memo { room, ..Memo::default() }
    }

    /// The judgement, if it is remembered. One from the old half is moved to the young one.
    pub fn recall(&mut self, spelling: &str, under: CacheKey) -> Option<Arc<Judgement>> {
        if let Some(known) = self.young.find(spelling, under) {
            return Some(known);
        }
        let known = self.old.find(spelling, under)?;
        self.keep(spelling, under, &known);
        Some(known)
    }

    /// Adds a judgement. A spelling over [`REMEMBERED_BYTES`] is not kept; after half of
    /// those that it has room for were added, older ones are dropped.
    pub fn keep(&mut self, spelling: &str, under: CacheKey, judgement: &Arc<Judgement>) {
        if spelling.len() > REMEMBERED_BYTES || self.young.find(spelling, under).is_some() {
            return;
        }
        if self.young.judgements >= self.room / 2 {
            self.old = std::mem::take(&mut self.young);
        }
        let known = self.young.by_spelling.entry(spelling.into()).or_default();
        known.push((under, Arc::clone(judgement)));
        self.young.judgements += 1;
    }

    /// Judgements in both halves; one that was moved may count twice.
    pub fn len(&self) -> usize {
        self.young.judgements + self.old.judgements
    }

    /// Whether nothing is cached.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl Half {
    fn find(&self, spelling: &str, under: CacheKey) -> Option<Arc<Judgement>> {
        let known = self.by_spelling.get(spelling)?;
        let (_, judgement) = known.iter().find(|(known, _)| *known == under)?;
        Some(Arc::clone(judgement))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::verdict::RestrictionLevel;
    use crate::{Names, judge};
    use uts58::tlds::TldTable;

    #[test]
    fn remembered_judgements_are_bounded_and_say_the_same() {
        let (names, tlds) = (Names::default(), TldTable::new(["com"], ""));
        let context = crate::tests::context(&names, &names, &tlds);
        let under = CacheKey::of(&context);
        let mut memo = Memo::default();
        let often = "often.com";
        memo.keep(often, under, &Arc::new(judge(often, &context)));
        for number in 0..3 * REMEMBERED {
            let spelling = format!("b\u{fc}cher{number}.com");
            assert_eq!(memo.recall(&spelling, under), None);
            let judgement = Arc::new(judge(&spelling, &context));
            memo.keep(&spelling, under, &judgement);
            assert_eq!(memo.recall(&spelling, under), Some(judgement));
            assert!(memo.recall(often, under).is_some(), "{number}");
            assert!(memo.len() <= REMEMBERED);
        }
        let long = format!("{}.com", "a".repeat(REMEMBERED_BYTES));
        memo.keep(&long, under, &Arc::new(judge(&long, &context)));
        assert_eq!(memo.recall(&long, under), None);
    }

    #[test]
    fn other_circumstances_are_another_judgement() {
        let (none, own) = (Names::default(), Names::new(["example.com"]));
        let tlds = TldTable::new(["com"], "");
        let context = crate::tests::context(&none, &none, &tlds);
        let others = [
            Context { own: &own, ..context },
            Context { protected: &own, ..context },
            Context { blocked: &own, ..context },
            Context { level: RestrictionLevel::AsciiOnly, ..context },
            Context { bounds: HostBounds::Prose, ..context },
        ];
        let contexts = [&[context][..], &others].concat();
        let all: Vec<CacheKey> = contexts
            .iter()
            .map(CacheKey::of)
            .flat_map(|key| [key, key.with_organisations()])
            .collect();
        for (at, one) in all.iter().enumerate() {
            assert_eq!(all.iter().position(|other| other == one), Some(at));
        }
    }
}
