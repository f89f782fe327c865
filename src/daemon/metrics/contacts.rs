//! Metrics of the contact store.

use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::registry::Registry;

use super::{ContactAnswer, ContactFault, zero};

#[derive(Debug, Default)]
pub(super) struct ContactMetrics {
    answers: Family<AnswerLabel, Counter>,
    faults: Family<FaultLabel, Counter>,
}

label_sets! {
    AnswerLabel { answer: ContactAnswer }
    FaultLabel { cause: ContactFault }
}

impl ContactMetrics {
    pub fn register(&self, registry: &mut Registry) {
        zero(&self.answers, ContactAnswer::ALL.iter().map(|&answer| AnswerLabel { answer }));
        zero(&self.faults, ContactFault::ALL.iter().map(|&cause| FaultLabel { cause }));
        register! { registry;
            self.answers => "contacts", "Messages from outside, by whether their author is known to a recipient";
            self.faults => "contact_faults", "Faults of the store of known authors: not read, not saved or forgotten early, by cause";
        }
    }

    pub fn answer(&self, answer: ContactAnswer) {
        self.answers.get_or_create(&AnswerLabel { answer }).inc();
    }

    pub fn fault(&self, cause: ContactFault) {
        self.faults.get_or_create(&FaultLabel { cause }).inc();
    }
}
