//! Where a host may begin in a run of host characters that holds running text as well (S27, S29).

use core::ops::Range;

use unicode_script::Script;

use super::a_label;

use super::hosts::{is_joiner, is_mark, numeral_zero};
use super::{Class, ScriptOf as _, Traits, is_alphanumeric};
use super::{is_dot_to_somebody as is_dot, is_letter};

/// Places at which some client begins a host, at most.
pub const STARTS: usize = 10;

/// The places in a name at which clients may begin the host: what it holds beside which one may begin is asked in
/// one pass, since most names hold nothing.
#[derive(Clone, Copy, Debug)]
pub struct Places<'n> {
    name: &'n str,
    holds: Holds,
    /// Where the first label ends.
    first: usize,
    /// Behind the last letter in it of a script written without spaces.
    unspaced: usize,
    /// Behind the last mark or number beyond ASCII in front of the last dot.
    mark: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Holds {
    /// Letters and marks that UTS #46 leaves alone, digits of ASCII, hyphens between them, full stops between labels.
    Words,
    /// Anything: nothing else is known of it then.
    Signs,
}

impl<'n> Places<'n> {
    /// Those of this name.
    pub fn of(name: &'n str) -> Places<'n> {
        let signs = Places { name, holds: Holds::Signs, first: 0, unspaced: 0, mark: 0 };
        let mut places = Places { holds: Holds::Words, first: name.len(), ..signs };
        let mut mark = 0;
        // Labels that ended, and letters of the label so far when they are `w` alone, small or capital.
        let (mut labels, mut double_u) = (0, Some(0));
        let mut before = '.';
        for (at, c) in name.char_indices() {
            match c {
                '\u{80}'.. => {
                    let traits = Traits::of(c);
                    // A mark that makes a key of what it stands on is a sign.
                    if !traits.is_settled() || c == '\u{20e3}' {
                        return signs;
                    }
                    let behind = at + c.len_utf8();
                    if traits.is_mark() || is_settled_number(c) {
                        mark = behind;
                    }
                    if labels == 0 && c >= FIRST_UNSPACED && is_unspaced_with(c, traits) {
                        places.unspaced = behind;
                    }
                    double_u = None;
                }
                'w' | 'W' => double_u = double_u.map(|count| count + 1),
                _ if c.is_ascii_alphanumeric() => double_u = None,
                '-' if !matches!(before, '.' | '-') => double_u = None,
                '.' if !matches!(before, '.' | '-') => {
                    if labels > 0 && double_u == Some(3) {
                        return signs;
                    }
                    places.first = places.first.min(at);
                    places.mark = mark;
                    (labels, double_u) = (labels + 1, Some(0));
                }
                _ => return signs,
            }
            before = c;
        }
        if matches!(before, '.' | '-') { signs } else { places }
    }

    /// Where the first label ends, behind which no place is one of words.
    pub fn first_label(self) -> usize {
        match self.holds {
            Holds::Words => self.first,
            Holds::Signs => first_label(self.name).len(),
        }
    }

    /// Byte offsets at which a client may begin the host, ascending, the first one 0:
    ///
    /// - the whole run, as clients that take every letter for a part of a host;
    /// - behind the last sign or emoji, as those that end a word there, and behind a dot with one beside it;
    /// - behind the last letter of a script written without spaces, where another script begins;
    /// - the ASCII tail of the first label, as those that know ASCII alone.
    ///
    /// Behind the dot of the first label there is no prose, but behind a sign.
    pub fn starts(self) -> impl DoubleEndedIterator<Item = usize> + use<> {
        let Places { name, holds, .. } = self;
        let label = name.get(..self.first_label()).unwrap_or_default();
        in_order(match holds {
            Holds::Words => [Some(0), None, None, self.behind_unspaced_word(), ascii_tail(label)],
            Holds::Signs => [
                Some(0),
                behind_break(name, is_sign),
                behind_odd_dot(name, |c| !c.is_ascii() && is_odd(c)),
                behind_unspaced(label),
                ascii_tail(label),
            ],
        })
    }

    /// Behind the last letter of a script written without spaces, and the marks and hyphens behind it.
    fn behind_unspaced_word(self) -> Option<usize> {
        let rest = self.name.get(self.unspaced..self.first).filter(|_| self.unspaced > 0)?;
        let word = || rest.trim_start_matches(is_edge);
        rest.contains(is_alphanumeric).then(|| self.first - word().len())
    }

    /// Byte offsets at which only the most careless begin:
    ///
    /// - behind the last mark, unseen character or number beyond ASCII, as those to whom a word is letters and
    ///   the digits of ASCII alone;
    /// - behind the last dot with something else than a letter or digit beside it, and at the last `www.`;
    /// - behind an underscore in the first label, and at an A-label that something stands before.
    pub fn inside(self) -> impl DoubleEndedIterator<Item = usize> + use<> {
        let name = self.name;
        let apart = |start: &usize| !is_in_syllable(name, *start);
        in_order(match self.holds {
            Holds::Words => [host_behind(name, self.mark).filter(apart), None, None, None, None],
            Holds::Signs => {
                let label = first_label(name);
                let underscore = label.rfind('_').map(|at| at + 1).filter(|at| *at < label.len());
                [
                    behind_break(name, |c| belongs_to_letter(c) || is_numeral(c)).filter(apart),
                    behind_odd_dot(name, is_odd),
                    last_www(name),
                    underscore,
                    encoded(name),
                ]
            }
        })
    }

    /// Whether the name is words between full stops: settled letters and marks, digits of ASCII, single hyphens.
    pub fn are_of_words(self) -> bool {
        self.holds == Holds::Words
    }

    /// Whether it is such words and begins with no mark: then a host that is known to be one begins at its beginning.
    pub fn are_of_whole_words(self) -> bool {
        self.holds == Holds::Words && !self.name.starts_with(belongs_to_letter)
    }
}

/// The last A-label that something stands before which is no dot and no ASCII of a label: clients to whom a label is letters and
/// digits begin there (`x.www._xn--ypal-43d9g.com`).
pub fn encoded(name: &str) -> Option<usize> {
    let at = a_label::places(name.as_bytes()).next_back()?;
    let before = name.get(..at)?.chars().next_back()?;
    let part_of_label = before.is_ascii_alphanumeric() || before == '-';
    (!is_dot(before) && !part_of_label && name.get(at..)?.contains(is_dot)).then_some(at)
}

/// Behind the marks that a name begins with: no letter bears them, and a client that knows letters and
/// digits alone begins behind them (`http://` U+0301 `example.com`).
pub fn behind_marks(name: &str) -> Option<usize> {
    let host = name.trim_start_matches(belongs_to_letter);
    (host.len() < name.len() && host.contains(is_dot)).then_some(name.len() - host.len())
}

/// Behind the last sign or emoji, where those begin that end a word there, a scheme before it or not
/// (`http://→example.com`). A mark is a part of the letter before it.
pub fn behind_sign(name: &str) -> Option<usize> {
    behind_break(name, |c| is_sign(c) && !is_mark(c))
}

fn in_order(found: [Option<usize>; 5]) -> impl DoubleEndedIterator<Item = usize> {
    let mut sorted = [0; 5];
    let mut count = 0;
    for mut place in found.into_iter().flatten() {
        if sorted.iter().take(count).any(|other| *other == place) {
            continue;
        }
        for other in sorted.iter_mut().take(count) {
            if *other > place {
                core::mem::swap(other, &mut place);
            }
        }
        if let Some(free) = sorted.get_mut(count) {
            *free = place;
            count += 1;
        }
    }
    sorted.into_iter().take(count)
}

fn first_label(name: &str) -> &str {
    name.split(is_dot).next().unwrap_or_default()
}

/// Behind the last such character that a host follows.
fn behind_break(name: &str, breaks: impl Fn(char) -> bool) -> Option<usize> {
    if name.is_ascii() {
        return None;
    }
    let dot = name.rfind(is_dot)?;
    let (at, last) = name.get(..dot)?.char_indices().rev().find(|(_, c)| breaks(*c))?;
    host_behind(name, at + last.len_utf8())
}

/// Where a host begins behind this place, which is not the first, when one follows.
fn host_behind(name: &str, place: usize) -> Option<usize> {
    let rest = name.get(place..).filter(|_| place > 0)?;
    let host = rest.trim_start_matches(is_edge);
    (host.contains(is_dot) && host.starts_with(is_alphanumeric)).then_some(name.len() - host.len())
}

/// Whether a mark ends there that belongs to letters of its own script, and one follows that has no case: no reader
/// takes `า.com` of `สินค้า.com` for a host, and letters of such scripts look like no Latin ones.
fn is_in_syllable(name: &str, at: usize) -> bool {
    let (before, behind) = name.split_at_checked(at).unwrap_or_default();
    let (Some(mark), Some(letter)) = (before.chars().next_back(), behind.chars().next()) else {
        return false;
    };
    let has_case = || letter.is_lowercase() || letter.is_uppercase();
    is_mark(mark) && mark.script() == letter.script() && !has_case()
}

/// Behind the last dot that no host can have there (`foo-.`, `①.`), when a host follows.
fn behind_odd_dot(name: &str, odd: fn(char) -> bool) -> Option<usize> {
    if name.bytes().all(|c| c.is_ascii_alphanumeric() || c == b'.') {
        return None;
    }
    let end = name.trim_end_matches(is_dot).rfind(is_dot)?;
    let mut found = None;
    let mut before = None;
    for (at, c) in name.char_indices() {
        let beside = if is_dot(c) { before } else { before.filter(|c| is_dot(*c)).map(|_| c) };
        if beside.is_some_and(odd) {
            found = Some(at);
        }
        if at >= end {
            break;
        }
        before = Some(c);
    }
    let rest = name.get(found?..)?;
    let host = rest.trim_start_matches(|c| is_edge(c) || is_odd(c));
    (host.contains(is_dot) && host.starts_with(is_alphanumeric)).then_some(name.len() - host.len())
}

/// Neither dot nor letter nor decimal digit, nor a part of one.
fn is_odd(c: char) -> bool {
    if c.is_ascii() {
        return !c.is_ascii_alphanumeric() && c != '.';
    }
    let letter = is_letter(c) || numeral_zero(c).is_some() || belongs_to_letter(c);
    !letter && !is_dot(c)
}

/// The last label that is `www`, when it is not the first.
fn last_www(name: &str) -> Option<usize> {
    let mut at = 0;
    let mut found = None;
    for label in name.split_inclusive(is_dot) {
        if label.trim_end_matches(is_dot).eq_ignore_ascii_case("www") && label.len() > 3 {
            found = Some(at);
        }
        at += label.len();
    }
    found.filter(|at| *at > 0)
}

/// Marks, joiners and whatever else is no letter by itself.
fn belongs_to_letter(c: char) -> bool {
    !c.is_ascii() && (Class::of(c).is_ignored() || is_joiner(c) || is_mark(c))
}

/// Digits and numbers of other scripts: `½`, `٣`.
fn is_numeral(c: char) -> bool {
    !c.is_ascii() && c.is_numeric()
}

fn behind_unspaced(label: &str) -> Option<usize> {
    let (at, last) = label.char_indices().rev().find(|(_, c)| is_unspaced(*c))?;
    let rest = label.get(at + last.len_utf8()..)?;
    let start = label.len() - rest.trim_start_matches(is_edge).len();
    rest.contains(is_alphanumeric).then_some(start)
}

fn ascii_tail(label: &str) -> Option<usize> {
    let tail = label.bytes().rev().take_while(u8::is_ascii).count();
    let (before, tail) = label.split_at_checked(label.len() - tail)?;
    let start = label.len() - tail.trim_start_matches(is_edge).len();
    (start < label.len() && start > 0 && !continues(before)).then_some(start)
}

/// Whether an ASCII letter goes on with the word before it: Latin letters and their marks, and the
/// signs that stand inside Latin words (Catalan `l·l`, the ʻokina). What nobody sees does not count.
pub fn continues(before: &str) -> bool {
    last_seen(before).is_none_or(|c| {
        c.is_ascii()
            || c.script() == Script::Latin
            || matches!(c, '·' | 'ʻ' | 'ʼ' | 'ʹ' | '\u{2010}' | '\u{2011}')
    })
}

/// The last character that is neither a mark nor invisible.
pub fn last_seen(text: &str) -> Option<char> {
    let seen = |c: &char| c.script() != Script::Inherited && !Class::of(*c).is_ignored();
    text.chars().rev().find(seen)
}

/// The longest stretches of letters of one script beyond ASCII, as byte ranges.
pub fn foreign_words(text: &str) -> impl Iterator<Item = Range<usize>> + '_ {
    let mut chars = text.char_indices().peekable();
    core::iter::from_fn(move || {
        let (start, first) = chars.find(|(_, c)| !c.is_ascii() && is_letter(*c))?;
        let mut end = start + first.len_utf8();
        while let Some((at, c)) = chars.next_if(|(_, c)| goes_on(first.script(), *c)) {
            end = at + c.len_utf8();
        }
        Some(start..end)
    })
}

