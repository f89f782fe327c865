//! A known name beside words that ask in any language, with the marks of their letters or without: `paypal-sécurité.com`,
//! `amazon-ログイン.com`, `paypal-connexion.example.top`, `paypalconnexion.com`, `paypal.connexion.top`.
//!
//! `name_in_host`, `organisation_inside` and `asking_domain` find the English ones, and those of hosts, in ASCII.

use std::borrow::Cow;

use smallvec::SmallVec;

use super::organisation_inside::PARCELS;
use crate::Judgement;
use crate::characters::lookalike::LookHash;
use crate::english::is_any_word;
use crate::hosts::host_words::{
    ASKING, MIN_BRAND_IN_LABEL, SEPARATORS, is_filler, is_short, spelled, surely_asks,
};
use crate::protected::name::{MIN_BRAND, Name, without_number};
use crate::protected::names::Names;
use crate::protected::organisations::{Asking, Organisations, mistyped};
use crate::spelling::domain::{Registered, Section, from_end, registrable};

mod amid;
mod changed;
mod hosted;
mod in_bulk;
mod lured;
mod native;
mod of_table;
mod spellings;

pub use hosted::{asks_in_path, at_hoster};

use changed::has_row;
use lured::Joining;
use spellings::{joined, plain, spellings};

/// Labels in front of a domain that are read at most.
const LABELS: usize = 4;

/// Words of a label that are read at most; one of more is none of these.
pub const LABEL_WORDS: usize = 8;

/// Words that are one office together at most: `mise-à-jour`.
const JOINED: usize = 3;

/// Bytes of the shortest word that is found glued to a name, and of the shortest office that counts where none asks.
const GLUED: usize = 5;
const OFFICE: usize = 4;

/// Letters of a name that counts beside words that firms of a trade have as well.
const LONG: usize = 9;

/// What a word of a label is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Word {
    /// A name, or anything.
    Other,
    /// Another known name, a country, or letters and digits at random: it changes nothing where a word surely asks.
    Piece,
    /// Of an office, and short, or a number.
    Short,
    /// Of an office.
    Office,
    /// It asks, and firms are named after it.
    Trade,
    /// Of what carriers announce.
    Parcel,
    /// It surely asks.
    Asks,
}

/// Where a label stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LabelStanding {
    /// It was registered.
    Chosen,
    /// Below what was registered, where honest hosts are named after what they serve.
    Below,
}

/// The known name that stands in a host of another owner beside words that ask, in ASCII form.
pub(super) fn asks_abroad<'n>(
    host: &Judgement,
    registered: &Registered<'_>,
    protected: &'n Names,
) -> Option<&'n str> {
    let table = protected.organisations()?;
    let reader = HostReader { protected, table, ascii: &host.ascii };
    if !reader.may_find(&host.unicode) {
        return None;
    }
    let own = registered.domain(Section::Private)?;
    let labels: SmallVec<[&str; LABELS + 2]> = host.unicode.split('.').collect();
    let at = labels.len().checked_sub(own.split('.').count())?;
    let (front, chosen) = (labels.get(..at)?, *labels.get(at)?);
    let below = || {
        let nearest = front.iter().rev().take(LABELS);
        nearest.into_iter().find_map(|label| reader.label(label, LabelStanding::Below))
    };
    let found = reader
        .label(chosen, LabelStanding::Chosen)
        .or_else(below)
        .or_else(|| reader.before(front.last()?, chosen))
        .or_else(|| reader.over_dot(front.last()?, chosen))
        .or_else(|| reader.in_bulk(own))?;
    let is_theirs = protected.covers(&host.ascii)
        || table.is_one_owner(&host.ascii, found)
        || table.says_rightly(found, &host.ascii)
        || table.carries(&host.ascii);
    (!is_theirs).then_some(found)
}

struct HostReader<'n, 'h> {
    protected: &'n Names,
    table: &'n Organisations,
    /// The host in ASCII form.
    ascii: &'h str,
}

