//! The form of a host: what a spelling becomes in the DNS.
//!
//! | clause | item |
//! | --- | --- |
//! | UTS #46 §4 processing, §4.2 ToASCII, §4.3 ToUnicode | [`HostForms::read`], `LabelForms` |
//! | UTS #46 §4.1 validity, CheckBidi, CheckJoiners | `idna::uts46`, per label and for the whole name; [`settled`] where it changes nothing |
//! | S28 lenient form: `_`, hyphens anywhere, a root dot | `DENIED`, `LabelForms::plain` |
//! | S14 label 63 octets, name 253 characters | `check_lengths` |
//! | S12 U+3002, U+FF0E, U+FF61 separate labels; S29 U+2024 | [`is_dot`] |
//! | WHATWG URL §3.5 host parsing: percent-decoding, ends-in-a-number, IPv4, IPv6 | `decode_percent`, [`ipv4`] |

mod first;
mod turkish;

use core::net::Ipv6Addr;
use std::borrow::Cow;

use smallvec::SmallVec;

use idna::uts46::{AsciiDenyList, Hyphens, Uts46};

use super::domain::and_above;
use crate::characters::bidi::is_bidi;
use crate::characters::reading::LabelChars;
use crate::verdict::{Reason, Verdict};
pub(crate) use first::SavedFirst;
pub(super) use turkish::is_in_turkish_capitals;
pub use turkish::without_turkish_dots;
use uts58::unicode::Class;
use uts58::unicode::a_label::is_a_label;
use uts58::unicode::hosts::{is_bidi_control, is_invisible, is_settled_label};
pub(crate) use uts58::unicode::is_dot_to_somebody as is_dot;
use uts58::unicode::punycode;
use uts58::{ipv4, percent};

/// ASCII that no host contains: STD3 without `_` (S28).
const DENIED: AsciiDenyList = AsciiDenyList::new(true, "!\"#$%&'()*+,/:;<=>?@[\\]^`{|}~");

/// ASCII with which browsers open no host (WHATWG URL §3.5, forbidden domain code points). No name
/// in the DNS has the other signs of [`DENIED`], but a server that answers for all names below its
/// own has those as well.
const FORBIDDEN: AsciiDenyList = AsciiDenyList::new(true, FORBIDDEN_SIGNS);
const FORBIDDEN_SIGNS: &str = "#%/:<>?@[\\]^|";

pub(crate) use uts58::unicode::punycode::{LABEL as LABEL_OCTETS, NAME as NAME_CHARACTERS};

/// Bytes; a longer spelling is not mapped: it cannot become a name of 253 characters, and Punycode
/// is quadratic. A name of invisible characters is cut off here.
pub const SPELLING_BYTES: usize = 4096;

/// One label: as spelled, in the DNS, and as shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct LabelForms {
    pub spelling: String,
    pub ascii: String,
    pub unicode: String,
    pub problems: Vec<(Reason, Verdict)>,
}

/// The labels of a host. Up to [`LABELS`] are stored without allocation.
pub(super) type Parts = SmallVec<[LabelForms; LABELS]>;
pub(crate) const LABELS: usize = 4;

/// A host in all its forms.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct HostForms {
    pub parts: Parts,
    pub ascii: String,
    pub unicode: String,
    pub literal: Literal,
    /// Problems of the host as a whole.
    pub problems: Vec<(Reason, Verdict)>,
    /// Whether it is a name whose parts are the labels of the spelling, separated by `.`.
    as_spelled: bool,
    /// Whether the ASCII form still lacks the first label: see [`HostForms::replace_first`].
    unfinished: bool,
}

/// Whether a host is a name or an address.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Literal {
    #[default]
    Name,
    Address,
}

