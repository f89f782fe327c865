//! Links in attachments that are no text, PDF, TNEF, RTF and pictures, and of files that are text with hyperlinks:
//! judged and reported, never edited.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::ops::ControlFlow;

use crate::budget::Budget;
use crate::cost::Stage;
use crate::finding::{Candidate, Findings};
use crate::judging::anchors::{AnchorComparison, OccurrenceRun};
use crate::judging::{Judge, Judged};
use crate::outcome::{Bypass, Limit, Place, Reason, Verdict};
use crate::part_context::PartContext;
use crate::policy::QrCodes;
use homograph::HostBounds;
use maillinks::text_formats::{self, TextFormat};
use maillinks::tnef::{self, Body, Tnef, rtf};
use maillinks::{Occurrence, SeenBy};
use maillinks::{images, pdf, zip};
use mailsplice::mime::{self, Media, Part};
use uts58::{Target, reference};

/// Bytes of a part by which its kind is detected: in base64, with line ends, at least the KiB that programs look at.
const OPENING_BYTES: usize = 2_048;

/// The kind of an attachment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum AttachmentKind {
    Pdf,
    Tnef,
    Rtf,
    /// A file that is text with hyperlinks.
    Flat(TextFormat, Rest),
    Picture(images::ImageFormat),
}

/// What is done with such a file beside reading its links.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Rest {
    /// It is judged as text.
    Text,
    /// Nothing: it is opaque.
    Unread,
}

/// What else an archive is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Polyglot {
    No,
    /// A file of another kind, which was read as such.
    Yes,
}

/// What was read from an attachment.
#[derive(Default)]
pub struct Contents {
    pub links: BTreeSet<String>,
    pub bodies: Vec<Body>,
    /// Programs that it runs.
    pub programs: BTreeSet<String>,
    pub unread: bool,
}

impl AttachmentKind {
    fn of(opening: &[u8], qr_codes: QrCodes) -> Option<AttachmentKind> {
        if mime::is_pdf(opening) {
            return Some(AttachmentKind::Pdf);
        }
        if tnef::is(opening) {
            return Some(AttachmentKind::Tnef);
        }
        if rtf::is(opening) {
            return Some(AttachmentKind::Rtf);
        }
        images::format(opening).filter(|_| qr_codes == QrCodes::Report).map(AttachmentKind::Picture)
    }

    /// What is in it; `None` when no steps are left.
    fn read(self, bytes: &[u8], budget: &mut Budget<'_>) -> Option<Contents> {
        let (contents, steps) = match self {
            AttachmentKind::Pdf => {
                let pdf = pdf::read(bytes, |steps| budget.spend(Stage::Reading, steps))?;
                let scripts = Some(pdf.scripts()).filter(|page| !page.is_empty());
                let bodies = scripts.map(Body::Html).into_iter().collect();
                let pdf::Pdf { links, programs, unread, .. } = pdf;
                return Some(Contents { links, bodies, programs, unread });
            }
            AttachmentKind::Tnef => {
                let mut spend = |steps| budget.spend(Stage::Reading, steps);
                let Tnef { bodies, programs, unread } = tnef::read(bytes, &mut spend)?;
                return Some(Contents { bodies, programs, unread, ..Contents::default() });
            }
            AttachmentKind::Rtf => {
                let rtf::Rtf { texts, reached, unread, steps } = rtf::read(bytes);
                let anchors = Body::anchors(reached.anchors);
                let bodies = texts.into_iter().map(Body::Text).chain(anchors).collect();
                let programs = reached.programs;
                (Contents { bodies, programs, unread, ..Contents::default() }, steps)
            }
            AttachmentKind::Flat(format, rest) => {
                let page = text_formats::anchors(bytes, format);
                let steps = (bytes.len() + page.len()) as u64;
                let body = match rest {
                    Rest::Text => Body::anchors(page),
                    Rest::Unread => Some(page).filter(|page| !page.is_empty()).map(Body::Html),
                };
                let (bodies, unread) = (body.into_iter().collect(), rest == Rest::Unread);
                (Contents { bodies, unread, ..Contents::default() }, steps)
            }
            AttachmentKind::Picture(format) => {
                let images::Picture { codes, unread, steps } =
                    images::read(bytes, format, &mut budget.images, budget.stop);
                let links: BTreeSet<String> = codes.iter().map(|code| as_link(code)).collect();
                let contents = Contents { links, unread, ..Contents::default() };
                return budget.spend_pixels(steps).then_some(contents);
            }
        };
        budget.spend(Stage::Reading, steps).then_some(contents)
    }

