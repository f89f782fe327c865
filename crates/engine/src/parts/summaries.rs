//! The titles of events in a calendar (RFC 5545 §3.8.1.12), their places and the names of calendars. Programs show them
//! as they show a Subject.

use super::OpenReading;
use crate::budget::Budget;
use crate::cost::Stage;
use crate::finding::{Candidate, Findings, Location, Space};
use crate::flags;
use crate::judging::{Judge, Title, without_links};
use crate::outcome::{Edit, Place};
use maillinks::{Language, Layer, Visibility, bidi};
use uts58::{Boundaries, Linkifier};

/// Titles of one message that are read: an invitation has one or a few, and a whole calendar has thousands.
const TITLES: usize = 32;

/// Bytes of a title that are read: no program shows as many in one line.
const TITLE_BYTES: usize = 512;

impl OpenReading<'_> {
    /// Reports a title in look-alike letters, or one that controls turn round. Its links are judged as such.
    pub(super) fn summary(
        &self,
        layer: &Layer<'_>,
        judge: &mut Judge<'_>,
        budget: &mut Budget<'_>,
        found: &mut Findings,
    ) {
        let text = layer.seen.as_str();
        let property = layer.property.as_deref();
        let Some(property) = maillinks::TITLES.into_iter().find(|title| property == Some(title))
        else {
            return;
        };
        if layer.language != Language::Text || text.is_ascii() || found.titles >= TITLES {
            return;
        }
        found.titles += 1;
        let text = text.get(..text.floor_char_boundary(TITLE_BYTES)).unwrap_or_default();
        let letters = flags::as_letters(text);
        let shown = bidi::shown(&letters);
        let mut links = Linkifier::new(judge.tlds()).boundaries(Boundaries::Wide).links(&shown);
        let spans: Vec<_> = links.by_ref().map(|link| link.span).collect();
        let steps = text.len() as u64 + links.steps();
        if !budget.spend(Stage::Reading, steps) {
            return;
        }
        let words = without_links(&shown, spans.into_iter());
        let disguise = judge.disguised(&words, None);
        if !budget.spend(Stage::Judging, judge.take_steps()) {
            return;
        }
        let Some(title) = Title::judged(&letters, &shown, disguise) else { return };
        let source = layer.seen.source(0..text.len());
        let range = self.context.tree.raw_span(self.part, self.reading, source);
        // Nobody follows a title: no link is remembered so.
        let visibility = Visibility::Followed;
        let location = Location { space: Space::Raw, range: range.clone(), visibility };
        let severity = (title.judged.verdict, Edit::Reported);
        if found.is_known(&location, severity) || found.candidates.len() >= budget.findings {
            return;
        }
        found.remember_locations(vec![(location, severity)], self.context.policy.limits.links);
        let place = Place::Calendar(property.to_owned());
        let path = &self.entry.path;
        let mut finding =
            self.context.finding_of(&title.judged, path, place, range, &title.spelled);
        finding.target = title.name;
        found.push(self.context.policy, Candidate::report_only(finding));
    }
}

#[cfg(test)]
mod tests {
    use crate::outcome::{Reason, Verdict};
    use crate::{Answers, Facts, Message, Policy, TldTable};

    #[test]
    fn a_title_is_checked_like_a_subject() {
        let reported = |line: &str| {
            let body = format!("BEGIN:VEVENT\r\n{line}\r\nEND:VEVENT\r\n");
            let head = b"Content-Type: text/calendar; charset=utf-8\r\n";
            let message = Message { head, body: body.as_bytes() };
            let tlds = TldTable::new(["com", "top"], "");
            let outcome = crate::inspect(message, &Facts::default(), &Policy::default(), &tlds)
                .resolve(&Answers::new());
            assert_eq!(outcome.edits, []);
            let findings = outcome.findings.iter().filter(|one| one.verdict > Verdict::Notice);
            findings.map(|one| one.reasons.iter().collect::<Vec<_>>()).collect::<Vec<_>>()
        };
        for (line, reason) in [
            ("SUMMARY:РауРаl: your account", Reason::TextLookalike),
            ("summary;LANGUAGE=en:Your аccount", Reason::TextLookalike),
            ("SUMMARY:Рау\r\n Раl: your account", Reason::TextLookalike),
            ("SUMMARY:𝗣𝗮𝘆𝗣𝗮𝗹 at example.com", Reason::TextLookalike),
            ("SUMMARY:🇵🇦🇾🇵🇦🇱 account", Reason::TextLookalike),
            ("SUMMARY:🇵\u{200b}🇦\u{200b}🇾\u{200b}🇵\u{200b}🇦\u{200b}🇱", Reason::TextLookalike),
            ("SUMMARY:\u{202e}tnuocca lapyaP", Reason::BidiControl),
            ("LOCATION:РауРаl office", Reason::TextLookalike),
            ("LOCATION;LANGUAGE=en:\u{202e}eciffo lapyaP", Reason::BidiControl),
            ("X-WR-CALNAME:Your РауРаl аccount", Reason::TextLookalike),
            ("NAME:РауРаl", Reason::TextLookalike),
            ("BEGIN:VALARM\r\nDESCRIPTION:РауРаl locked\r\nEND:VALARM", Reason::TextLookalike),
            ("begin:valarm\nDescription;X=y:Your аccount", Reason::TextLookalike),
        ] {
            assert_eq!(reported(line), [[reason]], "{line}");
        }
        let long = format!("SUMMARY:{} Your аccount", "ж ".repeat(super::TITLE_BYTES));
        assert!(reported(&long).is_empty());
        let many = "SUMMARY:ж\r\n".repeat(super::TITLES);
        assert!(reported(&format!("{many}SUMMARY:Your аccount")).is_empty());
        for fine in [
            "SUMMARY:Совещание в Москве",
            "SUMMARY:Zoë’s café · 3 pm",
            "SUMMARY:会議 with Ann",
            "SUMMARY:PayPal",
            "SUMMARY:🇵🇱 Poland – 🇺🇸🇬🇧🇩🇪",
            "LOCATION:Зал A, ул. Ленина 5, БЦ City",
            "LOCATION:Κτίριο B, 2ος όροφος",
            "LOCATION:会議室B (3F)",
            "X-WR-CALNAME:Праздники России",
            "CATEGORIES:РауРаl",
            "BEGIN:VALARM\r\nEND:VALARM\r\nDESCRIPTION:РауРаl",
            "BEGIN:VALARM\r\nDESCRIPTION:Совещание в Москве\r\nEND:VALARM",
            "BEGIN:VALARM\r\nATTACH:РауРаl\r\nEND:VALARM",
        ] {
            assert!(reported(fine).is_empty(), "{fine}");
        }
    }
}
