//! The short notice next to a defanged link, in the reader's language.
//!
//! In HTML non-ASCII letters are character references. Plain text has them if the charset and the transfer encoding of
//! the part can encode them; else it gets wording in ASCII, which is English for languages of other scripts.

use unicode_script::{Script, UnicodeScript};
use uts58::unicode::is_letter;

use super::words::{Words, primary};

/// Language tag, wording, and wording in ASCII if the language has it.
type Entry<'w> = (&'w str, &'w str, Option<&'w str>);

const WORDS: &[Entry<'static>] = &[
    ("ar", "رابط مضلل، تم تعطيله", None),
    (
        "de",
        "irreführender Link, abgeschaltet",
        Some("Link abgeschaltet: der Name ist nicht, was er scheint"),
    ),
    ("en", "misleading link, disabled", Some("misleading link, disabled")),
    ("es", "enlace engañoso, desactivado", Some("enlace falso, desactivado")),
    ("fr", "lien trompeur, désactivé", Some("lien trompeur, mis hors service")),
    ("ja", "紛らわしいリンクのため無効にしました", None),
    ("ru", "обманчивая ссылка, отключена", None),
    ("zh", "误导性链接，已停用", None),
];

const ENGLISH: &str = "misleading link, disabled";

/// Maximum number of letters that are read to detect the script of a text: enough for one of any length.
const LETTERS: usize = 2_000;

/// The notice in HTML for a BCP 47 tag, with its leading space; English for other languages.
pub fn in_html(own: &Words, language: &str) -> String {
    format!(" [{}]", words_in_html(own, language))
}

/// The words of the notice, which fit into an attribute as well.
pub fn words_in_html(own: &Words, language: &str) -> String {
    escaped(words_for(own, language).1)
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
pub fn in_text(own: &Words, language: &str, fits: impl Fn(&str) -> bool) -> String {
    let (_, words, ascii) = words_for(own, language);
    let words = if fits(words) { words } else { ascii.unwrap_or(ENGLISH) };
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
    ["ar", "ja", "ru", "zh"].into_iter().find(|tag| 2 * of(tag) > all)
}

/// The primary tag of a language for which there are words.
pub fn known<'w>(own: &'w Words, tag: &str) -> Option<&'w str> {
    own.of(tag).map(|(known, _)| known).or_else(|| built_in(tag).map(|(known, ..)| known))
}

/// The words for a language; English if there are none.
fn words_for<'w>(own: &'w Words, language: &str) -> Entry<'w> {
    let of_operator = |language: &str| {
        let (tag, own) = own.of(language)?;
        let words = own.notice.as_deref()?;
        let ascii = own.notice_ascii.as_deref().or(words.is_ascii().then_some(words));
        Some((tag, words, ascii))
    };
    of_operator(language).or_else(|| built_in(language)).or_else(|| of_operator("en")).unwrap_or((
        "en",
        ENGLISH,
        Some(ENGLISH),
    ))
}

fn built_in(language: &str) -> Option<Entry<'static>> {
    let primary = primary(language);
    WORDS.iter().find(|(tag, ..)| *tag == primary).copied()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::words::Own;

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
        assert_eq!(in_text(&words, "nl-BE", |_| true), " [misleidende link, uitgeschakeld]");
        assert_eq!(in_text(&words, "el", |_| true), " [παραπλανητικός σύνδεσμος]");
        assert_eq!(in_text(&words, "el", str::is_ascii), " [paraplanitikos]");
        assert_eq!(in_html(&words, "de"), " [Link &lt;weg&gt;]");
        assert_eq!(in_text(&words, "fr", |_| true), " [lien trompeur, désactivé]");
        assert_eq!(in_text(&words, "tlh", |_| true), in_text(&none(), "en", |_| true));
        assert_eq!(of_header(b"Content-Language: nl\r\n", &words), Some("nl"));
        assert_eq!(of_header(b"Content-Language: nl\r\n", &none()), None);
    }

    #[test]
    fn html_is_ascii_in_every_language() {
        for (tag, ..) in WORDS {
            assert!(in_html(&none(), tag).is_ascii(), "{tag}");
        }
        assert_eq!(in_html(&none(), "de-AT"), " [irref&#xFC;hrender Link, abgeschaltet]");
        assert_eq!(in_html(&none(), "tlh"), in_html(&none(), "en"));
    }

    #[test]
    fn plain_text_is_in_the_language_where_the_part_can_hold_it() {
        assert_eq!(in_text(&none(), "ru", |_| true), " [обманчивая ссылка, отключена]");
        assert_eq!(in_text(&none(), "fr-CA", |_| true), " [lien trompeur, désactivé]");
        assert_eq!(in_text(&none(), "ru", str::is_ascii), in_text(&none(), "en", str::is_ascii));
        for (tag, ..) in WORDS {
            let ascii = in_text(&none(), tag, str::is_ascii);
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
            ("Content-Language: \u{e9}\r\n", None),
        ] {
            assert_eq!(of_header(head.as_bytes(), &none()), expected, "{head}");
        }
        for (text, expected) in [
            ("Подтвердите: https://example.com/", None),
            ("Пожалуйста, подтвердите ваш адрес: https://example.com/", Some("ru")),
            ("يرجى تأكيد حسابك الآن من فضلك https://a.example/", Some("ar")),
            ("请立即确认您的账户信息以避免停用 https://a.example/", Some("zh")),
            ("お客様のアカウントを確認してください https://a.example/", Some("ja")),
            ("Bitte bestätigen", None),
            ("", None),
        ] {
            assert_eq!(of_script(text), expected, "{text}");
        }
    }
}
