//! Suffixes that a host only seems to have, under the top-level domains where such hosts are bought in bulk:
//! `sunpass.com-pay.top`, `ants.gouv.fr-x.top`, `irs-gov.top`; and protected names under those domains (`paypal.top`).
//!
//! Elsewhere a label may well begin with `com-` or end in `-gov`, and the owners of names have many domains.

use super::host_words::{ASKING, MIN_BRAND_IN_LABEL, SEPARATORS, spelled};
use crate::Context;
use crate::english::is_word;
use crate::protected::names::Names;
use crate::spelling::compared::{ComparedHost, Hit};
use crate::spelling::domain::{Section, suffix_labels};
use crate::spelling::form::{self, LabelForms};
use crate::spelling::plain_label::PlainLabel;
use crate::verdict::{Reason, Verdict};

/// Top-level domains of which the lists of reported phishing are full, or that are read as `com`, and in which few
/// organisations have sites. By hand.
#[rustfmt::skip]
pub(crate) const BULK: [&[u8]; 23] = [
    b"bond", b"cfd", b"click", b"cm", b"cyou", b"icu", b"live", b"lol", b"monster", b"om", b"online", b"quest",
    b"rest", b"sbs", b"site", b"support", b"top", b"vip", b"website", b"win", b"world", b"xin", b"xyz",
];

/// Labels of registries that governments have.
const GOVERNMENTS: [&str; 3] = ["gob", "gouv", "gov"];

/// Letters of a name in front of such a suffix: shorter ones, and [`SERVICES`], are hosts of anybody.
const MIN_NAME: usize = 3;

/// Labels that anybody puts in front of a domain.
pub(super) const SERVICES: [&str; 6] = ["mail", "smtp", "app", "api", "cdn", "www"];

/// Whether the labels of a plain host may seem to have such a suffix: fast, may return `true` wrongly.
pub(super) fn may_seem(labels: &[PlainLabel<'_>], sets: &[&Names]) -> bool {
    let [.., label, tld] = labels else { return false };
    let is_name = || sets.iter().any(|names| names.by_look(label.look.value()).next().is_some());
    // What most hosts fail on first.
    (label.has_separator || is_name())
        && BULK.iter().any(|bulk| tld.bytes.eq_ignore_ascii_case(bulk))
}

/// What the host seems to be, if it seems to be another's.
pub(super) fn find(compared: &ComparedHost<'_>, context: &Context<'_>) -> Option<Hit> {
    let [front @ .., label, tld] = compared.parts else { return None };
    if !BULK.contains(&tld.ascii.as_bytes()) || !label.unicode.is_ascii() {
        return None;
    }
    let table = context.protected.organisations();
    let label = label.ascii.as_str();
    let target = [context.own, context.protected]
        .into_iter()
        .find_map(|names| under_another_suffix(label, names))
        .filter(|name| !table.is_some_and(|table| table.is_one_owner(compared.ascii, name)))
        .map(ToOwned::to_owned)
        .or_else(|| before_a_suffix(front, label))
        .or_else(|| of_government(label))?;
    let (label, verdict) = (front.len(), Verdict::Suspect);
    Some(Hit { target, label, verdict, reason: Reason::NameInHost })
}

/// The protected name that the label is: no word that anybody may mean.
fn under_another_suffix<'n>(label: &str, names: &'n Names) -> Option<&'n str> {
    let name = spelled(label, names)?;
    (label.len() >= MIN_BRAND_IN_LABEL && !is_word(label)).then_some(&*name.ascii)
}

/// The host that the labels in front seem to be, with a suffix at the beginning of the label.
fn before_a_suffix(front: &[LabelForms], label: &str) -> Option<String> {
    let (suffix, after) = label.split_once(SEPARATORS)?;
    let [above @ .., before] = front else { return None };
    let before = before.ascii.as_str();
    let registry = join([before, suffix]);
    let is_name = |label: &str| label.len() >= MIN_NAME && !SERVICES.contains(&label);
    let is_country = suffix.len() == 2;
    let asks = || after.split(SEPARATORS).next().is_some_and(|word| ASKING.contains(&word));
    if is_country && suffix_labels(&registry, Section::Icann) == 2 {
        let above = above.last().map(|part| part.ascii.as_str()).filter(|above| is_name(above))?;
        return Some(join([above, &registry]));
    }
    let ends =
        GOVERNMENTS.contains(&suffix) || matches!(suffix, "com" | "org") || is_country && asks();
    (ends && is_name(before)).then_some(registry)
}

/// The site of a government that the label seems to be, with hyphens for dots: `irs-gov`.
fn of_government(label: &str) -> Option<String> {
    let mut office = "";
    label.split(SEPARATORS).find_map(|word| {
        let office = std::mem::replace(&mut office, word);
        let names = GOVERNMENTS.contains(&word) && office.len() >= MIN_NAME && !is_word(office);
        names.then(|| join([office, word]))
    })
}

fn join(labels: [&str; 2]) -> String {
    form::join(labels.into_iter())
}

#[cfg(test)]
mod tests {
    use crate::verdict::Reason;
    use crate::{Names, judge};
    use uts58::tlds::TldTable;

    fn target(host: &str) -> Option<String> {
        let (protected, none) = (Names::builtin(), Names::default());
        let tlds = TldTable::new(["com", "top", "de", "xyz", "live", "org", "at", "nl"], "");
        let judgement = judge(host, &crate::tests::context(&protected, &none, &tlds));
        let named = judgement.reasons.contains(Reason::NameInHost);
        judgement.target.filter(|_| named)
    }

    #[test]
    fn seeming_suffixes_are_reported() {
        for (host, seems) in [
            ("sunpass.com-pay.top", "sunpass.com"),
            ("www.ezpass.com-trk.top", "ezpass.com"),
            ("dmv.gov-tickets.xyz", "dmv.gov"),
            ("ants.gouv.fr-x.top", "ants.gouv.fr"),
            ("dgt.gob.es-multa.top", "dgt.gob.es"),
            ("somebank.de-login.top", "somebank.de"),
            ("irs-gov.top", "irs.gov"),
            ("hmrc-gov-uk.top", "hmrc.gov"),
            ("impots-gouv.top", "impots.gouv"),
            ("www.paypal.top", "paypal.com"),
            ("netflix.xyz", "netflix.com"),
            ("Sparkasse.live", "sparkasse.de"),
        ] {
            assert_eq!(target(host).as_deref(), Some(seems), "{host}");
        }
    }

    #[test]
    fn other_hosts_are_not() {
        for host in [
            "www.com-tec.at", "shop.com-tec.at", "www.com-tec.top", "mail.com-tec.top",
            "open-gov.xyz", "e-gov.top", "de-boer.nl", "www.de-boer.top", "discover.top",
            "www.paypal.com", "paypal.at", "foo-bar.top",
        ] {
            assert_eq!(target(host), None, "{host}");
        }
    }
}
