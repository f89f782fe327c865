//! `linkmilter serve`.

use super::ExitStatus;
use super::shared::ConfigFile;
use crate::daemon;

/// Run the milter
///
/// Reads /etc/linkmilter/linkmilter.toml if it exists, or the file given by --config, then
/// conf.d/*.toml in the same directory, then the environment (LINKMILTER_DNS__MODE is dns.mode).
/// Without any of these it listens at inet:8895@127.0.0.1 with the built-in settings. `linkmilter
/// config check` prints what would be read.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(flatten)]
    config: ConfigFile,

    /// Where to listen: inet:PORT@HOST or unix:PATH; may be repeated
    #[arg(long, value_name = "ADDRESS")]
    listen: Vec<String>,

    /// Serve the sockets that the service manager opened (systemd socket activation); fail when
    /// there is none
    #[arg(long)]
    inherited: bool,
}

pub fn run(args: Args) -> anyhow::Result<ExitStatus> {
    daemon::allocator::give_memory_back();
    let inherited =
        if args.inherited { daemon::Inherited::Required } else { daemon::Inherited::Optional };
    let options =
        daemon::DaemonOptions { config: args.config.file, listen: args.listen, inherited };
    match daemon::run(&options) {
        Err(error) if error.is::<daemon::NoSockets>() || error.is::<daemon::StateInUse>() => {
            super::warn(&error);
            Ok(ExitStatus::TryLater)
        }
        ended => ended.map(|()| ExitStatus::Done),
    }
}
