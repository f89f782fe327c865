//! Known names with a letter of another alphabet that looks like none of theirs: `faceboᛟk.com`. What else it may be read as
//! does not matter, since nobody writes the rest of the name by chance.

use std::sync::Arc;

use super::super::Judge;
use crate::outcome::{Edit, Reason, Verdict};
use homograph::Judgement;

/// Letters of a name that no other word has by chance, all but one.
const LONG: usize = 6;

/// Looking a word up with each letter of ASCII in place of another.
const LOOK_UP_STEPS: u64 = 160;

impl Judge<'_> {
    /// Makes a host of mixed alphabets unsafe in which a known name stands but for one letter that is not of its alphabet.
    pub(super) fn with_foreign_letter(&mut self, judgement: Arc<Judgement>) -> Arc<Judgement> {
        let is_mixed = |reason| matches!(reason, Reason::MixedScript | Reason::StatusRestricted);
        if judgement.verdict != Verdict::Suspect
            || !judgement.reasons.iter().any(is_mixed)
            || self.policy.allows(&judgement.ascii)
        {
            return judgement;
        }
        let words = judgement.unicode.split(['.', '-', '_']);
        let mut words = words.filter_map(|word| Some((word, foreign_letter(word)?)));
        let Some(name) = words.find_map(|(word, foreign)| self.name_but_for(word, foreign)) else {
            return judgement;
        };
        let mut naming = Judgement::clone(&judgement);
        naming.reasons.insert(Reason::TargetLookalike);
        naming.verdict = Verdict::Unsafe;
        naming.edit = naming.edit.max(Edit::Link);
        naming.target = Some(name);
        Arc::new(naming)
    }

    /// The known name that a word is with some letter of ASCII for this one.
    fn name_but_for(&mut self, word: &str, foreign: char) -> Option<String> {
        self.steps += LOOK_UP_STEPS;
        let mut read =
            ('a'..='z').map(|letter| word.replace(foreign, letter.encode_utf8(&mut [0])));
        read.find(|word| {
            self.policy.protected.has_distinctive(word) || self.own_names.has_distinctive(word)
        })
    }
}

/// The only letter of a word beyond ASCII, where that is not of Latin and the word is long.
fn foreign_letter(word: &str) -> Option<char> {
    let mut others = word.chars().filter(|c| !c.is_ascii());
    let foreign = others.next()?;
    let is_latin = matches!(foreign, '\u{80}'..='\u{24f}' | '\u{1e00}'..='\u{1eff}');
    (!is_latin && others.all(|other| other == foreign) && word.chars().count() >= LONG)
        .then_some(foreign)
}

#[cfg(test)]
mod tests {
    use crate::Verdict;
    use crate::tests::from_a_stranger;

    #[test]
    fn a_letter_of_another_alphabet_in_a_name_is_a_disguise() {
        for host in [
            "faceboᛟk.com",
            "micrᝪsoft.com",
            "www.ⰰmazon.com",
            "coinbasե.com",
            "insta၅ram.com",
            "faceb🇴🇴k.com",
            "login.micrᝪsoft.com.example.org",
            "micrᝪsoft-login.com",
        ] {
            assert_eq!(
                from_a_stranger(&format!("see https://{host}/x\n")),
                (Verdict::Unsafe, true),
                "{host}"
            );
        }
        for host in [
            "หวย24hd.com",
            "1c-бухгалтерия.ru",
            "visยa.com",
            "exampleᛟ.com",
            "youtube動画.com",
            "amazon熊本.com",
        ] {
            let (verdict, edited) = from_a_stranger(&format!("see https://{host}/x\n"));
            assert!(verdict < Verdict::Unsafe && !edited, "{host} {verdict:?}");
        }
    }
}
