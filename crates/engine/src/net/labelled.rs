//! Hosts that are none in the charset that their part declares.

use super::{Net, Origin};
use mailsplice::mime::{Charset, View};

/// Charsets of two bytes a character of which some are well-formed UTF-8: 址 is U+05B7 there.
const LABELS: [&str; 2] = ["gbk", "gb18030"];

impl Net<'_, '_, '_> {
    /// Whether a host that only a program sees which drops bytes is text in the charset that the label declares: no program
    /// ignores such a label and reads UTF-8 with what is none left out.
    pub(super) fn is_misread(&self, host: &str, at: usize, origin: Origin) -> bool {
        let declares = |index: usize| {
            let part = self.tree.parts.get(index).filter(|part| part.view == View::Usual);
            let mut charsets = LABELS.iter().filter_map(|label| Charset::from_label(label));
            part.is_some_and(|part| charsets.any(|charset| part.declares(charset)))
        };
        host.contains(char::REPLACEMENT_CHARACTER)
            && matches!(origin, Origin::Body)
            && self.part(at).is_some_and(declares)
    }
}
