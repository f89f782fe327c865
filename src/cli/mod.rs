//! The command line: one file per command. Exit codes are 0, 1 (the answer is "no"), 2 (error) and,
//! only from `serve`, 3 (try again later).

mod check;
mod config;
mod digest;
mod dns;
mod explain;
mod find;
mod format;
mod generate;
mod health;
mod host_arg;
mod input;
mod linkify;
mod links;
mod lists;
pub mod manual;
mod recall;
mod reload;
mod restore;
mod rewrite;
mod scan;
mod serve;
mod shared;
mod tld;
mod usage;
mod why;

use std::process::ExitCode;

use anyhow::Context;
use clap::{Parser, Subcommand};

use crate::file;
use crate::record::defang::visible;

/// A mail filter that reads links the way people do.
#[derive(Debug, Parser)]
#[command(name = "linkmilter", version, max_term_width = 100)]
pub struct Cli {
    #[command(subcommand)]
    command: ProgramCommand,
}

#[derive(Debug, Subcommand)]
enum ProgramCommand {
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
    /// Hosts whose links are never edited: list, add, remove
    Allow(lists::Args),
    /// Hosts that you call unsafe: list, add, remove
    Block(lists::Args),
    Digest(digest::Args),
    Health(health::Args),
    Generate(generate::Args),
}

/// How a command ended if it did not fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExitStatus {
    /// Exit code 0.
    Done,
    /// Exit code 1: the answer is "no".
    Negative,
    /// Exit code 3: try again later.
    TryLater,
}

/// Parses the arguments and runs the command. On an error, prints it and exits with code 2.
pub fn main() -> ExitCode {
    let cli = match usage::parse() {
        Ok(cli) => cli,
        Err(code) => return code,
    };
    let answer = match cli.command {
        ProgramCommand::Serve(args) => serve::run(args),
        ProgramCommand::Rewrite(args) => rewrite::run(args),
        ProgramCommand::Restore(args) => restore::run(args),
        ProgramCommand::Recall(args) => recall::run(args),
        ProgramCommand::Check(args) => check::run(args),
        ProgramCommand::Links(args) => links::run(args),
        ProgramCommand::Format(args) => format::run(args),
        ProgramCommand::Linkify(args) => linkify::run(args),
        ProgramCommand::Scan(args) => scan::run(args),
        ProgramCommand::Tld(args) => tld::run(args),
        ProgramCommand::Config(args) => config::run(args),
        ProgramCommand::Explain(args) => explain::run(args),
        ProgramCommand::Why(args) => why::run(args),
        ProgramCommand::Find(args) => find::run(args),
        ProgramCommand::Allow(args) => lists::run(lists::List::Allow, args),
        ProgramCommand::Block(args) => lists::run(lists::List::Block, args),
        ProgramCommand::Digest(args) => digest::run(args),
        ProgramCommand::Health(args) => health::run(args),
        ProgramCommand::Generate(args) => generate::run(args),
    };
    match answer {
        Ok(ExitStatus::Done) => ExitCode::SUCCESS,
        Ok(ExitStatus::Negative) => ExitCode::from(1),
        Ok(ExitStatus::TryLater) => ExitCode::from(3),
        Err(error) => {
            warn(&error_with_causes(&error));
            ExitCode::from(FAILED)
        }
    }
}

/// The exit code of wrong arguments, and of errors.
const FAILED: u8 = 2;

/// An error with all its causes, those of the system in our words. Some errors contain their cause already; it is not
/// repeated.
fn error_with_causes(error: &anyhow::Error) -> String {
    error.chain().fold(String::new(), |text, cause| {
        let spelled = cause.to_string();
        let words = cause.downcast_ref().map_or_else(|| spelled.clone(), file::reason);
        match text.strip_suffix(&spelled) {
            _ if text.is_empty() => words,
            Some(before) => format!("{before}{words}"),
            None if text.ends_with(&words) => text,
            None => format!("{text}: {words}"),
        }
    })
}

/// Writes to standard output.
fn print(text: &str) -> anyhow::Result<ExitStatus> {
    done(write(text.as_bytes()))
}

/// Writes to standard output and flushes it.
fn write(bytes: &[u8]) -> std::io::Result<()> {
    use std::io::Write as _;
    let mut out = std::io::stdout().lock();
    out.write_all(bytes).and_then(|()| out.flush())
}

/// The exit status after writing to standard output. A closed pipe (`| head`) is no error.
fn done(written: std::io::Result<()>) -> anyhow::Result<ExitStatus> {
    match written {
        Err(error) if !is_closed_pipe(&error) => {
            Err(anyhow::Error::new(error).context("cannot write to standard output"))
        }
        _ => Ok(ExitStatus::Done),
    }
}

/// Whether nobody reads what is written any more.
fn is_closed_pipe(error: &std::io::Error) -> bool {
    error.kind() == std::io::ErrorKind::BrokenPipe
}

/// Writes a message to standard output. Unlike [`done`] it is an error if nobody takes all of it: whoever runs the
/// command delivers what came out.
fn deliver(pieces: &[&[u8]]) -> anyhow::Result<ExitStatus> {
    use std::io::Write as _;
    let mut out = std::io::stdout().lock();
    let written =
        pieces.iter().try_for_each(|bytes| out.write_all(bytes)).and_then(|()| out.flush());
    written.context("cannot write to standard output")?;
    Ok(ExitStatus::Done)
}

/// Prints a warning or an error to standard error. A failure is ignored: standard error may be
/// closed.
fn warn(what: &dyn std::fmt::Display) {
    print_stderr(&format!("linkmilter: {what}\n"));
}

/// The same without our name in front. Nothing of it acts on a terminal: it may hold what was found in a file.
fn print_stderr(text: &str) {
    use std::io::Write as _;
    let lines: Vec<String> = text.split('\n').map(visible).collect();
    let _ = std::io::stderr().write_all(lines.join("\n").as_bytes());
}

#[cfg(test)]
mod tests {
    use std::io;

    use super::*;

    #[test]
    fn errors_of_the_system_come_once_and_without_their_number() {
        let full = || io::Error::from_raw_os_error(28);
        let output = crate::scan::Error::Output(full());
        for (error, said) in [
            (anyhow::Error::new(full()), "No space left on device"),
            (anyhow::Error::new(full()).context("x"), "x: No space left on device"),
            (
                anyhow::anyhow!("{}", full()).context("x"),
                "x: No space left on device (os error 28)",
            ),
            (anyhow::Error::new(output), "could not write the output: No space left on device"),
        ] {
            assert_eq!(error_with_causes(&error), said);
        }
    }
}
