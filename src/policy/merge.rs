//! One policy for recipients with different settings.
//!
//! A milter has one answer for all recipients of a message. So an edit that the settings of one recipient ask for is
//! done for all of them: the stricter settings win, and the rule name in the header field joins the names
//! (`default+partners`). Actions that withhold a message (reject, tempfail, discard, quarantine) are done only if the
//! settings of every recipient ask for the same one.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::engine::Policy;
use crate::engine::lists::Lists;
use crate::engine::outcome::{Disposition, Reason, Verdict};
use crate::engine::policy::{
    Actions, HtmlAttachments, LinkAction, Linkify, MessageAction, Mode, Notice, OnAmbiguous, Signed,
};

/// The merged settings of all recipients; `None` if there are none.
pub(super) fn merge(policies: &[Arc<Policy>]) -> Option<Arc<Policy>> {
    let (first, rest) = policies.split_first()?;
    if rest.is_empty() {
        return Some(Arc::clone(first));
    }
    let everyone: Vec<&Policy> = policies.iter().map(AsRef::as_ref).collect();
    let editing: Vec<&Policy> = everyone.iter().copied().filter(|policy| edits(policy)).collect();
    let mut merged = match editing.first() {
        Some(first) => stricter(first, &editing),
        None => without_edits(first, &everyone),
    };
    merged.rule = joined_rules(&everyone);
    merged.lists = lists(if editing.is_empty() { &everyone } else { &editing });
    // Anchors for plain links are a convenience, not a protection: nobody gets them without asking.
    if everyone.iter().any(|policy| policy.linkify == Linkify::Off) {
        merged.linkify = Linkify::Off;
    }
    merged.message_actions = agreed_actions(&everyone);
    merged.on_error = agreed(everyone.iter().map(|policy| policy.on_error));
    merged.on_limit = agreed(everyone.iter().map(|policy| policy.on_limit));
    merged.on_exhausted = agreed(everyone.iter().map(|policy| policy.on_exhausted));
    merged.on_opaque = agreed(everyone.iter().map(|policy| policy.on_opaque));
    merged.on_ambiguous = agreed_on_ambiguous(&everyone);
    Some(Arc::new(merged))
}

/// What one recipient blocks or protects counts for all. What one allows counts only if all allow something.
fn lists(policies: &[&Policy]) -> Lists {
    // The same for all recipients.
    let own = policies.first().map(|policy| Arc::clone(&policy.lists.own)).unwrap_or_default();
    let mut merged = Lists { own, ..Lists::default() };
    for policy in policies {
        union(&mut merged.protected, &policy.lists.protected);
        union(&mut merged.blocked, &policy.lists.blocked);
        union(&mut merged.allowed, &policy.lists.allowed);
    }
    if policies.iter().any(|policy| policy.lists.allowed.is_empty()) {
        merged.allowed.clear();
    }
    merged
}

fn union<T>(all: &mut Vec<Arc<T>>, more: &[Arc<T>]) {
    for one in more {
        if !all.iter().any(|known| Arc::ptr_eq(known, one)) {
            all.push(Arc::clone(one));
        }
    }
}

/// The settings of the first of these rules, made at least as strict as each of the others, for edits as well as for
/// what becomes of the message.
pub(super) fn strictest(rules: &[Arc<Policy>]) -> Option<Arc<Policy>> {
    let (first, rest) = rules.split_first()?;
    if rest.is_empty() {
        return Some(Arc::clone(first));
    }
    let mut strictest = Policy::clone(&*merge(rules)?);
    strictest.rule.clone_from(&first.rule);
    let actions = || rules.iter().map(|rule| &rule.message_actions);
    strictest.message_actions = Actions {
        by_verdict: strictest_actions(actions().map(|actions| &actions.by_verdict)),
        by_reason: strictest_actions(actions().map(|actions| &actions.by_reason)),
    };
    let max = |of: fn(&Policy) -> Disposition| rules.iter().map(|rule| of(rule)).max();
    strictest.on_error = max(|rule| rule.on_error)?;
    strictest.on_limit = max(|rule| rule.on_limit)?;
    strictest.on_exhausted = max(|rule| rule.on_exhausted)?;
    strictest.on_opaque = max(|rule| rule.on_opaque)?;
    strictest.on_ambiguous = rules.iter().map(|rule| rule.on_ambiguous).max()?;
    Some(Arc::new(strictest))
}

/// For each key the strictest action that some settings ask for.
fn strictest_actions<'a, K: Ord + Copy + 'a>(
    actions: impl Iterator<Item = &'a BTreeMap<K, MessageAction>>,
) -> BTreeMap<K, MessageAction> {
    let mut strictest = BTreeMap::new();
    for (key, action) in actions.flatten() {
        let known = strictest.entry(*key).or_insert(*action);
        *known = (*known).max(*action);
    }
    strictest
}

