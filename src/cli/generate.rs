//! `linkmilter generate`.

use super::Answer;

/// Print manual pages or shell completions
#[derive(Debug, clap::Args)]
pub struct Args {}

pub fn run(_args: Args) -> anyhow::Result<Answer> {
    anyhow::bail!("not built yet")
}
