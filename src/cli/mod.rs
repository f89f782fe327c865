//! The command line: one file a command, exit codes 0, 1 (an answer of "no"), 2 and,
//! from `serve` alone, 3 (not now).

mod builtin;
mod check;
mod config;
mod digest;
mod dns;
mod explain;
mod find;
mod format;
mod generate;
mod health;
mod input;
mod linkify;
mod links;
mod lists;
pub mod manual;
mod pasted;
mod recall;
mod reload;
mod restore;
mod rewrite;
mod scan;
mod serve;
mod shared;
mod tld;
mod why;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// A mail filter that reads links the way people do.
#[derive(Debug, Parser)]
#[command(name = "linkmilter", version, max_term_width = 100)]
pub struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Serve(serve::Args),
    Rewrite(rewrite::Args),
    Restore(restore::Args),
    Recall(recall::Args),
    Check(check::Args),
    Links(links::Args),
    Format(format::Args),
    Linkify(linkify::Args),
    Scan(scan::Args),
    Tld(tld::Args),
    Config(config::Args),
    Explain(explain::Args),
    Why(why::Args),
    Find(find::Args),
    /// Hosts that are never edited: list, add, remove
    Allow(lists::Args),
    /// Hosts that are unsafe because you say so: list, add, remove
    Block(lists::Args),
    Digest(digest::Args),
    Health(health::Args),
    Generate(generate::Args),
}

/// How a command ended, when it could be carried out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// Exit code 0.
    Done,
    /// Exit code 1: the answer is "no".
    No,
    /// Exit code 3: not now; another try may find what was missing.
    Later,
}

/// Parses the arguments, runs the command, prints what went wrong; exit code 2 when it could not.
pub fn main() -> ExitCode {
    let cli = Cli::parse();
    let answer = match cli.command {
        Command::Serve(args) => serve::run(args),
        Command::Rewrite(args) => rewrite::run(args),
        Command::Restore(args) => restore::run(args),
        Command::Recall(args) => recall::run(args),
        Command::Check(args) => check::run(args),
        Command::Links(args) => links::run(args),
        Command::Format(args) => format::run(args),
        Command::Linkify(args) => linkify::run(args),
        Command::Scan(args) => scan::run(args),
        Command::Tld(args) => tld::run(args),
        Command::Config(args) => config::run(args),
        Command::Explain(args) => explain::run(args),
        Command::Why(args) => why::run(args),
        Command::Find(args) => find::run(args),
        Command::Allow(args) => lists::run(lists::List::Allow, args),
        Command::Block(args) => lists::run(lists::List::Block, args),
        Command::Digest(args) => digest::run(args),
        Command::Health(args) => health::run(args),
        Command::Generate(args) => generate::run(args),
    };
    match answer {
        Ok(Answer::Done) => ExitCode::SUCCESS,
        Ok(Answer::No) => ExitCode::from(1),
        Ok(Answer::Later) => ExitCode::from(3),
        Err(error) => {
            complain(&told(&error));
            ExitCode::from(2)
        }
    }
}

/// What went wrong and why, cause after cause. Some say their cause themselves: it is told once.
fn told(error: &anyhow::Error) -> String {
    error.chain().fold(String::new(), |told, cause| match cause.to_string() {
        cause if told.is_empty() => cause,
        cause if told.ends_with(&cause) => told,
        cause => format!("{told}: {cause}"),
    })
}

/// Writes to standard output.
fn print(text: &str) -> anyhow::Result<Answer> {
    done(write(text.as_bytes()))
}

/// Writes all to standard output and makes sure that it has left.
fn write(bytes: &[u8]) -> std::io::Result<()> {
    use std::io::Write as _;
    let mut out = std::io::stdout().lock();
    out.write_all(bytes).and_then(|()| out.flush())
}

/// The answer when all is written. A reader that has seen enough (`| head`) is no failure.
fn done(written: std::io::Result<()>) -> anyhow::Result<Answer> {
    match written {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
            Err(anyhow::Error::new(error).context("cannot write to standard output"))
        }
        _ => Ok(Answer::Done),
    }
}

/// Says something beside the output. Whoever closed standard error does not want to be told, so a
/// write that fails is no failure of the command.
fn complain(what: &dyn std::fmt::Display) {
    say(&format!("linkmilter: {what}\n"));
}

/// The same as it is, without our name in front.
fn say(text: &str) {
    use std::io::Write as _;
    let _ = std::io::stderr().write_all(text.as_bytes());
}
