//! The daemon: it connects all parts of the program.
//!
//! [`run`] reads the configuration, binds the sockets and serves until SIGTERM. A message goes
//! `milter::server` → [`filter`] → `engine` → [`reply`], and [`report`] logs what became of it.

mod address_space;
pub mod allocator;
pub mod begun;
pub mod canary;
pub mod contacts;
mod deferrals;
mod descriptors;
mod detached;
pub mod digest;
pub mod dns_client;
pub mod endpoint;
pub mod envelope;
pub mod feeds;
pub mod filter;
pub mod grants;
pub mod header_fields;
pub mod health;
pub mod host_name;
mod job;
pub mod journal;
pub mod judgement_cache;
mod kept;
mod listen;
pub mod log;
pub mod mailer;
pub mod metrics;
pub mod notify;
mod outbound;
pub mod pid;
pub mod recipes;
pub mod reload;
pub mod reload_report;
mod reply;
pub mod report;
pub mod resolver;
mod restore_result;
pub mod seal;
pub mod settings;
mod signals;
pub mod state_dir;
pub mod throttle;
pub mod tlds;
mod unedited;
mod work_queues;

use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context;
use tokio::sync::watch;

use crate::config::{self, Config, Errors, Flag, LastGood, Schedule, Sources, Start};
use crate::milter::Server;
use crate::milter::endpoint::{Listener, SocketPlace};
use crate::tld::store::TldStore;
use filter::Filter;
use health::{Health, Trouble};
use journal::Recorder;
use kept::Kept;
use listen::ListenSource;
pub use listen::{Inherited, NoSockets, check as check_sockets};
use log::LogHandle;
use metrics::{JournalFault, Metrics, TaskResult};
use notify::Notifier;
pub use pid::StateInUse;
use pid::{Directory, PidFile};
use reload::ReloadError;
use reload_report::{ReloadReport, ReloadResult};
use report::Reporter;
use settings::Loaded;
use signals::Signals;
use state_dir::StateDir;
use tlds::{RefreshSettings, Tlds};

/// Command-line options of the daemon.
#[derive(Clone, Debug, Default)]
pub struct DaemonOptions {
    /// The configuration file. Without one: the default file if it exists, else built-in settings.
    pub config: Option<PathBuf>,
    /// Where to listen, instead of what the configuration says.
    pub listen: Vec<String>,
    /// Whether sockets from the service manager are required.
    pub inherited: Inherited,
}

/// Runs until SIGTERM or SIGINT, then finishes the messages that have started.
///
/// # Errors
/// The configuration is invalid and there is no last good one, or an address cannot be bound.
pub fn run(options: &DaemonOptions) -> anyhow::Result<()> {
    // Commands recognize the daemon by it, whatever the name of the program file is. Nothing else depends on it.
    let _ = rustix::thread::set_name(pid::PROCESS_NAME);
    let inherited = listen::inherited(options.inherited)?;
    let mut sources = sources(options);
    let start = config::start(&sources, settings::load).inspect_err(|errors| {
        let status = format!("not filtering, no last good configuration: {errors}");
        Notifier::from_env().status(&status);
        listen::reject_waiting(&inherited);
    })?;
    let (mut loaded, mut stale) = in_force(start);
    sources.file = sources.file.or_else(|| loaded.config.main_file.clone());
    let metrics = Arc::new(Metrics::new());
    let log = log::init(&loaded.config.log, metrics.log_dropped())
        .inspect_err(|_| listen::reject_waiting(&inherited))?;
    let last_lines = log.clone();
    std::panic::set_hook(Box::new(report_panic));
    if let Err(error) = signals::ignore_others() {
        tracing::warn!(%error, "signals that should be ignored will end the filter");
    }
    let listeners = match listen::bind(&loaded.config, listen_source(&loaded), inherited) {
        Ok(listeners) => listeners,
        // There are no inherited sockets: with those an address that cannot be bound is no error.
        Err(errors) if stale.is_none() => {
            let (older, listeners) = bind_last_good(&sources, errors)?;
            (loaded, stale) = in_force(Start::LastGood(older));
            listeners
        }
        Err(errors) => return Err(errors.into()),
    };
    descriptors::raise_limit(loaded.config.server.max_connections);
    address_space::check(&loaded.config);
    let mut runtime = tokio::runtime::Builder::new_multi_thread();
    if loaded.config.server.workers > 0 {
        runtime.worker_threads(loaded.config.server.workers);
    }
    let startup = Startup { sources, loaded, stale, metrics };
    let result = runtime.enable_all().build()?.block_on(serve(startup, listeners, log));
    last_lines.flush();
    result
}

