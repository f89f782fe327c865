//! `linkmilter digest`.

use std::time::{Duration, SystemTime};

use anyhow::Context;

use super::ExitStatus;
use super::shared::{Events, journal_error};
use crate::daemon::digest::{DigestSettings, mail_route, send};
use crate::daemon::host_name;
use crate::daemon::seal::{self, Seal};
use crate::record::digest::gather;
use crate::record::time::{Timestamp, parse_span};

/// Print or mail what was done recently
#[derive(Debug, clap::Args)]
pub struct Args {
    /// How far back: a number with s, m, h, d or w
    #[arg(long, value_name = "SPAN", allow_hyphen_values = true, default_value = "24h", value_parser = parse_span)]
    since: Duration,

    /// Mail it as the configuration says instead of printing it
    #[arg(long)]
    send: bool,

    #[command(flatten)]
    events: Events,
}

pub fn run(args: Args) -> anyhow::Result<ExitStatus> {
    let (config, journal) = args.events.open_existing()?;
    let now = Timestamp::of(SystemTime::now());
    let from = now.minus(args.since);
    if !args.send {
        let digest = gather(&journal, from, now).map_err(journal_error)?;
        return super::print(&digest.text);
    }
    let host_name = host_name::of(&config);
    let plan = DigestSettings {
        minutes: 0,
        route: mail_route(&config, &host_name)?,
        journal,
        last: config.in_state("digest.last"),
        host_name,
        // Without the daemon's key the mail is filtered like any other. It has no live links.
        seal: Seal::load(&seal::path(&config)).ok(),
        troubles: Vec::new(),
    };
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .context("cannot start")?
        .block_on(send(&plan, from, now))?;
    Ok(ExitStatus::Done)
}
