//! Mail addresses and domain names as an application should check them (RFC 3696), with
//! internationalized ones (RFC 6531).
//!
//! | clause | here |
//! | --- | --- |
//! | RFC 3696 §2, §5; UASG 000 1.2a, 1.2b: names | [`domain_to_ascii`] |
//! | RFC 3696 §3; UASG 000 1.3: local parts | [`Address::parse`], [`LocalForm`] |
//! | RFC 3696 §3: an IP address in brackets | [`HostForm::Literal`] |
//! | RFC 3696 §4.3, table 1; RFC 6068 §2 (S17) | [`Address::to_mailto`] |
//! | UTS #58 §5.3: minimal quoting | [`quoted`] |
//! | S14: lengths | [`LOCAL_OCTETS`] |
//! | S16: the RFC's unquoted backslash forms | [`LocalForm::Legacy`] |

use alloc::borrow::{Cow, ToOwned};
use alloc::string::{String, ToString};
use core::fmt;
use core::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use idna::uts46::{AsciiDenyList, Hyphens};
use thiserror::Error;

use super::encoded::NAME;
use super::percent;
use crate::unicode::{LinkTerm, a_label, ascii_form, link_email, link_term};

/// Longest local part, octets of UTF-8.
pub const LOCAL_OCTETS: usize = 64;

/// Why a string is no mail address, or no domain name.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum AddressError {
    /// No `@` at all.
    #[error("expected an @ between local part and domain, found none")]
    NoAtSign,
    /// Nothing precedes the last `@`.
    #[error("expected a local part before the @, found none")]
    EmptyLocalPart,
    /// Octets of a local part that is longer than `LOCAL_OCTETS` (RFC 5321 §4.5.3.1.1).
    #[error("expected at most {LOCAL_OCTETS} octets before the @, found {0}")]
    LongLocalPart(usize),
    /// Byte offset of a dot that begins or ends the local part, or follows another (RFC 5322
    /// §3.2.3).
    #[error(
        "expected a dot only between other characters of the local part, found one at byte {0}"
    )]
    MisplacedDot(usize),
    /// A character that is allowed only in quotation marks (RFC 5322 §3.2.3, `atext`).
    #[error("expected no {found:?} in an unquoted local part, found one at byte {at}")]
    Character {
        /// The character itself.
        found: char,
        /// Its byte offset in the text.
        at: usize,
    },
    /// The local part begins with a quotation mark and does not end with one.
    #[error("expected a closing quotation mark before the @")]
    OpenQuote,
    /// The text in brackets, which is no address (RFC 5321 §4.1.3).
    #[error("expected an IPv4 address or IPv6:… in brackets, found {0:?}")]
    Literal(String),
    /// A domain without a dot, as written: `localhost`.
    #[error("expected two labels or more, found {0:?}")]
    OneLabel(String),
    /// The last label, which is neither an A-label nor two or more letters (S10).
    #[error("expected a top-level domain of letters, found {0:?}")]
    TopLevel(String),
    /// The domain, with an empty, overlong or misspelled label (RFC 1123 §2.1, UTS #46).
    #[error("expected labels of letters, digits and inner hyphens, 63 octets at most, found {0:?}")]
    Labels(String),
}

/// How a local part is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LocalForm {
    /// Atoms and dots.
    Dotted,
    /// In quotation marks.
    Quoted,
    /// A backslash outside quotation marks: in RFC 3696 §3, but not in its verified errata and RFC
    /// 5321.
    Legacy,
}

/// What follows the `@`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum HostForm {
    /// A name, in ASCII form.
    Domain(String),
    /// An address in brackets: `[192.0.2.1]`, `[IPv6:2001:db8::1]` (RFC 5321 §4.1.3).
    Literal(IpAddr),
}

