//! Replaces the first label of a host that was read. Where prose may precede a host, several hosts
//! are judged, and the labels after the first one are the same.

use super::{HostForms, LABEL_OCTETS, LabelForms, NAME_CHARACTERS, SPELLING_BYTES};
use super::{is_bidi, is_dot, is_settled, may_begin_sign, without_turkish_dots};
use crate::verdict::{Reason, Verdict};
use uts58::unicode::hosts::is_bidi_control;
use uts58::unicode::punycode;

/// The first label before it was replaced, and the problems of that host as a whole.
pub(crate) struct SavedFirst {
    part: LabelForms,
    problems: Vec<(Reason, Verdict)>,
}

impl HostForms {
    /// Replaces the first label by `label`; `reading` is the whole spelling of the new host. `None`
    /// if the result could differ from reading that spelling as a whole. If nothing is wrong with
    /// the form of the label, its ASCII form is computed only on request ([`HostForms::finish`]): most
    /// such readings are dropped.
    pub(crate) fn replace_first(&mut self, label: &str, reading: &str) -> Option<SavedFirst> {
        let odd = |byte: u8| matches!(byte, b'%' | b'[' | b'.') || may_begin_sign(byte);
        let is_odd = |c: char| matches!(c, '%' | '[') || is_dot(c) || is_bidi_control(c);
        if !self.as_spelled
            || self.parts.len() < 2
            || reading.len() > SPELLING_BYTES
            || label.bytes().any(odd) && label.contains(is_odd)
            || without_turkish_dots(label).is_some()
        {
            return None;
        }
        if self.is_surely_valid(label) {
            let (spelling, unicode) = (label.to_owned(), label.to_owned());
            let part = LabelForms { spelling, ascii: String::new(), unicode, problems: Vec::new() };
            let first = SavedFirst {
                part: self.swap_first(part)?,
                problems: std::mem::take(&mut self.problems),
            };
            self.unfinished = true;
            return Some(first);
        }
        let mut read = HostForms::default();
        read.read_label(label);
        let part = read.parts.pop().filter(|_| read.parts.is_empty())?;
        let part = self.swap_first(part)?;
        let problems = std::mem::take(&mut self.problems);
        self.check_bidi();
        self.parts.first_mut()?.check_length();
        self.check_length();
        Some(SavedFirst { part, problems })
    }

    /// Whether the label would stay unchanged and fit as the first one, and nothing would be wrong
    /// with the form of the host.
    fn is_surely_valid(&self, label: &str) -> bool {
        let behind = self.parts.first().map_or(0, |first| self.ascii.len() - first.ascii.len());
        behind + LABEL_OCTETS <= NAME_CHARACTERS
            && !label.is_ascii()
            && !label.bytes().any(|byte| byte.is_ascii_uppercase())
            && is_settled(label)
            && punycode::is_surely_short(label)
            && !is_bidi(label)
            && !is_bidi(&self.unicode)
    }

    /// Whether the ASCII form lacks the first label.
    pub(crate) fn is_unfinished(&self) -> bool {
        self.unfinished
    }

    /// Completes the ASCII form with the first label.
    pub(crate) fn finish(&mut self) {
        if let Some(first) = self.parts.first_mut().filter(|_| self.unfinished) {
            first.ascii = punycode::in_ascii(&first.unicode);
            self.ascii = [&first.ascii, &*self.ascii].concat();
        }
        self.unfinished = false;
    }

    /// Restores the first label from before.
    pub(crate) fn restore(&mut self, first: SavedFirst) {
        self.swap_first(first.part);
        self.problems = first.problems;
        self.unfinished = false;
    }

    /// Replaces the first label and returns the old one.
    fn swap_first(&mut self, part: LabelForms) -> Option<LabelForms> {
        let first = self.parts.first_mut()?;
        let ascii = [&part.ascii, self.ascii.get(first.ascii.len()..)?].concat();
        let unicode = [&part.unicode, self.unicode.get(first.unicode.len()..)?].concat();
        (self.ascii, self.unicode) = (ascii, unicode);
        Some(std::mem::replace(first, part))
    }

    /// The ASCII form of the host with the saved first label.
    pub(crate) fn ascii_with(&self, first: &SavedFirst) -> String {
        let behind = self.parts.first().and_then(|part| self.ascii.get(part.ascii.len()..));
        [&first.part.ascii, behind.unwrap_or_default()].concat()
    }
}
