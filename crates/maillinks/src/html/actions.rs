//! Actions that a program offers as buttons beside a message in a list: data of schema.org, in JSON-LD (`<script
//! type="application/ld+json">`) or in attributes (`itemprop`). Their name is read as the text of a link.

use std::ops::Range;

use memchr::{memchr2, memmem};

use super::elements::RawElement;
use super::entity;
use super::token::{Attribute, RawText, TagKind, Token, Tokenizer, attribute_named};
use crate::labels;
use crate::mapped::MappedText;
use crate::{InFront, Layer, script};

/// Actions of one page that are read, and the names and addresses of one: honest mail has one or two.
const ACTIONS: usize = 32;
const VALUES: usize = 4;

/// Objects inside one another that are read.
const DEPTH: usize = 64;

/// The names and addresses of an action.
#[derive(Debug, Default)]
struct Action<'t> {
    names: Vec<MappedText<'t>>,
    urls: Vec<MappedText<'t>>,
}

/// Whether a page may have actions.
pub fn may_have_actions(page: &str) -> bool {
    let has = |word: &str| memmem::find(page.as_bytes(), word.as_bytes()).is_some();
    has("schema.org") && has(ACTION)
}

/// How the type of each action ends.
const ACTION: &str = "Action";

/// The links that actions are, each with its names as its text. Linear.
pub fn actions(page: &str) -> Vec<Layer<'static>> {
    let (mut found, mut open) = (Vec::new(), None);
    let (mut is_data, mut is_named) = (false, false);
    let mut tokens = Tokenizer::new(page, 0..page.len(), RawText::Honour);
    while let Some(token) = tokens.next() {
        match token {
            Token::Tag(tag) if tag.kind == TagKind::Open => {
                let value = |name: &str| value_of(page, &tokens.attributes, name);
                is_data = value("type").is_some_and(|kind| kind.as_str().contains("json"));
                is_named = item(&value, &mut open, &mut found);
            }
            Token::Raw(RawElement::Script, content) if is_data => {
                objects(page, content, &mut found);
            }
            Token::Text(text) if std::mem::take(&mut is_named) => {
                let name = entity::attribute(page, text);
                open.iter_mut()
                    .for_each(|open: &mut Action<'_>| add(&mut open.names, name.clone()));
            }
            _ => {}
        }
        if found.len() >= ACTIONS {
            break;
        }
    }
    found.extend(open);
    found.iter().take(ACTIONS).flat_map(links).collect()
}

fn links(action: &Action<'_>) -> Vec<Layer<'static>> {
    let with_names = |url| labels::link(("", url), &action.names);
    let links = action.urls.iter().filter_map(with_names);
    links.map(|layer| Layer { in_front: InFront::Action, ..layer }).collect()
}

fn add<'t>(list: &mut Vec<MappedText<'t>>, value: MappedText<'t>) {
    if list.len() < VALUES {
        list.push(value);
    }
}

/// The value of the first attribute of this name.
pub(super) fn value_of<'t>(
    page: &'t str,
    attributes: &[Attribute],
    name: &str,
) -> Option<MappedText<'t>> {
    Some(entity::attribute(page, attribute_named(page, attributes, name)?.value()))
}

/// Reads the attributes of an element as an item. Whether its text is the name of the open action.
fn item<'t>(
    value: &impl Fn(&str) -> Option<MappedText<'t>>,
    open: &mut Option<Action<'t>>,
    found: &mut Vec<Action<'t>>,
) -> bool {
    if let Some(kind) = value("itemtype") {
        let kind = kind.as_str().trim_end();
        if kind.ends_with(ACTION) {
            found.extend(open.replace(Action::default()));
        } else if !["ActionHandler", "EntryPoint"].iter().any(|part| kind.ends_with(part)) {
            found.extend(open.take());
        }
    }
    let (Some(action), Some(property)) = (open.as_mut(), value("itemprop")) else { return false };
    match ActionProperty::of(property.as_str().trim()) {
        ActionProperty::ElementName => match value("content") {
            Some(name) => add(&mut action.names, name),
            None => return true,
        },
        ActionProperty::Address => {
            let url = value("href").or_else(|| value("content"));
            url.into_iter().for_each(|url| add(&mut action.urls, url));
        }
        ActionProperty::Type | ActionProperty::Other => {}
    }
    false
}

/// What a property says of an action.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ActionProperty {
    Type,
    ElementName,
    /// Where it leads, or who is told.
    Address,
    Other,
}

impl ActionProperty {
    fn of(name: &str) -> ActionProperty {
        match name {
            "@type" | "type" => ActionProperty::Type,
            "name" => ActionProperty::ElementName,
            "url" | "target" | "urlTemplate" | "handler" => ActionProperty::Address,
            _ => ActionProperty::Other,
        }
    }
}

/// An object of JSON that is open.
struct Object<'t> {
    /// The key under which it stands.
    key: ActionProperty,
    is_action: bool,
    action: Action<'t>,
}

/// Finds the actions of data in JSON (RFC 8259).
fn objects<'t>(page: &'t str, content: Range<usize>, found: &mut Vec<Action<'t>>) {
    let data = page.get(..content.end).unwrap_or(page).as_bytes();
    let mut open: Vec<Object<'_>> = Vec::new();
    let (mut key, mut at) = (ActionProperty::Other, content.start);
    while let Some(byte) = data.get(at) {
        at += 1;
        match byte {
            b'{' if open.len() < DEPTH => {
                open.push(Object { key, is_action: false, action: Action::default() });
                key = ActionProperty::Other;
            }
            b'{' => return,
            b'}' => {
                let Some(closed) = open.pop() else { return };
                key = closed.key;
                if closed.is_action {
                    found.push(closed.action);
                } else if let (ActionProperty::Address, Some(outer)) = (key, open.last_mut()) {
                    closed.action.urls.into_iter().for_each(|url| add(&mut outer.action.urls, url));
                }
                if found.len() >= ACTIONS {
                    return;
                }
            }
            b'"' => {
                let Some(end) = string_end(data, at) else { return };
                let string = MappedText::slice(page.get(at..end).unwrap_or_default(), at);
                let string = script::unescaped(string);
                at = end + 1;
                let behind = data.get(at..).unwrap_or_default().trim_ascii_start();
                match open.last_mut() {
                    _ if behind.starts_with(b":") => key = ActionProperty::of(string.as_str()),
                    Some(object) => match key {
                        ActionProperty::Type => {
                            object.is_action |= string.as_str().ends_with(ACTION)
                        }
                        ActionProperty::ElementName => add(&mut object.action.names, string),
                        ActionProperty::Address => add(&mut object.action.urls, string),
                        ActionProperty::Other => {}
                    },
                    None => {}
                }
            }
            _ => {}
        }
    }
}

/// Where a string ends that begins here.
fn string_end(data: &[u8], mut at: usize) -> Option<usize> {
    loop {
        let found = at + memchr2(b'"', b'\\', data.get(at..)?)?;
        if data.get(found) == Some(&b'"') {
            return Some(found);
        }
        at = found + 2;
    }
}
