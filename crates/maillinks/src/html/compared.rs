//! Words that a reader sees whole and of which an anchor shows a part, or all and something that is not drawn:
//! `https://www.example.com/<a href=…>login</a>`, `<a href=…>www.<span style="font:0/0 a">, </span>example.com</a>`.
//!
//! Honest pages have such words. So they are only compared with where the anchor leads ([`SeenBy::Glance`]).

use std::ops::Range;

use super::{Anchor, HtmlReader, MappedText, Occurrence, SeenBy, Site, Target};
use crate::joined::{Joined, first_word, last_word};
use crate::{AnchorAround, search_steps};
use uts58::unicode::is_dot_to_somebody;
use uts58::{Kind, Link};

/// Words across seams.
#[derive(Debug, Default)]
pub(super) struct AcrossSeams {
    /// Those that may hold a link for every program: some convert a page to plain text, and join them.
    pub linked: Joined,
    /// Those that may show a host to a reader.
    pub shown: Joined,
}

impl AcrossSeams {
    /// The words where the text of an anchor touches a word next to it.
    pub fn of(text: &str, seams: &[usize]) -> AcrossSeams {
        let mut across = AcrossSeams::default();
        let slice = |range: &Range<usize>| text.get(range.clone()).unwrap_or_default();
        let apart =
            |one: &usize, next: &usize| slice(&(one + 1..*next)).contains(char::is_whitespace);
        for row in seams.chunk_by(|one, next| !apart(one, next)) {
            let (Some(first), Some(last)) = (row.first(), row.last()) else { continue };
            let start = last_word(text, 0..*first).start;
            let end = first_word(text, last + 1..text.len()).end;
            // Most words are no links.
            if !slice(&(start..end)).contains(may_be_of_link) {
                continue;
            }
            let starts = std::iter::once(start).chain(row.iter().map(|seam| seam + 1));
            let ends = row.iter().copied().chain([end]);
            let pieces: Vec<Range<usize>> =
                starts.zip(ends).map(|(start, end)| start..end).collect();
            let mut word = String::with_capacity(end - start);
            pieces.iter().for_each(|piece| word.push_str(slice(piece)));
            // The seam itself is the separator.
            if shows_host(&word) {
                across.shown.add(pieces.clone(), *last..last + 1);
            }
            if is_linked_by_all(&word) {
                across.linked.add(pieces, *last..last + 1);
            }
        }
        across
    }
}

/// Whether a character is one of those of which a word has one that may be, or show, a link.
fn may_be_of_link(c: char) -> bool {
    matches!(c, '@' | '/' | '\\' | ':') || is_dot_to_somebody(c)
}

/// Whether a word may hold a link for every program.
fn is_linked_by_all(word: &str) -> bool {
    word.contains(['@', '/', '\\', ':'])
        || word.as_bytes().windows(4).any(|four| four.eq_ignore_ascii_case(b"www."))
}

/// A name without `www.` in front.
pub(super) fn without_www(name: &str) -> &str {
    match name.split_at_checked(4) {
        Some((www, rest)) if www.eq_ignore_ascii_case("www.") => rest,
        _ => name,
    }
}

/// Whether there is a dot between two letters or digits.
pub(super) fn shows_host(word: &str) -> bool {
    let mut dots = word.match_indices(is_dot_to_somebody);
    dots.any(|(at, dot)| {
        let before = word.get(..at).and_then(|text| text.chars().next_back());
        let after = word.get(at + dot.len()..).and_then(|text| text.chars().next());
        [before, after].into_iter().all(|c| c.is_some_and(char::is_alphanumeric))
    })
}

/// Joined words, with their links that are compared, and with what.
pub(super) struct Parts {
    joined: Joined,
    found: Vec<(Link, usize)>,
}

