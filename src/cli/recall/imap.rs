//! Accounts of a recall, over IMAP.

use std::ffi::OsString;
use std::io::{Read, Write};
use std::path::Path;

use anyhow::Context;

use super::{Run, print};
use crate::config::IMAP_PASSWORD;
use crate::file;
use crate::recall::delivered::Recalled;
use crate::recall::imap::account::Account;
use crate::recall::imap::dial::dial;
use crate::recall::imap::folder::{self, Access, Folder, Leftover, Replaced, StoredMessage};
use crate::recall::imap::{Connection, Error};
use crate::record::journal::recalls::Mailbox;
use crate::record::printable::line;

/// The password: the first line of the file, else of the environment. An argument would be seen by all
/// users of the machine.
pub(super) fn password(from: Option<&Path>) -> anyhow::Result<String> {
    let Some(path) = from else {
        return said(std::env::var_os(IMAP_PASSWORD));
    };
    let named = || path.display().to_string();
    let text = file::read_text(path, file::MAX_BYTES).with_context(named)?;
    let password = text.lines().next().unwrap_or_default().to_owned();
    anyhow::ensure!(!password.is_empty(), "{}: expected a password, found an empty line", named());
    Ok(password)
}

fn said(variable: Option<OsString>) -> anyhow::Result<String> {
    let found = variable.filter(|password| !password.is_empty()).with_context(|| {
        format!("expected a password in {IMAP_PASSWORD} or --password-file FILE")
    })?;
    // Not shown, for it is a password all the same.
    let text = found.into_string().ok();
    text.with_context(|| format!("{IMAP_PASSWORD}: expected UTF-8, found other bytes"))
}

/// The certificates of a file, as they stand there.
pub(super) fn roots(path: &Path) -> anyhow::Result<Vec<u8>> {
    file::read(path, file::MAX_BYTES).with_context(|| path.display().to_string())
}

/// The message that a copy was made of.
enum Predecessor {
    /// With the bytes of the copy.
    Found(StoredMessage, Vec<u8>),
    /// It was removed, and the copy alone is there.
    Gone,
    /// There are messages that it may have been made of, but not by this run.
    Unknown,
}

/// A copy has the date of its message and the higher UID.
fn may_precede(old: &StoredMessage, copy: &StoredMessage) -> bool {
    old.same_date(copy) && old.uid < copy.uid
}

impl Run {
    pub(super) fn account(&mut self, account: &Account, password: &str, roots: Option<&[u8]>) {
        let place = format!("{}@{}", account.user, account.host);
        let done = dial(account, password, roots, self.most)
            .map_err(anyhow::Error::from)
            .and_then(|mut connection| self.folders(&place, account, &mut connection));
        if let Err(error) = done {
            self.failed(&place, &format_args!("{error:#}"));
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
            // INBOX is one folder in every case (RFC 3501 §5.1).
            let same = |shown: &str| match wanted.eq_ignore_ascii_case("INBOX") {
                true => shown.eq_ignore_ascii_case("INBOX"),
                false => shown == wanted,
            };
            all.retain(|found| same(&folder::shown(found)));
            anyhow::ensure!(!all.is_empty(), "expected a folder {wanted:?}, found none");
        }
        let access = if self.dry_run { Access::Look } else { Access::Change };
        for mailbox in all {
            let named = line(&folder::shown(&mailbox));
            let place = format!("{place}/{named}");
            let done = Folder::open(connection, &mailbox, access)
                .and_then(|mut folder| self.imap_folder(&place, &mut folder));
            match done {
                Ok(()) => {}
                Err(error) if error.is_refusal() => self.failed(&place, &error),
                // Nobody knows what the server would say next.
                Err(error) => return Err(anyhow::Error::from(error).context(named)),
            }
        }
        connection.log_out();
        Ok(())
    }

    fn imap_folder<S: Read + Write>(
        &mut self,
        place: &str,
        folder: &mut Folder<'_, S>,
    ) -> Result<(), Error> {
        let (left, alone): (Vec<StoredMessage>, Vec<StoredMessage>) =
            folder.letters()?.into_iter().partition(|letter| letter.leftover().is_some());
        let mut todo = self.leftovers(place, folder, &left)?;
        todo.extend(alone);
        todo.sort_by_key(|letter| letter.uid);
        for letter in &todo {
            self.tick();
            match self.imap_letter(place, folder, letter) {
                Err(error) if error.is_refusal() => {
                    self.failed(&format_args!("{place} {}", letter.uid), &error);
                }
                done => done?,
            }
        }
        Ok(())
    }

