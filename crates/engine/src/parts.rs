//! Reads one part: its readings, the layers of each, the links in each layer, and their edits.

mod attached;
mod below_page;
mod beside_page;
mod embedded;
mod extras;
mod first_letters;
mod misread;
mod organizers;
mod quoted_markup;
mod repeated;
mod reports;
mod shortcuts;
mod summaries;

use std::cell::{Cell, OnceCell};
use std::collections::VecDeque;
use std::ops::{ControlFlow, Range};

use super::anchors::Run;
use super::budget::{Budget, EDIT_STEPS};
use super::content::{
    self, Defanger, Edits, Language, Layer, Occurrence, Relative, SeenBy, Site, View,
};
use super::cost::Stage;
use super::deceptive::is_opened_by_some;
use super::finding::{Candidate, Findings, Location, Severity, Space};
use super::joined_edits::{EditJoiner, Expansion, Order};
use super::judging::{Judge, Judged, TldStatus};
use super::outcome::{Bypass, Done, Edit, Limit, Place, Verdict};
use super::part_context::PartContext;
use super::policy::{Defang, LinkAction, Linkify, Report};
use super::{actions, attachments, headers, prices};
use attached::behind_emoji;
use mailsplice::mime::{self, Message, Part, Reading, Transfer, Tree};
use organizers::check_organizer;
use repeated::EarlierReading;
use uts58::{Kind, Target};

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
        attachments::read(*self, part, judge, budget, found);
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
                folding: OnceCell::new(),
                misread: Cell::default(),
                data: content::Data::of(text),
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
    /// How the part folds its lines; computed when needed.
    folding: OnceCell<&'static str>,
    /// The last host that was asked for, and whether it is UTF-8 misread: links next to each other often lead to one host.
    misread: Cell<(String, bool)>,
    /// Where the text of the reading holds binary data.
    data: content::Data<'a>,
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
        let mut layers = content::layers(self.reading.text.as_str(), self.reading.media).peekable();
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
        let capacity = content::Capacity { all: usize::MAX, together: budget.occurrences };
        let mut here = LinksHere::new();
        let full = content::read_in_turn(layer, self.context.tlds, capacity, &mut |mut view| {
            let inner = content::documents(layer, &mut view);
            let room = content::DOCUMENTS - documents.len();
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
        content::relatives(text, |Relative { element, attribute, edit }| {
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

/// Reads a stretch of one layer.
struct LayerReader<'a> {
    open: &'a OpenReading<'a>,
    layer: &'a Layer<'a>,
    repeats: Repeats,
    view: &'a View<'a>,
    defanger: Defanger<'a>,
    /// The language of the text; detected when the first notice needs it.
    script_language: OnceCell<Option<&'static str>>,
    /// Whether the last edit was made by [`LayerReader::edit_only`].
    after_edit_only: bool,
}

/// Links that are judged before the first of them is edited, if a stretch holds more.
const RUN_LINKS: usize = 1_024;

impl<'a> LayerReader<'a> {
    /// Judges and edits every occurrence, as the budget allows. Returns whether there were more than may be edited.
    fn judge_all(
        &mut self,
        judge: &mut Judge<'_>,
        budget: &mut Budget<'_>,
        found: &mut Findings,
        here: &mut LinksHere,
    ) -> bool {
        let mut start = 0;
        for end in content::runs(&self.view.occurrences, RUN_LINKS) {
            let occurrences = self.view.occurrences.get(start..end).unwrap_or_default();
            if self.judge_run(Run { start, occurrences }, judge, budget, found, here) {
                return true;
            }
            if budget.limit_reached().is_some() {
                break;
            }
            start = end;
        }
        false
    }

    /// Judges an occurrence. `None` if it is no link.
    fn judge(&self, judge: &mut Judge<'_>, occurrence: &Occurrence) -> Option<Judged> {
        let seen = self.view.seen.get(occurrence.seen);
        let text = seen.map_or("", |seen| seen.as_str());
        let mut judged = judge.occurrence(text, occurrence)?;
        let reading = self.open.reading;
        judged.downgrade_quoted_markup(self.open.entry, reading);
        let Target::Link(link) = &occurrence.target else { return Some(judged) };
        let before = text.get(..link.span.start).unwrap_or_default();
        let host = link.host_str(text);
        if link.kind != Kind::Scheme
            && (reading.begins_in_escape(before) || reading.begins_in_character(before, host))
        {
            return None;
        }
        // As written in the part.
        let written = || {
            let place = self.layer.seen.source(seen?.source(link.host.clone()));
            reading.text.as_str().get(place)
        };
        judged.downgrade_misread(self.open, (text, link), written);
        if matches!(link.kind, Kind::Bare | Kind::Email)
            && (reading.is_glued(host) || judged.edit > Edit::Reported && behind_emoji(judge, host))
        {
            judged.downgrade_attached_word();
        }
        if judged.verdict > Verdict::Notice
            && matches!(link.kind, Kind::Bare | Kind::Email)
            && self.open.data.surrounds(self.place(occurrence).start)
        {
            judged.downgrade_random_data();
        }
        if judged.verdict > Verdict::Notice && link.kind == Kind::Bare {
            judged.downgrade_reported(reading, host, &self.place(occurrence));
        }
        if matches!(occurrence.seen_by, SeenBy::Continued { .. }) {
            judged.mark_continued_host();
        }
        if let (Kind::Email, Some(name)) = (link.kind, &self.layer.organizer) {
            let local = link.user.clone().and_then(|user| text.get(user)).unwrap_or_default();
            let calendar = (self.layer, reading.text.as_str());
            check_organizer((name, local), calendar, &mut judged, judge);
        }
        Some(judged)
    }

    /// Judges a run, whose judgements are in memory together, and makes its edits. Returns whether there were more
    /// links than may be edited.
    fn judge_run(
        &mut self,
        run: Run<'a>,
        judge: &mut Judge<'_>,
        budget: &mut Budget<'_>,
        found: &mut Findings,
        here: &mut LinksHere,
    ) -> bool {
        let occurrences = run.occurrences;
        let mut judged = self.judgements(occurrences, judge, budget, found);
        self.view.compare(run, (judge, &mut *budget), &mut judged);
        first_letters::downgrade_rests(occurrences, &mut judged, judge);
        let explained = self.anchors_explained_in_text(occurrences, &judged);
        for (index, (occurrence, judged)) in occurrences.iter().zip(judged).enumerate() {
            let Some(judged) = judged else { continue };
            if self.is_read_already(occurrence, &judged) {
                continue;
            }
            if occurrence.seen_by != SeenBy::Standard && !self.is_wanted(occurrence, &judged, judge)
            {
                continue;
            }
            // The location is needed only if the link can be found again, or is reported.
            let mut place = None;
            if self.repeats == Repeats::Possible {
                place = self.new_location(occurrence, &judged, found, here);
                if place.is_none() {
                    continue;
                }
            }
            let link = (occurrence, explained.contains(&(run.start + index)));
            if self.keep(link, &judged, place, budget, found).is_break() {
                return true;
            }
        }
        false
    }

    /// Judges the occurrences of a run, as far as the budget reaches.
    fn judgements(
        &self,
        occurrences: &[Occurrence],
        judge: &mut Judge<'_>,
        budget: &mut Budget<'_>,
        found: &Findings,
    ) -> Vec<Option<Judged>> {
        let mut judged = Vec::with_capacity(occurrences.len());
        let is_reported = found.candidates.len() < budget.findings;
        let reading = self.open.reading;
        let plain = reading.transfer == Transfer::Identity && reading.charset.keeps_ascii();
        let encoded = is_reported && !plain;
        for occurrence in occurrences {
            let link = self.judge(judge, occurrence);
            let bytes = occurrence.span().len();
            let deception = match &link {
                // What deceives is no dearer for how it was found.
                Some(link) if link.verdict == Verdict::Unsafe => {
                    Budget::deception_steps(bytes, encoded)
                        .saturating_sub(found_steps(self.view, occurrence))
                }
                _ => 0,
            };
            judged.push(link);
            if !budget.spend_link(bytes, judge.take_steps() + deception) {
                break;
            }
        }
        judged
    }

    /// Whether a link that only some programs see is to be edited or reported. If every link is to be defanged, links
    /// that plain text programs find in HTML are included.
    fn is_wanted(&self, occurrence: &Occurrence, judged: &Judged, judge: &Judge<'_>) -> bool {
        let all = self.open.context.policy.defang == Defang::All;
        let seen = self.view.seen.get(occurrence.seen);
        judge.is_deceptive(seen.map_or("", |seen| seen.as_str()), occurrence, judged)
            || all && is_opened_by_some(occurrence)
    }

    /// Where a link is, which is remembered. `None` if an earlier reading or layer found it there.
    fn new_location(
        &self,
        occurrence: &Occurrence,
        judged: &Judged,
        found: &Findings,
        here: &mut LinksHere,
    ) -> Option<Location> {
        let (location, bad) = (self.location(occurrence), (judged.verdict, judged.edit));
        if found.is_known(&location, bad) {
            return None;
        }
        // A candidate that may be no link does not hide a shorter link of another reading.
        let is_link = judged.tld_status == TldStatus::Link;
        if is_link && here.len() < self.open.context.policy.limits.links {
            here.push((location.clone(), bad));
        }
        Some(location)
    }

    /// Keeps what was found of a link: its edits, its finding. `is_explained` says whether the text of its anchor gets a
    /// notice. Breaks if there is no space for an edit.
    fn keep(
        &mut self,
        (occurrence, is_explained): (&Occurrence, bool),
        judged: &Judged,
        place: Option<Location>,
        budget: &mut Budget<'_>,
        found: &mut Findings,
    ) -> ControlFlow<()> {
        let (entry, policy) = (self.open.entry, self.open.context.policy);
        if entry.alternative.is_some() {
            found.note_host(self.open.part, judged, policy.limits.links);
        }
        let (action, done) = actions::link(policy, entry, judged);
        let is_left_alone = self.is_left_alone(judged, action);
        // Most links need neither edit nor finding.
        if is_left_alone && policy.report == Report::Findings {
            found.harmless += 1;
            found.remember_harmless(judged);
            return ControlFlow::Continue(());
        }
        // What was judged is edited, even if no steps are left; a deceptive link has paid for that already. A good
        // link costs the same whether it is reported or not: `explain` must reach the limits that the daemon
        // reaches.
        if judged.verdict != Verdict::Unsafe && !is_left_alone {
            let _ = budget.spend_finding(occurrence.span().len());
        }
        if found.candidates.len() >= budget.findings && !found.adds_reason(judged) {
            return match self.edit_only(occurrence, judged, (action, done), budget, found) {
                true => ControlFlow::Continue(()),
                false => ControlFlow::Break(()),
            };
        }
        self.after_edit_only = false;
        let mut candidate = self.candidate(occurrence, judged, (action, done), place);
        let fits = candidate.fit(Expansion::of(self.open.reading), budget);
        if fits.is_continue() {
            let place = (occurrence, is_explained);
            self.add_extras(place, (judged, action, done), &mut candidate, budget, found);
        }
        found.push(policy, candidate);
        fits
    }

    /// Edits a link without keeping a finding. False if there is no space for the edit, or it waits for an answer of
    /// the DNS.
    fn edit_only(
        &mut self,
        occurrence: &Occurrence,
        judged: &Judged,
        (action, done): (LinkAction, Done),
        budget: &mut Budget<'_>,
        found: &mut Findings,
    ) -> bool {
        found.more.links += 1;
        if done != Done::Edited {
            return true;
        }
        if matches!(judged.tld_status, TldStatus::Asked(_)) {
            return false;
        }
        let OpenReading { context, part, index, reading, .. } = self.open;
        let joiner = EditJoiner::new(reading, context.disjoint, context.policy);
        let order = match (self.repeats, &occurrence.site) {
            (Repeats::Never, Site::Text) => Order::Ascending,
            _ => Order::Unknown,
        };
        let bare = found.bare_edits.entry((*part, *index)).or_default();
        let edits = self.defanger.edits(occurrence, judged.host.as_deref(), action);
        found.more.edited += usize::from(!edits.is_empty());
        budget.take_further_edits(Expansion::of(reading).memory_of(edits));
        joiner.join(edits);
        edits.drain(..).all(|edit| {
            let order = std::mem::replace(&mut self.after_edit_only, true).then_some(order);
            joiner.add(bare, edit, order, budget)
        })
    }

    /// Whether a link is good and needs no DNS query and no edit.
    fn is_left_alone(&self, judged: &Judged, action: LinkAction) -> bool {
        judged.verdict == Verdict::Ok
            && judged.tld_status == TldStatus::Link
            && self.open.context.policy.linkify == Linkify::Off
            && action == LinkAction::Leave
    }

    /// The range of an occurrence in the text of the reading.
    fn place(&self, occurrence: &Occurrence) -> Range<usize> {
        match self.view.seen.get(occurrence.seen) {
            Some(seen) => self.layer.seen.source(seen.source(occurrence.span())),
            None => 0..0,
        }
    }

    fn location(&self, occurrence: &Occurrence) -> Location {
        let OpenReading { context, part, reading, .. } = self.open;
        let (place, visibility) = (self.place(occurrence), occurrence.visibility());
        let unwrapped = if context.disjoint { reading.unwrapped(place.clone()) } else { None };
        match unwrapped {
            Some(range) => Location { space: Space::OfPart(*part), range, visibility },
            None => {
                let range = context.tree.raw_span(*part, reading, place);
                Location { space: Space::Raw, range, visibility }
            }
        }
    }

    /// The finding and the edits of a link. `location` is where it is, if that was computed.
    fn candidate(
        &mut self,
        occurrence: &Occurrence,
        judged: &Judged,
        (action, done): (LinkAction, Done),
        location: Option<Location>,
    ) -> Candidate {
        let made = self.defanger.edits(occurrence, judged.host.as_deref(), action);
        let mut edits = std::mem::take(made);
        edits.shrink_to_fit();
        let done = if done == Done::Edited && edits.is_empty() { Done::Reported } else { done };
        let text = self.view.seen.get(occurrence.seen).map_or("", |seen| seen.as_str());
        let spelling = text.get(occurrence.span()).unwrap_or_default();
        let OpenReading { context, part, reading, .. } = self.open;
        let span = match location {
            Some(Location { space: Space::Raw, range, .. }) => range,
            Some(Location { space: Space::OfPart(_), range, .. }) => {
                context.tree.raw_span_of_unwrapped(*part, reading, range)
            }
            None => context.tree.raw_span(*part, reading, self.place(occurrence)),
        };
        let place = occurrence.place(self.layer);
        let mut finding = context.finding_of(judged, &self.open.entry.path, place, span, spelling);
        finding.done = done;
        Candidate {
            finding,
            tld_status: judged.tld_status.clone(),
            reading: Some((self.open.part, self.open.index)),
            edits,
        }
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
