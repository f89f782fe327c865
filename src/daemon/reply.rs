//! The outcome of an inspection as an answer to the MTA.

use crate::engine::Outcome;
use crate::engine::outcome::{Disposition, RawEdit};
use crate::milter::{Answer, Ending, HeaderChange, Mail, Origin, Piece};

/// Names of header fields that are ours: those that arrive from outside are removed.
const OURS: [&str; 3] = ["X-Linkmilter", "X-Linkmilter-Link", "X-Linkmilter-Undo"];

/// The answer: foreign fields of our names out, changed fields, our fields on top, the body.
/// `refusal` is the whole SMTP reply of a refused message.
pub fn answer(mail: &Mail, outcome: &Outcome, refusal: &str) -> Answer {
    let mut header = removed(&mail.head);
    header.extend(outcome.head_edits.iter().map(|edit| HeaderChange::Change {
        name: edit.name.clone(),
        index: edit.index,
        value: edit.value.clone(),
    }));
    // Each goes on top of the one before.
    header.extend(outcome.fields.iter().rev().map(|field| HeaderChange::Insert {
        name: field.name.to_owned(),
        value: field.value.clone(),
    }));
    let body = (!outcome.edits.is_empty()).then(|| pieces(&outcome.edits, mail.body.len()));
    Answer { header, body, ending: ending(mail.origin, outcome.disposition, refusal) }
}

fn pieces(edits: &[RawEdit], length: usize) -> Vec<Piece> {
    let mut pieces = Vec::with_capacity(edits.len() * 2 + 1);
    let mut at = 0;
    for edit in edits {
        pieces.push(Piece::Kept(at..edit.range.start));
        pieces.push(Piece::New(edit.replacement.clone()));
        at = edit.range.end;
    }
    pieces.push(Piece::Kept(at..length));
    pieces
}

/// On the non-smtpd path nobody is there to be refused.
fn ending(origin: Origin, disposition: Disposition, refusal: &str) -> Ending {
    match (disposition, origin) {
        (Disposition::Accept, _) => Ending::Accept,
        (Disposition::Quarantine, _) => Ending::Quarantine("deceptive link".to_owned()),
        (Disposition::Discard, _) => Ending::Discard,
        (Disposition::Reject | Disposition::Tempfail, Origin::Local) => Ending::Accept,
        (Disposition::Tempfail, Origin::Smtp) => {
            Ending::Tempfail("451 4.7.1 Message could not be examined, try again later".to_owned())
        }
        (Disposition::Reject, Origin::Smtp) => Ending::Reject(refusal.to_owned()),
    }
}

/// Deletions of fields of our names, the highest index of each name first.
fn removed(head: &[u8]) -> Vec<HeaderChange> {
    let mut counts = [0_usize; OURS.len()];
    for line in head.split(|&byte| byte == b'\n') {
        let Some(colon) = line.iter().position(|&byte| byte == b':') else { continue };
        let name = line.get(..colon).unwrap_or_default().trim_ascii_end();
        let ours = OURS.iter().zip(&mut counts);
        for (_, count) in ours.filter(|(ours, _)| name.eq_ignore_ascii_case(ours.as_bytes())) {
            *count += 1;
        }
    }
    OURS.iter()
        .zip(counts)
        .flat_map(|(name, count)| {
            (1..=count).rev().map(|index| HeaderChange::Delete { name: (*name).to_owned(), index })
        })
        .collect()
}
