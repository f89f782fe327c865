//! Which elements a page may hide, by the selectors of its style sheets and by what their tags say. The cascade is not
//! computed: what is named by a rule that hides something may be hidden.

use std::collections::HashSet;
use std::ops::Range;

use super::elements::{Element, RawElement};
use super::style::TextStyle;
use super::token::{RawText, Token, Tokenizer};
use super::{HtmlReader, MappedText, Site};
use crate::css;

/// What hides, moves away or blanks out, for some programs and whatever is said later, without white space. Sizes of
/// nothing and their like are those of [`TextStyle`].
const HIDING: [&str; 34] = [
    "absolute", "fixed", "text-indent", "clip", "transform", "transparent", "opacity", "height:0",
    "width:0", "float", "margin:-", "margin-left:-", "margin-right:-", "left:-", "top:-",
    "color:white", "color:#fff", "rgb(255", "zoom", "scale", "filter", "letter-spacing:-",
    "translate", "content-visibility", "size-adjust:0", "table-column", "contain:", "content:url(",
    "mask", "hidden", "var(", "display:none", "mso-hide", "collapse",
];

/// Elements that programs show rarely or never, those of text/enriched among them.
const RARELY_SHOWN: [&str; 30] = [
    "annotation", "annotation-xml", "audio", "canvas", "comment", "datalist", "defs", "desc",
    "details", "dialog", "iframe", "map", "math", "metadata", "meter", "mphantom", "noembed",
    "noframes", "noscript", "object", "param", "progress", "rp", "rt", "select", "svg", "symbol",
    "template", "title", "video",
];

/// Maximum words of a shorthand `font:` up to the size: style, variant, weight and stretch come before it.
const FONT_WORDS: usize = 5;

/// Steps of each byte of a sheet that is read for what it writes.
const WRITING_STEPS_PER_BYTE: u64 = 2;

/// What the rules of a page that hide something are for.
#[derive(Clone, Debug, Default)]
pub(super) struct HidingRules {
    /// Whether it may be any element.
    any: bool,
    /// Names of elements, classes with `.` in front, identifiers with `#`.
    named: HashSet<String>,
}

impl HidingRules {
    /// Reads the style sheets of a page, those in comments as well, which some programs read. Linear.
    pub fn of(page: &str) -> HidingRules {
        let mut rules = HidingRules::default();
        let mut inside = Vec::new();
        rules.tokens(page, 0..page.len(), &mut inside);
        for range in std::mem::take(&mut inside) {
            rules.tokens(page, range, &mut inside);
        }
        rules
    }

    /// Reads the style sheets in a range, and adds the ranges of other raw text.
    fn tokens(&mut self, page: &str, range: Range<usize>, inside: &mut Vec<Range<usize>>) {
        let slice = |range: Range<usize>| page.get(range).unwrap_or_default();
        for token in Tokenizer::new(page, range, RawText::Honour) {
            match token {
                Token::Raw(RawElement::Style, sheet) => self.read(slice(sheet)),
                Token::Raw(_, range) | Token::Comment(range) => inside.push(range),
                Token::Tag(tag) if tag.element() == Element::Link => {
                    let tag = slice(tag.range).to_ascii_lowercase();
                    self.any |= tag.contains("stylesheet");
                }
                Token::Tag(_) | Token::Text(_) => {}
            }
        }
    }

    /// Whether the element of a tag may be hidden.
    pub fn may_hide(&self, tag: &str) -> bool {
        let tag = tag.to_ascii_lowercase();
        let mut words = tag.split(|c| !is_in_name(c)).filter(|word| !word.is_empty());
        let name = words.next().unwrap_or_default();
        let named = |word: &str| {
            ['.', '#'].iter().any(|sign| self.named.contains(&format!("{sign}{word}")))
        };
        self.any
            || RARELY_SHOWN.contains(&name)
            || tag.contains("hidden")
            || tag.contains("popover")
            || tag.contains("style") && hides(&tag)
            || name == "font" && (tag.contains("color") || tag.contains("size"))
            || !self.named.is_empty()
                && (tag.contains('&') || self.named.contains(name) || words.any(named))
    }

