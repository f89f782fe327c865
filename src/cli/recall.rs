//! `linkmilter recall`.

mod imap;
mod maildir;
mod notes;

use std::collections::BTreeSet;
use std::fmt::Display;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use anyhow::Context;
use indicatif::ProgressBar;

use super::shared::{Events, host_name, journal_error, number, settings_with_key};
use super::{ExitStatus, error_with_causes, host_arg, print, visible, warn};
use crate::config::Config;
use crate::daemon::{header_fields, journal};
use crate::engine::whole::Whole;
use crate::engine::{Facts, TldTable};
use crate::plural::counted;
use crate::policy::is_below;
use crate::recall::delivered::{Recall, Recalled};
use crate::recall::imap::account::Account;
use crate::record::journal::recalls::{Mailbox, RecallAction, RecallEvent};
use crate::record::journal::{Query, read};
use crate::record::printable::defanged;
use crate::record::time::{Timestamp, parse_span};
use crate::record::{SCHEMA_VERSION, event};
use crate::scan::sniff::{self, SourceKind};
use notes::Notes;

/// Defang links to a host in mail that was delivered already
///
/// Links to these hosts, and to all hosts below them, are defanged in Maildirs and over IMAP as the
/// filter would have done. Nothing else in the messages changes, and `--give-back` undoes it. The
/// new copy of a message is safe on disk before the original is removed: an interruption loses
/// nothing. Flags, keywords and dates are kept. The copy has a new name or UID, because programs
/// cache the old one. Run it as the owner of the Maildirs. Without `--maildir` and `--imap` it only
/// prints who got such a link, as far as the journal knows; exit code 1 when it knows of nobody.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Hosts, with all hosts below them, or URLs; in Unicode, Punycode or defanged
    /// (`example[.]com`)
    #[arg(required = true, value_name = "HOST")]
    hosts: Vec<String>,

    /// Accept a public suffix (`com`, `co.uk`, `github.io`), with every host below it
    #[arg(long)]
    suffix: bool,

    /// A Maildir with its folders (`.Sent`, `Sent`); may be repeated
    #[arg(long, value_name = "PATH")]
    maildir: Vec<PathBuf>,

    /// An account, `imaps://USER@HOST[:PORT][/FOLDER]`; may be repeated. `imap:` uses STARTTLS,
    /// except to this machine
    #[arg(long, value_name = "URL", value_parser = |url: &str| Account::parse(url))]
    imap: Vec<Account>,

    /// The file with the password of the accounts in its first line. Without it the variable
    /// LINKMILTER_IMAP_PASSWORD is read
    #[arg(long, value_name = "FILE", requires = "imap")]
    password_file: Option<PathBuf>,

    /// Certificates (PEM) to trust for the IMAP server, instead of the built-in roots
    #[arg(long, value_name = "FILE", requires = "imap")]
    imap_ca: Option<PathBuf>,

    /// Only messages delivered within this time: a number with s, m, h, d or w [default: all]
    #[arg(long, value_name = "SPAN", allow_hyphen_values = true, value_parser = parse_span)]
    since: Option<Duration>,

    /// Print what would be done, and change nothing
    #[arg(long)]
    dry_run: bool,

    /// Undo a recall; all hosts that it named must be given
    #[arg(long)]
    give_back: bool,

    /// First finish what an interrupted run left: a message beside its copy
    #[arg(long)]
    resume: bool,

    /// Messages changed per second at most
    #[arg(long, value_name = "N", allow_hyphen_values = true, default_value_t = 50, value_parser = |text: &str| number(text, 1..=10_000_u32))]
    rate: u32,

    /// Record the changes in this directory, for `why --recalls`, instead of the journal. Without
    /// it a user who may not write to the journal gets them recorded in ~/.local/state/linkmilter
    #[arg(long, value_name = "DIR")]
    recalls: Option<PathBuf>,

    #[command(flatten)]
    events: Events,
}

/// Counts of this run so far.
#[derive(Debug, Default)]
struct Totals {
    read: u64,
    changed: u64,
    links: usize,
    gone: u64,
    finished: u64,
    failed: u64,
}

/// One run over some mailboxes.
struct RecallRun {
    recall: Recall,
    tlds: TldTable,
    since: Option<SystemTime>,
    max_message: u64,
    dry_run: bool,
    give_back: bool,
    resume: bool,
    pause: Duration,
    progress: ProgressBar,
    totals: Totals,
    /// Records the changes for `why`.
    notes: Notes,
}

