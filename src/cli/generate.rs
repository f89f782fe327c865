//! `linkmilter generate`: manual pages and completions from the definitions in the program.

use std::fs;
use std::path::PathBuf;

use anyhow::Context;
use clap::CommandFactory;
use clap_complete::Shell;

use super::manual::{Page, pages};
use super::{Cli, ExitStatus};
use crate::{atomic_file, file};

/// Print manual pages or shell completions
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, clap::Subcommand)]
enum What {
    /// Manual pages, as roff
    Man {
        /// A command (`tld list`), or a page: `linkmilter.8`, `linkmilter.toml`, `reasons`; without
        /// it, the program's own
        page: Option<String>,

        /// Write every page into this directory instead, which is made if need be
        #[arg(long, value_name = "DIR", conflicts_with = "page")]
        out: Option<PathBuf>,
    },
    /// Completions for a shell
    Completions {
        /// The shell
        shell: Shell,
    },
}

pub fn run(args: Args) -> anyhow::Result<ExitStatus> {
    match args.what {
        What::Man { page, out } => {
            let mut program = Cli::command().disable_help_subcommand(true);
            program.build();
            let pages = pages(&program)?;
            match out {
                Some(directory) => {
                    fs::create_dir_all(&directory)
                        .map_err(file::in_words)
                        .with_context(|| format!("cannot make {}", directory.display()))?;
                    for Page { file, text } in pages {
                        let path = directory.join(file);
                        atomic_file::replace(&path, &text, atomic_file::PUBLIC)
                            .map_err(file::in_words)
                            .with_context(|| format!("cannot write {}", path.display()))?;
                    }
                    Ok(ExitStatus::Done)
                }
                None => print_page(&pages, page.as_deref().unwrap_or("linkmilter.1")),
            }
        }
        What::Completions { shell } => {
            let mut script = Vec::new();
            clap_complete::generate(shell, &mut Cli::command(), "linkmilter", &mut script);
            super::done(super::write(&script))
        }
    }
}

/// Prints a page by the name of its file, with or without the section number, or of its command.
fn print_page(pages: &[Page], wanted: &str) -> anyhow::Result<ExitStatus> {
    let plain = wanted.replace(' ', "-");
    let full = format!("linkmilter-{plain}");
    let is = |page: &&Page| {
        let bare = page.file.rsplit_once('.').map_or(page.file.as_str(), |(name, _)| name);
        [page.file.as_str(), bare].iter().any(|name| *name == plain || *name == full)
    };
    let page = pages.iter().find(is).with_context(|| {
        let known: Vec<&str> = pages.iter().map(|page| page.file.as_str()).collect();
        format!("expected a command or a page ({}), found {wanted:?}", known.join(", "))
    })?;
    super::done(super::write(&page.text))
}
