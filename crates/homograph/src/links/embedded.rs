//! URLs inside a URL: unwrapped from a rewriter's link, or written in it at any level of
//! percent-encoding.

use std::borrow::Cow;
use std::collections::VecDeque;
use uts58::unicode::a_label::has_a_label;

use memchr::memchr_iter;

use super::userinfo::is_in_local_part;
use super::{userinfo, wrappers};
use crate::limits::{EMBEDDED, NESTING, REWRITTEN, SEARCHED_BYTES, TRIED};
#[cfg(feature = "senders")]
use crate::spelling::domain::{Section, registrable};
use crate::verdict::{Edit, Reason};
use crate::{Context, HostBounds, Judgement, judge};
use uts58::{Boundaries, Kind, Link, Linkifier, Target, ipv4, percent, reference, scheme};

/// How much was judged as a host inside a link, and is none or deceives nobody.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Rejected {
    /// Number of spellings.
    pub hosts: usize,
    /// Bytes of them all.
    pub bytes: usize,
}

impl Rejected {
    fn add(&mut self, host: &str) {
        self.hosts += 1;
        self.bytes += host.len();
    }
}

/// What was found in the URLs inside a link.
#[derive(Debug, Default)]
pub(super) struct Embedded {
    pub hosts: Vec<Judgement>,
    /// Whether the userinfo of one reads as a name that readers know; its host is in `hosts`.
    pub userinfo: bool,
    /// The spellings that were judged as hosts of URLs, each with its host in ASCII form; `None` of what is no host.
    pub judged: Vec<(String, Option<String>)>,
    pub rejected: Rejected,
}

/// Finds the URLs in the tail of a link to this host. The tail of an inner URL is part of the text
/// around it, so each text is searched once for each level of encoding; only an unwrapped
/// rewriter's link adds a new text.
pub(super) fn find(host: &str, tail: &str, context: &Context<'_>) -> Embedded {
    if tail.len() > SEARCHED_BYTES {
        return Embedded::default();
    }
    let context = Context { bounds: HostBounds::Certain, ..*context };
    let mut search = Search {
        context,
        found: Embedded::default(),
        tried: Vec::new(),
        texts: VecDeque::new(),
        left: REWRITTEN * tail.len(),
    };
    search.texts.push_back((host.to_owned(), tail.to_owned(), 0));
    while let Some((host, tail, depth)) = search.texts.pop_front() {
        if let Some(inner) = wrappers::unwrap(&host, &tail) {
            search.judge_unwrapped(inner, depth);
        }
        #[cfg(feature = "senders")]
        for inner in wrappers::unwrap_others(&host, &tail) {
            search.judge_unwrapped(inner, depth);
        }
        #[cfg(feature = "senders")]
        let tail = wrappers::parted(&host, tail);
        search.judge_text(tail, depth);
    }
    search.found
}

/// The host that a rewriter's link leads to, through all rewriters that wrap each other; `None` for
/// other links, and for those that only the rewriter can resolve, or that may lead to two owners.
pub(super) fn target_host(host: &str, tail: &str) -> Option<String> {
    if tail.len() > SEARCHED_BYTES {
        return None;
    }
    let mut led: Option<(String, String)> = None;
    for _ in 0..=NESTING {
        let (host, tail) =
            led.as_ref().map_or((host, tail), |(host, tail)| (host.as_str(), tail.as_str()));
        let Some(url) = wrappers::unwrap(host, tail) else { break };
        let url = url.replace(reference::is_stripped, "");
        let Some(link) = web_link(&url) else { break };
        #[cfg(feature = "senders")]
        if wrappers::unwrap_others(host, tail)
            .iter()
            .any(|other| !is_of_owner(other, link.host_str(&url)))
        {
            return None;
        }
        let tail = url.get(link.tail.clone()).unwrap_or_default();
        led = Some((link.host_str(&url).to_owned(), tail.to_owned()));
    }
    led.map(|(host, _)| host)
}

