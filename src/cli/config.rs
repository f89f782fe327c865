//! `linkmilter config`.

use std::path::PathBuf;

use crate::config::{self, Sources};

use super::Answer;

/// Check or print the configuration
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    /// Name everything that is wrong; exit code 1 if anything is
    Check(ConfigArgs),
    /// Print every setting that holds, with its origin
    Print(ConfigArgs),
}

#[derive(Debug, clap::Args)]
struct ConfigArgs {
    /// The configuration file [default: /etc/linkmilter/linkmilter.toml, if it is there]
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
}

pub fn run(args: Args) -> anyhow::Result<Answer> {
    match args.command {
        Command::Check(args) => Ok(check(Sources::new(args.config))),
        Command::Print(args) => {
            let config = config::load(&Sources::new(args.config))?;
            super::print(&config::effective(&config))
        }
    }
}

/// Reads the list and key files as well: a daemon with them would not start.
fn check(sources: Sources) -> Answer {
    let loaded = config::gone(&sources).map_or_else(|| config::load(&sources), Err);
    let errors = match loaded {
        Ok(config) => config.settings().err(),
        Err(errors) => Some(errors),
    };
    match errors {
        None => Answer::Done,
        Some(errors) => {
            super::say(&format!("{errors}\n"));
            Answer::No
        }
    }
}
