//! Values that are valid alone but not in combination.

use crate::policy::{HeaderTest, Profile, Trust};

use super::problem::{BUILTIN, Problem, invalid_names, origin_below};
use super::types::{Schedule, SmtpTls, Transport, collide, is_local};
use super::words::{self, MAX_BANNER_CHARS};
use super::{Config, Exempt, RuleSection};

/// Names that one rule protects. They are prepared for every message of the rule.
const MAX_PROTECTED_PER_RULE: usize = 100;

/// Every combination that cannot work.
pub(super) fn invalid_combinations(config: &Config) -> Vec<Problem> {
    let mut checks = Checks { config, found: Vec::new() };
    checks.listening();
    checks.times_and_sizes();
    checks.policy();
    for (name, rule) in &config.rules {
        checks.rule(name, rule);
    }
    checks.banner();
    checks.exempt();
    checks.digest();
    let mut found = checks.found;
    found.extend(invalid_names(config, "rules", config.rules.keys()));
    found.extend(super::feeds::invalid_combinations(config));
    found.extend(super::blocklists::invalid_combinations(config));
    for missing in found.iter_mut().filter(|missing| missing.key == "exempt.authserv_id") {
        missing.origin = origin_of_authserv_id_use(config);
    }
    found
}

/// The checks of one configuration, and what they have found.
struct Checks<'a> {
    config: &'a Config,
    found: Vec<Problem>,
}

