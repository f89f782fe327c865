//! The domain of an organisation inside the host of another owner: names that are no protected ones, of which the
//! position alone misleads.

use smallvec::SmallVec;

use super::asking_domain;
use super::drawn_slash;
use super::native_in_front;
use super::organisation_drawn;
use super::twin_hosts::LEAST_DOTS;
use crate::english::is_any_word;
use crate::hosts::glued_name::ENDS;
use crate::hosts::honest_neighbours;
use crate::hosts::host_words::{ASKING, SEPARATORS, is_filler, is_short, spelled, surely_asks};
use crate::lists::by_letter::{WordsByLetter, count};
use crate::protected::name::{DISTINCTIVE, MIN_BRAND, Name};
use crate::protected::names::Names;
use crate::protected::organisations::{Organisations, registrable_label};
use crate::spelling::domain::{Registered, Section, and_above};
use uts58::unicode::a_label::PREFIX;

/// Words beside a name that no other firm of its trade or town has: without `security`.
const ASKED: [&str; 2] = ["support", "update"];
const TRADE: &str = "security";

/// What offices and shops owe a reader, in lures.
const REFUND: &str = "refund";

/// What a name has beside itself in lures, and honest firms not: machines and papers of an office.
const OFFICE: [&str; 7] =
    ["activity", "ebanking", "fax", "payroll", "quarantine", "session", "voicemail"];

/// What nobody has beside a name of four letters who does not want to know who the reader is.
const PROOFS: [&str; 9] = [
    "2fa", "activation", "confirm", "confirmation", "identity", "otp", "password", "reset",
    "validation",
];

/// What carriers announce, beside a short name.
pub(super) const PARCELS: [&str; 4] = ["package", "parcel", "redelivery", "tracking"];

/// The domain of an organisation that a host of another owner has in full in front of its own
/// (`www.intuit.com.login.top`), or whose label stands in it beside words that ask for something
/// (`quickbooks-support.com`); a protected name in front of what reads as its suffix and a slash ([`drawn_slash`]), or
/// spelled letter by letter (`p-a-y-p-a-l.com`); one as a label of its own in front of words that ask
/// ([`asking_domain`]); one beside the machines of an office (`paypal-voicemail.com`), a short one beside words that ask
/// or announce a parcel (`dhl-login.com`).
pub(super) fn organisation_inside<'n>(
    host: &Registered<'_>,
    protected: &'n Names,
) -> Option<&'n str> {
    let ascii = host.ascii;
    if !may_have_words(ascii.as_bytes()) && !may_have_front(ascii) {
        return None;
    }
    let table = protected.organisations()?;
    let own = host.domain(Section::Icann)?;
    let front = ascii.strip_suffix(own)?.trim_end_matches('.');
    let beside = || {
        let chosen = host.domain(Section::Private)?;
        let label = chosen.split('.').next()?;
        beside_words(label, protected, table)
            .filter(|_| !honest_neighbours::is_of_software(label, (chosen, 0)))
    };
    let drawn = || {
        let labels = front.split('.').chain(own.split('.').next());
        Some(&*drawn_slash::find(labels, protected)?.ascii)
    };
    let asking = || Some(&*asking_domain::find(front, own, protected, table)?.ascii);
    let native = || native_in_front::find(front, table);
    let posing = || organisation_drawn::in_front(front, table);
    // A name and its suffix: most hosts have fewer labels.
    let with_suffix = || in_front(front, table).or_else(native).or_else(posing);
    let several = memchr::memchr(b'.', front.as_bytes());
    let found =
        several.and_then(|_| with_suffix()).or_else(beside).or_else(drawn).or_else(asking)?;
    (!table.is_one_owner(ascii, found) && !table.carries(ascii)).then_some(found)
}

/// Whether a label of a host consists of several words: most are one.
fn may_have_words(host: &[u8]) -> bool {
    memchr::memchr2(b'-', b'_', host).is_some() && host.split(|byte| *byte == b'.').any(has_words)
}

/// Whether a host of labels of one word each may have a name in front of a domain that is not the name's.
fn may_have_front(host: &str) -> bool {
    let mut dots = memchr::memchr_iter(b'.', host.as_bytes());
    let (Some(first), Some(second)) = (dots.next(), dots.next()) else { return false };
    let more = 2 + dots.count();
    let behind = host.get(first + 1..second).unwrap_or_default();
    more >= LEAST_DOTS
        || behind.starts_with("com")
        || asking_domain::may_be(behind)
        || asking_domain::may_be(host.get(second + 1..).unwrap_or_default())
        || memchr::memchr(b'-', host.as_bytes()).is_some()
            && host.as_bytes().array_windows().any(|four: &[u8; 4]| four == PREFIX.as_bytes())
}

/// Whether a host has a word in it, apart or glued to others, that asks for something or says what an organisation has.
pub fn may_ask(host: &str) -> bool {
    LISTED.are_in(host.as_bytes())
}

/// Those words.
const LISTS: [&[&str]; 6] = [&ASKED, &ASKING, &OFFICE, &PARCELS, &PROOFS, &ENDS];

