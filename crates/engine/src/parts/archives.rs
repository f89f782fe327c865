//! Files in an archive that is attached, and the parts of documents that are archives: what leads out of them is judged
//! and reported, never edited. A file is read as if it were attached by itself.

use std::collections::BTreeMap;

use super::attachments::{self, Contents, Polyglot};
use crate::budget::Budget;
use crate::cost::Stage;
use crate::finding::{Candidate, Findings};
use crate::judging::Judge;
use crate::outcome::{Bypass, Done, Place};
use crate::part_context::PartContext;
use maillinks::packages::{self, Kind, Member, Relations};
use maillinks::tnef::Body;
use maillinks::zip::{self, Unpacked, Unpacker, ZipFile};
use mailsplice::mime::{self, Media, Message, Part};

/// Archives in one another that are read: one in another one.
pub const ARCHIVES: u8 = 2;

/// Bytes of a file that say what it is, if its name does not.
const OPENING_BYTES: usize = 2_048;

/// Quarters of the steps that are left that an archive may take, and a file of it of those: what is longer is not read
/// to its end, so that others are, and the rest of the message.
const ARCHIVE_QUARTERS: u64 = 2;
const FILE_QUARTERS: u64 = 3;

/// Steps that a byte of a file takes at least, however it is read: more are not unpacked.
const FILE_STEPS_PER_BYTE: u64 = 4;

/// Steps of a file that is read as if it were attached, beside those of its bytes: a message is made of it.
const MESSAGE_STEPS: u64 = 512;

/// Reads a part that is an archive.
pub fn read(
    context: PartContext<'_>,
    (part, polyglot): (usize, Polyglot),
    judge: &mut Judge<'_>,
    budget: &mut Budget<'_>,
    found: &mut Findings,
) {
    let Some(entry) = context.tree.parts.get(part) else { return };
    let opaque = entry.media == Media::Opaque;
    // What reached a limit of the message must stay known.
    if budget.archives.were_read || budget.limit_reached().is_some() {
        return;
    }
    let mut unread = context.archives_left == 0;
    if !unread {
        let before = budget.cost().all();
        let kept = budget.lend(ARCHIVE_QUARTERS);
        unread = read_files((context, part), judge, budget, found);
        unread |= budget.take_back(kept);
        if context.archives_left == ARCHIVES {
            budget.archives.steps += budget.cost().all() - before;
        }
    }
    match polyglot {
        Polyglot::No if !unread && opaque => found.has_read(&entry.path),
        _ if unread && (opaque || !entry.label.starts_with("text/")) => {
            // Once, whatever else was said of it.
            found.has_read(&entry.path);
            found.bypass(&entry.path, Bypass::Opaque);
        }
        _ => {}
    }
}

/// Reads the files of an archive. Returns whether something was not read.
fn read_files(
    (context, part): (PartContext<'_>, usize),
    judge: &mut Judge<'_>,
    budget: &mut Budget<'_>,
    found: &mut Findings,
) -> bool {
    let transfer = context.tree.parts.get(part).map(Part::transfer).unwrap_or_default();
    let raw = context.tree.content(context.message, part);
    if !budget.spend(Stage::Decoding, raw.len() as u64) {
        return true;
    }
    let bytes = transfer.bytes(raw);
    let Some(mut archive) = Archive::of((context, part), &bytes, budget) else { return true };
    archive.read(judge, budget, found);
    archive.unread
}

/// An archive that is read.
struct Archive<'a> {
    context: PartContext<'a>,
    part: usize,
    kind: Kind,
    files: Vec<ZipFile<'a>>,
    /// The places of files by their names in lower case; of one that has two names, by both.
    names: BTreeMap<String, usize>,
    /// Which files were read with their relationships.
    done: Vec<bool>,
    unpacker: Unpacker,
    unread: bool,
}

/// Which files of an archive are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Pass {
    /// Relationships, with the parts of which they are.
    Relations,
    Rest,
}

impl<'a> Archive<'a> {
    /// `None` if no steps are left.
    fn of(
        (context, part): (PartContext<'a>, usize),
        bytes: &'a [u8],
        budget: &mut Budget<'_>,
    ) -> Option<Archive<'a>> {
        let zip::Zip { files, unread } =
            zip::files(bytes, |steps| budget.spend(Stage::Reading, steps))?;
        let mut names = BTreeMap::new();
        for (at, file) in files.iter().enumerate() {
            names.extend(file.names().map(|name| (name.to_ascii_lowercase(), at)));
        }
        let kind = Kind::of(names.keys().map(String::as_str));
        let done = vec![false; files.len()];
        let unread = unread || files.is_empty();
        let unpacker = Unpacker::of(bytes.len());
        Some(Archive { context, part, kind, files, names, done, unpacker, unread })
    }

