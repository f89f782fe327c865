//! Words of languages in letters beyond ASCII that read as a protected name and mean something else: `monēta`, `pošten`,
//! `монета`. By hand. They are no lure in front of the next sentence (`postën.Ne`), nor as a host of their own country.

use super::Judge;
use crate::judged::Judged;
use crate::outcome::{Reason, Verdict};
use uts58::Kind;

/// Each word in small letters, with the top-level domains in which it means itself.
const WORDS: [(&str, &[&str]); 27] = [
    ("al·legro", &["cat"]),
    ("amazón", &[]),
    ("argentà", &["cat"]),
    ("kašperský", &["cz", "sk"]),
    ("kräken", &["se"]),
    ("kråken", &["no", "se"]),
    ("monetă", &["md", "ro"]),
    ("monetą", &["lt", "pl"]),
    ("monēta", &["lv"]),
    ("mõneta", &["ee"]),
    ("näver", &["se"]),
    ("nórton", &[]),
    ("posteň", &["cz", "sk"]),
    ("postën", &["al"]),
    ("pošten", &["ba", "hr", "me", "rs", "si"]),
    ("protón", &["ar", "cl", "co", "es", "mx", "pe"]),
    ("próton", &["br", "pt"]),
    ("pøste", &["dk", "no"]),
    ("schwáb", &["cz", "hu", "sk"]),
    ("skríll", &[]),
    ("släck", &["se"]),
    ("škrilj", &["ba", "hr", "si"]),
    ("монета", &["bg", "by", "com", "kz", "net", "org", "ru", "su", "ua"]),
    ("ногтол", &["mn"]),
    ("серго", &["com", "net", "org"]),
    ("таобао", &[]),
    ("тікток", &["ua", "укр"]),
];

/// What all forms of a word begin with: `revoluția`, `revoluționar`.
const STEMS: [(&str, &[&str]); 2] = [("revoluţi", &["md", "ro"]), ("revoluți", &["md", "ro"])];

impl Judge<'_> {
    /// Lowers the verdict of a word of a country's language as a host of that country.
    pub(super) fn downgrade_vocabulary(&mut self, host: &str, kind: Kind, judged: &mut Judged) {
        if judged.verdict <= Verdict::Notice || host.is_ascii() || !is_about_letters(judged) {
            return;
        }
        let small = host.to_lowercase();
        let name = small.strip_prefix("www.").unwrap_or(&small);
        let Some((word, tld)) = name.split_once('.') else { return };
        if domains(word).is_some_and(|domains| domains.contains(&tld)) {
            self.let_alone(host, kind, judged);
        }
    }
}

/// Whether it is such a word.
pub fn holds(word: &str) -> bool {
    domains(word).is_some()
}

fn domains(word: &str) -> Option<&'static [&'static str]> {
    let small = || word.chars().flat_map(char::to_lowercase);
    let is = |known: &str| small().eq(known.chars());
    let begins = |stem: &str| small().take(stem.chars().count()).eq(stem.chars());
    let mut known = WORDS.iter().filter(|(word, _)| is(word));
    let mut stems = STEMS.iter().filter(|(stem, _)| begins(stem));
    known.next().or_else(|| stems.next()).map(|(_, domains)| *domains)
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
        assert!(WORDS.is_sorted());
        for (word, domains) in WORDS {
            assert!(!word.chars().any(char::is_uppercase) && !word.is_ascii(), "{word}");
            assert!(domains.is_sorted(), "{word}");
        }
        assert!(holds("Revoluției") && !holds("revolut"));
        assert!(holds("Monēta") && holds("МОНЕТА") && !holds("moneta"));
    }
}
