//! What an element does to the text inside it, as far as that can deceive a reader.

use crate::content::css;

/// How the text of an element is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Traits {
    pub shown: Display,
    pub direction: Direction,
    pub flow: Flow,
    /// Whether text around it does not turn its own.
    pub isolated: bool,
    /// Whether the elements in it stand side by side: `display: flex`.
    pub lines_up: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Display {
    #[default]
    Visible,
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
        [b'f', b'o'] => matches!(declaration.get(5), Some(b's' | b'S')),
        letters => matches!(&letters, b"di" | b"fl" | b"vi" | b"ms" | b"op" | b"un"),
    }
}

impl Traits {
    /// Reads the declarations of a `style` attribute.
    pub fn declare(&mut self, style: &str) {
        let style = css::plain(style);
        let (mut start, mut stacks) = (0, false);
        for end in memchr::memchr_iter(b';', style.as_bytes()).chain([style.len()]) {
            let declaration = style.get(std::mem::replace(&mut start, end + 1)..end);
            let declaration = declaration.unwrap_or_default();
            if !may_be_read(declaration.as_bytes().trim_ascii_start()) {
                continue;
            }
            // Near: a simple loop is faster than a search.
            let Some(colon) = declaration.bytes().position(|byte| byte == b':') else { continue };
            let (property, value) = declaration.split_at(colon);
            let value = value.get(1..).unwrap_or_default();
            let (property, value) = (property.trim_ascii(), value.trim_ascii());
            let is = |name: &str| property.eq_ignore_ascii_case(name);
            let says = |word: &str| {
                value.get(..word.len()).is_some_and(|head| head.eq_ignore_ascii_case(word))
            };
            match property.as_bytes().first().map(u8::to_ascii_lowercase) {
                Some(b'd') if is("display") => {
                    self.lines_up =
                        ["flex", "grid", "inline-flex", "inline-grid"].into_iter().any(says);
                    match () {
                        () if says("none") => self.shown = Display::Hidden,
                        () if says("table-cell") => self.flow = Flow::Beside,
                        () if says("inline") || says("contents") => self.flow = Flow::Inline,
                        () => self.flow = Flow::Block,
                    }
                }
                Some(b'd') if is("direction") && says("rtl") => {
                    self.direction = self.direction.and(Direction::RightToLeft);
                }
                Some(b'v') if is("visibility") && (says("hidden") || says("collapse")) => {
                    self.shown = Display::Hidden
                }
                Some(b'm') if is("mso-hide") && says("all") => self.shown = Display::Hidden,
                Some(b'f') if is("font-size") && is_nothing(value) => self.shown = Display::Hidden,
                Some(b'f') if is("flex-direction") || is("flex-flow") => stacks = says("column"),
                Some(b'f') if is("float") && !says("none") => self.flow = Flow::Beside,
                Some(b'o') if is("opacity") && is_nothing(value) => self.shown = Display::Hidden,
                Some(b'u')
                    if is("unicode-bidi")
                        && (says("bidi-override") || says("isolate-override")) =>
                {
                    self.direction = self.direction.and(Direction::Overridden);
                }
                Some(b'u')
                    if is("unicode-bidi")
                        && ["isolate", "embed", "plaintext"].into_iter().any(says) =>
                {
                    self.isolated = true;
                }
                _ => {}
            }
        }
        self.lines_up &= !stacks;
    }
}

/// Whether a size is zero in any unit (`0`, `0px`, `0.0em`), or shows as no more (`0.1px`; `1px` is a dot).
fn is_nothing(value: &str) -> bool {
    let digits = value.bytes().take_while(|c| c.is_ascii_digit() || *c == b'.').count();
    let (number, unit) = value.split_at_checked(digits).unwrap_or(("", ""));
    let unit = unit.trim_ascii();
    let relative = ["em", "rem", "%"]
        .iter()
        .any(|name| unit.get(..name.len()).is_some_and(|head| head.eq_ignore_ascii_case(name)));
    number
        .parse::<f32>()
        .is_ok_and(|size| size == 0.0 || (size <= 1.0 && !relative && !unit.is_empty()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn traits(style: &str) -> Traits {
        let mut traits = Traits::default();
        traits.declare(style);
        traits
    }

    #[test]
    fn styles_that_hide_reverse_and_break() {
        for style in [
            "display:none",
            "color:red; DISPLAY : none !important",
            "font-size:0",
            "font-size: 0.0px;",
            "visibility:hidden",
            "mso-hide:all",
            "opacity:0",
            "font-size:1px",
            "display:/* x */none",
            "di\\73 play:none",
            "visibility:collapse",
        ] {
            assert_eq!(traits(style).shown, Display::Hidden, "{style}");
        }
        for style in ["font-size:10px", "font-size:1em", "opacity:0.9", "opacity:1", ""] {
            assert_eq!(traits(style), Traits::default(), "{style}");
        }
        assert_eq!(traits("display:inline-block").flow, Flow::Inline);
        assert_eq!(traits("display:block").flow, Flow::Block);
        assert_eq!(traits("display:table-cell").flow, Flow::Beside);
        assert!(traits("display:inline-flex;flex-direction:row-reverse").lines_up);
        assert!(!traits("flex-flow:column;display:flex").lines_up);
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
