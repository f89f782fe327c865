//! DNS queries for messages: about top-level domains, and to block lists about the domains of links.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use hickory_resolver::proto::rr::{RData, RecordType};

use super::health::{Health, Trouble};
use super::metrics::{Cache, DnsAnswer, ListAnswer, Lookup, Metrics};
use super::resolver::{Hickory, Resolver, ResolverError, ResolverOptions, TldDns, Validation};
use super::settings::Loaded;
use super::throttle::Throttle;
use super::tlds::Tlds;
use crate::config::{Config, DnsMode};
use crate::engine::lists::{EntryHashes, Listing};
use crate::engine::outcome::Verdict;
use crate::engine::{self, Answers};
use crate::feed::blocklist::{Blocklist, BlocklistAnswer};
use crate::tld::cache::CacheBounds;
use crate::tld::dns::{Dns, Resolution, Response};
use crate::tld::faults::Fault;

/// Least and most time that an answer of a block list is cached, whatever its TTL. Lists are queried because
/// they are newer than a file would be.
const MIN_LIST_TTL: Duration = Duration::from_secs(60);
const MAX_LIST_TTL: Duration = Duration::from_secs(60 * 60);

/// Why a block list refuses to answer.
const REFUSES: &str = "a public resolver, too many queries, or a wrong key";

/// The resolvers in force. One whose settings a reload does not change keeps its cache and its breaker.
pub struct DnsClient {
    /// `None` if the table of top-level domains decides alone.
    tlds: Option<Arc<TldResolver>>,
    lists: Vec<Arc<ListResolver>>,
    /// How long one message waits for all answers.
    wait: Duration,
    metrics: Arc<Metrics>,
}

/// When a message stops to wait for the DNS.
type Deadline = tokio::time::Instant;

/// The DNS as one message asks it. However often it is judged, it waits for one deadline in all: a second time, what
/// has not come by then has no answer.
#[derive(Clone)]
pub struct MessageDns {
    client: Arc<DnsClient>,
    /// Set by the first query.
    deadline: Arc<OnceLock<Deadline>>,
}

/// Queries about top-level domains.
struct TldResolver {
    options: ResolverOptions,
    resolver: Resolver<TldDns>,
}

/// Queries to one block list, with its own cache and breaker: a list that does not answer delays no other.
struct ListResolver {
    list: Arc<Blocklist>,
    options: ResolverOptions,
    resolver: Resolver<ListDns>,
    refused: Throttle,
    odd: Throttle,
}

/// Queries whether a block list has a domain.
#[derive(Debug)]
pub struct ListDns {
    dns: Hickory,
    list: Arc<Blocklist>,
}

impl ListDns {
    pub fn new(dns: Hickory, list: Arc<Blocklist>) -> ListDns {
        ListDns { dns, list }
    }
}

impl Dns for ListDns {
    type Answer = BlocklistAnswer;

    const UNANSWERED: BlocklistAnswer = BlocklistAnswer::Unanswered;
    const DENIED: BlocklistAnswer = BlocklistAnswer::Refused;

    async fn ask(&self, domain: &str) -> Resolution<BlocklistAnswer> {
        let question = self.list.query_name(domain);
        let (response, records) = self.dns.look_up(&question, RecordType::A).await;
        let addresses: Vec<_> = records
            .iter()
            .filter_map(|record| match record {
                RData::A(address) => Some(address.0),
                _ => None,
            })
            .collect();
        let said = match response {
            Response::Exists { .. } => self.list.interpret(&addresses),
            Response::Missing { .. } => BlocklistAnswer::Clean,
            Response::AccessDenied => BlocklistAnswer::Refused,
            Response::Timeout | Response::Failed | Response::Contradicted => {
                BlocklistAnswer::Unanswered
            }
        };
        let response =
            if said == BlocklistAnswer::Refused { Response::AccessDenied } else { response };
        Resolution { response, answer: said }
    }
}

/// How block lists are queried: like top-level domains, but with other limits for caching. Few lists are signed,
/// so nothing is validated.
pub fn list_options(config: &Config) -> ResolverOptions {
    let ttl = (MIN_LIST_TTL, MAX_LIST_TTL);
    ResolverOptions {
        validation: Validation::Trust,
        cache: CacheBounds { positive: ttl, negative: ttl, ..config.dns_cache() },
        max_questions: config.limits.domains,
        ..ResolverOptions::of(config)
    }
}

