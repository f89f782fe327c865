//! Which bytes of the body are signed.

use std::ops::Range;

use super::entity::Head;
use super::structure::PartSite;
use super::{ClientView, Message, Part, Tree, armor};
use crate::signatures::Signature;

impl Tree {
    /// The signatures that usual programs see in the body, each with a range of the raw body that it covers: of
    /// multipart/signed every part with its header, inside an encoded message in the encoded form. What cannot be
    /// edited is left out.
    pub fn signed<'t>(
        &'t self,
        message: Message<'t>,
    ) -> impl Iterator<Item = (Signature, Range<usize>)> + 't {
        let usual = |part: &&Part| part.view == ClientView::Usual && !part.surroundings.sealed;
        self.parts.iter().filter(usual).flat_map(move |part| {
            let signed = part.surroundings.signed.iter();
            signed.map(move |signature| (signature, self.covered(message, &part.site, signature)))
        })
    }

    fn covered(&self, message: Message<'_>, site: &PartSite, signature: Signature) -> Range<usize> {
        let covered = match (signature, &site.head) {
            (Signature::PgpInline, _) => {
                let bytes = self.layer_bytes(message, site.layer);
                let raw = bytes.get(site.body.clone()).unwrap_or_default();
                let block = armor::clear_signed(raw);
                site.body.start + block.start..site.body.start + block.end
            }
            (_, Head::Block(head)) => head.start.min(site.body.start)..site.body.end,
            (_, Head::Message) => site.body.clone(),
        };
        self.in_body(site.layer, covered)
    }
}
