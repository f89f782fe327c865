//! Values that are valid alone but not in combination.

use std::collections::HashSet;

use crate::engine::outcome::Disposition;

use crate::policy::{HeaderTest, Profile, Trust};

use super::problem::{Problem, invalid_names, origin_below};
use super::types::{Address, Schedule, SmtpTls, Transport};
use super::words::{self, MAX_BANNER_CHARS};
use super::{Config, Exempt, RuleSection};

/// Names that one rule protects. They are prepared for every message of the rule.
const MAX_PROTECTED_PER_RULE: usize = 100;

/// Every combination that cannot work.
pub(super) fn invalid_combinations(config: &Config) -> Vec<Problem> {
    let mut found = Vec::new();
    let mut refuse =
        |key: &str, expected: &str| found.push(Problem::of_setting(config, key, expected));
    if config.server.listen.is_empty() {
        refuse("server.listen", "at least one address");
    }
    if has_twice(&config.server.listen) {
        refuse("server.listen", "each address once: a socket cannot be opened twice");
    }
    if config.metrics.listen.as_ref().is_some_and(|address| !address.is_local())
        && !config.metrics.beyond_loopback
    {
        refuse(
            "metrics.listen",
            "a loopback address or unix:/PATH, since it has no access control",
        );
    }
    if let Some(address) = &config.metrics.listen
        && config.server.listen.contains(address)
        && !matches!(address, Address::Inet { port: 0, .. })
    {
        refuse("metrics.listen", "another address than those of server.listen");
    }
    if config.dns.positive_min > config.dns.positive_max {
        refuse("dns.positive_min", "at most dns.positive_max");
    }
    if config.dns.negative_min > config.dns.negative_max {
        refuse("dns.negative_min", "at most dns.negative_max");
    }
    if config.dns.deadline >= config.server.message_timeout {
        refuse("dns.deadline", "less than server.message_timeout");
    }
    if config.server.max_message > config.server.max_memory {
        refuse("server.max_message", "at most server.max_memory");
    }
    for (key, disposition) in [
        ("policy.on_limit", config.policy.on_limit),
        ("policy.on_exhausted", config.policy.on_exhausted),
        ("policy.on_opaque", config.policy.on_opaque),
    ] {
        if disposition == Disposition::Tempfail {
            refuse(key, "anything but tempfail: a retry would end the same");
        }
    }
    if !config.policy.reject_text.is_ascii() || config.policy.reject_text.len() > 400 {
        refuse("policy.reject_text", "at most 400 characters of ASCII: an SMTP reply is a line");
    }
    if !is_header_text(&config.policy.subject_tag) {
        refuse("policy.subject_tag", "at most 100 characters of ASCII");
    }
    for (name, rule) in &config.rules {
        if rule.subject_tag.as_deref().is_some_and(|tag| !is_header_text(tag)) {
            refuse(&format!("rules.{name}.subject_tag"), "at most 100 characters of ASCII");
        }
    }
    for (name, rule) in &config.rules {
        if rule.protected.len() > MAX_PROTECTED_PER_RULE {
            refuse(
                &format!("rules.{name}.protected"),
                &format!("at most {MAX_PROTECTED_PER_RULE} names"),
            );
        }
        let mild = rule.profile.is_some_and(edits_nothing);
        if mild && !rule.when.header.is_empty() && config.upstream.fields == Trust::AboveReceived {
            refuse(
                &format!("rules.{name}.profile"),
                "enforce or strict with when.header, unless upstream.fields is \"anywhere\": \
                 anybody can write the field",
            );
        }
        if edits_nothing(rule.profile.unwrap_or(config.policy.profile)) && rule.defang.is_some() {
            refuse(&format!("rules.{name}.defang"), "no defang with a profile that edits nothing");
        }
        let checks_results = rule.when.header.iter().any(HeaderTest::checks_results);
        if checks_results && config.exempt.authserv_id.is_none() {
            refuse(
                "exempt.authserv_id",
                "the authserv-id of your server, since when.header of a rule needs it",
            );
        }
    }
    let banner = &config.banner;
    if banner.external && !config.restores_outbound() {
        refuse(
            "banner.external",
            "outbound.local_domains and outbound.restore with it: a banner in the body breaks DKIM and DMARC \
             when the message is forwarded, unless it is removed on the way out",
        );
    }
    if banner.first_contact && !banner.external {
        refuse(
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
            refuse(key, &format!("at most {MAX_BANNER_CHARS} characters"));
        }
    }
    if banner.links_text.as_deref().is_some_and(words::has_other_braces) {
        refuse("banner.links_text", words::PLACEHOLDERS);
    }
    let Exempt { senders, authserv_id, .. } = &config.exempt;
    if !senders.is_empty() && authserv_id.is_none() {
        refuse(
            "exempt.authserv_id",
            "the authserv-id of your server, since exempt.senders needs it",
        );
    }
    found.extend(invalid_names(config, "rules", config.rules.keys()));
    found.extend(super::feeds::invalid_combinations(config));
    found.extend(super::blocklists::invalid_combinations(config));
    found.extend(digest(config));
    for missing in found.iter_mut().filter(|missing| missing.key == "exempt.authserv_id") {
        missing.origin = origin_of_authserv_id_use(config);
    }
    found
}

