//! The short notice next to a defanged link, in the reader's language.
//!
//! In HTML non-ASCII letters are character references. Plain text has them if the charset and the transfer encoding of
//! the part can encode them; else it gets wording in ASCII, which is English for languages of other scripts.

pub(crate) mod phrases;

use unicode_script::{Script, UnicodeScript};
use uts58::unicode::is_letter;

use super::outcome::Verdict;
use super::policy::words::{Words, primary};
use phrases::{Ours, Phrase};

/// Why a link is dead.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// It misleads.
    Lie,
    /// A rule says so, of good links as well.
    Rule,
}

impl Cause {
    /// The cause for a link with this verdict.
    pub fn of(verdict: Verdict) -> Cause {
        if verdict >= Verdict::Suspect { Cause::Lie } else { Cause::Rule }
    }

    fn ours(self) -> Ours {
        match self {
            Cause::Lie => Ours::Misleading,
            Cause::Rule => Ours::Disabled,
        }
    }
}

/// The tag of Chinese in traditional characters.
const TRADITIONAL: &str = "zh-Hant";

/// Frequent characters that only traditional, and only simplified Chinese has.
const TRADITIONAL_ONLY: &str = "這個們來時說為對還過請無與從國發點應認賬郵連網頁務將處開";
const SIMPLIFIED_ONLY: &str = "这个们来时说为对还过请无与从国发点应认账邮连网页务将处开";

/// Maximum number of letters that are read to detect the script of a text: enough for one of any length.
const LETTERS: usize = 2_000;

/// The notice in HTML for a BCP 47 tag, with its leading space; English for other languages.
pub fn in_html(own: &Words, language: &str, cause: Cause) -> String {
    format!(" [{}]", words_in_html(own, language, cause))
}

/// The words of the notice, which fit into an attribute as well.
pub fn words_in_html(own: &Words, language: &str, cause: Cause) -> String {
    escaped(words_for(own, language, cause).0)
}

/// Text escaped for HTML, all ASCII.
pub fn escaped(words: &str) -> String {
    let mut out = String::with_capacity(words.len());
    let mut markup = String::new();
    uts58::html::escape(words, &mut markup);
    for c in markup.chars() {
        if c.is_ascii() {
            out.push(c);
        } else {
            out += &format!("&#x{:X};", u32::from(c));
        }
    }
    out
}

/// The notice in plain text; `fits` says whether the part can hold these words.
pub fn in_text(own: &Words, language: &str, cause: Cause, fits: impl Fn(&str) -> bool) -> String {
    let (words, ascii) = words_for(own, language, cause);
    let words =
        if fits(words) { words } else { ascii.unwrap_or_else(|| cause.ours().in_english().0) };
    format!(" [{words}]")
}

/// The language of a message by its header, if there are words for it.
pub fn of_header<'w>(head: &[u8], own: &'w Words) -> Option<&'w str> {
    let field = |name: &str| {
        head.split(|byte| *byte == b'\n').find_map(|line| {
            let (found, value) = line.split_at_checked(name.len())?;
            let value = value.strip_prefix(b":")?;
            found.eq_ignore_ascii_case(name.as_bytes()).then_some(value)
        })
    };
    let value = field("Content-Language").or_else(|| field("Accept-Language"))?;
    std::str::from_utf8(value).ok()?.split([',', ';']).find_map(|tag| known(own, tag.trim()))
}

