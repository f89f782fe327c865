//! The built-in public suffixes against the algorithm of publicsuffix.org by the letter, a second reader of
//! the list (`crates/uts58/data/public_suffix_list.txt`).

use std::collections::HashMap;

use linkmilter::engine::link::suffixes::{BUILTIN, Section, Suffix};

const LIST: &str = include_str!("../../crates/uts58/data/public_suffix_list.txt");

/// The rules as they stand, in A-labels as well, with their sections.
fn rules() -> HashMap<String, Section> {
    let mut section = Section::Icann;
    let mut rules = HashMap::new();
    for line in LIST.lines() {
        if line.contains("BEGIN PRIVATE") {
            section = Section::Private;
        }
        if line.is_empty() || line.starts_with("//") {
            continue;
        }
        let name = line.trim_start_matches("*.").trim_start_matches('!');
        let sign = line.strip_suffix(name).unwrap();
        rules.insert(line.to_owned(), section);
        rules.insert(format!("{sign}{}", idna::domain_to_ascii(name).unwrap()), section);
    }
    rules
}

/// publicsuffix.org, "Algorithm", 1-6: the exception, else the rule with the most labels, else `*`.
fn by_the_letter(name: &str, rules: &HashMap<String, Section>) -> Suffix {
    let labels: Vec<&str> = name.split('.').collect();
    let mut best = Suffix { labels: 1, section: None };
    for at in (0..labels.len()).rev() {
        let name = labels[at..].join(".");
        let count = labels.len() - at;
        if let Some(section) = rules.get(&format!("!{name}")) {
            return Suffix { labels: count - 1, section: Some(*section) };
        }
        let wild = format!("*.{}", labels[at + 1..].join("."));
        if let Some(section) = rules.get(&name).or_else(|| rules.get(&wild)) {
            best = Suffix { labels: count, section: Some(*section) };
        }
    }
    best
}

/// Every rule, names below it and beside it.
#[test]
fn the_list_reads_as_its_algorithm_says() {
    let rules = rules();
    assert!(rules.len() > 9_000, "{}", rules.len());
    for (rule, section) in &rules {
        let name = rule.trim_start_matches("*.").trim_start_matches('!');
        // `uts58::authority` looks for no longer ones of registries.
        assert!(*section == Section::Private || rule.split('.').count() <= 5, "{rule}");
        for before in ["", "a.", "b.a.", "c.b.a.", "www."] {
            let name = format!("{before}{name}");
            assert_eq!(BUILTIN.of_name(&name), by_the_letter(&name, &rules), "{name}");
        }
    }
}
