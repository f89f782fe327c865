//! The name that a sender gives itself beside that of another: `Gadget News: Amazon` of `gadgetnews.example`.

use std::ops::Range;

use super::Sender;
use crate::hosts::host_words::ASKING;
use crate::protected::display_text::{DisplayText, is_letter, plain_letters};
use crate::protected::organisations::{Counts, Organisations, registrable_label};
use crate::spelling::form::HostForms;

/// Letters of the sender's own name, which it may put before the name of what it writes about.
const MIN_OWN_NAME: usize = 4;

/// Words of offices that lures have beside a name, other than those that ask in hosts.
#[rustfmt::skip]
const OFFICES: [&str; 15] = [
    "alert", "alerts", "billing", "confirmation", "desk", "fraud", "help", "helpdesk", "notification", "notifications",
    "protection", "recovery", "resolution", "service", "support",
];

impl DisplayText {
    /// Whether letters are a part of a longer name, which is that of the sender: `SoFi Bank` is no Fibank.
    pub(super) fn is_of_own_name(
        &self,
        letters: Range<usize>,
        table: &Organisations,
        sender: Sender<'_>,
    ) -> bool {
        let starts = self.starts().take_while(|start| *start <= letters.start);
        starts.into_iter().any(|start| {
            let mut spans = self.spans(start, |look| table.begins(look));
            spans.any(|(end, looks)| {
                let mut named = looks.into_iter().flat_map(|look| table.by_look(look, false));
                let is_longer = end >= letters.end && end - start > letters.len();
                is_longer
                    && named.any(|(row, look, _)| {
                        table.is_of(row, sender.host) && self.reads_as(start, end, look)
                    })
            })
        })
    }

    /// Whether the sender also gives its own name, outside of these letters: `Example News: Apple`. Words of offices
    /// alone are nobody's name, nor is what a reader does not get to see, or what stands beside an office that asks
    /// something (`PayPal Support Zorblax`), and where everybody may have an address the domain is nobody's.
    pub(super) fn names_itself(
        &self,
        start: usize,
        end: usize,
        table: Option<&Organisations>,
        sender: Sender<'_>,
    ) -> bool {
        let Some(label) = registrable_label(sender.host) else { return false };
        let label = plain_letters(HostForms::read(label).unicode.chars().filter(|c| is_letter(*c)));
        let is_office =
            |table: &Organisations| table.is_office_word(&label) || table.is_anybodys(sender.host);
        if label.chars().count() < MIN_OWN_NAME
            || table.is_some_and(is_office)
            || label.contains(&self.plain(start, end))
        {
            return false;
        }
        let seen = self.far.unwrap_or(self.letters.len());
        let rest = [0..start.min(seen), end..seen.max(end)];
        let own = rest.into_iter().find_map(|rest| self.own_name(rest, &label, table));
        // An office on the other side of its own name is the sender's: `Amazon (Gadget News Support)`.
        let beside = |own: &Range<usize>| match own.start < start {
            true => own.end..self.letters.len(),
            false => 0..own.start,
        };
        own.is_some_and(|own| !self.asks(beside(&own), table))
    }

    /// The words between these letters that spell the label, if one of them is no office.
    fn own_name(
        &self,
        rest: Range<usize>,
        label: &str,
        table: Option<&Organisations>,
    ) -> Option<Range<usize>> {
        if !self.plain(rest.start, rest.end).contains(label) {
            return None;
        }
        let words: Vec<Range<usize>> = self.words_in(rest.clone()).collect();
        let spells = |from: usize, to: usize| self.plain(from, to).contains(label);
        // From the last word that the label can begin in, up to the first that it can end in.
        let last = words.iter().rposition(|word| spells(word.start, rest.end))?;
        let first = words.get(last)?.start;
        let end = words.iter().skip(last).map(|word| word.end).find(|end| spells(first, *end))?;
        let mut names = words.iter().filter(|word| word.start >= first && word.end <= end);
        let is_name =
            |word: &Range<usize>| !self.is_office(table, Counts::Anywhere, word.start, word.end);
        names.any(is_name).then_some(first..end)
    }

    /// Whether a word between these letters asks something.
    fn asks(&self, range: Range<usize>, table: Option<&Organisations>) -> bool {
        self.words_in(range).any(|word| {
            let word = self.plain(word.start, word.end);
            ASKING.contains(&&*word)
                || OFFICES.contains(&&*word)
                || table.is_some_and(|table| table.asking_word(&word).is_some())
        })
    }

    /// The words between these letters.
    pub(super) fn words_in(&self, range: Range<usize>) -> impl Iterator<Item = Range<usize>> {
        let Range { start, end } = range;
        let inside = move || self.bounds.iter().copied().filter(move |at| *at > start && *at < end);
        let starts = [start].into_iter().chain(inside());
        starts.zip(inside().chain([end])).map(|(from, to)| from..to).filter(|word| !word.is_empty())
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::posed;

    #[test]
    fn who_names_himself_poses_as_nobody() {
        for (text, address) in [
            ("Gadget News: Amazon", "x@gadgetnews.example"),
            ("Amazon deals of Gadget News", "x@gadgetnews.example"),
            ("Zorblax: PayPal", "x@zorblax.example"),
            ("PayPal   Zorblax", "x@zorblax.example"),
            ("PayPal at Weber Kanzlei", "x@weber-kanzlei.example"),
            ("Amazon (Gadget News Support)", "x@gadgetnews.example"),
        ] {
            assert_eq!(posed(text, address), None, "{text} {address}");
        }
    }

    #[test]
    fn offices_and_what_nobody_sees_are_no_name_of_ones_own() {
        let far = format!("PayPal{}Zorblax", " ".repeat(60));
        let tabs = format!("PayPal Security Alert{}Zorblax", "\u{a0}\t".repeat(20));
        for (text, address) in [
            ("PayPal Security Center", "x@securitycenter.example"),
            ("PayPal Account Verification", "x@account-verification.example"),
            ("PayPal Support Zorblax", "x@zorblax.example"),
            ("Zorblax: PayPal Account", "x@zorblax.example"),
            ("PayPal Gmail", "x@gmail.com"),
            (&far, "x@zorblax.example"),
            (&tabs, "x@zorblax.example"),
        ] {
            assert_eq!(posed(text, address).as_deref(), Some("paypal.com"), "{text} {address}");
        }
        let chase = format!("Chase Security Alert{}kvnq7", " ".repeat(60));
        assert_eq!(posed(&chase, "x@kvnq7.example").as_deref(), Some("chase.com"));
    }
}
