//! The manual pages, out of what the program itself is made of: option definitions, the schema of
//! the configuration, the reason codes. Only what no definition says is written here.

use clap::Command;
use clap_mangen::Man;
use clap_mangen::roff::{Inline, Roff, bold, roman};

use crate::config::{self, DEFAULT_FILE, ENVIRONMENT_PREFIX};
use crate::engine::explain::sentence;
use crate::engine::outcome::{Reason, Verdict};

/// A page: the name of its file, as `linkmilter.toml.5`, and its text as roff.
pub struct Page {
    pub file: String,
    pub text: Vec<u8>,
}

/// All pages. `program` is built, so that its commands know their names.
///
/// # Errors
/// None: writing to memory does not fail.
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

/// The page of one command: its options, then what holds for every command.
fn of_command(command: Command) -> std::io::Result<Vec<u8>> {
    let own = name(&command).to_owned();
    let below = command.get_subcommands().next().is_some();
    let man = Man::new(command).source("linkmilter").manual("linkmilter");
    let mut out = Vec::new();
    man.render_title(&mut out)?;
    man.render_name_section(&mut out)?;
    man.render_synopsis_section(&mut out)?;
    man.render_description_section(&mut out)?;
    man.render_options_section(&mut out)?;
    if below {
        man.render_subcommands_section(&mut out)?;
    }
    let mut more = Roff::new();
    examples(&mut more, &own);
    files(&mut more);
    environment(&mut more);
    exit_status(&mut more);
    if own == "linkmilter-serve" {
        signals(&mut more);
    }
    see_also(&mut more, &own);
    out.extend(more.to_roff().into_bytes());
    Ok(out)
}

/// linkmilter(8): the mail filter and how it is run.
fn daemon(program: &Command) -> Page {
    let mut page = begin("linkmilter", "8");
    section(&mut page, "NAME");
    text(&mut page, "linkmilter - a mail filter that reads links the way people do");
    section(&mut page, "SYNOPSIS");
    text(&mut page, "`linkmilter serve` [`--config` FILE] [`--listen` ADDRESS]...");
    text(&mut page, "`linkmilter` COMMAND ...");
    section(&mut page, "DESCRIPTION");
    for paragraph in ABOUT {
        text(&mut page, paragraph);
    }
    section(&mut page, "COMMANDS");
    for command in program.get_subcommands().filter(|command| !command.is_hide_set()) {
        let about = command.get_about().map(ToString::to_string).unwrap_or_default();
        entry(&mut page, &format!("`{}`(1)", name(command)), &about);
    }
    section(&mut page, "HEADER FIELDS");
    for (field, what) in FIELDS {
        entry(&mut page, field, what);
    }
    examples(&mut page, "linkmilter");
    files(&mut page);
    environment(&mut page);
    exit_status(&mut page);
    signals(&mut page);
    see_also(&mut page, "");
    Page { file: "linkmilter.8".to_owned(), text: page.to_roff().into_bytes() }
}

/// linkmilter.toml(5): every setting.
fn settings() -> Page {
    let mut page = begin("linkmilter.toml", "5");
    section(&mut page, "NAME");
    text(&mut page, "linkmilter.toml - settings of linkmilter(8)");
    section(&mut page, "DESCRIPTION");
    for paragraph in LAYERS {
        text(&mut page, paragraph);
    }
    for chapter in config::reference() {
        section(&mut page, &format!("[{}]", chapter.name));
        text(&mut page, &chapter.about);
        for key in chapter.keys {
            let default = if key.default.is_empty() { "" } else { " = " };
            let title = format!("`{}`{default}{}", key.name, key.default);
            let restart = if key.needs_restart { " Needs a restart." } else { "" };
            entry(&mut page, &title, &format!("{} Takes {}.{restart}", key.about, key.takes));
        }
    }
    examples(&mut page, "linkmilter-config");
    files(&mut page);
    environment(&mut page);
    see_also(&mut page, "linkmilter.toml");
    Page { file: "linkmilter.toml.5".to_owned(), text: page.to_roff().into_bytes() }
}

