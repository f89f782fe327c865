//! What the MTA does not let the filter do. Postfix and Sendmail allow everything that it asks for; another
//! program may offer less, and then what would be edited passes as it came. What is to be refused, put off or
//! discarded needs no grant. Header, log and metrics say so.

use super::job::JudgedMessage;
use super::metrics::{Grant, Metrics};
use super::throttle::Throttle;
use crate::engine::outcome::Disposition;
use crate::engine::splice::note;
use crate::milter::Mail;
use crate::milter::wire::Actions;

/// The word for what is not done because the MTA does not allow it.
pub const NOT_GRANTED: &str = "not-granted";

/// What the filter cannot edit without.
const EDITING: Actions =
    Actions::CHANGE_BODY.with(Actions::CHANGE_HEADERS).with(Actions::ADD_HEADERS);

/// Whether the MTA lets the filter edit.
pub const fn may_edit(mail: &Mail) -> bool {
    mail.actions.has(EDITING)
}

const fn action(grant: Grant) -> Actions {
    match grant {
        Grant::AddHeaders => Actions::ADD_HEADERS,
        Grant::ChangeBody => Actions::CHANGE_BODY,
        Grant::ChangeHeaders => Actions::CHANGE_HEADERS,
        Grant::Quarantine => Actions::QUARANTINE,
    }
}

/// Sets of grants: one bit for each.
const SETS: usize = 1 << Grant::ALL.len();

/// One line a minute for each set of missing grants.
#[derive(Debug, Default)]
pub struct GrantLog([Throttle; SETS]);

impl GrantLog {
    /// Says what cannot be done with this message. One that should be held, and cannot be, is deferred: what may
    /// lie is not delivered, and its sender keeps it.
    pub fn apply(&self, mail: &Mail, judged: &mut JudgedMessage, metrics: &Metrics) {
        let outcome = &mut judged.outcome;
        let holds = outcome.disposition == Disposition::Quarantine;
        let missing: Vec<Grant> = Grant::ALL
            .iter()
            .copied()
            .filter(|grant| !mail.actions.has(action(*grant)))
            .filter(|grant| *grant != Grant::Quarantine || holds)
            .collect();
        if missing.is_empty() {
            return;
        }
        if !may_edit(mail) {
            note(&mut outcome.fields, &format!("edits={NOT_GRANTED}"));
        }
        if missing.contains(&Grant::Quarantine) {
            note(&mut outcome.fields, &format!("quarantine={NOT_GRANTED}"));
            outcome.disposition = Disposition::Tempfail;
        }
        for grant in &missing {
            metrics.mail.not_granted(*grant);
        }
        self.log(mail, &missing);
    }

    fn log(&self, mail: &Mail, missing: &[Grant]) {
        let set = missing.iter().fold(0, |set, grant| set | 1 << *grant as usize);
        let admitted = self.0.get(set).and_then(|throttle| throttle.admit());
        if let Some(more) = admitted {
            let words: Vec<&str> = missing.iter().map(|grant| grant.as_str()).collect();
            tracing::warn!(
                queue_id = mail.queue_id(),
                missing = words.join(","),
                more,
                "the MTA does not let the filter do all that it needs: what is missing is not done, and what should \
                 be held and cannot be is deferred"
            );
        }
    }
}
