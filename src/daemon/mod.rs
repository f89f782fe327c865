//! The daemon: everything wired together.
//!
//! [`run`] reads the configuration, binds the sockets and serves until SIGTERM. A message goes
//! `milter::server` → [`filter`] → `engine` → [`reply`], and [`report`] says what became of it.

pub mod asker;
pub mod canary;
pub mod contacts;
pub mod digest;
pub mod endpoint;
pub mod envelope;
pub mod feeds;
pub mod filter;
pub mod health;
pub mod host_name;
pub mod journal;
mod listen;
pub mod log;
pub mod mailer;
pub mod memory;
pub mod metrics;
pub mod notify;
mod outbound;
pub mod pid;
pub mod recipes;
pub mod reload;
pub mod reloaded;
mod reply;
pub mod report;
pub mod resolver;
mod returned;
pub mod seal;
pub mod settings;
mod signals;
pub mod throttle;
pub mod tlds;
mod tries;
mod turns;

use std::fs::DirBuilder;
use std::io::Write;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Context;
use tokio::sync::watch;

use crate::config::{self, Errors, Flag, LastGood, Schedule, Sources, Start};
use crate::milter::Server;
use crate::milter::endpoint::Listener;
use crate::tld::store::Store;
use filter::Filter;
use health::{Health, Trouble};
use journal::Recorder;
use listen::Asked;
pub use listen::{NoSockets, Promised, endpoint as endpoint_of, foreseen as foreseen_of_sockets};
use log::LogHandle;
use metrics::{Ended, JournalFault, Metrics};
use notify::Notifier;
use pid::PidFile;
use reloaded::{Reloads, Told};
use report::Reporter;
use settings::Loaded;
use signals::Signals;
use tlds::{Tlds, Upkeep};

/// What the command line says to the daemon.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The configuration file; without one the default file if it is there, else built-in
    /// settings.
    pub config: Option<PathBuf>,
    /// Where to listen, instead of what the configuration says.
    pub listen: Vec<String>,
    /// Whether the service manager has promised sockets.
    pub promised: Promised,
}

/// Runs until SIGTERM or SIGINT, then lets messages that have begun end.
///
/// # Errors
/// A configuration that does not hold when none is kept that did, an address that cannot be had.
pub fn run(options: &Options) -> anyhow::Result<()> {
    let inherited = listen::inherited(options.promised)?;
    let mut sources = sources(options);
    let start = config::start(&sources, settings::load).inspect_err(|errors| {
        let wrong = format!("not filtering, no last good configuration: {errors}");
        Notifier::from_env().status(&wrong);
        listen::turn_away(&inherited);
    })?;
    let (mut loaded, mut trouble) = standing(start);
    sources.file = sources.file.or_else(|| loaded.config.main_file.clone());
    let metrics = Arc::new(Metrics::new());
    let log = log::init(&loaded.config.log, metrics.log_dropped())
        .inspect_err(|_| listen::turn_away(&inherited))?;
    let last_lines = log.clone();
    std::panic::set_hook(Box::new(report_panic));
    if let Err(error) = signals::ignore_others() {
        tracing::warn!(%error, "signals that mean nothing will end the filter");
    }
    let listeners = match listen::bind(&loaded.config, asked(&loaded), inherited) {
        Ok(listeners) => listeners,
        // Without inherited sockets: with those an address that cannot be had is no error.
        Err(errors) if trouble.is_none() => {
            let (older, listeners) = bind_last_good(&sources, errors)?;
            (loaded, trouble) = standing(Start::LastGood(older));
            listeners
        }
        Err(errors) => return Err(errors.into()),
    };
    let mut runtime = tokio::runtime::Builder::new_multi_thread();
    if loaded.config.server.workers > 0 {
        runtime.worker_threads(loaded.config.server.workers);
    }
    let begin = Begin { sources, loaded, trouble, metrics };
    let ended = runtime.enable_all().build()?.block_on(serve(begin, listeners, log));
    last_lines.flush();
    ended
}

