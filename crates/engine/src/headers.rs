//! Header fields of the message: judged and reported, never edited.
//!
//! mail-parser reads them (RFC 5322 addresses, RFC 2047 words, RFC 6532 text), bounded by
//! [`super::policy::limits::Limits::header_bytes`]. The DNS is not asked, since a host in a field is not a link.

mod field;
mod file_names;
mod inner;
mod raw;
mod sharing;
mod truncate;
mod words;

use std::borrow::Cow;
use std::collections::HashSet;
use std::ops::Range;
use std::sync::Arc;

use mail_parser::{Header, HeaderName, HeaderValue, MessageParser, MessagePart};

use super::actions;
use super::budget::Budget;
use super::cost::Stage;
use super::finding::Findings;
use super::judging::{Judge, Judged};
use super::net;
use super::outcome::{Bypass, Done, Limit};
use super::policy::Policy;
use super::sender::Author;
pub use file_names::file_names;
pub use inner::inner;
use maillinks::BASE_FIELD;

use field::{Field, FieldReader, Interest, on_one_line};
use homograph::HostBounds;
use mailsplice::mime::{Charset, Media, Part, Tree};
use mailsplice::splice::{self, fields::HeaderField};
use truncate::truncated;
use uts58::{Target, reference};
use words::{WORD, encoded, holds};

/// Judges the fields that a reader sees or a client acts on. `tree` has all fields, if programs agree on them.
pub fn read(
    (head, tree): (&[u8], &Tree),
    judge: &mut Judge<'_>,
    budget: &mut Budget<'_>,
    policy: &Policy,
    found: &mut Findings,
) {
    let agreed_fields = tree.head.as_deref();
    let bounded = head.get(..policy.limits.header_bytes.min(head.len())).unwrap_or(head);
    let cut = truncated(bounded, agreed_fields);
    if cut.is_some() {
        found.bypass("0", Bypass::Limit(Limit::Header));
    }
    let (bounded, agreed_fields) = cut.unwrap_or((bounded, agreed_fields));
    if !spend(Stage::Header, bounded.len() as u64, budget, found) {
        return;
    }
    sharing::shared((bounded, agreed_fields), judge, budget, policy, found);
    let selected = SelectedFields::select(bounded, agreed_fields, |name, _| is_read(name));
    let message = selected.parsed(agreed_fields.is_some());
    let shown = message.headers().iter().map(|header| {
        let span = selected.header_offset(header.offset_start as usize)
            ..selected.header_offset(header.offset_end as usize);
        (header, span, Interest::Any)
    });
    // Other fields, in which some program makes links: only deceptive ones count.
    let (words, unread) = encoded(bounded, agreed_fields, &selected);
    let others = SelectedFields::others(bounded, agreed_fields, &unread);
    let parsed = others.parsed_as_text();
    let unselected = unselected(parsed.as_ref(), &others);
    let author = Author::of(&message, judge);
    judge.set_authors(author.mailboxes.iter().map(|mailbox| Arc::clone(&mailbox.host)).collect());
    let mut said = Said { charset: tree.declared_charset(), ..Said::default() };
    for (header, span, interest) in shown.chain(unselected) {
        let source = bounded.get(span.clone()).unwrap_or_default();
        let field = Field { part: "0", name: header.name.as_str(), span, interest };
        let mut reader = FieldReader { field, author: &author, judge, budget, policy, found };
        said.read(header, source, &mut reader);
        if let HeaderValue::Text(text) = &header.value
            && !words.is_empty()
            && reader.may_be_reported(text)
        {
            said.texts.insert(on_one_line(text));
        }
        if !spend(Stage::Judging, judge.take_steps(), budget, found) {
            return;
        }
    }
    for (name, span, text) in &words {
        let field = Field { part: "0", name, span: span.clone(), interest: Interest::UnsafeUrls };
        let mut reader = FieldReader { field, author: &author, judge, budget, policy, found };
        if reader.may_be_reported(text) && !said.texts.contains(&on_one_line(text)) {
            reader.text(text);
            reader.subject(text, &mut said.subjects);
        }
        if !spend(Stage::Judging, judge.take_steps(), budget, found) {
            return;
        }
    }
}

