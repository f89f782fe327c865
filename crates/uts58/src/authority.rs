//! What a host may be: its form, not whether it misleads.
//!
//! | clause | here |
//! | --- | --- |
//! | S4: the root dot | [`root_dot`] |
//! | S9: registrable, ICANN section of the Public Suffix List | `registrable` |
//! | S10: syntax of the top-level domain | [`NameShape::has_tld`] |
//! | S12: separators, S13: deviation characters | [`Class`] |
//! | S14: lengths; port at most 65535 | [`fits`], [`port`] |
//! | WHATWG URL: IPv4 and IPv6 | [`is_host`], [`ipv6_end`] |

#[cfg(feature = "suffixes")]
mod registrable;
pub(super) mod settled;

use alloc::borrow::Cow;
use alloc::string::String;
use core::net::Ipv6Addr;
use core::ops::Range;

use idna::punycode;
use idna::uts46::{AsciiDenyList, Hyphens};

use super::encoded::{self, LABEL, NAME};
use super::walk::plain_bytes;
use super::{ipv4, percent};
use crate::unicode::hosts::is_kept;
use crate::unicode::punycode::at_most;
use crate::unicode::{Class, a_label, ascii_form, is_dot_to_somebody};

/// A label of this many non-ASCII characters is within [`LABEL`], whatever they are: at most six
/// Punycode digits each.
const SURELY_FITS: usize = 9;

/// First byte of あ, the first character of [`Class::is_plain`].
const PLAIN_LEAD: u8 = 0xE3;

/// The shape of a dotted name.
#[derive(Clone, Debug)]
pub(super) struct NameShape {
    labels: usize,
    /// Range of the last label in the name.
    last: Range<usize>,
    last_is_letters: bool,
    /// Whether every label is ASCII.
    ascii: bool,
    /// Whether all separators are full stops.
    full_stops: bool,
    /// Whether some label might be longer than [`LABEL`] in ASCII form.
    long_label: bool,
    /// Whether no label can be too long if all of the name is settled, whatever characters it has.
    surely_fits: bool,
    /// Characters that it has then at most in ASCII form, with a dot behind it.
    at_most: usize,
    /// Whether UTS #46 leaves all characters beyond ASCII unchanged.
    settled: bool,
}

impl NameShape {
    /// Reads a name; `None` if a label is empty, begins or ends with a hyphen, or is surely too long.
    pub(super) fn read(name: &str) -> Option<NameShape> {
        let mut form = NameShape {
            labels: 0,
            last: 0..name.len(),
            last_is_letters: true,
            ascii: true,
            full_stops: true,
            long_label: false,
            surely_fits: true,
            at_most: 0,
            settled: true,
        };
        let read = match name.is_ascii() {
            true => form.read_ascii(name.as_bytes()),
            false => form.read_any(name),
        };
        read.map(|()| form)
    }

    /// The same for ASCII, the common case.
    fn read_ascii(&mut self, name: &[u8]) -> Option<()> {
        let mut begins = 0;
        let mut before = b'.';
        for (at, byte) in name.iter().copied().enumerate() {
            // Dots and hyphens are less than all other characters of hosts.
            if byte < b'0' {
                match (before, byte) {
                    (b'.' | b'-', b'.') | (b'.', b'-') => return None,
                    (_, b'.') => {
                        self.labels += 1;
                        self.long_label |= at - begins > LABEL;
                        begins = at + 1;
                    }
                    _ => {}
                }
            }
            before = byte;
        }
        if matches!(before, b'.' | b'-') {
            return None;
        }
        self.labels += 1;
        self.long_label |= name.len() - begins > LABEL;
        self.last.start = begins;
        self.last_is_letters = name.get(begins..)?.iter().all(u8::is_ascii_alphabetic);
        Some(())
    }

