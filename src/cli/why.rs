//! `linkmilter why`.

use std::collections::BTreeSet;
use std::path::Path;

use super::Answer;
use super::shared::{Events, unread};
use crate::record::event::{self, Action, Event};
use crate::record::journal::recalls::recalls_of;
use crate::record::journal::{JournalError, Query, read};
use crate::record::narrative::{afterwards, story};

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
    let reading = read(&journal, query, |event| events.push(event)).map_err(unread)?;
    let mut ids: BTreeSet<String> = events.iter().map(|event| event.message_id.clone()).collect();
    if by_message_id {
        ids.insert(kept.clone());
    } else {
        events.extend(left_since(&journal, &ids, &events).map_err(unread)?);
    }
    // A message without one is not found again.
    ids.remove("");
    let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
    let mut recalls = Vec::new();
    let damaged = recalls_of(&journal, &ids, |event| recalls.push(event)).map_err(unread)?;
    if damaged > 0 {
        super::complain(&format_args!("{damaged} lines of recalls cannot be read"));
    }
    if events.is_empty() && recalls.is_empty() {
        super::complain(&reading.nothing(&format!("no message {id:?}"), &journal));
        return Ok(Answer::No);
    }
    let told = events.iter().map(|event| match args.json {
        true => event.to_line() + "\n",
        false => story(event),
    });
    let later = recalls.iter().map(|event| match args.json {
        true => event.to_line() + "\n",
        false => afterwards(event),
    });
    let told: String = told.chain(later).collect();
    super::print(&told)
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