    /// Finishes what an interrupted run left, if it shall; comes back with the messages that are to be
    /// looked at as all others.
    fn leftovers<S: Read + Write>(
        &mut self,
        place: &str,
        folder: &mut Folder<'_, S>,
        left: &[StoredMessage],
    ) -> Result<Vec<StoredMessage>, Error> {
        if !self.resume {
            for letter in left {
                let said = "an earlier run was interrupted here; --resume finishes it";
                self.failed(&format_args!("{place} {}", letter.uid), &said);
            }
            return Ok(Vec::new());
        }
        if self.dry_run {
            self.sums.finished += left.len() as u64;
            return Ok(Vec::new());
        }
        let (mut olds, mut copies) = (Vec::new(), Vec::new());
        for letter in left {
            match letter.leftover() {
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
                    self.say_new_uid(place, &old, copy.uid)?;
                    self.note_finished(Mailbox::Imap, &bytes);
                }
                Predecessor::Gone => folder.release(copy.uid)?,
                Predecessor::Unknown => {
                    let said =
                        "expected a run over the same hosts, with the same key, to finish it";
                    self.failed(&format_args!("{place} {}", copy.uid), &said);
                    olds.retain(|old| !may_precede(old, &copy));
                    continue;
                }
            }
            self.sums.finished += 1;
        }
        for old in &olds {
            folder.release(old.uid)?;
        }
        Ok(olds)
    }

    /// The message that a copy was made of.
    fn predecessor<S: Read + Write>(
        &self,
        folder: &mut Folder<'_, S>,
        olds: &[StoredMessage],
        copy: &StoredMessage,
    ) -> Result<Predecessor, Error> {
        let Some(new) = folder.read(copy.uid)? else { return Ok(Predecessor::Gone) };
        let mut none = Predecessor::Gone;
        for old in olds.iter().filter(|old| may_precede(old, copy)) {
            let Some(before) = folder.read(old.uid)? else { continue };
            if self.follows(&before, &new) {
                return Ok(Predecessor::Found(old.clone(), new));
            }
            none = Predecessor::Unknown;
        }
        Ok(none)
    }

    /// Whether one is made of the other by a recall, or by giving one back.
    fn follows(&self, before: &[u8], after: &[u8]) -> bool {
        let recalled =
            self.recall.given_back(after).is_ok_and(|back| back.as_deref() == Some(before));
        let back = self.recall.given_back_wholly(before);
        recalled || back.is_ok_and(|back| back.is_some_and(|back| back.bytes == after))
    }

    fn imap_letter<S: Read + Write>(
        &mut self,
        place: &str,
        folder: &mut Folder<'_, S>,
        letter: &StoredMessage,
    ) -> Result<(), Error> {
        if self.is_too_old(letter.delivered()) {
            return Ok(());
        }
        let named = format!("{place} {}", letter.uid);
        if letter.size > self.most {
            let said = format!("expected at most {} bytes, found {}", self.most, letter.size);
            self.failed(&named, &said);
            return Ok(());
        }
        let Some(bytes) = folder.read(letter.uid)? else {
            self.sums.gone += 1;
            return Ok(());
        };
        self.sums.read += 1;
        let Some(Recalled { bytes: new, links, .. }) = self.treated(&named, &bytes) else {
            return Ok(());
        };
        if self.dry_run {
            self.changed(links);
            return Ok(());
        }
        match folder.replace(letter, &new)? {
            Replaced::By(uid) => {
                self.changed(links);
                self.say_new_uid(place, letter, uid)?;
                self.note(Mailbox::Imap, self.action(), &new, links);
            }
            Replaced::Gone => self.sums.gone += 1,
        }
        std::thread::sleep(self.pause);
        Ok(())
    }

    /// What a message is now: whoever keeps UIDs can follow.
    fn say_new_uid(
        &self,
        place: &str,
        old: &StoredMessage,
        new: std::num::NonZeroU32,
    ) -> Result<(), Error> {
        let said = format!("{place}: UID {} is UID {new} now\n", old.uid);
        self.bar.suspend(|| print(&said)).map_err(std::io::Error::other)?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::ffi::OsStringExt;

    use super::*;

    #[test]
    fn a_password_of_the_environment_is_text() {
        assert_eq!(said(Some("s\u{e4}ge".into())).unwrap(), "s\u{e4}ge");
        for nothing in [None, Some(OsString::new())] {
            let error = said(nothing).unwrap_err().to_string();
            assert_eq!(
                error,
                "expected a password in LINKMILTER_IMAP_PASSWORD or --password-file FILE"
            );
        }
        let error = said(Some(OsString::from_vec(b"s3cret\xff".to_vec()))).unwrap_err();
        let said = error.to_string();
        assert_eq!(said, "LINKMILTER_IMAP_PASSWORD: expected UTF-8, found other bytes");
    }

    #[test]
    fn the_help_names_the_variable() {
        use clap::Args as _;
        let mut command = super::super::Args::augment_args(clap::Command::new("recall"));
        assert!(command.render_long_help().to_string().contains(IMAP_PASSWORD));
    }
}
