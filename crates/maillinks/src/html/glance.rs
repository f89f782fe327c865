//! What links show at a glance. A reader takes for one word what stands side by side, in cells, around a picture, in
//! links one after another that lead to one host; for a full stop or a Latin letter what looks like one; and sees no
//! joiners.
//!
//! Honest pages have such words, and no program links them. So they are only compared with where the link leads
//! ([`SeenBy::Glance`](super::SeenBy)).

use std::ops::Range;

use super::compared::{compared, shows_host};
use super::letters::{self, is_mark_of_owner, is_not_seen, reads_as_dot};
use super::pieces;
use super::{Anchor, Builder, HtmlReader, MappedText, Occurrence, Target};
use crate::bidi::{self, RIGHT_TO_LEFT_MARK};
use crate::search_steps;
use unicode_script::Script;
use uts58::Kind;
use uts58::tlds::TldSet;
use uts58::unicode::hosts::is_bidi_control;
use uts58::unicode::is_dot_to_somebody;

/// Maximum bytes of such a word that are read: no host that people read is as long, and it stands in front.
const WORD_BYTES: usize = 256;

/// Steps of a text of such words, besides its bytes.
const TEXT_STEPS: u64 = 224;

/// Steps of an anchor whose text is not its URL, besides the bytes of that text: its words are read, and compared with
/// where it leads.
const LOOK_STEPS: u64 = 160;

/// Steps of each byte of a text that is read letter by letter, and of one with letters whose likeness is looked up.
const READ_STEPS: u64 = 3;
const LOOSE_STEPS: u64 = 7;

/// Steps of a word that is put in the order of its boxes and marks, besides its bytes, and of each of these.
const ORDER_STEPS: u64 = 128;
const ORDER_STEPS_PER_BYTE: u64 = 16;

/// Words that a first look shows for one word of the text: from left to right, turned round, in the order of its boxes,
/// and what pieces read as.
const SHOWN_AT_ONCE: usize = 4;

/// A word that is not so in the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Glance {
    word: String,
    /// Where it is in the visible text.
    range: Range<usize>,
    /// The occurrence that its link leads to.
    leads_to: usize,
}

/// The words, mapped to the source of the visible text, with where their links lead: those of one link in one text.
pub(super) fn texts<'t>(
    glances: Vec<Glance>,
    seen: &MappedText<'_>,
) -> Vec<(MappedText<'t>, usize)> {
    let mut texts: Vec<(Builder, usize)> = Vec::new();
    // One word may be shown in two ways.
    let mut last: Option<(Range<usize>, Range<usize>)> = None;
    for Glance { word, range, leads_to } in glances {
        let source = match last.take_if(|(of, _)| *of == range) {
            Some((_, source)) => source,
            None => seen.source(range.clone()),
        };
        last = Some((range, source.clone()));
        match texts.last_mut().filter(|(_, last)| *last == leads_to) {
            Some((text, _)) => {
                text.separate(source.start);
                text.unit(&word, source);
            }
            None => {
                let mut text = Builder::default();
                text.unit(&word, source);
                texts.push((text, leads_to));
            }
        }
    }
    texts.into_iter().map(|(text, leads_to)| (text.finish(), leads_to)).collect()
}

impl<'t> HtmlReader<'t, '_, '_> {
    /// The words of anchors that are others at a glance. Linear.
    pub(super) fn glances(
        &mut self,
        anchors: &[Anchor],
        gaps: [&[usize]; 2],
        nodes: &[usize],
    ) -> Vec<Glance> {
        let text = self.visible.as_str();
        let mut words = WordReader {
            text,
            gaps,
            found: Vec::new(),
            most: self.capacity(),
            cut: false,
            steps: 0,
            allowed: self.steps.saturating_sub(self.view.steps),
        };
        let mut shown = anchors.iter().filter(|one| !one.text.is_empty()).peekable();
        while let Some(first) = shown.next() {
            if self.view.steps + words.steps > self.steps {
                break;
            }
            if let Some(base) = first.resolved {
                words.read_all(first.text.clone(), base);
            }
            let Some(leads_to) = first.occurrence else { continue };
            if self.is_as_written(&first.text, leads_to) {
                continue;
            }
            words.steps += LOOK_STEPS;
            let mut range = first.text.clone();
            while let Some(next) = shown.next_if(|next| {
                words.is_gap(range.end)
                    && next.text.start == range.end + 1
                    && next.occurrence.is_some_and(|other| self.are_of_one_host(leads_to, other))
            }) {
                range.end = next.text.end;
            }
            let before = words.found.len();
            words.read(range, leads_to);
            words.read_pieces(&first.text, nodes, self.tlds, leads_to);
            if !self.leads_to_address(leads_to) {
                words.read_loosely(first.text.clone(), leads_to, before);
            }
        }
        self.view.steps += words.steps;
        self.view.cut |= words.cut;
        words.found
    }

