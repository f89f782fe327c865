//! Names that are changed so that readers still know them: called for short (`o365-login.com`), without their vowels
//! (`ntflx-login.com`), with a letter more than twice in a row (`facebooook.com`).

use super::HostReader;
use crate::hosts::host_words::{MIN_BRAND_IN_LABEL, spelled};

/// Letters of the shortest name that is known with a letter drawn out.
const LEAST: usize = MIN_BRAND_IN_LABEL + 1;

impl<'n> HostReader<'n, '_> {
    /// The domain of whom a word means beside words that surely ask: other firms are called so as well.
    pub(super) fn nicknamed(&self, word: &str) -> Option<&'n str> {
        let nickname = self.table.nicknamed(word);
        nickname.or_else(|| Some(&*self.protected.without_vowels(word)?.ascii))
    }

    /// The name that a word is with each row of one letter read as one, or as two.
    pub(super) fn drawn_out(&self, word: &str) -> Option<&'n str> {
        if !has_row(word) {
            return None;
        }
        [1, 2].into_iter().find_map(|most| {
            let name = spelled(&shortened(word, most), self.protected)?;
            (name.brand_len() >= LEAST).then_some(&*name.ascii)
        })
    }
}

/// Whether a word has a letter three times in a row.
pub(super) fn has_row(word: &str) -> bool {
    word.as_bytes().array_windows().any(|[one, two, three]| one == two && two == three)
}

/// The word with so many letters of each row of three and more.
fn shortened(word: &str, most: usize) -> String {
    let rows = word.as_bytes().chunk_by(|one, two| one == two);
    let kept = rows.flat_map(|row| match row.len() {
        3.. => row.get(..most).unwrap_or(row),
        _ => row,
    });
    kept.map(|byte| char::from(*byte)).collect()
}

#[cfg(test)]
mod tests {
    use crate::Names;
    use crate::claims::asks_abroad::asked_in;

    #[test]
    fn names_are_known_though_they_are_changed() {
        let names = Names::builtin();
        let asked = |host: &str| asked_in(host, &names, &["com", "top", "ru"]);
        for (host, name) in [
            ("o365-login.com", "microsoft.com"),
            ("m365-verify.com", "microsoft.com"),
            ("msonline-login.com", "microsoft.com"),
            ("insta-verify.com", "instagram.com"),
            ("login-fb.com", "facebook.com"),
            ("login-secure-wapp.com", "whatsapp.com"),
            ("ntflx-login.com", "netflix.com"),
            ("verify-mcrsft.com", "microsoft.com"),
            ("ntflx-iniciarsesion.com", "netflix.com"),
            ("receitafederal-verify.com", "gov.br"),
            ("applepay-login.top", "apple.com"),
            ("login-fastrak.com", "bayareafastrak.org"),
            ("facebooook.com", "facebook.com"),
            ("facebooook-login.com", "facebook.com"),
            ("paypalll-support.com", "paypal.com"),
            ("www.microsoffft.com", "microsoft.com"),
            // Beside other words, below the domain of somebody, words and names of others, owners.
            ("fb-security.com", ""),
            ("insta-shop.com", ""),
            ("o365-consulting.com", ""),
            ("ntflx.com", ""),
            ("ntflx-security.com", ""),
            ("ntflx-login.evilhost.ru", ""),
            ("o365-login.evilhost.ru", ""),
            ("o365-login.microsoft.com", ""),
            ("applepay-guide.com", ""),
            ("applepay-login.apple.com", ""),
            ("applepay-login.evilhost.ru", ""),
            ("zzzz-login.com", ""),
            ("www.harbooour.com", ""),
            ("facebook.com", ""),
            ("hmmm-login.com", ""),
        ] {
            assert_eq!(asked(host), name, "{host}");
        }
    }
}