impl HostForms {
    /// Reads a host as a browser would: percent-decoded, mapped, addresses normalised.
    pub(crate) fn read(spelling: &str) -> HostForms {
        let mut form = HostForms::default();
        let mut rare = RareBytes::at(spelling);
        let mut decoded = Cow::Borrowed(spelling);
        if rare.escapes {
            decoded = form.decode_percent(spelling);
            rare = RareBytes::at(&decoded);
        }
        let text = form.strip_marks(&decoded, rare);
        if let Some(inner) = text.strip_prefix('[') {
            form.ipv6(inner);
            return form;
        }
        let text = strip_root(text);
        if text.is_empty() {
            return form;
        }
        if text.len() > SPELLING_BYTES {
            form.oversized(text);
            return form;
        }
        if rare.signs {
            form.note_dots(text);
            text.split(is_dot).for_each(|label| form.read_label(label));
        } else {
            text.split('.').for_each(|label| form.read_label(label));
        }
        form.read_turkish_capitals();
        let as_spelled = form.problems.is_empty() && matches!(decoded, Cow::Borrowed(_));
        let labels = text.bytes().filter(|byte| *byte == b'.').count() + 1;
        // After a last label of invisible characters, the dot before it is a root dot.
        if form.parts.len() > 1 && form.parts.last().is_some_and(LabelForms::is_emptied) {
            form.parts.pop();
        }
        form.join();
        form.check_bidi();
        form.check_lengths();
        form.ipv4();
        form.as_spelled = as_spelled && form.parts.len() == labels && form.literal == Literal::Name;
        form
    }

    fn report(&mut self, reason: Reason, verdict: Verdict) {
        self.problems.push((reason, verdict));
    }

