//! `linkmilter linkify`.

use super::Answer;

/// Turn text into HTML with anchors
#[derive(Debug, clap::Args)]
pub struct Args {}

pub fn run(_args: Args) -> anyhow::Result<Answer> {
    anyhow::bail!("not built yet")
}
