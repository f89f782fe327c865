//! The net: a last pass over the raw body that does not rely on its structure.
//!
//! What programs show of a message depends on labels that they read in different ways. Here none is read. Hosts follow
//! `:` `//` `\\` `@` and `www.`. A host is hidden if it holds a letter outside ASCII, `xn--` or a look-alike of a
//! slash, ends in a TLD, judges unsafe, and was found by no reading: some program may show it. After a scheme, or with
//! a look-alike of a slash, which browsers take into the host, it is defanged if its bytes are plain or a text of its
//! part has it: a bracketed dot stays one however the bytes are decoded.
//!
//! | seen | how |
//! | --- | --- |
//! | the bytes as they are, without NUL, soft hyphens and soft line breaks; `=D1`, `%D1`, `&#1088;`, `\u0440` decoded once | [`window::letters`] |
//! | ISO-2022, HZ, UTF-7 | [`window::shifted`] |
//! | base64, with any line ends | [`decoders::SCHEMES`]: `://` encoded, in every alignment; the bytes around it are decoded |
//! | UTF-16, UTF-32, EBCDIC in base64; EBCDIC as it is | [`decoders::texts_behind_scheme`], [`decoders::ebcdic`] |
//! | yEnc, also in base64 and quoted-printable | [`yenc`] |
//! | uuencode; base64 with padding inside, quoted-printable with breaks or line ends that programs read differently | [`mime::rare_readings`] |
//!
//! Linear: wherever a host may begin a window of fixed size is read.

mod brackets;
mod deceptive;
mod decoded_text;
mod decoders;
mod host;
mod labelled;
mod locales;
mod part_offsets;
mod triggers;
mod uncovered;
mod window;
mod yenc;

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;

use super::actions;
use super::budget::Budget;
use super::cost::Stage;
use super::finding::{Candidate, Findings, finding_of};
use super::judging::seen_hosts::SeenHosts;
use super::judging::{Judge, Judged, TldStatus};
use super::outcome::{Bypass, Done, Edit, Limit, Place, RawEdit, Reason, Verdict};
use super::policy::{LinkAction, Policy};
use deceptive::{Deceptive, deceptive_judgement, find_deceptive};
use deceptive::{is_list, is_undecodable, runs_on, seen_spelling, unescaped_host};
use decoders::{Base64Lines, EBCDIC, behind_signs, ebcdic, texts_behind_scheme};
use homograph::Judgement;
use host::{host_of, is_behind_www, starts_plain, stays_plain};
pub use locales::{reads_in_locales, twin_elsewhere};
use mailsplice::mime::{self, Charset, ClientView, Media, Message, Tree};
use mailsplice::span::TextEdit;
use part_offsets::PartOffsets;
use triggers::{TRIGGERS, Trigger, is_after_scheme, triggers};
pub use uncovered::defang_rest;
use window::{Letter, NestedWindows, ends_at_once, letters, needs_reading, shifted, text, window};

/// Maximum bytes of a host, with its escapes, that are read.
pub const WINDOW: usize = 512;

/// Steps of decoding so many digits of base64, and of reading the window in them.
fn digits_steps(digits: usize) -> u64 {
    digits as u64 / 2
}

/// Steps of a window that is decoded in a charset with shift states, besides its bytes.
const SHIFTED_STEPS: u64 = 5_632;

/// The same for UTF-7, which is decoded in one pass. Its sign is a plus, which forms write between their words.
const UTF7_STEPS: u64 = 64;
const UTF7_STEPS_PER_BYTE: u64 = 2;

