//! S27, S29: where a host begins if running text may precede it, and where it ends if its last
//! label is no top-level domain. Every plausible reading is judged, and the worst counts.

use std::borrow::Cow;

use smallvec::{SmallVec, smallvec};
use unicode_script::Script;

use super::judged_host::{HostFindings, JudgedHost};
use super::plain::{self, NamesInside, Plain};
use super::target;
use crate::characters::reading::{LabelChars, are_twins};
use crate::spelling::edit::is_styled;
use crate::spelling::form::{Spelled, is_dot, is_surely_valid_before, spelled};
use crate::spelling::label_context::{LabelContext, Role};
use crate::spelling::script;
use crate::verdict::{Edit, Findings, Verdict};
use crate::{Context, HostBounds, Judgement, Section, registrable};
use uts58::tlds::TldSet;
use uts58::unicode::ScriptOf as _;
use uts58::unicode::prose::{self, Places};

/// The worst judgement of all readings of a spelling; of equal ones the first: without the prose
/// before it.
pub(crate) fn judge(spelling: &str, context: &Context<'_>) -> Judgement {
    let places = Places::of(spelling);
    let whole = judge_starts(spelling, places, context);
    if places.has_only_words() && ends_in_existing_tld(spelling, context.tlds) {
        return whole;
    }
    // S29: a client that knows the top-level domains ends the host before `.html`.
    let known = spelling.trim_end_matches(is_dot).len();
    let shorter = uts58::known_end(spelling, context.tlds).filter(|end| *end < known);
    let shorter = shorter.and_then(|end| spelling.get(..end));
    let Some(shorter) = shorter.map(|host| judge_starts(host, Places::of(host), context)) else {
        return whole;
    };
    let more_bounds = whole.more_bounds + 1 + shorter.more_bounds;
    let mut counts = if shorter.edit >= Edit::Link { shorter } else { whole };
    counts.more_bounds = more_bounds;
    counts
}

/// Whether words between full stops end in a top-level domain that exists.
fn ends_in_existing_tld(words: &str, tlds: &dyn TldSet) -> bool {
    // Words are short: their bytes are faster than a search for a pattern.
    let Some(dot) = words.bytes().rposition(|byte| byte == b'.') else { return false };
    let tld = words.get(dot + 1..).unwrap_or_default();
    match tld.is_ascii() {
        true => tlds.exists_as(tld),
        false => tlds.unicode_prefix(tld, &|end| end == tld.len()).is_some(),
    }
}

/// The worst judgement over all places where the host may begin.
fn judge_starts(spelling: &str, places: Places<'_>, context: &Context<'_>) -> Judgement {
    judge_but(spelling, places, context, |worst, label| worst.surely_stays(label, context))
}

/// The places where the host may begin, in the order in which they are judged.
fn starts(spelling: &str, places: Places<'_>, bounds: HostBounds) -> SmallVec<[usize; 4]> {
    match bounds {
        _ if spelling.starts_with('[') => smallvec![0],
        HostBounds::Certain if places.has_only_whole_words() => smallvec![0],
        HostBounds::Certain => {
            let after = [prose::after_sign, prose::after_marks, prose::inner_a_label];
            let starts = after.into_iter().filter_map(|start| start(spelling));
            std::iter::once(0).chain(starts).collect()
        }
        HostBounds::Prose => {
            // If all characters belong to words, no number and no full stop of a sentence is among
            // them.
            let after = if places.has_only_words() { None } else { after_words(spelling) };
            let item = after_item(spelling);
            let after = after.or(item);
            let others = places.starts().rev().chain(places.inside());
            let others = others.filter(|start| Some(*start) != after && Some(*start) >= item);
            after.into_iter().chain(others).collect()
        }
    }
}

/// The worst judgement over these places, but for readings that need none: `stays` takes the worst reading so far and the
/// first label of another one, and returns whether the first one surely stays the worst.
fn judge_but(
    spelling: &str,
    places: Places<'_>,
    context: &Context<'_>,
    stays: impl Fn(&BoundsReading, &str) -> bool,
) -> Judgement {
    let starts = starts(spelling, places, context.bounds);
    let more_bounds = starts.len().saturating_sub(1);
    let first_label = places.first_label();
    let mut worst: Option<BoundsReading> = None;
    let mut least = Verdict::Ok;
    for start in starts {
        let label = spelling.get(start..first_label);
        let verdict = match &mut worst {
            Some(worst)
                if worst.start < first_label && label.is_some_and(|label| stays(worst, label)) =>
            {
                continue;
            }
            Some(worst) => worst.keep_worse(start, first_label, spelling, context),
            None => {
                worst.insert(BoundsReading::of(start, spelling, context)).judged.view(start).verdict
            }
        };
        if context.bounds == HostBounds::Certain && start == 0 {
            // With a scheme before all of it, an invalid name stays invalid.
            least = verdict;
        }
    }
    let mut worst = worst.map(|worst| worst.judgement(spelling.len())).unwrap_or_default();
    worst.verdict = worst.verdict.max(least);
    worst.more_bounds = more_bounds;
    worst
}

