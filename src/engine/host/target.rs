//! Protected names: is this host made to be taken for one of them?
//!
//! A protected name is recognised as a whole (`example.com` in `ехample.com` or
//! `www.example.com.attack.test`) and by its registrable label alone (`ехample.attack.test`,
//! `examp1e-login.test`). A label spelled identically never counts by itself (`amazon.de`), nor
//! the name itself or a host below it.

use std::cell::OnceCell;
use std::ops::RangeInclusive;

use super::domain::{Section, suffix_labels};
use super::form::Part;
use super::lookalike::{Likeness, Look, likeness, looks};
use super::names::{Name, Names, Reach};
use super::reading::Sights;
use super::script::at_home;
use crate::engine::outcome::Verdict;

/// A protected name that the host reads as.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Hit {
    /// The name, in ASCII form.
    pub target: String,
    /// The label of the host that resembles it most.
    pub label: usize,
    pub verdict: Verdict,
}

/// Shortest registrable label that is recognised under a foreign suffix, in characters: shorter
/// ones resemble abbreviations of anything.
const BRAND_FOREIGN: usize = 4;
const BRAND_ASCII: usize = 5;

/// Shortest brand recognised between hyphens.
const BRAND_TOKEN: usize = 6;

/// Lengths of names that a word of another script may come near by chance, in characters.
const CHANCE: RangeInclusive<usize> = 2..=3;

/// Shortest label in which ASCII for ASCII (`0` for `o`) tells anything.
const WHOLE_ASCII: usize = 3;

/// The worst resemblance of the host to a name of the set, to none of which it belongs.
pub(super) fn find(subject: &Subject<'_>, names: &Names) -> Option<Hit> {
    if names.is_empty() {
        return None;
    }
    let mut best: Option<Hit> = None;
    let mut keep = |name: &Name, label: usize, verdict: Option<Verdict>| {
        if let Some(verdict) =
            verdict.filter(|verdict| best.as_ref().is_none_or(|best| best.verdict < *verdict))
        {
            best = Some(Hit { target: name.ascii.to_string(), label, verdict });
        }
    };
    let host = OnceCell::new();
    let host = || host.get_or_init(|| Host::of(subject));
    for (at, (part, sights)) in subject.parts.iter().zip(subject.sights).enumerate() {
        for name in candidates(part, sights, names) {
            keep(name, at, host().whole(at, name).max(host().label(at, name)));
        }
        for (token, sights) in tokens(part) {
            for name in candidates(&token, &sights, names) {
                keep(name, at, host().token(at, &token, &sights, name));
            }
        }
    }
    if let Some(name) = names.by_bidi(subject.unicode) {
        keep(name, host().registrable, Some(Verdict::Unsafe));
    }
    best
}

/// A host to be compared with names.
pub(super) struct Subject<'a> {
    pub parts: &'a [Part],
    /// What the labels read as, one for one.
    pub sights: &'a [Sights],
    pub ascii: &'a str,
    pub unicode: &'a str,
}

struct Host<'a> {
    parts: &'a [Part],
    sights: &'a [Sights],
    /// Index of the registrable label; labels after it are the registry's.
    registrable: usize,
}

