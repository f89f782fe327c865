//! `linkmilter allow`.

use super::Answer;

/// Extend the allow list
#[derive(Debug, clap::Args)]
pub struct Args {}

pub fn run(_args: Args) -> anyhow::Result<Answer> {
    anyhow::bail!("not built yet")
}
