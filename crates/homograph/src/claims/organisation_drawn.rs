//! The domain of an organisation, no protected name, that the domain of another is drawn as: with other letters of ASCII
//! (`googIeapis.com`), with accents, dots below and hooks (`sabadęll.com`), or in those of another alphabet (`мегсагі.com`);
//! and the name of one in letters beyond Latin with a slip (`сбербнак.рф`) or with signs that look alike (`工商银衍.com`).

use uts58::suffixes::BUILTIN;
use uts58::unicode::a_label::PREFIX;

use crate::Judgement;
use crate::english::is_any_word;
use crate::hosts::honest_neighbours::means_itself_at;
use crate::hosts::host_words::spelled;
use crate::protected::name::Name;
use crate::protected::names::Names;
use crate::protected::near::{MIN_LETTERS, is_neighbour};
use crate::protected::organisations::Organisations;
use crate::spelling::domain::{Section, and_above, from_end, registrable};
use crate::spelling::form::HostForms;

/// Labels of a host that are read at most.
const LABELS: usize = 8;

/// The domain of an organisation, no protected name, that the domain of another is drawn as (`googIeapis.com`,
/// `credit-agrico1e.fr`, `sabadęll.com`, `сбербнак.рф`).
pub fn organisation_drawn<'n>(host: &Judgement, protected: &'n Names) -> Option<&'n str> {
    let table = protected.organisations()?;
    if let Some(name) = sounds_alike(&host.ascii, protected) {
        return Some(name);
    }
    // The last label but one or two, in front of a suffix.
    let mut labels = from_end(&host.ascii).zip(from_end(&host.unicode)).skip(1).take(2);
    let (label, shown, domain) =
        labels.find_map(|(label, shown)| Some((label, shown, drawn(label, || shown, table)?)))?;
    let own = registrable(&host.ascii, Section::Private)?;
    let (own, suffix) = own.split_once('.')?;
    let is_theirs = || {
        table.is_one_owner(&host.ascii, domain) || table.is_spelled_so(domain, shown, &host.ascii)
    };
    // Of ASCII alone the caller asks, who knows more of the host.
    let is_word = || !shown.is_ascii() && means_itself_at(shown, suffix);
    (own == label && !is_theirs() && !is_word()).then_some(domain)
}

/// Whether a host has the name of the owner that it resembles in his own letters, where he has the plain one: `itaú.com.br`.
pub fn is_in_own_letters(host: &Judgement, protected: &Names) -> bool {
    let Some(own) = registrable(&host.ascii, Section::Icann) else { return false };
    let target = host.target.as_deref().unwrap_or_default();
    let suffix = |name| and_above(name).nth(1);
    let suffix_labels = from_end(own).count() - 1;
    let shown = from_end(&host.unicode).nth(suffix_labels).unwrap_or_default();
    let table = protected.organisations();
    suffix(own) == suffix(target)
        && table.is_some_and(|table| table.is_spelled_so(target, shown, &host.ascii))
}

/// Letters that sound like one, and that one.
const SOUNDS: [(&str, &str); 2] = [("ph", "f"), ("ks", "x")];

/// The protected name that the domain is spelled as it sounds: `microsopht.com`, `netfliks.com`.
fn sounds_alike<'n>(ascii: &str, protected: &'n Names) -> Option<&'n str> {
    // What most fail on.
    let holds =
        |two: &str| ascii.as_bytes().array_windows().any(|pair: &[u8; 2]| pair == two.as_bytes());
    let mut sounds = SOUNDS.into_iter().filter(|(two, _)| holds(two)).peekable();
    sounds.peek()?;
    let label = registrable(ascii, Section::Private)?.split('.').next()?;
    let is_long = |name: &&Name| name.brand_len() >= MIN_LETTERS;
    let is_anothers = || {
        let table = protected.organisations();
        table.is_some_and(|table| table.labelled(&label.replace('-', ""), true).is_some())
    };
    let mut named = sounds
        .filter(|(two, _)| label.contains(two))
        .find_map(|(two, one)| spelled(&label.replace(two, one), protected).filter(is_long));
    named.take_if(|_| !is_any_word(label) && !is_anothers()).map(|name| &*name.ascii)
}

