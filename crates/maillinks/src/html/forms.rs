//! Where buttons lead: to the `action` of the form around them, or of the one that they name (HTML §4.10.18.3), which
//! may come later.

use std::collections::HashMap;

use super::HtmlReader;
use super::elements::Element;
use super::entity;
use super::login::is_password;
use super::token::{Attribute, attribute_named};
use crate::AnchorAround;

/// What buttons and relative addresses lead to, which may come later.
#[derive(Debug, PartialEq, Eq, Hash)]
enum Named {
    Base,
    /// The form with this identifier.
    Form(String),
}

/// The forms of a page.
#[derive(Debug, Default)]
pub(super) struct Forms {
    /// The occurrence of the `action` of the open form.
    pub open: Option<usize>,
    /// The same of the first form with each identifier, and the occurrence of the base.
    named: HashMap<Named, usize>,
    /// Those that buttons have named before: each by a number that no occurrence has.
    awaited: HashMap<Named, usize>,
}

impl Forms {
    /// Whether what comes later may refer to a form that was read, or the other way round.
    pub(super) fn are_named(&self) -> bool {
        !self.named.is_empty() || !self.awaited.is_empty()
    }

    /// The occurrence of the base of the page, or a number that stands for the one that may come.
    pub(super) fn base(&mut self, base: Option<usize>) -> usize {
        base.unwrap_or_else(|| self.of(Named::Base))
    }

    /// Notes where relative addresses lead.
    pub(super) fn resolve(&mut self, base: usize) {
        self.named.entry(Named::Base).or_insert(base);
    }

    /// The occurrence that stands for a form or the base.
    fn of(&mut self, id: Named) -> usize {
        let next = usize::MAX - 1 - self.awaited.len();
        let awaited = &mut self.awaited;
        self.named.get(&id).copied().unwrap_or_else(|| *awaited.entry(id).or_insert(next))
    }
}

impl HtmlReader<'_, '_, '_> {
    /// Begins a form; `first` is the first occurrence of its attributes.
    pub(super) fn begin_form(&mut self, attributes: &[Attribute], first: usize) {
        // An empty one is the address of the page.
        let is_some = |action: &str| !action.trim_ascii().is_empty();
        let is_relative = self.is_relative(attributes, &["action"])
            && self.value_of("action", attributes).as_deref().is_some_and(is_some);
        let own = self.own_target(first);
        self.forms.open = own.or_else(|| is_relative.then(|| self.forms.base(self.base)));
        if let (Some(action), Some(id)) = (self.forms.open, self.value_of("id", attributes)) {
            self.forms.named.entry(Named::Form(id)).or_insert(action);
        }
    }

    /// Where a click on the element leads, if it submits a form.
    pub(super) fn form_of(&mut self, element: Element, attributes: &[Attribute]) -> Option<usize> {
        if element == Element::Input
            && self.value_of("type", attributes).as_deref().is_some_and(is_password)
        {
            self.view.rereads.asks_password = true;
        }
        if !self.submits(element, attributes) {
            return None;
        }
        match self.value_of("form", attributes) {
            Some(id) => Some(self.forms.of(Named::Form(id))),
            None => self.forms.open,
        }
    }

    pub(super) fn value_of(&self, name: &str, attributes: &[Attribute]) -> Option<String> {
        let value = attribute_named(self.text, attributes, name)?.value();
        Some(entity::attribute(self.text, value).as_str().to_owned())
    }

    /// Ties what names a form to the form that came later, if one did.
    pub(super) fn tie_awaited_forms(&mut self) {
        let forms = &self.forms;
        let found = |(id, number): (&Named, &usize)| Some((*number, *forms.named.get(id)?));
        let found: HashMap<usize, usize> = forms.awaited.iter().filter_map(found).collect();
        let occurrences = self.view.occurrences.len();
        for occurrence in &mut self.view.occurrences {
            if let Some(at) = occurrence.anchor.target().filter(|at| *at >= occurrences) {
                let form = found.get(&at).map(|form| *found.get(form).unwrap_or(form));
                let form = form.filter(|form| *form < occurrences);
                occurrence.anchor = form.map_or(AnchorAround::WithoutTarget, AnchorAround::LeadsTo);
            }
        }
    }
}