/// Reports hosts that no reading has found, and defangs those whose bytes are plain.
pub fn search(
    message: Message<'_>,
    tree: &Tree,
    (judge, policy): (&mut Judge<'_>, &Policy),
    budget: &mut Budget<'_>,
    found: &mut Findings,
) {
    let body = message.body;
    if budget.spend(Stage::Net, body.len() as u64) {
        let mut net = Net::new((body, tree), (judge, policy), &mut *budget, &mut *found);
        net.search_windows(body, BytesOrigin::Body);
        net.search_header(message.head);
        net.search_ebcdic();
        net.search_base64(body, BytesOrigin::Body);
        net.search_yenc(message);
        net.search_rare_readings(message);
        net.edit_decoded_parts(message);
        if net.is_full {
            net.found.bypass("1", Bypass::Limit(Limit::Links));
        }
    }
    if let Some(why) = budget.limit_reached() {
        found.bypass("1", why);
    }
}

/// Whether bytes are those of the body, or decoded from bytes at this offset of it.
#[derive(Clone, Copy)]
enum BytesOrigin {
    Body,
    Decoded(usize),
}

impl BytesOrigin {
    /// The offset in the body; of plain bytes their own.
    fn body_offset(self, own: impl FnOnce() -> usize) -> usize {
        match self {
            BytesOrigin::Body => own(),
            BytesOrigin::Decoded(at) => at,
        }
    }
}

/// Deceptive hosts after schemes, and twins of known names behind `www.`, in a text that readings have read: what the net
/// defangs.
#[derive(Debug, Default)]
pub struct AfterSchemes {
    /// Those that no reading has found.
    pub hidden: Vec<Judged>,
    /// Those that a reading has found, to be defanged in places that its edits do not cover.
    pub seen: Vec<Judged>,
}

/// Whether a host is made to be taken for a known name.
fn is_twin(host: &Judgement) -> bool {
    host.reasons.contains(Reason::TargetLookalike)
}

/// The hosts that the net would defang in a text that readings have read.
pub fn after_schemes(source: &str, judge: &mut Judge<'_>) -> AfterSchemes {
    let seen = judge.take_seen();
    let bytes = source.as_bytes();
    let mut hosts: Vec<(Trigger, bool, String)> = Vec::new();
    let _ = triggers(bytes, |trigger, at| {
        let follows_scheme = is_after_scheme(bytes, at);
        if follows_scheme || is_behind_www(bytes, at) {
            let window = Some(window(bytes, at)).filter(|window| needs_reading(window));
            let host = |window| text(host_of(&letters(window)));
            hosts.extend(window.map(|window| (trigger, follows_scheme, host(window))));
        }
        ControlFlow::Continue(())
    });
    hosts.sort_by_key(|(trigger, ..)| *trigger);
    let mut found = AfterSchemes::default();
    for (_, follows_scheme, host) in &hosts {
        let judged = |judgement| Judged::of(judgement, TldStatus::Link);
        match find_deceptive(host, judge, &seen) {
            Some(Deceptive::Hidden(judgement)) if *follows_scheme || is_twin(&judgement) => {
                found.hidden.push(judged(judgement));
            }
            Some(Deceptive::Seen) if *follows_scheme => {
                found.seen.extend(deceptive_judgement(host, judge).map(judged))
            }
            _ => {}
        }
    }
    found
}

/// Steps of a window, by whether its letters are read.
fn window_steps(window: &[u8], is_read: bool) -> u64 {
    let steps = if is_read { 8 * window.len() } else { window.len() / 4 };
    steps as u64
}

/// A window to read. Ordered by its trigger: if several triggers are before one host, the first one reports it.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct PendingWindow {
    trigger: Trigger,
    at: usize,
    /// Bytes of the window.
    length: usize,
}

/// Windows to read.
#[derive(Default)]
struct PendingWindows {
    windows: Vec<PendingWindow>,
    /// The last windows of each trigger.
    last: [NestedWindows; TRIGGERS],
}

/// Maximum number of windows that are read together. Real messages have a few dozen.
const BATCH: usize = 4_096;

/// Steps of finding windows after which the budget is checked.
const CHECK_AFTER: u64 = 4_096;

