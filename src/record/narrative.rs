//! A past message in words, for `linkmilter why`.

use std::fmt::Write;

use super::digest::description;
use super::event::{Action, Event, HostEntry, ORIGINAL};
use super::journal::recalls::{Mailbox, RecallAction, RecallEvent};
use super::printable;
use crate::engine::explain::sentence;
use crate::engine::outcome::Reason;
use crate::plural::counted;

/// What was done to the message, and why. ASCII, each line ends in LF.
pub fn narrative(event: &Event) -> String {
    let mut out = String::new();
    // Writing to a String cannot fail, here and below.
    let _ = writeln!(
        out,
        "{} at {}: {}, {}",
        printable::queue_id(&event.queue_id),
        event.time,
        event.verdict,
        action_words(event)
    );
    push_envelope(&mut out, event);
    let _ = writeln!(
        out,
        "  {} bytes, {}, {} edited; engine {} us, DNS {} us",
        event.bytes,
        counted(event.links, "link"),
        event.edited,
        event.engine_us,
        event.dns_us
    );
    if !event.broken.is_empty() {
        let kinds = printable::label(&event.broken.join(", "));
        let _ = writeln!(out, "  the edits break signatures: {kinds}");
    }
    push_findings(&mut out, event);
    out
}

/// From whom to whom the message went, by which rule, and what that rule did not do.
fn push_envelope(out: &mut String, event: &Event) {
    let sender = match event.sender.as_str() {
        "" => "the null sender".to_owned(),
        sender => printable::defanged(sender),
    };
    let mut recipients: Vec<String> =
        event.recipients.iter().map(|domain| printable::defanged(domain)).collect();
    if event.recipients_omitted > 0 {
        recipients.push(counted(event.recipients_omitted, "more domain"));
    }
    let _ = writeln!(out, "  from {sender} to {}", recipients.join(", "));
    let _ = writeln!(
        out,
        "  rule {:?} ({}), configuration {}",
        printable::label(&event.rule),
        printable::label(&event.mode),
        event.generation
    );
    if let Some(exempt) = &event.exempt {
        let _ = writeln!(out, "  exempt from edits: {}", printable::label(exempt));
    }
    if let Some(word) = event.restore.as_deref().filter(|word| *word != ORIGINAL) {
        let _ = writeln!(out, "  not restored: {}", not_restored_words(word));
    }
    if let Some(word) = &event.undo {
        let _ = writeln!(out, "  undo={}: its recipe could not be stored", printable::label(word));
    }
}

/// What was found: hosts that deceive, some that do not, and what was not read.
fn push_findings(out: &mut String, event: &Event) {
    for entry in &event.hosts {
        push_host(out, entry);
    }
    if event.hosts_omitted > 0 {
        let _ = writeln!(out, "  and {}", counted(event.hosts_omitted, "more host"));
    }
    if !event.passed.is_empty() {
        let names: Vec<String> =
            event.passed.iter().map(|host| printable::defanged(host)).collect();
        let more = if event.passed_more { " and more" } else { "" };
        let _ = writeln!(out, "  ok: {}{more}", names.join(", "));
    }
    for (cause, count) in &event.bypasses {
        let parts = counted(*count, "part");
        let _ = writeln!(out, "  not read: {parts} ({})", printable::label(cause));
    }
}

/// What a recall did to the message: one line of ASCII with its line end.
pub fn recall_line(event: &RecallEvent) -> String {
    let hosts: Vec<String> = event.hosts.iter().map(|host| printable::defanged(host)).collect();
    let hosts = hosts.join(", ");
    let place = match event.mailbox {
        Mailbox::Maildir => "in a Maildir",
        Mailbox::Imap => "over IMAP",
    };
    match event.action {
        RecallAction::Recalled => {
            let links = match event.links {
                // An interrupted run had made the copy, so nobody counted its links.
                0 => "links".to_owned(),
                count => counted(count, "link"),
            };
            format!("recalled at {}: {links} to {hosts} defanged {place}\n", event.time)
        }
        RecallAction::GivenBack => {
            format!("restored at {}: links to {hosts} are as they were {place}\n", event.time)
        }
    }
}

