//! The domains of the table by their labels.

use std::borrow::Cow;
use std::collections::HashMap;
use std::hash::BuildHasherDefault;

use super::{
    BUILTIN, BYTES_PER_DOMAIN, ByText, DomainUse, LABEL_LETTERS, domains_of, registrable_label,
};
use crate::characters::lookalike::{LookHash, LookHasher};
use crate::english;

/// Letters of the shortest label, which is looked up beside words that surely ask.
const SHORT_LABEL_LETTERS: usize = 3;

/// The domains whose labels are names and no words, unless their customers alone have hosts there.
#[derive(Debug, Default)]
pub(super) struct Labels {
    /// By the label without hyphens, where nobody else has an address.
    pub(super) by_name: HashMap<Cow<'static, str>, &'static str, ByText>,
    /// By what such a label looks like.
    pub(super) by_look: HashMap<u64, &'static str, BuildHasherDefault<LookHasher>>,
}

impl Labels {
    pub(super) fn builtin() -> Labels {
        let mut labels = Labels::default();
        let domains = BUILTIN.len() / BYTES_PER_DOMAIN;
        labels.by_name.reserve(domains);
        labels.by_look.reserve(domains);
        for (domain, domain_use, is_word) in BUILTIN.lines().flat_map(domains_of) {
            if !is_word && domain_use != DomainUse::Customers {
                labels.add(domain, domain_use);
            }
        }
        labels
    }

    fn add(&mut self, domain: &'static str, domain_use: DomainUse) {
        let Some(label) = registrable_label(domain) else { return };
        let name = match label.contains('-') {
            true => Cow::Owned(label.replace('-', "")),
            false => Cow::Borrowed(label),
        };
        if name.len() < SHORT_LABEL_LETTERS || english::is_word(&name) {
            return;
        }
        if name.len() >= LABEL_LETTERS {
            self.by_look.entry(LookHash::of(name.as_bytes()).value()).or_insert(domain);
        }
        if domain_use == DomainUse::Own {
            self.by_name.entry(name).or_insert(domain);
        }
    }
}
