//! Header fields of the message: judged and reported, never edited.
//!
//! mail-parser reads them (RFC 5322 addresses, RFC 2047 words, RFC 6532 text), bounded by
//! [`super::limits::Limits::header_bytes`]. Nothing here asks the DNS: a field is no link.

mod field;
mod front;
mod words;

use std::borrow::Cow;
use std::collections::HashSet;

use mail_parser::{HeaderName, HeaderValue, MessageParser, MessagePart};

use super::actions;
use super::budget::Budget;
use super::cost::Stage;
use super::finding::Findings;
use super::judging::{Judge, Judged};
use super::net;
use super::outcome::{Bypass, Done, Limit};
use super::policy::Policy;
use super::sender::Author;
use field::{Field, FieldReader, Interest, on_one_line};
use front::front;
use homograph::HostBounds;
use mailsplice::mime::{Media, Part};
use mailsplice::splice::{self, fields::HeaderField};
use words::{WORD, encoded, holds};

/// Judges the fields that a reader sees or a client acts on; `agreed` are all fields, where programs agree on
/// them.
pub fn read(
    (head, agreed): (&[u8], Option<&[HeaderField]>),
    judge: &mut Judge<'_>,
    budget: &mut Budget<'_>,
    policy: &Policy,
    found: &mut Findings,
) {
    let bounded = head.get(..policy.limits.header_bytes.min(head.len())).unwrap_or(head);
    let (bounded, agreed) = match front(bounded, agreed) {
        Some((front, fields)) => {
            found.bypass("0", Bypass::Limit(Limit::Header));
            (front, fields)
        }
        None => (bounded, agreed),
    };
    if !spend(Stage::Header, bounded.len() as u64, budget, found) {
        return;
    }
    let read = Read::of_fields(bounded, agreed, |name, _| is_read(name));
    // Without any of those fields others may lie all the same. The fields of a message are those of its first part.
    let message = read.parser(agreed.is_some()).parse_headers(&read.bytes).unwrap_or_else(|| {
        mail_parser::Message { parts: vec![MessagePart::default()], ..Default::default() }
    });
    let shown = message.headers().iter().map(|header| {
        let span =
            read.source(header.offset_start as usize)..read.source(header.offset_end as usize);
        (header, span, Interest::Any)
    });
    // Other fields that some program makes clickable: honest ones are of no interest.
    let (words, unread) = encoded(bounded, agreed, &read);
    let rest = Read::others(bounded, agreed, &unread);
    let others = (!rest.bytes.is_empty())
        .then(|| parser().default_header_text().parse_headers(&rest.bytes))
        .flatten();
    let others = others.iter().flat_map(|message| message.headers());
    let others = others.filter(|header| !is_read(header.name.as_str().as_bytes())).map(|header| {
        let length = header.offset_end.saturating_sub(header.offset_start) as usize;
        let start = rest.source(header.offset_start as usize);
        (header, start..start + length, Interest::Lies)
    });
    let author = Author::of(&message, judge);
    if let [mailbox] = author.mailboxes.as_slice() {
        judge.take_author(&mailbox.host);
    }
    let mut subjects = HashSet::new();
    // What fields say, so that it is told once.
    let mut said = HashSet::new();
    for (header, span, interest) in shown.chain(others) {
        let field = Field { part: "0", name: header.name.as_str(), span, interest };
        let mut reader = FieldReader { field, judge, budget, policy, found };
        reader.value(&header.value);
        reader.posing(&author, &header.value);
        if let HeaderValue::Text(text) = &header.value {
            reader.subject(&author, text, &mut subjects);
            if !words.is_empty() && reader.is_told(text) {
                said.insert(on_one_line(text));
            }
        }
        if !spend(Stage::Judging, judge.take_steps(), budget, found) {
            return;
        }
    }
    for (name, span, text) in &words {
        let field = Field { part: "0", name, span: span.clone(), interest: Interest::Lies };
        let mut reader = FieldReader { field, judge, budget, policy, found };
        if reader.is_told(text) && !said.contains(&on_one_line(text)) {
            reader.text(text);
            reader.subject(&author, text, &mut subjects);
        }
        if !spend(Stage::Judging, judge.take_steps(), budget, found) {
            return;
        }
    }
}

