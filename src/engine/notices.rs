//! The short explanation beside a dead link, in the reader's language.
//!
//! HTML carries letters beyond ASCII as character references. Plain text carries them where the
//! charset and the transfer encoding of the part can; else it has wording in ASCII, which is English
//! where a script needs more.

/// Language tag, wording, and wording in ASCII where the language has it.
type Words = (&'static str, &'static str, Option<&'static str>);

const WORDS: &[Words] = &[
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

/// The notice in HTML for a BCP 47 tag, with its leading space; English for other languages.
pub fn in_html(language: &str) -> String {
    let words = entry(language).map_or(ENGLISH, |(_, words, _)| words);
    let mut out = String::from(" [");
    for c in words.chars() {
        if c.is_ascii() {
            out.push(c);
        } else {
            out += &format!("&#x{:X};", u32::from(c));
        }
    }
    out.push(']');
    out
}

/// The notice in plain text; `fits` says whether the part can hold these words.
pub fn in_text(language: &str, fits: impl Fn(&str) -> bool) -> String {
    let words = match entry(language) {
        Some((_, words, _)) if fits(words) => words,
        Some((_, _, Some(ascii))) => ascii,
        _ => ENGLISH,
    };
    format!(" [{words}]")
}

fn entry(language: &str) -> Option<&'static Words> {
    let primary = language.split(['-', '_']).next().unwrap_or_default().to_ascii_lowercase();
    WORDS.iter().find(|(tag, ..)| *tag == primary)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn html_is_ascii_in_every_language() {
        for (tag, ..) in WORDS {
            assert!(in_html(tag).is_ascii(), "{tag}");
        }
        assert_eq!(in_html("de-AT"), " [irref&#xFC;hrender Link, abgeschaltet]");
        assert_eq!(in_html("tlh"), in_html("en"));
    }

    #[test]
    fn plain_text_is_in_the_language_where_the_part_can_hold_it() {
        assert_eq!(in_text("ru", |_| true), " [обманчивая ссылка, отключена]");
        assert_eq!(in_text("fr-CA", |_| true), " [lien trompeur, désactivé]");
        assert_eq!(in_text("ru", str::is_ascii), in_text("en", str::is_ascii));
        for (tag, ..) in WORDS {
            let ascii = in_text(tag, str::is_ascii);
            assert!(ascii.is_ascii() && !ascii.contains('&'), "{tag}");
        }
    }
}
