//! Business cards (RFC 6350): the names that a card shows in front of its mail addresses, and labels in a line of their
//! own over a URL (`item1.X-ABLabel`). Lines stand in any order, so that a card is read to its end.

use std::ops::Range;
use std::sync::Arc;

use super::mapped::MappedText;
use super::property::{Escapes, may_hold_link, piece};
use super::{Edits, Language, Layer, encoded, labels};
use uts58::reference;

/// Cards of one part that are read so: who sends his card sends one, and an address book has thousands.
const CARDS: usize = 64;

/// Lines of one kind that are kept of a card, and bytes of a value.
const LINES: usize = 8;
const VALUE_BYTES: usize = 512;

/// A value with its property.
type Value = (Arc<str>, MappedText<'static>);

/// What is known of the card that is being read.
#[derive(Debug, Default)]
pub struct Card {
    is_open: bool,
    /// Cards that were begun.
    count: usize,
    /// `FN`, which is what programs show.
    names: Vec<MappedText<'static>>,
    /// `N` and `ORG`, which they show without it.
    persons: Vec<String>,
    firms: Vec<String>,
    /// Whether the firm is shown in place of the name (`X-ABShowAs:COMPANY`).
    shows_firm: bool,
    emails: Vec<MappedText<'static>>,
    /// URLs and addresses in a group, and labels of a group.
    links: Vec<(String, Value)>,
    labels: Vec<(String, MappedText<'static>)>,
}

impl Card {
    /// Reads a line. At the end of a card: what it shows.
    pub fn line(&mut self, unfolded: &MappedText<'_>, line: Range<usize>) -> Vec<Layer<'static>> {
        let text = unfolded.as_str().get(line.clone()).unwrap_or_default();
        let is = |whole: &str| text.trim_end().eq_ignore_ascii_case(whole);
        // Most lines are of no card.
        let begins = text.starts_with(['B', 'b']) && is("BEGIN:VCARD");
        let ends = begins || self.is_open && is("END:VCARD");
        let shown = if ends { self.end() } else { Vec::new() };
        if begins {
            self.count += 1;
            self.is_open = self.count <= CARDS;
        } else if self.is_open {
            self.property(unfolded, (text, line.start));
        }
        shown
    }

    /// What a card shows that ends here: each name in front of each address, labels over what they lead to.
    pub fn end(&mut self) -> Vec<Layer<'static>> {
        let count = self.count;
        let card = std::mem::replace(self, Card { count, ..Card::default() });
        let names = card.shown_names();
        let of_email = |layer| Layer { property: Some("EMAIL".into()), ..layer };
        let mut found = Vec::new();
        for email in &card.emails {
            found.extend(names.iter().map(|name| Layer {
                organizer: Some(name.clone()),
                edits: Edits::Impossible,
                ..of_email(Layer::of(email.clone(), Language::Text))
            }));
            let shown = card.address_names();
            found.extend(labels::link((scheme("EMAIL", email), email), &shown).map(of_email));
        }
        for (group, (property, url)) in &card.links {
            let of_group = card.labels.iter().filter(|(of, _)| of == group);
            let shown: Vec<_> = of_group.map(|(_, label)| label.clone()).collect();
            let link = labels::link((scheme(property, url), url), &shown);
            let of = |layer| Layer { property: Some(Arc::clone(property)), ..layer };
            found.extend(link.map(of));
        }
        found
    }

    /// The names that programs show: an employer is none, and neither is an address of the card itself, which programs
    /// write if they know no name.
    fn shown_names(&self) -> Vec<String> {
        let names = self.names.iter().filter(|name| !self.is_address(name.as_str()));
        let names = names.map(|name| name.as_str().trim().to_owned());
        let mut names: Vec<String> = names.filter(|name| !name.is_empty()).collect();
        if names.is_empty() {
            names.clone_from(&self.persons);
        }
        if names.is_empty() || self.shows_firm {
            names.extend_from_slice(&self.firms);
        }
        names.truncate(LINES);
        names
    }

    /// Names that may show a host or another address.
    fn address_names(&self) -> Vec<MappedText<'static>> {
        let shows = |name: &&MappedText<'_>| {
            may_hold_link(name.as_str()) && !self.is_address(name.as_str())
        };
        self.names.iter().filter(shows).cloned().collect()
    }

    fn is_address(&self, name: &str) -> bool {
        let name = name.trim();
        self.emails.iter().any(|own| own.as_str().trim().eq_ignore_ascii_case(name))
    }

    fn property(&mut self, unfolded: &MappedText<'_>, (text, start): (&str, usize)) {
        let Some((head, value)) =
            encoded::value_colon(text).and_then(|colon| text.split_at_checked(colon))
        else {
            return;
        };
        let name = head.split(';').next().unwrap_or_default();
        let (group, name) = name.rsplit_once('.').unwrap_or(("", name));
        let Some(name) = READ.into_iter().find(|one| name.eq_ignore_ascii_case(one)) else {
            return;
        };
        let value = value.get(1..value.floor_char_boundary(VALUE_BYTES)).unwrap_or_default();
        let at = start + head.len() + 1;
        let seen = match encoded::value(head, value, Language::Text) {
            Some((seen, _)) => seen.shifted(at).over(unfolded),
            None => piece(unfolded, at..at + value.len(), Escapes::Text),
        };
        let room = |list: usize| list < LINES;
        let group = || group.to_ascii_lowercase();
        match name {
            "FN" if room(self.names.len()) => self.names.push(seen),
            "N" if room(self.persons.len()) => self.persons.extend(person(seen.as_str())),
            "ORG" if room(self.firms.len()) => self.firms.extend(firm(seen.as_str())),
            "X-ABSHOWAS" => self.shows_firm |= seen.as_str().trim().eq_ignore_ascii_case("company"),
            "X-ABLABEL" if room(self.labels.len()) && may_hold_link(seen.as_str()) => {
                self.labels.push((group(), seen));
            }
            "EMAIL" | "URL" | "X-SOCIALPROFILE" => {
                if head.contains('.') && room(self.links.len()) {
                    self.links.push((group(), (name.into(), seen.clone())));
                }
                if name == "EMAIL" && room(self.emails.len()) {
                    self.emails.push(seen);
                }
            }
            _ => {}
        }
    }
}

/// Properties that are read.
const READ: [&str; 8] =
    ["FN", "N", "ORG", "EMAIL", "URL", "X-SOCIALPROFILE", "X-ABLABEL", "X-ABSHOWAS"];

/// The name of a person as it is read: what is in front of the family name in `N` stands behind it.
fn person(value: &str) -> Option<String> {
    let mut parts = value.split(';').map(str::trim);
    let family = parts.next()?;
    let given = parts.take(2).filter(|part| !part.is_empty());
    let words: Vec<&str> = given.chain(Some(family).filter(|part| !part.is_empty())).collect();
    (!words.is_empty()).then(|| words.join(" "))
}

/// The name of a firm, with its units.
fn firm(value: &str) -> Option<String> {
    let units = value.split(';').map(str::trim).filter(|part| !part.is_empty());
    let words: Vec<&str> = units.collect();
    (!words.is_empty()).then(|| words.join(" "))
}

/// The scheme that a value leaves out.
fn scheme(property: &str, value: &MappedText<'_>) -> &'static str {
    match property {
        _ if reference::scheme(value.as_str().trim_start()).is_some() => "",
        "EMAIL" => "mailto:",
        _ => "https://",
    }
}
