//! What is known about a message before its parts are read.

use std::ops::Range;

use super::finding::finding_of;
use super::judging::judged::Judged;
use super::outcome::{Finding, Place};
use super::{Policy, TldSet};
use mailsplice::mime::{Message, Tree};

/// What reading a part needs and does not change.
#[derive(Clone, Copy)]
pub struct PartContext<'a> {
    pub message: Message<'a>,
    pub tree: &'a Tree,
    /// The reader's language, if the operator or the message says it.
    pub language: Option<&'a str>,
    pub policy: &'a Policy,
    pub tlds: &'a dyn TldSet,
    /// Whether no two parts share bytes.
    pub disjoint: bool,
    /// How many archives in one another may still be read.
    pub archives_left: u8,
}

impl PartContext<'_> {
    /// The finding of a judged link: only reported, unless the caller edits it.
    pub fn finding_of(
        &self,
        judged: &Judged,
        part: &str,
        place: Place,
        span: Range<usize>,
        spelling: &str,
    ) -> Finding {
        finding_of((self.policy, judged), part, place, span, spelling)
    }
}
