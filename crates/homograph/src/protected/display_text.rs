//! The words of a text that is no host, as they read: `𝗣𝗮𝘆𝗣𝗮𝗹`, `TrustWallet`, `Amazonカスタマー`.

use unicode_normalization::UnicodeNormalization as _;
use unicode_script::Script;

use super::name::DISTINCTIVE;
use super::organisations::Organisations;
use crate::characters::lookalike::{Look, LookHash};
use crate::characters::looks::{LookHashes, extend_looks};
use crate::characters::properties::nfkc;
use crate::characters::reading::{LabelChar, reads_as};
use crate::english::is_any_word;
use uts58::unicode::hosts::is_invisible;
use uts58::unicode::{Class, ScriptOf as _, is_alphanumeric};

/// Pairs of letters that read as one in a name that readers know, and nowhere else.
const PAIRS: [([char; 2], char); 2] = [(['c', 'l'], 'd'), (['n', 'n'], 'm')];

/// Letters of an office word that is joined to another word: shorter ones end words by chance.
const SHORTEST_JOINED: usize = 5;

/// The suffix that is joined to a name, and letters of the shortest one that it is read behind.
const COM: &str = "com";
const SHORTEST_BEFORE_COM: usize = 6;

/// Letters of the longest office words.
const LONGEST_OFFICE_WORD: usize = 14;

/// A letter that reads as an l and as an i: the Cyrillic palochka.
pub(crate) const L_OR_I: char = 'ӏ';

/// Says where a long word may be divided.
pub(crate) const SOFT_HYPHEN: char = '\u{ad}';

/// Characters of a display name that are read: readers see less.
pub const SHOWN: usize = 256;

/// Blanks and signs in a row between words that people write.
const NEAR: usize = 12;

/// The letters and digits of a text, and where its words are.
#[derive(Default)]
pub(crate) struct DisplayText {
    pub letters: Vec<char>,
    /// Where words begin, and the end of the last one.
    pub bounds: Vec<usize>,
    /// Those of them that begin the text or follow a character that is no letter.
    gaps: Vec<usize>,
    /// Those that part an office word from another.
    joints: Vec<usize>,
    /// The letters inside words that an invisible character stands before, and that.
    parted: Vec<(usize, char)>,
    /// The letters that a blank which nobody types stands before.
    spaced: Vec<usize>,
    /// The letters that a sign stands before which parts what is said from the rest: `Ann (Example)`.
    signs: Vec<usize>,
    /// The first letter behind a row of more than [`NEAR`] blanks and signs, which most programs do not show.
    pub far: Option<usize>,
    /// The letters that were a pair. If there are any, only names with one of them count.
    pairs: Vec<usize>,
}

/// Whether a blank is one of typesetting, that no key makes.
fn is_untyped_blank(c: char) -> bool {
    matches!(c, '\u{2000}'..='\u{200a}' | '\u{202f}' | '\u{205f}' | '\u{3000}')
}

/// Whether a mark is none of a language, but a line through letters, under or over them, or a frame around them.
fn decorates(mark: char) -> bool {
    matches!(mark, '\u{305}' | '\u{332}'..='\u{338}' | '\u{33f}' | '\u{20d2}' | '\u{20d3}')
        || matches!(mark, '\u{20d8}'..='\u{20da}' | '\u{20dd}'..='\u{20e0}' | '\u{20e2}'..='\u{20eb}')
}

/// What stands between two letters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Between {
    #[default]
    Nothing,
    Blank,
    /// By itself it joins two words.
    Hyphen,
    Sign,
}

impl Between {
    /// With one more character that is no letter.
    fn and(self, c: char) -> Between {
        match (self, c) {
            (Between::Hyphen, _) => Between::Sign,
            // `Dr. Ann`, `Ann's`.
            (Between::Nothing, '.' | '\'' | '’' | '®' | '™') => Between::Blank,
            (Between::Nothing, '-' | '_' | '‐') => Between::Hyphen,
            (Between::Nothing | Between::Blank, c) if c.is_whitespace() => Between::Blank,
            _ => Between::Sign,
        }
    }
}

