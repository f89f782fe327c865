//! A protected name in a label without a sign between it and what stands beside it: `wwwpaypal.com`, `paypalcom.top`,
//! `paypalverify.com`.

use super::host_words::{MIN_BRAND_IN_LABEL, SEPARATORS, is_common, spelled};
use crate::characters::lookalike::LookHash;
use crate::protected::name::{MIN_BRAND, Name};
use crate::protected::names::Names;

/// What is glued to the front of a name only as if it were no part of it, beside `www`, of which a letter may be missing:
/// products are named with `secure` at the end.
const FRONTS: [&str; 5] = ["https", "http", "my", "secure", "ww"];

/// What is glued to either end of a name as if it were no part of it: words of those who ask for something.
#[rustfmt::skip]
pub(crate) const ENDS: [&str; 15] = [
    "account", "billing", "customer", "helpdesk", "konto", "login", "refund", "security", "sicherheit",
    "signin", "support", "unlock", "update", "verification", "verify",
];

/// All that is glued to the front of a name.
fn fronts() -> impl Iterator<Item = &'static str> {
    FRONTS.into_iter().chain(ENDS)
}

/// The name in a label where a dot was left out, or a word stands glued to it.
pub(super) fn find<'n>(label: &str, names: &'n Names) -> Option<&'n Name> {
    let named = |rest: &str| {
        let com = rest.strip_suffix("com").map(|rest| rest.trim_end_matches(SEPARATORS));
        let mut long =
            [com, Some(rest)].into_iter().flatten().filter(|rest| rest.len() >= MIN_BRAND_IN_LABEL);
        long.find_map(|rest| spelled(rest, names))
    };
    if let Some(rest) = label.strip_prefix("www") {
        let rest = rest.trim_start_matches(SEPARATORS);
        // The extra `w` of `wwww` is a typing error, or the first letter of the name:
        // `wwwwhatsapp`.
        return named(rest).or_else(|| named(rest.trim_start_matches(['w', '-', '_'])));
    }
    let com = label.ends_with("com").then(|| named(label)).flatten();
    com.or_else(|| fronts().find_map(|front| named(label.strip_prefix(front)?))).or_else(|| {
        let mut ends = before_end(label.as_bytes(), names);
        let counts = |name: &&Name| {
            name.brand_len() >= MIN_BRAND_IN_LABEL
                || !is_common(name.label(), names.organisations())
        };
        ends.find_map(|end| spelled(label.get(..end)?, names).filter(counts))
    })
}

/// Where one of [`ENDS`] begins, wherever some name begins like what is in front of it.
fn before_end<'l>(label: &'l [u8], names: &'l Names) -> impl Iterator<Item = usize> {
    let mut look = LookHash::EMPTY;
    let letters = label.iter().enumerate().map_while(move |(at, byte)| {
        look.ascii(*byte);
        names.begins(look).then_some(at + 1)
    });
    letters.skip(MIN_BRAND).filter(|end| {
        let after = label.get(*end..).unwrap_or_default();
        ENDS.iter().any(|end| after.eq_ignore_ascii_case(end.as_bytes()))
    })
}

/// Whether an ASCII label may hold such a name: fast, may return `true` wrongly.
pub(super) fn may_hold(bytes: &[u8], names: &Names) -> bool {
    let known = |look: LookHash| names.by_look(look.value()).next().is_some();
    // What most fail on.
    let first = bytes.first().map(u8::to_ascii_lowercase);
    let begins = |front: &[u8]| {
        first == front.first().copied()
            && bytes.get(..front.len()).is_some_and(|found| found.eq_ignore_ascii_case(front))
    };
    let glued = |front: &str| {
        begins(front.as_bytes())
            && bytes.get(front.len()..).is_some_and(|rest| known(LookHash::of(rest)))
    };
    let ends = |end: &str| {
        let rest = bytes.split_at_checked(bytes.len().saturating_sub(end.len()));
        rest.is_some_and(|(rest, found)| {
            found.eq_ignore_ascii_case(end.as_bytes()) && known(LookHash::of(rest))
        })
    };
    bytes.len() > MIN_BRAND_IN_LABEL
        && (begins(b"www")
            || fronts().any(glued)
            || ends("com")
            || before_end(bytes, names).next().is_some())
}
