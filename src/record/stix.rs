//! The unsafe hosts of an archive as a STIX 2.1 bundle of indicators.
//!
//! | STIX 2.1 | here |
//! | --- | --- |
//! | §2.9 identifiers | UUIDv5 of the host, so that the same archive gives the same bundle |
//! | §3.2 created, modified; §4.7 valid_from | date of the first message, 1970 if it is unknown |
//! | §4.7 indicator | one for each host of verdict `unsafe` or `invalid` whose own name deceives, or that is listed |
//! | §9 patterning | `[domain-name:value = '…']`, `ipv4-addr`, `ipv6-addr` |

use std::io::{self, Write};
use std::net::{Ipv4Addr, Ipv6Addr};

use serde::Serialize;
use uuid::Uuid;

use crate::engine::outcome::Verdict;
use crate::plural::counted;

use super::tally::{TalliedHost, Tally, verdict};

/// Namespace of our identifiers: UUIDv5 of the URL namespace and `urn:linkmilter:stix:1`.
fn namespace() -> Uuid {
    Uuid::new_v5(&Uuid::NAMESPACE_URL, b"urn:linkmilter:stix:1")
}

/// Stands for the date if no message of a host has one.
const UNDATED: &str = "1970-01-01T00:00:00Z";

#[derive(Serialize)]
struct Bundle<'a> {
    r#type: &'static str,
    id: String,
    objects: Vec<Object<'a>>,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Object<'a> {
    Identity(Identity),
    Indicator(Indicator<'a>),
}

#[derive(Serialize)]
struct Identity {
    r#type: &'static str,
    spec_version: &'static str,
    id: String,
    created: String,
    modified: String,
    name: &'static str,
    identity_class: &'static str,
}

#[derive(Serialize)]
struct Indicator<'a> {
    r#type: &'static str,
    spec_version: &'static str,
    id: String,
    created_by_ref: String,
    created: String,
    modified: String,
    name: String,
    description: String,
    indicator_types: [&'static str; 1],
    pattern: String,
    pattern_type: &'static str,
    valid_from: String,
    labels: &'a [String],
}

/// Writes the bundle.
pub fn write(out: &mut dyn Write, tally: &Tally) -> io::Result<()> {
    let author = format!("identity--{}", Uuid::new_v5(&namespace(), b"identity"));
    let mut objects = vec![Object::Identity(identity(&author))];
    let unsafe_hosts = tally
        .ranked_hosts()
        .into_iter()
        .filter(|(_, host)| host.deceives && verdict(&host.verdict) >= Verdict::Unsafe);
    let mut names = String::new();
    for (name, host) in unsafe_hosts {
        if let Some(pattern) = pattern(name) {
            names.push_str(name);
            names.push('\n');
            objects.push(Object::Indicator(indicator(&author, name, host, pattern)));
        }
    }
    let id = format!("bundle--{}", Uuid::new_v5(&namespace(), names.as_bytes()));
    serde_json::to_writer_pretty(&mut *out, &Bundle { r#type: "bundle", id, objects })?;
    out.write_all(b"\n")
}

fn identity(id: &str) -> Identity {
    Identity {
        r#type: "identity",
        spec_version: "2.1",
        id: id.to_owned(),
        created: stamp(UNDATED),
        modified: stamp(UNDATED),
        name: "linkmilter",
        identity_class: "system",
    }
}

fn indicator<'a>(
    author: &str,
    name: &str,
    host: &'a TalliedHost,
    pattern: String,
) -> Indicator<'a> {
    let first = stamp(host.first.as_deref().unwrap_or(UNDATED));
    let last = stamp(host.last.as_deref().unwrap_or(UNDATED));
    let target = host.target.as_ref().map_or(String::new(), |name| format!(", reads as {name}"));
    let defanged = super::defang::defang(&host.unicode);
    Indicator {
        r#type: "indicator",
        spec_version: "2.1",
        id: format!("indicator--{}", Uuid::new_v5(&namespace(), name.as_bytes())),
        created_by_ref: author.to_owned(),
        created: first.clone(),
        modified: last,
        name: format!("Deceptive host {defanged}"),
        description: format!(
            "Verdict {}{target}; reasons: {}; {}",
            host.verdict,
            host.reasons.join(", "),
            counted(host.messages, "message")
        ),
        indicator_types: ["malicious-activity"],
        pattern,
        pattern_type: "stix",
        valid_from: first,
        labels: &host.reasons,
    }
}

/// The pattern that matches a host; `None` if it is no possible host name.
fn pattern(name: &str) -> Option<String> {
    let bare = name.trim_start_matches('[').trim_end_matches(']');
    let bare = bare.strip_suffix('.').unwrap_or(bare);
    let object = if bare.parse::<Ipv4Addr>().is_ok() {
        "ipv4-addr"
    } else if bare.parse::<Ipv6Addr>().is_ok() {
        "ipv6-addr"
    } else if is_domain(bare) {
        "domain-name"
    } else {
        return None;
    };
    Some(format!("[{object}:value = '{bare}']"))
}

/// Whether the DNS could hold such a name (STIX §6.4): two labels or more, none empty or longer
/// than 63 octets, 253 in all.
fn is_domain(name: &str) -> bool {
    let fits = |label: &str| (1..=63).contains(&label.len()) && label.bytes().all(is_label_byte);
    name.len() <= 253 && name.contains('.') && name.split('.').all(fits)
}

fn is_label_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_')
}

/// STIX timestamps carry milliseconds.
fn stamp(date: &str) -> String {
    match date.strip_suffix('Z') {
        Some(seconds) if !seconds.contains('.') => format!("{seconds}.000Z"),
        _ => date.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::tally::tests::tally;
    use super::*;

    #[test]
    fn the_bundle() {
        let mut out = Vec::new();
        write(&mut out, &tally()).unwrap();
        let mut again = Vec::new();
        write(&mut again, &tally()).unwrap();
        assert_eq!(out, again);
        let bundle: serde_json::Value = serde_json::from_slice(&out).unwrap();
        let objects = bundle["objects"].as_array().unwrap();
        assert_eq!(objects.len(), 2);
        let indicator = &objects[1];
        assert_eq!(indicator["pattern"], "[domain-name:value = 'xn--ypal-43d9g.com']");
        assert_eq!(indicator["valid_from"], "2023-12-31T23:59:59.000Z");
        assert_eq!(indicator["created_by_ref"], objects[0]["id"]);
        assert!(indicator["modified"].as_str() >= indicator["created"].as_str());
    }

    #[test]
    fn patterns() {
        assert_eq!(pattern("192.0.2.1").unwrap(), "[ipv4-addr:value = '192.0.2.1']");
        assert_eq!(pattern("[2001:db8::1]").unwrap(), "[ipv6-addr:value = '2001:db8::1']");
        assert_eq!(pattern("a_b.example.").unwrap(), "[domain-name:value = 'a_b.example']");
        let long = format!("{}.example", "a".repeat(64));
        for name in
            ["a'b.example", "раypal.com", "", "localhost", ".a.example", "a..b", "a.", &long]
        {
            assert_eq!(pattern(name), None, "{name}");
        }
    }
}
