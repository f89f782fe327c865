//! What a text says beside the name that it claims: `Stadium` of `PayPal Stadium`.

use std::ops::Range;

use super::{Sender, claim};
use crate::Context;
use crate::protected::display_text::{DisplayText, in_lower_case, is_letter, plain_letters};
use crate::protected::names::Names;
use crate::protected::organisations::{Counts, Organisations, registrable_label};
use crate::spelling::form::HostForms;

/// The words beside the name that a text claims, in plain lower-case letters.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Beside {
    /// The name itself, without blanks.
    pub name: String,
    /// Those in front of it.
    pub front: Vec<BesideWord>,
    /// Those behind it.
    pub after: Vec<BesideWord>,
    /// The label that the sender registered, without signs.
    pub label: String,
}

/// One of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BesideWord {
    /// In plain letters.
    pub text: String,
    /// Whether it is a word of offices, which says nothing of who writes.
    pub is_office: bool,
}

/// What stands beside the name that [`super::poses`] finds.
pub fn beside(text: &str, sender: Sender<'_>, context: &Context<'_>) -> Option<Beside> {
    let (shown, claim) = claim(text, sender, context)?;
    let table = context.protected.organisations();
    let label = HostForms::read(registrable_label(sender.host).unwrap_or_default()).unicode;
    Some(Beside {
        name: shown.plain(claim.letters.start, claim.letters.end),
        front: shown.words(0, claim.letters.start, table),
        after: shown.words(claim.letters.end, shown.letters.len(), table),
        label: plain_letters(label.chars().filter(|c| is_letter(*c))),
    })
}

/// The words of a text, as those beside a name are read, and words of offices that are joined to others by themselves.
pub fn words(text: &str, protected: &Names) -> Vec<BesideWord> {
    let table = protected.organisations();
    let mut shown = DisplayText::read(text);
    table.into_iter().for_each(|table| shown.part_office_words(table));
    shown.words(0, shown.letters.len(), table)
}

impl DisplayText {
    /// The words between these letters.
    fn words(&self, start: usize, end: usize, table: Option<&Organisations>) -> Vec<BesideWord> {
        let word = |Range { start: from, end: to }| {
            let plain = Some(self.plain(from, to)).filter(|plain| plain.is_ascii());
            // Letters of other scripts are words as they are spelled.
            let spelled = || in_lower_case(self.letters.get(from..to).unwrap_or_default());
            let is_office = self.is_office(table, Counts::Anywhere, from, to);
            BesideWord { text: plain.unwrap_or_else(spelled), is_office }
        };
        self.words_in(start..end).map(word).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Names;
    use uts58::tlds::TldTable;

    #[test]
    fn words_beside_a_name_are_parted_and_offices_among_them_known() {
        let (protected, none) = (Names::builtin(), Names::default());
        let tlds = TldTable::new(["com"], "");
        let context = crate::tests::context(&protected, &none, &tlds);
        let words = |text: &str| {
            let sender = Sender { local: "x", host: "handy-m\u{fc}ller.example" };
            let beside = beside(text, sender, &context)?;
            assert_eq!(beside.label, "handymuller");
            let words = beside.front.iter().chain(&beside.after);
            let shown = |word: &BesideWord| match word.is_office {
                true => format!("({})", word.text),
                false => word.text.clone(),
            };
            Some((beside.name.clone(), words.map(shown).collect::<Vec<_>>().join(" ")))
        };
        for (text, name, others) in [
            ("The PayPal Arena", "paypal", "(the) arena"),
            ("PayPalドーム", "paypal", "ドーム"),
            ("Microsoft認定パートナー ABC", "microsoft", "認定 パートナー abc"),
            ("DHL Paketshop Müller", "dhl", "paketshop muller"),
            ("Bank of America Stadium", "bankofamerica", "stadium"),
            ("PayPal Support", "paypal", "(support)"),
        ] {
            assert_eq!(words(text), Some((name.to_owned(), others.to_owned())), "{text}");
        }
        assert_eq!(words("Ann Example"), None);
    }
}
