//! What a tag begins and ends.

use super::breaks::breaks;
use super::elements::Element;
use super::open::{self, Ends};
use super::styled::StyledElement;
use super::{HtmlReader, Tag, pictures, style, token};

impl HtmlReader<'_, '_, '_> {
    pub(super) fn open(&mut self, tag: &Tag, attributes: &[token::Attribute]) {
        let element = tag.element();
        let first = self.view.occurrences.len();
        let traits = match attributes {
            [] => style::TextStyle::default(),
            attributes => self.attributes(tag, attributes),
        };
        let form = self.form_of(element, attributes);
        let found = self.view.occurrences.len() > first;
        self.tie(tag, attributes, (first, found), form);
        let breaks_line = self.breaks_line(element);
        if open::is_scope_in_line(element, self.foreign) {
            self.elements.opens(element);
        }
        if self.concealed.is_open() {
            self.end_concealed(tag, breaks_line);
        }
        let depth = self.elements.depth();
        // A tag that a parser drops breaks nothing, except in foreign content.
        let is_element = !breaks_line || self.elements.opens(element) || self.foreign;
        self.forget_links();
        if element == Element::Img {
            self.draw(tag, attributes);
        }
        let breaks = self.tags_separate || is_element && breaks(breaks_line, &traits);
        let hides = traits.conceals.hides();
        let concealed = hides || self.concealed.is_open();
        let reveals = concealed && self.is_revealed_by(element, attributes, traits.conceals);
        let conceal = (attributes, breaks_line);
        if reveals {
            self.enter_concealed(tag, conceal, traits.conceals, depth);
        }
        if breaks_line {
            self.begin_block(element, is_element, &traits);
        }
        if breaks && !hides {
            let tiny = || element == Element::Img && pictures::is_tiny(self.text, attributes);
            match !self.tags_separate && (traits.flow == style::Flow::Beside || tiny()) {
                true => self.separate_anchor(tag.range.start),
                false => self.separate_by(element, tag.range.start),
            }
        }
        self.begin(tag, attributes, (first, found), form);
        if concealed && !reveals {
            self.enter_concealed(tag, conceal, traits.conceals, depth);
        }
        if breaks && hides && self.is_concealed() {
            self.separate_by(element, tag.range.start);
        }
        self.write(tag, attributes);
        self.enter(tag, &traits);
    }

    /// Ties what was found in the attributes of a tag to what is shown in its place. `first` is the first occurrence in
    /// them, if one was `found`.
    fn tie(
        &mut self,
        tag: &Tag,
        attributes: &[token::Attribute],
        (first, found): (usize, bool),
        form: Option<usize>,
    ) {
        if found {
            self.tie_shown_attributes(attributes, first, form);
            self.map(tag.element(), attributes, first);
        }
        if found || !self.titled.is_empty() {
            self.enter_title(tag, attributes, first);
        }
        if found && self.foreign {
            self.animate(attributes, first);
        }
    }

    /// Begins what the element opens: an anchor, a form, a map, foreign content. `first` is the first occurrence in its
    /// attributes, if one was `found`.
    fn begin(
        &mut self,
        tag: &Tag,
        attributes: &[token::Attribute],
        (first, found): (usize, bool),
        form: Option<usize>,
    ) {
        let element = tag.element();
        let is_link = element == Element::A && self.is_link(attributes);
        if element == Element::A {
            self.begin_a(is_link);
        }
        match element {
            Element::A if is_link || self.may_be_animated() => {
                self.begin_anchor(tag, attributes, first, None);
            }
            Element::Wbr if !self.is_concealed() => {
                let here = self.visible.len();
                self.marks.push(here..here);
            }
            Element::Map => self.begin_map(attributes),
            Element::Svg => self.foreign = true,
            _ if self.math || element == Element::Math => {
                (self.foreign, self.math) = (true, true);
                if self.is_link(attributes) {
                    self.begin_anchor(tag, attributes, first, None);
                }
            }
            Element::Form => self.begin_form(attributes, first),
            _ if element.leads_by_itself() && (form.is_some() || self.is_link(attributes)) => {
                self.begin_anchor(tag, attributes, first, form);
            }
            _ if found || self.clicked.is_some() => self.enter_clicked(tag, attributes, first),
            _ => {}
        }
    }

    pub(super) fn close(&mut self, tag: &Tag) {
        let element = tag.element();
        let ends_math = self.math && element == Element::Math;
        self.math &= !ends_math;
        if element == Element::A {
            self.end_a();
        }
        if self.open_anchor.is_some()
            && (element == Element::A || element.leads_by_itself() || ends_math)
        {
            self.close_anchor(&tag.name, tag.range.start);
        }
        if element == Element::Form {
            self.forms.open = None;
        }
        self.leave_title(tag);
        self.leave_clicked(tag);
        if let Some(inside) = StyledElement::leave(&mut self.isolating, self.text, tag) {
            self.turn(inside.from);
        }
        if let Some(inside) = StyledElement::leave(&mut self.reversing, self.text, tag) {
            self.reverse(&inside);
        }
        let broke = self.leave_line(tag);
        let ends = match self.breaks_line(element) {
            true => {
                let ends = self.elements.closes(element);
                if self.foreign { Ends::Line } else { ends }
            }
            false => {
                if open::is_scope_in_line(element, self.foreign) {
                    self.elements.closes(element);
                }
                Ends::Nothing
            }
        };
        self.forget_links();
        // A hidden element does not break the line.
        let was_hidden = self.concealed.is_open() && self.leave_concealed(tag);
        match ends {
            _ if was_hidden => self.end_box(element, ends),
            _ if broke || self.tags_separate => self.separate(tag.range.start),
            ends => self.end_block(element, ends, tag.range.start),
        }
    }
}
