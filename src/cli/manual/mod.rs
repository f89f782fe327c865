//! The manual pages, generated from the definitions in the program: options, the schema of the
//! configuration, the reason codes. Text without a definition is in [`words`].

mod words;

use clap::Command;
use clap_mangen::Man;
use clap_mangen::roff::{Inline, Roff, bold, roman};

use crate::config;
use crate::engine::explain::sentence;
use crate::engine::outcome::{Reason, Verdict};

pub use words::WORDS;
use words::{Described, verdict_words};

/// A page: the name of its file, as `linkmilter.toml.5`, and its text as roff.
pub struct Page {
    pub file: String,
    pub text: Vec<u8>,
}

/// All pages. `program` must be built, so that its commands know their names.
///
/// # Errors
/// Never: writing to memory does not fail.
pub fn pages(program: &Command) -> std::io::Result<Vec<Page>> {
    let mut pages = vec![daemon(program), settings(), reasons()];
    for command in commands(program) {
        let file = format!("{}.1", name(&command));
        pages.push(Page { file, text: of_command(command)? });
    }
    Ok(pages)
}

/// The program, its commands (`linkmilter-tld`) and those of each (`linkmilter-tld-list`).
fn commands(program: &Command) -> Vec<Command> {
    let mut found = vec![program.clone()];
    let mut next = 0;
    while let Some(command) = found.get(next) {
        let below: Vec<Command> =
            command.get_subcommands().filter(|below| !below.is_hide_set()).cloned().collect();
        found.extend(below);
        next += 1;
    }
    found
}

fn name(command: &Command) -> &str {
    command.get_display_name().unwrap_or_else(|| command.get_name())
}

/// The page of one command: its options, then what applies to every command.
fn of_command(mut command: Command) -> std::io::Result<Vec<u8>> {
    let own = name(&command).to_owned();
    let usage = command.render_usage().to_string();
    let below = command.get_subcommands().next().is_some();
    let man = Man::new(command).source("linkmilter").manual("linkmilter");
    let mut out = Vec::new();
    man.render_title(&mut out)?;
    man.render_name_section(&mut out)?;
    out.extend(synopsis(&usage));
    man.render_description_section(&mut out)?;
    man.render_options_section(&mut out)?;
    if below {
        man.render_subcommands_section(&mut out)?;
    }
    let mut more = Roff::new();
    examples(&mut more, &own);
    entries(&mut more, "FILES", &WORDS.files);
    entries(&mut more, "ENVIRONMENT", &WORDS.environment);
    exit_status(&mut more, &own);
    if own == "linkmilter-serve" {
        entries(&mut more, "SIGNALS", &WORDS.signals);
    }
    see_also(&mut more, &own);
    out.extend(more.to_roff().into_bytes());
    Ok(out)
}

/// linkmilter(8): the mail filter and how to run it.
fn daemon(program: &Command) -> Page {
    let mut page = begin("linkmilter", "8");
    section(&mut page, "NAME");
    text(&mut page, "linkmilter - a mail filter that reads links the way people do");
    section(&mut page, "SYNOPSIS");
    text(&mut page, "`linkmilter serve` [`--config` FILE] [`--listen` ADDRESS]...");
    text(&mut page, "`linkmilter` COMMAND ...");
    description(&mut page, &WORDS.about);
    section(&mut page, "COMMANDS");
    for command in program.get_subcommands().filter(|command| !command.is_hide_set()) {
        let about = command.get_about().map(ToString::to_string).unwrap_or_default();
        entry(&mut page, &format!("`{}`(1)", name(command)), &about);
    }
    entries(&mut page, "HEADER FIELDS", &WORDS.fields);
    examples(&mut page, "linkmilter");
    entries(&mut page, "FILES", &WORDS.files);
    entries(&mut page, "ENVIRONMENT", &WORDS.environment);
    exit_status(&mut page, "linkmilter");
    entries(&mut page, "SIGNALS", &WORDS.signals);
    see_also(&mut page, "");
    Page { file: "linkmilter.8".to_owned(), text: page.to_roff().into_bytes() }
}

/// linkmilter.toml(5): every setting.
fn settings() -> Page {
    let mut page = begin("linkmilter.toml", "5");
    section(&mut page, "NAME");
    text(&mut page, "linkmilter.toml - settings of linkmilter(8)");
    description(&mut page, &WORDS.layers);
    for chapter in config::reference() {
        section(&mut page, &format!("[{}]", chapter.name));
        text(&mut page, &config::joined(chapter.about));
        for key in chapter.keys {
            let default = if key.default.is_empty() { "" } else { " = " };
            let title = format!("`{}`{default}{}", key.name, key.default);
            entry(&mut page, &title, &format!("{} {}", config::joined(key.doc), key.takes()));
        }
    }
    examples(&mut page, "linkmilter-config");
    entries(&mut page, "FILES", &WORDS.files);
    entries(&mut page, "ENVIRONMENT", &WORDS.environment);
    see_also(&mut page, "linkmilter.toml");
    Page { file: "linkmilter.toml.5".to_owned(), text: page.to_roff().into_bytes() }
}

