//! Which elements are open, as far as that decides whether a tag has any effect (HTML §13.2.6.4.7).
//!
//! Parsers drop `</td>` without a `<td>` and `<tr>` outside of a table, and the texts on both sides are joined:
//! `https://paypal</td>.com`.

/// Maximum number of open elements. Chromium nests no deeper; beyond that every tag counts.
pub(super) const OPEN_ELEMENTS: usize = 512;

/// Maximum number of open elements that are compared with an end tag. Real mail closes one of the last few.
pub(super) const SEARCHED_ELEMENTS: usize = 64;

/// The open elements that break the line of text, the innermost last.
#[derive(Clone, Debug, Default)]
pub(super) struct OpenElements {
    open: Vec<&'static str>,
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
    pub fn opens(&mut self, name: &'static str) -> bool {
        match name {
            // A `<frameset>` behind a text is dropped.
            "body" | "frame" | "frameset" | "head" | "html" => return false,
            "caption" | "col" | "colgroup" | "tbody" | "td" | "tfoot" | "th" | "thead" | "tr"
                if !self.is_full() && self.tables.is_empty() =>
            {
                return false;
            }
            "caption" | "col" | "colgroup" | "tbody" | "td" | "tfoot" | "th" | "thead" | "tr" => {
                // The cell before ends.
                self.leave_scopes(self.tables.last().map_or(0, |table| table + 1));
            }
            _ => {}
        }
        if !self.is_full() && !is_empty(name) {
            if name == "table" {
                self.tables.push(self.open.len());
            }
            self.enter_scope(name);
            self.open.push(name);
        }
        !matches!(name, "table" | "tbody" | "tfoot" | "thead" | "tr")
    }

    /// Ends what a start tag of this name ends by itself (HTML §13.2.6.4.7, §13.2.6.4.9 to .15).
    pub fn end_implied(&mut self, name: &str) {
        let table = self.tables.last().map_or(0, |table| table + 1);
        let in_table = || self.open.get(table..).unwrap_or_default();
        let behind_last = |names: &[&str]| {
            let last = in_table().iter().rposition(|open| names.contains(open));
            last.map_or(table, |at| table + at + 1)
        };
        let top = self.open.last().copied().unwrap_or_default();
        let end = match name {
            "td" | "th" if table > 0 => behind_last(&["tr", "tbody", "tfoot", "thead"]),
            "tr" if table > 0 => behind_last(&["tbody", "tfoot", "thead"]),
            "caption" | "col" | "colgroup" | "tbody" | "tfoot" | "thead" if table > 0 => table,
            "table" if matches!(top, "table" | "tbody" | "tfoot" | "thead" | "tr") => {
                table.saturating_sub(1)
            }
            "li" => self.last_item(&["li"]),
            "dd" | "dt" => self.last_item(&["dd", "dt"]),
            "button" => self.last_of("button", |open| ends_scope(open, "button")),
            "option" | "optgroup" if top == "option" => self.open.len() - 1,
            _ => self.open.len(),
        };
        self.truncate(end);
        if ends_paragraph(name) {
            let end = self.last_of("p", |open| open == "button" || ends_scope(open, "p"));
            self.truncate(end);
        }
        if is_heading(name) && self.open.last().is_some_and(|open| is_heading(open)) {
            self.truncate(self.open.len() - 1);
        }
    }

    /// The index of the innermost open item of a list; all of them if another element is in between.
    fn last_item(&self, items: &[&str]) -> usize {
        let searched = self.open.iter().enumerate().rev().take(SEARCHED_ELEMENTS);
        let mut searched = searched.take_while(|(_, open)| {
            items.contains(open) || matches!(**open, "address" | "div" | "p")
        });
        let found = searched.find(|(_, open)| items.contains(open));
        found.map_or(self.open.len(), |(at, _)| at)
    }

    /// The index of the innermost open element of this name, unless one `stops` the search.
    fn last_of(&self, name: &str, stops: impl Fn(&str) -> bool) -> usize {
        let searched = self.open.iter().enumerate().rev().take(SEARCHED_ELEMENTS);
        let mut searched = searched.take_while(|(_, open)| **open == name || !stops(open));
        let found = searched.find(|(_, open)| **open == name);
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
        let is_special = |name: &&str| {
            !matches!(
                *name,
                "audio" | "canvas" | "dialog" | "legend" | "optgroup" | "option" | "text" | "video"
            )
        };
        self.open.get(from..).unwrap_or_default().iter().any(is_special)
    }

    /// How many are open.
    pub fn depth(&self) -> usize {
        self.open.len()
    }

    /// Notes that the element of this name that was just opened is shown beside its neighbours.
    pub fn set_beside(&mut self, name: &'static str) {
        if let Some((at, last)) = self.open.iter().enumerate().next_back()
            && *last == name
        {
            self.beside.push(at);
        }
    }

