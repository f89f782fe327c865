//! Links that only some programs find: honest mail has such, so that they count only where they lie.

use super::content::{Occurrence, SeenBy};
use super::judging::{Judge, Judged};
use super::outcome::{Reason, Verdict};
use uts58::Target;

impl Judge<'_> {
    /// Whether a link of this text leads to a host that deceives: a scheme that runs code is not enough.
    pub fn is_lie(&self, text: &str, occurrence: &Occurrence, judged: &Judged) -> bool {
        let Target::Link(link) = &occurrence.target else { return false };
        match occurrence.seen_by {
            SeenBy::GoingOn { end } => {
                let name = text.get(link.host.start..end).unwrap_or_default();
                self.is_protected(&name.to_ascii_lowercase())
            }
            SeenBy::Greedy => judged.verdict >= Verdict::Unsafe && self.names_somebody(judged),
            _ => judged.verdict >= Verdict::Unsafe,
        }
    }

    /// Whether a protected name stands in front of the `@`, or what reads as one, and none behind it: most addresses
    /// are of a few hosts that are themselves known.
    fn names_somebody(&self, judged: &Judged) -> bool {
        let known = |ascii: &str| self.is_protected(ascii);
        judged.reasons.contains(Reason::Userinfo)
            && !judged.host.as_ref().is_some_and(|host| known(&host.ascii))
            && judged.inner.iter().any(|host| host.target.is_some() || known(&host.ascii))
    }
}
