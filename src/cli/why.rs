//! `linkmilter why`.

use std::io::Write;
use std::path::PathBuf;

use super::Answer;
use crate::config::{self, Sources};
use crate::daemon::journal;
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
    let mut out = std::io::stdout().lock();
    for event in &events {
        let text = if args.json { event.to_line() + "\n" } else { story(event) };
        out.write_all(text.as_bytes())?;
    }
    if !events.is_empty() {
        return Ok(Answer::Done);
    }
    let reaches = [reading.oldest_finding, reading.oldest_clean].into_iter().flatten().min();
    match reaches {
        Some(oldest) => eprintln!(
            "linkmilter: no message {:?} in the journal {}, which reaches back to {oldest}",
            args.queue_id,
            journal.display()
        ),
        None => eprintln!("linkmilter: the journal {} is empty", journal.display()),
    }
    Ok(Answer::No)
}
