//! Describes a judgement in words: which label, which characters, what they read as.

mod differs;

pub use differs::difference;

use unicode_script::Script;
use uts58::unicode::ScriptOf as _;

use crate::characters::letters;
use crate::characters::properties::{is_canonical, nfkc};
use crate::characters::reading::digit_of;
use crate::spelling::status::is_restricted;
use crate::verdict::{Reason, Reasons, Verdict};
use crate::{Judgement, Label, LinkJudgement, reads_as};
use uts58::unicode::hosts::{is_bidi_control, is_mark};
use uts58::unicode::{Class, is_letter};

/// Characters of one label that are explained at most; the rest are of the same kind.
pub const CHARACTERS: usize = 12;

/// One conspicuous character of a label.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Character {
    /// As spelled, not normalised.
    pub character: char,
    /// Its Unicode name; empty when it has none, or without the feature `character-names`.
    pub name: String,
    /// Its script, by its long name.
    pub script: &'static str,
    /// Languages whose alphabet has it, in ASCII: those of most top-level domains first, in scripts
    /// other than Latin and Cyrillic those of most speakers. `None` for ideographs, for ASCII, and
    /// where nothing is known. For scripts other than Latin and Cyrillic this needs the feature
    /// `character-names`.
    pub languages: Option<Vec<&'static str>>,
    /// What it reads as: lower-case ASCII.
    pub reads_as: Option<String>,
}

/// The characters of a label that a reader should know about, each once, in order. Usually all
/// beyond ASCII: as spelled and, where the spelling is Punycode, as they would be shown. If the
/// only reason is that some characters should not be in a name: those. If each word has one script
/// of its own (`1c-бухгалтерия`): none. If a few letters of ASCII are among others: those
/// (`сбербaнк`).
pub fn characters(label: &Label) -> Vec<Character> {
    let all = || label.spelling.chars().chain(label.unicode.chars());
    let few = Reasons::from_iter([Reason::StatusRestricted, Reason::InvisibleRemoved]);
    let apart = label.reasons.contains(Reason::MixedScript)
        && label.unicode.chars().any(|c| own_script(c).is_some())
        && !mixes_in_a_word(&label.unicode);
    let plain = |reason| few.contains(reason) || apart && reason == Reason::MixedScript;
    if !label.reasons.is_empty() && label.reasons.iter().all(plain) {
        let odd = all().filter(|c| is_restricted(*c) || Class::of(*c).is_ignored());
        let found = characters_of(odd, CHARACTERS);
        if apart || !found.is_empty() {
            return found;
        }
    }
    let mut found = match few_of_ascii(label) {
        few if few.is_empty() => characters_of(all(), CHARACTERS),
        few => few.into_iter().map(Character::of).collect(),
    };
    // Then it counts that they read as digits too (`δ8`), though they are more like letters.
    let is_number = cfg!(feature = "senders")
        && label.reasons.contains(Reason::DigitLookalike)
        && !label.reasons.contains(Reason::TargetLookalike);
    for character in found.iter_mut().filter(|_| is_number) {
        if let Some(digit) = digit_of(character.character) {
            character.reads_as = Some(digit.to_owned());
        }
    }
    found
}

/// The ASCII letters, each once, of a label that mixes scripts, resembles no name, and has mostly
/// letters of other scripts.
fn few_of_ascii(label: &Label) -> Vec<char> {
    let letters = || label.unicode.chars().filter(|c| is_letter(*c));
    let (ascii, others): (Vec<char>, Vec<char>) = letters().partition(char::is_ascii);
    let mixed = label.reasons.contains(Reason::MixedScript)
        && !label.reasons.contains(Reason::TargetLookalike);
    if !mixed || ascii.len() >= others.len() {
        return Vec::new();
    }
    once(ascii, CHARACTERS)
}

/// Each character once, in order, at most `most`.
fn once(text: impl IntoIterator<Item = char>, most: usize) -> Vec<char> {
    let mut found = Vec::new();
    for c in text {
        if found.len() < most && !found.contains(&c) {
            found.push(c);
        }
    }
    found
}

/// The script of a letter, if it belongs to one (UAX #24).
fn own_script(c: char) -> Option<Script> {
    Some(c.script()).filter(|script| !matches!(script, Script::Common | Script::Inherited))
}

/// Whether one word has letters of two scripts.
fn mixes_in_a_word(text: &str) -> bool {
    text.split(|c| !is_letter(c) && !is_mark(c)).any(|word| {
        let mut scripts = word.chars().filter_map(own_script);
        let first = scripts.next();
        scripts.any(|script| Some(script) != first)
    })
}

