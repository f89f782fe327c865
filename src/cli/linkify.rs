//! `linkmilter linkify`.

use std::io::{self, Write};
use std::path::PathBuf;

use super::Answer;
use super::input::read;
use crate::engine::content::linkify::{Options, Switch, linkify};
use crate::engine::host::{Context, Glue, Names};
use crate::engine::policy::RestrictionLevel;

/// Turn text into HTML with anchors
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Escape the text, but make no links
    #[arg(long)]
    off: bool,
    /// Leave this link, host or address as text (may be given more than once)
    #[arg(long, value_name = "STRING")]
    except: Vec<String>,
    /// The configuration file [default: /etc/linkmilter/linkmilter.toml, if it is there]
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// The text; standard input without it
    file: Option<PathBuf>,
}

pub fn run(args: Args) -> anyhow::Result<Answer> {
    let input = read(args.file.as_deref())?;
    let tlds = super::tld::table_of(args.config)?;
    let (protected, none) = (Names::builtin(), Names::default());
    let context = Context {
        level: RestrictionLevel::default(),
        protected: &protected,
        own: &none,
        blocked: &none,
        tlds: &tlds,
        glue: Glue::None,
    };
    let switch = if args.off { Switch::Off } else { Switch::On };
    let options = Options { switch, exceptions: &args.except };
    let html = linkify(&String::from_utf8_lossy(&input), &options, &context);
    io::stdout().lock().write_all(html.as_bytes())?;
    Ok(Answer::Done)
}
