//! Header fields that our own servers wrote before this filter: those of a spam filter, and the results of
//! authentication.
//!
//! Anybody can write a header field. One is trusted if it is where only our servers write, which is above the first
//! Received field that none of them made; or if the operator says that our servers remove fields from outside; or, for
//! Authentication-Results (RFC 8601 §5), if it has our authserv-id.

use super::auth::{self, statements};
use super::pattern::{ascii_domain, is_below};

/// Fields of one message that rules may check. Ordinary mail has a dozen. Of more the topmost count.
const MAX_FIELDS: usize = 100;

word_enum! {
    /// Which fields are trusted.
    #[derive(Default)]
    pub enum Trust {
        /// Those above the first Received field that no server of ours made. A stranger who connects to us directly can
        /// write there as well, so such a field can only make the settings of a message stricter.
        #[default]
        AboveReceived = "above-received",
        /// All: a server before this filter removes those that strangers wrote.
        Anywhere = "anywhere",
    }
}

/// How fields of our own servers are recognised.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Upstream {
    pub trust: Trust,
    /// Names after `by` in Received, in lower-case ASCII form. Subdomains count as well.
    pub hosts: Vec<String>,
    /// The authserv-id of our own server.
    pub authserv_id: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TrustedField {
    pub(super) name: String,
    /// Without folds; each run of white space is one space.
    pub(super) value: String,
}

/// Names of the fields with results of authentication (RFC 8601, RFC 8617).
pub(super) const RESULTS: &str = "authentication-results";
pub(super) const SEALED_RESULTS: &str = "arc-authentication-results";

impl Upstream {
    /// The trusted fields of a header that some rule checks, from the top. `host` is the name that the MTA gives itself.
    pub fn trusted_fields<'h>(
        &self,
        fields: impl Iterator<Item = (&'h [u8], &'h [u8])>,
        host: &str,
        is_checked: impl Fn(&str) -> bool,
    ) -> Vec<TrustedField> {
        let mut trusted = Vec::new();
        let mut above = true;
        for (name, value) in fields {
            if name.eq_ignore_ascii_case(b"Received") {
                above = above && self.is_made_by_us(&String::from_utf8_lossy(value), host);
                continue;
            }
            let name = String::from_utf8_lossy(name).to_ascii_lowercase();
            if trusted.len() >= MAX_FIELDS || !is_checked(&name) {
                continue;
            }
            let value = String::from_utf8_lossy(value);
            let is_trusted = match name.as_str() {
                RESULTS | SEALED_RESULTS => self.has_our_id(&name, &value),
                _ => above || self.trust == Trust::Anywhere,
            };
            if is_trusted {
                let value = value.split_ascii_whitespace().collect::<Vec<_>>().join(" ");
                trusted.push(TrustedField { name, value });
            }
        }
        trusted
    }

    /// Whether a Received field names one of our servers after `by` (RFC 5321 §4.4).
    fn is_made_by_us(&self, value: &str, host: &str) -> bool {
        let statements = statements(value);
        let mut words = statements.first().into_iter().flatten();
        // The client itself chooses the word after `from`.
        let mut by = None;
        while let Some(word) = words.next() {
            if word.eq_ignore_ascii_case("from") {
                words.next();
            } else if word.eq_ignore_ascii_case("by") {
                by = words.next().and_then(|name| ascii_domain(name));
                break;
            }
        }
        let Some(by) = by else { return false };
        let is_host = ascii_domain(host).is_some_and(|host| by == host);
        is_host || self.hosts.iter().any(|ours| is_below(&by, ours))
    }

    fn has_our_id(&self, name: &str, value: &str) -> bool {
        let statements = statements(value);
        let mut results = statements.as_slice();
        // RFC 8617 §4.1.1: the instance comes first. In other fields that text would be the authserv-id. Our servers
        // would not remove such a field, so a stranger could write it.
        if let [instance, rest @ ..] = results
            && name == SEALED_RESULTS
            && instance.first().is_some_and(|word| word.starts_with("i="))
        {
            results = rest;
        }
        self.authserv_id.as_deref().is_some_and(|ours| auth::is_ours(results, ours))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How many fields of a header are trusted.
    fn trusted(upstream: &Upstream, head: &[(&str, &str)]) -> usize {
        let fields = head.iter().map(|(name, value)| (name.as_bytes(), value.as_bytes()));
        upstream.trusted_fields(fields, "mx.example.org", |name| name != "subject").len()
    }

    #[test]
    fn fields_below_a_strangers_received_are_not_trusted() {
        const FLAG: (&str, &str) = ("X-Spam-Flag", " YES");
        const OURS: (&str, &str) =
            ("Received", " from a (by mx.evil.example) by MX.example.org; x");
        const GATE: (&str, &str) =
            ("Received", " from by (x) by gate.example.net (Postfix)\n\tid 1; x");
        const THEIRS: (&str, &str) = ("Received", " from mx.example.org by evil.example with x; d");
        const POSING: (&str, &str) = ("Received", " from by mx.example.org; x");
        let gate = Upstream { hosts: vec!["example.net".to_owned()], ..Upstream::default() };
        let none = Upstream::default();
        let stripped = Upstream { trust: Trust::Anywhere, ..Upstream::default() };
        for (upstream, head, count) in [
            (&none, &[FLAG, THEIRS][..], 1),
            (&none, &[THEIRS, FLAG], 0),
            (&none, &[OURS, FLAG, THEIRS, FLAG], 1),
            (&none, &[POSING, FLAG], 0),
            (&none, &[GATE, FLAG], 0),
            (&gate, &[GATE, FLAG], 1),
            (&gate, &[FLAG, GATE, FLAG, THEIRS, GATE, FLAG], 2),
            (&none, &[("Subject", "x"), FLAG], 1),
            (&none, &[("Received", ""), FLAG], 0),
            (&stripped, &[THEIRS, FLAG], 1),
        ] {
            assert_eq!(trusted(upstream, head), count, "{head:?}");
        }
    }

    #[test]
    fn results_are_trusted_by_their_authserv_id_alone() {
        let with_id =
            Upstream { authserv_id: Some("mx.example.org".to_owned()), ..Upstream::default() };
        for (value, count) in [
            ("MX.example.org; dmarc=fail", 1),
            ("i=1; mx.example.org 1; dmarc=fail", 1),
            ("mx.evil.example; dmarc=fail", 0),
            ("i=1; i=2", 0),
            ("", 0),
        ] {
            assert_eq!(
                trusted(&with_id, &[("ARC-Authentication-Results", value)]),
                count,
                "{value}"
            );
            assert_eq!(trusted(&Upstream::default(), &[("Authentication-Results", value)]), 0);
            let plain = if value.starts_with("i=") { 0 } else { count };
            assert_eq!(trusted(&with_id, &[("Authentication-Results", value)]), plain, "{value}");
        }
    }

    #[test]
    fn fields_are_bounded() {
        let head = vec![("X-Spam-Flag", "YES"); MAX_FIELDS + 10];
        assert_eq!(trusted(&Upstream::default(), &head), MAX_FIELDS);
    }
}
