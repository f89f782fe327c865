//! Adds the verdicts of lists to judgements: of lists of rules, of third-party lists, of names in disguise.

mod foreign_letter;
mod unmasked;

use std::ops::Range;
use std::sync::Arc;

use super::{Judge, Judged};
use crate::outcome::{Edit, Reason, Verdict};
use homograph::{Judgement, LinkJudgement};
use uts58::Link;

impl Judge<'_> {
    /// Adds the verdict of the lists of rules and of third parties. They change while cached judgements stay.
    pub(super) fn with_lists(
        &mut self,
        spelling: &str,
        judgement: Arc<Judgement>,
    ) -> Arc<Judgement> {
        let judgement = self.with_disguise_undone(spelling, judgement);
        let judgement = self.with_foreign_letter(judgement);
        let Some(verdict) = self.list_verdict(&judgement.ascii) else { return judgement };
        let mut listed = Judgement::clone(&judgement);
        listed.reasons.insert(Reason::Listed);
        listed.verdict = listed.verdict.max(verdict);
        if verdict >= Verdict::Unsafe {
            listed.edit = Edit::Anywhere;
        }
        Arc::new(listed)
    }

    /// Whether third-party lists of hosts do not apply to a host: also to those of recipients.
    pub(super) fn is_above_listings(&self, ascii: &str) -> bool {
        self.is_protected(ascii) || self.policy.is_above_listings(ascii)
    }

    fn list_verdict(&self, ascii: &str) -> Option<Verdict> {
        let lists = &self.policy.lists;
        if lists.block(ascii) {
            return Some(Verdict::Unsafe);
        }
        let verdict = lists.of_host(ascii).map(|listing| listing.verdict).max()?;
        (!self.is_above_listings(ascii)).then_some(verdict)
    }

    /// Adds the verdicts of the lists to the hosts inside a link.
    pub(super) fn with_lists_inside(&self, mut carried: LinkJudgement) -> LinkJudgement {
        for host in &mut carried.inner {
            let Some(verdict) = self.list_verdict(&host.ascii) else { continue };
            host.reasons.insert(Reason::Listed);
            host.verdict = host.verdict.max(verdict);
            carried.reasons.insert(Reason::Listed);
            carried.verdict = carried.verdict.max(verdict);
            if verdict >= Verdict::Unsafe {
                host.edit = Edit::Anywhere;
                carried.edit = carried.edit.max(Edit::Link);
            }
        }
        carried
    }

    /// Adds the verdict of third-party lists on the URL.
    pub(super) fn add_listed_url(&self, text: &str, link: &Link, judged: &mut Judged) {
        let Some(host) = judged.host.as_ref().filter(|_| !self.policy.lists.listings.is_empty())
        else {
            return;
        };
        let piece = |range: Range<usize>| text.get(range).unwrap_or_default();
        let port = link.port.clone().map(piece).unwrap_or_default();
        let tail = piece(link.tail.clone());
        for listing in self.policy.lists.of_url(&host.ascii, port, tail) {
            judged.lists.push(listing.name.clone());
            judged.reasons.insert(Reason::Listed);
            judged.verdict = judged.verdict.max(listing.verdict);
            if listing.verdict >= Verdict::Unsafe {
                judged.edit = judged.edit.max(Edit::Anywhere);
            }
        }
    }
}
