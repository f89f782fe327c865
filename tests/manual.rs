//! Manual pages and completions come from the option definitions, and miss none of them.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

use std::process::Command as Process;

use clap::{Command, CommandFactory};
use linkmilter::cli::Cli;

fn generate(args: &[&str]) -> String {
    let binary = env!("CARGO_BIN_EXE_linkmilter");
    let output = Process::new(binary).arg("generate").args(args).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// Every command, however deep, with its name in a page's file: `linkmilter-tld-list`.
fn commands() -> Vec<(String, Command)> {
    let mut root = Cli::command().disable_help_subcommand(true);
    root.build();
    let mut found = vec![("linkmilter".to_owned(), root)];
    let mut next = 0;
    while next < found.len() {
        let (name, command) = found[next].clone();
        for below in command.get_subcommands().filter(|below| !below.is_hide_set()) {
            found.push((format!("{name}-{}", below.get_name()), below.clone()));
        }
        next += 1;
    }
    found
}

fn long_options(command: &Command) -> Vec<String> {
    let shown = command.get_arguments().filter(|option| !option.is_hide_set());
    shown.filter_map(|option| option.get_long().map(str::to_owned)).collect()
}

#[test]
fn every_command_has_a_page_with_every_option() {
    let directory = tempfile::tempdir().unwrap();
    generate(&["man", "--out", directory.path().to_str().unwrap()]);
    let commands = commands();
    assert!(commands.len() > 15);
    for (name, command) in &commands {
        let path = directory.path().join(format!("{name}.1"));
        let page = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert!(page.contains(".TH") && page.contains(".SH SYNOPSIS"), "{name}");
        for option in long_options(command) {
            let roff = format!("\\-\\-{}", option.replace('-', "\\-"));
            assert!(page.contains(&roff), "--{option} is not in {name}.1");
        }
    }
    let pages = std::fs::read_dir(directory.path()).unwrap().count();
    assert_eq!(pages, commands.len());
}

#[test]
fn one_page_on_standard_output() {
    assert!(generate(&["man"]).contains("linkmilter"));
    assert!(generate(&["man", "serve"]).contains("\\-\\-listen"));
    let binary = env!("CARGO_BIN_EXE_linkmilter");
    let output = Process::new(binary).args(["generate", "man", "nonesuch"]).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("expected a command") && said.contains("serve"), "{said}");
}

#[test]
fn completions_cover_every_command_and_option() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = generate(&["completions", shell]);
        for (name, command) in commands() {
            assert!(script.contains(command.get_name()), "{name} in {shell}");
            for option in long_options(&command) {
                assert!(script.contains(&option), "--{option} of {name} in {shell}");
            }
        }
    }
}

#[test]
fn the_shell_takes_its_completions() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("linkmilter.bash");
    std::fs::write(&path, generate(&["completions", "bash"])).unwrap();
    let status = Process::new("bash").arg("-n").arg(&path).status().unwrap();
    assert!(status.success());
}
