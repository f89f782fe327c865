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
    /// Of messages with a link to one of these hosts or to one below, in lower-case ASCII form; none: of
    /// all.
    pub hosts: &'q [&'q str],
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
        let host = among(self.hosts, event.all_hosts(), event.omits_hosts());
        host.min(among(self.recipient.as_slice(), recipients, event.recipients_omitted > 0))
    }

    /// Whether the line of an event is worth parsing: one that is wanted holds what is asked for, or
    /// says that it does not keep all.
    pub(super) fn may_want(&self, line: &[u8]) -> bool {
        let holds = |text: &str| memchr::memmem::find(line, text.as_bytes()).is_some();
        let named = |names: &[&str], omitted: &[&str]| {
            names.is_empty() || names.iter().chain(omitted).any(|text| holds(text))
        };
        named(self.queue_id.as_slice(), &[])
            && named(self.message_id.as_slice(), &[])
            && named(self.hosts, &["\"hosts_omitted\":", "\"passed_more\":"])
            && named(self.recipient.as_slice(), &["\"recipients_omitted\":"])
    }
}

/// Whether one of the names is one that is asked for, or below it.
fn among<'e>(asked: &[&str], mut names: impl Iterator<Item = &'e str>, omits: bool) -> Wanted {
    if asked.is_empty() || names.any(|name| asked.iter().any(|asked| is_below(name, asked))) {
        return Wanted::Yes;
    }
    if omits { Wanted::Perhaps } else { Wanted::No }
}
