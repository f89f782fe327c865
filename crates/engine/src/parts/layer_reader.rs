//! Judges and edits the links in a stretch of one layer.

use std::cell::OnceCell;
use std::ops::{ControlFlow, Range};

use super::attached::behind_emoji;
use super::organizers::check_organizer;
use super::{LinksHere, OpenReading, Repeats, first_letters, found_steps};
use crate::actions;
use crate::budget::{Budget, ENCODED_LINK_STEPS};
use crate::cost::Stage;
use crate::finding::{Candidate, Findings, Location, Space};
use crate::joined_edits::{EditJoiner, Expansion, Order};
use crate::judging::anchors::{AnchorComparison, OccurrenceRun};
use crate::judging::deceptive::is_opened_by_some;
use crate::judging::{Judge, Judged, TldStatus};
use crate::net;
use crate::outcome::{Done, Edit, Verdict};
use crate::policy::{Defang, LinkAction, Linkify, Report};
use maillinks::{Defanger, Layer, Occurrence, SeenBy, Site, View};
use mailsplice::mime::{Charset, Transfer};
use uts58::{Kind, Target};

/// Reads a stretch of one layer.
pub(super) struct LayerReader<'a> {
    pub(super) open: &'a OpenReading<'a>,
    pub(super) layer: &'a Layer<'a>,
    pub(super) repeats: Repeats,
    pub(super) view: &'a View<'a>,
    pub(super) defanger: Defanger<'a>,
    /// The language of the text; detected when the first notice needs it.
    pub(super) script_language: OnceCell<Option<&'static str>>,
    /// Whether the last edit was made by [`LayerReader::edit_only`].
    pub(super) after_edit_only: bool,
}

/// Links that are judged before the first of them is edited, if a stretch holds more.
const RUN_LINKS: usize = 1_024;

impl<'a> LayerReader<'a> {
    /// Judges and edits every occurrence, as the budget allows. Returns whether there were more than may be edited.
    pub(super) fn judge_all(
        &mut self,
        judge: &mut Judge<'_>,
        budget: &mut Budget<'_>,
        found: &mut Findings,
        here: &mut LinksHere,
    ) -> bool {
        let mut start = 0;
        for end in maillinks::runs(&self.view.occurrences, RUN_LINKS) {
            let occurrences = self.view.occurrences.get(start..end).unwrap_or_default();
            if self.judge_run(OccurrenceRun { start, occurrences }, judge, budget, found, here) {
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

    /// The judgement of a host in the charset in which it is a known name in other letters, where no label says what its
    /// bytes are: some programs take the charset of their reader's system. Not of one that the net reads.
    fn in_other_charset(
        &self,
        occurrence: &Occurrence,
        judged: Judged,
        judge: &mut Judge<'_>,
        budget: &mut Budget<'_>,
    ) -> Judged {
        let OpenReading { entry, reading, .. } = self.open;
        let Target::Link(link) = &occurrence.target else { return judged };
        let Some(seen) = self.view.seen.get(occurrence.seen) else { return judged };
        let text = seen.as_str();
        let host = link.host_str(text);
        if host.is_ascii()
            || reading.charset != Charset::WINDOWS_1252
            || !entry.leaves_charset_open()
        {
            return judged;
        }
        let is_bare = matches!(link.kind, Kind::Bare | Kind::Email);
        // A letter in front of it may be the rest of a word that is misread.
        let before = text.get(..link.span.start).and_then(|before| before.chars().next_back());
        let is_passed_over = match is_bare {
            true => before.is_some_and(|before| !before.is_ascii()),
            false => {
                let written = self.layer.seen.source(seen.source(link.host.clone()));
                net::reads_in_locales((reading.text.as_str(), reading.transfer), written, host)
            }
        };
        if is_passed_over {
            return judged;
        }
        let spend = |steps| budget.spend(Stage::Judging, steps);
        net::twin_elsewhere((host, is_bare), reading.charset, judge, spend).unwrap_or(judged)
    }

    /// Judges a run, whose judgements are in memory together, and makes its edits. Returns whether there were more
    /// links than may be edited.
    fn judge_run(
        &mut self,
        run: OccurrenceRun<'a>,
        judge: &mut Judge<'_>,
        budget: &mut Budget<'_>,
        found: &mut Findings,
        here: &mut LinksHere,
    ) -> bool {
        let occurrences = run.occurrences;
        let mut judged = self.judgements(occurrences, judge, budget, found);
        AnchorComparison::of(self.view).compare(run, (judge, &mut *budget), &mut judged);
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
        let plain = self.is_plain();
        let encoded = is_reported && !plain;
        for occurrence in occurrences {
            let link = self.judge(judge, occurrence);
            let link = link.map(|link| self.in_other_charset(occurrence, link, judge, budget));
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
            let place = if plain { 0 } else { ENCODED_LINK_STEPS };
            if !budget.spend_link(bytes, judge.take_steps() + deception + place) {
                break;
            }
        }
        judged
    }

    /// Whether the text of the reading stands in the message byte by byte.
    fn is_plain(&self) -> bool {
        let reading = self.open.reading;
        reading.transfer == Transfer::Identity && reading.charset.keeps_ascii()
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
            let edited_encoded = done == Done::Edited && !self.is_plain();
            let _ = budget.spend_finding(occurrence.span().len(), edited_encoded);
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
