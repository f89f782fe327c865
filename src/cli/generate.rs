//! `linkmilter generate`: manual pages and completions out of the option definitions.

use std::fs;
use std::path::PathBuf;

use anyhow::Context;
use clap::{Command, CommandFactory};
use clap_complete::Shell;

use super::{Answer, Cli};

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
        /// The page of this command; without it, of the program
        command: Option<String>,

        /// Write every page into this directory instead
        #[arg(long, value_name = "DIR", conflicts_with = "command")]
        out: Option<PathBuf>,
    },
    /// Completions for a shell
    Completions {
        /// The shell
        shell: Shell,
    },
}

pub fn run(args: Args) -> anyhow::Result<Answer> {
    let program = program();
    match args.what {
        What::Man { out: Some(directory), .. } => {
            for page in pages(&program) {
                let path = directory.join(format!("{}.1", name(&page)));
                fs::write(&path, render(page)?)
                    .with_context(|| format!("cannot write {}", path.display()))?;
            }
        }
        What::Man { command, out: None } => {
            let wanted = match &command {
                Some(command) => format!("linkmilter-{}", command.replace(' ', "-")),
                None => "linkmilter".to_owned(),
            };
            let found = pages(&program).into_iter().find(|page| name(page) == wanted);
            let page = found.with_context(|| {
                let known: Vec<&str> = program.get_subcommands().map(Command::get_name).collect();
                format!("expected a command ({}), found {wanted:?}", known.join(", "))
            })?;
            return super::done(super::write(&render(page)?));
        }
        What::Completions { shell } => {
            let mut script = Vec::new();
            clap_complete::generate(shell, &mut Cli::command(), "linkmilter", &mut script);
            return super::done(super::write(&script));
        }
    }
    Ok(Answer::Done)
}

fn program() -> Command {
    let mut program = Cli::command().disable_help_subcommand(true);
    program.build();
    program
}

/// The program's page, one for each command (`linkmilter-tld`) and one for each of its own
/// (`linkmilter-tld-list`).
fn pages(program: &Command) -> Vec<Command> {
    let mut pages = vec![program.clone()];
    let mut next = 0;
    while let Some(page) = pages.get(next) {
        let below: Vec<Command> =
            page.get_subcommands().filter(|command| !command.is_hide_set()).cloned().collect();
        pages.extend(below);
        next += 1;
    }
    pages
}

fn name(page: &Command) -> &str {
    page.get_display_name().unwrap_or_else(|| page.get_name())
}

fn render(page: Command) -> anyhow::Result<Vec<u8>> {
    let mut roff = Vec::new();
    clap_mangen::Man::new(page).source("linkmilter").manual("linkmilter").render(&mut roff)?;
    Ok(roff)
}
