//! The text that a reader sees, stretch by stretch: its links, joined with the anchors around them.

use std::ops::{ControlFlow, Range};

use super::breaks::Boxes;
use super::compared::{AcrossSeams, Parts, compared};
use super::glance::{self, Glance};
use super::skipped::Skipped;
use super::{
    Anchor, HtmlReader, Markup, Occurrence, REVERSED_BYTES, Rendering, STRETCH_LINKS, Site,
    StyledElement, Tag, Target, Within, entity, targetless,
};
use crate::across_signs::{self, HostWithSigns};
use crate::bidi::Overridden;
use crate::joined::{Joined, first_word, last_word};
use crate::mapped::MappedText;
use crate::{
    AnchorAround, STRETCH, add, has_link_sign, idle_steps, search_steps, text_steps, unseen,
};
use uts58::Confidence;

/// Steps of each byte of text that is turned round: it is copied letter by letter, with where each comes from.
const TURNED_STEPS: u64 = 30;

/// The same of a word that a control turns round, whatever its length: it is searched by itself.
const TURNED_WORD_STEPS: u64 = 128;

/// What was recorded beside the visible text since it was searched last: see the fields of [`HtmlReader`].
struct Recorded {
    anchors: Vec<Anchor>,
    marks: Vec<Range<usize>>,
    nodes: Vec<usize>,
    seams: Vec<usize>,
    joints: Vec<usize>,
    skipped: Skipped,
    written: Vec<Range<usize>>,
    targetless: Vec<Range<usize>>,
}

/// Texts that are read beside the visible one.
#[derive(Default)]
struct SideTexts {
    /// Words without what stands between their letters.
    joined: [Joined; 3],
    /// What a reader takes for one word.
    glances: Vec<Glance>,
    /// What is compared with where the links around it lead.
    parts: [Option<Parts>; 2],
}

impl SideTexts {
    fn is_empty(&self) -> bool {
        let SideTexts { joined, glances, parts } = self;
        joined.iter().all(Joined::is_empty)
            && glances.is_empty()
            && parts.iter().all(Option::is_none)
    }
}

impl<'t> HtmlReader<'t, '_, '_> {
    /// Adds characters to the visible or the hidden text.
    pub(super) fn characters(&mut self, range: Range<usize>) -> ControlFlow<()> {
        if self.is_blank_after_break(&range) {
            return ControlFlow::Continue(());
        }
        if !self.is_concealed() && !self.visible.ends_with_space() {
            self.nodes.push(self.visible.len());
        }
        if self.is_concealed() {
            self.conceal_characters(&range);
        }
        let mut rest = range;
        while !rest.is_empty() {
            // White space ends references and links.
            let next = self.next_space(rest.start + STRETCH, rest.end);
            let seen = if self.is_concealed() { &mut self.hidden } else { &mut self.visible };
            entity::decode_into(seen, self.text, rest.start..next, Within::Text);
            if next < rest.end {
                self.flush_long();
                if self.view.occurrences.len() >= STRETCH_LINKS && self.can_emit() {
                    self.emit()?;
                }
            }
            rest.start = next;
        }
        ControlFlow::Continue(())
    }

    /// Whether this is white space after a visible line break, as between most tags: it separates nothing that is not
    /// separate already.
    fn is_blank_after_break(&self, range: &Range<usize>) -> bool {
        let at = self.visible.len();
        let joined =
            || self.seams.last().is_some_and(|seam| seam + 1 == at) || self.skipped.ends_at(at);
        self.visible.ends_with_break()
            && !self.is_concealed()
            && self.reversing.is_none()
            && self.slice(range).bytes().all(|byte| byte.is_ascii_whitespace())
            && !joined()
    }

    /// Where a stretch of characters may end: after the first white space from here on.
    fn next_space(&self, from: usize, end: usize) -> usize {
        let rest = self.text.as_bytes().get(from.min(end)..end).unwrap_or_default();
        let space = rest.iter().position(u8::is_ascii_whitespace);
        space.map_or(end, |space| from + space + 1)
    }

