//! What an element does to the text inside it, as far as that can deceive a reader.

use super::fields;
use crate::css;

/// How the text of an element is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TextStyle {
    pub conceals: Conceals,
    pub direction: Direction,
    /// Whether it says so, and the direction around it does not count.
    pub sets_direction: bool,
    pub flow: Flow,
    /// Whether text around it does not turn its own.
    pub isolated: bool,
    /// Whether the elements in it stand side by side: `display: flex`, `columns: 2`.
    pub lines_up: bool,
    /// Whether it says how its box is shown: that overrides the attribute `hidden`.
    pub sets_display: bool,
    /// Whether it has to do with a field of Word.
    pub is_of_field: bool,
}

/// What an element says of whether its text is seen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Conceals {
    /// Whether nothing in it is, whatever that says itself: `display: none`, `opacity: 0`.
    pub all: bool,
    /// By `font-size`, which elements inside it can set again.
    pub size: Seen,
    /// By `visibility`, likewise.
    pub ink: Seen,
}

impl Conceals {
    pub fn hides(self) -> bool {
        self.all || self.size == Seen::Hidden || self.ink == Seen::Hidden
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Seen {
    /// As the text around it.
    #[default]
    Inherited,
    Shown,
    Hidden,
}

/// Whether characters run in the direction of their script.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Direction {
    #[default]
    Natural,
    /// `dir=rtl`, `direction: rtl`.
    RightToLeft,
    /// `<bdo>`, `unicode-bidi: bidi-override`.
    Overridden,
    /// Both.
    Reversed,
}

impl Direction {
    /// Combines two settings, wherever they are declared.
    pub fn and(self, other: Direction) -> Direction {
        match (self, other) {
            (Direction::Natural, one) | (one, Direction::Natural) => one,
            (one, other) if one == other => one,
            _ => Direction::Reversed,
        }
    }
}

/// Whether the element breaks the line of text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Flow {
    /// By its name.
    #[default]
    Natural,
    Inline,
    Block,
    /// Beside its neighbours: `float: left`.
    Beside,
}

/// Whether a declaration may be of a property that is read: what most properties fail on.
fn may_be_read(declaration: &[u8]) -> bool {
    let [first, second, ..] = declaration else { return false };
    match [first | 0x20, second | 0x20] {
        // Not `font-family` and `font-weight`.
        [b'f', b'o'] => {
            matches!(declaration.get(5), Some(b's' | b'S'))
                || matches!(declaration.get(4), Some(b':' | b' '))
        }
        // `mso-element`, `mso-field-code`.
        [b'm', b's'] => {
            let word = declaration.get(4..6).unwrap_or_default();
            word.eq_ignore_ascii_case(b"el") || word.eq_ignore_ascii_case(b"fi")
        }
        // `columns`, `column-count`, and not `color`.
        [b'c', b'o'] => matches!(declaration.get(3), Some(b'u' | b'U')),
        letters => matches!(&letters, b"di" | b"fl" | b"vi" | b"op" | b"un"),
    }
}

impl TextStyle {
    /// Whether nothing of it concerns the flow and the direction of text.
    #[inline]
    pub fn is_plain(&self) -> bool {
        self.direction == Direction::Natural
            && self.flow == Flow::Natural
            && !self.isolated
            && !self.lines_up
    }

    /// Reads the declarations of a `style` attribute. `concealed` says whether the text around the element is hidden.
    pub fn declare(&mut self, style: &str, concealed: bool) {
        let has_escapes = memchr::memchr2(b'\\', b'*', style.as_bytes()).is_some();
        let mut read = Declared::default();
        if !has_escapes {
            let mut start = 0;
            for end in memchr::memchr_iter(b';', style.as_bytes()).chain([style.len()]) {
                let declaration = style.get(std::mem::replace(&mut start, end + 1)..end);
                read.declare(declaration.unwrap_or_default());
            }
        }
        // What stands in strings and brackets declares nothing: it is told apart where that matters.
        let has_strings = || {
            let style = style.as_bytes();
            memchr::memchr3(b'(', b'"', b'\'', style).is_some()
                || memchr::memchr2(b'[', b'{', style).is_some()
        };
        if has_escapes || (concealed || read.hides) && has_strings() {
            read = Declared::default();
            css::declarations(style, |declaration| read.declare(declaration));
        }
        read.apply_to(self);
    }
}

/// A value of a property: the last one counts, but for those that are important (CSS Cascade §6).
#[derive(Clone, Copy, Debug)]
struct Winner<T> {
    value: Option<T>,
    important: bool,
}

impl<T> Default for Winner<T> {
    fn default() -> Winner<T> {
        Winner { value: None, important: false }
    }
}

