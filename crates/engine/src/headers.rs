//! Header fields of the message: judged and reported, never edited.
//!
//! mail-parser reads them (RFC 5322 addresses, RFC 2047 words, RFC 6532 text), bounded by
//! [`super::limits::Limits::header_bytes`]. Nothing here asks the DNS: a field is no link.

mod front;
mod words;

use std::borrow::Cow;
use std::collections::HashSet;
use std::ops::Range;
use std::sync::Arc;

use mail_parser::{Addr, Address, HeaderName, HeaderValue, MessageParser, MessagePart};

use super::actions;
use super::budget::Budget;
use super::content::{self, bidi};
use super::cost::Stage;
use super::finding::{Candidate, Findings, told_of};
use super::judging::{Judge, Judged, same_domain};
use super::net;
use super::outcome::{Bypass, Done, Limit, Place, Reason, Verdict};
use super::policy::{Policy, Report};
use super::sender::{Author, MAILBOXES, Mailbox, Of};
use front::front;
use homograph::{Disguise, HostBounds, Judgement};
use mailsplice::mime::{Media, Part};
use mailsplice::splice::{self, fields::HeaderField};
use uts58::{Boundaries, Kind, Link, Linkifier, mailto};
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
        if !spend(Stage::Judging, judge.spent(), budget, found) {
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
        if !spend(Stage::Judging, judge.spent(), budget, found) {
            return;
        }
    }
}

/// Charges the header with these steps; whether the budget had them.
fn spend(stage: Stage, steps: u64, budget: &mut Budget<'_>, found: &mut Findings) -> bool {
    let some = budget.spend(stage, steps);
    if !some {
        found.bypasses.extend(budget.over().map(|why| ("0".to_owned(), why)));
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

/// Names of the fields that [`parser`] reads, of those that begin with this letter.
fn names(first: u8) -> &'static [&'static str] {
    match first.to_ascii_lowercase() {
        b'f' => &["From"],
        b's' => &["Sender", SUBJECT],
        b'r' => {
            &["Reply-To", "Resent-From", "Resent-Sender", "Resent-To", "Resent-Cc", "Resent-Bcc"]
        }
        b't' => &["To"],
        b'c' => &["Cc", "Comments"],
        b'b' => &["Bcc"],
        b'l' => &[
            "List-Archive",
            "List-Help",
            "List-Owner",
            "List-Post",
            "List-Subscribe",
            "List-Unsubscribe",
        ],
        _ => &[],
    }
}

const SUBJECT: &str = "Subject";

/// The fields that say who the sender is.
const SENDERS: [&str; 3] = ["From", "Sender", "Reply-To"];

/// Whether [`parser`] reads the field of this name.
fn is_read(name: &[u8]) -> bool {
    let known = name.first().map_or(&[][..], |first| names(*first));
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

fn may_say_url(line: &[u8]) -> bool {
    holds(line, b"//") || holds(line, WORD)
}

/// Whether a link with a scheme may stand in a text: base64 has many slashes, and no colon.
fn may_say_scheme(text: &str) -> bool {
    memchr::memchr(b':', text.as_bytes()).is_some() && holds(text.as_bytes(), b"//")
}

/// A value without its folds.
fn on_one_line(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    for word in text.split_whitespace() {
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    line
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
            let judged = reader.judge.spelled(base, &link, HostBounds::Certain);
            let judged =
                judged.filter(|judged| actions::link(policy, part, judged).1 == Done::Edited);
            let spelled = base.get(link.span).unwrap_or_default().to_owned();
            lie = lie.or(judged.map(|judged| (spelled, judged)));
        }
    }
    lie
}

struct Field<'h> {
    /// Path of the part whose header it stands in; `0` is the message's own.
    part: &'h str,
    name: &'h str,
    /// The value's bytes in the head.
    span: Range<usize>,
    interest: Interest,
}

/// What of a field is worth a finding.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Interest {
    Any,
    /// A URL that judges unsafe: most programs do not show the field.
    Lies,
}

struct FieldReader<'h, 'j, 'p, 'b> {
    field: Field<'h>,
    judge: &'j mut Judge<'p>,
    budget: &'j mut Budget<'b>,
    policy: &'j Policy,
    found: &'j mut Findings,
}