/// The first link of a URL that is none to an address.
fn web_link(url: &str) -> Option<Link> {
    reference::parse(url, 0..url.len()).find_map(|target| match target {
        Target::Link(link) if link.kind != Kind::Email => Some(link),
        _ => None,
    })
}

/// Whether a URL leads to a host with the registrable domain of this one.
#[cfg(feature = "senders")]
fn is_of_owner(url: &str, host: &str) -> bool {
    let url = url.replace(reference::is_stripped, "");
    let [one, other] =
        [web_link(&url).map_or("", |link| link.host_str(&url)), host].map(str::to_ascii_lowercase);
    one == other
        || registrable(&one, Section::Private)
            .is_some_and(|own| registrable(&other, Section::Private) == Some(own))
}

/// The search for URLs inside one URL.
struct Search<'a> {
    context: Context<'a>,
    found: Embedded,
    /// The spellings that were judged, each with the question asked.
    tried: Vec<(Question, String)>,
    /// Host, tail and nesting depth of the texts still to be searched.
    texts: VecDeque<(String, String, u8)>,
    /// Bytes that may still be searched repeatedly: tails of rewriters, userinfo, authorities in
    /// authorities.
    left: usize,
}

/// What is asked about a spelling. An answer does not hold for another question: the host of a URL
/// may also be in its own userinfo, and in running text where it counts for less.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Question {
    /// Where does a URL lead?
    Host,
    /// Which names does a reader see in the userinfo?
    Userinfo,
    /// Does a string with these bounds, which may be no host, mislead at least this much?
    Deceives(HostBounds, Edit),
}

impl Question {
    /// Whether both questions share one limit.
    fn is_like(self, other: Question) -> bool {
        std::mem::discriminant(&self) == std::mem::discriminant(&other)
    }
}

/// Where a value of a query ends, and its last blank.
#[derive(Clone, Copy, Debug, Default)]
struct Value {
    end: usize,
    blank: usize,
}

impl Value {
    /// Whether a blank follows this byte in the same value: a URL has none, so the value is prose.
    /// Positions must be given in ascending order.
    fn has_blank(&mut self, text: &str, at: usize) -> bool {
        if self.end <= at {
            let rest = text.get(at..).unwrap_or_default();
            let value = rest.get(..rest.find('&').unwrap_or(rest.len())).unwrap_or_default();
            self.end = at + value.len().max(1);
            self.blank = value.rfind(char::is_whitespace).map_or(0, |blank| at + blank);
        }
        at < self.blank
    }
}

/// Whether the text before this position is prose, which share buttons put into a query
/// (`?text=See%20https://…`): a blank, a quote or a letter of another script, and not the beginning
/// of a value. In a misread charset, half of such a letter is an ASCII one.
fn is_prose_before(text: &str, at: usize) -> bool {
    let mut before = text.get(..at).unwrap_or_default().chars().rev();
    let quote = |c: char| matches!(c, '+' | '(' | '[' | '"' | '\'' | '<' | '>');
    let Some(last) = before.next() else { return false };
    !last.is_ascii()
        || last.is_whitespace()
        || quote(last)
        || last.is_ascii_alphanumeric() && before.next().is_some_and(|c| !c.is_ascii())
}

/// The text with `+` as blanks (application/x-www-form-urlencoded, WHATWG URL §5.1) after the first
/// `?` or `#`.
fn blanks_of_forms(text: &str) -> Cow<'_, str> {
    let query = text.find(['?', '#']).unwrap_or(text.len());
    match text.split_at_checked(query) {
        Some((path, query)) if query.contains('+') => {
            Cow::Owned([path, &query.replace('+', " ")].concat())
        }
        _ => Cow::Borrowed(text),
    }
}

/// Characters that end a URL inside another one.
fn ends_url(c: char) -> bool {
    matches!(c, '&' | '"' | '<' | '>') || c.is_whitespace()
}

