//! Text that style sheets write in links: `a::before { content: "www.example.com" }`, `attr(…)`, `var(…)`, the markers of
//! lists and quotes. It is read with the words of the link, as what stands for pictures is.
//!
//! Read are the sheets in front of a link. The cascade is not computed: what a rule for an element writes may be shown.

use std::ops::Range;

use super::token::Attribute;
use super::{Reader, Tag};
use crate::content::css;

/// Maximum number of rules and of variables that are kept, and bytes of what one writes: no host is as long.
const RULES: usize = 32;
const BYTES: usize = 256;

/// Steps of looking whether a rule is for an element.
const RULE_STEPS: u64 = 16;

/// Elements whose own style may write a text.
const MARKED: [&str; 4] = ["li", "ol", "q", "ul"];

/// What the sheets of a page write, and what is still to be written.
#[derive(Debug, Default)]
pub(super) struct Written {
    rules: Vec<Rule>,
    variables: Vec<(String, String)>,
    /// What stands behind open elements, the innermost last.
    behind: Vec<(Range<usize>, String)>,
}

/// A rule, in lower case.
#[derive(Debug)]
struct Rule {
    /// Any, if it is empty.
    element: String,
    /// Classes with `.` in front, identifiers with `#`.
    names: Vec<String>,
    is_behind: bool,
    text: Vec<Piece>,
}

#[derive(Clone, Debug)]
enum Piece {
    Text(String),
    Attribute(String),
    Variable(String),
}

impl Written {
    /// Reads a style sheet. Linear. Whether it may write something, as few do.
    pub fn read(&mut self, sheet: &str) -> bool {
        // What is written is a string or a function.
        if memchr::memchr3(b'"', b'\'', b'(', sheet.as_bytes()).is_none() {
            return false;
        }
        let sheet = css::plain(sheet).to_ascii_lowercase();
        if !PROPERTIES.iter().any(|property| sheet.contains(property)) {
            return false;
        }
        for (selectors, block) in css::rules(&sheet) {
            let may_write = || {
                block.contains("--") || PROPERTIES.iter().any(|property| block.contains(property))
            };
            if block.contains(['"', '\'', '(']) && may_write() {
                css::declarations(block, |declaration| self.declare(selectors, declaration));
            }
        }
        true
    }

    fn declare(&mut self, selectors: &str, declaration: &str) {
        let Some((property, value)) = declaration.split_once(':') else { return };
        let property = property.trim_ascii();
        if property.starts_with("--") && value.len() <= BYTES && self.variables.len() < RULES {
            self.variables.push((property.to_owned(), value.to_owned()));
        }
        let Some(text) = pieces_of(property, value) else { return };
        for selector in selectors.split(',') {
            let rule = Rule::of(selector, property == CONTENT, &text);
            self.rules.extend(rule.filter(|_| self.rules.len() < RULES));
        }
    }

    /// The text of a rule at an element with these attributes.
    fn text(&self, pieces: &[Piece], value: &impl Fn(&str) -> Option<String>) -> String {
        let mut text = String::new();
        for piece in pieces {
            match piece {
                Piece::Text(written) => text.push_str(written),
                Piece::Attribute(name) => text.push_str(&value(name).unwrap_or_default()),
                Piece::Variable(name) => text.push_str(&self.variable(name, value)),
            }
        }
        text.truncate(text.floor_char_boundary(BYTES));
        text
    }

    /// The strings of a variable: that of the element, else the last of a sheet.
    fn variable(&self, name: &str, value: &impl Fn(&str) -> Option<String>) -> String {
        let mut own = None;
        css::declarations(&value("style").unwrap_or_default(), |declaration| {
            let declared = declaration.split_once(':');
            let declared = declared.filter(|(of, _)| of.trim_ascii() == name);
            own = declared.map(|(_, value)| value.to_owned()).or(own.take());
        });
        let of_sheet = || self.variables.iter().rfind(|(of, _)| of == name);
        let value = own.or_else(|| of_sheet().map(|(_, value)| value.clone()));
        let pieces = pieces(&value.unwrap_or_default());
        let texts = pieces.into_iter().filter_map(|piece| match piece {
            Piece::Text(text) => Some(text),
            Piece::Attribute(_) | Piece::Variable(_) => None,
        });
        texts.collect()
    }
}

impl Rule {
    /// The rule for what a selector names last. `content` writes only in front of an element, behind it or as its marker.
    fn of(selector: &str, is_content: bool, text: &[Piece]) -> Option<Rule> {
        let last = selector.trim_ascii().rsplit([' ', '\t', '\n', '>', '+', '~']).next()?;
        let (subject, pseudo) = last.split_once(':').unwrap_or((last, ""));
        let is_written = ["before", "after", "marker"].iter().any(|word| pseudo.ends_with(word));
        if is_content && !is_written {
            return None;
        }
        let subject = subject.split('[').next().unwrap_or_default();
        let end = subject.find(['.', '#']).unwrap_or(subject.len());
        let (element, mut rest) = subject.split_at_checked(end)?;
        let mut names = Vec::new();
        while !rest.is_empty() {
            let end = rest.get(1..)?.find(['.', '#']).map_or(rest.len(), |end| end + 1);
            let (name, behind) = rest.split_at_checked(end)?;
            names.push(name.to_owned());
            rest = behind;
        }
        let is_behind = pseudo.ends_with("after");
        let element = element.trim_start_matches('*').to_owned();
        Some(Rule { element, names, is_behind, text: text.to_vec() })
    }

