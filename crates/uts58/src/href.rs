//! A link as an `href`: ASCII only, complete, its host in A-labels.
//!
//! | clause | here |
//! | --- | --- |
//! | UASG 001 rec. 2: an implied scheme is `http://` | [`Link::href`] |
//! | S12: the href has `.` | [`Link::ascii_host`] |
//! | S15: controls and invisible characters escaped | `percent::encoded` |
//! | S17: `mailto:` | `address::mailto` |

use alloc::borrow::{Cow, ToOwned};
use alloc::format;
use alloc::string::String;

use idna::uts46::{AsciiDenyList, Hyphens};

use super::{Kind, Link, address, defanged, percent};
use crate::unicode::ascii_form;

impl Link {
    /// The host as spelled.
    #[inline]
    pub fn host_str<'t>(&self, text: &'t str) -> &'t str {
        text.get(self.host.clone()).unwrap_or_default()
    }

    /// The host with plain dots, if some of its dots are bracketed: it was defanged, perhaps only
    /// in part ([`Link::defanged`]).
    pub fn refanged_host(&self, text: &str) -> Option<String> {
        defanged::refanged(self.host_str(text))
    }

    /// The host in A-label form (UTS #46 ToASCII, lower case); `None` if it has none.
    pub fn ascii_host(&self, text: &str) -> Option<String> {
        let host = plain(text.get(self.inner.max(self.host.start)..self.host.end)?);
        if host.starts_with('[') {
            return Some(host.to_ascii_lowercase());
        }
        ascii_form::to_ascii_without(AsciiDenyList::URL, &percent::decode(&host).bytes)
    }

    /// The host in U-label form (UTS #46 ToUnicode, lower case); `None` if it has none.
    pub fn unicode_host(&self, text: &str) -> Option<String> {
        let ascii = self.ascii_host(text)?;
        if ascii.starts_with('[') {
            return Some(ascii);
        }
        let mapped = ascii_form::mapped(ascii.as_bytes(), AsciiDenyList::URL, Hyphens::Allow);
        mapped.map(Cow::into_owned)
    }

    /// The URL to give to a browser, ASCII only; `None` if the host has no ASCII form, or is none
    /// ([`Link::is_for_program`]).
    ///
    /// Userinfo is left out: no link that this crate makes has any (S5). A link that leaves its scheme open
    /// (`//example.com/`, as [`mod@reference`](crate::reference) reads it) gets `http`.
    pub fn href(&self, text: &str) -> Option<String> {
        let host = self.ascii_host(text).filter(|_| !self.is_for_program())?;
        let tail = percent::encoded(text.get(self.tail.clone())?);
        if self.kind == Kind::Email {
            let local = self.user.clone()?;
            let local = text.get(self.inner.max(local.start)..local.end)?;
            return Some(address::mailto(local, &host) + &tail);
        }
        let spelled = text.get(self.span.start..)?;
        let scheme = match self.kind {
            Kind::Scheme if !spelled.starts_with(['/', '\\']) => {
                spelled.split(':').next()?.to_ascii_lowercase()
            }
            _ => "http".to_owned(),
        };
        let port = match &self.port {
            Some(port) => {
                let digits = |port: &&str| port.bytes().all(|byte| byte.is_ascii_digit());
                format!(":{}", text.get(port.clone()).filter(digits)?)
            }
            None => String::new(),
        };
        Some(format!("{scheme}://{host}{port}{tail}"))
    }
}

fn plain(host: &str) -> Cow<'_, str> {
    defanged::refanged(host).map_or(Cow::Borrowed(host), Cow::Owned)
}