static LISTED: WordsByLetter<{ count(&LISTS) }> = WordsByLetter::of(&LISTS);

/// Whether a label consists of several words: A-labels, which no domain of the table has, are one.
fn has_words(label: &[u8]) -> bool {
    !label.starts_with(PREFIX.as_bytes()) && label.iter().any(|byte| matches!(byte, b'-' | b'_'))
}

/// The domain that stands somewhere in the labels before that of another.
fn in_front(front: &str, table: &Organisations) -> Option<&'static str> {
    let domain = |name: &str| {
        let (first, rest) = name.split_once('.')?;
        let whole = || {
            let domain = table.own_domain(name)?;
            let is_long = registrable_label(domain).is_some_and(|label| label.len() > 2);
            is_long.then_some(domain)
        };
        // A name that is no word, cut by a dot: `pay.pal.com`.
        let cut = || {
            let second = rest.split_once('.')?.0;
            let length = first.len() + second.len();
            // What most fail on.
            let joined = (length >= DISTINCTIVE).then(|| [first, rest].concat())?;
            let domain = table.own_domain(&joined)?;
            let is_word = |word: &str| is_any_word(word) || is_filler(word, Some(table));
            let is_cut = !joined.get(..length).is_none_or(is_any_word);
            (is_cut && !(is_word(first) && is_word(second))).then_some(domain)
        };
        whole().or_else(cut)
    };
    let ends = |from: &str| {
        let dots = from.bytes().enumerate().filter(|(_, byte)| *byte == b'.');
        let ends = dots.map(|(at, _)| at).chain([from.len()]).skip(1).take(LABELS);
        ends.filter_map(|end| domain(from.get(..end)?)).next()
    };
    and_above(front).filter(|from| !from.starts_with(PREFIX) && from.contains('.')).find_map(ends)
}

/// The domain whose label stands in a label of several words, beside words of offices of which one asks for something.
fn beside_words<'n>(
    label: &str,
    protected: &'n Names,
    table: &'n Organisations,
) -> Option<&'n str> {
    if !has_words(label.as_bytes()) {
        return None;
    }
    if let Some(name) = letter_by_letter(label, protected) {
        return Some(name);
    }
    let words: SmallVec<[&str; WORDS + 1]> = label.split(SEPARATORS).take(WORDS + 1).collect();
    // Most labels of several words ask for nothing.
    if words.len() > WORDS || !words.iter().any(says_something) {
        return None;
    }
    let is_name = |word: &&str| !is_filler(word, Some(table)) && !OFFICE.contains(word);
    let first = words.iter().position(is_name).unwrap_or(words.len());
    let last = words.iter().rposition(is_name).map_or(0, |last| last + 1);
    // Words that might be of an office may be those of a name.
    let starts = 0..=first.min(words.len() - 1);
    let mut runs =
        starts.flat_map(|start| (last.max(start + 1)..=words.len()).map(move |end| start..end));
    runs.find_map(|run| {
        let (front, back) = (words.get(..run.start)?, words.get(run.end..)?);
        named(words.get(run)?, front.iter().chain(back), protected, table)
    })
}

/// The name that a label spells with a hyphen behind each letter.
fn letter_by_letter<'n>(label: &str, protected: &'n Names) -> Option<&'n str> {
    let is_spelled =
        label.len() > 2 * MIN_BRAND && label.split(SEPARATORS).all(|word| word.len() == 1);
    Some(&*spelled(&is_spelled.then(|| label.replace(SEPARATORS, ""))?, protected)?.ascii)
}

/// Whether a word asks for something, or says what an organisation has.
fn says_something(word: &&str) -> bool {
    SAID.hold(word)
}

/// Those words.
const SAYING: [&[&str]; 6] = [&ASKED, &ASKING, &OFFICE, &PARCELS, &PROOFS, &[REFUND]];

static SAID: WordsByLetter<{ count(&SAYING) }> = WordsByLetter::of(&SAYING);

/// Whether a word beside an abbreviation says that it is that of the one whom readers know.
fn is_sure(word: &str) -> bool {
    word == REFUND || surely_asks(word)
}

/// The domain of the organisation with this name, if the words beside it count.
fn named<'n, 'w>(
    name: &[&str],
    beside: impl Iterator<Item = &'w &'w str> + Clone,
    protected: &'n Names,
    table: &'n Organisations,
) -> Option<&'n str> {
    let asks = |word: &&str| {
        ASKED.contains(word) || is_sure(word) || ASKING.contains(word) && *word != TRADE
    };
    let labelled = || {
        let name = name.concat();
        let surely = || !is_filler(&name, Some(table)) && beside.clone().any(|word| is_sure(word));
        table.labelled(&name, surely()).or_else(|| table.drawn(&name))
    };
    if let Some(domain) = beside.clone().any(asks).then(labelled).flatten() {
        return Some(domain);
    }
    let name = spelled(&name.join("-"), protected)?;
    let is_office = || beside.clone().any(|word| OFFICE.contains(word));
    (is_office() || is_short(name, table) && asks_of(name, beside.clone()))
        .then_some(name.ascii.as_ref())
}

