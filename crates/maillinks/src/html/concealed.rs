//! Which text is concealed from readers, and by which open elements.
//!
//! Sizes of letters and visibility are inherited: an element inside can set them again, as those of most newsletters do
//! (`<td style="font-size:0">` around `<div style="font-size:13px">`). What is not displayed at all stays so.
//! An element also ends without an end tag of its own, by the rules of parsers (HTML §13.2.6.4.7).

use std::ops::Range;

use super::elements::Element;
use super::open::{OpenElements, SEARCHED_ELEMENTS, is_inline_scope};
use super::style::{Conceals, Seen};
use super::token::{Attribute, ElementName};
use super::{HtmlReader, Tag};

/// Elements that conceal text, and those in them, the innermost last.
#[derive(Debug, Default)]
pub(super) struct Concealed {
    layers: Vec<ConcealedLayer>,
    now: Concealment,
    /// What separates the text before from text that is seen again.
    gap: Option<Gap>,
    /// Whether text was seen again inside.
    reveals: bool,
}

/// What an element does to the text in it, until it ends.
#[derive(Debug)]
struct ConcealedLayer {
    name: ElementName,
    kind: LayerKind,
    /// The number of breaking elements without which it is over.
    needs: usize,
    /// The innermost open element that limits the scope of end tags, and that at which parsers forget it.
    scope: usize,
    marker: usize,
    conceals: Conceals,
    before: Concealment,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LayerKind {
    /// It breaks the line.
    Breaking,
    Inline,
    /// Parsers open it again where the element around it ends before it (HTML §13.2.4.3).
    Formatting,
}

impl ConcealedLayer {
    fn inside(&self) -> Concealment {
        self.before.within(self.conceals)
    }
}

/// How text is concealed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Concealment {
    all: bool,
    size: bool,
    ink: bool,
}

impl Concealment {
    fn conceals(self) -> bool {
        self.all || self.size || self.ink
    }

    fn within(self, conceals: Conceals) -> Concealment {
        let inherited = |seen: Seen, before: bool| match seen {
            Seen::Inherited => before,
            Seen::Shown => false,
            Seen::Hidden => true,
        };
        Concealment {
            all: self.all || conceals.all,
            size: inherited(conceals.size, self.size),
            ink: inherited(conceals.ink, self.ink),
        }
    }
}

/// What separates texts; the later ones separate more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Gap {
    Anchor,
    Beside,
    Line,
}

impl Concealed {
    /// Whether an element is open that conceals text.
    #[inline]
    pub(super) fn is_open(&self) -> bool {
        !self.layers.is_empty()
    }

    /// Adds what separates text that may be seen again from what was seen before.
    pub(super) fn separate(&mut self, gap: Gap) {
        if !self.now.all {
            self.gap = self.gap.max(Some(gap));
        }
    }

    /// Ends all from this layer on, but for those that `stay`. The state then is that of the others.
    fn end(&mut self, first: usize, stay: impl Fn(&ConcealedLayer) -> bool) {
        let mut index = 0;
        self.layers.retain(|layer| {
            index += 1;
            index <= first || stay(layer)
        });
        let around = first.checked_sub(1).and_then(|at| self.layers.get(at));
        let mut state = around.map_or(Concealment::default(), ConcealedLayer::inside);
        for layer in self.layers.iter_mut().skip(first) {
            layer.before = state;
            state = layer.inside();
        }
        self.now = state;
    }

    /// Ends the layers whose surroundings ended.
    fn end_with(&mut self, open: &OpenElements) {
        let depth = open.depth();
        let is_over = |layer: &ConcealedLayer| match layer.kind {
            LayerKind::Formatting => !open.is_marker_open(layer.marker),
            LayerKind::Breaking | LayerKind::Inline => depth < layer.needs,
        };
        if let Some(first) = self.layers.iter().position(is_over) {
            self.end(first, |layer| !is_over(layer));
            for layer in self.layers.iter_mut().skip(first) {
                layer.needs = layer.needs.min(depth);
            }
        }
    }

