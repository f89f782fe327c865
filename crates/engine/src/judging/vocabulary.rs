//! Words of languages in letters beyond ASCII that read as a protected name and mean something else: `monēta`, `pošten`,
//! `монета`. By hand. They are no lure in front of the next sentence (`postën.Ne`), nor as a host of their own country.

use super::Judge;
use super::judged::Judged;
use super::languages::{
    ALBANIAN, AZERBAIJANI, BULGARIAN, CATALAN, CZECH, DANISH, ESTONIAN, FRENCH, GENERIC, GERMAN,
    GREEK, HUNGARIAN, ICELANDIC, ITALIAN, LATVIAN, LITHUANIAN, Language, MONGOLIAN, NORWEGIAN,
    POLISH, PORTUGUESE, ROMANIAN, RUSSIAN, SERBO_CROATIAN, SLOVAK, SLOVENE, SPANISH, SWEDISH,
    TURKISH, UKRAINIAN,
};
use super::logins::has_only;
use crate::outcome::{Reason, Verdict};
use homograph::{Section, registrable};
use uts58::Kind;

/// Each word in small letters, with the languages that have it. In their countries it means itself; so does a name that is
/// written so there (`čsob`).
const WORDS: [(&str, &[Language]); 81] = [
    ("abdullazadə", &[AZERBAIJANI]),
    ("allégro", &[FRENCH]),
    ("almalı", &[AZERBAIJANI, TURKISH]),
    ("al·legro", &[CATALAN]),
    ("argentà", &[CATALAN]),
    ("argentàs", &[CATALAN]),
    ("bundið", &[ICELANDIC]),
    ("börger", &[GERMAN]),
    ("creían", &[SPANISH]),
    ("cèntrica", &[CATALAN]),
    ("céntrica", &[SPANISH]),
    ("cêntrica", &[PORTUGUESE]),
    ("domnívá", &[CZECH]),
    ("europą", &[LITHUANIAN, POLISH]),
    ("generáli", &[SLOVAK]),
    ("geschweißter", &[GERMAN]),
    ("guardà", &[ITALIAN]),
    ("guardá", &[PORTUGUESE]),
    ("gèmini", &[CATALAN]),
    ("humāna", &[LATVIAN]),
    ("internò", &[ITALIAN]),
    ("internó", &[SPANISH]),
    ("kašperský", &[CZECH, SLOVAK]),
    ("kroņos", &[LATVIAN]),
    ("kräken", &[SWEDISH]),
    ("kråken", &[NORWEGIAN, SWEDISH]),
    ("kråkene", &[NORWEGIAN]),
    ("liberó", &[SPANISH]),
    ("libéro", &[FRENCH]),
    ("líbero", &[PORTUGUESE, SPANISH]),
    ("monetă", &[ROMANIAN]),
    ("monetą", &[LITHUANIAN, POLISH]),
    ("monzó", &[CATALAN]),
    ("mõneta", &[ESTONIAN]),
    ("näver", &[SWEDISH]),
    ("papará", &[PORTUGUESE]),
    ("polygón", &[SLOVAK]),
    ("posteň", &[CZECH, SLOVAK]),
    ("posté", &[FRENCH]),
    ("postë", &[ALBANIAN]),
    ("postën", &[ALBANIAN]),
    ("pošte", &[SERBO_CROATIAN, SLOVAK, SLOVENE]),
    ("pošten", &[SERBO_CROATIAN, SLOVENE]),
    ("poště", &[CZECH]),
    ("protón", &[SLOVAK, SPANISH]),
    ("protónu", &[SLOVAK]),
    ("protóny", &[SLOVAK]),
    ("próton", &[PORTUGUESE]),
    ("pápara", &[SPANISH]),
    ("pöste", &[SWEDISH]),
    ("pøste", &[DANISH, NORWEGIAN]),
    ("păpara", &[ROMANIAN]),
    ("rallegrò", &[ITALIAN]),
    ("schwáb", &[CZECH, HUNGARIAN, SLOVAK]),
    ("skríll", &[ICELANDIC]),
    ("släck", &[SWEDISH]),
    ("sofőrt", &[HUNGARIAN]),
    ("strætó", &[ICELANDIC]),
    ("sólana", &[ICELANDIC]),
    ("tamarą", &[POLISH]),
    ("tamāra", &[LATVIAN]),
    ("tamārā", &[LATVIAN]),
    ("telegrāma", &[LATVIAN]),
    ("tàmara", &[CATALAN]),
    ("támara", &[SPANISH]),
    ("tâmara", &[PORTUGUESE]),
    ("télécom", &[FRENCH]),
    ("verschweißter", &[GERMAN]),
    ("äpple", &[SWEDISH]),
    ("électrum", &[FRENCH]),
    ("čsob", &[CZECH, SLOVAK]),
    ("škrilj", &[SERBO_CROATIAN, SLOVENE]),
    ("šprint", &[SLOVAK, SLOVENE]),
    ("αμαζονίου", &[GREEK]),
    ("αμαζόνιο", &[GREEK]),
    ("αμαζόνιος", &[GREEK]),
    ("монета", &[BULGARIAN, GENERIC, RUSSIAN, UKRAINIAN]),
    ("ногтол", &[MONGOLIAN]),
    ("пепел", &[BULGARIAN, GENERIC, RUSSIAN]),
    ("серго", &[GENERIC]),
    ("тікток", &[UKRAINIAN]),
];

