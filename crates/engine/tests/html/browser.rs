//! The reference: what a browser would follow, fetch and show of a page, by third-party parsers.

use std::collections::BTreeSet;

use cssparser::{ParseError, Parser, Token};
use html5ever::tendril::TendrilSink;
use html5ever::tree_builder::TreeBuilderOpts;
use html5ever::{ParseOpts, parse_document};
use markup5ever_rcdom::{Handle, NodeData, RcDom};

/// Hosts of the attacks, as ASCII and as shown.
fn lying() -> BTreeSet<String> {
    let shown = ["р\u{430}ypal.com", "\u{430}\u{440}\u{440}\u{4cf}\u{435}.com"];
    let ascii = shown.map(|host| idna::domain_to_ascii(host).unwrap());
    shown.into_iter().map(str::to_owned).chain(ascii).collect()
}

/// The first form of a deceptive host that is still live.
pub fn live(html: &str) -> Option<String> {
    let lying = lying();
    let mut pages = vec![(html.to_owned(), 0)];
    pages.extend(as_outlook_reads(html).map(|html| (html, 0)));
    while let Some((html, depth)) = pages.pop() {
        for scripting in [false, true] {
            let page = page(&html, scripting);
            for (place, url) in &page.urls {
                if leads_to(url, &lying) {
                    return Some(format!("{place} leads to {url:?}"));
                }
            }
            for text in &page.texts {
                if let Some(host) = shows(text, &lying) {
                    return Some(format!("text {text:?} shows {host}"));
                }
            }
            if depth < 4 {
                pages.extend(page.inner.into_iter().map(|html| (html, depth + 1)));
            }
        }
    }
    None
}

/// The contents of one page.
#[derive(Default)]
struct Page {
    /// Place and value of everything that may be a URL.
    urls: Vec<(String, String)>,
    /// Lines that a reader sees, with and without what is hidden.
    texts: Vec<String>,
    /// Documents inside: `srcdoc`, and what raw-text elements hold.
    inner: Vec<String>,
}

/// Conditional comments opened, `[if …]` outside comments dropped.
fn as_outlook_reads(html: &str) -> Option<String> {
    let mut out = String::new();
    let mut rest = html;
    let mut found = false;
    while let Some(at) = rest.find("<!--[if") {
        out.push_str(&rest[..at]);
        let inner = rest[at..].find(']').map_or(rest.len(), |end| at + end + 1);
        let inner = rest[inner..].find('>').map_or(rest.len(), |end| inner + end + 1);
        let end = rest[inner..].find("-->").map_or(rest.len(), |end| inner + end);
        out.push_str(rest[inner..end].trim_end_matches("<![endif]"));
        rest = rest.get(end + 3..).unwrap_or_default();
        found = true;
    }
    out.push_str(rest);
    found.then_some(out)
}