/// What stands in front of the next letter.
#[derive(Default)]
struct Cursor {
    /// The sign right before, if it is seen as a letter.
    before: Option<char>,
    /// A sign inside a word that is not seen, or is seen on a letter.
    parted: Option<char>,
    /// Whether the last sign is a blank that nobody types.
    spaced: bool,
    between: Between,
    /// Signs since the last letter.
    row: usize,
}

impl Cursor {
    /// Passes a sign that is no letter.
    fn pass(&mut self, c: char) {
        (self.before, self.parted, self.spaced) = (None, None, is_untyped_blank(c));
        self.between = self.between.and(c);
        self.row += 1;
    }
}

/// Words of most names, plus the end of the last one.
const USUAL_WORDS: usize = 8;

impl DisplayText {
    pub(crate) fn read(text: &str) -> DisplayText {
        let capacity = text.len().min(SHOWN);
        let mut shown = DisplayText {
            letters: Vec::with_capacity(capacity),
            bounds: Vec::with_capacity(USUAL_WORDS),
            gaps: Vec::with_capacity(USUAL_WORDS),
            ..DisplayText::default()
        };
        let mut cursor = Cursor::default();
        let mut seen = composed(text).peekable();
        let mut visible = 0;
        while let Some(c) = seen.next() {
            if is_unseen(c) {
                cursor.parted = cursor.parted.filter(|sign| *sign != SOFT_HYPHEN).or(Some(c));
                continue;
            }
            let before = cursor.before;
            // Of a row of blanks and signs, however long, one counts.
            visible += usize::from(before.is_some() || is_letter(c));
            if visible > SHOWN {
                break;
            }
            let mut beside = || [before, seen.peek().copied()].into_iter().flatten();
            let twin = if c.is_ascii() { None } else { kana_twin(c) };
            let c = twin.filter(|_| beside().any(is_katakana)).unwrap_or(c);
            if !c.is_ascii() && uts58::unicode::hosts::is_mark(c) {
                cursor.parted = cursor.parted.or(decorates(c).then_some(c));
            } else if is_letter(c) {
                shown.add(c, c, &mut cursor);
            // `PayPa|` and `|inkedIn`, and `News | Apple`.
            } else if c == '|' && beside().any(|c| c.is_ascii_alphabetic()) {
                shown.add(c, 'l', &mut cursor);
            } else {
                cursor.pass(c);
            }
        }
        shown.bounds.push(shown.letters.len());
        shown
    }

    /// Adds a sign that is seen as a letter.
    fn add(&mut self, c: char, letter: char, cursor: &mut Cursor) {
        let between = std::mem::take(cursor);
        let at = self.letters.len();
        if between.row > NEAR && at > 0 {
            self.far.get_or_insert(at);
        }
        match between.before {
            None => {
                self.gaps.push(at);
                self.begin_word(at);
            }
            Some(last) => {
                let is_stroke = c == '|' || last == '|';
                if is_stroke || begins_word(last, c) || begins_number(&self.letters, c) {
                    self.begin_word(at);
                } else if c.is_lowercase() && ends_with_capitals(&self.letters) {
                    // `DHLExpress`, `N26Support`: the last capital begins the word.
                    self.begin_word(at - 1);
                }
                self.parted.extend(between.parted.map(|c| (at, c)));
            }
        }
        self.spaced.extend(between.spaced.then_some(at));
        self.signs.extend((between.between == Between::Sign).then_some(at));
        self.letters.push(letter);
        cursor.before = Some(c);
    }

    fn begin_word(&mut self, at: usize) {
        if self.bounds.last() != Some(&at) {
            self.bounds.push(at);
        }
    }

