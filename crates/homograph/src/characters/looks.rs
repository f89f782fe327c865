//! The looks that a label may have, as long as some name matches: characters may have several
//! readings.

use smallvec::SmallVec;

use super::lookalike::{LABEL_CHARS, LookHash, VARIANTS};
use super::reading::LabelChar;

/// Looks of a label. Most have one or two, which need no allocation.
pub(crate) type LookHashes = SmallVec<[LookHash; 4]>;

/// The looks of the characters read so far.
enum LookSet {
    /// As long as every character has one reading, as most do.
    One(LookHash),
    Several(LookHashes),
}

impl LookSet {
    /// Reads one more character; returns whether some of the looks are `known` then.
    fn read(
        &mut self,
        letter: &LabelChar,
        add: impl Fn(LookHash, &[u8]) -> LookHash,
        known: impl Fn(LookHash) -> bool,
    ) -> bool {
        let mut next = LookHashes::new();
        match self {
            LookSet::One(look) => {
                let alone = match letter.readings {
                    [] => Some(add(*look, letter.c.encode_utf8(&mut [0; 4]).as_bytes())),
                    [reading] => Some(add(*look, reading.text.bytes())),
                    _ => None,
                };
                if let Some(longer) = alone {
                    *look = longer;
                    return known(longer);
                }
                extend_by(&[*look], letter, add, known, &mut next);
            }
            LookSet::Several(looks) => extend_by(looks, letter, add, known, &mut next),
        }
        let some = !next.is_empty();
        *self = match *next {
            [one] => LookSet::One(one),
            _ => LookSet::Several(next),
        };
        some
    }

    fn any(&self, is: impl Fn(LookHash) -> bool) -> bool {
        match self {
            LookSet::One(look) => is(*look),
            LookSet::Several(looks) => looks.iter().any(|look| is(*look)),
        }
    }
}

/// The looks of a label, one for each combination of readings, of which `begins` accepts every
/// prefix.
pub(crate) fn looks<F: Fn(LookHash) -> bool>(
    label: &[LabelChar],
    begins: F,
) -> impl Iterator<Item = u64> + use<F> {
    let mut looks = LookSet::One(LookHash::EMPTY);
    let mut letters = label.iter().take(LABEL_CHARS);
    let all = letters.all(|letter| looks.read(letter, LookHash::followed_by, &begins));
    let (one, several) = match looks {
        LookSet::One(look) => (Some(look), None),
        LookSet::Several(looks) => (None, Some(looks)),
    };
    let found = one.into_iter().chain(several.into_iter().flatten()).filter(move |_| all);
    found.map(LookHash::value)
}

/// The looks with one more character, at most [`VARIANTS`], of which `begins` accepts every
/// reading.
#[cfg(feature = "senders")]
pub(crate) fn extend_looks(
    hashes: &[LookHash],
    letter: &LabelChar,
    begins: impl Fn(LookHash) -> bool,
    next: &mut LookHashes,
) {
    extend_by(hashes, letter, LookHash::followed_by, begins, next);
}

/// The same, with the character combined by `add`.
fn extend_by(
    hashes: &[LookHash],
    LabelChar { c, readings, .. }: &LabelChar,
    add: impl Fn(LookHash, &[u8]) -> LookHash,
    begins: impl Fn(LookHash) -> bool,
    next: &mut LookHashes,
) {
    next.clear();
    let mut keep = |hash: LookHash| {
        if next.len() < VARIANTS && begins(hash) && !next.contains(&hash) {
            next.push(hash);
        }
    };
    for before in hashes {
        for reading in *readings {
            keep(add(*before, reading.text.bytes()));
        }
        if readings.is_empty() {
            keep(add(*before, c.encode_utf8(&mut [0; 4]).as_bytes()));
        }
    }
}

/// The lengths at which the characters read as something complete: `begins` accepts the looks of
/// prefixes, `is_whole` the complete ones.
pub(crate) fn beginnings(
    letters: &[LabelChar],
    begins: impl Fn(LookHash) -> bool,
    is_whole: impl Fn(LookHash) -> bool,
) -> impl Iterator<Item = usize> {
    lengths(letters.iter(), LookHash::followed_by, begins, is_whole)
}

/// The same from the last character on: `ends` and `is_whole` take looks that are computed
/// backwards.
pub(crate) fn endings(
    letters: &[LabelChar],
    ends: impl Fn(LookHash) -> bool,
    is_whole: impl Fn(LookHash) -> bool,
) -> impl Iterator<Item = usize> {
    lengths(letters.iter().rev(), LookHash::preceded_by, ends, is_whole)
}

fn lengths<'a>(
    letters: impl Iterator<Item = &'a LabelChar>,
    add: impl Fn(LookHash, &[u8]) -> LookHash,
    known: impl Fn(LookHash) -> bool,
    is_whole: impl Fn(LookHash) -> bool,
) -> impl Iterator<Item = usize> {
    let mut looks = LookSet::One(LookHash::EMPTY);
    let some = letters
        .take(LABEL_CHARS)
        .map_while(move |letter| looks.read(letter, &add, &known).then(|| looks.any(&is_whole)));
    some.zip(1..).filter_map(|(whole, length)| whole.then_some(length))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::characters::lookalike::{name_endings, name_look};
    use crate::characters::reading::LabelChars;

    #[test]
    fn looks_of_a_label_are_bounded() {
        let all = |label: &str| looks(LabelChars::of(label.chars()).all(), |_| true).count();
        let several = ('\u{100}'..='\u{2ff}').find(|c| all(&c.to_string()) > 1);
        let letter = several.expect("a letter with several readings").to_string();
        assert!((2..=VARIANTS).contains(&all(&letter)));
        assert_eq!(all(&letter.repeat(LABEL_CHARS)), VARIANTS);
    }

    #[test]
    fn what_resembles_shares_a_look() {
        for (label, name) in [
            ("pаypаl", "paypal"),
            ("arnazon", "amazon"),
            ("g00g1e", "google"),
            ("шмԋтв", "wmhtb"),
            ("ӏԃԍ", "idg"),
            ("muller", "müller"),
            ("12345б7890", "1234567890"),
        ] {
            let mut beginnings = Vec::new();
            let look = name_look(name, |beginning| beginnings.push(beginning));
            let seen =
                looks(LabelChars::of(label.chars()).all(), |hash| beginnings.contains(&hash));
            assert_eq!(seen.collect::<Vec<_>>(), [look], "{label} {name}");
        }
    }

    /// A label with the look of a name has it backwards as well, and so is an ending of the name.
    #[test]
    fn what_resembles_ends_alike() {
        for (label, name) in [
            ("pаypаl", "paypal"),
            ("arnazon", "amazon"),
            ("vvise", "wise"),
            ("g00g1e", "google"),
            ("шмԋтв", "wmhtb"),
            ("ﬃx", "ffix"),
            ("почтa", "почта"),
            ("muller", "müller"),
        ] {
            let mut known = Vec::new();
            name_endings(name, |ending| known.push(ending));
            let chars = LabelChars::of(label.chars());
            let is_whole = |hash| known.last() == Some(&hash);
            let seen = endings(chars.all(), |hash| known.contains(&hash), is_whole);
            assert_eq!(seen.collect::<Vec<_>>(), [chars.len()], "{label} {name}");
        }
    }
}
