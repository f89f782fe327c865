//! What programs write and no client links: ports of protocols, calls and assignments.

use super::Judge;
use super::judged::Judged;
use super::logins::has_only;
use super::prose::SOURCES;
use crate::outcome::{Reason, Verdict};
use uts58::{Kind, Link};

impl Judge<'_> {
    /// Lowers the verdict of a port behind its protocol, `http:80`, of an attribute in code that is called or set, of a
    /// dotted name that code stands around, and of a file in a folder: `github.rest.issues.create(`,
    /// `metadata.twitter.site = `, `import com.example.login.app`, `b/src/google-verify.cc`.
    pub(super) fn downgrade_code(text: &str, link: &Link, judged: &mut Judged) {
        let is_code = match link.kind {
            _ if judged.verdict != Verdict::Suspect || !judged.inner.is_empty() => false,
            Kind::Scheme => has_only(judged.reasons, Reason::NumericHost) && is_port(text, link),
            Kind::Bare => {
                has_only(judged.reasons, Reason::NameInHost)
                    && (text.get(link.span.end..).is_some_and(is_behind_attribute)
                        || is_record(text, link)
                        || is_name_in_code(text, link)
                        || is_file_in_folder(text, link))
            }
            _ => false,
        };
        if is_code {
            judged.downgrade();
        }
    }
}

/// What the name of a record of DMARC has between a domain and who receives its reports (RFC 7489 §7.1).
const RECORD: &str = "._report._dmarc.";

/// Whether a bare name is that of a record, as zones and their administrators write it, and nothing of a URL follows it.
fn is_record(text: &str, link: &Link) -> bool {
    link.span == link.host && link.host_str(text).contains(RECORD)
}

/// Words in front of a dotted name at the start of a line of code, and what follows the name there.
const KEYWORDS: [(&str, &[&str]); 5] = [
    ("package", &["", ";"]),
    ("import", &["", ";"]),
    ("namespace", &["", ";", " {"]),
    ("using", &[";"]),
    ("SELECT", &[",", " FROM "]),
];

/// What engines of scripts say behind a dotted name.
const FAULTS: [&str; 3] = [" is not a function", " is not defined", " is undefined"];

/// First labels of names that are written backwards, as those of packages are.
const BACKWARDS: [&str; 3] = ["com", "org", "net"];

/// Bytes on either side of a name that are looked at.
const AROUND: usize = 64;

/// Whether code is around a dotted name, and nothing of a URL follows it: it is between the marks of code or of a
/// placeholder, behind a keyword, before what an engine of scripts says, or written backwards.
fn is_name_in_code(text: &str, link: &Link) -> bool {
    if link.span != link.host {
        return false;
    }
    let [before, behind] = around(text, link);
    let blank = |c: char| c == ' ';
    let is_enclosed = before.ends_with('`') && behind.starts_with('`')
        || ["{{", "${", "#{"].iter().any(|open| before.trim_end_matches(blank).ends_with(open))
            && behind.trim_start_matches(blank).starts_with('}');
    let labels = || link.host_str(text).split('.');
    let is_backwards = BACKWARDS.contains(&labels().next().unwrap_or_default())
        && labels().count() > 2
        && !before.ends_with(['.', '/', '@']);
    is_enclosed
        || is_backwards
        || is_statement(before, behind)
        || FAULTS.iter().any(|fault| behind.starts_with(fault))
}

/// Whether all of a line is a statement of code with this name.
fn is_statement(before: &str, behind: &str) -> bool {
    let line = before.rsplit('\n').next().unwrap_or_default().trim_ascii_start();
    let rest = behind.split(['\r', '\n']).next().unwrap_or_default();
    let mut known = KEYWORDS.iter().filter(|(word, _)| line.strip_suffix(' ') == Some(word));
    known.any(|(_, ends)| {
        ends.iter().any(|end| match *end {
            "" => rest.is_empty(),
            end => rest.starts_with(end),
        })
    })
}

/// Endings of files that are top-level domains, other than [`SOURCES`]: without a folder they are hosts as well.
const FILES: [&str; 5] = ["cc", "mov", "pl", "pm", "zip"];

/// Whether a file stands in a folder that is none of a host, as in lists of what was changed: `b/src/google-verify.cc`.
fn is_file_in_folder(text: &str, link: &Link) -> bool {
    let [before, behind] = around(text, link);
    let ending = link.host_str(text).rsplit('.').next().unwrap_or_default();
    let path = before.rsplit(char::is_whitespace).next().unwrap_or_default();
    let of_folder = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    let mut folders = path.strip_suffix('/').unwrap_or_default().split('/');
    link.span == link.host
        && (FILES.contains(&ending) || SOURCES.contains(&ending))
        && path.len() < AROUND / 2
        && !behind.starts_with(['/', ':', '?', '@'])
        && folders.all(|folder| !folder.is_empty() && folder.chars().all(of_folder))
}

/// What stands before and behind a link.
fn around<'t>(text: &'t str, link: &Link) -> [&'t str; 2] {
    let start = text.ceil_char_boundary(link.span.start.saturating_sub(AROUND));
    let end = text.floor_char_boundary(link.span.end.saturating_add(AROUND));
    [start..link.span.start, link.span.end..end].map(|range| text.get(range).unwrap_or_default())
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
