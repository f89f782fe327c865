//! `linkmilter recall`.

mod imap;
mod maildir;
mod notes;

use std::collections::BTreeSet;
use std::fmt::Display;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use indicatif::ProgressBar;

use super::shared::Events;
use super::{Answer, complain, pasted, print};
use crate::daemon::seal::{self, Seal};
use crate::daemon::{header_fields, journal};
use crate::engine::whole::Whole;
use crate::engine::{Facts, TldTable};
use crate::policy::is_below;
use crate::recall::delivered::{Recall, Recalled};
use crate::recall::imap::account::Account;
use crate::record::journal::recalls::{Mailbox, RecallAction, RecallEvent};
use crate::record::journal::{Query, read};
use crate::record::printable::defanged;
use crate::record::time::{Timestamp, parse_span};
use crate::record::{SCHEMA_VERSION, event};
use crate::scan::sniff::{self, Kind};
use notes::Notes;

/// Take links to a host apart in mail that was delivered already
///
/// Links to these hosts, and to all below them, are taken apart in Maildirs and over IMAP as the filter
/// would have done; nothing else in the messages is touched, and `--give-back` undoes it. The new copy of
/// a message is safe before the old one goes: an interruption loses nothing. Flags, keywords and dates
/// stay; the copy has a name or UID of its own, for programs keep what they have seen of the old one. Run
/// it as the owner of the Maildirs. Without `--maildir` and `--imap` it says who got such a link, as far
/// as the journal tells.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Hosts, with all below them, or URLs; in Unicode, Punycode or taken apart (`example[.]com`)
    #[arg(required = true, value_name = "HOST")]
    hosts: Vec<String>,

    /// A public suffix (`com`, `co.uk`, `github.io`) is meant, with every host below it
    #[arg(long)]
    suffix: bool,

    /// A Maildir with its folders (`.Sent`, `Sent`), several if wanted
    #[arg(long, value_name = "PATH")]
    maildir: Vec<PathBuf>,

    /// An account, `imaps://USER@HOST[:PORT][/FOLDER]`, several if wanted; `imap:` is TLS by STARTTLS,
    /// but for this machine
    #[arg(long, value_name = "URL", value_parser = |url: &str| Account::parse(url))]
    imap: Vec<Account>,

    /// The file with the password of the accounts, in its first line; without it the variable
    /// LINKMILTER_IMAP_PASSWORD is read
    #[arg(long, value_name = "FILE", requires = "imap")]
    password_file: Option<PathBuf>,

    /// Certificates (PEM) that the IMAP server is known by, in the place of those of the web
    #[arg(long, value_name = "FILE", requires = "imap")]
    imap_ca: Option<PathBuf>,

    /// Messages delivered since then: a number with s, m, h, d or w [default: all]
    #[arg(long, value_name = "SPAN", value_parser = parse_span)]
    since: Option<Duration>,

    /// Say what would be done, and do nothing
    #[arg(long)]
    dry_run: bool,

    /// Undo a recall of these hosts, of all that it named
    #[arg(long)]
    give_back: bool,

    /// Finish first what an interrupted run left: a message beside its new copy
    #[arg(long)]
    resume: bool,

    /// Messages changed a second at most
    #[arg(long, value_name = "N", default_value_t = 50, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    rate: u32,

    /// Note what was done in this directory, for `why --recalls`, in the place of the journal. Without it who
    /// may not write to the journal notes it in ~/.local/state/linkmilter
    #[arg(long, value_name = "DIR")]
    recalls: Option<PathBuf>,

    #[command(flatten)]
    events: Events,
}

/// What was done so far.
#[derive(Debug, Default)]
struct Sums {
    read: u64,
    changed: u64,
    links: usize,
    gone: u64,
    finished: u64,
    failed: u64,
}

/// One run over some mailboxes.
struct Run {
    recall: Recall,
    tlds: TldTable,
    since: Option<SystemTime>,
    most: u64,
    dry_run: bool,
    give_back: bool,
    resume: bool,
    pause: Duration,
    bar: ProgressBar,
    sums: Sums,
    /// Where `why` finds what was done.
    notes: Notes,
}

