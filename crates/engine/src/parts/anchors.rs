//! What an anchor shows against where it leads.

use super::{LayerReader, Run};
use crate::content::{Occurrence, Rendering};
use crate::judged::leads_there;
use crate::judging::{Judge, Judged};
use crate::outcome::Reason;
use uts58::Target;

/// Bytes of a visible URL that are compared with its target's.
const SHOWN: usize = 512;

impl LayerReader<'_> {
    /// Visible text against the `href` around it. A host that a break cuts deceives nobody where a click on it
    /// leads to that host.
    pub(super) fn compare(&self, run: Run<'_>, judge: &Judge<'_>, judged: &mut [Option<Judged>]) {
        for (index, occurrence) in run.occurrences.iter().enumerate() {
            let anchor = occurrence.anchor.flatten();
            let anchor = anchor.and_then(|anchor| anchor.checked_sub(run.start));
            if occurrence.shown == Rendering::Broken && !leads_there(judged, index, anchor) {
                let broken = judged.get_mut(index).and_then(Option::as_mut);
                broken.into_iter().for_each(|broken| broken.add(Reason::HtmlObfuscated));
            }
            let Some(anchor) = anchor else { continue };
            let Some(visible) = judged.get(index).cloned().flatten() else { continue };
            let shows =
                run.occurrences.get(anchor).is_some_and(|href| self.shows(occurrence, href));
            if let Some(Some(target)) = judged.get_mut(anchor).filter(|_| !shows)
                && !self.names(occurrence, target)
            {
                judge.compare(&visible, target);
            }
        }
    }

    /// Whether the text begins as the `href` does, up to the end of what is visible: `a.example/b，c.example` has two
    /// links to who ends one at the comma, and both show the target.
    fn shows(&self, visible: &Occurrence, href: &Occurrence) -> bool {
        let seen = self.view.seen.get(href.seen).map_or("", |seen| seen.as_str());
        let target = seen.get(href.span()).unwrap_or_default();
        let span = visible.span();
        let text = self.word_before(visible, span.end);
        text.is_some_and(|text| text.len() > span.len() && target.starts_with(text))
    }

    /// Whether the text has the host of the target to its end, although some readers begin it later: `школа115.рф`,
    /// `窗花88.com`, `il·lustracions.com`.
    fn names(&self, visible: &Occurrence, target: &Judged) -> bool {
        let (Target::Link(link), Some(led)) = (&visible.target, target.led()) else { return false };
        if led.unicode.is_ascii() {
            return false;
        }
        let host = led.unicode.strip_prefix("www.").unwrap_or(&led.unicode);
        let text = self.word_before(visible, link.host.end).map(str::to_lowercase);
        text.is_some_and(|text| text.ends_with(host))
    }

    /// The word of the visible text that ends there.
    fn word_before(&self, visible: &Occurrence, end: usize) -> Option<&str> {
        let before = self.view.seen.get(visible.seen)?.as_str().get(..end)?;
        let start = before.floor_char_boundary(before.len().saturating_sub(SHOWN));
        before.get(start..)?.rsplit(char::is_whitespace).next()
    }
}
