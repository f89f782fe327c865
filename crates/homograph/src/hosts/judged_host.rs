//! A host that is read and judged as a whole. If prose may precede it, it is judged again with
//! another first label, and the labels after it are not read again.

use std::cmp::Ordering;
use std::ops::Range;

use smallvec::SmallVec;

use super::{name_in_host, seeming_suffix, target};
use crate::characters::reading::LabelChars;
use crate::spelling::compared::{ComparedHost, Hit};
use crate::spelling::domain::SuffixLengths;
use crate::spelling::form::{HostForms, LABELS, LabelForms, Literal, NAME_CHARACTERS, SavedFirst};
use crate::spelling::label_context::{LabelContext, Role};
use crate::spelling::{edit, script};
use crate::verdict::{Edit, Findings, Reason, Reasons, Verdict};
use crate::{Context, Judgement, Label, Names, is_protected, question};
use uts58::unicode::hosts::is_mark;
use uts58::unicode::is_letter;

/// The findings on the characters of each label.
type LabelFindings = SmallVec<[Findings; LABELS]>;

/// A host that was read, and its findings.
pub(super) struct JudgedHost {
    form: HostForms,
    /// The characters of each label; none for an address.
    chars: SmallVec<[LabelChars; LABELS]>,
    findings: LabelFindings,
    /// Labels that belong to a registry.
    registry: usize,
    /// Whether the last label may be a top-level domain.
    has_tld: bool,
    /// The top-level domain to ask the DNS for.
    question: Option<String>,
    found: HostFindings,
}

/// The findings on a host.
#[derive(Default)]
pub(super) struct HostFindings {
    pub verdict: Verdict,
    pub edit: Edit,
    /// For each label.
    pub labels: LabelFindings,
    /// The protected name that it resembles.
    pub target: Option<String>,
    reasons: Reasons,
}

/// The first label that was replaced, and all results with it.
pub(super) struct Replaced {
    first: SavedFirst,
    chars: LabelChars,
    findings: LabelFindings,
    registry: usize,
    pub found: HostFindings,
}

impl JudgedHost {
    /// Reads and judges a spelling, all of which is the host.
    pub(super) fn judge(spelling: &str, context: &Context<'_>) -> JudgedHost {
        let form = HostForms::read(spelling);
        let mut host = JudgedHost {
            chars: SmallVec::new(),
            findings: SmallVec::new(),
            registry: 0,
            has_tld: false,
            question: None,
            found: HostFindings::default(),
            form,
        };
        let mut suffixes = None;
        if host.form.literal == Literal::Name && !host.form.parts.is_empty() {
            let known = SuffixLengths::of(&host.form.ascii);
            let parts = host.form.parts.iter();
            host.chars = parts.map(|part| LabelChars::of(part.unicode.chars())).collect();
            host.registry = known.registry;
            host.has_tld = has_tld_syntax(&host.form);
            let tld = host.form.parts.last().filter(|_| host.has_tld);
            host.question = tld.and_then(|tld| question(&tld.ascii, context));
            host.examine(0..host.form.parts.len(), context);
            suffixes = Some(known);
        }
        host.found = host.find(suffixes, context);
        host
    }

    /// Judges the host with `label` in place of its first label; `reading` is the spelling of the
    /// new host. `None`, and nothing changed, if more than the first label might differ.
    pub(super) fn replace_first(
        &mut self,
        label: &str,
        reading: &str,
        context: &Context<'_>,
    ) -> Option<Replaced> {
        let first = self.form.replace_first(label, reading)?;
        let chars = LabelChars::of(self.form.parts.first()?.unicode.chars());
        let chars = std::mem::replace(self.chars.first_mut()?, chars);
        let (findings, registry) = (self.findings.clone(), self.registry);
        let before = std::mem::take(&mut self.found);
        if !context.blocked.is_empty() {
            self.form.finish();
        }
        self.judge_again(context);
        let HostFindings { verdict, edit, ref target, .. } = self.found;
        let has_findings = verdict > Verdict::Ok || edit > Edit::Reported || target.is_some();
        if self.form.is_unfinished() && has_findings {
            self.form.finish();
            self.judge_again(context);
        }
        Some(Replaced { first, chars, findings, registry, found: before })
    }

    /// Computes the findings with another first label. If it is missing in the ASCII form, more may
    /// be found than there is, but not less.
    fn judge_again(&mut self, context: &Context<'_>) {
        let HostForms { ascii, unicode, .. } = &self.form;
        // The suffix list has U-labels as well.
        let name = if self.form.is_unfinished() { unicode } else { ascii };
        let suffixes = SuffixLengths::of(name);
        // If the suffix is unchanged, so are the roles of the other labels.
        let others = if self.registry == suffixes.registry { 1 } else { self.form.parts.len() };
        self.registry = suffixes.registry;
        self.examine(0..others, context);
        self.found = self.find(Some(suffixes), context);
    }

    /// Restores the previous first label.
    pub(super) fn restore(&mut self, before: Replaced) {
        self.form.restore(before.first);
        if let Some(chars) = self.chars.first_mut() {
            *chars = before.chars;
        }
        (self.findings, self.registry, self.found) =
            (before.findings, before.registry, before.found);
    }

    /// The host in ASCII form.
    pub(super) fn ascii(&self) -> &str {
        &self.form.ascii
    }

