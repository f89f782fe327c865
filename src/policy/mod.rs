//! Rules and lists: which settings apply to this envelope.
//!
//! This module does no I/O: [`crate::config`](../config/index.html) reads the files and passes their contents.
//! The order of decision, for each recipient:
//!
//! | step | what | where |
//! | --- | --- | --- |
//! | 1 | exemptions: authenticated client, listed network, listed sender with a DMARC pass | [`Exemptions`] |
//! | 2 | the first rule of which all conditions hold, else the default settings | [`Rule`] |
//! | 3 | recipients that are report-only whatever the rule says (`abuse@`, `postmaster@`) | [`Exemptions::report_only`] |
//! | 4 | one policy for all recipients: the strictest for edits, agreement for the rest | `merge.rs` |
//! | 5 | actions that the path does not allow are removed (no rejection outside SMTP) | [`Path`] |

mod auth;
mod contacts;
mod envelope;
mod header_test;
mod local_mail;
mod merge;
mod network;
mod pattern;
mod rule;
mod rules;
mod upstream;

use std::sync::Arc;

use rules::Rules;

use crate::engine;
use crate::engine::outcome::Disposition;
use crate::engine::policy::{Actions, Defang, Linkify, MessageAction, Mode, OnAmbiguous};

pub use auth::dmarc_pass;
pub use contacts::{AddressPair, AddressPairs, Flow};
pub use envelope::{Author, Direction, Envelope, ListMail, Path};
pub use header_test::{HeaderTest, HeaderTestError};
pub use local_mail::{Leaving, LocalMail};
pub use network::{Network, NetworkError, is_loopback};
pub use pattern::{Address, Pattern, ascii_domain, ipv6_host, is_below};
pub use rule::{Conditions, DefangFrom, Overrides, Parties, Profile, Rule};
pub use upstream::{Trust, TrustedField, Upstream};

/// Mail that is judged and reported, but never edited.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Exemptions {
    /// Whether clients that authenticated are exempt.
    pub authenticated: Authenticated,
    /// Networks whose clients are exempt. Loopback is not among them unless listed.
    pub networks: Vec<Network>,
    /// Senders (the From field) that are exempt if DMARC passes.
    pub senders: Vec<Pattern>,
    /// The authserv-id of our own server (RFC 8601 §2.2). Without it no sender is exempt.
    pub authserv_id: Option<String>,
    /// Recipients whose mail is never changed or rejected.
    pub report_only: Vec<Pattern>,
}

/// How messages of authenticated clients are treated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Authenticated {
    /// They are reported, not edited.
    #[default]
    Exempt,
    /// They are treated like all others.
    Judged,
}

/// The settings of one configuration, from which those for an envelope are selected.
#[derive(Clone, Debug)]
pub struct Policies {
    default: Arc<engine::Policy>,
    rules: Rules,
    exemptions: Exemptions,
    local_mail: LocalMail,
    upstream: Upstream,
}

/// The settings for one message, and the rules behind them.
#[derive(Clone, Debug)]
pub struct Selection {
    pub policy: Arc<engine::Policy>,
    /// One for each recipient, in order; one with an empty recipient when there was none.
    pub applied: Vec<AppliedRule>,
}

/// The rule that applies to one recipient.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AppliedRule {
    pub recipient: String,
    /// Name of the rule; `default` if none matched.
    pub rule: String,
    pub profile: Profile,
}

impl Policies {
    /// `rules` are tried in order, and their names are distinct. The settings of a rule are `base` with its overrides and
    /// its profile. `profile` counts if no rule sets one.
    pub fn new(
        base: engine::Policy,
        profile: Profile,
        rules: Vec<Rule>,
        exemptions: Exemptions,
    ) -> Policies {
        let rules = Rules::new(&base, profile, rules);
        let default = Arc::new(profile.apply(base));
        let (local_mail, upstream) = (LocalMail::default(), Upstream::default());
        Policies { default, rules, exemptions, local_mail, upstream }
    }

    /// The same settings, with local domains.
    #[must_use]
    pub fn with_local_mail(self, local_mail: LocalMail) -> Policies {
        Policies { local_mail, ..self }
    }

    /// The same settings, with other servers of ours.
    #[must_use]
    pub fn with_upstream(self, upstream: Upstream) -> Policies {
        Policies { upstream, ..self }
    }