/// What fields said, so that each text is reported once, of however many.
#[derive(Default)]
struct Said {
    charset: Option<Charset>,
    subjects: HashSet<String>,
    /// Texts that may be read once more, with the charsets of their words.
    texts: HashSet<String>,
    has_author: bool,
}

impl Said {
    /// Reports what a parsed field holds, of which `source` are the bytes.
    fn read(
        &mut self,
        header: &Header<'_>,
        source: &[u8],
        reader: &mut FieldReader<'_, '_, '_, '_>,
    ) {
        let value = &header.value;
        reader.value(value);
        reader.report_impersonation(value);
        reader.report_addresses(value);
        if header.name == HeaderName::From && !std::mem::replace(&mut self.has_author, true) {
            reader.report_first_author();
        }
        reader.report_joined_names(value, source);
        if let HeaderValue::Text(text) = value {
            reader.subject(text, &mut self.subjects);
        }
        reader.report_raw((self.charset, source), value, &mut self.subjects);
    }
}

/// The fields that only some programs make links of, each with its place in the header.
fn unselected<'m>(
    parsed: Option<&'m mail_parser::Message<'m>>,
    others: &SelectedFields,
) -> impl Iterator<Item = (&'m Header<'m>, Range<usize>, Interest)> {
    let headers = parsed.into_iter().flat_map(|message| message.headers());
    headers.filter(|header| !is_read(header.name.as_str().as_bytes())).map(|header| {
        let length = header.offset_end.saturating_sub(header.offset_start) as usize;
        let start = others.header_offset(header.offset_start as usize);
        (header, start..(start + length).min(others.length), Interest::UnsafeUrls)
    })
}

/// Takes steps for the header. False if the budget has too few.
fn spend(stage: Stage, steps: u64, budget: &mut Budget<'_>, found: &mut Findings) -> bool {
    let some = budget.spend(stage, steps);
    if !some {
        found.bypasses.extend(budget.limit_reached().map(|why| ("0".to_owned(), why)));
    }
    some
}

/// Selected fields of a header, one after another: most fields of a header are not read.
#[derive(Default)]
struct SelectedFields {
    bytes: Vec<u8>,
    /// Where fields begin: in `bytes`, and in the header.
    fields: Vec<(usize, usize)>,
    /// Bytes of the header.
    length: usize,
    /// Whether fields of mailing lists (RFC 2369, RFC 5064) are among them.
    lists: bool,
    /// Whether some of [`OTHER_ADDRESSES`] are.
    other_addresses: bool,
}

/// Names of the fields that [`parser`] reads with this length and first letter. Most other fields have none.
fn known_names(length: usize, first: u8) -> &'static [&'static str] {
    match (length, first | 0x20) {
        (2, b'c') => &["Cc"],
        (2, b't') => &["To"],
        (3, b'b') => &["Bcc"],
        (4, b'f') => &["From"],
        (6, b'a') => &[AUTHOR],
        (6, b's') => &["Sender"],
        (7, b's') => &[SUBJECT],
        (8, b'c') => &["Comments"],
        (8, b'r') => &["Reply-To"],
        (9, b'l') => &["List-Help", "List-Post"],
        (9, b'r') => &["Resent-Cc", "Resent-To"],
        (10, b'l') => &["List-Owner"],
        (10, b'r') => &["Resent-Bcc"],
        (11, b'a') => &[ARCHIVED_AT],
        (11, b'r') => &["Resent-From"],
        (12, b'l') => &["List-Archive"],
        (13, b'm') => &[MAIL_REPLY_TO],
        (13, b'r') => &["Resent-Sender"],
        (14, b'l') => &["List-Subscribe"],
        (15, b'r') => &[RESENT_REPLY_TO],
        (15, b'x') => &[ORIGINAL_FROM],
        (16, b'l') => &["List-Unsubscribe"],
        (16, b'm') => &[MAIL_FOLLOWUP_TO],
        (17, b'r') => &[RETURN_RECEIPT_TO],
        (27, b'd') => &[DISPOSITION_NOTIFICATION_TO],
        _ => &[],
    }
}

