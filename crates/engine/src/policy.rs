//! The validated settings of one inspection.

pub mod limits;
pub mod lists;
pub mod words;

use std::collections::BTreeMap;
use std::sync::Arc;

use homograph::Names;
pub use homograph::RestrictionLevel;
use limits::Limits;
use lists::Lists;
pub use maillinks::LinkAction;
use words::Words;

use super::outcome::{Disposition, Edit, Reason, Reasons, Verdict};

/// How much the filter edits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Mode {
    /// Judge and report. The body is not changed.
    ReportOnly,
    /// Edit what is unsafe or invalid.
    #[default]
    Enforce,
    /// Edit suspect links as well.
    Strict,
}

/// What to do with the message because of a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum MessageAction {
    /// Add our header fields only.
    Header,
    /// Put a tag in front of the Subject.
    SubjectTag,
    /// Quarantine, reject or discard it.
    Dispose(Disposition),
}

/// What happens to signed parts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Signed {
    /// Edit what is unsafe, reversibly. The signature is invalid until the message is restored.
    #[default]
    EditUnsafe,
    /// Never edit inside multipart/signed, nor text inside an OpenPGP signature.
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

/// Whether a short explanation is written next to a defanged link.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Notice {
    /// Nothing is written.
    #[default]
    Off,
    /// The explanation is written in the text, after the link.
    Inline,
}

/// Banners at the top of a message.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Banner {
    /// For a message in which links were defanged.
    pub links: Option<Wording>,
    /// For a message from outside.
    pub external: Option<Wording>,
    /// For a message from outside whose author is not known to have written to the organization before.
    pub first_contact: Option<Wording>,
}

/// The text of a banner.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Wording {
    /// The words of [`Policy::words`], or ours, in the language of the message.
    BuiltIn,
    /// The operator's own; `{host}` and `{reason}` are replaced by what was defanged and why.
    Own(String),
}

/// What happens to HTML parts that are attachments. The sender writes the header line that says so, and some clients
/// show them nevertheless. SVG files are edited only if every link is ([`Defang::All`]): programs draw them as
/// pictures, in which nothing can be clicked, or open them outside the message.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum HtmlAttachments {
    /// Never edited, only reported.
    Report,
    /// Edited like any other part.
    #[default]
    Edit,
}

/// Whether pictures, attached or shown, are searched for QR codes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum QrCodes {
    #[default]
    /// No.
    Off,
    /// Links in them are judged and reported. Nothing is edited.
    Report,
}

/// What happens to a message that programs split in several ways.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum OnAmbiguous {
    /// It is reported.
    #[default]
    Accept,
    /// Every link in it is defanged.
    Defuse,
    /// It is quarantined if there is a link in it.
    Quarantine,
}

/// Which links are treated as unsafe.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Defang {
    /// Those with such a verdict.
    #[default]
    Judged,
    /// Every link: for analysts who share a message, and for mail that other filters have found to be spam.
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
    /// They are added.
    #[default]
    Add,
    /// None is added.
    Omit,
}

/// Which top-level domains are looked up in the DNS (S26).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AskTlds {
    /// Those that the table lacks.
    #[default]
    Unknown,
    /// Every one. The table decides if the DNS does not answer.
    Every,
}

/// Whether domains are collected for a lookup in third-party lists.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AskDomains {
    /// None are collected.
    #[default]
    No,
    /// Those of links, at most [`Limits::domains`].
    OfLinks,
}

/// Actions for what is found in a link.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Actions<A> {
    /// Those for its verdict.
    pub by_verdict: BTreeMap<Verdict, A>,
    /// Those for a reason of it.
    pub by_reason: BTreeMap<Reason, A>,
}