impl<'a> Host<'a> {
    fn of(subject: &Subject<'a>) -> Host<'a> {
        let suffix = suffix_labels(subject.ascii, Section::Icann);
        let registrable = subject.parts.len().saturating_sub(suffix + 1);
        Host { parts: subject.parts, sights: subject.sights, registrable }
    }

    /// The name as a whole, ending the host or embedded left of its registrable label.
    fn whole(&self, at: usize, name: &Name) -> Option<Verdict> {
        let start = at.checked_sub(name.brand)?;
        let end = start + name.labels.len();
        let ends = end == self.parts.len();
        if !ends && end > self.registrable {
            return None;
        }
        let mut worst = Likeness::Same;
        let span = self.parts.get(start..end)?;
        let sights = self.sights.get(start..end)?;
        for ((part, sights), (_, look)) in span.iter().zip(sights).zip(&name.labels) {
            worst = worst.max(resemblance(part, sights, look)?);
        }
        let short = name.labels.get(name.brand).is_some_and(|(_, look)| look.len() < WHOLE_ASCII);
        match worst {
            Likeness::Rough if is_chance(span, name) => Some(Verdict::Notice),
            // Spelled identically, so that only its place deceives.
            Likeness::Same => Some(Verdict::Suspect).filter(|_| !ends),
            Likeness::Ascii if short => Some(Verdict::Notice),
            other => verdict(other),
        }
    }

    /// The registrable label alone, under any suffix.
    fn label(&self, at: usize, name: &Name) -> Option<Verdict> {
        let (part, sights) = (self.parts.get(at)?, self.sights.get(at)?);
        let (_, look) = name.labels.get(name.brand)?;
        let how = self.loose(at, name, resemblance(part, sights, look)?)?;
        // A word of another language at home is that word (`мета.рф`), but not a long one that
        // is letter by letter the name (`аррӏе.рф`).
        let chance = look.len() < BRAND_ASCII || sights.read_as_latin().is_none();
        if how >= Likeness::Foreign && chance && self.is_home_word(part) {
            return None;
        }
        let enough = match how {
            Likeness::Foreign | Likeness::Rough => BRAND_FOREIGN,
            _ => BRAND_ASCII,
        };
        if look.len() < enough { None } else { verdict(how) }
    }

    /// The registrable label between hyphens.
    fn token(&self, at: usize, token: &Part, sights: &Sights, name: &Name) -> Option<Verdict> {
        let (_, look) = name.labels.get(name.brand)?;
        let how = self.loose(at, name, resemblance(token, sights, look)?)?;
        let plain =
            look.len() < BRAND_TOKEN || how >= Likeness::Foreign && self.is_home_word(token);
        if plain { None } else { verdict(how) }
    }

    /// Filters what never counts for a label by itself.
    fn loose(&self, at: usize, name: &Name, how: Likeness) -> Option<Likeness> {
        let counts = name.reach == Reach::Brand && at <= self.registrable && how > Likeness::Same;
        counts.then_some(how)
    }

    fn is_home_word(&self, part: &Part) -> bool {
        let tld = self.parts.last().map(|part| part.unicode.as_str()).unwrap_or_default();
        let letters = || part.unicode.chars().filter(|c| c.is_alphabetic());
        letters().all(|c| !c.is_ascii()) && at_home(&part.unicode, tld)
    }
}

fn verdict(how: Likeness) -> Option<Verdict> {
    match how {
        Likeness::Same => None,
        Likeness::Faint => Some(Verdict::Notice),
        Likeness::Marks | Likeness::Ascii => Some(Verdict::Suspect),
        Likeness::Foreign | Likeness::Rough => Some(Verdict::Unsafe),
    }
}

/// A word of two or three letters, none of them Latin, comes near some abbreviation by chance
/// (`рис` and `pnc`); one letter beside digits (`ก11`) is no word.
fn is_chance(span: &[Part], name: &Name) -> bool {
    let short = name.labels.get(name.brand).is_some_and(|(_, look)| CHANCE.contains(&look.len()));
    let foreign = |part: &Part| !part.unicode.contains(|c: char| c.is_ascii_alphanumeric());
    short && span.get(name.brand).is_some_and(foreign)
}

/// How a label resembles the name, in the raw spelling and mapped: mail shows the raw one, and
/// capitals matter (`fƖipkart`). Mapped to the very name, it is the name.
fn resemblance(part: &Part, sights: &Sights, look: &Look) -> Option<Likeness> {
    let mapped = likeness(sights, look);
    if mapped == Some(Likeness::Same) || part.spelling == part.unicode || is_ace(&part.spelling) {
        return mapped;
    }
    mapped.max(likeness(&Sights::of(part.spelling.chars()), look))
}

fn is_ace(spelling: &str) -> bool {
    spelling.get(..4).is_some_and(|prefix| prefix.eq_ignore_ascii_case("xn--"))
}

/// The names that the label may resemble, as mapped and as spelled.
fn candidates<'a>(part: &Part, sights: &Sights, names: &'a Names) -> Vec<&'a Name> {
    let find = |sights: &Sights| looks(sights, |beginning| names.begins(beginning));
    let mut found: Vec<&Name> =
        find(sights).into_iter().flat_map(|look| names.by_look(look)).collect();
    if part.spelling != part.unicode && !is_ace(&part.spelling) {
        let spelled = part.spelling.chars().flat_map(char::to_lowercase);
        if !spelled.clone().eq(part.unicode.chars()) {
            let looks = find(&Sights::of(spelled));
            found.extend(looks.into_iter().flat_map(|look| names.by_look(look)));
        }
    }
    found
}

/// The pieces of a hyphenated label that are long enough for a brand, with what they read as.
fn tokens(part: &Part) -> Vec<(Part, Sights)> {
    if !part.unicode.contains('-') {
        return Vec::new();
    }
    let pieces = part.unicode.split('-').filter(|piece| piece.chars().count() >= BRAND_TOKEN - 1);
    pieces
        .map(|piece| {
            let token = Part {
                spelling: piece.to_owned(),
                ascii: String::new(),
                unicode: piece.to_owned(),
                problems: Vec::new(),
            };
            (token, Sights::of(piece.chars()))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::host::form::Form;

    fn hit(host: &str) -> Option<(String, Verdict)> {
        let names = Names::new([
            "example.com",
            "modern.example",
            "paypal.com",
            "=turkiye.gov.tr",
            "נמל.example",
        ]);
        let form = Form::read(host);
        let sights: Vec<Sights> =
            form.parts.iter().map(|part| Sights::of(part.unicode.chars())).collect();
        let subject = Subject {
            parts: &form.parts,
            sights: &sights,
            ascii: &form.ascii,
            unicode: &form.unicode,
        };
        let hit = find(&subject, &names).filter(|_| !names.covers(&form.ascii));
        hit.map(|hit| (hit.target, hit.verdict))
    }

    fn marked(host: &str) -> Option<Verdict> {
        hit(host).map(|(_, verdict)| verdict)
    }

    #[test]
    fn whole_names() {
        assert_eq!(hit("ехample.com"), Some(("example.com".to_owned(), Verdict::Unsafe)));
        assert_eq!(marked("www.éxample.com"), Some(Verdict::Suspect));
        assert_eq!(marked("www.example.com"), None);
        assert_eq!(marked("paypa1.com"), Some(Verdict::Suspect));
        assert_eq!(marked("www.paypal.com.attack.test"), Some(Verdict::Suspect));
        assert_eq!(marked("paypal.com.br"), None);
    }

    #[test]
    fn labels_alone() {
        assert_eq!(marked("раураl.attack.test"), Some(Verdict::Unsafe));
        assert_eq!(marked("paypal.de"), None);
        assert_eq!(marked("раураӏ.рф"), Some(Verdict::Unsafe));
        assert_eq!(marked("paypa1-login.test"), Some(Verdict::Suspect));
        assert_eq!(marked("türkiye.com.tr"), None);
    }

    /// Issue: `modem.example` beside a protected `modern.example` is not marked.
    #[test]
    fn words_are_words() {
        assert!(marked("modem.example").is_none_or(|verdict| verdict <= Verdict::Notice));
        assert_eq!(marked("mödern.example"), Some(Verdict::Suspect));
    }
}
