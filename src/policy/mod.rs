//! Rules and lists: which settings hold for this envelope.
//!
//! Pure: files are read by [`crate::config`](../config/index.html), which hands the contents in.
//! The order of decision, for each recipient:
//!
//! | step | what | where |
//! | --- | --- | --- |
//! | 1 | exemptions: authenticated client, listed network, listed sender with a DMARC pass | [`Exemptions`] |
//! | 2 | the first rule whose every condition holds, else the default settings | [`Rule`] |
//! | 3 | recipients that are report-only whatever the rule says (`abuse@`, `postmaster@`) | [`Exemptions::report_only`] |
//! | 4 | one answer for all recipients: the stricter for edits, agreement for the rest | `merge.rs` |
//! | 5 | what the path cannot do (no refusal outside SMTP) is taken out | [`Path`] |

mod auth;
mod envelope;
mod house;
mod merge;
mod network;
mod pattern;
mod rule;

use std::sync::Arc;

use crate::engine;
use crate::engine::outcome::Disposition;
use crate::engine::policy::{MessageAction, Mode, OnAmbiguous};

pub use auth::dmarc_pass;
pub use envelope::{Author, Direction, Envelope, ListMail, Path};
pub use house::{House, Way};
pub use network::{Network, NetworkError};
pub use pattern::{Pattern, is_below};
pub use rule::{Conditions, Overrides, Profile, Rule};

/// Who is judged and reported, but never edited.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Exemptions {
    /// Whether clients that authenticated are exempt.
    pub authenticated: Authenticated,
    /// Networks whose clients are exempt. Loopback is not among them unless listed.
    pub networks: Vec<Network>,
    /// Senders (the From field) that are exempt, when DMARC says that they are who they say.
    pub senders: Vec<Pattern>,
    /// The authserv-id of our own server (RFC 8601 §2.2); without it no sender is exempt.
    pub authserv_id: Option<String>,
    /// Recipients for whom nothing is ever changed or refused.
    pub report_only: Vec<Pattern>,
}

/// What authentication earns a client.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Authenticated {
    /// Its messages are reported, not edited.
    #[default]
    Exempt,
    /// Its messages are judged like everybody's.
    Judged,
}

/// The settings of one configuration, ready to be asked for an envelope.
#[derive(Clone, Debug)]
pub struct Policies {
    default: Arc<engine::Policy>,
    rules: Vec<(Rule, Arc<engine::Policy>)>,
    exemptions: Exemptions,
    house: House,
}

/// The settings for one message, and how they came about.
#[derive(Clone, Debug)]
pub struct Selection {
    pub policy: Arc<engine::Policy>,
    /// One for each recipient, in order; one with an empty recipient when there was none.
    pub applied: Vec<Applied>,
}

/// The rule that holds for one recipient.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Applied {
    pub recipient: String,
    /// The rule's name; `default` when none matched.
    pub rule: String,
    pub profile: Profile,
}

impl Policies {
    /// `rules` are tried in order, their names are distinct. A rule's overrides are laid over
    /// `base`, then its profile; `profile` is for what no rule decides.
    pub fn new(
        base: engine::Policy,
        profile: Profile,
        rules: Vec<Rule>,
        exemptions: Exemptions,
    ) -> Policies {
        let rules = rules
            .into_iter()
            .map(|rule| {
                let policy = Arc::new(rule.applied_to(&base, profile));
                (rule, policy)
            })
            .collect();
        let default = Arc::new(profile.apply(base));
        Policies { default, rules, exemptions, house: House::default() }
    }

    /// The same settings, of a house that knows which mail leaves it.
    #[must_use]
    pub fn of_house(self, house: House) -> Policies {
        Policies { house, ..self }
    }

    /// The settings when nothing is known of the envelope, as on the command line.
    pub fn default_policy(&self) -> Arc<engine::Policy> {
        Arc::clone(&self.default)
    }

    /// The settings for this envelope.
    pub fn select(&self, envelope: &Envelope) -> Selection {
        let direction = self.direction(envelope);
        let none = [String::new()];
        let recipients: &[String] =
            if envelope.recipients.is_empty() { &none } else { &envelope.recipients };
        let mut applied = Vec::with_capacity(recipients.len());
        let mut distinct: Vec<Arc<engine::Policy>> = Vec::new();
        for recipient in recipients {
            let policy = self.for_recipient(envelope, direction, recipient);
            applied.push(Applied {
                recipient: recipient.clone(),
                rule: policy.rule.clone(),
                profile: Profile::of(&policy),
            });
            if !distinct.iter().any(|other| merge::same(other, &policy)) {
                distinct.push(policy);
            }
        }
        let policy = merge::all(&distinct).unwrap_or_else(|| Arc::clone(&self.default));
        let policy = match self.exemption(envelope) {
            Some(reason) => Arc::new(exempted(&policy, reason)),
            None => policy,
        };
        Selection { policy: on_path(policy, envelope.path), applied }
    }

