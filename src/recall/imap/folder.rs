//! Messages of an IMAP folder, replaced one at a time.
//!
//! | step | after an interruption at this point |
//! | --- | --- |
//! | the message gets the keyword [`OLD_KEYWORD`] | the message is there; a later run removes the keyword |
//! | the new copy is appended with the flags, the date and [`NEW_KEYWORD`], and read back | both are there; a later run continues with the next step |
//! | the message is marked as deleted, and only its UID is expunged | the copy is there; a later run removes its keyword |
//! | the copy loses [`NEW_KEYWORD`] | done |
//!
//! Only one message of a folder is replaced at a time, and the keywords are on its pair only. So a
//! later run knows for sure which copy belongs to which message, however many equal messages there
//! are. In doubt nothing is removed, and both stay.
//!
//! IMAP cannot mark a message as deleted and expunge it in one step. The server returns the flags
//! with the mark, so the copy has all flags that others changed until then. In the one round trip
//! after the mark, another client may clear it. Then the message is still there and is marked
//! again, at most [`MAX_EXPUNGE_TRIES`] times. If another client sets some other flag in that
//! moment, it is lost with the message. Nothing in RFC 9051 or its extensions prevents that.

use std::io::{Read, Write};
use std::num::NonZeroU32;
use std::time::{Duration, SystemTime};

use imap_codec::imap_types::IntoStatic;
use imap_codec::imap_types::command::CommandBody;
use imap_codec::imap_types::core::Literal;
use imap_codec::imap_types::datetime::DateTime;
use imap_codec::imap_types::extensions::binary::LiteralOrLiteral8;
use imap_codec::imap_types::fetch::{
    MacroOrMessageDataItemNames, MessageDataItem, MessageDataItemName,
};
use imap_codec::imap_types::flag::{
    Flag, FlagFetch, FlagNameAttribute, FlagPerm, StoreResponse, StoreType,
};
use imap_codec::imap_types::mailbox::{ListMailbox, Mailbox};
use imap_codec::imap_types::response::{Code, Data};
use imap_codec::imap_types::sequence::SequenceSet;

use super::wire::{Connection, Error, Untagged};

/// Keyword of a message that is being copied.
pub const OLD_KEYWORD: &str = "LinkmilterOld";

/// Keyword of a copy whose original is not removed yet.
pub const NEW_KEYWORD: &str = "LinkmilterNew";

/// How often a message is marked as deleted and expunged. Another client may clear the mark in
/// between, and then the message is still there.
const MAX_EXPUNGE_TRIES: usize = 3;

/// A message in a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredMessage {
    pub uid: NonZeroU32,
    /// Size in bytes, as the server counts it.
    pub size: u64,
    flags: Vec<Flag<'static>>,
    date: DateTime,
}

/// The outcome of a replacement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Replaced {
    /// The copy with this UID replaced the message.
    By(NonZeroU32),
    /// Another client removed the message meanwhile, so the copy was removed as well.
    Gone,
}

/// How a folder is opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    ReadOnly,
    ReadWrite,
}

/// A message that an interrupted run left behind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Leftover {
    /// A message that was being copied.
    Old(StoredMessage),
    /// A copy. Its original may already be removed.
    New(StoredMessage),
}

/// An open folder.
#[derive(Debug)]
pub struct Folder<'c, S> {
    connection: &'c mut Connection<S>,
    mailbox: Mailbox<'static>,
    /// UIDs are valid as long as this is unchanged (RFC 3501 §2.3.1.1).
    validity: NonZeroU32,
}

/// Lists all folders of the account that can be opened.
///
/// # Errors
/// When the server refuses to list them.
pub fn folders<S: Read + Write>(
    connection: &mut Connection<S>,
) -> Result<Vec<Mailbox<'static>>, Error> {
    let all = ListMailbox::try_from("*").map_err(|error| Error::unexpected("*", error))?;
    let list = CommandBody::List { reference: mailbox("")?, mailbox_wildcard: all };
    let mut found = Vec::new();
    connection.run(list, |response| {
        let Untagged::Data(Data::List { items, mailbox, .. }) = response else { return };
        let closed = |item: &FlagNameAttribute<'_>| {
            *item == FlagNameAttribute::Noselect
                || item.to_string().eq_ignore_ascii_case("\\nonexistent")
        };
        if !items.iter().any(closed) {
            found.push(mailbox.into_static());
        }
    })?;
    Ok(found)
}