fn page(html: &str, scripting: bool) -> Page {
    let opts = ParseOpts {
        tree_builder: TreeBuilderOpts { scripting_enabled: scripting, ..Default::default() },
        ..Default::default()
    };
    let dom = parse_document(RcDom::default(), opts).one(html);
    let mut page = Page::default();
    for hidden in [Hidden::Kept, Hidden::Dropped] {
        let mut text = String::new();
        let mut work = vec![Step::Enter(dom.document.clone())];
        while let Some(step) = work.pop() {
            match step {
                Step::Enter(node) => node_of(&node, hidden, &mut page, &mut text, &mut work),
                Step::Break => text.push('\n'),
                Step::Turn(from) => {
                    let turned: String = text[from..].chars().rev().collect();
                    text.truncate(from);
                    text.push_str(&turned);
                }
            }
        }
        page.texts.extend(text.lines().map(str::to_owned));
    }
    page
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Hidden {
    Kept,
    Dropped,
}

enum Step {
    Enter(Handle),
    Break,
    /// Reverses the text from here on.
    Turn(usize),
}

fn node_of(
    node: &Handle,
    hidden: Hidden,
    page: &mut Page,
    text: &mut String,
    work: &mut Vec<Step>,
) {
    match &node.data {
        NodeData::Text { contents } => text.push_str(&contents.borrow()),
        NodeData::Element { name, attrs, template_contents, .. } => {
            let element = &*name.local;
            let mut style = String::new();
            let mut is_hidden = false;
            for attribute in attrs.borrow().iter() {
                let name = &*attribute.name.local;
                let value = attribute.value.to_string();
                match name {
                    "style" => style = value.to_ascii_lowercase().replace("/**/", ""),
                    "hidden" => is_hidden = true,
                    _ => {}
                }
                attribute_of(element, name, &value, page);
            }
            is_hidden |= ["display:none", "font-size:0", "visibility:hidden", "mso-hide:all"]
                .iter()
                .any(|what| style.replace(' ', "").contains(what));
            if is_hidden && hidden == Hidden::Dropped {
                return;
            }
            let mut children: Vec<Handle> = node.children.borrow().clone();
            if let Some(template) = &*template_contents.borrow() {
                children.push(template.clone());
            }
            if matches!(element, "style" | "script") {
                let raw: String = children.iter().map(text_of).collect();
                if element == "style" {
                    sheet("style", &raw, page);
                }
                return;
            }
            if let Some(raw) = only_text(&children).filter(|raw| raw.contains('<')) {
                match element {
                    "xmp" | "title" | "textarea" | "plaintext" => page.inner.push(raw),
                    // Not shown by browsers that know the element.
                    "noembed" | "noframes" | "iframe" | "noscript" => {
                        page.inner.push(raw);
                        return;
                    }
                    _ => {}
                }
            }
            let inline = INLINE.contains(&element);
            if !inline && !is_hidden {
                text.push('\n');
                work.push(Step::Break);
            }
            let turned = attrs.borrow().iter().any(|attribute| {
                &*attribute.name.local == "dir" && attribute.value.eq_ignore_ascii_case("rtl")
            });
            if (element == "bdo" && turned) || style.contains("bidi-override") {
                work.push(Step::Turn(text.len()));
            }
            work.extend(children.into_iter().rev().map(Step::Enter));
        }
        _ => work.extend(node.children.borrow().iter().rev().cloned().map(Step::Enter)),
    }
}

const INLINE: &[&str] = &[
    "a", "abbr", "acronym", "b", "bdi", "bdo", "big", "button", "cite", "code", "data", "del",
    "dfn", "em", "font", "i", "ins", "kbd", "label", "mark", "math", "mi", "mtext", "nobr",
    "noscript", "p:x", "o:p", "q", "s", "samp", "small", "span", "strike", "strong", "sub", "sup",
    "svg", "text", "time", "template", "tspan", "tt", "u", "var", "wbr", "x-y",
];

fn text_of(node: &Handle) -> String {
    match &node.data {
        NodeData::Text { contents } => contents.borrow().to_string(),
        _ => String::new(),
    }
}

fn only_text(children: &[Handle]) -> Option<String> {
    let text = children.iter().all(|node| matches!(node.data, NodeData::Text { .. }));
    text.then(|| children.iter().map(text_of).collect())
}

fn attribute_of(element: &str, name: &str, value: &str, page: &mut Page) {
    // Attributes that were made inert, and those that only a script reads.
    if name.starts_with("data-") || name.starts_with("on") {
        return;
    }
    let place = format!("{element}[{name}]");
    match name {
        "srcdoc" => return page.inner.push(value.to_owned()),
        "style" | "fill" | "filter" | "mask" | "cursor" => sheet(&place, value, page),
        "title" | "alt" | "value" | "placeholder" | "label" | "aria-label" => {
            page.texts.push(value.to_owned());
        }
        _ => {}
    }
    let mut urls = vec![value];
    urls.extend(value.split(|c: char| c.is_ascii_whitespace() || c == ',' || c == ';'));
    urls.extend(value.split(['=', '\'', '"', ',']));
    page.urls.extend(urls.into_iter().map(|url| (place.clone(), url.to_owned())));
}

/// Every `url(…)` and every string of a style sheet.
fn sheet(place: &str, css: &str, page: &mut Page) {
    tokens(place, &mut Parser::new(css), page, 0);
}

fn tokens(place: &str, parser: &mut Parser<'_>, page: &mut Page, depth: usize) {
    while let Ok(token) = parser.next_including_whitespace_and_comments().cloned() {
        match token {
            Token::UnquotedUrl(url) | Token::QuotedString(url) => {
                page.urls.push((place.to_owned(), url.to_string()));
            }
            Token::Function(_)
            | Token::ParenthesisBlock
            | Token::CurlyBracketBlock
            | Token::SquareBracketBlock
                if depth < 20 =>
            {
                let _ = parser.parse_nested_block(|inner| {
                    tokens(place, inner, page, depth + 1);
                    Ok::<(), ParseError<()>>(())
                });
            }
            _ => {}
        }
    }
}

/// Whether a browser, with any base, opens one of the hosts.
fn leads_to(value: &str, lying: &BTreeSet<String>) -> bool {
    ["http://base.invalid/", "https://base.invalid/"].iter().any(|base| {
        let base = url::Url::parse(base).unwrap();
        let Ok(url) = base.join(value) else { return false };
        match url.scheme() {
            "mailto" | "sip" | "xmpp" => percent_decoded(value)
                .split(['@', '/', '?', '&', ',', ';', '='])
                .any(|word| is_lying(word, lying)),
            "view-source" => leads_to(url.path(), lying),
            _ => url.host_str().is_some_and(|host| is_lying(&percent_decoded(host), lying)),
        }
    })
}

fn is_lying(host: &str, lying: &BTreeSet<String>) -> bool {
    let host = host.to_lowercase();
    lying.contains(&host) || idna::domain_to_ascii(&host).is_ok_and(|host| lying.contains(&host))
}

fn percent_decoded(text: &str) -> String {
    let mut out = Vec::new();
    let mut bytes = text.bytes();
    while let Some(byte) = bytes.next() {
        let hex = [bytes.clone().next(), bytes.clone().nth(1)];
        match (byte, hex) {
            (b'%', [Some(a), Some(b)]) if a.is_ascii_hexdigit() && b.is_ascii_hexdigit() => {
                let digits = [a, b];
                out.push(u8::from_str_radix(std::str::from_utf8(&digits).unwrap(), 16).unwrap());
                bytes.nth(1);
            }
            _ => out.push(byte),
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}

/// The host that a reader would see in the text, without invisible characters, in either direction.
fn shows(text: &str, lying: &BTreeSet<String>) -> Option<String> {
    let seen: String = text
        .chars()
        .filter(|c| !matches!(c, '\u{AD}' | '\0' | '\u{200B}'..='\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2060}'..='\u{2069}' | '\u{FEFF}'))
        .map(|c| if matches!(c, '\u{3002}' | '\u{FF0E}' | '\u{FF61}') { '.' } else { c })
        .collect::<String>()
        .to_lowercase();
    lying.iter().find(|host| seen.contains(host.as_str())).cloned()
}
