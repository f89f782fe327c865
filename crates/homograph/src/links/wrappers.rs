//! Links that a mail security service or a redirector rewrote: where they lead. `table.rs` has who
//! rewrites and how, `vectors.tsv` the expected results.

mod json;
mod table;

use std::cmp::Ordering;

use crate::limits::NESTING;
use crate::spelling::domain::{and_above, suffix_labels};
use table::{ROWS, Row, WrappedForm};
use uts58::suffixes::Section;
use uts58::{base64, percent};

/// Whether links below this host are rewritten ones.
pub fn rewrites(host: &str) -> bool {
    !rows(host).is_empty()
}

/// Whether rewritten links below this host are tokens: only the service knows where they lead.
pub fn hides_end(host: &str) -> bool {
    rows(host).iter().any(|(_, _, form)| *form == WrappedForm::Token)
}

/// Whether rewritten links below this host name the host alone that they lead to.
pub fn names_host_alone(host: &str) -> bool {
    rows(host).iter().any(|(_, _, form)| *form == WrappedForm::Query("domain"))
}

/// Whether nothing but rewritten links is below this host.
pub fn only_rewrites(host: &str) -> bool {
    rows(host).iter().any(|(_, path, _)| path.is_empty())
}

/// The name below which pages of others are, each under its own name with hyphens.
#[cfg(feature = "senders")]
const HYPHENATED: &str = "translate.goog";

/// Whether rewritten links below this host say in the host itself where they lead, whatever follows.
#[cfg(feature = "senders")]
pub fn name_end_in_host(host: &str) -> bool {
    let at = host.len().checked_sub(HYPHENATED.len());
    let end = at.and_then(|at| host.get(at..));
    end.is_some_and(|end| end.eq_ignore_ascii_case(HYPHENATED))
}

/// What is before and behind a URL in a path of the form that has it between others.
const BETWEEN: &str = "___";

/// The tail of a link as it is read for URLs: where one stands between these signs, it ends there.
#[cfg(feature = "senders")]
pub(super) fn parted(host: &str, tail: String) -> String {
    let is_between = rows(host).iter().any(|(_, _, form)| *form == WrappedForm::Between);
    if is_between { tail.replace(BETWEEN, "&") } else { tail }
}

/// The URL that a rewritten link leads to; `None` for other links. `tail` is path, query and
/// fragment.
pub(super) fn unwrap(host: &str, tail: &str) -> Option<String> {
    let rows = rows(host);
    if rows.is_empty() {
        return None;
    }
    // Browsers take a backslash for a slash.
    let path = path(tail);
    let turned = path
        .contains('\\')
        .then(|| [&path.replace('\\', "/"), tail.get(path.len()..).unwrap_or_default()].concat());
    let tail = turned.as_deref().unwrap_or(tail);
    let rows = rows.iter().filter(|(_, path, _)| tail.starts_with(path));
    rows.filter_map(|(_, _, form)| form.unwrap(host, tail)).next()
}

/// Where a rewritten link leads as well, if one of its parameters is there more than once, or two of those that a service
/// reads are: which one it takes is its own affair. Of equal ones it takes the first or the last.
#[cfg(feature = "senders")]
pub(super) fn unwrap_others(host: &str, tail: &str) -> Vec<String> {
    // What most links fail on.
    if tail.bytes().filter(|byte| *byte == b'=').nth(1).is_none() {
        return Vec::new();
    }
    let path = path(tail);
    let rows = rows(host).iter().filter(|(_, begins, _)| tail.starts_with(begins));
    let named = rows.filter_map(|(_, _, form)| match form {
        WrappedForm::Query(name) | WrappedForm::Base64(name) if !name.is_empty() => {
            Some((form, *name))
        }
        WrappedForm::Proofpoint => Some((form, "u")),
        _ => None,
    });
    let targets = named.flat_map(|(form, name)| {
        let fields = query(tail).unwrap_or_default().split('&');
        let mut values = fields.filter_map(|field| value_of(field, name));
        let (first, last) = (values.next(), values.next_back());
        let lead = move |value| form.unwrap(host, &[path, "?", name, "=", value].concat());
        [first, last].into_iter().flatten().filter_map(lead)
    });
    let mut targets: Vec<String> = targets.collect();
    targets.dedup();
    targets.into_iter().skip(1).collect()
}