/// The last good configuration with its sockets, if those of the present one cannot be bound.
fn bind_last_good(
    sources: &Sources,
    errors: Errors,
) -> Result<(LastGood<Loaded>, Vec<Listener>), Errors> {
    let older = config::last_good(sources, errors, settings::load)?;
    match listen::bind(&older.loaded.config, listen_source(&older.loaded), Vec::new()) {
        Ok(listeners) => Ok((older, listeners)),
        // Report the errors of the present one: that is the one that the operator can correct.
        Err(_) => Err(older.errors),
    }
}

/// What the daemon starts with.
struct Startup {
    sources: Sources,
    loaded: Loaded,
    /// Set if the configuration on disk is invalid and an older one is in force.
    stale: Option<Stale>,
    metrics: Arc<Metrics>,
}

/// The configuration on disk is invalid, and an older one is in force.
struct Stale {
    /// What is wrong, of loading or reloading.
    cause: &'static str,
    /// Which configuration is in force.
    in_force: String,
    errors: Errors,
}

impl Stale {
    /// Logs every problem on a line of its own. The first one is shown in `/healthz` and the status.
    fn report(&self, health: &Health, metrics: &Metrics) {
        let Stale { cause, in_force, .. } = self;
        tracing::error!("{cause}; {in_force} is in force");
        for problem in &self.errors.0 {
            tracing::error!("{problem}");
        }
        let first = self.errors.0.first().map(ToString::to_string).unwrap_or_default();
        let text = format!("{cause}, {in_force} is in force: {first}");
        health.set_trouble(Trouble::Configuration, Some(text));
        metrics.stale(true);
    }
}

fn in_force(start: Start<Loaded>) -> (Loaded, Option<Stale>) {
    match start {
        Start::Present(loaded) => (loaded, None),
        Start::LastGood(LastGood { loaded, since, errors }) => {
            let in_force = format!("the last good one of {since}");
            let cause = "the configuration is invalid";
            (loaded, Some(Stale { cause, in_force, errors }))
        }
    }
}

fn sources(options: &DaemonOptions) -> Sources {
    let mut sources = Sources::new(options.config.clone());
    if !options.listen.is_empty() {
        let values = options.listen.clone();
        sources.flags.push(Flag { option: "--listen", key: "server.listen", values });
    }
    sources
}

fn listen_source(loaded: &Loaded) -> ListenSource {
    match loaded.config.is_set("server.listen") {
        true => ListenSource::Configured,
        false => ListenSource::Default,
    }
}

/// Logs where a panic happened, never its message: that may hold bytes of somebody's mail.
fn report_panic(info: &std::panic::PanicHookInfo<'_>) {
    let place = info.location().map(ToString::to_string).unwrap_or_default();
    tracing::error!(place, "panic");
}

async fn serve(startup: Startup, listeners: Vec<Listener>, log: LogHandle) -> anyhow::Result<()> {
    // First of all: a SIGHUP before its handler is installed would end the process.
    let signals = Signals::new()?;
    let Startup { sources, loaded, stale, metrics } = startup;
    let health = Arc::new(Health::default());
    let state = StateDir::make(&loaded.config.server.state_dir, &health);
    let pid_file = (state == StateDir::Present).then(|| PidFile::lock(loaded.config.pid_file()));
    let pid_file = pid_file.transpose().inspect_err(|_| listen::reject_waiting(&listeners))?;
    if let Some(Err(error)) = pid_file.as_ref().map(PidFile::write) {
        tracing::warn!(%error, "no pid file");
    }
    if let Some(stale) = stale {
        stale.report(&health, &metrics);
    }
    let kept = (state == StateDir::Present).then(|| Kept::keep(&sources, &loaded));
    let tlds = Arc::new(Tlds::open(TldStore::new(loaded.config.tld_directory())));
    let started = loaded.config.clone();
    warn(&loaded, &health);
    let recorder = recorder(&loaded, state, &metrics, &health);
    let reporter = Reporter::new(Arc::clone(&metrics), recorder, Arc::clone(&health));
    let notifier = Notifier::from_env();
    health.set_generation(1);
    if let Some(config) = endpoint::EndpointConfig::of(&loaded.config) {
        endpoint::start(config, Arc::clone(&metrics), Arc::clone(&health), notifier.clone());
    }
    let limits = loaded.limits();
    let filter = Arc::new(Filter::new(loaded, tlds, reporter));
    let server = Arc::new(Server::new(Arc::clone(&filter), limits));

    start_tasks(&filter, notifier.clone()).await;
    let contacts = Arc::clone(&filter.contacts);
    let (drain, draining) = watch::channel(false);
    let status = health.status();
    let serving = Arc::clone(&server);
    let sockets = listeners.iter().filter_map(Listener::place).collect();
    let service =
        Service { sources, started, filter, server, sockets, metrics, health, log, pid_file, kept };
    let watching = tokio::spawn(service.watch(signals, notifier.clone(), drain));
    notifier.ready(&status);
    // Fails if somebody closed standard output, and then nobody reads it.
    let _ = write!(std::io::stdout(), "{}", listen::postfix_hint(&listeners)?);
    let result = serving.run(listeners, draining).await.context("cannot serve");
    watching.abort();
    contacts.save();
    result
}

