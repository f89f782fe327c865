//! `linkmilter recall`.

use std::collections::BTreeSet;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use indicatif::ProgressBar;

use super::shared::Events;
use super::{Answer, complain, pasted, print};
use crate::daemon::seal::{self, Seal};
use crate::engine::{Facts, TldTable};
use crate::policy::is_below;
use crate::recall::letter::{Recall, Recalled};
use crate::recall::maildir::{Folder, Letter, Replaced, Standing, folders, standings};
use crate::record::journal::{Query, read};
use crate::record::printable::defanged;
use crate::record::time::{Timestamp, parse_span};
use crate::scan::sniff::{self, Kind};

/// Take links to a host apart in mail that was delivered already
///
/// Links to these hosts, and to all below them, are taken apart in Maildirs as the filter would have
/// done; nothing else in them is touched, and `--give-back` undoes it. The new copy of a message is
/// safe on the disk before the old one goes: an interruption loses nothing. Flags and dates stay; the
/// copy has a name, and so for IMAP a UID, of its own, for programs keep what they have seen of the
/// old one. Run it as the owner of the mailboxes. Without `--maildir` it says who got such a link,
/// as far as the journal tells.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Hosts, with all below them, or URLs; in Unicode, Punycode or taken apart (`example[.]com`)
    #[arg(required = true, value_name = "HOST")]
    hosts: Vec<String>,

    /// A Maildir with its folders (`.Sent`, `Sent`), several if wanted
    #[arg(long, value_name = "PATH")]
    maildir: Vec<PathBuf>,

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
}

pub fn run(args: Args) -> anyhow::Result<Answer> {
    let hosts: Vec<String> =
        args.hosts.iter().map(|host| pasted::host(host)).collect::<anyhow::Result<_>>()?;
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
    };
    if args.give_back && !run.recall.checks_seals() {
        complain(&"no key can be read: whoever wrote a recipe is believed");
    }
    for maildir in &args.maildir {
        run.mailbox(maildir);
    }
    run.bar.finish_and_clear();
    if !args.maildir.is_empty() {
        print(&run.report())?;
    }
    match run.sums.failed {
        0 => Ok(Answer::Done),
        failed => anyhow::bail!("{failed} messages or folders could not be treated"),
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
            complain(&reading.nothing(&format!("no link to {name}"), journal));
            continue;
        }
        let to: Vec<String> = domains.iter().map(|domain| defanged(domain)).collect();
        let to = to.join(", ");
        out += &format!("the journal knows {messages} messages with a link to {name}, to {to}\n");
    }
    print(&out)?;
    if let Some(said) = reading.omitted() {
        complain(&said);
    }
    Ok(())
}

impl Run {
    fn mailbox(&mut self, root: &Path) {
        let found = match folders(root) {
            Ok(found) => found,
            Err(error) => return self.failed(root, &error),
        };
        for (path, error) in &found.unread {
            self.failed(path, error);
        }
        for folder in found.found {
            // What is only looked at keeps nobody waiting.
            let held = if self.dry_run { Ok(None) } else { folder.hold().map(Some) };
            match held.and_then(|held| Ok((held, folder.letters()?))) {
                Ok((_held, letters)) => self.folder(&folder, &letters),
                Err(error) => self.failed(root, &error),
            }
        }
    }

    fn folder(&mut self, folder: &Folder, letters: &[Letter]) {
        for (letter, standing) in letters.iter().zip(standings(letters)) {
            self.bar.set_message(format!("{} read, {} changed", self.sums.read, self.sums.changed));
            self.bar.tick();
            match standing {
                Standing::Replaced(copy) => self.leftover(folder, letter, copy),
                // A copy of this copy would leave nothing that tells it is of that message.
                Standing::Copy if !self.resume => {}
                Standing::Copy | Standing::Alone => self.letter(folder, letter),
            }
        }
    }

    /// An earlier run ended between the new copy and the old message.
    fn leftover(&mut self, folder: &Folder, letter: &Letter, copy: &Letter) {
        let path = folder.path(letter);
        if !self.resume {
            let said = "an earlier run was interrupted here; --resume finishes it";
            return self.failed(&path, &said);
        }
        if self.dry_run {
            self.sums.finished += 1;
            return;
        }
        match folder.finish(letter, copy.clone()) {
            Ok(_) => self.sums.finished += 1,
            Err(error) => self.failed(&path, &error),
        }
    }

    fn letter(&mut self, folder: &Folder, letter: &Letter) {
        let path = folder.path(letter);
        let (bytes, delivered) = match folder.read(letter, self.most) {
            Ok(read) => read,
            // Whoever reads his mail moves it from `new` to `cur`, or removes it: the copy that is
            // there now is met in a second run.
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                self.sums.gone += 1;
                return;
            }
            Err(error) => return self.failed(&path, &error),
        };
        self.sums.read += 1;
        if self.since.is_some_and(|since| delivered < since) {
            return;
        }
        if let Some(other) = no_message(&bytes) {
            return self.failed(&path, &format_args!("expected a message, found {other}"));
        }
        let found = match self.give_back {
            true => self.recall.given_back_wholly(&bytes),
            false => self.recall.recalled(&bytes, &self.tlds),
        };
        let Recalled { bytes: new, links, left } = match found {
            Ok(Some(found)) => found,
            Ok(None) => return,
            Err(why) => return self.failed(&path, &why),
        };
        if let Some(why) = left {
            self.failed(&path, &why);
        }
        if self.dry_run {
            self.sums.changed += 1;
            self.sums.links += links;
            return;
        }
        match folder.replace(letter, &new) {
            Ok(Replaced::Done) => {
                self.sums.changed += 1;
                self.sums.links += links;
            }
            Ok(Replaced::Gone) => self.sums.gone += 1,
            Err(error) => return self.failed(&path, &error),
        }
        std::thread::sleep(self.pause);
    }

    fn failed(&mut self, path: &Path, why: &dyn std::fmt::Display) {
        self.sums.failed += 1;
        complain(&format_args!("{}: {why}", path.display()));
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
