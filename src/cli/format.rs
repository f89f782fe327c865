//! `linkmilter format`.

use std::io::{self, BufWriter, Write};
use std::path::PathBuf;

use super::Answer;
use super::input::read;
use crate::engine::host::{Context, Glue, Names, judge};
use crate::engine::link::Url;
use crate::engine::outcome::Verdict;
use crate::engine::policy::RestrictionLevel;

/// Write URLs minimally escaped (UTS #58 §4)
///
/// One a line, from the arguments or from standard input. A host is shown in Unicode unless it could
/// deceive.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The configuration file [default: /etc/linkmilter/linkmilter.toml, if it is there]
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    urls: Vec<String>,
}

pub fn run(args: Args) -> anyhow::Result<Answer> {
    let urls = if args.urls.is_empty() {
        let input = read(None)?;
        String::from_utf8_lossy(&input).lines().map(str::to_owned).collect()
    } else {
        args.urls
    };
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
    let mut out = BufWriter::new(io::stdout().lock());
    for url in urls {
        let mut url = Url::parse(&url);
        let judgement = judge(&url.host, &context);
        if judgement.verdict >= Verdict::Suspect && !judgement.ascii.is_empty() {
            url.host = judgement.ascii;
        }
        writeln!(out, "{url}")?;
    }
    out.flush()?;
    Ok(Answer::Done)
}
