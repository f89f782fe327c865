//! The rules in their order, indexed by the domain of the recipient, so that ten thousand tenants cost a message no more
//! than one.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use crate::engine::Policy;

use super::pattern::Address;
use super::{Profile, Rule};

/// The rules and their indexes.
#[derive(Clone, Debug, Default)]
pub(super) struct Rules {
    rules: Vec<(Rule, Arc<Policy>)>,
    /// Rules for recipients at or below a domain, as indexes into `rules`.
    by_domain: HashMap<String, Vec<usize>>,
    /// Rules that recipients of any domain may match.
    others: Vec<usize>,
    /// Names of the header fields that rules check, in lower case.
    fields: BTreeSet<String>,
}

impl Rules {
    /// `rules` in their order; their settings are changes to `base`.
    pub fn new(base: &Policy, profile: Profile, rules: Vec<Rule>) -> Rules {
        let mut all = Rules::default();
        for (at, rule) in rules.into_iter().enumerate() {
            let headers = rule.conditions.headers.iter();
            all.fields.extend(headers.map(|header| header.name().to_owned()));
            let recipients = &rule.conditions.recipients;
            let domains: Option<Vec<&str>> =
                recipients.iter().map(|pattern| pattern.domain()).collect();
            match domains.filter(|domains| !domains.is_empty()) {
                Some(domains) => {
                    for domain in domains {
                        let rules = all.by_domain.entry(domain.to_owned()).or_default();
                        if rules.last() != Some(&at) {
                            rules.push(at);
                        }
                    }
                }
                None => all.others.push(at),
            }
            let policy = Arc::new(rule.applied_to(base, profile));
            all.rules.push((rule, policy));
        }
        all
    }

    /// Whether some rule checks header fields.
    pub fn check_fields(&self) -> bool {
        !self.fields.is_empty()
    }

    /// Whether some rule checks this header field.
    pub fn check_field(&self, name: &str) -> bool {
        self.fields.contains(name)
    }

    /// The rules that the recipient may match, in their order.
    pub fn for_recipient(&self, recipient: &Address) -> impl Iterator<Item = &(Rule, Arc<Policy>)> {
        let mut indexes: Vec<usize> = recipient
            .domains()
            .filter_map(|domain| self.by_domain.get(domain))
            .flatten()
            .copied()
            .collect();
        indexes.extend(&self.others);
        indexes.sort_unstable();
        indexes.dedup();
        indexes.into_iter().filter_map(|at| self.rules.get(at))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::Conditions;

    fn rule(name: &str, recipients: &[&str]) -> Rule {
        let recipients = recipients.iter().map(|text| text.parse().unwrap()).collect();
        let conditions = Conditions { recipients, ..Conditions::default() };
        Rule { name: name.to_owned(), conditions, ..Rule::default() }
    }

    fn found(rules: &Rules, recipient: &str) -> Vec<String> {
        rules.for_recipient(&Address::of(recipient)).map(|(rule, _)| rule.name.clone()).collect()
    }

    #[test]
    fn rules_keep_their_order_and_are_found_once() {
        let rules = [
            rule("a", &["example.com", "sub.example.com", "x@example.com"]),
            rule("b", &[]),
            rule("c", &["sub.example.com"]),
            rule("d", &["example.org", "abuse@"]),
            rule("e", &["example.org"]),
        ];
        let rules = Rules::new(&Policy::default(), Profile::Enforce, rules.to_vec());
        assert_eq!(found(&rules, "y@a.Sub.example.com"), ["a", "b", "c", "d"]);
        assert_eq!(found(&rules, "y@example.com"), ["a", "b", "d"]);
        assert_eq!(found(&rules, "y@example.org"), ["b", "d", "e"]);
        assert_eq!(found(&rules, ""), ["b", "d"]);
    }

    #[test]
    fn ten_thousand_tenants_cost_no_more_than_one() {
        let tenants = (0..10_000).map(|n| rule(&format!("t{n}"), &[&format!("tenant{n}.example")]));
        let rules = tenants.chain([rule("spam", &[])]).collect();
        let rules = Rules::new(&Policy::default(), Profile::Enforce, rules);
        assert_eq!(found(&rules, "ann@tenant7777.example"), ["t7777", "spam"]);
        assert_eq!(found(&rules, "ann@tenant.example"), ["spam"]);
    }
}