    /// The fields of our own servers that some rule checks, for [`Envelope::trusted_fields`]. `fields` are names and
    /// values from the top, `host` is the name that the MTA gives itself.
    pub fn trusted_fields<'h>(
        &self,
        fields: impl Iterator<Item = (&'h [u8], &'h [u8])>,
        host: &str,
    ) -> Vec<TrustedField> {
        match self.rules.check_fields() {
            true => self.upstream.trusted_fields(fields, host, |name| self.rules.check_field(name)),
            false => Vec::new(),
        }
    }

    /// The settings if nothing is known of the envelope, as on the command line.
    pub fn default_policy(&self) -> Arc<engine::Policy> {
        Arc::clone(&self.default)
    }

    /// The settings for a message without an envelope, of which only the header is known: those of the first matching rule
    /// whose conditions are all on the header, or the default. An author who is exempt is so here too.
    pub fn select_by_header(&self, envelope: &Envelope) -> Arc<engine::Policy> {
        let nobody = Address::default();
        let parties = Parties { sender: &nobody, recipient: &nobody };
        let matching = self.rules.for_recipient(&nobody).filter(|(rule, _)| {
            let conditions = &rule.conditions;
            conditions.check_header_only() && conditions.hold(envelope, Direction::Inbound, parties)
        });
        let choice = Choice { rules: self.applicable(matching), report_only: false };
        self.exempted_if(envelope, choice.policy(&self.default))
    }

    /// The settings for this envelope.
    pub fn select(&self, envelope: &Envelope) -> Selection {
        let direction = self.direction(envelope);
        let sender = Address::of(&envelope.sender);
        let none = [String::new()];
        let recipients: &[String] =
            if envelope.recipients.is_empty() { &none } else { &envelope.recipients };
        let mut applied = Vec::with_capacity(recipients.len());
        let mut distinct: Vec<(Choice, Arc<engine::Policy>)> = Vec::new();
        for recipient in recipients {
            let to = Address::of(recipient);
            let parties = Parties { sender: &sender, recipient: &to };
            let choice = self.choice(envelope, direction, parties);
            let known = distinct.iter().find(|(known, _)| known.is_same(&choice));
            let policy = match known {
                Some((_, policy)) => Arc::clone(policy),
                None => {
                    let policy = choice.policy(&self.default);
                    distinct.push((choice, Arc::clone(&policy)));
                    policy
                }
            };
            applied.push(AppliedRule {
                recipient: recipient.clone(),
                rule: policy.rule.clone(),
                profile: Profile::of(&policy),
            });
        }
        let distinct: Vec<_> = distinct.into_iter().map(|(_, policy)| policy).collect();
        let policy = merge::merge(&distinct).unwrap_or_else(|| Arc::clone(&self.default));
        let policy = self.exempted_if(envelope, policy);
        Selection { policy: adapt_to_path(policy, envelope.path), applied }
    }

    /// These settings, for a message that is not edited if it is exempt.
    fn exempted_if(&self, envelope: &Envelope, policy: Arc<engine::Policy>) -> Arc<engine::Policy> {
        match self.exemption(envelope) {
            Some(reason) => Arc::new(exempted(&policy, reason)),
            None => policy,
        }
    }

    /// The DMARC result of our own server for the author's domain. If no authserv-id is configured it is the name of the
    /// MTA, as servers have it by default.
    pub fn dmarc(&self, envelope: &Envelope, mta: &str) -> engine::Dmarc {
        let id = self.exemptions.authserv_id.as_deref().unwrap_or(mta);
        let Author::One(from) = &envelope.author else { return engine::Dmarc::Unknown };
        let Some((_, domain)) = from.rsplit_once('@') else { return engine::Dmarc::Unknown };
        auth::dmarc_result(&envelope.auth_results, id, domain)
    }

    /// The author's domain if our own server, whose name is of that domain, confirmed it: its mail is from one recipient
    /// to another.
    pub fn own_domain(&self, envelope: &Envelope) -> Option<String> {
        let id = self.exemptions.authserv_id.as_deref()?;
        let Author::One(from) = &envelope.author else { return None };
        let domain = pattern::ascii_domain(from.rsplit_once('@')?.1)?;
        let is_own = pattern::is_below(&pattern::ascii_domain(id)?, &domain)
            && self.dmarc(envelope, id) == engine::Dmarc::Pass;
        is_own.then_some(domain)
    }

    /// The direction of the message, as far as the envelope shows it.
    pub fn direction(&self, envelope: &Envelope) -> Direction {
        if envelope.path == Path::NonSmtpd {
            Direction::Local
        } else if envelope.authenticated.is_some() || self.is_from_listed_network(envelope) {
            Direction::Outbound
        } else {
            Direction::Inbound
        }
    }

    /// Whether the message leaves this installation: it is our own and some recipient is not local. Mail from a
    /// client outside of our networks is not known to be our own.
    pub fn leaving(&self, envelope: &Envelope) -> Leaving {
        match self.direction(envelope) {
            Direction::Inbound if !self.local_mail.is_own_client(envelope) => Leaving::No,
            _ => self.local_mail.leaving(envelope),
        }
    }

    /// Whether the message comes from outside and goes to a local recipient.
    pub fn is_from_outside(&self, envelope: &Envelope) -> bool {
        self.local_mail.has_domains()
            && self.direction(envelope) == Direction::Inbound
            && !self.local_mail.is_own_client(envelope)
            && self.local_mail.leaving(envelope) != Leaving::Wholly
    }

    fn choice(&self, envelope: &Envelope, direction: Direction, parties: Parties<'_>) -> Choice {
        let holds = |rule: &Rule| rule.conditions.hold(envelope, direction, parties);
        let matching = self.rules.for_recipient(parties.recipient).filter(|(rule, _)| holds(rule));
        let report_only = &self.exemptions.report_only;
        Choice {
            rules: self.applicable(matching),
            report_only: report_only.iter().any(|pattern| pattern.matches(parties.recipient)),
        }
    }

    /// The first of the matching rules. If it checks a field that a stranger may have written, it must not loosen
    /// anything: then the rules that would apply without the field apply as well.
    fn applicable<'r>(
        &self,
        matching: impl Iterator<Item = &'r (Rule, Arc<engine::Policy>)>,
    ) -> Vec<Arc<engine::Policy>> {
        let mut applicable = Vec::new();
        for (rule, policy) in matching {
            applicable.push(Arc::clone(policy));
            if self.upstream.trust == Trust::Anywhere || rule.conditions.headers.is_empty() {
                return applicable;
            }
        }
        applicable.push(Arc::clone(&self.default));
        applicable
    }

    /// Why the whole message is exempt, as one word.
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
        let author = Address::of(from);
        let listed = exemptions.senders.iter().any(|pattern| pattern.matches(&author));
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