    /// Whether it is for an element with this name, in any case, and with these classes and this identifier, in lower case.
    fn is_for(&self, element: &str, classes: &str, id: &str) -> bool {
        let has = |name: &String| match name.split_at_checked(1) {
            Some((".", class)) => classes.split_ascii_whitespace().any(|one| one == class),
            Some((_, name)) => name == id,
            None => false,
        };
        (self.element.is_empty() || self.element.eq_ignore_ascii_case(element))
            && self.names.iter().all(has)
    }
}

const CONTENT: &str = "content";

/// Properties that write a text.
const PROPERTIES: [&str; 3] = [CONTENT, "list-style", "quotes"];

/// What a declaration writes.
fn pieces_of(property: &str, value: &str) -> Option<Vec<Piece>> {
    let is_list = property == "list-style" || property == "list-style-type";
    let is_one = is_list || property == "quotes";
    let mut pieces = pieces(Some(value).filter(|_| is_one || property == CONTENT)?);
    // Of quotes the first one opens.
    pieces.truncate(if is_one { 1 } else { pieces.len() });
    (!pieces.is_empty()).then_some(pieces)
}

/// The strings of a value, and what it names in their place.
fn pieces(value: &str) -> Vec<Piece> {
    let mut found = Vec::new();
    let mut rest = value;
    while let Some(at) = rest.find(['"', '\'', '(']) {
        let (before, behind) = rest.split_at(at);
        let close = match behind.as_bytes().first() {
            Some(b'(') => ')',
            Some(b'"') => '"',
            _ => '\'',
        };
        let inside = behind.get(1..).unwrap_or_default();
        let (inside, after) = inside.split_once(close).unwrap_or((inside, ""));
        let name = || inside.split([',', ' ']).next().unwrap_or_default().trim_ascii().to_owned();
        match close {
            ')' if before.ends_with("attr") => found.push(Piece::Attribute(name())),
            ')' if before.ends_with("var") => found.push(Piece::Variable(name())),
            ')' => {}
            _ => found.push(Piece::Text(inside.to_owned())),
        }
        rest = after;
    }
    found
}

impl Reader<'_, '_, '_> {
    /// Notes what sheets write in front of an element of the open link and behind it, and what the style of an item of a
    /// list does.
    pub(super) fn write(&mut self, tag: &Tag, attributes: &[Attribute], name: &str) {
        if self.open_anchor.is_none() || self.is_concealed() {
            return;
        }
        let is_marked = MARKED.iter().any(|marked| name.eq_ignore_ascii_case(marked));
        if self.drawn.written.rules.is_empty() && !is_marked {
            return;
        }
        let written = &self.drawn.written;
        self.view.steps += RULE_STEPS * (1 + written.rules.len() as u64);
        let value = |name: &str| self.value_of(name, attributes);
        let lower = |name: &str| value(name).unwrap_or_default().to_ascii_lowercase();
        let (classes, id) = (lower("class"), lower("id"));
        let (mut front, mut behind) = (String::new(), String::new());
        for rule in written.rules.iter().filter(|rule| rule.is_for(name, &classes, &id)) {
            let text = if rule.is_behind { &mut behind } else { &mut front };
            text.push_str(&written.text(&rule.text, &value));
        }
        if is_marked {
            css::declarations(&value("style").unwrap_or_default(), |declaration| {
                let (property, own) = declaration.split_once(':').unwrap_or_default();
                let property = property.trim_ascii().to_ascii_lowercase();
                let own = pieces_of(&property, own).filter(|_| property != CONTENT);
                front.push_str(&written.text(&own.unwrap_or_default(), &value));
            });
        }
        self.draw_written(tag.range.clone(), front);
        if !behind.is_empty() {
            self.drawn.written.behind.push((tag.name.clone(), behind));
        }
    }

    /// Notes what stands behind an element that ends.
    pub(super) fn write_behind(&mut self, tag: &Tag) {
        let name = self.slice(&tag.name);
        let last = self.drawn.written.behind.last();
        if last.is_some_and(|(of, _)| self.slice(of).eq_ignore_ascii_case(name)) {
            self.write_rest(1);
        }
    }

    /// The same of the last elements that are open.
    pub(super) fn write_rest(&mut self, most: usize) {
        for _ in 0..most {
            let Some((tag, text)) = self.drawn.written.behind.pop() else { return };
            self.draw_written(tag, text);
        }
    }
}
