//! The validated settings that one inspection needs.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::limits::Limits;
use super::lists::Lists;
use super::words::Words;
use homograph::Names;
pub use homograph::RestrictionLevel;

use super::outcome::{Disposition, Edit, Reason, Reasons, Verdict};

/// How far the filter goes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Mode {
    /// Judge and report; not one body byte changes.
    ReportOnly,
    /// Edit what is unsafe or invalid.
    #[default]
    Enforce,
    /// Edit suspect links as well.
    Strict,
}

/// What to do with a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LinkAction {
    /// As it is.
    Leave,
    /// Percent-encode path, query and fragment.
    PercentEncode,
    /// Show the host in Punycode.
    Punycode,
    /// Make it no hyperlink: attributes inert, the visible text as it is.
    Unlink,
    /// Inert, Punycode, and dots bracketed in visible text.
    Defang,
}

/// What to do with the message on account of a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum MessageAction {
    /// Header fields of ours alone.
    Header,
    /// A tag in front of the Subject.
    SubjectTag,
    /// Hold, refuse, throw away.
    Dispose(Disposition),
}

/// What happens to signed parts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Signed {
    /// Edit what is unsafe, reversibly; the signature breaks until it is restored.
    #[default]
    EditUnsafe,
    /// Never edit below multipart/signed, nor text with a signature of OpenPGP around it.
    Report,
}

/// Whether HTML text gets anchors for its plain links (off: S23).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Linkify {
    /// No anchor is added.
    #[default]
    Off,
    /// Anchors are added to text of HTML parts.
    Html,
}

/// Whether a short explanation stands beside a dead link.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Notice {
    /// Nothing is written beside it.
    #[default]
    Off,
    /// The explanation stands in the text, behind the link.
    Inline,
}

/// Words on top of a message.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Banner {
    /// On top of one in which links were taken apart.
    pub links: Option<Wording>,
    /// On top of one that comes from outside.
    pub external: Option<Wording>,
    /// On top of one from outside whose author nobody here is known to have had mail from.
    pub first_contact: Option<Wording>,
}

/// Whose words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Wording {
    /// Those of [`Policy::words`], or ours, in the language of the message.
    BuiltIn,
    /// The operator's; `{host}` and `{reason}` stand for what was taken apart and why.
    Own(String),
}

/// HTML parts that are attachments: a header line says so, which the sender writes, and some clients show
/// them all the same. Files of SVG are never edited, but where every link is ([`Defang::All`]): programs
/// draw them as pictures, in which nothing can be clicked, or open them apart from the message.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum HtmlAttachments {
    /// Never edited, only reported.
    Report,
    /// Edited like any other part.
    #[default]
    Edit,
}

/// Pictures that are attached or shown: whether QR codes are looked for in them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum QrCodes {
    #[default]
    /// No.
    Off,
    /// The links in them are judged and told; nothing is edited for them.
    Report,
}

/// What becomes of a message that programs split in several ways.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum OnAmbiguous {
    /// It is reported.
    #[default]
    Accept,
    /// Every link in it is taken apart.
    Defuse,
    /// It is held, when there is a link in it.
    Quarantine,
}

/// Which links are treated as unsafe.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Defang {
    /// Those whose verdict asks for it.
    #[default]
    Judged,
    /// Every one: for analysts who share a message, and for mail that others have found to be spam.
    All,
}

/// Which links become findings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Report {
    /// Those of `notice` and worse.
    #[default]
    Findings,
    /// Every link, `ok` included.
    AllLinks,
}

/// Whether header fields of ours are added.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum HeaderFields {
    /// Told of what was done.
    #[default]
    Add,
    /// The message goes on without a word of ours.
    Omit,
}

/// Which top-level domains are asked of the DNS (S26).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AskTlds {
    /// Those that the table lacks.
    #[default]
    Unknown,
    /// Every one; the table decides where the DNS does not answer.
    Every,
}

/// Whether somebody is to be asked whether domains are bad.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AskDomains {
    /// Nobody; none are gathered.
    #[default]
    No,
    /// Those of links, at most [`Limits::domains`].
    OfLinks,
}

