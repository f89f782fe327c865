//! HTML as a reader sees it and as a client follows it.
//!
//! One pass of the tokenizer builds the visible text, without tags, and reads every attribute that holds a URL.
//! Conditional comments and the content of raw-text elements are queued for passes of their own, so nothing recurses
//! and each byte is read at most three times.

mod actions;
mod anchors;
mod as_xml;
mod attributes;
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
mod names;
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
mod tags;
mod targetless;
mod titles;
mod token;
mod top;
mod url_values;
mod urls;
mod visible;
mod written;

use std::borrow::Cow;
use std::cell::OnceCell;
use std::collections::VecDeque;
use std::ops::{ControlFlow, Range};

pub use actions::{actions, may_have_actions};
pub use attributes::attribute_name;
pub use below::{below, governing};
pub use embedded::{Embedded, Use, with_embedded};
pub use flat::{FlatItem, flat_items, flat_relations};
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
    USUAL_LINKS, View, add, linkifier, text_steps,
};
use anchors::Anchor;
use concealed::Concealed;
use elements::RawElement;
use entity::Within;
use forms::Forms;
use homograph::HostBounds;
use maps::Maps;
use open::OpenElements;
use sheets::HidingRules;
use skipped::Skipped;
use styled::StyledElement;
use targetless::Targetless;
use titles::Titled;
use token::TagKind;
use uts58::Linkifier;
use uts58::tlds::TldSet;

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
    let mut reader = HtmlReader::new(text, tlds, capacity, take);
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

struct HtmlReader<'t, 'k, 'f> {
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
    tlds: &'k dyn TldSet,
    /// Maximum number of occurrences, of all and of one stretch.
    most: usize,
    together: usize,
    steps: u64,
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

impl<'t, 'k, 'f> HtmlReader<'t, 'k, 'f> {
    fn new(
        text: &'t str,
        tlds: &'k dyn TldSet,
        capacity: Capacity,
        take: Take<'f, 't>,
    ) -> HtmlReader<'t, 'k, 'f> {
        HtmlReader {
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
            tlds,
            most: capacity.all,
            together: capacity.together,
            steps: capacity.steps,
            // What only Outlook shows is compared with all that other clients show.
            in_turn: !outlook::may_differ(text),
            take,
            seen_by: SeenBy::Standard,
            markup: Markup::Read,
            view: View::default(),
            flushed: 0,
        }
    }

    /// How many more occurrences may be added: none once the stretch has taken the steps that are left, which ends the
    /// message.
    fn capacity(&self) -> usize {
        if self.is_spent() {
            return 0;
        }
        self.most.min(self.together).saturating_sub(self.view.occurrences.len())
    }

    /// The linkifier with the steps that are left.
    fn linkifier(&self) -> Linkifier<'k> {
        linkifier(self.tlds, self.steps.saturating_sub(self.view.steps))
    }

    /// Whether the stretch has taken the steps that are left.
    fn is_spent(&self) -> bool {
        self.view.steps > self.steps
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
}

#[cfg(test)]
mod tests;
