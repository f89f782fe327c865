//! Manual pages and completions come from the option definitions, and miss none of them.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

use std::process::Command as Process;

use clap::{Command, CommandFactory, Parser};
use linkmilter::cli::Cli;
use linkmilter::cli::manual::WORDS;
use linkmilter::engine::outcome::{Reason, Verdict};

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
    // A directory that is not there is made.
    let pages = directory.path().join("made/man");
    generate(&["man", "--out", pages.to_str().unwrap()]);
    let commands = commands();
    assert!(commands.len() > 15);
    for (name, command) in &commands {
        let path = pages.join(format!("{name}.1"));
        let page = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert!(page.contains(".TH") && page.contains(".SH SYNOPSIS"), "{name}");
        for option in long_options(command) {
            let roff = format!("\\-\\-{}", option.replace('-', "\\-"));
            assert!(page.contains(&roff), "--{option} is not in {name}.1");
        }
    }
    let pages = std::fs::read_dir(pages).unwrap().count();
    assert_eq!(
        pages,
        commands.len() + 3,
        "and linkmilter(8), linkmilter.toml(5), linkmilter-reasons(7)"
    );
}

/// The text of a page as a reader gets it, in lines as long as they come.
fn plain(roff: &str) -> String {
    roff.replace("\\fB", "")
        .replace("\\fR", "")
        .replace("\\fI", "")
        .replace("\\-", "-")
        .replace("\\&", "")
        .replace("\\*(Aq", "'")
}

#[test]
fn the_synopsis_is_the_usage_of_the_help() {
    for (name, mut command) in commands() {
        let page = generate(&["man", &format!("{name}.1")]);
        let usage = command.render_usage().to_string();
        for line in usage.trim_start_matches("Usage:").lines() {
            let line = line.trim();
            assert!(plain(&page).lines().any(|found| found == line), "{name}: {line}\n{page}");
        }
    }
    for (command, usage) in [
        ("scan", "linkmilter scan [OPTIONS] [PATHS]..."),
        ("check", "linkmilter check [OPTIONS] [TARGET]..."),
        ("find", "linkmilter find [OPTIONS] [HOST]"),
    ] {
        let page = plain(&generate(&["man", command]));
        assert!(page.contains(&format!("\n{usage}\n")), "{usage}\n{page}");
    }
}

#[test]
fn every_setting_is_in_its_page() {
    let page = plain(&generate(&["man", "linkmilter.toml"]));
    let mut keys = 0;
    for chapter in linkmilter::config::reference() {
        assert!(page.contains(&format!("[{}]", chapter.name)), "{}", chapter.name);
        for key in chapter.keys {
            keys += 1;
            let title = match key.default {
                "" => format!("\n{}\n", key.name),
                default => format!("\n{} = {default}\n", key.name),
            };
            assert!(page.contains(&title), "{title} in\n{page}");
            assert!(page.contains(&key.takes()), "{}.{}", chapter.name, key.name);
        }
    }
    assert!(keys > 80, "{keys}");
}

#[test]
fn every_verdict_and_reason_is_in_its_page() {
    let page = plain(&generate(&["man", "reasons"]));
    for reason in Reason::ALL {
        assert!(
            page.contains(&format!("\n{} ({})\n", reason.code(), reason.verdict())),
            "{reason}"
        );
        let about = reason.about().replace('`', "");
        assert!(page.contains(&about) && !about.is_empty(), "{about} in\n{page}");
    }
    for verdict in Verdict::ALL {
        assert!(page.contains(&format!("\n{verdict}\n")), "{verdict}");
    }
}

#[test]
fn pages_have_what_an_operator_looks_for() {
    let page = generate(&["man", "linkmilter.8"]);
    for section in [
        "NAME", "SYNOPSIS", "COMMANDS", "EXAMPLES", "FILES", "ENVIRONMENT", "\"EXIT STATUS\"",
        "SIGNALS",
    ] {
        assert!(page.contains(&format!(".SH {section}")), "{section}");
    }
    for command in ["serve", "why", "find", "allow add", "config check"] {
        let page = generate(&["man", command]);
        for section in ["EXAMPLES", "FILES", "ENVIRONMENT", "\"EXIT STATUS\"", "\"SEE ALSO\""] {
            assert!(page.contains(&format!(".SH {section}")), "{section} of {command}");
        }
    }
}

#[test]
fn examples_are_commands_of_this_program() {
    let known = commands();
    for (page, line, _) in &WORDS.examples {
        assert!(known.iter().any(|(name, _)| name == page), "{page}");
        let parsed = Cli::try_parse_from(line.split(' '));
        assert!(parsed.is_ok(), "{line}: {}", parsed.unwrap_err());
        let of = page.strip_prefix("linkmilter").unwrap().replace('-', " ");
        assert!(line.starts_with(&format!("linkmilter{of}")), "{line} on {page}");
    }
}

