//! Adds the verdicts of lists to judgements: of lists of rules, of third-party lists, of the table of organisations.

mod unmasked;

use std::ops::Range;
use std::sync::Arc;

use super::mail_hosts::names_domain;
use super::{Judge, Judged};
use crate::outcome::{Edit, Reason, Verdict};
use homograph::{Judgement, LinkJudgement, Writer, exchanges_l_and_i, is_in_short_domain};
use uts58::Link;

impl Judge<'_> {
    /// Adds the verdict of the lists of rules and of third parties. They change while cached judgements stay.
    pub(super) fn with_lists(
        &mut self,
        spelling: &str,
        judgement: Arc<Judgement>,
    ) -> Arc<Judgement> {
        let judgement = self.with_organisation(judgement);
        let judgement = self.with_disguise_undone(spelling, judgement);
        let Some(verdict) = self.list_verdict(&judgement.ascii) else { return judgement };
        let mut listed = Judgement::clone(&judgement);
        listed.reasons.insert(Reason::Listed);
        listed.verdict = listed.verdict.max(verdict);
        if verdict >= Verdict::Unsafe {
            listed.edit = Edit::Anywhere;
        }
        Arc::new(listed)
    }

    /// Adds the organisation that a host of another owner names or looks like, if it is none of the protected names, or
    /// the recipients' own name beside words that only they use.
    fn with_organisation(&self, judgement: Arc<Judgement>) -> Arc<Judgement> {
        if self.policy.allows(&judgement.ascii) {
            return judgement;
        }
        let other = match judgement.verdict {
            Verdict::Notice if exchanges_l_and_i(&judgement) => Some(Verdict::Suspect),
            Verdict::Suspect if is_in_short_domain(&judgement) => Some(Verdict::Notice),
            _ => None,
        };
        if let Some(verdict) = other {
            return Arc::new(Judgement { verdict, ..Judgement::clone(&judgement) });
        }
        if !judgement.is_harmless() {
            return judgement;
        }
        let protected = &self.policy.protected;
        let organisation = homograph::organisation_inside(&judgement.ascii, protected);
        let writer = if self.is_own_mail() { Writer::Colleague } else { Writer::Anybody };
        let own = || homograph::own_inside(&judgement, (protected, &self.own_names), writer);
        let abroad = || Some(homograph::asks_abroad(&judgement, protected)?.to_owned());
        let inside = organisation.map(str::to_owned).or_else(abroad).or_else(own);
        let drawn = || homograph::organisation_drawn(&judgement, protected);
        let named = match inside {
            Some(name) => Some((name, Reason::NameInHost)),
            None => drawn().map(|name| (name.to_owned(), Reason::TargetLookalike)),
        };
        let Some((named, reason)) = named.filter(|_| !names_domain(&judgement.ascii)) else {
            return judgement;
        };
        let mut naming = Judgement::clone(&judgement);
        naming.reasons.insert(reason);
        naming.verdict = Verdict::Suspect;
        naming.target = Some(named);
        Arc::new(naming)
    }

    fn list_verdict(&self, ascii: &str) -> Option<Verdict> {
        let lists = &self.policy.lists;
        if lists.block(ascii) {
            return Some(Verdict::Unsafe);
        }
        let verdict = lists.host(ascii)?;
        let is_good = self.is_protected(ascii) || self.policy.allows(ascii);
        (!is_good).then_some(verdict)
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
        if let Some(verdict) = self.policy.lists.url(&host.ascii, port, tail) {
            judged.reasons.insert(Reason::Listed);
            judged.verdict = judged.verdict.max(verdict);
            if verdict >= Verdict::Unsafe {
                judged.edit = judged.edit.max(Edit::Anywhere);
            }
        }
    }
}