    /// The ASCII form with the previous first label.
    pub(super) fn ascii_before(&self, before: &Replaced) -> String {
        self.form.ascii_with(&before.first)
    }

    pub(super) fn found(&self) -> &HostFindings {
        &self.found
    }

    /// The judgement for this range of the spelling.
    pub(super) fn judgement(self, span: Range<usize>) -> Judgement {
        let JudgedHost { form, found, question, .. } = self;
        let parts = form.parts.into_iter().zip(found.labels);
        Judgement {
            verdict: found.verdict,
            reasons: found.reasons,
            edit: found.edit,
            ascii: form.ascii,
            unicode: form.unicode,
            labels: parts.map(|(part, findings)| Label::of(part, findings)).collect(),
            target: found.target,
            question,
            span,
            more_bounds: 0,
        }
    }

    /// Judges the characters of these labels.
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
        self.findings.resize(count, Findings::default());
        let all = parts.iter().zip(&self.chars).zip(&mut self.findings).enumerate();
        for (at, ((part, chars), findings)) in all.take(labels.end).skip(labels.start) {
            *findings = script::examine(&LabelContext {
                tlds: context.tlds,
                spelling: &part.spelling,
                unicode: &part.unicode,
                chars,
                role: role(at),
                tld,
                level: context.level,
            });
        }
    }

    /// The findings on the host; an address has no suffix.
    fn find(&self, suffixes: Option<SuffixLengths>, context: &Context<'_>) -> HostFindings {
        let form = &self.form;
        // Lazy: rarely needed.
        let protected = || is_protected(&form.ascii, context.protected, context.own);
        let mut found = HostFindings::default();
        for (reason, verdict) in &form.problems {
            found.add(*reason, *verdict);
        }
        if let Some(suffixes) = suffixes {
            if !self.has_tld {
                found.add(Reason::TldSyntax, Reason::TldSyntax.verdict());
            }
            found.labels.clone_from(&self.findings);
            for (part, findings) in form.parts.iter().zip(&mut found.labels) {
                part.problems.iter().for_each(|(reason, verdict)| findings.add(*reason, *verdict));
            }
            // What is too long for the DNS leads nowhere, whatever it resembles.
            let fits = form.ascii.len() <= NAME_CHARACTERS;
            let hit = fits.then(|| find_target(form, &self.chars, suffixes, context)).flatten();
            if let Some(hit) = hit.filter(|_| !protected()) {
                found.reads_as(hit);
            }
        }
        for findings in &found.labels {
            found.verdict = found.verdict.max(findings.verdict);
            found.reasons = found.reasons.union(findings.reasons);
        }
        if context.blocked.covers(&form.ascii) {
            found.add(Reason::Listed, Reason::Listed.verdict());
        }
        let HostFindings { verdict, reasons, .. } = found;
        found.edit = edit::of(form, &found.labels, Findings { verdict, reasons }, protected);
        found
    }
}

impl HostFindings {
    fn add(&mut self, reason: Reason, verdict: Verdict) {
        self.reasons.insert(reason);
        self.verdict = self.verdict.max(verdict);
    }

    fn reads_as(&mut self, hit: Hit) {
        self.target = Some(hit.target);
        if let Some(findings) = self.labels.get_mut(hit.label) {
            findings.add(hit.reason, hit.verdict);
        }
    }
}

impl Label {
    fn of(part: LabelForms, Findings { verdict, reasons }: Findings) -> Label {
        let LabelForms { spelling, ascii, unicode, .. } = part;
        Label { spelling, ascii, unicode, verdict, reasons }
    }
}

/// The protected name, of the list or the recipients' own, that the host resembles most without
/// belonging to it.
fn find_target(
    form: &HostForms,
    chars: &[LabelChars],
    suffixes: SuffixLengths,
    context: &Context<'_>,
) -> Option<Hit> {
    let HostForms { parts, ascii, unicode, .. } = form;
    let compared = ComparedHost { parts, chars, ascii, unicode, suffixes };
    let protected = [context.own, context.protected]
        .into_iter()
        .filter_map(|names| target::find(&compared, names))
        .max_by_key(|hit| hit.verdict);
    if protected.as_ref().is_some_and(|hit| hit.verdict >= Verdict::Suspect) {
        return protected;
    }
    let mut sets = [context.own, context.protected].into_iter();
    let inside = |names: &_| name_in_host::find(&compared, names, context);
    if let Some(hit) = sets.find_map(inside).or_else(|| seeming_suffix::find(&compared, context)) {
        return Some(hit);
    }
    let lists = || [context.own, context.protected].into_iter().flat_map(Names::known);
    let known = lists().filter_map(|list| list.find(&compared)).max_by_key(|hit| hit.verdict);
    // A host that is on a list itself does not imitate a similar name on the list.
    let known = known.filter(|_| !lists().any(|list| list.holds(&compared)));
    protected.into_iter().chain(known).max_by_key(|hit| hit.verdict)
}

/// S10: at least two characters if ASCII; letters and marks only.
fn has_tld_syntax(form: &HostForms) -> bool {
    let Some(tld) = form.parts.last().map(|part| part.unicode.as_str()) else { return false };
    let letters = tld.chars().all(|c| is_letter(c) || is_mark(c));
    letters && form.parts.len() > 1 && (tld.len() > 1 || !tld.is_ascii())
}
