//! Finds further places of deceptive hosts, which no reading has found there and no edit covers.
//!
//! A host of a link may occur again where only a lenient program links it: in an attribute that holds no URL, in
//! markup inside markup. The net does not report it again, and defangs it there as well.

use super::host::{host_length, host_of};
use super::locales::LocalWindow;
use super::{BytesOrigin, Net, letters, text, window, window_steps};
use crate::actions;
use crate::budget::Budget;
use crate::cost::Stage;
use crate::finding::Findings;
use crate::judging::{Judge, Judged, TldStatus};
use crate::outcome::RawEdit;
use crate::policy::LinkAction;
use crate::{Answer, Answers, Case};
use homograph::HostBounds;
use mailsplice::mime::{Lowered, Tree};

/// Bytes of the longest web scheme with its slashes (`https://`): an edit of it covers the host after it.
const SCHEME: usize = 8;

/// Defangs the hosts at [`Findings::deceptive_offsets`] that no edit covers. Returns whether there were any.
pub fn defang_rest(
    (case, tree): (Case<'_>, &Tree),
    answers: &Answers,
    found: &mut Findings,
    lowered: &mut Lowered,
    budget: &mut Budget<'_>,
) -> bool {
    let body = case.message.body;
    let places = uncovered(std::mem::take(&mut found.deceptive_offsets), body, &lowered.edits);
    if places.is_empty() {
        return false;
    }
    let mut judge = Judge::new(case);
    let mut net = Net::new((body, tree), (&mut judge, case.policy), &mut *budget, &mut *found);
    for at in places {
        let window = window(body, at);
        let is_open = net.part_offsets().leaves_charset_open(at, tree);
        let local = is_open.then(|| LocalWindow::at(body, at)).flatten();
        let labelled = net.charset_of_text(at);
        let twin = local.as_ref().and_then(|local| local.twin(net.judge, labelled));
        let letters = twin.map_or_else(|| letters(window), |(letters, _)| letters);
        let judgement = net.judge.host(&text(host_of(&letters)), HostBounds::Certain);
        let tld = judgement.ascii.rsplit('.').next().unwrap_or_default();
        let steps = window_steps(window, true)
            + local.map_or(0, |local| local.steps())
            + net.judge.take_steps();
        if !net.budget.spend(Stage::Net, steps) || net.is_full {
            break;
        }
        let is_link = answers.get(tld) != Some(&Answer::Missing);
        let judged = Judged::of(judgement, TldStatus::Link);
        // What is in Punycode already is as the policy asks.
        let defangs = match actions::link_anywhere(case.policy, &judged).0 {
            LinkAction::Unlink | LinkAction::Defang => true,
            LinkAction::Punycode => !text(host_of(&letters)).is_ascii(),
            LinkAction::Leave | LinkAction::PercentEncode => false,
        };
        if is_link && defangs && net.editable_part(at, &judged).is_some() {
            net.judge_host(&letters, at, BytesOrigin::Body);
        }
    }
    let edits = std::mem::take(&mut found.raw_edits);
    let any = !edits.is_empty();
    lowered.edits.extend(edits);
    lowered.edits.sort_by_key(|edit| edit.range.start);
    any
}

/// The offsets of hosts, in order, that no edit covers, neither the host nor the scheme before it.
fn uncovered(mut places: Vec<usize>, body: &[u8], edits: &[RawEdit]) -> Vec<usize> {
    places.sort_unstable();
    places.dedup();
    let mut edits = edits.iter().peekable();
    places.retain(|at| {
        while edits.next_if(|edit| edit.range.end <= at.saturating_sub(SCHEME)).is_some() {}
        let next = edits.peek().map_or(body.len(), |edit| edit.range.start);
        next >= *at && next - at >= host_length(window(body, *at))
    });
    places
}
