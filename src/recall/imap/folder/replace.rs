//! Replaces one message of a folder so that nothing is lost.
//!
//! | step | after an interruption at this point |
//! | --- | --- |
//! | the message gets the keyword `LinkmilterOld` | the message is there; a later run removes the keyword |
//! | the new copy is appended with the flags, the date and `LinkmilterNew`, and read back | both are there; a later run continues with the next step |
//! | the message is marked as deleted, and only its UID is expunged | the copy is there; a later run removes its keyword |
//! | the copy loses `LinkmilterNew` | done |
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

use imap_codec::imap_types::command::CommandBody;
use imap_codec::imap_types::core::Literal;
use imap_codec::imap_types::extensions::binary::LiteralOrLiteral8;
use imap_codec::imap_types::fetch::MessageDataItem;
use imap_codec::imap_types::flag::{Flag, StoreResponse, StoreType};
use imap_codec::imap_types::response::{Code, Data};

use super::super::wire::{Error, Untagged};
use super::message::{
    ImapMessage, NEW_KEYWORD, OLD_KEYWORD, flags_of, keyword, without_our_keywords,
};
use super::{ImapFolder, single};

/// How often a message is marked as deleted and expunged. Another client may clear the mark in
/// between, and then the message is still there.
const MAX_EXPUNGE_TRIES: usize = 3;

/// The outcome of a replacement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReplacedInFolder {
    /// The copy with this UID replaced the message.
    By(NonZeroU32),
    /// Another client removed the message meanwhile, so the copy was removed as well.
    Gone,
}

/// A copy that replaces a message.
struct Replacement {
    uid: NonZeroU32,
    /// Without our keywords.
    flags: Vec<Flag<'static>>,
    keyword: Option<Flag<'static>>,
}

impl<S: Read + Write> ImapFolder<'_, S> {
    /// Replaces a message by these bytes. Flags, keywords and date are kept. The copy has a new
    /// UID.
    ///
    /// # Errors
    /// When the copy cannot be made or differs from what was sent: then the message is there as
    /// before. When the connection breaks: then a later run finishes the work.
    pub fn replace(
        &mut self,
        message: &ImapMessage,
        bytes: &[u8],
    ) -> Result<ReplacedInFolder, Error> {
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
        Ok(ReplacedInFolder::By(new))
    }

    /// Continues an earlier run that was interrupted between a message and its copy.
    ///
    /// # Errors
    /// When the server refuses. Then both are there.
    pub fn finish(
        &mut self,
        old: &ImapMessage,
        copy: &ImapMessage,
    ) -> Result<ReplacedInFolder, Error> {
        // The earlier run marked the message as deleted; that mark is not a flag of the user.
        let mut flags = old.user_flags();
        flags.retain(|flag| *flag != Flag::Deleted || copy.flags.contains(flag));
        // Remove the copy's keyword first. Another run that works on this message sees by its
        // absence that the copy is needed.
        self.store(copy.uid, StoreType::Replace, flags.clone())?;
        let deleted = flags.contains(&Flag::Deleted);
        let replacement = Replacement { uid: copy.uid, flags, keyword: None };
        self.remove_original(old.uid, deleted, replacement)?;
        Ok(ReplacedInFolder::By(copy.uid))
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
    fn original_is_gone(&mut self, new: NonZeroU32) -> Result<ReplacedInFolder, Error> {
        match self.message(new)? {
            Some(copy) if copy.has(NEW_KEYWORD) => {
                self.expunge(new)?;
                Ok(ReplacedInFolder::Gone)
            }
            Some(_) => Ok(ReplacedInFolder::By(new)),
            None => Ok(ReplacedInFolder::Gone),
        }
    }

    /// Appends a copy and returns its UID.
    fn append(&mut self, message: &ImapMessage, bytes: &[u8]) -> Result<NonZeroU32, Error> {
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
        message: &ImapMessage,
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
