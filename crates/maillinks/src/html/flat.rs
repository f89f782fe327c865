//! Links in the XML of office files: of cells of Excel 2003 (`ss:HRef`), of Word 2003 (`w:dest`), of OpenDocument
//! (`xlink:href`), of pages of XPS; formulas of cells and fields, which may hold some; and of the parts of packages
//! (ECMA-376): links that a file beside the part resolves.

use super::entity::{self, Within};
use super::token::{RawText, Tag, TagKind, Token, Tokenizer};
use crate::mapped::Builder;

/// Elements that are links, and the attribute of each that says where to, without prefixes.
const LINKS: [(&str, &str); 3] = [("Cell", "HRef"), ("hlink", "dest"), ("a", "href")];
/// Attributes of any element that say where it leads, or what it loads.
const ADDRESSES: [&str; 2] = ["href", "FixedPage.NavigateUri"];
const FORMULA: &str = "Formula";

/// How text begins that is written as it is.
const DATA: &str = "[CDATA[";

/// Fields in one another that are read as such.
const FIELDS: usize = 4;

/// What such XML holds.
pub enum FlatItem {
    /// A link.
    Link {
        /// Where it leads.
        url: String,
        /// What is shown for it.
        shown: String,
    },
    /// A formula of a cell.
    Formula(String),
    /// A field, as `HYPERLINK "https://a.example"`.
    Field {
        /// What it does.
        instruction: String,
        /// What is shown for it.
        shown: String,
    },
    /// A link by the name of a relationship of the part.
    Related {
        /// That name.
        id: String,
        /// What is shown for it.
        shown: String,
    },
}

/// A relationship of a part of a package to something outside it.
pub struct FlatRelation {
    /// Its name.
    pub id: String,
    /// Where it leads.
    pub target: String,
}

/// A link whose element is open.
struct OpenLink<'x> {
    element: &'x str,
    leads_to: LeadsTo,
    shown: Builder,
}

enum LeadsTo {
    Url(String),
    Related(String),
}

/// A field that is open.
#[derive(Default)]
struct OpenField {
    instruction: Builder,
    /// What is shown, once that has begun.
    shown: Option<Builder>,
}

/// What the text of the open element is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Reads {
    #[default]
    Shown,
    Instruction,
    Formula,
    Address,
}

/// Passes on the links, formulas and fields of such XML, each when it ends.
pub fn flat_items(xml: &str, take: impl FnMut(FlatItem)) {
    let mut reader = FlatReader {
        xml,
        take,
        open: None,
        fields: Vec::new(),
        reads: Reads::Shown,
        value: Builder::default(),
    };
    let mut tokens = Tokenizer::new(xml, 0..xml.len(), RawText::Ignore);
    while let Some(token) = tokens.next() {
        match token {
            Token::Text(range) => reader.text(range),
            Token::Tag(tag) if tag.kind == TagKind::Close => reader.close(&tag),
            Token::Tag(tag) => reader.begin(&tag, &tokens),
            Token::Comment(range) => reader.data(range),
            Token::Raw(..) => {}
        }
    }
    while let Some(field) = reader.fields.pop() {
        reader.field(field);
    }
}

/// A program that a document asks for data (Dynamic Data Exchange), and what about.
#[derive(Default)]
struct DynamicExchange {
    service: Option<String>,
    topic: String,
}

struct FlatReader<'x, F> {
    xml: &'x str,
    take: F,
    open: Option<OpenLink<'x>>,
    /// The fields that are open, the innermost last.
    fields: Vec<OpenField>,
    reads: Reads,
    /// The text of a formula or an address.
    value: Builder,
}

impl<'x, F: FnMut(FlatItem)> FlatReader<'x, F> {
    fn text(&mut self, range: std::ops::Range<usize>) {
        let into = match self.reads {
            Reads::Formula | Reads::Address => Some(&mut self.value),
            Reads::Instruction => self.fields.last_mut().map(|field| &mut field.instruction),
            Reads::Shown => {
                if let Some(link) = &mut self.open {
                    entity::decode_into(&mut link.shown, self.xml, range.clone(), Within::Text);
                }
                self.fields.last_mut().and_then(|field| field.shown.as_mut())
            }
        };
        if let Some(into) = into {
            entity::decode_into(into, self.xml, range, Within::Text);
        }
    }

    /// Reads a comment, if it is a stretch of text that is written as it is (XML 1.0 §2.7).
    fn data(&mut self, range: std::ops::Range<usize>) {
        let comment = self.xml.get(range.clone()).unwrap_or_default();
        let Some(at) = comment.find(DATA).filter(|at| *at <= "<!".len()) else { return };
        let start = range.start + at + DATA.len();
        let text = self.xml.get(start..range.end).unwrap_or_default();
        let text = text.trim_end_matches('>').trim_end_matches(']');
        self.text(start..start + text.len());
    }