/// All that one inspection is told; made by [`crate::policy`] and the configuration.
#[derive(Clone, Debug)]
pub struct Policy {
    /// Whether mail is edited, and how much of it.
    pub mode: Mode,
    /// Name of the rule that selected these settings, for header and `explain`.
    pub rule: String,
    /// Exempt from edits; judged and reported all the same. The reason in a word.
    pub exempt: Option<String>,
    /// The lowest level (UTS #39 §5.2) that passes.
    pub level: RestrictionLevel,
    /// Action by verdict, in place of the mode's.
    pub verdict_actions: BTreeMap<Verdict, LinkAction>,
    /// Action by reason; it goes before [`Policy::verdict_actions`].
    pub reason_actions: BTreeMap<Reason, LinkAction>,
    /// Message actions by verdict; the strictest wins.
    pub message_actions: BTreeMap<Verdict, MessageAction>,
    /// The same by reason.
    pub reason_message_actions: BTreeMap<Reason, MessageAction>,
    /// Names impersonated most, and the operator's own.
    pub protected: Arc<Names>,
    /// The operator's block list.
    pub blocked: Arc<Names>,
    /// The operator's allow list: hosts never edited.
    pub allowed: Arc<Names>,
    /// Lists of rules, and of others.
    pub lists: Lists,
    /// Whether signed parts are edited.
    pub signed: Signed,
    /// Whether plain links of HTML parts get anchors.
    pub linkify: Linkify,
    /// Whether an explanation stands beside a dead link.
    pub notice: Notice,
    /// Words on top of the message.
    pub banner: Banner,
    /// Words of notice and banner in languages of the operator's own.
    pub words: Arc<Words>,
    /// Whether HTML parts that are attachments are edited.
    pub html_attachments: HtmlAttachments,
    /// Whether QR codes in pictures are looked for.
    pub qr_codes: QrCodes,
    /// Whether good links are taken apart as well.
    pub defang: Defang,
    /// Whether good links are findings as well.
    pub report: Report,
    /// Whether header fields of ours are added.
    pub header_fields: HeaderFields,
    /// In front of the Subject, when asked for.
    pub subject_tag: String,
    /// Largest `X-Linkmilter-Undo` value in bytes; a bigger recipe is handed out in
    /// [`super::Outcome`] to be kept elsewhere. `None`: no cap (command line).
    pub undo_header_bytes: Option<usize>,
    /// Key of the seal (HMAC-SHA-256) on our own header fields.
    pub seal_key: Option<Arc<[u8]>>,
    /// Keys that it was sealed with before: what they sealed is still ours.
    pub old_seal_keys: Vec<Arc<[u8]>>,
    /// What becomes of the message where the engine fails on it.
    pub on_error: Disposition,
    /// Where a limit was met that left most of it read: `limit:max_message`, `limit:extras`.
    pub on_limit: Disposition,
    /// What using up time, steps, memory or parts does to it ([`Bypass::is_exhaustion`]).
    ///
    /// [`Bypass::is_exhaustion`]: crate::outcome::Bypass::is_exhaustion
    pub on_exhausted: Disposition,
    /// Where a part cannot be looked into: encrypted, archive, office format.
    pub on_opaque: Disposition,
    /// Where programs split the message in several ways.
    pub on_ambiguous: OnAmbiguous,
    /// Which top-level domains the DNS is asked about.
    pub ask_tlds: AskTlds,
    /// Whether domains of links are gathered to be asked about.
    pub ask_domains: AskDomains,
    /// Bounds on what reading the message may take.
    pub limits: Limits,
}

impl Policy {
    /// Every key whose seal is ours, the present one first.
    pub fn known_keys(&self) -> Vec<&[u8]> {
        self.seal_key.iter().chain(&self.old_seal_keys).map(AsRef::as_ref).collect()
    }

    /// Whether an edit is made at all.
    pub fn edits(&self) -> bool {
        self.exempt.is_none() && self.mode != Mode::ReportOnly
    }

    /// Whether the host (lower-case ASCII form) is never edited.
    pub fn allows(&self, ascii: &str) -> bool {
        !ascii.is_empty() && (self.allowed.covers(ascii) || self.lists.allow(ascii))
    }

    /// The names of the settings that our header field tells: of several that served several recipients
    /// together, joined by `+`, and of one that has every link taken apart.
    pub fn told_rules(&self) -> &str {
        let all = self.defang == Defang::All && self.edits() && self.rule != "default";
        if all || self.rule.contains('+') { &self.rule } else { "" }
    }

    /// The action that mode, verdict and reasons ask for; a reason wins over its verdict. A verdict asks
    /// for nothing where no client opens the link or no reader mistakes it (S30).
    pub fn asked(&self, verdict: Verdict, reasons: Reasons, edit: Edit) -> LinkAction {
        if self.mode == Mode::ReportOnly {
            return LinkAction::Leave;
        }
        let by_reason = reasons.iter().filter_map(|reason| self.reason_actions.get(&reason)).max();
        if let Some(action) = by_reason {
            return *action;
        }
        let mild = self.mode == Mode::Strict || verdict <= Verdict::Suspect;
        let needed = if mild { Edit::Told } else { Edit::Link };
        if edit < needed {
            return LinkAction::Leave;
        }
        if let Some(action) = self.verdict_actions.get(&verdict) {
            return *action;
        }
        let floor = if self.mode == Mode::Strict { Verdict::Suspect } else { Verdict::Unsafe };
        if verdict >= floor { LinkAction::Defang } else { LinkAction::Leave }
    }
}

impl Default for Policy {
    fn default() -> Self {
        Policy {
            mode: Mode::default(),
            rule: "default".to_owned(),
            exempt: None,
            level: RestrictionLevel::default(),
            verdict_actions: BTreeMap::new(),
            reason_actions: BTreeMap::new(),
            message_actions: BTreeMap::new(),
            reason_message_actions: BTreeMap::new(),
            protected: Arc::new(Names::builtin()),
            blocked: Arc::new(Names::default()),
            allowed: Arc::new(Names::default()),
            lists: Lists::default(),
            signed: Signed::default(),
            linkify: Linkify::default(),
            notice: Notice::default(),
            banner: Banner::default(),
            words: Arc::default(),
            html_attachments: HtmlAttachments::default(),
            qr_codes: QrCodes::default(),
            defang: Defang::default(),
            report: Report::default(),
            header_fields: HeaderFields::default(),
            subject_tag: "[deceptive link]".to_owned(),
            undo_header_bytes: Some(6_000),
            seal_key: None,
            old_seal_keys: Vec::new(),
            on_error: Disposition::Accept,
            on_limit: Disposition::Accept,
            on_exhausted: Disposition::Quarantine,
            on_opaque: Disposition::Accept,
            on_ambiguous: OnAmbiguous::default(),
            ask_tlds: AskTlds::default(),
            ask_domains: AskDomains::default(),
            limits: Limits::default(),
        }
    }
}
