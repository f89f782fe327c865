//! Words of the operator's own, by language: they stand in the place of ours, or in a language that we have
//! none in.

use std::collections::BTreeMap;

/// Of one language; what is `None` stays as it is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Own {
    /// Beside a dead link.
    pub notice: Option<String>,
    /// The same where the charset of a part holds ASCII alone.
    pub notice_ascii: Option<String>,
    /// On top of a message in which links were taken apart; `{host}` and `{reason}` stand for what was.
    pub links: Option<String>,
    /// On top of a message from outside.
    pub external: Option<String>,
    /// On top of the first message that anybody here is known to have had from its author.
    pub first_contact: Option<String>,
}

/// By primary language tag, in lower case.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Words(BTreeMap<String, Own>);

impl Words {
    /// `own` by primary language tags in lower case.
    pub fn new(own: BTreeMap<String, Own>) -> Words {
        Words(own)
    }

    /// Those of a BCP 47 tag, with its primary tag.
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