/// The language by the script of a text, if most of its letters are of one script.
pub fn of_script(text: &str) -> Option<&'static str> {
    let scripts = text.chars().filter(|c| is_letter(*c)).take(LETTERS).map(|c| c.script());
    let (mut all, mut kana, mut counts) = (0, 0, [("ar", 0), ("ja", 0), ("ru", 0), ("zh", 0)]);
    for script in scripts {
        all += 1;
        kana += usize::from(matches!(script, Script::Hiragana | Script::Katakana));
        let tag = match script {
            Script::Arabic => "ar",
            Script::Hiragana | Script::Katakana => "ja",
            Script::Cyrillic => "ru",
            Script::Han => "zh",
            _ => continue,
        };
        counts.iter_mut().filter(|(known, _)| *known == tag).for_each(|(_, count)| *count += 1);
    }
    // Japanese is written with Han as well; Chinese is never written with Kana.
    if kana > 0 {
        counts.iter_mut().filter(|(tag, _)| *tag == "zh").for_each(|(tag, _)| *tag = "ja");
    }
    let of = |tag: &str| -> usize {
        counts.iter().filter(|(known, _)| *known == tag).map(|(_, count)| count).sum()
    };
    let tag = ["ar", "ja", "ru", "zh"].into_iter().find(|tag| 2 * of(tag) > all)?;
    Some(if tag == "zh" { chinese(text) } else { tag })
}

/// The tag of a Chinese text: simplified unless characters of the traditional form prevail.
fn chinese(text: &str) -> &'static str {
    let count = |of: &str| text.chars().take(LETTERS).filter(|c| of.contains(*c)).count();
    if count(TRADITIONAL_ONLY) > count(SIMPLIFIED_ONLY) { TRADITIONAL } else { "zh" }
}

/// The tag of our words for a BCP 47 tag: the primary one, and for Chinese in traditional characters, or of a region
/// that writes them, `zh-Hant`.
pub(super) fn tag_of(language: &str) -> String {
    let primary = primary(language);
    let mut others = language.split(['-', '_']).skip(1).take(3);
    let is = |tag: &str, of: &[&str]| of.iter().any(|known| known.eq_ignore_ascii_case(tag));
    // A script outweighs the region behind it.
    let first = others.find(|tag| is(tag, &["Hans", "Hant", "TW", "HK", "MO", "CN", "SG"]));
    let traditional = first.is_some_and(|tag| is(tag, &["Hant", "TW", "HK", "MO"]));
    if primary == "zh" && traditional { TRADITIONAL.to_owned() } else { primary }
}

/// The tag of a language for which there are words: the primary one, but for Chinese in traditional characters.
pub fn known<'w>(own: &'w Words, tag: &str) -> Option<&'w str> {
    let of_operator = || own.of(tag).map(|(known, _)| known);
    phrases::language(&tag_of(tag)).or_else(of_operator)
}