/// The last good configuration with its sockets, where those of the present one cannot be had.
fn bind_last_good(
    sources: &Sources,
    errors: Errors,
) -> Result<(LastGood<Loaded>, Vec<Listener>), Errors> {
    let older = config::last_good(sources, errors, settings::load)?;
    match listen::bind(&older.loaded.config, asked(&older.loaded), Vec::new()) {
        Ok(listeners) => Ok((older, listeners)),
        // The present one is what can be mended.
        Err(_) => Err(older.errors),
    }
}

/// What the daemon begins with.
struct Begin {
    sources: Sources,
    loaded: Loaded,
    /// What is wrong with the configuration on the disk, when it is not the one in force.
    trouble: Option<Stale>,
    metrics: Arc<Metrics>,
}

/// A configuration that does not hold, while an older one filters.
struct Stale {
    /// What was not done with it.
    refused: &'static str,
    /// Which one filters.
    instead: String,
    errors: Errors,
}

impl Stale {
    /// Every problem is a line of the log; the first one stands in `/healthz` and the status.
    fn report(&self, health: &Health, metrics: &Metrics) {
        let Stale { refused, instead, .. } = self;
        tracing::error!("{refused}: the configuration does not hold; {instead} is in force");
        for problem in &self.errors.0 {
            tracing::error!("{problem}");
        }
        let first = self.errors.0.first().map(ToString::to_string).unwrap_or_default();
        let what =
            format!("the configuration does not hold, {} is in force: {first}", self.instead);
        health.trouble(Trouble::Configuration, Some(what));
        metrics.stale(true);
    }
}

fn standing(start: Start<Loaded>) -> (Loaded, Option<Stale>) {
    match start {
        Start::Present(loaded) => (loaded, None),
        Start::LastGood(LastGood { loaded, since, errors }) => {
            let instead = format!("the last good one of {since}");
            (loaded, Some(Stale { refused: "not loaded", instead, errors }))
        }
    }
}

fn sources(options: &Options) -> Sources {
    let mut sources = Sources::new(options.config.clone());
    if !options.listen.is_empty() {
        let values = options.listen.clone();
        sources.flags.push(Flag { option: "--listen", key: "server.listen", values });
    }
    sources
}

fn asked(loaded: &Loaded) -> Asked {
    match loaded.config.is_set("server.listen") {
        true => Asked::Explicitly,
        false => Asked::Default,
    }
}

/// The place of a panic, never its message: that may hold bytes of somebody's mail.
fn report_panic(info: &std::panic::PanicHookInfo<'_>) {
    let place = info.location().map(ToString::to_string).unwrap_or_default();
    tracing::error!(place, "panic");
}