    fn close(&mut self, tag: &Tag) {
        let element = local(self.xml.get(tag.name.written.clone()).unwrap_or_default());
        if let Some(link) = self.open.take_if(|link| link.element == element) {
            let shown = link.shown.finish().as_str().to_owned();
            (self.take)(match link.leads_to {
                LeadsTo::Url(url) => FlatItem::Link { url, shown },
                LeadsTo::Related(id) => FlatItem::Related { id, shown },
            });
        }
        if element == "fldSimple" {
            self.end_field();
        }
        let mut value = || std::mem::take(&mut self.value).finish().as_str().to_owned();
        match std::mem::take(&mut self.reads) {
            Reads::Formula => (self.take)(FlatItem::Formula(value())),
            Reads::Address => (self.take)(FlatItem::Link { url: value(), shown: String::new() }),
            Reads::Instruction | Reads::Shown => {}
        }
    }

    fn begin(&mut self, tag: &Tag, tokens: &Tokenizer<'_>) {
        let xml = self.xml;
        let element = local(xml.get(tag.name.written.clone()).unwrap_or_default());
        let is_empty = xml.get(tag.range.clone()).is_some_and(|tag| tag.ends_with("/>"));
        let mut exchange = DynamicExchange::default();
        for attribute in &tokens.attributes {
            let name = local(xml.get(attribute.name()).unwrap_or_default());
            let value = || entity::attribute(xml, attribute.value()).as_str().to_owned();
            match (element, name) {
                ("ddeLink", "ddeService") => exchange.service = Some(value()),
                ("ddeLink", "ddeTopic") => exchange.topic = value(),
                _ => self.attribute((element, name), is_empty, value),
            }
        }
        if let DynamicExchange { service: Some(service), topic } = exchange {
            let instruction = format!("DDE \"{service}\" \"{topic}\"");
            (self.take)(FlatItem::Field { instruction, shown: String::new() });
        }
        if !is_empty {
            self.reads = match element {
                "instrText" | "delInstrText" => Reads::Instruction,
                "f" => Reads::Formula,
                "HyperlinkBase" => Reads::Address,
                _ => Reads::Shown,
            };
            if self.reads == Reads::Instruction && self.fields.is_empty() {
                self.begin_field(OpenField::default());
            }
        }
    }

    /// Reads an attribute of an element, which may have no content.
    fn attribute(
        &mut self,
        (element, name): (&'x str, &str),
        is_empty: bool,
        value: impl Fn() -> String,
    ) {
        let can_open = self.open.is_none() && !is_empty;
        let leads_to = match (element, name) {
            (_, name) if name.eq_ignore_ascii_case(FORMULA) => {
                return (self.take)(FlatItem::Formula(value()));
            }
            ("fldChar", "fldCharType") => return self.turn_field(&value()),
            ("fldSimple", "instr") => {
                let mut instruction = Builder::default();
                instruction.linear(&value(), 0);
                let field = OpenField { instruction, shown: Some(Builder::default()) };
                return if is_empty { self.field(field) } else { self.begin_field(field) };
            }
            ("webPr", "url") => None,
            ("hyperlink", "id") if can_open => Some(LeadsTo::Related(value())),
            pair if LINKS.contains(&pair) && can_open => Some(LeadsTo::Url(value())),
            (_, name) if ADDRESSES.contains(&name) => None,
            _ => return,
        };
        match leads_to {
            Some(leads_to) => {
                self.open = Some(OpenLink { element, leads_to, shown: Builder::default() });
            }
            None => (self.take)(FlatItem::Link { url: value(), shown: String::new() }),
        }
    }

    fn begin_field(&mut self, field: OpenField) {
        if self.fields.len() == FIELDS {
            self.end_field();
        }
        self.fields.push(field);
    }

    /// Begins a field, what it shows, or ends it.
    fn turn_field(&mut self, turn: &str) {
        match turn {
            "begin" => self.begin_field(OpenField::default()),
            "separate" => {
                if let Some(field) = self.fields.last_mut() {
                    field.shown = Some(Builder::default());
                }
            }
            _ => self.end_field(),
        }
    }

    fn end_field(&mut self) {
        if let Some(field) = self.fields.pop() {
            self.field(field);
        }
    }

    fn field(&mut self, OpenField { instruction, shown }: OpenField) {
        let instruction = instruction.finish().as_str().to_owned();
        let shown = shown.unwrap_or_default().finish().as_str().to_owned();
        (self.take)(FlatItem::Field { instruction, shown });
    }
}

/// The relationships to something outside a package that such a file names, of parts of it.
pub fn flat_relations(xml: &str) -> Vec<FlatRelation> {
    let mut relations = Vec::new();
    let mut tokens = Tokenizer::new(xml, 0..xml.len(), RawText::Ignore);
    while let Some(token) = tokens.next() {
        let Token::Tag(tag) = token else { continue };
        if local(xml.get(tag.name.written).unwrap_or_default()) != "Relationship" {
            continue;
        }
        let value = |named: &str| {
            let mut attributes = tokens.attributes.iter();
            let it = attributes.find(|it| xml.get(it.name()) == Some(named));
            it.map(|it| entity::attribute(xml, it.value()).as_str().to_owned())
        };
        let Some(target) = value("Target") else { continue };
        let mode = value("TargetMode").unwrap_or_default();
        let is_path = target.starts_with(['/', '\\']) && !target.starts_with("//");
        if mode.trim().eq_ignore_ascii_case("external") || target.contains(':') && !is_path {
            relations.push(FlatRelation { id: value("Id").unwrap_or_default(), target });
        }
    }
    relations
}

/// A name without its prefix.
fn local(name: &str) -> &str {
    name.rsplit(':').next().unwrap_or_default()
}