    fn read_any(&mut self, name: &str) -> Option<()> {
        let mut label = LabelShape::default();
        let mut rest = name.chars();
        loop {
            let behind = rest.as_str();
            if behind.as_bytes().first().is_some_and(|lead| *lead >= PLAIN_LEAD) {
                let plain = plain_bytes(behind.as_bytes());
                if plain > 0 {
                    label.push_plain(plain / 3);
                    rest = behind.get(plain..)?.chars();
                }
            }
            // Each character takes at least one digit.
            if label.kept > LABEL - a_label::PREFIX.len() {
                return None;
            }
            match rest.next() {
                None => break,
                Some(c) if is_dot_to_somebody(c) => {
                    self.full_stops &= c == '.';
                    label.close(self)?;
                    self.last.start = name.len() - rest.as_str().len();
                    label = LabelShape::default();
                }
                Some(c) => label.push(c),
            }
        }
        label.close(self)
    }

    fn is_domain(&self, name: &str) -> bool {
        self.labels >= 2
            && self.has_tld(name)
            && fits(name, self)
            && registrable::is_registrable(name, self)
    }

    /// S10: at least two letters if ASCII, only letters and marks otherwise, or a valid A-label.
    fn has_tld(&self, name: &str) -> bool {
        if self.ascii && self.last_is_letters {
            return self.last.len() >= 2;
        }
        let Some(last) = name.get(self.last.clone()) else { return false };
        if self.last_is_letters {
            return !last.is_ascii() || last.len() >= 2;
        }
        match last.split_at_checked(a_label::PREFIX.len()) {
            Some((prefix, encoded))
                if prefix.eq_ignore_ascii_case(a_label::PREFIX) && last.len() <= LABEL =>
            {
                punycode::decode_to_string(&encoded.to_ascii_lowercase()).is_some_and(|label| {
                    !label.is_ascii() && label.chars().all(|c| Class::of(c).is_tld())
                })
            }
            _ => false,
        }
    }
}

/// The state of the label that is being read.
#[derive(Debug)]
struct LabelShape {
    first: Option<char>,
    last_char: char,
    letters: bool,
    ascii: usize,
    other: usize,
    /// Characters that UTS #46 neither drops nor joins with others than marks.
    kept: usize,
    /// Whether UTS #46 leaves all of them unchanged, unless it refuses the label.
    settled: bool,
}

impl Default for LabelShape {
    fn default() -> Self {
        LabelShape {
            first: None,
            last_char: '\0',
            letters: true,
            ascii: 0,
            other: 0,
            kept: 0,
            settled: true,
        }
    }
}

impl LabelShape {
    /// Adds `count` characters of [`Class::PLAIN`].
    fn push_plain(&mut self, count: usize) {
        const ANY: char = '一';
        self.other += count;
        self.kept += count;
        self.first.get_or_insert(ANY);
        self.last_char = ANY;
    }

    fn push(&mut self, c: char) {
        if c.is_ascii() {
            self.ascii += 1;
            self.letters &= c.is_ascii_alphabetic();
        } else {
            self.other += 1;
            let kept = is_kept(c);
            self.settled &= kept;
            self.kept += usize::from(kept);
            let class = Class::of(c);
            if class.is_ignored() {
                return;
            }
            self.letters &= class.is_tld();
        }
        self.first.get_or_insert(c);
        self.last_char = c;
    }

    fn close(&self, form: &mut NameShape) -> Option<()> {
        if self.first? == '-' || self.last_char == '-' {
            return None;
        }
        form.labels += 1;
        form.last_is_letters = self.letters;
        form.ascii &= self.other == 0;
        form.settled &= self.settled;
        let at_most = at_most(self.ascii, self.other);
        form.surely_fits &= at_most <= LABEL;
        form.at_most += at_most + 1;
        form.long_label |= self.ascii + self.other > LABEL
            || (self.other > SURELY_FITS)
            || (self.other > 0 && self.ascii + 6 * self.other + 5 > LABEL);
        Some(())
    }
}

