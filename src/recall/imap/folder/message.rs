//! A message of a folder as the server lists it: its flags, and what our keywords on it mean.

use std::num::NonZeroU32;
use std::time::{Duration, SystemTime};

use imap_codec::imap_types::IntoStatic;
use imap_codec::imap_types::datetime::DateTime;
use imap_codec::imap_types::fetch::MessageDataItem;
use imap_codec::imap_types::flag::{Flag, FlagFetch};

use super::super::wire::Error;

/// Keyword of a message that is being copied.
pub const OLD_KEYWORD: &str = "LinkmilterOld";

/// Keyword of a copy whose original is not removed yet.
pub const NEW_KEYWORD: &str = "LinkmilterNew";

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImapMessage {
    pub uid: NonZeroU32,
    /// Size in bytes, as the server counts it.
    pub size: u64,
    pub(super) flags: Vec<Flag<'static>>,
    pub(super) date: DateTime,
}

/// A message that an interrupted run left behind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Leftover {
    /// A message that was being copied.
    Old(ImapMessage),
    /// A copy. Its original may already be removed.
    New(ImapMessage),
}

impl ImapMessage {
    /// When the message was delivered.
    pub fn delivered(&self) -> SystemTime {
        let seconds = self.date.as_ref().timestamp();
        let span = Duration::from_secs(seconds.unsigned_abs());
        let epoch = SystemTime::UNIX_EPOCH;
        let at = if seconds < 0 { epoch.checked_sub(span) } else { epoch.checked_add(span) };
        at.unwrap_or(epoch)
    }

    /// What has to be finished, if a run was interrupted at this message or is still working on it.
    pub fn leftover(&self) -> Option<Leftover> {
        match () {
            () if self.has(OLD_KEYWORD) => Some(Leftover::Old(self.clone())),
            () if self.has(NEW_KEYWORD) => Some(Leftover::New(self.clone())),
            () => None,
        }
    }

    /// Whether both were delivered at the same time.
    pub fn same_date(&self, other: &ImapMessage) -> bool {
        self.date.as_ref() == other.date.as_ref()
    }

    pub(super) fn has(&self, keyword: &str) -> bool {
        self.flags.iter().any(|flag| is_keyword(flag, keyword))
    }

    pub(super) fn is_marked_deleted(&self) -> bool {
        self.flags.contains(&Flag::Deleted)
    }

    pub(super) fn user_flags(&self) -> Vec<Flag<'static>> {
        without_our_keywords(self.flags.clone())
    }
}

/// Removes our keywords and sorts the rest.
pub(super) fn without_our_keywords(mut flags: Vec<Flag<'static>>) -> Vec<Flag<'static>> {
    flags.retain(|flag| !is_keyword(flag, OLD_KEYWORD) && !is_keyword(flag, NEW_KEYWORD));
    flags.sort_by_key(ToString::to_string);
    flags
}

fn is_keyword(flag: &Flag<'_>, keyword: &str) -> bool {
    matches!(flag, Flag::Keyword(name) if name.as_ref().eq_ignore_ascii_case(keyword))
}

pub(super) fn keyword(word: &'static str) -> Result<Flag<'static>, Error> {
    Flag::try_from(word).map_err(|error| Error::unexpected("a keyword", error))
}

/// Parses a FETCH response. `None` if items are missing: unsolicited FETCH responses have only
/// some.
pub(super) fn parse_message(items: Vec<MessageDataItem<'_>>) -> Option<ImapMessage> {
    let (mut uid, mut size, mut flags, mut date) = (None, None, None, None);
    for item in items {
        match item {
            MessageDataItem::Uid(found) => uid = Some(found),
            MessageDataItem::Rfc822Size(found) => size = Some(u64::from(found)),
            MessageDataItem::InternalDate(found) => date = Some(found),
            other => flags = flags_of(other).or(flags),
        }
    }
    Some(ImapMessage { uid: uid?, size: size?, flags: flags?, date: date? })
}

pub(super) fn flags_of(item: MessageDataItem<'_>) -> Option<Vec<Flag<'static>>> {
    let MessageDataItem::Flags(found) = item else { return None };
    let kept = found.into_iter().filter_map(|flag| match flag {
        FlagFetch::Flag(flag) => Some(flag.into_static()),
        FlagFetch::Recent => None,
    });
    Some(kept.collect())
}
