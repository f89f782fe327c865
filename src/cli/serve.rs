//! `linkmilter serve`.

use std::path::PathBuf;

use super::Answer;
use crate::daemon;

/// Run the milter
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Configuration file; without one, built-in defaults
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,

    /// Where to listen: inet:PORT@HOST or unix:PATH; may be given more than once
    #[arg(long, value_name = "ADDRESS")]
    listen: Vec<String>,
}

pub fn run(args: Args) -> anyhow::Result<Answer> {
    daemon::run(&daemon::Options { config: args.config, listen: args.listen })?;
    Ok(Answer::Done)
}
