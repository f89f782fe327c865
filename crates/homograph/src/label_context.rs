//! A label to be judged: in which forms, and where it stands.

use super::reading::Sights;
use crate::verdict::RestrictionLevel;
use uts58::tlds::TldSet;

/// Which label of a host this is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// Part of the public suffix: only the registry can have chosen it.
    Suffix,
    /// The label that somebody registered.
    Registrable,
    /// Below the registrable domain.
    Sub,
}

/// A label in its forms, and where it stands.
#[derive(Clone, Copy, Debug)]
pub(super) struct LabelContext<'a> {
    pub spelling: &'a str,
    pub unicode: &'a str,
    /// What the characters of `unicode` read as.
    pub sights: &'a Sights,
    pub role: Role,
    /// The top-level domain as a U-label.
    pub tld: &'a str,
    pub level: RestrictionLevel,
    /// What may end a host.
    pub tlds: &'a dyn TldSet,
}