async fn serve(begin: Begin, listeners: Vec<Listener>, log: LogHandle) -> anyhow::Result<()> {
    // First of all: a SIGHUP before its handler stands would end the process.
    let signals = Signals::new()?;
    let Begin { sources, loaded, trouble, metrics } = begin;
    let health = Arc::new(Health::default());
    let state = StateDir::make(&loaded.config.server.state_dir);
    match trouble {
        Some(stale) => stale.report(&health, &metrics),
        None if state == StateDir::There => keep(&sources, &loaded),
        None => {}
    }
    let tlds = Arc::new(Tlds::open(Store::new(loaded.config.tld_directory())));
    let _pid = (state == StateDir::There).then(|| PidFile::write(loaded.config.pid_file()));
    warn(&loaded, &health);
    let reporter = Reporter::new(Arc::clone(&metrics), recorder(&loaded, state, &metrics));
    let notifier = Notifier::from_env();
    health.generation(1);
    if let Some(place) = endpoint::Place::of(&loaded.config) {
        endpoint::expose(place, Arc::clone(&metrics), Arc::clone(&health), notifier.clone());
    }
    let limits = loaded.limits();
    let filter = Arc::new(Filter::new(loaded, Arc::clone(&tlds), reporter));
    let server = Arc::new(Server::new(Arc::clone(&filter), limits));

    let canary = Arc::clone(&filter);
    let check = move || canary::check(&*canary.tlds.table());
    let monitors = canary::Monitors { health: Arc::clone(&health), metrics: Arc::clone(&metrics) };
    tokio::spawn(canary::fly(notifier.clone(), monitors, check));
    let (sender, troubled) = (Arc::clone(&filter), Arc::clone(&health));
    let plan = move || plan(&sender.live.get(), &troubled);
    tokio::spawn(digest::daily(plan, Arc::clone(&metrics)));
    let keeper = Arc::clone(&filter);
    let upkeep = move || upkeep(&keeper.live.get().config);
    tokio::spawn(tlds.keep_fresh(upkeep, Arc::clone(&metrics)));
    // What is kept is in force before the first message.
    filter.feeds.take_up(filter.live.get().config.feeds()).await;
    tokio::spawn(Arc::clone(&filter.feeds).keep_fresh(Arc::clone(&health)));
    let cleaner = Arc::clone(&filter);
    let bounds = move || recipes::bounds(&cleaner.live.get().config);
    tokio::spawn(Arc::clone(&filter.recipes).expire(bounds, Arc::clone(&metrics)));
    let contacts = Arc::clone(&filter.contacts);
    tokio::spawn(Arc::clone(&contacts).keep_on());
    let (drain, draining) = watch::channel(false);
    let status = health.status();
    let service = Service { sources, filter, server: Arc::clone(&server), metrics, health, log };
    let watching = tokio::spawn(service.watch(signals, notifier.clone(), drain));
    notifier.ready(&status);
    // Whoever closed standard output does not want to be told.
    let _ = write!(std::io::stdout(), "{}", listen::introduction(&listeners)?);
    let ended = server.run(listeners, draining).await.context("cannot serve");
    watching.abort();
    contacts.keep();
    ended
}

/// Whether the daemon has a place for what it keeps.
#[derive(Clone, Copy, PartialEq, Eq)]
enum StateDir {
    There,
    /// Said once; mail is filtered all the same.
    Missing,
}

impl StateDir {
    /// Makes the directory where it is absent, open to be passed through as the package has it:
    /// what is private in it has narrow modes of its own.
    fn make(directory: &Path) -> StateDir {
        match DirBuilder::new().recursive(true).mode(0o711).create(directory) {
            Ok(()) => StateDir::There,
            Err(error) => {
                tracing::warn!(
                    "{}: {error}: nothing is kept, neither undo recipes nor what `why` and the \
                     digest tell of; name a directory of your own with server.state_dir \
                     (LINKMILTER_SERVER__STATE_DIR)",
                    directory.display()
                );
                StateDir::Missing
            }
        }
    }
}

/// Keeps the configuration in force for the next start.
fn keep(sources: &Sources, loaded: &Loaded) {
    if let Err(error) = settings::keep(sources, &loaded.config) {
        tracing::warn!(%error, "this configuration is not kept as the last good one");
    }
}

/// How the table of top-level domains is kept fresh.
fn upkeep(config: &config::Config) -> Upkeep {
    let (fetch, tld) = (config.tld_fetch(), &config.tld);
    Upkeep { fetch, every: tld.refresh, warn_age: tld.warn_age }
}

/// The journal of events. Without a state directory mail is filtered all the same.
fn recorder(loaded: &Loaded, state: StateDir, metrics: &Arc<Metrics>) -> Recorder {
    let Some(bounds) = journal::bounds(&loaded.config) else {
        return Recorder::off(Arc::clone(metrics));
    };
    if state == StateDir::Missing {
        metrics.journal_fault(JournalFault::Open);
        return Recorder::off(Arc::clone(metrics));
    }
    let directory = journal::directory(&loaded.config);
    Recorder::start(&directory, bounds, Arc::clone(metrics)).unwrap_or_else(|error| {
        metrics.journal_fault(JournalFault::Open);
        tracing::warn!(%error, "no journal: `why` and the digest will have nothing to tell");
        Recorder::off(Arc::clone(metrics))
    })
}

