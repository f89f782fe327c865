//! `linkmilter check`.

use super::Answer;

/// Judge hosts, URLs and mail addresses
#[derive(Debug, clap::Args)]
pub struct Args {}

pub fn run(_args: Args) -> anyhow::Result<Answer> {
    anyhow::bail!("not built yet")
}
