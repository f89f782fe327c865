//! How an ASCII host differs from the name that it resembles: `1 reads as l`, `one l more`.

use crate::characters::lookalike::{class, halves};
use crate::protected::near::{MIN_LETTERS, PAIRS, Slip, slip_between};

/// Letters that a label of a name must have to be compared with a label that has other letters of
/// the same look.
const MIN_LABEL: usize = 3;

/// How the host differs from the name that it resembles, in words. `None` if it differs in another
/// way, or only in letters beyond ASCII, which [`characters`](super::characters) describes.
///
/// ```
/// use homograph::explain::difference;
///
/// assert_eq!(difference("paypa1.com", "paypal.com").unwrap(), "1 reads as l");
/// assert_eq!(difference("my-googel.com", "google.com").unwrap(), "l and e have changed places");
/// ```
pub fn difference(host: &str, name: &str) -> Option<String> {
    let (host, name) = (host.to_ascii_lowercase(), name.to_ascii_lowercase());
    let brands = || name.split('.').map(str::as_bytes).filter(|label| label.len() >= MIN_LABEL);
    let words = || host.split('.').flat_map(words_of).map(str::as_bytes);
    let pairs = || brands().flat_map(|brand| words().map(move |word| (word, brand)));
    if name.rsplit('.').skip(1).any(|label| words().any(|word| word == label.as_bytes())) {
        return None;
    }
    pairs().find_map(|(word, brand)| twins(word, brand)).or_else(|| {
        let mut long = pairs().filter(|(_, brand)| brand.len() >= MIN_LETTERS);
        long.find_map(|(word, brand)| slip_between(word, brand)).map(in_words)
    })
}

/// A label and its parts between hyphens, each also without a leading `www`.
fn words_of(label: &str) -> impl Iterator<Item = &str> {
    let parts = label.split('-').filter(move |part| part.len() < label.len());
    let is_plain = |word: &&str| word.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-');
    let words = std::iter::once(label).chain(parts).filter(is_plain);
    words.flat_map(|word| [Some(word), word.strip_prefix("www")]).flatten()
}

/// Which letters look like others, if all other letters of the word are those of the label.
fn twins(word: &[u8], label: &[u8]) -> Option<String> {
    let (mut rest, mut found) = (word, Vec::new());
    for letter in label {
        let ([first, behind @ ..], meant) = (rest, char::from(*letter)) else { return None };
        let difference_of_letter = match behind {
            _ if first == letter => None,
            [second, ..] if read_as_one([*first, *second], *letter) => {
                rest = behind;
                Some(format!("{}{} reads as {meant}", char::from(*first), char::from(*second)))
            }
            _ if class(*first) == class(*letter) => {
                Some(format!("{} reads as {meant}", char::from(*first)))
            }
            _ => return None,
        };
        rest = rest.get(1..)?;
        found.extend(difference_of_letter);
    }
    found.dedup();
    (rest.is_empty() && !found.is_empty()).then(|| found.join(", "))
}

/// Whether two letters, side by side, look like this one.
fn read_as_one(two: [u8; 2], letter: u8) -> bool {
    halves(letter) == Some(two) || PAIRS.iter().any(|(pair, one)| *pair == two && *one == letter)
}

fn in_words(slip: Slip) -> String {
    let text = char::from;
    match slip {
        Slip::More(letter) => format!("one {} more", text(letter)),
        Slip::Less(letter) => format!("one {} less", text(letter)),
        Slip::Other { found, meant } => format!("{} in the place of {}", text(found), text(meant)),
        Slip::Swapped(one, other) => {
            format!("{} and {} have changed places", text(one), text(other))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differences_in_words() {
        for (host, name, words) in [
            ("paypa1.com", "paypal.com", "1 reads as l"),
            ("www.PAYPA1.com", "paypal.com", "1 reads as l"),
            ("g00gle.com", "google.com", "0 reads as o"),
            ("g0og1e.com", "google.com", "0 reads as o, 1 reads as l"),
            ("rnicrosoft.com", "microsoft.com", "rn reads as m"),
            ("clropbox-login.com", "dropbox.com", "cl reads as d"),
            ("nnicrosoft.com", "microsoft.com", "nn reads as m"),
            ("llnkedln.com", "linkedin.com", "l reads as i"),
            ("vvhatsapp.com", "whatsapp.com", "vv reads as w"),
            ("paypall.com", "paypal.com", "one l more"),
            ("micosoft-login.com", "microsoft.com", "one r less"),
            ("googel.com", "google.com", "l and e have changed places"),
            ("wwwfazebook.com", "facebook.com", "z in the place of c"),
            ("login.my-amazom.example", "amazon.com", "m in the place of n"),
        ] {
            assert_eq!(difference(host, name).as_deref(), Some(words), "{host} {name}");
        }
    }

    #[test]
    fn where_nothing_of_the_kind_differs() {
        for (host, name) in [
            ("paypal.com", "paypal.com"),
            ("paypal.com-login.top", "paypal.com"),
            ("my-paypal.com", "paypal.com"),
            ("раypal.com", "paypal.com"),
            ("example.org", "paypal.com"),
            ("paypal\u{1b}.com", "paypal.com"),
            ("<paypal.com", "paypal.com"),
            ("", "paypal.com"),
            ("paypal.com", ""),
            ("a.b", "c.d"),
        ] {
            assert_eq!(difference(host, name), None, "{host} {name}");
        }
    }
}
