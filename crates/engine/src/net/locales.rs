//! Hosts in bytes of a charset that nobody names: many programs then take that of the reader's system.
//!
//! Read are the windows after a scheme and behind `www.` whose bytes are no UTF-8, in parts without a charset, and in those
//! labelled as UTF-8: the commonest wrong label. In parts without a charset so are hosts that only a reading finds. A misread
//! host of an honest text is no twin of a known name in mixed letters, nor, if most of it is ASCII, one in letters of Latin
//! that is unsafe, so that only such a twin counts.

use super::deceptive::deceptive_judgement;
use super::host::{WWW, ends_host, host_of, is_behind_www};
use super::window::{Letter, octets, text};
use super::{BytesOrigin, Net, WINDOW, is_after_scheme, is_twin};
use crate::cost::Stage;
use crate::judging::{Judge, Judged, TldStatus};
use crate::outcome::{Edit, Reason, Verdict};
use mailsplice::mime::{Charset, Transfer};
use std::ops::Range;
use uts58::tlds::TldSet;
use uts58::unicode::{Class, is_dot_to_somebody};

/// Bytes of a host that are read in each charset: no known name with labels in front of it is as long.
const LONGEST: usize = 128;

/// Bytes beyond ASCII in a row behind a host that are text.
const ROW: usize = 4;

/// Bytes beyond ASCII that are decoded first: few misread hosts hold as many letters that are read as one of ASCII.
const FRONT: usize = 8;

/// Letters in front of the domain of a bare host that are read in other charsets: a letter or two of a misread word are a
/// known name in some.
const SHORTEST: usize = 4;

/// Characters of which bytes may be missing where a window is cut off (GB 18030 has four).
const CUT: usize = 3;

/// Steps of decoding a window in one charset, and of each of its bytes: what it spells is compared with names.
const DECODED_STEPS: u64 = 64;
const DECODED_STEPS_PER_BYTE: u64 = 2;

/// A window that is decoded in several charsets.
pub struct LocalWindow {
    octets: Vec<(u8, Range<usize>)>,
}

impl LocalWindow {
    /// The window at an offset, up to what ends a host and is no second byte of a character. `None` if it is UTF-8.
    pub fn at(bytes: &[u8], at: usize) -> Option<LocalWindow> {
        let ends = |byte: &u8| {
            byte.is_ascii_whitespace() || matches!(byte, b'/' | b'"' | b'\'' | b'<' | b'>' | b'?')
        };
        let rest = bytes.get(at..)?;
        let rest = rest.get(..WINDOW).unwrap_or(rest);
        let window = rest.get(..rest.iter().position(ends).unwrap_or(rest.len()))?;
        // What nearly all fail on.
        if std::str::from_utf8(window).is_ok() && !window.array_windows().any(is_high_escape) {
            return None;
        }
        let mut octets = octets(window);
        octets.truncate(LONGEST);
        // Where text goes on behind a host without a blank, it seldom holds another dot.
        let mut behind = octets.iter().skip_while(|(byte, _)| byte.is_ascii());
        if !behind.any(|(byte, _)| *byte == b'.') {
            return None;
        }
        let decoded: Vec<u8> = octets.iter().map(|(byte, _)| *byte).collect();
        std::str::from_utf8(&decoded).is_err().then_some(LocalWindow { octets })
    }

    /// A host that a reading has decoded in a charset of single bytes, without characters that mapping removes, which a page
    /// may name that has no bytes for them. `None` if the charset has not all of its letters.
    fn of_host(host: &str, read_in: Charset) -> Option<LocalWindow> {
        let mapped = || host.char_indices().filter(|(_, c)| !Class::of(*c).is_ignored());
        let letters: String = mapped().map(|(_, c)| c).collect();
        let bytes = read_in.encode(&letters)?;
        let ends = mapped().map(|(at, c)| at..at + c.len_utf8());
        let octets: Vec<_> = bytes.into_iter().zip(ends).collect();
        (octets.len() <= LONGEST).then_some(LocalWindow { octets })
    }