/// linkmilter-reasons(7): verdicts and reason codes.
fn reasons() -> Page {
    let mut page = begin("linkmilter-reasons", "7");
    section(&mut page, "NAME");
    text(&mut page, "linkmilter-reasons - verdicts and reason codes of linkmilter(8)");
    section(&mut page, "DESCRIPTION");
    for paragraph in JUDGING {
        text(&mut page, paragraph);
    }
    section(&mut page, "VERDICTS");
    for verdict in Verdict::ALL {
        entry(&mut page, &format!("`{verdict}`"), verdict_words(verdict));
    }
    section(&mut page, "REASONS");
    for reason in Reason::ALL {
        let about = format!("{} Told as: {}.", reason.about(), sentence(*reason));
        entry(&mut page, &format!("`{}` ({})", reason.code(), reason.verdict()), &about);
    }
    section(&mut page, "INCOMPLETE");
    for (cause, what) in INCOMPLETE {
        entry(&mut page, cause, what);
    }
    examples(&mut page, "linkmilter-check");
    see_also(&mut page, "linkmilter-reasons");
    Page { file: "linkmilter-reasons.7".to_owned(), text: page.to_roff().into_bytes() }
}

const ABOUT: [&str; 4] = [
    "linkmilter is a milter for Postfix and Sendmail. It finds every link and mail address of a \
     message, in every script, judges each host as a reader would see it, takes apart the ones \
     that deceive, and leaves every other byte of the message as it was.",
    "A message in which nothing is edited goes on byte for byte, so its signatures hold. What was \
     edited can be taken back by `linkmilter restore`. When anything fails, the mail goes on, and \
     header, log and counters say why; `policy.on_error` and its neighbours choose otherwise.",
    "Without a configuration `linkmilter serve` runs on built-in settings at \
     inet:8895@127.0.0.1. Sockets that systemd hands over come on top of those that are \
     configured.",
    "Nothing of a message is fetched or sent anywhere. The DNS is asked for unknown top-level \
     domains alone.",
];

const FIELDS: [(&str, &str); 3] = [
    (
        "`X-Linkmilter`",
        "One a message: version, host, worst verdict, numbers of links and of edits, reason codes, \
         `incomplete=` with what was not read, `opaque=` with the number of encrypted parts.",
    ),
    ("`X-Linkmilter-Link`", "At most ten: hosts of suspect and worse links, taken apart."),
    ("`X-Linkmilter-Undo`", "What `linkmilter restore` needs to take the edits back."),
];

const LAYERS: [&str; 3] = [
    "Layers, later ones win: built-in settings; the file named by `--config`, else \
     /etc/linkmilter/linkmilter.toml if it is there; conf.d/*.toml beside that file, in the order \
     of their names; the environment (`LINKMILTER_DNS__MODE` is `dns.mode`); options of the \
     command line. Tables merge key by key, anything else is replaced.",
    "`linkmilter config check` says what was read and names everything that is wrong, \
     `linkmilter config print` shows every setting that holds and where it comes from. A reload \
     (SIGHUP) reads everything anew; with an error the old settings stay in force. Messages on \
     their way keep the settings they began with.",
    "The form is TOML. Units of time: ms s m h d. Units of size: B kB KiB MB MiB GB GiB, or a number \
     of bytes. Behind each key stands the built-in value.",
];

const JUDGING: [&str; 3] = [
    "A host takes its worst label, a link the worst of its hosts, a message the worst of its \
     links. Every reason has a verdict, which the context can soften.",
    "By default `unsafe` and `invalid` are edited and everything else is reported. \
     `policy.profile` moves that line; `policy.actions` and `policy.message_actions` set it for a \
     verdict or for a reason code, and a reason beats a verdict. In linkmilter.toml(5): \
     actions = { userinfo = \"leave\", suspect = \"defang\" }.",
    "The codes stand in `X-Linkmilter`, in the log, in `linkmilter check` and in all JSON.",
];

