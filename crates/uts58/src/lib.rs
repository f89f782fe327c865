//! UTS #58: links and mail addresses in running text.
//!
//! | standard | here |
//! | --- | --- |
//! | UTS #58 §3.2 initiation, §5.2 address detection | `candidate` |
//! | what a host may be: WHATWG hosts, S9–S14 | `authority`, [`ipv4`] |
//! | what a scheme does | [`scheme`] |
//! | UTS #58 §3.5.1 termination | `termination` |
//! | S28: a URL with certain bounds | [`mod@reference`] |
//! | RFC 3696: addresses, names (S14, S16, S17) | [`Address`], [`domain_to_ascii`] |
//! | RFC 6068: `mailto:` and similar schemes | [`mailto`] |
//! | S12, S15: `href` | [`Link::href`], [`Link::ascii_host`] |
//! | UTS #58 §4 minimal escaping (UTS58-C2) | [`format()`], [`Url`] |
//! | text to HTML with anchors | [`html`] |
//! | UTS #58 §8: adjusted boundaries (S3, S8, S12, S27) | [`Linkifier`], `prose` |
//! | S27, S29: what careless clients link | [`Boundaries::Wide`], `wide` |
//!
//! [`detect`] is the conforming detector (UTS58-C1, UTS58-C3); [`Linkifier`] is the layer above it,
//! which knows the existing top-level domains and the habits of writers. To make links in running
//! text, use [`Linkifier`]; it also reads Chinese and Japanese about ten times as fast: strictly
//! by the standard, two sentences with a full stop between them are a host, and [`detect`] has to
//! check each.
//!
//! ```
//! use uts58::detect;
//!
//! let text = "See http://пример.испытание/путь(1), or mail info@例子.中国.";
//! let links: Vec<&str> = detect(text).map(|link| &text[link.span]).collect();
//! assert_eq!(links, ["http://пример.испытание/путь(1)", "info@例子.中国"]);
//! ```
//!
//! Without default features the crate is `no_std` and needs only an allocator. The feature `std`
//! adds sets of the standard library as top-level domains, hashed tables of them, and searches that
//! use what the processor supports; `suffixes`, the Public Suffix List, needs it, because the list
//! is unpacked once for all threads.

#![cfg_attr(not(test), no_std)]
#![forbid(unsafe_code)]
#![warn(missing_docs)]
#![deny(clippy::disallowed_methods, clippy::disallowed_types)]

extern crate alloc;
#[cfg(feature = "std")]
extern crate std;

mod address;
mod authority;
pub mod base64;
mod candidate;
mod defanged;
mod encoded;
mod escape;
mod finder;
pub mod front_coded;
#[cfg(test)]
mod generated;
mod href;
pub mod html;
pub mod ipv4;
mod linkifier;
pub mod mailto;
pub mod percent;
mod prose;
pub mod reference;
pub mod scheme;
#[cfg(feature = "suffixes")]
pub mod suffixes;
mod termination;
pub mod tlds;
pub mod unicode;
mod walk;
mod wide;

use core::ops::Range;

pub use address::{Address, AddressError, HostForm, LocalForm, domain_to_ascii, quoted};
pub use authority::begins_with_www;
use candidate::{Candidates, ReadingMode, is_flawed};
pub use escape::{Escaping, Url, format};
pub use linkifier::{Boundaries, Linkifier, Links};
pub use mailto::mailto_addresses;
pub use percent::encoded as percent_encoded;
pub use reference::Target;
pub use unicode::ascii_form::to_ascii;
pub use wide::{KnownEnds, known_end};

/// How a URL can be recognised.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// An explicit scheme: `http:`, `https:`, `ftp:`.
    Scheme,
    /// `www.` without a scheme.
    Www,
    /// A bare host.
    Bare,
    /// A mail address, with or without `mailto:`.
    Email,
}

