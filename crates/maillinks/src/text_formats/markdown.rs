//! Links of Markdown (CommonMark §6.3, §4.7) that show something else than where they lead: `[text](url)`, and
//! `[text][name]` with `[name]: url` somewhere.
//!
//! Linear: what a link shows has no other link inside, and a target ends at the next bracket.

use std::collections::HashMap;

/// Bytes of a target at most: those of a URL that programs open.
const TARGET_BYTES: usize = 2_048;

/// Anchors of named targets are read up to so many times the bytes of the text: one name may be used often.
const TIMES: usize = 4;

/// Brackets that are open at once, and names of targets. No honest text has as many.
const OPEN: usize = 64;
const NAMES: usize = 1_024;

/// Hands on the links of a text: where each leads, and what it shows as markup.
pub(super) fn links(text: &str, take: &mut dyn FnMut(&str, &str)) {
    let named = definitions(text);
    let mut left = TIMES * text.len();
    // Where brackets are open, and whether another has been closed inside.
    let mut open: Vec<(usize, bool)> = Vec::new();
    let mut at = 0;
    while let Some(found) = text.get(at..).and_then(|rest| rest.find(['[', ']', '\\'])) {
        at += found;
        match text.as_bytes().get(at) {
            Some(b'[') => {
                if open.len() == OPEN {
                    open.clear();
                }
                open.push((at + 1, false));
            }
            Some(b'\\') => at += 1,
            _ => {
                let Some((start, has_inner)) = open.pop() else {
                    at += 1;
                    continue;
                };
                if let Some((_, outer_has)) = open.last_mut() {
                    *outer_has = true;
                }
                let (inside, behind) = (
                    text.get(start..at).unwrap_or_default(),
                    text.get(at + 1..).unwrap_or_default(),
                );
                let is_picture = text.get(..start).is_some_and(|before| before.ends_with("!["));
                let target = inline(behind).or_else(|| {
                    let (target, name_bytes) = reference(inside, has_inner, behind, &named)?;
                    left = left.checked_sub(target.len() + inside.len())?;
                    at += name_bytes;
                    Some(target)
                });
                if let Some(target) = target.filter(|_| !is_picture) {
                    take(target, &shown(inside));
                    // A link has none around it.
                    open.clear();
                }
            }
        }
        // A step over the sign, whose successor a backslash has made a letter.
        at = text.ceil_char_boundary(at + 1);
    }
}

/// The target behind the text of a link: `(url "title")`, `(<url>)`.
fn inline(behind: &str) -> Option<&str> {
    target(behind.strip_prefix('(')?.trim_start())
}

fn target(text: &str) -> Option<&str> {
    let near = text.get(..text.floor_char_boundary(TARGET_BYTES))?;
    let target = match near.strip_prefix('<') {
        Some(near) => near.get(..near.find(['>', '<', '\n'])?)?,
        None => {
            let end = |c: char| c.is_whitespace() || matches!(c, ')' | '[' | ']');
            near.get(..near.find(end).unwrap_or(near.len()))?
        }
    };
    (!target.is_empty()).then_some(target)
}

/// The target of a link that names it behind its text, or by its text, and the bytes of the name behind it.
fn reference<'t>(
    inside: &str,
    has_inner: bool,
    behind: &str,
    named: &HashMap<String, &'t str>,
) -> Option<(&'t str, usize)> {
    if named.is_empty() {
        return None;
    }
    let name = behind.strip_prefix('[').and_then(|rest| rest.get(..rest.find(['[', ']'])?));
    match name.filter(|name| !name.is_empty()) {
        Some(name) => Some((*named.get(&folded(name))?, "[]".len() + name.len())),
        // The bracket of a definition is no link.
        None if has_inner || behind.starts_with(':') => None,
        None => Some((*named.get(&folded(inside))?, 0)),
    }
}