    /// The window in a charset.
    fn letters(&self, charset: Charset) -> Vec<Letter> {
        let bytes: Vec<u8> = self.octets.iter().map(|(byte, _)| *byte).collect();
        let decoded = charset.decode(bytes.into());
        let place = |range: Range<usize>| {
            let range = decoded.source(range);
            let first = self.octets.get(range.start).map_or(0, |(_, raw)| raw.start);
            let last = range.end.checked_sub(1).and_then(|last| self.octets.get(last));
            first..last.map_or(first, |(_, raw)| raw.end)
        };
        let letters = decoded.as_str().char_indices();
        letters.map(|(at, c)| Letter { c, raw: place(at..at + c.len_utf8()) }).collect()
    }

    /// The host as it reads in a charset.
    fn host(&self, charset: Charset) -> String {
        text(host_of(&self.letters(charset)))
    }

    /// The charsets that it is read in. Of letters of Latin a disguise changes a few.
    fn charsets(&self) -> impl Iterator<Item = Charset> + use<> {
        let wide = self.octets.iter().filter(|(byte, _)| !byte.is_ascii()).count();
        let is_latin = 2 * wide < self.octets.len();
        let latin = is_latin.then(Charset::of_latin_systems).into_iter().flatten();
        Charset::of_systems().chain(latin)
    }

    /// The letters of the first reading in which the host is a known name in other letters. Only where no label is there
    /// all readings with letters of another script are judged, which takes longest: else those that spell a known name.
    pub fn twin(&self, judge: &mut Judge<'_>, labelled: Charset) -> Option<(Vec<Letter>, Judged)> {
        let counted = match labelled {
            Charset::Utf8 => Counted::Spelled,
            _ => Counted::OfOtherScript,
        };
        self.twin_counted(judge, counted)
    }

    /// The same of those readings that count.
    fn twin_counted(
        &self,
        judge: &mut Judge<'_>,
        counted: Counted,
    ) -> Option<(Vec<Letter>, Judged)> {
        let bytes: Vec<u8> = self.octets.iter().map(|(byte, _)| *byte).collect();
        let mut wide = bytes.iter().enumerate().filter(|(_, byte)| !byte.is_ascii());
        let front = wide.nth(FRONT).and_then(|(end, _)| bytes.get(..end));
        // Many charsets have the same letters at the same bytes.
        let mut read: Vec<String> = Vec::new();
        self.charsets().find_map(|charset| {
            if front.is_some_and(|front| !may_begin_twin(&charset.text_of(front))) {
                return None;
            }
            let decoded = charset.text_of(&bytes);
            if read.iter().any(|one| *one == decoded) || !may_be_twin(&decoded, judge.tlds()) {
                return None;
            }
            let is_judged =
                counted == Counted::OfOtherScript && decoded.contains(is_of_other_script);
            let may_count = is_judged || spells_known_name(&decoded, judge);
            read.push(decoded.into_owned());
            if !may_count {
                return None;
            }
            let letters = self.letters(charset);
            let host = text(host_of(&letters));
            let judgement = deceptive_judgement(&host, judge)?;
            let scripts = [Reason::MixedScript, Reason::WholeScript];
            let is_mixed = scripts.into_iter().any(|reason| judgement.reasons.contains(reason));
            let is_certain = match host.contains(is_of_other_script) {
                true => is_mixed,
                false => judgement.verdict == Verdict::Unsafe,
            };
            (is_twin(&judgement) && is_certain)
                .then(|| (letters, Judged::of(judgement, TldStatus::Link)))
        })
    }

    /// Whether text goes on without a blank behind a host of ASCII, as in languages that have none: no letter of a name is
    /// among so many bytes.
    fn is_behind_host(&self, tlds: &dyn TldSet) -> bool {
        let front = self.octets.iter().map(|(byte, _)| *byte).take_while(u8::is_ascii);
        let front: String = front.map(char::from).collect();
        let behind = self.octets.iter().skip(front.len());
        let row = behind.take_while(|(byte, _)| !byte.is_ascii()).count();
        row >= ROW && front.rsplit_once('.').is_some_and(|(_, tld)| tlds.exists_as(tld))
    }

