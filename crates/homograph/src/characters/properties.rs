//! Unicode data about characters beyond [`uts58::unicode::Traits`]: normalisation, prototype,
//! identifier type, script extensions.
//!
//! The tables are packed so that judging fits into a web page. Each is unpacked on first use, and a
//! look-up takes no more steps than in the crates that they are generated from.
//!
//! | clause | item |
//! | --- | --- |
//! | UAX #15 NFD, NFKC of a character | [`nfd`], [`nfkc`], [`is_canonical`] |
//! | General_Category Nd beyond ASCII | [`is_numeral`] |
//! | UTS #39 §4 skeleton | [`skeleton`] |
//! | UTS #39 §3.1 Identifier_Type | [`is_of_limited_use`], [`is_of_uncommon_use`] |
//! | UAX #24 Script_Extensions | [`extension`], [`augmented`] |

#[cfg(test)]
mod derived;
mod packed;
mod table;

use std::sync::LazyLock;

use smallvec::SmallVec;
use unicode_script::{Script, ScriptExtension};
use unicode_security::mixed_script::AugmentedScriptSet;
use uts58::unicode::{ScriptOf as _, Traits};

use packed::{PackedTexts, Ranges, Texts};

/// A file of `data`.
macro_rules! file {
    ($($name:expr),+) => { include_bytes!(concat!("../../data/", $($name),+, ".bin")) };
}

/// The texts of four files, one for each field of [`PackedTexts`].
macro_rules! texts {
    ($name:expr) => {
        LazyLock::new(|| {
            Texts::unpack(&PackedTexts {
                steps: file!($name, "_steps"),
                counts: file!($name, "_counts"),
                first: file!($name, "_first"),
                others: file!($name, "_others"),
            })
        })
    };
}

static NFKC: LazyLock<Texts> = texts!("nfkc");
static NFD: LazyLock<Texts> = texts!("nfd");
static PROTOTYPES: LazyLock<Texts> = texts!("prototypes");
static CLASSES: LazyLock<Ranges> = LazyLock::new(|| Ranges::unpack(file!("classes")));
static IGNORED: LazyLock<Ranges> = LazyLock::new(|| Ranges::unpack(file!("ignored")));
static TYPES: LazyLock<Ranges> = LazyLock::new(|| Ranges::unpack(file!("types")));
static EXTENSIONS: LazyLock<Ranges> = LazyLock::new(|| Ranges::unpack(file!("extensions")));

/// Values of [`TYPES`].
const LIMITED_USE: u8 = 1;
const UNCOMMON_USE: u8 = 2;

/// Hangul syllables, which are composed by arithmetic (Unicode §3.12).
const SYLLABLES: std::ops::RangeInclusive<u32> = 0xac00..=0xd7a3;
const LEADING: u32 = 0x1100;
const VOWEL: u32 = 0x1161;
const TRAILING: u32 = 0x11a7;

/// Characters, usually few enough to need no allocation.
pub(super) type Chars = SmallVec<[char; 8]>;

/// Compatibility composition (NFKC) of one character.
pub(crate) fn nfkc(c: char) -> impl Iterator<Item = char> + Clone {
    let other = if Traits::of(c).is_styled() { NFKC.get(c) } else { None };
    other.unwrap_or_default().chars().chain(other.is_none().then_some(c))
}

/// Whether NFKC and NFC of the character are the same.
pub(crate) fn is_canonical(c: char) -> bool {
    !Traits::of(c).is_styled() || nfd([c]) == nfd(nfkc(c))
}

/// Canonical decomposition (NFD).
pub(crate) fn nfd(text: impl IntoIterator<Item = char>) -> Chars {
    let mut out = Chars::new();
    let mut marks = false;
    for c in text {
        let traits = Traits::of(c);
        if traits.is_composed() {
            marks = true;
            decompose(c, &mut out);
        } else {
            marks |= traits.is_mark();
            out.push(c);
        }
    }
    if marks {
        reorder(&mut out);
    }
    out
}

fn decompose(c: char, out: &mut Chars) {
    let code = u32::from(c);
    if SYLLABLES.contains(&code) {
        let at = code - SYLLABLES.start();
        let jamo = [LEADING + at / 588, VOWEL + at % 588 / 28, TRAILING + at % 28];
        let absent = |jamo: &u32| *jamo != TRAILING;
        out.extend(jamo.into_iter().filter(absent).filter_map(char::from_u32));
    } else {
        out.extend(NFD.get(c).unwrap_or_default().chars());
    }
}

/// Puts adjacent marks in the order of their classes.
fn reorder(text: &mut [char]) {
    let class = |c: &char| if Traits::of(*c).is_mark() { CLASSES.get(*c) } else { 0 };
    for marks in text.split_mut(|c| class(c) == 0) {
        if !marks.is_sorted_by_key(class) {
            // Marks of one class keep their order.
            let places = (0_u32..).zip(marks.iter());
            let mut sorted: Vec<(u64, u32)> = places
                .map(|(at, c)| (u64::from(class(c)) << 32 | u64::from(at), u32::from(*c)))
                .collect();
            sorted.sort_unstable();
            let sorted = sorted.into_iter().filter_map(|(_, code)| char::from_u32(code));
            marks.iter_mut().zip(sorted).for_each(|(to, c)| *to = c);
        }
    }
}

/// UTS #39 §4: texts with the same skeleton look alike.
pub(crate) fn skeleton(text: &str) -> Chars {
    let mut out = Chars::new();
    for c in nfd(text.chars()).into_iter().filter(|c| IGNORED.get(*c) == 0) {
        match PROTOTYPES.get(c) {
            Some(prototype) => out.extend(prototype.chars()),
            None => out.push(c),
        }
    }
    nfd(out)
}

/// Whether the character is a decimal digit other than those of ASCII.
pub(crate) fn is_numeral(c: char) -> bool {
    !c.is_ascii() && Traits::of(c).is_digit()
}

/// Whether the letter belongs to a script that few write today.
pub(crate) fn is_of_limited_use(c: char) -> bool {
    TYPES.get(c) == LIMITED_USE
}

/// Whether hardly anybody needs the letter.
pub(crate) fn is_of_uncommon_use(c: char) -> bool {
    TYPES.get(c) == UNCOMMON_USE
}

/// The scripts that the character is used with.
pub(crate) fn extension(c: char) -> ScriptExtension {
    match table::SCRIPTS.get(usize::from(EXTENSIONS.get(c))) {
        Some([first, rest @ ..]) => {
            let more = |all: ScriptExtension, one: &Script| all.union((*one).into());
            rest.iter().fold((*first).into(), more)
        }
        _ => c.script().into(),
    }
}

/// The same, with the writing systems of several scripts (UTS #39 §5.1).
pub(crate) fn augmented(c: char) -> AugmentedScriptSet {
    extension(c).into()
}
