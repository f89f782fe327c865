//! HTML as a reader sees it and as a client follows it.
//!
//! One pass of the tokenizer builds the visible text, without tags, and reads every attribute that holds a URL.
//! Conditional comments and the content of raw-text elements are queued for passes of their own, so nothing recurses
//! and each byte is read at most three times.

mod actions;
mod anchors;
mod as_xml;
mod below;
mod breaks;
mod clicked;
mod compared;
mod concealed;
mod constants;
mod contacts;
mod drawn;
mod elements;
mod embedded;
mod entity;
mod feed;
mod fields;
mod flat;
mod forms;
mod glance;
mod handed_on;
mod lasting;
mod lenient;
mod letters;
mod login;
mod maps;
mod named;
mod named_page;
mod noscript;
mod open;
mod opened_hosts;
mod outlook;
mod outlook_links;
mod pictures;
mod pieces;
mod relative;
mod rereads;
mod sheets;
mod skipped;
mod strings;
mod style;
mod styled;
mod subset;
mod targetless;
mod titles;
mod token;
mod top;
mod urls;
mod visible;
mod written;

use std::borrow::Cow;
use std::cell::OnceCell;
use std::collections::VecDeque;
use std::ops::{ControlFlow, Range};

pub use actions::{actions, may_have_actions};
pub use below::{below, governing};
pub use elements::attribute_name;
pub use embedded::{Embedded, Use, with_embedded};
pub use flat::{FlatItem, flat_items};
pub use login::{LoginPage, login_page};
pub use named_page::below_name as page_below_name;
pub use noscript::scripted;
pub use pictures::pictures;
pub use relative::{Relative, relatives, under_base};
pub use rereads::Rereads;
pub use token::{RawText, Tag, Token, Tokenizer};
pub use top::top_of_html;

use super::mapped::{Builder, MappedText};
use super::{
    Capacity, DOCUMENTS, Holds, Markup, Occurrence, Rendering, STRETCH, SeenBy, Site, Take, Target,
    USUAL_LINKS, View, add, text_steps,
};
use anchors::Anchor;
use breaks::breaks;
use concealed::Concealed;
use entity::Within;
use forms::Forms;
use homograph::HostBounds;
use maps::Maps;
use open::{Ends, OpenElements};
use sheets::HidingRules;
use skipped::Skipped;
use styled::StyledElement;
use targetless::Targetless;
use titles::Titled;
use token::{RawElement, TagKind};
use uts58::tlds::TldSet;
use uts58::{Boundaries, Linkifier};

/// What a text with tags is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Document {
    Page,
    /// A page in an attribute of another one.
    Inner,
    /// XML, of which each element is a field of data.
    Data,
}

/// Finds the links of a text with tags.
pub fn read<'t>(
    (text, document): (&'t str, Document),
    tlds: &dyn TldSet,
    capacity: Capacity,
    take: Take<'_, 't>,
) -> ControlFlow<()> {
    let mut reader = Reader::new(text, tlds, capacity, take);
    // Entities are expanded once, and not in a document that is an attribute.
    reader.declares = document == Document::Inner;
    reader.tags_separate = document == Document::Data;
    if document == Document::Page {
        reader.view.documents.extend(as_xml::rewritten(text));
    } else if document == Document::Data {
        reader.view.steps += text_steps(text);
        // One more than there is room for says that some are left out.
        let pages = feed::pages(text, DOCUMENTS + 1);
        pages.into_iter().for_each(|page| reader.view.add_document(page));
    }
    reader.queue.push_back((0..text.len(), Pass::Document));
    while let Some((range, pass)) = reader.queue.pop_front() {
        reader.pass(range, pass)?;
    }
    reader.finish()
}

/// The name under which an attribute is left in its tag, and followed by no client.
pub fn unsafe_name(attribute: &str) -> Cow<'static, str> {
    ["data-unsafe-", attribute].concat().into()
}

/// Why a range is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Pass {
    Document,
    /// A conditional comment, which Outlook shows; or one without an end, which old clients show.
    Comment,
    /// The content of a raw-text element in SVG or MathML, where it is markup.
    Foreign,
    /// The content of a raw-text element, whose text was read already: only its tags are read.
    Tags,
    /// A comment, or a tag that holds a `<`: it has tags for programs that end comments elsewhere and know other
    /// quotes.
    Lenient,
}