impl<T> Winner<T> {
    fn set(&mut self, value: Option<T>, important: bool) {
        // Values that are none are dropped.
        if value.is_some() && (important || !self.important) {
            *self = Winner { value, important };
        }
    }
}

/// The declarations of one element.
#[derive(Clone, Copy, Debug, Default)]
struct Declared {
    display: Winner<Display>,
    size: Winner<Seen>,
    ink: Winner<Seen>,
    /// Whether it is seen through.
    opacity: Winner<Seen>,
    /// Whether text runs from right to left, and whether that of any script does.
    leftward: Winner<bool>,
    overridden: bool,
    beside: bool,
    isolated: bool,
    stacks: bool,
    /// Whether what is in it runs through columns.
    columns: bool,
    is_of_field: bool,
    /// Whether one of them hides text, be it overridden.
    hides: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Display {
    hidden: bool,
    flow: Flow,
    lines_up: bool,
}

impl Declared {
    #[inline]
    fn declare(&mut self, declaration: &str) {
        // What most fail on.
        if may_be_read(declaration.as_bytes().trim_ascii_start()) {
            self.read(declaration);
        }
    }

    fn read(&mut self, declaration: &str) {
        // Near: a simple loop is faster than a search.
        let Some(colon) = declaration.bytes().position(|byte| byte == b':') else { return };
        let (property, value) = declaration.split_at(colon);
        let property = property.trim_ascii();
        let (value, important) = without_important(value.get(1..).unwrap_or_default().trim_ascii());
        let is = |name: &str| property.eq_ignore_ascii_case(name);
        let says = |word: &str| {
            value.get(..word.len()).is_some_and(|head| head.eq_ignore_ascii_case(word))
        };
        let mut seen = None;
        match property.as_bytes().first().map(u8::to_ascii_lowercase) {
            Some(b'd') if is("display") => {
                let display = display(value);
                self.hides |= display.is_some_and(|display| display.hidden);
                self.display.set(display, important);
            }
            Some(b'd') if is("direction") => {
                let leftward = value.eq_ignore_ascii_case("rtl");
                let is_value = leftward || value.eq_ignore_ascii_case("ltr");
                self.leftward.set(is_value.then_some(leftward), important);
            }
            Some(b'v') if is("visibility") => {
                seen = visibility(value);
                self.ink.set(seen, important);
            }
            Some(b'f') if is("font-size") => {
                seen = font_size(value);
                self.size.set(seen, important);
            }
            Some(b'f') if is("font") => self.size.set(font(value), important),
            Some(b'f') if is("flex-direction") || is("flex-flow") => self.stacks = says("column"),
            Some(b'f') if is("float") => self.beside |= !says("none"),
            Some(b'o') if is("opacity") => {
                seen = opacity(value);
                self.opacity.set(seen, important);
            }
            Some(b'u') if is("unicode-bidi") => self.read_bidi(value),
            Some(b'c') => self.columns |= is("columns") || is("column-count"),
            Some(b'm') => self.is_of_field |= fields::is_of_field(property),
            _ => {}
        }
        self.hides |= seen == Some(Seen::Hidden);
    }

    /// CSS Writing Modes §2.2, with the prefixes of older browsers.
    fn read_bidi(&mut self, value: &str) {
        let value = ["-webkit-", "-moz-"]
            .iter()
            .find_map(|prefix| {
                let head = value.get(..prefix.len())?;
                head.eq_ignore_ascii_case(prefix).then(|| value.get(prefix.len()..))?
            })
            .unwrap_or(value);
        let is = |word: &str| value.eq_ignore_ascii_case(word);
        self.overridden |= is("bidi-override") || is("isolate-override");
        self.isolated |= ["isolate", "embed", "plaintext"].into_iter().any(is);
    }