    /// Searches the collected text for links, once it is long and nothing continues after it.
    #[inline]
    pub(super) fn flush_long(&mut self) {
        let many = self.new_occurrences() >= STRETCH_LINKS && self.reads_in_turn();
        let long = many || self.visible.len() >= STRETCH;
        if long || self.hidden.len() >= STRETCH {
            self.flush_complete(long);
        }
    }

    /// How many occurrences came after visible text was searched last.
    fn new_occurrences(&self) -> usize {
        self.view.occurrences.len().saturating_sub(self.flushed)
    }

    /// Searches visible text for links if it is `long`, and hidden text.
    fn flush_complete(&mut self, long: bool) {
        let ends = self.visible.ends_with_space();
        let continues = self.open_anchor.is_some() || self.reversing.is_some() || !ends;
        // Words that are separated only by anchors stay together, except in rows of hundreds.
        let at_end = |list: &[usize]| list.last().is_some_and(|at| at + 1 == self.visible.len());
        let at_seam = at_end(&self.seams) || at_end(&self.joints);
        let joined = at_seam && self.new_occurrences() < 2 * STRETCH_LINKS;
        if long && !continues && !joined {
            self.flush();
        }
        if self.hidden.len() >= STRETCH && self.hidden.ends_with_space() {
            self.flush_hidden();
        }
    }

    /// Records an element that begins inside a word, or in an anchor: the word is also read without it.
    pub(super) fn skip_from(&mut self, tag: &Tag) {
        let in_word = self.visible.len() > 0 && !self.visible.ends_with_space();
        if in_word || self.open_anchor.is_some() {
            self.skipped.enter(tag, self.visible.len(), in_word);
        }
    }

    /// Finds the links of the text and joins them with the anchors around them.
    fn flush(&mut self) {
        let recorded = self.take_recorded();
        let (index, before) = (self.view.seen.len(), self.view.occurrences.len());
        let overridden = Overridden::of(self.visible.as_str(), &recorded.seams);
        self.add_links(&recorded, &overridden);
        let beside = if self.is_spent() { SideTexts::default() } else { self.beside(&recorded) };
        let found = self.view.occurrences.len() > before;
        let seen = self.visible.take(found || !overridden.is_empty() || !beside.is_empty());
        let Some(seen) = seen else { return };
        self.tie_words(&seen, (index, before), &recorded.anchors);
        self.add_beside((seen, found), beside, &overridden, &recorded.anchors);
        self.flushed = self.view.occurrences.len();
    }

    fn take_recorded(&mut self) -> Recorded {
        self.boxes = Boxes::default();
        let mut recorded = Recorded {
            anchors: std::mem::take(&mut self.anchors),
            marks: std::mem::take(&mut self.marks),
            nodes: std::mem::take(&mut self.nodes),
            seams: std::mem::take(&mut self.seams),
            joints: std::mem::take(&mut self.joints),
            skipped: std::mem::take(&mut self.skipped),
            written: std::mem::take(&mut self.shown),
            targetless: self.targetless.take(self.visible.len()),
        };
        if let Some(from) = &mut self.showing {
            recorded.written.push(std::mem::take(from)..self.visible.len());
        }
        self.part_contacts(&recorded.anchors, &mut recorded.seams);
        recorded
    }

    /// Adds the links of the visible text: as most programs find them, those of its text nodes, those that only some
    /// programs find.
    fn add_links(&mut self, recorded: &Recorded, overridden: &Overridden) {
        let (index, before) = (self.view.seen.len(), self.view.occurrences.len());
        let lasting = self.add_usual_links(recorded, overridden);
        if self.is_spent() {
            return;
        }
        let linked = before..self.view.occurrences.len();
        self.read_text_nodes(&recorded.nodes, before);
        self.view.cut |= lasting.len() > self.capacity();
        self.view.occurrences.extend(lasting.into_iter().take(self.capacity()));
        let text = self.visible.as_str();
        let capacity = self.capacity();
        self.view.add_greedy((text, index, before), &Site::HtmlText, self.tlds, capacity);
        let linked = self.view.occurrences.get(linked).unwrap_or_default();
        let most = (self.capacity(), self.steps.saturating_sub(self.view.steps));
        let with_signs = across_signs::hosts(text, linked, self.tlds, most);
        self.add_hosts_with_signs(with_signs, index, recorded);
    }

