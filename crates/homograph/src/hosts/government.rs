//! Sites of governments, below suffixes that countries keep for their own offices, so that nobody else can have a host
//! there; and hosts of others that seem to be one, or to be the site of a name in a country: `dmv.ny.gov.login.top`,
//! `dmv.ny.gov-pay.top`, `ato-gov-au.com`, `amazon-co-jp.top`.

use super::host_words::{SEPARATORS, is_filler};
use super::seeming_suffix::SERVICES;
use crate::english::is_any_word;
use crate::protected::name::MIN_BRAND;
use crate::protected::names::Names;
use crate::protected::organisations::Organisations;
use crate::spelling::domain::{Registered, Section, suffix_labels};
use uts58::unicode::a_label::PREFIX;

/// Labels that countries keep for offices, in front of their own. By hand.
const OFFICES: [&str; 9] = ["gc", "go", "gob", "gouv", "gov", "govt", "gub", "gv", "mil"];

/// A suffix with such a label by chance: of a province.
const PROVINCE: &str = "go.it";

/// Top-level domains of such offices themselves.
const TOP: [&str; 2] = ["gov", "mil"];

/// Labels of states and territories below `gov`.
const STATES: &str = "al ak az ar ca co ct dc de fl ga gu hi ia id il in ks ky la ma md me mi mn mo ms mt nc nd ne nh \
    nj nm nv ny oh ok or pa pr ri sc sd tn tx ut va vi vt wa wi wv wy";

/// Labels that anybody puts in front of a domain, beside [`SERVICES`].
const OTHER_SERVICES: [&str; 3] = ["dev", "docs", "forum"];

/// Top-level domains of two letters that anybody buys, or takes for `com`; and longer ones that firms have.
const OPEN: [&str; 3] = ["cc", "cm", "om"];
const OLD: [&str; 9] = ["arpa", "biz", "com", "edu", "gov", "info", "int", "net", "org"];

/// Letters of a name in front of `com`, which no other rule knows.
const NAME: usize = 5;

/// Labels in front of a domain that are read at most, and words of a label.
const LABELS: usize = 8;
const WORDS: usize = 6;

/// Whether a host, in lower-case ASCII form, is one of a government.
pub fn is_government_site(ascii: &str) -> bool {
    let Some(suffix) = ascii.rmatch_indices('.').nth(suffix_labels(ascii, Section::Icann) - 1)
    else {
        return is_of_offices(ascii);
    };
    ascii.get(suffix.0 + 1..).is_some_and(is_kept_for_offices)
}

/// Whether nobody but offices has a host below a suffix.
fn is_kept_for_offices(suffix: &str) -> bool {
    TOP.contains(&suffix) || is_of_offices(suffix)
}

/// Whether a suffix of several labels is kept for offices.
fn is_of_offices(suffix: &str) -> bool {
    let front = suffix.rsplit_once('.').map_or("", |(front, _)| front);
    suffix != PROVINCE && front.split('.').any(|label| OFFICES.contains(&label))
}

/// The site that a host of another owner seems to be.
pub(crate) fn seeming_site(host: &Registered<'_>, protected: &Names) -> Option<String> {
    let ascii = host.ascii;
    if !may_seem(ascii) {
        return None;
    }
    let table = protected.organisations()?;
    let own = host.domain(Section::Icann)?;
    if is_kept_for_offices(own.split_once('.')?.1) {
        return None;
    }
    let front = ascii.strip_suffix(own)?.trim_end_matches('.');
    let chosen = host.domain(Section::Private)?;
    // What firms that are known call after their customers is theirs.
    let is_known = protected.covers(own) || table.own_domain(own).is_some();
    let whole = || (!is_known).then(|| in_front(front, table)).flatten();
    let found = whole()
        .or_else(|| before_hyphen(front, own, table))
        .or_else(|| with_hyphens(chosen.split('.').next()?, protected, table))?;
    (!table.is_one_owner(ascii, &found) && !table.carries(ascii)).then_some(found)
}