/// Fast test for most linkable names: ASCII, short, below a top-level domain where every name is
/// registrable. Returns `false` for some linkable names.
pub(super) fn is_plain_domain(name: &str) -> bool {
    let Some((labels, end)) = name.as_bytes().split_last_chunk() else { return false };
    if name.len() > LABEL || !registrable::is_flat_tld(end) {
        return false;
    }
    let mut before = b'.';
    for byte in labels.iter().copied() {
        let plain = (b'0'..0x80).contains(&byte)
            || byte == b'.' && !matches!(before, b'.' | b'-')
            || byte == b'-' && before != b'.';
        if !plain {
            return false;
        }
        before = byte;
    }
    !matches!(before, b'.' | b'-')
}

/// Whether the name may be linked: two labels, a top-level domain, registrable, not too long.
pub(super) fn is_domain(text: &str, host: Range<usize>) -> bool {
    let name = text.get(host).unwrap_or_default();
    is_plain_domain(name) || NameShape::read(name).is_some_and(|form| form.is_domain(name))
}

/// Whether a name says by its first label that it is of the web, in letters of either case.
pub fn begins_with_www(host: &str) -> bool {
    host.as_bytes().first_chunk().is_some_and(|start: &[u8; 4]| start.eq_ignore_ascii_case(b"www."))
}

/// Whether the name is a domain to browsers, which take labels that begin or end with hyphens
/// (WHATWG URL §3.5: CheckHyphens is false) although no registry does: `example.com-.attack.example`.
pub(super) fn is_domain_to_browsers(text: &str, host: Range<usize>) -> bool {
    let name = text.get(host).unwrap_or_default();
    if !name.contains("-.") && !name.contains(".-") {
        return false;
    }
    let name = name.replace("-.", "x.").replace(".-", ".x");
    is_domain(&name, 0..name.len())
}

/// Whether the text after `scheme://` is a host: a domain, or an IPv4 address in any spelling.
#[inline]
pub(super) fn is_host(text: &str, host: Range<usize>) -> bool {
    let name = text.get(host).unwrap_or_default();
    if is_plain_domain(name) {
        return true;
    }
    let Some(form) = NameShape::read(name) else { return false };
    if !form.last_is_letters
        && let Some(plain) = plain_digits(name)
        && ipv4::is_number(plain.rsplit('.').next().unwrap_or_default())
    {
        return ipv4::parse(&plain).is_some();
    }
    form.is_domain(name)
}

/// A name as browsers read it for numbers: other dots become full stops, wide digits plain ones.
fn plain_digits(name: &str) -> Option<Cow<'_, str>> {
    /// Octets of UTF-8; four numbers with leading zeros have fewer.
    const LONGEST: usize = 256;
    if name.is_ascii() {
        return Some(Cow::Borrowed(name));
    }
    let short = Some(name).filter(|name| name.len() <= LONGEST)?;
    let name = short.replace(is_dot_to_somebody, ".");
    let mapped = ascii_form::mapped(name.as_bytes(), AsciiDenyList::EMPTY, Hyphens::Allow);
    mapped.map(|mapped| Cow::Owned(mapped.into_owned()))
}

/// The same for a name that may contain `%XX`.
pub(super) fn is_spelled_host(name: &str) -> bool {
    if !name.contains('%') {
        return is_host(name, 0..name.len());
    }
    percent_decoded(name).is_some_and(|name| is_host(&name, 0..name.len()))
}

/// The name with `%XX` decoded, as browsers do first; `None` if the result is no name.
fn percent_decoded(name: &str) -> Option<String> {
    let decoded = String::from_utf8(percent::decode(name).bytes).ok()?;
    decoded.chars().all(|c| Class::of(c).is_host_or_dot()).then_some(decoded)
}

/// S14, for the name as it is in the DNS.
fn fits(name: &str, form: &NameShape) -> bool {
    if form.ascii && form.full_stops {
        return name.len() <= NAME && !form.long_label;
    }
    if name.len() <= LABEL && !form.long_label
        || form.settled && form.surely_fits && form.at_most <= NAME + 1
    {
        return true;
    }
    // Four octets of UTF-8 for each character: a longer name cannot fit and is not converted. Ignored characters
    // do not count.
    let seen: String;
    let mut name = name;
    if name.len() > 4 * NAME {
        seen = name.chars().filter(|c| !Class::of(*c).is_ignored()).collect();
        if seen.len() > 4 * NAME {
            return false;
        }
        name = &seen;
    }
    if form.settled {
        return encoded::fits(name);
    }
    // One that UTS #46 refuses cannot be linked, but a reader sees it.
    match ascii_form::mapped(name.as_bytes(), AsciiDenyList::EMPTY, Hyphens::Allow) {
        Some(mapped) => encoded::fits_unmapped(&mapped),
        None => encoded::fits_unmapped(name),
    }
}

