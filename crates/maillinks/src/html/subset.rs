//! Entities that a document declares itself (XML 1.0 §4.2, the internal subset): `&a;&b;.com` is a host to programs
//! that read XML. The document is read again with all of them expanded.

use std::collections::HashMap;
use std::ops::Range;

use memchr::memmem;

use super::entity;
use crate::mapped::{Builder, MappedText};

/// Maximum number of declarations that are read; documents of drawing programs have a dozen.
const DECLARED: usize = 256;

/// Maximum bytes of the value of an entity.
const VALUE: usize = 4096;

/// How often the values are expanded in one another; each time doubles the depth of nesting.
const NESTED: usize = 4;

/// Maximum bytes of all expansions, in addition to those of the document.
const EXPANDED_BASE: usize = 16 << 10;

const DECLARATION: &[u8] = b"<!ENTITY";

/// The text after the declarations, with their entities expanded. `None` if there is nothing to expand.
pub fn expanded(text: &str) -> Option<MappedText<'_>> {
    let (declared, body) = declarations(text);
    let known = expand_values(declared);
    if known.is_empty() {
        return None;
    }
    let mut plain = Builder::with_capacity(text.len() - body);
    let mut left = text.len() + EXPANDED_BASE;
    let mut done = body;
    let mut found = false;
    for (range, name) in references(text, body) {
        let Some(value) = known.get(name) else { continue };
        let Some(rest) = left.checked_sub(value.len()) else { break };
        left = rest;
        found = true;
        plain.linear(text.get(done..range.start).unwrap_or_default(), done);
        plain.unit(value, range.clone());
        done = range.end;
    }
    plain.linear(text.get(done..).unwrap_or_default(), done);
    found.then(|| plain.finish())
}

/// The declared names with their values, and where the last declaration ends.
fn declarations(text: &str) -> (HashMap<&str, String>, usize) {
    let mut declared = HashMap::new();
    let mut end = 0;
    for at in memmem::find_iter(text.as_bytes(), DECLARATION).take(DECLARED) {
        let Some((name, value)) = declaration(text, at + DECLARATION.len()) else { continue };
        end = value.end + 1;
        let written = text.get(value).unwrap_or_default();
        // XML 1.0 §4.2: the first declaration counts. §4.4.5: numeric references are expanded at once.
        declared.entry(name).or_insert_with(|| entity::numbers(written).into_owned());
    }
    let close =
        text.get(end..).and_then(|rest| rest.find('>')).map_or(text.len(), |at| end + at + 1);
    (declared, close)
}

/// Name and value of a declaration whose keyword ends at `at`; not of parameter entities and external ones.
fn declaration(text: &str, at: usize) -> Option<(&str, Range<usize>)> {
    let rest = text.get(at..)?;
    let rest = rest.get(..rest.floor_char_boundary(VALUE.min(rest.len())))?;
    let after = rest.trim_ascii_start();
    let (name, value) = after.split_once(|c: char| c.is_ascii_whitespace())?;
    let value = value.trim_ascii_start();
    let quote = value.chars().next().filter(|c| matches!(c, '"' | '\''))?;
    let length = value.get(1..)?.find(quote)?;
    let start = at + (rest.len() - value.len()) + 1;
    Some((name, start..start + length))
}

/// The values with others expanded in them; one that grows too long stays as it is.
fn expand_values(declared: HashMap<&str, String>) -> HashMap<&str, String> {
    let mut known = declared;
    for _ in 0..NESTED {
        let before = known.clone();
        let mut changed = false;
        for value in known.values_mut().filter(|value| value.contains('&')) {
            let mut grown = String::with_capacity(value.len());
            let mut done = 0;
            for (range, name) in references(value, 0) {
                let Some(inner) = before.get(name) else { continue };
                grown.push_str(value.get(done..range.start).unwrap_or_default());
                grown.push_str(inner);
                done = range.end;
                if grown.len() > VALUE {
                    break;
                }
            }
            grown.push_str(value.get(done..).unwrap_or_default());
            if done > 0 && grown.len() <= VALUE {
                changed = true;
                *value = grown;
            }
        }
        if !changed {
            break;
        }
    }
    known
}

/// References by name from byte `from` on, with the name.
fn references(text: &str, from: usize) -> impl Iterator<Item = (Range<usize>, &str)> {
    memchr::memchr_iter(b'&', text.as_bytes().get(from..).unwrap_or_default()).filter_map(
        move |at| {
            let start = from + at;
            let name = text.get(start + 1..)?;
            let name = name.get(..name.bytes().take(entity::LONGEST).position(|c| c == b';')?)?;
            Some((start..start + name.len() + 2, name))
        },
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entities_of_the_document_are_expanded() {
        let head = "<!DOCTYPE svg [<!ENTITY % p \"q\"><!ENTITY f SYSTEM \"f.txt\"><!ENTITY a \"&#1088;&#x430;\"><!ENTITY b 'y&c;'> <!ENTITY c \"pal.com\">\
                    <!ENTITY a \"x\">]>";
        let text = format!("{head}<a href='https://&a;&b;/'>&amp;&f;&p;</a>");
        let seen = expanded(&text).unwrap();
        assert_eq!(seen.as_str(), "]><a href='https://раypal.com/'>&amp;&f;&p;</a>");
        let at = text.find("&a;").unwrap();
        let host = seen.as_str().find('р').unwrap();
        assert_eq!(seen.source(host..host + 2), at..at + 3);
        for plain in ["", "<p>&a;</p>", "<!ENTITY a \"x\"><p>&b;</p>", "<!ENTITY a \"x"] {
            assert!(expanded(plain).is_none(), "{plain}");
        }
    }

    /// A billion laughs.
    #[test]
    fn entities_in_entities_are_bounded() {
        let mut text = "<!ENTITY a0 \"lol.example\">".to_owned();
        for level in 1..20 {
            text += &format!("<!ENTITY a{level} \"{}\">", format!("&a{};", level - 1).repeat(10));
        }
        text += &"&a19;&a1;".repeat(10_000);
        let seen = expanded(&text).unwrap();
        assert!(seen.as_str().len() <= 3 * text.len() + EXPANDED_BASE);
        let round = "<!ENTITY a \"&b;&b;\"><!ENTITY b \"&a;&a;\">&a;";
        assert!(expanded(round).unwrap().as_str().len() <= 2 * VALUE);
    }
}
