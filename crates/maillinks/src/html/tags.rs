//! What a tag begins and ends.

use super::breaks::breaks;
use super::open::{self, Ends};
use super::styled::StyledElement;
use super::{HtmlReader, Tag, elements, pictures, style, token};

impl HtmlReader<'_, '_, '_> {
    pub(super) fn open(&mut self, tag: &Tag, attributes: &[token::Attribute]) {
        let name = self.slice(&tag.name);
        let first = self.view.occurrences.len();
        let traits = match attributes {
            [] => style::Traits::default(),
            attributes => self.attributes(tag, name, attributes),
        };
        let form = self.form_of(name, attributes);
        let found = self.view.occurrences.len() > first;
        self.tie(tag, attributes, (first, found), form);
        let breaking = self.breaking(name);
        if breaking.is_none() {
            open::inline_scope(name, self.foreign).map(|name| self.elements.opens(name));
        }
        if self.concealed.is_open() {
            self.end_concealed(tag, breaking);
        }
        let depth = self.elements.depth();
        // A tag that a parser drops breaks nothing, except in foreign content.
        let is_element = breaking.is_none_or(|name| self.elements.opens(name)) || self.foreign;
        self.forget_links();
        if breaking == Some("img") {
            self.draw(tag, attributes);
        }
        let breaks = self.tags_separate || is_element && breaks(breaking, &traits);
        let hides = traits.conceals.hides();
        let conceal = (attributes, breaking);
        let concealed = hides || self.concealed.is_open();
        let reveals = concealed && self.is_revealed_by(name, attributes, traits.conceals);
        if reveals {
            self.enter_concealed(tag, conceal, traits.conceals, depth);
        }
        if let Some(name) = breaking {
            self.begin_block(name, is_element, &traits);
        }
        if breaks && !hides {
            let tiny = || breaking == Some("img") && pictures::is_tiny(self.text, attributes);
            match !self.tags_separate && (traits.flow == style::Flow::Beside || tiny()) {
                true => self.separate_anchor(tag.range.start),
                false => self.separate_by(name, tag.range.start),
            }
        }
        self.begin(tag, attributes, (first, found), form);
        if concealed && !reveals {
            self.enter_concealed(tag, conceal, traits.conceals, depth);
        }
        if breaks && hides && self.is_concealed() {
            self.separate_by(name, tag.range.start);
        }
        self.write(tag, attributes, name);
        self.enter(tag, name, &traits);
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
            self.map(self.slice(&tag.name), attributes, first);
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
        let name = self.slice(&tag.name);
        let is_a = matches!(name, "a" | "A");
        let is_link = is_a && self.is_link(attributes);
        if is_a {
            self.begin_a(is_link);
        }
        match name.as_bytes() {
            [b'a' | b'A'] if is_link || self.may_be_animated() => {
                self.begin_anchor(tag, attributes, first, None);
            }
            name if name.eq_ignore_ascii_case(b"wbr") && !self.is_concealed() => {
                let here = self.visible.len();
                self.marks.push(here..here);
            }
            [b'm' | b'M', _, _] if name.eq_ignore_ascii_case("map") => self.begin_map(attributes),
            name if name.eq_ignore_ascii_case(b"svg") => self.foreign = true,
            name if self.math || name.eq_ignore_ascii_case(b"math") => {
                (self.foreign, self.math) = (true, true);
                if self.is_link(attributes) {
                    self.begin_anchor(tag, attributes, first, None);
                }
            }
            [b'f' | b'F', _, _, _] if name.eq_ignore_ascii_case("form") => {
                self.begin_form(attributes, first);
            }
            _ if elements::leads_by_itself(name)
                && (form.is_some() || self.is_link(attributes)) =>
            {
                self.begin_anchor(tag, attributes, first, form);
            }
            _ if found || self.clicked.is_some() => self.enter_clicked(tag, attributes, first),
            _ => {}
        }
    }

    pub(super) fn close(&mut self, tag: &Tag) {
        let name = self.slice(&tag.name);
        let ends_math = self.math && name.eq_ignore_ascii_case("math");
        self.math &= !ends_math;
        if matches!(name, "a" | "A") {
            self.end_a();
        }
        if self.open_anchor.is_some()
            && (matches!(name, "a" | "A") || elements::leads_by_itself(name) || ends_math)
        {
            self.close_anchor(elements::key_of(name.as_bytes()), tag.range.start);
        }
        if self.forms.open.is_some() && name.eq_ignore_ascii_case("form") {
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
        let ends = match self.breaking(name).map(|name| self.elements.closes(name)) {
            Some(_) if self.foreign => Ends::Line,
            Some(ends) => ends,
            None => {
                open::inline_scope(name, self.foreign).map(|name| self.elements.closes(name));
                Ends::Nothing
            }
        };
        self.forget_links();
        // A hidden element does not break the line.
        let was_hidden = self.concealed.is_open() && self.leave_concealed(tag);
        match ends {
            _ if was_hidden => self.end_box(name, ends),
            _ if broke || self.tags_separate => self.separate(tag.range.start),
            ends => self.end_block(name, ends, tag.range.start),
        }
    }
}
