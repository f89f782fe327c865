//! Words of which no two are alike: what is remembered of one says nothing about the next.

use std::ops::RangeInclusive;
use std::sync::LazyLock;

/// Letters of several scripts.
const ALPHABETS: [&str; 8] = [
    "abcdefghijklmnopqrstuvwxyz",
    "абвгдежзийклмнопрстуфхц",
    "αβγδεζηθικλμνξοπ",
    "אבגדהוזחטיכל",
    "ابتثجحخدذرزسش",
    "कखगघचछजझटठडढण",
    "日本語中国人民大学",
    "äöüßéèêçñåøæœšžč",
];

/// Names that are protected.
const NAMES: [&str; 12] = [
    "paypal", "google", "amazon", "microsoft", "facebook", "netflix", "instagram", "linkedin",
    "coinbase", "docusign", "whatsapp", "santander",
];

/// Makes a word.
type Word = fn(&mut Chance) -> String;

/// What words are put in for: letters of all alphabets, letters of which no two are the same, a few of Russian, letters
/// that look alike, a protected name with one letter changed, one with marks, and one as it is; pointed letters of
/// Hebrew, and Vietnamese in pieces; a changed name in twins of its letters, in capitals of them, and in wide letters;
/// letters of Latin with marks, Armenian, pointed Arabic, Han that every charset has, and any Han.
const PLACES: [(&str, Word); 19] = [
    ("{letters}", letters),
    ("{many}", many),
    ("{russian}", russian),
    ("{alike}", alike),
    ("{near}", near),
    ("{marked}", marked),
    ("{known}", known),
    ("{pointed}", pointed),
    ("{vietnamese}", vietnamese),
    ("{twinned}", twinned),
    ("{capitals}", |chance| twinned(chance).to_uppercase()),
    ("{wide}", wide),
    ("{extended}", |chance| any_of(chance, '\u{c0}'..='\u{24f}', 8)),
    ("{armenian}", |chance| any_of(chance, '\u{561}'..='\u{585}', 6)),
    ("{arabic}", |chance| drawn(chance, "ابتث\u{64b}\u{64e}\u{651}\u{200c}", 20)),
    ("{common}", |chance| drawn(chance, "一丁七三下不中人大日本語", 8)),
    ("{squares}", |chance| any_of(chance, '\u{3300}'..='\u{3357}', 12)),
    ("{numerals}", |chance| any_of(chance, '\u{2170}'..='\u{217b}', 20)),
    ("{han}", |chance| any_of(chance, '\u{4e00}'..='\u{8fff}', 8)),
];

/// Numbers without an order, the same in every run.
struct Chance(u64);

impl Chance {
    fn below(&mut self, end: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % end
    }

    fn of<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.below(all.len())]
    }
}

fn letters(chance: &mut Chance) -> String {
    let letter = |_| {
        let alphabet: Vec<char> = chance.of(&ALPHABETS).chars().collect();
        chance.of(&alphabet)
    };
    (0..40).map(letter).collect()
}

/// Letters of all alphabets.
static LETTERS: LazyLock<Vec<char>> =
    LazyLock::new(|| ('à'..'\u{1f00}').filter(|c| c.is_alphabetic()).collect());

fn many(chance: &mut Chance) -> String {
    let all = &*LETTERS;
    let (start, step) = (chance.below(all.len()), 1 + 2 * chance.below(all.len() / 4));
    (0..240).map(|place| all[(start + place * step) % all.len()]).collect()
}

fn russian(chance: &mut Chance) -> String {
    let alphabet: Vec<char> = ALPHABETS[1].chars().collect();
    (0..4).map(|_| chance.of(&alphabet)).collect()
}

fn alike(chance: &mut Chance) -> String {
    (0..30).map(|_| chance.of(&['a', 'а', 'á', 'à', 'i', 'l', 'і', 'ӏ', '1', 'í', 'ł'])).collect()
}

fn near(chance: &mut Chance) -> String {
    let mut name = chance.of(&NAMES).to_owned();
    let at = chance.below(name.len());
    let letter = char::from(b'a' + chance.below(26) as u8);
    match chance.below(3) {
        0 => drop(name.remove(at)),
        1 => name.insert(at, letter),
        _ => name.replace_range(at..=at, &letter.to_string()),
    }
    name
}

fn marked(chance: &mut Chance) -> String {
    let marks = ['\u{301}', '\u{327}', '\u{323}', '\u{30c}'];
    chance.of(&NAMES).chars().flat_map(|c| [c, chance.of(&marks)]).collect()
}

fn known(chance: &mut Chance) -> String {
    chance.of(&NAMES).to_owned()
}

fn pointed(chance: &mut Chance) -> String {
    let points = ['\u{5b0}', '\u{5b4}', '\u{5b8}', '\u{5bc}', '\u{5c1}'];
    let letter = |chance: &mut Chance| {
        let first = chance.below(points.len());
        let point = |place: usize| points[(first + place) % points.len()];
        [chance.of(&['ש', 'ב', 'א', 'י', 'ת', 'כ', 'ל', 'מ']), point(0), point(1), point(3)]
    };
    (0..6).flat_map(|_| letter(chance)).collect()
}

fn vietnamese(chance: &mut Chance) -> String {
    let tones = ['\u{300}', '\u{301}', '\u{303}', '\u{309}', '\u{323}'];
    let letter =
        |chance: &mut Chance| [chance.of(&['â', 'ê', 'ô', 'ơ', 'a', 'o']), chance.of(&tones)];
    (0..8).flat_map(|_| letter(chance)).collect()
}

fn twinned(chance: &mut Chance) -> String {
    let twin = |c: char| {
        let twins = ['а', 'с', 'ԁ', 'е', 'һ', 'і', 'ј', 'ӏ', 'о', 'р', 'ѕ', 'ԝ', 'х', 'у'];
        "acdehijlopswxy".find(c).map_or(c, |at| twins[at])
    };
    near(chance).chars().map(|c| if chance.below(2) == 0 { c } else { twin(c) }).collect()
}

fn wide(chance: &mut Chance) -> String {
    near(chance).bytes().map(|byte| char::from_u32(u32::from(byte) + 0xfee0).unwrap()).collect()
}

fn drawn(chance: &mut Chance, alphabet: &str, count: usize) -> String {
    let letters: Vec<char> = alphabet.chars().collect();
    (0..count).map(|_| chance.of(&letters)).collect()
}

fn any_of(chance: &mut Chance, letters: RangeInclusive<char>, count: usize) -> String {
    let (first, last) = (u32::from(*letters.start()), u32::from(*letters.end()));
    let letter = |_| first + chance.below((last - first) as usize + 1) as u32;
    (0..count).map(letter).filter_map(char::from_u32).collect()
}

/// The piece of this number, with words for the places in it.
pub fn with_words(piece: &str, number: usize) -> String {
    let mut chance = Chance(number as u64 + 1);
    let mut out = piece.to_owned();
    for (place, word) in PLACES {
        while out.contains(place) {
            out = out.replacen(place, &word(&mut chance), 1);
        }
    }
    out
}
