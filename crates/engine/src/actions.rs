//! What a policy does with links, and with the message because of them.

use super::judging::Judged;
use super::outcome::{Because, Bypass, Disposition, Done, Finding, Outcome, Reason, Verdict};
use super::policy::{
    Actions, Defang, HtmlAttachments, LinkAction, MessageAction, Mode, OnAmbiguous, Policy, Signed,
};
use homograph::Judgement;
use mailsplice::media::Media;
use mailsplice::mime::Part;

/// The action on a link of a part, and what the finding says was done.
pub fn link(policy: &Policy, part: &Part, judged: &Judged) -> (LinkAction, Done) {
    if part.surroundings.sealed || part.document {
        return (LinkAction::Leave, Done::Reported);
    }
    let (action, done) = link_anywhere(policy, judged);
    let signed = policy.signed == Signed::Report && !part.surroundings.signed.is_empty();
    let page = policy.html_attachments == HtmlAttachments::Report
        && part.surroundings.attachment
        && part.media == Media::Html;
    let attached = (page || part.drawing) && policy.defang != Defang::All;
    if (signed || attached) && done == Done::Edited {
        (LinkAction::Leave, Done::Reported)
    } else {
        (action, done)
    }
}

/// The action on a link, whatever part it is in.
pub fn link_anywhere(policy: &Policy, judged: &Judged) -> (LinkAction, Done) {
    link_in_mode(policy, policy.mode, judged)
}

/// [`link_anywhere`] as it were in another mode.
pub fn link_in_mode(policy: &Policy, mode: Mode, judged: &Judged) -> (LinkAction, Done) {
    if policy.defang == Defang::All && policy.edits() {
        return (LinkAction::Defang, Done::Edited);
    }
    let action = policy.link_action(mode, judged.verdict, judged.reasons, judged.edit);
    if action == LinkAction::Leave {
        return (LinkAction::Leave, Done::Reported);
    }
    if policy.exempt.is_some() || judged.is_allowed(policy) {
        return (LinkAction::Leave, Done::Exempt);
    }
    match action {
        LinkAction::Punycode if !punycode_tells(judged) => (LinkAction::Defang, Done::Edited),
        _ => (action, Done::Edited),
    }
}

/// Whether a link deceives no more once its host is shown in Punycode. One that is not unsafe may have nothing to show.
fn punycode_tells(judged: &Judged) -> bool {
    let is_bad = |host: &Judgement| host.verdict >= Verdict::Unsafe;
    let is_shown = |host: &Judgement| is_bad(host) && host.ascii.contains("xn--");
    judged.verdict < Verdict::Unsafe
        || judged.host.as_deref().is_some_and(is_shown)
            && !judged.inner.iter().any(is_bad)
            && !judged.reasons.contains(Reason::Userinfo)
}

/// What the message actions ask for: the strictest disposition, and whether the Subject is tagged.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MessageActions {
    pub disposition: Disposition,
    /// Why, if the message is not to be delivered.
    pub because: Option<Because>,
    pub subject: Subject,
}

impl MessageActions {
    /// The strictest disposition stays, and among causes of the same one the first; of links the worst.
    fn ask(&mut self, disposition: Disposition, because: Because) {
        let worse = match (&self.because, &because) {
            (Some(Because::Link(known)), Because::Link(new)) => new > known,
            _ => false,
        };
        if disposition > self.disposition || disposition == self.disposition && worse {
            (self.disposition, self.because) = (disposition, Some(because));
        }
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Subject {
    #[default]
    AsIs,
    Tagged,
}

/// What happens to a message of which something was not read.
pub fn unread(policy: &Policy, why: &Bypass) -> Disposition {
    match why {
        // A message that is not to be edited is not to be held either.
        _ if why.is_exhaustion() && policy.mode == Mode::ReportOnly => Disposition::Accept,
        _ if why.is_exhaustion() => policy.on_exhausted,
        Bypass::Limit(_) => policy.on_limit,
        Bypass::Opaque => policy.on_opaque,
        Bypass::Panic => policy.on_error,
    }
}

/// What is asked for by the message actions of all findings, limits and opaque parts.
pub fn message(policy: &Policy, outcome: &Outcome) -> MessageActions {
    let mut actions = MessageActions::default();
    let exempt = policy.exempt.is_some() || policy.mode == Mode::ReportOnly;
    let findings =
        outcome.findings.iter().filter(|finding| !exempt && finding.done != Done::Exempt);
    for finding in findings {
        let Actions { by_verdict, by_reason } = &policy.message_actions;
        let by_reason = finding.reasons.iter().filter_map(|reason| by_reason.get(&reason));
        for action in by_reason.chain(by_verdict.get(&finding.verdict)) {
            match action {
                MessageAction::Header => {}
                MessageAction::SubjectTag => actions.subject = Subject::Tagged,
                MessageAction::Dispose(disposition) => {
                    actions.ask(*disposition, Because::Link(finding.verdict));
                }
            }
        }
    }
    let ambiguous = |finding: &Finding| finding.reasons.contains(Reason::AmbiguousStructure);
    if policy.on_ambiguous == OnAmbiguous::Quarantine
        && !exempt
        && outcome.findings.iter().any(ambiguous)
    {
        actions.ask(Disposition::Quarantine, Because::Structure);
    }
    for (_, bypass) in &outcome.bypasses {
        actions.ask(unread(policy, bypass), Because::Unread(bypass.clone()));
    }
    actions
}
