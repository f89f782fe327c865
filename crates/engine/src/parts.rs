//! One part: its readings, their layers, the links in each, and the edits.

use std::cell::OnceCell;
use std::collections::VecDeque;
use std::ops::ControlFlow;

use super::budget::Budget;
use super::content::{self, Apart, Layer, Markup, SeenBy, Sighting, Spot, View, Visibility};
use super::cost::Stage;
use super::finding::{Badness, Candidate, Found};
use super::judging::{Judge, Judged, Standing};
use super::outcome::{Bypass, Done, Finding, Verdict};
use super::policy::{LinkAction, Linkify, Mode, Notice, Report};
use super::{Policy, TldTable, actions, headers, notices};
use mailsplice::mime::{self, Message, Part, Reading, Tree};
use mailsplice::span::TextEdit;
use uts58::Target;

/// All that reading a part needs and does not change.
#[derive(Clone, Copy)]
pub struct Room<'a> {
    pub message: Message<'a>,
    pub tree: &'a Tree,
    /// The reader's language, where the operator or the message says it.
    pub language: Option<&'a str>,
    pub policy: &'a Policy,
    pub tlds: &'a TldTable,
    /// Whether no two parts share bytes.
    pub disjoint: bool,
}

impl Room<'_> {
    /// Reads a part in every way that a client might.
    pub fn read(
        &mut self,
        part: usize,
        judge: &mut Judge<'_>,
        budget: &mut Budget<'_>,
        found: &mut Found,
    ) {
        let Some(entry) = self.tree.parts.get(part) else { return };
        headers::bases(entry, judge, budget.findings, self.policy, found);
        let mut readings = mime::readings(self.message, self.tree, part);
        let mut index = 0;
        while let Some(reading) = readings.next() {
            let text = reading.text.as_str();
            let alone = self.disjoint && index == 0 && readings.is_empty();
            if !budget.spend(Stage::Decoding, text.len() as u64) {
                return over(budget, entry, found);
            }
            let open = Open {
                room: *self,
                part,
                entry,
                reading: &reading,
                index,
                agreed: OnceCell::new(),
                folding: OnceCell::new(),
            };
            index += 1;
            let mut layers = content::layers(text, reading.media).peekable();
            let mut documents = VecDeque::new();
            let mut first = true;
            while let Some(layer) = layers.next().or_else(|| documents.pop_front()) {
                let passes = match alone && first && layers.peek().is_none() {
                    true => Passes::One,
                    false => Passes::Several,
                };
                first = false;
                open.layer((&layer, passes), &mut documents, judge, budget, found);
                if budget.over().is_some() {
                    return over(budget, entry, found);
                }
            }
        }
    }
}

/// Whether a link leads to a host that deceives: a scheme that runs code is not enough.
fn is_lie(sighting: &Sighting, judged: &Judged) -> bool {
    matches!(sighting.target, Target::Link(_)) && judged.verdict >= Verdict::Unsafe
}

/// Names what ended the budget, in the part that it ended in.
fn over(budget: &Budget<'_>, entry: &Part, found: &mut Found) {
    if let Some(why) = budget.over() {
        found.bypass(&entry.path, why);
    }
}

/// Whether a link can be met twice, in two layers or readings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Passes {
    One,
    Several,
}

/// One reading of one part.
struct Open<'a> {
    room: Room<'a>,
    part: usize,
    entry: &'a Part,
    reading: &'a Reading<'a>,
    index: usize,
    /// Whether every reading of the part is in this charset or in ASCII, when somebody asked.
    agreed: OnceCell<bool>,
    /// How the part folds its lines, when somebody asked.
    folding: OnceCell<&'static str>,
}

/// Links of a layer that count for the layers behind it.
type Here = Vec<(std::ops::Range<usize>, Visibility, Badness)>;

