//! A known name beside a country or an office, and nothing else, where domains are bought in bulk: `correos-es.top`,
//! `dhl-zoll.info`; beside what such a service has (`sunpass-toll.top`); and a name in letters beyond Latin alone:
//! `сбербанк.top`; and a name that means nobody else where persons have theirs, or nobody has (`paypal.my.id`,
//! `paypal.help`).
//!
//! Elsewhere firms are named so that sell in a country (`postfinance-ch.com`).

use uts58::suffixes::BUILTIN;
use uts58::unicode::a_label::PREFIX;

use super::lured::Joining;
use super::{HostReader, LABEL_WORDS};
use crate::characters::lookalike::LookHash;
use crate::claims::native_in_front;
use crate::english::is_any_word;
use crate::hosts::host_words::{MIN_BRAND_IN_LABEL, SEPARATORS, is_filler, is_short, spelled};
use crate::hosts::seeming_suffix::BULK;
use crate::protected::organisations::Counts;
use crate::spelling::domain::Section;
use crate::spelling::form::HostForms;

/// Of those, where dealers and firms of a country have sites as well.
const OF_FIRMS: [&str; 7] = ["click", "live", "online", "site", "support", "website", "world"];

/// Further ones of which those lists are full, and in which organisations have hardly a site.
#[rustfmt::skip]
const FURTHER: [&str; 16] = [
    "autos", "beauty", "bid", "boats", "buzz", "christmas", "hair", "help", "loan", "makeup", "mom", "motorcycles", "pw",
    "skin", "tk", "yachts",
];

/// Where names beside an office are as much in bulk.
const INFO: &str = "info";

/// Suffixes of countries below which persons have cheap names, and organisations none.
const OF_PERSONS: [&str; 4] = ["biz.id", "my.id", "pp.ua", "web.id"];

/// Offices that ask for money.
#[rustfmt::skip]
const OFFICES: [&str; 12] = [
    "aduana", "aduanas", "alfandega", "customs", "dogana", "douane", "gob", "gouv", "gov", "govt", "gumruk", "zoll",
];

/// What carriers, banks and roads have, and ask to be paid.
#[rustfmt::skip]
const TRADES: [&str; 27] = [
    "bank", "banking", "bill", "billing", "bills", "cash", "courier", "delivery", "express", "fee", "fees", "fine",
    "fines", "invoice", "money", "parcels", "pay", "payment", "post", "postal", "shipping", "ticket", "tickets", "toll",
    "tolls", "tollway", "track",
];

impl<'n> HostReader<'n, '_> {
    /// The name in a domain of this kind.
    pub(super) fn in_bulk(&self, own: &str) -> Option<&'n str> {
        let (label, tld) = own.split_once('.')?;
        let is_further = FURTHER.contains(&tld);
        let is_bulk = is_further || BULK.contains(&tld.as_bytes());
        let is_protected = || spelled(label, self.protected).is_some();
        let alone = || self.distinctive(label).filter(|_| is_protected());
        if OF_PERSONS.contains(&tld) {
            return alone();
        }
        if !is_bulk && tld != INFO {
            return None;
        }
        if label.starts_with(PREFIX) {
            let name = || native_in_front::named(&HostForms::read(label).unicode, self.table);
            return (is_bulk && !OF_FIRMS.contains(&tld)).then(name).flatten();
        }
        if is_bulk
            && !OF_FIRMS.contains(&tld)
            && let Some(name) = (is_further && label.len() >= MIN_BRAND_IN_LABEL)
                .then(alone)
                .flatten()
                .or_else(|| self.beside_trade(label))
                .or_else(|| self.lured(label, Joining::Any))
        {
            return Some(name);
        }
        let pairs = [label.split_once(SEPARATORS), swapped(label.rsplit_once(SEPARATORS))];
        pairs.into_iter().flatten().find_map(|(place, name)| {
            if OFFICES.contains(&place) {
                return self.of_anybody(name);
            }
            let is_country =
                place.len() == 2 && BUILTIN.of_name(place).section == Some(Section::Icann);
            if !is_bulk || !is_country && !self.table.is_country(place) {
                return None;
            }
            let is_at_home = |domain: &&str| domain.rsplit('.').next() == Some(place);
            let abroad = || {
                let name = spelled(name, self.protected)
                    .filter(|name| name.is_no_word() && self.means_one(name))?;
                (!OF_FIRMS.contains(&tld)).then_some(&*name.ascii)
            };
            self.of_anybody(name).filter(is_at_home).or_else(abroad)
        })
    }

    /// The domain of a name that means nobody else, beside nothing but words of such a trade.
    fn beside_trade(&self, label: &str) -> Option<&'n str> {
        let are_trades = |words: &str| words.split(SEPARATORS).all(|word| TRADES.contains(&word));
        let cuts = label.match_indices(SEPARATORS).take(LABEL_WORDS);
        let pairs = cuts.filter_map(|(at, _)| Some((label.get(..at)?, label.get(at + 1..)?)));
        pairs.into_iter().find_map(|(front, back)| {
            let behind = are_trades(back).then(|| self.distinctive(front)).flatten();
            behind.or_else(|| are_trades(front).then(|| self.distinctive(back)).flatten())
        })
    }

    /// The domain of whom a name is that means nobody else: a protected one, a label of the table, what senders call him.
    fn distinctive(&self, name: &str) -> Option<&'n str> {
        let joined = name.replace(SEPARATORS, "");
        let protected = || {
            let name = spelled(name, self.protected)?;
            let is_one = name.is_no_word() && self.means_one(name) || is_short(name, self.table);
            is_one.then_some(&*name.ascii)
        };
        let is_long = joined.len() >= MIN_BRAND_IN_LABEL && !is_any_word(&joined);
        let claimed = || {
            let mut named = self.table.by_look(LookHash::of(joined.as_bytes()).value(), false);
            let (row, ..) = named.find(|(_, _, counts)| *counts == Counts::Anywhere)?;
            Some(self.table.domain(row))
        };
        let known = || self.table.labelled(&joined, true).or_else(claimed);
        let is_office = is_filler(&joined, Some(self.table)) || self.table.is_office_word(&joined);
        if is_office { None } else { protected().or_else(|| is_long.then(known).flatten()) }
    }

    /// The domain whose label a word is that is no word of offices, and of no few letters that mean others as well.
    fn of_anybody(&self, word: &str) -> Option<&'n str> {
        let protected = || {
            let name = spelled(word, self.protected)?;
            let counts = name.letters() >= MIN_BRAND_IN_LABEL || is_short(name, self.table);
            counts.then_some(&*name.ascii)
        };
        let is_office = is_filler(word, Some(self.table)) || self.table.is_office_word(word);
        let known = || self.table.labelled(&word.replace(SEPARATORS, ""), true);
        if is_office { None } else { protected().or_else(known) }
    }
}

