//! What one message may cost. All its readings, rounds and edits share one budget.

use std::sync::atomic::{AtomicBool, Ordering};

use super::cost::{Cost, Stage};
use super::outcome::{Bypass, Limit};
use super::policy::limits::Limits;
use super::policy::{Defang, Policy};
use maillinks::Capacity;
use maillinks::images::ImageBudget;

/// Multiplies the steps per byte where every link is defanged. Every message is then edited and read again.
const SECOND_READING_FACTOR: u64 = 2;

/// Steps of a link, added to its bytes: it is compared and looked up.
const LINK_STEPS: u64 = 24;

/// Added for a link inside a transfer encoding, or in a charset with shift states or wide units: where it stands in the
/// raw bytes is looked up.
pub const ENCODED_LINK_STEPS: u64 = 40;

/// Steps of a link that is kept as a finding, added to its bytes: the report and its edits.
const FINDING_STEPS: u64 = 96 + EDIT_STEPS;

/// Steps of an edit, added to the bytes that are read for it.
pub const EDIT_STEPS: u64 = 64;

/// Steps of a link that deceives, added to its bytes. They are taken as soon as it is judged and pay for its report,
/// its edits and the recipe that undoes them. So the link is edited however few steps are left later.
const DECEPTION_STEPS: u64 = 320 + FINDING_STEPS;

/// Added for such a link, and for each other one that is edited, inside a transfer encoding, or in a charset with shift
/// states or wide units. Its place in the raw bytes must be looked up for the report, and the edit is written there.
const ENCODED_STEPS: u64 = 448;

/// Bytes of memory for the findings of a message: this many for each byte of the message, and a base. One finding
/// takes about [`LINK_BYTES`], with its edits in text and in raw bytes and their output. Harmless links are only
/// counted.
pub const LINKS_MEMORY: usize = 1;
pub const LINKS_MEMORY_BASE: usize = 10 << 20;
const LINK_BYTES: usize = 1_800;

/// Edits of a finding that are part of [`LINK_BYTES`]: a host has a few labels. Further ones take [`EDIT_BYTES`] and their
/// replacement text each.
const USUAL_EDITS: usize = 6;

/// The same for the edits of links without a finding. One takes about [`EDIT_BYTES`] and its replacement text while
/// it becomes a raw edit. Edits of links that stand close together are joined into one.
pub const EDITS_MEMORY: usize = 4;
pub const EDITS_MEMORY_BASE: usize = 5 << 20;
const EDIT_BYTES: usize = 160;

/// Edits may make a message longer by this many bytes for two of its bytes, and a base. With notices and anchors it
/// becomes three times as long at most.
pub const GROWTH: usize = 3;
pub const GROWTH_BASE: usize = 1 << 10;

/// Notices and anchors may take one byte for each [`EXTRAS`] bytes of the message, and a base. Without a limit, a
/// message full of short links would grow many times.
pub const EXTRAS: usize = 4;
pub const EXTRAS_BASE: usize = 4 << 10;

/// Bytes of memory that a link takes while its text is read and judged. Texts are read in stretches. A stretch that
/// cannot be cut may hold as many links as fit into the memory of findings and edits together.
const OCCURRENCE_BYTES: usize = 1_440;

/// What is left for one message.
#[derive(Clone, Copy, Debug)]
pub struct Budget<'a> {
    left: u64,
    /// Findings that may be kept.
    pub findings: usize,
    /// Bytes of memory left for the edits of links without a finding.
    edits: usize,
    /// Bytes by which further edits may make the message longer.
    growth: usize,
    /// Bytes left for notices and anchors.
    pub extras: usize,
    /// Links that one stretch of text may hold.
    pub occurrences: usize,
    /// Pictures and pixels that may still be searched for codes.
    pub images: ImageBudget,
    /// Whether archives were read, and the steps that it took.
    pub archives: Archives,
    /// Steps that the caller allows, those of pixels included.
    most: Option<u64>,
    pub stop: Option<&'a AtomicBool>,
    reached: Option<Limit>,
    cost: Cost,
}

/// The reading of archives, once for a message: nothing in one is edited.
#[derive(Clone, Copy, Debug, Default)]
pub struct Archives {
    /// Whether they were read: the message was edited, and is read again.
    pub were_read: bool,
    /// The steps that it took.
    pub steps: u64,
}

