//! Verdict, reasons, and whether mail is edited for them.

use std::fmt;
use std::str::FromStr;

/// How bad a label, host, link or message is. Ordered: the worst wins.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Verdict {
    /// No reason.
    #[default]
    Ok,
    /// Worth a line in a report; mail is never edited for it.
    Notice,
    /// Could mislead, but has innocent uses: edited by the `strict` profile only.
    Suspect,
    /// Misleads a careful reader: edited by default.
    Unsafe,
    /// Cannot be a host at all (UTS #46), or hides its direction.
    Invalid,
}

impl Verdict {
    /// Every verdict, mildest first.
    pub const ALL: [Verdict; 5] =
        [Verdict::Ok, Verdict::Notice, Verdict::Suspect, Verdict::Unsafe, Verdict::Invalid];

    /// The word used in headers, logs, JSON and configuration.
    pub const fn as_str(self) -> &'static str {
        match self {
            Verdict::Ok => "ok",
            Verdict::Notice => "notice",
            Verdict::Suspect => "suspect",
            Verdict::Unsafe => "unsafe",
            Verdict::Invalid => "invalid",
        }
    }

    /// The verdict with that name.
    pub fn from_name(name: &str) -> Option<Verdict> {
        Verdict::ALL.into_iter().find(|verdict| verdict.as_str() == name)
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.as_str())
    }
}

impl FromStr for Verdict {
    type Err = UnknownWord;

    fn from_str(name: &str) -> Result<Verdict, UnknownWord> {
        Verdict::from_name(name).ok_or_else(|| UnknownWord(name.to_owned()))
    }
}

/// A word that names no verdict, or no reason.
///
/// ```
/// use homograph::{Reason, Verdict};
///
/// assert_eq!("unsafe".parse(), Ok(Verdict::Unsafe));
/// assert_eq!("mixed-script".parse(), Ok(Reason::MixedScript));
/// let error = "bad".parse::<Verdict>().unwrap_err();
/// assert_eq!(error.to_string(), "expected a verdict or a reason, found \"bad\"");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected a verdict or a reason, found {0:?}")]
pub struct UnknownWord(pub String);

/// Whether mail is edited for a judgement: a client must open the name, and a reader must take it
/// for another one (S30). The verdict says how bad a name is, this says what follows for a message.
/// Ordered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Edit {
    /// No client opens it: the name cannot exist, or nothing is fetched.
    Inert,
    /// A word of running text with a dot in it, which nobody takes for another name.
    Word,
    /// No reader takes it for another name: reported, edited in strict mode only.
    #[default]
    Reported,
    /// A reader takes it for another name where it is meant as a link: after a scheme, `www.` or an
    /// `@`, or in an attribute.
    Link,
    /// A reader takes it for another name anywhere, also as a bare word of running text.
    Anywhere,
}

impl Edit {
    /// The word used in JSON.
    pub const fn as_str(self) -> &'static str {
        match self {
            Edit::Inert => "inert",
            Edit::Word => "word",
            Edit::Reported => "told",
            Edit::Link => "link",
            Edit::Anywhere => "anywhere",
        }
    }
}

