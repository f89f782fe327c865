//! Links that a mail security service or a redirector rewrote so that the target is not spelled out in
//! them: what they lead to.
//!
//! | service | form |
//! | --- | --- |
//! | Microsoft Defender SafeLinks | `*.safelinks.protection.outlook.com/?url=…` |
//! | Proofpoint v1 | `urldefense.proofpoint.com/v1/url?u=…` |
//! | Proofpoint v2 | `…/v2/url?u=…`, `-` for `%` and `_` for `/` |
//! | Proofpoint v3 | `urldefense.com/v3/__URL__;TABLE!…`, `*` for characters of the table |
//! | Mimecast | `*.mimecast.com/s/TOKEN?domain=HOST`, `*.mimecastprotect.com` |
//! | Sophos | `*.protection.sophos.com/?d=HOST&u=BASE64` |
//! | Bing | `bing.com/ck/a?…&u=a1BASE64` |
//! | Mandrill | `mandrillapp.com/track/click/…?p=BASE64` of JSON |
//! | AMP | `google.com/amp/s/HOST/…`, `*.cdn.ampproject.org/c/s/HOST/…` |
//! | redirectors that take a target without a scheme | `google.com/url?q=HOST/…` and others |

use serde_json::Value;

use super::domain::and_above;
use super::embedded::NESTING;
use uts58::{base64, percent};

