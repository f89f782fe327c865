//! Which lists name the hosts of a link.

use super::policy::Policy;
use uts58::{Target, reference};

/// The key of the operator's own block list.
pub const OWN: &str = "lists.blocked";

/// The lists that name one of these hosts (lower-case ASCII form), or the URL, as keys of the configuration, each once:
/// `lists.blocked`, `rules.NAME.blocked`, and third-party lists by their own names.
pub fn lists_naming<'h>(
    policy: &Policy,
    hosts: impl IntoIterator<Item = &'h str>,
    url: &str,
) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut first = None;
    for host in hosts {
        first.get_or_insert(host);
        let own = policy.blocked.covers(host).then(|| OWN.to_owned());
        let rule = || format!("rules.{}.blocked", policy.rule);
        let of_rule = policy.lists.block(host).then(rule);
        let listings = policy.lists.listings.iter().filter(|listing| listing.table.covers(host));
        let all = own.into_iter().chain(of_rule).chain(listings.map(|list| list.name.clone()));
        for name in all {
            add(&mut found, name);
        }
    }
    let link = reference::parse(url, 0..url.len()).find_map(|target| match target {
        Target::Link(link) => Some(link),
        Target::Dangerous { .. } => None,
    });
    if let (Some(host), Some(link)) = (first, link) {
        let piece = |range| url.get(range).unwrap_or_default();
        let port = link.port.map(piece).unwrap_or_default();
        let tail = piece(link.tail);
        for listing in policy.lists.listings.iter() {
            if listing.table.has_url(host, port, tail) {
                add(&mut found, listing.name.clone());
            }
        }
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
    use crate::lists::{Entry, Listing, Table, TableBuilder};
    use crate::outcome::Verdict;
    use homograph::Names;

    #[test]
    fn every_list_is_named_once() {
        let listing = |name: &str, table: Table| {
            let (name, table) = (name.to_owned(), Arc::new(table));
            Arc::new(Listing { name, verdict: Verdict::Unsafe, table, known: None })
        };
        let mut urls = TableBuilder::default();
        urls.push(Entry::Url("ok.example:8080/a?b"));
        let mut policy = Policy { rule: "users".to_owned(), ..Policy::default() };
        policy.blocked = Arc::new(Names::new(["own.example"]));
        policy.lists.blocked = vec![Arc::new(Table::of_names(["ruled.example"]))];
        policy.lists.listings = Arc::new(vec![
            listing("feeds.malware", Table::of_names(["own.example", "fed.example"])),
            listing("feeds.urls", urls.finish()),
        ]);
        for (hosts, url, expected) in [
            (&["a.own.example"] as &[&str], "", &["lists.blocked", "feeds.malware"] as &[&str]),
            (&["fed.example", "x.fed.example"], "http://fed.example/", &["feeds.malware"]),
            (&["ok.example", "ruled.example"], "", &["rules.users.blocked"]),
            (&["ok.example"], "http://ok.example:8080/a?b#c", &["feeds.urls"]),
            (&["ok.example"], "http://ok.example/", &[]),
            (&[], "javascript:x", &[]),
        ] {
            assert_eq!(lists_naming(&policy, hosts.iter().copied(), url), expected, "{hosts:?}");
        }
    }
}
