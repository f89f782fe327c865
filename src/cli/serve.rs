//! `linkmilter serve`.

use super::Answer;
use super::shared::ConfigFile;
use crate::daemon;

/// Run the milter
///
/// Reads /etc/linkmilter/linkmilter.toml if it is there, or the file named by --config, then
/// conf.d/*.toml beside it, then the environment (LINKMILTER_DNS__MODE is dns.mode). Without any of
/// these it runs on built-in settings at inet:8895@127.0.0.1. `linkmilter config check` says what
/// would be read.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(flatten)]
    config: ConfigFile,

    /// Where to listen: inet:PORT@HOST or unix:PATH; may be given more than once
    #[arg(long, value_name = "ADDRESS")]
    listen: Vec<String>,

    /// Serve the sockets that the service manager opened (systemd socket activation), and end
    /// with an error when there is none
    #[arg(long)]
    inherited: bool,
}

pub fn run(args: Args) -> anyhow::Result<Answer> {
    let inherited =
        if args.inherited { daemon::Inherited::Required } else { daemon::Inherited::Optional };
    let options = daemon::Options { config: args.config.file, listen: args.listen, inherited };
    match daemon::run(&options) {
        Err(error) if error.is::<daemon::NoSockets>() => {
            super::complain(&error);
            Ok(Answer::Later)
        }
        ended => ended.map(|()| Answer::Done),
    }
}
