//! Labels that a protected name is near to, drawn like, or part of, and that mean something else at their host: firms,
//! words of a country under its own top-level domain, software where it is documented. Lures have a word that asks beside the name.

use super::government::is_government_site;
use super::host_words::{ASKING, SEPARATORS};
use crate::lists::lower_bound;
use crate::protected::name::Name;
use crate::protected::names::Names;
use crate::rows::rows;
use uts58::suffixes::{BUILTIN, Section};

/// A label, and behind it the top-level domains in which it means itself.
const ROWS: &str = rows!("honest_neighbours.txt");

/// Stands for all hosts of software.
const CODE: &str = "code";

/// Where anybody documents software below a name of his choice.
const HOSTS_OF_CODE: [&str; 6] =
    ["github.io", "gitlab.io", "js.org", "readthedocs.io", "readthedocs.org", "rtfd.io"];

/// Those where nothing else is published: projects are called as they please there, with few letters.
const HOSTS_OF_MANUALS: [&str; 4] = ["js.org", "readthedocs.io", "readthedocs.org", "rtfd.io"];

/// Words in the names of software: what it is written with, or made for.
#[rustfmt::skip]
const OF_SOFTWARE: [&str; 19] = [
    "ansible", "api", "django", "docker", "eslint", "flask", "flutter", "js", "laravel", "node", "oauthlib", "pytest",
    "python", "react", "rust", "sdk", "svelte", "terraform", "vue",
];

/// Letters of a name that a project comes one letter near to by chance, at most.
const SHORT: usize = 7;

/// First letters that a reader takes for one another.
const ALIKE: [&[u8]; 9] = [b"ao", b"bh", b"ceo", b"ft", b"gpq", b"ijlt1", b"mnr", b"sz", b"uvwy"];

/// Rows of keys: who types a name may miss its first one by one.
const KEYS: &[u8] = b"qwertyuiop asdfghjkl zxcvbnm";

/// The top-level domain of programmers. Its hosts of pages are no names of software.
const OF_PROGRAMMERS: &str = "dev";

/// Whether a name between the hyphens of a label says what a piece of software is for: `google-auth.readthedocs.io`, and
/// where pages are published as well with a word that says so, `react-google-login.github.io`.
pub(crate) fn is_of_software(label: &str, place: (&str, usize)) -> bool {
    let words = || label.split(SEPARATORS);
    let below = below(place);
    let says_so = || words().any(|word| OF_SOFTWARE.contains(&word));
    let asks = || words().any(|word| ASKING.contains(&word));
    HOSTS_OF_MANUALS.contains(&below) && (!asks() || says_so())
        || HOSTS_OF_CODE.contains(&below) && says_so()
}

/// What owners write apart in a name of theirs: `danske-bank`.
const TRADES: [&str; 9] =
    ["banca", "bank", "banka", "banque", "post", "posta", "poste", "poshta", "posten"];

/// Whether a label is a name of an owner with hyphens between its words, under a suffix where the name without them is his:
/// `abn-amro.nl`. Under that of a country it is his as well, or nobody's; phish is sent from `trust-wallet.com`.
pub(super) fn is_owners_in_words((host, at): (&str, usize), names: &Names) -> bool {
    let label = host.split('.').nth(at).unwrap_or_default();
    let suffix = below((host, at));
    let is_of_country = suffix.rsplit('.').next().is_some_and(|tld| tld.len() == 2);
    if !label.contains('-')
        || !is_of_country
        || BUILTIN.of_name(suffix).section != Some(Section::Icann)
    {
        return false;
    }
    let own = [&label.replace('-', ""), ".", suffix].concat();
    let is_of_trade = label.split_once('-').is_some_and(|(one, other)| {
        TRADES.contains(&one) != TRADES.contains(&other) && !other.contains('-')
    });
    let table = names.organisations();
    let is_known =
        names.covers(&own) || table.is_some_and(|table| table.own_domain(&own).is_some());
    is_known && (is_of_trade || table.is_some_and(|table| table.is_said_in_words(&own, label)))
}

/// Whether a label is a name that is spelled out and `foundation` behind it, where foundations are.
pub(super) fn is_foundation((host, at): (&str, usize), name: &Name) -> bool {
    let label = host.split('.').nth(at).unwrap_or_default();
    let is_of_name = |front: &str| front.replace('-', "") == name.label().replace('-', "");
    let below = below((host, at));
    label.strip_suffix("-foundation").is_some_and(is_of_name)
        && below.split('.').next() == Some("org")
        && BUILTIN.of_name(below).section == Some(Section::Icann)
}