    /// Adds the links that most programs find. Returns what is compared with links that ended for some programs only.
    fn add_usual_links(&mut self, recorded: &Recorded, overridden: &Overridden) -> Vec<Occurrence> {
        let Recorded { anchors, marks, written, targetless, .. } = recorded;
        let text = self.visible.as_str();
        let index = self.view.seen.len();
        let mut around = anchors.iter().peekable();
        let mut links = self.linkifier().links(text);
        let capacity = self.capacity();
        let mut added = 0;
        let mut lasting = Vec::new();
        for link in links.by_ref().take(capacity) {
            let span = link.span.clone();
            while around.next_if(|anchor| anchor.text.end <= span.start).is_some() {}
            let anchor = around.peek().filter(|anchor| anchor.text.start < span.end);
            let shown = match overridden.shown(text, &link) {
                Rendering::AsWritten => shown_as(marks, &link.host, text),
                shown => shown,
            };
            let targets = anchor.filter(|anchor| anchor.lasts).map(|anchor| anchor.targets());
            let targets = targets.into_iter().flatten();
            lasting.extend(targets.map(|leads_to| compared(index, link.clone(), leads_to)));
            let mut occurrence = Occurrence::in_text(index, link, Site::HtmlText);
            occurrence.anchor = around_text(anchor.copied(), targetless, &span);
            occurrence.shown = shown;
            occurrence.markup = markup(written, &span);
            add(&mut self.view.occurrences, occurrence, capacity - added);
            added += 1;
        }
        self.view.cut |= added == capacity && links.next().is_some();
        self.view.steps += text_steps(text) + search_steps(&links);
        lasting
    }

    /// The texts that are read beside the visible one.
    fn beside(&mut self, recorded: &Recorded) -> SideTexts {
        let Recorded { anchors, nodes, seams, joints, skipped, .. } = recorded;
        let text = self.visible.as_str();
        let asked = self.hiding_rules.get().is_some();
        let across = AcrossSeams::of(text, seams);
        let joined = [
            across.linked,
            unseen::joined(text),
            skipped.words(text, self.text, &self.hiding_rules),
        ];
        let (drawn, steps) = skipped.words_in(anchors, text, self.text, &self.hiding_rules);
        self.view.steps += steps;
        if !asked && self.hiding_rules.get().is_some() {
            self.view.steps += self.text.len() as u64;
        }
        let glances = self.glances(anchors, [seams, joints], nodes);
        let parts = [(across.shown, false), (drawn, true)];
        let parts = parts.map(|(words, all)| self.compared_parts(words, anchors, all));
        SideTexts { joined, glances, parts }
    }