/// The settings of one inspection, built from the configuration and its rules.
#[derive(Clone, Debug)]
pub struct Policy {
    /// Whether mail is edited, and how much of it.
    pub mode: Mode,
    /// Name of the rule that selected these settings, for the header field and `explain`.
    pub rule: String,
    /// Why the message is exempt from edits, in a word. It is judged and reported nevertheless.
    pub exempt: Option<String>,
    /// The lowest level (UTS #39 §5.2) that passes.
    pub level: RestrictionLevel,
    /// What is done to a link, in place of what the mode does. A reason takes precedence over a verdict.
    pub link_actions: Actions<LinkAction>,
    /// What is done to a message because of a link. The strictest one is taken.
    pub message_actions: Actions<MessageAction>,
    /// Protected names: those that are impersonated most, and the operator's own.
    pub protected: Arc<Names>,
    /// The operator's block list.
    pub blocked: Arc<Names>,
    /// The operator's allow list: hosts never edited.
    pub allowed: Arc<Names>,
    /// Lists of rules, and third-party lists.
    pub lists: Lists,
    /// Whether signed parts are edited.
    pub signed: Signed,
    /// Whether plain links of HTML parts get anchors.
    pub linkify: Linkify,
    /// Whether an explanation is written next to a defanged link.
    pub notice: Notice,
    /// Banners at the top of the message.
    pub banner: Banner,
    /// The operator's own words for notices and banners, by language.
    pub words: Arc<Words>,
    /// Whether HTML parts that are attachments are edited.
    pub html_attachments: HtmlAttachments,
    /// Whether pictures are searched for QR codes.
    pub qr_codes: QrCodes,
    /// Whether good links are defanged as well.
    pub defang: Defang,
    /// Whether good links are findings as well.
    pub report: Report,
    /// Whether header fields of ours are added.
    pub header_fields: HeaderFields,
    /// The tag in front of the Subject, if an action asks for one.
    pub subject_tag: String,
    /// Largest `X-Linkmilter-Undo` value in bytes. A larger recipe is returned in [`super::Outcome`] to be stored
    /// elsewhere. `None`: no limit (command line).
    pub undo_header_bytes: Option<usize>,
    /// Key of the seal (HMAC-SHA-256) on our own header fields.
    pub seal_key: Option<Arc<[u8]>>,
    /// Earlier keys of the seal. Fields sealed with them are still ours.
    pub old_seal_keys: Vec<Arc<[u8]>>,
    /// What happens to the message if the engine fails on it.
    pub on_error: Disposition,
    /// What happens if a limit was reached that left most of the message read: `limit:max_message`, `limit:extras`.
    pub on_limit: Disposition,
    /// What happens if time, steps, memory or parts were used up ([`Bypass::is_exhaustion`]).
    ///
    /// [`Bypass::is_exhaustion`]: crate::outcome::Bypass::is_exhaustion
    pub on_exhausted: Disposition,
    /// What happens if a part cannot be read: encrypted, archive, office format.
    pub on_opaque: Disposition,
    /// What happens if programs split the message in several ways.
    pub on_ambiguous: OnAmbiguous,
    /// Which top-level domains are looked up in the DNS.
    pub ask_tlds: AskTlds,
    /// Whether domains of links are collected for a lookup.
    pub ask_domains: AskDomains,
    /// Limits on what reading the message may take.
    pub limits: Limits,
}

impl Policy {
    /// Every key whose seal is ours, the current one first.
    pub fn known_keys(&self) -> Vec<&[u8]> {
        self.seal_key.iter().chain(&self.old_seal_keys).map(AsRef::as_ref).collect()
    }

    /// Whether edits are made at all.
    pub fn edits(&self) -> bool {
        self.exempt.is_none() && self.mode != Mode::ReportOnly
    }

    /// Whether third-party lists of hosts do not apply to the host (lower-case ASCII form): it is protected, allowed or
    /// the operator's own.
    pub fn is_above_listings(&self, ascii: &str) -> bool {
        let nobody = Names::default();
        let mut protected =
            std::iter::once(&nobody).chain(self.lists.protected.iter().map(Arc::as_ref));
        self.allows(ascii)
            || self.lists.own.covers(ascii)
            || protected.any(|names| homograph::is_protected(ascii, &self.protected, names))
    }

