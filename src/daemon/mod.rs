//! The daemon: everything wired together.

pub mod canary;
pub mod digest;
pub mod endpoint;
pub mod filter;
pub mod host_name;
pub mod journal;
pub mod log;
pub mod metrics;
pub mod notify;
pub mod observe;
pub mod post;
pub mod reload;
mod reply;
pub mod resolver;
pub mod seal;
pub mod tlds;

use std::path::PathBuf;
use std::sync::Arc;

use anyhow::Context;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::watch;

use crate::engine::Policy;
use crate::milter::Endpoint;
use crate::milter::endpoint::{Access, Listener};
use crate::milter::server::{Limits, Server};
use crate::tld;
use filter::{Filter, Generation};
use observe::{Log, Observer};

/// What the command line says to the daemon.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The configuration file; `None` runs on built-in defaults.
    pub config: Option<PathBuf>,
    /// Where to listen, instead of what the configuration says.
    pub listen: Vec<Endpoint>,
}

/// Runs until SIGTERM or SIGINT, then lets messages that have begun end.
pub fn run(options: &Options) -> anyhow::Result<()> {
    tracing_subscriber::fmt().with_writer(std::io::stderr).init();
    let listeners = listeners(&options.listen)?;
    introduce(&listeners)?;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(serve(listeners))
}

/// Binds before anything else: a socket that cannot be had ends the start with its reason.
fn listeners(endpoints: &[Endpoint]) -> anyhow::Result<Vec<Listener>> {
    let default = [Endpoint::default()];
    let endpoints = if endpoints.is_empty() { &default } else { endpoints };
    endpoints
        .iter()
        .map(|endpoint| {
            Listener::bind(endpoint, Access::default())
                .with_context(|| format!("cannot listen at {endpoint}"))
        })
        .collect()
}

/// Says on standard output what to add to Postfix's main.cf.
fn introduce(listeners: &[Listener]) -> anyhow::Result<()> {
    let places: Vec<String> = listeners
        .iter()
        .map(|listener| Ok(listener.endpoint()?.postfix()))
        .collect::<std::io::Result<_>>()?;
    let first = places.first().map(String::as_str).unwrap_or_default();
    println!("linkmilter listens at {}. Add to Postfix's main.cf:", places.join(", "));
    println!("smtpd_milters = {first}");
    println!("milter_default_action = tempfail");
    Ok(())
}

async fn serve(listeners: Vec<Listener>) -> anyhow::Result<()> {
    let generation = Generation {
        number: 1,
        policy: Arc::new(Policy::default()),
        tlds: Arc::new(tld::builtin()),
        host_name: "localhost".to_owned(),
    };
    let observers: Vec<Arc<dyn Observer>> = vec![Arc::new(Log)];
    let filter = Arc::new(Filter::new(generation, observers));
    let server = Server::new(filter, Limits::default());
    let (drain, draining) = watch::channel(false);
    let mut terminate = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    tokio::spawn(async move {
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
        tracing::info!("draining");
        // Fails only when the server has ended already.
        let _ = drain.send(true);
        drain.closed().await;
    });
    server.run(listeners, draining).await.context("cannot serve")
}
