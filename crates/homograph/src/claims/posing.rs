//! Names that a display name claims: protected names and organisations.
//!
//! A name counts if it begins and ends with words, as it reads: `PayPal Service`, `𝗣𝗮𝘆𝗣𝗮𝗹`,
//! `раураl`, `Pay-Pal`, `P.a.y.P.a.l`. Words that are names by chance (`Apple`, `Chase`, the
//! surname Schwab) count only beside office words (`Apple Support`). Time is linear in the text for
//! each of the few names that begin like a word of it.

mod beside;
mod chance;
mod offices;
mod own_name;
mod right_beside;
mod slips;

pub use beside::{Beside, BesideWord, beside, words};

use std::ops::Range;

use super::signs_as_letters;
use crate::Context;
use crate::characters::lookalike::{Look, likeness};
use crate::characters::reading::{LabelChar, Likeness};
use crate::protected::display_text::{DisplayText, L_OR_I, seen_as};
use crate::protected::name::{DISTINCTIVE, MIN_BRAND, Name, Reach};
use crate::protected::names::Names;
use crate::protected::organisations::{Counts, Organisations, is_rented, registrable_label};

/// The sender with the display name.
#[derive(Clone, Copy, Debug)]
pub struct Sender<'a> {
    /// The local part of its address.
    pub local: &'a str,
    /// The host of its address, in lower-case ASCII form; empty if there is none.
    pub host: &'a str,
}

/// The protected name, organisation or recipient's own domain that the text claims but the sender's
/// address does not belong to; in ASCII form.
pub fn poses(text: &str, sender: Sender<'_>, context: &Context<'_>) -> Option<String> {
    claim(text, sender, context).map(|(_, claim)| claim.domain)
}

/// A name that a text claims, and its letters there.
struct Claim {
    domain: String,
    letters: Range<usize>,
}

/// The claim of [`poses`], and the text as it was read.
fn claim(text: &str, sender: Sender<'_>, context: &Context<'_>) -> Option<(DisplayText, Claim)> {
    let organisations = context.protected.organisations();
    let read = |text: &str| {
        let mut shown = DisplayText::read(text);
        if let Some(table) = organisations {
            shown.part_office_words(table);
        }
        shown
    };
    let claimed = |shown: &DisplayText| {
        let found = organisations.and_then(|table| shown.organisation(table, sender));
        found
            .or_else(|| shown.name(context.protected, organisations, NameSource::Protected, sender))
            .or_else(|| shown.name(context.own, organisations, NameSource::Own, sender))
    };
    let shown = read(text);
    if shown.letters.is_empty() {
        return None;
    }
    if let Some(claim) = claimed(&shown) {
        return Some((shown, claim));
    }
    let others = [shown.with_pairs_joined(), signs_as_letters::read(text).as_deref().map(read)];
    let mut others = others.into_iter().flatten();
    let found = others.find_map(|shown| claimed(&shown).map(|claim| (shown, claim)));
    found.or_else(|| shown.slip(context, sender).map(|claim| (shown, claim)))
}

/// Which names are searched for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum NameSource {
    Protected,
    /// The recipient's own: any person may have a name like that of such a domain.
    Own,
}

/// Local parts that a mail service reserves for itself.
const RESERVED_LOCAL_PARTS: [&str; 6] =
    ["no-reply", "noreply", "no_reply", "postmaster", "mailer-daemon", "donotreply"];

impl DisplayText {
    fn reads_as(&self, start: usize, end: usize, look: &Look) -> bool {
        self.needs_pairs(start, end, look)
            && self.is_made_alike(start, end, look)
            && resembles(self.letters.get(start..end).unwrap_or_default(), look).is_some()
    }

    fn organisation(&self, table: &Organisations, sender: Sender<'_>) -> Option<Claim> {
        let theirs = |row: usize| table.is_of(row, sender.host) || is_service(table, row, sender);
        // A shorter name inside a known one does not count: `La Poste` is no Poste.
        let mut named_to = 0;
        self.starts().find_map(|start| {
            if start < named_to {
                return None;
            }
            let spans: Vec<_> = self.spans(start, |look| table.begins(look)).collect();
            for (end, looks) in spans.into_iter().rev() {
                if self.divide_word(start, end) {
                    continue;
                }
                let in_words = self.are_words(start, end);
                let named = looks.into_iter().flat_map(|look| table.by_look(look, in_words));
                let named: Vec<_> =
                    named.filter(|(_, look, _)| self.reads_as(start, end, look)).collect();
                // The longer name decides whose the shorter one in it is: `CaixaBank` is no Caixa.
                if named.iter().any(|(row, _, how)| *how == Counts::OtherOwner || theirs(*row)) {
                    named_to = end;
                    return None;
                }
                let mut counting = named
                    .into_iter()
                    .filter(|(_, _, counts)| self.counts(Some(table), *counts, start..end, sender));
                if let Some((row, ..)) = counting.next()
                    && !self.names_itself(start, end, Some(table), sender)
                    && !self.is_own_word(start, end, sender)
                {
                    return Some(Claim {
                        domain: table.domain(row).to_owned(),
                        letters: start..end,
                    });
                }
            }
            None
        })
    }

