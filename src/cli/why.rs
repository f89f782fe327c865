//! `linkmilter why`.

use super::Answer;
use super::shared::{Events, unread};
use crate::record::event::{self, Event};
use crate::record::journal::{Query, read};
use crate::record::narrative::story;

/// Say what was done to a past message
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
    let query = match id.contains('@') || id.starts_with('<') {
        true => Query { message_id: Some(&kept), ..Query::default() },
        false => Query { queue_id: Some(id), ..Query::default() },
    };
    let reading = read(&journal, query, |event| events.push(event)).map_err(unread)?;
    if !events.is_empty() {
        let said = |event| if args.json { Event::to_line(event) + "\n" } else { story(event) };
        return super::print(&events.iter().map(said).collect::<String>());
    }
    super::complain(&reading.nothing(&format!("no message {id:?}"), &journal));
    Ok(Answer::No)
}