/// A mailbox from its name on the wire (modified UTF-7).
///
/// # Errors
/// When the name is not valid.
pub fn mailbox(name: &str) -> Result<Mailbox<'static>, Error> {
    Mailbox::try_from(name.to_owned()).map_err(|error| Error::unexpected("a folder", error))
}

/// The name of a folder as the server spells it.
pub fn display_name(mailbox: &Mailbox<'_>) -> String {
    match mailbox {
        Mailbox::Inbox => "INBOX".to_owned(),
        Mailbox::Other(other) => String::from_utf8_lossy(other.inner().as_ref()).into_owned(),
    }
}

impl StoredMessage {
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
    pub fn same_date(&self, other: &StoredMessage) -> bool {
        self.date.as_ref() == other.date.as_ref()
    }

    fn has(&self, keyword: &str) -> bool {
        self.flags.iter().any(|flag| is_keyword(flag, keyword))
    }

    fn is_marked_deleted(&self) -> bool {
        self.flags.contains(&Flag::Deleted)
    }

    fn user_flags(&self) -> Vec<Flag<'static>> {
        without_our_keywords(self.flags.clone())
    }
}

/// A copy that replaces a message.
struct Replacement {
    uid: NonZeroU32,
    /// Without our keywords.
    flags: Vec<Flag<'static>>,
    keyword: Option<Flag<'static>>,
}

