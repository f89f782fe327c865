//! Messages of folders, replaced one at a time.
//!
//! | step | after an interruption behind it |
//! | --- | --- |
//! | the message gets the keyword [`OLD`] | it is there, and a later run takes the keyword away |
//! | the new copy is appended with flags, date and [`NEW`], and read again | both are there: a later run goes on with the next step |
//! | the message is marked as deleted, and its UID alone is expunged | the copy is there, and a later run takes its keyword away |
//! | the copy loses [`NEW`] | done |
//!
//! One message of a folder is under way at a time, and its keyword goes with it: so a pair of keywords
//! says for sure what belongs together, among any number of equal messages. What is not sure is never
//! removed: then both stay.
//!
//! IMAP cannot mark a message as deleted and expunge it at once. Flags that others changed until the mark
//! the copy has, for the server says them with it. Behind the mark, for one round trip, somebody may
//! take it away again: the message is then there after all, and is marked again, [`TRIES`] times. Another
//! flag that he sets in that moment goes with the message; nothing in RFC 9051 or its extensions holds
//! that off.

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

use super::wire::{Connection, Error, Said};

/// Keyword of a message of which a copy is being made.
pub const OLD: &str = "LinkmilterOld";

/// Keyword of a copy whose message is not gone yet.
pub const NEW: &str = "LinkmilterNew";

/// How often a message is marked as deleted and expunged. Another client may clear the mark in between,
/// and then the message is still there.
const TRIES: usize = 3;

/// A message in a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredMessage {
    pub uid: NonZeroU32,
    /// Bytes, as the server counts them.
    pub size: u64,
    flags: Vec<Flag<'static>>,
    date: DateTime,
}

/// What became of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Replaced {
    /// The copy with this UID stands in its place.
    By(NonZeroU32),
    /// Somebody removed the message meanwhile: so the copy went as well.
    Gone,
}

/// Whether a folder is only looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    Look,
    Change,
}

/// What an interrupted run left.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Leftover {
    /// A message of which a copy was being made.
    Old(StoredMessage),
    /// A copy whose message may be gone.
    New(StoredMessage),
}

/// A folder that is open.
#[derive(Debug)]
pub struct Folder<'c, S> {
    connection: &'c mut Connection<S>,
    mailbox: Mailbox<'static>,
    /// UIDs hold as long as this is the same (RFC 3501 §2.3.1.1).
    validity: NonZeroU32,
}

/// All folders of the account that can be opened.
///
/// # Errors
/// When the server does not list them.
pub fn folders<S: Read + Write>(
    connection: &mut Connection<S>,
) -> Result<Vec<Mailbox<'static>>, Error> {
    let all = ListMailbox::try_from("*").map_err(|error| Error::unexpected("*", error))?;
    let list = CommandBody::List { reference: name("")?, mailbox_wildcard: all };
    let mut found = Vec::new();
    connection.run(list, |said| {
        let Said::Data(Data::List { items, mailbox, .. }) = said else { return };
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

/// A folder by its name on the wire (modified UTF-7).
///
/// # Errors
/// When no folder can have it.
pub fn name(name: &str) -> Result<Mailbox<'static>, Error> {
    Mailbox::try_from(name.to_owned()).map_err(|error| Error::unexpected("a folder", error))
}

/// The name of a folder, as the server says it.
pub fn shown(mailbox: &Mailbox<'_>) -> String {
    match mailbox {
        Mailbox::Inbox => "INBOX".to_owned(),
        Mailbox::Other(other) => String::from_utf8_lossy(other.inner().as_ref()).into_owned(),
    }
}

impl StoredMessage {
    /// When it was delivered.
    pub fn delivered(&self) -> SystemTime {
        let seconds = self.date.as_ref().timestamp();
        let span = Duration::from_secs(seconds.unsigned_abs());
        let epoch = SystemTime::UNIX_EPOCH;
        let at = if seconds < 0 { epoch.checked_sub(span) } else { epoch.checked_add(span) };
        at.unwrap_or(epoch)
    }

    /// What an interrupted run, or one that is under way, has to do with it.
    pub fn leftover(&self) -> Option<Leftover> {
        match () {
            () if self.has(OLD) => Some(Leftover::Old(self.clone())),
            () if self.has(NEW) => Some(Leftover::New(self.clone())),
            () => None,
        }
    }

    /// Whether both were delivered at the same time.
    pub fn same_date(&self, other: &StoredMessage) -> bool {
        self.date.as_ref() == other.date.as_ref()
    }

    fn has(&self, keyword: &str) -> bool {
        self.flags.iter().any(|flag| is(flag, keyword))
    }

    fn has_been_deleted(&self) -> bool {
        self.flags.contains(&Flag::Deleted)
    }

    fn own_flags(&self) -> Vec<Flag<'static>> {
        own(self.flags.clone())
    }
}

