//! Whom the house has met: what `banner.first_contact` goes by.
//!
//! A message is asked about before it is judged, and learned when it goes on. What is kept are keyed digests
//! in two sets that forget ([`store`]): no address, and nothing that could be tried out on a list of them by
//! whoever has the file without the key. It is written every ten minutes and at the end; what a crash takes
//! with it is what was met since. Where anything is wrong with it nobody is said to be new.

pub mod store;

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};

use arc_swap::ArcSwapOption;

use super::envelope::{dmarc, field};
use super::metrics::{ContactAnswer, ContactFault, Metrics};
use super::settings::Loaded;
use crate::atomic_file::AtomicFile;
use crate::engine::outcome::Disposition;
use crate::engine::{Contact, Dmarc, Policy};
use crate::file;
use crate::milter::Mail;
use crate::policy::{Author, Envelope, Meetings, Policies, Toward};
use crate::record::time::Timestamp;
use store::{Digest, Key, LEARNING, Met, NotRead, Of, Store, Turned};

/// How often what changed is written: the most that a crash takes.
const KEEP: Duration = Duration::from_secs(600);

/// Recipients of one message that are looked at: each costs a digest.
const RECIPIENTS: usize = 100;

/// Whom the house has met; nobody asks where the settings do not.
#[derive(Debug)]
pub struct Contacts {
    open: ArcSwapOption<Open>,
    metrics: Arc<Metrics>,
}

/// A store in use.
#[derive(Debug)]
struct Open {
    key: Key,
    file: PathBuf,
    kept: Mutex<Kept>,
}

#[derive(Debug)]
struct Kept {
    store: Store,
    /// Whether the file is another.
    changed: bool,
}

impl Contacts {
    pub fn new(metrics: Arc<Metrics>) -> Contacts {
        Contacts { open: ArcSwapOption::empty(), metrics }
    }

    /// Opens the store if these settings ask for it, and closes it if they do not. One that is open stays,
    /// unless its key is gone.
    pub fn take_up(&self, loaded: &Loaded) {
        let policy = loaded.settings.policies.default_policy();
        let (file, keys) = (loaded.config.contacts_file(), keys(&policy));
        if policy.banner.first_contact.is_none() || keys.is_empty() {
            self.keep();
            self.open.store(None);
            return;
        }
        let open = self.open.load_full();
        if open.is_some_and(|open| open.file == file && keys.contains(&open.key)) {
            return;
        }
        self.keep();
        self.open.store(self.opened(file, &keys).map(Arc::new));
    }

    fn opened(&self, file: PathBuf, keys: &[Key]) -> Option<Open> {
        let now = seconds();
        let (store, key) = match read(&file, keys, now) {
            Ok(read) => read,
            Err(error) => {
                if !error.is_absent() {
                    self.metrics.contact_fault(ContactFault::Read);
                    tracing::warn!(%error, "{}: whom this house has met is forgotten", file.display());
                }
                (Store::new(now), keys.first()?.clone())
            }
        };
        if now.saturating_sub(store.since()) < LEARNING {
            tracing::info!(
                "first contact: nothing is said before {}",
                date(store.since() + LEARNING)
            );
        }
        Some(Open { key, file, kept: Mutex::new(Kept { store, changed: true }) })
    }

    /// What the engine is told of the author of a message.
    pub fn ask(&self, mail: &Mail, envelope: &Envelope, policies: &Policies) -> Contact {
        let open = self.open.load();
        let Some(open) = open.as_deref() else { return Contact::Unknown };
        let Some(asked) = Asked::of(&mail.head, envelope, policies, &open.key) else {
            return Contact::Unknown;
        };
        match asked.met(&open.lock().store, seconds()) {
            Some(Met::Never) => Contact::First,
            _ => Contact::Unknown,
        }
    }

