//! Links that somebody took apart already: `hxxp://example[.]com`, `user[@]example(.)org`.
//!
//! Only the layer above the conforming detector reads them: they are reported, never linked.

/// Schemes written so that no client links them.
pub(super) fn is_scheme(name: &str) -> bool {
    ["hxxp", "hxxps", "fxp"].iter().any(|scheme| scheme.eq_ignore_ascii_case(name))
}

/// The length in bytes of a bracketed dot that these bytes begin with; 0 when there is none.
pub(super) fn dot_at(bytes: &[u8]) -> usize {
    match bytes {
        [b'[', b'.', b']', ..] | [b'(', b'.', b')', ..] | [b'{', b'.', b'}', ..] => 3,
        _ => 0,
    }
}

/// The text before a bracketed at-sign that it ends with.
pub(super) fn before_at_sign(text: &str) -> Option<&str> {
    ["[@]", "(@)", "{@}"].iter().find_map(|at_sign| text.strip_suffix(at_sign))
}

/// The text before a bracketed scheme separator that it ends with: `hxxps[:]//`.
pub(super) fn before_slashes(text: &str) -> Option<&str> {
    ["[:]//", "[://]", "(:)//"].iter().find_map(|slashes| text.strip_suffix(slashes))
}

/// The host with plain dots; `None` if it has no bracket but that of an IPv6 address.
pub(super) fn refanged(host: &str) -> Option<String> {
    memchr::memchr3(b'[', b'(', b'{', host.as_bytes())?;
    if host.starts_with('[') {
        return None;
    }
    Some(host.replace("[.]", ".").replace("(.)", ".").replace("{.}", "."))
}

/// Whether no dot of the host is left that a client could link: every one stands in brackets.
pub(super) fn is_complete(host: &str) -> bool {
    refanged(host).is_some_and(|plain| {
        plain.matches('.').count()
            == host.matches("[.]").count()
                + host.matches("(.)").count()
                + host.matches("{.}").count()
            && !host.contains(['\u{3002}', '\u{FF0E}', '\u{FF61}'])
    })
}