    /// Parts office words from words that they are joined to: `三井住友銀行株式会社`,
    /// `amazonservice`.
    pub(crate) fn part_office_words(&mut self, table: &Organisations) {
        let words = self.bounds.iter().copied().zip(self.bounds.iter().copied().skip(1));
        let mut found = Vec::new();
        let small = InLowerCase::of(&self.letters);
        for (start, mut end) in words {
            let cased = self.letters.get(start).is_some_and(|c| is_cased(*c));
            let lengths =
                if cased { SHORTEST_JOINED..=LONGEST_OFFICE_WORD } else { 1..=LONGEST_OFFICE_WORD };
            let is_office = |from: usize, to: usize| table.is_office_word(small.word(from, to));
            // `PayPalcom`.
            let written = self.gaps.iter().copied().rfind(|gap| *gap <= start).unwrap_or(start);
            let com = end.checked_sub(COM.len()).filter(|from| {
                let long = *from > start && *from >= written + SHORTEST_BEFORE_COM;
                long && cased && small.word(*from, end) == COM
            });
            if let Some(from) = com {
                found.push(from);
                end = from;
            }
            // The longest first: `カスタマーサポート`.
            let last = |end: usize| {
                let mut starts = lengths.clone().rev().filter_map(|length| end.checked_sub(length));
                starts.find(|from| *from > start && is_office(*from, end))
            };
            while let Some(from) = last(end) {
                found.push(from);
                end = from;
            }
            let mut first = lengths.clone().rev().map(|length| start + length);
            found.extend(first.find(|to| !cased && *to < end && is_office(start, *to)));
        }
        self.bounds.extend(&found);
        self.bounds.sort_unstable();
        self.bounds.dedup();
        self.joints = found;
    }

    /// The text with each of [`PAIRS`] read as one letter, if it has any.
    pub(crate) fn with_pairs_joined(&self) -> Option<DisplayText> {
        let is_pair = |pair: &[char]| {
            PAIRS.iter().find(|([first, second], _)| {
                matches!(pair, [one, two] if one.eq_ignore_ascii_case(first) && two == second)
            })
        };
        self.letters.windows(2).any(|pair| is_pair(pair).is_some()).then_some(())?;
        let mut joined = DisplayText {
            letters: Vec::with_capacity(self.letters.len()),
            bounds: Vec::with_capacity(self.bounds.len()),
            ..DisplayText::default()
        };
        let mut at = 0;
        while let Some(c) = self.letters.get(at) {
            if self.bounds.contains(&at) {
                joined.begin_word(joined.letters.len());
            }
            if self.far == Some(at) {
                joined.far = Some(joined.letters.len());
            }
            let pair = self.letters.get(at..at + 2).and_then(is_pair);
            if pair.is_some() {
                joined.pairs.push(joined.letters.len());
            }
            joined.letters.push(pair.map_or(*c, |(_, one)| *one));
            at += if pair.is_some() { 2 } else { 1 };
        }
        joined.bounds.push(joined.letters.len());
        Some(joined)
    }

    /// Whether a name between these letters, with this look, counts where pairs were read as one
    /// letter.
    pub(crate) fn needs_pairs(&self, start: usize, end: usize, look: &Look) -> bool {
        self.pairs.is_empty()
            || look.len() >= DISTINCTIVE && self.pairs.iter().any(|at| (start..end).contains(at))
    }

    /// The invisible characters inside these letters.
    pub(crate) fn parted(&self, start: usize, end: usize) -> impl Iterator<Item = char> {
        let inside = self.parted.iter().filter(move |(at, _)| *at > start && *at < end);
        inside.map(|(_, c)| *c)
    }

    /// Whether a blank that nobody types stands before each of these letters but the first: `P a y P a l`.
    pub(crate) fn is_spaced(&self, start: usize, end: usize) -> bool {
        let first = self.spaced.partition_point(|at| *at <= start);
        let inside = self.spaced.iter().skip(first).take_while(|at| **at < end);
        end - start > 1 && inside.count() == end - start - 1
    }

    pub(crate) fn starts(&self) -> impl Iterator<Item = usize> {
        let words = self.bounds.len().saturating_sub(1);
        self.bounds.iter().copied().take(words)
    }

    /// Whether a sign stands before this letter, other than one that joins two words: `Ann (Example)`, not `Ann-Lena`.
    pub(crate) fn follows_sign(&self, at: usize) -> bool {
        self.signs.binary_search(&at).is_ok()
    }

    /// Where words begin that are separated from the one before.
    pub(crate) fn gaps(&self) -> impl Iterator<Item = usize> {
        self.gaps.iter().copied()
    }