    fn read(&mut self, judge: &mut Judge<'_>, budget: &mut Budget<'_>, found: &mut Findings) {
        // Short files first: many of them take less than a long one.
        let mut order: Vec<usize> = (0..self.files.len()).collect();
        order.sort_by_key(|at| self.files.get(*at).map(ZipFile::len));
        for pass in [Pass::Relations, Pass::Rest] {
            for at in order.iter().copied() {
                for name in self.names_of(at) {
                    let kept = budget.lend(FILE_QUARTERS);
                    self.member((at, &name), pass, judge, budget, found);
                    self.unread |= budget.take_back(kept);
                    if budget.limit_reached().is_some() {
                        return;
                    }
                }
            }
        }
    }

    /// Reads a file, if it is read in this pass.
    fn member(
        &mut self,
        (at, name): (usize, &str),
        pass: Pass,
        judge: &mut Judge<'_>,
        budget: &mut Budget<'_>,
        found: &mut Findings,
    ) {
        let lower = name.to_ascii_lowercase();
        match (pass, Member::of(&lower, self.kind)) {
            (Pass::Relations, Member::Relations) => {
                self.relations((at, &lower), judge, budget, found);
            }
            (Pass::Rest, Member::File) => self.file((at, name), judge, budget, found),
            (Pass::Rest, Member::Unknown) => self.unknown((at, name), judge, budget, found),
            (_, Member::Nothing | Member::Relations | Member::File | Member::Unknown) => {}
        }
    }

    fn names_of(&self, at: usize) -> Vec<String> {
        self.files.get(at).map(|file| file.names().collect()).unwrap_or_default()
    }

    /// Unpacks a file, at most so many bytes.
    fn unpack(&mut self, at: usize, most: u64, budget: &mut Budget<'_>) -> Vec<u8> {
        let Some(file) = self.files.get(at) else { return Vec::new() };
        let most = usize::try_from(most).unwrap_or(usize::MAX);
        let unpacked = self.unpacker.unpack(file, budget.left(), most);
        self.taken(unpacked, budget)
    }

    /// Unpacks a part of a document.
    fn unpack_part(&mut self, at: usize, budget: &mut Budget<'_>) -> Vec<u8> {
        self.unpack(at, budget.left(), budget)
    }

    fn taken(&mut self, unpacked: Unpacked, budget: &mut Budget<'_>) -> Vec<u8> {
        self.unread |= !unpacked.whole;
        match budget.spend(Stage::Decoding, unpacked.steps) {
            true => unpacked.bytes,
            false => Vec::new(),
        }
    }

    /// Reads relationships, with the part of which they are.
    fn relations(
        &mut self,
        (at, name): (usize, &str),
        judge: &mut Judge<'_>,
        budget: &mut Budget<'_>,
        found: &mut Findings,
    ) {
        let bytes = self.unpack_part(at, budget);
        if !budget.spend(Stage::Reading, bytes.len() as u64) {
            return;
        }
        let relations = Relations::read(&bytes);
        if relations.is_empty() {
            return;
        }
        let part = packages::related_part(name).and_then(|part| self.names.get(&part).copied());
        let part = part.filter(|part| self.done.get(*part) == Some(&false));
        let bytes = match part {
            Some(part) => {
                self.done.get_mut(part).into_iter().for_each(|done| *done = true);
                self.unpack_part(part, budget)
            }
            None => Vec::new(),
        };
        self.part((&bytes, &relations), judge, budget, found);
    }

    /// Reads a part of a document.
    fn part(
        &mut self,
        (bytes, relations): (&[u8], &Relations),
        judge: &mut Judge<'_>,
        budget: &mut Budget<'_>,
        found: &mut Findings,
    ) {
        let packages::PartLinks { reached, cut, steps } = packages::read_part(bytes, relations);
        self.unread |= cut;
        if !budget.spend(Stage::Reading, steps) {
            return;
        }
        let Some(entry) = self.context.tree.parts.get(self.part) else { return };
        let body = Some(reached.anchors).filter(|page| !page.is_empty()).map(Body::Html);
        let (bodies, programs) = (body.into_iter().collect(), reached.programs);
        let contents = Contents { bodies, programs, ..Contents::default() };
        let place = place("office", "link");
        attachments::judge_contents(
            (&self.context, entry, &place),
            &contents,
            judge,
            budget,
            found,
        );
    }

