//! Text that style sheets write in links: `a::before { content: "www.example.com" }`, `attr(…)`, `var(…)`, counters, the
//! markers of lists and quotes, drawings in a `data:` URL. It is read with the words of the link, as what stands for
//! pictures is.
//!
//! Read are the sheets in front of a link. The cascade is not computed: what a rule for an element writes may be shown.

use super::elements::Element;
use super::embedded;
use super::token::{Attribute, ElementName};
use super::{HtmlReader, Tag};
use crate::css;
use uts58::scheme;

/// Maximum number of rules and of variables that are kept, and bytes of what one writes: no host is as long.
const RULES: usize = 32;
const BYTES: usize = 256;

/// Steps of looking whether a rule is for an element.
const RULE_STEPS: u64 = 16;

/// What the sheets of a page write, and what is still to be written.
#[derive(Debug, Default)]
pub(super) struct Written {
    rules: Vec<Rule>,
    variables: Vec<(String, String)>,
    /// Whether a sheet has styles of counters.
    counts: bool,
    /// What stands behind open elements, the innermost last.
    behind: Vec<(ElementName, String)>,
}

/// A rule, its selector in lower case.
#[derive(Debug)]
struct Rule {
    /// Any, if it is empty.
    element: String,
    /// Classes with `.` in front, identifiers with `#`.
    names: Vec<String>,
    is_behind: bool,
    text: Vec<WrittenPiece>,
}

#[derive(Clone, Debug)]
enum WrittenPiece {
    Text(String),
    Attribute(String),
    /// A variable, and what stands for one that is not set.
    Variable(String, String),
    /// A style of counters, by its name.
    Counter(String),
}

impl Written {
    /// Reads a style sheet. Linear. Whether it may write something, as few do.
    pub fn read(&mut self, sheet: &str) -> bool {
        // What is written is a string or a function.
        if memchr::memchr3(b'"', b'\'', b'(', sheet.as_bytes()).is_none() {
            return false;
        }
        let sheet = css::plain(sheet);
        let lower = sheet.to_ascii_lowercase();
        let draws = lower.contains(DRAWING);
        if !draws && !PROPERTIES.iter().any(|property| lower.contains(property)) {
            return false;
        }
        self.counts |= lower.contains(COUNTER_STYLE);
        for ((selectors, block), (_, lower)) in css::rules(&sheet).zip(css::rules(&lower)) {
            let writes = || {
                ["--", DRAWING, INITIAL].iter().chain(&PROPERTIES).any(|word| lower.contains(word))
            };
            if self.counts || block.contains(['"', '\'', '(']) && writes() {
                css::declarations(block, |declaration| self.declare(selectors, declaration));
            }
        }
        true
    }

    fn declare(&mut self, selectors: &str, declaration: &str) {
        let Some((property, value)) = declaration.split_once(':') else { return };
        let property = property.trim_ascii().to_ascii_lowercase();
        let property = property.as_str();
        if let Some(name) = named(selectors, property)
            && value.len() <= BYTES
            && self.variables.len() < RULES
        {
            self.variables.push((name, value.to_owned()));
        }
        let Some(text) = pieces_of(property, value, self.counts) else { return };
        for selector in selectors.split(',') {
            let rule = Rule::of(selector, property == CONTENT, &text);
            self.rules.extend(rule.filter(|_| self.rules.len() < RULES));
        }
    }

    /// The text of a rule at an element with these attributes.
    fn text(&self, pieces: &[WrittenPiece], value: &impl Fn(&str) -> Option<String>) -> String {
        let mut text = String::new();
        for piece in pieces {
            match piece {
                WrittenPiece::Text(written) => text.push_str(written),
                WrittenPiece::Attribute(name) => text.push_str(&value(name).unwrap_or_default()),
                WrittenPiece::Variable(name, fallback) => {
                    let set = self.variable(name, value);
                    text.push_str(&set.unwrap_or_else(|| strings(fallback)));
                }
                WrittenPiece::Counter(name) => {
                    for part in OF_COUNTERS {
                        let written = self.variable(&counter(name, part), value);
                        text.push_str(&written.unwrap_or_default());
                    }
                }
            }
        }
        text.truncate(text.floor_char_boundary(BYTES));
        text
    }