    /// Steps of reading it in each charset.
    pub fn steps(&self) -> u64 {
        let each = DECODED_STEPS + DECODED_STEPS_PER_BYTE * self.octets.len() as u64;
        self.charsets().count() as u64 * each
    }
}

/// Which readings of a window are judged.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Counted {
    /// Those with letters of another script, and those that spell a known name.
    OfOtherScript,
    /// Those that spell a known name.
    Spelled,
}

/// The judgement of a host that a reading has in a charset which nobody names, if it is a known name in the letters of
/// another; as far as `spend` grants the steps. Of bare ones, which may be words, only those that anybody takes for it.
pub fn twin_elsewhere(
    (host, is_bare): (&str, bool),
    read_in: Charset,
    judge: &mut Judge<'_>,
    spend: impl FnOnce(u64) -> bool,
) -> Option<Judged> {
    let (front, _) = host.rsplit_once(is_dot_to_somebody)?;
    if is_bare && front.chars().nth(SHORTEST - 1).is_none() {
        return None;
    }
    let window = LocalWindow::of_host(host, read_in).filter(|window| spend(window.steps()))?;
    let counted = if is_bare { Counted::Spelled } else { Counted::OfOtherScript };
    let (_, judged) = window.twin_counted(judge, counted)?;
    (!is_bare || judged.edit == Edit::Anywhere).then_some(judged)
}

/// Whether the net reads a host, at this place of the text of a part, in the charsets of systems: in one piece behind a
/// scheme or `www.`, where the bytes of the message have these.
pub fn reads_in_locales(
    (text, transfer): (&str, Transfer),
    place: Range<usize>,
    host: &str,
) -> bool {
    let (bytes, at) = (text.as_bytes(), place.start);
    text.get(place).is_some_and(|written| written == host)
        && match transfer {
            Transfer::Identity | Transfer::QuotedPrintable => {
                is_after_scheme(bytes, at) || is_behind_www(bytes, at + WWW)
            }
            Transfer::Base64 => is_after_scheme(bytes, at),
            _ => false,
        }
}

/// Whether this is an escape of an octet outside ASCII.
fn is_high_escape([sign, high]: &[u8; 2]) -> bool {
    matches!(sign, b'=' | b'%') && matches!(high, b'8' | b'9' | b'A'..=b'F' | b'a'..=b'f')
}

/// Whether letters beyond ASCII are in the host at the start of a text, all of those that are read as one of ASCII, in
/// front of a top-level domain that exists. In a word that is misread most are not.
fn may_be_twin(text: &str, tlds: &dyn TldSet) -> bool {
    let host = front_of(text).trim_end_matches(is_dot_to_somebody);
    let Some((at, dot)) = host.rmatch_indices(is_dot_to_somebody).next() else { return false };
    let (front, tld) = (host.get(..at), host.get(at + dot.len()..));
    let (front, tld) = (front.unwrap_or_default(), tld.unwrap_or_default());
    front.contains(is_letter)
        && host.chars().all(is_of_twin)
        && front.chars().all(is_read)
        && (tlds.exists_as(tld) || homograph::is_special_use(&tld.to_ascii_lowercase()))
}

/// Whether a text that is cut off may begin with such a host. What follows the last dot may be its top-level domain, of
/// which letters need not be read as others.
fn may_begin_twin(text: &str) -> bool {
    let whole = text.char_indices().rev().nth(CUT - 1).map_or(0, |(at, _)| at);
    let whole = text.get(..whole).unwrap_or_default();
    let host = front_of(whole);
    // It ends without a letter.
    if !whole.ends_with(host) && !host.contains(is_letter) {
        return false;
    }
    let host = host.trim_end_matches(is_dot_to_somebody);
    let front = host.rfind(is_dot_to_somebody).and_then(|dot| host.get(..dot)).unwrap_or(host);
    host.chars().all(is_of_twin) && front.chars().all(is_read)
}

/// The host at the start of a text.
fn front_of(text: &str) -> &str {
    text.trim_start_matches(['/', '\\', '.']).split(ends_host).next().unwrap_or_default()
}

