//! `linkmilter explain`.

use super::Answer;

/// Show a message as the engine sees it
#[derive(Debug, clap::Args)]
pub struct Args {}

pub fn run(_args: Args) -> anyhow::Result<Answer> {
    anyhow::bail!("not built yet")
}
