//! S30: what a verdict means for a message. A client must open the link, and a reader must take it
//! for another one.
//!
//! | clause | item |
//! | --- | --- |
//! | RFC 5892 §2, §3: what a U-label may hold | [`is_u_label`] |
//! | S30 bare words | [`is_word`] |

use unicode_script::Script;

use super::form::{HostForms, LabelForms, is_dot, is_in_turkish_capitals};
use super::script::compat_char;
use super::status::{is_restricted, never_joins};
use crate::characters::properties::is_numeral;
use crate::characters::properties::{nfd, nfkc};
use crate::verdict::{Edit, Findings, Reason, Verdict};
use uts58::unicode::hosts::{is_joiner, is_mark};
use uts58::unicode::{Class, ScriptOf as _, is_letter};

/// Whether the character is an ASCII letter in another style: circled, mathematical.
pub(crate) fn is_styled(c: char) -> bool {
    !c.is_ascii()
        && c.script() == Script::Common
        && is_letter(c)
        && nfkc(c).all(|plain| plain.is_ascii_alphabetic())
}

/// Reasons for which a reader takes the letters for those of another name.
const MISTAKEN_REASONS: [Reason; 3] =
    [Reason::TargetLookalike, Reason::MixedScript, Reason::WholeScript];

/// What the findings on a host and on its labels, if it has any, mean for a message. `protected`
/// returns whether the host is a protected name or below one.
pub(crate) fn of(
    form: &HostForms,
    labels: &[Findings],
    findings: Findings,
    protected: impl Fn() -> bool,
) -> Edit {
    let Findings { verdict, reasons } = findings;
    if reasons.contains(Reason::Listed) {
        return Edit::Anywhere;
    }
    let parts = form.parts.get(..labels.len()).unwrap_or_default();
    let named = |findings: &Findings| findings.reasons.contains(Reason::TargetLookalike);
    if parts.iter().any(is_split_by_joiner) {
        return Edit::Anywhere;
    }
    // No client opens what cannot exist, but clients do not agree on what that is: a name in
    // disguise, or one with its direction turned, still counts.
    if verdict == Verdict::Invalid {
        // Another program may have decoded what could not be decoded here.
        let hides = reasons.contains(Reason::BidiControl)
            || form.unicode.contains(char::REPLACEMENT_CHARACTER)
            || labels.iter().any(|findings| named(findings) && findings.verdict >= Verdict::Unsafe);
        return if hides { Edit::Link } else { Edit::Inert };
    }
    let mistaken = |(part, findings): (&LabelForms, &Findings)| {
        let is_reported =
            MISTAKEN_REASONS.into_iter().any(|reason| findings.reasons.contains(reason));
        let bad = findings.verdict >= Verdict::Unsafe || named(findings);
        is_reported && bad && is_u_label(&part.unicode)
    };
    if parts.iter().zip(labels).any(mistaken) || has_styled_name(parts, protected) {
        // Turkish in capitals writes foreign names this way.
        let turkish = |part: &LabelForms| is_in_turkish_capitals(&part.spelling);
        let prose = ends_sentence(parts, labels) || parts.iter().any(turkish);
        return if prose { Edit::Link } else { Edit::Anywhere };
    }
    if verdict >= Verdict::Unsafe { Edit::Link } else { Edit::Reported }
}

/// Whether joiners are between letters that never join: they are invisible, and some clients drop
/// them. Persian writes one after a Latin word, before a Persian ending.
fn is_split_by_joiner(label: &LabelForms) -> bool {
    // The first byte of a joiner in UTF-8, which most lack.
    let may_hold = memchr::memchr(0xE2, label.spelling.as_bytes()).is_some();
    if !may_hold || !label.spelling.contains(is_joiner) {
        return false;
    }
    let apart = |c: char| c.is_ascii_alphanumeric() || never_joins(c.script());
    let (mut before, mut joined) = (false, false);
    label.spelling.chars().any(|c| {
        if is_joiner(c) {
            joined = true;
            return false;
        }
        let split = joined && before && apart(c);
        (before, joined) = (apart(c), false);
        split
    })
}

