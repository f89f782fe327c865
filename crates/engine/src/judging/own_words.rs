//! Words of languages below a suffix that is none of their country: countries (`türkiye.com`), those that come near a name
//! of somebody whom few know (`casă.com`) or that is a word (`câmbio.com`), and letters that the suffix does not have.

use super::accents::without_accents;
use super::judged::Judged;
use super::{Judge, Judgement, Section, registrable};
use crate::outcome::{Reason, Verdict};
use uts58::Kind;

/// Countries, as their languages write them, whose plain letters are the site of a government.
const COUNTRIES: [&str; 4] = ["canadà", "canadá", "türkiye", "índia"];

/// Letters of the top-level domain of a country.
const COUNTRY: usize = 2;

/// Words that mean themselves anywhere: `câmbio`.
const WORDS: &str = include_str!("own_words.txt");

impl Judge<'_> {
    /// Lowers the verdict of a host that is such a word. What stands beside it in the host or the link stays.
    pub(super) fn downgrade_own_words(&mut self, host: &str, kind: Kind, judged: &mut Judged) {
        if judged.verdict <= Verdict::Notice || !judged.inner.is_empty() {
            return;
        }
        // What most fail on.
        let Some(read) = judged.host.clone().filter(|read| !read.unicode.is_ascii()) else {
            return;
        };
        let is_only = |wanted: Reason| {
            let mut reasons = judged.reasons.iter();
            reasons.all(|reason| reason == wanted || reason.verdict() <= Verdict::Notice)
        };
        let is_word = if is_only(Reason::TargetLookalike) {
            is_country(&read)
                || judged.verdict < Verdict::Unsafe
                    && (self.is_of_others(&read) || self.is_own_word(&read))
        } else {
            is_only(Reason::TldLetter) && self.is_of_one_language(&read)
        };
        if is_word {
            self.let_alone(host, kind, judged);
        }
    }

    /// Whether a host is a listed name of one country and of nobody we know, but for its accents, under another suffix:
    /// `casă.com` is as far from `casa.it` as `casa.com` is.
    fn is_of_others(&self, host: &Judgement) -> bool {
        let Some(target) = &host.target else { return false };
        let Some(plain) = without_accents(&host.unicode) else { return false };
        let (Some(own), Some(name)) =
            (registrable(&plain, Section::Icann), registrable(target, Section::Icann))
        else {
            return false;
        };
        let (Some((label, suffix)), Some((known, other))) =
            (own.split_once('.'), name.split_once('.'))
        else {
            return false;
        };
        label == known
            && suffix != other
            && other.rsplit('.').next().is_some_and(|tld| tld.len() == COUNTRY)
            && is_alone(host)
            && self.is_nobodys(target)
            && !self.is_label_of_name(label)
    }

    /// Whether the name of a site is such a word.
    fn is_own_word(&self, host: &Judgement) -> bool {
        is_alone(host)
            && name_of(host).is_some_and(|name| WORDS.lines().any(|own| own == name))
            && host.target.as_deref().is_some_and(|target| self.is_nobodys(target))
    }

    /// Whether a name that is looked up much is of nobody we know. What an operator lists, his readers know.
    fn is_nobodys(&self, name: &str) -> bool {
        self.policy.lists.listings.iter().all(|listing| listing.known.is_none())
            && !self.is_protected(name)
            && !homograph::has_owner(name, &self.policy.protected)
    }
}

/// Whether a host is one of the countries, below a suffix.
fn is_country(host: &Judgement) -> bool {
    is_alone(host) && name_of(host).is_some_and(|name| COUNTRIES.contains(&name))
}

/// Whether only the name of a site is beyond ASCII.
fn is_alone(host: &Judgement) -> bool {
    let name = name_of(host);
    let mut others = host.unicode.split('.').filter(|label| Some(*label) != name);
    others.all(str::is_ascii)
}

/// The registrable label of a host.
fn name_of(host: &Judgement) -> Option<&str> {
    let labels = registrable(&host.ascii, Section::Private)?.split('.').count();
    host.unicode.rsplit('.').nth(labels - 1)
}

#[cfg(test)]
mod tests {
    use crate::Verdict;
    use crate::tests::from_a_stranger;

    #[test]
    fn words_mean_themselves() {
        for host in [
            "strætó.is", "www.strætó.is", "xn--strt-xoa3f.is", "télécom.ch", "пепел.com",
            "türkiye.com", "canadá.org", "xn--trkiye-3ya.com", "même.com", "casă.com",
            "panoramă.com", "câmbio.com", "rádio.net", "média-groupe.org", "www.mönster.com",
            "xn--cmbio-3qa.com", "số.com", "éducation.com", "opéra-paris.com", "пепел.рф",
            "argentàs.cat", "internò.it", "sólana.is", "verschweißter.de",
        ] {
            for body in [format!("https://{host}/x"), format!("{host} \n")] {
                let (verdict, edited) = from_a_stranger(&body);
                assert!(verdict <= Verdict::Notice && !edited, "{body} {verdict:?}");
            }
        }
    }

    #[test]
    fn names_in_accents_stay_lies() {
        for host in [
            "télegram.com", "telegrám.com", "türkiye-login.com", "strætó-login.com", "strató.com",
            "hôtels.com", "éducátion.com", "câmbio.rádío.com", "pàypal.org", "nokią.com",
            "nordström.com", "fédex.com", "wikipédia.com", "impôts.com", "télécom.pàypal.com",
        ] {
            let (verdict, _) = from_a_stranger(&format!("https://{host}/x"));
            assert!(verdict >= Verdict::Suspect, "{host} {verdict:?}");
        }
    }
}
