//! Look-alike letters in a text that is no host: `РауРаl: your account`, `𝗣𝗮𝘆𝗣𝗮𝗹`.
//!
//! Writers spell a name in its own letters, so a name in other letters is a disguise anywhere, and
//! so is a word in which all letters of a second script are twins of Latin ones. So are a name and
//! an English word with an invisible character inside, which filters do not find. Normal language
//! and typing errors are ignored: words of a script (`рис`), a letter of the wrong keyboard among
//! letters without twins (`Cбер`), an ending after an abbreviation (`PDFа`).

use std::ops::Range;

use super::of_no_language::is_of_no_language;
use super::posing::resembles;
use crate::Context;
use crate::characters::letters;
use crate::characters::lookalike::{Look, LookHash};
use crate::characters::properties::{nfd, nfkc};
use crate::characters::reading::Likeness;
use crate::characters::reading::{LabelChars, are_twins};
use crate::english;
use crate::protected::display_text::{DisplayText, SOFT_HYPHEN, plain_letter, plain_letters};
use crate::protected::name::{DISTINCTIVE, MIN_BRAND, Reach};
use crate::protected::organisations::Counts;
use crate::verdict::Verdict;
use unicode_script::Script;
use uts58::unicode::ScriptOf as _;
use uts58::unicode::hosts::is_mark;

mod inflected;
mod twins;

use twins::{imitates_latin, is_lure};

/// Letters that a word must have for a second script to count.
const MIN_WORD: usize = 4;

/// Letters of a name that no word of another script equals by chance.
const MIN_NAME: usize = 5;

/// Letters that are not what they read as.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Disguise {
    /// Suspect for a name, and for a word of two scripts; a notice for styled letters without a
    /// name.
    pub verdict: Verdict,
    /// The name that they read as, in ASCII form.
    pub name: Option<String>,
    /// The letters as spelled.
    pub spelled: String,
}

/// The first disguised name in the text, else the first such word. `host` is that of the sender's
/// address in lower-case ASCII form, empty if there is none: senders may write their own name in
/// any way.
pub fn disguised(text: &str, host: &str, context: &Context<'_>) -> Option<Disguise> {
    if text.is_ascii() {
        return None;
    }
    let shown = DisplayText::read(text);
    let kinds = shown.letters.iter().map(|c| Letter::of(*c)).collect();
    let candidate = Candidate { shown, kinds, host, context };
    let starts: Vec<usize> = candidate.shown.starts().collect();
    let named = starts.iter().find_map(|start| candidate.named(*start));
    let mut kinds = [DisguiseKind::Mixed, DisguiseKind::Parted, DisguiseKind::Styled].into_iter();
    named.or_else(|| kinds.find_map(|kind| candidate.word(kind)))
}

/// In which way letters are disguised.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum DisguiseKind {
    /// Latin letters beside those of another script.
    Mixed,
    /// Styled letters, which are characters of their own.
    Styled,
    /// Plain letters with invisible characters or odd blanks between them.
    Parted,
    /// Latin letters that no one language has together: hooks and tails of several (`þąỵþąļ`).
    OfNoLanguage,
    /// No letter is Latin.
    Whole,
}

impl DisguiseKind {
    /// Whether letters are of a script that has no such names, some of them or all.
    fn is_of_scripts(self) -> bool {
        matches!(self, DisguiseKind::Mixed | DisguiseKind::Whole)
    }
}

/// The kind of one letter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Letter {
    Plain,
    Styled,
    Foreign,
    /// Digits, and letters with marks: they do not count.
    Neutral,
}

impl Letter {
    fn of(c: char) -> Letter {
        if c.is_ascii_alphabetic() {
            return Letter::Plain;
        }
        match c.script() {
            // Ordinals of Romance languages.
            _ if matches!(c, 'ª' | 'º') => Letter::Neutral,
            _ if plain_letter(c).is_some() => Letter::Styled,
            // Mathematical Greek.
            _ if matches!(c, '\u{1d6a8}'..='\u{1d7cb}') => Letter::Foreign,
            _ if !c.is_alphabetic() => Letter::Neutral,
            // Ligatures.
            _ if nfkc(c).all(|plain| plain.is_ascii()) => Letter::Neutral,
            Script::Common | Script::Inherited => Letter::Neutral,
            Script::Latin if letters::all(small(c)).is_empty() && nfd([c]).len() == 1 => {
                Letter::Foreign
            }
            Script::Latin => Letter::Neutral,
            // Written without spaces: a word begins where the script does.
            _ if crate::characters::cjk::is_cjk(c) => Letter::Neutral,
            _ => Letter::Foreign,
        }
    }
}

