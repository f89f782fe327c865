//! Reports of DMARC, as XML: what domains were used, lies among them (RFC 7489 Appendix C).

use std::ops::Range;

use crate::judging::judged::Judged;
use mailsplice::mime::{Media, Reading};

/// Elements that hold a domain.
const DOMAINS: [&str; 4] = ["domain>", "header_from>", "envelope_from>", "envelope_to>"];

/// Bytes at the start of a report in which its root stands.
const ROOT: usize = 1_024;

impl Judged {
    /// Lowers the verdict of a domain of a report, which no program shows as it reads: it is in ASCII.
    pub(super) fn downgrade_reported(
        &mut self,
        reading: &Reading<'_>,
        host: &str,
        place: &Range<usize>,
    ) {
        if !host.is_ascii() || reading.media == Media::Html {
            return;
        }
        let text = reading.text.as_str();
        let before = text.get(..place.start).unwrap_or_default();
        let is_domain = DOMAINS.iter().any(|name| before.ends_with(name))
            && text.get(place.start..place.end) == Some(host)
            && text.get(place.end..).is_some_and(|after| after.starts_with("</"));
        let start = text.get(..text.floor_char_boundary(ROOT)).unwrap_or_default();
        if is_domain && start.trim_start().starts_with('<') && start.contains("<feedback") {
            self.downgrade();
        }
    }
}