/// Who has an exit code 1 of its own: commands, each once, and none that only has others below it.
#[test]
fn what_the_exit_code_1_says_is_said_of_commands() {
    let known = commands();
    for (at, (command, what)) in WORDS.negative.iter().enumerate() {
        let name = format!("linkmilter-{}", command.replace(' ', "-"));
        let found = known.iter().find(|(known, _)| *known == name);
        let (_, found) = found.unwrap_or_else(|| panic!("{command} is no command"));
        assert!(!found.is_subcommand_required_set(), "{command}");
        assert!(WORDS.negative[..at].iter().all(|(other, _)| other != command), "{command} twice");
        let page = plain(&generate(&["man", command]));
        assert!(
            page.contains(&plain(&format!("The answer is no: {}.", what.replace('`', "")))),
            "{page}"
        );
    }
}

#[test]
fn troff_has_nothing_to_say_about_the_pages() {
    if Process::new("groff").arg("--version").output().is_err() {
        println!("no groff: the form of the pages was not checked");
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    generate(&["man", "--out", directory.path().to_str().unwrap()]);
    for entry in std::fs::read_dir(directory.path()).unwrap() {
        let path = entry.unwrap().path();
        let output = Process::new("groff")
            .args(["-k", "-man", "-Tutf8", "-ww", "-z"])
            .arg(&path)
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success() && said.is_empty(), "{}: {said}", path.display());
    }
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

/// `docs/reasons.md`, out of the codes: `UPDATE=1 cargo test --test manual` writes it.
#[test]
fn the_page_of_reasons_is_what_the_codes_say() {
    let mut page = String::from(
        "# Verdicts and reasons\n\n\
         Generated: `UPDATE=1 cargo test --test manual` writes this page from the codes, as \
         linkmilter-reasons(7) is. The codes stand in `X-Linkmilter`, in the log, in `linkmilter \
         check` and in all JSON, and are keys of `policy.actions` and `policy.message_actions`:\n\n\
         ```toml\n[policy.actions]\nuserinfo = \"leave\"       # by reason: beats a verdict\n\
         suspect = \"defang\"       # by verdict\n```\n\n\
         Verdicts, in their order: `ok` (nothing to say), `notice` (reported), `suspect` (reported; edited \
         by the profile `strict`), `unsafe` and `invalid` (edited by `enforce` and `strict` where a client opens the link and a reader \
         mistakes it: most of what is invalid opens nowhere). The context can make a \
         reason's verdict milder or worse. Of several actions by reason the strictest counts. `leave` for one reason says nothing \
         of the others: those that are more than a notice decide.\n\n\
         | code | verdict | what | reported as |\n| --- | --- | --- | --- |\n",
    );
    for reason in Reason::ALL {
        let about = reason.about().replace('|', "\\|");
        let sentence = linkmilter::engine::explain::sentence(*reason);
        page.push_str(&format!(
            "| `{}` | {} | {about} | {sentence} |\n",
            reason.code(),
            reason.verdict()
        ));
    }
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/reasons.md");
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(path, &page).unwrap();
    }
    let found = std::fs::read_to_string(path).unwrap_or_default();
    assert!(
        found == page,
        "docs/reasons.md is behind the codes: UPDATE=1 cargo test --test manual"
    );
}

/// Words that a help desk would have to explain first.
const JARGON: [&str; 18] = [
    "a-label", "u-label", "ascii", "bidi", "charset", "codepoint", "confusable", "idna", "mime",
    "nfkc", "parser", "punycode", "rfc", "skeleton", "unicode", "utf", "uts", "§",
];

/// Whether a sentence can be said to somebody as it stands.
fn can_be_said(sentence: &str) -> Result<(), &'static str> {
    let words: Vec<String> = sentence
        .split(|c: char| c.is_whitespace() || matches!(c, ',' | ':' | ';'))
        .map(|word| word.trim_end_matches('.').to_lowercase())
        .collect();
    if words.iter().any(|word| JARGON.contains(&word.as_str())) {
        return Err("jargon");
    }
    let code = |word: &String| Reason::from_code(word).is_some_and(|_| word.contains('-'));
    if words.iter().any(code) || sentence.contains(['`', '_', '(', '/', '=']) {
        return Err("signs and codes");
    }
    let length = words.len();
    if (4..=24).contains(&length) { Ok(()) } else { Err("too long or too short") }
}

#[test]
fn each_reason_can_be_read_aloud() {
    let page = include_str!("../docs/judgement.md");
    for reason in Reason::ALL {
        let code = reason.code();
        let row = page.lines().find_map(|line| line.strip_prefix(&format!("| `{code}` | ")));
        let row = row.unwrap_or_else(|| panic!("docs/judgement.md has no row for {code}"));
        let said = row.split(" | ").next().unwrap();
        assert_eq!(can_be_said(said), Ok(()), "{code}: {said}");
        assert!(said.ends_with('.') && said.starts_with(char::is_uppercase), "{code}: {said}");
        // What reports, digest, `explain` and `why` say: a part of a sentence.
        let sentence = linkmilter::engine::explain::sentence(*reason);
        assert_eq!(can_be_said(sentence), Ok(()), "{code}: {sentence}");
        assert!(
            sentence.is_ascii() && sentence.starts_with(|c: char| c.is_lowercase()),
            "{code}: {sentence}"
        );
        assert!(!sentence.ends_with('.'), "{code}: {sentence}");
    }
}