/// Whether one of the words beside a short name is none of those that a firm with the same letters has.
fn asks_of<'w>(name: &Name, mut words: impl Iterator<Item = &'w &'w str>) -> bool {
    let is_abbreviation = name.brand_len() == MIN_BRAND;
    words.any(|word| {
        PARCELS.contains(word)
            || is_sure(word)
            || !is_abbreviation
                && [&ASKED[..], &ASKING, &PROOFS].iter().any(|words| words.contains(word))
    })
}

/// Labels of the longest domains of the table, and words of the longest labels that are read.
const LABELS: usize = 3;
const WORDS: usize = 5;

/// The same of a host in lower-case ASCII form.
#[cfg(test)]
pub(super) fn inside<'n>(ascii: &str, protected: &'n Names) -> Option<&'n str> {
    organisation_inside(&Registered::of(ascii), protected)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn domains_of_organisations_inside_hosts_of_others() {
        let names = Names::builtin();
        for (host, domain) in [
            ("www.paypal.comisignin.example-hub.net", Some("paypal.com")),
            ("paypal.comlsignin.top", Some("paypal.com")),
            ("servicenow.com.verify.top", Some("servicenow.com")),
            ("www.metamask.com.verify.top", Some("metamask.io")),
            ("p-a-y-p-a-l.com", Some("paypal.com")),
            ("p-a-y.com", None),
            ("www.pay.pal.com.evilhost.top", Some("paypal.com")),
            ("micro.soft.com.verify.top", Some("microsoft.com")),
            ("linked.in.com.example.top", None),
            ("www.pay.pal.com", None),
            ("pay.pal.example.com", None),
            ("paypal.community.example.com", None),
            ("paypal.com.br", None),
            ("www.intuit.com.login.top", Some("intuit.com")),
            ("quickbooks.intuit.com.login.top", Some("intuit.com")),
            ("www.medicare.gov.login.top", Some("medicare.gov")),
            ("barclays.co.uk.x.login.top", Some("barclays.co.uk")),
            ("www.truist.com.pages.dev", Some("truist.com")),
            ("quickbooks-support.com", Some("quickbooks.com")),
            ("truist-login.com", Some("truist.com")),
            ("secure-truist.web.app", Some("truist.com")),
            ("credit-agricole-login.com", Some("creditagricole.fr")),
            ("paytrn-login.com", Some("paytm.com")),
            ("jurnia-login.com", None),
            ("qu1ckbooks-support.com", Some("quickbooks.com")),
            ("microsoft-voicemail.com", Some("microsoft.com")),
            ("commerzbank-ebanking.de", Some("commerzbank.de")),
            ("fax-paypal.com", Some("paypal.com")),
            ("dhl-login.com", Some("dhl.com")),
            ("dhl-parcel-login.com", Some("dhl.com")),
            ("usps-redelivery.com", Some("usps.com")),
            ("my-usps-tracking.web.app", Some("usps.com")),
            ("hsbc-verify.com", Some("hsbc.com")),
            ("ebay-support.de", Some("ebay.com")),
            ("login-ing.com", Some("ing.com")),
            ("okta-login.com", Some("okta.com")),
            ("login-zoho.com", Some("zoho.com")),
            ("zendesk-verify.com", Some("zendesk.com")),
            ("signin-teamviewer.com", Some("teamviewer.com")),
            ("irs-refund.com", Some("irs.gov")),
            ("usps-confirm.com", Some("usps.com")),
            ("password-usps.com", Some("usps.com")),
            ("hsbc-2fa.com", Some("hsbc.com")),
            ("dhl-confirm.com", None),
            ("ally-password.com", None),
            ("usps-confirm-fans.com", None),
            ("adp-login.com", Some("adp.com")),
            ("login-aok.de", Some("aok.de")),
            ("ssa-account.com", Some("ssa.gov")),
            ("hmrc-refund.com", Some("hmrc.gov.uk")),
            ("irs-office.com", None),
            ("aok-secure.de", None),
            ("web-login.de", None),
            ("okta-support.com", None),
            ("zoho-security.com", None),
            ("okta-fans.com", None),
            ("dhl-fans.com", None),
            ("dhl-parcel-shop-hamburg.de", None),
            ("visa-verification.com", None),
            ("mps-security.com", None),
            ("ups-service.com", None),
            ("ebay-shop.de", None),
            ("microsoft-fans.com", None),
            ("harbour-voicemail.com", None),
            ("www.intuit.com", None),
            ("intuit.com.edgekey.net", None),
            ("www.intuit.com.proxy.example.edu", None),
            ("intuit.example.com", None),
            ("truist-fans.com", None),
            ("truist.com", None),
            ("truist-security.com", None),
            ("x.com.example.org", None),
            ("account-login.com", None),
            ("xn--truist-login-msb.com", None),
            ("www.xn--truist-login-msb.com.login.top", None),
            ("www.xn--e1afmkfd.truist.com.login.top", Some("truist.com")),
        ] {
            assert_eq!(inside(host, &names), domain, "{host}");
        }
    }
}
