//! S27, S29: where a host begins if running text may precede it, and where it ends if its last
//! label is no top-level domain. Every plausible reading is judged, and the worst counts.

use std::borrow::Cow;

use smallvec::{SmallVec, smallvec};
use unicode_script::Script;

use super::edit::is_styled;
use super::form::is_dot;
use super::judged_host::{HostFindings, JudgedHost};
use super::reading::are_twins;
use super::{Context, HostBounds, Judgement, Section, plain, registrable};
use crate::verdict::{Edit, Findings, Verdict};
use uts58::tlds::TldSet;
use uts58::unicode::ScriptOf as _;
use uts58::unicode::prose::{self, Places};

/// The worst judgement of all readings of a spelling; of equal ones the first: without the prose
/// before it.
pub(super) fn judge(spelling: &str, context: &Context<'_>) -> Judgement {
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
    let Some((_, tld)) = words.rsplit_once('.') else { return false };
    match tld.is_ascii() {
        true => tlds.exists_as(tld),
        false => tlds.unicode_prefix(tld, &|end| end == tld.len()).is_some(),
    }
}

/// The worst judgement over all places where the host may begin.
fn judge_starts(spelling: &str, places: Places<'_>, context: &Context<'_>) -> Judgement {
    let starts: SmallVec<[usize; 4]> = match context.bounds {
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
    };
    let more_bounds = starts.len().saturating_sub(1);
    let first_label = places.first_label();
    let mut worst: Option<Reading> = None;
    let mut least = Verdict::Ok;
    for start in starts {
        let verdict = match &mut worst {
            Some(worst) => worst.keep_worse(start, first_label, spelling, context),
            None => worst.insert(Reading::of(start, spelling, context)).judged.view(start).verdict,
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
struct Reading {
    start: usize,
    judged: Judged,
}

/// A judgement, or what it is computed from.
enum Judged {
    Plain(Judgement),
    Full(Box<JudgedHost>),
}

/// What readings are compared by.
struct View<'r> {
    start: usize,
    verdict: Verdict,
    edit: Edit,
    target: Option<&'r str>,
    /// One for each label.
    labels: &'r [Findings],
}

impl Reading {
    fn of(start: usize, spelling: &str, context: &Context<'_>) -> Reading {
        let reading = spelling.get(start..).unwrap_or_default();
        let plain = judge_plain(start, reading, context).map(Judged::Plain);
        let whole = || Judged::Full(Box::new(JudgedHost::judge(reading, context)));
        Reading { start, judged: plain.unwrap_or_else(whole) }
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
                    let old = View::of(self.start, &before.found);
                    let new = View::of(start, whole.found());
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
            *self = Reading { start, judged };
        }
        verdict
    }

    fn judgement(self, end: usize) -> Judgement {
        let span = self.start..end;
        match self.judged {
            Judged::Plain(judgement) => Judgement { span, ..judgement },
            Judged::Full(whole) => whole.judgement(span),
        }
    }
}

/// The reading that begins with the spelling was already found not to be plain.
fn judge_plain(start: usize, reading: &str, context: &Context<'_>) -> Option<Judgement> {
    if start == 0 { None } else { plain::judge(reading, context) }
}

impl Judged {
    fn view(&self, start: usize) -> View<'_> {
        match self {
            Judged::Plain(Judgement { verdict, edit, .. }) => {
                View { start, verdict: *verdict, edit: *edit, target: None, labels: &[] }
            }
            Judged::Full(whole) => View::of(start, whole.found()),
        }
    }

    /// The host in ASCII form.
    fn ascii(&self) -> &str {
        match self {
            Judged::Plain(judgement) => &judgement.ascii,
            Judged::Full(whole) => whole.ascii(),
        }
    }
}

