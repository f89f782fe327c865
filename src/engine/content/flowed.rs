//! format=flowed with DelSp=yes (RFC 3676 §4): lines joined before detection.
//!
//! Without DelSp a soft break leaves a space, which ends a link: such text needs no joining.

use super::seen::Builder;
use super::{Language, Layer};

/// The text with its soft breaks undone: quote marks and stuffing of the lines joined left out.
pub fn layer(text: &str) -> Layer<'_> {
    let mut seen = Builder::with_capacity(text.len());
    let mut at = 0;
    let mut open: Option<usize> = None;
    for line in text.split_inclusive('\n') {
        let body = line.trim_end_matches('\n').trim_end_matches('\r');
        // §4.5: quote marks, then §4.4: one stuffed space.
        let depth = body.len() - body.trim_start_matches('>').len();
        let quoted = body.get(depth..).unwrap_or_default();
        let stuffed = usize::from(quoted.starts_with(' '));
        let content = quoted.get(stuffed..).unwrap_or_default();
        let start = at + depth + stuffed;
        // §4.3: the signature separator is never flowed, neither to nor from.
        let signature = content == "-- ";
        if open != Some(depth) || signature {
            seen.separate(at);
        }
        let flows = content.ends_with(' ') && !signature;
        let kept = if flows { content.len() - 1 } else { content.len() };
        seen.linear(content.get(..kept).unwrap_or_default(), start);
        open = flows.then_some(depth);
        at += line.len();
    }
    Layer::of(seen.finish(), Language::Text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn joined(text: &str) -> String {
        layer(text).seen.as_str().to_owned()
    }

    #[test]
    fn soft_breaks_are_undone_within_a_quote_depth() {
        assert_eq!(joined("http://exa \r\nmple.com/\r\nnext"), "http://example.com/\nnext");
        assert_eq!(joined("> http://exa \n> mple.com\n>> deeper"), "http://example.com\ndeeper");
        assert_eq!(joined("> one \n>> two"), "one\ntwo");
        assert_eq!(joined("-- \nname"), "-- \nname");
    }

    #[test]
    fn the_joined_text_leads_back() {
        assert_eq!(layer("> http://exa \n> mple.com").seen.source(7..18), 9..24);
    }
}
