//! `linkmilter explain`.

use std::fmt::Write as _;
use std::io::{self, IsTerminal};
use std::path::PathBuf;
use std::sync::Arc;

use anyhow::Context;

use super::ExitStatus;
use super::shared::{ConfigFile, host_name, settings_with_key, with_feeds};
use crate::config::Config;
use crate::daemon::envelope::observe;
use crate::daemon::{contacts, recipes};
use crate::engine::Facts;
use crate::engine::cost::Stage;
use crate::engine::explain::{CHARACTERS, characters_of, difference, in_front_of_target};
use crate::engine::mime::{self, ClientView, Message, Part, Why};
use crate::engine::outcome::{Done, Verdict};
use crate::engine::policy::{Defang, Policy};
use crate::engine::span::TextEdit;
use crate::engine::splice::{self, Believe, restore_as};
use crate::engine::trace::{Trace, Traced, trace};
use crate::plural::counted;
use crate::policy::{Envelope, Policies};
use crate::recall::header::recalls;
use crate::record::defang::visible;
use crate::record::event::mode_word;
use crate::record::printable::defanged;

/// Show a message as the engine sees it
///
/// The parts with their layers, every link with its verdict, reasons and edits, and the rule that
/// applies: without an envelope, of those that depend on the header alone; of a message that the filter has edited whether that can be undone, and whether links of
/// it were recalled. Banners and the tag of the Subject stand in what `rewrite` writes.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The envelope that selects the rule: the sender and a recipient
    #[arg(long = "as", value_name = "SENDER,RECIPIENT")]
    envelope: Option<String>,
    #[command(flatten)]
    config: ConfigFile,
    /// The message [default: standard input]
    message: Option<PathBuf>,
}

pub fn run(args: Args) -> anyhow::Result<ExitStatus> {
    let config = args.config.load()?;
    let settings = config.user_settings()?;
    let bytes = super::input::message(args.message.as_deref())?;
    let message = Message::split(&bytes);
    let given = args.envelope.as_deref().map(envelope).transpose()?;
    let is_given = given.is_some();
    let mut envelope = given.unwrap_or_default();
    let host_name = host_name(&config);
    observe(&mut envelope, message.head, &settings.policies, &host_name);
    let selected = match is_given {
        true => settings.policies.select(&envelope).policy,
        false => settings.policies.select_by_header(&envelope),
    };
    let policy = with_feeds(&config, &selected);
    let recipients = envelope.recipients.iter().filter_map(|to| to.rsplit_once('@'));
    let facts = Facts {
        recipient_domains: recipients.map(|(_, domain)| domain.to_lowercase()).collect(),
        dmarc: settings.policies.dmarc(&envelope, &host_name),
        ..Facts::default()
    };
    let trace_result = trace(message, &facts, &policy, &super::tld::table(&config));
    let use_color = io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none();
    let color = if use_color { Color::Ansi } else { Color::Plain };
    let contact = first_contact(message, &envelope, &config, &settings.policies);
    let page = page(message, &policy, &trace_result, color)
        + &earlier_changes(message, &config)
        + &contact;
    super::print(&page)
}

/// What a filter or a recall did to the message before, and whether it can be undone.
fn earlier_changes(message: Message<'_>, config: &Config) -> String {
    let mut out = String::new();
    for hosts in recalls(message.head) {
        let hosts: Vec<String> = hosts.iter().map(|host| defanged(host)).collect();
        let _ = writeln!(out, "recalled: links to {}", hosts.join(", "));
    }
    if !splice::has_recipe(message.head) {
        return out;
    }
    let policy = daemon_policy(config);
    let directory = recipes::directory(config);
    let stored = |digest: &str| recipes::read(&directory, digest).ok();
    let keys = policy.known_keys();
    let restored = restore_as(message.head, message.body, &keys, Believe::All, stored);
    let _ = match restored {
        Ok(restored) => {
            let seal = match (restored.seal, keys.is_empty()) {
                (splice::SealedBy::Ours, _) => "with a seal of this filter",
                (splice::SealedBy::Foreign, _) => "with a seal that is NOT of this filter",
                (splice::SealedBy::Unknown, true) => "and no key can be read to check a seal with",
                (splice::SealedBy::Unknown, false) => "without a seal",
            };
            writeln!(out, "recipe: restores the original, {seal}")
        }
        Err(why) => writeln!(out, "recipe: restores nothing: {why}"),
    };
    out
}

/// The policy of the daemon with its keys. If this user may not read a key, no seal can be checked,
/// which is no error.
fn daemon_policy(config: &Config) -> Arc<Policy> {
    let settings = settings_with_key(config).or_else(|_| config.user_settings());
    settings.map(|settings| settings.policies.default_policy()).unwrap_or_default()
}

