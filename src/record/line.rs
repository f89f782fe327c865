//! A message in one line, for the log.

use std::fmt::Write;

use super::digest::target_words;
use super::event::{Action, Event, HostDone, HostEntry, ORIGINAL};
use super::printable;
use crate::engine::explain::sentence;
use crate::engine::outcome::{Reason, Verdict};
use crate::plural::{counted, verb};

/// Hosts in a line; the journal holds more.
const MAX_HOSTS: usize = 4;

/// Queue id, verdict, what was done, hosts with the cause in words, sender, size and time:
/// `4XyzAB: unsafe, edited 2 of 4 links; xn--ypal-43d9g[.]com edited: its letters do not belong
/// together (mixed-script); from example[.]org to example[.]net; 2048 bytes in 321 us`.
/// ASCII, without a line end.
pub fn line(event: &Event) -> String {
    let id = match event.queue_id.as_str() {
        "" => "(no queue id)".to_owned(),
        id => printable::queue_id(id),
    };
    let mut out = format!("{id}: {}, {}", event.verdict, action_words(event));
    // Writing to a String cannot fail, here and below.
    if !event.broken.is_empty() {
        let kinds = printable::label(&event.broken.join(","));
        let _ = write!(out, "; the edits break signatures: {kinds}");
    }
    let suspects = event.hosts.iter().filter(|entry| entry.verdict >= Verdict::Suspect);
    for entry in suspects.clone().take(MAX_HOSTS) {
        push_host(&mut out, entry, event.action);
    }
    let more = suspects.count().saturating_sub(MAX_HOSTS) as u64 + event.hosts_omitted;
    if more > 0 {
        let _ = write!(out, "; {}", counted(more, "more host"));
    }
    for cause in event.bypasses.keys() {
        let _ = write!(
            out,
            "; not read in full: {} ({})",
            bypass_words(cause),
            printable::label(cause)
        );
    }
    // An action of these names it already.
    let is_said = matches!(event.action, Action::Exempted | Action::Restored);
    if let Some(exempt) = event.exempt.as_ref().filter(|_| !is_said) {
        let _ = write!(out, "; exempt from edits: {}", printable::label(exempt));
    }
    if let Some(reason) = event.restore.as_deref().filter(|word| *word != ORIGINAL) {
        let _ = write!(out, "; not restored: {}", printable::label(reason));
    }
    if let Some(word) = &event.undo {
        let _ = write!(out, "; undo={}", printable::label(word));
    }
    let _ = write!(out, "; from {}", printable::sender(&event.sender));
    if let Some(first) = event.recipients.first() {
        let _ = write!(out, " to {}", printable::defanged(first));
    }
    let more = event.recipients.len().saturating_sub(1) as u64 + event.recipients_omitted;
    if more > 0 {
        let _ = write!(out, " and {}", counted(more, "more domain"));
    }
    let _ = write!(out, "; {} bytes in {} us", event.bytes, event.engine_us);
    if event.dns_us > 0 {
        let _ = write!(out, ", {} us for the DNS", event.dns_us);
    }
    if event.rule != "default" {
        let _ = write!(out, "; rule {}", printable::label(&event.rule));
    }
    out
}

fn action_words(event: &Event) -> String {
    let links = counted(event.links, "link");
    let left = match event.links {
        0 => "no link".to_owned(),
        count => format!("{links} left as {}", verb(count, "it is", "they are")),
    };
    match event.action {
        Action::Passed => format!("passed with {links}"),
        Action::Reported => format!("reported, {left}"),
        Action::Exempted => format!("exempt{}, {left}", because(event)),
        Action::Marked => format!("a tag or a banner added, {left}"),
        Action::Edited => format!("edited {} of {links}", event.edited),
        Action::Restored => format!("restored to its original, {links}"),
        Action::Quarantined => format!("quarantined, {links}"),
        Action::Tempfailed => format!("deferred (451), {links}"),
        Action::Rejected => format!("rejected, {links}"),
        Action::Discarded => format!("discarded, {links}"),
    }
}

/// Why the message is exempt, in brackets.
fn because(event: &Event) -> String {
    let exempt = event.exempt.as_deref();
    exempt.map(|exempt| format!(" ({})", printable::label(exempt))).unwrap_or_default()
}

fn push_host(out: &mut String, entry: &HostEntry, action: Action) {
    let name = printable::host_of_link(&entry.host);
    let _ = match (entry.done, action) {
        // That is said of the whole message.
        (HostDone::Exempted, Action::Exempted | Action::Restored) => write!(out, "; {name}"),
        (done, _) => write!(out, "; {name} {}", done.as_str()),
    };
    let mut between = ": ";
    for code in said_reasons(entry) {
        let sentence = Reason::from_code(code).map_or("of a newer version", sentence);
        let _ = write!(out, "{between}{sentence} ({})", entry.code_with_lists(code));
        between = ", ";
    }
    if let Some(target) = &entry.target {
        let words = target_words(&entry.reasons);
        let _ = write!(out, "{between}{words} {}", printable::defanged(target));
        if says_target(entry) {
            let _ = write!(out, " ({})", Reason::TargetLookalike.code());
        }
    }
}