fn goes_on(script: Script, c: char) -> bool {
    !c.is_ascii() && (c.script() == script || c.script() == Script::Inherited)
}

/// Letters of scripts whose words stand without spaces, none of which looks Latin.
pub fn is_unspaced(c: char) -> bool {
    is_unspaced_with(c, Traits::of(c))
}

/// The first of them, ก.
const FIRST_UNSPACED: char = '\u{e01}';

/// The same for a character of these properties.
fn is_unspaced_with(c: char, traits: Traits) -> bool {
    matches!(
        traits.script(),
        Script::Han
            | Script::Hiragana
            | Script::Katakana
            | Script::Bopomofo
            | Script::Thai
            | Script::Lao
            | Script::Khmer
            | Script::Myanmar
            | Script::Tibetan
    ) || c == 'ー'
}

/// Whether a settled letter is a number: none before the golden numbers of runes is, and none that may stand in a
/// top-level domain.
fn is_settled_number(c: char) -> bool {
    c >= '\u{16ee}' && !Class::of(c).is_tld() && is_numeral(c)
}

/// Emoji, arrows, signs: host characters that belong to no word. Joiners and marks belong to one.
pub fn is_sign(c: char) -> bool {
    if c.is_ascii() {
        return false;
    }
    let class = Class::of(c);
    let sign = class.is_host() && !class.is_ignored() && !class.is_tld();
    sign && !is_alphanumeric(c) && c.script() != Script::Inherited
}

