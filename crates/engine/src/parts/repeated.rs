//! What a further reading of a part need not read again: stretches in which an earlier one, in another charset, has
//! read the same text.

use std::ops::Range;

use super::OpenReading;
use crate::finding::Findings;
use crate::judging::TldStatus;
use maillinks::{Language, Layer};
use mailsplice::mime::{Charset, Media, Reading, Transfer};

/// A reading in which every link of the text was judged as in any other charset that keeps ASCII.
#[derive(Debug)]
pub(super) struct EarlierReading {
    media: Media,
    transfer: Transfer,
    /// Where candidates are, in the raw bytes, that wait for an answer of the DNS: each reading reports them. In order
    /// of their starts and of their ends.
    asked: Vec<Range<usize>>,
}

impl EarlierReading {
    /// The reading, if it counts as such; `from` is the number of candidates before it.
    pub fn of(reading: &Reading<'_>, from: usize, found: &Findings) -> Option<EarlierReading> {
        // In a reading to which words are glued, links are judged less severely.
        if !keeps_plain_text(reading) || reading.is_glued("") {
            return None;
        }
        let candidates = found.candidates.get(from..).unwrap_or_default();
        let asked = candidates.iter().filter(|candidate| candidate.tld_status != TldStatus::Link);
        let mut asked: Vec<Range<usize>> =
            asked.map(|candidate| candidate.finding.span.clone()).collect();
        // Of candidates in one place each has its end here.
        asked.sort_by_key(|asked| asked.start);
        let mut end = 0;
        asked.iter_mut().for_each(|asked| {
            end = asked.end.max(end);
            asked.end = end;
        });
        Some(EarlierReading { media: reading.media, transfer: reading.transfer, asked })
    }

    /// The stretches of a layer that it has read.
    pub fn stretches(
        &self,
        open: &OpenReading<'_>,
        layer: &Layer<'_>,
        found: &Findings,
    ) -> Vec<Range<usize>> {
        let (reading, context) = (open.reading, &open.context);
        let text = reading.text.as_str();
        let is_whole =
            layer.seen.as_slice().is_some_and(|(seen, at)| at == 0 && seen.len() == text.len());
        if !keeps_plain_text(reading)
            || (reading.media, reading.transfer) != (self.media, self.transfer)
            || layer.language != Language::Text
            || !is_whole
            || !found.remembers_locations(context.policy.limits.links)
        {
            return Vec::new();
        }
        let stretches = maillinks::plain_stretches(text);
        if self.asked.is_empty() {
            return stretches;
        }
        let mut again = Vec::new();
        for stretch in stretches {
            let raw = context.tree.raw_span(open.part, reading, stretch.clone());
            let first = self.asked.partition_point(|asked| asked.end <= raw.start);
            let asked = self.asked.iter().skip(first).take_while(|asked| asked.start < raw.end);
            let holes: Vec<Range<usize>> = match raw.len() == stretch.len() {
                // Byte for byte: only the lines of such candidates are read again.
                true => {
                    let place = |at: usize| stretch.start + at.saturating_sub(raw.start);
                    asked.map(|asked| place(asked.start)..place(asked.end)).collect()
                }
                false => asked.take(1).map(|_| stretch.clone()).collect(),
            };
            again.extend(maillinks::lines_without(text, &stretch, &holes));
        }
        again
    }
}

/// Whether a reading shows plain text in a charset in which ASCII is ASCII, and nothing else is.
fn keeps_plain_text(reading: &Reading<'_>) -> bool {
    matches!(reading.media, Media::Plain | Media::Flowed { delsp: false })
        && matches!(reading.charset, Charset::Utf8 | Charset::Known(_))
        && reading.charset.keeps_ascii()
}

#[cfg(test)]
mod tests {
    use crate::cost::Stage;
    use crate::{Answers, Facts, Message, Policy, TldTable, inspect};

    /// The hosts that are found in unlabelled lines, and the steps of judging. The first one has letters by which
    /// detectors guess a charset.
    fn found(lines: &[Vec<u8>]) -> (Vec<String>, u64) {
        let body = lines.join(&b"\r\n"[..]);
        let message = Message { head: b"Content-Type: text/plain\r\n", body: &body };
        let (facts, policy) = (Facts::default(), Policy::default());
        let tlds = TldTable::new(["com"], "");
        let inspection = inspect(message, &facts, &policy, &tlds);
        let steps = inspection.cost().of(Stage::Judging);
        let outcome = inspection.resolve(&Answers::new());
        let findings = outcome.findings.into_iter();
        let described =
            findings.map(|one| format!("{} {:?} {:?}", one.ascii, one.verdict, one.done));
        let mut all: Vec<String> = described.collect();
        all.sort();
        (all, steps)
    }

    #[test]
    fn what_is_not_read_again_has_nothing_new() {
        let (letters, _, _) = encoding_rs::KOI8_R.encode("Пожалуйста, подтвердите ваш адрес. ");
        for (link, is_reported) in [
            ("https://example.com/a", false),
            ("https://xn--ypal-43d9g.com/", true),
            ("https://paypal.com@evil.com/", true),
            ("https://one.notatld/ and https://other.notatld/", true),
            ("<https://www.paypal.com @evil.com/>", true),
        ] {
            let line = |text: &str, odd: &[u8]| {
                [text.as_bytes(), b" is what all of this is about, says a line ", odd].concat()
            };
            let text = |odd: &[u8]| {
                let mut lines = vec![letters.repeat(4)];
                lines.extend(std::iter::repeat_n(line("https://fine.com/", odd), 200));
                lines.push(line(link, odd));
                lines.extend(std::iter::repeat_n(line("https://fine.com/", odd), 200));
                lines.push(letters.repeat(4));
                found(&lines)
            };
            let ((plain, fewer), (odd, more)) = (text(b"x"), text(letters.get(..6).unwrap()));
            assert_eq!(plain, odd, "{link}");
            assert_eq!(!plain.is_empty(), is_reported, "{link}");
            assert!(4 * fewer < 3 * more, "{link} {fewer} {more}");
        }
    }
}
