//! `linkmilter recall --maildir`.

use std::path::Path;

use super::RecallRun;
use crate::recall::delivered::Recalled;
use crate::recall::maildir::{
    CopyState, MaildirFolder, MaildirMessage, ReplacedInMaildir, copy_states, folders,
};
use crate::record::journal::recalls::Mailbox;

impl RecallRun {
    pub(super) fn maildir(&mut self, root: &Path) {
        let found = match folders(root) {
            Ok(found) => found,
            Err(error) => return self.failed(&root.display(), &error),
        };
        for (path, error) in &found.unreadable {
            self.failed(&path.display(), error);
        }
        for folder in found.found {
            // A dry run changes nothing, so it needs no lock.
            let lock = if self.dry_run { Ok(None) } else { folder.lock().map(Some) };
            match lock.and_then(|lock| Ok((lock, folder.messages()?))) {
                Ok((lock, messages)) => {
                    if self.resume
                        && let Some(lock) = &lock
                        && let Err(error) = folder.clean(lock)
                    {
                        self.failed(&root.display(), &error);
                    }
                    self.folder(&folder, &messages);
                }
                Err(error) => self.failed(&root.display(), &error),
            }
        }
    }

    fn folder(&mut self, folder: &MaildirFolder, messages: &[MaildirMessage]) {
        for (message, state) in messages.iter().zip(copy_states(messages)) {
            self.tick();
            match state {
                CopyState::Replaced(copy) => self.leftover(folder, message, copy),
                // After a copy of this copy, nothing would show that it belongs to that message.
                CopyState::Copy if !self.resume => {}
                CopyState::Copy | CopyState::Alone => self.message(folder, message),
            }
        }
    }

    /// An earlier run was interrupted after it made the copy and before it removed the original.
    fn leftover(
        &mut self,
        folder: &MaildirFolder,
        message: &MaildirMessage,
        copy: &MaildirMessage,
    ) {
        let path = folder.path(message);
        if !self.resume {
            let reason = "an earlier run was interrupted here; --resume finishes it";
            return self.failed(&path.display(), &reason);
        }
        if self.dry_run {
            self.totals.finished += 1;
            return;
        }
        // Read before finishing, because a change of flags may rename the copy.
        let bytes = folder.read(copy, self.max_message).map(|(bytes, _)| bytes);
        match folder.finish(message, copy.clone()) {
            Ok(_) => {
                self.totals.finished += 1;
                if let Ok(bytes) = bytes {
                    self.note_finished(Mailbox::Maildir, &bytes);
                }
            }
            Err(error) => self.failed(&path.display(), &error),
        }
    }

    fn message(&mut self, folder: &MaildirFolder, message: &MaildirMessage) {
        let path = folder.path(message);
        let (bytes, delivered) = match folder.read(message, self.max_message) {
            Ok(read) => read,
            // A mail program moved it from `new` to `cur`, or removed it. A second run will find it
            // under its new name.
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                self.totals.gone += 1;
                return;
            }
            Err(error) => return self.failed(&path.display(), &error),
        };
        self.totals.read += 1;
        if self.is_too_old(delivered) {
            return;
        }
        let Some(Recalled { bytes: new, links, .. }) = self.new_version(&path.display(), &bytes)
        else {
            return;
        };
        if self.dry_run {
            return self.would_change(&path.display(), links);
        }
        match folder.replace(message, &new) {
            Ok(ReplacedInMaildir::Done) => {
                self.changed(links);
                self.note(Mailbox::Maildir, self.action(), &new, links);
            }
            Ok(ReplacedInMaildir::Gone) => self.totals.gone += 1,
            Err(error) => return self.failed(&path.display(), &error),
        }
        std::thread::sleep(self.pause);
    }
}