/// Whether a host has a label or word of such a suffix before its own: most have none.
fn may_seem(ascii: &str) -> bool {
    // Hosts are short: a loop is faster than a search.
    let Some(end) = ascii.bytes().rposition(|byte| byte == b'.') else { return false };
    let front = ascii.get(..end).unwrap_or_default();
    // Hyphens of a label beyond ASCII part no words.
    if front.starts_with(PREFIX) && !front.contains('.') {
        return false;
    }
    let is_sign = |byte: &u8| *byte == b'.' || SEPARATORS.contains(&char::from(*byte));
    let mut words = front.as_bytes().split(is_sign).skip(1);
    words.any(|word| match word {
        [_, _] => true,
        [_, _, _, ..] if word.len() <= 4 => {
            word == b"com" || OFFICES.iter().any(|office| office.as_bytes() == word)
        }
        _ => false,
    })
}

/// A site in full in front of another domain.
fn in_front(front: &str, table: &Organisations) -> Option<String> {
    let dots = front.match_indices('.').map(|(at, _)| at);
    let ends = dots.chain([front.len()]).take(LABELS).filter_map(|end| front.get(..end));
    ends.skip(1)
        .find(|site| {
            let (before, last) = site.rsplit_once('.').unwrap_or_default();
            let name = before.rsplit('.').next().unwrap_or_default();
            match TOP.contains(&last) {
                true => is_of_office(name, table),
                false => suffix_labels(site, Section::Icann) > 1 && is_government_site(site),
            }
        })
        .map(ToOwned::to_owned)
}

/// Whether a label in front of `gov` is that of an office or a state.
fn is_of_office(name: &str, table: &Organisations) -> bool {
    match name.len() {
        2 => STATES.split(' ').any(|state| state == name),
        length => length >= MIN_BRAND && is_name(name, table),
    }
}

fn is_name(label: &str, table: &Organisations) -> bool {
    !SERVICES.contains(&label) && !OTHER_SERVICES.contains(&label) && !is_filler(label, Some(table))
}

/// A site whose suffix begins the label that was registered, where such domains are bought in bulk.
fn before_hyphen(front: &str, own: &str, table: &Organisations) -> Option<String> {
    let (label, tld) = own.split_once('.')?;
    let (suffix, _) = label.split_once(SEPARATORS)?;
    let name = front.rsplit('.').next()?;
    let is_bulk = OPEN.contains(&tld) || tld.len() > 2 && !tld.contains('.') && !OLD.contains(&tld);
    let seems = match suffix {
        "com" => name.len() >= NAME && is_name(name, table) && !is_any_word(name),
        _ => TOP.contains(&suffix) && is_of_office(name, table),
    };
    (is_bulk && seems).then(|| [name, ".", suffix].concat())
}

/// A site with hyphens for its dots: of an office in any country, of a known name.
fn with_hyphens(label: &str, protected: &Names, table: &Organisations) -> Option<String> {
    let words: smallvec::SmallVec<[&str; WORDS + 1]> =
        label.split(SEPARATORS).take(WORDS + 1).collect();
    if words.len() > WORDS {
        return None;
    }
    let in_a_country = || {
        words.windows(3).find_map(|three| {
            let [name, kind, country] = three else { return None };
            let site = [*name, ".", *kind, ".", *country].concat();
            let is_site = country.len() == 2
                && name.len() >= MIN_BRAND
                && suffix_labels(&site, Section::Icann) == 2
                && match is_government_site(&site) {
                    true => is_name(name, table),
                    false => {
                        table.own_domain(&site).is_some() || protected.national(&site).is_some()
                    }
                };
            is_site.then_some(site)
        })
    };
    let known = || {
        words.windows(2).find_map(|two| {
            let [name, office] = two else { return None };
            let domain = OFFICES.contains(office).then(|| table.labelled(name, true)).flatten()?;
            let mut theirs = domain.split('.').skip(1);
            theirs.any(|label| label == *office).then(|| domain.to_owned())
        })
    };
    in_a_country().or_else(known).or_else(|| alone(&words, table))
}