impl<'n> HostReader<'n, '_> {
    /// Whether some label may hold a name beside other words, or be one: most hosts have none.
    fn may_find(&self, host: &str) -> bool {
        let is_name = |label: &str| {
            label.len() >= MIN_BRAND_IN_LABEL
                && self.protected.is_look(LookHash::of(label.as_bytes()).value())
        };
        let found = |(at, label): (usize, &str)| {
            let may_be_name = match label.is_ascii() {
                true => is_name(label) || label != "www" && has_row(label),
                false => at < LABELS + 2 && self.may_be_native(label),
            };
            may_be_name || of_table::may_be_asked(label) || self.holds_name(label)
        };
        memchr::memchr2(b'-', b'_', host.as_bytes()).is_some()
            || from_end(host).enumerate().any(found)
    }

    /// Whether a label begins or ends with a name and has more.
    fn holds_name(&self, label: &str) -> bool {
        label.len() > MIN_BRAND_IN_LABEL
            && self.begun_by(label).chain(self.ended_by(label)).next().is_some()
    }

    fn label(&self, label: &str, place: LabelStanding) -> Option<&'n str> {
        match label.contains(SEPARATORS) {
            true => self.beside(label, place).or_else(|| match place {
                LabelStanding::Chosen => self.lured(label, Joining::Hyphens),
                LabelStanding::Below => None,
            }),
            false if label.is_ascii() => self.glued(label, place).or_else(|| match place {
                LabelStanding::Chosen => self.drawn_out(label).or_else(|| self.table_glued(label)),
                LabelStanding::Below => None,
            }),
            false => self.glued(label, place).or_else(|| match place {
                LabelStanding::Chosen => self.native_glued(label),
                LabelStanding::Below => None,
            }),
        }
    }

    /// The name in a label of several words, of which all others are those of offices.
    fn beside(&self, label: &str, place: LabelStanding) -> Option<&'n str> {
        let words = label.split(SEPARATORS).filter(|word| !word.is_empty());
        let words: SmallVec<[&str; LABEL_WORDS + 1]> = words.take(LABEL_WORDS + 1).collect();
        let has_latin = || label.bytes().any(|byte| byte.is_ascii_alphabetic());
        if words.len() > LABEL_WORDS || !has_latin() && !self.may_be_asked(&words) {
            return None;
        }
        let kinds = self.kinds(&words);
        let is_other = |kind: &Word| *kind == Word::Other;
        // Most labels say nothing of offices.
        if !kinds.iter().any(|kind| *kind > Word::Short) {
            return self.amid(&words, &kinds, place);
        }
        let first = kinds.iter().position(is_other).unwrap_or(words.len());
        let last = kinds.iter().rposition(is_other).map_or(0, |last| last + 1);
        // Words that might be of an office may be those of a name.
        let starts = 0..=first.min(words.len() - 1);
        let mut runs =
            starts.flat_map(|start| (last.max(start + 1)..=words.len()).map(move |end| start..end));
        let found = runs.find_map(|run| {
            let (before, after) = (kinds.get(..run.start)?, kinds.get(run.end..)?);
            let mut beside = before.iter().chain(after);
            let said = *beside.clone().max()?;
            let counts = said == Word::Asks || beside.all(|kind| *kind != Word::Piece);
            counts.then(|| self.named(words.get(run)?, said, place)).flatten()
        });
        found.or_else(|| self.amid(&words, &kinds, place))
    }

    /// What the words are, some of them together.
    fn kinds(&self, words: &[&str]) -> SmallVec<[Word; LABEL_WORDS]> {
        let mut kinds = SmallVec::new();
        while let Some(rest) = words.get(kinds.len()..).filter(|rest| !rest.is_empty()) {
            let together = (2..=rest.len().min(JOINED)).rev().find_map(|count| {
                let row = rest.get(..count)?;
                // A number behind words says nothing more.
                if row.last().is_some_and(|last| without_number(last).is_empty()) {
                    return None;
                }
                let joined = row.concat();
                let bare = without_number(&joined);
                Some((self.asking_kind(bare, &spellings(bare))?, count))
            });
            let first = || rest.first().map_or(Word::Other, |word| self.kind(word));
            let (kind, count) = together.unwrap_or_else(|| (first(), 1));
            kinds.extend(std::iter::repeat_n(kind, count));
        }
        kinds
    }

    fn kind(&self, word: &str) -> Word {
        let bare = without_number(word);
        if bare.is_empty() {
            return Word::Short;
        }
        let spellings = spellings(bare);
        self.asking_kind(bare, &spellings).unwrap_or_else(|| {
            match spellings.iter().any(|word| self.table.is_office_word(word)) {
                true if bare.len() >= OFFICE => Word::Office,
                true => Word::Short,
                false if is_filler(word, Some(self.table)) => Word::Short,
                false if self.is_piece(word) => Word::Piece,
                false => Word::Other,
            }
        })
    }

    /// What a word without its number is, if it asks or is of what carriers announce.
    fn asking_kind(&self, bare: &str, spellings: &[Cow<'_, str>]) -> Option<Word> {
        // The last spelling of a word beyond ASCII is without the marks.
        let plain = match bare.is_ascii() {
            true => bare,
            false => spellings.last()?,
        };
        match asking_of(spellings, self.table) {
            Some(Asking::Surely) => Some(Word::Asks),
            _ if surely_asks(plain) => Some(Word::Asks),
            Some(Asking::Trade) => Some(Word::Trade),
            None if ASKING.contains(&plain) => Some(Word::Trade),
            Some(Asking::Parcel) => Some(Word::Parcel),
            None if PARCELS.contains(&plain) => Some(Word::Parcel),
            None => None,
        }
    }

    /// How a word of another language asks.
    fn asking(&self, word: &str) -> Option<Asking> {
        asking(word, self.table)
    }

    /// The domain of whom the words name, if the most that is said beside them counts.
    fn named(&self, words: &[&str], said: Word, place: LabelStanding) -> Option<&'n str> {
        let enough = match place {
            LabelStanding::Chosen => said >= Word::Office,
            LabelStanding::Below => asks(said),
        };
        if !enough {
            return None;
        }
        if words.iter().any(|word| !word.is_ascii())
            && let Some(name) = self.native(&words.concat(), said, place)
        {
            return Some(name);
        }
        let plain: SmallVec<[_; LABEL_WORDS]> = words.iter().map(|word| plain(word)).collect();
        if let Some(name) = spelled(&plain.join("-"), self.protected) {
            let is_abbreviation = name.brand_len() <= MIN_BRAND;
            let least = match place {
                LabelStanding::Chosen if is_abbreviation => Some(Word::Parcel),
                LabelStanding::Chosen => Some(Word::Trade),
                // Customers name hosts after what they serve.
                LabelStanding::Below => Some(Word::Asks).filter(|_| !is_abbreviation),
            };
            let counts = name.letters() >= MIN_BRAND_IN_LABEL
                || least.is_some_and(|least| said >= least) && is_short(name, self.table);
            return counts.then_some(&*name.ascii);
        }
        let name = plain.concat();
        let member = || {
            // What most fail on.
            if !self.table.is_of_federation(&name) {
                return None;
            }
            let (_, suffix) = registrable(self.ascii, Section::Icann)?.split_once('.')?;
            self.table.federation(&name, suffix)
        };
        // No firm has a name so long by chance.
        let is_long = || name.len() >= LONG && !is_any_word(&name);
        if place == LabelStanding::Chosen && said >= Word::Trade && is_long() {
            let found = self.table.labelled(&name, true);
            if found.is_some() {
                return found;
            }
        }
        let asks = place == LabelStanding::Chosen && said == Word::Asks;
        let labelled = || self.table.labelled(&name, !is_filler(&name, Some(self.table)));
        let known = || labelled().or_else(member).or_else(|| self.table.drawn(&name));
        let called = || self.nicknamed(&name);
        let found = asks.then(|| known().or_else(called)).flatten();
        found.or_else(|| (place == LabelStanding::Chosen).then(|| self.drawn_out(&name)).flatten())
    }

    /// The name in a label of one word that a word which asks is glued to.
    fn glued(&self, label: &str, place: LabelStanding) -> Option<&'n str> {
        if label.len() <= MIN_BRAND + GLUED {
            return None;
        }
        let asks = |word: &str| {
            word.len() >= GLUED && self.asking(word) >= Some(Asking::Trade) || is_numbered(word)
        };
        let counts = |name: &Name, least: usize| {
            let length = name.brand_len();
            length >= least && (length >= MIN_BRAND_IN_LABEL || is_short(name, self.table))
        };
        let glued = |(name, word): (&'n Name, &str), least: usize| {
            let is_asked = || name.is_no_word() && self.glued_as(word, false) == Word::Asks;
            let is_lured = || place == LabelStanding::Chosen && self.is_lured(name, word);
            let is_told = counts(name, least) && (asks(word) || is_asked() || is_lured());
            is_told.then_some(&*name.ascii)
        };
        let mut in_front = self.begun_by(label);
        in_front.find_map(|found| glued(found, MIN_BRAND + 1)).or_else(|| {
            let mut behind = self.ended_by(label);
            behind.find_map(|found| glued(found, MIN_BRAND_IN_LABEL))
        })
    }

    /// The names that a label begins with, and what follows each.
    fn begun_by<'l>(&self, label: &'l str) -> impl Iterator<Item = (&'n Name, &'l str)> {
        let names = self.protected;
        let mut look = LookHash::EMPTY;
        let ends = label.bytes().zip(1..).map_while(move |(byte, end)| {
            look.ascii(byte);
            names.begins(look).then_some((end, names.is_look(look.value())))
        });
        let ends = ends.filter_map(|(end, is_name)| is_name.then_some(end));
        ends.filter_map(move |end| {
            let (name, rest) = label.split_at_checked(end)?;
            Some((spelled(name, names)?, rest))
        })
    }

    /// The names that a label ends with, and what is in front of each.
    fn ended_by<'l>(&self, label: &'l str) -> impl Iterator<Item = (&'n Name, &'l str)> {
        let names = self.protected;
        let mut look = LookHash::EMPTY;
        let starts = label.bytes().enumerate().rev().map_while(move |(start, byte)| {
            look = look.preceded_by(&[byte]);
            names.ends(look).then_some((start, names.is_backwards(look)))
        });
        let starts = starts.filter_map(|(start, is_name)| is_name.then_some(start));
        starts.filter_map(move |start| {
            let (rest, name) = label.split_at_checked(start)?;
            Some((spelled(name, names)?, rest))
        })
    }

    /// The name that a label is, in front of a domain that is nothing but words of which one asks.
    fn before(&self, label: &str, chosen: &str) -> Option<&'n str> {
        let is_long = |name: &&Name| name.letters() >= MIN_BRAND_IN_LABEL;
        let name = spelled(&plain(label), self.protected).filter(is_long);
        let name = name.or_else(|| self.of_more(label)).map(|name| &*name.ascii);
        let of_table = if name.is_none() { self.of_table(label) } else { None };
        // Most labels are no name.
        if name.is_none() && of_table.is_none() && label.is_ascii() {
            return None;
        }
        let words: SmallVec<[&str; LABEL_WORDS + 1]> =
            chosen.split(SEPARATORS).take(LABEL_WORDS + 1).collect();
        let kinds = self.kinds(words.get(..words.len().min(LABEL_WORDS))?);
        let is_asked = words.len() <= LABEL_WORDS
            && kinds.iter().all(|kind| *kind > Word::Other)
            && match kinds.contains(&Word::Piece) {
                true => kinds.contains(&Word::Asks),
                false => kinds.iter().any(|kind| asks(*kind)),
            };
        let said = || kinds.iter().copied().max().unwrap_or(Word::Other);
        let native = || self.native(label, said(), LabelStanding::Chosen);
        // Nobody has the name of an organisation with other marks honestly.
        let is_told = || kinds.contains(&Word::Asks) || !label.is_ascii();
        let of_table = || of_table.filter(|_| is_told());
        is_asked.then(|| name.or_else(native).or_else(of_table)).flatten()
    }
}