    /// What an end tag of a breaking element ends here.
    pub fn closes(&mut self, name: &'static str) -> Ends {
        if matches!(name, "body" | "head" | "html") || is_empty(name) && name != "br" {
            return Ends::Nothing;
        }
        let name = heading(name);
        let mut looked_at = 0;
        let mut found = None;
        for (at, open) in self.open.iter().enumerate().rev() {
            if heading(open) == name {
                found = Some(at);
                break;
            }
            looked_at += 1;
            if looked_at == SEARCHED_ELEMENTS || ends_scope(open, name) {
                break;
            }
        }
        match found {
            Some(at) => self.truncate(at),
            // `</p>` and `</br>` make an element of their own.
            None if matches!(name, "p" | "br") => Ends::Line,
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

    fn enter_scope(&mut self, name: &str) {
        let is_marker = is_marker(name);
        if is_marker || limits_scope(name) {
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
fn is_empty(name: &str) -> bool {
    matches!(name, "br" | "col" | "embed" | "frame" | "hr" | "image" | "img" | "input")
}

/// HTML §13.2.4.3: whether parsers forget at an element what is open outside.
fn is_marker(name: &str) -> bool {
    matches!(name, "applet" | "caption" | "marquee" | "object" | "td" | "template" | "th")
}

/// HTML §13.2.4.2: whether an element that is no marker limits the scope of `</a>`, or keeps it out.
fn limits_scope(name: &str) -> bool {
    matches!(name, "select" | "table") || INLINE.contains(&name)
}

/// Elements that limit the scope of end tags and do not break the line.
const INLINE: [&str; 8] =
    ["annotation-xml", "desc", "foreignobject", "mi", "mn", "mo", "ms", "mtext"];

/// The name of an element that limits the scope of end tags and does not break the line.
#[inline]
pub(super) fn inline_scope(name: &str, foreign: bool) -> Option<&'static str> {
    match name.len() {
        8 if name.eq_ignore_ascii_case("template") => Some("template"),
        2 | 4 | 5 | 13 | 14 if foreign => {
            INLINE.into_iter().find(|known| name.eq_ignore_ascii_case(known))
        }
        _ => None,
    }
}

/// An end tag of a heading ends any heading.
fn heading(name: &'static str) -> &'static str {
    if is_heading(name) { "h1" } else { name }
}

fn is_heading(name: &str) -> bool {
    matches!(name, "h1" | "h2" | "h3" | "h4" | "h5" | "h6")
}

/// Whether the start tag of a breaking element ends a `<p>` (HTML §13.2.6.4.7). `<table>` does so in most pages.
fn ends_paragraph(name: &str) -> bool {
    matches!(
        name,
        "address"
            | "article"
            | "aside"
            | "blockquote"
            | "center"
            | "dd"
            | "details"
            | "dialog"
            | "dir"
            | "div"
            | "dl"
            | "dt"
            | "fieldset"
            | "figcaption"
            | "figure"
            | "footer"
            | "form"
            | "header"
            | "hgroup"
            | "hr"
            | "li"
            | "listing"
            | "main"
            | "menu"
            | "nav"
            | "ol"
            | "p"
            | "plaintext"
            | "pre"
            | "search"
            | "section"
            | "summary"
            | "table"
            | "ul"
            | "xmp"
    ) || is_heading(name)
}

/// HTML §13.2.4.2: whether an open element limits the scope of this end tag.
fn ends_scope(open: &str, name: &str) -> bool {
    let of_table =
        matches!(name, "caption" | "table" | "tbody" | "td" | "tfoot" | "th" | "thead" | "tr");
    match open {
        "table" => true,
        "applet" | "caption" | "marquee" | "object" | "td" | "th" => !of_table,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::super::elements;
    use super::*;

    #[test]
    fn breaking_elements_without_an_end_tag_are_empty() {
        for name in elements::BREAKING {
            assert_eq!(is_empty(name), elements::is_void(name) || *name == "image", "{name}");
        }
    }

    impl OpenElements {
        fn ends(&mut self, name: &'static str) -> bool {
            self.closes(name) == Ends::Line
        }
    }

    #[test]
    fn elements_beside_others() {
        let mut open = OpenElements::default();
        assert!(open.opens("div") && open.opens("p"));
        open.set_beside("p");
        assert_eq!(open.closes("p"), Ends::Beside);
        assert!(open.opens("p"));
        open.set_beside("div");
        assert_eq!(open.closes("p"), Ends::Line);
        open.set_beside("div");
        assert!(open.opens("p"));
        assert_eq!(open.closes("div"), Ends::Beside);
        assert_eq!(open.closes("div"), Ends::Nothing);
    }

    #[test]
    fn tags_that_parsers_drop() {
        let mut open = OpenElements::default();
        for name in ["td", "tr", "tbody", "body", "head"] {
            assert!(!open.opens(name), "<{name}>");
        }
        for name in ["td", "table", "div", "li", "h1", "body", "html", "img", "input", "option"] {
            assert!(!open.ends(name), "</{name}>");
        }
        assert!(open.ends("p") && open.ends("br"));
    }

    #[test]
    fn tags_that_count() {
        let mut open = OpenElements::default();
        for (name, breaks) in
            [("div", true), ("table", false), ("tr", false), ("td", true), ("h2", true)]
        {
            assert_eq!(open.opens(name), breaks, "<{name}>");
        }
        assert!(open.ends("h3"));
        assert!(!open.ends("div"), "a cell keeps it in");
        assert!(open.ends("tr") && !open.ends("td") && open.ends("table") && open.ends("div"));
        assert!(!open.ends("div"));
    }

    #[test]
    fn what_is_too_deep_counts() {
        let mut open = OpenElements::default();
        for _ in 0..OPEN_ELEMENTS {
            assert!(open.opens("div"));
        }
        assert!(open.opens("td") && open.ends("li"));
    }
}