pub fn run(args: Args) -> anyhow::Result<Answer> {
    // What was taken apart is given back, however much it was.
    let hosts = pasted::hosts(&args.hosts, args.suffix || args.give_back)?;
    let password = match args.imap.is_empty() {
        true => String::new(),
        false => imap::password(args.password_file.as_deref())?,
    };
    let roots = args.imap_ca.as_deref().map(imap::roots).transpose()?;
    let (config, journal) = args.events.open()?;
    tell_of_journal(&journal, &hosts, args.since)?;
    // A key that this user may not read is not missed: then nothing is sealed.
    let own = Seal::load(&seal::path(&config)).ok().map(|seal| seal.key());
    let settings = match own {
        Some(key) => config.settings_of_daemon(Some(key))?,
        None => config.settings_of_user()?,
    };
    let named = config.server.host_name.as_ref().map(|name| name.0.clone());
    let facts = Facts {
        host_name: named.unwrap_or_else(|| "localhost".to_owned()),
        language: config.policy.language.clone(),
        ..Facts::default()
    };
    let mut run = Run {
        recall: Recall::new(hosts, &settings.policies.default_policy(), facts),
        tlds: super::tld::table(&config),
        since: args.since.and_then(|span| SystemTime::now().checked_sub(span)),
        most: config.server.max_message.0,
        dry_run: args.dry_run,
        give_back: args.give_back,
        resume: args.resume,
        pause: Duration::from_secs(1) / args.rate,
        bar: match std::io::stderr().is_terminal() {
            true => ProgressBar::new_spinner(),
            false => ProgressBar::hidden(),
        },
        sums: Sums::default(),
        notes: match args.dry_run {
            true => Notes::default(),
            false => Notes::open(args.recalls.as_deref(), &journal, journal::bounds(&config)),
        },
    };
    if args.give_back && !run.recall.checks_seals() {
        complain(&"no key can be read: whoever wrote a recipe is believed");
    }
    for maildir in &args.maildir {
        run.maildir(maildir);
    }
    for account in &args.imap {
        run.account(account, password.as_str(), roots.as_deref());
    }
    run.bar.finish_and_clear();
    if !args.maildir.is_empty() || !args.imap.is_empty() {
        print(&run.report())?;
    }
    match run.sums.failed {
        0 => Ok(Answer::Done),
        failed => anyhow::bail!("{failed} messages, folders or accounts could not be treated"),
    }
}

/// What stands in a mailbox whose server compresses or encrypts what it keeps.
fn no_message(bytes: &[u8]) -> Option<&'static str> {
    match sniff::kind(bytes) {
        Kind::Compressed(_) => Some("compressed data"),
        Kind::Tar => Some("a tar archive"),
        Kind::Foreign(what) => Some(what),
        Kind::Empty | Kind::Message | Kind::Mbox => None,
    }
}

/// Who got a link to the hosts, as far as the journal tells.
fn tell_of_journal(
    journal: &Path,
    hosts: &[String],
    since: Option<Duration>,
) -> anyhow::Result<()> {
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
    let reading = match reading {
        Ok(reading) => reading,
        Err(error) => {
            complain(&error);
            return Ok(());
        }
    };
    let mut out = String::new();
    for (host, (messages, domains)) in asked.iter().zip(found) {
        let name = defanged(host);
        if messages == 0 {
            complain(&reading.not_found_note(&format!("no link to {name}"), journal));
            continue;
        }
        let to: Vec<String> = domains.iter().map(|domain| defanged(domain)).collect();
        let to = to.join(", ");
        out += &format!("the journal knows {messages} messages with a link to {name}, to {to}\n");
    }
    print(&out)?;
    if let Some(said) = reading.omission_note() {
        complain(&said);
    }
    Ok(())
}

impl Run {
    /// What a message becomes, if it is one of those that are looked for.
    fn treated(&mut self, place: &dyn Display, bytes: &[u8]) -> Option<Recalled> {
        if let Some(other) = no_message(bytes) {
            self.failed(place, &format_args!("expected a message, found {other}"));
            return None;
        }
        let found = match self.give_back {
            true => self.recall.given_back_wholly(bytes),
            false => self.recall.recalled(bytes, &self.tlds),
        };
        match found {
            Ok(Some(found)) => {
                if let Some(why) = &found.left {
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
        self.sums.changed += 1;
        self.sums.links += links;
    }

    /// Tells the journal what was done to a message; either copy of it will do.
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

    /// What this run does.
    fn action(&self) -> RecallAction {
        if self.give_back { RecallAction::GivenBack } else { RecallAction::Recalled }
    }

    /// Tells the journal of a message whose copy an interrupted run had made.
    fn note_finished(&mut self, mailbox: Mailbox, copy: &[u8]) {
        let action = match self.recall.is_last(copy) {
            true => RecallAction::Recalled,
            false => RecallAction::GivenBack,
        };
        let links = 0;
        self.note(mailbox, action, copy, links);
    }

    fn tick(&self) {
        self.bar.set_message(format!("{} read, {} changed", self.sums.read, self.sums.changed));
        self.bar.tick();
    }

    fn failed(&mut self, place: &dyn Display, why: &dyn Display) {
        self.sums.failed += 1;
        complain(&format_args!("{place}: {why}"));
    }

    fn report(&self) -> String {
        let Sums { read, changed, links, gone, finished, failed } = &self.sums;
        let would = if self.dry_run { "would be " } else { "" };
        let what = match self.give_back {
            true => format!("{changed} {would}given back"),
            false => format!("{changed} {would}changed, {links} links {would}taken apart"),
        };
        let mut out = format!("{read} messages read, {what}");
        for (count, said) in [
            (gone, "moved or removed meanwhile"),
            (finished, "of an interrupted run finished"),
            (failed, "failed"),
        ] {
            if *count > 0 {
                out += &format!(", {count} {said}");
            }
        }
        out.push('\n');
        out
    }
}