/// What holds, and yet will not do what was meant.
fn warn(loaded: &Loaded, health: &Health) {
    for renamed in &loaded.config.renamed {
        tracing::warn!("{renamed}; `linkmilter config migrate` writes it");
    }
    digest::warn_of_transport(&loaded.config);
    if loaded.config.digest.at != Schedule::Off
        && let Err(error) = &loaded.seal
    {
        tracing::warn!(%error, "no seal: the digest will be filtered like any other mail");
    }
    let unsealed = loaded.unsealed();
    if let Some(what) = &unsealed {
        tracing::warn!("{what}");
    }
    health.trouble(Trouble::Seal, unsealed);
}

/// The digest that the settings in force ask for.
fn plan(loaded: &Loaded, health: &Health) -> Option<digest::Plan> {
    let seal = loaded.seal.as_ref().ok().cloned();
    let plan = digest::Plan::of(&loaded.config, &loaded.host_name, seal);
    let plan = plan.unwrap_or_else(|error| {
        tracing::error!(%error, "no digest");
        None
    });
    plan.map(|plan| digest::Plan { troubles: health.troubles(), ..plan })
}

/// What a reload and a stop act on.
struct Service {
    sources: Sources,
    filter: Arc<Filter>,
    server: Arc<Server<Filter>>,
    metrics: Arc<Metrics>,
    health: Arc<Health>,
    log: LogHandle,
}

impl Service {
    /// Reloads at each SIGHUP; at SIGTERM and SIGINT begins the drain.
    async fn watch(self, mut signals: Signals, notifier: Notifier, drain: watch::Sender<bool>) {
        let mut reloads = 0;
        loop {
            tokio::select! {
                _ = signals.hang_up.recv() => {
                    reloads += 1;
                    let told = self.reload(&notifier).await;
                    let config = &self.filter.live.get().config;
                    if let Err(error) = Reloads::write(config, reloads, told) {
                        tracing::warn!(%error, "what became of the reload is not told to who asked");
                    }
                }
                _ = signals.terminate.recv() => break,
                _ = signals.interrupt.recv() => break,
            }
        }
        tracing::info!("draining: no new messages, those that have begun are finished");
        self.health.draining();
        notifier.stopping("draining");
        // Fails only when the server has ended already.
        let _ = drain.send(true);
        drain.closed().await;
    }

    /// Puts the configuration in force as it is now. An error keeps the old one and says so.
    async fn reload(&self, notifier: &Notifier) -> Told {
        notifier.reloading();
        let reloaded = self.filter.live.reload(
            || settings::load(&self.sources),
            |old, new| config::restart_needed(&old.config, &new.config),
        );
        match reloaded {
            Ok(reloaded) => {
                let loaded = self.filter.live.get();
                keep(&self.sources, &loaded);
                warn(&loaded, &self.health);
                self.server.set_limits(loaded.limits());
                self.filter.use_dns(&loaded);
                self.filter.use_memory(&loaded.config);
                self.filter.contacts.take_up(&loaded);
                self.filter.tlds.reload();
                self.filter.feeds.take_up(loaded.config.feeds()).await;
                self.log.set_level(loaded.config.log.level);
                self.metrics.generation(reloaded.number);
                self.metrics.reload(Ended::Well);
                self.metrics.stale(false);
                self.health.generation(reloaded.number);
                self.health.trouble(Trouble::Configuration, None);
                let needs_restart = reloaded.needs_restart.join(",");
                tracing::info!(generation = reloaded.number, needs_restart, "reloaded");
                notifier.ready(&self.health.status());
                Told::InForce { generation: reloaded.number }
            }
            Err(kept) => {
                self.metrics.reload(Ended::Failed);
                let told = Told::Kept { generation: kept.kept, error: kept.error.to_string() };
                let instead = format!("configuration {} (reload failed)", kept.kept);
                let stale = Stale { refused: "not reloaded", instead, errors: kept.error };
                stale.report(&self.health, &self.metrics);
                notifier.ready(&self.health.status());
                told
            }
        }
    }
}
