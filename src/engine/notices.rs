//! The short explanation beside a dead link, in the reader's language.
//!
//! Edits are ASCII, so that the charset of a part never has to change: HTML carries other letters
//! as character references; plain text has ASCII wording, English where a script needs more.

/// How the notice is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    Html,
    Plain,
}

/// Language tag, wording, and the wording for plain text where it can be ASCII.
const WORDS: &[(&str, &str, Option<&str>)] = &[
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

/// The notice for a BCP 47 tag, with its leading space; English for other languages.
pub fn beside(language: &str, form: Form) -> String {
    let primary = language.split(['-', '_']).next().unwrap_or_default().to_ascii_lowercase();
    let entry = WORDS.iter().find(|(tag, ..)| *tag == primary);
    let words = match (entry, form) {
        (Some((_, words, _)), Form::Html) => words,
        (Some((_, _, Some(plain))), Form::Plain) => plain,
        _ => ENGLISH,
    };
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_language_in_ascii() {
        for (tag, ..) in WORDS {
            for form in [Form::Html, Form::Plain] {
                assert!(beside(tag, form).is_ascii(), "{tag}");
            }
            assert!(!beside(tag, Form::Plain).contains('&'), "{tag}");
        }
        assert_eq!(beside("de-AT", Form::Html), " [irref&#xFC;hrender Link, abgeschaltet]");
        assert_eq!(beside("ja", Form::Plain), beside("tlh", Form::Plain));
    }
}
