//! Reads one part: its readings, the layers of each, the links in each layer, and their edits.

mod archives;
mod attached;
mod attachments;
mod below_page;
mod beside_page;
mod embedded;
mod extras;
mod first_letters;
mod layer_reader;
mod misread;
mod organizers;
mod quoted_markup;
mod repeated;
mod reports;
mod shortcuts;
mod summaries;

use std::cell::{Cell, OnceCell};
use std::collections::VecDeque;
use std::ops::ControlFlow;

use super::budget::{Budget, EDIT_STEPS};
use super::cost::Stage;
use super::finding::{Candidate, Findings, Location, Severity};
use super::headers;
use super::judging::prices;
use super::judging::{Judge, Judged, TldStatus};
use super::outcome::{Bypass, Done, Limit, Place};
use super::part_context::PartContext;
pub use archives::ARCHIVES;
use layer_reader::LayerReader;
use maillinks::{Defanger, Edits, Language, Layer, Occurrence, Relative, View};
use mailsplice::mime::{self, Message, Part, Reading, Tree};
use repeated::EarlierReading;
use uts58::Target;

impl PartContext<'_> {
    /// Reads a part in every way in which a client may read it.
    pub fn read(
        &mut self,
        part: usize,
        judge: &mut Judge<'_>,
        budget: &mut Budget<'_>,
        found: &mut Findings,
    ) {
        let Some(entry) = self.tree.parts.get(part) else { return };
        if let Some(polyglot) = attachments::read(*self, part, judge, budget, found) {
            archives::read(*self, (part, polyglot), judge, budget, found);
        }
        headers::externals(entry, judge, budget, self.policy, found);
        headers::file_names(entry, judge, budget, self.policy, found);
        let base = headers::bases(entry, judge, budget, self.policy, found);
        let mut readings = mime::readings(self.message, self.tree, part);
        let mut index = 0;
        let mut earlier: Option<EarlierReading> = None;
        let (mut texts, mut last) = (0, None);
        while let Some(reading) = readings.next() {
            let text = reading.text.as_str();
            let is_alone = self.disjoint && index == 0 && readings.is_empty();
            // A text that is read as several kinds of content is one text.
            let decoded = (reading.transfer, reading.charset);
            texts += usize::from(last.replace(decoded) != Some(decoded));
            let steps = prices::reading_steps(texts, reading.charset, text)
                + prices::detection_steps(reading.detected);
            if !budget.spend(Stage::Decoding, steps) {
                return report_limit(budget, entry, found);
            }
            let open = OpenReading {
                context: *self,
                part,
                entry,
                reading: &reading,
                index,
                has_one_charset: OnceCell::new(),
                is_as_labelled: OnceCell::new(),
                folding: OnceCell::new(),
                misread: Cell::default(),
                data: maillinks::Data::of(text),
            };
            open.shortcut(judge, budget, found);
            index += 1;
            let candidates = found.candidates.len();
            let known = (base.as_ref(), earlier.as_ref());
            let Some(complete) = open.layers(known, is_alone, judge, budget, found) else {
                return report_limit(budget, entry, found);
            };
            if earlier.is_none() && complete && !is_alone {
                earlier = EarlierReading::of(&reading, candidates, found);
            }
        }
    }
}

/// Reports the limit that ended the budget, for the part in which that happened.
fn report_limit(budget: &Budget<'_>, entry: &Part, found: &mut Findings) {
    if let Some(why) = budget.limit_reached() {
        found.bypass(&entry.path, why);
    }
}

/// Whether the same link can be found more than once, in several layers or readings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Repeats {
    Never,
    Possible,
}

/// One reading of one part.
struct OpenReading<'a> {
    context: PartContext<'a>,
    part: usize,
    entry: &'a Part,
    reading: &'a Reading<'a>,
    index: usize,
    /// Whether every reading of the part is in this charset or in ASCII; computed when needed.
    has_one_charset: OnceCell<bool>,
    /// Whether a letter has as many bytes as the label of the part says; computed when needed.
    is_as_labelled: OnceCell<bool>,
    /// How the part folds its lines; computed when needed.
    folding: OnceCell<&'static str>,
    /// The last host that was asked for, and whether it is UTF-8 misread: links next to each other often lead to one host.
    misread: Cell<(String, bool)>,
    /// Where the text of the reading holds binary data.
    data: maillinks::Data<'a>,
}

/// Links of a layer, to be skipped in later layers.
type LinksHere = Vec<(Location, Severity)>;

