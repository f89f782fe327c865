//! `linkmilter linkify`.

use std::path::PathBuf;

use super::shared::{ConfigFile, default_policy};
use super::{ExitStatus, input, print};
use crate::engine::host::linkify::{Options, Switch};
use crate::engine::linkify::linkify;

/// Turn text into HTML with anchors
///
/// What the filter on this machine would report as suspect is no link, and shown in Punycode.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Escape the text, but make no links
    #[arg(long)]
    off: bool,
    /// Leave this link, host or address as text (may be given more than once)
    #[arg(long, value_name = "STRING")]
    except: Vec<String>,
    #[command(flatten)]
    config: ConfigFile,
    /// The text [default: standard input]
    file: Option<PathBuf>,
}

pub fn run(args: Args) -> anyhow::Result<ExitStatus> {
    let input = input::read(args.file.as_deref())?;
    input::warn_of_charset(&input);
    let config = args.config.load()?;
    let policy = default_policy(&config)?;
    let tlds = super::tld::table(&config);
    let switch = if args.off { Switch::Off } else { Switch::On };
    let options = Options { switch, exceptions: &args.except };
    let text = input::text(&input, &tlds);
    print(&linkify(&text, &options, &policy, &tlds))
}