struct Net<'n, 'p, 'b> {
    judge: &'n mut Judge<'p>,
    policy: &'n Policy,
    budget: &'n mut Budget<'b>,
    found: &'n mut Findings,
    tree: &'n Tree,
    part_offsets: OnceCell<PartOffsets>,
    body: &'n [u8],
    /// Hosts that readings have found.
    seen: SeenHosts,
    reported: BTreeSet<String>,
    /// Offsets of dots of hosts that were to be defanged, and of those that were.
    dots: BTreeSet<usize>,
    bracketed: BTreeSet<usize>,
    /// Hosts in the decoded bytes of parts, by part, with the offset of one occurrence.
    hosts_in_parts: BTreeMap<usize, BTreeMap<String, (usize, Judged)>>,
    /// The number of these hosts.
    host_count: usize,
    /// Whether there was no space for an edit.
    is_full: bool,
}

impl<'n, 'p, 'b> Net<'n, 'p, 'b> {
    fn new(
        (body, tree): (&'n [u8], &'n Tree),
        (judge, policy): (&'n mut Judge<'p>, &'n Policy),
        budget: &'n mut Budget<'b>,
        found: &'n mut Findings,
    ) -> Net<'n, 'p, 'b> {
        Net {
            seen: judge.take_seen(),
            judge,
            policy,
            budget,
            found,
            tree,
            part_offsets: OnceCell::new(),
            body,
            reported: BTreeSet::new(),
            dots: BTreeSet::new(),
            bracketed: BTreeSet::new(),
            hosts_in_parts: BTreeMap::new(),
            host_count: 0,
            is_full: false,
        }
    }

    /// Reads the window after every trigger in these bytes.
    fn search_windows(&mut self, bytes: &[u8], origin: BytesOrigin) {
        let mut pending = PendingWindows::default();
        let mut steps = 0;
        let _ = triggers(bytes, |trigger, at| {
            // The cheap test that most fail.
            let begins = bytes.get(at).is_some_and(|byte| !ends_at_once(*byte));
            let Some(last) = pending.last.get_mut(trigger as usize).filter(|_| begins) else {
                return ControlFlow::Continue(());
            };
            match last.next(bytes, trigger, at) {
                (window, true) => {
                    pending.windows.push(PendingWindow { trigger, at, length: window.len() })
                }
                (window, false) => steps += window_steps(window, false),
            }
            if pending.windows.len() < BATCH && steps < CHECK_AFTER {
                return ControlFlow::Continue(());
            }
            self.read_windows(bytes, origin, &mut pending, std::mem::take(&mut steps))
        });
        let _ = self.read_windows(bytes, origin, &mut pending, steps);
    }

    /// Reads the windows that were found so far. `steps` are those of finding them.
    fn read_windows(
        &mut self,
        bytes: &[u8],
        origin: BytesOrigin,
        pending: &mut PendingWindows,
        steps: u64,
    ) -> ControlFlow<()> {
        if !self.budget.spend(Stage::Net, steps) || self.is_full {
            return ControlFlow::Break(());
        }
        pending.windows.sort();
        for PendingWindow { at, length, .. } in pending.windows.drain(..) {
            let window = bytes.get(at..at + length).unwrap_or_default();
            self.read_in_locales(bytes, at, origin);
            let host = unescaped_host(window);
            let spelling =
                host.as_deref().and_then(|host| seen_spelling(bytes, at, host, &self.seen));
            let mut is_read = spelling.is_none();
            if let Some(spelling) = spelling {
                if self.seen.is_deceptive(spelling) {
                    self.keep_offset(at, origin);
                }
            } else if starts_plain(window)
                || stays_plain(window)
                || host.is_some_and(|host| {
                    is_undecodable(&host)
                        || runs_on(&host, &self.seen)
                        || is_list(&host, self.judge, &self.seen)
                })
            {
                is_read = false;
            } else {
                let place = origin.body_offset(|| at);
                self.judge_host(&letters(window), place, origin);
                self.read_shifted(window, place);
            }
            // Of others the bytes are looked at a few times.
            let steps = if is_read { window_steps(window, true) } else { window.len() as u64 };
            if !self.budget.spend(Stage::Net, steps + self.judge.take_steps()) || self.is_full {
                return ControlFlow::Break(());
            }
        }
        ControlFlow::Continue(())
    }

