//! What is left of a name without its vowels, by which readers still know it: `ntflx`, `mcrsft`.

/// Letters of a name that is known so, and those that are left of it.
const LETTERS: usize = 6;
const LEFT: usize = 4;

/// A label in ASCII without its vowels, but for the first letter, and without hyphens.
pub(super) fn without_vowels(label: &str) -> Option<String> {
    if label.len() < LETTERS || !label.is_ascii() {
        return None;
    }
    let (first, rest) = label.split_at_checked(1)?;
    let left = rest.chars().filter(|c| !is_vowel(*c) && *c != '-');
    let left: String = first.chars().chain(left).collect();
    (left.len() >= LEFT && left.len() + 1 < label.len()).then_some(left)
}

/// Whether a word may be such a one.
pub(super) fn lacks_vowels(word: &str) -> bool {
    word.len() >= LEFT && word.bytes().all(|byte| byte.is_ascii_alphabetic()) && {
        let mut rest = word.chars().skip(1);
        !rest.any(is_vowel)
    }
}

fn is_vowel(c: char) -> bool {
    matches!(c, 'a' | 'e' | 'i' | 'o' | 'u')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vowels_are_left_out_behind_the_first_letter() {
        for (label, left) in [
            ("netflix", Some("ntflx")),
            ("microsoft", Some("mcrsft")),
            ("amazon", Some("amzn")),
            ("instagram", Some("instgrm")),
            ("deutsche-bank", Some("dtschbnk")),
            ("citibank", Some("ctbnk")),
            // Too few letters, one vowel, letters beyond ASCII.
            ("apple", None),
            ("google", None),
            ("schmutz", None),
            ("münzhaus", None),
            ("", None),
        ] {
            assert_eq!(without_vowels(label).as_deref(), left, "{label}");
        }
        assert!(lacks_vowels("ntflx") && lacks_vowels("instgrm"));
        assert!(!lacks_vowels("ntflix") && !lacks_vowels("ntf") && !lacks_vowels("ntflx1"));
    }
}