/// One reading of the host: where it begins, and its judgement.
struct BoundsReading {
    start: usize,
    judged: Judged,
}

/// A judgement, or what it is computed from.
enum Judged {
    Plain(Plain),
    Full(Box<JudgedHost>),
}

/// What readings are compared by.
struct ComparedBy<'r> {
    start: usize,
    verdict: Verdict,
    edit: Edit,
    target: Option<&'r str>,
    /// One for each label.
    labels: &'r [Findings],
}

impl BoundsReading {
    fn of(start: usize, spelling: &str, context: &Context<'_>) -> BoundsReading {
        let reading = spelling.get(start..).unwrap_or_default();
        let plain = judge_plain(start, reading, context).map(Judged::Plain);
        let whole = || Judged::Full(Box::new(JudgedHost::judge(reading, context)));
        BoundsReading { start, judged: plain.unwrap_or_else(whole) }
    }

    /// Whether a reading with this first label, which ends as that of this one does, surely does not
    /// replace it: this one is plain, and the label reads as no name and is prose, of which other
    /// verdicts do not count, or has none.
    fn surely_stays(&self, label: &str, context: &Context<'_>) -> bool {
        let Judged::Plain(Plain { judgement, names: NamesInside::None }) = &self.judged else {
            return false;
        };
        // Prose that is joined to a host is of another script.
        let latin = label.contains(|c: char| c.is_ascii_alphabetic());
        if !cfg!(feature = "shortcuts")
            || context.bounds != HostBounds::Prose
            || latin && !is_glued_to_prose(label)
        {
            return false;
        }
        let form = spelled(label);
        if form == Spelled::Unknown {
            return false;
        }
        let chars = LabelChars::of(label.chars());
        let has_nothing = match chars.script() {
            _ if latin => true,
            Some(script) if script != Script::Latin => {
                form == Spelled::Settled
                    && is_sound_before(label, &chars, &judgement.ascii, context)
            }
            _ => is_glued_to_prose(label),
        };
        has_nothing && !target::may_resemble(label, &chars, context)
    }

    /// Judges the reading that begins at `start`, replaces this one by it if it is worse, and
    /// returns its verdict. The first label of the spelling ends at `first_label`.
    fn keep_worse(
        &mut self,
        start: usize,
        first_label: usize,
        spelling: &str,
        context: &Context<'_>,
    ) -> Verdict {
        let reading = spelling.get(start..).unwrap_or_default();
        let label = spelling.get(start..first_label).filter(|_| self.start <= first_label);
        let judged = match judge_plain(start, reading, context) {
            Some(plain) => Judged::Plain(plain),
            None => {
                if let Judged::Full(whole) = &mut self.judged
                    && let Some(label) = label
                    && let Some(before) = whole.replace_first(label, reading, context)
                {
                    let old = ComparedBy::of(self.start, &before.found);
                    let new = ComparedBy::of(start, whole.found());
                    let verdict = new.verdict;
                    let ascii = || Cow::Owned(whole.ascii_before(&before));
                    if new.is_worse_than(&old, ascii, reading) {
                        self.start = start;
                    } else {
                        whole.restore(before);
                    }
                    return verdict;
                }
                Judged::Full(Box::new(JudgedHost::judge(reading, context)))
            }
        };
        let new = judged.view(start);
        let verdict = new.verdict;
        let ascii = || Cow::Borrowed(self.judged.ascii());
        if new.is_worse_than(&self.judged.view(self.start), ascii, reading) {
            *self = BoundsReading { start, judged };
        }
        verdict
    }

    fn judgement(self, end: usize) -> Judgement {
        let span = self.start..end;
        match self.judged {
            Judged::Plain(Plain { judgement, .. }) => Judgement { span, ..judgement },
            Judged::Full(whole) => whole.judgement(span),
        }
    }
}