/// Words that are a name everywhere as a host, as `impôts.fr` is that of the office, and words of their languages in a
/// sentence only.
const SAID: [(&str, &[Language]); 10] = [
    ("adobé", &[SPANISH]),
    ("amazón", &[SPANISH]),
    ("expedía", &[SPANISH]),
    ("expédia", &[FRENCH]),
    ("impôts", &[FRENCH]),
    ("liberò", &[ITALIAN]),
    ("nórton", &[]),
    ("opéra", &[FRENCH]),
    ("orangé", &[FRENCH]),
    ("таобао", &[]),
];

/// What all forms of a word begin with: `revoluția`, `revoluționar`.
const STEMS: [(&str, &[Language]); 9] = [
    ("lázadás", &[HUNGARIAN]),
    ("monetär", &[GERMAN, SWEDISH]),
    ("monēt", &[LATVIAN]),
    ("posteņ", &[LATVIAN]),
    ("revoluţi", &[ROMANIAN]),
    ("revoluți", &[ROMANIAN]),
    ("ģenerāl", &[LATVIAN]),
    ("ģenerāļ", &[LATVIAN]),
    ("μονεταρισ", &[GREEK]),
];

impl Judge<'_> {
    /// Lowers the verdict of a domain that is drawn like a name, and whose label means itself under its suffix: `brno.com`.
    pub(super) fn downgrade_plain_word(&mut self, host: &str, kind: Kind, judged: &mut Judged) {
        let is_drawn = judged.verdict > Verdict::Notice
            && judged.inner.is_empty()
            && has_only(judged.reasons, Reason::TargetLookalike);
        let Some(of) = judged.host.as_deref().filter(|_| is_drawn) else { return };
        let ascii = of.ascii.strip_prefix("www.").unwrap_or(&of.ascii);
        let is_word = ascii
            .split_once('.')
            .is_some_and(|(word, suffix)| homograph::claims::means_itself_at(word, suffix));
        if is_word && registrable(ascii, Section::Icann) == Some(ascii) {
            self.let_alone(host, kind, judged);
        }
    }

    /// Lowers the verdict of a word of a country's language as a host of that country, and of the name of an owner in his own
    /// letters under his suffix: `itaú.com.br`.
    pub(super) fn downgrade_vocabulary(&mut self, host: &str, kind: Kind, judged: &mut Judged) {
        if judged.verdict <= Verdict::Notice || !is_about_letters(judged) {
            return;
        }
        // Punycode is read as what it stands for.
        let Some(of) = judged.host.as_deref().filter(|of| !of.unicode.is_ascii()) else { return };
        let name = of.unicode.strip_prefix("www.").unwrap_or(&of.unicode);
        let (word, suffix) = name.split_once('.').unwrap_or_default();
        let tld = suffix.rsplit('.').next().unwrap_or_default();
        let is_home = |language: &Language| language.tlds.contains(&tld);
        let ascii = of.ascii.strip_prefix("www.").unwrap_or(&of.ascii);
        let is_word = || {
            languages(word, &WORDS).is_some_and(|known| known.iter().any(is_home))
                && registrable(ascii, Section::Icann) == Some(ascii)
        };
        let is_owners = || {
            judged.inner.is_empty()
                && homograph::claims::is_in_own_letters(of, &self.policy.protected)
        };
        if is_word() || is_owners() {
            self.let_alone(host, kind, judged);
        }
    }
}

/// Whether it is such a word.
pub fn holds(word: &str) -> bool {
    of_sentences(word).is_some()
}

/// Whether a word of this language may go on with the other: `protón.no`.
pub fn goes_on(word: &str, with: &str) -> bool {
    of_sentences(word)
        .is_some_and(|known| known.iter().any(|language| language.words.contains(&with)))
}

fn of_sentences(word: &str) -> Option<&'static [Language]> {
    languages(word, &WORDS).or_else(|| languages(word, &SAID))
}

/// The languages of a word, by this list or what it begins with.
fn languages(word: &str, list: &[(&str, &'static [Language])]) -> Option<&'static [Language]> {
    let small: String = word.chars().flat_map(char::to_lowercase).collect();
    let known = list.binary_search_by_key(&small.as_str(), |(word, _)| word);
    let known = known.ok().and_then(|at| list.get(at));
    let stem = || STEMS.iter().find(|(stem, _)| small.starts_with(stem));
    known.or_else(stem).map(|(_, languages)| *languages)
}

/// Whether what is against it are its letters, none of them in a style of its own.
fn is_about_letters(judged: &Judged) -> bool {
    let of_letters = |reason| matches!(reason, Reason::TargetLookalike | Reason::WholeScript);
    judged.reasons.iter().all(|one| one.verdict() <= Verdict::Notice || of_letters(one))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_small_and_sorted() {
        for list in [WORDS.as_slice(), &SAID, &STEMS] {
            assert!(list.is_sorted_by_key(|(word, _)| word));
            for (word, _) in list {
                assert!(!word.chars().any(char::is_uppercase) && !word.is_ascii(), "{word}");
            }
        }
        assert!(holds("Revoluției") && !holds("revolut"));
        assert!(holds("Monēta") && holds("МОНЕТА") && !holds("moneta"));
    }
}