impl<'a> Budget<'a> {
    /// The budget of a message of this many bytes. It ends at once when the owner of `stop` sets that flag.
    pub fn new(policy: &Policy, bytes: usize, stop: Option<&'a AtomicBool>) -> Budget<'a> {
        let limits = &policy.limits;
        let factor = if policy.defang == Defang::All { SECOND_READING_FACTOR } else { 1 };
        let steps = limits.steps_per_byte.saturating_mul(factor).saturating_mul(bytes as u64);
        let memory = LINKS_MEMORY.saturating_mul(bytes).saturating_add(LINKS_MEMORY_BASE);
        let edits = EDITS_MEMORY.saturating_mul(bytes).saturating_add(EDITS_MEMORY_BASE);
        Budget {
            left: steps.saturating_add(limits.steps_base),
            findings: limits.links.min(memory / LINK_BYTES),
            edits,
            growth: GROWTH.saturating_mul(bytes / 2).saturating_add(GROWTH_BASE),
            extras: (bytes / EXTRAS).saturating_add(EXTRAS_BASE),
            occurrences: memory.saturating_add(edits) / OCCURRENCE_BYTES,
            images: ImageBudget::default(),
            archives: Archives::default(),
            most: None,
            stop,
            reached: None,
            cost: Cost::default(),
        }
    }

    /// The same budget with `most` steps at most.
    pub fn limited_to(self, most: Option<u64>) -> Budget<'a> {
        Budget { left: most.map_or(self.left, |most| most.min(self.left)), most, ..self }
    }

    /// Takes steps. False if there were too few, or `stop` was set.
    #[must_use]
    pub fn spend(&mut self, stage: Stage, steps: u64) -> bool {
        self.cost.add(stage, steps);
        if self.reached.is_some() {
            return false;
        }
        if self.stop.is_some_and(|stop| stop.load(Ordering::Relaxed)) {
            self.reached = Some(Limit::MessageTimeout);
            return false;
        }
        match self.left.checked_sub(steps) {
            Some(left) => self.left = left,
            None => self.reached = Some(Limit::Steps),
        }
        self.reached.is_none()
    }

    /// Counts the steps of pixels, which [`ImageBudget`] bounds. They use up only what a caller allows, who then reads
    /// the message again without that limit. False as [`Budget::spend`].
    #[must_use]
    pub fn spend_pixels(&mut self, steps: u64) -> bool {
        self.cost.add(Stage::Pictures, steps);
        if self.most.is_some_and(|most| self.cost.all() > most) {
            self.reached = self.reached.or(Some(Limit::Steps));
        }
        self.spend(Stage::Pictures, 0)
    }

    /// Whether at least twice as many steps are left as were spent: enough to read the edited message again. Pictures and
    /// archives are not read again.
    pub fn can_read_again(&self) -> bool {
        let once = self.cost.of(Stage::Pictures) + self.archives.steps;
        self.left / 2 >= self.cost.all().saturating_sub(once)
    }

    /// Takes the steps of a link of this many bytes, and of judging it.
    #[must_use]
    pub fn spend_link(&mut self, bytes: usize, judging: u64) -> bool {
        self.spend(Stage::Judging, LINK_STEPS + bytes as u64 + judging)
    }

    /// Takes the steps of the report and the edits of a link of this many bytes that deceives nobody.
    #[must_use]
    pub fn spend_finding(&mut self, bytes: usize, edited_encoded: bool) -> bool {
        let encoded = u64::from(edited_encoded) * ENCODED_STEPS;
        self.spend(Stage::Judging, FINDING_STEPS + encoded + bytes as u64)
    }

    /// Steps of the report and the edits of a link of this many bytes that deceives. The caller takes them together
    /// with those of judging it.
    pub fn deception_steps(bytes: usize, encoded: bool) -> u64 {
        DECEPTION_STEPS + u64::from(encoded) * ENCODED_STEPS + bytes as u64
    }

    /// Takes the memory of an edit that writes this many bytes. False, and nothing is taken, if there is too little.
    #[must_use]
    pub fn reserve_edit(&mut self, written: usize) -> bool {
        self.reserve_edit_bytes(EDIT_BYTES + written)
    }