/// The words for a language; English if there are none. Those of the operator are for every link.
fn words_for<'w>(own: &'w Words, language: &str, cause: Cause) -> Phrase<'w> {
    let of_operator = |language: &str| {
        let (_, own) = own.of(language)?;
        let words = own.notice.as_deref()?;
        Some((words, own.notice_ascii.as_deref().or(words.is_ascii().then_some(words))))
    };
    of_operator(language)
        .or_else(|| cause.ours().in_language(&tag_of(language)))
        .or_else(|| of_operator("en"))
        .unwrap_or_else(|| cause.ours().in_english())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::words::Own;

    fn none() -> Words {
        Words::default()
    }

    #[test]
    fn words_of_the_operator_replace_ours() {
        let own = |notice: &str, ascii: Option<&str>| Own {
            notice: Some(notice.to_owned()),
            notice_ascii: ascii.map(str::to_owned),
            ..Own::default()
        };
        let words = Words::new(
            [
                ("nl".to_owned(), own("misleidende link, uitgeschakeld", None)),
                ("el".to_owned(), own("παραπλανητικός σύνδεσμος", Some("paraplanitikos"))),
                ("de".to_owned(), own("Link <weg>", None)),
                ("fr".to_owned(), Own::default()),
            ]
            .into(),
        );
        assert_eq!(
            in_text(&words, "nl-BE", Cause::Lie, |_| true),
            " [misleidende link, uitgeschakeld]"
        );
        assert_eq!(in_text(&words, "el", Cause::Lie, |_| true), " [παραπλανητικός σύνδεσμος]");
        assert_eq!(in_text(&words, "el", Cause::Lie, str::is_ascii), " [paraplanitikos]");
        assert_eq!(in_html(&words, "de", Cause::Lie), " [Link &lt;weg&gt;]");
        assert_eq!(in_text(&words, "fr", Cause::Lie, |_| true), " [lien trompeur, bloqué]");
        assert_eq!(
            in_text(&words, "tlh", Cause::Lie, |_| true),
            in_text(&none(), "en", Cause::Lie, |_| true)
        );
        assert_eq!(of_header(b"Content-Language: nl\r\n", &words), Some("nl"));
        assert_eq!(of_header(b"Content-Language: nl\r\n", &none()), None);
    }

    #[test]
    fn html_is_ascii_in_every_language() {
        for tag in phrases::languages() {
            assert!(in_html(&none(), tag, Cause::Lie).is_ascii(), "{tag}");
        }
        assert_eq!(
            in_html(&none(), "de-AT", Cause::Lie),
            " [irref&#xFC;hrender Link, deaktiviert]"
        );
        assert_eq!(in_html(&none(), "tlh", Cause::Lie), in_html(&none(), "en", Cause::Lie));
    }

    #[test]
    fn plain_text_is_in_the_language_where_the_part_can_hold_it() {
        assert_eq!(in_text(&none(), "ru", Cause::Lie, |_| true), " [обманчивая ссылка, отключена]");
        assert_eq!(in_text(&none(), "ru", Cause::Rule, |_| true), " [ссылка отключена]");
        assert_eq!(in_text(&none(), "ja", Cause::Rule, str::is_ascii), " [link disabled]");
        assert_eq!(in_text(&none(), "fr-CA", Cause::Lie, |_| true), " [lien trompeur, bloqué]");
        assert_eq!(
            in_text(&none(), "ru", Cause::Lie, str::is_ascii),
            in_text(&none(), "en", Cause::Lie, str::is_ascii)
        );
        for tag in phrases::languages() {
            let ascii = in_text(&none(), tag, Cause::Lie, str::is_ascii);
            assert!(ascii.is_ascii() && !ascii.contains('&'), "{tag}");
        }
    }

    #[test]
    fn the_language_follows_the_header_then_the_script() {
        for (head, expected) in [
            ("Subject: x\r\nContent-Language: de-DE\r\n", Some("de")),
            ("accept-language: tlh, fr-FR;q=0.8, en\r\n", Some("fr")),
            ("Accept-Language: en\r\nContent-Language: ja\r\n", Some("ja")),
            ("X-Content-Language: de\r\n", None),
            ("Content-Language: zh-CN\r\n", Some("zh")),
            ("Content-Language: zh-TW\r\n", Some("zh-Hant")),
            ("Accept-Language: zh-Hant-HK, en\r\n", Some("zh-Hant")),
            ("Accept-Language: zh-Hans-HK, en\r\n", Some("zh")),
            ("Accept-Language: zh_HK\r\n", Some("zh-Hant")),
            ("Content-Language: \u{e9}\r\n", None),
        ] {
            assert_eq!(of_header(head.as_bytes(), &none()), expected, "{head}");
        }
        for (text, expected) in [
            ("Подтвердите: https://example.com/", None),
            ("Пожалуйста, подтвердите ваш адрес: https://example.com/", Some("ru")),
            ("يرجى تأكيد حسابك الآن من فضلك https://a.example/", Some("ar")),
            ("请立即确认您的账户信息以避免停用 https://a.example/", Some("zh")),
            ("請立即確認您的帳戶資訊，以免這個帳戶停用 https://a.example/", Some("zh-Hant")),
            ("お客様のアカウントを確認してください https://a.example/", Some("ja")),
            ("Bitte bestätigen", None),
            ("", None),
        ] {
            assert_eq!(of_script(text), expected, "{text}");
        }
    }
}