/// Whether the host is below the domain that it resembles but for `l` and `i` in each other's places
/// (`booklng.com`): of long labels under the same suffix nobody has the other.
pub fn exchanges_l_and_i(host: &Judgement) -> bool {
    let of = |host| registrable(host, Section::Icann)?.split_once('.');
    let target = host.target.as_deref().and_then(of);
    let Some(((label, suffix), (name, theirs))) = of(&host.ascii).zip(target) else {
        return false;
    };
    let is_exchange = |(one, other): (u8, u8)| matches!((one, other), (b'l', b'i') | (b'i', b'l'));
    label.len() >= MIN_LETTERS
        && label.len() == name.len()
        && label != name
        && suffix == theirs
        && !is_neighbour(label.as_bytes())
        && label.bytes().zip(name.bytes()).all(|pair| pair.0 == pair.1 || is_exchange(pair))
}

/// The domain that is drawn in front of that of another, with a suffix behind it: `www.sabade11.com.login.top`.
pub(super) fn in_front(front: &str, table: &Organisations) -> Option<&'static str> {
    let next = front.split('.').skip(1);
    let mut pairs = front.split('.').zip(next).take(LABELS);
    pairs.find_map(|(label, suffix)| {
        let is_suffix = BUILTIN.of_name(suffix).section == Some(Section::Icann);
        is_suffix.then(|| drawn(label, || HostForms::read(label).unicode, table)).flatten()
    })
}

/// The domain whose label a label in ASCII form is drawn as, which is shown so.
fn drawn<S: AsRef<str>>(
    label: &str,
    shown: impl FnOnce() -> S,
    table: &Organisations,
) -> Option<&'static str> {
    match label.starts_with(PREFIX) {
        true => {
            let shown = shown();
            let shown = shown.as_ref();
            let in_letters = || table.in_other_letters(shown);
            table.accented(shown).or_else(in_letters).or_else(|| table.slipped(shown))
        }
        false => table.drawn(label),
    }
}

#[cfg(test)]
mod tests {
    use super::organisation_drawn;
    use crate::Names;
    use crate::claims::organisation_inside::inside;
    use crate::{Judgement, judge};
    use uts58::tlds::TldTable;

    #[test]
    fn domains_of_organisations_are_drawn() {
        let names = Names::builtin();
        for (host, domain) in [
            ("facebookrnail.com", Some("facebookmail.com")),
            ("www.googieapis.com", Some("googleapis.com")),
            ("credit-agrico1e.fr", Some("creditagricole.fr")),
            ("www.rnercari.com.br", Some("mercari.com")),
            ("microsopht.com", Some("microsoft.com")),
            ("login.netphlix.top", Some("netflix.com")),
            ("www.netfliks.com", Some("netflix.com")),
            ("alpha.dropboks.com", Some("dropbox.com")),
            ("fedeks.com", None),
            ("phedex.org", None),
            ("mail.alphabank.gr", None),
            ("alphabank.ro", None),
            ("facebookmail.com", None),
            ("login.facebookmail.com", None),
            ("facebookmail.example.com", None),
            ("facebookrnail.example.com", None),
            ("googleapis.de", None),
            ("prox1mus.be", Some("proximus.be")),
            ("proxlmus.be", Some("proximus.be")),
            ("t-onllne.de", Some("t-online.de")),
            ("proximus.com", None),
            ("jcloud.com", None),
            ("t-online.com", None),
            ("harbour.com", None),
        ] {
            assert_eq!(drawn(host, &names), domain.map(str::to_owned), "{host}");
        }
        assert_eq!(inside("jurnia-login.com", &names), None);
    }

    #[test]
    fn names_in_letters_of_their_owners() {
        let (names, none) = (Names::builtin(), Names::default());
        let tlds = TldTable::new(["br", "com", "cz", "ru", "tr"], "");
        for (host, is_own) in [
            ("www.itaú.com.br", true),
            ("www.yapıkredi.com.tr", true),
            ("www.işbank.com.tr", true),
            ("www.českápošta.cz", true),
            ("itaú.br", false),
            ("itaú.com.ru", false),
            ("ìtau.com.br", false),
            ("itaú-login.com.br", false),
            ("itaú.com.br.evil.com", false),
            ("itau.com.br", false),
        ] {
            let host = judge(host, &crate::tests::context(&names, &none, &tlds));
            assert_eq!(super::is_in_own_letters(&host, &names), is_own, "{host:?}");
        }
    }

    fn judged(host: &str, names: &Names) -> Judgement {
        let none = Names::default();
        let tlds = TldTable::new(["com", "es", "de", "fr", "top", "ru"], "");
        judge(host, &crate::tests::context(names, &none, &tlds))
    }

