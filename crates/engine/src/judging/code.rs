//! What programs write and no client links: ports of protocols, calls and assignments.

use super::Judge;
use super::logins::has_only;
use crate::judged::Judged;
use crate::outcome::{Reason, Verdict};
use uts58::{Kind, Link};

impl Judge<'_> {
    /// Lowers the verdict of a port behind its protocol, `http:80`, and of an attribute in code that is called or set:
    /// `github.rest.issues.create(`, `metadata.twitter.site = `.
    pub(super) fn downgrade_code(text: &str, link: &Link, judged: &mut Judged) {
        let is_code = match link.kind {
            _ if judged.verdict != Verdict::Suspect || !judged.inner.is_empty() => false,
            Kind::Scheme => has_only(judged.reasons, Reason::NumericHost) && is_port(text, link),
            Kind::Bare => {
                has_only(judged.reasons, Reason::NameInHost)
                    && text.get(link.span.end..).is_some_and(is_behind_attribute)
            }
            _ => false,
        };
        if is_code {
            judged.downgrade();
        }
    }
}

/// Whether a number directly behind the colon of a scheme is that of a port.
fn is_port(text: &str, link: &Link) -> bool {
    let before = text.get(link.span.start..link.host.start).unwrap_or_default();
    before.ends_with(':')
        && link.user.is_none()
        && link.host_str(text).parse::<u16>().is_ok_and(|port| port > 0)
}

/// Whether an attribute goes on here to a call or an assignment. A call directly behind it would be a remark in brackets.
fn is_behind_attribute(rest: &str) -> bool {
    let of_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let name = rest.find(|c: char| !of_name(c) && c != '.').unwrap_or(rest.len());
    let (attribute, after) = rest.split_at_checked(name).unwrap_or_default();
    let goes_on = attribute.starts_with(['.', '_']) && attribute.ends_with(of_name);
    let set = after.strip_prefix(' ').unwrap_or(after);
    goes_on && after.starts_with('(')
        || (goes_on || attribute.is_empty())
            && set.strip_prefix('=').is_some_and(|rest| !rest.starts_with('='))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attributes_are_called_and_set() {
        for (rest, is) in [
            (".issues.createComment({", true),
            (" = \"@acme\"", true),
            ("=1", true),
            (".client_id = 1", true),
            ("_id=1", true),
            ("(now)", false),
            (" (now)", false),
            (". (now)", false),
            (".x", false),
            (" == 1", false),
            ("/?a=b", false),
            ("", false),
        ] {
            assert_eq!(is_behind_attribute(rest), is, "{rest}");
        }
    }
}
