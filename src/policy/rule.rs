//! A rule: conditions on the envelope, and the settings that it changes.

use std::sync::Arc;

use crate::engine;
use crate::engine::host::Names;
use crate::engine::lists::EntryHashes;
use crate::engine::policy::{
    Actions, Defang, HtmlAttachments, LinkAction, Linkify, MessageAction, Mode, Notice,
    RestrictionLevel, Signed,
};

use super::pattern::Address;
use super::{Direction, Envelope, HeaderTest, ListMail, Network, Pattern};

word_enum! {
    /// How far the filter goes, in one word.
    #[derive(Default, PartialOrd, Ord)]
    pub enum Profile {
        /// Judged and reported as exempt; nothing changes.
        Exempt = "exempt",
        /// Judged and reported; nothing changes.
        ReportOnly = "report-only",
        /// Unsafe and invalid links are edited.
        #[default]
        Enforce = "enforce",
        /// Suspect links are edited as well.
        Strict = "strict",
    }
}

word_enum! {
    /// Which links of a message are defanged.
    pub enum DefangFrom {
        /// All links, whatever their verdict: nothing in the message can be clicked.
        All = "all",
        /// Those of verdict `suspect` and worse.
        Suspect = "suspect",
        /// Those of verdict `unsafe` and worse.
        Unsafe = "unsafe",
    }
}

/// When a rule applies: all conditions must hold. An empty list and `None` always hold.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Conditions {
    /// The envelope sender matches one of these.
    pub senders: Vec<Pattern>,
    /// The recipient matches one of these.
    pub recipients: Vec<Pattern>,
    /// The client is in one of these.
    pub networks: Vec<Network>,
    /// Whether the client authenticated.
    pub authenticated: Option<bool>,
    pub list_mail: Option<bool>,
    pub direction: Option<Direction>,
    /// A trusted header field matches one of these.
    pub headers: Vec<HeaderTest>,
}

/// Sender and recipient of a message.
#[derive(Clone, Copy, Debug)]
pub struct Parties<'a> {
    pub sender: &'a Address,
    pub recipient: &'a Address,
}

/// Settings that a rule changes. `None` and an empty value leave the default.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Overrides {
    pub profile: Option<Profile>,
    pub defang: Option<DefangFrom>,
    /// Names that are protected besides the default ones. These and all names below are in lower-case ASCII form.
    pub protected: Vec<String>,
    /// Hosts that are unsafe, with their subdomains.
    pub blocked: Vec<String>,
    /// Hosts that are never edited, with their subdomains.
    pub allowed: Vec<String>,
    pub level: Option<RestrictionLevel>,
    pub signed: Option<Signed>,
    pub linkify: Option<Linkify>,
    pub notice: Option<Notice>,
    pub html_attachments: Option<HtmlAttachments>,
    pub subject_tag: Option<String>,
    pub link_actions: Actions<LinkAction>,
    pub message_actions: Actions<MessageAction>,
}

/// A named rule.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rule {
    pub name: String,
    pub conditions: Conditions,
    pub overrides: Overrides,
}

impl Profile {
    /// The profile of these settings.
    pub fn of(policy: &engine::Policy) -> Profile {
        match (&policy.exempt, policy.mode) {
            (Some(_), _) => Profile::Exempt,
            (None, Mode::ReportOnly) => Profile::ReportOnly,
            (None, Mode::Enforce) => Profile::Enforce,
            (None, Mode::Strict) => Profile::Strict,
        }
    }

    /// Applies the profile to the settings. With report-only and exempt nothing is rejected either.
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
}

impl Conditions {
    /// Whether every condition holds.
    pub fn hold(&self, envelope: &Envelope, direction: Direction, parties: Parties<'_>) -> bool {
        let matches = |patterns: &[Pattern], address: &Address| {
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
            && (self.headers.is_empty()
                || self.headers.iter().any(|header| header.holds(&envelope.trusted_fields)))
            && matches(&self.senders, parties.sender)
            && matches(&self.recipients, parties.recipient)
    }

    /// Whether every condition is on the header: of list mail, or of trusted fields.
    pub fn check_header_only(&self) -> bool {
        let others = Conditions { list_mail: None, headers: Vec::new(), ..self.clone() };
        others == Conditions::default()
    }
}

impl Rule {
    /// `base` with the overrides of the rule and its profile; with `profile` if the rule has none.
    pub fn applied_to(&self, base: &engine::Policy, profile: Profile) -> engine::Policy {
        let changes = &self.overrides;
        let mut policy = engine::Policy { rule: self.name.clone(), ..base.clone() };
        replace(&mut policy.level, changes.level);
        replace(&mut policy.signed, changes.signed);
        replace(&mut policy.linkify, changes.linkify);
        replace(&mut policy.notice, changes.notice);
        replace(&mut policy.html_attachments, changes.html_attachments);
        replace(&mut policy.subject_tag, changes.subject_tag.clone());
        if !changes.protected.is_empty() {
            policy.lists.protected.push(Arc::new(Names::new(&changes.protected)));
        }
        for (names, tables) in [
            (&changes.blocked, &mut policy.lists.blocked),
            (&changes.allowed, &mut policy.lists.allowed),
        ] {
            if !names.is_empty() {
                tables.push(Arc::new(EntryHashes::of_names(names)));
            }
        }
        policy.link_actions.extend(&changes.link_actions);
        policy.message_actions.extend(&changes.message_actions);
        // Last: a profile without changes must also remove the actions of the base.
        let mut policy = changes.profile.unwrap_or(profile).apply(policy);
        let edits = policy.exempt.is_none() && policy.mode != Mode::ReportOnly;
        if let Some(from) = changes.defang.filter(|_| edits) {
            policy.mode = if from == DefangFrom::Unsafe { Mode::Enforce } else { Mode::Strict };
            policy.defang = if from == DefangFrom::All { Defang::All } else { Defang::Judged };
        }
        policy
    }
}

fn replace<T>(setting: &mut T, change: Option<T>) {
    if let Some(value) = change {
        *setting = value;
    }
}