fn swapped<'l>(pair: Option<(&'l str, &'l str)>) -> Option<(&'l str, &'l str)> {
    pair.map(|(one, other)| (other, one))
}

#[cfg(test)]
mod tests {
    use crate::Names;
    use crate::claims::asks_abroad::asked_in;

    #[test]
    fn names_beside_countries_and_offices() {
        let names = Names::builtin();
        let asked = |host: &str| {
            asked_in(
                host,
                &names,
                &["com", "top", "info", "xyz", "online", "cfd", "site", "de", "id", "ua"],
            )
        };
        for (host, name) in [
            ("correos-es.top", "correos.es"),
            ("es-correos.xyz", "correos.es"),
            ("postnord-se.online", "postnord.se"),
            ("omniva-ee.top", "omniva.ee"),
            ("canadapost-ca.top", "canadapost.ca"),
            ("www.netflix-fr.cfd", "netflix.com"),
            ("www.correos-argentina.top", "correos.es"),
            ("dhl-zoll.info", "dhl.com"),
            ("zoll-dhl.top", "dhl.com"),
            ("correos-aduana.info", "correos.es"),
            ("sunpass-toll.top", "sunpass.com"),
            ("toll-sunpass.xyz", "sunpass.com"),
            ("www.sunpass-toll-pay.cfd", "sunpass.com"),
            ("e-zpass-tolls.top", "ezpassny.com"),
            ("fastrak-bill.xyz", "bayareafastrak.org"),
            ("usps-delivery.top", "usps.com"),
            ("royalmail-delivery.top", "royalmail.com"),
            ("dhl-express.xyz", "dhl.com"),
            ("paypal.my.id", "paypal.com"),
            ("www.netflix.pp.ua", "netflix.com"),
            ("chase.my.id", ""),
            ("orange.biz.id", ""),
            ("harbour.my.id", ""),
            ("paypal.fans.my.id", ""),
            ("paypal.co.id", ""),
            ("сбербанк.top", "sberbank.ru"),
            ("支付宝.xyz", "alipay.com"),
            ("сбербанк.com", ""),
            ("сбербанк.online", ""),
            ("новости.top", ""),
            // Firms, other endings, words, names of others, offices alone.
            ("postfinance-ch.com", ""),
            ("correos-es.info", ""),
            ("netflix-fr.online", ""),
            ("samsung-kz.site", ""),
            ("apple-us.top", ""),
            ("visa-us.xyz", ""),
            ("kia-us.top", ""),
            ("harbour-de.top", ""),
            ("info-de.top", ""),
            ("my-gov.info", ""),
            ("open-gov.top", ""),
            ("mail-zoll.info", ""),
            ("e-gov.xyz", ""),
            ("de-mail.top", ""),
            ("dhl-zoll-fans.info", ""),
            ("chile-es.top", ""),
            ("sunpass-toll.com", ""),
            ("sunpass-toll.online", ""),
            ("harbour-bank.top", ""),
            ("city-express.top", ""),
            ("chase-tickets.xyz", ""),
            ("sunpass-toll-fans.top", ""),
            ("toll-pay.top", ""),
            ("express.top", ""),
        ] {
            assert_eq!(asked(host), name, "{host}");
        }
    }
}
