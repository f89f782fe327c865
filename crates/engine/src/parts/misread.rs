//! Lowers the verdict of hosts whose bytes were read in a charset that the sender did not mean.

use std::borrow::Cow;
use std::cell::LazyCell;

use super::super::judging::is_undecoded;
use super::super::outcome::{Reason, Verdict};
use super::OpenReading;
use crate::judging::judged::{Judged, are_about_letters};
use homograph::{Judgement, Label};
use mailsplice::mime::Reading;
use uts58::{Kind, Link};

impl Judged {
    /// Lowers the verdict to a notice if what counts against the link are hosts that this reading misreads. `written`
    /// is its host as the part has it: bytes that are not shown may be the rest of a character.
    pub(super) fn downgrade_misread<'t>(
        &mut self,
        open: &OpenReading<'_>,
        (text, link): (&str, &Link),
        written: impl FnOnce() -> Option<&'t str>,
    ) {
        let reading = open.reading;
        let host = link.host_str(text);
        if reading.may_be_misread() {
            self.downgrade_misread_signs();
        }
        if self.verdict <= Verdict::Notice {
            return;
        }
        // Only where it differs.
        let written = LazyCell::new(|| written().filter(|written| *written != host));
        let only = self.inner.is_empty().then_some(host);
        self.downgrade_misread_hosts(|judgement| {
            are_about_letters(judgement.reasons)
                && (open.is_utf8_misread(&spelling(judgement, only))
                    || written.is_some_and(|written| open.is_utf8_misread(written)))
        });
        self.downgrade_misread_hosts(|host| cannot_be_opened(host, reading) && written.is_none());
        if reading.is_least_likely()
            || reading.splits_wide() && written.is_some_and(|written| written.contains('\0'))
        {
            self.downgrade_misread_hosts(|host| !host.unicode.is_ascii() && !imitates(host));
        }
        if self.target().is_none() {
            let is_shifted = || written.is_some_and(|written| written.contains('+'));
            let is_shifted_by_chance = reading.is_guessed_utf7()
                && !(matches!(link.kind, Kind::Scheme | Kind::Www) && is_shifted());
            let link = text.get(link.span.clone()).unwrap_or_default();
            if is_shifted_by_chance || reading.is_punctuation(link) {
                self.downgrade();
            }
        }
        if reading.may_be_mistaken() {
            self.downgrade_misread_hosts(|host| {
                !imitates(host)
                    && !host.reasons.contains(Reason::NameInHost)
                    && reading.is_mistaken(&spelling(host, only))
            });
        }
    }
}

/// The host as it is spelled, which is known of the only one of a link; empty for a plain host of ASCII.
fn spelling<'h>(host: &Judgement, only: Option<&'h str>) -> Cow<'h, str> {
    only.map_or_else(
        || {
            let labels: Vec<&str> =
                host.labels.iter().map(|Label { spelling, .. }| &**spelling).collect();
            Cow::Owned(labels.join("."))
        },
        Cow::Borrowed,
    )
}

/// Whether the whole host looks like a protected name.
fn imitates(host: &Judgement) -> bool {
    host.target.is_some() && host.span.start == 0
}

/// Whether a program that reads the part like this opens nothing (WHATWG URL §3.5), since the host has undecodable
/// bytes or controls that no keyboard writes. A program that reads it in another charset is covered by its own reading.
fn cannot_be_opened(host: &Judgement, reading: &Reading<'_>) -> bool {
    let is_left_over =
        |c: char| is_undecoded(c) && (c == char::REPLACEMENT_CHARACTER || reading.may_be_misread());
    host.target.is_none()
        && !host.reasons.contains(Reason::BidiControl)
        && host.labels.iter().any(|label| label.spelling.contains(is_left_over))
}