const SUBJECT: &str = "Subject";

/// Where a list keeps the message, in angle brackets like its other addresses (RFC 5064 §2.2).
const ARCHIVED_AT: &str = "Archived-At";

const AUTHOR: &str = "Author";
const DISPOSITION_NOTIFICATION_TO: &str = "Disposition-Notification-To";
const MAIL_FOLLOWUP_TO: &str = "Mail-Followup-To";
const MAIL_REPLY_TO: &str = "Mail-Reply-To";
const ORIGINAL_FROM: &str = "X-Original-From";
const RESENT_REPLY_TO: &str = "Resent-Reply-To";
const RETURN_RECEIPT_TO: &str = "Return-Receipt-To";

/// Fields with addresses that programs write to as they do to Reply-To, or show beside From. By default mail-parser reads
/// them as texts.
const OTHER_ADDRESSES: [&str; 7] = [
    AUTHOR,
    DISPOSITION_NOTIFICATION_TO,
    MAIL_FOLLOWUP_TO,
    MAIL_REPLY_TO,
    ORIGINAL_FROM,
    RESENT_REPLY_TO,
    RETURN_RECEIPT_TO,
];

/// Whether a field is one of [`OTHER_ADDRESSES`].
fn has_other_address(name: &[u8]) -> bool {
    OTHER_ADDRESSES.iter().any(|known| name.eq_ignore_ascii_case(known.as_bytes()))
}

/// Whether a field is one of mailing lists.
fn is_of_list(name: &[u8]) -> bool {
    name.get(..5).is_some_and(|list| list.eq_ignore_ascii_case(b"List-"))
        || name.eq_ignore_ascii_case(ARCHIVED_AT.as_bytes())
}

/// Whether [`parser`] reads the field of this name.
fn is_read(name: &[u8]) -> bool {
    let known = name.first().map_or(&[][..], |first| known_names(name.len(), *first));
    known.iter().any(|known| name.eq_ignore_ascii_case(known.as_bytes()))
}

/// Bytes reserved for fields: most headers have no more that are read.
const CAPACITY: usize = 1 << 10;

impl SelectedFields {
    /// The whole header.
    fn whole(head: &[u8]) -> SelectedFields {
        let mut selected = SelectedFields {
            bytes: head.to_vec(),
            length: head.len(),
            ..SelectedFields::default()
        };
        selected.end_line();
        selected
    }

    /// Ends the last line, as where a message is one line: the parser reads no field without its line end.
    fn end_line(&mut self) {
        if self.bytes.last().is_some_and(|last| *last != b'\n') {
            self.bytes.push(b'\n');
        }
    }

    /// The fields that [`parser`] does not read and that may be deceptive, and those in which words are left `unread`.
    fn others(
        head: &[u8],
        agreed_fields: Option<&[HeaderField]>,
        unread: &HashSet<usize>,
    ) -> SelectedFields {
        let deceptive = may_deceive(head);
        match agreed_fields {
            _ if !deceptive && unread.is_empty() => SelectedFields::default(),
            Some(fields) => {
                let others =
                    fields.iter().filter(|field| deceptive || unread.contains(&field.value.start));
                let wanted = |name: &[u8], line: &[u8]| !is_read(name) && may_hold_url(line);
                SelectedFields::among(head, others.cloned(), wanted)
            }
            // Programs do not see the same fields.
            None => SelectedFields::whole(head),
        }
    }

    /// Of all fields, those that are wanted.
    fn select(
        head: &[u8],
        agreed_fields: Option<&[HeaderField]>,
        is_wanted: impl Fn(&[u8], &[u8]) -> bool,
    ) -> SelectedFields {
        match agreed_fields {
            Some(fields) => SelectedFields::among(head, fields.iter().cloned(), is_wanted),
            None => SelectedFields::among(head, splice::fields::header_fields(head), is_wanted),
        }
    }