pub fn run(args: Args) -> anyhow::Result<ExitStatus> {
    // A recall is undone even if it was for a whole suffix.
    let hosts = host_arg::parse_all(&args.hosts, args.suffix || args.give_back)?;
    let password = match args.imap.is_empty() {
        true => String::new(),
        false => imap::password(args.password_file.as_deref())?,
    };
    let roots = args.imap_ca.as_deref().map(imap::read_ca_file).transpose()?;
    let (config, journal) = args.events.clone().open()?;
    let known = print_journal_matches(&journal, &hosts, args.since);
    if args.maildir.is_empty() && args.imap.is_empty() {
        return known;
    }
    // The mailboxes are read whatever the journal knows.
    if let Err(error) = known {
        warn(&error_with_causes(&error));
    }
    let mut run = RecallRun::new(&args, hosts, &config, &journal)?;
    if args.give_back && !run.recall.checks_seals() {
        warn(&"no key can be read, so it cannot be checked who wrote a recipe");
    }
    for maildir in &args.maildir {
        run.maildir(maildir);
    }
    for account in &args.imap {
        run.account(account, password.as_str(), roots.as_deref());
    }
    run.progress.finish_and_clear();
    print(&run.report())?;
    match run.totals.failed {
        0 => match run.notes.lost() {
            0 => Ok(ExitStatus::Done),
            lost => anyhow::bail!("--recalls: {} not recorded", counted(lost, "change")),
        },
        1 => anyhow::bail!("1 message, folder or account could not be processed"),
        failed => anyhow::bail!("{failed} messages, folders or accounts could not be processed"),
    }
}

/// What a file is if it is not a message: some servers compress or encrypt what they store.
fn not_a_message(bytes: &[u8]) -> Option<&'static str> {
    match sniff::kind(bytes) {
        SourceKind::Compressed(_) => Some("compressed data"),
        SourceKind::Tar => Some("a tar archive"),
        SourceKind::NotMail(what) => Some(what),
        SourceKind::Empty | SourceKind::Message | SourceKind::Mbox | SourceKind::MacMbox => None,
    }
}

/// Prints who got a link to the hosts, as far as the journal knows; negative if it knows of nobody.
fn print_journal_matches(
    journal: &Path,
    hosts: &[String],
    since: Option<Duration>,
) -> anyhow::Result<ExitStatus> {
    let now = Timestamp::of(SystemTime::now());
    let since = since.map_or_else(Timestamp::default, |span| now.minus(span));
    let asked: Vec<&str> = hosts.iter().map(String::as_str).collect();
    let mut found: Vec<(u64, BTreeSet<String>)> = vec![Default::default(); hosts.len()];
    let query = Query { since, hosts: &asked, ..Query::default() };
    let reading = read(journal, query, |event| {
        for (host, (messages, domains)) in asked.iter().zip(&mut found) {
            if event.all_hosts().any(|name| is_below(name, host)) {
                *messages += 1;
                domains.extend(event.recipients.iter().cloned());
            }
        }
    });
    let reading = reading.map_err(journal_error)?;
    let mut out = String::new();
    for (host, (messages, domains)) in asked.iter().zip(found) {
        let name = defanged(host);
        if messages == 0 {
            warn(&reading.not_found_note(&format!("no link to {name}"), journal));
            continue;
        }
        let to: Vec<String> = domains.iter().map(|domain| defanged(domain)).collect();
        let to = to.join(", ");
        let messages = counted(messages, "message");
        out += &format!("the journal knows {messages} with a link to {name}, to {to}\n");
    }
    print(&out)?;
    if let Some(text) = reading.omission_note() {
        warn(&text);
    }
    Ok(if out.is_empty() { ExitStatus::Negative } else { ExitStatus::Done })
}

