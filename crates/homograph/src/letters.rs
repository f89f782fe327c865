//! Which languages are written with a Latin letter (CLDR exemplar characters).

use super::letter_table::{HOMES, LETTERS, WORDS};

/// A set of languages that are written in Latin letters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Languages([u64; WORDS]);

impl Languages {
    pub const NONE: Languages = Languages([0; WORDS]);
    pub const EVERY: Languages = Languages([u64::MAX; WORDS]);

    /// Languages of both sets.
    #[must_use]
    pub fn and(self, other: Languages) -> Languages {
        let mut both = self.0;
        both.iter_mut().zip(other.0).for_each(|(word, other)| *word &= other);
        Languages(both)
    }

    pub fn is_empty(self) -> bool {
        self.0.iter().all(|word| *word == 0)
    }
}

/// The languages to whose main alphabet a letter beyond ASCII belongs (lower case).
pub fn main(c: char) -> Languages {
    row(c).map_or(Languages::NONE, |(_, main, _)| Languages(*main))
}

/// The languages that know the letter: of the main alphabet, or of foreign words and names in it.
pub fn all(c: char) -> Languages {
    row(c).map_or(Languages::NONE, |(_, _, all)| Languages(*all))
}

fn row(c: char) -> Option<&'static (char, [u64; WORDS], [u64; WORDS])> {
    let at = LETTERS.binary_search_by_key(&c, |(letter, _, _)| *letter).ok()?;
    LETTERS.get(at)
}

/// The languages at home under a top-level domain (lower-case ASCII).
pub fn of_tld(tld: &str) -> Languages {
    let at = HOMES.binary_search_by_key(&tld, |(home, _)| *home).ok();
    at.and_then(|at| HOMES.get(at)).map_or(Languages::NONE, |(_, languages)| Languages(*languages))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_have_languages() {
        let home = |c: char, tld: &str| !main(c).and(of_tld(tld)).is_empty();
        for (c, tld) in [('å', "se"), ('ß', "de"), ('ẃ', "cymru"), ('ț', "ro"), ('ụ', "ng")]
        {
            assert!(home(c, tld), "{c} {tld}");
        }
        for (c, tld) in [('ł', "de"), ('å', "com"), ('я', "ru"), ('a', "de")] {
            assert!(!home(c, tld), "{c} {tld}");
        }
        assert!(!all('ţ').and(of_tld("ro")).is_empty());
        assert!(main('ę').and(main('ê')).is_empty());
        assert_eq!(Languages::EVERY.and(main('ø')), main('ø'));
    }
}