    /// WHATWG URL §3.5 step 4. Escaped ASCII hides the host; escaped UTF-8 is RFC 3986.
    fn decode_percent<'a>(&mut self, spelling: &'a str) -> Cow<'a, str> {
        let decoded = percent::decode(spelling);
        let Ok(text) = String::from_utf8(decoded.bytes) else {
            self.report(Reason::IdnaInvalid, Verdict::Invalid);
            return Cow::Borrowed(spelling);
        };
        if decoded.escaped_ascii {
            self.report(Reason::EncodedHost, Reason::EncodedHost.verdict());
        }
        Cow::Owned(text)
    }

    /// Implicit directional marks around a host are usual in right-to-left mail; inside it, they or
    /// any other bidi control are an attack (S15).
    fn strip_marks<'a>(&mut self, text: &'a str, rare: RareBytes) -> &'a str {
        if !rare.signs {
            return text;
        }
        let bare = text.trim_matches(['\u{200e}', '\u{200f}', '\u{61c}']);
        if bare.len() != text.len() {
            self.report(Reason::InvisibleRemoved, Verdict::Notice);
        }
        if bare.contains(is_bidi_control) {
            self.report(Reason::BidiControl, Verdict::Invalid);
        }
        bare
    }

    fn note_dots(&mut self, text: &str) {
        if text.contains(|c| is_dot(c) && c != '.') {
            self.report(Reason::DotVariant, Verdict::Notice);
        }
    }

    fn read_label(&mut self, label: &str) {
        if label.is_ascii() && !is_a_label(label) {
            self.parts.push(LabelForms::plain(label));
            return;
        }
        if let Some(unicode) = settled(label) {
            self.parts.push(LabelForms::settled(label, unicode));
            return;
        }
        let to_unicode = |denied| Uts46::new().to_unicode(label.as_bytes(), denied, Hyphens::Allow);
        let (mut unicode, mut result) = to_unicode(DENIED);
        let has_sign = result.is_err() && label.contains(is_sign);
        if has_sign {
            (unicode, result) = to_unicode(FORBIDDEN);
        }
        if result.is_err() {
            let mut part = LabelForms::failed(label);
            if label.contains(is_invisible) {
                part.problems.push((Reason::InvisibleRemoved, Verdict::Notice));
            }
            self.parts.push(part);
            return;
        }
        // A mapping may yield dots (U+2488 DIGIT ONE FULL STOP): the pieces then have no spelling
        // of their own.
        let mut pieces: Vec<LabelForms> = match unicode.contains('.') {
            true => unicode.split('.').map(|piece| LabelForms::mapped(piece, piece)).collect(),
            false => vec![LabelForms::mapped(label, &unicode)],
        };
        if !label.is_ascii() && label.contains(|c| Class::of(c).is_ignored()) {
            let removed = (Reason::InvisibleRemoved, Verdict::Notice);
            pieces.iter_mut().take(1).for_each(|piece| piece.problems.push(removed));
        }
        if has_sign {
            let sign = (Reason::IdnaInvalid, Verdict::Suspect);
            pieces.iter_mut().take(1).for_each(|piece| piece.problems.push(sign));
        }
        self.parts.extend(pieces);
    }

    /// UTS #46 maps the capital `İ` to `i` with a dot above, as programs do that write it in lower
    /// case. That is in no name under `.tr`: there the writer means an `i`.
    fn read_turkish_capitals(&mut self) {
        if self.parts.last().is_none_or(|tld| tld.ascii != "tr") {
            return;
        }
        for part in &mut self.parts {
            if let Some(meant) = without_turkish_dots(&part.spelling) {
                let mut form = HostForms::default();
                form.read_label(&meant);
                if let [read] = form.parts.as_slice() {
                    *part = LabelForms { spelling: meant, ..read.clone() };
                }
            }
        }
    }

    fn join(&mut self) {
        self.ascii = join(self.parts.iter().map(|part| part.ascii.as_str()));
        self.unicode = join(self.parts.iter().map(|part| part.unicode.as_str()));
    }

    /// RFC 5893 applies to all labels as soon as one is right-to-left; single labels passed
    /// already.
    fn check_bidi(&mut self) {
        if !is_bidi(&self.unicode)
            || self.parts.iter().any(LabelForms::is_failed)
            || self.parts.iter().all(|part| is_valid_in_bidi_name(&part.unicode))
        {
            return;
        }
        let name = self.unicode.as_bytes();
        if Uts46::new().to_unicode(name, DENIED, Hyphens::Allow).1.is_err() {
            self.report(Reason::IdnaInvalid, Verdict::Invalid);
        }
    }

    fn check_lengths(&mut self) {
        self.parts.iter_mut().for_each(LabelForms::check_length);
        self.check_length();
    }

    fn check_length(&mut self) {
        if self.ascii.len() > NAME_CHARACTERS {
            self.report(Reason::IdnaInvalid, Verdict::Invalid);
        }
    }

    fn oversized(&mut self, text: &str) {
        self.report(Reason::IdnaInvalid, Verdict::Invalid);
        let cut: String = text.chars().take(NAME_CHARACTERS).collect();
        self.ascii = force_ascii(&cut.replace(is_dot, "-"));
        self.unicode = cut;
    }

    /// WHATWG URL §3.5 "ends in a number" and the IPv4 parser.
    fn ipv4(&mut self) {
        if !self.parts.last().is_some_and(|part| ipv4::is_number(&part.ascii)) {
            return;
        }
        self.literal = Literal::Address;
        let spelled = self.ascii.clone();
        match ipv4::parse(&spelled) {
            Some(address) => {
                let plain = address.to_string();
                // Keyboards of East Asia type wide digits. Digits of other kinds are chosen.
                let typed = |c: char| c.is_ascii() || matches!(c, '０'..='９');
                let is_typed = self.parts.iter().all(|part| part.spelling.chars().all(typed));
                if plain != spelled || !is_typed {
                    self.report(Reason::NumericHost, Reason::NumericHost.verdict());
                }
                self.unicode.clone_from(&plain);
                self.ascii = plain;
            }
            None => self.report(Reason::IdnaInvalid, Verdict::Invalid),
        }
    }

    fn ipv6(&mut self, inner: &str) {
        self.literal = Literal::Address;
        let address = inner.strip_suffix(']').and_then(|text| text.parse::<Ipv6Addr>().ok());
        match address {
            Some(address) => self.ascii = format!("[{address}]"),
            None => {
                self.report(Reason::IdnaInvalid, Verdict::Invalid);
                self.ascii = force_ascii(&format!("[{inner}"));
            }
        }
        self.unicode.clone_from(&self.ascii);
    }
}

