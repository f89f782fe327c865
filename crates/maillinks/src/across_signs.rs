//! Hosts with signs in running text: `https://www.exam–ple.com/`, `https://раypal+login.attack.example/`.
//!
//! Browsers open them (WHATWG URL §3.5, UTS #46), and Mozilla and Roundcube link them; others end a host at the sign,
//! where it has no top-level domain yet, and link nothing. People put signs between names as well, so that such a host
//! counts only if it is a lure ([`SeenBy::AcrossSigns`]). Hosts that end in a disguise ([`mapped_end`]) are found beside
//! them, since both are announced by a scheme, an `@` or `www.`.

use std::ops::{ControlFlow, Range};

use super::greedy::LONGEST_HOST;
use super::mapped_end::{MAPPED_STEPS_PER_BYTE, mapped_end, may_be_mapped};
use super::{FirstSign, Occurrence, SeenBy, Site, Target, View};
use mailsplice::byte_search::each;
use uts58::tlds::TldSet;
use uts58::unicode::hosts::is_kept;
use uts58::unicode::{Class, is_alphanumeric, is_dot_to_somebody};
use uts58::{Confidence, Kind, Link, begins_with_www, known_end, percent, scheme};

/// A host with a sign in it, or with a disguised end.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct HostWithSigns {
    pub(super) link: Link,
    seen_by: SeenBy,
}

/// Whether a program ends an authority at this character: Mozilla at the fewest. What stands for a byte that its
/// charset does not have is left to the readings in other charsets.
#[inline]
fn ends_authority(c: char) -> bool {
    matches!(c, '\0' | '\t' | '\n' | '\x0C' | '\r' | ' ' | '\u{A0}' | '\u{3000}')
        || matches!(c, '\u{80}'..='\u{9F}' | char::REPLACEMENT_CHARACTER)
        || matches!(c, '/' | '\\' | '?' | '#' | '<' | '>' | '"' | '{' | '}')
        || matches!(c, '[' | ']' | '`' | '^' | '|')
}

/// Whether hosts may hold it to browsers, and end before it to others. An escape may stand for one.
#[inline]
fn is_sign(c: char) -> bool {
    match c.is_ascii() {
        true => matches!(c, '%' | '!' | '$' | '&'..=',' | ';' | '=' | '~'),
        false => !is_of_host(c) && !is_alphanumeric(c) && !c.is_whitespace(),
    }
}

/// Whether a host holds such a sign, and nothing else that ends it.
pub(super) fn has_sign(host: &str) -> bool {
    host.contains(is_sign) && !host.contains(ends_authority)
}

/// Whether links go on behind it: dots that only some programs take for one end them to others.
fn is_of_host(c: char) -> bool {
    Class::of(c).is_host_or_dot()
}

/// Whether it separates labels, and is no sign.
fn is_dot(c: char) -> bool {
    is_dot_to_somebody(c) && !is_sign(c)
}

/// The pieces of a host between its signs and dots, if the label that they are in holds a sign.
pub fn pieces(host: &str) -> impl Iterator<Item = &str> {
    let labels = host.split(is_dot).filter(|label| label.contains(is_sign));
    labels.flat_map(|label| label.split(is_sign)).filter(|piece| !piece.is_empty())
}

/// The stretches of a host between its signs.
pub fn sites(host: &str) -> impl Iterator<Item = &str> {
    host.split(is_sign).filter(|site| !site.is_empty())
}

/// Finds such hosts in a text. Each byte is read once, as part of one authority, and once as part of an address.
pub(super) struct Search<'t> {
    text: &'t str,
    /// The links of the text that are known, in order.
    linked: &'t [Occurrence],
    tlds: &'t dyn TldSet,
    /// Where the last authority ends.
    read_to: usize,
    /// Bytes of the authorities that were read.
    pub(super) steps: u64,
}