/// The targets that lines give names: `[name]: url`.
fn definitions(text: &str) -> HashMap<String, &str> {
    let mut named = HashMap::new();
    for line in text.lines() {
        if named.len() == NAMES {
            break;
        }
        let Some(rest) = line.trim_start().strip_prefix('[') else { continue };
        let definition = rest.split_once("]:").filter(|(name, _)| !name.contains(['[', ']']));
        if let Some((name, url)) = definition
            && let Some(url) = target(url.trim_start())
        {
            named.entry(folded(name)).or_insert(url);
        }
    }
    named
}

/// A name as CommonMark compares it.
fn folded(name: &str) -> String {
    name.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase()
}

/// What a text shows: without signs of emphasis and code, and of a picture what stands for it. Markup and character
/// references are those of HTML.
fn shown(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\\' => shown.extend(chars.next()),
            '*' | '`' | '~' => {}
            '!' if chars.peek() == Some(&'[') => {}
            '[' => {}
            ']' if chars.peek() == Some(&'(') => {
                // The target of a picture.
                let _ = chars.by_ref().find(|c| *c == ')');
            }
            ']' => {}
            '_' => {
                let inside = shown.ends_with(char::is_alphanumeric)
                    && chars.peek().is_some_and(|c| c.is_alphanumeric());
                shown.extend(inside.then_some('_'));
            }
            c => shown.push(c),
        }
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<(String, String)> {
        let mut found = Vec::new();
        links(text, &mut |url, shown| found.push((url.to_owned(), shown.to_owned())));
        found
    }

    #[test]
    fn links_of_markdown() {
        for (text, shown) in [
            ("[www.a.com](https://b.com/x)", "www.a.com"),
            ("see [www.a.com]( <https://b.com/x> \"title\"), and", "www.a.com"),
            ("[www.a.com](\nhttps://b.com/x)", "www.a.com"),
            ("[**www.a**.com](https://b.com/x)", "www.a.com"),
            ("[`www.a.com`](https://b.com/x)", "www.a.com"),
            ("[www\\.a\\.com](https://b.com/x)", "www.a.com"),
            ("[www&#46;a&#46;com](https://b.com/x)", "www&#46;a&#46;com"),
            ("[_www.a_b.com_](https://b.com/x)", "www.a_b.com"),
            ("[![www.a.com](x.png)](https://b.com/x)", "www.a.com"),
            ("[a [b] c](https://b.com/x)", "a b c"),
            ("[www.a.com][1]\n\n[1]: https://b.com/x", "www.a.com"),
            ("[www.a.com][]\n\n[WWW.a.com]: <https://b.com/x>", "www.a.com"),
            ("  [ www.a.com ]: https://b.com/x 'title'\n[www.a.com]", "www.a.com"),
        ] {
            assert_eq!(found(text), [("https://b.com/x".to_owned(), shown.to_owned())], "{text}");
        }
        let links = |text| found(text).into_iter().map(|(url, _)| url).collect::<Vec<_>>();
        assert_eq!(links("[x [a](https://b.com) y](https://c.com)"), ["https://b.com"]);
        for text in [
            "",
            "[",
            "]",
            "\\",
            "[a]",
            "[a](",
            "[a]()",
            "[a](<https://b.com",
            "\\[a](https://b.com)",
            "![a](https://b.com)",
            "[a] (https://b.com)",
            "[1]: https://b.com",
            "[a][2]\n[1]: https://b.com",
        ] {
            assert_eq!(links(text), [""; 0], "{text}");
        }
    }

    #[test]
    fn open_brackets_and_names_are_few() {
        let many = "[".repeat(10 * OPEN) + "[www.a.com](https://b.com)";
        assert_eq!(found(&many), [("https://b.com".to_owned(), "www.a.com".to_owned())]);
        let names = (0..2 * NAMES).map(|number| format!("[{number}]: https://b.com\n"));
        assert_eq!(definitions(&names.collect::<String>()).len(), NAMES);
    }

    #[test]
    fn a_name_is_used_so_often() {
        let text = format!("[1]: https://b.com/{}\n", "x".repeat(1_000)) + &"[1]".repeat(1_000);
        let found = found(&text);
        assert!(found.len() > 1 && found.len() < 20, "{}", found.len());
    }
}
