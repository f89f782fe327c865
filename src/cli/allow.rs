//! `linkmilter allow`.

use std::path::{Path, PathBuf};

use anyhow::Context;

use crate::config::{self, Added, Config, Sources};

use super::Answer;

/// Extend the allow list
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    /// Add a host to the allow list and have a running daemon read it
    Add {
        /// The host, with all below it; in Unicode, Punycode or defanged (`example[.]com`)
        host: String,
        /// The configuration file [default: /etc/linkmilter/linkmilter.toml, if it is there]
        #[arg(long, value_name = "FILE")]
        config: Option<PathBuf>,
    },
}

pub fn run(args: Args) -> anyhow::Result<Answer> {
    let Command::Add { host, config } = args.command;
    let config = config::load(&Sources::new(config))?;
    let path = config.resolve(&config.lists.allow_file);
    let said = match config::add_to_list(&path, &host)? {
        Added::Already(line) => format!("{}:{line}: already covers it\n", path.display()),
        Added::New(name) => {
            format!("{}: {name} added\n{}\n", path.display(), reload(&config)?)
        }
    };
    super::print(&said)
}

/// Sends SIGHUP to the daemon of this configuration, if it runs; says what was done.
fn reload(config: &Config) -> anyhow::Result<String> {
    let file = config.pid_file();
    let Some(pid) = running(&file) else {
        return Ok(format!(
            "no daemon runs by {}; it counts from the next start or reload",
            file.display()
        ));
    };
    rustix::process::kill_process(pid, rustix::process::Signal::HUP)
        .with_context(|| format!("cannot send SIGHUP to process {}", pid.as_raw_nonzero()))?;
    Ok(format!("SIGHUP sent to process {}", pid.as_raw_nonzero()))
}

/// The process in the file, if it is alive and one of ours: a number may have been given anew.
fn running(file: &Path) -> Option<rustix::process::Pid> {
    let number: i32 = std::fs::read_to_string(file).ok()?.trim().parse().ok()?;
    let name = std::fs::read_to_string(format!("/proc/{number}/comm")).ok()?;
    // The kernel keeps 15 bytes of the name.
    if !"linkmilter".starts_with(name.trim_end()) || name.trim_end().is_empty() {
        return None;
    }
    rustix::process::Pid::from_raw(number)
}