/// Starts what goes on beside the mail: the canary, the digest, what is kept fresh and what expires. Returns once saved
/// lists are in force.
async fn start_tasks(filter: &Arc<Filter>, notifier: Notifier) {
    let Reporter { metrics, health, .. } = &filter.reporter;
    let canary = Arc::clone(filter);
    let check = move || canary::check(&*canary.tlds.table());
    let monitors = canary::Monitors { health: Arc::clone(health), metrics: Arc::clone(metrics) };
    tokio::spawn(canary::run(notifier, monitors, check));
    let (digest_filter, digest_health) = (Arc::clone(filter), Arc::clone(health));
    let settings = move || digest_settings(&digest_filter.live.get(), &digest_health);
    tokio::spawn(digest::daily(settings, Arc::clone(metrics), Arc::clone(health)));
    let tld_filter = Arc::clone(filter);
    let settings = move || tld_refresh(&tld_filter.live.get().config);
    tokio::spawn(Arc::clone(&filter.tlds).keep_fresh(settings, Arc::clone(metrics)));
    filter.feeds.apply_settings(&filter.live.get()).await;
    tokio::spawn(Arc::clone(&filter.feeds).keep_fresh(Arc::clone(health)));
    let recipe_filter = Arc::clone(filter);
    let bounds = move || recipes::bounds(&recipe_filter.live.get().config);
    tokio::spawn(Arc::clone(&filter.recipes).expire(bounds, Arc::clone(metrics)));
    tokio::spawn(Arc::clone(&filter.contacts).save_periodically());
}

/// How the table of top-level domains is refreshed.
fn tld_refresh(config: &Config) -> RefreshSettings {
    let (fetch, tld) = (config.tld_fetch(), &config.tld);
    RefreshSettings { fetch, interval: tld.refresh, warn_age: tld.warn_age }
}

/// The recorder of the event journal. Without a state directory it records nothing.
fn recorder(loaded: &Loaded, state: StateDir, metrics: &Arc<Metrics>, health: &Health) -> Recorder {
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
        let text = "no journal: `why` and the digest will have nothing to show";
        tracing::warn!(%error, "{text}");
        health.set_trouble(Trouble::Journal, Some(format!("{text}: {error}; mend it and restart")));
        Recorder::off(Arc::clone(metrics))
    })
}

/// Warns of settings that are valid but will not do what was meant.
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
    let missing_seal = loaded.missing_seal();
    if let Some(problem) = &missing_seal {
        tracing::warn!("{problem}");
    }
    health.set_trouble(Trouble::Seal, missing_seal);
}

/// The digest that the settings in force ask for.
fn digest_settings(loaded: &Loaded, health: &Health) -> Option<digest::DigestSettings> {
    let seal = loaded.seal.as_ref().ok().cloned();
    let settings = digest::DigestSettings::of(&loaded.config, &loaded.host_name, seal);
    let settings = settings.unwrap_or_else(|error| {
        tracing::error!(%error, "no digest");
        None
    });
    settings.map(|settings| digest::DigestSettings { troubles: health.troubles(), ..settings })
}

/// What a reload and a stop act on.
struct Service {
    sources: Sources,
    /// The configuration that the daemon was started with: some settings stay as they are there.
    started: Config,
    filter: Arc<Filter>,
    server: Arc<Server<Filter>>,
    /// Where MTAs look for it.
    sockets: Vec<SocketPlace>,
    metrics: Arc<Metrics>,
    health: Arc<Health>,
    log: LogHandle,
    /// `None` without a state directory.
    pid_file: Option<PidFile>,
    /// What is kept there; likewise.
    kept: Option<Kept>,
}

/// How often it is looked at what may have gone wrong, or been mended, meanwhile.
const LOOK_INTERVAL: Duration = Duration::from_secs(5);

/// Looks between two tries to write to the state directory while nothing is wrong there.
const LOOKS_PER_PROBE: u64 = 6;