    /// Whether a word between these letters is joined to one of an office: `Kranken|kasse`.
    pub(crate) fn is_joined(&self, start: usize, end: usize) -> bool {
        self.joints.iter().any(|joint| *joint == start || *joint == end)
    }

    /// The ends of words after this start, each with the looks of the letters up to it that begin
    /// some name.
    pub(crate) fn spans<'s>(
        &'s self,
        start: usize,
        begins: impl Fn(LookHash) -> bool + 's,
    ) -> impl Iterator<Item = (usize, Vec<u64>)> + 's {
        let mut hashes = LookHashes::new();
        hashes.push(LookHash::EMPTY);
        let letters = self.letters.iter().enumerate().skip(start);
        letters
            .map_while(move |(at, c)| {
                match u8::try_from(*c).ok().filter(u8::is_ascii) {
                    Some(byte) => hashes.retain_mut(|hash| {
                        hash.ascii(byte);
                        begins(*hash)
                    }),
                    None => {
                        let mut next = LookHashes::new();
                        extend_looks(&hashes, &seen_as(*c), &begins, &mut next);
                        // `Г` has readings of its own, and names are read in small letters.
                        let small = c.to_lowercase().next().unwrap_or(*c);
                        if small != *c {
                            let mut others = LookHashes::new();
                            extend_looks(&hashes, &seen_as(small), &begins, &mut others);
                            others.retain(|look| !next.contains(look));
                            next.extend(others);
                        }
                        hashes = next;
                    }
                }
                let end = at + 1;
                let looks = || hashes.iter().map(|hash| hash.value()).collect();
                let ends = self.bounds.contains(&end);
                (!hashes.is_empty()).then(|| ends.then(|| (end, looks())))
            })
            .flatten()
    }

    /// Whether these letters are several English words with gaps between them: `Open Sea`.
    pub(crate) fn are_words(&self, start: usize, end: usize) -> bool {
        let mut from = start;
        let inner = self.gaps.iter().copied().filter(|gap| (start + 1..end).contains(gap));
        let is_word = |from: usize, to: usize| is_common_word(&self.plain(from, to));
        let words = inner.map(|gap| is_word(std::mem::replace(&mut from, gap), gap));
        let words: Vec<bool> = words.collect();
        !words.is_empty() && words.into_iter().all(|is_word| is_word) && is_word(from, end)
    }

    /// Whether letters that began in an earlier word end inside of an English word: `Bank Inter|national`.
    pub(crate) fn divide_word(&self, start: usize, end: usize) -> bool {
        let word = self.gaps.iter().copied().rfind(|gap| *gap < end).unwrap_or(start);
        let next = self.gaps.iter().copied().find(|gap| *gap >= end);
        let word_end = next.unwrap_or(self.letters.len());
        word > start && word_end > end && is_any_word(&self.plain(word, word_end))
    }

    /// The letters in this range as they read, in lower case.
    pub(crate) fn plain(&self, start: usize, end: usize) -> String {
        plain_letters(self.letters.get(start..end).unwrap_or_default().iter().copied())
    }
}

/// Words of up to three letters that stand beside others.
const SHORT_WORDS: [&str; 8] = ["at", "box", "in", "of", "on", "sea", "the", "to"];

fn is_common_word(word: &str) -> bool {
    SHORT_WORDS.contains(&word) || is_any_word(word)
}

/// Whether a word begins with a letter after this one, though nothing stands between them:
/// `TrustWallet`, `Amazonカスタマー`. Letters of scripts that have capitals are written with
/// spaces, and those of one are used in words of another.
fn begins_word(before: char, c: char) -> bool {
    /// Letters of one script, or of the scripts that have capitals.
    fn writing(c: char) -> Option<Script> {
        let script = match c.script() {
            _ if is_cased(c) => Script::Latin,
            // `お知らせ` is a word.
            Script::Hiragana => Script::Han,
            script => script,
        };
        (!matches!(script, Script::Common | Script::Inherited)).then_some(script)
    }
    if before.is_ascii_alphanumeric() && c.is_ascii_alphanumeric() {
        return before.is_ascii_lowercase() && c.is_ascii_uppercase();
    }
    let scripts = || Some((writing(before)?, writing(c)?));
    before.is_lowercase() && c.is_uppercase() || scripts().is_some_and(|(one, other)| one != other)
}

