//! What notices and banners say in each language: the columns of `phrases.tsv`.

/// A row for each language.
const FILE: &str = include_str!("phrases.tsv");

/// A phrase, and the same in ASCII if the language has it.
pub(crate) type Phrase<'w> = (&'w str, Option<&'w str>);

/// Our phrases, in the order of their columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ours {
    /// Beside a link that misleads.
    Misleading,
    /// Beside a link that a rule disables.
    Disabled,
    /// Misleading links were defanged.
    MisleadingLinks,
    /// Links were defanged because a rule says so.
    DisabledLinks,
    /// The message is from outside.
    External,
    /// No earlier message from its author is known.
    FirstContact,
}

impl Ours {
    /// The phrase in the language with this tag, if there is one.
    pub fn in_language(self, tag: &str) -> Option<Phrase<'static>> {
        rows().find(|(language, _)| *language == tag).map(|(_, phrases)| self.among(phrases))
    }

    /// The phrase in English, which every reader may get.
    pub fn in_english(self) -> Phrase<'static> {
        self.in_language("en").unwrap_or_default()
    }

    /// The phrase in all languages.
    pub fn in_all(self) -> impl Iterator<Item = Phrase<'static>> {
        rows().map(move |(_, phrases)| self.among(phrases))
    }

    fn among(self, phrases: &'static str) -> Phrase<'static> {
        let mut cells = phrases.split('\t').skip(2 * self as usize);
        let words = cells.next().unwrap_or_default();
        let ascii = cells.next().filter(|ascii| !ascii.is_empty());
        (words, ascii.or_else(|| words.is_ascii().then_some(words)))
    }
}

/// The tag of a language, if there are phrases in it.
pub(crate) fn language(tag: &str) -> Option<&'static str> {
    languages().find(|language| *language == tag)
}

/// The tags of all languages.
pub(crate) fn languages() -> impl Iterator<Item = &'static str> {
    rows().map(|(language, _)| language)
}

/// Languages and their phrases.
fn rows() -> impl Iterator<Item = (&'static str, &'static str)> {
    FILE.lines().filter(|row| !row.starts_with('#')).filter_map(|row| row.split_once('\t'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_language_has_every_phrase() {
        for (language, phrases) in rows() {
            let cells: Vec<&str> = phrases.split('\t').collect();
            assert_eq!(cells.chunks(2).len(), Ours::FirstContact as usize + 1, "{language}");
            for pair in cells.chunks(2) {
                assert!(!pair[0].is_empty() && pair.get(1).is_none_or(|ascii| ascii.is_ascii()));
            }
        }
        assert_eq!(Ours::Disabled.in_english(), ("link disabled", Some("link disabled")));
        assert_eq!(language("zh"), Some("zh"));
        assert_eq!(language("z"), None);
    }
}