#[derive(Clone, Copy)]
enum Service {
    SafeLinks,
    Proofpoint,
    Mimecast,
    Sophos,
    Bing,
    Mandrill,
    Amp,
    Google,
    /// A parameter of the query is the target.
    Query(&'static str),
}

/// Names below which a service rewrites.
const NAMES: [(&str, Service); 20] = [
    ("safelinks.protection.outlook.com", Service::SafeLinks),
    ("safelinks.o365.us", Service::SafeLinks),
    ("urldefense.proofpoint.com", Service::Proofpoint),
    ("urldefense.com", Service::Proofpoint),
    ("urldefense.us", Service::Proofpoint),
    ("mimecast.com", Service::Mimecast),
    ("mimecastprotect.com", Service::Mimecast),
    ("protection.sophos.com", Service::Sophos),
    ("bing.com", Service::Bing),
    ("mandrillapp.com", Service::Mandrill),
    ("cdn.ampproject.org", Service::Amp),
    ("google.com", Service::Google),
    ("l.facebook.com", Service::Query("u")),
    ("lm.facebook.com", Service::Query("u")),
    ("youtube.com", Service::Query("q")),
    ("slack-redir.net", Service::Query("url")),
    ("out.reddit.com", Service::Query("url")),
    ("steamcommunity.com", Service::Query("url")),
    ("linkedin.com", Service::Query("url")),
    ("vk.com", Service::Query("to")),
];

/// Whether links below this host are rewritten ones.
pub fn rewrites(host: &str) -> bool {
    service(host).is_some()
}

/// The URL that the rewritten link leads to; `None` when it is none of these. The tail is path,
/// query and fragment.
pub(super) fn unwrap(host: &str, tail: &str) -> Option<String> {
    match service(host)? {
        Service::SafeLinks => Some(decoded(parameter(tail, "url")?)),
        Service::Proofpoint => proofpoint(tail),
        Service::Mimecast => {
            Some(format!("https://{}/", percent::decode_text(parameter(tail, "domain")?)))
        }
        Service::Sophos => parameter(tail, "u")
            .and_then(base64_url)
            .or_else(|| Some(format!("https://{}/", decoded(parameter(tail, "d")?)))),
        Service::Bing => {
            let value = parameter(tail, "u").filter(|_| tail.starts_with("/ck/"))?;
            base64_url(value.strip_prefix("a1").unwrap_or(value))
        }
        Service::Mandrill => mandrill(parameter(tail, "p")?),
        Service::Amp => amp(tail.trim_start_matches('/').split_once('/')?.1),
        Service::Google => match tail.trim_start_matches('/').strip_prefix("amp/") {
            Some(rest) => amp(rest),
            None => ["q", "url"].iter().find_map(|name| schemeless(parameter(tail, name)?)),
        },
        Service::Query(name) => schemeless(parameter(tail, name)?),
    }
}

/// A value decoded until its URL is spelled out: some are encoded twice.
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

/// The URL that base64 holds.
fn base64_url(value: &str) -> Option<String> {
    let url = String::from_utf8(base64::decode(percent::decode_text(value).as_bytes())).ok()?;
    url.contains("://").then_some(url)
}

/// The URL in JSON in base64: in a string `url`, inside the JSON of a string `p` or beside it.
fn mandrill(value: &str) -> Option<String> {
    let json = base64::decode(percent::decode_text(value).as_bytes());
    let json = String::from_utf8(json).ok()?;
    json_string(&json_string(&json, "p").unwrap_or_default(), "url")
        .or_else(|| json_string(&json, "url"))
}

/// The string of a JSON object behind this key.
fn json_string(json: &str, key: &str) -> Option<String> {
    match serde_json::from_str::<Value>(json).ok()?.get_mut(key)?.take() {
        Value::String(value) => Some(value),
        _ => None,
    }
}

/// `s/HOST/…` or `HOST/…`.
fn amp(rest: &str) -> Option<String> {
    let target = rest.strip_prefix("s/").unwrap_or(rest);
    let host = target.split(['/', '?', '#']).next().unwrap_or_default();
    host.contains('.').then(|| format!("https://{target}"))
}

/// A target without a scheme; one with a scheme is found as such.
fn schemeless(value: &str) -> Option<String> {
    let target = decoded(value);
    let target = target.trim_start_matches(['/', '\\']);
    let host = target.split(['/', '?', '#', '\\']).next().unwrap_or_default();
    let bare = !host.contains(':') && host.contains('.') && !host.contains(char::is_whitespace);
    bare.then(|| format!("https://{target}"))
}

fn service(host: &str) -> Option<Service> {
    let known = |host: &str| NAMES.iter().find(|(name, _)| host.eq_ignore_ascii_case(name));
    and_above(host).find_map(known).map(|(_, service)| *service)
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

/// `URL__;TABLE!…`: every `*` stands for the next character of the table (base64url), every `**X`
/// for a run of them whose length X encodes.
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
            // Two characters at least: `A` is 2.
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
    let (_, query) = tail.split_once('?')?;
    let query = query.split('#').next().unwrap_or_default();
    query.split('&').find_map(|field| {
        let (key, value) = field.strip_prefix("amp;").unwrap_or(field).split_once('=')?;
        key.eq_ignore_ascii_case(name).then_some(value)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rewritten_links_lead_where_they_did() {
        for (host, tail, inner) in [
            (
                "eur01.safelinks.protection.outlook.com",
                "/?url=https%3A%2F%2Fwww.example.com%2Fa%3Fb%3Dc&data=05%7C01&reserved=0",
                "https://www.example.com/a?b=c",
            ),
            (
                "urldefense.proofpoint.com",
                "/v1/url?u=http://www.example.org/page&k=oIvRg1",
                "http://www.example.org/page",
            ),
            (
                "urldefense.proofpoint.com",
                "/v2/url?u=https-3A__www.example.org_a-2Db_c&d=DwMF",
                "https://www.example.org/a-b/c",
            ),
            (
                "urldefense.com",
                "/v3/__https://example.com/a*b__;Iw!!token$",
                "https://example.com/a#b",
            ),
            (
                "urldefense.com",
                "/v3/__https://example.com/**Ax__;w6TDtg!!token$",
                "https://example.com/äöx",
            ),
            (
                "eur01.safelinks.protection.outlook.com",
                "/?url=https%253A%252F%252Fwww.example.com%252Fa&data=05",
                "https://www.example.com/a",
            ),
            (
                "www.bing.com",
                "/ck/a?!&&p=x&u=a1aHR0cHM6Ly94bi0teXBhbC00M2Q5Zy5jb20vbG9naW4&ntb=1",
                "https://xn--ypal-43d9g.com/login",
            ),
            (
                "eu-west-1.protection.sophos.com",
                "/?d=example.com&u=aHR0cHM6Ly94bi0teXBhbC00M2Q5Zy5jb20vbG9naW4=&i=x",
                "https://xn--ypal-43d9g.com/login",
            ),
            ("eu-west-1.protection.sophos.com", "/?d=example.com&i=x", "https://example.com/"),
            (
                "mandrillapp.com",
                "/track/click/1/example.com?p=eyJzIjoiYSIsInAiOiJ7XCJ1cmxcIjpcImh0dHBzOlxcXC9cXFwveG4tLXlwYWwtNDNkOWcuY29tXFxcL2xvZ2luXCJ9In0",
                "https://xn--ypal-43d9g.com/login",
            ),
            ("www.google.com", "/amp/s/example.com/a", "https://example.com/a"),
            ("www.google.com", "/url?sa=t&q=example.com%2Fa", "https://example.com/a"),
            ("a-com.cdn.ampproject.org", "/c/s/example.com/a", "https://example.com/a"),
            ("l.facebook.com", "/l.php?u=example.com%2Fa", "https://example.com/a"),
            ("protect-eu.mimecast.com", "/s/AbCdEf?domain=example.com", "https://example.com/"),
        ] {
            assert_eq!(unwrap(host, tail).as_deref(), Some(inner), "{host}{tail}");
        }
        assert_eq!(unwrap("example.com", "/?url=https://example.org/"), None);
        assert_eq!(unwrap("urldefense.com", "/v3/__"), None);
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
            assert_eq!(json_string(json, "url").as_deref(), url, "{json}");
        }
    }
}