struct Reader<'t, 'k, 'f> {
    text: &'t str,
    queue: VecDeque<(Range<usize>, Pass)>,
    /// Text that a reader sees.
    visible: Builder,
    /// Text that only a client sees.
    hidden: Builder,
    concealed: Concealed,
    /// Whose text runs from right to left, and in it from left to right.
    leftward: Option<StyledElement>,
    rightward: Option<StyledElement>,
    reversing: Option<StyledElement>,
    /// Text that keeps its direction in reversed text.
    isolating: Option<StyledElement>,
    breaking: Option<StyledElement>,
    /// Whose elements stand side by side.
    lining_up: Option<StyledElement>,
    elements: OpenElements,
    open_anchor: Option<Anchor>,
    /// Links that ended for some programs, the innermost last.
    outer: Vec<Anchor>,
    anchors: Vec<Anchor>,
    targetless: Targetless,
    /// Elements with a tooltip, the innermost last.
    titled: Vec<Titled>,
    /// The element that a script makes a link.
    clicked: Option<StyledElement>,
    /// Pictures in the open anchor, and what style sheets write.
    drawn: drawn::Drawing,
    /// Ranges of visible text that something invisible breaks or reverses; empty for a break.
    marks: Vec<Range<usize>>,
    /// Where a text node begins inside a word, in bytes of visible text.
    nodes: Vec<usize>,
    /// Where the text of an anchor is separated from a word next to it, in bytes of visible text.
    seams: Vec<usize>,
    /// Where words are separated that stand side by side, and where boxes of a line begin, in bytes of visible text.
    joints: Vec<usize>,
    boxes: breaks::Boxes,
    /// Elements inside words.
    skipped: Skipped,
    /// What style sheets hide, once that is asked.
    hiding_rules: OnceCell<HidingRules>,
    /// The occurrence of the first `<base href>`.
    base: Option<usize>,
    forms: Forms,
    maps: Maps,
    /// Whether `<svg>` or `<math>` was opened.
    foreign: bool,
    /// Whether `<math>` is open, in which any element may be a link.
    math: bool,
    /// Whether the document declares entities.
    declares: bool,
    /// Whether each tag ends the text before it.
    tags_separate: bool,
    /// Whether a conditional comment is inside a word, or begins or ends an anchor.
    outlook: bool,
    /// Where the anchor begins that is open before a condition.
    before_condition: Option<usize>,
    /// Ranges of visible text in which markup would be shown as text, and the start of the current one.
    shown: Vec<Range<usize>>,
    showing: Option<usize>,
    linkifier: Linkifier<'k>,
    tlds: &'k dyn TldSet,
    /// Maximum number of occurrences, of all and of one stretch.
    most: usize,
    together: usize,
    /// Whether links may be handed on before the end: nothing later refers to them.
    in_turn: bool,
    take: Take<'f, 't>,
    /// Which programs see what this pass finds.
    seen_by: SeenBy,
    /// Whether markup inserted into the range is read as markup.
    markup: Markup,
    view: View<'t>,
    /// Occurrences of the view when visible text was searched last. An anchor that follows another directly keeps
    /// them in the view.
    flushed: usize,
}

/// Occurrences after which a stretch ends, if it can.
const STRETCH_LINKS: usize = 512;

/// Maximum bytes of visible text that are reversed together: each character takes a place of its own in memory, and
/// honest mail reverses a few words.
const REVERSED_BYTES: usize = 1 << 20;

/// Bytes of markup after which the receiver is asked whether to continue.
const PULSE: usize = 64 << 10;