/// What is behind the label at a place of a host.
fn below((host, at): (&str, usize)) -> &str {
    host.splitn(at + 2, '.').nth(at + 1).unwrap_or_default()
}

/// Whether the label at a place of a host in ASCII form, which slips from a name, is no such slip. Below the suffixes of
/// governments nobody else has a host.
pub(super) fn means_itself(label: &str, name: &Name, place: (&str, usize)) -> bool {
    let words = || label.split(SEPARATORS);
    let below = below(place);
    let is_known = HOSTS_OF_MANUALS.contains(&below) && name.brand_len() <= SHORT
        || begins_otherwise(label.as_bytes(), name)
        || means_itself_at(label, below)
        || is_government_site(place.0)
        || words().any(|word| means_itself_at(word, below));
    is_known && !words().any(|word| ASKING.contains(&word))
}

/// Whether a label has another first letter than a short name, and one that neither looks like it nor stands beside it on
/// keyboards: readers see it first, and words are dense there (`boneta` and `loneta` beside `moneta`).
fn begins_otherwise(label: &[u8], name: &Name) -> bool {
    let brand = name.label().as_bytes();
    let is_alike = |one: u8, other: u8| {
        ALIKE.into_iter().any(|letters| letters.contains(&one) && letters.contains(&other))
            || KEYS.windows(2).any(|keys| keys == [one, other] || keys == [other, one])
    };
    let (Some((first, rest)), Some((meant, others))) = (label.split_first(), brand.split_first())
    else {
        return false;
    };
    name.brand_len() <= SHORT
        && rest == others
        && first.is_ascii_lowercase()
        && !is_alike(*first, *meant)
}

