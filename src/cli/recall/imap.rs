//! `linkmilter recall --imap`.

use std::ffi::OsString;
use std::io::{Read, Write};
use std::path::Path;

use anyhow::Context;

use super::{RecallRun, error_with_causes, print};
use crate::config::IMAP_PASSWORD;
use crate::file;
use crate::recall::delivered::Recalled;
use crate::recall::imap::account::Account;
use crate::recall::imap::connect::connect;
use crate::recall::imap::folder::{
    self, Access, ImapFolder, ImapMessage, Leftover, ReplacedInFolder,
};
use crate::recall::imap::{Connection, Error};
use crate::record::journal::recalls::Mailbox;
use crate::record::printable::line;

/// The password: the first line of the file, else the variable. An argument would be visible to all
/// users of the machine.
pub(super) fn password(from: Option<&Path>) -> anyhow::Result<String> {
    let Some(path) = from else {
        return variable_text(std::env::var_os(IMAP_PASSWORD));
    };
    let named = || path.display().to_string();
    let text = file::read_text(path, file::MAX_BYTES).with_context(named)?;
    let password = text.lines().next().unwrap_or_default().to_owned();
    anyhow::ensure!(!password.is_empty(), "{}: expected a password, found an empty line", named());
    Ok(password)
}

fn variable_text(variable: Option<OsString>) -> anyhow::Result<String> {
    let found = variable.filter(|password| !password.is_empty()).with_context(|| {
        format!("expected a password in {IMAP_PASSWORD} or --password-file FILE")
    })?;
    // Not shown: it may still be the password.
    let text = found.into_string().ok();
    text.with_context(|| format!("{IMAP_PASSWORD}: expected UTF-8, found other bytes"))
}

/// The certificates in a file, not parsed yet.
pub(super) fn read_ca_file(path: &Path) -> anyhow::Result<Vec<u8>> {
    file::read(path, file::MAX_BYTES).with_context(|| path.display().to_string())
}

/// The message that a copy was made of.
enum Predecessor {
    /// The original, with the bytes of the copy.
    Found(ImapMessage, Vec<u8>),
    /// The original was removed; only the copy is there.
    Gone,
    /// There are possible originals, but this run would not make the copy of any of them.
    Unknown,
}

/// A copy has the date of its original and a higher UID.
fn may_be_copied_to(old: &ImapMessage, copy: &ImapMessage) -> bool {
    old.same_date(copy) && old.uid < copy.uid
}

impl RecallRun {
    pub(super) fn account(&mut self, account: &Account, password: &str, roots: Option<&[u8]>) {
        let place = account.to_string();
        let done = connect(account, password, roots, self.max_message)
            .map_err(anyhow::Error::from)
            .and_then(|mut connection| self.folders(&place, account, &mut connection));
        if let Err(error) = done {
            self.failed(&place, &error_with_causes(&error));
        }
    }

    fn folders<S: Read + Write>(
        &mut self,
        place: &str,
        account: &Account,
        connection: &mut Connection<S>,
    ) -> anyhow::Result<()> {
        let mut all = folder::folders(connection)?;
        if let Some(wanted) = &account.folder {
            // INBOX is case-insensitive (RFC 3501 §5.1).
            let same = |shown: &str| match wanted.eq_ignore_ascii_case("INBOX") {
                true => shown.eq_ignore_ascii_case("INBOX"),
                false => shown == wanted,
            };
            all.retain(|found| same(&folder::display_name(found)));
            anyhow::ensure!(!all.is_empty(), "expected a folder {wanted:?}, found none");
        }
        let access = if self.dry_run { Access::ReadOnly } else { Access::ReadWrite };
        for mailbox in all {
            let name = line(&folder::display_name(&mailbox));
            let place = format!("{place}/{name}");
            let done = ImapFolder::open(connection, &mailbox, access)
                .and_then(|mut folder| self.imap_folder(&place, &mut folder));
            match done {
                Ok(()) => {}
                Err(error) if error.is_refusal() => self.failed(&place, &error),
                // The state of the connection is unknown.
                Err(error) => return Err(anyhow::Error::from(error).context(name)),
            }
        }
        connection.log_out();
        Ok(())
    }

    fn imap_folder<S: Read + Write>(
        &mut self,
        place: &str,
        folder: &mut ImapFolder<'_, S>,
    ) -> Result<(), Error> {
        let (left, without_leftover): (Vec<ImapMessage>, Vec<ImapMessage>) =
            folder.messages()?.into_iter().partition(|message| message.leftover().is_some());
        let mut todo = self.leftovers(place, folder, &left)?;
        todo.extend(without_leftover);
        todo.sort_by_key(|message| message.uid);
        for message in &todo {
            self.tick();
            match self.imap_message(place, folder, message) {
                Err(error) if error.is_refusal() => {
                    self.failed(&format_args!("{place} {}", message.uid), &error);
                }
                done => done?,
            }
        }
        Ok(())
    }

