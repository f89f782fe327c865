//! Parse the arguments, run the command, report how it ended.

use std::process::ExitCode;

fn main() -> ExitCode {
    linkmilter::cli::main()
}