macro_rules! reasons {
    ($($(#[doc = $doc:literal])* $name:ident = $code:literal, $verdict:ident;)*) => {
        /// Why a link was judged this way: the reason codes of headers, logs and JSON.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[repr(u8)]
        #[non_exhaustive]
        pub enum Reason { $($(#[doc = $doc])* $name,)* }

        impl Reason {
            /// Every reason, in the order of the documentation.
            pub const ALL: &'static [Reason] = &[$(Reason::$name),*];

            /// The code used in headers, logs, JSON and configuration.
            pub const fn code(self) -> &'static str {
                match self { $(Reason::$name => $code),* }
            }

            /// The text of its documentation.
            pub const fn about(self) -> &'static str {
                match self { $(Reason::$name => concat!($($doc),*).trim_ascii()),* }
            }

            /// The usual verdict of the reason: the context can make it milder or worse.
            pub const fn verdict(self) -> Verdict {
                match self { $(Reason::$name => Verdict::$verdict),* }
            }
        }
    };
}

reasons! {
    /// UTS #46 processing fails, leniently read (S28).
    IdnaInvalid = "idna-invalid", Invalid;
    /// A bidi control stands in the host, or turns a Subject or the name of a file round.
    BidiControl = "bidi-control", Invalid;
    /// A label below the required restriction level (UTS #39 §5.2).
    MixedScript = "mixed-script", Unsafe;
    /// A character whose Identifier_Status is not Allowed (UTS #39 §3.1), after mapping.
    StatusRestricted = "status-restricted", Unsafe;
    /// Styled letters that map to plain ones (unsafe), or width forms (notice).
    CompatForm = "compat-form", Unsafe;
    /// Digits of two systems (UTS #39 §5.3).
    NumberMix = "number-mix", Unsafe;
    /// Repeated or stray combining marks.
    MarkAbuse = "mark-abuse", Unsafe;
    /// Characters that read as `/ . - : ? #`; Kana or CJK strokes beside Latin.
    SeparatorLookalike = "separator-lookalike", Unsafe;
    /// The whole registrable label reads as Latin letters, away from the script's home.
    WholeScript = "whole-script", Unsafe;
    /// Reads as a protected name that it is not, or as another host of the same message.
    TargetLookalike = "target-lookalike", Unsafe;
    /// `javascript:` and the like in attributes that navigate.
    DangerousScheme = "dangerous-scheme", Unsafe;
    /// Something before an `@` in the authority.
    Userinfo = "userinfo", Suspect;
    /// A protected name stands inside a host of somebody else.
    NameInHost = "name-in-host", Suspect;
    /// Letters that read as digits.
    DigitLookalike = "digit-lookalike", Suspect;
    /// Letters such as þ ð ə where the TLD makes them deceptive.
    TldLetter = "tld-letter", Suspect;
    /// Decimal, hexadecimal or octal IPv4.
    NumericHost = "numeric-host", Suspect;
    /// The visible text is a host of another registrable domain than the target.
    TextHrefMismatch = "text-href-mismatch", Notice;
    /// A From display name is a host of another registrable domain.
    DisplayNameHost = "display-name-host", Notice;
    /// The sender's name says that it is somebody whose address it is not.
    DisplayNamePoses = "display-name-poses", Suspect;
    /// Words of a Subject, of the title of an event, of a sender's name or of a file's are in letters that are not what
    /// they read as.
    TextLookalike = "text-lookalike", Suspect;
    /// The parts of a multipart/alternative lead to different domains.
    AlternativeMismatch = "alternative-mismatch", Notice;
    /// bdo, unicode-bidi, hidden spans or soft breaks inside a visible host.
    HtmlObfuscated = "html-obfuscated", Suspect;
    /// Characters that nobody sees: mapping removed them from the host, or they stand in the rest.
    InvisibleRemoved = "invisible-removed", Notice;
    /// Dots other than U+002E separate the labels (S12).
    DotVariant = "dot-variant", Notice;
    /// A URL inside a URL, also unwrapped from a rewriter's link.
    EmbeddedUrl = "embedded-url", Notice;
    /// Mixed script in path, query or fragment (S22).
    ScriptPath = "script-path", Notice;
    /// `??--` other than `xn--` (RFC 3696 §5).
    HyphenPrefix = "hyphen-prefix", Notice;
    /// ASCII letters or dots of the host are percent-encoded, which nothing asks for.
    EncodedHost = "encoded-host", Suspect;
    /// The local part of an address is none by RFC 3696 §3 (S14).
    AddressInvalid = "address-invalid", Notice;
    /// A host that judges unsafe and that no reading of the message has met: somebody may see it.
    HiddenHost = "hidden-host", Suspect;
    /// Labels or delimiters that programs read in different ways, in a message with a link.
    AmbiguousStructure = "ambiguous-structure", Suspect;
    /// On the operator's block list, or on a list of others, with the verdict of that list.
    Listed = "listed", Unsafe;
    /// No TLD by syntax (S10).
    TldSyntax = "tld-syntax", Notice;
    /// No such TLD in the table or the DNS.
    TldUnknown = "tld-unknown", Notice;
    /// The DNS did not answer in time.
    TldUnverified = "tld-unverified", Notice;
}

impl Reason {
    /// The reason with that code.
    pub fn from_code(code: &str) -> Option<Reason> {
        Reason::ALL.iter().copied().find(|reason| reason.code() == code)
    }
}

impl FromStr for Reason {
    type Err = UnknownWord;

    fn from_str(code: &str) -> Result<Reason, UnknownWord> {
        Reason::from_code(code).ok_or_else(|| UnknownWord(code.to_owned()))
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.code())
    }
}

/// A set of reasons, iterated in the order of [`Reason::ALL`].
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Reasons(u64);

impl fmt::Debug for Reasons {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_set().entries(self.iter()).finish()
    }
}

impl Reasons {
    /// The empty set.
    pub const EMPTY: Reasons = Reasons(0);

    /// Adds a reason.
    pub fn insert(&mut self, reason: Reason) {
        self.0 |= 1 << reason as u8;
    }

    /// Removes a reason.
    pub fn remove(&mut self, reason: Reason) {
        self.0 &= !(1 << reason as u8);
    }

    /// Whether the set has this reason.
    pub fn contains(self, reason: Reason) -> bool {
        self.0 & (1 << reason as u8) != 0
    }

    /// Whether the set is empty.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The union of both sets.
    #[must_use]
    pub fn union(self, other: Reasons) -> Reasons {
        Reasons(self.0 | other.0)
    }

    /// The reasons in the order of [`Reason::ALL`].
    pub fn iter(self) -> impl Iterator<Item = Reason> {
        let mut left = self.0;
        std::iter::from_fn(move || {
            let next = Reason::ALL.get(left.trailing_zeros() as usize).copied();
            left &= left.saturating_sub(1);
            next
        })
    }
}

/// The worst verdict so far, and the reasons.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Findings {
    pub verdict: Verdict,
    pub reasons: Reasons,
}

impl Findings {
    pub(crate) fn add(&mut self, reason: Reason, verdict: Verdict) {
        self.reasons.insert(reason);
        self.verdict = self.verdict.max(verdict);
    }
}

impl FromIterator<Reason> for Reasons {
    fn from_iter<I: IntoIterator<Item = Reason>>(reasons: I) -> Self {
        let mut set = Reasons::EMPTY;
        for reason in reasons {
            set.insert(reason);
        }
        set
    }
}

/// UTS #39 §5.2 restriction levels, most restrictive first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RestrictionLevel {
    /// Only ASCII characters.
    AsciiOnly,
    /// All characters of one script, Common and Inherited aside.
    SingleScript,
    /// ASCII letters with the scripts of Japanese, of Korean or of Chinese; no other mixture.
    #[default]
    HighlyRestrictive,
    /// Latin with one other recommended script, but not with Cyrillic or Greek.
    ModeratelyRestrictive,
    /// Any mixture of scripts.
    MinimallyRestrictive,
    /// Any character, also outside the identifier profile.
    Unrestricted,
}
