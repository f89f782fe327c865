//! Names of messages in a Maildir, and which of them is a copy of which.

use std::collections::{HashMap, HashSet};
use std::ffi::OsString;
use std::os::unix::ffi::{OsStrExt, OsStringExt};

/// Marks the name of a copy: `_lm1` after the first part of the name.
const COPY_MARK: &[u8] = b"_lm";

/// A message in a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MaildirMessage {
    /// `cur` or `new`.
    pub(super) subdirectory: &'static str,
    pub(super) name: OsString,
}

/// Whether a message is half of a pair that an interrupted run left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CopyState<'l> {
    Alone,
    /// The original: an interrupted run made this copy and left both.
    Replaced(&'l MaildirMessage),
    /// The copy. It must not be changed until its original is removed.
    Copy,
}

/// The state of each message, in the same order.
pub fn copy_states(all: &[MaildirMessage]) -> Vec<CopyState<'_>> {
    let named: HashMap<&[u8], &MaildirMessage> =
        all.iter().map(|message| (first_part(message.base()), message)).collect();
    let copies: Vec<Option<&MaildirMessage>> = all
        .iter()
        .map(|message| named.get(message.copy_name_start().as_slice()).copied())
        .collect();
    let made: HashSet<&[u8]> =
        copies.iter().flatten().map(|copy| first_part(copy.base())).collect();
    let all = all.iter().zip(copies);
    all.map(|(message, copy)| match copy {
        Some(copy) => CopyState::Replaced(copy),
        None if made.contains(first_part(message.base())) => CopyState::Copy,
        None => CopyState::Alone,
    })
    .collect()
}

impl MaildirMessage {
    /// The name without flags.
    pub(super) fn base(&self) -> &[u8] {
        let name = self.name.as_bytes();
        name.get(..name.len() - self.flags().len()).unwrap_or_default()
    }

    /// The flags, such as `:2,S`, or nothing.
    pub(super) fn flags(&self) -> &[u8] {
        let name = self.name.as_bytes();
        let at = memchr::memchr(b':', name).unwrap_or(name.len());
        name.get(at..).unwrap_or_default()
    }

    /// The first part of the name that a copy of this message gets.
    fn copy_name_start(&self) -> Vec<u8> {
        let first_part = first_part(self.base());
        let mark = memchr::memmem::rfind(first_part, COPY_MARK).and_then(|at| {
            let digits = std::str::from_utf8(first_part.get(at + COPY_MARK.len()..)?).ok()?;
            Some((first_part.get(..at)?, digits.parse::<u32>().ok()?))
        });
        let (stem, count) = mark.unwrap_or((first_part, 0));
        let mark = String::from_utf8_lossy(COPY_MARK);
        [stem, format!("{mark}{}", count.saturating_add(1)).as_bytes()].concat()
    }

    /// The name of a copy with these bytes. Sizes (`S=` as stored, `W=` with CRLF) are updated.
    pub(super) fn copy_name(&self, bytes: &[u8]) -> OsString {
        let mut name = self.copy_name_start();
        for part in self.base().split(|c| *c == b',').skip(1) {
            name.push(b',');
            match part.get(..2) {
                Some(b"S=") => name.extend(format!("S={}", bytes.len()).bytes()),
                Some(b"W=") => name.extend(format!("W={}", wire_len(bytes)).bytes()),
                _ => name.extend_from_slice(part),
            }
        }
        name.extend_from_slice(self.flags());
        OsString::from_vec(name)
    }
}

/// The name of a copy in `tmp`: that of its place, with the process and a number.
pub(super) fn temporary(base: &[u8], process: u32, number: u64) -> Vec<u8> {
    [base, format!(".{process}-{number}").as_bytes()].concat()
}

/// Whether a name in `tmp` is one of [`temporary`]: nobody else's has our mark and such an end.
pub(super) fn is_temporary(name: &[u8]) -> bool {
    let digits = |text: &[u8]| !text.is_empty() && text.iter().all(u8::is_ascii_digit);
    let parts = || {
        let dot = memchr::memrchr(b'.', name)?;
        let (base, end) = (name.get(..dot)?, name.get(dot + 1..)?);
        let dash = memchr::memchr(b'-', end)?;
        let mark = memchr::memmem::rfind(first_part(base), COPY_MARK)?;
        let count = first_part(base).get(mark + COPY_MARK.len()..)?;
        Some(digits(count) && digits(end.get(..dash)?) && digits(end.get(dash + 1..)?))
    };
    parts().unwrap_or_default()
}

/// The name up to its first comma.
fn first_part(base: &[u8]) -> &[u8] {
    base.split(|c| *c == b',').next().unwrap_or_default()
}

/// Size in bytes with CRLF at the end of each line.
fn wire_len(bytes: &[u8]) -> usize {
    let bare = |at: &usize| at.checked_sub(1).and_then(|before| bytes.get(before)) != Some(&b'\r');
    bytes.len() + memchr::memchr_iter(b'\n', bytes).filter(bare).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn messages(names: &[&str]) -> Vec<MaildirMessage> {
        let message = |name: &&str| MaildirMessage { subdirectory: "cur", name: name.into() };
        names.iter().map(message).collect()
    }

    #[test]
    fn only_temporary_files_of_ours_are_recognized() {
        let ours = temporary(b"1.a.host_lm12,S=3", 77, 0);
        assert_eq!(ours, b"1.a.host_lm12,S=3.77-0");
        assert!(is_temporary(&ours) && is_temporary(b"1.a.host_lm1.77-10"));
        for other in
            ["1.a.host", "1.a.host_lm1", "1.a.host,S=3.77-0", "1_lmx.7-7", "1_lm1.7", "1_lm1.-7"]
        {
            assert!(!is_temporary(other.as_bytes()), "{other}");
        }
    }

    #[test]
    fn a_pair_left_by_an_interrupted_run_is_recognized() {
        let all = messages(&["1.a.host,S=3:2,", "1.a.host_lm1,S=3:2,"]);
        assert_eq!(copy_states(&all), [CopyState::Replaced(&all[1]), CopyState::Copy]);
        let all = messages(&["1.a.host_lm1:2,", "1.b.host:2,"]);
        assert_eq!(copy_states(&all), [CopyState::Alone, CopyState::Alone]);
    }
}
