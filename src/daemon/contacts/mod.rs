//! Which outside addresses have exchanged mail with local ones. `banner.first_contact` is decided by this.
//!
//! The store is queried before a message is judged, and learns its addresses when it is delivered. It holds keyed
//! digests in two sets that forget ([`store`]). It holds no addresses, and whoever has the file without the key
//! cannot test addresses against it. The file is written every ten minutes and at the end; a crash loses what was
//! learned since. If anything is wrong with the store no author is called new.

pub mod store;

use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};

use arc_swap::ArcSwapOption;

use super::envelope::dmarc;
use super::header_fields::field;
use super::metrics::{ContactAnswer, ContactFault, Metrics};
use super::settings::Loaded;
use crate::atomic_file::{self, PRIVATE};
use crate::engine::outcome::Disposition;
use crate::engine::{Contact, Dmarc, Policy};
use crate::file;
use crate::milter::Mail;
use crate::policy::{AddressPairs, Author, Envelope, Flow, Policies};
use crate::record::time::Timestamp;
use store::{
    ContactKey, ContactSets, ContactSetsError, Digest, DigestKind, LEARNING_SECONDS, RotationCause,
};

/// How often changes are written. A crash loses no more than this.
const SAVE_INTERVAL: Duration = Duration::from_secs(600);

/// Recipients of one message that are looked up. Each costs a digest.
const MAX_RECIPIENTS: usize = 100;

/// The contact store, if the settings ask for one.
#[derive(Debug)]
pub struct Contacts {
    open: ArcSwapOption<ContactStore>,
    metrics: Arc<Metrics>,
}

/// A store in use.
#[derive(Debug)]
pub struct ContactStore {
    key: ContactKey,
    file: PathBuf,
    state: Mutex<StoreState>,
}

#[derive(Debug)]
struct StoreState {
    store: ContactSets,
    /// Whether it differs from the file.
    changed: bool,
}

impl Contacts {
    pub fn new(metrics: Arc<Metrics>) -> Contacts {
        Contacts { open: ArcSwapOption::empty(), metrics }
    }

    /// Opens the store if these settings ask for it, and closes it if they do not. An open store stays open unless
    /// its key is no longer known.
    pub fn apply(&self, loaded: &Loaded) {
        let policy = loaded.settings.policies.default_policy();
        let (file, keys) = (loaded.config.contacts_file(), keys(&policy));
        if policy.banner.first_contact.is_none() || keys.is_empty() {
            self.save();
            self.open.store(None);
            return;
        }
        let open = self.open.load_full();
        if open.is_some_and(|open| open.file == file && keys.contains(&open.key)) {
            return;
        }
        self.save();
        self.open.store(self.open(file, &keys).map(Arc::new));
    }

    fn open(&self, file: PathBuf, keys: &[ContactKey]) -> Option<ContactStore> {
        let now = seconds();
        let (store, key) = match read(&file, keys, now) {
            Ok(read) => read,
            Err(error) => {
                if !error.is_absent() {
                    self.metrics.contacts.fault(ContactFault::Read);
                    tracing::warn!(%error, "{}: all known contacts are forgotten", file.display());
                }
                (ContactSets::new(now), keys.first()?.clone())
            }
        };
        if now.saturating_sub(store.since()) < LEARNING_SECONDS {
            tracing::info!(
                "first contact: no message is marked before {}",
                date(store.since() + LEARNING_SECONDS)
            );
        }
        Some(ContactStore { key, file, state: Mutex::new(StoreState { store, changed: true }) })
    }

    /// The store in use.
    pub fn store(&self) -> Option<Arc<ContactStore>> {
        self.open.load_full()
    }