impl LabelForms {
    /// An ASCII label that is no A-label, read leniently (S28).
    fn plain(label: &str) -> LabelForms {
        let ascii = label.to_ascii_lowercase();
        let mut problems = Vec::new();
        let sound = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
        if !ascii.bytes().all(sound) {
            let opened = |c: char| c.is_ascii_graphic() && !FORBIDDEN_SIGNS.contains(c);
            let opens = ascii.chars().all(opened);
            let verdict = if opens { Verdict::Notice } else { Verdict::Invalid };
            problems.push((Reason::IdnaInvalid, verdict));
        } else if ascii.starts_with('-') || ascii.ends_with('-') {
            problems.push((Reason::IdnaInvalid, Verdict::Notice));
        } else if ascii.get(2..4) == Some("--") {
            problems.push((Reason::HyphenPrefix, Verdict::Notice));
        }
        LabelForms { spelling: label.to_owned(), unicode: ascii.clone(), ascii, problems }
    }

    /// A label that UTS #46 accepted.
    fn mapped(label: &str, unicode: &str) -> LabelForms {
        if unicode.is_ascii() {
            return LabelForms { spelling: label.to_owned(), ..LabelForms::plain(unicode) };
        }
        // UTS #46 §4.1: no U-label begins as an A-label does.
        if is_a_label(unicode) {
            return LabelForms::failed(label);
        }
        LabelForms {
            spelling: label.to_owned(),
            // UTS #46 accepts only the A-label that is computed from the U-label.
            ascii: match is_a_label(label) {
                true => label.to_ascii_lowercase(),
                false => punycode::in_ascii(unicode),
            },
            unicode: unicode.to_owned(),
            problems: Vec::new(),
        }
    }

    /// A label that UTS #46 maps to `unicode`; at most the case of ASCII differs.
    fn settled(label: &str, unicode: String) -> LabelForms {
        let ascii = punycode::in_ascii(&unicode);
        LabelForms { spelling: label.to_owned(), ascii, unicode, problems: Vec::new() }
    }

    /// A label that UTS #46 refused. It still gets forms, so that it can be shown and explained.
    fn failed(label: &str) -> LabelForms {
        let ascii = force_ascii(label);
        let unicode = label
            .is_ascii()
            .then(|| idna::punycode::decode_to_string(ascii.get(4..).unwrap_or_default()))
            .flatten()
            .filter(|decoded| !decoded.is_empty())
            .unwrap_or_else(|| label.to_lowercase());
        let problems = vec![(Reason::IdnaInvalid, Verdict::Invalid)];
        LabelForms { spelling: label.to_owned(), ascii, unicode, problems }
    }

    fn check_length(&mut self) {
        if self.ascii.len() > LABEL_OCTETS || self.ascii.is_empty() {
            self.problems.push((Reason::IdnaInvalid, Verdict::Invalid));
        }
    }

    /// Whether all characters of the spelling were removed.
    fn is_emptied(&self) -> bool {
        self.ascii.is_empty() && !self.spelling.is_empty()
    }

    fn is_failed(&self) -> bool {
        self.problems.contains(&(Reason::IdnaInvalid, Verdict::Invalid))
    }
}

/// ASCII signs that are in no name, and their width forms.
fn is_sign(c: char) -> bool {
    c.is_ascii_punctuation() && !matches!(c, '-' | '_') || matches!(c, '\u{ff01}'..='\u{ff5e}')
}

/// Punycode also for labels that are no valid U-label: the result must be harmless ASCII.
fn force_ascii(label: &str) -> String {
    let lower = label.to_lowercase();
    if lower.is_ascii() { lower } else { punycode::in_ascii(&lower) }
}

/// What UTS #46 maps a non-ASCII label to, if it is known to change only the case of ASCII. Most
/// labels are like this, and the full mapping takes longer than all other steps.
fn settled(label: &str) -> Option<String> {
    is_settled(label).then(|| label.to_ascii_lowercase())
}

