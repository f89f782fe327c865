//! One answer for recipients who disagree.
//!
//! A milter answers once for all recipients of a message, so an edit asked for by one recipient's
//! settings happens to all: the stricter wins, and the rule name that goes into the header field
//! joins the names (`default+partners`). What loses a message (reject, tempfail, discard,
//! quarantine) happens only if every recipient's settings ask for the same.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::engine::Policy;
use crate::engine::outcome::{Disposition, Reason, Verdict};
use crate::engine::policy::{
    HtmlAttachments, LinkAction, Linkify, MessageAction, Mode, Notice, Signed,
};

/// Whether two settings came from the same rule, so that merging them changes nothing.
pub(super) fn same(one: &Arc<Policy>, other: &Arc<Policy>) -> bool {
    Arc::ptr_eq(one, other) || one.rule == other.rule
}

/// The settings that serve all of these; `None` for none.
pub(super) fn all(policies: &[Arc<Policy>]) -> Option<Arc<Policy>> {
    let (first, rest) = policies.split_first()?;
    if rest.is_empty() {
        return Some(Arc::clone(first));
    }
    let everyone: Vec<&Policy> = policies.iter().map(AsRef::as_ref).collect();
    let editing: Vec<&Policy> = everyone.iter().copied().filter(|policy| edits(policy)).collect();
    let mut merged = match editing.first() {
        Some(first) => stricter(first, &editing),
        // Nobody wants an edit; report-only says more of the message than exempt does.
        None => everyone
            .iter()
            .find(|policy| policy.exempt.is_none())
            .map_or_else(|| Policy::clone(first), |policy| Policy::clone(policy)),
    };
    merged.rule = joined_rules(&everyone);
    // Anchors for plain links are a convenience, not strictness: nobody gets them unasked.
    if everyone.iter().any(|policy| policy.linkify == Linkify::Off) {
        merged.linkify = Linkify::Off;
    }
    merged.message_actions = agreed_by_verdict(&everyone);
    merged.reason_message_actions = agreed_by_reason(&everyone);
    merged.on_error = agreed(everyone.iter().map(|policy| policy.on_error));
    merged.on_limit = agreed(everyone.iter().map(|policy| policy.on_limit));
    merged.on_opaque = agreed(everyone.iter().map(|policy| policy.on_opaque));
    Some(Arc::new(merged))
}

fn edits(policy: &Policy) -> bool {
    policy.exempt.is_none() && policy.mode != Mode::ReportOnly
}

fn joined_rules(policies: &[&Policy]) -> String {
    let names: BTreeSet<&str> = policies.iter().map(|policy| policy.rule.as_str()).collect();
    names.into_iter().collect::<Vec<_>>().join("+")
}

/// What edits most, setting by setting.
fn stricter(first: &Policy, editing: &[&Policy]) -> Policy {
    let mut merged = first.clone();
    for policy in editing {
        merged.mode = merged.mode.max(policy.mode);
        merged.level = merged.level.min(policy.level);
        if policy.signed == Signed::EditUnsafe {
            merged.signed = Signed::EditUnsafe;
        }
        if policy.notice == Notice::Inline {
            merged.notice = Notice::Inline;
        }
        if policy.html_attachments == HtmlAttachments::Edit {
            merged.html_attachments = HtmlAttachments::Edit;
        }
    }
    merged.verdict_actions = BTreeMap::new();
    merged.reason_actions = BTreeMap::new();
    let verdicts: BTreeSet<Verdict> =
        editing.iter().flat_map(|policy| policy.verdict_actions.keys().copied()).collect();
    for verdict in verdicts {
        if let Some(action) = editing.iter().map(|policy| by_verdict(policy, verdict)).max() {
            merged.verdict_actions.insert(verdict, action);
        }
    }
    let reasons: BTreeSet<Reason> =
        editing.iter().flat_map(|policy| policy.reason_actions.keys().copied()).collect();
    for reason in reasons {
        let action = editing.iter().map(|policy| by_reason(policy, reason)).max();
        let unanimous = editing.iter().all(|policy| policy.reason_actions.contains_key(&reason));
        // A reason beats the verdict. Where somebody leaves it to the verdict and that is as
        // strict, it stays so: a softened verdict then softens the action as well.
        if let Some(action) = action
            && (unanimous || action > by_verdict(&merged, reason.verdict()))
        {
            merged.reason_actions.insert(reason, action);
        }
    }
    merged
}

fn by_verdict(policy: &Policy, verdict: Verdict) -> LinkAction {
    let edited_from = if policy.mode == Mode::Strict { Verdict::Suspect } else { Verdict::Unsafe };
    let usual = if verdict >= edited_from { LinkAction::Defang } else { LinkAction::Leave };
    policy.verdict_actions.get(&verdict).copied().unwrap_or(usual)
}

fn by_reason(policy: &Policy, reason: Reason) -> LinkAction {
    let by_reason = policy.reason_actions.get(&reason).copied();
    by_reason.unwrap_or_else(|| by_verdict(policy, reason.verdict()))
}

fn agreed_by_verdict(everyone: &[&Policy]) -> BTreeMap<Verdict, MessageAction> {
    let keys: BTreeSet<Verdict> =
        everyone.iter().flat_map(|policy| policy.message_actions.keys().copied()).collect();
    let actions = |verdict| everyone.iter().map(move |policy| on_verdict(policy, verdict));
    keys.into_iter().map(|verdict| (verdict, agreed_action(actions(verdict)))).collect()
}

fn agreed_by_reason(everyone: &[&Policy]) -> BTreeMap<Reason, MessageAction> {
    let keys: BTreeSet<Reason> =
        everyone.iter().flat_map(|policy| policy.reason_message_actions.keys().copied()).collect();
    let actions = |reason: Reason| {
        everyone.iter().map(move |policy| {
            let by_reason = policy.reason_message_actions.get(&reason).copied();
            by_reason.unwrap_or(MessageAction::Header).max(on_verdict(policy, reason.verdict()))
        })
    };
    keys.into_iter().map(|reason| (reason, agreed_action(actions(reason)))).collect()
}

fn on_verdict(policy: &Policy, verdict: Verdict) -> MessageAction {
    policy.message_actions.get(&verdict).copied().unwrap_or(MessageAction::Header)
}

/// The one action all ask for; failing that, the tag if somebody asks for it.
fn agreed_action(actions: impl Iterator<Item = MessageAction> + Clone) -> MessageAction {
    let first = actions.clone().next().unwrap_or(MessageAction::Header);
    if actions.clone().all(|action| action == first) {
        return first;
    }
    let tagged = actions.into_iter().any(|action| action == MessageAction::SubjectTag);
    if tagged { MessageAction::SubjectTag } else { MessageAction::Header }
}

fn agreed(mut dispositions: impl Iterator<Item = Disposition>) -> Disposition {
    let first = dispositions.next().unwrap_or_default();
    if dispositions.all(|disposition| disposition == first) { first } else { Disposition::Accept }
}