const INCOMPLETE: [(&str, &str); 4] = [
    (
        "`limit:NAME`",
        "A bound of linkmilter.toml(5) was reached: what it bounds is not read further. What was \
         found before is edited all the same.",
    ),
    ("`undecodable:CAUSE`", "A part could not be decoded; it went on as it came."),
    ("`panic`", "The engine failed; the message went on as it came. Please report it."),
    ("`opaque=N`", "Parts that nobody can look into: encrypted, PKCS#7, archives."),
];

const fn verdict_words(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Ok => "Nothing to say.",
        Verdict::Notice => "Unusual, and told; a reader is not deceived.",
        Verdict::Suspect => "May deceive a reader. Told; edited by the profile strict.",
        Verdict::Unsafe => "Deceives a reader. Edited by the profiles enforce and strict.",
        Verdict::Invalid => "No client should follow it. Edited as unsafe is.",
    }
}

/// Lines that work as they stand; a test has the program read each of them.
pub const EXAMPLES: &[(&str, &str, &str)] = &[
    (
        "linkmilter",
        "linkmilter serve --listen inet:8895@127.0.0.1",
        "Filter mail for an MTA at this port.",
    ),
    ("linkmilter", "linkmilter config check", "Say what a daemon would read, and what is wrong."),
    ("linkmilter", "linkmilter why 4XyzAB", "Say what was done to a message, by its queue id."),
    ("linkmilter", "linkmilter find example[.]com --since 7d", "Say who got a link to a host."),
    (
        "linkmilter-serve",
        "linkmilter serve --config /etc/linkmilter/linkmilter.toml",
        "Filter by this configuration.",
    ),
    ("linkmilter-rewrite", "linkmilter rewrite message.eml", "Write the filtered message."),
    (
        "linkmilter-rewrite",
        "linkmilter rewrite --defang-all --no-header message.eml",
        "Take every link apart, to share the message.",
    ),
    (
        "linkmilter-restore",
        "linkmilter restore filtered.eml",
        "Write the original, if its hash agrees.",
    ),
    ("linkmilter-check", "linkmilter check xn--80ak6aa92e.com", "Judge a host in words."),
    (
        "linkmilter-check",
        "linkmilter check --json https://www.example.com@192.0.2.1/",
        "Judge a URL as JSON.",
    ),
    (
        "linkmilter-links",
        "linkmilter links --mark notes.txt",
        "Print a text with its links marked.",
    ),
    (
        "linkmilter-format",
        "linkmilter format https://example.com/%C3%A4",
        "Write a URL minimally escaped.",
    ),
    ("linkmilter-linkify", "linkmilter linkify notes.txt", "Turn text into HTML with anchors."),
    (
        "linkmilter-scan",
        "linkmilter scan --format summary Maildir archive.mbox.zst",
        "Tables of what is in archives.",
    ),
    (
        "linkmilter-scan",
        "linkmilter scan --resume scan.journal --out findings.jsonl archive.mbox",
        "A scan that can be taken up again.",
    ),
    ("linkmilter-tld", "linkmilter tld", "The version of the table, and where it is from."),
    (
        "linkmilter-tld-check",
        "linkmilter tld check com example.museum",
        "Say whether names are top-level domains.",
    ),
    ("linkmilter-tld-update", "linkmilter tld update", "Fetch a newer table."),
    ("linkmilter-config", "linkmilter config print", "Every setting with its origin."),
    (
        "linkmilter-config-check",
        "linkmilter config check --quiet",
        "Say nothing but what is wrong.",
    ),
    (
        "linkmilter-explain",
        "linkmilter explain --as ann@example.org,bob@example.com message.eml",
        "Parts, links, verdicts and edits, by the rule for this envelope.",
    ),
    ("linkmilter-why", "linkmilter why 4XyzAB", "By the MTA's queue id."),
    (
        "linkmilter-why",
        "linkmilter why <17@mail.example.org>",
        "By the Message-ID (quote it for the shell).",
    ),
    (
        "linkmilter-find",
        "linkmilter find hxxps://example[.]com/login",
        "By a host, as it stands in a report.",
    ),
    (
        "linkmilter-find",
        "linkmilter find --recipient-domain example.org --since 24h --json",
        "What went to a domain, as JSON.",
    ),
    ("linkmilter-allow", "linkmilter allow list", "What is never edited."),
    (
        "linkmilter-allow-add",
        "linkmilter allow add example.com",
        "Never edit a host and all below it.",
    ),
    ("linkmilter-allow-remove", "linkmilter allow remove example.com", "Judge it again."),
    ("linkmilter-block", "linkmilter block list", "What is unsafe because you say so."),
    (
        "linkmilter-block-add",
        "linkmilter block add example[.]com hxxp://example[.]net/x",
        "Take links to these hosts apart.",
    ),
    ("linkmilter-digest", "linkmilter digest --since 7d", "What was done in a week."),
    (
        "linkmilter-generate-man",
        "linkmilter generate man linkmilter.toml",
        "This manual's page of the settings.",
    ),
];