fn is_letter(c: char) -> bool {
    is_of_other_script(c) || matches!(c, '\u{C0}'..='\u{2AF}')
}

/// Whether a look-alike host may hold the character: ASCII, a letter of Latin, Greek or Cyrillic, a wide form, a dot.
fn is_of_twin(c: char) -> bool {
    c.is_ascii() || is_letter(c) || matches!(c, '\u{FF01}'..='\u{FF5E}') || is_dot_to_somebody(c)
}

/// Whether it is no letter, or one that is read as one of ASCII.
fn is_read(c: char) -> bool {
    !is_letter(c) || homograph::reads_as(c).is_some()
}

/// Whether a word of the host at the start of a text is a known name, read letter by letter.
fn spells_known_name(text: &str, judge: &Judge<'_>) -> bool {
    let mut words = text.split(|c| c == '-' || is_dot_to_somebody(c) || ends_host(c));
    words.any(|word| {
        let mut plain = String::with_capacity(word.len());
        for c in word.chars() {
            match homograph::reads_as(c) {
                Some(read) => plain.push_str(read),
                None => plain.extend(c.to_lowercase()),
            }
        }
        !word.is_ascii() && judge.is_name(&plain)
    })
}

/// Whether this is a letter of Cyrillic or Greek.
fn is_of_other_script(c: char) -> bool {
    matches!(c, '\u{370}'..='\u{52F}')
}

impl Net<'_, '_, '_> {
    /// Reads the window at an offset of these bytes in the charsets of systems, if no label names one. What is found is
    /// defanged once it is known what edits cover.
    pub(super) fn read_in_locales(&mut self, bytes: &[u8], at: usize, origin: BytesOrigin) {
        let place = origin.body_offset(|| at);
        let is_plain = matches!(origin, BytesOrigin::Body);
        // Behind a scheme the host was read with its `www.`.
        let is_of_scheme = at.checked_sub(WWW).is_some_and(|www| is_after_scheme(bytes, www));
        let is_linked =
            !is_plain || is_after_scheme(bytes, at) || is_behind_www(bytes, at) && !is_of_scheme;
        if !is_linked || !self.part_offsets().leaves_charset_open(place, self.tree) {
            return;
        }
        let Some(window) = LocalWindow::at(bytes, at).filter(|window| {
            !window.is_behind_host(self.judge.tlds())
                && self.budget.spend(Stage::Net, window.steps())
        }) else {
            return;
        };
        let labelled = self.charset_of_text(place);
        let Some((letters, judged)) = window.twin(self.judge, labelled) else { return };
        let part = self.editable_part(place, &judged);
        match (is_plain, part) {
            (true, Some(_)) => self.found.deceptive_offsets.push(at),
            (false, Some(part)) => {
                let host = window.host(labelled);
                if !self.seen.is_deceptive(&host) {
                    self.keep_host(part, host, place, judged);
                }
            }
            (_, None) => self.report(&text(host_of(&letters)), place, judged, Vec::new()),
        }
    }

    /// The charset in which readings read what is no UTF-8 in the part at an offset.
    pub(super) fn charset_of_text(&self, at: usize) -> Charset {
        let part = self.part_offsets().part(at).and_then(|part| self.tree.parts.get(part));
        match part.is_some_and(|part| part.declares(Charset::Utf8)) {
            true => Charset::Utf8,
            false => Charset::WINDOWS_1252,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of no host is the beginning refused.
    #[test]
    fn what_may_be_a_twin_may_begin_as_one() {
        let tlds = crate::TldTable::new(["com"], "");
        for host in
            ["раураl.com", "www.раураl.com/x", "аррӏе.рф", "аррӏе.рф.", "//аррlе.com a.бб", "оасх"]
        {
            let ends = host.char_indices().map(|(at, _)| at).chain([host.len()]);
            for end in ends {
                assert!(may_begin_twin(&host[..end]), "{host} {end}");
            }
        }
        assert!(may_be_twin("раураl.com", &tlds));
        for text in ["รรรรรร", "\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}", "www.a{раураl.com"]
        {
            assert!(!may_begin_twin(text), "{text}");
        }
    }
}