    /// Remembers who met whom in a message that goes on. One that is put off, held or refused is read by
    /// nobody, and who wrote it under a name that is not his is met by nobody.
    pub fn learn(&self, mail: &Mail, envelope: &Envelope, loaded: &Loaded, end: Disposition) {
        let open = self.open.load();
        let Some(open) = open.as_deref() else { return };
        let policies = &loaded.settings.policies;
        let Some(asked) = Asked::of(&mail.head, envelope, policies, &open.key) else { return };
        let now = seconds();
        let mut kept = open.lock();
        let met = asked.met(&kept.store, now);
        if let Some(met) = met {
            self.metrics.contact(answer(met));
        }
        if end != Disposition::Accept || dmarc(mail, envelope, loaded) == Dmarc::Fail {
            return;
        }
        let told = asked.message.as_ref().filter(|_| met == Some(Met::Never));
        let learned = kept.store.learn(&asked.meetings, told, now);
        kept.changed |= learned.anything;
        drop(kept);
        if learned.turned == Some(Turned::Full) {
            self.metrics.contact_fault(ContactFault::Full);
            tracing::warn!(
                "first contact: too many addresses in too short a time; older ones are forgotten"
            );
        }
    }

    /// Writes what changed.
    pub fn keep(&self) {
        let Some(open) = self.open.load_full() else { return };
        let copy = {
            let mut kept = open.lock();
            if !std::mem::take(&mut kept.changed) {
                return;
            }
            kept.store.clone()
        };
        if let Err(error) = write(&open.file, &copy.write(&open.key)) {
            open.lock().changed = true;
            self.metrics.contact_fault(ContactFault::Write);
            tracing::warn!(%error, "{}: whom this house has met is not kept", open.file.display());
        }
    }

    /// Writes what changed for as long as it is polled.
    pub async fn keep_on(self: Arc<Self>) {
        loop {
            tokio::time::sleep(KEEP).await;
            let contacts = Arc::clone(&self);
            // Only a panic ends it early, and the next time comes.
            let _ = tokio::task::spawn_blocking(move || contacts.keep()).await;
        }
    }
}

