//! Names as the grammar of a language wants them, with a mark on the last letter, and a dot right behind: `Lufthansā.lv`,
//! `lufthansą.do Berlina`. Bare words only: behind a scheme or `www.`, or in front of a path, a host is meant.

use super::Judge;
use super::logins::has_only;
use super::prose::{is_in_sentence, is_of_another_suffix};
use crate::judged::Judged;
use crate::outcome::{Reason, Verdict};
use homograph::letters::{self, Languages};
use homograph::reads_as;
use uts58::unicode::is_letter;
use uts58::{Kind, Link};

/// Vowels in which forms of names end: instrumental, accusative and locative of Polish and the Baltic languages, any form
/// of Czech, Slovak and Hungarian, Romanian words.
const ENDINGS: [char; 18] =
    ['á', 'é', 'í', 'ó', 'ú', 'ý', 'ā', 'ă', 'ą', 'ē', 'ė', 'ę', 'ě', 'ī', 'į', 'ū', 'ů', 'ų'];

/// Bytes before and behind a word in which its language is looked for.
const NEARBY: usize = 256;

impl Judge<'_> {
    /// Lowers the verdict of a word that ends as words of its country do, or of the language of the sentence that it
    /// stands in.
    pub(super) fn downgrade_inflected_beyond_ascii(
        &mut self,
        text: &str,
        link: &Link,
        judged: &mut Judged,
    ) {
        if judged.verdict <= Verdict::Notice
            || link.kind != Kind::Bare
            || link.span != link.host
            || !judged.inner.is_empty()
            || !has_only(judged.reasons, Reason::TargetLookalike)
        {
            return;
        }
        let host = link.host_str(text);
        let Some((word, suffix)) = host.split_once('.') else { return };
        let Some(ending) = ending(word) else { return };
        let small = suffix.to_ascii_lowercase();
        let is_spoken = |languages: Languages| !letters::main(ending).and(languages).is_empty();
        if small.len() == 2
            && is_of_another_suffix(&small, judged)
            && (is_spoken(letters::official(&small))
                || is_in_sentence(text, link) && is_spoken(languages_near(text, link)))
        {
            self.let_alone(host, link.kind, judged);
        }
    }
}

/// The vowel with a mark that a word of plain letters ends in.
fn ending(word: &str) -> Option<char> {
    let mut stem = word.chars();
    let ending = stem.next_back().filter(|last| ENDINGS.contains(last))?;
    let rest = stem.as_str();
    let is_name = rest.get(1..)?.bytes().all(|byte| byte.is_ascii_lowercase());
    (is_name && rest.starts_with(|c: char| c.is_ascii_alphabetic())).then_some(ending)
}

/// The languages that have all letters beyond ASCII of the words near a link; none where there is no such letter.
fn languages_near(text: &str, link: &Link) -> Languages {
    let before = text.ceil_char_boundary(link.span.start.saturating_sub(NEARBY));
    let after = text.floor_char_boundary(link.span.end.saturating_add(NEARBY).min(text.len()));
    let sides = [before..link.span.start, link.span.end..after].map(|range| text.get(range));
    let letters = sides.into_iter().flatten().flat_map(str::chars);
    let letters = letters.filter(|c| !c.is_ascii() && is_letter(*c) && reads_as(*c).is_some());
    let shared = |shared: Option<Languages>, c: char| {
        let of = letters::main(c.to_lowercase().next().unwrap_or(c));
        Some(shared.map_or(of, |shared| shared.and(of)))
    };
    letters.fold(None, shared).unwrap_or(Languages::NONE)
}

#[cfg(test)]
mod tests {
    use crate::{Answers, Facts, Message, Policy, TldTable, Verdict, inspect};

    /// The verdict of a text, and whether it is edited.
    fn judged(kind: &str, text: &str) -> (Verdict, bool) {
        let head = format!("From: a@example.com\nContent-Type: {kind}; charset=utf-8\n");
        let message = Message { head: head.as_bytes(), body: text.as_bytes() };
        let tlds = ["cat", "com", "de", "do", "dk", "lt", "lv", "no", "pl", "ro", "se", "to"];
        let tlds = TldTable::new(tlds, "");
        let outcome =
            inspect(message, &Facts::default(), &Policy::default(), &tlds).resolve(&Answers::new());
        (outcome.verdict, !outcome.edits.is_empty())
    }

    #[test]
    fn words_of_a_language_are_no_lures_in_its_texts() {
        for text in [
            "Płacono jedną monetą.pl i wszystko",
            "Lecimy lufthansą.do Berlina w piątek.",
            "Zapłać klarną.to działa od ręki",
            "Konto w nordeą.to już nie działa",
            "Skrendu su lufthansą.lt",
            "Lidojam ar Lufthansā.lv, maksājam Klarnā.lv",
            "Se plătea cu o monetă.ro pentru intrare",
            "Eg såg kråken.No flaug han bort.",
            "slapp pøste.no",
            "de små kräken.se upp",
            "La moneda argentà.cat",
        ] {
            for kind in ["text/plain", "text/html"] {
                let (verdict, edited) = judged(kind, text);
                assert!(verdict <= Verdict::Notice && !edited, "{kind} {text} {verdict:?}");
            }
        }
    }

    #[test]
    fn links_and_other_marks_stay_suspect() {
        for text in [
            "Please sign in at lufthansą.to now",
            "Zaloguj się: https://lufthansą.to/",
            "Zaloguj się: www.lufthansą.lt",
            "Zaloguj się na lufthansą.lt/konto",
            "Zaloguj się na lufthansą.com teraz",
            "Zaloguj się na lufthąnsa.lt teraz",
            "Logg inn på påypal.no nå",
            "Logga in på netflīx.lv",
            "Lufthansā.de und",
        ] {
            assert!(judged("text/plain", text).0 >= Verdict::Suspect, "{text}");
        }
    }
}