    /// The strings of a variable: that of the element, else the last of a sheet.
    fn variable(&self, name: &str, value: &impl Fn(&str) -> Option<String>) -> Option<String> {
        let mut own = None;
        css::declarations(&value("style").unwrap_or_default(), |declaration| {
            let declared = declaration.split_once(':');
            let declared = declared.filter(|(of, _)| of.trim_ascii().eq_ignore_ascii_case(name));
            own = declared.map(|(_, value)| value.to_owned()).or(own.take());
        });
        let of_sheet = || self.variables.iter().rfind(|(of, _)| of == name);
        let value = own.or_else(|| of_sheet().map(|(_, value)| value.clone()));
        value.map(|value| strings(&value))
    }
}

impl Rule {
    /// The rule for what a selector names last. `content` writes only in front of an element, behind it or as its marker.
    fn of(selector: &str, is_content: bool, text: &[WrittenPiece]) -> Option<Rule> {
        let selector = selector.trim_ascii().to_ascii_lowercase();
        let last = selector.rsplit([' ', '\t', '\n', '>', '+', '~']).next()?;
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

/// Properties that draw a picture behind a text.
const BACKGROUNDS: [&str; 2] = ["background", "background-image"];

/// How a drawing in a URL begins.
const DRAWING: &str = "data:image/svg";

/// What a variable holds where nothing sets it (CSS Properties and Values §3).
const INITIAL: &str = "initial-value";

/// What a style of counters is declared by, and what it writes, in this order (CSS Counter Styles §3).
const COUNTER_STYLE: &str = "@counter-style";
const OF_COUNTERS: [&str; 3] = ["prefix", "symbols", "suffix"];

/// Under which name what a style of counters writes is kept: no variable has it.
fn counter(name: &str, part: &str) -> String {
    [name, part].join("@")
}

/// The name of the variable, or of the part of a style of counters, that a declaration sets.
fn named(selectors: &str, property: &str) -> Option<String> {
    if property.starts_with("--") {
        return Some(property.to_owned());
    }
    let (rule, name) = selectors.trim_ascii().split_once(|c: char| c.is_ascii_whitespace())?;
    let name = name.trim_ascii().to_ascii_lowercase();
    if property == INITIAL && rule.eq_ignore_ascii_case("@property") {
        return Some(name);
    }
    let is_counter = OF_COUNTERS.contains(&property) && rule.eq_ignore_ascii_case(COUNTER_STYLE);
    is_counter.then(|| counter(&name, property))
}

/// What a declaration writes. `counts` says whether a sheet has styles of counters.
fn pieces_of(property: &str, value: &str, counts: bool) -> Option<Vec<WrittenPiece>> {
    let is_list = property == "list-style" || property == "list-style-type";
    let is_one = is_list || property == "quotes";
    if BACKGROUNDS.contains(&property) {
        let drawn = css::urls(value).find_map(|url| embedded::drawn(url.as_str()))?;
        return Some(vec![WrittenPiece::Text(drawn)]);
    }
    let mut pieces = pieces(Some(value).filter(|_| is_one || property == CONTENT)?);
    if is_list && counts && pieces.is_empty() {
        let names = value.split_ascii_whitespace().take(WORDS);
        pieces = names.map(|name| WrittenPiece::Counter(name.to_ascii_lowercase())).collect();
        return (!pieces.is_empty()).then_some(pieces);
    }
    // Of quotes the first one opens.
    pieces.truncate(if is_one { 1 } else { pieces.len() });
    (!pieces.is_empty()).then_some(pieces)
}

/// Words of `list-style`: a type, a place and a picture.
const WORDS: usize = 3;

/// The strings of a value, joined.
fn strings(value: &str) -> String {
    let texts = pieces(value).into_iter().filter_map(|piece| match piece {
        WrittenPiece::Text(text) => Some(text),
        WrittenPiece::Variable(_, fallback) => quoted(&fallback).map(str::to_owned),
        WrittenPiece::Attribute(_) | WrittenPiece::Counter(_) => None,
    });
    texts.collect()
}

/// The first string of a value.
fn quoted(value: &str) -> Option<&str> {
    let (at, quote) = value.char_indices().find(|(_, c)| matches!(c, '"' | '\''))?;
    let inside = value.get(at + 1..)?;
    inside.split(quote).next()
}

/// What stands in the brackets that were opened, and what follows: a string may hold a bracket, and brackets stand in one
/// another.
fn bracketed(inside: &str) -> (&str, &str) {
    let mut depth = 0_usize;
    let mut quote = None;
    for (at, c) in inside.char_indices() {
        match (c, quote) {
            (c, Some(open)) if c == open => quote = None,
            (_, Some(_)) => {}
            ('"' | '\'', None) => quote = Some(c),
            ('(', None) => depth += 1,
            (')', None) if depth == 0 => return inside.split_at_checked(at).unwrap_or_default(),
            (')', None) => depth -= 1,
            _ => {}
        }
    }
    (inside, "")
}

/// The strings of a value, and what it names in their place.
fn pieces(value: &str) -> Vec<WrittenPiece> {
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
        let (inside, after) = match close {
            ')' => bracketed(inside),
            quote => inside.split_once(quote).unwrap_or((inside, "")),
        };
        let calls = |name: &str| scheme::ends_with(before, name);
        let (name, fallback) = inside.split_once(',').unwrap_or((inside, ""));
        let name = || name.trim_ascii().to_ascii_lowercase();
        match close {
            ')' if calls("attr") => {
                let name = name();
                let name = name.split(' ').next().unwrap_or_default();
                found.push(WrittenPiece::Attribute(name.to_owned()));
            }
            ')' if calls("var") => found.push(WrittenPiece::Variable(name(), fallback.to_owned())),
            ')' if calls("counter") || calls("counters") => {
                let style = inside.rsplit(',').next().unwrap_or_default().trim_ascii();
                found.push(WrittenPiece::Counter(style.to_ascii_lowercase()));
            }
            ')' if calls("url") => {
                let url = css::url_function(behind, 1).and_then(|url| behind.get(url));
                found.extend(url.and_then(embedded::drawn).map(WrittenPiece::Text));
            }
            ')' => {}
            _ => found.push(WrittenPiece::Text(inside.to_owned())),
        }
        // Behind the bracket itself.
        rest = after.strip_prefix(')').filter(|_| close == ')').unwrap_or(after);
    }
    found
}

impl HtmlReader<'_, '_, '_> {
    /// Notes what sheets write in front of an element of the open link and behind it, and what the style of an item of a
    /// list does.
    pub(super) fn write(&mut self, tag: &Tag, attributes: &[Attribute]) {
        if self.open_anchor.is_none() || self.is_concealed() {
            return;
        }
        // Elements whose own style may write a text.
        let is_marked =
            matches!(tag.element(), Element::Li | Element::Ol | Element::Q | Element::Ul);
        if self.drawn.written.rules.is_empty() && !is_marked {
            return;
        }
        let name = self.slice(&tag.name.written);
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
                let own = pieces_of(&property, own, written.counts);
                let own = own.filter(|_| property != CONTENT);
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
        let last = self.drawn.written.behind.last();
        if last.is_some_and(|(of, _)| of.is(&tag.name, self.text)) {
            self.write_rest(1);
        }
    }

    /// The same of the last elements that are open.
    pub(super) fn write_rest(&mut self, most: usize) {
        for _ in 0..most {
            let Some((name, text)) = self.drawn.written.behind.pop() else { return };
            self.draw_written(name.written, text);
        }
    }
}
