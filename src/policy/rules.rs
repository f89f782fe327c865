//! The rules in their order, found by the recipient's domain: ten thousand tenants cost a message no
//! more than one.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use crate::engine::Policy;

use super::pattern::Address;
use super::{Profile, Rule};

/// See the module's description.
#[derive(Clone, Debug, Default)]
pub(super) struct Rules {
    rules: Vec<(Rule, Arc<Policy>)>,
    /// Rules for recipients at or below a domain, by their place in the order.
    by_domain: HashMap<String, Vec<usize>>,
    /// Rules that any recipient may fit.
    others: Vec<usize>,
    /// Names of the header fields that rules ask for, in lower case.
    headers: BTreeSet<String>,
}

impl Rules {
    /// `rules` in their order, their settings laid over `base`.
    pub fn new(base: &Policy, profile: Profile, rules: Vec<Rule>) -> Rules {
        let mut all = Rules::default();
        for (at, rule) in rules.into_iter().enumerate() {
            let headers = rule.conditions.headers.iter();
            all.headers.extend(headers.map(|header| header.name().to_owned()));
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

    /// Whether some rule asks for header fields at all, and for this one.
    pub fn ask_headers(&self) -> bool {
        !self.headers.is_empty()
    }

    pub fn ask_header(&self, name: &str) -> bool {
        self.headers.contains(name)
    }

    /// The rules that the recipient may fit, in their order.
    pub fn of(&self, recipient: &Address) -> impl Iterator<Item = &(Rule, Arc<Policy>)> {
        let mut places: Vec<usize> = recipient
            .domains()
            .filter_map(|domain| self.by_domain.get(domain))
            .flatten()
            .copied()
            .collect();
        places.extend(&self.others);
        places.sort_unstable();
        places.dedup();
        places.into_iter().filter_map(|at| self.rules.get(at))
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

    fn asked(rules: &Rules, recipient: &str) -> Vec<String> {
        rules.of(&Address::of(recipient)).map(|(rule, _)| rule.name.clone()).collect()
    }

    #[test]
    fn rules_keep_their_order_and_are_asked_once() {
        let rules = [
            rule("a", &["example.com", "sub.example.com", "x@example.com"]),
            rule("b", &[]),
            rule("c", &["sub.example.com"]),
            rule("d", &["example.org", "abuse@"]),
            rule("e", &["example.org"]),
        ];
        let rules = Rules::new(&Policy::default(), Profile::Enforce, rules.to_vec());
        assert_eq!(asked(&rules, "y@a.Sub.example.com"), ["a", "b", "c", "d"]);
        assert_eq!(asked(&rules, "y@example.com"), ["a", "b", "d"]);
        assert_eq!(asked(&rules, "y@example.org"), ["b", "d", "e"]);
        assert_eq!(asked(&rules, ""), ["b", "d"]);
    }

    #[test]
    fn ten_thousand_tenants_are_no_more_to_ask_than_one() {
        let tenants = (0..10_000).map(|n| rule(&format!("t{n}"), &[&format!("tenant{n}.example")]));
        let rules = tenants.chain([rule("spam", &[])]).collect();
        let rules = Rules::new(&Policy::default(), Profile::Enforce, rules);
        assert_eq!(asked(&rules, "ann@tenant7777.example"), ["t7777", "spam"]);
        assert_eq!(asked(&rules, "ann@tenant.example"), ["spam"]);
    }
}