    /// Whether the host (lower-case ASCII form) is never edited.
    pub fn allows(&self, ascii: &str) -> bool {
        !ascii.is_empty() && (self.allowed.covers(ascii) || self.lists.allow(ascii))
    }

    /// The rule names for our header field: those joined by `+`, if several served several recipients together, and
    /// one that has every link defanged. Else empty.
    pub fn shown_rules(&self) -> &str {
        let all = self.defang == Defang::All && self.edits() && self.rule != "default";
        if all || self.rule.contains('+') { &self.rule } else { "" }
    }

    /// The action for a link in this mode, by its verdict and reasons. A reason overrides its verdict. A verdict has
    /// no effect if no client opens the link or no reader mistakes it (S30).
    pub fn link_action(
        &self,
        mode: Mode,
        verdict: Verdict,
        reasons: Reasons,
        edit: Edit,
    ) -> LinkAction {
        if mode == Mode::ReportOnly {
            return LinkAction::Leave;
        }
        let by_verdict = || self.action_by_verdict(mode, verdict, edit);
        let by_reason =
            reasons.iter().filter_map(|reason| self.link_actions.by_reason.get(&reason)).max();
        match by_reason {
            // Whoever deceives could add such a path.
            Some(LinkAction::PercentEncode) if verdict >= Verdict::Unsafe => {
                by_verdict().max(LinkAction::PercentEncode)
            }
            Some(LinkAction::Leave) if self.stands_without_left(reasons) => by_verdict(),
            Some(action) => *action,
            None => by_verdict(),
        }
    }

    /// Whether reasons that are not to be left alone say more than a notice: whoever deceives could add those that are.
    fn stands_without_left(&self, reasons: Reasons) -> bool {
        let mut others =
            reasons.iter().filter(|reason| !self.link_actions.by_reason.contains_key(reason));
        others.any(|reason| reason.verdict() > Verdict::Notice)
    }

    fn action_by_verdict(&self, mode: Mode, verdict: Verdict, edit: Edit) -> LinkAction {
        let mild = mode == Mode::Strict || verdict <= Verdict::Suspect;
        let needed = if mild { Edit::Reported } else { Edit::Link };
        if edit < needed {
            return LinkAction::Leave;
        }
        match self.link_actions.by_verdict.get(&verdict) {
            Some(LinkAction::PercentEncode) if verdict >= Verdict::Unsafe => {
                return LinkAction::Defang;
            }
            Some(action) => return *action,
            None => {}
        }
        let floor = if mode == Mode::Strict { Verdict::Suspect } else { Verdict::Unsafe };
        if verdict >= floor { LinkAction::Defang } else { LinkAction::Leave }
    }
}

impl<A> Default for Actions<A> {
    fn default() -> Self {
        Actions { by_verdict: BTreeMap::new(), by_reason: BTreeMap::new() }
    }
}

impl<A> Actions<A> {
    /// Whether nothing is asked for.
    pub fn is_empty(&self) -> bool {
        self.values().next().is_none()
    }

    /// All actions, in no order that means anything.
    pub fn values(&self) -> impl Iterator<Item = &A> {
        self.by_verdict.values().chain(self.by_reason.values())
    }

    /// Removes all actions but these.
    pub fn retain(&mut self, keeps: impl Fn(&A) -> bool) {
        self.by_verdict.retain(|_, action| keeps(action));
        self.by_reason.retain(|_, action| keeps(action));
    }

    /// Adds these actions, in place of those for the same verdict or reason.
    pub fn extend(&mut self, more: &Actions<A>)
    where
        A: Copy,
    {
        self.by_verdict.extend(&more.by_verdict);
        self.by_reason.extend(&more.by_reason);
    }
}

impl Default for Policy {
    fn default() -> Self {
        Policy {
            mode: Mode::default(),
            rule: "default".to_owned(),
            exempt: None,
            level: RestrictionLevel::default(),
            link_actions: Actions::default(),
            message_actions: Actions::default(),
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
