//! The site of a name in a country, which is in no list, in front of another domain.

use super::host_words::SEPARATORS;
use crate::protected::name::{MIN_BRAND, Name, Reach};
use crate::protected::near::MIN_LETTERS;
use crate::spelling::compared::ComparedHost;
use crate::spelling::domain::{Section, SuffixLengths, suffix_labels};
use crate::spelling::form::LabelForms;
use crate::spelling::plain_label::PlainLabel;

/// Which labels were chosen as a name.
pub(super) struct ChosenLabels {
    /// Chosen at a registry; `hosted`: chosen at a hoster (`example.web.app`).
    pub registrable: usize,
    pub hosted: usize,
}

impl ChosenLabels {
    pub(super) fn of(compared: &ComparedHost<'_>) -> ChosenLabels {
        let before = |after: usize| compared.parts.len().saturating_sub(after + 1);
        let SuffixLengths { icann, hosted, .. } = compared.suffixes;
        ChosenLabels { registrable: before(icann), hosted: before(hosted) }
    }

    pub(super) fn is_name(&self, at: usize) -> bool {
        at == self.registrable || at == self.hosted
    }
}

/// Whether the name whose label this is has a suffix behind it that makes a site of it.
pub(super) fn stands_at(
    parts: &[LabelForms],
    at: usize,
    labels: &ChosenLabels,
    name: &Name,
) -> bool {
    in_a_country(parts, at, labels.registrable, name) || as_national_site(parts, at, labels, name)
}

/// A name under the two-part suffix of a country: `amazon.co.jp.verify.top`, `hsbc.co.uk-login.top`.
fn in_a_country(parts: &[LabelForms], at: usize, registrable: usize, name: &Name) -> bool {
    let after = |places: usize| parts.get(at + places).map(|part| part.unicode.as_str());
    let (Some(kind), Some(rest)) = (after(1), after(2)) else { return false };
    let country = rest.split(SEPARATORS).next().unwrap_or_default();
    name.reach == Reach::Brand
        && name.brand_len() >= MIN_BRAND
        && at + 2 <= registrable
        && country.len() == 2
        && may_be_registry_label(kind.as_bytes())
        && suffix_labels(&format!("x.{kind}.{country}"), Section::Icann) == 2
}

/// A site that is in no list, national or not, as a browser shows it: `www.paypal.de.verify.top`. Without `www`
/// only long names before a country count, or before a suffix that is rented out: `paypal.us.com`.
fn as_national_site(parts: &[LabelForms], at: usize, labels: &ChosenLabels, name: &Name) -> bool {
    let label = |at: usize| parts.get(at).map(|part| part.unicode.as_str());
    let Some(after) = label(at + 1).and_then(|after| after.split(SEPARATORS).next()) else {
        return false;
    };
    let is_www = || at.checked_sub(1).and_then(label) == Some("www");
    let is_before = || {
        name.brand_len() >= MIN_LETTERS
            && (at + 1 < labels.registrable || at == labels.hosted)
            && is_country(after)
            && (after != "co" || at == labels.hosted)
            && SuffixLengths::of(&["x.", after].concat()).registry > 0
    };
    name.reach == Reach::Brand
        && name.brand_len() >= MIN_BRAND
        && at < labels.registrable
        && (is_www() && (is_country(after) || GENERIC.contains(&after)) || is_before())
}

/// Top-level domains of anybody, beside `com`.
const GENERIC: [&str; 4] = ["biz", "info", "net", "org"];

/// Whether it may be a country code: all have two letters, and no other label there has.
fn is_country(label: &str) -> bool {
    label.len() == 2 && label.bytes().all(|byte| byte.is_ascii_lowercase())
}

/// Letters of the labels that registries put before a country code: `co`, `gouv`.
const REGISTRY_LABEL: usize = 4;

/// Whether a registry may have put the label there, judged by its length.
fn may_be_registry_label(label: &[u8]) -> bool {
    label.len() <= REGISTRY_LABEL
}

/// Whether a name between these is the site of a country with hyphens for dots: `www-amazon-de`, `amazon-co-uk`.
pub(super) fn is_hyphenated(front: &str, after: &str) -> bool {
    let mut words = after.split(SEPARATORS).skip(1);
    match (words.next(), words.next(), words.next()) {
        (Some(country), None, _) => {
            is_country(country) && front.trim_end_matches(SEPARATORS) == "www"
        }
        (Some(kind), Some(country), None) => {
            is_country(country)
                && suffix_labels(&["x.", kind, ".", country].concat(), Section::Icann) == 2
        }
        _ => false,
    }
}

/// Whether these labels begin with what may be a country code, perhaps after a registry's label, and do not end with
/// it. Behind another label it may be one of [`GENERIC`].
pub(super) fn may_be_in_a_country(is_first: bool, labels: &[PlainLabel<'_>]) -> bool {
    let is_country = |label: &PlainLabel<'_>| {
        let word = label
            .bytes
            .split(|byte| SEPARATORS.contains(&char::from(*byte)))
            .next()
            .unwrap_or_default();
        word.len() == 2 || !is_first && GENERIC.iter().any(|tld| word == tld.as_bytes())
    };
    match labels {
        [kind, country, _, ..] if is_country(country) && may_be_registry_label(kind.bytes) => true,
        [country, _, ..] => is_country(country),
        _ => false,
    }
}
