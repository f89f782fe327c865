//! The fast path for a host of ASCII letters, digits, dots, hyphens and underscores that has no
//! reasons. One pass over the bytes, two allocations.

use super::{name_in_host, seeming_suffix};
use crate::protected::name::Name;
use crate::protected::names::Names;
use crate::spelling::form::NAME_CHARACTERS;
use crate::spelling::plain_label::{self, PlainLabel, PlainLabels};
use crate::{Context, Judgement, is_protected, question};

/// A host without reasons.
pub(crate) struct Plain {
    pub judgement: Judgement,
    pub names: NamesInside,
}

/// Whether a plain host has labels that read as a protected name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NamesInside {
    /// No label does, whatever is before the host.
    None,
    /// It is that name, or below it.
    Genuine,
}

/// The judgement of an inconspicuous host; `None` if the host needs the full judgement.
pub(crate) fn judge(spelling: &str, context: &Context<'_>) -> Option<Plain> {
    let name = spelling.strip_suffix('.').unwrap_or(spelling);
    if name.is_empty() || name.len() > NAME_CHARACTERS {
        return None;
    }
    let (protected, own) = (context.protected, context.own);
    let sets: &[&Names] = if own.is_empty() { &[protected] } else { &[protected, own] };
    let mut labels = PlainLabels::new();
    plain_label::read(name.as_bytes(), &mut labels)?;
    let separators = labels.iter().any(|label| label.has_separator);
    // The first label that may imitate a name.
    let suspect = labels.iter().enumerate().find(|(at, label)| {
        let after = labels.get(at + 1..).unwrap_or_default();
        let may_hold = |names: &&Names| name_in_host::may_hold(label, after, separators, names);
        may_imitate(label, after.first(), sets) || sets.iter().any(may_hold)
    });
    let ascii = name.to_ascii_lowercase();
    let [_, .., tld] = labels.as_slice() else { return None };
    let tld = ascii.get(tld.start..)?;
    let sound = tld.len() > 1 && tld.bytes().all(|byte| byte.is_ascii_lowercase());
    // What looks like a protected name usually is that name.
    if !sound
        || suspect.is_some_and(|(_, label)| !is_genuine(&ascii, label.start, context))
        || context.blocked.covers(&ascii)
    {
        return None;
    }
    if seeming_suffix::may_seem(&labels, sets) {
        return None;
    }
    let question = question(tld, context);
    let unicode = ascii.clone();
    let names = if suspect.is_some() { NamesInside::Genuine } else { NamesInside::None };
    let span = 0..spelling.len();
    let judgement = Judgement { ascii, unicode, question, span, ..Judgement::default() };
    Some(Plain { judgement, names })
}

/// Whether a host is a protected name or below one. If it is below a hoster's name, the customer
/// chose the labels before that name, and these may imitate; the first suspicious label begins at
/// byte `at`.
fn is_genuine(ascii: &str, at: usize, context: &Context<'_>) -> bool {
    let sets = [context.protected, context.own].into_iter();
    let name = sets.filter_map(|names| names.covering(ascii)).max_by_key(|name| name.len());
    let Some(name) = name else { return false };
    at >= ascii.len() - name.len() || is_protected(ascii, context.protected, context.own)
}

/// Whether the label has the look of a name that it may imitate. [`name_in_host::may_hold`] checks its
/// pieces between hyphens.
fn may_imitate(label: &PlainLabel<'_>, after: Option<&PlainLabel<'_>>, sets: &[&Names]) -> bool {
    sets.iter().any(|names| {
        let mut names = names.by_look(label.look.value());
        names.any(|name| !is_spelled_as(name, label.bytes) || is_followed_by_suffix(name, after))
    })
}

/// A label spelled as in the name never counts by itself (`mail.example.org` beside `mail.ru`).
fn is_spelled_as(name: &Name, label: &[u8]) -> bool {
    name.labels
        .get(name.brand)
        .is_some_and(|(brand, _)| label.eq_ignore_ascii_case(brand.as_bytes()))
}

/// Whether the whole name may be there (`mail.ru.attack.test`, `paypal.corn`).
fn is_followed_by_suffix(name: &Name, after: Option<&PlainLabel<'_>>) -> bool {
    name.after_brand.is_some() && after.map(|label| label.look.value()) == name.after_brand
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hosts::judged_host::JudgedHost;
    use uts58::tlds::TldTable;

    #[test]
    fn the_fast_path_says_what_the_slow_one_says() {
        let protected = Names::new(["mail.ru", "paypal.com", "modern.example", "my-bank.co.uk"]);
        let (none, tlds) = (Names::default(), TldTable::new(["com", "org", "ru", "uk"], ""));
        let context = crate::tests::context(&protected, &none, &tlds);
        let labels = [
            "mail", "MAIL", "mai1", "www", "ru", "rn", "paypal", "paypa1", "com", "corn", "org",
            "my-bank", "my-bamk", "paypal-login", "paypa1-login", "co", "uk", "modem",
        ];
        // If there is a fast judgement, it equals the full one.
        let agree = |host: &str| {
            let Some(Plain { judgement, .. }) = judge(host, &context) else { return false };
            let whole = JudgedHost::judge(host, &context).judgement(0..host.len());
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
            "wwwpaypal", "wwwwpaypal", "www-paypalcom", "paypalcom", "wwwmy-bank",
            "www-my-bankcom", "my-bank-login", "login-my-bank", "com-my-bank-login",
            "login-paypal-com", "wwwwhatever",
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

    /// The label of a hoster itself is genuine; the labels before it may imitate.
    #[test]
    fn customers_of_hosters_are_plain_where_their_own_labels_are() {
        let (protected, none) = (Names::builtin(), Names::default());
        let tlds = TldTable::new(["com", "io", "net"], "");
        let context = crate::tests::context(&protected, &none, &tlds);
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
            let fast = judge(host, &context).map(|plain| plain.judgement);
            assert_eq!(fast.is_some(), plain, "{host}");
            let whole = JudgedHost::judge(host, &context).judgement(0..host.len());
            let alike = fast.is_none_or(|fast| {
                (fast.verdict, fast.reasons, fast.edit)
                    == (whole.verdict, whole.reasons, whole.edit)
            });
            assert!(alike, "{host}: {whole:?}");
        }
    }
}
