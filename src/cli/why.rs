//! `linkmilter why`.

use std::collections::BTreeSet;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use super::ExitStatus;
use super::shared::{Events, journal_error, require_directory, user_recall_directory};
use crate::plural::counted;
use crate::record::event::{self, Action, Event};
use crate::record::journal::recalls::{RecallEvent, recalls_of};
use crate::record::journal::{JournalError, Query, read};
use crate::record::narrative::{narrative, recall_line};
use crate::record::printable;

/// Tell what was done to a past message
///
/// By the filter, on the way in and on the way out, and by recalls since. The same message under
/// another queue id is found by its Message-ID, which its sender chose.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The MTA's queue id of the message, as in its log, or its Message-ID
    #[arg(value_name = "QUEUEID|MESSAGE-ID")]
    id: String,

    /// Print the events as JSON, one per line
    #[arg(long)]
    json: bool,

    /// Also read the recalls recorded in this directory; may be repeated: that of `recall
    /// --recalls`, or ~/.local/state/linkmilter of a user who may not write to the journal. Your
    /// own is always read
    #[arg(long, value_name = "DIR")]
    recalls: Vec<PathBuf>,

    #[command(flatten)]
    events: Events,
}

pub fn run(args: Args) -> anyhow::Result<ExitStatus> {
    let Args { id, json, recalls, events } = args;
    let (_, journal) = events.open()?;
    recalls.iter().try_for_each(|directory| require_directory(directory))?;
    let FoundEvents { events, recalls, damaged, unread, not_found, permission_error } =
        find(id.trim(), &recalls, &journal)?;
    if let Some(unread) = unread {
        super::warn(&unread);
    }
    if damaged > 0 {
        super::warn(&format_args!("{} of recalls cannot be read", counted(damaged, "line")));
    }
    if events.is_empty() && recalls.is_empty() {
        return match permission_error {
            Some(permission_error) => Err(permission_error),
            None => {
                super::warn(&not_found);
                Ok(ExitStatus::Negative)
            }
        };
    }
    if let Some(permission_error) = permission_error {
        super::warn(&permission_error);
    }
    let events_text = events.iter().map(|event| match json {
        true => event.to_line() + "\n",
        false => narrative(event),
    });
    let recalls_text = recalls.iter().map(|(event, of)| match (json, of) {
        (true, _) => event.to_line() + "\n",
        (false, None) => recall_line(event),
        (false, Some(of)) => {
            format!("{} (noted in {})\n", recall_line(event).trim_end(), of.display())
        }
    });
    let text: String = events_text.chain(recalls_text).collect();
    super::print(&text)
}

/// What the journals have about a message.
struct FoundEvents {
    events: Vec<Event>,
    /// With the directory of those that a user recorded.
    recalls: Vec<(RecallEvent, Option<PathBuf>)>,
    /// Lines of recalls that cannot be read.
    damaged: u64,
    /// What to tell of events that may be about it and cannot be read.
    unread: Option<String>,
    /// The warning if nothing was found.
    not_found: String,
    /// Why the journal could not be read, where recalls of users may still help.
    permission_error: Option<anyhow::Error>,
}

/// What is known of the message `id`, in the journal and in `directories` of recalls.
fn find(id: &str, directories: &[PathBuf], journal: &Path) -> anyhow::Result<FoundEvents> {
    let mut events = Vec::new();
    // A queue id has no @, and a Message-ID must (RFC 5322 section 3.6.4).
    let message_id = event::message_id(id.as_bytes());
    // As it is recorded: a longer one is cut.
    let queue_id = printable::queue_id(id);
    let by_message_id = id.contains('@') || id.starts_with('<');
    let query = match by_message_id {
        true => Query { message_id: Some(&message_id), ..Query::default() },
        false => Query { queue_id: Some(&queue_id), ..Query::default() },
    };
    let (unread, not_found, permission_error) =
        match read(journal, query, |event| events.push(event)) {
            // A user who may not read the journal can still see his own recalls.
            Err(error) if may_have_recalls(&error, directories) => {
                (None, String::new(), Some(journal_error(error)))
            }
            reading => {
                let reading = reading.map_err(journal_error)?;
                let not_found = reading.not_found_note(&format!("no message {id:?}"), journal);
                (reading.unread_note(), not_found, None)
            }
        };
    let mut ids: BTreeSet<String> = events.iter().map(|event| event.message_id.clone()).collect();
    if by_message_id {
        ids.insert(message_id.clone());
    } else if permission_error.is_none() {
        events.extend(restored_since(journal, &ids, &events).map_err(journal_error)?);
    }
    // A message without a Message-ID cannot be found again.
    ids.remove("");
    let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
    let mut recalls: Vec<(RecallEvent, Option<PathBuf>)> = Vec::new();
    let mut damaged = 0;
    if permission_error.is_none() {
        damaged += recalls_of(journal, &ids, |event| recalls.push((event, None)))
            .map_err(journal_error)?;
    }
    let own = user_recall_directory();
    let own = own.iter().filter(|own| !directories.contains(own) && **own != journal);
    for directory in directories.iter().chain(own) {
        let add_recall = |event| recalls.push((event, Some(directory.clone())));
        damaged += recalls_of(directory, &ids, add_recall).map_err(journal_error)?;
    }
    recalls.sort_by_key(|(event, _)| event.time);
    Ok(FoundEvents { events, recalls, damaged, unread, not_found, permission_error })
}

/// Whether recalls recorded by users may help when this user may not read the journal.
fn may_have_recalls(error: &JournalError, named: &[PathBuf]) -> bool {
    let is_private = error.source.kind() == ErrorKind::PermissionDenied;
    is_private && (!named.is_empty() || user_recall_directory().is_some_and(|own| own.is_dir()))
}

/// Deliveries of the found messages with the edits undone, on the way out, under another queue id.
fn restored_since(
    journal: &Path,
    ids: &BTreeSet<String>,
    found: &[Event],
) -> Result<Vec<Event>, JournalError> {
    let mut restored = Vec::new();
    for id in ids.iter().filter(|id| !id.is_empty()) {
        let query = Query { message_id: Some(id), ..Query::default() };
        read(journal, query, |event| {
            let other = found.iter().all(|known| known.queue_id != event.queue_id);
            if event.action == Action::Restored && other {
                restored.push(event);
            }
        })?;
    }
    Ok(restored)
}