impl<'t, 'k, 'f> Reader<'t, 'k, 'f> {
    fn new(
        text: &'t str,
        tlds: &'k dyn TldSet,
        capacity: Capacity,
        take: Take<'f, 't>,
    ) -> Reader<'t, 'k, 'f> {
        Reader {
            text,
            queue: VecDeque::new(),
            visible: Builder::with_capacity((text.len() / 4).min(STRETCH)),
            hidden: Builder::default(),
            concealed: Concealed::default(),
            leftward: None,
            rightward: None,
            reversing: None,
            isolating: None,
            breaking: None,
            lining_up: None,
            elements: OpenElements::default(),
            open_anchor: None,
            outer: Vec::new(),
            titled: Vec::new(),
            clicked: None,
            drawn: drawn::Drawing::default(),
            anchors: Vec::new(),
            targetless: Targetless::default(),
            marks: Vec::new(),
            nodes: Vec::new(),
            seams: Vec::new(),
            joints: Vec::new(),
            boxes: breaks::Boxes::default(),
            skipped: Skipped::default(),
            hiding_rules: OnceCell::new(),
            base: None,
            forms: Forms::default(),
            maps: Maps::default(),
            foreign: false,
            math: false,
            declares: false,
            tags_separate: false,
            outlook: false,
            before_condition: None,
            shown: Vec::new(),
            showing: None,
            linkifier: Linkifier::new(tlds).boundaries(Boundaries::Wide),
            tlds,
            most: capacity.all,
            together: capacity.together,
            // What only Outlook shows is compared with all that other clients show.
            in_turn: !outlook::may_differ(text),
            take,
            seen_by: SeenBy::Standard,
            markup: Markup::Read,
            view: View::default(),
            flushed: 0,
        }
    }

    /// How many more occurrences may be added.
    fn capacity(&self) -> usize {
        self.most.min(self.together).saturating_sub(self.view.occurrences.len())
    }

    /// Adds an occurrence, if the capacity allows.
    fn push(&mut self, occurrence: Occurrence) {
        if self.view.occurrences.is_empty() {
            self.view.seen.reserve(USUAL_LINKS);
        }
        match self.capacity() {
            0 => self.view.cut = true,
            room => add(&mut self.view.occurrences, occurrence, room),
        }
    }

    fn slice(&self, range: &Range<usize>) -> &'t str {
        self.text.get(range.clone()).unwrap_or_default()
    }

    fn pass(&mut self, range: Range<usize>, pass: Pass) -> ControlFlow<()> {
        self.view.steps += text_steps(self.slice(&range));
        if pass == Pass::Lenient {
            self.lenient(range);
            return ControlFlow::Continue(());
        }
        let (markup, raw_text) = match pass {
            Pass::Document | Pass::Comment => (Markup::Read, RawText::Honour),
            Pass::Foreign | Pass::Tags | Pass::Lenient => (Markup::Shown, RawText::Ignore),
        };
        self.markup = markup;
        let mut pulse = range.start;
        let mut tokens = Tokenizer::new(self.text, range.clone(), raw_text);
        self.separate(range.start);
        self.elements = OpenElements::default();
        while let Some(token) = tokens.next() {
            match token {
                Token::Text(text) if pass != Pass::Tags => self.characters(text)?,
                Token::Text(_) => {}
                Token::Tag(tag) if tag.kind == TagKind::Open => {
                    self.enter_noscript(&tag, pass);
                    self.skip_from(&tag);
                    self.open(&tag, &tokens.attributes);
                    if !tokens.attributes.is_empty() {
                        self.queue_inside(&tag);
                    }
                }
                Token::Tag(tag) => {
                    self.outlook |= pass == Pass::Comment && self.ends_no_anchor(&tag);
                    self.close(&tag);
                    self.skipped.leave(self.text, &tag.name, self.visible.len());
                }
                Token::Comment(inner) if pass == Pass::Document => {
                    self.comment(inner, range.end)?;
                }
                Token::Comment(_) => {}
                Token::Raw(element, content) => self.raw(element, content)?,
            }
            let many = self.view.occurrences.len() >= STRETCH_LINKS;
            if many {
                self.flush_long();
            }
            if (many && self.can_emit()) || tokens.position().saturating_sub(pulse) > PULSE {
                pulse = tokens.position();
                self.emit()?;
            } else if !self.can_go_on() {
                return ControlFlow::Break(());
            }
        }
        self.end_pass(pass, range.end);
        ControlFlow::Continue(())
    }

    /// Ends what is open at the end of a pass.
    fn end_pass(&mut self, pass: Pass, end: usize) {
        // Outlook's goes on behind the comment.
        self.outlook |= pass == Pass::Comment && self.anchor_start().is_some();
        self.end_anchor();
        self.end_targetless();
        self.outer.clear();
        self.titled.clear();
        self.clicked = None;
        if let Some(inside) = self.reversing.take() {
            self.reverse(&inside);
        }
        self.concealed = Concealed::default();
        self.leave_all();
        self.separate(end);
    }

    fn comment(&mut self, inner: Range<usize>, end: usize) -> ControlFlow<()> {
        let text = self.slice(&inner).trim_ascii_start();
        let start = inner.end - text.len();
        if text.get(..3).is_some_and(|head| head.eq_ignore_ascii_case("[if")) {
            // After `[if mso]>`.
            let skip = text.find(']').unwrap_or(0);
            self.queue.push_back((start + skip..inner.end, Pass::Comment));
            self.outlook |= self.is_in_word(&inner) || self.is_text_of_link(&inner);
            self.before_condition = self.anchor_start();
        } else if outlook::ends_condition(text) {
            self.outlook |= self.before_condition != self.anchor_start();
        } else if let Some(data) = text.strip_prefix("[CDATA[") {
            let data = data.strip_suffix("]]").unwrap_or(data);
            let from = start + "[CDATA[".len();
            match self.foreign {
                true => {
                    self.without_markup(|reader| reader.characters(from..from + data.len()))?;
                }
                false => self.queue.push_back((from..inner.end, Pass::Comment)),
            }
        } else if inner.end == end {
            self.queue.push_back((inner, Pass::Comment));
        } else {
            self.declaration(&inner);
            if memchr::memchr(b'<', text.as_bytes()).is_some() {
                self.queue.push_back((inner, Pass::Lenient));
            }
        }
        ControlFlow::Continue(())
    }

    fn raw(&mut self, element: RawElement, content: Range<usize>) -> ControlFlow<()> {
        match element {
            RawElement::Script => {
                let seen = MappedText::slice(self.slice(&content), content.start);
                let site = Site::Attribute {
                    tag: content.start,
                    element: "script".into(),
                    attribute: "text",
                    holds: Holds::Script,
                };
                self.script(seen, &site);
            }
            RawElement::Style => {
                let outer = MappedText::slice(self.slice(&content), content.start);
                self.sheet(&outer, &Site::Style);
            }
            RawElement::Escapable => {
                self.separate(content.start);
                self.without_markup(|reader| reader.characters(content.clone()))?;
                self.separate(content.end);
            }
            RawElement::Text => {
                self.separate(content.start);
                self.without_markup(|reader| {
                    reader.visible.linear(reader.slice(&content), content.start);
                });
                self.separate(content.end);
            }
        }
        if memchr::memchr(b'<', self.slice(&content).as_bytes()).is_some() {
            let pass = if self.foreign { Pass::Foreign } else { Pass::Tags };
            self.queue.push_back((content, pass));
        }
        ControlFlow::Continue(())
    }

    /// Reads text in which markup would be shown as text.
    fn without_markup<R>(&mut self, read: impl FnOnce(&mut Self) -> R) -> R {
        self.showing = Some(self.visible.len());
        let result = read(self);
        if let Some(from) = self.showing.take() {
            self.shown.push(from..self.visible.len());
        }
        result
    }

    fn open(&mut self, tag: &Tag, attributes: &[token::Attribute]) {
        let name = self.slice(&tag.name);
        let first = self.view.occurrences.len();
        let traits = match attributes {
            [] => style::Traits::default(),
            attributes => self.attributes(tag, name, attributes),
        };
        let form = self.form_of(name, attributes);
        let found = self.view.occurrences.len() > first;
        if found {
            self.tie_shown_attributes(attributes, first, form);
            self.map(name, attributes, first);
        }
        if found || !self.titled.is_empty() {
            self.enter_title(tag, attributes, first);
        }
        if found && self.foreign {
            self.animate(attributes, first);
        }
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

    fn close(&mut self, tag: &Tag) {
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

#[cfg(test)]
mod tests;