    /// The layer that an end tag ends, or the next tag of elements that are not nested.
    fn ended_by(&self, text: &str, tag: &Tag, open: &OpenElements) -> Option<usize> {
        let at = self.layers.iter().rposition(|layer| layer.name.is(&tag.name, text))?;
        let layer = self.layers.get(at)?;
        let ends = match layer.kind {
            // It ends with what it holds.
            LayerKind::Breaking => false,
            LayerKind::Inline => !open.holds_special(layer.needs),
            LayerKind::Formatting => open.scope() <= layer.scope,
        };
        ends.then_some(at)
    }
}

impl HtmlReader<'_, '_, '_> {
    /// Whether text is concealed here.
    pub(super) fn is_concealed(&self) -> bool {
        self.concealed.now.conceals()
    }

    /// Handles a start tag before its element begins: it ends some that are open.
    pub(super) fn end_concealed(&mut self, tag: &Tag, breaks_line: bool) {
        self.view.steps += self.concealed.layers.len() as u64;
        let was_concealed = self.is_concealed();
        if breaks_line {
            self.elements.end_implied(tag.element());
        }
        self.concealed.end_with(&self.elements);
        if matches!(tag.element(), Element::A | Element::Nobr) {
            self.end_own(tag);
        }
        if self.foreign && breaks_out(tag.element()) {
            self.end_drawing();
        }
        self.note_change(tag, was_concealed);
    }

    /// Handles an end tag, after the elements around it. Whether it ends one that conceals all that is in it.
    pub(super) fn leave_concealed(&mut self, tag: &Tag) -> bool {
        let was_concealed = self.is_concealed();
        self.view.steps += self.concealed.layers.len() as u64;
        let named = |layer: &ConcealedLayer| layer.name.is(&tag.name, self.text);
        let own = self.concealed.layers.iter().rposition(named);
        self.concealed.end_with(&self.elements);
        self.end_own(tag);
        let reveals = self.concealed.reveals;
        self.note_change(tag, was_concealed);
        let is_over = own.is_some_and(|own| self.concealed.layers.len() <= own);
        is_over && was_concealed && !self.is_concealed() && !reveals
    }

    /// Ends the innermost layer of the name of this tag.
    fn end_own(&mut self, tag: &Tag) {
        let Some(at) = self.concealed.ended_by(self.text, tag, &self.elements) else { return };
        let layers = &mut self.concealed.layers;
        let own = layers.remove(at);
        // In a block that is still open the other elements last.
        let lasts = own.needs < self.elements.depth();
        self.concealed.end(at, |layer| lasts || layer.kind == LayerKind::Formatting);
    }

    /// Ends a drawing or formula in which an element of HTML begins (HTML §13.2.6.5).
    fn end_drawing(&mut self) {
        let layers = &self.concealed.layers;
        let html = layers.iter().rposition(|layer| holds_html(layer.name.element));
        let html = html.map_or(0, |at| at + 1);
        let drawing = layers.iter().skip(html).position(|layer| is_drawing(layer.name.element));
        if let Some(drawing) = drawing {
            self.concealed.end(html + drawing, |_| false);
        }
    }

    /// Begins an element. `depth` is how many breaking elements were open before it.
    pub(super) fn enter_concealed(
        &mut self,
        tag: &Tag,
        (attributes, breaks_line): (&[Attribute], bool),
        conceals: Conceals,
        depth: usize,
    ) {
        let element = tag.element();
        if element.is_void() || self.foreign && self.slice(&tag.range).ends_with("/>") {
            return;
        }
        let conceals = self.with_size(element, attributes, conceals);
        let pushed = self.elements.depth() > depth;
        let is_page = matches!(element, Element::Body | Element::Html);
        // Parsers drop its tag.
        if breaks_line && !pushed && !is_page && !self.foreign && !self.elements.is_full() {
            return;
        }
        let before = self.concealed.now;
        let now = before.within(conceals);
        if breaks_line && now == before {
            return;
        }
        let kind = match () {
            () if pushed => LayerKind::Breaking,
            () if element.is_formatting() => LayerKind::Formatting,
            () => LayerKind::Inline,
        };
        let was_concealed = self.is_concealed();
        if self.concealed.layers.len() == SEARCHED_ELEMENTS || self.elements.is_full() {
            // Nobody nests as deep: what is there counts as seen.
            self.concealed = Concealed::default();
            return;
        }
        self.concealed.layers.push(ConcealedLayer {
            name: tag.name.clone(),
            kind,
            needs: self.elements.depth(),
            scope: self.elements.scope(),
            marker: self.elements.marker(),
            conceals,
            before,
        });
        self.concealed.now = now;
        self.note_change(tag, was_concealed);
    }

    /// Whether an element makes text seen that is not so around it.
    pub(super) fn is_revealed_by(
        &self,
        element: Element,
        attributes: &[Attribute],
        conceals: Conceals,
    ) -> bool {
        let shows = || {
            let conceals = self.with_size(element, attributes, conceals);
            !self.concealed.now.within(conceals).conceals()
        };
        self.is_concealed() && shows()
    }

    /// What an element says, with the size of its letters that no style has to set: those of controls, by `<font>`,
    /// and in pages without a type those of tables.
    fn with_size(
        &self,
        element: Element,
        attributes: &[Attribute],
        conceals: Conceals,
    ) -> Conceals {
        use Element::*;
        let sets_size = || match element {
            Button | Input | Select | Table | Textarea => true,
            Font => self.value_of("size", attributes).is_some(),
            _ => false,
        };
        let asks = self.concealed.now.size && conceals.size == Seen::Inherited;
        let size = if asks && sets_size() { Seen::Shown } else { conceals.size };
        Conceals { size, ..conceals }
    }

    /// Marks where text begins to be concealed, and separates what is seen again from the text before.
    fn note_change(&mut self, tag: &Tag, was_concealed: bool) {
        let is_over = self.concealed.layers.is_empty();
        match (was_concealed, self.is_concealed()) {
            (false, true) => {
                let here = self.visible.len();
                self.marks.push(here..here);
                self.hidden.separate(tag.range.start);
            }
            (true, false) => {
                self.concealed.reveals |= !is_over;
                let gap = self.concealed.gap.take().filter(|_| self.concealed.reveals);
                match gap {
                    Some(Gap::Line) => self.separate(tag.range.start),
                    Some(Gap::Beside) => self.separate_beside(tag.range.start),
                    Some(Gap::Anchor) => self.separate_anchor(tag.range.start),
                    None => {}
                }
            }
            _ => {}
        }
        if is_over {
            (self.concealed.reveals, self.concealed.gap) = (false, None);
        }
    }

    /// Handles characters that are concealed: a blank among what is seen again leaves its words side by side.
    pub(super) fn conceal_characters(&mut self, range: &Range<usize>) {
        let is_blank = |text: &str| text.bytes().all(|c| c.is_ascii_whitespace());
        if self.concealed.gap.is_none() && self.slice(range).split("&nbsp;").all(is_blank) {
            self.concealed.separate(Gap::Beside);
        }
    }
}

/// Whether it is one of a drawing or formula.
fn is_drawing(element: Element) -> bool {
    use Element::*;
    matches!(element, Svg | Math | G | Text | Tspan | TextPath | Switch)
}

/// Whether a drawing or formula has HTML in it.
fn holds_html(element: Element) -> bool {
    element == Element::Title || is_inline_scope(element)
}

/// Whether an element of HTML ends the drawing or formula in which it begins.
#[rustfmt::skip]
fn breaks_out(element: Element) -> bool {
    use Element::*;
    element != A && element.is_formatting() || element.is_heading() || matches!(
        element,
        Blockquote | Body | Br | Center | Dd | Div | Dl | Dt | Embed | Head | Hr | Img | Li | Listing | Menu | Meta | Ol
            | P | Pre | Ruby | Span | Sub | Sup | Table | Ul | Var
    )
}
