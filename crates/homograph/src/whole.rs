//! A host all of which is known: read, and judged. Where prose may stand before it, another first label is judged
//! in place of the one before, and what stands behind is not read again.

use std::cmp::Ordering;
use std::ops::Range;

use smallvec::SmallVec;

use super::domain::Endings;
use super::form::{First, Form, LABELS, Literal, NAME_CHARACTERS, Part};
use super::label_context::{LabelContext, Role};
use super::lookalike::LookHash;
use super::reading::Sights;
use super::subject::{Hit, Subject};
use super::{
    Context, Judgement, Label, Names, edit, inside, is_protected, near, question, script, target,
};
use crate::verdict::{Edit, Reason, Reasons, Said, Verdict};
use uts58::unicode::hosts::is_mark;
use uts58::unicode::is_letter;

/// What the characters of each label say.
type SaidOfLabels = SmallVec<[Said; LABELS]>;

/// A host that was read, and what was found of it.
pub(super) struct Whole {
    form: Form,
    /// What the labels read as, one for one; none for an address.
    sights: SmallVec<[Sights; LABELS]>,
    said: SaidOfLabels,
    /// Labels that are a registry's own.
    registry: usize,
    /// Whether the last label may be a top-level domain.
    has_tld: bool,
    /// The one that is to be asked for.
    question: Option<String>,
    found: Found,
}

/// What was found of a host.
#[derive(Default)]
pub(super) struct Found {
    pub verdict: Verdict,
    pub edit: Edit,
    /// Of each label.
    pub labels: SaidOfLabels,
    /// The protected name that it reads as.
    pub target: Option<String>,
    reasons: Reasons,
}

/// A first label that another one took the place of, and all that was known with it.
pub(super) struct Before {
    first: First,
    sights: Sights,
    said: SaidOfLabels,
    registry: usize,
    pub found: Found,
}

impl Whole {
    /// Reads and judges a spelling all of which is the host.
    pub(super) fn judge(spelling: &str, context: &Context<'_>) -> Whole {
        let form = Form::read(spelling);
        let mut whole = Whole {
            sights: SmallVec::new(),
            said: SmallVec::new(),
            registry: 0,
            has_tld: false,
            question: None,
            found: Found::default(),
            form,
        };
        let mut endings = None;
        if whole.form.literal == Literal::Name && !whole.form.parts.is_empty() {
            let known = Endings::of(&whole.form.ascii);
            let parts = whole.form.parts.iter();
            whole.sights = parts.map(|part| Sights::of(part.unicode.chars())).collect();
            whole.registry = known.registry;
            whole.has_tld = has_tld_syntax(&whole.form);
            let tld = whole.form.parts.last().filter(|_| whole.has_tld);
            whole.question = tld.and_then(|tld| question(&tld.ascii, context));
            whole.examine(0..whole.form.parts.len(), context);
            endings = Some(known);
        }
        whole.found = whole.find(endings, context);
        whole
    }

    /// Judges the host that begins with this label in place of its first one, the label being the first of this
    /// reading. `None` if more than that might be another: nothing is changed then.
    pub(super) fn begin_with(
        &mut self,
        label: &str,
        reading: &str,
        context: &Context<'_>,
    ) -> Option<Before> {
        let first = self.form.begin_with(label, reading)?;
        let sights = Sights::of(self.form.parts.first()?.unicode.chars());
        let sights = std::mem::replace(self.sights.first_mut()?, sights);
        let (said, registry) = (self.said.clone(), self.registry);
        let before = std::mem::take(&mut self.found);
        if !context.blocked.is_empty() {
            self.form.finish();
        }
        self.look_again(context);
        let Found { verdict, edit, ref target, .. } = self.found;
        let some = verdict > Verdict::Ok || edit > Edit::Told || target.is_some();
        if self.form.is_unfinished() && some {
            self.form.finish();
            self.look_again(context);
        }
        Some(Before { first, sights, said, registry, found: before })
    }

