//! What a header tells about its body, in every way in which a client may read it.

use std::sync::Arc;

use super::charset::Charset;
use super::content_type::ContentType;
use super::header::{self, BodyField};
use super::lenient;
use super::sniff;
use super::transfer::{Transfer, base64};
use super::{Clarity, External};
use crate::header_fields::HeaderField;

/// What a header tells about its body.
#[derive(Clone)]
pub(super) struct BodyLabels {
    /// The readings of Content-Type, that of most clients first. Never empty.
    pub types: Vec<ContentType>,
    pub transfers: Vec<Transfer>,
    pub disposition: ContentType,
    /// File names, in every reading of the fields.
    pub names: Vec<String>,
    pub clarity: Clarity,
    pub forms: Forms,
    /// Bases of relative URLs.
    pub bases: Vec<Arc<str>>,
    /// Addresses of a body that is not in the message.
    pub externals: Vec<External>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum DefaultType {
    #[default]
    Text,
    /// In multipart/digest.
    Message,
}

impl DefaultType {
    fn label(self) -> ContentType {
        let (kind, subtype) = match self {
            DefaultType::Text => ("text", "plain"),
            DefaultType::Message => ("message", "rfc822"),
        };
        ContentType::bare(kind, subtype)
    }
}

/// Fields of one name that are read: so many from the start, and half as many from the end, since programs use
/// the first or the last.
const MAX_FIELDS: usize = 8;

/// The kinds of [`BodyField`].
const NAMES: usize = BodyField::Uploaded as usize + 1;

impl BodyLabels {
    /// Reads a header block. The first field of a name is the usual reading, the others are further readings.
    pub fn of(block: &[u8], default_type: DefaultType) -> BodyLabels {
        // Fast path: there may be thousands of consecutive delimiters.
        if block.is_empty() {
            return BodyLabels::defaults(default_type);
        }
        BodyLabels::among(block, header::agreed(block).as_deref(), default_type)
    }

    /// These labels with only this type.
    pub fn of_type(&self, label: &ContentType) -> BodyLabels {
        BodyLabels {
            types: vec![label.clone()],
            transfers: self.transfers.clone(),
            disposition: self.disposition.clone(),
            names: self.names.clone(),
            clarity: self.clarity,
            forms: self.forms,
            bases: self.bases.clone(),
            externals: self.externals.clone(),
        }
    }

    /// The labels of a part without a header: the defaults of most programs.
    fn defaults(default_type: DefaultType) -> BodyLabels {
        BodyLabels {
            types: vec![default_type.label()],
            transfers: vec![Transfer::Identity],
            disposition: ContentType::default(),
            names: Vec::new(),
            clarity: Clarity::Clear,
            forms: Forms::default(),
            bases: Vec::new(),
            externals: Vec::new(),
        }
    }

    /// Like [`BodyLabels::of`], for a block with the result of [`header::agreed`].
    pub fn among(
        block: &[u8],
        agreed: Option<&[HeaderField]>,
        default_type: DefaultType,
    ) -> BodyLabels {
        let fields: Vec<_> = match agreed {
            Some(fields) => header::labels_among(block, fields).collect(),
            None => header::labels(block).collect(),
        };
        let mut reader = LabelReader::default();
        reader.fields(&fields);
        let odd = if agreed.is_some() { Vec::new() } else { lenient::labels(block) };
        let [types, ..] = reader.counts;
        let clear = !reader.unclear
            && odd.is_empty()
            && types < 3
            && (agreed.is_some() || !header::has_obsolete_label(block))
            && boundaries_agree(&reader.types);
        let clarity = if clear { Clarity::Clear } else { Clarity::Ambiguous };
        // The defaults of most programs come first.
        if reader.types.is_empty() {
            reader.types.push(default_type.label());
        }
        if reader.transfers.is_empty() {
            reader.transfers.push(Transfer::Identity);
        }
        for (name, value) in odd {
            reader.field(name, &value, false);
        }
        let LabelReader {
            types,
            transfers,
            disposition,
            mut names,
            bases,
            mut externals,
            forms,
            ..
        } = reader;
        for label in &types {
            add_distinct(&mut externals, external(label));
        }
        for label in &types {
            add_distinct(&mut names, file_names(label, "name"));
        }
        BodyLabels {
            types,
            transfers,
            disposition: disposition.unwrap_or_default(),
            names,
            clarity,
            forms,
            bases,
            externals,
        }
    }
}

/// Whether every reading of the type that is a multipart has the same boundary.
fn boundaries_agree(types: &[ContentType]) -> bool {
    let multiparts = types.iter().filter(|label| label.kind == "multipart");
    let mut boundaries = multiparts.map(|label| label.parameter_bytes("boundary"));
    let first = boundaries.next();
    boundaries.all(|boundary| Some(boundary) == first)
}

/// Collects the labels of a block.
#[derive(Default)]
struct LabelReader {
    types: Vec<ContentType>,
    transfers: Vec<Transfer>,
    disposition: Option<ContentType>,
    names: Vec<String>,
    /// Number of fields of each name.
    counts: [usize; NAMES],
    bases: Vec<Arc<str>>,
    externals: Vec<External>,
    /// Whether the standard does not allow some value.
    unclear: bool,
    forms: Forms,
}

/// How near the value of a label is to what the standard allows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
enum Conformance {
    #[default]
    Token,
    /// A token with a parameter where none belongs.
    Parameter,
    /// A word is missing, or there are blanks in it.
    Loose,
}

/// The forms of the type and of the encoding. Whether programs read the part in different ways because of them depends on
/// what is in it.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Forms {
    kind: Conformance,
    transfer: Conformance,
}

