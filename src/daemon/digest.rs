//! The daily digest: when it is due, how it is made, and how it is sent.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use tokio::time::sleep;

use super::health::{Health, Trouble};
use super::journal;
use super::mailer::{self, Encryption, MailRoute, MailerError, Smtp, Transport};
use super::metrics::{Metrics, TaskResult};
use super::seal::Seal;
use crate::atomic_file;
use crate::config::{self, Config, Schedule, SmtpTls};
use crate::file;
use crate::record::digest::{self, Digest};
use crate::record::journal::JournalError;
use crate::record::time::Timestamp;

/// How often to check the clock. A clock that jumps is noticed that soon.
const CHECK_INTERVAL: Duration = Duration::from_secs(30);

/// Pauses before a digest that failed is tried again. After the last one it waits for the next day, and the next
/// digest covers both days.
const RETRY_DELAYS: [Duration; 3] =
    [Duration::from_secs(300), Duration::from_secs(1_800), Duration::from_secs(7_200)];

/// Longest time that one digest covers. After a longer outage the older events are in the journal only.
const MAX_SPAN: Duration = Duration::from_secs(7 * 86_400);

#[derive(Clone, Debug)]
pub struct DigestSettings {
    /// Minutes after midnight, UTC.
    pub minutes: u32,
    pub route: MailRoute,
    pub journal: PathBuf,
    /// The file with the time of the last digest.
    pub last: PathBuf,
    pub host_name: String,
    pub seal: Option<Seal>,
    /// What the operator should correct, a line each: at the top of the digest.
    pub troubles: Vec<String>,
}

impl DigestSettings {
    /// The digest that the configuration asks for; `None` if it is off. Relative paths of keys start at the
    /// directory of the configuration file, those of state at the state directory.
    ///
    /// # Errors
    /// The file with the password cannot be read.
    pub fn of(
        config: &Config,
        host_name: &str,
        seal: Option<Seal>,
    ) -> Result<Option<DigestSettings>, DigestError> {
        let Schedule::Daily(minutes) = config.digest.at else {
            return Ok(None);
        };
        Ok(Some(DigestSettings {
            minutes,
            route: mail_route(config, host_name)?,
            journal: journal::directory(config),
            last: config.in_state("digest.last"),
            host_name: host_name.to_owned(),
            seal,
            troubles: Vec::new(),
        }))
    }
}

/// How our own mail is sent by this configuration, whether digests are sent daily or not.
///
/// # Errors
/// The file with the password cannot be read.
pub fn mail_route(config: &Config, host_name: &str) -> Result<MailRoute, DigestError> {
    let digest = &config.digest;
    let transport = match digest.transport {
        config::Transport::Sendmail => Transport::Sendmail(digest.sendmail.clone()),
        config::Transport::File => Transport::File(config.in_state(&digest.directory)),
        config::Transport::Smtp => Transport::Smtp(smtp_settings(config)?),
    };
    let default = || format!("linkmilter@{host_name}");
    let from = digest.from.clone().unwrap_or_else(default);
    Ok(MailRoute { from, to: digest.to.clone(), transport })
}

fn smtp_settings(config: &Config) -> Result<Smtp, DigestError> {
    let digest = &config.digest;
    let login = match (&digest.smtp_user, &digest.smtp_password_file) {
        (Some(user), Some(file)) => {
            let path = config.resolve(file);
            let text = file::read_text(&path, file::MAX_BYTES)
                .map_err(|source| DigestError::Password { path, source })?;
            Some((user.clone(), text.lines().next().unwrap_or_default().to_owned()))
        }
        _ => None,
    };
    Ok(Smtp {
        host: digest.smtp_host.0.clone(),
        // The schema limits it to 1 to 65535.
        port: u16::try_from(digest.smtp_port).unwrap_or(25),
        encryption: match digest.smtp_tls {
            SmtpTls::Auto if digest.smtp_host.is_this_host() => Encryption::None,
            SmtpTls::None => Encryption::None,
            SmtpTls::Auto | SmtpTls::Starttls => Encryption::Starttls,
            SmtpTls::Implicit => Encryption::Implicit,
        },
        login,
        authority: digest.smtp_ca_file.as_ref().map(|file| config.resolve(file)),
        timeout: digest.smtp_timeout,
    })
}

/// Warns of a transport that this process cannot use, before the first digest fails: the sendmail commands of
/// Postfix and Sendmail run with the rights of another group, which `NoNewPrivileges=` denies.
pub fn warn_of_transport(config: &Config) {
    let digest = &config.digest;
    let wanted = digest.at != Schedule::Off && digest.transport == config::Transport::Sendmail;
    if wanted && has_no_new_privileges() {
        tracing::warn!(
            command = %digest.sendmail.display(),
            "digest.transport: expected smtp or file under NoNewPrivileges=, found sendmail; \
             the command will be refused the rights that it needs"
        );
    }
}