impl Service {
    /// Reloads at each SIGHUP. Starts the drain at SIGTERM and SIGINT.
    async fn watch(mut self, mut signals: Signals, notifier: Notifier, drain: watch::Sender<bool>) {
        let mut reloads = 0;
        let mut ticks = tokio::time::interval(LOOK_INTERVAL);
        let mut looks = 0;
        loop {
            tokio::select! {
                _ = ticks.tick() => {
                    self.look(looks).await;
                    looks += 1;
                }
                _ = signals.hang_up.recv() => {
                    reloads += 1;
                    let result = self.reload(&notifier).await;
                    if let Err(error) = ReloadReport::write(&self.started, reloads, result) {
                        tracing::warn!(%error, "the result of the reload cannot be written");
                    }
                }
                _ = signals.terminate.recv() => break,
                _ = signals.interrupt.recv() => break,
            }
        }
        // From now on nobody reloads here. A successor that runs already takes the file over.
        self.pid_file = None;
        tracing::info!("draining: no new messages, those that have started are finished");
        self.health.set_draining();
        notifier.stopping("draining");
        // Fails only when the server has ended already.
        let _ = drain.send(true);
        drain.closed().await;
    }

    /// Mends what can be mended, and says what cannot.
    async fn look(&mut self, looks: u64) {
        let in_use = self.mend_state().await.err().map(|in_use| in_use.to_string());
        if self.pid_file.is_some() {
            let is_turn = looks.is_multiple_of(LOOKS_PER_PROBE);
            if is_turn || in_use.is_some() || self.health.has(Trouble::State) {
                state_dir::probe(&self.started.server.state_dir, in_use, &self.health);
            }
        }
        let missing = listen::missing(&self.sockets);
        if self.health.set_troubles(Trouble::Sockets, missing.clone()) {
            missing.iter().for_each(|socket| tracing::error!("{socket}"));
        }
        if self.health.has(Trouble::Dns) {
            self.filter.set_dns(&self.filter.live.get());
        }
        let faults = self.filter.dns_faults();
        if self.health.set_troubles(Trouble::DnsAnswers, faults.clone()) {
            match faults.as_slice() {
                [] => tracing::info!("the DNS is in order, as far as it was asked"),
                faults => faults.iter().for_each(|fault| tracing::warn!("{fault}")),
            }
        }
    }

    /// Writes anew what somebody has removed from the state directory, or removed with it.
    ///
    /// # Errors
    /// Another daemon works with the directory that is there now.
    async fn mend_state(&mut self) -> Result<(), StateInUse> {
        let Some(pid_file) = &mut self.pid_file else { return Ok(()) };
        let directory = pid_file.lock_again()?;
        // An error was logged at the start, or is one of the directory.
        let _ = pid_file.write();
        if directory == Directory::Another {
            tracing::warn!(
                "{}: the state directory was removed or replaced while the filter ran: it is used anew, without the \
                 events and undo recipes that were in it",
                self.started.server.state_dir.display()
            );
            self.filter.contacts.save_anew();
            // Lists that are not stored any more are fetched again.
            self.filter.feeds.apply_settings(&self.filter.live.get()).await;
        }
        self.kept.iter_mut().for_each(Kept::look);
        Ok(())
    }

    /// Loads the configuration and puts it in force. After an error the old one stays in force.
    async fn reload(&mut self, notifier: &Notifier) -> ReloadResult {
        notifier.reloading();
        // Else a key that is gone would be replaced by a new one. Where another daemon works, nothing is written.
        let _ = self.mend_state().await;
        let reloaded = self.filter.live.reload(
            || settings::reload(&self.sources, &self.started),
            |_, new| config::restart_needed(&self.started, &new.config),
        );
        match reloaded {
            Ok(reloaded) => {
                let loaded = self.filter.live.get();
                if self.kept.is_some() {
                    self.kept = Some(Kept::keep(&self.sources, &loaded));
                }
                warn(&loaded, &self.health);
                self.server.set_limits(loaded.limits());
                self.filter.set_dns(&loaded);
                self.filter.set_memory(&loaded.config);
                self.filter.contacts.apply(&loaded);
                self.filter.tlds.reload();
                self.filter.feeds.apply_settings(&loaded).await;
                self.log.set_level(loaded.config.log.level);
                self.metrics.generation(reloaded.number);
                self.metrics.reload(TaskResult::Succeeded);
                self.metrics.stale(false);
                self.health.set_generation(reloaded.number);
                self.health.set_trouble(Trouble::Configuration, None);
                let needs_restart = reloaded.needs_restart.join(",");
                tracing::info!(generation = reloaded.number, needs_restart, "reloaded");
                notifier.ready(&self.health.status());
                ReloadResult::InForce { generation: reloaded.number }
            }
            Err(ReloadError { generation, error: errors }) => {
                self.metrics.reload(TaskResult::Failed);
                let result = ReloadResult::Kept { generation, error: errors.to_string() };
                let in_force = format!("configuration {generation}");
                let cause = "reload failed: the configuration is invalid";
                let stale = Stale { cause, in_force, errors };
                stale.report(&self.health, &self.metrics);
                notifier.ready(&self.health.status());
                result
            }
        }
    }
}