impl RecallRun {
    fn new(
        args: &Args,
        hosts: Vec<String>,
        config: &Config,
        journal: &Path,
    ) -> anyhow::Result<RecallRun> {
        let settings = settings_with_key(config)?;
        let facts = Facts {
            host_name: host_name(config),
            language: config.policy.language.clone(),
            ..Facts::default()
        };
        Ok(RecallRun {
            recall: Recall::new(hosts, &settings.policies.default_policy(), facts),
            tlds: super::tld::table(config),
            since: args.since.and_then(|span| SystemTime::now().checked_sub(span)),
            max_message: config.server.max_message.0,
            dry_run: args.dry_run,
            give_back: args.give_back,
            resume: args.resume,
            pause: Duration::from_secs(1) / args.rate,
            progress: match std::io::stderr().is_terminal() {
                true => ProgressBar::new_spinner(),
                false => ProgressBar::hidden(),
            },
            totals: Totals::default(),
            notes: match args.dry_run {
                true => Notes::default(),
                false => Notes::open(args.recalls.as_deref(), journal, journal::bounds(config))
                    .context(match args.recalls {
                        Some(_) => "--recalls: nothing is changed",
                        None => "it could not be recorded (--recalls): nothing is changed",
                    })?,
            },
        })
    }

    /// The new version of a message, or `None` if it stays as it is.
    fn new_version(&mut self, place: &dyn Display, bytes: &[u8]) -> Option<Recalled> {
        if let Some(other) = not_a_message(bytes) {
            self.failed(place, &format_args!("expected a message, found {other}"));
            return None;
        }
        let found = match self.give_back {
            true => self.recall.undo_all(bytes),
            false => self.recall.recalled(bytes, &self.tlds),
        };
        match found {
            Ok(Some(found)) => {
                if let Some(why) = &found.incomplete {
                    self.failed(place, why);
                }
                Some(found)
            }
            Ok(None) => None,
            Err(why) => {
                self.failed(place, &why);
                None
            }
        }
    }

    fn is_too_old(&self, delivered: SystemTime) -> bool {
        self.since.is_some_and(|since| delivered < since)
    }

    fn changed(&mut self, links: usize) {
        self.totals.changed += 1;
        self.totals.links += links;
    }

    /// Names a message that a dry run would change.
    fn would_change(&mut self, place: &dyn Display, links: usize) {
        self.changed(links);
        let what = match self.give_back {
            true => "would be restored".to_owned(),
            false => format!("{} would be defanged", counted(links, "link")),
        };
        let line = visible(&format!("{place}: {what}")) + "\n";
        if let Err(error) = self.progress.suspend(|| print(&line)) {
            self.failed(place, &error);
        }
    }

    /// Records in the journal what was done to a message. `bytes` may be the original or the copy.
    fn note(&mut self, mailbox: Mailbox, action: RecallAction, bytes: &[u8], links: usize) {
        let head = Whole::split(bytes).message.head;
        let id = header_fields::field(head, "Message-ID").unwrap_or_default();
        let event = RecallEvent {
            v: SCHEMA_VERSION,
            time: Timestamp::of(SystemTime::now()),
            message_id: event::message_id(id),
            action,
            mailbox,
            hosts: self.recall.hosts().to_vec(),
            links: links as u64,
        };
        self.notes.record(&event);
    }

    /// What this run does to a message.
    fn action(&self) -> RecallAction {
        if self.give_back { RecallAction::GivenBack } else { RecallAction::Recalled }
    }

    /// Records a message whose copy an interrupted run had made.
    fn note_finished(&mut self, mailbox: Mailbox, copy: &[u8]) {
        let action = match self.recall.is_last(copy) {
            true => RecallAction::Recalled,
            false => RecallAction::GivenBack,
        };
        let links = 0;
        self.note(mailbox, action, copy, links);
    }

    fn tick(&self) {
        self.progress
            .set_message(format!("{} read, {} changed", self.totals.read, self.totals.changed));
        self.progress.tick();
    }

    fn failed(&mut self, place: &dyn Display, why: &dyn Display) {
        self.totals.failed += 1;
        warn(&format_args!("{place}: {why}"));
    }

    fn report(&self) -> String {
        let Totals { read, changed, links, gone, finished, failed } = &self.totals;
        let would_be = if self.dry_run { "would be " } else { "" };
        let what = match self.give_back {
            true => format!("{changed} {would_be}restored"),
            false => {
                let links = counted(*links, "link");
                format!("{changed} {would_be}changed, {links} {would_be}defanged")
            }
        };
        let mut out = format!("{} read, {what}", counted(*read, "message"));
        for (count, text) in [
            (gone, "moved or removed meanwhile"),
            (finished, "of an interrupted run finished"),
            (failed, "failed"),
        ] {
            if *count > 0 {
                out += &format!(", {count} {text}");
            }
        }
        out.push('\n');
        out
    }
}