    /// Whether the text of a link is its URL, letter by letter, without signs that look like others.
    fn is_as_written(&self, text: &Range<usize>, leads_to: usize) -> bool {
        let text = self.visible.as_str().get(text.clone()).unwrap_or_default();
        let Some(occurrence) = self.view.occurrences.get(leads_to) else { return false };
        let written = self.view.seen.get(occurrence.seen).map(MappedText::as_str);
        written == Some(text)
            && text.chars().all(|c| if c.is_ascii() { c != '@' } else { c.is_alphanumeric() })
    }

    /// Whether two occurrences have the same host.
    pub(super) fn are_of_one_host(&self, one: usize, other: usize) -> bool {
        let host = |at: usize| match self.view.occurrences.get(at) {
            Some(Occurrence { target: Target::Link(link), seen, .. }) => {
                self.view.seen.get(*seen)?.as_str().get(link.host.clone())
            }
            _ => None,
        };
        one == other || host(one).is_some_and(|host_of_one| host(other) == Some(host_of_one))
    }

    /// Whether an occurrence is a mail address.
    fn leads_to_address(&self, at: usize) -> bool {
        let target = self.view.occurrences.get(at).map(|occurrence| &occurrence.target);
        matches!(target, Some(Target::Link(link)) if link.kind == Kind::Email)
    }

    /// Adds the links of a text that only a glance shows, to be compared with where they lead.
    pub(super) fn add_compared(&mut self, text: MappedText<'t>, leads_to: usize) {
        let index = self.view.seen.len();
        let capacity = self.capacity();
        let mut links = self.linkifier().links(text.as_str());
        let found = links.by_ref().take(capacity).map(|link| compared(index, link, leads_to));
        let found: Vec<Occurrence> = found.collect();
        self.view.steps += TEXT_STEPS + text.as_str().len() as u64 + search_steps(&links);
        drop(links);
        if !found.is_empty() {
            self.view.occurrences.extend(found);
            self.view.seen.push(text);
        }
    }
}

/// Reads words of a text.
struct WordReader<'v> {
    text: &'v str,
    /// Where separators show nothing, and in the second list where boxes of a line begin as well; each in order.
    gaps: [&'v [usize]; 2],
    found: Vec<Glance>,
    /// How many may be found, and whether there are more.
    most: usize,
    cut: bool,
    /// The steps that were taken, and how many may be.
    steps: u64,
    allowed: u64,
}

