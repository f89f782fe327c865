//! Hosts below a domain of two letters that read as the last label of a known name: `mail.ru.nl` of the university
//! `ru.nl` is no lure for `mail.ru`.

use crate::Judgement;
use crate::protected::organisations::claimed::is_given_away;
use crate::spelling::domain::{Section, registrable};
use crate::verdict::Reason;

/// Top-level domains of countries that are sold to everybody: there domains of two letters are for whoever pays.
const SOLD: [&str; 15] =
    ["ai", "cc", "co", "fm", "gg", "im", "in", "io", "la", "me", "su", "to", "tv", "vc", "ws"];

/// Whether a host has a known name in it only because its domain, of a country, is called like the name's suffix. Nobody
/// else can have a host there.
pub fn is_in_short_domain(host: &Judgement) -> bool {
    let is_one = || {
        let (front, last) = host.target.as_deref()?.rsplit_once('.')?;
        let own = registrable(&host.ascii, Section::Private)?;
        let (label, suffix) = own.split_once('.')?;
        let (_, tld) = suffix.rsplit_once('.').unwrap_or(("", suffix));
        let before = host.ascii.strip_suffix(own)?.strip_suffix('.')?;
        let is_below = before == front || before.strip_suffix(front)?.ends_with('.');
        let is_countrys = tld.len() == 2 && !SOLD.contains(&tld) && !is_given_away(&host.ascii);
        Some(is_below && label == last && label.len() == 2 && is_countrys)
    };
    host.reasons.contains(Reason::NameInHost) && is_one().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Names, judge};
    use uts58::tlds::TldTable;

    #[test]
    fn domains_of_two_letters() {
        let (names, none) = (Names::builtin(), Names::default());
        let tlds = TldTable::new(["com", "nl", "za", "pl", "es", "cc", "tk", "top", "ru"], "");
        for (host, is) in [
            ("mail.ru.nl", true),
            ("imap.mail.ru.ac.za", true),
            ("zoom.us.edu.pl", true),
            ("zoom.us.es", true),
            ("mail.ru.cc", false),
            ("mail.ru.tk", false),
            ("mail.ru.top", false),
            ("mail.ru.login.nl", false),
            ("paypal.com.es", false),
            ("my-mail.ru.nl", false),
        ] {
            let judged = judge(host, &crate::tests::context(&names, &none, &tlds));
            assert_eq!(is_in_short_domain(&judged), is, "{host} {judged:?}");
        }
    }
}
