//! Protected names: is this host made to be taken for one of them?
//!
//! A protected name is recognised as a whole (`example.com` in `ехample.com` or
//! `www.example.com.attack.test`) and by its registrable label alone (`ехample.attack.test`,
//! `examp1e-login.test`). A label spelled identically never counts by itself (`amazon.de`), nor
//! the name itself or a host below it.

use super::domain::{Section, suffix_labels};
use super::form::Part;
use super::lookalike::{Likeness, Look, is_bidi, likeness, looks, reads_as_latin};
use super::names::{Name, Names, Reach};
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

/// Shortest label in which ASCII for ASCII (`0` for `o`) tells anything.
const WHOLE_ASCII: usize = 3;

/// The worst resemblance of the host to a name of the set. The host is the name or below it:
/// none.
pub(super) fn find(parts: &[Part], ascii: &str, unicode: &str, names: &Names) -> Option<Hit> {
    if names.is_empty() || names.covers(ascii) {
        return None;
    }
    let suffix = suffix_labels(ascii, Section::Icann);
    let host = Host { parts, registrable: parts.len().saturating_sub(suffix + 1) };
    let mut best: Option<Hit> = None;
    let mut keep = |hit: Hit| {
        if best.as_ref().is_none_or(|best| best.verdict < hit.verdict) {
            best = Some(hit);
        }
    };
    for (at, part) in parts.iter().enumerate() {
        for name in candidates(part, names) {
            if let Some(verdict) = host.whole(at, name).max(host.label(at, name)) {
                keep(Hit { target: name.ascii.to_string(), label: at, verdict });
            }
        }
        for (token, name) in tokens(part, names) {
            if let Some(verdict) = host.token(at, &token, name) {
                keep(Hit { target: name.ascii.to_string(), label: at, verdict });
            }
        }
    }
    if is_bidi(unicode)
        && let Some(name) = names.by_bidi(unicode)
    {
        let label = host.registrable;
        keep(Hit { target: name.ascii.to_string(), label, verdict: Verdict::Unsafe });
    }
    best
}

struct Host<'a> {
    parts: &'a [Part],
    /// Index of the registrable label; labels after it are the registry's.
    registrable: usize,
}

impl Host<'_> {
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
        for (part, (_, look)) in span.iter().zip(&name.labels) {
            worst = worst.max(resemblance(part, look)?);
        }
        let short = name.labels.get(name.brand).is_some_and(|(_, look)| look.len() < WHOLE_ASCII);
        match worst {
            // Spelled identically, so that only its place deceives.
            Likeness::Same => Some(Verdict::Suspect).filter(|_| !ends),
            Likeness::Ascii if short => Some(Verdict::Notice),
            other => verdict(other),
        }
    }

    /// The registrable label alone, under any suffix.
    fn label(&self, at: usize, name: &Name) -> Option<Verdict> {
        let part = self.parts.get(at)?;
        let (_, look) = name.labels.get(name.brand)?;
        let how = self.loose(at, name, resemblance(part, look)?)?;
        // A word of another language at home is that word (`мета.рф`), but not a long one that
        // is letter by letter the name (`аррӏе.рф`).
        let chance = look.len() < BRAND_ASCII || !reads_as_latin(&part.unicode);
        if how == Likeness::Foreign && chance && self.is_home_word(part) {
            return None;
        }
        let enough = match how {
            Likeness::Foreign => BRAND_FOREIGN,
            _ => BRAND_ASCII,
        };
        if look.len() < enough { None } else { verdict(how) }
    }

    /// The registrable label between hyphens.
    fn token(&self, at: usize, token: &Part, name: &Name) -> Option<Verdict> {
        let (_, look) = name.labels.get(name.brand)?;
        let how = self.loose(at, name, resemblance(token, look)?)?;
        let plain =
            look.len() < BRAND_TOKEN || how == Likeness::Foreign && self.is_home_word(token);
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
        Likeness::Foreign => Some(Verdict::Unsafe),
    }
}

/// How a label resembles the name, in the raw spelling and mapped: mail shows the raw one, and
/// capitals matter (`fƖipkart`). Mapped to the very name, it is the name.
fn resemblance(part: &Part, look: &Look) -> Option<Likeness> {
    let mapped = likeness(&part.unicode, look);
    if mapped == Some(Likeness::Same) || part.spelling == part.unicode || is_ace(&part.spelling) {
        return mapped;
    }
    mapped.max(likeness(&part.spelling, look))
}

fn is_ace(spelling: &str) -> bool {
    spelling.get(..4).is_some_and(|prefix| prefix.eq_ignore_ascii_case("xn--"))
}

fn candidates<'a>(part: &Part, names: &'a Names) -> Vec<&'a Name> {
    let mut found: Vec<&Name> =
        looks(&part.unicode).into_iter().flat_map(|look| names.by_look(look)).collect();
    if part.spelling != part.unicode && !is_ace(&part.spelling) {
        found.extend(looks(&part.spelling).into_iter().flat_map(|look| names.by_look(look)));
    }
    found
}

/// The pieces of a hyphenated label, with the names that they may resemble.
fn tokens<'a>(part: &Part, names: &'a Names) -> Vec<(Part, &'a Name)> {
    if !part.unicode.contains('-') {
        return Vec::new();
    }
    let pieces = part.unicode.split('-').filter(|piece| piece.chars().count() >= BRAND_TOKEN - 1);
    pieces
        .map(|piece| Part {
            spelling: piece.to_owned(),
            ascii: String::new(),
            unicode: piece.to_owned(),
            problems: Vec::new(),
        })
        .flat_map(|token| {
            let found = candidates(&token, names);
            found.into_iter().map(move |name| (token.clone(), name)).collect::<Vec<_>>()
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
        find(&form.parts, &form.ascii, &form.unicode, &names).map(|hit| (hit.target, hit.verdict))
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
