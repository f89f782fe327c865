//! A message in one line, for the log.

use std::fmt::Write;

use super::digest::target_words;
use super::event::{Action, Event, HostEntry, ORIGINAL};
use super::printable;
use crate::engine::explain::sentence;
use crate::engine::outcome::{Reason, Verdict};

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
    let suspects = event.hosts.iter().filter(|entry| entry.verdict >= Verdict::Suspect);
    for entry in suspects.clone().take(MAX_HOSTS) {
        push_host(&mut out, entry);
    }
    let more = suspects.count().saturating_sub(MAX_HOSTS) as u64 + event.hosts_omitted;
    // Writing to a String cannot fail, here and below.
    if more > 0 {
        let _ = write!(out, "; {more} more hosts");
    }
    for cause in event.bypasses.keys() {
        let _ = write!(
            out,
            "; not read in full: {} ({})",
            bypass_words(cause),
            printable::label(cause)
        );
    }
    if let Some(exempt) = &event.exempt {
        let _ = write!(out, "; exempt from edits: {}", printable::label(exempt));
    }
    if let Some(reason) = event.restore.as_deref().filter(|word| *word != ORIGINAL) {
        let _ = write!(out, "; not restored: {}", printable::label(reason));
    }
    let _ = write!(out, "; from {}", printable::sender(&event.sender));
    if let Some(first) = event.recipients.first() {
        let _ = write!(out, " to {}", printable::defanged(first));
    }
    let more = event.recipients.len().saturating_sub(1) as u64 + event.recipients_omitted;
    if more > 0 {
        let _ = write!(out, " and {more} more domains");
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
    let links = event.links;
    match event.action {
        Action::Passed => format!("passed with {links} links"),
        Action::Reported => format!("reported, {links} links left as they are"),
        Action::Exempted => format!("exempt, {links} links left as they are"),
        Action::Marked => format!("a tag or a banner added, {links} links left as they are"),
        Action::Edited => format!("edited {} of {links} links", event.edited),
        Action::Restored => format!("restored to its original, {links} links"),
        Action::Quarantined => format!("quarantined, {links} links"),
        Action::Tempfailed => format!("deferred (451), {links} links"),
        Action::Rejected => format!("rejected, {links} links"),
        Action::Discarded => format!("discarded, {links} links"),
    }
}

fn push_host(out: &mut String, entry: &HostEntry) {
    let name = printable::host_of_link(&entry.host);
    let _ = write!(out, "; {name} {}", entry.done.as_str());
    let mut between = ": ";
    for code in &entry.reasons {
        let sentence = Reason::from_code(code).map_or("of a newer version", sentence);
        let _ = write!(out, "{between}{sentence} ({})", printable::label(code));
        between = ", ";
    }
    if let Some(target) = &entry.target {
        let _ = write!(
            out,
            "{between}{} {}",
            target_words(&entry.reasons),
            printable::defanged(target)
        );
    }
}

/// A cause of [`Event::bypasses`] in words.
pub fn bypass_words(cause: &str) -> &'static str {
    match cause.split_once(':').map_or(cause, |(kind, _)| kind) {
        "panic" => "the filter failed on it",
        "opaque" => "a part is encrypted or of a kind that is not read",
        "limit" => "a limit was reached",
        "undecodable" => "a part cannot be decoded",
        _ => "of a newer version",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::event::HostDone;

    fn event() -> Event {
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
        insta::assert_snapshot!(line(&event()), @"4XyzAB: unsafe, edited 2 of 4 links; xn--ypal-43d9g[.]com edited: its letters do not belong together (mixed-script), reads as paypal[.]com; not read in full: a limit was reached (limit:depth); from example[.]org to example[.]net and 1 more domains; 2048 bytes in 321 us");
        let clean = Event { rule: "default".into(), queue_id: "4A".into(), ..Event::default() };
        insta::assert_snapshot!(line(&clean), @"4A: ok, passed with 0 links; from <>; 0 bytes in 0 us");
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
