//! Words with accents that resemble a known name no more than they do without: `poštni.si`, which is Slovene for `postal`,
//! and `postni.si`.

use super::judged::Judged;
use super::{HostBounds, Judge, Section, registrable};
use crate::outcome::{Reason, Verdict};
use homograph::claims::may_stand_beside;
use uts58::Kind;

impl Judge<'_> {
    /// Lowers the verdict of a host that is like a name, if it would be no more than a notice without its accents. In
    /// Punycode it has those of what it stands for.
    pub(super) fn downgrade_accents(&mut self, link: &str, kind: Kind, judged: &mut Judged) {
        let of_likeness = |reason: Reason| {
            reason.verdict() <= Verdict::Notice || reason == Reason::TargetLookalike
        };
        let is_like = judged.verdict > Verdict::Notice
            && judged.inner.is_empty()
            && judged.reasons.contains(Reason::TargetLookalike)
            && judged.reasons.iter().all(of_likeness);
        let Some(target) = judged.target().filter(|_| is_like) else { return };
        let Some(read) = judged.host.clone() else { return };
        let host = if link.is_ascii() { read.unicode.as_str() } else { link };
        let Some(plain) = without_accents(host).filter(|plain| plain != host) else { return };
        // The name itself, with accents and below or before another name, is the lie. So it is with others than its own.
        let label = |name: &str| name.split('.').next().map(str::to_owned);
        let meant = self.host(target, HostBounds::Certain);
        let target = without_accents(&meant.unicode);
        let name = target.as_deref().and_then(label);
        let spelled = label(&meant.unicode).unwrap_or_default();
        if name.is_some_and(|name| {
            plain.split('.').any(|label| label == name)
                || self.has_with_accents(host, (&spelled, &name))
        }) {
            return;
        }
        let domain = registrable(&plain, Section::Private);
        let Some(own) = domain.and_then(label) else { return };
        let alone = self.host(&plain, HostBounds::Certain);
        if alone.verdict <= Verdict::Notice
            && !self.is_protected(&alone.ascii)
            && !self.is_label_of_name(&own)
        {
            self.let_alone(link, kind, judged);
        }
    }

    /// Whether a word of the host is a known name with accents, or begins or ends with one beside another word:
    /// `pàypal-blue.com`, `netflîxblue.com`, but `télégramme.fr`. The name is no word of its own.
    fn has_with_accents(&self, host: &str, (spelled, name): (&str, &str)) -> bool {
        let sets = [&*self.policy.protected, &self.own_names];
        let Some(names) = sets.into_iter().find(|names| names.has_distinctive(spelled)) else {
            return false;
        };
        let is_name = |part: &str| {
            !part.is_ascii()
                && part != spelled
                && without_accents(part).is_some_and(|plain| plain == name)
        };
        let length = name.len();
        let cut = |word: &str, at: usize| {
            word.char_indices().nth(at).map_or(word.len(), |(index, _)| index)
        };
        host.split(['.', '-', '_']).any(|word| {
            let letters = word.chars().count();
            let ends = [Some(length), letters.checked_sub(length)].into_iter().flatten();
            let mut parts = ends.filter_map(|at| word.split_at_checked(cut(word, at)));
            parts.any(|(front, back)| {
                is_name(front) && may_stand_beside(back, names)
                    || is_name(back) && may_stand_beside(front, names)
            })
        })
    }
}

/// Whether a host is the other one but for the accents of its letters, with or without `www.`: a text that says it reads
/// so at a glance.
pub(super) fn reads_without_accents(host: &str, plain: &str) -> bool {
    let alone = |host: &str| host.strip_prefix("www.").unwrap_or(host).to_owned();
    !host.is_ascii() && without_accents(&alone(host)).is_some_and(|read| read == alone(plain))
}

/// A host of small letters without the accents of its Latin letters. `None` if it has others.
pub(super) fn without_accents(host: &str) -> Option<String> {
    let mut plain = String::with_capacity(host.len());
    for c in host.chars() {
        match c {
            'a'..='z' | '0'..='9' | '-' | '.' => plain.push(c),
            // Letters of their own: `ı`, `ĸ`, `ł`, `ſ` and their like.
            'ı' | 'ĸ' | 'ŀ' | 'ł' | 'ŉ' | 'ſ' => return None,
            'à'..='ž' if c.is_lowercase() => plain.push_str(homograph::reads_as(c)?),
            _ => return None,
        }
    }
    plain.is_ascii().then_some(plain)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::{Answers, Facts, Message, Policy, TldTable};
    use homograph::Names;

    #[test]
    fn a_name_has_its_own_accents() {
        let verdict = |host: &str| {
            let protected = Names::builtin().extended(["müllerbank.de", "čedilbanka.cz"]);
            let policy = Policy { protected: Arc::new(protected), ..Policy::default() };
            let body = format!("https://{host}/x");
            let message = Message { head: b"From: a@example.com\n", body: body.as_bytes() };
            let (facts, tlds) =
                (Facts::default(), TldTable::new(["ca", "com", "cz", "de", "nl", "org", "si"], ""));
            crate::inspect(message, &facts, &policy, &tlds).resolve(&Answers::new()).verdict
        };
        for host in ["mūllerbank.de", "müllerbänk.de", "ćedilbanka.cz", "mùllerbank.com"] {
            assert!(verdict(host) >= Verdict::Suspect, "{host}");
        }
        for host in [
            "müllerbank.de",
            "mullerbank.de",
            "www.čedilbanka.cz",
            "poštni.si",
            "xn--potni-wdb.si",
            "www.xn--tlgramme-b1ab.com",
            "xn--pokmon-shop-dbb.com",
        ] {
            assert!(verdict(host) < Verdict::Suspect, "{host}");
        }
        for host in [
            "pàypal-login-x9k2.com",
            "micrösoft-blue.com",
            "netflîxblue.com",
            "bluenetflîx.com",
            "x9k2netflîx.com",
            "facebøøk-eu-login.com",
            "www.liŋkedin-blue.com.evilhost.de",
            "čedilbankä-blue.com",
            "xn--netflxblue-z8a.com",
            "xn--pypal-login-x9k2-xlb.com",
        ] {
            assert!(verdict(host) >= Verdict::Suspect, "{host}");
        }
        // Words of languages, and names that are words.
        for host in [
            "télégramme.com",
            "le-télégramme.com",
            "intéractive-média.com",
            "äpple-cider.com",
            "pokémon-shop.com",
            "müllerbank-fans.de",
            "télésantander.com",
        ] {
            assert!(verdict(host) < Verdict::Suspect, "{host}");
        }
    }

    #[test]
    fn accents_are_left_out() {
        for (host, plain) in [
            ("www.poštni.si", Some("www.postni.si")),
            ("poštnI.si", None),
            ("pоštni.si", None),
            ("lınkedın.com", None),
        ] {
            assert_eq!(without_accents(host).as_deref(), plain, "{host}");
        }
    }
}
