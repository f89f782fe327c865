//! Signs inside a host of which browsers make letters and digits, and readers do not: of numbers and measures
//! (`www.школа-№5.рф`, `www.1ª-mano.es`, `www.4×4-garage.fr`), letters that a wrong charset made signs of
//! (`www.³ód¼.pl` is łódź), and letters with the shape of an apostrophe (`www.пʼятниця.com`).

use super::judged::{Judged, are_about_letters};
use super::{HostBounds, Judge, Reason};
use crate::outcome::{Edit, Verdict};
use homograph::is_cjk;
use mailsplice::mime::Charset;
use unicode_script::Script;
use uts58::unicode::{ScriptOf as _, is_letter};

impl Judge<'_> {
    /// Whether nothing is against a host without such signs in it. What it reads as with them is no name that readers
    /// know, and neither is what it reads as without.
    pub(super) fn is_numbered_by_sign(&mut self, host: &str, judged: &Judged) -> bool {
        if host.is_ascii() || judged.target().is_some() || !are_about_letters(judged.reasons) {
            return false;
        }
        match without_signs(host) {
            Some(Without::Numbers(plain)) => {
                // Browsers make letters of this sign, which are no word's end.
                !self.has_known_piece(&host.replace('№', "no")) && self.is_plain(&plain)
            }
            Some(Without::Debris(plain)) => {
                let plain = self.host(&plain, HostBounds::Certain);
                plain.target.is_none()
                    && plain.verdict <= Verdict::Suspect
                    && plain.edit < Edit::Link
                    && are_about_letters(plain.reasons)
            }
            None => false,
        }
    }

    /// Whether a piece of a label beside such a sign is the label of a name that readers know: `siehe¹paypal.com`,
    /// `1ªpple.com`.
    fn has_known_piece(&self, host: &str) -> bool {
        let host = host.replace('ª', "a").replace('º', "o").to_ascii_lowercase();
        let ends = |c: char| !is_letter(c) || is_apostrophe(c);
        host.split(ends).any(|piece| self.is_known_label(piece))
    }

    /// Whether the only letters that are against a host are apostrophes inside words, and nobody knows it without them:
    /// `www.пʼятниця.com`, `www.qurʾan.com`.
    pub(super) fn has_apostrophes(&mut self, host: &str, judged: &Judged) -> bool {
        use Reason::{SeparatorLookalike, StatusRestricted};
        let of_apostrophe = |reason: Reason| {
            matches!(reason, SeparatorLookalike | StatusRestricted)
                || reason.verdict() <= Verdict::Notice
        };
        let name = host.strip_prefix("www.").unwrap_or(host);
        judged.target().is_none()
            && host.contains(is_apostrophe)
            && !self.has_known_piece(host)
            && judged.reasons.iter().all(of_apostrophe)
            && name.split('.').enumerate().all(|(at, label)| self.are_inside_words(label, at > 0))
            && self.is_unknown_host(&host.replace(is_apostrophe, ""))
    }

    /// Whether each apostrophe of a label is between letters of one alphabet, and what is before it is no suffix of the
    /// labels in front: `example.comʼlogin.org`.
    fn are_inside_words(&self, label: &str, has_labels_before: bool) -> bool {
        label.match_indices(is_apostrophe).all(|(at, _)| {
            let (before, behind) = label.split_at(at);
            let word = before.rsplit(is_apostrophe).next().unwrap_or_default();
            let script = |c: Option<char>| c.filter(|c| is_letter(*c)).map(|c| c.script());
            let script_before = script(before.chars().next_back());
            script_before == script(behind.chars().nth(1))
                && matches!(script_before, Some(Script::Latin | Script::Cyrillic))
                && !(has_labels_before && self.tlds().exists(&word.to_lowercase()))
        })
    }
}

/// The letters that look like apostrophes and opening quotation marks, those of scholars and of Skolt Sami among them.
fn is_apostrophe(c: char) -> bool {
    matches!(c, 'ʻ' | 'ʼ' | 'ʽ' | 'ʾ' | 'ʿ' | 'ʹ' | 'ˈ')
}

/// A host without signs.
#[derive(Debug, PartialEq, Eq)]
enum Without {
    /// Those of numbers and measures.
    Numbers(String),
    /// Some of them among letters that nobody wrote.
    Debris(String),
}

