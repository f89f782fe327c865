//! The fast path: a host of ASCII letters, digits, dots, hyphens and underscores that nobody has
//! anything to say of. One pass over the bytes, two allocations.

use super::lookalike::LookHash;
use super::names::{Name, Names};
use super::{Context, Judgement, inside, is_protected, question};
use uts58::unicode::a_label::has_a_label;

const LABEL_OCTETS: usize = 63;
const NAME_CHARACTERS: usize = 253;

/// The judgement of an inconspicuous host; `None` when the host needs a closer look.
pub(super) fn judge(spelling: &str, context: &Context<'_>) -> Option<Judgement> {
    let name = spelling.strip_suffix('.').unwrap_or(spelling);
    if name.is_empty() || name.len() > NAME_CHARACTERS {
        return None;
    }
    let (protected, own) = (context.protected, context.own);
    let sets: &[&Names] = if own.is_empty() { &[protected] } else { &[protected, own] };
    let hyphens = memchr::memchr(b'-', name.as_bytes()).is_some();
    // Where the first familiar label begins.
    let (mut familiar, mut at) = (None, 0);
    let mut labels = name.as_bytes().split(|byte| *byte == b'.').peekable();
    while let Some(label) = labels.next() {
        if read(label, labels.peek().copied(), hyphens, sets)? == Look::Familiar {
            familiar = familiar.or(Some(at));
        }
        at += label.len() + 1;
    }
    let ascii = name.to_ascii_lowercase();
    let (_, tld) = ascii.rsplit_once('.')?;
    let sound = tld.len() > 1 && tld.bytes().all(|byte| byte.is_ascii_lowercase());
    // What looks like a protected name is most often just that.
    if !sound
        || familiar.is_some_and(|at| !is_rightly_familiar(&ascii, at, context))
        || context.blocked.covers(&ascii)
    {
        return None;
    }
    let question = question(tld, context);
    let unicode = ascii.clone();
    Some(Judgement { ascii, unicode, question, span: 0..spelling.len(), ..Judgement::default() })
}

/// Whether a host is a protected name or below one. Of what a hoster gave to a customer, the labels in front
/// of the hoster's name may look like nobody's: the first that looks like one begins `at` this byte.
fn is_rightly_familiar(ascii: &str, at: usize, context: &Context<'_>) -> bool {
    let sets = [context.protected, context.own].into_iter();
    let name = sets.filter_map(|names| names.covering(ascii)).max_by_key(|name| name.len());
    let Some(name) = name else { return false };
    at >= ascii.len() - name.len() || is_protected(ascii, context.protected, context.own)
}

/// What a byte of a label is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Letter,
    Hyphen,
    Odd,
}

static KINDS: [Kind; 256] = {
    let mut kinds = [Kind::Odd; 256];
    let mut byte = 0;
    while byte < 256 {
        #[expect(clippy::indexing_slicing, reason = "evaluated by the compiler")]
        {
            kinds[byte] = match byte as u8 {
                b'a'..=b'z' | b'0'..=b'9' | b'A'..=b'Z' | b'_' => Kind::Letter,
                b'-' => Kind::Hyphen,
                _ => Kind::Odd,
            };
        }
        byte += 1;
    }
    kinds
};

/// Whether a label looks like that of a protected name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Look {
    Unknown,
    Familiar,
}

/// Reads a label, with the one behind it in view; `None` when it is not plain. `hyphens` says whether the host
/// has any.
fn read(label: &[u8], behind: Option<&[u8]>, hyphens: bool, sets: &[&Names]) -> Option<Look> {
    if label.is_empty() || label.len() > LABEL_OCTETS {
        return None;
    }
    let mut look = LookHash::EMPTY;
    let mut hyphenated = false;
    let mut twice = false;
    for byte in label {
        match KINDS.get(usize::from(*byte)) {
            Some(Kind::Letter) => {}
            Some(Kind::Hyphen) => {
                twice |= hyphenated;
                hyphenated = true;
            }
            _ => return None,
        }
        look.ascii(*byte);
    }
    let sound = label.first() != Some(&b'-')
        && label.last() != Some(&b'-')
        && label.get(2..4) != Some(b"--".as_slice())
        // An A-label may begin inside.
        && !(twice && has_a_label(label));
    if !sound {
        return None;
    }
    let mut familiar = known(label, look, behind, sets)
        || sets.iter().any(|names| inside::may_hold(label, behind, hyphens, names));
    if hyphenated {
        let mut tokens = label.split(|byte| *byte == b'-');
        familiar |= tokens.any(|token| known(token, LookHash::of(token), None, sets));
    }
    Some(if familiar { Look::Familiar } else { Look::Unknown })
}