/// Whether a number begins with this digit, as in `PayPal24`. In `N26` it is a part of the name.
fn begins_number(before: &[char], c: char) -> bool {
    matches!(before, [.., first, last] if first.is_alphabetic() && last.is_alphabetic())
        && c.is_ascii_digit()
}

/// Letters that have capitals, and digits.
fn is_cased(c: char) -> bool {
    c.is_lowercase() || c.is_uppercase() || c.is_ascii_digit()
}

/// Whether the text ends with a capital after another, or after a digit.
fn ends_with_capitals(letters: &[char]) -> bool {
    let before = |c: char| c.is_uppercase() || c.is_ascii_digit();
    matches!(letters, [.., first, last] if last.is_uppercase() && before(*first))
}

/// Letters in lower case, as they are spelled.
pub(crate) fn in_lower_case(letters: &[char]) -> String {
    letters.iter().flat_map(|c| c.to_lowercase()).collect()
}

/// Letters in lower case, as they are spelled, and where each begins: words in them overlap.
struct InLowerCase {
    text: String,
    starts: Vec<usize>,
}

impl InLowerCase {
    fn of(letters: &[char]) -> InLowerCase {
        let mut small = InLowerCase {
            text: String::with_capacity(letters.len()),
            starts: Vec::with_capacity(letters.len() + 1),
        };
        for c in letters {
            small.starts.push(small.text.len());
            match c.is_ascii() {
                true => small.text.push(c.to_ascii_lowercase()),
                false => small.text.extend(c.to_lowercase()),
            }
        }
        small.starts.push(small.text.len());
        small
    }

    /// The letters from one to another.
    fn word(&self, from: usize, to: usize) -> &str {
        let ends = self.starts.get(from).zip(self.starts.get(to));
        ends.and_then(|(start, end)| self.text.get(*start..*end)).unwrap_or_default()
    }
}

/// A letter as it is seen: a styled one that the table does not read as its plain letter (it has
/// none for Ⓟ, and `rn` for 𝗺) is that letter.
pub(crate) fn seen_as(c: char) -> LabelChar {
    let letter = LabelChar::of(c);
    match plain_letter(c).map(|plain| plain.to_ascii_lowercase()) {
        Some(plain) if !letter.reads_as(plain) || is_small_capital(c) => LabelChar::of(plain),
        _ => letter,
    }
}

/// The ASCII letter of a styled one (`𝗣`, `Ⓟ`).
pub(super) fn unstyled(c: char) -> Option<char> {
    let mut plain = nfkc(c);
    let first = plain.next().filter(|plain| plain.is_ascii_alphabetic() && !c.is_ascii());
    first.filter(|_| plain.next().is_none())
}

const SMALL_CAPITALS: &str = "ᴀʙᴄᴅᴇꜰɢʜɪᴊᴋʟᴍɴᴏᴘꞯʀꜱᴛᴜᴠᴡ\0ʏᴢ";

pub(super) fn is_small_capital(c: char) -> bool {
    c != '\0' && SMALL_CAPITALS.contains(c)
}

/// The ASCII letter of a styled one (`𝗣`, `Ⓟ`, `ᴾ`), also for styles that Unicode maps to no letter: small capitals,
/// white letters on black, letters in brackets, outlined ones.
pub fn plain_letter(c: char) -> Option<char> {
    let at = match c {
        '\u{1f150}'..='\u{1f169}' => Some(u32::from(c) - 0x1f150),
        '\u{1f170}'..='\u{1f189}' => Some(u32::from(c) - 0x1f170),
        '\u{249c}'..='\u{24b5}' => Some(u32::from(c) - 0x249c),
        '\u{1ccd6}'..='\u{1ccef}' => Some(u32::from(c) - 0x1ccd6),
        '\u{250}'..='\u{2af}' | '\u{1d00}'..='\u{1d22}' | '\u{a730}'..='\u{a7af}' => {
            let at = SMALL_CAPITALS.chars().position(|small| small == c);
            at.and_then(|at| u32::try_from(at).ok())
        }
        _ => None,
    };
    at.and_then(|at| char::from_u32(u32::from('A') + at)).or_else(|| unstyled(c))
}