fn action_words(event: &Event) -> &'static str {
    match event.action {
        Action::Passed => "no findings",
        Action::Reported => "reported, the body is unchanged",
        Action::Exempted => "reported and exempt from edits",
        Action::Marked => "a tag or a banner was added",
        Action::Edited => "links were edited",
        Action::Restored => "restored to its original, since it was outbound",
        Action::Quarantined => "quarantined",
        Action::Tempfailed => "deferred with a temporary failure",
        Action::Rejected => "rejected",
        Action::Discarded => "accepted and discarded",
    }
}

/// Why an outbound message was not restored.
fn not_restored_words(word: &str) -> String {
    let words = match word {
        "divided" => "some recipients are local",
        "foreign" => "its recipe has no seal of our keys",
        "changed" => "its body or its Subject was changed after the filter",
        "missing" => "its recipe is not in the state directory",
        "broken" => "its recipe cannot be read",
        "too-many" => "it carries more recipes than the filter undoes",
        "cut" => "it is bigger than server.max_message",
        "unread" => "something failed or took too long",
        "not-granted" => "the MTA does not let the filter change body and header",
        other => return printable::label(other),
    };
    words.to_owned()
}

fn push_host(out: &mut String, entry: &HostEntry) {
    let _ = writeln!(
        out,
        "  {}: {}, {} in {}",
        printable::host_of_link(&entry.host),
        entry.verdict,
        entry.done.as_str(),
        counted(entry.count, "place")
    );
    for code in &entry.reasons {
        let sentence = Reason::from_code(code).map_or("of a newer version", sentence);
        let _ = writeln!(out, "    {}: {sentence}", printable::label(code));
        if code == Reason::Listed.code() {
            for list in &entry.lists {
                let _ = writeln!(out, "      in {}", printable::label(list));
            }
        }
    }
    let description = description(&entry.host, entry.target.as_deref(), &entry.reasons);
    if !description.is_empty() {
        let _ = writeln!(out, "    {description}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::line::tests::event;
    use crate::record::time::Timestamp;

    #[test]
    fn a_message_in_words() {
        let mut event = Event {
            time: Timestamp(1_763_715_635_123),
            mode: "enforce".into(),
            recipients: vec!["example.net".into()],
            broken: vec!["dkim".into()],
            passed: vec!["www.example.com".into()],
            generation: 3,
            ..event()
        };
        event.hosts[0].reasons.push("from-the-future".into());
        let narrative = narrative(&event);
        assert!(narrative.is_ascii() && !narrative.contains("paypal.com"));
        insta::assert_snapshot!(narrative, @r#"
        4XyzAB at 2025-11-21T09:00:35.123Z: unsafe, links were edited
          from example[.]org to example[.]net
          rule "default" (enforce), configuration 3
          2048 bytes, 4 links, 2 edited; engine 321 us, DNS 0 us
          the edits break signatures: dkim
          xn--ypal-43d9g[.]com: unsafe, edited in 2 places
            mixed-script: its letters do not belong together
            from-the-future: of a newer version
            reads as paypal[.]com; U+0440 CYRILLIC SMALL LETTER ER (Russian, Serbian and 22 more languages) reads as Latin p, U+0430 CYRILLIC SMALL LETTER A (Russian, Serbian and 22 more languages) reads as Latin a
          ok: www[.]example[.]com
          not read: 1 part (limit:depth)
        "#);
    }

    #[test]
    fn a_recall_in_words() {
        let event = RecallEvent {
            v: 1,
            time: Timestamp(1_763_715_635_123),
            message_id: "1".into(),
            action: RecallAction::Recalled,
            mailbox: Mailbox::Maildir,
            hosts: vec!["bad.example.com".into(), "xn--ypal-43d9g.com".into()],
            links: 2,
        };
        assert_eq!(
            recall_line(&event),
            "recalled at 2025-11-21T09:00:35.123Z: 2 links to bad[.]example[.]com, \
             xn--ypal-43d9g[.]com defanged in a Maildir\n"
        );
        let (action, mailbox) = (RecallAction::GivenBack, Mailbox::Imap);
        let back =
            RecallEvent { action, mailbox, links: 0, hosts: vec!["bad.example".into()], ..event };
        assert_eq!(
            recall_line(&back),
            "restored at 2025-11-21T09:00:35.123Z: links to bad[.]example are as they were over IMAP\n"
        );
    }
}