/// S9 needs the list: without it every name below a top-level domain is registrable.
#[cfg(not(feature = "suffixes"))]
mod registrable {
    pub(super) fn is_flat_tld(_: &[u8; 4]) -> bool {
        false
    }

    pub(super) fn is_registrable(_: &str, form: &super::NameShape) -> bool {
        form.labels > 1
    }

    pub(super) fn is_below_suffix(_: &str, labels: usize) -> bool {
        labels > 1
    }

    pub(super) fn is_flat(_: &str) -> bool {
        true
    }
}

/// The end of `[…]` at this place, if it contains an IPv6 address.
pub(super) fn ipv6_end(text: &str, at: usize) -> Option<usize> {
    /// Bytes of the longest spelling, with an embedded IPv4 address.
    const LONGEST: usize = 45;
    let rest = text.as_bytes().get(at + 1..)?;
    let length = rest.iter().take(LONGEST + 1).position(|byte| *byte == b']')?;
    let address = text.get(at + 1..at + 1 + length)?;
    address.parse::<Ipv6Addr>().ok().map(|_| at + length + 2)
}

/// S4: the length in bytes of a root dot that is followed by a port, path, query or fragment; else
/// 0.
#[inline]
pub(super) fn root_dot(text: &str, at: usize) -> usize {
    match text.as_bytes().get(at) {
        Some(b'.' | 0x80..) => root_dot_of(text.get(at..).unwrap_or_default()),
        _ => 0,
    }
}

fn root_dot_of(rest: &str) -> usize {
    let mut chars = rest.chars();
    match chars.next() {
        Some(dot) if Class::of(dot).is_dot() => {
            let behind = chars.as_str().trim_start_matches(':');
            let colons = chars.as_str().len() - behind.len();
            let digits = behind.bytes().take(6).take_while(u8::is_ascii_digit).count();
            let after = match (colons, digits) {
                (0, _) => behind.bytes().next(),
                (1, 1..=5) => behind.as_bytes().get(digits).copied(),
                _ => None,
            };
            if matches!(after, Some(b'/' | b'?' | b'#')) { dot.len_utf8() } else { 0 }
        }
        _ => 0,
    }
}

/// What is in the place of a port.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Port {
    None,
    /// Its digits.
    Digits(Range<usize>),
    /// Above 65535.
    TooBig,
}

/// Reads `:` and digits. Digits that continue as a word are no port.
pub(super) fn port(text: &str, at: usize) -> Port {
    let bytes = text.as_bytes();
    if bytes.get(at) != Some(&b':') {
        return Port::None;
    }
    let digits = bytes.get(at + 1..).unwrap_or_default();
    let length = digits.iter().take_while(|byte| byte.is_ascii_digit()).count();
    if length == 0 || digits.get(length).is_some_and(u8::is_ascii_alphabetic) {
        return Port::None;
    }
    let value = text.get(at + 1..at + 1 + length).and_then(|digits| digits.parse::<u16>().ok());
    if value.is_some() { Port::Digits(at + 1..at + 1 + length) } else { Port::TooBig }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, cases: 4000, ..ProptestConfig::default() })]

        #[test]
        fn what_is_plainly_a_domain_is_one(
            name in "([a-cA-Z0-9.é-]{0,9}|[a-z]{60,70})(\\.|-|)(com|NET|org|co|de|co\\.uk)",
        ) {
            let whole = NameShape::read(&name).is_some_and(|form| form.is_domain(&name));
            prop_assert!(whole || !is_plain_domain(&name));
        }
    }
}