    fn name(
        &self,
        names: &Names,
        table: Option<&Organisations>,
        source: NameSource,
        sender: Sender<'_>,
    ) -> Option<Claim> {
        let counts = |name: &Name, in_words: bool| match source {
            NameSource::Protected if name.brand_len() >= DISTINCTIVE && !in_words => {
                Counts::Anywhere
            }
            NameSource::Protected => Counts::Alone,
            NameSource::Own => Counts::AmongColleagues,
        };
        let is_office = |name: &Name| {
            source == NameSource::Own
                && table.is_some_and(|table| table.is_office_word(name.label()))
        };
        let is_known = |domain: &str| match source {
            NameSource::Protected => table.is_some_and(|table| table.names(domain)),
            NameSource::Own => table.is_some_and(|table| table.is_anybodys(domain)),
        };
        if names.is_empty() || names.covers(sender.host) && !is_rented(sender.host) {
            return None;
        }
        self.starts().find_map(|start| {
            self.spans(start, |look| names.begins(look)).find_map(|(end, looks)| {
                if self.divide_word(start, end) {
                    return None;
                }
                let in_words = self.are_words(start, end);
                let named = looks.into_iter();
                let mut named =
                    named.flat_map(|look| names.by_look(look).chain(names.by_joined(look)));
                let name = named.find(|name| {
                    let brand = name.labels.get(name.brand);
                    name.reach == Reach::Brand
                        && name.brand_len() >= MIN_BRAND
                        && !is_known(&name.ascii)
                        && !is_office(name)
                        && self.counts(table, counts(name, in_words), start..end, sender)
                        && brand.is_some_and(|(label, look)| match label.contains('-') {
                            true => {
                                let joined = Look::new(&label.replace('-', ""));
                                self.reads_as(start, end, &joined)
                            }
                            false => self.reads_as(start, end, look),
                        })
                })?;
                let theirs = registrable_label(sender.host)
                    == name.ascii.split('.').nth(name.brand)
                    || table.is_some_and(|table| table.says_rightly(&name.ascii, sender.host))
                    || self.names_itself(start, end, table, sender)
                    || table.is_some_and(|table| self.is_of_own_name(start..end, table, sender));
                (!theirs).then(|| Claim { domain: name.ascii.to_string(), letters: start..end })
            })
        })
    }

    /// Whether a name with this rule counts as its owner's between these letters, in the name of this sender.
    fn counts(
        &self,
        table: Option<&Organisations>,
        counts: Counts,
        letters: Range<usize>,
        sender: Sender<'_>,
    ) -> bool {
        self.is_counted(table, counts, letters.start, letters.end)
            || matches!(counts, Counts::Alone | Counts::Beside)
                && !table.is_some_and(|table| self.is_software(table))
                && self.has_office_right_beside(table, letters, sender)
    }

    /// Whether the whole text is a name that programs sign with.
    fn is_software(&self, table: &Organisations) -> bool {
        let all = self.letters.len();
        let last = self.spans(0, |look| table.begins(look)).find(|(end, _)| *end == all);
        let named = last.into_iter().flat_map(|(_, looks)| looks);
        let mut named = named.flat_map(|look| table.by_look(look, false));
        named.any(|(_, look, counts)| counts == Counts::Nowhere && self.reads_as(0, all, look))
    }
}

/// How the letters resemble the name. Letters that only a hurried reader confuses do not count,
/// nor, for a short name, letters that are alike only by our own judgement.
pub(super) fn resembles(letters: &[char], look: &Look) -> Option<Likeness> {
    let accepted = |letters: Vec<LabelChar>| {
        likeness(&letters, look).filter(|how| match how {
            // A letter of Latin in a name of another script (`Cбербанк`).
            Likeness::Faint => !look.has_ascii(),
            // Letters of a third script come near those of any word.
            Likeness::Alike | Likeness::Rough => {
                look.len() >= DISTINCTIVE && (look.has_ascii() || look.shares_letter(&letters))
            }
            _ => true,
        })
    };
    // Capitals count as small letters, except an I that is used as an l.
    let small = |c: &char| c.to_lowercase().next().unwrap_or(*c);
    let capital = |c: &char| if *c == 'I' { *c } else { small(c) };
    let read = |made: char, read: &dyn Fn(&char) -> char| {
        let chars = || letters.iter().map(|c| seen_as(read(c))).collect();
        letters.contains(&made).then(|| accepted(chars())).flatten()
    };
    accepted(letters.iter().map(|c| seen_as(small(c))).collect())
        // Only the capital is a twin (`DНL`).
        .or_else(|| {
            let spelled = |c: &char| if c.is_ascii() { small(c) } else { *c };
            let in_capitals = letters.iter().all(|c| c.is_uppercase() || !c.is_alphabetic());
            let letters = || letters.iter().map(|c| seen_as(spelled(c))).collect();
            in_capitals.then(|| accepted(letters())).flatten()
        })
        .or_else(|| read('I', &capital))
        // `Linkedln`: an l that is used as a capital I. Short words have one by chance.
        .or_else(|| {
            let used = |c: &char| if *c == 'l' { L_OR_I } else { capital(c) };
            read('l', &used).filter(|_| look.len() >= DISTINCTIVE)
        })
}

/// Whether the mail service itself writes, from the domain where anybody can have an address.
fn is_service(table: &Organisations, row: usize, sender: Sender<'_>) -> bool {
    RESERVED_LOCAL_PARTS.iter().any(|local| sender.local.eq_ignore_ascii_case(local))
        && table.serves(row, sender.host)
}

#[cfg(test)]
pub(super) mod tests;
