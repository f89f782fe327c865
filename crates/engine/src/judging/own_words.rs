//! Words of languages below a suffix that is none of their country: countries (`türkiye.com`), those that come near a name
//! of somebody whom few know (`casă.com`), and letters that the suffix does not have (`şikâyet.com`).

use super::accents::without_accents;
use super::judged::Judged;
use super::{HostBounds, Judge, Judgement, Section, registrable};
use crate::outcome::{Reason, Verdict};
use uts58::Kind;

/// Countries, as their languages write them, whose plain letters are the site of a government.
const COUNTRIES: [&str; 4] = ["canadà", "canadá", "türkiye", "índia"];

/// Letters of the top-level domain of a country.
const COUNTRY: usize = 2;

/// Letters beyond ASCII that people write in one language, those of its loan words and names among them.
const LETTERS: [&str; 4] = ["áéíóúýðþæöø", "çğıöşüâîû", "çəğıöşü", "æøåäöüéèêóòôà"];

/// Such letters of a name that is of one language, at least: a single one may stand for another (`meðical`).
const TELLING: usize = 2;

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
            is_country(&read) || judged.verdict < Verdict::Unsafe && self.is_of_others(&read)
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
        // What an operator lists, his readers know.
        let mut listings = self.policy.lists.listings.iter();
        label == known
            && suffix != other
            && other.rsplit('.').next().is_some_and(|tld| tld.len() == COUNTRY)
            && is_alone(host)
            && listings.all(|listing| listing.known.is_none())
            && !self.is_protected(target)
            && !self.is_label_of_name(label)
            && !homograph::has_owner(target, &self.policy.protected)
    }

    /// Whether the letters of a host that its top-level domain does not have are of one language, several of them, and it
    /// comes near no known name.
    fn is_of_one_language(&mut self, host: &Judgement) -> bool {
        let mut labels = host.unicode.split('.').filter(|label| !label.is_ascii());
        let plain: String = host.unicode.chars().map(read_plainly).collect();
        labels.all(is_in_one_language) && {
            let plain = self.host(&plain, HostBounds::Certain);
            plain.unicode.is_ascii() && self.names_nobody_known(&plain)
        }
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

/// A letter as it is read, or itself.
fn read_plainly(c: char) -> String {
    let read = Some(c).filter(|c| !c.is_ascii()).and_then(homograph::reads_as);
    read.map_or_else(|| c.into(), str::to_owned)
}

/// Whether a label has letters of one language alone, several of them beyond ASCII. No word begins with an `ð`.
fn is_in_one_language(label: &str) -> bool {
    let others = || label.chars().filter(|c| !c.is_ascii());
    let is_plain = |c: char| !c.is_ascii() || c.is_ascii_lowercase() || c == '-';
    label.chars().all(is_plain)
        && others().count() >= TELLING
        && !label.split('-').any(|word| word.starts_with('ð'))
        && LETTERS.iter().any(|letters| others().all(|c| letters.contains(c)))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use crate::{Answers, Facts, Message, Policy, TldTable, Verdict};
    use homograph::Names;

    fn judged(body: &str) -> (Verdict, bool) {
        let tlds = ["br", "ch", "com", "is", "it", "org", "ro", "si", "tr"];
        let tlds = TldTable::new(tlds, "");
        let policy = Policy { protected: Arc::new(Names::builtin()), ..Policy::default() };
        let message = Message { head: b"From: a@example.com\n", body: body.as_bytes() };
        let facts = Facts::default();
        let outcome = crate::inspect(message, &facts, &policy, &tlds).resolve(&Answers::new());
        (outcome.verdict, !outcome.edits.is_empty())
    }

    #[test]
    fn words_mean_themselves() {
        for host in [
            "strætó.is", "www.strætó.is", "xn--strt-xoa3f.is", "télécom.ch", "пепел.com",
            "türkiye.com", "canadá.org", "xn--trkiye-3ya.com", "même.com", "casă.com",
            "panoramă.com",
        ] {
            for body in [format!("https://{host}/x"), format!("{host} \n")] {
                let (verdict, edited) = judged(&body);
                assert!(verdict <= Verdict::Notice && !edited, "{body} {verdict:?}");
            }
        }
    }

    #[test]
    fn names_in_accents_stay_lies() {
        for host in [
            "télegram.com", "telegrám.com", "türkiye-login.com", "strætó-login.com", "strató.com",
            "hôtels.com", "éducation.com", "pàypal.org", "wikipédia.com", "impôts.com",
            "télécom.pàypal.com",
        ] {
            let (verdict, _) = judged(&format!("https://{host}/x"));
            assert!(verdict >= Verdict::Suspect, "{host} {verdict:?}");
        }
    }

    #[test]
    fn letters_of_one_language_stand_below_any_suffix() {
        for host in [
            "fréttablaðið.com", "háskóli-íslands.org", "morgunblaðið.com", "grünerløkka.com",
            "şikâyet.com", "imkânı.com", "şəki.com", "dünəndən.com", "xoş-gəldiniz.org",
        ] {
            let (verdict, edited) = judged(&format!("https://{host}/x"));
            assert!(verdict <= Verdict::Notice && !edited, "{host} {verdict:?}");
        }
        for host in [
            "meðical.com", "þaypál.com", "ðropböx.com", "ðiaÿuxœgywt.com", "ð1j7dáð.com",
            "þaypal-lögin.com", "ðe-dóm.com", "məktub.com", "nəşflix.com", "fəcəbook.com",
        ] {
            let (verdict, _) = judged(&format!("https://{host}/x"));
            assert!(verdict >= Verdict::Suspect, "{host} {verdict:?}");
        }
    }
}
