//! Markup that a labelled text quotes: reports of flaws, patches, the source of programs.

use super::super::judged::Judged;
use super::super::outcome::Reason;
use mailsplice::mime::{self, Media, Part, Reading};

impl Judged {
    /// Lowers the edit of a dangerous scheme in markup inside a text that its label calls a text and that does not
    /// begin as a page: programs of today show it as it is written, and link no such scheme in a text.
    pub(super) fn downgrade_quoted_markup(&mut self, part: &Part, reading: &Reading<'_>) {
        if self.reasons.contains(Reason::DangerousScheme)
            && reading.media.is_markup()
            && matches!(part.media, Media::Plain | Media::Flowed { .. })
            && !part.also.contains(&reading.media)
            && !mime::begins_as_page(reading.text.as_str())
        {
            self.downgrade();
        }
    }
}