/// A copy that stands for its message.
struct Replacement {
    uid: NonZeroU32,
    /// Without our keyword.
    flags: Vec<Flag<'static>>,
    keyword: Option<Flag<'static>>,
}

/// Flags without ours, in an order of ours.
fn own(mut flags: Vec<Flag<'static>>) -> Vec<Flag<'static>> {
    flags.retain(|flag| !is(flag, OLD) && !is(flag, NEW));
    flags.sort_by_key(ToString::to_string);
    flags
}

fn is(flag: &Flag<'_>, keyword: &str) -> bool {
    matches!(flag, Flag::Keyword(name) if name.as_ref().eq_ignore_ascii_case(keyword))
}

fn keyword(word: &'static str) -> Result<Flag<'static>, Error> {
    Flag::try_from(word).map_err(|error| Error::unexpected("a keyword", error))
}

impl<'c, S: Read + Write> Folder<'c, S> {
    /// Opens a folder. The server has to keep its UIDs; to change it, keywords as well.
    ///
    /// # Errors
    /// When the server does not open it so.
    pub fn open(
        connection: &'c mut Connection<S>,
        mailbox: &Mailbox<'static>,
        access: Access,
    ) -> Result<Folder<'c, S>, Error> {
        let named = mailbox.clone();
        let body = match access {
            Access::Look => CommandBody::Examine { mailbox: named },
            Access::Change => CommandBody::Select { mailbox: named },
        };
        let (mut validity, mut keywords, mut passing) = (None, false, false);
        let end = connection.run(body, |said| match said {
            Said::Code(Code::UidValidity(found)) => validity = Some(found),
            Said::Code(Code::PermanentFlags(flags)) => {
                keywords = flags.contains(&FlagPerm::Asterisk);
            }
            Said::Code(Code::UidNotSticky) => passing = true,
            _ => {}
        })?;
        if access == Access::Change && end == Some(Code::ReadOnly) {
            return Err(Error::unexpected("a folder that may be changed", "one to read only"));
        }
        // Without them nobody knows after an interruption which message is which.
        let Some(validity) = validity else {
            return Err(Error::unexpected("a folder with UIDVALIDITY", "none"));
        };
        if passing || end == Some(Code::UidNotSticky) {
            let found = "UIDNOTSTICKY: each session has others";
            return Err(Error::unexpected("a folder that keeps its UIDs", found));
        }
        if access == Access::Change && !keywords {
            let expected = "a folder that keeps keywords, so that an interruption loses nothing";
            return Err(Error::unexpected(expected, "one without"));
        }
        Ok(Folder { connection, mailbox: mailbox.clone(), validity })
    }

    /// Its messages, in the order of their UIDs.
    ///
    /// # Errors
    /// When the server does not say them.
    pub fn letters(&mut self) -> Result<Vec<StoredMessage>, Error> {
        let all = SequenceSet::try_from("1:*").map_err(|error| Error::unexpected("1:*", error))?;
        let mut found = self.fetch_letters(all)?;
        found.sort_by_key(|letter| letter.uid);
        Ok(found)
    }

    /// One message; nothing when it is gone.
    fn letter(&mut self, uid: NonZeroU32) -> Result<Option<StoredMessage>, Error> {
        let found = self.fetch_letters(one(uid))?;
        Ok(found.into_iter().find(|letter| letter.uid == uid))
    }

    fn fetch_letters(&mut self, of: SequenceSet) -> Result<Vec<StoredMessage>, Error> {
        use MessageDataItemName as Name;
        let names = vec![Name::Uid, Name::Flags, Name::InternalDate, Name::Rfc822Size];
        // What others did meanwhile a server may say only when it is asked for nothing.
        self.connection.run(CommandBody::Noop, |_| {})?;
        let mut found = Vec::new();
        self.fetch(of, names, |items| found.extend(letter(items)))?;
        Ok(found)
    }

    /// The bytes of a message, as they are on the wire; nothing when it is gone.
    ///
    /// # Errors
    /// When the server does not give them.
    pub fn read(&mut self, uid: NonZeroU32) -> Result<Option<Vec<u8>>, Error> {
        use MessageDataItemName as Name;
        let body = Name::BodyExt { section: None, partial: None, peek: true };
        let mut found = None;
        self.fetch(one(uid), vec![Name::Uid, body], |items| {
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
        mut each: impl FnMut(Vec<MessageDataItem<'_>>),
    ) -> Result<(), Error> {
        let names = MacroOrMessageDataItemNames::from(names);
        let body = CommandBody::Fetch { sequence_set: of, macro_or_item_names: names, uid: true };
        self.connection.run(body, |said| {
            if let Said::Data(Data::Fetch { items, .. }) = said {
                each(items.into_inner());
            }
        })?;
        Ok(())
    }

    /// Puts these bytes in the place of a message. Flags, keywords and date stay; the copy has a UID of
    /// its own.
    ///
    /// # Errors
    /// When no copy can be made that is the same as what was sent: then the message is there as before.
    /// When the connection breaks: then a later run finishes it.
    pub fn replace(&mut self, letter: &StoredMessage, bytes: &[u8]) -> Result<Replaced, Error> {
        self.store(letter.uid, StoreType::Add, vec![keyword(OLD)?])?;
        let new = match self.append(letter, bytes) {
            Ok(new) => new,
            Err(error) if error.is_refusal() => {
                self.store(letter.uid, StoreType::Remove, vec![keyword(OLD)?])?;
                return Err(error);
            }
            Err(error) => return Err(error),
        };
        if let Some(wrong) = self.differs(new, letter, bytes)? {
            // Another run that finishes the pair takes the keyword off the copy, and counts on it then.
            if self.letter(new)?.is_some_and(|copy| copy.has(NEW)) {
                self.expunge(new)?;
            }
            self.store(letter.uid, StoreType::Remove, vec![keyword(OLD)?])?;
            return Err(wrong);
        }
        let Some(now) = self.letter(letter.uid)? else { return self.overtaken(new) };
        let copy =
            Replacement { uid: new, flags: letter.own_flags(), keyword: Some(keyword(NEW)?) };
        self.retire(letter.uid, now.has_been_deleted(), copy)?;
        self.store(new, StoreType::Remove, vec![keyword(NEW)?])?;
        Ok(Replaced::By(new))
    }

    /// Goes on where an earlier run was interrupted between a message and its copy.
    ///
    /// # Errors
    /// When the server refuses; then both are there.
    pub fn finish(&mut self, old: &StoredMessage, copy: &StoredMessage) -> Result<Replaced, Error> {
        // That the message is marked as deleted is the work of the earlier run.
        let mut flags = old.own_flags();
        flags.retain(|flag| *flag != Flag::Deleted || copy.flags.contains(flag));
        // The keyword of the copy first: another run that comes back to its message does not find it,
        // and sees by that whether somebody counts on the copy.
        self.store(copy.uid, StoreType::Replace, flags.clone())?;
        let deleted = flags.contains(&Flag::Deleted);
        let replacement = Replacement { uid: copy.uid, flags, keyword: None };
        self.retire(old.uid, deleted, replacement)?;
        Ok(Replaced::By(copy.uid))
    }

    /// Takes our keywords off a message that has no other.
    ///
    /// # Errors
    /// When the server refuses.
    pub fn release(&mut self, uid: NonZeroU32) -> Result<(), Error> {
        self.store(uid, StoreType::Remove, vec![keyword(OLD)?, keyword(NEW)?])
    }

    /// The message went while its copy was made. Whoever removed it wants no copy; another run that
    /// finished the pair counts on it, and took its keyword away before.
    fn overtaken(&mut self, new: NonZeroU32) -> Result<Replaced, Error> {
        match self.letter(new)? {
            Some(copy) if copy.has(NEW) => {
                self.expunge(new)?;
                Ok(Replaced::Gone)
            }
            Some(_) => Ok(Replaced::By(new)),
            None => Ok(Replaced::Gone),
        }
    }

    /// The UID of a new copy.
    fn append(&mut self, letter: &StoredMessage, bytes: &[u8]) -> Result<NonZeroU32, Error> {
        let message = Literal::try_from(bytes.to_vec())
            .map_err(|_| Error::unexpected("a message that a literal can hold", "NUL bytes"))?;
        let append = CommandBody::Append {
            mailbox: self.mailbox.clone(),
            flags: [letter.own_flags(), vec![keyword(NEW)?]].concat(),
            date: Some(letter.date.clone()),
            message: LiteralOrLiteral8::Literal(message),
        };
        match self.connection.run(append, |_| {})? {
            Some(Code::AppendUid { uid_validity, uid }) if uid_validity == self.validity => Ok(uid),
            // Two messages are there, and which is the copy is known by its keyword alone.
            _ => Err(Error::NoAnswer("APPEND without APPENDUID of this folder".to_owned())),
        }
    }

    /// What of a copy is not as it was sent.
    fn differs(
        &mut self,
        new: NonZeroU32,
        letter: &StoredMessage,
        bytes: &[u8],
    ) -> Result<Option<Error>, Error> {
        let expected = "a copy as it was sent";
        let Some(copy) = self.letter(new)? else {
            return Ok(Some(Error::unexpected(expected, "none")));
        };
        let kept = self.read(new)?;
        Ok(if kept.as_deref() != Some(bytes) {
            Some(Error::unexpected(expected, "other bytes"))
        } else if !copy.same_date(letter) {
            Some(Error::unexpected(expected, "another date"))
        } else if copy.own_flags() != letter.own_flags() || !copy.has(NEW) {
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
        let body = CommandBody::Store { sequence_set: one(uid), kind, response, flags, uid: true };
        self.connection.run(body, |_| {}).map(drop)
    }

    /// Removes a message that a copy stands for, with the flags that others gave it meanwhile.
    /// `deleted`: whether somebody else marked it as deleted.
    fn retire(
        &mut self,
        uid: NonZeroU32,
        mut deleted: bool,
        mut copy: Replacement,
    ) -> Result<(), Error> {
        for _ in 0..TRIES {
            if let Some(mut flags) = self.mark(uid)? {
                flags.retain(|flag| *flag != Flag::Deleted || deleted);
                if flags != copy.flags {
                    let all = flags.iter().chain(&copy.keyword).cloned().collect();
                    self.store(copy.uid, StoreType::Replace, all)?;
                    copy.flags = flags;
                }
            }
            self.connection.run(CommandBody::ExpungeUid { sequence_set: one(uid) }, |_| {})?;
            if self.letter(uid)?.is_none() {
                return Ok(());
            }
            // Somebody took the mark away, his own as well if he had set one.
            deleted = false;
        }
        let found = "one that somebody brings back each time: it stays beside its copy";
        Err(Error::unexpected("a message that goes when it is removed", found))
    }

    /// Marks a message as deleted; its flags then, without our keywords, in an order of ours.
    fn mark(&mut self, uid: NonZeroU32) -> Result<Option<Vec<Flag<'static>>>, Error> {
        let mut found = None;
        let (kind, response) = (StoreType::Add, StoreResponse::Answer);
        let flags = vec![Flag::Deleted];
        let body = CommandBody::Store { sequence_set: one(uid), kind, response, flags, uid: true };
        self.connection.run(body, |said| {
            let Said::Data(Data::Fetch { items, .. }) = said else { return };
            let items = items.into_inner();
            if !items.contains(&MessageDataItem::Uid(uid)) {
                return;
            }
            found = items.into_iter().find_map(flags_of).or(found.take());
        })?;
        Ok(found.map(own))
    }

    /// Removes one message, and none that somebody else marked as deleted.
    fn expunge(&mut self, uid: NonZeroU32) -> Result<(), Error> {
        self.store(uid, StoreType::Add, vec![Flag::Deleted])?;
        self.connection.run(CommandBody::ExpungeUid { sequence_set: one(uid) }, |_| {}).map(drop)
    }
}

fn one(uid: NonZeroU32) -> SequenceSet {
    SequenceSet::from(imap_codec::imap_types::sequence::Sequence::from(uid))
}

/// A message of which the server says all that was asked for. What it says by itself lacks something.
fn letter(items: Vec<MessageDataItem<'_>>) -> Option<StoredMessage> {
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
