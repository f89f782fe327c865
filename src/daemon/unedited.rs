//! Messages that cannot be edited, though their policy wants it: the MTA does not let the filter, or the recipe that
//! would undo the edits has no room. They are judged and reported. What the policy wants to be done with the message
//! as a whole needs no edit, and is done all the same.

use std::sync::Arc;

use crate::engine::policy::{Actions, Defang, Linkify, MessageAction, OnAmbiguous};
use crate::engine::{Outcome, Policy};

/// The policy that a message is judged by.
#[derive(Clone, Debug)]
pub struct Judging {
    /// What is edited, and what is reported.
    pub policy: Arc<Policy>,
    /// The policy as it was selected, if `policy` is one without edits: it alone says what becomes of the message as a
    /// whole. `None` if it would not hold any message back because of what is found in it.
    pub wanted: Option<Arc<Policy>>,
}

impl Judging {
    pub fn as_selected(policy: Arc<Policy>) -> Judging {
        Judging { policy, wanted: None }
    }

    /// Without edits, for the reason of this word. Nothing else of the policy changes: what is not read in full is
    /// held as before.
    pub fn without_edits(selected: Arc<Policy>, why: &str) -> Judging {
        let mut policy = Policy::clone(&selected);
        policy.exempt.get_or_insert_with(|| why.to_owned());
        policy.defang = Defang::Judged;
        policy.linkify = Linkify::Off;
        policy.message_actions = Actions::default();
        let wanted = holds_back(&selected).then_some(selected);
        Judging { policy: Arc::new(policy), wanted }
    }
}

/// Whether the policy holds messages back because of what is found in them.
fn holds_back(policy: &Policy) -> bool {
    let mut actions = policy.message_actions.values();
    policy.edits()
        && (policy.on_ambiguous == OnAmbiguous::Quarantine
            || actions.any(|action| matches!(action, MessageAction::Dispose(_))))
}

/// What becomes of the message as a whole by the policy that would have edited it; the stricter one stays.
pub fn take_disposition(outcome: &mut Outcome, wanted: Outcome) {
    if wanted.disposition > outcome.disposition {
        (outcome.disposition, outcome.because) = (wanted.disposition, wanted.because);
    }
}
