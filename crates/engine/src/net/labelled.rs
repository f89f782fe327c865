//! Hosts that are none in the charset that their part declares.

use super::{BytesOrigin, Net};
use mailsplice::mime::ClientView;

impl Net<'_, '_, '_> {
    /// Whether a host that only a program sees which drops bytes is text in the charset that the label declares, where
    /// characters have two bytes or more: some of these are well-formed UTF-8 (址 of GBK is U+05B7), and no program ignores
    /// such a label and reads UTF-8 with what is none left out.
    pub(super) fn is_misread(&self, host: &str, at: usize, origin: BytesOrigin) -> bool {
        let declares = |index: usize| {
            let part = self.tree.parts.get(index).filter(|part| part.view == ClientView::Usual);
            let charset = part.and_then(mailsplice::mime::Part::declared_charset);
            charset.is_some_and(mailsplice::mime::Charset::has_wide_characters)
        };
        host.contains(char::REPLACEMENT_CHARACTER)
            && matches!(origin, BytesOrigin::Body)
            && self.part_offsets().part(at).is_some_and(declares)
    }
}