/// Whether a label before a plain top-level domain is styled: whole (`ⓔⓧⓐⓜⓟⓛⓔ.com`) or among plain
/// letters (`𝐞xample.com`). Marketing styles all words of a sentence (`𝗡𝗲𝘄.𝗜𝗻`), mathematics single
/// letters (`x².y`), and a circled letter before a word is an icon, unless together they are a
/// protected name.
fn has_styled_name(labels: &[LabelForms], protected: impl Fn() -> bool) -> bool {
    let Some((tld, names)) = labels.split_last() else { return false };
    let styled = |c: char| !c.is_ascii() && compat_char(c) == Some(Verdict::Unsafe);
    let deceives = |label: &LabelForms| {
        if !label.unicode.bytes().all(|byte| byte.is_ascii_lowercase())
            || label.spelling.chars().count() < MIN_STYLED
        {
            return false;
        }
        let mut letters = label.spelling.chars();
        let icon = letters.next().is_some_and(|c| is_icon(c) && !letters.clone().any(styled));
        label.spelling.chars().all(styled)
            || label.spelling.contains(is_styled) && (!icon || protected())
    };
    tld.spelling.bytes().all(|byte| byte.is_ascii_lowercase()) && names.iter().any(deceives)
}

/// Whether a word ends a sentence and the next one begins without a space. The sender chooses the
/// capital, so an ASCII word counts only with two letters (`In`, `To`): no sentence begins with
/// `Com`. The first word has letters of another script but resembles no name (`TNFα.In`,
/// `SMSа.Но`), or it is a name with a case ending of its language, which is a vowel
/// (`Lufthansą.To`).
fn ends_sentence(labels: &[LabelForms], findings: &[Findings]) -> bool {
    let ([word, next], [found, _]) = (labels, findings) else { return false };
    let mut letters = next.spelling.chars();
    let capital = letters.next().is_some_and(char::is_uppercase);
    let word_like = !next.spelling.is_ascii() || next.spelling.len() == 2;
    if !capital || !word_like || letters.as_str().is_empty() || !letters.all(char::is_lowercase) {
        return false;
    }
    if !found.reasons.contains(Reason::TargetLookalike) {
        return found.reasons.contains(Reason::MixedScript) && !word.spelling.contains(is_styled);
    }
    let mut stem = word.spelling.chars();
    let ending = stem.next_back().unwrap_or_default();
    let vowel = nfd([ending]).first().is_some_and(|base| "aeiouy".contains(*base));
    !ending.is_ascii() && vowel && stem.as_str().bytes().all(|byte| byte.is_ascii_alphabetic())
}

/// Letters in circles, squares and brackets.
fn is_icon(c: char) -> bool {
    matches!(c, '\u{2460}'..='\u{24ff}' | '\u{1f100}'..='\u{1f1ff}')
}

/// Letters that a styled label must have to be a name.
const MIN_STYLED: usize = 3;

/// Whether the label, mapped and in lower case, can be registered under IDNA2008: letters, marks,
/// digits, inner hyphens.
fn is_u_label(label: &str) -> bool {
    let sound = |c: char| match c {
        '-' => true,
        _ if c.is_ascii() => c.is_ascii_alphanumeric(),
        c if is_joiner(c) => true,
        _ => is_letter(c) || is_mark(c) || is_numeral(c) || !is_restricted(c),
    };
    !label.is_empty()
        && !label.starts_with('-')
        && !label.ends_with('-')
        && label.chars().all(sound)
}

/// Whether a bare dotted string of running text is words and no host: beside its last dot is a
/// symbol, an emoji, a superscript or an underscore (`m².It`, `®.In`), or a fraction is among ASCII
/// letters, which is mapped to a slash that no name has (`3½in.It`). Characters that UTS #46
/// ignores are skipped: nobody sees them. A sign before an earlier dot does not count: clients
/// still open what follows.
pub fn is_word(spelling: &str) -> bool {
    let host = spelling.trim_matches(is_dot);
    if !host.is_ascii() && is_fraction_and_word(host) {
        return true;
    }
    let mut seen = host.char_indices().rev().filter(|(_, c)| !Class::of(*c).is_ignored());
    let mut after = None;
    let dot = seen.by_ref().find(|(_, c)| {
        let found = is_dot(*c);
        if !found {
            after = Some(*c);
        }
        found
    });
    let before = dot.and_then(|_| seen.next()).map(|(_, c)| c);
    [before, after.filter(|_| dot.is_some())].into_iter().flatten().any(|c| !is_host_letter(c))
}

