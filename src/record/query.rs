//! Queries for events of the journal.

use super::event::Event;
use super::time::Timestamp;
use crate::policy::is_below;

/// Which events to find. All conditions must hold.
#[derive(Clone, Copy, Debug, Default)]
pub struct Query<'q> {
    /// Events of this time and later.
    pub since: Timestamp,
    /// Queue id of the message.
    pub queue_id: Option<&'q str>,
    /// Digest of the Message-ID, by [`super::event::message_id`].
    pub message_id: Option<&'q str>,
    /// Messages with a link to one of these hosts or below them, in lower-case ASCII form. If it is empty, all
    /// messages.
    pub hosts: &'q [&'q str],
    /// Messages to this domain or one below it, in the same form.
    pub recipient: Option<&'q str>,
}

/// Whether an event matches a query.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Match {
    No,
    /// Something that the event does not record may match.
    Maybe,
    Yes,
}

impl Query<'_> {
    pub(super) fn matches(&self, event: &Event) -> Match {
        let plain = event.time >= self.since
            && self.queue_id.is_none_or(|id| id == event.queue_id)
            && self.message_id.is_none_or(|id| id == event.message_id);
        if !plain {
            return Match::No;
        }
        let recipients = event.recipients.iter().map(String::as_str);
        let host = match_names(self.hosts, event.all_hosts(), event.omits_hosts());
        host.min(match_names(self.recipient.as_slice(), recipients, event.recipients_omitted > 0))
    }

    /// Whether the line of an event must be parsed. The line of an event that matches holds the texts of the query, or
    /// says that it does not record everything.
    pub(super) fn may_match(&self, line: &[u8]) -> bool {
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

/// Whether one of the names is a wanted one, or below it.
fn match_names<'e>(
    wanted: &[&str],
    mut names: impl Iterator<Item = &'e str>,
    omits: bool,
) -> Match {
    if wanted.is_empty() || names.any(|name| wanted.iter().any(|wanted| is_below(name, wanted))) {
        return Match::Yes;
    }
    if omits { Match::Maybe } else { Match::No }
}