    /// Finishes what an interrupted run left, if `--resume` is given. Returns the messages that are
    /// then processed like all others.
    fn leftovers<S: Read + Write>(
        &mut self,
        place: &str,
        folder: &mut ImapFolder<'_, S>,
        left: &[ImapMessage],
    ) -> Result<Vec<ImapMessage>, Error> {
        if !self.resume {
            for message in left {
                let text = "an earlier run was interrupted here; --resume finishes it";
                self.failed(&format_args!("{place} {}", message.uid), &text);
            }
            return Ok(Vec::new());
        }
        if self.dry_run {
            self.totals.finished += left.len() as u64;
            return Ok(Vec::new());
        }
        let (mut olds, mut copies) = (Vec::new(), Vec::new());
        for message in left {
            match message.leftover() {
                Some(Leftover::Old(old)) => olds.push(old),
                Some(Leftover::New(copy)) => copies.push(copy),
                None => {}
            }
        }
        for copy in copies {
            match self.predecessor(folder, &olds, &copy)? {
                Predecessor::Found(old, bytes) => {
                    folder.finish(&old, &copy)?;
                    olds.retain(|other| other.uid != old.uid);
                    self.print_new_uid(place, &old, copy.uid)?;
                    self.note_finished(Mailbox::Imap, &bytes);
                }
                Predecessor::Gone => folder.remove_keywords(copy.uid)?,
                Predecessor::Unknown => {
                    let text =
                        "expected a run over the same hosts, with the same key, to finish it";
                    self.failed(&format_args!("{place} {}", copy.uid), &text);
                    olds.retain(|old| !may_be_copied_to(old, &copy));
                    continue;
                }
            }
            self.totals.finished += 1;
        }
        for old in &olds {
            folder.remove_keywords(old.uid)?;
        }
        Ok(olds)
    }

    /// Finds the message that a copy was made of.
    fn predecessor<S: Read + Write>(
        &self,
        folder: &mut ImapFolder<'_, S>,
        olds: &[ImapMessage],
        copy: &ImapMessage,
    ) -> Result<Predecessor, Error> {
        let Some(new) = folder.read(copy.uid)? else { return Ok(Predecessor::Gone) };
        let mut not_found = Predecessor::Gone;
        for old in olds.iter().filter(|old| may_be_copied_to(old, copy)) {
            let Some(before) = folder.read(old.uid)? else { continue };
            if self.is_copy_of(&before, &new) {
                return Ok(Predecessor::Found(old.clone(), new));
            }
            not_found = Predecessor::Unknown;
        }
        Ok(not_found)
    }

    /// Whether a recall, or undoing one, turns `before` into `after`.
    fn is_copy_of(&self, before: &[u8], after: &[u8]) -> bool {
        let recalled =
            self.recall.undo_last(after).is_ok_and(|back| back.as_deref() == Some(before));
        let back = self.recall.undo_all(before);
        recalled || back.is_ok_and(|back| back.is_some_and(|back| back.bytes == after))
    }

    fn imap_message<S: Read + Write>(
        &mut self,
        place: &str,
        folder: &mut ImapFolder<'_, S>,
        message: &ImapMessage,
    ) -> Result<(), Error> {
        if self.is_too_old(message.delivered()) {
            return Ok(());
        }
        let named = format!("{place} {}", message.uid);
        if message.size > self.max_message {
            let text =
                format!("expected at most {} bytes, found {}", self.max_message, message.size);
            self.failed(&named, &text);
            return Ok(());
        }
        let Some(bytes) = folder.read(message.uid)? else {
            match folder.holds(message.uid)? {
                true => self.failed(&named, &"expected its text, the server sends none"),
                false => self.totals.gone += 1,
            }
            return Ok(());
        };
        self.totals.read += 1;
        let Some(Recalled { bytes: new, links, .. }) = self.new_version(&named, &bytes) else {
            return Ok(());
        };
        if self.dry_run {
            self.would_change(&named, links);
            return Ok(());
        }
        match folder.replace(message, &new)? {
            ReplacedInFolder::By(uid) => {
                self.changed(links);
                self.print_new_uid(place, message, uid)?;
                self.note(Mailbox::Imap, self.action(), &new, links);
            }
            ReplacedInFolder::Gone => self.totals.gone += 1,
        }
        std::thread::sleep(self.pause);
        Ok(())
    }

    /// Prints the new UID, for programs that keep UIDs.
    fn print_new_uid(
        &self,
        place: &str,
        old: &ImapMessage,
        new: std::num::NonZeroU32,
    ) -> Result<(), Error> {
        let text = format!("{place}: UID {} is UID {new} now\n", old.uid);
        self.progress.suspend(|| print(&text)).map_err(std::io::Error::other)?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::ffi::OsStringExt;

    use super::*;

    #[test]
    fn a_password_in_the_environment_must_be_utf8() {
        assert_eq!(variable_text(Some("s\u{e4}ge".into())).unwrap(), "s\u{e4}ge");
        for nothing in [None, Some(OsString::new())] {
            let error = variable_text(nothing).unwrap_err().to_string();
            assert_eq!(
                error,
                "expected a password in LINKMILTER_IMAP_PASSWORD or --password-file FILE"
            );
        }
        let error = variable_text(Some(OsString::from_vec(b"s3cret\xff".to_vec()))).unwrap_err();
        assert_eq!(
            error.to_string(),
            "LINKMILTER_IMAP_PASSWORD: expected UTF-8, found other bytes"
        );
    }

    #[test]
    fn the_help_names_the_variable() {
        use clap::Args as _;
        let mut command = super::super::Args::augment_args(clap::Command::new("recall"));
        assert!(command.render_long_help().to_string().contains(IMAP_PASSWORD));
    }
}
