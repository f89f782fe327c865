//! `linkmilter tld`.

use super::Answer;

/// Show, ask or refresh the table of top-level domains
#[derive(Debug, clap::Args)]
pub struct Args {}

pub fn run(_args: Args) -> anyhow::Result<Answer> {
    anyhow::bail!("not built yet")
}
