//! What characters are, and what they read as (UTS #39 §4).

pub(crate) mod bidi;
pub(crate) mod cjk;
#[cfg(feature = "senders")]
pub(crate) mod drawn_signs;
#[cfg(test)]
pub(crate) mod generated;
/// Derives the table of readings from its data.
#[cfg(test)]
pub(crate) mod glyphs;
pub(crate) mod letter_table;
pub mod letters;
pub(crate) mod lookalike;
pub(crate) mod looks;
#[cfg(feature = "character-names")]
pub(crate) mod other_letters;
pub(crate) mod phrase;
pub(crate) mod properties;
pub(crate) mod reading;