/// Whether the character looks like a full stop, by confusables.txt, and is none in a host.
#[rustfmt::skip]
pub fn reads_as_dot(c: char) -> bool {
    matches!(
        c,
        // U+2E33 is a raised dot among Latin letters.
        '\u{701}' | '\u{702}' | '\u{2024}' | '\u{2e33}' | '\u{a4f8}' | '\u{a60e}' | '\u{abec}' | '\u{fe52}'
            | '\u{ff0e}' | '\u{10a50}' | '\u{1d16d}'
    )
}

/// Whether the character looks like a hyphen, by confusables.txt: a dash or a minus of any length, or
/// a low line. No letter does, as the stroke of Japanese would.
#[rustfmt::skip]
pub fn reads_as_hyphen(c: char) -> bool {
    matches!(
        c,
        '\u{2d7}' | '\u{6d4}' | '\u{1bf3}' | '\u{2010}'..='\u{2015}' | '\u{2043}' | '\u{2212}' | '\u{2500}'
            | '\u{2501}' | '\u{2796}' | '\u{2f00}' | '\u{31d0}' | '\u{fe4d}'..='\u{fe4f}' | '\u{fe58}'
            | '\u{fe63}' | '\u{ff0d}' | '\u{ff3f}' | '\u{10191}' | '\u{1104b}'
    )
}

/// The characters of a text in the width in which names are written (`Ｐ`, `ﾏ`), with marks and the
/// letters of Hangul composed. Nothing composes ASCII but what follows its last letter.
fn composed(text: &str) -> impl Iterator<Item = char> {
    let ascii = text.bytes().take_while(u8::is_ascii).count();
    let last = if ascii < text.len() { 1 } else { 0 };
    let (plain, rest) = text.split_at_checked(ascii.saturating_sub(last)).unwrap_or(("", text));
    plain.chars().chain(rest.chars().map(to_usual_width).nfc())
}

/// Whether a reader sees nothing of the character, and no gap.
fn is_unseen(c: char) -> bool {
    let is_control = c.is_control() && !c.is_whitespace();
    is_control || !c.is_ascii() && (Class::of(c).is_ignored() || is_invisible(c))
}

/// A letter of East Asian text in its usual width.
fn to_usual_width(c: char) -> char {
    match c {
        '\u{ff01}'..='\u{ff5e}' | '\u{ff66}'..='\u{ff9f}' => nfkc(c).next().unwrap_or(c),
        _ => c,
    }
}

/// The Katakana letter that looks like this Chinese character.
fn kana_twin(c: char) -> Option<char> {
    let twins = [
        ('力', 'カ'),
        ('口', 'ロ'),
        ('二', 'ニ'),
        ('工', 'エ'),
        ('夕', 'タ'),
        ('卜', 'ト'),
        ('八', 'ハ'),
        ('一', 'ー'),
        ('千', 'チ'),
    ];
    twins.into_iter().find_map(|(one, kana)| (one == c).then_some(kana))
}

fn is_katakana(c: char) -> bool {
    c == 'ー' || c.script() == Script::Katakana
}

/// Letters as they read, in lower case.
pub(crate) fn plain_letters(letters: impl Iterator<Item = char>) -> String {
    let mut out = String::with_capacity(letters.size_hint().0);
    for c in letters {
        if c.is_ascii() {
            out.push(c.to_ascii_lowercase());
            continue;
        }
        match reads_as(c) {
            Some(text) => out.push_str(text),
            None => out.extend(c.to_lowercase()),
        }
    }
    out
}

/// Letters and digits in any style, without trademark signs.
pub(crate) fn is_letter(c: char) -> bool {
    let sign = matches!(c, '™' | '℠' | '®' | '©' | '℗');
    let letter = |c| reads_as(c).is_some() || plain_letter(c).is_some();
    is_alphanumeric(c) || !c.is_ascii() && !sign && letter(c)
}
