//! Names as the grammar of a language wants them, with a mark on the last letter, and a dot right behind: `Lufthansā.lv`,
//! `lufthansą.do Berlina`. Bare words only: behind a scheme or `www.`, or in front of a path, a host is meant.

use super::Judge;
use super::judged::Judged;
use super::languages::{Language, WITH_ENDINGS, WITH_VERBS};
use super::logins::has_only;
use super::prose::{is_in_sentence, is_of_another_suffix, is_said};
use crate::outcome::{Reason, Verdict};
use uts58::{Kind, Link};

/// Services that people have made verbs of, without a vowel at the end.
const DONE: [&str; 9] =
    ["facebook", "googl", "instagram", "netflix", "paypal", "skyp", "twitt", "whatsapp", "youtub"];

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
        let small = suffix.to_ascii_lowercase();
        if small.len() == 2
            && is_of_another_suffix(&small, judged)
            && (is_form(word, &small, text, link) || is_verb(word, &small) && is_said(text, link))
        {
            self.let_alone(host, link.kind, judged);
        }
    }
}

/// Whether a word ends as names do in the language of the country, or in that of the sentence.
fn is_form(word: &str, tld: &str, text: &str, link: &Link) -> bool {
    let Some(ending) = mark_at_end(word) else { return false };
    let is_sentence = is_in_sentence(text, link);
    let mut languages = WITH_ENDINGS.iter().filter(|known| known.endings.contains(&ending));
    languages.any(|language| {
        language.tlds.contains(&tld) || is_sentence && is_written_near(language, text, link)
    })
}

/// Whether a word is a form of a verb from the name of a service, and what is behind it a word or the country of the
/// same language: `lo googlé.es fácil`, `j'ai googlé.et alors`.
fn is_verb(word: &str, next: &str) -> bool {
    let small = word.to_lowercase();
    let mut endings = DONE.iter().filter_map(|stem| small.strip_prefix(stem));
    endings.any(|ending| {
        let mut languages = WITH_VERBS.iter().filter(|known| known.verbs.contains(&ending));
        languages.any(|known| known.words.contains(&next) || known.tlds.contains(&next))
    })
}

/// The letter beyond ASCII that a word of plain letters ends in.
fn mark_at_end(word: &str) -> Option<char> {
    let mut stem = word.chars();
    let ending = stem.next_back().filter(|last| !last.is_ascii())?;
    let rest = stem.as_str();
    let is_name = rest.get(1..)?.bytes().all(|byte| byte.is_ascii_lowercase());
    (is_name && rest.starts_with(|c: char| c.is_ascii_alphabetic())).then_some(ending)
}

/// Whether a letter of a language stands near a link.
fn is_written_near(language: &Language, text: &str, link: &Link) -> bool {
    let before = text.ceil_char_boundary(link.span.start.saturating_sub(NEARBY));
    let after = text.floor_char_boundary(link.span.end.saturating_add(NEARBY).min(text.len()));
    let sides = [before..link.span.start, link.span.end..after].map(|range| text.get(range));
    sides.into_iter().flatten().any(|side| side.contains(language.letters))
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
            "wir fliegen lufthansā.de nach Köln",
            "Please sign in at lufthansą.to in our café",
        ] {
            assert!(judged("text/plain", text).0 >= Verdict::Suspect, "{text}");
        }
    }
}