/// linkmilter-reasons(7): verdicts and reason codes.
fn reasons() -> Page {
    let mut page = begin("linkmilter-reasons", "7");
    section(&mut page, "NAME");
    text(&mut page, "linkmilter-reasons - verdicts and reason codes of linkmilter(8)");
    description(&mut page, &WORDS.judging);
    section(&mut page, "VERDICTS");
    for verdict in Verdict::ALL {
        entry(&mut page, &format!("`{verdict}`"), verdict_words(verdict));
    }
    section(&mut page, "REASONS");
    for reason in Reason::ALL {
        let about = format!("{} Explained as: {}.", reason.about(), sentence(*reason));
        entry(&mut page, &format!("`{}` ({})", reason.code(), reason.verdict()), &about);
    }
    entries(&mut page, "INCOMPLETE", &WORDS.incomplete);
    examples(&mut page, "linkmilter-check");
    see_also(&mut page, "linkmilter-reasons");
    Page { file: "linkmilter-reasons.7".to_owned(), text: page.to_roff().into_bytes() }
}

/// The usage as `--help` has it, with the values of options and what may be repeated.
fn synopsis(usage: &str) -> Vec<u8> {
    let mut page = Roff::new();
    section(&mut page, "SYNOPSIS");
    let usage = usage.strip_prefix("Usage:").unwrap_or(usage);
    usage.lines().for_each(|line| text(&mut page, line.trim()));
    page.to_roff().into_bytes()
}

fn examples(page: &mut Roff, command: &str) {
    let own: Vec<_> = WORDS.examples.iter().filter(|(of, _, _)| *of == command).collect();
    if own.is_empty() {
        return;
    }
    section(page, "EXAMPLES");
    for (_, line, what) in own {
        entry(page, &format!("`{line}`"), what);
    }
}

/// The exit codes of a command, and for the program and a command of commands those of all below it.
fn exit_status(page: &mut Roff, own: &str) {
    section(page, "EXIT STATUS");
    entry(page, "`0`", "Done.");
    let command = own.strip_prefix("linkmilter").unwrap_or(own).trim_start_matches('-');
    let command = command.replace('-', " ");
    let is_below = |name: &str| {
        let rest = name.strip_prefix(command.as_str());
        command.is_empty() || rest.is_some_and(|rest| rest.starts_with(' '))
    };
    if let Some((_, what)) = WORDS.negative.iter().find(|(name, _)| *name == command) {
        entry(page, "`1`", &format!("The answer is no: {what}."));
    } else {
        let below = WORDS.negative.iter().filter(|(name, _)| is_below(name));
        let below: Vec<String> = below.map(|(name, what)| format!("`{name}`: {what}")).collect();
        if !below.is_empty() {
            entry(page, "`1`", &format!("The answer is no. {}.", below.join("; ")));
        }
    }
    entry(page, "`2`", if command == "recall" { &WORDS.failed_in_part } else { &WORDS.failed });
    if command.is_empty() || command == "serve" {
        let of = if command.is_empty() { "Of `serve`: " } else { "" };
        entry(page, "`3`", &format!("{of}{}", WORDS.try_later));
    }
}

fn see_also(page: &mut Roff, own: &str) {
    section(page, "SEE ALSO");
    let pages = ["linkmilter(1)", "linkmilter(8)", "linkmilter.toml(5)", "linkmilter-reasons(7)"];
    let others = pages.into_iter().filter(|page| page.split('(').next() != Some(own));
    let others: Vec<&str> = others.chain(["postconf(5)", "systemctl(1)"]).collect();
    text(page, &others.join(", "));
}

fn begin(title: &str, number: &str) -> Roff {
    let mut page = Roff::new();
    let source = format!("linkmilter {}", env!("CARGO_PKG_VERSION"));
    page.control("TH", [title, number, "", source.as_str(), "linkmilter"]);
    page
}

fn section(page: &mut Roff, title: &str) {
    page.control("SH", [title]);
}

fn description(page: &mut Roff, paragraphs: &[String]) {
    section(page, "DESCRIPTION");
    for paragraph in paragraphs {
        text(page, paragraph);
    }
}

/// A section of names and their descriptions.
fn entries(page: &mut Roff, title: &str, entries: &[Described]) {
    section(page, title);
    for (name, what) in entries {
        entry(page, name, what);
    }
}

fn text(page: &mut Roff, paragraph: &str) {
    page.control("PP", []);
    page.text(inlines(paragraph));
}

fn entry(page: &mut Roff, title: &str, what: &str) {
    page.control("TP", []);
    page.text(inlines(title));
    page.text(inlines(what));
}

/// Makes words in backticks bold.
fn inlines(text: &str) -> Vec<Inline> {
    let pieces = text.split('`').enumerate().filter(|(_, piece)| !piece.is_empty());
    let style = |(index, piece): (usize, &str)| match index % 2 {
        0 => roman(piece),
        _ => bold(piece),
    };
    pieces.map(style).collect()
}