fn small(c: char) -> char {
    c.to_lowercase().next().unwrap_or(c)
}

struct Candidate<'a> {
    shown: DisplayText,
    /// The kind of each letter.
    kinds: Vec<Letter>,
    host: &'a str,
    context: &'a Context<'a>,
}

impl Candidate<'_> {
    /// The words as written, separated by what is no letter.
    fn words(&self) -> impl Iterator<Item = Range<usize>> {
        let ends = self.shown.gaps().skip(1).chain([self.shown.letters.len()]);
        self.shown.gaps().zip(ends).map(|(start, end)| start..end)
    }

    fn letters(&self, range: Range<usize>) -> &[char] {
        self.shown.letters.get(range).unwrap_or_default()
    }

    fn kind(&self, range: Range<usize>) -> Option<DisguiseKind> {
        let kinds = |range: Range<usize>| self.kinds.get(range).unwrap_or_default();
        let all = kinds(range.clone());
        if !all.contains(&Letter::Foreign) {
            let parted = || self.shown.parted(range.start, range.end).next();
            let is_ascii = || self.letters(range.clone()).iter().all(char::is_ascii);
            return match all.contains(&Letter::Styled) {
                true => Some(DisguiseKind::Styled),
                false if !is_ascii() => None,
                false if self.shown.is_spaced(range.start, range.end) => Some(DisguiseKind::Parted),
                false => parted().map(|_| DisguiseKind::Parted),
            };
        }
        let latin = |word: &[Letter]| {
            word.iter().any(|letter| matches!(letter, Letter::Plain | Letter::Styled))
        };
        let within = |word: Range<usize>| {
            word.start.max(range.start)..word.end.min(range.end).max(word.start)
        };
        let mixed = self
            .words()
            .filter(|word| word.start < range.end && word.end > range.start)
            .map(|word| kinds(within(word)))
            .any(|word| word.contains(&Letter::Foreign) && latin(word));
        match mixed {
            true => Some(DisguiseKind::Mixed),
            false => (!latin(all)).then_some(DisguiseKind::Whole),
        }
    }

    /// The ways in which letters may be disguised as a name.
    fn kinds(&self, range: Range<usize>) -> impl Iterator<Item = DisguiseKind> {
        let letters = self.letters(range.clone());
        let of_none = is_of_no_language(letters).then_some(DisguiseKind::OfNoLanguage);
        self.kind(range).into_iter().chain(of_none)
    }

    /// A name that begins here, in letters that are not its own.
    fn named(&self, start: usize) -> Option<Disguise> {
        let range = |end: usize| (end > start).then_some(start..end);
        let disguise = |(end, name): (usize, String)| Disguise {
            verdict: Verdict::Suspect,
            name: Some(name),
            spelled: self.letters(start..end).iter().collect(),
        };
        let (protected, own) = (self.context.protected, self.context.own);
        let organisation = protected.organisations().and_then(|table| {
            let mut spans = self.shown.spans(start, |look: LookHash| table.begins(look));
            spans.find_map(|(end, looks)| {
                let named = |kind: DisguiseKind| {
                    let looks = looks.iter().copied();
                    let mut named = looks.flat_map(|look| table.by_look(look, false));
                    named.find(|(row, look, counts)| {
                        let is_counted = if kind.is_of_scripts() {
                            !matches!(counts, Counts::Nowhere | Counts::OtherOwner)
                        } else {
                            self.shown.is_counted(Some(table), *counts, start, end)
                        };
                        is_counted
                            && !table.serves(*row, self.host)
                            && self.is_like(start..end, kind, look)
                    })
                };
                let (row, ..) = self.kinds(range(end)?).find_map(named)?;
                Some((end, table.domain(row).to_owned()))
            })
        });
        let of_set = |names: &crate::Names| {
            let mut spans = self.shown.spans(start, |look| names.begins(look));
            spans.find_map(|(end, looks)| {
                let named = |kind: DisguiseKind| {
                    let mut named = looks.iter().copied().flat_map(|look| names.by_look(look));
                    named.find(|name| {
                        let brand = name.labels.get(name.brand);
                        let counts = if kind.is_of_scripts() {
                            name.brand_len() >= MIN_BRAND
                        } else {
                            name.reach == Reach::Brand && name.brand_len() >= DISTINCTIVE
                        };
                        let is_like = |look| self.is_like(start..end, kind, look);
                        counts && brand.is_some_and(|(_, look)| is_like(look))
                    })
                };
                let name = self.kinds(range(end)?).find_map(named)?;
                (!names.covers(self.host)).then(|| (end, name.ascii.to_string()))
            })
        };
        let known = || [own, protected].into_iter().find_map(|names| self.known(start, names));
        organisation
            .or_else(|| of_set(protected))
            .or_else(|| of_set(own))
            .or_else(known)
            .map(disguise)
    }

    /// A name that is only often visited: in a written word of two scripts.
    fn known(&self, start: usize, names: &crate::Names) -> Option<(usize, String)> {
        let word = self.words().find(|word| word.start == start)?;
        (self.kind(word.clone())? == DisguiseKind::Mixed && word.len() >= MIN_WORD).then_some(())?;
        let chars = LabelChars::of(self.letters(word.clone()).iter().copied().map(small));
        let mut found = names.known().flat_map(|known| known.named(&chars));
        let is_like = |look: &Look| self.is_like(word.clone(), DisguiseKind::Mixed, look);
        let name = found.find_map(|(name, look)| is_like(&look).then(|| name.to_owned()))?;
        Some((word.end, name))
    }

    fn is_like(&self, range: Range<usize>, kind: DisguiseKind, look: &Look) -> bool {
        let letters = self.letters(range.clone());
        match (kind, resembles(letters, look)) {
            (_, None) => false,
            (DisguiseKind::Styled | DisguiseKind::OfNoLanguage, Some(_)) => true,
            (DisguiseKind::Parted, Some(likeness)) => likeness == Likeness::Same,
            (DisguiseKind::Mixed, Some(likeness)) => likeness >= Likeness::Foreign,
            // A name of another script is spelled there with a mark or without it (`امازون`).
            (DisguiseKind::Whole, Some(likeness)) => {
                likeness == Likeness::Foreign
                    && look.has_ascii()
                    && look.len() >= MIN_NAME
                    && !self.is_in_its_script(range)
            }
        }
    }

    /// Whether other letters of the text show that it is written in this script.
    fn is_in_its_script(&self, range: Range<usize>) -> bool {
        let others = self.shown.letters.iter().enumerate().filter(|(at, _)| !range.contains(at));
        let mut foreign = others.filter(|(_, c)| Letter::of(**c) == Letter::Foreign);
        foreign.any(|(_, c)| !are_twins([small(*c)], Script::Latin))
    }

    /// The first word with this kind of disguise.
    fn word(&self, kind: DisguiseKind) -> Option<Disguise> {
        let is_lure = |word: &Range<usize>| is_lure(self.letters(word.clone()));
        let counts = |word: &Range<usize>| {
            word.len() >= MIN_WORD || kind == DisguiseKind::Mixed && is_lure(word)
        };
        let mut words = self.words().filter(counts);
        let found = words.find(|word| {
            self.kind(word.clone()) == Some(kind)
                && match kind {
                    DisguiseKind::Mixed => {
                        let letters = self.letters(word.clone());
                        (imitates_latin(letters) || is_lure(word)) && !self.is_inflected(word)
                            || letters.iter().any(|c| is_of_no_mail(*c))
                    }
                    DisguiseKind::Parted => self.is_divided_word(word.clone()),
                    DisguiseKind::Styled | DisguiseKind::Whole | DisguiseKind::OfNoLanguage => true,
                }
        })?;
        let verdict = if kind == DisguiseKind::Styled { Verdict::Notice } else { Verdict::Suspect };
        Some(Disguise { verdict, name: None, spelled: self.letters(found).iter().collect() })
    }

    /// Whether an English word has an invisible character inside that does not say where it may be
    /// divided. Lines through words and under them are seen, and people draw them.
    fn is_divided_word(&self, word: Range<usize>) -> bool {
        let mut parted = self.shown.parted(word.start, word.end);
        parted.any(|c| c != SOFT_HYPHEN && !is_mark(c))
            && english::is_any_word(&plain_letters(self.letters(word).iter().copied()))
    }
}

