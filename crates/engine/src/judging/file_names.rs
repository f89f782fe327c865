//! Names of files whose ending is a top-level domain, in running text and inside links: `Приказ-№5.zip`,
//! `/download?files=TNFα.zip`. Nobody takes them for hosts, unless they read as a name that readers know.

use super::judged::{Judged, are_about_letters};
use super::logins::has_only;
use super::prose::{is_ending, words};
use super::words::{is_arabic, is_of_one_script};
use super::{
    Edit, HostBounds, Judge, Judgement, Kind, Link, LinkJudgement, Reason, Reasons, TldStatus,
    Verdict,
};
use homograph::is_cjk;
use unicode_script::Script;
use uts58::unicode::hosts::is_mark;
use uts58::unicode::{ScriptOf as _, is_letter};
use uts58::{Confidence, begins_with_www, percent};

/// How often a link is decoded for what it holds.
const ROUNDS: usize = 3;

impl Judge<'_> {
    /// Whether a bare word is the name of a file with signs that stand for no letters, or with a letter that only looks
    /// like another of Latin.
    pub(super) fn is_named_file(&self, host: &str, judged: &Judged) -> bool {
        let Some((name, suffix)) = host.rsplit_once('.') else { return false };
        is_ending(suffix)
            && judged.target().is_none()
            && are_about_letters(judged.reasons)
            && !self.has_name(name)
            && (has_only(judged.reasons, Reason::TldLetter)
                || without_signs(name)
                    .is_some_and(|name| name.split(['-', '_', '.', ' ']).all(is_word)))
    }

    /// Whether a word of a name reads as the label of a name that readers know.
    fn has_name(&self, name: &str) -> bool {
        name.split('.').flat_map(words).any(|word| self.reads_as_label(word))
    }

    /// Lowers the verdict on words inside a link that would be no more than a notice as bare words of a text.
    pub(super) fn with_words_inside(
        &mut self,
        tail: &str,
        mut inside: LinkJudgement,
    ) -> LinkJudgement {
        if inside.verdict <= Verdict::Notice || inside.leads.is_some() {
            return inside;
        }
        let texts = decoded(tail);
        let bad = |host: &&mut Judgement| host.verdict > Verdict::Notice;
        let mut reasons = Reasons::EMPTY;
        for host in inside.inner.iter_mut().filter(bad) {
            if !self.is_word_inside(&texts, host) {
                return inside;
            }
            reasons = reasons.union(host.reasons);
            host.verdict = Verdict::Notice;
            host.edit = host.edit.min(Edit::Reported);
        }
        if inside.reasons.iter().all(|it| reasons.contains(it) || it.verdict() <= Verdict::Notice) {
            inside.verdict = Verdict::Notice;
            inside.edit = inside.edit.min(Edit::Reported);
        }
        inside
    }

    /// Whether a host inside a link is one only by its dot, and a word to readers.
    fn is_word_inside(&mut self, texts: &[String], host: &Judgement) -> bool {
        let labels: Vec<&str> = host.labels.iter().map(|label| label.spelling.as_str()).collect();
        let spelling = labels.join(".");
        if spelling.is_ascii() || host.target.is_some() || !stands_alone(texts, &spelling) {
            return false;
        }
        let file = spelling.rsplit_once('.').filter(|(_, suffix)| is_ending(suffix));
        if let Some((name, _)) = file
            && are_about_letters(host.reasons)
        {
            return !self.has_name(name);
        }
        let link = bare(&spelling);
        let judgement = self.host(&spelling, HostBounds::Certain);
        let mut judged = Judged::of(judgement, TldStatus::Link);
        self.downgrade_words(&spelling, Kind::Bare, &mut judged);
        self.downgrade_prose(&spelling, &link, &mut judged);
        judged.verdict <= Verdict::Notice
    }
}

/// A link that is a bare word.
fn bare(word: &str) -> Link {
    Link {
        span: 0..word.len(),
        inner: 0,
        kind: Kind::Bare,
        user: None,
        host: 0..word.len(),
        port: None,
        tail: word.len()..word.len(),
        defanged: false,
        confidence: Confidence::Sure,
    }
}

/// A text as it is, and as often decoded as it changes.
fn decoded(text: &str) -> Vec<String> {
    let mut texts = vec![text.to_owned()];
    while let Some(last) = texts.last().filter(|last| last.contains('%'))
        && texts.len() <= ROUNDS
    {
        texts.push(percent::decode_text(last));
    }
    texts
}

/// Whether a word stands in one of the texts, and in none behind what announces a host.
fn stands_alone(texts: &[String], word: &str) -> bool {
    let mut places = texts.iter().flat_map(|text| {
        text.match_indices(word).map(|(at, _)| text.get(..at).unwrap_or_default())
    });
    let is_alone = |before: &str| {
        let scheme = before.trim_end_matches(['/', '\\']);
        before.len() - scheme.len() < 2 && !scheme.ends_with([':', '@'])
    };
    !begins_with_www(word) && places.next().is_some_and(is_alone) && places.all(is_alone)
}