    /// Reads the window after `://` in EBCDIC.
    fn search_ebcdic(&mut self) {
        // Letters of EBCDIC are not ASCII.
        if self.body.is_ascii() {
            return;
        }
        for at in memchr::memmem::find_iter(self.body, EBCDIC) {
            let rest = self.body.get(at..).unwrap_or_default();
            if rest.get(EBCDIC.len()).is_some_and(|byte| !byte.is_ascii()) {
                self.read_after_scheme(&ebcdic(rest.get(..WINDOW).unwrap_or(rest)), at);
                if !self.budget.spend(Stage::Net, digits_steps(WINDOW) + self.judge.take_steps()) {
                    return;
                }
            }
        }
    }

    /// Reads the windows in decoded parts whose encoding cannot be searched as it is.
    fn search_rare_readings(&mut self, message: Message<'_>) {
        let tree = self.tree;
        for (index, part) in tree.parts.iter().enumerate() {
            let at = part.raw_range().map_or(0, |range| range.start);
            for reading in mime::rare_readings(message, tree, index) {
                let text = reading.text.as_str();
                if !self.budget.spend(Stage::Net, text.len() as u64) {
                    return;
                }
                self.search_windows(text.as_bytes(), BytesOrigin::Decoded(at));
            }
        }
    }

    /// Reads a header in which some programs see more lines than others, and perhaps the body.
    fn search_header(&mut self, head: &[u8]) {
        // If programs agree on every line there is no other body.
        if self.tree.head.is_some() {
            return;
        }
        let bare = |at: usize| head.get(at + 1).is_some_and(|next| *next != b'\n');
        if memchr::memchr_iter(b'\r', head).any(bare) || ends_early(head) {
            self.search_windows(head, BytesOrigin::Decoded(0));
            self.search_base64(head, BytesOrigin::Decoded(0));
        }
    }

    /// Reads decoded text that begins with `://`, or with backslashes in it, from bytes at this offset of the body.
    fn read_after_scheme(&mut self, text: &[u8], at: usize) {
        let behind = window(behind_signs(text), 0);
        if needs_reading(behind) {
            self.judge_host(&letters(behind), at, BytesOrigin::Decoded(at));
            self.read_in_locales(behind, 0, BytesOrigin::Decoded(at));
            self.read_shifted(behind, at);
        }
    }

    /// Reads a window at this offset of the body in the charsets whose shift signs are in it.
    fn read_shifted(&mut self, window: &[u8], at: usize) {
        for (charset, text) in shifted(window) {
            let steps = match charset {
                Charset::Utf7 => UTF7_STEPS + UTF7_STEPS_PER_BYTE * window.len() as u64,
                _ => SHIFTED_STEPS + window_steps(window, true),
            };
            if !self.budget.spend(Stage::Net, steps) {
                return;
            }
            self.judge_host(&without_ranges(&text), at, BytesOrigin::Decoded(at));
        }
    }

    /// Reads the windows after `://` in base64.
    fn search_base64(&mut self, bytes: &[u8], origin: BytesOrigin) {
        let packed = Base64Lines::of(bytes);
        let _ = packed.each_scheme(|row, at| self.read_behind_scheme((&packed, origin), row, at));
    }

    /// Reads the host after the digits of a scheme, unless the budget has ended.
    fn read_behind_scheme(
        &mut self,
        (packed, origin): (&Base64Lines, BytesOrigin),
        row: usize,
        at: usize,
    ) -> ControlFlow<()> {
        // A unit of four digits begins at the found digits, or one or two digits after their start.
        let unit = at + [0, 2, 1].get(row % 3).copied().unwrap_or(0);
        let rest = packed.bytes.get(unit..).unwrap_or_default();
        for (text, digits) in texts_behind_scheme(rest.get(..WINDOW).unwrap_or(rest), row) {
            let steps = digits_steps(digits) + self.judge.take_steps();
            if !self.budget.spend(Stage::Net, steps) {
                return ControlFlow::Break(());
            }
            self.read_after_scheme(&text, origin.body_offset(|| packed.source(at)));
        }
        ControlFlow::Continue(())
    }