/// The characters beyond ASCII of a text, each once, in order, at most `most`.
pub fn characters_of(text: impl IntoIterator<Item = char>, most: usize) -> Vec<Character> {
    let foreign = text.into_iter().filter(|c| !c.is_ascii());
    once(foreign, most).into_iter().map(Character::of).collect()
}

impl Character {
    /// Looks up all properties of the character.
    pub fn of(c: char) -> Character {
        Character {
            character: c,
            name: name_of(c),
            script: c.script().full_name(),
            languages: match c.is_ascii() {
                true => None,
                false => letters::names(c.to_lowercase().next().unwrap_or(c)),
            },
            reads_as: reads_as(c).map(str::to_owned),
        }
    }

    /// Which languages use it, in words. Empty for styled letters, where nothing is known, and
    /// where the script has the name of its only language.
    fn of_languages(&self) -> String {
        let styled = !is_canonical(self.character);
        match self.languages.as_deref() {
            // The name of the letter has it already.
            Some([only]) if *only == self.script => String::new(),
            Some([only]) => format!(" ({only})"),
            Some([first, second]) => format!(" ({first} and {second})"),
            Some([first, second, rest @ ..]) => match rest.len() {
                1 => format!(" ({first}, {second} and 1 more language)"),
                more => format!(" ({first}, {second} and {more} more languages)"),
            },
            Some([]) if self.script == "Latin" && !styled => " (in no alphabet of CLDR)".to_owned(),
            _ => String::new(),
        }
    }

    /// One line of ASCII: `U+0455 CYRILLIC SMALL LETTER DZE (Macedonian) reads as Latin s`.
    pub fn words(&self) -> String {
        let c = self.character;
        let code = u32::from(c);
        let name = match self.name.as_str() {
            "" if cfg!(feature = "character-names") => "(no name)",
            "" => self.script,
            name => name,
        };
        let mut words = format!("U+{code:04X} {name}{}", self.of_languages());
        let plain: String = nfkc(c).collect();
        if is_bidi_control(c) {
            words.push_str(" turns the reading direction");
        } else if Class::of(c).is_ignored() {
            words.push_str(" is not seen");
        } else if plain.is_ascii() && !c.is_ascii() {
            words.push_str(&format!(" is mapped to {plain}"));
        } else if let Some(text) = &self.reads_as {
            let kind = if text.bytes().all(|b| b.is_ascii_digit()) { "digit" } else { "Latin" };
            words.push_str(&format!(" reads as {kind} {text}"));
        } else if own_script(c).is_some()
            && !name.to_lowercase().contains(&self.script.to_lowercase().replace('_', " "))
        {
            words.push_str(&format!(" ({})", self.script));
        }
        words
    }
}

#[cfg(feature = "character-names")]
fn name_of(c: char) -> String {
    unicode_names2::name(c).map(|name| name.to_string()).unwrap_or_default()
}

#[cfg(not(feature = "character-names"))]
fn name_of(_: char) -> String {
    String::new()
}

/// Describes the judgement of a link, one line each: hosts, their labels, characters.
pub fn link(judgement: &LinkJudgement) -> Vec<String> {
    let mut lines = Vec::new();
    let of_hosts = judgement.hosts().fold(Reasons::EMPTY, |all, host| all.union(host.reasons));
    for reason in judgement.reasons.iter().filter(|reason| !of_hosts.contains(*reason)) {
        lines.push(format!("{} ({reason})", sentence(reason)));
    }
    if judgement.reasons.contains(Reason::Userinfo) {
        lines.push(format!("it leads to {} all the same", judgement.ascii()));
    }
    if let Some(lead) = &judgement.host {
        lines.extend(host(lead));
    }
    for inner in judgement.inner.iter().filter(|inner| inner.verdict > Verdict::Ok) {
        lines.push(format!("also holds {}:", inner.ascii));
        lines.extend(host(inner).into_iter().map(|line| format!("  {line}")));
    }
    lines
}

/// Describes the judgement of a host, one line each.
pub fn host(judgement: &Judgement) -> Vec<String> {
    let mut lines = Vec::new();
    if judgement.ascii != judgement.unicode {
        lines.push(format!("{} is {} in the DNS", judgement.unicode, judgement.ascii));
    }
    if judgement.reasons.contains(Reason::NumericHost) {
        lines.push(format!("browsers go to the address {}", judgement.ascii));
    }
    if let Some(target) = &judgement.target {
        lines.push(match judgement.reasons.contains(Reason::NameInHost) {
            true => format!("{target} stands in it, which it is not of"),
            false => {
                let how = difference(&judgement.unicode, target).map(|how| format!(": {how}"));
                format!("it reads as {target}, which it is not{}", how.unwrap_or_default())
            }
        });
    }
    let of_labels = judgement.labels.iter().fold(Reasons::EMPTY, |all, l| all.union(l.reasons));
    for reason in judgement.reasons.iter().filter(|reason| !of_labels.contains(*reason)) {
        lines.push(format!("{} ({reason})", sentence(reason)));
    }
    for found in judgement.labels.iter().filter(|label| !label.reasons.is_empty()) {
        lines.extend(label(found));
    }
    lines
}