    /// The fields of a header that are wanted, by name and line.
    fn among(
        head: &[u8],
        fields: impl Iterator<Item = HeaderField>,
        is_wanted: impl Fn(&[u8], &[u8]) -> bool,
    ) -> SelectedFields {
        let mut selected = SelectedFields {
            bytes: Vec::with_capacity(CAPACITY.min(head.len() + 1)),
            length: head.len(),
            ..SelectedFields::default()
        };
        for field in fields {
            let name = field.name(head);
            let line = head.get(field.line.clone()).unwrap_or_default();
            if is_wanted(name, line) {
                selected.fields.push((selected.bytes.len(), field.line.start));
                selected.other_addresses |= has_other_address(name);
                match is_of_list(name) && is_read(name) {
                    true => {
                        selected.lists = true;
                        selected.bytes.extend_from_slice(&without_space_in_angles(line));
                    }
                    false => selected.bytes.extend_from_slice(&as_field(line)),
                }
            }
        }
        selected.end_line();
        selected
    }

    /// The parser for these fields. By default it reads all as needed except those of mailing lists, which it takes
    /// for addresses. Setting each field takes longer than reading most headers; it is needed only if programs do not
    /// agree on the fields, as then the parser may see others.
    fn parser(&self, programs_agree: bool) -> MessageParser {
        match (self.lists, programs_agree) {
            _ if self.other_addresses => parser(),
            (false, _) => MessageParser::new(),
            (true, true) => MessageParser::new().with_address_headers().default_header_text(),
            (true, false) => parser(),
        }
    }

    /// These fields as the parser reads them. A message has its fields in its first part; it has one even if none is
    /// there, since other fields may be deceptive all the same.
    fn parsed(&self, programs_agree: bool) -> mail_parser::Message<'_> {
        let message = self.parser(programs_agree).parse_headers(&self.bytes);
        message.unwrap_or_else(|| mail_parser::Message {
            parts: vec![MessagePart::default()],
            ..Default::default()
        })
    }

    /// Fields that [`parser`] does not know, each as a text.
    fn parsed_as_text(&self) -> Option<mail_parser::Message<'_>> {
        let fields = (!self.bytes.is_empty()).then_some(&self.bytes)?;
        parser().default_header_text().parse_headers(fields)
    }

    /// The offset in the header of a byte of `bytes`.
    fn header_offset(&self, at: usize) -> usize {
        let field = self.fields.partition_point(|(start, _)| *start <= at).checked_sub(1);
        let field = field.and_then(|field| self.fields.get(field));
        field.map_or(at, |(start, source)| source + (at - start)).min(self.length)
    }
}

/// RFC 2369 §2: white space inside the angle brackets of a list field is ignored. The length stays the same, so that
/// later text keeps its offset.
fn without_space_in_angles(line: &[u8]) -> Cow<'_, [u8]> {
    let mut inside = false;
    let has_space = line.iter().any(|byte| match byte {
        b'<' | b'>' => {
            inside = *byte == b'<';
            false
        }
        b' ' | b'\t' | b'\r' | b'\n' => inside,
        _ => false,
    });
    if !has_space {
        return Cow::Borrowed(line);
    }
    let mut out = Vec::with_capacity(line.len());
    let (mut inside, mut left_out) = (false, 0);
    for byte in line {
        match byte {
            b'<' => inside = true,
            b'>' => inside = false,
            b' ' | b'\t' | b'\r' | b'\n' if inside => {
                left_out += 1;
                continue;
            }
            _ => {}
        }
        out.push(*byte);
        if !inside {
            out.extend(std::iter::repeat_n(b' ', std::mem::take(&mut left_out)));
        }
    }
    // An unclosed bracket: the line end still counts.
    if left_out > 0 { Cow::Borrowed(line) } else { Cow::Owned(out) }
}

/// A field as the parser reads one: it takes `From :` (RFC 5322 §4.5.2) for the line in front of a message in a mailbox,
/// and passes over it, but not a tab in place of the blank.
fn as_field(line: &[u8]) -> Cow<'_, [u8]> {
    let Some(rest) = line.strip_prefix(b"From ") else { return Cow::Borrowed(line) };
    Cow::Owned([b"From\t", rest].concat())
}