/// The suffix of a country's government among nothing but words of offices: `gov-uk-refund`. One of three letters and more,
/// since others are words (`go`).
fn alone(words: &[&str], table: &Organisations) -> Option<String> {
    let at = words.windows(2).position(|two| {
        let [office, country] = two else { return false };
        office.len() >= MIN_BRAND
            && OFFICES.contains(office)
            && suffix_labels(&["a", office, country].join("."), Section::Icann) == 2
    })?;
    let (front, rest) = words.split_at(at);
    let (suffix, behind) = rest.split_at(2);
    let mut others = front.iter().chain(behind).peekable();
    (others.peek().is_some() && others.all(|word| is_filler(word, Some(table))))
        .then(|| suffix.join("."))
}

#[cfg(test)]
mod tests {
    use super::{Registered, is_government_site, seeming_site};
    use crate::Names;

    #[test]
    fn sites_of_governments_are_known_by_their_suffix() {
        for host in [
            "www.dmv.ny.gov", "navy.mil", "gov.uk", "www.gov.uk", "tax.service.gov.uk",
            "www.justice.govt.nz", "sede.dgt.gob.es", "impots.gouv.fr", "www.canada.gc.ca",
            "www.nta.go.jp", "oesterreich.gv.at", "detran.sp.gov.br",
        ] {
            assert!(is_government_site(host), "{host}");
        }
        for host in
            ["gov.top", "irs-gov.com", "go.com", "x.go.it", "gov.example.com", "mil.example", "gov"]
        {
            assert!(!is_government_site(host), "{host}");
        }
    }

    #[test]
    fn hosts_that_seem_to_be_such_sites_are_named() {
        let names = Names::builtin();
        let seems = |host: &str| seeming_site(&Registered::of(host), &names).unwrap_or_default();
        for (host, site) in [
            ("dmv.ny.gov.kxqz.top", "dmv.ny.gov"),
            ("www.mass.gov.example.com", "www.mass.gov"),
            ("www.nta.go.jp.evilhost.top", "www.nta.go.jp"),
            ("www.gov.uk.evilhost.com", "www.gov.uk"),
            ("dmv.ny.gov-xyz.top", "ny.gov"),
            ("dmv.ca.gov-xyz.cfd", "ca.gov"),
            ("mass.gov-kj.cc", "mass.gov"),
            ("e-zpassny.com-kjhg.cc", "e-zpassny.com"),
            ("ezdrivema.com-xyz.life", "ezdrivema.com"),
            ("rakuten-co-jp.cn", "rakuten.co.jp"),
            ("my-ato-gov-au.com", "ato.gov.au"),
            ("antai-gouv.info", "antai.gouv.fr"),
            ("gov-uk-refund.com", "gov.uk"),
            ("login-gov-au.net", "gov.au"),
            // Clouds for offices, services, firms that are named so, owners, carriers.
            ("us.gov.example.com", ""),
            ("app.gov.example.com", ""),
            ("login.gov.example.com", ""),
            ("www.gov-tech.top", ""),
            ("hr.gov-tech.top", ""),
            ("ny.gov-tech.com", ""),
            ("shop.com-tec.at", ""),
            ("mail.com-tec.life", ""),
            ("forum.com-tec.life", ""),
            ("open-gov.com", ""),
            ("gov-uk.com", ""),
            ("gov-uk-harbour.com", ""),
            ("go-jp-login.com", ""),
            ("support-go-th.com", ""),
            ("www.ny.gov", ""),
            ("www.ny.gov.edgekey.net", ""),
            ("irs.gov.mail.protection.outlook.com", ""),
            ("go-to-it.com", ""),
            ("harbourline-co-uk.com", ""),
        ] {
            assert_eq!(seems(host), site, "{host}");
        }
    }
}