fn examples(page: &mut Roff, command: &str) {
    let own: Vec<_> = EXAMPLES.iter().filter(|(of, _, _)| *of == command).collect();
    if own.is_empty() {
        return;
    }
    section(page, "EXAMPLES");
    for (_, line, what) in own {
        entry(page, &format!("`{line}`"), what);
    }
}

fn files(page: &mut Roff) {
    section(page, "FILES");
    entry(page, DEFAULT_FILE, "The configuration; see linkmilter.toml(5).");
    entry(page, "/etc/linkmilter/conf.d/*.toml", "Pieces of it, read after it by name.");
    entry(
        page,
        "/etc/linkmilter/allow.txt, blocked.txt, protected.txt",
        "Lists of hosts: one a line, with all below it.",
    );
    entry(
        page,
        "/var/lib/linkmilter",
        "What is kept (`server.state_dir`): the event journal, big undo recipes, the table of \
         top-level domains, linkmilter.pid, reload.json with what became of the last reload.",
    );
}

fn environment(page: &mut Roff) {
    section(page, "ENVIRONMENT");
    entry(
        page,
        &format!("`{ENVIRONMENT_PREFIX}_SECTION__KEY`"),
        "A setting: LINKMILTER_DNS__MODE=never is dns.mode. Lists with commas. A name that is no \
         setting is an error.",
    );
    entry(page, "`NO_COLOR`", "No colours in `linkmilter explain`.");
    entry(
        page,
        "`LISTEN_FDS`, `NOTIFY_SOCKET`, `WATCHDOG_USEC`",
        "As systemd sets them for `linkmilter serve`; see sd_listen_fds(3) and sd_notify(3).",
    );
}

fn exit_status(page: &mut Roff) {
    section(page, "EXIT STATUS");
    entry(page, "`0`", "Done. `rewrite`, `links`, `format` and `linkify` know 0 and 2 alone.");
    entry(
        page,
        "`1`",
        "The answer is no: `check` found something suspect or worse, `scan` has findings, \
         `restore` found another hash, `config check` found errors, `tld check` a name that is not \
         there, `why` and `find` no message, `allow remove` and `block remove` no such line.",
    );
    entry(page, "`2`", "It could not be done; standard error says what was expected and found.");
}

fn signals(page: &mut Roff) {
    section(page, "SIGNALS");
    entry(
        page,
        "`SIGHUP`",
        "Reads configuration, lists and keys anew. With an error the old ones stay in force; log, \
         metrics and reload.json say so.",
    );
    entry(
        page,
        "`SIGTERM`, `SIGINT`",
        "Finishes the messages that have begun, for `server.drain` at most, and ends.",
    );
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

fn text(page: &mut Roff, paragraph: &str) {
    page.control("PP", []);
    page.text(inlines(paragraph));
}

fn entry(page: &mut Roff, title: &str, what: &str) {
    page.control("TP", []);
    page.text(inlines(title));
    page.text(inlines(what));
}

/// Words between backticks are bold.
fn inlines(text: &str) -> Vec<Inline> {
    let pieces = text.split('`').enumerate().filter(|(_, piece)| !piece.is_empty());
    let style = |(index, piece): (usize, &str)| match index % 2 {
        0 => roman(piece),
        _ => bold(piece),
    };
    pieces.map(style).collect()
}
