//! Authentication-Results (RFC 8601), as far as DMARC results need it.

use crate::engine::Dmarc;

use super::pattern::{ascii_domain, is_below};

/// Whether DMARC passed for `from_domain` by our own server; see [`dmarc_result`].
pub fn dmarc_pass(fields: &[String], authserv_id: &str, from_domain: &str) -> bool {
    dmarc_result(fields, authserv_id, from_domain) == Dmarc::Pass
}

/// The DMARC result of our own server for `from_domain`.
///
/// `fields` are the values of all Authentication-Results fields. Only those whose authserv-id is
/// ours count (RFC 8601 §5: the verifier removes forged ones). Every DMARC result among them must
/// be a pass for that domain, so a forged pass next to a genuine fail does not help.
pub fn dmarc_result(fields: &[String], authserv_id: &str, from_domain: &str) -> Dmarc {
    let mut dmarc = Dmarc::Unknown;
    let mut ambiguous = false;
    for field in fields {
        let statements = statements(field);
        if !is_ours(&statements, authserv_id) {
            continue;
        }
        for result in statements.iter().skip(1) {
            match statement_result(result, from_domain) {
                Some(StatementResult::Pass) => dmarc = Dmarc::Pass,
                Some(StatementResult::Fail) => return Dmarc::Fail,
                Some(StatementResult::Other) => ambiguous = true,
                None => {}
            }
        }
    }
    if ambiguous { Dmarc::Unknown } else { dmarc }
}

/// Whether the first of the statements is our authserv-id (RFC 8601 §2.2).
pub(super) fn is_ours(statements: &[Vec<String>], authserv_id: &str) -> bool {
    let id = statements.first().and_then(|words| words.first());
    id.is_some_and(|id| id.eq_ignore_ascii_case(authserv_id))
}

/// Whether a field has this result for a method: `dmarc=fail`. The caller knows whether to trust the field.
pub(super) fn has_result(field: &str, method: &str, result: &str) -> bool {
    statements(field).iter().skip(1).any(|statement| {
        let Some((name, found)) = statement.first().and_then(|word| word.split_once('=')) else {
            return false;
        };
        let name = name.split('/').next().unwrap_or_default();
        name.eq_ignore_ascii_case(method) && found.eq_ignore_ascii_case(result)
    })
}

/// The DMARC result of one statement.
enum StatementResult {
    Pass,
    Fail,
    Other,
}

/// The DMARC result of one `method=result property=value …` statement; `None` for another method.
fn statement_result(statement: &[String], from_domain: &str) -> Option<StatementResult> {
    let (method, result) = statement.first()?.split_once('=')?;
    // RFC 8601 §2.2: a method may carry its version, `dmarc/1`.
    let method = method.split('/').next().unwrap_or_default();
    if !method.eq_ignore_ascii_case("dmarc") {
        return None;
    }
    let aligned = statement.iter().skip(1).any(|property| {
        property.split_once('=').is_some_and(|(name, value)| {
            name.eq_ignore_ascii_case("header.from") && same_domain(value, from_domain)
        })
    });
    Some(match result {
        _ if result.eq_ignore_ascii_case("fail") => StatementResult::Fail,
        _ if aligned && result.eq_ignore_ascii_case("pass") => StatementResult::Pass,
        _ => StatementResult::Other,
    })
}

/// `header.from` is a domain; some verifiers write the organizational domain only.
fn same_domain(value: &str, from_domain: &str) -> bool {
    let value = value.rsplit('@').next().unwrap_or_default();
    match (ascii_domain(value), ascii_domain(from_domain)) {
        (Some(value), Some(from)) => is_below(&from, &value) && value.contains('.'),
        _ => false,
    }
}

