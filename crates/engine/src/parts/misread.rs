//! Lowers the verdict of hosts whose bytes were read in a charset that the sender did not mean.

use super::super::judged::{Judged, are_about_letters};
use super::super::outcome::{Reason, Verdict};
use homograph::{Judgement, Label};
use mailsplice::mime::Reading;

impl Judged {
    /// Lowers the verdict to a notice if what counts against the link are hosts that this reading misreads. `host` is
    /// the host of the link in the text that was searched, `written` as the part has it: bytes that are not shown may
    /// be the rest of a character.
    pub(super) fn downgrade_misread<'t>(
        &mut self,
        reading: &Reading<'_>,
        host: &str,
        written: impl FnOnce() -> Option<&'t str>,
    ) {
        if reading.may_be_misread() {
            self.downgrade_misread_signs();
        }
        if self.verdict <= Verdict::Notice {
            return;
        }
        let written = written().filter(|written| *written != host);
        let is_whole = written.is_none();
        let rewritten_utf8 = written.is_some_and(|written| reading.is_utf8_misread(written));
        self.downgrade_misread_hosts(|judgement| {
            let spelling = spelling(judgement);
            let is_utf8 = rewritten_utf8 || reading.is_utf8_misread(&spelling);
            is_utf8 && are_about_letters(judgement.reasons)
        });
        self.downgrade_misread_hosts(|host| is_whole && cannot_be_opened(host, reading));
        if reading.is_least_likely() || written.is_some_and(|text| reading.is_wide_misread(text)) {
            self.downgrade_misread_hosts(|host| !host.unicode.is_ascii() && !imitates(host));
        }
        self.downgrade_misread_hosts(|host| {
            let spelling = spelling(host);
            let is_misread =
                reading.is_drawn(&spelling) || reading.is_multi_byte_misread(&spelling);
            is_misread && !imitates(host)
        });
    }
}

/// The host as it is spelled; empty for a plain host of ASCII.
fn spelling(host: &Judgement) -> String {
    let labels: Vec<&str> = host.labels.iter().map(|Label { spelling, .. }| &**spelling).collect();
    labels.join(".")
}

/// Whether the whole host looks like a protected name.
fn imitates(host: &Judgement) -> bool {
    host.target.is_some() && host.span.start == 0
}

/// Whether a program that reads the part like this opens nothing (WHATWG URL §3.5), since the host has undecodable
/// bytes or controls that no keyboard writes. A program that reads it in another charset is covered by its own reading.
fn cannot_be_opened(host: &Judgement, reading: &Reading<'_>) -> bool {
    let is_left_over = |c: char| match c {
        char::REPLACEMENT_CHARACTER => true,
        '\u{80}'..='\u{9F}' => reading.may_be_misread(),
        _ => false,
    };
    host.target.is_none()
        && !host.reasons.contains(Reason::BidiControl)
        && spelling(host).contains(is_left_over)
}