impl WrappedForm {
    #[cfg_attr(not(feature = "senders"), expect(unused_variables))]
    fn unwrap(self, host: &str, tail: &str) -> Option<String> {
        match self {
            WrappedForm::Query("") => target(query(tail)?),
            WrappedForm::Query(name) => target(parameter(tail, name)?),
            WrappedForm::Base64(name) => {
                let value = parameter(tail, name)?;
                base64_url(value.strip_prefix("a1").unwrap_or(value))
            }
            WrappedForm::Segment => path(tail).split('/').find_map(|segment| {
                let url = target(segment)?;
                // Neither a token nor a version number is a URL.
                (segment.contains('%') || segment.contains(':')).then_some(url)
            }),
            WrappedForm::Base64Segment => path(tail).split('/').find_map(base64_url),
            WrappedForm::Rest => {
                let at = tail.find("://").and_then(|end| tail.get(..end)?.rfind('/'))?;
                tail.get(at + 1..).map(str::to_owned)
            }
            #[cfg(feature = "senders")]
            WrappedForm::Labelled(label) => {
                let mut segments = path(tail).split('/');
                target(segments.find_map(|segment| segment.strip_prefix(label))?)
            }
            #[cfg(feature = "senders")]
            WrappedForm::JsonSegment(key) => path(tail)
                .split('/')
                .find_map(|segment| json_url(segment.split('.').next().unwrap_or_default(), key)),
            #[cfg(feature = "senders")]
            WrappedForm::Hyphenated => hyphenated(host, tail),
            WrappedForm::Between => tail.split(BETWEEN).nth(1).and_then(target),
            WrappedForm::Proofpoint => proofpoint(tail),
            WrappedForm::Mandrill => mandrill(parameter(tail, "p")?),
            WrappedForm::Token => None,
            WrappedForm::Amp => {
                let rest = tail.trim_start_matches('/');
                amp(rest.split_once('/')?.1)
            }
        }
    }
}

/// Lengths of the names with rows, as bits, by first letter: most hosts fail this test.
const LENGTHS: [u64; 32] = {
    let mut lengths = [0; 32];
    let mut rest: &[Row] = &ROWS;
    while let [(name, ..), tail @ ..] = rest {
        if let [first, ..] = name.as_bytes() {
            #[expect(clippy::indexing_slicing, reason = "evaluated by the compiler")]
            {
                lengths[(*first & 31) as usize] |= 1 << name.len();
            }
        }
        rest = tail;
    }
    lengths
};

/// Whether there may be rows for this name, by its length and first letter.
fn may_have_rows(name: &str) -> bool {
    let first = name.bytes().next().unwrap_or_default();
    let lengths = LENGTHS.get(usize::from(first & 31)).copied().unwrap_or_default();
    name.len() < 64 && lengths & 1 << name.len() != 0
}

/// The rows of the nearest name that has some.
fn rows(host: &str) -> &'static [Row] {
    let of = |name: &str| {
        if !may_have_rows(name) {
            return &[][..];
        }
        let order =
            |row: &Row| row.0.bytes().cmp(name.bytes().map(|byte| byte.to_ascii_lowercase()));
        let start = ROWS.partition_point(|row| order(row) == Ordering::Less);
        let rows = ROWS.get(start..).unwrap_or_default();
        let equal = rows.iter().take_while(|row| order(row) == Ordering::Equal).count();
        rows.get(..equal).unwrap_or_default()
    };
    let found = and_above(host).map(of).find(|rows| !rows.is_empty());
    found.unwrap_or_else(|| if is_google_elsewhere(host) { of("google.com") } else { &[] })
}

/// `www.google.de`, `google.co.uk`: all of one owner under national domains. Elsewhere the name may
/// be anybody's.
fn is_google_elsewhere(host: &str) -> bool {
    let bytes = host.as_bytes();
    let name = bytes.strip_prefix(b"www.").unwrap_or(bytes);
    let is = name.get(..7).is_some_and(|name| name.eq_ignore_ascii_case(b"google."));
    let country = || name.rsplit(|byte| *byte == b'.').next().is_some_and(|tld| tld.len() == 2);
    is && country() && host.is_ascii() && {
        let labels = name.split(|byte| *byte == b'.').count();
        labels == suffix_labels(&host.to_ascii_lowercase(), Section::Icann) + 1
    }
}

