//! A rule: conditions on the envelope, and what it changes in the settings.

use std::collections::BTreeMap;

use crate::engine;
use crate::engine::outcome::{Reason, Verdict};
use crate::engine::policy::{
    HtmlAttachments, LinkAction, Linkify, MessageAction, Mode, Notice, RestrictionLevel, Signed,
};

use super::{Direction, Envelope, ListMail, Network, Pattern};

/// How far the filter goes, in one word.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Profile {
    /// Judged and reported as exempt; nothing changes.
    Exempt,
    /// Judged and reported; nothing changes.
    ReportOnly,
    /// Unsafe and invalid links are edited.
    #[default]
    Enforce,
    /// Suspect links are edited as well.
    Strict,
}

/// What must hold for a rule to apply. An empty list and `None` hold always.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Conditions {
    /// The envelope sender fits one of these.
    pub senders: Vec<Pattern>,
    /// The recipient fits one of these.
    pub recipients: Vec<Pattern>,
    /// The client is in one of these.
    pub networks: Vec<Network>,
    /// Whether the client authenticated.
    pub authenticated: Option<bool>,
    /// Whether it is list mail.
    pub list_mail: Option<bool>,
    pub direction: Option<Direction>,
}

/// Settings that a rule changes; `None` and empty leave the default.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Overrides {
    pub profile: Option<Profile>,
    pub level: Option<RestrictionLevel>,
    pub signed: Option<Signed>,
    pub linkify: Option<Linkify>,
    pub notice: Option<Notice>,
    pub html_attachments: Option<HtmlAttachments>,
    pub subject_tag: Option<String>,
    pub verdict_actions: BTreeMap<Verdict, LinkAction>,
    pub reason_actions: BTreeMap<Reason, LinkAction>,
    pub message_actions: BTreeMap<Verdict, MessageAction>,
    pub reason_message_actions: BTreeMap<Reason, MessageAction>,
}

/// A named rule.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rule {
    pub name: String,
    pub conditions: Conditions,
    pub overrides: Overrides,
}

impl Profile {
    /// The profile that these settings amount to.
    pub fn of(policy: &engine::Policy) -> Profile {
        match (&policy.exempt, policy.mode) {
            (Some(_), _) => Profile::Exempt,
            (None, Mode::ReportOnly) => Profile::ReportOnly,
            (None, Mode::Enforce) => Profile::Enforce,
            (None, Mode::Strict) => Profile::Strict,
        }
    }

    /// Lays the profile over the settings. Report-only and exempt refuse nothing either.
    pub fn apply(self, policy: engine::Policy) -> engine::Policy {
        match self {
            Profile::Exempt => super::exempted(&policy, "profile"),
            Profile::ReportOnly => engine::Policy {
                mode: Mode::ReportOnly,
                exempt: None,
                ..super::report_only_actions(&policy)
            },
            Profile::Enforce => engine::Policy { mode: Mode::Enforce, exempt: None, ..policy },
            Profile::Strict => engine::Policy { mode: Mode::Strict, exempt: None, ..policy },
        }
    }

    /// The word used in the configuration, in `explain` and in the journal.
    pub const fn as_str(self) -> &'static str {
        match self {
            Profile::Exempt => "exempt",
            Profile::ReportOnly => "report-only",
            Profile::Enforce => "enforce",
            Profile::Strict => "strict",
        }
    }
}

impl Conditions {
    /// Whether every condition holds.
    pub fn hold(&self, envelope: &Envelope, direction: Direction, recipient: &str) -> bool {
        let fits = |patterns: &[Pattern], address: &str| {
            patterns.is_empty() || patterns.iter().any(|pattern| pattern.matches(address))
        };
        let in_networks = self.networks.is_empty()
            || envelope
                .client
                .is_some_and(|client| self.networks.iter().any(|network| network.contains(client)));
        in_networks
            && self.authenticated.is_none_or(|wanted| wanted == envelope.authenticated.is_some())
            && self.list_mail.is_none_or(|wanted| wanted == (envelope.list_mail == ListMail::Yes))
            && self.direction.is_none_or(|wanted| wanted == direction)
            && fits(&self.senders, &envelope.sender)
            && fits(&self.recipients, recipient)
    }
}

impl Rule {
    /// `base` with the rule's overrides and its profile, or `profile`, laid over it.
    pub fn applied_to(&self, base: &engine::Policy, profile: Profile) -> engine::Policy {
        let changes = &self.overrides;
        let mut policy = engine::Policy { rule: self.name.clone(), ..base.clone() };
        replace(&mut policy.level, changes.level);
        replace(&mut policy.signed, changes.signed);
        replace(&mut policy.linkify, changes.linkify);
        replace(&mut policy.notice, changes.notice);
        replace(&mut policy.html_attachments, changes.html_attachments);
        replace(&mut policy.subject_tag, changes.subject_tag.clone());
        policy.verdict_actions.extend(&changes.verdict_actions);
        policy.reason_actions.extend(&changes.reason_actions);
        policy.message_actions.extend(&changes.message_actions);
        policy.reason_message_actions.extend(&changes.reason_message_actions);
        // Last: a profile that changes nothing takes back what the base would do.
        changes.profile.unwrap_or(profile).apply(policy)
    }
}

fn replace<T>(setting: &mut T, change: Option<T>) {
    if let Some(value) = change {
        *setting = value;
    }
}
