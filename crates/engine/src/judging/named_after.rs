//! Names of senders that say something else about a known name than that its owner writes: the stadium that bears it,
//! the settlement of a lawsuit, a foundation, the shop around the corner, a newsletter about it, a machine.
//!
//! A lure says that the owner or an office of it writes. So a word of offices beside the name ends all of these, and
//! what a lure would copy counts only where the sender's own domain spells it.

use super::Judge;
use crate::Dmarc;
use homograph::claims::{Beside, BesideWord, Sender, is_government_site};
use homograph::{HostBounds, Section, is_or_below, registrable};

/// Places and contests that bear the name of who pays for them.
const VENUES: [&str; 49] = [
    "amphitheater", "amphitheatre",
    // `арена`, in the plain letters that it reads as.
    "apeha", "arena", "ballpark", "challenge", "championship", "championships", "coliseum", "cup",
    "cycles", "estadi", "estadio", "festival", "festivali", "festiwal", "field", "fieldhouse",
    "halbmarathon", "halfmarathon", "jazz", "marathon", "open", "park", "pavilion", "prix",
    "raceway", "racing", "regatta", "rink", "speedway", "stade", "stadio", "stadion", "stadium",
    "stadyumu", "theater", "theatre", "tower", "triathlon", "trophy", "velodrome", "アリーナ",
    "スタジアム", "ドーム", "ボール", "体育館", "球場", "체육관",
];

/// Councils, clubs, teams and unions of the people of a company, those who meet for what it makes or speak of it, and
/// shops at its market place.
const OF_STAFF: [&str; 48] = [
    "alumni", "amicale", "betriebsrat", "betriebssport", "betriebssportgruppe", "bsg", "ccoo",
    "cfdt", "cgil", "cgt", "cheminots", "cisl", "csif", "cupw", "cwu", "ehemalige", "fans",
    "finansforbundet", "fnv", "fussball", "gesamtbetriebsrat", "konzernbetriebsrat", "meetup",
    "nalc", "pensioners", "personalrat", "podcast", "schachclub", "sindacato", "skiclub",
    "sportgemeinschaft", "sportgruppe", "stammtisch", "syndicat", "syndicom", "teamsters",
    "tischtennis", "ugt", "uilposte", "unifor", "unionen", "vakbond", "verdi", "wielerploeg",
    "профсоюз", "労働組合", "店", "노조",
];

/// The same in two words.
const PAIRS: [[&str; 2]; 4] =
    [["betriebssport", "gruppe"], ["fan", "club"], ["user", "group"], ["works", "council"]];

/// Names of organisations that are terms of music as well, and what choirs and schools of music are called beside them.
const OF_MUSIC: [&str; 1] = ["allegro"];
const MUSIC: [&str; 19] = [
    "ballet", "chamber", "choeur", "choir", "chor", "chorale", "coro", "ensemble", "kammerchor",
    "kammerorchester", "musikschule", "orchester", "orchestra", "orchestre", "orkest", "orkester",
    "orquesta", "orquestra", "troppo",
];

/// What bears a name and is not its owner, and what the domain of such a sender spells.
const SPELLED: [(&str, &[&str]); 22] = [
    ("foundation", &["foundation", "fdn"]),
    ("stiftung", &["stiftung"]),
    ("fundacion", &["fundacion"]),
    ("fundacao", &["fundacao"]),
    ("fondation", &["fondation"]),
    ("fondazione", &["fondazione"]),
    ("fanclub", &["fan"]),
    ("settlement", &["settlement"]),
    ("litigation", &["litigation"]),
    ("museum", &["museum"]),
    ("union", &["union"]),
    ("workers", &["workers"]),
    ("employees", &["employees"]),
    ("drivers", &["drivers"]),
    ("pensioners", &["pension"]),
    ("gewerkschaft", &["gewerkschaft"]),
    ("sindicato", &["sindicato"]),
    ("fabi", &["fabi"]),
    ("pensioenfonds", &["pensioenfonds"]),
    ("pensionskasse", &["pensionskasse"]),
    ("superannuation", &["super"]),
    ("volkshochschule", &["vhs", "volkshochschule"]),
];

