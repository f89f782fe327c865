//! A host as it is compared with names: its labels, their pieces between hyphens, and what was
//! found.

use unicode_script::Script;

use super::domain::SuffixLengths;
use super::form::LabelForms;
use super::script::is_native_label;
use crate::characters::letters;
use crate::characters::phrase;
use crate::characters::reading::{LabelChar, LabelChars, Shape, reading_as_latin};
use crate::verdict::{Reason, Verdict};
use uts58::unicode::{ScriptOf as _, is_letter};

/// A protected name that the host resembles.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Hit {
    /// The name, in ASCII form.
    pub target: String,
    /// Index of the label that resembles it most.
    pub label: usize,
    pub verdict: Verdict,
    pub reason: Reason,
}

/// A host to compare with names.
pub(crate) struct ComparedHost<'a> {
    pub parts: &'a [LabelForms],
    /// What each label reads as.
    pub chars: &'a [LabelChars],
    pub ascii: &'a str,
    pub unicode: &'a str,
    pub suffixes: SuffixLengths,
}

/// The labels of a host, divided into those that anybody can register and those of the registry.
pub(crate) struct HostLabels<'a> {
    pub parts: &'a [LabelForms],
    pub chars: &'a [LabelChars],
    /// Index of the registrable label; labels after it belong to the registry.
    pub registrable: usize,
}

impl<'a> HostLabels<'a> {
    pub(crate) fn of(compared: &ComparedHost<'a>) -> HostLabels<'a> {
        let registrable = compared.parts.len().saturating_sub(compared.suffixes.icann + 1);
        HostLabels { parts: compared.parts, chars: compared.chars, registrable }
    }

    /// Whether the label is the registrable one and is followed by the suffix of the name.
    pub(crate) fn ends_as(&self, at: usize, name: &str) -> bool {
        let theirs = name.split('.').skip(1);
        let ours = self.parts.iter().skip(at + 1).map(|part| part.ascii.as_str());
        at == self.registrable && ours.eq(theirs)
    }

    /// Whether the letters of the label are those of a language of the top-level domain.
    pub(crate) fn has_native_letters(&self, at: usize) -> bool {
        let Some(part) = self.parts.get(at) else { return false };
        let tld = self.parts.last().map(|part| part.ascii.as_str()).unwrap_or_default();
        let home = letters::official(tld);
        let own = |c: char| c.is_ascii() || !letters::main(c).and(home).is_empty();
        part.unicode.chars().all(own) || self.is_native_word(&part.unicode)
    }

    /// Whether it is a word of a script other than Latin that is native to the top-level domain.
    pub(crate) fn is_native_word(&self, label: &str) -> bool {
        let tld = self.parts.last().map(|part| part.unicode.as_str()).unwrap_or_default();
        let mut letters = label.chars().filter(|c| is_letter(*c));
        letters.all(|c| c.script() != Script::Latin) && is_native_label(label, tld)
    }
}

/// A piece of a label between hyphens, or of such a piece.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LabelToken<'a> {
    pub unicode: &'a str,
    pub chars: &'a [LabelChar],
    before: Option<&'a str>,
}

impl LabelToken<'_> {
    /// Whether it is a word of a phrase and no name.
    pub(crate) fn is_in_phrase(&self) -> bool {
        phrase::holds(self.before, self.chars)
    }
}

/// The pieces between hyphens of a hyphenated label that have at least `least` characters, with
/// what they read as. If all letters of a piece are twins of Latin ones, every beginning and end of
/// it is one as well: no word of a language is made so (`аррӏерау`).
pub(crate) fn tokens<'a>(
    label: &'a str,
    chars: &'a LabelChars,
    least: usize,
) -> Vec<LabelToken<'a>> {
    let mut found = Vec::new();
    // Most words have a letter that is no twin among their first.
    let twin = |letter: &LabelChar| {
        letter.c.is_ascii() || letter.readings.iter().any(|one| one.shape == Shape::Exact)
    };
    let may_be_twins = |chars: &[LabelChar]| chars.len() > least && chars.iter().all(twin);
    let has_hyphen = label.contains('-');
    if !has_hyphen && !may_be_twins(chars.all()) {
        return found;
    }
    let seen = chars.all().split(|letter| letter.c == '-');
    let mut before = None;
    for (unicode, chars) in label.split('-').zip(seen) {
        let before = before.replace(unicode);
        let mut add = |chars: &'a [LabelChar]| {
            if chars.len() >= least {
                found.push(LabelToken { unicode, chars, before });
            }
        };
        if has_hyphen {
            add(chars);
        }
        if !may_be_twins(chars) || reading_as_latin(chars) != Some(Shape::Exact) {
            continue;
        }
        for (front, back) in (1..chars.len()).filter_map(|at| chars.split_at_checked(at)) {
            add(front);
            add(back);
        }
    }
    found
}
