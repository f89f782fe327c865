//! Which events of the journal somebody asks for.

use super::event::Event;
use super::time::Timestamp;

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

impl Query<'_> {
    pub(super) fn wants(&self, event: &Event) -> bool {
        event.time >= self.since
            && self.queue_id.is_none_or(|id| id == event.queue_id)
            && self.message_id.is_none_or(|id| id == event.message_id)
            && self.host.is_none_or(|host| event.all_hosts().any(|of| is_below(of, host)))
            && self.recipient.is_none_or(|domain| {
                event.recipients.iter().any(|recipient| is_below(recipient, domain))
            })
    }

    /// A text that every line of a wanted event holds: the others need no parsing.
    pub(super) fn needle(&self) -> Option<&str> {
        self.queue_id.or(self.message_id).or(self.host).or(self.recipient)
    }
}

/// Whether a host is the domain or below it; both in lower-case ASCII form.
pub fn is_below(host: &str, domain: &str) -> bool {
    host.strip_suffix(domain).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
}