impl Open<'_> {
    /// Reads a layer stretch by stretch: its links are judged before those of the next are looked for,
    /// and the budget is asked between them.
    fn layer(
        &self,
        (layer, passes): (&Layer<'_>, Passes),
        documents: &mut VecDeque<Layer<'static>>,
        judge: &mut Judge<'_>,
        budget: &mut Budget<'_>,
        found: &mut Found,
    ) {
        // One more than may be kept tells that there are more.
        let most = self.room.policy.limits.links.saturating_add(1);
        let space = content::Room { all: most, together: budget.sightings };
        let mut here = Here::new();
        let mut links = 0;
        let full = content::read_in_turn(layer, self.room.tlds, space, &mut |mut view| {
            documents.extend(content::documents(layer, &mut view));
            links += view.sightings.len();
            if !budget.spend(Stage::Reading, view.steps) {
                return ControlFlow::Break(());
            }
            let mut reader = LayerReader {
                open: self,
                layer,
                passes,
                view: &view,
                apart: Apart::new(
                    self.reading.text.as_str(),
                    layer,
                    &view,
                    self.room.tlds,
                    &self.folding,
                ),
                written_in: OnceCell::new(),
            };
            let full = reader.judge_all(judge, budget, found, &mut here);
            match full || view.cut || links >= most || budget.over().is_some() {
                true => ControlFlow::Break(()),
                false => ControlFlow::Continue(()),
            }
        });
        if full.is_break() && budget.over().is_none() {
            found.bypass(&self.entry.path, Bypass::Limit("links"));
        }
        found.know(here);
    }
}

/// A stretch of one layer.
struct LayerReader<'a> {
    open: &'a Open<'a>,
    layer: &'a Layer<'a>,
    passes: Passes,
    view: &'a View<'a>,
    apart: Apart<'a>,
    /// The language of the text, found out when the first notice needs it.
    written_in: OnceCell<Option<&'static str>>,
}

impl<'a> LayerReader<'a> {
    /// Judges every sighting and makes its edits. Those that the budget does not reach are left out.
    /// Whether there were more than may be kept.
    fn judge_all(
        &mut self,
        judge: &mut Judge<'_>,
        budget: &mut Budget<'_>,
        found: &mut Found,
        here: &mut Here,
    ) -> bool {
        let view = self.view;
        let mut judged: Vec<Option<Judged>> = Vec::with_capacity(view.sightings.len());
        for sighting in &view.sightings {
            let text = view.seen.get(sighting.seen).map_or("", |seen| seen.as_str());
            judged.push(judge.sighting(text, sighting));
            if !budget.link(sighting.span().len(), judge.spent()) {
                break;
            }
        }
        self.compare(judge, &mut judged);
        let most = self.open.room.policy.limits.links;
        for (sighting, judged) in view.sightings.iter().zip(judged) {
            let Some(judged) = judged else { continue };
            if sighting.seen_by == SeenBy::Careless && !is_lie(sighting, &judged) {
                continue;
            }
            if found.links() >= most {
                return true;
            }
            // Where a link stands in the message is worth a look only where it can be met again, or
            // somebody hears of it.
            let span = OnceCell::new();
            let span = || span.get_or_init(|| self.raw_span(sighting)).clone();
            if self.passes == Passes::Several {
                let (visibility, bad) = (sighting.visibility(), (judged.verdict, judged.edit));
                if found.is_known(&span(), visibility, bad) {
                    continue;
                }
                here.push((span(), visibility, bad));
            }
            if self.open.entry.alternative.is_some() {
                found.note_host(self.open.part, &judged);
            }
            if self.is_silent(&judged) {
                found.plain += 1;
                found.pass(&judged);
                continue;
            }
            if found.candidates.len() >= budget.findings {
                return true;
            }
            let mut candidate = self.candidate(sighting, &judged, span());
            self.add_extras(sighting, &judged, &mut candidate, budget, found);
            found.push(self.open.room.policy, candidate);
        }
        false
    }

    /// Most links: good ones that nobody wants to hear of. Spares the finding.
    fn is_silent(&self, judged: &Judged) -> bool {
        let policy = self.open.room.policy;
        judged.verdict == Verdict::Ok
            && judged.standing == Standing::Link
            && policy.report == Report::Findings
            && policy.linkify == Linkify::Off
            && actions::link(policy, self.open.entry, judged).0 == LinkAction::Leave
    }

    /// Visible text against the `href` around it.
    fn compare(&self, judge: &Judge<'_>, judged: &mut [Option<Judged>]) {
        for (index, sighting) in self.view.sightings.iter().enumerate() {
            let Some(anchor) = sighting.anchor.flatten() else { continue };
            let Some(visible) = judged.get(index).cloned().flatten() else { continue };
            if let Some(Some(target)) = judged.get_mut(anchor) {
                judge.compare(&visible, target);
            }
        }
    }

    fn raw_span(&self, sighting: &Sighting) -> std::ops::Range<usize> {
        let seen = match self.view.seen.get(sighting.seen) {
            Some(seen) => self.layer.seen.source(seen.source(sighting.span())),
            None => 0..0,
        };
        self.open.room.tree.raw_span(self.open.part, self.open.reading, seen)
    }