impl OpenReading<'_> {
    /// Reads every layer of the text, and those of the documents in them. Returns whether all was read; `None` if the
    /// budget ended.
    fn layers(
        &self,
        (base, earlier): (Option<&(String, Judged)>, Option<&EarlierReading>),
        is_alone: bool,
        judge: &mut Judge<'_>,
        budget: &mut Budget<'_>,
        found: &mut Findings,
    ) -> Option<bool> {
        let mut layers =
            maillinks::layers(self.reading.text.as_str(), self.reading.media).peekable();
        let mut documents: VecDeque<_> = self.link_below_name(budget).into_iter().collect();
        let (mut first, mut complete) = (true, true);
        while let Some(mut layer) = layers.next().or_else(|| documents.pop_front()) {
            let repeats = match is_alone && first && layers.peek().is_none() && documents.is_empty()
            {
                true => Repeats::Never,
                false => Repeats::Possible,
            };
            if !std::mem::take(&mut first) && !budget.spend(Stage::Reading, prices::LAYER_STEPS) {
                return None;
            }
            if let Some(base) = base {
                self.relatives(&layer, base, budget, found);
            }
            if let Some(earlier) = earlier {
                layer.repeated = earlier.stretches(self, &layer, found);
            }
            self.summary(&layer, judge, budget, found);
            complete &= self.layer((&layer, repeats), &mut documents, judge, budget, found);
            if budget.limit_reached().is_some() {
                return None;
            }
        }
        self.beside_page(judge, budget, found).then_some(complete)
    }

    /// See [`Reading::is_utf8_misread`].
    fn is_utf8_misread(&self, host: &str) -> bool {
        let (mut last, mut is_misread) = self.misread.take();
        if last != host {
            host.clone_into(&mut last);
            is_misread = self.reading.is_utf8_misread(host);
        }
        self.misread.set((last, is_misread));
        is_misread
    }

    /// Reads a layer stretch by stretch. The links of one are judged before the next is searched, and the budget is
    /// checked in between. Returns whether all was read.
    fn layer(
        &self,
        (layer, repeats): (&Layer<'_>, Repeats),
        documents: &mut VecDeque<Layer<'static>>,
        judge: &mut Judge<'_>,
        budget: &mut Budget<'_>,
        found: &mut Findings,
    ) -> bool {
        let capacity = budget.capacity();
        let mut here = LinksHere::new();
        let full = maillinks::read_in_turn(layer, self.context.tlds, capacity, &mut |mut view| {
            let inner = maillinks::documents(layer, &mut view);
            let room = maillinks::DOCUMENTS - documents.len();
            if inner.len() > room || inner.len() > 0 && layer.is_deepest() {
                found.bypass(&self.entry.path, Bypass::Limit(Limit::Documents));
            }
            documents.extend(inner.take(room));
            found.rereads |= view.rereads;
            let finding = view.occurrences.iter().map(|one| found_steps(&view, one));
            if !budget.spend(Stage::Reading, view.steps + finding.sum::<u64>()) {
                return ControlFlow::Break(());
            }
            let mut reader = LayerReader {
                open: self,
                layer,
                repeats,
                view: &view,
                defanger: Defanger::new(
                    self.reading.text.as_str(),
                    layer,
                    &view,
                    self.context.tlds,
                    &self.folding,
                ),
                script_language: OnceCell::new(),
                after_edit_only: false,
            };
            let full = reader.judge_all(judge, budget, found, &mut here);
            match full || view.cut || budget.limit_reached().is_some() {
                true => ControlFlow::Break(()),
                false => ControlFlow::Continue(()),
            }
        });
        if full.is_break() && budget.limit_reached().is_none() {
            found.bypass(&self.entry.path, Bypass::Limit(Limit::Links));
        }
        found.remember_locations(here, self.context.policy.limits.links);
        full.is_continue()
    }

    /// Defangs relative links if the base URL is deceptive: its host is in a header, which stays as it is.
    fn relatives(
        &self,
        layer: &Layer<'_>,
        (spelling, judged): &(String, Judged),
        budget: &mut Budget<'_>,
        found: &mut Findings,
    ) {
        let text = layer.seen.as_str();
        if layer.language != Language::Html || !budget.spend(Stage::Reading, text.len() as u64) {
            return;
        }
        let (mut first, mut edits) = (None, Vec::new());
        let mut full = false;
        maillinks::relatives(text, |Relative { element, attribute, edit }| {
            first.get_or_insert((element, attribute));
            if layer.edits == Edits::Impossible || self.entry.document {
                return ControlFlow::Break(());
            }
            let written = edit.replacement.len();
            if !budget.reserve_growth(written) || !budget.reserve_edit(written) {
                full = true;
                return ControlFlow::Break(());
            }
            if !budget.spend(Stage::Edits, EDIT_STEPS) {
                return ControlFlow::Break(());
            }
            layer.seen.place(edit.range, edit.replacement, &mut edits);
            ControlFlow::Continue(())
        });
        let Some((element, attribute)) = first else { return };
        if full {
            found.bypass(&self.entry.path, Bypass::Limit(Limit::Links));
        }
        let place = Place::Attribute { element: element.into(), attribute: attribute.into() };
        let mut finding = self.context.finding_of(judged, &self.entry.path, place, 0..0, spelling);
        if !edits.is_empty() {
            finding.done = Done::Edited;
        }
        let reading = Some((self.part, self.index));
        let candidate = Candidate { finding, tld_status: TldStatus::Link, reading, edits };
        found.push(self.context.policy, candidate);
    }
}

/// The steps of finding a link in a view, beside those of the bytes that were read.
fn found_steps(view: &View<'_>, occurrence: &Occurrence) -> u64 {
    match (&occurrence.target, view.seen.get(occurrence.seen)) {
        (Target::Link(link), Some(seen)) => prices::found_steps(seen.as_str(), link),
        _ => 0,
    }
}

/// Whether every reading of a part is in the charset of this one, or in ASCII.
pub fn has_one_charset(
    message: Message<'_>,
    tree: &Tree,
    part: usize,
    reading: &Reading<'_>,
) -> bool {
    mime::all_readings(message, tree, part)
        .all(|other| other.charset == reading.charset || other.text.as_str().is_ascii())
}
