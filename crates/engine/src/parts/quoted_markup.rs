//! Markup that a labelled text quotes: reports of flaws, patches, the source of programs.

use super::super::outcome::Reason;
use crate::judging::judged::Judged;
use mailsplice::mime::{self, Media, Part, Reading};

impl Judged {
    /// Lowers the edit of a dangerous scheme in markup that no program shows as a page: in XML that is data, and inside
    /// a text that its label calls a text and that does not begin as a page. Programs of today show that as it is
    /// written, and link no such scheme in a text.
    pub(super) fn downgrade_quoted_markup(&mut self, part: &Part, reading: &Reading<'_>) {
        let is_quoted = || match reading.media {
            Media::Xml => true,
            Media::Html => {
                matches!(part.media, Media::Plain | Media::Flowed { .. })
                    && !part.is_read_as(Media::Html)
                    && !mime::begins_as_page(reading.text.as_str())
            }
            _ => false,
        };
        if self.reasons.contains(Reason::DangerousScheme) && is_quoted() {
            self.downgrade();
        }
    }
}
