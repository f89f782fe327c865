//! Short names in disguise beside words that ask (`ebáy-login.com`, `dh1-login.com`): alone they are names of anybody, so
//! that a host is also judged as it reads with the disguise undone. No disguise makes a verdict better.

use std::sync::Arc;

use super::super::prices::DISGUISE_STEPS;
use super::super::{HostBounds, Judge};
use crate::outcome::{Reason, Verdict};
use homograph::claims::may_ask;
use homograph::{Judgement, reads_as};

/// Letters of the longest word of which digits are letters here: longer ones are found as they are drawn.
const SHORT: usize = 4;

impl Judge<'_> {
    /// Adds the name that a host has inside when its disguise is undone.
    pub(super) fn with_disguise_undone(
        &mut self,
        spelling: &str,
        judgement: Arc<Judgement>,
    ) -> Arc<Judgement> {
        if judgement.verdict > Verdict::Notice {
            return judgement;
        }
        let plain = undisguised(spelling, &judgement);
        // Most hosts are in no disguise.
        if plain.is_empty()
            || self.policy.allows(&judgement.ascii)
            || self.is_protected(&judgement.ascii)
        {
            return judgement;
        }
        for plain in plain {
            self.steps += DISGUISE_STEPS;
            let meant = self.host(&plain, HostBounds::Certain);
            let is_named =
                meant.verdict == Verdict::Suspect && meant.reasons.contains(Reason::NameInHost);
            if let Some(name) = meant.target.as_ref().filter(|_| is_named) {
                let mut naming = Judgement::clone(&judgement);
                naming.reasons.insert(Reason::TargetLookalike);
                naming.verdict = Verdict::Suspect;
                naming.target = Some(name.clone());
                return Arc::new(naming);
            }
        }
        judgement
    }
}

/// What a host reads as without letters of other alphabets, accents, digits and capitals for letters, if a word in it may
/// ask for something.
fn undisguised(spelling: &str, judgement: &Judgement) -> Vec<String> {
    let read = match judgement.unicode.is_ascii() {
        false => match in_plain_letters(&judgement.unicode) {
            Some(read) => Some(read),
            None => return Vec::new(),
        },
        true => with_drawn_l(spelling, &judgement.ascii),
    };
    let host = read.as_deref().unwrap_or(&judgement.ascii);
    // Most hosts are in no disguise, and ask nothing. A word that asks is longer than those in which digits are read.
    if read.is_none() && !has_disguised_word(host) || !may_ask(host) {
        return Vec::new();
    }
    let digits = ['l', 'i'].map(|one| with_digits_read(host, one));
    let mut plain: Vec<String> = digits.into_iter().flatten().chain(read.clone()).collect();
    plain.dedup();
    plain
}

/// Whether a word of a host is in such a disguise.
fn has_disguised_word(host: &str) -> bool {
    host.as_bytes().split(|byte| matches!(byte, b'.' | b'-' | b'_')).any(is_disguised)
}

/// Whether a word is short, and has letters and a digit that is drawn like one.
fn is_disguised(word: &[u8]) -> bool {
    let is_drawn = |byte: &u8| matches!(byte, b'0' | b'1' | b'3'..=b'5' | b'8');
    // Most words are long.
    word.iter().filter(|byte| byte.is_ascii_alphanumeric()).take(SHORT + 1).count() <= SHORT
        && word.iter().any(is_drawn)
        && word.iter().any(u8::is_ascii_alphabetic)
}

/// A host in the letters of a plain one that its letters read as, if all of them do.
fn in_plain_letters(host: &str) -> Option<String> {
    let mut plain = String::with_capacity(host.len());
    for c in host.chars() {
        match c.is_ascii() {
            true => plain.push(c),
            false => plain.push_str(reads_as(c).filter(|read| read.is_ascii())?),
        }
    }
    Some(plain)
}

/// A host with an `l` for each capital `I` among small letters, as they are drawn alike.
fn with_drawn_l(spelling: &str, ascii: &str) -> Option<String> {
    let is_drawn = |label: &str| label.contains('I') && label.contains(|c: char| c.is_lowercase());
    // What most lack.
    let has_capital = spelling.bytes().any(|byte| byte == b'I');
    if !has_capital || !spelling.is_ascii() || !spelling.split('.').any(is_drawn) {
        return None;
    }
    let read = |label: &str| match is_drawn(label) {
        true => label.replace('I', "l").to_ascii_lowercase(),
        false => label.to_ascii_lowercase(),
    };
    let read: Vec<String> = spelling.split('.').map(read).collect();
    let read = read.join(".");
    // A spelling may hold more than its host.
    (read.len() == ascii.len()).then_some(read)
}

/// A host with letters for the digits among those of its short words, a one being this letter. `None` if there are none.
fn with_digits_read(host: &str, one: char) -> Option<String> {
    if !has_disguised_word(host) {
        return None;
    }
    let read = |c: char| match c {
        '0' => 'o',
        '1' => one,
        '3' => 'e',
        '4' => 'a',
        '5' => 's',
        '8' => 'b',
        other => other,
    };
    let mut plain = String::with_capacity(host.len());
    for word in host.split_inclusive(['.', '-', '_']) {
        match is_disguised(word.as_bytes()) {
            true => plain.extend(word.chars().map(read)),
            false => plain.push_str(word),
        }
    }
    Some(plain)
}

#[cfg(test)]
mod tests {
    use crate::{Answers, Facts, Message, Policy, TldTable, Verdict, inspect};

    /// The verdict of a link to the host, and whose name it reads as.
    fn judged(host: &str) -> (Verdict, String) {
        let body = format!("https://{host}/\n");
        let head = b"From: x@example.org\nContent-Type: text/plain; charset=utf-8\n";
        let message = Message { head, body: body.as_bytes() };
        let tlds = TldTable::new(["com", "net", "ru", "fr"], "");
        let (facts, policy) = (Facts::default(), Policy::default());
        let outcome = inspect(message, &facts, &policy, &tlds).resolve(&Answers::new());
        let targets = outcome.findings.into_iter().filter_map(|finding| finding.target);
        (outcome.verdict, targets.collect())
    }

    #[test]
    fn a_disguise_makes_no_verdict_better() {
        for (host, owner) in [
            ("ebáy-login.com", "ebay.com"),
            ("dhł-login.com", "dhl.com"),
            ("verify-ușps.com", "usps.com"),
            ("hsbç-support.net", "hsbc.com"),
            ("dh1-login.com", "dhl.com"),
            ("dhI-login.com", "dhl.com"),
            ("appIe-login.com", "apple.com"),
            ("u5ps-login.com", "usps.com"),
            ("u9ps-login.com", ""),
            ("eb4y-verify.com", "ebay.com"),
            ("äpplelogin.com", "apple.com"),
            ("yàhoologin.com", "yahoo.com"),
            ("booklng.com", "booking.com"),
            ("sabadęll.com", "sabadell.com"),
            ("www.sabadęll.com.evilhost.ru", "sabadell.com"),
            ("boooking.com", ""),
            ("hébay-login.com", ""),
            ("ebáy-fans.com", ""),
            ("apple-Island.com", ""),
            ("m1-login.com", ""),
            ("login2.example.com", ""),
            ("café-login.com", ""),
            ("i18n-update.com", ""),
        ] {
            let (verdict, target) = judged(host);
            assert_eq!(target, owner, "{host}");
            assert_eq!(verdict >= Verdict::Suspect, !owner.is_empty(), "{host}");
        }
    }
}
