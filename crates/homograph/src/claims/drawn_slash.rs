//! A protected name in front of another domain, with a suffix that a letter or a number behind it makes look like the
//! whole site and a slash (`www.example.comIsignin.top`, `example.com1login.top`), or with `com` that is not its own
//! suffix (`example.com.top` of `example.de`). Only the position misleads.

use crate::hosts::glued_name::ENDS;
use crate::hosts::host_words::{SEPARATORS, is_common, spelled};
use crate::protected::name::{MIN_BRAND, Name};
use crate::protected::names::Names;
use crate::protected::near::MIN_LETTERS;

/// Suffixes that readers take for the end of any site.
const SUFFIXES: [&str; 3] = ["com", "net", "org"];

/// The name in front of such a suffix, among these labels, the last of which is that of the other domain.
pub(super) fn find<'n, 'h>(
    labels: impl Iterator<Item = &'h str>,
    protected: &'n Names,
) -> Option<&'n Name> {
    let mut before: Option<&str> = None;
    labels.into_iter().find_map(|label| {
        let brand = before.replace(label)?;
        let suffix = SUFFIXES.into_iter().find(|suffix| label.starts_with(suffix))?;
        let behind = label.strip_prefix(suffix)?;
        let named = [Some(brand), brand.rsplit(SEPARATORS).next()].into_iter().flatten();
        named.filter_map(|brand| spelled(brand, protected)).find(|name| {
            let is_own = name.ascii.rsplit('.').next() == Some(suffix);
            match behind.is_empty() || behind.starts_with(SEPARATORS) {
                true => suffix == "com" && !is_own && is_known_alone(name, protected),
                false => {
                    (is_own || suffix == "com") && is_drawn(behind) && name.brand_len() >= MIN_BRAND
                }
            }
        })
    })
}

/// Whether nobody else is named so, and it is no word.
fn is_known_alone(name: &Name, protected: &Names) -> bool {
    name.brand_len() >= MIN_LETTERS && !is_common(name.label(), protected.organisations())
}

/// Whether what goes on behind a suffix reads as a slash, alone or before a word that asks for something, or begins with
/// a number.
fn is_drawn(behind: &str) -> bool {
    const STROKES: [char; 5] = ['i', 'j', 'l', '1', '7'];
    let rest = |strokes: usize| {
        behind.get(strokes..).filter(|_| {
            behind.bytes().take(strokes).all(|byte| STROKES.contains(&char::from(byte)))
        })
    };
    let asks = |rest: &str| rest.is_empty() || ENDS.iter().any(|word| rest.starts_with(word));
    behind.starts_with(|c: char| c.is_ascii_digit()) || (1..=2).filter_map(rest).any(asks)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_before_drawn_slashes() {
        let names = Names::builtin();
        for (host, domain) in [
            ("www.paypal.comisignin.example-hub", Some("paypal.com")),
            ("paypal.comllogin.example", Some("paypal.com")),
            ("www.paypal.com1login", Some("paypal.com")),
            ("my-paypal.com24h.x", Some("paypal.com")),
            ("paypal.coml.x", Some("paypal.com")),
            ("paypal.community.x", None),
            ("paypal.company.x", None),
            ("paypal.comic.x", None),
            ("paypal.network.x", None),
            ("paypal.net1.x", None),
            ("sparkasse.com.verify", Some("sparkasse.de")),
            ("www.metamask.com-login", Some("metamask.io")),
            ("sparkasse.de.verify", None),
            ("signal.com.verify", None),
            ("example.com.verify", None),
        ] {
            let found = find(host.split('.'), &names);
            assert_eq!(found.map(|name| &*name.ascii), domain, "{host}");
        }
    }
}