    fn apply_to(self, traits: &mut TextStyle) {
        let display = self.display.value;
        let is_transparent = self.opacity.value == Some(Seen::Hidden);
        traits.sets_display = display.is_some();
        traits.conceals.all |= is_transparent || display.is_some_and(|display| display.hidden);
        traits.conceals.size = self.size.value.unwrap_or_default();
        traits.conceals.ink = self.ink.value.unwrap_or_default();
        traits.sets_direction |= self.leftward.value.is_some();
        if self.leftward.value == Some(true) {
            traits.direction = traits.direction.and(Direction::RightToLeft);
        }
        if self.overridden {
            traits.direction = traits.direction.and(Direction::Overridden);
        }
        traits.isolated |= self.isolated;
        traits.is_of_field |= self.is_of_field;
        let lines_up = display.is_some_and(|display| display.lines_up) && !self.stacks;
        traits.lines_up = lines_up || self.columns;
        traits.flow = match self.beside {
            true => Flow::Beside,
            false => display.map_or(Flow::Natural, |display| display.flow),
        };
    }
}

/// The value without `!important`, and whether it had it.
fn without_important(value: &str) -> (&str, bool) {
    // What nearly all fail on.
    if !matches!(value.as_bytes().last(), Some(b't' | b'T')) {
        return (value, false);
    }
    match value.rsplit_once('!') {
        Some((rest, word)) if word.trim_ascii_start().eq_ignore_ascii_case("important") => {
            (rest.trim_ascii_end(), true)
        }
        _ => (value, false),
    }
}

/// Words of `display`, besides those that begin with `inline`, `table`, `ruby` or a hyphen, which some program knows.
const DISPLAYS: [&str; 13] = [
    "block", "contents", "flex", "flow", "flow-root", "grid", "inherit", "initial", "list-item",
    "math", "revert", "run-in", "unset",
];

/// CSS Display §2. `None` for what is no value: programs drop it.
fn display(value: &str) -> Option<Display> {
    let says =
        |word: &str| value.get(..word.len()).is_some_and(|head| head.eq_ignore_ascii_case(word));
    let hidden = value.eq_ignore_ascii_case("none");
    let is_known = |word: &str| {
        let starts = |known: &str| {
            word.get(..known.len()).is_some_and(|head| head.eq_ignore_ascii_case(known))
        };
        DISPLAYS.iter().any(|known| word.eq_ignore_ascii_case(known))
            || ["inline", "table", "ruby", "-", "revert"].into_iter().any(starts)
    };
    if !hidden && (value.is_empty() || !value.split_ascii_whitespace().all(is_known)) {
        return None;
    }
    let lines_up = ["flex", "grid", "inline-flex", "inline-grid"].into_iter().any(says);
    let flow = match () {
        () if hidden => Flow::Natural,
        () if says("table-cell") => Flow::Beside,
        () if says("inline") || says("contents") => Flow::Inline,
        () => Flow::Block,
    };
    Some(Display { hidden, flow, lines_up })
}

fn visibility(value: &str) -> Option<Seen> {
    let is = |words: &[&str]| words.iter().any(|word| value.eq_ignore_ascii_case(word));
    match () {
        () if is(&["hidden", "collapse"]) => Some(Seen::Hidden),
        () if is(&["visible", "initial"]) => Some(Seen::Shown),
        () if is(&INHERITED) => Some(Seen::Inherited),
        () => None,
    }
}

fn opacity(value: &str) -> Option<Seen> {
    let (number, unit) = number(value)?;
    let is_valid = matches!(unit, "" | "%");
    is_valid.then_some(if number == 0.0 { Seen::Hidden } else { Seen::Shown })
}

/// Values of any property that take that of the element around.
const INHERITED: [&str; 4] = ["inherit", "unset", "revert", "revert-layer"];

/// Sizes in words, which do not depend on the size of the text around.
const SIZES: [&str; 9] = [
    "initial", "medium", "small", "large", "x-small", "x-large", "xx-small", "xx-large",
    "xxx-large",
];

/// Whether letters of a size are seen: one of zero in any unit is not (`0`, `0px`, `0.0em`), nor what shows as no more
/// (`0.1px`; `1px` is a dot). What depends on the size around is seen where that is.
fn font_size(value: &str) -> Option<Seen> {
    let Some((number, unit)) = number(value) else {
        let is = |word: &&str| value.eq_ignore_ascii_case(word);
        return match () {
            () if SIZES.iter().any(is) => Some(Seen::Shown),
            () if INHERITED.iter().chain(&["larger", "smaller"]).any(is) => Some(Seen::Inherited),
            // Of a function it is not known.
            () => value.ends_with(')').then_some(Seen::Shown),
        };
    };
    let is = |units: &[&str]| units.iter().any(|known| unit.eq_ignore_ascii_case(known));
    let is_zero = number == 0.0;
    match () {
        () if is(&["px", "pt"]) && number <= 1.0 => Some(Seen::Hidden),
        () if is(&["px", "pt"]) => Some(Seen::Shown),
        () if is(&["em", "%", "ex", "ch", "cap", "ic", "lh"]) && !is_zero => Some(Seen::Inherited),
        () if !is_zero && is(&["mm", "q"]) && number <= 0.3 => Some(Seen::Hidden),
        // Programs that read old pages take a number for pixels.
        () if unit.bytes().all(|c| c.is_ascii_alphabetic() || c == b'%') => {
            Some(if is_zero { Seen::Hidden } else { Seen::Shown })
        }
        () => None,
    }
}

/// Whether a shorthand sets a size that is seen, which stands behind the style and weight, or is in the word for a
/// font of the system.
fn font(value: &str) -> Option<Seen> {
    let words = || value.split_ascii_whitespace();
    if INHERITED.iter().any(|word| value.eq_ignore_ascii_case(word)) {
        return Some(Seen::Inherited);
    }
    let size = |word: &str| font_size(word.split('/').next().unwrap_or_default());
    let is_weight = |word: &str| word.bytes().all(|c| c.is_ascii_digit());
    let found = words().filter(|word| !is_weight(word)).find_map(size);
    let is_system = || !value.is_empty() && words().nth(1).is_none();
    // One of nothing is a way to show a picture in place of the text; not all programs know it.
    found.filter(|seen| *seen != Seen::Hidden).or(is_system().then_some(Seen::Shown))
}

/// A number without a sign, and what follows it.
fn number(value: &str) -> Option<(f32, &str)> {
    let digits = value.bytes().take_while(|c| c.is_ascii_digit() || *c == b'.').count();
    let (number, unit) = value.split_at_checked(digits)?;
    Some((number.parse().ok()?, unit.trim_ascii()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn traits(style: &str) -> TextStyle {
        let mut traits = TextStyle::default();
        traits.declare(style, false);
        traits
    }

    #[test]
    fn styles_that_hide() {
        for style in [
            "display:none",
            "color:red; DISPLAY : none !important",
            "font-size:0",
            "font-size: 0.0px;",
            "visibility:hidden",
            "opacity:0",
            "opacity:0%",
            "font-size:1px",
            "font-size:0em",
            "display:/* x */none",
            "di\\73 play:none",
            "visibility:collapse",
            "display:none;display:nonexistent",
            "display:none!important;display:block",
            "font-family:'a;b';display:none",
            "background:url(x;y);display:none",
            "x:\"/*\";display:none;y:\"*/\"",
        ] {
            assert!(traits(style).conceals.hides(), "{style}");
        }
        for style in [
            "font-size:10px",
            "font-size:1em",
            "font-size:1cm",
            "opacity:0.9",
            "opacity:1",
            "",
            "mso-hide:all",
            "display:none;display:inline-block",
            "display:none;display:-webkit-box",
            "display:none;display:block flow",
            "display:none;display:block!important;display:none",
            "font-size:0;font-size:13px",
            "font-size:0;font:bold 13px/1.2 a",
            "opacity:0;opacity:1",
            "visibility:hidden;visibility:visible",
            "display:nonexistent",
            "display:none none",
            "display:none\\9",
            "display:none!ie",
            "font-family:'a;display:none;b'",
            "background:url(a;display:none;b)",
            "background:url(a'b);x:';display:none;'",
            "x:(;display:none;)",
            "x:{;display:none;}",
            "x:\"\\\";display:none;\"",
            "x:a\\3b display:none",
        ] {
            assert!(!traits(style).conceals.hides(), "{style}");
        }
    }

    #[test]
    fn sizes_that_are_set_again() {
        let size = |style: &str| traits(style).conceals.size;
        for style in
            ["font-size:13px", "font-size:small", "font:13px a", "font-size:1rem", "font:menu"]
        {
            assert_eq!(size(style), Seen::Shown, "{style}");
        }
        for style in ["font-size:1em", "font-size:120%", "font-size:inherit", "font:700 1em a"] {
            assert_eq!(size(style), Seen::Inherited, "{style}");
        }
        let mut inside = TextStyle::default();
        inside.declare("x:';font-size:13px'", true);
        assert_eq!(inside.conceals.size, Seen::Inherited);
    }

    #[test]
    fn styles_that_reverse_and_break() {
        assert_eq!(traits("display:inline-block").flow, Flow::Inline);
        assert_eq!(traits("display:block").flow, Flow::Block);
        assert_eq!(traits("display:table-cell").flow, Flow::Beside);
        assert!(traits("display:inline-flex;flex-direction:row-reverse").lines_up);
        assert!(!traits("flex-flow:column;display:flex").lines_up);
        assert!(traits("columns:2").lines_up && traits("Column-Count:3").lines_up);
        assert!(!traits("color:red;column-gap:2px").lines_up);
        assert_eq!(traits("float:left").flow, Flow::Beside);
        assert_eq!(traits("float:none").flow, Flow::Natural);
        assert_eq!(
            traits("direction:rtl;unicode-bidi:bidi-override").direction,
            Direction::Reversed
        );
        assert_eq!(traits("direction:rtl").direction, Direction::RightToLeft);
        assert_eq!(traits("unicode-bidi:isolate-override").direction, Direction::Overridden);
        assert!(traits("unicode-bidi:embed").isolated && traits("unicode-bidi:isolate").isolated);
    }
}