/// The statements between semicolons, each split at white space. Comments, the quotes of quoted strings, and white
/// space around `=` are removed (RFC 8601 §2.2 allows all of them).
pub(super) fn statements(field: &str) -> Vec<Vec<String>> {
    let mut statements = vec![vec![String::new()]];
    let mut comment_depth = 0_usize;
    let mut chars = field.chars();
    let mut quoted = false;
    while let Some(char) = chars.next() {
        if comment_depth > 0 {
            match char {
                '\\' => drop(chars.next()),
                '(' => comment_depth += 1,
                ')' => comment_depth -= 1,
                _ => {}
            }
            continue;
        }
        let Some(tokens) = statements.last_mut() else { continue };
        let first = tokens.len() == 1;
        let Some(token) = tokens.last_mut() else { continue };
        match char {
            '\\' if quoted => token.extend(chars.next()),
            '"' => quoted = !quoted,
            _ if quoted => token.push(char),
            '(' => comment_depth = 1,
            ';' => statements.push(vec![String::new()]),
            _ if char.is_whitespace() => {
                if !token.is_empty() && !token.ends_with('=') {
                    tokens.push(String::new());
                }
            }
            '=' if token.is_empty() && !first => {
                tokens.pop();
                if let Some(before) = tokens.last_mut() {
                    before.push('=');
                }
            }
            _ => token.push(char),
        }
    }
    for tokens in &mut statements {
        tokens.retain(|token| !token.is_empty());
    }
    statements
}

#[cfg(test)]
mod tests {
    use super::*;

    const ID: &str = "mx.example.org";

    fn pass(fields: &[&str], domain: &str) -> bool {
        let fields: Vec<String> = fields.iter().map(|field| (*field).to_owned()).collect();
        dmarc_pass(&fields, ID, domain)
    }

    #[test]
    fn a_pass_of_our_own_server_counts() {
        for field in [
            "mx.example.org; dmarc=pass (p=reject dis=none) header.from=example.com",
            " MX.example.org 1;\n\tspf=fail smtp.mailfrom=x;\n\tdmarc = pass header.from = example.com",
            "mx.example.org; dkim=fail; dmarc/1=pass policy.x=\"a;b\" header.from=\"example.com\"",
            "(c (nested \\) ) ;) mx.example.org; dmarc=pass header.from=Example.COM",
        ] {
            assert!(pass(&[field], "example.com"), "{field}");
        }
        let org = "mx.example.org; dmarc=pass header.from=example.com";
        assert!(pass(&[org], "news.example.com"));
    }

    #[test]
    fn a_fail_differs_from_no_result() {
        let found = |field: &str| dmarc_result(&[field.to_owned()], ID, "example.com");
        for (field, result) in [
            ("mx.example.org; dmarc=fail (p=reject) header.from=example.com", Dmarc::Fail),
            ("mx.example.org; dmarc=none header.from=example.com", Dmarc::Unknown),
            ("mx.example.org; dmarc=temperror header.from=example.com", Dmarc::Unknown),
            ("mx.example.org; spf=fail smtp.mailfrom=example.com", Dmarc::Unknown),
            ("mx.evil.example; dmarc=fail header.from=example.com", Dmarc::Unknown),
            ("mx.example.org; dmarc=pass header.from=example.com", Dmarc::Pass),
        ] {
            assert_eq!(found(field), result, "{field}");
        }
    }

    #[test]
    fn anything_else_does_not() {
        for field in [
            "mx.example.org; dmarc=fail header.from=example.com",
            "mx.example.org; dmarc=pass header.from=example.net",
            "mx.example.org; dmarc=pass header.from=com",
            "mx.example.org; dmarc=pass",
            "mx.evil.example; dmarc=pass header.from=example.com",
            "mx.example.org.evil.example; dmarc=pass header.from=example.com",
            "mx.example.org; spf=pass (dmarc=pass header.from=example.com)",
            "mx.example.org; x=\"; dmarc=pass header.from=example.com\"",
            "mx.example.org; none",
            "",
            ";;;",
        ] {
            assert!(!pass(&[field], "example.com"), "{field}");
        }
    }

    proptest::proptest! {
        #[test]
        fn any_field_has_an_answer_and_only_ours_can_pass(field in "[ ;=()\\\\\"a-z./\\PC]{0,60}") {
            let theirs = format!("mx.evil.example; {field}; dmarc=pass header.from=example.com");
            proptest::prop_assert!(!pass(&[&theirs], "example.com"));
            pass(&[&field], "example.com");
            pass(&[&format!("{ID}; {field}")], "example.com");
        }
    }

    #[test]
    fn a_forged_pass_beside_our_fail_does_not_help() {
        let ours = "mx.example.org; dmarc=fail header.from=example.com";
        let forged = "mx.example.org; dmarc=pass header.from=example.com";
        assert!(!pass(&[ours, forged], "example.com"));
        assert!(!pass(&[forged, ours], "example.com"));
    }
}