/// How a word of another language asks.
pub(super) fn asking(word: &str, table: &Organisations) -> Option<Asking> {
    asking_of(&spellings(word), table)
}

fn asking_of(spellings: &[Cow<'_, str>], table: &Organisations) -> Option<Asking> {
    let listed = spellings.iter().filter_map(|word| table.asking_word(word)).max();
    listed.or_else(|| spellings.iter().find_map(|word| mistyped(word)))
}

/// Whether a word surely asks and has a number behind it: `login7`.
fn is_numbered(word: &str) -> bool {
    let bare = without_number(word);
    bare.len() < word.len() && surely_asks(bare)
}

/// Whether a word asks who the reader is.
fn asks(word: Word) -> bool {
    matches!(word, Word::Trade | Word::Asks)
}

/// The name that a host asks in; empty if there is none.
#[cfg(test)]
fn asked_in(host: &str, protected: &Names, tlds: &[&str]) -> String {
    let (none, tlds) = (Names::default(), uts58::tlds::TldTable::new(tlds.iter().copied(), ""));
    let host = crate::judge(host, &crate::tests::context(protected, &none, &tlds));
    let found = asks_abroad(&host, &Registered::of(&host.ascii), protected);
    found.unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(host: &str) -> String {
        asked_in(host, &Names::builtin(), &["com", "de", "fr", "top", "net", "no"])
    }

    #[test]
    fn members_of_federations_are_named_by_their_word() {
        for (host, name) in [
            ("spk-login.de", "sparkasse.de"),
            ("vr-pushtan.de", "volksbank.de"),
            ("ca-certicode.fr", "creditagricole.fr"),
            ("sparkasse-kundenabgleich.de", "sparkasse.de"),
            ("sparkasse-kartensperre.de", "sparkasse.de"),
            ("tanverfahren-sparkasse.de", "sparkasse.de"),
        ] {
            assert_eq!(asked(host), name, "{host}");
        }
        for host in [
            "sparkasse-hagen-herdecke.de",
            "vr-hessen.de",
            "spk-login.com",
            "ca-paris.fr",
            "vr-brille.de",
            "spk-verein.de",
        ] {
            assert_eq!(asked(host), "", "{host}");
        }
    }

    #[test]
    fn words_that_ask_are_those_of_their_language_with_marks_and_without() {
        for word in [
            "sécurité", "securite", "bestätigung", "bestaetigung", "bestatigung", "verificación",
            "verificação", "ověření", "giriş", "güvenlik", "płatność", "säkerhet", "segurança",
            "innlogging", "bekreft", "vahvistus", "kirjaudu", "overenie", "bejelentkezés",
            "autentificare", "beveiliging", "rastreo", "seuranta", "takip", "toll", "passkey",
            "ログイン", "登录", "로그인", "đăng-nhập", "mise-à-jour", "sécurité2", "passcode",
            "rebate", "stimulus", "aanslag", "verifiera", "robux", "bluebadge",
        ] {
            for host in [format!("paypal-{word}.com"), format!("{word}-paypal.com")] {
                assert_eq!(asked(&host), "paypal.com", "{host}");
            }
        }
    }

    #[test]
    fn words_that_ask_are_read_mistyped_shortened_and_in_latin_letters() {
        for word in [
            "securty", "secruity", "acount", "verfy", "suport", "udpate", "comfirm", "signon",
            "acct", "pwd", "verfication", "logn", "podtverzhdenie", "polucheniedeneg",
            "bezopasnost", "vhod", "lichnyj-kabinet", "poluchenie-oplaty", "kakunin", "ninshou",
            "touroku", "denglu", "yanzheng", "kefu", "injeung", "boan", "tahaqoq", "dukhool",
            "epivevaiosi", "eisodos", "satyapan", "suraksha", "yuenyan", "vorud", "undian",
            "klaim", "blokir", "xacthuctaikhoan", "mokhoa", "sifre", "odul", "cadastro",
            "recadastramento", "resgate", "multa", "tarjeta", "bloqueo", "wachtwoord", "haslo",
            "salasana", "jelszo",
        ] {
            let (host, glued) = (format!("paypal-{word}.com"), format!("{word}-paypal.com"));
            for host in [host, glued] {
                assert_eq!(asked(&host), "paypal.com", "{host}");
            }
        }
        for host in [
            "paypalsecurty.com",
            "paypalverfication.com",
            "paypal.acount.top",
            "paypal-acount.evilhost.top",
            "paypalpodtverzhdenie.com",
            "paypal-denglu.evilhost.top",
        ] {
            assert_eq!(asked(host), "paypal.com", "{host}");
        }
        // Words of their own.
        for host in
            ["paypal-passport.com", "paypal-recount.com", "paypal-johannes.com", "dhl-suport.com"]
        {
            assert_eq!(asked(host), "", "{host}");
        }
    }

    #[test]
    fn names_stand_where_they_do_beside_english_words() {
        for (host, name) in [
            ("paypal-connexion.evilhost.top", "paypal.com"),
            ("www.anmelden-paypal.evilhost.top", "paypal.com"),
            ("paypal-sécurité.evilhost.top", "paypal.com"),
            ("paypalconnexion.com", "paypal.com"),
            ("connexionpaypal.com", "paypal.com"),
            ("paypalsécurité.com", "paypal.com"),
            ("amazonログイン.com", "amazon.com"),
            ("paypal.connexion.top", "paypal.com"),
            ("www.paypal.mon-connexion.top", "paypal.com"),
            ("dhl-bestätigung.de", "dhl.com"),
            ("dhl-connexion.fr", "dhl.com"),
            ("sabadell-verificación.com", "sabadell.com"),
            ("pàypal-connexion.com", "paypal.com"),
            ("credit-agricole-connexion.com", "creditagricole.fr"),
            ("dhl-sporing.no", "dhl.com"),
            ("hsbc-login.example.top", "hsbc.com"),
            ("usps-connexion.example.top", "usps.com"),
            ("usps-sécurité.com", "usps.com"),
            ("uspsconnexion.com", "usps.com"),
            // Firms with the same letters, customers, fans, words alone, owners, carriers.
            ("dhl-sicherheit.de", ""),
            ("dhl-login.example.top", ""),
            ("dhlconnexion.com", ""),
            ("connexionusps.com", ""),
            ("sabadell-sicherheit.com", ""),
            ("paypal-shop.evilhost.top", ""),
            ("paypal-rastreo.evilhost.top", ""),
            ("outlooksecure.com", ""),
            ("bradescoseguranca.com.br", ""),
            ("paypal-konferenz.de", ""),
            ("telegram-fans-connexion.com", ""),
            ("paypal-de.com", ""),
            ("paypals-connexion.com", ""),
            ("paypal.example.com", ""),
            ("connexion.paypal.com", ""),
            ("paypal-connexion.paypal.com", ""),
            ("paypal-connexion.com.edgekey.net", ""),
            ("mon-connexion.com", ""),
            ("paypalconnexionclub.com", ""),
            ("sécurité.com", ""),
            ("-.com", ""),
            // What offices owe a reader or he owes them.
            ("agenziaentrate-rimborso.com", "agenziaentrate.gov.it"),
            ("belastingdienst-teruggave.com", "belastingdienst.nl"),
            ("posteitaliane-sicurezza.com", "posteitaliane.it"),
            ("cjib-boete.com", "cjib.nl"),
            ("ctt-encomenda.com", "ctt.pt"),
            ("usps-toll.com", "usps.com"),
            ("dhl-customs.com", "dhl.com"),
            ("track-dhl.de", "dhl.com"),
            ("usps-delivery-fee.com", "usps.com"),
            ("paypalcustomerservice.com", "paypal.com"),
            ("netflix-helpcenter.com", "netflix.com"),
            ("dhl-delivery.example.top", ""),
            ("dhl-delivery-fans.com", ""),
            ("ups-shop.com", ""),
            ("correios-taxa.com", "correios.com.br"),
            ("dhl-pengiriman.com", "dhl.com"),
            ("paypal-devolucion.com", "paypal.com"),
            ("amazon-ceza.com", "amazon.com"),
            ("cjib-nieuws.com", ""),
            ("agenziaentrate-forum.com", ""),
        ] {
            assert_eq!(asked(host), name, "{host}");
        }
    }
}