/// Where the first value of a form begins in a text: behind the first `=` of a query or fragment.
fn first_value(text: &str) -> usize {
    let query = text.find(['?', '#']).unwrap_or(text.len());
    text.get(query..).and_then(|query| query.find('=')).map_or(text.len(), |at| query + at)
}

/// The local part of a mail address in prose, which scripts put into the value of a form with its blanks and line ends
/// escaped, and `://` and `@` as they are: `?details=https://example.com%0Aann@example.org`. Something ends the first
/// host once its escapes are decoded, and nothing of a URL is behind the address.
fn local_part_in_prose(text: &str, link: &Link) -> Option<String> {
    let user = percent::decode_text(text.get(link.user.clone()?)?);
    let end = user
        .find(|c: char| c.is_whitespace() || matches!(c, '&' | '?' | '#'))
        .or_else(|| user.find(",+"))?;
    let rest = user.get(end..)?;
    let local =
        rest.get(rest.trim_end_matches(is_in_local_part).len()..).filter(|it| !it.is_empty())?;
    let rest = text.get(link.host.start..)?;
    let end = rest.find(|c: char| ends_url(c) || matches!(c, '/' | '\\' | '?' | '#'));
    let (host, behind) = rest.split_at_checked(end.unwrap_or(rest.len()))?;
    let host = percent::decode_text(host);
    let host = host.trim_start_matches(|c: char| c.is_alphanumeric() || matches!(c, '-' | '.'));
    let ends = |c: char| ends_url(c) || matches!(c, ',' | ';' | ')');
    host.chars().chain(behind.chars()).next().is_none_or(ends).then(|| local.to_owned())
}

/// What a reader of a URL sees before its `@`: in the value of a form perhaps a local part alone.
fn seen_user<'t>(text: &'t str, link: &Link, is_value: bool) -> Option<Cow<'t, str>> {
    let user = link.user.clone().and_then(|user| text.get(user))?;
    let local = if is_value { local_part_in_prose(text, link) } else { None };
    Some(local.map_or(Cow::Borrowed(user), Cow::Owned))
}

