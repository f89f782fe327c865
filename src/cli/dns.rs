//! DNS queries for commands, which send them only on request: the daemon's resolver, waited for. The
//! daemon's `DnsClient` does more with it, what no command may do: it also queries block lists.

use std::sync::Arc;

use crate::config::Config;
use crate::daemon::resolver::{Resolver, ResolverOptions, TldDns};
use crate::engine::{Answers, TldTable};

/// Queries within the deadline of the configuration, from any thread.
pub struct BlockingResolver {
    runtime: tokio::runtime::Runtime,
    resolver: Resolver<TldDns>,
}

impl BlockingResolver {
    /// # Errors
    /// When there is no DNS server.
    pub fn new(config: &Config, table: &TldTable) -> anyhow::Result<BlockingResolver> {
        BlockingResolver::with(&ResolverOptions::of(config), table)
    }

    /// # Errors
    /// When there is no DNS server.
    pub fn with(options: &ResolverOptions, table: &TldTable) -> anyhow::Result<BlockingResolver> {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .thread_name("dns")
            .enable_all()
            .build()?;
        let resolver = {
            let _inside = runtime.enter();
            let table = table.clone();
            Resolver::of_tlds(options, Arc::new(move |tld| table.contains(tld)))?
        };
        Ok(BlockingResolver { runtime, resolver })
    }

    /// Answers the questions of one message. Without an answer a name is unverified.
    pub fn answers(&self, questions: &[String]) -> Answers {
        if questions.is_empty() {
            return Answers::new();
        }
        self.runtime.block_on(self.resolver.answers(questions))
    }
}