    /// The place of its links in findings.
    fn place(self) -> Place {
        let (element, attribute) = match self {
            AttachmentKind::Pdf => ("pdf", "uri"),
            AttachmentKind::Tnef => ("tnef", "body"),
            AttachmentKind::Rtf => ("rtf", "text"),
            AttachmentKind::Flat(TextFormat::Markdown, _) => ("markdown", "link"),
            AttachmentKind::Flat(TextFormat::Table | TextFormat::Markup, _) => ("office", "link"),
            AttachmentKind::Picture(_) => ("qr", "code"),
        };
        Place::Attribute { element: element.into(), attribute: attribute.into() }
    }
}

/// The text of a code as camera programs open it: a bare name is a web page.
fn as_link(code: &str) -> String {
    let code = code.trim();
    let bare = !code.contains(':') && code.contains('.') && !code.contains(char::is_whitespace);
    if bare { format!("http://{code}") } else { code.to_owned() }
}

/// Reads a part that is such a file, whatever its label: programs choose by its name, or by its bytes. Returns whether it
/// is an archive, which is not read here.
pub fn read(
    context: PartContext<'_>,
    part: usize,
    judge: &mut Judge<'_>,
    budget: &mut Budget<'_>,
    found: &mut Findings,
) -> Option<Polyglot> {
    let entry = context.tree.parts.get(part)?;
    let raw = context.tree.content(context.message, part);
    let transfer = entry.transfer();
    let opening = raw.get(..OPENING_BYTES).unwrap_or(raw);
    let qr_codes = context.policy.qr_codes;
    // What Exchange takes for TNEF has a label of its own, never one of text.
    let opaque = entry.media == Media::Opaque;
    let document = || mime::may_be_pdf(opening, transfer) || rtf::may_be(opening);
    let is_flat = opaque
        || text_formats::is_table(entry)
        || text_formats::is_markdown(entry)
        || text_formats::may_be_markup(entry);
    let may_be = is_flat || qr_codes == QrCodes::Report || document() || zip::may_be(opening);
    let flat = |opening: &[u8]| {
        let format = is_flat.then(|| text_formats::format(entry, opening)).flatten();
        let rest = if opaque { Rest::Unread } else { Rest::Text };
        format.map(|format| AttachmentKind::Flat(format, rest))
    };
    let opening = if may_be { transfer.bytes(opening) } else { Cow::default() };
    let archive = archive(entry, &opening);
    if archive == Some(Polyglot::No) && !mime::is_pdf(&opening) {
        return archive;
    }
    let Some(kind) = AttachmentKind::of(&opening, qr_codes).or_else(|| flat(&opening)) else {
        read_inline_pictures(context, (part, entry), judge, budget, found);
        return archive;
    };
    if !budget.spend(Stage::Decoding, raw.len() as u64) {
        return None;
    }
    let contents = kind.read(&transfer.bytes(raw), budget)?;
    if !contents.unread {
        found.has_read(&entry.path);
    } else if !opaque && !entry.label.starts_with("text/") {
        // Text may be about such files; anything else may be opened as one.
        found.bypass(&entry.path, Bypass::Opaque);
    }
    judge_contents((&context, entry, &kind.place()), &contents, judge, budget, found);
    archive.map(|_| Polyglot::Yes)
}

/// Whether a part is an archive, by its first bytes or by one of its names: programs pass over what is in front of one.
fn archive(entry: &Part, opening: &[u8]) -> Option<Polyglot> {
    let is_named = || entry.media == Media::Opaque && entry.has_extension(&zip::EXTENSIONS);
    if zip::begins(opening) || is_named() {
        return Some(Polyglot::No);
    }
    zip::is(opening).then_some(Polyglot::Yes)
}

/// Whether the first bytes of a file say that it is one that is read.
pub fn is_known(opening: &[u8], qr_codes: QrCodes) -> bool {
    zip::begins(opening) || AttachmentKind::of(opening, qr_codes).is_some()
}

