//! DNS queries for commands, which send them only on request.

use crate::config::Config;
use crate::daemon::resolver::{Hickory, Options, Resolver};
use crate::engine::Answers;

/// Queries within the deadline of the configuration, from any thread.
#[derive(Debug)]
pub struct Asker {
    runtime: tokio::runtime::Runtime,
    resolver: Resolver<Hickory>,
}

impl Asker {
    /// # Errors
    /// When there is no DNS server.
    pub fn new(config: &Config) -> anyhow::Result<Asker> {
        Asker::with(&Options::of(config))
    }

    /// # Errors
    /// When there is no DNS server.
    pub fn with(options: &Options) -> anyhow::Result<Asker> {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .thread_name("dns")
            .enable_all()
            .build()?;
        let resolver = {
            let _inside = runtime.enter();
            Resolver::hickory(options)?
        };
        Ok(Asker { runtime, resolver })
    }

    /// Answers the questions of one message. Without an answer a name is unverified.
    pub fn answers(&self, questions: &[String]) -> Answers {
        if questions.is_empty() {
            return Answers::new();
        }
        self.runtime.block_on(self.resolver.answers(questions))
    }
}