/// Whether no program that this process starts can gain rights (prctl(2), `PR_SET_NO_NEW_PRIVS`).
fn has_no_new_privileges() -> bool {
    fs::read_to_string("/proc/self/status").is_ok_and(|status| {
        status
            .lines()
            .any(|line| line.strip_prefix("NoNewPrivs:").is_some_and(|value| value.trim() == "1"))
    })
}

/// Why there was no digest.
#[derive(Debug, thiserror::Error)]
pub enum DigestError {
    #[error(transparent)]
    Journal(#[from] JournalError),
    #[error(transparent)]
    MailRoute(#[from] MailerError),
    #[error("digest.smtp_password_file {}: {source}", path.display())]
    Password {
        path: PathBuf,
        #[source]
        source: io::Error,
    },
    #[error("reading the journal was aborted")]
    Aborted,
}

/// Sends digests when they are due, for ever. `settings` returns the settings in force, or `None` while digests are
/// off.
pub async fn daily(
    settings: impl Fn() -> Option<DigestSettings>,
    metrics: Arc<Metrics>,
    health: Arc<Health>,
) {
    let mut failures = 0;
    loop {
        sleep(CHECK_INTERVAL).await;
        let Some(settings) = settings() else {
            tell(&health, None);
            continue;
        };
        let now = Timestamp::of(SystemTime::now());
        let Some(from) = start_if_due(&settings, now) else {
            continue;
        };
        match send(&settings, from, now).await {
            Ok(()) => {
                metrics.digest(TaskResult::Succeeded);
                tell(&health, None);
                tracing::info!(recipients = settings.route.to.len(), "digest sent");
                failures = 0;
                save_sent(&settings.last, now);
            }
            Err(error) => {
                metrics.digest(TaskResult::Failed);
                tracing::error!(%error, "no digest");
                tell(&health, Some(&error));
                match RETRY_DELAYS.get(failures) {
                    Some(pause) => {
                        failures += 1;
                        sleep(*pause).await;
                    }
                    None => {
                        failures = 0;
                        skip_today(&settings.last, now);
                    }
                }
            }
        }
    }
}

/// Says why the last digest was not sent, until one is.
fn tell(health: &Health, error: Option<&DigestError>) {
    health.set_trouble(Trouble::Digest, error.map(|error| format!("no digest: {error}")));
}

/// Makes the digest of the events between two times and sends it.
///
/// # Errors
/// The journal cannot be read, or the mail cannot be sent.
pub async fn send(
    settings: &DigestSettings,
    from: Timestamp,
    to: Timestamp,
) -> Result<(), DigestError> {
    let journal = settings.journal.clone();
    let made = tokio::task::spawn_blocking(move || digest::gather(&journal, from, to));
    let Digest { sums, text } = made.await.map_err(|_| DigestError::Aborted)??;
    let text = digest::with_troubles(&settings.troubles, &text);
    let subject = digest::subject(&sums, &settings.host_name);
    let mail = mailer::compose(
        &settings.route,
        &settings.host_name,
        &subject,
        &text,
        settings.seal.as_ref(),
    )?;
    Ok(mailer::send(&settings.route, mail).await?)
}

/// The content of the file about the last digest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct LastDigest {
    /// When a digest was last sent or given up.
    handled: Timestamp,
    /// Up to when events were reported: the end of the last digest that was sent.
    covered: Timestamp,
}

/// The start of the digest that is due now, if one is. At the first start of the daemon none is.
fn start_if_due(settings: &DigestSettings, now: Timestamp) -> Option<Timestamp> {
    let last = match read_last(&settings.last) {
        // If the clock had run ahead, no digest would be due until that time is reached again.
        Some(last) if last.handled.minus(Duration::from_secs(86_400)) <= now => last,
        _ => {
            save_sent(&settings.last, now);
            return None;
        }
    };
    due(settings.minutes, last.handled, now).then(|| last.covered.max(now.minus(MAX_SPAN)))
}

/// Whether the time of day was reached since the last digest.
fn due(minutes: u32, last: Timestamp, now: Timestamp) -> bool {
    const DAY: u64 = 86_400;
    let at = u64::from(minutes) * 60;
    let today = now.seconds() / DAY * DAY + at;
    let latest = if today <= now.seconds() { today } else { today.saturating_sub(DAY) };
    last.seconds() < latest
}

fn read_last(path: &Path) -> Option<LastDigest> {
    let text = fs::read_to_string(path).ok()?;
    let (handled, covered) = text.trim().split_once(' ')?;
    Some(LastDigest { handled: Timestamp::parse(handled)?, covered: Timestamp::parse(covered)? })
}

fn save_sent(path: &Path, now: Timestamp) {
    write_last(path, LastDigest { handled: now, covered: now });
}

/// Gives up for today. The next digest starts where the last one that was sent ended.
fn skip_today(path: &Path, now: Timestamp) {
    let covered = read_last(path).map_or(now, |last| last.covered);
    write_last(path, LastDigest { handled: now, covered });
}

fn write_last(path: &Path, last: LastDigest) {
    let text = format!("{} {}\n", last.handled, last.covered);
    if let Err(error) = atomic_file::replace(path, text.as_bytes(), atomic_file::PUBLIC) {
        tracing::warn!(%error, path = %path.display(), "the time of the digest is not saved");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> Timestamp {
        Timestamp::parse(text).unwrap()
    }

    /// Of a digest at half past six that goes to this place below a directory.
    fn settings(root: &Path, place: &str) -> DigestSettings {
        DigestSettings {
            minutes: 390,
            route: MailRoute {
                from: "linkmilter@mx.example".into(),
                to: vec!["ops@example.org".into()],
                transport: Transport::File(root.join(place)),
            },
            journal: root.to_owned(),
            last: root.join("digest.last"),
            host_name: "mx.example".to_owned(),
            seal: None,
            troubles: Vec::new(),
        }
    }

    #[test]
    fn due_once_a_day() {
        let half_past_six = 6 * 60 + 30;
        let due = |last, now| due(half_past_six, at(last), at(now));
        assert!(!due("2025-11-20T06:30:10Z", "2025-11-21T06:29:59Z"));
        assert!(due("2025-11-20T06:30:10Z", "2025-11-21T06:30:00Z"));
        assert!(!due("2025-11-21T06:30:00Z", "2025-11-21T23:59:59Z"));
        // After a stop over the time of day.
        assert!(due("2025-11-20T06:30:10Z", "2025-11-21T12:00:00Z"));
        // The first day after a start in the evening.
        assert!(due("2025-11-20T20:00:00Z", "2025-11-21T06:30:00Z"));
    }

    #[tokio::test]
    async fn a_digest_that_is_not_sent_is_a_trouble_until_one_is() {
        let root = tempfile::tempdir().unwrap();
        fs::write(root.path().join("file"), "").unwrap();
        let health = Health::default();
        health.set_canary(Ok(()));
        for (place, said) in [("file/digests", "no digest: directory "), ("new/digests", "ok")] {
            let (from, to) = (at("2025-11-20T05:00:00Z"), at("2025-11-21T05:00:00Z"));
            let sent = send(&settings(root.path(), place), from, to).await;
            tell(&health, sent.err().as_ref());
            let report = health.report().unwrap();
            assert!(report.contains(said), "{report}");
        }
        assert_eq!(fs::read_dir(root.path().join("new/digests")).unwrap().count(), 1);
    }

    #[test]
    fn a_failed_day_is_covered_the_next_and_the_first_start_is_silent() {
        let root = tempfile::tempdir().unwrap();
        let settings = settings(root.path(), "digests");
        assert_eq!(start_if_due(&settings, at("2025-11-20T05:00:00Z")), None);
        let begun = Some(at("2025-11-20T05:00:00Z"));
        assert_eq!(start_if_due(&settings, at("2025-11-20T06:30:00Z")), begun);
        skip_today(&settings.last, at("2025-11-20T06:30:00Z"));
        assert_eq!(start_if_due(&settings, at("2025-11-20T09:00:00Z")), None);
        assert_eq!(start_if_due(&settings, at("2025-11-21T06:31:00Z")), begun);
        save_sent(&settings.last, at("2025-11-21T06:31:00Z"));
        assert_eq!(
            start_if_due(&settings, at("2025-11-22T06:31:00Z")),
            Some(at("2025-11-21T06:31:00Z"))
        );
        // Three weeks down: a week is reported.
        assert_eq!(
            start_if_due(&settings, at("2025-12-12T06:31:00Z")),
            Some(at("2025-12-05T06:31:00Z"))
        );
        // A damaged file, and one from a clock that ran ahead, start a new record.
        fs::write(&settings.last, "garbage").unwrap();
        assert_eq!(start_if_due(&settings, at("2025-12-12T06:31:00Z")), None);
        save_sent(&settings.last, at("2035-01-01T00:00:00Z"));
        assert_eq!(start_if_due(&settings, at("2025-12-13T06:31:00Z")), None);
        assert_eq!(
            start_if_due(&settings, at("2025-12-14T06:31:00Z")),
            Some(at("2025-12-13T06:31:00Z"))
        );
    }
}