/// Whether a URL may be in the line of a field, perhaps in encoded words.
fn may_hold_url(line: &[u8]) -> bool {
    let value = || memchr::memchr(b':', line).and_then(|colon| line.get(colon + 1..));
    holds(line, b"//") || holds(line, WORD) && value().is_some_and(words::may_matter)
}

/// Whether a field may hold a deceptive URL.
fn may_deceive(head: &[u8]) -> bool {
    let deceives = |at| net::needs_reading_at(head, at) || has_userinfo(head, at);
    memchr::memmem::find_iter(head, b"//").any(|at| deceives(at + 2))
}

/// Whether the authority at this offset has a host before an at sign (RFC 3986 §3.2.1).
fn has_userinfo(head: &[u8], at: usize) -> bool {
    let authority = head.get(at..).unwrap_or_default();
    let authority = authority.get(..net::WINDOW).unwrap_or(authority);
    let ends = |byte: &u8| matches!(byte, b'/' | b'?' | b'#' | b'<' | b'>' | b'"' | ..=b' ');
    let end = authority.iter().position(ends).unwrap_or(authority.len());
    authority.get(..end).is_some_and(|authority| {
        let user = memchr::memrchr(b'@', authority).and_then(|sign| authority.get(..sign));
        user.is_some_and(|user| user.contains(&b'.'))
    })
}

fn parser() -> MessageParser {
    let mut parser = MessageParser::new().with_address_headers().header_text(HeaderName::Subject);
    for name in [
        HeaderName::ListArchive,
        HeaderName::ListHelp,
        HeaderName::ListOwner,
        HeaderName::ListPost,
        HeaderName::ListSubscribe,
        HeaderName::ListUnsubscribe,
        HeaderName::Comments,
    ] {
        parser = parser.header_text(name);
    }
    for name in OTHER_ADDRESSES.into_iter().filter_map(HeaderName::parse) {
        parser = parser.header_address(name);
    }
    if let Some(name) = HeaderName::parse(ARCHIVED_AT) {
        parser = parser.header_text(name);
    }
    parser.default_header_ignore()
}

/// Judges the addresses at which the header of a part says that its body is: programs make links of them, or open them.
pub fn externals(
    part: &Part,
    judge: &mut Judge<'_>,
    budget: &mut Budget<'_>,
    policy: &Policy,
    found: &mut Findings,
) {
    let author = Author::default();
    for external in &part.externals {
        let url = external.address.as_str();
        let field =
            Field { part: &part.path, name: external.field, span: 0..0, interest: Interest::Any };
        let mut reader = FieldReader { field, author: &author, judge, budget, policy, found };
        reader.text(url);
        for target in reference::parse(url, 0..url.len()) {
            if let Target::Dangerous { host, .. } = target
                && let Some(judged) = reader.judge.followed(url, host)
            {
                reader.push_as(url, &judged, None);
            }
        }
    }
}

/// Judges the base URLs of an HTML part, to which programs resolve relative URLs. Returns the first one that is to be
/// defanged, as spelled.
pub fn bases(
    part: &Part,
    judge: &mut Judge<'_>,
    budget: &mut Budget<'_>,
    policy: &Policy,
    found: &mut Findings,
) -> Option<(String, Judged)> {
    let html = part.is_read_as(Media::Html);
    let mut deceptive = None;
    let author = Author::default();
    for base in part.bases.iter().filter(|_| html) {
        let field =
            Field { part: &part.path, name: BASE_FIELD, span: 0..0, interest: Interest::Any };
        let mut reader = FieldReader { field, author: &author, judge, budget, policy, found };
        reader.text(base);
        for link in reader.links(base) {
            let judged = reader.judge.spelled_link(base, &link, HostBounds::Certain);
            let judged =
                judged.filter(|judged| actions::link(policy, part, judged).1 == Done::Edited);
            let spelled = base.get(link.span).unwrap_or_default().to_owned();
            deceptive = deceptive.or(judged.map(|judged| (spelled, judged)));
        }
    }
    deceptive
}

#[cfg(test)]
mod tests;