/// Whether a letter is of a script that nobody writes mail in, and that looks like Latin.
fn is_of_no_mail(c: char) -> bool {
    use Script::{Carian, Deseret, Gothic, Lycian, Lydian, Old_Italic, Osage, Runic};
    matches!(c.script(), Carian | Deseret | Gothic | Lycian | Lydian | Old_Italic | Osage | Runic)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Names;
    use uts58::tlds::TldTable;

    pub(super) fn found(text: &str, host: &str) -> Option<(Verdict, Option<String>)> {
        let (protected, own) = (Names::builtin(), Names::new(["harbourbank.example"]));
        let (none, tlds) = (Names::default(), TldTable::new(["com"], ""));
        let context = Context { own: &own, ..crate::tests::context(&protected, &none, &tlds) };
        disguised(text, host, &context).map(|it| (it.verdict, it.name))
    }

    #[test]
    fn names_of_other_scripts_are_written_with_marks_or_without() {
        for text in ["امازون", "عروض امازون", "انستغرام", "ارامكس"] {
            assert_eq!(found(text, "example.com"), None, "{text}");
        }
    }

    #[test]
    fn names_in_letters_of_others_are_found() {
        for (text, name) in [
            ("РауРаl: your account", "paypal.com"),
            ("Your РаyPаl account", "paypal.com"),
            ("раураl", "paypal.com"),
            ("PаyPаl Security", "paypal.com"),
            ("𝗣𝗮𝘆𝗣𝗮𝗹", "paypal.com"),
            ("🅟🅐🅨🅟🅐🅛", "paypal.com"),
            ("🅿🅰🆈🅿🅰🅻", "paypal.com"),
            ("⒫⒜⒴⒫⒜⒧", "paypal.com"),
            ("Your þąỵþąļ account", "paypal.com"),
            ("ƥąỿƥąɭ", "paypal.com"),
            ("ɳëţƒĺįх", "netflix.com"),
            ("Ṃịçṛọṡọfṱ account", "microsoft.com"),
            ("\u{1cce5}\u{1ccd6}\u{1ccee}\u{1cce5}\u{1ccd6}\u{1cce1}", "paypal.com"),
            ("𝚸𝛂𝛄𝚸𝛂l", "paypal.com"),
            ("Your 𝓟𝓪𝔂𝓟𝓪𝓵 account", "paypal.com"),
            ("Ⓟⓐⓨⓟⓐⓛ", "paypal.com"),
            ("🄿🄰🅈🄿🄰🄻", "paypal.com"),
            ("ᴾᵃʸᴾᵃˡ", "paypal.com"),
            ("Amаzon order", "amazon.com"),
            ("MetaМask alert", "metamask.io"),
            ("аррӏе pie", "apple.com"),
            ("Αpple pie", "apple.com"),
            ("Bank оf America", "bankofamerica.com"),
            ("Wikipediа", "wikipedia.com"),
            ("Harbоurbank", "harbourbank.example"),
            ("Nеtflіх is waiting", "netflix.com"),
            ("P\u{200b}аyPаl", "paypal.com"),
            ("NETFLIХ", "netflix.com"),
        ] {
            let disguise = Some((Verdict::Suspect, Some(name.to_owned())));
            assert_eq!(found(text, "evil.example"), disguise, "{text}");
            assert_eq!(found(text, ""), disguise, "{text}");
        }
    }

    #[test]
    fn a_word_reads_as_latin_though_each_letter_of_it_is_twin_of_another() {
        for text in [
            "Your рassword еxpired",
            "Unusual аccess",
            "to your оrder",
            "ѕhared with you",
            "your рarcel",
            "рayroll",
            "Рassword Service",
            "Рeace",
            "рeace",
            "Αccess",
        ] {
            assert_eq!(found(text, ""), Some((Verdict::Suspect, None)), "{text}");
        }
        for text in ["copт", "Cахар", "Cope и Xаoc", "pоза", "ceстра"] {
            assert_eq!(found(text, ""), None, "{text}");
        }
    }

    #[test]
    fn invisible_characters_inside_names_and_words_are_found() {
        let paypal = Some((Verdict::Suspect, Some("paypal.com".to_owned())));
        for text in [
            "Your Pay\u{ad}Pal",
            "Pay\u{200b}Pal news",
            "P\u{200c}ayPal",
            "Your Pay\u{200e}Pal",
            "Pay\u{2066}Pal",
            "Pay\u{e0041}Pal",
            "p\u{336}a\u{336}y\u{336}p\u{336}a\u{336}l\u{336}",
            "P\u{332}a\u{332}y\u{332}P\u{332}a\u{332}l\u{332} news",
            "P\u{20dd}ayPal",
            "Your P\u{2009}a\u{2009}y\u{2009}P\u{2009}a\u{2009}l account",
            "P\u{3000}a\u{3000}y\u{3000}P\u{3000}a\u{3000}l",
        ] {
            assert_eq!(found(text, ""), paypal, "{text:?}");
        }
        for text in ["your ac\u{200b}count", "pass\u{200c}word", "pass\u{ad}\u{2060}word"] {
            assert_eq!(found(text, ""), Some((Verdict::Suspect, None)), "{text:?}");
        }
        for text in [
            "PayPal\u{200b} news",
            "Your P a y P a l account",
            "Pay\u{2009}Pal account",
            "10\u{202f}000\u{202f}€ – A\u{2009}&\u{2009}B",
            "w\u{336}o\u{336}r\u{336}d\u{336}",
            "PayPal\u{20dd}",
            "\u{200b}PayPal",
            "in\u{ad}for\u{ad}ma\u{ad}tion",
            "Donau\u{ad}dampf\u{ad}schiff",
            "می\u{200c}خواهم",
            "news:\u{200b}today",
            "\u{1f468}\u{200d}\u{1f469} family",
        ] {
            assert_eq!(found(text, ""), None, "{text:?}");
        }
        assert_eq!(found("Pay\u{ad}Pal", "paypal.com"), None);
    }

    #[test]
    fn words_of_two_scripts_and_styled_words_are_found() {
        for text in ["Your аccount", "РAYMENT due", "Urgеnt", "Dосumеnts", "ассount", "𐌐𐌀y𐌐𐌀𐌋 news"]
        {
            assert_eq!(found(text, ""), Some((Verdict::Suspect, None)), "{text}");
        }
        for text in ["Ваш Officе готов", "Пакет Windowѕ", "Zoomе", "Ваш Pleasе"]
        {
            assert_eq!(
                found(text, "").map(|(verdict, _)| verdict),
                Some(Verdict::Suspect),
                "{text}"
            );
        }
        assert_eq!(found("𝘾𝙊𝙉𝙂𝙍𝘼𝙏𝙎 to you", ""), Some((Verdict::Notice, None)));
    }

    #[test]
    fn words_that_lures_are_about_may_be_short() {
        for text in [
            "F\u{430}x waiting", "\u{3a4}ax Service", "\u{420}ay", "\u{39d}ew", "\u{41a}ey",
            "D\u{43e}\u{441}", "\u{422}\u{430}x",
        ] {
            assert_eq!(found(text, ""), Some((Verdict::Suspect, None)), "{text}");
        }
        for text in [
            "\u{442}\u{430}\u{445}",
            "\u{420}\u{430}\u{443}",
            "\u{41d}\u{415}\u{422} C\u{428}\u{410}",
            "PC\u{430}",
            "C\u{41e}\u{41c}",
            "\u{3a4}\u{3b1}\u{3c7}. \u{39a}\u{3ce}\u{3b4}.",
            "10 k\u{3a9}",
            "Fax, tax, pay",
        ] {
            assert_eq!(found(text, ""), None, "{text}");
        }
    }

    #[test]
    fn languages_and_slips_are_left_alone() {
        for text in [
            "PayPal: your account",
            "Привет, мир",
            "Сбербанк",
            "Cбербанк",
            "Новости: Сбербанк и ЦБ",
            "三井住友銀行のお知らせ",
            "MOCКВА",
            "рис и сахар",
            "IТ-отдел",
            "PDFа",
            "Работа в Zoomе",
            "Установка Windowsа",
            "Привязка WhatsAppа к CRM",
            "Нет доступа к Outlookу",
            "Новости Apple и Google",
            "آموزش PDF\u{200c}ها",
            "آموزش Windowsها",
            "آموزش Laptop\u{640}ها برای شما",
            "نئی Facebookہ کے لیے",
            "بەکارهێنانی Facebookە بۆ",
            "פרסום בגוגל וFacebook",
            "מדריך Emailס למשתמש",
            "נייע PDFס",
            "Նոր Facebookս",
            "Նոր SMSս համար",
            "ＰａｙＰａｌ",
            "Ａｍａｚｏｎのご注文",
            "Amazonのお知らせ",
            "α-helix and β-sheet",
            "μm, kΩ and 20 °C",
            "Café Müller, Łódź, Straße",
            "PayPal™ and Amazon®",
            "Nestlé, Citroën",
            "H₂O and m²",
            "Ελλάδα: νέα",
            "ﬁnance oﬃce",
            "Türkiye İş Bankası",
            "Oʻzbekiston Milliy banki",
            "Société Générale à Zürich",
            "Česká spořitelna, Śląski Bank Spółdzielczy",
            "Thế Giới Di Động",
            "Íslandsbanki í þágu",
            "Pàypál",
            "Việt Nam",
            "№ 5, ½ off",
            "한국 Samsung 서비스",
            "",
        ] {
            assert_eq!(found(text, "example.org"), None, "{text}");
        }
        assert_eq!(found("𝗣𝗮𝘆𝗣𝗮𝗹", "paypal.com").and_then(|(_, name)| name), None);
    }

    #[test]
    fn long_texts_are_read_in_part() {
        for text in ["а b ".repeat(100_000), "аp".repeat(100_000), "𝗽".repeat(100_000)] {
            assert!(found(&text, "").is_none_or(|(_, name)| name.is_none()));
        }
    }
}