/// The reading that begins with the spelling was already found not to be plain.
fn judge_plain(start: usize, reading: &str, context: &Context<'_>) -> Option<Plain> {
    if start == 0 { None } else { plain::judge(reading, context) }
}

/// Whether nothing is wrong with a settled label as the first one of a host that ends
/// as this plain one does, if it resembles no name. May return `false` wrongly.
fn is_sound_before(label: &str, chars: &LabelChars, plain: &str, context: &Context<'_>) -> bool {
    let Context { tlds, level, blocked, .. } = *context;
    let tld = memchr::memrchr(b'.', plain.as_bytes()).and_then(|dot| plain.get(dot + 1..));
    let tld = tld.unwrap_or_default();
    // Of all roles the one in which most counts.
    let role = Role::Registrable;
    let examined = LabelContext { spelling: label, unicode: label, chars, role, tld, level, tlds };
    blocked.is_empty()
        && is_surely_valid_before(label, chars, plain)
        && script::examine(&examined).verdict == Verdict::Ok
}

impl Judged {
    fn view(&self, start: usize) -> ComparedBy<'_> {
        match self {
            Judged::Plain(Plain { judgement: Judgement { verdict, edit, .. }, .. }) => {
                ComparedBy { start, verdict: *verdict, edit: *edit, target: None, labels: &[] }
            }
            Judged::Full(whole) => ComparedBy::of(start, whole.found()),
        }
    }

    /// The host in ASCII form.
    fn ascii(&self) -> &str {
        match self {
            Judged::Plain(plain) => &plain.judgement.ascii,
            Judged::Full(whole) => whole.ascii(),
        }
    }
}

impl<'r> ComparedBy<'r> {
    fn of(start: usize, found: &'r HostFindings) -> ComparedBy<'r> {
        let HostFindings { verdict, edit, .. } = *found;
        ComparedBy { start, verdict, edit, target: found.target.as_deref(), labels: &found.labels }
    }

    /// Whether this reading is worse than `worst`. Only some clients begin later, and none opens
    /// what cannot exist. `ascii` is the host of `worst` in ASCII form.
    fn is_worse_than<'a>(
        &self,
        worst: &ComparedBy<'_>,
        ascii: impl Fn() -> Cow<'a, str>,
        reading: &str,
    ) -> bool {
        // A longer reading replaces one that cannot exist: `مثال0.مصر` for `0.مصر`.
        if self.start < worst.start && worst.edit == Edit::Inert && self.edit > Edit::Inert {
            return true;
        }
        // It resembles the very name that the prose precedes: `בexample.com`, `①example.com`.
        let named = || worst.verdict <= Verdict::Notice && has_label(&ascii(), self.target);
        self.weight() > worst.weight()
            && self.edit > Edit::Inert
            && (self.resembles_name() && !named()
                || self.misleads_after_first()
                || !is_prose(reading))
    }

    /// What is edited anywhere weighs more than what is edited in links, and that more than what no
    /// client opens, however bad it is.
    fn weight(&self) -> (Edit, Verdict) {
        (self.edit.max(Edit::Reported), self.verdict)
    }

    /// A reading that resembles a protected name is no prose.
    fn resembles_name(&self) -> bool {
        self.target.is_some() && self.verdict >= Verdict::Unsafe
    }

    /// Prose is joined to the first label only.
    fn misleads_after_first(&self) -> bool {
        self.labels.iter().skip(1).any(|label| label.verdict >= Verdict::Unsafe)
    }
}

/// Whether this is the registrable label of the host, under any suffix.
fn has_label(host: &str, name: Option<&str>) -> bool {
    fn label(name: &str) -> Option<&str> {
        name.split('.').next()
    }
    let own = registrable(host, Section::Icann).and_then(label);
    own.is_some() && own == name.and_then(label)
}

/// Whether the first label visibly is a host with prose before it: two scripts or a sign are next
/// to each other, and no word of another script consists only of twins of Latin letters (`аcme`,
/// `gооgle`) or of styled letters. Those mislead.
fn is_prose(reading: &str) -> bool {
    let (label, after) = reading.split_once(is_dot).unwrap_or_default();
    is_glued_to_prose(label)
        || after.contains(is_dot) && is_word_before_www(label)
        || after_words(reading).is_some()
}

