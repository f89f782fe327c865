//! Links that only some programs find. Honest mail has such links too, so that they count only if they are deceptive.

use super::content::{Occurrence, SeenBy};
use super::judging::{Judge, Judged};
use super::outcome::{Reason, Verdict};
use uts58::Target;

impl Judge<'_> {
    /// Whether a link of this text leads to a deceptive host. A scheme that runs code is not enough.
    pub fn is_deceptive(&self, text: &str, occurrence: &Occurrence, judged: &Judged) -> bool {
        let Target::Link(link) = &occurrence.target else { return false };
        match occurrence.seen_by {
            SeenBy::Continued { end } => {
                let name = text.get(link.host.start..end).unwrap_or_default();
                self.is_protected(&name.to_ascii_lowercase())
            }
            SeenBy::Greedy => judged.verdict >= Verdict::Unsafe && self.has_protected_user(judged),
            _ => judged.verdict >= Verdict::Unsafe,
        }
    }

    /// Whether a protected name, or what looks like one, stands before the `@`, and none after it: most mail addresses
    /// are at a few hosts that are protected themselves.
    fn has_protected_user(&self, judged: &Judged) -> bool {
        let is_protected = |ascii: &str| self.is_protected(ascii);
        judged.reasons.contains(Reason::Userinfo)
            && !judged.host.as_ref().is_some_and(|host| is_protected(&host.ascii))
            && judged.inner.iter().any(|host| host.target.is_some() || is_protected(&host.ascii))
    }
}