    fn drawn(host: &str, names: &Names) -> Option<String> {
        organisation_drawn(&judged(host, names), names).map(str::to_owned)
    }

    #[test]
    fn l_and_i_in_each_others_places() {
        let (names, none) = (Names::builtin(), Names::default());
        let tlds = TldTable::new(["com", "nl", "pl", "fr", "uk"], "");
        for (host, exchanged) in [
            ("booklng.com", true),
            ("www.belastlngdienst.nl", true),
            ("natlonwide.co.uk", true),
            ("lnpost.pl", true),
            ("servlce-public.fr", true),
            ("lmpots.gouv.fr", true),
            ("booklng.de", false),
            ("booking.com", false),
            ("boooking.com", false),
            ("dlgid.nl", false),
            ("booklng.example.com", false),
        ] {
            let host = judge(host, &crate::tests::context(&names, &none, &tlds));
            assert_eq!(super::exchanges_l_and_i(&host), exchanged, "{host:?}");
        }
    }

    #[test]
    fn marks_make_no_other_name() {
        let names = Names::builtin();
        for (host, domain) in [
            ("sabadęll.com", "sabadell.com"),
            ("www.sabadéll.es", "sabadell.com"),
            ("arbeitsagentụr.de", "arbeitsagentur.de"),
            ("arbeitsagentür.com", "arbeitsagentur.de"),
            ("iberdrolą.com", "iberdrola.com"),
            ("mediamarƙt.de", "mediamarkt.de"),
            ("bouygues-telecöm.fr", "bouyguestelecom.fr"),
            ("télefónica.com", "telefonica.com"),
            // The name as it is spelled, but not where its owner has no site.
            ("telefónica.com", ""),
            ("www.telefónica.es", ""),
            ("telefónica.top", "telefonica.com"),
            ("crédit-agricole.fr", ""),
            ("sociétégénérale.fr", ""),
            ("försäkringskassan.se", ""),
            ("hermès.com", ""),
            // Words, countries, others.
            ("türkiye.com", ""),
            ("canadà.cat", ""),
            ("télécom.fr", ""),
            ("www.európa.sk", ""),
            ("télécom.top", "telecom.pt"),
            ("sabadęll.example.com", ""),
            ("sabadęlls.com", ""),
            // Labels in the letters of another alphabet alone.
            ("мегсагі.com", "mercari.com"),
            ("мегсагіѕ.com", ""),
            ("мегсагі.example.com", ""),
            ("mегсагі.example.com", ""),
            ("монета.com", ""),
            // Names in other letters, with a slip inside.
            ("сбербнак.ru", "sberbank.ru"),
            ("www.сьербанк.com", "sberbank.ru"),
            ("госусулги.top", "gosuslugi.ru"),
            ("сбербанк.ru", ""),
            ("сбербанка.ru", ""),
            ("сбербнак.example.ru", ""),
            // Names in signs that look alike.
            ("工商银衍.com", "icbc.com.cn"),
            ("www.支忖宝.top", "alipay.com"),
            ("支忖宝登录.com", "alipay.com"),
            ("三井任友銀行.com", "smbc.co.jp"),
            ("アマゾソ.com", "amazon.com"),
            ("카카요뱅크.com", "kakao.com"),
            ("工商银行.com", ""),
            ("农商银行.com", ""),
            ("徽信.com", ""),
            ("müller.de", ""),
            ("xn--", ""),
        ] {
            assert_eq!(drawn(host, &names).unwrap_or_default(), domain, "{host}");
        }
    }

    #[test]
    fn what_is_drawn_stands_in_front_of_the_domain_of_another() {
        let names = Names::builtin();
        for (host, domain) in [
            ("www.sabadęll.com.evilhost.ru", "sabadell.com"),
            ("sabadęll.com.evilhost.ru", "sabadell.com"),
            ("telefónica.com.evilhost.ru", "telefonica.com"),
            ("www.sabade11.com.evilhost.ru", "sabadell.com"),
            ("sabadęll.evilhost.ru", ""),
            ("sabade11.evilhost.ru", ""),
            ("www.sabadęll.com.edgekey.net", ""),
            ("www.müllerei.com.evilhost.ru", ""),
        ] {
            let judged = judged(host, &names);
            let found = inside(&judged.ascii, &names);
            assert_eq!(found.unwrap_or_default(), domain, "{host}");
        }
    }
}
