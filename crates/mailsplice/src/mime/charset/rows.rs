//! Two-byte charsets that WHATWG lacks or reads differently. Only what hosts are made of to look like others is here:
//! Greek, Cyrillic, Latin and wide letters, and signs of East Asia that read as Latin ones. All other characters are
//! those of a charset that it extends, or become U+FFFD.
//!
//! Rows are those of glibc 2.36 (`iconv`) and Python 3.11.7, which agree where both have them.

use encoding_rs::Encoding;

use super::builder::Builder;
use super::pages::Page;
use super::shifted::{Step, with_switches};
use crate::edit::RawEdit;
use crate::span::Text;

/// A charset with two-byte characters.
#[derive(Debug, PartialEq, Eq)]
pub struct Rows {
    pub name: &'static str,
    /// Name of the page for single bytes if they are EBCDIC, with SO and SI around two-byte characters; empty for
    /// ASCII.
    page: &'static str,
    /// Runs of consecutive codes: the first code, and the characters.
    runs: &'static [&'static [CodeRun]],
    /// What it extends.
    base: Option<&'static Encoding>,
}

type CodeRun = (u16, &'static str);

const WIDE: &[CodeRun] = &[
    (0x424B, "．"),
    (0x4261, "／"),
    (0x4281, "ａｂｃｄｅｆｇｈｉ"),
    (0x4291, "ｊｋｌｍｎｏｐｑｒ"),
    (0x42A2, "ｓｔｕｖｗｘｙｚ"),
    (0x42C1, "ＡＢＣＤＥＦＧＨＩ"),
    (0x42D1, "ＪＫＬＭＮＯＰＱＲ"),
    (0x42E2, "ＳＴＵＶＷＸＹＺ"),
];

/// IBM-300 and similar sets.
const EAST: &[CodeRun] = &[
    (0x4141, "αβγδεζηθικλμνξοπρστυφχψω"),
    (0x4161, "ΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡΣΤΥΦΧΨΩ"),
    (0x4180, "абвгдеёжзийклмнопрстуфхцчшщъыьэюя"),
    (0x41C0, "АБВГДЕЁЖЗИЙКЛМНОПРСТУФХЦЧШЩЪЫЬЭЮЯ"),
];

const KOREAN: &[CodeRun] = &[
    (0x4661, "ΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡΣΤΥΦΧΨΩ"),
    (0x4681, "αβγδεζηθικλμνξοπρστυφχψω"),
    (0x4A41, "АБВГДЕЁЖЗИЙКЛМНОПРСТУФХЦЧШЩЪЫЬЭЮЯабвгдеёжзийклмнопрстуфхцчшщъыьэюя"),
];

/// Signs in IBM-300 and similar sets.
const EAST_SIGNS: &[CodeRun] = &[
    (0x41B1, "ⅰⅱⅲⅳⅴⅵⅶⅷⅸⅹ"),
    (0x41F1, "ⅠⅡⅢⅣⅤⅥⅦⅧⅨⅩ"),
    (0x4381, "ア"),
    (0x4384, "エ"),
    (0x438A, "コ"),
    (0x4395, "トナ"),
    (0x4398, "ヌ"),
    (0x439A, "ノ"),
    (0x439F, "フ"),
    (0x43A6, "ムメ"),
    (0x43AC, "ヨ"),
    (0x43AE, "リ"),
    (0x43BA, "レロ"),
    (0x445F, "〇"),
];

/// Signs of Japanese among them.
const KANJI: &[CodeRun] = &[
    (0x4547, "七"),
    (0x456A, "工"),
    (0x4588, "口"),
    (0x4BB1, "了"),
    (0x4BBD, "乙"),
    (0x4BCE, "丁"),
    (0x51C0, "卜"),
    (0x5644, "丨"),
    (0x5648, "丿"),
];

/// Letters of JIS X 0213 among them.
const JIS_X_0213: &[CodeRun] = &[
    (0xD656, "ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÐÑÒÓÔÕÖØÙÚÛÜÝÞßàáâãäåæçèéêëìíîïðñòóôõöøùúûüýþÿ"),
    (0xD6B8, "ĀāĂăĄąĆćĈĉĊċČčĎďĐđĒēĔĕĖėĘęĚěĜĝĞğĠġĢģĤĥĦħĨĩĪīĬĭĮįİıĲĳĴĵĶķĸĹĺĻļĽľĿŀŁłŃńŅņ"),
    (
        0xD741,
        "ŇňŉŊŋŌōŎŏŐőŒœŔŕŖŗŘřŚśŜŝŞşŠšŢţŤťŦŧŨũŪūŬŭŮůŰűŲųŴŵŶŷŸŹźŻżŽžſƒǂǍǎǏǐǑǒǓǔǕǖǗǘǙǚǛǜǵǺǻǼǽǾǿƓǸǹ",
    ),
    (
        0xD88C,
        "ɐɑɒɓɔɕɖɗɘəɚɛɜɝɞɟɠɡɢɣɤɥɦɧɨɩɪɫɬɭɮɯɰɱɲɳɴɵɶɷɸɹɺɻɼɽɾɿʀʁʂʃʄʅʆʇʈʉʊʋʌʍʎʏʐʑʒʓʔʕʖʗʘʙʚʛʜʝʞʟʠʡʢʣʤʥʦʧʨ",
    ),
    (0xD97E, "ʹ"),
    (0xD980, "ͺ"),
    (0xD984, "Ά"),
    (0xD986, "ΈΉΊΌΎΏΐΪΫάέήίΰςϊϋόύώ"),
    (0xD9DE, "ЂЃЄЅІЇЈЉЊЋЌЎЏђѓєѕіїјљњћќўџѠѡѢѣѤѥѦ"),
    (0xDA41, "ѧѨѩѪѫѬѭѮѯѰѱѲѳѴѵѶѷѸѹѺѻѼѽѾѿҀҁ"),
    (
        0xDA61,
        "ҐґҒғҔҕҖҗҘҙҚқҜҝҞҟҠҡҢңҤҥҦҧҨҩҪҫҬҭҮүҰұҲҳҴҵҶҷҸҹҺһҼҽҾҿӀӁӂӃӄӇӈӋӌӐӑӒӓӔӕӖӗӘәӚӛӜӝӞӟӠӡӢӣӤӥӦӧӨөӪӫӮӯӰӱӲӳӴӵӸӹ",
    ),
    (0xDADE, "ḾḿẀẁẂẃẄẅẾếỀềỲỳ"),
    (0xDC62, "ὲὰάέ"),
    (0xE9A3, "ﬁﬂ"),
];

/// Signs and letters of GB 2312 among them, and two of GBK.
const PINYIN: &[CodeRun] = &[
    (0x4641, "āáǎàēéěèīíǐìōóǒòūúǔùǖǘǚǜüêɑ"),
    (0x465D, "ńňǹɡ"),
    (0x4667, "ㄇㄈ"),
    (0x466B, "ㄋ"),
    (0x466E, "ㄎ"),
    (0x4672, "ㄒ"),
    (0x4676, "ㄖ"),
    (0x4679, "ㄙㄚ"),
    (0x467F, "ㄟ"),
    (0x4685, "ㄥ"),
    (0x4687, "ㄧㄨㄩ"),
    (0x49B6, "卜"),
    (0x4BA0, "丁"),
    (0x4D44, "工"),
    (0x507A, "口"),
    (0x516B, "了"),
    (0x53DE, "七"),
    (0x59D1, "乙"),
    (0x5CAC, "丨"),
    (0x5CAE, "丿"),
];

/// Signs of CNS 11643 among them.
const BOPOMOFO: &[CodeRun] = &[
    (0x4558, "ㄇㄈ"),
    (0x455C, "ㄋ"),
    (0x455F, "ㄎ"),
    (0x4563, "ㄒ"),
    (0x4567, "ㄖ"),
    (0x456A, "ㄙㄚ"),
    (0x4570, "ㄟ"),
    (0x4576, "ㄥ"),
    (0x4578, "ㄧㄨㄩ"),
    (0x4842, "丨"),
    (0x4844, "丿乙"),
    (0x4859, "卜"),
    (0x485E, "口"),
    (0x486F, "工"),
    (0x4C42, "乙丁七"),
    (0x4C47, "了"),
    (0x4C53, "卜"),
    (0x4C67, "口"),
    (0x4C76, "工"),
];

/// Signs and letters of Korean among theirs.
const KOREAN_SIGNS: &[CodeRun] = &[
    (0x4160, "ǂ"),
    (0x4542, "ア"),
    (0x4548, "エ"),
    (0x4553, "コ"),
    (0x4568, "ト"),
    (0x456A, "ナ"),
    (0x456C, "ヌ"),
    (0x456E, "ノ"),
    (0x4575, "フ"),
    (0x4580, "ムメ"),
    (0x4588, "ヨ"),
    (0x458A, "リ"),
    (0x458C, "レロ"),
    (0x4641, "ⅰⅱⅲⅳⅴⅵⅶⅷⅸⅹ"),
    (0x4650, "ⅠⅡⅢⅣⅤⅥⅦⅧⅨⅩ"),
    (0x4B41, "ÆÐ"),
    (0x4B44, "Ħ"),
    (0x4B46, "Ĳ"),
    (0x4B48, "ĿŁØŒ"),
    (0x4B4D, "ÞŦŊ"),
    (0x4BA0, "æđðħıĳĸŀłøœßþŧŋŉ"),
    (0x51C7, "工"),
    (0x5279, "口"),
    (0x55C8, "了"),
    (0x5894, "卜"),
    (0x5F5D, "乙"),
    (0x60DC, "丁"),
    (0x6470, "七"),
];

/// CNS 11643, first plane.
const CNS_11643: &[CodeRun] = &[
    (0xA1A5, "．"),
    (0xA2DF, "／"),
    (0xA4AB, "ⅠⅡⅢⅣⅤⅥⅦⅧⅨⅩ"),
    (
        0xA4C1,
        "ＡＢＣＤＥＦＧＨＩＪＫＬＭＮＯＰＱＲＳＴＵＶＷＸＹＺａｂｃｄｅｆｇｈｉｊｋｌｍｎｏｐｑｒｓｔｕｖｗｘｙｚΑΒΓΔΕΖΗΘΙΚ",
    ),
    (0xA5A1, "ΛΜΝΞΟΠΡΣΤΥΦΧΨΩαβγδεζηθικλμνξοπρστυφχψω"),
    (0xA5C9, "ㄇㄈ"),
    (0xA5CD, "ㄋ"),
    (0xA5D0, "ㄎ"),
    (0xA5D4, "ㄒ"),
    (0xA5D8, "ㄖ"),
    (0xA5DB, "ㄙㄚ"),
    (0xA5E1, "ㄟ"),
    (0xA5E7, "ㄥ"),
    (0xA5E9, "ㄧㄨㄩ"),
    (0xA6B5, "ⅰⅱⅲⅳⅴⅵⅶⅷⅸⅹ"),
    (0xC4A2, "乙丁七"),
    (0xC4A7, "了"),
    (0xC4B3, "卜"),
    (0xC4C7, "口"),
    (0xC4D6, "工"),
];

/// JIS X 0213, first plane, where EUC-JP has nothing or something else.
const EUC_JIS_X_0213: &[CodeRun] = &[
    (0xA6D9, "ς"),
    (0xA8EF, "ǍǎǐḾḿǸǹǑǒǔǖǘǚǜ"),
    (0xA9B7, "ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÐÑÒÓÔÕÖØÙÚÛÜÝÞßàáâãäåæçèéêëìíîïðñòóôõöøùúûüýþÿĀĪŪĒŌāīūēō"),
    (0xAAA1, "Ą"),
    (0xAAA3, "ŁĽŚŠŞŤŹŽŻą"),
    (0xAAAE, "łľś"),
    (0xAAB2, "šşťź"),
    (0xAAB7, "žżŔĂĹĆČĘĚĎŃŇŐŘŮŰŢŕăĺćčęěďđńňőřůűţ"),
    (0xAAD9, "ĈĜĤĴŜŬĉĝĥĵŝŭɱʋɾʃʒɬɮɹʈɖɳɽʂʐɻɭɟɲʝʎɡŋɰʁħʕ"),
    (0xABA1, "ʔɦʘǂɓɗʄɠƓœŒɨʉɘɵəɜɞɐɯʊɤʌɔɑɒʍɥʢʡɕʑɺɧɚ"),
    (0xABC5, "ǽὰά"),
    (0xABD0, "ὲέ"),
    (0xACB5, "ⅰⅱⅲⅳⅴⅵⅶⅷⅸⅹ"),
    (0xADB5, "ⅠⅡⅢⅣⅤⅥⅦⅧⅨⅩ"),
    (0xAEA4, "丨"),
];

const JOHAB: &[CodeRun] = &[
    (0xDA3E, "．／"),
    (0xDA51, "ＡＢＣＤＥＦＧＨＩＪＫＬＭＮＯＰＱＲＳＴＵＶＷＸＹＺ"),
    (0xDA71, "ａｂｃｄｅｆｇｈｉｊｋｌｍｎ"),
    (0xDA91, "ｏｐｑｒｓｔｕｖｗｘｙｚ"),
    (0xDB51, "ΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡΣΤΥΦΧΨΩ"),
    (0xDB71, "αβγδεζηθικλμνξ"),
    (0xDB91, "οπρστυφχψω"),
    (0xDEA1, "АБВГДЕЁЖЗИЙКЛМНОПРСТУФХЦЧШЩЪЫЬЭЮЯ"),
    (0xDED1, "абвгдеёжзийклмнопрстуфхцчшщъыьэюя"),
];

const BIG5: &[CodeRun] = &[
    (0xA144, "．"),
    (
        0xA2CF,
        "ＡＢＣＤＥＦＧＨＩＪＫＬＭＮＯＰＱＲＳＴＵＶＷＸＹＺａｂｃｄｅｆｇｈｉｊｋｌｍｎｏｐｑｒｓｔｕｖ",
    ),
    (0xA340, "ｗｘｙｚΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡΣΤΥΦΧΨΩαβγδεζηθικλμνξοπρστυφχψω"),
    (0xC7B1, "ДЕЁЖЗИЙКЛМУФХЦЧШЩЪЫЬЭЮЯабвгдеёжзийклмнопрстуфхцчшщъыьэюя"),
];

static ROWS: [Rows; 11] = [
    Rows { name: "big5-python", page: "", runs: &[BIG5], base: None },
    Rows { name: "johab", page: "", runs: &[JOHAB], base: None },
    Rows { name: "euc-tw", page: "", runs: &[CNS_11643], base: None },
    Rows {
        name: "euc-jisx0213",
        page: "",
        runs: &[EUC_JIS_X_0213],
        base: Some(encoding_rs::EUC_JP),
    },
    Rows {
        name: "ibm930",
        page: "cp930-single",
        runs: &[WIDE, EAST, EAST_SIGNS, KANJI],
        base: None,
    },
    Rows {
        name: "ibm1390",
        page: "cp930-single",
        runs: &[WIDE, EAST, EAST_SIGNS, KANJI, JIS_X_0213],
        base: None,
    },
    Rows { name: "ibm933", page: "cp933-single", runs: &[WIDE, KOREAN, KOREAN_SIGNS], base: None },
    Rows {
        name: "ibm935",
        page: "cp935-single",
        runs: &[WIDE, EAST, EAST_SIGNS, PINYIN],
        base: None,
    },
    Rows {
        name: "ibm937",
        page: "cp937-single",
        runs: &[WIDE, EAST, EAST_SIGNS, BOPOMOFO],
        base: None,
    },
    Rows {
        name: "ibm939",
        page: "cp939-single",
        runs: &[WIDE, EAST, EAST_SIGNS, KANJI],
        base: None,
    },
    Rows {
        name: "ibm1399",
        page: "cp939-single",
        runs: &[WIDE, EAST, EAST_SIGNS, KANJI, JIS_X_0213],
        base: None,
    },
];

const SHIFT_OUT: u8 = 0x0E;
const SHIFT_IN: u8 = 0x0F;

impl Rows {
    pub(super) fn named(name: &str) -> Option<&'static Rows> {
        ROWS.iter().find(|rows| rows.name == name)
    }

    fn page(&self) -> Option<&'static Page> {
        Page::named(self.page)
    }

    fn character(&self, pair: [u8; 2]) -> char {
        let code = u16::from_be_bytes(pair);
        let mut runs = self.runs.iter().copied().flatten();
        let found = runs.find_map(|(first, run)| run.chars().nth(code.checked_sub(*first)?.into()));
        found.or_else(|| self.of_base(&pair)).unwrap_or(char::REPLACEMENT_CHARACTER)
    }

    /// The character of the charset that this one extends.
    fn of_base(&self, bytes: &[u8]) -> Option<char> {
        let text = self.base?.decode_without_bom_handling_and_without_replacement(bytes)?;
        let mut characters = text.chars();
        characters.next().filter(|_| characters.next().is_none())
    }

    /// A character with a shift of its own (EUC, SS2 and SS3), if one begins here, and its length.
    fn shifted(&self, bytes: &[u8]) -> Option<(char, usize)> {
        match (self.name, bytes) {
            // A plane, and a character in it. The first one is that of the pairs.
            ("euc-tw", [0x8E, plane @ 0xA1..=0xB0, high, low, ..]) if *low >= 0xA1 => {
                let first = (*plane == 0xA1).then(|| self.character([*high, *low]));
                Some((first.unwrap_or(char::REPLACEMENT_CHARACTER), 4))
            }
            ("euc-jisx0213", [0x8F, high, low, ..]) if *low >= 0xA1 => {
                let character = self.of_base(&[0x8F, *high, *low]);
                Some((character.unwrap_or(char::REPLACEMENT_CHARACTER), 3))
            }
            _ => None,
        }
    }

    pub(super) fn decode(&self, bytes: &[u8]) -> Text<'static> {
        let singles = self.page();
        let mut out = Builder::new(bytes.len());
        let (mut at, mut shifted) = (0, false);
        while let Some(rest) = bytes.get(at..).filter(|rest| !rest.is_empty()) {
            at += match (rest, singles) {
                ([SHIFT_OUT | SHIFT_IN, ..], Some(_)) => {
                    shifted = rest.first() == Some(&SHIFT_OUT);
                    out.unit("", at..at + 1);
                    1
                }
                ([high, low, ..], Some(_)) if shifted => {
                    out.character(self.character([*high, *low]), at..at + 2);
                    2
                }
                ([byte, ..], Some(page)) => {
                    out.character(page.character(*byte), at..at + 1);
                    1
                }
                ([byte, ..], None) if byte.is_ascii() => out.ascii_run(rest, at),
                ([0x8E | 0x8F, ..], None) if let Some((c, length)) = self.shifted(rest) => {
                    out.character(c, at..at + length);
                    length
                }
                // A line end is never part of a character.
                ([high, low, ..], None) if *low >= b' ' => {
                    out.character(self.character([*high, *low]), at..at + 2);
                    2
                }
                _ => {
                    out.character(char::REPLACEMENT_CHARACTER, at..at + 1);
                    1
                }
            };
        }
        out.close(bytes.len())
    }

    /// Adds SI before a replacement and SO after it, if it is inside shifted bytes.
    pub(super) fn lower(&self, bytes: &[u8], edits: Vec<RawEdit>) -> Vec<RawEdit> {
        if self.page.is_empty() {
            return edits;
        }
        let step = |state: bool, rest: &[u8]| match rest {
            [SHIFT_OUT, ..] => Step::Switch(true, 1),
            [SHIFT_IN, ..] => Step::Switch(false, 1),
            [_, _, ..] if state => Step::Text(true, 2),
            _ => Step::Text(state, 1),
        };
        with_switches(
            bytes,
            edits,
            false,
            step,
            |state| if state { &[SHIFT_OUT] } else { &[SHIFT_IN] },
        )
    }

    /// Encodes a text that has only single-byte characters.
    pub(super) fn encode(&self, text: &str) -> Option<Vec<u8>> {
        match self.page() {
            Some(page) => text.chars().map(|c| page.byte(c)).collect(),
            None => text.is_ascii().then(|| text.as_bytes().to_vec()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mime::charset::Charset;
    use crate::span::TextEdit;

    #[test]
    fn rows_of_letters() {
        for (label, bytes, text) in [
            ("johab", &b"\xDE\xE2\xDE\xD1ypal \xDB\x91"[..], "раypal ο"),
            ("ibm939", b"\x0E\x41\x8F\x41\x80\x0F\xA8\x97\x81\x93\x4B\x83\x96\x94", "оаypal.com"),
            ("cp937", b"\x0E\x41\x4F\x0F\x81\x0E\x42\x4B\x0F", "οa．"),
            ("ibm-933", b"\x0E\x4A\x62\x0F\x4B", "а."),
            ("ibm933", b"\x0E\x4B\xA4\x0F\x4B", "ı."),
            ("ibm930", b"\x0E\x44\x5F\x43\x95\x0F", "〇ト"),
            ("ibm1390", b"\x0E\xD9\xE2\x41\x80\x0F", "Іа"),
            ("ibm1388", b"\x0E\x46\x60\x0F", "ɡ"),
            (
                "euc-tw",
                b"g\xA5\xBD\x8E\xA1\xA5\xBD\x8E\xA2\xA1\xA1gle\xFF",
                "gοο\u{FFFD}gle\u{FFFD}",
            ),
            ("euc-jisx0213", b"\xAA\xF9\x8F\xB0\xA1\xC6\xFC\x8E\xB1", "ɡ丂日ｱ"),
        ] {
            let Some(charset @ Charset::Rows(_)) = Charset::from_label(label) else {
                panic!("{label}")
            };
            assert_eq!(charset.decode(bytes.into()).as_str(), text, "{label}");
        }
        let big5 = Rows::named("big5-python").unwrap();
        assert_eq!(big5.decode(b"\xC7\xD9\xC7\xC8ypal\xA3\x6A\xFF").as_str(), "раypalο\u{FFFD}");
    }

    #[test]
    fn an_edit_of_two_byte_letters_ends_their_run() {
        let bytes = b"\x0E\x41\x8F\x41\x80\x41\x8F\x0F\x4B\x83";
        let charset = Charset::from_label("ibm939").unwrap();
        let text = charset.decode(bytes.as_slice().into());
        assert_eq!(text.as_str(), "оао.c");
        let edits = vec![TextEdit { range: 2..4, replacement: "x".into() }];
        let mut new = bytes.to_vec();
        for edit in charset.lower(|| bytes.as_slice().into(), &text, edits).iter().rev() {
            new.splice(edit.range.clone(), edit.replacement.iter().copied());
        }
        assert_eq!(charset.decode(new.as_slice().into()).as_str(), "оxо.c");
    }
}