impl FieldReader<'_, '_, '_, '_> {
    /// Charges what judging took, and so many bytes that are looked through. What the budget does not have is told by
    /// whoever charges it next.
    fn has_steps(&mut self, bytes: usize) -> bool {
        self.budget.link(bytes, self.judge.spent())
    }

    fn value(&mut self, value: &HeaderValue<'_>) {
        match value {
            HeaderValue::Address(Address::List(list)) => self.addresses(list),
            HeaderValue::Address(Address::Group(groups)) => {
                groups.iter().for_each(|group| self.addresses(&group.addresses));
            }
            HeaderValue::Text(text) => self.text(text),
            HeaderValue::TextList(list) => list.iter().for_each(|text| self.text(text)),
            _ => {}
        }
    }

    fn addresses(&mut self, list: &[Addr<'_>]) {
        for address in list {
            if !self.has_steps(0) {
                return;
            }
            self.address(address);
        }
    }

    fn address(&mut self, address: &Addr<'_>) {
        let spelled = address.address.as_deref().unwrap_or_default();
        let name = &*bidi::shown(address.name.as_deref().unwrap_or_default());
        let judged = match mailto::address(spelled, 0..spelled.len()) {
            Some(link) => self.judge.spelled(spelled, &link, HostBounds::Certain),
            None => None,
        };
        // What stands where an address should is shown all the same.
        if spelled.contains(if judged.is_some() { "://" } else { "//" }) {
            self.text(spelled);
        }
        let Some(judged) = judged else { return self.text(name) };
        for link in self.links(name) {
            if !self.has_steps(0) {
                return;
            }
            self.display_name(name, &link, &judged);
        }
        self.push(spelled, &judged);
    }

    /// A host in the name that a reader sees in front of the address.
    fn display_name(&mut self, name: &str, link: &Link, address: &Judged) {
        let Some(mut judged) = self.judge.spelled(name, link, HostBounds::in_text(link.kind))
        else {
            return;
        };
        let Some(shown) = judged.host.clone() else { return };
        if shown.question.is_some() || shown.reasons.contains(Reason::TldSyntax) {
            return;
        }
        let ours = address.host.as_ref().is_some_and(|host| same_domain(&host.ascii, &shown.ascii));
        if !ours {
            judged.add(Reason::DisplayNameHost);
            if self.is_of_sender() && self.judge.is_protected(&shown.ascii) {
                judged.verdict = judged.verdict.max(Verdict::Suspect);
            }
        }
        self.push(name.get(link.span.clone()).unwrap_or_default(), &judged);
    }

    fn is_subject(&self) -> bool {
        self.field.name.eq_ignore_ascii_case(SUBJECT)
    }

    /// Whether something may be told of a text with encoded words.
    fn is_told(&self, text: &str) -> bool {
        may_say_scheme(text) || self.is_subject()
    }

    fn is_of_sender(&self) -> bool {
        SENDERS.iter().any(|known| self.field.name.eq_ignore_ascii_case(known))
    }

    /// Names in front of the sender's addresses that are of somebody else.
    fn posing(&mut self, author: &Author, value: &HeaderValue<'_>) {
        let HeaderValue::Address(addresses) = value else { return };
        if !self.is_of_sender() {
            return;
        }
        let field = match self.field.name.eq_ignore_ascii_case(SENDERS[0]) {
            true => Of::Author,
            false => Of::Deputy,
        };
        for address in addresses.iter().take(MAILBOXES) {
            let spelled = address.address.as_deref().unwrap_or_default();
            let mut own = Mailbox::read(spelled, self.judge);
            // What stands where an address should is read as a name, and what address is in it.
            let mut name = match (address.name.as_deref(), &own) {
                (Some(name), _) => bidi::shown(name).into_owned(),
                (None, None) => spelled.to_owned(),
                (None, Some(_)) => continue,
            };
            let inside = self.links(&name).into_iter().find(|link| link.kind == Kind::Email);
            if let Some(link) = inside.filter(|_| own.is_none()) {
                own = Mailbox::read(name.get(link.span.clone()).unwrap_or_default(), self.judge);
                name.replace_range(link.span, " ");
            }
            if own.is_none() && field != Of::Author {
                continue;
            }
            let posed = author.posed(&name, own.as_ref(), field, self.judge);
            let mailbox = own.as_ref().or(author.mailboxes.first());
            let disguise = self.disguised(&name, mailbox.map(|mailbox| &*mailbox.host));
            let (spelled, disguised) = match (&posed, disguise) {
                (None, None) => continue,
                (Some(_), disguise) => (name, disguise),
                (None, Some(disguise)) => (disguise.spelled.clone(), Some(disguise)),
            };
            let host = mailbox.map_or_else(Arc::default, |mailbox| Arc::clone(&mailbox.host));
            let mut judged = Judged::of_text(host);
            if posed.is_some() {
                judged.add(Reason::DisplayNamePoses);
            }
            let verdict = disguised.as_ref().map(|disguise| disguise.verdict);
            verdict.into_iter().for_each(|verdict| judged.add_at(Reason::TextLookalike, verdict));
            let target = posed.or_else(|| disguised.and_then(|disguise| disguise.name));
            self.push_as(&spelled, &judged, target);
        }
    }

    /// Letters of a text that are not what they read as; its links are judged as such.
    fn disguised(&mut self, text: &str, host: Option<&Judgement>) -> Option<Disguise> {
        if text.is_ascii() {
            return None;
        }
        let mut words = text.to_owned();
        for link in self.links(text).into_iter().rev() {
            words.replace_range(link.span, " ");
        }
        self.judge.disguised(&words, host)
    }

    /// Words of the Subject in letters that are not what they read as; each reading of it once.
    fn subject(&mut self, author: &Author, text: &str, known: &mut HashSet<String>) {
        if !self.is_subject() || text.is_ascii() || known.len() >= MAILBOXES {
            return;
        }
        if !known.insert(on_one_line(text)) {
            return;
        }
        let host = author.mailboxes.first().map(|mailbox| &*mailbox.host);
        let Some(disguise) = self.disguised(text, host) else { return };
        let mut judged = Judged::of_text(Arc::default());
        judged.add_at(Reason::TextLookalike, disguise.verdict);
        self.push_as(&disguise.spelled, &judged, disguise.name);
    }

    fn text(&mut self, text: &str) {
        let lies = self.field.interest == Interest::Lies;
        if lies && !may_say_scheme(text) {
            return;
        }
        for link in self.links(text) {
            // What is judged is no longer hidden to the net, so it is not judged where nobody would hear of it.
            if lies && link.kind != Kind::Scheme {
                continue;
            }
            if !self.has_steps(0) {
                return;
            }
            let bounds = HostBounds::in_text(link.kind);
            let Some(judged) = self.judge.spelled(text, &link, bounds) else { continue };
            if lies && judged.verdict < Verdict::Unsafe {
                continue;
            }
            let known = judged.host.as_ref().is_none_or(|host| host.question.is_none());
            if known || link.kind != Kind::Bare {
                self.push(text.get(link.span.clone()).unwrap_or_default(), &judged);
            }
        }
    }

    /// The links of a field that a reader sees, found as those of the body are.
    fn links(&mut self, text: &str) -> Vec<Link> {
        if !self.has_steps(text.len()) {
            return Vec::new();
        }
        Linkifier::new(self.judge.tlds()).boundaries(Boundaries::Wide).links(text).collect()
    }

    fn push(&mut self, spelled: &str, judged: &Judged) {
        let Some(host) = &judged.host else { return };
        if !host.reasons.contains(Reason::TldSyntax) {
            self.push_as(spelled, judged, judged.target().cloned());
        }
    }

    fn push_as(&mut self, spelled: &str, judged: &Judged, target: Option<String>) {
        if judged.led().is_none() || self.found.links() >= self.budget.findings {
            return;
        }
        if judged.verdict == Verdict::Ok && self.policy.report == Report::Findings {
            self.found.pass(judged);
            return;
        }
        let place = Place::Header(content::named(self.field.name).to_owned());
        let mut finding = told_of(judged, self.field.part, place, self.field.span.clone(), spelled);
        finding.target = target;
        self.found.push(self.policy, Candidate::told(finding));
    }
}

#[cfg(test)]
mod tests;
