//! `linkmilter format`.

use super::shared::{ConfigFile, default_policy};
use super::{ExitStatus, done, input};
use crate::engine::check;
use crate::engine::link::{Escaping, Url};
use crate::engine::outcome::Verdict;
use std::io::{self, BufWriter, Write};

/// Write URLs minimally escaped (UTS #58 §4)
///
/// One per line, from the arguments or from standard input. A host is shown in Unicode unless it
/// could deceive.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Exactly as §4.1 says, without our additions
    ///
    /// Otherwise a closing bracket without its opening one is not counted, and invisible characters,
    /// escaped percent signs and, in a path, escaped backslashes stay escaped.
    #[arg(long)]
    letter: bool,
    #[command(flatten)]
    config: ConfigFile,
    /// The URLs; without any or for `-`, the lines of standard input
    #[arg(value_name = "URL")]
    urls: Vec<String>,
}

pub fn run(args: Args) -> anyhow::Result<ExitStatus> {
    let config = args.config.load()?;
    let policy = default_policy(&config)?;
    let tlds = super::tld::table(&config);
    let urls = input::lines(args.urls, &tlds)?;
    let escaping = if args.letter { Escaping::Letter } else { Escaping::Adjusted };
    let mut out = BufWriter::new(io::stdout().lock());
    let written = urls.iter().try_for_each(|url| {
        let mut url = Url::parse(url);
        let judgement = check::host(&url.host, &policy, &tlds);
        if judgement.verdict >= Verdict::Suspect && is_name(&judgement.ascii) {
            url.host.clone_from(&judgement.ascii);
        }
        writeln!(out, "{}", url.escaped(escaping))
    });
    done(written.and_then(|()| out.flush()))
}

/// Whether it is a name as the DNS has it. What escapes in a host stand for may be no name, and end it: that stays.
fn is_name(host: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_');
    !host.is_empty() && host.chars().all(plain)
}