impl<'t> HtmlReader<'t, '_, '_> {
    /// The links of joined words of the visible text, with where each anchor leads that shows a part of them. With
    /// `in_anchors` all of a link is in its anchor, otherwise a part is.
    pub(super) fn compared_parts(
        &mut self,
        joined: Joined,
        anchors: &[Anchor],
        in_anchors: bool,
    ) -> Option<Parts> {
        if joined.is_empty() || anchors.is_empty() {
            return None;
        }
        let capacity = self.capacity();
        let text = joined.text(self.visible.as_str());
        let mut source = joined.sources();
        let mut found = Vec::new();
        let mut links = self.linkifier().links(&text);
        for link in links.by_ref().filter(|link| link.kind != Kind::Email) {
            if found.len() >= capacity {
                break;
            }
            let start = source(link.span.start);
            let host = source(link.host.start)..source(link.host.end - 1) + 1;
            let span = start..source(link.span.end - 1) + 1;
            let first = anchors.partition_point(|anchor| anchor.text.end <= span.start);
            let around = anchors.iter().skip(first);
            let around = around.take_while(|anchor| anchor.text.start < span.end);
            for anchor in around.filter(|anchor| !anchor.text.is_empty()) {
                let all = anchor.text.start <= span.start && span.end <= anchor.text.end;
                let of_host = anchor.text.start < host.end && host.start < anchor.text.end;
                if all != in_anchors
                    || !of_host && self.shows_own_host(anchor)
                    || !all && self.is_glued(anchor, &span, &host)
                {
                    continue;
                }
                let targets = anchor.occurrence.into_iter().chain(anchor.resolved);
                found.extend(targets.map(|target| (link.clone(), target)));
            }
        }
        self.view.steps += text.len() as u64 + search_steps(&links);
        drop((links, source));
        (!found.is_empty()).then_some(Parts { joined, found })
    }

    /// Adds what is compared, with the words mapped to the source.
    pub(super) fn add_parts(&mut self, parts: Vec<(MappedText<'t>, Parts)>) {
        for (words, Parts { found, .. }) in parts {
            let index = self.view.seen.len();
            let found = found.into_iter().take(self.capacity());
            let found = found.map(|(link, leads_to)| compared(index, link, leads_to));
            let found: Vec<Occurrence> = found.collect();
            self.view.occurrences.extend(found);
            self.view.seen.push(words);
        }
    }

    /// Whether an anchor only stands in front of a host, without a blank: `here.www.example.com`.
    fn is_glued(&self, anchor: &Anchor, span: &Range<usize>, host: &Range<usize>) -> bool {
        let slice = |range| self.visible.as_str().get(range).unwrap_or_default();
        let is_www = |text: &str| without_www(text) != text;
        let part = slice(anchor.text.start.max(span.start)..anchor.text.end);
        let rest = slice(anchor.text.end..host.end.max(anchor.text.end));
        let is_url = part.contains("//") || is_www(part);
        !is_url && !rest.is_empty() && (is_www(rest.trim_ascii_start()) || part.ends_with('.'))
    }

    /// Whether the text of an anchor begins with the host that it leads to: programs make such an anchor of a URL inside
    /// another one.
    fn shows_own_host(&self, anchor: &Anchor) -> bool {
        let target = anchor.occurrence.and_then(|at| self.view.occurrences.get(at));
        let Some(Occurrence { target: Target::Link(link), seen, .. }) = target else {
            return false;
        };
        let seen = self.view.seen.get(*seen).map_or("", |seen| seen.as_str());
        let host = seen.get(link.host.clone()).unwrap_or_default();
        let text = self.visible.as_str().get(anchor.text.clone()).unwrap_or_default();
        let text =
            text.split_once("//").filter(|(scheme, _)| scheme.len() < 8).map_or(text, |two| two.1);
        let (host, text) = (without_www(host), without_www(text));
        text.get(..host.len()).is_some_and(|head| head.eq_ignore_ascii_case(host))
    }
}

impl Parts {
    /// The words, mapped to the source of the visible text.
    pub fn mapped<'o>(self, seen: &MappedText<'_>) -> (MappedText<'o>, Parts) {
        (self.joined.of(seen), self)
    }
}

/// A link of a text that is compared with where another leads.
pub(super) fn compared(index: usize, link: Link, leads_to: usize) -> Occurrence {
    Occurrence {
        seen_by: SeenBy::Glance,
        anchor: AnchorAround::LeadsTo(leads_to),
        ..Occurrence::in_text(index, link, Site::HtmlText)
    }
}