    /// The same for the bytes that an edit writes, without the edit itself.
    #[must_use]
    pub fn reserve_edit_bytes(&mut self, bytes: usize) -> bool {
        let left = self.edits.checked_sub(bytes);
        self.edits = left.unwrap_or(self.edits);
        left.is_some()
    }

    /// Takes the bytes by which an edit makes the message longer. False, and nothing is taken, if too few are left.
    #[must_use]
    pub fn reserve_growth(&mut self, bytes: usize) -> bool {
        let left = self.growth.checked_sub(bytes);
        self.growth = left.unwrap_or(self.growth);
        left.is_some()
    }

    /// Takes the steps and the memory of the edits of a link, by the bytes that each writes, where it has more of them
    /// than most: fewer findings are kept then.
    pub fn take_further_edits(&mut self, written: impl Iterator<Item = usize>) {
        let (mut edits, mut bytes) = (0, 0);
        for written in written.skip(USUAL_EDITS) {
            edits += 1;
            bytes += EDIT_BYTES + written;
        }
        self.findings = self.findings.saturating_sub(bytes / LINK_BYTES);
        // What was judged is edited, even if no steps are left.
        let _ = self.spend(Stage::Edits, EDIT_STEPS * edits);
    }

    /// Takes the bytes of a notice or an anchor. False, and nothing is taken, if too few are left.
    #[must_use]
    pub fn reserve_extra(&mut self, bytes: usize) -> bool {
        let left = self.extras.checked_sub(bytes);
        self.extras = left.unwrap_or(self.extras);
        left.is_some()
    }

    /// The steps spent so far, by stage.
    pub fn cost(&self) -> Cost {
        self.cost
    }

    /// The steps that are left; while some are lent, of those.
    pub fn left(&self) -> u64 {
        if self.reached.is_some() { 0 } else { self.left }
    }

    /// Lends so many quarters of the steps that are left to what can be left out: files of an archive. Returns those
    /// that are kept.
    pub fn lend(&mut self, quarters: u64) -> u64 {
        let left = self.left();
        let lent = left / 4 * quarters;
        self.left = lent;
        left - lent
    }

    /// Ends that. Returns whether there were too few, which is no limit of the message.
    pub fn take_back(&mut self, kept: u64) -> bool {
        let is_allowed = self.most.is_none_or(|most| self.cost.all() <= most);
        let is_over = is_allowed && self.reached == Some(Limit::Steps);
        if is_over {
            self.reached = None;
            self.left = 0;
        }
        self.left += kept;
        is_over
    }

    /// The limits of splitting, which has the steps that are left.
    pub fn structure(&self, limits: &Limits) -> mailsplice::limits::SplitLimits {
        mailsplice::limits::SplitLimits { steps: self.left(), ..limits.structure() }
    }

    /// What may be found in a layer, and how many steps one stretch of it may take.
    pub fn capacity(&self) -> Capacity {
        Capacity { all: usize::MAX, together: self.occurrences, steps: self.left() }
    }

