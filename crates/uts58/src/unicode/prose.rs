//! Where a host may begin in a run of host characters that also has running text (S27, S29).

use core::ops::Range;

use unicode_script::Script;

use super::a_label;

use super::hosts::{is_joiner, is_mark, numeral_zero};
use super::{Class, ScriptOf as _, Traits, is_alphanumeric};
use super::{is_dot_to_somebody as is_dot, is_letter};

/// Places where clients may begin a host, at most.
pub const STARTS: usize = 10;

/// The places in a name where clients may begin the host. One pass finds out whether the name has
/// anything that needs the full search, since most names have nothing.
#[derive(Clone, Copy, Debug)]
pub struct Places<'n> {
    name: &'n str,
    content: Content,
    /// Where the first label ends.
    first: usize,
    /// After the last letter in it of a script written without spaces.
    unspaced: usize,
    /// After the last mark or number beyond ASCII before the last dot.
    mark: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Content {
    /// Letters and marks that UTS #46 leaves unchanged, ASCII digits, hyphens between them, full
    /// stops between labels.
    Words,
    /// Anything else: the other fields are unset.
    Anything,
}

impl<'n> Places<'n> {
    /// The places in this name.
    pub fn of(name: &'n str) -> Places<'n> {
        let unknown = Places { name, content: Content::Anything, first: 0, unspaced: 0, mark: 0 };
        let mut places = Places { content: Content::Words, first: name.len(), ..unknown };
        let mut mark = 0;
        // Number of labels that ended, and length of the current label if it consists of `w` or
        // `W`.
        let (mut labels, mut w_count) = (0, Some(0));
        let mut before = '.';
        for (at, c) in name.char_indices() {
            match c {
                '\u{80}'.. => {
                    let traits = Traits::of(c);
                    // The combining keycap is a sign.
                    if !traits.is_settled() || c == '\u{20e3}' {
                        return unknown;
                    }
                    let after = at + c.len_utf8();
                    if traits.is_mark() || is_settled_number(c) {
                        mark = after;
                    }
                    if labels == 0 && c >= FIRST_UNSPACED && is_unspaced_with(c, traits) {
                        places.unspaced = after;
                    }
                    w_count = None;
                }
                'w' | 'W' => w_count = w_count.map(|count| count + 1),
                _ if c.is_ascii_alphanumeric() => w_count = None,
                '-' if !matches!(before, '.' | '-') => w_count = None,
                '.' if !matches!(before, '.' | '-') => {
                    if labels > 0 && w_count == Some(3) {
                        return unknown;
                    }
                    places.first = places.first.min(at);
                    places.mark = mark;
                    (labels, w_count) = (labels + 1, Some(0));
                }
                _ => return unknown,
            }
            before = c;
        }
        if matches!(before, '.' | '-') { unknown } else { places }
    }

    /// Where the first label ends; in a name of words there is no place after it.
    pub fn first_label(self) -> usize {
        match self.content {
            Content::Words => self.first,
            Content::Anything => first_label(self.name).len(),
        }
    }

    /// Byte offsets at which a client may begin the host, ascending, the first one 0:
    ///
    /// - the whole run, for clients that accept every letter in a host;
    /// - after the last sign or emoji, for clients that end a word there, and after a dot with one
    ///   beside it;
    /// - after the last letter of a script written without spaces, where another script begins;
    /// - the ASCII tail of the first label, for clients that know only ASCII.
    ///
    /// After the dot of the first label there is no prose, except after a sign.
    pub fn starts(self) -> impl DoubleEndedIterator<Item = usize> + use<> {
        let Places { name, content, .. } = self;
        let label = name.get(..self.first_label()).unwrap_or_default();
        in_order(match content {
            Content::Words => [Some(0), None, None, self.after_unspaced_word(), ascii_tail(label)],
            Content::Anything => [
                Some(0),
                after_break(name, is_sign),
                after_odd_dot(name, |c| !c.is_ascii() && is_odd(c)),
                after_unspaced(label),
                ascii_tail(label),
            ],
        })
    }

    /// After the last letter of a script written without spaces, and the marks and hyphens after
    /// it.
    fn after_unspaced_word(self) -> Option<usize> {
        let rest = self.name.get(self.unspaced..self.first).filter(|_| self.unspaced > 0)?;
        let word = || rest.trim_start_matches(is_edge);
        rest.contains(is_alphanumeric).then(|| self.first - word().len())
    }

    /// Byte offsets at which only the most careless clients begin:
    ///
    /// - after the last mark, invisible character or number beyond ASCII, for clients where a word
    ///   is letters and ASCII digits only;
    /// - after the last dot with something other than a letter or digit beside it, and at the last
    ///   `www.`;
    /// - after an underscore in the first label, and at an A-label that something precedes.
    pub fn inside(self) -> impl DoubleEndedIterator<Item = usize> + use<> {
        let name = self.name;
        let apart = |start: &usize| !is_in_syllable(name, *start);
        in_order(match self.content {
            Content::Words => [host_after(name, self.mark).filter(apart), None, None, None, None],
            Content::Anything => {
                let label = first_label(name);
                let underscore = label.rfind('_').map(|at| at + 1).filter(|at| *at < label.len());
                [
                    after_break(name, |c| belongs_to_letter(c) || is_numeral(c)).filter(apart),
                    after_odd_dot(name, is_odd),
                    last_www(name),
                    underscore,
                    inner_a_label(name),
                ]
            }
        })
    }

    /// Whether the name is words between full stops: settled letters and marks, ASCII digits,
    /// single hyphens.
    pub fn has_only_words(self) -> bool {
        self.content == Content::Words
    }

    /// Whether it is such words and begins with no mark: then a host with certain bounds begins at
    /// 0.
    pub fn has_only_whole_words(self) -> bool {
        self.content == Content::Words && !self.name.starts_with(belongs_to_letter)
    }
}

/// The last A-label after a character that is neither a dot nor ASCII of a label: clients where a
/// label is letters and digits begin there (`x.www._xn--ypal-43d9g.com`).
pub fn inner_a_label(name: &str) -> Option<usize> {
    let at = a_label::places(name.as_bytes()).next_back()?;
    let before = name.get(..at)?.chars().next_back()?;
    let part_of_label = before.is_ascii_alphanumeric() || before == '-';
    (!is_dot(before) && !part_of_label && name.get(at..)?.contains(is_dot)).then_some(at)
}

/// After the marks that a name begins with: they are on no letter, and a client that knows only
/// letters and digits begins after them (`http://` U+0301 `example.com`).
pub fn after_marks(name: &str) -> Option<usize> {
    let host = name.trim_start_matches(belongs_to_letter);
    (host.len() < name.len() && host.contains(is_dot)).then_some(name.len() - host.len())
}

/// After the last sign or emoji, where clients begin that end a word there, even after a scheme
/// (`http://→example.com`). A mark belongs to the letter before it.
pub fn after_sign(name: &str) -> Option<usize> {
    after_break(name, |c| is_sign(c) && !is_mark(c))
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

/// After the last such character that is followed by a host.
fn after_break(name: &str, breaks: impl Fn(char) -> bool) -> Option<usize> {
    if name.is_ascii() {
        return None;
    }
    let dot = name.rfind(is_dot)?;
    let (at, last) = name.get(..dot)?.char_indices().rev().find(|(_, c)| breaks(*c))?;
    host_after(name, at + last.len_utf8()).filter(|_| !is_of_acronym(name, at))
}

/// Whether the sign at this place is that of an acronym of Hebrew, which stands in front of its last letter (`צה״ל.com`).
fn is_of_acronym(name: &str, at: usize) -> bool {
    let (before, after) = name.split_at_checked(at).unwrap_or_default();
    let behind = after.strip_prefix(['׳', '״']);
    behind.is_some_and(|behind| before.ends_with(is_hebrew) && behind.starts_with(is_hebrew))
}

fn is_hebrew(c: char) -> bool {
    matches!(c, 'א'..='ת')
}

/// Where a host begins after this place, which is not 0, if one follows.
fn host_after(name: &str, place: usize) -> Option<usize> {
    let rest = name.get(place..).filter(|_| place > 0)?;
    let host = rest.trim_start_matches(is_edge);
    (host.contains(is_dot) && host.starts_with(is_alphanumeric)).then_some(name.len() - host.len())
}

/// Whether a mark of its own script precedes the place and a letter without case follows: no reader
/// takes `า.com` of `สินค้า.com` for a host, and letters of such scripts look like no Latin ones.
fn is_in_syllable(name: &str, at: usize) -> bool {
    let (before, after) = name.split_at_checked(at).unwrap_or_default();
    let (Some(mark), Some(letter)) = (before.chars().next_back(), after.chars().next()) else {
        return false;
    };
    let has_case = || letter.is_lowercase() || letter.is_uppercase();
    is_mark(mark) && mark.script() == letter.script() && !has_case()
}

/// After the last dot that no host can have there (`foo-.`, `①.`), if a host follows.
fn after_odd_dot(name: &str, odd: fn(char) -> bool) -> Option<usize> {
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

/// Neither a dot, a letter or a decimal digit, nor part of one.
fn is_odd(c: char) -> bool {
    if c.is_ascii() {
        return !c.is_ascii_alphanumeric() && c != '.';
    }
    let letter = is_letter(c) || numeral_zero(c).is_some() || belongs_to_letter(c);
    !letter && !is_dot(c)
}

/// The last label that is `www`, if it is not the first.
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

/// Marks, joiners and other characters that are no letter alone.
fn belongs_to_letter(c: char) -> bool {
    !c.is_ascii() && (Class::of(c).is_ignored() || is_joiner(c) || is_mark(c))
}

/// Digits and numbers of other scripts: `½`, `٣`.
fn is_numeral(c: char) -> bool {
    !c.is_ascii() && c.is_numeric()
}

fn after_unspaced(label: &str) -> Option<usize> {
    let (at, last) = label.char_indices().rev().find(|(_, c)| is_unspaced(*c))?;
    let rest = label.get(at + last.len_utf8()..)?;
    let start = label.len() - rest.trim_start_matches(is_edge).len();
    rest.contains(is_alphanumeric).then_some(start)
}

fn ascii_tail(label: &str) -> Option<usize> {
    let tail = label.bytes().rev().take_while(u8::is_ascii).count();
    let (before, tail) = label.split_at_checked(label.len() - tail)?;
    let start = label.len() - tail.trim_start_matches(is_edge).len();
    (start < label.len() && start > 0 && !continues_word(before)).then_some(start)
}

/// Whether an ASCII letter continues the word before it: Latin letters and their marks, and signs
/// inside Latin words (Catalan `l·l`, the ʻokina). Invisible characters are skipped.
pub fn continues_word(before: &str) -> bool {
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

/// The longest runs of letters of one script beyond ASCII, as byte ranges.
pub fn foreign_words(text: &str) -> impl Iterator<Item = Range<usize>> + '_ {
    let mut chars = text.char_indices().peekable();
    core::iter::from_fn(move || {
        let (start, first) = chars.find(|(_, c)| !c.is_ascii() && is_letter(*c))?;
        let mut end = start + first.len_utf8();
        while let Some((at, c)) = chars.next_if(|(_, c)| continues_script(first.script(), *c)) {
            end = at + c.len_utf8();
        }
        Some(start..end)
    })
}

fn continues_script(script: Script, c: char) -> bool {
    !c.is_ascii() && (c.script() == script || c.script() == Script::Inherited)
}

/// Letters of scripts that write words without spaces; none looks Latin.
pub fn is_unspaced(c: char) -> bool {
    is_unspaced_with(c, Traits::of(c))
}

/// The first such letter, ก.
const FIRST_UNSPACED: char = '\u{e01}';

/// The same for a character with these properties.
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

/// Whether a settled letter is a number: none is before the golden numbers of runes, and none that
/// is allowed in a top-level domain.
fn is_settled_number(c: char) -> bool {
    c >= '\u{16ee}' && !Class::of(c).is_tld() && is_numeral(c)
}

/// Emoji, arrows, signs: host characters that are part of no word. Joiners and marks are part of
/// one.
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
        assert_eq!(all("צה״ל.com"), ["צה״ל.com"]);
        assert_eq!(all("״חב.com"), ["״חב.com", "חב.com"]);
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
            let after = belongs_to_letter(c) || is_numeral(c);
            assert_eq!(is_mark(c) || is_settled_number(c), after, "{c}");
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