    /// Where the message is going, as far as the envelope tells.
    pub fn direction(&self, envelope: &Envelope) -> Direction {
        if envelope.path == Path::NonSmtpd {
            Direction::Local
        } else if envelope.authenticated.is_some() || self.is_from_listed_network(envelope) {
            Direction::Outbound
        } else {
            Direction::Inbound
        }
    }

    /// Whether the message leaves the house: it comes from us and goes to nobody of ours. Where a client
    /// from outside may hand out mail, what it carries is not known to be ours.
    pub fn way(&self, envelope: &Envelope) -> Way {
        match self.direction(envelope) {
            Direction::Inbound if !self.house.hands_out(envelope) => Way::Stays,
            _ => self.house.way_out(envelope),
        }
    }

    /// The same settings for a message that is judged and reported, whatever is in it.
    pub fn told_only(policy: &engine::Policy, reason: &str) -> engine::Policy {
        exempted(policy, reason)
    }

    fn for_recipient(
        &self,
        envelope: &Envelope,
        direction: Direction,
        recipient: &str,
    ) -> Arc<engine::Policy> {
        let policy = self
            .rules
            .iter()
            .find(|(rule, _)| rule.conditions.hold(envelope, direction, recipient))
            .map_or(&self.default, |(_, policy)| policy);
        if self.exemptions.report_only.iter().any(|pattern| pattern.matches(recipient)) {
            return Arc::new(report_only(policy));
        }
        Arc::clone(policy)
    }

    /// Why the whole message is exempt, in a word.
    fn exemption(&self, envelope: &Envelope) -> Option<&'static str> {
        let exemptions = &self.exemptions;
        if envelope.authenticated.is_some() && exemptions.authenticated == Authenticated::Exempt {
            return Some("authenticated");
        }
        if self.is_from_listed_network(envelope) {
            return Some("network");
        }
        let Author::One(from) = &envelope.author else { return None };
        let authserv_id = exemptions.authserv_id.as_deref()?;
        let (_, domain) = from.rsplit_once('@')?;
        let listed = exemptions.senders.iter().any(|pattern| pattern.matches(from));
        let pass = listed && dmarc_pass(&envelope.auth_results, authserv_id, domain);
        pass.then_some("sender")
    }

    fn is_from_listed_network(&self, envelope: &Envelope) -> bool {
        envelope.path == Path::Smtpd
            && envelope.client.is_some_and(|client| {
                self.exemptions.networks.iter().any(|network| network.contains(client))
            })
    }
}

/// The same settings, with nothing edited on account of `reason`.
fn exempted(policy: &engine::Policy, reason: &str) -> engine::Policy {
    engine::Policy { exempt: Some(reason.to_owned()), ..report_only_actions(policy) }
}

/// The same settings in report-only mode: nothing changed, nothing refused.
fn report_only(policy: &engine::Policy) -> engine::Policy {
    engine::Policy {
        mode: Mode::ReportOnly,
        rule: format!("{}/report-only", policy.rule),
        ..report_only_actions(policy)
    }
}

/// Takes out what would be done to the message as a whole.
fn report_only_actions(policy: &engine::Policy) -> engine::Policy {
    let mut policy = policy.clone();
    policy.message_actions.clear();
    policy.reason_message_actions.clear();
    policy.on_error = Disposition::Accept;
    policy.on_limit = Disposition::Accept;
    policy.on_exhausted = Disposition::Accept;
    policy.on_opaque = Disposition::Accept;
    policy.on_ambiguous = OnAmbiguous::Accept;
    policy
}

/// Outside SMTP nobody is there to be refused: Postfix would bounce the submitter's own mail, or
/// keep it in the queue for ever, since a retry ends the same.
fn on_path(policy: Arc<engine::Policy>, path: Path) -> Arc<engine::Policy> {
    let possible = |disposition: Disposition| {
        path == Path::Smtpd || !matches!(disposition, Disposition::Reject | Disposition::Tempfail)
    };
    let keeps = |action: &MessageAction| match action {
        MessageAction::Dispose(disposition) => possible(*disposition),
        MessageAction::Header | MessageAction::SubjectTag => true,
    };
    if policy.message_actions.values().all(keeps)
        && policy.reason_message_actions.values().all(keeps)
        && [policy.on_error, policy.on_limit, policy.on_exhausted, policy.on_opaque]
            .into_iter()
            .all(possible)
    {
        return policy;
    }
    let mut policy = engine::Policy::clone(&policy);
    policy.message_actions.retain(|_, action| keeps(action));
    policy.reason_message_actions.retain(|_, action| keeps(action));
    let own = &mut policy;
    for disposition in
        [&mut own.on_error, &mut own.on_limit, &mut own.on_exhausted, &mut own.on_opaque]
    {
        if !possible(*disposition) {
            *disposition = Disposition::Accept;
        }
    }
    Arc::new(policy)
}
