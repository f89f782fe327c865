//! Metrics of the contact store.

use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::registry::Registry;

use super::{ContactAnswer, ContactFault};

#[derive(Debug, Default)]
pub(super) struct ContactMetrics {
    answers: Family<AnswerLabel, Counter>,
    faults: Family<FaultLabel, Counter>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct AnswerLabel {
    answer: ContactAnswer,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct FaultLabel {
    cause: ContactFault,
}

impl ContactMetrics {
    pub fn register(&self, registry: &mut Registry) {
        for &answer in ContactAnswer::ALL {
            drop(self.answers.get_or_create(&AnswerLabel { answer }));
        }
        for &cause in ContactFault::ALL {
            drop(self.faults.get_or_create(&FaultLabel { cause }));
        }
        registry.register(
            "contacts",
            "Messages from outside, by whether their author is known to a recipient",
            self.answers.clone(),
        );
        registry.register(
            "contact_faults",
            "Faults of the store of known authors: not read, not saved or forgotten early, by cause",
            self.faults.clone(),
        );
    }

    pub fn answer(&self, answer: ContactAnswer) {
        self.answers.get_or_create(&AnswerLabel { answer }).inc();
    }

    pub fn fault(&self, cause: ContactFault) {
        self.faults.get_or_create(&FaultLabel { cause }).inc();
    }
}
