//! The engine as a mail server runs it: whatever happens in it, there is an outcome, and no message is lost by it.

use super::actions;
use super::outcome::{Because, Bypass, Disposition, Outcome, unread_verdict};
use super::policy::HeaderFields;
use super::{Answers, Case, Facts, Inspection, Message, Policy, fields};
use maillinks::guarded;

/// [`super::inspect_case`], or its replacement in a test of faults.
pub type Inspect = for<'a> fn(Case<'a>) -> Inspection<'a>;

/// Inspects, asks the DNS, resolves. A panic leaves the message as it is, with [`Bypass::Panic`].
pub fn examine(
    inspect: Inspect,
    case: Case<'_>,
    ask: impl FnOnce(&[String]) -> Answers,
) -> Outcome {
    let outcome = guarded(|| inspect(case)).and_then(|inspection| {
        let answers = ask(&inspection.questions);
        guarded(|| inspection.resolve(&answers))
    });
    outcome.unwrap_or_else(|| unread(case.message, case.facts, case.policy, Bypass::Panic))
}

/// The outcome of a message that was not read: it is passed on unchanged, or as the policy says for the reason, and
/// our header field says why.
pub fn unread(message: Message<'_>, facts: &Facts, policy: &Policy, why: Bypass) -> Outcome {
    let disposition = actions::unread(policy, &why);
    let mut outcome = Outcome {
        verdict: unread_verdict(&why),
        disposition,
        because: (disposition != Disposition::Accept).then(|| Because::Unread(why.clone())),
        bypasses: vec![("0".to_owned(), why)],
        ..Outcome::default()
    };
    if policy.header_fields == HeaderFields::Add {
        let key = policy.seal_key.as_deref();
        outcome.head_edits = mailsplice::splice::incoming(message.head, &policy.known_keys());
        let with = fields::Describe {
            head: message.head,
            body: message.body,
            by: &facts.host_name,
            rules: policy.shown_rules(),
            recoded: &[],
            undo_header_bytes: None,
            seal_key: key,
        };
        fields::describe(&mut outcome, with);
    }
    outcome
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{TldTable, Verdict};

    const MESSAGE: Message<'static> = Message { head: b"Subject: x\r\n", body: b"text\r\n" };

    fn fails(_: Case<'_>) -> Inspection<'_> {
        panic!("an engine that fails")
    }

    #[test]
    fn a_panic_leaves_the_message_and_says_so() {
        let (facts, policy, tlds) = (Facts::default(), Policy::default(), TldTable::default());
        let case = Case::new(MESSAGE, &facts, &policy, &tlds);
        let outcome = examine(fails, case, |_| Answers::new());
        assert!(outcome.edits.is_empty() && outcome.head_edits.is_empty());
        assert_eq!(outcome.bypasses, [("0".to_owned(), Bypass::Panic)]);
        assert!(outcome.fields.iter().any(|field| field.value.contains("incomplete=panic")));
        assert_eq!(outcome.verdict, Verdict::Suspect, "what nobody read is not fine");
    }

    #[test]
    fn without_header_fields_nothing_is_added() {
        let policy = Policy { header_fields: HeaderFields::Omit, ..Policy::default() };
        let outcome = unread(MESSAGE, &Facts::default(), &policy, Bypass::Panic);
        assert!(outcome.fields.is_empty());
    }
}