/// A message is quarantined if all settings ask for it. It is edited if one of them does.
fn agreed_on_ambiguous(everyone: &[&Policy]) -> OnAmbiguous {
    let all = |wanted| everyone.iter().all(|policy| policy.on_ambiguous == wanted);
    if all(OnAmbiguous::Quarantine) {
        return OnAmbiguous::Quarantine;
    }
    match everyone.iter().any(|policy| policy.on_ambiguous == OnAmbiguous::Defuse) {
        true => OnAmbiguous::Defuse,
        false => OnAmbiguous::Accept,
    }
}

/// The merged settings if none of them edits. Report-only comes before exempt, since it reports more.
fn without_edits(first: &Policy, everyone: &[&Policy]) -> Policy {
    let reporting = everyone.iter().find(|policy| policy.exempt.is_none());
    let mut merged = reporting.map_or_else(|| first.clone(), |policy| Policy::clone(policy));
    merged.mode = match reporting {
        Some(_) => Mode::ReportOnly,
        None => everyone.iter().map(|policy| policy.mode).max().unwrap_or_default(),
    };
    merged.level = everyone.iter().map(|policy| policy.level).min().unwrap_or_default();
    merged.link_actions = Actions::default();
    merged
}

fn edits(policy: &Policy) -> bool {
    policy.exempt.is_none() && policy.mode != Mode::ReportOnly
}

fn joined_rules(policies: &[&Policy]) -> String {
    let names: BTreeSet<&str> = policies.iter().map(|policy| policy.rule.as_str()).collect();
    names.into_iter().collect::<Vec<_>>().join("+")
}

