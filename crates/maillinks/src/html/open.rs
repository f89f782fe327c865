//! Which elements are open, as far as that decides whether a tag has any effect (HTML §13.2.6.4.7).
//!
//! Parsers drop `</td>` without a `<td>` and `<tr>` outside of a table, and the texts on both sides are joined:
//! `https://paypal</td>.com`.

use super::elements::Element;

/// Maximum number of open elements. Chromium nests no deeper; beyond that every tag counts.
pub(super) const OPEN_ELEMENTS: usize = 512;

/// Maximum number of open elements that are compared with an end tag. Real mail closes one of the last few.
pub(super) const SEARCHED_ELEMENTS: usize = 64;

/// The open elements that break the line of text, the innermost last.
#[derive(Clone, Debug, Default)]
pub(super) struct OpenElements {
    open: Vec<Element>,
    /// The indexes of tables in `open`.
    tables: Vec<usize>,
    /// The indexes in `open` of those that are shown beside their neighbours.
    beside: Vec<usize>,
    /// Those that limit the scope of end tags.
    scopes: Vec<Scope>,
    /// The numbers of those at which parsers forget what is open outside (HTML §13.2.4.3).
    markers: Vec<usize>,
    /// How many such elements were opened.
    numbered: usize,
}

/// An element that limits the scope of end tags.
#[derive(Clone, Copy, Debug)]
struct Scope {
    /// Its index in `open`.
    at: usize,
    number: usize,
}

/// What an end tag ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ends {
    Nothing,
    /// An element that is shown beside its neighbours.
    Beside,
    /// The line of text.
    Line,
}

impl OpenElements {
    /// Whether a start tag of a breaking element makes one here that separates texts. What is written directly in a
    /// table and its rows is moved before the table.
    pub fn opens(&mut self, element: Element) -> bool {
        // A `<frameset>` behind a text is dropped.
        if matches!(
            element,
            Element::Body | Element::Frame | Element::Frameset | Element::Head | Element::Html
        ) {
            return false;
        }
        if element.is_table_part() {
            if !self.is_full() && self.tables.is_empty() {
                return false;
            }
            // The cell before ends.
            self.leave_scopes(self.tables.last().map_or(0, |table| table + 1));
        }
        if !self.is_full() && !is_empty(element) {
            if element == Element::Table {
                self.tables.push(self.open.len());
            }
            self.enter_scope(element);
            self.open.push(element);
        }
        !element.is_of_rows()
    }

    /// Ends what a start tag of this element ends by itself (HTML §13.2.6.4.7, §13.2.6.4.9 to .15).
    pub fn end_implied(&mut self, element: Element) {
        use Element::*;
        let table = self.tables.last().map_or(0, |table| table + 1);
        let in_table = || self.open.get(table..).unwrap_or_default();
        let behind_last = |ends: fn(&Element) -> bool| {
            let last = in_table().iter().rposition(ends);
            last.map_or(table, |at| table + at + 1)
        };
        let top = self.open.last().copied();
        let end = match element {
            Td | Th if table > 0 => behind_last(|open| matches!(open, Tr | Tbody | Tfoot | Thead)),
            Tr if table > 0 => behind_last(|open| matches!(open, Tbody | Tfoot | Thead)),
            Caption | Col | Colgroup | Tbody | Tfoot | Thead if table > 0 => table,
            Table if top.is_some_and(Element::is_of_rows) => table.saturating_sub(1),
            Li => self.last_item(|open| open == Li),
            Dd | Dt => self.last_item(|open| matches!(open, Dd | Dt)),
            Button => self.last_of(Button, |open| ends_scope(open, Button)),
            Option | Optgroup if top == Some(Option) => self.open.len() - 1,
            _ => self.open.len(),
        };
        self.truncate(end);
        if ends_paragraph(element) {
            let end = self.last_of(P, |open| open == Button || ends_scope(open, P));
            self.truncate(end);
        }
        if element.is_heading() && self.open.last().is_some_and(|open| open.is_heading()) {
            self.truncate(self.open.len() - 1);
        }
    }