    /// Judges the host at the start of a window, and reports or edits it.
    fn judge_host(&mut self, letters: &[Letter], at: usize, origin: BytesOrigin) {
        let letters = host_of(letters);
        let host = text(letters);
        let judgement = match find_deceptive(&host, self.judge, &self.seen) {
            Some(Deceptive::Hidden(judgement)) if !self.is_misread(&host, at, origin) => judgement,
            Some(Deceptive::Seen) => return self.keep_offset(at, origin),
            _ => return,
        };
        let judged = Judged::of(judgement, TldStatus::Link);
        let edits = match (origin, self.editable_part(at, &judged)) {
            (BytesOrigin::Body, Some(_)) => self.bracket_dots(letters, at, &judged),
            (BytesOrigin::Decoded(_), Some(part)) => return self.keep_host(part, host, at, judged),
            (_, None) => Vec::new(),
        };
        // Two triggers can be before one host (`//www.`): the longer name was reported.
        if edits.first().is_some_and(|edit| self.dots.contains(&edit.range.start)) {
            return;
        }
        if !edits.iter().all(|edit| self.budget.reserve_edit(edit.replacement.len())) {
            self.is_full = true;
            return;
        }
        let dots = edits.iter().map(|edit| edit.range.start);
        self.dots.extend(dots.clone());
        let fits = self.has_space(at, edits.len());
        if fits {
            self.bracketed.extend(dots);
        }
        let edits = if fits { edits } else { Vec::new() };
        self.report(&host, at, judged, edits);
    }

    /// Keeps the offset of a deceptive host that a reading found, until it is known what edits cover.
    fn keep_offset(&mut self, at: usize, origin: BytesOrigin) {
        if matches!(origin, BytesOrigin::Body)
            && self.policy.edits()
            && is_after_scheme(self.body, at)
        {
            self.found.deceptive_offsets.push(at);
        }
    }

    /// Keeps a host in the decoded bytes of a part, until the texts of the part are searched for it.
    fn keep_host(&mut self, part: usize, host: String, at: usize, judged: Judged) {
        let hosts = self.hosts_in_parts.entry(part).or_default();
        if hosts.contains_key(&host) {
            return;
        }
        // One takes less memory than a finding.
        if self.host_count >= self.budget.findings / 2 {
            self.is_full = true;
            return;
        }
        self.host_count += 1;
        hosts.insert(host, (at, judged));
    }

    /// The part at an offset of the body, if it is text and the policy has the host in it defanged.
    fn editable_part(&self, at: usize, judged: &Judged) -> Option<usize> {
        let index = self.part_offsets().part(at)?;
        let part = self.tree.parts.get(index).filter(|part| part.view == ClientView::Usual)?;
        let text = !matches!(part.media, Media::Opaque | Media::Inert);
        let (action, _) = actions::link(self.policy, part, judged);
        (text && action != LinkAction::Leave).then_some(index)
    }