    /// Remembers the addresses of a message that is delivered. Nobody reads one that is deferred, quarantined or
    /// rejected, and if DMARC fails the author may be forged: those are not learned.
    pub fn learn(
        &self,
        mail: &Mail,
        envelope: &Envelope,
        loaded: &Loaded,
        disposition: Disposition,
    ) {
        let open = self.open.load();
        let Some(open) = open.as_deref() else { return };
        let policies = &loaded.settings.policies;
        let Some(query) = ContactQuery::of(&mail.head, envelope, policies, &open.key) else {
            return;
        };
        let now = seconds();
        let mut state = open.lock();
        let answer = query.answer(&state.store, now);
        if let Some(answer) = answer {
            self.metrics.contacts.answer(answer);
        }
        if disposition != Disposition::Accept || dmarc(mail, envelope, loaded) == Dmarc::Fail {
            return;
        }
        let marked = query.message.as_ref().filter(|_| answer == Some(ContactAnswer::First));
        let learned = state.store.learn(&query.pairs, marked, now);
        state.changed |= learned.changed;
        drop(state);
        if learned.rotation == Some(RotationCause::Full) {
            self.metrics.contacts.fault(ContactFault::Full);
            tracing::warn!(
                "first contact: too many addresses in too short a time; older ones are forgotten"
            );
        }
    }

    /// Writes the file if the store has changed.
    pub fn save(&self) {
        let Some(open) = self.open.load_full() else { return };
        let copy = {
            let mut state = open.lock();
            if !std::mem::take(&mut state.changed) {
                return;
            }
            state.store.clone()
        };
        if let Err(error) = atomic_file::replace(&open.file, &copy.write(&open.key), PRIVATE) {
            open.lock().changed = true;
            self.metrics.contacts.fault(ContactFault::Write);
            tracing::warn!(%error, "{}: known contacts are not saved", open.file.display());
        }
    }

    /// Writes the file though the store has not changed: it may be gone.
    pub fn save_anew(&self) {
        if let Some(open) = self.open.load_full() {
            open.lock().changed = true;
        }
        self.save();
    }

    /// Saves the store at intervals, for as long as it is polled.
    pub async fn save_periodically(self: Arc<Self>) {
        loop {
            tokio::time::sleep(SAVE_INTERVAL).await;
            let contacts = Arc::clone(&self);
            // Fails only after a panic, and then it is tried again at the next interval.
            let _ = tokio::task::spawn_blocking(move || contacts.save()).await;
        }
    }
}

impl ContactStore {
    /// What the engine must know about the author of a message.
    pub fn query(&self, mail: &Mail, envelope: &Envelope, policies: &Policies) -> Contact {
        let Some(query) = ContactQuery::of(&mail.head, envelope, policies, &self.key) else {
            return Contact::Unknown;
        };
        match query.answer(&self.lock().store, seconds()) {
            Some(ContactAnswer::First) => Contact::First,
            _ => Contact::Unknown,
        }
    }

    fn lock(&self) -> MutexGuard<'_, StoreState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The query to a store for one message.
struct ContactQuery {
    flow: Flow,
    pairs: Vec<Digest>,
    /// Identifies the message if it comes again; `None` if it has neither Message-ID nor Date.
    message: Option<Digest>,
    /// Whether it has too many recipients, so that some are not looked up.
    truncated: bool,
}

impl ContactQuery {
    fn of(head: &[u8], envelope: &Envelope, policies: &Policies, key: &ContactKey) -> Option<Self> {
        let AddressPairs { flow, pairs: all } = policies.address_pairs(envelope)?;
        let pairs = all.iter().take(MAX_RECIPIENTS).map(|pair| {
            key.digest(DigestKind::Pair, &[pair.outside.as_bytes(), pair.local.as_bytes()])
        });
        let value = |name| field(head, name).unwrap_or_default().trim_ascii();
        let (id, date) = (value("Message-ID"), value("Date"));
        let Author::One(author) = &envelope.author else { return None };
        let message = || key.digest(DigestKind::Message, &[author.as_bytes(), id, date]);
        let message = (!id.is_empty() || !date.is_empty()).then(message);
        let truncated = all.len() > MAX_RECIPIENTS;
        Some(ContactQuery { flow, pairs: pairs.collect(), message, truncated })
    }

