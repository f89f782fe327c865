//! Hosts with letters and signs that read as the punctuation of a URL, and before it a known name:
//! `www.paypal.comʔlogin.example`, `paypal‧com.example`.
//! Languages use some of them as letters, so the name decides.

use super::Judge;
use super::judged::Judged;
use super::sign_roles::{ends_host, reads_as_punctuation, separates_words};
use crate::outcome::{Edit, Reason, Verdict};
use homograph::HostBounds;

impl Judge<'_> {
    /// Marks a host as unsafe that reads as a protected name before such a sign, or as a host that has one in it.
    pub(super) fn mark_name_before_sign(&mut self, judged: &mut Judged) {
        if judged.edit >= Edit::Link && judged.verdict >= Verdict::Unsafe {
            return;
        }
        let Some(host) = judged.host.as_ref() else { return };
        let Some(shown) = shown(&host.unicode).filter(|shown| shown.is_ascii()) else { return };
        let deceives = self.is_protected(&shown)
            || self.host(&shown, HostBounds::Certain).reasons.contains(Reason::NameInHost);
        if deceives {
            judged.add_with(Reason::SeparatorLookalike, Verdict::Unsafe);
            judged.edit = judged.edit.max(Edit::Link);
        }
    }
}

/// The host as it reads: what follows a sign that ends it left out, and a hyphen for each that separates words. `None`
/// if it has no such sign.
fn shown(host: &str) -> Option<String> {
    if !host.contains(|c: char| !c.is_ascii() && reads_as_punctuation(c)) {
        return None;
    }
    let end = host.find(ends_host).unwrap_or(host.len());
    let before = host.get(..end)?;
    (end < host.len() || before.contains(separates_words))
        .then(|| before.replace(separates_words, "-"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signs_are_read_as_punctuation() {
        for (host, reads) in [
            ("www.paypal.comʔlogin.com", Some("www.paypal.com")),
            ("paypal.com♯x.com", Some("paypal.com")),
            ("paypal‧com.evil.example", Some("paypal-com.evil.example")),
            ("www.paypal·login.com", Some("www.paypal-login.com")),
            ("paypal.comꟷxʔ.com", Some("paypal.com-x")),
            ("www.paypal.com", None),
            ("müller.de", None),
        ] {
            assert_eq!(shown(host).as_deref(), reads, "{host}");
        }
    }
}