    fn candidate(
        &mut self,
        sighting: &Sighting,
        judged: &Judged,
        span: std::ops::Range<usize>,
    ) -> Candidate {
        let (action, done) = actions::link(self.open.room.policy, self.open.entry, judged);
        let edits = self.apart.edits(sighting, judged.host.as_deref(), action);
        let done = if done == Done::Edited && edits.is_empty() { Done::Reported } else { done };
        let text = self.view.seen.get(sighting.seen).map_or("", |seen| seen.as_str());
        let host = judged.host.as_deref();
        let finding = Finding {
            part: self.open.entry.path.clone(),
            place: sighting.place(self.layer),
            span,
            spelling: text.get(sighting.span()).unwrap_or_default().to_owned(),
            ascii: host.map_or_else(String::new, |host| host.ascii.clone()),
            unicode: host.map_or_else(String::new, |host| host.unicode.clone()),
            verdict: judged.verdict,
            reasons: judged.reasons,
            edit: judged.edit,
            target: host.and_then(|host| host.target.clone()),
            done,
        };
        Candidate {
            finding,
            standing: judged.standing.clone(),
            reading: Some((self.open.part, self.open.index)),
            edits,
        }
    }

    /// Adds what stands beside the link, as long as there is room for it.
    fn add_extras(
        &self,
        sighting: &Sighting,
        judged: &Judged,
        candidate: &mut Candidate,
        budget: &mut Budget<'_>,
        found: &mut Found,
    ) {
        let (action, done) = actions::link(self.open.room.policy, self.open.entry, judged);
        let extras = self.extras(sighting, judged, action);
        if extras.is_empty() {
            return;
        }
        if !budget.extra(extras.iter().map(|edit| edit.replacement.len()).sum()) {
            return found.bypass(&self.open.entry.path, Bypass::Limit("extras"));
        }
        candidate.edits.extend(extras);
        candidate.finding.done = done;
    }

    /// A notice beside a dead link, an anchor round a good one: only when asked for.
    fn extras(&self, sighting: &Sighting, judged: &Judged, action: LinkAction) -> Vec<TextEdit> {
        let policy = self.open.room.policy;
        let visible = matches!(sighting.spot, Spot::Text | Spot::HtmlText);
        if !visible || self.layer.property.is_some() || self.layer.depth > 0 {
            return Vec::new();
        }
        let apart = action >= LinkAction::Unlink;
        if apart && policy.notice == Notice::Inline {
            let language = self.language();
            let notice = match sighting.spot {
                Spot::HtmlText => notices::in_html(language),
                _ => notices::in_text(language, |words| self.fits(words)),
            };
            return self.apart.behind(sighting, notice);
        }
        let linkify = policy.linkify == Linkify::Html
            && policy.mode != Mode::ReportOnly
            && sighting.spot == Spot::HtmlText
            && sighting.anchor.is_none()
            && sighting.markup == Markup::Read
            && action == LinkAction::Leave;
        let text = self.view.seen.get(sighting.seen).map_or("", |seen| seen.as_str());
        match &sighting.target {
            Target::Link(link)
                if linkify
                    && content::linkify::may_be_linked(text, link, judged.verdict)
                    && content::linkify::is_as_judged(link, judged.host.as_deref()) =>
            {
                let anchor =
                    |href: String| self.apart.anchor(sighting, link.inner..link.span.end, &href);
                link.href(text).map_or_else(Vec::new, anchor)
            }
            _ => Vec::new(),
        }
    }

    /// The language of the notice.
    fn language(&self) -> &'a str {
        let of_script = || notices::of_script(self.layer.seen.as_str());
        let said = self.open.room.language;
        said.or_else(|| *self.written_in.get_or_init(of_script)).unwrap_or("en")
    }

    /// Whether the words can stand in the part, in whichever charset a client reads it.
    fn fits(&self, words: &str) -> bool {
        words.is_ascii()
            || (self.open.entry.declares(self.open.reading.charset)
                && self.open.reading.holds(words)
                && *self.open.agreed.get_or_init(|| self.agree()))
    }

    fn agree(&self) -> bool {
        mime::readings(self.open.room.message, self.open.room.tree, self.open.part).all(|other| {
            other.charset == self.open.reading.charset || other.text.as_str().is_ascii()
        })
    }
}