    fn read(&mut self, sheet: &str) {
        let sheet = css::plain(sheet).to_ascii_lowercase();
        self.any |= sheet.contains("@import");
        css::rules(&sheet)
            .filter(|(_, declarations)| hides(declarations))
            .for_each(|(selectors, _)| self.name(selectors));
    }

    /// Adds what a selector names.
    fn name(&mut self, selector: &str) {
        let mut rest = selector;
        let mut sign = None;
        while let Some(c) = rest.chars().next() {
            if is_in_name(c) {
                let end = rest.find(|c| !is_in_name(c)).unwrap_or(rest.len());
                let (word, behind) = rest.split_at_checked(end).unwrap_or((rest, ""));
                self.named.insert(sign.take().into_iter().chain(word.chars()).collect());
                rest = behind;
                continue;
            }
            let behind = rest.get(c.len_utf8()..).unwrap_or_default();
            sign = matches!(c, '.' | '#').then_some(c);
            match c {
                '[' => {
                    let (test, after) = behind.split_once(']').unwrap_or((behind, ""));
                    self.attribute(test);
                    rest = after;
                }
                ':' => {
                    // What a pointer does hides nothing before it is there.
                    let end = behind.find(|c| !is_in_name(c) && c != ':').unwrap_or(behind.len());
                    let word = behind.get(..end).unwrap_or_default().trim_start_matches(':');
                    let of_state =
                        ["hover", "visited", "active", "link", "focus", "root", "before", "after"];
                    self.any |= !of_state.contains(&word);
                    rest = behind.get(end..).unwrap_or_default();
                }
                '*' => {
                    self.any |= !behind.starts_with(['.', '#', '[', '|']);
                    rest = behind;
                }
                _ => rest = behind,
            }
        }
    }

    /// Adds the values of a test of classes or identifiers; others may be of any element.
    fn attribute(&mut self, test: &str) {
        let of_names = |(name, value): (&str, &str)| {
            let name = name.trim_ascii().trim_end_matches('~');
            let sign = match name.trim_ascii() {
                "class" => '.',
                "id" => '#',
                _ => return None,
            };
            // Perhaps with a word for how letters are compared: `[class="x" i]`.
            let word = value.trim_end().strip_suffix(['i', 's']);
            let value = word.filter(|value| value.ends_with(['"', '\'', ' '])).unwrap_or(value);
            Some((sign, value.trim_matches(['"', '\'', ' ']).to_owned()))
        };
        match test.split_once('=').and_then(of_names) {
            Some((sign, value)) => {
                let words = value.split_ascii_whitespace();
                self.named.extend(words.map(|word| format!("{sign}{word}")));
            }
            None => self.any = true,
        }
    }
}

/// Whether a style sheet hides something, or writes something.
pub(super) fn hides_or_writes(sheet: &str) -> bool {
    let sheet = css::plain(sheet).to_ascii_lowercase();
    let mut rules = css::rules(&sheet);
    sheet.contains("@import") || sheet.contains("content") || rules.any(|(_, rule)| hides(rule))
}

impl<'t> HtmlReader<'t, '_, '_> {
    /// Reads the URLs of a style sheet; `outer` maps it to the text.
    pub(super) fn sheet(&mut self, outer: &MappedText<'t>, site: &Site) {
        // It is searched for strings, and these are read without their escapes.
        self.view.steps += 2 * outer.as_str().len() as u64;
        if *site == Site::Style && self.drawn.written.read(outer.as_str()) {
            self.view.steps += WRITING_STEPS_PER_BYTE * outer.as_str().len() as u64;
        }
        match outer.as_slice() {
            Some((css, _)) => {
                for url in css::urls(css) {
                    let url = css::as_path(css, &url, self.tlds).unwrap_or(url);
                    self.references(url.through(outer).as_url(), None, site);
                }
            }
            None => {
                let css = outer.as_str();
                for url in css::urls(css) {
                    let url = css::as_path(css, &url, self.tlds).unwrap_or(url);
                    self.references(url.over(outer).as_url(), None, site);
                }
            }
        }
    }
}

/// Whether declarations, or a tag with a style in lower case, hide or move text.
fn hides(declarations: &str) -> bool {
    let mut traits = TextStyle::default();
    traits.declare(declarations, false);
    let bare: String = declarations.chars().filter(|c| !c.is_whitespace()).collect();
    traits.conceals.hides()
        || HIDING.iter().any(|word| bare.contains(word))
        || bare.split("font-size:").skip(1).any(|size| is_tiny(size) || is_function(size))
        || declarations.split("font").skip(1).any(has_tiny_size)
        || has_faint_ink(&bare)
}