/// Charges the header with these steps; whether the budget had them.
fn spend(stage: Stage, steps: u64, budget: &mut Budget<'_>, found: &mut Findings) -> bool {
    let some = budget.spend(stage, steps);
    if !some {
        found.bypasses.extend(budget.limit_reached().map(|why| ("0".to_owned(), why)));
    }
    some
}

/// The fields that are read, one after the other: a header is mostly others.
#[derive(Default)]
struct Read {
    bytes: Vec<u8>,
    /// Where fields begin: here, in the header.
    fields: Vec<(usize, usize)>,
    /// Whether fields of lists (RFC 2369) are among them.
    lists: bool,
}

/// Names of the fields that [`parser`] reads, of those of this length that begin with this letter: most fields are
/// others, and told from these at once.
fn names(length: usize, first: u8) -> &'static [&'static str] {
    match (length, first | 0x20) {
        (2, b'c') => &["Cc"],
        (2, b't') => &["To"],
        (3, b'b') => &["Bcc"],
        (4, b'f') => &["From"],
        (6, b's') => &["Sender"],
        (7, b's') => &[SUBJECT],
        (8, b'c') => &["Comments"],
        (8, b'r') => &["Reply-To"],
        (9, b'l') => &["List-Help", "List-Post"],
        (9, b'r') => &["Resent-Cc", "Resent-To"],
        (10, b'l') => &["List-Owner"],
        (10, b'r') => &["Resent-Bcc"],
        (11, b'r') => &["Resent-From"],
        (12, b'l') => &["List-Archive"],
        (13, b'r') => &["Resent-Sender"],
        (14, b'l') => &["List-Subscribe"],
        (16, b'l') => &["List-Unsubscribe"],
        _ => &[],
    }
}

const SUBJECT: &str = "Subject";

/// Whether [`parser`] reads the field of this name.
fn is_read(name: &[u8]) -> bool {
    let known = name.first().map_or(&[][..], |first| names(name.len(), *first));
    known.iter().any(|known| name.eq_ignore_ascii_case(known.as_bytes()))
}

/// Bytes of fields that there is room for from the start: most headers have no more that are read.
const ROOM: usize = 1 << 10;

impl Read {
    /// The whole header.
    fn whole(head: &[u8]) -> Read {
        Read { bytes: head.to_vec(), ..Read::default() }
    }

    /// Of the fields that [`parser`] does not read, those that may lie, and those in which words are left `unread`.
    fn others(head: &[u8], agreed: Option<&[HeaderField]>, unread: &HashSet<usize>) -> Read {
        let lies = may_lie(head);
        match agreed {
            _ if !lies && unread.is_empty() => Read::default(),
            Some(fields) => {
                let others =
                    fields.iter().filter(|field| lies || unread.contains(&field.value.start));
                let wanted = |name: &[u8], line: &[u8]| !is_read(name) && may_say_url(line);
                Read::of(head, others.cloned(), wanted)
            }
            // Not everybody sees the same fields.
            None => Read::whole(head),
        }
    }

    /// Of all fields, those that are wanted.
    fn of_fields(
        head: &[u8],
        agreed: Option<&[HeaderField]>,
        is_wanted: impl Fn(&[u8], &[u8]) -> bool,
    ) -> Read {
        match agreed {
            Some(fields) => Read::of(head, fields.iter().cloned(), is_wanted),
            None => Read::of(head, splice::fields::header_fields(head), is_wanted),
        }
    }