impl Forms {
    fn add(&mut self, name: BodyField, value: &[u8]) {
        let is_blank = |byte: &u8| byte.is_ascii_whitespace();
        let value = value.trim_ascii();
        let end = memchr::memchr(b';', value);
        let word = value.get(..end.unwrap_or(value.len())).unwrap_or_default().trim_ascii();
        match name {
            BodyField::Type => {
                let words = without_charset(word).splitn(2, |byte| *byte == b'/');
                let is_word = |word: &&[u8]| !word.is_empty() && !word.iter().any(is_blank);
                if words.filter(is_word).count() < 2 {
                    self.kind = Conformance::Loose;
                }
            }
            BodyField::Transfer if word.iter().any(is_blank) => self.transfer = Conformance::Loose,
            BodyField::Transfer if end.is_some() => {
                self.transfer = self.transfer.max(Conformance::Parameter);
            }
            _ => {}
        }
    }

    /// Whether a text is another one by each reading of these forms.
    pub fn read_apart(self, transfers: &[Transfer], raw: &[u8]) -> bool {
        let as_page = |how: &Transfer| sniff::looks_like_html(&sniff::opening(raw, *how));
        let by_type = self.kind == Conformance::Loose && transfers.iter().any(as_page);
        by_type
            || match self.transfer {
                Conformance::Token => false,
                // A common mistake, of which nothing is seen if the text is encoded as it says.
                Conformance::Parameter => {
                    transfers.contains(&Transfer::Base64) && !base64::is_pure(raw)
                }
                Conformance::Loose => {
                    transfers.iter().any(|how| !is_same_text(&how.bytes(raw), raw))
                }
            }
    }
}

/// Whether two texts are the same but for white space.
fn is_same_text(one: &[u8], other: &[u8]) -> bool {
    let shown = |text| <[u8]>::iter(text).filter(|byte| !byte.is_ascii_whitespace());
    shown(one).eq(shown(other))
}