impl<'t> Search<'t> {
    fn new(text: &'t str, linked: &'t [Occurrence], tlds: &'t dyn TldSet) -> Search<'t> {
        Search { text, linked, tlds, read_to: 0, steps: 0 }
    }

    /// The one behind a colon, an at sign or `www.` at this place.
    fn announced(&mut self, at: usize) -> Option<HostWithSigns> {
        match self.text.as_bytes().get(at) {
            _ if at < self.read_to => None,
            Some(b':') => self.behind_scheme(at),
            Some(b'@') => self.of_address(at),
            _ => self.behind_www(at),
        }
    }

    fn behind_scheme(&mut self, colon: usize) -> Option<HostWithSigns> {
        let after = self.text.as_bytes().get(colon + 1..)?;
        let slashes = after.iter().take_while(|byte| matches!(byte, b'/' | b'\\')).count();
        if slashes == 0 {
            return None;
        }
        let authority = self.url_authority(colon + 1 + slashes)?;
        let name = scheme::linked_at_end(self.text.get(..colon)?)?.name;
        self.url(colon - name.len(), authority, Kind::Scheme)
    }

    fn behind_www(&mut self, start: usize) -> Option<HostWithSigns> {
        let www = begins_with_www(self.text.get(start..)?);
        let before = self.text.get(..start)?.chars().next_back();
        // Behind the full stop of a sentence a host begins.
        let joins = |c: char| c != '。' && is_dot_to_somebody(c);
        let joined = |c: char| c.is_ascii_alphanumeric() || joins(c) || "/\\@-_+=%".contains(c);
        if !www || before.is_some_and(joined) {
            return None;
        }
        let authority = self.url_authority(start)?;
        self.url(start, authority, Kind::Www)
    }

    /// The same for a URL. The next scheme may be at its end.
    fn url_authority(&mut self, start: usize) -> Option<Range<usize>> {
        let authority = self.authority(start, |_| false);
        let read = self.text.get(start..self.read_to).unwrap_or_default();
        self.read_to -= usize::from(read.ends_with(':'));
        authority
    }

    fn url(&mut self, start: usize, authority: Range<usize>, kind: Kind) -> Option<HostWithSigns> {
        let text = self.text.get(authority.clone())?;
        let host = text.rfind('@').map_or(0, |at_sign| at_sign + 1);
        let user = (host > 0).then(|| authority.start..authority.start + host - 1);
        let host = authority.start + host..authority.end;
        let port = self.text.get(host.clone())?.find(':').map_or(host.end, |at| host.start + at);
        self.host_with_signs(start, user, host.start..port, kind)
    }

    fn of_address(&mut self, at_sign: usize) -> Option<HostWithSigns> {
        let before = self.text.get(self.read_to..at_sign)?;
        let domain = self.authority(at_sign + 1, |c| matches!(c, '@' | ':'));
        // The local part of the next address may be in the domain.
        self.read_to = at_sign + 1;
        let domain = domain?;
        let ascii = |c: char| c.is_ascii() && Class::of(c).is_email();
        let local = at_sign - (before.len() - before.trim_end_matches(ascii).len());
        self.host_with_signs(local, Some(local..at_sign), domain, Kind::Email)
            .filter(|_| local < at_sign)
    }

    /// The authority that begins here, if it holds a sign, or a character that is mapped. Most do not, and end at a slash
    /// or a blank.
    fn authority(&mut self, start: usize, ends: impl Fn(char) -> bool) -> Option<Range<usize>> {
        let text = self.text.get(start..)?;
        let plain = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_');
        let plain = text.bytes().take_while(plain).count();
        let rest = text.get(plain..)?;
        let mut open = 0_usize;
        // No host goes on behind the signs at its end, as in a list of addresses.
        let (mut is_behind_sign, mut goes_on, mut is_mapped) = (false, false, false);
        let end = rest.find(|c: char| {
            // What most are.
            if c.is_ascii_alphanumeric() || !c.is_ascii() && is_kept(c) {
                goes_on |= is_behind_sign;
                return false;
            }
            let ends_here = match c {
                '(' => {
                    open += 1;
                    false
                }
                ')' if open == 0 => true,
                ')' => {
                    open -= 1;
                    false
                }
                c => ends_authority(c) || ends(c),
            };
            match is_sign(c) {
                _ if ends_here => {}
                true => is_behind_sign = true,
                false => goes_on |= is_behind_sign,
            }
            is_mapped |= !ends_here && may_be_mapped(c);
            ends_here
        });
        let end = start + plain + end.unwrap_or(rest.len());
        self.read_to = end;
        self.steps += (end - start) as u64;
        (goes_on || is_mapped).then_some(start..end)
    }

    /// The link to the host at the start of a range, up to its last top-level domain.
    fn host_with_signs(
        &mut self,
        start: usize,
        user: Option<Range<usize>>,
        within: Range<usize>,
        kind: Kind,
    ) -> Option<HostWithSigns> {
        let written = self.text.get(within.clone())?;
        let (end, seen_by) = self
            .end_across_signs(written, start, kind)
            .or_else(|| Some((self.mapped_end(written, &within)?, SeenBy::Lenient)))?;
        let end = within.start + end;
        let link = Link {
            span: start..end,
            inner: start,
            kind,
            user,
            port: None,
            tail: end..end,
            defanged: false,
            confidence: Confidence::Low,
            host: within.start..end,
        };
        Some(HostWithSigns { link, seen_by })
    }

    /// Where a host ends as it is mapped. One that is linked up to its known end needs no other.
    fn mapped_end(&mut self, written: &str, within: &Range<usize>) -> Option<usize> {
        let is_found = || {
            is_linked(within, self.linked) && known_end(written, self.tlds) == Some(written.len())
        };
        if !written.contains(may_be_mapped) || is_found() {
            return None;
        }
        self.steps += MAPPED_STEPS_PER_BYTE * written.len().min(LONGEST_HOST) as u64;
        mapped_end(written, self.tlds)
    }

    /// Where a host with a sign in it ends, of a link of this kind that starts here.
    fn end_across_signs(&self, written: &str, start: usize, kind: Kind) -> Option<(usize, SeenBy)> {
        let host = written.get(..end(written, self.tlds)?)?;
        let (first, sign) = host.split_at_checked(host.find(is_sign)?)?;
        // Other readings find hosts whose escapes are those of letters.
        let literal = |c: char| c != '%' && is_sign(c);
        let hyphens = |host: &str| host.matches('-').count();
        let decoded = percent::decode_text(host);
        if ![host, &decoded].iter().any(|host| host.contains(literal))
            && hyphens(host) == hyphens(&decoded)
        {
            return None;
        }
        if sign.starts_with('%') && kind != Kind::Email && !self.is_in_url(start) {
            return Some((host.len(), SeenBy::AcrossSigns(FirstSign::Escaped)));
        }
        let name = if begins_with_www(first) { first.get(4..)? } else { first };
        let is_linked =
            name.contains(is_dot_to_somebody) && known_end(first, self.tlds) == Some(first.len());
        let first = if is_linked { FirstSign::EndsHost } else { FirstSign::Inside };
        Some((host.len(), SeenBy::AcrossSigns(first)))
    }

    /// Whether a link begins in another URL, where signs that separate are escaped: `?to=https://a.com%26x=b.com`.
    fn is_in_url(&self, start: usize) -> bool {
        let before = self.text.get(..start).and_then(|before| before.chars().next_back());
        before.is_some_and(|c| c.is_alphanumeric() || "/\\@-_+=%?&#:;".contains(c))
    }
}

/// Where the host at the start of a text ends: with the last top-level domain behind a sign.
fn end(text: &str, tlds: &dyn TldSet) -> Option<usize> {
    let mut left = text;
    loop {
        let (at, sign) = left.char_indices().rev().find(|(_, c)| is_sign(*c))?;
        let piece = at + sign.len_utf8();
        if let Some(end) = left.get(piece..).and_then(|piece| known_end(piece, tlds)) {
            return Some(piece + end);
        }
        left = left.get(..at)?;
    }
}

/// All such hosts of a text: of URLs with a scheme and of addresses, then of those with `www.`, at most `capacity`, as far
/// as a search goes that ends once it took its steps. `linked` are the links of the text that are known, in order. Returns
/// whether there were more, and the steps.
pub(super) fn hosts(
    text: &str,
    linked: &[Occurrence],
    tlds: &dyn TldSet,
    (capacity, at_most): (usize, u64),
) -> (Vec<HostWithSigns>, bool, u64) {
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    let mut search = Search::new(text, linked, tlds);
    let most = capacity.saturating_add(1);
    let is_new = |host: &HostWithSigns| !is_linked(&host.link.host, linked);
    for at in memchr::memchr2_iter(b':', b'@', bytes) {
        found.extend(search.announced(at).filter(is_new));
        if found.len() == most || search.steps > at_most {
            break;
        }
    }
    let mut www = Search::new(text, linked, tlds);
    // Also `_` beside a `w`, which begins no `www.`: one operation less than for two letters.
    let doubled = |byte: u8, next: u8| (byte & next) | 0x20 == b'w';
    if found.len() < most {
        let _ = each(bytes, doubled, |at| {
            found.extend(www.announced(at).filter(is_new));
            match found.len() < most && search.steps + www.steps <= at_most {
                true => ControlFlow::Continue(()),
                false => ControlFlow::Break(()),
            }
        });
    }
    let cut = found.len() > capacity;
    found.truncate(capacity);
    (found, cut, search.steps + www.steps)
}

impl HostWithSigns {
    /// Its occurrence in the text with this index.
    pub(super) fn occurrence(self, seen: usize, site: Site) -> Occurrence {
        Occurrence { seen_by: self.seen_by, ..Occurrence::in_text(seen, self.link, site) }
    }
}

/// Whether one of these links (in order) is to the host there, or to a longer one that ends with it.
fn is_linked(host: &Range<usize>, linked: &[Occurrence]) -> bool {
    let range = |occurrence: &Occurrence| match &occurrence.target {
        Target::Link(link) => link.host.clone(),
        Target::Dangerous { .. } => 0..0,
    };
    let at = linked.partition_point(|known| range(known).end < host.end);
    linked
        .get(at)
        .map(range)
        .is_some_and(|known| known.end == host.end && known.start <= host.start)
}

impl View<'_> {
    /// Adds such hosts of the first text of the view, whose first occurrences are its links as far as `linked`: at most
    /// `capacity`, with so many steps for the whole view. Returns how many.
    pub(super) fn add_hosts_with_signs(
        &mut self,
        (stretch, linked): (&str, usize),
        tlds: &dyn TldSet,
        (capacity, at_most): (usize, u64),
    ) -> usize {
        let linked = self.occurrences.get(..linked).unwrap_or_default();
        let at_most = at_most.saturating_sub(self.steps);
        let (found, cut, steps) = hosts(stretch, linked, tlds, (capacity, at_most));
        self.steps += steps;
        self.cut |= cut;
        let added = found.len();
        self.occurrences.extend(found.into_iter().map(|host| host.occurrence(0, Site::Text)));
        added
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use uts58::tlds::TldTable;

    fn found(text: &str) -> Vec<&str> {
        let tlds = TldTable::new(["com", "example", "org"], "");
        let (found, ..) = hosts(text, &[], &tlds, (100_000, u64::MAX));
        found.into_iter().map(|one| &text[one.link.span]).collect()
    }

    #[test]
    fn a_host_goes_on_behind_signs() {
        for url in [
            "https://раypal+x.a.example",
            "https://u@раypal~x.a.example",
            "ftp:/раypal(x.a.example",
            "https://раypal%2Bx.a.example",
            "https://app।e.com",
            "www.apple–id.a.example",
            "https://paypa।.com.a.example",
            "https://a–b–c.example",
            "bob@app।e.com",
            "https://a‖b.com–c.a.example",
            "https://paypal‧com.a.example",
            "https://paypal․com.a.example",
        ] {
            assert_eq!(found(&format!("see ({url}:80/x) now")), [url]);
            assert_eq!(found(&format!("<{url}>, {url}. x")), [url, url]);
            assert_eq!(found(&format!("“{url}”; {url}")), [url, url]);
        }
    }

    #[test]
    fn what_is_before_hides_none() {
        let urls = ["https://a।b.com", "x@a।b.com"];
        for before in
            ["https://a+b;", "www.a.com;", "b@a.com;", "@", "b@a,", "https://a.com–", "x@y:"]
        {
            for url in urls {
                let all = found(&format!("{before}{url}")).concat();
                assert!(all.ends_with("a।b.com"), "{before}{url}: {all}");
            }
        }
    }

    #[test]
    fn a_host_without_a_sign_in_it() {
        for text in [
            "https://a.com, https://b.org; (https://c.com) https://d.com–see 'www.e.com'",
            "bob@a.com,ann@b.org; <bob@a.com>",
            "https://раypal.com/+x.org https://раypal.com?x~y.org",
            "https://a (b.com) https://a]+b.com https:a+b.com a+b.com //a+b.com",
            "https://u+x@b.com xwww.a+b.com https://(a)b",
        ] {
            assert_eq!(found(text), [""; 0], "{text}");
        }
    }

    #[test]
    fn an_escaped_sign_ends_no_host() {
        let tlds = TldTable::new(["com", "example", "org"], "");
        let first = |text: &str| {
            let (found, ..) = hosts(text, &[], &tlds, (10, u64::MAX));
            found.into_iter().next().map(|one| one.seen_by)
        };
        for (text, sign) in [
            ("https://a.com%2b.b.example/x", FirstSign::Escaped),
            ("https://a.com%2D.b.example/x", FirstSign::Escaped),
            ("(www.a.com%2clogin.b.example)", FirstSign::Escaped),
            ("https://a.com+.b.example", FirstSign::EndsHost),
            ("https://a+x.b.example", FirstSign::Inside),
            ("https://c.com/?to=https://a.com%26x=b.example", FirstSign::EndsHost),
            ("x@a.com%2cb.example", FirstSign::EndsHost),
        ] {
            assert_eq!(first(text), Some(SeenBy::AcrossSigns(sign)), "{text}");
        }
        assert_eq!(first("https://a.com%2f.b.example"), None);
    }

    #[test]
    fn only_labels_with_signs_have_pieces() {
        let pieces: Vec<_> = pieces("a.b+c–d.e.com").collect();
        assert_eq!(pieces, ["b", "c", "d"]);
    }

    #[test]
    fn hostile_signs_take_few_steps() {
        for piece in ["https://", "@", "+", "www.(", "a@+", "https://a+b.com(", "www.a+", "%"] {
            let text = piece.repeat(20_000);
            let tlds = TldTable::new(["com"], "");
            let (found, _, steps) = hosts(&text, &[], &tlds, (100_000, u64::MAX));
            assert!(steps <= 2 * text.len() as u64, "{piece} {steps}");
            assert!(found.len() <= 20_000);
        }
    }
}
