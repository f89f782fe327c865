//! `linkmilter why`.

use super::Answer;

/// Say what was done to a past message
#[derive(Debug, clap::Args)]
pub struct Args {}

pub fn run(_args: Args) -> anyhow::Result<Answer> {
    anyhow::bail!("not built yet")
}
