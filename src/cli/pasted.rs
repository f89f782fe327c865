//! A host as people have it at hand: its name, a URL, and either one taken apart for a report.

use std::net::Ipv4Addr;

use anyhow::bail;

use crate::config;
use crate::engine::host::{Section, registrable};
use crate::engine::link::{Kind, Target, reference};
use crate::record::defang::refang;

/// The host in lower-case A-labels: `example.com` of `example[.]com`, `hxxps://example[.]com/a`, and
/// `https://example.com:8443/`.
///
/// # Errors
/// When there is none in it.
pub fn host(text: &str) -> anyhow::Result<String> {
    let plain = refang(text.trim());
    let found = match plain.contains(['/', '\\']) {
        false => config::host_name(&plain),
        true => of_url(&plain),
    };
    match found {
        Some(host) => Ok(host),
        None => bail!(
            "expected a host (example.com, example[.]com) or a URL with one, found {:?}",
            text.trim()
        ),
    }
}

/// The host that a browser would go to.
fn of_url(url: &str) -> Option<String> {
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

/// The hosts of a command line; one below which names belong to many is refused unless `suffix` says that
/// it is meant.
///
/// # Errors
/// The first that is no host, or belongs to many.
pub fn hosts(texts: &[String], suffix: bool) -> anyhow::Result<Vec<String>> {
    let each = |text: &String| {
        let host = host(text)?;
        if is_suffix(&host) && !suffix {
            bail!(
                "expected a host of somebody's own, such as example.{host}, found {host:?}: names \
                 below it belong to many (--suffix if all of them are meant)"
            );
        }
        Ok(host)
    };
    texts.iter().map(each).collect()
}

/// Whether registries or hosters give out names below it, so that it is nobody's own.
pub fn is_suffix(host: &str) -> bool {
    host.parse::<Ipv4Addr>().is_err() && registrable(host, Section::Private).is_none()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_pasted_is_understood() {
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
        ] {
            assert_eq!(host(text).unwrap(), expected, "{text}");
        }
        for text in
            ["", "a b", "ann@example.com", "example.com\nevil.example", "https://", "javascript:x"]
        {
            assert!(host(text).unwrap_err().to_string().contains("expected a host"), "{text}");
        }
    }

    #[test]
    fn suffixes_are_nobodys_own() {
        for name in ["com", "co.uk", "github.io", "xn--p1ai", "localhost", "uk"] {
            assert!(is_suffix(name), "{name}");
        }
        for name in
            ["example.com", "example.co.uk", "ann.github.io", "192.0.2.1", "a.b.example.com"]
        {
            assert!(!is_suffix(name), "{name}");
        }
    }
}