    /// Reads a file whose name does not say what it is.
    fn unknown(
        &mut self,
        (at, name): (usize, &str),
        judge: &mut Judge<'_>,
        budget: &mut Budget<'_>,
        found: &mut Findings,
    ) {
        if self.done.get(at) == Some(&true) {
            return;
        }
        let Some(file) = self.files.get(at) else { return };
        let opening = self.unpacker.first(file, OPENING_BYTES);
        if !budget.spend(Stage::Decoding, opening.steps) {
            return;
        }
        let opening = opening.bytes;
        if self.kind == Kind::Package && packages::is_part(&opening) {
            let bytes = self.unpack_part(at, budget);
            self.part((&bytes, &Relations::default()), judge, budget, found);
        } else if attachments::is_known(&opening, self.context.policy.qr_codes) {
            self.file((at, name), judge, budget, found);
        } else {
            self.unread = true;
        }
    }

    /// Reads a file as if it were attached by itself.
    fn file(
        &mut self,
        (at, name): (usize, &str),
        judge: &mut Judge<'_>,
        budget: &mut Budget<'_>,
        found: &mut Findings,
    ) {
        let bytes = self.unpack(at, budget.left() / FILE_STEPS_PER_BYTE, budget);
        let PartContext { policy, tlds, archives_left, .. } = self.context;
        let head = head_of(name);
        let message = Message { head: head.as_bytes(), body: &bytes };
        let mut tree = mime::parse_until(message, &budget.structure(&policy.limits), budget.stop);
        if !budget.spend(Stage::Structure, MESSAGE_STEPS + tree.steps) {
            return;
        }
        // There is nothing to edit.
        tree.parts.iter_mut().for_each(|part| part.surroundings.sealed = true);
        let mut inside = Findings::new(tree.bypasses.clone());
        let disjoint = tree.is_disjoint();
        for part in tree.in_order_of_sight() {
            let archives_left = archives_left.saturating_sub(1);
            let (message, tree) = (message, &tree);
            let mut context = PartContext {
                message,
                tree,
                language: None,
                policy,
                tlds,
                disjoint,
                archives_left,
            };
            context.read(part, judge, budget, &mut inside);
            if budget.limit_reached().is_some() {
                break;
            }
        }
        self.report(inside, budget, found);
    }

    /// Reports what was found in a file as found in the archive.
    fn report(&mut self, inside: Findings, budget: &Budget<'_>, found: &mut Findings) {
        let Some(entry) = self.context.tree.parts.get(self.part) else { return };
        found.harmless += inside.harmless;
        found.more.links += inside.more.links;
        for host in inside.passed {
            found.keep_passed(host);
        }
        // Whatever bound was reached, there may be links in what was not read.
        self.unread |= !inside.bypasses.is_empty();
        let most = budget.findings.min(self.context.policy.limits.links);
        for candidate in inside.candidates {
            if found.candidates.len() >= most {
                found.more.links += 1;
                continue;
            }
            let mut finding = candidate.finding;
            finding.part.clone_from(&entry.path);
            finding.place = place("zip", "file");
            finding.span = entry.raw_range().unwrap_or_default();
            finding.done = Done::Reported;
            let tld_status = candidate.tld_status;
            let candidate = Candidate { tld_status, ..Candidate::report_only(finding) };
            found.push(self.context.policy, candidate);
        }
    }
}

fn place(element: &'static str, attribute: &'static str) -> Place {
    Place::Attribute { element: element.into(), attribute: attribute.into() }
}

/// The header of a message that is a file of this name.
fn head_of(name: &str) -> String {
    let file = name.rsplit('/').next().unwrap_or_default();
    let name: String = file.bytes().map(|byte| format!("%{byte:02X}")).collect();
    format!(
        "Content-Type: application/octet-stream; name*=utf-8''{name}\r\n\
         Content-Disposition: attachment\r\nContent-Transfer-Encoding: binary\r\n"
    )
}