    /// The index of the innermost open item of a list; all of them if another element is in between.
    fn last_item(&self, is_item: impl Fn(Element) -> bool) -> usize {
        let searched = self.open.iter().enumerate().rev().take(SEARCHED_ELEMENTS);
        let holds_items = |open| matches!(open, Element::Address | Element::Div | Element::P);
        let mut searched = searched.take_while(|(_, open)| is_item(**open) || holds_items(**open));
        let found = searched.find(|(_, open)| is_item(**open));
        found.map_or(self.open.len(), |(at, _)| at)
    }

    /// The index of the innermost of these elements that is open, unless one `stops` the search.
    fn last_of(&self, element: Element, stops: impl Fn(Element) -> bool) -> usize {
        let searched = self.open.iter().enumerate().rev().take(SEARCHED_ELEMENTS);
        let mut searched = searched.take_while(|(_, open)| **open == element || !stops(**open));
        let found = searched.find(|(_, open)| **open == element);
        found.map_or(self.open.len(), |(at, _)| at)
    }

    /// Ends those from this index on. Returns what that ends, if the first of them has an end tag here.
    fn truncate(&mut self, at: usize) -> Ends {
        self.open.truncate(at);
        self.leave_scopes(at);
        while self.tables.pop_if(|table| *table >= at).is_some() {}
        let mut ends = Ends::Line;
        while let Some(beside) = self.beside.pop_if(|beside| *beside >= at) {
            ends = if beside == at { Ends::Beside } else { Ends::Line };
        }
        ends
    }

    /// Whether one from this index on keeps end tags in that are not its own (HTML §13.2.4.2, special elements).
    pub fn holds_special(&self, from: usize) -> bool {
        use Element::*;
        let is_special = |open: &Element| {
            !matches!(open, Audio | Canvas | Dialog | Legend | Optgroup | Option | Text | Video)
        };
        self.open.get(from..).unwrap_or_default().iter().any(is_special)
    }

    /// How many are open.
    pub fn depth(&self) -> usize {
        self.open.len()
    }

    /// Notes that the element that was just opened is shown beside its neighbours.
    pub fn set_beside(&mut self, element: Element) {
        if let Some((at, last)) = self.open.iter().enumerate().next_back()
            && *last == element
        {
            self.beside.push(at);
        }
    }

    /// What an end tag of a breaking element ends here.
    pub fn closes(&mut self, element: Element) -> Ends {
        if matches!(element, Element::Body | Element::Head | Element::Html)
            || is_empty(element) && element != Element::Br
        {
            return Ends::Nothing;
        }
        // An end tag of a heading ends any heading.
        let ends = |open: Element| open == element || open.is_heading() && element.is_heading();
        let mut looked_at = 0;
        let mut found = None;
        for (at, open) in self.open.iter().enumerate().rev() {
            if ends(*open) {
                found = Some(at);
                break;
            }
            looked_at += 1;
            if looked_at == SEARCHED_ELEMENTS || ends_scope(*open, element) {
                break;
            }
        }
        match found {
            Some(at) => self.truncate(at),
            // `</p>` and `</br>` make an element of their own.
            None if matches!(element, Element::P | Element::Br) => Ends::Line,
            None if looked_at == SEARCHED_ELEMENTS || self.is_full() => Ends::Line,
            None => Ends::Nothing,
        }
    }

    /// The number of the innermost element that limits the scope of end tags.
    pub fn scope(&self) -> usize {
        self.scopes.last().map_or(0, |scope| scope.number)
    }

    /// The number of the innermost element at which parsers forget what is open outside.
    pub fn marker(&self) -> usize {
        self.markers.last().copied().unwrap_or(0)
    }

    /// Whether the element of this number is open.
    pub fn is_marker_open(&self, number: usize) -> bool {
        number == 0 || self.markers.binary_search(&number).is_ok()
    }

    fn enter_scope(&mut self, element: Element) {
        let is_marker = is_marker(element);
        if is_marker || limits_scope(element) {
            self.numbered += 1;
            self.scopes.push(Scope { at: self.open.len(), number: self.numbered });
            self.markers.extend(is_marker.then_some(self.numbered));
        }
    }

    /// Ends those from this index in `open` on.
    fn leave_scopes(&mut self, from: usize) {
        while let Some(scope) = self.scopes.pop_if(|scope| from <= scope.at) {
            self.markers.pop_if(|marker| *marker == scope.number);
        }
    }