/// Whether RFC 2045 §5.1 and §6.1 allow the value of a type or an encoding, folded or not. Comments are taken as not allowed, and
/// common mistakes of legitimate senders as allowed: white space, a parameter where none belongs, no subtype.
fn is_clear(name: BodyField, value: &[u8]) -> bool {
    let end = memchr::memchr(b';', value).unwrap_or(value.len());
    let word = value.get(..end).unwrap_or_default().trim_ascii();
    let token =
        |byte: &u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`{|}~ \t\r\n".contains(byte);
    match name {
        BodyField::Type => {
            let mut words = without_charset(word).splitn(2, |byte| *byte == b'/');
            let all = words.all(|word| word.iter().all(token));
            all && !word.is_empty() && !value.contains(&0)
        }
        BodyField::Transfer => word.iter().all(token),
        BodyField::Disposition | BodyField::Base | BodyField::Detached | BodyField::Uploaded => {
            true
        }
    }
}

/// The type of a text without a charset that no semicolon separates from it: `text/html charset=utf-8`. Whoever does not
/// find it there reads the same text, if it is one of those that are assumed then.
fn without_charset(word: &[u8]) -> &[u8] {
    let assumed = [Charset::Utf8, Charset::WINDOWS_1252, Charset::Known(encoding_rs::ISO_8859_15)];
    let is_blank = |byte: &u8| byte.is_ascii_whitespace();
    let Some(blank) = word.iter().position(is_blank) else { return word };
    let (label, parameter) = word.split_at_checked(blank).unwrap_or((word, &[]));
    let Some((name, charset)) = parameter.trim_ascii().split_at_checked(b"charset=".len()) else {
        return word;
    };
    // What follows it may be a label of its own.
    let charset = std::str::from_utf8(charset).ok().filter(|charset| !charset.contains(' '));
    let charset = charset.and_then(Charset::from_label);
    let is_text = label.get(..5).is_some_and(|kind| kind.eq_ignore_ascii_case(b"text/"));
    let is_assumed = charset.is_some_and(|charset| assumed.contains(&charset));
    if is_text && is_assumed && name.eq_ignore_ascii_case(b"charset=") { label } else { word }
}

impl LabelReader {
    /// Reads the labels of a block, in their order.
    fn fields(&mut self, labels: &[(BodyField, &[u8])]) {
        let mut remaining = [0_usize; NAMES];
        for (name, _) in labels {
            if let Some(remaining) = remaining.get_mut(*name as usize) {
                *remaining += 1;
            }
        }
        for (name, value) in labels {
            self.unclear |= !is_clear(*name, value);
            self.forms.add(*name, value);
            let remaining = remaining.get_mut(*name as usize);
            let is_last = remaining.is_some_and(|remaining| {
                *remaining = remaining.saturating_sub(1);
                *remaining < MAX_FIELDS / 2
            });
            self.field(*name, value, is_last);
        }
    }

    /// Reads a label; of one that is not among the first or the last of its name, not even the value is unfolded.
    fn field(&mut self, name: BodyField, value: &[u8], is_last: bool) {
        let Some(count) = self.counts.get_mut(name as usize) else { return };
        *count += 1;
        if *count > MAX_FIELDS && !is_last {
            return;
        }
        let value = header::unfold(value);
        let others = lenient::values(&value);
        for value in std::iter::once(&*value).chain(others.iter().map(Vec::as_slice)) {
            match name {
                BodyField::Type => self.content_type(value),
                BodyField::Transfer => {
                    let value = String::from_utf8_lossy(value);
                    add_distinct(&mut self.transfers, transfer_readings(&value));
                }
                BodyField::Base => {
                    let base = String::from_utf8_lossy(value);
                    add_distinct(&mut self.bases, vec![base.trim().into()]);
                }
                BodyField::Detached => {
                    let url = String::from_utf8_lossy(value);
                    add_distinct(&mut self.externals, external_url(DETACHED, &url));
                }
                BodyField::Uploaded => {
                    for label in ContentType::parse(value) {
                        let url = label.parameter("url").unwrap_or_default();
                        add_distinct(&mut self.externals, external_url(UPLOADED, &url));
                    }
                }
                BodyField::Disposition => {
                    let mut readings = ContentType::parse(value);
                    for reading in &readings {
                        add_distinct(&mut self.names, file_names(reading, "filename"));
                    }
                    self.disposition = self.disposition.take().or(readings.pop());
                }
            }
        }
    }

    fn content_type(&mut self, value: &[u8]) {
        let readings = ContentType::parse(value);
        // A type without a subtype is invalid (RFC 2045 §5.2): some read text, others a multipart.
        if readings.first().is_some_and(|r| r.kind == "multipart" && r.subtype.is_empty()) {
            add_distinct(&mut self.types, ContentType::parse(b"text/plain"));
        }
        add_distinct(&mut self.types, readings);
    }
}

/// The addresses of an external body: a URL (RFC 2017 §3, white space in it is ignored), or a server
/// (RFC 2046 §5.2.3.2).
fn external(label: &ContentType) -> Vec<External> {
    if (label.kind.as_str(), label.subtype.as_str()) != ("message", "external-body") {
        return Vec::new();
    }
    let value = |name| label.parameter(name).filter(|value| !value.trim().is_empty());
    let url = value("url").map(|url| url.split_whitespace().collect());
    let site = value("site").map(|site| format!("ftp://{}/", site.trim()));
    let addresses = url.into_iter().chain(site);
    addresses.map(|address| External { field: "Content-Type", address }).collect()
}

/// Fields by which Thunderbird finds a body that is elsewhere.
const DETACHED: &str = "X-Mozilla-External-Attachment-URL";
const UPLOADED: &str = "X-Mozilla-Cloud-Part";

/// The address of a body, if there is one. URL parsers ignore tabs (WHATWG URL §4.1), and so folds.
fn external_url(field: &'static str, url: &str) -> Vec<External> {
    let address: String = url.trim().chars().filter(|c| *c != '\t').collect();
    if address.is_empty() { Vec::new() } else { vec![External { field, address }] }
}

/// The file name in a label, and also with its encoded words decoded (RFC 2047 §5 forbids them here).
fn file_names(label: &ContentType, parameter: &str) -> Vec<String> {
    let Some(name) = label.parameter(parameter) else { return Vec::new() };
    let mut names = vec![name.clone().into_owned()];
    if name.contains("=?") {
        let decoded = lenient::decode_words(name.as_bytes());
        names.push(String::from_utf8_lossy(&decoded).into_owned());
    }
    names
}

/// Labels that are read in one way.
const PLAIN: [(&str, Transfer); 4] = [
    ("7bit", Transfer::Identity),
    ("8bit", Transfer::Identity),
    ("quoted-printable", Transfer::QuotedPrintable),
    ("base64", Transfer::Base64),
];

/// The encodings in which clients read a label, the usual one first: its first word, any other word, and
/// none for clients that compare the whole label.
fn transfer_readings(label: &str) -> Vec<Transfer> {
    // Most labels: all programs read them in one way.
    for (plain, transfer) in PLAIN {
        if label.trim_ascii().eq_ignore_ascii_case(plain) {
            return vec![transfer];
        }
    }
    let mut found = vec![Transfer::from_label(label).unwrap_or_default()];
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '-';
    if label.trim().contains(|c| !is_word(c)) {
        let words = label.split(|c| !is_word(c)).filter_map(Transfer::from_label);
        let known = words.filter(|transfer| *transfer != Transfer::Identity).take(3).collect();
        add_distinct(&mut found, known);
        // A fold inside the word.
        let whole: String = label.split_whitespace().collect();
        add_distinct(&mut found, Transfer::from_label(&whole).into_iter().collect());
        add_distinct(&mut found, vec![Transfer::Identity]);
    }
    // Not every client knows uuencode.
    if found.contains(&Transfer::Uuencode) {
        add_distinct(&mut found, vec![Transfer::Identity]);
    }
    // Some look for the name anywhere in the label (`x-base64`), or take a blank for a hyphen.
    let lower: String = label.to_ascii_lowercase().split_whitespace().collect();
    let within = [
        ("base64", Transfer::Base64),
        ("quoted-printable", Transfer::QuotedPrintable),
        ("quotedprint", Transfer::QuotedPrintable),
    ];
    let named = within.into_iter().filter(|(name, _)| lower.contains(name));
    add_distinct(&mut found, named.map(|(_, known)| known).collect());
    // An additional name of Perl's Email::MIME::Encodings.
    if lower == "qp" {
        add_distinct(&mut found, vec![Transfer::QuotedPrintable]);
    }
    found
}

fn add_distinct<T: PartialEq>(known: &mut Vec<T>, more: Vec<T>) {
    for item in more {
        if !known.contains(&item) {
            known.push(item);
        }
    }
}

impl BodyLabels {
    /// Whether it is message/rfc822 or a similar type.
    pub fn is_message(&self) -> bool {
        self.types.first().is_some_and(sniff::is_message)
    }

    /// Whether it contains parts.
    pub fn is_container(&self) -> bool {
        self.is_message() || self.types.first().is_some_and(|label| label.kind == "multipart")
    }

    /// Whether some program finds parts in it, and another a type that is none.
    pub fn may_be_container_by_form(&self) -> bool {
        let contains = |label: &ContentType| label.kind == "multipart" || sniff::is_message(label);
        self.forms.kind == Conformance::Loose && self.types.iter().any(contains)
    }

    /// Whether it is `application/…`, the only type that may be encrypted.
    pub fn is_application(&self) -> bool {
        self.types.first().is_some_and(|label| label.kind == "application")
    }

    /// The known charsets that the readings of the type declare.
    pub fn charsets(&self) -> Vec<Charset> {
        let labels = self.types.iter().filter_map(|label| label.parameter("charset"));
        labels.filter_map(|label| Charset::from_label(&label)).collect()
    }

    pub fn transfer(&self) -> Transfer {
        self.transfers.first().copied().unwrap_or_default()
    }
}

/// The properties by which two readings of a label differ.
pub(super) fn label_key(label: &ContentType) -> [Vec<u8>; 4] {
    let parameter = |name| label.parameter_bytes(name).unwrap_or_default().to_vec();
    let [kind, subtype] = [&label.kind, &label.subtype].map(|word| word.clone().into_bytes());
    [kind, subtype, parameter("boundary"), parameter("charset")]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_charset_without_a_semicolon_is_clear_in_a_text() {
        let clarity = |label: &str| {
            let block = format!("Content-Type: {label}\r\n");
            BodyLabels::of(block.as_bytes(), DefaultType::Text).clarity
        };
        for label in [
            "text/html charset=utf-8",
            "text/html\tcharset=\"UTF-8\"",
            "text/plain charset=iso-8859-1; format=flowed",
        ] {
            assert_eq!(clarity(label), Clarity::Clear, "{label}");
        }
        for label in [
            "text/html charset=utf-7",
            "multipart/mixed charset=utf-8",
            "multipart/mixed boundary=b",
            "text/html charset=utf-8 name=a.zip",
            "text/html (charset=utf-8)",
        ] {
            assert_eq!(clarity(label), Clarity::Ambiguous, "{label}");
        }
    }

    #[test]
    fn a_value_that_is_no_token_reads_apart_only_where_the_text_does() {
        let said = |field: &str, body: &str| {
            let labels = BodyLabels::of(field.as_bytes(), DefaultType::Text);
            assert!(labels.clarity == Clarity::Clear, "{field}");
            labels.forms.read_apart(&labels.transfers, body.as_bytes())
        };
        let (text, page) = ("see https://example.com/\r\n", "<p>see https://example.com/</p>\r\n");
        for kind in ["text", "text plain", "text /plain", "text/", "/plain", "text/pl ain"] {
            let field = format!("Content-Type: {kind}\r\n");
            assert!(said(&field, page) && !said(&field, text), "{kind}");
        }
        for kind in ["text/plain", "text/html; charset=x y", "text/html charset=utf-8", "text/x-y"]
        {
            assert!(!said(&format!("Content-Type: {kind}\r\n"), page), "{kind}");
        }
        let encoded = "c2VlIGh0dHBzOi8vZXhhbXBsZS5jb20v\r\n";
        for (how, body, is_said) in [
            ("base 64", text, true),
            ("base 64", encoded, true),
            ("base64 x", encoded, true),
            ("quoted printable", "see https://example.com/?a=3Db\r\n", true),
            ("quoted printable", "see =\r\nhttps://example.com/ \r\n", true),
            ("quoted printable", text, false),
            ("7bit 8bit", text, false),
            ("8 bit", text, false),
            ("base64;x", text, true),
            ("base64; x=y", encoded, false),
            ("quoted-printable;", "see https://example.com/?a=3Db\r\n", false),
            ("base64", text, false),
            ("\r\n base64 ", text, false),
        ] {
            let field = format!("Content-Transfer-Encoding: {how}\r\n");
            assert_eq!(said(&field, body), is_said, "{how} {body}");
        }
    }

    #[test]
    fn a_part_without_a_header_is_what_one_without_labels_is() {
        for default_type in [DefaultType::Text, DefaultType::Message] {
            let none = BodyLabels::of(b"", default_type);
            for block in [&b"X: y\r\n"[..], b"\r\n"] {
                let read = BodyLabels::of(block, default_type);
                assert!(none.types == read.types && none.transfers == read.transfers);
                assert!(none.disposition == read.disposition && none.clarity == read.clarity);
                assert!(none.names == read.names && none.bases == read.bases);
                assert_eq!(none.externals, read.externals);
            }
        }
    }
}
