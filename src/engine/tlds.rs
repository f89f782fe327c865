//! The top-level domains that exist, as the engine is told of them.

use std::collections::{BTreeMap, HashSet};

/// A table of top-level domains, all in lower-case ASCII form.
#[derive(Clone, Debug, Default)]
pub struct TldTable {
    names: HashSet<Box<str>>,
    /// Version line of the source: IANA's date and serial.
    pub version: String,
}

impl TldTable {
    /// A table of these names (A-labels, any case).
    pub fn new<S: AsRef<str>>(names: impl IntoIterator<Item = S>, version: &str) -> TldTable {
        let names = names
            .into_iter()
            .map(|name| name.as_ref().to_ascii_lowercase().into_boxed_str())
            .collect();
        TldTable { names, version: version.to_owned() }
    }

    /// Whether the TLD, in lower-case ASCII form, is in the table.
    pub fn contains(&self, ascii: &str) -> bool {
        self.names.contains(ascii)
    }

    pub fn len(&self) -> usize {
        self.names.len()
    }

    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// The names, sorted.
    pub fn sorted(&self) -> Vec<&str> {
        let mut names: Vec<&str> = self.names.iter().map(AsRef::as_ref).collect();
        names.sort_unstable();
        names
    }
}

/// What the DNS said of a name that the table lacks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Answer {
    Exists,
    /// NXDOMAIN.
    Missing,
    /// Timeout, SERVFAIL, refused: the table decides.
    Unverified,
}

/// Answers by TLD in lower-case ASCII form. An absent name counts as unverified.
pub type Answers = BTreeMap<String, Answer>;