/// Decodes a value until its URL is plain: some are encoded twice.
fn decoded(value: &str) -> String {
    let mut value = percent::decode_text(value);
    for _ in 0..NESTING {
        if value.contains("://") || !value.contains('%') {
            break;
        }
        value = percent::decode_text(&value);
    }
    value
}

/// The URL encoded in base64.
fn base64_url(value: &str) -> Option<String> {
    let url = String::from_utf8(base64::decode(percent::decode_text(value).as_bytes())).ok()?;
    let url = if url.contains("://") { url } else { decoded(&url) };
    url.contains("://").then_some(url)
}

/// The URL in this string of base64-encoded JSON.
#[cfg(feature = "senders")]
fn json_url(value: &str, key: &str) -> Option<String> {
    let json = base64::decode(percent::decode_text(value).as_bytes());
    let url = json::string_of(&String::from_utf8(json).ok()?, key)?;
    url.contains("://").then_some(url)
}

/// The URL in base64-encoded JSON: in a string `url`, inside the JSON of a string `p` or beside it.
fn mandrill(value: &str) -> Option<String> {
    let json = base64::decode(percent::decode_text(value).as_bytes());
    let json = String::from_utf8(json).ok()?;
    json::string_of(&json::string_of(&json, "p").unwrap_or_default(), "url")
        .or_else(|| json::string_of(&json, "url"))
}

/// `s/HOST/…` or `HOST/…`.
fn amp(rest: &str) -> Option<String> {
    let target = rest.strip_prefix("s/").unwrap_or(rest);
    let host = target.split(['/', '\\', '?', '#']).next().unwrap_or_default();
    host.contains('.').then(|| format!("https://{target}"))
}

/// The URL of a host that is one label of a proxy's: `www-example-com`, `xn----ypal--43d9g-com`.
#[cfg(feature = "senders")]
fn hyphenated(host: &str, tail: &str) -> Option<String> {
    let (label, _) = host.split_once('.')?;
    let words: Vec<String> = label.split("--").map(|word| word.replace('-', ".")).collect();
    let host = words.join("-");
    host.contains('.').then(|| format!("https://{host}{tail}"))
}

/// The URL in a value, which may lack its scheme.
fn target(value: &str) -> Option<String> {
    let target = decoded(value);
    if let Some((scheme, rest)) = target.split_once(':')
        && (scheme.eq_ignore_ascii_case("http") || scheme.eq_ignore_ascii_case("https"))
    {
        return rest.starts_with(['/', '\\']).then_some(target);
    }
    let target = target.trim_start_matches(['/', '\\']);
    let host = target.split(['/', '?', '#', '\\']).next().unwrap_or_default();
    let bare = !host.contains(':') && host.contains('.') && !host.contains(char::is_whitespace);
    bare.then(|| format!("https://{target}"))
}

fn proofpoint(tail: &str) -> Option<String> {
    let path = tail.trim_start_matches('/');
    if path.starts_with("v1/") {
        return Some(percent::decode_text(parameter(tail, "u")?));
    }
    if path.starts_with("v2/") {
        let url = parameter(tail, "u")?.replace('-', "%").replace('_', "/");
        return Some(percent::decode_text(&url));
    }
    proofpoint_v3(path.strip_prefix("v3/__")?)
}

/// `URL__;TABLE!…`: every `*` is the next character of the table (base64url), every `**X` a run of
/// them whose length X encodes.
fn proofpoint_v3(rest: &str) -> Option<String> {
    let (url, rest) = rest.rsplit_once("__;")?;
    let table = rest.split('!').next().unwrap_or_default();
    let table = String::from_utf8(base64::decode(table.as_bytes())).ok()?;
    let mut replaced = table.chars();
    let mut out = String::with_capacity(url.len());
    let mut chars = url.chars().peekable();
    while let Some(c) = chars.next() {
        if c != '*' {
            out.push(c);
        } else if chars.next_if_eq(&'*').is_some() {
            // At least two characters: `A` is 2.
            let count =
                chars.next().and_then(|c| u8::try_from(c).ok()).and_then(base64::digit)? + 2;
            out.extend(replaced.by_ref().take(usize::from(count)));
        } else {
            out.push(replaced.next().unwrap_or('*'));
        }
    }
    // Some clients collapse the slashes of the inner URL.
    Some(if out.contains("://") { out } else { out.replacen(":/", "://", 1) })
}