impl Search<'_> {
    /// Judges the URL that a rewriter's link leads to, and those inside it.
    fn judge_unwrapped(&mut self, url: String, depth: u8) {
        let url = url.replace(reference::is_stripped, "");
        for target in reference::parse(&url, 0..url.len()) {
            if let Target::Link(link) = target {
                let tail = url.get(link.tail.clone()).unwrap_or_default();
                let user = link.user.clone().and_then(|user| url.get(user));
                self.url(&url, &link, (user, || tail), depth);
            }
        }
        if let Some(left) = self.left.checked_sub(url.len()) {
            self.left = left;
            self.judge_text(url, depth);
        }
    }

    /// Judges URLs with a web scheme in the text, decoded until nothing more decodes, or as often
    /// as redirectors nest at most.
    fn judge_text(&mut self, mut text: String, depth: u8) {
        for round in 0..=NESTING {
            self.judge_schemes(&text, depth);
            self.judge_linkified(&text);
            if !text.contains('%') {
                return;
            }
            let decoded = match round {
                0 => percent::decode_text(&blanks_of_forms(&text)),
                _ => percent::decode_text(&text),
            };
            if decoded == text {
                return;
            }
            text = decoded;
        }
    }

    fn judge_schemes(&mut self, text: &str, depth: u8) {
        let mut bare = 0;
        // Where the URL around these ends, and its authority: the same for all URLs before it.
        let (mut until, mut end) = (0, 0);
        let mut value = Value::default();
        let values = first_value(text);
        for at in memchr_iter(b':', text.as_bytes()) {
            let (Some(head), Some(rest)) = (text.get(..at), text.get(at + 1..)) else { continue };
            // One slash is enough: proxies and faulty templates lose the other. Without any it is
            // usually no URL, and counts only if it misleads.
            let slashes = rest.len() - rest.trim_start_matches(['/', '\\']).len();
            let Some(scheme) = scheme::linked_at_end(head) else { continue };
            let first = at - scheme.name.len();
            if slashes > 1 && (is_prose_before(text, first) || value.has_blank(text, at)) {
                let is_value = first > values;
                self.judge_in_prose(text.get(first..).unwrap_or_default(), is_value, depth);
                continue;
            }
            // Nothing ends one before the next: each would be read to the end of the text.
            bare += usize::from(slashes == 0);
            if slashes == 0 && bare > TRIED {
                continue;
            }
            let start = at + 1 + slashes;
            if end <= start {
                let rest = text.get(start..).unwrap_or_default();
                let length = rest.find(|c| ends_url(c) || matches!(c, '/' | '\\' | '?' | '#'));
                end = start + length.unwrap_or(rest.len());
            } else if let Some(left) = self.left.checked_sub(end - start) {
                // Inside the previous one, with the same host at its end.
                self.left = left;
            } else {
                continue;
            }
            let Some(link) = reference::authority(text, start..end, start..end, Kind::Scheme)
            else {
                continue;
            };
            let user = seen_user(text, &link, first > values);
            if slashes == 0 {
                self.judge_if_misleading(link.host_str(text), HostBounds::Certain, Edit::Link);
                if let Some(user) = user {
                    self.userinfo(&user);
                }
            } else {
                if until < end {
                    let rest = text.get(end..).unwrap_or_default();
                    until = end + rest.find(ends_url).unwrap_or(rest.len());
                }
                let tail = || text.get(end..until).unwrap_or_default();
                self.url(text, &link, (user.as_deref(), tail), depth);
            }
        }
    }

    /// Judges a URL in prose at the beginning of the text: it ends as in running text.
    fn judge_in_prose(&mut self, text: &str, is_value: bool, depth: u8) {
        let blank = |c: char| c == '+' || ends_url(c);
        // Bytes that are searched count: without a blank each URL would be read to the end of the
        // text.
        let near = text.get(..text.floor_char_boundary(self.left)).unwrap_or_default();
        let whole = near.len() == text.len();
        let end = near.find(blank).or(whole.then_some(near.len())).unwrap_or_default();
        let piece = near.get(..end).unwrap_or_default();
        self.left -= if end > 0 { end } else { near.len() };
        let linkifier = Linkifier::new(self.context.tlds).boundaries(Boundaries::Wide);
        let found = linkifier.links(piece).next().filter(|link| link.kind == Kind::Scheme);
        if let Some(link) = found {
            let user = seen_user(piece, &link, is_value);
            let tail = || piece.get(link.tail.clone()).unwrap_or_default();
            self.url(piece, &link, (user.as_deref(), tail), depth);
        }
    }

    /// Judges what a client links that ends a URL early: hosts with no scheme or an unlinked one,
    /// addresses (`x.org#раypal.com`, `x.org/bob@раypal.com`). Usually they are no hosts, and count
    /// only if they mislead.
    fn judge_linkified(&mut self, text: &str) {
        if text.is_ascii() && !has_a_label(text.as_bytes()) {
            return;
        }
        let tlds = self.context.tlds;
        for link in Linkifier::new(tlds).boundaries(Boundaries::Wide).links(text) {
            let least = if link.kind == Kind::Bare { Edit::Anywhere } else { Edit::Link };
            let bounds = HostBounds::in_text(link.kind);
            let host = link.host_str(text);
            // The digits of an escape are no part of the host behind it (`%2Fпример.рф`).
            let escape = link.host.start.checked_sub(1).and_then(|at| text.as_bytes().get(at..));
            let digits = if escape.and_then(percent::escape_at).is_some() { 2 } else { 0 };
            self.judge_if_misleading(host.get(digits..).unwrap_or(host), bounds, least);
        }
    }

    /// Judges an inner URL; the tail of a rewriter's is searched later.
    fn url<'t>(
        &mut self,
        text: &str,
        link: &Link,
        (user, tail): (Option<&str>, impl Fn() -> &'t str),
        depth: u8,
    ) {
        let host = link.host_str(text);
        if wrappers::rewrites(host) && depth < NESTING {
            let tail = tail();
            let known = |(name, known, _): &(String, String, u8)| name == host && known == tail;
            if let Some(left) = self.left.checked_sub(host.len() + tail.len())
                && !self.texts.iter().any(known)
            {
                self.left = left;
                self.texts.push_back((host.to_ascii_lowercase(), tail.to_owned(), depth + 1));
            }
        }
        self.host(host);
        if text.as_bytes().get(link.tail.start) == Some(&b'\\')
            && let Some(host) = reference::after_backslash(tail())
        {
            self.host(host);
        }
        // What follows the `@` of a mention is no host (`…com–@example`).
        let names_host =
            ipv4::is_number(host) || host.contains(['.', '[', '%']) || !host.is_ascii();
        if let Some(user) = user.filter(|_| names_host) {
            self.userinfo(user);
        }
    }

    fn host(&mut self, host: &str) {
        if self.is_new(Question::Host, host) {
            self.judge(host);
        }
    }

    fn userinfo(&mut self, user: &str) {
        // Each may be the end of the previous one.
        if self.is_new(Question::Userinfo, user)
            && let Some(left) = self.left.checked_sub(user.len())
        {
            self.left = left;
            let read = userinfo::known_hosts(user, &self.context);
            self.found.userinfo |= !read.is_empty();
            let left = EMBEDDED.saturating_sub(self.found.hosts.len());
            self.found.hosts.extend(read.into_iter().take(left));
        }
    }

    fn judge_if_misleading(&mut self, host: &str, bounds: HostBounds, least: Edit) {
        let is_judged =
            self.tried.iter().any(|(asked, tried)| *asked == Question::Host && tried == host);
        if !is_judged && self.is_new(Question::Deceives(bounds, least), host) {
            let judgement = judge(host, &Context { bounds, ..self.context });
            if judgement.edit >= least {
                self.keep(judgement);
            } else {
                self.found.rejected.add(host);
            }
        }
    }

    /// Whether this question is new for the spelling and the limit is not reached; records it.
    fn is_new(&mut self, question: Question, spelling: &str) -> bool {
        let alike = self.tried.iter().filter(|(asked, _)| asked.is_like(question)).count();
        let new = alike < TRIED
            && !self.tried.iter().any(|(asked, tried)| *asked == question && tried == spelling);
        if new {
            self.tried.push((question, spelling.to_owned()));
        }
        new
    }

    fn judge(&mut self, host: &str) {
        let judgement = judge(host, &self.context);
        // `…/*http://a.example*http://b.example`: what is no host leads nowhere.
        let nothing = [Reason::IdnaInvalid, Reason::TldSyntax, Reason::TldUnknown];
        let leads_nowhere = host.is_ascii()
            && judgement.reasons.contains(Reason::IdnaInvalid)
            && judgement.reasons.iter().all(|reason| nothing.contains(&reason));
        let is_host = judgement.ascii.contains('.') || judgement.ascii.starts_with('[');
        let is_kept = is_host && !leads_nowhere;
        self.found.judged.push((host.to_owned(), is_kept.then(|| judgement.ascii.clone())));
        if is_kept {
            self.keep(judgement);
        } else {
            self.found.rejected.add(host);
        }
    }

    fn keep(&mut self, judgement: Judgement) {
        if self.found.hosts.len() < EMBEDDED
            && self.found.hosts.iter().all(|seen| seen.ascii != judgement.ascii)
        {
            self.found.hosts.push(judgement);
        }
    }
}

#[cfg(test)]
mod tests;
