//! The operator's own words, by language: they replace ours, or are in a language that ours lack.

use std::collections::BTreeMap;

/// Words of one language. `None` keeps ours.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Own {
    /// Next to a defanged link.
    pub notice: Option<String>,
    /// Next to a defanged link in a part whose charset can hold only ASCII.
    pub notice_ascii: Option<String>,
    /// At the top of a message in which links were defanged; `{host}` and `{reason}` are replaced.
    pub links: Option<String>,
    /// At the top of a message from outside.
    pub external: Option<String>,
    /// At the top of the first known message from its author to the organization.
    pub first_contact: Option<String>,
}

/// The operator's words by primary language tag, in lower case.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Words(BTreeMap<String, Own>);

impl Words {
    /// `own` has primary language tags in lower case as keys.
    pub fn new(own: BTreeMap<String, Own>) -> Words {
        Words(own)
    }

    /// The words for a BCP 47 tag, with its primary tag.
    pub(crate) fn of(&self, language: &str) -> Option<(&str, &Own)> {
        let (tag, own) = self.0.get_key_value(&primary(language))?;
        Some((tag, own))
    }

    pub(crate) fn all(&self) -> impl Iterator<Item = &Own> {
        self.0.values()
    }
}

/// The primary tag of a BCP 47 tag, in lower case.
pub(crate) fn primary(language: &str) -> String {
    language.split(['-', '_']).next().unwrap_or_default().to_ascii_lowercase()
}
