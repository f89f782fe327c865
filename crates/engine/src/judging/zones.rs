//! Names that stand in front of a service's own domain as they are: a proxy of sessions, lists that are asked by DNS.

use crate::judged::Judged;
use crate::outcome::{Reason, Verdict};
use crate::programs::is_below;

/// Services that give nobody a name of his choice below theirs: Microsoft's proxy for sessions in the cloud, and lists of
/// names, which are asked for a name in front of their own.
const ZONES: [&str; 10] = [
    "cas.ms",
    "mcas.ms",
    "mcas-gov.us",
    "cas-gov.us",
    "dbl.spamhaus.org",
    "zen.spamhaus.org",
    "multi.surbl.org",
    "multi.uribl.com",
    "black.uribl.com",
    "uribl.spameatingmonkey.net",
];

impl Judged {
    /// Lowers the verdict of a host that holds a known name where such a service puts it.
    pub(super) fn downgrade_name_in_zone(&mut self) {
        let of_zone =
            |reason: Reason| reason.verdict() <= Verdict::Notice || reason == Reason::NameInHost;
        let Some(host) = self.host.as_ref() else { return };
        if self.verdict == Verdict::Suspect
            && self.reasons.contains(Reason::NameInHost)
            && self.reasons.iter().all(of_zone)
            && is_below(&host.ascii, &ZONES)
        {
            self.downgrade();
        }
    }
}
