//! Links of what is attached and no text: read and told, never edited.

use super::budget::Budget;
use super::cost::Stage;
use super::finding::{Candidate, Findings};
use super::judging::{Judge, Judged};
use super::outcome::{Bypass, Done, Finding, Place};
use super::parts::PartContext;
use super::pdf;
use homograph::HostBounds;
use mailsplice::mime::Part;
use uts58::{Target, reference};

/// Bytes of a part that say what it is: in base64, with line ends, at least the KiB that programs look at.
const OPENING: usize = 2_048;

/// Reads a part that no reading of text is made of.
pub fn read(
    context: PartContext<'_>,
    part: usize,
    judge: &mut Judge<'_>,
    budget: &mut Budget<'_>,
    found: &mut Findings,
) {
    let Some(entry) = context.tree.parts.get(part) else { return };
    let raw = context.tree.content(context.message, part);
    let transfer = entry.transfer();
    let opening = raw.get(..OPENING).unwrap_or(raw);
    if !pdf::is_pdf(&transfer.bytes(opening)) {
        return;
    }
    if !budget.spend(Stage::Decoding, raw.len() as u64) {
        return;
    }
    let bytes = transfer.bytes(raw);
    let document = pdf::read(&bytes);
    if !budget.spend(Stage::Reading, document.steps) {
        return;
    }
    if !document.unread {
        found.bypasses.retain(|(path, why)| *path != entry.path || *why != Bypass::Opaque);
    }
    let span = entry.raw_range().unwrap_or_default();
    for url in &document.links {
        for target in reference::parse(url, 0..url.len()) {
            let judged = match &target {
                Target::Link(link) => judge.link(url, link, HostBounds::Certain),
                Target::Dangerous { host, .. } => Some(judge.dangerous(url, host.clone())),
            };
            if let Some(judged) = judged {
                tell(&context, (entry, span.clone()), url, &judged, found);
            }
        }
        if !budget.link(url.len(), judge.spent()) {
            return;
        }
    }
}

fn tell(
    context: &PartContext<'_>,
    (entry, span): (&Part, std::ops::Range<usize>),
    url: &str,
    judged: &Judged,
    found: &mut Findings,
) {
    found.pass(judged);
    if found.links() >= context.policy.limits.links {
        found.more.links += 1;
        return;
    }
    let host = judged.led();
    let finding = Finding {
        part: entry.path.clone(),
        place: Place::Attribute { element: "pdf".to_owned(), attribute: "uri".to_owned() },
        span,
        spelling: url.to_owned(),
        ascii: host.map_or_else(String::new, |host| host.ascii.clone()),
        unicode: host.map_or_else(String::new, |host| host.unicode.clone()),
        verdict: judged.verdict,
        reasons: judged.reasons,
        edit: judged.edit,
        target: judged.target().cloned(),
        done: Done::Reported,
    };
    let tld_status = judged.tld_status.clone();
    let candidate = Candidate { tld_status, ..Candidate::told(finding) };
    found.push(context.policy, candidate);
}
