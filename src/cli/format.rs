//! `linkmilter format`.

use super::Answer;

/// Write URLs minimally escaped (UTS #58 §4)
#[derive(Debug, clap::Args)]
pub struct Args {}

pub fn run(_args: Args) -> anyhow::Result<Answer> {
    anyhow::bail!("not built yet")
}