/// A host without the signs that stand for no letter in it. `None` if it has none.
fn without_signs(host: &str) -> Option<Without> {
    let (mut plain, mut is_debris) = (String::with_capacity(host.len()), false);
    for label in host.split('.') {
        if !plain.is_empty() {
            plain.push('.');
        }
        let debris = is_debris_of_charset(label);
        is_debris |= debris;
        let start = plain.len();
        let mut before = '-';
        let mut letters = label.chars().peekable();
        while let Some(c) = letters.next() {
            let behind = letters.peek().copied().unwrap_or('-');
            match is_sign_of_number(before, c, behind) {
                true if c == '×' => plain.push('x'),
                true => {}
                false if debris && is_sign(c) && (is_high(before) || is_high(behind)) => {}
                false => plain.push(c),
            }
            before = c;
        }
        // A label of nothing else is a number.
        if plain.len() == start {
            plain.push('1');
        }
    }
    (plain != host).then_some(match is_debris {
        true => Without::Debris(plain),
        false => Without::Numbers(plain),
    })
}

/// Whether a character between two others is the sign of a number, and no letter to a reader.
fn is_sign_of_number(before: char, c: char, behind: char) -> bool {
    let is_digit = |c: char| c.is_ascii_digit();
    match c {
        '№' => is_digit(behind),
        'ª' | 'º' => is_digit(before) || matches!(before, 'n' | 'N') && is_digit(behind),
        '×' => is_digit(before) && is_digit(behind),
        '¹' | '²' | '³' | '\u{2070}' | '\u{2074}'..='\u{2079}' | '\u{2080}'..='\u{2089}' => true,
        '¼'..='¾' | '\u{2150}'..='\u{215E}' => true,
        '∞' => !is_letter(before) && !is_letter(behind),
        // Among letters of China, Japan and Korea: `第①章`, `㈱山田`.
        '\u{2460}'..='\u{2473}' | '\u{3200}'..='\u{33FF}' => {
            (is_cjk(before) || is_cjk(behind))
                && ![before, behind].iter().any(char::is_ascii_alphabetic)
        }
        _ => false,
    }
}

/// Characters at least that the bytes of a name make in ISO 8859-1.
const DEBRIS: usize = 3;

/// Whether a label is bytes of a name that were read in ISO 8859-1: mostly characters of its upper half, signs and letters
/// side by side.
fn is_debris_of_charset(label: &str) -> bool {
    let high = label.chars().filter(|c| is_high(*c)).count();
    let others = label.chars().filter(|c| !c.is_ascii() && !is_high(*c)).count();
    let ascii = label.bytes().filter(u8::is_ascii_alphabetic).count();
    others == 0 && high >= DEBRIS && high >= ascii
}

/// The upper half of ISO 8859-1, and what windows-1252 has in place of controls.
fn is_high(c: char) -> bool {
    let in_windows_1252 = || Charset::WINDOWS_1252.encode(c.encode_utf8(&mut [0; 4])).is_some();
    matches!(c, '\u{80}'..='\u{FF}') || !c.is_ascii() && in_windows_1252()
}

/// A sign of that half, and the letters of its ordinals.
fn is_sign(c: char) -> bool {
    matches!(c, '\u{80}'..='\u{BF}' | '×' | '÷') || is_high(c) && !is_letter(c)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_without_signs_of_numbers() {
        for (host, plain) in [
            ("www.школа-№5.рф", "www.школа-5.рф"),
            ("www.1ª-mano.es", "www.1-mano.es"),
            ("www.nº1.es", "www.n1.es"),
            ("www.4×4-garage.fr", "www.4x4-garage.fr"),
            ("www.½preis.de", "www.preis.de"),
            ("www.½.com", "www.1.com"),
            ("www.∞-loop.com", "www.-loop.com"),
            ("www.第①章.com", "www.第章.com"),
        ] {
            assert_eq!(without_signs(host), Some(Without::Numbers(plain.to_owned())), "{host}");
        }
        for (host, plain) in [("¥Ý¥±¥â¥ó.com", "Ýâó.com"), ("Á×ÔÏ-ÕÞÅÔ.com", "ÁÔÏ-ÕÞÅÔ.com")]
        {
            assert_eq!(without_signs(host), Some(Without::Debris(plain.to_owned())), "{host}");
        }
        for host in ["bªnk.com", "g∞gle.com", "compan¥.com", "e×press.com", "①pple.com", "n№.com"]
        {
            assert_eq!(without_signs(host), None, "{host}");
        }
    }
}
