//! Links of the text that Outlook shows, and where they lead there.

use std::collections::HashMap;
use std::ops::Range;

use super::compared::compared;
use super::fields::OutlookLink;
use super::outlook;
use super::{HtmlReader, Markup, Occurrence, SeenBy, Site, Target, token};
use crate::search_steps;
use uts58::Link;

/// Steps of each byte of the page: it is read once more, with its styles.
const STEPS_PER_BYTE: u64 = 2;

/// The links of Outlook's text, and where each leads.
struct Targets {
    shown: [Vec<OutlookLink>; 3],
    /// The occurrence of each tag by its offset, and those of codes of fields in the order of the source.
    by_tag: HashMap<usize, usize>,
    by_place: Vec<(usize, usize)>,
}

impl Targets {
    /// The occurrences that a link in the text leads to.
    fn of(&self, link: &Link) -> impl Iterator<Item = usize> {
        self.shown.iter().filter_map(|anchors| {
            let at = anchors.partition_point(|anchor| anchor.text.end <= link.span.start);
            let anchor = anchors.get(at).filter(|anchor| anchor.text.start < link.span.end)?;
            self.by_tag.get(&anchor.target.start).copied().or_else(|| self.in_code(&anchor.target))
        })
    }

    fn in_code(&self, code: &Range<usize>) -> Option<usize> {
        let at = self.by_place.partition_point(|(start, _)| *start < code.start);
        self.by_place.get(at).filter(|(start, _)| *start < code.end).map(|(_, found)| *found)
    }
}

impl HtmlReader<'_, '_, '_> {
    /// Whether a condition has words for Outlook in a link.
    pub(super) fn is_text_of_link(&mut self, inner: &Range<usize>) -> bool {
        if self.open_anchor.is_none() {
            return false;
        }
        self.view.steps += inner.len() as u64;
        outlook::shows_host(self.text, inner.clone())
    }

    /// Whether visible text touches a comment on either side.
    pub(super) fn is_in_word(&self, inner: &Range<usize>) -> bool {
        let before = !self.is_concealed() && !self.visible.ends_with_space();
        let behind = self.text.as_bytes().get(inner.end + 3);
        before || behind.is_some_and(|c| !token::is_space(*c) && *c != b'<')
    }

    /// Adds the links that only Outlook shows: those that were not found already as they are read there. Of the others
    /// those are compared with where they lead that are in a link that only Outlook has.
    pub(super) fn add_outlook_links(&mut self) {
        let outlook::Shown { text, anchors, around, fields } = outlook::shown(self.text);
        let index = self.view.seen.len();
        let known = self.known_texts();
        let by_place = if fields.is_empty() { Vec::new() } else { self.targets_by_place() };
        let by_tag = self.targets_by_tag();
        let targets = Targets { shown: [anchors, around, fields], by_tag, by_place };
        let mut links = self.linkifier().links(text.as_str());
        let capacity = self.capacity();
        let mut found = Vec::new();
        for link in links.by_ref() {
            let written = text.as_str().get(link.span.clone()).unwrap_or_default();
            let before = known.get(&(text.source(link.span.clone()), written));
            let new = before.is_none().then(|| Occurrence {
                markup: Markup::Shown,
                ..Occurrence::in_text(index, link.clone(), Site::HtmlText)
            });
            let leads = targets.of(&link).filter(|target| before != Some(&Some(*target)));
            found.extend(new.into_iter().chain(leads.map(|to| compared(index, link.clone(), to))));
            if found.len() > capacity {
                break;
            }
        }
        let steps = STEPS_PER_BYTE * self.text.len() as u64 + text.as_str().len() as u64;
        let steps = steps + search_steps(&links);
        drop((links, known));
        self.view.cut |= found.len() > capacity;
        found.truncate(capacity);
        self.view.occurrences.extend(found);
        self.view.steps += steps;
        self.view.seen.push(text);
    }

    /// The links of the text that were found, and of what stands for pictures: by their place and what is read there, with
    /// where they lead.
    fn known_texts(&self) -> HashMap<(Range<usize>, &str), Option<usize>> {
        let is_text = |one: &&Occurrence| {
            matches!(one.site, Site::HtmlText | Site::Attribute { attribute: "alt", .. })
        };
        let shown = self.view.occurrences.iter().filter(is_text);
        shown
            .filter_map(|shown| {
                let seen = self.view.seen.get(shown.seen)?;
                let written = seen.as_str().get(shown.span())?;
                Some(((seen.source(shown.span()), written), shown.anchor.target()))
            })
            .collect()
    }

    /// The occurrence that each tag leads to, by the offset of the tag.
    fn targets_by_tag(&self) -> HashMap<usize, usize> {
        let mut targets = HashMap::new();
        for (at, occurrence) in self.view.occurrences.iter().enumerate() {
            if let Site::Attribute { tag, attribute: "href", .. } = &occurrence.site
                && occurrence.seen_by != SeenBy::Called
            {
                targets.entry(*tag).or_insert(at);
            }
        }
        targets
    }

    /// The links that may be in codes of fields, by where they begin in the source.
    fn targets_by_place(&self) -> Vec<(usize, usize)> {
        let may_be_code = |one: &Occurrence| {
            matches!(one.site, Site::HtmlText | Site::Attribute { attribute: "style", .. })
                && matches!(one.target, Target::Link(_))
        };
        let all = self.view.occurrences.iter().enumerate();
        let mut places: Vec<(usize, usize)> = all
            .filter(|(_, one)| may_be_code(one))
            .filter_map(|(at, one)| {
                Some((self.view.seen.get(one.seen)?.source(one.span()).start, at))
            })
            .collect();
        places.sort_unstable();
        places
    }
}