/// Whether the label has the look of a name that it may pose as.
fn known(label: &[u8], look: LookHash, behind: Option<&[u8]>, sets: &[&Names]) -> bool {
    sets.iter().any(|names| {
        let mut names = names.by_look(look.value());
        names.any(|name| !is_itself(name, label) || stands_behind(name, behind))
    })
}

/// A label spelled as in the name never counts by itself (`mail.example.org` beside `mail.ru`).
fn is_itself(name: &Name, label: &[u8]) -> bool {
    name.labels
        .get(name.brand)
        .is_some_and(|(brand, _)| label.eq_ignore_ascii_case(brand.as_bytes()))
}

/// Whether the name may be there as a whole (`mail.ru.attack.test`, `paypal.corn`).
fn stands_behind(name: &Name, behind: Option<&[u8]>) -> bool {
    name.behind.is_some() && behind.map(|label| LookHash::of(label).value()) == name.behind
}

#[cfg(test)]
mod tests {
    use super::super::{HostBounds, judge_whole};
    use super::*;
    use crate::verdict::RestrictionLevel;
    use uts58::tlds::TldTable;

    #[test]
    fn the_fast_path_says_what_the_slow_one_says() {
        let protected = Names::new(["mail.ru", "paypal.com", "modern.example", "my-bank.co.uk"]);
        let (none, tlds) = (Names::default(), TldTable::new(["com", "org", "ru", "uk"], ""));
        let context = Context {
            level: RestrictionLevel::default(),
            protected: &protected,
            own: &none,
            blocked: &none,
            tlds: &tlds,
            bounds: HostBounds::Certain,
        };
        let labels = [
            "mail",
            "MAIL",
            "mai1",
            "www",
            "ru",
            "rn",
            "paypal",
            "paypa1",
            "com",
            "corn",
            "org",
            "my-bank",
            "my-bamk",
            "paypal-login",
            "paypa1-login",
            "co",
            "uk",
            "modem",
        ];
        // Whether there is a fast judgement; then it is the slow one.
        let agree = |host: &str| {
            let Some(judgement) = judge(host, &context) else { return false };
            let whole = judge_whole(host, &context);
            assert_eq!(judgement.verdict, whole.verdict, "{host}");
            assert_eq!(judgement.reasons, whole.reasons, "{host}");
            true
        };
        let mut fast = 0;
        for first in labels {
            for second in labels {
                for third in labels {
                    let host = format!("{first}.{second}.{third}");
                    fast += usize::from(agree(&host));
                }
            }
        }
        assert!(fast > labels.len().pow(3) / 5, "{fast}");
        let holding = [
            "wwwpaypal",
            "wwwwpaypal",
            "www-paypalcom",
            "paypalcom",
            "wwwmy-bank",
            "www-my-bankcom",
            "my-bank-login",
            "login-my-bank",
            "com-my-bank-login",
            "login-paypal-com",
            "wwwwhatever",
        ];
        for held in holding {
            for label in labels {
                agree(&format!("{held}.{label}"));
                agree(&format!("{held}.{label}.org"));
                agree(&format!("{label}.{held}.org"));
            }
        }
        for host in ["mail.example.org", "www.paypal.com", "paypal.org", "mail.org.ru"] {
            assert!(judge(host, &context).is_some(), "{host}");
        }
        for host in ["mai1.example.org", "mail.ru.attack.org", "paypal.corn", "paypa1-login.org"] {
            assert!(judge(host, &context).is_none(), "{host}");
        }
    }

    /// Below the name of a hoster its own label looks like it, as it should; those in front may be a lie.
    #[test]
    fn customers_of_hosters_are_plain_where_their_own_labels_are() {
        let (protected, none) = (Names::builtin(), Names::default());
        let tlds = TldTable::new(["com", "io", "net"], "");
        let context = Context {
            level: RestrictionLevel::default(),
            protected: &protected,
            own: &none,
            blocked: &none,
            tlds: &tlds,
            bounds: HostBounds::Certain,
        };
        for (host, plain) in [
            ("my_bucket.s3.amazonaws.com", true),
            ("x.s3.amazonaws.com", true),
            ("example.github.io", true),
            ("x.z13.web.core.windows.net", true),
            ("paypal.github.io", true),
            ("paypa1.s3.amazonaws.com", false),
            ("paypa1-login.github.io", false),
            ("my-paypal.s3.amazonaws.com", false),
            ("paypal.com.s3.amazonaws.com", false),
        ] {
            let fast = judge(host, &context);
            assert_eq!(fast.is_some(), plain, "{host}");
            let whole = judge_whole(host, &context);
            let alike = fast.is_none_or(|fast| {
                (fast.verdict, fast.reasons, fast.edit)
                    == (whole.verdict, whole.reasons, whole.edit)
            });
            assert!(alike, "{host}: {whole:?}");
        }
    }
}