impl WordReader<'_> {
    fn add(&mut self, glance: Glance) {
        match self.found.len() < self.most {
            true => self.found.push(glance),
            false => self.cut = true,
        }
    }

    fn is_gap(&self, at: usize) -> bool {
        self.gaps.iter().any(|gaps| gaps.binary_search(&at).is_ok())
    }

    fn holds_gap(&self, range: &Range<usize>) -> bool {
        self.gaps.iter().any(|gaps| {
            let first = gaps.partition_point(|gap| *gap < range.start);
            gaps.get(first).is_some_and(|gap| *gap < range.end)
        })
    }

    /// Reads the words of a range that is the text of links, if some are others at a glance.
    fn read(&mut self, range: Range<usize>, leads_to: usize) {
        let text = self.text.get(range.clone()).unwrap_or_default();
        // What most are.
        if !text.is_ascii() || self.holds_gap(&range) {
            self.words(range, leads_to, false);
        }
    }

    /// The same, also of words that are what they are at a glance.
    fn read_all(&mut self, range: Range<usize>, leads_to: usize) {
        self.words(range, leads_to, true);
    }

    /// Reads hosts that end, or begin, where an element in a word does.
    fn read_pieces(
        &mut self,
        range: &Range<usize>,
        nodes: &[usize],
        tlds: &dyn TldSet,
        leads_to: usize,
    ) {
        let (pieces, steps) = pieces::hosts(self.text, range, nodes, tlds);
        self.steps += steps;
        for range in pieces {
            let word = self.text.get(range.clone()).unwrap_or_default().to_owned();
            self.add(Glance { word, range, leads_to });
        }
    }

    /// Takes the steps of reading a text letter by letter. Returns what they are enough for of it.
    fn look_at<'t>(&mut self, text: &'t str) -> &'t str {
        let each = if text.is_ascii() { READ_STEPS } else { LOOSE_STEPS };
        let bytes = self.allowed.saturating_sub(self.steps) / each;
        self.steps += each * text.len() as u64;
        let end =
            usize::try_from(bytes).map_or(text.len(), |bytes| text.floor_char_boundary(bytes));
        text.get(..end).unwrap_or_default()
    }

    /// Reads words of the text of a link as somebody who does not look closely. Those found `before` are of other links;
    /// what the first look has shown of this one is not shown again.
    fn read_loosely(&mut self, range: Range<usize>, leads_to: usize, before: usize) {
        let text = self.text;
        let text = text.get(range.clone()).unwrap_or_default();
        self.read_spelled(text, &range, leads_to);
        if text.is_ascii() && !letters::may_look_like_another(text) && !text.contains('.') {
            return;
        }
        let text = self.look_at(text);
        let blanks = |c: char| c.is_whitespace() && !is_not_seen(c);
        let mut at = range.start;
        let (mut shown, first_look) = (before, self.found.len());
        for word in text.split(blanks) {
            let start = at;
            at += word.len();
            let read = word.get(..word.floor_char_boundary(WORD_BYTES)).unwrap_or(word);
            let is_before = |one: &Glance| one.range.end <= start;
            while shown < first_look && self.found.get(shown).is_some_and(is_before) {
                shown += 1;
            }
            let from = text.get(start - range.start..).unwrap_or_default();
            let found = Some(read)
                .filter(|read| !letters::holds_separator(from, read))
                .and_then(letters::read_as)
                .map(|word| Glance { word, range: start..at, leads_to })
                .filter(|found| {
                    !self.found.iter().skip(shown).take(SHOWN_AT_ONCE).any(|one| one == found)
                });
            found.into_iter().for_each(|found| self.add(found));
            at +=
                self.text.get(at..).and_then(|rest| rest.chars().next()).map_or(0, char::len_utf8);
        }
        let whole = Some(text).filter(|text| text.len() <= WORD_BYTES);
        let joined = whole.and_then(letters::without_blanks);
        let joined = joined.map(|word| letters::read_as(&word).unwrap_or(word));
        joined
            .into_iter()
            .for_each(|word| self.add(Glance { word, range: range.clone(), leads_to }));
    }

    /// Reads the text of a link with the full stops that are spelled in it.
    fn read_spelled(&mut self, text: &str, range: &Range<usize>, leads_to: usize) {
        if text.len() > WORD_BYTES {
            return;
        }
        if let Some(word) = letters::with_spelled_dots(text) {
            self.look_at(text);
            self.add(Glance { word, range: range.clone(), leads_to });
        }
    }

    fn words(&mut self, range: Range<usize>, leads_to: usize, all: bool) {
        let text = self.text;
        let text = self.look_at(text.get(range.clone()).unwrap_or_default());
        let shown_word = String::with_capacity(text.len().min(WORD_BYTES));
        let mut word = Glance { word: shown_word, range: range.start..range.start, leads_to };
        let (mut is_other, mut has_twin) = (all, false);
        let mut joints = Vec::new();
        let [_, boxes] = self.gaps;
        let first = boxes.partition_point(|at| *at <= range.start);
        let mut boxes = boxes.iter().skip(first).copied().peekable();
        // What the order of boxes and marks is made of.
        let mut ordered: Option<String> = None;
        for (at, c) in text.char_indices().map(|(at, c)| (range.start + at, c)) {
            if c == '\n' && self.is_gap(at) {
                is_other = true;
                joints.push(word.word.len());
                ordered.iter_mut().for_each(|word| word.push(RIGHT_TO_LEFT_MARK));
                continue;
            }
            while boxes.next_if(|boxed| *boxed < at).is_some() {}
            let is_boxed = boxes.next_if_eq(&at).is_some() && !word.word.is_empty();
            if is_boxed && joints.last() != Some(&word.word.len()) {
                joints.push(word.word.len());
            }
            if is_boxed || is_bidi_control(c) {
                let ordered = ordered.get_or_insert_with(|| word.word.clone());
                ordered.push(if is_boxed { RIGHT_TO_LEFT_MARK } else { bidi::mark(c) });
            }
            if c.is_whitespace() && !is_not_seen(c) {
                is_other |= std::mem::take(&mut has_twin) && word.word.is_ascii();
                self.keep_joined(&word, &mut joints);
                self.keep_ordered(&word, ordered.take());
                self.keep(&mut word, std::mem::replace(&mut is_other, all));
                continue;
            }
            if word.word.is_empty() {
                word.range.start = at;
            }
            word.range.end = at + c.len_utf8();
            let behind = text.get(at + c.len_utf8() - range.start..).unwrap_or_default();
            let shown = match shown(c) {
                Some('.') if c != '.' && letters::separates_words(behind) => Some(c),
                shown => shown,
            };
            // A word of another script has twins by chance.
            let is_twin = shown.is_some_and(|shown| shown.is_ascii_alphanumeric() && shown != c);
            has_twin |= is_twin;
            is_other |= shown != Some(c) && !is_twin;
            if let Some(shown) = shown.filter(|_| word.word.len() < WORD_BYTES) {
                word.word.push(shown);
                ordered.iter_mut().for_each(|word| word.push(shown));
            }
        }
        is_other |= has_twin && word.word.is_ascii();
        self.keep_joined(&word, &mut joints);
        self.keep_ordered(&word, ordered);
        self.keep(&mut word, is_other);
    }

    /// Keeps what joined pieces are read as, and the pieces from right to left, as boxes may stand.
    fn keep_joined(&mut self, word: &Glance, joints: &mut Vec<usize>) {
        if joints.is_empty() {
            return;
        }
        self.look_at(&word.word);
        if let Some(read) = letters::read_as(&word.word) {
            self.add(Glance { word: read, range: word.range.clone(), ..*word });
        }
        let mut end = word.word.len();
        let mut turned = String::with_capacity(end);
        for start in joints.drain(..).rev().chain([0]) {
            turned.push_str(word.word.get(start..end).unwrap_or_default());
            end = start;
        }
        if turned != word.word && shows_host(&turned) {
            self.add(Glance { word: turned, range: word.range.clone(), ..*word });
        }
    }

    /// Keeps a word as it stands in a line that runs from right to left, with the marks of direction in it.
    fn keep_ordered(&mut self, word: &Glance, ordered: Option<String>) {
        let Some(ordered) = ordered else { return };
        self.steps += ORDER_STEPS + ORDER_STEPS_PER_BYTE * ordered.len() as u64;
        let shown = bidi::from_right(&ordered);
        if shown != word.word && shows_host(&shown) {
            self.add(Glance { word: shown, range: word.range.clone(), ..*word });
        }
    }

    /// Keeps a word that may be a host, and begins the next.
    fn keep(&mut self, word: &mut Glance, is_other: bool) {
        if is_other && word.word.contains(is_dot_to_somebody) {
            self.add(word.clone());
        }
        word.word.clear();
    }
}

/// What a reader takes a character for: nothing if it is not seen, a Latin letter if it is a twin of one, a full stop.
fn shown(c: char) -> Option<char> {
    match c {
        _ if c.is_ascii() => Some(c),
        _ if is_not_seen(c) || is_mark_of_owner(c) => None,
        _ if reads_as_dot(c) => Some('.'),
        _ if homograph::claims::reads_as_hyphen(c) => Some('-'),
        _ if homograph::are_twins([c], Script::Latin) => {
            let read = homograph::reads_as(c).unwrap_or_default();
            read.chars().next().filter(|_| read.len() == 1).or(Some(c))
        }
        _ => Some(c),
    }
}
