//! Who asks the DNS for the messages: about top-level domains, and about the domains of links.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use hickory_resolver::proto::rr::{RData, RecordType};

use super::metrics::{Cache, DnsAnswer, ListAnswer, Lookup, Metrics};
use super::resolver::{Hickory, Options, Resolver, ResolverError, Validation};
use super::settings::Loaded;
use super::throttle::Throttle;
use crate::config::{Config, DnsMode};
use crate::engine::lists::{Listing, Table};
use crate::engine::outcome::Verdict;
use crate::engine::{self, Answers};
use crate::feed::blocklist::{Blocklist, BlocklistAnswer};
use crate::tld::cache::Bounds;
use crate::tld::dns::{Dns, Resolution, Response};

/// Least and most time that an answer of a block list is kept, whatever its TTL: they are asked because they
/// are newer than a file would be.
const KEPT_LEAST: Duration = Duration::from_secs(60);
const KEPT_MOST: Duration = Duration::from_secs(60 * 60);

/// Those who are asked. What a reload leaves as it was keeps its cache and its breaker.
#[derive(Debug)]
pub struct Asker {
    /// `None` when the table decides alone.
    tlds: Option<Arc<TldAsker>>,
    lists: Vec<Arc<ListAsker>>,
    metrics: Arc<Metrics>,
}

/// Who is asked about top-level domains, and how.
#[derive(Debug)]
struct TldAsker {
    options: Options,
    resolver: Resolver<Hickory>,
}

/// One block list, with its own cache and breaker: one that is silent hinders no other.
#[derive(Debug)]
struct ListAsker {
    list: Arc<Blocklist>,
    options: Options,
    resolver: Resolver<ListServer>,
    refused: Throttle,
    odd: Throttle,
}

/// The servers, asked whether a list has a domain.
#[derive(Debug)]
pub struct ListServer {
    dns: Hickory,
    list: Arc<Blocklist>,
}

impl ListServer {
    pub fn new(dns: Hickory, list: Arc<Blocklist>) -> ListServer {
        ListServer { dns, list }
    }
}

impl Dns for ListServer {
    type Answer = BlocklistAnswer;

    const UNANSWERED: BlocklistAnswer = BlocklistAnswer::Unanswered;

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
            Response::Timeout | Response::Failed | Response::AccessDenied => {
                BlocklistAnswer::Unanswered
            }
        };
        let response =
            if said == BlocklistAnswer::Refused { Response::AccessDenied } else { response };
        Resolution { response, answer: said }
    }
}

/// How block lists are asked: as top-level domains are, but for how long answers are kept. Few lists are
/// signed, so nothing is validated.
pub fn list_options(config: &Config) -> Options {
    let kept = (KEPT_LEAST, KEPT_MOST);
    Options {
        validation: Validation::Trust,
        cache: Bounds { positive: kept, negative: kept, ..config.dns_cache() },
        questions: config.limits.domains,
        ..Options::of(config)
    }
}

impl Asker {
    /// `None` when the configuration wants nobody or there is no server to ask. Call it inside a tokio
    /// runtime.
    pub fn new(loaded: &Loaded, metrics: &Arc<Metrics>) -> Option<Asker> {
        Asker::behind(None, loaded, metrics)
    }

    /// The same behind another one: whoever is to be asked as before is the one that was there.
    pub fn behind(
        before: Option<&Asker>,
        loaded: &Loaded,
        metrics: &Arc<Metrics>,
    ) -> Option<Asker> {
        let Loaded { config, settings, .. } = loaded;
        let lists = &settings.blocklists;
        metrics.blocklists(lists.iter().map(|list| list.name.as_str()));
        let told = |error: ResolverError| tracing::warn!(%error, "the DNS is not asked");
        let tlds = match config.dns.mode {
            DnsMode::Never => None,
            _ => TldAsker::behind(before, Options::of(config)).map_err(told).ok(),
        };
        let known = before.map(|before| before.lists.as_slice()).unwrap_or_default();
        let lists =
            ask_lists(known, &list_options(config), lists).map_err(told).unwrap_or_default();
        (tlds.is_some() || !lists.is_empty()).then(|| Asker {
            tlds,
            lists,
            metrics: Arc::clone(metrics),
        })
    }

    /// The answers for one message, and what lists say of its domains, all within one deadline.
    pub async fn ask(&self, tlds: &[String], domains: &[String]) -> (Answers, Vec<Arc<Listing>>) {
        tokio::join!(self.answers(tlds), self.listed(domains))
    }

    /// The answers about top-level domains; the metrics are told.
    async fn answers(&self, questions: &[String]) -> Answers {
        let Some(resolver) = self.tlds.as_ref().filter(|_| !questions.is_empty()) else {
            return Answers::new();
        };
        let resolver = &resolver.resolver;
        let answers = resolver.answers(questions).await;
        for answer in answers.values() {
            self.metrics.dns_answer(match answer {
                engine::Answer::Exists => DnsAnswer::Exists,
                engine::Answer::Missing => DnsAnswer::Missing,
                engine::Answer::Unverified => DnsAnswer::Unverified,
            });
        }
        self.note_lookups(resolver.new_lookups(), Cache::Dns);
        answers
    }