    /// Adds the visible text, if links were found in it, and the texts beside it with theirs.
    fn add_beside(
        &mut self,
        (seen, found): (MappedText<'t>, bool),
        SideTexts { joined, glances, parts }: SideTexts,
        overridden: &Overridden,
        anchors: &[Anchor],
    ) {
        let joined = joined.map(|joined| (joined.of(&seen), joined));
        let reversed = self.reversed(&seen, overridden, anchors);
        let glances = glance::texts(glances, &seen);
        let parts = parts.into_iter().flatten().map(|parts| parts.mapped(&seen)).collect();
        self.view.seen.extend(Some(seen).filter(|_| found));
        for (word, occurrences) in reversed {
            let seen = self.view.seen.len();
            self.view.seen.push(word);
            let here = occurrences.into_iter().map(|one| Occurrence { seen, ..one });
            self.view.occurrences.extend(here);
        }
        for (words, joined) in joined {
            let capacity = self.capacity();
            let text = (&joined, words);
            let added =
                self.view.add_across_joints(&self.linkifier(), text, capacity, &Site::HtmlText);
            self.tie_joined(&joined, added, anchors);
        }
        for (word, anchor) in glances {
            if !self.can_go_on() {
                break;
            }
            self.add_compared(word, anchor);
        }
        self.add_parts(parts);
    }

    /// Ties the links of joined words that were added last to the anchors that show all of them.
    fn tie_joined(&mut self, joined: &Joined, added: usize, anchors: &[Anchor]) {
        let mut source = joined.sources();
        let before = self.view.occurrences.len() - added;
        for occurrence in self.view.occurrences.iter_mut().skip(before) {
            let Target::Link(link) = &occurrence.target else { continue };
            let host = source(link.host.start)..source(link.host.end - 1);
            let at = anchors.partition_point(|anchor| anchor.text.end <= host.start);
            let anchor = anchors
                .get(at)
                .filter(|anchor| anchor.text.start <= host.start && host.end < anchor.text.end);
            occurrence.anchor = anchor.map_or(AnchorAround::None, Anchor::around);
        }
    }

    /// Adds hosts with signs that were found in the visible text with this index.
    fn add_hosts_with_signs(
        &mut self,
        (found, cut, steps): (Vec<HostWithSigns>, bool, u64),
        index: usize,
        Recorded { anchors, marks, written, targetless, .. }: &Recorded,
    ) {
        self.view.cut |= cut;
        self.view.steps += steps;
        for host in found {
            let mut occurrence = host.occurrence(index, Site::HtmlText);
            let span = occurrence.span();
            let at = anchors.partition_point(|anchor| anchor.text.end <= span.start);
            let anchor = anchors.get(at).filter(|anchor| anchor.text.start < span.end);
            occurrence.anchor = around_text(anchor, targetless, &span);
            occurrence.shown = shown_as(marks, &span, self.visible.as_str());
            occurrence.markup = markup(written, &span);
            self.view.occurrences.push(occurrence);
        }
    }

    /// Turns what an element shows from right to left.
    pub(super) fn reverse(&mut self, inside: &StyledElement) {
        // What is isolated to the end keeps its direction: it is turned twice.
        if let Some(isolated) = self.isolating.take() {
            self.turn(isolated.from);
        }
        if self.turn(inside.from) {
            self.marks.push(inside.from..self.visible.len());
        }
    }

    /// Turns the visible text from here on. Returns whether there is some.
    pub(super) fn turn(&mut self, from: usize) -> bool {
        let length = self.visible.len().saturating_sub(from);
        if length > REVERSED_BYTES {
            self.view.cut = true;
        } else if length > 0 {
            self.view.steps += TURNED_STEPS * length as u64;
            self.visible.reverse(from);
        }
        (1..=REVERSED_BYTES).contains(&length)
    }

    /// What anchors show where a control character reverses their text, with the links that a reader sees there.
    fn reversed(
        &mut self,
        seen: &MappedText<'t>,
        overridden: &Overridden,
        anchors: &[Anchor],
    ) -> Vec<(MappedText<'t>, Vec<Occurrence>)> {
        let mut found = Vec::new();
        self.view.cut |= overridden.is_cut();
        for anchor in anchors.iter().filter(|anchor| overridden.overlaps(&anchor.text)) {
            for (word, reversed) in overridden.words(seen, anchor.text.clone()) {
                if !self.can_go_on() {
                    return found;
                }
                let mut links = self.linkifier().links(word.as_str());
                let shown = links.by_ref().filter(|link| {
                    link.span.start < reversed.end && reversed.start < link.span.end
                });
                let shown = shown.take(self.capacity()).map(|link| Occurrence {
                    anchor: anchor.around(),
                    shown: Rendering::Obfuscated,
                    markup: Markup::Shown,
                    ..Occurrence::in_text(0, link, Site::HtmlText)
                });
                let shown: Vec<Occurrence> = shown.collect();
                self.view.steps += TURNED_WORD_STEPS
                    + TURNED_STEPS * word.as_str().len() as u64
                    + search_steps(&links);
                drop(links);
                if !shown.is_empty() {
                    found.push((word, shown));
                }
            }
        }
        found
    }

    /// S29: a client that creates links goes from text node to text node. If one ends inside a word, both sides are
    /// also read by themselves. Such a link is not tied to an anchor: its text is the joined one.
    fn read_text_nodes(&mut self, nodes: &[usize], first: usize) {
        let text = self.visible.as_str();
        let index = self.view.seen.len();
        let known = |occurrence: &Occurrence| match &occurrence.target {
            Target::Link(link) => Some(link.host.clone()),
            Target::Dangerous { .. } => None,
        };
        let joined = self.view.occurrences.get(first..).unwrap_or_default();
        // In the order of the text, as they were found.
        let joined: Vec<Range<usize>> = joined.iter().filter_map(known).collect();
        let is_known = |host: &Range<usize>| {
            let at = joined.partition_point(|known| known.start < host.start);
            joined.get(at) == Some(host)
        };
        let mut room = self.capacity();
        let mut read_to = 0;
        for (at, node) in nodes.iter().enumerate() {
            let before = at.checked_sub(1).and_then(|at| nodes.get(at)).copied().unwrap_or(0);
            let after = nodes.get(at + 1).copied().unwrap_or(text.len());
            for side in [last_word(text, before..*node), first_word(text, *node..after)] {
                let side = side.start.max(read_to)..side.end;
                read_to = read_to.max(side.end);
                let word = text.get(side.clone()).unwrap_or_default();
                if !has_link_sign(word) {
                    self.view.steps += side.len() as u64 + idle_steps(word.len());
                    continue;
                }
                let mut links = self.linkifier().links(word);
                let new = links.by_ref().map(|link| link.shifted(side.start));
                let mut new = new.filter(|link| !is_known(&link.host));
                for mut link in new.by_ref().take(room) {
                    room -= 1;
                    link.confidence = Confidence::Low;
                    let occurrence = Occurrence::in_text(index, link, Site::HtmlText);
                    self.view.occurrences.push(Occurrence { markup: Markup::Shown, ..occurrence });
                }
                let full = new.next().is_some();
                self.view.steps += side.len() as u64 + search_steps(&links);
                if full {
                    self.view.cut = true;
                    return;
                }
            }
        }
    }

    /// Finds the links of hidden text.
    fn flush_hidden(&mut self) {
        let index = self.view.seen.len();
        let before = self.view.occurrences.len();
        let capacity = self.capacity();
        let mut links = self.linkifier().links(self.hidden.as_str());
        let found = links.by_ref().take(capacity);
        let found = found.map(|link| Occurrence {
            markup: Markup::Shown,
            ..Occurrence::in_text(index, link, Site::HtmlText)
        });
        self.view.occurrences.extend(found);
        let linked = before..self.view.occurrences.len();
        self.view.cut |= linked.len() == capacity && links.next().is_some();
        self.view.steps += self.hidden.len() as u64 + search_steps(&links);
        drop(links);
        let found = self.view.occurrences.len() > before;
        self.view.seen.extend(self.hidden.take(found));
    }

    /// Finds the links of the rest, and of what only Outlook shows.
    pub(super) fn finish(mut self) -> ControlFlow<()> {
        self.flush();
        self.flush_hidden();
        if self.outlook {
            self.add_outlook_links();
        }
        if self.forms.are_named() {
            self.tie_awaited_forms();
        }
        self.compare_maps();
        (self.take)(self.view)
    }
}

/// The anchor around this range of visible text.
fn around_text(
    link: Option<&Anchor>,
    targetless: &[Range<usize>],
    span: &Range<usize>,
) -> AnchorAround {
    match link {
        Some(link) => link.around(),
        None if targetless::overlaps(targetless, span) => AnchorAround::WithoutTarget,
        None => AnchorAround::None,
    }
}

/// Whether an element can be inserted around these bytes of visible text.
fn markup(shown: &[Range<usize>], span: &Range<usize>) -> Markup {
    let first = shown.partition_point(|range| range.end <= span.start);
    match shown.get(first).is_some_and(|range| range.start < span.end) {
        true => Markup::Shown,
        false => Markup::Read,
    }
}

/// How the host is shown. A break next to a dot does not count, since mail programs insert `<wbr>` there.
fn shown_as(marks: &[Range<usize>], host: &Range<usize>, text: &str) -> Rendering {
    let first = marks.partition_point(|mark| mark.end <= host.start);
    let near = |at: usize| text.as_bytes().get(at) == Some(&b'.');
    let beside_dot = |at: usize| near(at) || at.checked_sub(1).is_some_and(near);
    let mut shown = Rendering::AsWritten;
    for mark in marks.iter().skip(first).take_while(|mark| mark.start < host.end) {
        match mark.is_empty() {
            true if beside_dot(mark.start) => {}
            true => shown = Rendering::Broken,
            false => return Rendering::Obfuscated,
        }
    }
    shown
}