    /// The fields of a header that are wanted, by name and line.
    fn of(
        head: &[u8],
        fields: impl Iterator<Item = HeaderField>,
        is_wanted: impl Fn(&[u8], &[u8]) -> bool,
    ) -> Read {
        let mut read = Read { bytes: Vec::with_capacity(ROOM.min(head.len())), ..Read::default() };
        for field in fields {
            let name = field.name(head);
            let line = head.get(field.line.clone()).unwrap_or_default();
            if is_wanted(name, line) {
                read.fields.push((read.bytes.len(), field.line.start));
                let list = name.get(..5).is_some_and(|list| list.eq_ignore_ascii_case(b"List-"));
                match list && is_read(name) {
                    true => {
                        read.lists = true;
                        read.bytes.extend_from_slice(&without_space_in_angles(line));
                    }
                    false => read.bytes.extend_from_slice(line),
                }
            }
        }
        read
    }

    /// The parser of these fields. By itself it reads them all as they are wanted but for those of lists, which
    /// it takes for addresses; being told of each takes longer than reading most headers, and only where programs do
    /// not agree on the fields could it see others.
    fn parser(&self, agreed: bool) -> MessageParser {
        match (self.lists, agreed) {
            (false, _) => MessageParser::new(),
            (true, true) => MessageParser::new().with_address_headers().default_header_text(),
            (true, false) => parser(),
        }
    }

    /// Where a byte stands in the header.
    fn source(&self, at: usize) -> usize {
        let field = self.fields.partition_point(|(start, _)| *start <= at).checked_sub(1);
        let field = field.and_then(|field| self.fields.get(field));
        field.map_or(at, |(start, source)| source + (at - start))
    }
}

/// RFC 2369 §2: white space inside the angle brackets of a list field is ignored. As long as before, so that
/// what stands behind it keeps its place.
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
    // A bracket that nothing closes: the line end is still one.
    if left_out > 0 { Cow::Borrowed(line) } else { Cow::Owned(out) }
}

/// Whether a URL may stand in the line of a field, be it in words.
fn may_say_url(line: &[u8]) -> bool {
    let value = || memchr::memchr(b':', line).and_then(|colon| line.get(colon + 1..));
    holds(line, b"//") || holds(line, WORD) && value().is_some_and(words::may_say)
}

/// Whether a field may hold a URL that deceives.
fn may_lie(head: &[u8]) -> bool {
    let lies = |at| net::calls_for_a_look_at(head, at) || has_userinfo(head, at);
    memchr::memmem::find_iter(head, b"//").any(|at| lies(at + 2))
}

/// Whether the authority at this offset has a host in front of an at sign (RFC 3986 §3.2.1).
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
    parser.default_header_ignore()
}

/// Judges where the label of a part says that its body is: programs make a link of that.
pub fn externals(
    part: &Part,
    judge: &mut Judge<'_>,
    budget: &mut Budget<'_>,
    policy: &Policy,
    found: &mut Findings,
) {
    for external in &part.externals {
        let field =
            Field { part: &part.path, name: "Content-Type", span: 0..0, interest: Interest::Any };
        FieldReader { field, judge, budget, policy, found }.text(external);
    }
}

/// Judges what relative URLs of an HTML part begin with: programs put both together. The first that is to
/// be taken apart, as it is spelled.
pub fn bases(
    part: &Part,
    judge: &mut Judge<'_>,
    budget: &mut Budget<'_>,
    policy: &Policy,
    found: &mut Findings,
) -> Option<(String, Judged)> {
    let html = part.media == Media::Html || part.also.contains(&Media::Html);
    let mut lie = None;
    for base in part.bases.iter().filter(|_| html) {
        let field = Field {
            part: &part.path,
            name: "Content-Location",
            span: 0..0,
            interest: Interest::Any,
        };
        let mut reader = FieldReader { field, judge, budget, policy, found };
        reader.text(base);
        for link in reader.links(base) {
            let judged = reader.judge.spelled_link(base, &link, HostBounds::Certain);
            let judged =
                judged.filter(|judged| actions::link(policy, part, judged).1 == Done::Edited);
            let spelled = base.get(link.span).unwrap_or_default().to_owned();
            lie = lie.or(judged.map(|judged| (spelled, judged)));
        }
    }
    lie
}

#[cfg(test)]
mod tests;
