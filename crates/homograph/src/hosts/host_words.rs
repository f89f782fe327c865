//! The words of a label beside a name, and the name that a word is.

use crate::characters::lookalike::LookHash;
use crate::english::is_word;
use crate::lists::by_letter::WordsByLetter;
#[cfg(feature = "senders")]
use crate::protected::name::MIN_BRAND;
use crate::protected::name::{Name, Reach, without_number};
use crate::protected::names::Names;
use crate::protected::near::is_drawn;
use crate::protected::organisations::Organisations;

/// Shortest brand that is recognised between hyphens, after `www` and before `com`.
pub(crate) const MIN_BRAND_IN_LABEL: usize = 5;

/// Separators of words in a label. Browsers resolve names with underscores below the registrable
/// domain.
pub(crate) const SEPARATORS: [char; 2] = ['-', '_'];

/// Words of those beside a name that ask a reader to prove who he is.
pub(crate) const ASKING: [&str; 8] =
    ["account", "login", "secure", "security", "signin", "unlock", "verification", "verify"];

/// Those that no firms are named after, as they are after `secure` and `security`.
#[cfg(feature = "senders")]
pub(crate) const SURELY_ASKING: [&str; 6] =
    ["account", "login", "signin", "unlock", "verification", "verify"];

/// Whether a word asks, and is none that firms are named after.
#[cfg(feature = "senders")]
pub(crate) fn surely_asks(word: &str) -> bool {
    SURELY_ASKING.contains(&word)
}

/// A word without each of those, at its end or in front.
#[cfg(feature = "senders")]
pub(crate) fn without_asking(word: &str) -> impl Iterator<Item = &str> {
    let asking = SURELY_ASKING.into_iter();
    asking.flat_map(|asking| [word.strip_suffix(asking), word.strip_prefix(asking)]).flatten()
}

/// Words beside a name in a host, other than office words; sorted.
#[rustfmt::skip]
const FILLERS: [&str; 89] = [
    "2fa", "acceso", "access", "accesso", "activate", "airdrop", "amende", "anmelden", "appleid",
    "apps", "assistenza", "auth", "authenticate", "authorize", "ayuda", "boete", "cancel", "check",
    "clienti", "co", "code", "colis", "connect", "copyright", "desbloqueo", "device", "dispute",
    "doplata", "download", "extension", "facture", "find", "findmy", "fraud", "giveaway", "gov",
    "http", "https", "identity", "iniciar", "kyc", "locate", "log", "mfa", "mobile", "nano", "net",
    "org", "otp", "package", "parcel", "pas", "pass", "password", "phototan", "portal", "potwierdz",
    "private", "protect", "protection", "pushtan", "recover", "rectify", "redelivery", "renew",
    "reset", "resolution", "restore", "review", "sblocca", "send", "share", "sicurezza", "sign",
    "signin", "sso", "sync", "tan", "track", "unlock", "upgrade", "validate", "validation",
    "verified", "verifizierung", "web", "web3", "webmail", "www",
];

static WORDS: WordsByLetter<{ FILLERS.len() }> = WordsByLetter::of(&[&FILLERS]);

/// Whether the word beside a name is of an office.
pub(crate) fn is_filler(word: &str, table: Option<&Organisations>) -> bool {
    // `web3` is a word, `login2` one with a number.
    let numbered = word;
    let word = without_number(word);
    word.is_empty()
        || WORDS.hold(word)
        || word.len() < numbered.len() && WORDS.hold(numbered)
        || word.len() > 1
            && table.is_some_and(|table| table.is_role(word) || table.reads_as_role(numbered))
}

/// Whether a word may be glued to a name, and no word of a language goes on so: of English or of an office, or with a digit.
#[cfg(feature = "senders")]
pub fn may_stand_beside(word: &str, names: &Names) -> bool {
    let has_digit = || word.bytes().any(|byte| byte.is_ascii_digit());
    is_word(word) || is_filler(word, names.organisations()) || has_digit()
}

/// Whether a label is a brand beside words of offices, of which one asks.
#[cfg(feature = "senders")]
pub(crate) fn is_beside(
    label: &str,
    brand: &str,
    table: Option<&Organisations>,
    asks: impl Fn(&str) -> bool,
) -> bool {
    let Some((front, back)) = label.split_once(brand) else { return false };
    let is_apart = (front.is_empty() || front.ends_with(SEPARATORS))
        && (back.is_empty() || back.starts_with(SEPARATORS));
    let words = front.split(SEPARATORS).chain(back.split(SEPARATORS));
    let mut words = words.filter(|word| !word.is_empty());
    let mut some = false;
    is_apart
        && words.all(|word| {
            let asks = asks(word);
            some |= asks;
            asks || is_filler(word, table)
        })
        && some
}

/// Whether a word that is a name stands for other things as well.
pub(crate) fn is_common(word: &str, table: Option<&Organisations>) -> bool {
    is_word(word) || is_filler(word, table)
}

/// Whether the name is one of the few letters that stand for other firms as well, and no word.
#[cfg(feature = "senders")]
pub(crate) fn is_short(name: &Name, table: &Organisations) -> bool {
    (MIN_BRAND..MIN_BRAND_IN_LABEL).contains(&name.brand_len())
        && !is_common(name.label(), Some(table))
}

/// The name whose registrable label is spelled exactly so, or drawn so: with `1` or `i` for `l`, `rn` for `m`.
pub(crate) fn spelled<'n>(word: &str, names: &'n Names) -> Option<&'n Name> {
    let mut named = names.by_look(LookHash::of(word.as_bytes()).value());
    named.find(|name| {
        name.reach == Reach::Brand && (name.label() == word || is_drawn(word.as_bytes()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fillers_are_sorted_and_found() {
        assert!(FILLERS.is_sorted());
        let of_firms = ASKING.iter().filter(|word| !surely_asks(word));
        assert!(of_firms.eq(&["secure", "security"]));
        assert!(SURELY_ASKING.iter().all(|word| ASKING.contains(word)));
        for word in ["2fa", "www", "web3", "web", "login2", "pas", "42", ""] {
            let table = Organisations::builtin();
            assert!(is_filler(word, Some(&table)), "{word}");
        }
    }
}