impl Open {
    fn lock(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What is asked of a store for one message.
struct Asked {
    toward: Toward,
    meetings: Vec<Digest>,
    /// The message itself, should it come again; `None` where it says nothing that tells it from others.
    message: Option<Digest>,
    /// Whether some of its recipients were not looked at.
    cut: bool,
}

impl Asked {
    fn of(head: &[u8], envelope: &Envelope, policies: &Policies, key: &Key) -> Option<Asked> {
        let Meetings { toward, all } = policies.meetings(envelope)?;
        let looked_at = all.iter().take(RECIPIENTS);
        let meetings = looked_at.map(|meeting| {
            key.digest(Of::Meeting, &[meeting.outside.as_bytes(), meeting.inside.as_bytes()])
        });
        let said = |name| field(head, name).unwrap_or_default().trim_ascii();
        let (id, date) = (said("Message-ID"), said("Date"));
        let Author::One(author) = &envelope.author else { return None };
        let message = || key.digest(Of::Message, &[author.as_bytes(), id, date]);
        let message = (!id.is_empty() || !date.is_empty()).then(message);
        Some(Asked { toward, meetings: meetings.collect(), message, cut: all.len() > RECIPIENTS })
    }

    /// What the store says of the author; `None` where nobody asks.
    fn met(&self, store: &Store, now: u64) -> Option<Met> {
        let met = || store.met(&self.meetings, self.message.as_ref(), now);
        match self.toward {
            Toward::Others => None,
            Toward::Us if self.cut => Some(Met::Before),
            Toward::Us => Some(met()),
        }
    }
}

/// What the store of a daemon says of a message, for `explain`; `None` where nothing is asked.
pub fn look(file: &Path, policy: &Policy, asked: (&[u8], &Envelope, &Policies)) -> Option<String> {
    let (head, envelope, policies) = asked;
    let now = seconds();
    let (store, key) = match read(file, &keys(policy), now) {
        Ok(read) => read,
        Err(error) if error.is_absent() => return Some("nothing is remembered yet".to_owned()),
        Err(error) => return Some(format!("not known: {}: {error}", file.display())),
    };
    let since = date(store.since());
    Some(match Asked::of(head, envelope, policies, &key)?.met(&store, now)? {
        Met::Before => "known".to_owned(),
        Met::Never => format!("first, as far as is remembered since {since}"),
        Met::TooYoung => {
            format!(
                "nothing is said before {}: remembered since {since}",
                date(store.since() + LEARNING)
            )
        }
    })
}

const fn answer(met: Met) -> ContactAnswer {
    match met {
        Met::Before => ContactAnswer::Known,
        Met::Never => ContactAnswer::First,
        Met::TooYoung => ContactAnswer::Young,
    }
}

/// What kept a store from being read.
#[derive(Debug, thiserror::Error)]
enum ReadError {
    #[error(transparent)]
    File(#[from] io::Error),
    #[error(transparent)]
    Content(#[from] NotRead),
}

impl ReadError {
    fn is_absent(&self) -> bool {
        matches!(self, ReadError::File(error) if error.kind() == io::ErrorKind::NotFound)
    }
}

fn read(path: &Path, keys: &[Key], now: u64) -> Result<(Store, Key), ReadError> {
    Ok(Store::read(&file::read(path, store::MAX_BYTES)?, keys, now)?)
}

fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let mut temp_file = AtomicFile::private(path.parent().unwrap_or(Path::new(".")), name)?;
    temp_file.file.write_all(bytes)?;
    temp_file.commit()
}

/// The keys of the house for this, the present one first.
fn keys(policy: &Policy) -> Vec<Key> {
    policy.known_keys().into_iter().map(Key::new).collect()
}

/// Seconds since 1970.
fn seconds() -> u64 {
    SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map_or(0, |since| since.as_secs())
}

fn date(seconds: u64) -> Timestamp {
    Timestamp::of(SystemTime::UNIX_EPOCH + Duration::from_secs(seconds))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::{Exemptions, LocalMail, Profile};

    fn policies() -> Policies {
        let domains = vec!["example.org".parse().unwrap()];
        Policies::new(Policy::default(), Profile::Enforce, Vec::new(), Exemptions::default())
            .with_local_mail(LocalMail { domains, networks: Vec::new() })
    }

    fn to(recipients: usize) -> Envelope {
        let recipients = (0..recipients).map(|number| format!("r{number}@example.org"));
        let author = Author::One("ann@example.com".to_owned());
        Envelope { author, recipients: recipients.collect(), ..Envelope::default() }
    }

    fn asked(head: &[u8], recipients: usize) -> Asked {
        Asked::of(head, &to(recipients), &policies(), &Key::new(b"x")).unwrap()
    }

    #[test]
    fn many_recipients_are_not_told_of_anybody_new() {
        let now = 2 * LEARNING;
        let store = Store::new(0);
        assert_eq!(asked(b"", RECIPIENTS).met(&store, now), Some(Met::Never));
        let many = asked(b"", RECIPIENTS + 1);
        assert_eq!((many.met(&store, now), many.meetings.len()), (Some(Met::Before), RECIPIENTS));
    }

    #[test]
    fn one_message_is_told_from_another_by_its_identifier_and_its_date() {
        let message = |head: &[u8]| asked(head, 1).message;
        let one = message(b"Message-ID: <1@x>\r\nDate: today\r\n");
        assert!(one.is_some());
        assert_eq!(one, message(b"Subject: x\r\nDate:  today\r\nMessage-Id: <1@x>\r\n"));
        assert_ne!(one, message(b"Message-ID: <1@x>\r\nDate: tomorrow\r\n"));
        assert_ne!(one, message(b"Message-ID: <2@x>\r\nDate: today\r\n"));
        assert_eq!(message(b"Subject: x\r\n"), None);
    }
}