/// Judges all that was read from a file, and reports it.
pub fn judge_contents(
    at: (&PartContext<'_>, &Part, &Place),
    contents: &Contents,
    judge: &mut Judge<'_>,
    budget: &mut Budget<'_>,
    found: &mut Findings,
) {
    let (context, entry, place) = at;
    judge_links(at, &contents.links, judge, budget, found);
    for program in &contents.programs {
        let judged = judge.dangerous(program, None);
        report(context, (entry, place.clone()), program, &judged, found);
        if !budget.spend_link(program.len(), judge.take_steps()) {
            return;
        }
    }
    for body in &contents.bodies {
        judge_body(at, body, judge, budget, found);
    }
}

/// Reads the pictures inside an HTML part.
fn read_inline_pictures(
    context: PartContext<'_>,
    (part, entry): (usize, &Part),
    judge: &mut Judge<'_>,
    budget: &mut Budget<'_>,
    found: &mut Findings,
) {
    let page = entry.is_read_as(Media::Html);
    if !page || context.policy.qr_codes == QrCodes::Off {
        return;
    }
    let mut readings = mime::all_readings(context.message, context.tree, part);
    let Some(reading) = readings.next() else { return };
    let text = reading.text.as_str();
    if !budget.spend(Stage::Decoding, text.len() as u64) {
        return;
    }
    for bytes in maillinks::pictures(text) {
        let Some(kind) = images::format(&bytes).map(AttachmentKind::Picture) else { continue };
        let Some(contents) = kind.read(&bytes, budget) else { return };
        if contents.unread {
            found.bypass(&entry.path, Bypass::Opaque);
        }
        judge_links((&context, entry, &kind.place()), &contents.links, judge, budget, found);
    }
}

/// Judges the links of a document, and reports them.
fn judge_links(
    (context, entry, place): (&PartContext<'_>, &Part, &Place),
    links: &BTreeSet<String>,
    judge: &mut Judge<'_>,
    budget: &mut Budget<'_>,
    found: &mut Findings,
) {
    for url in links {
        for target in reference::parse(url, 0..url.len()) {
            let judged = match &target {
                Target::Link(link) => judge.link(url, link, HostBounds::Certain),
                Target::Dangerous { host, .. } => judge.followed(url, host.clone()),
            };
            if let Some(judged) = judged {
                report(context, (entry, place.clone()), url, &judged, found);
            }
        }
        if !budget.spend_link(url.len(), judge.take_steps()) {
            return;
        }
    }
}

/// Judges the links of a text that is shown, and reports them.
fn judge_body(
    (context, entry, place): (&PartContext<'_>, &Part, &Place),
    body: &Body,
    judge: &mut Judge<'_>,
    budget: &mut Budget<'_>,
    found: &mut Findings,
) {
    let (text, media) = match body {
        Body::Text(text) => (text, Media::Plain),
        Body::Html(text) | Body::Anchors(text) => (text, Media::Html),
    };
    // What they lead to is in the text as well.
    let is_anchors = matches!(body, Body::Anchors(_));
    let capacity = budget.capacity();
    let tlds = judge.tlds();
    for layer in maillinks::layers(text, media) {
        let read = maillinks::read_in_turn(&layer, tlds, capacity, &mut |view| {
            if !budget.spend(Stage::Reading, view.steps) {
                return ControlFlow::Break(());
            }
            let mut judged = Vec::with_capacity(view.occurrences.len());
            for occurrence in &view.occurrences {
                let seen = view.seen.get(occurrence.seen).map_or("", |seen| seen.as_str());
                judged.push(judge.occurrence(seen, occurrence));
                if !budget.spend_link(occurrence.span().len(), judge.take_steps()) {
                    break;
                }
            }
            let run = OccurrenceRun { start: 0, occurrences: &view.occurrences };
            AnchorComparison::of(&view).compare(run, (judge, &mut *budget), &mut judged);
            for (occurrence, judged) in view.occurrences.iter().zip(&judged) {
                let seen = view.seen.get(occurrence.seen).map_or("", |seen| seen.as_str());
                let url = seen.get(occurrence.span()).unwrap_or_default();
                if let Some(judged) = judged
                    && (occurrence.seen_by == SeenBy::Standard
                        || judge.is_deceptive(seen, occurrence, judged))
                    && (!is_anchors || says_more_than_text(occurrence, judged))
                {
                    report(context, (entry, place.clone()), url, judged, found);
                }
            }
            if view.cut {
                found.bypass(&entry.path, Bypass::Limit(Limit::Links));
            }
            match budget.limit_reached() {
                Some(_) => ControlFlow::Break(()),
                None => ControlFlow::Continue(()),
            }
        });
        if read.is_break() {
            return;
        }
    }
}

/// Whether a link of a page says what its target in the text of a file does not.
fn says_more_than_text(occurrence: &Occurrence, judged: &Judged) -> bool {
    let is_run = matches!(occurrence.target, Target::Dangerous { .. });
    judged.reasons.contains(Reason::TextHrefMismatch) || is_run && judged.verdict > Verdict::Notice
}

fn report(
    context: &PartContext<'_>,
    (entry, place): (&Part, Place),
    url: &str,
    judged: &Judged,
    found: &mut Findings,
) {
    found.remember_harmless(judged);
    if found.links() >= context.policy.limits.links {
        found.more.links += 1;
        return;
    }
    let span = entry.raw_range().unwrap_or_default();
    let finding = context.finding_of(judged, &entry.path, place, span, url);
    let tld_status = judged.tld_status.clone();
    found.push(context.policy, Candidate { tld_status, ..Candidate::report_only(finding) });
}