/// Functions of colours that take how much is seen as their last argument.
const COLOURS: [&str; 9] = ["rgb", "rgba", "hsl", "hsla", "hwb", "lab", "lch", "oklab", "oklch"];

/// How much of a colour is seen at least.
const FAINT: f32 = 0.1;

/// Whether declarations without white space give text a colour that is seen through: not that of what is behind it or
/// around it, which often has one.
fn has_faint_ink(bare: &str) -> bool {
    bare.match_indices("color:").any(|(at, name)| {
        let before = bare.get(..at).unwrap_or_default();
        let is_of_text = !before.ends_with('-') || before.ends_with("text-fill-");
        is_of_text && bare.get(at + name.len()..).and_then(opacity).is_some_and(|seen| seen < FAINT)
    })
}

/// How much of the colour at the start of a text is seen, if it says that: `#0000`, `rgba(0,0,0,0)`, `hwb(000/0%)`. What
/// is no number may be nothing.
fn opacity(colour: &str) -> Option<f32> {
    if let Some(digits) = colour.strip_prefix('#') {
        let end = digits.find(|c: char| !c.is_ascii_hexdigit()).unwrap_or(digits.len());
        let (seen, all) = match end {
            4 => (digits.get(3..4)?, 15.0),
            8 => (digits.get(6..8)?, 255.0),
            _ => return None,
        };
        return u8::from_str_radix(seen, 16).ok().map(|seen| f32::from(seen) / all);
    }
    let (_, arguments) = colour.split_once('(').filter(|(name, _)| COLOURS.contains(name))?;
    let arguments = arguments.split(')').next()?;
    // The older form has commas.
    let last = arguments.split_once('/').map(|(_, last)| last);
    let last = last.or_else(|| arguments.split(',').nth(3))?;
    let (number, all) = last.strip_suffix('%').map_or((last, 1.0), |number| (number, 100.0));
    Some(number.parse().map_or(0.0, |number: f32| number / all))
}

/// Whether the rest of a shorthand `font:` has such a size, which may stand behind the style and weight.
fn has_tiny_size(rest: &str) -> bool {
    let Some(value) = rest.trim_ascii_start().strip_prefix(':') else { return false };
    let value = value.split([';', '}', '"']).next().unwrap_or_default();
    value.split_ascii_whitespace().take(FONT_WORDS).any(|word| is_tiny(word) || is_function(word))
}

/// Whether a value is what a function says, which may be nothing: `calc(0px)`, `attr(x px, 0)`.
fn is_function(value: &str) -> bool {
    let name = value.bytes().take_while(|c| c.is_ascii_alphabetic() || *c == b'-').count();
    name > 0 && value.as_bytes().get(name) == Some(&b'(')
}

/// Whether a size is below four units of any kind.
fn is_tiny(value: &str) -> bool {
    let digits = value.bytes().take_while(|c| c.is_ascii_digit() || *c == b'.').count();
    let (number, unit) = value.split_at_checked(digits).unwrap_or_default();
    let relative = unit.starts_with("em") || unit.starts_with("rem");
    number.parse::<f32>().is_ok_and(|size| size < if relative { 0.3 } else { 4.0 })
}