impl DnsClient {
    /// `None` if the configuration wants no queries or there is no DNS server, which `health` hears. Resolvers of
    /// `before` whose settings are unchanged are kept. Call it inside a tokio runtime.
    pub fn replace(
        before: Option<&DnsClient>,
        loaded: &Loaded,
        table: &Arc<Tlds>,
        metrics: &Arc<Metrics>,
        health: &Health,
    ) -> Option<DnsClient> {
        let Loaded { config, settings, .. } = loaded;
        let lists = &settings.blocklists;
        metrics.lists.set_blocklists(lists.iter().map(|list| list.name.as_str()));
        let tlds = match config.dns.mode {
            DnsMode::Never => Ok(None),
            _ => TldResolver::replace(before, ResolverOptions::of(config), table).map(Some),
        };
        let known = before.map(|before| before.lists.as_slice()).unwrap_or_default();
        let lists = list_resolvers(known, &list_options(config), lists);
        let trouble = match (&tlds, &lists) {
            (Err(error), _) => {
                Some(format!("the DNS is not queried about top-level domains: {error}"))
            }
            (Ok(_), Err(error)) => Some(format!("block lists are not queried: {error}")),
            (Ok(_), Ok(_)) => None,
        };
        if health.set_trouble(Trouble::Dns, trouble.clone()) {
            match trouble {
                Some(trouble) => tracing::warn!("{trouble}"),
                None => tracing::info!("the DNS is queried as the settings say"),
            }
        }
        let (tlds, lists) = (tlds.unwrap_or_default(), lists.unwrap_or_default());
        (tlds.is_some() || !lists.is_empty()).then(|| DnsClient {
            tlds,
            lists,
            wait: config.dns.deadline,
            metrics: Arc::clone(metrics),
        })
    }

    /// What is wrong with the answers, a line each.
    pub fn faults(&self) -> Vec<String> {
        let tlds = self.tlds.as_ref().and_then(|tlds| tlds.resolver.fault());
        let tlds = tlds.map(|fault| match fault {
            Fault::Contradicted(tld) => format!(
                "dns: the server says that the top-level domain {tld:?} does not exist, which IANA's table has: \
                 does it reach the root? The table decides"
            ),
            Fault::Unanswered | Fault::Denied => {
                "dns: no question about a top-level domain is answered; IANA's table decides".to_owned()
            }
        });
        let lists = self.lists.iter().filter_map(|list| {
            let why = match list.resolver.fault()? {
                Fault::Denied => format!("the list refuses to answer ({REFUSES})"),
                Fault::Unanswered => "no question is answered".to_owned(),
                Fault::Contradicted(_) => return None,
            };
            Some(format!("blocklists.{}: {why}; the list counts for nothing", list.list.name))
        });
        tlds.into_iter().chain(lists).collect()
    }

    /// The answers about top-level domains; the metrics count them.
    async fn tld_answers(&self, questions: &[String], deadline: Deadline) -> Answers {
        let Some(resolver) = self.tlds.as_ref().filter(|_| !questions.is_empty()) else {
            return Answers::new();
        };
        let resolver = &resolver.resolver;
        let answers = resolver.start(questions).answers(deadline).await;
        for answer in answers.values() {
            self.metrics.mail.dns_answer(match answer {
                engine::Answer::Exists => DnsAnswer::Exists,
                engine::Answer::Missing => DnsAnswer::Missing,
                engine::Answer::Unverified => DnsAnswer::Unverified,
            });
        }
        self.count_lookups(resolver.new_lookups(), Cache::Dns);
        answers
    }

    /// The entries of the block lists for these domains, as listings.
    async fn listings(&self, domains: &[String], deadline: Deadline) -> Vec<Arc<Listing>> {
        if domains.is_empty() {
            return Vec::new();
        }
        let start = |list: &Arc<ListResolver>| list.resolver.start(domains);
        let pending: Vec<_> = self.lists.iter().map(|list| (list, start(list))).collect();
        let mut listings = Vec::new();
        for (list, pending) in pending {
            let answers = pending.answers(deadline).await;
            for answer in answers.values() {
                self.metrics.lists.answer(&list.list.name, label(*answer));
                list.warn(*answer);
            }
            self.count_lookups(list.resolver.new_lookups(), Cache::Blocklist);
            listings.extend(listings_of(&list.list, &answers));
        }
        listings
    }

    fn count_lookups(&self, (hits, misses): (u64, u64), cache: Cache) {
        self.metrics.mail.cache(cache, Lookup::Hit, hits);
        self.metrics.mail.cache(cache, Lookup::Miss, misses);
    }
}

impl MessageDns {
    pub fn new(client: Arc<DnsClient>) -> MessageDns {
        MessageDns { client, deadline: Arc::default() }
    }

    /// DNS answers and block list entries.
    pub async fn query(&self, tlds: &[String], domains: &[String]) -> (Answers, Vec<Arc<Listing>>) {
        let client = &self.client;
        let asks_nothing = (tlds.is_empty() || client.tlds.is_none())
            && (domains.is_empty() || client.lists.is_empty());
        if asks_nothing {
            return Default::default();
        }
        let deadline = *self.deadline.get_or_init(|| Deadline::now() + client.wait);
        tokio::join!(client.tld_answers(tlds, deadline), client.listings(domains, deadline))
    }
}