/// Which settings a recipient gets.
#[derive(Debug)]
struct Choice {
    /// The rule, and those that it must not loosen.
    rules: Vec<Arc<engine::Policy>>,
    report_only: bool,
}

impl Choice {
    /// Whether both lead to the same settings.
    fn is_same(&self, other: &Choice) -> bool {
        let pairs = || self.rules.iter().zip(&other.rules);
        self.report_only == other.report_only
            && self.rules.len() == other.rules.len()
            && pairs().all(|(one, other)| Arc::ptr_eq(one, other))
    }

    fn policy(&self, default: &Arc<engine::Policy>) -> Arc<engine::Policy> {
        let policy = merge::strictest(&self.rules).unwrap_or_else(|| Arc::clone(default));
        if self.report_only { Arc::new(report_only(&policy)) } else { policy }
    }
}

/// The same settings for a message that is judged and reported, and never edited. `reason` says why.
pub fn exempted(policy: &engine::Policy, reason: &str) -> engine::Policy {
    engine::Policy { exempt: Some(reason.to_owned()), ..report_only_actions(policy) }
}

/// The same settings in report-only mode: nothing is changed or rejected.
fn report_only(policy: &engine::Policy) -> engine::Policy {
    engine::Policy {
        mode: Mode::ReportOnly,
        rule: format!("{}/report-only", policy.rule),
        ..report_only_actions(policy)
    }
}

/// Removes all actions on the message as a whole, and edits that no verdict asks for.
fn report_only_actions(policy: &engine::Policy) -> engine::Policy {
    let mut policy = policy.clone();
    policy.defang = Defang::Judged;
    policy.linkify = Linkify::Off;
    policy.message_actions = Actions::default();
    policy.on_error = Disposition::Accept;
    policy.on_limit = Disposition::Accept;
    policy.on_exhausted = Disposition::Accept;
    policy.on_opaque = Disposition::Accept;
    policy.on_ambiguous = OnAmbiguous::Accept;
    policy
}

/// Removes rejections and deferrals outside of SMTP, where there is no client to answer. Postfix would bounce the
/// submitter's own mail, or keep it in the queue for ever, since a retry ends the same.
fn adapt_to_path(policy: Arc<engine::Policy>, path: Path) -> Arc<engine::Policy> {
    let possible = |disposition: Disposition| {
        path == Path::Smtpd || !matches!(disposition, Disposition::Reject | Disposition::Tempfail)
    };
    let keeps = |action: &MessageAction| match action {
        MessageAction::Dispose(disposition) => possible(*disposition),
        MessageAction::Header | MessageAction::SubjectTag => true,
    };
    if policy.message_actions.values().all(keeps)
        && [policy.on_error, policy.on_limit, policy.on_exhausted, policy.on_opaque]
            .into_iter()
            .all(possible)
    {
        return policy;
    }
    let mut policy = engine::Policy::clone(&policy);
    policy.message_actions.retain(keeps);
    let changed = &mut policy;
    for disposition in [
        &mut changed.on_error,
        &mut changed.on_limit,
        &mut changed.on_exhausted,
        &mut changed.on_opaque,
    ] {
        if !possible(*disposition) {
            *disposition = Disposition::Accept;
        }
    }
    Arc::new(policy)
}
