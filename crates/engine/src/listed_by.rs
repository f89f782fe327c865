//! Which lists name the hosts of a link.

use super::policy::Policy;

/// The key of the operator's own block list.
pub const OWN: &str = "lists.blocked";

/// Which lists name a link, each once, as keys of the configuration: `lists.blocked`, `rules.NAME.blocked`, and third-party
/// lists by their own names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ListedBy {
    /// Those that count.
    pub counting: Vec<String>,
    /// Third-party lists that name a host to which they do not apply ([`Policy::is_above_listings`]).
    pub void: Vec<String>,
}

/// The lists that name one of these hosts (lower-case ASCII form) and those that name the URL.
pub(crate) fn lists_naming<'h>(
    policy: &Policy,
    hosts: impl IntoIterator<Item = &'h str>,
    of_url: &[String],
) -> ListedBy {
    let mut found = ListedBy::default();
    for host in hosts {
        let own = policy.blocked.covers(host).then(|| OWN.to_owned());
        let rule = || format!("rules.{}.blocked", policy.rule);
        let of_rule = policy.lists.block(host).then(rule);
        own.into_iter().chain(of_rule).for_each(|name| add(&mut found.counting, name));
        let mut listings = policy.lists.of_host(host).peekable();
        if listings.peek().is_none() {
            continue;
        }
        let applying =
            if policy.is_above_listings(host) { &mut found.void } else { &mut found.counting };
        listings.for_each(|listing| add(applying, listing.name.clone()));
    }
    of_url.iter().for_each(|name| add(&mut found.counting, name.clone()));
    let ListedBy { counting, void } = &mut found;
    void.retain(|name| !counting.contains(name));
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
    use crate::outcome::Verdict;
    use crate::policy::lists::{Entry, EntryHashes, Listing, TableBuilder};
    use crate::{Answers, Facts, Message, TldTable, inspect};
    use homograph::Names;

    #[test]
    fn every_list_is_named_once() {
        let listing = |name: &str, table: EntryHashes| {
            let (name, table) = (name.to_owned(), Arc::new(table));
            Arc::new(Listing { name, verdict: Verdict::Unsafe, table, known: None })
        };
        let mut urls = TableBuilder::default();
        urls.push(Entry::Url("www.ok.example:8080/a?b"));
        let mut policy = Policy { rule: "users".to_owned(), ..Policy::default() };
        policy.blocked = Arc::new(Names::new(["own.example"]));
        policy.lists.blocked = vec![Arc::new(EntryHashes::of_names(["ruled.example"]))];
        policy.lists.listings = Arc::new(vec![
            listing("feeds.malware", EntryHashes::of_names(["own.example", "fed.example"])),
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
                lists_naming(&policy, hosts.iter().copied(), &of_url).counting,
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

    #[test]
    fn a_list_of_others_takes_no_name_that_is_protected_allowed_or_ours() {
        let names = ["own.example", "protected.example", "allowed.example", "evil.example"];
        let table = Arc::new(EntryHashes::of_names(names));
        let (name, verdict) = ("feeds.malware".to_owned(), Verdict::Unsafe);
        let mut policy = Policy {
            protected: Arc::new(Names::new(["protected.example"])),
            allowed: Arc::new(Names::new(["allowed.example"])),
            ..Policy::default()
        };
        policy.lists.own = Arc::new(EntryHashes::of_names(["own.example"]));
        policy.lists.listings =
            Arc::new(vec![Arc::new(Listing { name, verdict, table, known: None })]);
        let tlds = TldTable::new(["example"], "");
        for name in names {
            let host = format!("www.{name}");
            let checked = check(&host, &policy, &tlds);
            let counts = name == "evil.example";
            let (counting, void): (&[&str], &[&str]) =
                if counts { (&["feeds.malware"], &[]) } else { (&[], &["feeds.malware"]) };
            assert_eq!(checked.lists, counting, "{name}");
            assert_eq!(checked.void_lists, void, "{name}");
            assert_eq!(checked.link.verdict == Verdict::Unsafe, counts, "{name}");
        }
        // What counts beside it is named alone.
        policy.blocked = Arc::new(Names::new(["own.example"]));
        let checked = check("www.own.example", &policy, &tlds);
        assert_eq!(checked.lists, [OWN]);
        assert_eq!(checked.void_lists, ["feeds.malware"]);
    }
}