impl TldResolver {
    fn replace(
        before: Option<&DnsClient>,
        options: ResolverOptions,
        table: &Arc<Tlds>,
    ) -> Result<Arc<TldResolver>, ResolverError> {
        let known = before.and_then(|before| before.tlds.as_ref());
        if let Some(known) = known.filter(|known| known.options == options) {
            return Ok(Arc::clone(known));
        }
        let table = Arc::clone(table);
        let resolver =
            Resolver::of_tlds(&options, Arc::new(move |tld| table.table().contains(tld)))?;
        Ok(Arc::new(TldResolver { options, resolver }))
    }
}

/// The resolvers of these lists. Those in `known` with the same list and the same options are kept.
fn list_resolvers(
    known: &[Arc<ListResolver>],
    options: &ResolverOptions,
    lists: &[Blocklist],
) -> Result<Vec<Arc<ListResolver>>, ResolverError> {
    let same = |list: &Blocklist| {
        known.iter().find(|known| *known.list == *list && known.options == *options).cloned()
    };
    if lists.iter().all(|list| same(list).is_some()) {
        return Ok(lists.iter().filter_map(same).collect());
    }
    let dns = Hickory::new(options)?;
    let new = |list: &Blocklist| {
        let list = Arc::new(list.clone());
        let start = Instant::now();
        let server = ListDns::new(dns.clone(), Arc::clone(&list));
        let resolver = Resolver::new(server, options, Arc::new(move || start.elapsed()));
        let (refused, odd) = (Throttle::default(), Throttle::default());
        Arc::new(ListResolver { list, options: options.clone(), resolver, refused, odd })
    };
    Ok(lists.iter().map(|list| same(list).unwrap_or_else(|| new(list))).collect())
}

impl ListResolver {
    /// Logs what the operator must correct.
    fn warn(&self, said: BlocklistAnswer) {
        let list = &self.list.name;
        match said {
            BlocklistAnswer::Refused => {
                if let Some(more) = self.refused.admit() {
                    tracing::warn!(list, more, "the block list refuses to answer: {REFUSES}");
                }
            }
            BlocklistAnswer::Unexpected => {
                if let Some(more) = self.odd.admit() {
                    tracing::warn!(
                        list,
                        more,
                        "an answer of the block list has no meaning in its form: the zone does not exist, or the \
                         resolver invents addresses"
                    );
                }
            }
            BlocklistAnswer::Listed(_) | BlocklistAnswer::Clean | BlocklistAnswer::Unanswered => {}
        }
    }
}

const fn label(said: BlocklistAnswer) -> ListAnswer {
    match said {
        BlocklistAnswer::Listed(_) => ListAnswer::Listed,
        BlocklistAnswer::Clean => ListAnswer::Clean,
        BlocklistAnswer::Refused => ListAnswer::Refused,
        BlocklistAnswer::Unexpected => ListAnswer::Odd,
        BlocklistAnswer::Unanswered => ListAnswer::Unanswered,
    }
}

/// The listed domains: one listing for each verdict.
fn listings_of(list: &Blocklist, answers: &BTreeMap<String, BlocklistAnswer>) -> Vec<Arc<Listing>> {
    let of = |verdict| {
        let named = answers.iter().filter(|(_, said)| **said == BlocklistAnswer::Listed(verdict));
        let table = EntryHashes::of_names(named.map(|(domain, _)| domain));
        let (name, table) = (format!("blocklists.{}", list.name), Arc::new(table));
        let listing = Listing { name, verdict, table, known: None };
        (!listing.table.is_empty()).then(|| Arc::new(listing))
    };
    [Verdict::Suspect, Verdict::Unsafe].into_iter().filter_map(of).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config;
    use crate::feed::blocklist::AnswerFormat;

    fn list(name: &str, verdict: Verdict) -> Blocklist {
        Blocklist {
            name: name.to_owned(),
            zone: format!("{name}.example"),
            format: AnswerFormat::Any,
            verdict,
            meanings: Vec::new(),
        }
    }

    fn options(max_questions: usize) -> ResolverOptions {
        let config = config::load(&config::Sources::default()).unwrap();
        let servers = vec!["127.0.0.1:9".parse().unwrap()];
        ResolverOptions { servers, max_questions, ..list_options(&config) }
    }

    #[tokio::test]
    async fn a_changed_list_drops_its_own_cache_and_no_other() {
        let lists = [list("a", Verdict::Suspect), list("b", Verdict::Suspect)];
        let before = list_resolvers(&[], &options(8), &lists).unwrap();
        let kept = |options: &ResolverOptions, lists: &[Blocklist]| -> Vec<bool> {
            let after = list_resolvers(&before, options, lists).unwrap();
            after.iter().map(|list| before.iter().any(|old| Arc::ptr_eq(old, list))).collect()
        };
        assert_eq!(kept(&options(8), &lists), [true, true]);
        let changed = [lists[0].clone(), list("b", Verdict::Unsafe), list("c", Verdict::Suspect)];
        assert_eq!(kept(&options(8), &changed), [true, false, false]);
        assert_eq!(kept(&options(8), &lists[1..]), [true]);
        // How many domains of a message are queried is an option of all lists.
        assert_eq!(kept(&options(9), &lists), [false, false]);
    }
}