    /// Whether nothing is to be said of the host with this number in place of its first label, since nothing is to
    /// be said of what stands behind, which runs from left to right: a number is nobody's name, unless there is one
    /// that looks so.
    pub(super) fn is_silent_behind(&self, number: &str, context: &Context<'_>) -> bool {
        let look = LookHash::of(number.as_bytes());
        let is_nobodys = |names: &Names| !names.is_look(look) && !names.has_bidi();
        // What is one letter away from a name has more.
        number.len() + 1 < near::LEAST
            && self.form.parts.len() == 2
            && self.has_tld
            && self.form.is_as_spelled()
            && self.found.target.is_none()
            && self.found.labels.last() == Some(&Said::default())
            && context.blocked.is_empty()
            && [context.own, context.protected].into_iter().all(is_nobodys)
    }

    /// Puts such a number in the place of the first label.
    pub(super) fn begin_with_number(&mut self, number: &str) {
        self.form.begin_with_number(number);
        if let Some(sights) = self.sights.first_mut() {
            *sights = Sights::of(number.chars());
        }
        self.registry = Endings::of(&self.form.ascii).registry;
        self.said.fill(Said::default());
        self.found = Found { labels: self.said.clone(), ..Found::default() };
    }

    /// Finds what there is to be found with another first label. Where it is left out of the ASCII form, more than
    /// that may be found, and nothing less.
    fn look_again(&mut self, context: &Context<'_>) {
        let Form { ascii, unicode, .. } = &self.form;
        // Suffixes have U-labels as well.
        let name = if self.form.is_unfinished() { unicode } else { ascii };
        let endings = Endings::of(name);
        // What stands where in the name is the same for the others.
        let others = if self.registry == endings.registry { 1 } else { self.form.parts.len() };
        self.registry = endings.registry;
        self.examine(0..others, context);
        self.found = self.find(Some(endings), context);
    }

    /// Takes back the first label that stood here before.
    pub(super) fn restore(&mut self, before: Before) {
        self.form.restore(before.first);
        if let Some(sights) = self.sights.first_mut() {
            *sights = before.sights;
        }
        (self.said, self.registry, self.found) = (before.said, before.registry, before.found);
    }

    /// The host in ASCII form.
    pub(super) fn ascii(&self) -> &str {
        &self.form.ascii
    }

    /// The same with a number in place of the first label.
    pub(super) fn ascii_behind(&self, number: &str) -> String {
        let behind = self.form.parts.get(1).map(|tld| tld.ascii.as_str());
        [number, ".", behind.unwrap_or_default()].concat()
    }

    /// The same before another label took the place of the first one.
    pub(super) fn ascii_before(&self, before: &Before) -> String {
        self.form.ascii_with(&before.first)
    }

    pub(super) fn found(&self) -> &Found {
        &self.found
    }

    /// The judgement of these bytes of what was spelled.
    pub(super) fn judgement(self, span: Range<usize>) -> Judgement {
        let Whole { form, found, question, .. } = self;
        let parts = form.parts.into_iter().zip(found.labels);
        Judgement {
            verdict: found.verdict,
            reasons: found.reasons,
            edit: found.edit,
            ascii: form.ascii,
            unicode: form.unicode,
            labels: parts.map(|(part, said)| Label::of(part, said)).collect(),
            target: found.target,
            question,
            span,
            more_bounds: 0,
        }
    }

    /// What the characters of these labels say.
    fn examine(&mut self, labels: Range<usize>, context: &Context<'_>) {
        let parts = &self.form.parts;
        let (count, registry) = (parts.len(), self.registry);
        let tld = parts.last().map(|part| part.unicode.as_str()).unwrap_or_default();
        let registrable = count.saturating_sub(registry.max(1) + 1);
        let role = |at: usize| match at.cmp(&registrable) {
            _ if at + registry >= count => Role::Suffix,
            Ordering::Less => Role::Sub,
            Ordering::Equal | Ordering::Greater => Role::Registrable,
        };
        self.said.resize(count, Said::default());
        let all = parts.iter().zip(&self.sights).zip(&mut self.said).enumerate();
        for (at, ((part, sights), said)) in all.take(labels.end).skip(labels.start) {
            *said = script::examine(&LabelContext {
                tlds: context.tlds,
                spelling: &part.spelling,
                unicode: &part.unicode,
                sights,
                role: role(at),
                tld,
                level: context.level,
            });
        }
    }

