//! One part: its readings, their layers, the links in each, and the edits.

use std::cell::OnceCell;
use std::collections::VecDeque;

use super::budget::Budget;
use super::content::{self, Apart, Layer, Sighting, Spot, View};
use super::finding::{Candidate, Found};
use super::judging::{Judge, Judged, Standing};
use super::link::Target;
use super::mime::{self, Message, Part, Reading, Tree};
use super::outcome::{Bypass, Done, Finding, Verdict};
use super::policy::{LinkAction, Linkify, Mode, Notice, Report};
use super::span::TextEdit;
use super::{Policy, TldTable, actions, headers, notices};

/// All that reading a part needs and does not change.
#[derive(Clone, Copy)]
pub struct Room<'a> {
    pub message: Message<'a>,
    pub tree: &'a Tree,
    /// The reader's language, where the operator or the message says it.
    pub language: Option<&'a str>,
    pub policy: &'a Policy,
    pub tlds: &'a TldTable,
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
        for (index, reading) in mime::readings(self.message, self.tree, part).enumerate() {
            let agreed = OnceCell::new();
            let folding = OnceCell::new();
            let text = reading.text.as_str();
            let mut layers = content::layers(text, reading.media);
            let mut documents = VecDeque::new();
            while let Some(layer) = layers.next().or_else(|| documents.pop_front()) {
                if !budget.spend(layer.seen.as_str().len() as u64) {
                    return over(budget, entry, found);
                }
                // One more than may be kept tells that there are more.
                let most = self.policy.limits.links.saturating_add(1);
                let mut view = content::read(&layer, self.tlds, most);
                documents.extend(content::documents(&layer, &mut view));
                let mut reader = LayerReader {
                    room: *self,
                    part,
                    entry,
                    reading: &reading,
                    agreed: &agreed,
                    index,
                    layer: &layer,
                    view: &view,
                    apart: Apart::new(text, &layer, &view, self.tlds, &folding),
                    written_in: OnceCell::new(),
                };
                reader.judge_all(judge, budget, found);
                if !budget.spend(view.steps) {
                    return over(budget, entry, found);
                }
            }
        }
    }
}

/// Names what ended the budget, in the part that it ended in.
fn over(budget: &Budget<'_>, entry: &Part, found: &mut Found) {
    if let Some(why) = budget.over() {
        found.bypass(&entry.path, why);
    }
}

/// One layer of one reading of one part.
struct LayerReader<'a> {
    room: Room<'a>,
    part: usize,
    entry: &'a Part,
    reading: &'a Reading<'a>,
    /// Whether every reading of the part is in this charset or in ASCII, when somebody asked.
    agreed: &'a OnceCell<bool>,
    index: usize,
    layer: &'a Layer<'a>,
    view: &'a View<'a>,
    apart: Apart<'a>,
    /// The language of the text, found out when the first notice needs it.
    written_in: OnceCell<Option<&'static str>>,
}

impl<'a> LayerReader<'a> {
    /// Judges every sighting and makes its edits. Those that the budget does not reach are left out.
    fn judge_all(&mut self, judge: &mut Judge<'_>, budget: &mut Budget<'_>, found: &mut Found) {
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
        let mut here = Vec::new();
        let most = self.room.policy.limits.links;
        let mut full = view.sightings.len() > most;
        for (sighting, judged) in view.sightings.iter().zip(judged) {
            let Some(judged) = judged else { continue };
            if found.links() >= most {
                full = true;
                break;
            }
            let span = self.raw_span(sighting);
            let visibility = sighting.visibility();
            if found.is_known(&span, visibility, (judged.verdict, judged.edit)) {
                continue;
            }
            here.push((span.clone(), visibility, (judged.verdict, judged.edit)));
            if self.entry.alternative.is_some() {
                found.note_host(self.part, &judged);
            }
            if self.is_silent(&judged) {
                found.plain += 1;
                found.pass(&judged);
                continue;
            }
            if found.candidates.len() >= budget.findings {
                full = true;
                break;
            }
            let candidate = self.candidate(sighting, &judged, span);
            found.push(self.room.policy, candidate);
        }
        if full {
            found.bypass(&self.entry.path, Bypass::Limit("links"));
        }
        found.know(here);
    }

    /// Most links: good ones that nobody wants to hear of. Spares the finding.
    fn is_silent(&self, judged: &Judged) -> bool {
        let policy = self.room.policy;
        judged.verdict == Verdict::Ok
            && judged.standing == Standing::Link
            && policy.report == Report::Findings
            && policy.linkify == Linkify::Off
            && actions::link(policy, self.entry, judged).0 == LinkAction::Leave
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
        self.room.tree.raw_span(self.part, self.reading, seen)
    }

    fn candidate(
        &mut self,
        sighting: &Sighting,
        judged: &Judged,
        span: std::ops::Range<usize>,
    ) -> Candidate {
        let (action, done) = actions::link(self.room.policy, self.entry, judged);
        let mut edits = self.apart.edits(sighting, judged.host.as_deref(), action);
        edits.extend(self.extras(sighting, judged, action));
        let done = if done == Done::Edited && edits.is_empty() { Done::Reported } else { done };
        let text = self.view.seen.get(sighting.seen).map_or("", |seen| seen.as_str());
        let host = judged.host.as_deref();
        let finding = Finding {
            part: self.entry.path.clone(),
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
            reading: (self.part, self.index),
            edits,
        }
    }

    /// A notice beside a dead link, an anchor round a good one: only when asked for.
    fn extras(&self, sighting: &Sighting, judged: &Judged, action: LinkAction) -> Vec<TextEdit> {
        let policy = self.room.policy;
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
        let said = self.room.language;
        said.or_else(|| *self.written_in.get_or_init(of_script)).unwrap_or("en")
    }

    /// Whether the words can stand in the part, in whichever charset a client reads it.
    fn fits(&self, words: &str) -> bool {
        words.is_ascii()
            || (self.entry.declares(self.reading.charset)
                && self.reading.holds(words)
                && *self.agreed.get_or_init(|| self.agree()))
    }

    fn agree(&self) -> bool {
        mime::readings(self.room.message, self.room.tree, self.part)
            .all(|other| other.charset == self.reading.charset || other.text.as_str().is_ascii())
    }
}