/// Words of offices in the names of settlements.
const OF_LAWSUITS: [&str; 8] = [
    "administration", "administrator", "claim", "claims", "data", "information", "notice",
    "privacy",
];

/// Words that join others, and countries.
const JOINING: [&str; 20] = [
    "and", "canada", "das", "de", "der", "des", "die", "e", "el", "europe", "for", "international",
    "la", "le", "of", "the", "uk", "und", "us", "usa",
];

/// Those who sell what the owner makes, or teach it.
const TRADE: [&str; 38] = [
    "agence", "agency", "agencia", "agentur", "beratung", "boutique", "consultant", "consultants",
    "consulting", "dealer", "corso", "courses", "curso", "handler", "kurs", "kurse", "paketshop",
    "partner", "partners", "reparatur", "repair", "reseller", "revendeur", "schulung",
    "schulungen", "shop", "store", "tienda", "training", "trainings", "werkstatt", "ショップ",
    "パートナー", "代理店", "販売店", "agent", "agents", "proadvisor",
];

/// What the names of programs begin with that firms and universities run for their people, and further names of theirs in
/// an address.
const RUN_INSIDE: [(&str, &[&str]); 12] = [
    ("adobe", &[]),
    ("bitwarden", &[]),
    ("gitlab", &[]),
    ("microsoft", &["m365", "o365", "office365"]),
    ("office365", &["m365", "o365"]),
    ("onedrive", &[]),
    ("sap", &[]),
    ("servicenow", &[]),
    ("sharepoint", &[]),
    ("webex", &[]),
    ("workday", &[]),
    ("zoom", &[]),
];

/// Offices that run them.
const OF_PROGRAMS: [&str; 11] = [
    "admin", "administration", "cloud", "creative", "it", "learning", "migration", "service",
    "services", "support", "team",
];

/// Letters of an own name that a domain spells.
const MIN_OWN: usize = 3;

/// Where anybody publishes newsletters.
const PUBLISHERS: [&str; 5] =
    ["beehiiv.com", "buttondown.com", "buttondown.email", "ghost.io", "substack.com"];

/// Mailboxes that programs always write from, and the words beside the name in theirs.
const MACHINES: [(&str, &[&str]); 2] = [
    ("apcupsd", &["alert", "notification", "status"]),
    ("microsoftexchange329e71ec88ae4615bbc36ab6ce41109e", &["exchange"]),
];

/// The mailbox by which a host of code names the programs that write there, and how their names end.
const APPS: (&str, &str, &str) = ("notifications", "github.com", "[bot]");

/// The card that is called as a document is, offices where one applies for that, and whom their domains name.
const DOCUMENT: &str = "visa";
const OF_DOCUMENTS: [&str; 21] = [
    "admin", "administration", "and", "application", "applications", "approval", "assistance",
    "center", "centre", "customer", "department", "desk", "help", "helpdesk", "information",
    "office", "service", "services", "staff", "support", "team",
];
const AUTHORITIES: [&str; 16] = [
    "ambasciat", "ambassade", "botschaft", "consul", "embaixada", "embajada", "embass",
    "hochschule", "immigra", "konsulat", "migration", "passport", "tlscontact", "travel",
    "universi", "vfsglobal",
];

/// How the domains of those begin and end who do nothing else, or teach.
const UNIVERSITIES: [&str; 2] = ["tu-", "uni-"];
const AGENCIES: &str = "visas";

/// The suffix of schools, and such labels in front of that of a country.
const SCHOOLS: &str = "edu";
const SCHOOLS_OF_COUNTRIES: [&str; 2] = ["ac", SCHOOLS];

