//! Words of a display name that are a slip of a protected name: `Netflx Billing`, `NetFlx`.

use super::{Claim, Sender};
use crate::Context;
use crate::hosts::slip::misspelled;
use crate::protected::display_text::DisplayText;
use crate::protected::organisations::{Counts, registrable_label};

/// Letters of a word that may be a slip: no name is longer.
const LONGEST_SLIP: usize = 24;

impl DisplayText {
    /// A protected name of which a word is a slip, beside nothing but office words.
    pub(super) fn slip(&self, context: &Context<'_>, sender: Sender<'_>) -> Option<Claim> {
        let table = context.protected.organisations();
        let ends = |start| {
            let bound = self.bounds.iter().copied().find(|bound| *bound > start);
            // A capital inside begins no word: `NetFlx`.
            let gap = || self.gaps().chain([self.letters.len()]).find(|gap| *gap > start);
            let is_capital = self.letters.get(start).is_some_and(|c| c.is_uppercase());
            let is_whole = is_capital && self.gaps().any(|gap| gap == start);
            let gap = is_whole.then(gap).flatten();
            bound.into_iter().chain(gap.filter(|gap| Some(*gap) != bound))
        };
        let words = self.starts().flat_map(|start| ends(start).map(move |end| (start, end)));
        // Compounds of other languages have parts of every kind.
        let words = words.filter(|(start, end)| !self.is_joined(*start, *end));
        words.filter(|(start, end)| end - start <= LONGEST_SLIP).find_map(|(start, end)| {
            let word = self.plain(start, end);
            let name = misspelled(&word, context.protected, context)?;
            let theirs = || {
                sender.host.split('.').any(|label| label.contains(&word))
                    || table.is_some_and(|table| {
                        table.is_one_owner(sender.host, &name.ascii)
                            || table.says_rightly(&name.ascii, sender.host)
                    })
                    || registrable_label(sender.host) == name.ascii.split('.').nth(name.brand)
            };
            let counts = self.counts(table, Counts::Alone, start..end, sender) && !theirs();
            counts.then(|| Claim { domain: name.ascii.to_string(), letters: start..end })
        })
    }
}
