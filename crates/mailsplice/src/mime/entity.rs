//! What has a header: where it stands, what its labels say, and what stands above it.
//!
//! | clause | item |
//! | --- | --- |
//! | RFC 2046 §5.1.5, digest default type | [`Context::default_type`] |

use std::ops::Range;

use super::labels::{DefaultType, Labels};

/// A header that has been read, and what stands above it.
#[derive(Clone)]
pub(super) struct Entity {
    /// Own number below a multipart; the number of the message around it at the top of one.
    pub path: String,
    pub place: Place,
    pub head: Head,
    pub labels: Labels,
    pub context: Context,
    pub depth: usize,
    /// A line in the header that is no field: some clients let the body begin there.
    pub ragged: Option<usize>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// The content of a message; a single part there is number 1.
    Top,
    Child,
}

/// What the multiparts above mean for a part.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Context {
    pub signed: bool,
    pub encrypted: bool,
    pub alternative: Option<usize>,
    pub default_type: DefaultType,
}

impl Entity {
    pub fn leaf_path(&self) -> String {
        match self.place {
            Place::Top => join(&self.path, 1),
            Place::Child => self.path.clone(),
        }
    }
}

/// Where the header of a part stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Head {
    /// It is the message's own.
    Message,
    /// In the layer of the part, without the empty line.
    Block(Range<usize>),
}

/// The path of the part of this number.
pub(super) fn join(path: &str, number: usize) -> String {
    if path.is_empty() { number.to_string() } else { format!("{path}.{number}") }
}