/// Whether an address is listed twice. With port 0 each listing is a different address.
fn has_twice(addresses: &[Address]) -> bool {
    let mut known = HashSet::new();
    let mut named =
        addresses.iter().filter(|address| !matches!(address, Address::Inet { port: 0, .. }));
    named.any(|address| !known.insert(address))
}

/// The origin of a setting that needs the authserv-id, because the id itself may have no origin.
fn origin_of_authserv_id_use(config: &Config) -> String {
    let asks = |rule: &RuleSection| rule.when.header.iter().any(HeaderTest::checks_results);
    let rules = config.rules.iter().filter(|(_, rule)| asks(rule));
    let rule = rules.map(|(name, _)| format!("rules.{name}.")).next();
    match rule.filter(|_| config.exempt.senders.is_empty()) {
        Some(rule) => origin_below(config, &format!("{rule}when.header")),
        None => origin_below(config, "exempt.senders"),
    }
}

fn digest(config: &Config) -> Vec<Problem> {
    let digest = &config.digest;
    let mut found = Vec::new();
    let mut refuse =
        |key: &str, expected: &str| found.push(Problem::of_setting(config, key, expected));
    if digest.at != Schedule::Off && digest.to.is_empty() {
        refuse("digest.to", "at least one recipient, since digest.at is set");
    }
    let addresses = digest.to.iter().map(|to| ("digest.to", to));
    for (key, address) in addresses.chain(digest.from.iter().map(|from| ("digest.from", from))) {
        if address.parse::<lettre::Address>().is_err() {
            refuse(key, "mail addresses (ann@example.com)");
        }
    }
    let login = "a user and a password file, or neither";
    match (&digest.smtp_user, &digest.smtp_password_file) {
        (Some(_), None) => refuse("digest.smtp_user", login),
        (None, Some(_)) => refuse("digest.smtp_password_file", login),
        _ => {}
    }
    let exposed = digest.transport == Transport::Smtp
        && digest.smtp_tls == SmtpTls::None
        && digest.smtp_user.is_some()
        && !digest.smtp_host.is_this_host();
    if exposed {
        refuse("digest.smtp_tls", "starttls or implicit, since a password would be sent in clear");
    }
    found
}

fn edits_nothing(profile: Profile) -> bool {
    matches!(profile, Profile::Exempt | Profile::ReportOnly)
}

/// Whether a text fits into a header field. Control characters are refused elsewhere.
fn is_header_text(text: &str) -> bool {
    text.is_ascii() && text.len() <= 100
}