impl Judge<'_> {
    /// Whether a name that poses says of what it names that somebody else writes.
    pub fn is_named_after(&mut self, name: &str, sender: Sender<'_>) -> bool {
        if self.facts.dmarc == Dmarc::Fail {
            return false;
        }
        self.steps += super::claim_steps(name);
        let context = self.context(HostBounds::Certain);
        let Some(beside) = homograph::claims::beside(name, sender, &context) else { return false };
        if is_machine(&beside, sender.local) {
            return true;
        }
        if self.facts.dmarc != Dmarc::Pass || self.is_anybodys(sender.host) {
            return false;
        }
        is_venue(&beside)
            || is_app(name, &beside, sender)
            || is_of_staff(&beside)
            || is_of_music(&beside)
            || is_spelled(&beside)
            || is_trade(&beside)
            || is_of_document(&beside, sender.host)
            || is_of_program(&beside, sender.local)
                && (is_of_school(sender.host) || self.is_recipients(sender.host))
            || PUBLISHERS.iter().any(|host| is_or_below(sender.host, host)) && is_subject(&beside)
    }

    /// Whether a name that poses has a word of its own beside the name, and none of offices.
    pub fn names_no_office(&mut self, name: &str, sender: Sender<'_>) -> bool {
        self.steps += super::claim_steps(name);
        let context = self.context(HostBounds::Certain);
        let beside = homograph::claims::beside(name, sender, &context);
        beside.is_some_and(|beside| is_subject(&beside))
    }

    /// Whether a name that poses has a word of offices beside the name.
    pub fn names_office(&mut self, name: &str, sender: Sender<'_>) -> bool {
        self.steps += super::claim_steps(name);
        let context = self.context(HostBounds::Certain);
        let beside = homograph::claims::beside(name, sender, &context);
        beside.is_some_and(|beside| words(&beside).any(|word| word.is_office))
    }
}

fn words(beside: &Beside) -> impl Iterator<Item = &BesideWord> {
    beside.front.iter().chain(&beside.after)
}

/// Whether no word but these is of an office.
fn lacks_offices(beside: &Beside, known: &[&str]) -> bool {
    let says_nothing = |word: &BesideWord| {
        let text = word.text.as_str();
        !word.is_office || known.contains(&text) || JOINING.contains(&text)
    };
    words(beside).all(says_nothing)
}

/// `Visa Services` of an embassy, a university or an agency, and no word of cards.
fn is_of_document(beside: &Beside, host: &str) -> bool {
    let is_known = |word: &BesideWord| OF_DOCUMENTS.contains(&word.text.as_str());
    beside.name == DOCUMENT
        && words(beside).any(is_known)
        && lacks_offices(beside, &OF_DOCUMENTS)
        && is_authority(host)
}

/// Whether the domain of a host is of a government, a school, or of who is called as those are that give visas.
fn is_authority(host: &str) -> bool {
    let domain = registrable(host, Section::Icann).unwrap_or_default();
    let label = domain.split('.').next().unwrap_or_default();
    is_of_school(host)
        || is_government_site(host)
        || label.ends_with(AGENCIES)
        || AUTHORITIES.iter().any(|word| label.contains(word))
}

/// Whether the domain of a host is of a school by its suffix, or of a university by how it is called.
fn is_of_school(host: &str) -> bool {
    let domain = registrable(host, Section::Icann).unwrap_or_default();
    let Some((label, suffix)) = domain.split_once('.') else { return false };
    let is_of_schools = match suffix.split_once('.') {
        Some((first, _)) => SCHOOLS_OF_COUNTRIES.contains(&first),
        None => suffix == SCHOOLS,
    };
    is_of_schools || UNIVERSITIES.iter().any(|start| label.starts_with(start))
}

/// `Microsoft 365 Team` of `m365@uni-bonn.de`: who runs a program for others, by the name of the mailbox as well. In that
/// of a person whose account was stolen it says nothing of the kind.
fn is_of_program(beside: &Beside, local: &str) -> bool {
    let local = local.to_ascii_lowercase();
    let program = RUN_INSIDE.iter().find(|(name, _)| beside.name.starts_with(name));
    let is_in_mailbox = |(name, others): &(&str, &[&str])| {
        local.contains(name) || others.iter().any(|other| local.contains(other))
    };
    program.is_some_and(is_in_mailbox) && lacks_offices(beside, &OF_PROGRAMS)
}

fn is_machine(beside: &Beside, local: &str) -> bool {
    let mut machines = MACHINES.iter().filter(|(own, _)| own.eq_ignore_ascii_case(local));
    machines.any(|(_, known)| words(beside).all(|word| known.contains(&word.text.as_str())))
}