    /// The limit that ended the budget, if one did.
    pub fn limit_reached(&self) -> Option<Bypass> {
        self.reached.map(Bypass::Limit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Case, Facts, Message, TldTable, inspect_case};
    use base64::Engine as _;

    #[test]
    fn a_set_stop_flag_ends_the_budget_with_a_timeout() {
        let stop = AtomicBool::new(false);
        let mut budget = Budget::new(&Policy::default(), 100, Some(&stop));
        assert!(budget.spend(Stage::Net, 10) && budget.limit_reached().is_none());
        stop.store(true, Ordering::Relaxed);
        assert!(!budget.spend(Stage::Net, 0));
        assert_eq!(budget.limit_reached(), Some(Bypass::Limit(Limit::MessageTimeout)));
        stop.store(false, Ordering::Relaxed);
        assert!(!budget.spend(Stage::Net, 0), "a budget that has ended stays so");
    }

    #[test]
    fn defanging_every_link_gets_steps_for_a_second_reading() {
        let policy = Policy { defang: Defang::All, ..Policy::default() };
        let some = Budget::new(&Policy::default(), 1_000, None).left;
        let all = Budget::new(&policy, 1_000, None).left;
        assert_eq!(all - some, (SECOND_READING_FACTOR - 1) * 1_000 * policy.limits.steps_per_byte);
    }

    /// A link that is edited although it deceives nobody is looked up in the raw bytes as one that deceives is.
    #[test]
    fn every_edited_link_pays_for_its_place_in_an_encoding() {
        let policy = Policy { defang: Defang::All, ..Policy::default() };
        let judging = |links: usize, policy: &Policy| {
            let text = "see https://example.com/ \r\n".repeat(links);
            let body = base64::engine::general_purpose::STANDARD.encode(text);
            let head = b"Content-Transfer-Encoding: base64\r\n";
            let tlds = TldTable::new(["com"], "");
            let facts = Facts::default();
            let case = Case::new(Message { head, body: body.as_bytes() }, &facts, policy, &tlds);
            inspect_case(case).cost().of(Stage::Judging)
        };
        let further = |policy: &Policy| judging(2, policy) - judging(1, policy);
        assert!(further(&policy) >= further(&Policy::default()) + FINDING_STEPS + ENCODED_STEPS);
    }

    #[test]
    fn the_owner_can_lower_the_number_of_steps() {
        let mut budget = Budget::new(&Policy::default(), 100, None).limited_to(Some(10));
        assert!(budget.spend(Stage::Net, 10) && !budget.spend(Stage::Net, 1));
        let mut budget = Budget::new(&Policy::default(), 100, None).limited_to(Some(u64::MAX));
        assert!(!budget.spend(Stage::Net, u64::MAX - 1), "never more than the limits give");
    }

    #[test]
    fn pixels_take_only_what_the_owner_allows() {
        let mut budget = Budget::new(&Policy::default(), 100, None);
        let before = budget.left;
        assert!(budget.spend_pixels(before * 2) && budget.spend(Stage::Net, before));
        assert_eq!(budget.cost().of(Stage::Pictures), before * 2);
        let mut budget = Budget::new(&Policy::default(), 100, None).limited_to(Some(10));
        assert!(budget.spend_pixels(10) && !budget.spend_pixels(1) && budget.cost().all() > 10);
    }

    #[test]
    fn a_message_is_read_again_only_with_twice_the_spent_steps_left() {
        let mut budget = Budget::new(&Policy::default(), 100, None).limited_to(Some(30));
        assert!(budget.spend(Stage::Net, 10) && budget.can_read_again());
        assert!(budget.spend(Stage::Net, 1) && !budget.can_read_again());
    }

    #[test]
    fn steps_that_are_lent_and_run_out_end_no_budget() {
        let mut budget = Budget::new(&Policy::default(), 100, None);
        let before = budget.left();
        let kept = budget.lend(2);
        assert_eq!((budget.left(), kept), (before / 2, before / 2));
        assert!(budget.spend(Stage::Reading, 10) && !budget.take_back(kept));
        assert_eq!(budget.left(), before - 10);
        let kept = budget.lend(2);
        assert!(!budget.spend(Stage::Reading, before / 2) && budget.take_back(kept));
        assert_eq!((budget.left(), budget.limit_reached()), (kept, None));
        assert!(!budget.spend(Stage::Reading, kept + 1) && budget.limit_reached().is_some());
    }

    #[test]
    fn an_anchor_is_searched_in_no_further_ways_without_steps() {
        let words = "\u{449}\u{430}a.\u{ad}co``m{x=2E ".repeat(2_000);
        let body = format!("<a href=http://x.co>{words}</a>");
        let head = b"Content-Type: text/html; charset=utf-8\r\n";
        let message = Message { head, body: body.as_bytes() };
        let (facts, policy) = (Facts::default(), Policy::default());
        let tlds = TldTable::new(["co", "com"], "");
        let cost = |steps: Option<u64>| {
            let case = Case { steps, ..Case::new(message, &facts, &policy, &tlds) };
            inspect_case(case).cost()
        };
        let whole = cost(None);
        let read = cost(Some(whole.all() / 10)).of(Stage::Reading);
        assert!((1..whole.of(Stage::Reading) / 2).contains(&read), "{read} of {whole:?}");
    }

    #[test]
    fn steps_are_counted_by_stage() {
        let mut budget = Budget::new(&Policy::default(), 100, None);
        assert!(budget.spend(Stage::Net, 10) && budget.spend(Stage::Edits, 1));
        assert!(budget.spend(Stage::Net, 10));
        let cost = budget.cost();
        assert_eq!(
            [cost.of(Stage::Net), cost.of(Stage::Edits), cost.of(Stage::Header)],
            [20, 1, 0]
        );
        assert_eq!(cost.all(), 21);
    }

    #[test]
    fn a_deceptive_link_pays_for_its_finding_and_edits_when_judged() {
        let (policy, tlds) = (Policy::default(), crate::TldTable::new(["com"], ""));
        let deceptive = "http://p\u{430}ypal.com/";

        let judging = |head: &str, body: &str| {
            let message = crate::Message { head: head.as_bytes(), body: body.as_bytes() };
            let facts = crate::Facts::default();
            crate::inspect(message, &facts, &policy, &tlds).cost().of(Stage::Judging)
        };
        let (plain, encoded) = ("", "Content-Transfer-Encoding: quoted-printable\r\n");
        for (transfer, is_encoded) in [(plain, false), (encoded, true)] {
            let head = format!("Content-Type: text/plain; charset=utf-8\r\n{transfer}");
            let body = |times: usize| match is_encoded {
                true => format!("{}\r\n", deceptive.replace('\u{430}', "=D0=B0")).repeat(times),
                false => format!("{deceptive}\r\n").repeat(times),
            };
            let more = judging(&head, &body(2)) - judging(&head, &body(1));
            let place = if is_encoded { ENCODED_LINK_STEPS } else { 0 };
            let least = LINK_STEPS + place + Budget::deception_steps(deceptive.len(), is_encoded);
            assert!(more >= least, "{more}");
        }
    }

    #[test]
    fn edits_make_a_message_three_times_as_long_at_most() {
        let host = format!("http://{}de\r\n", "\u{430}a.".repeat(20)).repeat(2_000);
        let wide: Vec<u8> = host.encode_utf16().flat_map(u16::to_le_bytes).collect();
        let bodies = [
            ("koi8-r", "8bit", encoding_rs::KOI8_R.encode(&host).0.into_owned()),
            (
                "utf-16le",
                "base64",
                base64::engine::general_purpose::STANDARD.encode(&wide).into_bytes(),
            ),
            ("utf-8", "8bit", host.clone().into_bytes()),
        ];
        for (charset, transfer, body) in bodies {
            let head = format!(
                "Content-Type: text/plain; charset={charset}\r\nContent-Transfer-Encoding: {transfer}\r\n"
            );
            let message = crate::Message { head: head.as_bytes(), body: &body };
            let tlds = crate::TldTable::new(["de"], "");
            let (facts, policy) = (crate::Facts::default(), Policy::default());
            let outcome = crate::inspect(message, &facts, &policy, &tlds);
            let outcome = outcome.resolve(&crate::Answers::new());
            let edited = mailsplice::splice::apply(&body, &outcome.edits).to_vec();
            assert!(edited.len() > body.len(), "{charset}");
            assert!(edited.len() <= 3 * body.len() + GROWTH_BASE, "{charset}: {}", edited.len());
            let said = outcome.bypasses.iter().any(|(_, why)| matches!(why, Bypass::Limit(_)));
            assert!(said || charset == "utf-8", "{charset}: {:?}", outcome.bypasses);
        }
    }

    #[test]
    fn findings_of_many_edits_leave_less_space_for_others() {
        let mut budget = Budget::new(&Policy::default(), 1 << 20, None);
        let before = budget.findings;
        budget.take_further_edits(std::iter::repeat_n(3, USUAL_EDITS));
        assert_eq!((budget.findings, budget.cost().all()), (before, 0));
        budget.take_further_edits(std::iter::repeat_n(3, 60));
        assert!(budget.findings < before && budget.cost().all() > 0);
    }

    #[test]
    fn a_small_message_keeps_fewer_findings() {
        let policy = Policy::default();
        let links = policy.limits.links;
        assert!(Budget::new(&policy, 1_000, None).findings < links);
        assert_eq!(Budget::new(&policy, 100 << 20, None).findings, links);
    }
}