    /// Reports the hosts in decoded bytes of parts, and defangs them where a text of the part has them.
    fn edit_decoded_parts(&mut self, message: Message<'_>) {
        for (part, mut hosts) in std::mem::take(&mut self.hosts_in_parts) {
            for (index, reading) in mime::readings(message, self.tree, part).enumerate() {
                let text = reading.text.as_str();
                if hosts.is_empty() || !self.budget.spend(Stage::Net, text.len() as u64) {
                    break;
                }
                let wanted = |host: &str| hosts.get_key_value(host).map(|(host, _)| host.as_str());
                let spend = |steps| self.budget.spend(Stage::Net, steps);
                let edits: Vec<(String, Vec<TextEdit>)> = decoded_text::edits(text, wanted, spend)
                    .into_iter()
                    .map(|(host, edits)| (host.to_owned(), edits))
                    .collect();
                for (host, edits) in edits {
                    let Some((at, mut judged)) = hosts.remove(&host) else { continue };
                    judged.add(Reason::HiddenHost);
                    if self.keeps_edits_only(&judged) {
                        let has_space = edits
                            .iter()
                            .all(|edit| self.budget.reserve_edit(edit.replacement.len()));
                        self.is_full |= !has_space;
                        self.count_link(has_space);
                        let list = self.found.bare_edits.entry((part, index)).or_default();
                        list.extend(edits.into_iter().filter(|_| has_space));
                        continue;
                    }
                    let named = (self.policy, &judged);
                    let mut finding = finding_of(named, self.path(at), Place::Text, at..at, &host);
                    finding.done = Done::Edited;
                    let reported = Candidate::report_only(finding);
                    let candidate = Candidate { reading: Some((part, index)), edits, ..reported };
                    self.found.push(self.policy, candidate);
                }
            }
            for (host, (at, judged)) in hosts {
                self.report(&host, at, judged, Vec::new());
            }
        }
    }

    fn part_offsets(&self) -> &PartOffsets {
        self.part_offsets.get_or_init(|| PartOffsets::of(self.tree))
    }

    /// The path of that part.
    fn path(&self, at: usize) -> &str {
        let part = self.part_offsets().part(at).and_then(|part| self.tree.parts.get(part));
        part.map_or("1", |part| part.path.as_str())
    }

    fn report(&mut self, spelling: &str, at: usize, mut judged: Judged, edits: Vec<RawEdit>) {
        let Some(host) = judged.host.clone() else { return };
        let edited = !edits.is_empty();
        self.found.raw_edits.extend(edits);
        if self.reported.contains(&host.ascii) && !edited {
            return;
        }
        judged.add(Reason::HiddenHost);
        if !edited {
            (judged.verdict, judged.edit) = (Verdict::Suspect, Edit::Reported);
        }
        if self.keeps_edits_only(&judged) {
            return self.count_link(edited);
        }
        self.reported.insert(host.ascii.clone());
        let named = (self.policy, &judged);
        let mut finding = finding_of(named, self.path(at), Place::Text, at..at, spelling);
        if edited {
            finding.done = Done::Edited;
        }
        self.found.push(self.policy, Candidate::report_only(finding));
    }

    /// Whether only the edits of a link are kept.
    fn keeps_edits_only(&self, judged: &Judged) -> bool {
        self.found.candidates.len() >= self.budget.findings && !self.found.adds_reason(judged)
    }

    /// Counts a link without a finding.
    fn count_link(&mut self, edited: bool) {
        self.found.more.links += 1;
        self.found.more.edited += usize::from(edited);
    }
}

/// Whether a header holds a line that is no part of a field: for some programs its body begins there.
fn ends_early(head: &[u8]) -> bool {
    let mut start = None;
    memchr::memchr_iter(b'\n', head).any(|feed| {
        // The first line may be one of an envelope.
        let line = start.replace(feed + 1).and_then(|start| head.get(start..feed));
        line.is_some_and(|line| match line {
            [b' ' | b'\t', ..] => line.trim_ascii_end().is_empty(),
            _ => {
                let colon = memchr::memchr(b':', line);
                let name = colon.and_then(|colon| line.get(..colon)).map(<[u8]>::trim_ascii_end);
                name.is_none_or(|name| name.is_empty() || !name.iter().all(u8::is_ascii_graphic))
            }
        })
    })
}

/// Whether a host at this offset may be deceptive.
pub fn needs_reading_at(bytes: &[u8], at: usize) -> bool {
    needs_reading(window(bytes, at))
}

fn without_ranges(text: &str) -> Vec<Letter> {
    text.chars().map(|c| Letter { c, raw: 0..0 }).collect()
}
