//! Maildirs of a recall.

use std::path::Path;

use super::Run;
use crate::recall::delivered::Recalled;
use crate::recall::maildir::{CopyState, Folder, Replaced, StoredMessage, copy_states, folders};
use crate::record::journal::recalls::Mailbox;

impl Run {
    pub(super) fn maildir(&mut self, root: &Path) {
        let found = match folders(root) {
            Ok(found) => found,
            Err(error) => return self.failed(&root.display(), &error),
        };
        for (path, error) in &found.unread {
            self.failed(&path.display(), error);
        }
        for folder in found.found {
            // What is only looked at keeps nobody waiting.
            let held = if self.dry_run { Ok(None) } else { folder.hold().map(Some) };
            match held.and_then(|held| Ok((held, folder.letters()?))) {
                Ok((_held, letters)) => self.folder(&folder, &letters),
                Err(error) => self.failed(&root.display(), &error),
            }
        }
    }

    fn folder(&mut self, folder: &Folder, letters: &[StoredMessage]) {
        for (letter, standing) in letters.iter().zip(copy_states(letters)) {
            self.tick();
            match standing {
                CopyState::Replaced(copy) => self.leftover(folder, letter, copy),
                // A copy of this copy would leave nothing that tells it is of that message.
                CopyState::Copy if !self.resume => {}
                CopyState::Copy | CopyState::Alone => self.letter(folder, letter),
            }
        }
    }

    /// An earlier run ended between the new copy and the old message.
    fn leftover(&mut self, folder: &Folder, letter: &StoredMessage, copy: &StoredMessage) {
        let path = folder.path(letter);
        if !self.resume {
            let said = "an earlier run was interrupted here; --resume finishes it";
            return self.failed(&path.display(), &said);
        }
        if self.dry_run {
            self.sums.finished += 1;
            return;
        }
        // Read first: flags that change give it another name.
        let bytes = folder.read(copy, self.most).map(|(bytes, _)| bytes);
        match folder.finish(letter, copy.clone()) {
            Ok(_) => {
                self.sums.finished += 1;
                if let Ok(bytes) = bytes {
                    self.note_finished(Mailbox::Maildir, &bytes);
                }
            }
            Err(error) => self.failed(&path.display(), &error),
        }
    }

    fn letter(&mut self, folder: &Folder, letter: &StoredMessage) {
        let path = folder.path(letter);
        let (bytes, delivered) = match folder.read(letter, self.most) {
            Ok(read) => read,
            // Whoever reads his mail moves it from `new` to `cur`, or removes it: the copy that is
            // there now is met in a second run.
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                self.sums.gone += 1;
                return;
            }
            Err(error) => return self.failed(&path.display(), &error),
        };
        self.sums.read += 1;
        if self.is_too_old(delivered) {
            return;
        }
        let Some(Recalled { bytes: new, links, .. }) = self.treated(&path.display(), &bytes) else {
            return;
        };
        if self.dry_run {
            return self.changed(links);
        }
        match folder.replace(letter, &new) {
            Ok(Replaced::Done) => {
                self.changed(links);
                self.note(Mailbox::Maildir, self.action(), &new, links);
            }
            Ok(Replaced::Gone) => self.sums.gone += 1,
            Err(error) => return self.failed(&path.display(), &error),
        }
        std::thread::sleep(self.pause);
    }
}
