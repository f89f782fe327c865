//! The outcome of an inspection as an answer to the MTA.

use crate::engine::Outcome;
use crate::engine::outcome::{Because, Disposition, HeadEdit, RawEdit};
use crate::engine::splice::{Restored, changed_fields};
use crate::milter::{Answer, Ending, HeaderChange, Mail, Origin, Piece};

/// The answer: changed header fields, removed ones, our fields on top, and the body. `refusal` is the whole
/// SMTP reply for a message that is rejected.
pub fn answer(mail: &Mail, outcome: &Outcome, refusal: &str) -> Answer {
    let mut header = changes(&outcome.head_edits);
    // Each is inserted above the one before.
    header.extend(outcome.fields.iter().rev().map(|field| HeaderChange::Insert {
        name: field.name.to_owned(),
        value: field.value.clone(),
    }));
    let body = (!outcome.edits.is_empty()).then(|| pieces(&outcome.edits, mail.body.len()));
    Answer { header, body, ending: ending(mail.origin, outcome, refusal) }
}

/// The answer for an outbound message that is restored.
pub fn restored(mail: &Mail, original: &Restored) -> Answer {
    let header = changes(&changed_fields(&mail.head, &original.head));
    let body = (mail.body != original.body).then(|| vec![Piece::New(original.body.clone())]);
    Answer { header, body, ending: Ending::Accept }
}

/// Fields with an empty value are deleted. After each deletion the MTA renumbers the fields of that name, so
/// changes come first, and then deletions from the last field to the first.
fn changes(edits: &[HeadEdit]) -> Vec<HeaderChange> {
    let (mut deleted, changed): (Vec<&HeadEdit>, Vec<&HeadEdit>) =
        edits.iter().partition(|edit| edit.value.is_empty());
    deleted.sort_by_key(|edit| std::cmp::Reverse(edit.index));
    let changed = changed.into_iter().map(|edit| HeaderChange::Change {
        name: edit.name.clone(),
        index: edit.index,
        value: edit.value.clone(),
    });
    let deleted = deleted
        .into_iter()
        .map(|edit| HeaderChange::Delete { name: edit.name.clone(), index: edit.index });
    changed.chain(deleted).collect()
}

fn pieces(edits: &[RawEdit], length: usize) -> Vec<Piece> {
    let mut pieces = Vec::with_capacity(edits.len() * 2 + 1);
    let mut at = 0;
    for edit in edits {
        pieces.push(Piece::Kept(at..edit.range.start));
        pieces.push(Piece::New(edit.replacement.to_vec()));
        at = edit.range.end;
    }
    pieces.push(Piece::Kept(at..length));
    pieces
}

/// Whether the message reaches a mailbox or a quarantine, with its edits.
pub fn delivers(origin: Origin, disposition: Disposition) -> bool {
    match (disposition, origin) {
        (Disposition::Accept | Disposition::Quarantine, _) => true,
        (Disposition::Tempfail | Disposition::Reject, origin) => origin == Origin::Local,
        (Disposition::Discard, _) => false,
    }
}

/// On the non-smtpd path there is no SMTP client that could be refused.
fn ending(origin: Origin, outcome: &Outcome, refusal: &str) -> Ending {
    match (outcome.disposition, origin) {
        (Disposition::Accept, _) => Ending::Accept,
        (Disposition::Quarantine, _) => {
            let because = outcome.because.as_ref();
            Ending::Quarantine(because.map_or_else(|| "held".to_owned(), ToString::to_string))
        }
        (Disposition::Discard, _) => Ending::Discard,
        (Disposition::Reject | Disposition::Tempfail, Origin::Local) => Ending::Accept,
        (Disposition::Tempfail, Origin::Smtp) => {
            let why = match outcome.because {
                Some(Because::Link(_) | Because::Structure) => "is put off for what it holds",
                Some(Because::Unread(_)) | None => "could not be examined",
            };
            Ending::Tempfail(format!("451 4.7.1 Message {why}, try again later"))
        }
        (Disposition::Reject, Origin::Smtp) => Ending::Reject(refusal.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::outcome::{Bypass, Verdict};

    fn edit(name: &str, index: usize, value: &str) -> HeadEdit {
        HeadEdit { name: name.to_owned(), index, range: 0..0, value: value.into() }
    }

    #[test]
    fn changes_come_before_deletions_and_those_from_the_bottom_up() {
        let edits =
            [edit("X-Linkmilter", 1, ""), edit("Subject", 1, " tag"), edit("X-Linkmilter", 2, "")];
        let outcome = Outcome { head_edits: edits.to_vec(), ..Outcome::default() };
        let delete = |index| HeaderChange::Delete { name: "X-Linkmilter".to_owned(), index };
        let subject =
            HeaderChange::Change { name: "Subject".to_owned(), index: 1, value: b" tag".to_vec() };
        let found = answer(&Mail::default(), &outcome, "550 5.7.1 no").header;
        assert_eq!(found, [subject, delete(2), delete(1)]);
    }

    #[test]
    fn nobody_is_refused_on_the_non_smtpd_path() {
        let end = |origin, disposition| {
            let outcome = Outcome { disposition, ..Outcome::default() };
            ending(origin, &outcome, "550 5.7.1 no")
        };
        for disposition in [Disposition::Reject, Disposition::Tempfail] {
            assert_eq!(end(Origin::Local, disposition), Ending::Accept);
        }
        let refused = end(Origin::Smtp, Disposition::Reject);
        assert_eq!(refused, Ending::Reject("550 5.7.1 no".to_owned()));
    }

    #[test]
    fn the_other_side_is_told_why_a_message_is_put_off() {
        let told = |because| {
            let outcome =
                Outcome { disposition: Disposition::Tempfail, because, ..Outcome::default() };
            ending(Origin::Smtp, &outcome, "")
        };
        let line =
            |why: &str| Ending::Tempfail(format!("451 4.7.1 Message {why}, try again later"));
        assert_eq!(told(None), line("could not be examined"));
        assert_eq!(told(Some(Because::Unread(Bypass::Panic))), line("could not be examined"));
        let found = told(Some(Because::Link(Verdict::Unsafe)));
        assert_eq!(found, line("is put off for what it holds"));
    }
}