impl<'r> View<'r> {
    fn of(start: usize, found: &'r HostFindings) -> View<'r> {
        let HostFindings { verdict, edit, .. } = *found;
        View { start, verdict, edit, target: found.target.as_deref(), labels: &found.labels }
    }

    /// Whether this reading is worse than `worst`. Only some clients begin later, and none opens
    /// what cannot exist. `ascii` is the host of `worst` in ASCII form.
    fn is_worse_than<'a>(
        &self,
        worst: &View<'_>,
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
        (self.edit.max(Edit::Told), self.verdict)
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
    if after.contains(is_dot) && is_word_before_www(label) || after_words(reading).is_some() {
        return true;
    }
    let words = || prose::foreign_words(label).filter_map(|word| label.get(word));
    let mut scripts = words().filter_map(|word| word.chars().next()).map(|first| first.script());
    let first = scripts.next();
    let meet = label.contains(|c: char| c.is_ascii_alphabetic() || prose::is_sign(c))
        || scripts.any(|script| Some(script) != first);
    let deceives =
        |word: &str| are_twins(word.chars(), Script::Latin) || word.chars().any(is_styled);
    let seam = |c: char| prose::is_sign(c) || matches!(c, '\u{fe0f}' | '\u{20e3}');
    let glued = words().next().is_some() || label.contains(seam);
    glued && meet && !words().any(deceives)
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
    let www = || after.get(..4).is_some_and(|www| www.eq_ignore_ascii_case("www."));
    if !matches!(stop, '。' | '．' | '｡') && !www() {
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
mod tests {
    use super::*;
    use crate::verdict::RestrictionLevel;
    use crate::{Names, judge};
    use uts58::tlds::TldTable;

    fn host(spelling: &str, bounds: HostBounds) -> (String, Verdict) {
        let (protected, none) = (Names::new(["paypal.com"]), Names::default());
        let tlds = TldTable::new(
            ["com", "de", "xn--p1ai", "xn--3e0b707e", "xn--wgbh1c", "xn--4dbrk0ce"],
            "",
        );
        let context = Context {
            level: RestrictionLevel::default(),
            protected: &protected,
            own: &none,
            blocked: &none,
            tlds: &tlds,
            bounds,
        };
        let judgement = judge(spelling, &context);
        (spelling[judgement.span].to_owned(), judgement.verdict)
    }

    #[test]
    fn words_hold_no_sign_of_a_number() {
        for c in ('\u{80}'..=char::MAX).filter(|c| is_number_sign(*c)) {
            assert!(!Places::of(&format!("a{c}b.com")).has_only_words(), "{c}");
        }
    }

    #[test]
    fn prose_is_no_part_of_a_schemeless_host() {
        for spelling in [
            "👉example.com",
            "10ー19時。example.com",
            "手順③。example.com",
            "①example.com",
            "手順①example.com",
            "¹example.com",
            "ªexample.com",
            "1\u{fe0f}\u{20e3}example.com",
            "#\u{fe0f}\u{20e3}example.com",
            "ℹ\u{fe0f}example.com",
            "03ー1234ー5678。example.com",
            "→example.com",
            "เว็บไซต์example.com",
            "サーバーexample.com",
            "בexample.com",
            "наexample.com",
            "見て👉例example.com",
            "Приветexample.com",
            "στηνexample.com",
        ] {
            assert_eq!(
                host(spelling, HostBounds::Prose),
                ("example.com".to_owned(), Verdict::Ok),
                "{spelling}"
            );
        }
        for spelling in [
            "сwww.example.com",
            "соWWW.пример.рф",
            "10ー19時。www.example.com",
            "第2ー3章．www.example.com",
            "A1ー出口。www.example.com",
            "Tーシャツ。www.example.com",
            "℡03-1234-5678。www.example.com",
            "第Ⅲ期。www.example.com",
            "1ª.www.example.com",
            "SMS-код.www.example.com",
            "1.ישראל.com",
            "12.דוגמה.com",
            "3.مثال.com",
        ] {
            assert_eq!(host(spelling, HostBounds::Prose).1, Verdict::Ok, "{spelling}");
        }
        for spelling in ["münchen.de", "пример.рф", "пример.com", "한국.한국", "डाटामेल.com"]
        {
            assert_eq!(host(spelling, HostBounds::Prose), (spelling.to_owned(), Verdict::Ok));
        }
        // A right-to-left name has no label of a number (RFC 5893 §2): no client opens the tail.
        for spelling in ["مثال2.مصر", "דוגמה10.ישראל", "دليل-7.مصر", "www.مثال2.مصر"]
        {
            assert_eq!(host(spelling, HostBounds::Prose), (spelling.to_owned(), Verdict::Ok));
        }
        assert_eq!(host("👉пример.рф", HostBounds::Prose), ("пример.рф".to_owned(), Verdict::Ok));
    }

    /// The name after the prose does not imitate itself.
    #[test]
    fn a_name_behind_prose_is_that_name() {
        for front in ["①", "¹", "ב", "в", "手順①", "1\u{fe0f}\u{20e3}"] {
            let found = host(&format!("{front}paypal.com"), HostBounds::Prose);
            assert_eq!(found, ("paypal.com".to_owned(), Verdict::Ok), "{front}");
        }
        assert_eq!(host("¹PayPal.de", HostBounds::Prose), ("PayPal.de".to_owned(), Verdict::Ok));
        assert_eq!(host("школа№5.рф", HostBounds::Prose), ("5.рф".to_owned(), Verdict::Ok));
        for lie in ["①раypal.com", "p①ypal.com", "ⓟaypal.com", "①.paypa1.com", "paypal①.com"]
        {
            assert!(host(lie, HostBounds::Prose).1 >= Verdict::Suspect, "{lie}");
        }
    }

    /// A part in which all letters read as the other script is no prose.
    #[test]
    fn deception_is_no_prose() {
        for spelling in [
            "сwww.com",
            "wwwс.example.com",
            "раypal.com",
            "exаmple.com",
            "аcmecorp.com",
            "www.аcmecorp.com",
            "Привет-аcme.com",
        ] {
            assert_eq!(
                host(spelling, HostBounds::Prose),
                (spelling.to_owned(), Verdict::Unsafe),
                "{spelling}"
            );
        }
        for sign in ["👉", "→", "★", "✓", "€", "☎", "🎁", "a.👉", "見て→"] {
            let (span, verdict) = host(&format!("{sign}раypal.com"), HostBounds::Prose);
            assert_eq!(verdict, Verdict::Unsafe, "{sign}");
            assert!(span.ends_with("раypal.com"), "{sign}");
        }
        for before in ["x_", "\u{200d}", "देखें"] {
            let (span, verdict) = host(&format!("{before}раypal.com"), HostBounds::Prose);
            assert_eq!((&*span, verdict), ("раypal.com", Verdict::Unsafe), "{before}");
        }
        for written in ["xn--ypal-43d9g.comhttp", "x._xn--ypal-43d9g.com"] {
            assert_eq!(host(written, HostBounds::Certain).1, Verdict::Unsafe, "{written}");
        }
        // The whole is no name; some client takes the end for one.
        let marked = host("\u{301}раypal.com", HostBounds::Certain);
        assert_eq!(marked, ("раypal.com".to_owned(), Verdict::Invalid));
        for number in ["½", "٣"] {
            let (span, verdict) = host(&format!("{number}раypal.com"), HostBounds::Prose);
            assert_eq!((span.as_str(), verdict), ("раypal.com", Verdict::Unsafe), "{number}");
        }
        let inner_a_label = host("x_xn--ypal-43d9g.com", HostBounds::Prose);
        assert_eq!(inner_a_label, ("xn--ypal-43d9g.com".to_owned(), Verdict::Unsafe));
        for after in [".html", ".php", ".1", ".x.y", "1", "_x"] {
            for bounds in [HostBounds::Prose, HostBounds::Certain] {
                let (span, verdict) = host(&format!("раypal.com{after}"), bounds);
                assert_eq!((&*span, verdict), ("раypal.com", Verdict::Unsafe), "{after}");
            }
        }
        for sign in ["→", "£", "❤\u{fe0f}"] {
            let (span, verdict) = host(&format!("{sign}раypal.com"), HostBounds::Certain);
            assert_eq!((&*span, verdict), ("раypal.com", Verdict::Unsafe), "{sign}");
            let (_, verdict) = host(&format!("{sign}paypal.com"), HostBounds::Certain);
            assert_eq!(verdict, Verdict::Suspect, "{sign}");
        }
        let joined = host("ра\u{200c}\u{200d}ypal.com", HostBounds::Prose);
        assert_eq!(joined, ("ра\u{200c}\u{200d}ypal.com".to_owned(), Verdict::Invalid));
        assert_eq!(
            host("наexample.com", HostBounds::Certain),
            ("наexample.com".to_owned(), Verdict::Suspect)
        );
    }
}