impl Kind {
    /// Whether every client that makes links links it: a scheme or `www.` marks a URL.
    pub fn is_announced(self) -> bool {
        matches!(self, Kind::Scheme | Kind::Www)
    }
}

/// How sure the linkifier is that the writer meant a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Confidence {
    /// The writer meant a link: a client may link it by default.
    Sure,
    /// File-like bare names (`helpers.py`, `M.Sc`): found, but not linked by default.
    Low,
}

/// A link in a text, as byte ranges on character boundaries.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Link {
    /// The whole link. From [`Linkifier`] it may begin with prose joined to the host (S27): see
    /// `inner`.
    pub span: Range<usize>,
    /// Where the link begins without the joined prose: what a linkifier links. Equals the start of
    /// `span` if there is none. Judge both readings.
    pub inner: usize,
    /// How it was recognised, which also decides what a click does.
    pub kind: Kind,
    /// The host as spelled, with the brackets of IPv6, without port and root dot.
    pub host: Range<usize>,
    /// The userinfo without its `@` (URLs); the local part (addresses).
    pub user: Option<Range<usize>>,
    /// Digits of the port.
    pub port: Option<Range<usize>>,
    /// From the first `/`, `?` or `#` to the end; empty if there is none.
    pub tail: Range<usize>,
    /// Already defanged, so that no client links a piece of it: every dot of the host is bracketed
    /// (`example[.]com`), or, for a bare host, every one before an existing top-level domain.
    pub defanged: bool,
    /// Whether to link it by default, or only to offer it.
    pub confidence: Confidence,
}

impl Link {
    /// The bytes to link: [`Link::span`] without the prose that is joined to the host, if there is any.
    ///
    /// ```
    /// use uts58::Linkifier;
    ///
    /// let text = "サーバーexample.comです";
    /// let link = Linkifier::new(&["com"]).links(text).next().unwrap();
    /// assert_eq!(&text[link.shown()], "example.com");
    /// ```
    pub fn shown(&self) -> Range<usize> {
        self.inner..self.span.end
    }

    /// Whether the scheme calls a program, which opens what the link contains: then `host` is the
    /// scheme itself. Otherwise the host begins after the scheme.
    pub fn is_for_program(&self) -> bool {
        self.kind == Kind::Scheme && self.host.start == self.span.start
    }

    /// A link that consists of its host.
    fn of_host(kind: Kind, host: Range<usize>) -> Link {
        Link {
            span: host.clone(),
            inner: host.start,
            kind,
            user: None,
            port: None,
            tail: host.end..host.end,
            defanged: false,
            confidence: Confidence::Sure,
            host,
        }
    }

    /// The link in a larger text in which this text begins at byte `by`.
    #[must_use]
    pub fn shifted(self, by: usize) -> Link {
        let shift = |range: Range<usize>| range.start + by..range.end + by;
        Link {
            span: shift(self.span),
            inner: self.inner + by,
            host: shift(self.host),
            user: self.user.map(shift),
            port: self.port.map(shift),
            tail: shift(self.tail),
            ..self
        }
    }
}

/// Every link and mail address in the text, in order and disjoint, strictly by UTS #58.
///
/// Linear in the text (S18). Top-level domains are checked by syntax only (S10).
pub fn detect(text: &str) -> Detect<'_> {
    Detect(Candidates::new(text, ReadingMode::Letter, u64::MAX))
}

/// The links of a text: see [`detect`].
#[derive(Clone, Debug)]
pub struct Detect<'t>(Candidates<'t>);

impl Detect<'_> {
    /// Bytes examined so far, each as often as it was read: a measure of work without a clock.
    pub fn steps(&self) -> u64 {
        self.0.steps()
    }
}

impl Iterator for Detect<'_> {
    type Item = Link;

    fn next(&mut self) -> Option<Link> {
        self.0.by_ref().find(|link| !is_flawed(link))
    }
}

/// The examples of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