    /// Whether the author is known; `None` for mail that local authors send.
    fn answer(&self, store: &ContactSets, now: u64) -> Option<ContactAnswer> {
        match self.flow {
            Flow::Sent => None,
            Flow::Received if self.truncated => Some(ContactAnswer::Known),
            Flow::Received => Some(store.query(&self.pairs, self.message.as_ref(), now)),
        }
    }
}

/// The answer of a daemon's store for a message, in words for `explain`; `None` if the message needs no query.
pub fn explain(
    file: &Path,
    policy: &Policy,
    message: (&[u8], &Envelope, &Policies),
) -> Option<String> {
    let (head, envelope, policies) = message;
    let now = seconds();
    let (store, key) = match read(file, &keys(policy), now) {
        Ok(read) => read,
        Err(error) if error.is_absent() => return Some("nothing is remembered yet".to_owned()),
        Err(error) => return Some(format!("not known: {}: {error}", file.display())),
    };
    let since = date(store.since());
    Some(match ContactQuery::of(head, envelope, policies, &key)?.answer(&store, now)? {
        ContactAnswer::Known => "known".to_owned(),
        ContactAnswer::First => format!("first, as far as is remembered since {since}"),
        ContactAnswer::TooEarly => {
            format!(
                "no message is marked before {}: remembered since {since}",
                date(store.since() + LEARNING_SECONDS)
            )
        }
    })
}

/// Why a store cannot be read.
#[derive(Debug, thiserror::Error)]
enum ReadError {
    #[error(transparent)]
    File(#[from] io::Error),
    #[error(transparent)]
    Content(#[from] ContactSetsError),
}

impl ReadError {
    fn is_absent(&self) -> bool {
        matches!(self, ReadError::File(error) if error.kind() == io::ErrorKind::NotFound)
    }
}

fn read(
    path: &Path,
    keys: &[ContactKey],
    now: u64,
) -> Result<(ContactSets, ContactKey), ReadError> {
    Ok(ContactSets::read(&file::read(path, store::MAX_BYTES)?, keys, now)?)
}

/// The keys for the store, the present one first.
fn keys(policy: &Policy) -> Vec<ContactKey> {
    policy.known_keys().into_iter().map(ContactKey::new).collect()
}

/// Seconds since 1970.
fn seconds() -> u64 {
    Timestamp::of(SystemTime::now()).seconds()
}

fn date(seconds: u64) -> Timestamp {
    Timestamp(seconds.saturating_mul(1_000))
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

    fn query(head: &[u8], recipients: usize) -> ContactQuery {
        ContactQuery::of(head, &to(recipients), &policies(), &ContactKey::new(b"x")).unwrap()
    }

    #[test]
    fn authors_of_mail_to_many_recipients_are_never_new() {
        let now = 2 * LEARNING_SECONDS;
        let store = ContactSets::new(0);
        assert_eq!(query(b"", MAX_RECIPIENTS).answer(&store, now), Some(ContactAnswer::First));
        let many = query(b"", MAX_RECIPIENTS + 1);
        let expected = (Some(ContactAnswer::Known), MAX_RECIPIENTS);
        assert_eq!((many.answer(&store, now), many.pairs.len()), expected);
    }

    #[test]
    fn a_message_is_identified_by_its_message_id_and_its_date() {
        let message = |head: &[u8]| query(head, 1).message;
        let one = message(b"Message-ID: <1@x>\r\nDate: today\r\n");
        assert!(one.is_some());
        assert_eq!(one, message(b"Subject: x\r\nDate:  today\r\nMessage-Id: <1@x>\r\n"));
        assert_ne!(one, message(b"Message-ID: <1@x>\r\nDate: tomorrow\r\n"));
        assert_ne!(one, message(b"Message-ID: <2@x>\r\nDate: today\r\n"));
        assert_eq!(message(b"Subject: x\r\n"), None);
    }
}