/// A name without the signs that stand for no letters: `№`, an ordinal behind a number or in `nº`, a Roman numeral beside
/// Han or at the end of a word, a joiner in front of an Arabic ending; and with the letters that keyboards lack for those
/// typed in their place.
/// `None` if it has none.
fn without_signs(name: &str) -> Option<String> {
    let mut plain = String::new();
    let mut before = '_';
    let mut letters = name.chars().peekable();
    let (takes_i, takes_gamma) = (is_of_cyrillic(name), is_of_latin(name));
    let is_of_han = name.chars().all(|c| !is_letter(c) || is_cjk(c) || is_numeral(c));
    while let Some(c) = letters.next() {
        let is_sign = match c {
            '№' => true,
            'ª' | 'º' => before.is_ascii_digit() || matches!(before, 'n' | 'N'),
            '\u{200c}' => letters.peek().is_some_and(|next| is_arabic(*next)),
            c => {
                let is_last = letters.peek().is_none_or(|next| !next.is_alphanumeric());
                is_numeral(c) && (is_of_han || matches!(c, 'Ⅰ'..='Ⅻ') && is_last)
            }
        };
        plain.push(match c {
            _ if is_sign => '_',
            'i' if takes_i => 'і',
            'I' if takes_i => 'Ӏ',
            'γ' if takes_gamma => 'ɣ',
            'Γ' if takes_gamma => 'Ɣ',
            c => c,
        });
        before = c;
    }
    (plain != name).then_some(plain)
}

/// Whether a name is Cyrillic but for the Latin letters typed for the Ukrainian i and the palochka of the Caucasus, and
/// reads as no Latin word: `Рiвне`, `ГIалгIай`.
fn is_of_cyrillic(name: &str) -> bool {
    let is_own =
        |c: char| c.script() == Script::Cyrillic && !homograph::are_twins([c], Script::Latin);
    name.chars().any(is_own)
        && name.chars().all(|c| !c.is_ascii_alphabetic() || matches!(c, 'i' | 'I'))
}

/// Whether a name is Latin but for a gamma, as Kabyle is typed: `Tamaziγt`.
fn is_of_latin(name: &str) -> bool {
    let is_own = |c: char| !is_letter(c) || matches!(c, 'γ' | 'Γ') || c.script() == Script::Latin;
    name.chars().all(is_own)
}

/// Roman numerals, which map to Latin letters.
fn is_numeral(c: char) -> bool {
    matches!(c, '\u{2160}'..='\u{217F}')
}

fn is_word(word: &str) -> bool {
    is_of_one_script(word) && word.chars().all(|c| is_letter(c) || is_mark(c) || c.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use crate::{Answers, Facts, Message, Policy, TldTable, Verdict, inspect};

    fn judged(kind: &str, text: &str) -> (Verdict, bool) {
        let head = format!("From: ann@fine.com\r\nContent-Type: {kind}; charset=utf-8\r\n");
        let message = Message { head: head.as_bytes(), body: text.as_bytes() };
        let facts = Facts { recipient_domains: vec!["harbour.com".into()], ..Facts::default() };
        let tlds = TldTable::new(["com", "in", "py", "zip"], "");
        let outcome = inspect(message, &facts, &Policy::default(), &tlds).resolve(&Answers::new());
        (outcome.verdict, !outcome.edits.is_empty())
    }

    #[test]
    fn names_of_files_are_no_hosts() {
        for name in [
            "Приказ-№5.zip",
            "Приказ_№5.zip",
            "Акт_№_3.zip",
            "Протокол_№1-А.zip",
            "Счёт_№45_от_01.11.zip",
            "1ª-via.zip",
            "1º-ano.zip",
            "Acta-nº-5.zip",
            "Band_Ⅳ.zip",
            "BandⅣ.py",
            "第Ⅱ期.zip",
            "№資料.zip",
            "PDF\u{200c}ها.zip",
            "Ðorđe.zip",
            "figα.py",
            "TNFα.zip",
            "Рiвне.zip",
            "План_Рiвне-2.zip",
            "ГIалгIай.py",
            "Tamaziγt.zip",
        ] {
            for text in [
                format!("see {name} here"),
                format!("https://nc.fine.com/s/x/download?files={name}"),
                format!("https://fine.com/a/{name} here"),
            ] {
                let (verdict, edited) = judged("text/plain", &text);
                assert!(verdict <= Verdict::Notice && !edited, "{text} {verdict:?}");
            }
        }
        for text in [
            "https://fine.com/x?files=TNF%CE%B1.zip",
            "https://fine.com/x?files=TNF%25CE%25B1.zip",
            "https://fine.com/blob/main/IFNγ.py",
            "https://fine.com/x/TNFα.in",
        ] {
            let page = format!("<a href=\"{text}\">x</a>");
            assert!(judged("text/plain", text).0 <= Verdict::Notice, "{text}");
            assert!(judged("text/html", &page).0 <= Verdict::Notice, "{text}");
        }
    }

    #[test]
    fn names_that_readers_know_and_announced_hosts_are_hosts() {
        for text in [
            "https://fine.com/x?u=https://TNFα.zip",
            "https://fine.com/x?u=https:/TNFα.zip",
            "https://fine.com/x?u=www.TNFα.zip",
            "https://fine.com/x?u=ann@TNFα.zip",
            "https://fine.com/x?u=p\u{430}ypal.com",
            "https://fine.com/x?u=h\u{430}rbour.zip",
            "https://TNFα.zip/",
            "see h\u{430}rbour_№5.zip here",
            "see c\u{43e}ffee№5.zip here",
            "see paypaⅠ.zip here",
            "see harboⅤr.zip here",
            "see bαnking.py here",
            "see vеrуgооd.zip here",
            "see hаrbоur-Рiвне.zip here",
            "see paγpal.zip here",
            "see www.Рiвне.zip here",
            "see https://Рiвне.zip/ here",
        ] {
            assert!(judged("text/plain", text).0 > Verdict::Notice, "{text}");
        }
    }
}
