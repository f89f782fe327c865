//! `linkmilter restore`.

use super::Answer;

/// Undo the edits of a filtered message
#[derive(Debug, clap::Args)]
pub struct Args {}

pub fn run(_args: Args) -> anyhow::Result<Answer> {
    anyhow::bail!("not built yet")
}
