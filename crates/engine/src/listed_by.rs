//! Which lists name the hosts of a link.

use super::policy::Policy;

/// The key of the operator's own block list.
pub const OWN: &str = "lists.blocked";

/// The lists that name one of these hosts (lower-case ASCII form) and those that name the URL, as keys of the configuration,
/// each once: `lists.blocked`, `rules.NAME.blocked`, and third-party lists by their own names.
pub(crate) fn lists_naming<'h>(
    policy: &Policy,
    hosts: impl IntoIterator<Item = &'h str>,
    of_url: &[String],
) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for host in hosts {
        let own = policy.blocked.covers(host).then(|| OWN.to_owned());
        let rule = || format!("rules.{}.blocked", policy.rule);
        let of_rule = policy.lists.block(host).then(rule);
        let listings = policy.lists.of_host(host).map(|listing| listing.name.clone());
        for name in own.into_iter().chain(of_rule).chain(listings) {
            add(&mut found, name);
        }
    }
    for name in of_url {
        add(&mut found, name.clone());
    }
    found
}

fn add(found: &mut Vec<String>, name: String) {
    if !found.contains(&name) {
        found.push(name);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::check::check;
    use crate::lists::{Entry, Listing, Table, TableBuilder};
    use crate::outcome::Verdict;
    use crate::{Answers, Facts, Message, TldTable, inspect};
    use homograph::Names;

    #[test]
    fn every_list_is_named_once() {
        let listing = |name: &str, table: Table| {
            let (name, table) = (name.to_owned(), Arc::new(table));
            Arc::new(Listing { name, verdict: Verdict::Unsafe, table, known: None })
        };
        let mut urls = TableBuilder::default();
        urls.push(Entry::Url("www.ok.example:8080/a?b"));
        let mut policy = Policy { rule: "users".to_owned(), ..Policy::default() };
        policy.blocked = Arc::new(Names::new(["own.example"]));
        policy.lists.blocked = vec![Arc::new(Table::of_names(["ruled.example"]))];
        policy.lists.listings = Arc::new(vec![
            listing("feeds.malware", Table::of_names(["own.example", "fed.example"])),
            listing("feeds.urls", urls.finish()),
        ]);
        for (hosts, of_url, expected) in [
            (&["a.own.example"] as &[&str], "", &["lists.blocked", "feeds.malware"] as &[&str]),
            (&["fed.example", "x.fed.example"], "feeds.malware", &["feeds.malware"]),
            (&["ok.example", "ruled.example"], "", &["rules.users.blocked"]),
            (&["ok.example"], "feeds.urls", &["feeds.urls"]),
            (&["ok.example"], "", &[]),
        ] {
            let of_url: Vec<String> = Some(of_url)
                .filter(|name| !name.is_empty())
                .map(str::to_owned)
                .into_iter()
                .collect();
            assert_eq!(
                lists_naming(&policy, hosts.iter().copied(), &of_url),
                expected,
                "{hosts:?}"
            );
        }
        // However the URL is spelled.
        let tlds = TldTable::new(["example"], "");
        for text in [
            "http://www.ok.example:8080/a?b#c",
            "www.ok.example:8080/a?b",
            "see www.ok.example:8080/a?b.",
        ] {
            let message = Message { head: b"", body: text.as_bytes() };
            let outcome =
                inspect(message, &Facts::default(), &policy, &tlds).resolve(&Answers::new());
            let lists: Vec<&Vec<String>> =
                outcome.findings.iter().map(|found| &found.lists).collect();
            assert_eq!(lists, [&["feeds.urls"]], "{text}");
            assert_eq!(check(text, &policy, &tlds).lists, ["feeds.urls"], "{text}");
        }
    }
}