/// A valid mail address.
///
/// ```
/// use uts58::{Address, LocalForm};
///
/// let address = Address::parse(r#""Fred Bloggs"@bücher.example"#)?;
/// assert_eq!(address.form, LocalForm::Quoted);
/// assert_eq!(address.to_mailto(), "mailto:%22Fred%20Bloggs%22@xn--bcher-kva.example");
/// assert_eq!(address.to_string(), r#""Fred Bloggs"@xn--bcher-kva.example"#);
/// # Ok::<(), uts58::AddressError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Address<'a> {
    /// As written, with quotation marks.
    pub local: &'a str,
    /// How [`Address::local`] is spelled.
    pub form: LocalForm,
    /// Where mail for it goes.
    pub host: HostForm,
}

impl<'a> Address<'a> {
    /// Checks an address, but not whether its top-level domain exists (S10).
    pub fn parse(text: &'a str) -> Result<Address<'a>, AddressError> {
        let at_sign = text.rfind('@').ok_or(AddressError::NoAtSign)?;
        let local = text.get(..at_sign).unwrap_or_default();
        let domain = text.get(at_sign + 1..).unwrap_or_default();
        let form = LocalForm::read(local)?;
        let host = match domain.strip_prefix('[') {
            Some(literal) => HostForm::Literal(address_literal(literal)?),
            None => HostForm::Domain(domain_to_ascii(domain)?),
        };
        Ok(Address { local, form, host })
    }

    /// The address as a `mailto:` URL, ASCII only: escapes what RFC 3696 §4.3 lists, and what
    /// separates addresses or fields in RFC 6068.
    pub fn to_mailto(&self) -> String {
        mailto(self.local, &self.host.to_string())
    }
}

impl<'a> TryFrom<&'a str> for Address<'a> {
    type Error = AddressError;

    fn try_from(text: &'a str) -> Result<Address<'a>, AddressError> {
        Address::parse(text)
    }
}

/// The local part as written, an at sign, and the host in ASCII form.
impl fmt::Display for Address<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}@{}", self.local, self.host)
    }
}

/// As it stands in an address.
impl fmt::Display for HostForm {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            HostForm::Domain(ascii) => out.write_str(ascii),
            HostForm::Literal(IpAddr::V4(address)) => write!(out, "[{address}]"),
            HostForm::Literal(IpAddr::V6(address)) => write!(out, "[IPv6:{address}]"),
        }
    }
}

/// A `mailto:` URL of a local part as written and a host in ASCII form (S17).
pub(super) fn mailto(local: &str, host: &str) -> String {
    let mut out = String::from("mailto:");
    for byte in local.bytes() {
        match byte {
            b'.' | b'!' | b'$' | b'\'' | b'*' | b'_' | b'-' => out.push(char::from(byte)),
            _ if byte.is_ascii_alphanumeric() => out.push(char::from(byte)),
            _ => percent::push(&mut out, byte),
        }
    }
    out.push('@');
    out + host
}

/// UTS #58 §5.3: puts a local part in quotation marks if it has characters without Link_Email.
pub fn quoted(local: &str) -> Cow<'_, str> {
    let plain = !local.starts_with('.') && !local.ends_with('.') && !local.contains("..");
    if plain && !local.is_empty() && local.chars().all(link_email) {
        return Cow::Borrowed(local);
    }
    let mut out = String::from('"');
    for c in local.chars() {
        if matches!(c, '"' | '\\') {
            out.push('\\');
        }
        out.push(c);
    }
    out.push('"');
    Cow::Owned(out)
}

