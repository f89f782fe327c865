//! Words of others that read as a name by chance: acronyms and numbers near names of three letters, and a word with
//! umlauts that the sender's domain is.

use unicode_script::Script;

use super::Sender;
use crate::characters::lookalike::Look;
use crate::protected::beyond_ascii::written_out;
use crate::protected::display_text::DisplayText;
use crate::protected::organisations::registrable_label;
use crate::spelling::form::HostForms;
use uts58::unicode::ScriptOf as _;

/// Letters of a short name.
const LETTERS: usize = 3;

impl DisplayText {
    /// Whether letters with marks are a word that the sender's domain is: `Über` of `ueber.de` is no `Uber`.
    pub(super) fn is_own_word(&self, start: usize, end: usize, sender: Sender<'_>) -> bool {
        let letters = self.letters.get(start..end).unwrap_or_default();
        if letters.iter().all(char::is_ascii) {
            return false;
        }
        let word: String = letters.iter().flat_map(|c| c.to_lowercase()).collect();
        let label = registrable_label(sender.host).unwrap_or_default();
        let is_theirs =
            |written: String| label == written || HostForms::read(label).unicode == word;
        written_out(&word).any(is_theirs)
    }

    /// Whether letters that resemble a name are made to, if the name is short. `DHI`, `444` and `Brno` are others; `DHl`,
    /// `D0L` and `DНL` are not, as capitals, digits or scripts are mixed. A word of another alphabet is one of its language
    /// where the text has no word of the name's.
    pub(super) fn is_made_alike(&self, start: usize, end: usize, name: &Look) -> bool {
        let letters = self.letters.get(start..end).unwrap_or_default();
        if name.len() > LETTERS || name.spells(letters) {
            return true;
        }
        let is_small = |c: &char| c.is_ascii_lowercase();
        match (letters.iter().all(char::is_ascii), name.has_ascii()) {
            (true, false) => false,
            (true, true) => {
                let is_mixed = letters.contains(&'I') && letters.iter().any(is_small);
                let is_zero =
                    letters.contains(&'0') && letters.iter().any(char::is_ascii_alphabetic);
                letters.len() == name.len() && (is_mixed || is_zero)
            }
            (false, true) => {
                let is_foreign = |c: &char| matches!(c.script(), Script::Cyrillic | Script::Greek);
                let is_latin = |c: &char| c.is_ascii_alphabetic();
                !letters.iter().all(is_foreign) || self.letters.iter().any(is_latin)
            }
            (false, false) => true,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::posed;

    #[test]
    fn acronyms_of_others_are_none_of_a_short_name() {
        for text in [
            "DLR", "DIR Newsletter", "GIS Team", "HAN", "HAN Support", "ICL Support", "LCI",
            "ICI Newsletter", "DHI", "DHI Service", "MTC Support", "444", "A44", "401 Support",
            "Brno", "IT Brno", "Brno Support", "РКО", "АОК Онлайн", "ССВ",
        ] {
            assert_eq!(posed(text, "x@evil.example"), None, "{text}");
        }
        for (text, name) in [
            ("DHL", "dhl.com"),
            ("dhl Express", "dhl.com"),
            ("DHl Express", "dhl.com"),
            ("A0L Support", "aol.com"),
            ("DНL", "dhl.com"),
            ("UРS Express", "ups.com"),
            ("АОК Service", "aok.de"),
            ("МТС", "mts.ru"),
            ("ᴅʜʟ", "dhl.com"),
            ("ＤＨＬ", "dhl.com"),
        ] {
            assert_eq!(posed(text, "x@evil.example").as_deref(), Some(name), "{text}");
        }
    }

    #[test]
    fn words_of_languages_are_no_names_of_others() {
        for text in
            ["Krankenkasse", "Ihre Krankenkasse", "Krankenkasse Service", "Δύναμη", "AAA Auto"]
        {
            assert_eq!(posed(text, "x@evil.example"), None, "{text}");
        }
        for host in ["ueber.de", "xn--ber-goa.de"] {
            assert_eq!(posed("Über", &format!("x@{host}")), None, "{host}");
            assert_eq!(posed("Uber", &format!("x@{host}")).as_deref(), Some("uber.com"), "{host}");
        }
        for (text, name) in
            [("Über", "uber.com"), ("Uber", "uber.com"), ("Ubеr", "uber.com"), ("AAA", "aaa.com")]
        {
            assert_eq!(posed(text, "x@evil.example").as_deref(), Some(name), "{text}");
        }
    }
}