fn is_glued_to_prose(label: &str) -> bool {
    let (mut first, mut scripts_meet) = (None, false);
    for word in prose::foreign_words(label).filter_map(|word| label.get(word)) {
        if are_twins(word.chars(), Script::Latin) || word.chars().any(is_styled) {
            return false;
        }
        let script = word.chars().next().map(|c| c.script());
        scripts_meet |= first.is_some() && first != script;
        first = first.or(script);
    }
    let seam = |c: char| prose::is_sign(c) || matches!(c, '\u{fe0f}' | '\u{20e3}');
    let beside = |c: char| c.is_ascii_alphabetic() || prose::is_sign(c);
    (first.is_some() || label.contains(seam)) && (scripts_meet || label.contains(beside))
}

/// Where a host begins after words that end with a full stop or a number.
fn after_words(spelling: &str) -> Option<usize> {
    after_sentence(spelling).or_else(|| after_number(spelling))
}

/// Where a host begins after a sentence: after any full stop before `www.`, and after a Chinese or
/// Japanese one before any other host (`10ー19時。www.example.jp`, `手順③。example.jp`).
fn after_sentence(spelling: &str) -> Option<usize> {
    let (at, stop) = spelling.char_indices().find(|(_, c)| is_dot(*c))?;
    let start = at + stop.len_utf8();
    let after = spelling.get(start..)?;
    if !matches!(stop, '。' | '．' | '｡') && !uts58::begins_with_www(after) {
        return None;
    }
    let host = after.trim_end_matches(is_dot).to_ascii_lowercase();
    registrable(&host, Section::Icann).map(|_| start)
}

/// Where a right-to-left host begins after a list number: no such name has a label of digits (RFC
/// 5893 §2), so no client opens all of it (`1.דוגמה.com`).
fn after_item(spelling: &str) -> Option<usize> {
    let digits = spelling.bytes().take_while(u8::is_ascii_digit).count();
    let after = spelling.get(digits..)?.strip_prefix('.').filter(|_| digits > 0)?;
    let runs_left = |c: char| matches!(c.script(), Script::Arabic | Script::Hebrew);
    after.starts_with(runs_left).then_some(digits + 1)
}

/// Where a host begins after the number of a list, a footnote or a thing: `①example.com`,
/// `手順①example.com`, `1️⃣example.com`, `¹example.com`, `школа№5.рф`. What precedes the number is
/// not ASCII.
fn after_number(spelling: &str) -> Option<usize> {
    let label = spelling.get(..spelling.find(is_dot)?)?;
    let (at, last) = label.char_indices().rev().find(|(_, c)| is_number_sign(*c))?;
    let mut front = label.get(..at)?;
    if last == '\u{20e3}' {
        // A keycap: the character on the key is part of it.
        front = front.strip_suffix('\u{fe0f}').unwrap_or(front);
        front = front.strip_suffix(|c: char| c.is_ascii_digit() || matches!(c, '#' | '*'))?;
    }
    let after = label.get(at + last.len_utf8()..)?;
    let rest = after.trim_start_matches('\u{fe0f}');
    let numbered = last != '№' || rest.starts_with(|c: char| c.is_ascii_digit());
    let valid = !rest.is_empty() && numbered && !front.contains(|c: char| c.is_ascii());
    valid.then(|| label.len() - rest.len())
}

/// Numbers in circles, brackets and superscript, ordinals, number and footnote signs.
fn is_number_sign(c: char) -> bool {
    matches!(c, '²' | '³' | '¹' | 'ª' | 'º' | '№' | 'ℹ' | '\u{20e3}')
        || matches!(c, '\u{2070}'..='\u{2079}' | '\u{2080}'..='\u{2089}')
        // Circled, in brackets, with a full stop, and the same in black.
        || matches!(c, '\u{2460}'..='\u{249b}' | '\u{24ea}'..='\u{24ff}' | '\u{2776}'..='\u{2793}')
        || matches!(c, '\u{3220}'..='\u{3229}' | '\u{3248}'..='\u{325f}' | '\u{3280}'..='\u{3289}')
}

/// `сwww`: whatever the letters read as, for every reader the host begins at `www.`, and the label
/// is no name.
fn is_word_before_www(label: &str) -> bool {
    let word = label.len().checked_sub(3).and_then(|at| label.split_at_checked(at));
    word.is_some_and(|(word, www)| {
        www.eq_ignore_ascii_case("www")
            && !word.is_empty()
            && !word.contains(|c: char| c.is_ascii())
    })
}

#[cfg(test)]
mod tests;
