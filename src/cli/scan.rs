//! `linkmilter scan`.

use super::Answer;

/// Judge the messages of archives
#[derive(Debug, clap::Args)]
pub struct Args {}

pub fn run(_args: Args) -> anyhow::Result<Answer> {
    anyhow::bail!("not built yet")
}
