//! A host as an argument: a host name or a URL, either of them also defanged.

use std::net::Ipv4Addr;

use anyhow::bail;

use crate::config;
use crate::engine::host::{Section, registrable};
use crate::engine::link::{Kind, Target, reference};
use crate::record::defang::refang;

/// The host in lower-case A-labels: `example.com` from `example[.]com`, `hxxps://example[.]com/a`,
/// and `https://example.com:8443/`.
///
/// # Errors
/// When there is no host in the text.
pub fn parse(text: &str) -> anyhow::Result<String> {
    let plain = refang(text.trim());
    let found = match plain.contains(['/', '\\']) {
        false => config::host_name(&plain),
        true => url_host(&plain),
    };
    match found {
        Some(host) => Ok(host),
        None => bail!(
            "expected a host (example.com, example[.]com), which stands for all below it as well, \
             or a URL with one, found {:?}",
            text.trim()
        ),
    }
}

/// The host that a browser would connect to.
fn url_host(url: &str) -> Option<String> {
    let of = |url: &str| {
        let mut targets = reference::parse(url, 0..url.len());
        targets.find_map(|target| match target {
            Target::Link(link) if link.kind != Kind::Email => {
                config::host_name(&link.ascii_host(url)?)
            }
            _ => None,
        })
    };
    let bare = !url.contains("://") && !url.starts_with('/');
    if bare { of(&format!("https://{url}")) } else { of(url) }
}

/// Parses several hosts. A public suffix is refused unless `suffix` is set, because the names below
/// it belong to different owners.
///
/// # Errors
/// For the first argument that is not a host, or is such a suffix.
pub fn parse_all(texts: &[String], suffix: bool) -> anyhow::Result<Vec<String>> {
    let each = |text: &String| {
        let host = parse(text)?;
        if is_public_suffix(&host) && !suffix {
            bail!(
                "expected a host with one owner, such as example.{host}, found {host:?}: names \
                 below it have many owners (--suffix if you mean all of them)"
            );
        }
        Ok(host)
    };
    texts.iter().map(each).collect()
}

/// Whether names below it are given to different owners, by a registry or a hosting service.
pub fn is_public_suffix(host: &str) -> bool {
    let is_address = host.starts_with('[') || host.parse::<Ipv4Addr>().is_ok();
    !is_address && registrable(host, Section::Private).is_none()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_and_urls_are_parsed() {
        for (text, expected) in [
            ("example.com", "example.com"),
            (" Example.COM. ", "example.com"),
            ("example[.]com", "example.com"),
            ("hxxps://www[.]example[.]com/a?b=c[.]d", "www.example.com"),
            ("hxxp[:]//example(.)com:8080", "example.com"),
            ("https://paypal.com@evil.example/", "evil.example"),
            ("example.com/path", "example.com"),
            ("bücher[.]example", "xn--bcher-kva.example"),
            ("192.0.2.1", "192.0.2.1"),
            ("[2001:db8::1]", "[2001:db8::1]"),
            ("2001:DB8:0::1", "[2001:db8::1]"),
            ("hxxp://[2001:db8:0:0::1]:8080/a", "[2001:db8::1]"),
            ("[::1]", "[::1]"),
        ] {
            assert_eq!(parse(text).unwrap(), expected, "{text}");
        }
        for text in [
            "",
            "a b",
            "[2001:db8::x]",
            "[192.0.2.1]",
            "ann@example.com",
            "example.com\nevil.example",
            "https://",
            "javascript:x",
        ] {
            assert!(parse(text).unwrap_err().to_string().contains("expected a host"), "{text}");
        }
    }

    #[test]
    fn public_suffixes_are_recognized() {
        for name in ["com", "co.uk", "github.io", "xn--p1ai", "localhost", "uk"] {
            assert!(is_public_suffix(name), "{name}");
        }
        for name in [
            "example.com", "example.co.uk", "ann.github.io", "192.0.2.1", "[2001:db8::1]",
            "a.b.example.com",
        ] {
            assert!(!is_public_suffix(name), "{name}");
        }
    }
}
