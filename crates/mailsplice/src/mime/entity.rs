//! An entity (RFC 2045 §2.4): its header, the meaning of its labels, and its parents.
//!
//! | clause | item |
//! | --- | --- |
//! | RFC 2046 §5.1.5, digest default type | [`Context::default_type`] |

use std::ops::Range;

use super::content_type::ContentType;
use super::labels::{BodyLabels, DefaultType};
use crate::signatures::Signatures;

/// A header that has been read, with its context.
#[derive(Clone)]
pub(super) struct Entity {
    /// Below a multipart: its own path. At the top of a message: the path of that message.
    pub path: String,
    pub place: EntityLevel,
    pub head: Head,
    pub labels: BodyLabels,
    pub context: Context,
    pub depth: usize,
    /// Offset of the first header line that is not a field: some clients begin the body there.
    pub ragged: Option<usize>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum EntityLevel {
    /// The content of a message; if it is a single part, it has number 1.
    Top,
    Child,
}

/// Properties that a part inherits from the multiparts around it.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Context {
    pub signed: Signatures,
    pub encrypted: bool,
    pub alternative: Option<usize>,
    /// Bytes of the path of that one.
    pub alternative_path: usize,
    /// The innermost multipart with bases of relative URLs.
    pub bases: Option<usize>,
    pub default_type: DefaultType,
}

impl Entity {
    /// The entity with only this type.
    pub fn of_type(&self, label: &ContentType) -> Entity {
        self.with(self.labels.of_type(label), self.head.clone())
    }

    /// The entity with other labels, from another header.
    pub fn with(&self, labels: BodyLabels, head: Head) -> Entity {
        let Entity { place, context, depth, ragged, .. } = *self;
        Entity { path: self.path.clone(), place, head, labels, context, depth, ragged }
    }

    pub fn leaf_path(&self) -> String {
        match self.place {
            EntityLevel::Top => join(&self.path, 1),
            EntityLevel::Child => self.path.clone(),
        }
    }
}

/// Where the header of a part is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Head {
    /// It is the header of the message itself.
    Message,
    /// Byte range in the layer of the part, without the empty line.
    Block(Range<usize>),
}

/// The path of the child with this number.
pub(super) fn join(path: &str, number: usize) -> String {
    if path.is_empty() { number.to_string() } else { format!("{path}.{number}") }
}