/// Letters, marks, digits. Hyphens and escapes are judged elsewhere.
fn is_host_letter(c: char) -> bool {
    if c.is_ascii() {
        return c.is_ascii_alphanumeric() || matches!(c, '-' | '%');
    }
    let mapped = matches!(u32::from(c), 0xff01..=0xffef);
    let joiner = is_joiner(c);
    joiner || mapped || (is_letter(c) || is_mark(c) || is_numeral(c)) && !is_selector(c)
}

/// Two ASCII words with a fraction in the first.
fn is_fraction_and_word(host: &str) -> bool {
    let fraction = |c: char| matches!(c, '¼' | '½' | '¾' | '\u{2150}'..='\u{215f}' | '\u{2189}');
    host.split_once('.').is_some_and(|(measure, word)| {
        let letters = measure.replace(fraction, "");
        letters.len() < measure.len()
            && letters.is_ascii()
            && !word.contains(is_dot)
            && word.is_ascii()
    })
}

/// Variation selectors turn characters into emoji.
fn is_selector(c: char) -> bool {
    matches!(c, '\u{fe00}'..='\u{fe0f}' | '\u{20e3}')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::verdict::Reasons;

    #[test]
    fn words_have_signs_beside_their_dots() {
        for word in [
            "3½in.It", "⅔cup.In", "m².It", "Windows®.In", "thanks😊.In", "отчёт_.zip", "a._b",
            "✈\u{fe0f}.to",
        ] {
            assert!(is_word(word), "{word}");
        }
        for host in [
            "3½раypal.com",
            "a½b.paypal.com",
            "3½.раypal.com",
            "раypal\u{ad}.com",
            "www\u{200b}.раypal.com",
            "x_.раypal.com",
            "раypal.com",
            "a.b.",
            "xn--a.com",
            "דוגמה.com",
            "कि.भारत",
            "例え。テスト",
        ] {
            assert!(!is_word(host), "{host}");
        }
    }

    #[test]
    fn sentences_end_without_a_space() {
        let ends = |word: &str, next: &str, reason| {
            let form = HostForms::read(&format!("{word}.{next}"));
            let findings = Findings { reasons: Reasons::from_iter([reason]), verdict: Verdict::Ok };
            ends_sentence(&form.parts, &[findings; 2])
        };
        use Reason::{MixedScript, TargetLookalike};
        for (word, next) in [("TNFα", "In"), ("SMSа", "Но"), ("γH2AX", "It")] {
            assert!(ends(word, next, MixedScript), "{word}");
            assert!(!ends(word, &next.to_lowercase(), MixedScript), "{word}");
            assert!(!ends(word, &next.to_uppercase(), MixedScript), "{word}");
            assert!(!ends(word, next, TargetLookalike), "{word}");
        }
        assert!(ends("Lufthansą", "To", TargetLookalike));
        for (word, next, reason) in [
            ("paypaĺ", "Com", TargetLookalike),
            ("googlé", "Com", TargetLookalike),
            ("paypaĺ", "Co", TargetLookalike),
            ("аccount-verify", "Com", MixedScript),
            ("аccount", "Info", MixedScript),
        ] {
            assert!(!ends(word, next, reason), "{word}.{next}");
        }
        for word in ["lufthanṣa", "lüfthansą", "pаypal", "paypał", "paypal", ""] {
            assert!(!ends(word, "To", TargetLookalike), "{word}");
        }
        assert!(!ends("𝐬ale", "In", MixedScript));
    }

    #[test]
    fn registered_labels_hold_letters() {
        for label in ["münchen", "می\u{200c}خواهم", "a-b", "col·legi", "१२"] {
            assert!(is_u_label(label), "{label}");
        }
        for label in ["отчёт_v2", "-a", "a-", "i❤", ""] {
            assert!(!is_u_label(label), "{label}");
        }
    }
}