/// Whether "reads as NAME" says what the reason `target-lookalike` does.
fn says_target(entry: &HostEntry) -> bool {
    let code = Reason::TargetLookalike.code();
    entry.target.is_some() && entry.reasons.iter().any(|reason| reason == code)
}

/// The codes that need a sentence of their own.
fn said_reasons(entry: &HostEntry) -> impl Iterator<Item = &String> {
    let is_said = says_target(entry);
    let lookalike = Reason::TargetLookalike.code();
    entry.reasons.iter().filter(move |code| !(is_said && *code == lookalike))
}

/// A cause of [`Event::bypasses`] in words.
pub fn bypass_words(cause: &str) -> &'static str {
    match cause.split_once(':').map_or(cause, |(kind, _)| kind) {
        "panic" => "the filter failed on it",
        "opaque" => "a part is encrypted or of a kind that is not read",
        "limit" => "a limit was reached",
        _ => "of a newer version",
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// A message in which links were edited.
    pub fn event() -> Event {
        Event {
            queue_id: "4XyzAB".into(),
            verdict: Verdict::Unsafe,
            action: Action::Edited,
            rule: "default".into(),
            sender: "example.org".into(),
            recipients: vec!["example.net".into(), "example.se".into()],
            bytes: 2_048,
            links: 4,
            edited: 2,
            hosts: vec![HostEntry {
                host: "xn--ypal-43d9g.com".into(),
                verdict: Verdict::Unsafe,
                reasons: vec!["mixed-script".into()],
                target: Some("paypal.com".into()),
                lists: Vec::new(),
                done: HostDone::Edited,
                count: 2,
            }],
            bypasses: [("limit:depth".to_owned(), 1)].into(),
            engine_us: 321,
            ..Event::default()
        }
    }

    #[test]
    fn a_message_in_one_line() {
        let broken = vec!["dkim".into(), "smime".into()];
        insta::assert_snapshot!(line(&Event { broken, ..event() }), @"4XyzAB: unsafe, edited 2 of 4 links; the edits break signatures: dkim,smime; xn--ypal-43d9g[.]com edited: its letters do not belong together (mixed-script), reads as paypal[.]com; not read in full: a limit was reached (limit:depth); from example[.]org to example[.]net and 1 more domain; 2048 bytes in 321 us");
        let clean = Event { rule: "default".into(), queue_id: "4A".into(), ..Event::default() };
        insta::assert_snapshot!(line(&clean), @"4A: ok, passed with 0 links; from <>; 0 bytes in 0 us");
    }

    #[test]
    fn what_is_said_of_the_message_is_not_said_again_of_its_hosts() {
        let listed = HostEntry {
            host: "bad.example".into(),
            verdict: Verdict::Unsafe,
            reasons: vec!["listed".into(), "target-lookalike".into()],
            lists: vec!["feeds.malware".into(), "lists.blocked".into()],
            target: Some("paypal.com".into()),
            done: HostDone::Exempted,
            count: 1,
        };
        let event = |action, done| Event {
            action,
            links: 1,
            exempt: Some("authenticated".into()),
            hosts: vec![HostEntry { done, ..listed.clone() }],
            bypasses: Default::default(),
            recipients: Vec::new(),
            ..event()
        };
        let exempt = line(&event(Action::Exempted, HostDone::Exempted));
        insta::assert_snapshot!(exempt, @"4XyzAB: unsafe, exempt (authenticated), 1 link left as it is; bad[.]example: a block list names it (listed: feeds.malware, lists.blocked), reads as paypal[.]com (target-lookalike); from example[.]org; 2048 bytes in 321 us");
        let restored = line(&event(Action::Restored, HostDone::Exempted));
        insta::assert_snapshot!(restored, @"4XyzAB: unsafe, restored to its original, 1 link; bad[.]example: a block list names it (listed: feeds.malware, lists.blocked), reads as paypal[.]com (target-lookalike); from example[.]org; 2048 bytes in 321 us");
    }

    #[test]
    fn no_input_splits_the_line() {
        let hostile = Event {
            queue_id: "4X\nforged".into(),
            sender: "evil.example\n<2>forged".into(),
            rule: "a\nb".into(),
            exempt: Some("c\rd".into()),
            bypasses: [("limit:\n".to_owned(), 1)].into(),
            ..event()
        };
        let line = line(&hostile);
        assert!(line.chars().all(|c| matches!(c, ' '..='~')), "{line}");
        assert!(!line.contains("paypal.com"), "{line}");
    }
}
