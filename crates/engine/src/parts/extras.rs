//! What is written next to a link: a notice next to a defanged one, an anchor around a good one.

use std::collections::HashSet;

use super::has_one_charset;
use super::layer_reader::LayerReader;
use crate::budget::Budget;
use crate::finding::{Candidate, Findings};
use crate::judging::Judged;
use crate::outcome::{Bypass, Done, Limit};
use crate::policy::{LinkAction, Linkify, Mode, Notice};
use crate::{actions, notices};
use homograph::linkify;
use maillinks::{AnchorAround, Markup, Occurrence, SeenBy, Site};
use mailsplice::mime::Media;
use mailsplice::span::TextEdit;
use uts58::Target;

/// What a tag has room for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Room {
    Title,
    TitleAndText,
}

impl Room {
    /// Of a tag with this attribute, if readers see the element.
    fn of(element: &str, attribute: &str) -> Option<Room> {
        let is = |names: &[&str]| names.iter().any(|name| element.eq_ignore_ascii_case(name));
        match attribute {
            "href" if is(&["a"]) => Some(Room::TitleAndText),
            "href" if is(&["area"]) => Some(Room::Title),
            "action" if is(&["form"]) => Some(Room::Title),
            "formaction" if is(&["button", "input"]) => Some(Room::Title),
            "src" if is(&["img", "input"]) => Some(Room::Title),
            _ => None,
        }
    }
}

impl<'a> LayerReader<'a> {
    /// Adds what stands next to the link, as long as there is space for it.
    pub(super) fn add_extras(
        &self,
        (occurrence, is_explained): (&Occurrence, bool),
        (judged, action, done): (&Judged, LinkAction, Done),
        candidate: &mut Candidate,
        budget: &mut Budget<'_>,
        found: &mut Findings,
    ) {
        let extras = match &occurrence.site {
            _ if !self.is_as_labelled() || self.is_in_markup(occurrence) => Vec::new(),
            Site::Attribute { .. } if is_explained => Vec::new(),
            Site::Attribute { .. } => self.notice_in_tag(occurrence, judged, action),
            _ => self.extras(occurrence, judged, action),
        };
        if extras.is_empty() {
            return;
        }
        if !budget.reserve_extra(extras.iter().map(|edit| edit.replacement.len()).sum()) {
            return found.bypass(&self.open.entry.path, Bypass::Limit(Limit::Extras));
        }
        candidate.edits.extend(extras);
        candidate.finding.done = done;
    }

    /// Whether a letter has as many bytes as the label of the part says: in other readings the same link stands at other
    /// bytes.
    fn is_as_labelled(&self) -> bool {
        let width = self.open.reading.charset.ascii_bytes();
        let labelled = || self.open.entry.declared_charset();
        let is_alike = || labelled().is_none_or(|charset| charset.ascii_bytes() == width);
        *self.open.is_as_labelled.get_or_init(is_alike)
    }

    /// Whether a link of a text may stand in the markup of a page: some program reads the part as one, or as other parts, or
    /// the link holds or ends in what is markup there.
    fn is_in_markup(&self, occurrence: &Occurrence) -> bool {
        if occurrence.site != Site::Text {
            return false;
        }
        let entry = self.open.entry;
        let text = self.view.seen.get(occurrence.seen).map_or("", |seen| seen.as_str());
        let span = occurrence.span();
        let behind = text.get(span.end..).unwrap_or_default();
        let link = text.get(span).unwrap_or_default();
        let ends_entity = behind.starts_with(';') && link.contains('&');
        entry.is_read_as(Media::Html)
            || !self.open.context.disjoint
            || link.contains('<')
            || ends_entity
    }

    /// Indexes of anchors whose visible text is a link that is defanged, which shows the notice itself.
    pub(super) fn anchors_explained_in_text(
        &self,
        occurrences: &[Occurrence],
        judged: &[Option<Judged>],
    ) -> HashSet<usize> {
        let context = &self.open.context;
        if context.policy.notice == Notice::Off {
            return HashSet::new();
        }
        let occurrences = occurrences.iter().zip(judged);
        occurrences
            .filter(|(occurrence, _)| occurrence.seen_by != SeenBy::Glance)
            .filter_map(|(occurrence, judged)| {
                let anchor =
                    occurrence.anchor.target().filter(|_| occurrence.site == Site::HtmlText)?;
                let action = actions::link(context.policy, self.open.entry, judged.as_ref()?).0;
                (action >= LinkAction::Unlink).then_some(anchor)
            })
            .collect()
    }

