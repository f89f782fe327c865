//! Patterns for mail addresses in rules and lists.

use std::fmt;
use std::net::Ipv6Addr;
use std::str::FromStr;

use crate::engine::link::to_ascii;

/// A pattern for addresses. Domains are compared as A-labels, local parts without case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Pattern {
    /// `example.com`: every address at the domain or below it.
    Domain(String),
    /// `ann@example.com`: this address.
    Address { local: String, domain: String },
    /// `abuse@`: this local part at every domain.
    Local(String),
    /// `<>`: the null sender of bounces.
    Null,
}

impl Pattern {
    /// The domain, if this is one address at it that was probably meant to stand for all: `*@example.com`.
    pub fn wildcard_at(&self) -> Option<&str> {
        match self {
            Pattern::Address { local, domain } if local == "*" => Some(domain),
            _ => None,
        }
    }
}

/// An address of an envelope, parsed once for all patterns.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Address {
    local: String,
    /// In lower-case A-label form; `None` if it is no domain.
    domain: Option<String>,
    is_null: bool,
}

impl Address {
    /// Parses an address without angle brackets; the empty one is the null sender.
    pub fn of(text: &str) -> Address {
        let (local, domain) = match text.rsplit_once('@') {
            Some((local, domain)) => (local, ascii_domain(domain)),
            None => (text, None),
        };
        Address { local: fold(local), domain, is_null: text.is_empty() }
    }

    /// Its mailbox: without a `+` tag, which servers use for a folder. `None` without a domain.
    pub(super) fn mailbox(&self) -> Option<String> {
        let domain = self.domain.as_deref()?;
        let local = match self.local.split_once('+') {
            Some((local, _)) if !local.is_empty() => local,
            _ => &self.local,
        };
        Some(format!("{local}@{domain}"))
    }

    /// The domain and its parent domains, the longest first.
    pub(super) fn domains(&self) -> impl Iterator<Item = &str> {
        let mut rest = self.domain.as_deref();
        std::iter::from_fn(move || {
            let domain = rest?;
            rest = domain.split_once('.').map(|(_, above)| above);
            Some(domain)
        })
    }
}

/// The text is no pattern.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "expected a domain (example.com), an address (ann@example.com), a local part (abuse@) or <>"
)]
pub struct PatternError;

impl Pattern {
    pub fn matches(&self, address: &Address) -> bool {
        let domain = address.domain.as_deref();
        match self {
            Pattern::Null => address.is_null,
            Pattern::Local(pattern) => address.local == *pattern,
            Pattern::Domain(pattern) => domain.is_some_and(|domain| is_below(domain, pattern)),
            Pattern::Address { local, domain: at } => {
                domain.is_some_and(|domain| domain == *at) && address.local == *local
            }
        }
    }

    /// Every matching address is at this domain or below it.
    pub(super) fn domain(&self) -> Option<&str> {
        match self {
            Pattern::Domain(domain) | Pattern::Address { domain, .. } => Some(domain),
            Pattern::Local(_) | Pattern::Null => None,
        }
    }
}

impl FromStr for Pattern {
    type Err = PatternError;

    fn from_str(text: &str) -> Result<Pattern, PatternError> {
        if text == "<>" {
            return Ok(Pattern::Null);
        }
        match text.rsplit_once('@') {
            None => Ok(Pattern::Domain(ascii_domain(text).ok_or(PatternError)?)),
            Some((local, _)) if !is_local_part(local) => Err(PatternError),
            Some(("", domain)) => Ok(Pattern::Domain(ascii_domain(domain).ok_or(PatternError)?)),
            Some((local, "")) => Ok(Pattern::Local(fold(local))),
            Some((local, domain)) => Ok(Pattern::Address {
                local: fold(local),
                domain: ascii_domain(domain).ok_or(PatternError)?,
            }),
        }
    }
}

impl fmt::Display for Pattern {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Pattern::Domain(domain) => out.write_str(domain),
            Pattern::Address { local, domain } => write!(out, "{local}@{domain}"),
            Pattern::Local(local) => write!(out, "{local}@"),
            Pattern::Null => out.write_str("<>"),
        }
    }
}

/// Whether this is a local part: an `@` or white space in one needs quotes (RFC 5321 §4.1.2).
fn is_local_part(text: &str) -> bool {
    let quoted = text.len() > 1 && text.starts_with('"') && text.ends_with('"');
    !text.contains(char::is_control) && (quoted || !text.contains(['@', ' ', '"']))
}

/// The domain in lower-case A-label form without root dot; none when it is no domain.
pub fn ascii_domain(domain: &str) -> Option<String> {
    let ascii = to_ascii(domain.trim_end_matches('.'))?;
    let plausible = !ascii.is_empty()
        && ascii.len() <= 253
        && ascii.split('.').all(|label| {
            !label.is_empty()
                && label.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte))
        });
    plausible.then_some(ascii)
}

/// An address of IPv6 in the one spelling that hosts of links have, in brackets; with brackets or without.
pub fn ipv6_host(text: &str) -> Option<String> {
    let bare = text.strip_prefix('[').and_then(|text| text.strip_suffix(']')).unwrap_or(text);
    bare.parse::<Ipv6Addr>().ok().map(|address| format!("[{address}]"))
}

/// Whether `domain` is `parent` or below it; both in lower-case A-label form.
pub fn is_below(domain: &str, parent: &str) -> bool {
    domain.strip_suffix(parent).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
}

fn fold(local: &str) -> String {
    local.to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_match_what_they_say() {
        for (pattern, address, expected) in [
            ("example.com", "ann@example.com", true),
            ("example.com", "ann@Mail.EXAMPLE.com", true),
            ("example.com", "ann@badexample.com", false),
            ("example.com", "example.com", false),
            ("@example.com", "ann@example.com", true),
            ("bücher.example", "ann@xn--bcher-kva.example", true),
            ("xn--bcher-kva.example", "ann@BÜCHER.example", true),
            ("ann@example.com", "Ann@Example.com", true),
            ("ann@example.com", "ann@sub.example.com", false),
            ("abuse@", "Abuse@any.example", true),
            ("abuse@", "abuse", true),
            ("abuse@", "no-abuse@any.example", false),
            ("\"a b\"@example.com", "\"A b\"@example.com", true),
            ("<>", "", true),
            ("<>", "ann@example.com", false),
        ] {
            let parsed: Pattern = pattern.parse().unwrap();
            assert_eq!(
                parsed.matches(&Address::of(address)),
                expected,
                "{pattern} against {address}"
            );
        }
    }

    #[test]
    fn what_is_no_pattern_is_refused() {
        for text in [
            "", "@", "a b.example", "exa..mple", "ann@exa mple", "*.example.com", "@@",
            "a@@b.example", "a b@",
        ] {
            assert_eq!(text.parse::<Pattern>(), Err(PatternError), "{text}");
        }
    }

    #[test]
    fn patterns_print_as_they_are_written() {
        for text in ["example.com", "ann@example.com", "abuse@", "<>"] {
            assert_eq!(text.parse::<Pattern>().unwrap().to_string(), text);
        }
    }
}