/// The value of a query parameter, still encoded. HTML's `&amp;` may have been left in.
fn parameter<'a>(tail: &'a str, name: &str) -> Option<&'a str> {
    query(tail)?.split('&').find_map(|field| value_of(field, name))
}

fn value_of<'a>(field: &'a str, name: &str) -> Option<&'a str> {
    let (key, value) = field.strip_prefix("amp;").unwrap_or(field).split_once('=')?;
    key.eq_ignore_ascii_case(name).then_some(value)
}

fn query(tail: &str) -> Option<&str> {
    let (_, query) = tail.split_once('?')?;
    query.split('#').next()
}

fn path(tail: &str) -> &str {
    tail.split(['?', '#']).next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One link a line: the rewritten one, a tab, where it leads; `-` if that is unknown.
    const VECTORS: &str = include_str!("wrappers/vectors.tsv");

    fn vectors() -> impl Iterator<Item = (&'static str, &'static str, Option<&'static str>)> {
        let lines = VECTORS.lines().filter(|line| !line.starts_with('#'));
        lines.map(|line| {
            let (link, inner) = line.split_once('\t').unwrap();
            let link = link.strip_prefix("https://").unwrap();
            let at = link.find(['/', '?']).unwrap();
            (&link[..at], &link[at..], Some(inner).filter(|inner| *inner != "-"))
        })
    }

    #[cfg(feature = "senders")]
    #[test]
    fn rewritten_links_lead_where_they_did() {
        for (host, tail, inner) in vectors() {
            assert_eq!(unwrap(host, tail).as_deref(), inner, "{host}{tail}");
        }
    }

    #[cfg(feature = "senders")]
    #[test]
    fn all_that_a_service_may_take_is_where_a_link_leads() {
        for (host, tail, others) in [
            ("www.google.com", "/url?q=https://a.com/&url=https://b.net", &["https://b.net"][..]),
            ("www.google.com", "/url?url=https://b.net&q=https://a.com/", &["https://b.net"]),
            (
                "x.safelinks.protection.outlook.com",
                "/?url=https%3A%2F%2Fa.com&url=b.net",
                &["https://b.net"],
            ),
            (
                "urldefense.proofpoint.com",
                "/v2/url?u=https-3A__a.com&d=x&u=https-3A__b.net",
                &["https://b.net"],
            ),
            ("www.google.com", "/url?sa=t&url=https://a.com/&q=words", &[]),
            ("www.google.com", "/url?q=https://a.com/&url=https://a.com/", &[]),
            ("www.google.com", "/url?q=https://a.com/&sa=D", &[]),
            ("example.com", "/url?q=https://a.com/&url=https://b.net", &[]),
        ] {
            assert_eq!(unwrap_others(host, tail), others, "{host}{tail}");
        }
    }

    #[cfg(feature = "senders")]
    #[test]
    fn one_name_has_pages_of_others_under_their_own_names() {
        for row in &ROWS {
            assert_eq!(row.2 == WrappedForm::Hyphenated, row.0 == HYPHENATED, "{row:?}");
        }
        assert!(name_end_in_host("paypal-com.Translate.goog") && !name_end_in_host("goog"));
    }

    #[test]
    fn rows_are_sorted_and_each_has_a_vector() {
        assert!(ROWS.is_sorted_by_key(|row| row.0));
        for row in &ROWS {
            let has = vectors().any(|(host, tail, inner)| {
                and_above(host).any(|name| name.eq_ignore_ascii_case(row.0))
                    && tail.starts_with(row.1)
                    && row.2.unwrap(host, tail).as_deref() == inner
            });
            assert!(has, "{row:?}");
        }
    }

    #[test]
    fn strings_of_json_keep_their_escapes() {
        for (json, url) in [
            (r#"{"url":"http:\/\/\u0440aypal.com"}"#, Some("http://\u{440}aypal.com")),
            (r#"{"a":"url","url" : "x\ud83d\ude00"}"#, Some("x\u{1f600}")),
            (r#"{"a":"\"url\":\"no\"","url":"yes"}"#, Some("yes")),
            (r#"{"url":1,"url":"x"}"#, Some("x")),
            (r#"{"url":"\u04"}"#, None),
            (r#"{"url":"\u\u0440"}"#, None),
            (r#"{"url":"open"#, None),
            (r#"{"url":"\"#, None),
            ("", None),
        ] {
            assert_eq!(json::string_of(json, "url").as_deref(), url, "{json}");
        }
    }
}