/// Whether a word is one of the rows at this suffix: towns, surnames, words, firms.
pub fn means_itself_at(word: &str, suffix: &str) -> bool {
    let tld = suffix.rsplit('.').next().unwrap_or_default();
    let is_code = || HOSTS_OF_CODE.contains(&suffix) || suffix == OF_PROGRAMMERS;
    let Some(rest) = lower_bound(ROWS, word).strip_prefix(word) else { return false };
    let mut suffixes = rest.split(' ').skip(1);
    rest.is_empty()
        || rest.starts_with(' ') && suffixes.any(|known| known == tld || known == CODE && is_code())
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::english;
    use crate::tests::context;
    use crate::{Judgement, Names, Reason, Verdict, judge};
    use uts58::tlds::TldTable;

    fn judged(host: &str) -> Judgement {
        let (names, none) = (Names::builtin(), Names::default());
        let tlds = [
            "cn", "com", "de", "dev", "fr", "hu", "info", "io", "lv", "nl", "no", "org", "ro",
            "si", "sk",
        ];
        judge(host, &context(&names, &none, &TldTable::new(tlds, "")))
    }

    #[test]
    fn rows_are_near_a_name() {
        let names = Names::builtin();
        let organisations = names.organisations().unwrap();
        let mut seen = HashSet::new();
        assert!(ROWS.lines().is_sorted());
        for row in ROWS.lines() {
            let mut words = row.split(' ');
            let word = words.next().unwrap_or_default();
            let suffixes: Vec<&str> = words.collect();
            assert!(
                suffixes.is_sorted() && suffixes.iter().all(|suffix| !suffix.is_empty()),
                "{row}"
            );
            assert!(seen.insert(word), "{word} is there twice");
            let is_slip = names.slip(word.as_bytes()).is_some();
            let is_accented = || organisations.accented(word).is_some();
            // At its own suffixes the engine asks, or a slip of it is let alone.
            let is_drawn = |suffix| {
                let host = judged(&format!("{word}.{suffix}"));
                host.reasons.contains(Reason::TargetLookalike)
                    || crate::claims::named_by_host(&host, &names)
                        .is_some_and(|(_, reason)| reason == Reason::TargetLookalike)
            };
            assert!(
                is_slip || is_accented() || suffixes.iter().chain(&["com"]).any(is_drawn),
                "{word} is a slip of no name, nor drawn like one"
            );
            assert!(!english::is_word(word), "{word} is a word of english.txt");
        }
    }

    #[test]
    fn neighbours_that_mean_themselves_are_no_slips() {
        for host in [
            "www.openapi.com",
            "openapi-specs.readthedocs.io",
            "dfinity.org",
            "myneta.info",
            "privatbanka.sk",
            "posen.de",
            "www.braken.nl",
            "stripa.lv",
            "urgenta.ro",
            "wechaty.js.org",
            "cloudflared.readthedocs.io",
            "cryptg.github.io",
            "protoc.dev",
            "slackr.readthedocs.io",
            "mondial-relay.fr",
            "argentat-online.fr",
            "axosbank.com",
            "klauna.sk",
            "www.shishan.gov.cn",
            "www.pingtan.cn",
            "mondta.hu",
            "krasen.si",
            "galando.com",
            "www.losten.net",
            "bosten.org",
            "serato.com",
            "www.soneta.pl",
            "trefor.dk",
        ] {
            assert!(judged(host).verdict < Verdict::Suspect, "{host}");
        }
        for host in [
            "openapi-login.com",
            "dfinity-account.org",
            "privatbanka.com",
            "shishan.cn.com",
            "shishan-login.gov.cn",
            "mondta.com",
            "krasen.de",
            "posen.no",
            "www.kramen.com",
            "qaypal.com",
            "oaypal.com",
            "smazon.com",
            "foogle.com",
            "noneta.com",
            "raypal-login.com",
            "laypal-account.com",
            "1aypal.com",
            "bicrosoft.com",
            "cloudflared.com",
            "cryptg.com",
            "spotipy.pages.dev",
            "microsft.readthedocs.io",
            "openapi-login.readthedocs.io",
            "paypa1.readthedocs.io",
            "facebok.github.io",
        ] {
            assert!(judged(host).verdict >= Verdict::Suspect, "{host}");
        }
    }

    #[test]
    fn owners_write_their_names_with_hyphens() {
        for host in [
            "abn-amro.nl", "danske-bank.dk", "www.jyske-bank.dk", "societe-generale.fr",
            "post-nord.se", "nova-poshta.ua", "credit-mutuel.fr", "royal-mail.co.uk",
            "la-poste.fr", "caixa-bank.es", "raiffeisen-bank.at",
        ] {
            assert!(in_the_world(host).verdict < Verdict::Suspect, "{host}");
        }
        for host in [
            "danske-bank.com",
            "raiffeisen-bank.de",
            "raiffeisen-bank.com",
            "intesa-sanpaolo.com",
            "trust-wallet.com",
            "wells-fargo.com",
            "abn-amro.com.ru",
            "pay-pal.com",
            "face-book.com",
            "wel-lsfargo.com",
            "wells-fargo.de",
            "la-poste.info",
            "dansk-ebank.dk",
            "danske-bank.dk.evil.com",
        ] {
            assert!(in_the_world(host).verdict >= Verdict::Suspect, "{host}");
        }
    }

    #[test]
    fn foundations_are_named_after_their_founder() {
        for host in [
            "fedex-foundation.org",
            "www.wellsfargo-foundation.org",
            "lloydsbank-foundation.org.uk",
        ] {
            assert_eq!(in_the_world(host).verdict, Verdict::Notice, "{host}");
        }
        for host in [
            "fedex-foundation.com",
            "paypa1-foundation.org",
            "paypal-login-foundation.org",
            "paypal-foundation-account.org",
            "paypal.foundation-login.org",
        ] {
            assert!(in_the_world(host).verdict >= Verdict::Suspect, "{host}");
        }
    }

    fn in_the_world(host: &str) -> Judgement {
        let (names, none) = (Names::builtin(), Names::default());
        let tlds =
            ["at", "com", "de", "dk", "es", "fr", "info", "nl", "org", "ru", "se", "ua", "uk"];
        judge(host, &context(&names, &none, &TldTable::new(tlds, "")))
    }

    #[test]
    fn software_is_called_after_what_it_is_for() {
        for host in [
            "google-auth.readthedocs.io",
            "facebook-business.readthedocs.io",
            "docusign-esign.readthedocs.io",
            "react-google-login.readthedocs.io",
            "react-google-login.github.io",
            "django-paypal-api.gitlab.io",
            "en.google-auth.readthedocs.io",
        ] {
            assert!(judged(host).verdict < Verdict::Suspect, "{host}");
        }
        for host in [
            "paypal-login.readthedocs.io",
            "paypal-support.github.io",
            "paypal-login.pages.dev",
            "paypal.com-api.readthedocs.io",
            "paypal-com-login.readthedocs.io",
            "paypallogin.readthedocs.io",
            "google-auth.github.io",
            "paypal-login.dev",
            "g00gle-auth.readthedocs.io",
        ] {
            assert!(judged(host).verdict >= Verdict::Suspect, "{host}");
        }
    }
}