/// For each setting the value that edits most.
fn stricter(first: &Policy, editing: &[&Policy]) -> Policy {
    let mut merged = first.clone();
    for policy in editing {
        merged.mode = merged.mode.max(policy.mode);
        merged.level = merged.level.min(policy.level);
        merged.defang = merged.defang.max(policy.defang);
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
    merged.link_actions = Actions::default();
    for verdict in keys(editing, |policy| &policy.link_actions.by_verdict) {
        if let Some(action) = editing.iter().map(|policy| by_verdict(policy, verdict)).max() {
            merged.link_actions.by_verdict.insert(verdict, action);
        }
    }
    for reason in keys(editing, |policy| &policy.link_actions.by_reason) {
        let action = editing.iter().map(|policy| by_reason(policy, reason)).max();
        let mut actions = editing.iter().map(|policy| &policy.link_actions.by_reason);
        let unanimous = actions.all(|actions| actions.contains_key(&reason));
        // The action for a reason comes before that for its verdict. If some settings leave it to the verdict, and
        // that is as strict, it is left to the verdict: a verdict that is lowered then lowers the action too.
        if let Some(action) = action
            && (unanimous || action > by_verdict(&merged, reason.verdict()))
        {
            merged.link_actions.by_reason.insert(reason, action);
        }
    }
    merged
}

fn by_verdict(policy: &Policy, verdict: Verdict) -> LinkAction {
    let edited_from = if policy.mode == Mode::Strict { Verdict::Suspect } else { Verdict::Unsafe };
    let usual = if verdict >= edited_from { LinkAction::Defang } else { LinkAction::Leave };
    policy.link_actions.by_verdict.get(&verdict).copied().unwrap_or(usual)
}

fn by_reason(policy: &Policy, reason: Reason) -> LinkAction {
    let by_reason = policy.link_actions.by_reason.get(&reason).copied();
    by_reason.unwrap_or_else(|| by_verdict(policy, reason.verdict()))
}

/// The verdicts or reasons for which one of these settings names an action.
fn keys<K: Ord + Copy, A>(
    policies: &[&Policy],
    actions: impl Fn(&Policy) -> &BTreeMap<K, A>,
) -> BTreeSet<K> {
    policies.iter().flat_map(|policy| actions(policy).keys().copied()).collect()
}

fn agreed_actions(everyone: &[&Policy]) -> Actions<MessageAction> {
    let by_verdict = |verdict| everyone.iter().map(move |policy| on_verdict(policy, verdict));
    let by_reason = |reason: Reason| {
        everyone.iter().map(move |policy| {
            let by_reason = policy.message_actions.by_reason.get(&reason).copied();
            by_reason.unwrap_or(MessageAction::Header).max(on_verdict(policy, reason.verdict()))
        })
    };
    let verdicts = keys(everyone, |policy| &policy.message_actions.by_verdict).into_iter();
    let reasons = keys(everyone, |policy| &policy.message_actions.by_reason).into_iter();
    Actions {
        by_verdict: verdicts.map(|key| (key, agreed_action(by_verdict(key)))).collect(),
        by_reason: reasons.map(|key| (key, agreed_action(by_reason(key)))).collect(),
    }
}

fn on_verdict(policy: &Policy, verdict: Verdict) -> MessageAction {
    policy.message_actions.by_verdict.get(&verdict).copied().unwrap_or(MessageAction::Header)
}

/// The action that all ask for. If there is none, the subject tag if somebody asks for it.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::policy::RestrictionLevel;
    use proptest::prelude::*;

    fn action() -> impl Strategy<Value = LinkAction> {
        prop_oneof![
            Just(LinkAction::Leave),
            Just(LinkAction::PercentEncode),
            Just(LinkAction::Punycode),
            Just(LinkAction::Unlink),
            Just(LinkAction::Defang),
        ]
    }

    fn message_action() -> impl Strategy<Value = MessageAction> {
        prop_oneof![
            Just(MessageAction::Header),
            Just(MessageAction::SubjectTag),
            Just(MessageAction::Dispose(Disposition::Quarantine)),
            Just(MessageAction::Dispose(Disposition::Reject)),
        ]
    }

    fn verdict() -> impl Strategy<Value = Verdict> {
        proptest::sample::select(Verdict::ALL.to_vec())
    }

    /// A few reasons of different verdicts.
    fn reason() -> impl Strategy<Value = Reason> {
        let some = [Reason::MixedScript, Reason::Userinfo, Reason::ScriptPath, Reason::BidiControl];
        proptest::sample::select(some.to_vec())
    }

    fn policy() -> impl Strategy<Value = Policy> {
        use proptest::collection::btree_map;
        let mode = prop_oneof![Just(Mode::ReportOnly), Just(Mode::Enforce), Just(Mode::Strict)];
        let level =
            prop_oneof![Just(RestrictionLevel::AsciiOnly), Just(RestrictionLevel::Unrestricted)];
        let actions = (btree_map(verdict(), action(), 0..3), btree_map(reason(), action(), 0..3));
        let on_message = (
            btree_map(verdict(), message_action(), 0..3),
            btree_map(reason(), message_action(), 0..3),
        );
        ("[a-d]", mode, level, any::<bool>(), actions, on_message).prop_map(
            |(name, mode, level, exempt, actions, on_message)| {
                let base = Policy {
                    rule: name,
                    mode,
                    level,
                    exempt: exempt.then(|| "profile".to_owned()),
                    link_actions: Actions { by_verdict: actions.0, by_reason: actions.1 },
                    message_actions: Actions { by_verdict: on_message.0, by_reason: on_message.1 },
                    ..Policy::default()
                };
                if edits(&base) { base } else { super::super::report_only_actions(&base) }
            },
        )
    }

    /// What one policy does with a message because of a reason and its usual verdict.
    fn on_message(policy: &Policy, reason: Reason) -> MessageAction {
        let by_reason = policy.message_actions.by_reason.get(&reason).copied();
        by_reason.unwrap_or(MessageAction::Header).max(on_verdict(policy, reason.verdict()))
    }

    proptest! {
        #[test]
        fn the_merged_policy_is_as_strict_as_each_and_loses_nothing_alone(
            policies in proptest::collection::vec(policy().prop_map(Arc::new), 1..4)
        ) {
            let merged = merge(&policies).unwrap();
            for policy in policies.iter().filter(|policy| edits(policy)) {
                prop_assert!(edits(&merged) && merged.mode >= policy.mode);
                prop_assert!(merged.level <= policy.level);
                for verdict in Verdict::ALL {
                    prop_assert!(by_verdict(&merged, verdict) >= by_verdict(policy, verdict));
                }
                for reason in Reason::ALL {
                    prop_assert!(by_reason(&merged, *reason) >= by_reason(policy, *reason));
                }
            }
            prop_assert!(edits(&merged) == policies.iter().any(|policy| edits(policy)));
            for reason in Reason::ALL {
                if let action @ MessageAction::Dispose(_) = on_message(&merged, *reason) {
                    // Each asks for it, because of the reason or of its verdict.
                    for policy in &policies {
                        let by_verdict = on_verdict(policy, reason.verdict());
                        prop_assert!([on_message(policy, *reason), by_verdict].contains(&action));
                    }
                }
            }
        }

        #[test]
        fn the_order_of_recipients_does_not_matter(
            one in policy().prop_map(Arc::new), other in policy().prop_map(Arc::new)
        ) {
            let there = merge(&[Arc::clone(&one), Arc::clone(&other)]).unwrap();
            let back = merge(&[other, one]).unwrap();
            prop_assert_eq!(&there.rule, &back.rule);
            prop_assert_eq!(there.mode, back.mode);
            prop_assert_eq!(&there.link_actions, &back.link_actions);
            prop_assert_eq!(&there.message_actions, &back.message_actions);
        }
    }
}