/// Whether the recipient knows the author, if `banner.first_contact` is on.
fn first_contact(
    message: Message<'_>,
    envelope: &Envelope,
    config: &Config,
    policies: &Policies,
) -> String {
    if !config.banner.first_contact {
        return String::new();
    }
    let asked = (message.head, envelope, policies);
    let contact = contacts::explain(&config.contacts_file(), &daemon_policy(config), asked);
    contact.map(|contact| format!("contact: {contact}\n")).unwrap_or_default()
}

fn envelope(words: &str) -> anyhow::Result<Envelope> {
    // A bounce has no sender; every message has a recipient.
    let both = words.split_once(',').filter(|(_, recipient)| !recipient.trim().is_empty());
    let (sender, recipient) = both.with_context(|| {
        format!("expected --as SENDER,RECIPIENT with a comma between, found {words:?}")
    })?;
    Ok(Envelope {
        sender: sender.trim().to_owned(),
        recipients: vec![recipient.trim().to_owned()],
        ..Envelope::default()
    })
}

/// Whether verdicts are colored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Color {
    Plain,
    Ansi,
}

impl Color {
    fn verdict(self, verdict: Verdict) -> String {
        let code = match verdict {
            Verdict::Ok => "32",
            Verdict::Notice => "36",
            Verdict::Suspect => "33",
            Verdict::Unsafe | Verdict::Invalid => "31;1",
        };
        self.with(code, verdict.as_str())
    }

    fn with(self, code: &str, text: &str) -> String {
        match self {
            Color::Plain => text.to_owned(),
            Color::Ansi => format!("\x1b[{code}m{text}\x1b[0m"),
        }
    }
}

fn page(message: Message<'_>, policy: &Policy, trace_result: &Trace, color: Color) -> String {
    let mode = mode_word(policy.mode);
    let all = if policy.defang == Defang::All { ", every link defanged" } else { "" };
    let mut out = format!(
        "message: header {} bytes, body {} bytes, {}\nrule: {} ({mode}{all}{})\n",
        message.head.len(),
        message.body.len(),
        counted(trace_result.tree.parts.len(), "part"),
        policy.rule,
        policy.exempt.as_ref().map(|why| format!(", exempt: {why}")).unwrap_or_default(),
    );
    section(
        &mut out,
        "header",
        trace_result.links.iter().filter(|link| link.part.is_none()),
        color,
    );
    for (index, part) in trace_result.tree.parts.iter().enumerate() {
        let title = title(message, trace_result, index, part);
        let here = trace_result.links.iter().filter(|link| link.part == Some(index));
        section(&mut out, &title, here, color);
    }
    for (part, bypass) in &trace_result.bypasses {
        let _ = writeln!(out, "\nnot read: part {part}: {}", visible(&bypass.to_string()));
    }
    let stages = Stage::ALL.map(|stage| (stage.as_str(), trace_result.cost.of(stage)));
    let stages: Vec<_> = stages
        .iter()
        .filter(|(_, steps)| *steps > 0)
        .map(|(name, n)| format!("{name} {n}"))
        .collect();
    let _ = writeln!(out, "\ncost: {} steps: {}", trace_result.cost.all(), stages.join(", "));
    out
}

/// Why a part exists that most programs do not show, and the rows of the table in
/// `docs/mail-programs.md` with the programs that show it.
fn seen_by(why: Why) -> (&'static str, &'static str) {
    match why {
        Why::Label => ("another label, or another reading of one", "tokens, odd fields, base64"),
        Why::Header => ("the body begins where the header is broken", "duplicate and odd fields"),
        Why::Boundary => ("another delimiter than the declared one", "boundaries"),
        Why::Stray => ("a delimiter that nobody declared", "delimiters and line ends"),
        Why::Message => ("opened as a message", "messages"),
        Why::Wrapped => ("unwrapped", "PKCS#7, compressed pictures"),
        Why::Text => ("the whole as text", "boundaries"),
    }
}

/// `part 1.2: html, signed; base64 → utf-8`, with every transfer encoding and charset.
fn title(message: Message<'_>, trace_result: &Trace, index: usize, part: &Part) -> String {
    let mut title = format!("part {}: {}", part.path, format!("{:?}", part.media).to_lowercase());
    if !part.surroundings.signed.is_empty() {
        title.push_str(", signed");
    }
    if part.surroundings.attachment {
        title.push_str(", attachment");
    }
    if let ClientView::Other(why) = part.view {
        let (what, who) = seen_by(why);
        let _ = write!(title, ", seen by some: {what} (docs/mail-programs.md: {who})");
    }
    for (number, reading) in mime::readings(message, &trace_result.tree, index).enumerate() {
        let or = if number == 0 { ";" } else { " or" };
        let _ = write!(title, "{or} {} → {}", reading.transfer.as_str(), reading.charset.name());
    }
    title
}