fn is_in_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '-' | '_') || !c.is_ascii()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn hidden(page: &str, tag: &str) {
        assert!(HidingRules::of(page).may_hide(tag), "{page} {tag}");
    }

    #[track_caller]
    fn shown(page: &str, tag: &str) {
        assert!(!HidingRules::of(page).may_hide(tag), "{page} {tag}");
    }

    #[test]
    fn what_a_rule_names_may_be_hidden() {
        for sheet in [
            ".x{display:none}",
            "p > .x , a { color: red; font-size: 1px }",
            "@media screen { a{color:red} .x { position : absolute } }",
            "#x{opacity:0}",
            "[class~=\"x\"]{visibility:hidden}",
            "[class^=x]{display:none}",
            "[class=\"X\" i]{display:none}",
            "[id='x's]{display:none}",
            "b{display:none}",
            "p *{display:none}",
            "p :first-child{display:none}",
            ".\\78 {display:none}",
            "p{color:red; .x{display:none}}",
            ".x{display:/**/none",
            "@import url(x)",
        ] {
            hidden(&format!("<STYLE type=a>{sheet}</STYLE>"), "<b class=\"a X\" id=x>");
        }
        hidden("<link rel=stylesheet href=x>", "<b>");
        hidden("<!--[if mso]><style>.x{display:none}</style><![endif]-->", "<b class=x>");
        hidden("<noscript><style>.x{display:none}</style></noscript>", "<b class=x>");
        hidden("<style>.x{display:none}</style>", "<b class=&#120;>");
    }

    #[test]
    fn what_no_rule_names_is_shown() {
        for sheet in [
            ".x{color:red}",
            ".preheader{display:none} a:hover{opacity:.5} a{text-decoration:none}",
            "@media print { [class=mobile] { display:none } }",
            "p.MsoNormal, li {margin:0cm; font-size:12.0pt}",
        ] {
            shown(&format!("<style>{sheet}</style>"), "<b class=x>");
        }
        for tag in [
            "<b>",
            "<span class=\"Apple-converted-space\">",
            "<b style='font:italic 700 12px/1.2 a'>",
            "<span lang=RU style='font-size:12.0pt;color:black;mso-fareast-language:RU'>",
        ] {
            shown("", tag);
        }
    }

    #[test]
    fn colours_that_are_seen_through() {
        for colour in [
            "transparent", "#0000", "#FFFFFF00", "#1231", "rgba(0,0,0,0)", "RGBA( 0, 0, 0, 0.0 )",
            "rgba(0,0,0,.01)", "rgb(0 0 0 / 0)", "rgb(0 0 0/0%)", "rgb(1,2,3,0)",
            "hsla(1,2%,3%,0)", "hsl(1deg 2% 3% / 0)", "hwb(1 2% 3% / 0)", "oklch(1 2 3 / none)",
            "rgba(0,0,0,calc(0))",
        ] {
            hidden("", &format!("<b style='color:{colour}'>"));
            hidden("", &format!("<b style='font-weight:bold; COLOR : {colour} !important'>"));
            hidden("", &format!("<b style='-webkit-text-fill-color:{colour}'>"));
            hidden(&format!("<style>.x{{color:{colour}}}</style>"), "<b class=x>");
        }
        for style in [
            "background-color:rgba(0,0,0,0)",
            "background:rgba(0,0,0,0)",
            "border:0 solid rgba(0,0,0,0);color:#333",
            "border-color:#0000;outline-color:rgb(0 0 0 / 0)",
            "-webkit-tap-highlight-color:rgba(0,0,0,0)",
            "text-decoration-color:rgba(0,0,0,0)",
            "color:rgba(0,0,0,.87)",
            "color:rgb(0,0,0)",
            "color:rgb(10 20 30 / 60%)",
            "color:#000",
            "color:#120000",
            "color:#000000ff",
            "color:hsl(0,0%,0%)",
            "color:rebeccapurple",
        ] {
            shown("", &format!("<b style='{style}'>"));
            shown(&format!("<style>.x{{{style}}}</style>"), "<b class=x>");
        }
    }

    #[test]
    fn tags_that_hide_by_themselves() {
        for tag in [
            "<title>",
            "<rp>",
            "<b hidden>",
            "<b style='position: absolute'>",
            "<b style=\"font-size:2px\">",
            "<b style=\"font:.1em a\">",
            "<b style=\"font: 0/0 a\">",
            "<b style=\"font:italic bold 1px/1 a\">",
            "<b style='font-size: calc(0px)'>",
            "<b style='font-size:attr(x px, 0)'>",
            "<b style='font:round(0px, 1px) a'>",
            "<b style='font-size-adjust: 0'>",
            "<b style='display:table-column'>",
            "<b style='display:inline-block;contain:strict'>",
            "<b style='content:url(x)'>",
            "<b style='-webkit-mask:linear-gradient(#0000,#0000)'>",
            "<b style='display:inline-block;max-width:0'>",
            "<b popover>",
            "<font color=white>",
        ] {
            hidden("", tag);
        }
    }
}