fn is_settled(label: &str) -> bool {
    label.len() <= SETTLED && !is_a_label(label) && is_settled_label(label)
}

/// Whether a label beyond ASCII has no other form than its spelling.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Spelled {
    /// It has none, and is valid.
    Settled,
    /// It has none: letters of both directions are in it, so that UTS #46 refuses it, and then it is
    /// only put in lower case.
    Refused,
    /// A fast test cannot tell.
    Unknown,
}

pub(crate) fn spelled(label: &str) -> Spelled {
    let lower =
        |byte: u8| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_') || !byte.is_ascii();
    let others = || label.chars().filter(|c| !c.is_ascii()).collect::<String>();
    let plain = !label.is_ascii()
        && label.len() <= SETTLED
        && label.bytes().all(lower)
        && !is_a_label(label);
    match plain {
        true if is_settled_label(label) => Spelled::Settled,
        true if is_settled_label(&others()) => Spelled::Refused,
        _ => Spelled::Unknown,
    }
}

/// Bytes of such a label at most: characters beyond ASCII have up to four.
const SETTLED: usize = 2 * LABEL_OCTETS;

/// Whether the label is valid unchanged in a name with right-to-left labels (RFC 5893 §2): it is
/// right-to-left itself, or plain ASCII that begins with a letter.
fn is_valid_in_bidi_name(label: &str) -> bool {
    let bytes = label.as_bytes();
    match label.is_ascii() {
        true => {
            let plain = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'-';
            bytes.first().is_some_and(u8::is_ascii_alphabetic)
                && bytes.last().is_some_and(u8::is_ascii_alphanumeric)
                && bytes.iter().all(plain)
        }
        false => is_bidi(label) && is_settled_label(label),
    }
}

/// Whether nothing is wrong with the form of a host that ends as the plain one does, if it begins
/// with this label, which is [`Spelled::Settled`]. May return `false` wrongly.
pub(crate) fn is_surely_valid_before(label: &str, chars: &LabelChars, plain: &str) -> bool {
    let others = || and_above(plain).skip(1).map(first_label);
    // Each character that is not ASCII takes at most six digits.
    let short = || 6 * chars.len() + "xn--".len() < LABEL_OCTETS && chars.last() <= '힣';
    plain.len() + LABEL_OCTETS <= NAME_CHARACTERS
        && (short() || punycode::is_surely_short(label))
        && (!is_bidi(label) || others().all(is_valid_in_bidi_name))
}

/// Labels are short: a loop is faster than a search.
fn first_label(name: &str) -> &str {
    name.bytes().position(|byte| byte == b'.').and_then(|dot| name.get(..dot)).unwrap_or(name)
}

/// Rare bytes that a spelling may have.
#[derive(Clone, Copy)]
struct RareBytes {
    /// Percent escapes.
    escapes: bool,
    /// Full stops other than that of ASCII, or bidi controls.
    signs: bool,
}

impl RareBytes {
    fn at(spelling: &str) -> RareBytes {
        let rare = RareBytes { escapes: false, signs: false };
        spelling.bytes().fold(rare, |RareBytes { escapes, signs }, byte| RareBytes {
            escapes: escapes | (byte == b'%'),
            signs: signs | may_begin_sign(byte),
        })
    }
}

/// Whether this byte may begin the UTF-8 of a full stop other than that of ASCII, or of a bidi
/// control.
fn may_begin_sign(byte: u8) -> bool {
    matches!(byte, 0xd8 | 0xe2 | 0xe3 | 0xef)
}

fn strip_root(text: &str) -> &str {
    text.strip_suffix(is_dot).filter(|rest| !rest.is_empty()).unwrap_or(text)
}

pub(crate) fn join<'a>(labels: impl Iterator<Item = &'a str>) -> String {
    let mut name = String::with_capacity(64);
    for (index, label) in labels.enumerate() {
        if index > 0 {
            name.push('.');
        }
        name.push_str(label);
    }
    name
}

#[cfg(test)]
mod tests;
