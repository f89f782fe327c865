//! What some programs see in place of this message: programs to which a header ends early, at a line that is no field
//! or at a blank one that others take for a fold; and programs in C that drop NUL. What is deceptive there is
//! reported, and not edited. What a header hides that goes over into the body without an empty line is judged as the body
//! is: some show nothing else.

use std::collections::HashSet;

use super::Case;
use super::budget::Budget;
use super::cost::Stage;
use super::finding::{Candidate, Findings};
use super::judging::Judge;
use super::outcome::{Done, Edit, Reason, Verdict};
use super::part_context::PartContext;
use mailsplice::mime::{self, Message, Tree};

/// Reads what such programs see.
pub fn read(
    case: Case<'_>,
    tree: &Tree,
    judge: &mut Judge<'_>,
    budget: &mut Budget<'_>,
    found: &mut Findings,
) {
    let Message { head, body } = case.message;
    let before = found.links();
    if tree.head.is_none()
        && let Some((head, body)) = mime::early_end(head)
    {
        report_deceptive((case, Variant::EarlyBody), Message { head, body }, judge, budget, found);
        if found.links() > before && tree.ambiguous.is_empty() {
            found.note_ambiguous("0");
        }
    }
    // A header on which programs agree has no NUL.
    let header = if tree.head.is_some() { &[] } else { head };
    if [header, body].iter().any(|bytes| memchr::memchr(0, bytes).is_some()) {
        let without =
            |bytes: &[u8]| -> Vec<u8> { bytes.iter().copied().filter(|byte| *byte != 0).collect() };
        let (head, body) = (without(head), without(body));
        let message = Message { head: &head, body: &body };
        report_deceptive((case, Variant::WithoutNul), message, judge, budget, found);
    }
}

/// Which message some programs see.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Variant {
    /// The rest of a header as its body.
    EarlyBody,
    WithoutNul,
}

/// Reports what is deceptive in this message and was not found in the usual one.
fn report_deceptive(
    (case, variant): (Case<'_>, Variant),
    message: Message<'_>,
    judge: &mut Judge<'_>,
    budget: &mut Budget<'_>,
    found: &mut Findings,
) {
    let limits = budget.structure(&case.policy.limits);
    let inner = mime::parse_until(message, &limits, case.stop);
    if !budget.spend(Stage::Structure, inner.steps) {
        return;
    }
    let (policy, tlds) = (case.policy, case.tlds);
    let mut inside = Findings::default();
    let disjoint = inner.is_disjoint();
    for part in 0..inner.parts.len() {
        // An archive was read as it is.
        let mut context = PartContext {
            message,
            tree: &inner,
            language: None,
            policy,
            tlds,
            disjoint,
            archives_left: 0,
        };
        context.read(part, judge, budget, &mut inside);
        if budget.limit_reached().is_some() {
            return;
        }
    }
    let known: HashSet<String> =
        found.candidates.iter().map(|candidate| candidate.finding.ascii.clone()).collect();
    let least = match variant {
        // What it says has no other place.
        Variant::EarlyBody => Verdict::Suspect,
        Variant::WithoutNul => Verdict::Unsafe,
    };
    let deceptive = inside.candidates.into_iter().filter(|found| found.finding.verdict >= least);
    for candidate in deceptive.filter(|found| !known.contains(&found.finding.ascii)) {
        let mut finding = candidate.finding;
        if finding.verdict == Verdict::Unsafe {
            finding.reasons.insert(Reason::HiddenHost);
        }
        (finding.verdict, finding.edit, finding.done) =
            (Verdict::Suspect, Edit::Reported, Done::Reported);
        finding.span = 0..0;
        found.push(policy, Candidate::report_only(finding));
    }
}

#[cfg(test)]
mod tests {
    use crate::{Answers, Facts, Message, Policy, Reason, TldTable, Verdict, inspect};

    fn outcome(head: &str, body: &str) -> crate::Outcome {
        let message = Message { head: head.as_bytes(), body: body.as_bytes() };
        let tlds = TldTable::new(["com", "example", "top"], "");
        let (facts, policy) = (Facts::default(), Policy::default());
        inspect(message, &facts, &policy, &tlds).resolve(&Answers::new())
    }

    #[test]
    fn a_header_that_goes_over_into_the_body_is_read_as_a_body_as_well() {
        let head = "From: ann@a.example\r\nContent-Type: text/html; charset=utf-8\r\n";
        for lie in [
            "<p><a href=\"https://evil.top/x\">https://www.paypal.com/signin</a></p>",
            "<p><a href='https://paypal-login.top/'>Log in</a></p>",
            "<p>See <a href=https://p\u{430}ypal.com>this</a></p>",
        ] {
            for between in ["", " \r\n", "\t\r\n", "\u{c}\r\n", "hello you\r\n"] {
                for body in ["", "and a second paragraph\r\n"] {
                    let found = outcome(&format!("{head}{between}{lie}\r\n"), body);
                    let says =
                        |reason| found.findings.iter().any(|one| one.reasons.contains(reason));
                    assert_eq!(found.verdict, Verdict::Suspect, "{between:?} {lie} {body}");
                    assert!(says(Reason::AmbiguousStructure), "{lie}");
                    assert_eq!(says(Reason::HiddenHost), !lie.is_ascii(), "{lie}");
                    assert!(found.edits.is_empty(), "{between:?} {lie}");
                }
            }
        }
    }

    #[test]
    fn a_message_without_a_header_is_read_as_a_body() {
        let lie = "http://p\u{430}ypal.com/";
        // A field whose name is a scheme is a line with a URL to some.
        for (head, verdict) in [
            (format!("see {lie}"), Verdict::Suspect),
            (format!("see {lie}\r\n"), Verdict::Suspect),
            (format!("Dear Ann,\r\nsee {lie}\r\n"), Verdict::Suspect),
            (format!("From x\r\nsee {lie}\r\n"), Verdict::Suspect),
            (format!("see: {lie}"), Verdict::Unsafe),
            (format!("{lie}\r\n"), Verdict::Unsafe),
            (format!("A: b\r\n{lie}\r\n"), Verdict::Unsafe),
        ] {
            let found = outcome(&head, "");
            assert_eq!(found.verdict, verdict, "{head}");
            assert!(found.edits.is_empty() && found.head_edits.is_empty(), "{head}");
        }
        for head in [
            "see http://www.a.example/",
            "http://www.a.example/\r\n",
            "Dear Ann,\r\nsee www.a.example and b@c.example\r\n",
            "no field\r\nFrom: ann@a.example\r\nTo: PayPal <x@a.example>\r\nList-Unsubscribe: \
             <https://www.a.example/?u=https://www.b.example>\r\n",
        ] {
            assert!(outcome(head, "").verdict < Verdict::Suspect, "{head}");
        }
    }

    #[test]
    fn a_header_with_an_odd_line_is_no_lure() {
        for rest in [
            "",
            "<p><a href=https://www.a.example/>https://www.a.example/</a></p>\r\n",
            ">From ann@a.example Mon Jan  1 00:00:00 2026\r\nTo: PayPal <x@a.example>\r\n\
             List-Unsubscribe: <https://www.a.example/?u=https://www.b.example>\r\n",
        ] {
            let head = format!("From: ann@a.example\r\nContent-Type: text/html\r\n{rest}");
            let found = outcome(&head, "<p>hi\r\n");
            assert!(found.verdict < Verdict::Suspect, "{rest} {:?}", found.findings);
        }
    }
}
