//! Which events of the journal somebody asks for.

use super::event::Event;
use super::time::Timestamp;
use crate::policy::is_below;

/// Which events are wanted.
#[derive(Clone, Copy, Debug, Default)]
pub struct Query<'q> {
    /// This one and younger.
    pub since: Timestamp,
    /// Of this message alone.
    pub queue_id: Option<&'q str>,
    /// Of messages with this Message-ID, as [`super::event::message_id`] keeps it.
    pub message_id: Option<&'q str>,
    /// Of messages with a link to this host or one below it, in lower-case ASCII form.
    pub host: Option<&'q str>,
    /// Of messages to this domain or one below it, in the same form.
    pub recipient: Option<&'q str>,
}

/// Whether an event is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Wanted {
    No,
    /// What is asked for may be among what the event does not keep.
    Perhaps,
    Yes,
}

impl Query<'_> {
    pub(super) fn wants(&self, event: &Event) -> Wanted {
        let plain = event.time >= self.since
            && self.queue_id.is_none_or(|id| id == event.queue_id)
            && self.message_id.is_none_or(|id| id == event.message_id);
        if !plain {
            return Wanted::No;
        }
        let recipients = event.recipients.iter().map(String::as_str);
        let host = among(self.host, event.all_hosts(), event.omits_hosts());
        host.min(among(self.recipient, recipients, event.recipients_omitted > 0))
    }

    /// Whether the line of an event is worth parsing: one that is wanted holds what is asked for, or
    /// says that it does not keep all.
    pub(super) fn may_want(&self, line: &[u8]) -> bool {
        let holds = |text: &str| memchr::memmem::find(line, text.as_bytes()).is_some();
        let named = |name: Option<&str>, omitted: &[&str]| {
            name.is_none_or(|name| holds(name) || omitted.iter().any(|key| holds(key)))
        };
        named(self.queue_id, &[])
            && named(self.message_id, &[])
            && named(self.host, &["\"hosts_omitted\":", "\"passed_more\":"])
            && named(self.recipient, &["\"recipients_omitted\":"])
    }
}

/// Whether one of the names is the one that is asked for, or below it.
fn among<'e>(asked: Option<&str>, mut names: impl Iterator<Item = &'e str>, omits: bool) -> Wanted {
    match asked {
        Some(asked) if !names.any(|name| is_below(name, asked)) => match omits {
            true => Wanted::Perhaps,
            false => Wanted::No,
        },
        _ => Wanted::Yes,
    }
}
