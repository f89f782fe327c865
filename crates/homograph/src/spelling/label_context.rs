//! A label to be judged: its forms and its role in the host.

use crate::characters::reading::LabelChars;
use crate::verdict::RestrictionLevel;
use uts58::tlds::TldSet;

/// Which label of a host this is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// Part of the public suffix: only the registry can have chosen it.
    Suffix,
    /// The label that was registered.
    Registrable,
    /// Below the registrable domain.
    Sub,
}

/// A label with its forms and its role.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LabelContext<'a> {
    pub spelling: &'a str,
    pub unicode: &'a str,
    /// What the characters of `unicode` read as.
    pub chars: &'a LabelChars,
    pub role: Role,
    /// The top-level domain as a U-label.
    pub tld: &'a str,
    pub level: RestrictionLevel,
    /// The top-level domains that exist.
    pub tlds: &'a dyn TldSet,
}