fn label(found: &Label) -> Vec<String> {
    let mut lines: Vec<String> = found
        .reasons
        .iter()
        .map(|reason| format!("label {}: {} ({reason})", found.unicode, of_label(reason, found)))
        .collect();
    lines.extend(characters(found).iter().map(|character| format!("  {}", character.words())));
    lines
}

/// A reason in words, with details of the label.
fn of_label(reason: Reason, label: &Label) -> String {
    match reason {
        Reason::TldLetter => return of_letters(label),
        Reason::MixedScript => {}
        _ => return sentence(reason).to_owned(),
    }
    let mut scripts: Vec<(&str, String)> = Vec::new();
    for c in label.unicode.chars() {
        let Some(script) = own_script(c) else { continue };
        let name = script.full_name();
        match scripts.iter_mut().find(|(found, _)| *found == name) {
            Some((_, letters)) if letters.contains(c) => {}
            Some((_, letters)) => letters.push(c),
            None => scripts.push((name, c.to_string())),
        }
    }
    let described = |(name, letters): &(&str, String)| match letters.chars().nth(CHARACTERS) {
        Some(_) => format!("{name} ({}…)", letters.chars().take(CHARACTERS).collect::<String>()),
        None => format!("{name} ({letters})"),
    };
    let described: Vec<String> = scripts.iter().map(described).collect();
    match described.split_last() {
        Some((last, rest)) if !rest.is_empty() => {
            format!("{} and {last} letters do not belong together", rest.join(", "))
        }
        _ => sentence(reason).to_owned(),
    }
}

/// Names the letters that no language of the top-level domain has, or not together.
fn of_letters(label: &Label) -> String {
    let letters = label.unicode.chars().filter(|c| !c.is_ascii() && is_letter(*c));
    let found: Vec<String> = once(letters, CHARACTERS).into_iter().map(String::from).collect();
    match found.split_last() {
        Some((last, [])) => {
            format!("no language under this top-level domain has the letter {last}")
        }
        Some((last, rest)) => {
            format!("no one language of this top-level domain has {} and {last}", rest.join(", "))
        }
        None => sentence(Reason::TldLetter).to_owned(),
    }
}

/// The words before the name that a host or sender imitates: `reads as paypal.com`.
pub fn in_front_of_target(reasons: Reasons) -> &'static str {
    if reasons.contains(Reason::TargetLookalike) {
        "reads as"
    } else if reasons.contains(Reason::DisplayNamePoses) {
        "poses as"
    } else if reasons.contains(Reason::NameInHost) {
        "has the name of"
    } else {
        "reads as"
    }
}

