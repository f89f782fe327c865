//! Metrics of the contact store.

use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;

use super::{ContactAnswer, ContactFault, zero};

metrics! {
    pub struct ContactMetrics {
        answers: Family<AnswerLabel, Counter> => "contacts", "Messages from outside, by whether their author is known to a recipient";
        faults: Family<FaultLabel, Counter> => "contact_faults", "Faults of the store of known authors: not read, not saved or forgotten early, by cause";
    }
}

label_sets! {
    AnswerLabel { answer: ContactAnswer }
    FaultLabel { cause: ContactFault }
}

impl ContactMetrics {
    pub(super) fn start_at_zero(&self) {
        zero(&self.answers, ContactAnswer::ALL.iter().map(|&answer| AnswerLabel { answer }));
        zero(&self.faults, ContactFault::ALL.iter().map(|&cause| FaultLabel { cause }));
    }

    /// The contact store was queried for a message from outside.
    pub fn answer(&self, answer: ContactAnswer) {
        self.answers.get_or_create(&AnswerLabel { answer }).inc();
    }

    pub fn fault(&self, cause: ContactFault) {
        self.faults.get_or_create(&FaultLabel { cause }).inc();
    }
}
