//! Names that hosts must not imitate, and words that are none of them.

#[cfg(feature = "senders")]
pub(crate) mod beyond_ascii;
#[cfg(feature = "senders")]
pub(crate) mod consonants;
#[cfg(feature = "senders")]
pub(crate) mod display_text;
pub(crate) mod listed;
pub(crate) mod name;
pub(crate) mod names;
pub(crate) mod near;
pub(crate) mod organisations;
