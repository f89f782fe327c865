//! The arguments of the program, and what is said of wrong ones.

use std::ffi::OsString;
use std::io::Write as _;
use std::process::ExitCode;

use clap::Parser as _;
use clap::error::{ContextKind, ContextValue, Error, ErrorKind};

use super::{Cli, FAILED, done};
use crate::config::is_slip;

/// Parses the arguments. Help goes to standard output; whether it could be written there is the exit code.
pub fn parse() -> Result<Cli, ExitCode> {
    let arguments: Vec<OsString> = std::env::args_os().collect();
    Cli::try_parse_from(&arguments).map_err(|error| {
        if error.kind() == ErrorKind::InvalidUtf8 {
            let wrong = arguments.iter().filter(|argument| argument.to_str().is_none());
            let wrong: Vec<String> = wrong.map(|argument| format!("{argument:?}")).collect();
            let found = wrong.join(", ");
            super::warn(&format_args!("expected arguments in UTF-8, found {found}"));
            return ExitCode::from(FAILED);
        }
        let error = without_far_tips(error);
        if error.use_stderr() {
            // Nobody may read it; the exit code says that something is wrong.
            let _ = error.print();
            return ExitCode::from(FAILED);
        }
        let written = error.print().and_then(|()| std::io::stdout().flush());
        match done(written) {
            Ok(_) => ExitCode::SUCCESS,
            Err(error) => {
                super::warn(&super::error_with_causes(&error));
                ExitCode::from(FAILED)
            }
        }
    })
}

/// Without the tips that name something else than was probably meant.
fn without_far_tips(mut error: Error) -> Error {
    for (wrong, suggested) in [
        (ContextKind::InvalidSubcommand, ContextKind::SuggestedSubcommand),
        (ContextKind::InvalidValue, ContextKind::SuggestedValue),
        (ContextKind::InvalidArg, ContextKind::SuggestedArg),
    ] {
        let words = |kind| error.get(kind).map(words).unwrap_or_default();
        let (wrong, near) = (words(wrong), words(suggested));
        let is_far = |wrong: &String| !near.iter().any(|near| is_near(wrong, near));
        if wrong.first().is_some_and(is_far) {
            error.remove(suggested);
        }
    }
    // `use '-- --option'`: nothing here is called like an option.
    error.remove(ContextKind::Suggested);
    error
}

fn words(value: &ContextValue) -> Vec<String> {
    match value {
        ContextValue::String(word) => vec![word.clone()],
        ContextValue::Strings(words) => words.clone(),
        _ => Vec::new(),
    }
}

/// Whether one may be a slip of the other, or its beginning.
fn is_near(wrong: &str, near: &str) -> bool {
    let word = |text: &str| text.trim_start_matches('-').to_owned();
    is_slip(&word(wrong), &word(near)) || near.starts_with(wrong)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_near_tips_are_given() {
        for (arguments, tip) in [
            (&["allow", "xyz", "x"] as &[&str], None),
            (&["allow", "ad", "x"], Some("add")),
            (&["chekc"], Some("check")),
            (&["generate", "completions", "tcsh"], None),
            (&["generate", "completions", "fihs"], Some("fish")),
            (&["scan", "--jbos", "3"], Some("--jobs")),
            (&["recall", "--timeout", "3"], None),
        ] {
            let line = ["linkmilter"].iter().chain(arguments);
            let error = Cli::try_parse_from(line).expect_err("wrong");
            let said = without_far_tips(error).to_string();
            match tip {
                Some(tip) => assert!(said.contains("tip:") && said.contains(tip), "{said}"),
                None => assert!(!said.contains("tip:"), "{said}"),
            }
        }
    }
}
