//! `linkmilter digest`.

use super::Answer;

/// Say what was done lately
#[derive(Debug, clap::Args)]
pub struct Args {}

pub fn run(_args: Args) -> anyhow::Result<Answer> {
    anyhow::bail!("not built yet")
}
