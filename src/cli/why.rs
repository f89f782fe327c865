//! `linkmilter why`.

use std::path::PathBuf;

use super::Answer;
use crate::config::{self, Sources};
use crate::daemon::journal;
use crate::record::event::Event;
use crate::record::journal::{Query, read};
use crate::record::story::story;

/// Say what was done to a past message
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The MTA's name for the message, as in its log
    #[arg(value_name = "QUEUEID")]
    queue_id: String,

    /// Print the events as JSON, one a line
    #[arg(long)]
    json: bool,

    /// Read the event journal in this directory instead of the configured one
    #[arg(long, value_name = "DIR")]
    journal: Option<PathBuf>,

    /// Configuration file [default: /etc/linkmilter/linkmilter.toml if it is there]
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
}

pub fn run(args: Args) -> anyhow::Result<Answer> {
    let config = config::load(&Sources::new(args.config))?;
    let journal = args.journal.unwrap_or_else(|| journal::directory(&config));
    let mut events = Vec::new();
    let query = Query { queue_id: Some(&args.queue_id), ..Query::default() };
    let reading = read(&journal, query, |event| events.push(event))?;
    if !events.is_empty() {
        let said = |event| if args.json { Event::to_line(event) + "\n" } else { story(event) };
        return super::print(&events.iter().map(said).collect::<String>());
    }
    let reaches = [reading.oldest_finding, reading.oldest_clean].into_iter().flatten().min();
    match reaches {
        Some(oldest) => super::complain(&format_args!(
            "no message {:?} in the journal {}, which reaches back to {oldest}",
            args.queue_id,
            journal.display()
        )),
        None => super::complain(&format_args!("the journal {} is empty", journal.display())),
    }
    Ok(Answer::No)
}