fn section<'a>(
    out: &mut String,
    title: &str,
    links: impl Iterator<Item = &'a Traced>,
    color: Color,
) {
    let _ = writeln!(out, "\n{}", color.with("1", title));
    for link in links {
        let finding = &link.finding;
        let reasons: Vec<&str> = finding.reasons.iter().map(|reason| reason.code()).collect();
        let done = match finding.done {
            Done::Reported => "",
            Done::Edited => ", edited",
            Done::Exempt => ", exempt",
        };
        let _ = writeln!(out, "  {}", visible(&finding.spelling));
        let _ = writeln!(
            out,
            "    {}{}{}{done}; {}, bytes {}..{}",
            color.verdict(finding.verdict),
            if reasons.is_empty() { "" } else { ": " },
            reasons.join(", "),
            visible(&finding.place.to_string()),
            finding.span.start,
            finding.span.end,
        );
        if !finding.ascii.is_empty() && finding.ascii != finding.unicode {
            let (unicode, ascii) = (visible(&finding.unicode), visible(&finding.ascii));
            let _ = writeln!(out, "    host {unicode} = {ascii}");
        }
        if let Some(target) = &finding.target {
            let how = difference(&finding.unicode, target).map(|how| format!(" ({how})"));
            let front = in_front_of_target(finding.reasons);
            let how = how.unwrap_or_default();
            let _ = writeln!(out, "    {front} {}", visible(&format!("{target}{how}")));
        }
        for list in &finding.lists {
            let _ = writeln!(out, "    in {}", visible(list));
        }
        for character in characters_of(finding.unicode.chars(), CHARACTERS) {
            let _ = writeln!(out, "    {}", visible(&character.words()));
        }
        if let Some(tld) = &link.question {
            let _ = writeln!(out, "    a link if the DNS knows .{}", visible(tld));
        }
        edits(out, &link.edits);
    }
}

fn edits(out: &mut String, edits: &[TextEdit]) {
    for edit in edits {
        let _ = writeln!(
            out,
            "    text {}..{} becomes {:?}",
            edit.range.start, edit.range.end, edit.replacement
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(message: &str) -> String {
        let message = Message::split(message.as_bytes());
        let policy = Policy::default();
        let trace_result = trace(message, &Facts::default(), &policy, &crate::tld::builtin());
        page(message, &policy, &trace_result, Color::Plain)
    }

    #[test]
    fn the_page_shows_parts_links_and_edits() {
        let page = shown(
            "From: a@example.com\r\nContent-Type: text/plain; charset=utf-8\r\n\r\nhttp://p\u{430}ypal.com/\u{202E}\r\n",
        );
        for piece in [
            "rule: default (enforce)",
            "part 1: plain",
            "8bit → utf-8",
            "xn--pypal-4ve.com",
            "becomes \"[.]\"",
            "mixed-script",
        ] {
            assert!(page.contains(piece), "{piece}:\n{page}");
        }
        assert!(!page.contains('\u{202E}'));
    }

    #[test]
    fn control_characters_of_a_message_are_escaped() {
        let page = shown(
            "Content-Type: text/html; charset=utf-8\r\n\r\n<x\u{1b}]0;owned\u{7}\u{202E} href=\"https://p\u{430}ypal.com/\">\r\n",
        );
        assert!(page.contains(r"x\u{1b}]0;owned\u{7}\u{202e}[href]"), "{page}");
        assert!(!page.contains(|c: char| c.is_control() && c != '\n' || c == '\u{202E}'), "{page}");
        // A host that the DNS could not hold has no other ASCII form.
        let page = shown(
            "Content-Type: text/html; charset=utf-8\r\n\r\n<a href=\"https://p\u{430}y\u{1b}[2J\u{7f}pal.com/\">\r\n",
        );
        assert!(!page.contains(|c: char| c.is_control() && c != '\n'), "{page}");
    }

    #[test]
    fn a_part_that_only_some_see_says_why() {
        let page = shown(
            "Content-Type: text/plain\r\nContent-Type: text/html\r\n\r\n<a href=//example.com>x</a>\r\n",
        );
        assert!(page.contains("html, seen by some: another label"), "{page}");
    }

    #[test]
    fn an_envelope_needs_its_comma_and_a_recipient() {
        assert!(envelope("a@example.com").is_err());
        assert_eq!(envelope("a@x, b@y").unwrap().recipients, ["b@y"]);
        assert_eq!(envelope(", b@y").unwrap().sender, "", "a bounce");
        assert!(envelope("a@x,").is_err() && envelope(",").is_err());
    }
}