    /// What the lists have of these domains, as lists of their own.
    async fn listed(&self, domains: &[String]) -> Vec<Arc<Listing>> {
        if domains.is_empty() {
            return Vec::new();
        }
        let begun: Vec<_> = self
            .lists
            .iter()
            .map(|asker| (asker, asker.resolver.deadline(), asker.resolver.begin(domains)))
            .collect();
        let mut listings = Vec::new();
        for (asker, until, begun) in begun {
            let answers = begun.answers(until).await;
            for said in answers.values() {
                self.metrics.blocklist_answer(&asker.list.name, word(*said));
                asker.complain(*said);
            }
            self.note_lookups(asker.resolver.new_lookups(), Cache::Blocklist);
            listings.extend(listings_of(&asker.list, &answers));
        }
        listings
    }

    fn note_lookups(&self, (hits, misses): (u64, u64), cache: Cache) {
        self.metrics.cache(cache, Lookup::Hit, hits);
        self.metrics.cache(cache, Lookup::Miss, misses);
    }
}

impl TldAsker {
    fn behind(before: Option<&Asker>, options: Options) -> Result<Arc<TldAsker>, ResolverError> {
        let known = before.and_then(|before| before.tlds.as_ref());
        if let Some(known) = known.filter(|known| known.options == options) {
            return Ok(Arc::clone(known));
        }
        let resolver = Resolver::hickory(&options)?;
        Ok(Arc::new(TldAsker { options, resolver }))
    }
}

/// Who asks these lists: of those known whoever asks the same list in the same way.
fn ask_lists(
    known: &[Arc<ListAsker>],
    options: &Options,
    lists: &[Blocklist],
) -> Result<Vec<Arc<ListAsker>>, ResolverError> {
    let same = |list: &Blocklist| {
        known.iter().find(|known| *known.list == *list && known.options == *options).cloned()
    };
    if lists.iter().all(|list| same(list).is_some()) {
        return Ok(lists.iter().filter_map(same).collect());
    }
    let dns = Hickory::new(options)?;
    let asker = |list: &Blocklist| {
        let list = Arc::new(list.clone());
        let start = Instant::now();
        let server = ListServer::new(dns.clone(), Arc::clone(&list));
        let resolver = Resolver::new(server, options, Arc::new(move || start.elapsed()));
        let (refused, odd) = (Throttle::default(), Throttle::default());
        Arc::new(ListAsker { list, options: options.clone(), resolver, refused, odd })
    };
    Ok(lists.iter().map(|list| same(list).unwrap_or_else(|| asker(list))).collect())
}

impl ListAsker {
    /// Says in the log what somebody must mend.
    fn complain(&self, said: BlocklistAnswer) {
        let list = &self.list.name;
        match said {
            BlocklistAnswer::Refused => {
                if let Some(more) = self.refused.passes(Instant::now()) {
                    tracing::warn!(
                        list,
                        more,
                        "the block list refuses to answer: a public resolver, too many queries, or a wrong key"
                    );
                }
            }
            BlocklistAnswer::Unexpected => {
                if let Some(more) = self.odd.passes(Instant::now()) {
                    tracing::warn!(
                        list,
                        more,
                        "an answer of the block list means nothing in its form: no such zone, or a resolver \
                         that invents addresses"
                    );
                }
            }
            BlocklistAnswer::Listed(_) | BlocklistAnswer::Clean | BlocklistAnswer::Unanswered => {}
        }
    }
}

const fn word(said: BlocklistAnswer) -> ListAnswer {
    match said {
        BlocklistAnswer::Listed(_) => ListAnswer::Listed,
        BlocklistAnswer::Clean => ListAnswer::Clean,
        BlocklistAnswer::Refused => ListAnswer::Refused,
        BlocklistAnswer::Unexpected => ListAnswer::Odd,
        BlocklistAnswer::Unanswered => ListAnswer::Unanswered,
    }
}

/// What a list has of the domains: a listing for each verdict.
fn listings_of(list: &Blocklist, answers: &BTreeMap<String, BlocklistAnswer>) -> Vec<Arc<Listing>> {
    let of = |verdict| {
        let named = answers.iter().filter(|(_, said)| **said == BlocklistAnswer::Listed(verdict));
        let table = Table::of_names(named.map(|(domain, _)| domain));
        let (name, table) = (list.name.clone(), Arc::new(table));
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

    fn options(questions: usize) -> Options {
        let config = config::load(&config::Sources::default()).unwrap();
        let servers = vec!["127.0.0.1:9".parse().unwrap()];
        Options { servers, questions, ..list_options(&config) }
    }

    #[tokio::test]
    async fn a_changed_list_drops_its_own_cache_and_no_other() {
        let lists = [list("a", Verdict::Suspect), list("b", Verdict::Suspect)];
        let before = ask_lists(&[], &options(8), &lists).unwrap();
        let kept = |options: &Options, lists: &[Blocklist]| -> Vec<bool> {
            let after = ask_lists(&before, options, lists).unwrap();
            after.iter().map(|asker| before.iter().any(|old| Arc::ptr_eq(old, asker))).collect()
        };
        assert_eq!(kept(&options(8), &lists), [true, true]);
        let changed = [lists[0].clone(), list("b", Verdict::Unsafe), list("c", Verdict::Suspect)];
        assert_eq!(kept(&options(8), &changed), [true, false, false]);
        assert_eq!(kept(&options(8), &lists[1..]), [true]);
        // How many domains of a message are asked for is a matter of all.
        assert_eq!(kept(&options(9), &lists), [false, false]);
    }
}