/// What no host begins with.
fn is_edge(c: char) -> bool {
    matches!(c, '-' | '_') || is_dot(c) || belongs_to_letter(c) || is_sign(c)
}

#[cfg(test)]
mod tests {
    use unicode_normalization::char::is_combining_mark;

    use super::*;

    fn all(name: &str) -> Vec<&str> {
        let places = Places::of(name);
        let mut all: Vec<usize> = places.starts().collect();
        let careless = places.inside().filter(|start| !all.contains(start));
        all.extend(careless.collect::<Vec<_>>());
        all.into_iter().map(|start| &name[start..]).collect()
    }

    #[test]
    fn starts_of_hosts() {
        assert_eq!(all("example.com"), ["example.com"]);
        assert_eq!(all("👉раypal.com"), ["👉раypal.com", "раypal.com", "ypal.com"]);
        assert_eq!(all("a.👉раypal.com"), ["a.👉раypal.com", "раypal.com"]);
        assert_eq!(all("サーバーexample.com"), ["サーバーexample.com", "example.com"]);
        assert_eq!(all("เว็บпример.рф"), ["เว็บпример.рф", "пример.рф"]);
        assert_eq!(all("देखेंраypal.com"), ["देखेंраypal.com", "ypal.com", "раypal.com"]);
        assert_eq!(all("1\u{fe0f}\u{20e3}пример.рф"), ["1\u{fe0f}\u{20e3}пример.рф", "пример.рф"]);
        assert_eq!(all("\u{200d}пример.рф"), ["\u{200d}пример.рф", "пример.рф"]);
        assert_eq!(all("①.раypal.com"), ["①.раypal.com", "раypal.com"]);
        assert_eq!(all("foo-.-раypal.com"), ["foo-.-раypal.com", "раypal.com"]);
        assert_eq!(all("é-.xn--a.com"), ["é-.xn--a.com", "xn--a.com"]);
        assert_eq!(all("xn--a.www.paypal.com"), ["xn--a.www.paypal.com", "www.paypal.com"]);
        assert_eq!(all("हिन्दी.भारत"), ["हिन्दी.भारत"]);
        for word in ["สินค้า.com", "หน้า.com", "www.เสื้อผ้า.com", "মেকাও.com", "ໜ້າ.com"]
        {
            let starts = all(word);
            assert!(starts.iter().all(|start| !start.starts_with(['า', 'ও', 'າ'])), "{starts:?}");
        }
        assert!(all("देखेंраypal.com").contains(&"раypal.com"), "a script with letters like Latin");
        assert!(all("x\u{484}раypal.com").contains(&"раypal.com"), "the mark is Cyrillic");
        assert_eq!(all("münchen.de"), ["münchen.de"]);
        assert_eq!(all("пример.рф"), ["пример.рф"]);
        assert_eq!(all("日本語.example.com"), ["日本語.example.com"]);
        assert_eq!(all("fooxn--bar.com"), ["fooxn--bar.com"]);
        assert_eq!(all("foo-xn--bar.com"), ["foo-xn--bar.com"]);
        assert_eq!(all("éxn--a_b.com"), ["éxn--a_b.com", "xn--a_b.com", "b.com"]);
        assert_eq!(all("x.www._xn--a.com"), ["x.www._xn--a.com", "www._xn--a.com", "xn--a.com"]);
        assert_eq!(all("xn--a.xn--b.com"), ["xn--a.xn--b.com"]);
        assert_eq!(all("½пример.рф"), ["½пример.рф", "пример.рф"]);
        assert_eq!(all("٣раypal.com"), ["٣раypal.com", "ypal.com", "раypal.com"]);
        assert_eq!(all("приветwww.example.com"), ["приветwww.example.com", "www.example.com"]);
    }

    #[test]
    fn marks_are_those_of_normalization() {
        for c in '\0'..=char::MAX {
            assert_eq!(is_mark(c), is_combining_mark(c), "U+{:04X}", u32::from(c));
        }
    }

    #[test]
    fn settled_letters_are_no_signs() {
        for c in ('\u{80}'..=char::MAX).filter(|c| Traits::of(*c).is_settled()) {
            let class = Class::of(c);
            assert!(class.is_host() && !class.is_ignored() && !is_sign(c) && !is_odd(c), "{c}");
            let behind = belongs_to_letter(c) || is_numeral(c);
            assert_eq!(is_mark(c) || is_settled_number(c), behind, "{c}");
            assert!(c >= FIRST_UNSPACED || !is_unspaced(c), "{c}");
        }
    }

    #[test]
    fn words_beyond_ascii() {
        let words = |text: &'static str| -> Vec<&str> {
            foreign_words(text).map(|word| &text[word]).collect()
        };
        assert_eq!(words("Привет-аcmeоо1λ"), ["Привет", "а", "оо", "λ"]);
        assert_eq!(words("abc"), [""; 0]);
    }
}