    /// The notice in a defanged anchor around a button or a picture, which has no text of its own; of a button, a picture
    /// or a place of an image map its title alone, which no layout has a place for.
    fn notice_in_tag(
        &self,
        occurrence: &Occurrence,
        judged: &Judged,
        action: LinkAction,
    ) -> Vec<TextEdit> {
        let wanted = self.open.context.policy.notice == Notice::Inline
            && action >= LinkAction::Unlink
            && occurrence.markup == Markup::Read
            && matches!(occurrence.seen_by, SeenBy::Standard | SeenBy::Called)
            && self.layer.property.is_none()
            && self.layer.depth == 0;
        let Site::Attribute { tag, element, attribute, .. } = &occurrence.site else {
            return Vec::new();
        };
        let Some(room) = Room::of(element, attribute).filter(|_| wanted) else {
            return Vec::new();
        };
        let (own, cause) = (&self.open.context.policy.words, notices::Cause::of(judged.verdict));
        let words = notices::words_in_html(own, self.language(), cause);
        let text = (room == Room::TitleAndText).then(|| format!("[{words}] "));
        self.defanger.insert_in_tag(*tag, &words, text)
    }

    /// The notice next to a defanged link, or the anchor around a good one, if the policy asks for it.
    fn extras(
        &self,
        occurrence: &Occurrence,
        judged: &Judged,
        action: LinkAction,
    ) -> Vec<TextEdit> {
        let policy = self.open.context.policy;
        let visible = matches!(occurrence.site, Site::Text | Site::HtmlText);
        if !visible || self.layer.property.is_some() || self.layer.depth > 0 {
            return Vec::new();
        }
        if action >= LinkAction::Unlink && policy.notice == Notice::Inline {
            let (own, language) = (&policy.words, self.language());
            let cause = notices::Cause::of(judged.verdict);
            let notice = match occurrence.site {
                Site::HtmlText => notices::in_html(own, language, cause),
                _ => notices::in_text(own, language, cause, |words| self.fits(words)),
            };
            return self.defanger.insert_after(occurrence, notice);
        }
        let linkify = policy.linkify == Linkify::Html
            && !self.open.entry.drawing
            && !self.open.entry.document
            && policy.mode != Mode::ReportOnly
            && occurrence.site == Site::HtmlText
            && occurrence.anchor == AnchorAround::None
            && occurrence.markup == Markup::Read
            && action == LinkAction::Leave;
        let text = self.view.seen.get(occurrence.seen).map_or("", |seen| seen.as_str());
        let verdict = crate::linkify::verdict(judged);
        match &occurrence.target {
            Target::Link(link)
                if linkify
                    && linkify::may_be_linked(text, link, verdict)
                    && linkify::is_as_judged(link, judged.host.as_deref()) =>
            {
                let anchor = |href: String| {
                    self.defanger.anchor(occurrence, link.inner..link.span.end, &href)
                };
                link.href(text).map_or_else(Vec::new, anchor)
            }
            _ => Vec::new(),
        }
    }

    /// The language of the notice.
    fn language(&self) -> &'a str {
        let of_script = || notices::of_script(self.layer.seen.as_str());
        let known = self.open.context.language;
        known.or_else(|| *self.script_language.get_or_init(of_script)).unwrap_or("en")
    }

    /// Whether the words can be written in every charset in which a client reads the part.
    fn fits(&self, words: &str) -> bool {
        words.is_ascii()
            || (self.open.entry.declares(self.open.reading.charset)
                && self.open.reading.holds(words)
                && *self.open.has_one_charset.get_or_init(|| self.has_one_charset()))
    }

    fn has_one_charset(&self) -> bool {
        let context = &self.open.context;
        has_one_charset(context.message, context.tree, self.open.part, self.open.reading)
    }
}
