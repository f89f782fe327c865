//! `linkmilter format`.

use super::builtin::Builtin;
use super::shared::ConfigFile;
use super::{Answer, done, input};
use crate::engine::host::judge;
use crate::engine::link::{Escaping, Url};
use crate::engine::outcome::Verdict;
use std::io::{self, BufWriter, Write};

/// Write URLs minimally escaped (UTS #58 §4)
///
/// One a line, from the arguments or from standard input. A host is shown in Unicode unless it could
/// deceive.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// By the letter of §4.1, without our additions
    ///
    /// Otherwise a closing bracket that does not match leaves the opening one open, and characters
    /// that nobody sees are escaped.
    #[arg(long)]
    letter: bool,
    #[command(flatten)]
    config: ConfigFile,
    /// The URLs; the lines of standard input without any
    #[arg(value_name = "URL")]
    urls: Vec<String>,
}

pub fn run(args: Args) -> anyhow::Result<Answer> {
    let urls = input::lines(args.urls)?;
    let builtin = Builtin::new(args.config)?;
    let context = builtin.context();
    let escaping = if args.letter { Escaping::Letter } else { Escaping::Adjusted };
    let mut out = BufWriter::new(io::stdout().lock());
    let written = urls.iter().try_for_each(|url| {
        let mut url = Url::parse(url);
        let judgement = judge(&url.host, &context);
        if judgement.verdict >= Verdict::Suspect && !judgement.ascii.is_empty() {
            url.host = judgement.ascii;
        }
        writeln!(out, "{}", url.escaped(escaping))
    });
    done(written.and_then(|()| out.flush()))
}
