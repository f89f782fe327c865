//! An open folder of an IMAP account: its messages, read and replaced one at a time.

mod message;
mod replace;

use std::io::{Read, Write};
use std::num::NonZeroU32;

use imap_codec::imap_types::IntoStatic;
use imap_codec::imap_types::command::CommandBody;
use imap_codec::imap_types::fetch::{
    MacroOrMessageDataItemNames, MessageDataItem, MessageDataItemName,
};
use imap_codec::imap_types::flag::{Flag, FlagNameAttribute, FlagPerm, StoreResponse, StoreType};
use imap_codec::imap_types::mailbox::{ListMailbox, Mailbox};
use imap_codec::imap_types::response::{Code, Data};
use imap_codec::imap_types::sequence::SequenceSet;

use super::wire::{Connection, Error, Untagged};
use message::parse_message;

pub use message::{ImapMessage, Leftover, NEW_KEYWORD, OLD_KEYWORD};
pub use replace::ReplacedInFolder;

/// How a folder is opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    ReadOnly,
    ReadWrite,
}

/// An open folder.
#[derive(Debug)]
pub struct ImapFolder<'c, S> {
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

impl<'c, S: Read + Write> ImapFolder<'c, S> {
    /// Opens a folder. The server must keep UIDs across sessions, and for [`Access::ReadWrite`]
    /// also keywords.
    ///
    /// # Errors
    /// When the server refuses, or the folder lacks one of these.
    pub fn open(
        connection: &'c mut Connection<S>,
        mailbox: &Mailbox<'static>,
        access: Access,
    ) -> Result<ImapFolder<'c, S>, Error> {
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
        Ok(ImapFolder { connection, mailbox: mailbox.clone(), validity })
    }

    /// The messages of the folder, sorted by UID.
    ///
    /// # Errors
    /// When the server does not list them.
    pub fn messages(&mut self) -> Result<Vec<ImapMessage>, Error> {
        let all = SequenceSet::try_from("1:*").map_err(|error| Error::unexpected("1:*", error))?;
        let mut found = self.fetch_messages(all)?;
        found.sort_by_key(|message| message.uid);
        Ok(found)
    }

    /// One message, or `None` when it is gone.
    fn message(&mut self, uid: NonZeroU32) -> Result<Option<ImapMessage>, Error> {
        let found = self.fetch_messages(single(uid))?;
        Ok(found.into_iter().find(|message| message.uid == uid))
    }

    fn fetch_messages(&mut self, of: SequenceSet) -> Result<Vec<ImapMessage>, Error> {
        use MessageDataItemName as Name;
        let names = vec![Name::Uid, Name::Flags, Name::InternalDate, Name::Rfc822Size];
        // A server may report changes by other clients only in response to NOOP.
        self.connection.run(CommandBody::Noop, |_| {})?;
        let mut found = Vec::new();
        self.fetch(of, names, |items| found.extend(parse_message(items)))?;
        Ok(found)
    }

    /// Whether the server still lists a message.
    ///
    /// # Errors
    /// When the server does not answer.
    pub fn holds(&mut self, uid: NonZeroU32) -> Result<bool, Error> {
        Ok(self.message(uid)?.is_some())
    }

    /// The bytes of a message as on the wire, or `None` when it is gone, or the server sends none.
    ///
    /// # Errors
    /// When the server does not answer.
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
}

fn single(uid: NonZeroU32) -> SequenceSet {
    SequenceSet::from(imap_codec::imap_types::sequence::Sequence::from(uid))
}