/// A reason as a sentence.
pub const fn sentence(reason: Reason) -> &'static str {
    match reason {
        Reason::IdnaInvalid => "it is no valid host name",
        Reason::BidiControl => "a character in it turns the reading direction",
        Reason::MixedScript => "its letters do not belong together",
        Reason::StatusRestricted => "it holds characters that identifiers should not hold",
        Reason::CompatForm => "it is written with styled or width forms of letters",
        Reason::NumberMix => "it mixes digits of two systems",
        Reason::MarkAbuse => "it has combining marks where none belong",
        Reason::SeparatorLookalike => "it holds characters that read as a separator",
        Reason::WholeScript => "all its letters read as Latin ones, and none is",
        Reason::TargetLookalike => "it is made to be taken for another name",
        Reason::DangerousScheme => "its scheme runs code, reads files or starts programs",
        Reason::Userinfo => "something stands before an at sign in front of the host",
        Reason::NameInHost => "a known name stands in it, and the host is not theirs",
        Reason::DigitLookalike => "its letters read as digits",
        Reason::TldLetter => "it has letters that no language under this top-level domain has",
        Reason::NumericHost => "it is an address written so that people do not see it",
        Reason::TextHrefMismatch => "the visible text is another host than the one it leads to",
        Reason::DisplayNameHost => "the sender's name is another host than that of the address",
        Reason::DisplayNamePoses => {
            "the sender's name says somebody else than the address belongs to"
        }
        Reason::TextLookalike => "its words are in letters that are not what they read as",
        Reason::AlternativeMismatch => "the other version of the message leads to other domains",
        Reason::HtmlObfuscated => "markup changes how the host reads",
        Reason::InvisibleRemoved => "it holds characters that are not seen",
        Reason::DotVariant => "its labels are separated by other dots than the full stop",
        Reason::EmbeddedUrl => "it holds another URL",
        Reason::ScriptPath => "its path or query mixes scripts",
        Reason::HyphenPrefix => "it begins in a way that is kept for encoded names, and is none",
        Reason::EncodedHost => "plain letters of the host are percent-encoded",
        Reason::AddressInvalid => "what stands before its at sign is no local part of an address",
        Reason::HiddenHost => "no usual reading of the message shows it, and some program may",
        Reason::AmbiguousStructure => {
            "programs split the message around it in different ways, and may show another one"
        }
        Reason::Listed => "a block list names it",
        Reason::TldSyntax => "it does not end like a top-level domain",
        Reason::TldUnknown => "there is no such top-level domain",
        Reason::TldUnverified => "the DNS did not confirm the top-level domain",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(feature = "character-names")]
    #[test]
    fn characters_in_words() {
        for (c, words) in [
            ('ѕ', "U+0455 CYRILLIC SMALL LETTER DZE (Macedonian) reads as Latin s"),
            (
                'а',
                "U+0430 CYRILLIC SMALL LETTER A (Russian, Serbian and 22 more languages) reads as Latin a",
            ),
            ('ß', "U+00DF LATIN SMALL LETTER SHARP S (German and Colognian) reads as Latin b"),
            ('ʀ', "U+0280 LATIN LETTER SMALL CAPITAL R (in no alphabet of CLDR) reads as Latin r"),
            ('ӏ', "U+04CF CYRILLIC SMALL LETTER PALOCHKA reads as Latin l"),
            (
                'Ł',
                "U+0141 LATIN CAPITAL LETTER L WITH STROKE (Polish, Inuktitut and 4 more languages) reads as Latin l",
            ),
            ('ο', "U+03BF GREEK SMALL LETTER OMICRON reads as Latin o"),
            ('𝗮', "U+1D5EE MATHEMATICAL SANS-SERIF BOLD SMALL A is mapped to a"),
            ('\u{200b}', "U+200B ZERO WIDTH SPACE is not seen"),
            ('٣', "U+0663 ARABIC-INDIC DIGIT THREE"),
            ('ټ', "U+067C ARABIC LETTER TEH WITH RING (Pashto)"),
            ('ॅ', "U+0945 DEVANAGARI VOWEL SIGN CANDRA E (Hindi, Marathi and 9 more languages)"),
            ('ײ', "U+05F2 HEBREW LIGATURE YIDDISH DOUBLE YOD (Yiddish) reads as Latin ii"),
            (
                'é',
                "U+00E9 LATIN SMALL LETTER E WITH ACUTE (French, Spanish and 64 more languages) reads as Latin e",
            ),
        ] {
            assert_eq!(Character::of(c).words(), words);
        }
    }

    #[test]
    fn words_are_ascii() {
        for c in '\u{80}'..'\u{3000}' {
            let words = Character::of(c).words();
            assert!(words.is_ascii() || !nfkc(c).all(|c| c.is_ascii()), "{words}");
        }
    }

    #[cfg(feature = "character-names")]
    fn of_label(text: &str, reasons: &[Reason]) -> Vec<String> {
        let found = Label {
            spelling: text.to_owned(),
            unicode: text.to_owned(),
            reasons: reasons.iter().copied().collect(),
            ..Label::default()
        };
        label(&found)
    }

    #[cfg(feature = "character-names")]
    #[test]
    fn scripts_are_named_with_their_letters() {
        assert_eq!(
            of_label("1c-бухгалтерия", &[Reason::MixedScript]),
            [
                "label 1c-бухгалтерия: Latin (c) and Cyrillic (бухгалтерия) letters do not belong together \
                 (mixed-script)"
            ]
        );
        // The only letter of another script.
        let described = of_label("сбербaнк", &[Reason::MixedScript]);
        assert_eq!(described.get(1..).unwrap(), ["  U+0061 LATIN SMALL LETTER A"]);
        let described = of_label("fаcebook", &[Reason::MixedScript, Reason::TargetLookalike]);
        assert!(
            described.last().unwrap().starts_with("  U+0430 CYRILLIC SMALL LETTER A"),
            "{described:?}"
        );
    }

    #[cfg(feature = "character-names")]
    #[test]
    fn letters_of_a_number_read_as_digits() {
        let described = of_label("δ8", &[Reason::DigitLookalike]);
        assert_eq!(described.last().unwrap(), "  U+03B4 GREEK SMALL LETTER DELTA reads as digit 6");
        // In a name the letter that it is most like counts.
        let both = of_label("δ8", &[Reason::DigitLookalike, Reason::TargetLookalike]);
        assert_eq!(both.last().unwrap(), "  U+03B4 GREEK SMALL LETTER DELTA reads as Latin d");
    }
}