impl Checks<'_> {
    fn refuse(&mut self, key: &str, expected: &str) {
        self.found.push(Problem::of_setting(self.config, key, expected));
    }

    fn listening(&mut self) {
        let (server, metrics) = (&self.config.server, &self.config.metrics);
        if server.listen.is_empty() {
            self.refuse("server.listen", "at least one address");
        }
        let together = collide(server.listen.iter());
        if together {
            self.refuse(
                "server.listen",
                "each address once, however it is written: a socket cannot be opened twice",
            );
        }
        let Some(address) = &metrics.listen else { return };
        if !is_local(address) && !metrics.beyond_loopback {
            self.refuse(
                "metrics.listen",
                "a loopback address or unix:/PATH, or metrics.beyond_loopback = true with it, and \
                 metrics.token_file: else whoever connects may read",
            );
        }
        if !together && collide(server.listen.iter().chain([address])) {
            self.refuse("metrics.listen", "another address than those of server.listen");
        }
    }

    fn times_and_sizes(&mut self) {
        let (server, dns) = (&self.config.server, &self.config.dns);
        if dns.positive_min > dns.positive_max {
            self.refuse_order("dns.positive_min", "at most", ("dns.positive_max", "at least"));
        }
        if dns.negative_min > dns.negative_max {
            self.refuse_order("dns.negative_min", "at most", ("dns.negative_max", "at least"));
        }
        if dns.deadline >= server.message_timeout {
            let timeout = ("server.message_timeout", "more than");
            self.refuse_order("dns.deadline", "less than", timeout);
        }
        if server.max_message > server.max_memory {
            let memory = ("server.max_memory", "at least");
            self.refuse_order("server.max_message", "at most", memory);
        }
    }

    /// Refuses two settings that do not fit each other, at the one that somebody wrote; at the first if both are
    /// written.
    fn refuse_order(&mut self, one: &str, than: &str, (other, than_one): (&str, &str)) {
        let effective = &self.config.effective;
        let setting = |key: &str| effective.iter().find(|setting| setting.key == key);
        let is_written = |key| setting(key).is_some_and(|setting| setting.origin != BUILTIN);
        let (key, than, other) = match is_written(other) && !is_written(one) {
            true => (other, than_one, one),
            false => (one, than, other),
        };
        let of_other = setting(other).map(|setting| {
            let place = if setting.origin == BUILTIN { ", built-in" } else { "" };
            format!(" ({}{place})", setting.value.trim_matches('"'))
        });
        self.refuse(key, &format!("{than} {other}{}", of_other.unwrap_or_default()));
    }

    fn policy(&mut self) {
        let policy = &self.config.policy;
        if !policy.reject_text.is_ascii() || policy.reject_text.len() > 400 {
            self.refuse(
                "policy.reject_text",
                "at most 400 characters of ASCII: an SMTP reply is a line",
            );
        }
        self.subject_tag("policy.subject_tag", &policy.subject_tag);
    }

    /// Control characters are refused elsewhere.
    fn subject_tag(&mut self, key: &str, tag: &str) {
        if !tag.is_ascii() || tag.len() > 100 {
            self.refuse(key, "at most 100 characters of ASCII");
        }
    }

    fn rule(&mut self, name: &str, rule: &RuleSection) {
        let config = self.config;
        if let Some(tag) = &rule.subject_tag {
            self.subject_tag(&format!("rules.{name}.subject_tag"), tag);
        }
        if rule.protected.len() > MAX_PROTECTED_PER_RULE {
            self.refuse(
                &format!("rules.{name}.protected"),
                &format!("at most {MAX_PROTECTED_PER_RULE} names"),
            );
        }
        let mild = rule.profile.is_some_and(edits_nothing);
        if mild && !rule.when.header.is_empty() && config.upstream.fields == Trust::AboveReceived {
            self.refuse(
                &format!("rules.{name}.profile"),
                "enforce or strict with when.header, unless upstream.fields is \"anywhere\": \
                 anybody can write the field",
            );
        }
        if edits_nothing(rule.profile.unwrap_or(config.policy.profile)) && rule.defang.is_some() {
            let key = format!("rules.{name}.defang");
            self.refuse(&key, "no defang with a profile that edits nothing");
        }
        if checks_results(rule) && config.exempt.authserv_id.is_none() {
            self.refuse(
                "exempt.authserv_id",
                "the authserv-id of your server, since when.header of a rule needs it",
            );
        }
    }

    fn banner(&mut self) {
        let banner = &self.config.banner;
        if banner.external && !self.config.restores_outbound() {
            self.refuse(
                "banner.external",
                "outbound.local_domains and outbound.restore with it: a banner in the body breaks DKIM and DMARC \
                 when the message is forwarded, unless it is removed on the way out",
            );
        }
        if banner.first_contact && !banner.external {
            self.refuse(
                "banner.first_contact",
                "banner.external = true with it, and what that needs: it adds a line to the banner on mail from \
                 outside",
            );
        }
        for (key, text) in [
            ("banner.links_text", &banner.links_text),
            ("banner.external_text", &banner.external_text),
            ("banner.first_contact_text", &banner.first_contact_text),
        ] {
            if text.as_ref().is_some_and(|text| text.chars().count() > MAX_BANNER_CHARS) {
                self.refuse(key, &format!("at most {MAX_BANNER_CHARS} characters"));
            }
        }
        if banner.links_text.as_deref().is_some_and(words::has_other_braces) {
            self.refuse("banner.links_text", words::PLACEHOLDERS);
        }
    }

    fn exempt(&mut self) {
        let Exempt { senders, authserv_id, .. } = &self.config.exempt;
        if !senders.is_empty() && authserv_id.is_none() {
            self.refuse(
                "exempt.authserv_id",
                "the authserv-id of your server, since exempt.senders needs it",
            );
        }
    }

    fn digest(&mut self) {
        let digest = &self.config.digest;
        if digest.at != Schedule::Off && digest.to.is_empty() {
            let expected = "off without a recipient (digest.to)";
            self.refuse("digest.at", expected);
        }
        let addresses = digest.to.iter().map(|to| ("digest.to", to));
        for (key, address) in addresses.chain(digest.from.iter().map(|from| ("digest.from", from)))
        {
            if address.parse::<lettre::Address>().is_err() {
                self.refuse(key, "mail addresses (ann@example.com)");
            }
        }
        let login = "a user and a password file, or neither";
        match (&digest.smtp_user, &digest.smtp_password_file) {
            (Some(_), None) => self.refuse("digest.smtp_user", login),
            (None, Some(_)) => self.refuse("digest.smtp_password_file", login),
            _ => {}
        }
        let exposed = digest.transport == Transport::Smtp
            && digest.smtp_tls == SmtpTls::None
            && digest.smtp_user.is_some()
            && !digest.smtp_host.is_this_host();
        if exposed {
            self.refuse(
                "digest.smtp_tls",
                "starttls or implicit, since a password would be sent in clear",
            );
        }
    }
}

/// The origin of a setting that needs the authserv-id, because the id itself may have no origin.
fn origin_of_authserv_id_use(config: &Config) -> String {
    let rules = config.rules.iter().filter(|(_, rule)| checks_results(rule));
    let rule = rules.map(|(name, _)| format!("rules.{name}.")).next();
    match rule.filter(|_| config.exempt.senders.is_empty()) {
        Some(rule) => origin_below(config, &format!("{rule}when.header")),
        None => origin_below(config, "exempt.senders"),
    }
}

fn edits_nothing(profile: Profile) -> bool {
    matches!(profile, Profile::Exempt | Profile::ReportOnly)
}

/// Whether a rule asks what the authentication of a message came to.
fn checks_results(rule: &RuleSection) -> bool {
    rule.when.header.iter().any(HeaderTest::checks_results)
}
