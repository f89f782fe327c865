//! `linkmilter why`.

use std::collections::BTreeSet;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use super::Answer;
use super::shared::{Events, own_recalls, unread};
use crate::record::event::{self, Action, Event};
use crate::record::journal::recalls::{RecallEvent, recalls_of};
use crate::record::journal::{JournalError, Query, read};
use crate::record::narrative::{narrative, recall_line};

/// Say what was done to a past message
///
/// By the filter, on the way in and on the way out, and by recalls since. What happened to it under
/// another name in the queue is found by its Message-ID, which its sender chose.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The MTA's name for the message, as in its log, or its Message-ID
    #[arg(value_name = "QUEUEID|MESSAGE-ID")]
    id: String,

    /// Print the events as JSON, one a line
    #[arg(long)]
    json: bool,

    /// Read what users recalled in this directory as well, several if wanted: that of `recall --recalls`, or
    /// ~/.local/state/linkmilter of whoever may not write to the journal. Your own is always read
    #[arg(long, value_name = "DIR")]
    recalls: Vec<PathBuf>,

    #[command(flatten)]
    events: Events,
}

pub fn run(args: Args) -> anyhow::Result<Answer> {
    let (_, journal) = args.events.open()?;
    let mut events = Vec::new();
    let id = args.id.trim();
    // A queue id has no @, and a Message-ID must (RFC 5322 section 3.6.4).
    let kept = event::message_id(id.as_bytes());
    let by_message_id = id.contains('@') || id.starts_with('<');
    let query = match by_message_id {
        true => Query { message_id: Some(&kept), ..Query::default() },
        false => Query { queue_id: Some(id), ..Query::default() },
    };
    let (reading, private) = match read(&journal, query, |event| events.push(event)) {
        // Who may not read it can be told what he did himself.
        Err(error) if may_know(&error, &args.recalls) => (None, Some(unread(error))),
        read => (Some(read.map_err(unread)?), None),
    };
    let mut ids: BTreeSet<String> = events.iter().map(|event| event.message_id.clone()).collect();
    if by_message_id {
        ids.insert(kept.clone());
    } else if private.is_none() {
        events.extend(left_since(&journal, &ids, &events).map_err(unread)?);
    }
    // A message without one is not found again.
    ids.remove("");
    let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
    let mut recalls: Vec<(RecallEvent, Option<&Path>)> = Vec::new();
    let mut damaged = 0;
    if private.is_none() {
        damaged +=
            recalls_of(&journal, &ids, |event| recalls.push((event, None))).map_err(unread)?;
    }
    let own = own_recalls();
    let own = own.iter().filter(|own| !args.recalls.contains(own) && **own != journal);
    for directory in args.recalls.iter().chain(own) {
        let take = |event| recalls.push((event, Some(directory.as_path())));
        damaged += recalls_of(directory, &ids, take).map_err(unread)?;
    }
    recalls.sort_by_key(|(event, _)| event.time);
    if damaged > 0 {
        super::complain(&format_args!("{damaged} lines of recalls cannot be read"));
    }
    if events.is_empty() && recalls.is_empty() {
        match (private, reading) {
            (Some(private), _) => return Err(private),
            (None, Some(reading)) => {
                super::complain(&reading.not_found_note(&format!("no message {id:?}"), &journal));
            }
            (None, None) => {}
        }
        return Ok(Answer::No);
    }
    if let Some(private) = private {
        super::complain(&private);
    }
    let told = events.iter().map(|event| match args.json {
        true => event.to_line() + "\n",
        false => narrative(event),
    });
    let later = recalls.iter().map(|(event, of)| match (args.json, of) {
        (true, _) => event.to_line() + "\n",
        (false, None) => recall_line(event),
        (false, Some(of)) => {
            format!("{} (noted in {})\n", recall_line(event).trim_end(), of.display())
        }
    });
    let told: String = told.chain(later).collect();
    super::print(&told)
}

/// Whether what users noted themselves may say something, of a message of which the journal says nothing to this
/// one.
fn may_know(error: &JournalError, named: &[PathBuf]) -> bool {
    let is_private = error.source.kind() == ErrorKind::PermissionDenied;
    is_private && (!named.is_empty() || own_recalls().is_some_and(|own| own.is_dir()))
}

/// What left the house as it was before the filter, of the messages that were found: another delivery, under
/// another queue id.
fn left_since(
    journal: &Path,
    ids: &BTreeSet<String>,
    found: &[Event],
) -> Result<Vec<Event>, JournalError> {
    let mut left = Vec::new();
    for id in ids.iter().filter(|id| !id.is_empty()) {
        let query = Query { message_id: Some(id), ..Query::default() };
        read(journal, query, |event| {
            let other = found.iter().all(|known| known.queue_id != event.queue_id);
            if event.action == Action::Restored && other {
                left.push(event);
            }
        })?;
    }
    Ok(left)
}
