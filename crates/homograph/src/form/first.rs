//! A host that another first label begins: where prose may stand before it, several are judged, and what stands
//! behind them is the same.

use super::{Form, LABEL_OCTETS, NAME_CHARACTERS, Part, SETTLED, SPELLING_BYTES};
use super::{has_turkish_capital, is_bidi, is_dot, leads_to_sign, to_ascii};
use crate::verdict::{Reason, Verdict};
use uts58::unicode::a_label::is_a_label;
use uts58::unicode::hosts::{is_bidi_control, is_settled_label};
use uts58::unicode::punycode;

/// The first label of a host, and what is wrong with the host as a whole that it begins.
pub(crate) struct First {
    part: Part,
    problems: Vec<(Reason, Verdict)>,
}

impl Form {
    /// Puts this label in the place of the first one, the label being the first of this reading, all else of
    /// which stands here already. `None` if that does not make it what reading all of it does. Of a label that has
    /// nothing wrong in its form the ASCII form comes when it is asked for: most such readings are given up.
    pub(crate) fn begin_with(&mut self, label: &str, reading: &str) -> Option<First> {
        let odd = |byte: u8| matches!(byte, b'%' | b'[' | b'.') || leads_to_sign(byte);
        let is_odd = |c: char| matches!(c, '%' | '[') || is_dot(c) || is_bidi_control(c);
        if !self.as_spelled
            || self.parts.len() < 2
            || reading.len() > SPELLING_BYTES
            || label.bytes().any(odd) && label.contains(is_odd)
            || has_turkish_capital(label)
        {
            return None;
        }
        if self.is_plainly_sound(label) {
            let (spelling, unicode) = (label.to_owned(), label.to_owned());
            let part = Part { spelling, ascii: String::new(), unicode, problems: Vec::new() };
            let first =
                First { part: self.put_first(part)?, problems: std::mem::take(&mut self.problems) };
            self.unfinished = true;
            return Some(first);
        }
        let mut read = Form::default();
        read.read_label(label);
        let part = read.parts.pop().filter(|_| read.parts.is_empty())?;
        let part = self.put_first(part)?;
        let problems = std::mem::take(&mut self.problems);
        self.check_bidi();
        self.parts.first_mut()?.check_length();
        self.check_length();
        Some(First { part, problems })
    }

    /// Whether a first label would stay as it is and fit, and nothing would be wrong with the host that it begins.
    fn is_plainly_sound(&self, label: &str) -> bool {
        let behind = self.parts.first().map_or(0, |first| self.ascii.len() - first.ascii.len());
        !label.is_ascii()
            && label.len() <= SETTLED
            && behind + LABEL_OCTETS <= NAME_CHARACTERS
            && !label.bytes().any(|byte| byte.is_ascii_uppercase())
            && !is_a_label(label)
            && is_settled_label(label)
            && punycode::is_surely_short(label)
            && !is_bidi(label)
            && !is_bidi(&self.unicode)
    }

    /// Whether it is a name whose parts are the labels of the spelling, one for one, between full stops.
    pub(crate) fn is_as_spelled(&self) -> bool {
        self.as_spelled
    }

    /// Whether the first label is left out of the ASCII form.
    pub(crate) fn is_unfinished(&self) -> bool {
        self.unfinished
    }

    /// Puts the first label into the ASCII form.
    pub(crate) fn finish(&mut self) {
        if let Some(first) = self.parts.first_mut().filter(|_| self.unfinished) {
            first.ascii = to_ascii(&first.unicode);
            self.ascii = [&first.ascii, &*self.ascii].concat();
        }
        self.unfinished = false;
    }

    /// Puts back what stood there before.
    pub(crate) fn restore(&mut self, first: First) {
        self.put_first(first.part);
        self.problems = first.problems;
        self.unfinished = false;
    }

    /// Puts a number in the place of the first label of a host of which nothing else is wrong.
    pub(crate) fn begin_with_number(&mut self, number: &str) {
        self.put_first(Part::plain(number));
        self.unfinished = false;
    }

    /// Puts a label in the place of the first one, which is given back.
    fn put_first(&mut self, part: Part) -> Option<Part> {
        let first = self.parts.first_mut()?;
        let ascii = [&part.ascii, self.ascii.get(first.ascii.len()..)?].concat();
        let unicode = [&part.unicode, self.unicode.get(first.unicode.len()..)?].concat();
        (self.ascii, self.unicode) = (ascii, unicode);
        Some(std::mem::replace(first, part))
    }

    /// The host in ASCII form that another first label begins.
    pub(crate) fn ascii_with(&self, first: &First) -> String {
        let behind = self.parts.first().and_then(|part| self.ascii.get(part.ascii.len()..));
        [&first.part.ascii, behind.unwrap_or_default()].concat()
    }
}