/// `google-cla[bot]` of GitHub: what a program is called there, in small letters.
fn is_app(name: &str, beside: &Beside, sender: Sender<'_>) -> bool {
    let (local, host, end) = APPS;
    let slug = |c: char| matches!(c, 'a'..='z' | '0'..='9' | '-');
    sender.local == local
        && sender.host == host
        && name.strip_suffix(end).is_some_and(|app| app.chars().all(slug))
        && lacks_offices(beside, &[])
}

/// `PayPal Arena`, `PayPal Park 2026`.
fn is_venue(beside: &Beside) -> bool {
    let is_number = |word: &&BesideWord| word.text.bytes().all(|byte| byte.is_ascii_digit());
    let last = beside.after.iter().rev().find(|word| !is_number(word));
    last.is_some_and(|word| VENUES.contains(&word.text.as_str())) && lacks_offices(beside, &[])
}

/// `PayPal Betriebsrat`, `PayPal Works Council`, `PayPal User Group`.
fn is_of_staff(beside: &Beside) -> bool {
    let is_pair = |pair: &[&str]| {
        let mut pairs = [&beside.front, &beside.after].into_iter().flat_map(|side| side.windows(2));
        pairs.any(|words| words.iter().map(|word| word.text.as_str()).eq(pair.iter().copied()))
    };
    let pair = PAIRS.iter().find(|pair| is_pair(*pair));
    (pair.is_some() || words(beside).any(|word| OF_STAFF.contains(&word.text.as_str())))
        && lacks_offices(beside, pair.map_or([].as_slice(), |pair| pair.as_slice()))
}

/// `Coro Allegro`, `Allegro Ma Non Troppo`.
fn is_of_music(beside: &Beside) -> bool {
    OF_MUSIC.contains(&beside.name.as_str())
        && words(beside).any(|word| MUSIC.contains(&word.text.as_str()))
        && lacks_offices(beside, &[])
}

/// `PayPal Foundation` of `paypal-fdn.org`, `PayPal Data Breach Settlement` of `paypalsettlement.com`.
fn is_spelled(beside: &Beside) -> bool {
    let kind = |word: &BesideWord| {
        let kind = SPELLED.iter().find(|(kind, _)| *kind == word.text)?;
        kind.1.iter().any(|spelled| beside.label.contains(spelled)).then_some(kind.0)
    };
    words(beside).filter_map(kind).any(|kind| {
        let mut known = vec![kind];
        if matches!(kind, "settlement" | "litigation") {
            known.extend(OF_LAWSUITS);
        }
        lacks_offices(beside, &known)
    })
}

/// `PayPal Shop Weber` of `weber.example`: a name of its own, which the domain spells and which is no owner's.
fn is_trade(beside: &Beside) -> bool {
    let is_own = |word: &BesideWord| {
        let text = &word.text;
        let long = text.chars().count() >= MIN_OWN;
        // `Müller` of `mueller.example`.
        let spells = |label: &str| label.contains(text.as_str());
        long && !word.is_office
            && !TRADE.contains(&text.as_str())
            && (spells(&beside.label) || spells(&without_e(&beside.label)))
    };
    words(beside).any(|word| TRADE.contains(&word.text.as_str()))
        && words(beside).any(is_own)
        && !beside.label.contains(&beside.name)
        && lacks_offices(beside, &TRADE)
}

/// A label with `ae`, `oe`, `ue` as the letters that umlauts read as.
fn without_e(label: &str) -> String {
    label.replace("ae", "a").replace("oe", "o").replace("ue", "u")
}

/// `PayPal Chronicles`: what is written about.
fn is_subject(beside: &Beside) -> bool {
    let is_own = |word: &BesideWord| {
        !word.is_office
            && word.text.chars().count() >= MIN_OWN
            && !word.text.bytes().all(|byte| byte.is_ascii_digit())
    };
    words(beside).any(is_own) && lacks_offices(beside, &[])
}

#[cfg(test)]
mod tests;