    pub fn is_full(&self) -> bool {
        self.open.len() >= OPEN_ELEMENTS
    }
}

/// Whether a breaking element has no content.
fn is_empty(element: Element) -> bool {
    element.is_void() || element == Element::Image
}

/// HTML §13.2.4.3: whether parsers forget at an element what is open outside.
fn is_marker(element: Element) -> bool {
    use Element::*;
    matches!(element, Applet | Caption | Marquee | Object | Td | Template | Th)
}

/// HTML §13.2.4.2: whether an element that is no marker limits the scope of `</a>`, or keeps it out.
fn limits_scope(element: Element) -> bool {
    matches!(element, Element::Select | Element::Table) || is_inline_scope(element)
}

/// Whether it limits the scope of end tags in a drawing or formula, and does not break the line.
pub(super) fn is_inline_scope(element: Element) -> bool {
    use Element::*;
    matches!(element, AnnotationXml | Desc | ForeignObject | Mi | Mn | Mo | Ms | Mtext)
}

/// Whether an element limits the scope of end tags here and does not break the line.
pub(super) fn is_scope_in_line(element: Element, foreign: bool) -> bool {
    element == Element::Template || foreign && is_inline_scope(element)
}

/// Whether the start tag of a breaking element ends a `<p>` (HTML §13.2.6.4.7). `<table>` does so in most pages.
#[rustfmt::skip]
fn ends_paragraph(element: Element) -> bool {
    use Element::*;
    element.is_heading() || matches!(
        element,
        Address | Article | Aside | Blockquote | Center | Dd | Details | Dialog | Dir | Div | Dl | Dt | Fieldset
            | Figcaption | Figure | Footer | Form | Header | Hgroup | Hr | Li | Listing | Main | Menu | Nav | Ol | P
            | Plaintext | Pre | Search | Section | Summary | Table | Ul | Xmp
    )
}

/// HTML §13.2.4.2: whether an open element limits the scope of the end tag of another.
fn ends_scope(open: Element, element: Element) -> bool {
    use Element::*;
    match open {
        Table => true,
        Applet | Caption | Marquee | Object | Td | Th => {
            !matches!(element, Caption | Table | Tbody | Td | Tfoot | Th | Thead | Tr)
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    impl OpenElements {
        fn ends(&mut self, element: Element) -> bool {
            self.closes(element) == Ends::Line
        }
    }

    #[test]
    fn elements_beside_others() {
        use Element::*;
        let mut open = OpenElements::default();
        assert!(open.opens(Div) && open.opens(P));
        open.set_beside(P);
        assert_eq!(open.closes(P), Ends::Beside);
        assert!(open.opens(P));
        open.set_beside(Div);
        assert_eq!(open.closes(P), Ends::Line);
        open.set_beside(Div);
        assert!(open.opens(P));
        assert_eq!(open.closes(Div), Ends::Beside);
        assert_eq!(open.closes(Div), Ends::Nothing);
    }

    #[test]
    fn tags_that_parsers_drop() {
        use Element::*;
        let mut open = OpenElements::default();
        for element in [Td, Tr, Tbody, Body, Head] {
            assert!(!open.opens(element), "<{element:?}>");
        }
        for element in [Td, Table, Div, Li, H1, Body, Html, Img, Input, Option] {
            assert!(!open.ends(element), "</{element:?}>");
        }
        assert!(open.ends(P) && open.ends(Br));
    }

    #[test]
    fn tags_that_count() {
        use Element::*;
        let mut open = OpenElements::default();
        for (element, breaks) in [(Div, true), (Table, false), (Tr, false), (Td, true), (H2, true)]
        {
            assert_eq!(open.opens(element), breaks, "<{element:?}>");
        }
        assert!(open.ends(H3));
        assert!(!open.ends(Div), "a cell keeps it in");
        assert!(open.ends(Tr) && !open.ends(Td) && open.ends(Table) && open.ends(Div));
        assert!(!open.ends(Div));
    }

    #[test]
    fn what_is_too_deep_counts() {
        use Element::*;
        let mut open = OpenElements::default();
        for _ in 0..OPEN_ELEMENTS {
            assert!(open.opens(Div));
        }
        assert!(open.opens(Td) && open.ends(Li));
    }
}