/// Removes our keywords and sorts the rest.
fn without_our_keywords(mut flags: Vec<Flag<'static>>) -> Vec<Flag<'static>> {
    flags.retain(|flag| !is_keyword(flag, OLD_KEYWORD) && !is_keyword(flag, NEW_KEYWORD));
    flags.sort_by_key(ToString::to_string);
    flags
}

fn is_keyword(flag: &Flag<'_>, keyword: &str) -> bool {
    matches!(flag, Flag::Keyword(name) if name.as_ref().eq_ignore_ascii_case(keyword))
}

fn keyword(word: &'static str) -> Result<Flag<'static>, Error> {
    Flag::try_from(word).map_err(|error| Error::unexpected("a keyword", error))
}

impl<'c, S: Read + Write> Folder<'c, S> {
    /// Opens a folder. The server must keep UIDs across sessions, and for [`Access::ReadWrite`]
    /// also keywords.
    ///
    /// # Errors
    /// When the server refuses, or the folder lacks one of these.
    pub fn open(
        connection: &'c mut Connection<S>,
        mailbox: &Mailbox<'static>,
        access: Access,
    ) -> Result<Folder<'c, S>, Error> {
        let named = mailbox.clone();
        let body = match access {
            Access::ReadOnly => CommandBody::Examine { mailbox: named },
            Access::ReadWrite => CommandBody::Select { mailbox: named },
        };
        let (mut validity, mut keywords, mut uid_not_sticky) = (None, false, false);
        let end = connection.run(body, |response| match response {
            Untagged::Code(Code::UidValidity(found)) => validity = Some(found),
            Untagged::Code(Code::PermanentFlags(flags)) => {
                keywords = flags.contains(&FlagPerm::Asterisk);
            }
            Untagged::Code(Code::UidNotSticky) => uid_not_sticky = true,
            _ => {}
        })?;
        if access == Access::ReadWrite && end == Some(Code::ReadOnly) {
            return Err(Error::unexpected("a folder that may be changed", "a read-only one"));
        }
        // Without it an interrupted run could not be continued: UIDs would mean nothing.
        let Some(validity) = validity else {
            return Err(Error::unexpected("a folder with UIDVALIDITY", "none"));
        };
        if uid_not_sticky || end == Some(Code::UidNotSticky) {
            let found = "UIDNOTSTICKY: they change with each session";
            return Err(Error::unexpected("a folder that keeps its UIDs", found));
        }
        if access == Access::ReadWrite && !keywords {
            let expected = "a folder that keeps keywords, so that an interruption loses nothing";
            return Err(Error::unexpected(expected, "one without"));
        }
        Ok(Folder { connection, mailbox: mailbox.clone(), validity })
    }

    /// The messages of the folder, sorted by UID.
    ///
    /// # Errors
    /// When the server does not list them.
    pub fn messages(&mut self) -> Result<Vec<StoredMessage>, Error> {
        let all = SequenceSet::try_from("1:*").map_err(|error| Error::unexpected("1:*", error))?;
        let mut found = self.fetch_messages(all)?;
        found.sort_by_key(|message| message.uid);
        Ok(found)
    }

    /// One message, or `None` when it is gone.
    fn message(&mut self, uid: NonZeroU32) -> Result<Option<StoredMessage>, Error> {
        let found = self.fetch_messages(single(uid))?;
        Ok(found.into_iter().find(|message| message.uid == uid))
    }

    fn fetch_messages(&mut self, of: SequenceSet) -> Result<Vec<StoredMessage>, Error> {
        use MessageDataItemName as Name;
        let names = vec![Name::Uid, Name::Flags, Name::InternalDate, Name::Rfc822Size];
        // A server may report changes by other clients only in response to NOOP.
        self.connection.run(CommandBody::Noop, |_| {})?;
        let mut found = Vec::new();
        self.fetch(of, names, |items| found.extend(parse_message(items)))?;
        Ok(found)
    }

    /// The bytes of a message as on the wire, or `None` when it is gone.
    ///
    /// # Errors
    /// When the server does not send them.
    pub fn read(&mut self, uid: NonZeroU32) -> Result<Option<Vec<u8>>, Error> {
        use MessageDataItemName as Name;
        let body = Name::BodyExt { section: None, partial: None, peek: true };
        let mut found = None;
        self.fetch(single(uid), vec![Name::Uid, body], |items| {
            let of = items.contains(&MessageDataItem::Uid(uid));
            for item in items {
                match item {
                    MessageDataItem::BodyExt { section: None, origin: None, data } if of => {
                        found = data.0.map(|text| text.as_ref().to_vec());
                    }
                    _ => {}
                }
            }
        })?;
        Ok(found)
    }

    fn fetch(
        &mut self,
        of: SequenceSet,
        names: Vec<MessageDataItemName<'static>>,
        mut on_items: impl FnMut(Vec<MessageDataItem<'_>>),
    ) -> Result<(), Error> {
        let names = MacroOrMessageDataItemNames::from(names);
        let body = CommandBody::Fetch { sequence_set: of, macro_or_item_names: names, uid: true };
        self.connection.run(body, |response| {
            if let Untagged::Data(Data::Fetch { items, .. }) = response {
                on_items(items.into_inner());
            }
        })?;
        Ok(())
    }

    /// Replaces a message by these bytes. Flags, keywords and date are kept. The copy has a new
    /// UID.
    ///
    /// # Errors
    /// When the copy cannot be made or differs from what was sent: then the message is there as
    /// before. When the connection breaks: then a later run finishes the work.
    pub fn replace(&mut self, message: &StoredMessage, bytes: &[u8]) -> Result<Replaced, Error> {
        self.store(message.uid, StoreType::Add, vec![keyword(OLD_KEYWORD)?])?;
        let new = match self.append(message, bytes) {
            Ok(new) => new,
            Err(error) if error.is_refusal() => {
                self.store(message.uid, StoreType::Remove, vec![keyword(OLD_KEYWORD)?])?;
                return Err(error);
            }
            Err(error) => return Err(error),
        };
        if let Some(wrong) = self.copy_error(new, message, bytes)? {
            // Another run that finishes this pair removes the copy's keyword first. Then it relies
            // on the copy.
            if self.message(new)?.is_some_and(|copy| copy.has(NEW_KEYWORD)) {
                self.expunge(new)?;
            }
            self.store(message.uid, StoreType::Remove, vec![keyword(OLD_KEYWORD)?])?;
            return Err(wrong);
        }
        let Some(now) = self.message(message.uid)? else { return self.original_is_gone(new) };
        let copy = Replacement {
            uid: new,
            flags: message.user_flags(),
            keyword: Some(keyword(NEW_KEYWORD)?),
        };
        self.remove_original(message.uid, now.is_marked_deleted(), copy)?;
        self.store(new, StoreType::Remove, vec![keyword(NEW_KEYWORD)?])?;
        Ok(Replaced::By(new))
    }

    /// Continues an earlier run that was interrupted between a message and its copy.
    ///
    /// # Errors
    /// When the server refuses. Then both are there.
    pub fn finish(&mut self, old: &StoredMessage, copy: &StoredMessage) -> Result<Replaced, Error> {
        // The earlier run marked the message as deleted; that mark is not a flag of the user.
        let mut flags = old.user_flags();
        flags.retain(|flag| *flag != Flag::Deleted || copy.flags.contains(flag));
        // Remove the copy's keyword first. Another run that works on this message sees by its
        // absence that the copy is needed.
        self.store(copy.uid, StoreType::Replace, flags.clone())?;
        let deleted = flags.contains(&Flag::Deleted);
        let replacement = Replacement { uid: copy.uid, flags, keyword: None };
        self.remove_original(old.uid, deleted, replacement)?;
        Ok(Replaced::By(copy.uid))
    }

    /// Removes our keywords from a message that has no counterpart.
    ///
    /// # Errors
    /// When the server refuses.
    pub fn remove_keywords(&mut self, uid: NonZeroU32) -> Result<(), Error> {
        self.store(uid, StoreType::Remove, vec![keyword(OLD_KEYWORD)?, keyword(NEW_KEYWORD)?])
    }

    /// The message was removed while its copy was made. A user who removed it does not want the
    /// copy. Another run that finished the pair needs the copy, and has removed its keyword before.
    fn original_is_gone(&mut self, new: NonZeroU32) -> Result<Replaced, Error> {
        match self.message(new)? {
            Some(copy) if copy.has(NEW_KEYWORD) => {
                self.expunge(new)?;
                Ok(Replaced::Gone)
            }
            Some(_) => Ok(Replaced::By(new)),
            None => Ok(Replaced::Gone),
        }
    }

    /// Appends a copy and returns its UID.
    fn append(&mut self, message: &StoredMessage, bytes: &[u8]) -> Result<NonZeroU32, Error> {
        let literal = Literal::try_from(bytes.to_vec())
            .map_err(|_| Error::unexpected("a message that a literal can hold", "NUL bytes"))?;
        let append = CommandBody::Append {
            mailbox: self.mailbox.clone(),
            flags: [message.user_flags(), vec![keyword(NEW_KEYWORD)?]].concat(),
            date: Some(message.date.clone()),
            message: LiteralOrLiteral8::Literal(literal),
        };
        match self.connection.run(append, |_| {})? {
            Some(Code::AppendUid { uid_validity, uid }) if uid_validity == self.validity => Ok(uid),
            // Both messages are there. Only the keyword tells which is the copy.
            _ => Err(Error::InvalidResponse("APPEND without APPENDUID of this folder".to_owned())),
        }
    }

    /// How the copy differs from what was sent, as an error.
    fn copy_error(
        &mut self,
        new: NonZeroU32,
        message: &StoredMessage,
        bytes: &[u8],
    ) -> Result<Option<Error>, Error> {
        let expected = "a copy as it was sent";
        let Some(copy) = self.message(new)? else {
            return Ok(Some(Error::unexpected(expected, "none")));
        };
        let kept = self.read(new)?;
        Ok(if kept.as_deref() != Some(bytes) {
            Some(Error::unexpected(expected, "other bytes"))
        } else if !copy.same_date(message) {
            Some(Error::unexpected(expected, "another date"))
        } else if copy.user_flags() != message.user_flags() || !copy.has(NEW_KEYWORD) {
            Some(Error::unexpected(expected, "other flags"))
        } else {
            None
        })
    }

    fn store(
        &mut self,
        uid: NonZeroU32,
        kind: StoreType,
        flags: Vec<Flag<'static>>,
    ) -> Result<(), Error> {
        let response = StoreResponse::Silent;
        let body =
            CommandBody::Store { sequence_set: single(uid), kind, response, flags, uid: true };
        self.connection.run(body, |_| {}).map(drop)
    }

    /// Removes a message that has a copy. Flags that others set meanwhile are put on the copy
    /// first. `deleted`: whether another client had marked the message as deleted.
    fn remove_original(
        &mut self,
        uid: NonZeroU32,
        mut deleted: bool,
        mut copy: Replacement,
    ) -> Result<(), Error> {
        for _ in 0..MAX_EXPUNGE_TRIES {
            if let Some(mut flags) = self.mark_deleted(uid)? {
                flags.retain(|flag| *flag != Flag::Deleted || deleted);
                if flags != copy.flags {
                    let all = flags.iter().chain(&copy.keyword).cloned().collect();
                    self.store(copy.uid, StoreType::Replace, all)?;
                    copy.flags = flags;
                }
            }
            self.connection.run(CommandBody::ExpungeUid { sequence_set: single(uid) }, |_| {})?;
            if self.message(uid)?.is_none() {
                return Ok(());
            }
            // Another client cleared the mark, and its own mark with it.
            deleted = false;
        }
        let found = "one that another client restores each time: it stays beside its copy";
        Err(Error::unexpected("a message that stays removed", found))
    }

    /// Marks a message as deleted. Returns its flags at that moment, sorted and without our
    /// keywords.
    fn mark_deleted(&mut self, uid: NonZeroU32) -> Result<Option<Vec<Flag<'static>>>, Error> {
        let mut found = None;
        let (kind, response) = (StoreType::Add, StoreResponse::Answer);
        let flags = vec![Flag::Deleted];
        let body =
            CommandBody::Store { sequence_set: single(uid), kind, response, flags, uid: true };
        self.connection.run(body, |response| {
            let Untagged::Data(Data::Fetch { items, .. }) = response else { return };
            let items = items.into_inner();
            if !items.contains(&MessageDataItem::Uid(uid)) {
                return;
            }
            found = items.into_iter().find_map(flags_of).or(found.take());
        })?;
        Ok(found.map(without_our_keywords))
    }

    /// Expunges one message, and no others that are marked as deleted.
    fn expunge(&mut self, uid: NonZeroU32) -> Result<(), Error> {
        self.store(uid, StoreType::Add, vec![Flag::Deleted])?;
        self.connection.run(CommandBody::ExpungeUid { sequence_set: single(uid) }, |_| {}).map(drop)
    }
}

fn single(uid: NonZeroU32) -> SequenceSet {
    SequenceSet::from(imap_codec::imap_types::sequence::Sequence::from(uid))
}

/// Parses a FETCH response. `None` if items are missing: unsolicited FETCH responses have only
/// some.
fn parse_message(items: Vec<MessageDataItem<'_>>) -> Option<StoredMessage> {
    let (mut uid, mut size, mut flags, mut date) = (None, None, None, None);
    for item in items {
        match item {
            MessageDataItem::Uid(found) => uid = Some(found),
            MessageDataItem::Rfc822Size(found) => size = Some(u64::from(found)),
            MessageDataItem::InternalDate(found) => date = Some(found),
            other => flags = flags_of(other).or(flags),
        }
    }
    Some(StoredMessage { uid: uid?, size: size?, flags: flags?, date: date? })
}

fn flags_of(item: MessageDataItem<'_>) -> Option<Vec<Flag<'static>>> {
    let MessageDataItem::Flags(found) = item else { return None };
    let kept = found.into_iter().filter_map(|flag| match flag {
        FlagFetch::Flag(flag) => Some(flag.into_static()),
        FlagFetch::Recent => None,
    });
    Some(kept.collect())
}