    /// What is to be found of the host; an address has no endings.
    fn find(&self, endings: Option<Endings>, context: &Context<'_>) -> Found {
        let form = &self.form;
        // Of few hosts is there anything to say that a protected name is spared.
        let protected = || is_protected(&form.ascii, context.protected, context.own);
        let mut found = Found::default();
        for (reason, verdict) in &form.problems {
            found.add(*reason, *verdict);
        }
        if let Some(endings) = endings {
            if !self.has_tld {
                found.add(Reason::TldSyntax, Reason::TldSyntax.verdict());
            }
            found.labels.clone_from(&self.said);
            for (part, said) in form.parts.iter().zip(&mut found.labels) {
                part.problems.iter().for_each(|(reason, verdict)| said.add(*reason, *verdict));
            }
            // What is too long for the DNS leads nowhere, whatever it reads as.
            let sought = form.ascii.len() <= NAME_CHARACTERS;
            let hit = sought.then(|| find_target(form, &self.sights, endings, context)).flatten();
            if let Some(hit) = hit.filter(|_| !protected()) {
                found.reads_as(hit);
            }
        }
        for said in &found.labels {
            found.verdict = found.verdict.max(said.verdict);
            found.reasons = found.reasons.union(said.reasons);
        }
        if context.blocked.covers(&form.ascii) {
            found.add(Reason::Listed, Reason::Listed.verdict());
        }
        let Found { verdict, reasons, .. } = found;
        found.edit = edit::of(form, &found.labels, Said { verdict, reasons }, protected);
        found
    }
}

impl Found {
    fn add(&mut self, reason: Reason, verdict: Verdict) {
        self.reasons.insert(reason);
        self.verdict = self.verdict.max(verdict);
    }

    fn reads_as(&mut self, hit: Hit) {
        self.target = Some(hit.target);
        if let Some(said) = self.labels.get_mut(hit.label) {
            said.add(hit.reason, hit.verdict);
        }
    }
}

impl Label {
    fn of(part: Part, Said { verdict, reasons }: Said) -> Label {
        let Part { spelling, ascii, unicode, .. } = part;
        Label { spelling, ascii, unicode, verdict, reasons }
    }
}

/// The protected name, of the list or the recipients' own, that the host reads as most, to none of which it
/// belongs.
fn find_target(
    form: &Form,
    sights: &[Sights],
    endings: Endings,
    context: &Context<'_>,
) -> Option<Hit> {
    let Form { parts, ascii, unicode, .. } = form;
    let subject = Subject { parts, sights, ascii, unicode, endings };
    let protected = [context.own, context.protected]
        .into_iter()
        .filter_map(|names| target::find(&subject, names))
        .max_by_key(|hit| hit.verdict);
    if protected.as_ref().is_some_and(|hit| hit.verdict >= Verdict::Suspect) {
        return protected;
    }
    let mut sets = [context.own, context.protected].into_iter();
    if let Some(hit) = sets.find_map(|names| inside::find(&subject, names, context)) {
        return Some(hit);
    }
    let lists = || [context.own, context.protected].into_iter().flat_map(Names::known);
    let known = lists().filter_map(|list| list.find(&subject)).max_by_key(|hit| hit.verdict);
    // Whoever is known by name is no mimic of a neighbour on the list.
    let known = known.filter(|_| !lists().any(|list| list.holds(&subject)));
    protected.into_iter().chain(known).max_by_key(|hit| hit.verdict)
}

/// S10: at least two characters if ASCII; letters and marks only.
fn has_tld_syntax(form: &Form) -> bool {
    let Some(tld) = form.parts.last().map(|part| part.unicode.as_str()) else { return false };
    let letters = tld.chars().all(|c| is_letter(c) || is_mark(c));
    letters && form.parts.len() > 1 && (tld.len() > 1 || !tld.is_ascii())
}
