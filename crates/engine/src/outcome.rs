//! The outcome of an inspection: findings, edits, header fields.

use std::fmt;
use std::ops::Range;

use super::cost::Cost;
pub use homograph::verdict::{Edit, Reason, Reasons, Verdict};
pub use maillinks::Place;
use mailsplice::Whole;
use mailsplice::splice::{apply, apply_head};
use mailsplice::whole::LineEnd;

pub use mailsplice::edit::{Bypass, Field, HeadEdit, Limit, RawEdit, StoredRecipe};
pub use mailsplice::signatures::{Signature, Signatures};

/// What was done to a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Done {
    /// Nothing: the policy reports only, or the place cannot be edited.
    Reported,
    /// Edited in every place where it was.
    Edited,
    /// Not edited because of an exemption.
    Exempt,
}

/// One link in one place, with its judgement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// Path of the part, as in IMAP: `1.2`; `0` is the message's own header.
    pub part: String,
    /// What the link is in.
    pub place: Place,
    /// Bytes of the raw body that hold the link; of the raw head for [`Place::Header`].
    pub span: Range<usize>,
    /// The link as it is spelled, decoded.
    pub spelling: String,
    /// The host in ASCII (A-labels), empty when it has none.
    pub ascii: String,
    /// The host in Unicode (U-labels).
    pub unicode: String,
    /// How bad it is.
    pub verdict: Verdict,
    /// Why, as a set of codes.
    pub reasons: Reasons,
    /// Whether a client would open it and a reader mistake it.
    pub edit: Edit,
    /// The protected name that the host looks like.
    pub target: Option<String>,
    /// The lists that name a host of it, or its URL, as keys of the configuration ([`Reason::Listed`]).
    pub lists: Vec<String>,
    /// What was done to it in this message.
    pub done: Done,
}

/// The lowest verdict of a message of which something was not read. Encrypted parts and office files are common, but
/// the message cannot be called harmless.
pub const fn unread_verdict(bypass: &Bypass) -> Verdict {
    match bypass {
        Bypass::Limit(_) | Bypass::Panic => Verdict::Suspect,
        Bypass::Opaque => Verdict::Notice,
    }
}

/// Why a message is not simply delivered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Because {
    /// A link with this verdict, the worst of those for which the policy asks it.
    Link(Verdict),
    /// Programs disagree about its structure.
    Structure,
    /// Something was not read. Nothing that was found asks for as much.
    Unread(Bypass),
}

impl fmt::Display for Because {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Because::Link(Verdict::Unsafe) => out.write_str("deceptive link"),
            Because::Link(verdict) => write!(out, "{verdict} link"),
            Because::Structure => out.write_str("ambiguous structure"),
            Because::Unread(why) => write!(out, "not read in full ({why})"),
        }
    }
}

/// What is to be done with the message as a whole.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Disposition {
    /// Deliver, edited or not.
    #[default]
    Accept,
    /// Hold in the MTA's quarantine.
    Quarantine,
    /// Ask the sender to try again later.
    Tempfail,
    /// Refuse with an enhanced status code.
    Reject,
    /// Accept and throw away.
    Discard,
}

impl Disposition {
    /// Whether the message reaches a mailbox or a quarantine, with its edits.
    pub fn delivers(self) -> bool {
        matches!(self, Disposition::Accept | Disposition::Quarantine)
    }
}

/// The result of an inspection: what was found, and what to change.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// The worst verdict of all findings, and of what was not read.
    pub verdict: Verdict,
    /// Links and mail addresses found, harmless ones included.
    pub links: usize,
    /// Every finding of `notice` and worse (every link, when the policy asks for all).
    pub findings: Vec<Finding>,
    /// Links beyond those. They were judged and edited in the same way, and are only counted.
    pub more: More,
    /// Edits of the raw body, in order and disjoint. If empty, the body is unchanged.
    pub edits: Vec<RawEdit>,
    /// Edits of the message's own header fields: a tag in the Subject, the label of a body whose encoding changed, fields
    /// of ours that came from outside.
    pub head_edits: Vec<HeadEdit>,
    /// The signatures that stood in the message and that its edits break, until they are undone.
    pub broken: Signatures,
    /// Header fields to add.
    pub fields: Vec<Field>,
    /// The recipe that reverts the edits, if it does not fit into a header field.
    pub stored: Option<StoredRecipe>,
    /// What the MTA is to do with the message: the strictest action that was asked for.
    pub disposition: Disposition,
    /// Why, if it is not to be delivered.
    pub because: Option<Because>,
    /// What was not read, and why, with the part's path.
    pub bypasses: Vec<(String, Bypass)>,
    /// Hosts of harmless links, in lower-case ASCII form, sorted, each once and at most [`PASSED`](super::finding::PASSED). A
    /// host of a finding may be among them.
    pub passed: Vec<String>,
    /// Whether there were more of them.
    pub passed_more: bool,
    /// The steps spent, by stage.
    pub cost: Cost,
}

/// Links with a verdict worse than `ok` that are not among the findings. They add no reason and no worse verdict to
/// those of the findings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct More {
    /// How many there were.
    pub links: usize,
    /// Those of them that were edited.
    pub edited: usize,
}

/// Where our fields go in this header: at the top, unless the header begins with a blank, which would fold the last of
/// our fields; then behind its last line end. `None` if they would be folded there as well.
pub fn fields_at(head: &[u8]) -> Option<usize> {
    let is_folded = |rest: &[u8]| matches!(rest, [b' ' | b'\t', ..]);
    let behind = memchr::memrchr(b'\n', head).map(|feed| feed + 1);
    let places = [Some(0), behind];
    places.into_iter().flatten().find(|at| head.get(*at..).is_some_and(|rest| !is_folded(rest)))
}

impl Outcome {
    /// Links that were edited.
    pub fn edited(&self) -> usize {
        let findings = self.findings.iter().filter(|finding| finding.done == Done::Edited);
        findings.count() + self.more.edited
    }

    /// The message with all changes applied: our fields at the top, edits in header and body. `bytes` is what the
    /// inspected message was split from ([`Message::split`]). It is unchanged if our fields have no place in it
    /// ([`fields_at`]).
    ///
    /// [`Message::split`]: mailsplice::Message::split
    pub fn apply(&self, bytes: &[u8]) -> Vec<u8> {
        let Whole { envelope, message, separator } = Whole::split(bytes);
        let body = apply(message.body, &self.edits);
        let mut out = Vec::with_capacity(bytes.len());
        out.extend_from_slice(envelope);
        let fields = LineEnd::of(message.head).fields(&self.fields);
        let mut head = apply_head(message.head, &self.head_edits);
        if let Some(at) = fields_at(&head) {
            head.splice(at..at, fields);
        } else if !fields.is_empty() {
            return bytes.to_vec();
        }
        out.extend(head);
        out.extend_from_slice(separator);
        body.for_each(|segment| out.extend_from_slice(segment));
        out
    }
}