/// The ASCII form of a domain name that an application may accept (RFC 3696 §2 and §5): two or more
/// labels of letters, digits and inner hyphens, 63 octets each, 253 in all, and a top-level domain
/// that is not numeric and longer than one letter. A root dot is accepted and dropped.
pub fn domain_to_ascii(name: &str) -> Result<String, AddressError> {
    /// Octets of UTF-8 beyond which no name can be short enough.
    const LONGEST: usize = 1012;
    let wrong = || AddressError::Labels(name.chars().take(80).collect());
    if name.len() > LONGEST {
        return Err(wrong());
    }
    let mapped = ascii_form::mapped(name.as_bytes(), AsciiDenyList::STD3, Hyphens::CheckFirstLast);
    let ascii = mapped.and_then(|mapped| ascii_form::ascii_form(&mapped)).ok_or_else(wrong)?;
    let ascii = ascii.strip_suffix('.').unwrap_or(&ascii);
    if ascii.len() > NAME || ascii.split('.').any(str::is_empty) {
        return Err(wrong());
    }
    let Some((_, top)) = ascii.rsplit_once('.') else {
        return Err(AddressError::OneLabel(name.to_owned()));
    };
    let letters = top.bytes().all(|byte| byte.is_ascii_alphabetic()) && top.len() >= 2;
    if !letters && !a_label::is_a_label(top) {
        return Err(AddressError::TopLevel(top.to_owned()));
    }
    Ok(ascii.to_owned())
}

impl LocalForm {
    /// The form of a local part.
    pub fn read(local: &str) -> Result<LocalForm, AddressError> {
        if local.is_empty() {
            return Err(AddressError::EmptyLocalPart);
        }
        if local.len() > LOCAL_OCTETS {
            return Err(AddressError::LongLocalPart(local.len()));
        }
        match local.strip_prefix('"') {
            Some(rest) => quoted_form(rest),
            None => dotted_form(local),
        }
    }
}

/// The inside of a quoted local part and its closing mark.
fn quoted_form(rest: &str) -> Result<LocalForm, AddressError> {
    let mut chars = rest.char_indices();
    while let Some((at, c)) = chars.next() {
        match c {
            '"' if at + 1 == rest.len() => return Ok(LocalForm::Quoted),
            '"' => return Err(AddressError::Character { found: '"', at: at + 1 }),
            // Any ASCII character may be quoted, also control characters (RFC 3696 §3).
            '\\' => {
                chars.next();
            }
            _ => {}
        }
    }
    Err(AddressError::OpenQuote)
}

/// Atoms and dots, with the RFC's backslashes.
fn dotted_form(local: &str) -> Result<LocalForm, AddressError> {
    let mut form = LocalForm::Dotted;
    let mut before = '.';
    let mut chars = local.char_indices();
    while let Some((at, c)) = chars.next() {
        match c {
            '.' if before == '.' || at + 1 == local.len() => {
                return Err(AddressError::MisplacedDot(at));
            }
            '\\' => {
                form = LocalForm::Legacy;
                if chars.next().is_none_or(|(_, next)| !next.is_ascii()) {
                    return Err(AddressError::Character { found: '\\', at });
                }
            }
            _ if is_local(c) => {}
            found => return Err(AddressError::Character { found, at }),
        }
        before = c;
    }
    Ok(form)
}

/// RFC 3696 §3 for ASCII; beyond it anything but white space, controls and unassigned characters
/// (RFC 6531).
fn is_local(c: char) -> bool {
    if c.is_ascii() {
        c.is_ascii_alphanumeric() || "!#$%&'*+-/=?^_`.{|}~".contains(c)
    } else {
        link_term(c) != LinkTerm::Hard
    }
}

fn address_literal(rest: &str) -> Result<IpAddr, AddressError> {
    let wrong = || AddressError::Literal(rest.chars().take(80).collect());
    let literal = rest.strip_suffix(']').ok_or_else(wrong)?;
    let ipv6 = literal.split_at_checked(5).filter(|(tag, _)| tag.eq_ignore_ascii_case("IPv6:"));
    match ipv6 {
        Some((_, address)) => address.parse::<Ipv6Addr>().map(IpAddr::V6).map_err(|_| wrong()),
        None => literal.parse::<Ipv4Addr>().map(IpAddr::V4).map_err(|_| wrong()),
    }
}
