//! The body of those to whom a header ends early: at a line that is no field, or at a blank one that others take
//! for a fold. What deceives there is told; a header is never edited.

use super::Case;
use super::budget::Budget;
use super::finding::{Candidate, Findings};
use super::judging::Judge;
use super::outcome::{Done, Edit, Reason, Verdict};
use super::parts::PartContext;
use mailsplice::mime::{self, Message, Tree};

/// Reads what stands behind the end that some see, where programs do not agree on the header.
pub fn read(
    case: Case<'_>,
    tree: &Tree,
    judge: &mut Judge<'_>,
    budget: &mut Budget<'_>,
    found: &mut Findings,
) {
    if tree.head.is_some() {
        return;
    }
    let Some((head, body)) = split(case.message.head) else { return };
    let message = Message { head, body };
    let inner = mime::parse_until(message, &case.policy.limits.structure(), case.stop);
    if !budget.spend(super::cost::Stage::Structure, inner.steps) {
        return;
    }
    let (policy, tlds) = (case.policy, case.tlds);
    let mut seen = Findings::default();
    for part in 0..inner.parts.len() {
        let disjoint = inner.is_disjoint();
        let mut context =
            PartContext { message, tree: &inner, language: None, policy, tlds, disjoint };
        context.read(part, judge, budget, &mut seen);
        if budget.over().is_some() {
            return;
        }
    }
    let lies = seen.candidates.into_iter().filter(|lie| lie.finding.verdict == Verdict::Unsafe);
    for lie in lies {
        let mut finding = lie.finding;
        (finding.verdict, finding.edit, finding.done) =
            (Verdict::Suspect, Edit::Told, Done::Reported);
        finding.reasons.insert(Reason::HiddenHost);
        finding.span = 0..0;
        found.push(policy, Candidate::told(finding));
    }
}

/// A header up to a line, behind the first, that is neither a field nor a fold with something in it; and what
/// stands behind. Lines end at CR, LF or CRLF.
fn split(head: &[u8]) -> Option<(&[u8], &[u8])> {
    let mut at = 0;
    while let Some(rest) = head.get(at..).filter(|rest| !rest.is_empty()) {
        let end = memchr::memchr2(b'\r', b'\n', rest).unwrap_or(rest.len());
        let pair = rest.get(end..end + 2) == Some(b"\r\n");
        let next = (at + end + 1 + usize::from(pair)).min(head.len());
        let line = rest.get(..end).unwrap_or_default();
        if at > 0 && is_blank(line) {
            return Some((head.get(..at)?, head.get(next..)?));
        }
        // The name of a field may be folded before its colon.
        let folded = matches!(head.get(next), Some(b' ' | b'\t')) && !line.contains(&b' ');
        if at > 0 && !folded && !is_of_field(line) {
            return Some((head.get(..at)?, rest));
        }
        at = next;
    }
    None
}

fn is_blank(line: &[u8]) -> bool {
    line.iter().all(|byte| *byte == 0 || byte.is_ascii_whitespace())
}

/// Whether a line is a fold, or begins with the name of a field.
fn is_of_field(line: &[u8]) -> bool {
    let name = || memchr::memchr(b':', line).and_then(|colon| line.get(..colon));
    matches!(line.first(), Some(b' ' | b'\t'))
        || name().is_some_and(|name| {
            let name = name.trim_ascii_end();
            !name.is_empty() && name.iter().all(u8::is_ascii_graphic)
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn where_a_header_ends_to_some() {
        let ends = |head: &'static str| {
            split(head.as_bytes())
                .map(|(head, body)| (str::from_utf8(head).unwrap(), str::from_utf8(body).unwrap()))
        };
        assert_eq!(ends("A: b\r\n c\r\nD : e\r\n"), None);
        assert_eq!(ends("A: b\r\n \r\nD: e\r\n"), Some(("A: b\r\n", "D: e\r\n")));
        assert_eq!(ends("A: b\r\n\u{C}\r\nD: e"), Some(("A: b\r\n", "D: e")));
        assert_eq!(ends("A: b\r\nC\r\n : d\r\n\rE"), Some(("A: b\r\nC\r\n : d\r\n", "E")));
        assert_eq!(ends("A: b\nhello\r\n"), Some(("A: b\n", "hello\r\n")));
        assert_eq!(ends("From x\r\nA: b\r\n"), None);
    }
}
